"""Explorers: figures with sliders, from one description in three renderings.

An author writes functions that return columns of numbers, and a figure that draws those columns. The arguments of a
function say which controls it depends on; an argument `rng` says that it is random. From this an `Explorer` makes

* a *static page*: every column tabulated over the grid of its controls, drawn by ``web/explore.js``, no server needed;
* a *live widget*: the same front end, which asks the kernel for columns, off the grid and with fresh randomness;
* a *print*: the figure at its starting values, drawn by matplotlib (`dplib.book.still`).

Whatever an author can get wrong raises a `ValueError` when the explorer is made, which is when the book is built.

Words used below: a *grid* is the tabulated values of one control, a *position* gives each control an index into its
grid, a *draw* is one stored run of the randomness, a *gap* (a masked entry of a column) is drawn as nothing.
"""
import base64
import collections
import functools
import gzip
import html
import itertools
import json
import math
import os
import re
import secrets
import zlib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from . import spec as specs

WEB = Path(__file__).parent / "web"
LEVELS = 65533                      # a uint16 code is 0 for a gap, 1 for an exact zero, else 2 + level
MAX_TABLE = 120_000                 # bytes of one explorer on its page, compressed
MAX_PAGE = 350_000                  # bytes of all explorers of a page with our script and the chart library, compressed


def front_end(static):
    """The script: classic for a page (it also runs from ``file://``), or the module that anywidget loads."""
    script = "".join((WEB / name).read_text(encoding="utf-8") for name in ("plot.js", "draw.js", "explore.js"))
    return f"(() => {{\n{script}\nboot();\n}})();\n" if static else f"{script}\nexport default {{ render }};\n"


def style():
    """The style sheet of both hosts; it also defines the book's palette."""
    return (WEB / "explore.css").read_text(encoding="utf-8")


def palette():
    """The light theme's colours by variable name, for print and wherever a style sheet cannot reach."""
    return dict(re.findall(r"(--dp-\w+): (#[0-9a-f]{6})", style().split("}")[0]))


def compressed(text):
    """Bytes of a text as a web server sends it."""
    return len(gzip.compress(text.encode(), 9, mtime=0))


def check_page(name, body):
    """Raise if an explorer shares its id with anything else on its page, or if the page's explorers weigh too much."""
    ids = collections.Counter(re.findall(r'<[^>]*\sid="([^"]+)"', body))
    explorers = re.findall(r'<div class="dp-static" id="([^"]+)">.*?</script></div>', body, flags=re.S)
    if twice := sorted(i for i in set(explorers) if ids[i] > 1):
        raise ValueError(f"page {name!r}: the explorer ids {twice} occur more than once (perhaps in a heading)")
    parts = [m[0] for m in re.finditer(r'<div class="dp-static" id="[^"]+">.*?</script></div>', body, flags=re.S)]
    if parts and (weight := compressed(front_end(static=True)) + sum(map(compressed, parts))) > MAX_PAGE:
        raise ValueError(f"page {name!r}: its explorers weigh {weight} bytes compressed, more than {MAX_PAGE}")


@dataclass(frozen=True)
class Control:
    """A slider over the grid `values`; a live kernel also computes between them (on a log scale, or in integers)."""

    label: str
    values: list
    start: int
    log: bool
    integer: bool
    unit: str
    name: str = ""


