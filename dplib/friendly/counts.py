"""Counting friends: records at most a radius apart, the record itself included.

Who is a friend of whom is one rule for every path below: ((x - y)/r)², rounded in a fixed order and
summed over the coordinates, is at most 1. It is the same for (x, y) and (y, x), and no third record
has a say in it. The fast paths decide the clear cases by faster arithmetic, and ask the rule where
that could be wrong.
"""

from __future__ import annotations

from math import prod

import numpy as np

from dplib import _checks
from dplib._types import ArrayLike, NDArray, Real

HEIGHT, WIDTH = 248, 512  # of a block of pairs; sums of up to 255 ones fit into a byte
SMALL = 48  # records, up to which all pairs of many data sets are compared at once
PAIRS = HEIGHT * WIDTH  # compared at a time, on every path
GOLDEN = (5**0.5 - 1) / 2
# In squared radii: products of half the digits take half the time, but with a larger rounding error
# than that, too many pairs are left to the rule; with the second one, all pairs of a block.
UNCLEAR = {np.float32: 0.001, np.float64: 0.01}


def friend_counts(x: ArrayLike, *, radius: Real) -> NDArray[np.int64]:
    """How many records are within a radius of each record: not private, what `friendly_weights` is
    made of.

    Parameters
    ----------
    x : array_like of real numbers, shape (..., n, d)
        Data sets of n ≥ 1 records with d ≥ 1 coordinates each
    radius : float > 0, r, how far friends may be apart, in Euclidean distance

    Returns
    -------
    int64, shape (..., n), the number of friends of each record, itself included

    Notes
    -----
    :Cost: O(n log n) for each data set if d = 1, else O(n² d) by products of matrices. Beside a few
        copies of one data set the working memory has room for 248 × 512 pairs, however many records
        there are.
    :References: Definition *Friends and weights* on the page *Drop the strangers*
        (def-friendly-weights).

    Examples
    --------
    >>> friend_counts([[0], [0.5], [1.2], [7]], radius=1)
    array([2, 3, 2, 1])
    """
    points, shape = records(x, runs=True)
    radius = _checks.parameter("radius", radius, above=0)
    # a distance beyond all floats is larger than r like any other
    with np.errstate(over="ignore", invalid="ignore"):
        return _counts(points, radius).reshape(shape)


def records(x, runs):
    """Data sets of vectors as one float array of shape (runs, n, d), and the shape of a number for
    each record."""
    array = _checks.numbers("x", x)
    if array.ndim < 2 or 0 in array.shape[-2:]:
        raise ValueError(
            "x must have shape (..., n, d) with at least one record and one coordinate, got shape "
            f"{array.shape}"
        )
    array = _checks.reals("x", _checks.one_data_set("x", array, runs, axes=2))
    *batch, n, d = array.shape
    return array.reshape(prod(batch), n, d), (*batch, n)


def are_friends(one, other, radius):
    """The rule, for records along the last axis, broadcast."""
    total = 0.0
    for k in range(one.shape[-1]):
        part = (one[..., k] - other[..., k]) / radius
        total = total + part * part
    return total <= 1


def _counts(points, radius):
    runs, n, d = points.shape
    if n <= SMALL:
        return _all_pairs(points, radius)
    one = _sorted_counts if d == 1 else _blocked_counts
    return np.array([one(run, radius) for run in points], dtype=np.int64).reshape(runs, n)


