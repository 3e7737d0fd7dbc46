"""Learning in noisy steps on random batches, for records that come and go.

Symbols
-------
C
    ``clip``, the largest length of what one record adds to a sum of gradients.
q
    ``rate``, each record's probability of being in a batch.
unit
    Of the whole numbers that gradients are rounded to, towards 0, so that none gets longer.
"""

from __future__ import annotations

import numpy as np

from dplib import _checks, _grid
from dplib.accounting import noisy_sgd_sigma
from dplib.glm.domains import Domain
from dplib.glm.losses import Loss
from dplib._staircase import random_words
from dplib._types import ArrayLike, Generator, Integer, NDArray, Real

ROUNDED_LENGTH = 2.0**-52  # of a clipped gradient: its rounding, for each entry and a few more
COARSER = 2.0**10  # than a grid for noise of size C: a gradient has 30 binary digits
MOST_RECORDS = 2**30  # so that a sum of so many is an int64


def noisy_sgd(
        X: ArrayLike, y: ArrayLike, *, size: Integer, rate: Real, domain: Domain, loss: Loss,
        clip: Real, iterations: Integer, epsilon: Real, delta: Real, step: Real,
        rng: Generator) -> NDArray[np.float64]:
    """Go down the slope of the mean loss, each step on a batch that is drawn afresh, with clipped
    gradients and noise.

    Parameters
    ----------
    X, y, domain, loss
        As in `fit_model`.
    size : int ≥ 1, public, about the number n of records: the sum over a batch is divided by q
        times this
    rate : float in (0, 1], each record's probability q of being in a batch
    clip : float > 0, public, the length to which a longer gradient of one record is shortened, C
    iterations : int ≥ 1, public, how many steps, T
    epsilon, delta : float > 0, δ < 1
    step : float > 0, public, the step: θ moves by so many times the noisy mean of the gradients
    rng : numpy.random.Generator

    Returns
    -------
    float64, shape (d,), the mean of the last ⌈T/2⌉ points, in the coordinates of the domain, see
    ``domain.coefficients``

    Raises
    ------
    ValueError
        for public arguments that are wrong, numbers that are not finite, shapes that do not fit,
        and more than 2**30 records

    Notes
    -----
    :Privacy: (ε, δ)-DP under ``add_remove``, for all points together, given fair bits. Clipped
        gradients are rounded to whole numbers, which are added up exactly.
    :Error: Each entry of a sum of gradients has noise of the standard deviation C σ, σ of
        `noisy_sgd_sigma`, besides the lottery of the batch. A clipped gradient is that of another
        loss, with a minimum elsewhere.
    :Cost: O(n T) for the coins, O(q n d T) for the gradients.
    :References: Theorem *Noisy steps on random batches* on the page *Learning in noisy steps*
        (thm-noisy-sgd); Abadi, Chu, Goodfellow, McMahan, Mironov, Talwar and Zhang, *Deep learning
        with differential privacy* (2016).

    Examples
    --------
    >>> from dplib.glm import ROBUST, Box
    >>> people = Box([(-1, 1)])
    >>> x = np.tile([-1.0, 1.0], 5000)
    >>> theta = noisy_sgd(
    ...     x[:, None], 1 + 2 * x, size=10_000, rate=0.05, domain=people, loss=ROBUST, clip=1.5,
    ...     iterations=200, epsilon=1, delta=1e-6, step=1, rng=np.random.default_rng(1))
    >>> people.coefficients(theta).round(1)
    array([1., 2.])
    """
    size = _checks.integer("size", size, at_least=1)
    rate = _checks.parameter("rate", rate, at_least=2.0**-50)
    clip = _checks.real("clip", clip, at_least=2.0**-100, at_most=2.0**20)
    iterations = _checks.integer("iterations", iterations, at_least=1, at_most=2**20)
    step = _checks.real("step", step, above=0, at_most=2**20)
    epsilon, delta = _checks.parameter("epsilon", epsilon), _checks.parameter("delta", delta)
    _checks.generator(rng)
    d = domain.dimension
    epsilon, delta = _grid.for_secret(epsilon, delta, iterations * d)
    sigma = noisy_sgd_sigma(rate=rate, iterations=iterations, epsilon=epsilon, delta=delta)
    scale = sigma * clip * (1 + ROUNDED_LENGTH * (d + 8))
    unit = max(_grid.grid_step(clip) * COARSER, _grid.grid_step(scale))
    noise = _grid.normal_of_scale(scale, unit)
    records = _records(X, y, domain, loss)

    def gradient(theta):
        total = _clipped_sum(_drawn(records, rate, rng), theta, loss, clip, unit)
        return noise.added_to_whole(total, rng)

    return descended(gradient, d, iterations, step / (rate * size))


def descended(gradient, dimension, iterations, step):
    """The mean of the last ⌈T/2⌉ points of so many steps against a gradient, from 0 on."""
    theta, kept = np.zeros(dimension), np.zeros(dimension)
    for t in range(iterations):
        theta = theta - step * gradient(theta)
        if t >= iterations // 2:
            kept += theta
    return kept / (iterations - iterations // 2)


def _records(X, y, domain, loss):
    """Columns of the design, outcomes, and the lengths of the records: shape (d + 2, n)."""
    design = domain.design(X)
    if len(design) > MOST_RECORDS:
        raise ValueError("X must have at most 2**30 records")
    lengths = np.sqrt(_added(column * column for column in design.T))
    return np.vstack([design.T, loss.read(y, len(design)), lengths])


def _drawn(records, rate, rng):
    """The batch that each record enters by a coin of its own, with a chance of ``rate`` at most."""
    last = np.uint64(int(rate * 2.0**64) - 1)
    return records[:, random_words(records.shape[1], rng) <= last]


def _clipped_sum(batch, theta, loss, clip, unit):
    """The sum of clipped gradients in units, each rounded towards 0: int64, shape (d,)."""
    # Record by record: in a product of matrices, one record could change the rounding of another.
    *design, y, lengths = batch
    slopes = loss.slope(_added(column * at for column, at in zip(design, theta)), y)
    slopes = slopes * (clip / unit / np.maximum(np.abs(slopes) * lengths, clip))
    return np.array([np.trunc(column * slopes).astype(np.int64).sum() for column in design])


def _added(columns):
    """Their sum from left to right, entry by entry."""
    return sum(columns, start=np.float64(0))
