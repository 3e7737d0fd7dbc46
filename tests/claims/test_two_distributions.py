"""The statements of the page on two distributions."""

import functools
import itertools
import math

import numpy as np
from scipy.optimize import linprog
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from dplib.accounting import largest_gap
from dplib.lower_bounds import (clamped_likelihood_test, mean_sample_size_lower_bound, sign_test, sign_test_error,
                                two_point_sample_size)
from dplib.mean import clipped_mean, two_stage_mean, unbounded_mean
from tests.chance import FAR
from tests.claims import claim, to


def tv(shift):
    """Total variation distance of N(0, 1) and N(shift, 1), by integration of the densities."""
    x = np.linspace(-12, 12 + shift, 200_001)
    return np.trapezoid(np.maximum(np.exp(-x**2 / 2) - np.exp(-(x - shift) ** 2 / 2), 0), x) / math.sqrt(2 * math.pi)


def says_q(votes, epsilon):
    """The chance that votes plus Lap(2/epsilon) are positive."""
    return np.where(votes < 0, .5 * np.exp(-epsilon / 2 * np.abs(votes)), 1 - .5 * np.exp(-epsilon / 2 * np.abs(votes)))


def best_private_test(p, q, epsilon, delta=0.):
    """The least sum of both errors of a private test of a count with law p or q, from which any other is made."""
    n, e = len(p) - 1, math.exp(epsilon)
    step, back = np.eye(n, n + 1) - e * np.eye(n, n + 1, 1), np.eye(n, n + 1, 1) - e * np.eye(n, n + 1)
    sides = np.r_[np.full(2 * n, delta), np.full(2 * n, e - 1 + delta)]
    return 1 + linprog(p - q, A_ub=np.vstack([step, back, -step, -back]), b_ub=sides, bounds=(0, 1)).fun


# --- the bound ------------------------------------------------------------------------------------------------------

def closed_form(n, a, epsilon):
    """The statement: the mean of the largest gap."""
    r, s = math.exp(-epsilon / 2), 1 / math.cosh(epsilon / 2)
    return 1 - (1 + s) / 2 * (1 - a + a * r) ** n - (1 - s) / 2 * (1 - a - a * r) ** n


def simple(n, a, epsilon):
    """The statement: the simple upper bounds."""
    return min(math.tanh(epsilon * a * n / 2), 1 - math.exp(-epsilon * a * n / 2) / math.cosh(epsilon / 2))


def at_the_mean(*, total_variation, epsilon, beta):
    """The size at which the gap at distance an, in place of the mean gap, is enough: too small by Jensen."""
    n = 0
    while max(closed_form(n, total_variation, epsilon), simple(n, total_variation, epsilon)) < 1 - 2 * beta:
        n += 1
    return n


@claim("thm-two-point", two_point_sample_size, closed_form, simple,
       mutants={"the gap at the mean distance": (at_the_mean, closed_form, simple),
                "beta in place of 2 beta": (lambda *, total_variation, epsilon, beta:
                    two_point_sample_size(total_variation=total_variation, epsilon=epsilon, beta=beta / 2), closed_form, simple),
                "half the distance": (lambda *, total_variation, epsilon, beta:
                    two_point_sample_size(total_variation=total_variation / 2, epsilon=epsilon, beta=beta), closed_form, simple),
                "the odd distances treated as even ones": (two_point_sample_size, lambda n, a, epsilon:
                    1 - (1 - a + a * math.exp(-epsilon / 2)) ** n, simple),
                "the sign of the last term": (two_point_sample_size, lambda n, a, epsilon: closed_form(n, a, epsilon) +
                    (1 - 1 / math.cosh(epsilon / 2)) * (1 - a - a * math.exp(-epsilon / 2)) ** n, simple),
                "cosh forgotten": (two_point_sample_size, closed_form, lambda n, a, epsilon:
                    1 - math.exp(-epsilon * a * n / 2))})
