"""How far off a private mean may be, proven before any data are seen; and intervals made of
that."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import ndtri_exp

from dplib import _checks
from dplib._types import ArrayLike, Floats, Generator, Integer, Integers, NDArray, Real, Reals
from dplib.mean.adaptive import (
    FURTHEST,
    adaptive_plan,
    clipped_normal_mean,
    median_failure_bound,
    unclip,
)
from dplib.mean.estimators import two_stage_mean
from dplib.mean.failures import (
    coarse_failure_bound,
    stability_failure_bound,
    three_cells_failure_bound,
)
from dplib.mean.distributions import clip_radius, noise_tail

REACHED = np.geomspace(0.01, FURTHEST, 40)  # candidates for h
# candidates for the part of a probability that goes to the noise
SHARES = np.linspace(0.02, 0.98, 49)[:, np.newaxis]
# candidates for the share of ε that an interval's coarse stage spends
BUDGETS = np.linspace(0.02, 0.98, 49)
CHORDS, LEAST_STEP, TAIL_ACCURACY = 64, 1e-13, 1e-12  # of `_noise_quantile`, and of `noise_tail`
CLIPPED = np.geomspace(1e-4, 0.5, 25)[:, np.newaxis]  # candidates for its β, in units of 1 - level


def clipped_mean_error_bound(
        *, size: Integers, radius: Real, epsilon: Real, beta: Real = 0.01,
        level: Reals = 0.95) -> Floats:
    """How far `clipped_mean` may be from the true mean.

    Parameters
    ----------
    size : int ≥ 1 or array_like, the number n of records, independent N(μ, 1)
    radius, epsilon, beta
        As in `clipped_mean`, or arrays.
    level : float in (0, 1) or array_like
        The probability, over data and noise, with which the bound holds

    Returns
    -------
    float64
        The broadcast shape, t with Pr[|answer - μ| ≤ t] ≥ level for every |μ| ≤ R; inf where
        nothing is proven

    Notes
    -----
    :Error: t solves β + 2 Pr[ξ > t] = 1 - level, ξ as in `noise_tail` with sd = 1/√n and scale 2(R
        + t_n(β))/(nε). It is exceeded with probability at least 1 - level - 2β.
    :References: Theorem *Clipped mean* on the page *The price of a range* (thm-clipped-mean).

    Examples
    --------
    >>> clipped_mean_error_bound(size=1000, radius=[2, 10, 100], epsilon=0.5).round(3)
    array([0.102, 0.194, 1.346])
    """
    beta = _checks.parameters("beta", beta)
    half_width = _checks.parameters("radius", radius) + clip_radius(size=size, beta=beta)
    return _error_bound(
        size, level, beta, _noise_scale(half_width, size, _checks.parameters("epsilon", epsilon))
    )


def two_stage_mean_error_bound(
        *, size: Integers, radius: Real, epsilon: Real, split: Real = 0.5, width: Real = 1.0,
        beta: Real = 0.01, level: Reals = 0.95) -> Floats:
    """How far `two_stage_mean` may be from the true mean.

    Parameters
    ----------
    size, level
        As in `clipped_mean_error_bound`.
    radius, epsilon, split, width, beta
        As in `two_stage_mean`, or arrays.

    Returns
    -------
    float64, the broadcast shape, t as in `clipped_mean_error_bound`

    Notes
    -----
    :Error: t solves F + β + 2 Pr[ξ > t] = 1 - level, F = `coarse_failure_bound` at ε₁, ξ of scale
        2(1.5w + t_n(β))/(nε₂).
    :References: Theorem *Two-stage mean* on the page *First find it, then measure it*
        (thm-two-stage).

    Examples
    --------
    >>> two_stage_mean_error_bound(size=1000, radius=[2, 10, 100], epsilon=0.5).round(3)
    array([0.163, 0.163, 0.163])
    """
    coarse, scale = _two_stages(size, epsilon, split, width, beta)
    failure = coarse_failure_bound(size=size, radius=radius, epsilon=coarse, width=width)
    return _error_bound(size, level, failure + beta, scale)


def unbounded_mean_error_bound(
        *, size: Integers, epsilon: Real, delta: Reals, split: Real = 0.5, width: Real = 1.0,
        beta: Real = 0.01, level: Reals = 0.95) -> Floats:
    """How far `unbounded_mean` may be from the true mean; a refusal counts as infinitely far.

    Parameters
    ----------
    size, epsilon, split, width, beta, level
        As in `two_stage_mean_error_bound`.
    delta : float in (0, 1/2] or array_like

    Returns
    -------
    float64, the broadcast shape, t as in `clipped_mean_error_bound`, for every real μ

    Notes
    -----
    :Error: As in `two_stage_mean_error_bound`, F the smaller of `stability_failure_bound` and
        `three_cells_failure_bound`.
    :References: Theorem *Mean without a range* on the page *A mean from anywhere*
        (thm-unbounded-mean).

    Examples
    --------
    >>> unbounded_mean_error_bound(size=1000, epsilon=1, delta=[1e-9, 1e-6]).round(3)
    array([0.097, 0.097])
    """
    coarse, scale = _two_stages(size, epsilon, split, width, beta)
    stage = {"size": size, "epsilon": coarse, "delta": delta, "width": width}
    failure = np.minimum(stability_failure_bound(**stage), three_cells_failure_bound(**stage))
    return _error_bound(size, level, failure + beta, scale)


def adaptive_mean_error_bound(
        *, size: Integer, radius: Real, epsilon: Real, beta: Real = 0.01,
        level: Real = 0.95) -> float:
    """How far `adaptive_mean` may be from the true mean.

    Parameters
    ----------
    size, radius, epsilon, beta
        As in `adaptive_plan`.
    level : float in (0, 1), the probability with which the bound holds

    Returns
    -------
    float, t as in `clipped_mean_error_bound`, at most 2R

    Notes
    -----
    :Error: The least that the theorems prove, on a grid; 2R where that is nothing, as may be where
        the plan goes over to two stages.
    :Cost: Some twenty to forty evaluations of `median_failure_bound`.
    :References: Theorem *How often the private median is far off* on the page *A centre and a
        narrow clip* (thm-median-failure); theorem *Error of the adaptive mean* on the page *A
        centre and a narrow clip* (thm-adaptive-error).

    Examples
    --------
    >>> [round(adaptive_mean_error_bound(size=1000, radius=R, epsilon=1), 3) for R in (10, 1e6)]
    [0.11, 0.111]
    """
    size = _checks.integer("size", size, at_least=1)
    plan = adaptive_plan(size=size, radius=radius, epsilon=epsilon, beta=beta)
    failing = 1 - _checks.parameter("level", level)
    if plan.stages == 1:
        return _median_quantile(failing, size, float(radius), epsilon)
    # the answer is in [-R, R]
    return min(_corrected_bound(failing, size, radius, plan), 2 * float(radius))


# ------------------------------------------------ a sample mean with Laplace noise, up to a failure


def _error_bound(size, level, failure, scale):
    """What is left of 1 - level after the failures goes to the noise."""
    return _noise_quantile(
        1 - _checks.parameters("level", level) - failure, 1 / np.sqrt(size, dtype=np.float64), scale
    )


def _two_stages(size, epsilon, split, width, beta):
    """What the coarse stage spends, and the scale of the fine stage's noise."""
    epsilon, split = _checks.parameters("epsilon", epsilon), _checks.parameters("split", split)
    with np.errstate(over="ignore"):
        half_width = 1.5 * _checks.parameters("width", width) + clip_radius(size=size, beta=beta)
    return split * epsilon, _noise_scale(half_width, size, (1 - split) * epsilon)


