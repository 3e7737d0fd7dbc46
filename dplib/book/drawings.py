"""Small drawings from the book, each a link to the page that it comes from: {drawings}."""

import html

import numpy as np
from docutils import nodes
from scipy.stats import norm
from sphinx.util.docutils import SphinxDirective

from dplib.accounting import binary_test_bound
from dplib.lower_bounds import packing_mass
from dplib.mean import clipped_mean_error_bound, two_stage_mean_error_bound

from .checks import title_of
from .figures import C1, C2, figure


def accuser(panel):
    x = np.linspace(0, 1, 201)
    panel.fill_between(x, x, binary_test_bound(x, epsilon=1), alpha=0.15)
    panel.plot(x, binary_test_bound(x, epsilon=1))


def ranges(panel):
    radius, given = np.geomspace(1, 1e6, 60), dict(size=1000, epsilon=0.5)
    panel.loglog(radius, clipped_mean_error_bound(radius=radius, **given), "--", color=C2)
    panel.loglog(radius, two_stage_mean_error_bound(radius=radius, **given), color=C1)


def wrong_answers(panel):
    people = np.arange(1, 15)
    forced = packing_mass(hypotheses=101, epsilon=0.5, delta=0, size=people, beta=0.5)
    panel.axhspan(0.5, 50, color=C2, alpha=0.15)
    panel.semilogy(people, forced, color=C1)


def two_densities(panel):
    z = np.linspace(-5, 6, 301)
    for middle, style in ((0, "-"), (1, "--")):
        panel.plot(z, np.exp(-abs(z - middle)), style, color=C2 if middle else C1)


def scores(panel):
    z = np.linspace(-5, 6, 301)
    for middle, ink in ((0, C2), (3.2, C1)):
        panel.fill_between(z, norm.pdf(z, middle), color=ink, alpha=0.4)


DRAWN = {
    "why-privacy": (
        two_densities,
        "The distributions of a number released in two worlds, with you and without you",
    ),
    "privacy": (accuser, "The kinked border of what an accuser can do"),
    "two-stage-mean": (ranges, "An error that grows with a range, and one that does not"),
    "packing": (wrong_answers, "The probability that privacy forces onto wrong answers"),
    "tracing": (scores, "The scores of strangers and of members"),
}


def drawing(draw, alt):
    """A panel without axes as SVG in the inks of the theme; its lines are thick, since it is shown
    at a third of its size."""
    picture = figure(alt=alt, width=3.9, height=1.7)
    panel = picture.subplots()
    draw(panel)
    for line in panel.get_lines():
        line.set_linewidth(6)
    panel.set_axis_off()
    svg = picture.svg("narrow").replace(' class="dp-narrow"', "", 1)
    return f'<span role="img" aria-label="{html.escape(alt)}">{svg}</span>'


class Drawings(SphinxDirective):
    """`{drawings}`: all of them, with the titles of their pages."""

    def run(self):
        return [drawings("", titles={page: title_of(self.env, page) for page in DRAWN})]


class drawings(nodes.General, nodes.Element):
    """Stands for them until their page is written: then it is known where the others are."""


def fill_drawings(app, doctree, docname):
    for place in list(doctree.findall(drawings)):
        links = "".join(
            f'<li><a href="{app.builder.get_relative_uri(docname, f"chapters/{page}")}">'
            f"{drawing(draw, alt)}{html.escape(place['titles'][page])}</a></li>"
            for page, (draw, alt) in DRAWN.items()
        )
        place.replace_self(nodes.raw("", f'<ul class="dp-drawings">{links}</ul>', format="html"))


def setup(app):
    app.add_directive("drawings", Drawings)
    app.add_node(drawings)
    app.connect("doctree-resolved", fill_drawings)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
