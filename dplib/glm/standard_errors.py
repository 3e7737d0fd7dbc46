"""A standard error for a share of ε: how much less an interval may know than the data do.

Symbols
-------
v = √(uᵀH⁻¹u)
    The standard error of uᵀθ, for a logistic model that is right and records that are independent.
r
    Records of one unit, at most. However they hang together, the standard error is at most √r v.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dplib import _checks, _grid
from dplib.glm.stability import mahalanobis_constants
from dplib.glm.terms import LOGARITHM, Budget

LEAST_FOR_THE_ERROR = 1e-3  # a smaller share buys nothing
MISSED_ERROR = 2.5e-3  # the probability that a published standard error is too small
LARGEST_LOG = 300.0  # a larger v is no bound


class Shares(NamedTuple):
    """What a certificate leaves of the budget, and for what; all of it public.

    Attributes
    ----------
    for_error, for_number : Budget, for a published standard error, and for the coefficient
    steps : float or None, by how much ln v differs between neighbours; None if v is no standard
        error
    """

    for_error: Budget
    for_number: Budget
    steps: float | None

    def noise(self):
        """The noise on ln v."""
        return _grid.laplace_noise(sensitivity=self.steps, epsilon=self.for_error.epsilon,
                                   error=LOGARITHM)

    def margin(self):
        """How far a published ln v is above the true one where its noise is 0."""
        return float(-self.noise().scale * np.log(2 * MISSED_ERROR))


def checked_share(interval_share):
    """The share of what is left of ε that is for the standard error."""
    share = _checks.real("interval_share", interval_share, at_least=0, at_most=0.5)
    if 0 < share < LEAST_FOR_THE_ERROR:
        raise ValueError(f"interval_share must be 0 or at least {LEAST_FOR_THE_ERROR:g}, "
                         f"got {share:g}")
    return share


def shared(certified, loss, interval_share):
    """The shares at ν̂; nothing is for a standard error of which nothing is known."""
    terms = certified.terms
    steps = log_steps(certified, loss) if terms.has_standard_error(loss) else None
    share = interval_share if steps is not None and np.isfinite(steps) else 0.0
    return Shares(*terms.for_noise.parted(epsilon=share, delta=0), steps)


def log_steps(certified, loss):
    """By how much ln v, as computed, differs between neighbours at most."""
    half = certified.kappa / 2  # at least r records come, and as many go
    moves = mahalanobis_constants(nu=certified.nu, changes=certified.kappa, added=half,
                                  removed=half, largest_curvature=loss.largest_curvature)
    return float(np.log(max(moves.up, moves.down) * (1 + certified.slack) ** 2))


def published_variance(certified, shares, u, most, rng):
    """A bound of the squared standard error, and the probability that it is too small; ``most`` is
    a public bound of v²."""
    rows = certified.terms.rows
    if shares.steps is None:
        return None, 0.0
    if shares.for_error.epsilon == 0:
        return rows * most, 0.0
    length = np.abs(u).max()  # lest a square underflow
    spread = length * np.linalg.norm(u / length @ certified.fit.factor) * (1 + certified.slack)
    log_above = float(shares.noise().added_to(np.log(spread), rng)) + shares.margin()
    return rows * bounded_square(log_above, most), MISSED_ERROR


def by_the_error(certified, variance):
    """What a published standard error says of Δ_u: σ(H⁻¹u) is at most v/√ν."""
    if variance is None:
        return np.inf
    return certified.kappa * float(np.sqrt(variance / certified.terms.rows / certified.nu))


def bounded_square(log_above, most):
    """v² from a bound of ln v, at most a public bound."""
    return float(min(np.exp(2 * min(log_above, LARGEST_LOG)), most))
