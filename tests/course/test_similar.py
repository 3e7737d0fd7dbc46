"""The report on similar code: a disguised copy is found, people who solve the same on their own are not, nor what was handed out."""

import csv
import html
import io
import json
import keyword
import os
import re
import subprocess
import sys
import tokenize

import pytest

import ps1
import submissions

SHARE = 0.5


@pytest.fixture(scope="module")
def similar(cannot_test):
    try:
        import similar_code
    except ModuleNotFoundError as missing:
        cannot_test(f"the report on similar code needs copydetect: {missing}")
    return similar_code


def solved(built):
    """The cell of the model solution that counts coins."""
    cells = json.loads((built / "solution" / f"{built.name}.ipynb").read_text())["cells"]
    return next(source for cell in cells if (source := "".join(cell["source"])).startswith("def sample_threshold"))


def disguised(source):
    """The same program with other names for all that it defines, and without comments and blank lines."""
    defined = set(re.findall(r"^\s+(\w+) =|\bfor (\w+) in|\bdef (\w+)|lambda (\w+)", source, re.M))
    names = sorted({name for found in defined for name in found if name and not keyword.iskeyword(name)} - {"sample_threshold"})
    tokens = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            renamed = token.type == tokenize.NAME and token.string in names
            tokens.append((token.type, f"thing{names.index(token.string)}" if renamed else token.string))
    return tokenize.untokenize(tokens)


def hand_in(built, file, source):
    """What was handed out, with one function filled in, or none."""
    notebook = json.loads((built / "student" / f"{built.name}.ipynb").read_text())
    for cell in notebook["cells"]:
        if source and "".join(cell["source"]).startswith("def sample_threshold"):
            cell["source"] = source
    file.write_text(json.dumps(notebook))


@pytest.fixture(scope="module")
def classroom(build, tmp_path_factory):
    """Two who solve it, each in a way of their own, one who copies with care, and two who hand in what they got."""
    folder, built = tmp_path_factory.mktemp("similar"), build("ps1")
    other_way = next(s for s in ps1.WRONG if any(begins.startswith("def sample_threshold") for begins in s.cells))
    answers = {"ada": solved(built), "bob": next(iter(other_way.cells.values())), "eve": disguised(solved(built)), "idle": None, "idler": None}
    for name, source in answers.items():
        hand_in(built, folder / f"{name}.ipynb", source)
    (folder / "empty.ipynb").write_bytes(b"")
    return folder


def test_a_disguised_copy_is_the_one_pair_that_is_found(similar, build, classroom, tmp_path):
    found = similar.report(build("ps1"), classroom, tmp_path, SHARE)
    assert [set(pair[1:3]) for pair in found] == [{"ada", "eve"}] and found[0][0] > 0.9
    table = list(csv.reader((tmp_path / "similar.csv").read_text().splitlines()))
    assert table[0] == ["share", "of", "in"] and len(table) == 2 and set(table[1][1:]) == {"ada", "eve"}
    everything = similar.report(build("ps1"), classroom, tmp_path, 0)
    assert {name for pair in everything for name in pair[1:3]} == {"ada", "bob", "eve"}      # the idle have nothing of their own
    assert max(pair[0] for pair in everything if "bob" in pair[1:3]) < SHARE


def test_the_page_shows_both_with_what_is_alike_marked_and_nothing_that_was_handed_out(similar, build, classroom, tmp_path):
    similar.report(build("ps1"), classroom, tmp_path, SHARE)
    page = (tmp_path / "similar.html").read_text()
    both = [html.unescape(side) for side in re.findall(r"<pre>(.*?)</pre>", page, re.S)]
    ours, theirs = (similar.code(classroom / f"{name}.ipynb") for name in ("ada", "eve"))
    assert sorted(re.sub("</?mark>", "", side) for side in both) == sorted([ours, theirs])
    marked = "".join(re.findall(r"<mark>(.*?)</mark>", page, re.S))
    line = max(solved(build("ps1")).splitlines()[3:], key=len).strip()
    assert html.escape(line[:30]) in marked and "hashlib" not in marked and "mechanism_pmf" not in marked


def test_what_many_students_wrote_tells_nothing_about_two_of_them(similar):
    sources = {f"s{n}": "def f(a, b):\n    return [x * a + b for x in range(10)] + [sum(y for y in range(b))]\n" for n in range(similar.MANY + 1)}
    assert similar.pairs(similar.fingerprints(sources, ""), SHARE) == []
    sources.popitem()
    assert len(similar.pairs(similar.fingerprints(sources, ""), SHARE)) == similar.MANY * (similar.MANY - 1) // 2


def test_a_copy_inside_a_longer_program_is_found_and_the_larger_share_is_said(similar):
    short = "def f(a, b):\n    total = sum(x * a + b for x in range(10) if x % 3 == a)\n    return total / (a + b) ** 2\n"
    long = short + "".join(f"\ndef g{n}(x):\n    return [x ** {n}, x // {n + 1}, {n}] * {n}\n" for n in range(1, 30))
    [(share, one, other, *_)] = similar.pairs(similar.fingerprints({"long": long, "short": short}, ""), 0.9)
    assert share > 0.95 and (one, other) == ("short", "long")
    [(share, *_)] = similar.pairs(similar.fingerprints({"other": long.replace("g", "other_name_"), "long": long}, short), 0.9)
    assert share > 0.95                                    # without the short one, which was handed out


def test_what_a_student_writes_is_shown_and_not_run(similar, build, tmp_path):
    """In a page that an instructor opens."""
    source = 'def sample_threshold(*, epsilon, delta, share):\n    return "<script>alert(1)</script><mark>", epsilon * delta / share ** 3\n'
    for name in ("ada", "<b>eve"):
        hand_in(build("ps1"), tmp_path / f"{name}.ipynb", source)
    assert len(similar.report(build("ps1"), tmp_path, tmp_path / "out", SHARE)) == 1
    page = (tmp_path / "out" / "similar.html").read_text()
    assert "<script>" not in page and "&lt;script&gt;alert(1)" in page and "<b>" not in page


def test_a_class_without_a_program_of_its_own_has_no_pairs(similar, build, tmp_path):
    """Nobody handed in anything, or all handed in what they got and what is no notebook."""
    assert similar.report(build("ps1"), tmp_path, tmp_path / "out", 0) == []
    for name in ("idle", "idler"):
        hand_in(build("ps1"), tmp_path / f"{name}.ipynb", None)
    (tmp_path / "text.ipynb").write_text("I could not do it.")
    assert similar.report(build("ps1"), tmp_path, tmp_path / "out", 0) == []
    assert "0 pairs of 3 submissions" in (tmp_path / "out" / "similar.html").read_text()


def test_the_same_files_give_the_same_report_in_every_process(similar, build, classroom, tmp_path):
    """However Python mixes the hashes of texts in a run."""
    program = submissions.ROOT / "exercises" / "similar_code.py"
    for seed in ("1", "2"):
        command = [sys.executable, program, build("ps1"), classroom, tmp_path / seed, "0.2"]
        ran = subprocess.run(command, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True)
        assert ran.stdout == "1 pairs\n"
    assert all((tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes() for name in ("similar.csv", "similar.html"))