def test_gap_of_coupled_data(sample_size, closed_form, simple):
    """Sum the largest gap over the binomial distribution term by term and compare it with the closed form, the simple
    bounds and the least number of records. Then find the best private test of 0-1 records by linear programming: none
    may do better, and one does as well where the distribution allows it.
    """
    worst, closest = 0, np.inf
    for a, epsilon in itertools.product((.05, .4, 1.), (.1, .7, 3.)):
        gap = lambda n: binom.pmf(np.arange(n + 1), n, a) @ largest_gap(epsilon=epsilon, distance=np.arange(n + 1))
        for n in (1, 2, 5, 24, 150):
            worst = max(worst, abs(closed_form(n, a, epsilon) - gap(n)))
            assert gap(n) <= simple(n, a, epsilon) + 1e-12
            k = np.arange(n + 1)
            for p in {0., .2 * (1 - a), 1 - a}:
                room = gap(n) - (1 - best_private_test(binom.pmf(k, n, p), binom.pmf(k, n, p + a), epsilon))
                assert room > -1e-7, (a, epsilon, n, p)
                closest = min(closest, room)
        for beta in (.2, .05):
            n = int(sample_size(total_variation=a, epsilon=epsilon, beta=beta))
            assert gap(n) >= 1 - 2 * beta - 1e-12 and gap(n - 1) < 1 - 2 * beta, (a, epsilon, beta)
    assert worst < 1e-12 and closest < 1e-7
    return f"closed form right {to(worst)}; no private test above the bound, and one meets it {to(max(closest, 0))}"


def with_delta(n, a, epsilon, delta, *, times=2.):
    """The statement: the mean gap, and what δ adds to it."""
    return closed_form(n, a, epsilon) + times * delta / math.expm1(epsilon)


def by_steps(n, a, epsilon, delta, *, half=.5, weight=1.):
    """The statement: what an records can move at most, one step each."""
    return a * n * (half * epsilon + weight * delta)


@claim("prop-two-point-delta", with_delta, by_steps,
       mutants={"δ costs nothing": (functools.partial(with_delta, times=0.), by_steps),
                "half of the term with δ": (functools.partial(with_delta, times=1.), by_steps),
                "by steps, without δ": (with_delta, functools.partial(by_steps, weight=0.)),
                "by steps, a quarter of ε": (with_delta, functools.partial(by_steps, half=.25))})
def test_gap_of_coupled_data_with_delta(with_delta, by_steps):
    """Find the best (ε, δ)-private test of 0-1 records by linear programming: it may not do better than either bound.
    Where all records differ it comes within a tenth of what δ adds, and for one record within a hundredth of the steps.
    """
    worst, added, stepped = -1., 0., 0.
    for n, a, epsilon, delta in itertools.product((1, 2, 5, 20), (.1, .4, 1.), (.02, .3, 1.), (1e-4, .01, .1)):
        p, q = np.eye(1, n + 1)[0], binom.pmf(np.arange(n + 1), n, a)
        gap = 1 - best_private_test(p, q, epsilon, delta)
        worst = max(worst, gap - min(with_delta(n, a, epsilon, delta), by_steps(n, a, epsilon, delta)))
        stepped = max(stepped, gap / by_steps(n, a, epsilon, delta))
    for n, delta in ((8, .01), (6, .03)):
        gap = 1 - best_private_test(np.eye(1, n + 1)[0], np.eye(1, n + 1, n)[0], 1., delta)
        most = 2 * delta / math.expm1(1.)
        worst = max(worst, gap - with_delta(n, 1., 1., delta))
        added = max(added, (gap - closed_form(n, 1., 1.)) / most)
    assert worst < 1e-7 and added > .9 and stepped > .99
    return f"the best test gains {added:.1%} of what δ may add, and {stepped:.2%} of what one step may"


# --- the vote -------------------------------------------------------------------------------------------------------

