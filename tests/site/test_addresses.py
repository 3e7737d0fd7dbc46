"""No address that a reader may have kept is dead: what was a section, a statement, a term or an exercise still is.

    python -m tests.site.test_addresses        adds those of the built book to the list, old_addresses.txt
"""

import html
import re
from pathlib import Path

import pytest

from tests.site.browser import SITE

KEPT = Path(__file__).resolve().parents[1] / "old_addresses.txt"
# What has an address of its own: sections, statements and exercises, labels in the text, terms of the glossary.
LABELLED = re.compile(r'<(?:section|div class="(?:proof|exercise)\b[^"]*"|dt|span)(?: class="[^"]*")? id="([^"]+)"')
# Given in passing, so that the next build may give them to something else; and names of the package, which tests/old_names.txt keeps.
OTHERS = re.compile(r"id\d+$|(module-)?dplib\b")


def kept():
    """{page: its anchors} of the list; a line is a page and its anchors."""
    return {page: set(anchors) for page, *anchors in map(str.split, KEPT.read_text(encoding="utf-8").splitlines())}


def labelled(page):
    """The anchors of a page that are worth keeping."""
    article = re.search(r"<article.*?</article>", page, flags=re.S)[0]
    found = map(html.unescape, LABELLED.findall(article))
    return {anchor for anchor in found if not OTHERS.match(anchor) and " " not in anchor}


def dead(old, pages):
    """Addresses of the list that lead nowhere on these pages, {name: HTML}."""
    found = []
    for page, anchors in old.items():
        there = set(map(html.unescape, re.findall(r'\sid="([^"]+)"', pages.get(page, ""))))
        found += [f"{page}#{anchor}" for anchor in sorted(anchors - there)] if page in pages else [page]
    return found


@pytest.fixture(scope="module")
def pages(site):
    return {file.stem: file.read_text(encoding="utf-8") for file in (site / "chapters").glob("*.html")}


def test_every_old_address_is_alive(pages):
    old = kept()
    assert len(old) > 50 and sum(map(len, old.values())) > 900
    assert dead(old, pages) == []


def test_a_dead_address_is_found(pages):
    old = kept()
    assert dead(old, {name: page for name, page in pages.items() if name != "packing"}) == ["packing"]
    without = pages | dict(packing=pages["packing"].replace('id="thm-packing"', 'id="thm-another"'))
    assert dead(old, without) == ["packing#thm-packing"]
    assert "thm-packing" in labelled(pages["packing"]) and "thm-packing" in old["packing"]


def main():
    old = kept() if KEPT.exists() else {}
    for file in sorted((SITE / "chapters").glob("*.html")):
        old.setdefault(file.stem, set()).update(labelled(file.read_text(encoding="utf-8")))
    lines = (" ".join([page, *sorted(anchors)]) for page, anchors in sorted(old.items()))
    KEPT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
