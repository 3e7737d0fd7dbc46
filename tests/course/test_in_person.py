"""Boxes on paper can be refuted from what is printed, and questions at the board are about what a student handed in."""

import html
import re
import shutil
from fractions import Fraction

import pytest

import in_person
import ps1
import submissions

STUDENTS = ("ada@example.edu", "bob@example.edu", "carol@example.edu")


@pytest.fixture
def problem_set():
    """The machinery is the same for all of them; tests/course/test_boxes.py looks at the boxes of each."""
    return ps1


def box_of(assignment, student):
    return assignment.boxes.box(assignment.boxes.variant_of(student))


# --- on paper ---------------------------------------------------------------------------------------------------------
@pytest.fixture
def paper(built, tmp_path):
    """The pages for three students."""
    addresses = tmp_path / "addresses.txt"
    addresses.write_text("\n".join(STUDENTS) + "\n\n")
    in_person.write_boxes(built, addresses, tmp_path / "paper")
    return {name: (tmp_path / "paper" / f"{name}.html").read_text() for name in ("boxes", "marking")}


def test_each_student_gets_a_sheet_and_the_marker_what_is_wrong_with_it(paper, assignment):
    sheets, notes = (re.findall(r"<section>(.*?)</section>", paper[name], re.S) for name in ("boxes", "marking"))
    assert len(sheets) == len(notes) == len(STUDENTS)
    for student, sheet, note in zip(STUDENTS, sheets, notes):
        box, variant = box_of(assignment, student), assignment.boxes.variants[assignment.boxes.variant_of(student)]
        assert student in sheet and html.escape(box["story"]) in sheet and str(Fraction(box["ratio"])) in sheet
        assert html.escape(variant[0].mistake) in note and variant[0].mistake not in sheet
        assert sheet.count("<td>") == len(box["pmf"]) * len({y for law in box["pmf"].values() for y in law})


def test_a_sheet_can_be_refuted_from_its_four_digits(paper, assignment):
    """Read back, the rounded table gives an event that fails in exact fractions, too."""
    for student, sheet in zip(STUDENTS, re.findall(r"<section>(.*?)</section>", paper["boxes"], re.S)):
        cells = [re.findall(r"<t[hd][^>]*>([^<]*)<", row) for row in re.findall(r"<tr>(.*?)</tr>", sheet)]
        box = box_of(assignment, student)
        head, *rows = cells if cells[1][0] in box["pmf"] and len(cells) == 1 + len(box["pmf"]) else zip(*cells)
        read = {data: dict(zip(head[1:], probabilities)) for data, *probabilities in rows}
        assert read.keys() == box["pmf"].keys()
        _, x, y, event = in_person.refutation(box | {"pmf": read})
        exact = [sum(Fraction(box["pmf"][",".join(map(str, d))].get(s, 0)) for s in event) for d in (x, y)]
        assert exact[0] > Fraction(box["ratio"]) * exact[1] + Fraction(box["delta"])


def test_a_box_with_a_mistake_is_refuted_and_its_honest_twin_is_not(assignment):
    for variant in range(0, len(assignment.boxes.variants), 7):
        assert in_person.refutation(assignment.boxes.box(variant))[0] > 0
        assert in_person.refutation(assignment.boxes.box(variant, planted=False))[0] <= 0


# --- at the board -----------------------------------------------------------------------------------------------------
CELL = 'def f(x, t):\n    """A sum."""\n    if x <= t:\n        return x + 2 * t  # as the page has it\n    return -x\n'


def test_changes_are_one_operator_each_in_one_line_and_the_cell_ends_with_the_changed_function():
    found = list(in_person.changes([CELL, "not Python at all", "y = 1 + 1"]))
    assert [one[:3] for one in found] == [
        ("f", "if x <= t:", "if x < t:"), ("f", "return x + 2 * t", "return x - 2 * t"), ("f", "return x + 2 * t", "return x + 2 / t")]
    for name, _, new, old, changed in found:
        space = {}
        exec(changed, space)
        assert old == CELL and changed.startswith(CELL) and new in changed and callable(space[name])
    values = []
    for *_, changed in found:
        exec(changed, space := {})
        values.append((space["f"](3, 3), space["f"](1, 4)))
    assert values == [(-3, 9), (-3, -7), (3 + 2 / 3, 1.5)]


def test_lines_are_the_longer_ones_of_functions_without_their_docstrings():
    assert [line for _, line in in_person.lines([CELL, "y = 1 + 1"])] == ["if x <= t:", "return x + 2 * t"]


@pytest.fixture
def handed_in(built, tmp_path):
    """A right submission, and one that is as it was handed out."""
    folder = tmp_path / "in"
    folder.mkdir()
    shutil.copy(submissions.Submission("right").write(built, tmp_path), folder / "ada@example.edu.ipynb")
    shutil.copy(built / "student" / "ps1.ipynb", folder / "bob@example.edu.ipynb")
    return folder


def test_three_questions_are_about_the_submission_and_the_answer_is_what_the_checks_then_say(
        built, assignment, handed_in, bubblewrap, tmp_path):
    in_person.write_board(built, handed_in, tmp_path / "board")
    ada, bob = re.findall(r"<section>(.*?)</section>", (tmp_path / "board" / "board.html").read_text(), re.S)
    asked = [html.unescape(question) for question in re.findall(r"<pre>(.*?)</pre>", ada, re.S)]
    assert len(asked) == 3 and box_of(assignment, "ada@example.edu")["story"] in asked[0]
    own = in_person.own_cells(handed_in / "ada@example.edu.ipynb", built / "student" / "ps1.ipynb")
    line = re.search(r"\n\n {4}(.*)\n\n", asked[1])[1]
    old, new = re.findall(r"^ {4}(.*)$", asked[2], re.M)
    assert line in [said for _, said in in_person.lines(own)] and (old, new) in [one[1:3] for one in in_person.changes(own)]
    titles = [f"{check.question}: {check.title}" for check in assignment.checks]
    assert any(f"These checks then fail. {html.escape(title)}" in ada for title in titles)
    assert bob.count("<li>") == 1 and "ask from the exam instead" in bob
