"""A term of a scripted class: files as platforms write them come in, feedback and tables go out, each case as its rule says."""

import csv
import json
import re
import shutil
import subprocess
import sys
from datetime import timedelta
from decimal import Decimal
from types import SimpleNamespace

import pytest

import course
import marking_forms
import scripted_term
import submissions
import term_submissions
import termbook
from scripted_term import DUE, SECOND, SETS
from tests import depth

ONE_EACH = re.compile(r"^marks \((.*?)\):$", re.M)


def table(file):
    return list(csv.reader(file.read_text(encoding="utf-8").splitlines()))


def by_address(file):
    header, *lines = table(file)
    return {line[0]: dict(zip(header, line)) for line in lines}


def fill(form, comment="Clear."):
    """As a marker does who gives one point for the first part of every rubric, in an editor."""
    text = ONE_EACH.sub(lambda line: f"{line[0]} {' + '.join('10000000'[:line[1].count('+') + 1])}", form.read_text())
    form.write_text(re.sub(r"^comment:$", f"comment: {comment}", text, flags=re.M))


def play(folder, built, number):
    """A whole term, with what people decide and mark; and what was to be looked at before anybody decided."""
    students, before = scripted_term.write_term(folder, built, number), {}
    term = termbook.Term(folder)
    for name in SETS:
        assert not termbook.collect(term, name)
        before[name] = table(folder / name / "attention.csv")[1:]
    term_submissions.write_rows(folder / "ps1" / "decisions.csv", term_submissions.DECISIONS, scripted_term.decisions(students))
    for name in SETS:
        termbook.collect(term, name)
        assert termbook.grade(term, name)
        assert not termbook.forms(term, name)
        for form in (folder / name / "forms").glob("*.md"):
            fill(form)
        assert termbook.forms(term, name)
    term_submissions.write_rows(folder / "regrades.csv", termbook.REGRADES, [
        ["ps1", "s00@example.edu", "q4", "1", "6", "the proof is complete"], ["ps1", "s00@example.edu", "q4", "6", "5.5", "but for a case"],
        ["ps1", "s03@example.edu", "q4", "3", "6", "somebody read another sheet"], ["ps1", "s04@example.edu", "q2", "10", "", ""]])
    assert not termbook.totals(term)
    return SimpleNamespace(folder=folder, term=term, students=students, before=before, totals=by_address(folder / "totals.csv"))


@pytest.fixture(scope="module")
def built(build):
    return {name: build(name) for name in SETS}


@pytest.fixture(scope="module")
def played(built, bubblewrap, tmp_path_factory):
    return play(tmp_path_factory.mktemp("term"), built, depth.CLASS())


@pytest.fixture
def copied(played, tmp_path):
    """The same term, to be changed."""
    shutil.copytree(played.folder, tmp_path / "term")
    return termbook.Term(tmp_path / "term")


# --- each case as its rule says ----------------------------------------------------------------------------------------
# Of the twelve, in each set: days late, how many of these are free, and the share of the points that is left. Who is not here has
# handed in nothing (None) or is in doubt. The marker gives one point for each written answer: three, then four.
FIRST = {**dict.fromkeys(range(7), (0, 0, 1)), 1: (1, 1, 1), 7: (2, 2, 1), 9: None, 10: (4, 3, Decimal("0.9")), 11: (0, 0, 1)}
THEN = {**dict.fromkeys((0, 2, 4, 5, 8, 9, 11)), 1: (0, 0, 1), 3: (0, 0, 1), 10: (1, 0, Decimal("0.9"))}
REGRADED = {"s00@example.edu": Decimal("4.5")}
STALE = "s03@example.edu"


def by_computer(folder, address):
    """What course.py gave in the last round."""
    [*_, last] = sorted(folder.glob(f"rounds/*/graded/results/{address}.json"))
    return json.loads(last.read_text())["score"]


def test_every_student_has_the_points_and_the_days_that_the_rules_give(played):
    assert len(played.totals) == len(played.students) == depth.CLASS()
    for s in played.students:
        line = played.totals[s.address]
        for name, rules, by_hand in (("ps1", FIRST, 3), ("ps3", THEN, 4)):
            points, late, free = line[f"{name} points"], line[f"{name} days late"], line[f"{name} free days"]
            if s.place not in rules or (name, s.address) == ("ps1", STALE):
                assert points == "" and line["total"] == "", s
            elif rules[s.place] is None:
                assert (points, late, free) == ("0", "0", "0"), s
            else:
                days, free_days, left = rules[s.place]
                changed = REGRADED.get(s.address, 0) if name == "ps1" else 0
                earned = (by_computer(played.folder / name, s.address) + by_hand + changed) * left
                assert (Decimal(points), late, free) == (earned, str(days), str(free_days)), s


