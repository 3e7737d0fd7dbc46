"""The parts of a term: marks in a form, the names that platforms give to files, and the rules about time."""

import unicodedata
from datetime import datetime, timedelta
from decimal import Decimal

import pytest

import lms_downloads
import marking_forms
import scripted_term
import term_submissions
from scripted_term import DUE, SETS


@pytest.fixture
def term(tmp_path):
    """Rules and a roster, before anything has come in."""
    scripted_term.write_rules(tmp_path, {name: f"built/{name}" for name in SETS}, [scripted_term.Student(n) for n in range(12)])
    return term_submissions.Term(tmp_path)


# --- forms ---------------------------------------------------------------------------------------------------------------
RUBRIC = "* 2 points: names it.\n* 1 point: shows it.\n"
FORM = "# q1\n\n## ABCDEFGH\n\n> ## ABCDEFGH\n> marks (2 + 1): 2 + 1\n\nmarks (2 + 1): {}\ncomment: {}\n\n## IJKLMNOP\n\n> x\n\nmarks (2 + 1): 2 + 1\ncomment:\n"


@pytest.mark.parametrize("said, points, problem", [
    ("2 + 0.5", Decimal("2.5"), None), ("0+0", 0, None), ("", None, "not marked yet"), ("2", None, "one number for each part"),
    ("3 + 0", None, "more than its rubric gives"), ("2 + 1.5", None, "more than"), ("-1 + 1", None, "one number for each"),
    ("nan + 1", None, "one number"), ("2 + 1 + 1", None, "one number"), ("two + 1", None, "one number")])
def test_marks_are_read_within_the_rubric(tmp_path, said, points, problem):
    file = tmp_path / "q1-1.md"
    file.write_text(FORM.format(said, "first line\n> quoted\nlast line"))
    sections, wrong = marking_forms.marks_in(file, RUBRIC, ["ABCDEFGH", "IJKLMNOP"])
    mark, found = sections["ABCDEFGH"]
    assert not wrong and sections["IJKLMNOP"] == ((3, ""), None)
    if problem:
        assert mark is None and problem in found
    else:
        assert mark == (points, "first line\n> quoted\nlast line") and found is None


def test_a_section_that_is_lost_doubled_or_nobodys_is_said(tmp_path):
    file, known = tmp_path / "q1-1.md", ["ABCDEFGH", "IJKLMNOP"]
    text = FORM.format("1 + 1", "")
    for changed, its_code, problem in [
            (text.split("## IJKLMNOP")[0], "IJKLMNOP", "missing"), (text + text.split("# q1\n")[1], "ABCDEFGH", "twice"),
            (text.replace("marks (2 + 1): 1 + 1\n", ""), "ABCDEFGH", "lost its line")]:
        file.write_text(changed)
        assert problem in marking_forms.marks_in(file, RUBRIC, known)[0][its_code][1]
    file.write_text(text)
    assert "code of nobody" in marking_forms.marks_in(file, RUBRIC, known[:1])[1][0][1]


# --- rules -----------------------------------------------------------------------------------------------------------------
def version(hours):
    """By so many hours after the deadline."""
    time = None if hours is None else DUE["ps1"].replace(tzinfo=scripted_term.OFFSET["ps1"]) + timedelta(hours=hours)
    return term_submissions.Version(f"at {hours}", time, False, b"", "")


@pytest.mark.parametrize("counts, hours, chosen", [
    ("last", [-3, -1], -1), ("last", [-1, 30], 30), ("last", [None, 30], 30), ("last", [-1, 30, 200], 30), ("last", [200, 300], 200),
    ("last in time", [-3, -1, 30], -1), ("last in time", [30, 60], 60), ("last in time", [None, 30], None)])
def test_which_submission_counts(term, counts, hours, chosen):
    term.rules["counts"] = counts
    assert term_submissions.counting(term, "ps1", [version(h) for h in hours]).file == f"at {chosen}"


@pytest.mark.parametrize("hours, days", [(0, 0), (0.01, 1), (24, 1), (24.01, 2), (None, 0)])
def test_a_day_that_has_begun_counts(term, hours, days):
    assert term.days_late("ps1", version(hours)) == days


