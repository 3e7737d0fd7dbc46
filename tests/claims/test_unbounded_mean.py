"""The statements of the page on a mean without a range."""

import functools
import math

import numpy as np
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import binom

from dplib.audit import hockey_stick, noise_distribution_test
from dplib.histograms import stability_threshold
from dplib.mean import (
    clip_radius, noise_tail, stability_failure_bound, three_cells_failure_bound, unbounded_mean)
from tests.chance import FAR, LEVEL, laplace_cdf, standard_errors
from tests.claims import claim, to

THETA = np.linspace(.002, .998, 499)         # in units of 1/b


# --- the mechanism --------------------------------------------------------------------------------------------------

def winner_law(counts, b, T):
    """Chance that each cell is released with the largest noisy count, then that none is released."""
    def first(i):
        def density(y):
            rest = [laplace_cdf(y - c, b) for j, c in enumerate(counts) if j != i and c]
            return math.exp(-abs(y - counts[i]) / b) / (2 * b) * math.prod(rest)
        parts = sorted({T, *(float(c) for c in counts if c > T), T + 50 * b})
        return sum(quad(density, low, high, epsabs=1e-12)[0] for low, high in zip(parts, parts[1:], strict=False))
    none = math.prod(laplace_cdf(T - c, b) for c in counts if c)
    return np.array([*(first(i) if c else 0. for i, c in enumerate(counts)), none])


def slow(threshold=lambda T: T, coarse_noise=1, fine_noise=1, half_width=lambda B: B, largest=True, refuses=True):
    """The algorithm, run by run, with room for mistakes."""
    @functools.lru_cache(64)                       # most data sets are repeated for thousands of runs
    def occupied(row, width):
        return np.unique(np.floor(np.frombuffer(row) / width), return_counts=True)

    def mean(x, *, epsilon, delta, split=.5, width=1., beta=.01, runs=False, rng):
        n, answers = x.shape[-1], []
        b = coarse_noise * 2 / (split * epsilon)
        T = threshold(stability_threshold(epsilon=split * epsilon, delta=delta, neighbor="replace", noise="laplace"))
        B = half_width(1.5 * width + clip_radius(size=n, beta=beta))
        scale = fine_noise * 2 * B / (n * (1 - split) * epsilon)
        for row in x:
            labels, counts = occupied(row.tobytes(), width)
            noisy = counts + rng.laplace(scale=b, size=counts.size)
            if noisy.max() <= T:
                answers.append(np.nan if refuses else row.mean())
                continue
            m = (labels[noisy.argmax() if largest else (noisy > T).argmax()] + .5) * width
            answers.append(m + np.clip(row - m, -B, B).mean() + (rng.laplace(scale=scale) if np.isfinite(scale) else 0))
        return np.array(answers)
    return mean


@claim("thm-unbounded-mean", unbounded_mean,
       mutants={"no threshold": slow(threshold=lambda T: -np.inf), "a threshold without its delta": slow(threshold=lambda T: 1.),
                "5% too little coarse noise": slow(coarse_noise=.95), "5% too little fine noise": slow(fine_noise=.95),
                "all of epsilon spent twice": slow(coarse_noise=.5, fine_noise=.5),
                "no clipping": slow(half_width=lambda B: np.inf), "a window without its 1.5 w": slow(half_width=lambda B: B - 1.5),
                "the first cell that passes": slow(largest=False), "the exact mean instead of a refusal": slow(refuses=False)})
