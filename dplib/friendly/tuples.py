"""Means of tuples, such as the centres that a clustering program finds in each of many blocks, in
any order."""

from __future__ import annotations

import numpy as np

from dplib import _checks, _grid
from dplib._types import ArrayLike, Generator, Integer, NDArray, Real
from dplib.friendly.counts import PAIRS, are_friends
from dplib.friendly.mean import friendly_plan, mean_noise, noisy_weighted_mean

# radii between the points of a tuple, so that it can be matched with others in one way only
APART = 8


def friendly_tuples(
        x: ArrayLike, *, radius: Real, epsilon: Real, delta: Real, strangers: Integer = 0,
        split: Real | None = None, beta: Real = 0.05, runs: bool = False,
        rng: Generator) -> NDArray[np.float64]:
    """The mean of n tuples of m points each, whose points come in any order.

    Parameters
    ----------
    x : array_like of real numbers, shape (..., n, m, d), data sets of n tuples of points
    radius : float > 0, ρ, public
        Two tuples are friends if each point of one is within ρ of a point of the other, and in both
        all points are more than 8ρ apart.
    epsilon, delta, strangers, split, beta
        As in `friendly_mean`.
    runs : bool
        Whether axes before the last are independent runs, each a data set of its own; without it
        there may be none
    rng : numpy.random.Generator

    Returns
    -------
    float64, shape (..., m, d)
        The mean tuple with Gaussian noise, its points ordered by their first coordinate, then by
        the others; NaN, a refusal, as in `friendly_mean` with the radius √m ρ.

    Notes
    -----
    :Privacy: (ε, δ)-DP under ``replace`` of one tuple, refusals included, given fair bits; all else
        as in `friendly_mean`.
    :Cost: O(n² m² d).
    :References: Corollary *Tuples* on the page *A mean in many dimensions* (cor-friendly-tuples);
        Tsfadia, Cohen, Kaplan, Mansour and Stemmer, *FriendlyCore: practical differentially private
        aggregation* (2022).

    Examples
    --------
    >>> rng = np.random.default_rng(2)
    >>> centres = np.array([[0, 0], [9, 1], [3, 9]]) + 0.05 * rng.normal(size=(2000, 3, 2))
    >>> friendly_tuples(rng.permutation(centres, axis=1), radius=0.5, epsilon=1, delta=1e-6,
    ...                 rng=rng).round(1)
    array([[0., 0.],
           [3., 9.],
           [9., 1.]])
    """
    array = _checks.numbers("x", x)
    if array.ndim < 3 or 0 in array.shape[-3:]:
        raise ValueError(
            f"x must have shape (..., n, m, d) with none of n, m, d zero, got shape {array.shape}"
        )
    array = _checks.reals("x", _checks.one_data_set("x", array, runs, axes=3))
    radius = _checks.parameter("radius", radius, above=0, at_most=1e290)
    *batch, n, m, d = array.shape
    within = float(np.sqrt(m) * radius)
    given = dict(radius=within, epsilon=epsilon, delta=delta)
    plan = friendly_plan(size=n, **given, strangers=strangers, split=split, beta=beta)
    _checks.generator(rng)
    if not plan.floor:
        return np.full((*batch, m, d), np.nan)
    noise, unit = mean_noise(plan, entries=m * d, **given)
    runs = [_aligned(run, radius) for run in _grid.on_grid(array, unit).reshape(-1, n, m, d)]
    points = np.array([aligned for aligned, _ in runs], dtype=np.float64).reshape(-1, n, m * d)
    counts = np.array([count for _, count in runs], dtype=np.int64).reshape(-1, n)
    given = dict(epsilon=epsilon, rng=rng)
    answers = noisy_weighted_mean(points, counts, plan, noise, unit, **given).reshape(-1, m, d)
    # by all coordinates: equal points leave no order to be seen
    order = np.lexsort(np.moveaxis(answers, -1, 0)[::-1])
    return np.take_along_axis(answers, order[..., None], axis=1).reshape(*batch, m, d)


def _aligned(tuples, radius):
    """Tuples flattened, their points in the order of a heaviest tuple's, and how many friends they
    have."""
    with np.errstate(over="ignore", invalid="ignore"):
        counts = _counts(tuples, radius)
        # from each of its points to all points, (m, n, m, d)
        way = (tuples - tuples[counts.argmax()][:, None, None]) / radius
        nearest = (way * way).sum(axis=-1).argmin(axis=-1)
    return np.take_along_axis(tuples, nearest.T[..., None], axis=1).reshape(len(tuples), -1), counts


def _counts(tuples, radius):
    """How many friends each tuple has: none, if two of its points are near each other."""
    n, m, _ = tuples.shape
    twins = are_friends(tuples[:, :, None], tuples[:, None], APART * radius) & ~np.eye(
        m, dtype=bool
    )
    separate = ~twins.any(axis=(1, 2))
    counts, step = np.zeros(n, dtype=np.int64), max(1, PAIRS // (n * m * m))
    for top in range(0, n, step):
        block = tuples[top:top + step, None, :, None]
        matched = are_friends(block, tuples[None, :, None], radius).any(axis=-1).all(axis=-1)
        counts[top:top + step] = (matched & separate).sum(axis=-1)
    return np.where(separate, counts, 0)
