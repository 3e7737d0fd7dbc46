"""Combining the answers of many blocks, when one record can change one answer: a vote, a median, a
mean.

Leading axes are independent runs.
"""

from __future__ import annotations

from math import prod

import numpy as np
import scipy
from scipy.special import expit

from dplib import _checks, _samplers, mechanisms
from dplib._numerics import HELD_NUMBERS
from dplib._sums import Tally
from dplib._types import (
    ArrayLike, Bools, Floats, Generator, Integer, Interval, NDArray, Noise, Real, Reals)


def private_vote(
        votes: ArrayLike, *, epsilon: Real, noise: Noise, runs: bool = False,
        rng: Generator) -> Bools:
    """Let many voters decide between no and yes.

    Parameters
    ----------
    votes : array_like of booleans
        One voter on each place of the last axis; numbers count as yes if they are above 1/2
    epsilon : float > 0
    noise : {"discrete_laplace", "laplace"}
        The noise that the majority is compared with; the former has the fewest errors possible.
    runs : bool
        Whether axes before the last are independent runs, each a data set of its own; without it
        there may be none
    rng : numpy.random.Generator

    Returns
    -------
    bool, shape (...), the noisy majority

    Notes
    -----
    :Privacy: ε-DP when one vote is replaced, given fair bits, up to the rounding of one
        probability.
    :Error: Of k votes, (k + d)/2 for one side, this side loses with probability e^(-εd/2)/2 if k is
        even, e^(-ε(d-1)/2)/(1 + e^ε) if k is odd; e^(-εd/2)/2 always with ``laplace``. See
        `vote_error`.
    :References: Proposition *The vote of the blocks* on the page *Any program, privately*
        (prop-vote).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> bool(private_vote([1, 1, 0, 1, 1, 1, 0, 1, 1], epsilon=1, noise="discrete_laplace",
    ...                   rng=rng))
    True
    """
    votes = _checks.reals("votes", _checks.data_sets("votes", votes, runs=runs))
    _checks.noise(noise)
    epsilon = _checks.parameter("epsilon", epsilon)
    lead = 2 * np.count_nonzero(votes > 0.5, axis=-1) - votes.shape[-1]
    loses = _samplers.bernoulli(
        _upset(np.abs(lead), epsilon, noise), lead.shape, _checks.generator(rng)
    )
    return (lead > 0) ^ loses


def _upset(lead, epsilon, noise):
    """The probability that the smaller side of a vote wins, d votes behind."""
    odd = lead % 2 if noise == "discrete_laplace" else 0
    return np.exp(-epsilon * (lead - odd) / 2) * np.where(odd, expit(-epsilon), 0.5)


def vote_error(probability: Reals, *, epsilon: Real, noise: Noise, blocks: Integer) -> Floats:
    """How often the vote of many blocks is wrong.

    Parameters
    ----------
    probability : float in [0, 1] or array_like
        The probability of the event that a block votes right
    epsilon, noise
        As in `private_vote`.
    blocks : int ≥ 1, the number k of disjoint blocks, which vote independently

    Returns
    -------
    float64, the shape of ``probability``

    Notes
    -----
    :References: Proposition *The vote of the blocks* on the page *Any program, privately*
        (prop-vote).

    Examples
    --------
    >>> round(float(vote_error(0.75, epsilon=0.5, noise="discrete_laplace", blocks=51)), 4)
    0.003
    """
    right = _checks.parameters("probability", probability)
    _checks.noise(noise)
    blocks = _checks.integer("blocks", blocks, at_least=1, at_most=2**31)
    votes = np.arange(blocks + 1)
    lead = 2 * votes - blocks
    upset = _upset(np.abs(lead), _checks.parameter("epsilon", epsilon), noise)
    mass = scipy.stats.binom.pmf(votes, blocks, right[..., np.newaxis])
    return mass @ np.where(lead > 0, upset, 1 - upset)


def median_scores(x: ArrayLike, *, candidates: ArrayLike) -> NDArray[np.int64]:
    """The scores of `private_median`, which are not private.

    Parameters
    ----------
    x : array_like of finite real numbers, shape (..., n), the data set, perhaps empty
    candidates : array_like of finite real numbers, shape (m,)
        rising, public; the answer is one of these

    Returns
    -------
    int64, shape (..., m)
        -max(#(x < r), #(x > r)) for each candidate r, where each record counts at the candidate
        nearest to it

    Notes
    -----
    :References: Proposition *Median by rank* on the page *Choosing privately* (prop-median).

    Examples
    --------
    >>> median_scores([1, 1, 1, 4], candidates=[0, 1, 2, 3, 4])
    array([-4, -1, -3, -3, -3])
    """
    rows, candidates, batch = _answers(x, candidates, runs=True)
    return _scores(rows, candidates).reshape(*batch, candidates.size)


