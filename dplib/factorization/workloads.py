"""Questions as the rows of a matrix: the answer of question j is the sum of its row over the cells
of all records."""

from __future__ import annotations

import numpy as np
import scipy

from dplib import _checks
from dplib._types import Integer, NDArray

MOST_CELLS_OF_A_MATRIX = 2**14


def threshold_workload(*, cells: Integer) -> NDArray[np.float64]:
    """The questions "how many records lie in the first j cells?", j = 1, …, N.

    Parameters
    ----------
    cells : int in 1, …, 2**14, the number k of cells, here called N

    Returns
    -------
    float64, shape (N, N), ones on and below the diagonal

    Notes
    -----
    :Cost: Dense. `hierarchical_factorization` and `square_root_factorization` answer these
        questions without the matrix.
    :References: Definition *Factorization* on the page *Many answers from one vector*
        (def-factorization).

    Examples
    --------
    >>> threshold_workload(cells=3)
    array([[1., 0., 0.],
           [1., 1., 0.],
           [1., 1., 1.]])
    """
    return np.tri(_checks.integer("cells", cells, at_least=1, at_most=MOST_CELLS_OF_A_MATRIX))


def interval_workload(*, cells: Integer) -> NDArray[np.float64]:
    """The questions "how many records lie in the cells i, …, j?", for all i ≤ j.

    Parameters
    ----------
    cells : int in 1, …, 2**9, the number k of cells, here called N

    Returns
    -------
    float64, shape (N(N + 1)/2, N), shorter intervals first

    Examples
    --------
    >>> interval_workload(cells=2)
    array([[1., 0.],
           [0., 1.],
           [1., 1.]])
    """
    cells = _checks.integer("cells", cells, at_least=1, at_most=2**9)
    place = np.arange(cells)
    starts, lengths = (
        np.concatenate(part)
        for part in zip(*((place[: cells - l], np.full(cells - l, l)) for l in place))
    )
    return ((starts[:, None] <= place) & (place <= (starts + lengths)[:, None])).astype(float)


def parity_workload(*, dimension: Integer) -> NDArray[np.float64]:
    """All parities of d bits: row s, column x holds (-1)^⟨s, x⟩.

    Parameters
    ----------
    dimension : int in 0
        …, 13, the number d of bits; a record is the number k of entries 0, …, 2**d - 1 of its cell

    Returns
    -------
    float64, shape (2**d, 2**d), entries ±1

    Examples
    --------
    >>> parity_workload(dimension=1)
    array([[ 1.,  1.],
           [ 1., -1.]])
    """
    dimension = _checks.integer("dimension", dimension, at_least=0, at_most=13)
    return scipy.linalg.hadamard(2**dimension, dtype=float)
