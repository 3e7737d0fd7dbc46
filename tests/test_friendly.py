"""friendly: fast counts against the rule, weights against exhaustive search, plans against golden values, laws against integrals."""

from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from math import ceil
from unittest.mock import patch

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import chi2

from dplib import _grid
from dplib.friendly import (
    FriendlyPlan,
    core,
    counts,
    friend_counts,
    friendly_core_delta,
    friendly_core_epsilon,
    friendly_core_mean,
    friendly_core_plan,
    friendly_mean,
    friendly_plan,
    friendly_radius,
    friendly_tuples,
    friendly_weights,
    sample_friendly_core,
)
from dplib.friendly.counts import are_friends
from dplib.friendly.mean import _products, closer_kappa, mean_noise, noisy_weighted_mean
from dplib.friendly.weights import weights_of_counts
from dplib.mechanisms import gaussian_sigma
from tests.attacks import gaussian_delta, replay
from tests.chance import FAR, rng, standard_errors
from tests.ledger import ledger
from tests.noise import no_noise

BUDGET = dict(epsilon=1, delta=1e-6)


def by_the_rule(x, radius):
    """The oracle: every pair, in both orders."""
    with np.errstate(over="ignore"):
        return np.array([[are_friends(one, other, radius) for other in x] for one in x]).sum(axis=-1)


# -------------------------------------------------------------------------------------------------------------- counts


def clouds(draws):
    """Data sets in which something cancels, overflows, ties or is far away."""
    normal = draws.normal(size=(130, 3))
    far = normal.copy()
    far[::3] *= 1e9
    two = normal + np.where(np.arange(130) % 2, 1e12, -1e12)[:, None]
    huge = normal.copy()
    huge[5], huge[9], huge[11] = 1.7e308, -1.7e308, [1e200, -1e160, 0]
    lattice = draws.integers(0, 4, size=(130, 3)) * 0.1
    return {"near": normal, "moved": normal + 1e8, "far": far, "two places": two, "huge": huge, "lattice": lattice,
            "equal": np.ones((130, 3)), "line": normal[:, :1], "lattice on a line": lattice[:, :1],
            "a line far away": normal[:, :1] + 1e15, "two": normal[:2], "one": normal[:1]}


@pytest.mark.parametrize("name", clouds(rng()))
@pytest.mark.parametrize("radius", [0.1, 0.3, 2.0, 1e9])
def test_counts_are_those_of_the_rule(name, radius):
    x = clouds(rng(1))[name]
    before = x.copy()
    np.testing.assert_array_equal(friend_counts(x, radius=radius), by_the_rule(x, radius))
    np.testing.assert_array_equal(x, before)


def test_counts_at_exactly_the_radius():
    """3, 4, 5 and its multiples are exact; one unit in the last place decides."""
    x = np.array([[0.0, 0], [3, 4], [30, 40], [33, 44]])
    assert friend_counts(x, radius=5).tolist() == [2, 2, 2, 2]
    assert friend_counts(x, radius=np.nextafter(5, 0)).tolist() == [1, 1, 1, 1]
    many = np.tile(x, (40, 1))
    assert friend_counts(many, radius=5).tolist() == [80] * 160
    assert friend_counts(many, radius=np.nextafter(5, 0)).tolist() == [40] * 160


def near_the_radius():
    """Two hundred records around one, all at distance 1 but for the last digits."""
    around = rng(6).normal(size=(200, 5))
    around /= np.linalg.norm(around, axis=-1, keepdims=True)
    return np.vstack([np.zeros(5), around * (1 + rng(7).uniform(-1, 1, size=(200, 1)) * 10.0 ** -rng(8).integers(3, 17, size=(200, 1)))])


