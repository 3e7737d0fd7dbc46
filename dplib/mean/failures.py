"""How often a coarse stage loses the mean of independent N(μ, 1) records, or the scale: proven
bounds."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import bdtr, bdtrc, erf, ndtr

from dplib import _checks
from dplib._numerics import LARGEST_FLOAT
from dplib._types import Floats, Integers, Reals
from dplib.histograms import stability_threshold

# of μ in its cell; the other half is their mirror image
OFFSETS = np.linspace(0, 0.5, 201)[:, np.newaxis]
WIDEST = 1e300  # wider cells make no difference
NARROWEST = 0.01  # already cells of this width take 10^11 records
REACH = 9.0  # cells farther than this from μ, in standard deviations, are not told apart
OUT_OF_REACH = ndtr(-REACH)  # no less than the mass of any of them, or of all on one side together
MASSES_AT_A_TIME = 1 << 18
TAU = np.linspace(0.02, 0.98, 25)  # candidates for τ = θb
MOST_TRIALS = 2**31 - 1  # of a binomial distribution in SciPy


def coarse_failure_bound(
        *, size: Integers, radius: Reals, epsilon: Reals, width: Reals = 1.0) -> Floats:
    """A bound on the probability that the exponential mechanism over the cells picks a far one.

    Parameters
    ----------
    size : int ≥ 1 or array_like, the number n of records
    radius, epsilon, width : float > 0 or array_like, radius 0 is allowed
        R with |μ| ≤ R and R/w finite; ε₁, what the coarse stage spends; w, the width of a cell in
        standard deviations.

    Returns
    -------
    float64
        The broadcast shape, F ≥ Pr[`two_stage_mean` picks a cell two or more places from that of μ,
        a far one]

    Notes
    -----
    :Error: F is the largest over 401 places of μ in its cell; cells beyond 9 standard deviations
        count with mass Q(9); 1 for w < 0.01. For ε₁ ≤ 0.1 and μ = R ≥ 1000 the true failure is 0.67
        to 0.78 of F near 0.25, 0.9 to 1 of F near 0.01.
    :Cost: O(1 + 1/w) for each place.
    :References: Theorem *Failure of the coarse stage* on the page *First find it, then measure it*
        (thm-coarse-failure).

    Examples
    --------
    >>> coarse_failure_bound(size=468, radius=[10, 1e3, 1e6], epsilon=0.25).round(6)
    array([3.000e-05, 3.900e-05, 9.599e-03])
    """
    size = _checks.integers("size", size, at_least=1)
    radius = _checks.parameters("radius", radius)
    epsilon = _checks.parameters("epsilon", epsilon)
    width = _checks.parameters("width", width)
    with np.errstate(over="ignore"):
        half = np.maximum(np.ceil(_checks.reals("radius / width", radius / width)), 1)
        far = np.minimum(2 * (half - 1), LARGEST_FLOAT)
    return _worst_offset(_exponential_failure, width, size, epsilon, far)


def _exponential_failure(here, beside, there, size, epsilon, far):
    """Σ min_θ [1 + p_k (e^θ - 1) - p⋆ (1 - e^-θ)]^n over ``far`` cells; the last p_k stands for all
    unlisted ones."""
    # θ is the smaller of ε/2 and ln(p⋆/p_k)/2, which no setting changes, as below 40 in any case
    most = np.minimum(epsilon / 2, 40)
    up = np.minimum(np.expm1(most), np.sqrt(here / there) - 1)
    down = np.maximum(np.expm1(-most), np.sqrt(there / here) - 1)
    logs = size * np.log1p(there * up + here * down)
    listed = there.shape[-1] - 1
    cells = np.concatenate(
        [np.clip(far - np.arange(listed), 0, 1), np.maximum(far - listed, 0)], axis=-1
    )
    return (cells * np.exp(logs)).sum(axis=-1)


def stability_failure_bound(
        *, size: Integers, epsilon: Reals, delta: Reals, width: Reals = 1.0) -> Floats:
    """A bound on the probability that the stability histogram of the cells releases nothing, or a
    far cell first.

    Parameters
    ----------
    size, epsilon, width
        As in `coarse_failure_bound`.
    delta : float in (0, 1/2] or array_like

    Returns
    -------
    float64
        The broadcast shape, F ≥ Pr[`unbounded_mean` refuses, or picks a far cell], for every real μ

    Notes
    -----
    :Error: F is the largest over the same places as in `coarse_failure_bound`.
    :Cost: As `coarse_failure_bound`, times twenty bisections.
    :References: Theorem *Failure of the stability histogram* on the page *A mean from anywhere*
        (thm-stability-failure).

    Examples
    --------
    >>> stability_failure_bound(size=494, epsilon=0.25, delta=[1e-4, 1e-6, 1e-9]).round(6)
    array([0.001029, 0.009492, 0.894611])
    """
    settings = _stability_settings(size, epsilon, delta)
    return _worst_offset(_cells_failure, _checks.parameters("width", width), *settings)


def _cells_failure(here, beside, there, *settings):
    """The failure at each offset, the unlisted cells on both sides included."""
    return _stability_failure(here, there[:, :-1], 2 * OUT_OF_REACH, *settings)


def three_cells_failure_bound(
        *, size: Integers, epsilon: Reals, delta: Reals, width: Reals = 1.0) -> Floats:
    """The failures that `stability_failure_bound` bounds, bounded more closely.

    Parameters
    ----------
    size, epsilon, delta, width
        As in `stability_failure_bound`.

    Returns
    -------
    float64, the broadcast shape, F as in `stability_failure_bound`

    Notes
    -----
    :Error: F as there, near the worst of every tenth place. For w = 1, ε₁ ≤ 0.25, F ≈ 0.01 the true
        failure is 0.45 F or more.
    :Cost: As `stability_failure_bound`, times two.
    :References: Proposition *Three cells* on the page *A mean from anywhere* (prop-three-cells).

    Examples
    --------
    >>> three_cells_failure_bound(size=494, epsilon=0.25, delta=[1e-4, 1e-6, 1e-9]).round(6)
    array([4.9000e-05, 4.9000e-05, 9.2504e-02])
    """
    settings = _stability_settings(size, epsilon, delta)
    return _worst_offset(_three_cells_failure, _checks.parameters("width", width), *settings)


def _three_cells_failure(here, beside, there, *settings):
    """Dear: at every tenth offset, and then at all around the worst of these."""
    at = lambda places: _silent_or_beaten(
        here[places], beside[places], there[places, :-1], *settings
    )
    every_tenth = at(slice(None, None, 10))
    near = np.unique(10 * every_tenth.argmax(axis=-1)[:, np.newaxis] + np.arange(-9, 10))
    return np.append(every_tenth, at(near[(near >= 0) & (near < len(here))]), axis=-1)


def _silent_or_beaten(here, beside, there, size, scale, threshold):
    """All three near cells are silent, or the cell of μ is empty, or a far cell is released and
    beats it."""
    silent = _unreleased(np.append(here, beside, axis=-1), size, scale, threshold)[1].prod(axis=-1)
    empty = np.exp(size * np.log1p(-here))[..., 0]
    released = 1 - _unreleased(there, size, scale, threshold)[0]
    far = np.minimum(released, _beaten(here, there, size, scale)).sum(axis=-1)
    return silent + empty + far + 2 * OUT_OF_REACH * size[..., 0]


def _unreleased(p, size, b, T):
    """The probability that a cell of mass p is not released, once no larger and once no smaller
    than it is."""
    # The two differ where a probability is too small for a float and its factor too large, or where
    # SciPy has no binomial distribution.
    n = np.minimum(size, MOST_TRIALS)  # with more records the cell is released more often
    few = np.minimum(np.ceil(T) - 1, n)
    with np.errstate(over="ignore", invalid="ignore"):
        up, down = np.log1p(p * np.expm1(1 / b)), np.log1p(p * np.expm1(-1 / b))
        below, above = bdtr(few, n, p), bdtrc(few, n, p)
        low = np.minimum(np.exp(n * up - T / b) * bdtr(few, n, p * np.exp(1 / b - up)), below)
        high = np.minimum(
            np.exp(n * down + T / b) * bdtrc(few, n, p * np.exp(-1 / b - down)), above
        )
        empty = np.exp(n * np.log1p(-p) - T / b)
    least = below - np.where(low > 0, low, below) / 2 + np.nan_to_num(high) / 2 + empty / 2
    most = below - np.nan_to_num(low) / 2 + np.fmin(high, above) / 2 + empty / 2
    return np.where(size > n, 0, least), most


def _beaten(here, there, n, b):
    """How often a far count with its noise can reach that of the cell of μ: Pr[Z - Z' ≥ x] ≤ C(τ)
    e^(-τx/b)."""
    least = np.inf
    for tau in TAU:
        tau = tau * np.minimum(1, 30 * b)  # θ ≤ 30: beyond that nothing is gained
        moments = np.log1p(there * np.expm1(tau / b) + here * np.expm1(-tau / b))
        factor = np.where(tau < 0.5, 1, np.exp(1 - 2 * tau) / (4 * (1 - tau)))
        least = np.minimum(least, factor * np.exp(np.minimum(n * moments, 1)))
    return least


def scale_failure_bound(*, size: Integers, epsilon: Reals, delta: Reals) -> Floats:
    """A bound on the probability that the octaves of differences name no scale, or a wrong one.

    Parameters
    ----------
    size : int ≥ 1 or array_like, the number n of records, in ⌊n/2⌋ pairs
    epsilon, delta : float > 0 or array_like, δ ≤ 1/2

    Returns
    -------
    float64
        The broadcast shape, F ≥ Pr[`private_scale` refuses, or is not in (σ, 8σ]], for every μ and
        σ

    Notes
    -----
    :Error: F is the largest over 401 places of σ in its octave. With F near 0.2 the true failure is
        between F/140 and F/15.
    :References: Theorem *A scale out of nowhere* on the page *Intervals that keep their word*
        (thm-private-scale).

    Examples
    --------
    >>> scale_failure_bound(size=[400, 800, 1200], epsilon=0.5, delta=1e-6).round(4)
    array([1.    , 0.0216, 0.0018])
    """
    records, scale, threshold = _stability_settings(size, epsilon, delta)
    settings = np.broadcast_arrays(records // 2, scale, threshold)
    worst = np.empty(settings[0].shape)
    for place, setting in enumerate(zip(*map(np.ravel, settings))):
        columns = [np.reshape(number, (1, 1)) for number in setting]
        worst.flat[place] = _stability_failure(*OCTAVES, *columns).max()
    return np.minimum(worst, 1)[()]


def _octave_masses(lowest=-60, highest=6):
    """Of the fullest right octave (places, 1), of the wrong ones (places, octaves), and of all that
    are not listed."""
    # σ is 2^u in units of its octave, and the octave k away holds the pairs with 2^k ≤ 2^u |Z| <
    # 2^(k + 1).
    u, k = np.linspace(0, 1, 401)[:, np.newaxis], np.arange(lowest, highest + 1)
    low, high = 2.0 ** (k - u), 2.0 ** (k + 1 - u)
    # far out the tails are told apart better than the cores
    near = erf(high / np.sqrt(2)) - erf(low / np.sqrt(2))
    masses = np.where(k < 0, near, 2 * (ndtr(-low) - ndtr(-high)))
    right = np.abs(k) <= 1
    return (
        masses[:, right].max(axis=1, keepdims=True),
        masses[:, ~right],
        2.0**lowest + 2 * ndtr(-(2.0**highest)),
    )


OCTAVES = _octave_masses()


def _stability_settings(size, epsilon, delta):
    """n, b and T of a stability histogram."""
    size = _checks.integers("size", size, at_least=1)
    epsilon = _checks.parameters("epsilon", epsilon)
    delta = _checks.parameters("delta", delta, at_most=0.5)
    one = lambda epsilon, delta: stability_threshold(
        epsilon=epsilon, delta=delta, neighbor="replace", noise="laplace"
    )
    threshold = np.vectorize(one, otypes=[float])(epsilon, delta)
    return size, 2 / epsilon, threshold


def _stability_failure(here, there, unlisted, size, scale, threshold):
    """The right cell is not released, or a wrong one is occupied and beats it, or a cell that is
    not listed is occupied."""
    unreleased = np.exp(_least_exponent(here, 0, size, scale, threshold, 1))[..., 0]
    beaten = np.exp(_least_exponent(here, there, size, scale, 0, 2))
    occupied = -np.expm1(size * np.log1p(-there))
    return unreleased + np.minimum(occupied, beaten).sum(axis=-1) + unlisted * size[..., 0]


def _least_exponent(here, there, size, scale, shift, noises):
    """The least value over 0 < θ < 1/b of θ shift + n ln(1 + p_k (e^θ - 1) - p⋆ (1 - e^-θ)) -
    noises ln(1 - θ² b²)."""
    # The function is convex: bisection for the sign of its slope. Every θ gives a valid bound, so
    # no accuracy is owed, and twenty steps on a whole array take a third of the time of
    # scipy.optimize.elementwise.find_root.
    low, high = np.zeros((2, *np.broadcast_shapes(*map(np.shape, (here, there, size, scale)))))
    high += np.minimum(1, 30 * scale)  # θ ≤ 30: beyond that nothing is gained
    elsewhere = np.maximum(1 - here - there, 0)
    for _ in range(20):
        middle = (low + high) / 2  # θ b
        up, down = there * np.exp(middle / scale), here * np.exp(-middle / scale)
        slope = shift + size * (up - down) / (elsewhere + up + down)
        falls = slope + 2 * noises * scale * middle / (1 - middle**2) < 0
        low, high = np.where(falls, middle, low), np.where(falls, high, middle)
    moments = np.log1p(there * np.expm1(low / scale) + here * np.expm1(-low / scale))
    return shift * low / scale + size * moments - noises * np.log1p(-(low**2))


def _worst_offset(failure, width, *settings):
    """The largest failure over the offsets of μ, for each setting, in parts that fit the cache."""
    width, *settings = np.broadcast_arrays(np.minimum(width, WIDEST), *settings)
    worst = np.ones(width.shape)
    for each in np.unique(width[width >= NARROWEST]):
        masses = _masses(each)
        chosen = np.flatnonzero(width.ravel() == each)
        for part in np.array_split(chosen, 1 + chosen.size * masses[-1].size // MASSES_AT_A_TIME):
            columns = [setting.ravel()[part][:, np.newaxis, np.newaxis] for setting in settings]
            worst.flat[part] = failure(*masses, *columns).max(axis=-1)
    return np.minimum(worst, 1)[()]


@lru_cache(maxsize=16)
def _masses(width):
    """Masses at every offset: p⋆, of the two cells beside, p_k of the far cells (the fullest first,
    then for the rest)."""
    # By symmetry, offsets u from 0 to 1/2 are enough.
    start = width * OFFSETS
    here = ndtr(width - start) - ndtr(-start)
    beside = ndtr(np.append(-start, 2 * width - start, axis=-1)) - ndtr(
        np.append(-width - start, width - start, axis=-1)
    )
    # of a cell's lower end from the lower end of the cell of μ
    away = width * np.arange(2, 2 + np.ceil(REACH / width))
    near_edge = np.concatenate([away - start, away - width + start], axis=-1)
    there = ndtr(-near_edge) - ndtr(-near_edge - width)
    there = -np.sort(-there, axis=-1)
    return (
        here,
        beside,
        np.append(np.maximum(there, OUT_OF_REACH), np.full_like(start, OUT_OF_REACH), axis=-1),
    )
