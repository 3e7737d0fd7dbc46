"""The page for instructors: no week gives more hours than it holds, and what it names exists."""

import importlib
import re
from dataclasses import replace
from itertools import accumulate

import pytest

from dplib.book import teaching, ways
from tests import minutes
from tests.test_counts import ROOT
from tests.test_pages import text
from tests.test_ways import BOOK

PAGE = text("teaching")


def weeks(course):
    """(week, the pages read in earlier weeks) of a course."""
    read = accumulate((week.read.split() for week in course.weeks), lambda before, own: before + own, initial=[])
    return zip(course.weeks, read)


def gaps(course):
    """(week, page, what it needs) where a page is read before what it needs, and (week, set, page) where a set is begun
    before one of its pages, or proofs are asked for that belong to no page of the week."""
    begun = set()
    for k, (week, before) in enumerate(weeks(course), 1):
        now = [*before, *week.read.split()]
        way = ways.Way("", week.read, granted=" ".join(before))
        yield from ((k, *gap) for gap in ways.missing(way, BOOK.needs))
        yield from ((k, "proofs", page) for page in week.prove.split() if page not in week.read.split())
        yield from ((k, one, page) for one in week.sets if one not in begun for page in teaching.SETS[one].pages.split() if page not in now)
        begun.update(week.sets)


every_course = pytest.mark.parametrize("course", teaching.SYLLABI, ids=lambda course: course.title)


def too_full(course):
    """The weeks that hold less than they are given."""
    return [k for k, week in enumerate(course.weeks, 1) if teaching.load(course, week, BOOK.texts) > 60 * course.hours]


@every_course
def test_no_week_gives_more_than_it_holds_and_no_page_comes_before_what_it_needs(course):
    assert too_full(course) == [] and list(gaps(course)) == []
    pages = [page for week in course.weeks for page in week.read.split()]
    assert len(set(pages)) == len(pages) and set(pages) <= set(BOOK.texts)
    sets = [one for week in course.weeks for one in week.sets]
    assert set(sets) <= set(teaching.SETS)


def test_a_week_that_is_too_full_and_a_page_or_a_set_that_comes_too_early_are_found():
    course = teaching.SYLLABI[-1]
    first = course.weeks[0]
    spoilt = lambda **changes: replace(course, weeks=(replace(first, **changes), *course.weeks[1:]))
    assert (1, "packing", "privacy") in gaps(spoilt(read="why-privacy packing")) and (1, 2, "packing") in gaps(spoilt(sets=(2,)))
    assert (1, "proofs", "packing") in gaps(spoilt(prove="packing"))
    assert too_full(spoilt(prove="privacy releasing-parameters histograms")) == [1]
    assert too_full(replace(course, sessions=60 * course.hours)) == list(range(1, 13))


def test_the_longest_course_reads_all_but_the_further_pages_and_gives_every_set_that_needs_none_of_them():
    course = teaching.SYLLABI[-1]
    assert {page for week in course.weeks for page in week.read.split()} == set(BOOK.texts) - BOOK.further
    without = {k for k, one in teaching.SETS.items() if not BOOK.further & set(one.pages.split())}
    assert {one for week in course.weeks for one in week.sets} == without == set(range(1, 6))
    assert [len(course.weeks) for course in teaching.SYLLABI] == [4, 8, 12]


def test_a_week_takes_its_sessions_its_reading_its_proofs_and_its_share_of_a_set():
    course = teaching.SYLLABI[0]
    core = lambda *pages: sum(minutes.minutes(BOOK.texts[page])[0] for page in pages)
    full = minutes.minutes(BOOK.texts["privacy"])[2] - core("privacy")
    assert teaching.load(course, course.weeks[0], BOOK.texts) == 90 + core("why-privacy", "privacy") + full
    half = teaching.SETS[1].minutes / 2
    assert teaching.load(course, course.weeks[2], BOOK.texts) == 90 + core("naive-mean", "two-stage-mean") + half


@pytest.mark.parametrize("page", BOOK.texts)
def test_the_time_with_the_proofs_is_that_of_the_rule(page):
    assert teaching.proofs(BOOK.texts[page]) == minutes.minutes(BOOK.texts[page])[2]


def test_a_session_fills_its_ninety_minutes_and_can_begin_with_a_guess_on_every_page():
    session = PAGE.split("## A session")[1].split("\n## ")[0]
    assert sum(map(int, re.findall(r"^\* \*(\d+) minutes\.\*", session, re.M))) == 90 and "a session of 90 minutes" in session
    assert all(course.sessions % 90 == 0 for course in teaching.SYLLABI)
    assert [page for page, source in BOOK.texts.items() if "guess=guess(" not in source] == []


# --- goals and sets ---------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("goal", teaching.GOALS, ids=lambda goal: goal.says)
def test_a_goal_rests_on_statements_of_its_page_and_is_asked_for_where_the_page_is_needed(goal):
    labels = re.findall(r"^:label: (\S+)$", BOOK.texts[goal.page], re.M)
    assert set(goal.labels.split()) <= set(labels)
    number, question = goal.question
    assert goal.page in teaching.closure(teaching.SETS[number].pages.split(), BOOK.needs)
    source = ROOT / "exercises" / f"ps{number}.md"
    if source.exists():                                     # a public checkout has the sample alone
        assert re.search(rf"^## {question}\. .*\(\d+ points, \d+ minutes\)$", source.read_text(encoding="utf-8"), re.M)


