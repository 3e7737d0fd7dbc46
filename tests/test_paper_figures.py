"""What stands on paper in the place of figures that move, of drawings and of tables."""

import re

import numpy as np
import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from docutils.utils import new_document

from dplib.book import columns, figure, guess, paper_figures, table
from dplib.book.paper_figures import Tabulated, explorer_figure, figures_of, in_print, move_captions, printed_figure
from dplib.book.sentences import start_text
from tests.test_explorer import make
from tests.test_explorer import figure as plot

LINE = ["line", dict(x="x", y="y", stroke="c1")]


def noisy(a, rng):
    return dict(noise=a * rng.standard_normal(5))


def asking(**changes):
    asked = guess("How high does it end?", range(9), answer="y[4]", axis="y", **changes)
    return make(guess=asked, plot=plot(LINE, ["line", LINE[1] | dict(stroke="c2", answer=True)]))


@pytest.fixture
def drawn(monkeypatch):
    """The descriptions that have been drawn."""
    seen = []
    monkeypatch.setattr(paper_figures, "draw", lambda explorer, file: seen.append((explorer, file.name)))
    return seen


def raw(code):
    return nodes.raw("", code, format="html")


# --- explorers

def test_codes_are_unpacked_as_they_were_packed():
    codes = [np.array([0, 65535, 1, 7], "<u2"), np.arange(300, dtype="<u2")]
    assert paper_figures.unpack(columns.pack(codes)).tolist() == np.concatenate(codes).tolist()


def test_a_figure_is_read_from_what_its_page_was_given():
    """Its columns at the start, the random ones too, are those of the explorer, up to the error of two bytes."""
    explorer = make(lambda a: dict(x=np.arange(5.), y=a * np.arange(5.)), noisy, draws=20)
    read, whole = Tabulated(explorer.html(b"<svg></svg>")).at(), explorer.at()
    assert read.keys() == whole.keys() == {"x", "y", "noise"}
    for name in whole:
        assert np.allclose(read[name], whole[name], rtol=1e-3, atol=1e-3), name
    assert not np.allclose(read["noise"], explorer.at(draw=1)["noise"], rtol=1e-2)


def test_a_figure_that_asks_stands_where_it_asks():
    explorer = asking()
    other = explorer.controls["a"].values[0]
    moved = Tabulated(asking(at=dict(a=other)).html(b"<svg></svg>"))
    assert moved.at()["y"].tolist() == pytest.approx(explorer.at(a=0)["y"].tolist(), rel=1e-3)
    assert f"At a = {other:g} " in start_text(moved, "readout")
    assert start_text(moved, "readout") != start_text(explorer, "readout")


def test_the_answer_stands_at_the_end_only(tmp_path, drawn):
    shown = explorer_figure(asking().html(b"<svg></svg>"), "privacy", tmp_path, "https://example.org")
    (asked, name), (answered, name_of_answer) = drawn
    assert [len(explorer.spec["plot"]["marks"]) for explorer in (asked, answered)] == [1, 2]
    assert name_of_answer == name.replace(".pdf", "-answer.pdf")
    readout = start_text(answered, "readout")
    assert "How high does it end?" in shown.astext() and readout not in shown.astext()
    said = " ".join(part.astext() for part in shown["answer"])
    assert readout in said and f"{answered.answer()}." in said
    assert answered.answer() == f"{answered.at()['y'][4]:g}"


def test_an_answer_that_is_told_in_full_is_told_where_it_is_asked():
    explorer = asking()
    other = explorer.controls["a"].values[0]
    moved = Tabulated(asking(at=dict(a=other), tell="{y[4]} at {a}").html(b"<svg></svg>"))
    assert moved.answer() == f"{explorer.at(a=0)['y'][4]:g} at {other:g}"


@pytest.mark.parametrize("address", ["", "https://example.org/book"])
def test_an_address_is_printed_if_somebody_has_said_it(address, tmp_path, drawn):
    text = explorer_figure(make().html(b"<svg></svg>"), "packing", tmp_path, address).astext()
    assert (r"{https://example.org/book/chapters/packing.html\#demo}" in text) == bool(address)
    assert "At a = " in text


def test_a_still_is_made_of_vectors(tmp_path):
    explorer_figure(make().html(b"<svg></svg>"), "packing", tmp_path, "")
    [file] = tmp_path.iterdir()
    assert file.read_bytes().startswith(b"%PDF") and b"/Subtype /Image" not in file.read_bytes()


def test_a_borrowed_figure_leads_to_the_page_that_it_is_from(tmp_path, drawn):
    tree = new_document("page")
    own = make().html(b"<svg></svg>")
    tree += [raw(own), raw(own.replace('class="dp-static"', 'class="dp-static" data-from="privacy"', 1))]
    figures_of(tree, "chapters/the-hour", tmp_path, "https://example.org")
    assert re.findall(r"chapters/([\w-]+)", tree.astext()) == ["the-hour", "privacy"]


# --- drawings and tables

def test_a_drawing_has_the_colours_of_paper_and_one_width():
    fig = figure(alt="a line")
    fig.subplots().plot([0, 1])
    svg = in_print(fig.html())
    assert svg.startswith("<svg") and svg.count("<svg") == 1 and "var(" not in svg
    assert "#1469cc" in svg and 'class="dp-wide"' in svg and svg.count("xmlns=") == 1


def test_a_table_has_its_entries_and_its_sides():
    shown = table(["n", "note"], [[10, "small"], [1000, "large & odd"]])
    sides, printed = paper_figures.table(shown.html())
    assert sides["spec"] == "{RL}"
    page = BeautifulSoup(shown.html(), "html.parser")
    assert [entry.astext() for entry in printed.findall(nodes.entry)] == [cell.get_text() for cell in page.find_all(["th", "td"])]
    assert "large & odd" in printed.astext()


def test_a_caption_moves_into_its_figure_without_what_to_try_and_other_text_does_not():
    tree = new_document("page")
    words = [nodes.inline("", "Draw again.", classes=["dp-try"]), nodes.inline("", "bold")]
    caption = nodes.paragraph("", "caption", *words, classes=["dp-caption"])
    tree += [printed_figure("", nodes.paragraph("", "one")), caption,
             printed_figure("", nodes.paragraph("", "two")), nodes.paragraph("", "text")]
    move_captions(tree)
    first, second, text = tree.children
    assert "caption" in first.astext() and "text" not in second.astext() and text.astext() == "text"
    assert "bold" in first.astext() and "Draw" not in first.astext()                             # paper has no controls
