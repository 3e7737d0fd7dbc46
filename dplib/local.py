"""One message a person, with its noise in it: what is sent when nobody is trusted to add it later.

Every function that draws is ε-DP (or (ε, δ)-DP) for each message by itself, whatever the others
hold or have sent: in the *local model*. If everybody sends one message, all of them together keep
the same promise under ``replace``.

Symbols
-------
c = coth(ε/2)
    The size of a report ±c. Without privacy it would be 1; a report has c² - μ² for a variance.
B
    The length of the vectors that `l2_ball_randomizer` sends.
accuracy : τ
    The mean of a population is to be found to within less than this.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betaincc, betaincinv, poch

from dplib import _checks, _grid, _samplers
from dplib._types import ArrayLike, Floats, Generator, Integers, Ints, NDArray, Real, Reals
from dplib.sample_size import least_size

# ------------------------------------------------------------------------------------------ numbers


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
        given fair bits; finite values.
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
    epsilon = _checks.parameter("epsilon", epsilon)
    size = _report(epsilon)
    _checks.generator(rng)
    # of mean ``values``; not private yet
    sign = np.where(_samplers.bernoulli((1 + values) / 2, values.shape, rng), 1.0, -1.0)
    return size * sign * _kept(values.shape, epsilon, rng)


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
    :References: Theorem *A number in one bit* on the page *Trust nobody* (thm-local-mean).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> reports = local_randomized_response(np.full(100_000, 0.3), epsilon=1, rng=rng)
    >>> local_mean_interval(reports, epsilon=1).round(3)
    array([0.297, 0.324])
    """
    size = _report(_checks.parameter("epsilon", epsilon))
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
        people = np.ceil(2 * (_report(epsilon) / accuracy) ** 2 * np.log(2 / beta))
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
    seen = np.square(np.minimum(accuracy, 1) / _report(epsilon))  # of the mean of a coin, squared
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


def _report(epsilon):
    """c = coth(ε/2), rounded."""
    with np.errstate(divide="ignore", over="ignore"):
        return _checks.reals("coth(epsilon / 2)", 1 / np.tanh(np.asarray(epsilon) / 2))[()]


def _kept(shape, epsilon, rng):
    """1 with probability e^ε/(e^ε + 1), else -1."""
    return np.where(_samplers.lies(epsilon, 1, shape, rng), -1.0, 1.0)


def _mean(**given):
    """The checked arguments of a bound on the number of people."""
    return [_checks.parameters(name, value) for name, value in given.items()]


# ------------------------------------------------------------------------------------------ vectors


def l2_ball_randomizer(
        vectors: ArrayLike, *, radius: Real, epsilon: Real, rng: Generator) -> Floats:
    """Let every person report a vector of a ball by a vector of a fixed length.

    Parameters
    ----------
    vectors : array_like of real numbers, shape (..., k)
        One person per vector, clipped to the ball of this radius around 0
    radius : float > 0
        ρ, the most that a vector may measure in ℓ₂ norm, known before anybody is asked
    epsilon : float > 0
    rng : numpy.random.Generator

    Returns
    -------
    float64, the shape of ``vectors``
        Vectors of length B, `l2_ball_scale`. A half of the sphere is chosen by a ±1 value of mean
        |v|/ρ in the direction of v; the vector is uniform on that half with probability e^ε/(e^ε +
        1), else on the other.

    Notes
    -----
    :Privacy: Every vector is ε-DP by itself (local model), and all together are under ``replace``,
        given fair bits; finite entries.
    :Error: Vectors have the mean v, and in every direction the second moment B²/k = ρ² coth²(ε/2)
        π_k exactly, where π_k grows from 1 for k = 1 to π/2.
    :References: Duchi, Jordan and Wainwright, *Minimax optimal procedures for locally private
        estimation* (2018).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> sent = l2_ball_randomizer(np.tile([0.6, 0.8], (100_000, 1)), radius=1, epsilon=1, rng=rng)
    >>> sent.mean(axis=0).round(2), np.unique(np.linalg.norm(sent, axis=-1).round(3))
    (array([0.6 , 0.81]), array([3.399]))
    """
    radius, epsilon = (
        _checks.parameter("radius", radius, above=0),
        _checks.parameter("epsilon", epsilon),
    )
    direction, share = _polar(vectors, radius)
    length = l2_ball_scale(radius=radius, dimension=direction.shape[-1], epsilon=epsilon)
    # A vector and its opposite are drawn alike, without the data, which decide by a randomised
    # response which of the two is sent. An inner product of 0, which favours neither, is within the
    # promise as well.
    drawn = _samplers.directions(direction.shape, _checks.generator(rng))
    towards = np.where(np.sum(drawn * direction, axis=-1) < 0, -1.0, 1.0)
    towards *= np.where(_samplers.bernoulli((1 + share) / 2, share.shape, rng), 1.0, -1.0)
    return length * drawn * (towards * _kept(share.shape, epsilon, rng))[..., np.newaxis]


