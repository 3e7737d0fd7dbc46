"""Anonymous forms for what is marked by hand: one a question and round, with its rubric, filled in by whoever marks it.

A form has a code in place of each name, another one for every question, and the answers in the order of these codes. All that
comes from a student is quoted, so that no answer can pass for a mark. A form that exists is never written again; several people
can fill in several forms at once.
"""

import base64
import hashlib
import re
from collections import namedtuple
from decimal import Decimal

import course
import grading
from term_submissions import graded_in, rounds

HEAD = """# {question} of {name}, round {number}: {worth} points

For each answer below write the points for each part of the rubric between its plus signs, as in `marks (1 + 2): 1 + 0.5`, and what
the student should read after `comment:`, in as many lines as you like. Leave all other lines as they are.

{rubric}
"""
ENTRY = """
## {code}

{quoted}

marks ({parts}):
comment:
"""
SECTION = re.compile(r"^## ([A-Z2-7]{8})$", re.M)
FILLED = re.compile(r"^marks \(.*?\):(?P<marks>.*)\n+comment:(?P<comment>(?:.|\n)*)", re.M)

Mark = namedtuple("Mark", "points comment")


def code(key, question, number, address):
    """Nobody without the key can tell whose it is, nor which codes of two questions belong together."""
    digest = hashlib.blake2b(f"{question} {number} {address}".encode(), key=key.encode(), digest_size=5).digest()
    return base64.b32encode(digest).decode()


def parts(rubric):
    """The points of each part of a rubric."""
    return [int(points) for points in re.findall(r"^\* (\d+) points?:", rubric, re.M)]


def form_of(term, name, question, number):
    return term.folder / name / "forms" / f"{question}-{number}.md"


def codes(assignment, question, number, place):
    """{code: address} of a round, in the order of the codes."""
    addresses = [file.stem for file in sorted((place / "graded" / "results").glob("*.json"))]
    return dict(sorted((code(assignment.KEY, question, number, address), address) for address in addresses))


# --- write -----------------------------------------------------------------------------------------------------------
def without_name(text, address, name):
    """What a student wrote, without address and name as the roster has them."""
    turned = " ".join(part.strip() for part in reversed(name.split(",")))
    return re.sub("|".join(re.escape(said) for said in (address, name, turned) if said), "(the student)", text, flags=re.I)


def quoted(text):
    """Every line with a mark in front, however it is separated from the one before."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def form(term, name, assignment, question, number, place):
    rubric, entries = assignment.rubric[question], []
    for its_code, address in codes(assignment, question, number, place).items():
        sheet = (place / "graded" / "written" / question / f"{address}.md").read_text(encoding="utf-8")
        name_known = term.roster[address]["name"] if address in term.roster else ""
        answer = without_name(sheet.partition(rubric)[2].strip().removeprefix("---").strip(), address, name_known)
        entries.append(ENTRY.format(code=its_code, quoted=quoted(answer), parts=" + ".join(map(str, parts(rubric)))))
    worth = grading.worth(rubric)
    return HEAD.format(question=question, name=name, number=number, worth=worth, rubric=rubric) + "".join(entries)


def forms(term, name):
    """Write the forms that do not exist yet. Returns whether all forms that there are have been filled in."""
    assignment = course.load(term.built(name) / "autograder")
    for number, place in rounds(term.folder / name).items():
        for question in assignment.rubric:
            file = form_of(term, name, question, number)
            if not file.exists() and any((place / "graded").glob("results/*")):
                text = form(term, name, assignment, question, number, place)
                file.parent.mkdir(exist_ok=True)
                with open(file, "x", encoding="utf-8") as new:
                    new.write(text)
                print(f"{file} is new")
    _, problems = marks(term, name, assignment)
    for _, problem in problems:
        print(problem)
    return not problems


# --- read back -------------------------------------------------------------------------------------------------------
def mark(body, rubric):
    """(Mark, None) of a section of a form that is filled in, else (None, what is wrong)."""
    filled, most = FILLED.search(body), parts(rubric)
    if filled is None:
        return None, "has lost its line of marks or of the comment"
    if not (said := filled["marks"].strip()):
        return None, "is not marked yet"
    given = [part.strip() for part in said.split("+")]
    if len(given) != len(most) or not all(re.fullmatch(r"\d+(\.\d+)?", part) for part in given):
        return None, f"has marks {said!r}, not one number for each part of ({' + '.join(map(str, most))})"
    points = [Decimal(part) for part in given]
    if any(earned > worth for earned, worth in zip(points, most)):
        return None, f"has marks {said!r}, more than its rubric gives: ({' + '.join(map(str, most))})"
    return Mark(sum(points), filled["comment"].strip()), None


def marks_in(file, rubric, known):
    """{code: (Mark, None) or (None, what is wrong)} of a form, and its codes that are nobody's or stand there twice."""
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    found = SECTION.split(text)[1:]
    sections, wrong = {}, []
    for its_code, body in zip(found[::2], found[1::2]):
        if its_code not in known:
            wrong.append((None, f"{file.name}: {its_code} is a code of nobody"))
        elif its_code in sections:
            sections[its_code] = None, "stands there twice"
        else:
            sections[its_code] = mark(body, rubric)
    return {its_code: sections.get(its_code, (None, "is missing from its form")) for its_code in known}, wrong


def marks(term, name, assignment):
    """({(address, question): Mark}, [(address or None, problem)]) of all forms, for the submissions that count now."""
    given, problems, folder = {}, [], term.folder / name
    for number, place in rounds(folder).items():
        for question, rubric in assignment.rubric.items():
            file, known = form_of(term, name, question, number), codes(assignment, question, number, place)
            sections, wrong = marks_in(file, rubric, known)
            problems += wrong
            for its_code, (its_mark, problem) in sections.items():
                if graded_in(folder, known[its_code]) != number:
                    continue                                        # another submission counts now
                given[known[its_code], question] = its_mark
                if problem:
                    problems.append((known[its_code], f"{file.name}: {its_code} {problem}"))
    return given, problems
