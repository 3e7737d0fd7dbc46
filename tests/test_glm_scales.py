"""Noise of a scale that differs between neighbours: golden values, an oracle of 100 digits, densities integrated one by one."""

import mpmath
import numpy as np
import pytest
from scipy.stats import norm

from dplib.accounting import PrivacyLoss
from dplib.glm import direction_constants, laplace_epsilon, vector_noise_multiplier
from dplib.glm.compared import gaussian_noise_multiplier, integrated_delta, mismatched_gaussian_delta
from dplib.glm.compared.mismatch import _worst
from dplib.mechanisms import gaussian_delta, gaussian_sigma
from tests.chance import FAR


def exact(epsilon, m, r):
    """The same with 100 digits behind the leading one of every tail."""
    with mpmath.workdps(330):
        epsilon, m, r = map(mpmath.mpf, (epsilon, m, r))
        a, b, c = (r**-2 - 1) / 2, -m / r**2, m**2 / (2 * r**2) + mpmath.log(r) - epsilon
        below = lambda x, mean, sd: mpmath.erfc((mean - x) / sd / mpmath.sqrt(2)) / 2
        left_of = lambda x: below(x, 0, 1) - mpmath.exp(epsilon) * below(x, m, r)
        total = 1 - mpmath.exp(epsilon)
        if a == 0:
            return float(max(total, 0) if b == 0 else left_of(-c / b) if b < 0 else total - left_of(-c / b))
        root = b * b - 4 * a * c
        if root <= 0:
            return float(max(total, 0) if a > 0 else 0)
        low, high = sorted((-b + sign * mpmath.sqrt(root)) / (2 * a) for sign in (1, -1))
        between = left_of(high) - left_of(low)
        return float(between if a < 0 else total - between)


def test_golden_values():
    assert [f"{value:.6e}" for value in mismatched_gaussian_delta(shift=.2, ratio=[1, .98, 1.02], epsilon=.5)] == [
        "5.125361e-04", "2.326874e-03", "1.302215e-07"]
    assert gaussian_noise_multiplier(up=1, down=1, epsilon=[.75, .5, 1, .5], delta=[5e-7, 5e-7, 1e-6, 5e-7]).round(5).tolist() == [
        5.71, 8.34832, 4.22468, 8.34832]
    for epsilon_1, golden in [(.05, [12.1, 6.6, 5.2, 4.9, 4.6]), (.1, [13.8, 7.1, 5.5, 5.15, 4.85]), (.25, [24.1, 9.2, 6.7, 6.2, 5.8])]:
        c = direction_constants(nu=[100, 200, 500, 1000, 10**4], changes=2, largest_curvature=.5)
        assert np.abs(gaussian_noise_multiplier(up=c.up, down=c.down, epsilon=1 - epsilon_1, delta=5e-7) - golden).max() < .051


@pytest.mark.slow
def test_as_exact_as_it_says():
    rng, worst = np.random.default_rng(1), 0
    for _ in range(400):
        epsilon = rng.choice([0, rng.uniform(-3, 5), 10 ** rng.uniform(-6, 1)])
        m = rng.choice([0, 10 ** rng.uniform(-4, 2), 1e-4, .2, -.5])
        r = rng.choice([1, np.exp(rng.normal() * 10 ** rng.uniform(-6, 0)), 1.0001, .999, 2, .5, 1.02])
        found, expected = mismatched_gaussian_delta(shift=m, ratio=r, epsilon=epsilon), exact(epsilon, abs(m), r)
        if expected > 1e-250 and (m or abs(r - 1) > 1e-5 or r == 1) and expected > 0:
            worst = max(worst, abs(found / expected - 1))
        else:
            assert abs(found - expected) < 1e-14
    assert 0 < worst < 1e-9


def test_a_large_epsilon_and_a_large_gap():
    """Where γ = e^ε has more digits than a float, and the gap is near 1/2."""
    rng, found = np.random.default_rng(11), []
    for epsilon in np.geomspace(1, 600, 120):
        r = np.exp(rng.uniform(-.69, .69) * 10.0 ** -rng.choice([0, 1, 3, 8]))
        m = r * np.sqrt(2 * max(epsilon - np.log(r), .01)) * rng.uniform(.9, 1.2)
        expected = exact(epsilon, m, r)
        if expected > 1e-250:
            assert mismatched_gaussian_delta(shift=m, ratio=r, epsilon=epsilon) == pytest.approx(expected, rel=1e-11), (epsilon, m, r)
        found.append(expected)
    assert np.sum((np.array(found) > .1) & (np.array(found) < .9)) > 20
    for epsilon, delta, up, down in ((30, .6, 1.1, 1.05), (40, .9, 1.1, 1.05), (101, .25, 1.6, 1.8), (46, .9, 1, 1)):
        sigma = gaussian_noise_multiplier(up=up, down=down, epsilon=epsilon, delta=delta)
        assert sigma >= gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=delta)
        assert .99 * delta < max(exact(epsilon, 1 / sigma, r) for r in np.geomspace(1 / down, up, 5)) <= delta * (1 + 1e-9)


