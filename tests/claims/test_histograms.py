"""The statements of the page on histograms."""

import functools
import itertools
import math

import numpy as np

from dplib.audit import hockey_stick, max_log_ratio
from dplib.histograms import (SparseHistogram, laplace_histogram, stability_histogram, stability_threshold,
                              truncated_histogram)
from tests.chance import FAR, laplace_cdf, standard_errors
from tests.claims import claim, to

NEIGHBORS, NOISES = ("replace", "add_remove"), ("laplace", "discrete_laplace")
SWAP = {"replace": 2, "add_remove": 1}


def draw(noise, scale, size, rng):
    """Noise for the mutants, made without the package."""
    if noise == "laplace":
        return rng.laplace(0, scale, size)
    p = -math.expm1(-1 / scale)
    return rng.geometric(p, size) - rng.geometric(p, size)


def geometric(values, q):
    """Pr[G = m] of two-sided geometric noise."""
    return (1 - q) / (1 + q) * q ** np.abs(values)


def tail(m, q):
    """Pr[G >= m], for any integer m."""
    return np.where(m > 0, q ** np.abs(m), 1 + q - q ** (1 + np.abs(m))) / (1 + q)


def neighbours(top, relation):
    """Counts of two cells before and after, up to `top` records in a cell."""
    for a, b in itertools.product(range(1, top + 1), range(top + 1)):
        yield ((a, b), (a - 1, b + 1)) if relation == "replace" else ((a, b), (a - 1, b))


# --- noise on every cell --------------------------------------------------------------------------------------------

def noisy_counts(scale=lambda neighbor, epsilon: SWAP[neighbor] / epsilon, everywhere=True, shared=False):
    """A histogram with room for mistakes."""
    def histogram(labels, *, cells, epsilon, neighbor, noise, runs=False, rng):
        counts = (np.asarray(labels)[..., None] == np.arange(cells)).sum(axis=-2)
        z = draw(noise, scale(neighbor, epsilon), counts[..., :1].shape if shared else counts.shape, rng)
        return counts + z * (everywhere | (counts > 0))
    return histogram


@claim("thm-laplace-histogram", laplace_histogram,
       mutants={"half the noise": noisy_counts(lambda neighbor, epsilon: SWAP[neighbor] / epsilon / 2),
                "the swap factor 2 forgotten": noisy_counts(lambda neighbor, epsilon: 1 / epsilon),
                "5% too little noise": noisy_counts(lambda neighbor, epsilon: .95 * SWAP[neighbor] / epsilon),
                "twice the noise that add/remove needs": noisy_counts(lambda neighbor, epsilon: 2 / epsilon),
                "noise only on cells with somebody in them": noisy_counts(everywhere=False),
                "one noise for all cells": noisy_counts(shared=True)})
def test_worst_event_of_two_cells(histogram):
    """Release two cells 300 000 times on each of two neighbours and compare how often the worst event happens. The
    log of the ratio must be epsilon, in both relations and with both noises, up to 6.5 standard errors; with 5% too
    little noise it is off by 16 of them, which is missed less than once in 10^9.
    """
    runs, epsilon, worst = 300_000, 1., 0
    rng = np.random.default_rng(1)
    for neighbor, noise in itertools.product(NEIGHBORS, NOISES):
        chances = []
        for labels in ((0, 0), (0, 1) if neighbor == "replace" else (0,)):
            x = np.broadcast_to(np.array(labels), (runs, len(labels)))
            y = np.asarray(histogram(x, cells=2, epsilon=epsilon, neighbor=neighbor, noise=noise, runs=True, rng=rng))
            assert (y[:, 1] != 0).any()
            chances.append(np.mean((y[:, 0] >= 2) & ((y[:, 1] <= 0) | (neighbor == "add_remove"))))
        assert min(chances) > .001, chances
        error = math.sqrt(sum((1 - p) / (p * runs) for p in chances))
        off = abs(math.log(chances[0] / chances[1]) - epsilon) / error
        worst = max(worst, off)
        assert off < FAR, (neighbor, noise, chances)
    return f"log-ratio of the worst event within {worst:.1f} standard errors ({error:.4f}) of epsilon in four settings"


