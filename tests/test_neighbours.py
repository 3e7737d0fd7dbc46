"""No public mechanism, of the package or on a page, shows one record in anything but its random value.

Every mechanism of tests/releases.py releases both data sets of every pair, watched as in tests/neighbours.py. Then the
mistakes that were once made are put back, and each must be noticed.
"""

import ast
import inspect
import re
import sys
from collections import Counter
from contextlib import suppress
from functools import cache
from importlib import import_module
from itertools import chain, islice
from pathlib import Path

import numpy as np
import pytest

from dplib import (
    _checks, _grid, aggregation, factorization, friendly, histograms, lower_bounds, mean, mechanisms, parity, queries)
from dplib.aggregation import answers as answers_of_blocks, blocks
from dplib.book.reference import public_names
from dplib.factorization import central_release, local_release
from dplib.friendly import mean as friendly_mean
from dplib.mean import adaptive, estimators
from dplib.queries import oracles
from tests.depth import PAIRS, RELEASED
from tests.mutants import changed
from tests.neighbours import integer_pairs, number_pairs, observe, replaced, text_pairs
from tests.releases import PACKAGE, private

OPTIONS = re.compile(r"\A(---\n.*?\n---\n|(:[^\n]*\n)+)", re.S)      # of a cell, before its code
FIRST = 12                                        # pairs of a case, which are looked at in any case
CHAPTERS = Path(__file__).resolve().parents[1] / "chapters"


def test_every_mechanism_of_the_package_is_here():
    """Whoever takes a generator draws noise: it is a mechanism."""
    modules = [import_module(name) for name, target in public_names().items() if name == target and name in sys.modules]
    assert {"dplib.mean", "dplib.glm", "dplib.glm.compared"} <= {module.__name__ for module in modules}
    public = {f for module in modules for name, f in vars(module).items()
              if inspect.isfunction(f) and not name.startswith("_") and f.__module__.startswith(module.__name__)}
    drawing = {f for f in public if "rng" in inspect.signature(f).parameters}
    strangers = {f.__name__ for f in drawing ^ set(PACKAGE)}
    assert not strangers, f"step 4: no case in PACKAGE of tests/releases.py for {strangers}"


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
    "proposed_median": on(odd_rows, private(lambda: islice(number_pairs(), 0, None, 12), bounds=(-5, 5), jump=1, epsilon=50, delta=1e-3)),
    "median_over_gaps": on(one_row, private(low=-5, high=5, epsilon=1)),
    "sparse_pure_histogram": private(lambda: inside(integer_pairs(False)), cells=2**63 - 1, epsilon=9, cutoff=25),
}
BROKEN_ON_PURPOSE = {"noise_on_what_is_there", "around_the_median", "until_it_answers", "floating_mean", "clipped_average", "coefficient"}
DATA = {"x", "labels"}              # what pages call data that are given; a function without draws its own, or none


def is_constant(node):
    return isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)


@cache
def of_pages():
    """{name: function} of all pages, from their code, shown or folded; with imports, constants and functions of the page."""
    found = {}
    for page in sorted(CHAPTERS.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        code = re.findall(r"^```(?:\{code-cell\} ipython3|python)\n(.*?)^```", text, re.M | re.S)
        parts = [node for cell in code for node in ast.parse(OPTIONS.sub("", cell)).body
                 if isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef)) or is_constant(node)]
        names = {}
        for part in parts:
            with suppress(NameError):                        # a decorator or a default may need what the page computes
                exec(compile(ast.Module([part], []), page, "exec"), names)
        for part in parts:
            if isinstance(part, ast.FunctionDef) and "rng" in [a.arg for a in part.args.args + part.args.kwonlyargs]:
                found[part.name] = names[part.name]
                found[part.name].source = ast.unparse(part)
    return found


def test_every_function_of_a_page_that_draws_is_here():
    given = {name for name, function in of_pages().items() if DATA & set(inspect.signature(function).parameters)}
    assert given == set(ON_PAGES) | BROKEN_ON_PURPOSE


