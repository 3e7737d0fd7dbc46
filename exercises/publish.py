"""Write the tree that may be published, as a git repository with a history of its own: all but the problem sets for marks.

    python publish.py          from the last commit into _build/public; each run in which something is new adds one commit there

A run ends without a commit if a public file says a distinctive line of a private one, or its name, in any form that our builds
write. Afterwards all objects of the public repository are searched in the same way, so that nothing old is overlooked.
"""

import base64
import collections
import html
import io
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# What is public and what is not. A new file in one of these places is private until it is named below; any other is public.
PRIVATE = {
    "exercises/": "the sources of what is given for marks: solutions, hidden checks, the mistakes that boxes can have",
    "tests/course/": "right and wrong answers to it, and the closed forms that the judges are compared with"}
PUBLIC = {
    "so that an instructor sees what a problem set is like": """
        exercises/README.md exercises/ps1.md tests/course/ps1.py tests/course/test_judge_ps1.py""",
    "they keep no secret but a key, which lies in no commit": """
        exercises/boxes.py exercises/course.py exercises/grading.py exercises/in_person.py exercises/publish.py
        exercises/requirements.txt exercises/sandbox.py exercises/sandboxed.py""",
    "they run on whichever problem sets there are": """
        tests/course/conftest.py tests/course/enumerated.py tests/course/hostile.py tests/course/problem_sets.py
        tests/course/submissions.py tests/course/test_boxes.py tests/course/test_build.py tests/course/test_copies.py
        tests/course/test_faults.py tests/course/test_in_person.py tests/course/test_submissions.py"""}
NAMED = set(" ".join(PUBLIC.values()).split())

FEWEST = 8                                                        # words of a line that tells where it is from
PIECE = re.compile(r"""(?=^(.+)$)|"([^"\n]+)"|'([^'\n]+)'""", re.M)            # a line, and each text in quotes
BASE64 = re.compile(rb"[\w+/-]{40,}(?:\s+[\w+/-]{4,})*", re.A)
ENTRY = re.compile(rb"[0-7]+ ([^\0]+)\0[\0-\xff]{20}")            # of a tree of git: its mode, its name and its hash
IDENTITY = ["-c", "user.name=The contributors", "-c", "user.email=contributors@dplib.invalid"]


def is_public(name):
    return name in NAMED or not name.startswith(tuple(PRIVATE))


def git(folder, *command):
    anybodys = ["-c", "safe.directory=*"]                         # the clone may belong to somebody else
    return subprocess.run(["git", *anybodys, "-C", folder, *command], stdout=subprocess.PIPE, check=True).stdout


# --- what nobody may find --------------------------------------------------------------------------------------------
def words(text):
    """The words of a text, whatever stands between them: line breaks of a paragraph or of JSON, quotes, marks."""
    return re.findall(r"\w+", re.sub(r"\\u([\da-f]{4})", lambda code: chr(int(code[1], 16)), text).replace("\\n", "\n"))


class Secrets:
    """Distinctive lines of private files, these files' names, and keys; `lines` has the lines by their first words."""

    def __init__(self, files, keys=()):
        hidden = {name: content.decode() for name, content in files.items() if not is_public(name)}
        self.keys, self.lines = {key.strip() for key in keys} - {""}, collections.defaultdict(set)
        self.names = {Path(name).stem for name in hidden} - {Path(name).stem for name in files if is_public(name)}
        for piece in PIECE.findall("\n".join(hidden.values())):
            if len(said := tuple(words("".join(piece)))) >= FEWEST and said[0] not in ("import", "from"):
                self.lines[said[:FEWEST]].add(said)
        for name in NAMED & set(files):                                # what all problem sets say, the sample says, too
            for said in list(self.lines_in(words(files[name].decode()))):
                self.lines[said[:FEWEST]].discard(said)

    def lines_in(self, text):
        for start, first in enumerate(zip(*(text[k:] for k in range(FEWEST)))):
            yield from (said for said in self.lines.get(first, ()) if tuple(text[start:start + len(said)]) == said)

    def found_in(self, content):
        """What a file says of all this, in any form; names in plain text only, since noise may spell a short one."""
        for form in forms(content):
            text = words(form)
            yield from (" ".join(said) for said in self.lines_in(text))
            yield from ("a key" for key in self.keys if key in form)
        with suppress(UnicodeDecodeError):
            yield from self.names & set(words(content.decode()))