@claim("thm-laplace-histogram", lambda neighbor, epsilon: SWAP[neighbor] / epsilon,
       mutants={"half the noise": lambda neighbor, epsilon: SWAP[neighbor] / epsilon / 2,
                "the swap factor 2 forgotten": lambda neighbor, epsilon: 1 / epsilon,
                "more noise than is needed": lambda neighbor, epsilon: 2 / epsilon})
def test_all_neighbours_of_two_cells(scale):
    """Enumerate geometric noise on two cells for all neighbours with up to four records in a cell. The largest
    log-ratio must be epsilon.
    """
    worst, values = 0, np.arange(-40, 50)
    for neighbor, epsilon in itertools.product(NEIGHBORS, (.1, .5, 1.)):
        q = math.exp(-1 / scale(neighbor, epsilon))
        law = {c: np.r_[tail(c + 41, q), geometric(values - c, q), tail(50 - c, q)] for c in range(6)}
        loss = max(float(max_log_ratio(np.outer(law[x[0]], law[x[1]]).ravel(), np.outer(law[y[0]], law[y[1]]).ravel()))
                   for x, y in neighbours(4, neighbor))
        worst = max(worst, abs(loss / epsilon - 1))
    assert worst <= 1e-9
    return f"largest log-ratio equal to epsilon {to(worst)}, in both relations at three values of epsilon"


def chance_within(t, *, cells, b, noise):
    """The statement: the chance that all cells are within t."""
    q = math.exp(-1 / b)
    return (1 - (math.exp(-t / b) if noise == "laplace" else 2 * q ** (t + 1) / (1 + q))) ** cells


def ghosts(t, *, cells, b, noise):
    """The statement: how many of the empty cells claim t on average."""
    q = math.exp(-1 / b)
    return cells * (.5 * math.exp(-t / b) if noise == "laplace" else q**t / (1 + q))


def boundary_counts_as_outside(t, *, cells, b, noise):
    return chance_within(t - (noise != "laplace"), cells=cells, b=b, noise=noise)


@claim("thm-finite-error", laplace_histogram, chance_within, ghosts,
       mutants={"half the noise":
                    (noisy_counts(lambda neighbor, epsilon: SWAP[neighbor] / epsilon / 2), chance_within, ghosts),
                "noise only on cells with somebody in them": (noisy_counts(everywhere=False), chance_within, ghosts),
                "one noise for all cells": (noisy_counts(shared=True), chance_within, ghosts),
                "the union bound in place of the exact probability":
                    (laplace_histogram, lambda t, *, cells, b, noise: 1 - cells * math.exp(-t / b), ghosts),
                "an error of exactly t not counted as within t": (laplace_histogram, boundary_counts_as_outside, ghosts),
                "both tails among the ghosts": (laplace_histogram, chance_within, lambda *a, **k: 2 * ghosts(*a, **k))})
def test_errors_of_many_cells(histogram, within, ghosts):
    """Release 20 000 histograms of 40 cells and compare errors and ghosts with the exact formulas. 37 cells are
    empty; a frequency may be 6.5 standard errors off.
    """
    runs, cells, epsilon, worst = 20_000, 40, 1., 0
    rng, labels = np.random.default_rng(2), np.repeat([3, 17, 30], [5, 2, 1])
    exact = np.bincount(labels, minlength=cells)
    for neighbor, noise in itertools.product(NEIGHBORS, NOISES):
        b = SWAP[neighbor] / epsilon
        y = np.asarray(histogram(np.broadcast_to(labels, (runs, labels.size)), cells=cells, epsilon=epsilon,
                                 neighbor=neighbor, noise=noise, runs=True, rng=rng))
        for t in (6, 9, 12):
            chance = within(t, cells=cells, b=b, noise=noise)
            within_t = (np.abs(y - exact).max(axis=1) <= t).sum()
            worst = max(worst, abs(standard_errors(within_t, runs, min(max(chance, 1e-9), 1 - 1e-9))))
            mean = ghosts(t, cells=37 * runs, b=b, noise=noise)
            worst = max(worst, abs((y[:, exact == 0] >= t).sum() - mean) / math.sqrt(mean))
    assert worst < FAR
    return f"24 frequencies within {worst:.1f} standard errors of the formulas"