def test_far_tails_and_corners():
    for epsilon, m, r in [(5, .2, 1), (5, .2, .98), (20, .5, .9), (3.944304765033591, .2, 1.0001), (.05, .01, 1.05), (.5, 0, .98),
                          (.2, .5, 3), (-.1, .5, 3), (1.5, .3, 1.45)]:
        assert mismatched_gaussian_delta(shift=m, ratio=r, epsilon=epsilon) == pytest.approx(exact(epsilon, m, r), rel=1e-9, abs=0)
    assert mismatched_gaussian_delta(shift=0, ratio=1, epsilon=[-1, 0, 1]) == pytest.approx([1 - np.exp(-1), 0, 0])
    assert mismatched_gaussian_delta(shift=0, ratio=2, epsilon=np.log(2)) == pytest.approx(0, abs=1e-15)          # p ≤ 2q everywhere
    assert mismatched_gaussian_delta(shift=[1e300, -1e300, 80], ratio=[1, 1e6, 1e-6], epsilon=1).tolist() == pytest.approx([1, 1, 1])
    same = mismatched_gaussian_delta(shift=[.03, .3, 3], ratio=1, epsilon=[[.1], [1], [4]])
    assert np.allclose(same, gaussian_delta(sigma=1 / np.array([.03, .3, 3]), sensitivity=1, epsilon=[[.1], [1], [4]]), rtol=1e-9, atol=0)
    with pytest.raises(ValueError, match="ratio must be finite and at least 1e-06 and at most 1e.06, got 0"):
        mismatched_gaussian_delta(shift=1, ratio=0, epsilon=1)


def test_it_is_the_integral_of_what_one_density_has_more():
    x = np.linspace(-60, 60, 600_001)
    for epsilon, m, r in [(.5, .2, .98), (0, 1, .5), (-.5, 1, 2), (1, 2, 1), (.3, .5, 1.4), (.1, 0, .7)]:
        more = np.maximum(norm.pdf(x) - np.exp(epsilon) * norm.pdf(x, m, r), 0)
        assert mismatched_gaussian_delta(shift=m, ratio=r, epsilon=epsilon) == pytest.approx(more.sum() * (x[1] - x[0]), rel=1e-6)


def test_it_grows_with_the_shift_and_falls_with_epsilon():
    shift = np.geomspace(1e-4, 1e3, 3000)
    for r in (.5, .97, .999999, 1, 1.000001, 1.03, 2):
        for epsilon in (-.3, 0, .01, .5, 3):
            values = mismatched_gaussian_delta(shift=shift, ratio=r, epsilon=epsilon)
            assert np.all(values[1:] >= values[:-1] * (1 - 1e-9) - 1e-16)
        values = mismatched_gaussian_delta(shift=.3, ratio=r, epsilon=np.linspace(-2, 6, 2000))
        assert np.all(values[1:] <= values[:-1] * (1 + 1e-9) + 1e-16)


# ------------------------------------------------------------------------------------------------------ calibration


def test_the_cells_cover_every_ratio_and_cost_little():
    rng = np.random.default_rng(2)
    for _ in range(40):
        up, down = np.exp(rng.exponential(.05, 2))
        m, epsilon = rng.uniform(.02, 1), rng.uniform(.1, 3)
        ratios = np.geomspace(1 / down, up, 3001)
        truth = mismatched_gaussian_delta(shift=m, ratio=ratios, epsilon=epsilon).max()
        bound = float(_worst(m, up, down, epsilon))
        assert truth <= bound * (1 + 1e-9)
        cheaper = mismatched_gaussian_delta(shift=m, ratio=ratios, epsilon=epsilon - np.log(up * down) / 16).max()
        assert bound <= cheaper * (1 + 1e-6)


