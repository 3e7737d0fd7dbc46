"""Every function that draws, and neighbouring data sets on which it is watched and attacked.

A test of tests/test_neighbours.py fails if a public function with a generator is not here.
"""

import inspect
import warnings
from itertools import chain, islice
from typing import NamedTuple
from collections.abc import Callable, Iterable

import numpy as np

from dplib import (
    aggregation, factorization, friendly, glm, histograms, learning, local, lower_bounds, mean, mechanisms, parity, queries,
    sparse_vector, synthetic)
from tests.neighbours import HUGE, WHOLE, cell_pairs, integer_pairs, number_pairs, replaced, text_pairs

RELATIONS, NOISES = {"replace": False, "add_remove": True}, ("laplace", "discrete_laplace")


class Case(NamedTuple):
    """A release(data, rng), pairs (x, x') of neighbours, and the ε and δ that it promises them; none if it promises nothing.

    Where records may be ``joined``, pairs of one size are two steps apart.
    """
    release: Callable
    pairs: Iterable
    epsilon: float | None
    delta: float
    joined: bool = False


def answers(far):
    """(f(x), f(x')) at most `far` apart: the same numbers in other types, at the ends of what a float can hold."""
    yield from [(5, 6), (5, 6.0), (True, 2), (2**63 - 1, 2**63), (2**100, 2**100 + 1), (0.0, -0.0), (5e-324, 0), (HUGE, HUGE - far)]
    yield from [(-HUGE, far - HUGE), ([0, HUGE], [0, HUGE - far])]
    yield from [([1, 2], [1, 3]), ([True, 0], [2, 0]), ([2**63 - 1, 0], [2**63, 0]), ([0.0], [-0.0]), ([-HUGE, 0], [far - HUGE, 0])]
    yield from [([HUGE, -HUGE], [HUGE - far / 2, far / 2 - HUGE]), (np.array([1, 2]), np.array([1, 3])), ([], [])]


def counts():
    ends = [(2**62 - 1, 2**62), (-(2**62), 1 - 2**62), (True, 2), (np.True_, 0), (np.uint64(7), 8), ([True, True], [True, 2])]
    return [(5, 6), ([0, 1], [1, 1]), ([], []), ([2**62, 0], [np.int8(1), np.uint64(1)]), *ends]


def scores():
    pairs = [pair for pair in answers(LARGE) if np.size(pair[0]) and np.ndim(pair[0])]
    return [*pairs, ([3, 1, 0.0], [3, 1, -0.0]), ([LARGE, 0.0, 7], [0.0, LARGE, 7])]


def labelled_pairs():
    """(x, x') as rows of answers with the label behind them: one record replaced, in all the types that 0 and 1 come in."""
    alike, mixed = [[0, 0, 0]] * 5, [[1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 1]]
    for base in (alike, mixed, [[1] * 70] * 6, [[True, False]] * 4, [[1, 1]]):
        width = len(base[0])
        others = [[bit] * width for bit in WHOLE] + [[*[0] * (width - 1), 1], [1, *[0] * (width - 1)]]
        for read in (list, lambda rows: np.array(rows, dtype=object)):
            yield from ((read(base), read(replaced(base, record, place))) for record in others for place in {0, len(base) - 1})


def labelled(at_most=np.inf):
    """A learner of labelled records, under every relation that it knows."""
    def releases(function):
        relations = [dict(neighbor=r) for r in RELATIONS] if "neighbor" in inspect.signature(function).parameters else [{}]
        options = [*relations, dict(blocks=3, neighbor="replace")] if "blocks" in inspect.signature(function).parameters else relations
        pairs = [pair for pair in labelled_pairs() if len(pair[0][0]) <= at_most]
        learn = lambda option: lambda rows, rng: function([r[:-1] for r in rows], [r[-1] for r in rows], epsilon=1, **option, rng=rng)
        return [Case(learn(option), pairs, *promised(option | dict(epsilon=1))) for option in options]
    return releases


