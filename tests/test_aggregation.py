"""Testing first: exact probabilities, enumerated distributions, corners."""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dplib.aggregation import Refusal, passes_test, release_if_stable, stable_release_probability
from dplib.aggregation.stability import _refusal_and_release
from tests.chance import ALARM, chi_square, laplace_cdf, rng

BUDGETS = [(1, 1e-6), (.5, 1e-6), (.1, 1e-6), (2, .1), (.3, .3), (5, 1e-10), (.01, 1e-6), (30, 1e-300), (1e-3, 1e-9), (1, .7)]

# ----------------------------------------------------------------------------------------------------------------- a test


def pass_probability(statistic, *, sensitivity, threshold, epsilon, delta):
    b = sensitivity / epsilon
    return 1 - laplace_cdf(threshold + b * np.log(1 / (2 * delta)) - np.asarray(statistic, dtype=float), b)


@pytest.mark.parametrize("sensitivity, threshold, epsilon, delta", [(1, 0, 1, 1e-6), (3, 50, .3, 1e-3), (.5, -2, 2, .4), (1, 1, 1, .9)])
def test_a_test_passes_as_often_as_it_should(sensitivity, threshold, epsilon, delta):
    given = dict(sensitivity=sensitivity, threshold=threshold, epsilon=epsilon, delta=delta)
    margin = sensitivity / epsilon * np.log(1 / (2 * delta))
    for statistic in threshold + margin + sensitivity / epsilon * np.array([-2, -.3, 0, .5, 3]):
        chance = pass_probability(statistic, **given)
        hits = passes_test(np.full(40_000, statistic), **given, rng=rng(3)).sum()
        assert chi_square(np.array([hits, 40_000 - hits]), np.array([chance, 1 - chance])) > ALARM


def test_at_the_threshold_a_test_passes_with_probability_delta_and_no_more():
    for delta in (1e-9, .01, .3, .5, .6, .99):
        chance = pass_probability(7., sensitivity=2, threshold=7., epsilon=.5, delta=delta)
        assert chance <= delta * (1 + 1e-6) and (delta > .5 or abs(chance / delta - 1) < 1e-6)


def test_a_test_has_the_shape_of_statistic_and_threshold_together():
    given = dict(sensitivity=1, epsilon=1, delta=.1)
    assert passes_test(5, threshold=0, **given, rng=rng()).shape == ()
    assert passes_test([[1], [2]], threshold=[0, 1, 2], **given, rng=rng()).shape == (2, 3)
    assert passes_test(np.zeros((0, 3)), threshold=0, **given, rng=rng()).shape == (0, 3)
    one = passes_test([5.] * 9, threshold=[1.] * 9, **given, rng=rng(1))
    assert one.dtype == bool and (one == passes_test(5., threshold=[1] * 9, **given, rng=rng(1))).all()


def hockey_stick(p, q, epsilon):
    return sum(max(a - np.exp(epsilon) * b, 0) for a, b in zip(p, q, strict=True))


def worst_release(epsilon, delta):
    """Two distributions on four outputs that are exactly (ε, δ)-indistinguishable: all (ε, δ)-private pairs come from them."""
    high = (1 - delta) * np.exp(epsilon) / (1 + np.exp(epsilon))
    return [delta, high, 1 - delta - high, 0], [0, 1 - delta - high, high, delta]


def guarded(statistic, pair, test):
    chance = pass_probability(statistic, **test)
    return [*(chance * np.array(pair)), 1 - chance]


def test_one_delta_is_enough_and_needed():
    """All pairs t, t' of a fine grid, the worst release where one is above the threshold, the most different one elsewhere."""
    test = dict(sensitivity=1, threshold=0, epsilon=.3, delta=1e-3)
    other = ([1, 0, 0, 0], [0, 0, 0, 1])                                 # tells all: nothing is promised here
    largest = 0
    for t, step in itertools.product(np.arange(-40, 60, .5), np.arange(-1, 1.01, .25)):
        pairs = worst_release(.7, 1e-3) if max(t, t + step) > 0 else other
        p, q = guarded(t, pairs[0], test), guarded(t + step, pairs[1], test)
        largest = max(largest, hockey_stick(p, q, 1), hockey_stick(q, p, 1))
    assert .999 < largest / 1e-3 < 1 + 1e-9


# -------------------------------------------------------------------------------------------------------- a stable answer


def iterated(distance, epsilon, delta):
    """The naive oracle: T_{ε,δ}, as often as it says, in exact or in long arithmetic."""
    v, factor = 0 * delta, epsilon if isinstance(epsilon, Fraction) else mpmath.exp(epsilon)
    for _ in range(distance):
        v = min(factor * v + delta, 1 - (1 - v - delta) / factor, 1)
    return v


@pytest.mark.parametrize("epsilon, delta", BUDGETS)
def test_the_probability_is_the_bound_iterated(epsilon, delta):
    with mpmath.workdps(60):
        exact = [iterated(d, mpmath.mpf(epsilon), mpmath.mpf(delta)) for d in range(0, 240)]
        refused, shown = _refusal_and_release(np.arange(240), float(epsilon), float(delta))
        for v, show, refuse in zip(exact, shown, refused, strict=True):
            assert abs(show - v) <= 1e-12 * v and abs(refuse - (1 - v)) <= 1e-12
    assert stable_release_probability(range(240), epsilon=epsilon, delta=delta).tolist() == (1 - refused).tolist()


