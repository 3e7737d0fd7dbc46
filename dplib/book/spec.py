"""What an author may write in an `Explorer`, and what is said when it is wrong.

The vocabulary is frozen to what both renderers draw (`web/draw.js` on screen, `still.py` in print).
It is checked in full, because Observable Plot takes an unknown string for the name of a field and
then draws nothing, or throws in the reader's browser.
"""
import inspect
import json
import math
import re
from difflib import get_close_matches
from numbers import Real
from typing import NamedTuple

import numpy as np

from .grammar import with_role


class Kind(NamedTuple):
    """A kind of mark: the channels that place it, those it needs and those it may have, and the
    function of still.py that draws it. On screen Observable Plot has one of the same name."""

    needs: str
    may: str
    drawn_by: str


MARKS = dict(areaY=Kind("x y1 y2", "", "draw_area"), dot=Kind("x y", "", "draw_dots"),
             line=Kind("x y", "", "draw_line"), rect=Kind("x1 x2 y1 y2", "", "draw_rects"),
             rectY=Kind("x1 x2 y1 y2", "", "draw_rects"), ruleX=Kind("x", "y1 y2", "draw_rules"),
             ruleY=Kind("y", "x1 x2", "draw_rules"), text=Kind("x y text", "", "draw_texts"))
ELSEWHERE = dict(bar="rectY", barY="rectY", hist="rectY", plot="line", lineY="line", scatter="dot",
                 point="dot", circle="dot", area="areaY", fill_between="areaY", axvline="ruleX",
                 vlines="ruleX", axhline="ruleY", hlines="ruleY", annotate="text",
                 color="stroke", linewidth="strokeWidth", alpha="strokeOpacity", size="r",
                 xlim="domain", ylim="domain", limits="domain", scale="type", title="label",
                 linestyle="strokeDasharray")      # what other libraries call it
INKS = {"c1", "c2", "c3", "c4", "currentColor", "none"}
WORDS = dict(
    stroke=INKS,
    fill=INKS,
    labelAt={"first", "last"},
    textAnchor={"start", "middle", "end"},
    curve={"linear", "step", "step-before", "step-after"},
    shapeRendering={"crispEdges", "auto"},
)
NUMBERS = {"strokeWidth", "r", "dx", "dy", "fontSize", "fontWeight"}
OPACITIES = {"fillOpacity", "strokeOpacity"}
AXIS = {"label", "type", "domain", "ticks", "tickFormat"}
MAX_ERROR = 5e-4                    # of a logarithmic column, relative: a sixth of a pixel in 360
MIN_DRAWS = 20                      # fewer do not look random
MARGINS = {"marginTop", "marginRight", "marginBottom", "marginLeft"}


def name_of(f):
    return getattr(f, "__name__", repr(f))


def no_meaning(where, word, words, known):
    """The error of a word outside of a vocabulary: the vocabulary, and what may have been meant."""
    near = [ELSEWHERE.get(word), *get_close_matches(str(word), known, 1)]
    hint = "".join(f"; did you mean {name!r}?" for name in near if name in known)
    return ValueError(f"{where} {word!r} has no meaning; {words} are {', '.join(known)}{hint}")


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


# ----------------------------------------------------------------------------- controls and columns

def dependencies(explorer, f):
    """The names a function depends on, "draw" for its `rng`."""
    names = list(inspect.signature(f).parameters)
    for name in names:
        if name not in explorer.controls and name != "rng":
            where = f"{explorer}: {name_of(f)} takes an argument that is no control:"
            raise no_meaning(where, name, "the controls", [*explorer.controls, "rng"])
    return ["draw" if n == "rng" else n for n in names]


def check_control(where, c):
    """The label of one control, its grid, and where it starts."""
    if not c.label:
        raise ValueError(f"{where}: label is empty")
    if (
        len(c.values) < 2
        or not np.isfinite(c.values).all()
        or not (np.diff(c.values) > 0).all()
    ):
        raise ValueError(
            f"{where}: values must be two or more finite numbers that increase strictly, got "
            f"{c.values}"
        )
    if c.log and c.values[0] <= 0:
        raise ValueError(f"{where}: a log scale needs positive values, got {c.values[0]}")
    if c.integer and not all(isinstance(v, int) for v in c.values):
        raise ValueError(f"{where}: values must be integers, got {c.values}")
    if not isinstance(c.start, int) or not 0 <= c.start < len(c.values):
        raise ValueError(
            f"{where}: start must be an index from 0 to {len(c.values) - 1}, got {c.start!r}"
        )
    if c.names and (len(c.names) != len(c.values) or not all(c.names)):
        raise ValueError(f"{where}: names must be one word for each of {c.values}, got {c.names}")
    if c.drag not in ("", "x", "y"):
        raise ValueError(f"{where}: drag must be 'x' or 'y', got {c.drag!r}")


