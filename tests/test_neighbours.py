"""No public mechanism, of the package or on a page, shows one record in anything but its random value.

Every mechanism releases both data sets of every pair, watched as in tests/neighbours.py. Then the mistakes that were once
made are put back, and each must be noticed.
"""

import ast
import inspect
import pkgutil
import re
import warnings
from collections import Counter
from functools import cache
from importlib import import_module
from itertools import chain, islice
from pathlib import Path

import numpy as np
import pytest

import dplib
from dplib import (
    _checks, aggregation, factorization, friendly, glm, histograms, learning, local, lower_bounds, mean, mechanisms, parity, queries)
from dplib.aggregation import answers as answers_of_blocks, blocks
from dplib.factorization import central_release, local_release
from dplib.friendly import mean as friendly_mean, weights as friendly_weights
from dplib.mean import adaptive, estimators
from dplib.queries import oracles
from tests.neighbours import HUGE, WHOLE, cell_pairs, integer_pairs, number_pairs, observe, replaced, text_pairs

OPTIONS = re.compile(r"\A(---\n.*?\n---\n|(:[^\n]*\n)+)", re.S)      # of a cell, before its code
CHAPTERS = Path(__file__).resolve().parents[1] / "chapters"
RELATIONS, NOISES = {"replace": False, "add_remove": True}, ("laplace", "discrete_laplace")

# ------------------------------------------------------------------------------------------------------- the mechanisms


def answers(far):
    """(f(x), f(x')) at most `far` apart: the same numbers in other types, at the ends of what a float can hold."""
    yield from [(5, 6), (5, 6.0), (True, 2), (2**63 - 1, 2**63), (2**100, 2**100 + 1), (0.0, -0.0), (5e-324, 0), (HUGE, far - HUGE)]
    yield from [([1, 2], [1, 3]), ([True, 0], [2, 0]), ([2**63 - 1, 0], [2**63, 0]), ([0.0], [-0.0]), ([-HUGE, 0], [far - HUGE, 0])]
    yield from [([HUGE, -HUGE], [far, 0.0]), (np.array([1, 2]), np.array([1, 3])), ([], [])]


def counts():
    ends = [(2**62 - 1, 2**62), (-(2**62), 1 - 2**62), (True, 2), (np.True_, 0), (np.uint64(7), 8), ([True, True], [True, 2])]
    return [(5, 6), ([0, 1], [1, 1]), ([], []), ([2**62, 0], [np.int8(1), np.uint64(1)]), *ends]


def scores():
    return [pair for pair in answers(HUGE) if np.size(pair[0]) and np.ndim(pair[0])] + [([3, 1, 0.0], [3, 1, -0.0])]


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
        options = [*relations, dict(blocks=3)] if "blocks" in inspect.signature(function).parameters else relations
        pairs = [pair for pair in labelled_pairs() if len(pair[0][0]) <= at_most]
        learn = lambda option: lambda rows, rng: function([r[:-1] for r in rows], [r[-1] for r in rows], epsilon=1, **option, rng=rng)
        return [(learn(option), pairs) for option in options]
    return releases


def vector_pairs():
    """Records on a line, or as points with a second coordinate that all share."""
    for place, (x, y) in enumerate(number_pairs()):
        if np.ndim(x) == 1:
            yield tuple([[1, value] if place % 2 else [value] for value in data] for data in (x, y))


def tuple_pairs():
    """Each record a tuple of two points, the second one far away from most."""
    return (tuple([[record, [-50] * len(record)] for record in data] for data in pair) for pair in islice(vector_pairs(), 0, None, 5))


def private(pairs=number_pairs, **given):
    """What makes of a function the releases to look at, each with its pairs."""
    return lambda function: [(lambda data, rng: function(data, **given, rng=rng), pairs())]


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
    return lambda function: chain.from_iterable(
        private(lambda joined=joined: examples(joined))(
            lambda data, rng, relation=relation: function(shape(data[0]), data[1], cells=7, epsilon=1, neighbor=relation, rng=rng))
        for relation, joined in RELATIONS.items())


def one_number(x):
    return x if x.ndim == 1 else x[:, 0]


def two_answers(**given):
    """An oracle made of the data, and two queries to it: the records themselves, and their square roots."""
    def ask(make, data, rng):
        oracle = make(data, queries=2, **given, rng=rng)
        return oracle(one_number), oracle(lambda x: np.sqrt(one_number(x).astype(float)))
    return lambda function: [(lambda data, rng: ask(function, data, rng), (pair for pair in number_pairs() if len(pair[0]) > 1))]


