"""Testing first, and asking blocks: exact probabilities, enumerated distributions, programs that misbehave."""

import itertools
import math
import os
import sys
import time
import types
import warnings
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import statsmodels.api as models
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

from dplib.aggregation import (
    Refusal, bounded_mean, median_probabilities, median_scores, passes_test, private_median, private_vote, refused,
    release_if_stable, stable_release_probability, subsample_and_aggregate, vote_error)
from dplib.aggregation import answers as answers_module
from dplib.aggregation import blocks as blocks_module
from dplib.aggregation.stability import _refusal_and_release
from dplib.book.datasets import rand_covariates, rand_visits
from dplib.friendly import friendly_mean, friendly_tuples
from dplib.glm import LOGISTIC, Box, PrivateLogisticRegression, release_coefficient, release_vector
from dplib.mean import private_scale, unbounded_mean
from dplib.mechanisms import discrete_laplace
from dplib.parity import private_parity
from tests import programs
from tests.chance import ALARM, chi_square, laplace_cdf, rng
from tests.outcomes import distribution

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


# ----------------------------------------------------------------------------------------------------------------- a vote


def exact_vote(ones, voters, epsilon, noise="discrete_laplace"):
    """The naive oracle: the law of the noise, added up."""
    g = abs(ones - voters / 2)
    if noise == "laplace":
        wins = laplace_cdf(g, 1 / epsilon)
    else:
        q = math.exp(-epsilon)
        law = lambda m: (1 - q) / (1 + q) * q**abs(m)
        wins = sum(law(m) * (1 if g + m > 0 else .5 if g + m == 0 else 0) for m in range(-900, 900))
    return wins if ones > voters / 2 else 1 - wins if ones < voters / 2 else .5


@pytest.mark.parametrize("noise", ["discrete_laplace", "laplace"])
@pytest.mark.parametrize("voters", [1, 2, 5, 6])
def test_a_vote_is_the_noisy_count(voters, noise):
    for ones, epsilon in itertools.product(range(voters + 1), (.3, 2.)):
        votes = np.tile(np.arange(voters) < ones, (20_000, 1))
        yes = private_vote(votes, epsilon=epsilon, noise=noise, runs=True, rng=rng(ones)).sum()
        chance = exact_vote(ones, voters, epsilon, noise)
        assert chi_square(np.array([yes, 20_000 - yes]), np.array([chance, 1 - chance])) > ALARM


def optimal_vote(voters, epsilon):
    """The best symmetric vote: the middle first, then as steep as privacy allows."""
    v = .5 if voters % 2 == 0 else math.exp(epsilon) / (1 + math.exp(epsilon))
    while True:
        yield v
        v = min(math.exp(epsilon) * v, 1 - math.exp(-epsilon) * (1 - v))


