"""The statements of the page on the local model."""

import itertools
import math

import numpy as np
from scipy.special import betaincinv, ndtri
from scipy.stats import binom

from dplib.local import (
    local_laplace,
    local_mean_interval,
    local_mean_sample_size,
    local_mean_sample_size_lower_bound,
    local_randomized_response,
)
from dplib.sample_size import least_size
from tests.chance import FAR
from tests.claims import claim, page_function, to

EPSILONS = (.1, 1., 3.)


# --- a number in one bit ----------------------------------------------------------------------------------------------

class Lattice(np.random.Generator):
    """Uniform numbers that take every value of a lattice once, the first two calls along an axis each."""

    def __init__(self, side):
        super().__init__(np.random.PCG64(0))
        self.side, self.calls = side, 0

    def random(self, shape):
        self.calls += 1
        grid = (np.arange(self.side) + .5) / self.side
        return np.broadcast_to(grid[:, None] if self.calls == 1 else grid, shape)


def two_steps(keep=lambda e: 1 / (1 + math.exp(-e)), size=lambda e: 1 / math.tanh(e / 2), up=lambda x: (1 + x) / 2):
    """A sign of the right mean, then a coin that keeps it, and what is sent for it."""
    def report(values, *, epsilon, rng):
        sign = np.where(rng.random(values.shape) < up(values), 1, -1)
        return size(epsilon) * sign * np.where(rng.random(values.shape) < keep(epsilon), 1, -1)
    return report


@claim("thm-local-mean", local_randomized_response,
       mutants={"truth with probability (1 + epsilon)/2": two_steps(keep=lambda e: min(1, (1 + e) / 2)),
                "truth with probability 1/2 + epsilon/4": two_steps(keep=lambda e: min(1, .5 + e / 4)),
                "tanh in place of coth": two_steps(size=lambda e: math.tanh(e / 2)),
                "reports of 1, as if nobody lied": two_steps(size=lambda e: 1),
                "the sign of the value, in place of a coin of its mean": two_steps(up=lambda x: x >= 0)})
def test_reports_by_counting_coins(report):
    """Run the code on every pair of 1000 x 1000 equally likely coins, for five values and three epsilons: the share of
    each report, the largest log-ratio, the mean, and the variance of a population. A share is right to 0.001.
    """
    side, values, worst, ratio = 1000, np.array([-1, -.4, 0, .5, 1]), 0, 0
    for epsilon in EPSILONS:
        c = 1 / math.tanh(epsilon / 2)
        sent = [report(np.full((side, side), x), epsilon=epsilon, rng=Lattice(side)) for x in values]
        ups = np.array([np.mean(reports > 0) for reports in sent])
        assert np.allclose(np.abs(sent), c, rtol=1e-12)
        off = np.abs(ups - (.5 + values / (2 * c))).max()
        worst = max(worst, off)
        assert off < 1.1e-3
        ratio = max(ratio, np.ptp(np.log(ups)) / epsilon, np.ptp(np.log1p(-ups)) / epsilon)
        means = np.array([np.mean(reports) for reports in sent])
        assert np.abs(means - values).max() < 2.2e-3 * c
        assert abs(np.var(sent) - (c**2 - np.mean(values) ** 2)) < 5e-3 * c
    assert ratio < 1.03
    return f"shares right {to(worst)}, of the order of a coin; log-ratio at most {ratio:.3f} epsilon"


# --- enough people ----------------------------------------------------------------------------------------------------

def hoeffding(scale=2., inside=2., power=2):
    def size(*, accuracy, epsilon, beta):
        return math.ceil(scale / math.tanh(epsilon / 2) ** power / accuracy**2 * math.log(inside / beta))
    return size


@claim("prop-local-size", local_mean_sample_size,
       mutants={"one side only, ln(1/beta)": hoeffding(inside=1.),
                "a range of c in place of 2c": hoeffding(scale=.5),
                "half of it": hoeffding(scale=1.),
                "c in place of its square": hoeffding(power=1)})
