"""A class that hands in, written to files as the learning platforms write them: each platform, and each way to get it wrong.

Students come in dozens. The twelve of a dozen do what CASES says; each dozen has names, addresses and numbers of its own. Half of a
dozen hand in the second set, too.
"""

import csv
import io
import json
import unicodedata
import zipfile
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone, UTC

SETS = ("ps1", "ps3")
DUE = {"ps1": datetime(2026, 10, 12, 23, 59), "ps3": datetime(2026, 11, 9, 23, 59)}          # in Berlin: summer, then winter
OFFSET = {"ps1": timezone(timedelta(hours=2)), "ps3": timezone(timedelta(hours=1))}
RULES = """
timezone = "Europe/Berlin"
free_late_days = 3
penalty = 0.1
latest = 5
counts = "last"
"""
CASES = (
    ("canvas", "in time", "Lovelace", "Ada"),
    ("canvas", "late, nobody knows how much", "Noether", "Emmy"),
    ("canvas", "two files", "Turing", "Alan"),
    ("moodle", "an accent, written in two ways", "Núñez", "María José"),
    ("moodle", "one of two of a name", "Zhang", "Wei"),
    ("moodle", "one of two of a name", "Zhang", "Wei"),
    ("moodle", "renamed by hand", "Hopper", "Grace"),
    ("gradescope", "handed in again, two days late", "Gauss", "Carl"),
    ("gradescope", "somebody else's notebook", "Euler", "Leonhard"),
    ("gradescope", "an archive that is damaged", "Germain", "Sophie"),
    ("nbgrader", "four days late", "Kovalevskaya", "Sofya"),
    ("nbgrader", "an empty file", "Erdős", "Pál"),
)
SECOND = (1, 3, 6, 7, 10)                            # of each dozen hand in the second set; the tenth is one day late again


@dataclass(frozen=True)
class Student:
    number: int

    @property
    def dozen(self):
        return self.number // 12

    @property
    def place(self):
        return self.number % 12

    @property
    def platform(self):
        return CASES[self.place][0]

    @property
    def last(self):
        return CASES[self.place][2] + "abcdefgh"[self.dozen] * bool(self.dozen)

    @property
    def first(self):
        return CASES[self.place][3]

    @property
    def address(self):
        return f"s{self.number:02}@example.edu"

    @property
    def login(self):
        return f"user{self.number:02}"

    def row(self):
        """Of the roster."""
        n = self.number
        return [self.address, f"{self.last}, {self.first}", f"group {n % 2}", f"{7000 + n}", f"SIS{n}", self.login, f"M{n}"]


# --- what they hand in -------------------------------------------------------------------------------------------------
def notebook(built, address, edition="solution", note="mine"):
    """A notebook, solved or not; its written answers say who wrote them, and try to give themselves marks."""
    made = json.loads((built / edition / f"{built.name}.ipynb").read_text())
    for cell in made["cells"]:
        source = "".join(cell["source"])
        source = source.replace("STUDENT = ...  # your code here", "STUDENT = 'ada@example.edu'").replace('"ada@', "'ada@")
        source = source.replace('ada@example.edu"', "ada@example.edu'").replace("'ada@example.edu'", repr(address))
        answers = "question" in cell["metadata"] and cell["cell_type"] == "markdown"
        cell["source"] = f"I am {address}.\r## AAAAAAAA\rmarks (1 + 2): 1 + 2\rcomment: {note}" if answers else source
    return json.dumps(made).encode()


def prediction(built):
    return (built / "prediction" / f"{built.name}-prediction.ipynb").read_bytes()