def test_each_page_that_a_set_names_serves_a_goal_of_that_set():
    """Except those that are asked for by hand or in passing: each has at least half of its pages among the goals."""
    for number, one in teaching.SETS.items():
        asked = {goal.page for goal in teaching.GOALS if goal.question[0] == number}
        assert len(set(one.pages.split()) & asked) >= len(one.pages.split()) / 2, number


def test_what_a_set_needs_is_closed_and_in_the_order_of_the_book():
    assert teaching.closure(["d"], dict(a=[], b=["a"], c=["a"], d=["c", "b"], e=["d"])) == ["a", "b", "c", "d"]
    order = list(BOOK.texts)
    for one in teaching.SETS.values():
        pages = teaching.closure(one.pages.split(), BOOK.needs)
        assert pages == sorted(pages, key=order.index) and set(one.pages.split()) <= set(pages)
        assert ways.missing(ways.Way("", " ".join(pages)), BOOK.needs) == []


def test_the_tables_have_a_row_for_each_week_and_goal_the_list_a_line_for_each_set_and_every_link_leads_to_a_page():
    tables = [teaching.syllabi(BOOK), teaching.goals(BOOK), teaching.evidence(BOOK)]
    rows = [len(re.findall(r"^\| (?!---)", table, re.M)) for table in tables]
    assert rows == [4 + 8 + 12 + 3, len(teaching.GOALS) + 1, len(teaching.EVIDENCE) + 1]
    lines = teaching.needed(BOOK).splitlines()
    assert [len(ways.LINK.findall(line)) for line in lines] == [int(re.search(r"(\d+) pages", line)[1]) for line in lines]
    assert len(lines) == len(teaching.SETS) and "[A bound on every accuser](privacy.md) (with proofs)" in tables[0]
    for table in tables:
        columns = {row.count("|") for row in re.findall(r"^\|.*$", table, re.M)}
        assert len(columns) == 1 and set(ways.LINK.findall(table)) <= set(BOOK.texts)
    assert "set 2, question 3" in tables[1]


# --- grades, projects, access -----------------------------------------------------------------------------------------

def test_weights_add_up_and_what_is_done_at_home_counts_what_the_page_says():
    assert sum(one.weight for one in teaching.EVIDENCE) == 100
    assert sum(one.weight for one in teaching.EVIDENCE if not one.in_person) == 25 and "Work at home counts a quarter" in PAGE


def test_the_trial_with_a_language_model_is_told_alike_and_counts_the_points_that_the_sets_have():
    guide = (ROOT / "exercises" / "README.md").read_text(encoding="utf-8")
    automatic = dict(re.findall(r"^\| (\d), for part .* \| (\d+) / \d+ \|$", guide, re.M))
    tried = re.findall(r"^\| (\d) \| (\d+) of (\d+) \| (?:(\d+) of \d+ )?\| \d \|$", guide, re.M)
    assert [number for number, *_ in tried] == ["2", "3", "4", "5"]
    assert all(automatic[number] == of and (second or first) == of for number, first, of, second in tried)
    first, of = (sum(int(row[k]) for row in tried) for k in (1, 2))
    assert f"earned {first} of the {of} automatic points" in PAGE


def test_the_page_has_ten_projects_each_with_data_three_milestones_and_a_page():
    projects = re.findall(r"^1\. (\*\*.*)$", PAGE, re.M)
    assert len(projects) == 10
    for project in projects:
        title, rest = re.fullmatch(r"\*\*(.+?)\.\*\* (.*)", project).groups()
        milestones = re.search(r"\*Milestones\*: (.*?)\. Begin with \[.*\]\(([\w-]+)\.md\)", rest)
        assert "*Data*: " in rest and milestones[1].count(";") == 2 and milestones[2] in BOOK.texts, title
    rubric = PAGE.split("out of 20 points:")[1].split("## ")[0]
    assert sum(map(int, re.findall(r"^\* (\d) points for ", rubric, re.M))) == 20


def test_data_that_a_project_names_are_there():
    named = re.findall(r"`(dplib\.book\.\w+)\.(\w+)`", PAGE)
    assert len(named) >= 8
    assert [name for module, name in named if not callable(getattr(importlib.import_module(module), name, None))] == []


HELD = {
    "Every slider can be moved with the arrow keys": "test_the_keyboard_moves_every_slider_and_says_its_value",
    "A guess can also be made by keys": "test_nothing_tells_the_answer_before_the_guess_and_keys_set_it",
    "axe finds no violation of WCAG 2.1, levels A and AA": "test_axe_finds_nothing",
    "Contrast is also tested in the dark theme": "test_axe_finds_contrast_in_the_dark",
    "Pages fit a window that is 360 pixels wide": "test_fits_a_wide_window_and_a_narrow_one",
    "asks no other computer for anything": "test_asks_nobody_else_and_complains_of_nothing",
    "works from a folder": "test_from_a_folder_and_after_all_that_was_done_in_it_it_asks_nobody_else_and_complains_of_nothing",
    "becomes a picture with a sentence": "test_without_javascript_there_is_a_picture_and_a_sentence",
    "shows its present values": "test_print_shows_the_present_values_without_the_sliders"}


@pytest.mark.parametrize("said, test", HELD.items(), ids=HELD.values())
def test_what_the_page_says_of_access_is_what_a_test_of_the_site_holds(said, test):
    tests = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests" / "site").glob("test_*.py"))
    assert said in PAGE and f"\ndef {test}(" in tests
