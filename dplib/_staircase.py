"""Integer noise with the shape of a density, exact up to the rounding of one logarithm.

A *staircase* lies above the density f: one unit of f's scale is cut into ``STEPS`` steps, and over
each of them the staircase is as high as f is at its highest there. A step h is drawn from a table
of integers, a place in it is a uniform integer L below the ``fineness`` C, and n = Ch + L is kept
with probability f(n)/(height of the step), which undoes the rounding of the table as well. So Pr[n]
is proportional to f(n/(8C)) for all integers n. What follows the first table is drawn from further
ones, deeper and deeper.

Laws
----
laplace, normal
    e^-|s| and e^(-s²/2), with a sign; the half that is called -0 is drawn anew.
exponential, gumbel
    e^-s on s ≥ 0, and e^(-s - e^-s) on s ≥ -15/4.
"""

from collections import namedtuple
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from functools import cache

import numpy as np

from dplib._numerics import CACHED_NUMBERS

STEPS = 8
# Bounds the error of the logarithm of a ratio of two probabilities, if `exp` is right to 8 ulp.
STAIRCASE_ROUNDING = 2.0**-45
FINEST = 2**40  # of C: noise stays below 2**53
SPARE = 12  # one proposal more for so many numbers: about one in twenty is not kept
TOP = 63  # bits of a table; a word of 64 has one more, for the sign
FOR_TABLES = Context(prec=60)
SLACK = Decimal(2) ** -40

Law = namedtuple("Law", "log_density first last size deeper signed")
# ratio: height by the density over height by the table
Level = namedtuple("Level", "start bounds alias ratio next_unit")

# the first step, the end, which is below 1e-304, and how many steps the tables have, so that all of
# their weights are large
LAWS = {
    "laplace": Law(lambda s: -s, 0, 5715, 127, 127, True),
    "normal": Law(lambda s: -s * s / 2, 0, 308, 63, 7, True),
    "exponential": Law(lambda s: -s, 0, 5715, 127, 127, False),
    "gumbel": Law(lambda s: -s - (-s).exp(), -30, 5685, 127, 127, False),
}


def integer_noise(law, fineness, shape, rng):
    """Integers n with Pr[n] proportional to f(n/(8C)), C = ``fineness`` at most 2**40, so that |n|
    is below 2**53."""
    out = np.empty(shape, dtype=np.int64)
    flat, done = out.reshape(-1), 0
    while done < flat.size:
        few = min(flat.size - done, CACHED_NUMBERS)
        kept = _kept(law, fineness, few + few // SPARE + 4, rng)[:few]
        flat[done:done + kept.size] = kept
        done += kept.size
    return out


def _kept(law, fineness, size, rng):
    """What is kept of so many proposals."""
    words = random_words(size, rng)
    step, ratio = _steps(law, 0, words, rng)
    place = rng.integers(0, fineness, size=size)
    coin = np.exp(EXPONENTS[law](step, place / fineness))
    coin *= ratio
    keep = rng.random(size) < coin
    step *= fineness
    step += place
    if LAWS[law].signed:
        sign = (words & np.uint64(1)).view(np.int64)
        keep &= step >= sign  # not -0
        np.negative(sign, out=sign)
        step ^= sign
        step -= sign
    return step[keep]


def _gumbel_exponent(step, share):
    # where the step is highest: left of 0 at its end, else at its beginning
    top = (step + (step < 0)) / STEPS
    away = (share - (step < 0)) / STEPS
    return -away - np.exp(-top) * np.expm1(-away)


EXPONENTS = {  # ln f at a share of the way along a step, less ln f where the step is highest
    "laplace": lambda step, share: share * (-1 / STEPS),
    "normal": lambda step, share: share * (share + 2 * step) * (-0.5 / STEPS**2),
    "exponential": lambda step, share: share * (-1 / STEPS),
    "gumbel": _gumbel_exponent,
}


# ------------------------------------------------------------------------------------------- tables


def random_words(size, rng):
    return rng.integers(0, 2**64 - 1, size=size, dtype=np.uint64, endpoint=True)


def _steps(law, depth, words, rng):
    """A step for each word, and how much of its height in the table f has."""
    table = level(law, depth)
    slots = table.ratio.size
    slot = (words >> np.uint64(65 - slots.bit_length())).view(np.int64)
    step = np.where(words < table.bounds.take(slot), slot, table.alias.take(slot))
    ratio = table.ratio.take(step)
    further = np.flatnonzero(step == slots - 1)
    step += table.start
    if further.size and table.next_unit is not None:
        step[further], ratio[further] = _steps(law, depth + 1, random_words(further.size, rng), rng)
    return step, ratio


@cache
def level(law, depth):
    """One table: so many steps from ``start`` on, and what is further out."""
    with localcontext(FOR_TABLES):
        law_, before = LAWS[law], level(law, depth - 1) if depth else None
        size = law_.deeper if depth else law_.size
        start = before.start + before.ratio.size - 1 if depth else law_.first
        height = [_height(law_, step) for step in range(start, start + size)]
        further = (1 + SLACK) * _further(law_, start + size)
        unit = before.next_unit if depth else (1 - SLACK) * 2**TOP / (sum(height) + further)
        exact = [unit * h for h in height]
        weights = [_ceil(weight) for weight in exact] + [_ceil(unit * further)]
        # never negative: SLACK leaves room for rounding up
        weights[weights.index(max(weights[:-1]))] += 2**TOP - sum(weights)
        ratio = [float(a / b) if b else 0.0 for a, b in zip(exact, weights)]
        bounds, alias = _alias(weights)
        return Level(
            start,
            bounds,
            alias,
            np.array([*ratio, 0.0]),
            unit * 2**TOP / weights[-1] if weights[-1] else None,
        )


def _height(law, step):
    """f where it is highest on a step."""
    return (
        law.log_density(Decimal(step + (step < 0)) / STEPS).exp() if step < law.last else Decimal(0)
    )


def _further(law, step):
    """At least the sum of all heights from a step on: the logarithm of f is concave, so they fall
    at least geometrically."""
    first = _height(law, step)
    return first / (1 - _height(law, step + 1) / first) if first else first


def _ceil(number):
    return int(number.to_integral_value(ROUND_CEILING))


def _alias(weights):
    """Vose's tables in integers: a word whose top bits name slot i shows i if it is below the bound
    of the slot, else the alias."""
    slots, left, alias = len(weights), list(weights), list(range(len(weights)))
    each = 2**TOP // slots
    filled = [each] * slots
    small, large = (
        [i for i in range(slots) if left[i] < each],
        [i for i in range(slots) if left[i] >= each],
    )
    while small:
        i, j = small.pop(), large[-1]
        filled[i], alias[i] = left[i], j
        left[j] -= each - left[i]
        if left[j] < each:
            small.append(large.pop())
    bounds = [2 * (each * i + part) for i, part in enumerate(filled)]
    bounds[-1] = min(bounds[-1], 2**64 - 1)
    return np.array(bounds, dtype=np.uint64), np.array(alias, dtype=np.int64)
