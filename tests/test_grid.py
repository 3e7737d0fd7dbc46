"""The grid on which releases live: sums, charges, tails and secret scales, against fractions."""

from decimal import Decimal
from fractions import Fraction
from math import floor, inf

import mpmath
import numpy as np
import pytest
from scipy.special import ndtr

from dplib import _grid, _staircase, mechanisms
from dplib._grid import Noise, grid_step, laplace_noise, normal_noise
from dplib._staircase import STAIRCASE_ROUNDING as ROUNDING
from dplib._staircase import STEPS
from dplib.sparse_vector import above_threshold, above_threshold_scales, first_alarm_probabilities
from tests.chance import ALARM, FAR, chi_square, rng, standard_errors
from tests.mutants import changed
from tests.noise import no_noise

HUGE = np.finfo(float).max


def some_floats(draws, size):
    """Of all sizes, subnormal and largest ones, and halves of steps."""
    ends = [0.0, -0.0, 5e-324, -5e-324, 2.0**53 + 2, HUGE, -HUGE, 1.5, -2.5, 0.5]
    return np.concatenate([ends, np.ldexp(draws.normal(size=size), draws.integers(-1080, 1023, size))])


def nearest(fraction):
    try:
        return float(fraction)
    except OverflowError:
        return inf if fraction > 0 else -inf


# ---------------------------------------------------------------------------------------------------------------- grids


@pytest.mark.parametrize("scale", [1.0, 1.9999999, 2.0, 0.3, 1e300, 1e-300, 5e-324, 2.0**-1030])
def test_the_step_of_the_grid(scale):
    step = mechanisms.grid_step(scale)
    assert np.frexp(step)[0] == 0.5 and (2.0**40 * step <= scale < 2.0**41 * step or step == 5e-324)
    with pytest.raises(ValueError, match="scale"):
        mechanisms.grid_step(-0.0 * scale)


def test_answers_are_moved_to_the_nearest_step():
    draws = rng(1)
    for exponent in draws.integers(-1074, 900, 300):
        grid = float(np.ldexp(1.0, exponent))
        values = np.concatenate([some_floats(draws, 5), grid * draws.integers(-9, 9, 5) / 2, grid * draws.normal(size=5) * 2.0**51])
        for value, moved in zip(values, _grid.on_grid(values, grid)):
            steps = Fraction(float(moved)) / Fraction(grid)
            assert steps.denominator == 1 and abs(steps - Fraction(float(value)) / Fraction(grid)) <= Fraction(1, 2)


# ----------------------------------------------------------------------------------------------------------------- sums


def with_steps(monkeypatch, steps):
    """Noise that is known beforehand."""
    monkeypatch.setattr(_grid.Noise, "_drawn", lambda noise, shape, rng: np.resize(steps, shape) if shape else np.int64(steps[0]))


def test_a_sum_is_the_float_next_to_it(monkeypatch):
    """Lemma 2: whatever the answer, the noise and the grid are, one rounding, of the exact sum."""
    draws = rng(2)
    for exponent in draws.integers(-1074, 890, 200):
        noise = Noise("laplace", 2**37, float(np.ldexp(1.0, exponent)))
        values = np.concatenate([some_floats(draws, 3), noise.grid * draws.normal(size=4) * 2.0 ** draws.integers(0, 70)])
        steps = draws.integers(-(2**53) + 1, 2**53, values.size)
        with_steps(monkeypatch, steps)
        exact = [(round(Fraction(v) / Fraction(noise.grid)) + int(n)) * Fraction(noise.grid) for v, n in zip(values.tolist(), steps)]
        assert noise.added_to(values, None).tolist() == [nearest(sum_) for sum_ in exact]
        third, step = Fraction(values[-1]) / 3, Fraction(noise.grid)
        assert noise.added_to_fraction(third, None) == nearest((floor(third / step + Fraction(1, 2)) + int(steps[0])) * step)


def test_noise_of_a_huge_grid_does_not_show_where_a_sum_overflows(monkeypatch):
    """Answer and noise are scaled down together: an infinite sum is that of the exact sum, not of how it came about."""
    noise = Noise("laplace", 2**37, 2.0**960)
    for value, steps in [(HUGE, -(2**52)), (-HUGE, 2**52), (HUGE, 2**52), (0.0, 2**53 - 1), (HUGE, 0)]:
        with_steps(monkeypatch, [steps])
        exact = round(Fraction(value) / Fraction(noise.grid)) + steps
        assert noise.added_to(np.array([value]), None).tolist() == [nearest(exact * Fraction(noise.grid))]


