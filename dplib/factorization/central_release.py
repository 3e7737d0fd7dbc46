"""Answers to a workload through a factorization, released by one curator with correlated Gaussian
noise."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from dplib import _checks, _counts, _grid, mechanisms
from dplib._types import ArrayLike, Generator, NDArray, Neighbor, Real
from dplib.factorization.factors import NORM_ROUNDING, Factorization

# Under ``add_remove`` their number is a secret, and yet the rounding of sums has to be paid for.
MOST_SECRET_RECORDS = 2**26


def release_central(
        labels: ArrayLike, factorization: Factorization, *, epsilon: Real, delta: Real,
        neighbor: Neighbor, runs: bool = False, rng: Generator) -> NDArray[np.float64]:
    """Answer all questions about the counts of the cells, with correlated Gaussian noise.

    Parameters
    ----------
    labels, factorization, epsilon
        As in `release_local`; there may be no records at all, and at most 2**26 of them under
        ``add_remove``.
    delta : float in (0, 1)
    neighbor : {"replace", "add_remove"}
    runs : bool
        Whether axes before the last are independent runs, each a data set of its own; without it
        there may be none
    rng : numpy.random.Generator

    Returns
    -------
    float64, shape (..., m)
        Sums over the records: R(A · counts + N(0, σ²) noise) plus the offset of every record

    Notes
    -----
    :Privacy: (ε, δ)-DP under the stated relation, for labels that are cells, given fair bits: A ·
        counts, with noise on a grid, is post-processed. What its rounding may move is bounded by
        ``factorization.rounding`` and paid for, under ``add_remove`` for data sets of at most 2**26
        records. A centred factorization needs the number of records, so it is refused under
        ``add_remove``.
    :Error: No bias but that of RA for W; `central_variance`, and `release_central_error_bound`.
    :Cost: One product with A and one with R.
    :References: Corollary *The same with a curator* on the page *Many answers from one vector*
        (cor-central-factorization); Li, Miklau, Hay, McGregor and Rastogi, *The matrix mechanism*
        (2015).

    Examples
    --------
    >>> from dplib.factorization import square_root_factorization
    >>> rng = np.random.default_rng(1)
    >>> fast = square_root_factorization(cells=2**20)
    >>> answers = release_central(np.arange(0, 2**20, 2), fast, epsilon=1, delta=1e-6,
    ...                           neighbor="replace", rng=rng)
    >>> answers[[2**10, 2**15, 2**19]].round()
    array([   520.,  16375., 262124.])
    """
    sensitivity = _sensitivity(factorization, neighbor)
    epsilon, delta = _checks.parameter("epsilon", epsilon), _checks.parameter("delta", delta)
    counts = _counts.count_cells(labels, factorization.workload.shape[1], None, runs)
    *batch, cells = counts.shape
    records = _most_records(counts, neighbor)
    rng, counts = _checks.generator(rng), counts.reshape(-1, cells).T.astype(float)
    reports = factorization.A @ counts
    if sensitivity > 0:
        error = factorization.rounding * max(records, 1) / factorization.dimension**0.5
        noise = _grid.normal_noise(
            sensitivity=sensitivity,
            epsilon=epsilon,
            delta=delta,
            entries=factorization.dimension,
            error=error,
        )
        reports = noise.added_to(reports, rng)
    answers = factorization.R @ reports + np.multiply.outer(
        factorization.offset, counts.sum(axis=0)
    )
    return answers.T.reshape(*batch, -1)


def _most_records(counts, neighbor):
    """How many records there may be: under ``add_remove`` their number is no public one."""
    records = int(counts.sum(axis=-1).max(initial=0))
    if _checks.replaces(neighbor):
        return records
    if records > MOST_SECRET_RECORDS:
        raise ValueError("labels must be at most 2**26 records under add_remove")
    return MOST_SECRET_RECORDS


def central_variance(
        factorization: Factorization, *, epsilon: Real, delta: Real,
        neighbor: Neighbor) -> NDArray[np.float64]:
    """The variance of each answer of `release_central`.

    Parameters
    ----------
    factorization, epsilon, delta, neighbor
        As in `release_central`.

    Returns
    -------
    float64, shape (m,)
        σ² ‖R_j‖², σ from `gaussian_sigma` for the largest distance (``replace``) or norm of columns
        of A

    Notes
    -----
    :Error: Exact, whatever the data, up to what is paid for rounding.
    :References: Corollary *The same with a curator* on the page *Many answers from one vector*
        (cor-central-factorization).

    Examples
    --------
    >>> from dplib.factorization import square_root_factorization
    >>> fast = square_root_factorization(cells=1024)
    >>> variance = central_variance(fast, epsilon=1, delta=1e-6, neighbor="add_remove")
    >>> round(float(variance.max()) ** 0.5, 2)
    13.83
    """
    return (_central_sigma(factorization, epsilon, delta, neighbor) * factorization.row_norms) ** 2


def release_central_error_bound(
        factorization: Factorization, *, epsilon: Real, delta: Real, neighbor: Neighbor,
        beta: Real) -> float:
    """How far off the worst answer of `release_central` is, at most, with high probability.

    Parameters
    ----------
    factorization, epsilon, delta, neighbor
        As in `release_central`.
    beta : float in (0, 1), the probability that some answer is further off

    Returns
    -------
    float, σ ‖R‖ times the 1 - β/2m quantile of the standard normal distribution

    Notes
    -----
    :References: Corollary *The same with a curator* on the page *Many answers from one vector*
        (cor-central-factorization).

    Examples
    --------
    >>> from dplib.factorization import square_root_factorization
    >>> fast = square_root_factorization(cells=1024)
    >>> round(release_central_error_bound(fast, epsilon=1, delta=1e-6, beta=0.05,
    ...                                   neighbor="add_remove"), 1)
    56.1
    """
    beta = _checks.parameter("beta", beta)
    largest = np.sqrt(
        central_variance(factorization, epsilon=epsilon, delta=delta, neighbor=neighbor).max()
    )
    return float(-ndtri(beta / (2 * factorization.row_norms.size)) * largest)


def _central_sigma(factorization, epsilon, delta, neighbor):
    """The standard deviation of the noise; 0 if no record can change an answer."""
    epsilon, delta = _checks.parameter("epsilon", epsilon), _checks.parameter("delta", delta)
    sensitivity = _sensitivity(factorization, neighbor)
    return (
        float(mechanisms.gaussian_sigma(sensitivity=sensitivity, epsilon=epsilon, delta=delta))
        if sensitivity > 0
        else 0.0
    )


def _sensitivity(factorization, neighbor):
    """How far one record moves the sum of the columns of A, in ℓ₂ norm."""
    if _checks.replaces(neighbor):
        return factorization.diameter
    if np.any(factorization.offset):
        raise ValueError('neighbor must be "replace" for a centred factorization, whose offset '
                         'counts all records, got "add_remove"')
    return float(factorization.column_norms.max()) * (1 + NORM_ROUNDING)
