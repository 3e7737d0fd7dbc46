"""Private means of records with unit variance: within a radius, in two stages, with no radius at
all.

Privacy is for all finite records, given fair bits (`dplib.mechanisms`), errors are for independent
N(μ, 1) records. Clipped records are added up as whole numbers of steps of 2**-36 half-widths,
coarser ones for more than 2**24 records, so that no sum is rounded.
"""

from __future__ import annotations

from math import isfinite, prod

import numpy as np

from dplib import _checks, _grid
from dplib._numerics import CACHED_NUMBERS, LARGEST_FLOAT
from dplib._sums import Tally
from dplib._types import ArrayLike, Floats, Generator, Real
from dplib.histograms import stability_threshold
from dplib.mean.distributions import clip_radius

SORTED_NUMBERS = 3 * CACHED_NUMBERS  # at a time; even, so that no pair is torn
LARGEST_OCTAVE = 1021  # four times its scale is still a float
MOST_CELLS_IN_INT64 = 2.0**61  # on either side of 0: so many can be told apart in int64
MOST_PER_RECORD = 1e280  # a score per record that is beyond all doubt, and times any count a float


def clipped_mean(
        x: ArrayLike, *, radius: Real, epsilon: Real, beta: Real = 0.01, runs: bool = False,
        rng: Generator) -> Floats:
    """The mean of records clipped to a public window, with Laplace noise.

    Parameters
    ----------
    x : array_like of real numbers, shape (..., n), n ≥ 1
        The last axis is the data set, leading axes are independent runs; in units of the records'
        known standard deviation.
    radius : float ≥ 0, R with |μ| ≤ R, public, in standard deviations; records may lie outside
    epsilon : float > 0
    beta : float in (0, 1)
        Bounds the probability that a record is clipped: B = R + t_n(β), with t_n(β) from
        `clip_radius`
    runs : bool
        Whether axes before the last are independent runs, each a data set of its own; without it
        there may be none
    rng : numpy.random.Generator

    Returns
    -------
    float64, shape (...), the average of the records clipped to [-B, B], plus Lap(2B/(nε))

    Notes
    -----
    :Privacy: ε-DP under ``replace``.
    :Error: `clipped_mean_error_bound`, for |μ| ≤ R.
    :References: Theorem *Clipped mean* on the page *The price of a range* (thm-clipped-mean);
        Dwork, McSherry, Nissim and Smith, *Calibrating noise to sensitivity in private data
        analysis* (2006).

    Examples
    --------
    >>> rng = np.random.default_rng(2)
    >>> x = rng.normal(loc=3, size=1000)
    >>> [round(float(clipped_mean(x, radius=R, epsilon=0.5, rng=rng)), 2) for R in (10, 1000)]
    [3.04, -3.14]
    """
    rows, shape = rows_of_runs(x, runs)
    window = Tally.of(
        rows.shape[1], _checks.parameter("radius", radius) + _clip_radius(rows.shape[1], beta)
    )
    epsilon = _fine_budget(window, epsilon)
    _checks.generator(rng)
    return window.noisy_mean(_window_sums(rows, None, window), epsilon, rng).reshape(shape)[()]


def two_stage_mean(
        x: ArrayLike, *, radius: Real, epsilon: Real, split: Real = 0.5, width: Real = 1.0,
        beta: Real = 0.01, runs: bool = False, rng: Generator) -> Floats:
    """Find the cell of the mean by the exponential mechanism, then clip to a window around it.

    Parameters
    ----------
    x, epsilon, runs, rng
        As in `clipped_mean`.
    radius : float ≥ 0, R with |μ| ≤ R, public; R/w finite, 1e50 is fine
    split : float in (0, 1)
        The share of ε that the coarse stage spends: ε₁; the fine stage spends ε₂ = ε - ε₁
    width : float > 0, w, the width of a cell, in standard deviations
    beta : float in (0, 1)
        Bounds the probability that a record is clipped although the cell is right: B = 1.5w +
        t_n(β)

    Returns
    -------
    float64, shape (...)
        m + the average of x - m clipped to [-B, B] + Lap(2B/(nε₂)), m the middle of a cell [kw, (k
        + 1)w), chosen among all -M ≤ k < M, M = max(1, ⌈R/w⌉), with probability ∝ e^(ε₁ c/2), c the
        number of records in it.

    Notes
    -----
    :Privacy: ε-DP under ``replace``.
    :Error: `two_stage_mean_error_bound`, for |μ| ≤ R.
    :Cost: O(n log n), however many cells there are.
    :References: Theorem *Two-stage mean* on the page *First find it, then measure it*
        (thm-two-stage); Karwa and Vadhan, *Finite sample differentially private confidence
        intervals* (2018).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(loc=3, size=1000)
    >>> [round(float(two_stage_mean(x, radius=R, epsilon=0.5, rng=rng)), 2) for R in (10, 1e3,
    ...                                                                               1e12)]
    [2.93, 2.98, 2.91]
    """
    rows, shape = rows_of_runs(x, runs)
    coarse, fine, window = _two_stages(rows.shape[1], epsilon, split, width, beta)
    half = _half_cells(radius, width)
    coarse = _grid.for_weights(coarse)
    _checks.generator(rng)
    cells = _exponential_cells(
        _occupied(rows, _cells(width), -half, half), len(rows), half, coarse, rng
    )
    return _fine_stage(rows, cells, width, window, fine, rng).reshape(shape)[()]


