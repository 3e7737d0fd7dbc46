"""A fault of ours never becomes a zero, nothing is graded without a sandbox, every kind of grading machine works."""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import course
import grading
import ps1
from problem_sets import PROBLEM_SETS
import sandbox
import submissions

RIGHT = submissions.Submission("right")


@pytest.fixture
def problem_set():
    """The machinery is the same for all of them."""
    return ps1


@pytest.fixture
def folder(built, tmp_path):
    """A folder of two right submissions."""
    inside = tmp_path / "in"
    inside.mkdir()
    notebook = RIGHT.write(built, tmp_path)
    for student in ("ada", "bob"):
        shutil.copy(notebook, inside / f"{student}@example.edu.ipynb")
    return inside


def rows(out):
    with open(out / "grades.csv", newline="") as file:
        return list(csv.DictReader(file))


# --- faults ----------------------------------------------------------------------------------------------------------
BROKEN = {
    "no bubblewrap": lambda right: lambda folder: ["/nowhere/bwrap"],
    "bubblewrap that refuses": lambda right: lambda folder: ["bwrap", "--no-such-option"],
    "a sandbox that ends at once": lambda right: lambda folder: ["/usr/bin/env", "false"],
    "no numpy": lambda right: lambda folder: [part if part != "/packages" else "/nothing" for part in right(folder)],
    "no Python": lambda right: lambda folder: [part.replace("/bin/python", "/bin/nothing") for part in right(folder)],
    "a sandbox that never speaks": lambda right: lambda folder: ["/usr/bin/env", "sleep", "60"],
}


@pytest.mark.parametrize("breaks", BROKEN.values(), ids=BROKEN)
def test_a_broken_sandbox_is_our_fault(built, assignment, tmp_path, monkeypatch, breaks):
    monkeypatch.setitem(sandbox.ISOLATION, "bwrap", breaks(sandbox.bwrap))
    with pytest.raises(sandbox.Fault, match="the sandbox did not start"):
        grading.grade(
            assignment, RIGHT.write(built, tmp_path), submissions.STUDENT, limits=sandbox.LIMITS | {"run_seconds": 2}
        )


def test_too_little_memory_to_start_is_our_fault(built, assignment, bubblewrap, tmp_path):
    limits = sandbox.LIMITS | {"resources": sandbox.LIMITS["resources"] | {"RLIMIT_AS": 30 << 20}}
    with pytest.raises(sandbox.Fault, match="the sandbox did not start"):
        grading.grade(assignment, RIGHT.write(built, tmp_path), submissions.STUDENT, limits=limits)


def test_a_check_that_fails_itself_is_our_fault(built, bubblewrap, tmp_path):
    shutil.copytree(built / "autograder", tmp_path / "autograder")
    with open(tmp_path / "autograder" / "checks.py", "a") as file:
        file.write("\n\n@check('q9', 1, 'a fault')\ndef fault(answers, student):\n    1 / 0\n")
    with pytest.raises(sandbox.Fault, match="the check 'a fault' failed itself: ZeroDivisionError"):
        grading.grade(course.load(tmp_path / "autograder"), RIGHT.write(built, tmp_path), submissions.STUDENT)


def test_who_could_not_be_graded_has_no_points_and_the_others_have_theirs(
    built, bubblewrap, folder, tmp_path, monkeypatch, capsys
):
    right, started = sandbox.bwrap, []

    def breaks_for_bob(place):
        started.append(place)
        return ["/nowhere/bwrap"] if len(started) == 3 else right(place)  # the first is the trial run of `refusal`

    monkeypatch.setitem(sandbox.ISOLATION, "bwrap", breaks_for_bob)
    assert course.grade(built, folder, tmp_path / "out", jobs=1) is False
    ada, bob = rows(tmp_path / "out")
    assert ada["automatic"] == "20" and ada["attention"] == (
        "the same programs as bob@example.edu: look at both; no prediction was handed in")
    assert bob["automatic"] == bob["q1"] == "" and bob["attention"].startswith(
        "NOT GRADED, our fault: the sandbox did not start"
    )
    assert "bob@example.edu: NOT GRADED" in capsys.readouterr().out
    assert [p.stem for p in (tmp_path / "out" / "results").iterdir()] == ["ada@example.edu"]