def vector_pairs():
    """Records on a line, or as points with a second coordinate that all share."""
    for place, (x, y) in enumerate(number_pairs()):
        if np.ndim(x) == 1:
            yield tuple([[1, value] if place % 2 else [value] for value in data] for data in (x, y))


def far_pairs():
    """Records on two neighbouring floats, where a mean that is rounded to a float shows who of them moved."""
    for far in (1.7e18, 1e300):
        near = np.nextafter(far, np.inf)
        x = [far] * 30 + [near] * 30
        yield x, replaced(x, near, 0)
        yield x, replaced(x, far, 30)


def far_vectors():
    return ([[[value] for value in data] for data in pair] for pair in far_pairs())


def tuple_pairs():
    """Each record a tuple of two points, the second one far away from most."""
    return (tuple([[record, [-50] * len(record)] for record in data] for data in pair) for pair in islice(vector_pairs(), 0, None, 5))


def promised(given):
    return given.get("epsilon"), given.get("delta", 0), given.get("neighbor") == "add_remove"


def spoken(function):
    """What has to be said of the data: that there are several, that a person is one row."""
    return {name: value for name, value in dict(runs=True, rows_per_unit=1).items() if name in inspect.signature(function).parameters}


def unpromised(maker):
    """The same on pairs that are further apart than neighbours: they look alike all the same."""
    return lambda function: [case._replace(epsilon=None) for case in maker(function)]


def private(pairs=number_pairs, **given):
    """What makes of a function the releases to look at, each with its pairs."""
    def releases(function):
        return [Case(lambda data, rng: function(data, **given, **spoken(function), rng=rng), pairs(), *promised(given))]
    return releases


def apart(**given):
    return unpromised(private(**given | dict(pairs=lambda: [([HUGE, -HUGE], [LARGE, 0.0])])))


def both(*makers):
    return lambda function: chain.from_iterable(maker(function) for maker in makers)


def histogram(pairs, **given):
    """The same under every relation and noise, with the pairs of that relation."""
    return both(*(private(lambda joined=joined: pairs(joined), **given, epsilon=4, neighbor=relation, noise=noise)
                  for relation, joined in RELATIONS.items() for noise in NOISES))


def examples(joined):
    """(x, y) of records, one of which differs in its place or in its label."""
    labels = lambda size: ([0, 1, 1] * size)[:size]
    for x, other in integer_pairs(joined):
        yield (x, labels(len(x))), (other, labels(len(other)))
    for y, other in chain(cell_pairs(joined), number_pairs()):
        if np.ndim(y) == 1:
            yield (range(len(y)), y), (range(len(other)), other)


def learner(shape=lambda column: column):
    """A learner of cells with labels."""
    def release(function, relation):
        return lambda data, rng: function(shape(data[0]), data[1], cells=7, epsilon=1, neighbor=relation, rng=rng)
    return lambda function: [Case(release(function, relation), examples(joined), 1, 0, joined) for relation, joined in RELATIONS.items()]


def one_number(x):
    return x if x.ndim == 1 else x[:, 0]


def fussy_query(x):
    """Shows records in every way but its values, one of which belongs to all of them."""
    column = one_number(x)
    if column.max() > 1e100:
        raise ValueError(f"{column.max()} is too large")
    if column.min() < 0:
        warnings.warn(f"{column.min()} is negative", stacklevel=1)
    return column[column != 3] if column.max() < 4 else np.full(len(x), column.max())


def square_roots(x):
    return np.sqrt(one_number(x).astype(float))


def two_answers(second, **given):
    """An oracle made of the data, and two queries to it: the records themselves, and another."""
    def ask(make, data, rng):
        oracle = make(data, queries=2, **given, rng=rng)
        return oracle(one_number), oracle(second)
    pairs = lambda: (pair for pair in number_pairs() if len(pair[0]) > 1)
    return lambda function: [Case(lambda data, rng: ask(function, data, rng), pairs(), *promised(given))]


