"""The statements of the page on tracing."""

import itertools
import math

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.optimize import linprog

from dplib.lower_bounds import tracing_sample_size, tracing_scores
from tests.claims import claim, to

NODES, WEIGHTS = leggauss(12)       # averages over p uniform on [-1, 1] (weights / 2), exact up to degree 23


def data_sets(n, d):
    """All data sets of n rows of d signs, shape (2^(nd), n, d)."""
    return np.array(list(itertools.product([-1, 1], repeat=n * d))).reshape(-1, n, d)


def chances(x, p):
    """The probability of each data set if column j has mean p_j."""
    return np.prod((1 + x * p) / 2, axis=(-2, -1))


# --- scores ---------------------------------------------------------------------------------------------------------

def member_mean(p, n):
    """The statement: mean score of a member."""
    return np.sum(1 - p**2) / n


def stranger_variance(p, f):
    """The statement: variance of a stranger's score, given the averages."""
    return np.sum((1 - p**2) * (f - p) ** 2, axis=-1)


@claim("prop-tracing-scores", tracing_scores, member_mean, stranger_variance,
       mutants={"p left out": (lambda x, f, center: tracing_scores(x, f, center=0), member_mean, stranger_variance),
                "the averages not centred": (lambda x, f, center: np.einsum("...nd,...d->...n", x - center, f),
                                             member_mean, stranger_variance),
                "n - 1 in place of n": (tracing_scores, lambda p, n: member_mean(p, n - 1), stranger_variance),
                "p (1 - p) as the variance of a sign": (tracing_scores, lambda p, n:
                    member_mean(p, n) / 4, stranger_variance),
                "a variance with the member's factor twice":
                    (tracing_scores, member_mean, lambda p, f: np.sum((1 - p**2) ** 2 * (f - p) ** 2, axis=-1))})
def test_scores_of_everybody(scores, member_mean, stranger_variance):
    """Enumerate all data sets of three people and two questions and all strangers, for several populations, and compare
    the mean scores and the variance with the formulas; then average over uniform populations.
    """
    n, d, worst = 3, 2, 0.
    x, strangers = data_sets(n, d), data_sets(1, d)[:, 0]
    f = x.mean(axis=1)
    for p in (np.array([.3, -.8]), np.array([0., .95]), np.array([-.5, .5])):
        weight, other = chances(x, p), chances(strangers[:, None], p)
        mean = weight @ scores(x, f, center=p)
        outside = scores(np.broadcast_to(strangers, (len(x), *strangers.shape)), f, center=p)
        worst = max(worst, np.abs(mean - member_mean(p, n)).max(), np.abs(outside @ other).max(),
                    np.abs(outside**2 @ other - stranger_variance(p, f)).max())
    assert worst < 1e-12
    grid = [(w / 2, np.array([p])) for w, p in zip(WEIGHTS, NODES)]
    one = data_sets(n, 1)
    mean = sum(w * member_mean(p, n) for w, p in grid)
    variance = sum(w * chances(one, p) @ stranger_variance(p, one.mean(axis=1)) for w, p in grid)
    assert abs(mean - 2 / (3 * n)) < 1e-12 and abs(variance - 8 / (15 * n)) < 1e-12
    return f"means and variances agree {to(worst)}; on average 2/(3n) and 8/(15n) per column"


# --- fingerprints ---------------------------------------------------------------------------------------------------

def fingerprint(square, error):
    """The statement: from the mean of f² and the mean squared error."""
    return 1 / 3 + square - error


def correlation(product):
    """The statement: from the mean of pf."""
    return 2 * product


@claim("prop-fingerprint", fingerprint, correlation,
       mutants={"a half in place of a third": (lambda square, error: 1 / 2 + square - error, correlation),
                "the square of f forgotten": (lambda square, error: 1 / 3 - error, correlation),
                "twice the error": (lambda square, error: 1 / 3 + square - 2 * error, correlation),
                "the factor 2 forgotten": (fingerprint, lambda product: product)})
def test_fingerprints_of_all_sorts_of_functions(fingerprint, correlation):
    """Take the mean, the majority, a constant and twenty random functions of up to six signs, sum over all data sets
    and integrate over p exactly, and compare both sides.
    """
    rng, worst, count = np.random.default_rng(1), 0., 0
    for n in range(1, 7):
        x = data_sets(n, 1)
        total = x.sum(axis=(1, 2))
        for f in [total / n, np.sign(total), np.full(len(x), .7), *rng.normal(size=(20, len(x)))]:
            sums = np.zeros(4)
            for w, p in zip(WEIGHTS / 2, NODES):
                values = [f * (total - n * p), f**2, (f - p) ** 2, p * f]
                sums += [w * chances(x, p) @ v for v in values]
            left, square, error, product = sums
            worst = max(worst, abs(left - fingerprint(square, error)), abs(left - correlation(product)))
            count += 1
    assert worst < 1e-11
    return f"both sides agree {to(worst)} for {count} functions of one to six signs"


# --- the bound ------------------------------------------------------------------------------------------------------

def denominator(epsilon, delta, alpha, largest):
    """The proof: how much larger the mean score of a member can be than that of a stranger; scores up to `largest`."""
    return 2 * math.sinh(epsilon / 2) * alpha + 2 * delta * largest


def least_people(d, alpha, epsilon, delta):
    """The statement."""
    return 2 * math.sqrt(d / 3) * (math.sqrt(d / 3) - alpha) / denominator(epsilon, delta, alpha, 7 * d / 3)


