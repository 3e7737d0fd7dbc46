"""Run a term: from what the learning platform lets you download to feedback and to tables that it imports.

    python termbook.py collect TERM SET      downloads -> one notebook a student, and attention.csv: what a person has to look at
    python termbook.py grade TERM SET        what was collected and is not graded yet -> the next round, by course.py
    python termbook.py forms TERM SET        anonymous forms for what is marked by hand, and what is missing in them
    python termbook.py totals TERM           marks, late days, regrades -> feedback, totals.csv, canvas.csv, moodle.csv

TERM is a folder with term.toml and roster.csv; termbook.md describes them. Each command may be run again whenever a file has
changed, and writes the same from the same files. What people write, it only reads: downloads, decisions, forms, regrades.
"""

import json
import re
import shutil
import sys
from collections import defaultdict, namedtuple
from decimal import Decimal
from fractions import Fraction

import course
import grading
from marking_forms import forms, marks
from term_submissions import COLLECTED, Term, collect, grade, graded_in, rounds, rows, write_rows

REGRADES = ["set", "address", "question", "was", "now", "why"]
ATTENTION = ["file", "address", "reason"]

# What a student has in a set: points of each question by the computer, by hand and after regrades; days late and how many of
# them were free; the points that count, None as long as something is in doubt; and one sentence of explanation.
Standing = namedtuple("Standing", "automatic by_hand final days free points status")


# --- one set ---------------------------------------------------------------------------------------------------------
class Results:
    """All that is known of one set: what came in, what needs attention, what was graded, marked and asked to be regraded."""

    def __init__(self, term, name):
        self.term, self.name, self.folder = term, name, term.folder / name
        self.assignment = course.load(term.built(name) / "autograder")
        self.collected = {row["address"]: row for row in rows(self.folder / "collected.csv", COLLECTED)}
        self.attention = rows(self.folder / "attention.csv", ATTENTION)
        self.marks, self.problems = marks(term, name, self.assignment)
        self.regrades = [r for r in rows(term.folder / "regrades.csv", REGRADES) if r["set"] == name]
        self.worth = defaultdict(int)
        for check in self.assignment.checks:
            self.worth[check.question] += check.points
        for question, rubric in self.assignment.rubric.items():
            self.worth[question] += grading.worth(rubric)

    def unsettled(self, address):
        """Why it may still change what came in from a student, and when."""
        theirs = [f"{row['file']} {row['reason']}" for row in self.attention if row["address"] == address]
        strays = address not in self.collected and any(not row["address"] for row in self.attention)
        return theirs or ["nothing came in, but some files are nobody's yet"] * strays

    def doubts(self, address):
        """What has to be settled before a student can have points."""
        if address in self.collected and graded_in(self.folder, address) is None:
            return [*self.unsettled(address), "has not been graded"]
        return self.unsettled(address) + [problem for whose, problem in self.problems if whose == address]

    def automatic(self, address):
        place = rounds(self.folder)[graded_in(self.folder, address)]
        result = json.loads((place / "graded" / "results" / f"{address}.json").read_text(encoding="utf-8"))
        points = dict.fromkeys(dict.fromkeys(check.question for check in self.assignment.checks), 0)
        for test in result["tests"]:
            if "score" in test:
                points[test["name"].split(":")[0]] += test["score"]
        return points

    def regraded(self, address, points):
        """(points by question after all regrades, what is wrong with them); each says what it found, so that none applies twice."""
        points, wrong = dict(points), []
        for request in (r for r in self.regrades if r["address"] == address):
            question, was, now = (request[key] for key in ("question", "was", "now"))
            if not now:                                             # nobody has decided yet
                continue
            if question not in points or not all(re.fullmatch(r"\d+(\.\d+)?", said) for said in (was, now)) or not request["why"]:
                wrong.append(f"regrade of {question}: needs a question of this set, two numbers and a reason")
            elif Decimal(was) != points[question] or Decimal(now) > self.worth[question]:
                wrong.append(f"regrade of {question} from {was} to {now}: it has {points[question]} of {self.worth[question]} points")
            else:
                points[question] = Decimal(now)
        return points, wrong

    def standing(self, address, free_left, earlier_settled):
        days, latest = int(self.collected.get(address, {"days late": 0})["days late"]), self.term.rules["latest"]
        free = min(days, free_left) if days <= latest else 0
        waits = ["it is late, and an earlier set that is not settled may use the free days"] * (days > 0 and not earlier_settled)
        if doubts := self.doubts(address) + waits:
            return Standing({}, {}, {}, days, free, None, "; ".join(doubts))
        if address not in self.collected:
            return Standing({}, {}, {}, 0, 0, 0, "nothing came in")
        automatic = self.automatic(address)
        by_hand = {question: self.marks[address, question].points for question in self.assignment.rubric}
        earned = {question: automatic.get(question, 0) + by_hand.get(question, 0) for question in self.worth}
        final, wrong = self.regraded(address, earned)
        factor = max(0, 1 - Fraction(str(self.term.rules["penalty"])) * (days - free)) if days <= latest else 0
        late = f"days late: {days}, " + (f"of these free: {free}" if days <= latest else f"and after {latest} nothing counts")
        points = None if wrong else Fraction(sum(final.values())) * factor
        return Standing(automatic, by_hand, final, days, free, points, "; ".join([late] * bool(days) + wrong))


