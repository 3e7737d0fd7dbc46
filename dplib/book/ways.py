"""Ways through the book: {ways}, paths with their hours, and {map}, what needs what.

Both are made from the pages themselves: what a page needs stands behind *You need* in its box, up
to the first semicolon, and how long its core takes behind *Time*.
"""

import html
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

import yaml
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from .checks import title_of

LINK = re.compile(r"\]\(([\w-]+)\.md\)")
TIME = re.compile(
    r"\*\*Time\*\* (?:(\d+) h(?:ours)?)? ?(?:(\d+) min(?:utes)?)? ?(?:the core|to read)"
)

BEYOND = (
    "**A further page** It goes beyond the lectures that the book follows, and you can read the "
    "rest of the book without it."
)


@dataclass(frozen=True)
class Way:
    """A path: for whom it is, its pages, what it takes on trust, and a sentence about it."""

    reader: str
    pages: str
    granted: str = ""
    says: str = ""

    def steps(self):
        return self.pages.split()


WAYS = (
    Way(
        "You want the core of it, in six pages.",
        "why-privacy privacy selection composition naive-mean two-stage-mean",
        says="They cover the promise, how several answers add up, and a private mean.",
    ),
    Way(
        "You know statistics and want a private estimate.",
        "why-privacy privacy selection composition histograms naive-mean two-stage-mean "
        "intervals-and-scale",
        says="The path ends with a confidence interval that counts sampling and noise.",
    ),
    Way(
        "You build systems that publish counts.",
        "why-privacy privacy composition privacy-loss histograms tables bits",
        says="Afterwards, [the package](api.md) has a function for each of these releases.",
    ),
    Way(
        "You have a program and want its answer.",
        "why-privacy privacy selection composition histograms local-sensitivity "
        "subsample-and-aggregate friendlycore friendly-mean",
        granted="unbounded-mean",
        says="The last two pages are for data of which you know no range.",
    ),
    Way(
        "You have a model and want one coefficient.",
        "why-privacy privacy selection composition privacy-loss histograms local-sensitivity "
        "m-estimation certificates releasing-parameters treatment-effect experiments",
        says="The call that you need is on the tenth page, and the eleventh applies it to a trial.",
    ),
    Way(
        "You are given somebody else's program.",
        "why-privacy privacy composition privacy-loss bits auditing",
        says="The last page tests what a program promises, and the one before it shows what such "
        "tests overlook.",
    ),
    Way(
        "You want to know what is impossible.",
        "why-privacy privacy selection composition privacy-loss naive-mean two-stage-mean packing "
        "two-distributions tracing parity",
        says="This is also the plan of a seminar, with parities as its last session.",
    ),
)


# --- what the pages say
# ------------------------------------------------------------------------------------------------


def needs(text):
    """The pages that a page needs for its core, from its box."""
    box = re.search(r"\*\*You need\*\*(.*?)(?:;|\*\*Time\*\*)", text, flags=re.S)
    return LINK.findall(box[1]) if box else []


def minutes(text):
    """How long the core of a page takes."""
    hours, rest = TIME.search(text).groups()
    return 60 * int(hours or 0) + int(rest or 0)


def spoken(total):
    """To half an hour."""
    halves = round(total / 30)
    whole = f"{halves // 2}" if halves > 1 else ""
    return f"{whole}{'½' * (halves % 2)} {'hours' if halves > 2 else 'hour'}"


def missing(way, needed):
    """(page, what it needs) where a path has not been there and does not say so."""
    seen, found = set(way.granted.split()), []
    for page in way.steps():
        found += [(page, other) for other in needed[page] if other not in seen]
        seen.add(page)
    return found