# --- stability histogram --------------------------------------------------------------------------------------------

def joint(law, counts):
    return np.outer(law(counts[0]), law(counts[1])).ravel()


def exact_delta(law, epsilon, pairs):
    """The largest hockey-stick divergence over pairs of counts, in both orders."""
    laws = [[joint(law, counts) for counts in pair] for pair in pairs]
    return max(float(hockey_stick(*order, epsilon=epsilon)) for x, y in laws for order in ((x, y), (y, x)))


def shown_geometric(threshold, q, reach=150):
    """c -> law of what a cell of c records shows: nothing, or threshold, threshold + 1, ..."""
    def law(c):
        values = np.arange(threshold, threshold + reach)
        named = np.r_[geometric(values - c, q), tail(threshold + reach - c, q)] * (c > 0)      # the rest in one piece
        return np.r_[tail(c - threshold + 1, q) if c else 1, named]
    return law


def shown_laplace(threshold, b, grid=16, reach=50):
    """The same for Laplace noise, in pieces of 1/grid; where the ratio of densities varies, the pieces are fine."""
    def law(c):
        edges = np.union1d(threshold + np.r_[0:reach + 1], np.r_[0:8:1 / grid])
        below = laplace_cdf(edges[edges >= threshold] - c, b)
        return np.r_[below[0], np.diff(below), 1 - below[-1]] if c else np.r_[1, np.zeros(below.size)]
    return law


def largest_delta(threshold, *, epsilon, neighbor, noise):
    """The exact delta of a stability histogram on two cells with up to six records (and some with many)."""
    b = SWAP[neighbor] / epsilon
    law = shown_geometric(threshold, math.exp(-1 / b)) if noise == "discrete_laplace" else shown_laplace(threshold, b)
    many = [((40, 0), (39, 1)), ((1, 40), (0, 41))] if neighbor == "replace" else [((40, 1), (40, 0))]
    return exact_delta(law, epsilon, [*neighbours(6, neighbor), *many])


def above_one(b, delta, noise):
    return b * math.log(1 / (2 * delta if noise == "laplace" else (1 + math.exp(-1 / b)) * delta))


def rule(change=above_one):
    """The threshold with room for a mistake: `change(b, delta, noise)` in place of b ln(1/Pr)."""
    def threshold(*, epsilon, delta, neighbor, noise):
        t = 1 + change(SWAP[neighbor] / epsilon, delta, noise)
        return t if noise == "laplace" else math.ceil(t - 1e-12)
    return threshold


SETTINGS = [(1., 1e-3), (1., 1e-6), (.3, 1e-2), (3., 1e-4)]


@claim("thm-stability-histogram", stability_threshold,
       mutants={"a threshold without its delta": rule(lambda b, delta, noise: 10.),
                "T - 1": rule(lambda b, delta, noise: above_one(b, delta, noise) - 1),
                "the swap factor 2 forgotten": rule(lambda b, delta, noise: above_one(min(b, 1), delta, noise)),
                "the 1 of a single record forgotten":
                    rule(lambda b, delta, noise: above_one(b, delta, noise) - (noise == "laplace")),
                "ln(1/2 delta) for integers too": rule(lambda b, delta, noise: above_one(b, delta, "laplace"))})
def test_all_outputs_of_two_cells(threshold):
    """Enumerate what two cells show, for all neighbours with up to six records in a cell, and compute the exact
    delta. For Laplace noise the outputs are cut into pieces: outside the interval between two counts the ratio of
    densities is constant, so that pieces lose nothing; inside they are a sixteenth long.
    """
    highest = 0
    for (epsilon, delta), neighbor, noise in itertools.product(SETTINGS, NEIGHBORS, NOISES):
        T = threshold(epsilon=epsilon, delta=delta, neighbor=neighbor, noise=noise)
        true = largest_delta(T, epsilon=epsilon, neighbor=neighbor, noise=noise)
        highest = max(highest, true / delta)
        assert true <= delta * (1 + 1e-9), (epsilon, delta, neighbor, noise, true)
    T = threshold(epsilon=1, delta=1e-3, neighbor="replace", noise="discrete_laplace")
    true = largest_delta(T, epsilon=1, neighbor="replace", noise="discrete_laplace")
    return f"true delta at most {highest:.6f} of the promised one in 16 settings; {true:.3e} at (1, 1e-3), T = {T}"