def test_the_version_that_counts_is_the_one_that_is_collected(played, built):
    """The later one of two downloads, and the one of two files that a person chose: both are solved."""
    for s in played.students:
        file = played.folder / "ps1" / "collected" / f"{s.address}.ipynb"
        assert file.exists() == (s.place not in (8, 9))
        if s.place in (2, 7):
            assert file.read_bytes() == scripted_term.notebook(built["ps1"], s.address)
    versions = {address: line["versions"] for address, line in by_address(played.folder / "ps1" / "collected.csv").items()}
    assert {address for address, number in versions.items() if number == "2"} == {s.address for s in played.students if s.place == 7}


REASONS = {1: "Canvas does not say by how much", 2: "one of several notebooks", 6: "name that Moodle gives", 8: "STUDENT = somebody@example.edu",
           9: "cannot be read", 11: "is not a notebook"}


def test_what_does_not_fit_is_named_with_its_reason_and_nothing_else_is(played):
    for s in played.students:
        mine = [reason for file, address, reason in played.before["ps1"] if address == s.address or s.place == 6 and f"by {s.last}/" in file]
        assert len(mine) == (0 if s.place not in REASONS else 2 if s.place == 2 else 1), s
        assert all(REASONS[s.place] in reason for reason in mine)
        second = [reason for _, address, reason in played.before["ps3"] if address == s.address]
        assert [("another set" in r, "is not a notebook" in r) for r in second] == {6: [(True, False)], 7: [(False, True)]}.get(s.place, [])
    assert [reason for file, _, reason in played.before["ps1"] if file == "downloads/broken.zip"][0].startswith("cannot be opened")
    assert len(played.before["ps1"]) == len(played.students) // 12 * 7 + 1


def test_zero_points_have_a_reason_and_doubt_is_no_zero(played):
    for s in played.students:
        line = played.totals[s.address]
        for name in SETS:
            if line[f"{name} points"] == "0":
                assert line[f"{name} status"] == "nothing came in"
            assert line[f"{name} points"] or line[f"{name} status"]
    open_ones = [s.place for s in played.students if not played.totals[s.address]["ps1 points"]]
    assert open_ones == [s.place for s in played.students if s.place == 8 or s.address == "s03@example.edu"]


def test_before_a_file_without_owner_is_settled_nobody_has_zero(copied):
    (copied.folder / "ps1" / "decisions.csv").unlink()
    termbook.collect(copied, "ps1")
    termbook.totals(copied)
    lines = by_address(copied.folder / "totals.csv")
    assert not [a for a, line in lines.items() if line["ps1 points"] == "0"]
    assert lines["s06@example.edu"]["ps1 status"] == "nothing came in, but some files are nobody's yet"


def test_a_late_prediction_does_not_count_and_a_missing_one_is_said(played):
    early = by_address(played.folder / "ps1" / "predictions.csv")
    for s in played.students:
        file = played.folder / "ps1" / "collected" / "predictions" / f"{s.address}.ipynb"
        assert file.exists() == (s.place not in (3, 11))
        assert s.place == 3 or early[s.address]["days late"] == str(int(s.place == 11))
    form = (played.folder / "ps1" / "forms" / "q5-1.md").read_text()
    handed_in = {s.place for s in played.students} - {8, 9}
    assert form.count("(no prediction was handed in)") == len(played.students) // 12 * len(handed_in & {3, 11})


def test_a_notebook_of_another_set_is_not_of_this_one(built):
    handed_out = term_submissions.sources((built["ps1"] / "student" / "ps1.ipynb").read_bytes())
    for edition, name, fits in (("student", "ps1", True), ("solution", "ps1", True), ("student", "ps3", False), ("prediction", "ps1", False)):
        file = built[name] / edition / f"{name}{'-prediction' * (edition == 'prediction')}.ipynb"
        assert term_submissions.is_of(term_submissions.sources(file.read_bytes()), handed_out) == fits


