"""Sections that have got another title are found at their old address, too."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document

from dplib.book import addresses


def led_on(monkeypatch, renamed, *ids):
    """The ids of the sections of a page afterwards, and what the build warns of."""
    document, warnings = new_document("page"), []
    for own in ids:
        section = nodes.section(ids=own.split())
        document += section
        document.ids |= {id: section for id in section["ids"]}
    monkeypatch.setattr(addresses, "RENAMED", {"page": renamed})
    monkeypatch.setattr(addresses.log, "warning", lambda message, *said: warnings.append(message % said))
    addresses.lead_on(SimpleNamespace(env=SimpleNamespace(docname="chapters/page")), document)
    return [section["ids"] for section in document.findall(nodes.section)], warnings


def test_an_old_address_leads_to_the_section_that_it_has_become(monkeypatch):
    found, warnings = led_on(monkeypatch, {"old": "new"}, "first", "further-new new")
    assert found == [["first"], ["further-new", "new", "old"]] and warnings == []


@pytest.mark.parametrize("renamed", [{"old": "gone"}, {"first": "new"}])
def test_an_address_that_leads_nowhere_or_is_taken_is_a_warning(monkeypatch, renamed):
    found, warnings = led_on(monkeypatch, renamed, "first", "new")
    assert found == [["first"], ["new"]] and len(warnings) == 1
