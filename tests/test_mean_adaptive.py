"""mean.adaptive: exact output laws, privacy over neighbours, the public plan, the bound on the centre, and edges.

`python -m pytest -s tests/test_mean_adaptive.py` prints the measured figures. Statistical checks: fixed seeds,
false-alarm probability 1e-6 each.
"""

from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import bdtrc, ndtr
from scipy.stats import norm

from dplib.audit import max_log_ratio, noise_distribution_test
from dplib.mean import (
    AdaptivePlan, adaptive, adaptive_mean, adaptive_mean_error_bound, adaptive_plan, clipped_normal_mean, median_failure_bound,
    unclip)
from tests.chance import ALARM, rng


# ---------------------------------------------------------------------------------------- the law of the private median


def median_law(x, radius, epsilon):
    """Ends and probabilities of the intervals on which the density is constant, by the definition."""
    ends = np.concatenate([[-radius], np.sort(np.clip(x, -radius, radius)), [radius]])
    below = np.arange(len(x) + 1)
    weight = np.diff(ends) * np.exp(-epsilon / 2 * (np.abs(below - len(x) / 2) - np.abs(below - len(x) / 2).min()))
    return ends, weight / weight.sum()


def median_cdf(x, radius, epsilon):
    ends, law = median_law(x, radius, epsilon)
    heights = np.concatenate([[0], np.cumsum(law)])
    solid = np.append(np.diff(ends) > 0, True)  # np.interp wants increasing ends
    return lambda y: np.clip(np.interp(y, ends[solid], heights[solid]), 0, 1)


MEDIANS = {
    "odd": ([0.3, -1.0, 2.0], 5.0, 1.5),
    "even": ([0.3, -1.0, 2.0, 2.5], 5.0, 1.5),
    "ties": ([1.0, 1.0, 1.0, -2.0, -2.0, 4.0], 5.0, 1.0),
    "all equal": ([1.0] * 7, 2.0, 1.2),
    "outside": ([-80.0, -1.0, 0.5, 90.0, 1e308, 7.0], 2.0, 1.0),
    "all outside": ([90.0, 1e308, 7.0], 2.0, 1.0),
    "one record": ([0.3], 1.0, 2.0),
    "large radius": ([0.3, -1.0, 2.0], 1e300, 2.0),
}


@pytest.mark.parametrize("x, radius, epsilon", MEDIANS.values(), ids=MEDIANS)
def test_the_median_has_its_exact_law(x, radius, epsilon):
    assert adaptive_plan(size=len(x), radius=radius, epsilon=epsilon).stages == 1
    sample = adaptive_mean(np.tile(x, (40_000, 1)), radius=radius, epsilon=epsilon, runs=True, rng=rng(1))
    assert noise_distribution_test(sample, median_cdf(x, radius, epsilon)).pvalue > ALARM
    if 1 < len(x) < 7 and radius < 10 and x != MEDIANS["all outside"][0]:  # there both laws are uniform
        assert noise_distribution_test(sample, median_cdf(x, radius, 2 * epsilon)).pvalue < ALARM  # the 2 of ε/2 forgotten


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_the_median_is_private_over_all_neighbours(n):
    """Exact, on a common refinement of the intervals; without the 2 the loss is too large by a factor up to 2."""
    values, radius, epsilon = (-3.0, -1.0, 0.0, 0.5, 3.0), 2.0, 0.8

    def law(x, epsilon):
        ends = np.unique(np.clip([*values, -radius, radius], -radius, radius))
        return np.diff(median_cdf(x, radius, epsilon)(ends))

    worst = {1: 0.0, 2: 0.0}
    for rest in product(values, repeat=n - 1):
        laws = {factor: [law([*rest, value], factor * epsilon) for value in values] for factor in worst}
        for factor, those in laws.items():
            worst[factor] = max(worst[factor], max(float(max_log_ratio(p, q)) for p, q in product(those, repeat=2)))
    assert worst[1] <= epsilon * (1 + 1e-12)
    if n == 5:
        assert worst[1] > 0.7 * epsilon and worst[2] > epsilon * 1.3


# ----------------------------------------------------------------------------------------------- the law of both stages


