"""The rules of a term, whose each notebook is, which one counts, and the rounds in which they are graded.

A file that cannot be assigned with certainty is not taken: it is listed in attention.csv with the reason, until a person says in
decisions.csv whose it is.
"""

import csv
import datetime
import json
import math
import re
import shutil
import sys
import tomllib
import unicodedata
from collections import defaultdict, namedtuple
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import course
import lms_downloads

RULES = {"timezone": str, "free_late_days": int, "penalty": float, "latest": int, "counts": str, "sets": dict}
SET_RULES = {"built": str, "due": datetime.datetime, "prediction_due": datetime.datetime, "canvas": str}
COUNTS = ("last", "last in time")
ROSTER = ["address", "name", "section", "canvas", "sis", "login", "idnumber"]
DECISIONS = ["file", "address", "time", "why"]
UNTIMED = "is late, and Canvas does not say by how much: give its time"
LONG_AGO = datetime.datetime.min.replace(tzinfo=datetime.UTC)
COLLECTED = ["address", "file", "time", "days late", "versions", "decided"]

# One submission of a student: its file, when it came in (None: Canvas says only whether it was late), its content, and why a
# person decided whose it is.
Version = namedtuple("Version", "file time late content decided")


# --- the term --------------------------------------------------------------------------------------------------------
def rows(file, columns):
    """The rows of a table that a person keeps; none if there is no such file."""
    if not file.exists():
        return []
    with open(file, newline="", encoding="utf-8-sig") as table:
        read = csv.DictReader(table)
        if missing := set(columns) - set(read.fieldnames or []):
            sys.exit(f"{file} has no column {', '.join(sorted(missing))}")
        return [{column: (row[column] or "").strip() for column in columns} for row in read]


def write_rows(file, columns, lines):
    with open(file, "w", newline="", encoding="utf-8") as table:
        csv.writer(table).writerows([columns, *lines])


def checked(rules, types, where):
    if wrong := {key for key in rules.keys() | types.keys() if not isinstance(rules.get(key), types.get(key, ()))}:
        wanted = ", ".join(f"{key} ({types[key].__name__})" for key in types)
        sys.exit(f"{where} is wrong about {', '.join(sorted(wrong))}: it has to say {wanted} and nothing else")


class Term:
    """The rules of a term, its sets in the order in which they are due, and its students by address."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.rules = tomllib.loads((self.folder / "term.toml").read_text(encoding="utf-8"))
        checked(self.rules, RULES, "term.toml")
        for name, rule in self.rules["sets"].items():
            checked(rule, SET_RULES, f"[sets.{name}] of term.toml")
        if self.rules["counts"] not in COUNTS or not 0 <= self.rules["penalty"] <= 1:
            sys.exit(f"term.toml: counts is one of {COUNTS}, and the penalty a share between 0 and 1")
        self.zone = ZoneInfo(self.rules["timezone"])
        self.sets = dict(sorted(self.rules["sets"].items(), key=lambda item: item[1]["due"]))
        students = rows(self.folder / "roster.csv", ROSTER)
        self.roster = {student["address"]: student for student in students}
        if wrong := [a for a in self.roster if not re.fullmatch(r"[^\s/\\@]+@[^\s/\\@]+", a)]:
            sys.exit(f"roster.csv: {wrong[0]!r} is no address")
        if len({a.lower() for a in self.roster}) < len(students):
            sys.exit("roster.csv has an address twice")

    def built(self, name):
        return self.folder / self.sets[name]["built"]

    def due(self, name, which="due"):
        return lms_downloads.moment(self.sets[name][which], self.zone).astimezone(self.zone)

    def days_late(self, name, version, which="due"):
        """Days that have begun since the deadline, by the clock on the wall: a day in which clocks change is one day, too."""
        if version.time is None:
            return int(version.late)
        since = version.time.astimezone(self.zone) - self.due(name, which)          # of one zone, which is thus left out
        return max(0, math.ceil(since / datetime.timedelta(days=1)))


# --- whose is it -----------------------------------------------------------------------------------------------------
def spelled(name):
    """A name as platforms spell it: Canvas leaves letters and digits only, and machines differ in how they write an accent."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFC", name).casefold()))


