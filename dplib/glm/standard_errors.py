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
MOST_NOISE_OF_AN_ERROR = 1.0  # on ln v²: where it were more, ε is better spent on the answer


class Shares(NamedTuple):
    """What a certificate leaves of the budget, and for what; all of it public.

    Attributes
    ----------
    for_number : Budget, for the coefficient; the rest has paid for the noise
    noise : Noise or None, on ln v²; None where nothing is published of v
    """

    for_number: Budget
    noise: _grid.Noise | None


class StandardError(NamedTuple):
    """What is published of the sampling error.

    Attributes
    ----------
    variance : float or None, r v² with noise on its logarithm, or a bound of it
    noise : float, the scale of this noise
    largest : float, a public bound of √r v
    """

    variance: float | None = None
    noise: float = 0.0
    largest: float = np.inf


def checked_share(interval_share):
    """The share of what is left of ε that is for the standard error."""
    share = _checks.real("interval_share", interval_share, at_least=0, at_most=0.5)
    if 0 < share < LEAST_FOR_THE_ERROR:
        raise ValueError(f"interval_share must be 0 or at least {LEAST_FOR_THE_ERROR:g}, "
                         f"got {share:g}")
    return share


def shared(certified, loss, interval_share):
    """The shares at ν̂; nothing is for a standard error of which little would be known."""
    terms = certified.terms
    of_use = interval_share > 0 and terms.has_standard_error(loss)
    steps = log_steps(certified, loss) if of_use else np.inf
    if np.isfinite(steps):
        for_error, for_number = terms.for_noise.parted(epsilon=interval_share, delta=0)
        noise = _grid.laplace_noise(sensitivity=steps, epsilon=for_error.epsilon, error=LOGARITHM)
        if noise.scale <= MOST_NOISE_OF_AN_ERROR:
            return Shares(for_number, noise)
    return Shares(terms.for_noise, None)


def log_steps(certified, loss):
    """By how much ln v², as computed, differs between neighbours at most."""
    half = certified.kappa / 2  # at least r records come, and as many go
    moves = mahalanobis_constants(nu=certified.nu, changes=certified.kappa, added=half,
                                  removed=half, largest_curvature=loss.largest_curvature)
    return 2 * float(np.log(moves.up * (1 + certified.slack) ** 2))  # down is never larger


def standard_error(certified, shares, loss, u, gamma, most, rng):
    """What is published of v; ``most`` is a bound of v², which holds where nothing is spent."""
    terms = certified.terms
    if not terms.has_standard_error(loss):
        return StandardError()
    if shares.noise is None:
        return StandardError(terms.rows * most)
    length = np.abs(u).max()  # lest a square underflow
    spread = length * np.linalg.norm(u / length @ certified.fit.factor) * (1 + certified.slack)
    noisy = float(shares.noise.added_to(2 * np.log(spread), rng))
    return known_to(noisy, certified, shares, gamma)


def known_to(log_square, certified, shares, gamma):
    """What a release knows of a standard error whose square has this logarithm."""
    rows = certified.terms.rows
    return StandardError(rows * float(np.exp(log_square)), shares.noise.scale,
                         gamma * float(np.sqrt(rows / certified.nu)))


def noise_over_error(multiplier, certified):
    """A noise of the scale ``multiplier`` Δ_u is at most so many times √r v: |xᵀH⁻¹u| is at most
    v/√ν on the domain."""
    once = 1 + 2 * certified.slack
    return float(multiplier * certified.kappa * once
                 / np.sqrt(certified.nu * certified.terms.rows))