def seen_from(x, centre, a):
    return np.clip(np.asarray(x)[:, np.newaxis] - centre, -a, a).mean(axis=0)


def two_stage_cdf(x, radius, plan, points=20_000):
    """Exact up to a fine grid of centres: ∫ p(c) Pr[c + g^-1(m) ≤ y] dc."""
    cdf = median_cdf(x, radius, plan.epsilon_coarse)
    edges = np.linspace(-radius, radius, points + 1)
    centre, weight = (edges[1:] + edges[:-1]) / 2, np.diff(cdf(edges))
    centre, weight = centre[weight > 1e-9], weight[weight > 1e-9]
    seen, b = seen_from(x, centre, plan.half_width), 2 * plan.half_width / len(x) / plan.epsilon_fine

    def at(y):
        z = (clipped_normal_mean(np.clip(y - centre, -3, 3), plan.half_width) - seen) / b
        below = np.where(z < 0, np.exp(np.minimum(z, 0)) / 2, 1 - np.exp(-np.maximum(z, 0)) / 2)
        return np.dot(weight, np.where(y - centre < -3, 0, np.where(y - centre >= 3, 1, below))) / weight.sum()

    u = np.linspace(-7, 7, 600)
    grid = weight @ centre / weight.sum() + 2 * radius * np.sinh(u) / np.sinh(7)  # dense where most of the mass is
    heights = np.array([at(y) for y in grid])
    return lambda y: np.clip(np.interp(y, grid, heights), 0, 1)


def test_both_stages_have_their_exact_law():
    x, radius, epsilon = np.concatenate([rng(3).normal(2, 1, 35), [-9, -4, 7, 9, 30]]), 10.0, 3.0
    plan = adaptive_plan(size=40, radius=radius, epsilon=epsilon)
    assert plan.stages == 2
    sample = adaptive_mean(np.tile(x, (40_000, 1)), radius=radius, epsilon=epsilon, runs=True, rng=rng(2))
    assert noise_distribution_test(sample, two_stage_cdf(x, radius, plan)).pvalue > ALARM
    for wrong in (
        AdaptivePlan(2, plan.epsilon_coarse, 2 * plan.epsilon_fine, plan.half_width),
        AdaptivePlan(2, 2 * plan.epsilon_coarse, plan.epsilon_fine, plan.half_width),
        AdaptivePlan(2, plan.epsilon_coarse, plan.epsilon_fine, 1.1 * plan.half_width),
    ):
        assert noise_distribution_test(sample, two_stage_cdf(x, radius, wrong)).pvalue < ALARM


def test_both_stages_together_spend_epsilon():
    """The worst ratio of joint densities of (centre, noisy mean), exactly, over random and extreme neighbours."""
    radius, epsilon, n, source = 3.0, 6.0, 12, rng(4)
    plan = adaptive_plan(size=n, radius=radius, epsilon=epsilon)
    assert plan.stages == 2
    centre, worst = np.linspace(-radius, radius, 4001), 0
    edges = np.linspace(-radius, radius, 4002)
    for extreme, _ in product((False, True), range(100)):
        x = source.choice([-radius, 0, radius], n) if extreme else source.normal(0, 2, n)
        y = x.copy()
        y[0] = source.choice([-50, 50])
        masses = [np.diff(median_cdf(data, radius, plan.epsilon_coarse)(edges)) for data in (x, y)]
        shift = seen_from(x, centre, plan.half_width) - seen_from(y, centre, plan.half_width)
        loss = np.abs(np.log(masses[0] / masses[1])) + np.abs(shift) * n * plan.epsilon_fine / (2 * plan.half_width)
        worst = max(worst, loss.max())
    assert 0.8 * epsilon < worst <= epsilon * (1 + 1e-9)


# --------------------------------------------------------------------------------------------- the clip and its inverse


@pytest.mark.parametrize("a", [0.5, 1.0, 1.9, 2.7, 8.0, 40.0])
def test_the_clip_has_the_mean_it_should(a):
    for d in (0.0, 0.1, 1.0, 2.9, -1.7):
        corners = [p for p in (-a, a) if abs(p - d) < 9]
        integral = quad(lambda t: np.clip(t, -a, a) * norm.pdf(t - d), d - 9, d + 9, points=corners)[0]
        assert clipped_normal_mean(d, a) == pytest.approx(integral, abs=1e-12)