def unbounded_mean(
        x: ArrayLike, *, epsilon: Real, delta: Real, split: Real = 0.5, width: Real = 1.0,
        beta: Real = 0.01, runs: bool = False, rng: Generator) -> Floats:
    """Find the cell of the mean with a stability histogram, then clip to a window around it: no
    radius is needed.

    Parameters
    ----------
    x, epsilon, split, width, beta, runs, rng
        As in `two_stage_mean`.
    delta : float in (0, 1/2], all of it for the coarse stage

    Returns
    -------
    float64, shape (...)
        As `two_stage_mean`, in the occupied cell with the largest count + Lap(2/ε₁), if that
        exceeds `stability_threshold`; else NaN, a refusal.

    Notes
    -----
    :Privacy: (ε, δ)-DP under ``replace``, refusals included.
    :Error: `unbounded_mean_error_bound`, for every μ with μ/w a float.
    :Cost: O(n log n).
    :References: Theorem *Mean without a range* on the page *A mean from anywhere*
        (thm-unbounded-mean).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(loc=[[-5e9], [3], [0]], size=(3, 1000))
    >>> x[2] *= 1000  # not of unit variance: no cell holds enough
    >>> unbounded_mean(x, epsilon=1, delta=1e-6, runs=True, rng=rng).round(2)
    array([-5.00e+09,  3.04e+00,       nan])
    """
    rows, shape = rows_of_runs(x, runs)
    coarse, fine, window = _two_stages(rows.shape[1], epsilon, split, width, beta)
    threshold = stability_threshold(
        epsilon=coarse, delta=delta, neighbor="replace", noise="laplace"
    )
    _checks.generator(rng)
    cells = _released_cells(
        _occupied(rows, _cells(width), -np.inf, np.inf), len(rows), threshold, coarse, rng
    )
    return _fine_stage(rows, cells, width, window, fine, rng).reshape(shape)[()]


def private_scale(
        x: ArrayLike, *, epsilon: Real, delta: Real, runs: bool = False, rng: Generator) -> Floats:
    """The standard deviation, up to a factor of 8, from the octaves of differences.

    Parameters
    ----------
    x, epsilon, runs, rng
        As in `clipped_mean`, but in any unit.
    delta : float in (0, 1/2]

    Returns
    -------
    float64, shape (...)
        σ̂ = 2^(j + 2), j the label with the largest noisy count above `stability_threshold`; NaN, a
        refusal, if none is. A pair (x₁, x₂), (x₃, x₄), … has the label ⌊log₂(|x₂ - x₁|/√2)⌋, at
        most 1021; equal records have none.

    Notes
    -----
    :Privacy: (ε, δ)-DP under ``replace``, the refusal included.
    :Error: For independent N(μ, σ²) records σ < σ̂ ≤ 8σ, except with probability at most
        `scale_failure_bound`.
    :Cost: O(n log n).
    :References: Theorem *A scale out of nowhere* on the page *Intervals that keep their word*
        (thm-private-scale).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(loc=3, scale=[[0.001], [1], [30]], size=(3, 1000))
    >>> private_scale(x, epsilon=1, delta=1e-6, runs=True, rng=rng)
    array([1.953125e-03, 2.000000e+00, 6.400000e+01])
    """
    rows, shape = rows_of_runs(x, runs)
    epsilon = _checks.parameter("epsilon", epsilon)
    threshold = stability_threshold(
        epsilon=epsilon, delta=delta, neighbor="replace", noise="laplace"
    )
    _checks.generator(rng)
    occupied = _occupied(rows, _octaves, -LARGEST_FLOAT, np.inf)
    octaves = _released_cells(occupied, len(rows), threshold, epsilon, rng)
    return np.exp2(octaves + 2).reshape(shape)[()]


