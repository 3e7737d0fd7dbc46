"""The exact privacy of a release of one coefficient: all its randomness is summed up, and none is drawn.

A release from `dplib.glm.releases` is run with its three sources of chance replaced: the certificate, which then takes each of
its values in turn, and the Laplace noises, whose centres and scales are written down. What comes out is a list of laws, one for
each value of the certificate, and of these the largest gap P(S) - e^ε P'(S) of all events is computed, before numbers are moved to
a grid.
"""

import inspect
import sys
import types
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import numpy as np

from dplib import _grid
from dplib.aggregation import refused
from dplib.glm.standard_errors import shared
from dplib.glm import ROBUST, Box, fit_model, releases, standard_errors, terms

NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)


class Watched:
    """Stands in for `dplib._grid`: every noise is 1/2, and its centre and scale are written down."""

    def __init__(self, noises):
        self.noises = noises

    def __getattr__(self, name):
        return getattr(_grid, name)

    def laplace_noise(self, **given):
        noise = _grid.laplace_noise(**given)
        note = lambda value, rng: self.noises.append((float(value), noise.scale)) or 0.5
        return types.SimpleNamespace(scale=noise.scale, added_to=note, added_to_fraction=note)

    def rounded(self, law, centre, factor, **given):
        assert law == "laplace"
        self.noises.append((float(centre[0]), float(factor[0][0])))
        return np.array([0.5])


@dataclass(frozen=True)
class Law:
    """What a release does to one data set: the certificate's values, from 0 on, how likely they are, and what follows each."""
    place: int               # of the largest value, in steps of the grid
    chances: np.ndarray      # of the values place - 2a, ..., place
    follows: list            # (what is published with all noises 0, [(centre, scale), ...]) of each value; None is a refusal


@cache
def changed(old, new, module=releases):
    """A copy of a module, with one change in its source or in that of what it imports of terms and standard errors."""
    sources = {each.__name__: inspect.getsource(each) for each in (terms, standard_errors, module)}
    assert [old in source for source in sources.values()].count(True) == 1, f"one of {list(sources)} must say {old}"
    before = {name: sys.modules[name] for name in sources}
    try:
        for name, source in sources.items():
            sys.modules[name] = copy = types.ModuleType(name)        # where the second one, and dataclasses, look for it
            exec(compile(source.replace(old, new), name, "exec"), vars(copy))
    finally:
        sys.modules.update(before)
    return copy


@contextmanager
def replaced(function, **pieces):
    names = function.__globals__
    before = {name: names[name] for name in pieces}
    names.update(pieces)
    try:
        yield
    finally:
        names.update(before)


def certified(release, certify, fit):
    """The release with another certificate, and a fit that need not be made again."""
    return replaced(release.__globals__["Terms"].certify, certify_below=certify, fit_model=lambda *args, **kwargs: fit)


def law(release, X, y, weights=None, *, grid=16, **given):
    """The law of a release on one data set, with a certificate on a coarse grid of κ/grid."""
    asked, noises, given = {}, [], dict(rows_per_unit=1) | given

    def certify(statistic, *, sensitivity, epsilon, delta, rng):
        asked.update(statistic=statistic, sensitivity=sensitivity, epsilon=epsilon, delta=delta)
        return asked.get("value", 0.0)

    fit = fit_model(X, y, weights=weights, loss=given["loss"], domain=given["domain"], changes=2 * given["rows_per_unit"])
    run = lambda: release(X, y, weights=weights, **given, rng=np.random.default_rng(0))
    watched, errors = Watched(noises), release.__globals__.get("shared", shared)
    with certified(release, certify, fit), replaced(release, _grid=watched), replaced(errors, _grid=watched):
        run()
        step = asked["sensitivity"] / grid
        rate = asked["epsilon"] / grid
        wide = int(np.ceil(np.log((np.expm1(asked["epsilon"]) + 2 * asked["delta"]) / (asked["delta"] * (1 + np.exp(-rate)))) / rate - 1))
        chances = np.exp(-rate * np.abs(np.arange(-wide, wide + 1)))
        place = int(np.floor(asked["statistic"] / step))
        follows = []
        for at in range(place - 2 * wide, place + 1):
            asked["value"] = max(0.0, at * step)
            noises.clear()
            out = run() if at > 0 else None
            follows.append(None if out is None or refused(out) else (repr(out.__dict__), list(noises)))
    return Law(place, chances / chances.sum(), follows)