def test_failures_of_averages(size):
    """Compute the probability of a wrong average exactly, for people at -1 and 1 with nine means and two settings of
    each number, and compare the size with the formula of the statement.
    """
    largest = 0
    for accuracy, epsilon, beta in itertools.product((.3, .8), (.5, 2.), (.3, .01)):
        n, c = int(size(accuracy=accuracy, epsilon=epsilon, beta=beta)), 1 / math.tanh(epsilon / 2)
        assert n >= 2 * c**2 / accuracy**2 * math.log(2 / beta) > n - 1
        k = np.arange(n + 1)
        for mean in np.linspace(-1, 1, 9):
            wrong = np.abs(c * (2 * k / n - 1) - mean) >= accuracy
            largest = max(largest, binom.pmf(k, n, .5 + mean / (2 * c))[wrong].sum() / beta)
    assert largest <= 1
    return f"an average is wrong with at most {largest:.2f} of the allowed probability"


# --- an interval -----------------------------------------------------------------------------------------------------

def interval(sides=2, size=lambda e: 1 / math.tanh(e / 2), least=0, wald=False):
    """The ends of an interval from reports ±c, from the exact limits of a binomial share, or from a normal approximation."""
    def ends(reports, *, epsilon, level=.95):
        n, ups = reports.shape[-1], np.sum(reports > 0, axis=-1)
        beyond = (1 - level) / sides
        limit = lambda k: np.where(k > least, betaincinv(np.maximum(k - least, 1e-9), n - k + 1 + least, beyond), 0)
        shares = np.stack([limit(ups), 1 - limit(n - ups)], axis=-1)
        if wald:
            share, far = ups / n, ndtri(1 - beyond) * np.sqrt(ups / n * (1 - ups / n) / n)
            shares = np.stack([share - far, share + far], axis=-1)
        return np.clip(size(epsilon) * (2 * shares - 1), -1, 1)
    return ends


@claim("prop-local-interval", local_mean_interval,
       mutants={"all of alpha on each side": interval(sides=1), "reports of size 1": interval(size=lambda e: 1.),
                "a report too few on the other side": interval(least=-1), "a normal approximation": interval(wald=True)})
def test_coverage_of_intervals(interval):
    """Compute the probability that the interval contains the mean exactly, for up to 60 reports and 401 means: it is never below
    the level, and for most means not far above it.
    """
    least, typical = np.inf, 0.
    for n, epsilon, level in itertools.product((1, 12, 60), (.1, 1., 5.), (.5, .95)):
        c = 1 / math.tanh(epsilon / 2)
        ups = np.arange(n + 1)
        low, high = interval(np.where(np.arange(n) < ups[:, None], c, -c), epsilon=epsilon, level=level).T
        means = np.linspace(-1, 1, 401)[:, None]
        chance = binom.pmf(ups, n, .5 + means / (2 * c))
        covered = np.sum(chance * ((low <= means) & (means <= high)), axis=1)
        least = min(least, covered.min() - level)
        typical = max(typical, np.median(covered) - level) if n == 60 else typical
    assert least >= -1e-12 and typical < .13
    return f"at least {least:.4f} above the level, and in the median at most {typical:.2f}"


# --- two numbers or a real one ----------------------------------------------------------------------------------------

two_numbers, real_number = page_function("local-model", "two_numbers"), page_function("local-model", "real_number")


def laplace_of(scale=2., clip=1.):
    def report(values, *, epsilon, rng):
        return np.clip(values, -clip, clip) + rng.laplace(scale=scale / epsilon, size=np.shape(values))
    return report


@claim("prop-local-laplace", local_laplace, two_numbers, real_number,
       mutants={"scale 1/epsilon on [-1, 1]": (laplace_of(scale=1.), two_numbers, real_number),
                "records that are not clipped": (laplace_of(clip=np.inf), two_numbers, real_number),
                "the variance of the data in place of their mean square": (
                    local_laplace, two_numbers, lambda epsilon, square: 8 / epsilon**2 + square * (1 - square)),
                "2 b squared with b = 1/epsilon": (local_laplace, two_numbers, lambda epsilon, square: 2 / epsilon**2 + square),
                "c in place of its square": (local_laplace, lambda e: 1 / np.tanh(e / 2), real_number)})
