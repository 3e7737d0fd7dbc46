"""A number in one message: by one bit, or with Laplace noise; and how many people are enough."""

from __future__ import annotations

import numpy as np
from scipy.special import betaincc, betaincinv

from dplib import _checks, _grid, _samplers
from dplib._types import ArrayLike, Floats, Generator, Ints, NDArray, Real, Reals
from dplib.sample_size import least_size


def local_randomized_response(values: ArrayLike, *, epsilon: Real, rng: Generator) -> Floats:
    """Let every person report a number in [-1, 1] by one of two numbers, c or -c.

    Parameters
    ----------
    values : array_like of real numbers, any shape, one person per entry, clipped to [-1, 1]
    epsilon : float > 0
    rng : numpy.random.Generator

    Returns
    -------
    float64
        The shape of ``values``, every entry is c or -c, c = coth(ε/2), and c with probability 1/2 +
        value/(2c)

    Notes
    -----
    :Privacy: Every report is ε-DP by itself (local model), and all together are under ``replace``,
        given fair bits; finite values, and ε at least 2**-48.
    :Error: Reports have the mean of the values. Of independent people with mean μ, whatever else
        their distribution is, one report has the variance c² - μ², sampling included. How many
        people are enough: `local_mean_sample_size`.
    :References: Theorem *A number in one bit* on the page *Trust nobody* (thm-local-mean); Warner,
        *Randomized response: a survey technique for eliminating evasive answer bias* (1965).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> reports = local_randomized_response(np.full(100_000, 0.3), epsilon=1, rng=rng)
    >>> np.unique(reports).round(3), round(float(reports.mean()), 2)
    (array([-2.164,  2.164]), 0.31)
    """
    values = _clipped(values)
    epsilon = _checks.parameter("epsilon", epsilon, at_least=_samplers.LEAST_EPSILON)
    size = report_size(epsilon)
    _checks.generator(rng)
    # of mean ``values``; not private yet
    sign = np.where(_samplers.bernoulli((1 + values) / 2, values.shape, rng), 1.0, -1.0)
    return size * sign * _samplers.kept_signs(epsilon, values.shape, rng)


def local_laplace(values: ArrayLike, *, epsilon: Real, rng: Generator) -> Floats:
    """Let every person report a number in [-1, 1] with Laplace noise.

    Parameters
    ----------
    values, epsilon, rng
        As in `local_randomized_response`.

    Returns
    -------
    float64, the shape of ``values``, each clipped to [-1, 1], plus its own Lap(2/ε) noise

    Notes
    -----
    :Privacy: Every report is ε-DP by itself (local model), and all together are under ``replace``,
        given fair bits; finite values.
    :Error: Reports have the mean of the values. Of independent people one report has the variance
        8/ε² plus that of a value.
    :References: Proposition *Two numbers or a real one* on the page *Trust nobody*
        (prop-local-laplace).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> local_laplace([0.5, -1, 7], epsilon=1, rng=rng).round(2)
    array([-0.1 ,  2.64, -3.26])
    """
    values = _clipped(values)
    noise = _grid.laplace_noise(sensitivity=2, epsilon=_checks.parameter("epsilon", epsilon))
    return noise.added_to(values, _checks.generator(rng))


def local_mean_interval(
        reports: ArrayLike, *, epsilon: Real, level: Real = 0.95) -> NDArray[np.float64]:
    """What one-bit reports say of the mean of a population: an interval around their average.

    Parameters
    ----------
    reports : array_like of real numbers, shape (..., n)
        What `local_randomized_response` sent, one report of each person on the last axis
    epsilon : float > 0, of one report
    level : float in (0, 1), the probability with which the interval covers the mean

    Returns
    -------
    float64, shape (..., 2)
        The lower and the upper end, in [-1, 1]

    Notes
    -----
    :Privacy: That of the reports: nothing else is read.
    :Error: Covers the mean of independent values from any distribution on [-1, 1] with probability
        at least ``level``, sampling included. It is the exact interval of Clopper and Pearson for
        the share of the reports c, which is 1/2 + mean/(2c). Of answers ±1 the share of 1 is (1 +
        mean)/2, and so are its ends.
    :References: Proposition *An interval from reports* on the page *Trust nobody*
        (prop-local-interval); Clopper and Pearson, *The use of confidence or fiducial limits
        illustrated in the case of the binomial* (1934).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> reports = local_randomized_response(np.full(100_000, 0.3), epsilon=1, rng=rng)
    >>> local_mean_interval(reports, epsilon=1).round(3)
    array([0.297, 0.324])
    """
    size = report_size(_checks.parameter("epsilon", epsilon))
    level = _checks.parameter("level", level)
    reports = _checks.data_sets("reports", reports, runs=True)
    # A client may compute c with another last digit.
    if not np.allclose(np.abs(_checks.reals("reports", reports)), size, rtol=1e-9, atol=0):
        raise ValueError(f"reports must be {size:g} or {-size:g}, as this epsilon has them")
    n, ups = reports.shape[-1], np.count_nonzero(reports > 0, axis=-1)
    low, high = _smallest_share(ups, n, level), 1 - _smallest_share(n - ups, n, level)
    return np.clip(size * (2 * np.stack([low, high], axis=-1) - 1), -1, 1)


