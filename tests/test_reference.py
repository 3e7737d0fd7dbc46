"""The reference on the site: docstrings as they are rendered, and the table of what one may want."""

import importlib
import inspect
import re

import pytest
from docutils import nodes
from docutils.core import publish_doctree

from dplib.book.reference import public_names, read_docstring
from tests.test_counts import ROOT


def rendered(line):
    lines = [line]
    read_docstring(None, "function", "f", None, None, lines)
    return publish_doctree(lines[0].replace(":prf:ref:", ":title:"), settings_overrides=dict(report_level=5))


def raw(text):
    """What of a role or of its quotes is left in a text that readers see."""
    return re.findall(r":[a-z]+:|`", text)


@pytest.mark.parametrize("line, text, raised", [
    ("*float64, the larger of Σ (p - e^ε q)₊ and Σ (q - e^ε p)₊*", "float64, the larger of Σ (p - eε q)₊ and Σ (q - eε p)₊", ["ε", "ε"]),
    ("**rate** (*float > 0, ε ≥ 2^-32, δ < 1/2*)", "rate (float > 0, ε ≥ 2−32, δ < 1/2)", ["−32"]),
    ("**the shape of ``epsilon``, κ** (*tanh² up to (e^ε - 1)/8*)", "the shape of epsilon, κ (tanh² up to (eε - 1)/8)", ["ε"]),
    ("take each with probability e^(ε(u_r - max u)/(2Δ))", "take each with probability eε(uᵣ − max u)/(2Δ)", ["ε(uᵣ − max u)/(2Δ)"]),
    ("*float64, g_a(d), odd in d*", "float64, ga(d), odd in d", []),
    ("or √``rows_per_unit``", "or √rows_per_unit", []),
    ("**x** (*a number*), 2**-40 of x_i", "x (a number), 2**-40 of xi", [])])
def test_formulas_in_names_and_types_are_set_and_no_role_is_left(line, text, raised):
    document = rendered(line)
    assert document.astext() == text and not raw(document.astext())
    assert [node.astext() for node in document.findall(nodes.superscript)] == raised


def test_emphasis_stays_around_what_stands_beside_a_formula():
    document = rendered("*float, e^ε - 1*")
    assert [node.astext() for node in document.findall(nodes.emphasis)] == ["float, e", "- 1"]
    assert [node.astext() for node in rendered("*a number*").findall(nodes.emphasis)] == ["a number"]


def test_a_role_that_is_left_is_found():
    assert raw(publish_doctree(r"*float, e\ :sup:`ε`\ - 1*").astext())


# --- what one may want --------------------------------------------------------------------------------------------------

ROWS = re.findall(r"^\| (?!I want)(?!---)(.*) \| `(\w+)` \| (.*) \|$", (ROOT / "chapters/api.md").read_text(encoding="utf-8"), re.M)


def promise(name):
    module, _, function = public_names()[name].rpartition(".")
    doc = inspect.getdoc(getattr(importlib.import_module(module), function))
    found = re.search(r":Privacy:(.*?)(?=\n\s*:\w+:|\n\n|\Z)", doc, re.S)
    return " ".join(found[1].split()) if found else ""


def broken(name, guarantee):
    """What the table promises of a function and its docstring does not."""
    said = promise(name).replace("``", "`").replace("the stated relation", "`replace` or `add_remove`").replace(
        "under `neighbor`", "under `replace` or `add_remove`")
    words = re.findall(r"\(ε, δ\)-DP|(?<!\w)ε-DP|`\w+`|refusals?|local model|sensitivity|distance", guarantee)
    return [word for word in words if word.removesuffix("s") not in said.replace("As `exponential`.", promise("exponential"))]


def test_the_table_promises_what_the_docstrings_do():
    assert 15 <= len(ROWS) <= 30
    assert not [(name, broken(name, guarantee)) for _, name, guarantee in ROWS if broken(name, guarantee)]


@pytest.mark.parametrize("name, guarantee", [
    ("unbounded_mean", "ε-DP under `replace`"), ("laplace", "(ε, δ)-DP"), ("clipped_mean", "ε-DP under `add_remove`")])
def test_a_promise_too_much_is_found(name, guarantee):
    assert broken(name, guarantee)
