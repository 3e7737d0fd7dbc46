"""An interval for the mean of any distribution between public bounds: no normality, no limit.

Symbols
-------
The records are moved to [0, 1]. A bet against m multiplies its capital by 1 + λ(x - m) at each
record x. If m is the mean the capital stays 1 on average, however the records are distributed.

λ, ψ
    What is staked; ψ = -λ - ln(1 - λ), so that ln(1 + λξ) ≥ λξ - ψξ² for ξ ≥ -1.
S, Q
    Noisy sums of x and of x(1 - x): all that the capital is computed from.
b
    The scale of their noise.
"""

from __future__ import annotations

import numpy as np

from dplib import _checks, _grid
from dplib._sums import Tally
from dplib._types import ArrayLike, Generator, Interval, NDArray, Real

# Below 0.58, so that 2ψ < λ; b(λ + ψ) ≤ 0.93 with the latter.
LARGEST_STAKE, STAKE_OF_SCALE = 0.5, 2 / 3
HALVINGS = 40  # of [0, 1], to find an end: finer than a record is rounded


def bounded_mean_interval(
        x: ArrayLike, *, bounds: Interval, epsilon: Real, level: Real = 0.95, runs: bool = False,
        rng: Generator) -> NDArray[np.float64]:
    """Release an interval that covers the mean of a population of any shape between two bounds.

    Parameters
    ----------
    x : array_like of finite real numbers, shape (..., n), the data set
    bounds : (float, float), the public interval (lo, hi); values outside are clipped
    epsilon : float > 0
    level : float in (0, 1), the probability with which the interval covers the mean
    runs : bool
        Whether axes before the last are independent runs, each a data set of its own; without it
        there may be none
    rng : numpy.random.Generator

    Returns
    -------
    float64, shape (..., 2)
        The lower and the upper end, inside the bounds

    Notes
    -----
    :Privacy: ε-DP under ``replace``, given fair bits.
    :Error: Covers the mean of independent records with probability at least ``level``, whatever
        their distribution between the bounds and whatever n; of records outside, the mean after
        clipping. In units of hi - lo, an end m is at most (ln(2K/(1 - level)) + 2 + ψV)/(λn) from
        the noisy mean, for each of the K ≤ 1 + log₂ n stakes λ, V the noisy sum of (x - m)².
    :References: Theorem *An interval without a normal distribution* on the page *Intervals that
        keep their word* (thm-bounded-interval); Waudby-Smith and Ramdas, *Estimating means of
        bounded random variables by betting* (2024).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> waits = rng.exponential(2, size=5000)
    >>> bounded_mean_interval(waits, bounds=(0, 60), epsilon=1, rng=rng).round(2)
    array([1.88, 2.19])
    """
    lo, hi = _checks.interval("bounds", bounds)
    x = _checks.reals("x", _checks.data_sets("x", x, runs=runs))
    epsilon, level = _checks.parameter("epsilon", epsilon), _checks.parameter("level", level)
    n = x.shape[-1]
    window = Tally.of(n, 0.5)
    # A replaced record moves both sums together by 1 at most, and by a unit that the rounding of
    # x(1 - x) adds.
    noise = _grid.laplace_noise(
        sensitivity=window.moved + 1, epsilon=epsilon, entries=2, unit=1.0)
    _checks.generator(rng)
    sums = noise.added_to_whole(_sums((np.clip(x, lo, hi) - lo) / (hi - lo), window), rng)
    S, Q = window.unit * sums + np.reshape([n / 2, n / 8], (2,) + (1,) * (sums.ndim - 1))
    Q = Q - n * window.unit  # more than rounding added to it
    low, mirrored = _lower_ends(
        np.stack([S, n - S]), Q, size=n, scale=noise.scale * window.unit, failing=(1 - level) / 2)
    ends = np.stack([low - window.unit, 1 - mirrored + window.unit], axis=-1)  # of rounded records
    return np.clip(lo + (hi - lo) * np.clip(ends, 0, 1), lo, hi)


def _sums(x, window):
    """The sums of x - 1/2 and of x(1 - x) - 1/8, in units."""
    x = _grid.on_grid(x, window.unit)
    return np.stack([window.sums(x - 0.5), window.sums(x * (1 - x) - 0.125)])


def _lower_ends(S, Q, *, size, scale, failing):
    """For each S the largest m, to the last halving, against which the capital grows to
    1/failing; or 0."""
    stakes = _stakes(size, scale, failing)
    low, high = np.zeros(np.shape(S)), np.ones(np.shape(S))
    for _ in range(HALVINGS):
        m = (low + high) / 2
        capital = np.logaddexp.reduce(
            [_log_capital(m, S, Q, stake, size=size, scale=scale) for stake in stakes], axis=0)
        refuted = capital - np.log(len(stakes)) >= -np.log(failing)
        low, high = np.where(refuted, m, low), np.where(refuted, high, m)
    return low


def _stakes(size, scale, failing):
    """Stakes for all variances: halved from the largest that the noise allows down to the best one
    for the largest variance, which is 1/4."""
    largest = min(LARGEST_STAKE, STAKE_OF_SCALE / scale)
    least = np.sqrt(8 * np.log(1 / failing) / size)
    return largest * 0.5 ** np.arange(1 + max(0, int(np.log2(largest / least))))


def _log_capital(m, S, Q, stake, *, size, scale):
    """What a bet that the mean is above m has won, less what noise adds on average; it falls as m
    grows."""
    psi = -stake - np.log1p(-stake)
    S = np.minimum(S, size)  # where noise moved it out of its range
    V = np.maximum(S - Q - 2 * m * S + size * m * m, 0)  # of (x - m)²
    moved = scale * (stake - psi * (1 - 2 * m)), scale * psi  # by noise of S, and of Q
    return stake * (S - size * m) - psi * V + sum(np.log1p(-t * t) for t in moved)
