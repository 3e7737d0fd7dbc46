"""How few records are too few to tell two distributions apart in private, and tests that need
hardly more."""

from __future__ import annotations

import numpy as np
from scipy.special import erf, expit, gammaln, log_ndtr, ndtri

from dplib import _checks, _grid
from dplib._sums import Tally
from dplib._types import ArrayLike, Bools, Floats, Generator, Integers, Ints, Real, Reals
from dplib.lower_bounds.packing import smallest_size, packing_sample_size

MOST_SUMMED_RECORDS = 2**31  # records of an exact sum


def two_point_sample_size(*, total_variation: Reals, epsilon: Reals, beta: Reals) -> Ints:
    """The number of records below which nobody can tell two distributions apart privately.

    Parameters
    ----------
    total_variation : float in (0, 1] or array_like
        The total variation distance a, 2Φ(h/2) - 1 for N(0, 1) and N(h, 1)
    epsilon, beta : float > 0 or array_like
        β < 1 the probability of an error under either distribution, or on average

    Returns
    -------
    int64, the broadcast shape
        The smallest n with 1 - 2β ≤ E g(Bin(n, a)), g = `largest_gap`; 0 if β ≥ 1/2; ValueError
        above 2**62.

    Notes
    -----
    :Privacy: With fewer records every ε-DP test under ``replace`` errs with probability more than β
        under one of the two.
    :Error: Rounding of order 1e-16 n in the logarithm of 2β.
    :References: Theorem *Two distributions* on the page *Telling two worlds apart* (thm-two-point);
        Acharya, Sun and Zhang, *Differentially private testing of identity and closeness of
        discrete distributions* (2018).

    Examples
    --------
    >>> two_point_sample_size(total_variation=0.382925, epsilon=[0.02, 0.1, 1], beta=0.05)
    array([604, 123,  14])
    """
    total_variation = _checks.parameters("total_variation", total_variation)
    epsilon = _checks.parameters("epsilon", epsilon)
    beta = _checks.parameters("beta", beta)
    overlap = lambda n: _indistinguishable(n, total_variation, epsilon)
    return smallest_size(lambda n: overlap(n) <= 2 * beta, epsilon)


def _indistinguishable(size, a, epsilon):
    """1 - E g(D) for D ~ Bin(n, a), which falls with n, because g grows and D does."""
    # With r = e^(-ε/2) and s = 1/cosh(ε/2), 1 - g(D) is r^D for even D and s r^D for odd D, so (1 +
    # s)/2 r^D + (1 - s)/2 (-r)^D; and E z^D = (1 - a + az)^n.
    s = 2 * np.exp(-epsilon / 2) / (1 + np.exp(-epsilon))
    # a = 1 and a huge ε: the logarithm is -∞, and 0 records are still 0 records
    with np.errstate(divide="ignore"):
        even = np.exp(size * np.maximum(np.log1p(a * np.expm1(-epsilon / 2)), -1e4))
    odd = (1 - a * (1 + np.exp(-epsilon / 2))) ** np.asarray(size, dtype=np.float64)
    return (1 + s) / 2 * even + (1 - s) / 2 * odd


