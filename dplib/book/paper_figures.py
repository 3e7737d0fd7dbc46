"""What a page shows as HTML, as figures of vectors and tables on paper.

An explorer is its still. If it asks for a guess, the still in the text keeps the answer back, and
the one that shows it stands with the answers at the end.
"""

import base64
import hashlib
import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
from bs4 import BeautifulSoup
from docutils import nodes
from matplotlib import rc_context
from sphinx.addnodes import tabular_col_spec

from .columns import dequantise
from .controls import Control
from .front import palette
from .sentences import at_start, format, start_text
from .still import still

STATE = re.compile(r'<script type="application/json">(.*?)</script>', re.S)
SVG_NAMES = "http://www.w3.org/2000/svg"
SVG = re.compile(r"<svg.*?</svg>", re.S)
# what the style sheet of the site says about the map of the pages
MAP = """<style>text { font: 10px "DejaVu Sans" } path { fill: none } a path { visibility: hidden }
.dp-map-part { font-weight: bold; font-size: 12px } rect { fill: white; stroke: #555555 }
.dp-map-lines { stroke: #999999 }</style>"""


class printed_figure(nodes.General, nodes.Element):
    """A figure with its caption, on one sheet. `answer` is what the end of the book says of it."""


def visit_figure(self, node):
    self.body.append("\n\\begin{dpfigure}\n")


def depart_figure(self, node):
    self.body.append("\n\\end{dpfigure}\n")


def latex(code):
    return nodes.raw("", code, format="latex")


def paragraph(command, text):
    """A paragraph as the argument of a command of paper.sty."""
    return nodes.paragraph("", "", latex(rf"\{command}{{"), nodes.Text(text), latex("}"))


def named(page, code):
    """A name for its file, which is another one if what is drawn has changed."""
    return f"{page}-{hashlib.sha256(code.encode()).hexdigest()[:10]}"


# --- explorers
# --------------------------------------------------------------------------------------------------

def unpack(table):
    """The codes of all columns: `columns.pack` undone."""
    low, high = np.frombuffer(base64.b64decode(table), "u1").reshape(2, -1).astype(int)
    return np.cumsum(low + 256 * high) % 65536


class Tabulated:
    """An explorer as its page was given it, at the position of its guess."""

    def __init__(self, code):
        state = json.loads(STATE.search(code)[1])
        self.spec, self.codes = json.loads(state["spec"]), unpack(state["table"])
        self.id, self.guess = self.spec["id"], self.spec["guess"]
        asked = self.guess["at"] if self.guess else {}
        controls = (Control(**fields) for fields in self.spec["controls"])
        self.controls = {c.name: replace(c, start=asked.get(c.name, c.start)) for c in controls}

    def at(self):
        return {name: self.column(**column) for name, column in self.spec["columns"].items()}

    def column(self, by, length, values=None, offset=0, count=0, error=0, **scale):
        if values is not None:
            return np.array([np.nan if v is None else v for v in values])
        sizes = [self.spec["draws"] if n == "draw" else len(self.controls[n].values) for n in by]
        place = tuple(0 if n == "draw" else self.controls[n].start for n in by)
        table = dequantise(self.codes[offset:offset + count], **scale)
        return table.reshape(*sizes, length)[place]

    def without_answer(self):
        """The same, with the marks that the reader has to guess taken away."""
        other = object.__new__(Tabulated)
        plot = self.spec["plot"]
        marks = [mark for mark in plot["marks"] if not mark[1].get("answer")]
        vars(other).update(vars(self), spec=self.spec | {"plot": plot | {"marks": marks}})
        return other

    def answer(self):
        """The answer in words."""
        if self.guess["tell"]:
            return at_start(self, self.guess["tell"])
        value, names = self.at()[self.guess["answer"]][self.guess["entry"]], self.guess["names"]
        said = names[self.guess["values"].index(value)] if names else format(value)
        return said + self.guess["unit"]


def draw(explorer, file):
    if file.exists():
        return
    with rc_context({"svg.hashsalt": explorer.id, "pdf.fonttype": 42, "font.size": 9}):
        still(explorer).savefig(file, format="pdf", metadata={"CreationDate": None})


