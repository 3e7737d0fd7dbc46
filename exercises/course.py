"""Build the editions of an assignment, and grade a folder of submissions.

    python course.py build NAME OUT [KEY]                from NAME.md make OUT/NAME/ with prediction, student, solution
                                                         and autograder; NAME may be `all`
    python course.py grade ASSIGNMENT SUBMISSIONS OUT    one <address>.ipynb per student, predictions under the same
                                                         names in SUBMISSIONS/predictions; ASSIGNMENT is OUT/NAME above
    python course.py service [FOLDER]                    what run_autograder calls on a grading service

The key decides who gets which variant and what the hidden checks ask. It lies in autograder/key.txt and nowhere else: a
random one, or KEY. Building again into the same folder keeps it.
"""

import ast
import contextlib
import copy
import csv
import io
import json
import os
import re
import secrets
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import copies
import grading
import sandbox

HERE = Path(__file__).resolve().parent
BLANK = "...  # your code here"
BLOCK = re.compile(r"^( *)# BEGIN SOLUTION\n(.*?)^ *# END SOLUTION$", re.M | re.S)
LINE = re.compile(r"^( *[^=\n]+=)[^=\n].*  # (?:SOLUTION|COPIED)$", re.M)
COPIED = re.compile(r"^(\w+) = (.*)  # COPIED$", re.M)

SETUP = """#!/usr/bin/env bash
set -e
apt-get update
apt-get install -y python3-venv bubblewrap
python3 -m venv /opt/grader
/opt/grader/bin/pip install -r /autograder/source/requirements.txt
"""
RUN = """#!/usr/bin/env bash
chmod -R go-rwx /autograder
exec /opt/grader/bin/python /autograder/source/course.py service
"""


# --- editions --------------------------------------------------------------------------------------------------------
def blanked(source):
    """source with a blank for each BEGIN ... END SOLUTION block and for the right side of each # SOLUTION line."""
    return LINE.sub(rf"\1 {BLANK}", BLOCK.sub(rf"\1{BLANK}", source))


def solution_lines(source):
    inside = [line for block in BLOCK.finditer(source) for line in block[2].splitlines()]
    return inside + [line[0].split("  # ")[0] for line in LINE.finditer(source)]


def differs_only_in_blanks(stub, source):
    """Whether some text in place of each blank of `stub` gives `source`, markers aside."""
    source = re.sub(r"^ *# (BEGIN|END) SOLUTION\n?|  # (SOLUTION|COPIED)$", "", source, flags=re.M).rstrip()
    return re.fullmatch(re.escape(stub.rstrip()).replace(re.escape(BLANK), "(?s:.+?)"), source) is not None


def check_stub(stub, source):
    """Nothing but the solution is missing, nothing of it is left, and what remains is Python."""
    where = f"in the cell that begins {grading.first_line(source)!r}"
    if "SOLUTION" in stub or "COPIED" in stub:
        sys.exit(f"a marker of a solution is left over {where}: write `name = value  # SOLUTION`, or # BEGIN SOLUTION "
                 "and # END SOLUTION on lines of their own")
    if not differs_only_in_blanks(stub, source):
        sys.exit(f"the student's cell differs from the solution by more than its blanks {where}:\n{stub}")
    try:
        ast.parse(stub)
    except SyntaxError as error:
        sys.exit(f"the student's cell is not Python any more {where}: {error}\n{stub}")


def check_leaks(student, secret):
    """No telling line of a solution or of a hidden check is in the student edition, not even elsewhere."""
    shown = "\n".join(cell.source for cell in student)
    telling = (line.strip() for line in secret if not re.match(r" *(import|from) ", line))
    if leaks := {line for line in telling if len(line) > 12 and line in shown}:
        sys.exit(f"the student edition shows lines of a solution or of a hidden check: {sorted(leaks)}")


def editions(path):
    """({edition: notebook}, source of the hidden checks, rubric by question) of a MyST file."""
    import jupytext
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    prediction, student, solution, hidden, rubric, secret = [], [], [], [], {}, []
    for i, cell in enumerate(jupytext.read(path).cells):
        tags, is_code = cell.metadata.get("tags", []), cell.cell_type == "code"
        if "hidden" in tags:
            hidden.append(cell.source)
            secret += cell.source.splitlines()
            continue
        new = new_code_cell if is_code else new_markdown_cell
        kept = {"id": f"{path.stem}-{i}",
                "metadata": {k: v for k, v in cell.metadata.items() if k in ("question", "at_home")}}
        solution.append(new(cell.source, **kept))
        if "rubric" in cell.metadata:
            rubric[cell.metadata["rubric"]] = cell.source
        if "solution" in tags:
            secret += cell.source.splitlines()
            continue
        shown = prediction if "prediction" in tags else student
        shown.append(new(blanked(cell.source) if is_code else cell.source, **kept))
        if is_code:
            check_stub(shown[-1].source, cell.source)
            secret += solution_lines(cell.source)
    check_leaks(prediction + student, secret)
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    made = {"prediction": prediction, "student": student, "solution": solution}
    notebooks = {edition: new_notebook(cells=cells, metadata=metadata) for edition, cells in made.items()}
    return notebooks, "\n\n\n".join(hidden) + "\n", rubric