@pytest.mark.parametrize("unit, grid", [(1.0, 2.0**-41), (1.0, 1.0), (1.0, 2.0**7), (2.0**-30, 2.0**-40), (2.0**-30, 2.0**40)])
def test_whole_numbers(unit, grid, monkeypatch):
    draws, noise = rng(3), Noise("laplace", 2**37, grid, unit)
    counts = np.concatenate([[0, 1, -1, 2**62, -(2**62), 2**53 + 1], draws.integers(-(2**62), 2**62, 200), draws.integers(-9, 9, 50)])
    steps = draws.integers(-(2**53) + 1, 2**53, counts.size)
    with_steps(monkeypatch, steps)
    coarse = Fraction(max(unit, grid))
    exact = [floor(int(k) * Fraction(unit) / coarse + Fraction(1, 2)) * coarse + int(n) * Fraction(grid) for k, n in zip(counts, steps)]
    assert noise.added_to_whole(counts, None).tolist() == [float(sum_) for sum_ in exact]


def test_far_out_the_way_to_a_sum_does_not_show(monkeypatch):
    """origin + offset with the origin on the grid: every way to write the same sum gives the same float, one step from it."""
    draws, noise = rng(4), Noise("normal", 2**37, 2.0**-38)
    for size in draws.integers(0, 100, 200):
        with_steps(monkeypatch, draws.integers(-(2**50), 2**50, 1))
        start, spacing = int(draws.integers(2**52, 2**53)) << int(size), 1 << int(size)  # in steps
        total, answers = start + int(draws.integers(-999, 999)), set()
        for way in (0, 1, -2, 37):
            origin, offset = start + way * spacing, total - start - way * spacing
            if float(offset) == offset:
                split = np.array([float(origin)]) * noise.grid, np.array([float(offset)]) * noise.grid
                answers.add(float(noise.added_far_out(*split, None)[0]))
        exact = (total + int(noise._drawn((), None))) * Fraction(noise.grid)
        assert len(answers) == 1 and abs(Fraction(answers.pop()) - exact) <= abs(exact) * Fraction(1, 2**52) + Fraction(noise.grid)


def test_a_float_beside_the_answer_is_found(monkeypatch):
    """The trap: a mean that is a float already, and noise in steps of a grid that is finer."""
    draws, noise, wrong = rng(5), Noise("laplace", 2**37, 2.0**-40), 0
    naive = changed(_grid.Noise.added_to, "on_grid(value, self.grid)", "value")
    for value in draws.normal(size=200):
        steps = draws.integers(-(2**45), 2**45, 1)
        with_steps(monkeypatch, steps)
        exact = nearest((round(Fraction(value) / Fraction(noise.grid)) + int(steps[0])) * Fraction(noise.grid))
        wrong += naive(noise, np.array([value]), None)[0] != exact
        assert noise.added_to(np.array([value]), None)[0] == exact
    assert wrong > 150


# -------------------------------------------------------------------------------------------------------------- charges


def random_terms(draws):
    epsilon, d = 10 ** draws.uniform(-6, 2.8), int(10 ** draws.uniform(0, 6))
    return 10 ** draws.uniform(-250, 250), max(epsilon, 2.0**-39 * d), d


def test_what_is_charged_for_laplace_noise():
    """8Cg times what is left of ε covers the sensitivity, a step and two errors in each entry; in fractions."""
    draws = rng(6)
    for _ in range(2000):
        sensitivity, epsilon, d = random_terms(draws)
        error = sensitivity * draws.choice([0.0, 1e-9, 1e-3]) / d
        noise = laplace_noise(sensitivity=sensitivity, epsilon=epsilon, entries=d, error=error)
        scale = STEPS * noise.fineness * Fraction(noise.grid)
        needed = (Fraction(sensitivity) + d * (Fraction(noise.grid) + 2 * Fraction(error))) / (Fraction(epsilon) - d * Fraction(ROUNDING))
        assert 1 <= scale / needed <= 1 + Fraction(1, 10**11)
        assert 2**36 <= noise.fineness <= _staircase.FINEST and 2.0**40 * noise.grid <= float(scale) * (1 + d * 2.0**-38)