def test_a_set_that_nobody_has_collected_yet_is_in_no_table(copied):
    """And so nobody has zero points in it."""
    (copied.folder / "ps3" / "collected.csv").unlink()
    termbook.totals(copied)
    assert table(copied.folder / "moodle.csv")[0] == ["First name", "Last name", "ID number", "Email address", "ps1"]
    assert "ps3" not in (copied.folder / "totals.csv").read_text() + (copied.folder / "feedback" / "s01@example.edu.md").read_text()


# --- forms ---------------------------------------------------------------------------------------------------------------
def form_codes(played, question):
    return re.findall(r"^## (\w{8})$", (played.folder / "ps1" / "forms" / f"{question}-1.md").read_text(), re.M)


def test_a_form_names_nobody_and_each_question_has_codes_and_an_order_of_its_own(played):
    text = "".join(form.read_text() for name in SETS for form in (played.folder / name / "forms").iterdir())
    for s in played.students:
        assert not {said for said in (s.address, s.login, f"{s.first} {s.last}") if said.lower() in text.lower()}
    assignment = course.load(played.term.built("ps1") / "autograder")
    codes = {q: marking_forms.codes(assignment, q, 1, played.folder / "ps1" / "rounds" / "1") for q in assignment.rubric}
    assert not set(codes["q1"]) & set(codes["q4"]) and all(form_codes(played, q) == list(codes[q]) for q in codes)
    orders = [list(codes[q].values()) for q in codes]
    assert sorted(orders[0]) == sorted(orders[1]) and orders[0] != orders[1] != sorted(orders[1])


def test_what_a_student_writes_is_no_mark(played):
    """Every answer of the class tries: a code, marks and a comment of its own, after line ends of other systems."""
    text = (played.folder / "ps1" / "forms" / "q4-1.md").read_text()
    answers = len(form_codes(played, "q4")) - len(played.students) // 12           # one of a dozen has handed in an empty file
    assert text.count("> ## AAAAAAAA\n> marks (1 + 2): 1 + 2\n") == answers and "\n## AAAAAAAA" not in text
    assignment = course.load(played.term.built("ps1") / "autograder")
    marks, problems = marking_forms.marks(played.term, "ps1", assignment)
    assert not problems and {(mark.points, mark.comment) for mark in marks.values()} == {(1, "Clear.")}


