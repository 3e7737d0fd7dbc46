"""The mean of vectors from anywhere: weighted by friends, after one private test that most are
friends.

Symbols
-------
size, radius : n, r
    How many records there are, and how far friends may be apart.
weight : W
    The sum of all weights; between neighbours it differs by at most 3.
floor : w₀
    The noise is enough for data of a larger weight; the test lets others pass with probability at
    most δ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtri

from dplib import _checks, _grid, mechanisms
from dplib._types import ArrayLike, Floats, Generator, Integer, Integers, NDArray, Real, Reals
from dplib.friendly.counts import friend_counts, records
from dplib.friendly.weights import whole_weights

WEIGHT_SENSITIVITY = 3
MISSING = 4  # of the weight, for pairs that are a little too far apart
SPLITS = np.arange(1, 100) / 100
# of the radius: more than the error of a weighted mean that is made of exact sums
ROUNDED = 2.0**-48


@dataclass(frozen=True)
class FriendlyPlan:
    """What `friendly_mean` does, from public numbers only.

    Attributes
    ----------
    split : float, the share of ε that the test spends: ε₁
    floor : float
        w₀, above 3; 0 if there are too few records for any floor, and then every answer is a
        refusal
    scale : float, 3/ε₁, of the Laplace noise in the test
    passes_above : float, w₀ + scale · ln(1/(2δ)), what the noisy weight has to exceed
    kappa : float, κ, with κr/w₀ the sensitivity of the mean where the weight is above w₀
    sigma : float
        The standard deviation of the noise in each coordinate; infinite if every answer is a
        refusal
    advice : str, what would help against refusals
    """

    split: float
    floor: float
    scale: float
    passes_above: float
    kappa: float
    sigma: float
    advice: str

    def pass_probability(self, weight: Reals) -> Floats:
        """How often data of this weight pass the test: a description of the mechanism, not a
        private release.

        Parameters
        ----------
        weight : float > 0 or array_like
            W, the sum of the weights; where it is 0, the answer is always a refusal
        """
        if not self.floor:
            return np.zeros(np.shape(weight))[()]
        gap = (np.asarray(weight, dtype=float) - self.passes_above) / self.scale
        tail = np.exp(-np.abs(gap)) / 2
        return np.where(gap > 0, 1 - tail, tail)[()]


def friendly_plan(
        *, size: Integer, radius: Real, epsilon: Real, delta: Real, strangers: Integer = 0,
        split: Real | None = None, beta: Real = 0.05) -> FriendlyPlan:
    """The noise and the test of `friendly_mean`, with the share of ε that makes the noise smallest.

    Parameters
    ----------
    size : int ≥ 1, the number n of records
    radius : float > 0 and at most 1e300, r, how far friends may be apart
    epsilon, delta : float > 0, δ ≤ 1/2
    strangers : int ≥ 0, how many records may be far from all others before refusals become frequent
    split : float in (0, 1), optional, the share of ε for the test; tuned if it is not given
    beta : float in (0, 1/2]
        a bound on the probability that data are refused that have no more strangers than that, and
        else at most a weight of 4 missing

    Returns
    -------
    FriendlyPlan
        With w₀ = (n - t)(1 - 2t/(n - 1)) - 4 - b ln(1/(2β)) - b ln(1/(2δ)), b = 3/ε₁, t =
        ``strangers``

    Notes
    -----
    :References: Algorithm *Mean weighted by friends* on the page *A mean in many dimensions*
        (alg-friendly-mean).

    Examples
    --------
    >>> plan = friendly_plan(size=4000, radius=8.2, epsilon=1, delta=1e-6)
    >>> plan.split, round(plan.kappa, 2), round(plan.sigma, 4)
    (0.16, 3.3, 0.0362)
    >>> print(friendly_plan(size=40, radius=8.2, epsilon=1, delta=1e-6).advice)
    40 records are too few: at ε = 1 and δ = 1e-06 nothing is released from fewer than 54. More
    records or a larger ε would help.
    """
    size = _checks.integer("size", size, at_least=1)
    radius = checked_radius(radius)
    epsilon, delta = (
        _checks.parameter("epsilon", epsilon),
        _checks.parameter("delta", delta, at_most=0.5),
    )
    strangers = _checks.integer("strangers", strangers, at_least=0)
    beta = _checks.parameter("beta", beta, at_most=0.5)
    splits = SPLITS if split is None else np.array([_checks.parameter("split", split)])
    scale = WEIGHT_SENSITIVITY / (splits * epsilon)
    lost = MISSING - scale * np.log(2 * beta) - scale * np.log(2 * delta)
    floor = least_weight(size, strangers) - lost
    if floor.max() <= WEIGHT_SENSITIVITY:
        return FriendlyPlan(float(splits[-1]), 0.0, float(scale[-1]), np.inf, 6.0, np.inf,
                            _too_few(size, epsilon, delta, strangers, lost.min()))
    good = floor > WEIGHT_SENSITIVITY
    splits, scale, floor = splits[good], scale[good], floor[good]
    kappa = closer_kappa(size, floor)
    sigma = mechanisms.gaussian_sigma(
        sensitivity=kappa * radius / floor, epsilon=epsilon * (1 - splits), delta=delta
    )
    best = np.argmin(sigma)
    passes_above = floor[best] + _grid.tail_bound(
        _weight_noise(size, splits[best] * epsilon), delta
    ) / max(size - 1, 1)
    return FriendlyPlan(
        *(
            float(value)
            for value in (
                splits[best],
                floor[best],
                scale[best],
                passes_above,
                kappa[best],
                sigma[best],
            )
        ),
        _advice(size, strangers, epsilon),
    )


def closer_kappa(size, floor):
    """κ of the weighted mean of n records, for a public floor w₀ > 3 of the weight."""
    # the smaller of two neighbouring weights is at most so far below n
    deficit = size - floor + WEIGHT_SENSITIVITY
    return np.where(deficit <= (size - 1) / 2, 3 + 4 * (deficit + 1) / max(size - 1, 1), 6.0)


def checked_radius(radius):
    return _checks.parameter("radius", radius, above=0, at_most=1e300)


def least_weight(size, strangers):
    """(n - t)(1 - 2t/(n - 1)): the least weight of n - t records that are all friends, and t
    others."""
    return max(size - strangers, 0) * max(1 - 2 * strangers / max(size - 1, 1), 0.0)


def _too_few(size, epsilon, delta, strangers, lost):
    words = f"{size} records are too few: at ε = {epsilon:g} and δ = {delta:g} "
    needed = int(np.floor(lost + WEIGHT_SENSITIVITY)) + 1
    least = (
        f"nothing is released from fewer than {needed}"
        if not strangers
        else f"{strangers} strangers leave too little weight"
    )
    return words + least + ". More records or a larger ε would help."


def _advice(size, strangers, epsilon):
    return (
        "Refused data have, most likely, pairs of records further apart than the radius: more "
        f"than {strangers} strangers among {size} records, or a radius that is too small. Room for "
        f"more strangers, more records or a larger ε than {epsilon:g} would help."
    )


def friendly_mean(
        x: ArrayLike, *, radius: Real, epsilon: Real, delta: Real, strangers: Integer = 0,
        split: Real | None = None, beta: Real = 0.05, runs: bool = False,
        rng: Generator) -> NDArray[np.float64]:
    """The mean of vectors, weighted by friends, with Gaussian noise; no range is needed.

    Parameters
    ----------
    x : array_like of real numbers, shape (..., n, d)
        Data sets of n records with d coordinates each
    radius, epsilon, delta, strangers, split, beta
        As in `friendly_plan`; ``radius`` in the units of the records, public. `friendly_radius` has
        one for normal data.
    runs : bool
        Whether axes before the last are independent runs, each a data set of its own; without it
        there may be none
    rng : numpy.random.Generator

    Returns
    -------
    float64, shape (..., d)
        The mean with weights from `friendly_weights`, plus N(0, σ²) in each coordinate; NaN, a
        refusal, if the sum of the weights does not pass a test. σ and the test are those of
        `friendly_plan`, whose ``advice`` says what would help.

    Notes
    -----
    :Privacy: (ε, δ)-DP under ``replace``, refusals included, with one δ for the test and the noise,
        given fair bits. Weights are whole numbers, records are rounded to 2**-40 of the radius or
        less, and nothing else that joins them is.
    :Error: Beside the noise, that of the mean; and at most 4/(n - 4) of the furthest record's
        distance from it, if at most 4 of the weight n is missing.
    :Cost: As `friend_counts`.
    :References: Theorem *The mean weighted by friends* on the page *A mean in many dimensions*
        (thm-friendly-mean); Tsfadia, Cohen, Kaplan, Mansour and Stemmer, *FriendlyCore: practical
        differentially private aggregation* (2022).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(loc=[5e6, -3e9], size=(2000, 2))
    >>> (friendly_mean(x, radius=6, epsilon=1, delta=1e-6, rng=rng) - [5e6, -3e9]).round(2)
    array([-0.08,  0.02])
    """
    points, shape = records(x, runs)
    given = dict(radius=radius, epsilon=epsilon, delta=delta)
    plan = friendly_plan(size=shape[-1], **given, strangers=strangers, split=split, beta=beta)
    _checks.generator(rng)
    if not plan.floor:
        return np.full((*shape[:-1], points.shape[-1]), np.nan)
    noise, unit = mean_noise(plan, entries=points.shape[-1], **given)
    points = _grid.on_grid(points, unit)
    answers = noisy_weighted_mean(
        points, friend_counts(points, radius=radius), plan, noise, unit, epsilon=epsilon, rng=rng
    )
    return answers.reshape(*shape[:-1], points.shape[-1])


def mean_noise(plan, *, entries, radius, epsilon, delta):
    """The noise of a mean, and the step of the grid to which records are moved: as fine, or
    coarser."""
    # friends are that far apart, with rounding
    sensitivity = plan.kappa * radius * (1 + 2.0**-52 * (entries + 8)) / plan.floor
    noise = _grid.normal_noise(
        sensitivity=sensitivity,
        epsilon=(1 - plan.split) * epsilon,
        delta=delta,
        entries=entries,
        error=ROUNDED * radius,
    )
    return noise, max(_grid.grid_step(radius), noise.grid)


def noisy_weighted_mean(points, counts, plan, noise, unit, *, epsilon, rng):
    """The test and the noise, for points of shape (runs, n, d) on the grid that have so many
    friends each."""
    size, weights = points.shape[1], whole_weights(counts)
    total = weights.sum(axis=-1)
    noisy = _weight_noise(size, plan.split * epsilon).added_to_whole(total, rng)
    passed = (noisy > plan.passes_above * (size - 1) * _grid.UP) & (total > 0)
    answers = noise.added_far_out(*weighted_mean(points, weights, unit), rng)
    return np.where(passed[:, None], answers, np.nan)


def _weight_noise(size, epsilon):
    """For the sum of the weights times n - 1, a whole number."""
    return _grid.laplace_noise(
        sensitivity=WEIGHT_SENSITIVITY * max(size - 1, 1), epsilon=epsilon, unit=1.0
    )


def weighted_mean(points, weights, unit):
    """A record of the largest weight, near which all are that weigh anything, and how far from it
    the mean is; 0 if none does."""
    heaviest = points[np.arange(len(points)), weights.argmax(axis=-1)]
    # what is near is an exact number of steps away
    with np.errstate(over="ignore", invalid="ignore"):
        steps = np.where(weights[..., None] > 0, (points - heaviest[:, None]) / unit, 0)
        steps = steps.astype(np.int64)
    total = np.maximum(weights.sum(axis=-1, keepdims=True), 1)
    return heaviest, _products(weights, steps) / total * unit


def _products(weights, steps):
    """Σ w q over the records, next to the exact sums: of q, below 2**43, so many digits are added
    up at a time as int64 holds."""
    digits = max(61 - 2 * weights.shape[-1].bit_length(), 1)
    total, place = 0.0, 1.0
    for first in range(0, 43, digits):
        last = first + digits >= 43
        limb = steps >> first if last else (steps >> first) & (1 << digits) - 1
        total, place = total + np.einsum("rn,rnd->rd", weights, limb) * place, place * 2.0**digits
    return total


def friendly_radius(*, size: Integers, dimension: Integers) -> Floats:
    """A radius within which nearly all pairs of normal records with unit variances lie.

    Parameters
    ----------
    size : int ≥ 2 or array_like, the number n of records
    dimension : int ≥ 1 or array_like, the number d of coordinates

    Returns
    -------
    float64
        The broadcast shape, r with Pr[‖X - Y‖ > r] = 1/n for independent N(μ, I_d) records X and Y

    Notes
    -----
    :Error: The weight of n such records is at least n - 2 on average.
    :References: Theorem *Normal records* on the page *A mean in many dimensions*
        (thm-friendly-normal).

    Examples
    --------
    >>> friendly_radius(size=4000, dimension=[1, 10]).round(2)
    array([5.18, 8.15])
    """
    size = _checks.integers("size", size, at_least=2)
    dimension = _checks.integers("dimension", dimension, at_least=1)
    return np.sqrt(2 * chdtri(dimension, 1 / size))[()]