def named_cells(threshold=lambda T, noise: T, noise_scale=1., passes=None, order=None):
    """A stability histogram with room for mistakes."""
    def histogram(labels, *, domain, epsilon, delta, neighbor, noise, runs=False, rng):
        T = threshold(stability_threshold(epsilon=epsilon, delta=delta, neighbor=neighbor, noise=noise), noise)
        names, first, counts = np.unique(labels, return_index=True, return_counts=True)
        noisy = counts + draw(noise, noise_scale * SWAP[neighbor] / epsilon, counts.shape, rng)
        keep = (passes or (np.greater if noise == "laplace" else np.greater_equal))(noisy, T)
        place = np.argsort(first[keep]) if order else slice(None)
        return SparseHistogram(names[keep][place], noisy[keep][place], T)
    return histogram


@claim("thm-stability-histogram", stability_histogram,
       mutants={"half the noise": named_cells(noise_scale=.5),
                "a threshold without its delta": named_cells(lambda T, noise: 10),
                "T - 1": named_cells(lambda T, noise: T - 1),
                "strictly above T for integers": named_cells(passes=np.greater),
                "cells in the order of the data": named_cells(order=True),
                "twice the noise on the counts": named_cells(noise_scale=2.)})
def test_names_and_noise(histogram):
    """Release 200 000 cells of one record each and count the names, then 2000 large cells and measure their noise. A
    frequency may be 6.5 standard errors off; a threshold that is too low by 1 is off by 12 of them or more, half or
    twice the noise by 20. Labels come in random order and must leave sorted.
    """
    rng, delta, worst = np.random.default_rng(3), .01, 0
    for neighbor, noise, epsilon in itertools.product(NEIGHBORS, NOISES, (.5, 2.)):
        given = dict(epsilon=epsilon, delta=delta, neighbor=neighbor, noise=noise)
        b = SWAP[neighbor] / epsilon
        q = math.exp(-1 / b)
        T = stability_threshold(**given)
        chance = delta if noise == "laplace" else float(tail(T - 1, q))
        alone = histogram(rng.permutation(200_000), domain="integers", **given, rng=rng)
        worst = max(worst, abs(standard_errors(len(alone.labels), 200_000, chance)))
        assert worst < FAR, (given, len(alone.labels))
        assert (np.diff(alone.labels) > 0).all()
        assert alone.threshold == T and (alone.counts > T if noise == "laplace" else alone.counts >= T).all()
        crowd = 400 + math.ceil(20 * b)                                  # far above the threshold: all are named
        size = np.abs(histogram(np.repeat(np.arange(2000), crowd), domain="integers", **given, rng=rng).counts - crowd)
        mean, square = (b, 2 * b * b) if noise == "laplace" else (2 * q / (1 - q * q), 2 * q / (1 - q) ** 2)
        assert size.size == 2000
        worst = max(worst, abs(size.mean() - mean) / math.sqrt((square - mean**2) / 2000))
    assert worst < FAR
    return f"named single records and sizes of the noise within {worst:.1f} standard errors in eight settings"


@claim("prop-least-threshold", stability_threshold,
       mutants={"1 + b ln(2/delta), as often printed": rule(lambda b, delta, noise: b * math.log(2 / delta)),
                "T + 1": rule(lambda b, delta, noise: above_one(b, delta, noise) + 1),
                "T - 1": rule(lambda b, delta, noise: above_one(b, delta, noise) - 1)})