def until_an_alarm(second, threshold, **given):
    """Whether the mean of an answer is above a threshold, and what is said when all alarms are spent."""
    def ask(make, data, rng):
        oracle = make(data, alarms=3, threshold=threshold, epsilon=1, **given, rng=rng)
        return oracle(one_number), oracle(second), oracle(second)
    return lambda function: [Case(lambda data, rng: ask(function, data, rng), number_pairs(), 1, 0)]


def reports_from_averages(function):
    """A curator's answers make up two reports on whether a record is positive, by randomised response."""
    def channel(x):
        return np.where(one_number(x)[:, None] > 0, [.25, .75], [.75, .25])

    def simulate(data, rng):
        oracle = queries.central_oracle(data, queries=4, epsilon=1, rng=rng)
        return function(oracle, lambda reports: channel, users=2, reference=0, epsilon=2, tries=2, rng=rng)

    def twice(data, rng):
        oracle = queries.central_oracle(data, queries=4, epsilon=1, rng=rng)
        return function(oracle, lambda reports: channel, users=1, speakers=[0, 0], reference=0, epsilon=3, tries=2, rng=rng)
    return [Case(simulate, number_pairs(), 1, 0), Case(twice, number_pairs(), 1, 0)]


def fitted(**given):
    """A release of a fitted model: each record stands for the outcome of one person and for both covariates."""
    pairs = lambda: islice((pair for pair in number_pairs() if np.ndim(pair[0]) == 1), 0, None, 5)
    fit = lambda function: lambda x, rng: function([[value, value] for value in x], list(x), **given, **spoken(function), rng=rng)
    return lambda function: [Case(fit(function), pairs(), *promised(given))]


def trained(**given):
    """The same of people who come and go: beside a record replaced, which is two steps, one who leaves."""
    def pairs():
        for x, y in islice((pair for pair in number_pairs() if np.ndim(pair[0]) == 1), 0, None, 5):
            yield from [(x, y), (y, y[:-1])]
    fit = lambda function: lambda x, rng: function(
        [[value, value] for value in x] or np.zeros((0, 2)), list(x), **given, rng=rng)
    return lambda function: [Case(fit(function), pairs(), *promised(given | dict(neighbor="add_remove")))]


def trial(people=5_000, **given):
    """The same of so many people, half of them treated, each with a covariate from -1 to 1; one outcome of 0 or 1 changes."""
    arm, covariate = np.arange(people) % 2, np.linspace(-1, 1, people)
    columns = np.column_stack([arm, covariate] if given["domain"].dimension == 3 else [arm])
    visits = [float(place % 5 < 2 + place % 2) for place in range(people)]
    pairs = [(visits, replaced(visits, 1 - visits[place], place)) for place in (0, people - 1)]
    fit = lambda function: lambda y, rng: function(columns, y, **given, **spoken(function), rng=rng)
    return lambda function: [Case(fit(function), pairs, *promised(given))]


def kinds():
    """(x, x') as rows of treatment, outcome and how many people are alike in both; one of them is replaced, or none and the rows differ."""
    full = [(0, 0, 1250), (0, 1, 1250), (1, 0, 1000), (1, 1, 1500)]
    yield full, [(0, 0, 1251), (0, 1, 1250), (1, 0, 999), (1, 1, 1500)]
    yield full, [(1, 1, 700), (0, 0, 1250), (0, 1, 1250), (1, 0, 1000), (1, 1, 800)]     # in another order, one row as two
    yield [(0, 0, 2500), (1, 1, 2499), (1, 0, 1)], [(0, 0, 2500), (1, 1, 2500)]          # a row that is gone
    yield [(0, 0, 2500), (1, 1, 2499), (1, 0, 1)], [(0, 0, 2500), (1, 1, 2500), (1, 0, 0)]
    yield [(0, 0, np.uint8(7)), (1, 1, 8)], [(0, 0, True), (1, 1, np.int64(14))]
    yield [(0, 0, 1)], [(1, 1, 1)]


