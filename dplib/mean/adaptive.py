"""A pure-DP Gaussian mean whose error hardly depends on the radius: a narrow clip around a private
median."""

from __future__ import annotations

from dataclasses import dataclass
from math import frexp, ldexp

import numpy as np
from scipy.special import log_ndtr, ndtr

from dplib import _checks, _grid
from dplib._sums import Tally
from dplib._types import ArrayLike, Floats, Generator, Integer, Integers, Real, Reals
from dplib.mean.estimators import SORTED_NUMBERS, rows_of_runs

DIGITS = 61  # of the radius, on the grid of which a centre is chosen
FURTHEST = 3.0  # the centre is corrected by at most this much
CORE = 8.0  # beyond this distance from μ only the length of [-R, R] matters
NODES, WEIGHTS = np.polynomial.legendre.leggauss(10)
DENSITY = 1 / np.sqrt(2 * np.pi)  # φ(0)


@dataclass(frozen=True)
class AdaptivePlan:
    """How `adaptive_mean` spends its budget. The data have no part in it.

    Attributes
    ----------
    stages : int, 1 if the private median is the answer, 2 if a clipped mean around it is
    epsilon_coarse, epsilon_fine, half_width : float
        The budgets ε₁ of the median and ε₂ of the clipped mean, half the width a of the clip; 0
        where there is none."""

    stages: int
    epsilon_coarse: float
    epsilon_fine: float
    half_width: float


def adaptive_plan(*, size: Integer, radius: Real, epsilon: Real, beta: Real = 0.01) -> AdaptivePlan:
    """Decide in public how `adaptive_mean` will spend its budget.

    Parameters
    ----------
    size : int ≥ 1, the number n of records
    radius, epsilon
        As in `clipped_mean`.
    beta : float in (0, 1)
        The probability of a lost centre to aim at; no guarantee of privacy depends on it

    Returns
    -------
    AdaptivePlan
        ε₁ = max(min(ε/10, 8/√n), τ/n), τ = 4 ln(1.085 R τ/β), a = max(.5, .34 ln(1 + n ε₂²/3)). Two
        stages if ε₁ < ε and their first-order variance is below that of the median with all of ε.

    Notes
    -----
    :References: Theorem *The adaptive mean is private* on the page *A centre and a narrow clip*
        (thm-adaptive-privacy).

    Examples
    --------
    >>> adaptive_plan(size=1000, radius=1000, epsilon=1)
    AdaptivePlan(stages=2, epsilon_coarse=0.1, epsilon_fine=0.9, half_width=1.9047203990990984)
    >>> adaptive_plan(size=1000, radius=1000, epsilon=0.1)
    AdaptivePlan(stages=1, epsilon_coarse=0.1, epsilon_fine=0.0, half_width=0.0)
    """
    n = _checks.integer("size", size, at_least=1)
    need = _centre_needs(_checks.parameter("radius", radius), _checks.parameter("beta", beta))
    epsilon = _checks.parameter("epsilon", epsilon)
    coarse = max(min(epsilon / 10, 8 / float(np.sqrt(n))), need / n)
    if coarse < epsilon:
        fine = epsilon - coarse
        half_width = max(0.5, 0.34 * float(np.logaddexp(0, np.log(n / 3) + 2 * np.log(fine))))
        if _two_stage_variance(n, fine, half_width) < _median_variance(n, epsilon):
            return AdaptivePlan(2, coarse, fine, half_width)
    return AdaptivePlan(1, epsilon, 0.0, 0.0)


def _centre_needs(radius, beta):
    """The larger solution x of x = 4 ln(1.085 R x/β)."""
    # With y = x/4 it reads y = s + ln y, where s = ln(4.34 R/β). From y = s the iteration climbs to
    # the larger solution; for s ≥ 2 each step halves what is missing, at least. A smaller s means a
    # radius below 2β, and counts as 2.
    start = 2.0 if radius == 0 else max(2.0, float(np.log(4.34) + np.log(radius) - np.log(beta)))
    y = start
    for _ in range(40):
        y = start + float(np.log(y))
    return 4 * y