def slider(label, values, *, start=None, log=False, integer=False, unit=""):
    """A control: its label, its grid (six digits kept), the index it starts at (default: the middle), its unit."""
    kept = [int(v) if integer and float(v).is_integer() else float(f"{v:.6g}") for v in np.ravel(values)]
    return Control(label, kept, len(kept) // 2 if start is None else start, log, integer, unit)


def quantise(column):
    """Codes (uint16) of an array with NaN at its gaps, the scale to decode them, and the largest error made.

    Integers that span fewer than 65,533 are exact. Positive values over more than two decades are spaced
    logarithmically, zeros kept exact, and their error is relative; all others are spaced evenly.
    """
    gaps = np.isnan(column)
    known = column[~gaps]
    positive = known[known > 0]
    whole = known.size == 0 or not (known % 1).any() and np.ptp(known) < LEVELS
    log = not whole and positive.size > 0 and known.min() >= 0 and known.max() > 100 * positive.min()
    t = np.log(positive) if log else known
    low, high = (float(t.min()), float(t.max())) if t.size else (0.0, 0.0)
    step = 1.0 if whole or high == low else (high - low) / (LEVELS - 1)
    codes = np.zeros(column.shape, "<u2")
    levels = np.ones(known.shape)
    levels[known > 0 if log else slice(None)] = 2 + np.rint((t - low) / step)
    codes[~gaps] = levels
    scale = dict(scale="log" if log else "linear", low=low, step=step)
    deviation = np.abs(dequantise(codes[~gaps], **scale) - known)
    if log:
        deviation[known > 0] /= positive
    return codes, scale, float(np.max(deviation, initial=0))


def dequantise(codes, scale, low, step):
    """The values that codes stand for; the same formula as `unpack` in explore.js."""
    linear = low + step * (codes.astype(float) - 2)
    values = np.where(codes == 1, 0.0, np.exp(linear)) if scale == "log" else linear
    return np.where(codes == 0, np.nan, values)


def pack(codes):
    """Base64 of the differences of all codes modulo 2¹⁶, low bytes first, then high bytes: it compresses to half."""
    steps = np.diff(np.concatenate([np.zeros(1, "<u2"), *(c.ravel() for c in codes)]))
    return base64.b64encode((steps & 255).astype("u1").tobytes() + (steps >> 8).astype("u1").tobytes()).decode()


class Explorer:
    """A figure with sliders. As the last expression of a cell it shows itself.

    Parameters
    ----------
    id : str
        Its address on the page, ``page.html#id?eps=0.5``: lower-case letters, digits and hyphens, once per page.
    *functions : callable
        Each returns a dict of columns (numbers or 1-d arrays; a gap is a masked entry). Its argument names are names of
        controls, or ``rng``, a `numpy.random.Generator`: then `draws` runs are stored.
    controls : dict
        ``name=slider(...)``.
    plot : dict
        ``x`` and ``y``, the axes (label, type, domain, ticks, tickFormat), and ``marks``, a list of ``[kind, options]``
        in the words of Observable Plot; a string that names a column stands for it, "c1" to "c4" are the book's
        colours, ``label`` is a direct label at the last point (or ``labelAt="first"``). A domain may name controls;
        without one it covers every tabulated value.
    alt, readout : str
        What the figure shows, and a sentence that says the present result. ``{name}`` and ``{name[3]}`` are filled in.
    draws, seed : int
        Number of stored draws, and the seed of them all: every grid point and function has a stream of its own.

    Raises
    ------
    ValueError
        For anything that the page could not show; the message names the explorer, the place and the value.
    """

    def __init__(self, id, *functions, controls, plot, alt="", readout="", draws=0, seed=0):
        self.id, self.functions, self.draws, self.seed = id, functions, draws, seed
        self.controls = {name: replace(control, name=name) for name, control in controls.items()}
        self._by = [specs.dependencies(self, f) for f in functions]
        specs.check_controls(self, plot)
        self._table, self._columns, coded = {}, {}, []
        for k, by in enumerate(self._by):
            columns = self._tabulate(k)
            specs.check_names(self, columns, self._table)
            for name, values in columns.items():
                offset = sum(codes.size for codes in coded)
                self._table[name] = values
                self._columns[name] = dict(by=by, length=values.shape[-1])
                if by:
                    codes, scale, error = quantise(values)
                    specs.check_error(self, name, values, scale, error)
                    self._columns[name] |= dict(offset=offset, count=values.size, error=error, **scale)
                    coded.append(codes)
                else:                               # one column for the whole page: nine digits cost little
                    self._columns[name]["values"] = [None if math.isnan(v) else float(f"{v:.9g}") for v in values]
        plot = specs.check_plot(self, plot, self._table)
        specs.check_texts(self, self._table, dict(alt=alt, readout=readout), plot)
        fields = [vars(control) for control in self.controls.values()]
        self.spec = dict(id=id, alt=alt, readout=readout, draws=draws, controls=fields,
                         columns=self._columns, plot=plot)
        self._packed = pack(coded)
        if (weight := compressed(json.dumps(self._state()))) > MAX_TABLE:
            raise ValueError(f"{self}: its table weighs {weight} bytes compressed, more than {MAX_TABLE}: "
                             "use a coarser grid, shorter columns, integer noise or fewer draws")

    def __repr__(self):
        return f"explorer {self.id!r}"

    # -------------------------------------------------------------------------------- numbers

    def _call(self, k, values, index, seed):
        """The columns of function k at `values`; if it is random, from the stream of the grid point `index`."""
        f, by = self.functions[k], self._by[k]
        arguments = {name: values[name] for name in by if name != "draw"}
        place = f"{specs.name_of(f)}({', '.join(f'{n}={v!r}' for n, v in arguments.items())})"
        if "draw" in by:
            stream = [seed, zlib.crc32(self.id.encode()), k, *(index[name] for name in by)]
            arguments["rng"] = np.random.default_rng(stream)
        try:
            result = f(**arguments)
        except Exception as error:
            raise ValueError(f"{self}: {place} raised {type(error).__name__}: {error}") from error
        return specs.check_columns(self, place, result)

    def _tabulate(self, k):
        """The columns of function k over the grid of what it depends on; the last axis is the column."""
        by = self._by[k]
        sizes = [self.draws if name == "draw" else len(self.controls[name].values) for name in by]
        rows = []
        for point in itertools.product(*map(range, sizes)):
            index = dict(zip(by, point))
            rows.append(self._call(k, self._values(index), index, self.seed))
            specs.check_shapes(self, self.functions[k], rows[0], rows[-1], self._values(index))
        return {name: np.stack([row[name] for row in rows]).reshape(*sizes, -1) for name in rows[0]}

    def _values(self, index):
        return {name: self.controls[name].values[i] for name, i in index.items() if name != "draw"}

    def position(self, **index):
        """A complete position: the start where `index` says nothing."""
        return {name: c.start for name, c in self.controls.items()} | {"draw": 0} | index

    def at(self, draw=0, **index):
        """The tabulated columns at a grid point, given by the indices of its controls; NaN at gaps."""
        point = self.position(draw=draw, **index)
        return {name: self._table[name][tuple(point[b] for b in c["by"])] for name, c in self._columns.items()}

    def compute(self, values, index, seed=None):
        """The columns computed afresh at `values`; a random function uses the stream of the grid point `index`."""
        columns = {}
        for k in range(len(self.functions)):
            columns |= self._call(k, values, index, self.seed if seed is None else seed)
        return columns

    # -------------------------------------------------------------------------------- renderings

    def _state(self):
        spec = json.dumps(self.spec, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return dict(spec=spec, table=self._packed)

    def html(self):
        """The static page's part: the table, and for readers without JavaScript a picture at the starting values."""
        from . import still

        state = json.dumps(self._state(), ensure_ascii=False).replace("</", "<\\/")
        readout = html.escape(specs.start_text(self, "readout"))
        return (f'<div class="dp-static" id="{self.id}"><noscript>{still.svg(self)}<p>{readout}</p></noscript>'
                f'<script type="application/json">{state}</script></div>')

    def answer(self, message, seed):
        """The kernel's reply to the front end: its message, and one buffer of float64 per column."""
        values = {name: (int if c.integer else float)(message["values"][name]) for name, c in self.controls.items()}
        try:
            columns = self.compute(values, message["index"], seed)
        except ValueError as error:
            return dict(id=message["id"], error=str(error)), []
        return dict(id=message["id"], names=list(columns)), [column.tobytes() for column in columns.values()]

    def widget(self):
        """The live widget. *Fresh randomness* replaces the seed, so that all draws are new; a slider keeps it."""
        widget, seed = widget_class()(**self._state()), [self.seed]

        def reply(_, message, buffers):
            if message["fresh"]:
                seed[0] = secrets.randbits(64)
            widget.send(*self.answer(message, seed[0]))

        widget.on_msg(reply)
        return widget

    def _ipython_display_(self):
        from IPython.display import display

        from . import still

        alt = specs.start_text(self, "alt")
        if os.environ.get("DPLIB_STATIC") == "1":
            pictures = {"application/pdf": still.encode(self, "pdf"), "image/png": still.encode(self, "png")}
            display({"text/html": self.html(), "text/plain": alt} | pictures, raw=True)
            return
        # A saved notebook keeps outputs but no kernel, and then this picture is what its reader sees.
        # Beside a live widget explore.css hides it.
        picture = f"data:image/png;base64,{still.encode(self, 'png')}"
        image = f'<img class="dp-unplugged" alt="{html.escape(alt)}" src="{picture}">'
        display({"text/html": image, "text/plain": alt}, raw=True)
        self._widget = self.widget()
        display(self._widget)


@functools.cache
def widget_class():
    """The anywidget class; made on first use, because a page that is only built does not need it."""
    import anywidget
    import traitlets

    class ExplorerWidget(anywidget.AnyWidget):
        _esm, _css = front_end(static=False), style()
        spec, table = traitlets.Unicode().tag(sync=True), traitlets.Unicode().tag(sync=True)

    return ExplorerWidget