def forms(content, depth=4):
    """The texts in a file: as it is, a page without its tags, and all that is packed in it, packages in packages too."""
    text = content.decode(errors="replace")
    yield text
    if "</" in text:
        yield html.unescape(re.sub(r"<[^<>]*>", "", text))
    for part in unpacked(content) if depth else ():
        yield from forms(part, depth - 1)


def unpacked(content):
    """What base64, zlib, gzip or a zip archive holds; other letters may stand before the first one of base64."""
    for run in BASE64.findall(content.replace(b"\\n", b"\n")):
        letters = re.sub(rb"\s", b"", run).replace(b"-", b"+").replace(b"_", b"/")
        for start in range(4):
            kept = letters[start:len(letters) - ((len(letters) - start) % 4 == 1)]
            yield base64.b64decode(kept + b"=" * (-len(kept) % 4))
    with suppress(zlib.error):
        yield zlib.decompressobj(47).decompress(content)
    with suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(content)) as archive:
        yield from map(archive.read, archive.namelist())


def objects(repository):
    """(name, content) of all objects of a repository, whether a branch leads to them or not; of a folder the names in it."""
    listed = io.BytesIO(git(repository, "cat-file", "--batch-all-objects", "--batch"))
    while head := listed.readline():
        name, kind, size = head.decode().split()
        content = listed.read(int(size) + 1)[:-1]                 # a line ends behind it
        yield f"{kind} {name[:10]}", b"\n".join(ENTRY.findall(content)) if kind == "tree" else content


def search(secrets, files):
    """One line for each file that says something private."""
    for name, content in files:
        if found := sorted(set(secrets.found_in(content))):
            yield f"{name}: {found[0]}" + f" (and {len(found) - 1} more)" * (len(found) > 1)


# --- what everybody may have -----------------------------------------------------------------------------------------
def remotes(folder):
    return set(re.findall(r"\t(\S+) ", git(folder, "remote", "-v").decode()))


def publish(root, out):
    """Write and commit the public files of the last commit of `root`, or exit and say what must not get out."""
    if not (out / ".git").exists():
        git(root, "init", "--quiet", "--initial-branch=main", out)
    if both := remotes(root) & remotes(out):
        sys.exit(f"one wrong push would publish all of {root}: remove its remote {' '.join(both)}")
    for old in out.iterdir():
        if old.name != ".git":
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    with tarfile.open(fileobj=io.BytesIO(git(root, "archive", "HEAD"))) as archive:
        files = {file.name: archive.extractfile(file).read() for file in archive if file.isfile()}
        archive.extractall(out, [file for file in archive if file.isfile() and is_public(file.name)], filter="data")
    secrets = Secrets(files, (file.read_text() for file in root.glob("_build/*/*/autograder/key.txt")))
    if found := list(search(secrets, ((name, files[name]) for name in files if is_public(name)))):
        sys.exit("\n".join(["nothing was committed, since public files say what is private:", *found]))
    git(out, "add", "--all", "--force")
    if git(out, "status", "--porcelain"):
        git(out, *IDENTITY, "commit", "--quiet", "--no-verify", "--no-gpg-sign", "--message", "Book, package and sample problem set")
    if found := list(search(secrets, objects(out))):
        sys.exit("\n".join([f"{out} has had what is private: see README.md on leaks, and do not push", *found]))
    return out


if __name__ == "__main__":
    print(publish(ROOT, ROOT / "_build" / "public"))
