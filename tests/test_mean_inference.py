"""mean.inference: bounds that simulations do not break, intervals that cover, an unknown variance from end to end.

`python -m pytest -s tests/test_mean_inference.py` prints the measured figures. Each of the 200 settings and 50
intervals has a false-alarm probability of at most 1e-9.
"""

import numpy as np
import pytest
from scipy.special import bdtrc

from dplib.mean import (
    adaptive_mean,
    adaptive_mean_error_bound,
    adaptive_plan,
    clip_radius,
    clipped_mean,
    clipped_mean_error_bound,
    clipped_normal_mean,
    coarse_failure_bound,
    inference,
    mean_interval,
    median_failure_bound,
    noise_tail,
    private_scale,
    stability_failure_bound,
    three_cells_failure_bound,
    two_stage_mean,
    two_stage_mean_error_bound,
    unbounded_mean,
    unbounded_mean_error_bound,
)
from tests.chance import rng

RARE = 1e-9
BOUNDS = {clipped_mean: clipped_mean_error_bound, two_stage_mean: two_stage_mean_error_bound,
          unbounded_mean: unbounded_mean_error_bound, adaptive_mean: adaptive_mean_error_bound}


def too_often(hits, trials, chance):
    """Whether so many hits have a probability below RARE if each has at most the given chance."""
    return hits > 0 and bdtrc(hits - 1, trials, chance) < RARE


# ------------------------------------------------------------------------------------------------ what the bound solves


def test_the_bound_solves_its_equation():
    for level in (0.5, 0.8, 0.9):
        t = clipped_mean_error_bound(size=500, level=level, radius=7, epsilon=0.3, beta=1e-4)
        b = 2 * (7 + clip_radius(size=500, beta=1e-4)) / 500 / 0.3
        assert 1e-4 + 2 * noise_tail(t, sd=500**-0.5, scale=b) == pytest.approx(1 - level, rel=1e-9)
        b = 2 * (1.5 * 0.7 + clip_radius(size=500, beta=1e-4)) / 500 / (0.8 * 3.0)
        t = two_stage_mean_error_bound(size=500, level=level, radius=70, epsilon=3.0, split=0.2, width=0.7, beta=1e-4)
        failure = 1e-4 + coarse_failure_bound(size=500, radius=70, epsilon=0.2 * 3.0, width=0.7)
        assert failure + 2 * noise_tail(t, sd=500**-0.5, scale=b) == pytest.approx(1 - level, rel=1e-9)
        t = unbounded_mean_error_bound(size=500, level=level, epsilon=3.0, delta=1e-7, split=0.2, width=0.7, beta=1e-4)
        stage = {"size": 500, "epsilon": 0.2 * 3.0, "delta": 1e-7, "width": 0.7}
        failure = 1e-4 + min(stability_failure_bound(**stage), three_cells_failure_bound(**stage))
        assert failure + 2 * noise_tail(t, sd=500**-0.5, scale=b) == pytest.approx(1 - level, rel=1e-9)


def test_the_bound_of_the_median_is_the_smallest_distance():
    for n, radius, epsilon in [(1000, 1e3, 0.1), (1000, 1e6, 0.1), (50, 5, 0.2), (10, 1e-3, 0.1), (30, 1e300, 0.1)]:
        assert adaptive_plan(size=n, radius=radius, epsilon=epsilon).stages == 1
        h = adaptive_mean_error_bound(size=n, radius=radius, epsilon=epsilon)
        setting = {"size": n, "radius": radius, "epsilon": epsilon}
        assert h == 2 * radius or median_failure_bound(accuracy=h, **setting) <= 0.05 + 1e-12
        assert median_failure_bound(accuracy=h * (1 - 1e-6), **setting) > 0.05


def test_the_bound_takes_every_type_of_integer():
    for size in (np.int16(20_000), np.int8(100), np.uint32(2 * 10**9), np.int32(2 * 10**9)):
        ours = adaptive_mean_error_bound(size=size, radius=1e3, epsilon=1)
        assert ours == adaptive_mean_error_bound(size=int(size), radius=1e3, epsilon=1)