def test_privacy_and_error(mean):
    """Compute the exact distribution of the chosen cell for six pairs of neighbours, and the delta that it needs;
    compare 2500 runs on small data with that distribution, 40 000 on one, and the noise of the second stage with its
    own. Then count how often the error or a refusal exceeds the bound in 2000 runs at four settings. A frequency may be
    6.5 standard errors off.
    """
    rng, paid = np.random.default_rng(1), .04
    b, T = 2., stability_threshold(epsilon=1., delta=paid, neighbor="replace", noise="laplace")
    pairs = [((1, 0, 0), (0, 1, 0)), ((2, 0, 0), (1, 1, 0)), ((1, 0, 3), (0, 1, 3)), ((9, 8, 8), (8, 9, 8)),
             ((12, 0, 0), (11, 1, 0)), ((3, 3, 1), (4, 3, 0))]
    needed, worst, highest = 0., 0., -np.inf
    for x, x_prime in pairs:
        laws = [winner_law(counts, b, T) for counts in (x, x_prime)]
        needed = max(needed, *(float(hockey_stick(one, other, 1.)) for one, other in (laws, laws[::-1])))
        for counts, law in zip((x, x_prime), laws, strict=True):
            data = np.repeat([.5, 1e9 + .5, 2e9 + .5], counts)
            runs = 40_000 if counts == (3, 3, 1) else 2500
            answer = mean(np.broadcast_to(data, (runs, data.size)), epsilon=2., delta=paid, runs=True, rng=rng)
            seen = [np.sum(np.abs(answer - place) < 1e6) for place in (.5, 1e9 + .5, 2e9 + .5)]
            for hits, chance in zip((*seen, np.isnan(answer).sum()), law, strict=True):
                worst = max(worst, abs(standard_errors(hits, runs, chance)))
    assert needed <= paid * (1 + 1e-6) and worst < FAR, (needed, worst)

    given = dict(epsilon=3., delta=1e-3, split=.3, beta=.05)
    B = 1.5 + clip_radius(size=150, beta=.05)
    noise = mean(np.full((20_000, 150), .25), **given, runs=True, rng=rng) - .25
    assert noise_distribution_test(noise / (2 * B / (150 * 2.1)), lambda z: laplace_cdf(z, 1.)).pvalue > LEVEL
    far = np.full((2, 150), .25)
    far[1, 0] = 1e12
    alone, moved = mean(far, epsilon=1e9, delta=1e-3, runs=True, rng=rng)
    assert 0 <= moved - alone <= (1.5 + clip_radius(size=150, beta=.01)) / 150 + .01

    for n, epsilon, delta, split, width, beta, mu in ((300, 4., 1e-3, .3, 1., 1e-4, 1e8), (60, 6., .01, .5, 2., 1e-3, -3.),
                                                      (500, 1., 1e-6, .5, 1., .01, 0.), (250, 1., 1e-3, .3, 1., .01, .5)):
        given = dict(epsilon=epsilon, delta=delta, split=split, width=width, beta=beta)
        answer = mean(rng.normal(loc=mu, size=(2000, n)), **given, runs=True, rng=rng)
        F = float(stability_failure_bound(size=n, epsilon=split * epsilon, delta=delta, width=width))
        scale = 2 * (1.5 * width + clip_radius(size=n, beta=beta)) / (n * (1 - split) * epsilon)
        for quantile in (.5, 2., 3.):
            t = quantile * math.hypot(n**-.5, scale)
            noise = 2 * float(noise_tail(t, sd=n**-.5, scale=scale))
            hits = np.sum(~(np.abs(answer - mu) <= t))
            assert -standard_errors(hits, 2000, max(noise - F - beta, 0)) < FAR, (n, epsilon, t, hits)
            highest = max(highest, standard_errors(hits, 2000, min(F + beta + noise, 1)))
            assert highest < FAR, (n, epsilon, t, hits)
    return (f"exact delta {needed:.6f} where {paid} is paid; frequencies within {worst:.1f} standard errors of the distribution; "
            f"errors no more than {highest:.1f} above their bound")


# --- how often it fails ---------------------------------------------------------------------------------------------

def masses(u, width, reach=9.):
    """Places j of the cells around the cell of mu, and their masses."""
    j = np.arange(-math.ceil(reach / width), math.ceil(reach / width) + 1)
    low, high = (j - u) * width, (j + 1 - u) * width
    return j, np.where(j > 0, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low))


def chernoff(n, p, own, T, noises, b):
    """The least of the two expressions of the theorem over a grid of theta, for each p."""
    theta, p = THETA / b, np.atleast_1d(p)[:, np.newaxis]
    logs = theta * T + n * np.log1p(p * np.expm1(theta) + own * np.expm1(-theta)) - noises * np.log1p(-THETA**2)
    return np.exp(logs.min(axis=1))


def threshold(epsilon, delta):
    return stability_threshold(epsilon=epsilon, delta=delta, neighbor="replace", noise="laplace")


@functools.cache                        # every run of the check compares with the same bounds
def one_cell(*, size, epsilon, delta, width=1., scale=lambda epsilon: 2 / epsilon, threshold=threshold, noises=2,
             occupied=True, far=True, offsets=np.linspace(0, .5, 21), spent=1.):
    """The bound of the theorem by brute force, with room for mistakes."""
    b, T, worst = scale(spent * epsilon), threshold(spent * epsilon, delta), 0
    for u in offsets:
        j, p = masses(u, width)
        own, rest = p[j == 0], p[np.abs(j) >= 2]
        beaten = chernoff(size, rest, own, 0, noises, b)
        if occupied:
            beaten = np.minimum(beaten, -np.expm1(size * np.log1p(-rest)))
        worst = max(worst, float(chernoff(size, 0., own, T, 1, b)[0] + far * beaten.sum()))
    return min(worst, 1.)


