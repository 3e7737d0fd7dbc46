"""Every student and every term has other questions: the reference is right for all of them, and another one's answer for none."""

import collections
import copy
import functools
import json

import numpy as np
import pytest

import course
import grading
import submissions
from problem_sets import PROBLEM_SETS
from submissions import ANSWERED
from test_copies import REMEMBERING, Asked
from tests import depth

TERMS = [f"the key of term {i}, which nobody knows" for i in range(5)]
STUDENTS = depth.few([f"student{i}@example.edu" for i in range(12)], depth.STUDENTS)


@pytest.fixture(scope="module")
def term(tmp_path_factory):
    """The hidden checks of a problem set under another key, without its files."""

    @functools.cache
    def loaded(name, key):
        grader = tmp_path_factory.mktemp("term")
        _, checks, rubric = course.editions(course.HERE / f"{name}.md")
        for file, content in {"key.txt": key, "checks.py": checks, "rubric.json": json.dumps(rubric)}.items():
            (grader / file).write_text(content)
        return course.load(grader)

    return loaded


def solution_code(name):
    notebooks, _, _ = course.editions(course.HERE / f"{name}.md")
    cells = [cell.source for cell in notebooks["solution"].cells if cell.cell_type == "code"]
    return [source for source in cells if source.lstrip().startswith(ANSWERED)]


def points(assignment, code, mine, student):
    """What the reference earns for questions 2, 3, ... of this student if it was written for the sheet `mine`."""
    space = {"math": REMEMBERING, "np": np, "MINE": mine}
    for source in [*code, *assignment.PROBES]:
        exec(source, space)
    answers = Asked(space, grading.questions(assignment, code, student))
    found = [(check, grading.judged(check, answers, student)) for check in assignment.checks if check.question != "q1"]
    return sum(entry["score"] for _, entry in found), sum(check.points for check, _ in found), found


def differ(assignment):
    """Problem sets whose questions 2, 3, ... are not the same for everybody: not the sample."""
    return len(assignment.boxes.sheets[0]) > 1


@pytest.mark.parametrize("key", TERMS[:2])
def test_the_reference_is_right_for_every_student(problem_set, term, key):
    name = problem_set.__name__
    assignment, code = term(name, key), solution_code(name)
    for student in STUDENTS if differ(assignment) else STUDENTS[:1]:
        earned, all_of_them, found = points(assignment, code, assignment.boxes.sheet_of(student), student)
        assert earned == all_of_them, (student, assignment.boxes.sheet_of(student), [e["output"] for c, e in found if not e["score"]])


def test_the_reference_with_box_earns_everything_in_the_sandbox(problem_set, built, assignment, bubblewrap, tmp_path):
    """For somebody else than the tests have seen, written for them as the build writes it."""
    notebooks, _, _ = course.editions(course.HERE / f"{built.name}.md")
    student = "grace@example.edu"
    notebook = tmp_path / "grace.ipynb"
    notebook.write_text(json.dumps(course.answered(notebooks["solution"], built / "solution", student)))
    assert grading.grade(assignment, notebook, student)["score"] == sum(check.points for check in assignment.checks)
    copied = notebook.read_text().replace(f"STUDENT = '{student}'", "STUDENT = 'bob@example.edu'")
    assert copied != notebook.read_text()
    notebook.write_text(copied)
    result = grading.grade(assignment, notebook, "bob@example.edu")
    assert result["score"] == 0 and all("is not the sheet of bob" in t["output"] for t in result["tests"] if "score" in t)


def test_another_ones_program_is_wrong_even_with_the_right_sheet(problem_set, term):
    """Last term's and a neighbour's: who writes a sheet of their own above another one's program has a fifth of the points at most."""
    name = problem_set.__name__
    now, before, code = term(name, TERMS[0]), term(name, TERMS[1]), solution_code(name)
    if not differ(now):
        pytest.skip("the sample asks everybody the same, but for its boxes")
    for student, neighbour in zip(STUDENTS, STUDENTS[1:] + STUDENTS[:1]):
        for mine in (before.boxes.sheet_of(student), now.boxes.sheet_of(neighbour)):
            earned, all_of_them, found = points(now, code, mine, student)
            assert earned <= 0.2 * 30, [(c.title, e["score"]) for c, e in found]


def test_two_students_rarely_have_one_sheet_and_no_number_is_the_same_for_all(problem_set, assignment):
    sheets = assignment.boxes.sheets
    assert collections.Counter(sheet["box"] for sheet in sheets).keys() == set(range(len(assignment.boxes.variants)))
    if differ(assignment):
        assert len({json.dumps(sheet) for sheet in sheets}) == len(sheets)
        for name in sheets[0]:
            assert len({json.dumps(sheet[name]) for sheet in sheets}) > 1
        other = copy.deepcopy(sheets[0]) | {"box": -1}
        assert other not in sheets


def test_sheets_are_drawn_from_the_key(term):
    for module in PROBLEM_SETS:
        one, two = (term(module.__name__, key).boxes for key in TERMS[:2])
        assert sum(one.sheet_of(s) == two.sheet_of(s) for s in STUDENTS * 10) <= 10
        assert one.key != two.key and submissions.KEY not in json.dumps(one.sheets)
