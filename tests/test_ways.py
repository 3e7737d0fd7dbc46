"""Ways through the book: every path is closed, and the map shows what every page needs."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from docutils import nodes

from dplib.book import site, ways
from tests import minutes
from tests.test_counts import ROOT

BOOK = ways.Book(SimpleNamespace(srcdir=ROOT, note_dependency=lambda file: None))


@pytest.mark.parametrize("way", ways.WAYS, ids=lambda way: way.reader)
def test_a_path_brings_what_its_pages_need_or_says_what_it_takes_on_trust(way):
    assert ways.missing(way, BOOK.needs) == []
    assert not set(way.granted.split()) & set(way.steps()) and len(set(way.steps())) == len(way.steps())
    trusting = [page for page in way.granted.split() if ways.missing(replace(way, granted=""), BOOK.needs)]
    assert trusting == way.granted.split()


def test_a_path_that_is_not_closed_is_found():
    way = next(way for way in ways.WAYS if way.pages.startswith("why-privacy privacy composition privacy-loss"))
    assert ways.missing(replace(way, pages=way.pages.replace(" composition", "", 1)), BOOK.needs)[0] == ("privacy-loss", "composition")
    assert ways.missing(replace(way, pages="privacy why-privacy"), BOOK.needs) == [("privacy", "why-privacy")]
    assert ways.missing(replace(way, pages="privacy", granted="why-privacy"), BOOK.needs) == []


def test_needs_are_read_up_to_the_first_semicolon():
    box = "**You need** [A](a.md), [B](b-c.md); for one section [D](d.md). **Time** 2 h 5 min to read."
    assert ways.needs(box) == ["a", "b-c"] and ways.needs("**You need** nothing. **Time** [E](e.md)") == []
    assert BOOK.needs["why-privacy"] == [] and all(BOOK.needs[page] for page in BOOK.texts if page != "why-privacy")


@pytest.mark.parametrize("page", BOOK.texts)
def test_the_time_of_a_page_is_that_of_its_core_by_the_rule(page):
    assert ways.minutes(BOOK.texts[page]) == minutes.minutes(BOOK.texts[page])[0]


@pytest.mark.parametrize("total, said", [(35, "½ hour"), (60, "1 hour"), (85, "1½ hours"), (420, "7 hours"), (1000, "16½ hours")])
def test_a_path_takes_half_hours(total, said):
    assert ways.spoken(total) == said


def test_a_path_says_its_pages_its_hours_and_what_it_takes_on_trust():
    way = ways.Way("You read.", "why-privacy privacy", granted="bits", says="It ends.")
    line = ways.line(way, BOOK)
    total = sum(minutes.minutes(BOOK.texts[page])[0] for page in way.steps())
    assert line.startswith(f"**You read.** 2 pages, about {ways.spoken(total)}: [Noise that hides nothing](why-privacy.md) → [")
    assert "It takes on trust what it uses of [What the last digits say](bits.md)." in line


def test_the_rule_on_the_front_page_says_that_a_core_is_what_counts():
    front = (ROOT / "chapters" / "index.md").read_text(encoding="utf-8")
    assert "```{ways}" in front and "```{map}" in front and "*core*" in front


def needed_of_further(needed, further):
    """(page, further page that it needs) where only a further page may need one."""
    return [(page, one) for page, own in needed.items() if page not in further for one in own if one in further]


def test_the_book_can_be_read_without_its_further_pages():
    assert needed_of_further(BOOK.needs, BOOK.further) == []
    assert not BOOK.further & {page for way in ways.WAYS for page in way.steps()}
    assert needed_of_further(dict(a=[], b=["a"], c=["b"]), {"a", "b"}) == [("c", "b")]


# --- the map ----------------------------------------------------------------------------------------------------------

MAP = ways.drawn_map(BOOK.parts, BOOK.titles, BOOK.needs, BOOK.further, lambda page: f"{page}.html")


def test_every_page_is_a_box_and_a_line_of_the_list_and_both_lead_to_it():
    assert len(BOOK.texts) > 30 and len(BOOK.parts) == 6
    for page in BOOK.texts:
        assert MAP.count(f'<a href="{page}.html"') == 2
    assert "One number" in MAP and max(len(re.findall("<text", box)) for box in MAP.split("<a href=")[1:]) <= 3


def test_lines_are_what_is_needed_and_nothing_that_follows_from_it():
    lines = ways.direct(dict(a=[], b=["a"], c=["a", "b"], d=["a"]))
    assert lines == dict(a=[], b=["a"], c=["b"], d=["a"])
    assert MAP.count("C") >= 2 * sum(map(len, ways.direct(BOOK.needs).values()))
    assert "needs What one answer gave away" in re.search(r'<a href="auditing.html" aria-label="([^"]*)"', MAP)[1]


# --- the parts in the table of contents -------------------------------------------------------------------------------

def test_an_opening_stands_in_front_of_its_part_and_has_its_colour():
    from sphinx.addnodes import toctree

    contents = nodes.container()
    for numbered, pages in ((0, "hour"), (0, "part-x"), (999, "one two"), (0, "part-y"), (999, "three"), (0, "prices"), (0, "api")):
        contents += toctree(numbered=numbered, entries=[(None, page) for page in pages.split()])
    app = SimpleNamespace(env=SimpleNamespace(tocs={"index": contents}), config=SimpleNamespace(root_doc="index"))
    found = {page: site.part_of(app, page) for page in "index part-x one two part-y three hour prices api".split()}
    assert found == {"index": 0, "part-x": 1, "one": 1, "two": 1, "part-y": 2, "three": 2, "hour": 3, "prices": 3, "api": 3}
    assert [caption for caption, _ in BOOK.parts] == [
        "Foundations", "Estimation", "Learning", "Aggregation", "One number from a model", "Trust"]
