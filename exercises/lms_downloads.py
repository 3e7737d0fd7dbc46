"""Read what a learning platform lets an instructor download: whose each notebook is and when it came in.

A download is a folder or a zip archive, as it came:

    Canvas       <name>[_LATE]_<user>_<attachment>_<file>, and no time
    Moodle       <name>_<participant>_assignsubmission_file[_]/<file>, or with _ in place of the folder. Addresses and times
                 are in the grading worksheet (CSV), which has to lie beside the download
    Gradescope   submission_<number>/<file>, and submission_metadata.yml
    nbgrader     submitted/<user>/<assignment>/<file>, and timestamp.txt

What students handed in is read, never unpacked to a path that they chose. Nothing is left out in silence: whatever cannot be
read comes back with its problem.
"""

import csv
import datetime
import io
import re
import zipfile
from collections import namedtuple
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath

import yaml
from dateutil import parser

from grading import NOTEBOOK_BYTES

Member = namedtuple("Member", "path size read")

CANVAS = re.compile(r"(\w+?)(_LATE)?_(\d+)_\d+_.+")
MOODLE = re.compile(r"(?:^|/)([^/]+?)_(\d+)_assignsubmission_file_?/?[^/]")
GRADESCOPE = re.compile(r"(?:^|/)(submission_\d+)/")


@dataclass(frozen=True)
class Came:
    """One notebook that came in, and either its content or the problem with it."""

    file: str                                           # its path in the downloads
    claims: dict = field(default_factory=dict)          # what the platform says of its owner: address, canvas, idnumber, login, name
    time: datetime.datetime | None = None
    late: bool = False                                  # whether the platform says so
    content: bytes | None = None
    problem: str | None = None


class Ruby(yaml.SafeLoader):
    """YAML as Rails writes it: an object of a class of its own is a mapping here."""


Ruby.add_multi_constructor("!ruby/object:", lambda loader, tag, node: loader.construct_mapping(node, deep=True))


# --- files -----------------------------------------------------------------------------------------------------------
def in_folder(folder):
    files = (file for file in folder.rglob("*") if file.is_file())
    return shown(Member(file.relative_to(folder).as_posix(), file.stat().st_size, file.read_bytes) for file in files)


def in_archive(archive):
    files = (info for info in archive.infolist() if not info.is_dir())
    return shown(Member(info.filename, info.file_size, partial(archive.read, info)) for info in files)


def shown(members):
    """Sorted, and without what is hidden: Jupyter's checkpoints, and the `._` files that a Mac adds to every archive."""
    seen = (m for m in members if not any(part.startswith(".") for part in PurePosixPath(m.path).parts))
    return sorted(seen, key=lambda member: member.path)


def notebooks(member):
    """(path, content, problem) of each notebook in a file: of itself, or of an archive that a student handed in."""
    suffix = PurePosixPath(member.path).suffix.lower()
    if suffix not in (".ipynb", ".zip"):
        return
    if member.size > NOTEBOOK_BYTES:
        yield member.path, None, f"is larger than {NOTEBOOK_BYTES >> 20} MB"
        return
    try:
        content = member.read()
        if suffix == ".ipynb":
            yield member.path, content, None
            return
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for inner in in_archive(archive):
                if inner.path.lower().endswith(".ipynb"):
                    yield from notebooks(Member(f"{member.path}/{inner.path}", inner.size, inner.read))
    except Exception as error:                          # a damaged or an encrypted archive fails in many ways
        yield member.path, None, f"cannot be read ({error})"


def moment(said, zone):
    """A time that a platform wrote, with the zone of the term if it has none of its own; None if there is none."""
    if isinstance(said, dict):                          # of Rails: the same moment in several zones
        said = said["utc"]
    if said in (None, "", "-"):
        return None
    time = said if isinstance(said, datetime.datetime) else parser.parse(str(said))
    return time if time.tzinfo else time.replace(tzinfo=zone)


# --- platforms -------------------------------------------------------------------------------------------------------
class Canvas:
    def __init__(self, members, name, sheets, zone):
        pass

    def owner(self, member):
        if found := CANVAS.fullmatch(PurePosixPath(member.path).name):
            return Came(member.path, {"canvas": found[3], "name": found[1]}, None, bool(found[2]))
        return Came(member.path, problem="does not have a name that Canvas gives, and is of no other platform")


class Moodle:
    def __init__(self, members, name, sheets, zone):
        self.sheets, self.zone = sheets, zone

    def owner(self, member):
        found = MOODLE.search(member.path)
        if not found:
            return Came(member.path, problem="does not have a name that Moodle gives to a file that was handed in")
        claims, row = {"name": found[1]}, self.sheets.get(found[2])
        if row is None:
            return Came(member.path, claims, problem="has no line in a grading worksheet, which says when it came in")
        if row.get("Email address"):
            claims["address"] = row["Email address"]
        time = moment(row.get("Last modified (submission)"), self.zone)
        return Came(member.path, claims, time, problem=None if time else "has no time in the grading worksheet")