def test_without_bubblewrap_grading_is_refused_before_it_begins(built, folder, tmp_path, monkeypatch):
    monkeypatch.setitem(sandbox.ISOLATION, "bwrap", lambda place: ["/nowhere/bwrap"])
    with pytest.raises(SystemExit, match="Nothing was graded: submitted code runs only under bubblewrap"):
        course.grade(built, folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_nothing_marked_by_hand_is_overwritten(built, folder, tmp_path):
    (tmp_path / "out").mkdir()
    with pytest.raises(SystemExit, match="name a new folder"):
        course.grade(built, folder, tmp_path / "out")


def test_a_missing_sandbox_skips_at_home_and_fails_on_a_build_machine(cannot_test, monkeypatch):
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="grading must be tested: no sandbox"):
        cannot_test("no sandbox")


def test_what_is_made_at_home_only_is_explained(built, bubblewrap, tmp_path):
    needs_home = submissions.Submission("needs the box", {"last": "print(box)"})
    assignment = course.load(built / "autograder")
    result = grading.grade(assignment, needs_home.write(built, tmp_path), submissions.STUDENT)
    assert "name 'box' is not defined" in result["output"] and "`# at home` are not run by the grader" in result["output"]


# --- the command line ------------------------------------------------------------------------------------------------
def test_build_and_grade_from_the_command_line(bubblewrap, folder, tmp_path):
    run = lambda *arguments: subprocess.run(
        [sys.executable, "-B", submissions.ROOT / "exercises" / "course.py", *arguments],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert run("build", "all", "made", submissions.KEY).stdout.split() == [f"made/{module.__name__}" for module in PROBLEM_SETS]
    graded = run("grade", "made/ps1", str(folder), "graded")
    assert graded.returncode == 0 and "ada@example.edu: 20 points in" in graded.stdout
    assert [row["automatic"] for row in rows(tmp_path / "graded")] == ["20", "0"]  # bob handed in ada's notebook
    wrong_box = (tmp_path / "graded" / "feedback" / "bob@example.edu.md").read_text()
    assert "the notebook is that of ada@example.edu, but you hand in as bob@example.edu" in wrong_box
    assert "build NAME OUT" in run().stderr and run().returncode == 1


# --- other machines --------------------------------------------------------------------------------------------------
needs_root = pytest.mark.skipif(
    os.getuid() != 0, reason="only root can play another machine; your own is tested by everything else"
)


def elsewhere(place, command, capabilities):
    """Run a command in a container: /autograder is `place`, Python and numpy are there, root has few capabilities."""
    opt = [
        part for folder in ("/opt", "/opt/grader", "/opt/grader/bin") for part in ("--perms", "0755", "--dir", folder)
    ]
    rights = [part for name in capabilities for part in ("--cap-add", name)]
    return subprocess.run(
        [
            "bwrap",
            "--unshare-pid",
            "--unshare-net",
            "--die-with-parent",
            *sandbox.system(),
            *opt,
            "--symlink",
            os.path.realpath(sys.executable),
            "/opt/grader/bin/python",
            "--bind",
            str(place),
            "/autograder",
            "--setenv",
            "PYTHONPATH",
            "/packages",
            "--setenv",
            "PYTHONDONTWRITEBYTECODE",
            "1",
            "--cap-drop",
            "ALL",
            *rights,
            "--",
            *command,
        ],
        capture_output=True,
        text=True,
        timeout=60,
    )


def handed_in(built, place, submission):
    """The folder that a grading service prepares."""
    (place / "submission").mkdir(parents=True)
    shutil.unpack_archive(built / "ps1-autograder.zip", place / "source")
    shutil.copy(built / "autograder" / "run_autograder", place / "run_autograder")  # unpacking forgets who may execute
    shutil.move(submission.write(built, place), place / "submission" / "my homework (final).ipynb")
    (place / "submission_metadata.json").write_text(json.dumps({"users": [{"email": submissions.STUDENT}]}))
    return place


ROOT_IN_A_CONTAINER = [
    "CAP_SETUID",
    "CAP_SETGID",
    "CAP_SETPCAP",
    "CAP_CHOWN",
    "CAP_FOWNER",
    "CAP_DAC_OVERRIDE",
    "CAP_KILL",
]
THIEF = submissions.Submission(
    "thief",
    {"last": """
import os
attack = []
for file in ("source/checks.py", "source/key.txt", "source/given.ipynb", "submission_metadata.json", "submission"):
    try:
        open("/autograder/" + file)
        attack.append(file)
    except PermissionError:
        pass
assert not attack and os.getuid() > 60_000, attack"""},
)


@needs_root
@pytest.mark.parametrize(
    "submission, score, notes",
    [
        (RIGHT, 20, "Every cell ran."),
        (THIEF, 20, "Every cell ran."),
        (submissions.Submission("loop", {"def sample_threshold": "import os\nos._exit(0)"}), 15, "ended Python itself"),
    ],
    ids=lambda s: getattr(s, "name", ""),
)
def test_a_grading_service_whose_container_forbids_namespaces(built, bubblewrap, tmp_path, submission, score, notes):
    place = handed_in(built, tmp_path / "autograder", submission)
    done = elsewhere(place, ["/bin/bash", "/autograder/run_autograder"], ROOT_IN_A_CONTAINER)
    assert done.returncode == 0, done.stderr
    result = json.loads((place / "results" / "results.json").read_text())
    assert result["extra_data"]["isolation"] == "container" and result["extra_data"]["student"] == submissions.STUDENT
    assert result["score"] == score and notes in result["output"]
    assert {"name", "score", "max_score", "output", "visibility"} <= set(result["tests"][0])


@needs_root
def test_a_grading_service_that_cannot_lock_code_away_gives_no_result(built, bubblewrap, tmp_path):
    place = handed_in(built, tmp_path / "autograder", RIGHT)
    done = elsewhere(place, ["/bin/bash", "/autograder/run_autograder"], ["CAP_FOWNER", "CAP_DAC_OVERRIDE"])
    assert done.returncode != 0 and "Fault: the sandbox did not start" in done.stderr
    assert not (place / "results" / "results.json").exists()


@needs_root
def test_two_notebooks_at_once_are_sent_back(built, bubblewrap, tmp_path):
    place = handed_in(built, tmp_path / "autograder", RIGHT)
    shutil.copy(place / "submission" / "my homework (final).ipynb", place / "submission" / "old.ipynb")
    course.service(place)
    assert (
        "exactly one notebook (.ipynb); 2 came in"
        in json.loads((place / "results" / "results.json").read_text())["output"]
    )


AS_SOMEBODY = """
set -e
mount -t tmpfs -o mode=755 tmpfs /mnt
mkdir /mnt/python /mnt/packages /mnt/desk
mount --bind "$1" /mnt/python
mount --bind "$2" /mnt/packages
mount --bind "$3" /mnt/desk
cd /mnt/desk
exec setpriv --reuid 61199 --regid 61199 --clear-groups --inh-caps=-all --bounding-set=-all \
    env HOME=/tmp PYTHONPATH=/mnt/packages /mnt/python/bin/python3 -B ps1/autograder/course.py grade ps1 in out
"""


@needs_root
def test_somebody_who_is_not_root_can_grade(built, folder, bubblewrap, tmp_path):
    """The same machine, seen by a plain user: Python, numpy and the folders lie where this user may read them."""
    place = tmp_path / "desk"
    shutil.copytree(built, place / "ps1")
    shutil.copytree(folder, place / "in")
    bomb = submissions.Submission("bomb", {"def sample_threshold": "import os\nfor _ in range(300):\n    os.fork()"})
    shutil.move(bomb.write(built, tmp_path), place / "in" / "eve@example.edu.ipynb")
    for path in [place, *place.rglob("*")]:
        path.chmod(0o777)
    done = subprocess.run(
        [
            "unshare",
            "--mount",
            "--propagation",
            "private",
            "bash",
            "-c",
            AS_SOMEBODY,
            "bash",
            str(Path(sys.base_prefix).resolve()),
            str(sandbox.libraries()[0].parent),
            str(place),
        ],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert [row["automatic"] for row in rows(place / "out")] == [
        "20",
        "0",
        "0",
    ]  # the others handed in with ada's address


def test_numpy_of_the_lock_is_the_one_that_grades():
    lock = (submissions.ROOT / "exercises" / "requirements.txt").read_text()
    assert f"numpy=={np.__version__}\n" in lock
