"""The editions: a stub hides just the solution, nothing hidden gets out, and a mistake of ours stops the build."""

import ast
import json
import re
import shutil
import sys
from fractions import Fraction
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

import course
import grading
import submissions
from boxes import derived
from dplib.book import teaching, ways


def source(name):
    return (submissions.ROOT / "exercises" / f"{name}.md").read_text()


def cells(built, edition):
    notebook = json.loads((built / edition / f"{built.name}.ipynb").read_text())
    return [cell | {"source": "".join(cell["source"])} for cell in notebook["cells"]]


def text(built, edition):
    return "\n".join(cell["source"] for cell in cells(built, edition))


def telling_lines(name):
    """Lines of the source that only solutions, rubrics and hidden checks have."""
    text = source(name)
    hidden = re.findall(r"^```\{code-cell\} ipython3\n:tags: \[(?:hidden|solution)\]\n(.*?)^```$", text, re.M | re.S)
    hidden += re.findall(r"# BEGIN SOLUTION\n(.*?)# END SOLUTION", text, re.S)
    hidden += re.findall(r'^\+\+\+ \{"tags": \["solution"\].*?\n(.*?)^\+\+\+', text, re.M | re.S)
    lines = {line.strip() for part in hidden for line in part.splitlines()}
    return {line for line in lines if len(line) > 20 and not line.startswith(("import", "from"))}


def made(tmp_path, *code_cells):
    """The editions of a small source with these code cells."""
    header = source("ps1").split("# Problem set 1")[0]
    file = tmp_path / "small.md"
    file.write_text(header + "".join(f"\n```{{code-cell}} ipython3\n{cell}\n```\n" for cell in code_cells))
    return course.editions(file)


def test_the_student_gets_a_notebook_and_boxes_and_nothing_hidden(built):
    name = built.name
    assert sorted(p.name for p in (built / "student").iterdir()) == [f"{name}.ipynb", f"{name}_boxes.json"]
    assert len(telling_lines(name)) > 200
    everything = "".join(p.read_text() for p in (built / "student").iterdir())
    student, solution = text(built, "student"), text(built, "solution")
    assert not [line for line in telling_lines(name) if line in student]
    for word in ("SOLUTION", "Rubric", "Model proof", "planted", "def check", "MECHANISMS", "laplace_cdf", submissions.KEY):
        assert word not in everything
    assert "Model proof" in solution and "worst_event" in solution and "answers.group" not in solution


def test_the_student_notebook_is_a_plain_notebook_with_visible_asserts(built, assignment):
    code = "\n".join(cell["source"] for cell in cells(built, "student") if cell["cell_type"] == "code")
    alone = {"STUDENT", "broken", "broken_too"}  # each a blank of its own, and one for a design, besides functions
    assert code.count(course.BLANK) == code.count("\n    " + course.BLANK) + 3 + bool(set(assignment.NAMES) - alone)
    defined = {node.name for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)}
    asked = {function.rstrip("_") for function, _ in assignment.calls(np.random.default_rng(1)).values()}
    assert asked < defined and code.count("\n    " + course.BLANK) == len(asked)
    assert code.count("\nassert ") >= 5
    nodes = list(ast.walk(ast.parse(code)))
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    assert imported == {"numpy", "hashlib", "json", "math", "fractions"}
    marked = [cell["metadata"] for cell in cells(built, "student") if cell["metadata"]]
    assert marked == [{"question": q} for q in [*assignment.rubric, assignment.PREDICTED]]  # that one with its code cell


def test_a_prediction_is_made_before_anything_can_be_computed(built, assignment):
    """Its notebook has no code and no digits to compute with, and the other one does not ask again."""
    assert [p.name for p in (built / "prediction").iterdir()] == [f"{built.name}-prediction.ipynb"]
    notebook = json.loads((built / "prediction" / f"{built.name}-prediction.ipynb").read_text())["cells"]
    assert {cell["cell_type"] for cell in notebook} == {"markdown"}
    assert [cell["metadata"].get("question") for cell in notebook] == [None, assignment.PREDICTED]
    asked = "".join(notebook[0]["source"])
    assert "At most" in asked and not re.search(r"varepsilon ?=|delta ?=|n ?= ?\d", asked)
    assert "You have predicted already" in text(built, "student") and asked not in text(built, "student")