# --- again ---------------------------------------------------------------------------------------------------------------
def snapshot(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_running_everything_again_changes_no_file(copied):
    before = snapshot(copied.folder)
    for name in SETS:
        termbook.collect(copied, name)
        assert termbook.grade(copied, name) and termbook.forms(copied, name)
    termbook.totals(copied)
    assert snapshot(copied.folder) == before


def test_collecting_the_same_files_elsewhere_gives_the_same(played, built, tmp_path):
    scripted_term.write_term(tmp_path, built, depth.CLASS())
    shutil.copy(played.folder / "ps1" / "decisions.csv", tmp_path / "ps1")
    for name in SETS:
        termbook.collect(termbook.Term(tmp_path), name)
    ours = snapshot(tmp_path)
    assert len(ours) > 50 and {file: played.folder.joinpath(file).read_bytes() for file in ours} == ours


def test_a_new_version_after_marking_gets_a_round_and_forms_of_its_own(copied, built):
    """Marks of the old one stay in their form and no longer count; nobody else is graded again."""
    ada, folder = scripted_term.Student(0), copied.folder / "ps1"
    forms = snapshot(folder / "forms")
    late = scripted_term.archive({scripted_term.canvas_name(ada, "ps1-1.ipynb", late=True): scripted_term.notebook(
        built["ps1"], ada.address, "student")})
    (folder / "downloads" / "canvas-later.zip").write_bytes(late)
    assert not termbook.collect(copied, "ps1")
    made = scripted_term.decisions([]) + [[f"downloads/canvas-later.zip/{scripted_term.canvas_name(ada, 'ps1-1.ipynb', late=True)}",
                                          ada.address, f"{DUE['ps1'] + timedelta(hours=30)}", "seen in the platform"]]
    with open(folder / "decisions.csv", "a", newline="") as file:
        csv.writer(file).writerows(made[1:])
    termbook.collect(copied, "ps1")
    assert termbook.grade(copied, "ps1") and not termbook.forms(copied, "ps1")
    assert [file.name for file in (folder / "rounds" / "2" / "submissions").glob("*.ipynb")] == [f"{ada.address}.ipynb"]
    termbook.totals(copied)
    assert "q4-2.md" in by_address(copied.folder / "totals.csv")[ada.address]["ps1 status"]
    for form in (folder / "forms").glob("*-2.md"):
        fill(form)
    (copied.folder / "regrades.csv").unlink()
    termbook.totals(copied)
    line = by_address(copied.folder / "totals.csv")[ada.address]
    assert (line["ps1 automatic"], line["ps1 points"], line["ps1 days late"], line["ps1 free days"]) == ("0", "3", "2", "2")
    assert forms.items() <= snapshot(folder / "forms").items() and len(list((folder / "forms").iterdir())) == 2 * len(forms)
    old = folder / "forms" / "q1-1.md"
    old.write_text(old.read_text().replace("): 1", "):"))
    termbook.totals(copied)
    lines = by_address(copied.folder / "totals.csv")
    assert lines[ada.address]["ps1 points"] == "3" and "q1-1.md" in lines["s04@example.edu"]["ps1 status"]


def test_what_a_fault_of_ours_kept_from_a_result_is_graded_again_and_has_no_points_until_then(copied):
    result = copied.folder / "ps1" / "rounds" / "1" / "graded" / "results" / "s04@example.edu.json"
    result.unlink()
    termbook.totals(copied)
    line = by_address(copied.folder / "totals.csv")["s04@example.edu"]
    assert line["ps1 points"] == "" and line["ps1 status"] == "has not been graded"
    assert termbook.grade(copied, "ps1")
    assert [file.stem for file in (copied.folder / "ps1" / "rounds" / "2" / "graded" / "results").iterdir()] == ["s04@example.edu"]


def test_a_round_that_was_interrupted_is_done_again(copied, monkeypatch):
    """Whatever it has left behind; and a round in which nobody got a result needs no forms."""
    folder = copied.folder / "ps1"
    (folder / "rounds" / "1" / "graded" / "results" / "s05@example.edu.json").unlink()
    (folder / "rounds" / "2" / "unfinished" / "results").mkdir(parents=True)
    assert termbook.grade(copied, "ps1") and list(term_submissions.rounds(folder)) == [1, 2]
    (folder / "rounds" / "2" / "graded" / "results" / "s05@example.edu.json").unlink()
    monkeypatch.setattr(course, "attempt", lambda *anything: course.sandbox.Fault("the machine was out of memory"))
    assert not termbook.grade(copied, "ps1") and list(term_submissions.rounds(folder)) == [1, 2, 3]
    before = set((folder / "forms").iterdir())
    termbook.forms(copied, "ps1")
    assert set((folder / "forms").iterdir()) == before


# --- what goes out ---------------------------------------------------------------------------------------------------------
def test_canvas_and_moodle_get_the_columns_that_they_ask_for(played):
    header, worth, *lines = table(played.folder / "canvas.csv")
    assert header == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Problem set 1 (4001)", "Problem set 3 (4003)"]
    assert worth == ["    Points Possible", "", "", "", "", "30", "30"]
    moodle = table(played.folder / "moodle.csv")
    assert moodle[0] == ["First name", "Last name", "ID number", "Email address", "ps1", "ps3"]
    for s, canvas, row in zip(played.students, lines, moodle[1:], strict=True):
        points = [played.totals[s.address][f"{name} points"] for name in SETS]
        assert canvas == [f"{s.last}, {s.first}", f"{7000 + s.number}", f"SIS{s.number}", s.login, f"group {s.number % 2}", *points]
        assert row == [s.first, s.last, f"M{s.number}", s.address, *points]


def test_feedback_is_one_file_a_student_with_checks_comments_and_regrades_and_tells_of_nobody_else(played):
    files = {file.stem: file.read_text() for file in (played.folder / "feedback").iterdir()}
    assert files.keys() == set(played.term.roster)
    assert f"{played.totals['s00@example.edu']['ps1 points']} of 30 points" in files["s00@example.edu"]
    assert "1 -> 6, because: the proof is complete" in files["s00@example.edu"]
    assert "asked for, not decided yet" in files["s04@example.edu"]
    assert "days late: 4, of these free: 3" in files["s10@example.edu"]
    assert files["s08@example.edu"].startswith("# ps1\n\nThis is not complete yet")
    for address, text in files.items():
        assert not [other for other in played.term.roster if other != address and other in text]
        if address in ("s01@example.edu", "s04@example.edu"):
            graded = played.folder / "ps1" / "rounds" / "1" / "graded" / "feedback" / f"{address}.md"
            assert text.count("Clear.") == (7 if int(address[1:3]) in SECOND else 3) and graded.read_text() in text


# --- rules and commands ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("question, was, now, why", [
    ("q4", "1", "6.5", "more than it is worth"), ("q9", "1", "2", "no such question"), ("q4", "1", "two", "no number"), ("q4", "1", "2", "")])
