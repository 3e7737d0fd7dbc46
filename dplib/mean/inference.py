"""How far off a private mean may be, proven before any data are seen; and intervals made of that.

Symbols
-------
level
    The probability with which a bound or an interval holds.
ξ
    The error of the sample mean with Laplace noise on top of it, as in `noise_tail`.
t_n(β)
    `clip_radius`.
F
    The probability that a coarse stage fails: `coarse_failure_bound`, `stability_failure_bound`,
    `median_failure_bound`.
β
    The probability that some record is clipped, ``beta``.
a, g_a
    As in `dplib.mean.adaptive`.
h, λ
    How far its centre may be off, and the empirical distribution function of the data.
"""

from functools import lru_cache

import numpy as np
from scipy.special import ndtri_exp

from dplib import _checks
from dplib.mean.adaptive import (
    FURTHEST,
    adaptive_mean,
    adaptive_plan,
    clipped_normal_mean,
    median_failure_bound,
    unclip,
)
from dplib.mean.estimators import clipped_mean, two_stage_mean, unbounded_mean
from dplib.mean.failures import coarse_failure_bound, stability_failure_bound, three_cells_failure_bound
from dplib.mean.laws import clip_radius, noise_tail

BISECTIONS = 60
REACHED = np.geomspace(0.01, FURTHEST, 40)  # candidates for h
SHARES = np.linspace(0.02, 0.98, 49)[:, np.newaxis]  # candidates for the part of a probability that goes to the noise
BUDGETS = np.linspace(0.02, 0.98, 49)  # candidates for the share of ε that an interval's coarse stage spends
CLIPPED = np.geomspace(1e-4, 0.5, 25)[:, np.newaxis]  # candidates for its β, in units of 1 - level


def error_bound(estimator, *, size, level=0.95, **public):
    """The smallest distance from the true mean within which a private mean is proven to lie.

    Parameters
    ----------
    estimator : function
        `clipped_mean`, `two_stage_mean`, `unbounded_mean` or `adaptive_mean`.
    size : int ≥ 1 or array_like
        The number n of records.
    level : float in (0, 1) or array_like
    **public
        What the estimator itself is called with, without x and rng. Numbers or arrays, broadcast together and with
        ``size`` and ``level``; for `adaptive_mean` single numbers only.

    Returns
    -------
    float64, the broadcast shape
        t with Pr[|answer - μ| ≤ t] ≥ level, in standard deviations of the records; inf where nothing is proven.

    Error
    -----
    A promise about n independent N(μ, 1) records with |μ| ≤ R (any μ for `unbounded_mean`), over the data and the
    noise. The first three solve F + β + 2 Pr[ξ > t] = 1 - level with sd = 1/√n and the Laplace scale of the last stage
    (F = 0 for `clipped_mean`): outside events of probability F + β the answer is the sample mean with Laplace noise.
    `adaptive_mean`: with one stage, the smallest h with F_med(h) ≤ 1 - level; with two, the smallest
    g_a^-1(g_a(h) + t + 2hλ) - h with F_med(h) + 2 Pr[ξ > t] + 2 e^(-2nλ²) = 1 - level, and never more than 2R.
    Not always smaller for a larger ε: where the plan goes over from one stage to two, F_med(3) at the smaller ε₁ may leave
    nothing to prove, and the bound is 2R.

    Cost
    ----
    Sixty evaluations of `noise_tail`; some 100 ms for `adaptive_mean`. No data.

    Raises
    ------
    ValueError
        If the estimator is none of these or a parameter is out of range.

    References
    ----------
    thm-clipped-mean, thm-two-stage, thm-unbounded-mean, thm-median-failure, thm-adaptive-error; Karwa and Vadhan,
    "Finite sample differentially private confidence intervals" (2018).

    Examples
    --------
    What knowing only that |μ| ≤ R costs, with one stage and with two:

    >>> error_bound(clipped_mean, size=1000, radius=[2, 10, 100], epsilon=0.5).round(3)
    array([0.102, 0.194, 1.346])
    >>> error_bound(two_stage_mean, size=1000, radius=[2, 10, 100], epsilon=0.5).round(3)
    array([0.163, 0.163, 0.163])
    """
    if estimator is adaptive_mean:
        return _adaptive_bound(size, level, **public)
    laws = {clipped_mean: _clipped_law, two_stage_mean: _two_stage_law, unbounded_mean: _unbounded_law}
    law = next((law for known, law in laws.items() if known is estimator), None)
    if law is None:
        names = ", ".join(known.__name__ for known in [*laws, adaptive_mean])
        raise ValueError(f"estimator must be one of {names}, got {estimator!r}")
    size = _checks.integers("size", size, at_least=1, at_most=2**62)
    level = _checks.reals("level", level, above=0, below=1)
    failure, scale = law(size, **public)
    return _noise_quantile(1 - level - failure, 1 / np.sqrt(size, dtype=np.float64), scale)


