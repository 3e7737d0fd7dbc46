"""How many people are enough for averages within a tolerance: upper bounds, computed before any
data are seen."""

from __future__ import annotations

import numpy as np

from dplib import _checks
from dplib._types import Integers, Ints, Reals


def central_oracle_size(
        *, queries: Integers, tolerance: Reals, epsilon: Reals, beta: Reals) -> Ints:
    """How many records make all answers of `central_oracle` as good as promised.

    Parameters
    ----------
    queries : int ≥ 1 or array_like, how many queries are asked, m
    tolerance, epsilon, beta : float > 0 or array_like
        τ, how far an answer may be from E φ; the ε of all answers together; the probability β < 1
        that some answer is further off.

    Returns
    -------
    int64, the broadcast shape, n = ⌈max{(4m/(τε)) ln(2m/β), (8/τ²) ln(4m/β)}⌉

    Notes
    -----
    :Error: With n independent records from a distribution all m answers are within τ of E φ with
        probability 1 - β, if the queries do not depend on the records.
    :References: Theorem *Many averages of one data set* on the page *Learning from averages*
        (thm-sq-batch).

    Examples
    --------
    >>> int(central_oracle_size(queries=20, tolerance=0.05, epsilon=1, beta=0.05))
    23609
    """
    m, tolerance, epsilon, beta = _wanted(queries, tolerance, epsilon, beta)
    return _whole(
        np.maximum(m * _for_noise(tolerance, epsilon, beta / m), _for_sampling(tolerance, beta / m))
    )


def fresh_oracle_size(*, queries: Integers, tolerance: Reals, epsilon: Reals, beta: Reals) -> Ints:
    """How many records make all answers of `fresh_oracle` as good as promised.

    Parameters
    ----------
    queries, tolerance, epsilon, beta
        As in `central_oracle_size`.

    Returns
    -------
    int64, the broadcast shape, m⌈max{(4/(τε)) ln(2m/β), (8/τ²) ln(4m/β)}⌉

    Notes
    -----
    :Error: With so many independent records from a distribution all m answers are within τ of E φ
        with probability 1 - β, however the queries are chosen.
    :References: Theorem *Fresh people for every average* on the page *Learning from averages*
        (thm-sq-fresh).

    Examples
    --------
    >>> int(fresh_oracle_size(queries=20, tolerance=0.05, epsilon=1, beta=0.05))
    472180
    """
    m, tolerance, epsilon, beta = _wanted(queries, tolerance, epsilon, beta)
    return _whole(
        np.maximum(_for_noise(tolerance, epsilon, beta / m), _for_sampling(tolerance, beta / m)), m
    )


def local_oracle_size(*, queries: Integers, tolerance: Reals, epsilon: Reals, beta: Reals) -> Ints:
    """How many people make all answers of `local_oracle` as good as promised.

    Parameters
    ----------
    queries, tolerance, epsilon, beta
        As in `central_oracle_size`.

    Returns
    -------
    int64, the broadcast shape, m⌈(2c²/τ²) ln(2m/β)⌉, c = coth(ε/2)

    Notes
    -----
    :Error: With so many independent people from a distribution all m answers are within τ of E φ
        with probability 1 - β, however the queries are chosen.
    :References: Theorem *Averages from randomised reports* on the page *Averages and whispers are
        the same* (thm-sq-to-local).

    Examples
    --------
    >>> int(local_oracle_size(queries=20, tolerance=0.05, epsilon=1, beta=0.05))
    500840
    """
    m, tolerance, epsilon, beta = _wanted(queries, tolerance, epsilon, beta)
    with np.errstate(over="ignore"):
        return _whole(2 / (tolerance * np.tanh(epsilon / 2)) ** 2 * np.log(2 * m / beta), m)


def _for_noise(tolerance, epsilon, beta):
    """People for whom Lap(2/(nε)) noise is above τ/2 with probability β/2."""
    return 4 / (tolerance * epsilon) * np.log(2 / beta)


def _for_sampling(tolerance, beta):
    """People whose mean of φ is more than τ/2 from E φ with probability β/2, by Hoeffding's
    inequality."""
    return 8 / tolerance**2 * np.log(4 / beta)


def _wanted(queries, tolerance, epsilon, beta):
    return (
        _checks.integers("queries", queries, at_least=1),
        _checks.parameters("tolerance", tolerance),
        _checks.parameters("epsilon", epsilon),
        _checks.parameters("beta", beta),
    )


def _whole(people, groups=1):
    """So many people in each group."""
    size = np.ceil(people) * groups
    if np.any(size > _checks.LARGEST):
        raise ValueError(
            f"no answer up to 2**62: tolerance or epsilon is too small, {np.max(size):.3g} people "
            "would be needed"
        )
    return np.asarray(size).astype(np.int64)[()]
