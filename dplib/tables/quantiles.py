"""Several quantiles at once: the middle level first, then those on either side of it.

Each level is chosen by permute-and-flip among the halves of the cells that earlier choices left: no
more than the level's share of the votes should lie below it, and no more than the rest above it.
There is such a half, however many votes are equal. It goes on as the last candidate of one side,
with half of its tokens, and as the first one of the other side, with the rest. So no token is on
both sides, each depth costs the same, however many levels it has, and answers do not decrease.

Symbols
-------
L, R, N
    Tokens below and above a half, and all of them, on the side that earlier choices left.
τ
    The level on this side, left/(left + right) of integers: scores are integers.
"""

from __future__ import annotations

import numpy as np

from dplib import _checks, mechanisms

PER = 1000  # levels are multiples of 1/1000
FAR_BELOW = -1e300  # the score of what is no candidate
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


def choose_halves(tokens, levels, *, changes, alone, epsilon, rng):
    """Which half of a cell, of twice as many as cells, for each level, shape (*groups, levels),
    from tokens of shape (*groups, cells). ``changes`` and ``alone`` as in `weight`; each depth
    costs ``epsilon``."""
    sides = [_halves(tokens)]
    index = np.arange(sides[0].shape[-1])
    chosen = np.empty((*tokens.shape[:-1], len(levels) + 2), dtype=np.int64)
    chosen[..., 0], chosen[..., -1] = 0, index[-1]
    for first, middle, last, left, right in _choices(levels):
        side = sides.pop()
        start, end = chosen[..., first, None], chosen[..., last, None]
        scores = np.where((start <= index) & (index <= end), _scores(side, left, right), FAR_BELOW)
        moved = weight(left, right, changes, alone) * SCORE_ROUNDING
        chosen[..., middle] = mechanisms.permute_and_flip(
            scores, sensitivity=moved, epsilon=epsilon, rng=rng)
        lower, upper = _sides(side, chosen[..., middle, None])
        sides += [upper] * (last - middle > 1) + [lower] * (middle - first > 1)
    return chosen[..., 1:-1]


def weight(left, right, changes, alone):
    """How far a score moves between neighbours: ``changes`` are the tokens that a unit has, two
    numbers where it is replaced. In an ``alone`` choice the old and the new ones are on one axis:
    the worst is one side less and the other one more."""
    return sum(sorted((left, right))[-len(changes):] if alone else
               [max(left, right)] * len(changes)) * max(changes)


def error_scale(levels, changes, alone, epsilon):
    """So many votes of rank error come from each unit of ln(halves/β): the scales of all depths
    added up, each the largest at its depth."""
    largest = {}
    for first, _, last, left, right in _choices(levels):
        depth = (last - first - 1).bit_length()
        scale = 2 * weight(left, right, changes, alone) / (left + right) / epsilon
        largest[depth] = max(largest.get(depth, 0), scale)
    return sum(largest.values())


def _choices(levels):
    """(first, middle, last, left, right) for each choice, after those of the levels first and last:
    the middle level lies left after the one and right before the other."""
    ends, waiting = [0, *levels, PER], [(0, len(levels) + 1)]
    while waiting:
        first, last = waiting.pop()
        if last - first > 1:
            middle = (first + last) // 2
            yield first, middle, last, ends[middle] - ends[first], ends[last] - ends[middle]
            waiting += [(middle, last), (first, middle)]


def _halves(tokens):
    """Two halves of each cell: its tokens are spread evenly over them."""
    return ((tokens[..., None] + np.arange(2)) // 2).reshape(*tokens.shape[:-1], -1)


def _scores(side, left, right):
    """-max{0, L - τN, R - (1 - τ)N} for each half, times left + right, as floats."""
    upto = side.cumsum(axis=-1)
    N = upto[..., -1:]
    L, R = upto - side, N - upto
    too_many = np.maximum((left + right) * L - left * N, (left + right) * R - right * N)
    return -np.maximum(too_many, 0).astype(np.float64)


def _sides(side, chosen):
    """The tokens for the levels before a choice and for those after it, the chosen ones halved."""
    index = np.arange(side.shape[-1])
    lower = np.where(index < chosen, side, np.where(index == chosen, side // 2, 0))
    return lower, side - lower