def test_counts_of_short_products_are_those_of_the_rule(monkeypatch):
    """Products of half the digits decide what is clear; without a margin for their rounding they decide too much."""
    x = near_the_radius()
    np.testing.assert_array_equal(friend_counts(x, radius=1), by_the_rule(x, 1))
    monkeypatch.setattr(counts, "_rounding", lambda *given: 0.0)
    assert np.any(friend_counts(x, radius=1) != by_the_rule(x, 1))


def test_counts_on_every_path_are_the_same(monkeypatch):
    x = rng(3).normal(size=(7, 40, 2)).round(1)
    small = friend_counts(x, radius=0.5)
    monkeypatch.setattr(counts, "SMALL", 0)
    np.testing.assert_array_equal(friend_counts(x, radius=0.5), small)
    for height, width in ((8, 16), (3, 5), (1, 1)):
        monkeypatch.setattr(counts, "HEIGHT", height)
        monkeypatch.setattr(counts, "WIDTH", width)
        np.testing.assert_array_equal(friend_counts(x, radius=0.5), small)


def test_counts_of_many_data_sets_of_one():
    assert friend_counts(np.zeros((2, 0, 3, 1)), radius=1).shape == (2, 0, 3)
    x = rng(4).normal(size=(3, 2, 60, 2))
    np.testing.assert_array_equal(friend_counts(x, radius=1)[2, 1], friend_counts(x[2, 1], radius=1))


