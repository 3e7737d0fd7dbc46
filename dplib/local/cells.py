"""In which of many cells a person is, told in a bit for every cell or in one bit for all of
them."""

from __future__ import annotations

import numpy as np

from dplib import _checks, _samplers
from dplib._types import ArrayLike, Floats, Generator, Integer, NDArray, Real
from dplib.local.numbers import report_size

MOST_BITS = 62  # of a label, so that all of them are an int64

# ------------------------------------------------------------------------------ a bit for each cell


def unary_reports(
        labels: ArrayLike, *, cells: Integer, epsilon: Real, rng: Generator) -> NDArray[np.bool]:
    """Let every person report their cell by a bit for each cell.

    Parameters
    ----------
    labels : array_like of integers in 0, …, cells - 1, any shape, the cell of one person per entry
    cells : int ≥ 2, the number k of cells
    epsilon : float > 0
    rng : numpy.random.Generator

    Returns
    -------
    bool, the shape of ``labels`` and an axis of k bits
        The bit of a person's own cell is a fair coin, each of the others is 1 with probability q =
        1/(e^ε + 1)

    Notes
    -----
    :Privacy: Every report is ε-DP by itself (local model), and all together are under ``replace``,
        given fair bits; ε is at least 2**-48.
    :Error: `unary_shares` has that of the estimates.
    :Cost: n k coins.
    :References: Proposition *What a report costs* on the page *What do a million phones type?*
        (prop-frequencies); Wang, Blocki, Li and Jha, *Locally differentially private protocols for
        frequency estimation* (2017).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> unary_reports([2, 0, 2], cells=4, epsilon=1, rng=rng).astype(int)
    array([[0, 0, 0, 0],
           [0, 0, 1, 0],
           [0, 0, 1, 0]])
    """
    cells = _checks.integer("cells", cells, at_least=2)
    labels = _checks.integers("labels", labels, at_least=0, at_most=cells - 1)
    epsilon = _checks.parameter("epsilon", epsilon, at_least=_samplers.LEAST_EPSILON)
    own = labels[..., np.newaxis] == np.arange(cells)
    fair = _samplers.bernoulli(0.5, (*labels.shape, 1), _checks.generator(rng))
    return np.where(own, fair, _samplers.lies(epsilon, 1, own.shape, rng))


def unary_shares(reports: ArrayLike, *, epsilon: Real) -> Floats:
    """The share of the people in each cell, estimated from the reports of `unary_reports`.

    Parameters
    ----------
    reports : array_like of 0 and 1, shape (..., n, k)
        What `unary_reports` sent, one report of each person on the axis before the last
    epsilon : float > 0, of one report

    Returns
    -------
    float64, shape (..., k), of which some are below 0 or above 1

    Notes
    -----
    :Privacy: That of the reports: nothing else is read.
    :Error: No bias. The variance, for given people, is (4e^ε/(e^ε - 1)² + s)/n for a cell that a
        share s of them is in.
    :References: Proposition *What a report costs* on the page *What do a million phones type?*
        (prop-frequencies).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> reports = unary_reports(np.arange(50_000) % 3, cells=4, epsilon=1, rng=rng)
    >>> unary_shares(reports, epsilon=1).round(2)
    array([0.34, 0.33, 0.33, 0.01])
    """
    reports = _checks.integers("reports", reports, at_least=0, at_most=1)
    if reports.ndim < 2 or reports.shape[-2] == 0:
        raise ValueError(
            "reports must have a row of bits for each of one or more people, got shape "
            f"{reports.shape}"
        )
    scale = report_size(_checks.parameter("epsilon", epsilon))
    # f - q over 1/2 - q, where q = (1 - 1/c)/2
    return scale * (2 * reports.mean(axis=-2) - 1) + 1


# ---------------------------------------------------------------------------- one bit for all cells


