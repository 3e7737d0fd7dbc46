"""Exact counts of the records in cells that are known in advance, for every release that starts
from them."""

from math import prod

import numpy as np

from dplib import _checks
from dplib._numerics import CACHED_NUMBERS


def count_cells(labels, cells, bounds, runs):
    """Exact counts of shape (..., cells)."""
    labels = (
        _checks.whole("labels", labels) if bounds is None else _checks.numbers("labels", labels)
    )
    if labels.ndim == 0:
        raise ValueError("labels must have the records on the last axis, got a single value")
    _checks.one_data_set("labels", labels, runs)
    *batch, n = labels.shape
    rows = labels.reshape(prod(batch), n)
    counts = np.zeros((prod(batch), cells), dtype=np.int64)
    height, width = max(1, CACHED_NUMBERS // max(n, cells)), max(CACHED_NUMBERS, cells)
    # one piece of memory for all blocks
    room = np.empty(max(CACHED_NUMBERS, cells) if bounds else 0)
    for top in range(0, len(rows), height):
        for left in range(0, n, width):
            block = rows[top:top + height, left:left + width]
            if bounds is None:
                block = _checks.integers("labels", block, at_least=0, at_most=cells - 1).astype(
                    np.int64, copy=False
                )
            else:
                block = _uniform_cells(_checks.reals("labels", block), cells, *bounds, room)
            counts[top:top + height] += _count_rows(block, cells)
    return counts.reshape(*batch, cells)


def _uniform_cells(x, cells, lo, hi, room):
    """The cell of each number when [lo, hi] is cut into equal cells, by the formula of the
    docstring."""
    with np.errstate(over="ignore"):  # huge values are clipped like any other
        position = np.subtract(x, lo, out=room[:x.size].reshape(x.shape))
        position *= cells
    position /= hi - lo
    return np.clip(position, 0, cells - 1, out=position).astype(np.int64)


def _count_rows(block, cells):
    """Count every row of a small block at once: row i owns the labels i·cells, …, (i + 1)·cells -
    1."""
    if len(block) > 1:
        block = block + cells * np.arange(len(block))[:, np.newaxis]
    return np.bincount(block.ravel(), minlength=len(block) * cells).reshape(len(block), cells)
