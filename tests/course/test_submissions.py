"""Every kind of submission gets the points that it deserves, a message that teaches, in bounded time."""

import json

import pytest

import course
import grading
import sandbox
import submissions


@pytest.mark.parametrize("submission", submissions.ALL, ids=lambda s: s.name)
def test_gets_what_it_deserves(graded, assignment, submission):
    one = graded[submission.name]
    print(f"{submission.name:45} {one.result['score']:2} points {one.seconds:5.2f} s")
    assert set(one.failed) == set(submission.fails), (one.failed, one.result["output"])
    assert one.result["score"] == 20 - sum(c.points for c in assignment.checks if c.judge.__name__ in submission.fails)
    assert submission.notes in one.result["output"]
    for message in one.failed.values():
        assert submission.says in message
    assert one.seconds < submission.limits["runs"] * (submission.limits["run_seconds"] + 1)


def test_points(assignment):
    assert sum(check.points for check in assignment.checks) == 20
    assert {q: grading.worth(r) for q, r in assignment.rubric.items()} == {"q1": 1, "q4": 6, "q5": 3}


def test_every_check_fails_a_wrong_answer_that_another_check_of_its_question_accepts(graded, assignment):
    """So no check is idle, and none only repeats that a whole question is missing."""
    for check in assignment.checks:
        question = {c.judge.__name__ for c in assignment.checks if c.question == check.question}
        caught = [
            s.name
            for s in submissions.WRONG
            if check.judge.__name__ in graded[s.name].failed and question - set(graded[s.name].failed)
        ]
        assert caught, f"{check.title!r} never fails alone"


def test_messages_are_sentences_of_bounded_length(graded):
    for name, one in graded.items():
        for message in one.failed.values():
            assert 30 < len(message) <= 800 and message[-1] in ".?", (name, message)


def test_a_common_mistake_hears_what_to_think_about(graded):
    for name, check, hint in [
        ("threshold for one label", "never_too_small", "How many fresh cells can one person fill"),
        ("threshold with half the noise", "one_label", "With which probability is a cell with a single person shown?"),
        ("optimal composition of any mechanism", "never_pessimistic", "a reply says nothing with probability (k-2)q"),
        ("tail of the loss", "one_reply", "delta is not the chance that the loss exceeds epsilon"),
        ("unfinished", "one_label", "is the blank still there, or a `return` missing?"),
    ]:
        assert hint in graded[name].failed[check]


def test_the_grader_is_untouched_and_nothing_is_left_running(graded, built):
    for name in ("course.py", "grading.py", "sandbox.py", "sandboxed.py"):
        assert (submissions.ROOT / "exercises" / name).read_bytes() == (built / "autograder" / name).read_bytes()
    running = []
    for process in submissions.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            running.append(process.read_bytes())
        except OSError:
            continue
    assert len(running) > 1 and not any(b"98765.4321" in line for line in running)


def test_grading_twice_gives_the_same(graded, built, assignment, bubblewrap, tmp_path):
    chosen = [
        s
        for s in submissions.ALL
        if s.name in ("right", "global random state", "sensitivity of one label", "fake reports", "golden values")
    ]
    assert len(chosen) == 5
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
    first, second = (sandbox.run(job, [], "bwrap", sandbox.LIMITS)[0]["seen"] for _ in range(2))
    assert first == second and first[1] is None and len(first[0]) == 4


def test_answers_replayed_from_an_earlier_grading_are_worth_nothing(
    built, assignment, bubblewrap, tmp_path, monkeypatch
):
    """The inputs hang on all the code: whoever writes answers into it is asked for others."""
    asked = []

    def overheard(cells, names, calls, *rest):
        asked.append(calls)
        return sandbox.run_without_the_deadly(cells, names, calls, *rest)

    monkeypatch.setattr(grading, "run_without_the_deadly", overheard)
    right = next(s for s in submissions.ALL if s.name == "right").write(built, tmp_path)
    grading.grade(assignment, right, submissions.STUDENT)
    known = {
        tuple(kwargs.values()): next(T for T in range(1, 10_000) if assignment.is_safe(T, kwargs))
        for group in ("one label", "several labels", "tiny delta")
        for kwargs in asked[0][group][1]
    }
    replay = submissions.function("people_threshold", f"return {known!r}.get((epsilon, delta, m), 28)")
    notebook = submissions.Submission("replay", replay).write(built, tmp_path)
    result = grading.grade(assignment, notebook, submissions.STUDENT)
    failed = {c.judge.__name__ for c, t in zip(assignment.checks, result["tests"]) if not t["score"]}
    assert failed == submissions.THRESHOLD
    assert all(asked[1][group][1] != asked[0][group][1] for group in asked[0])


def test_a_value_nested_without_end_is_wrong_and_no_fault(assignment):
    deep = []
    for _ in range(100_000):
        deep = [deep]
    answers = grading.Answers({"STUDENT": (deep, None)}, {})
    entry = grading.judged(assignment.checks[0], answers, submissions.STUDENT)
    assert entry["score"] == 0 and "nested too deeply" in entry["output"]


def test_written_answers_arrive_as_text_with_rubric_and_planted_mistake(built, bubblewrap, tmp_path):
    notebook = json.loads((built / "solution" / "ps1.ipynb").read_text())
    for cell in notebook["cells"]:
        if cell["metadata"].get("question") == "q4":
            cell["source"] = ["Take the pair\n", "with m fresh labels."]
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "ada@example.edu.ipynb").write_text(json.dumps(notebook))
    assert course.grade(built, tmp_path / "in", tmp_path / "out")
    sheet = (tmp_path / "out" / "written" / "q4" / "ada@example.edu.md").read_text()
    assert sheet.startswith("# q4, out of 6") and "Model proof" not in sheet.split("Rubric")[0]
    assert sheet.endswith("---\n\nTake the pair\nwith m fresh labels.\n")
    mistake = course.load(built / "autograder").for_the_marker("ada@example.edu")["q1"]
    assert mistake in (tmp_path / "out" / "written" / "q1" / "ada@example.edu.md").read_text()
