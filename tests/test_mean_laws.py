"""mean.laws: noise and clipping against 60-digit arithmetic, failure bounds against naive ones and simulation."""

import mpmath
import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import binom, chi, norm

from dplib.histograms import stability_threshold
from dplib.mean import (
    clip_radius, coarse_failure_bound, estimators, laws, noise_tail, scale_failure_bound, stability_failure_bound)
from tests.chance import ALARM, rng

RADII = [10, 1e3, 1e6, 1e12, 1e50]
DELTAS = [1e-4, 1e-6, 1e-9]


# ---------------------------------------------------------------------------------------------------------------- noise


def upper(z):
    return mpmath.erfc(z / mpmath.sqrt(2)) / 2


def closed_form(t, sd, scale):
    t, s, b = map(mpmath.mpf, (t, sd, scale))
    difference = mpmath.exp(-t / b) * upper(s / b - t / s) - mpmath.exp(t / b) * upper(t / s + s / b)
    return upper(t / s) + mpmath.exp(s * s / (2 * b * b)) / 2 * difference


def by_quadrature(t, sd, scale):
    """∫ φ(z) Pr[Lap(b) > t - sz] dz, between the places where the integrand bends or peaks, in units of about its size."""
    t, s, b = map(mpmath.mpf, (t, sd, scale))
    unit = mpmath.exp(-min(t * t / (2 * s * s), t / b))

    def integrand(z):
        rest = (t - s * z) / b
        return mpmath.npdf(z) * (mpmath.exp(-rest) / 2 if rest > 0 else 1 - mpmath.exp(rest) / 2) / unit

    steps = (-60, -30, -10, -4, 0, 4, 10, 30, 60)
    places = {peak + step for peak in (0, t / s, s / b) for step in steps} | {t / s + step * b / s for step in steps}
    return mpmath.quad(integrand, sorted(places)) * unit


def test_noise_tail_golden():
    assert noise_tail(1, sd=1, scale=1) == pytest.approx(0.2593084, abs=5e-8)


@pytest.mark.parametrize("sd, scale", [(1, 1), (1, 0.1), (1, 10), (0.03, 0.2), (1000, 2)])
@pytest.mark.parametrize("far", [0.1, 1, 6, 20])
def test_noise_tail_agrees_with_quadrature(sd, scale, far):
    with mpmath.workdps(60):
        t = far * np.hypot(sd, scale)
        exact = by_quadrature(t, sd, scale)
        assert abs(exact / closed_form(t, sd, scale) - 1) < 1e-12  # the two oracles agree
        assert abs(noise_tail(t, sd=sd, scale=scale) / exact - 1) < 1e-12


def test_noise_tail_is_accurate_far_out():
    """Over four decades of either scale, out to 1e-290."""
    sd, scale = 10 ** rng(1).uniform(-2, 2, size=(2, 500))
    t = rng(2).uniform(size=500) * np.maximum(37 * sd, 660 * scale)
    with mpmath.workdps(60):
        exact = [closed_form(*one) for one in zip(t, sd, scale, strict=True)]
        ours = noise_tail(t, sd=sd, scale=scale)
        errors = [abs(ours[i] / exact[i] - 1) for i in range(500) if exact[i] > 1e-290]
    assert min(exact) < 1e-280 and len(errors) > 400 and max(errors) < 1e-12


def test_noise_tail_limits():
    t = np.array([-3.0, -0.5, 0, 0.5, 3, 30])
    laplace = np.where(t > 0, np.exp(-np.abs(t)) / 2, 1 - np.exp(-np.abs(t)) / 2)
    for tiny in (0, 1e-320):
        np.testing.assert_allclose(noise_tail(t, sd=tiny, scale=1), laplace, rtol=1e-15)
        np.testing.assert_allclose(noise_tail(t, sd=1, scale=tiny), norm.sf(t), rtol=1e-13)
    np.testing.assert_array_equal(noise_tail(t, sd=0, scale=0), t < 0)
    np.testing.assert_allclose(noise_tail(t, sd=1, scale=2) + noise_tail(-t, sd=1, scale=2), 1, rtol=1e-15)
    np.testing.assert_allclose(noise_tail(t * 1e300, sd=1e300, scale=2e300), noise_tail(t, sd=1, scale=2), rtol=1e-14)
    assert noise_tail(1e308, sd=1e-308, scale=1e-320) == 0 and noise_tail(-1e308, sd=1, scale=1) == 1
    assert noise_tail([[0.1], [1]], sd=[1, 2, 3], scale=1).shape == (2, 3)
    assert np.ndim(noise_tail(1, sd=1, scale=1)) == 0


