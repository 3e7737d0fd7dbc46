"""One wrong function, many copies, one grade: no comment in a notebook decides what it earns.

What is asked hangs on every letter of the code. So each wrong function answers here, in this process, what five copies of a
notebook are asked, and every night what forty are; in test_submissions.py one in four of them is graded in the sandbox, and has
to agree.
"""

import functools
import json
import math
import warnings
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import grading
from problem_sets import PROBLEM_SETS
from submissions import ANSWERED, STUDENT
from tests import depth

COPIES = depth.few([f"{before}spare{i % 10} = 0{after}" for before in ("", "\n\n") for after in ("", "  # a copy") for i in range(10)], depth.COPIES)

# Forty copies of fifty functions ask for the same binomial coefficients ten million times.
REMEMBERING = SimpleNamespace(**vars(math) | {"comb": functools.lru_cache(1 << 18)(math.comb)})


def listed(value):
    """The value as JSON can carry it."""
    if isinstance(value, (np.generic, np.ndarray)):
        return listed(value.tolist())
    if isinstance(value, (list, tuple, set, frozenset)):
        return [listed(v) for v in value]
    if type(value) is dict:
        return {str(k): listed(v) for k, v in value.items()}
    if value is None or type(value) in (bool, int, float, str):
        return value
    raise TypeError(f"{type(value)}")


def plain(value):
    return json.loads(json.dumps(listed(value)), parse_constant=str)


class Asked(grading.Answers):
    """Answers of functions in this process, each question asked once, and the groups of calls that were looked at."""

    def __init__(self, functions, calls=None):
        self.functions, self.calls, self.reported, self.known, self.read = functions, calls, {}, {}, set()

    def oracle(self, group, i, ours):
        """The stub that is in the sandbox."""
        self.reported["asked", group, i] = 0, None

        def ask(phi):
            self.reported["asked", group, i] = self.reported["asked", group, i][0] + 1, None
            return ours.answer([float(phi(tuple(record))) for record in ours.domain])

        return ask

    def group(self, group):
        self.read.add(group)
        return super().group(group)

    def get(self, key, what):
        if isinstance(key, str):
            grading.need(key in self.functions, f"{what}: {grading.MISSING}")
            return plain(self.functions[key])
        group, i = key
        function, arguments = self.calls[group]
        kwargs = arguments[i]
        if (asked := (group, i, repr(kwargs))) not in self.known:
            made = {"rng": np.random.default_rng(kwargs["rng"])} if "rng" in kwargs else {}
            made |= {"oracle": self.oracle(group, i, kwargs["oracle"])} if "oracle" in kwargs else {}
            try:
                with warnings.catch_warnings(action="ignore"):              # they are no errors in the sandbox
                    self.known[asked] = plain(self.functions[function](**kwargs | made)), None
            except Exception as error:
                self.known[asked] = None, f"{type(error).__name__}: {error}"
        value, error = self.known[asked]
        grading.need(error is None, f"{what}: {error}")
        return value


def functions(built, assignment, submission, folder):
    """The functions and the design of a submission, without the cells that open boxes or print."""
    notebook = json.loads(submission.write(built, folder).read_text())
    space = {"math": REMEMBERING, "np": np, "Fraction": Fraction}
    written = set(submission.cells.values())                # a design may begin with any line
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and (source.lstrip().startswith((*ANSWERED, "MINE = ")) or source in written):
            exec(source, space)
    for probe in assignment.PROBES:
        exec(probe, space)
    return space


def answering(module):
    return [s for s in module.WRONG if s.only_answers]


@pytest.fixture(scope="module")
def copies(load):
    """What the copies are asked."""
    return {module: [grading.questions(load(module.__name__), [copy], STUDENT) for copy in COPIES] for module in PROBLEM_SETS}


@pytest.fixture(scope="module")
def drawn_of(copies):
    """The groups in which copies are asked different things."""
    return {module: {g for g in asked[0] if asked[0][g] != asked[1][g]} for module, asked in copies.items()}


@pytest.mark.parametrize(
    "problem_set, submission",
    [pytest.param(module, s, id=f"{module.__name__}-{s.name}")
     for module in PROBLEM_SETS for s in [module.RIGHT[0], *answering(module)]],
    indirect=["problem_set"],
)
def test_all_copies_get_one_grade(problem_set, submission, built, assignment, copies, drawn_of, tmp_path):
    answers = Asked(functions(built, assignment, submission, tmp_path))
    touched = {c.question for c in assignment.checks if c.judge.__name__ in submission.fails} or {"q2", "q3", "q4"}
    checks = [c for c in assignment.checks if c.question in touched - {"q1"}]
    assert checks
    for check in checks:
        answers.read = set()
        for calls in copies[problem_set]:
            answers.calls = calls
            entry = grading.judged(check, answers, STUDENT)
            assert entry["score"] == (0 if check.judge.__name__ in submission.fails else check.points)
            assert entry["score"] or submission.says in entry["output"]
            if not answers.read & drawn_of[problem_set]:
                break                                       # all the others are asked the very same


def test_the_copies_are_asked_different_things_and_most_wrong_functions_are_among_them(copies, drawn_of):
    for module, asked in copies.items():
        drawn = drawn_of[module]
        assert len(drawn) >= 4 and all(len({str(calls[group]) for calls in asked}) == len(COPIES) for group in drawn)
        assert len(answering(module)) > 25