def test_the_bound_of_both_stages_is_the_best_of_the_theorem():
    """Against a search over h, t and λ on a fine grid, written out as in the statement."""
    for n, radius, epsilon in [(1000, 1e3, 1.0), (10_000, 10.0, 0.1), (200, 5.0, 3.0)]:
        plan, best = adaptive_plan(size=n, radius=radius, epsilon=epsilon), np.inf
        a, shares = plan.half_width, np.linspace(0.005, 0.995, 199)
        grid = np.linspace(-3, 3, 200_001)
        curve = clipped_normal_mean(grid, a)
        for h in np.geomspace(0.02, 3, 80):
            left = 0.05 - median_failure_bound(size=n, accuracy=h, radius=radius, epsilon=plan.epsilon_coarse)
            if left > 0:
                t = np.geomspace(1e-3, 10, 4000)
                noise = 2 * noise_tail(t, sd=n**-0.5, scale=2 * a / n / plan.epsilon_fine)
                t = np.interp(np.log(shares * left), np.log(noise[::-1] + 1e-300), t[::-1])
                top = clipped_normal_mean(h, a) + (t + 2 * h * np.sqrt(np.log(2 / left / (1 - shares)) / 2 / n)).min()
                best = min(best, np.interp(top, curve, grid, right=np.inf) - h)
        bound = adaptive_mean_error_bound(size=n, radius=radius, epsilon=epsilon)
        assert 0.999 * best < bound < 1.02 * best


def test_bounds_broadcast():
    table = two_stage_mean_error_bound(size=[[500], [1000]], radius=[10, 1e6, 1e300], epsilon=1, level=0.9)
    assert table.shape == (2, 3)
    for i, n in enumerate((500, 1000)):
        for j, radius in enumerate((10, 1e6, 1e300)):
            assert table[i, j] == two_stage_mean_error_bound(size=n, radius=radius, epsilon=1, level=0.9)
    levels = np.array([0.5, 0.9, 0.99, 1 - 1e-12])
    cases = [(clipped_mean_error_bound, {"radius": 3}), (unbounded_mean_error_bound, {"delta": 1e-9}),
             (two_stage_mean_error_bound, {"radius": 3})]
    for error_bound, public in cases:
        bounds = error_bound(size=10_000, level=levels, epsilon=1, beta=1e-13, **public)
        assert np.all(np.isfinite(bounds)) and np.all(np.diff(bounds) > 0)


def test_golden_bounds():
    """In parentheses what simulations gave elsewhere for the error itself."""
    bound = two_stage_mean_error_bound(size=1000, radius=100, epsilon=0.5, split=0.5)
    naive = clipped_mean_error_bound(size=1000, radius=[2, 8, 15, 100], epsilon=0.5)
    print(f"\ntwo_stage_mean at n = 1000, ε = .5, R = 100, split .5: {bound:.4f}")
    print(f"clipped_mean at R = 2, 8, 15, 100: {naive.round(3)}")
    assert bound == pytest.approx(0.164, rel=0.01)
    assert np.all(naive > [0.094, 0.154, 0.243, 1.28]) and np.all(naive < 1.12 * np.array([0.094, 0.154, 0.243, 1.28]))
    adaptive = [float(adaptive_mean_error_bound(size=n, radius=r, epsilon=e)) for n, r, e in
                [(1000, 1e6, 1), (10_000, 1e6, 0.1), (10_000, 1e6, 1), (1000, 1e6, 0.1), (1000, 10, 0.1)]]
    print("adaptive_mean:", np.round(adaptive, 4))
    assert np.all(np.array(adaptive) < [0.177, 0.080, 0.038, 0.29, 0.9])


# -------------------------------------------------------------------------------------------------- 200 random settings


