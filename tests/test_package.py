"""The package says the same thing in the same way everywhere: one meaning for a name, one order of parameters, no default that
decides about privacy."""

import inspect
import io
import re
from pathlib import Path

import pytest
from docutils.core import publish_doctree
from sphinx.ext.napoleon import Config, NumpyDocstring

from dplib.book.reference import public_names

ROOT = Path(__file__).resolve().parents[1]

# Every name of a parameter, in the order in which a function takes them, and a word that its docstring must have.
DATA = {"workload": "questions", "probability": "event", "p": "[Pp]robabilities", "q": "[Pp]robabilities", "hits": "How often",
        "hits_neighbor": "How often", "mechanism": "Maps",
        "statistic": "exact value", "sample": "draws", "cdf": "distribution function", "value": "exact answer",
        "distance": "How many", "labels": "record|person",
        "factorization": "Factorization",
        "scores": "candidates", "name": "argument", "values": "person|table|point", "vectors": "person", "tables": "statistical query",
        "x": "data set|Records", "X": "row for each record", "y": "label|outcome",
        "x_neighbor": "data sets", "release": "means", "offset": "d, in", "seen": "mean",
        "half_width": "half the width", "t": "number", "enough": "size", "self": "", "other": "mechanism",
        "points": "record", "weight": "sum of the weights", "probabilities": "of each", "oracle": "query", "protocol": "channel",
        "answers": "oracle", "votes": "voter", "estimator": "block", "combine": "private",
        "move": "points", "theta": "[Cc]oefficients", "z": "[Dd]irections", "factor": "F", "gradient": "g",
        "deep": "gnored", "params": "new value"}
PROBLEM = {"variables": "how many",
           "size": "number n of records", "count": "How many", "rate": "probability", "cells": "number k of cells", "categories": "number",
           "bounds": "interval", "domain": "labels|public", "loss": "Loss", "columns": "answers of every person", "hypotheses": "number N",
           "radius": "R|ρ|how far friends|r", "dimension": "number k of entries|number d of (questions|coordinates)",
           "R": "two factors", "A": "two factors",
           "total_variation": "total variation", "shift": "mean under Q", "accuracy": "from",
           "center": "means", "rho": "Rényi", "sd": "Standard deviation", "scale": "Scale b", "sigma": "Standard deviation",
           "trials": "runs", "at_least": "size", "at_most": "size",
           "queries": "how many queries", "users": "how many people", "reference": "one record",
           "tolerance": "how far", "candidates": "public", "wrong": "label is wrong",
           "nu": "curvature", "changes": "how many", "added": "come", "removed": "go", "largest_curvature": "sup h''",
           "eigenvalue": "smallest eigenvalue", "smallest_eigenvalue": "bound", "largest_eigenvalue": "bounds", "lipschitz": "Lipschitz",
           "ratio": "standard deviation under Q", "up": "factor|shrinks", "down": "factor|shrinks", "levels": "recursion",
           "steps": "whole", "ridge": "Λ", "tilt": "b", "iterations": "[Hh]ow many", "form": "Which certificate",
           "check": "ratio of scales",
           "aspect": "ball", "operator": "norms", "frobenius": "norms"}
PRIVACY = {"sensitivity": "sensitivity|change|scale of the noise", "threshold": "public",
           "epsilon": r"float|spends|scale", "delta": r"float [^.]*\b[01]\b"}
TUNING = {"monotonic": "scores", "neighbor": "add_remove", "noise": "laplace", "clamp": "log-likelihood",
          "blocks": "mod|disjoint", "strangers": "far from all others", "split": "share of ε",
          "u": "same for all records", "lower": "lower bound", "gap": "relatively",
          "least_squares": "least squares", "centered": "subtracted|chosen", "width": "width of a cell", "rows_per_unit": "how many",
          "beta": "probability", "level": "probability", "slack": "δ'", "certificates": "Laplace", "step": "grid|step",
          "runs": "independent", "vectorized": "called once", "aim": "answer", "tries": "drafts", "default": "Public", "people": "Public",
          "seconds": "How long"}
ORDER = [*DATA, *PROBLEM, *PRIVACY, *TUNING, "rng"]
NEVER_BY_DEFAULT = {"sensitivity", "epsilon", "delta", "radius", "neighbor", "noise", "rows_per_unit", "rng"}


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


def problems_of_names(function):
    """What is wrong with the names, the order and the defaults of a function's parameters."""
    names = [p.name for p in parameters(function) if p.name != "self"]
    yield from (f"{name} has no meaning" for name in names if name not in ORDER)
    if names != sorted(names, key=ORDER.index):
        yield f"the order is {', '.join(sorted(names, key=ORDER.index))}"
    yield from (f"{p.name} has a default" for p in parameters(function)
                if p.name in NEVER_BY_DEFAULT and p.default is not p.empty)
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
    with pytest.raises(ValueError, match="magnitude"):
        list(problems_of_names(unknown))


def described(function):
    """{parameter: what the docstring says of it}; "As in `other`" is what the other one says."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=\n\n\w|\Z)", inspect.getdoc(function) or "", re.M | re.S)
    found = {}
    for names, text in re.findall(r"^(\w[\w, ]*?)(?: : |$)(.*(?:\n    .*)*)", section[1], re.M) if section else ():
        text = " ".join(text.split())
        other = re.match(r"As in `(\w+)`", text)
        elsewhere = described(_find(public_names()[other[1]])) if other else {}
        found |= {name: elsewhere.get(name, "") if other else text for name in names.split(", ")}
    return found


def problems_of_descriptions(function):
    """Parameters that the docstring leaves out, or describes by another meaning than theirs."""
    said, meanings = described(function), DATA | PROBLEM | PRIVACY | TUNING | {"rng": "Generator"}
    for name in (p.name for p in parameters(function) if p.name not in {"self", "cls"}):
        if name not in said or not re.search(meanings[name], said[name]):
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


def test_the_page_of_the_package_has_every_name_and_every_module_a_page():
    page = (ROOT / "chapters/api.md").read_text(encoding="utf-8")
    names = {name for name in public_names() if "." not in name}
    assert names == set(re.findall(r"`(\w+)`", page.split("## All names")[1]))
    modules = {target.split(".")[1] for target in public_names().values()}
    for module in modules:
        file = f"api-{module.replace('_', '-')}.md"
        assert f"]({file})" in page and f"automodule:: dplib.{module}\n" in (ROOT / "chapters" / file).read_text(encoding="utf-8")
