"""The statements of the page on frequencies without a curator."""

import functools
import itertools
import math
from collections import defaultdict

import numpy as np
from scipy.stats import binom

from dplib import _samplers
from dplib.local import (
    heavy_prefixes,
    prefix_sample_size,
    shuffled_delta,
    sign_reports,
    sign_shares,
    unary_reports,
    unary_shares,
)
from dplib.mechanisms import randomized_response
from tests.claims import claim, page_function, to
from tests.outcomes import distribution, epsilon_of

EPSILONS = (.3, 1., 2.5)


# --- what a report costs ----------------------------------------------------------------------------------------------

naming_chances = page_function("frequency-oracles", "naming_chances")
noise_of_share = page_function("frequency-oracles", "noise_of_share")


def unary(own=lambda e: .5, spends=1.):
    """A bit for each cell: the own one by a coin, the others by a randomised response of so many times ε."""
    def reports(labels, *, cells, epsilon, rng):
        labels = np.asarray(labels)
        mine = labels[..., None] == np.arange(cells)
        first = _samplers.bernoulli(own(epsilon), (*labels.shape, 1), rng)
        return np.where(mine, first, _samplers.lies(spends * epsilon, 1, mine.shape, rng))
    return reports


def signed(first=0, keep=1.):
    """A bit about a random half of the labels, of which the first index is left out, kept with so many times ε."""
    def reports(labels, *, bits, epsilon, rng):
        labels = np.asarray(labels)
        indices = rng.integers(first, 2**bits, size=labels.shape)
        odd = np.bitwise_count(indices & labels) % 2
        return indices, np.where(odd, -1, 1) * np.where(_samplers.lies(keep * epsilon, 1, labels.shape, rng), -1, 1)
    return reports


def costs(bit=0., one=0.):
    """The three variances, times n, for given people."""
    def noise(own, other, share=0.):
        right = (share * own * (1 - own) + (1 - share) * other * (1 - other)) / (own - other) ** 2
        return right + bit * share * (own == .5) + one * (2 * share - 1) * (other == .5)
    return noise


CODE = (unary_reports, unary_shares, sign_reports, sign_shares, naming_chances, noise_of_share)


def with_mutant(place, mutant):
    return tuple(mutant if i == place else part for i, part in enumerate(CODE))


def average_of(c=lambda e: 1 / math.tanh(e / 2)):
    """Estimates from signs with another size of a report."""
    def estimate(indices, signs, *, candidates, epsilon):
        return c(epsilon) * math.tanh(epsilon / 2) * sign_shares(indices, signs, candidates=candidates, epsilon=epsilon)
    return estimate


@claim("prop-frequencies", *CODE,
       mutants={"the truth with all of epsilon in each bit": with_mutant(0, unary(own=lambda e: 1 / (1 + math.exp(-e)))),
                "an own bit that is 1 with probability 0.6": with_mutant(0, unary(own=lambda e: .6)),
                "bits of twice epsilon": with_mutant(0, unary(spends=2.)),
                "the index 0 left out": with_mutant(2, signed(first=1)),
                "a sign of twice epsilon": with_mutant(2, signed(keep=2.)),
                "reports of size 1": with_mutant(3, average_of(c=lambda e: 1.)),
                "the variance of a rare word for all": with_mutant(5, lambda own, other, share=0: noise_of_share(own, other)),
                "s added to the variance of one bit": with_mutant(5, costs(one=1.)),
                "s taken from that of a bit for each word": with_mutant(5, costs(bit=-2.)),
                "the chances of two words for all numbers of words": with_mutant(4, lambda kind, words, e: naming_chances(kind, 2, e))})
