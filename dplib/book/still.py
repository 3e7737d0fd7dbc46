"""Explorers in print: the figure at its start, drawn by matplotlib from the description that
draw.js draws."""
import base64
import html
import io
import re

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter, PercentFormatter

from .front import palette
from .sentences import fill_in, format, start_text
from .spec import MARKS

# Matplotlib needs colours; `svg` turns them back into the variables of palette.css.
VARIABLES = {colour: f"var({name})" for name, colour in palette().items()}
INKS = {f"c{i}": palette()[f"--dp-{i}"] for i in (1, 2, 3, 4)} | {
    "currentColor": palette()["--dp-ink"],
    "none": "none",
}
PAPER, FAINT = palette()["--dp-paper"], palette()["--dp-faint"]
STEPS = {
    "linear": "default",
    "step": "steps-mid",
    "step-before": "steps-pre",
    "step-after": "steps-post",
}
SIDES = {"start": "left", "middle": "center", "end": "right"}
POINT = 0.75                                                               # points in a CSS pixel


def still(explorer):
    """A matplotlib Figure of the explorer at its start."""
    columns, plot = explorer.at(), explorer.spec["plot"]
    values = {name: c.values[c.start] for name, c in explorer.controls.items()}
    figure = Figure(figsize=(6.2, 3.6), layout="constrained", facecolor=PAPER)
    ax = figure.subplots()
    set_axes(ax, plot, values)
    fill = lambda text: fill_in(explorer, text, columns, values)
    labels = []
    for kind, options in plot["marks"]:
        mark = Mark(kind, options, columns)
        DRAW[kind](ax, mark, fill)
        if "label" in options and (at := mark.anchor(ax)):
            labels.append((at, fill(options["label"]), mark.label_ink))
    place_labels(ax, labels)
    return figure