def _answers(x, candidates, runs):
    """Data sets as rows, each record as the place of its nearest candidate, the candidates, and the
    shape of the leading axes."""
    x = _checks.data_sets("x", x, runs=runs, at_least=0)
    candidates = _checks.reals("candidates", candidates)
    if candidates.ndim != 1 or candidates.size == 0 or np.any(np.diff(candidates) <= 0):
        raise ValueError(
            "candidates must be a rising sequence of numbers, got an array of shape "
            f"{candidates.shape}"
        )
    # A record between two candidates would be above one and below the other: a thousand equal ones
    # would leave all candidates alike.
    places = np.searchsorted(candidates[:-1] / 2 + candidates[1:] / 2, _checks.reals("x", x))
    *batch, n = x.shape
    return places.reshape(prod(batch), n), candidates, batch


def _scores(rows, candidates):
    first = np.arange(len(rows))[:, np.newaxis] * candidates.size
    at = np.bincount((rows + first).ravel(), minlength=len(rows) * candidates.size).reshape(
        len(rows), -1
    )
    up_to = at.cumsum(axis=1)
    return -np.maximum(up_to - at, rows.shape[1] - up_to)


def private_median(
        x: ArrayLike, *, candidates: ArrayLike, epsilon: Real, runs: bool = False,
        rng: Generator) -> Floats:
    """Choose the median among public candidates, by rank.

    Parameters
    ----------
    x, candidates
        As in `median_scores`.
    epsilon : float > 0
    runs : bool
        Whether axes before the last are independent runs, each a data set of its own; without it
        there may be none
    rng : numpy.random.Generator

    Returns
    -------
    float64, shape (...), a candidate

    Notes
    -----
    :Privacy: ε-DP under ``replace`` and under ``add_remove``, where there may be no records at all,
        given fair bits.
    :Error: Each record counts at the candidate nearest to it; ties do no harm. With probability 1 -
        β fewer than n/2 + (2/ε) ln(m/β) of these are below the answer and fewer than that are above
        it. If fewer than about (6/ε) ln(m/β) records vote, it may be anything.
    :Cost: m scores and random numbers for each data set.
    :References: Proposition *Median by rank* on the page *Choosing privately* (prop-median);
        McSherry and Talwar, *Mechanism design via differential privacy* (2007).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> answers = rng.normal(3, 1, size=100)
    >>> float(private_median(answers, candidates=np.linspace(-10, 10, 201), epsilon=1, rng=rng))
    3.0
    """
    rows, candidates, batch = _answers(x, candidates, runs)
    _checks.parameter("epsilon", epsilon)
    _checks.generator(rng)
    step = max(1, HELD_NUMBERS // candidates.size)
    places = [
        mechanisms.exponential(
            _scores(rows[i : i + step], candidates), sensitivity=1, epsilon=epsilon, rng=rng
        )
        for i in range(0, len(rows), step)
    ]
    return candidates[np.concatenate([*places, np.empty(0, dtype=np.int64)])].reshape(batch)[()]


def bounded_mean(
        x: ArrayLike, *, bounds: Interval, epsilon: Real, runs: bool = False,
        rng: Generator) -> Floats:
    """The mean of numbers clipped to a public interval, with Laplace noise.

    Parameters
    ----------
    x : array_like of finite real numbers, shape (..., n), the data set
    bounds : (float, float), the public interval (lo, hi); values outside are clipped
    epsilon : float > 0
    runs : bool
        Whether axes before the last are independent runs, each a data set of its own; without it
        there may be none
    rng : numpy.random.Generator

    Returns
    -------
    float64, shape (...)

    Notes
    -----
    :Privacy: ε-DP under ``replace``, given fair bits.
    :Error: Laplace noise of scale (hi - lo)/(nε), besides what is clipped. A record is rounded to
        2**-36 of hi - lo or less.
    :References: Theorem *The Laplace mechanism* on the page *A bound on every accuser*
        (thm-laplace).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> round(float(bounded_mean(rng.normal(3, 1, size=1000), bounds=(0, 6), epsilon=1, rng=rng)),
    ...       3)
    2.945
    """
    lo, hi = _checks.interval("bounds", bounds)
    x = _checks.data_sets("x", x, runs=runs)
    x, middle = _checks.reals("x", x), lo / 2 + hi / 2
    window = Tally.of(x.shape[-1], (hi - lo) / 2)
    epsilon = _checks.parameter("epsilon", epsilon)
    window.noise(epsilon)
    _checks.generator(rng)
    sums = window.sums(np.clip(x, lo, hi) - middle)
    with np.errstate(over="ignore"):
        return middle + window.noisy_mean(sums, epsilon, rng)