def _smallest_share(hits, n, level):
    """The share with which so many hits of n, or more, have probability (1 - level)/2."""
    found = betaincinv(np.maximum(hits, 1), n - np.maximum(hits, 1) + 1, (1 - level) / 2)
    return np.where(hits > 0, found, 0)


def local_mean_sample_size(*, accuracy: Reals, epsilon: Reals, beta: Reals) -> Ints:
    """How many people are enough for the mean of a population, if nobody is trusted.

    Parameters
    ----------
    accuracy : float > 0 or array_like
        τ: how far from the mean, at most, for values in [-1, 1].
    epsilon : float > 0 or array_like
    beta : float in (0, 1) or array_like, the probability of being further off

    Returns
    -------
    int64, the broadcast shape, ⌈(2c²/τ²) ln(2/β)⌉, c = coth(ε/2); ValueError above 2**62

    Notes
    -----
    :Error: With so many independent people the average of their `local_randomized_response` reports
        is within less than τ of the mean with probability at least 1 - β, whatever the distribution
        of the values in [-1, 1].
    :References: Proposition *Enough people* on the page *Trust nobody* (prop-local-size).

    Examples
    --------
    >>> local_mean_sample_size(accuracy=0.05, epsilon=[0.1, 1, 10], beta=0.05)
    array([1182410,   13820,    2952])
    """
    accuracy, epsilon, beta = _mean(accuracy=accuracy, epsilon=epsilon, beta=beta)
    with np.errstate(over="ignore"):
        people = np.ceil(2 * (report_size(epsilon) / accuracy) ** 2 * np.log(2 / beta))
    return _checks.reals("the answer", people, at_most=_checks.LARGEST).astype(np.int64)[()]


def local_mean_sample_size_lower_bound(*, accuracy: Reals, epsilon: Reals, beta: Reals) -> Ints:
    """The number of people below which nobody can find a mean in the local model.

    Parameters
    ----------
    accuracy, epsilon, beta
        As in `local_mean_sample_size`: the estimate is right if less than ``accuracy`` from the
        mean.

    Returns
    -------
    int64, the broadcast shape
        The least odd n for which the majority of n coins ±1 of mean τ/c is -1 with probability at
        most β, c = coth(ε/2); about (Φ⁻¹(1 - β) c/τ)². 0 if τ > 1 or β ≥ 1/2; ValueError above
        2**62.

    Notes
    -----
    :Privacy: With fewer people every protocol in which all that a person sends is ε-DP together,
        whatever was sent before, is wrong with probability above β for some distribution on -1 and
        1.
    :References: Theorem *What no protocol can do* on the page *Trust nobody* (thm-local-lower);
        Duchi, Jordan and Wainwright, *Minimax optimal procedures for locally private estimation*
        (2018); Kairouz, Oh and Viswanath, *The composition theorem for differential privacy*
        (2015).

    Examples
    --------
    >>> local_mean_sample_size_lower_bound(accuracy=0.05, epsilon=[0.1, 1, 10], beta=0.05)
    array([433607,   5067,   1081])
    """
    accuracy, epsilon, beta = _mean(accuracy=accuracy, epsilon=epsilon, beta=beta)
    # of the mean of a coin, squared
    seen = np.square(np.minimum(accuracy, 1) / report_size(epsilon))
    idle = (accuracy > 1) | (beta >= 0.5)  # 0 is right, or a fair coin is
    # Two coins are as good as one: the second can only make a tie. Of 2m - 1 coins of mean s the
    # majority is wrong with probability I_q(m, m), q = (1 - s)/2, which is half of 1 - I_(s²)(1/2,
    # m), without cancellation.
    pairs = least_size(
        lambda m: idle | (betaincc(0.5, m, seen) / 2 <= beta), at_most=_checks.LARGEST // 2
    )
    if np.any(pairs > _checks.LARGEST // 2):
        raise ValueError(
            f"no answer up to 2**62: accuracy or epsilon is too small, got ε = {np.min(epsilon)}"
        )
    return np.where(idle, 0, 2 * pairs - 1)[()]


def _clipped(values):
    """Numbers in [-1, 1]."""
    return np.clip(_checks.reals("values", values), -1, 1)


def report_size(epsilon):
    """c = coth(ε/2), rounded."""
    with np.errstate(divide="ignore", over="ignore"):
        return _checks.reals("coth(epsilon / 2)", 1 / np.tanh(np.asarray(epsilon) / 2))[()]


def _mean(**given):
    """The checked arguments of a bound on the number of people."""
    return [_checks.parameters(name, value) for name, value in given.items()]
