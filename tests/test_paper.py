"""The order of the book on paper, and the whole of it, where there is a LaTeX."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes
from sphinx.addnodes import toctree

from dplib.book import paper
from tests import depth

ROOT = Path(__file__).resolve().parents[1]


def test_numbered_pages_have_their_numbers_and_the_page_for_authors_is_left_out():
    part = lambda caption, *pages: toctree("", caption=caption, entries=[(None, f"chapters/{page}") for page in pages])
    env = SimpleNamespace(
        config=SimpleNamespace(root_doc="chapters/index"), metadata=dict.fromkeys([f"chapters/{page}" for page in (
            "part-trust", "bits", "auditing", "notation", "slips")], {}) | {"chapters/style": {"nosearch": True}},
        toc_secnumbers={"chapters/bits": {"": (30,)}, "chapters/auditing": {"": (31,)}},
        tocs={"chapters/index": nodes.bullet_list("", part("Trust", "part-trust"), part(None, "bits", "auditing"),
                                                  part("Reference", "notation", "slips", "style"))})
    assert [(before, page.removeprefix("chapters/")) for before, page in paper.order(env)] == [
        (r"\dpunnumbered", "index"), (r"\dppart", "part-trust"), (r"\dpnumbered{30}", "bits"), (r"\dpnumbered{31}", "auditing"),
        (r"\dpdivision{Reference}\dpunnumbered", "notation"), (r"\dpunnumbered", "slips")]


# --- the whole book, where there is a LaTeX

def overfull(log):
    """By how many points lines stand out of their column, or pages out of theirs."""
    return [float(points) for points in re.findall(r"^Overfull \\[hv]box \(([\d.]+)pt too", log, re.M)]


def complaints(log):
    """What LaTeX has not found: references, letters, files."""
    return re.findall(r"^(?:! .*|.*undefined.*|Missing character.*)$", log, re.M)


def test_complaints_are_heard():
    log = ("Overfull \\hbox (12.5pt too wide) in paragraph at lines 3--4\nLaTeX Warning: Reference `a' on page 1 undefined.\n"
           "Missing character: There is no x in font y!\n! Missing $ inserted.\nOutput written on book.pdf (600 pages).\n")
    assert overfull(log) == [12.5] and len(complaints(log)) == 3
    assert overfull("Overfull \\vbox (1.25pt too high) has occurred\n") == [1.25]
    assert overfull("Underfull \\hbox (badness 10000)\n") == complaints("Output written on book.pdf\n") == []


if depth.PAPER():                                                 # it takes minutes
    @pytest.mark.skipif(not all(map(shutil.which, ["latexmk", "xelatex", "rsvg-convert"])), reason="make pdf says what is missing here")
    def test_the_book_is_set(monkeypatch):
        """No reference leads nowhere, no line stands out of its column, and each statement of the site has its number."""
        monkeypatch.setenv("max_print_line", "1000")
        monkeypatch.setenv("BOOK_ADDRESS", "https://example.org/book")
        jupyter_book = Path(sys.executable).with_name("jupyter-book")
        subprocess.run([jupyter_book, "build", "-W", "-n", "--keep-going", "--builder", "latex", "."], cwd=ROOT, check=True)
        folder = ROOT / "_build" / "latex"
        subprocess.run(["latexmk", "-pdf", "-silent", "-dvi-", "-ps-", "book.tex"], cwd=folder, check=True)
        log = (folder / "book.log").read_text(encoding="utf-8", errors="replace")
        assert complaints(log) == [] and max(overfull(log), default=0) <= 10
        text = (folder / "book.tex").read_text(encoding="utf-8")
        kind = "(?:Theorem|Lemma|Proposition|Corollary|Definition|Algorithm)"
        set_here = set(re.findall(rf"\\dpheading\{{({kind} [\d.]+)", text))
        on_site = set()
        for file in set((ROOT / "_build" / "html" / "chapters").glob("*.html")) - {ROOT / "_build/html/chapters/style.html"}:
            on_site |= set(re.findall(rf'<span class="caption-number">({kind} [\d.]+) </span>', file.read_text(encoding="utf-8")))
        assert set_here == on_site and len(on_site) > 200
