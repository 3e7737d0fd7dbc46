"""What learning in noisy steps gives away: batches drawn afresh, from both sides, and batches of
shuffled data, from below.

Symbols
-------
q
    Each record's probability of being in a batch that is drawn afresh.
σ
    The noise, as a multiple of the largest length of one record's gradient.
η
    The probability with which rounding, moved by hardly anything on average, moves far.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import scipy
from scipy.special import log_ndtr

from dplib import _checks
from dplib._types import Floats, Integer, Real, Reals
from dplib.accounting.privacy_loss import PrivacyLoss, losses_from_below, sampled_cells
from dplib.mechanisms import gaussian_sigma

ORDERS = ("remove", "add")
ONE = 1.0  # the sensitivity that σ is a multiple of
ETA = 1e-3  # the share of δ that pays for η
ROUNDING_OF_A_STEP = 1e-15  # of probabilities that are composed by a Fourier transform
FINENESS = 300  # of the grid on which a σ is looked for: ε/√T has so many steps
CALIBRATED = 1e-7  # of ln σ
ROOM_FOR_THE_GRID = 1e-2  # of ln σ
MOST_OF_THEM = 2**30
EVENTS = 1 << 14  # thresholds that an accuser of shuffled batches tries
REACH_OF_EVENTS = 12.0  # standard deviations


def noisy_sgd_epsilon(
        *, rate: Real, sigma: Real, iterations: Integer, delta: Real,
        step: Real = 2e-5) -> tuple[float, float]:
    """The ε of a number of noisy steps, each on a batch that every record enters by a coin of its
    own: a number that it is not below, and one that it is not above.

    Parameters
    ----------
    rate : float in (0, 1], each record's probability q of being in a batch
    sigma : float > 0
        Standard deviation of the noise in each entry of a sum of gradients, as a multiple of the
        largest length of one of them
    iterations : int ≥ 1, how many steps, T
    delta : float in (0, 1)
    step : float > 0, the distance of the points of the grid: the two numbers differ by about
        3√T of it

    Returns
    -------
    (float, float)

    Notes
    -----
    :Privacy: Under ``add_remove``, for all noisy sums together, the second number is enough
        whatever the losses are; for some of them no ε below the first one is.
    :Error: Rounding is below 1e-6 of either number if δ is at least 1e-9 T. For a smaller δ both
        remain true, and are further apart.
    :Cost: Four Fourier transforms of as many points as the losses have.
    :References: Theorem *Noisy steps on random batches* on the page *Learning in noisy steps*
        (thm-noisy-sgd); proposition *The same grid from below* on the page *Learning in noisy
        steps* (prop-below).

    Examples
    --------
    >>> least, most = noisy_sgd_epsilon(rate=0.01, sigma=0.8, iterations=1000, delta=1e-6)
    >>> round(least, 3), round(most, 3)
    (3.704, 3.706)
    """
    iterations = _iterations(iterations)
    delta = _checks.parameter("delta", delta)
    batch = dict(rate=rate, sigma=sigma, sensitivity=ONE, step=step)
    least = most = 0.0
    for order in ORDERS:
        _, width, p, q = sampled_cells(order=order, **batch)
        least = max(least, _from_below(losses_from_below(p, q, width), iterations, delta))
        most = max(most, _epsilon(order, iterations, delta, **batch))
    return least, most


def noisy_sgd_sigma(*, rate: Real, iterations: Integer, epsilon: Real, delta: Real) -> float:
    """The least noise for so many steps on batches that are drawn afresh.

    Parameters
    ----------
    rate, iterations
        As in `noisy_sgd_epsilon`.
    epsilon, delta : float > 0, δ < 1, what all steps together may cost

    Returns
    -------
    float, σ, at which the second number of `noisy_sgd_epsilon` is at most ε

    Raises
    ------
    ValueError
        if δ is at least the probability of being in any batch: any noise is then enough

    Notes
    -----
    :Privacy: As in `noisy_sgd_epsilon`.
    :Error: At most about 1e-5 of σ too large if δ is at least 1e-9 T, and more below that.
    :References: Theorem *Noisy steps on random batches* on the page *Learning in noisy steps*
        (thm-noisy-sgd).

    Examples
    --------
    >>> round(noisy_sgd_sigma(rate=0.05, iterations=200, epsilon=1, delta=1e-6), 3)
    3.196
    """
    rate, iterations = _checks.parameter("rate", rate), _iterations(iterations)
    epsilon = _checks.parameter("epsilon", epsilon, at_most=_checks.LARGEST_EXPONENT)
    return _least_noise(rate, iterations, epsilon, _checks.parameter("delta", delta))


@lru_cache(maxsize=256)
def _least_noise(rate, iterations, epsilon, delta):
    drawn = 1.0 if rate == 1 else -np.expm1(iterations * np.log1p(-rate))
    if delta >= drawn:
        raise ValueError(f"delta must be below {drawn:g}, the probability of being in any batch, "
                         f"got {delta:g}")
    step = epsilon / (FINENESS * np.sqrt(iterations))
    batch = dict(rate=rate, sensitivity=ONE, step=step)
    spent = lambda sigma: max(
        _epsilon(order, iterations, delta, sigma=sigma, **batch) for order in ORDERS)
    # Batches that hold everybody need this noise, and no others need more; the grid adds a little.
    sigma = np.sqrt(iterations) * gaussian_sigma(sensitivity=ONE, epsilon=epsilon, delta=delta)
    most = least = np.log(sigma) + ROOM_FOR_THE_GRID
    while spent(np.exp(least)) <= epsilon:
        most, least = least, least - 1
    excess = lambda log_sigma: spent(np.exp(log_sigma)) - epsilon
    sigma = np.exp(scipy.optimize.brentq(excess, least, most, xtol=CALIBRATED))
    while spent(sigma) > epsilon:
        sigma *= 1 + CALIBRATED
    return float(sigma)


def shuffled_batches_delta(*, sigma: Real, batches: Integer, epsilon: Reals) -> Floats:
    """A δ that one pass over shuffled data, cut into batches, is not below.

    Parameters
    ----------
    sigma : float > 0
        Standard deviation of the noise in each entry of a sum of gradients, as a multiple of the
        largest length of one of them
    batches : int ≥ 1, how many batches the data are cut into, B
    epsilon : float ≥ 0 or array_like

    Returns
    -------
    float64, the shape of ``epsilon``

    Notes
    -----
    :Privacy: A bound from below, for a record with a gradient of 0 in place of yours: it shows
        what such a program does not keep secret, and promises nothing.
    :Error: The best of 16,384 thresholds for the largest noisy batch; each is a valid bound.
    :References: Proposition *Shuffled batches* on the page *Learning in noisy steps*
        (prop-shuffled-batches).

    Examples
    --------
    >>> delta = shuffled_batches_delta(sigma=1, batches=1000, epsilon=[0, 1, 3.72])
    >>> [float(f"{value:.2g}") for value in delta]
    [0.053, 0.001, 1e-06]
    """
    factor = np.exp(_checks.parameters(
        "epsilon", epsilon, or_zero=True, at_most=_checks.LARGEST_EXPONENT))[..., np.newaxis]
    (below, above), (below_blank, above_blank) = _largest_batch(sigma, batches)
    largest = np.maximum(above - factor * above_blank, below_blank - factor * below)
    return np.maximum(0, largest.max(axis=-1))


def shuffled_batches_epsilon(
        *, sigma: Real, batches: Integer, passes: Integer, delta: Real,
        step: Real = 2e-5) -> float:
    """An ε that several passes over data that are shuffled anew for each of them are not below.

    Parameters
    ----------
    sigma, batches
        As in `shuffled_batches_delta`.
    passes : int ≥ 1, how many passes over the data
    delta : float in (0, 1)
    step : float > 0, the distance of the points of the grid

    Returns
    -------
    float

    Notes
    -----
    :Privacy: As in `shuffled_batches_delta`.
    :References: Proposition *Shuffled batches* on the page *Learning in noisy steps*
        (prop-shuffled-batches).

    Examples
    --------
    >>> round(shuffled_batches_epsilon(sigma=1, batches=1000, passes=1, delta=1e-6), 2)
    3.72
    """
    passes, delta = _iterations(passes, "passes"), _checks.parameter("delta", delta)
    step = _checks.parameter("step", step)
    yours, blank = map(_cells, _largest_batch(sigma, batches))
    return max(_from_below(losses_from_below(*pair, step), passes, delta)
               for pair in ((yours, blank), (blank, yours)))


def _largest_batch(sigma, batches):
    """The chances that the largest noisy sum is at most, and above, each of many thresholds, in
    units of one gradient: with your gradient, which turns against all others, and without it."""
    sigma = _checks.parameter("sigma", sigma)
    batches = _checks.integer("batches", batches, at_least=1)
    threshold = np.linspace(-REACH_OF_EVENTS * sigma, 2 + REACH_OF_EVENTS * sigma, EVENTS)
    others = (batches - 1) * log_ndtr(threshold / sigma)
    logs = [log_ndtr((threshold - moved) / sigma) + others for moved in (2, 1)]
    return [(np.exp(log), -np.expm1(log)) for log in logs]


def _cells(tails):
    below, above = tails
    return np.where(above[1:] < below[1:], above[:-1] - above[1:], below[1:] - below[:-1])


def _iterations(value, name="iterations"):
    return _checks.integer(name, value, at_least=1, at_most=MOST_OF_THEM)


def _epsilon(order, iterations, delta, **batch):
    one = PrivacyLoss.from_subsampled_gaussian(order=order, **batch)
    return one.compose(iterations).epsilon(delta)


def _from_below(loss, count, delta):
    """An ε that so many steps are not below, from the losses of one of them, which keep their
    means."""
    eta = ETA * delta
    excess = loss.step * np.sqrt(count / 2 * np.log(1 / eta))
    target = delta + eta + ROUNDING_OF_A_STEP * count
    return max(0.0, loss.compose(count).epsilon(target) - float(excess)) if target < 1 else 0.0