class Mark:
    """The options of a mark with its columns put in, every channel as long as the longest."""

    def __init__(self, kind, options, columns):
        self.kind, self.options = kind, options
        given = {k: v for k, v in options.items() if re.fullmatch(r"[xy][12]?|\w+Opacity", k)}
        channels = {k: columns[v] if isinstance(v, str) else [v] for k, v in given.items()}
        self.length = max(map(len, channels.values()))
        self.channels = {
            k: np.broadcast_to(np.asarray(v, float), self.length) for k, v in channels.items()
        }

    def __getitem__(self, channel):
        return self.channels[channel]

    def __contains__(self, channel):
        return channel in self.channels

    def ink(self, option, default="none"):
        return INKS[self.options.get(option, default)]

    @property
    def label_ink(self):
        stroke = self.ink("stroke")
        return stroke if stroke != "none" else self.ink("fill", "currentColor")

    def stroke(self, default="none"):
        """Line properties as matplotlib's; dashes scale with the width there, but not in CSS."""
        width = self.options.get("strokeWidth", 1.5) * POINT
        dashes = [float(t) * POINT / width for t in self.options.get("strokeDasharray", "").split()]
        style = (0, dashes * (1 if len(dashes) % 2 == 0 else 2)) if dashes else "-"
        alpha = self.opacity("strokeOpacity")[0]
        return dict(
            color=self.ink("stroke", default), linewidth=width, linestyle=style, alpha=alpha
        )

    def opacity(self, option):
        return self.channels.get(option, np.ones(self.length))

    def anchor(self, ax):
        """Where the direct label belongs: the last (or first) point inside the frame, as in
        draw.js."""
        (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
        if self.kind == "ruleX":
            return self["x"][0], high
        if self.kind == "ruleY":
            return right, self["y"][0]
        x, y = (self.channels.get(side, self.channels.get(side + "2")) for side in "xy")
        inside = np.flatnonzero((x >= left) & (x <= right) & (y >= low) & (y <= high))
        if not inside.size:
            return None
        i = inside[0 if self.options.get("labelAt") == "first" else -1]
        return x[i], y[i]


def set_axes(ax, plot, values):
    for side, axis in (("x", ax.xaxis), ("y", ax.yaxis)):
        given = plot[side]
        getattr(ax, f"set_{side}scale")(given["type"])
        getattr(ax, f"set_{side}label")(given["label"], color=INKS["currentColor"])
        getattr(ax, f"set_{side}lim")(*(values.get(v, v) for v in given["domain"]))
        if "%" in given.get("tickFormat", ""):
            axis.set_major_formatter(PercentFormatter(1))
        elif given["type"] == "log":
            axis.set_major_formatter(FuncFormatter(lambda v, _: format(float(f"{v:.6g}"))))
            axis.set_minor_formatter(NullFormatter())
        if isinstance(given.get("ticks"), list):
            axis.set_ticks(given["ticks"])
    if plot.get("equal"):
        ax.set_aspect("equal")
    ax.set_axisbelow(True)
    ax.grid(color=FAINT)
    ax.set_facecolor(PAPER)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(INKS["currentColor"])
    ax.tick_params(which="both", colors=INKS["currentColor"])


def draw_line(ax, mark, fill):
    ax.plot(
        mark["x"],
        mark["y"],
        drawstyle=STEPS[mark.options.get("curve", "linear")],
        **mark.stroke("currentColor"),
    )


def draw_area(ax, mark, fill):
    step = STEPS[mark.options.get("curve", "linear")].removeprefix("steps-")
    ax.fill_between(
        mark["x"],
        mark["y1"],
        mark["y2"],
        step=None if step == "default" else step,
        edgecolor="none",
        facecolor=mark.ink("fill", "currentColor"),
        alpha=mark.opacity("fillOpacity")[0],
    )


def draw_dots(ax, mark, fill):
    filled = mark.ink("fill")
    edge = mark.ink("stroke", "none" if filled != "none" else "currentColor")
    shown = np.isfinite(mark["x"]) & np.isfinite(mark["y"])
    if not shown.any():                      # matplotlib takes no list of opacities for no dots
        return
    diameter, width = (
        2 * POINT * mark.options.get("r", 3),
        POINT * mark.options.get("strokeWidth", 1.5),
    )
    alpha = mark.opacity("fillOpacity")[shown] if filled != "none" else None
    ax.scatter(
        mark["x"][shown],
        mark["y"][shown],
        s=diameter**2,
        c=filled,
        edgecolors=edge,
        linewidths=width,
        alpha=alpha,
        zorder=3,
    )


def draw_rects(ax, mark, fill):
    edge, width = mark.ink("stroke"), mark.options.get("strokeWidth", 1) * POINT
    for x1, x2, y1, y2, alpha in zip(
        *(mark[c] for c in ("x1", "x2", "y1", "y2")), mark.opacity("fillOpacity")
    ):
        if np.isfinite([x1, x2, y1, y2]).all():
            face = mark.ink("fill", "currentColor" if edge == "none" else "none")
            ax.fill(
                [x1, x2, x2, x1],
                [y1, y1, y2, y2],
                facecolor=face if face == "none" else (face, alpha),
                edgecolor=edge,
                linewidth=width if edge != "none" else 0,
            )


def draw_rules(ax, mark, fill):
    along, across, lines = ("x", "y", ax.vlines) if mark.kind == "ruleX" else ("y", "x", ax.hlines)
    ends = ax.get_ylim() if across == "y" else ax.get_xlim()
    low, high = (
        mark[across + end] if across + end in mark else limit for end, limit in zip("12", ends)
    )
    style = mark.stroke("currentColor")
    lines(mark[along], low, high, colors=style["color"], linewidths=style["linewidth"],
          linestyles=[style["linestyle"]], alpha=style["alpha"])


def draw_texts(ax, mark, fill):
    o = mark.options
    offset = POINT * o.get("dx", 0), -POINT * o.get("dy", 0)
    weight = "bold" if o.get("fontWeight", 400) >= 600 else "normal"
    for at in zip(mark["x"], mark["y"]):
        if np.isfinite(at).all():
            ax.annotate(
                fill(o["text"]),
                at,
                offset,
                textcoords="offset points",
                annotation_clip=False,
                va="center",
                ha=SIDES[o.get("textAnchor", "middle")],
                color=mark.ink("fill", "currentColor"),
                weight=weight,
                size=POINT * o.get("fontSize", 13),
            )


DRAW = {kind: globals()[mark.drawn_by] for kind, mark in MARKS.items()}


def place_labels(ax, labels, gap=11):
    """Direct labels beside their anchors, at least `gap` points apart from bottom to top."""
    ground = -np.inf
    for at, text, ink in sorted(labels, key=lambda label: label[0][1]):
        height = ax.transData.transform(at)[1] * 72 / ax.figure.dpi
        lift = max(0.0, ground + gap - height)
        ground = height + lift
        ax.annotate(
            text,
            at,
            (5, lift),
            textcoords="offset points",
            annotation_clip=False,
            va="center",
            color=ink,
            weight="bold",
            size=9,
        )


# -------------------------------------------------------------------------------- files

def save(explorer, *kinds):
    """The still as bytes, one for each kind, "png", "pdf" or "svg"; the same bytes every time."""
    dated = {
        "png": ["Software"],
        "pdf": ["CreationDate"],
        "svg": ["Date", "Creator", "Format", "Type"],
    }
    files = [io.BytesIO() for _ in kinds]
    with rc_context({"svg.hashsalt": explorer.id, "svg.fonttype": "none", "font.size": 9}):
        figure = still(explorer)
        for kind, file in zip(kinds, files):
            figure.savefig(file, format=kind, dpi=144, metadata=dict.fromkeys(dated[kind]))
            figure.set_layout_engine("none")   # laid out it is now, which takes most of the time
    return [file.getvalue() for file in files]


def encode(picture):
    """A picture in base64, for a notebook's output."""
    return base64.b64encode(picture).decode()


def svg(explorer, picture=None):
    """The still, as it is or as it was saved, as inline SVG in the colours of the page's theme."""
    text = (picture or save(explorer, "svg")[0]).decode()
    alt = html.escape(start_text(explorer, "alt"))
    text = text[text.index("<svg"):].replace("<svg", f'<svg role="img" aria-label="{alt}"', 1)
    for colour, variable in VARIABLES.items():
        text = text.replace(colour, variable)
    return text