def reports_from_averages(function):
    """A curator's answers make up two reports on whether a record is positive, by randomised response."""
    def channel(x):
        return np.where(one_number(x)[:, None] > 0, [.25, .75], [.75, .25])

    def simulate(data, rng):
        oracle = queries.central_oracle(data, queries=4, epsilon=1, rng=rng)
        return function(oracle, lambda reports: channel, users=2, reference=0, epsilon=2, tries=2, rng=rng)
    return [(simulate, number_pairs())]


def fitted(**given):
    """A release of a fitted model: each record stands for the outcome of one person and for both covariates."""
    pairs = lambda: islice((pair for pair in number_pairs() if np.ndim(pair[0]) == 1), 0, None, 5)
    return lambda function: [(lambda x, rng: function([[value, value] for value in x], list(x), **given, rng=rng), pairs())]


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
    return lambda function: [(lambda x, rng: function(x, estimator, combine, blocks=3, default=0, rng=rng),
                              (pair for pair in number_pairs() if len(pair[0]) > 2))]


HUGE_ANSWERS = dict(pairs=lambda: answers(HUGE), sensitivity=HUGE, epsilon=1)
LARGE_ANSWERS = dict(pairs=lambda: answers(1e307), sensitivity=1e307, epsilon=1, delta=1e-6)
COUNTS, SCORES = dict(pairs=counts, sensitivity=1, epsilon=1), dict(pairs=scores, sensitivity=HUGE, epsilon=1)
SPARSE = both(histogram(integer_pairs, domain="integers", delta=1e-6), histogram(text_pairs, domain="text", delta=1e-6))
MODEL, LOSSES = dict(domain=glm.Box([(-1, 3)] * 2), epsilon=1), (glm.LOGISTIC, glm.ROBUST)
LEVELS = glm.source_levels(radius=2, largest_curvature=0.25, size=1000)
FACTORIZATIONS = [factorization.square_root_factorization(cells=2, centered=True), factorization.square_root_factorization(cells=2),
                  factorization.identity_factorization([[1, 0], [1, 1], [0, 5]])]
