"""Learning a rule from labelled examples: cut-offs and stumps by the exponential mechanism, and how
many people are enough.

An example is a record (x, y) with a label y of 0 or 1. The score of a rule is the number of
examples that it labels rightly; one record moves it by at most 1. A rule that gets the least share
of examples wrong need not be right for the next one: sizes are for the error on the distribution
from which the examples are drawn.

Symbols
-------
cells : k
    x lies in 0, …, k - 1. The cut-off t says 1 from t on: k + 1 different rules, t = 0, …, k.
hypotheses : N
    The number of rules to choose from.
accuracy : α
    The error of a rule is the probability of a wrong label; it is to be less than α, or less than α
    above the best.
"""

from __future__ import annotations

import numpy as np

from dplib import _checks, _grid
from dplib._types import ArrayLike, Generator, Integer, Ints, Neighbor, Real, Reals

# -------------------------------------------------------------------------------------------- rules


def private_threshold(
        x: ArrayLike, y: ArrayLike, *, cells: Integer, epsilon: Real, neighbor: Neighbor,
        runs: bool = False, rng: Generator) -> Ints:
    """Choose a cut-off by the exponential mechanism, exactly, however many cut-offs there are.

    Parameters
    ----------
    x : array_like of integers, shape (..., n)
        Data sets along the last axis, clipped to 0, …, k - 1
    y : array_like of numbers, the shape of ``x``, the label of each record: 1 if above 0, else 0
    cells : int ≥ 1, the number k of cells, the values that x can have, known before the data are
    epsilon : float > 0
    neighbor : {"replace", "add_remove"}
        Under ``replace`` n is public and at least 1.
    runs : bool
        Whether axes before the last are independent runs, each a data set of its own; without it
        there may be none
    rng : numpy.random.Generator

    Returns
    -------
    int64, shape (...)
        The cut-off t in 0, …, k: the rule says 1 if x ≥ t. Pr[t] ∝ e^(ε u/2), u the number of
        records that t labels rightly; e^(ε u) under ``add_remove``, where u is monotone.

    Notes
    -----
    :Privacy: ε-DP under ``neighbor``, for records (x, y), given fair bits.
    :Error: With a rule that is always right, and of independent records, the error is α or more
        with probability at most k (1 - α (1 - e^(-ε/2)))ⁿ. How many records are enough:
        `pac_sample_size`.
    :Cost: O(n log n) for each data set, whatever ``cells`` is.
    :References: Proposition *Cut-offs come in runs* on the page *Learning a rule privately*
        (prop-threshold-runs); Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith, *What can we
        learn privately?* (2011).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.integers(0, 2**40, size=300)
    >>> t = private_threshold(x, x >= 2**39, cells=2**40, epsilon=1, neighbor="replace", rng=rng)
    >>> round(int(t) / 2**40, 2)
    0.49
    """
    rate, rng = _rate(epsilon, neighbor), _checks.generator(rng)
    first, length, score = _runs(*_examples(x, y, cells, neighbor, runs), cells)
    run = _chosen_run(rate, length, score, rng)
    return _inside(first, length, run, rng)


def threshold_runs(x: ArrayLike, y: ArrayLike, *, cells: Integer) -> tuple[Ints, Ints, Ints]:
    """The cut-offs that label the data in the same way, and their scores: what `private_threshold`
    chooses from, not private.

    Parameters
    ----------
    x, y, cells
        As in `private_threshold`, where n = 0 is allowed.

    Returns
    -------
    (int64, int64, int64), each of shape (..., n + 1)
        The run after j records in the order of x: its first cut-off, how many there are (0 between
        equal records), and how many records they label rightly.

    Notes
    -----
    :References: Proposition *Cut-offs come in runs* on the page *Learning a rule privately*
        (prop-threshold-runs).

    Examples
    --------
    >>> [run.tolist() for run in threshold_runs([2, 7, 7], [0, 1, 1], cells=10)]
    [[0, 3, 8, 8], [3, 5, 0, 3], [2, 3, 2, 1]]
    """
    return _runs(*_examples(x, y, cells, "add_remove", runs=True), cells)


