"""The statements of the page on statistical queries."""

import itertools
import math
from functools import partial
from unittest.mock import patch

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import binom, laplace

from dplib import _grid
from dplib._staircase import STEPS
from dplib.mechanisms import gaussian_delta, gaussian_sigma
from dplib.queries import (
    SQOracle, adversarial_oracle, central_oracle, central_oracle_size, fresh_oracle, fresh_oracle_size, learn_conjunction)
from tests.claims import claim, page_function

VALUES = (-1., 0., 1.)


# --- an answer is a mean plus Laplace noise of a known scale ------------------------------------------------------------

def itself(x):
    return x


def largest_of_all(x):
    """No query: it looks at all the records that it is shown."""
    return np.full(len(x), x.max())


def answers(make, x, queries, epsilon, scales, phi):
    """Answers to so many queries, with noise of so many scales in each."""
    oracle = make(np.array(x), queries=queries, epsilon=epsilon, rng=Same(np.random.PCG64(0), scales))
    with patch.object(_grid.Noise, "_drawn", lambda noise, shape, rng: np.full(shape, STEPS * noise.fineness * scales)):
        return np.array([oracle(phi) for _ in range(queries)])


class Same(np.random.Generator):
    """A generator whose Laplace noise is always so many scales."""

    def __init__(self, source, scales):
        super().__init__(source)
        self.scales = scales

    def laplace(self, loc=0., scale=1., size=None):
        return np.full(() if size is None else size, self.scales * scale)


def scales(make, x, queries, epsilon, phi):
    """The answers without noise, and the scale of each one's noise."""
    exact, once, twice = (answers(make, x, queries, epsilon, scales, phi) for scales in (0, 1, 2))
    assert np.allclose(twice - exact, 2 * (once - exact), rtol=1e-9)
    return exact, once - exact


def largest_ratio(make, size, queries, epsilon, phi=itself):
    """The largest log-ratio of densities over all neighbours: the sum of |change|/scale, if the scales agree."""
    largest = 0.
    for x in itertools.product(VALUES, repeat=size):
        mean, scale = scales(make, x, queries, epsilon, phi)
        for place, value in itertools.product(range(size), VALUES):
            if value <= x[place]:
                continue
            other, same = scales(make, [*x[:place], value, *x[place + 1:]], queries, epsilon, phi)
            assert np.allclose(scale, same, rtol=1e-9)
            largest = max(largest, (np.abs(mean - other) / scale).sum())
    return largest


def curator(sensitivity=2., shared=True, together=False):
    """A second curator, who asks all for each query, with room for mistakes."""
    def make(x, *, queries, epsilon, rng):
        scale = sensitivity * (queries if shared else 1) / (len(x) * epsilon)
        values = lambda phi: phi(x) if together else [phi(x[i:i + 1])[0] for i in range(len(x))]
        return SQOracle(lambda number, phi: np.mean(values(phi)) + rng.laplace(scale=scale, size=())[()], queries=queries)
    return make