def vote(noise=2., middle=lambda shift: shift / 2):
    """A vote with room for mistakes."""
    def test(x, *, shift, epsilon, runs=False, rng):
        votes = 2 * (x > middle(shift)).sum(axis=-1) - x.shape[-1]
        return votes + rng.laplace(scale=noise / epsilon, size=votes.shape) > 0
    return test


def tail_bound(n, a, theta):
    """The statement: an upper bound of the error."""
    return (math.cosh(theta) - a * math.sinh(theta)) ** n


@claim("prop-sign-test", sign_test, sign_test_error, tail_bound,
       mutants={"noise for one vote": (vote(noise=1.), sign_test_error, tail_bound),
                "5% too little noise": (vote(noise=1.9), sign_test_error, tail_bound),
                "more noise than is needed": (vote(noise=4.), sign_test_error, tail_bound),
                "votes counted from 0": (vote(middle=lambda shift: 0.), sign_test_error, tail_bound),
                "an error without the noise": (sign_test, lambda *, size, shift, epsilon:
                    sign_test_error(size=size, shift=shift, epsilon=50.), tail_bound),
                "half the error": (sign_test, lambda **k: sign_test_error(**k) / 2, tail_bound),
                "a bound with twice the distance": (sign_test, sign_test_error, lambda n, a, theta:
                    tail_bound(n, min(1, 2 * a), theta))})
def test_the_vote(test, error, tail_bound):
    """Compare how often the vote says Q on the two neighbours where its probabilities differ most (300 000 runs each,
    the log of the ratio must be epsilon up to 6.5 standard errors, while 5% too little noise is 12 of them off), how
    often it errs with the exact formula, and the formula with its upper bound and with the best private test of votes,
    found by linear programming.
    """
    rng, runs, epsilon, off = np.random.default_rng(1), 300_000, 1., 0.
    chances = [np.mean(test(np.broadcast_to(x, (runs, 3)), shift=1., epsilon=epsilon, runs=True, rng=rng))
               for x in ([-4., -2., -1.], [.6, -2., -1.])]
    assert min(chances) > .001, chances
    standard = math.sqrt(sum((1 - c) / (c * runs) for c in chances))
    off = max(off, abs(math.log(chances[1] / chances[0]) - epsilon) / standard)
    for n, shift, epsilon, mean in [(9, 1., .5, 0), (9, 1., .5, 1), (24, .3, .2, 0), (24, .3, .2, 1), (1, 2., 1., 1)]:
        x = rng.normal(mean * shift, size=(100_000, n))
        wrong = np.mean(test(x, shift=shift, epsilon=epsilon, runs=True, rng=rng) != mean)
        chance = float(error(size=n, shift=shift, epsilon=epsilon))
        off = max(off, abs(wrong - chance) / math.sqrt(chance * (1 - chance) / len(x)))
    assert off < FAR
    for n, shift, epsilon in itertools.product((2, 10, 40), (.3, 1.), (.1, 1.)):
        p, k = ndtr(-shift / 2), np.arange(n + 1)
        best = best_private_test(binom.pmf(k, n, p), binom.pmf(k, n, 1 - p), epsilon) / 2
        chance = float(error(size=n, shift=shift, epsilon=epsilon))
        assert abs(best - chance) < 1e-8, (n, shift, epsilon)
        assert all(chance <= tail_bound(n, tv(shift), theta) for theta in np.linspace(0, epsilon / 2, 5))
    return f"frequencies within {off:.1f} standard errors; for even n no private test of votes errs less (12 settings)"


# --- the clamped likelihood ratio -----------------------------------------------------------------------------------

def likelihood(noise=2., clamp_at=lambda clamp: clamp, middle=lambda shift: shift / 2):
    """A clamped likelihood ratio with room for mistakes."""
    def test(x, *, shift, clamp, epsilon, runs=False, rng):
        ratio = np.clip(shift * (x - middle(shift)), -clamp_at(clamp), clamp_at(clamp)).sum(axis=-1)
        return ratio + rng.laplace(scale=noise * clamp / epsilon, size=ratio.shape) > 0
    return test


