"""FriendlyCore: keep records at random, by their friends, and average those that are kept.

Symbols
-------
epsilon, delta : ε, δ
    Of the whole, under ``replace``.
inside : ε', δ'
    Of what is run on the kept records, under ``add_remove``, where these are friendly.
floor : w₀
    The noise is enough for more kept records; the test lets others pass with probability at most
    δ'.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from dplib import _checks, _grid, _samplers, mechanisms
from dplib._types import ArrayLike, Floats, Generator, Integer, NDArray, Real, Reals
from dplib.friendly.counts import friend_counts, records
from dplib.friendly.mean import (
    MISSING, SPLITS, WEIGHT_SENSITIVITY, checked_radius, least_weight, mean_noise, weighted_mean)
from dplib.friendly.weights import friendly_weights, weights_of_counts

KEPT_APART = 2.0  # radii: friendly records are no further from each other


def sample_friendly_core(x: ArrayLike, *, radius: Real, rng: Generator) -> NDArray[np.bool]:
    """Keep each record with its weight as the probability: not private by itself.

    Parameters
    ----------
    x, radius
        As in `friend_counts`.
    rng : numpy.random.Generator

    Returns
    -------
    bool, shape (..., n), whether a record is kept

    Notes
    -----
    :Privacy: None of its own, but an algorithm may be run on the kept records. If it is (ε', δ')-DP
        under ``add_remove`` on friendly data, those in which every two records have a common
        friend, the whole is (ε, δ)-DP under ``replace``, for the ε' of `friendly_core_epsilon` and
        the δ' of `friendly_core_delta`.
    :Cost: As `friend_counts`.
    :References: Theorem *A core at random* on the page *Drop the strangers* (thm-kept-at-random);
        Tsfadia, Cohen, Kaplan, Mansour and Stemmer, *FriendlyCore: practical differentially private
        aggregation* (2022).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> kept = sample_friendly_core([[0.1], [0.2], [0.3], [50]], radius=1, rng=rng)
    >>> bool(kept[3])
    False
    """
    weights = friendly_weights(x, radius=radius)
    return _samplers.bernoulli(weights, weights.shape, _checks.generator(rng))


def friendly_core_epsilon(*, epsilon: Reals) -> Floats:
    """The ε' that an algorithm may spend on a random core so that the whole is ε-DP.

    Parameters
    ----------
    epsilon : float > 0 or array_like, of the whole, under ``replace``

    Returns
    -------
    float64, the broadcast shape, ε' = ln(1 + ε/3), under ``add_remove``

    Notes
    -----
    :References: Theorem *A core at random* on the page *Drop the strangers* (thm-kept-at-random).

    Examples
    --------
    >>> round(float(friendly_core_epsilon(epsilon=1)), 3)
    0.288
    """
    return np.log1p(_checks.parameters("epsilon", epsilon) / WEIGHT_SENSITIVITY)


def friendly_core_delta(*, epsilon: Reals, delta: Reals) -> Floats:
    """The δ' that an algorithm may spend on a random core so that the whole is (ε, δ)-DP.

    Parameters
    ----------
    epsilon, delta : float > 0 or array_like, of the whole, under ``replace``; δ < 1

    Returns
    -------
    float64, the broadcast shape, δ' = δ (ε/3)/(e^ε - 1), under ``add_remove``

    Notes
    -----
    :References: Theorem *A core at random* on the page *Drop the strangers* (thm-kept-at-random).

    Examples
    --------
    >>> round(float(friendly_core_delta(epsilon=1, delta=1e-6)), 9)
    1.94e-07
    """
    epsilon = _checks.parameters("epsilon", epsilon, at_most=_checks.LARGEST_EXPONENT)
    delta = _checks.parameters("delta", delta)
    return delta * (epsilon / WEIGHT_SENSITIVITY) / np.expm1(epsilon)


class CorePlan(NamedTuple):
    """What `friendly_core_mean` does, from public numbers only; floor 0 if it always refuses."""

    split: float
    floor: float
    passes_above: float
    sigma: float
    kappa: float = KEPT_APART


def friendly_core_plan(
        *, size: Integer, radius: Real, epsilon: Real, delta: Real, strangers: Integer = 0,
        beta: Real = 0.05) -> CorePlan:
    """The noise and the test of `friendly_core_mean`, with the share of ε' for the least noise.

    Parameters
    ----------
    size, radius, epsilon, delta, strangers, beta
        As in `friendly_plan`.

    Returns
    -------
    CorePlan
        ``split``, the share of ε' for the test; ``floor``, w₀, 0 if there are too few records;
        ``passes_above``, what the noisy number of kept records has to exceed; ``sigma``, the
        standard deviation of the noise in each coordinate, infinite if every answer is a refusal;
        ``kappa``, κ, with κr/w₀ the sensitivity of the mean where more than w₀ are kept

    Notes
    -----
    :References: Theorem *A core at random* on the page *Drop the strangers* (thm-kept-at-random).

    Examples
    --------
    >>> plan = friendly_core_plan(size=4000, radius=8.2, epsilon=1, delta=1e-6)
    >>> round(plan.split, 2), round(plan.floor), round(plan.sigma, 4)
    (0.13, 3516, 0.0783)
    """
    size = _checks.integer("size", size, at_least=1)
    radius = checked_radius(radius)
    epsilon, delta = inside_budget(epsilon, delta)
    strangers = _checks.integer("strangers", strangers, at_least=0)
    beta = _checks.parameter("beta", beta, at_most=0.5)
    dropped = size - least_weight(size, strangers) + MISSING  # on average, at most
    dropped = scipy.special.pdtrik(1 - beta / 2, dropped) + 1  # but for β/2: fewer than of Poisson
    scale = 1 / (SPLITS * epsilon)
    floor = size - dropped + scale * np.log(beta) + scale * np.log(2 * delta)
    good = floor >= 1
    if not good.any():
        return CorePlan(float(SPLITS[-1]), 0.0, np.inf, np.inf)
    splits, floor = SPLITS[good], floor[good]
    sigma = mechanisms.gaussian_sigma(
        sensitivity=KEPT_APART * radius / floor, epsilon=epsilon * (1 - splits), delta=delta)
    best = np.argmin(sigma)
    margin = _grid.tail_bound(_grid.count_noise(1, splits[best] * epsilon), delta)
    passes_above = floor[best] + margin
    return CorePlan(*(float(v) for v in (splits[best], floor[best], passes_above, sigma[best])))


def inside_budget(epsilon, delta):
    """(ε', δ') of what is run on the kept records."""
    epsilon = _checks.parameter("epsilon", epsilon, at_most=_checks.LARGEST_EXPONENT)
    delta = _checks.parameter("delta", delta, at_most=0.5)
    inside = (
        friendly_core_epsilon(epsilon=epsilon),
        friendly_core_delta(epsilon=epsilon, delta=delta),
    )
    return tuple(float(part) * _grid.LESS for part in inside)


def friendly_core_mean(
        x: ArrayLike, *, radius: Real, epsilon: Real, delta: Real, strangers: Integer = 0,
        beta: Real = 0.05, runs: bool = False, rng: Generator) -> NDArray[np.float64]:
    """The mean of a random core of friends, with Gaussian noise; no range is needed.

    `friendly_mean` gives all records their weights and adds about half the noise. This is the
    algorithm that was first published, and the pattern for other friendly algorithms.

    Parameters
    ----------
    x, radius, epsilon, delta, strangers, beta, runs
        As in `friendly_mean`.
    rng : numpy.random.Generator

    Returns
    -------
    float64, shape (..., d)
        The mean of the records that `sample_friendly_core` keeps, plus N(0, σ²) in each coordinate;
        NaN, a refusal, if too few are kept. σ and the test are those of `friendly_core_plan`.

    Notes
    -----
    :Privacy: (ε, δ)-DP under ``replace``, refusals included, given fair bits. Records are rounded
        to 2**-40 of the radius or less, and nothing else that joins them is.
    :Error: Beside the noise, that of the mean of the records that are kept.
    :Cost: As `friend_counts`.
    :References: Theorem *A core at random* on the page *Drop the strangers* (thm-kept-at-random);
        corollary *The mean of a core* on the page *Drop the strangers* (cor-core-mean); Tsfadia,
        Cohen, Kaplan, Mansour and Stemmer, *FriendlyCore: practical differentially private
        aggregation* (2022).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(loc=[5e6, -3e9], size=(2000, 2))
    >>> centre = friendly_core_mean(x, radius=6, epsilon=1, delta=1e-6, rng=rng)
    >>> bool(np.all(np.abs(centre - [5e6, -3e9]) < 0.5))
    True
    """
    points, shape = records(x, runs)
    plan = friendly_core_plan(size=shape[-1], radius=radius, epsilon=epsilon, delta=delta,
                              strangers=strangers, beta=beta)
    _checks.generator(rng)
    d = points.shape[-1]
    if not plan.floor:
        return np.full((*shape[:-1], d), np.nan)
    inside, part = inside_budget(epsilon, delta)
    noise, unit = mean_noise(plan, entries=d, radius=radius, epsilon=inside, delta=part)
    points = _grid.on_grid(points, unit)
    weights = weights_of_counts(friend_counts(points, radius=radius))
    kept = _samplers.bernoulli(weights, weights.shape, rng)
    answers = noisy_core_mean(points, kept, plan, noise, unit, epsilon=inside, rng=rng)
    return answers.reshape(*shape[:-1], d)


def noisy_core_mean(points, kept, plan, noise, unit, *, epsilon, rng):
    """The friendly algorithm: the test and the noise, for the points that are kept."""
    size = np.count_nonzero(kept, axis=-1)
    noisy = _grid.count_noise(1, plan.split * epsilon).added_to_whole(size, rng)
    passed = (noisy > plan.passes_above * _grid.UP) & (size > 0)
    answers = noise.added_far_out(*weighted_mean(points, kept.astype(np.int64), unit), rng)
    return np.where(passed[:, None], answers, np.nan)