def _all_pairs(points, radius):
    """Every pair by the rule, as many data sets at a time as fit."""
    runs, n, _ = points.shape
    step = max(1, PAIRS // n**2)
    counts = np.empty((runs, n), dtype=np.int64)
    for top in range(0, runs, step):
        part = points[top:top + step]
        counts[top:top + step] = are_friends(part[:, :, None], part[:, None], radius).sum(axis=-1)
    return counts


# ------------------------------------------------------------------------------------ one dimension


def _sorted_counts(points, radius):
    """In order, the friends of a record are a run; where it ends is found for all, and where it
    begins follows."""
    order = np.argsort(points[:, 0])
    x = points[order, 0]
    end = _ends(x, radius)
    # j begins to be a friend at the first i whose run reaches beyond j: as many i come before it as
    # have runs that do not.
    begin = np.cumsum(np.bincount(end, minlength=x.size + 1))[:x.size]
    counts = np.empty(x.size, dtype=np.int64)
    counts[order] = end - begin
    return counts


def _ends(x, radius):
    """For each of the sorted numbers, how many are no further to the right than its last friend."""
    end = np.searchsorted(x, x + radius, side="right")
    beyond = np.append(x, np.inf)
    wrong = ((beyond[end] - x) / radius <= 1) | ((x[end - 1] - x) / radius > 1)  # x + r was rounded
    i = np.flatnonzero(wrong)
    low, high = i + 1, np.full(i.size, x.size)  # x[low - 1] is a friend, beyond[high] is none
    for _ in range(x.size.bit_length()):
        middle = (low + high) // 2
        friend = (beyond[middle] - x[i]) / radius <= 1
        low, high = np.where(friend, middle + 1, low), np.where(friend, high, middle)
    end[i] = low
    return end


# ------------------------------------------------------------------------------- several dimensions


def _blocked_counts(points, radius):
    """Blocks of pairs along a fixed direction, so that no block compares records that are clearly
    apart along it.

    The direction is public and so is how blocks are made: one record more or less here or there
    hardly changes the work.
    """
    n = len(points)
    low, high = _shadows(points, radius)
    order = np.argsort(low)
    points, low, high, counts = points[order], low[order], high[order], np.zeros(n, dtype=np.int64)
    for top in range(0, n, HEIGHT):
        rows = slice(top, min(top + HEIGHT, n))
        far = max(rows.stop, np.searchsorted(low, high[rows].max() + 1, side="right"))
        for part, friends in _blocks(points, rows, far, radius):
            counts[rows] += _row_sums(friends)
            if part.start >= rows.stop:  # the same pairs in the other order
                counts[part] += np.add.reduce(friends, axis=0, dtype=np.uint8)
    result = np.empty(n, dtype=np.int64)
    result[order] = counts
    return result


def _shadows(points, radius):
    """Bounds of the place of each record along a direction of length 1 that no data lie along, in
    radii; friends are 1 apart at most."""
    direction = 0.5 + np.arange(1, points.shape[-1] + 1) * GOLDEN % 1
    parts = points * (direction / np.linalg.norm(direction) / radius)
    place, doubt = parts.sum(axis=-1), 1e-15 * parts.shape[-1] * np.abs(parts).sum(axis=-1) + 1e-9
    low = np.nan_to_num(place - doubt, nan=-np.inf, neginf=-np.inf)
    return low, np.nan_to_num(place + doubt, nan=np.inf, posinf=np.inf)


def _blocks(points, rows, far, radius):
    """The friends among a block of rows and all later records: first those of the rows themselves,
    then block by block."""
    # the centre is near, so that little cancels
    near = (points[rows.start:far] - points[rows.start]) / radius
    squares = np.square(near).sum(axis=-1)
    height = rows.stop - rows.start
    largest, made = squares[:height].max(), {}
    starts = [0, *range(height, len(near), WIDTH)]
    for start, stop in zip(starts, [*starts[1:], len(near)], strict=True):
        part = slice(rows.start + start, rows.start + stop)
        kind, slack = _precision(points.shape[-1], largest, squares[start:stop].max())
        if kind is None:
            yield part, are_friends(points[rows, None], points[None, part], radius).view(np.uint8)
            continue
        if kind not in made:
            made[kind] = _factors(near.astype(kind), squares.astype(kind), height)
        left, right = made[kind]
        product = left @ right[start:stop].T  # |x - y|²/r² - 1
        yield part, _decided(product, slack, points[rows], points[part], radius)


def _factors(near, squares, height):
    """What gives |x - y|² - 1 when multiplied, for the first records x and all y."""
    ones = np.ones_like(squares)
    left = np.column_stack([near[:height] * -2, squares[:height], ones[:height]])
    return left, np.column_stack([near, ones, squares - 1])


def _precision(d, *squares):
    """The shortest floats whose products are good enough, with their rounding error; or none."""
    for kind, limit in UNCLEAR.items():
        slack = _rounding(kind, d, *squares)
        if slack < limit:
            return kind, kind(slack)
    return None, np.inf


def _rounding(kind, d, *squares):
    """More than the error of a squared distance that is made of products, in squared radii; may be
    infinite."""
    return 8 * (d + 8) * np.finfo(kind).eps * (1 + sum(np.sqrt(squares))) ** 2


def _decided(product, slack, rows, columns, radius):
    """1 for friends, 0 for strangers; the rule is asked where the product is within its rounding
    error of 0."""
    friends = product <= slack
    unclear = friends ^ (product <= -slack)
    if unclear.any():
        i, j = np.nonzero(unclear)
        for first in range(0, i.size, PAIRS):
            few = slice(first, first + PAIRS)
            friends[i[few], j[few]] = are_friends(rows[i[few]], columns[j[few]], radius)
    return friends.view(np.uint8)


def _row_sums(friends):
    """Sums of at most 8 · 255 ones along each row, eight at a time where the row has a multiple of
    eight."""
    if friends.shape[1] % 8:
        return np.add.reduce(friends, axis=1, dtype=np.int64)
    words = np.add.reduce(friends.view(np.uint64), axis=1, dtype=np.uint64)
    return np.add.reduce(words[:, None].view(np.uint8), axis=1, dtype=np.int64)