def test_one_less_is_too_little(threshold):
    """Lower the threshold, by 1 for integers and by a hair for Laplace noise, and compute the exact delta up to
    epsilon 40. It must exceed the promise, although the threshold itself keeps it.
    """
    closest = math.inf
    for (epsilon, delta), neighbor, noise in itertools.product(SETTINGS, NEIGHBORS, NOISES):
        T = threshold(epsilon=epsilon, delta=delta, neighbor=neighbor, noise=noise)
        assert largest_delta(T, epsilon=epsilon, neighbor=neighbor, noise=noise) <= delta * (1 + 1e-9)
        lower = T - (1e-6 if noise == "laplace" else 1)
        b = SWAP[neighbor] / epsilon
        law = shown_geometric(lower, math.exp(-1 / b)) if noise == "discrete_laplace" else shown_laplace(lower, b)
        for judged in (epsilon, 5., 40.):
            true = exact_delta(law, judged, [((1, 3), (0, 4)) if neighbor == "replace" else ((1, 3), (0, 3))])
            assert true > delta, (epsilon, delta, neighbor, noise, judged, true)
            closest = min(closest, true / delta if noise == "discrete_laplace" else math.inf)
    return f"one integer less gives at least {closest:.3f} times the promised delta in 16 settings"


# --- how far off ----------------------------------------------------------------------------------------------------

def radius(T, b, m, beta):
    """The statement: all errors are at most this, with probability 1 - beta."""
    return T + b * math.log(m / beta)


def one_cell_fails(t, T, b):
    """The statement: the largest chance that the error of one cell exceeds t."""
    return .5 * math.exp(-(t - T) / b) + .5 * math.exp(-t / b)


@functools.cache                        # the same for the code and for most mutants
def exact_failure(c, t, T, b):
    """The chance that a cell with c records errs by more than t with Laplace noise, from its distribution function."""
    named = 1 - laplace_cdf(T - c, b)
    fine = max(0., laplace_cdf(t, b) - laplace_cdf(max(-t, T - c), b))        # named and within t
    return 1 - fine - ((1 - named) if c <= t else 0)


@functools.cache
def exact_geometric_failure(c, t, T, b):
    """The same with geometric noise, for a whole number c, summed over the noise."""
    z = np.arange(-600, 601)
    silent = c + z < T
    return geometric(z, math.exp(-1 / b))[np.where(silent, c > t, np.abs(z) > t)].sum()


@claim("thm-stability-error", stability_histogram, one_cell_fails, radius,
       mutants={"half the noise": (named_cells(noise_scale=.5), one_cell_fails, radius),
                "twice the noise": (named_cells(noise_scale=2.), one_cell_fails, radius),
                "the threshold left out of the error":
                    (stability_histogram, one_cell_fails, lambda T, b, m, beta: b * math.log(m / beta)),
                "no logarithm of the number of cells":
                    (stability_histogram, one_cell_fails, lambda T, b, m, beta: T + b * math.log(1 / beta)),
                "only the noise can fail": (stability_histogram, lambda t, T, b: math.exp(-t / b), radius),
                "only silence can fail": (stability_histogram, lambda t, T, b: .5 * math.exp(-(t - T) / b), radius)})
def test_silent_and_noisy_cells(histogram, one_cell_fails, radius):
    """Compute the exact probability of failure for cells of every size up to 200, and release 20 000 cells of the worst
    size. The radius is compared with exact probabilities for both noises.
    """
    tightest, worst, given = 0, 0, dict(epsilon=1., delta=.01, neighbor="replace")
    for b, T, over in itertools.product((1., 2., 20.), (1., 3.5, 27.), (0., .5, 4., 15.)):
        t = T + over
        stated = one_cell_fails(t, T, b)
        highest = max(float(exact_failure(c, t, T, b)) for c in np.r_[1:200:.5, t * (1 + 1e-12)])
        assert highest <= stated + 1e-14
        tightest = max(tightest, abs(highest / stated - 1))
    assert tightest <= 1e-6
    b, q, cells, rng = 2., math.exp(-.5), 20_000, np.random.default_rng(4)
    for noise in NOISES:
        T = stability_threshold(**given, noise=noise)
        fails = exact_failure if noise == "laplace" else exact_geometric_failure
        for m, beta in itertools.product((1, 10, 1000), (.5, .01)):
            t = radius(T, b, m, beta)
            highest = max(float(fails(c, t, T, b)) for c in range(1, 200))
            assert 1 - (1 - highest) ** m <= beta, (noise, m, beta)
        for size in (16, 24):
            released = histogram(np.repeat(np.arange(cells), size), domain="integers", **given, noise=noise, rng=rng)
            reported = np.zeros(cells)
            reported[released.labels] = released.counts
            t = size - (1e-9 if noise == "laplace" else 1)
            chance = one_cell_fails(t, T, b) if noise == "laplace" else float(tail(size - T + 1, q) + tail(size, q))
            worst = max(worst, abs(standard_errors((np.abs(reported - size) > t).sum(), cells, chance)))
    assert worst < FAR
    return f"bound attained {to(tightest)}; released cells within {worst:.1f} standard errors of it"


