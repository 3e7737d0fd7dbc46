"""Answers to a workload through a factorization, when nobody is trusted: one message a person."""

from __future__ import annotations

import numpy as np

from dplib import _checks, _grid, local, mechanisms
from dplib._numerics import HELD_NUMBERS
from dplib._types import ArrayLike, Generator, Integer, NDArray, Real
from dplib.factorization.factors import Factorization


def release_local(
        labels: ArrayLike, factorization: Factorization, *, epsilon: Real, runs: bool = False,
        rng: Generator) -> NDArray[np.float64]:
    """Answer all questions from one message a person, an ε-private vector.

    Parameters
    ----------
    labels : array_like of integers, shape (..., n), the cell of each person, 0, …, N - 1
    factorization : Factorization of the questions, by which each person's vector is a column of A
    epsilon : float > 0
    runs : bool
        Whether axes before the last are independent runs, each a data set of its own; without it
        there may be none
    rng : numpy.random.Generator

    Returns
    -------
    float64, shape (..., m), averages over the people: R times the average message, plus the offset

    Notes
    -----
    :Privacy: Every message is ε-DP by itself (local model), and so are all together under
        ``replace``, for labels that are cells, given fair bits.
    :Error: No bias; `local_variance` exactly, and `release_local_error_bound`.
    :Cost: O(nk), plus one product with R; a linear operator A is applied to every person's cell.
    :References: Theorem *One message for all questions* on the page *Many answers from one vector*
        (thm-local-factorization); Edmonds, Nikolov and Ullman, *The power of factorization
        mechanisms in local and central differential privacy* (2020).

    Examples
    --------
    >>> from dplib.factorization import square_root_factorization
    >>> rng = np.random.default_rng(1)
    >>> best = square_root_factorization(cells=4, centered=True)
    >>> release_local(np.repeat([0, 1, 3], 20_000), best, epsilon=1, rng=rng).round(2)
    array([0.34, 0.67, 0.66, 0.99])
    """
    epsilon = _checks.parameter("epsilon", epsilon)
    radius = float(factorization.column_norms.max())
    randomize = (
        (lambda v: local.l2_ball_randomizer(v, radius=radius, epsilon=epsilon, rng=rng))
        if radius > 0
        else None
    )
    return _average(labels, factorization, randomize, runs, rng)


def release_local_gaussian(
        labels: ArrayLike, factorization: Factorization, *, epsilon: Real, delta: Real,
        runs: bool = False, rng: Generator) -> NDArray[np.float64]:
    """Answer all questions from one message a person, an (ε, δ)-private vector with Gaussian noise.

    Parameters
    ----------
    labels, factorization, epsilon, runs, rng
        As in `release_local`.
    delta : float in (0, 1)

    Returns
    -------
    float64, shape (..., m), averages over the people

    Notes
    -----
    :Privacy: Every message is (ε, δ)-DP by itself (local model), and so are all together under
        ``replace``, for labels that are cells, given fair bits.
    :Error: No bias; `local_gaussian_variance` exactly.
    :Cost: As in `release_local`.
    :References: Theorem *The Gaussian mechanism* on the page *What one answer gave away*
        (thm-gaussian).

    Examples
    --------
    >>> from dplib.factorization import square_root_factorization
    >>> rng = np.random.default_rng(1)
    >>> best = square_root_factorization(cells=4)
    >>> release_local_gaussian(np.repeat([0, 1, 3], 20_000), best, epsilon=1, delta=1e-6,
    ...                        rng=rng).round(1)
    array([0.3, 0.7, 0.7, 1. ])
    """
    epsilon, delta = _checks.parameter("epsilon", epsilon), _checks.parameter("delta", delta)
    diameter = factorization.diameter
    if diameter == 0:
        return _average(labels, factorization, None, runs, rng)
    noise = _grid.ball_noise(
        diameter + 2 * factorization.rounding, epsilon, delta, factorization.dimension
    )
    return _average(labels, factorization, lambda vectors: noise.added_to(vectors, rng), runs, rng)