def counted(**given):
    """A release of a fitted model to rows that stand for so many people each."""
    def fit(function):
        def release(rows, rng):
            arms, outcomes, people = map(list, zip(*rows))
            return function([[arm] for arm in arms], outcomes, weights=people, **given, **spoken(function), rng=rng)
        return release
    return lambda function: [Case(fit(function), kinds(), *promised(given))]


def distances():
    """Distances of one answer from bad data, at most 1 apart, in all the types that they come in."""
    ends = [([2**62 - 1], [2**62]), ([True], [2]), ([np.True_], [0]), ([np.uint64(7)], [8]), ([np.int8(1), 5], [2, np.uint64(5)])]
    return [([5], [6]), ([0], [1]), ([16, 1], [15, 0]), ([10**6], [10**6 + 1]), *ends]


def fussy(block):
    """An estimator that shows each record in every way but its answer."""
    if np.max(block) > 1e100:
        raise ValueError(f"{np.max(block)} is too large")
    if np.min(block) < 0:
        warnings.warn(f"{np.min(block)} is negative", stacklevel=1)
    print(block)
    return [1.0] if np.any(block == 3) else np.float32(np.sqrt(block).mean())


class Refusing:
    def fit(self, block):
        self.mean = float(np.mean(block)) if np.all(np.abs(block) < 2**60) else "too large"


def blocks_of(estimator):
    """Three blocks of each data set, and the mean of their answers."""
    combine = lambda answers, rng: aggregation.bounded_mean(answers, bounds=(-5, 5), epsilon=1, rng=rng)
    pairs = lambda: (pair for pair in number_pairs() if len(pair[0]) > 2)
    return lambda function: [Case(lambda x, rng: function(x, estimator, combine, blocks=3, default=0, rng=rng), pairs(), 1, 0)]


LARGE = HUGE / 4                    # a scale is below 2**1023
HUGE_ANSWERS = dict(pairs=lambda: answers(LARGE), sensitivity=LARGE, epsilon=1)
LARGE_ANSWERS = dict(pairs=lambda: answers(1e307), sensitivity=1e307, epsilon=1, delta=1e-6)
COUNTS, SCORES = dict(pairs=counts, sensitivity=1, epsilon=1), dict(pairs=scores, sensitivity=LARGE, epsilon=1)
SPARSE = both(histogram(integer_pairs, domain="integers", delta=1e-6), histogram(text_pairs, domain="text", delta=1e-6))
TRIAL = dict(domain=glm.Box([(0, 1), (-1, 1)], binary=[0]), loss=glm.LOGISTIC, epsilon=1, delta=1e-6)
TREATED = TRIAL | dict(split=.3, move=([0, 0], [1, 0]))
TWO_ARMS = TREATED | dict(domain=glm.Box([(0, 1)], binary=[0]), move=([0], [1]))
MODEL, LOSSES = dict(domain=glm.Box([(-1, 3)] * 2), epsilon=1), (glm.LOGISTIC, glm.ROBUST)
EIGENVALUE = dict(smallest_eigenvalue=0.4, radius=2, largest_curvature=0.25, size=1000, epsilon=1, delta=1e-6)
LEVELS = glm.compared.source_levels(radius=2, largest_curvature=0.25, size=1000)
SLOPPY = np.tri(4) * [[1], [1], [5e-10], [5e-10]]  # of which RA, right to 1e-9, has but two rows
FACTORIZATIONS = [factorization.square_root_factorization(cells=2, centered=True), factorization.square_root_factorization(cells=2),
                  factorization.identity_factorization([[1, 0], [1, 1], [0, 5]]),
                  factorization.factorization_of(SLOPPY, R=SLOPPY * [[1], [1], [0], [0]], A=np.eye(4))]
