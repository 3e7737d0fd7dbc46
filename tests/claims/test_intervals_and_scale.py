"""The statements of the page on intervals and an unknown scale."""

import functools
import itertools
import math

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from dplib.audit import noise_distribution_test
from dplib.book.datasets import rand_visits
from dplib.mean import (
    bounded, bounded_mean_interval, coarse_failure_bound, inference, mean_interval, noise_tail, private_scale, scale_failure_bound,
    two_stage_mean, two_stage_mean_error_bound)
from tests.chance import FAR, LEVEL, laplace_cdf, standard_errors
from tests.claims import claim, page_function, to


# --- intervals ------------------------------------------------------------------------------------------------------

def two_stage_interval(half=lambda exact, n, b, answers: exact, split=.3, beta=1e-3, cut=True):
    """An interval with room for mistakes in its half-width."""
    def interval(x, *, radius, epsilon, level, runs=False, rng):
        n = x.shape[-1]
        b = 2 * (1.5 - ndtri(beta / 2 / n)) / (n * epsilon * (1 - split))
        given = dict(radius=radius, epsilon=epsilon, split=split, beta=beta)
        answers = two_stage_mean(x, **given, runs=True, rng=rng)
        h = half(two_stage_mean_error_bound(size=n, level=level, **given), n, b, answers)
        ends = np.stack([answers - h, answers + h], axis=-1)
        return np.clip(ends, -radius, radius) if cut else ends
    return interval


def at_eight_percent(exact, n, b, answers):
    t = np.linspace(0, 5, 20_001)
    return t[np.argmax(2 * noise_tail(t, sd=n**-.5, scale=b) <= .08)]


@claim("thm-mean-interval", mean_interval,
       mutants={"the textbook's half-width": two_stage_interval(lambda exact, n, b, answers: 1.96 / math.sqrt(n)),
                "the sampling error forgotten": two_stage_interval(lambda exact, n, b, answers: b * math.log(20)),
                "one tail for two": two_stage_interval(lambda exact, n, b, answers: exact * .84),
                "8% of failures allowed": two_stage_interval(at_eight_percent),
                "not cut off at the range": two_stage_interval(cut=False),
                "a width that depends on the data":
                    two_stage_interval(lambda exact, n, b, answers: exact * (1 + .1 * np.abs(answers % 1)))})
def test_coverage_and_width(interval):
    """Cover the mean in 20 000 runs in each of four settings, at both ends of the range and inside. Coverage must not
    be below the level by more than 6.5 standard errors, which is one percent; no interval may leave the range; and in a
    setting without cut-off all of them must have the same width, whatever the data.
    """
    rng, lowest = np.random.default_rng(1), 1.
    settings = (60, 8., 50., .95, 1.), (100, 5., 1e6, .9, -1.), (200, 2., 10., .95, .123), (60, 8., 3., .8, .97)
    for n, epsilon, radius, level, place in settings:
        mu, runs = place * radius, 20_000
        ends = interval(rng.normal(mu, 1, (runs, n)), radius=radius, epsilon=epsilon, level=level, runs=True, rng=rng)
        assert (np.abs(ends) <= radius).all() and (ends[:, 0] <= ends[:, 1]).all()
        covered = np.sum((ends[:, 0] <= mu) & (mu <= ends[:, 1]))
        assert standard_errors(covered, runs, level) > -FAR, (n, epsilon, radius, covered / runs)
        lowest = min(lowest, covered / runs - level)
        if abs(place) < .9:
            assert np.ptp(ends[:, 1] - ends[:, 0]) < 1e-9 and covered < runs
    nothing = interval(np.zeros((3, 5)), radius=7., epsilon=.1, level=.95, runs=True, rng=rng)
    assert (nothing == (-7, 7)).all()
    return f"coverage above the level by {lowest:+.4f} at least, in 80 000 runs"


def around(centre=two_stage_mean, spent=1.):
    """The interval of the package around another centre, or the same one with another budget."""
    def interval(x, *, radius, epsilon, level=.95, runs=False, rng):
        n = x.shape[-1]
        split, beta, half = inference._narrowest(n, radius, epsilon, level)
        answers = centre(x, radius=radius, epsilon=spent * epsilon, split=split, beta=beta, runs=True, rng=rng)
        return np.clip(np.stack([answers - half, answers + half], axis=-1), -radius, radius)
    return interval


