"""Two factorizations of the threshold workload that never form a matrix, for millions of cells."""

from __future__ import annotations

import numpy as np
import scipy

from dplib import _checks
from dplib._types import Integer
from dplib.factorization.factors import NORM_ROUNDING, UNIT, Factorization, ball_weights

MOST_CELLS_WITHOUT_A_MATRIX = 2**30


def _operator(shape, forward):
    """A linear map that is given by a function of the first axis."""
    from scipy.sparse.linalg import LinearOperator  # slow to import
    return LinearOperator(shape, matvec=forward, matmat=forward, dtype=float)


def _prefix_sums(cells):
    return _operator((cells, cells), lambda x: np.cumsum(x, axis=0))


# --- the tree
# --------------------------------------------------------------------------------------------------


def hierarchical_factorization(
        *, cells: Integer, least_squares: bool = False, centered: bool = False) -> Factorization:
    """Thresholds from the counts of a binary tree of blocks.

    Parameters
    ----------
    cells : int in 2, …, 2**30, the number k of cells, here called N; the tree has 2^L ≥ N leaves
    least_squares : bool
        How answers are made: from the fewest blocks, or from all blocks by least squares.
    centered : bool
        Whether the mean of the columns is subtracted; then the root, the same for all, is left out

    Returns
    -------
    Factorization
        R and A are linear operators; A has the root first, then the blocks of each level from left
        to right

    Notes
    -----
    :Privacy: A centred one may be used where the number of records is public: in the local model,
        and under ``replace``.
    :Error: ‖A‖² = L + 1, centred L - 1 + 2^-L. From the fewest blocks ‖R‖² is the largest number of
        ones among the binary digits of 1, …, N, which is L if N = 2^L; by least squares it grows
        like L/9 only (1.57 for L = 8, 2.90 for L = 20).
    :Cost: O(N) for each product.
    :References: Proposition *The tree* on the page *Many answers from one vector* (prop-tree);
        proposition *Least squares on the tree* on the page *Many answers from one vector*
        (prop-least-squares); Hay, Rastogi, Miklau and Suciu, *Boosting the accuracy of
        differentially private histograms through consistency* (2010).

    Examples
    --------
    >>> hierarchical_factorization(cells=64)
    <Factorization of 64 questions about 64 cells through 127 numbers, error 6.4807>
    >>> round(hierarchical_factorization(cells=2**20, least_squares=True).error, 4)
    7.8064
    """
    cells = _checks.integer("cells", cells, at_least=2, at_most=MOST_CELLS_WITHOUT_A_MATRIX)
    L = (cells - 1).bit_length()
    nodes = 2 ** (L + 1) - 1 - bool(centered)
    ends = np.arange(1, cells + 1)
    solve = _least_squares if least_squares else _fewest_blocks
    norms = _least_squares_norms if least_squares else _fewest_blocks_norms
    # of a block, under equal weights
    share = 0.5 ** np.repeat(np.arange(L + 1), 2 ** np.arange(L + 1))

    def sums(x):
        if not centered:
            return _block_sums(x, L)
        return _block_sums(x, L)[1:] - np.multiply.outer(share[1:], x.sum(axis=0)).reshape(
            nodes, *x.shape[1:]
        )

    def answers(z):
        z = np.concatenate([np.zeros((1, *z.shape[1:])), z]) if centered else z
        return solve(z, L, known_total=centered)[:cells]

    size = L - 1 + 0.5**L if centered else L + 1
    return Factorization(
        _prefix_sums(cells), _operator((cells, nodes), answers), _operator((nodes, cells), sums),
        ends / 2**L if centered else np.zeros(cells), norms(ends, L, known_total=centered),
        np.full(cells, np.sqrt(size)), known_diameter=float(np.sqrt(2 * L)) * (1 + NORM_ROUNDING),
        # sums of whole numbers are exact, less a share of all of them they are not
        rounding=2 * UNIT * nodes**0.5 if centered else 0.0)


def _levels(z, L):
    """The values of the blocks, level by level, from the root to the leaves."""
    return [z[2**d - 1:2 ** (d + 1) - 1] for d in range(L + 1)]


def _block_sums(x, L):
    """The sums over all blocks, by adding neighbours."""
    level = np.zeros((2**L, *x.shape[1:]))
    level[:len(x)] = x
    levels = [level]
    for _ in range(L):
        levels.append(levels[-1][::2] + levels[-1][1::2])
    return np.concatenate(levels[::-1])


def _fewest_blocks(z, L, known_total):
    """Sums over the first j leaves, j = 1, …, 2^L, from the fewest blocks: the binary digits of
    j."""
    root, *below = _levels(z, L)
    # sums up to the ends of the blocks of one level
    ends = np.concatenate([np.zeros_like(root), root])
    for level in below:
        finer = np.empty((2 * len(ends) - 1, *z.shape[1:]))
        finer[::2] = ends
        finer[1::2] = ends[:-1] + level[::2]
        ends = finer
    return ends[1:]


def _fewest_blocks_norms(ends, L, known_total):
    """Square roots of the numbers of ones; all leaves together are the root, which may be known."""
    ones = np.bitwise_count(ends).astype(float)
    return np.sqrt(np.where((ends == 2**L) & known_total, 0, ones))