def parts(root):
    """[(caption, its pages)]: a list of numbered pages has the caption of its opening."""
    toc = yaml.safe_load((Path(root) / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    names = lambda part: [Path(chapter["file"]).name for chapter in part["chapters"]]
    return [
        (before["caption"], names(part))
        for before, part in zip(toc, toc[1:], strict=False)
        if part.get("numbered")
    ]


class Book:
    """The pages of the parts: their texts and their titles."""

    def __init__(self, env):
        self.parts = parts(env.srcdir)
        files = {
            page: Path(env.srcdir, "chapters", f"{page}.md")
            for _, own in self.parts
            for page in own
        }
        for file in (*files.values(), Path(env.srcdir, "_toc.yml")):
            env.note_dependency(str(file))
        self.texts = {page: file.read_text(encoding="utf-8") for page, file in files.items()}
        self.needs = {page: needs(text) for page, text in self.texts.items()}
        self.further = {page for page, text in self.texts.items() if BEYOND in text}
        # without what stands behind a colon, or behind a question
        self.titles = {
            page: re.match(r"[^:?]*\??", title_of(env, page))[0] for page in self.texts
        }


# --- paths
# ------------------------------------------------------------------------------------------------


class Ways(SphinxDirective):
    """`{ways}`: a list of all paths."""

    def run(self):
        book = Book(self.env)
        lines = [f"* {line(way, book)}" for way in WAYS]
        return self.parse_text_to_nodes("\n".join(lines))


def line(way, book):
    """A path in Markdown."""
    link = lambda page: f"[{book.titles[page]}]({page}.md)"
    hours = spoken(sum(minutes(book.texts[page]) for page in way.steps()))
    trust = " and ".join(map(link, way.granted.split()))
    trust = f" It takes on trust what it uses of {trust}." if trust else ""
    return (
        f"**{way.reader}** {len(way.steps())} pages, about {hours}: "
        f"{' → '.join(map(link, way.steps()))}. {way.says}{trust}"
    )


# --- the map
# ------------------------------------------------------------------------------------------------

WIDE, GAP, HIGH, ROW, HEAD = 104, 16, 46, 58, 34
LETTERS = 16                         # in a line of a box


def direct(needed):
    """What each page needs that none of the other pages that it needs has needed before."""
    above = {}

    def all_above(page):
        if page not in above:
            above[page] = {other for one in needed[page] for other in {one, *all_above(one)}}
        return above[page]

    return {
        page: [one for one in own if not any(one in all_above(other) for other in own)]
        for page, own in needed.items()
    }


def places(book_parts):
    """{page: the corner of its box}: a column for each part."""
    return {
        page: (column * (WIDE + GAP), HEAD + row * ROW)
        for column, (_, own) in enumerate(book_parts)
        for row, page in enumerate(own)
    }


def edge(start, end):
    """From one box to another one: from right to left, or within a column down its left side."""
    (x, y), (u, v) = start, end
    y, v = y + HIGH / 2, v + HIGH / 2
    if x == u:
        return f"M{x} {y}C{x - 12} {y} {x - 12} {v} {x} {v}"
    middle = (x + WIDE + u) / 2
    return f"M{x + WIDE} {y}C{middle} {y} {middle} {v} {u} {v}"


class Map(SphinxDirective):
    """`{map}`: all pages as boxes that lead to them, with lines from what each of them needs."""

    def run(self):
        book = Book(self.env)
        return [map_of_pages("", parts=book.parts, titles=book.titles, needs=book.needs,
                             further=book.further)]


class map_of_pages(nodes.General, nodes.Element):
    """Stands for the map until its page is written: then it is known where the others are."""


def fill_map(app, doctree, docname):
    for place in list(doctree.findall(map_of_pages)):
        uri = lambda page: app.builder.get_relative_uri(docname, f"chapters/{page}")
        drawn = drawn_map(
            place["parts"], place["titles"], place["needs"], place["further"], uri
        )
        place.replace_self(nodes.raw("", drawn, format="html"))


def drawn_map(book_parts, titles, needed, further, uri):
    """The map for a wide window, and for a narrow one a list that says the same. A further page has
    a dashed box."""
    at, lines = places(book_parts), direct(needed)
    edges = {page: "".join(edge(at[one], at[page]) for one in own) for page, own in lines.items()}
    colour = {page: k for k, (_, own) in enumerate(book_parts, 1) for page in own}
    said = {
        page: f"{titles[page]}{', a further page' * (page in further)}"
        f"{', needs ' * bool(own)}{' and '.join(titles[one] for one in own)}"
        for page, own in lines.items()
    }
    width = len(book_parts) * (WIDE + GAP) - GAP
    height = max(y for _, y in at.values()) + HIGH + 2
    heads = "".join(
        f'<text class="dp-map-part" x="{column * (WIDE + GAP)}" y="{HEAD - 10 - 13 * above}">'
        f"{row}</text>"
        for column, (caption, _) in enumerate(book_parts)
        for above, row in enumerate(reversed(textwrap.wrap(html.escape(caption), LETTERS - 1)))
    )
    kind = {
        page: f"dp-map-{number}{' dp-map-further' * (page in further)}"
        for page, number in colour.items()
    }
    boxes = "".join(
        f'<a href="{uri(page)}" aria-label="{html.escape(said[page])}" '
        f'class="{kind[page]}"><path d="{edges[page]}"/>'
        f'<rect x="{x}" y="{y}" width="{WIDE}" height="{HIGH}" rx="4"/>'
        f"{words(titles[page], x, y)}</a>"
        for page, (x, y) in at.items()
    )
    listed = "".join(
        f"<li>{html.escape(caption)}<ul>"
        + "".join(
            f'<li><a href="{uri(page)}">{html.escape(titles[page])}</a>'
            f"{' (a further page)' * (page in further)}</li>"
            for page in own
        )
        + "</ul></li>"
        for caption, own in book_parts
    )
    return (
        f'<div class="dp-map"><svg viewBox="-14 0 {width + 28} {height}" role="group" '
        'aria-label="The pages of the book in columns by part, with lines from what each of them '
        f'needs"><path class="dp-map-lines" d="{"".join(edges.values())}"/>{heads}{boxes}</svg>'
        f"<ul>{listed}</ul></div>"
    )


def words(title, x, y):
    """A title in at most three lines, in the middle of its box."""
    rows = textwrap.wrap(title, LETTERS)
    top = y + HIGH / 2 - 6.5 * len(rows) + 9.5
    return "".join(
        f'<text x="{x + 6}" y="{top + 13 * k:g}">{html.escape(row)}</text>'
        for k, row in enumerate(rows)
    )


def setup(app):
    app.add_directive("ways", Ways)
    app.add_directive("map", Map)
    app.add_node(map_of_pages)
    app.connect("doctree-resolved", fill_map)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