def test_the_clip_at_the_ends():
    far = clipped_normal_mean([0, 1, -1e308, 1e308, 3], [1e308, 1e20, 5, 1.7e308, 0])
    assert far.tolist() == [0, 1, -5, 1e308, 0]
    d, a = rng(1).uniform(0, 9, (2, 100))
    np.testing.assert_allclose(clipped_normal_mean(d, a), clipped_normal_mean(a, d), atol=1e-15)  # the two change places


@pytest.mark.parametrize("a", [1e-3, 0.5, 0.6, 1.3, 2.7, 10.0, 484.0, 1e20])
def test_the_clip_is_undone(a):
    d = np.concatenate([np.linspace(-3, 3, 601), [1e-12, -1e-12, 0]])
    np.testing.assert_allclose(unclip(clipped_normal_mean(d, a), a), d, atol=1e-13 if a >= 0.5 else 1e-10)
    ends = unclip(np.array([-1e300, -a, a, 1e300]), a)
    assert np.all(np.abs(ends) <= 3)
    np.testing.assert_allclose(ends, [-3, -3, 3, 3], atol=1e-12 if a >= 0.5 else 1e-10)
    assert np.all(np.diff(unclip(np.linspace(-a, a, 1001), a)) >= -1e-12)


@pytest.mark.parametrize("call, named", [
    (lambda: clipped_normal_mean(np.nan, 1), "offset must be finite"),
    (lambda: clipped_normal_mean(0, -1), "half_width must be finite and at least 0"),
    (lambda: unclip("a", 1), "seen must hold real numbers"),
    (lambda: unclip(0, 1e-4), "half_width must be finite and at least 0.001, got 0.0001"),
])
def test_the_clip_names_what_is_wrong(call, named):
    with pytest.raises(ValueError, match=named):
        call()


# ------------------------------------------------------------------------------------------------------------- the plan


def test_what_the_centre_needs_solves_its_equation():
    for radius, beta in product([0.1, 1, 10, 1e3, 1e6, 1e50, 1e300, 1e308], [1e-300, 1e-6, 0.01, 0.5]):
        x = adaptive._centre_needs(radius, beta)
        log_ratio = np.log(1.085) + np.log(radius) - np.log(beta) + np.log(x)
        assert x == pytest.approx(4 * log_ratio, rel=1e-12) or radius < 2 * beta
        assert x >= 4 and (x == adaptive._centre_needs(0, 0.01) or radius > 1.7 * beta)


@pytest.mark.parametrize("size, radius, epsilon", [
    (10**6, 100, 1.0), (10**5, 1e6, 3.0), (1000, 1e3, 1.0), (400, 1e6, 5.0), (50, 10, 8.0), (10**4, 10, 0.5),
])
def test_the_plan_follows_its_rule(size, radius, epsilon):
    """The rule of the docstring, solved by SciPy; in the first two 8/√n decides, in the next ε/10, then x/n."""
    x = brentq(lambda x: x - 4 * np.log(1.085 * radius * x / 0.01), 4, 1e4)
    coarse = max(min(epsilon / 10, 8 / np.sqrt(size)), x / size)
    plan = adaptive_plan(size=size, radius=radius, epsilon=epsilon)
    assert plan.stages == 2 and plan.epsilon_coarse == pytest.approx(coarse, rel=1e-9)
    assert plan.epsilon_fine == pytest.approx(epsilon - coarse)
    assert plan.half_width == pytest.approx(max(0.5, 0.34 * np.log(1 + size * (epsilon - coarse) ** 2 / 3)))


def test_the_plan_is_a_plan_for_all_parameters():
    sizes, radii = [1, 2, 3, 10, 1000, 10**7, 2**62], [0, 5e-324, 1e-9, 1, 1e6, 1e300, 1.7e308]
    epsilons = 10.0 ** np.arange(-300, 309, 8)
    with np.errstate(all="raise", under="ignore"):
        for n, radius, epsilon in product(sizes, radii, epsilons):
            plan = adaptive_plan(size=n, radius=radius, epsilon=epsilon, beta=0.01)
            assert plan.epsilon_coarse + plan.epsilon_fine == pytest.approx(epsilon) and plan.epsilon_coarse > 0
            assert (plan.stages, plan.epsilon_fine > 0, plan.half_width >= 0.5) in [(1, False, False), (2, True, True)]


