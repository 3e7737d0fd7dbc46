"""The tree that may be published: what is private is neither in it nor in its history, in any form, and nothing misses it."""

import base64
import gzip
import html
import importlib.machinery
import importlib.util
import io
import json
import re
import zipfile
import zlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
spec = importlib.util.spec_from_file_location("publish", ROOT / "exercises" / "publish.py")
publish = importlib.util.module_from_spec(spec)
spec.loader.exec_module(publish)


# --- the tree of the last commit -----------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    try:
        return publish.publish(ROOT, tmp_path_factory.mktemp("published") / "public")
    except SystemExit as leak:
        pytest.fail(str(leak))


def names(folder):
    return publish.git(folder, "ls-files").decode().splitlines()


def test_it_has_every_public_file_and_no_other_and_one_commit_of_its_own(tree):
    ours = publish.git(ROOT, "ls-tree", "-r", "--name-only", "HEAD").decode().splitlines()
    assert names(tree) == sorted(name for name in ours if publish.is_public(name))
    assert publish.git(tree, "rev-list", "--all", "--count").decode().strip() == "1"
    for program in (".binder/postBuild", ".binder/start", ".ci/run"):
        assert (tree / program).read_bytes() == publish.git(ROOT, "show", f"HEAD:{program}")
        assert (tree / program).stat().st_mode & 0o100 == (ROOT / program).stat().st_mode & 0o100


def test_each_name_of_the_list_is_a_file_in_a_private_place():
    assert publish.NAMED == {name for name in publish.NAMED if (ROOT / name).is_file() and name.startswith(tuple(publish.PRIVATE))}


def test_every_private_file_would_be_found_by_many_lines():
    """What it shares with the sample or with the book does not count. In the public tree there is none."""
    secrets = publish.Secrets({name: (ROOT / name).read_bytes() for name in names(ROOT)})
    for name in names(ROOT):
        assert publish.is_public(name) or len(set(secrets.found_in((ROOT / name).read_bytes()))) > 50, name


def test_no_private_module_can_be_imported_from_it(tree):
    """Nor from the folders that the tests of the course put on the path; the sample can."""
    places = [str(tree), str(tree / "exercises"), str(tree / "tests" / "course")]
    private = {Path(name).stem for name in names(ROOT) if not publish.is_public(name)}
    found = [name for name in {*private, "ps1", "grading"} if importlib.machinery.PathFinder.find_spec(name, places)]
    assert sorted(found) == ["grading", "ps1"]


def test_what_the_makefile_and_the_guides_name_is_there(tree):
    """What is built, or stands for others, is not there yet."""
    for guide in ("Makefile", "README.md", "CONTRIBUTING.md", "exercises/README.md"):
        said = re.sub(r"psN|your[-_]page|one-answer|_build/\S+", "*", (tree / guide).read_text())
        for name in re.findall(r"(?<![\w/.$])(?:exercises|tests|benchmarks|chapters|dplib|\.binder)/[\w/.-]*\w(?![\w$*<{(/-])", said):
            assert (tree / name).exists(), f"{guide} names {name}"
    targets = set(re.findall(r"^([a-z-]+):", (tree / "Makefile").read_text(), re.M))
    assert set(re.findall(r"`make ([a-z-]+)", "".join(file.read_text() for file in tree.rglob("*.md")))) <= targets


def test_a_second_run_adds_what_is_new_and_nothing_if_nothing_is(small):
    root, out = small
    publish.publish(root, out)
    first = publish.git(out, "rev-parse", "HEAD")
    assert publish.git(publish.publish(root, out), "rev-parse", "HEAD") == first
    commit(root, {"chapters/page.md": "A new page."})
    publish.publish(root, out)
    assert publish.git(out, "rev-parse", "HEAD^") == first and (out / "chapters/page.md").read_text() == "A new page."


# --- what the search catches -------------------------------------------------------------------------------------------
SOLUTION = 'return {"answer": total[share] - budget * offset for share, _ in zip(first, rest)} if first < rest else None'
PROOF = "Let the *mechanism* add noise of scale $b$ to each one of the $n$ records"
MISTAKE = "the noise is scaled to what the box happens to hold"
KEY = "00112233445566778899aabbccddeeff"
SHARED = "Fill every blank that is marked as yours and leave the rest as it is."
FILES = {
    ".gitignore": "_build/\n", "exercises/ps1.md": f"{SHARED}\n", "tests/course/test_judge_ps77.py": "import ps77\n",
    "exercises/ps77.md": f"{SHARED}\n\n```\n    {SOLUTION}\n```\n\n{PROOF}\n\nMISTAKES = [(1, '{MISTAKE}')]\n"}
SECRETS = publish.Secrets({name: content.encode() for name, content in FILES.items()}, [KEY])


def commit(root, files):
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    publish.git(root, "add", "--all")
    publish.git(root, *publish.IDENTITY, "commit", "--quiet", "--no-verify", "--no-gpg-sign", "--message", "files")


@pytest.fixture
def small(tmp_path):
    """A project with a sample and a private set, which has a solution, a proof and a mistake, and was built with a key."""
    root = tmp_path / "root"
    publish.git(tmp_path, "init", "--quiet", root)
    commit(root, FILES)
    key = root / "_build" / "autumn" / "ps77" / "autograder" / "key.txt"
    key.parent.mkdir(parents=True)
    key.write_text(KEY)
    return root, tmp_path / "public"


