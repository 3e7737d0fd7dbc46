"""The small drawings of the front page."""

from types import SimpleNamespace

import pytest
from docutils.utils import new_document

from dplib.book import drawings
from tests.test_counts import ROOT


def links(titles):
    document = new_document("page")
    document += drawings.drawings("", titles=titles)
    builder = SimpleNamespace(get_relative_uri=lambda here, there: f"{there.removeprefix('chapters/')}.html")
    drawings.fill_drawings(SimpleNamespace(builder=builder), document, "chapters/index")
    return document.astext()


def test_a_drawing_is_in_the_inks_of_the_theme_has_words_and_leads_to_its_page():
    html = links({page: f"<{page}>" for page in drawings.DRAWN})
    for page, (_, alt) in drawings.DRAWN.items():
        assert f'<a href="{page}.html">' in html and f"&lt;{page}&gt;</a>" in html and f'aria-label="{alt}"' in html
        assert (ROOT / "chapters" / f"{page}.md").exists()
    assert html.count("<svg") == len(drawings.DRAWN) and "var(--dp-1" in html and "<metadata" not in html


def test_a_drawing_without_words_and_one_without_the_title_of_its_page_are_found(monkeypatch):
    with pytest.raises(ValueError, match="alt must say"):
        drawings.drawing(drawings.accuser, " ")
    with pytest.raises(KeyError):
        links({})
