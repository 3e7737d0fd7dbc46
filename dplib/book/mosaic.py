"""Every planted mistake that was caught, as a tile that leads to the check which caught it.

The whole mosaic stands on the page of claims, and a small picture of it on the front page. The
tiles' names are shown by chapters/_web/claims.js.
"""

import html
import itertools
import math
from dataclasses import dataclass

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from .checks import anchor, by_chapter, claims_file, records, title_of
from .claims import PAGE
from .statements import name_of

ACROSS = 70                         # tiles in a row of the small picture


@dataclass(frozen=True)
class Tile:
    """One mistake: on which page, what it was, by the check of which statement it was caught, and
    where that check stands on the page of claims."""

    chapter: str
    mistake: str
    label: str
    place: str


def tiles(checks):
    """A tile for each mistake, in the order of the checks."""
    return [
        Tile(record["chapter"], mistake, record["label"], anchor(record))
        for record in checks
        for mistake in record["caught"]
    ]


def groups(checks):
    """The tiles page by page: [(chapter, its tiles)]."""
    by_page = itertools.groupby(tiles(checks), key=lambda tile: tile.chapter)
    return [(chapter, list(own)) for chapter, own in by_page]


def shades(own):
    """0 or 1 for each tile of a page: checks that follow one another differ."""
    number = itertools.count()
    return [
        shade
        for _, of_check in itertools.groupby(own, key=lambda tile: tile.place)
        for shade in [next(number) % 2] * len(list(of_check))
    ]


class whole_mosaic(nodes.General, nodes.Element):
    """Stands for the mosaic until the statements are numbered."""


class ClaimsMosaic(SphinxDirective):
    """`{claims-mosaic}`: all tiles, page by page."""

    def run(self):
        self.env.note_dependency(str(claims_file(self.env)))
        return [whole_mosaic("")]


def fill_mosaic(app, doctree, docname):
    for place in list(doctree.findall(whole_mosaic)):
        env = app.env
        pages = [
            (title_of(env, chapter), own)
            for chapter, own in groups(by_chapter(records(env), env))
        ]
        place.replace_self(
            nodes.raw("", whole(pages, lambda label: name_of(env, label)), format="html")
        )


def whole(pages, called):
    """The mosaic as HTML: a list of links for each page, and a line for the name of a tile."""
    lists = "\n".join(
        f'<div class="dp-tiles"><p>{html.escape(title)} <span>{len(own)}</span></p>'
        f'<ul aria-label="Mistakes caught on the page {html.escape(title)}">'
        + "".join(
            f'<li><a class="dp-tile{" dp-other" * shade}" href="#{tile.place}" '
            f'aria-label="{html.escape(said(tile, called))}"></a></li>'
            for tile, shade in zip(own, shades(own), strict=True)
        )
        + "</ul></div>"
        for title, own in pages
    )
    return (
        '<div class="dp-mosaic"><p class="dp-tile-name" aria-hidden="true">'
        f"Each tile is a mistake that was planted and caught.</p>\n{lists}</div>"
    )


def said(tile, called):
    """What a tile is called; `called` gives the name of a statement for its label."""
    return f"{tile.mistake}: caught by the check of {called(tile.label)}"


class MosaicThumbnail(SphinxDirective):
    """`{mosaic-thumbnail}`: a small picture of all tiles, which leads to the page of claims."""

    def run(self):
        self.env.note_dependency(str(claims_file(self.env)))
        own = groups(by_chapter(records(self.env), self.env))
        return [thumbnail("", picture=picture(own))]


class thumbnail(nodes.General, nodes.Element):
    """Stands for the picture until its page is written: then it is known where the claims are."""


def fill_thumbnail(app, doctree, docname):
    for place in list(doctree.findall(thumbnail)):
        uri = app.builder.get_relative_uri(docname, PAGE)
        link = f'<a class="dp-thumbnail" href="{uri}">{place["picture"]}</a>'
        place.replace_self(nodes.raw("", link, format="html"))


def picture(own):
    """The tiles as one SVG, in rows, a colour for each page and the next."""
    flat = [(number % 2, tile) for number, (_, of_page) in enumerate(own) for tile in of_page]
    paths = ["", ""]
    for k, (colour, _) in enumerate(flat):
        paths[colour] += f"M{k % ACROSS * 10} {k // ACROSS * 10}h8v8h-8z"
    words = f"A mosaic of {len(flat)} tiles, one for each planted mistake that was caught"
    return (
        f'<svg viewBox="0 0 {ACROSS * 10 - 2} {math.ceil(len(flat) / ACROSS) * 10 - 2}" role="img" '
        f'aria-label="{words}">'
        + "".join(
            f'<path d="{path}" fill="var(--dp-{colour + 1})"/>'
            for colour, path in enumerate(paths)
        )
        + "</svg>"
    )


def setup(app):
    app.add_directive("claims-mosaic", ClaimsMosaic)
    app.add_directive("mosaic-thumbnail", MosaicThumbnail)
    for node in (whole_mosaic, thumbnail):
        app.add_node(node)
    app.connect("doctree-resolved", fill_mosaic)
    app.connect("doctree-resolved", fill_thumbnail)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
