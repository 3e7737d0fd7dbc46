"""mean.laws: noise and clipping against 60-digit arithmetic."""

from itertools import product

import mpmath
import numpy as np
import pytest
from scipy.stats import binom, norm

from dplib.mean import clip_radius, noise_tail
from tests.chance import ALARM, rng


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
    for t, sd, scale in product([1e10, 1e200, 1e308], [0, 1e-300, 1e-10, 0.5], [0, 1e-320, 1e-180]):
        assert noise_tail(t, sd=sd, scale=scale) == 0 and noise_tail(-t, sd=sd, scale=scale) == 1
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


@pytest.mark.parametrize("call, named", [
    (lambda: noise_tail(np.nan, sd=1, scale=1), "t must be finite, got nan"),
    (lambda: noise_tail(1, sd=-1, scale=1), "sd must be finite and at least 0, got -1.0"),
    (lambda: noise_tail(1, sd=1, scale=np.inf), "scale must be finite and at least 0, got inf"),
    (lambda: clip_radius(size=0, beta=0.1), "size must be at least 1"),
    (lambda: clip_radius(size=1.5, beta=0.1), "size must hold integers, got 1.5"),
    (lambda: clip_radius(size=1, beta=1), "beta must be finite and above 0 and below 1, got 1.0"),
])
def test_laws_name_what_is_wrong(call, named):
    with pytest.raises(ValueError, match=named.replace("(", r"\(")):
        call()