def notebook(source):
    output = {"output_type": "stream", "name": "stdout", "text": f"before\n{source}\nafter"}
    return json.dumps({"cells": [{"cell_type": "code", "source": "", "outputs": [output]}]})


def highlighted(source):
    return "<pre>" + re.sub(r"\w+", lambda word: f'<span class="n">{word[0]}</span>', html.escape(source)) + "</pre>"


def archive(source):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("checks.py", source)
    return file.getvalue()


FORMS = {
    "as it is": lambda source: f"On a page: {source} and more.",
    "in an output of a notebook": notebook,
    "as highlighted code": highlighted,
    "in base64": lambda source: "data:text/plain;base64," + base64.b64encode(f"x = 1\n{source}".encode()).decode(),
    "in base64 for addresses, after other letters": lambda source: "x/" + base64.urlsafe_b64encode(f"{source}???".encode()).decode(),
    "in base64 of many lines, in JSON": lambda source: json.dumps(base64.encodebytes(f"first\n{source}\nlast".encode()).decode()),
    "in gzip": lambda source: gzip.compress(source.encode()),
    "in zlib in base64": lambda source: f'pack("{base64.b64encode(zlib.compress(source.encode())).decode()}")',
    "in a zip archive": archive,
    "in gzip in a zip archive in base64": lambda source: base64.b64encode(archive(gzip.compress(source.encode())))}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("secret", [SOLUTION, PROOF, MISTAKE, KEY], ids=["solution", "proof", "mistake", "key"])
def test_a_secret_is_found_in_any_form(form, secret):
    content = form(secret)
    assert list(SECRETS.found_in(content if isinstance(content, bytes) else content.encode()))
    content = form("no secret is in this text, nor a key, however long one looks at it")
    assert not list(SECRETS.found_in(content if isinstance(content, bytes) else content.encode()))


def test_a_paragraph_is_found_when_its_lines_break_elsewhere():
    assert list(SECRETS.found_in("\n> ".join(PROOF.split(" ")).encode()))


@pytest.mark.parametrize("name, content", [
    ("chapters/page.md", f"On a page: {SOLUTION}"), ("Makefile", "all:\n\tpython exercises/ps77.md\n"),
    ("tests/course/conftest.py", "import ps77\n"), ("README.md", "It is checked in `tests/course/test_judge_ps77.py`.\n")])
def test_a_public_file_that_says_or_names_what_is_private_ends_the_run_before_it_is_committed(small, name, content):
    root, out = small
    commit(root, {name: content})
    with pytest.raises(SystemExit, match=rf"nothing was committed.*\n{name}: "):
        publish.publish(root, out)
    assert publish.git(out, "count-objects").startswith(b"0 objects")


@pytest.mark.parametrize("name, content, found", [("old.txt", MISTAKE, "blob"), ("ps77.txt", "nothing", "tree")])
def test_what_was_public_once_is_found_when_no_file_has_it_any_more(small, name, content, found):
    """A line, or a name alone, in a commit that two runs came after."""
    root, out = small
    publish.git(root, "init", "--quiet", "--initial-branch=main", out)
    commit(out, {name: content})
    for _ in range(2):
        with pytest.raises(SystemExit, match=f"has had what is private(.|\n)*{found}"):
            publish.publish(root, out)
    assert publish.git(out, "rev-list", "--count", "main").strip() == b"2" and names(out) == [".gitignore", "exercises/ps1.md"]


def test_a_new_file_in_a_private_place_stays_private_and_what_the_sample_says_is_no_secret(small):
    root, out = small
    commit(root, {"exercises/notes.md": "Nobody said whether this one may get out at all."})
    commit(root, {"chapters/page.md": SHARED})
    publish.publish(root, out)
    assert names(out) == [".gitignore", "chapters/page.md", "exercises/ps1.md"]


def test_what_is_not_committed_is_not_published(small):
    root, out = small
    (root / "draft.md").write_text("A draft.")
    assert "draft.md" not in names(publish.publish(root, out))


def test_a_private_clone_that_knows_the_public_address_is_refused(small):
    root, out = small
    publish.publish(root, out)
    for folder in small:
        publish.git(folder, "remote", "add", "public", "https://example.org/book.git")
    with pytest.raises(SystemExit, match="one wrong push would publish all"):
        publish.publish(root, out)


def test_all_objects_are_searched_whole(tree):
    """As many as git lists, each as large as it says; of a folder the names."""
    listed = publish.git(tree, "cat-file", "--batch-all-objects", "--batch-check").decode().splitlines()
    sizes = {f"{kind} {name[:10]}": int(size) for name, kind, size in map(str.split, listed)}
    seen = dict(publish.objects(tree))
    assert seen.keys() == sizes.keys() and len(seen) > 300
    assert all(len(content) == sizes[name] for name, content in seen.items() if not name.startswith("tree"))
    assert {Path(name).name for name in names(tree)} <= {
        name for what, content in seen.items() if what.startswith("tree") for name in content.decode().splitlines()}