def _two_stage_variance(n, epsilon, a):
    """Of the clipped mean around μ, divided by the slope of g_a there."""
    q = 2 * ndtr(-a)
    kept = 1 - q - 2 * a * np.exp(-(a**2) / 2) * DENSITY + a**2 * q
    return (kept / n + 8 * (a / n / epsilon) ** 2) / (1 - q) ** 2


def _median_variance(n, epsilon):
    """Of the sample median, and of the exponential mechanism where N_z rises by n φ(0) per unit."""
    with np.errstate(over="ignore"):
        return np.pi / (2 * n) + 2 * np.square(2 / DENSITY / n / epsilon)


def adaptive_mean(
        x: ArrayLike, *, radius: Real, epsilon: Real, beta: Real = 0.01, runs: bool = False,
        rng: Generator) -> Floats:
    """Release the mean of Gaussian records with an error that hardly depends on the radius.

    Parameters
    ----------
    x, radius, epsilon, runs, rng
        As in `clipped_mean`.
    beta
        As in `adaptive_plan`.

    Returns
    -------
    float64, shape (...)
        In [-R, R], by `adaptive_plan`: c, drawn from the density ∝ exp(-(ε₁/2)|N_z - n/2|) on [-R,
        R], N_z the number of records ≤ z, on a grid of R/2**60; or, with two stages, c + `unclip`
        of the mean of clip(x - c, -a, a) with Lap(2a/(n ε₂)) added to it, held within ±R.

    Notes
    -----
    :Privacy: ε-DP under ``replace``, for finite records, given fair bits.
    :Error: `adaptive_mean_error_bound`, for independent N(μ, 1) records. On other data the answer
        need be neither their mean nor their median nor between the two.
    :Cost: One sort of each data set, and a copy of it as float64.
    :References: Theorem *The adaptive mean is private* on the page *A centre and a narrow clip*
        (thm-adaptive-privacy); theorem *Error of the adaptive mean* on the page *A centre and a
        narrow clip* (thm-adaptive-error); Smith, *Privacy-preserving statistical estimation with
        optimal convergence rates* (2011), for the private median.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(271_828, 1, size=(3, 1000))
    >>> adaptive_mean(x, radius=1e6, epsilon=1, runs=True, rng=rng).round(2)
    array([271827.94, 271828.04, 271828.02])
    """
    rows, shape = rows_of_runs(_checks.reals("x", x), runs)
    n = rows.shape[1]
    plan = adaptive_plan(size=n, radius=radius, epsilon=epsilon, beta=beta)
    _grid.for_weights(plan.epsilon_coarse)
    _checks.generator(rng)
    answers = np.empty(len(rows))
    height = max(1, SORTED_NUMBERS // n)
    for top in range(0, len(rows), height):
        block = np.sort(rows[top:top + height], axis=1)
        answers[top:top + height] = _answers(block, plan, float(radius), rng)
    return answers.reshape(shape)[()]


def _answers(ordered, plan, radius, rng):
    """One answer per row of sorted records, which are overwritten."""
    centre = _private_median(ordered, radius, plan.epsilon_coarse, rng)
    if plan.stages == 1:
        return centre
    window = Tally.of(ordered.shape[1], plan.half_width)
    with np.errstate(over="ignore"):  # what is too far away is clipped
        ordered -= centre[:, np.newaxis]
    seen = window.noisy_mean(window.sums(ordered), plan.epsilon_fine, rng)
    return np.clip(centre + unclip(seen, plan.half_width), -radius, radius)


def _private_median(ordered, radius, epsilon, rng):
    """One point per row, drawn from the density ∝ exp(-(ε/2)|N_z - n/2|) on a grid of [-R, R]."""
    # N_z is constant between consecutive records: draw one of the n + 1 runs of grid points, then a
    # point of it. Weights are taken relative to the best run that has a point, so that there is one
    # that no ε, however large, destroys.
    if radius == 0:
        return np.zeros(len(ordered))
    n, step = ordered.shape[1], ldexp(1, max(frexp(radius)[1] - DIGITS, -1074))
    with np.errstate(over="ignore"):
        places = np.rint(np.clip(ordered, -radius, radius) / step).astype(np.int64)
    last = round(radius / step)
    ends = np.pad(places, [(0, 0), (1, 1)], constant_values=[(0, 0), (-last, last)])
    length, loss = np.diff(ends), np.abs(np.arange(n + 1) - n / 2)
    best = np.where(length > 0, loss, np.inf).min(axis=1, keepdims=True)
    with np.errstate(over="ignore", divide="ignore"):
        log_weights = np.log(length) - _grid.for_weights(epsilon) / 2 * np.maximum(loss - best, 0)
    log_weights -= log_weights.max(axis=1, keepdims=True)
    run, chosen = np.arange(len(ends)), _grid.noisy_log_weights(log_weights, rng).argmax(axis=1)
    with np.errstate(over="ignore"):  # at the end of the floats
        return np.clip(
            (ends[run, chosen] + _grid.uniform(length[run, chosen], rng)) * step, -radius, radius
        )


# ----------------------------------------------------------------------- what a clip does to a mean


def clipped_normal_mean(offset: Reals, half_width: Reals) -> Floats:
    """What a clip shows of a distance: g_a(d) = E clip(N(d, 1), -a, a).

    Parameters
    ----------
    offset, half_width : float or array_like
        d, in standard deviations, and a ≥ 0, half the width of the window

    Returns
    -------
    float64, the broadcast shape, g_a(d), odd in d, increasing, with slope Φ(d + a) - Φ(d - a)

    Notes
    -----
    :Error: About 1e-16 · max(1, min(d, a)).
    :References: Lemma *What a clip sees* on the page *A centre and a narrow clip* (lem-clip-mean).

    Examples
    --------
    >>> clipped_normal_mean([0, 0.5, 1, 10], 2).round(3)
    array([0.   , 0.473, 0.917, 2.   ])
    """
    offset = _checks.reals("offset", offset)
    half_width = _checks.parameters("half_width", half_width)
    return np.copysign(_clipped_mean(np.abs(offset), half_width), offset)


def _clipped_mean(d, a):
    """g_a(d) for d ≥ 0."""
    with np.errstate(over="ignore"):  # a sum of d and a beyond all floats is as far as 40
        return np.minimum(d, a) - _mean_excess(np.abs(d - a)) + _mean_excess(d + a)


def _mean_excess(t):
    """H(t) for t ≥ 0; H(40) is 0 to 300 digits."""
    t = np.minimum(t, 40)
    return np.exp(-(t**2) / 2) * DENSITY - t * ndtr(-t)


def unclip(seen: Reals, half_width: Real) -> Floats:
    """Undo the bias of a clip: the distance at which a clipped mean would be, on average, what was
    seen.

    Parameters
    ----------
    seen : float or array_like, a mean of clipped records, with noise or without
    half_width : float ≥ 0.001, a, half the width of the window

    Returns
    -------
    float64
        The shape of ``seen``, the d in [-3, 3] at which `clipped_normal_mean` comes closest to
        ``seen``

    Notes
    -----
    :Error: Rounding moves d by at most 1e-16 divided by the slope of g_a at d: 1e-10 in the worst
        case, 1e-14 for a ≥ 0.5.
    :References: Lemma *What a clip sees* on the page *A centre and a narrow clip* (lem-clip-mean).

    Examples
    --------
    >>> unclip([-0.473, 0.917, 2], 2).round(2)
    array([-0.5,  1. ,  3. ])
    """
    seen = _checks.reals("seen", seen)
    a = _checks.parameter("half_width", half_width, at_least=1e-3)
    goal = np.minimum(np.abs(seen), _clipped_mean(FURTHEST, a))
    offset = np.zeros_like(goal)
    # Newton climbs to the solution of a concave function, five times as fast as find_root
    for _ in range(100):
        step = (goal - _clipped_mean(offset, a)) / (ndtr(offset + a) - ndtr(offset - a))
        offset = np.clip(offset + step, 0, FURTHEST)
        if np.all(np.abs(step) < 1e-12):
            break
    return np.copysign(offset, seen)


# ------------------------------------------------------------------------ how far off the centre is


def median_failure_bound(
        *, size: Integers, radius: Reals, accuracy: Reals, epsilon: Reals) -> Floats:
    """A bound on the probability that the private median of Gaussian records misses their mean by
    more than the accuracy.

    Parameters
    ----------
    size : int ≥ 1 or array_like, the number n of records, independent N(μ, 1) with |μ| ≤ R
    radius, accuracy, epsilon : float ≥ 0 or array_like, ε > 0
        R, the centre being drawn from [-R, R]; h, how far it may be from the mean; what the median
        spends.

    Returns
    -------
    float64, the broadcast shape, F_med(h) of the theorem, at most 1, and 0 for h ≥ 2R

    Notes
    -----
    :Error: Quadrature to about nine digits; h₀ is the best of twenty-four candidates, each of which
        gives a valid bound.
    :Cost: Some 60,000 evaluations of the integrand for each entry of the result.
    :References: Theorem *How often the private median is far off* on the page *A centre and a
        narrow clip* (thm-median-failure).

    Examples
    --------
    >>> median_failure_bound(size=1000, radius=1e6, accuracy=[0.1, 0.2, 0.3], epsilon=0.1).round(3)
    array([0.657, 0.094, 0.016])
    """
    n = _checks.integers("size", size, at_least=1)
    h = _checks.parameters("accuracy", accuracy, or_zero=True)
    radius = _checks.parameters("radius", radius)
    epsilon = _checks.parameters("epsilon", epsilon)
    return np.vectorize(_failure, otypes=[np.float64])(n.astype(np.float64), h, radius, epsilon)[()]


def _failure(n, h, radius, epsilon):
    """F_med(h) for one setting."""
    if h == 0 or h / 2 >= radius:
        return float(h / 2 < radius)
    theta, core = epsilon / 2, max(h, CORE)
    with np.errstate(divide="ignore", over="ignore"):
        # candidates for h₀
        spans = np.minimum(h, np.geomspace(0.5, 40, 24) / (n * DENSITY * -np.expm1(-theta)))
        start = (spans[:, np.newaxis] * (1 + NODES) / 2)[..., np.newaxis]
        z, log_length = _tail(h, core, radius)
        near, lost = ndtr(-start), -np.expm1(-theta)
        up = np.exp(log_ndtr(-z) + theta) * lost  # (1 - Φ(z)) (e^θ - 1)
        log_ratio = np.logaddexp(
            n * np.log1p((ndtr(-z) - near) * lost), n * np.log1p(up - (1 - near) * lost)
        )
        averages = np.exp(np.minimum(log_ratio, 2000) + log_length) * (WEIGHTS / 2)[:, np.newaxis]
        return min(1.0, float((averages.sum(axis=(1, 2)) / spans).min()))


def _tail(h, core, radius):
    """Points z, and the logarithms of lengths."""
    # Both sides of μ from h to the core, in panels that shrink towards h, and 2R for the rest.
    right = h + (core - h) * 0.25 ** np.arange(26)
    left = np.append(right[1:], h)
    half = (right - left)[:, np.newaxis] / 2
    z = (left + right)[:, np.newaxis] / 2 + half * NODES
    log_length = np.append(np.log(2 * half * WEIGHTS).ravel(), np.log(2) + np.log(radius))
    return np.append(z.ravel(), core), log_length
