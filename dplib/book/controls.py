"""The controls of an explorer: sliders over a grid of values."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Control:
    """A slider over the grid `values`; a live kernel also computes between them (on a log scale, or
    in integers)."""

    label: str
    values: list
    start: int
    log: bool
    integer: bool
    unit: str
    name: str = ""


def slider(label, values, *, start=None, log=False, integer=False, unit=""):
    """A control: its label, its grid (six digits kept), the index it starts at (default: the
    middle), its unit."""
    kept = [
        int(v) if integer and float(v).is_integer() else float(f"{v:.6g}") for v in np.ravel(values)
    ]
    return Control(label, kept, len(kept) // 2 if start is None else start, log, integer, unit)