@claim("thm-mean-interval", mean_interval,
       mutants={"the exact mean in the middle": around(lambda x, **given: x.mean(axis=-1)),
                "epsilon spent twice": around(spent=2.), "a tenth too little noise": around(spent=1.1),
                "all of epsilon in the second stage": around(lambda x, *, split, epsilon, **given: two_stage_mean(
                    x, split=.5, epsilon=2 * (1 - split) * epsilon, **given))})
def test_noise_of_the_middle(interval):
    """Take 50 000 intervals of the same data. With all records in one cell their middles are the mean plus the noise of
    the second stage; with 51 records in one cell and 50 in another they show how often the first stage chose which.
    Both distributions must be those of the split that the width was computed with.
    """
    rng, runs, n, radius = np.random.default_rng(6), 50_000, 101, 1000.
    split, beta, _ = inference._narrowest(n, radius, 8., .95)
    middle = interval(np.full((runs, n), .25), radius=radius, epsilon=8., level=.95, runs=True, rng=rng).mean(axis=1)
    scale = 2 * (1.5 - ndtri(beta / 2 / n)) / (n * 8. * (1 - split))
    p = noise_distribution_test(middle - .25, lambda z: laplace_cdf(z, scale)).pvalue
    assert p > LEVEL, p

    x = np.repeat([.5, 700.5], [51, 50])
    middle = interval(np.broadcast_to(x, (runs, n)), radius=radius, epsilon=8., level=.95, runs=True, rng=rng).mean(axis=1)
    weight = np.array([1, np.exp(-split * 8. / 2)])
    weight /= weight.sum()
    off = [standard_errors(np.sum(np.abs(middle - place) < 50), runs, w) for place, w in zip((.5, 700.5), weight, strict=True)]
    assert np.abs(off).max() < FAR, (off, weight)
    return f"p-value {p:.2g} for the noise; the first stage within {np.abs(off).max():.1f} standard errors of its distribution"


@functools.cache                        # every run of the check compares with the same half-widths
def narrowest(n, radius, epsilon, level, failures=True, once=False):
    """The statement, minimised by brute force over splits and betas: the least half-width that it proves."""
    split, beta = np.linspace(.02, .98, 49), (1 - level) * np.geomspace(1e-4, .5, 25)[:, np.newaxis]
    b = 2 * (1.5 - ndtri(beta / 2 / n)) / (n * epsilon * (1 - split))
    left = 1 - level - beta - failures * coarse_failure_bound(size=n, radius=radius, epsilon=split * epsilon)
    low, high = np.zeros(b.shape), np.full(b.shape, 50.)
    for _ in range(50):
        middle = (low + high) / 2
        above = (1 if once else 2) * noise_tail(middle, sd=n**-.5, scale=b) > left
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.where(left > 0, high, np.inf).min()


def of_half_width(factor=1., **mistake):
    """An interval around 0, as wide as brute force says, with room for mistakes."""
    def interval(x, *, radius, epsilon, level, runs=False, rng):
        return factor * narrowest(x.shape[-1], radius, epsilon, level, **mistake) * np.array([[-1, 1]])
    return interval


@claim("thm-mean-interval", mean_interval,
       mutants={"failures of the coarse stage not counted": of_half_width(failures=False),
                "one tail only": of_half_width(once=True), "10% wider than need be": of_half_width(factor=1.1)})
def test_the_half_width_is_the_one_of_the_statement(interval):
    """Compare the half-width with the least one that the statement proves, found by brute force over 1225 splits and
    betas with the exact tail on a fine grid. They agree within 1%.
    """
    off = 0
    for n, radius, epsilon, level in ((1000, 100., .5, .95), (300, 1e4, 1., .9), (3000, 10., .1, .99)):
        brute = narrowest(n, radius, epsilon, level)
        ends = interval(np.zeros((1, n)), radius=radius, epsilon=epsilon, level=level, runs=True, rng=np.random.default_rng(0))
        ours = np.ptp(ends) / 2
        off = max(off, abs(ours / brute - 1))
        assert off < .01, (n, radius, epsilon, ours, brute)
    return f"half-widths of the interval and by brute force agree {to(off)}"