def check_controls(explorer, plot):
    if not (isinstance(explorer.id, str) and re.fullmatch("[a-z][a-z0-9-]*", explorer.id)):
        raise ValueError(f"explorer id {explorer.id!r}: use lower-case letters, digits and hyphens")
    for name, c in explorer.controls.items():
        where = f"{explorer}: control {name!r}"
        if not name.isidentifier() or name in ("draw", "rng", "guess"):
            raise ValueError(f"{where}: this name is taken or is no name")
        check_control(where, c)
    used = {n for by in explorer.moved_by for n in by}
    domains = [
        v for side in "xy" for v in (plot.get(side) or {}).get("domain") or () if isinstance(v, str)
    ]
    if idle := [n for n in explorer.controls if n not in used and n not in domains]:
        raise ValueError(f"{explorer}: the controls {idle} move nothing")
    if ("draw" in used) != (explorer.draws > 0) or 0 < explorer.draws < MIN_DRAWS:
        raise ValueError(
            f"{explorer}: draws must be at least {MIN_DRAWS} if a function takes rng, and 0 if "
            f"none does, got {explorer.draws}"
        )


def check_columns(explorer, place, result):
    """What a function returned, as {name: 1-d float array}, NaN at gaps."""
    if not isinstance(result, dict) or not result:
        raise ValueError(
            f"{explorer}: {place} must return a dict of columns, got {type(result).__name__}"
        )
    columns = {}
    for name, value in result.items():
        where = f"{explorer}: {place} column {name!r}"
        try:
            # a mask may be deep in a list; a number and an array have none, and are most of all
            plain = isinstance(value, Real) or type(value) is np.ndarray
            column = (np if plain else np.ma).asarray(value, dtype=float)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{where} is not numeric: {error}") from error
        if column.ndim > 1 or not column.size:
            raise ValueError(
                f"{where} must be a number or a non-empty 1-d array, got shape {column.shape}"
            )
        numbers = np.atleast_1d(np.ma.getdata(column))
        gaps = np.atleast_1d(np.ma.getmaskarray(column))
        if (bad := ~np.isfinite(numbers) & ~gaps).any():
            i = int(np.argmax(bad))
            raise ValueError(
                f"{where} has {numbers[i]} at entry {i}; a gap is a masked entry (numpy.ma)"
            )
        columns[name] = np.where(gaps, np.nan, numbers)
    return columns


def check_names(explorer, columns, others):
    """A name must stand for one thing."""
    if twice := sorted(set(columns) & set(others)):
        raise ValueError(f"{explorer}: two functions give the columns {twice}")
    if both := sorted(set(columns) & {*explorer.controls, "draw", "rng"}):
        raise ValueError(f"{explorer}: the names {both} stand for a control and a column")


def check_error(explorer, name, values, scale, error):
    """Codes are uint16: over more than about 28 decades they would show in the figure."""
    if scale["scale"] == "log" and error > MAX_ERROR:
        low, high = np.nanmin(values[values > 0]), np.nanmax(values)
        raise ValueError(f"{explorer}: column {name!r} spans {low:.1e} to {high:.1e}: "
                         "set what is negligible to 0, or mask it")


def check_shapes(explorer, f, first, row, values):
    """Every grid point of a function must give the same columns of the same lengths."""
    shape = lambda columns: {name: a.size for name, a in columns.items()}
    if shape(first) != shape(row):
        raise ValueError(
            f"{explorer}: {name_of(f)} gives the column lengths {shape(row)} at {values}, but "
            f"{shape(first)} at the first grid point"
        )


# -------------------------------------------------------------------------------- the figure

def check_plot(explorer, plot, table):
    """The checked figure as plain JSON; an axis without a domain gets one that covers every
    tabulated value."""
    known = ["x", "y", "marks", "empty", "equal", *sorted(MARGINS)]
    for entry in sorted(set(plot) - {*known}):
        raise no_meaning(f"{explorer}: plot:", entry, "entries", known)
    try:
        plot = json.loads(json.dumps(plot, default=lambda v: v.tolist(), allow_nan=False))
    except (TypeError, ValueError, AttributeError) as error:
        raise ValueError(
            f"{explorer}: plot must be finite numbers, strings, lists and dicts: {error}"
        ) from error
    if not plot.get("marks"):
        raise ValueError(f"{explorer}: plot has no marks")
    if plot.get("equal", True) is not True:
        raise ValueError(f"{explorer}: plot: equal must be True, got {plot['equal']!r}")
    for number, mark in enumerate(plot["marks"]):
        if not (isinstance(mark, list) and len(mark) == 2 and isinstance(mark[0], str)
                and isinstance(mark[1], dict)):
            raise ValueError(f"{explorer}: mark {number} must be [kind, options], got {mark!r}")
        if mark[0] not in MARKS:
            raise no_meaning(f"{explorer}: mark {number}:", mark[0], "marks", list(MARKS))
        try:
            mark[:] = with_role(mark)
        except ValueError as error:
            raise ValueError(f"{explorer}: mark {number} ({mark[0]}): {error}") from error
        check_mark(f"{explorer}: mark {number} ({mark[0]})", *mark, table)
    for side in "xy":
        where = f"{explorer}: {side} axis"
        plot[side] = check_axis(
            where, side, plot.get(side), plot["marks"], explorer.controls, table
        )
        if plot.get("equal") and plot[side]["type"] == "log":
            raise ValueError(f"{where} is logarithmic, and its units have no length: no equal axes")
    return plot