class Gradescope:
    def __init__(self, members, name, sheets, zone):
        self.zone = zone
        listed = next(member for member in members if is_metadata(member))
        self.submissions = yaml.load(listed.read(), Ruby)

    def owner(self, member):
        found = GRADESCOPE.search(member.path)
        said = self.submissions.get(found[1]) if found else None
        if said is None:
            return Came(member.path, problem="is not in submission_metadata.yml")
        people = said[":submitters"]
        if len(people) != 1:
            return Came(member.path, problem=f"was handed in by {len(people)} people together")
        person = {key: people[0].get(f":{key}") for key in ("email", "sid", "name")}
        claims = {"address": person["email"], "idnumber": person["sid"], "name": person["name"]}
        time = moment(said.get(":created_at"), self.zone)
        return Came(member.path, {key: str(value) for key, value in claims.items() if value}, time,
                    problem=None if time else "has no time in submission_metadata.yml")


class Nbgrader:
    def __init__(self, members, name, sheets, zone):
        self.name, self.zone = name, zone
        self.stamps = {str(PurePosixPath(m.path).parent): m for m in members if PurePosixPath(m.path).name == "timestamp.txt"}

    def owner(self, member):
        folder = PurePosixPath(member.path).parent
        if folder.name != self.name:                    # the same tree has all other assignments
            return None
        claims, stamp = {"login": folder.parent.name}, self.stamps.get(str(folder))
        if stamp is None:
            return Came(member.path, claims, problem="has no timestamp.txt beside it, which says when it came in")
        return Came(member.path, claims, moment(stamp.read().decode().strip(), self.zone))


def is_metadata(member):
    """Whether this is Gradescope's list, and not a file of the same name in somebody's submission."""
    path = PurePosixPath(member.path)
    return path.name == "submission_metadata.yml" and not re.search(r"_assignsubmission_|submission_\d", str(path.parent))


def platform(members, name):
    """The one that this download is from."""
    if any(map(is_metadata, members)):
        return Gradescope
    if any("_assignsubmission_" in member.path for member in members):
        return Moodle
    if any(PurePosixPath(member.path).parent.name == name for member in members):
        return Nbgrader
    return Canvas


# --- downloads -------------------------------------------------------------------------------------------------------
def worksheets(folder):
    """{participant: row} of Moodle's grading worksheets among the downloads; their first column is `Participant 123`."""
    rows = {}
    for file in sorted(folder.glob("*.csv")):
        with open(file, newline="", encoding="utf-8-sig") as sheet:
            for row in csv.DictReader(sheet):
                if number := re.search(r"\d+$", row.get("Identifier") or ""):
                    rows[number[0]] = row
    return rows


def handed_in(members, name, sheets, zone):
    """Every notebook of one download; and one entry for an owner who handed in something else only."""
    made, without = platform(members, name)(members, name, sheets, zone), {}
    found = set()
    for member in members:
        if is_metadata(member) or PurePosixPath(member.path).name in ("timestamp.txt", "submission_secret.txt"):
            continue
        try:
            came = made.owner(member)
        except Exception as error:                      # a time in another language, a field that is missing
            came = Came(member.path, problem=f"has an owner or a time that cannot be read ({type(error).__name__}: {error})")
        if came is None:
            continue
        who = tuple(came.claims.values()) or member.path
        for path, content, problem in notebooks(member):
            found.add(who)
            yield replace(came, file=path, content=content, problem=came.problem or problem)
        without.setdefault(who, replace(came, problem=came.problem or "is not a notebook, and no notebook came with it"))
    yield from (came for who, came in without.items() if who not in found)


def downloads(folder, name, zone):
    """Every notebook in the downloads of one assignment, in a fixed order."""
    sheets = worksheets(folder) if folder.is_dir() else {}
    for download in sorted(folder.glob("*")):
        if download.suffix == ".csv" or download.name.startswith("."):
            continue
        try:
            if download.is_dir():
                came = list(handed_in(in_folder(download), name, sheets, zone))
            else:
                with zipfile.ZipFile(download) as archive:
                    came = list(handed_in(in_archive(archive), name, sheets, zone))
        except Exception as error:                      # nothing of it is taken rather than a part
            came = [Came("", problem=f"cannot be opened as a download ({type(error).__name__}: {error})")]
        yield from (replace(one, file=str(Path(download.name) / one.file)) for one in sorted(came, key=lambda one: one.file))