def settings(count, source):
    """(estimator, size, level, public, where μ is) with a finite bound, all four estimators in turn."""
    while count:
        n, epsilon = int(10 ** source.uniform(1, 3)), 10 ** source.uniform(-1.3, 1)
        radius, level = 10 ** source.uniform(-1, 6), 1 - 10 ** source.uniform(-2, -0.5)
        shape = {"split": source.uniform(0.1, 0.8), "width": source.choice([0.5, 1, 2])}
        shape["beta"] = (1 - level) * source.uniform(0.01, 0.5)
        estimator, public = [
            (clipped_mean, {"radius": radius, "beta": shape["beta"]}),
            (two_stage_mean, {"radius": radius, **shape}),
            (unbounded_mean, {"delta": 10 ** source.uniform(-8, -2), **shape}),
            (adaptive_mean, {"radius": radius}),
        ][count % 4]
        bound = BOUNDS[estimator](size=n, level=level, epsilon=epsilon, **public)
        if np.isfinite(bound) and (estimator is unbounded_mean or bound < 2 * radius):
            count -= 1
            mu = radius * source.choice([-1, 1, source.uniform(-1, 1)])
            yield estimator, n, level, {**public, "epsilon": epsilon}, mu, bound


def test_errors_exceed_the_bound_no_more_often_than_allowed():
    source, runs, worst, used = rng(1), 600, 0, {}
    for estimator, n, level, public, mu, bound in settings(200, source):
        answers = estimator(source.normal(mu, 1, (runs, n)), **public, runs=True, rng=source)
        misses = int(np.sum(~(np.abs(answers - mu) <= bound)))  # a refusal is a miss
        assert not too_often(misses, runs, 1 - level), (estimator.__name__, n, level, public, misses)
        worst = max(worst, (misses / runs - (1 - level)) / np.sqrt(level * (1 - level) / runs))
        used.setdefault(estimator.__name__, []).append(misses / runs / (1 - level))
    print(f"\n200 settings × {runs} runs; misses over what is allowed, mean and largest; "
          f"the worst is {worst:.1f} standard errors above:")
    for name, share in used.items():
        print(f"  {name} ×{len(share)}: {np.mean(share):.2f}, {np.max(share):.2f}")
    assert min(len(share) for share in used.values()) == 50
    assert np.mean(used["clipped_mean"]) > 0.4  # the bound is not idle


@pytest.mark.parametrize("factor, breaks", [(1.0, False), (0.85, True)])
def test_a_bound_15_percent_smaller_would_be_broken(factor, breaks):
    """With β = 1e-4 the bound for clipping is exact up to 1e-4: at 85% of it, 8 to 9% miss instead of 5%."""
    source, runs = rng(2), 20_000
    bound = factor * clipped_mean_error_bound(size=100, radius=5, epsilon=0.5, beta=1e-4)
    answers = clipped_mean(source.normal(-5, 1, (runs, 100)), radius=5, epsilon=0.5, beta=1e-4, runs=True, rng=source)
    assert too_often(int(np.sum(np.abs(answers + 5) > bound)), runs, 0.05) == breaks


# ------------------------------------------------------------------------------------------------------------ intervals


def test_intervals_cover_at_least_as_often_as_promised():
    source, runs, covered = rng(3), 600, []
    while len(covered) < 50:
        n, epsilon, radius = int(10 ** source.uniform(1, 3)), 10 ** source.uniform(-1, 1), 10 ** source.uniform(-0.5, 6)
        level = 1 - 10 ** source.uniform(-2, -0.5)
        mu = radius * source.choice([-1, 1, source.uniform(-1, 1)])
        x = source.normal(mu, 1, (runs, n))
        interval = mean_interval(x, radius=radius, epsilon=epsilon, level=level, runs=True, rng=source)
        if interval[0, 0] == -radius and interval[0, 1] == radius and covered.count(1) > 4:
            continue  # nothing proven, nothing to be seen
        inside = int(np.sum((interval[:, 0] <= mu) & (mu <= interval[:, 1])))
        assert not too_often(runs - inside, runs, 1 - level), (n, epsilon, radius, level, inside)
        covered.append(1 if inside == runs else inside / runs - level)
    some = np.array([c for c in covered if c != 1])
    print(f"\n50 settings × {runs} runs: coverage minus level from {some.min():.4f} to {some.max():.4f}, "
          f"mean {some.mean():.4f}")
    assert np.mean(some) < 0.1  # not by being wide