def written_out(source, sheet):
    """The source with the numbers and words of a sheet in its solution, which is then no solution for another sheet."""
    def solution(found):
        return re.sub(r'MINE\["(\w+)"\]', lambda name: repr(sheet[name[1]]), found[0])

    return LINE.sub(solution, BLOCK.sub(solution, source))


def answered(notebook, folder, student):
    """The solution as this student would hand it in: what is copied from the sheet stands in it, and no file is opened."""
    space, notebook = {}, copy.deepcopy(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    code[0].source = re.sub(r"^STUDENT = .*$", f"STUDENT = {student!r}  # SOLUTION", code[0].source, flags=re.M)
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        for cell in code:
            searches = "at_home" in cell.metadata and "question" not in cell.metadata
            if cell is code[0] or searches or COPIED.search(cell.source):
                exec(cell.source, space)
            cell.source = COPIED.sub(lambda line: f"{line[1]} = {space[line[1]]!r}", cell.source)
            cell.source = written_out(cell.source, space.get("MINE"))
    return notebook


def key_for(folder, wanted):
    """The key that was asked for, else the one with which this folder was built before, else a new one."""
    kept = folder / "autograder" / "key.txt"
    key = wanted or (kept.read_text() if kept.exists() else secrets.token_hex(16))
    if not 16 <= len(key.encode()) <= 64:
        sys.exit("the key must have 16 to 64 bytes, and nobody may be able to guess it")
    return key


def build(name, out, key=None):
    import nbformat

    folder = Path(out) / name
    key, grader = key_for(folder, key), folder / "autograder"
    notebooks, checks, rubric = editions(HERE / f"{name}.md")
    shutil.rmtree(folder, ignore_errors=True)
    for part in (*notebooks, "autograder"):
        (folder / part).mkdir(parents=True)
    (grader / "key.txt").write_text(key)
    (grader / "checks.py").write_text(checks)
    (grader / "rubric.json").write_text(json.dumps(rubric, indent=1))
    for file in ("course.py", "grading.py", "boxes.py", "copies.py", "sandbox.py", "sandboxed.py", "requirements.txt"):
        shutil.copy(HERE / file, grader)
    (grader / "setup.sh").write_text(SETUP)
    (grader / "run_autograder").write_text(RUN)
    (grader / "run_autograder").chmod(0o755)
    for file, content in load(grader).handout().items():
        for place in (folder / "student", folder / "solution"):
            (place / file).write_text(json.dumps(content))
    notebooks["solution"] = answered(notebooks["solution"], folder / "solution", "ada@example.edu")
    for edition, notebook in notebooks.items():
        nbformat.write(notebook, folder / edition / f"{name}{'-prediction' * (edition == 'prediction')}.ipynb")
    shutil.copy(folder / "student" / f"{name}.ipynb", grader / "given.ipynb")
    shutil.make_archive(str(folder / f"{name}-autograder"), "zip", grader)
    return folder


def load(grader):
    """The module of hidden checks of an autograder folder, with its `checks` and `rubric`."""
    module = ModuleType("checks")
    module.KEY = (grader / "key.txt").read_text()
    code = compile((grader / "checks.py").read_text(), grader / "checks.py", "exec")
    exec(code, vars(module))                    # unlike an import, this leaves no .pyc behind
    found = (getattr(value, "check", None) for value in vars(module).values())
    module.checks = [check for check in found if isinstance(check, grading.Check)]
    module.rubric = json.loads((grader / "rubric.json").read_text())
    return module


# --- grading ---------------------------------------------------------------------------------------------------------
def refusal(isolation):
    """None, or why this isolation does not work here: an empty notebook is tried."""
    try:
        sandbox.run({"cells": [], "names": [], "calls": {}}, isolation, sandbox.LIMITS)
    except sandbox.Fault as fault:
        return str(fault)


def attempt(assignment, notebook):
    """The result of one notebook, or the Fault that kept us from one."""
    try:
        return grading.grade(assignment, notebook, notebook.stem)
    except sandbox.Fault as fault:
        return fault
    except Exception as error:
        return sandbox.Fault(f"{type(error).__name__}: {error}")


def feedback(result, gone):
    """What the student reads; a message that several checks have is printed once. `gone` says if the prediction is missing."""
    lines, told = [f"# {result['score']} points from the automatic checks", "", result["output"], ""], {}
    for test in result["tests"]:
        score = f" ({test['score']}/{test['max_score']})" if "score" in test else ""
        first = told.setdefault(test["output"], test) if test.get("status") == "failed" else test
        lines.append(f"* **{test['name']}**{score}: {test['output'] if first is test else 'as above.'}")
    return "\n".join(lines + [f"* **The prediction**: {gone}."] * bool(gone)) + "\n"


def sheet(question, rubric, fact, answer):
    """What the marker reads."""
    return f"# {question}, out of {grading.worth(rubric)}\n\n{rubric}\n\n{fact}\n\n---\n\n{answer}\n"


def predicted(notebook, question):
    """(what a student had predicted or None, why there is nothing or None); `notebook` may not exist, or not be one."""
    try:
        answer = grading.read(notebook)[1].get(question)
        return answer, None if answer else "the cell of the prediction is missing"
    except FileNotFoundError:
        return None, "no prediction was handed in"
    except Exception as error:
        return None, f"the prediction cannot be opened as a notebook: {type(error).__name__}"


def with_prediction(prediction, gone, later):
    """The answer as the marker reads it."""
    return f"**Predicted beforehand:**\n\n{prediction or f'({gone})'}\n\n**Handed in later:**\n\n{later}"


def table(assignment, students, results, alike, predictions):
    """The rows of grades.csv; a student whom a fault of ours kept from a result has no points at all."""
    questions = list(dict.fromkeys(check.question for check in assignment.checks))
    by_hand = [f"{q} by hand (of {grading.worth(r)})" for q, r in assignment.rubric.items()]
    yield ["student", *questions, "automatic", *by_hand, "attention"]
    for student, result, (_, gone) in zip(students, results, predictions):
        if isinstance(result, sandbox.Fault):
            yield [student, *[""] * (len(questions) + 1 + len(by_hand)), f"NOT GRADED, our fault: {result}"]
        else:
            scores = [(test["name"].split(":")[0], test.get("score", 0)) for test in result["tests"]]
            earned = [sum(score for question, score in scores if question == q) for q in questions]
            same = f"the same programs as {', '.join(alike[student])}: look at both" if alike[student] else None
            yield [student, *earned, result["score"], *[""] * len(by_hand), "; ".join(filter(None, [same, gone]))]


def write(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8", errors="replace")


def grade(folder, submissions, out, jobs=os.cpu_count()):
    """Grade every notebook of a folder. Returns whether all of them could be graded."""
    if Path(out).exists():
        sys.exit(f"{out} exists: name a new folder, so that nothing marked by hand is overwritten")
    if reason := refusal("bwrap"):
        sys.exit(f"Nothing was graded: submitted code runs only under bubblewrap 0.7 or later, and here {reason}\n"
                 "Install it (apt-get install bubblewrap), or use a grading service (README.md).")
    assignment, out = load(Path(folder) / "autograder"), Path(out)
    notebooks = sorted(Path(submissions).glob("*.ipynb"))
    students = [notebook.stem for notebook in notebooks]
    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(lambda notebook: attempt(assignment, notebook), notebooks))
    alike = copies.alike(notebooks, Path(folder) / "autograder" / "given.ipynb")
    predictions = [predicted(Path(submissions) / "predictions" / notebook.name, assignment.PREDICTED) for notebook in notebooks]
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "grades.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(table(assignment, students, results, alike, predictions))
    for student, result, (prediction, gone) in zip(students, results, predictions):
        if isinstance(result, sandbox.Fault):
            print(f"{student}: NOT GRADED, our fault: {result}")
            continue
        write(out / "results" / f"{student}.json", json.dumps(result, indent=1))
        write(out / "feedback" / f"{student}.md", feedback(result, gone))
        facts = assignment.for_the_marker(student)
        for question, rubric in assignment.rubric.items():
            answer = result["extra_data"]["written"].get(question, "(the cell for this answer is missing)")
            if question == assignment.PREDICTED:
                answer = with_prediction(prediction, gone, answer)
            text = sheet(question, rubric, facts.get(question, ""), answer)
            write(out / "written" / question / f"{student}.md", text)
        print(f"{student}: {result['score']} points in {result['execution_time']} s")
    return not any(isinstance(result, sandbox.Fault) for result in results)


def service(root="/autograder"):
    """One submission on a grading service: results/results.json, or an exception when the fault is ours."""
    root = Path(root)
    assignment = load(root / "source")
    student = json.loads((root / "submission_metadata.json").read_text())["users"][0]["email"]
    notebooks = sorted((root / "submission").glob("*.ipynb"))
    if len(notebooks) == 1:
        isolation = "container" if refusal("bwrap") else "bwrap"
        result = grading.grade(assignment, notebooks[0], student, isolation)
    else:
        result = {"score": 0, "output": f"Hand in exactly one notebook (.ipynb); {len(notebooks)} came in."}
    (root / "results").mkdir(exist_ok=True)
    (root / "results" / "results.json").write_text(json.dumps(result))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["build", name, out, *key] if len(key) <= 1:
            for assignment in sorted(p.stem for p in HERE.glob("ps*.md")) if name == "all" else [name]:
                print(build(assignment, out, *key))
        case ["grade", folder, submissions, out]:
            sys.exit(not grade(folder, submissions, out))
        case ["service", *root]:
            service(*root)
        case _:
            sys.exit(__doc__)
