"""What a release is asked, what it may cost, and the certificate that the first part of that buys.

Symbols
-------
u = b - a
    What is asked: how the prediction changes if a person goes from a to b, two points of the domain.
k = 2r, κ
    So many records come or go if one unit of up to r records is replaced; κ = k + 1/1024 charges what the computed fit is off.
ν̂
    The published certificate of ν, the curvature in the weakest corner of the domain; a share of ε and part of δ pay for it.
"""

from dataclasses import dataclass

import numpy as np

from dplib import _checks
from dplib.aggregation import Refusal
from dplib.glm.certificates import certificate_margin, certify_below
from dplib.glm.fits import SOLVED, UNIT, Fit, fit_model, statistic
from dplib.glm.losses import LOGISTIC


LEAST_LEFT = 2.0**-20  # of ε for the noise: what rounding may tell is far less


def direction(move, domain):
    """u of a declared move."""
    if np.shape(move)[:1] != (2,):
        raise ValueError(f"move must be a pair of points of the domain, got {move!r}")
    start, end = domain.point("move[0]", move[0]), domain.point("move[1]", move[1])
    if np.array_equal(start, end):
        raise ValueError(f"move must go from one point to another one, got {move!r}")
    return end - start


@dataclass(frozen=True)
class Terms:
    """The public numbers of a release, checked: ε, δ, the share of ε for certificates, and r."""

    epsilon: float
    delta: float
    split: float
    rows: int

    @classmethod
    def checked(cls, *, epsilon, delta, split, rows_per_unit, rng):
        _checks.generator(rng)
        terms = cls(_checks.parameter("epsilon", epsilon), _checks.parameter("delta", delta, below=0.5),
                    _checks.parameter("split", split), _checks.integer("rows_per_unit", rows_per_unit, at_least=1, at_most=2**20))
        if not 2.0**-31 <= terms.spent <= _checks.LARGEST_EXPONENT:  # what a certificate can be had for
            raise ValueError(f"epsilon times split must be from 2**-31 to {_checks.LARGEST_EXPONENT:g}, got {epsilon:g} times {split:g}")
        if terms.left < LEAST_LEFT:
            raise ValueError(f"epsilon times (1 - split) must be at least 2**-20, got {epsilon:g} times {1 - split:g}")
        return terms

    @property
    def changes(self):
        return 2 * self.rows

    @property
    def spent(self):
        """Of ε, on certificates."""
        return self.split * self.epsilon

    @property
    def left(self):
        """Of ε, for the noise."""
        return (1 - self.split) * self.epsilon

    def has_standard_error(self, loss):
        """Whether uᵀH⁻¹u is the square of one: for a logistic fit to records that are units of their own."""
        return loss is LOGISTIC and self.rows == 1

    def certify(self, X, y, domain, loss, delta, rng):
        """The fit, and a certificate that all of ε₁ and this part of δ pay for."""
        fit = fit_model(X, y, loss=loss, domain=domain, changes=self.changes)
        total, kappa = statistic(fit, self.changes)
        nu = float(certify_below(total, sensitivity=kappa, epsilon=self.spent, delta=delta, rng=rng))
        error = 2 * SOLVED + 64 * UNIT * domain.dimension**3 * len(X) * loss.largest_curvature
        return Certified(self, fit, nu, kappa, delta, error / max(nu, kappa))


@dataclass(frozen=True, repr=False)
class Certified:
    """A fit, which tells of single records, and its published certificate ν̂, for which ``delta`` was paid.

    What is computed of H⁻¹ is off by ``slack`` at most, relatively, in every direction: max |E|/ν for an error E of H.
    """

    terms: Terms
    fit: Fit
    nu: float
    kappa: float
    delta: float
    slack: float

    def refusal(self):
        """What is said where ν̂ does not suffice: public numbers only."""
        epsilon, delta, split = self.terms.epsilon, self.terms.delta, self.terms.split
        margin = certificate_margin(sensitivity=self.kappa, epsilon=self.terms.spent, delta=self.delta)
        return Refusal(f"At ε = {epsilon:g}, δ = {delta:g} and split = {split:g} the certificate is smaller than the curvature ν of the "
                       f"weakest corner by {margin:.0f} typically, by {2 * margin:.0f} at most, or it is 0. It did not suffice. "
                       f"More records in the weakest corner, fewer or narrower covariates, or a larger ε would help.")