def _least_squares(z, L, known_total):
    """Sums over the first j leaves by least squares from all blocks: once up the tree and once
    down."""
    # Up: the best estimate of a block from its own value and all below it; with s levels below,
    # these have the weights 2^s and 2^s - 1. Down: the halves of a block share equally what it is
    # more than their sum.
    levels = _levels(z, L)
    upwards = [levels[-1]]
    for s, level in enumerate(reversed(levels[:-1]), start=1):
        halves = upwards[-1][::2] + upwards[-1][1::2]
        upwards.append((2**s * level + (2**s - 1) * halves) / (2 ** (s + 1) - 1))
    estimate = np.zeros_like(levels[0]) if known_total else upwards[-1]
    for level in upwards[-2::-1]:
        missing = estimate - (level[::2] + level[1::2])
        estimate = level + np.repeat(missing / 2, 2, axis=0)
    return np.cumsum(estimate, axis=0)


def _least_squares_norms(ends, L, known_total):
    """The norms of the rows of W A⁺, by the eigenvectors of AᵀA: the Haar wavelets, of eigenvalue
    2^s - 1 on 2^s leaves."""
    squares = np.zeros(ends.size) if known_total else ends**2 / 2**L / (2 ** (L + 1) - 1)
    for s in range(1, L + 1):
        rest = ends % 2**s
        squares += np.minimum(rest, 2**s - rest) ** 2.0 / (2**s * (2**s - 1.0))
    return np.sqrt(squares)


# --- the square root
# --------------------------------------------------------------------------------------------------


def square_root_factorization(*, cells: Integer, centered: bool = False) -> Factorization:
    """Thresholds by the square root of their matrix: R = A, ones on the diagonal, 1/2 below it, 3/8
    below that, …

    Parameters
    ----------
    cells : int in 2, …, 2**30, the number k of cells, here called N
    centered : bool, whether the centre of a small ball around the columns is subtracted

    Returns
    -------
    Factorization, R and A are linear operators, two convolutions

    Notes
    -----
    :Privacy: A centred one may be used where the number of records is public: in the local model,
        and under ``replace``.
    :Error: ‖R‖ ‖A‖ = Σ a_k² over k < N, a_k = C(2k, k)/4^k: between ln(N)/π + 1 and (ln N)/π +
        1.0663. Centred, ‖A‖ is the radius of a ball that is at most 0.01% larger than the smallest,
        for N up to about 2**10.
    :Cost: O(N log N) for each product; to find the centre some hundred of them, at most 1000.
    :References: Proposition *The square root* on the page *Many answers from one vector*
        (prop-square-root); Henzinger, Upadhyay and Upadhyay, *Almost tight error bounds on
        differentially private continual counting* (2023).

    Examples
    --------
    >>> square_root_factorization(cells=64)
    <Factorization of 64 questions about 64 cells through 64 numbers, error 2.3888>
    >>> round(square_root_factorization(cells=64, centered=True).error, 3)
    1.868
    """
    cells = _checks.integer("cells", cells, at_least=2, at_most=MOST_CELLS_WITHOUT_A_MATRIX)
    k = np.arange(1, cells)
    a = np.cumprod(np.concatenate([[1.0], (2 * k - 1) / (2 * k)]))
    squares = np.cumsum(a**2)
    length = 1 << (2 * cells - 2).bit_length()
    kernel = scipy.fft.rfft(a, length)

    def convolve(x):
        spectrum = scipy.fft.rfft(x, length, axis=0)
        spectrum *= kernel.reshape(-1, *[1] * (x.ndim - 1))
        return scipy.fft.irfft(spectrum, length, axis=0, overwrite_x=True)[:cells]

    def transposed(x):
        return convolve(x[::-1])[::-1]

    # Columns further right are cut off earlier, so no two are further apart than the first and one
    # of the others.
    overlap = scipy.fft.irfft(np.abs(kernel) ** 2, length)[:cells]
    farthest = np.max(squares[-1] + squares[::-1] - 2 * overlap)
    diameter = float(np.sqrt(farthest) * (1 + 1e3 * NORM_ROUNDING))
    root = _operator((cells, cells), convolve)
    columns, A, offset = squares[::-1], root, np.zeros(cells)
    if centered:
        c = convolve(ball_weights(columns, lambda q: transposed(convolve(q)), 1e-4, steps=1000))
        A = _operator(
            (cells, cells),
            lambda x: convolve(x) - np.multiply.outer(c, x.sum(axis=0)).reshape(x.shape),
        )
        columns, offset = np.maximum(columns - 2 * transposed(c) + c @ c, 0), convolve(c)
    return Factorization(
        _prefix_sums(cells),
        root,
        A,
        offset,
        np.sqrt(squares),
        np.sqrt(columns),
        known_diameter=diameter,
        rounding=_convolution_rounding(a, length, centered),
    )


def _convolution_rounding(a, length, centered):
    """How far off a * x is in ℓ₂ norm, for ‖x‖₂ ≤ 1, by Fourier transforms that are each right to 8
    (log₂ length + 2) roundings."""
    # Higham, Accuracy and Stability of Numerical Algorithms, theorem 24.2
    transform = 8 * (length.bit_length() + 1) * UNIT
    one = transform * (2 * a.sum() + length**0.5 * np.linalg.norm(a)) * 2
    return float(one + (3 * UNIT * a.size**0.5 if centered else 0))