def test_messages_by_enumeration(unary, unary_shares, signed, sign_shares, chances, noise):
    """Run the code for every way in which its coins can fall, with two people and up to four words: the largest log-ratio, and mean
    and variance of each estimate, exactly; both comparisons on a grid of ε, shares and numbers of words.
    """
    worst, ratio = 0., 0.
    for epsilon, words in itertools.product((.3, 2.5), (2, 3, 4)):
        bits = (words - 1).bit_length()
        own, other = chances(0, words, epsilon)
        named = lambda labels, rng: randomized_response(np.array(labels), categories=words, epsilon=epsilon, rng=rng)
        kinds = [(named, lambda r: (np.mean(np.equal.outer(range(words), r), axis=1) - other) / (own - other)),
                 (lambda labels, rng: unary(np.array(labels), cells=words, epsilon=epsilon, rng=rng),
                  lambda r: unary_shares(np.array(r, dtype=int), epsilon=epsilon)),
                 (lambda labels, rng: signed(np.array(labels), bits=bits, epsilon=epsilon, rng=rng),
                  lambda r: sign_shares(*map(np.array, r), candidates=range(words), epsilon=epsilon))]
        for kind, (send, estimate) in enumerate(kinds):
            alone = [distribution(send, [label]) for label in range(words)]
            ratio = max(ratio, max(epsilon_of(a, b) for a, b in itertools.combinations(alone, 2)) / epsilon)
            for people in ([0, 0], [0, 1]):
                both = distribution(send, people) if words < 3 else product_of(kind, alone, people)
                values = np.array([estimate(report) for report in both])
                law = np.array(list(both.values()))
                shares = np.bincount(people, minlength=words) / 2
                mean = law @ values
                variance = law @ (values - mean) ** 2
                wanted = [noise(*chances(kind, words, epsilon), s) / 2 for s in shares]
                worst = max(worst, np.abs(mean - shares).max(), np.abs(variance / wanted - 1).max())
                assert worst < 1e-9 and abs(ratio - 1) < 1e-9
    for epsilon, s, words in itertools.product(EPSILONS, (0., .2, .49, .51, 1.), (2, 4, 8, 12, 30, 400)):
        c, e = 1 / math.tanh(epsilon / 2), math.exp(epsilon)
        word, bit, one = (noise(*chances(kind, words, epsilon), s) for kind in range(3))
        stated = (e + words - 2) / (e - 1) ** 2 + s * (words - 2) / (e - 1), c**2 - 1 + s, c**2 - s
        assert np.allclose((word, bit, one), stated, rtol=1e-9)
        assert s > 0 or (word < bit) == (words < 3 * e + 2)
        assert (bit < one) == (s < .5)
    return f"log-ratio {ratio:.6f} of ε; means and variances right {to(worst)}"


def product_of(kind, alone, people):
    """The distribution of the messages of two people, who draw independently, from that of each."""
    joined = (lambda a, b: a + b) if kind < 2 else (lambda a, b: tuple(x + y for x, y in zip(a, b)))
    return {joined(a, b): p * q for (a, p), (b, q) in itertools.product(alone[people[0]].items(), alone[people[1]].items())}


# --- a majority among clones ------------------------------------------------------------------------------------------

@functools.cache
def fair_votes(most):
    """The number of voters down the rows, of votes for one side along the columns: their probabilities for fair coins, and the lead."""
    n, votes = np.arange(most + 1)[:, None], np.arange(most + 1)
    return binom.pmf(votes, n, .5), (2 * votes - n) / np.maximum(n, 1)


def majority(clone=lambda r: r, you=1, lead=1., both=1.):
    """The sum of the theorem, over all numbers of clones and of votes."""
    def delta(*, size, rate, local_epsilon, epsilon):
        t, w = lead * math.tanh(local_epsilon / 2), math.tanh(epsilon / 2)
        fair, u = fair_votes(size + 1)
        gain = np.sum(fair * np.maximum(t * u - w, 0), axis=1)
        clones = np.arange(size)
        return both * (1 + math.exp(epsilon)) * binom.pmf(clones, size - 1, min(clone(rate), 1)) @ gain[clones + you]
    return delta


def multisets(rows):
    """The distribution of how many of independent messages say what."""
    law = {(0,) * len(rows[0]): 1.}
    for row in rows:
        longer = defaultdict(float)
        for counts, p in law.items():
            for said, q in enumerate(row):
                longer[counts[:said] + (counts[said] + 1,) + counts[said + 1:]] += p * q
        law = longer
    return law


def hockey_stick(p, p_neighbor, epsilon):
    return sum(max(a - math.exp(epsilon) * p_neighbor[counts], 0) for counts, a in p.items())


def staircase(rng, records, messages, epsilon):
    """A randomiser whose probabilities of a message take two values, e^ε apart, as the extreme ones do."""
    while True:
        rows = rng.dirichlet(np.ones(messages)) * np.exp(epsilon * rng.integers(0, 2, (records, messages)))
        rows /= rows.sum(axis=1, keepdims=True)
        if np.all(rows.max(axis=0) <= np.exp(epsilon) * rows.min(axis=0) * (1 + 1e-12)) and np.ptp(rows, axis=0).max() > 0:
            return rows


def rate_of(rows):
    """The largest r of the theorem, for records x = 0, x' = 1 and all y."""
    return min(1., float(np.min(2 * rows / (rows[0] + rows[1]))))


def response(k, epsilon):
    rows = np.ones((k, k)) + np.expm1(epsilon) * np.eye(k)
    return rows / rows.sum(axis=1, keepdims=True)