def names(student):
    """`Last, First` of the roster, as it is and turned round."""
    return {spelled(student["name"]), spelled(" ".join(reversed(student["name"].split(","))))}


def owners(claims, roster):
    """The addresses that a platform's claims may mean: by what is unique if the roster has it, else by name."""
    for key in ("address", "canvas", "idnumber", "login"):
        if key in claims and (found := [a for a, s in roster.items() if s[key].lower() == claims[key].lower()]):
            return found
    return [a for a, student in roster.items() if "name" in claims and spelled(claims["name"]) in names(student)]


def sources(content):
    return ["".join(cell["source"]) for cell in json.loads(content)["cells"]]


def said_to_be(cells):
    """What a notebook gives as STUDENT, in the last place where it does; None if it does not."""
    found = re.findall(r"""^STUDENT *= *["'](.*?)["']""", "\n".join(cells), re.M)
    return found[-1].strip().lower() if found else None


def is_of(cells, handed_out):
    """Whether half of the longer texts that were handed out are still there, but for white space."""
    theirs, texts = {" ".join(cell.split()) for cell in cells}, {" ".join(cell.split()) for cell in handed_out}
    telling = {text for text in texts if len(text) > 60}
    return len(telling & theirs) * 2 >= len(telling)


def placed(came, roster, handed_out, is_prediction):
    """(address, None) if a notebook is certainly a student's, else (the likely address or "", what to look at)."""
    found = owners(came.claims, roster)
    likely = found[0] if len(found) == 1 else ""
    if came.problem:
        return likely, came.problem
    try:
        cells = sources(came.content)
    except Exception as error:
        return likely, f"is not a notebook ({type(error).__name__})"
    student = said_to_be(cells)
    if not found:
        return "", f"is from nobody on the roster ({', '.join(map(str, came.claims.values()))}); STUDENT is {student}"
    if not is_of(cells, handed_out):
        return likely, "has little of the text that was handed out: another set, or another notebook"
    if is_prediction:
        return (likely, None) if likely else ("", f"may be from any of {', '.join(found)}")
    named = [address for address in found if address.lower() == student]     # also decides between two of one name
    if not named:
        return likely, f"says STUDENT = {student}, and comes from {' or '.join(found)}"
    return named[0], UNTIMED if came.late and came.time is None else None


# --- collect ---------------------------------------------------------------------------------------------------------
def decided(term, name):
    """{file: decision} of decisions.csv: whose a file is (nobody's, without an address), and when it came in."""
    decisions = rows(term.folder / name / "decisions.csv", DECISIONS)
    for decision in decisions:
        if decision["address"] and decision["address"] not in term.roster or not decision["why"]:
            sys.exit(f"decisions.csv of {name}: {decision['file']} has no reason, or an address that is not on the roster")
    return {decision["file"]: decision for decision in decisions}


def judged(term, name, folder, edition):
    """(notebook, address, problem, why it was decided) for each one in the downloads of an edition."""
    assignment = name + "-prediction" * (edition == "prediction")
    handed_out = sources((term.built(name) / edition / f"{assignment}.ipynb").read_bytes())
    decisions = decided(term, name)
    for came in lms_downloads.downloads(term.folder / name / folder, assignment, term.zone):
        came = replace(came, file=f"{folder}/{came.file}")
        if came.file not in decisions:
            yield came, *placed(came, term.roster, handed_out, edition == "prediction"), ""
        elif (decision := decisions[came.file])["address"]:
            came = replace(came, time=lms_downloads.moment(decision["time"], term.zone) or came.time)
            problem = UNTIMED if came.late and came.time is None and edition == "student" else None
            yield came, decision["address"], problem if came.content else came.problem, decision["why"]