def l2_ball_scale(*, radius: Reals, dimension: Integers, epsilon: Reals) -> Floats:
    """The length of the vectors that `l2_ball_randomizer` sends.

    Parameters
    ----------
    radius : float > 0 or array_like, ρ, of the ball
    dimension : int ≥ 1 or array_like, the number k of entries of a vector
    epsilon : float > 0 or array_like

    Returns
    -------
    float64
        The broadcast shape, B = ρ coth(ε/2) √π Γ((k + 1)/2)/Γ(k/2), between ρ coth(ε/2) √k and
        √(π/2) times that

    Notes
    -----
    :References: Duchi, Jordan and Wainwright (2018).

    Examples
    --------
    >>> l2_ball_scale(radius=1, dimension=[1, 2, 10], epsilon=1).round(4)
    array([2.164 , 3.3991, 8.365 ])
    """
    radius = _checks.parameters("radius", radius, above=0)
    dimension = _checks.integers("dimension", dimension, at_least=1)
    size = _report(_checks.parameters("epsilon", epsilon))
    with np.errstate(over="ignore"):
        length = radius * size * (np.sqrt(np.pi) * poch(dimension / 2, 0.5))
    return _checks.reals("the length", length)[()]


def local_gaussian(
        vectors: ArrayLike, *, radius: Real, epsilon: Real, delta: Real, rng: Generator) -> Floats:
    """Let every person report a vector of a ball with Gaussian noise.

    Parameters
    ----------
    vectors, radius, epsilon, rng
        As in `l2_ball_randomizer`.
    delta : float in (0, 1)

    Returns
    -------
    float64
        The vectors, clipped to the ball, plus N(0, σ²) noise in every entry, σ = `gaussian_sigma`
        for the diameter 2ρ

    Notes
    -----
    :Privacy: Every vector is (ε, δ)-DP by itself (local model), and all together are under
        ``replace``, given fair bits; finite entries.
    :Error: Vectors have the mean v, and in every direction the variance σ².
    :References: Theorem *The Gaussian mechanism* on the page *What one answer gave away*
        (thm-gaussian).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> local_gaussian([[0.6, 0.8], [30, 40]], radius=1, epsilon=1, delta=1e-6, rng=rng).round(1)
    array([[-2.1, 12.4],
           [-9.7, 13. ]])
    """
    radius = _checks.parameter("radius", radius, above=0)
    direction, share = _polar(vectors, radius)
    inside = radius * share[..., np.newaxis] * direction
    noise = _grid.ball_noise(
        2 * radius,
        _checks.parameter("epsilon", epsilon),
        _checks.parameter("delta", delta),
        inside.shape[-1],
    )
    return noise.added_to(inside, _checks.generator(rng))


def _polar(vectors, radius):
    """Directions of length 1, and lengths in units of the radius, at most 1; the zero vector points
    anywhere."""
    vectors = _checks.reals("vectors", vectors)
    if vectors.ndim == 0 or vectors.shape[-1] == 0:
        raise ValueError(
            f"vectors must have at least one entry on the last axis, got shape {vectors.shape}"
        )
    largest = np.abs(vectors).max(axis=-1, keepdims=True)
    zero = largest == 0
    # squares are floats now
    scaled = np.where(zero, np.eye(1, vectors.shape[-1])[0], vectors / np.where(zero, 1, largest))
    norm = np.linalg.norm(scaled, axis=-1, keepdims=True)
    with np.errstate(over="ignore"):
        share = np.minimum(largest / radius * norm, 1)
    return scaled / norm, share[..., 0]
