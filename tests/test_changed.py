"""What `make check` runs, how the tests are shared out, what they may cost, and what they leave out."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import changed, cost, depth

ROOT = Path(__file__).resolve().parents[1]


def test_every_module_of_the_package_has_a_test():
    files = [file.relative_to(ROOT) for file in (ROOT / "dplib").rglob("*.py")]
    assert len(files) > 70
    assert [str(file) for file in files if not any((ROOT / test).exists() for test in changed.tests_of(file) - {str(file)})] == []


@pytest.mark.parametrize("file, tests", [
    ("dplib/glm/compared/recursions.py", {"tests/test_glm_recursions.py", "dplib/glm/compared/recursions.py"}),
    ("dplib/glm/fits.py", {"tests/test_glm_fits.py", "dplib/glm/fits.py"}), ("dplib/_grid.py", {"tests/test_grid.py", "dplib/_grid.py"}),
    ("dplib/mean/estimators.py", {"tests/test_mean_estimators.py", "dplib/mean/estimators.py"}), ("README.md", set())])
def test_what_is_named_after_a_module_comes_alone(file, tests):
    assert changed.tests_of(Path(file)) == tests


def test_a_module_without_a_test_of_its_own_has_those_of_its_package():
    assert changed.tests_of(Path("dplib/glm/terms.py")) >= {"tests/test_glm_fits.py", "tests/test_glm_releases.py"}


@pytest.mark.parametrize("test, share", [
    ("tests/site/test_explorers.py::test_x[chapters/two-stage-mean.html-split]", "chapters/two-stage-mean.html"),
    ("tests/site/test_pages.py::test_y[genindex.html]", "genindex.html"), ("tests/site/test_pages.py::test_z", "tests/site/test_pages.py"),
    ("tests/test_grid.py::test_w[0.5-3]", "tests/test_grid.py"), ("dplib/mean/adaptive.py::dplib.mean.adaptive", "dplib/mean/adaptive.py")])
def test_all_tests_of_a_page_are_one_share_whatever_their_file(test, share):
    assert cost.share_of(test) == share


def test_a_share_that_costs_too_much_is_named_and_a_slow_machine_may_take_longer():
    spent = {"tests/test_grid.py": cost.FILE_LIMIT + 20, "chapters/bits.html": cost.PAGE_LIMIT - 1}
    assert [line.split()[0] for line in cost.too_dear(spent)] == ["tests/test_grid.py"]
    assert cost.too_dear(spent, slower=2) == []


def test_the_seconds_of_a_child_count_while_it_lives_and_after():
    processes = cost.Processes()
    before = processes.seconds()
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as child:
        deadline = time.monotonic() + 30
        while (alive := processes.seconds() - before) < .4 and time.monotonic() < deadline:
            time.sleep(.05)
        child.kill()
    assert .4 <= alive <= processes.seconds() - before < alive + 5


def test_a_run_says_which_it_was_and_what_it_left_out(monkeypatch):
    monkeypatch.setattr(depth, "EVERYTHING", False)
    assert f"14 of 20 {depth.POSITIONS.what}" in depth.said() and depth.few(range(8), depth.ALONE) == [0]
    monkeypatch.setattr(depth, "EVERYTHING", True)
    assert "everything" in depth.said() and depth.few(range(8), depth.ALONE) == list(range(8))