def test_an_interval_a_sixth_narrower_would_not_cover():
    """Where the coarse stage hardly fails the coverage is 95% up to β, so that the check above can fail."""
    x = rng(4).normal(33, 1, (20_000, 200))
    interval = mean_interval(x, radius=50, epsilon=4, runs=True, rng=rng(5))
    middle, half = interval.mean(axis=1), (interval[:, 1] - interval[:, 0]) / 2
    assert not too_often(int(np.sum(np.abs(middle - 33) > half)), 20_000, 0.05)
    assert too_often(int(np.sum(np.abs(middle - 33) > half * 5 / 6)), 20_000, 0.05)
    assert np.ptp(half) < 1e-9


def test_the_interval_is_the_narrowest_that_its_family_offers():
    """Against a random search over the two public choices."""
    for n, radius, epsilon, level in [(1000, 100.0, 0.5, 0.95), (100, 10.0, 3.0, 0.9), (10_000, 1e6, 0.1, 0.99)]:
        split, beta, half = inference._narrowest(n, radius, epsilon, level)
        given = {"size": n, "level": level, "radius": radius, "epsilon": epsilon}
        splits, betas = rng(6).uniform(0.005, 0.995, 4000), (1 - level) * 10 ** rng(7).uniform(-6, -0.01, 4000)
        assert half <= 1.01 * two_stage_mean_error_bound(**given, split=splits, beta=betas).min()
        assert half == two_stage_mean_error_bound(**given, split=split, beta=beta)
    chosen = inference._narrowest(1000, 100.0, 0.5, 0.95)[2]
    print(f"\nhalf-width at n = 1000, ε = .5, R = 100: {chosen:.4f} (split and β chosen), "
          f"{two_stage_mean_error_bound(size=1000, radius=100, epsilon=0.5):.4f} (split .5, β .01)")


def test_intervals_within_the_radius():
    with np.errstate(all="raise", under="ignore"):
        for radius in (0.0, 1e-9, 0.3, 1e3, 1e300, 1.7e308):
            for epsilon in (1e-300, 0.1, 10, 1e308):
                x = np.array([[0.0] * 60, [radius] * 60, [1e308] * 60, [-1e308, 1e308] * 30])
                ends = mean_interval(x, radius=radius, epsilon=epsilon, runs=True, rng=rng(8))
                assert ends.shape == (4, 2) and np.all(ends[:, 0] <= ends[:, 1]) and np.all(np.abs(ends) <= radius)
    free = mean_interval(np.zeros((2, 3, 5)), radius=10, epsilon=0.1, runs=True, rng=rng(9))
    assert free.shape == (2, 3, 2) and np.all(free == [-10, 10])
    free[0, 0, 0] = 7  # an array of its own
    assert mean_interval(np.zeros(5), radius=10, epsilon=0.1, rng=rng(9)).tolist() == [-10, 10]
    assert mean_interval(np.zeros((0, 500), dtype=np.float32), radius=10, epsilon=1, runs=True, rng=rng(9)).shape == (0, 2)


# ----------------------------------------------------------------------------------------------------- unknown variance


