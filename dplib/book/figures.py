"""Still figures: matplotlib drawings that follow the reader's theme and say in words what they
show.

A figure shows itself as SVG inside the page, its inks turned into the CSS variables that the
explorers use, so that one drawing serves light and dark. Print and notebooks without CSS see the
light values.
"""

import base64
import html
import io
import re

import matplotlib
from matplotlib.figure import Figure

from .front import palette

# Matplotlib needs colours: these are the light theme's, and each names the variable that takes its
# place in the page.
INKS = palette()
C1, C2, C3, C4, INK, FAINT = (INKS[f"--dp-{name}"] for name in ("1", "2", "3", "4", "ink", "faint"))

STYLE = {
    "axes.edgecolor": INK,
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.prop_cycle": matplotlib.cycler(color=[C1, C2, C3, C4]),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.facecolor": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 2,
    "mathtext.fontset": "dejavusans",
    "savefig.facecolor": "none",
    "svg.fonttype": "path",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}
# for the whole process: axes and legends read their style when they are made
matplotlib.rcParams.update(STYLE)


# inches: the column of a laptop, and a little more than that of a phone
WIDTHS = dict(wide=7.2, narrow=3.9)


class ThemedFigure(Figure):
    """A matplotlib Figure that displays itself in both themes; make it with `figure`."""

    def _repr_mimebundle_(self, include=None, exclude=None):
        png = io.BytesIO()
        self.savefig(png, format="png", dpi=200, facecolor="white")
        return {
            "text/plain": self.alt,
            "text/html": self.html(),
            "image/png": base64.b64encode(png.getvalue()).decode(),
        }

    def html(self):
        """The drawing as SVG with CSS variables for inks, with its words for those who do not see
        it: once for the column of a laptop and once for a phone, of which the page shows one, so
        that the texts are of one size.
        """
        drawings = "".join(self.svg(name) for name in WIDTHS)
        alt = html.escape(self.alt, quote=True)
        return f'<div class="dp-still" role="img" aria-label="{alt}">{drawings}</div>'

    def svg(self, name):
        width, height = self.get_size_inches()
        share = WIDTHS[name] / width
        # half as much higher as it is wider
        self.set_size_inches(WIDTHS[name], height * (share + 1) / 2)
        drawing = io.StringIO()
        # ids that differ between figures, not between builds
        with matplotlib.rc_context({"svg.hashsalt": f"{name} {self.alt}"}):
            self.savefig(drawing, format="svg", metadata={"Date": None, "Creator": None})
        self.set_size_inches(width, height)
        svg = drawing.getvalue()
        svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg"):], flags=re.S)
        # black, matplotlib's "k", is the ink of either theme
        svg = svg.replace("#000000", INK)
        for variable, ink in INKS.items():
            svg = svg.replace(ink, f"var({variable}, {ink})")
        return svg.replace("<svg", f'<svg class="dp-{name}" aria-hidden="true"', 1)


def figure(*, alt, width=4.8, height=3.2):
    """An empty figure, `width` by `height` inches; `alt` says in words what it shows to somebody
    who does not see it.

    A page shows it in two other widths, `WIDTHS`, so place texts by the data. Draw on it with
    matplotlib's own methods and let it be the last line of the cell.
    """
    if not isinstance(alt, str) or not alt.strip():
        raise ValueError(f"alt must say in words what the figure shows, got {alt!r}")
    drawing = ThemedFigure(figsize=(width, height), layout="constrained")
    drawing.alt = alt
    return drawing