PACKAGE = {
    mechanisms.laplace: private(**HUGE_ANSWERS),
    mechanisms.gaussian: private(**LARGE_ANSWERS),
    mechanisms.discrete_laplace: private(**COUNTS),
    mechanisms.discrete_gaussian: private(**COUNTS, delta=1e-6),
    mechanisms.exponential: private(**SCORES),
    mechanisms.report_noisy_max: private(**SCORES),
    mechanisms.permute_and_flip: private(**SCORES),
    mechanisms.randomized_response: private(lambda: cell_pairs(False), epsilon=1),
    histograms.laplace_histogram: both(histogram(cell_pairs, cells=2), private(cells=5, bounds=(-3, 4), epsilon=1)),
    histograms.stability_histogram: SPARSE,
    histograms.truncated_histogram: SPARSE,
    mean.clipped_mean: private(radius=10, epsilon=1),
    mean.two_stage_mean: private(radius=10, epsilon=1),
    mean.unbounded_mean: private(epsilon=5, delta=1e-3),
    mean.private_scale: private(epsilon=5, delta=1e-3),
    mean.adaptive_mean: both(private(radius=1e3, epsilon=1), private(radius=1e307, epsilon=1e4)),
    mean.mean_interval: both(private(radius=10, epsilon=3), private(radius=0.1, epsilon=1)),
    lower_bounds.sign_test: private(shift=1, epsilon=1),
    lower_bounds.clamped_likelihood_test: private(shift=1, clamp=0.5, epsilon=1),
    learning.private_threshold: learner(),
    learning.private_stump: learner(shape=lambda column: [[value] for value in column] or np.zeros((0, 1), dtype=int)),
    local.local_randomized_response: private(epsilon=1),
    local.local_laplace: private(epsilon=1),
    local.l2_ball_randomizer: private(radius=3, epsilon=1),
    local.local_gaussian: private(radius=3, epsilon=1, delta=1e-6),
    queries.central_oracle: two_answers(epsilon=1),
    queries.fresh_oracle: two_answers(epsilon=1),
    queries.local_oracle: two_answers(epsilon=1),
    queries.simulate_local_protocol: reports_from_averages,
    parity.private_parity: labelled(),
    parity.private_parity_by_scores: labelled(at_most=20),
    parity.learn_parity_locally: labelled(at_most=20),
    aggregation.passes_test: private(lambda: answers(HUGE), sensitivity=HUGE, threshold=0, epsilon=1, delta=1e-6),
    aggregation.release_if_stable: lambda function: [
        (lambda distance, rng: function(["Smith"] * len(distance), distance, epsilon=1, delta=1e-6, rng=rng), distances())],
    aggregation.private_vote: both(private(lambda: cell_pairs(False), epsilon=1), private(epsilon=1, noise="laplace")),
    aggregation.private_median: private(candidates=[-1e300, -3, 0, 0.5, 2.5, 3, 1e307], epsilon=1),
    aggregation.bounded_mean: both(private(bounds=(-3, 4), epsilon=1), private(bounds=(-8e307, 8e307), epsilon=1)),
    aggregation.subsample_and_aggregate: both(blocks_of(np.mean), blocks_of(fussy), blocks_of((Refusing(), lambda fit: fit.mean))),
    factorization.release_local: both(*(private(lambda: cell_pairs(False), factorization=made, epsilon=1) for made in FACTORIZATIONS)),
    factorization.release_local_gaussian: both(*(private(lambda: cell_pairs(False), factorization=made, epsilon=1, delta=1e-6)
                                                 for made in FACTORIZATIONS)),
    factorization.release_central: both(*(private(lambda joined=joined: cell_pairs(joined), factorization=made, epsilon=1, delta=1e-6,
                                                  neighbor=relation)
                                          for relation, joined in RELATIONS.items() for made in FACTORIZATIONS[joined:])),
    friendly.friendly_mean: both(private(vector_pairs, radius=3, epsilon=5, delta=1e-3),
                                 private(vector_pairs, radius=1e300, epsilon=1e4, delta=1e-3)),
    friendly.friendly_tuples: both(private(tuple_pairs, radius=3, epsilon=5, delta=1e-3),
                                   private(tuple_pairs, radius=1e290, epsilon=1e4, delta=1e-3)),
    friendly.sample_friendly_core: private(vector_pairs, radius=3),
    glm.ridge_perturbation: both(*(fitted(**MODEL, loss=loss, ridge=1, delta=1e-6) for loss in LOSSES)),
    glm.objective_perturbation: both(*(fitted(**MODEL, loss=loss, split=.5, delta=1e-6) for loss in LOSSES)),
    glm.noisy_gradient: both(*(fitted(**MODEL, loss=loss, iterations=4, step=1, delta=1e-6) for loss in LOSSES)),
    glm.noisy_table: fitted(domain=glm.Box([(-1, 3)] * 2, binary=[0, 1]), epsilon=1, noise="discrete_laplace"),
    glm.certify_below: both(private(lambda: answers(1e300), sensitivity=1e300, epsilon=1, delta=1e-6),
                            private(lambda: answers(1e300), sensitivity=2, epsilon=1, delta=.4)),
    glm.one_certificate: fitted(**MODEL, loss=glm.LOGISTIC, move=([0, 0], [1, 2]), split=.5, delta=1e-6),
    glm.fitted_scale: fitted(**MODEL | dict(epsilon=40), loss=glm.ROBUST, move=([0, 0], [1, 2]), split=.5, delta=.4),
    glm.release_coefficient: fitted(**MODEL | dict(epsilon=40), loss=glm.LOGISTIC, move=([0, 0], [1, 2]), split=.5, delta=.4),
    glm.release_vector: both(*(fitted(**MODEL, loss=loss, split=.5, delta=1e-6) for loss in LOSSES)),
    glm.isotropic_noise: both(fitted(**MODEL, loss=glm.LOGISTIC, form="sharp", split=.5, delta=1e-6),
                              fitted(**MODEL, loss=glm.ROBUST, form="source", split=.5, delta=1e-6)),
    glm.condition_number_scale: fitted(**MODEL, loss=glm.ROBUST, move=([0, 0], [1, 2]), check="exact", split=.5, delta=1e-6),
    glm.mahalanobis_scale: fitted(**MODEL, loss=glm.LOGISTIC, move=([0, 0], [1, 2]), split=.5, delta=1e-6),
    glm.oracle: both(*(fitted(**MODEL, loss=loss, move=([0, 0], [1, 2])) for loss in LOSSES)),
    glm.certify_by_recursion: both(*(private(lambda: answers(1e300), levels=levels, epsilon=1, delta=1e-6, noise=noise)
                                     for levels in (glm.linear_levels(step=1e300), LEVELS) for noise in NOISES)),
    glm.certify_largest_eigenvalue: private(lambda: answers(HUGE), smallest_eigenvalue=0.4, radius=2, largest_curvature=0.25, size=1000,
                                            epsilon=1, delta=1e-6),
}


