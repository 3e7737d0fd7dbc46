"""Judge a notebook: have its cells run in a sandbox, check the plain values that come back, say what to do next.

Submitted code and the checks never share a process. The submission sees inputs, never an expected answer; the checks
see numbers and texts, never an object of the student's. A check is a function of

    answers     what came back: variables by their name, calls by the name of their group
    student     the address under which the notebook was handed in

and raises Wrong when the answer is not right: the message says what was asked, what came back, what to think about. It
returns a remark if it gives the points for what is right only in the light of an earlier, wrong answer.
"""
import hashlib
import json
import math
import os
import re
import time
from collections import namedtuple
from pathlib import Path

import numpy as np

from sandbox import LIMITS, Fault, run_without_the_deadly

NOTEBOOK_BYTES = 5 << 20
MISSING = "does not exist after your cells have run: was its cell changed or removed? If it was stopped, the notes at the top say why"
Check = namedtuple("Check", "question points title judge")


class Wrong(Exception):
    """The student's answer is not right, and this is what to say."""


# --- what the checks of an assignment are written with ---------------------------------------------------------------
def check(question, points, title):
    """Mark a function of (answers, student) as a check: it returns, or raises Wrong."""
    def mark(judge):
        judge.check = Check(question, points, title, judge)
        return judge
    return mark


def need(condition, message):
    if not condition:
        raise Wrong(message)


def shown(value):
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def number(value, what):
    if type(value) in (int, float) and abs(value) < 2**53:
        return value
    need(value is not None, f"{what} is None: is the blank still there, or a `return` missing?")
    raise Wrong(f"{what} is {shown(value)}, not a finite number")


def integer(value, what):
    need(number(value, what) == math.floor(value), f"{what} is {shown(value)}, not a whole number")
    return int(value)


def numbers(value, what, kind="numbers", entry=number):
    need(value is not None, f"{what} is None: is the blank still there, or a `return` missing?")
    if not isinstance(value, list):
        raise Wrong(f"{what} is {shown(value)}, not a list or tuple of {kind}")
    return tuple(entry(v, f"an entry of {what}") for v in value)


def whole_numbers(value, what):
    return numbers(value, what, "whole numbers", integer)


def chance(draws, laws=1):
    """How far the empirical distribution functions of `laws` samples may stray from the true ones: that one of them
    strays further has probability 1e-9 (Dvoretzky-Kiefer-Wolfowitz)."""
    return math.sqrt(math.log(2e9 * laws) / (2 * draws))


def differing(mine, exact):
    """A number with the digits in which it differs from the right one: the side and the place are said, the right one not."""
    side, gap = "large" if mine > exact else "small", float(abs(mine - exact) / abs(exact or 1))
    if float(mine * exact) <= 0 or gap < 1e-16:             # fractions may differ by less than a float can show
        return f"{float(mine):.6g}, which is too {side}" + " by less than these digits show" * (gap < 1e-6)
    place = lambda value: math.floor(math.log10(abs(value)))
    digit = max(1, place(exact) - place(gap * float(exact)) + 1)
    return f"{float(mine):.{max(6, digit + 1)}g}, which is too {side} from digit {digit} on"


def call(function, kwargs):
    """The call as the student would write it; a probe `f_` asks for `f`, and for what f is to be judged by."""
    values = (f"{k}=default_rng({v})" if k == "rng" else f"{k}={shown(v)}" for k, v in kwargs.items())
    return f"{function.rstrip('_')}({', '.join(values)})"


class Answers:
    """What came back from the sandbox. Asking for something that is missing or failed raises Wrong with the reason."""

    def __init__(self, reported, calls):
        self.reported, self.calls = reported, calls

    def get(self, key, what):
        value, error = self.reported.get(key, (None, MISSING))
        need(error is None, f"{what}: {error}")
        return value

    def __getitem__(self, name):
        return self.get(name, f"`{name}`")

    def group(self, group):
        """(the call as text, its arguments, the value that came back) for each call of a group."""
        function, arguments = self.calls[group]
        for i, kwargs in enumerate(arguments):
            asked = call(function, kwargs)
            missing = f"`{function.rstrip('_')}`"
            yield asked, kwargs, self.get((group, i), asked if (group, i) in self.reported else missing)

    def queries(self, group, i):
        """How many questions a call has put to its oracle."""
        return self.reported.get(("asked", group, i), (0, None))[0]