def test_noise_tail_against_draws():
    """The share of 10⁶ draws beyond t, at four t: the chance of a false alarm is 1e-6 each. A Laplace scale that is a
    tenth too large would be noticed."""
    draws = rng(3).normal(scale=0.5, size=10**6) + rng(4).laplace(scale=0.3, size=10**6)
    for t in (-0.4, 0.1, 0.7, 2.0):
        share = noise_tail(t, sd=0.5, scale=0.3)
        low, high = binom.ppf([ALARM / 2, 1 - ALARM / 2], draws.size, share)
        assert low <= np.sum(draws > t) <= high
        if t > 0.5:
            assert binom.cdf(high, draws.size, noise_tail(t, sd=0.5, scale=0.33)) < ALARM


def test_clip_radius_golden():
    assert clip_radius(size=1000, beta=0.01) == pytest.approx(4.417173, abs=5e-7)


def test_clip_radius_solves_its_equation():
    for size in (1, 2, 1000, 10**12, 2**62):
        for beta in (1e-300, 1e-20, 1e-3, 0.5, 0.999):
            t = clip_radius(size=size, beta=beta)
            with mpmath.workdps(60):
                assert abs(2 * size * upper(mpmath.mpf(float(t))) / beta - 1) < 2e-12
            assert t <= np.sqrt(2 * np.log(size / beta))
    assert clip_radius(size=[[1], [10]], beta=[0.1, 0.2, 0.3]).shape == (2, 3)


# ------------------------------------------------------------------------------------------------------- coarse failure


def least_size(bound, most=0.01):
    low, high = 0, 1
    while bound(high) > most:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if bound(middle) <= most else (middle, high)
    return high


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
    ours = [least_size(lambda n: coarse_failure_bound(size=n, radius=radius, epsilon=epsilon)) for radius in RADII]
    np.testing.assert_allclose(ours, sizes, rtol=0.005)


@pytest.mark.parametrize("epsilon, sizes", [
    (0.05, [1896, 2376, 3184]), (0.25, [400, 494, 658]), (0.5, [216, 259, 343]),
])
def test_smallest_sizes_without_a_radius(epsilon, sizes):
    ours = [least_size(lambda n: stability_failure_bound(size=n, epsilon=epsilon, delta=delta)) for delta in DELTAS]
    np.testing.assert_allclose(ours, sizes, rtol=0.003)


@pytest.mark.parametrize("width, fullest, gap", [
    (0.5, 0.1915, 0.0416), (1, 0.3413, 0.2054), (2, 0.4772, 0.4545), (3, 0.4987, 0.4973),
])
def test_the_cell_of_the_mean_stands_out(width, fullest, gap):
    """What the bounds are made of: the least mass of the cell of μ, and how much less a far cell has."""
    here, there = laws._masses(width)
    assert here.min() == pytest.approx(fullest, abs=5e-5)
    assert (here - there).min() == pytest.approx(gap, abs=5e-5)
    assert np.all(here[:, 0] + there[:, :-1].sum(axis=1) < 1)


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
    scale, threshold = 2 / epsilon, stability_threshold(epsilon=epsilon, delta=delta)

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
    pairs, scale, threshold = size // 2, 2 / epsilon, stability_threshold(epsilon=epsilon, delta=delta)
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
    monkeypatch.setattr(laws, "OFFSETS", np.linspace(0, 1, 4001)[:, np.newaxis])
    assert np.all(coarse_failure_bound(size=size, radius=100, epsilon=0.5, width=width) <= coarse * 1.001)
    assert np.all(stability_failure_bound(size=size, epsilon=0.5, delta=1e-6, width=width) <= stable * 1.001)


def failures(mean, size, epsilon, *, runs, radius=None, delta=None, seed):
    x = rng(seed).normal(mean, 1, size=(runs, size))
    if delta is None:
        occupied = estimators._occupied(x, estimators._grid(1.0), -radius, radius)
        cells = estimators._exponential_cells(occupied, runs, radius, epsilon, rng(seed + 1))
    else:
        occupied = estimators._occupied(x, estimators._grid(1.0), -np.inf, np.inf)
        threshold = stability_threshold(epsilon=epsilon, delta=delta)
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
    often = [failures(mean, size, epsilon, runs=4000, radius=100.0, seed=10) for mean in means]
    assert max(often) <= binom.ppf(1 - ALARM, 4000, stated)
    assert simulated / 2 < np.mean(often[:3]) / 4000 < 2 * simulated


