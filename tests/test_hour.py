"""The book in an hour takes an hour, stands on figures of other pages, and proves nothing."""

import re

from tests import minutes
from tests.test_pages import text

HOUR = text("the-hour")


def test_it_takes_at_most_an_hour_and_says_how_long():
    takes, *_ = minutes.minutes(HOUR)
    assert takes <= 60 and f"This page takes {takes} minutes to read" in HOUR


def test_it_has_six_figures_of_other_pages_and_neither_statements_nor_exercises_of_its_own():
    assert len(re.findall(r"^```\{borrowed\} ", HOUR, flags=re.M)) == 6
    assert not re.search(r"\{code-cell\}|\{prf:(?!ref)|\{exercise\}|\$\$", HOUR)


def test_each_section_leads_to_its_page():
    for heading, section in minutes.sections(HOUR)[1:]:
        assert re.search(r"\]\([\w-]+\.md\)", section), heading


def test_every_borrowed_figure_is_an_explorer_of_its_page():
    pages = {page.stem: page.read_text(encoding="utf-8") for page in minutes.CHAPTERS.glob("*.md")}
    lent = re.compile(r"^```\{borrowed\} ([\w-]+)#([\w-]+)", flags=re.M)
    borrowed = [(page, *found) for page, said in pages.items() for found in lent.findall(said)]
    assert len(borrowed) > 6
    assert [(page, home, id) for page, home, id in borrowed if f'Explorer("{id}"' not in pages[home]] == []
