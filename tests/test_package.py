"""The package says the same thing in the same way everywhere: one meaning for a name, one order of parameters, no default that
decides about privacy."""

from __future__ import annotations

import difflib
import inspect
import io
import re
import sys
import typing
from pathlib import Path

import numpy as np
import pytest
from docutils.core import publish_doctree
from sphinx.ext.napoleon import Config, NumpyDocstring

from dplib import glm
from dplib._types import Generator, Integer, Neighbor, Noise, Real, Reals
from dplib.book.reference import all_names, public_names

ROOT = Path(__file__).resolve().parents[1]

# Every name of a parameter, in the order in which a function takes them, and a word that its docstring must have.
DATA = {"probability": "event", "false_alarm": "innocent", "p": "[Pp]robabilities",
        "p_neighbor": "[Pp]robabilities", "q": "[Pp]robabilities", "q_neighbor": "[Pp]robabilities", "hits": "How often",
        "hits_neighbor": "How often", "mechanism": "Maps",
        "statistic": "exact value", "sample": "draws", "cdf": "distribution function", "value": "exact answer",
        "distance": "How many", "labels": "record|person", "workload": "questions", "counts": "noisy",
        "factorization": "Factorization",
        "scores": "candidates", "name": "argument", "values": "person|table|point", "vectors": "person", "tables": "statistical query",
        "x": "data set|Records", "X": "row for each record", "y": "label|outcome", "weights": "how many records",
        "x_neighbor": "data sets", "release": "means", "offset": "d, in", "seen": "mean",
        "half_width": "half the width", "t": "number", "enough": "size", "trial": "generator", "self": "", "other": "mechanism",
        "points": "record", "weight": "sum of the weights", "probabilities": "of each", "oracle": "query", "protocol": "channel",
        "answer": "returned", "answers": "oracle", "votes": "voter", "reports": "sent", "indices": "sent", "signs": "sent",
        "estimator": "block", "combine": "private",
        "column": "number|str", "move": "points", "theta": "[Cc]oefficients", "z": "[Dd]irections", "factor": "F", "gradient": "g",
        "deep": "gnored", "params": "new value", "what": "question"}
PROBLEM = {"tasks": "argument of each trial", "seed": "generator of its own", "file": "written here", "executor": "concurrent.futures",
           "variables": "how many", "bits": "binary digits", "block": "how many bits", "share": "found",
           "size": "number n of records", "count": "How many", "rate": "probability", "cells": "number k of cells", "categories": "number",
           "bounds": "interval", "levels": "recursion|share of votes", "unit": "whom", "by": "labels", "classes": "two labels",
           "most_groups": "votes",
           "missing": "without a number", "domain": "labels|public", "loss": "Loss", "shares": "share", "moments": "mean",
           "mu": "over standard deviation", "mean": "of the loss", "variance": "of the loss", "third": "E.L",
           "curvature": "mean of h", "columns": "answers of every person", "hypotheses": "number N",
           "radius": "R|ρ|how far friends|r", "dimension": "number k of entries|number d of (questions|coordinates)",
           "R": "two factors", "A": "two factors",
           "total_variation": "total variation", "shift": "mean under Q", "accuracy": "from",
           "center": "means", "rho": "Rényi", "sd": "Standard deviation", "scale": "Scale b", "sigma": "Standard deviation",
           "trials": "runs", "at_least": "size", "at_most": "size",
           "queries": "how many queries", "users": "how many people", "reference": "one record",
           "alarms": "how many alarms", "margin": "how far", "threshold_scale": "scale b₁", "answer_scale": "scale b",
           "tolerance": "how far", "candidates": "public", "wrong": "label is wrong",
           "nu": "curvature", "changes": "how many", "added": "come", "removed": "go", "largest_curvature": "sup h''",
           "eigenvalue": "smallest eigenvalue", "smallest_eigenvalue": "bound", "largest_eigenvalue": "bounds", "lipschitz": "Lipschitz",
           "ratio": "standard deviation under Q", "up": "factor|shrinks", "down": "factor|shrinks",
           "steps": "whole", "ridge": "Λ", "tilt": "b", "clip": "shortened",
           "iterations": "[Hh]ow many", "batches": "how many", "passes": "how many", "form": "Which certificate",
           "check": "ratio of scales",
           "rounds": "how many", "total": "the sum", "aspect": "ball", "operator": "norms", "frobenius": "norms"}
PRIVACY = {"sensitivity": "sensitivity|change|scale of the noise", "threshold": "public",
           "local_epsilon": "one message", "epsilon": r"float|spends|scale", "delta": r"float [^.]*\b[01]\b"}