def test_what_is_charged_for_normal_noise():
    draws = rng(7)
    for _ in range(300):
        sensitivity, epsilon, d = random_terms(draws)
        delta, error = 10 ** draws.uniform(-12, -0.5), sensitivity * draws.choice([0.0, 1e-6]) / d
        noise = normal_noise(sensitivity=sensitivity, epsilon=epsilon, delta=delta, entries=d, error=error)
        left, lost = epsilon - d * ROUNDING, float(delta * np.exp(-d * ROUNDING))
        moved = sensitivity + np.sqrt(d) * (noise.grid + 2 * error)
        needed = moved * mechanisms.gaussian_sigma(sensitivity=1, epsilon=left, delta=lost)
        assert 1 - 1e-13 <= noise.scale / needed <= 1 + 2e-11 and noise.fineness >= _grid.COARSE


def test_whole_numbers_pay_no_step():
    noise = laplace_noise(sensitivity=3, epsilon=1, unit=1.0)
    assert STEPS * noise.fineness * Fraction(noise.grid) * (1 - Fraction(ROUNDING)) / 3 - 1 < Fraction(1, 2**37)
    coarse = laplace_noise(sensitivity=2, epsilon=2.0**-39, unit=1.0)
    assert coarse.grid == 1.0 and STEPS * coarse.fineness * (Fraction(2.0**-39) - Fraction(ROUNDING)) >= 2


def test_a_coarse_grid_that_is_not_paid_for_is_found(monkeypatch):
    """Sixteen answers that are 1.02 steps of a sixteenth apart may be two steps apart each."""
    monkeypatch.setattr(_grid, "FINE", 4)

    def spent(make):
        noise = make(sensitivity=1.02, epsilon=1, entries=16)
        with no_noise():
            low, high = noise.added_to(np.array([[0.49], [1.51]]) / 16 * np.ones(16), rng())
        return np.sum(high - low) / noise.scale

    assert spent(laplace_noise) <= 1
    assert spent(changed(laplace_noise, "(grid if unit < grid else 0)", "0")) > 1


@pytest.mark.parametrize("wrong, message", [
    (dict(sensitivity=1, epsilon=2.0**-41), r"epsilon must be at least 2\*\*-40 for each of 1 entries"),
    (dict(sensitivity=1, epsilon=1e-6, entries=2**21), r"epsilon must be at least 2\*\*-40 for each of 2097152 entries"),
    (dict(sensitivity=1e308, epsilon=1e-3), r"scale of the noise must be a positive float below 2\*\*1023, got sensitivity 1e\+308"),
    (dict(sensitivity=5e-324, epsilon=10), "scale of the noise must be a positive float")])
def test_noise_out_of_range_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        laplace_noise(**wrong)


@pytest.mark.parametrize("scale", [1e290, 1e300, 4e304, 1e306, 8e307])
def test_differences_are_whole_numbers_of_steps_even_beyond_the_floats(scale):
    grid, (these, those) = grid_step(scale), HUGE * rng().uniform(-1, 1, (2, 200))
    far = int(_grid.FAR)
    for found, a, b in zip(_grid._apart(these, those, grid).tolist(), these.tolist(), those.tolist()):
        assert abs(found - min(max((Fraction(a) - Fraction(b)) / Fraction(grid), -far), far)) <= .75


@pytest.mark.parametrize("value", [4e306, 5e306])
def test_noise_makes_up_for_a_difference_beyond_the_floats(value):
    """4000 runs against the exact probabilities of silence, about .096, and of the worse choice, .026: where differences overflowed, 0."""
    runs = np.full((4000, 1), value)
    places = above_threshold(runs, alarms=1, sensitivity=1e307, threshold=-1.75e308, epsilon=.4, rng=rng(1))
    b1, b = above_threshold_scales(alarms=1, sensitivity=1, epsilon=.4)
    silent = first_alarm_probabilities([value / 1e307], threshold=-17.5, threshold_scale=b1, answer_scale=b)[-1]
    assert abs(standard_errors((places == 1).sum(), 4000, silent)) < FAR
    best = mechanisms.report_noisy_max(np.tile([1.7e308, -1e308], (4000, 1)), sensitivity=1e307, epsilon=.3, rng=rng(2))
    assert abs(standard_errors(best.sum(), 4000, (1 + 4.05 / 2) / 2 * np.exp(-4.05))) < FAR


