"""All parities at once: how many records each of them gets right, and which of them averages can
tell apart."""

from __future__ import annotations

import numpy as np

from dplib import _checks, _numerics, mechanisms
from dplib._types import ArrayLike, Generator, NDArray, Real
from dplib.parity.data import subset_bits, subset_index, tabled_records, weights_by_subset


def walsh_hadamard(values: ArrayLike) -> NDArray[np.float64]:
    """The sums of a table over all parities: Σ_x f(x) (-1)^⟨s,x⟩ for every subset s.

    Parameters
    ----------
    values : array_like of real numbers, shape (..., 2^d)
        a table f, where question j adds 2^j to the place of x

    Returns
    -------
    float64, shape (..., 2^d)
        The sum for each s, at the place that s has by the same rule; twice in a row it is 2^d f

    Notes
    -----
    :Error: Exact for integers below 2**53 in total.
    :Cost: d passes over the table.
    :References: Proposition *Parities are orthogonal* on the page *What averages cannot learn*
        (prop-parities).

    Examples
    --------
    >>> walsh_hadamard([3, 1, 0, 0])
    array([4., 2., 4., 2.])
    """
    values = _checks.reals("values", values)
    if values.ndim == 0 or values.shape[-1] & (values.shape[-1] - 1) or values.shape[-1] == 0:
        raise ValueError(
            f"values must have a power of two of entries on the last axis, got shape {values.shape}"
        )
    return _numerics.signed_sums(values)


def private_parity_by_scores(
        x: ArrayLike, y: ArrayLike, *, epsilon: Real, runs: bool = False,
        rng: Generator) -> NDArray[np.int8]:
    """Choose a parity privately by how many labels it gets right.

    Parameters
    ----------
    x, y, epsilon, runs, rng
        As in `private_parity`, for at most d = 24 questions.

    Returns
    -------
    int8, shape (..., d), the chosen subset, 1 for each question that is in it

    Notes
    -----
    :Privacy: ε-DP under ``replace``: `exponential` with the number of right labels as score,
        sensitivity 1.
    :Error: If the best parity errs on k of n labels, the chosen one errs on more than k + (2/ε)(d
        ln 2 + t) with probability at most e^-t.
    :Cost: d 2^d for each run, in time; 2^d in memory.
    :References: Theorem *What is chosen is nearly best* on the page *Choosing privately*
        (thm-exponential-utility); Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith, *What can
        we learn privately?* (2011).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.integers(0, 2, size=(60, 5))
    >>> y = (x[:, 0] + x[:, 3]) % 2
    >>> private_parity_by_scores(x, y, epsilon=1, rng=rng)
    array([1, 0, 0, 1, 0], dtype=int8)
    """
    x, y = tabled_records(x, y, runs)
    signs = weights_by_subset(subset_index(x), 1.0 - 2 * y, x.shape[-1])
    right = (walsh_hadamard(signs) + y.shape[-1]) / 2
    return subset_bits(
        mechanisms.exponential(right, sensitivity=1, epsilon=epsilon, rng=rng), x.shape[-1]
    )


def eliminate_parities(tables: ArrayLike, *, tolerance: Real) -> NDArray[np.bool]:
    """Play the oracle that gives away as little as it may: which parities can still be the hidden
    one.

    To every question about an average it answers what would be right if the labels were fair coins.
    A parity is ruled out once this answer is off by more than the tolerance.

    Parameters
    ----------
    tables : array_like of real numbers in [-1, 1], shape (..., 2^d, 2)
        One statistical query for each entry of the leading axes, in order: φ(x, y) at the place of
        x (question j adds 2^j) and y = 0, 1.
    tolerance : float > 0, how far off an answer may be

    Returns
    -------
    bool, shape (..., 2^d)
        Whether each parity survives this query and those before it (along the axis before the last
        two)

    Notes
    -----
    :Error: Each query rules out fewer than 1/τ² parities.
    :References: Theorem *Averages do not learn parities* on the page *What averages cannot learn*
        (thm-parity-sq); Blum, Furst, Jackson, Kearns, Mansour and Rudich, *Weakly learning DNF and
        characterizing statistical query learning using Fourier analysis* (1994).

    Examples
    --------
    The average of "the answer to question 0 is the label" tells one parity, and of the rest
    nothing.

    >>> agree = [[[1, 0], [0, 1], [1, 0], [0, 1]]]
    >>> eliminate_parities(agree, tolerance=0.1)
    array([[ True, False,  True,  True]])
    """
    tables = _checks.reals("tables", tables, at_least=-1, at_most=1)
    if tables.ndim < 2 or tables.shape[-1] != 2:
        raise ValueError(f"tables must have the shape (..., 2^d, 2), got shape {tables.shape}")
    tolerance = _checks.real("tolerance", tolerance, above=0)
    tells = walsh_hadamard((tables[..., 0] - tables[..., 1]) / 2) / tables.shape[-2]
    survives = np.abs(tells) <= tolerance
    return np.logical_and.accumulate(survives, axis=-2) if survives.ndim > 1 else survives
