"""What a submission is, for any problem set; wrong ones to *Break it*."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import sandbox

STUDENT = "ada@example.edu"
KEY = "the key with which all of this is tested"
ROOT = Path(__file__).resolve().parents[2]
IMPATIENT = sandbox.LIMITS | {"cell_seconds": 1, "run_seconds": 6}
HURRIED = sandbox.LIMITS | {"run_seconds": 4}
BOX = {"table_broken", "story_broken"}
ANSWERED = ("def ", "cells, phones", "# BEGIN SOLUTION\nu = ")  # cells that need nothing but those before: functions, a design


@dataclass
class ProblemSet:
    """What the submissions of a problem set are made from."""

    name: str
    arguments: dict  # of each function that students write
    victim: str  # the function that hostile submissions attack
    costs: set  # and the checks that this costs
    unasked: dict  # removes the visible cells that call it
    second: str  # another function that they attack
    second_costs: set
    groups: tuple  # groups of calls to the attacked function
    same_for_all: tuple  # those of them that are not drawn
    everything: set  # all checks

    def function(self, name, body):
        """A cell that defines one of the asked functions with another body."""
        arguments = self.arguments[name]
        return {f"def {name}": f"def {name}({arguments}):\n    " + body.strip("\n").replace("\n", "\n    ")}


@dataclass
class Submission:
    """The solution with some code cells replaced (None: deleted), found by how they begin, or new ones around them."""

    name: str
    cells: dict = field(default_factory=dict)
    fails: set = frozenset()
    says: str = ""  # in the message of every failed check, or in the notes when none fails
    notes: str = ""
    edition: str = "solution"
    raw: object = None  # the whole file instead
    limits: dict = field(default_factory=lambda: sandbox.LIMITS)

    @property
    def only_answers(self):
        """Whether all that is wrong is what functions return: no cell that fails, never ends or needs the sandbox."""
        defined = all(begins.startswith(ANSWERED) and source for begins, source in self.cells.items())
        return (bool(self.cells) and defined and not self.notes
                and self.limits is sandbox.LIMITS and "import" not in self.name)

    def write(self, built, folder):
        file = folder / f"{self.name.replace(' ', '-').replace('/', '')}.ipynb"
        if self.raw is not None:
            file.write_bytes(self.raw)
            return file
        notebook = json.loads((built / self.edition / f"{built.name}.ipynb").read_text())
        if self.edition == "student":                       # with address and sheet, without which nothing is looked at
            model = json.loads((built / "solution" / f"{built.name}.ipynb").read_text())["cells"]
            known = {cell["id"]: cell for cell in model if "".join(cell["source"]).startswith(("import hashlib", "MINE = "))}
            notebook["cells"] = [known.get(cell["id"], cell) for cell in notebook["cells"]]
        for begins, source in self.cells.items():
            if begins in ("first", "last"):
                notebook["cells"].insert(0 if begins == "first" else len(notebook["cells"]), code(source))
                continue
            places = [
                i
                for i, cell in enumerate(notebook["cells"])
                if cell["cell_type"] == "code" and "".join(cell["source"]).startswith(begins)
            ]
            assert len(places) == 1, f"{self.name}: {len(places)} cells begin with {begins!r}"
            notebook["cells"][places[0] : places[0] + 1] = [] if source is None else [code(source)]
        file.write_text(json.dumps(notebook))
        return file


def sandboxed(problem_set):
    """The submissions that are graded as an instructor would: of those that only answer wrongly, one in four and all
    that other tests ask for. test_copies.py has the answers of each of them judged many times."""
    named = {name for name, *_ in problem_set.HINTS} | set(problem_set.TWICE)
    chosen = {s.name for s in [w for w in problem_set.WRONG if w.only_answers][::4]} | named
    return [s for s in problem_set.ALL if s not in problem_set.WRONG or not s.only_answers or s.name in chosen]


def code(source):
    return {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source}


def broken(source):
    """Another answer to the box, made from the right one."""
    return {"last": "x, y, event = broken\nbroken = " + source}


def broken_too(source):
    """Another answer to the second box, made from the right one."""
    return {"last": "x, y, (side, t) = broken_too\nbroken_too = " + source}


def student(address):
    return {
        "import hashlib": "import hashlib, json, math\nfrom fractions import Fraction\nimport numpy as np\n"
        f"STUDENT = {address!r}"
    }


def with_other_types(rest):
    """All that is right, from an address in other letters; `rest` changes the types of what is not asked in question 1."""
    last = f"""
broken = (np.array(broken[0]), list(broken[1]), frozenset(broken[2]))
broken_too = [np.array(broken_too[0]), broken_too[1], (broken_too[2][0], float(broken_too[2][1]))]
{rest}"""
    return Submission("right, with other types", student(" Ada@Example.edu ") | {"last": last})


def failing_at_the_end(cells):
    """All that is right, and one more code cell after so many."""
    error = f"ZeroDivisionError: division by zero (code cell {cells + 1}, line 1)"
    return Submission("right, then a cell that fails", {"last": "1 / 0"}, notes=error)


def unfinished(everything):
    return Submission("unfinished", edition="student", fails=everything)


def strangers(everything):
    """Notebooks that do not answer the sheet of whoever hands them in: nothing of them counts."""
    first = lambda source: {"MINE = ": source}
    return [
        Submission("a copy with another name", student("peggy@example.edu"), everything, says="the notebook is that of peggy"),
        Submission("somebody else's box", first("MINE = {'box': -1}"), everything, says="not the sheet of ada@example.edu"),
        Submission("no sheet", first("MINE = None"), everything, says="copy what the notebook prints"),
        Submission("a sheet from the file", first(
            "MINE = json.load(open('ps1_boxes.json'))['sheets'][0]"), everything, says="`MINE`: does not exist",
            notes="no file is there when your notebook is graded"),
        Submission("a sheet that equals everything", first(
            "class Any(dict):\n    __eq__ = lambda *_: True\n    __hash__ = None\nMINE = Any()"), everything,
            says="a value of type Any came back"),
    ]


# --- question 1 ------------------------------------------------------------------------------------------------------
def wrong_boxes():
    """Wrong answers to *Break it*."""
    table, story = {"table_broken"}, {"story_broken"}
    return [
        Submission(
            "no neighbours",
            broken("(x, x, event)"),
            table,
            says="neighbours differ in exactly one",
        ),
        Submission(
            "promise holds there",
            broken("(y, x, event)"),
            table,
            says="try the pair both ways round",
        ),
        Submission(
            "no such output",
            broken("(x, y, [*event, (77,)])"),
            table,
            says="(77) in the event is no output of your box",
        ),
        Submission("an event without outputs", broken("(x, y, [])"), table, says="it never happens"),
        Submission("one data set", broken("[x]"), table, says="not a triple"),
        Submission(
            "records that are no numbers",
            broken("('ab', 'ac', event)"),
            table,
            says="not a list or tuple of whole numbers",
        ),
        Submission("the second pair turned round", broken_too("(y, x, (side, t))"), story, says="the promise holds"),
        Submission("the second event turned round", broken_too("(x, y, ('<=>='.replace(side, ''), t))"), story),
        Submission("the second event nearly certain", broken_too("(x, y, (side, t + 40 * (-1) ** (side == '>=')))"), story),
        Submission("the second event far out", broken_too("(x, y, (side, 10**9))"), story, says="so far out"),
        Submission("the second event a list", broken_too("(x, y, [t])"), story, says='not ("<=", t)'),
        Submission("the second pair too short", broken_too("((0,), (1,), (side, t))"), story, says="is no data set"),
    ]