def exponential_moment(theta, shift, clamp):
    """The statement: one factor of the bound, in closed form."""
    low, high = shift / 2 - clamp / shift, shift / 2 + clamp / shift
    inside = math.exp(-theta * (1 - theta) * shift**2 / 2) * (ndtr(high - theta * shift) - ndtr(low - theta * shift))
    return math.exp(-theta * clamp) * ndtr(low) + inside + math.exp(theta * clamp) * ndtr(-high)


def clamped_error(n, shift, clamp, epsilon, m=200):
    """The error, from the n-th power of the Fourier transform of a clamped record's law on a grid."""
    v = np.arange(-m, m + 1) / m
    law = np.diff(np.r_[0, ndtr((v[1:] + v[:-1]) / 2 * clamp / shift + shift / 2), 1])
    size = 2 * m * n + 1
    total = np.fft.irfft(np.fft.rfft(law, size) ** n, size)
    return float(total @ says_q(np.arange(-m * n, m * n + 1) / m, epsilon))


@claim("thm-clamped-test", clamped_likelihood_test, exponential_moment,
       mutants={"noise for half the range": (likelihood(noise=1.), exponential_moment),
                "5% too little noise": (likelihood(noise=1.9), exponential_moment),
                "no clamp": (likelihood(clamp_at=lambda clamp: np.inf), exponential_moment),
                "the middle at 0": (likelihood(middle=lambda shift: 0.), exponential_moment),
                "twice the allowed theta": (clamped_likelihood_test, lambda theta, shift, clamp:
                    exponential_moment(2 * theta, shift, clamp)),
                "the moment without a clamp": (clamped_likelihood_test, lambda theta, shift, clamp:
                    math.exp(-theta * (1 - theta) * shift**2 / 2))})
def test_the_clamped_likelihood_ratio(test, moment):
    """Compare how often it says Q on two neighbours whose clamped sums are as far apart as possible (300 000 runs each,
    the log of the ratio must be epsilon up to 6.5 standard errors), how often it errs with the exact distribution of
    the clamped sum, in both worlds and from a tiny clamp (the vote) to a large one, and the exact error with the upper
    bound.
    """
    rng, runs, epsilon, off = np.random.default_rng(2), 300_000, 1., 0.
    chances = [np.mean(test(np.broadcast_to(x, (runs, 3)), shift=1., clamp=.8, epsilon=epsilon, runs=True, rng=rng))
               for x in ([-9., -7., -5.], [9., -7., -5.])]
    assert min(chances) > .001, chances
    standard = math.sqrt(sum((1 - c) / (c * runs) for c in chances))
    off = max(off, abs(math.log(chances[1] / chances[0]) - epsilon) / standard)
    settings = [(10, 1., .8, .5, 0), (10, 1., .8, .5, 1), (25, .4, .1, .2, 1), (25, .4, 1., 1., 0)]
    for n, shift, clamp, epsilon, mean in settings:
        x = rng.normal(mean * shift, size=(100_000, n))
        wrong = np.mean(test(x, shift=shift, clamp=clamp, epsilon=epsilon, runs=True, rng=rng) != mean)
        chance = clamped_error(n, shift, clamp, epsilon)
        off = max(off, abs(wrong - chance) / math.sqrt(chance * (1 - chance) / len(x)))
    assert off < FAR
    for shift, clamp, epsilon, n in itertools.product((.3, 1.), (.1, .5, 2.), (.1, 1., 4.), (5, 80)):
        chance = clamped_error(n, shift, clamp, epsilon)
        allowed = np.linspace(0, min(1, epsilon / (2 * clamp)), 7)
        assert all(chance <= moment(theta, shift, clamp) ** n + 1e-12 for theta in allowed)
    vote = abs(clamped_error(51, .7, 1e-9, .3) / float(sign_test_error(size=51, shift=.7, epsilon=.3)) - 1)
    hellinger = abs(exponential_moment(.5, .7, 50.) - math.exp(-.7**2 / 8))
    assert vote < 1e-6 and hellinger < 1e-12
    return f"frequencies within {off:.1f} standard errors; the bound holds in 36 settings; a tiny clamp is the vote"