def test_memory_does_not_grow_with_the_pairs():
    import tracemalloc
    x = rng(5).normal(size=(6000, 2))
    tracemalloc.start()
    friend_counts(x, radius=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12e6 < 6000**2 / 2


# ------------------------------------------------------------------------------------------------------------- weights


@pytest.mark.parametrize("n", [10, 50, 200])
def test_weights_when_one_of_many_equal_records_leaves(n):
    """The filter as it is printed elsewhere, with a slope of 1/n, jumps; its correction and ours do not."""
    here, gone = np.full(n, n), np.r_[np.full(n - 1, n - 1), 1]
    golden = {10: 6.4, 50: 26.48, 200: 101.495}[n]
    printed = lambda c: np.where(c == n, 1, np.clip((c - n / 2) / n, 0, 1))
    meant = lambda c: np.clip((c - n / 2) / (n / 2), 0, 1)
    assert np.abs(printed(here) - printed(gone)).sum() == pytest.approx(golden)
    assert np.abs(meant(here) - meant(gone)).sum() == pytest.approx(3 - 2 / n)
    assert np.abs(weights_of_counts(here) - weights_of_counts(gone)).sum() == pytest.approx(3)
    x = np.zeros((n, 1))
    y = x.copy()
    y[-1] = 9
    np.testing.assert_array_equal(friendly_weights(x, radius=1), 1)
    np.testing.assert_array_equal(friendly_weights(y, radius=1), weights_of_counts(gone))


def test_weights_of_three():
    """Without the shift, 0 survives in one world and 10 in the other, and they share no friend."""
    worlds = np.array([[[0.0], [0], [10]], [[10.0], [0], [10]]])
    unshifted = np.clip((friend_counts(worlds, radius=1) - 1.5) / 1.5, 0, 1)
    assert ((unshifted > 0) == [[1, 1, 0], [1, 0, 1]]).all()
    assert (friendly_weights(worlds, radius=1) == 0).all()


def test_weights_at_the_corners():
    assert friendly_weights([[5.0]], radius=1).tolist() == [0]
    assert friendly_weights([[0.0], [1]], radius=1).tolist() == [1, 1]
    assert friendly_weights([[0.0], [1.1]], radius=1).tolist() == [0, 0]
    np.testing.assert_allclose(friendly_weights(np.array([0, 0, 1, 1, 2, 5.0])[:, None], radius=1), [.2, .2, .6, .6, 0, 0])
    moved = friendly_weights(np.array([0, 0, 1, 1, 2, 1.0])[:, None], radius=1)
    np.testing.assert_allclose(moved, [.6, .6, 1, 1, .2, 1])


@pytest.mark.parametrize("n, t", [(1000, 50), (1000, 100), (1000, 300), (7, 1)])
def test_weight_with_strangers(n, t):
    x = np.zeros((n, 1))
    x[:t, 0] = 100.0 * np.arange(1, t + 1)
    exact = (n - t) * max(0, 1 - Fraction(2 * t, n - 1))
    assert friendly_weights(x, radius=1).sum() == pytest.approx(float(exact))


def graphs(n):
    """All symmetric relations among n + 1 vertices in which everybody is a friend of themselves, shape (graphs, n + 1, n + 1)."""
    rows, columns = np.triu_indices(n + 1, 1)
    edges = np.array(list(product((0, 1), repeat=rows.size)))
    friends = np.broadcast_to(np.eye(n + 1, dtype=int), (len(edges), n + 1, n + 1)).copy()
    friends[:, rows, columns] = friends[:, columns, rows] = edges
    return friends


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_every_graph_of_friends(n):
    """Vertices 0 and n are the two versions of one record: S is at most 3, and survivors of both worlds share a friend."""
    friends = graphs(n)
    w, v = (weights_of_counts(friends[:, world][:, :, world].sum(axis=-1)) for world in (np.arange(n), np.r_[n, 1:n]))
    moved = w[:, 0] + v[:, 0] + np.abs(w[:, 1:] - v[:, 1:]).sum(axis=-1)
    assert moved.max() == pytest.approx(3 if n > 2 else 2)
    alive = np.column_stack([w[:, 0] > 0, (w[:, 1:] > 0) | (v[:, 1:] > 0), v[:, 0] > 0])
    common = friends[:, :, 1:n] @ friends[:, 1:n]
    assert common[alive[:, :, None] & alive[:, None]].all()


def test_a_sampled_core():
    x = np.array([[0.0], [0.2], [0.4], [0.6], [1.3], [9]])
    kept = sample_friendly_core(np.broadcast_to(x, (20_000, 6, 1)), radius=1, rng=rng(6))
    for share, weight in zip(kept.sum(axis=0), friendly_weights(x, radius=1), strict=True):
        assert abs(standard_errors(share, 20_000, weight)) < FAR
    np.testing.assert_allclose(friendly_core_epsilon(epsilon=[1, 3]), np.log([4 / 3, 2]))


# --------------------------------------------------------------------------------------------------------------- plans


def test_plan_golden():
    plan = friendly_plan(size=2000, radius=1, **BUDGET, strangers=100, split=.3)
    assert plan.floor == pytest.approx(1552, abs=.5) and plan.kappa == pytest.approx(3.904, abs=2e-3)
    first = {split: next(n for n in range(100, 600) if friendly_plan(size=n, radius=1, **BUDGET, split=split).floor >= n / 2)
             for split in (.2, .3, .5)}
    assert first == {.2: 471, .3: 317, .5: 194}
    assert [friendly_plan(size=n, radius=1, **BUDGET, split=.3).floor > 0 for n in (161, 162)] == [False, True]
    assert friendly_plan(size=250, radius=1, **BUDGET, split=.3).kappa == 6


@pytest.mark.parametrize("n, strangers", [(12, 0), (13, 1), (40, 6)])
def test_plan_of_few_records_by_hand(n, strangers):
    plan = friendly_plan(size=n, radius=1, epsilon=60, delta=.01, strangers=strangers, split=.5, beta=.1)
    scale, twice_delta, twice_beta = 3 / 30, .02, .2
    lost = 4 + scale * (np.log(1 / twice_delta) + np.log(1 / twice_beta))
    floor = (n - strangers) * (1 - 2 * strangers / (n - 1)) - lost
    missing = n - floor + 3
    kappa = 3 + 4 * (missing + 1) / (n - 1) if missing <= (n - 1) / 2 else 6
    above = floor + scale * np.log(1 / twice_delta)
    assert (plan.floor, plan.kappa, plan.scale) == pytest.approx((floor, kappa, scale), rel=1e-12)
    assert plan.passes_above == pytest.approx(above, rel=1e-9)


def test_half_of_the_weight_may_be_missing_and_no_more():
    floors = 13 + 3 - np.array([6 - 1e-9, 6, 6 + 1e-9])  # of 13 records
    assert closer_kappa(13, floors) == pytest.approx([3 + 7 / 3, 3 + 7 / 3, 6], rel=1e-8)


@pytest.mark.parametrize("off, passes", [(-1e-6, True), (0, False), (1e-6, False)])
def test_a_weight_passes_above_what_the_plan_says(off, passes):
    given = dict(radius=1, epsilon=60, delta=.01)
    plan = replace(friendly_plan(size=9, **given), passes_above=9 + off)  # all are friends, and weigh 9
    noise, unit = mean_noise(plan, entries=1, **given)
    points, counts = np.zeros((1, 9, 1)), np.full((1, 9), 9)
    with no_noise():
        answers = noisy_weighted_mean(points, counts, plan, noise, unit, epsilon=60, rng=rng())
    assert np.isfinite(answers).all() == passes


@pytest.mark.parametrize("n", [3, 40, 3000])
def test_products_of_weights_and_steps_are_next_to_the_exact_sums(n):
    draws = rng(n)
    weights = draws.integers(0, n, size=(2, n))
    steps = draws.integers(-(2**42), 2**42, size=(2, n, 3))
    exact = np.einsum("rn,rnd->rd", weights.astype(object), steps.astype(object))
    assert np.allclose(_products(weights, steps), exact.astype(float), rtol=0, atol=2.0**42 * n**2 * 2.0**-50)
    few = steps % 2  # a digit that is lost shows here
    assert np.array_equal(_products(weights, few), np.einsum("rn,rnd->rd", weights, few))


@pytest.mark.parametrize("n, sigma, usual", [(500, .531, .552), (4000, .0360, .0395), (10_000, .0131, .0155)])
def test_plan_noise_in_ten_dimensions(n, sigma, usual):
    radius = friendly_radius(size=n, dimension=10)
    assert friendly_plan(size=n, radius=radius, **BUDGET).sigma == pytest.approx(sigma, rel=.01)
    assert friendly_plan(size=n, radius=radius, **BUDGET, split=.3).sigma == pytest.approx(usual, rel=.01)


def test_tuned_split_is_never_worse():
    for n, epsilon, delta in product((60, 170, 300, 1000, 30_000), (.1, .5, 1, 10), (1e-10, 1e-6, .4)):
        given = dict(size=n, radius=3, epsilon=epsilon, delta=delta)
        assert friendly_plan(**given).sigma <= friendly_plan(**given, split=.3).sigma


def test_pass_probability():
    plan = friendly_plan(size=1000, radius=1, **BUDGET, split=.3)
    weights = [1000 - 2] + [(1000 - t) * (1 - 2 * t / 999) - 2 for t in (10, 20)]
    np.testing.assert_allclose(plan.pass_probability(weights), [.96, .31, .017], rtol=.05)
    assert plan.pass_probability(plan.passes_above) == .5 and plan.pass_probability(plan.floor) == pytest.approx(1e-6)


GOLDEN_CROSSINGS = [(1, 500, 14.9), (2, 1000, 11.1), (2, 4000, 8.1), (10, 500, 26), (10, 2000, 13.4), (10, 4000, 12.0), (50, 2000, 23.3),
                    (50, 4000, 20.7)]


@pytest.mark.parametrize("d, n, golden", GOLDEN_CROSSINGS)
def test_radius_from_which_clipping_is_worse(d, n, golden):
    """Projection to a ball around R, with Gaussian noise, against the plan with a share of 0.3."""
    plan = friendly_plan(size=n, radius=friendly_radius(size=n, dimension=d), **BUDGET, split=.3)
    radii = np.geomspace(1, 100, 2000)
    clipped = gaussian_sigma(sensitivity=2 * (radii + np.sqrt(chi2.isf(.01 / n, d))) / n, **BUDGET)
    assert radii[np.argmax(clipped > plan.sigma)] == pytest.approx(golden, rel=.05)


@pytest.mark.parametrize("strangers", [0, 3, 9])
def test_refusals_are_as_frequent_as_the_plan_says(strangers):
    x = np.zeros((400, 1))
    x[:strangers, 0] = 50.0 * np.arange(1, strangers + 1)
    plan = friendly_plan(size=400, radius=1, **BUDGET, strangers=3)
    answers = friendly_mean(np.broadcast_to(x, (2000, 400, 1)), radius=1, **BUDGET, strangers=3, runs=True, rng=rng(17))
    expected = plan.pass_probability(friendly_weights(x, radius=1).sum())
    assert abs(standard_errors((~np.isnan(answers)).sum(), 2000, expected)) < FAR


def test_too_few_records():
    plan = friendly_plan(size=53, radius=1, **BUDGET)
    assert plan.floor == 0 and plan.sigma == np.inf and plan.pass_probability([0, 53]).tolist() == [0, 0]
    assert "fewer than 54" in plan.advice and friendly_plan(size=54, radius=1, **BUDGET).sigma < np.inf
    assert "strangers" in friendly_plan(size=100, radius=1, **BUDGET, strangers=70).advice
    assert np.isnan(friendly_mean(np.zeros((3, 53, 2)), radius=1, **BUDGET, runs=True, rng=rng())).all()
    assert np.isnan(friendly_mean(np.zeros((1, 1)), radius=1, **BUDGET, rng=rng())).all()


def test_radius_is_missed_by_one_pair_in_n():
    for n, d in ((100, 1), (1000, 2), (4000, 10)):
        assert chi2.sf(float(friendly_radius(size=n, dimension=d)) ** 2 / 2, d) == pytest.approx(1 / n)


# ------------------------------------------------------------------------------------------------------------ the mean


@pytest.mark.parametrize("centre", [0, 1e6, -3e12])
def test_mean_has_the_noise_of_the_plan(centre):
    n, d = 400, 2
    plan = friendly_plan(size=n, radius=2, **BUDGET)
    x = np.full((n, d), float(centre))
    x[:, 1] += np.where(np.arange(n) % 2, .5, -.5)
    answers = friendly_mean(np.broadcast_to(x, (1500, n, d)), radius=2, **BUDGET, runs=True, rng=rng(7)) - centre
    refused = np.isnan(answers).any(axis=-1)
    assert abs(standard_errors((~refused).sum(), 1500, plan.pass_probability(n))) < FAR
    z = answers[~refused] / plan.sigma
    assert np.abs(z.mean(axis=0)).max() < FAR / np.sqrt(len(z))
    assert abs(np.square(z).mean() - 1) < FAR * np.sqrt(1 / len(z))


def test_strangers_have_no_say():
    x = rng(8).normal(size=(5000, 3))
    x[:20] = 1e300
    answer = friendly_mean(x, radius=8, epsilon=5, delta=1e-6, strangers=40, rng=rng(9))
    assert np.abs(answer - x[20:].mean(axis=0)).max() < .1


def test_mean_of_everything_that_a_float_holds():
    for value in (1.7e308, -1.7e308, 5e-324, 0.0):
        answer = friendly_mean(np.full((400, 1), value), radius=1e300 if value else 1e-300, epsilon=9, delta=1e-3, rng=rng())
        assert np.isfinite(answer).all()


def shift_bound(x, y, radius):
    """How far the two weighted means are apart, times the larger weight, in radii."""
    w, v = friendly_weights(x, radius=radius), friendly_weights(y, radius=radius)
    if min(w.sum(), v.sum()) == 0:
        return 0, 0
    far = np.linalg.norm(w @ x / w.sum() - v @ y / v.sum())
    return far * max(w.sum(), v.sum()) / radius, min(w.sum(), v.sum())


def test_mean_moves_by_less_than_its_bounds():
    """Random neighbours of all spreads, and two that are close to the worst."""
    draws, worst = rng(10), 0
    for n in (4, 7, 12):
        for _ in range(2000):
            x = draws.normal(size=(n, 1)) * draws.choice([.3, .6, 1])
            y = x.copy()
            y[0] = draws.choice([-2, -1, 0, 1, 2, 9])
            moved, least = shift_bound(x, y, 1)
            deficit = n - least
            assert moved <= 6
            if 0 < least and deficit <= n / 2:
                assert moved <= 3 + 3 * (deficit + 1) / n + deficit / (n - 1) + 1e-9
            worst = max(worst, moved)
    assert 1 < worst < 3


WORST_FOUND = [[-.453, -1.477], [-.099, -.8], [-.777, -.065], [-.778, -.066], [-.456, .013], [-.865, .927], [-.939, .919], [.206, .15],
               [-.01, 1.078], [.215, .131], [.01, 1.096], [-.421, .864]]


def test_a_small_constant_is_false_where_little_weight_is_left():
    """What a long search in the plane found: the first record becomes the last. The page says 3.69."""
    x = np.array(WORST_FOUND)
    moved, least = shift_bound(x[:11], np.vstack([x[11:], x[1:11]]), 1)
    assert 3.68 < moved < 3.695 and least < 1


def law_of_one_dimension(total, mean, plan, grid):
    """Density on a grid, and the probability of a refusal."""
    shown = plan.pass_probability(total)
    cells = np.diff(ndtr((np.concatenate([[-np.inf], grid, [np.inf]]) - mean) / plan.sigma))
    return np.append(shown * cells, 1 - shown)


def test_no_event_breaks_the_promise():
    """The exact δ of the mechanism in one dimension, on adversarial neighbours, is at most what is promised."""
    from dplib.audit import hockey_stick
    draws, worst, delta = rng(11), 0, .01
    for n in (18, 22, 30):
        plan = friendly_plan(size=n, radius=1, epsilon=4, delta=delta, split=.5)
        assert plan.floor > 3
        for _ in range(60):
            x = draws.choice([0, .5, 1, 5.0], p=draws.dirichlet([5, 2, 1, .3]), size=(n, 1))
            y = x.copy()
            y[0] = draws.choice([-1, 0, 1, 2, 9.0])
            laws = []
            for data in (x, y):
                w = friendly_weights(data, radius=1)
                laws.append(law_of_one_dimension(w.sum(), w @ data[:, 0] / max(w.sum(), 1e-9), plan, np.linspace(-9, 9, 4001)))
            worst = max(worst, float(hockey_stick(*laws, epsilon=4)))
    assert worst <= delta


# -------------------------------------------------------------------------------------------------------------- tuples


def slow_tuple_friends(one, other, radius):
    """The oracle: some order of the points matches, and both have their points apart."""
    distance = lambda a, b: np.linalg.norm(a - b, axis=-1)
    apart = all(distance(t[i], t[j]) > 8 * radius for t in (one, other) for i in range(len(t)) for j in range(i))
    return apart and any((distance(one, other[list(order)]) <= radius).all() for order in permutations(range(len(other))))


def test_tuple_counts():
    from dplib.friendly.tuples import _counts
    draws = rng(12)
    for m in (1, 2, 3):
        x = draws.integers(0, 3, size=(30, m, 2)) * 4.0 + draws.normal(size=(30, m, 2)) * .1
        slow = np.array([[slow_tuple_friends(a, b, .3) for b in x] for a in x]).sum(axis=-1)
        np.testing.assert_array_equal(_counts(x, .3), slow)


def test_tuples_in_any_order_have_one_mean():
    draws = rng(13)
    centres = np.array([[-9.0, 5], [0, 0], [8, -4]])
    x = centres + .05 * draws.normal(size=(600, 3, 2))
    shuffled = np.array([draws.permutation(t) for t in x])
    answer = friendly_tuples(shuffled, radius=.4, **BUDGET, rng=rng(14))
    plan = friendly_plan(size=600, radius=.4 * np.sqrt(3), **BUDGET)
    assert np.abs(answer - centres).max() < 5 * plan.sigma + .02
    same = friendly_tuples(x, radius=.4, **BUDGET, rng=rng(14))
    assert answer.shape == same.shape == (3, 2)
    batch = friendly_tuples(np.stack([x, 0 * x]), radius=.4, **BUDGET, runs=True, rng=rng(14))
    assert np.isfinite(batch[0]).all() and np.isnan(batch[1]).all()


@pytest.mark.parametrize("radius", [1e-170, 1e-3, 1e200])
def test_tuples_are_matched_in_any_unit(radius):
    """No order of a tuple is seen, where squares of distances are no floats either."""
    x = np.tile([[0.0], [100.0]], (600, 1, 1)) * radius + radius * rng(17).uniform(-.1, .1, size=(600, 2, 1))
    turned = x.copy()
    turned[1::3] = x[1::3, ::-1]
    answers = [friendly_tuples(data, radius=radius, **BUDGET, rng=rng(18)) / radius for data in (x, turned)]
    assert np.abs(answers[0] - [[0], [100]]).max() < 10
    np.testing.assert_allclose(*answers, rtol=1e-9, atol=1e-9)


def test_tuples_of_one_point_are_records():
    x = rng(15).normal(size=(500, 4))
    one = friendly_tuples(x[:, None], radius=6, **BUDGET, rng=rng(16))
    np.testing.assert_allclose(one[0], friendly_mean(x, radius=6, **BUDGET, rng=rng(16)), rtol=1e-9)


# -------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize("change, word", [
    (dict(radius=0), "radius"), (dict(radius=np.nan), "radius"), (dict(epsilon=0), "epsilon"), (dict(delta=.6), "delta"),
    (dict(strangers=-1), "strangers"), (dict(strangers=.5), "strangers"), (dict(beta=.7), "beta"), (dict(split=1), "split")])
