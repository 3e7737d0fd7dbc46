"""Evidence in person: boxes on paper, and three questions about what a student has handed in.

    python in_person.py boxes ASSIGNMENT ADDRESSES OUT     ADDRESSES has one address a line: OUT/boxes.html has a sheet for
                                                           each student, OUT/marking.html the mistake and a refutation
    python in_person.py board ASSIGNMENT SUBMISSIONS OUT   OUT/board.html: for each submission three questions, with answers

ASSIGNMENT is a folder that course.py has built. For a sitting, build one of its own: then nobody has seen their box before.
The board is for the folder that the submissions were graded with.
"""

import ast
import html
import json
import random
import sys
import tempfile
from fractions import Fraction
from itertools import product
from pathlib import Path

import course
import grading
from boxes import derived

TRIES = 6                                       # changes of a submission that are graded until one loses a point
WIDE = 770                                      # points that a line of A4 on its side has
STYLE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>
@page {{ size: A4 landscape; margin: 12mm }}
section {{ break-after: page; font-family: serif }}
table {{ border-collapse: collapse; font: inherit; font-family: monospace }}
th, td {{ border: .2mm solid #999; padding: .2mm .8mm; text-align: right }}
.blank {{ line-height: 2.4 }} pre {{ white-space: pre-wrap }}
</style><h1>{title}</h1>
"""


def page(title, sections):
    return STYLE.format(title=html.escape(title)) + "\n".join(f"<section>{section}</section>" for section in sections) + "\n"


# --- boxes on paper --------------------------------------------------------------------------------------------------
def printed(probability):
    """Four digits of a fraction."""
    return f"{float(probability):.4g}"


def table(box):
    """The probabilities of a box, for data sets and outputs; the fewer of both are the columns."""
    outputs = sorted({output for law in box["pmf"].values() for output in law}, key=lambda y: [*map(int, y.split(","))])
    cells = [("data↓ output→", *outputs)]
    cells += [(data, *(printed(Fraction(law.get(output, 0))) for output in outputs)) for data, law in box["pmf"].items()]
    if len(outputs) > len(box["pmf"]):
        cells = [("output↓ data→", *box["pmf"]), *[*zip(*cells)][1:]]
    head, *rows = cells
    size = min(9, (WIDE / len(head) - 4.5) / 4.2)           # of letters, of which a column has seven
    beside = int(WIDE / (len(head) * (4.2 * size + 4.5)))   # a long table goes on beside itself
    first = "".join(f'<th scope="col">{name}</th>' for name in head)
    others = "".join(f'<tr><th scope="row">{name}</th>' + "".join(f"<td>{value}</td>" for value in row) + "</tr>" for name, *row in rows)
    return (f'<div style="columns: {beside}; font-size: {size:.1f}pt"><table><thead><tr>{first}</tr></thead>'
            f"<tbody>{others}</tbody></table></div>")


def sheet(student, box):
    """What a student gets on paper: a table, and blanks for what refutes its promise."""
    ratio = Fraction(box["ratio"])
    return (
        f"<h2>{html.escape(student)}</h2><p>{html.escape(box['story'])} There are {box['n']} records, each one of {box['records']}. One of "
        f"them may be replaced. The promise is e<sup>ε</sup> = {ratio} (about {printed(ratio)}) and δ = {box['delta']}, and it is not "
        f"kept. Probabilities are rounded to four digits.</p>{table(box)}"
        '<p class="blank">x = ____________ x′ = ____________ event S = ________________________________________<br>'
        "Pr[M(x) ∈ S] = ____________ e<sup>ε</sup> Pr[M(x′) ∈ S] + δ = ____________<br>"
        "The most likely mistake, and the numbers that speak for it: ______________________________________________</p>")


def refutation(box, ratio=None):
    """(excess, x, x', event): where the promise of a box fails most, exactly. Not above 0 where it is kept."""
    ratio = Fraction(box["ratio"]) if ratio is None else ratio
    laws = {tuple(map(int, data.split(","))): {y: Fraction(p) for y, p in law.items()} for data, law in box["pmf"].items()}
    found = []
    for x, y in neighbours(laws, box["records"]):
        gains = {output: p - ratio * laws[y].get(output, 0) for output, p in laws[x].items()}
        event = [output for output, gain in gains.items() if gain > 0]
        found.append((sum((gains[output] for output in event), -Fraction(box["delta"])), x, y, event))
    return max(found, key=lambda one: one[0])


def neighbours(data_sets, records):
    for x, (place, record) in product(data_sets, product(range(len(next(iter(data_sets)))), records)):
        if record != x[place]:
            yield x, (*x[:place], record, *x[place + 1:])


def marking(assignment, student, box):
    """What the marker of a sheet reads."""
    excess, x, y, event = refutation(box)
    fact = assignment.boxes.for_the_marker(student).partition("\n")[0]
    return (f"<h2>{html.escape(student)}</h2><p>{html.escape(fact)}</p><p>The promise fails by {printed(excess)} {where(x, y, event)}. Any "
            "pair and event that fail are right.</p><p>2 points: neighbours and an event that refute the promise. 1 point: both sides, to "
            "two digits. 1 point: the mistake, or another one that gives this table, with numbers.</p>")


def where(x, y, event):
    return f"for x = {x}, x′ = {y} and S = {{{'; '.join(event)}}}"


def write_boxes(folder, addresses, out):
    assignment = course.load(Path(folder) / "autograder")
    students = [line.strip() for line in Path(addresses).read_text(encoding="utf-8").splitlines() if line.strip()]
    own = {student: assignment.boxes.box(assignment.boxes.variant_of(student)) for student in students}
    course.write(Path(out) / "boxes.html", page("Break it", [sheet(*one) for one in own.items()]))
    course.write(Path(out) / "marking.html", page("Break it: for the marker", [marking(assignment, *one) for one in own.items()]))


# --- questions for the board -----------------------------------------------------------------------------------------
SWAPS = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
         ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}


def functions(source):
    """The functions that a cell defines; none of a cell that is not Python."""
    try:
        return [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    except SyntaxError:
        return []


def body(function):
    """The lines of a function below its docstring, as Python writes them."""
    bare = function.body[1:] if ast.get_docstring(function) else function.body
    return [line for statement in bare for line in ast.unparse(statement).splitlines()]


def lines(sources):
    """(function, line) for the longer half of the lines of the student's own functions."""
    every = [(function.name, line.strip()) for source in sources for function in functions(source) for line in body(function)]
    return sorted(every, key=lambda one: len(one[1]))[len(every) // 2:]


def changes(sources):
    """(function, line, the line changed, the cell, the cell changed): one operator is another one."""
    for source in sources:
        for function in functions(source):
            before = body(function)
            for node in (node for statement in function.body for node in ast.walk(statement)):
                operator = node.ops[0] if isinstance(node, ast.Compare) else getattr(node, "op", None)
                if type(operator) in SWAPS:
                    other = SWAPS[type(operator)]()
                    swap(node, other)
                    after, changed = body(function), ast.unparse(function)
                    swap(node, operator)
                    old, new = next((old.strip(), new.strip()) for old, new in zip(before, after) if old != new)
                    yield function.name, old, new, source, f"{source}\n\n{changed}\n"


def swap(node, operator):
    if isinstance(node, ast.Compare):
        node.ops[0] = operator
    else:
        node.op = operator


def lost(assignment, notebook, student, change, before):
    """The checks that a submission loses by a change, with what they say."""
    _, _, _, old, new = change
    content = json.loads(Path(notebook).read_bytes())
    for cell in content["cells"]:
        if "".join(cell["source"]) == old:
            cell["source"] = new
    with tempfile.TemporaryDirectory() as folder:
        changed = Path(folder) / "changed.ipynb"
        changed.write_text(json.dumps(content))
        after = grading.grade(assignment, changed, student)
    pairs = zip(before["tests"], after["tests"])
    return [f"{new['name']}: {new['output']}" for old, new in pairs if new.get("score", 0) < old.get("score", 0)]


def own_cells(notebook, handed_out):
    """The code cells of a submission that are not as they were handed out."""
    given = set(grading.read(handed_out)[0])
    return [source for source in grading.read(notebook)[0] if source not in given]


def about_the_box(box):
    """The question about the student's variant: would a promise of twice ε be kept?"""
    ratio = Fraction(box["ratio"]) ** 2
    excess, x, y, event = refutation(box, ratio)
    answer = "Yes, on every pair and event." if excess <= 0 else f"No: it fails by {printed(excess)} {where(x, y, event)}."
    return (f"Your box: {box['story']} Name the pair and the event that refute it, and say where in the table you found them. Would "
            f"it keep twice the ε that it promises, that is e^ε = {ratio} (about {printed(ratio)}), at the same δ?", answer)


def about_a_line(sources, rng):
    """What a line is for; only a conversation can tell whether the student knows."""
    name, line = rng.choice(lines(sources))
    return (f"A line of your `{name}`:\n\n    {line}\n\nWhat is it for? Which quantity of the question does it stand for, and what would "
            "be wrong without it?", "In the student's own words. Ask for the value of the line on the example of the notebook.")


def about_a_change(assignment, notebook, student, sources, rng):
    """What changes if an operator is another one; the answer is what the checks then say."""
    before, drawn = grading.grade(assignment, notebook, student), list(changes(sources))
    rng.shuffle(drawn)
    for change in drawn[:TRIES]:
        name, old, new, *_ = change
        if said := lost(assignment, notebook, student, change, before):
            return (f"In your `{name}` this line\n\n    {old}\n\nbecomes\n\n    {new}\n\nFor which inputs does the result change, in which "
                    "direction, and is the release still private?", "These checks then fail. " + " ".join(said))
    return None


def questions(assignment, folder, notebook):
    """The three questions for one submission, with their answers: the same ones whenever they are drawn."""
    student, rng = notebook.stem, random.Random(derived(assignment.KEY, f"board {notebook.stem}"))
    sources = own_cells(notebook, next((Path(folder) / "student").glob("*.ipynb")))
    asked = [about_the_box(assignment.boxes.box(assignment.boxes.variant_of(student)))]
    if lines(sources):
        asked += [about_a_line(sources, rng), about_a_change(assignment, notebook, student, sources, rng)]
    return list(filter(None, asked))


def interview(student, asked):
    """The examiner's sheet."""
    items = "".join(f"<li><pre>{html.escape(question)}</pre><p><b>Answer.</b> {html.escape(answer)}</p><p>Points (0 to 4): ____</p></li>"
                    for question, answer in asked)
    short = "" if len(asked) == 3 else "<p>There is too little code of their own for three questions: ask from the exam instead.</p>"
    return f"<h2>{html.escape(student)}</h2><ol>{items}</ol>{short}"


def write_board(folder, submissions, out):
    if reason := course.refusal("bwrap"):
        sys.exit(f"No questions were drawn: submitted code runs only under bubblewrap 0.7 or later, and here {reason}")
    assignment = course.load(Path(folder) / "autograder")
    sections = [interview(notebook.stem, questions(assignment, folder, notebook)) for notebook in sorted(Path(submissions).glob("*.ipynb"))]
    course.write(Path(out) / "board.html", page("Questions at the board", sections))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["boxes", folder, addresses, out]:
            write_boxes(folder, addresses, out)
        case ["board", folder, submissions, out]:
            write_board(folder, submissions, out)
        case _:
            sys.exit(__doc__)