def test_a_day_in_which_clocks_change_is_one_day(term):
    """From Saturday to Sunday at the same time there are 25 hours in Berlin; by Gradescope's clock as by Moodle's."""
    term.sets["ps1"]["due"] = datetime(2026, 10, 24, 23, 59)
    for zone in (term.zone, scripted_term.UTC):
        time = datetime(2026, 10, 25, 23, 59, tzinfo=term.zone).astimezone(zone)
        assert [term.days_late("ps1", term_submissions.Version("", time + timedelta(minutes=m), False, b"", "")) for m in (0, 1)] == [1, 2]


@pytest.mark.parametrize("change", [
    lambda rules: rules.replace("latest = 5\n", ""), lambda rules: "bonus = 1\n" + rules, lambda rules: rules.replace('"last"', '"best"'),
    lambda rules: rules.replace("0.1", "10.0"), lambda rules: rules.replace("due = 2026-10-12T23:59:00", 'due = "Monday"')])
def test_a_term_with_other_rules_than_there_are_is_refused(term, change):
    file = term.folder / "term.toml"
    file.write_text(change(file.read_text()))
    with pytest.raises(SystemExit, match="term.toml"):
        term_submissions.Term(term.folder)


# --- names -------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("path, claims, late", [
    ("lovelaceada_7000_90000_ps1.ipynb", {"canvas": "7000", "name": "lovelaceada"}, False),
    ("lovelaceada_LATE_7000_90000_ps1-1.ipynb", {"canvas": "7000", "name": "lovelaceada"}, True),
    ("o_brien2_7_8_my_9_10_LATE_ps1.ipynb", {"canvas": "7", "name": "o_brien2"}, False)])
def test_names_of_canvas(path, claims, late):
    came = lms_downloads.Canvas([], "ps1", {}, None).owner(lms_downloads.Member(path, 0, None))
    assert (came.claims, came.late) == (claims, late)


@pytest.mark.parametrize("path", [
    "Ada Lovelace_12_assignsubmission_file_/ps1.ipynb", "Ada Lovelace_12_assignsubmission_file/ps1.ipynb",
    "Ada Lovelace_12_assignsubmission_file_ps1.ipynb", "set/Ada Lovelace_12_assignsubmission_file_/Bob_13_assignsubmission_file_x/ps1.ipynb",
    "Ada Lovelace_12_assignsubmission_file_Bob_13_assignsubmission_file_x.ipynb"])
def test_names_of_moodle_in_folders_and_without_whatever_a_student_calls_a_file(path):
    sheets = {"12": {"Email address": "ada@example.edu", "Last modified (submission)": "Monday, 5 October 2026, 9:05 AM"}, "13": {}}
    came = lms_downloads.Moodle([], "ps1", sheets, scripted_term.OFFSET["ps1"]).owner(lms_downloads.Member(path, 0, None))
    assert came.claims == {"name": "Ada Lovelace", "address": "ada@example.edu"} and came.time.isoformat() == "2026-10-05T09:05:00+02:00"


def test_a_list_that_a_student_hands_in_is_not_the_platforms():
    forged = [lms_downloads.Member(f"{place}/submission_metadata.yml", 0, None) for place in ("Ada_1_assignsubmission_file_", "x/submission_7")]
    assert not any(map(lms_downloads.is_metadata, forged))
    assert lms_downloads.is_metadata(lms_downloads.Member("assignment_9_export/submission_metadata.yml", 0, None))


def test_an_accent_is_the_same_however_it_is_written():
    student = {"name": "Núñez, María José", "address": "m@example.edu", "canvas": "1", "idnumber": "", "login": ""}
    for said in ("María José Núñez", unicodedata.normalize("NFD", "María José Núñez"), "núñezmaríajosé", "NÚÑEZ, MARÍA JOSÉ"):
        assert term_submissions.owners({"name": said}, {"m@example.edu": student}) == ["m@example.edu"]
    assert term_submissions.owners({"canvas": "2", "name": "somebody"}, {"m@example.edu": student}) == []


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029"])
def test_every_line_of_an_answer_is_quoted_however_it_ends(tmp_path, end):
    """Files are read with line ends of all systems, so that one of another system could begin a line of its own."""
    file = tmp_path / "q1-1.md"
    answer = end.join(["mine", "## ABCDEFGH", "", "marks (2 + 1): 2 + 1", "comment: all of it"])
    file.write_text(marking_forms.ENTRY.format(code="ABCDEFGH", quoted=marking_forms.quoted(answer), parts="2 + 1"))
    assert marking_forms.marks_in(file, RUBRIC, ["ABCDEFGH"]) == ({"ABCDEFGH": (None, "is not marked yet")}, [])