GOLDEN = {(1000, 2 / (math.e + 1), 1., .148670616371): 1e-6, (1000, 2 / (math.exp(2) + 1), 2., .397087058605): 1e-6,
          (1000, math.exp(-2), 2., .545497965562): 1e-6}


@claim("thm-shuffle", shuffled_delta,
       mutants={"twice the rate": majority(clone=lambda r: 2 * r),
                "half the rate": majority(clone=lambda r: r / 2),
                "everybody a clone": majority(clone=lambda r: 1.),
                "you are not among the voters": majority(you=0),
                "one voter too many": majority(you=2),
                "e^epsilon without the 1": majority(both=.5),
                "a lead of half of t": majority(lead=.5)})
def test_shuffled_messages_by_enumeration(delta):
    """Enumerate the shuffled messages of up to four people for 60 random staircase randomisers, in both orders, and for randomised
    response: δ is never above the theorem's, and equal for two phones that hold a bit, at ε = 0. Compare with its sum, and golden values.
    """
    rng, closest = np.random.default_rng(7), 0.
    cases = [(staircase(rng, 3, int(rng.integers(2, 5)), e), e) for e in (.5, 1., 2.) for _ in range(20)]
    cases += [(response(k, e), e) for k in (2, 3, 6) for e in (.5, 1., 2., 3.)]
    for which, (rows, local) in enumerate(cases):
        size = 2 + which % 3 if which < 60 else 4
        rate = rate_of(rows)
        assert rate >= math.exp(-local) * (1 - 1e-9)
        for others in itertools.combinations_with_replacement(range(len(rows[:3])), size - 1):
            p, q = (multisets([rows[mine], *(rows[other] for other in others)]) for mine in (0, 1))
            for epsilon in (0., .4 * local):
                found = max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon))
                bound = delta(size=size, rate=rate, local_epsilon=local, epsilon=epsilon)
                assert found <= bound + 1e-9
                closest = max(closest, found / bound if bound > 1e-9 else 0)
    for k, local in itertools.product((2, 5, 50), (.5, 1., 4.)):
        assert abs(rate_of(response(k, local)) - 2 / (math.exp(local) + 1)) < 1e-9
    for local in (.5, math.log(3), 2.):
        p, q = (multisets([response(2, local)[mine], response(2, local)[1]]) for mine in (0, 1))
        exact = delta(size=2, rate=2 / (math.exp(local) + 1), local_epsilon=local, epsilon=0)
        assert abs(hockey_stick(p, q, 0) - exact) < 1e-7 and (local != math.log(3) or abs(exact - .375) < 1e-7)
    off, slow = 0., majority()
    for size, rate, local, epsilon in itertools.product((1, 7, 300), (.05, .6, 1.), (.5, 3.), (0., .1, .4)):
        sum_of_all = slow(size=size, rate=rate, local_epsilon=local, epsilon=epsilon)
        off = max(off, abs(delta(size=size, rate=rate, local_epsilon=local, epsilon=epsilon) - sum_of_all))
    assert off < 1e-7
    for (size, rate, local, epsilon), wanted in GOLDEN.items():
        assert abs(delta(size=size, rate=rate, local_epsilon=local, epsilon=epsilon) / wanted - 1) < 1e-5
    return f"at most {closest:.6f} of the theorem's δ, in {len(cases)} randomisers; its sum right {to(off)}"


# --- in closed form ---------------------------------------------------------------------------------------------------

closed_epsilon = page_function("frequency-oracles", "closed_epsilon")


def closed(twice=2., chernoff=1., factor=1., rate_factor=1.):
    def epsilon(size, rate, local_epsilon, delta):
        log, mean = np.log(2 / delta), rate_factor * rate * (size - 1)
        least = 1 + mean - chernoff * np.sqrt(2 * mean * log)
        if least < 8 * log:
            return np.nan
        return factor * 2 * np.arctanh(np.tanh(local_epsilon / 2) * np.sqrt(twice * log / least))
    return epsilon


@claim("cor-shuffle", closed_epsilon,
       mutants={"ln(2/delta) for twice of it": closed(twice=1.), "half of it": closed(factor=.5),
                "the mean number of clones": closed(chernoff=0.), "twice the rate": closed(rate_factor=2.)})