def test_a_regrade_that_does_not_fit_leaves_no_points_and_says_why(copied, question, was, now, why):
    term_submissions.write_rows(copied.folder / "regrades.csv", termbook.REGRADES, [["ps1", "s00@example.edu", question, was, now, why]])
    termbook.totals(copied)
    line = by_address(copied.folder / "totals.csv")["s00@example.edu"]
    assert line["ps1 points"] == "" and line["ps1 status"].startswith(f"regrade of {question}")


def test_a_decision_about_a_late_file_of_canvas_has_to_give_its_time(copied):
    file, late = copied.folder / "ps1" / "decisions.csv", (DUE["ps1"] + timedelta(hours=2)).strftime("%Y-%m-%d %H:%M")
    assert late in file.read_text()
    file.write_text(file.read_text().replace(late, ""))
    assert not termbook.collect(copied, "ps1")
    assert ("s01@example.edu", term_submissions.UNTIMED) in {tuple(row[1:]) for row in table(copied.folder / "ps1" / "attention.csv")}


def test_a_late_set_waits_for_the_free_days_of_an_earlier_one_that_is_not_settled(copied, built):
    """Otherwise its points would change when somebody decides about the earlier one; a set that is in time does not wait."""
    files = {scripted_term.canvas_name(s, "ps1.ipynb", late=True): scripted_term.notebook(built["ps1"], s.address)
             for s in map(scripted_term.Student, (1, 10))}
    (copied.folder / "ps1" / "downloads" / "canvas-later.zip").write_bytes(scripted_term.archive(files))
    termbook.collect(copied, "ps1")
    termbook.totals(copied)
    lines = by_address(copied.folder / "totals.csv")
    assert lines["s10@example.edu"]["ps3 points"] == "" and "an earlier set that is not settled" in lines["s10@example.edu"]["ps3 status"]
    assert lines["s01@example.edu"]["ps1 points"] == "" and lines["s01@example.edu"]["ps3 points"] != ""


def test_marks_that_are_missing_do_not_give_free_days_back(copied):
    for form in (copied.folder / "ps1" / "forms").glob("q4-*"):
        form.write_text(form.read_text().replace("): 1 + 0 + 0 + 0 + 0", "):"))
    termbook.totals(copied)
    line = by_address(copied.folder / "totals.csv")["s10@example.edu"]
    assert line["ps1 points"] == "" and "is not marked yet" in line["ps1 status"] and line["ps1 free days"] == "3"
    assert line["ps3 free days"] == "0" and line["ps3 status"] == "days late: 1, of these free: 0"


def test_after_the_latest_day_nothing_counts_and_no_free_day_is_spent(copied):
    copied.rules["latest"] = 3
    termbook.totals(copied)
    line = by_address(copied.folder / "totals.csv")["s10@example.edu"]
    assert line["ps1 points"] == "0" and line["ps1 status"] == "days late: 4, and after 3 nothing counts"
    assert line["ps3 points"] == "4" and line["ps3 free days"] == "1"


def test_the_commands_say_what_is_left_to_do(played):
    """As they are run, each in a process of its own."""
    program = submissions.ROOT / "exercises" / "termbook.py"
    ran = subprocess.run([sys.executable, program, "totals", played.folder], capture_output=True, text=True, check=False)
    assert ran.returncode == 1 and "NO POINTS YET s08@example.edu in ps1" in ran.stdout
    assert subprocess.run([sys.executable, program, "forms", played.folder, "ps1"], check=False).returncode == 0
    assert "collect TERM SET" in subprocess.run([sys.executable, program], capture_output=True, text=True, check=False).stderr
