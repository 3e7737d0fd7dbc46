"""What recurs on the pages looks and is called the same everywhere: roles of marks, names of controls."""

import ast
from pathlib import Path

import jupytext
import pytest
from IPython.core.inputtransformer2 import TransformerManager

from dplib.book import grammar

CHAPTERS = Path(__file__).resolve().parents[1] / "chapters"
# Other names of what has one: they are wrong alone; with more words ("ε of the coarse stage") they mean something else.
ELSEWHERE = {"ε": "privacy parameter ε", "epsilon": "privacy parameter ε", "log₁₀ δ": "δ", "delta": "δ", "people": "people n",
             "people, n": "people n", "n": "people n", "participants, n": "people n", "R": "range R", "range ±R": "range R",
             "range": "range R", "answers": "answers k", "d": "dimensions d", "coordinates d": "dimensions d"}


def calls(source, name):
    """The calls of a function in the code cells of a page."""
    cells = [cell.source for cell in jupytext.reads(source, fmt="md:myst").cells if cell.cell_type == "code"]
    trees = [ast.parse(TransformerManager().transform_cell(cell)) for cell in cells]
    return [node for tree in trees for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name]


def marks(source):
    """The marks of a page: the kind, and the options that are written out."""
    found = []
    for explorer in calls(source, "Explorer"):
        for node in ast.walk(explorer):
            if not (isinstance(node, ast.List) and list(map(type, node.elts)) == [ast.Constant, ast.Call]):
                continue
            kind, given = node.elts
            found.append((kind.value, {k.arg: k.value.value for k in given.keywords if isinstance(k.value, ast.Constant)}))
    return found


def misnamed(source):
    """The labels of sliders that the house calls otherwise."""
    labels = [call.args[0].value for call in calls(source, "slider") if call.args and isinstance(call.args[0], ast.Constant)]
    return [f"{label}: {ELSEWHERE[label]}" for label in labels if label in ELSEWHERE]


def out_of_role(source):
    """Marks that are labelled as a role and do not have it."""
    return [options for _, options in marks(source) if options.get("label") in grammar.ROLES and options.get("role") != options["label"]]


PAGES = sorted(page.stem for page in CHAPTERS.glob("*.md"))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_calls_controls_by_the_names_of_the_house(page):
    assert misnamed((CHAPTERS / f"{page}.md").read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", PAGES)
def test_what_is_labelled_as_a_role_looks_like_it(page):
    assert out_of_role((CHAPTERS / f"{page}.md").read_text(encoding="utf-8")) == []


def test_the_names_of_the_house_are_those_of_its_list():
    assert set(ELSEWHERE.values()) <= set(grammar.CONTROLS)


HEAD = """---
jupytext:
  text_representation: {extension: .md, format_name: myst}
kernelspec: {display_name: P, language: python, name: python3}
---

"""


def test_another_name_and_another_look_are_found():
    page = HEAD + """```{code-cell} ipython3
Explorer("a", f, controls=dict(e=slider("ε", [1, 2]), other=slider("ε of the coarse stage", [1, 2])),
    plot=dict(marks=[["line", dict(x="x", y="y", stroke="c3", label="no privacy")],
                     ["line", dict(x="x", y="z", role="runs", label="runs")]]))
```
"""
    assert misnamed(page) == ["ε: privacy parameter ε"]
    assert [options["label"] for options in out_of_role(page)] == ["no privacy"]


def test_every_role_is_used_or_goes():
    texts = [(CHAPTERS / f"{page}.md").read_text(encoding="utf-8") for page in PAGES]
    on_screen = {options.get("role") for text in texts for _, options in marks(text)} | {"guess"}     # which draw.js draws
    on_paper = {role for role in grammar.ROLES if any(f'grammar.line("{role}")' in text for text in texts)}
    assert set(grammar.ROLES) == (on_screen | on_paper) - {None}
