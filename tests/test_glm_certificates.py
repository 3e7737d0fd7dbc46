"""Certificates on floats: the rounding down to the grid is exact, whatever the sensitivity is."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest

from dplib.glm import certificates
from tests.chance import rng


def rounded_once(statistic, step):
    """As it was: a quotient that is rounded, and a product that is rounded."""
    below = np.floor(statistic / step)
    return below - (below * step > statistic)


def statistics(step, draws):
    """Statistics up to 2^51 steps, many of them at or beside a whole number of steps."""
    steps = 2 ** draws.uniform(0, 51, size=3000) * draws.choice([-1, 1], size=3000)
    steps[::2] = np.rint(steps[::2])
    for values in (steps * step, np.arange(-2000, 2000) * step):
        for near in (values, np.nextafter(values, np.inf), np.nextafter(values, -np.inf)):
            yield from np.clip(near, -certificates.LARGEST_STATISTIC * step, certificates.LARGEST_STATISTIC * step)


def wrong(steps_below, sensitivity):
    """How many statistics are not rounded down to the grid."""
    step = sensitivity / certificates.GRID
    values = np.array(list(statistics(step, rng(1))))
    exact = [floor(Fraction(float(value)) / Fraction(step)) for value in values]
    return sum(int(a) != b for a, b in zip(steps_below(values, step), exact, strict=True))


@pytest.mark.parametrize("sensitivity", [0.3, 2 + 1 / 1024, 7.7, 1e-290, 1e250])
def test_statistics_are_rounded_down_exactly(sensitivity):
    assert wrong(certificates._steps_below, sensitivity) == 0


def test_two_roundings_are_noticed():
    """Two statistics 0.3 apart were 1025 steps apart, and δ was 490 times what was promised."""
    assert wrong(rounded_once, 0.3) > 0
    one, other = 0.34951171875, 0.34951171875 - 0.3
    steps = [certificates._steps_below(np.array(value), 0.3 / 1024) for value in (one, other)]
    assert Fraction(one) - Fraction(other) <= Fraction(0.3) and steps[0] - steps[1] <= 1024