# --- the forbidden region -------------------------------------------------------------------------------------------

def region(*, factor=1., distance=lambda accuracy: 2 * ndtr(accuracy) - 1, alone=lambda beta: -ndtri(beta)):
    """The forbidden region for two means, with room for mistakes."""
    def bound(*, accuracy, beta, epsilon, radius):
        pair = two_point_sample_size(total_variation=distance(accuracy), epsilon=epsilon, beta=beta)
        return math.ceil(factor * max(int(pair), (alone(beta) / accuracy) ** 2))
    return bound


def runs_of(estimate, **budget):
    """The share of runs in which an estimator is within alpha of the mean, which is uniform in its range."""
    def success(n, alpha, epsilon, radius, rng):
        mean = rng.uniform(-radius, radius, size=(4000, 1))
        keywords = budget | ({} if estimate is unbounded_mean else {"radius": radius})
        answer = estimate(mean + rng.normal(size=(4000, n)), epsilon=epsilon, runs=True, rng=rng, **keywords)
        return np.mean(np.abs(answer - mean[:, 0]) < alpha), 4000
    return success


ESTIMATORS = [runs_of(clipped_mean), runs_of(two_stage_mean), runs_of(unbounded_mean, delta=1e-6)]


@claim("cor-two-means", mean_sample_size_lower_bound,
       mutants={"a tenth too large": region(factor=1.1),
                "alpha read as the distance of the means": region(distance=lambda accuracy: 2 * ndtr(accuracy / 2) - 1),
                "a fifth too small": region(factor=.8),
                "the quantile for two sides": region(alone=lambda beta: -ndtri(beta / 2)),
                "a linear approximation of the distance": region(distance=lambda accuracy:
                    accuracy / math.sqrt(2 * math.pi))})
def test_nobody_enters_the_forbidden_region(bound):
    """Put tests and estimators just below the bound and see them fail: the vote and the clamped likelihood ratio by
    their exact errors, three private estimators whose success in 4000 runs may exceed 1 - beta by at most
    6.5 standard errors. And the bound must be the larger of two numbers: that of the total variation distance, integrated
    numerically, and the first at which the likelihood ratio without privacy is right often enough.
    """
    rng, closest, worst = np.random.default_rng(3), 1., -np.inf
    for alpha, beta, epsilon in itertools.product((.15, .5), (.05, .2), (.05, .1, 1.)):
        least = int(bound(accuracy=alpha, beta=beta, epsilon=epsilon, radius=alpha))
        pair = int(two_point_sample_size(total_variation=tv(2 * alpha), epsilon=epsilon, beta=beta))
        alone = next(n for n in itertools.count(1) if ndtr(-alpha * math.sqrt(n)) <= beta)     # the likelihood ratio
        assert least == max(pair, alone) and tv(2 * alpha) <= math.sqrt(2 / math.pi) * alpha
        errors = [float(sign_test_error(size=least - 1, shift=2 * alpha, epsilon=epsilon)),
                  clamped_error(least - 1, 2 * alpha, min(epsilon, 2 * alpha), epsilon)]
        assert min(errors) > beta, (alpha, beta, epsilon)
        closest = min(closest, min(errors) / beta - 1)
    for radius, success in itertools.product((.5, 10.), ESTIMATORS):
        for epsilon in (.1, 1.):
            least = int(bound(accuracy=.5, beta=.05, epsilon=epsilon, radius=radius))
            share, runs = success(least - 1, .5, epsilon, radius, rng)
            worst = max(worst, (share - .95) / math.sqrt(.95 * .05 / runs))
    assert worst < FAR
    return f"the closest test errs {100 * closest:.1f}% more often than allowed; no estimator enters, in 12 settings"
