"""sparse_vector: the law of the program on its grid, exactly; formulas against integrals and draws; corners and errors."""

from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import laplace

from dplib import _grid, _staircase, queries, sparse_vector
from dplib.sparse_vector import (
    above_threshold, above_threshold_epsilon, above_threshold_failure, above_threshold_margin, above_threshold_scales,
    first_alarm_probabilities)
from tests.chance import ALARM, chi_square, rng

FACTORS = (1000, 2, 1 / .9)
ONE = dict(alarms=1, sensitivity=1, threshold=0, epsilon=1)


# ------------------------------------------------------------------------------------------------ the program, exactly


@contextmanager
def read_off(raised):
    """The noise on thresholds is what is given, that on answers is 0; a list of the finenesses that were asked for."""
    asked = []

    def noise(law, fineness, shape, generator):
        assert law == "laplace"
        asked.append(fineness)
        return np.broadcast_to(raised, shape) if len(asked) == 1 else np.zeros(shape, dtype=np.int64)

    with patch.object(_staircase, "integer_noise", noise):
        yield asked


def largest_reached(answer, given):
    """The largest noise on the threshold for which an answer still raises the alarm: its place on the grid."""
    raised = np.arange(-20_000, 20_001)
    with read_off(raised[:, np.newaxis]) as asked:
        alarm = above_threshold(np.full((raised.size, 1), answer), **given, rng=rng())[:, 0] == 0
    assert alarm[0] and not alarm[-1] and (np.diff(alarm.astype(int)) <= 0).all()
    return raised[np.flatnonzero(alarm)[-1]], [_staircase.STEPS * c for c in asked]


def log_probability(places, alarm, scales):
    """ln of the probability of a transcript, the noise two-sided geometric: summed over all values of the threshold's."""
    z = np.arange(-25_000, 25_001)[:, np.newaxis]
    q = np.exp(-1 / scales[1])
    upper = lambda n: np.where(n > 0, -n / scales[1] - np.log1p(q), np.log1p(-np.exp((np.minimum(n, 0) - 1) / scales[1]) / (1 + q)))
    terms = np.where(alarm, upper(z - places), upper(places - z + 1)).sum(axis=1) - np.abs(z[:, 0]) / scales[0]
    return np.logaddexp.reduce(terms)


def loss_of_program(x, y, alarm, given, more=1.):
    with patch.object(_grid, "FINE", 8):             # so coarse that every value of the noise can be visited
        more = given | dict(epsilon=more * given["epsilon"])
        found = [[largest_reached(answer, more) for answer in data] for data in (x, y)]
    scales = found[0][0][1]
    assert all(one[1] == scales for data in found for one in data)
    laws = [log_probability(np.array([place for place, _ in data]), alarm, scales) for data in found]
    return laws[0] - laws[1]


WORST = {  # of an alarm behind silence: all answers move, silent ones up and the others down; off the grid in all ways
    "one alarm": (np.r_[np.full(9, 20.), -10], np.r_[np.ones(9), -1], 1, False),
    "two alarms": (np.r_[np.full(30, 30.), -10, -10], np.r_[np.ones(30), -1, -1], 2, False),
    "monotone, upwards": (np.r_[np.full(9, 20.), -10], np.r_[np.ones(9), 0], 1, True),
}


@pytest.mark.parametrize("name", WORST)
def test_the_program_on_its_grid_loses_all_of_epsilon_and_no_more(name):
    x, move, alarms, monotonic = WORST[name]
    given = dict(alarms=alarms, sensitivity=1, threshold=0, epsilon=2, monotonic=monotonic, split=.5)
    losses = [loss_of_program(x + off, x + off + move, x < 0, given) for off in (0., .013, -.0071)]
    assert max(losses) <= 2 and min(losses) > 1.8, losses


@pytest.mark.parametrize("factor", FACTORS)
@pytest.mark.parametrize("name", WORST)
def test_less_noise_is_noticed(name, factor):
    x, move, alarms, monotonic = WORST[name]
    given = dict(alarms=alarms, sensitivity=1, threshold=0, epsilon=2, monotonic=monotonic, split=.5)
    x, more = x / min(factor, 8), min(factor, 8)            # no further, that every value may still be visited
    assert loss_of_program(x, x + move, x < 0, given, more) > 2


def asked_for(release):
    """The noises of a run."""
    made, original = [], _grid.watch_noise

    def noted(**given):
        made.append(original(**given))
        return made[-1]

    with patch.object(_grid, "watch_noise", noted):
        release()
    return made