def test_arguments_out_of_range(change, word):
    with pytest.raises(ValueError, match=word):
        friendly_mean(np.zeros((400, 2)), **dict(radius=1, **BUDGET) | change, rng=rng())


@pytest.mark.parametrize("x", [np.zeros(5), np.zeros((0, 2)), np.zeros((3, 0)), [[np.nan]], [[np.inf]], [[1], [1, 2]], [["a"]]])
def test_data_out_of_the_domain(x):
    for release in (lambda: friend_counts(x, radius=1), lambda: friendly_mean(x, radius=1, **BUDGET, rng=rng())):
        with pytest.raises(ValueError, match="x must"):
            release()
    with pytest.raises(ValueError, match="x must"):
        friendly_tuples(np.zeros((5, 2)), radius=1, **BUDGET, rng=rng())


def test_generator():
    for release in (lambda: friendly_mean(np.zeros((9, 2)), radius=1, **BUDGET, rng=7),
                    lambda: friendly_tuples(np.zeros((9, 2, 2)), radius=1, **BUDGET, rng=7),
                    lambda: sample_friendly_core(np.zeros((9, 2)), radius=1, rng=7)):
        with pytest.raises(TypeError, match="rng"):
            release()


def test_a_plan_is_a_value():
    assert isinstance(friendly_plan(size=400, radius=1, **BUDGET), FriendlyPlan)