def simulated(n, epsilon, delta, width, u, rng, runs=20_000):
    """How often a coarse stage refuses or chooses a far cell, in runs that draw the counts and the noise."""
    j, p = masses(u, width)
    counts = rng.multinomial(n, p / p.sum(), size=runs)
    noisy = np.where(counts > 0, counts + rng.laplace(scale=2 / epsilon, size=counts.shape), -np.inf)
    noisy[noisy <= threshold(epsilon, delta)] = -np.inf
    return np.sum(np.isinf(noisy).all(axis=1) | (np.abs(j[noisy.argmax(axis=1)]) >= 2))


SETTINGS = [(400, .25, 1e-6, 1.), (180, .5, 1e-6, 1.), (60, 1., .01, 1.), (40, 2., .3, 1.), (250, .25, 1e-4, 2.),
            (90, 1., 1e-9, 3.), (3000, 1., .1, .5), (25, 20., .1, 3.)]


@claim("thm-stability-failure", stability_failure_bound,
       mutants={"noise of scale 1/epsilon": functools.partial(one_cell, scale=lambda epsilon: 1 / epsilon),
                "the threshold of add/remove":
                    functools.partial(one_cell, threshold=lambda epsilon, delta: 1 - math.log(2 * delta) / epsilon),
                "one Laplace factor instead of two": functools.partial(one_cell, noises=1),
                "no far cells": functools.partial(one_cell, far=False),
                "far cells as if they were occupied": functools.partial(one_cell, occupied=False),
                "the mean in the middle of its cell": functools.partial(one_cell, offsets=(.5,)),
                "half of epsilon": functools.partial(one_cell, spent=.5)})
def test_one_cell_must_pass(bound):
    """Compare the bound with brute force over offsets and theta, to half a percent, in eight settings with widths from
    .5 to 3. Then draw counts and noise in 20 000 runs for each of three offsets: failures may exceed the bound by 6.5
    standard errors.
    """
    rng, nearest, off = np.random.default_rng(2), 0, 0
    for n, epsilon, delta, width in SETTINGS:
        stated = float(bound(size=n, epsilon=epsilon, delta=delta, width=width))
        off = max(off, abs(stated / one_cell(size=n, epsilon=epsilon, delta=delta, width=width) - 1))
        assert off < .005, (n, epsilon, delta, width, stated)
        for u in (0., .25, .5):
            hits = simulated(n, epsilon, delta, width, u, rng)
            assert standard_errors(hits, 20_000, min(stated, 1)) < FAR
            nearest = max(nearest, hits / 20_000 / stated)
    return f"right {to(off)}; simulated failures at most {nearest:.2f} of the bound"


def unseen(n, p, T, b):
    """The statement: the chance that a cell of mass p is not released."""
    up, down = 1 - p + p * math.exp(1 / b), 1 - p + p * math.exp(-1 / b)
    few = math.ceil(T) - 1
    return (binom.cdf(few, n, p) - .5 * math.exp(-T / b) * up**n * binom.cdf(few, n, p * math.exp(1 / b) / up)
            + .5 * math.exp(T / b) * down**n * binom.sf(few, n, p * math.exp(-1 / b) / down)
            + .5 * math.exp(-T / b) * (1 - p)**n)


def unseen_without_empty(n, p, T, b):
    return unseen(n, p, T, b) - .5 * math.exp(-T / b) * (1 - p)**n


def unseen_with_a_weak_inequality(n, p, T, b):
    c = np.arange(n + 1)
    return float(binom.pmf(c, n, p) @ np.where(c == 0, 1, laplace_cdf(np.floor(T) - c, b)))


def three(q):
    """The statement: the chance that all three near cells fail."""
    return math.prod(q)


def factor(tau):
    """The statement: the C of noise against noise."""
    return math.exp(1 - 2 * tau) / (4 * (1 - tau)) if tau >= .5 else 1.


@functools.cache
def three_cells(*, size, epsilon, delta, width, unseen=unseen, three=three, factor=factor, empty=True, released=True,
                offsets=np.linspace(0, .5, 21)):
    """The bound of the proposition by brute force, with room for mistakes."""
    b, T, worst = 2 / epsilon, threshold(epsilon, delta), 0
    for u in offsets:
        j, p = masses(u, width)
        own, rest = p[j == 0], p[np.abs(j) >= 2, np.newaxis]
        far = size * np.log1p(rest * np.expm1(THETA / b) + own * np.expm1(-THETA / b)) + np.log(list(map(factor, THETA)))
        far = np.exp(far.min(axis=1))
        if released:
            far = np.minimum(far, [1 - unseen(size, one, T, b) for one in rest[:, 0]])
        near = three([unseen(size, float(p[j == k][0]), T, b) for k in (-1, 0, 1)])
        worst = max(worst, near + empty * (1 - own[0])**size + far.sum())
    return min(worst, 1.)


