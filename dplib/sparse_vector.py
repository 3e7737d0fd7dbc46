"""Many questions, few alarms: which answers are above a threshold.

A noisy threshold is drawn once, and every answer meets it with noise of its own. Where it stays
below, the answer is *silence*; where it reaches the threshold, an *alarm*. Silence costs nothing
beyond the noise on the threshold, and after a fixed number of alarms all is over.

Symbols
-------
sensitivity : Δ
    The most that any one answer changes between neighbours.
queries, alarms : k, c
    How many questions there are at most, and after how many alarms the run ends.
threshold_scale, answer_scale : b₁, b
    Scales of the Laplace noise on the threshold and on each answer.
epsilon : ε = ε₁ + ε₂
    For the threshold, b₁ = Δ/ε₁, and for all alarms, b = 2cΔ/ε₂; cΔ/ε₂ if answers are monotone.
"""

from __future__ import annotations

import numpy as np
import scipy

from dplib import _checks, _grid
from dplib._types import ArrayLike, Generator, Integer, Ints, NDArray, Real, Reals

PANEL_NODES, PANEL_WEIGHTS = np.polynomial.legendre.leggauss(20)
TAIL_SCALES = 40  # scales, beyond which noise has a probability below 1e-17
MOST_SCALES = 700  # of a margin that counts: beyond, an error has a probability below 1e-300


# -------------------------------------------------------------------------------------- the release


def above_threshold(
        value: ArrayLike, *, alarms: Integer, sensitivity: Real, threshold: Reals, epsilon: Real,
        monotonic: bool = False, split: Real | None = None, rng: Generator) -> Ints:
    """Say which of many answers are the first to reach a threshold, and nothing else.

    Parameters
    ----------
    value : array_like of real numbers, shape (..., k)
        The exact answers in the order of the questions, which are fixed beforehand; those of
        `alarm_oracle` may depend on earlier alarms.
    alarms : int ≥ 1, how many alarms end the run, c
    sensitivity : float > 0, the most that any one answer changes between neighbours
    threshold : float or array_like, shape (k,), public; the threshold of each question
    epsilon : float > 0, of the whole run
    monotonic : bool
        Whether all answers move in one direction between neighbours, as scores do that count
        people who come. Never read it from data.
    split : float in (0, 1)
        optional, the share of ε for the threshold; `above_threshold_scales` has the usual one
    rng : numpy.random.Generator

    Returns
    -------
    int64, shape (..., c)
        The places of the alarms in order, and k where there were fewer; leading axes are
        independent runs

    Notes
    -----
    :Privacy: ε-DP under the relation for which ``sensitivity`` was computed, given fair bits, up to
        events of probability 1e-300; finite answers. They are moved to a grid, and the logarithm of
        a ratio of two probabilities of the noise is right to 2**-45: both are paid for. What counts
        are answers as float64: whole numbers beyond 2**53 are rounded before they are compared.
        After a < c alarms only ε₁ + (a/c) ε₂ is spent. ε₁ and ε₂/c are at least 2**-40.
    :Error: With probability 1 - β every alarm and every silence is right where an answer is
        `above_threshold_margin` or more away from its threshold. The grid widens each noise by at
        most (3B/Δ + 9) 2**-40 of the larger scale B.
    :References: Theorem *Above threshold* on the page *A thousand questions, one alarm*
        (thm-above-threshold); theorem *How far answers have to be* on the page *A thousand
        questions, one alarm* (thm-alarm-accuracy); Dwork, Naor, Reingold, Rothblum and Vadhan, *On
        the complexity of differentially private data release* (2009); Lyu, Su and Li,
        *Understanding the sparse vector technique for differential privacy* (2017).

    Examples
    --------
    >>> rng, counts = np.random.default_rng(1), [12, 31, 8, 190, 25, 240]
    >>> above_threshold(counts, alarms=1, sensitivity=1, threshold=100, epsilon=1, rng=rng)
    array([3])
    """
    value, alarms = _answers(value), _checks.integer("alarms", alarms, at_least=1)
    noise = _noise(alarms, sensitivity, epsilon, monotonic, split)
    threshold = _thresholds(threshold, value)
    raised = noise.raised((*value.shape[:-1], 1), _checks.generator(rng))
    return _first(noise.reached(value, threshold, raised, rng), alarms)