@pytest.mark.parametrize("epsilon, size, delta", [(0.25, 400, 1e-6), (0.5, 200, 1e-6), (1, 60, 1e-2)])
def test_stability_failure_against_simulation(epsilon, size, delta):
    """4000 runs at each of four means stay below the bound. It is far from tight, and that is measured too: the true
    failure is at most a quarter of it."""
    stated = stability_failure_bound(size=size, epsilon=epsilon, delta=delta)
    often = [failures(mean, size, epsilon, runs=4000, delta=delta, seed=20) for mean in (0, 0.25, 7.5, -1e9)]
    assert stated < 0.7 and max(often) <= binom.ppf(1 - ALARM, 4000, stated / 4)


def test_failure_bounds_at_the_ends():
    assert coarse_failure_bound(size=1, radius=[0, 1], epsilon=1e-9).tolist() == [0, 0]  # two cells: none is far
    assert coarse_failure_bound(size=1, radius=1.01, epsilon=1e-9) == 1
    assert coarse_failure_bound(size=[1, 2**62], radius=1e308, epsilon=0.1).tolist() == [1, 0]
    assert coarse_failure_bound(size=10**6, radius=5, epsilon=1, width=[0.009, 1e300]).tolist() == [1, 0]
    assert stability_failure_bound(size=1, epsilon=1, delta=0.5) == 1
    assert stability_failure_bound(size=10**17, epsilon=1, delta=0.5) == pytest.approx(2e17 * norm.sf(9), rel=1e-3)
    extreme = stability_failure_bound(size=1000, epsilon=[1e-300, 1e300], delta=1e-6, width=[[1], [1e300]])
    assert np.all(extreme <= [1, 1e-15])
    shrinking = coarse_failure_bound(size=np.arange(1, 400, 7), radius=[[3], [30], [1e9]], epsilon=0.7)
    assert np.all(np.diff(shrinking) <= 0) and np.all(np.diff(shrinking, axis=0) >= 0)


def test_failure_bounds_broadcast():
    sizes, widths = np.array([100, 300]), np.array([[0.5], [1], [2]])
    for bound, given in ((coarse_failure_bound, dict(radius=50)), (stability_failure_bound, dict(delta=1e-3))):
        whole = bound(size=sizes, epsilon=1, width=widths, **given)
        single = [[float(bound(size=n, epsilon=1, width=w, **given)) for n in sizes] for (w,) in widths]
        np.testing.assert_allclose(whole, single, rtol=1e-12)
        assert np.ndim(bound(size=5, epsilon=1, **given)) == 0
        assert bound(size=np.empty((0, 3), dtype=int), epsilon=1, **given).shape == (0, 3)


@pytest.mark.parametrize("call, named", [
    (lambda: noise_tail(np.nan, sd=1, scale=1), "t must be finite, got nan"),
    (lambda: noise_tail(1, sd=-1, scale=1), "sd must be finite and at least 0, got -1.0"),
    (lambda: noise_tail(1, sd=1, scale=np.inf), "scale must be finite and at least 0, got inf"),
    (lambda: clip_radius(size=0, beta=0.1), "size must be at least 1"),
    (lambda: clip_radius(size=1.5, beta=0.1), "size must hold integers, got 1.5"),
    (lambda: clip_radius(size=1, beta=1), "beta must be finite and above 0 and below 1, got 1.0"),
    (lambda: coarse_failure_bound(size=1, radius=-1, epsilon=1), "radius must be finite and at least 0, got -1.0"),
    (lambda: coarse_failure_bound(size=1, radius=1e308, epsilon=1, width=0.1), "radius / width must be finite"),
    (lambda: coarse_failure_bound(size=1, radius=1, epsilon=0), "epsilon must be finite and above 0, got 0.0"),
    (lambda: coarse_failure_bound(size=1, radius=1, epsilon=1, width=0), "width must be finite and above 0, got 0.0"),
    (lambda: stability_failure_bound(size=1, epsilon=1, delta=0.6), "delta must be finite and above 0 and at most 0.5"),
    (lambda: stability_failure_bound(size=1, epsilon=np.nan, delta=0.1), "epsilon must be finite and above 0, got nan"),
    (lambda: scale_failure_bound(size=0, epsilon=1, delta=0.1), "size must be at least 1"),
    (lambda: scale_failure_bound(size=1, epsilon=1, delta=0), "delta must be finite and above 0 and at most 0.5, got 0"),
])
def test_laws_name_what_is_wrong(call, named):
    with pytest.raises(ValueError, match=named.replace("(", r"\(")):
        call()
