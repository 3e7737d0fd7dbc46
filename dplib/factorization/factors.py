"""A workload as a product of two matrices, and how far its answers can be off.

Symbols
-------
W, m, N
    The workload: m questions (rows) about N cells (columns).
R, A, k
    W = RA + u 1ᵀ. People report columns of A, vectors of k entries; rows of R make answers of them.
u
    The part of every answer that is the same for all records, and known. 0, unless the columns of A
    were centred.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy

from dplib import _checks
from dplib._numerics import HELD_NUMBERS
from dplib._types import ArrayLike, Real

NORM_ROUNDING = 1e-12  # by which lower bounds are lowered and sensitivities raised
UNIT = 2.0**-53  # of a rounding


@dataclass(frozen=True, eq=False)
class Factorization:
    """A workload W = RA + u 1ᵀ: make it with `factorization_of` or with one of the functions for
    special workloads.

    Attributes
    ----------
    workload, R, A : float64 array or scipy.sparse.linalg.LinearOperator
        Shapes (m, N), (m, k), (k, N)
    offset : float64 array, shape (m,), u
    row_norms, column_norms : float64 arrays
        Shapes (m,) and (N,), ℓ₂ norms of the rows of R and the columns of A
    lower : float
        no factorization of W (centred, if this one is) has a smaller `error`; 0 if nothing was
        computed
    known_diameter : float, optional, `diameter`, where a formula gives it
    rounding : float
        How far off products with A are, at most: an average of columns in ℓ₂ norm, computed in
        floats.
    """

    workload: np.ndarray | scipy.sparse.linalg.LinearOperator
    R: np.ndarray | scipy.sparse.linalg.LinearOperator
    A: np.ndarray | scipy.sparse.linalg.LinearOperator
    offset: np.ndarray
    row_norms: np.ndarray
    column_norms: np.ndarray
    lower: float = 0.0
    known_diameter: float | None = None
    rounding: float = field(kw_only=True)

    def __repr__(self) -> str:
        (m, N), k = self.workload.shape, self.dimension
        size = f"{m} questions about {N} cells through {k} numbers"
        return f"<Factorization of {size}, error {self.error:.4f}>"

    @property
    def dimension(self) -> int:
        """The number k of entries that a person reports."""
        return self.A.shape[0]

    @property
    def error(self) -> float:
        """‖R‖ ‖A‖: the largest norm of a row of R times that of a column of A."""
        return float(self.row_norms.max() * self.column_norms.max())

    @property
    def gap(self) -> float:
        """By how much, relatively, a better factorization might have a smaller error: error / lower
        - 1."""
        return 0.0 if self.error == 0 else self.error / self.lower - 1 if self.lower > 0 else np.inf

    @cached_property
    def diameter(self) -> float:
        """The largest distance between two columns of A, rounded up."""
        if self.known_diameter is not None:
            return self.known_diameter
        A = self.A - self.A[:, :1]  # what all columns share would swallow what they do not
        largest = float(np.abs(A).max())
        if largest == 0:
            return 0.0
        # else tiny squares would be none
        A, width = A / largest, max(1, HELD_NUMBERS // A.shape[1])
        squares = np.square(A).sum(axis=0)
        blocks = (slice(i, i + width) for i in range(0, squares.size, width))
        farthest = max(np.max(squares[b, None] + squares - 2 * A[:, b].T @ A) for b in blocks)
        # more than the rounding of squares and products
        lost = 8 * (len(A) + 4) * UNIT * squares.max()
        return float(np.sqrt(max(farthest, 0.0) + lost) * (1 + NORM_ROUNDING)) * largest


def factorization_of(
        workload: ArrayLike, *, R: ArrayLike, A: ArrayLike, u: ArrayLike | None = None,
        lower: Real = 0.0) -> Factorization:
    """A factorization from its matrices.

    Parameters
    ----------
    workload : array_like, shape (m, N), the questions
    R, A : array_like, shapes (m, k) and (k, N), the two factors
    u : array_like, shape (m,)
        optional, the part of every answer that is the same for all records; else zeros
    lower : float, a proven lower bound on the error of every such factorization

    Returns
    -------
    Factorization

    Notes
    -----
    :Error: ValueError unless RA + u 1ᵀ is W, to within 1e-9 of the largest entry of W.
    :References: Definition *Factorization* on the page *Many answers from one vector*
        (def-factorization).

    Examples
    --------
    >>> factorization_of([[1, 0], [1, 1]], R=[[1, 0], [1, 1]], A=[[1, 0], [0, 1]])
    <Factorization of 2 questions about 2 cells through 2 numbers, error 1.4142>
    """
    given = {"workload": workload, "R": R, "A": A}
    W, R, A = (checked_matrix(name, value) for name, value in given.items())
    if R.shape != (W.shape[0], A.shape[0]) or A.shape[1] != W.shape[1]:
        raise ValueError(
            f"R and A must have shapes (m, k) and (k, N) for a workload of shape {W.shape}, got "
            f"{R.shape}, {A.shape}"
        )
    u = np.zeros(len(W)) if u is None else _checks.reals("u", u)
    if u.shape != (len(W),):
        raise ValueError(
            f"u must have one entry for each of {len(W)} questions, got shape {u.shape}"
        )
    if (off := np.abs(R @ A + u[:, None] - W).max()) > 1e-9 * max(
        np.abs(W).max(), np.finfo(float).tiny
    ):
        raise ValueError(f"R @ A + u must be the workload, got a difference of {off:g}")
    norms = column_norms(A)
    rounding = 2 * A.shape[1] * UNIT * float(norms.max())  # of a sum of N terms in any order
    return Factorization(W, R, A, u, column_norms(R.T), norms, float(lower), rounding=rounding)


def column_norms(A):
    """ℓ₂ norms of columns of any size: 0 only where all entries are, for no noise belongs to
    that."""
    largest = np.abs(A).max(axis=0)
    return largest * np.linalg.norm(A / np.where(largest > 0, largest, 1), axis=0)


def checked_matrix(name, value):
    """A non-empty matrix of finite numbers."""
    matrix = _checks.reals(name, value)
    if matrix.ndim != 2 or not matrix.size:
        raise ValueError(
            f"{name} must be a matrix with at least one row and one column, got shape "
            f"{matrix.shape}"
        )
    return matrix


def identity_factorization(workload: ArrayLike) -> Factorization:
    """Everybody reports a cell: R = W, and A is the identity.

    Parameters
    ----------
    workload : array_like, shape (m, N), the questions

    Returns
    -------
    Factorization

    Notes
    -----
    :Error: ‖R‖ is the largest norm of a question, ‖A‖ = 1.
    :References: Definition *Factorization* on the page *Many answers from one vector*
        (def-factorization).

    Examples
    --------
    >>> identity_factorization(np.tri(64)).error
    8.0
    """
    W = checked_matrix("workload", workload)
    return factorization_of(W, R=W, A=np.eye(W.shape[1]))


def center_factorization(factorization: Factorization, *, gap: Real = 1e-3) -> Factorization:
    """Subtract from the columns of A the centre of a small ball around them, and give its share
    back to the answers.

    Parameters
    ----------
    factorization : Factorization with matrices, the one to be centred
    gap : float in [1e-6, 1), by how much, relatively, the ball may be larger than the smallest

    Returns
    -------
    Factorization, R as it was, columns a - c in A and Rc added to the offset

    Notes
    -----
    :Privacy: It may be used where the number of records is public: in the local model, and under
        ``replace``.
    :Cost: Some hundred products with an N × N matrix; at most 10,000, and then the best ball so
        far.
    :References: Proposition *Subtract what everybody has* on the page *Many answers from one
        vector* (prop-centring).

    Examples
    --------
    >>> round(center_factorization(identity_factorization(np.eye(16))).error, 4)
    0.9682
    """
    old, A = factorization, checked_matrix("factorization.A", factorization.A)
    gap = _checks.parameter("gap", gap)
    c = A @ ball_weights(old.column_norms**2, lambda q: A.T @ (A @ q), gap)
    return factorization_of(old.workload, R=old.R, A=A - c[:, None], u=old.offset + old.R @ c)


def ball_weights(squares, gram, gap, steps=10_000):
    """Weights q whose mean Aq is the centre of a ball around all columns; ``squares`` are their
    squared norms, gram(q) = AᵀAq."""
    # With d the squared distances from the mean, ⟨q, d⟩ ≤ r² ≤ max d for the squared radius r² of
    # the smallest ball.
    q, best, smallest = np.full(squares.size, 1 / squares.size), None, np.inf
    for _ in range(steps):
        product = gram(q)
        distances = np.maximum(squares - 2 * product + q @ product, 0)
        average, largest = q @ distances, distances.max()
        if largest < smallest:
            best, smallest = q, largest
        if largest <= average * (1 + gap) ** 2 or average <= 0:
            break
        # without the root the weights of two columns would swap for ever
        q = q * np.sqrt(distances / average)
        q /= q.sum()
    return best
