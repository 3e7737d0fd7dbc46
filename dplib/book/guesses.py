"""A guess: the question that an explorer asks before it shows its answer.

Until the reader has committed to a guess, the marks with ``answer=True``, the readout and the other
controls are not on the page (web/guess.js).
"""

import math
import re

from . import sentences
from . import spec as specs


def check_guess(explorer, guess, plot, table):
    """The guess as plain JSON: its control, the grid point that it asks about, and which entry of
    which column has the answer."""
    hidden = [i for i, (_, options) in enumerate(plot["marks"]) if options.get("answer")]
    if guess is None:
        if hidden:
            raise ValueError(f"{explorer}: the marks {hidden} show an answer, but nothing is asked")
        return None
    where, control = f"{explorer}: guess", guess.control
    if not control.label.strip().endswith("?"):
        raise ValueError(f"{where}: ask must be a question, got {control.label!r}")
    specs.check_control(where, control)
    if not (guess.axis or control.names):
        known = "x or y, unless it has names"
        raise ValueError(f"{where}: axis must be {known}, got {guess.axis!r}")
    if not hidden:
        raise ValueError(f"{where}: no mark has answer=True, so the figure tells it beforehand")
    at = {name: stop_of(explorer, f"{where}: at", name, value) for name, value in guess.at.items()}
    name, entry = re.fullmatch(r"(\w+)(?:\[(\d+)\])?", guess.answer).groups()
    if name not in table or int(entry or 0) >= table[name].shape[-1]:
        raise ValueError(f"{where}: answer {guess.answer!r} is no entry of {sorted(table)}")
    if not math.isfinite(answer := explorer.at(**at)[name][int(entry or 0)]):
        raise ValueError(f"{where}: the answer at {guess.at} is {answer}")
    if control.names and answer not in control.values:
        raise ValueError(f"{where}: the answer {answer} is none of {control.values}")
    run = run_of(explorer, f"{where}: run", guess.run, at)
    if guess.tell:
        sentences.check_texts(explorer, table, {"guess tell": guess.tell}, dict(marks=[]))
    return dict(vars(control), name="guess", answer=name, entry=int(entry or 0), axis=guess.axis,
                at=at, run=run, tell=guess.tell)


def stop_of(explorer, where, name, value):
    """The index of a value among those of a control."""
    if name not in explorer.controls:
        raise specs.no_meaning(f"{where}:", name, "the controls", list(explorer.controls))
    values = explorer.controls[name].values
    if value not in values:
        raise ValueError(f"{where} {name} = {value!r} is no stop of it: {values}")
    return values.index(value)


def run_of(explorer, where, run, at):
    """Which control runs to which of its stops, {name, to}: to a value, or to the one nearest to
    what a column has."""
    if not run:
        return None
    if len(run) > 1:
        raise ValueError(f"{where} must have one control, got {list(run)}")
    [(name, value)] = run.items()
    columns = explorer.at(**at)
    if value in columns and name in explorer.controls:
        if not math.isfinite(goal := columns[value][0]):
            raise ValueError(f"{where} {name}: {value!r} is {goal} where the question is asked")
        value = min(explorer.controls[name].values, key=lambda stop: abs(stop - goal))
    return dict(name=name, to=stop_of(explorer, where, name, value))