def test_every_mechanism_of_the_package_is_here():
    """Whoever takes a generator draws noise: it is a mechanism."""
    modules = [import_module(f"dplib.{module.name}") for module in pkgutil.iter_modules(dplib.__path__)
               if module.name != "book" and not module.name.startswith("_")]
    public = {f for module in modules for name, f in vars(module).items()
              if inspect.isfunction(f) and not name.startswith("_") and f.__module__.startswith(module.__name__)}
    assert {f for f in public if "rng" in inspect.signature(f).parameters} == set(PACKAGE)


# ------------------------------------------------------------------------------------------------ the functions of pages

def as_floats(x):
    return np.asarray(x, dtype=float)


def one_row(x):
    return as_floats(x).reshape(-1)


def rows(x):
    """Data sets as rows, as many records in each as makes pairs."""
    x = np.atleast_2d(as_floats(x))
    return x[:, :-1] if x.shape[1] % 2 and x.shape[1] > 1 else np.resize(x, (len(x), max(2, x.shape[1])))


def odd_rows(x):
    """Data sets of an odd number of records: one is left out where it is even."""
    return as_floats(x)[..., :(np.shape(x)[-1] - 1) // 2 * 2 + 1]


def inside(pairs):
    return ((x, y) for x, y in pairs if min(map(int, chain(x, y))) >= 0 and max(map(int, chain(x, y))) < 2**63 - 1)


def on(shape, maker):
    """The same for a function of a page, which wants its data in a certain shape."""
    return lambda function: maker(lambda data, **given: function(shape(data), **given))


ON_PAGES = {
    "draw_centre": on(one_row, private(radius=10, epsilon=1)),
    "windows_centre": on(rows, private(radius=10, epsilon=1, half=1.5)),
    "coarse_cell": on(rows, private(radius=10, epsilon=1)),
    "mean_in_any_unit": on(as_floats, private(epsilon=60, delta=1e-3)),
    "sharper_scale": on(rows, private(epsilon=60, delta=1e-3)),
    "proposed_median": on(odd_rows, private(bounds=(-5, 5), jump=1, epsilon=50, delta=1e-3)),
    "median_over_gaps": on(one_row, private(low=-5, high=5, epsilon=1)),
    "sparse_pure_histogram": private(lambda: inside(integer_pairs(False)), cells=2**63 - 1, epsilon=9, cutoff=25),
}
BROKEN_ON_PURPOSE = {"noise_on_what_is_there", "around_the_median", "until_it_answers"}
DATA = {"x", "labels"}              # what pages call data that are given; a function without draws its own, or none


@cache
def of_pages():
    """{name: function} of all pages, from their code, shown or folded, and the imports that it needs."""
    found = {}
    for page in sorted(CHAPTERS.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        code = re.findall(r"^```(?:\{code-cell\} ipython3|python)\n(.*?)^```", text, re.M | re.S)
        parts = [node for cell in code for node in ast.parse(OPTIONS.sub("", cell)).body
                 if isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef))]
        names = {}
        exec(compile(ast.Module([part for part in parts if not isinstance(part, ast.FunctionDef)], []), page, "exec"), names)
        for part in parts:
            if isinstance(part, ast.FunctionDef) and "rng" in [a.arg for a in part.args.args + part.args.kwonlyargs]:
                exec(compile(ast.Module([part], []), page, "exec"), names)
                found[part.name] = names[part.name]
                found[part.name].source = ast.unparse(part)
    return found


def test_every_function_of_a_page_that_draws_is_here():
    given = {name for name, function in of_pages().items() if DATA & set(inspect.signature(function).parameters)}
    assert given == set(ON_PAGES) | BROKEN_ON_PURPOSE


# ----------------------------------------------------------------------------------------------------------- the looking