def sign_reports(
        labels: ArrayLike, *, bits: Integer, epsilon: Real,
        rng: Generator) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
    """Let every person report one bit, about a public random half of all labels (or all of them).

    Parameters
    ----------
    labels : array_like of integers in 0, …, 2^bits - 1, any shape, one person per entry
    bits : int from 1 to 62, the number B of binary digits of a label
    epsilon : float > 0
    rng : numpy.random.Generator

    Returns
    -------
    int64, int8, both of the shape of ``labels``
        The index z, uniform in 0, …, 2^B - 1 and drawn without a look at the label; and the sign
        χ_z(label), kept with probability e^ε/(e^ε + 1), else turned

    Notes
    -----
    :Privacy: Every report is ε-DP by itself (local model), and all together are under ``replace``,
        given fair bits; ε is at least 2**-48.
    :Error: `sign_shares` has that of the estimates.
    :References: Proposition *What a report costs* on the page *What do a million phones type?*
        (prop-frequencies); Bassily and Smith, *Local, private, efficient protocols for succinct
        histograms* (2015); Acharya, Sun and Zhang, *Hadamard response* (2019).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> sign_reports([6, 0, 6], bits=3, epsilon=1, rng=rng)
    (array([3, 4, 6]), array([1, 1, 1], dtype=int8))
    """
    bits = _checks.integer("bits", bits, at_least=1, at_most=MOST_BITS)
    labels = _checks.integers("labels", labels, at_least=0, at_most=2**bits - 1).astype(np.int64)
    epsilon = _checks.parameter("epsilon", epsilon, at_least=_samplers.LEAST_EPSILON)
    indices = _checks.generator(rng).integers(0, 2**bits, size=labels.shape)
    kept = _samplers.kept_signs(epsilon, labels.shape, rng).astype(np.int8)
    return indices, kept * character(indices, labels)


def character(indices, labels):
    """χ_z(x), ±1."""
    return 1 - 2 * (np.bitwise_count(indices & labels) & 1).astype(np.int8)


def sign_shares(
        indices: ArrayLike, signs: ArrayLike, *, candidates: ArrayLike, epsilon: Real) -> Floats:
    """The share of the people with each of some labels, estimated from `sign_reports`.

    Parameters
    ----------
    indices, signs : array_like of integers, shape (..., n)
        What `sign_reports` sent, one index and one sign of each person on the last axis
    candidates : array_like of integers, shape (m,), public labels whose shares are asked for
    epsilon : float > 0, of one report

    Returns
    -------
    float64, shape (..., m), of which some are below 0 or above 1

    Notes
    -----
    :Privacy: That of the reports: nothing else is read.
    :Error: No bias. The variance, for given people, is (coth²(ε/2) - s)/n for a label that a share
        s of them has, whatever the number of labels is.
    :Cost: n m.
    :References: Proposition *What a report costs* on the page *What do a million phones type?*
        (prop-frequencies).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> reports = sign_reports(np.arange(50_000) % 3, bits=40, epsilon=1, rng=rng)
    >>> sign_shares(*reports, candidates=[0, 1, 2**39], epsilon=1).round(2)
    array([ 0.34,  0.34, -0.  ])
    """
    scale = report_size(_checks.parameter("epsilon", epsilon))
    indices, signs = signed_reports(indices, signs)
    candidates = _checks.integers("candidates", candidates, at_least=0, at_most=2**MOST_BITS - 1)
    if candidates.ndim != 1:
        raise ValueError(f"candidates must be a list of labels, got shape {candidates.shape}")
    votes = [np.sum(signs * character(indices, label), axis=-1) for label in candidates.tolist()]
    return scale * np.reshape(votes, (candidates.size, *signs.shape[:-1])).T / signs.shape[-1]


def signed_reports(indices, signs):
    """Reports as integers, of one or more people."""
    indices = _checks.integers("indices", indices, at_least=0, at_most=2**MOST_BITS - 1)
    signs = _checks.integers("signs", signs, at_least=-1, at_most=1)
    if indices.shape != signs.shape or indices.ndim == 0 or indices.shape[-1] == 0:
        raise ValueError(
            "indices and signs must be one of each for one or more people, got shapes "
            f"{indices.shape} and {signs.shape}"
        )
    if np.any(signs == 0):
        raise ValueError("signs must be 1 or -1, got 0")
    return indices.astype(np.int64), signs.astype(np.int64)