@pytest.mark.parametrize("voters", range(1, 12))
def test_no_vote_is_better(voters):
    for epsilon in (.1, 1, 3):
        for ones, best in zip(range((voters + 1) // 2, voters + 1), optimal_vote(voters, epsilon)):
            assert abs(exact_vote(ones, voters, epsilon) - best) < 1e-12


@pytest.mark.parametrize("right, epsilon, blocks, noise, error", [
    (.75, .5, 51, "laplace", .0031), (.75, .5, 31, "laplace", .0225), (.9, .1, 5, "laplace", .41), (.75, 1, 1, "discrete_laplace", .384),
    (.75, 1, 1, "laplace", .402)])
def test_the_error_of_a_vote(right, epsilon, blocks, noise, error):
    digits = len(str(error)) - 2 if error < 1 else 4
    assert round(float(vote_error(right, epsilon=epsilon, noise=noise, blocks=blocks)), digits) == error
    exact = sum(math.comb(blocks, c) * right**c * (1 - right)**(blocks - c) * (1 - exact_vote(c, blocks, epsilon, noise))
                for c in range(blocks + 1))
    assert abs(vote_error(right, epsilon=epsilon, noise=noise, blocks=blocks) - exact) < 1e-12
    with pytest.raises(ValueError, match="probability"):
        vote_error(1 + right, epsilon=epsilon, noise=noise, blocks=blocks)
    bound = min(math.exp(t * blocks / 2) * (right * math.exp(-t) + 1 - right)**blocks for t in np.linspace(1e-3, epsilon, 50))
    assert exact <= bound


@pytest.mark.parametrize("right, sizes", [(.75, (163, 41, 27)), (.9, (99, 21, 13)), (.67, (247, 69, 53))])
def test_how_many_blocks_have_to_vote(right, sizes):
    """The least odd number with one error in a hundred, Laplace noise, at ε = 0.1, 0.5 and 1."""
    for epsilon, size in zip((.1, .5, 1), sizes, strict=True):
        errors = [vote_error(right, epsilon=epsilon, noise="laplace", blocks=k) for k in range(1, 300, 2)]
        assert 1 + 2 * next(i for i, error in enumerate(errors) if error <= .01) == size
    assert vote_error([0, .5, 1], epsilon=1, noise="discrete_laplace", blocks=4).shape == (3,)
    assert vote_error(.5, epsilon=2, noise="discrete_laplace", blocks=4) == .5


# --------------------------------------------------------------------------------------------------------------- a median


def test_scores_of_a_median_are_ranks_even_with_ties():
    draw, candidates = rng(5), np.array([-2., 0, .5, 1, 2, 7])
    for x in draw.choice([-5., -2, 0, .2, .5, 1, 1.5, 7, 9], size=(50, 7)):
        near = candidates[np.abs(x[:, None] - candidates).argmin(axis=1)]        # the lower of two that are as near
        naive = [-max((near < r).sum(), (near > r).sum()) for r in candidates]
        assert median_scores(x, candidates=candidates).tolist() == naive
    batch = draw.normal(size=(4, 3, 9))
    assert median_scores(batch, candidates=candidates)[2, 1].tolist() == median_scores(batch[2, 1], candidates=candidates).tolist()
    assert median_scores([1.] * 9, candidates=[0, 1, 2]).tolist() == [-9, 0, -9]


RELATIONS = {"replace": 2, "add_remove": 1}                                # by how much less a coin falls for each rank


def by_all_coins(scores, epsilon, neighbor):
    """The definition: every way in which the coins can fall, and one of the heads at random."""
    coins = np.exp(-epsilon / RELATIONS[neighbor] * (max(scores) - np.asarray(scores)))
    law = np.zeros(coins.size)
    for heads in itertools.product((False, True), repeat=coins.size):
        chance = np.where(heads, coins, 1 - coins).prod()
        law += chance * np.array(heads) / max(sum(heads), 1)
    return law


@pytest.mark.parametrize("neighbor", RELATIONS)
@pytest.mark.parametrize("x", [[], [2], [0], [1, 1, 3], [0, 4, 4, 4], [9, 9, 9, 9, 9, 9]])
def test_a_median_has_its_law(x, neighbor):
    """The program, its coins falling in every way; the definition; and the integral."""
    candidates, given = [0, 1, 3, 4.5], dict(epsilon=1.3, neighbor=neighbor)
    found = distribution(lambda x, script: private_median(x, candidates=candidates, **given, rng=script), x)
    scores = median_scores(x, candidates=candidates)
    law = by_all_coins(scores.tolist(), **given)
    assert max(abs(found[c] - p) for c, p in zip(candidates, law, strict=True)) < 1e-9
    np.testing.assert_allclose(median_probabilities(scores, **given), law, rtol=1e-9)


@pytest.mark.parametrize("neighbor", RELATIONS)
def test_a_median_is_chosen_as_often_as_it_should(neighbor):
    x, candidates, given = [1, 1, 1, 3, 8, 8], np.arange(10), dict(epsilon=.7, neighbor=neighbor)
    law = median_probabilities(median_scores(x, candidates=candidates), **given)
    chosen = private_median(np.tile(x, (30_000, 1)), candidates=candidates, **given, runs=True, rng=rng(6))
    assert chi_square(np.bincount(chosen.astype(int), minlength=10), law) > ALARM


@pytest.mark.parametrize("rivals", [1, 2, 30, 1000, 10**5])
def test_the_law_of_a_median_with_one_leader(rivals):
    """Proposition prop-rivals; what is far behind has e^(-rate d) of what it would have without a coin, however little that is."""
    for lead, epsilon in ((0, 1), (1, 1), (5, .3), (20, 2), (50, 1), (10**6, 1e-5), (10**9, 1e-8)):
        coin, few = math.exp(-(epsilon - 2**-36) * lead), min(rivals, 1000)          # 2**-36 is for rounding
        law = median_probabilities(np.r_[-7, np.full(rivals, -7 - lead)], epsilon=epsilon, neighbor="add_remove")
        leader = -math.expm1((rivals + 1) * math.log1p(-coin)) / ((rivals + 1) * coin) if coin < 1 else 1 / (rivals + 1)
        assert law[0] == pytest.approx(leader, rel=1e-6) and law.sum() == pytest.approx(1, rel=1e-9)
        alone = median_probabilities([0, *[-(10**6)] * few, -60, -70], epsilon=1, neighbor="add_remove")
        assert alone[-2:] == pytest.approx(np.exp([-60., -70]) / 2, rel=1e-6)


def test_shapes_of_a_law():
    scores = -rng(7).integers(0, 60, size=(3, 300, 200))
    given = dict(epsilon=.3, neighbor="replace")
    law = median_probabilities(scores, **given)                          # pieces of a few data sets each
    assert law.shape == scores.shape and abs(law.sum(axis=-1) - 1).max() < 1e-12
    np.testing.assert_allclose(law[1, 299], median_probabilities(scores[1, 299], **given), rtol=1e-12)
    np.testing.assert_array_equal(law, median_probabilities(scores.astype(np.int8), **given))
    # other pieces, so other sums of products: how they are rounded depends on the processor
    np.testing.assert_allclose(law[1], median_probabilities(scores[1], **given), rtol=1e-12)
    assert median_probabilities(np.zeros((0, 5), dtype=int), **given).shape == (0, 5)
    assert median_probabilities([-4], **given).tolist() == pytest.approx([1])
    for wrong in (-3, [], [[]], [1, 0], [-.5]):
        with pytest.raises(ValueError, match="scores"):
            median_probabilities(wrong, **given)


@pytest.mark.parametrize("neighbor", RELATIONS)
def test_coins_as_floats_keep_the_two_inequalities_of_their_proposition(neighbor):
    """Exact, in 60 digits: they never rise, none is 0, and no one is more than e^(ε/2), or e^ε, times the next one."""
    for epsilon in (1e-8, 1e-3, .1, 1 / 3, 1, 7.7, 100, 1e4):
        rate = answers_module._rate(epsilon, neighbor)
        far = np.r_[np.arange(3000), int(700 / rate) + np.arange(-2000, 2000)]
        coins, following = (answers_module._coins(np.maximum(d, 0), rate) for d in (far, far + 1))
        assert coins[0] == 1 and (following <= coins).all() and (following > 0).all()
        np.testing.assert_allclose(np.log(coins), -np.minimum(rate * np.maximum(far, 0), 600), rtol=1e-12, atol=1e-12)
        with mpmath.workdps(60):
            most = mpmath.exp(mpmath.mpf(epsilon) / RELATIONS[neighbor])
            assert all(mpmath.mpf(a) <= most * mpmath.mpf(b) for a, b in zip(coins.tolist(), following.tolist(), strict=True))
    with pytest.raises(ValueError, match="epsilon"):
        answers_module._rate(1e-12, neighbor)


@pytest.mark.parametrize("neighbor", RELATIONS)
def test_a_median_is_as_near_as_its_docstring_says(neighbor):
    """All counts of up to five records at five candidates, by the exact law."""
    nearest = 0
    for counts in itertools.product(range(6), repeat=5):
        if 0 < (n := sum(counts)) <= 5:
            scores = median_scores(np.repeat(np.arange(5), counts), candidates=np.arange(5))
            for epsilon, beta in itertools.product((2, 5), (.4, .1)):
                loss = RELATIONS[neighbor] / epsilon * math.log(5 / (2 * beta))
                failing = median_probabilities(scores, epsilon=epsilon, neighbor=neighbor)[-scores >= n / 2 + loss].sum()
                nearest = max(nearest, failing / beta)
    assert .3 < nearest <= 1


def test_a_median_of_equal_answers_is_found():
    given = dict(candidates=np.arange(-100, 101), epsilon=1, neighbor="replace", runs=True)
    for answer in (17., 17.3, np.nextafter(17, 0)):
        assert (private_median(np.full((500, 101), answer), **given, rng=rng()) == 17).all()


def test_shapes_of_a_median():
    given = dict(candidates=[0, 1, 2], epsilon=1, neighbor="replace")
    assert private_median([1.], **given, rng=rng()).shape == ()
    assert private_median(np.zeros((2, 3, 4)), **given, runs=True, rng=rng()).shape == (2, 3)
    assert private_median(np.zeros((0, 4)), **given, runs=True, rng=rng()).shape == (0,)
    many = np.linspace(0, 1, 2**18)                                      # pieces of a few data sets each
    assert private_median(rng().random((9, 50)), **given | dict(candidates=many, epsilon=9), runs=True, rng=rng()).shape == (9,)
    for candidates in ([], [1, 1], [2, 1], [[1, 2]], [np.nan], 3):
        with pytest.raises(ValueError, match="candidates"):
            private_median([1.], **given | dict(candidates=candidates), rng=rng())
    with pytest.raises(ValueError, match="neighbor"):
        private_median([1.], **given | dict(neighbor="both"), rng=rng())


def test_a_mean_is_clipped_and_has_the_noise_of_its_range():
    x, bounds = [-50., 1, 2, 9], (0., 4)
    noisy = bounded_mean(np.tile(x, (40_000, 1)), bounds=bounds, epsilon=2, runs=True, rng=rng(8))
    cells = np.histogram(noisy, bins=[-9, 1, 1.5, 1.75, 2, 2.5, 9])[0]
    law = np.diff(laplace_cdf(np.array([-np.inf, 1, 1.5, 1.75, 2, 2.5, np.inf]) - 1.75, .5))
    assert chi_square(cells, law) > ALARM


# ------------------------------------------------------------------------------------------------- any program, on blocks

KEEP = lambda answers, rng: answers                                      # what combine sees


def on_blocks(x, estimator, blocks=5, default=0, seed=0, **given):
    return subsample_and_aggregate(x, estimator, KEEP, blocks=blocks, default=default, rng=rng(seed), **given)


def test_each_record_is_in_one_block_and_sizes_differ_by_one():
    for n, blocks in ((10, 3), (7, 7), (1, 1), (100, 8)):
        parts = on_blocks(2.**np.arange(min(n, 50)), np.sum, min(blocks, n))
        assert parts.sum() == 2.**min(n, 50) - 1
        sizes = on_blocks(np.arange(n), len, blocks)
        assert sizes.sum() == n and sizes.max() - sizes.min() <= 1
    assert (on_blocks(np.arange(100), np.mean, seed=1) != on_blocks(np.arange(100), np.mean, seed=2)).any()


def coins(block, rng):
    return rng.random(int(block.sum())).sum()                            # a number of draws that the data decide


def caught(block):
    if block.max() == 100:
        raise KeyError("a record is 100")
    return block.sum()


def told(block):
    warnings.warn("a record", stacklevel=1) if block.max() == 100 else None
    return np.log(-block.sum()) if block.max() == 100 else block.sum()


@pytest.mark.parametrize("estimator", [
    np.mean, coins, caught, told, lambda b: np.nan if b.max() == 100 else 1, lambda b: b[:2] if b.max() == 100 else 1,
    lambda b: "five" if b.max() == 100 else 1, lambda b: None if b.max() == 100 else 1, lambda b: exit() if b.max() == 100 else 1,
    lambda b: b.sort() or float(b[0]), lambda b: 1 / 0 if b.max() == 100 else 1, lambda b: 1j if b.max() == 100 else 1])
def test_one_record_changes_one_answer_at_most(estimator):
    x = np.arange(40.)
    for i in range(0, 40, 7):
        y = x.copy()
        y[i] = 100
        one, other = on_blocks(x, estimator, default=-1), on_blocks(y, estimator, default=-1)
        assert (one != other).sum() <= 1 and np.isfinite(other).all()
    assert x.tolist() == list(range(40))


@pytest.mark.parametrize("record", [2**100, 2.5, "five", None, True])
def test_one_record_of_a_list_decides_the_type_of_its_own_block_only(record):
    kinds = lambda block: "iufbOU".index(block.dtype.kind)
    x = list(range(40))
    assert (on_blocks(x, kinds) != on_blocks([*x[:7], record, *x[8:]], kinds)).sum() <= 1
    assert len({on_blocks([*x[:7], record, *x[8:]], kinds).tolist().count(0)} & {4, 5}) == 1


def test_a_program_that_never_ends_costs_its_block_and_no_more():
    def stuck(block):
        while block.max() == 39:
            pass
        return block.sum()

    began = time.monotonic()
    answers = on_blocks(np.arange(40), stuck, default=-1, seconds=1)
    assert (answers == -1).sum() == 1 and time.monotonic() - began < 30
    one = on_blocks(np.arange(40), lambda b: b.sum(), default=-1)
    assert (answers != one).sum() == 1                                   # the same blocks, alone or not


def test_a_program_alone_has_no_memory_of_other_blocks():
    seen = []

    def remember(block):
        seen.append(1)
        return len(seen)

    assert on_blocks(np.arange(20), remember).tolist() == [1, 2, 3, 4, 5]
    seen.clear()
    assert on_blocks(np.arange(20), remember, seconds=60).tolist() == [1] * 5
    assert on_blocks(np.arange(20), lambda b: os._exit(3), seconds=60).tolist() == [0] * 5


@pytest.fixture
def anew(monkeypatch):
    """As on Windows and macOS: a process starts without a copy of this one."""
    monkeypatch.setattr(blocks_module, "METHOD", "spawn")


def test_a_process_that_starts_anew_gives_the_same_answers(anew, capfd):
    for program in (programs.total, programs.draws):
        here, apart = (on_blocks(np.arange(20), program, 2, seconds=s) for s in (None, 60))
        assert (here == apart).all()
    assert on_blocks(np.arange(20), programs.leaves, 1, seconds=60).tolist() == [0]
    assert capfd.readouterr() == ("", "")


def test_a_process_that_starts_anew_is_ended_too(anew):
    answers = on_blocks(np.arange(20), programs.stuck, 2, default=-1, seconds=1)
    here = on_blocks(np.arange(20), programs.total, 2, default=-1)
    assert (answers == -1).sum() == 1 and (answers != here).sum() == 1


@pytest.mark.parametrize("record", [programs.Unsendable(), programs.Unreadable()])
def test_a_record_that_cannot_be_sent_costs_its_block_and_no_more(anew, record):
    answers = on_blocks([1, record], len, 2, seconds=60)
    assert sorted(answers) == [0, 1]


def test_a_program_that_cannot_be_sent_is_refused_whatever_the_data(anew, monkeypatch, capfd):
    inner = lambda block: block.sum()
    with pytest.raises(ValueError, match="estimator must be a function of a module"):
        on_blocks(np.arange(20), inner, seconds=60)
    gone = types.ModuleType("gone")  # as what a notebook defines: found here, and not in a new process
    exec("def program(block): return 1", vars(gone))
    monkeypatch.setitem(sys.modules, "gone", gone)
    with pytest.raises(ValueError, match="estimator must be a function of a module"):
        on_blocks(np.arange(20), gone.program, seconds=60)
    assert "No module named 'gone'" in capfd.readouterr().err  # why, for whoever called


@pytest.mark.parametrize("seconds", [None, 60])
def test_a_program_cannot_raise_a_record(seconds, capfd):
    """Not even by an exception that nobody catches; and what it writes past Python's streams ends with its process."""
    def tells(block):
        print(block)
        if seconds:
            os.write(1, b"a record")
        raise (KeyboardInterrupt if block.max() % 2 else GeneratorExit)(block.max())

    assert on_blocks(np.arange(20), tells, seconds=seconds).tolist() == [0] * 5
    assert capfd.readouterr() == ("", "")


class Slope:
    """The interface of scikit-learn: fit returns the object, and what was learnt ends in an underscore."""
    fits = 0

    def fit(self, X, y):
        self.fits += 1
        self.coef_ = np.linalg.lstsq(X - X.mean(axis=0), y - y.mean(), rcond=None)[0]
        return self


class Results:
    """The interface of statsmodels: data first, and fit returns what was learnt."""
    def __init__(self, y, X):
        self.y, self.X = y, X

    def fit(self):
        self.params = np.linalg.lstsq(np.c_[np.ones(len(self.y)), self.X], self.y, rcond=None)[0]
        return self


def test_estimators_of_both_kinds_on_real_data():
    X, y = rand_covariates()[:, 4:], np.minimum(rand_visits(), 20)
    machine = Slope()
    fitted = on_blocks((X, y), (machine, lambda fit: fit.coef_[0]), blocks=40)
    assert machine.fits == 0 and np.abs(fitted - on_blocks((X, y), lambda X, y: Results(y, X).fit().params[1], blocks=40)).max() < 1e-9
    whole = Slope().fit(X, y).coef_[0]
    assert abs(np.median(fitted) / whole - 1) < .3 and np.unique(fitted).size == 40


def test_the_estimators_of_statsmodels_and_scikit_learn():
    X, y = rand_covariates()[:, 4:], np.minimum(rand_visits(), 20)
    fitted = on_blocks((y, X), lambda y, X: models.OLS(y, models.add_constant(X)).fit().params[1], blocks=40)
    assert np.abs(fitted - on_blocks((X, y), (Slope(), lambda fit: fit.coef_[0]), blocks=40)).max() < 1e-9
    learnt = on_blocks((X, y), (LinearRegression(), lambda fit: fit.coef_[0]), blocks=40)
    assert np.abs(fitted - learnt).max() < 1e-9


def test_an_estimator_of_scikit_learn_made_private():
    """A tree's accuracy on new records, from 100 trees that see 60 records each."""
    draw = rng(3)
    X = draw.uniform(-1, 1, size=(6000, 2))
    y = (X[:, 0] > .2) & (draw.random(6000) < .9)
    new = draw.uniform(-1, 1, size=(500, 2))
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    share = lambda tree: np.mean(tree.predict(new) == (new[:, 0] > .2))
    median = lambda answers, rng: private_median(
        answers, candidates=np.linspace(0, 1, 101), epsilon=1, neighbor="replace", rng=rng)
    released = subsample_and_aggregate((X, y), (tree, share), median, blocks=100, default=0, rng=draw)
    assert .93 < released <= 1 and not hasattr(tree, "tree_")
    alone = np.median(on_blocks((X, y), (tree, share), blocks=100))
    assert abs(released - alone) < .03


def test_all_records_of_a_person_are_in_one_block():
    people = np.repeat(["eve", "ann", "bob", "cat", "dan"], [4, 1, 3, 2, 5])
    parts = on_blocks(people, lambda block: len(block) + 100 * len(set(block.tolist())), blocks=5, people=people)
    assert sorted(parts.tolist()) == [101, 102, 103, 104, 105]
    x = np.arange(15.)
    for person in set(people):
        y = np.where(people == person, 99, x)
        assert (on_blocks(x, np.sum, 3, people=people) != on_blocks(y, np.sum, 3, people=people)).sum() == 1


def test_answers_have_the_shape_of_the_default():
    assert on_blocks(np.arange(20), lambda b: [b.min(), b.max()], default=[0, 0]).shape == (5, 2)
    assert (on_blocks(np.arange(20), lambda b: [b.min()], default=[7, 8]) == [7, 8]).all()
    assert on_blocks([1, 2, 3], np.mean, blocks=3).sum() == 6
    assert on_blocks([[1, 2], [3], [4]], lambda b: b.sum(), blocks=1, default=9).tolist() == [9]


@pytest.mark.parametrize("wrong", [dict(blocks=0), dict(blocks=21), dict(default=np.nan), dict(seconds=0), dict(estimator=3),
                                   dict(estimator=(3, len)), dict(people=[1, 2]), dict(x=(np.zeros(3), np.zeros(4)))])
def test_arguments_of_the_blocks_are_named(wrong):
    given = dict(x=np.arange(20), estimator=np.mean, combine=KEEP, blocks=5, default=0, rng=rng()) | wrong
    with pytest.raises(ValueError, match=next(iter(wrong))):
        subsample_and_aggregate(**given)


def test_other_arguments_of_the_answers_are_named():
    for call, name in ((lambda: private_vote([], epsilon=1, noise="discrete_laplace", rng=rng()), "votes"),
                       (lambda: vote_error(1.1, epsilon=1, noise="discrete_laplace", blocks=3), "prob"),
                       (lambda: private_vote([1], epsilon=1, noise="none", rng=rng()), "noise"),
                       (lambda: vote_error(.5, epsilon=1, noise="discrete_laplace", blocks=0), "blocks"),
                       (lambda: bounded_mean([1.], bounds=(1, 1), epsilon=1, rng=rng()), "bounds"),
                       (lambda: bounded_mean([np.nan], bounds=(0, 1), epsilon=1, rng=rng()), "x must be finite")):
        with pytest.raises(ValueError, match=name):
            call()
    with pytest.raises(ValueError, match="at least 1 records"):
        private_vote(1, epsilon=1, noise="discrete_laplace", rng=rng())
    with pytest.raises(TypeError, match="rng"):
        private_vote([1], epsilon=1, noise="discrete_laplace", rng=0)


# ---------------------------------------------------------------------------------------------------------------- refusals

BUDGET = dict(epsilon=1, delta=1e-6)
ANSWERS = {  # who refuses: a release of data of which there are few, or enough
    release_if_stable: lambda enough: release_if_stable("Smith", 10**6 if enough else 0, **BUDGET, rng=rng()),
    unbounded_mean: lambda enough: unbounded_mean(np.zeros(1000 if enough else 1), **BUDGET, rng=rng()),
    private_scale: lambda enough: private_scale(rng().normal(size=2000 if enough else 2), **BUDGET, rng=rng()),
    friendly_mean: lambda enough: friendly_mean(np.zeros((2000 if enough else 1, 3)), radius=1, **BUDGET, rng=rng()),
    friendly_tuples: lambda enough: friendly_tuples(
        np.tile([[[0.], [9.]]], (2000 if enough else 1, 1, 1)), radius=1, **BUDGET, rng=rng()),
    private_parity: lambda enough: private_parity(
        *parity_data(enough), epsilon=2, blocks=9, neighbor="replace", rng=rng()),
    release_coefficient: lambda enough: release_coefficient(
        *trial(4000 if enough else 10), move=([0], [1]), domain=Box([(0, 1)]), loss=LOGISTIC, **BUDGET, rows_per_unit=1, rng=rng()),
    release_vector: lambda enough: release_vector(
        *trial(4000 if enough else 10), domain=Box([(0, 1)]), loss=LOGISTIC, **BUDGET, split=.3, rows_per_unit=1, rng=rng()),
    PrivateLogisticRegression: lambda enough: PrivateLogisticRegression(
        bounds=(0, 1), **BUDGET, rng=rng()).fit(*trial(4000 if enough else 10)),
}


def parity_data(enough):
    """Records that one parity explains, or that none does."""
    x = rng(2).integers(0, 2, size=(2000, 3))
    return x, x[:, 0] if enough else rng(3).integers(0, 2, size=2000)


def trial(size):
    arm = np.arange(size) % 2
    return arm[:, None], np.arange(size) % 5 < 2 + arm


@pytest.mark.parametrize("maker", ANSWERS, ids=lambda maker: maker.__name__)
def test_a_refusal_of_every_kind_is_told_from_an_answer(maker):
    answers = [ANSWERS[maker](enough) for enough in (False, True)]
    assert [refused(answer) for answer in answers] == [True, False]
    assert [type(refused(answer)) for answer in answers] == [bool, bool]


def test_answers_that_look_like_refusals_are_none():
    assert not any(map(refused, (0., -1, -1.0, np.int64(-1), np.full(3, -1), discrete_laplace([0] * 9, sensitivity=1, epsilon=1, rng=rng()),
                                 np.array([0, 1, 0], dtype=np.int8), True, None, "nan", [], np.array([]), Ellipsis, (1, "a"))))
    assert not refused((np.zeros(3), np.zeros(2))) and not refused(PrivateLogisticRegression(bounds=(0, 1), **BUDGET, rng=rng()))


def test_many_answers_are_looked_at_one_by_one():
    some = unbounded_mean(np.stack([np.zeros(1000), 1e9 * np.arange(1000)]), **BUDGET, runs=True, rng=rng())
    assert refused(some, runs=True).tolist() == [False, True]
    with pytest.raises(ValueError, match="runs=True"):
        refused(some)
    with pytest.raises(ValueError, match="runs"):
        refused(some, runs="yes")
    shown = release_if_stable(["Smith", "Jones"], [0, 10**6], **BUDGET, rng=rng())
    assert refused(shown, runs=True).tolist() == [True, False] and refused(shown[:1]) is True
