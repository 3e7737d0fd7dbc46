"""The statements of the page on the adaptive mean."""

import functools
import itertools
import math

import numpy as np
from scipy.special import ndtr

from dplib.audit import noise_distribution_test
from dplib.mean import (
    adaptive_mean, adaptive_mean_error_bound, adaptive_plan, clipped_normal_mean, median_failure_bound, noise_tail, unclip)
from tests.chance import FAR, LEVEL
from tests.claims import claim, to


def normal_density(z):
    return np.exp(-z * z / 2) / math.sqrt(2 * math.pi)


def clip_mean(d, a):
    """g_a(d) by its defining integral, 1 - F integrated over the window."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    return -a + (a * weights * ndtr(np.asarray(d)[..., np.newaxis] - a * nodes)).sum(axis=-1)


# --- the law of the centre ------------------------------------------------------------------------------------------

def centre_law(x, radius, epsilon):
    """The statement: ends of the intervals without a record inside, and the probability of each."""
    ends = np.concatenate([[-radius], np.sort(np.clip(x, -radius, radius)), [radius]])
    loss = np.abs(np.arange(len(x) + 1) - len(x) / 2)
    mass = np.diff(ends) * np.exp(-epsilon / 2 * (loss - loss.min()))
    return ends, mass / mass.sum()


def centre_law_without_the_half(x, radius, epsilon):
    return centre_law(x, radius, 2 * epsilon)


def centre_law_between_the_records(x, radius, epsilon):
    ends, mass = centre_law(x, radius, epsilon)
    mass[[0, -1]] = 0
    return ends, mass / mass.sum() if mass.sum() > 0 else np.full(mass.size, 1 / mass.size)


def centre_law_of_most_records(x, radius, epsilon):
    """Measured from a public 0 and without the records at the ends of the range."""
    return centre_law([v for v in x if abs(v) < radius] or [0.], radius, epsilon)


@claim("thm-adaptive-privacy", centre_law,
       mutants={"without the half": centre_law_without_the_half,
                "10% too steep": lambda x, radius, epsilon: centre_law(x, radius, 1.1 * epsilon),
                "the range of the data in place of R": centre_law_between_the_records,
                "records at the ends of the range left out": centre_law_of_most_records,
                "flatter than it need be": lambda x, radius, epsilon: centre_law(x, radius, .9 * epsilon)})
def test_centre_on_all_neighbours(law):
    """Compute the distribution of the centre exactly on all data sets of two to five records on six places, and compare
    each with all its neighbours, interval by interval. No log-ratio is above epsilon, and one comes within 1% of it:
    nothing is wasted either.
    """
    radius, epsilon, worst, pairs = 1., .7, 0., 0
    places = (-1., -1 + 1e-4, 0., .5, .5 + 1e-4, 1.)
    grid = np.unique(places)

    def masses(x):
        ends, mass = law(list(x), radius, epsilon)
        solid = np.append(np.diff(ends) > 0, True)
        heights = np.concatenate([[0], np.cumsum(mass)])
        return np.maximum(np.diff(np.interp(grid, ends[solid], heights[solid])), 1e-30)

    for n in (2, 3, 5):
        for rest in itertools.combinations_with_replacement(places, n - 1):
            laws = np.log([masses((*rest, value)) for value in places])
            spread = (laws.max(axis=0) - laws.min(axis=0)).max()
            assert spread <= epsilon * (1 + 1e-9), (rest, spread)
            worst, pairs = max(worst, spread), pairs + len(places) * (len(places) - 1) // 2
    assert worst >= .99 * epsilon
    return f"largest log-ratio {worst / epsilon:.4f} epsilon over {pairs} pairs of neighbours"


# --- the code -------------------------------------------------------------------------------------------------------

def adaptive(half=.5, noise=1., window=1., charged=True, coarse=1.):
    """An adaptive mean with room for mistakes."""
    def mean(x, *, radius, epsilon, beta=.01, runs=False, rng):
        n = x.shape[-1]
        plan = adaptive_plan(size=n, radius=radius, epsilon=epsilon, beta=beta)
        steep, fine = coarse * plan.epsilon_coarse, plan.epsilon_fine if charged else epsilon
        inner = np.sort(np.clip(x, -radius, radius))
        ends = np.pad(inner, [(0, 0), (1, 1)], constant_values=[(0, 0), (-radius, radius)])
        with np.errstate(divide="ignore"):
            score = np.log(np.diff(ends)) - half * steep * np.abs(np.arange(n + 1) - n / 2)
        gap = (score + rng.gumbel(size=score.shape)).argmax(axis=-1)[:, np.newaxis]
        low, high = (np.take_along_axis(ends, gap + k, axis=-1)[:, 0] for k in (0, 1))
        c = rng.uniform(low, high)
        if plan.stages == 1:
            return c
        a = plan.half_width
        seen = np.clip(x - c[:, np.newaxis], -window * a, window * a).mean(axis=-1)
        seen += rng.laplace(scale=noise * 2 * a / (n * fine), size=c.shape)
        return np.clip(c + unclip(seen, a), -radius, radius)
    return mean


def cdf_of_centre(x, radius, epsilon):
    ends, mass = centre_law(x, radius, epsilon)
    solid = np.append(np.diff(ends) > 0, True)
    return lambda y: np.clip(np.interp(y, ends[solid], np.concatenate([[0], np.cumsum(mass)])[solid]), 0, 1)


def cdf_of_answer(x, radius, plan):
    """Integrate the law of the answer for each centre over the law of the centre."""
    edges = np.linspace(-radius, radius, 4001)
    centre, weight = (edges[1:] + edges[:-1]) / 2, np.diff(cdf_of_centre(x, radius, plan.epsilon_coarse)(edges))
    centre, weight, a = centre[weight > 1e-10], weight[weight > 1e-10], plan.half_width
    seen, b = np.clip(np.asarray(x)[:, np.newaxis] - centre, -a, a).mean(axis=0), 2 * a / len(x) / plan.epsilon_fine
    y = weight @ centre + 2 * radius * np.sinh(np.linspace(-7, 7, 400)) / math.sinh(7)
    away, offsets = y[:, np.newaxis] - centre, np.linspace(-3, 3, 3001)
    z = (np.interp(away, offsets, clip_mean(offsets, a)) - seen) / b
    below = np.where(z < 0, np.exp(-np.abs(z)) / 2, 1 - np.exp(-np.abs(z)) / 2)
    heights = np.where(away < -3, 0, np.where(away >= 3, 1, below)) @ weight / weight.sum()
    return lambda value: np.clip(np.interp(value, y, heights), 0, 1)


@claim("thm-adaptive-privacy", adaptive_mean,
       mutants={"the half in the exponent forgotten": adaptive(half=1.),
                "the swap factor 2 forgotten": adaptive(noise=.5), "10% too little noise": adaptive(noise=.9),
                "a clip wider than its noise": adaptive(window=1.3),
                "the centre not charged": adaptive(charged=False), "a centre of 20% more": adaptive(coarse=1.2)})
def test_outputs_follow_the_private_law(estimator):
    """Run it 40 000 times on each of four data sets, ties and outliers among them, and compare with the exact
    distribution of the statement for budgets that add up to epsilon: the density of the centre, Laplace noise for a
    clip to ±a, and the inverse of its mean. A right distribution is rejected less than once in 10^7. With 10% too
    little noise the p-value is below 10^-20 in one of the data sets.
    """
    rng, least = np.random.default_rng(1), 1.
    cases = [([.3, -1., 2., 2.5], 5., 1.5), ([1.] * 4 + [-2., -2., 7., 90.], 5., 1.),
             ([*np.random.default_rng(3).normal(2, 1, 26), -9., -4., 7., 30.], 10., 4.),
             ([*[.5] * 9, 2., 2., -3.], 4., 9.)]
    for x, radius, epsilon in cases:
        plan = adaptive_plan(size=len(x), radius=radius, epsilon=epsilon)
        assert plan.epsilon_coarse + plan.epsilon_fine <= epsilon * (1 + 1e-12)
        y = estimator(np.tile(x, (40_000, 1)), radius=radius, epsilon=epsilon, runs=True, rng=rng)
        law = cdf_of_centre(x, radius, epsilon) if plan.stages == 1 else cdf_of_answer(x, radius, plan)
        pvalue = noise_distribution_test(y[np.abs(y) < radius] if plan.stages == 2 else y, law).pvalue
        assert np.mean(np.abs(y) >= radius) < 1e-3 and pvalue > LEVEL, (len(x), epsilon, plan.stages, pvalue)
        least = min(least, pvalue)
    return f"160 000 outputs follow the distributions, least p-value {least:.2g}"


# --- what a clip sees -----------------------------------------------------------------------------------------------

def error_from(h, eta, a):
    """The statement."""
    return unclip(clipped_normal_mean(h, a) + eta, a) - h


@claim("lem-clip-mean", clipped_normal_mean, error_from,
       mutants={"no correction": (lambda d, a: np.clip(d, -a, a), error_from),
                "phi left out": (lambda d, a: (d + a) * ndtr(d + a) - (d - a) * ndtr(d - a) - a, error_from),
                "the slope at 0 everywhere": (lambda d, a: d * (2 * ndtr(a) - 1), error_from),
                "the error at the centre in place of the edge": (clipped_normal_mean, lambda h, eta, a: unclip(eta, a)),
                "one half of the error": (clipped_normal_mean, lambda h, eta, a: error_from(h, eta, a) / 2)})
def test_clip_and_its_inverse(mean, error):
    """Compare the formula with an integral at 25 offsets for six half-widths, check its shape, and search the worst
    error of the inverse over offsets up to h and observations up to eta off, on a fine grid. It is never above the
    stated one, and attains it.
    """
    off, grid = 0., np.linspace(-3, 3, 25)
    for a in (.5, .8, 1.3, 2., 2.7, 5.):
        seen = mean(grid, a)
        off = max(off, np.abs(seen - clip_mean(grid, a)).max())
        assert off < 1e-10 and np.allclose(seen, -seen[::-1], atol=1e-12) and (np.diff(seen) > 0).all()
        assert (np.diff(seen[12:], 2) <= 1e-12).all(), a
        assert np.allclose(unclip(seen, a), grid, atol=1e-7)
        for h, eta in itertools.product((.1, .5, 1.2), (.01, .1)):
            if mean(h, a) + eta < mean(3., a):
                d = np.linspace(-h, h, 201)[:, np.newaxis]
                y = mean(d, a) + eta * np.linspace(-1, 1, 41)
                worst = np.abs(unclip(y, a) - d).max()
                assert abs(worst - error(h, eta, a)) < 1e-6, (a, h, eta)
    return f"mean right {to(off)}, error of the inverse attained at the edge"


# --- the centre misses ----------------------------------------------------------------------------------------------

@functools.cache
def miss_bound(n, h, radius, epsilon, sides=2, second=True, far=True, theta_over_epsilon=.5, average=True):
    """The statement with room for mistakes, by brute force: midpoints in z_0, panels in z, every h_0 of a list."""
    if h >= 2 * radius:
        return 0.
    theta = theta_over_epsilon * epsilon
    nodes, weights = np.polynomial.legendre.leggauss(8)
    edges = h + (8 - h) * np.concatenate([[0], np.geomspace(1e-6, 1, 40)])
    half = np.diff(edges)[:, np.newaxis] / 2
    z, length = np.append((edges[:-1, np.newaxis] + half + half * nodes).ravel(), 8.), (half * weights).ravel()
    best = 1.
    for h0 in h * np.geomspace(.02, 1, 40):
        start = h0 * ((np.arange(40) + .5) / 40 if average else np.ones(1))[:, np.newaxis]
        F0, D = ndtr(start), ndtr(z) - ndtr(start)
        with np.errstate(over="ignore"):
            A = (1 - D * (1 - np.exp(-theta))) ** n
            A = A + second * (F0 * np.exp(-theta) + D + ndtr(-z) * np.exp(theta)) ** n
        bar = A.mean(axis=0) / h0
        best = min(best, sides * (bar[:-1] @ length) + far * 2 * radius * bar[-1])
    return best


def bound_with(**mistake):
    return lambda *, size, accuracy, radius, epsilon: miss_bound(size, accuracy, radius, epsilon, **mistake)


@claim("thm-median-failure", median_failure_bound,
       mutants={"one side only": bound_with(sides=1), "the shoulders forgotten": bound_with(far=False),
                "one of the two terms of Λ forgotten": bound_with(second=False),
                "the exponent without its half": bound_with(theta_over_epsilon=1.),
                "z_0 = h_0 in place of the average": bound_with(average=False)})
def test_misses_of_the_centre(bound):
    """Compute the probability that the centre misses exactly for each of 400 samples, average it, and compare with the
    bound at 25 combinations of people, range and distance. It must not be exceeded by more than 6.5 standard errors.
    The bound itself must agree within 2% with a brute-force evaluation of the statement.
    """
    rng, tightest, judged = np.random.default_rng(2), np.inf, 0
    settings = (1000, 1e3, .1, .3), (1000, 10., .045, 1.), (200, 1e6, .5, 0.), (40, 5., 1., -1.), (100, 10., 2., 0.)
    for n, radius, epsilon, place in settings:
        exact = []
        for _ in range(400):
            ends, mass = centre_law(rng.normal(place * radius, 1, n), radius, epsilon)
            solid = np.append(np.diff(ends) > 0, True)
            heights = np.concatenate([[0], np.cumsum(mass)])[solid]
            at = place * radius + np.outer((-1, 1), (.15, .3, .6, 1., 2.))
            low, high = np.interp(at, ends[solid], heights)
            exact.append(1 - high + low)
        chance, error = np.mean(exact, axis=0), np.std(exact, axis=0) / 20
        for h, p, e in zip((.15, .3, .6, 1., 2.), chance, error):
            claimed = float(bound(size=n, accuracy=h, radius=radius, epsilon=epsilon))
            brute = miss_bound(n, h, radius, epsilon)
            assert p <= claimed + FAR * e, (n, radius, epsilon, h, p, claimed)
            assert abs(claimed / brute - 1) < .02, (n, radius, epsilon, h, claimed, brute)
            judged += claimed < 1
            tightest = min(tightest, claimed / p) if claimed < 1 and p > 1e-4 else tightest
    assert bound(size=10, accuracy=2., radius=1., epsilon=1.) == 0
    return f"{judged} bounds below 1, none exceeded; the tightest is {tightest:.1f} times the truth"


# --- how far off the answer is --------------------------------------------------------------------------------------

def moved(h, deviation):
    """The statement: what moving the centre by h can do."""
    return 2 * h * deviation


def dominated(s, n):
    """The statement: the tail of the clipped mean around the true mean."""
    return 2 * ndtr(-s * math.sqrt(n))


def clipped_tail(n, a, s, points=4001):
    """Pr[|mean of n clipped normals| > s], by convolution on a lattice whose rounding errs towards a larger tail."""
    lattice = np.linspace(-a, a, points)
    step = lattice[1] - lattice[0]
    outward = np.where(lattice > 0, ndtr(lattice) - ndtr(lattice - step), 0)        # round away from 0
    outward[-1] = ndtr(step - a)
    law = outward + outward[::-1]
    law[points // 2] = 0
    total = law / law.sum()
    for _ in range(n - 1):
        total = np.convolve(total, law / law.sum())
    value = np.abs(np.arange(total.size) - total.size // 2) * step / n
    return total[value > s + step].sum()


@claim("thm-adaptive-error", moved, dominated,
       mutants={"moving the centre counted once": (lambda h, deviation: h * deviation, dominated),
                "moving the centre costs nothing": (lambda h, deviation: 0 * h * deviation, dominated),
                "one tail only": (moved, lambda s, n: ndtr(-s * math.sqrt(n))),
                "5% less spread": (moved, lambda s, n: 2 * ndtr(-1.05 * s * math.sqrt(n)))})
def test_steps_of_the_proof(moved, dominated):
    """Step 1 on 900 data sets, most of them not Gaussian, and 41 centres each: the clipped mean differs from what it
    should be by no more than at the true mean, plus twice the distance times the largest deviation of the empirical
    distribution. Step 2 by convolution: the mean of clipped normals has no heavier tail than the mean of normals.
    """
    rng, closest, ratio = np.random.default_rng(4), 0., 0.
    for k in range(900):
        n, a, h = int(rng.integers(1, 40)), rng.choice([.5, 1., 2.]), rng.choice([.1, .5, 1., 2.])
        x = [rng.normal(size=n), rng.normal(size=n) * .01, rng.standard_cauchy(n), np.repeat(rng.normal(), n)][k % 4]
        order = np.sort(x)
        deviation = max((np.arange(1, n + 1) / n - ndtr(order)).max(), (ndtr(order) - np.arange(n) / n).max())
        c = np.linspace(-h, h, 41)
        seen = np.clip(x[:, np.newaxis] - c, -a, a).mean(axis=0)
        change = np.abs(seen - clip_mean(-c, a) - np.clip(x, -a, a).mean())
        assert (change <= moved(np.abs(c), deviation) + 1e-9).all(), (n, a, h)
        closest = max(closest, (change[np.abs(c) > .01] / (2 * np.abs(c[np.abs(c) > .01]) * deviation)).max())
    for n, a, in itertools.product((1, 2, 5), (.5, 1.5, 8.)):
        for s in np.array([.2, .5, 1., 2., 3.]) / math.sqrt(n):
            if s < a:
                tail = clipped_tail(n, a, s)
                assert tail <= dominated(s, n) + 1e-9, (n, a, s)
                ratio = max(ratio, tail / dominated(s, n))
    return f"step 1 used up to {closest:.0%}, the tail of step 2 up to {ratio:.1%}"


@functools.cache
def theorem_bound(shift=2., count_miss=True, noise=True, at_edge=True):
    """The least error that the statement proves, with room for mistakes, by brute force over h and the split."""
    @functools.cache                    # every run of the check compares with the same bounds
    def bound(*, size, level, radius, epsilon):
        plan = adaptive_plan(size=size, radius=radius, epsilon=epsilon)
        a, best = plan.half_width, np.inf
        b = 2 * a / size / plan.epsilon_fine if noise else 0.
        t = np.geomspace(.1, 60, 6000) / math.sqrt(size)
        tail = 2 * noise_tail(t, sd=size**-.5, scale=b)
        for h in np.geomspace(.015, 2.9, 90):
            F = float(median_failure_bound(size=size, accuracy=h, radius=radius, epsilon=plan.epsilon_coarse))
            left = 1 - level - count_miss * F
            if left > 0:
                share = np.linspace(.01, .99, 99) * left
                cut = np.interp(-share, -tail, t)
                top = clip_mean(h, a) + (cut + shift * h * np.sqrt(np.log(2 / (left - share)) / 2 / size)).min()
                if top < clip_mean(3., a):
                    best = min(best, float(unclip(top, a)) - h if at_edge else float(unclip(top - clip_mean(h, a), a)))
        return min(best, 2 * radius)
    return bound


@claim("thm-adaptive-error", adaptive_mean_error_bound,
       mutants={"moving the centre counted once": theorem_bound(shift=1.),
                "a lost centre not counted": theorem_bound(count_miss=False), "the noise forgotten":
                theorem_bound(noise=False), "the error at the centre in place of the edge": theorem_bound(at_edge=False)})
def test_error_in_simulations(bound):
    """Simulate the adaptive mean with its mean at the edge and inside the range, 1500 runs in each of five settings.
    The bound must hold in at least 95% of them (up to 6.5 standard errors), and agree within 2% with a brute-force
    search over h, t and lambda, so that it can neither promise too much nor give much away.
    """
    rng, shares = np.random.default_rng(5), []
    settings = [(1000, 1., 1e3, .3), (1000, 1., 10., 1.), (3000, .3, 1e6, -1.), (300, 2., 50., .5), (1000, 5., 1e9, 0.)]
    for n, epsilon, radius, place in settings:
        claimed = float(bound(size=n, level=.95, radius=radius, epsilon=epsilon))
        runs = 1500 if n <= 1000 else 600
        y = adaptive_mean(rng.normal(place * radius, 1, (runs, n)), radius=radius, epsilon=epsilon, runs=True, rng=rng)
        missed = np.mean(np.abs(y - place * radius) > claimed)
        assert missed <= .05 + FAR * math.sqrt(.05 * .95 / runs), (n, epsilon, radius, missed)
        brute = theorem_bound()(size=n, level=.95, radius=radius, epsilon=epsilon)
        assert abs(claimed / brute - 1) < .02, (n, epsilon, radius, claimed, brute)
        shares.append(np.quantile(np.abs(y - place * radius), .95) / claimed)
    return f"five bounds held; the simulated 95% errors are {min(shares):.0%} to {max(shares):.0%} of them"
