"""The controls of an explorer: sliders over a grid of values, buttons for its categories, and a
guess that a reader makes before the answer is shown."""

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Control:
    """A slider over the grid `values`; a live kernel also computes between them (on a log scale, or
    in integers). With `names`, one for each value, it is a row of buttons. With `drag`, "x" or "y",
    the figure has a handle at the value on that axis."""

    label: str
    values: list
    start: int
    log: bool
    integer: bool
    unit: str
    names: list = field(default_factory=list)
    drag: str = ""
    name: str = ""


def slider(label, values, *, start=None, log=False, integer=False, unit="", names=(), drag=""):
    """A control: its label, its grid (six digits kept), the index it starts at (default: the
    middle), its unit; the words for its values if they are categories; the axis on which it can be
    dragged."""
    kept = [
        int(v) if integer and float(v).is_integer() else float(f"{v:.6g}") for v in np.ravel(values)
    ]
    start = len(kept) // 2 if start is None else start
    return Control(label, kept, start, log, integer, unit, list(names), drag)


@dataclass(frozen=True)
class Guess:
    """A question that a reader answers before the figure does."""

    control: Control
    answer: str
    axis: str
    at: dict
    run: dict
    tell: str


def guess(ask, values, *, answer, axis="", at=None, run=None, tell="", start=None, log=False,
          unit="", names=()):
    """A question, asked of the reader before the answer is shown.

    Parameters
    ----------
    ask : str
        The question, which ends with a question mark.
    values : array_like
        What can be guessed: the grid of a slider, or one value for each of `names`.
    answer : str
        The column that has the answer, ``"off"`` or ``"off[3]"``.
    axis : {"x", "y"}
        Where the guess is drawn as a line, and can be dragged. Left out if its values lie on
        neither axis.
    at : dict
        Values of the controls at which the question is asked; otherwise they are at their start.
    run : dict
        A control, and the value up to which it runs before the answer is told, or the column that
        has it: then it runs to the nearest of its values. One sees how the answer comes about.
    tell : str
        The answer in full, with columns and controls as ``{wins} of 100``, where its values are
        ranges. Left out, the answer is told by its name.
    start, log, unit, names
        As in `slider`. With `log` the distance is said as a factor, otherwise as a difference.
    """
    control = slider(ask, values, start=start, log=log, unit=unit, names=names, drag=axis)
    return Guess(control, answer, axis, dict(at or {}), dict(run or {}), tell)