# --------------------------------------------------------------------------------------- parameters


def rows_of_runs(x, runs):
    """One data set per row (a view where NumPy can give one), and the shape of the answer."""
    x = _checks.data_sets("x", x, runs=runs)
    *batch, n = x.shape
    return x.reshape(prod(batch), n), tuple(batch)


def _two_stages(n, epsilon, split, width, beta):
    """ε₁, ε₂, and the window of the fine stage."""
    epsilon = _checks.parameter("epsilon", epsilon)
    split = _checks.parameter("split", split)
    window = Tally.of(n, 1.5 * _checks.parameter("width", width) + _clip_radius(n, beta))
    return split * epsilon, _fine_budget(window, (1 - split) * epsilon), window


def _clip_radius(n, beta):
    """t_n(β) as a float."""
    return float(clip_radius(size=n, beta=_checks.parameter("beta", beta)))


def _fine_budget(window, epsilon):
    """ε₂; whether there is noise for it is asked now rather than after the coarse stage."""
    epsilon = _checks.parameter("epsilon", epsilon)
    scale = 2 * (window.half_width / window.size) / epsilon
    if not 0 < scale < np.inf:
        raise ValueError(
            f"the noise 2B/(nε) must be a positive float, got B = {window.half_width:g}, n = "
            f"{window.size}, ε = {epsilon:g}"
        )
    window.noise(epsilon)
    return epsilon


def _half_cells(radius, width):
    """M, as a float: it may be 10⁵⁰."""
    ratio = _checks.parameter("radius", radius) / float(width)
    return float(max(1, np.ceil(_checks.real("radius / width", ratio))))


# --------------------------------------------------------------------------------------- the window


def _fine_stage(rows, cells, width, window, epsilon, rng):
    """A clipped mean around the middle of the chosen cell; NaN where none was chosen."""
    with np.errstate(over="ignore"):
        middle = np.clip((cells + 0.5) * width, -LARGEST_FLOAT, LARGEST_FLOAT)
        return middle + window.noisy_mean(
            _window_sums(rows, np.nan_to_num(middle), window), epsilon, rng
        )


def _window_sums(rows, middle, window):
    """The sum of x - m clipped to [-B, B] in every run, in steps; m = 0 if ``middle`` is None."""
    bits, room = np.zeros(len(rows), dtype=np.int64), np.empty(CACHED_NUMBERS)
    # a difference that overflows is clipped like any other
    with np.errstate(over="ignore", invalid="ignore"):
        for top, block in _blocks(rows, CACHED_NUMBERS):
            part, inside = slice(top, top + len(block)), room[:block.size].reshape(block.shape)
            if middle is not None:
                block = np.subtract(block, middle[part, np.newaxis], out=inside)
            bits[part] += window.bits(block, inside)
    return window.counted(bits)