def test_minutes_and_points_are_stated_and_add_up(built, assignment):
    text, guide = source(built.name), (submissions.ROOT / "exercises" / "README.md").read_text()
    stated = [tuple(map(int, pair)) for pair in re.findall(r"^## .*\((\d+) points, (\d+) minutes\)$", text, re.M)]
    totals = {}
    for question, points in [(c.question, c.points) for c in assignment.checks] + [
        (q, grading.worth(r)) for q, r in assignment.rubric.items()
    ]:
        totals[question] = totals.get(question, 0) + points
    assert [points for points, _ in stated] == [totals[q] for q in sorted(totals)]
    automatic = sum(check.points for check in assignment.checks)
    by_hand = sum(map(grading.worth, assignment.rubric.values()))
    assert sum(points for points, _ in stated) == automatic + by_hand == 30 and "30 points" in text
    minutes = sum(minutes for _, minutes in stated)
    assert re.search(rf"^\| {built.name[2:]}, .*\| {minutes} \| {automatic} / {by_hand} \|$", guide, re.M)


def test_the_book_knows_what_a_set_takes_and_which_pages_it_names(built):
    """The page *Teach a course* computes with them."""
    one = teaching.SETS[int(built.name[2:])]
    stated = re.findall(r"^## .*\(\d+ points, (\d+) minutes\)$", source(built.name), re.M)
    assert one.minutes == sum(map(int, stated))
    head = re.search(r"You need the pages(.*?)\n\n", source(built.name), re.S)[1]
    pages = ways.Book(SimpleNamespace(srcdir=submissions.ROOT, note_dependency=lambda file: None))
    titles = [pages.titles[page] for page in one.pages.split()]
    assert [" ".join(title.split()) for title in re.findall(r"\*([^*]+)\*", head)] == titles


def same_files(one, other):
    """The files of one build that are the same in the other."""
    files = [p.relative_to(one) for p in one.rglob("*") if p.is_file() and p.suffix != ".zip"]
    assert len(files) == 17 and not list(one.rglob("__pycache__"))
    return {str(file) for file in files if (other / file).read_bytes() == (one / file).read_bytes()}, len(files)


def test_building_twice_gives_the_same(built, tmp_path):
    same, number = same_files(built, course.build(built.name, tmp_path, submissions.KEY))
    assert len(same) == number


def test_a_key_is_new_in_a_new_folder_and_kept_in_an_old_one(built, tmp_path):
    """So that a corrected typo does not give everybody another box, and no key is in use by default."""
    folders = [course.build(built.name, tmp_path / place) for place in ("a", "b")]
    keys = [(folder / "autograder" / "key.txt").read_text() for folder in folders]
    assert len({submissions.KEY, *keys}) == 3 and min(map(len, keys)) >= 32
    same, _ = same_files(*folders)
    boxes = f"{built.name}_boxes.json"
    differ = {f"student/{boxes}", f"solution/{boxes}", f"autograder/files/{boxes}", "autograder/key.txt"}
    assert len(same) == 17 - len(differ) and not differ & same
    assert course.key_for(folders[0], None) == keys[0]
    if built.name == "ps1":                             # that a build takes this key is the same for all of them
        course.build(built.name, tmp_path / "a")
        assert (folders[0] / "autograder" / "key.txt").read_text() == keys[0]
    for short in ("autumn", "x" * 15, "x" * 65):
        with pytest.raises(SystemExit, match="16 to 64 bytes"):
            course.build(built.name, tmp_path / "a", short)


# --- what a student can rebuild --------------------------------------------------------------------------------------
def texts(value):
    """Every text and number in a piece of JSON, as texts."""
    if isinstance(value, dict):
        return {t for pair in value.items() for part in pair for t in texts(part)}
    if isinstance(value, list):
        return {t for part in value for t in texts(part)}
    return {str(value)}