# ------------------------------------------------------------------------------------- a random core


def core_pairs(size, radius):
    """(points, kept) of which one has one record more, at most 2r from each of the others."""
    for spread, far in ((0, 2), (1, 1), (0, 0)):
        points = np.zeros((1, size, 2))
        points[0, 1:, 0] = spread * radius * (np.arange(size - 1) % 2)
        points[0, 0, 0] = far * radius
        for left in (size, size - 40, size - 70):
            kept = np.arange(size)[None] < left
            fewer = kept.copy()
            fewer[0, 0] = False
            yield (points, kept), (points, fewer)
            yield (points, fewer), (points, kept)


@contextmanager
def faulty_noise(factor):
    """Noise on the grid, of so large a part of its scale."""
    right = _grid._steps
    with patch.object(_grid, "_steps", lambda *given: ceil(factor * right(*given))):
        yield


@pytest.mark.parametrize("factor", [1, 0.9, 0.5, 0.001])
def test_what_runs_on_a_core_is_private(factor):
    """With all of the noise it spends no more than the promised ε' and δ', and nearly all of it;
    with less noise, more."""
    size, radius, epsilon, delta = 400, 3.0, 5.0, 1e-3
    plan = friendly_core_plan(size=size, radius=radius, epsilon=epsilon, delta=delta)
    inside, part = core.inside_budget(epsilon, delta)
    assert inside == pytest.approx(friendly_core_epsilon(epsilon=epsilon), rel=1e-9)
    assert part == pytest.approx(friendly_core_delta(epsilon=epsilon, delta=delta), rel=1e-9)
    given = dict(entries=2, radius=radius, epsilon=inside, delta=part)

    def release(data, generator):
        noise, unit = mean_noise(plan, **given)
        return core.noisy_core_mean(*data, plan, noise, unit, epsilon=inside, rng=generator)

    with faulty_noise(factor):
        spent = [replay(release, x, y, seed=5) for x, y in core_pairs(size, radius)]
    most = max(found.epsilon for found in spent) / (plan.split * inside)
    lost = max(gaussian_delta(found.moved, (1 - plan.split) * inside) for found in spent) / part
    assert most == pytest.approx(1 / factor, rel=1e-7)
    assert (0.1 < lost <= 1) if factor == 1 else lost > 1 or factor > 0.5


