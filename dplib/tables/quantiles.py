"""Several quantiles at once: the middle level first, then those on either side of it.

Each level is chosen by permute-and-flip among the points of the grid that earlier choices left, by
how far the votes below a point are from the level's share. A unit's votes lie on both sides of an
answer, but not twice: so each depth costs the same, however many levels it has.

Symbols
-------
L, R
    Tokens below and above a point, within the bounds that earlier choices set.
τ
    The level within these bounds, a fraction of integers: scores are integers.
"""

from __future__ import annotations

import numpy as np

from dplib import _checks, mechanisms

PER = 1000  # levels are multiples of 1/1000
SCORE_ROUNDING = 1 + 2.0**-18  # more than a score is moved by as a float, of 2**63 at most


def depth_of(levels):
    """How many choices lie between no answer and the last one."""
    return len(levels).bit_length()


def exact_levels(levels):
    """Increasing levels, in thousandths."""
    levels = np.atleast_1d(_checks.reals("levels", levels, above=0, below=1))
    thousandths = np.rint(levels * PER).astype(np.int64)
    if levels.ndim > 1 or np.abs(thousandths / PER - levels).max() > 1e-12:
        raise ValueError(f"levels must be a list of multiples of 1/{PER}, got {levels.tolist()}")
    if not (np.diff(thousandths) > 0).all():
        raise ValueError(f"levels must increase, got {levels.tolist()}")
    return thousandths


def choose_points(tokens, levels, *, changes, alone, epsilon, rng):
    """A point of the grid for each level, shape (*groups, levels), from tokens of shape (*groups,
    cells). ``changes`` and ``alone`` as in `weight`; each depth costs ``epsilon``."""
    below = np.concatenate(
        [np.zeros((*tokens.shape[:-1], 1), np.int64), tokens.cumsum(axis=-1)], axis=-1)
    points = np.empty((*tokens.shape[:-1], len(levels) + 2), dtype=np.int64)
    points[..., 0], points[..., -1] = 0, tokens.shape[-1]
    for first, middle, last, left, right in _choices(levels):
        scores = _scores(below, points[..., first], points[..., last], left, right)
        moved = weight(left, right, changes, alone) * SCORE_ROUNDING
        points[..., middle] = mechanisms.permute_and_flip(
            scores, sensitivity=moved, epsilon=epsilon, rng=rng)
    return points[..., 1:-1]


def weight(left, right, changes, alone):
    """How far a score moves between neighbours: ``changes`` are the tokens that a unit has, two
    numbers where it is replaced. In an ``alone`` choice the old and the new ones are on one axis:
    the worst is one side less and the other one more."""
    return sum(sorted((left, right))[-len(changes):] if alone else
               [max(left, right)] * len(changes)) * max(changes)


def error_scale(levels, changes, alone, epsilon):
    """So many votes of rank error come from each unit of ln(points/β): the scales of all depths
    added up, each the largest at its depth."""
    largest = {}
    for first, _, last, left, right in _choices(levels):
        depth = (last - first - 1).bit_length()
        scale = 2 * weight(left, right, changes, alone) / (left + right) / epsilon
        largest[depth] = max(largest.get(depth, 0), scale)
    return sum(largest.values())


def _choices(levels):
    """(first, middle, last, left, right) for each choice, in an order in which the points first and
    last are there: the middle level lies left after the one and right before the other."""
    ends, waiting = [0, *levels, PER], [(0, len(levels) + 1)]
    while waiting:
        first, last = waiting.pop()
        if last - first > 1:
            middle = (first + last) // 2
            yield first, middle, last, ends[middle] - ends[first], ends[last] - ends[middle]
            waiting += [(middle, last), (first, middle)]


def _scores(below, start, end, left, right):
    """-|right L - left R| at each point from start to end, as floats; far below elsewhere."""
    at_start, at_end = (np.take_along_axis(below, place[..., None], axis=-1)
                        for place in (start, end))
    scores = -np.abs(right * (below - at_start) - left * (at_end - below)).astype(np.float64)
    index = np.arange(below.shape[-1])
    outside = (index < start[..., None]) | (index > end[..., None])
    return np.where(outside, -1e300, scores)