def spent(watch, alarms, sensitivity, monotonic=False):
    return above_threshold_epsilon(queries=10**4, alarms=alarms, threshold_scale=watch.threshold.scale,
                                   answer_scale=watch.answer.scale, sensitivity=sensitivity, monotonic=monotonic)


def oracle(epsilon=.7, alarms=2, size=1000):
    return queries.alarm_oracle(np.zeros(size), alarms=alarms, threshold=0, epsilon=epsilon, rng=rng())


@pytest.mark.parametrize("alarms", [1, 2, 50])
@pytest.mark.parametrize("size", [1, 1000, 10**6])
def test_an_oracle_spends_its_epsilon(alarms, size):
    [watch] = asked_for(lambda: oracle(alarms=alarms, size=size))
    assert .7 * (1 - 1e-8) <= spent(watch, alarms, 2 / size) <= .7


@pytest.mark.parametrize("factor", FACTORS)
def test_less_noise_is_noticed_by_those_who_ask(factor):
    [watch] = asked_for(lambda: oracle(epsilon=.7 * factor))
    assert spent(watch, 2, 2 / 1000) > .7


@pytest.mark.parametrize("alarms, monotonic, split, sensitivity, epsilon", [
    (1, False, None, 1, 1), (3, True, None, 1, 1), (100, False, .01, 1e-300, 1e-6), (1, True, .99, 1e300, 1e4), (10**6, False, None, 1, 1)])
def test_the_noise_is_that_of_the_formula_but_for_the_grid(alarms, monotonic, split, sensitivity, epsilon):
    given = dict(alarms=alarms, sensitivity=sensitivity, epsilon=epsilon, monotonic=monotonic, split=split)
    [watch] = asked_for(lambda: above_threshold([0], **given, threshold=0, rng=rng()))
    scales = np.array(above_threshold_scales(**given))
    wider = (np.array([watch.threshold.scale, watch.answer.scale]) - scales) / scales.max()
    assert (wider > 0).all() and (wider <= (3 * scales.max() / sensitivity + 9) * 2.0**-40).all()
    assert spent(watch, alarms, sensitivity, monotonic) <= epsilon


def test_answers_that_rounding_moves_apart_are_paid_for():
    """Neighbouring answers are never more steps apart than the noise allows."""
    watch = _grid.watch_noise(sensitivity=1, moves=2, epsilon=.5, per_alarm=.5)
    generator, grid = rng(1), watch.answer.grid
    away = generator.choice([1e-9, 1, 1e3, 1e9], 100_000) * generator.normal(size=100_000)
    there = [np.clip(np.rint(margin / grid), -2**52, 2**52) for margin in (away, away + 1)]
    assert (there[1] - there[0]).max() * 2 / 8 / watch.answer.fineness <= .5


# ------------------------------------------------------------------------------------------------------------- its law


def test_draws_follow_the_exact_distribution():
    """200 000 runs: by a χ² test; with half the noise on the threshold p is below 10⁻²⁴."""
    answers, size = np.array([-5., 0, 3]), 200_000
    places = above_threshold(np.tile(answers, (size, 1)), **ONE, split=.5, rng=rng(3))
    counts = np.bincount(places[:, 0], minlength=4)
    law = lambda scale: first_alarm_probabilities(answers, threshold=0, threshold_scale=scale, answer_scale=4)
    assert chi_square(counts, law(2)) > ALARM > 1e-24 > chi_square(counts, law(1))


def test_the_distribution_of_the_first_alarm():
    law = first_alarm_probabilities([-5, 0, 3], threshold=0, threshold_scale=2, answer_scale=4)
    assert law == pytest.approx([.1773223648028, .387845031439, .2794987507516, .1553338530066], abs=1e-13)
    answers = rng(1).normal(0, 10, 6)
    for scales in ((2, 4), (4, 2), (1, 100), (3, 3)):
        found = first_alarm_probabilities([answers, answers + 1], threshold=np.ones(6), threshold_scale=scales[0], answer_scale=scales[1])
        assert found.sum(axis=-1) == pytest.approx([1, 1], abs=1e-12)
        silence = lambda z: laplace.pdf(z, scale=scales[0]) * np.prod(laplace.cdf(z + 1 - answers, scale=scales[1]))
        assert found[0, -1] == pytest.approx(quad(silence, -200, 200, points=[0, *(answers - 1)], limit=500)[0], abs=1e-9)


