"""The editions: a stub hides just the solution, nothing hidden gets out, and a mistake of ours stops the build."""

import ast
import json
import re
import sys

import numpy as np
import pytest

import course
import grading
import submissions


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
    for word in ("SOLUTION", "Rubric", "Model proof", "planted", "def check", "alpha = ", "MECHANISMS", "laplace_cdf"):
        assert word not in everything
    assert "Model proof" in solution and "worst_event" in solution and "answers.group" not in solution


def test_the_student_notebook_is_a_plain_notebook_with_visible_asserts(built, assignment):
    code = "\n".join(cell["source"] for cell in cells(built, "student") if cell["cell_type"] == "code")
    assert code.count(course.BLANK) == code.count("\n    " + course.BLANK) + 2  # STUDENT, broken and the functions
    defined = {node.name for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)}
    asked = {function for function, _ in assignment.calls(np.random.default_rng(1)).values()}
    assert asked < defined and code.count("\n    " + course.BLANK) == len(asked)
    assert code.count("\nassert ") >= 5
    nodes = list(ast.walk(ast.parse(code)))
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    assert imported == {"numpy", "hashlib", "json", "math", "fractions"}
    marked = [cell["metadata"] for cell in cells(built, "student") if cell["metadata"]]
    assert marked == [{"question": question} for question in assignment.rubric]


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
    assert re.search(rf"^\| `{built.name}.md`.*\| {minutes} \| {automatic} / {by_hand} \|$", guide, re.M)


def test_building_twice_gives_the_same(built, tmp_path):
    again = course.build(built.name, tmp_path)
    files = [p.relative_to(built) for p in built.rglob("*") if p.is_file() and p.suffix != ".zip"]
    assert len(files) == 15 and not list(built.rglob("__pycache__"))
    for file in files:
        assert (again / file).read_bytes() == (built / file).read_bytes(), file


def test_a_key_of_ones_own_gives_other_boxes(built, assignment, tmp_path):
    name = built.name
    other = course.load(course.build(name, tmp_path, "autumn") / "autograder")
    students = [f"student{i}@example.edu" for i in range(50)]
    assert sum(assignment.boxes.variant_of(s) != other.boxes.variant_of(s) for s in students) > 40
    assert json.loads((tmp_path / name / "student" / f"{name}_boxes.json").read_text())["key"] == "autumn"
    with pytest.raises(SystemExit, match="1 to 64 bytes"):
        course.build(name, tmp_path, "x" * 65)


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
            "`noisy_counts` adds the noise.",
            "return 1 + math.ceil(math.log(shown_alone * (1 + alpha)) / math.log(alpha))",
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
