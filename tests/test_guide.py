"""The steps of CONTRIBUTING.md for a mechanism: each is bound by a test that fails without it.

What other files bind is named in the guide; here is what a text, a table or a list must have. A
mechanism is a public function that takes a generator: `PACKAGE` of tests/releases.py has them all.
"""

import ast
import functools
import inspect
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from dplib.book.reference import public_names
from tests.releases import PACKAGE

ROOT = Path(__file__).resolve().parents[1]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
STEPS = GUIDE.split("\n## A mechanism\n")[1].split("\n## ")[0]
PARTS = ["Parameters\n---", "Returns\n---", "Notes\n---", "\n:Privacy:", "\n:References:",
         "Examples\n---", "\n>>> "]
LABEL = re.compile(r"\b(?:thm|lem|prop|cor|def|alg)-[a-z0-9-]+")
NO_BOUND = {  # of their error, and why
    "laplace_idealized": "not private: for figures",
    "gaussian_idealized": "not private: for figures",
    "oracle": "not private: what a release would be if its scale were known",
    "friendly_tuples": "each point is a mean of its own: `friendly_mean`",
    "sample_friendly_core": "no number is released, but records",
}
NO_STATEMENT = {  # of their own, and why
    "oracle": "not private: what a release would be if its scale were known",
    "release_with_mahalanobis_scale": "of a paper, to be measured against",
    "certify_by_recursion": "the bounds that it rests on have theirs",
}
NO_ROW = {  # in benchmarks/run.py, by the reason
    "noise for one answer, as in `laplace`": """
        discrete_laplace discrete_gaussian report_noisy_max exponential
        local_gaussian private_vote sign_test clamped_likelihood_test passes_test
        release_if_stable""",
    "the work is that of another one, which has a row": """
        alarm_oracle truncated_histogram fresh_oracle private_parity_by_scores learn_parity_locally
        release_local_gaussian friendly_mean friendly_tuples sample_friendly_core
        friendly_core_mean release_with_public_scale
        certify_by_recursion certify_largest_eigenvalue""",
    "the work is that of the caller's own program": """
        subsample_and_aggregate simulate_local_protocol""",
    "itself something to be measured against": """
        laplace_idealized gaussian_idealized oracle release_with_ridge release_by_noisy_gradients release_from_table
        objective_perturbation_idealized""",
}


def mentions(text, name):
    return re.search(rf"\b{name}\b", text) is not None


@functools.cache
def read(pattern):
    """The text of all files of a pattern."""
    return "\n".join(file.read_text(encoding="utf-8") for file in sorted(ROOT.glob(pattern)))


CLAIMS, TIMED = read("tests/claims/test_*.py"), read("benchmarks/*.py")


def missing(function):
    """What the guide asks for and the function does not have."""
    name, said = function.__name__, inspect.getdoc(function) or ""
    for part in (part for part in PARTS if part not in said):
        yield "step 2: the docstring has no " + part.strip("- \n")
    first = said.split("\n\n")[0]
    if first.count("\n") > 1 or re.search(r"[.?]\s", first) or first[-1:] not in (".", "?"):
        yield "step 2: the docstring does not say in one sentence what the function does"
    if not mentions(read(f"tests/test_{function.__module__.split('.')[1]}*.py"), name):
        yield "step 3: no test of its subject names it"
    if not LABEL.search(said) and not mentions(CLAIMS, name) and name not in NO_STATEMENT:
        yield "step 3: it refers to no statement of the book, and no claim names it"
    bounded = ":Error:" in said or f"{name}_error_bound" in public_names()
    if not bounded and name not in NO_BOUND:
        yield f"step 5: no :Error:, and no {name}_error_bound"
    if not mentions(TIMED, name) and name not in " ".join(NO_ROW.values()).split():
        yield "step 6: no row in benchmarks/, and no reason in NO_ROW of this file"


@pytest.mark.parametrize("function", PACKAGE, ids=lambda f: f.__name__)
def test_a_mechanism_has_all_that_the_guide_asks_for(function):
    """`laplace_idealized` and its twin are tested as what `laplace` and `gaussian` are near to."""
    said = list(missing(function))
    if function.__name__.endswith("_idealized") and function.__module__ == "dplib.mechanisms":
        said = [line for line in said if not line.startswith("step 3: no test")]
    assert not said, "; ".join(said)


def test_reasons_are_given_for_mechanisms_that_there_are_and_that_need_them():
    names = {function.__name__ for function in PACKAGE}
    excused = " ".join(NO_ROW.values()).split()
    assert {*NO_BOUND, *NO_STATEMENT, *excused} <= names and len(excused) == len(set(excused))
    assert not [name for name in excused if mentions(TIMED, name)]


PARTS_OF_ONE = {  # what several modules of a subject share, and no user calls
    "choose_halves", "noisy_weighted_mean", "noisy_core_mean", "noisy_coefficients", "along_the_minimiser",
    "standard_error", "released"}


def test_what_draws_is_a_mechanism_a_part_of_one_or_private():
    """A name that is missing in `__all__` would be watched by nobody."""
    found = set()
    for file in (ROOT / "dplib").rglob("[a-z]*.py"):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and "book" not in file.parts:
                arguments = {argument.arg for argument in node.args.args + node.args.kwonlyargs}
                found |= {node.name} if "rng" in arguments and node.name[0] != "_" else set()
    known = {function.__name__ for function in PACKAGE} | PARTS_OF_ONE
    assert not found ^ known, f"step 4: no case in tests/releases.py for {found ^ known}"


def bare(x, *, epsilon, rng):
    return x


def spoilt(function, old, new):
    """The function with another docstring."""
    twin = SimpleNamespace(__name__=function.__name__, __module__=function.__module__)
    assert old in inspect.getdoc(function)
    twin.__doc__ = inspect.getdoc(function).replace(old, new)
    return twin


def test_what_is_left_out_is_said_with_its_step():
    bare.__module__ = "dplib.histograms"
    said = list(missing(bare))
    assert {line[:7] for line in said} == {"step 2:", "step 3:", "step 5:", "step 6:"}
    assert "step 2: the docstring has no :Privacy:" in said


@pytest.mark.parametrize("old, new, step", [
    (":Privacy:", ":Secrecy:", "step 2"), (":Error:", ":Mistake:", "step 5"),
    (">>> ", "$ ", "step 2"), (":References:", ":See:", "step 2"), ("\n\nParameters", " and\nmore.\n\nParameters", "step 2")])
def test_a_docstring_without_one_part_is_found(old, new, step):
    [laplace] = [function for function in PACKAGE if function.__name__ == "laplace"]
    assert [line[:6] for line in missing(spoilt(laplace, old, new))] == [step]


def test_every_test_that_the_guide_names_is_there():
    """`tests/test_ledger.py`, or `test_the_books_balance` of some file."""
    for file in set(re.findall(r"`((?:tests|benchmarks)/[\w/]+\.py)`", STEPS)):
        assert (ROOT / file).exists(), file
    defined = {node.name for file in (ROOT / "tests").rglob("test_*.py")
               for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
               if isinstance(node, ast.FunctionDef)}
    named = set(re.findall(r"`(test_\w+)`", STEPS))
    assert named and named <= defined


def test_every_step_of_the_guide_says_what_binds_it():
    steps = re.split(r"^\d+\. ", STEPS, flags=re.M)[1:]
    assert len(steps) == 6
    for number, step in enumerate(steps, 1):
        assert "Bound by" in " ".join(step.split()), number