def _answers(value):
    value = _checks.reals("value", value)
    if value.ndim == 0 or value.shape[-1] == 0:
        raise ValueError(
            f"value must have at least one answer on the last axis, got shape {value.shape}"
        )
    return value


def _thresholds(threshold, value):
    threshold = _checks.reals("threshold", threshold)
    if threshold.shape not in ((), value.shape[-1:]):
        raise ValueError(
            f"threshold must be one number, or one for each of {value.shape[-1]} questions, got "
            f"shape {threshold.shape}"
        )
    return threshold


def _noise(alarms, sensitivity, epsilon, monotonic, split):
    for_threshold, for_alarms = _shares(alarms, epsilon, monotonic, split)
    return _grid.watch_noise(
        sensitivity=_checks.parameter("sensitivity", sensitivity),
        moves=1 if monotonic else 2,
        epsilon=for_threshold,
        per_alarm=for_alarms / alarms,
    )


def _first(alarm, alarms):
    """The places of the first alarms, in order, and the number of questions where there are
    fewer."""
    questions, shape = alarm.shape[-1], (*alarm.shape[:-1], alarms)
    heard = alarm & (alarm.cumsum(axis=-1) <= alarms)  # what comes later is nobody's matter
    places = np.sort(np.where(heard, np.arange(questions), questions), axis=-1)[..., :alarms]
    return np.concatenate(
        [places, np.full((*shape[:-1], alarms - places.shape[-1]), questions)], axis=-1
    ).astype(np.int64)


# --------------------------------------------------------------------------------- how much of what


def above_threshold_scales(
        *, alarms: Integer, sensitivity: Real, epsilon: Real, monotonic: bool = False,
        split: Real | None = None) -> tuple[float, float]:
    """The scales of the Laplace noise on the threshold and on each answer.

    Parameters
    ----------
    alarms, sensitivity, epsilon, monotonic
        As in `above_threshold`.
    split : float in (0, 1)
        optional, the share of ε for the threshold; 1/(1 + (2c)^(2/3)) makes the variance of the two
        noises together least, 1/(1 + c^(2/3)) if ``monotonic``

    Returns
    -------
    (float, float), b₁ = Δ/ε₁ and b = 2cΔ/ε₂, or cΔ/ε₂ if ``monotonic``

    Notes
    -----
    :References: Theorem *Above threshold* on the page *A thousand questions, one alarm*
        (thm-above-threshold); Lyu, Su and Li, *Understanding the sparse vector technique for
        differential privacy* (2017).

    Examples
    --------
    >>> above_threshold_scales(alarms=1, sensitivity=1, epsilon=1, split=0.5)
    (2.0, 4.0)
    """
    alarms = _checks.integer("alarms", alarms, at_least=1)
    for_threshold, for_alarms = _shares(alarms, epsilon, monotonic, split)
    return (
        _checks.scale(sensitivity, for_threshold),
        _checks.scale(sensitivity, for_alarms) * alarms * (1 if monotonic else 2),
    )


def _shares(alarms, epsilon, monotonic, split):
    """ε for the threshold, and ε for all alarms."""
    epsilon = _checks.parameter("epsilon", epsilon)
    if split is None:
        split = 1 / (1 + ((1 if monotonic else 2) * alarms) ** (2 / 3))
    split = _checks.parameter("split", split)
    return split * epsilon, (1 - split) * epsilon


