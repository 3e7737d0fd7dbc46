"""What an observer sees of a release besides its random value, and the records that make it differ.

A guarantee speaks of the value. It says nothing of an exception, a warning, a type, a width, a label that is printed in
another way, or a process that dies for lack of memory. None of these may depend on a single record.
"""

import sys
import tracemalloc
import warnings
from contextlib import nullcontext
from dataclasses import dataclass
from fractions import Fraction
from itertools import repeat

import numpy as np

from dplib.histograms import SparseHistogram

FLOOR, FACTOR = 200_000, 8        # bytes; by how much more memory or work counts as blowing up
CALLS = 2_000


@dataclass(frozen=True)
class Seen:
    """What is compared: `plain` must be equal, `peak` (bytes) and `calls` (of functions), if counted, of the same order."""
    plain: tuple
    peak: int | None
    calls: int | None

    @property
    def error(self):
        return dict(self.plain)["error"]

    def tells(self, other):
        """Every way in which an observer tells two releases apart without looking at their random values."""
        ways = [f"{what}: {a} | {b}" for (what, a), (_, b) in zip(self.plain, other.plain, strict=True) if a != b]
        if self.calls is None or other.calls is None:
            return ways
        for what, a, b, floor in (("memory", self.peak, other.peak, FLOOR), ("work", self.calls, other.calls, CALLS)):
            low, high = sorted((a, b))
            ways += [f"{what}: {a} | {b}"] if high > FACTOR * low + floor else []
        return ways


def form(result):
    """The result with every random number taken out; names that are printed stay, for a rare one is hardly ever printed."""
    if isinstance(result, SparseHistogram):
        return type(result), repr(result.labels), form(result.counts), type(result.threshold), result.threshold
    if isinstance(result, dict):
        return dict, repr(list(result)), {type(value) for value in result.values()}
    if isinstance(result, tuple):
        return tuple(map(form, result))
    return (type(result), result.dtype.str, result.shape) if isinstance(result, (np.ndarray, np.generic)) else type(result)


def observe(release, data, seed=0, counted=True):
    """One release of these data, watched. An error of the observer's own is not caught.

    To count its calls and its memory takes several times as long as the release, and may be left out.
    """
    rng = np.random.default_rng(seed)
    with warnings.catch_warnings(record=True) as heard, Counter() if counted else nullcontext() as counter:
        warnings.simplefilter("always")
        try:
            result, error = form(release(data, rng)), None
        except Exception as raised:
            result, error = None, (type(raised), str(raised))
    said = {(warning.category, str(warning.message)) for warning in heard}
    return Seen((("error", error), ("warnings", said), ("form", result)), *((counter.peak, counter.calls) if counted else (None, None)))


class Counter:
    """Counts the calls of functions and the largest memory while it is open."""

    def __enter__(self):
        self.calls = 0
        tracemalloc.start()
        sys.setprofile(self.count)
        return self

    def count(self, frame, event, _):
        self.calls += event in ("call", "c_call")

    def __exit__(self, *_):
        sys.setprofile(None)
        self.peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()


# --- data sets -----------------------------------------------------------------------------------------------------------

HUGE = np.finfo(float).max
NUMBERS = [0.0, -0.0, 5e-324, -5e-324, 2.3e-308, 1e-200, -1.5, np.nextafter(1, 2), 1e16, 1e154, -1e155, 1e306, -1e306, HUGE,
           -HUGE]
KINDS = [True, False, 3, 2**53 + 1, 2**63, -(2**63), 2**64, 2**100, -(2**1000), np.True_, np.int8(-3), np.uint64(2**64 - 1),
         np.float16(0.1), np.float32(0.1), np.longdouble("0.1"), Fraction(1, 3), np.float64(0.25)]
WHOLE = [0, 1, True, False, np.True_, np.int8(1), np.uint8(0), np.uint64(1), np.int64(0)]
INTEGERS = [5, 6, True, np.True_, -1, 2**31, 2**53, 2**53 + 1, 2**62, 2**63 - 1, -(2**63), np.int8(5), np.uint64(5),
            np.uint64(2**63 - 1), np.int32(-7)]
TEXTS = ["b" * 10**5, "", "a", "A", "a ", "a\0", "\0", "zz", "\ud800", "é", "e\u0301", "\U0001f600", "5", "nan", np.str_("a"),
         np.str_("a long name")]


def replaced(base, record, place):
    return [*base[:place], record, *base[place + 1:]]


def number_pairs():
    """(x, x') as lists of real numbers, one record replaced; then the same as arrays, as objects and as batches."""
    normal = np.random.default_rng(7).normal(3, 1, 30).round(3).tolist()
    tiny = (np.array(normal) / 2**20).tolist()
    bases = [normal, tiny, [0.5] * 21, [1e306] * 20, [5e-324] * 12, [float(3**k) for k in range(-15, 16)], [2.5], [2.5, -1.0]]
    for i, base in enumerate(bases):
        others = [replaced(base, record, (0, len(base) - 1, len(base) // 2)[(i + j) % 3]) for j, record in enumerate(NUMBERS + KINDS)]
        batch = lambda row: np.array([normal[:len(row)], row[:len(normal)]], order="F")
        for read, several in ((list, others), (_objects, others), (np.array, others[:len(NUMBERS)]), (batch, others[:len(NUMBERS):5])):
            yield from zip(repeat(read(base)), map(read, several))
    counts = list(range(-10, 11)) * 3
    for record in (0, -7, 2**53 + 1, 2**62, -(2**63)):
        for dtype in (int, float, np.longdouble):
            yield np.array(counts, dtype=dtype), np.array(replaced(counts, record, 4), dtype=dtype)


def label_pairs(records, bases, joined):
    """(x, x'): one record replaced; where records may be added, also one more of them."""
    for base in bases:
        others = [replaced(base, record, place) for record in records for place in ({0, len(base) - 1} if base else ())]
        others += [more for record in records for more in ([*base, record], [record, *base])] if joined else []
        for read in (list, _objects):
            yield from zip(repeat(read(base)), map(read, others))


def _objects(records):
    array = np.empty(len(records), dtype=object)
    array[:] = records
    return array


def cell_pairs(joined):
    return label_pairs(WHOLE, [[0] * 6, [1, 0] * 20, [1], [True] * 4] + [[]] * joined, joined)


def integer_pairs(joined):
    bases = [[5] * 40, [2**53] * 40 + [2**53 + 1] * 40, [True] * 40, [-(2**63)] * 40 + [2**63 - 1] * 40, [7]]
    return label_pairs(INTEGERS, bases + [[]] * joined, joined)


def text_pairs(joined):
    bases = [["a"] * 40, ["of"] * 40 + ["the"] * 40, ["a\0"] * 40, ["c" * 10**5]]
    return label_pairs(TEXTS, bases + [[]] * joined, joined)