@pytest.mark.parametrize("n, golden", [(1000, 0.204), (3000, 0.072)])
def test_scale_first_and_then_the_mean(n, golden):
    """ε/4 for the scale, ε/4 and ε/2 for the mean of x over it: 95% of all errors are within golden · σ."""
    source, runs, sigma, epsilon = rng(13), 2000, 12.0, 1.0
    x = source.normal(1234, sigma, (runs, n))
    scale = private_scale(x, epsilon=epsilon / 4, delta=1e-6, runs=True, rng=source)
    scale = np.where(np.isnan(scale), np.inf, scale)
    units = np.where(np.isinf(scale), 1, scale)[:, np.newaxis]
    answers = unbounded_mean(x / units, epsilon=0.75 * epsilon, delta=1e-6, split=1 / 3, runs=True, rng=source) * units[:, 0]
    error = np.where(np.isinf(scale) | np.isnan(answers), np.inf, np.abs(answers - 1234) / sigma)
    print(f"\nn = {n}, ε = 1 in all: 95% error {np.quantile(error, 0.95):.4f} σ, refused {np.isinf(error).mean():.2%}")
    assert np.quantile(error, 0.95) == pytest.approx(golden, rel=0.12)


# ---------------------------------------------------------------------------------------------------------------- edges


def test_extreme_parameters_give_a_bound_or_none():
    with np.errstate(all="raise", under="ignore"):
        for radius in (0.0, 1e-300, 1.0, 1e300, 1.7e308):
            for epsilon in (1e-300, 1e-3, 1.0, 1e308):
                for n in (1, 100, 2**62):
                    for error_bound in (clipped_mean_error_bound, two_stage_mean_error_bound):
                        assert error_bound(size=n, radius=radius, epsilon=epsilon) > 0
                    assert 0 <= adaptive_mean_error_bound(size=n, radius=radius, epsilon=epsilon) <= 2 * radius
                    assert unbounded_mean_error_bound(size=n, epsilon=max(epsilon, 1e-9), delta=1e-9) > 0
    assert two_stage_mean_error_bound(size=10, radius=1e3, epsilon=0.1) == np.inf
    assert clipped_mean_error_bound(size=10, radius=1, epsilon=1, beta=0.06) == np.inf
    assert unbounded_mean_error_bound(size=10, epsilon=0.1, delta=1e-9) == np.inf


def test_bad_arguments():
    good = {"size": 10, "radius": 1, "epsilon": 1}
    for error_bound in (clipped_mean_error_bound, two_stage_mean_error_bound, adaptive_mean_error_bound):
        for name, bads in {"size": (0, 1.5), "level": (0, 1), "radius": (-1,), "epsilon": (0,), "beta": (0, 1)}.items():
            for bad in bads:
                with pytest.raises(ValueError, match=name):
                    error_bound(**{**good, name: bad})
    for bad in ({"split": 0}, {"split": 1}, {"width": 0}, {"width": np.inf}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            two_stage_mean_error_bound(**good, **bad)
    with pytest.raises(ValueError, match="delta"):
        unbounded_mean_error_bound(size=10, epsilon=1, delta=0)
    source = rng()
    before = source.bit_generator.state
    bads = [("x", bad) for bad in ([1.0, np.nan], [], 3.0, ["a"])]
    for name, bad in [*bads, ("radius", -1), ("radius", np.nan), ("epsilon", 0), ("level", 1)]:
        arguments = {"x": [1.0, 2.0], "radius": 1.0, "epsilon": 1.0, "rng": source, name: bad}
        with pytest.raises(ValueError, match=name):
            mean_interval(arguments.pop("x"), **arguments)
    assert source.bit_generator.state == before
    with pytest.raises(TypeError, match="rng"):
        mean_interval([1.0], radius=1, epsilon=1, rng=None)


def test_data_are_left_alone():
    x = rng(14).normal(size=(5, 500))
    kept = x.copy()
    x.flags.writeable = False
    mean_interval(x, radius=3, epsilon=1, runs=True, rng=rng())
    np.testing.assert_array_equal(x, kept)


def test_too_often_can_say_so():
    assert not too_often(0, 10, 0.5) and not too_often(60, 1000, 0.05) and too_often(120, 1000, 0.05)