def test_a_watch_on_answers_with_an_error_does_not_trust_their_direction():
    given = dict(sensitivity=1, epsilon=1, per_alarm=1)
    with pytest.raises(ValueError, match="moves must be 2 for answers with an error, got 1"):
        _grid.watch_noise(**given, moves=1, error=1e-3)
    assert _grid.watch_noise(**given, moves=1).answer.scale == pytest.approx(1)


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 1, 30, 700])
@pytest.mark.parametrize("sensitivity", [1e-300, 1e-9, 1, 1e10, 1e300])
def test_extremes_are_quiet(epsilon, sensitivity):
    """No value makes a warning, an error or NaN: warnings are errors in all tests."""
    values = some_floats(rng(8), 20)
    for noisy in (mechanisms.laplace(values, sensitivity=sensitivity, epsilon=epsilon, rng=rng(9)),
                  mechanisms.gaussian(values, sensitivity=sensitivity, epsilon=epsilon, delta=1e-6, rng=rng(9))):
        assert noisy.dtype == np.float64 and not np.isnan(noisy).any() and noisy.shape == values.shape


# ---------------------------------------------------------------------------------------------------------------- tails


def exact_tail(noise, beyond):
    """Pr[N g > t] for whole noise N of ratio q."""
    with mpmath.workdps(50):
        q = mpmath.exp(-1 / mpmath.mpf(STEPS * noise.fineness))
        first = floor(Fraction(beyond) / Fraction(noise.grid)) + 1
        return q**first / (1 + q)


@pytest.mark.parametrize("delta", [0.5, 0.3, 1e-6, 1e-30, 1e-200])
@pytest.mark.parametrize("make", [dict(sensitivity=1, epsilon=1), dict(sensitivity=2, epsilon=0.01, unit=1.0),
                                  dict(sensitivity=1e10, epsilon=30), dict(sensitivity=1, epsilon=2.0**-39, unit=1.0)])
def test_tails_are_never_too_small_and_hardly_too_large(make, delta):
    noise = laplace_noise(**make)
    assert delta * (1 - 1e-9) <= exact_tail(noise, _grid.tail_bound(noise, delta)) <= delta or delta == 0.5


@pytest.mark.parametrize("fineness, steps, lost", [(1, 1, 0.01), (2, 3, 1e-4), (1, 8, 0.3), (3, 5, 1e-9)])
def test_truncated_noise_spends_what_it_may(fineness, steps, lost):
    """The least bound: Pr[Z > a - steps] by enumeration, at a and one below."""
    def exceeds(a):
        mass = {z: mpmath.exp(-mpmath.mpf(abs(z)) / (STEPS * fineness)) for z in range(-a, a + 1)}
        return sum(m for z, m in mass.items() if z > a - steps) / sum(mass.values())

    a = _grid.truncation(Decimal(1) / (STEPS * fineness), Decimal(steps), Decimal(lost))
    with mpmath.workdps(40):
        assert exceeds(a) <= lost < exceeds(a - 1)


def test_bounded_noise_stays_inside():
    noise = _grid.bounded(laplace_noise(sensitivity=1, epsilon=1, unit=1.0), 0.1)
    added = noise.added_to_whole(np.zeros(100_000, dtype=np.int64), rng(10))
    assert np.abs(added).max() <= noise.bound * noise.grid < np.abs(added).max() + 0.01
    assert exact_tail(noise, noise.bound * noise.grid - 1) < 0.2


# -------------------------------------------------------------------------------------------------------------- choices


def test_choices_by_weights_have_their_law():
    weights = np.array([0.0, -1.0, -3.0, -np.inf, -700.0])
    counts = np.bincount(_grid.noisy_log_weights(np.tile(weights, (400_000, 1)), rng(11)).argmax(axis=1), minlength=5)
    assert chi_square(counts, np.exp(weights) / np.exp(weights).sum() * (weights > -600)) > ALARM