def private_stump(
        x: ArrayLike, y: ArrayLike, *, cells: Integer, epsilon: Real, neighbor: Neighbor,
        runs: bool = False, rng: Generator) -> tuple[Ints, Ints, Ints]:
    """Choose one feature, a cut-off and a direction by the exponential mechanism.

    Parameters
    ----------
    x : array_like of integers, shape (..., n, p)
        Data sets of n records with p ≥ 1 features each, clipped to 0, …, k - 1
    y : array_like of numbers, shape (..., n), the label of each record: 1 if above 0, else 0
    cells, epsilon, neighbor, runs, rng
        As in `private_threshold`, the same ``cells`` for every feature.

    Returns
    -------
    (int64, int64, int64), each of shape (...)
        The feature j, the cut-off t and the sign of the rule: 1 says 1 if x_j ≥ t, -1 says 1 if x_j
        < t.

    Notes
    -----
    :Privacy: ε-DP under ``neighbor``, for records of all features and the label, given fair bits.
    :Error: As `private_threshold`, with 2p (k + 1) rules.
    :Cost: O(p n log n) for each data set, whatever ``cells`` is.
    :References: Proposition *Cut-offs come in runs* on the page *Learning a rule privately*
        (prop-threshold-runs).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.integers(0, 1000, size=(400, 5))
    >>> feature, cut, sign = private_stump(x, x[:, 3] < 250, cells=1000, epsilon=1,
    ...                                    neighbor="replace", rng=rng)
    >>> int(feature), int(cut), int(sign)
    (3, 251, -1)
    """
    rate, rng = _rate(epsilon, neighbor), _checks.generator(rng)
    columns = np.swapaxes(_integers(x, 2, cells, runs), -1, -2)
    if columns.shape[-2] == 0:
        raise ValueError(
            f"x must have at least one feature on the last axis, got shape {np.shape(x)}"
        )
    positive = _labels(y, columns.shape[:-2] + columns.shape[-1:], neighbor)
    first, length, score = _runs(
        columns, np.broadcast_to(positive[..., np.newaxis, :], columns.shape), cells
    )
    # (..., p, 2, n + 1): the opposite rule is right elsewhere
    both = np.stack([score, columns.shape[-1] - score], axis=-2)
    flat = lambda array: np.broadcast_to(array[..., np.newaxis, :], both.shape).reshape(
        *both.shape[:-3], -1
    )
    run = _chosen_run(rate, flat(length), both.reshape(*both.shape[:-3], -1), rng)
    rule = run // both.shape[-1]
    return rule // 2, _inside(flat(first), flat(length), run, rng), 1 - 2 * (rule % 2)


def _rate(epsilon, neighbor):
    """What one more right label adds to the logarithm of a weight."""
    differ = _checks.records_that_differ(neighbor)
    return _grid.for_weights(_checks.parameter("epsilon", epsilon)) / differ


def _examples(x, y, cells, neighbor, runs):
    """Numbers of cells, and whether each label is 1."""
    x = _integers(x, 1, cells, runs)
    return x, _labels(y, x.shape, neighbor)


def _integers(x, axes, cells, runs):
    """Data sets of cells 0, …, cells - 1, as int64; what lies outside moves to the nearer end."""
    last = _checks.integer("cells", cells, at_least=1) - 1
    x = _checks.whole("x", x)
    if x.ndim < axes:
        raise ValueError(
            f"x must have at least {axes} {'axis' if axes == 1 else 'axes'}, got shape {x.shape}"
        )
    _checks.one_data_set("x", x, runs, axes)
    if x.dtype.kind == "O":
        return np.minimum(np.maximum(x, 0), last).astype(np.int64)
    if x.dtype == np.uint64:
        return np.minimum(x, np.uint64(last)).astype(np.int64)
    return np.clip(x.astype(np.int64), 0, last)


def _labels(y, shape, neighbor):
    """Whether each label is 1, in data sets of one record or more if n is public."""
    y = _checks.reals("y", y)
    if y.shape != shape:
        raise ValueError(
            f"y must have one label for each record of x, shape {shape}, got shape {y.shape}"
        )
    if _checks.replaces(neighbor) and shape[-1] == 0:
        raise ValueError(
            f"x must have at least one record if neighbor is 'replace', got shape {shape}"
        )
    return y > 0


def _runs(x, positive, cells):
    """The first cut-off, the number of them and the score of every run; sorted records are the
    borders."""
    # record and label in one int64: several times as fast as an order of both
    keys = np.sort(2 * x + positive, axis=-1)
    ordered, labels = keys >> 1, keys & 1
    end = np.zeros((*x.shape[:-1], 1), dtype=np.int64)
    # the first cut-off at which the record is labelled 0
    first = np.concatenate([end, ordered + 1], axis=-1)
    length = np.concatenate([ordered + 1, end + cells + 1], axis=-1) - first
    gained = np.concatenate([end, np.cumsum(1 - 2 * labels, axis=-1)], axis=-1)
    return first, length, labels.sum(axis=-1, keepdims=True) + gained