def test_closed_form_by_the_theorem(closed_epsilon):
    """Compute δ of the theorem at the stated ε, at the edge of the condition and beyond it, for 96 settings; compare with
    golden values.
    """
    largest = 0.
    for delta, local, rate in itertools.product((.7, .05, 1e-6, 1e-12), (.01, .3, 2., 8.), (.02, .3, 1.)):
        log = math.log(2 / delta)
        edge = next(n for n in itertools.count(2, 1) if 1 + rate * (n - 1) - math.sqrt(2 * rate * (n - 1) * log) >= 8 * log)
        assert np.isnan(closed_epsilon(edge - 1, rate, local, delta))
        for size in (edge, 3 * edge):
            epsilon = closed_epsilon(size, rate, local, delta)
            largest = max(largest, shuffled_delta(size=size, rate=rate, local_epsilon=local, epsilon=epsilon) / delta)
    assert largest <= 1
    golden = {(1000, 1): .246076, (1000, 2): .682132, (10_000, 1): .070549, (10_000, 2): .178600, (10_000, 4): .669926}
    for (size, local), wanted in golden.items():
        assert abs(closed_epsilon(size, 2 / (math.exp(local) + 1), local, 1e-6) - wanted) < 1e-6
    return f"δ at most {largest:.3f} of what is promised"


# --- a memory for coins -----------------------------------------------------------------------------------------------

reported_epsilon = page_function("frequency-oracles", "reported_epsilon")


def reports_of_one_value(value, days, turned, p, q, kept=True):
    """The probability of every list of reports, by enumeration of the first coins."""
    law = {}
    for reports in itertools.product((0, 1), repeat=days * len(value)):
        chance = 1.
        for place, bit in enumerate(value):
            own = reports[place * days:(place + 1) * days]
            of = lambda stored, said: np.prod([(q if stored else p) if one else 1 - (q if stored else p) for one in said])
            mixed = lambda said: (1 - turned) * of(bit, said) + turned * of(1 - bit, said)
            chance *= mixed(own) if kept else np.prod([mixed((one,)) for one in own])
        law[reports] = chance
    return law


def spent(bits=1, power=1, turned_twice=False, zeros=True):
    def epsilon(days, turned, p, q, h=2):
        days, g = power * days, turned / 2 if turned_twice else turned
        one = np.log(((1 - g) * q**days + g * p**days) / (g * q**days + (1 - g) * p**days))
        none = np.log(((1 - g) * (1 - p) ** days + g * (1 - q) ** days) / (g * (1 - p) ** days + (1 - g) * (1 - q) ** days))
        return bits * h * (one + (none if zeros else one))
    return epsilon


@claim("prop-memo", reported_epsilon,
       mutants={"one of the two kinds of bits": spent(bits=.5), "one report for all": lambda days, *given: reported_epsilon(1, *given),
                "the days add up": lambda days, *given: days * reported_epsilon(1, *given),
                "a share g/2 of turned bits": spent(turned_twice=True), "ones for zeros": spent(zeros=False)})
def test_a_month_by_enumeration(reported_epsilon):
    """Enumerate all lists of reports of two values with one or two bits each, for up to three days: the largest log-ratio is the stated
    one, and with fresh coins that of one day, times the days. Follow it up to 10 000 days.
    """
    worst = 0.
    coins, lists = ((.25, .75), (.1, .3)), ((1, 1), (1, 3), (2, 2))
    for turned, (p, q), (h, days) in itertools.product((.1, .4), coins, lists):
        x, y = [1] * h + [0] * h, [0] * h + [1] * h
        kept, other = (reports_of_one_value(value, days, turned, p, q) for value in (x, y))
        ratio = max(abs(math.log(kept[list_] / other[list_])) for list_ in kept)
        worst = max(worst, abs(ratio - reported_epsilon(days, turned, p, q, h)))
        fresh, anew = (reports_of_one_value(value, days, turned, p, q, kept=False) for value in (x, y))
        ratio = max(abs(math.log(fresh[list_] / anew[list_])) for list_ in fresh)
        worst = max(worst, abs(ratio - days * reported_epsilon(1, turned, p, q, h)))
        assert worst < 1e-9
    for turned, (p, q) in itertools.product((.1, .25, .4), ((.25, .75), (.5, .75))):
        month = reported_epsilon(np.arange(1., 400), turned, p, q)
        ever = 4 * math.log((1 - turned) / turned)
        assert np.all(np.diff(month) >= -1e-12) and month[0] < ever and abs(month[-1] - ever) < 1e-9
    return f"log-ratios right {to(worst)}"


# --- common strings ---------------------------------------------------------------------------------------------------