def _noise_scale(half_width, size, epsilon):
    """The scale 2B/(nε) of the noise on a mean of n numbers in [-B, B]."""
    with np.errstate(over="ignore", divide="ignore"):
        return 2 * (half_width / np.asarray(size)) / epsilon


def _noise_quantile(probability, sd, scale):
    """The t with 2 Pr[ξ > t] = probability, rounded up; inf where there is none."""
    # Half of the probability for either part of ξ gives a t beyond it; all of it for the wider
    # part, one short of it. From there on by chords of ln Pr[ξ > t], which is concave: a seventh of
    # the time of scipy.optimize.elementwise.find_root.
    probability, sd, scale = np.broadcast_arrays(probability, sd, scale)
    log_half = np.log(np.where(probability > 0, probability, 0.5) / 2)
    with np.errstate(over="ignore"):
        high = -scale * log_half - sd * ndtri_exp(log_half - np.log(2))
    known = (probability > 0) & np.isfinite(high)
    high, scale = np.where(known, high, 1), np.where(known, scale, 0)
    before = np.maximum(-scale * (log_half + np.log(2)), -sd * ndtri_exp(log_half))
    t = np.minimum(1.01 * before, high)
    with np.errstate(divide="ignore", invalid="ignore"):
        excess = lambda t: np.log(noise_tail(t, sd=sd, scale=scale)) - log_half
        there, here = excess(before), excess(t)
        for _ in range(CHORDS):
            step = here * (t - before) / (there - here)
            moves = known & (np.abs(step) > LEAST_STEP * t)
            if not moves.any():
                break
            before, there = np.where(moves, t, before), np.where(moves, here, there)
            t = np.where(moves, np.clip(t + step, 0, high), t)
            here = excess(t)
        t = t * (1 + TAIL_ACCURACY)
        t = np.where(excess(t) <= TAIL_ACCURACY, t, high)
    return np.where(known, t, np.inf)[()]