# --- the scale: privacy ---------------------------------------------------------------------------------------------

def exact_threshold(epsilon, delta):
    return 1 + 2 / epsilon * math.log(1 / (2 * delta))


def scale(threshold=exact_threshold, noise=1., overlapping=False, octave=2, ties=False):
    """A private scale with room for mistakes."""
    def private(x, *, epsilon, delta, runs=False, rng):
        x = x[..., :x.shape[-1] // 2 * 2]
        difference = np.abs(np.diff(x, append=x[..., :1]) if overlapping else x[..., 1::2] - x[..., ::2])
        with np.errstate(divide="ignore"):
            label = np.floor(np.log2(difference / math.sqrt(2)))
        label[label == -np.inf] = label[label > -np.inf].min(initial=0) - 1 if ties else -np.inf
        top = label.max(axis=-1, keepdims=True)
        below = np.subtract(top, label, out=np.full(label.shape, -1.), where=label > -np.inf)        # -1: an equal pair
        counts = (below[..., np.newaxis] == np.arange(below.max() + 1)).sum(axis=-2)
        if counts.size == 0:
            return np.full(x.shape[:-1], np.nan)
        noisy = counts + rng.laplace(scale=noise * 2 / epsilon, size=counts.shape)
        noisy = np.where((counts > 0) & (noisy > threshold(epsilon, delta)), noisy, -np.inf)
        return np.where(np.isinf(noisy.max(axis=-1)), np.nan, 2. ** (top[..., 0] - noisy.argmax(axis=-1) + octave))
    return private


@claim("thm-private-scale", private_scale,
       mutants={"half the noise": scale(noise=.5), "no threshold": scale(threshold=lambda epsilon, delta: 0.),
                "a threshold without its delta": scale(threshold=lambda epsilon, delta: 1 + 2 / epsilon * math.log(2)),
                "overlapping pairs": scale(overlapping=True), "equal pairs as an octave of their own": scale(ties=True),
                "the octave itself in place of a bound for sigma": scale(octave=0)})
def test_scale_on_neighbours(private):
    """Release the scale 200 000 times on neighbours that differ in one record. An octave that only one record makes is
    named with probability delta, exactly, up to 6.5 standard errors; and no set of outputs is more likely by more than
    the factor e^epsilon plus delta on either side, for a record that moves its pair from the first octave to the
    second.
    """
    rng, runs, epsilon, delta = np.random.default_rng(2), 200_000, 1., .05

    def named(x):
        y = private(np.broadcast_to(np.array(x), (runs, len(x))), epsilon=epsilon, delta=delta, runs=True, rng=rng)
        return {value: np.mean(y == value) for value in (4., 8., 16., 32., 64.)} | {None: np.mean(np.isnan(y))}
    root = math.sqrt(2) * 1.1
    lone = named([5., 5., 7., 7., 0., 2 * root])
    assert abs(standard_errors(lone[8.] * runs, runs, delta)) < FAR and abs(lone[8.] + lone[None] - 1) < 1e-12, lone
    assert named([5., 5., 7., 7., 3., 3.])[None] == 1
    here, there = [0., 2 * root] * 4 + [0., 8 * root] * 4, [0., 2 * root] * 5 + [0., 8 * root] * 3
    p, q = named(here), named(there)
    for a, b in itertools.permutations((p, q)):
        for S in ([8.], [32.], [None], [8., None], [32., None]):
            first, second = (sum(law[s] for s in S) for law in (a, b))
            error = math.sqrt((first + math.exp(2 * epsilon) * second) / runs)
            assert first <= math.exp(epsilon) * second + delta + FAR * error, (S, first, second)
    assert p[8.] + p[32.] > .2
    return f"a lone octave named with probability {lone[8.]:.4f}, delta is {delta}"


# --- the scale: utility ---------------------------------------------------------------------------------------------

def masses(u, octaves=np.arange(-45, 9)):
    """The statement: p_k(u)."""
    return 2 * (ndtr(2. ** (octaves + 1 - u)) - ndtr(2. ** (octaves - u)))


def least(right=(-1, 0, 1)):
    """The least mass of the fullest right octave, and its least lead over all wrong ones."""
    octaves = np.arange(-45, 9)
    good = np.isin(octaves, right)
    p = masses(np.linspace(0, 1, 20_001)[:, np.newaxis])
    return p[:, good].max(axis=1).min(), (p[:, good].max(axis=1) - p[:, ~good].max(axis=1)).min()


octave_masses = page_function("intervals-and-scale", "octave_masses")


@claim("thm-private-scale", octave_masses, lambda: (.2895, .1142),
       mutants={"differences not divided by the root of 2": (lambda u: octave_masses(u - .5), lambda: (.2895, .1142)),
                "the lead of four octaves": (octave_masses, lambda: (.2895, .1982)),
                "the mass of the octave of sigma": (octave_masses, lambda: (.3173, .1142)),
                "one side of the normal distribution": (lambda u: octave_masses(u) / 2, lambda: (.2895, .1142))})
def test_octaves_of_normal_pairs(law, constants):
    """Label a million pairs of normal records at five places of sigma in its octave, and compare the shares of octaves
    with the formula, up to 6.5 standard errors. On a grid of 20 001 places, between which they change by less
    than 2e-5, the least mass and the least lead of the fullest right octave are the two constants, rounded down in the
    fourth digit, by more than that.
    """
    rng, octaves, worst = np.random.default_rng(3), octave_masses.__globals__["OCTAVE"], 0
    for u in (0., .2, .5, .7, .99):
        x = 2.**u * rng.normal(100, 1, (2, 200_000))
        label = np.floor(np.log2(np.abs(x[1] - x[0]) / math.sqrt(2)))
        for k in range(-4, 3):
            p = law(u)[octaves == k][0]
            worst = max(worst, abs(standard_errors(np.sum(label == k), 200_000, p)))
    assert worst < FAR
    for value, stated in zip(least(), constants()):
        assert 2e-5 < value - stated < 1e-4, (value, stated)
    return f"shares within {worst:.1f} standard errors; least mass {least()[0]:.5f}, least lead {least()[1]:.5f}"


@functools.cache
def failure(*, size, epsilon, delta, T=None, both=True, factor=1.):
    """The statement: F_sc, by brute force, with room for mistakes."""
    m = size // 2
    b, octaves, worst = 2 / epsilon, np.arange(-45, 9), 0.
    T = 1 + b * math.log(1 / (2 * delta)) if T is None else T
    theta = np.linspace(.01, .99, 99)[:, np.newaxis] / b
    for u in np.linspace(0, .999, 31):
        p = masses(u)
        good = np.abs(octaves) <= 1
        top, other = p[good].max(), p[~good]
        noise, down, up = -np.log1p(-(theta * b) ** 2), top * np.expm1(-theta), other * np.expm1(theta)
        hidden = both * np.exp((theta * T + m * np.log1p(down) + noise).min())
        beaten = np.exp(np.minimum(m * np.log1p(up + down) + 2 * noise, 5).min(axis=0))
        worst = max(worst, hidden + np.minimum(-np.expm1(m * np.log1p(-other)), beaten).sum())
    return factor * min(worst, 1.)


@claim("thm-private-scale", private_scale, scale_failure_bound,
       mutants={"an octave too low": (scale(octave=1), scale_failure_bound),
                "two octaves too high": (scale(octave=4), scale_failure_bound),
                "a refusal not counted": (private_scale, functools.partial(failure, both=False)),
                "no threshold in the bound": (private_scale, functools.partial(failure, T=0.)),
                "a hundredth too small": (private_scale, functools.partial(failure, factor=.99))})
def test_scales_over_a_hundred_powers_of_ten(private, bound):
    """Draw sigma over a hundred powers of ten, 2000 runs in each of five settings, and count refusals and scales
    outside (sigma, 8 sigma]. They must be no more frequent than the bound, up to 6.5 standard errors. The bound itself
    must agree within a part in a thousand with a brute-force evaluation of the statement.
    """
    rng, told = np.random.default_rng(4), []
    for n, epsilon, delta in ((800, .5, 1e-6), (601, .5, 1e-3), (300, 1., 1e-4), (100, 4., 1e-6), (2000, .1, 1e-9)):
        sigma = 10. ** rng.uniform(-50, 50, (2000, 1))
        ratio = private(rng.normal(7, 1, (2000, n)) * sigma, epsilon=epsilon, delta=delta, runs=True, rng=rng) / sigma[:, 0]
        failed = np.mean(~((ratio > 1) & (ratio <= 8)))
        F = bound(size=n, epsilon=epsilon, delta=delta)
        assert abs(F / failure(size=n, epsilon=epsilon, delta=delta) - 1) < 1e-3, (n, epsilon, delta, F)
        assert failed <= F + FAR * math.sqrt(F / 2000) + 1e-9, (n, epsilon, delta, failed, F)
        told.append((failed, F))
    return "failures and bounds: " + ", ".join(f"{failed:.4f} ≤ {F:.4f}" for failed, F in told)


# --- any law --------------------------------------------------------------------------------------------------------

def excess(x, p, m, B):
    """The statement: E (|X - m| - B)_+."""
    return p @ np.maximum(np.abs(x - m) - B, 0)


def by_variance(s, shift, B):
    """The statement: (s^2 + (mu - m)^2) / 4B."""
    return (s**2 + shift**2) / (4 * B)


@claim("prop-clip-target", excess, by_variance,
       mutants={"half of it": (lambda *law: excess(*law) / 2, by_variance),
                "one side only": (lambda x, p, m, B: p @ np.maximum(x - m - B, 0), by_variance),
                "8B in place of 4B": (excess, lambda s, shift, B: by_variance(s, shift, B) / 2),
                "the distance of the centre forgotten": (excess, lambda s, shift, B: by_variance(s, 0, B)),
                "a bound that nothing attains": (excess, lambda s, shift, B: 2 * by_variance(s, shift, B))})
def test_bias_of_any_law(excess, by_variance):
    """Compute the bias of clipping exactly for 20 000 discrete distributions, skew and heavy ones among them, with
    random centres and windows. It is never above the first bound, nor the first above the second; a distribution on two
    points attains both.
    """
    rng, closest = np.random.default_rng(5), 0.
    for k in range(20_000):
        x, p = rng.standard_cauchy(4) if k % 2 else rng.exponential(size=4) * 5, rng.dirichlet(np.full(4, .4))
        mu, m, B = p @ x, rng.normal(p @ x, 3), rng.uniform(.1, 6)
        bias = abs(m + p @ np.clip(x - m, -B, B) - mu)
        first, second = excess(x, p, m, B), by_variance(math.sqrt(p @ (x - mu) ** 2), mu - m, B)
        scale = 1e-9 * (1 + np.abs(x).max() ** 2)
        assert bias <= first + scale and first <= second + scale, (k, bias, first, second)
        closest = max(closest, bias / first if first > 1e-6 else 0)
    for q in (.1, .5):
        x, p, B = np.array([0., 2.]), np.array([1 - q, q]), 1.
        bias = abs(p @ np.clip(x, -B, B) - 2 * q)
        assert abs(bias - by_variance(2 * math.sqrt(q * (1 - q)), 2 * q, B)) < 1e-12
    return f"largest bias over bound {closest:.4f}; both attained on two points"


# --- an interval without a normal distribution ----------------------------------------------------------------------

UNIT = 2.0**-37


def two_sums(first=lambda x: x - .5, second=lambda x: x * (1 - x) - .125):
    """Two sums in units, each around the middle of its range, of other functions of a record."""
    return lambda x, window: np.rint(np.stack([first(x).sum(axis=-1), second(x).sum(axis=-1)]) / UNIT)


@claim("lem-free-moment", bounded._sums,
       mutants={"the square in place of x(1 - x)": two_sums(second=lambda x: x * x - .5),
                "an eighth more of x(1 - x)": two_sums(second=lambda x: 1.125 * x * (1 - x) - .14),
                "the standard deviation of a coin": two_sums(second=lambda x: np.sqrt(x * (1 - x)) - .25),
                "x at half its size": two_sums(first=lambda x: x / 2 - .25)})
def test_what_one_record_moves(sums):
    """Replace one record by another, for all pairs of 400 places, and add up what both sums move by. That is never more
    than 1, up to the unit of the program, and it is 1 from end to end.
    """
    places = np.append(np.linspace(0, 1, 200), np.random.default_rng(8).uniform(size=200))
    moments = sums(places[:, np.newaxis], bounded.Tally.of(1, .5)) * UNIT
    moved = np.abs(moments[:, :, np.newaxis] - moments[:, np.newaxis]).sum(axis=0)
    assert 1 - 1e-9 < moved.max() <= 1 + UNIT, moved.max()
    return f"at most {moved.max():.6f}"


def log_capital(psi=lambda stake: -stake - math.log1p(-stake), priced=(1, 1),
                spread=lambda S, Q, m, n: S - Q - 2 * m * S + n * m * m):
    """The statement: the logarithm of the capital, with room for mistakes."""
    def capital(m, S, Q, stake, *, size, scale):
        S = np.minimum(S, size)
        a, V = stake - psi(stake) * (1 - 2 * m), np.maximum(spread(S, Q, m, size), 0)
        price = priced[0] * np.log1p(-(scale * a) ** 2) + priced[1] * np.log1p(-(scale * psi(stake)) ** 2)
        return stake * (S - size * m) - psi(stake) * V + price
    return capital


def laplace_quadrature(scale, points, reach=6.4):
    """Places and weights for means over Laplace noise, far out as well."""
    t = np.linspace(-reach, reach, points)
    z = np.sinh(t)
    weight = np.exp(-np.abs(z)) / 2 * np.cosh(t) * (t[1] - t[0])
    return scale * z, weight


def over_noise(capital, m, S, Q, n, stake, scale):
    """The mean of the capital over the noise of both sums."""
    (first, w), (second, v) = laplace_quadrature(scale, 481), laplace_quadrature(scale, 121, reach=5)
    return w @ np.exp(capital(m, S + first[:, np.newaxis], Q + second, stake, size=n, scale=scale)) @ v


def mean_capital(capital, low, high, chance, n, stake, scale):
    """The mean of the capital over the noise and n records, each of which is high with this chance, or else low."""
    mean, total = low + chance * (high - low), 0.
    for highs in range(n + 1):
        probability = binom.pmf(highs, n, chance)
        if probability > 1e-9:
            S = n * low + highs * (high - low)
            Q = n * low * (1 - low) + highs * (high * (1 - high) - low * (1 - low))
            total += probability * over_noise(capital, mean, S, Q, n, stake, scale)
    return total


@claim("thm-bounded-interval", bounded._log_capital,
       mutants={"the noise of S has no price": log_capital(priced=(0, 1)),
                "the noise of Q has no price": log_capital(priced=(1, 0)),
                "half the square of the stake for psi": log_capital(psi=lambda stake: stake**2 / 2),
                "the variance of a coin left out": log_capital(spread=lambda S, Q, m, n: Q),
                "no room for the variance": log_capital(spread=lambda S, Q, m, n: 0 * S * Q)})
def test_a_bet_against_the_mean_does_not_win_on_average(capital):
    """Compute the mean capital of a bet against the true mean, for six distributions on two points, two stakes and
    three scales of the noise, by enumeration of the records and quadrature over the noise: it is at most 1 up to the
    quadrature, a part in a thousand. Where no noise leaves the range of the sums, noise changes the mean by no more
    than that. The capital falls as m grows, on a grid of m, S and Q far outside what records
    alone can make of them.
    """
    most = 0.
    for law in ((0, 1, .9, 1), (0, 1, .1, 3), (0, 1, .5, 6), (.3, .3, 1, 6), (.5, 1, .3, 9), (0, 1, .98, 300)):
        for stake, scale in ((.5, .01), (.5, 1.2), (.2, 3.)):
            most = max(most, mean_capital(capital, *law, stake, scale))
            far = over_noise(capital, .5, 600, 100, 1000, stake, scale) / np.exp(capital(.5, 600, 100, stake, size=1000, scale=0.))
            assert abs(far - 1) < 1e-3, (stake, scale, far)
    assert .9 < most < 1.001, most
    m, S, Q = np.linspace(0, 1, 101), np.linspace(-20, 30, 26)[:, np.newaxis], np.linspace(-9, 9, 19)[:, np.newaxis, np.newaxis]
    for stake in (.02, .5):
        assert np.all(np.diff(capital(m, S, Q, stake, size=10, scale=1.3), axis=-1) < 0)
    return f"mean capital at most {most:.4f}"


def betting(capital=log_capital(), sides=2, spread=1., textbook=False):
    """The interval of the statement, in floats and with noise of NumPy, with room for mistakes."""
    def interval(x, *, bounds, epsilon, level=.95, runs=True, rng):
        lo, hi = bounds
        y, n, b = (np.clip(x, lo, hi) - lo) / (hi - lo), x.shape[-1], 1 / epsilon
        S, Q = (z.sum(axis=-1) + rng.laplace(scale=b, size=len(x)) for z in (y, y * (1 - y)))
        if textbook:
            s = np.sqrt(np.maximum(S / n - Q / n - (S / n) ** 2, 0) / n + 2 * (b / n) ** 2)
            return lo + (hi - lo) * np.stack([S / n - 1.96 * s, S / n + 1.96 * s], axis=-1)
        failing = (1 - level) / sides
        top, bottom = min(.5, 2 / (3 * b)), math.sqrt(8 * math.log(1 / failing) / n)
        stakes = [top / 2**k for k in range(60) if k == 0 or top / 2**k >= bottom]
        m, ends = np.linspace(0, 1, 2001)[:, np.newaxis], []
        for sums in (S, n - S):
            won = sum(np.exp(capital(m, sums, Q, stake, size=n, scale=b)) for stake in stakes) / len(stakes)
            ends.append(np.maximum(np.sum(won >= 1 / failing, axis=0) - 1, 0) / 2000)
        middle, half = (ends[0] + 1 - ends[1]) / 2, spread * (1 - ends[1] - ends[0]) / 2
        return lo + (hi - lo) * np.stack([middle - half, middle + half], axis=-1)
    return interval


@claim("thm-bounded-interval", bounded_mean_interval,
       mutants={"the textbook's interval, noise included": betting(textbook=True),
                "the noise of S has no price": betting(log_capital(priced=(0, 1))),
                "half as wide": betting(spread=.5), "one side only": betting(sides=1), "no room for the variance": betting(
                    log_capital(spread=lambda S, Q, m, n: 0 * S * Q))})
def test_coverage_of_any_distribution(interval):
    """Draw 400 samples in each of five settings: visits to a doctor, ones that are rare, zeros that are rare, coins,
    and coins with noise that is larger than their sampling error. The mean is covered at least as often as promised, up to 6.5 standard
    errors; and the mean width is that of the statement, evaluated on a grid of 2001 places with NumPy's noise, up to
    8%.
    """
    rng, told = np.random.default_rng(9), []
    reference, visits = betting(), rand_visits()
    for n, epsilon, bounds, p in ((1000, 1., (0, 80), None), (300, 3., (0, 1), .004), (300, 3., (0, 1), .996), (500, 1., (0, 1), .5),
                                  (300, .1, (0, 1), .5)):
        x = rng.choice(visits, (400, n)) if p is None else (rng.uniform(size=(400, n)) < p).astype(float)
        mean = visits.mean() if p is None else p
        ends = interval(x, bounds=bounds, epsilon=epsilon, runs=True, rng=rng)
        covered = np.sum((ends[:, 0] <= mean) & (mean <= ends[:, 1]))
        assert standard_errors(covered, 400, .95) > -FAR, (n, epsilon, p, covered / 400)
        ratio = np.ptp(ends, axis=1).mean() / np.ptp(reference(x, bounds=bounds, epsilon=epsilon, rng=rng), axis=1).mean()
        assert abs(ratio - 1) < .08, (n, epsilon, p, ratio)
        told.append(covered / 400)
    return "coverage " + ", ".join(f"{share:.3f}" for share in told)
