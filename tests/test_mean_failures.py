"""mean.failures: bounds against naive ones and simulation, and where floats end."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import binom, chi, norm

from dplib.histograms import stability_threshold
from dplib.mean import (
    coarse_failure_bound, estimators, failures, scale_failure_bound, stability_failure_bound, three_cells_failure_bound)
from dplib.sample_size import least_size
from tests.chance import ALARM, rng

RADII = [10, 1e3, 1e6, 1e12, 1e50]
DELTAS = [1e-4, 1e-6, 1e-9]


# ------------------------------------------------------------------------------------------------------- coarse failure


def masses(offset, cells, width):
    """The mass of each cell -cells, …, cells around the one of μ."""
    edges = (np.arange(-cells, cells + 2) - offset) * width
    return norm.cdf(edges[1:]) - norm.cdf(edges[:-1])


def naive_coarse_failure(size, radius, epsilon, width):
    """The largest sum over every position of the cell of μ, every cell and a fine grid of θ."""
    half = max(1, int(np.ceil(radius / width)))
    theta = np.linspace(0, epsilon / 2, 2001)[:, np.newaxis]
    worst = 0
    for offset in np.linspace(0, 1, 41):
        p = np.maximum(masses(offset, 2 * half, width), 1e-18)
        here = p[2 * half]
        terms = (1 + p * np.expm1(theta) + here * np.expm1(-theta)).min(axis=0) ** size
        for position in range(2 * half):
            far = np.abs(np.arange(2 * half) - position) >= 2
            worst = max(worst, terms[2 * half - position:4 * half - position][far].sum())
    return min(worst, 1)


def test_coarse_failure_golden():
    assert coarse_failure_bound(size=200, radius=100, epsilon=0.5) == pytest.approx(5.72e-4, rel=0.01)


@pytest.mark.parametrize("epsilon, sizes", [
    (0.05, [1008, 1452, 2264, 3904, 14272]), (0.25, [219, 302, 468, 808, 2944]), (0.5, [126, 160, 244, 420, 1536]),
])
def test_smallest_sizes_for_a_radius(epsilon, sizes):
    """An independent computation on a coarser grid; ours are equal or up to 0.5% away."""
    ours = [least_size(lambda n: coarse_failure_bound(size=n, radius=radius, epsilon=epsilon) <= 0.01) for radius in RADII]
    np.testing.assert_allclose(ours, sizes, rtol=0.005)


@pytest.mark.parametrize("epsilon, sizes", [
    (0.05, [1896, 2376, 3184]), (0.25, [400, 494, 658]), (0.5, [216, 259, 343]),
])
def test_smallest_sizes_without_a_radius(epsilon, sizes):
    ours = [least_size(lambda n: stability_failure_bound(size=n, epsilon=epsilon, delta=delta) <= 0.01) for delta in DELTAS]
    np.testing.assert_allclose(ours, sizes, rtol=0.003)


@pytest.mark.parametrize("width, fullest, gap", [
    (0.5, 0.1915, 0.0416), (1, 0.3413, 0.2054), (2, 0.4772, 0.4545), (3, 0.4987, 0.4973),
])
def test_the_cell_of_the_mean_stands_out(width, fullest, gap):
    """What the bounds are made of: the least mass of the cell of μ, and how much less a far cell has."""
    here, beside, there = failures._masses(width)
    assert here.min() == pytest.approx(fullest, abs=5e-5)
    assert (here - there).min() == pytest.approx(gap, abs=5e-5)
    np.testing.assert_allclose(here[:, 0] + beside.sum(axis=1) + there[:, :-1].sum(axis=1), 1, atol=1e-12)


@pytest.mark.parametrize("size, radius, epsilon, width", [
    (200, 10, 0.5, 1), (100, 2, 1, 1), (60, 1.5, 2, 1), (50, 6, 4, 2), (3000, 5, 0.2, 0.5), (900, 3, 1, 0.5),
    (12, 40, 9, 3),
])
def test_coarse_failure_agrees_with_the_naive_bound(size, radius, epsilon, width):
    """At most K - 2 far cells count, the fullest first: with few cells the bound is somewhat above the naive one."""
    naive = naive_coarse_failure(size, radius, epsilon, width)
    ours = coarse_failure_bound(size=size, radius=radius, epsilon=epsilon, width=width)
    assert 0 < naive < 1 and naive * (1 - 1e-6) <= ours <= naive * (1.001 if radius > 5 * width else 2)


def naive_stability_failure(size, epsilon, delta, width):
    scale, threshold = 2 / epsilon, stability_threshold(epsilon=epsilon, delta=delta, neighbor="replace", noise="laplace")

    def least(p, here, shift, noises):
        def logarithm(theta):
            moments = size * np.log1p(p * np.expm1(theta) + here * np.expm1(-theta))
            return theta * shift + moments - noises * np.log1p(-((theta * scale) ** 2))
        return np.exp(minimize_scalar(logarithm, bounds=(0, 1 / scale), method="bounded", options={"xatol": 1e-12}).fun)

    worst = 0
    for offset in np.linspace(0, 0.5, 5):
        p = masses(offset, 40, width)
        far = np.delete(p, [39, 40, 41])
        beaten = [min(-np.expm1(size * np.log1p(-q)), least(q, p[40], 0, 2)) for q in far[far > 1e-14]]
        worst = max(worst, least(0, p[40], threshold, 1) + sum(beaten))
    return worst


@pytest.mark.parametrize("size, epsilon, delta, width", [
    (494, 0.25, 1e-6, 1), (300, 0.5, 1e-6, 1), (60, 4, 1e-3, 2), (2000, 0.5, 1e-9, 0.5), (25, 20, 0.1, 3),
])
def test_stability_failure_agrees_with_the_naive_bound(size, epsilon, delta, width):
    naive = naive_stability_failure(size, epsilon, delta, width)
    ours = stability_failure_bound(size=size, epsilon=epsilon, delta=delta, width=width)
    assert 0 < naive < 0.5 and naive * (1 - 1e-6) <= ours <= naive * 1.01


def naive_scale_failure(size, epsilon, delta):
    pairs, scale, threshold = size // 2, 2 / epsilon, stability_threshold(epsilon=epsilon, delta=delta, neighbor="replace", noise="laplace")
    theta = np.linspace(0, 1 / scale, 2003)[1:-1]
    noise, worst = -np.log1p(-((theta * scale) ** 2)), 0
    for u in np.linspace(0, 1, 9):
        p = {k: chi.cdf(2.0 ** (k + 1 - u), 1) - chi.cdf(2.0 ** (k - u), 1) for k in range(-40, 7)}
        top = max(p[-1], p[0], p[1])
        total = np.exp((theta * threshold + pairs * np.log1p(top * np.expm1(-theta)) + noise).min())
        for k in set(p) - {-1, 0, 1}:
            moments = pairs * np.log1p(p[k] * np.expm1(theta) + top * np.expm1(-theta))
            total += min(-np.expm1(pairs * np.log1p(-p[k])), np.exp((moments + 2 * noise).min()))
        worst = max(worst, total)
    return worst


@pytest.mark.parametrize("size, epsilon, delta", [(801, 0.5, 1e-6), (300, 1, 1e-4), (60, 8, 1e-3), (3000, 0.25, 1e-9)])
def test_scale_failure_agrees_with_the_naive_bound(size, epsilon, delta):
    naive, ours = naive_scale_failure(size, epsilon, delta), scale_failure_bound(size=size, epsilon=epsilon, delta=delta)
    assert 0 < naive < 0.95 and naive * (1 - 1e-4) <= ours <= naive * 1.02


def test_scale_failure_at_the_ends():
    few = scale_failure_bound(size=[1, 2, 3], epsilon=[[0.1], [1e3]], delta=0.1)
    assert few.shape == (2, 3) and np.all(few == 1)
    assert 0 < scale_failure_bound(size=10**15, epsilon=0.1, delta=1e-6) < 1e-3
    assert np.all(np.diff(scale_failure_bound(size=np.arange(100, 2000, 150), epsilon=0.5, delta=1e-6)) <= 0)


def test_the_grid_of_offsets_is_fine_enough(monkeypatch):
    """Ten times as many offsets raise no bound by more than a part in a thousand."""
    size, width = np.array([50, 200, 1000, 5000]), np.array([[0.25], [0.5], [1], [2], [3]])
    coarse = coarse_failure_bound(size=size, radius=100, epsilon=0.5, width=width)
    stable = stability_failure_bound(size=size, epsilon=0.5, delta=1e-6, width=width)
    closer = three_cells_failure_bound(size=size, epsilon=0.5, delta=1e-6, width=width)
    monkeypatch.setattr(failures, "OFFSETS", np.linspace(0, 1, 4001)[:, np.newaxis])
    monkeypatch.setattr(failures, "_masses", failures._masses.__wrapped__)      # not those that it has kept
    assert np.all(coarse_failure_bound(size=size, radius=100, epsilon=0.5, width=width) <= coarse * 1.001)
    assert np.all(stability_failure_bound(size=size, epsilon=0.5, delta=1e-6, width=width) <= stable * 1.001)
    assert np.all(three_cells_failure_bound(size=size, epsilon=0.5, delta=1e-6, width=width) <= closer * 1.001)


def failing_runs(mean, size, epsilon, *, runs, radius=None, delta=None, seed):
    x = rng(seed).normal(mean, 1, size=(runs, size))
    if delta is None:
        occupied = estimators._occupied(x, estimators._cells(1.0), -radius, radius)
        cells = estimators._exponential_cells(occupied, runs, radius, epsilon, rng(seed + 1))
    else:
        occupied = estimators._occupied(x, estimators._cells(1.0), -np.inf, np.inf)
        threshold = stability_threshold(epsilon=epsilon, delta=delta, neighbor="replace", noise="laplace")
        cells = estimators._released_cells(occupied, runs, threshold, epsilon, rng(seed + 1))
    return np.sum(~(np.abs(cells - np.floor(mean)) <= 1))


@pytest.mark.parametrize("epsilon, size, simulated, bound", [
    (0.05, 800, 0.087, 0.244), (0.1, 400, 0.068, 0.26), (0.5, 100, 0.019, 0.10),
])
def test_coarse_failure_against_simulation(epsilon, size, simulated, bound):
    """4000 runs at each of five means, the radius included, stay below the bound; in the middle they fail as often as
    an independent simulation did, up to a factor of two, since that depends on where μ lies in its cell."""
    stated = coarse_failure_bound(size=size, radius=100, epsilon=epsilon)
    assert stated == pytest.approx(bound, rel=0.01)
    means = (0, 0.5, 33.3, 99.5, 100 - 1e-9)
    often = [failing_runs(mean, size, epsilon, runs=4000, radius=100.0, seed=10) for mean in means]
    assert max(often) <= binom.ppf(1 - ALARM, 4000, stated)
    assert simulated / 2 < np.mean(often[:3]) / 4000 < 2 * simulated


@pytest.mark.parametrize("epsilon, size, delta", [(0.25, 400, 1e-6), (0.5, 200, 1e-6), (1, 60, 1e-2)])
def test_stability_failure_against_simulation(epsilon, size, delta):
    """4000 runs at each of four means stay below the bound. It is far from tight, and that is measured too: the true
    failure is at most a quarter of it."""
    stated = stability_failure_bound(size=size, epsilon=epsilon, delta=delta)
    often = [failing_runs(mean, size, epsilon, runs=4000, delta=delta, seed=20) for mean in (0, 0.25, 7.5, -1e9)]
    assert stated < 0.7 and max(often) <= binom.ppf(1 - ALARM, 4000, stated / 4)


@pytest.mark.parametrize("epsilon, size, delta", [(0.25, 400, 1e-6), (0.5, 200, 1e-6), (1, 60, 1e-2)])
def test_three_cells_against_simulation(epsilon, size, delta):
    """The same runs: below this bound, too, and in one place above a tenth of it."""
    stated = three_cells_failure_bound(size=size, epsilon=epsilon, delta=delta)
    often = [failing_runs(mean, size, epsilon, runs=4000, delta=delta, seed=20) for mean in (0, 0.25, 0.5, -1e9)]
    assert stated < stability_failure_bound(size=size, epsilon=epsilon, delta=delta) / 4
    assert stated / 10 < max(often) / 4000 and max(often) <= binom.ppf(1 - ALARM, 4000, stated)


@pytest.mark.parametrize("epsilon, sizes", [(0.05, [1264, 1787, 2578]), (0.25, [261, 369, 530]), (0.5, [141, 191, 274])])
def test_smallest_sizes_by_three_cells(epsilon, sizes):
    """As the statement gives them by brute force, with θ on a finer grid (the check of prop-three-cells has the code)."""
    ours = [least_size(lambda n: three_cells_failure_bound(size=n, epsilon=epsilon, delta=delta) <= 0.01) for delta in DELTAS]
    np.testing.assert_allclose(ours, sizes, rtol=0.01)


def test_three_cells_where_floats_end():
    """A probability too small times a factor too large; more records than SciPy's binomial law takes; a vast budget."""
    sizes, budgets = np.array([10, 1000, 10**9, 2**31, 2**62]), np.array([[1e-9], [1e-3], [1], [20], [1e300]])
    bound = three_cells_failure_bound(size=sizes, epsilon=budgets, delta=1e-12)
    assert np.all((bound >= 0) & (bound <= 1)) and np.all(bound[0] == 1) and np.all(bound[2, 2:4] < 1e-8)
    low, high = failures._unreleased(np.array([1e-3, 0.06, 0.3]), np.array(900), 0.2, 6.4)  # e^948 times e^-915
    assert np.all(low <= high) and np.all(high < 1) and high[2] < 1e-100