def test_a_core_spends_its_budget_once():
    """δ' is paid for a test that bad data pass, or for the noise of good ones, and data are one or the other."""
    x = rng(1).normal(size=(900, 2))
    with ledger() as book:
        friendly_core_mean(x, radius=6, epsilon=2, delta=1e-6, rng=rng(2))
    inside, part = core.inside_budget(2.0, 1e-6)
    assert book.epsilon == pytest.approx(inside, rel=1e-9)
    assert book.delta == pytest.approx(2 * part, rel=1e-9)


def test_a_core_is_released_as_often_as_planned():
    """Strangers are dropped, and of 200 runs no more than β and what chance adds are refused."""
    x = rng(3).normal(size=(200, 500, 2))
    x[:, :10] += 1e3 * np.arange(1, 11)[:, None]
    given = dict(radius=6, epsilon=2, delta=1e-6, strangers=10, beta=0.05)
    answers = friendly_core_mean(x, **given, runs=True, rng=rng(4))
    refused = np.isnan(answers).any(axis=-1)
    assert refused.sum() <= 10 + 4 * 3.1
    plan = friendly_core_plan(size=500, **given)
    assert np.nanstd(answers) == pytest.approx(np.hypot(plan.sigma, 1 / np.sqrt(500)), rel=0.15)


def test_too_few_for_a_core():
    assert np.isnan(friendly_core_mean(np.zeros((20, 3)), radius=1, epsilon=1, delta=1e-6, rng=rng())).all()
    plan = friendly_core_plan(size=20, radius=1, epsilon=1, delta=1e-6)
    assert plan.floor == 0 and plan.sigma == np.inf
    for wrong in (dict(delta=.6), dict(epsilon=0), dict(epsilon=701), dict(radius=0), dict(strangers=-1)):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            friendly_core_plan(**dict(size=100, radius=1, epsilon=1, delta=1e-6) | wrong)