def _average(labels, factorization, randomize, runs, rng):
    """Answers from the average of randomised columns of A, a block of people at a time."""
    N, k = factorization.workload.shape[1], factorization.dimension
    labels = _checks.whole("labels", labels)
    labels = _checks.integers("labels", labels, at_least=0, at_most=N - 1).astype(np.int64)
    if labels.ndim == 0 or labels.shape[-1] == 0:
        raise ValueError(
            f"labels must have at least one record on the last axis, got shape {labels.shape}"
        )
    _checks.one_data_set("labels", labels, runs)
    _checks.generator(rng)
    *batch, n = labels.shape
    rows = labels.reshape(-1, n)
    totals, width = np.zeros((len(rows), k)), max(1, HELD_NUMBERS // max(N, k))
    height = max(1, width // n)
    for top in range(0, len(rows), height):
        for left in range(0, n, width):
            people = rows[top:top + height, left:left + width]
            vectors = _columns(factorization.A, people.ravel()).reshape(*people.shape, k)
            totals[top:top + height] += (randomize(vectors) if randomize else vectors).sum(axis=1)
    answers = factorization.R @ (totals.T / n) + factorization.offset[:, None]
    return answers.T.reshape(*batch, -1)


def _columns(A, labels):
    """The columns of A with these labels, as rows."""
    if isinstance(A, np.ndarray):
        return A.T[labels]
    return (A @ (np.arange(A.shape[1])[:, None] == labels).astype(float)).T


def local_variance(
        p: ArrayLike | None, factorization: Factorization, *, size: Integer,
        epsilon: Real) -> NDArray[np.float64]:
    """The variance of each answer of `release_local`.

    Parameters
    ----------
    p : array_like, shape (N,), or None
        Probabilities of the cells: people are drawn from them independently. Without them, a bound
        for all.
    factorization : Factorization of the questions, as in `release_local`
    size : int ≥ 1, the number n of records
    epsilon : float > 0

    Returns
    -------
    float64, shape (m,), (‖R_j‖² B²/k - (Wp - u)_j²)/n, B the length of a message, `l2_ball_scale`

    Notes
    -----
    :Error: Exact, sampling included. Without ``p`` the term that is subtracted is left out.
    :References: Theorem *One message for all questions* on the page *Many answers from one vector*
        (thm-local-factorization).

    Examples
    --------
    >>> from dplib.factorization import square_root_factorization
    >>> best = square_root_factorization(cells=64, centered=True)
    >>> round(float(local_variance(None, best, size=20_000, epsilon=1).max()) ** 0.5, 4)
    0.0357
    """
    size, epsilon = _checks.integer("size", size, at_least=1), _checks.parameter("epsilon", epsilon)
    second, _ = _second_moment(factorization, epsilon)
    if p is None:
        return second / size
    mean = factorization.workload @ _distribution(p, factorization) - factorization.offset
    return np.maximum(second - mean**2, 0) / size


def local_gaussian_variance(
        p: ArrayLike | None, factorization: Factorization, *, size: Integer, epsilon: Real,
        delta: Real) -> NDArray[np.float64]:
    """The variance of each answer of `release_local_gaussian`.

    Parameters
    ----------
    p, factorization, size, epsilon
        As in `local_variance`; p may not be None.
    delta : float in (0, 1)

    Returns
    -------
    float64, shape (m,)
        (σ² ‖R_j‖² + Var W_jx)/n, σ from `gaussian_sigma` for the diameter of the columns of A

    Notes
    -----
    :Error: Exact, sampling included.

    Examples
    --------
    >>> from dplib.factorization import square_root_factorization
    >>> best = square_root_factorization(cells=64)
    >>> variance = local_gaussian_variance(np.full(64, 1 / 64), best, size=20_000, epsilon=1,
    ...                                    delta=1e-6)
    >>> round(float(variance.max()) ** 0.5, 4)
    0.0883
    """
    size, p = _checks.integer("size", size, at_least=1), _distribution(p, factorization)
    epsilon, delta = _checks.parameter("epsilon", epsilon), _checks.parameter("delta", delta)
    diameter = factorization.diameter
    sigma = (
        mechanisms.gaussian_sigma(sensitivity=diameter, epsilon=epsilon, delta=delta)
        if diameter > 0
        else 0.0
    )
    values = factorization.workload @ np.eye(p.size)
    return ((sigma * factorization.row_norms) ** 2 + values**2 @ p - (values @ p) ** 2) / size


def _distribution(p, factorization):
    """Probabilities of the cells."""
    p = _checks.reals("p", p, at_least=0)
    if p.shape != (cells := factorization.workload.shape[1:]) or abs(p.sum() - 1) > 1e-9:
        raise ValueError(
            f"p must hold {cells[0]} probabilities of sum 1, got shape {p.shape} and sum {p.sum()}"
        )
    return p


def _second_moment(factorization, epsilon):
    """‖R_j‖² B²/k and the length B of a message."""
    radius, k = float(factorization.column_norms.max()), factorization.dimension
    length = (
        float(local.l2_ball_scale(radius=radius, dimension=k, epsilon=epsilon))
        if radius > 0
        else 0.0
    )
    return factorization.row_norms**2 * (length**2 / k), length


def release_local_error_bound(
        factorization: Factorization, *, size: Integer, epsilon: Real, beta: Real) -> float:
    """How far off the worst answer of `release_local` is, at most, with high probability.

    Parameters
    ----------
    factorization, size, epsilon
        As in `local_variance`.
    beta : float in (0, 1), the probability that some answer is further off

    Returns
    -------
    float, the smaller one of √(2vL/n) + ‖R‖BL/(3n) and 2√(vL/n), v = ‖R‖² B²/k, L = ln(2m/β)

    Notes
    -----
    :Error: It holds for every population from which people are drawn independently.
    :References: Theorem *One message for all questions* on the page *Many answers from one vector*
        (thm-local-factorization); corollary *People for all questions* on the page *Many answers
        from one vector* (cor-people-for-all).

    Examples
    --------
    >>> from dplib.factorization import hierarchical_factorization
    >>> tree = hierarchical_factorization(cells=64)
    >>> round(release_local_error_bound(tree, size=20_000, epsilon=1, beta=0.05), 3)
    0.517
    """
    size = _checks.integer("size", size, at_least=1)
    spread, longest = _tail(factorization, epsilon, beta)
    return float(min(np.sqrt(2 * spread / size) + longest / (3 * size), 2 * np.sqrt(spread / size)))


def _tail(factorization, epsilon, beta):
    """vL and ‖R‖BL."""
    epsilon, beta = _checks.parameter("epsilon", epsilon), _checks.parameter("beta", beta)
    second, length = _second_moment(factorization, epsilon)
    L = np.log(2 * second.size / beta)
    return second.max() * L, float(factorization.row_norms.max()) * length * L


def release_local_sample_size(
        factorization: Factorization, *, accuracy: Real, epsilon: Real, beta: Real) -> int:
    """How many people are enough for all answers of `release_local`.

    Parameters
    ----------
    factorization, epsilon, beta
        As in `release_local_error_bound`.
    accuracy : float > 0, τ: how far from the truth the worst answer may be

    Returns
    -------
    int ≥ 1
        The least size for which `release_local_error_bound` is at most τ, about 4vL/τ² or less;
        ValueError above 2**62

    Notes
    -----
    :Error: With so many independent people all m answers are within τ with probability at least 1 -
        β, whatever the population. At most 1 + 2π coth(ε/2)² (‖R‖ ‖A‖/τ)² ln(2m/β).
    :References: Corollary *People for all questions* on the page *Many answers from one vector*
        (cor-people-for-all).

    Examples
    --------
    >>> from dplib.factorization import hierarchical_factorization, square_root_factorization
    >>> ways = hierarchical_factorization(cells=64), square_root_factorization(cells=64,
    ...                                                                        centered=True)
    >>> [release_local_sample_size(way, accuracy=0.05, epsilon=1, beta=0.05) for way in ways]
    [1952559, 164056]
    """
    accuracy = _checks.parameter("accuracy", accuracy)
    spread, longest = _tail(factorization, epsilon, beta)
    root = np.sqrt(2 * spread)
    people = min(
        ((root + np.sqrt(root**2 + 4 / 3 * longest * accuracy)) / (2 * accuracy)) ** 2,
        4 * spread / accuracy**2,
    )
    return int(_checks.reals("the answer", max(1.0, np.ceil(people)), at_most=_checks.LARGEST))
