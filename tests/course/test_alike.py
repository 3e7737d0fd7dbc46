"""Who has another one's programs is named to the instructor, with the other one; who has written their own is not."""

import csv
import json
import re

import pytest

import copies
import course
import ps1
import submissions
from hostile import hostile
from submissions import Submission, code

BY_OTHER_MEANS = [Submission("every event", ps1.threshold(ps1.EXACT) | ps1.binary(ps1.HOCKEY)),
                  Submission("the worst event", ps1.worst() | ps1.replies("return max(0.0, p - math.exp(epsilon) * q)"))]


@pytest.fixture
def problem_set():
    """The machinery is the same for all of them."""
    return ps1


@pytest.fixture
def given(built):
    return built / "autograder" / "given.ipynb"


def changed(source):
    """The same program with other names, numbers, texts and comments."""
    for old, new in (("keep", "rest"), ("excess", "overshoot"), ("low", "a"), ("high", "b"), ("drawn", "seen"), ("chance", "p_here"),
                     ("delta", "delta_")):
        source = re.sub(rf"(?<![\w(, ]){old}\b(?!=)|(?<=[ (\[]){old}\b(?![=,:)])", new, source)
    return "# by myself\n" + source.replace("1e-12", "2e-12").replace('    """', '    """Mine: ', 1)


def write(folder, name, notebook):
    file = folder / f"{name}.ipynb"
    file.write_text(json.dumps(notebook))
    return file


def model(built):
    return json.loads((built / "solution" / "ps1.ipynb").read_text())


def with_code(notebook, change):
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["source"] = change("".join(cell["source"]))
    return notebook


def test_a_copy_is_found_whatever_it_calls_things(built, given, tmp_path):
    one = write(tmp_path, "ada", model(built))
    other = write(tmp_path, "bob", with_code(model(built), changed))
    assert "".join(model(built)["cells"][-1]["source"]) and one.read_text() != other.read_text()
    assert copies.alike([one, other], given) == {"ada": ["bob"], "bob": ["ada"]}


def test_a_copy_with_one_program_of_its_own_is_found(built, given, tmp_path):
    one = write(tmp_path, "ada", model(built))
    file = Submission("one other", ps1.PROBLEM_SET.function("person_delta", "return sum(math.comb(m, up) for up in range(m))")).write(
        built, tmp_path)
    assert copies.alike([one, file], given) == {"ada": [file.stem], file.stem: ["ada"]}


def test_own_programs_and_what_was_handed_out_are_nobody_s_copy(built, given, tmp_path):
    notebook = model(built)
    del notebook["cells"][-1]                               # the numbers of the prediction, which all would have from one solution
    files = [write(tmp_path, "ada", notebook)]
    for submission in BY_OTHER_MEANS:
        submission.cells["for share in (0.05"] = None
    files += [submission.write(built, tmp_path) for submission in BY_OTHER_MEANS]
    blank = json.loads((built / "student" / "ps1.ipynb").read_text())
    files += [write(tmp_path, name, blank) for name in ("blank", "also blank")]
    assert not any(copies.alike(files, given).values())


def test_what_cannot_be_read_is_no_copy_and_no_fault(given, tmp_path):
    files = []
    for name, source in {"torn": "def f(:\n", "deep": "(" * 5000 + ")" * 5000, "null": "x = '\0'", "magic": "%time x = 1\n!ls"}.items():
        files.append(write(tmp_path, name, {"cells": [code(source)]}))
    (tmp_path / "none.ipynb").write_bytes(b"\xff no notebook")
    assert not any(copies.alike([*files, tmp_path / "none.ipynb"], given).values())


def test_the_instructor_sees_both_in_the_table_and_the_copy_has_no_points(built, bubblewrap, tmp_path):
    inside = tmp_path / "in"
    inside.mkdir()
    write(inside, submissions.STUDENT, model(built))
    renamed = with_code(model(built), lambda source: source.replace(submissions.STUDENT, "peggy@example.edu"))
    write(inside, "peggy@example.edu", renamed)
    crash = next(s for s in hostile(ps1.PROBLEM_SET) if s.name == "crash")
    crash.write(built, tmp_path).rename(inside / "grace@example.edu.ipynb")
    assert course.grade(built, inside, tmp_path / "out")
    with open(tmp_path / "out" / "grades.csv", newline="") as file:
        ada, grace, peggy = csv.DictReader(file)
    assert (ada["automatic"], peggy["automatic"]) == ("20", "0")
    assert "peggy@example.edu" in ada["attention"] and "ada@example.edu" in peggy["attention"]