def leaks(releases, count=lambda: None):
    """What tells x from x', for every pair; pairs with the same x follow each other."""
    for release, pairs in releases:
        last = None
        for x, y in pairs:
            count()
            seen, last = observe(release, x) if x is not last else seen, x
            if seen.tells(observe(release, y)):          # what is public may be kept from the first release to the next
                seen = observe(release, x)
                for way in seen.tells(observe(release, y)):
                    yield way, repr(x)[:120], repr(y)[:120]


def no_leak(releases, record_property):
    seen = Counter()
    found = list(leaks(releases, lambda: seen.update(["pairs"])))
    record_property("pairs", seen["pairs"])
    assert seen["pairs"] and found == [], found[:5]


@pytest.mark.parametrize("function", PACKAGE, ids=lambda f: f.__name__)
def test_nothing_of_the_package_tells(function, record_property):
    no_leak(PACKAGE[function](function), record_property)


@pytest.mark.parametrize("name", ON_PAGES)
def test_nothing_on_a_page_tells(name, record_property):
    no_leak(ON_PAGES[name](of_pages()[name]), record_property)


# ------------------------------------------------------------------------------------------------- mistakes put back in


def types_inferred(labels):
    return np.unique(labels, return_counts=True)


def types_inferred_late(labels):
    """The memory of an array of strings, and then the width of those that are named."""
    names, counts = np.unique(labels, return_counts=True)
    return np.array(names.tolist(), dtype=object), counts


def letter_by_letter(labels):
    names, counts = np.unique(["".join(map(str.lower, label)) for label in labels], return_counts=True)
    return names.astype(object), counts


def changed(function, old, new):
    """A function with one change in its source."""
    source = inspect.getsource(function)
    assert old in source, f"{function.__name__} no longer says {old}"
    names = dict(vars(inspect.getmodule(function)))
    exec(source.replace(old, new), names)
    return names[function.__name__]


AUDIBLE = ('over="ignore"', 'over="warn"')
READ = {"integers": types_inferred, "text": types_inferred}
PLANTED = {        # what is wrong: (who shows it, the module, its piece, what takes its place)
    "one integer beyond 64 bits makes objects of all numbers": (
        mean.clipped_mean, _checks, "numbers", ('array.dtype.kind == "O"', "False")),
    "one unsigned integer makes floats of all cells": (
        histograms.laplace_histogram, _checks, "whole", ("records = np.array(value, dtype=object)", "records = array")),
    "NumPy decides what the labels are": (histograms.stability_histogram, histograms, "DOMAINS", READ),
    "NumPy decides what the labels of truncated noise are": (histograms.truncated_histogram, histograms, "DOMAINS", READ),
    "text as wide as the longest label": (
        histograms.stability_histogram, histograms, "DOMAINS", histograms.DOMAINS | {"text": types_inferred_late}),
    "work for every letter": (
        histograms.stability_histogram, histograms, "DOMAINS", histograms.DOMAINS | {"text": letter_by_letter}),
    "a warning when a sum leaves the floats": (mechanisms.gaussian, mechanisms, "gaussian", AUDIBLE),
    "the same with Laplace noise": (mechanisms.laplace, mechanisms, "laplace", AUDIBLE),
    "a unit beyond all floats": (
        mechanisms.exponential, mechanisms, "_exponents", ("/ scale / (1 if monotonic else 2)", "/ (scale * (1 if monotonic else 2))")),
    "a warning when a far record is clipped": (mean.unbounded_mean, estimators, "_window_mean", AUDIBLE),
    "a warning when a far record is labelled": (mean.private_scale, estimators, "_occupied", AUDIBLE),
    "an error for a record whose square is no float": (
        mean.unbounded_mean, estimators, "_finite", ('_checks.reals("x", block)', '_checks.reals("x", block, at_most=1e300)')),
    "a warning when a far record is measured from the centre": (mean.adaptive_mean, adaptive, "_answers", AUDIBLE),
    "a warning when a far record votes": (
        lower_bounds.clamped_likelihood_test, lower_bounds.two_distributions, "clamped_likelihood_test", AUDIBLE),
    "a warning when friends of a far record are counted": (
        friendly.friendly_mean, friendly_weights, "friend_counts", ('over="ignore", invalid="ignore"', 'over="warn"')),
    "a warning when a far record is measured from a heavy one": (
        friendly.friendly_mean, friendly_mean, "_weighted_mean", ('over="ignore", invalid="ignore"', 'over="warn"')),
    "an error for labels that contradict each other": (
        parity.private_parity, parity.equations, "_solve", ("return np.where", "assert consistent.all(); return np.where")),
    "a refusal of another type": (
        parity.private_parity, parity.equations, "private_parity", ("np.int8(-1))", "-1) if answers.any() else None")),
    "an estimator's exception gets out": (
        aggregation.subsample_and_aggregate, blocks, "_guarded", ("except BaseException", "except KeyError")),
    "an estimator's warning gets out": (
        aggregation.subsample_and_aggregate, blocks, "_guarded", ('simplefilter("ignore")', 'simplefilter("always")')),
    "the sum of clipped numbers leaves the floats": (
        aggregation.bounded_mean, answers_of_blocks, "bounded_mean", (
            "share.mean(axis=-1)", "(np.clip(x, lo, hi).astype(float).sum(axis=-1) / x.shape[-1] - lo) / (hi - lo)")),
    "a query is refused where it leaves its range": (queries.central_oracle, oracles, "_values", (
        "np.clip(values.astype(np.float64, copy=False), -1, 1)", '_checks.reals("phi(x)", values, at_least=-1, at_most=1).copy()')),
    "a warning when a query has no value": (queries.local_oracle, oracles, "_values", ('all="ignore"', 'all="warn"')),
    "NumPy decides what the cells of messages are": (
        factorization.release_local, local_release, "_average", ('_checks.whole("labels", labels)', "np.asarray(labels)")),
    "the same with Gaussian noise": (
        factorization.release_local_gaussian, local_release, "_average", ('_checks.whole("labels", labels)', "np.asarray(labels)")),
    "the largest record says how many cells there are": (
        factorization.release_central, central_release, "release_central",
        ("labels, factorization.workload.shape[1]", "labels, int(np.max(labels, initial=0)) + 1")),
}
PLANTED_ON_PAGES = {
    "mean_in_any_unit": [("np.nan_to_num(x / unit[..., None])", "x / unit[..., None]"), ("over='ignore'", "over='warn'")],
    "sharper_scale": [("over='ignore'", "over='warn'")],
    "coarse_cell": [("np.floor(x) + radius", "np.floor(x).astype(int) + radius")],
    "sparse_pure_histogram": [("np.asarray(labels, np.int64)", "labels")],
}