def above_threshold_epsilon(
        *, queries: Integer, alarms: Integer, threshold_scale: Real, answer_scale: Real,
        sensitivity: Real, monotonic: bool = False) -> float:
    """The least ε of a run with Laplace noise of any two scales.

    Parameters
    ----------
    queries : int ≥ 1, how many queries there are at most, k
    alarms, sensitivity, monotonic
        As in `above_threshold`.
    threshold_scale, answer_scale : float > 0
        The scale b₁ of the noise on the threshold, and the scale b of that on each answer.

    Returns
    -------
    float
        The largest ℓ(k - a, a) over a ≤ min(c, k), where ℓ(m, a) is the least of Δ/b₁ + 2aΔ/b, (m +
        a)Δ/b and Δ/b₁ + 2mΔ/b

    Notes
    -----
    :Privacy: Noise of these scales is ε-DP for the result, and for no smaller ε if neighbours may
        differ by Δ in every answer, in any direction or, if ``monotonic``, all in the same one.
    :References: Theorem *The exact loss* on the page *A thousand questions, one alarm*
        (thm-exact-loss).

    Examples
    --------
    >>> given = dict(alarms=1, sensitivity=1, threshold_scale=2, answer_scale=4)
    >>> [above_threshold_epsilon(queries=k, **given) for k in (1, 2, 3, 4, 1000)]
    [0.25, 0.5, 0.75, 1.0, 1.0]
    """
    queries = _checks.integer("queries", queries, at_least=1)
    alarms = _checks.integer("alarms", alarms, at_least=1)
    sensitivity = _checks.parameter("sensitivity", sensitivity)
    first, each = (sensitivity / scale for scale in _scales(threshold_scale, answer_scale))
    a = np.arange(min(alarms, queries) + 1)
    m = queries - a
    if monotonic:
        rise, fall = np.minimum(m * each, first + a * each), np.minimum(a * each, first + m * each)
        return float(np.maximum(rise, fall).max())
    return float(np.minimum(first + 2 * each * np.minimum(a, m), (m + a) * each).max())


def _scales(threshold_scale, answer_scale):
    return (
        _checks.real("threshold_scale", threshold_scale, above=0),
        _checks.real("answer_scale", answer_scale, above=0),
    )


# ---------------------------------------------------------------------------------- how often right


def above_threshold_margin(
        *, queries: Integer, alarms: Integer, sensitivity: Real, epsilon: Real,
        monotonic: bool = False, split: Real | None = None, beta: Real) -> float:
    """How far answers have to be from their thresholds so that all is right with probability 1 -
    β.

    Parameters
    ----------
    queries : int ≥ 1, how many queries there are, k
    alarms, sensitivity, epsilon, monotonic, split
        As in `above_threshold`.
    beta : float in (0, 1), the probability of an error that is allowed

    Returns
    -------
    float
        The α at which an error is made with probability β in the worst case if c = 1, and with
        probability at most β if c > 1

    Notes
    -----
    :Error: For c > 1 it is the solution of k Pr[ν - ρ > α] = β, ρ and ν the two noises. It is for
        questions fixed beforehand, or one alarm; if others depend on earlier answers, all of them
        are right at the margin of k + c queries.
    :References: Theorem *How far answers have to be* on the page *A thousand questions, one alarm*
        (thm-alarm-accuracy).

    Examples
    --------
    >>> given = dict(sensitivity=1, epsilon=1, beta=0.05)
    >>> round(above_threshold_margin(queries=1000, alarms=1, **given), 4)
    31.8859
    """
    queries, beta = (
        _checks.integer("queries", queries, at_least=1),
        _checks.parameter("beta", beta),
    )
    scales = above_threshold_scales(
        alarms=alarms, sensitivity=sensitivity, epsilon=epsilon, monotonic=monotonic, split=split)

    def too_often(margin):
        exact = alarms == 1
        return (_failure if exact else _union_bound)(margin, queries, *scales) - beta

    if too_often(0.0) <= 0:
        return 0.0
    end = sum(scales)
    while too_often(end) > 0:
        end *= 2
    return float(scipy.optimize.brentq(too_often, 0, end, xtol=1e-12 * end))


def above_threshold_failure(
        *, queries: Integer, margin: Real, threshold_scale: Real, answer_scale: Real) -> float:
    """How often a run that ends with its first alarm makes an error, in the worst case.

    Parameters
    ----------
    queries : int ≥ 1, how many queries there are, k
    margin : float ≥ 0, how far answers are clear of their thresholds, α
    threshold_scale, answer_scale
        As in `above_threshold_epsilon`.

    Returns
    -------
    float
        1 - E[F(α + ρ)^(k - 1) F(α - ρ)], ρ the noise on the threshold and F the distribution
        function of the noise on an answer

    Notes
    -----
    :Error: Relative error below 1e-10, for probabilities of 1e-290 or more.
    :References: Theorem *How far answers have to be* on the page *A thousand questions, one alarm*
        (thm-alarm-accuracy).

    Examples
    --------
    >>> scales = dict(threshold_scale=2, answer_scale=4)
    >>> round(above_threshold_failure(queries=1000, margin=38, **scales), 8)
    0.04677826
    """
    queries = _checks.integer("queries", queries, at_least=1)
    margin = _checks.real("margin", margin, at_least=0)
    return _failure(margin, queries, *_scales(threshold_scale, answer_scale))


