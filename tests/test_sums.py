"""Sums without rounding, against fractions."""

from fractions import Fraction

import numpy as np
import pytest

from dplib import _sums
from dplib._sums import Tally
from tests.chance import rng
from tests.mutants import changed


def rounded(value, unit):
    """The nearest whole multiple, as Python rounds: halves to the even one, as the machine does."""
    return round(Fraction(value) / Fraction(unit))


@pytest.mark.parametrize("half_width", [1.0, 3.7, 1e-300, 5e-324, 1e300, 1.7e308, 10.0])
@pytest.mark.parametrize("size", [1, 2, 1000])
def test_sums_are_those_of_the_rounded_records(half_width, size):
    draws, window = rng(size), Tally.of(size, half_width)
    records = np.ldexp(draws.uniform(-1, 1, (4, size)), draws.integers(-60, 1, (4, size))) * half_width
    records[0, 0], records[1, 0], records[2, 0] = np.finfo(float).max, -np.finfo(float).max, 0.0
    clipped = np.clip(records, -half_width, half_width)
    unit = window.unit
    expected = [sum(rounded(x, unit) for x in row) for row in clipped.tolist()]
    assert window.sums(records).tolist() == expected
    assert unit <= max(half_width * 2.0**-36, 5e-324)


def test_the_order_of_the_records_does_not_matter():
    draws, window = rng(1), Tally.of(50_000, 10)
    records = draws.normal(size=50_000)
    sums = {int(window.sums(draws.permutation(records))) for _ in range(5)}
    assert len(sums) == 1
    floats = {float(draws.permutation(records).sum()) for _ in range(5)}
    assert len(floats) > 1  # as it was


def test_one_record_moves_a_sum_by_what_is_said():
    for half_width in (1.0, 3.7, 10.0, 1e-310):
        window = Tally.of(100, half_width)
        low, high = (window.sums(np.append(np.zeros(99), end)) for end in (-np.inf, np.inf))
        assert high - low == window.moved
        assert abs(window.moved * Fraction(window.unit) / (2 * Fraction(half_width)) - 1) <= Fraction(1, 2**36) or half_width < 1e-300


@pytest.mark.parametrize("size", [1, 2**24, 2**24 + 1, 2**40, 2**61 - 1])
def test_int64_holds_the_sum_whatever_the_records_are(size):
    window = Tally.of(size, 1.0)
    assert size * window.moved // 2 < 2**62 and window.unit >= 2.0**-37


def test_a_sum_of_floats_is_found_out():
    """One record that moves by one unit moves a sum of floats, beyond 2**53 units, by nothing."""
    naive = changed(_sums.Tally.sums, "self.counted(self.bits(x, x))", "(np.rint(x / self.unit) * self.unit).sum(axis=-1) / self.unit")
    window, records = Tally.of(2**19, 1.0), np.ones(2**19)
    neighbor = records.copy()
    neighbor[0] -= window.unit
    assert naive(window, records.copy()) - naive(window, neighbor.copy()) == 0
    assert window.sums(records) - window.sums(neighbor) == 1