def fresh_curator(sensitivity=2., overlap=0, by_value=False, same=False):
    """A second one, who has a batch for each query."""
    def make(x, *, queries, epsilon, rng):
        records = np.sort(x) if by_value else x
        ends = [j * len(x) // queries for j in range(queries + 1)]

        def answer(number, phi):
            batch = records if same else records[ends[number]:ends[number + 1] + overlap]
            return np.mean(phi(batch)) + rng.laplace(scale=sensitivity / (len(batch) * epsilon), size=())[()]
        return SQOracle(answer, queries=queries)
    return make


# --- how often an answer is wrong, exactly --------------------------------------------------------------------------------

def failure(size, mean, tolerance, scale):
    """The probability that the mean of ±1 records plus Laplace noise is more than the tolerance off."""
    ups = np.arange(size + 1)
    weight = binom.pmf(ups, size, (1 + mean) / 2)
    ups, weight = ups[weight > 1e-15], weight[weight > 1e-15]
    off = 2 * ups / size - 1 - mean
    return float(weight @ (laplace.cdf(-tolerance - off, scale=scale) + laplace.sf(tolerance - off, scale=scale)))


def fresh_formula(groups=True):
    """The same for batches."""
    def size(*, queries, tolerance, epsilon, beta):
        each = formula_of_one(4., 8., queries, tolerance, epsilon, beta)
        return queries * math.ceil(max(each)) if groups else math.ceil(max(each[0] * queries, each[1]))
    return size


def formula_of_one(noise, sampling, queries, tolerance, epsilon, beta):
    """People against the noise, and against who is asked."""
    return noise / (tolerance * epsilon) * math.log(2 * queries / beta), sampling / tolerance**2 * math.log(4 * queries / beta)


def formula(noise=4., sampling=8., queries_in_noise=True):
    """The statement's number of people, with room for a mistake."""
    def size(*, queries, tolerance, epsilon, beta):
        for_noise, for_sampling = formula_of_one(noise, sampling, queries, tolerance, epsilon, beta)
        return math.ceil(max(for_noise * (queries if queries_in_noise else 1), for_sampling))
    return size


def promised(make, size, queries, fresh):
    """The largest exact probability of failure over the promised one; queries about independent ±1 columns."""
    worst = 0.
    for epsilon, tolerance, beta, mean in itertools.product((.02, 20.), (.1, .3), (.05, .3), (0., .8)):
        n = int(size(queries=queries, tolerance=tolerance, epsilon=epsilon, beta=beta))
        each = n // queries if fresh else n
        scale = 2 / (each * epsilon) * (1 if fresh else queries)
        worst = max(worst, -math.expm1(queries * math.log1p(-failure(each, mean, tolerance, scale))) / beta)
    return worst


@claim("thm-sq-central", central_oracle, central_oracle_size,
       mutants={"sensitivity 1/n": (curator(sensitivity=1.), central_oracle_size),
                "a query that sees all records at once": (curator(together=True), central_oracle_size),
                "the package's, told that no query does": (partial(central_oracle, vectorized=True), central_oracle_size),
                "the noise of one record": (curator(sensitivity=2.2), central_oracle_size),
                "people for the noise only": (central_oracle, formula(sampling=0)),
                "people against who is asked only": (central_oracle, formula(noise=0)),
                "half the people for the noise": (central_oracle, formula(noise=2., sampling=0))})
def test_one_average(oracle, size):
    """Find the scale of the noise exactly, from equal seeds, and with it the largest log-ratio over all neighbours of three
    records, also for a function that returns the largest of the records it is shown; compute the probability of failure exactly
    for ±1 records at the number of people that the theorem asks for.
    """
    ratios = [largest_ratio(oracle, 3, 1, epsilon, phi) / epsilon for epsilon in (.5, 3.) for phi in (itself, largest_of_all)]
    assert max(ratios) <= 1 + 1e-9 and min(ratios) >= 1 - 1e-9
    worst = promised(oracle, size, 1, fresh=False)
    assert worst <= 1
    return f"largest log-ratio {max(ratios):.6f} epsilon; failures at most {worst:.3f} of what is promised, in 16 settings"


@claim("thm-sq-batch", central_oracle, central_oracle_size,
       mutants={"m forgotten in the scale": (curator(shared=False), central_oracle_size),
                "sensitivity 1/n": (curator(sensitivity=1.), central_oracle_size),
                "m forgotten in the number of people": (central_oracle, formula(queries_in_noise=False)),
                "people against who is asked only": (central_oracle, formula(noise=0))})
def test_many_averages(oracle, size):
    """As for one average, with three queries about the same three records; failures with twenty queries about independent
    columns.
    """
    ratio = largest_ratio(oracle, 3, 3, .7) / .7
    assert abs(ratio - 1) < 1e-9
    worst = promised(oracle, size, 20, fresh=False)
    assert worst <= 1
    return f"largest log-ratio {ratio:.6f} epsilon; twenty queries fail at most {worst:.3f} as often as is promised"


@claim("thm-sq-fresh", fresh_oracle, fresh_oracle_size,
       mutants={"the same people for every query": (fresh_curator(same=True), fresh_oracle_size),
                "batches that overlap": (fresh_curator(overlap=1), fresh_oracle_size),
                "batches by what the records say": (fresh_curator(by_value=True), fresh_oracle_size),
                "sensitivity 1/b": (fresh_curator(sensitivity=1.), fresh_oracle_size),
                "people of one data set": (fresh_oracle, fresh_formula(groups=False))})
def test_fresh_people(oracle, size):
    """Find the scales exactly, and the largest log-ratio over all neighbours of three records in two batches of different
    size; let a last query be made from the answers to nine others, on coins: the truth is 0.
    """
    ratio = largest_ratio(oracle, 3, 2, .7) / .7
    assert abs(ratio - 1) < 1e-9
    worst = promised(oracle, size, 20, fresh=True)
    vote = abs(np.mean([vote_of_coins(oracle, rng) for rng in np.random.default_rng(9).spawn(200)]))
    assert worst <= 1 and vote < .12                 # 6 standard errors; of the same 15 people the vote is right by .46
    return f"largest log-ratio {ratio:.6f} epsilon; twenty queries fail at most {worst:.3f} as often as is promised; vote {vote:.3f}"


def vote_of_coins(oracle, rng):
    """What the vote of nine coins seems to be worth on 15 people for each query."""
    ask = oracle(rng.choice([-1., 1.], size=(150, 10)), queries=10, epsilon=50, rng=rng)
    signs = np.sign([ask(lambda x, j=j: x[:, j] * x[:, -1]) for j in range(9)])
    return ask(lambda x: np.sign(x[:, :-1] @ signs) * x[:, -1])


# --- conjunctions ---------------------------------------------------------------------------------------------------------

def learner(limit=lambda variables, accuracy: accuracy / variables - 1, keep=np.less_equal, label=1):
    """A second learner, with room for mistakes."""
    def learn(oracle, *, variables, accuracy):
        shows = [oracle(lambda x, i=i: np.where((x[:, i] == 0) & (x[:, -1] == label), 1., -1.)) for i in range(variables)]
        return keep(shows, limit(variables, accuracy))
    return learn


@claim("prop-conjunction", learn_conjunction,
       mutants={"twice the limit": learner(limit=lambda variables, accuracy: 3 * accuracy / variables - 1),
                "no room for the tolerance": learner(limit=lambda variables, accuracy: accuracy / variables / 2 - 1),
                "keep what is above the limit": learner(keep=np.greater_equal),
                "ask where the label is no": learner(label=0)})
def test_learned_conjunctions(learn):
    """Enumerate all conjunctions of four variables, ten distributions and every way in which a liar pushes the four
    answers up or down by the whole tolerance; the rule's error is computed exactly.
    """
    rows = np.array(list(itertools.product((0, 1), repeat=4)))
    draws, worst, runs = np.random.default_rng(3), 0., 0
    for accuracy, skew in itertools.product((.05, .2), (.3, .6, .8, .95, .98)):
        weights = np.prod(np.where(rows, skew, 1 - skew), axis=1) * draws.uniform(.2, 1, 16)
        weights /= weights.sum()
        for target, pushes in itertools.product(itertools.product((False, True), repeat=4), itertools.product((-9., 9.), repeat=4)):
            label = rows[:, np.array(target)].all(axis=1)
            push = iter(pushes)
            liar = adversarial_oracle(np.column_stack([rows, label]), weights, tolerance=accuracy / 4 * (1 - 1e-12),
                                      aim=lambda phi, push=push: next(push))
            learned = rows[:, np.array(learn(liar, variables=4, accuracy=accuracy))].all(axis=1)
            worst, runs = max(worst, weights[learned != label].sum() / accuracy), runs + 1
    assert worst <= 1
    return f"the error is at most {worst:.2f} of what is promised, in {runs} runs"


# --- Gaussian noise --------------------------------------------------------------------------------------------------------

gaussian_people = page_function("statistical-queries", "gaussian_people")
adaptive_people = page_function("statistical-queries", "adaptive_people")


def many(root=.5, sensitivity=2., quantile=4., sampling=8.):
    """The same number of people, with room for a mistake."""
    def people(m, tau, beta, epsilon, delta):
        s = gaussian_sigma(sensitivity=sensitivity / 2, epsilon=epsilon, delta=delta)
        noise = 4 * m**root * s / tau * -ndtri(beta / (quantile * m))
        return math.ceil(max(noise, sampling and sampling / tau**2 * math.log(4 * m / beta)))
    return people


@claim("prop-sq-gaussian", gaussian_people,
       mutants={"noise of one query": many(root=0.), "m in place of its root": many(root=1.),
                "sensitivity 1/n": many(sensitivity=1.), "noise on one side only, and all of it": many(quantile=.5),
                "people against the noise only": many(sampling=0)})
def test_gaussian_answers(people):
    """Recover the noise that so many people allow from the two conditions, and compute what m answers with it give away, exactly,
    by the sensitivity of the vector of means; compute the probability of failure for ±1 columns. One person fewer is too few.
    """
    largest, worst = 0., 0.
    for m, tau, epsilon, beta in itertools.product((1, 12), (.1, .3), (.1, 3.), (.05, .3)):
        n, delta = people(m, tau, beta, epsilon=epsilon, delta=1e-5), 1e-5
        sigma = gaussian_sigma(sensitivity=2 * math.sqrt(m) / n, epsilon=epsilon, delta=delta)
        moved = np.linalg.norm(np.full(m, 2 / n))
        largest = max(largest, gaussian_delta(epsilon=epsilon, sigma=sigma, sensitivity=moved) / delta)
        ups = np.arange(n + 1)
        weight = binom.pmf(ups, n, .5)
        off = 2 * ups / n - 1
        wrong = weight @ (ndtr((-tau - off) / sigma) + ndtr((off - tau) / sigma))
        worst = max(worst, -math.expm1(m * math.log1p(-wrong)) / beta)
        meets = [2 * ndtr(-tau / 2 * size / (sigma * n)) <= beta / (2 * m) * (1 + 1e-9) and
                 2 * math.exp(-size * tau**2 / 8) <= beta / (2 * m) * (1 + 1e-9) for size in (n, n - 1)]
        assert meets == [True, False]
    assert largest <= 1 + 1e-9 and worst <= 1
    return f"delta is {largest:.6f} of the promised one; answers fail at most {worst:.3f} as often as is promised, in 16 settings"


# --- private answers do not overfit -------------------------------------------------------------------------------------------

def transfer(epsilon, delta, a, b, c, d):
    """Part 1: how far off answers may be, and with which probability further."""
    return a + c + 2 * math.tanh(epsilon / 2) + 2 * d, 2 * b / c + delta / d


def careless(drift=lambda epsilon: 2 * math.tanh(epsilon / 2), exceptions=lambda b, c, delta, d: 2 * b / c + delta / d):
    """The same, with room for a mistake."""
    return lambda epsilon, delta, a, b, c, d: (a + c + drift(epsilon) + 2 * d, exceptions(b, c, delta, d))


def adaptive(epsilon=.4, a=.5, quantile=160, root=.5):
    """Part 2, with room for a mistake."""
    def people(m, tau, beta):
        s = gaussian_sigma(sensitivity=1, epsilon=epsilon * tau, delta=beta * tau / 80)
        return math.ceil(2 * m**root * s / (a * tau) * -ndtri(beta * tau / (quantile * m)))
    return people


def stories(size, law, rng, kinds):
    """Mechanisms that answer a first query, and then one that was made from the answer; the transcript, for each data set of ±1.

    Of each: its probabilities, as [data set, transcript], the two answers and the two queries of a transcript.
    """
    data = np.array(list(itertools.product(range(len(law)), repeat=size)))
    for _ in range(kinds):
        first, second = rng.choice([-1., 1.], (1, len(law))), rng.choice([-1., 1.], (2, len(law)))
        grid = np.linspace(-1, 1, 5)
        epsilon = rng.choice([.2, 1., 3.])
        loose = rng.choice([0., .02])

        def answer(means):
            weights = np.exp(-epsilon / 4 * size / 2 * np.abs(grid - means[..., None]))
            weights /= weights.sum(axis=-1, keepdims=True)
            exact = np.abs(grid - means[..., None]) == np.abs(grid - means[..., None]).min(axis=-1, keepdims=True)
            return (1 - loose) * weights + loose * exact / exact.sum(axis=-1, keepdims=True)
        one = answer(first[0][data].mean(axis=1))
        two = np.stack([answer(second[z][data].mean(axis=1)) for z in (0, 1)])
        asked = (grid > 0).astype(int)
        joint = np.stack([one[:, [i]] * two[asked[i]] for i in range(5)], axis=1).reshape(len(data), -1)
        queries = [(first[0], second[asked[i]]) for i in range(5) for _ in range(5)]
        yield data, joint, [(a, b) for a in grid for b in grid], queries


def delta_of(joint, data, epsilon):
    """The least δ at ε over all pairs of data sets that differ in one record."""
    differ = (data[:, None] != data[None]).sum(axis=2) == 1
    gaps = np.maximum(joint[:, None] - math.exp(epsilon) * joint[None], 0).sum(axis=2)
    return gaps[differ].max()


@claim("thm-sq-adaptive", transfer, adaptive_people,
       mutants={"answers are as good for the population as for the sample": (careless(drift=lambda epsilon: -2.), adaptive_people),
                "a quarter of the drift": (careless(drift=lambda epsilon: math.tanh(epsilon / 2) / 2), adaptive_people),
                "no exceptions of the mechanism": (careless(exceptions=lambda b, c, delta, d: delta / d), adaptive_people),
                "the promise for one query": (transfer, adaptive(root=0.)), "twice the epsilon": (transfer, adaptive(epsilon=.8)),
                "all of tau for the noise": (transfer, adaptive(a=1.)), "m forgotten in the quantile": (transfer, adaptive(quantile=2.))})
def test_answers_that_follow_answers(transfer, people):
    """Enumerate all data sets of three records, and 100 mechanisms that answer one query and then another one, made from the first
    answer: with their exact ε and δ, compare the probability that an answer is further from the population than allowed. Put the
    parameters of part 2 into part 1. The drift is also compared with randomised response about one record, which attains half of it.
    """
    rng, closest = np.random.default_rng(5), 0.
    for law in (np.array([.5, .5]), np.array([.5, .3, .2])):
        for data, joint, replies, queries in stories(3, law, rng, 50):
            chance = law[data].prod(axis=1)
            off = np.array([[max(abs(a - phi[x].mean()) for a, phi in zip(reply, asked)) for reply, asked in zip(replies, queries)]
                            for x in data])
            far = np.array([max(abs(a - phi @ law) for a, phi in zip(reply, asked)) for reply, asked in zip(replies, queries)])
            total = chance @ joint
            for epsilon, a, c, d in itertools.product((.1, .5), (.2, .7), (.3, 1.), (.02, .3)):
                delta = delta_of(joint, data, epsilon)
                b = float(chance @ (joint * (off > a)).sum(axis=1))
                allowed, exceptions = transfer(epsilon, delta, a, b, c, d)
                missed = float(total @ (far > allowed + 1e-12))
                assert missed <= exceptions + 1e-12
                closest = max(closest, missed / exceptions if exceptions else 0)
    for epsilon in (.1, 1., 4.):                                   # one fair bit, reported by randomised response, and then asked for
        posterior, a = math.tanh(epsilon / 2), 1 - math.tanh(epsilon / 2)
        allowed, exceptions = transfer(epsilon, 0, a, 0, 1e-9, 1e-9)
        assert exceptions == 0 and posterior <= allowed - a
    for m, tau, beta in itertools.product((1, 20, 10**4), (.02, .3, 1.), (.01, .5)):
        n = people(m, tau, beta)
        epsilon, delta = .4 * tau, beta * tau / 80
        sigma = gaussian_sigma(sensitivity=2 * math.sqrt(m) / n, epsilon=epsilon, delta=delta)
        a = .5 * tau
        b = 2 * m * ndtr(-a / sigma)
        allowed, exceptions = transfer(epsilon, delta, a, b, tau / 20, tau / 40)
        assert allowed <= tau and exceptions <= beta * (1 + 1e-9)
    return f"answers are further off than allowed at most {closest:.2f} as often as stated; part 2 keeps to part 1 in 18 settings"


# --- wrong labels ----------------------------------------------------------------------------------------------------------

through_noise = page_function("statistical-queries", "through_noise")


def repaired(own=lambda rate: 1 - rate, other=lambda rate: rate, divisor=lambda rate: 1 - 2 * rate):
    """A second repair, with room for mistakes."""
    def around(oracle, rate):
        def ask(phi):
            def psi(x):
                turned = np.column_stack([x[:, :-1], 1 - x[:, -1]])
                return own(rate) * phi(x) - other(rate) * phi(turned)
            return oracle(psi) / divisor(rate)
        return ask
    return around


def labelled_examples(m, tau, rate, beta):
    """The statement's number of examples with wrong labels."""
    return m * math.ceil(2 / ((1 - 2 * rate) * tau) ** 2 * math.log(2 * m / beta))


@claim("thm-kearns", through_noise, labelled_examples,
       mutants={"queries asked as they are":
                    (repaired(own=lambda rate: 1, other=lambda rate: 0, divisor=lambda rate: 1), labelled_examples),
                "all of a query divided, not the part that the label moves":
                    (repaired(own=lambda rate: 1, other=lambda rate: 0), labelled_examples),
                "no division": (repaired(divisor=lambda rate: 1), labelled_examples),
                "1 - eta in place of 1 - 2 eta": (repaired(divisor=lambda rate: 1 - rate), labelled_examples),
                "a sum in place of a difference": (repaired(other=lambda rate: -rate), labelled_examples),
                "the examples of right labels": (through_noise, lambda m, tau, rate, beta: labelled_examples(m, tau, 0, beta))})
def test_queries_through_wrong_labels(through_noise, examples):
    """For 40 random distributions of an example and 40 random queries each, let a liar push the answers about wrong labels up and
    down by (1 - 2 eta) tau, and compare the repaired ones with the exact means. Compute the probability of failure exactly for a
    query of the label, at the number of examples of the statement.
    """
    rng, worst = np.random.default_rng(8), 0.
    points = np.array([(x, y) for x in range(3) for y in (0, 1)])
    for _ in range(40):
        rate, tau, right = rng.uniform(0, .49), rng.uniform(.01, .5), rng.dirichlet(np.ones(6) / 2)
        wrong = (1 - rate) * right + rate * right[[1, 0, 3, 2, 5, 4]]
        for push in (-9., 9.):
            liar = adversarial_oracle(points, wrong, tolerance=(1 - 2 * rate) * tau, aim=lambda phi, push=push: push)
            ask = through_noise(liar, rate)
            for _ in range(20):
                values = rng.choice([-1., 1., rng.uniform(-1, 1)], 6)
                phi = lambda x, values=values: values[2 * x[:, 0] + x[:, 1]]
                worst = max(worst, abs(ask(phi) - right @ values) / tau)
    assert worst <= 1 + 1e-9
    often = 0.
    for m, tau, rate, beta in itertools.product((1, 10), (.1, .5), (0., .2, .4), (.05, .3)):
        size = examples(m, tau, rate, beta) // m                       # of a batch; the query is 1 or -1 with the label
        ones, chance = np.arange(size + 1), (1 - rate) * .5 + rate * .5
        off = np.abs((2 * ones / size - 1) / (1 - 2 * rate)) > tau
        often = max(often, -math.expm1(m * math.log1p(-binom.pmf(ones, size, chance)[off].sum())) / beta)
    assert often <= 1
    return f"answers at most {worst:.3f} of the tolerance off; failures at most {often:.2f} of what is promised"


# --- the dimension ---------------------------------------------------------------------------------------------------------

sq_dimension = page_function("statistical-queries", "sq_dimension")


def by_sets(limit=lambda size: 1 / size, sign=np.abs, weigh=True):
    """The dimension by trying every set of rules."""
    def dimension(rules, weights):
        overlap = sign((rules * (weights if weigh else 1 / rules.shape[1])) @ rules.T)
        fits = lambda chosen: all(overlap[f, g] <= limit(len(chosen)) + 1e-12 for f, g in itertools.combinations(chosen, 2))
        return max(size for size in range(1, len(rules) + 1) if any(map(fits, itertools.combinations(range(len(rules)), size))))
    return dimension


def near(D, t):
    """The most rules among D nearly unrelated ones that one function can be within t of, on one side."""
    return D / (D * t**2 - 1)


@claim("thm-sq-dimension", sq_dimension, near,
       mutants={"overlaps with a sign": (by_sets(sign=np.asarray), near), "overlaps up to 1/2": (by_sets(limit=lambda size: .5), near),
                "overlaps of 0 only": (by_sets(limit=lambda size: 0), near), "x taken as uniform": (by_sets(weigh=False), near),
                "half the rules": (sq_dimension, lambda D, t: near(D, t) / 2),
                "as if one over t": (sq_dimension, lambda D, t: 1 / t)})
def test_near_rules_and_the_weak_learner(dimension, near):
    """Compute the dimension of 40 random classes with every set of rules, and count for sums of rules how many each is near to. Let
    a liar answer the queries of part 2, and compute the error of the rule that is chosen, for every label. For the parities of four
    variables play part 1 out against the best next query of 200.
    """
    rng, closest, least = np.random.default_rng(12), 0., np.inf
    for _ in range(40):
        weights = rng.dirichlet(np.ones(6))
        rules = np.unique(rng.choice([-1, 1], (8, 6)), axis=0)
        D = dimension(rules, weights)
        overlap = (rules * weights) @ rules.T
        fits = lambda chosen, limit: all(abs(overlap[f, g]) <= limit + 1e-12 for f, g in itertools.combinations(chosen, 2))
        sets = [chosen for size in range(1, len(rules) + 1) for chosen in itertools.combinations(range(len(rules)), size)]
        assert D == max(len(chosen) for chosen in sets if fits(chosen, 1 / len(chosen)))
        basis = next(chosen for chosen in sets[::-1] if fits(chosen, 1 / (D + 1)))
        basis = [*basis, *(f for f in range(len(rules)) if f not in basis and fits([*basis, f], 1 / (D + 1)))]
        assert len(basis) <= D
        tau = 1 / (3 * (D + 1))
        for label in rules:
            exact = (rules[basis] * weights) @ label
            for lies in itertools.islice(itertools.product((-tau, tau), repeat=len(basis)), 64):
                answers = exact + lies
                best = np.abs(answers).argmax()
                error = (1 - np.sign(answers[best]) * exact[best]) / 2
                least = min(least, .5 - error - 1 / (6 * (D + 1)))
    assert least >= -1e-12
    cube = np.array(list(itertools.product((0, 1), repeat=4)))
    families = [(-1) ** (cube @ cube.T), np.array([np.roll(row, i) for row in [[1, 1, 1, -1, 1, -1, -1]] for i in range(7)])]
    for rules in families:
        D = len(rules)
        assert dimension(rules, np.full(rules.shape[1], 1 / rules.shape[1])) == D
        for size in range(1, D + 1):
            for _ in range(30):
                part = rules[rng.choice(D, size, replace=False)].sum(axis=0)
                g = part / max(1e-9, np.sqrt(np.mean(part**2.)))
                for t in np.arange(1.05, D**.5, .25) / D**.5:
                    count = np.sum(rules @ g / rules.shape[1] >= t)
                    assert count <= near(D, t)
                    closest = max(closest, count / near(D, t))
    D, tau, gamma, m = 16, .5, .8, 1                                # the run in which every answer is what it is without labels
    for _ in range(200):
        query, h = rng.choice([-1., 1.], 16), rng.choice([-1., 1.], 16)
        told = np.abs(families[0] @ query / 16) > tau
        hit = told | (families[0] @ h / 16 >= gamma)
        assert hit.mean() <= 2 * m * near(D, tau) / D + near(D, gamma) / D
    return f"dimensions agree; a function is near {closest:.2f} of the stated number of rules; the weak rule has {least:.3f} to spare"