def test_two_kinds_of_noise(report, two_numbers, real_number):
    """Compare 400 000 Laplace reports with the stated variance and the ratio of densities (noise of half the scale is
    missed less than once in 10^9), and the two second moments with each other on a fine grid of epsilon.
    """
    size, far = 400_000, 0
    for epsilon, x in itertools.product((.5, 2.), (np.array([-1., 1]), np.array([0., 0, .6]), np.array([3., 1, -7]))):
        held = np.clip(x, -1, 1)
        data = np.resize(x, size - size % 6)
        sent = report(data, epsilon=epsilon, rng=np.random.default_rng(3))
        wanted = real_number(epsilon, np.mean(held**2))
        fourth = 24 * (2 / epsilon) ** 4 + 6 * 8 / epsilon**2 + 1
        far = max(far, abs(np.mean(sent**2) - wanted) / math.sqrt(fourth / size))
        assert abs(sent.mean() - held.mean()) < FAR * math.sqrt(wanted / size)
    assert far < FAR
    grid = np.geomspace(.01, 100, 20_001)
    lead = two_numbers(grid) - (real_number(grid, 0.))          # the left-hand side of the statement
    assert np.all(np.diff(lead) > 0) and lead[0] < -1e4 and 1 - 1e-3 < lead[-1] < 1
    assert np.all(two_numbers(grid) < real_number(grid, 1.))
    crossings = [grid[np.argmax(two_numbers(grid) > real_number(grid, s))] for s in (0., 1 / 3, .5)]
    assert np.allclose(crossings, [2.32417, 3.00476, 3.60800], rtol=1e-3)
    return f"moments within {far:.1f} standard errors; crossings at {', '.join(f'{e:.2f}' for e in crossings)}"


# --- a message about a bit --------------------------------------------------------------------------------------------

from_response = page_function("local-model", "from_response")


def mixture(keep=lambda e: math.exp(e), divisor=math.expm1):
    def apart(q_plus, q_minus, epsilon):
        plus, minus = np.asarray(q_plus), np.asarray(q_minus)
        return (keep(epsilon) * plus - minus) / divisor(epsilon), (keep(epsilon) * minus - plus) / divisor(epsilon)
    return apart


def private_rows(rng, records, messages, epsilon):
    """Randomisers with the extreme ratio somewhere: every column between l and l times e^epsilon, rows that add up to 1."""
    while True:
        low = rng.dirichlet(np.ones(messages))
        rows = low * np.exp(epsilon * rng.integers(0, 2, (records, messages)))
        rows /= rows.sum(axis=1, keepdims=True)
        if np.all(rows.max(axis=0) <= np.exp(epsilon) * rows.min(axis=0)):
            return rows


@claim("lem-local-contraction", from_response, lambda epsilon: math.tanh(epsilon / 2),
       mutants={"e^epsilon + 1 below": (mixture(divisor=lambda e: math.exp(e) + 1), lambda e: math.tanh(e / 2)),
                "the kernel of twice epsilon": (mixture(keep=lambda e: math.exp(2 * e), divisor=lambda e: math.expm1(2 * e)),
                                                lambda e: math.tanh(e / 2)),
                "contraction by tanh(epsilon/4)": (from_response, lambda e: math.tanh(e / 4)),
                "contraction by 1 - e^-epsilon, which nothing attains": (from_response, lambda e: -math.expm1(-e))})