def test_the_multiplier_is_the_smallest_that_is_enough():
    up, down = [1, 1.001, 1.0076, 1.015, 1], [1, 1.002, 1.0076, 1, 1.015]
    for epsilon, delta in ((.75, 5e-7), (2, 1e-9), (.1, 1e-3)):
        sigma = gaussian_noise_multiplier(up=up, down=down, epsilon=epsilon, delta=delta)
        assert np.all(_worst(1 / sigma, np.array(up), np.array(down), epsilon) <= delta)
        assert np.all(_worst(1 / (sigma * (1 - 2e-9)), np.array(up), np.array(down), epsilon) > delta)
        assert np.all(sigma >= gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=delta) * (1 - 2e-9))
    assert gaussian_noise_multiplier(up=[1.5, np.inf, 1, 1e9], down=[1, 1, np.inf, 1], epsilon=1, delta=1e-6).tolist() == [
        pytest.approx(gaussian_noise_multiplier(up=1.5, down=1, epsilon=1, delta=1e-6)), np.inf, np.inf, np.inf]
    assert np.isinf(gaussian_noise_multiplier(up=1, down=1.2, epsilon=1, delta=1e-6))     # two tails: no σ is enough
    assert isinstance(gaussian_noise_multiplier(up=1, down=1, epsilon=1, delta=1e-6), float)


def test_a_percent_or_two_of_mismatch_cost_much():
    ratios = [1, 1.015, 1.02, 1.03]
    for epsilon, delta, doubled in ((1, 1e-6, 1.03), (.75, 5e-7, 1.03), (.5, 5e-7, 1.015)):
        sigma = dict(zip(ratios, gaussian_noise_multiplier(up=ratios, down=ratios, epsilon=epsilon, delta=delta)))
        assert sigma[doubled] > 2 * sigma[1], (epsilon, sigma)


def normal_excess(E, m, epsilon, draws):
    """(an unbiased estimate, its standard error) of E_γ of N(0, I) against N(m, (I + E)⁻¹)."""
    precision = np.eye(len(m)) + E
    away = draws - m
    log_ratio = (-(draws**2).sum(1) + np.einsum("ni,ij,nj->n", away, precision, away) - np.linalg.slogdet(precision)[1]) / 2
    more = np.maximum(-np.expm1(epsilon - log_ratio), 0)
    return more.mean(), more.std() / np.sqrt(len(more))


def test_a_vector_of_normal_noise_in_one_dimension_exactly():
    rng, worst, naive = np.random.default_rng(6), 0, 0
    for _ in range(300):
        e, epsilon, delta = rng.exponential(.02), rng.uniform(.3, 2), 10 ** rng.uniform(-8, -2)
        sigma = vector_noise_multiplier(operator=e, frobenius=e, epsilon=epsilon, delta=delta)
        plain = vector_noise_multiplier(operator=0, frobenius=0, epsilon=epsilon, delta=delta)
        assert sigma >= plain >= gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=delta)
        for sign in (-1, 1) if e < 1 and np.isfinite(sigma) else ():
            ratio = (1 + sign * e) ** -.5
            worst = max(worst, mismatched_gaussian_delta(shift=1 / sigma, ratio=ratio, epsilon=epsilon) / delta)
            naive = max(naive, mismatched_gaussian_delta(shift=1 / plain, ratio=ratio, epsilon=epsilon) / delta)
    assert worst <= 1 and naive > 2


def test_a_vector_of_normal_noise_in_four_dimensions():
    rng, d, epsilon, delta = np.random.default_rng(7), 4, 1, .05
    draws = rng.normal(size=(100_000, d))
    for e in (.02, .06):
        for E in (np.diag([e] * d), -np.diag([e] * d), np.diag([e, -e, e, -e]), np.diag([e, 0, 0, 0])):
            sigma = vector_noise_multiplier(operator=e, frobenius=np.linalg.norm(E), epsilon=epsilon, delta=delta)
            for m in (np.eye(d)[0] / sigma, np.full(d, d**-.5) / sigma):
                value, error = normal_excess(E, m, epsilon, draws)
                assert value + FAR * error < delta
    assert normal_excess(np.diag([.5] * d), np.zeros(d), .1, draws)[0] > delta         # the estimate sees a mismatch
    ends = vector_noise_multiplier(operator=[.999, 1, np.inf, .1], frobenius=[.1, .1, np.inf, 1], epsilon=1, delta=1e-6)
    assert np.isinf(ends).all()
    with pytest.raises(ValueError, match="frobenius must be at least 0, got -1"):
        vector_noise_multiplier(operator=0, frobenius=-1, epsilon=1, delta=.1)


def laplace_delta(epsilon, m, b):
    """E_γ of Lap(1) against m + Lap(b), the difference of the densities added up."""
    x = np.linspace(-40, 40, 80_001)
    more = np.exp(-np.abs(x)) / 2 - np.exp(epsilon - np.abs(x - m) / b) / (2 * b)
    return np.maximum(more, 0).sum() * (x[1] - x[0])