TUNING = {"monotonic": "scores", "neighbor": "add_remove", "noise": "laplace", "clamp": "log-likelihood",
          "blocks": "mod|disjoint", "strangers": "far from all others", "split": "share of ε",
          "interval_share": "pays for a standard error", "fallback": "perturbed objective",
          "u": "same for all records", "lower": "lower bound", "gap": "relatively",
          "least_squares": "least squares", "centered": "subtracted|chosen", "width": "width of a cell", "rows_per_unit": "how many",
          "beta": "probability", "level": "probability", "slack": "δ'", "order": "neighbours",
          "certificates": "Laplace", "step": "grid|step",
          "runs": "independent", "vectorized": "called once", "aim": "answer", "tries": "drafts", "default": "Public", "people": "Public",
          "seconds": "How long", "speakers": "Who sends", "messages": "How many reports", "advantage": "how much better"}
ORDER = [*DATA, *PROBLEM, *PRIVACY, *TUNING, "rng"]
NEVER_BY_DEFAULT = {"sensitivity", "local_epsilon", "epsilon", "delta", "radius", "neighbor", "noise", "rows_per_unit", "rng"}


def public_functions():
    """Every function that the package offers, and every method of its classes."""
    for name, full in public_names().items():
        item = _find(full)
        if name != full or inspect.ismodule(item):
            continue
        methods = vars(item).items() if inspect.isclass(item) else ()
        yield from [(full, item)] if inspect.isfunction(item) else []
        yield from ((f"{full}.{key}", getattr(item, key)) for key, method in methods
                    if not key.startswith("_") and isinstance(method, (classmethod, type(_find))))


def _find(full):
    module, _, name = full.rpartition(".")
    return getattr(__import__(module, fromlist=[name]), name)


FUNCTIONS = [pytest.param(function, id=name) for name, function in public_functions()]


def parameters(function):
    return inspect.signature(function).parameters.values()


def no_meaning(name):
    """What is said of a parameter that this file does not know, and what may have been meant."""
    near = difflib.get_close_matches(name, ORDER)
    meant = f"did you mean {' or '.join(near)}? If not," if near else "it is none of ORDER:"
    return (f"the parameter {name!r} has no meaning; {meant} give it one, in DATA, PROBLEM, "
            "PRIVACY or TUNING of this file")


def is_one_of_two_prices(parameter, names):
    """Nothing is decided where either ε, with or without δ, or ρ has to be given; and where δ is asked of a ledger of ρ."""
    return parameter.name in {"epsilon", "delta"} and parameter.default is None and ("rho" in names or names == ["delta"])


def overridden(function):
    """The parameters of the method that this one overrides, which come first and as they are there."""
    owner, _, name = function.__qualname__.rpartition(".")
    bases = getattr(sys.modules[function.__module__], owner, object).__mro__[1:]
    return next(([p.name for p in parameters(vars(base)[name]) if p.name != "self"] for base in bases
                 if inspect.isfunction(vars(base).get(name))), [])


def problems_of_names(function):
    """What is wrong with the names, the order and the defaults of a function's parameters."""
    names = [p.name for p in parameters(function) if p.name != "self"]
    if unknown := [name for name in names if name not in ORDER]:
        yield from map(no_meaning, unknown)
        return
    first = overridden(function)
    order = first + sorted((name for name in names if name not in first), key=ORDER.index)
    if names != order:
        yield f"the order is {', '.join(order)}"
    yield from (f"{p.name} has a default" for p in parameters(function)
                if p.name in NEVER_BY_DEFAULT and p.default is not p.empty and not is_one_of_two_prices(p, names))
    yield from (f"{p.name} may only be given by name" for p in parameters(function)
                if p.name in {"delta", "rng", "beta", *PROBLEM} and p.kind is not p.KEYWORD_ONLY and len(names) > 2)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_name_has_one_meaning_one_place_and_no_default_that_decides_about_privacy(function):
    assert not list(problems_of_names(function))


def test_mutants_of_the_names_are_found():
    def order(x, *, epsilon, radius, rng): ...
    def default(*, hypotheses, epsilon, delta=0.0): ...
    def unknown(*, magnitude, epsilon): ...
    def position(x, delta, rng): ...
    for mutant in (order, default, position):
        assert list(problems_of_names(mutant)), mutant
    [said] = problems_of_names(unknown)
    assert said.startswith("the parameter 'magnitude' has no meaning; ")
    assert "did you mean epsilon" in no_meaning("epsilo")