@pytest.mark.parametrize("epsilon, delta, likely, always", [(1, 1e-6, 16, 28), (.5, 1e-6, 30, 51), (.1, 1e-6, 132, 218)])
def test_distances_at_which_an_answer_is_shown(epsilon, delta, likely, always):
    chance = stable_release_probability(range(300), epsilon=epsilon, delta=delta)
    assert (chance >= .95).argmax() == likely and (chance == 1).argmax() == always
    assert always <= 2 / epsilon * np.log1p(np.expm1(epsilon) / (2 * delta)) + 2


@pytest.mark.parametrize("epsilon, delta", BUDGETS)
def test_one_step_costs_epsilon_and_delta_even_after_rounding(epsilon, delta):
    """Both orders and both outcomes, from the very numbers that are tossed; the largest δ is the promised one."""
    with mpmath.workdps(350):
        refused, shown = _refusal_and_release(np.arange(400), float(epsilon), float(delta))
        small = refused < shown
        show = [1 - mpmath.mpf(r) if s else mpmath.mpf(v) for r, v, s in zip(refused, shown, small, strict=True)]
        factor = mpmath.exp(mpmath.mpf(epsilon) + 2**-36)
        least = [max(b - factor * a, a - factor * b, (1 - a) - factor * (1 - b), (1 - b) - factor * (1 - a))
                 for a, b in itertools.pairwise(show)]
        assert 1 - 1e-11 < max(least) / delta <= 1 + 2**-36


def test_the_coin_and_truncated_noise_fall_alike():
    """With e^ε = 2, A = 2 and δ = Pr[G = A] = 1/10: the fall 0, 1/10, 3/10, 7/10, 9/10, 1."""
    chance = stable_release_probability(range(7), epsilon=np.log(2), delta=.1)
    assert np.abs(chance - np.array([0, .1, .3, .7, .9, 1, 1])).max() < 1e-11
    assert [iterated(d, Fraction(2), Fraction(1, 10)) for d in range(6)] == [Fraction(k, 10) for k in (0, 1, 3, 7, 9, 10)]


def test_answers_are_shown_as_often_as_they_should():
    given = dict(epsilon=1, delta=1e-3)
    for distance in (1, 5, 8, 10, 13):
        out = release_if_stable(np.full(20_000, 7), np.full(20_000, distance), **given, rng=rng(distance))
        shown = sum(not isinstance(answer, Refusal) for answer in out)
        chance = stable_release_probability(distance, **given)
        assert chi_square(np.array([shown, 20_000 - shown]), np.array([chance, 1 - chance])) > ALARM


def test_what_is_shown_is_the_value_itself():
    value = np.arange(3)
    assert release_if_stable(value, 99, epsilon=1, delta=1e-6, rng=rng()) is value
    words = np.array([["a", "b"], ["c", "d"]])
    out = release_if_stable(words, [[99, 0], [0, 99]], epsilon=1, delta=1e-6, rng=rng())
    assert out.dtype == object and out[0, 0] == "a" and out[1, 1] == "d"
    assert isinstance(out[0, 1], Refusal) and out[0, 1] is out[1, 0]
    assert release_if_stable([], [], epsilon=1, delta=1e-6, rng=rng()).shape == (0,)


def test_a_refusal_says_what_would_help_and_nothing_of_the_data():
    given = dict(epsilon=.1, delta=1e-6, rng=rng())
    refusals = {release_if_stable(value, distance, **given) for value, distance in (("a", 0), (5, 1), (None, 2))}
    assert len(refusals) == 1 and "132 records" in refusals.pop().advice


@pytest.mark.parametrize("wrong", [dict(epsilon=0), dict(epsilon=np.nan), dict(delta=0), dict(delta=1), dict(delta=[.1, .2])])
def test_arguments_are_named(wrong):
    given = dict(epsilon=1, delta=.1) | wrong
    for call in (lambda: passes_test(5, sensitivity=1, threshold=0, **given, rng=rng()),
                 lambda: release_if_stable(5, 3, **given, rng=rng()), lambda: stable_release_probability(3, **given)):
        with pytest.raises(ValueError, match="|".join(wrong)):
            call()


def test_other_arguments_are_named():
    given = dict(epsilon=1, delta=.1)
    for distance in (-1, 1.5, [2, -3]):
        with pytest.raises(ValueError, match="distance"):
            release_if_stable(5, distance, **given, rng=rng())
    with pytest.raises(ValueError, match="statistic"):
        passes_test(np.inf, sensitivity=1, threshold=0, **given, rng=rng())
    with pytest.raises(ValueError, match="sensitivity"):
        passes_test(0, sensitivity=-1, threshold=0, **given, rng=rng())
    for call in (lambda: passes_test(5, sensitivity=1, threshold=0, **given, rng=1), lambda: release_if_stable(5, 3, **given, rng=1)):
        with pytest.raises(TypeError, match="rng"):
            call()
