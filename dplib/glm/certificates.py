"""A private lower bound of a statistic: it is never too large.

Symbols
-------
T, κ
    The statistic, and how much it changes at most between neighbours.
ν̂
    What is published: ν̂ ≤ T on every run.
a, γ
    The noise is γ (Z - a) for an integer Z with |Z| ≤ a, on a grid of γ = κ/1024.
"""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

import numpy as np

from dplib import _checks, _grid, _samplers
from dplib._types import ArrayLike, Floats, Generator, Real

GRID = 1024  # steps of the grid for a change of κ
LARGEST_STATISTIC = 2.0**51  # steps: none counts for more, so that no sum with noise is rounded


def certificate_margin(*, sensitivity: Real, epsilon: Real, delta: Real) -> float:
    """How much `certify_below` loses typically; twice as much at most, up to a step of its grid and
    for T ≤ 2^41 κ.

    Parameters
    ----------
    sensitivity : float ≥ 1e-290, the sensitivity κ of the statistic
    epsilon, delta : float > 0, ε ≥ 2^-32, δ < 1/2

    Returns
    -------
    float, κ a/1024, the median of T - ν̂ for a T above it, up to the grid

    Notes
    -----
    :Error: Within κ/1024 of (κ/ε) ln(1 + (e^ε - 1)/(2δ)) for ε ≥ 0.001. Rounding takes 2^-43 off ε,
        which shows below that.
    :References: Theorem *A certificate that never lies* on the page *Vouching for curvature*
        (thm-certify-below).

    Examples
    --------
    >>> round(certificate_margin(sensitivity=2, epsilon=0.25, delta=1e-6), 1)
    94.9
    """
    return _sensitivity(sensitivity) * _bound(*_budget(epsilon, delta)) / GRID


def certify_below(statistic: ArrayLike, *, sensitivity: Real, epsilon: Real, delta: Real,
                  rng: Generator) -> Floats:
    """Publish a lower bound of a statistic that holds for sure.

    Parameters
    ----------
    statistic : float or array_like, the exact value T for each data set
    sensitivity : float ≥ 1e-290, κ, the most that T changes between neighbours
    epsilon, delta : float > 0, ε ≥ 2^-32, δ < 1/2
    rng : numpy.random.Generator

    Returns
    -------
    float64, the shape of ``statistic``, ν̂, at least 0 and at most T, or 0 where T is negative

    Notes
    -----
    :Privacy: (ε, δ)-DP under the relation of ``sensitivity``, for what is published with or without
        the 0; exact coins. T is rounded down to the grid, exactly.
    :Error: T - 2κa/1024 - κ/1024 ≤ ν̂ ≤ T for 0 ≤ T ≤ 2^41 κ, where `certificate_margin` is
        κa/1024.
    :References: Theorem *A certificate that never lies* on the page *Vouching for curvature*
        (thm-certify-below); Geng, Ding, Guo and Kumar, *Tight analysis of privacy and utility
        tradeoff in approximate differential privacy* (2020).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> certify_below([50, 500, 5000], sensitivity=2, epsilon=0.25, delta=1e-6, rng=rng).round(1)
    array([   0. ,  426.8, 4911.7])
    """
    sensitivity = _sensitivity(sensitivity)
    epsilon, delta = _budget(epsilon, delta)
    step = sensitivity / GRID
    largest = LARGEST_STATISTIC * step
    statistic = np.clip(_checks.reals("statistic", statistic), -largest, largest)
    bound = _bound(epsilon, delta)
    draw = _samplers.truncated_two_sided_geometric
    noise = draw(epsilon / GRID, bound, statistic.shape, _checks.generator(rng)) - bound
    below = _steps_below(statistic, step)
    with np.errstate(over="ignore"):  # at the end of the floats
        return np.maximum((below + noise) * step, 0.0)


def _steps_below(statistic, step):
    """The whole number of steps at or below T, exactly, for up to 2^51 of them.

    The remainder is exact. Without it a quotient is whole, and it is wrong by 1/4 at most.
    """
    remainder = np.fmod(statistic, step)
    return np.rint(statistic / step - remainder / step) - (remainder < 0)


def _sensitivity(sensitivity):
    return _checks.real("sensitivity", sensitivity, at_least=1e-290)  # a step keeps its digits


def _budget(epsilon, delta):
    """ε and δ, less what the rounding of the coins' probabilities costs."""
    epsilon = _checks.real("epsilon", epsilon, at_least=2.0**-32, at_most=_checks.LARGEST_EXPONENT)
    delta = _checks.parameter("delta", delta, below=0.5)
    return epsilon * (1 - 2.0**-50) - _samplers.ROUNDING, delta * (1 - 2.0**-40)


@lru_cache(maxsize=256)
def _bound(epsilon, delta):
    """The least a for which the noise of a neighbour covers all but δ of ours."""
    return _grid.truncation(Decimal(epsilon) / GRID, GRID, Decimal(delta))