def check_mark(where, kind, options, table):
    needed, optional = set(MARKS[kind].needs.split()), set(MARKS[kind].may.split())
    looks = {*WORDS, *NUMBERS, *OPACITIES, "strokeDasharray"}
    known = sorted(needed | optional | looks | {"label", "role", "answer"})
    for option in sorted(set(options) - {*known}):
        raise no_meaning(f"{where}: option", option, "its options", known)
    if missing := needed - set(options):
        raise ValueError(f"{where} needs {sorted(missing)}")
    lengths = {}
    for option, v in options.items():
        wrong = f"{where}: {option} = {v!r} "
        if option in needed | optional and option != "text" or option in OPACITIES:
            if not is_number(v) and v not in table:
                raise ValueError(
                    wrong + f"is neither a number nor a column (there are {sorted(table)})"
                )
            if not is_number(v):
                lengths[v] = table[v].shape[-1]
            if (
                option in OPACITIES
                and not ((0 <= (a := table.get(v, v))) & (a <= 1) | np.isnan(a)).all()
            ):
                raise ValueError(wrong + "must lie between 0 and 1")
        elif option in WORDS:
            if v not in WORDS[option]:
                raise ValueError(wrong + f"must be one of {sorted(WORDS[option])}")
        elif option in NUMBERS:
            if not is_number(v):
                raise ValueError(wrong + "must be a number")
        elif option == "answer":
            if v is not True:
                raise ValueError(wrong + "must be True: the mark shows what is to be guessed")
        elif option == "strokeDasharray":
            if not re.fullmatch(r"\d+( \d+)*", str(v)):
                raise ValueError(wrong + 'must be lengths such as "6 3"')
    if len(set(lengths.values()) - {1}) > 1:
        raise ValueError(f"{where}: its columns have different lengths {lengths}")


def positions(mark, side):
    """The channels of a mark that lie on an axis."""
    return [v for option, v in mark[1].items() if option in (side, side + "1", side + "2")]


def check_axis(where, side, axis, marks, controls, table):
    axis = dict(axis or {})
    for option in sorted(set(axis) - AXIS):
        raise no_meaning(f"{where}: option", option, "its options", sorted(AXIS))
    if not axis.get("label"):
        raise ValueError(f"{where} needs a label, with its unit")
    ticks = axis.get("ticks", 5)
    if not (
        isinstance(ticks, list)
        and all(map(is_number, ticks))
        or isinstance(ticks, int)
        and ticks > 0
    ):
        raise ValueError(
            f"{where}: ticks must be a list of numbers or how many of them, got {ticks!r}"
        )
    log = axis.setdefault("type", "linear") == "log"
    if axis["type"] not in ("linear", "log"):
        raise ValueError(f"{where}: type must be 'linear' or 'log', got {axis['type']!r}")
    shown = [
        (v, np.ravel(table[v] if v in table else float(v)))
        for mark in marks
        for v in positions(mark, side)
    ]
    for name, values in shown:
        if log and (low := np.nanmin(values, initial=np.inf)) <= 0:
            raise ValueError(f"{where} is logarithmic, but {name!r} has the value {low}: mask it")
    ends = [controls[v].values if v in controls else [v] for v in axis.get("domain", [])]
    if not ends:
        every = np.concatenate([values for _, values in shown] or [np.zeros(0)])
        low, high = (
            float(f(every, initial=start))
            for f, start in ((np.nanmin, np.inf), (np.nanmax, -np.inf))
        )
        if not low < high:
            raise ValueError(f"{where} needs a domain: its values run from {low} to {high}")
        return axis | dict(domain=round_domain(low, high, log))
    flat = [v for end in ends for v in end]
    if (
        len(ends) != 2
        or not all(map(is_number, flat))
        or not max(ends[0]) < min(ends[1])
        or log
        and min(flat) <= 0
    ):
        positive = ", positive ones" if log else ""
        raise ValueError(
            f"{where}: domain {axis['domain']} must be two increasing numbers or controls{positive}"
        )
    return axis


def round_domain(low, high, log):
    """An interval with round ends that covers [low, high]: whole decades, or about five steps of 1,
    2 or 5."""
    if log:
        return [
            float(f"1e{math.floor(math.log10(low))}"),
            float(f"1e{math.ceil(math.log10(high))}"),
        ]
    power = 10.0 ** math.floor(math.log10((high - low) / 5))
    step = next(digit * power for digit in (1, 2, 5, 10) if digit * power * 5 >= high - low)
    return [
        float(f"{round_to(end / step) * step:.12g}")
        for end, round_to in ((low, math.floor), (high, math.ceil))
    ]