def prefixes(again=False, cut=0., size=lambda e: 1 / math.tanh(e / 2), shift=0):
    """The protocol with a plain sum for each candidate."""
    def found(labels, *, bits, block, share, accuracy, epsilon, rng):
        labels, levels, kept = np.asarray(labels), bits // block, np.zeros(1, dtype=np.int64)
        for level in range(levels):
            length = (level + 1) * block
            group = labels if again else labels[level::levels]
            indices, signs = sign_reports(group >> (bits - length + shift), bits=length, epsilon=epsilon, rng=rng)
            candidates = (kept[:, None] * 2**block + np.arange(2**block)).ravel()
            estimates = sign_shares(indices, signs, candidates=candidates, epsilon=epsilon) * size(epsilon) * math.tanh(epsilon / 2)
            good = np.flatnonzero(estimates >= share - (1 - cut) * accuracy)
            good = good[np.argsort(-estimates[good], kind="stable")[:int((1 + 1e-12) / (share - 2 * accuracy))]]
            kept, shares = np.sort(candidates[good]), estimates[np.sort(good)]
        return Found(kept, shares)
    return found


class Found:
    def __init__(self, labels, shares):
        self.labels, self.shares = labels, shares


def enough(tests=lambda L, A: L * A, scale=2., power=2):
    def people(*, bits, block, share, accuracy, epsilon, beta):
        L, A = bits // block, 2**block * int((1 + 1e-12) / (share - 2 * accuracy))
        return L * math.ceil(scale / math.tanh(epsilon / 2) ** power / accuracy**2 * math.log(tests(L, A) / beta))
    return people


TASK = dict(bits=9, block=3, share=.2, accuracy=.05, epsilon=1)


# Two strings are common, two are not quite, and share all prefixes; all others are rare.
STRINGS = np.array([5, 77, 300, 301, *range(400, 484)])
SHARES = np.array([.2, .3, .099, .099, *np.full(84, .302 / 84)])


@claim("thm-prefix", heavy_prefixes, prefix_sample_size,
       mutants={"the same people in every level": (prefixes(again=True), prefix_sample_size),
                "the threshold phi": (prefixes(cut=1.), prefix_sample_size),
                "the threshold phi - 2 tau": (prefixes(cut=-1.), prefix_sample_size),
                "reports of size 1": (prefixes(size=lambda e: 1.), prefix_sample_size),
                "prefixes that are cut a bit too early": (prefixes(shift=1), prefix_sample_size),
                "candidates of one level": (heavy_prefixes, enough(tests=lambda L, A: A)),
                "2^b candidates": (heavy_prefixes, enough(tests=lambda L, A: L * 8)),
                "half of it": (heavy_prefixes, enough(scale=1.)),
                "c in place of its square": (heavy_prefixes, enough(power=1))})
def test_common_strings(found, people):
    """Enumerate all reports of two people in two levels for the largest log-ratio. Compute by the binomial distribution how often
    a test goes wrong with the stated number of people, and run the protocol 20 times with it: more than 6 failures would be
    chance less than once in 10^4.
    """
    given = dict(bits=2, block=1, share=.5, accuracy=.1, epsilon=.1)
    send = lambda labels, rng: found(np.array(labels), **given, rng=rng)
    alone = distribution(send, [0, 0])
    ratio = max(epsilon_of(alone, distribution(send, other)) / .1 for other in ([3, 0], [0, 1]))
    assert abs(ratio - 1) < 1e-9

    largest, c = 0., 1 / math.tanh(TASK["epsilon"] / 2)
    for block, beta in itertools.product((1, 3), (.3, .05, 1e-3)):
        levels, tried = 9 // block, 2**block * 10
        each = people(**TASK | dict(block=block), beta=beta) / levels
        assert each == int(each) and each >= 2 * c**2 / .05**2 * math.log(levels * tried / beta) > each - 1
        ups = np.ceil((.15 / c + 1) / 2 * each) - 1                          # the most reports +c whose average is below φ - τ
        missed = binom.cdf(ups, each, (1 + .2 / c) / 2)
        rare = binom.sf(ups, each, (1 + .1 / c) / 2)
        largest = max(largest, max(missed, rare) * levels * tried / beta)
    assert largest <= 1

    size, failures, rng = people(**TASK, beta=.05), 0, np.random.default_rng(48)
    for _ in range(20):
        labels = found(rng.choice(STRINGS, p=SHARES, size=size), **TASK, rng=rng).labels
        failures += not {5, 77} <= set(labels.tolist()) <= {5, 77}
    assert binom.sf(6, 20, .05) < 1e-4 and failures <= 6
    return (f"log-ratio {ratio:.6f} of ε; a test goes wrong with at most {largest:.1g} of the allowed probability; "
            f"{failures} of 20 runs fail")
