"""Every kind of submission gets the points that it deserves, a message that teaches, in bounded time."""

import csv
import json
from fractions import Fraction

import pytest

import course
import grading
from problem_sets import PROBLEM_SETS
import sandbox
import submissions


@pytest.mark.parametrize(
    "problem_set, submission",
    [pytest.param(module, s, id=f"{module.__name__}-{s.name}") for module in PROBLEM_SETS for s in submissions.sandboxed(module)],
    indirect=["problem_set"],
)
def test_gets_what_it_deserves(graded, assignment, submission):
    one = graded[submission.name]
    print(f"{submission.name:45} {one.result['score']:2} points {one.seconds:5.2f} s")
    assert set(one.failed) == set(submission.fails), (one.failed, one.result["output"])
    assert one.result["score"] == sum(c.points for c in assignment.checks if c.judge.__name__ not in submission.fails)
    assert submission.notes in one.result["output"]
    for message in one.failed.values():
        assert submission.says in message
    assert one.seconds < submission.limits["runs"] * (submission.limits["run_seconds"] + 1)


def test_points(assignment):
    assert sum(check.points for check in assignment.checks) + sum(map(grading.worth, assignment.rubric.values())) == 30


def test_points_follow_gravity(problem_set, assignment):
    """In every question, a check of the guarantee is worth more than any check of what is wasted."""
    points = {check.judge.__name__: check.points for check in assignment.checks}
    for guarantee, waste in problem_set.GRAVITY:
        assert points[guarantee] > points[waste]


def test_every_check_fails_a_wrong_answer_that_another_check_of_its_question_accepts(problem_set, assignment):
    """So no check is idle, and none only repeats that a whole question is missing."""
    for check in assignment.checks:
        question = {c.judge.__name__ for c in assignment.checks if c.question == check.question}
        caught = [
            s.name
            for s in problem_set.WRONG
            if check.judge.__name__ in s.fails and question - set(s.fails)
        ]
        assert caught, f"{check.title!r} never fails alone"


def test_messages_are_sentences_of_bounded_length(graded):
    for name, one in graded.items():
        for message in one.failed.values():
            assert 30 < len(message) <= 800 and message[-1] in ".?", (name, message)


def test_a_common_mistake_hears_what_to_think_about(problem_set, graded):
    for name, check, hint in problem_set.HINTS:
        assert hint in graded[name].failed[check]


def test_the_grader_is_untouched_and_nothing_is_left_running(graded, built):
    for name in ("course.py", "grading.py", "boxes.py", "copies.py", "sandbox.py", "sandboxed.py"):
        assert (submissions.ROOT / "exercises" / name).read_bytes() == (built / "autograder" / name).read_bytes()
    running = []
    for process in submissions.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            running.append(process.read_bytes())
        except OSError:
            continue
    assert len(running) > 1 and not any(b"98765.4321" in line for line in running)


def test_grading_twice_gives_the_same(problem_set, graded, built, assignment, bubblewrap, tmp_path):
    chosen = [s for s in problem_set.ALL if s.name in problem_set.TWICE]
    assert len(chosen) == len(problem_set.TWICE) == 5
    for submission in chosen:
        again = grading.grade(assignment, submission.write(built, tmp_path), submissions.STUDENT)
        first = dict(graded[submission.name].result)
        assert again | {"execution_time": 0} == first | {"execution_time": 0}


def test_hash_order_and_global_seeds_are_the_same_in_every_run(bubblewrap):
    job = {
        "cells": [
            "import random, numpy as np\nseen = [hash('x'), random.random(), np.random.rand(), list({'a', 'b', 'c'})]"
        ],
        "names": ["seen"],
        "calls": {},
    }
    first, second = (sandbox.run(job, "bwrap", sandbox.LIMITS)[0]["seen"] for _ in range(2))
    assert first == second and first[1] is None and len(first[0]) == 4


def test_answers_replayed_from_an_earlier_grading_are_worth_nothing(
    problem_set, built, assignment, bubblewrap, tmp_path, monkeypatch
):
    """The inputs hang on all the code: whoever writes answers into it is asked for others."""
    asked = []

    def overheard(cells, names, calls, *rest):
        asked.append(calls)
        return sandbox.run_without_the_deadly(cells, names, calls, *rest)

    monkeypatch.setattr(grading, "run_without_the_deadly", overheard)
    right = submissions.Submission("right").write(built, tmp_path)
    grading.grade(assignment, right, submissions.STUDENT)
    attacked = problem_set.PROBLEM_SET
    questions = [kwargs for group in attacked.groups for kwargs in asked[0][group][1]]
    known = {str(list(kwargs.values())): problem_set.answer(assignment, kwargs) for kwargs in questions}
    names = ", ".join(questions[0])
    replay = attacked.function(attacked.victim, f"return {known!r}.get(str([{names}]))")
    notebook = submissions.Submission("replay", replay).write(built, tmp_path)

    def failed():
        result = grading.grade(assignment, notebook, submissions.STUDENT)
        return {c.judge.__name__ for c, t in zip(assignment.checks, result["tests"]) if not t["score"]}

    assert failed() == attacked.costs
    drawn = [group for group in attacked.groups if group not in attacked.same_for_all]
    assert drawn and all(asked[1][group][1] != asked[0][group][1] for group in drawn)
    monkeypatch.setattr(assignment, "calls", lambda rng, sheet: asked[0])
    assert not failed()  # to the same questions they would have been right