def standings(term):
    """({set: Results}, {address: {set: Standing}}) of all sets that have been collected; free days go to the sets that are due first."""
    results = {name: Results(term, name) for name in term.sets if (term.folder / name / "collected.csv").exists()}
    all_standings = {}
    for address in term.roster:
        left, settled, theirs = term.rules["free_late_days"], True, {}
        for name, result in results.items():
            theirs[name] = result.standing(address, left, settled)
            left -= theirs[name].free
            settled = settled and not result.unsettled(address)
        all_standings[address] = theirs
    return results, all_standings


# --- what goes out ---------------------------------------------------------------------------------------------------
def shown(points):
    """With two digits at most, and nothing for what is not known."""
    return "" if points is None else f"{float(points):.2f}".rstrip("0").rstrip(".")


def feedback(result, address, standing):
    """What a student reads about one set."""
    lines = [f"# {result.name}: {shown(standing.points)} of {sum(result.worth.values())} points", ""]
    if standing.points is None:
        return f"# {result.name}\n\nThis is not complete yet, and somebody is looking at it.\n"
    if standing.status:
        lines += [f"It is recorded: {standing.status}.", ""]
    if not standing.final:
        return "\n".join(lines)
    place = rounds(result.folder)[graded_in(result.folder, address)]
    lines += ["#" + (place / "graded" / "feedback" / f"{address}.md").read_text(encoding="utf-8"), "## Marked by hand", ""]
    for question, points in standing.by_hand.items():
        comment = result.marks[address, question].comment.replace("\n", "\n  ")
        lines.append(f"* **{question}** ({shown(points)}/{grading.worth(result.assignment.rubric[question])}): {comment or 'no comment'}")
    for request in (r for r in result.regrades if r["address"] == address):
        said = f"{request['was']} -> {request['now']}, because: {request['why']}" if request["now"] else "asked for, not decided yet"
        lines.append(f"* **Regrade of {request['question']}**: {said}")
    return "\n".join(lines) + "\n"


def write_feedback(term, results, all_standings):
    """One file a student, the sets one after another."""
    shutil.rmtree(term.folder / "feedback", ignore_errors=True)
    for address, theirs in all_standings.items():
        text = "\n\n".join(feedback(results[name], address, standing) for name, standing in theirs.items())
        course.write(term.folder / "feedback" / f"{address}.md", text)


def write_totals(term, all_standings):
    columns = ["automatic", "by hand", "regraded", "days late", "free days", "points", "status"]
    lines = []
    for address, theirs in all_standings.items():
        line = [address, term.roster[address]["name"], term.roster[address]["section"]]
        for s in theirs.values():
            parts = [sum(points.values()) for points in (s.automatic, s.by_hand, s.final)]
            line += [*map(shown, parts[:2]), shown(parts[2] - parts[1] - parts[0]), s.days, s.free, shown(s.points), s.status]
        known = [s.points for s in theirs.values()]
        lines.append([*line, shown(None if None in known else sum(known))])
    names = [f"{name} {column}" for name in next(iter(all_standings.values()), ()) for column in columns]
    write_rows(term.folder / "totals.csv", ["address", "name", "section", *names, "total"], lines)


def write_imports(term, results, all_standings):
    """The tables that Canvas and Moodle import. Canvas wants these five columns and a row of what can be earned; Moodle asks which
    column is which. What is not known is left empty."""
    points = {address: [shown(theirs[name].points) for name in results] for address, theirs in all_standings.items()}
    worth = ["    Points Possible", "", "", "", "", *(sum(result.worth.values()) for result in results.values())]
    canvas = [[s["name"], s["canvas"], s["sis"], s["login"], s["section"], *points[a]] for a, s in term.roster.items()]
    titles = [term.sets[name]["canvas"] for name in results]
    write_rows(term.folder / "canvas.csv", ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *titles], [worth, *canvas])
    parted = {a: [part.strip() for part in (s["name"] + ",").split(",")[:2]] for a, s in term.roster.items()}
    moodle = [[parted[a][1], parted[a][0], s["idnumber"], a, *points[a]] for a, s in term.roster.items()]
    write_rows(term.folder / "moodle.csv", ["First name", "Last name", "ID number", "Email address", *results], moodle)


def totals(term):
    """Write all that goes out. Returns whether every student has points in every set that was collected."""
    results, all_standings = standings(term)
    write_feedback(term, results, all_standings)
    write_totals(term, all_standings)
    write_imports(term, results, all_standings)
    open_ones = [(a, name, s.status) for a, theirs in all_standings.items() for name, s in theirs.items() if s.points is None]
    for address, name, status in open_ones:
        print(f"NO POINTS YET {address} in {name}: {status}")
    strays = [problem for result in results.values() for whose, problem in result.problems if whose is None]
    strays += [f"regrades.csv: {r['address']} is not on the roster, or {r['set']} not in the term"
               for r in rows(term.folder / "regrades.csv", REGRADES) if r["address"] not in term.roster or r["set"] not in term.sets]
    print(*strays, sep="\n", end="\n" * bool(strays))
    print(f"{len(term.roster)} students, {len(results)} sets, {len(open_ones)} times no points yet")
    return not open_ones and not strays


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["collect", folder, name]:
            sys.exit(not collect(Term(folder), name))
        case ["grade", folder, name]:
            sys.exit(not grade(Term(folder), name))
        case ["forms", folder, name]:
            sys.exit(not forms(Term(folder), name))
        case ["totals", folder]:
            sys.exit(not totals(Term(folder)))
        case _:
            sys.exit(__doc__)