def test_failure_bounds_at_the_ends():
    assert coarse_failure_bound(size=1, radius=[0, 1], epsilon=1e-9).tolist() == [0, 0]  # two cells: none is far
    assert coarse_failure_bound(size=1, radius=1.01, epsilon=1e-9) == 1
    assert coarse_failure_bound(size=[1, 2**62], radius=1e308, epsilon=0.1).tolist() == [1, 0]
    assert coarse_failure_bound(size=10**6, radius=5, epsilon=1, width=[0.009, 1e300]).tolist() == [1, 0]
    assert stability_failure_bound(size=1, epsilon=1, delta=0.5) == 1
    assert stability_failure_bound(size=10**17, epsilon=1, delta=0.5) == pytest.approx(2e17 * norm.sf(9), rel=1e-3)
    extreme = stability_failure_bound(size=1000, epsilon=[1e-9, 1e300], delta=1e-6, width=[[1], [1e300]])
    assert np.all(extreme <= [1, 1e-15])
    shrinking = coarse_failure_bound(size=np.arange(1, 400, 7), radius=[[3], [30], [1e9]], epsilon=0.7)
    assert np.all(np.diff(shrinking) <= 0) and np.all(np.diff(shrinking, axis=0) >= 0)


def test_failure_bounds_broadcast():
    sizes, widths = np.array([100, 300]), np.array([[0.5], [1], [2]])
    for bound, given in ((coarse_failure_bound, dict(radius=50)), (stability_failure_bound, dict(delta=1e-3)),
                         (three_cells_failure_bound, dict(delta=1e-3))):
        whole = bound(size=sizes, epsilon=1, width=widths, **given)
        single = [[float(bound(size=n, epsilon=1, width=w, **given)) for n in sizes] for (w,) in widths]
        np.testing.assert_allclose(whole, single, rtol=1e-12)
        assert np.ndim(bound(size=5, epsilon=1, **given)) == 0
        assert bound(size=np.empty((0, 3), dtype=int), epsilon=1, **given).shape == (0, 3)