@cache
def draws(key):
    """What a grader with this key would draw for a notebook: the same draws are the same hidden questions."""
    return grading.questions(SimpleNamespace(KEY=key, calls=lambda rng: int(rng.integers(1 << 62))), ["x = 1"])


@pytest.fixture(scope="session")
def own_build(tmp_path_factory):
    """A build of everybody's own, with the key that it makes itself, by the name of the problem set."""
    return cache(lambda name: course.build(name, tmp_path_factory.mktemp("own")))


def rebuilt(folder, own):
    """What can be drawn by somebody who has the handed-out folder and all of our source: every text as it is, every
    word of it, what our source derives from them, and the key of a build of their own."""
    told = {t for part in folder.iterdir() for t in texts(json.loads(part.read_text()))}
    told |= {word for t in told for word in re.findall(r"[\w@.-]+", t)}
    told |= {(own / "autograder" / "key.txt").read_text()}
    guesses = [t for t in told if 0 < len(t.encode()) <= 64]
    labels = ("places", "noise", "coins", folder.parent.name)
    return {draws(g) for t in guesses for g in (t, t[::-1], *(derived(t, label) for label in labels))}


def test_nobody_rebuilds_the_grader_from_what_is_handed_out(built, own_build):
    assert draws(submissions.KEY) not in rebuilt(built / "student", own_build(built.name))
    everything = "".join(p.read_text() for part in ("student", "prediction") for p in (built / part).iterdir())
    assert submissions.KEY not in everything


MUTANTS = {
    "the key is handed out": lambda key: key,
    "the key is in a text that is handed out": lambda key: f"autumn:{key}",
    "the key is handed out backwards": lambda key: key[::-1],
}


@pytest.mark.parametrize("planted", MUTANTS.values(), ids=MUTANTS)
def test_a_key_that_is_handed_out_is_found(built, own_build, tmp_path, planted):
    shutil.copytree(built / "student", tmp_path / built.name / "student")
    key = "ffeeddccbbaa99887766554433221100"
    file = tmp_path / built.name / "student" / f"{built.name}_boxes.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"key": planted(key)}))
    assert draws(key) in rebuilt(tmp_path / built.name / "student", own_build(built.name))


def test_a_key_that_follows_from_what_is_handed_out_is_found(built, own_build):
    """A grader that used the handed-out key, or one derived from it, in place of its own; or a fixed default."""
    handed_out = json.loads((built / "student" / f"{built.name}_boxes.json").read_text())["key"]
    found = rebuilt(built / "student", own_build(built.name))
    assert draws(handed_out) in found and draws(derived(handed_out, "noise")) in found


def test_a_fixed_default_key_is_found(built, tmp_path, monkeypatch):
    monkeypatch.setattr(course.secrets, "token_hex", lambda size: "a key for trying things out")
    folder = course.build(built.name, tmp_path / "teacher")
    own = course.build(built.name, tmp_path / "own")
    assert draws((folder / "autograder" / "key.txt").read_text()) in rebuilt(folder / "student", own)


def test_boxes_lie_in_an_order_that_only_the_key_knows(assignment):
    order = [(mechanism.mistake, level) for mechanism, level, _ in assignment.boxes.variants]
    source = [(mechanism.mistake, Fraction(level)) for mechanism in assignment.MECHANISMS for level in assignment.LEVELS]
    assert sorted(order) == sorted(source) and sum(a == b for a, b in zip(order, source)) < 10
    again = assignment.Boxes("", "x" * 16, assignment.MECHANISMS, assignment.LEVELS, 2, assignment.boxes.story)
    assert sum(a[:2] == b[:2] for a, b in zip(again.variants, assignment.boxes.variants)) < 10


@pytest.mark.parametrize(
    "source, stub",
    [
        ("x = 1  # SOLUTION", "x = ...  # your code here"),
        ("    total += f(a=2)  # SOLUTION", "    total += ...  # your code here"),
        (
            "def f(x):\n    '''Say it.'''\n    # BEGIN SOLUTION\n    y = x\n\n    return y\n    # END SOLUTION",
            "def f(x):\n    '''Say it.'''\n    ...  # your code here",
        ),
        (
            "# BEGIN SOLUTION\na = 1\n# END SOLUTION\nprint(a)\n# BEGIN SOLUTION\nb = 2\n# END SOLUTION",
            "...  # your code here\nprint(a)\n...  # your code here",
        ),
    ],
)
def test_blanks(source, stub):
    assert course.blanked(source) == stub
    assert course.differs_only_in_blanks(stub, source)