def _blocks(rows, size):
    """The data in blocks of float64, several short rows or a part of a long one, and the number of
    their first row."""
    height = max(1, size // rows.shape[1])
    for top in range(0, len(rows), height):
        for left in range(0, rows.shape[1], size):
            yield top, _finite(rows[top:top + height, left:left + size])


def _finite(block):
    """A finite sum of squares has finite terms, and is cheaper than a look at each; only if it is
    not do we look."""
    block = np.asarray(block, dtype=np.float64)
    return block if isfinite(np.vdot(block, block)) else _checks.reals("x", block)


# ---------------------------------------------------------------------------------------- the cells


def _cells(width):
    """Labels k of the cells [kw, (k + 1)w); the last float on either side stands for all beyond
    it."""
    return lambda block: np.clip(np.floor(block / width), -LARGEST_FLOAT, LARGEST_FLOAT)


def _octaves(block):
    """⌊log₂(|x₂ - x₁|/√2)⌋ of every pair, -inf where the two are equal."""
    pairs = block[:, :block.shape[1] // 2 * 2]
    distance = np.abs(pairs[:, 1::2] - pairs[:, ::2])
    return np.minimum(np.floor(np.log2(distance) - 0.5), LARGEST_OCTAVE)


def _occupied(rows, label, low, high):
    """The cells low ≤ k < high with records in them: the run, the label and the count of each, by
    run and label."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        blocks = _blocks(rows, SORTED_NUMBERS)
        found = [_count(top, label(block), low, high) for top, block in blocks]
    # there may be no run at all
    found.append([np.empty(0, dtype=kind) for kind in (np.int64, np.float64, np.int64)])
    run, labels, counts = (np.concatenate(parts) for parts in zip(*found, strict=True))
    if rows.shape[1] <= SORTED_NUMBERS:
        return run, labels, counts
    order = np.lexsort((labels, run))  # long rows came in parts
    run, labels, counts = run[order], labels[order], counts[order]
    fresh = np.diff(run, prepend=-1) > 0
    fresh[1:] |= labels[1:] != labels[:-1]
    first = np.flatnonzero(fresh)
    return run[first], labels[first], np.add.reduceat(counts, first)


def _count(top, labels, low, high):
    """The distinct labels of each row of a block, and how often each occurs."""
    labels.sort(axis=1)
    fresh = np.ones(labels.shape, dtype=bool)
    np.not_equal(labels[:, 1:], labels[:, :-1], out=fresh[:, 1:])
    first = np.flatnonzero(fresh)
    run, counts, labels = (
        top + first // labels.shape[1],
        np.diff(first, append=labels.size),
        labels.ravel()[first],
    )
    kept = (labels >= low) & (labels < high)
    return run[kept], labels[kept], counts[kept]


# ------------------------------------------------------------------------------------ coarse stages


def _exponential_cells(occupied, runs, half, epsilon, rng):
    """The exponential mechanism over the cells -M, …, M - 1 with their counts as scores, one draw
    per occupied cell."""
    # The E empty cells of a run have the score 0. The largest of their E Gumbel variables is ln E
    # plus one such variable, and belongs to each of them with the same probability.
    run, labels, counts = occupied
    taken = np.bincount(run, minlength=runs)
    with np.errstate(divide="ignore"):  # perhaps none is empty
        empty = np.log(half - taken / 2) + np.log(2)
    rate, most = min(epsilon / 2, MOST_PER_RECORD), np.zeros(runs, dtype=counts.dtype)
    np.maximum.at(most, run, counts)
    # counts are subtracted first: of large products, digits would be lost
    behind = rate * (counts - most[run])
    empty -= rate * most
    ahead = np.maximum(empty, 0)  # how far the empty cells together are ahead of the fullest one
    cells = _empty_cells(run, labels, taken, half, rng)
    full, none = (
        _grid.noisy_log_weights(weights, rng) for weights in (behind - ahead[run], empty - ahead)
    )
    return _largest(run, labels, full, none, cells)


def _empty_cells(run, labels, taken, half, rng):
    """A uniform empty cell of each run: number j of them is cell j plus as many as there are taken
    cells before it."""
    whole = np.int64 if half <= MOST_CELLS_IN_INT64 else object  # beyond them Python's integers
    first = -int(half)
    # number j, less M; anything where none is empty
    cells = _grid.uniform(2 * int(half) - taken.astype(whole), rng) + first
    before = np.arange(labels.size) - (np.cumsum(taken) - taken)[run]
    labels = (
        labels.astype(np.int64)
        if whole is np.int64
        else np.array([int(label) for label in labels], dtype=object)
    )
    behind = labels - before <= cells[run]
    return (cells + np.bincount(run[behind.astype(bool)], minlength=taken.size)).astype(np.float64)


def _released_cells(occupied, runs, threshold, epsilon, rng):
    """The cell with the largest noisy count, if that exceeds the threshold; else NaN."""
    run, labels, counts = occupied
    noisy = _grid.count_noise(2, epsilon).added_to_whole(counts, rng)
    return _largest(run, labels, noisy, np.full(runs, threshold), np.full(runs, np.nan))


def _largest(run, labels, noisy, best, cells):
    """In each run the label with the largest noisy score, if that exceeds ``best``; else what
    ``cells`` holds."""
    wins = noisy > best[run]
    run, labels, noisy = run[wins], labels[wins], noisy[wins]
    np.maximum.at(best, run, noisy)
    wins = noisy == best[run]
    cells[run[wins]] = labels[wins]
    return cells
