"""What a release is asked, what it may cost, and the certificate that the first part of that buys.

Symbols
-------
u = b - a
    What is asked: how the prediction changes if a person goes from a to b, two points of the
    domain.
k = 2r, κ
    So many records come or go if one unit of up to r records is replaced; κ = k + 1/1024 charges
    what the computed fit is off.
ν̂
    The published certificate of ν, the curvature in the weakest corner of the domain; a share of ε
    and of δ pays for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dplib import _checks
from dplib.aggregation import Refusal
from dplib.glm.certificates import certificate_margin, certify_below
from dplib.glm.domains import checked_domain
from dplib.glm.fits import SOLVED, ROUNDOFF, Fit, fit_model, most_records, statistic
from dplib.glm.losses import LOGISTIC

LOGARITHM = 2.0**-40  # more than the rounding of a logarithm that noise is added to
LEAST_LEFT = 2.0**-20  # of ε for the noise: what rounding may tell is far less
ALL, HALF = 1.0, 0.5  # of δ for certificates: Laplace noise of a public scale needs none


def direction(move, domain):
    """u of a declared move."""
    checked_domain(domain)
    if np.shape(move)[:1] != (2,):
        raise ValueError(f"move must be a pair of points of the domain, got {move!r}")
    start, end = domain.point("move[0]", move[0]), domain.point("move[1]", move[1])
    if np.array_equal(start, end):
        raise ValueError(f"move must go from one point to another one, got {move!r}")
    return end - start


def stretch(u, domain):
    """γ: |uᵀz| is at most γ times the width of any z; at most 2 for a move inside of the domain."""
    return min(domain.dual(u) * (1 + 2.0**-40), 2.0)


class Budget(NamedTuple):
    """ε and δ: all that a release may cost, or a part of it."""

    epsilon: float
    delta: float

    def parted(self, *, epsilon, delta):
        """These shares of ε and δ, and what they leave: two parts that are the whole together."""
        part = Budget(epsilon * self.epsilon, delta * self.delta)
        rest = Budget((1 - epsilon) * self.epsilon, (1 - delta) * self.delta)
        return part, rest

    def halved(self):
        return self.parted(epsilon=0.5, delta=0.5)

    def named(self):
        """As arguments of what spends it."""
        return dict(epsilon=self.epsilon, delta=self.delta)


@dataclass(frozen=True)
class Terms:
    """The public numbers of a release, checked: what it may cost, the shares of ε and of δ that are
    for certificates, and r. Who spends ``for_certificate`` and ``for_noise`` spends the budget."""

    budget: Budget
    split: float
    delta_split: float
    rows: int

    @classmethod
    def checked(cls, *, rng, **public):
        _checks.generator(rng)
        return cls.planned(**public)

    @classmethod
    def planned(cls, *, epsilon, delta, split, delta_split, rows_per_unit):
        """The same before there are data, for which nothing is drawn."""
        budget = Budget(_checks.parameter("epsilon", epsilon),
                        _checks.parameter("delta", delta, below=0.5))
        rows = _checks.integer("rows_per_unit", rows_per_unit, at_least=1, at_most=2**20)
        terms = cls(budget, _checks.parameter("split", split), delta_split, rows)
        largest = _checks.LARGEST_EXPONENT
        if not 2.0**-31 <= terms.for_certificate.epsilon <= largest:  # what one can be had for
            raise ValueError(f"epsilon times split must be from 2**-31 to {largest:g}, "
                             f"got {epsilon:g} times {split:g}")
        if terms.for_noise.epsilon < LEAST_LEFT:
            raise ValueError("epsilon times (1 - split) must be at least 2**-20, "
                             f"got {epsilon:g} times {1 - split:g}")
        return terms

    @property
    def parts(self):
        """The budget for certificates, and the rest, which is for the noise."""
        return self.budget.parted(epsilon=self.split, delta=self.delta_split)

    @property
    def for_certificate(self):
        return self.parts[0]

    @property
    def for_noise(self):
        return self.parts[1]

    @property
    def changes(self):
        return 2 * self.rows

    def has_standard_error(self, loss):
        """Whether r uᵀH⁻¹u is above the square of one, however the records of one unit hang
        together: for a logistic fit."""
        return loss is LOGISTIC

    def certify(self, X, y, weights, domain, loss, rng):
        """The fit, and a certificate that all of ``for_certificate`` pays for."""
        fit = fit_model(X, y, weights=weights, loss=loss, domain=domain, changes=self.changes)
        total, kappa = statistic(fit, self.changes)
        epsilon, delta = self.for_certificate
        nu = certify_below(total, sensitivity=kappa, epsilon=epsilon, delta=delta, rng=rng)
        most = most_records(domain, loss)  # and not how many there are, which need not be public
        rounding = 64 * ROUNDOFF * domain.dimension**3 * most * loss.largest_curvature
        slack = (2 * SOLVED + rounding) / max(float(nu), kappa)
        return Certified(self, fit, float(nu), kappa, slack)


@dataclass(frozen=True, repr=False)
class Certified:
    """A fit, which tells of single records, and its published certificate ν̂.

    What is computed of H⁻¹ is off by ``slack`` at most, relatively, in every direction: max |E|/ν
    for an error E of H.
    """

    terms: Terms
    fit: Fit
    nu: float
    kappa: float
    slack: float

    def refusal(self):
        """What is said where ν̂ does not suffice: public numbers only."""
        epsilon, delta = self.terms.for_certificate
        margin = certificate_margin(sensitivity=self.kappa, epsilon=epsilon, delta=delta)
        budget = self.terms.budget
        return Refusal(f"At ε = {budget.epsilon:g}, δ = {budget.delta:g} and split = "
                       f"{self.terms.split:g} the certificate is smaller than the curvature ν of "
                       f"the weakest corner by {margin:.0f} typically, by {2 * margin:.0f} at "
                       "most, or it is 0. It did not suffice. More records in the weakest "
                       "corner, fewer or narrower covariates, or a larger ε would help.")
