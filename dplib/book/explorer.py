"""Explorers: figures with sliders, from one description in three renderings.

An author writes functions that return columns of numbers, and a figure that draws those columns.
The arguments of a function say which controls it depends on; an argument `rng` says that it is
random. From this an `Explorer` makes

* a *static page*: every column tabulated over the grid of its controls, drawn by
  ``web/explore.js``, no server needed;
* a *live widget*: the same front end, which asks the kernel for columns, off the grid and with
  fresh randomness;
* a *print*: the figure at its starting values, drawn by matplotlib (`dplib.book.still`).

Whatever an author can get wrong raises a `ValueError` when the explorer is made, which is when the
book is built.

Words used below: a *grid* is the tabulated values of one control, a *position* gives each control
an index into its grid, a *draw* is one stored run of the randomness, a *gap* (a masked entry of a
column) is drawn as nothing.
"""
import html
import itertools
import json
import math
import os
import zlib
from dataclasses import replace

import numpy as np

from . import guesses, live, sentences, still
from . import spec as specs
from .columns import pack, quantise
from .front import compressed

MAX_TABLE = 120_000                 # bytes of one explorer on its page, compressed


class Explorer:
    """A figure with sliders. As the last expression of a cell it shows itself.

    Parameters
    ----------
    id : str
        Its address on the page, ``page.html#id?eps=0.5``: lower-case letters, digits and hyphens,
        once per page.
    *functions : callable
        Each returns a dict of columns (numbers or 1-d arrays; a gap is a masked entry). Its
        argument names are names of controls, or ``rng``, a `numpy.random.Generator`: then `draws`
        runs are stored.
    controls : dict
        ``name=slider(...)``.
    plot : dict
        ``x`` and ``y``, the axes (label, type, domain, ticks, tickFormat), and ``marks``, a list of
        ``[kind, options]`` in the words of Observable Plot; a string that names a column stands for
        it, "c1" to "c4" are the book's colours, ``role`` is a look that recurs (`grammar.ROLES`),
        ``label`` is a direct label at the last point (or ``labelAt="first"``). A domain may name
        controls; without one it covers every tabulated value. ``empty`` says in words why, where no
        line or dot is inside the frame. ``equal=True`` draws a plane, with units of one length.
    guess : Guess, optional
        ``guess(...)``: a question that the reader answers before marks with ``answer=True``, the
        readout and the controls are shown.
    names : dict of lists of str, optional
        ``asked=["women", "men"]``: what a text says for the values 0, 1, ... of a column.
    alt, readout : str
        What the figure shows, and a sentence that says the present result. ``{name}`` and
        ``{name[3]}`` are filled in.
    draws, seed : int
        Number of stored draws, and the seed of them all: every grid point and function has a stream
        of its own.

    Raises
    ------
    ValueError
        For anything that the page could not show; the message names the explorer, the place and the
        value.
    """

    def __init__(self, id, *functions, controls, plot, guess=None, names=None, alt="", readout="",
                 draws=0, seed=0):
        self.id, self.functions, self.draws, self.seed = id, functions, draws, seed
        self.controls = {name: replace(control, name=name) for name, control in controls.items()}
        self.moved_by = [specs.dependencies(self, f) for f in functions]
        specs.check_controls(self, plot)
        self._table, self._columns, coded = {}, {}, []
        for k, by in enumerate(self.moved_by):
            columns = self._tabulate(k)
            specs.check_names(self, columns, self._table)
            for name, values in columns.items():
                offset = sum(codes.size for codes in coded)
                self._table[name] = values
                self._columns[name] = dict(by=by, length=values.shape[-1])
                if by:
                    codes, scale, error = quantise(values)
                    specs.check_error(self, name, values, scale, error)
                    self._columns[name] |= dict(
                        offset=offset, count=values.size, error=error, **scale
                    )
                    coded.append(codes)
                # one column for the whole page: nine digits cost little
                else:
                    self._columns[name]["values"] = [
                        None if math.isnan(v) else float(f"{v:.9g}") for v in values
                    ]
        plot = specs.check_plot(self, plot, self._table)
        sentences.check_texts(self, self._table, dict(alt=alt, readout=readout), plot)
        fields = [vars(control) for control in self.controls.values()]
        self.spec = dict(id=id, alt=alt, readout=readout, draws=draws, controls=fields,
                         columns=self._columns, plot=plot,
                         names=sentences.check_names(self, names, self._table),
                         guess=guesses.check_guess(self, guess, plot, self._table))
        self._packed = pack(coded)
        if (weight := compressed(json.dumps(self.state()))) > MAX_TABLE:
            raise ValueError(
                f"{self}: its table weighs {weight} bytes compressed, more than {MAX_TABLE}: use a "
                "coarser grid, shorter columns, integer noise or fewer draws"
            )

    def __repr__(self):
        return f"explorer {self.id!r}"

    # -------------------------------------------------------------------------------- numbers

    def _call(self, k, values, index, seed):
        """The columns of function k at `values`; if it is random, from the stream of the grid point
        `index`."""
        f, by = self.functions[k], self.moved_by[k]
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
        """The columns of function k over the grid of what it depends on; the last axis is the
        column."""
        by = self.moved_by[k]
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
        """The tabulated columns at a grid point, given by the indices of its controls; NaN at
        gaps."""
        point = self.position(draw=draw, **index)
        return {
            name: self._table[name][tuple(point[b] for b in c["by"])]
            for name, c in self._columns.items()
        }

    def compute(self, values, index, seed=None):
        """The columns computed afresh at `values`; a random function uses the stream of the grid
        point `index`."""
        columns = {}
        for k in range(len(self.functions)):
            columns |= self._call(k, values, index, self.seed if seed is None else seed)
        return columns

    # -------------------------------------------------------------------------------- renderings

    def state(self):
        """What the front end is given: the description, and the table that it unpacks."""
        spec = json.dumps(self.spec, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return dict(spec=spec, table=self._packed)

    def html(self, svg=None):
        """The static page's part: the table, and for readers without JavaScript the still, which
        is drawn unless it is given."""
        state = json.dumps(self.state(), ensure_ascii=False).replace("</", "<\\/")
        said = html.escape(sentences.start_text(self, "readout"))
        picture = f"{still.svg(self, svg)}<p>{said}</p>"
        if asked := self.spec["guess"]:
            ask = html.escape(asked["label"])
            picture = f"<details><summary>{ask} The answer</summary>{picture}</details>"
        return (
            f'<div class="dp-static" id="{self.id}"><noscript>{picture}</noscript>'
            f'<script type="application/json">{state}</script></div>'
        )

    def _ipython_display_(self):
        from IPython.display import display

        alt = sentences.start_text(self, "alt")
        if os.environ.get("DPLIB_STATIC") == "1":
            svg, pdf = still.save(self, "svg", "pdf")
            display({"text/html": self.html(svg), "text/plain": alt,
                     "application/pdf": still.encode(pdf)}, raw=True)
            return
        # A saved notebook keeps outputs but no kernel, and then this picture is what its reader
        # sees. Beside a live widget explore.css hides it.
        [png] = still.save(self, "png")
        picture = f"data:image/png;base64,{still.encode(png)}"
        image = f'<img class="dp-unplugged" alt="{html.escape(alt)}" src="{picture}">'
        display({"text/html": image, "text/plain": alt}, raw=True)
        self._widget = live.widget(self)
        display(self._widget)