# --- platforms -----------------------------------------------------------------------------------------------------------
def came(files, name="ps1", sheets=None):
    """What is read from a download with these files."""
    members = [lms_downloads.Member(path, len(content), lambda content=content: content) for path, content in files.items()]
    return list(lms_downloads.handed_in(members, name, sheets or {}, scripted_term.OFFSET["ps1"]))


LISTED = """submission_1:
  :submitters:
  - :name: Ada Lovelace
    :sid: 12
    :email: ada@example.edu
  :created_at: 2026-10-12 21:30:00.5 Z
submission_2:
  :submitters:
  - :name: Bob
    :email: bob@example.edu
  - :name: Eve
    :email: eve@example.edu
  :created_at: 2026-10-12 21:30:00 Z
"""


def test_what_gradescope_lists_with_a_plain_time_and_what_two_hand_in_together():
    alone, together, unlisted = came({"x/submission_metadata.yml": LISTED.encode()} | {f"x/submission_{n}/a.ipynb": b"{}" for n in (1, 2, 3)})
    assert alone.claims == {"address": "ada@example.edu", "idnumber": "12", "name": "Ada Lovelace"} and alone.problem is None
    assert alone.time.isoformat() == "2026-10-12T21:30:00.500000+00:00" and alone.content == b"{}"
    assert "by 2 people together" in together.problem and "not in submission_metadata.yml" in unlisted.problem


def test_nbgrader_has_other_assignments_beside_this_one_and_a_time_for_each():
    """Without its time a notebook waits for a person, as does a time that nobody can read."""
    files = {"submitted/ada/ps1/ps1.ipynb": b"{}", "submitted/ada/ps1/timestamp.txt": b"2026-10-12 20:15:03.25 UTC",
             "submitted/ada/ps2/ps2.ipynb": b"{}", "submitted/bob/ps1/ps1.ipynb": b"{}",
             "submitted/eve/ps1/ps1.ipynb": b"{}", "submitted/eve/ps1/timestamp.txt": b"yesterday, I think"}
    ada, bob, eve = came(files)
    assert ada.claims == {"login": "ada"} and ada.time.isoformat() == "2026-10-12T20:15:03.250000+00:00" and not ada.problem
    assert "no timestamp.txt beside it" in bob.problem and "time that cannot be read" in eve.problem


@pytest.mark.parametrize("content, problem", [
    (b"PK and no more", "cannot be read"), (scripted_term.archive({"big.ipynb": bytes(6 << 20)}), "larger than 5 MB"),
    (scripted_term.archive({"a.pdf": b"", "__MACOSX/._a.ipynb": b""}), "no notebook came with it"),
    (scripted_term.archive({"mine/a.ipynb": b"{}", "mine/.ipynb_checkpoints/a-checkpoint.ipynb": b"{1}"}), None)])
def test_an_archive_that_a_student_hands_in_is_read_without_being_unpacked(content, problem):
    """A megabyte of zeros is a kilobyte in it; what matters is how large it would be."""
    [one] = came({"lovelaceada_1_2_work.zip": content})
    assert one.claims["canvas"] == "1" and (one.content == b"{}" if problem is None else problem in one.problem)


def test_a_moodle_download_without_its_worksheet_waits_for_a_person():
    [one] = came({"Ada Lovelace_12_assignsubmission_file_/ps1.ipynb": b"{}"})
    assert "no line in a grading worksheet" in one.problem
    [one] = came({"Ada Lovelace_12_assignsubmission_file_/ps1.ipynb": b"{}"}, sheets={"12": {"Last modified (submission)": "-"}})
    assert "has no time in the grading worksheet" in one.problem
