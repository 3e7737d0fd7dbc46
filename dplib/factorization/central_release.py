"""Answers to a workload through a factorization, released by one curator with correlated Gaussian noise."""

import numpy as np
from scipy.special import ndtri

from dplib import _checks, histograms, mechanisms


def release_central(labels, factorization, *, epsilon, delta, neighbor="replace", rng):
    """Answer all questions about the counts of the cells, with correlated Gaussian noise.

    Parameters
    ----------
    labels, factorization, epsilon
        As in `release_local`; there may be no records at all.
    delta : float in (0, 1)
    neighbor : {"replace", "add_remove"}
    rng : numpy.random.Generator

    Returns
    -------
    float64, shape (..., m), sums over the records: W times the counts, plus R times N(0, σ²) noise

    Notes
    -----
    :Privacy: (ε, δ)-DP under the stated relation, for labels that are cells. It is R(A · counts + noise), post-processed.
        A centred factorization needs the number of records, so it is refused under ``add_remove``. Idealised arithmetic.
    :Error: No bias; `central_variance` exactly, and `release_central_error_bound`.
    :Cost: One product with W and one with R.
    :References: Corollary *The same with a curator* on the page *Many answers from one vector* (cor-central-factorization);
        Li, Miklau, Hay, McGregor and Rastogi, *The matrix mechanism* (2015).

    Examples
    --------
    >>> from dplib.factorization import square_root_factorization
    >>> rng = np.random.default_rng(1)
    >>> fast = square_root_factorization(cells=2**20)
    >>> answers = release_central(np.arange(0, 2**20, 2), fast, epsilon=1, delta=1e-6, rng=rng)
    >>> answers[[2**10, 2**15, 2**19]].round()
    array([   480.,  16321., 262146.])
    """
    sigma = _central_sigma(factorization, epsilon, delta, neighbor)
    _checks.generator(rng)
    counts = histograms._count_cells(labels, factorization.workload.shape[1], None)
    *batch, cells = counts.shape
    answers = factorization.workload @ counts.reshape(-1, cells).T.astype(float)
    if sigma > 0:
        answers += factorization.R @ rng.normal(scale=sigma, size=(factorization.dimension, answers.shape[1]))
    return answers.T.reshape(*batch, -1)


def central_variance(factorization, *, epsilon, delta, neighbor="replace"):
    """The variance of each answer of `release_central`.

    Parameters
    ----------
    factorization, epsilon, delta, neighbor
        As in `release_central`.

    Returns
    -------
    float64, shape (m,), σ² ‖R_j‖², σ from `gaussian_sigma` for the largest distance (``replace``) or norm of columns of A

    Notes
    -----
    :Error: Exact, whatever the data.
    :References: Corollary *The same with a curator* on the page *Many answers from one vector* (cor-central-factorization).

    Examples
    --------
    >>> from dplib.factorization import square_root_factorization
    >>> fast = square_root_factorization(cells=1024)
    >>> variance = central_variance(fast, epsilon=1, delta=1e-6, neighbor="add_remove")
    >>> round(float(variance.max()) ** 0.5, 2)
    13.83
    """
    return (_central_sigma(factorization, epsilon, delta, neighbor) * factorization.row_norms) ** 2


def release_central_error_bound(factorization, *, epsilon, delta, neighbor="replace", beta):
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
    :References: Corollary *The same with a curator* on the page *Many answers from one vector* (cor-central-factorization).

    Examples
    --------
    >>> from dplib.factorization import square_root_factorization
    >>> fast = square_root_factorization(cells=1024)
    >>> round(release_central_error_bound(fast, epsilon=1, delta=1e-6, beta=0.05, neighbor="add_remove"), 1)
    56.1
    """
    beta = _checks.parameter("beta", beta)
    largest = np.sqrt(central_variance(factorization, epsilon=epsilon, delta=delta, neighbor=neighbor).max())
    return float(-ndtri(beta / (2 * factorization.row_norms.size)) * largest)


def _central_sigma(factorization, epsilon, delta, neighbor):
    """The standard deviation of the noise; 0 if no record can change an answer."""
    epsilon, delta = _checks.parameter("epsilon", epsilon), _checks.parameter("delta", delta)
    joined = _checks.choice("neighbor", neighbor, ("replace", "add_remove")) == "add_remove"
    if joined and np.any(factorization.offset):
        raise ValueError('neighbor must be "replace" for a centred factorization, whose offset counts all records, got "add_remove"')
    sensitivity = float(factorization.column_norms.max()) if joined else factorization.diameter
    return float(mechanisms.gaussian_sigma(sensitivity=sensitivity, epsilon=epsilon, delta=delta)) if sensitivity > 0 else 0.0