def _failure(margin, queries, threshold_scale, answer_scale):
    # as far as the threshold's noise is more likely than an error
    further = min(margin / max(threshold_scale, answer_scale), MOST_SCALES)
    nodes, mass = _quadrature([-margin, margin], threshold_scale, answer_scale, further)
    low, high = (_log_cdf((margin + sign * nodes) / answer_scale) for sign in (1, -1))
    return float(mass @ -np.expm1((queries - 1) * low + high))


def _union_bound(margin, queries, threshold_scale, answer_scale):
    """k Pr[ν - ρ > α], where the probability is (b² e^(-α/b) - b₁² e^(-α/b₁))/(2 (b² - b₁²))."""
    b1, b = sorted((threshold_scale, answer_scale))
    y = 2 * np.log1p((b - b1) / b1)
    x = y + margin * (b - b1) / (b * b1)
    ratio = np.expm1(-x) / np.expm1(-y) if y else 1 + margin / (2 * b)  # without cancellation
    return queries * 0.5 * np.exp(-margin / b) * ratio


def first_alarm_probabilities(
        value: ArrayLike, *, threshold_scale: Real, answer_scale: Real,
        threshold: Reals) -> NDArray[np.float64]:
    """The exact distribution of the place of the first alarm: a description of the mechanism, not a
    private release.

    Parameters
    ----------
    value, threshold
        As in `above_threshold`.
    threshold_scale, answer_scale
        As in `above_threshold_epsilon`.

    Returns
    -------
    float64, shape (..., k + 1), the probability of each place, and of no alarm at the end

    Notes
    -----
    :Error: Below 1e-13, for real noise.
    :Cost: About 40 k² (1 + b₁/b) exponentials for each run.
    :References: Definition *Above threshold* on the page *A thousand questions, one alarm*
        (def-above-threshold).

    Examples
    --------
    >>> scales = dict(threshold_scale=2, answer_scale=4)
    >>> first_alarm_probabilities([-5, 0, 3], threshold=0, **scales).round(4)
    array([0.1773, 0.3878, 0.2795, 0.1553])
    """
    value = _answers(value)
    margin = value - _thresholds(threshold, value)
    return np.apply_along_axis(_first_alarm, -1, margin, *_scales(threshold_scale, answer_scale))


def _first_alarm(margin, threshold_scale, answer_scale):
    nodes, mass = _quadrature(margin, threshold_scale, answer_scale)
    law = np.empty(margin.size + 1)
    for place, answer in enumerate(margin):
        silent = np.exp(_log_cdf((nodes - answer) / answer_scale))
        alarm = np.exp(_log_cdf((answer - nodes) / answer_scale))
        law[place], mass = mass @ alarm, mass * silent
    law[-1] = mass.sum()
    return law


def _quadrature(kinks, threshold_scale, answer_scale, further=0.0):
    """Values of the threshold's noise and their masses, between which an integrand with these kinks
    is smooth."""
    end = (TAIL_SCALES + further) * threshold_scale
    panels = np.ceil(end / min(threshold_scale, answer_scale))
    _checks.integer("the ratio of the scales", int(panels), at_least=1, at_most=10**6)
    cuts = np.linspace(-end, end, 2 * int(panels) + 1)  # 0 is one of them
    cuts = np.unique(np.r_[cuts, np.clip(kinks, -end, end)])
    half = np.diff(cuts)[:, np.newaxis] / 2
    nodes = (cuts[:-1, np.newaxis] + half * (1 + PANEL_NODES)).ravel()
    density = np.exp(-np.abs(nodes) / threshold_scale) / (2 * threshold_scale)
    return nodes, (half * PANEL_WEIGHTS).ravel() * density


def _log_cdf(z):
    """ln Pr[ν ≤ z] for Laplace noise of scale 1."""
    far = np.exp(-np.abs(z)) / 2
    return np.where(z < 0, z - np.log(2), np.log1p(-far))
