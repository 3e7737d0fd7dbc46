"""The statements of the page on statistical queries."""

import itertools
import math
from functools import partial
from unittest.mock import patch

import numpy as np
from scipy.stats import binom, laplace

from dplib import _grid
from dplib._staircase import STEPS
from dplib.queries import (
    SQOracle, adversarial_oracle, central_oracle, central_oracle_size, fresh_oracle, fresh_oracle_size, learn_conjunction)
from tests.claims import claim

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