PACKAGE = {
    mechanisms.laplace: both(private(**HUGE_ANSWERS), apart(**HUGE_ANSWERS)),
    mechanisms.gaussian: both(private(**LARGE_ANSWERS), apart(**LARGE_ANSWERS)),
    mechanisms.laplace_idealized: private(lambda: answers(1), scale=1),
    mechanisms.gaussian_idealized: private(lambda: answers(1), sigma=1),
    mechanisms.discrete_laplace: private(**COUNTS),
    mechanisms.discrete_gaussian: private(**COUNTS, delta=1e-6),
    mechanisms.exponential: both(private(**SCORES), apart(**SCORES | dict(sensitivity=1))),
    mechanisms.report_noisy_max: both(private(**SCORES), apart(**SCORES | dict(sensitivity=1))),
    mechanisms.permute_and_flip: both(private(**SCORES), apart(**SCORES | dict(sensitivity=1))),
    mechanisms.randomized_response: private(lambda: cell_pairs(False), epsilon=1),
    sparse_vector.above_threshold: both(*(
        private(scores, alarms=alarms, sensitivity=LARGE, threshold=0, epsilon=16 * alarms, monotonic=monotonic)
        for alarms in (1, 3) for monotonic in (False, True))),
    histograms.laplace_histogram: both(histogram(cell_pairs, cells=2), *(
        private(cells=5, bounds=(-3, 4), epsilon=1, neighbor=relation, noise="laplace") for relation in RELATIONS)),
    histograms.stability_histogram: SPARSE,
    histograms.truncated_histogram: SPARSE,
    mean.clipped_mean: private(radius=10, epsilon=1),
    mean.two_stage_mean: private(radius=10, epsilon=1),
    mean.unbounded_mean: private(epsilon=5, delta=1e-3),
    mean.private_scale: private(epsilon=5, delta=1e-3),
    mean.adaptive_mean: both(private(radius=1e3, epsilon=1), private(radius=1e307, epsilon=1e4)),
    mean.mean_interval: both(private(radius=10, epsilon=3), private(radius=0.1, epsilon=1)),
    mean.bounded_mean_interval: both(
        private(bounds=(-3, 4), epsilon=1), private(bounds=(-8e307, 8e307), epsilon=30),
        private(far_pairs, bounds=(1.7e18 - 1e3, 1.7e18 + 1e3), epsilon=1)),
    lower_bounds.sign_test: private(shift=1, epsilon=1),
    lower_bounds.clamped_likelihood_test: private(shift=1, clamp=0.5, epsilon=1),
    learning.private_threshold: learner(),
    learning.private_stump: learner(shape=lambda column: [[value] for value in column] or np.zeros((0, 1), dtype=int)),
    local.local_randomized_response: private(epsilon=1),
    local.local_laplace: private(epsilon=1),
    local.l2_ball_randomizer: private(radius=3, epsilon=1),
    local.local_gaussian: private(radius=3, epsilon=1, delta=1e-6),
    local.unary_reports: private(lambda: cell_pairs(False), cells=3, epsilon=1),
    local.sign_reports: private(lambda: cell_pairs(False), bits=2, epsilon=1),
    local.heavy_prefixes: private(lambda: (pair for pair in cell_pairs(False) if len(pair[0]) > 1),
                                  bits=2, block=1, share=.5, accuracy=.1, epsilon=1),
    queries.central_oracle: both(two_answers(fussy_query, epsilon=1), two_answers(square_roots, epsilon=1, vectorized=True)),
    queries.alarm_oracle: both(*(until_an_alarm(query, threshold, vectorized=query is square_roots)
                                 for query in (fussy_query, square_roots) for threshold in (.5, -1e300, 1e300))),
    queries.fresh_oracle: both(two_answers(fussy_query, epsilon=1), two_answers(square_roots, epsilon=1, vectorized=True)),
    queries.local_oracle: both(two_answers(fussy_query, epsilon=1), two_answers(square_roots, epsilon=1, vectorized=True)),
    queries.simulate_local_protocol: reports_from_averages,
    parity.private_parity: labelled(),
    parity.private_parity_by_scores: labelled(at_most=20),
    parity.learn_parity_locally: labelled(at_most=20),
    aggregation.passes_test: private(lambda: answers(LARGE), sensitivity=LARGE, threshold=0, epsilon=1, delta=1e-6),
    aggregation.release_if_stable: lambda function: [
        Case(lambda distance, rng: function(["Smith"] * len(distance), distance, epsilon=1, delta=1e-6, rng=rng), distances(), 1, 1e-6)],
    aggregation.private_vote: both(
        *(private(lambda: cell_pairs(False), epsilon=1, noise=noise) for noise in NOISES)),
    aggregation.private_median: both(
        *(private(candidates=[-1e300, -3, 0, 0.5, 2.5, 3, 1e307], epsilon=1, neighbor=relation) for relation in RELATIONS),
        private(lambda: cell_pairs(True), candidates=[0, 1], epsilon=1, neighbor="add_remove")),
    aggregation.bounded_mean: both(
        private(bounds=(-3, 4), epsilon=1), private(bounds=(-8e307, 8e307), epsilon=1),
        private(far_pairs, bounds=(1.7e18 - 1e3, 1.7e18 + 1e3), epsilon=1)),
    aggregation.subsample_and_aggregate: both(blocks_of(np.mean), blocks_of(fussy), blocks_of((Refusing(), lambda fit: fit.mean))),
    factorization.release_local: both(*(private(lambda: cell_pairs(False), factorization=made, epsilon=1) for made in FACTORIZATIONS)),
    factorization.release_local_gaussian: both(*(private(lambda: cell_pairs(False), factorization=made, epsilon=1, delta=1e-6)
                                                 for made in FACTORIZATIONS)),
    factorization.release_central: both(*(private(lambda joined=joined: cell_pairs(joined), factorization=made, epsilon=1, delta=1e-6,
                                                  neighbor=relation)
                                          for relation, joined in RELATIONS.items() for made in FACTORIZATIONS[joined:])),
    synthetic.multiplicative_weights: private(
        lambda: cell_pairs(False), workload=[[1, 0], [1, 1], [0, 1]], rounds=4, epsilon=1, delta=1e-6),
    synthetic.tree_distribution: both(*(
        private(lambda width=width: (pair for pair in labelled_pairs() if len(pair[0][0]) == width),
                categories=[2] * width, epsilon=1, delta=1e-6) for width in (2, 3))),
    friendly.friendly_mean: both(private(vector_pairs, radius=3, epsilon=5, delta=1e-3),
                                 private(vector_pairs, radius=1e300, epsilon=1e4, delta=1e-3),
                                 private(far_vectors, radius=300, epsilon=5, delta=1e-3)),
    friendly.friendly_tuples: both(private(tuple_pairs, radius=3, epsilon=5, delta=1e-3),
                                   private(tuple_pairs, radius=1e290, epsilon=1e4, delta=1e-3)),
    friendly.sample_friendly_core: private(vector_pairs, radius=3),
    friendly.friendly_core_mean: both(private(vector_pairs, radius=3, epsilon=5, delta=1e-3),
                                      private(vector_pairs, radius=1e300, epsilon=500, delta=1e-3),
                                      private(far_vectors, radius=300, epsilon=5, delta=1e-3)),
    glm.compared.release_with_ridge: both(
        *(fitted(**MODEL, loss=loss, ridge=1, delta=1e-6) for loss in LOSSES), trial(**TRIAL, ridge=1)),
    glm.compared.objective_perturbation_idealized: both(*(fitted(**MODEL, loss=loss, split=.5, delta=1e-6) for loss in LOSSES)),
    glm.compared.release_by_noisy_gradients: both(
        *(fitted(**MODEL, loss=loss, iterations=4, step=1, delta=1e-6) for loss in LOSSES), trial(**TRIAL, iterations=4, step=1)),
    glm.noisy_sgd: both(*(trained(**MODEL, loss=loss, size=20, rate=rate, clip=.5, iterations=4, step=1, delta=1e-6)
                          for loss, rate in zip(LOSSES, (.5, 1)))),
    glm.release_from_table: fitted(domain=glm.Box([(-1, 3)] * 2, binary=[0, 1]), epsilon=1, noise="discrete_laplace"),
    glm.certify_below: both(private(lambda: answers(1e300), sensitivity=1e300, epsilon=1, delta=1e-6),
                            private(lambda: answers(1e300), sensitivity=2, epsilon=1, delta=.4)),
    glm.release_with_public_scale: both(
        fitted(**MODEL, loss=glm.LOGISTIC, move=([0, 0], [1, 2]), split=.5, delta=1e-6), trial(**TREATED), trial(**TWO_ARMS),
        counted(**TWO_ARMS)),
    glm.release_with_fitted_scale: both(
        fitted(**MODEL | dict(epsilon=40), loss=glm.ROBUST, move=([0, 0], [1, 2]), split=.5, delta=.4),
        trial(**TREATED), trial(**TWO_ARMS), counted(**TWO_ARMS)),
    glm.release_coefficient: both(
        fitted(**MODEL | dict(epsilon=40), loss=glm.LOGISTIC, move=([0, 0], [1, 2]), split=.5, delta=.4),
        trial(**TREATED), trial(**TWO_ARMS), counted(**TWO_ARMS)),
    glm.release_by_perturbed_objective: both(
        *(fitted(**MODEL, loss=loss, move=([0, 0], [1, 2])) for loss in LOSSES),
        counted(domain=TWO_ARMS["domain"], loss=glm.LOGISTIC, epsilon=1, move=([0], [1])),
        trial(people=500, domain=TRIAL["domain"], loss=glm.LOGISTIC, epsilon=1, move=([0, 0], [1, 0]))),
    glm.release_vector_by_perturbed_objective: both(
        *(fitted(**MODEL, loss=loss) for loss in LOSSES),
        counted(domain=TWO_ARMS["domain"], loss=glm.LOGISTIC, epsilon=1),
        trial(people=500, domain=TRIAL["domain"], loss=glm.LOGISTIC, epsilon=1)),
    glm.release_vector: both(*(fitted(**MODEL, loss=loss, split=.5, delta=1e-6) for loss in LOSSES), trial(**TRIAL, split=.3),
                             counted(**TRIAL | dict(domain=TWO_ARMS["domain"]), split=.3)),
    glm.compared.release_with_isotropic_noise: both(
        fitted(**MODEL, loss=glm.LOGISTIC, form="sharp", split=.5, delta=1e-6),
        fitted(**MODEL, loss=glm.ROBUST, form="source", split=.5, delta=1e-6),
        *(trial(**TRIAL | dict(epsilon=4), form=form, split=.5) for form in ("sharp", "source"))),
    glm.compared.release_with_condition_number: both(
        fitted(**MODEL, loss=glm.ROBUST, move=([0, 0], [1, 2]), check="exact", split=.5, delta=1e-6), trial(**TREATED, check="exact")),
    glm.compared.release_with_mahalanobis_scale: both(
        fitted(**MODEL, loss=glm.LOGISTIC, move=([0, 0], [1, 2]), split=.5, delta=1e-6), trial(**TREATED)),
    glm.compared.oracle: both(*(fitted(**MODEL, loss=loss, move=([0, 0], [1, 2])) for loss in LOSSES)),
    glm.compared.certify_by_recursion: both(
        *(unpromised(private(lambda: answers(1e300), levels=levels, epsilon=1, delta=1e-6, noise=noise))
          for levels in (glm.compared.linear_levels(step=1e300), LEVELS) for noise in NOISES),
        private(lambda: [(0.4, 0.398), (7, 6.998), (2e-3, 0), (1e300, 1e300)], levels=glm.compared.linear_levels(step=0.002),
                epsilon=1, delta=1e-6, noise="laplace")),
    glm.compared.certify_largest_eigenvalue: both(
        unpromised(private(lambda: answers(HUGE), **EIGENVALUE)),
        private(lambda: [(0.45, 0.451), (0.001, 0), (1, 0.999), (7, 9)], **EIGENVALUE)),
}
