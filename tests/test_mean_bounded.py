"""mean.bounded: an interval that covers whatever the distribution is, and is not wide for that."""

import math

import numpy as np
import pytest

from dplib.book.datasets import rand_visits
from dplib.mean import bounded_mean_interval
from tests.chance import FAR, rng, standard_errors

EXACT = 1e9  # an ε with no noise to speak of


def coverage(draw, mean, **given):
    """How many intervals cover, of how many, and their mean width."""
    x = draw(rng(1))
    ends = bounded_mean_interval(x, **given, runs=True, rng=rng(2))
    return np.sum((ends[:, 0] <= mean) & (mean <= ends[:, 1])), len(x), np.ptp(ends, axis=1).mean()


RARE = 0.002
SHAPES = {
    "visits": (lambda g: g.choice(rand_visits(), (1000, 400)), rand_visits().mean(), (0, 80)),
    "rare ones": (lambda g: g.uniform(size=(1000, 400)) < RARE, RARE, (0, 1)),
    "rare zeros": (lambda g: g.uniform(size=(1000, 400)) > RARE, 1 - RARE, (0, 1)),
    "coins": (lambda g: g.integers(0, 2, (1000, 400)), 0.5, (0, 1)),
    "one record": (lambda g: g.uniform(-1, 1, (1000, 1)), 0, (-1, 1)),
    "all the same": (lambda g: np.full((1000, 400), 2.5), 2.5, (-3, 3)),
}


@pytest.mark.parametrize("level", [0.3, 0.95])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_mean_of_a_population_is_covered(shape, level):
    draw, mean, bounds = SHAPES[shape]
    for epsilon in (0.1, 1):
        covered, runs, _ = coverage(draw, mean, bounds=bounds, epsilon=epsilon, level=level)
        assert standard_errors(covered, runs, level) > -FAR


def test_many_records_leave_twice_the_width_of_the_textbook():
    """And of a narrow distribution a fifth of what Hoeffding's bound leaves, which knows no variance."""
    source, n = rng(3), 200_000
    for x, (lo, hi) in ((source.integers(0, 2, n), (0, 1)), (source.normal(10, 10, n), (-100, 100))):
        low, high = bounded_mean_interval(x, bounds=(lo, hi), epsilon=1, rng=source)
        assert 1 < (high - low) / (2 * 1.96 * x.std() / math.sqrt(n)) < 2
    assert (high - low) / 2 < (hi - lo) * math.sqrt(math.log(40) / 2 / n) / 5


def test_a_mirror_and_another_unit_change_nothing():
    x = rng(4).exponential(size=3000)
    low, high = bounded_mean_interval(x, bounds=(0, 20), epsilon=EXACT, rng=rng(5))
    mirrored = bounded_mean_interval(7 - 3 * x, bounds=(-53, 7), epsilon=EXACT, rng=rng(5))
    assert mirrored == pytest.approx([7 - 3 * high, 7 - 3 * low], abs=1e-6)
    assert low < x.mean() < high


def test_ends_lie_between_the_bounds_in_their_order():
    with np.errstate(all="raise", under="ignore"):
        for lo, hi in ((0, 5e-324), (-1e-3, 1e-3), (1e16, 1e16 + 2), (-8e307, 8e307)):
            for epsilon in (1e-9, 0.1, 1e300):
                x = np.array([[0.0] * 60, [lo] * 60, [hi] * 60, [-1e308, 1e308] * 30])
                ends = bounded_mean_interval(x, bounds=(lo, hi), epsilon=epsilon, runs=True, rng=rng(8))
                assert ends.shape == (4, 2) and np.all(ends[:, 0] <= ends[:, 1])
                assert ends.min() >= lo and ends.max() <= hi
    nothing = bounded_mean_interval([1.0], bounds=(0, 3), epsilon=1, rng=rng(9))
    assert nothing.tolist() == [0, 3]
    assert bounded_mean_interval(np.zeros((0, 5)), bounds=(0, 1), epsilon=1, runs=True, rng=rng(9)).shape == (0, 2)


def test_bad_arguments():
    good = dict(x=[1.0, 2.0], bounds=(0, 1), epsilon=1)
    for name, bads in dict(x=([], [np.nan], 3.0), bounds=((1, 1), (0, np.inf)), epsilon=(0,), level=(0, 1)).items():
        for bad in bads:
            with pytest.raises(ValueError, match=name):
                bounded_mean_interval(**{**good, name: bad}, rng=rng())
