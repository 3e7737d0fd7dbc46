"""Counting cells: known in advance, or named by the data.

Symbols
-------
b, q
    Noise scale: 2/ε under ``replace``, 1/ε under ``add_remove``; ratio e^(-1/b) of integer noise,
    Pr[Z = m] ∝ q^|m|.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal, localcontext

import numpy as np

from dplib import _checks, _counts, _grid, _samplers, mechanisms
from dplib._types import (
    Any, ArrayLike, Generator, Integer, Interval, LabelKind, NDArray, Neighbor, Noise, Real)

FOR_THRESHOLDS = Context(prec=50)  # integer thresholds are decided exactly


@dataclass(frozen=True, eq=False)
class SparseHistogram:
    """The released part of a histogram over labels that nobody listed beforehand.

    Attributes
    ----------
    labels : int64 array, or object array of str, shape (m,), sorted
    counts : float64 or int64 array, shape (m,)
        Their noisy counts. Every other label counts as 0.
    threshold : float or int
        What a noisy count had to exceed (float) or to reach (int)."""

    labels: np.ndarray
    counts: np.ndarray
    threshold: float | int


def laplace_histogram(
        labels: ArrayLike, *, cells: Integer, bounds: Interval | None = None, epsilon: Real,
        neighbor: Neighbor, noise: Noise, runs: bool = False, rng: Generator) -> NDArray[Any]:
    """Count the records in each of finitely many cells and add noise to every count, the empty
    cells included.

    Parameters
    ----------
    labels : array_like, shape (..., n)
        The cell of each record, 0, …, cells - 1; with ``bounds`` a number, of cell min(⌊(x - lo)
        k/(hi - lo)⌋, k - 1).
    cells : int ≥ 1, the public number k of cells
    bounds : (float, float)
        optional, a public interval (lo, hi) to be cut into equal cells; values outside are clipped
    epsilon : float > 0
    neighbor : {"replace", "add_remove"}
    noise : {"laplace", "discrete_laplace"}
    runs : bool
        Whether axes before the last are independent runs, each a data set of its own; without it
        there may be none
    rng : numpy.random.Generator

    Returns
    -------
    float64 or int64, shape (..., cells), the noisy counts, which may be negative

    Notes
    -----
    :Privacy: ε-DP under the stated relation, for records that are cells (with ``bounds``: finite
        numbers), given fair bits.
    :Error: Laplace: `laplace_max_quantile` with sensitivity 2 (``replace``) or 1. Integer: all
        errors are at most t = 0, 1, … with probability (1 - 2q^(t+1)/(1 + q))^k exactly.
    :References: Theorem *Noise on every cell* on the page *Counting cells that may not exist*
        (thm-laplace-histogram); Dwork, McSherry, Nissim and Smith, *Calibrating noise to
        sensitivity in private data analysis* (2006).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> visits = np.repeat([0, 1, 3], [50, 30, 20])
    >>> laplace_histogram(visits, cells=5, epsilon=1.0, neighbor="replace",
    ...                   noise="discrete_laplace", rng=rng)
    array([51, 31,  0, 19, -2])
    """
    cells = _checks.integer("cells", cells, at_least=1, at_most=2**52)
    bounds = None if bounds is None else _checks.interval("bounds", bounds)
    add_noise = _adding(noise, epsilon, neighbor)
    return add_noise(_counts.count_cells(labels, cells, bounds, runs), _checks.generator(rng))


def _adding(noise, epsilon, neighbor):
    """The function that adds noise to counts; each record is in one of them."""
    sensitivity = _checks.records_that_differ(neighbor)
    if _checks.noise(noise) == "laplace":
        return _grid.count_noise(sensitivity, _checks.parameter("epsilon", epsilon)).added_to_whole
    return lambda counts, rng: mechanisms.discrete_laplace(
        counts, sensitivity=sensitivity, epsilon=epsilon, rng=rng
    )


def stability_threshold(
        *, epsilon: Real, delta: Real, neighbor: Neighbor, noise: Noise) -> float | int:
    """The smallest threshold with which a `stability_histogram` is (ε, δ)-DP.

    Parameters
    ----------
    epsilon, delta : float > 0, δ ≤ 1/2
    neighbor, noise
        As in `laplace_histogram`.

    Returns
    -------
    float, or int for integer noise
        Laplace: T = 1 + b ln(1/(2δ)), to be tail_bound. Integer: the smallest T with q^(T-1)/(1 +
        q) ≤ δ, to be reached.

    Notes
    -----
    :Privacy: A cell of one record passes with probability at most δ, and with more at any smaller T
        (or integer).
    :References: Theorem *The exact threshold* on the page *Counting cells that may not exist*
        (thm-stability-histogram); proposition *No smaller threshold* on the page *Counting cells
        that may not exist* (prop-least-threshold).

    Examples
    --------
    >>> stability_threshold(epsilon=1, delta=1e-6, neighbor="replace", noise="discrete_laplace")
    28
    """
    sensitivity = _checks.records_that_differ(neighbor)
    epsilon, delta = (
        _checks.parameter("epsilon", epsilon),
        _checks.parameter("delta", delta, at_most=0.5),
    )
    if _checks.noise(noise) == "laplace":
        return 1 + _grid.tail_bound(_grid.count_noise(sensitivity, epsilon), delta)
    with localcontext(FOR_THRESHOLDS):
        rate, delta = Decimal(epsilon) / sensitivity, Decimal(delta)
        return 1 + _ceil(-(delta * (1 + (-rate).exp())).ln() / rate)


def stability_histogram(
        labels: ArrayLike, *, domain: LabelKind, epsilon: Real, delta: Real,
        neighbor: Neighbor, noise: Noise, rng: Generator) -> SparseHistogram:
    """Count the records of labels that nobody listed, and release those whose noisy count passes a
    threshold.

    Parameters
    ----------
    labels : array_like, shape (n,), the label of each record
    domain : {"integers", "text"}
        Whether labels are int64 numbers or strings; public, never inferred from the data
    epsilon, delta : float > 0, δ ≤ 1/2
    neighbor, noise, rng
        As in `laplace_histogram`.

    Returns
    -------
    SparseHistogram

    Notes
    -----
    :Privacy: (ε, δ)-DP under the stated relation for all labels of the domain, given fair bits.
        Integer noise: the rounding in `discrete_laplace` multiplies δ by at most 1 + 2**-42 T.
    :Error: All of m non-empty cells, released or not, are within T + b ln(m/β) of the truth with
        probability 1 - β.
    :Cost: O(n + m ln m) for m different texts, O(n) for integers in a range of at most 4n, else O(n
        ln n).
    :References: Theorem *The exact threshold* on the page *Counting cells that may not exist*
        (thm-stability-histogram); Korolova, Kenthapadi, Mishra and Ntoulas, *Releasing search
        queries and clicks privately* (2009); Bun, Nissim and Stemmer, *Simultaneous private
        learning of multiple concepts* (2016).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> words = np.repeat(["the", "of", "xylophone"], [900, 400, 1])
    >>> released = stability_histogram(words, domain="text", epsilon=1.0, delta=1e-6,
    ...                                neighbor="replace", noise="discrete_laplace", rng=rng)
    >>> released.labels, released.counts, released.threshold
    (array(['of', 'the'], dtype=object), array([405, 898]), 28)
    """
    threshold = stability_threshold(epsilon=epsilon, delta=delta, neighbor=neighbor, noise=noise)
    names, counts = _count_labels(labels, domain)
    return _released(
        names, _adding(noise, epsilon, neighbor)(counts, _checks.generator(rng)), threshold
    )


def truncated_histogram(
        labels: ArrayLike, *, domain: LabelKind, epsilon: Real, delta: Real,
        neighbor: Neighbor, noise: Noise, rng: Generator) -> SparseHistogram:
    """A `stability_histogram` with bounded noise, whose error is bounded with certainty.

    Parameters
    ----------
    labels, domain, epsilon, delta, neighbor, noise, rng
        As in `stability_histogram`; the noise is conditioned on [-A, A].

    Returns
    -------
    SparseHistogram, of the noisy counts above 1 + A (Laplace) or of A + 2 and more (integer)

    Notes
    -----
    :Privacy: (ε, δ)-DP under the stated relation for all labels of the domain, given fair bits,
        with A = b ln(1 + s (e^(1/b) - 1)/(2δ)), s = 2 under ``replace`` and 1 under ``add_remove``;
        integer noise: the smallest A with s Pr[Z = A] ≤ δ, and rounding multiplies δ by at most 1 +
        2**-42 A and adds 2**-41 to ε.
    :Error: Always, for every label and every n: |f̂ - f| ≤ 1 + 2A.
    :References: Theorem *Truncated noise: an error without n* on the page *Counting cells that may
        not exist* (thm-truncated-histogram).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> words = np.repeat(["the", "of", "xylophone"], [900, 400, 1])
    >>> released = truncated_histogram(words, domain="text", epsilon=1.0, delta=1e-6,
    ...                                neighbor="replace", noise="discrete_laplace", rng=rng)
    >>> released.labels, released.counts, released.threshold
    (array(['of', 'the'], dtype=object), array([401, 906]), 29)
    """
    changes = _checks.records_that_differ(neighbor)
    epsilon, delta = (
        _checks.parameter("epsilon", epsilon),
        _checks.parameter("delta", delta, at_most=0.5),
    )
    _checks.noise(noise)
    rate = (
        1 / _checks.lattice_scale("1 / epsilon", changes / epsilon)
        if noise == "discrete_laplace"
        else None
    )
    names, counts = _count_labels(labels, domain)
    _checks.generator(rng)
    if noise == "laplace":
        added = _grid.bounded(_grid.count_noise(changes, epsilon), delta / changes)
        return _released(names, added.added_to_whole(counts, rng), 1 + added.bound * added.grid)
    bound = _grid.truncation(Decimal(epsilon) / changes, 1, Decimal(delta) / changes)
    return _released(
        names,
        counts + _samplers.truncated_two_sided_geometric(rate, bound, counts.shape, rng),
        bound + 2,
    )


def _ceil(number):
    return int(number.to_integral_value(ROUND_CEILING))


def _count_labels(labels, domain):
    """The distinct labels in sorted order, and how often each occurs."""
    return DOMAINS[_checks.choice("domain", domain, DOMAINS)](labels)


def _count_integers(labels):
    labels = _checks.integers("labels", labels, at_least=-(2**63), at_most=2**63 - 1).astype(
        np.int64, copy=False
    )
    if labels.ndim != 1:
        raise ValueError(
            f"labels must be one data set, an array of shape (n,), got shape {labels.shape}"
        )
    if labels.size:
        low, high = int(labels.min()), int(labels.max())
        if high - low < 4 * labels.size:  # a range this short is counted faster than sorted
            counts = np.bincount(labels - low)
            # four times as fast as on the integers themselves
            occupied = np.flatnonzero(counts > 0)
            return occupied + low, counts[occupied]
    return np.unique(labels, return_counts=True)


def _count_text(labels):
    """By hashing: an array of strings is as wide as the longest of them, in its type and in
    memory."""
    _checks.plain("labels", labels)
    labels = labels.tolist() if isinstance(labels, np.ndarray) else labels
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise ValueError("labels must be one data set, of shape (n,), got a single value")
    labels = list(labels)
    if others := {type(label).__name__ for label in labels if not isinstance(label, str)}:
        raise ValueError(f"labels must be strings, got {', '.join(sorted(others))} among them")
    counts = Counter(labels)
    names = sorted(counts)
    return np.array([str(name) for name in names], dtype=object), np.array(
        [counts[name] for name in names], dtype=np.int64
    )


DOMAINS = {"integers": _count_integers, "text": _count_text}


def _released(names, noisy, threshold):
    """Only what passes the threshold."""
    passed = noisy > threshold if noisy.dtype.kind == "f" else noisy >= threshold
    return SparseHistogram(names[passed], noisy[passed], threshold)