def mean_sample_size_lower_bound(
        *, radius: Reals, accuracy: Reals, epsilon: Reals, beta: Reals) -> Ints:
    """The number of records below which nobody can estimate a Gaussian mean privately.

    Parameters
    ----------
    radius, accuracy, epsilon : float > 0 or array_like, radius 0 is allowed
        R with |μ| ≤ R; α: the estimate is right if less than this from the mean. Both in standard
        deviations of a record.
    beta : float in (0, 1) or array_like
        The probability with which it may be wrong, for every mean in the range

    Returns
    -------
    int64, the broadcast shape
        The largest of (Φ⁻¹(1 - β)/α)², which holds without privacy, too; `two_point_sample_size`
        for the means ±α; and `packing_sample_size` for ⌊R/α⌋ + 1 means 2α apart. 0 for R < α;
        ValueError above 2**62.

    Notes
    -----
    :Privacy: With fewer records every ε-DP estimator under ``replace`` is wrong with probability
        above β for some |μ| ≤ R.
    :References: Corollary *A mean in a range* on the page *How few people are too few?*
        (cor-packing-mean); corollary *Two means* on the page *Telling two worlds apart*
        (cor-two-means); Karwa and Vadhan, *Finite sample differentially private confidence
        intervals* (2018).

    Examples
    --------
    >>> mean_sample_size_lower_bound(radius=[[1], [10**6]], accuracy=0.5, epsilon=[0.1, 1],
    ...                              beta=0.05)
    array([[123,  14],
           [192,  20]])
    """
    accuracy = _checks.parameters("accuracy", accuracy)
    radius = _checks.parameters("radius", radius)
    epsilon = _checks.parameters("epsilon", epsilon)
    beta = _checks.parameters("beta", beta)
    blind = radius < accuracy  # no data are needed: any number in the range is right
    accuracy, epsilon = np.where(blind, 1, accuracy), np.where(blind, 1, epsilon)
    with np.errstate(over="ignore"):
        hypotheses = 1 + np.floor(_checks.reals("radius / accuracy", radius / accuracy))
        alone = (np.maximum(-ndtri(beta), 0) / accuracy) ** 2
    alone = np.ceil(
        _checks.reals("(quantile / accuracy)**2", alone, at_most=_checks.LARGEST)
    ).astype(np.int64)
    pair = two_point_sample_size(
        total_variation=erf(accuracy / np.sqrt(2)), epsilon=epsilon, beta=beta
    )
    many = packing_sample_size(hypotheses=hypotheses, epsilon=epsilon, delta=0, beta=beta)
    return np.where(blind, 0, np.maximum(np.maximum(alone, pair), many))[()]


# -------------------------------------------------------------------------------------------- tests


def sign_test(
        x: ArrayLike, *, shift: Real, epsilon: Real, runs: bool = False, rng: Generator) -> Bools:
    """Decide between N(0, 1) and N(shift, 1) by a noisy majority vote of the records.

    Parameters
    ----------
    x, epsilon, runs, rng
        As in `clipped_mean`.
    shift : float > 0, the mean under Q = N(shift, 1)

    Returns
    -------
    bool, shape (...)
        Whether S + Lap(2/ε) > 0, which says Q, S the number of records above shift/2 minus that of
        the others

    Notes
    -----
    :Privacy: ε-DP under ``replace``, given fair bits.
    :Error: The same under both distributions, exactly `sign_test_error`.
    :References: Proposition *The vote* on the page *Telling two worlds apart* (prop-sign-test).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=(2, 200)) + [[0], [1]]
    >>> sign_test(x, shift=1, epsilon=0.1, runs=True, rng=rng)
    array([False,  True])
    """
    x = _checks.reals("x", _checks.data_sets("x", x, runs=runs))
    shift = _checks.parameter("shift", shift)
    noise = _grid.laplace_noise(
        sensitivity=2, epsilon=_checks.parameter("epsilon", epsilon), unit=1.0
    )
    _checks.generator(rng)
    above = np.asarray(np.count_nonzero(x > shift / 2, axis=-1))
    return noise.added_to_whole(2 * above - x.shape[-1], rng) > 0