def described(function):
    """{parameter: what the docstring says of it}; "As in `other`" is what the other one says."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=\n\n\w|\Z)", inspect.getdoc(function) or "", re.M | re.S)
    found = {}
    for names, text in re.findall(r"^(\w[\w, ]*?)(?: : |$)(.*(?:\n    .*)*)", section[1], re.M) if section else ():
        text = " ".join(text.split())
        other = re.match(r"As in `(\w+)(?:\.(\w+))?`", text)
        elsewhere = described(_named(*other.groups())) if other else {}
        found |= {name: elsewhere.get(name, "") if other else text for name in names.split(", ")}
    return found


def _named(name, method=None):
    item = _find(public_names()[name])
    return getattr(item, method) if method else item


def problems_of_descriptions(function):
    """Parameters that the docstring leaves out, or describes by another meaning than theirs."""
    said, meanings = described(function), DATA | PROBLEM | PRIVACY | TUNING | {"rng": "Generator"}
    for name in (p.name for p in parameters(function) if p.name not in {"self", "cls"}):
        if name not in said or not re.search(meanings.get(name, ""), said[name], re.I):
            yield f"{name}: {said.get(name)}"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_parameter_is_described_by_its_one_meaning(function):
    assert not list(problems_of_descriptions(function))


def test_mutants_of_the_descriptions_are_found():
    heading = "Nothing.\n\nParameters\n----------\n"

    def another(*, size): ...
    def nothing(*, size): ...
    def borrowed(*, accuracy): ...
    another.__doc__, nothing.__doc__ = f"{heading}size : int\n    How many mechanisms.", "The size."
    borrowed.__doc__ = f"{heading}accuracy\n    As in `largest_gap`."
    for mutant in (another, nothing, borrowed):
        assert list(problems_of_descriptions(mutant)), mutant


# --- types ---------------------------------------------------------------------------------------------------------------

TYPED = [pytest.param(function, id=name) for name, function in public_functions()]
KINDS = {"float": {"Real"}, "int": {"Integer"}, "bool": {"bool"}, "array_like": {"ArrayLike", "Reals", "Integers"},
         "float64": {"NDArray[np.float64]"}}


def problems_of_types(function):
    """Where the signature and the docstring say different things, or the signature nothing."""
    said, types = described(function), typing.get_type_hints(function)
    for p in parameters(function):
        text, written = said.get(p.name, ""), str(p.annotation)
        if p.name in {"self", "cls"}:
            continue
        if p.name not in types:
            yield f"{p.name} has no type"
        elif p.name == "rng":
            yield from [] if types["rng"] is np.random.Generator else ["rng"]
        elif text.startswith('{"'):
            words = set(re.findall(r'"(\w+)"', text.split("}")[0]))
            yield from [] if set(typing.get_args(types[p.name])) == words else [f"{p.name}: {written}, not {sorted(words)}"]
        elif kind := re.match(r"(?:(?:int|float)\b[^.]*?\bor )?(array_like)|float64|float|int|bool", text):
            allowed = KINDS[kind[1] or kind[0]]
            yield from [] if written.removesuffix(" | None") in allowed else [f"{p.name}: {written}, not {text}"]
    if "return" not in types:
        yield "no type of what is returned"


@pytest.mark.parametrize("function", TYPED)
def test_a_signature_has_the_types_that_its_docstring_names(function):
    assert not list(problems_of_types(function))


def test_mutants_of_the_types_are_found():
    def right(*, size: Integer, epsilon: Reals, neighbor: Neighbor, rng: Generator) -> float: ...
    def nothing(*, size, epsilon: Reals, neighbor: Neighbor, rng: Generator) -> float: ...
    def broad(*, size: Reals, epsilon: Reals, neighbor: Neighbor, rng: Generator) -> float: ...
    def narrow(*, size: Integer, epsilon: Real, neighbor: Neighbor, rng: Generator) -> float: ...
    def words(*, size: Integer, epsilon: Reals, neighbor: Noise, rng: Generator) -> float: ...
    def seed(*, size: Integer, epsilon: Reals, neighbor: Neighbor, rng: Integer) -> float: ...
    def unknown(*, size: Integer, epsilon: Reals, neighbor: Neighbor, rng: Generator): ...
    for function in (right, nothing, broad, narrow, words, seed, unknown):
        function.__doc__ = ("Nothing.\n\nParameters\n----------\nsize : int ≥ 1\nepsilon : float > 0 or array_like\n"
                            'neighbor : {"replace", "add_remove"}\nrng : numpy.random.Generator')
        assert bool(list(problems_of_types(function))) == (function is not right), function


# --- references ----------------------------------------------------------------------------------------------------------

def statements():
    """{label: how a docstring names the statement} of every page."""
    for page in (ROOT / "chapters").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        title = re.search(r"^# (.*?)(: .*|(?<=\?) .*)?$", text, re.M)[1]              # without the field's term behind it
        for kind, name, label in re.findall(r"^:::+\{prf:(\w+)\} *(.*)\n(?::\w+:.*\n)*?:label: (\S+)", text, re.M):
            yield label, f"{kind} *{name}* on the page *{title}* ({label})"


STATEMENTS = dict(statements())
LABEL = r"\b(?:thm|lem|prop|cor|def|alg)-[a-z0-9-]+"


def problems_of_references(doc):
    """Labels that are not named by kind, title and page, or that no page has."""
    flat = " ".join(doc.split())
    for label in re.findall(LABEL, flat):
        name = STATEMENTS.get(label, "nowhere")
        if name not in flat and name[0].upper() + name[1:] not in flat:
            yield f"{label} is {name}"


@pytest.mark.parametrize("name, full", [pytest.param(name, full, id=name) for name, full in public_names().items() if name != full])
def test_a_reference_says_the_title_and_the_page_of_a_statement(name, full):
    assert not list(problems_of_references(inspect.getdoc(_find(full))))


def test_mutants_of_the_references_are_found():
    right = STATEMENTS["thm-laplace"]
    assert not list(problems_of_references(right))
    for mutant in ("thm-laplace", right.replace("Laplace", "Gauss"), "theorem *X* on the page *Y* (thm-none)"):
        assert list(problems_of_references(mutant)), mutant


# --- what the builder of the site reads ---------------------------------------------------------------------------------------

def complaints(docstring):
    """What is wrong with its lines as reStructuredText, which the builder of the site would say many minutes later."""
    said, fields = io.StringIO(), Config(napoleon_use_param=False, napoleon_use_rtype=False, napoleon_custom_sections=["Symbols"])
    publish_doctree(str(NumpyDocstring(docstring, fields)), settings_overrides=dict(warning_stream=said, report_level=2))
    return [line for line in said.getvalue().splitlines() if re.search("indentation|blank line|[Tt]itle", line)]


def test_every_docstring_is_read_without_a_complaint():
    assert {name: found for name, function in public_functions() if (found := complaints(inspect.getdoc(function) or ""))} == {}


def test_a_broken_line_of_a_docstring_is_found():
    """It once cost a whole build."""
    assert complaints("Returns\n-------\nfloat\n    One line,\n            and one that is indented for no reason.\n  And less.")


def test_the_list_of_all_names_has_each_one_once_under_the_page_of_its_subject():
    """The build writes it into the page of the package; a subject without a page would miss."""
    lines = all_names(ROOT)
    shown = [name for line in lines for name in re.findall(r"`(\w+)`", line) if line[:2] == "  "]
    assert sorted(shown) == sorted(name for name in public_names() if "." not in name)
    assert "{all-names}" in (ROOT / "chapters/api.md").read_text(encoding="utf-8")
    titles = [line for line in lines if line.startswith("[")]
    pages = sorted(page.name for page in (ROOT / "chapters").glob("api-*.md"))
    assert sorted(re.findall(r"\]\((.*?)\)", "".join(titles))) == pages
    assert ": Counting cells: known in advance, or named by the data." in lines
    assert "  `least_size`, `run_trials`" in lines


# --- names that were ---------------------------------------------------------------------------------------------------------

OLD_NAMES = (ROOT / "tests/old_names.txt").read_text(encoding="utf-8").split()     # of version 0.1.0, one a line
NAMES = {*public_names().values(), "dplib.glm.LOGISTIC", "dplib.glm.ROBUST"}
RENAMED = [name for name in OLD_NAMES if name not in NAMES]


def test_there_are_all_old_names_and_no_other_ones_in_a_table_of_them():
    assert len(OLD_NAMES) == len(set(OLD_NAMES)) >= 188 and RENAMED
    assert {f"dplib.glm.{name}" for name in glm.RENAMED} == {name for name in RENAMED if name.startswith("dplib.glm.")}
    with pytest.raises(ImportError, match="no_such_name"):
        from dplib.glm import no_such_name  # noqa: F401


@pytest.mark.parametrize("name", RENAMED)
def test_an_old_name_leads_to_its_new_one_with_a_warning_that_says_it(name):
    with pytest.warns(DeprecationWarning, match=rf"{re.escape(name)} is now ([\w.]+);") as said:
        found = _find(name)
    new = re.search(r"is now ([\w.]+);", str(said[0].message))[1]
    assert new in NAMES and _find(new) is found and said[0].filename == __file__
