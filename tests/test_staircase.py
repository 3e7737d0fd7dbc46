"""The integer noise under all releases: its law by enumeration, and draws of it."""

from dataclasses import dataclass
from functools import cache
from unittest.mock import patch

import mpmath
import numpy as np
import pytest
from scipy.special import chdtri, gammainc, ndtr
from scipy.stats import ncx2

from dplib import _staircase
from dplib._staircase import LAWS, STEPS, TOP, integer_noise, level
from dplib._staircase import STAIRCASE_ROUNDING as ROUNDING
from tests.chance import ALARM, chi_square, rng
from tests.mutants import changed

FINENESS = (2**37, 2**40, 3 * 2**36 + 1)
DENSITY = {
    "laplace": lambda s: mpmath.exp(-s),
    "normal": lambda s: mpmath.exp(-s * s / 2),
    "exponential": lambda s: mpmath.exp(-s),
    "gumbel": lambda s: mpmath.exp(-s - mpmath.exp(-s)),
}

# ------------------------------------------------------------------------------------------------------ by enumeration


def weights(table):
    """The integers of 2**63 that fall to each step, counted from the words that a draw compares."""
    slots = table.ratio.size
    each, counted = 2**TOP // slots, [0] * slots
    for slot, (bound, alias) in enumerate(zip(table.bounds.tolist(), table.alias.tolist(), strict=True)):
        own = (bound + (bound == 2**64 - 1) - 2 * each * slot) // 2  # the lowest bit of a word is the sign
        assert 0 <= own <= each
        counted[slot] += own
        counted[alias] += each - own
    assert sum(counted) == 2**TOP
    return counted


def tables(law):
    """Every table on the way to the end of the law, and the probability that it is asked."""
    asked, depth = mpmath.mpf(1), 0
    while True:
        table = level(law, depth)
        yield asked, table
        if table.next_unit is None or table.start + table.ratio.size > LAWS[law].last:
            return
        asked *= mpmath.mpf(weights(table)[-1]) / 2**TOP
        depth += 1


@dataclass
class Law:
    """From the doubles that are drawn and tossed: by how much ln Pr[n] - ln f(n/8C) varies, and how far out."""

    error: float
    last: int


