"""Two layers: the core of a page is short, and complete without what is marked as further, on this page and on others."""

import re
from pathlib import Path

import pytest

from dplib.book.ways import BEYOND
from tests import minutes

CHAPTERS = Path(__file__).resolve().parents[1] / "chapters"
TEXTS = {page.stem: page.read_text(encoding="utf-8") for page in sorted(CHAPTERS.glob("*.md"))}
TIMED = [page for page, text in TEXTS.items() if "**Time**" in text]
CORE, CORE_BEYOND = 30, 40       # minutes; so the thirty-three pages take less than 18 hours, without those beyond the sources
LONGEST = {"the-hour": 60}
POINTERS = ("", "Exercises", "Where next")  # the opening lists all that is checked; what comes at the end looks ahead


def further_labels(text):
    """The statements that stand in further sections."""
    return {label for heading, section in minutes.sections(text) if heading.startswith("Further:")
            for label in re.findall(r"^:label: (\S+)", section, flags=re.M)}


def needs_further(text, further):
    """References from the open text of core sections to statements of further sections."""
    found = []
    for heading, section in minutes.sections(text):
        if heading in POINTERS or heading.startswith("Further:"):
            continue
        open_text = minutes.parts(f"---\n---\n{section}")[0].get("open", "")
        found += [(heading, label) for label in re.findall(r"\{prf:ref\}`([\w-]+)`", open_text) if label in further]
    return found


FURTHER = set().union(*(further_labels(text) for text in TEXTS.values()))


@pytest.mark.parametrize("page", TIMED)
def test_the_core_of_a_page_is_read_in_half_an_hour(page):
    most = CORE_BEYOND if BEYOND in TEXTS[page] else CORE
    assert minutes.minutes(TEXTS[page])[0] <= LONGEST.get(page, most)


@pytest.mark.parametrize("page", TIMED)
def test_no_core_needs_what_is_further(page):
    assert needs_further(TEXTS[page], FURTHER) == []


def test_a_core_that_needs_more_is_found():
    head = "---\na: b\n---\n# T\n"
    page = head + ("## One\nSee {prf:ref}`thm-x` and {prf:ref}`thm-y`.\n## Further: two\n:::{prf:theorem} X\n:label: thm-x\n:::\n"
                   "## Where next\n{prf:ref}`thm-x`\n")
    assert further_labels(page) == {"thm-x"} and needs_further(page, further_labels(page)) == [("One", "thm-x")]