@claim("prop-singletons", stability_histogram,
       mutants={"truncated noise, whose error has no n": truncated_histogram,
                "half the noise": named_cells(noise_scale=.5), "twice the noise": named_cells(noise_scale=2.)})
def test_everybody_alone(histogram):
    """Release up to 100 000 cells of one record each and compare the distribution of the largest error with the
    formula. For 10, 1000 and 100 000 cells there are 2000, 1000 and 50 releases; a frequency may be five standard
    errors off.
    """
    given, b, worst, medians = dict(epsilon=1., delta=.01, neighbor="replace", noise="laplace"), 2., 0, []
    T, rng = stability_threshold(**given), np.random.default_rng(5)
    for n, runs in ((10, 2000), (1000, 1000), (100_000, 50)):
        largest = []
        for _ in range(runs):
            counts = histogram(np.arange(n), domain="integers", **given, rng=rng).counts
            largest.append(max(np.abs(counts - 1).max(initial=0), float(len(counts) < n)))
        largest = np.array(largest)
        for chance in (.25, .5, .75, .97):
            t = -b * math.log(-2 * math.expm1(math.log(chance) / n))
            if t >= max(1, T - 1):
                worst = max(worst, abs(standard_errors((largest <= t).sum(), runs, chance)))
        medians.append(float(np.median(largest)))
        t = b * math.log(n / 1.4)
        if t >= max(1, T - 1):
            worst = max(worst, abs(standard_errors((largest <= t).sum(), runs, (1 - .5 * math.exp(-t / b)) ** n)))
            assert (1 - .5 * math.exp(-t / b)) ** n < .5
    assert worst < 5
    shown = ", ".join(f"{m:.1f}" for m in medians)
    return f"frequencies within {worst:.1f} standard errors; median largest error {shown} for n = 10, 1000, 100 000"


# --- truncated noise ------------------------------------------------------------------------------------------------

def shown_truncated(threshold, A, q, top=160):
    """c -> law of what a cell of c records shows with noise cut off at A: nothing (entry 0) or its noisy count."""
    noise = q ** np.abs(np.arange(-A, A + 1.))
    noise /= noise.sum()

    def law(c):
        out = np.zeros(top)
        values = c + np.arange(-A, A + 1)
        kept = (values >= threshold) & (c > 0)
        out[values[kept]] = noise[kept]
        out[0] = noise[~kept].sum()
        return out
    return law


def truncated(cut=lambda A: A, threshold=lambda T: T, noise_scale=1., ends=True):
    """A truncated histogram with room for mistakes."""
    def histogram(labels, *, domain, epsilon, delta, neighbor, noise, runs=False, rng):
        given = dict(epsilon=epsilon, delta=delta, neighbor=neighbor, noise=noise)
        right = truncated_histogram([], domain=domain, **given, rng=rng).threshold
        whole = noise != "laplace"
        A = cut(right - 1 - whole)
        names, counts = np.unique(labels, return_counts=True)
        z = draw(noise, noise_scale * SWAP[neighbor] / epsilon, (40, counts.size), rng)        # rejection by column
        z = z[((np.abs(z) <= A) | (not ends)).argmax(axis=0), np.arange(counts.size)]
        T = threshold(1 + A + whole)
        keep = counts + z >= T if whole else counts + z > T
        return SparseHistogram(names[keep], (counts + z)[keep], T)
    return histogram