def test_several_alarms_are_counted_and_then_it_is_over():
    """An answer far above alarms, one far below never does, whatever the noise is."""
    far = 1e6
    value = np.where(np.array([[0, 1, 0, 1, 1, 0], [0, 0, 0, 0, 0, 1], [0] * 6]), far, -far)
    places = above_threshold(value, alarms=2, sensitivity=1, threshold=0, epsilon=1, rng=rng())
    assert places.tolist() == [[1, 3], [5, 6], [6, 6]] and places.dtype == np.int64
    assert above_threshold(value, alarms=8, sensitivity=1, threshold=0, epsilon=1, rng=rng()).shape == (3, 8)
    assert above_threshold([far], **ONE, rng=rng()).tolist() == [0]


def test_each_question_may_have_its_threshold():
    value = np.arange(5) * 1e6
    assert above_threshold(value, **ONE | dict(threshold=value + [1e5, 1e5, -1e5, 0, 0]), rng=rng()).tolist() == [2]


def test_answers_at_the_ends_of_the_floats():
    huge = np.finfo(float).max
    for threshold, place in ((-huge, 0), (0, 1), (huge / 2, 1)):
        assert above_threshold([-huge / 2, huge], **ONE | dict(threshold=threshold), rng=rng()).tolist() == [place]


def test_all_noise_is_drawn_whatever_happens():
    states = []
    for value in ([1e9] * 5, [-1e9] * 5):
        generator = rng(1)
        above_threshold(value, **ONE, rng=generator)
        states.append(generator.bit_generator.state)
    assert states[0] == states[1]


# ------------------------------------------------------------------------------------------------------------ formulas


def test_scales():
    given = dict(alarms=1, sensitivity=1, epsilon=1)
    assert above_threshold_scales(**given) == pytest.approx((2.587401, 3.259921), abs=1e-6)
    assert above_threshold_scales(**given, monotonic=True) == (2, 2)
    assert above_threshold_scales(alarms=3, sensitivity=2, epsilon=.5, split=.5) == (8, 48)


@pytest.mark.parametrize("monotonic", [False, True])
@pytest.mark.parametrize("alarms", [1, 4, 30])
def test_the_usual_share_makes_the_variance_least(alarms, monotonic):
    variance = lambda split: np.square(above_threshold_scales(
        alarms=alarms, sensitivity=1, epsilon=1, monotonic=monotonic, split=split)).sum()
    assert variance(None) <= min(map(variance, np.linspace(.001, .999, 999))) + 1e-9


def test_exact_epsilon():
    given = dict(alarms=3, threshold_scale=2, answer_scale=12, sensitivity=1)
    found = [above_threshold_epsilon(queries=k, **given) for k in (1, 2, 3, 6, 8, 12, 20)]
    assert found == pytest.approx([1 / 12, 1 / 6, 1 / 4, 1 / 2, 2 / 3, 1, 1], abs=1e-15)
    assert above_threshold_epsilon(queries=50, **given, monotonic=True) == pytest.approx(.75)
    for alarms in (1, 2, 7):
        for monotonic in (False, True):
            scales = above_threshold_scales(alarms=alarms, sensitivity=3, epsilon=1.7, monotonic=monotonic)
            limit = above_threshold_epsilon(queries=1000, alarms=alarms, threshold_scale=scales[0], answer_scale=scales[1],
                                            sensitivity=3, monotonic=monotonic)
            assert limit == pytest.approx(1.7, rel=1e-12)


def test_failure_and_margin():
    fails = lambda k, margin, *scales: above_threshold_failure(queries=k, margin=margin, threshold_scale=scales[0], answer_scale=scales[1])
    assert fails(1000, 38, 2, 4) == pytest.approx(.0467782631, abs=1e-10)
    assert fails(1000, 32, *above_threshold_scales(alarms=1, sensitivity=1, epsilon=1)) == pytest.approx(.0485043546, abs=1e-10)
    margin = lambda **given: above_threshold_margin(**dict(queries=1000, alarms=1, sensitivity=1, epsilon=1, beta=.05) | given)
    assert [margin(split=.5), margin(), margin(alarms=3, monotonic=True)] == pytest.approx([37.7185, 31.8859, 43.80], abs=5e-3)
    assert fails(1000, margin(split=.5), 2, 4) == pytest.approx(.05, rel=1e-9)
    assert margin(queries=1, beta=.6) == 0 and margin(sensitivity=3, epsilon=3) == pytest.approx(margin())
    assert margin(queries=10**6) == pytest.approx(54.4, abs=.05) and margin(beta=1e-9) > margin()