def best_pair(epsilon, delta, alpha, largest, grid=40):
    """The largest mean score under P if it has mean 0 and mean square alpha² under P', for all close laws P and P':
    a linear programme over both laws, on a grid of scores.
    """
    w = np.linspace(-largest, largest, 2 * grid + 1)
    k, one, e = w.size, np.eye(w.size), math.exp(epsilon)
    none, ones = np.zeros((k, k)), np.ones(k)
    row = lambda *, place, values: np.r_[np.zeros(place * k), values, np.zeros((3 - place) * k)]
    close = [np.hstack([one, -e * one, -one, none]), np.hstack([-e * one, one, none, -one]),
             [row(place=2, values=ones), row(place=3, values=ones), row(place=1, values=w**2)]]
    laws = [row(place=0, values=ones), row(place=1, values=ones), row(place=1, values=w)]
    best = linprog(-row(place=0, values=w), A_ub=np.vstack(close),
                   b_ub=np.r_[np.zeros(2 * k), delta, delta, alpha**2], A_eq=laws, b_eq=[1, 1, 0], bounds=(0, None))
    return -best.fun


def truthful_majority(n, epsilon, scale):
    """Randomised response by each of n people, one column: the mean of the reports times `scale`, and its law."""
    reports = data_sets(n, 1)[:, :, 0]
    keep = math.exp(epsilon) / (1 + math.exp(epsilon))
    outputs = np.clip(scale * reports.mean(axis=1), -1, 1)
    law = np.prod(np.where(reports[None] == reports[:, None], keep, 1 - keep), axis=2)      # (data set, report)
    return outputs, law


def rounded_up(change=least_people):
    """What the package computes, with room for another statement."""
    def sample_size(*, columns, accuracy, epsilon, delta):
        return math.ceil(change(columns, accuracy * math.sqrt(columns), epsilon, delta) - 1e-9)
    return sample_size


@claim("thm-tracing-bound", denominator, least_people, tracing_sample_size,
       mutants={"sinh(epsilon/2) without its 2": (lambda epsilon, delta, alpha, largest:
                    math.sinh(epsilon / 2) * alpha + 2 * delta * largest, least_people, tracing_sample_size),
                "tanh in place of sinh": (lambda epsilon, delta, alpha, largest:
                    2 * math.tanh(epsilon / 2) * alpha + 2 * delta * largest, least_people, tracing_sample_size),
                "delta forgotten": (lambda epsilon, delta, alpha, largest:
                    2 * math.sinh(epsilon / 2) * alpha, least_people, tracing_sample_size),
                "exp(epsilon) - 1, which nothing attains": (lambda epsilon, delta, alpha, largest:
                    math.expm1(epsilon) * alpha + 2 * delta * largest, least_people, tracing_sample_size),
                "d/2 in place of d/3": (denominator, lambda d, alpha, epsilon, delta:
                    2 * math.sqrt(d / 2) * (math.sqrt(d / 2) - alpha) / denominator(epsilon, delta, alpha, 7 * d / 3), tracing_sample_size),
                "half of the error": (denominator, lambda d, alpha, epsilon, delta:
                    2 * math.sqrt(d / 3) * (math.sqrt(d / 3) - alpha / 2) / denominator(epsilon, delta, alpha, 7 * d / 3),
                    tracing_sample_size),
                "in the package: the simpler form": (denominator, least_people, rounded_up(lambda d, alpha, epsilon, delta:
                    d / 6 / (math.expm1(epsilon) * alpha + 8 * d * delta))),
                "in the package: one person too few":
                    (denominator, least_people, rounded_up(lambda *given: least_people(*given) - 1))})
def test_accounting_of_scores(denominator, least_people, in_package):
    """Find the two distributions that are farthest apart in their mean score by linear programming: they must stay
    within the denominator, and for delta = 0 come within 1% of it. Then compute the exact mean squared error of
    randomised response with averaging, of answering 0 and of a weak answer in between, for up to four people: none may
    need fewer people than the bound. And the quoted form must be smaller, and the package's the statement, rounded up.
    """
    closest = np.inf
    settings = [(.1, 0, .2, 1), (1, 0, .2, 1), (2, 0, .3, 2), (.5, 1e-3, .2, 1), (1, .01, .1, 1)]
    for epsilon, delta, alpha, largest in settings:
        room = denominator(epsilon, delta, alpha, largest) / best_pair(epsilon, delta, alpha, largest) - 1
        assert room > -1e-7 and (delta > 0 or room < .01), (epsilon, delta, room)
        closest = min(closest, room)
    tightest = 0.
    for n, epsilon, scale in itertools.product((1, 2, 4), (.05, .3, 1., 2.), (0., .3, 1.)):
        x, (outputs, law) = data_sets(n, 1), truthful_majority(n, epsilon, scale)
        square = sum(w / 2 * chances(x, p) @ law @ (outputs - p) ** 2 for w, p in zip(WEIGHTS, NODES))
        needed = least_people(1, math.sqrt(square), epsilon, 0)
        assert needed <= n + 1e-9, (n, epsilon, scale, needed)
        tightest = max(tightest, needed / n)
    for d, epsilon, delta in itertools.product((10, 1000), (.01, 1., 3.), (0, 1e-6, .01)):
        alpha = math.sqrt(d / 6)
        quoted = d / 6 / (math.expm1(epsilon) * alpha + 8 * d * delta)
        assert quoted <= least_people(d, alpha, epsilon, delta)
        given = dict(columns=d, accuracy=math.sqrt(1 / 6), epsilon=epsilon, delta=delta)
        assert in_package(**given) == math.ceil(least_people(d, alpha, epsilon, delta) - 1e-9), given
    return (f"two laws come within {100 * closest:.2f}% of the denominator; no mechanism gets by with fewer people, "
            f"the nearest has {1 / tightest:.1f} times as many")