def test_uniform_integers():
    few = _grid.uniform(np.full(300_000, 3), rng(12))
    many = _grid.uniform(np.full(30_000, 3 * 10**40, dtype=object), rng(12))
    assert chi_square(np.bincount(few), np.full(3, 1 / 3)) > ALARM
    assert chi_square(np.bincount([int(m // 10**40) for m in many], minlength=3), np.full(3, 1 / 3)) > ALARM
    assert len(set(many)) == many.size and _grid.uniform(np.array([0, 1]), rng()).tolist() == [0, 0]


# ----------------------------------------------------------------------------------------------------- a secret scale


def test_rounded_noise_of_a_secret_scale():
    """Cells of a coarse grid have the probabilities of the real law; here with noise of a scale of a third of a step."""
    for law, cdf in ("normal", ndtr), ("laplace", lambda s: np.where(s < 0, np.exp(-np.abs(s)) / 2, 1 - np.exp(-np.abs(s)) / 2)):
        draws = rng(13)
        steps = [int(_grid.rounded(law, [Fraction(1, 3)], [[0.33]], grid=1.0, rng=draws)[0]) for _ in range(8_000)]
        ends = (np.arange(-2, 3) - 0.5 - 1 / 3) / 0.33
        ideal = np.diff(np.concatenate([[0], cdf(ends), [1]]))
        assert chi_square(np.bincount(np.clip(np.array(steps) + 3, 0, 5), minlength=6), ideal) > ALARM


def test_rounded_noise_has_its_covariance():
    factor, draws = np.array([[2.0, 0.0], [3.0, 0.5]]), rng(14)
    drawn = np.array([_grid.rounded("normal", [0.0, 0.0], factor, grid=2.0**-30, rng=draws) for _ in range(4_000)])
    white = np.linalg.solve(factor, drawn.T)
    assert np.abs(white @ white.T / white.shape[1] - np.eye(2)).max() < 6.5 / np.sqrt(2_000)


def test_rounding_is_that_of_the_exact_number(monkeypatch):
    """Whatever further digits are: beyond the first words, the same words that were drawn say the same."""
    draws = rng(15)
    for _ in range(200):
        noise, word = int(draws.integers(-(2**42), 2**42)), int(draws.integers(0, 2**64, dtype=np.uint64))
        monkeypatch.setattr(_staircase, "integer_noise", lambda law, fineness, shape, rng: np.array([noise]))
        monkeypatch.setattr(_staircase, "random_words", lambda size, rng: np.array([word], dtype=np.uint64))
        centre, factor, grid = Fraction(int(draws.integers(-99, 99)), 7), float(draws.normal()), 2.0 ** -int(draws.integers(10, 60))
        z = (noise + Fraction(word, 2**64 - 1) - Fraction(1, 2)) / 2**40  # the word again and again
        exact = floor((centre + Fraction(factor) * z) / Fraction(grid) + Fraction(1, 2)) * Fraction(grid)
        assert _grid.rounded("normal", [centre], [[factor]], grid=grid, rng=None).tolist() == [float(exact)]


def test_more_digits_are_drawn_where_the_first_leave_it_open(monkeypatch):
    words = [2**63, 2**63 - 1, 2**64 - 1]  # a half, but for what the next word says
    monkeypatch.setattr(_staircase, "integer_noise", lambda law, fineness, shape, rng: np.array([0]))
    monkeypatch.setattr(_staircase, "random_words", lambda size, rng: np.array([words.pop(0)], dtype=np.uint64))
    assert _grid.rounded("normal", [0.5], [[1.0]], grid=1.0, rng=None).tolist() == [1.0] and len(words) == 2
    words[:] = [2**63 - 1, 2**64 - 1, 5]
    assert _grid.rounded("normal", [0.5], [[1.0]], grid=1.0, rng=None).tolist() == [0.0]


def test_what_a_digit_may_be_is_at_most_what_is_charged():
    """The density of (N + V)/2**40 against the law of scale 1: e^(|z| 2**-41) at most, twice."""
    steepest = {"normal": _staircase.LAWS["normal"].last / STEPS, "laplace": 1.0}  # slope of the logarithm of the density
    for slope in steepest.values():
        assert 2 * slope * 2.0**-41 + ROUNDING < _grid.SECRET


@pytest.mark.parametrize("entries", [1, 7, 1000])
def test_the_grid_widens_noise_by_no_more_than_is_said(entries):
    for epsilon, sensitivity in [(1, 1), (1e-3, 3e7), (20, 1e-200), (0.7, 1.9999)]:
        given = dict(epsilon=epsilon, sensitivity=sensitivity)
        wider = _grid.laplace_noise(**given, entries=entries).scale / (sensitivity / epsilon) - 1
        assert 0 <= wider <= (1.1 * entries / epsilon + 9) * 2.0**-40
        multiplier = float(mechanisms.gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=1e-6))
        noise = _grid.normal_noise(**given, delta=1e-6, entries=entries)
        wider = noise.scale / (multiplier * sensitivity) - 1
        assert -1e-14 <= wider <= (entries**0.5 * multiplier + entries / epsilon + 14) * 2.0**-40