def versions_of(term, name, folder, edition):
    """({address: versions, the oldest first}, what needs attention); of two notebooks in one download neither is taken."""
    together, versions, attention = defaultdict(set), defaultdict(list), []
    found = list(judged(term, name, folder, edition))
    for came, address, _, _ in found:
        together[came.file.split("/")[1], address].add(came.content)
    for came, address, problem, why in found:
        if not problem and not why and len(together[came.file.split("/")[1], address]) > 1:
            problem = "is one of several notebooks of a student in one download"
        if problem:
            attention.append([came.file, address, problem])
        else:
            versions[address].append(Version(came.file, came.time, came.late, came.content, why))
    return {a: sorted(v, key=lambda one: one.time or LONG_AGO) for a, v in sorted(versions.items())}, attention


def counting(term, name, versions):
    """The version that counts. One that came in too late to count replaces none that was there before."""
    fresh = [v for v in versions if term.days_late(name, v) <= term.rules["latest"]] or versions[:1]
    in_time = [v for v in fresh if not term.days_late(name, v)]
    return (in_time if in_time and term.rules["counts"] == "last in time" else fresh)[-1]


def collect(term, name):
    """Write the notebooks that count, what is known of them, and what needs attention. Returns whether nothing does."""
    folder = term.folder / name
    out = folder / "collected"
    versions, attention = versions_of(term, name, "downloads", "student")
    predictions, more = versions_of(term, name, "predictions", "prediction")
    shutil.rmtree(out, ignore_errors=True)
    (out / "predictions").mkdir(parents=True)
    lines, early = [], []
    for address, all_versions in versions.items():
        one = counting(term, name, all_versions)
        (out / f"{address}.ipynb").write_bytes(one.content)
        lines.append([address, one.file, one.time or "", term.days_late(name, one), len(all_versions), one.decided])
    for address, all_versions in predictions.items():
        late = [term.days_late(name, one, "prediction_due") for one in all_versions]
        if in_time := [one for one, days in zip(all_versions, late) if not days]:
            (out / "predictions" / f"{address}.ipynb").write_bytes(in_time[-1].content)
        one = (in_time or all_versions)[-1]
        early.append([address, one.file, one.time or "", 0 if in_time else late[-1], len(all_versions), one.decided])
    write_rows(folder / "collected.csv", COLLECTED, lines)
    write_rows(folder / "predictions.csv", COLLECTED, early)
    write_rows(folder / "attention.csv", ["file", "address", "reason"], attention + more)
    for file, address, reason in attention + more:
        print(f"ATTENTION {file} {reason}" + f" ({address})" * bool(address))
    print(f"{name}: {len(lines)} of {len(term.roster)} students, {len(attention + more)} files need attention")
    return not attention + more


# --- grade -----------------------------------------------------------------------------------------------------------
def rounds(folder):
    """The rounds of grading that have ended, by number."""
    ended = (graded.parent for graded in folder.glob("rounds/*/graded"))
    return {int(place.name): place for place in sorted(ended, key=lambda place: int(place.name))}


def same(one, other):
    return (one.read_bytes() if one.exists() else None) == (other.read_bytes() if other.exists() else None)


def graded_in(folder, address):
    """The last round that has a result for what counts now of a student: the same notebook, the same prediction; or None."""
    files, now = (f"{address}.ipynb", f"predictions/{address}.ipynb"), folder / "collected"
    fits = [number for number, r in rounds(folder).items()
            if (r / "graded" / "results" / f"{address}.json").exists() and all(same(now / f, r / "submissions" / f) for f in files)]
    return fits[-1] if fits else None


def grade(term, name):
    """A round for all that has no result yet. What a fault of ours kept from one has none, and is tried again each time."""
    folder = term.folder / name
    new = [file for file in sorted((folder / "collected").glob("*.ipynb")) if graded_in(folder, file.stem) is None]
    if not new:
        print(f"{name}: nothing new to grade")
        return True
    place = folder / "rounds" / str(max(rounds(folder), default=0) + 1)
    shutil.rmtree(place, ignore_errors=True)                        # of a round that was interrupted
    (place / "submissions" / "predictions").mkdir(parents=True)
    for file in new:
        shutil.copy(file, place / "submissions")
        if (prediction := folder / "collected" / "predictions" / file.name).exists():
            shutil.copy(prediction, place / "submissions" / "predictions")
    whole = course.grade(term.built(name), place / "submissions", place / "unfinished")
    (place / "unfinished").rename(place / "graded")
    return whole