def _chosen_run(rate, length, score, rng):
    """A run with probability in proportion to its length and e^(rate score)."""
    # an empty run has weight 0; a hopeless one may fall to it
    with np.errstate(divide="ignore", over="ignore"):
        weights = np.log(length) - rate * (score.max(axis=-1, keepdims=True) - score)
    return _grid.noisy_log_weights(weights - weights.max(axis=-1, keepdims=True), rng).argmax(
        axis=-1
    )


def _inside(first, length, run, rng):
    """A uniform cut-off of the run."""
    at = lambda array: np.take_along_axis(array, run[..., np.newaxis], axis=-1)[..., 0]
    return at(first) + _grid.uniform(at(length), rng)


# ----------------------------------------------------------------------------------------- how many


def pac_sample_size(
        *, hypotheses: Reals, accuracy: Reals, epsilon: Reals, neighbor: Neighbor,
        beta: Reals) -> Ints:
    """How many records are enough to learn a rule privately, if one of the rules is always right.

    Parameters
    ----------
    hypotheses : int ≥ 1 (as a float, if large) or array_like, the number N of rules
    accuracy : float in (0, 1] or array_like
        α: how far from 0 the error of the chosen rule may be.
    epsilon : float > 0 or array_like
    neighbor : {"replace", "add_remove"}
    beta : float in (0, 1) or array_like, the probability of an error of α or more

    Returns
    -------
    int64, the broadcast shape
        The least n with N (1 - α (1 - e^(-ε/2)))ⁿ ≤ β, about (2/(α ε)) ln(N/β) for small ε; with
        e^(-ε) under ``add_remove``.

    Notes
    -----
    :Error: With so many independent records the exponential mechanism, whose score is the number of
        right labels, chooses a rule of an error below α with probability at least 1 - β.
    :References: Theorem *Occam's razor in private* on the page *Learning a rule privately*
        (thm-private-occam); Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith (2011).

    Examples
    --------
    >>> pac_sample_size(hypotheses=[17, 2**20 + 1, 2.0**40 + 1], accuracy=0.1, epsilon=1,
    ...                 neighbor="replace", beta=0.25)
    array([106, 380, 726])
    """
    count, accuracy, epsilon, beta = _problem(hypotheses, accuracy, epsilon, beta)
    seen = -np.expm1(-epsilon / _checks.records_that_differ(neighbor))
    with np.errstate(divide="ignore"):  # α = 1 and a huge ε: one record is enough
        return _people(np.maximum((np.log(count) - np.log(beta)) / -np.log1p(-accuracy * seen), 1))


def agnostic_sample_size(
        *, hypotheses: Reals, accuracy: Reals, epsilon: Reals, neighbor: Neighbor,
        beta: Reals) -> Ints:
    """How many records are enough to learn a rule privately that is nearly as good as the best one.

    Parameters
    ----------
    hypotheses, epsilon, neighbor
        As in `pac_sample_size`.
    accuracy : float in (0, 1] or array_like
        α: how far from the error of the best rule that of the chosen one may be.
    beta : float in (0, 1) or array_like, the probability of being further off

    Returns
    -------
    int64, the broadcast shape
        The least n that is at least (9/(2 α²)) ln(4N/β) and (6/(α ε)) ln(2N/β), or (3/(α ε))
        ln(2N/β) under ``add_remove``.

    Notes
    -----
    :Error: With so many independent records the exponential mechanism, whose score is the number of
        right labels, chooses a rule whose error is at most α above the least with probability at
        least 1 - β.
    :References: Theorem *Without a perfect rule* on the page *Learning a rule privately*
        (thm-agnostic).

    Examples
    --------
    >>> agnostic_sample_size(hypotheses=1025, accuracy=0.1, epsilon=[0.05, 0.1, 1],
    ...                      neighbor="replace", beta=0.05)
    array([12746,  6373,  5092])
    """
    count, accuracy, epsilon, beta = _problem(hypotheses, accuracy, epsilon, beta)
    rate = 2 * epsilon / _checks.records_that_differ(neighbor)
    doubt = np.log(count) - np.log(beta / 2)
    return _people(
        np.maximum(4.5 / accuracy**2 * (doubt + np.log(2)), 6 / (accuracy * rate) * doubt)
    )


def _problem(hypotheses, accuracy, epsilon, beta):
    """The checked arguments of a size."""
    count = _checks.reals("hypotheses", hypotheses, at_least=1)
    if np.any(count % 1):
        raise ValueError(f"hypotheses must be whole numbers, got {count[count % 1 > 0].flat[0]}")
    return (
        count,
        _checks.parameters("accuracy", accuracy, at_most=1),
        _checks.parameters("epsilon", epsilon),
        _checks.parameters("beta", beta),
    )


def _people(size):
    """A number of records, rounded up."""
    return _checks.reals("the answer", np.ceil(size), at_most=_checks.LARGEST).astype(np.int64)[()]