@pytest.mark.parametrize("planted", PLANTED)
def test_a_mistake_in_the_package_is_noticed(planted, monkeypatch):
    function, module, piece, new = PLANTED[planted]
    new = changed(getattr(module, piece), *new) if isinstance(new, tuple) else new
    monkeypatch.setattr(module, piece, new)
    assert any(leaks(PACKAGE[function](getattr(module, piece) if piece == function.__name__ else function)))


@pytest.mark.parametrize("name, old, new", [(name, *change) for name, all in PLANTED_ON_PAGES.items() for change in all])
def test_a_mistake_on_a_page_is_noticed(name, old, new):
    function = of_pages()[name]
    assert old in function.source, f"{name} no longer says {old}"
    names = dict(function.__globals__)
    exec(function.source.replace(old, new), names)
    assert any(leaks(ON_PAGES[name](names[name])))


def test_a_page_that_names_every_cell_is_noticed():
    """*Looks private*: noise on the cells that occur. What it names tells of single records."""
    assert any(leaks(private(lambda: text_pairs(False), epsilon=1)(of_pages()["noise_on_what_is_there"])))


FEW = [5] * 100
SUPPRESSED = {
    "2**63": ([*FEW, 5], [[*FEW, 2**63]]),
    "a": ([*FEW, 5], [[*FEW, "a"]]),
    "True": ([True] * 101, [[True] * 100 + [5]]),
    "2**63 merges": ([2**53] * 50 + [2**53 + 1] * 51, [[2**53] * 50 + [2**53 + 1] * 50 + [2**63]]),
    "-0.0": ([0.0] * 101, [replaced([0.0] * 101, -0.0, place) for place in range(101)]),        # where it leaves the sort first
    "one more": ([], [[5]]),
}


@pytest.mark.parametrize("x, neighbours", SUPPRESSED.values(), ids=SUPPRESSED)
def test_what_one_suppressed_record_once_changed(x, neighbours, monkeypatch):
    """The labels that are printed, when NumPy decides what they are."""
    monkeypatch.setattr(histograms, "DOMAINS", READ)
    release = lambda data, rng: histograms.stability_histogram(data, domain="integers", epsilon=1, delta=1e-6, rng=rng)
    assert any(observe(release, x).tells(observe(release, y)) for y in neighbours)