def least_bound(*, epsilon, delta, neighbor, noise):
    """The statement: A, found for integers by trying."""
    s, b = SWAP[neighbor], SWAP[neighbor] / epsilon
    if noise == "laplace":
        return b * math.log(1 + s * math.expm1(1 / b) / (2 * delta))
    powers = np.exp(-np.arange(1000) / b)
    return int(np.argmax(s * powers / (2 * np.cumsum(powers) - 1) <= delta))


def size_of_truncated(A, b, noise):
    """Mean and mean square of |Z| for noise conditioned on |Z| <= A."""
    if noise == "laplace":
        e = math.exp(-A / b)
        return b - A * e / (1 - e), (2 * b * b - e * (A * A + 2 * A * b + 2 * b * b)) / (1 - e)
    m = np.abs(np.arange(-A, A + 1))
    law = np.exp(-m / b) / np.exp(-m / b).sum()
    return law @ m, law @ m**2


@claim("thm-truncated-histogram", truncated_histogram,
       mutants={"cut off at A - 1": truncated(lambda A: A - 1), "half the noise": truncated(noise_scale=.5),
                "not cut off": truncated(ends=False), "a threshold two lower": truncated(threshold=lambda T: T - 2),
                "cut off later than needed": truncated(lambda A: A + 1)})
def test_noise_with_an_end(histogram):
    """Enumerate what two cells show with noise cut off at A, and at A - 1, then release cells of all sizes. No single
    record may be named, no noise be beyond A, no error above 1 + 2A. For Laplace noise the mass outside the
    neighbour's range is computed in closed form. The mean size of 3000 noises may be 6.5 standard errors off.
    """
    rng, highest, largest, worst = np.random.default_rng(6), 0, 0, 0
    sizes = np.repeat(np.r_[1, 150, 2:150], np.r_[3000, 3000, np.full(148, 10)])
    settings = [(1., 1e-6), (1., .01), (.3, 1e-3), (3., 1e-4)]
    for (epsilon, delta), neighbor, noise in itertools.product(settings, NEIGHBORS, NOISES):
        given, b = dict(epsilon=epsilon, delta=delta, neighbor=neighbor, noise=noise), SWAP[neighbor] / epsilon
        released = histogram(np.repeat(np.arange(sizes.size), sizes), domain="integers", **given, rng=rng)
        A, T = least_bound(**given), released.threshold
        reported = np.zeros(sizes.size)
        reported[released.labels] = released.counts
        z = reported[3000:6000] - 150
        assert not reported[:3000].any(), "a single record was named"
        assert np.abs(z).max() <= A * (1 + 1e-12) and np.abs(reported - sizes).max() <= 1 + 2 * A
        largest = max(largest, np.abs(reported - sizes).max() / (1 + 2 * A))
        if noise == "laplace":
            outside = (math.exp(-(A - 1) / b) - math.exp(-A / b)) / (-2 * math.expm1(-A / b))
            assert abs(outside * SWAP[neighbor] / delta - 1) < 1e-9 and abs(T - 1 - A) < 1e-9
        else:
            away = 1 if neighbor == "replace" else 0
            pairs = [*neighbours(4, neighbor), ((90, 0), (89, away)), ((90, 90), (89, 90 + away))]
            laws = [shown_truncated(threshold, cut, math.exp(-1 / b)) for threshold, cut in ((T, A), (T - 1, A - 1))]
            true, less = (exact_delta(law, epsilon, pairs) for law in laws)
            assert T == A + 2 and true <= delta * (1 + 1e-9) < less * 1.01, (given, A, true, less)
            highest = max(highest, true / delta)
        mean, square = size_of_truncated(A, b, noise)
        worst = max(worst, abs(np.abs(z).mean() - mean) / math.sqrt((square - mean**2) / z.size))
    assert worst < FAR
    return (f"true delta at most {highest:.3f} of the promised one; largest error {largest:.2f} of its bound; "
            f"mean size of the noise within {worst:.1f} standard errors")
