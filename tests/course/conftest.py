"""The course is graded here as an instructor would grade it: built from its source, every submission in a sandbox."""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "exercises"), str(Path(__file__).parent)]

import course  # noqa: E402
import grading  # noqa: E402
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


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The folder of the built problem set."""
    return course.build("ps1", tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="session")
def assignment(built):
    return course.load(built / "autograder")


@pytest.fixture(scope="session")
def bubblewrap(cannot_test):
    if reason := course.refusal("bwrap"):
        cannot_test(f"no sandbox: {reason}")


@pytest.fixture(scope="session")
def graded(built, assignment, bubblewrap, tmp_path_factory):
    """name -> everything about one submission: result, the checks that it fails with their messages, seconds."""
    folder = tmp_path_factory.mktemp("submissions")

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
        results = list(pool.map(one, submissions.ALL))
    return dict(zip((s.name for s in submissions.ALL), results))