def sign_test_error(*, size: Integers, shift: Real, epsilon: Real) -> Floats:
    """The error probability of `sign_test`, without simulation.

    Parameters
    ----------
    size : int in 1, …, 2**31, or array_like, the number n of records
    shift, epsilon
        As in `sign_test`, or arrays.

    Returns
    -------
    float64
        The broadcast shape, E[½ e^(-ε|S|/2) if S < 0 else 1 - ½ e^(-εS/2)], S = 2 Bin(n,
        Φ(-shift/2)) - n

    Notes
    -----
    :Error: Relative rounding of order 1e-16 n ln n; the terms left out of the sum are less than
        1e-20 of it.
    :Cost: O(√n) for each element.
    :References: Proposition *The vote* on the page *Telling two worlds apart* (prop-sign-test).

    Examples
    --------
    >>> sign_test_error(size=[127, 128], shift=1, epsilon=0.1).round(5)
    array([0.05041, 0.04951])
    """
    size = _checks.integers("size", size, at_least=1, at_most=MOST_SUMMED_RECORDS)
    shift = _checks.parameters("shift", shift)
    epsilon = _checks.parameters("epsilon", epsilon)
    each = np.broadcast(size, shift, epsilon)
    errors = [
        _vote_error(int(n), max(log_ndtr(-h / 2), -1e290), log_ndtr(h / 2), min(e, 1e290))
        for n, h, e in each
    ]
    return np.reshape(errors, each.shape)[()]


def _vote_error(n, log_p, log_rest, epsilon):
    """Sum over the number k of votes for Q, each cast with probability p under P."""
    # On either side of the tie the terms are log-concave: j places from the largest they are
    # smaller by a factor e^(-2j(j-1)/(n+2)) or more. Six standard widths on both sides of it are
    # enough.
    # up to `last` votes the sum S is negative
    reach, last = int(6 * np.sqrt(n + 2)) + 2, (n - 1) // 2
    mode = min(last, int(n * expit(log_p - log_rest + epsilon)))
    k = np.r_[
        max(0, mode - reach) : min(last, mode + reach) + 1, last + 1 : min(n, last + reach) + 1
    ]
    half = 0.5 * np.exp(-epsilon / 2 * np.abs(2 * k - n))
    log_binomial = (
        gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + k * log_p + (n - k) * log_rest
    )
    return np.sum(np.exp(log_binomial) * np.where(k <= last, half, 1 - half))


def clamped_likelihood_test(
        x: ArrayLike, *, shift: Real, epsilon: Real, clamp: Real, runs: bool = False,
        rng: Generator) -> Bools:
    """Decide between N(0, 1) and N(shift, 1) by the likelihood ratio, every record's part of it
    clamped.

    Parameters
    ----------
    x, shift, epsilon, runs, rng
        As in `sign_test`.
    clamp : float > 0
        c, the most that one record may add to the log-likelihood ratio, in either direction

    Returns
    -------
    bool, shape (...)
        Whether S + Lap(2c/ε) > 0, which says Q, S = Σ clip(shift (x - shift/2), -c, c)

    Notes
    -----
    :Privacy: ε-DP under ``replace``, given fair bits.
    :Error: The same under both distributions, at most (E e^(θ clip(...)))^n, x ~ N(0, 1), for every
        θ ≤ ε/(2c).
    :References: Theorem *The clamped likelihood ratio* on the page *Telling two worlds apart*
        (thm-clamped-test); Canonne, Kamath, McMillan, Smith and Ullman, *The structure of optimal
        private tests for simple hypotheses* (2019).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=(2, 200)) + [[0], [1]]
    >>> clamped_likelihood_test(x, shift=1, epsilon=0.1, clamp=0.1, runs=True, rng=rng)
    array([False,  True])
    """
    x = _checks.reals("x", _checks.data_sets("x", x, runs=runs))
    shift = _checks.parameter("shift", shift)
    slope = _checks.real("shift / clamp", shift / _checks.parameter("clamp", clamp))
    window = Tally.of(x.shape[-1], 1.0)
    noise = window.noise(_checks.parameter("epsilon", epsilon))
    _checks.generator(rng)
    with np.errstate(over="ignore"):  # far records, clamped in the sum
        votes = (x - shift / 2) * slope  # in units of the clamp
    return noise.added_to_whole(window.sums(votes), rng) > 0