def planted(**change):
    """The right pieces, and a bound in which one of them is wrong."""
    return functools.partial(three_cells, **change), unseen, three, factor


RIGHT = three_cells_failure_bound, unseen, three, factor


@claim("prop-three-cells", *RIGHT,
       mutants={"an empty cell that passes": (RIGHT[0], unseen_without_empty, three, factor),
                "a threshold rounded down": (RIGHT[0], unseen_with_a_weak_inequality, three, factor),
                "only the randomness in the counts": (RIGHT[0], lambda n, p, T, b: binom.cdf(math.ceil(T) - 1, n, p), three, factor),
                "no randomness in the counts": (RIGHT[0], lambda n, p, T, b: laplace_cdf(T - n * p, b), three, factor),
                "the three probabilities squared": (RIGHT[0], unseen, lambda q: math.prod(q)**2, factor),
                "the smallest probability, halved": (RIGHT[0], unseen, lambda q: min(q) / 2, factor),
                "noise against noise a tenth too rare": (*RIGHT[:3], lambda tau: .9 * factor(tau)),
                "in the package: two Laplace factors": planted(factor=lambda tau: (1 - tau**2) ** -2),
                "in the package: C continued below one half": planted(factor=lambda tau: math.exp(1 - 2 * tau) / (4 * (1 - tau))),
                "in the package: two cells instead of three": planted(three=lambda q: q[1] * min(q[0], q[2])),
                "in the package: no empty cell": planted(empty=False),
                "in the package: far cells all released": planted(released=False),
                "in the package: the mean in the middle": planted(offsets=(.5,))})
def test_three_cells_must_miss(bound, unseen, three, factor):
    """Sum over all counts to check the formula for one cell. Average the exact probability, given the counts, that
    three cells are all silent over 20 000 drawn counts: the product is never less, and no more than twice as much
    somewhere. Compare C with the exact tail of a difference of noises. Then compare the bound with brute force over a
    finer grid, to 4%, and with simulated failures.
    """
    rng, off, closest, nearest, apart = np.random.default_rng(3), 0, np.inf, 0, 0
    y = np.linspace(-60, 60, 24_001)
    tail = np.where(y < 0, 1 - (1 - y / 2) * np.exp(-np.abs(y)) / 2, (1 + y / 2) * np.exp(-np.abs(y)) / 2)
    for tau in np.arange(.05, .96, .05):
        ratio = (tail * np.exp(tau * y)).max() / factor(tau)
        assert ratio <= 1 + 1e-12 and (tau < .5 or ratio > 1 - 1e-4), (tau, ratio)
    for n, epsilon, delta, width in [*SETTINGS, (60, 4., 1e-3, 1.)]:
        given = dict(size=n, epsilon=epsilon, delta=delta, width=width)
        stated, brute = float(bound(**given)), three_cells(**given)
        apart = max(apart, abs(stated - brute) / min(brute, .1))
        assert apart < .04, (given, stated, brute)
        b, T = 2 / epsilon, threshold(epsilon, delta)
        for u in (0., .25, .5):
            j, p = masses(u, width)
            near = p[np.abs(j) <= 1]
            for one in (*near, .01):
                c = np.arange(n + 1)
                summed = binom.pmf(c, n, one) @ np.where(c == 0, 1, laplace_cdf(T - c, b))
                off = max(off, abs(unseen(n, float(one), T, b) / summed - 1) if summed > 1e-12 else 0)
            assert off < 1e-9, (n, epsilon, delta, width, u, off)
            counts = rng.multinomial(n, [*near, max(0, 1 - near.sum())], size=20_000)[:, :3]
            silent = np.where(counts == 0, 1, laplace_cdf(T - counts, b)).prod(axis=1)
            product = three([unseen(n, float(one), T, b) for one in near])
            assert silent.mean() <= product + FAR * silent.std() / math.sqrt(20_000) + 1e-12, (n, u, silent.mean(), product)
            if 0 < silent.std() < silent.mean() * 4:                         # known to 3% or better
                closest = min(closest, product / silent.mean())
            hits = simulated(n, epsilon, delta, width, u, rng)
            assert standard_errors(hits, 20_000, stated) < FAR
            nearest = max(nearest, hits / 20_000 / stated if stated > .005 else 0)
    assert closest < 2 and nearest > .5
    return (f"one cell right {to(off)}; the product from {closest:.2f} times the truth on; bound right {to(apart)}; "
            f"simulated failures up to {nearest:.2f} of it")