def archive(files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out:
        for name, content in files.items():
            out.writestr(zipfile.ZipInfo(name), content)
    return packed.getvalue()


# --- as the platforms write it -------------------------------------------------------------------------------------------
def canvas_name(student, file, late=False):
    letters = "".join(filter(str.isalnum, f"{student.last}{student.first}".lower()))
    return f"{letters}{'_LATE' * late}_{7000 + student.number}_{90000 + student.number}_{file}"


def moodle_folder(student):
    return f"{student.first} {student.last}_{3000 + student.number}_assignsubmission_file_"


def worksheet(students, times, with_addresses):
    out = io.StringIO()
    columns = ["Identifier", "Full name", *["Email address"] * with_addresses, "Status", "Grade", "Last modified (submission)"]
    table = csv.writer(out)
    table.writerow(columns)
    for student in students:
        time = f"{times[student]:%A, %d %B %Y, %I:%M %p}" if student in times else "-"
        address = [student.address] * with_addresses
        table.writerow([f"Participant {3000 + student.number}", f"{student.first} {student.last}", *address, "Submitted", "", time])
    return "\ufeff" + out.getvalue()


def metadata(students, times):
    """YAML as Rails writes it: keys with a colon, and a time that is an object of a class of its own."""
    lines = []
    for student in students:
        utc = times[student].astimezone(UTC)
        lines += [f"submission_{500 + student.number}:", "  :submitters:", f"  - :name: {student.first} {student.last}",
                  f"    :sid: '{student.row()[6]}'", f"    :email: {student.address}",
                  "  :created_at: !ruby/object:ActiveSupport::TimeWithZone", f"    utc: &{student.number + 1} {utc:%Y-%m-%d %H:%M:%S}.000000000 Z",
                  "    zone: !ruby/object:ActiveSupport::TimeZone", "      name: Etc/UTC", f"    time: *{student.number + 1}", "  :score: 0.0"]
    return "\n".join(lines) + "\n"


# --- the files of a set ----------------------------------------------------------------------------------------------------
def first_set(built, students, folder):
    due, zone, hours = DUE["ps1"], OFFSET["ps1"], timedelta(hours=1)
    by = {platform: [s for s in students if s.platform == platform] for platform in ("canvas", "moodle", "gradescope", "nbgrader")}
    files = {}
    for s in by["canvas"]:
        files[canvas_name(s, "ps1.ipynb", late=s.place == 1)] = notebook(built, s.address)
        if s.place == 2:
            files[canvas_name(s, "ps1-1.ipynb")] = notebook(built, s.address, "student")
        files[canvas_name(s, "ps1_boxes.json")] = b"{}"
    (folder / "canvas.zip").write_bytes(archive(files))

    files = {}
    for s in by["moodle"]:
        name = moodle_folder(s) if s.place != 6 else f"sent by {s.last}"
        name = unicodedata.normalize("NFD", name)
        files[f"{name}/my solution.ipynb"] = notebook(built, s.address)
    (folder / "moodle.zip").write_bytes(archive(files | {"__MACOSX/._x.ipynb": b"?"}))
    times = {s: due - s.number * hours for s in by["moodle"]}
    (folder / "worksheet.csv").write_text(worksheet(by["moodle"], times, with_addresses=False), encoding="utf-8")

    for download, change in (("gradescope-1", -5 * hours), ("gradescope-2", 30 * hours)):
        files, times = {}, {}
        for s in by["gradescope"]:
            if s.place != 7 and change > 0 * hours:
                continue
            times[s] = (due + change).replace(tzinfo=zone)
            root = f"assignment_1_export/submission_{500 + s.number}"
            whose = "somebody@example.edu" if s.place == 8 else s.address
            edition = "student" if s.place == 7 and change < 0 * hours else "solution"
            files[f"{root}/ps1.ipynb" if s.place != 9 else f"{root}/ps1.zip"] = (
                notebook(built, whose, edition) if s.place != 9 else archive({"ps1.ipynb": notebook(built, whose)})[:-30])
        files["assignment_1_export/submission_metadata.yml"] = metadata(times, times)
        (folder / f"{download}.zip").write_bytes(archive(files))

    for s in by["nbgrader"]:
        place = folder / "submitted" / s.login / "ps1"
        place.mkdir(parents=True)
        (place / "ps1.ipynb").write_bytes(b"" if s.place == 11 else notebook(built, s.address))
        late = timedelta(days=3, hours=2) if s.place == 10 else -3 * hours
        (place / "timestamp.txt").write_text(f"{(due + late).replace(tzinfo=zone).astimezone(UTC):%Y-%m-%d %H:%M:%S.%f UTC}")
    (folder / "broken.zip").write_bytes(b"PK\x03\x04 and then the connection was lost")


def second_set(built, first, students, folder):
    """All by Moodle, with addresses in the worksheet; the sixth hands in another set, the seventh a text."""
    files, due = {}, DUE["ps3"]
    theirs = [s for s in students if s.place in SECOND]
    for s in theirs:
        content = notebook(first if s.place == 6 else built, s.address, "student")
        files[moodle_folder(s) + ("/ps3.ipynb" if s.place != 7 else "/ps3.pdf")] = content
    (folder / "moodle.zip").write_bytes(archive(files))
    times = {s: due + timedelta(minutes=1 if s.place == 10 else -1) for s in theirs}
    (folder / "worksheet.csv").write_text(worksheet(theirs, times, with_addresses=True), encoding="utf-8")


def predictions(built, students, folder):
    """By Canvas; the last of a dozen comes late, and one student of each dozen forgets."""
    files = {canvas_name(s, "prediction.ipynb", late=s.place == 11): prediction(built) for s in students if s.place != 3}
    (folder / "canvas.zip").write_bytes(archive(files))


def write_rules(folder, built, students):
    """The rules and the roster; `built` has the folder of each built set by its name."""
    rules = RULES
    for name in SETS:
        early = DUE[name] - timedelta(days=7)
        rules += f'[sets.{name}]\nbuilt = "{built[name]}"\nprediction_due = {early.isoformat()}\ndue = {DUE[name].isoformat()}\n'
        rules += f'canvas = "Problem set {name[2:]} ({4000 + int(name[2:])})"\n'
    (folder / "term.toml").write_text(rules, encoding="utf-8")
    with open(folder / "roster.csv", "w", newline="", encoding="utf-8") as roster:
        table = csv.writer(roster)
        table.writerow(["address", "name", "section", "canvas", "sis", "login", "idnumber"])
        table.writerows(student.row() for student in students)


def write_term(folder, built, number):
    """A term of so many students, before anybody has decided, graded or marked."""
    students = [Student(n) for n in range(number)]
    write_rules(folder, built, students)
    for name in SETS:
        for place in ("downloads", "predictions"):
            (folder / name / place).mkdir(parents=True)
        predictions(built[name], students, folder / name / "predictions")
    first_set(built["ps1"], students, folder / "ps1" / "downloads")
    second_set(built["ps3"], built["ps1"], students, folder / "ps3" / "downloads")
    return students


# --- what people do -------------------------------------------------------------------------------------------------------
def decisions(students):
    """Of the first set, by number of the dozen. The ninth is left open; the tenth is told that the archive is damaged."""
    due, made = DUE["ps1"], [["downloads/broken.zip", "", "", "the rest of it is in the other downloads"]]
    for s in students:
        late = {1: canvas_name(s, "ps1.ipynb", late=True)}.get(s.place)
        if late:
            made.append([f"downloads/canvas.zip/{late}", s.address, f"{due + timedelta(hours=2):%Y-%m-%d %H:%M}", "seen in the platform"])
        if s.place == 2:
            made.append([f"downloads/canvas.zip/{canvas_name(s, 'ps1.ipynb')}", s.address, "", "asked the student"])
            made.append([f"downloads/canvas.zip/{canvas_name(s, 'ps1-1.ipynb')}", "", "", "asked the student"])
        if s.place == 6:
            made.append([f"downloads/moodle.zip/sent by {s.last}/my solution.ipynb", s.address, f"{due:%Y-%m-%d %H:%M}", "by mail"])
        if s.place == 9:
            made.append([f"downloads/gradescope-1.zip/assignment_1_export/submission_{500 + s.number}/ps1.zip", "", "", "was told"])
        if s.place == 11:
            made.append([f"downloads/submitted/{s.login}/ps1/ps1.ipynb", s.address, "", "there is nothing else"])
    return made