def test_the_plan_chooses_the_smaller_variance():
    """Against a simulation of both, where they differ by 10% and more: at n = 1000, ε = .1, between R = 2 and 10⁴."""
    one, stages = AdaptivePlan(1, 0.1, 0.0, 0.0), {}
    for radius in (2.0, 1e4):
        coarse = adaptive._centre_needs(radius, 0.01) / 1000
        two, source, errors = AdaptivePlan(2, coarse, 0.1 - coarse, 0.5), rng(5), []
        for _ in range(60):
            x = np.sort(source.normal(0.3 * radius, 1, (64, 1000)))
            errors.append([adaptive._answers(x.copy(), plan, radius, source) - 0.3 * radius for plan in (one, two)])
        spread = np.median(np.abs(np.concatenate(errors, axis=1)), axis=1)
        stages[radius] = adaptive_plan(size=1000, radius=radius, epsilon=0.1).stages
        assert (stages[radius] == 1) == (spread[0] < spread[1]), spread
    assert stages == {2.0: 2, 1e4: 1}


# -------------------------------------------------------------------------------------------------- the theorem's bound


def naive_failure(n, h, radius, epsilon, h0):
    """The formula of the docstring for one h₀, with adaptive quadrature."""
    theta = epsilon / 2

    def ratio(z, start):
        f, d = ndtr(start), ndtr(z) - ndtr(start)
        return (1 - d * (1 - np.exp(-theta))) ** n + (f * np.exp(-theta) + d + (1 - f - d) * np.exp(theta)) ** n

    def average(z):
        return quad(lambda start: ratio(z, start), 0, h0, epsrel=1e-10)[0] / h0**2

    tail = quad(average, h, min(8, h + 20 / n / theta), epsrel=1e-9, limit=200)[0]
    tail += quad(average, min(8, h + 20 / n / theta), 8, epsrel=1e-9, limit=200)[0]
    return 2 * tail + 2 * radius * average(8)


@pytest.mark.parametrize(
    "n, h, radius, epsilon",
    [(1000, 0.29, 10, 0.1), (1000, 0.23, 1e3, 0.1), (10_000, 0.3, 1e6, 0.01), (100, 2.0, 10, 0.43), (30, 1.5, 5, 3.0)],
)
def test_the_bound_is_the_formula(n, h, radius, epsilon):
    """The naive one may try more h₀, which gains it at most 2%."""
    naive = min(naive_failure(n, h, radius, epsilon, h0) for h0 in np.geomspace(h / 30, h, 25))
    ours = median_failure_bound(size=n, accuracy=h, radius=radius, epsilon=epsilon)
    assert 0.99 * naive <= ours <= 1.02 * naive


def test_a_private_median_misses_no_more_often_than_bounded():
    measured = []
    cases = [(1000, 10.0, 0.1, 0.3), (1000, 1e3, 0.05, 1.0), (200, 20.0, 0.3, -1.0), (40, 3.0, 0.9, 0.0)]
    for n, radius, epsilon, where in cases:
        plan, source = AdaptivePlan(1, epsilon, 0.0, 0.0), rng(7)
        blocks = (np.sort(source.normal(where * radius, 1, (100, n))) for _ in range(100))
        centres = np.concatenate([adaptive._answers(block, plan, radius, source) for block in blocks])
        error = np.abs(centres - where * radius)
        for h in (0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 3.0):
            bound = median_failure_bound(size=n, accuracy=h, radius=radius, epsilon=epsilon)
            misses = int(np.sum(error > h))
            assert bound == 1 or bdtrc(misses - 1, error.size, bound) > ALARM, (n, radius, epsilon, h)
            measured.append((misses / error.size, float(bound)))
    told = [f"{m:.4f} ≤ {b:.4f}" for m, b in measured if 0.001 < b < 1]
    print("\nmisses of the private median, and bound:", *told, sep="\n  ")