# ------------------------------------------------------------------- a median, and a corrected clip


def _median_quantile(failing, n, radius, epsilon):
    """The smallest h with F_med(h) ≤ 1 - level, the upper end of the last bracket; at 2R nothing
    can fail."""
    furthest = min(2 * radius, np.finfo(float).max)
    distance = lambda u: np.minimum(np.expm1(u), furthest)  # R may be 1e-300, or 1e300
    excess = lambda u: (
        median_failure_bound(size=n, accuracy=distance(u), radius=radius, epsilon=epsilon) - failing
    )
    top = np.log1p(furthest)
    if top == 0 or excess(0) <= 0:
        return furthest
    from scipy.optimize.elementwise import find_root
    found = find_root(excess, (0.0, top), tolerances={"xrtol": 1e-9})
    return float(distance(found.bracket[1]))


def _corrected_bound(failing, n, radius, plan):
    """The least g_a⁻¹(g_a(h) + t + 2hλ) - h over h and over the ways to share what F_med(h) leaves
    of 1 - level."""
    a = plan.half_width
    left = failing - median_failure_bound(
        size=n, accuracy=REACHED, radius=radius, epsilon=plan.epsilon_coarse
    )
    h, left = REACHED[left > 0], left[left > 0]
    noise = left * SHARES
    t = _noise_quantile(noise, 1 / np.sqrt(n), 2 * (a / n) / plan.epsilon_fine)
    moved = 2 * h * np.sqrt(np.log(2 / (left - noise)) / (2 * n))
    top = clipped_normal_mean(h, a) + (t + moved).min(axis=0)
    return float((unclip(top, a) - h)[top < clipped_normal_mean(FURTHEST, a)].min(initial=np.inf))


# ---------------------------------------------------------------------------------------- intervals


def mean_interval(
        x: ArrayLike, *, radius: Real, epsilon: Real, level: Real = 0.95, runs: bool = False,
        rng: Generator) -> NDArray[np.float64]:
    """Release an interval that covers the mean of Gaussian records with a promised probability.

    Parameters
    ----------
    x, radius, epsilon, runs, rng
        As in `clipped_mean`.
    level : float in (0, 1), the probability with which the interval covers the mean

    Returns
    -------
    float64, shape (..., 2)
        `two_stage_mean` ± `two_stage_mean_error_bound`, cut off at ±R, with the ``split`` and
        ``beta`` for which that bound is smallest. If it is no smaller than 2R: (-R, R), which is
        then free.

    Notes
    -----
    :Privacy: ε-DP under ``replace``, for finite records, given fair bits.
    :Error: Covers μ with probability at least ``level``, for |μ| ≤ R and independent N(μ, 1)
        records.
    :Cost: That of `two_stage_mean`; 1225 error bounds, once for each combination of n, R, ε and
        level.
    :References: Theorem *A private confidence interval* on the page *Intervals that keep their
        word* (thm-mean-interval); Karwa and Vadhan, *Finite sample differentially private
        confidence intervals* (2018).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(42, 1, size=(2, 1000))
    >>> mean_interval(x, radius=100, epsilon=0.5, runs=True, rng=rng).round(2)
    array([[41.83, 42.04],
           [41.97, 42.18]])
    """
    x = _checks.data_sets("x", x, runs=runs)
    radius = _checks.parameter("radius", radius)
    epsilon, level = _checks.parameter("epsilon", epsilon), _checks.parameter("level", level)
    _checks.generator(rng)
    split, beta, half = _narrowest(x.shape[-1], radius, epsilon, level)
    if half / 2 >= radius:
        _checks.reals("x", x)  # an error is no less of one when the answer does not depend on it
        return np.full((*x.shape[:-1], 2), (0 - radius, radius))
    centre = two_stage_mean(
        x, radius=radius, epsilon=epsilon, split=split, beta=beta, runs=runs, rng=rng
    )
    return np.clip(np.stack([centre - half, centre + half], axis=-1), -radius, radius)


@lru_cache(maxsize=1024)
def _narrowest(size, radius, epsilon, level):
    """The split and the β for which the bound is smallest, and the bound. All of it is public."""
    beta = (1 - level) * CLIPPED
    half = two_stage_mean_error_bound(
        size=size, level=level, radius=radius, epsilon=epsilon, split=BUDGETS, beta=beta
    )
    i, j = np.unravel_index(half.argmin(), half.shape)
    return float(BUDGETS[j]), float(beta[i, 0]), float(half[i, j])