def test_a_message_shows_the_digits_that_differ_and_not_the_right_value():
    for mine, exact, said in [
        (0.123456, 0.123401, "0.123456, which is too large from digit 5 on"),
        (2.000002, 2.000005, "2.000002, which is too small from digit 7 on"),
        (12.5, 998.0, "12.5, which is too small from digit 1 on"),
        (-3.5, 0.25, "-3.5, which is too small"),
        (Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**40), "0.333333, which is too small by less than these digits show"),
    ]:
        assert grading.differing(mine, exact) == said


def test_a_value_nested_without_end_is_wrong_and_no_fault(assignment):
    deep = []
    for _ in range(100_000):
        deep = [deep]
    answers = grading.Answers({"STUDENT": (deep, None), "MINE": (deep, None), "broken": (deep, None)}, {})
    entry = grading.judged(assignment.checks[0], answers, submissions.STUDENT)
    assert entry["score"] == 0 and "nested too deeply" in entry["output"]
    assert "nested too deeply" in grading.refused(assignment.boxes, answers, submissions.STUDENT)


def test_more_words_than_are_read_are_told(assignment):
    question, rubric = next((q, r) for q, r in assignment.rubric.items() if "read no more than the first 600 words" in r)
    said = [grading.by_hand(question, rubric, {question: "word " * many})["output"] for many in (600, 601)]
    assert said[0] == "600 words received." and said[1].startswith("601 words received.") and "the first 600 are read" in said[1]


def test_written_answers_arrive_as_text_with_rubric_numbers_cell_and_prediction(built, bubblewrap, tmp_path):
    assignment = course.load(built / "autograder")
    later = assignment.PREDICTED
    proof = next(question for question, rubric in assignment.rubric.items() if "**Model proof.**" in rubric)
    notebook = json.loads((built / "solution" / f"{built.name}.ipynb").read_text())
    for cell in notebook["cells"]:
        if cell["metadata"].get("question") == proof:
            cell["source"] = ["Take the pair\n", "with m fresh labels."]
        if cell["metadata"].get("question") == later and cell["cell_type"] == "code":
            cell["source"] = ["print('my own sums')"]
    prediction = json.loads((built / "prediction" / f"{built.name}-prediction.ipynb").read_text())
    prediction["cells"][-1]["source"] = ["I expect noise to win."]
    (tmp_path / "in" / "predictions").mkdir(parents=True)
    for student in ("ada", "bob", "eve"):
        (tmp_path / "in" / f"{student}@example.edu.ipynb").write_text(json.dumps(notebook))
    (tmp_path / "in" / "predictions" / "ada@example.edu.ipynb").write_text(json.dumps(prediction))
    (tmp_path / "in" / "predictions" / "eve@example.edu.ipynb").write_text("no notebook")
    assert course.grade(built, tmp_path / "in", tmp_path / "out")
    sheets = [(tmp_path / "out" / "written" / later / f"{s}@example.edu.md").read_text() for s in ("ada", "bob", "eve")]
    for text, said in zip(sheets, ("I expect noise to win.", "(no prediction was handed in)", "(the prediction cannot")):
        before, after = text.split("**Handed in later:**")
        assert "**Numbers.**" in before and said in before.split("**Predicted beforehand:**")[1]
        assert "my own sums" in after and "cell below" not in before
    with open(tmp_path / "out" / "grades.csv", newline="") as file:
        ada, bob, eve = (row["attention"] for row in csv.DictReader(file))
    told = [(tmp_path / "out" / "feedback" / f"{s}@example.edu.md").read_text() for s in ("ada", "bob", "eve")]
    assert "prediction" not in ada and "The prediction" not in told[0]
    assert "no prediction was handed in" in bob and "The prediction**: no prediction was handed in." in told[1]
    assert "cannot be opened" in eve and "The prediction**: the prediction cannot be opened as a notebook" in told[2]
    refusals = [line for line in told[1].splitlines() if "(0/" in line]  # the notebook is that of ada
    assert "you hand in as bob" in refusals[0] and all(line.endswith(": as above.") for line in refusals[1:]) and refusals[1:]
    sheet = (tmp_path / "out" / "written" / proof / "ada@example.edu.md").read_text()
    assert sheet.startswith(f"# {proof}, out of {grading.worth(assignment.rubric[proof])}") and "Model proof" not in sheet.split("Rubric")[0]
    assert sheet.endswith("---\n\nTake the pair\nwith m fresh labels.\n")
    mistake = assignment.for_the_marker("ada@example.edu")["q1"]
    assert mistake in (tmp_path / "out" / "written" / "q1" / "ada@example.edu.md").read_text()
