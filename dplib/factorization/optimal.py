"""The best factorization of any workload, with a proof that no other one is better by more than a
given gap.

Symbols
-------
p, q
    Weights of the questions and of the cells, positive, of sum 1.
M, f
    The weighted workload D_p^(1/2) W D_q^(1/2), and its trace norm, the sum of its singular values.
gap : η
    The best factorization found is worse than the best possible one by a factor of at most 1 + η.
"""

from __future__ import annotations

import numpy as np

from dplib import _checks
from dplib._types import ArrayLike, Real
from dplib.factorization.factors import (
    NORM_ROUNDING, Factorization, checked_matrix, factorization_of)

MOST_ITERATIONS = 10_000
# of one question or cell, relative to equal weights: so that nothing underflows
LEAST_WEIGHT = 1e-8
TINY = np.finfo(float).eps
LOST = 1e-12  # of the largest entry: what RA may miss of W
ROUNDS = 4  # for questions that matter so little that rounding hides them from the first


def optimal_factorization(
        workload: ArrayLike, *, gap: Real, centered: bool = False) -> Factorization:
    """The factorization W = RA with the least ‖R‖ ‖A‖, up to a certified gap.

    Parameters
    ----------
    workload : array_like, shape (m, N), the questions
    gap : float in [1e-6, 1)
        by how much, relatively, the error may be larger than that of the best factorization
    centered : bool, whether u in W = RA + u 1ᵀ may be chosen too

    Returns
    -------
    Factorization
        Its ``lower`` is a lower bound on the error of every factorization; see ``gap`` for what was
        reached

    Notes
    -----
    :Privacy: A centred one may be used where the number of records is public: in the local model,
        and under ``replace``. The weights come from the workload, which is public, and never from
        data.
    :Error: error ≤ (1 + gap) γ₂, γ₂ the least error. After 10,000 steps it returns what it has.
    :Cost: One singular value decomposition a step; some tens of steps are usual for a gap of 0.001.
        Plain uncentred steps have f ≥ (1 - η) γ₂ after ln(mN)/2η of them; the longer and the
        centred steps that are taken here have no proven rate.
    :References: Theorem *A certificate* on the page *The best factorization* (thm-certificate);
        theorem *It converges* on the page *The best factorization* (thm-convergence).

    Examples
    --------
    >>> best = optimal_factorization(np.tri(64), gap=1e-3)
    >>> round(best.lower, 3), round(best.error, 3)
    (2.111, 2.113)
    """
    W = checked_matrix("workload", workload)
    gap = _checks.parameter("gap", gap)
    R, A, offset, lower = _optimal(W, gap, centered)
    for _ in range(ROUNDS):
        lost = W - R @ A - offset[:, None]
        if np.abs(lost).max() <= LOST * np.abs(W).max():
            break
        more = _optimal(lost, gap, False)
        R, A = np.hstack([R, more[0]]), np.vstack([A, more[1]])
    return factorization_of(W, R=R, A=A, u=offset, lower=lower * (1 - NORM_ROUNDING))


def _optimal(W, gap, centered):
    """R, A, u and a lower bound: of all questions and cells that matter, up to the rounding of the
    largest."""
    rows = np.any(W != W[:, :1], axis=1) if centered else np.any(W != 0, axis=1)
    columns = np.any(W != 0, axis=0) | bool(centered)
    offset = W[:, 0] * bool(centered)
    if not rows.any():
        return np.zeros((len(W), 1)), np.zeros((1, W.shape[1])), offset, 0.0
    scale = np.abs(W).max()
    live = W[np.ix_(rows, columns)] / scale
    p, q, lower = _weights(live, gap, centered)
    factors = _factors(live, p, q, centered)
    R, A = np.zeros((len(W), factors[0].shape[1])), np.zeros((factors[1].shape[0], W.shape[1]))
    R[rows], A[:, columns] = (np.sqrt(scale) * factor for factor in factors)
    offset[rows] = live @ q * scale * bool(centered)
    return R, A, offset, lower * scale


def gamma2(workload: ArrayLike, *, gap: Real, centered: bool = False) -> float:
    """The least ‖R‖ ‖A‖ of all factorizations W = RA, rounded up: the norm γ₂.

    Parameters
    ----------
    workload, gap, centered
        As in `optimal_factorization`.

    Returns
    -------
    float, between γ₂ and (1 + gap) γ₂

    Notes
    -----
    :Cost: That of `optimal_factorization`, which also gives the factors and the lower bound.
    :References: Definition *The price of a workload* on the page *The best factorization*
        (def-gamma2).

    Examples
    --------
    >>> round(gamma2(np.tri(2), gap=1e-6), 4), round(gamma2(np.tri(2), gap=1e-6, centered=True), 4)
    (1.1547, 0.5)
    """
    return optimal_factorization(workload, gap=gap, centered=centered).error


def _weights(W, gap, centered):
    """Weights with the best upper bound, and the best lower bound, from equal weights by steps p →
    p⁺, q → q⁺."""
    p, q = (np.full(size, 1 / size) for size in W.shape)
    # Half as long again as the steps that are proven (centred: tried) to make f rise, and faster; f
    # rises with these, too, in all that was tried. Both bounds hold whatever the steps are.
    lower, upper, best, powers = 0.0, np.inf, None, (1.5, 0.75 if centered else 1.5)
    for _ in range(MOST_ITERATIONS):
        f, rows, columns = _step(W, p, q, centered)
        value = f * np.sqrt(rows.max() * columns.max())
        lower = max(lower, f)
        if value < upper:
            upper, best = value, (p, q)
        if upper <= lower * (1 + 0.99 * gap):
            break
        p, q = _mixed(p, rows ** powers[0]), _mixed(q, columns ** powers[1])
    return *best, lower


def _step(W, p, q, centered):
    """f, p⁺/p and q⁺/q: the squared norms of the rows of R and of the columns of A are f times the
    latter two."""
    U, sigma, Vt = _weighted(W, p, q, centered)
    f = sigma.sum()
    return f, U**2 @ sigma / (f * p), sigma @ Vt**2 / (f * q)


def _weighted(W, p, q, centered):
    """The singular value decomposition of M."""
    if centered:
        W = W - (W @ q)[:, None]
    return np.linalg.svd(np.sqrt(p)[:, None] * W * np.sqrt(q), full_matrices=False)


def _mixed(weights, factor):
    """The next weights, none of them too small."""
    weights = weights * factor
    return (1 - LEAST_WEIGHT) * weights / weights.sum() + LEAST_WEIGHT / weights.size


def _factors(W, p, q, centered):
    """R = D_p^(-1/2) U Σ^(1/2) and A = Σ^(1/2) Vᵀ D_q^(-1/2), scaled so that both have the same
    norm."""
    _, sigma, Vt = _weighted(W, p, q, centered)
    kept = sigma > sigma[0] * max(W.shape) * TINY
    A = np.sqrt(sigma[kept])[:, None] * Vt[kept] / np.sqrt(q)
    if centered:
        W = W - (W @ q)[:, None]
    # R from A and A from R once more, by least squares: divisions by small weights have made the
    # rounding errors large.
    R = np.linalg.lstsq(A.T, W.T, rcond=TINY)[0].T
    A = np.linalg.lstsq(R, W, rcond=TINY)[0]
    balance = np.sqrt(np.linalg.norm(R, axis=1).max() / np.linalg.norm(A, axis=0).max())
    return R / balance, A * balance