def laplace_gap(epsilon, shift, scale, other):
    """E of e^ε of Lap(scale) at 0 and Lap(other) at `shift`: the log ratio is linear on three pieces."""
    epsilon, m, b, c = np.broadcast_arrays(*(np.asarray(v, float) for v in (epsilon, np.abs(shift), scale, other)))
    left = np.log(c / b) + m / c - epsilon           # ln p/q - ε at 0, and its slope on each piece
    pieces = [(-np.inf, 0 * m, 1 / b - 1 / c, left, 0 * m), (0 * m, m, -1 / b - 1 / c, left, 0 * m),
              (m, np.inf, 1 / c - 1 / b, left - m * (1 / b + 1 / c), m)]
    below = lambda x, at, s: np.where(x < at, np.exp(-np.abs(x - at) / s) / 2, 1 - np.exp(-np.abs(x - at) / s) / 2)
    total = 0
    for low, high, slope, value, anchor in pieces:
        with np.errstate(divide="ignore", invalid="ignore"):
            root = np.where(slope != 0, anchor - value / slope, np.where(value > 0, -np.inf, np.inf))
        rising = slope >= 0
        lo = np.where(rising, np.clip(root, low, high), low)
        hi = np.where(rising, high, np.clip(root, low, high))
        mass = lambda at, s: below(hi, at, s) - below(lo, at, s)
        total = total + np.where(hi > lo, mass(0, b) - np.exp(epsilon) * mass(m, c), 0)
    return np.clip(total, 0, 1)


def gap(ours, theirs, epsilon):
    """The largest P(S) - e^ε P'(S): the refusals are one output, and after each value of the certificate the noises count."""
    at = lambda law: {law.place - len(law.chances) + 1 + i: (p, f) for i, (p, f) in enumerate(zip(law.chances, law.follows))}
    first, second = at(ours), at(theirs)
    silent = [sum(p for p, follows in each.values() if follows is None) for each in (first, second)]
    total, rows = max(0.0, silent[0] - np.exp(epsilon) * silent[1]), []
    for place, (chance, follows) in first.items():
        if follows is None:
            continue
        other, after = second.get(place, (0, None))
        if after is None or follows[0] != after[0] or len(follows[1]) != len(after[1]):
            total += chance                       # what is published beside the noisy numbers tells who it is
            continue
        rows.append((chance, np.log(other / chance), follows[1], after[1]))  # other > 0: both can say it
    for many in {len(row[2]) for row in rows}:
        chance, less = (np.array([row[i] for row in rows if len(row[2]) == many]) for i in (0, 1))
        mine, yours = (np.array([row[i] for row in rows if len(row[2]) == many]) for i in (2, 3))
        left = epsilon + less
        inner = lambda e: laplace_gap(e, (mine - yours)[:, 0, 0], mine[:, 0, 1], yours[:, 0, 1])
        if many == 1:
            total += chance @ inner(left)
        else:                                     # the second noise has one scale: its loss has two atoms and a density
            assert np.allclose(mine[:, 1, 1], yours[:, 1, 1], rtol=1e-12), "a scale depends on the data"
            d = np.abs(mine - yours)[:, 1, 0] / mine[:, 1, 1]
            mean = inner(left - d) / 2 + np.exp(-d) / 2 * inner(left + d)
            for x, w in zip(NODES, WEIGHTS):
                mean = mean + w * d * np.exp(-(d - x * d) / 2) / 4 * inner(left - x * d)
            total += chance @ mean
    return float(total)


def worst_gap(release, first, second, *, epsilon, **given):
    """In both orders."""
    laws = [law(release, *data, epsilon=epsilon, **given) for data in (first, second)]
    return max(gap(*laws, epsilon), gap(*laws[::-1], epsilon))


# ------------------------------------------------------------------------------------------------------- adversarial pairs

LINE = Box([(-1, 1)], intercept=False)
ARMS = Box([(0, 1)], binary=[0])


def towns(lead, people=2000, far=1000.0):
    """Two towns far apart: one at 0 with so many people more, and the other pulls with all its force."""
    here = (people + lead) // 2
    return np.ones((people, 1)), np.r_[np.zeros(here), np.full(people - here, -far)]


def arms(cells):
    """A trial from (people, of whom responders) in either arm."""
    X = np.repeat([0.0, 1.0], [people for people, _ in cells])[:, None]
    return X, np.concatenate([np.repeat([1.0, 0.0], [good, people - good]) for people, good in cells])


def counted(X, y):
    """The same data as distinct rows, and how many records share each."""
    rows, weights = np.unique(np.c_[X, y], axis=0, return_counts=True)
    return rows[:, :-1], rows[:, -1], weights


ON_LINE = dict(move=([-1], [1]), domain=LINE, loss=ROBUST)