@cache
def enumerated(law, every=7):
    with mpmath.workdps(40):
        lowest, highest, last = mpmath.inf, mpmath.mpf(0), 0
        for depth, (asked, table) in enumerate(tables(law)):
            counted = weights(table)
            steps = range(0, table.ratio.size - 1, every if depth > 2 else 1)
            for step in (s for s in steps if table.start + s < LAWS[law].last):
                for fineness in FINENESS:
                    for place in (0, fineness // 2, fineness - 1):
                        number = np.array([table.start + step]), np.array([place]) / fineness
                        coin = np.exp(_staircase.EXPONENTS[law](*number)) * table.ratio[[step]]
                        tossed = mpmath.ceil(mpmath.mpf(float(coin[0])) * 2**53) / 2**53  # chances of rng.random() < coin
                        ideal = DENSITY[law](mpmath.mpf((table.start + step) * fineness + place) / (STEPS * fineness))
                        ratio = asked * counted[step] / 2**TOP * tossed / ideal
                        lowest, highest = min(lowest, ratio), max(highest, ratio)
                last = max(last, table.start + step)
        return Law(float(mpmath.log(highest / lowest)) if lowest > 0 else np.inf, last)


@pytest.mark.parametrize("law", LAWS)
def test_the_law_is_that_of_the_density(law, record_property):
    """ROUNDING has room for an `exp` that errs by 8 units of the last place, 7 more than here."""
    found = enumerated(law)
    record_property("log_error", found.error)
    assert found.error <= ROUNDING - 2 * 7 * 2.0**-53
    assert found.last > 0.95 * LAWS[law].last


@pytest.mark.parametrize("law", LAWS)
def test_what_lies_behind_the_tables_never_occurs(law):
    s = mpmath.mpf(LAWS[law].last) / STEPS
    beyond = {"normal": lambda: mpmath.erfc(s / mpmath.sqrt(2))}.get(law, lambda: mpmath.exp(-s))
    assert 2 * beyond() < mpmath.mpf("1e-300")


@pytest.mark.parametrize("law", ["laplace", "exponential", "gumbel"])
def test_a_step_costs_at_most_its_share(law):
    """Theorem 7 rests on Pr[N ≥ t] ≤ e^r Pr[N ≥ t + 1], r = 1/(8C): the hazard of a choice's noise."""
    scale, end = 4 * STEPS, 5000
    first = -500 if law == "laplace" else LAWS[law].first * 4
    with mpmath.workdps(40):
        masses = [DENSITY[law](mpmath.mpf(abs(n) if law == "laplace" else n) / scale) for n in range(first, end)]
        tail, steps = mpmath.mpf(0), []
        for mass in reversed(masses):
            steps.append((tail + mass) / tail if tail else mpmath.inf)
            tail += mass
        worst = max(steps[end // 2:])  # what lies beyond the end is e^-78 of what lies beyond the middle
        assert worst <= mpmath.exp(mpmath.mpf(1) / scale) * (1 + mpmath.mpf(10) ** -30)


# ------------------------------------------------------------------------------------------------------------- mistakes


def not_undone(law, depth):
    table = LEVEL(law, depth)
    return table._replace(ratio=np.where(table.ratio > 0, 1.0, 0.0))


LEVEL = level


def in_single_precision(step, share):
    return (share.astype(np.float32) * np.float32(-1 / STEPS)).astype(float)


MISTAKES = {
    "the rounding of the tables is not undone": (f"{__name__}.level", not_undone),
    "a density a trillionth narrower": ("dplib._staircase.EXPONENTS", {"laplace": lambda step, share: share * ((-1 - 1e-12) / STEPS)}),
    "an exponent in single precision": ("dplib._staircase.EXPONENTS", {"laplace": in_single_precision}),
}


@pytest.mark.parametrize("where, mistake", MISTAKES.values(), ids=MISTAKES)
def test_enumeration_finds_a_mistake(where, mistake):
    assert enumerated("laplace").error < ROUNDING
    with patch(where, mistake):
        assert enumerated.__wrapped__("laplace").error > ROUNDING


# ---------------------------------------------------------------------------------------------------------------- draws

FURTHEST = 60


def cells(noise):
    return np.bincount(np.clip(noise, -FURTHEST, FURTHEST) + FURTHEST, minlength=2 * FURTHEST + 1)


def mass_of(law, scale):
    """Pr[n] of the integers up to 60, the ends for all beyond."""
    n = np.arange(-4000, 4001)
    s = n / scale
    ideal = {"laplace": np.exp(-np.abs(s)), "normal": np.exp(-s * s / 2), "exponential": np.where(n >= 0, np.exp(-np.maximum(s, 0)), 0),
             "gumbel": np.where(s >= LAWS["gumbel"].first / STEPS, np.exp(-s - np.exp(-np.maximum(s, -30))), 0)}[law]
    return np.bincount(np.clip(n, -FURTHEST, FURTHEST) + FURTHEST, weights=ideal / ideal.sum())


DRAWS = 2_000_000


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("fineness", [1, 2])
def test_draws_fit_the_law(law, fineness):
    ideal = mass_of(law, STEPS * fineness)
    assert chi_square(cells(integer_noise(law, fineness, DRAWS, rng(fineness))), ideal) > ALARM


def power(law, others):
    freedom = np.count_nonzero(law) - 1
    return ncx2.sf(chdtri(freedom, ALARM), freedom, DRAWS * np.sum((others - law)[law > 0] ** 2 / law[law > 0]))


@pytest.mark.parametrize("law", LAWS)
def test_a_fit_has_power_against_a_scale_one_percent_off_and_a_doubled_zero(law):
    ideal = mass_of(law, STEPS)
    doubled = ideal * (1 + (np.arange(ideal.size) == FURTHEST))
    assert power(ideal, mass_of(law, STEPS * 0.99)) > 0.999
    assert power(ideal, doubled / doubled.sum()) > 0.999


def test_a_second_zero_is_found():
    with patch.object(_staircase, "_kept", changed(_staircase._kept, "keep &= step >= sign", "pass")):
        assert chi_square(cells(integer_noise("laplace", 1, DRAWS, rng(3))), mass_of("laplace", STEPS)) < ALARM


def test_where_no_draw_gets_to():
    """A word that names the last slot leads to the next table: the tail of the law, conditioned on being out there."""
    size = 200_000
    last = level("laplace", 0).bounds.size - 1
    words = [np.full(size, 2**64 // (last + 1) * last, dtype=np.uint64)]

    def first_word(n, generator):
        return words.pop() if words else WORDS(n, generator)

    WORDS = _staircase.random_words
    with patch.object(_staircase, "random_words", first_word):
        noise = np.abs(_staircase._kept("laplace", 2**30, size, rng(4)))
    assert noise.min() >= last * 2**30
    beyond = (noise / 2.0**30 - last) / STEPS
    assert chi_square(np.bincount(np.minimum((beyond * 4).astype(int), 20), minlength=21),
                      -np.diff(np.append(np.exp(-np.arange(21) / 4), 0))) > ALARM


def test_large_noise_and_shapes():
    """Noise of a large scale is the law of real numbers; the shape is the one asked for; a seed is a seed."""
    for law, cdf in {"laplace": lambda s: np.where(s < 0, np.exp(-np.abs(s)) / 2, 1 - np.exp(-np.abs(s)) / 2), "normal": ndtr,
                     "exponential": lambda s: gammainc(1, np.maximum(s, 0)), "gumbel": lambda s: np.exp(-np.exp(-s))}.items():
        noise = integer_noise(law, 2**37, 400_000, rng(5)) / (STEPS * 2.0**37)
        edges = np.linspace(-4, 6, 41)
        assert chi_square(np.histogram(noise, [-np.inf, *edges, np.inf])[0], np.diff(np.concatenate([[0], cdf(edges), [1]]))) > ALARM
    assert integer_noise("normal", 2**37, (3, 0, 2), rng()).shape == (3, 0, 2) and integer_noise("laplace", 1, (), rng()).shape == ()
    blocks = 2 * _staircase.CACHED_NUMBERS + 7
    assert np.array_equal(integer_noise("laplace", 5, blocks, rng(6)), integer_noise("laplace", 5, (blocks, 1), rng(6))[:, 0])
    assert all((max(law.last, -law.first) + 1) * _staircase.FINEST < 2**53 for law in _staircase.LAWS.values())