def test_messages_from_responses(from_response, factor):
    """Take 600 random private randomisers apart: the kernel must be a distribution and give the messages back. Compare the
    distances of mixtures of records with the stated factor, and with randomised response, which attains it.
    """
    rng, worst, closest = np.random.default_rng(4), 0, 0
    for epsilon in EPSILONS:
        keep = 1 / (1 + math.exp(-epsilon))
        for _ in range(200):
            rows = private_rows(rng, 3, rng.integers(2, 6), epsilon)
            plus, minus = from_response(rows[0], rows[1], epsilon)
            assert min(plus.min(), minus.min()) >= -1e-12 and abs(plus.sum() - 1) + abs(minus.sum() - 1) < 1e-9
            worst = max(worst, np.abs(keep * plus + (1 - keep) * minus - rows[0]).max(),
                        np.abs((1 - keep) * plus + keep * minus - rows[1]).max())
            a, b = rng.dirichlet(np.ones(3) / 2, 2)
            closest = max(closest, np.abs((a - b) @ rows).sum() / (factor(epsilon) * np.abs(a - b).sum()))
        response = np.array([[keep, 1 - keep], [1 - keep, keep]])
        assert abs(np.abs([.3, -.3] @ response).sum() / .6 - factor(epsilon)) < 1e-12
    assert worst < 1e-12 and closest <= 1 + 1e-12
    return f"messages given back {to(worst)}; distances at most {closest:.3f} of the bound, and randomised response attains it"


# --- what no protocol can do ------------------------------------------------------------------------------------------

def extreme_randomisers(epsilon, thirds=False):
    """Private randomisers of a bit: for each message the two probabilities, at the corners of the definition."""
    e = math.exp(epsilon)
    yield np.array([[e, 1], [1, e]]).T / (1 + e)
    yield np.array([[.5, .5], [.5, .5]])
    for share in (.3, .7):                                      # randomised response for some, silence for the others
        yield np.array([[share * e / (1 + e), share / (1 + e), 1 - share], [share / (1 + e), share * e / (1 + e), 1 - share]])


def best_protocol(n, mean, epsilon):
    """The least sum of the two errors over all sequential protocols made of these randomisers, by going back from the end."""
    bits = np.array([[1 + mean, 1 - mean], [1 - mean, 1 + mean]]) / 2
    moves = [bits @ q for q in extreme_randomisers(epsilon)]

    def value(plus, minus, left):
        if left == 0:
            return min(plus, minus)
        return min(sum(value(plus * m[0, z], minus * m[1, z], left - 1) for z in range(m.shape[1])) for m in moves)
    return value(1., 1., n)


def conversation(rng, epsilon):
    """Of two people who each speak twice, in turn: [what they said, their bits], from random bits of privacy epsilon/2."""
    law = np.ones((16, 2, 2))
    for z, said in enumerate(itertools.product((0, 1), repeat=4)):
        for turn in range(4):
            draw = np.random.default_rng([rng, turn, *said[:turn]])          # the message may depend on all earlier ones
            odds = np.exp(epsilon / 2 * draw.choice([-1, 1], 2))             # for each bit: chances within e^(epsilon/2)
            chance = (odds / (1 + odds) if said[turn] else 1 / (1 + odds))
            law[z] *= chance[:, None] if turn % 2 == 0 else chance
    return law


def coins(seen=lambda accuracy, epsilon: accuracy * math.tanh(epsilon / 2)):
    """The least odd n whose majority is right often enough, for the mean of a coin."""
    def size(*, accuracy, epsilon, beta):
        chance = (1 + min(1, seen(accuracy, epsilon))) / 2
        return 2 * int(least_size(lambda m: binom.cdf(m - 1, 2 * m - 1, chance) <= beta)) - 1
    return size


@claim("thm-local-lower", local_mean_sample_size_lower_bound,
       mutants={"coins without privacy": coins(lambda accuracy, epsilon: accuracy),
                "half the contraction": coins(lambda accuracy, epsilon: accuracy * math.tanh(epsilon / 4)),
                "1 - e^-epsilon in place of tanh": coins(lambda accuracy, epsilon: accuracy * -math.expm1(-epsilon)),
                "twice the distance": coins(lambda accuracy, epsilon: 2 * accuracy * math.tanh(epsilon / 2))})