@pytest.mark.parametrize("call, named", [
    (lambda: coarse_failure_bound(size=1, radius=-1, epsilon=1), "radius must be finite and at least 0, got -1.0"),
    (lambda: coarse_failure_bound(size=1, radius=1e308, epsilon=1, width=0.1), "radius / width must be finite"),
    (lambda: coarse_failure_bound(size=1, radius=1, epsilon=0), "epsilon must be finite and above 0, got 0.0"),
    (lambda: coarse_failure_bound(size=1, radius=1, epsilon=1, width=0), "width must be finite and above 0, got 0.0"),
    (lambda: stability_failure_bound(size=1, epsilon=1, delta=0.6), "delta must be finite and above 0 and at most 0.5"),
    (lambda: stability_failure_bound(size=1, epsilon=np.nan, delta=0.1), "epsilon must be finite and above 0, got nan"),
    (lambda: scale_failure_bound(size=0, epsilon=1, delta=0.1), "size must be at least 1"),
    (lambda: scale_failure_bound(size=1, epsilon=1, delta=0), "delta must be finite and above 0 and at most 0.5, got 0"),
    (lambda: three_cells_failure_bound(size=1, epsilon=0, delta=0.1), "epsilon must be finite and above 0, got 0"),
])
def test_bounds_name_what_is_wrong(call, named):
    with pytest.raises(ValueError, match=named.replace("(", r"\(")):
        call()


@pytest.mark.parametrize("width, epsilon", [(1.75, 0.01), (2.0, 0.05), (2.5, 0.01)])
def test_the_worst_offset_of_three_cells_is_found(width, epsilon, monkeypatch):
    """As among all offsets. Every tenth of them, which were once all that was looked at, give up to 8% less."""
    given = dict(size=np.geomspace(300, 3e5, 40).astype(int), epsilon=epsilon, delta=[[1e-6], [1e-12]], width=width)
    found, bounds = three_cells_failure_bound(**given), {}
    for step in (1, 10):
        at = lambda here, beside, there, *more, s=step: failures._silent_or_beaten(here[::s], beside[::s], there[::s, :-1], *more)
        monkeypatch.setattr(failures, "_three_cells_failure", at)
        bounds[step] = three_cells_failure_bound(**given)
    np.testing.assert_array_equal(found, bounds[1])
    assert np.max(1 - bounds[10] / found) > 0.01
