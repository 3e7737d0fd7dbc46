"""The course is graded here as an instructor would grade it: built from its source, every submission in a sandbox."""

import math
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "exercises"), str(Path(__file__).parent)]

import course  # noqa: E402
import grading  # noqa: E402
from problem_sets import PROBLEM_SETS  # noqa: E402
import submissions  # noqa: E402

untested = []


@pytest.fixture(scope="session")
def cannot_test():
    """Skip, loudly; on a build machine a grader that was not tested is a failure."""

    def cannot(reason):
        if os.environ.get("CI"):
            pytest.fail(f"CI is set, so grading must be tested: {reason}")
        untested.append(reason)
        pytest.skip(reason)

    return cannot


def pytest_terminal_summary(terminalreporter):
    for reason in set(untested):
        terminalreporter.write_line(f"GRADING WAS NOT FULLY TESTED: {reason}", red=True, bold=True)


@pytest.fixture(params=PROBLEM_SETS, ids=lambda module: module.__name__)
def problem_set(request):
    """The submissions to each problem set in turn."""
    return request.param


@pytest.fixture(scope="session")
def build(tmp_path_factory):
    return cache(lambda name: course.build(name, tmp_path_factory.mktemp("course"), submissions.KEY))


@pytest.fixture(scope="session")
def load(build):
    return cache(lambda name: course.load(build(name) / "autograder"))


@pytest.fixture(scope="session")
def model():
    """What the functions of the solution are, for any sheet, by name."""

    def functions(name):
        notebooks, _, _ = course.editions(course.HERE / f"{name}.md")
        code = [cell.source for cell in notebooks["solution"].cells if cell.cell_type == "code"]
        space = {"math": math, "np": np, "Fraction": Fraction}
        for source in code:
            if source.startswith("def "):
                exec(source, space)
        return SimpleNamespace(**space)

    return cache(functions)


@pytest.fixture
def built(problem_set, build):
    """The folder of the built problem set."""
    return build(problem_set.__name__)


@pytest.fixture
def assignment(problem_set, load):
    return load(problem_set.__name__)


@pytest.fixture(scope="session")
def bubblewrap(cannot_test):
    if reason := course.refusal("bwrap"):
        cannot_test(f"no sandbox: {reason}")


@pytest.fixture(scope="session")
def grade_all(build, load, bubblewrap, tmp_path_factory):
    @cache
    def graded(problem_set):
        name, folder = problem_set.__name__, tmp_path_factory.mktemp("submissions")
        built, assignment = build(name), load(name)               # here and not in the threads: they share one working directory

        def one(submission):
            notebook = submission.write(built, folder)
            start = time.monotonic()
            result = grading.grade(assignment, notebook, submissions.STUDENT, limits=submission.limits)
            failed = {
                check.judge.__name__: test["output"]
                for check, test in zip(assignment.checks, result["tests"])
                if not test["score"]
            }
            return SimpleNamespace(result=result, failed=failed, seconds=time.monotonic() - start)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            chosen = submissions.sandboxed(problem_set)
            results = list(pool.map(one, chosen))
        return dict(zip((s.name for s in chosen), results))

    return graded


@pytest.fixture
def graded(problem_set, grade_all):
    """name -> everything about one submission: result, the checks that it fails with their messages, seconds."""
    return grade_all(problem_set)
