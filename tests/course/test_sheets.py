"""Every student and every term has other questions: the reference is right for all of them, and another one's answer for none."""

import collections
import copy
import functools
import inspect
import json
import textwrap
from fractions import Fraction

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
    """What the reference earns for questions 2, 3, ... of this student if its program was written for the sheet `mine`."""
    space = {"math": REMEMBERING, "np": np, "Fraction": Fraction, "MINE": assignment.boxes.sheet_of(student)}
    for source in [*code, *assignment.PROBES]:
        try:
            exec(course.written_out(source, mine), space)
        except Exception as error:                          # a design of another size than the sheet above it
            assert mine != space["MINE"], error
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
    for student, neighbour in zip(STUDENTS, STUDENTS[1:] + STUDENTS[:1]):
        for mine in (before.boxes.sheet_of(student), now.boxes.sheet_of(neighbour)):
            earned, all_of_them, found = points(now, code, mine, student)
            if differ(now):
                assert earned <= 0.2 * 30, [(c.title, e["score"]) for c, e in found]
            else:                                                        # the sample asks everybody the same, but for its boxes
                assert earned == all_of_them


CONSTANTS = ["None", "0", "0.5", "1.0", "1e6", "-1e6", "[]", "[0.0, 0.0]", "[0.5, 0.5]", "'refused'", "False"]


def with_functions(assignment, code, bodies, mine):
    """The reference in which functions, or the cell of a design, have other bodies."""
    space = {"math": REMEMBERING, "np": np, "Fraction": Fraction, "MINE": mine}
    for source in code:
        exec(source, space)
    for name, body in bodies.items():
        if name == "design":
            exec(body, space)
        else:
            arguments = inspect.signature(space[name])
            exec(f"def {name}{arguments}:\n" + textwrap.indent(body.strip("\n"), "    "), space)
    for source in assignment.PROBES:
        exec(source, space)
    return space


def earned(assignment, space, student):
    answers = Asked(space, grading.questions(assignment, [], student))
    return sum(grading.judged(check, answers, student)["score"] for check in assignment.checks if check.question != "q1")


def test_what_says_nothing_has_a_tenth_of_the_points_at_most(problem_set, term):
    """Every function returns one constant, whatever it is asked, or is of no use in a way that keeps every promise."""
    name = problem_set.__name__
    assignment, code, student = term(name, TERMS[0]), solution_code(name), STUDENTS[0]
    mine = assignment.boxes.sheet_of(student)
    asked = {function.rstrip("_") for function, _ in assignment.calls(np.random.default_rng(1), mine).values()}
    useless = {f"always {c}": dict.fromkeys(asked, f"return {c}") for c in CONSTANTS} | getattr(problem_set, "NOTHING", {})
    for title, bodies in useless.items():
        if not any(body == "design" for body in bodies) and set(assignment.NAMES) - {"broken", "broken_too"}:
            bodies = bodies | {"design": "".join(f"{n} = 0\n" for n in set(assignment.NAMES) - {"broken", "broken_too"})}
        points = earned(assignment, with_functions(assignment, code, bodies, mine), student)
        print(f"{name}: {title:40} {points:2} of 30 points")
        assert points <= 3, title


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