def test_no_pair_of_laplace_distributions_breaks_its_epsilon_and_a_wrong_one_is_broken():
    rng, worst = np.random.default_rng(3), {"right": 0, "scale ignored": 0, "no tail": 0}
    for _ in range(40):
        up, down = 1 + rng.exponential(.05, 2)
        epsilon, delta = rng.uniform(.5, 2), 10 ** rng.uniform(-4, -2)
        ends = dict(up=up, down=down, epsilon=epsilon, delta=delta)
        left = {"right": float(laplace_epsilon(**ends)), "scale ignored": epsilon, "no tail": (epsilon - np.log(up)) / down}
        for name, e in left.items():
            if e > 0:
                for b in (up, 1 / down):
                    worst[name] = max(worst[name], laplace_delta(epsilon, e, b) / delta, laplace_delta(epsilon, 0, b) / delta)
    assert worst["right"] <= 1 + 1e-6 and worst["scale ignored"] > 2 and worst["no tail"] > 1.05, worst


def test_the_epsilon_of_laplace_noise():
    assert laplace_epsilon(up=1, down=1, epsilon=[.5, 2], delta=1e-6).tolist() == [.5, 2]
    c = direction_constants(nu=400, changes=2, largest_curvature=[.25, .5])                   # .697 and .685 of .75
    assert laplace_epsilon(up=c.up, down=c.down, epsilon=.75, delta=5e-7).round(4).tolist() == [.6969, .685]
    assert laplace_epsilon(up=[np.inf, 1, 9], down=[1, np.inf, 9], epsilon=1, delta=1e-6).tolist()[:2] == [-np.inf, -np.inf]
    assert laplace_epsilon(up=9, down=9, epsilon=1, delta=1e-6) < 0
    with pytest.raises(ValueError, match="up must be at least 1, got 0.5"):
        laplace_epsilon(up=.5, down=1, epsilon=1, delta=1e-6)
    with pytest.raises(ValueError, match="down must be at least 1, got nan"):
        gaussian_noise_multiplier(up=1, down=[1, np.nan], epsilon=1, delta=1e-6)


# ------------------------------------------------------------------------------------------------- everything together


def rounded_up(certificates, sigma, step):
    """The same by losses rounded up to a grid, and nothing else: two atoms and a density between them."""
    mass, lowest = np.ones(1), 0
    for e in certificates:
        grid = np.arange(-round(e / step), round(e / step) + 1)
        share = np.exp(-(e - grid * step) / 2) / 2                                            # Pr[-e < L ≤ x] and the atom
        mine = np.r_[share[0], np.diff(share)]
        mine[-1] += .5
        mass, lowest = np.convolve(mass, mine), lowest + grid[0]
    left = 1 - step * (lowest + np.arange(mass.size))
    return mass @ mismatched_gaussian_delta(shift=1 / sigma, ratio=1, epsilon=left)


@pytest.mark.parametrize("certificates, sigma, golden", [([.25], 5.5, "5.47486e-07"), ([.25, .25], 7.75, "5.25139e-07")])
def test_all_losses_together(certificates, sigma, golden):
    assert f"{rounded_up(certificates, sigma, 1e-4):.5e}" == golden
    found = integrated_delta(sigma=sigma, up=1, down=1, epsilon=1, certificates=certificates, step=1e-4)
    assert rounded_up(certificates, sigma, 1e-4) * (1 - 1e-3) < found < rounded_up(certificates, sigma, 1e-4)
    loss = PrivacyLoss.from_gaussian(sigma=sigma, sensitivity=1)                              # the same two mechanisms, as one composition
    for certificate in certificates:
        loss = loss.compose(PrivacyLoss.from_laplace(epsilon=certificate))
    assert found == pytest.approx(loss.delta(1), rel=1e-5)


def test_the_two_totals():
    for sigma, certificates in [(5.52523, [.25]), (7.77177, [.25, .25]), (4.66587, [.1])]:
        assert integrated_delta(sigma=sigma, up=1, down=1, epsilon=1, certificates=certificates, step=1e-3) == pytest.approx(5e-7, rel=2e-3)
        pointwise = gaussian_noise_multiplier(up=1, down=1, epsilon=1 - sum(certificates), delta=5e-7)
        assert 1.01 < pointwise / sigma < 1.08                                                # what a pointwise guarantee costs
    fixed = dict(sigma=6, epsilon=1, certificates=[.25])
    steps = [integrated_delta(**fixed, up=1.005, down=1.005, step=h) for h in (1e-4, 1e-3, 1e-2)]
    assert steps[0] <= steps[1] <= steps[2] <= 1.01 * steps[0]
    assert integrated_delta(**fixed, up=1, down=1) < steps[0] < gaussian_delta(sigma=6, sensitivity=1, epsilon=.5)
    alone = gaussian_delta(sigma=6, sensitivity=1, epsilon=1)
    assert integrated_delta(sigma=6, up=1, down=1, epsilon=1, certificates=[]) == pytest.approx(alone)