# ----------------------------------------------------------------------------------------------------------- the looking


def leaks(releases, count=lambda case, seen: None):
    """What tells x from x', for every pair that is looked at; pairs with the same x follow each other.

    Beside each x it is another share of them: as the same records follow a list, an array of objects and an array of numbers,
    every number comes up beside each data set.
    """
    for case, (release, pairs, *_) in enumerate(releases):
        last, seen, run = None, None, -1
        for k, (x, y) in enumerate(pairs):
            run, place, seen = (run, place + 1, seen) if x is last else (run + 1, 0, None)
            last = x
            if k >= FIRST and (place + run) % RELEASED.all >= RELEASED():
                continue
            counted = (place + run) % PAIRS.all < PAIRS()
            if seen is None or counted and seen.calls is None:
                seen = observe(release, x, counted=counted)
            count(case, seen)
            if seen.tells(observe(release, y, counted=counted)):     # what is public may be kept from the first release to the next
                seen = observe(release, x, counted=counted)
                for way in seen.tells(observe(release, y, counted=counted)):
                    yield way, repr(x)[:120], repr(y)[:120]


def no_leak(releases, record_property):
    releases, errors = list(releases), Counter()
    found = list(leaks(releases, lambda case, seen: errors.update([(case, seen.error)])))
    record_property("pairs", errors.total())
    assert found == [], found[:5]
    assert {case for case, error in errors if error is None} == set(range(len(releases))), errors  # what is refused shows nothing


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
    "a warning when a sum leaves the floats": (mechanisms.gaussian, _grid.Noise, "added_to", AUDIBLE),
    "the same with Laplace noise": (mechanisms.laplace, _grid.Noise, "added_to", AUDIBLE),
    "a warning when a candidate is far behind": (mechanisms.exponential, _grid, "_apart", AUDIBLE),
    "a warning when a far record is clipped": (mean.unbounded_mean, estimators, "_window_sums", AUDIBLE),
    "a warning when a far record is labelled": (mean.private_scale, estimators, "_occupied", AUDIBLE),
    "an error for a record whose square is no float": (
        mean.unbounded_mean, estimators, "_finite", ('_checks.reals("x", block)', '_checks.reals("x", block, at_most=1e300)')),
    "a warning when a far record is measured from the centre": (mean.adaptive_mean, adaptive, "_answers", AUDIBLE),
    "a warning when a far record votes": (
        lower_bounds.clamped_likelihood_test, lower_bounds.two_distributions, "clamped_likelihood_test", AUDIBLE),
    "a warning when friends of a far record are counted": (
        friendly.friendly_mean, friendly_mean, "friend_counts", ('over="ignore", invalid="ignore"', 'over="warn"')),
    "a warning when a far record is measured from a heavy one": (
        friendly.friendly_mean, friendly_mean, "weighted_mean", ('over="ignore", invalid="ignore"', 'over="warn"')),
    "an error for labels that contradict each other": (
        parity.private_parity, parity.equations, "_solve", ("return np.where", "assert consistent.all(); return np.where")),
    "a refusal of another type": (
        parity.private_parity, parity.equations, "private_parity", ("np.int8(-1))", "-1) if answers.any() else None")),
    "an estimator's exception gets out": (
        aggregation.subsample_and_aggregate, blocks, "_guarded", ("except BaseException", "except KeyError")),
    "an estimator's warning gets out": (
        aggregation.subsample_and_aggregate, blocks, "_silent", ('simplefilter("ignore")', 'simplefilter("always")')),
    "clipped numbers are added up in single precision": (
        aggregation.bounded_mean, answers_of_blocks, "bounded_mean", (
            "window.sums(np.clip(x, lo, hi) - middle)", "np.int64(np.clip(x, lo, hi).astype(np.float32).sum(axis=-1) / window.unit)")),
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
    release = lambda data, rng: histograms.stability_histogram(data, domain="integers", epsilon=1, delta=1e-6, neighbor="replace",
                                                               noise="laplace", rng=rng)
    assert any(observe(release, x).tells(observe(release, y)) for y in neighbours)