def test_bounds_at_the_ends():
    bound = median_failure_bound(size=1000, accuracy=[0.1, 1, 3, 8, 50], radius=1e6, epsilon=0.1)
    assert bound.shape == (5,) and np.all(np.diff(bound) <= 0)
    assert median_failure_bound(size=1000, accuracy=2.0, radius=1.0, epsilon=1e-9) == 0  # both are in [-1, 1]
    assert median_failure_bound(size=10, accuracy=[0, 0.1], radius=0.0, epsilon=1).tolist() == [0, 0]
    assert median_failure_bound(size=10, accuracy=0, radius=1.0, epsilon=1) == 1
    assert median_failure_bound(size=[1, 10**9], accuracy=[[0.1], [3]], radius=1e300, epsilon=1).shape == (2, 2)
    with np.errstate(all="raise", under="ignore"):
        tiny_to_huge = [1e-300, 1, 1e308]
        for n, h, radius, epsilon in product([1, 1000, 2**62], [1e-300, 0.1, 8, 1e300], tiny_to_huge, tiny_to_huge):
            assert 0 <= median_failure_bound(size=n, accuracy=h, radius=radius, epsilon=epsilon) <= 1


# ------------------------------------------------------------------------------------------------------- how good it is

FIGURES = {
    (1000, 0.1): (2.4, None),
    (10_000, 0.1): (1.3, 0.080),
    (1000, 1.0): (1.1, 0.177),
    (10_000, 1.0): (1.1, 0.038),
}


@pytest.mark.parametrize("radius", [10.0, 1e3, 1e6])
@pytest.mark.parametrize("n, epsilon", FIGURES)
def test_the_error_hardly_depends_on_the_radius(n, epsilon, radius):
    """The ratio of medians has a standard error of 3% at n = 1000, and of 1.5% at 10⁴, where most of it is shared."""
    ratio, proven = FIGURES[n, epsilon]
    runs = 2000 if n == 1000 else 800
    mu = np.where(np.arange(runs) % 2, 0.3 * radius, rng(8).uniform(-radius, radius, runs))
    x = rng(9).normal(mu[:, np.newaxis], 1, (runs, n))
    error = np.abs(adaptive_mean(x, radius=radius, epsilon=epsilon, runs=True, rng=rng(10)) - mu)
    plain = np.abs(x.mean(axis=1) - mu)
    bound = adaptive_mean_error_bound(size=n, radius=radius, epsilon=epsilon)
    found = np.median(error) / np.median(plain)
    print(f"\nn = {n}, ε = {epsilon}, R = {radius:g}: median error {found:.3f} of the non-private one; "
          f"95% error {np.quantile(error, 0.95):.4f}, proven {bound:.4f}")
    assert found <= ratio
    assert bdtrc(int(np.sum(error > bound)) - 1, runs, 0.05) > ALARM
    assert proven is None or bound < proven


# ---------------------------------------------------------------------------------------------------------------- edges


@pytest.mark.parametrize("epsilon", [0.5, 50.0])
def test_shapes_types_and_blocks(epsilon, monkeypatch):
    x = rng(13).integers(-3, 4, size=(3, 4, 50))
    kinds = (int, np.int8, np.float32, float)
    answers = [adaptive_mean(x.astype(kind), radius=10, epsilon=epsilon, runs=True, rng=rng()) for kind in kinds]
    for answer in answers:
        assert answer.shape == (3, 4) and answer.dtype == np.float64
        np.testing.assert_array_equal(answer, answers[0])
    monkeypatch.setattr(adaptive, "SORTED_NUMBERS", 100)
    small = adaptive_mean(x, radius=10, epsilon=epsilon, runs=True, rng=rng())
    assert small.shape == (3, 4) and np.all(np.abs(small) <= 10)
    assert np.ndim(adaptive_mean(x[0, 0] > 0, radius=10, epsilon=epsilon, rng=rng())) == 0
    assert adaptive_mean(np.empty((0, 5)), radius=1, epsilon=epsilon, runs=True, rng=rng()).shape == (0,)
    assert adaptive_mean(np.asfortranarray(x), radius=10, epsilon=epsilon, runs=True, rng=rng()).shape == (3, 4)