def least_size(enough, *, at_least=1, at_most=2**53):
    """How many records are enough: the least size at which a condition holds that, once true, stays true.

    Parameters
    ----------
    enough : function
        Takes a size, an int64 or an array of them, and returns whether it is enough: a truth value, or an array of them
        for as many questions at once.
    at_least, at_most : int, 0 ≤ at_least ≤ at_most < 2**61
        Where to look.

    Returns
    -------
    int64, the shape of what ``enough`` returns
        As in bisection: at_most + 1 where not even ``at_most`` is enough.

    Cost
    ----
    About 2 log₂ of the largest answer calls of ``enough``: sizes are doubled, then bisected.

    Raises
    ------
    ValueError
        If a limit is out of range.

    References
    ----------
    thm-two-stage.

    Examples
    --------
    Within 0.1 of the mean in 95 of 100 runs, with one stage and with two:

    >>> R = np.array([10, 100])
    >>> least_size(lambda n: error_bound(clipped_mean, size=n, radius=R, epsilon=1) <= 0.1)
    array([1124, 6913])
    >>> least_size(lambda n: error_bound(two_stage_mean, size=n, radius=R, epsilon=1) <= 0.1)
    array([963, 963])
    """
    first = _checks.integer("at_least", at_least, at_least=0, at_most=2**61 - 1)
    last = _checks.integer("at_most", at_most, at_least=first, at_most=2**61 - 1)
    ask = lambda size: np.asarray(enough(size[()]))
    good = ask(np.int64(first))
    low, high = np.full(good.shape, first - 1), np.full(good.shape, first)
    while np.any(late := ~good & (high < last)):
        low, high = np.where(late, high, low), np.where(late, np.clip(2 * high, 1, last), high)
        good = ask(high)
    low, high = np.where(good, low, last), np.where(good, high, last + 1)
    while np.any(high - low > 1):
        middle = np.minimum(low + (high - low + 1) // 2, last)
        good = ask(middle)
        low, high = np.where(good, low, middle), np.where(good, middle, high)
    return high[()]


# -------------------------------------------------------------------- a sample mean with Laplace noise, up to a failure


def _clipped_law(size, *, radius, epsilon, beta=0.01):
    """The probability that the answer is not x̄ + Lap(scale), and that scale."""
    half_width = _checks.reals("radius", radius, at_least=0) + clip_radius(size=size, beta=beta)
    return beta, _noise_scale(half_width, size, _checks.reals("epsilon", epsilon, above=0))


def _two_stage_law(size, *, radius, epsilon, split=0.5, width=1.0, beta=0.01):
    coarse, scale = _two_stages(size, epsilon, split, width, beta)
    return coarse_failure_bound(size=size, radius=radius, epsilon=coarse, width=width) + beta, scale


def _unbounded_law(size, *, epsilon, delta, split=0.5, width=1.0, beta=0.01):
    coarse, scale = _two_stages(size, epsilon, split, width, beta)
    stage = {"size": size, "epsilon": coarse, "delta": delta, "width": width}
    return np.minimum(stability_failure_bound(**stage), three_cells_failure_bound(**stage)) + beta, scale


def _two_stages(size, epsilon, split, width, beta):
    """What the coarse stage spends, and the scale of the fine stage's noise."""
    epsilon = _checks.reals("epsilon", epsilon, above=0)
    split = _checks.reals("split", split, above=0, below=1)
    with np.errstate(over="ignore"):
        half_width = 1.5 * _checks.reals("width", width, above=0) + clip_radius(size=size, beta=beta)
    return split * epsilon, _noise_scale(half_width, size, (1 - split) * epsilon)


def _noise_scale(half_width, size, epsilon):
    with np.errstate(over="ignore", divide="ignore"):
        return 2 * (half_width / size) / epsilon


def _noise_quantile(chance, sd, scale):
    """The t with 2 Pr[ξ > t] = chance, approached from above; inf where there is none.

    Half of the chance for either part of ξ gives a t to start from.
    """
    chance, sd, scale = np.broadcast_arrays(chance, sd, scale)
    log_half = np.log(np.where(chance > 0, chance, 0.5) / 2)
    with np.errstate(over="ignore"):
        high = -scale * log_half - sd * ndtri_exp(log_half - np.log(2))
    known = (chance > 0) & np.isfinite(high)
    low, high, scale = np.zeros(chance.shape), np.where(known, high, 0), np.where(known, scale, 0)
    for _ in range(BISECTIONS):
        middle = low / 2 + high / 2
        outside = 2 * noise_tail(middle, sd=sd, scale=scale) > chance
        low, high = np.where(outside, middle, low), np.where(outside, high, middle)
    return np.where(known, high, np.inf)[()]


# --------------------------------------------------------------------------------------- a median, and a corrected clip


def _adaptive_bound(size, level, *, radius, epsilon, beta=0.01):
    size = _checks.integer("size", size, at_least=1)
    plan = adaptive_plan(size=size, radius=radius, epsilon=epsilon, beta=beta)
    failing = 1 - _checks.real("level", level, above=0, below=1)
    if plan.stages == 1:
        return _median_quantile(failing, size, float(radius), epsilon)
    return min(_corrected_bound(failing, size, radius, plan), 2 * float(radius))  # the answer is in [-R, R]


def _median_quantile(failing, n, radius, epsilon):
    """The smallest h with F_med(h) ≤ 1 - level, approached from above; at 2R nothing can fail."""
    low, high = 0.0, min(2 * radius, np.finfo(float).max)
    for _ in range(40):
        middle = (low + high) / 2 if high < 1 else np.sqrt(max(low, 0.01)) * np.sqrt(high)
        fails = median_failure_bound(size=n, accuracy=middle, radius=radius, epsilon=epsilon) > failing
        low, high = (middle, high) if fails else (low, middle)
    return float(high)


def _corrected_bound(failing, n, radius, plan):
    """The least g_a^-1(g_a(h) + t + 2hλ) - h over h and over the ways to share what F_med(h) leaves of 1 - level."""
    a = plan.half_width
    left = failing - median_failure_bound(size=n, accuracy=REACHED, radius=radius, epsilon=plan.epsilon_coarse)
    h, left = REACHED[left > 0], left[left > 0]
    noise = left * SHARES
    t = _noise_quantile(noise, 1 / np.sqrt(n), 2 * (a / n) / plan.epsilon_fine)
    moved = 2 * h * np.sqrt(np.log(2 / (left - noise)) / (2 * n))
    top = clipped_normal_mean(h, a) + (t + moved).min(axis=0)
    return float((unclip(top, a) - h)[top < clipped_normal_mean(FURTHEST, a)].min(initial=np.inf))


# ------------------------------------------------------------------------------------------------------------ intervals


def mean_interval(x, *, radius, epsilon, level=0.95, rng):
    """Release an interval that covers the mean of Gaussian records with a promised probability.

    Parameters
    ----------
    x : array_like of finite real numbers, shape (..., n), n ≥ 1
        The records, in units of their known standard deviation: divide by it first, multiply the interval by it. The
        last axis is the data set, leading axes are independent runs.
    radius : float ≥ 0
        R with |μ| ≤ R, public, in the same units.
    epsilon : float > 0
    level : float in (0, 1)
    rng : numpy.random.Generator

    Returns
    -------
    float64, shape (..., 2)
        Lower and upper end: `two_stage_mean` ± its `error_bound`, cut off at ±R, with the ``split`` and ``beta`` for
        which that bound is smallest. If the bound is no smaller than 2R: (-R, R), which is then free.

    Privacy
    -------
    ε-DP under ``replace``, for records that are finite numbers: the half-width is public, the rest is post-processing.
    Idealised arithmetic.

    Error
    -----
    For n independent N(μ, 1) records with |μ| ≤ R the interval covers μ with probability at least ``level``, over the
    data and the noise. Every run with the same public parameters has the same half-width.

    Cost
    ----
    That of `two_stage_mean`; some 20 ms for the half-width, once for each combination of n, R, ε and level.

    Raises
    ------
    ValueError
        If a record is not finite, there is none, or a parameter is out of range.
    TypeError
        If ``rng`` is not a Generator.

    References
    ----------
    thm-mean-interval; Karwa and Vadhan (2018).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(42, 1, size=(2, 1000))
    >>> mean_interval(x, radius=100, epsilon=0.5, rng=rng).round(2)
    array([[41.83, 42.04],
           [41.92, 42.14]])
    """
    x = _checks.data_sets("x", x)
    radius = _checks.real("radius", radius, at_least=0)
    epsilon, level = _checks.real("epsilon", epsilon, above=0), _checks.real("level", level, above=0, below=1)
    _checks.generator(rng)
    split, beta, half = _narrowest(x.shape[-1], radius, epsilon, level)
    if half / 2 >= radius:
        _checks.reals("x", x)  # an error is no less of one when the answer does not depend on it
        return np.full((*x.shape[:-1], 2), (0 - radius, radius))
    centre = two_stage_mean(x, radius=radius, epsilon=epsilon, split=split, beta=beta, rng=rng)
    return np.clip(np.stack([centre - half, centre + half], axis=-1), -radius, radius)


@lru_cache(maxsize=1024)
def _narrowest(size, radius, epsilon, level):
    """The split and the β for which the bound is smallest, and the bound. All of it is public."""
    beta = (1 - level) * CLIPPED
    half = error_bound(two_stage_mean, size=size, level=level, radius=radius, epsilon=epsilon, split=BUDGETS, beta=beta)
    i, j = np.unravel_index(half.argmin(), half.shape)
    return float(BUDGETS[j]), float(beta[i, 0]), float(half[i, j])
