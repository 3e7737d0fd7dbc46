"""Labelled records over the two-element field: what every learner of a parity is given."""

import numpy as np

from dplib import _checks

LARGEST_TABLE = 24  # questions; a table over all parities then has 2**24 entries


def labelled_records(x, y, runs):
    """Questions (..., n, d) and labels (..., n) as booleans."""
    x = _checks.integers("x", x, at_least=0, at_most=1)
    y = _checks.integers("y", y, at_least=0, at_most=1)
    if x.ndim < 2 or x.shape[-1] == 0:
        raise ValueError(
            "x must have the shape (..., n, d) of n records with d ≥ 1 questions, got shape "
            f"{x.shape}"
        )
    _checks.one_data_set("x", x, runs, axes=2)
    if y.shape != x.shape[:-1]:
        raise ValueError(
            f"y must have one label for each record, shape {x.shape[:-1]}, got shape {y.shape}"
        )
    return x.astype(bool), y.astype(bool)


def tabled_records(x, y, runs):
    """The same for so few questions that a table over all parities fits into memory."""
    x, y = labelled_records(x, y, runs)
    if x.shape[-1] > LARGEST_TABLE:
        raise ValueError(
            f"x must have at most {LARGEST_TABLE} questions for a table of all parities, got "
            f"{x.shape[-1]}"
        )
    return x, y


def subset_index(bits):
    """The place of a subset in a table over all parities: question j, counted from 0, adds 2**j."""
    return bits @ (1 << np.arange(bits.shape[-1], dtype=np.int64))


def subset_bits(index, dimension):
    """The subset at a place of the table, as 0 and 1."""
    return (index[..., None] >> np.arange(dimension) & 1).astype(np.int8)


def weights_by_subset(index, weights, dimension):
    """The total weight at each place of the table, for every run."""
    size = 1 << dimension
    runs = index.shape[:-1]
    offset = np.arange(np.prod(runs, dtype=np.int64)).reshape(*runs, 1) * size
    total = np.bincount((index + offset).ravel(), weights.ravel(), minlength=offset.size * size)
    return total.reshape(*runs, size)