def test_best_sequential_protocol(bound):
    """Find the best of all sequential protocols of up to four people who choose among extreme randomisers after each
    message, by dynamic programming, and compare 200 conversations of two people in four turns; count the coins of the bound.
    """
    for seed, tau, epsilon in itertools.product(range(50), (.3, 1.), (.5, 2.)):
        law, bits = conversation(seed, epsilon), np.array([1 + tau, 1 - tau]) / 2
        plus, minus = law @ bits @ bits, law @ bits[::-1] @ bits[::-1]
        majority = (1 - tau * math.tanh(epsilon / 2)) / 2                    # of two coins, a tie counted half
        assert abs(plus.sum() - 1) < 1e-12 and np.minimum(plus, minus).sum() / 2 >= majority - 1e-12
    for tau, epsilon in itertools.product((.3, 1.), (.5, 2.)):
        for n in (1, 2, 3, 4):
            wrong = best_protocol(n, tau, epsilon) / 2
            majority = binom.cdf((n - 1) // 2, n, (1 + tau * math.tanh(epsilon / 2)) / 2)
            tie = binom.pmf(n // 2, n, (1 + tau * math.tanh(epsilon / 2)) / 2) / 2 if n % 2 == 0 else 0
            assert abs(wrong - (majority + tie)) < 1e-12, (tau, epsilon, n)
            if n % 2:                                           # n people are just enough for this error, and no fewer
                assert bound(accuracy=tau, epsilon=epsilon, beta=wrong + 1e-9) == n
                assert bound(accuracy=tau, epsilon=epsilon, beta=wrong - 1e-9) > n
    tightest = 0
    for tau, epsilon, beta in itertools.product((.05, .3, .9), EPSILONS, (.4, .05, 1e-4)):
        formula = math.log(1 / (4 * beta * (1 - beta))) / -math.log1p(-((tau * math.tanh(epsilon / 2)) ** 2))
        least = int(bound(accuracy=tau, epsilon=epsilon, beta=beta))
        assert formula <= least
        tightest = max(tightest, formula / least)
    return f"the best protocol errs exactly like a majority of coins; the closed form reaches {tightest:.2f} of the exact number"


# --- rounds -----------------------------------------------------------------------------------------------------------

def spent(epsilons):
    """What a protocol in rounds promises."""
    return sum(epsilons)


def own_words(rng, epsilons):
    """Of two people in rounds, each of whom hears all earlier messages: how each one's factor depends on the bit, for every list."""
    law = np.ones((4 ** len(epsilons), 2, 2))
    for z, said in enumerate(itertools.product((0, 1), repeat=2 * len(epsilons))):
        for turn, epsilon in enumerate(epsilons):
            for person in (0, 1):
                draw = np.random.default_rng([rng, turn, person, *said[:2 * turn]])
                odds = np.exp(epsilon / 2 * draw.choice([-1, 1], 2))             # for each bit: chances within e^(epsilon/2)
                chance = odds / (1 + odds) if said[2 * turn + person] else 1 / (1 + odds)
                law[z, person] *= chance
    return law


@claim("prop-local-rounds", spent,
       mutants={"the largest round": max, "the last round": lambda epsilons: epsilons[-1],
                "the root of the sum of squares": lambda epsilons: math.sqrt(sum(e**2 for e in epsilons)),
                "the mean of the rounds": lambda epsilons: sum(epsilons) / len(epsilons),
                "one round too many": lambda epsilons: sum(epsilons) + epsilons[0]})
def test_rounds(spent):
    """Enumerate all messages of 40 conversations of two people in two or three rounds, whose randomisers depend on all that was said:
    the largest ratio of a person's factors, and of the list, is at most the stated one. The same bit in every round attains it.
    """
    largest = 0.
    for seed, epsilons in itertools.product(range(20), ((.5, 1.5), (.3, .2, 1.))):
        law = own_words(seed, epsilons)
        lists = law[:, 0, :, None] * law[:, 1, None, :]
        assert np.allclose(lists.sum(axis=0), 1)
        ratio = np.abs(np.log(law[..., 0] / law[..., 1])).max()
        assert ratio <= spent(epsilons) + 1e-9
        largest = max(largest, ratio / sum(epsilons))
    for epsilons in ((.5, 1.5), (.3, .2, 1.), (.1,) * 7):
        keep = 1 / (1 + np.exp(-np.array(epsilons)))
        always = np.log(np.prod(keep) / np.prod(1 - keep))               # the truth in every round, for either bit
        assert abs(always - spent(epsilons)) < 1e-9
    return f"log-ratios at most {largest:.3f} of the sum; randomised response in every round attains it"


# --- cells ------------------------------------------------------------------------------------------------------------

by_categories, by_bits = page_function("local-model", "by_categories"), page_function("local-model", "by_bits")
cells_crossing = page_function("local-model", "cells_crossing")


def unary_law(epsilon, cells, own=.5, other=lambda e: 1 / (math.exp(e) + 1)):
    """The probabilities of all messages of unary reports: [cell, message], and the messages as bits."""
    messages = np.array(list(itertools.product((0, 1), repeat=cells)))
    ones = np.where(np.eye(cells, dtype=bool), own, other(epsilon))
    return np.prod(np.where(messages[None] == 1, ones[:, None], 1 - ones[:, None]), axis=2), messages


@claim("prop-local-histogram", by_categories, by_bits, cells_crossing,
       mutants={"k - 1 in place of k - 2": (lambda e, k, s: by_categories(e, k + 1, s), by_bits, cells_crossing),
                "the variance of an empty cell": (lambda e, k, s: by_categories(e, k, 0), by_bits, cells_crossing),
                "the bits of randomised response": (by_categories, lambda e, s: 1 / (4 * math.sinh(e / 4) ** 2) + s - s**2, cells_crossing),
                "e^epsilon for 4 e^epsilon": (by_categories, lambda e, s: by_bits(e, s) - 3 * math.exp(e) / math.expm1(e) ** 2,
                                              cells_crossing),
                "the crossing at 3 e^epsilon": (by_categories, by_bits, lambda e, s: cells_crossing(e, s) - 2),
                "the crossing of an empty cell": (by_categories, by_bits, lambda e, s: cells_crossing(e, 0))})
def test_reports_of_a_cell(by_categories, by_bits, cells_crossing):
    """Enumerate all messages of up to six cells: the largest log-ratio, and the mean and the variance of the two estimates for
    several populations, exactly. Find on which side of the crossing each report is better, for up to 400 cells.
    """
    worst, ratio = 0., 0.
    for epsilon, cells in itertools.product((.3, 1., 2.5), (2, 3, 6)):
        law, messages = unary_law(epsilon, cells)
        ratio = max(ratio, np.abs(np.log(law[:, None] / law[None])).max() / epsilon)
        e, q = math.exp(epsilon), 1 / (math.exp(epsilon) + 1)
        named = (np.ones((cells, cells)) + (e - 1) * np.eye(cells)) / (e + cells - 1)
        p0, p1 = 1 / (e + cells - 1), e / (e + cells - 1)
        for share in (0., .1, .5, 1.):
            people = np.array([share, *np.full(cells - 1, (1 - share) / (cells - 1))])
            for report, estimate, wanted in ((people @ named, (np.eye(cells)[0] - p0) / (p1 - p0), by_categories(epsilon, cells, share)),
                                             (people @ law, (messages[:, 0] - q) / (.5 - q), by_bits(epsilon, share))):
                mean = report @ estimate
                assert abs(mean - share) < 1e-9
                worst = max(worst, abs(report @ estimate**2 - mean**2 - wanted) / wanted)
    assert worst < 1e-9 and abs(ratio - 1) < 1e-9
    for epsilon, share, cells in itertools.product((.1, 1., 3.), (0., .2, 1.), (2, 4, 8, 12, 30, 70, 400)):
        assert (by_bits(epsilon, share) < by_categories(epsilon, cells, share)) == (cells > cells_crossing(epsilon, share))
        assert abs(by_categories(epsilon, cells_crossing(epsilon, share), share) - by_bits(epsilon, share)) < 1e-6 * by_bits(epsilon, share)
    assert all(abs(cells_crossing(e, 0) - (3 * math.exp(e) + 2)) < 1e-9 for e in (.1, 1., 3.))
    return f"log-ratio {ratio:.6f} epsilon; variances right {to(worst)}"