@pytest.mark.parametrize(
    "changed",
    [
        lambda stub: stub.replace("'''Say it.'''", "'''Say something.'''"),
        lambda stub: stub.replace("(x)", "(x, y)"),
        lambda stub: stub + "\nprint(1)",
        lambda stub: stub.replace(course.BLANK, "return 1"),
        lambda stub: "",
        lambda stub: "import math\n" + stub,
    ],
)
def test_a_stub_that_differs_by_more_than_its_blanks_stops_the_build(tmp_path, monkeypatch, changed):
    source = "def f(x):\n    '''Say it.'''\n    # BEGIN SOLUTION\n    return x + 12345\n    # END SOLUTION"
    made(tmp_path, source)
    right = course.blanked
    monkeypatch.setattr(course, "blanked", lambda source: changed(right(source)))
    with pytest.raises(SystemExit, match="differs from the solution by more than its blanks"):
        made(tmp_path, source)


@pytest.mark.parametrize(
    "code, message",
    [
        (["# BEGIN SOLUTION\nx = 1\n"], "marker of a solution is left over"),
        (["print('the answer')  # SOLUTION"], "marker of a solution is left over"),
        (["f(x=1)  # SOLUTION"], "differs from the solution by more than its blanks"),
        (["x = 1  # SOLUTION\nprint("], "not Python any more"),
        (
            ["# BEGIN SOLUTION\nthe_answer = 28\n# END SOLUTION", "# a hint:\nthe_answer = 28"],
            "shows lines of a solution",
        ),
        (["threshold = 28  # SOLUTION", "threshold = 28"], "shows lines of a solution"),
        ([":tags: [hidden]\n\nexpected = [28, 53]", "expected = [28, 53]"], "shows lines of a solution"),
        ([":tags: [solution]\n\nprint('model', 28)", "print('model', 28)"], "shows lines of a solution"),
    ],
)
def test_a_mistake_in_the_source_stops_the_build(tmp_path, code, message):
    with pytest.raises(SystemExit, match=message):
        made(tmp_path, *code)


def test_a_solution_repeated_in_a_text_stops_the_build(tmp_path):
    file = tmp_path / "small.md"
    file.write_text(
        source("ps1").replace(
            "`sampled_counts` draws the people and says what is published.",
            "return np.where(drawn >= threshold, drawn, 0)",
        )
    )
    with pytest.raises(SystemExit, match="shows lines of a solution"):
        course.editions(file)


def test_nothing_of_it_is_on_the_site(problem_set):
    assert "exercises" not in (submissions.ROOT / "_toc.yml").read_text()
    published = [
        p
        for folder in ("chapters", "_build/html")
        for p in (submissions.ROOT / folder).rglob("*")
        if p.suffix in (".md", ".html", ".js", ".json", ".txt", ".ipynb", ".py") and p.is_file()
    ]
    assert published
    lines = sorted(telling_lines(problem_set.__name__), key=len)[-80:]
    for page in published:
        content = page.read_text(errors="replace")
        assert not [line for line in lines if line in content], page


def test_the_grader_needs_its_own_lock_and_no_index():
    lock = (submissions.ROOT / "exercises" / "requirements.txt").read_text()
    pins = [line for line in lock.splitlines() if line and not line.startswith("#")]
    assert pins and all(re.fullmatch(r"[a-z-]+==[\d.]+", pin) for pin in pins)
    used = {
        name.split(".")[0]
        for file in ("course.py", "grading.py", "boxes.py", "sandbox.py", "sandboxed.py")
        for name in re.findall(r"^(?:import|from) (\w+)", (submissions.ROOT / "exercises" / file).read_text(), re.M)
    }
    assert {name for name in used if name not in sys.stdlib_module_names} == {"numpy", "grading", "sandbox"}