def test_small_blocks_do_not_change_the_law(monkeypatch):
    monkeypatch.setattr(adaptive, "SORTED_NUMBERS", 10)
    sample = adaptive_mean(np.tile(MEDIANS["even"][0], (20_000, 1)), radius=5.0, epsilon=1.5, runs=True, rng=rng(14))
    assert noise_distribution_test(sample, median_cdf(*MEDIANS["even"])).pvalue > ALARM


@pytest.mark.parametrize("epsilon", [1e-8, 1e-3, 1.0, 1e3, 1e308])
@pytest.mark.parametrize("radius", [0.0, 5e-324, 1e-9, 1.0, 1e6, 1e300, 1.7e308])
def test_answers_are_within_the_radius_whatever_the_data(radius, epsilon):
    data = [[1e308, -1e308, 0.0, 3.0], [1e308] * 4, [-1e308] * 4]
    data += [[5e-324, -5e-324, 0.0, 0.0], [7.0] * 4, [1e-3, 1.0, 1e3, 1e9]]
    with np.errstate(all="raise", under="ignore"):
        for n in (1, 2, 3, 4):
            answers = adaptive_mean(np.array(data)[:, :n], radius=radius, epsilon=epsilon, runs=True, rng=rng(15))
            assert np.all(np.abs(answers) <= radius)  # which NaN is not
    if radius == 0:
        np.testing.assert_array_equal(answers, 0)


def test_an_enormous_budget_finds_the_sample():
    """The centre lies between the middle records and the clip keeps all of them, so only rounding is left."""
    x = rng(16).normal(1234.5, 1, (50, 101))
    np.testing.assert_allclose(adaptive_mean(x, radius=1e6, epsilon=1e9, runs=True, rng=rng(17)), x.mean(axis=1), atol=1e-6)
    ties = np.array([[2.0, 2.0, 2.0, 5.0, -7.0]])  # the two best intervals have no length
    assert -7 <= adaptive_mean(ties, radius=10, epsilon=1e308, runs=True, rng=rng(18))[0] <= 5
    equal = np.full((20_000, 11), 2.0)  # all the mass is in the two intervals beside the records, by their lengths
    above = adaptive._answers(equal, AdaptivePlan(1, 1e308, 0.0, 0.0), 10.0, rng(19)) > 2
    assert above.mean() == pytest.approx(0.4, abs=0.02)  # 8 of 20; six standard errors


@pytest.mark.parametrize(
    "name, bad",
    [("x", bad) for bad in ([1.0, np.nan], [np.inf], [], 3.0, ["a"], [1j], np.r_[np.zeros(10**5), np.nan])]
    + [("radius", bad) for bad in (-1, np.nan, [1, 2])]
    + [("epsilon", bad) for bad in (0, np.inf, "1")]
    + [("beta", bad) for bad in (0, 1)],
)
def test_bad_arguments(name, bad):
    source = rng()
    before = source.bit_generator.state
    arguments = {"x": [1.0, 2.0], "radius": 1.0, "epsilon": 1.0, "rng": source, name: bad}
    with pytest.raises(ValueError, match=name):
        adaptive_mean(arguments.pop("x"), **arguments)
    assert source.bit_generator.state == before


def test_bad_generators_and_public_arguments():
    with pytest.raises(TypeError, match="rng"):
        adaptive_mean([1.0], radius=1, epsilon=1, rng=7)
    for bad in ({"size": 0}, {"size": 1.5}, {"radius": -1}, {"epsilon": 0}, {"beta": 2}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            adaptive_plan(**{"size": 10, "radius": 1, "epsilon": 1, **bad})
    good = {"size": 10, "accuracy": 1, "radius": 1, "epsilon": 1}
    for name, bad in [("size", 0), ("size", 1.5), ("accuracy", -1), ("accuracy", np.inf), ("radius", -1), ("epsilon",
    np.nan)]:
        with pytest.raises(ValueError, match=name):
            median_failure_bound(**{**good, name: bad})


def test_data_are_left_alone():
    x = rng(19).normal(size=(5, 20))
    kept = x.copy()
    x.flags.writeable = False
    for epsilon in (0.1, 100.0):
        adaptive_mean(x, radius=3, epsilon=epsilon, runs=True, rng=rng())
    np.testing.assert_array_equal(x, kept)