# --- one submission --------------------------------------------------------------------------------------------------
def read(notebook):
    """(code cells, written answers by question) of a notebook file; code that belongs to an answer is part of it, and
    what is for the student's own machine is empty here."""
    need(os.path.getsize(notebook) <= NOTEBOOK_BYTES, f"it is larger than {NOTEBOOK_BYTES >> 20} MB: clear its outputs")
    code, written = [], {}
    for cell in json.loads(Path(notebook).read_bytes())["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            code.append("" if cell["metadata"].get("at_home") else source)
        if isinstance(question := cell["metadata"].get("question"), str):
            source = f"```python\n{source}\n```" if cell["cell_type"] == "code" else source
            written[question] = "\n\n".join([written[question], source] if question in written else [source])
    return code, written


def refused(boxes, answers, student):
    """None, or why nothing of this notebook counts."""
    try:
        boxes.need_own(answers, student)
    except Wrong as wrong:
        return str(wrong)
    except RecursionError:
        return "`STUDENT` or `MINE` is nested too deeply to be looked at"


def judged(check, answers, student, refusal=None):
    """One entry of results.json for a check."""
    try:
        need(refusal is None, refusal)
        points, message = check.points, sentence(check.judge(answers, student) or "Right")
    except Wrong as wrong:
        points, message = 0, sentence(str(wrong))
    except RecursionError:                                  # our checks do not recurse; printing a value may
        points, message = 0, "What came back is nested too deeply to be looked at."
    except Exception as error:
        raise Fault(f"the check {check.title!r} failed itself: {type(error).__name__}: {error}") from error
    return {"name": f"{check.question}: {check.title}", "score": points, "max_score": check.points,
            "output": message[:800], "status": "passed" if points else "failed", "visibility": "visible"}


def by_hand(question, rubric, written):
    """One entry of results.json for a written answer; how much of it the marker reads stands in the rubric."""
    text = re.sub(r"^```python\n.*?^```$", "", written.get(question, ""), flags=re.M | re.S)
    many, limit = len(text.split()), re.search(r"read no more than the first (\d+)", rubric)
    words = f"{many} words received." if question in written else "Its cell is missing."
    if limit and many > int(limit[1]):
        words += f" That is more than is asked for: only the first {limit[1]} are read."
    return {"name": f"{question}: marked by hand, out of {worth(rubric)}", "output": words, "visibility": "visible"}


def worth(rubric):
    """The points of a rubric: lines of the form `* 2 points: what for`."""
    return sum(map(int, re.findall(r"^\* (\d+) points?:", rubric, re.M)))


def sentence(text):
    return text if text.endswith((".", "?", "!")) else text + "."


def first_line(source):
    return shown(next(filter(None, map(str.strip, source.splitlines())), ""))


def questions(assignment, code, student):
    """The calls to make: the same notebook is always asked the same, and nobody without the key knows what."""
    seed = hashlib.blake2b("\n\n".join(code).encode(errors="replace"), key=assignment.KEY.encode()).digest()
    return assignment.calls(np.random.default_rng(list(seed)), assignment.boxes.sheet_of(student))


def grade(assignment, notebook, student, isolation="bwrap", limits=LIMITS):
    """What results.json holds; `assignment` comes from course.load. Raises Fault, never a false zero."""
    start = time.monotonic()
    code, written, notes = [], {}, []
    try:
        code, written = read(notebook)
    except Exception as error:
        notes.append(f"This file cannot be opened as a notebook ({type(error).__name__}: {shown(error)}).")
    calls = questions(assignment, code, student)
    cells = [*code, *assignment.PROBES]
    names = ["STUDENT", "MINE", *assignment.NAMES]
    reported, problems = run_without_the_deadly(cells, names, calls, isolation, limits)
    answers = Answers(reported, calls)
    refusal = refused(assignment.boxes, answers, student)
    tests = [judged(check, answers, student, refusal) for check in assignment.checks]
    notes += [f"Code cell {i + 1} (`{first_line(code[i])}`): {sentence(problem)}"
              for i, problem in sorted(problems.items()) if i in range(len(code))]
    return {"score": sum(test["score"] for test in tests), "execution_time": round(time.monotonic() - start, 2),
            "output": "\n".join(notes)[:4000] or "Every cell ran.", "stdout_visibility": "hidden",
            "tests": tests + [by_hand(question, rubric, written) for question, rubric in assignment.rubric.items()],
            "extra_data": {"student": student, "isolation": isolation, "written": written}}