def explorer_figure(code, page, folder, address):
    """Its still, with the address of the live one; drawn from its table, at its start."""
    shown, name = Tabulated(code), named(page, code)
    where = rf"{address}/chapters/{page}.html\#{shown.id}" if address else ""
    figure = printed_figure(name=name)
    readout = start_text(shown, "readout")
    if shown.guess:
        draw(shown.without_answer(), folder / f"{name}.pdf")
        draw(shown, folder / f"{name}-answer.pdf")
        figure += paragraph("dpquestion", shown.guess["label"])
        figure += latex(rf"\dpanswered{{{name}}}\dpstill{{{name}}}{{{where}}}")
        figure["answer"] = [paragraph("dpquestion", shown.guess["label"]),
                            latex(rf"\dpanswer{{{name}}}\dpstill{{{name}-answer}}{{}}"),
                            paragraph("dpreadout", f"Answer: {shown.answer()}. {readout}")]
    else:
        draw(shown, folder / f"{name}.pdf")
        figure += latex(rf"\dpstill{{{name}}}{{{where}}}")
        figure += paragraph("dpreadout", readout)
    return figure


# --- drawings and tables
# --------------------------------------------------------------------------------------------------

def in_print(code):
    """The first SVG of the HTML, which is that for the wide column, in the colours of paper."""
    svg = SVG.search(code)[0]
    svg = svg.replace("<svg", f'<svg xmlns="{SVG_NAMES}"', "xmlns=" not in svg)
    svg = svg.replace(">", f">{MAP}", "dp-map" in code)
    return re.sub(r"var\((--[\w-]+)[^)]*\)", lambda found: palette()[found[1]], svg)


def drawing(code, page, folder):
    name = named(page, code)
    to = folder / f"{name}.pdf"
    if not to.exists():
        convert = ["rsvg-convert", "-f", "pdf", "-o", to]
        subprocess.run(convert, input=in_print(code).encode(), check=True)
    figure = printed_figure(name=name)
    figure += latex(rf"\dpstill{{{name}}}{{}}")
    return figure


def table(code):
    """Numbers to the right, words to the left, and both break where the column is full."""
    page = BeautifulSoup(code, "html.parser")
    head, *rows = [line.find_all(["th", "td"]) for line in page.find_all("tr")]
    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in head), cols=len(head))
    group += nodes.thead("", row(head))
    group += nodes.tbody("", *map(row, rows))
    sides = "".join("R" if "dp-number" in cell.get("class", ()) else "L" for cell in head)
    return [tabular_col_spec(spec=f"{{{sides}}}"), nodes.table("", group)]


def row(cells):
    entries = (nodes.entry("", nodes.paragraph("", cell.get_text())) for cell in cells)
    return nodes.row("", *entries)


# --- in a page
# --------------------------------------------------------------------------------------------------

def figures_of(tree, page, folder, address):
    """Put in the place of HTML what can be printed, and captions into their figures."""
    folder.mkdir(parents=True, exist_ok=True)
    page = Path(page).name
    for raw in list(tree.findall(nodes.raw)):
        code, bundle = raw.astext(), raw.parent if raw.parent.get("mime_type") else None
        if 'class="dp-static"' in code:
            source = re.search(r'data-from="([^"]*)"', code)
            shown = [explorer_figure(code, source[1] if source else page, folder, address)]
        elif 'class="dp-still"' in code:
            shown = [drawing(code, page, folder)]
        elif 'class="dp-table' in code:
            shown = table(code)
        else:
            continue
        (bundle.parent if bundle is not None else raw).replace_self(shown)


def lone_drawings(tree, folder):
    """The map of the pages and the mosaic, which are drawn when all pages are known."""
    for raw in list(tree.findall(nodes.raw)):
        if raw["format"] == "html" and "<svg" in raw.astext() and "dp-drawings" not in raw.astext():
            raw.replace_self(drawing(raw.astext(), "drawn", folder))


def move_captions(tree):
    for figure in list(tree.findall(printed_figure)):
        after = figure.next_node(descend=False, siblings=True)
        if isinstance(after, nodes.paragraph) and "dp-caption" in after["classes"]:
            after.parent.remove(after)
            # paper has no controls to try
            for words in list(after.findall(nodes.inline)):
                if "dp-try" in words["classes"]:
                    words.parent.remove(words)
            figure += [latex(r"\begin{dpcaption}"), after, latex(r"\end{dpcaption}")]