@pytest.mark.parametrize("scales", [(4, 1), (1, 4), (3, 3), (100, 1), (1, 30)])
def test_failures_that_are_rare_are_right(scales):
    """One question has a closed form, and a second one at most doubles the failure: it is right wherever it is above 1e-290."""
    for margin in max(scales) * np.array([1, 20, 41.25, 100, 400, 650]):
        once, twice = [above_threshold_failure(queries=k, margin=margin, threshold_scale=scales[0], answer_scale=scales[1]) for k in (1, 2)]
        assert once == pytest.approx(sparse_vector._union_bound(margin, 1, *scales), rel=1e-10, abs=0)
        assert once < twice <= 2 * once * (1 + 1e-10)


def test_a_margin_for_a_rare_failure_is_wide_enough():
    given = dict(alarms=1, sensitivity=1, epsilon=1, split=.1)
    margin = above_threshold_margin(**given, queries=1, beta=1e-20)
    assert sparse_vector._union_bound(margin, 1, *above_threshold_scales(**given)) == pytest.approx(1e-20, rel=1e-9, abs=0)


def test_the_tail_of_the_difference_of_two_noises():
    tail = lambda margin, *scales: sparse_vector._union_bound(margin, 1, *scales)
    assert tail(20, 2, 4) == pytest.approx(.004484398011, abs=1e-12)
    assert tail(20, 3, 3) == pytest.approx(.002757373236, abs=1e-12)
    for scales in ((2, 4), (4, 2), (3, 3), (3, 3 * (1 + 1e-9)), (1, 50)):
        for margin in (0, 1, 7., 40):
            exact = quad(lambda z: laplace.pdf(z, scale=scales[0]) * laplace.sf(margin + z, scale=scales[1]), -400, 400,
                         points=[-margin, 0], limit=500, epsabs=1e-13)[0]
            assert tail(margin, *scales) == pytest.approx(exact, abs=1e-10)


# -------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize("value", [[], 3, [np.nan, 1], [np.inf], [[1], [2, 3]], "abc"])
def test_answers_that_are_none(value):
    generator = rng()
    before = generator.bit_generator.state
    with pytest.raises(ValueError, match="value"):
        above_threshold(value, **ONE, rng=generator)
    assert generator.bit_generator.state == before


@pytest.mark.parametrize("wrong, error", [
    (dict(alarms=0), "alarms"), (dict(alarms=1.5), "alarms"), (dict(sensitivity=0), "sensitivity"), (dict(epsilon=0), "epsilon"),
    (dict(epsilon=np.inf), "epsilon"), (dict(split=0), "split"), (dict(split=1), "split"), (dict(threshold=np.nan), "threshold"),
    (dict(threshold=[1, 2]), "threshold"), (dict(epsilon=1e-13), "epsilon"), (dict(sensitivity=1e308), "scale")])
def test_parameters_that_are_none(wrong, error):
    with pytest.raises(ValueError, match=error):
        above_threshold([1, 2, 3], **ONE | wrong, rng=rng())


def test_a_seed_is_no_generator():
    with pytest.raises(TypeError, match="rng"):
        above_threshold([1], **ONE, rng=1)


@pytest.mark.parametrize("function, wrong, error", [
    (above_threshold_epsilon, dict(queries=0), "queries"), (above_threshold_epsilon, dict(threshold_scale=0), "threshold_scale"),
    (above_threshold_epsilon, dict(answer_scale=np.nan), "answer_scale"), (above_threshold_failure, dict(margin=-1), "margin"),
    (above_threshold_failure, dict(threshold_scale=1e9), "ratio"), (above_threshold_margin, dict(beta=0), "beta")])
def test_formulas_refuse_what_they_cannot_read(function, wrong, error):
    given = {above_threshold_epsilon: dict(queries=3, alarms=1, threshold_scale=1, answer_scale=1, sensitivity=1),
             above_threshold_failure: dict(queries=3, margin=1, threshold_scale=1, answer_scale=1),
             above_threshold_margin: dict(queries=3, alarms=1, sensitivity=1, epsilon=1, beta=.1)}[function]
    with pytest.raises(ValueError, match=error):
        function(**given | wrong)
