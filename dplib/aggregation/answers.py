"""Combining the answers of many blocks, when one record can change one answer: a vote, a median, a
mean.

Leading axes are independent runs.
"""

from __future__ import annotations

from functools import cache
from math import prod

import numpy as np
import scipy
from scipy.special import expit

from dplib import _checks, _grid, _samplers
from dplib._numerics import CACHED_NUMBERS, HELD_NUMBERS
from dplib._sums import Tally
from dplib._types import (
    ArrayLike, Bools, Floats, Generator, Integer, Integers, Interval, NDArray, Neighbor, Noise,
    Real, Reals)

FAINTEST = 600.0  # e^-FAINTEST is the smallest coin, so that no answer is impossible
RARE = 40.0  # coins of less than e^-RARE take nothing from others


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
        x: ArrayLike, *, candidates: ArrayLike, epsilon: Real, neighbor: Neighbor,
        runs: bool = False, rng: Generator) -> Floats:
    """Choose the median among public candidates, by rank: each candidate tosses a coin, and one of
    the heads is chosen.

    Parameters
    ----------
    x, candidates
        As in `median_scores`.
    epsilon : float > 0
    neighbor : {"replace", "add_remove"}
        Under the latter the number of records is protected, too, and half the noise is enough.
    runs : bool
        Whether axes before the last are independent runs, each a data set of its own; without it
        there may be none
    rng : numpy.random.Generator

    Returns
    -------
    float64, shape (...)
        A candidate. One that is d behind the best score shows heads with probability e^(-εd/2), or
        e^(-εd) under ``add_remove``; all that do are as likely.

    Notes
    -----
    :Privacy: ε-DP under ``neighbor``, given fair bits; there may be no records at all under
        ``add_remove``.
    :Error: Each record counts at the candidate nearest to it; ties do no harm. With probability 1 -
        β, β < 1/2, fewer than n/2 + (2/ε) ln(m/(2β)) of these are below the answer and fewer than
        that are above it; with 1/ε in place of 2/ε under ``add_remove``. If fewer than about (6/ε)
        ln(m/(2β)) records vote, half of that under ``add_remove``, it may be anything. See
        `median_probabilities`.
    :Cost: m scores and coins for each data set.
    :References: Proposition *Median by rank* on the page *Choosing privately* (prop-median);
        proposition *Coins for whole scores* on the page *Choosing privately* (prop-coins); McKenna
        and Sheldon, *Permute-and-flip: a new mechanism for differentially private selection*
        (2020).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> answers = rng.normal(3, 1, size=100)
    >>> float(private_median(answers, candidates=np.linspace(-10, 10, 201), epsilon=1,
    ...                      neighbor="replace", rng=rng))
    3.0
    """
    rows, candidates, batch = _answers(x, candidates, runs)
    rate, rng = _rate(epsilon, neighbor), _checks.generator(rng)
    step = max(1, CACHED_NUMBERS // candidates.size)
    places = [
        _one_of_the_heads(_coins(_behind(_scores(rows[i : i + step], candidates)), rate), rng)
        for i in range(0, len(rows), step)
    ]
    return candidates[np.concatenate([*places, np.empty(0, dtype=np.int64)])].reshape(batch)[()]


def median_probabilities(
        scores: Integers, *, epsilon: Real, neighbor: Neighbor) -> NDArray[np.float64]:
    """The exact output distribution of `private_median`: a description of the mechanism, not a
    private release.

    Parameters
    ----------
    scores : array_like of integers, shape (..., m)
        Those of m candidates by `median_scores`
    epsilon, neighbor
        As in `private_median`.

    Returns
    -------
    float64, shape (..., m), the probability of each candidate

    Notes
    -----
    :Error: About 1e-13 for up to 10^6 candidates.
    :References: Theorem *Permute and flip* on the page *Choosing privately*
        (thm-permute-and-flip).

    Examples
    --------
    >>> scores = median_scores([1, 1, 1, 4], candidates=[0, 1, 2, 3, 4])
    >>> median_probabilities(scores, epsilon=1, neighbor="replace").round(3)
    array([0.078, 0.521, 0.134, 0.134, 0.134])
    """
    scores = _checks.integers("scores", scores, at_least=-(2**62), at_most=0)
    if scores.ndim == 0 or scores.shape[-1] == 0:
        raise ValueError(
            "scores must have at least one candidate on the last axis, got an array of shape "
            f"{scores.shape}"
        )
    rate, step = _rate(epsilon, neighbor), max(1, CACHED_NUMBERS // scores.shape[-1])
    rows = _behind(scores.reshape(-1, scores.shape[-1]).astype(np.int64))
    law = [_law(rows[i : i + step], rate) for i in range(0, len(rows), step)]
    return np.concatenate([*law, np.empty((0, rows.shape[1]))]).reshape(scores.shape)


def _rate(epsilon, neighbor):
    """What one more rank behind takes from the logarithm of a coin."""
    differ = _checks.records_that_differ(neighbor)
    return _grid.for_weights(_checks.parameter("epsilon", epsilon)) / differ


def _behind(scores):
    return scores.max(axis=1, keepdims=True) - scores


def _coins(behind, rate):
    """Of heads: no smaller one than that of the next rank, and no more than e^ε times as likely as
    that, in floats, too; never 0."""
    return np.exp(-np.minimum(rate * behind, FAINTEST))


def _one_of_the_heads(coins, rng):
    """The place of one of the coins that fall on heads, each as likely; one of each row."""
    heads = _samplers.bernoulli(coins, coins.shape, rng)
    places, count = np.flatnonzero(heads) % coins.shape[1], np.count_nonzero(heads, axis=1)
    return places[np.cumsum(count) - count + _grid.uniform(count, rng)]


def _law(behind, rate):
    """A candidate r is the first head where the coins come in random order: it comes at a time t,
    and no other one came before it with heads, Pr[r] = p_r ∫ ∏ (1 - t p_j) dt without j = r."""
    times, weights = _times(8 * behind.shape[1].bit_length())
    levels, place = _levels(np.minimum(behind, int(np.ceil(RARE / rate))))
    first = np.arange(len(behind))[:, np.newaxis] * levels.size
    of_each = np.bincount((place + first).ravel(), minlength=len(behind) * levels.size)
    missed = -np.multiply.outer(_coins(levels, rate), times)
    nobody = np.maximum(of_each.reshape(len(behind), -1) @ np.log1p(missed), -FAINTEST)
    nobody = np.exp(nobody) * weights  # no float is so small that calculating is slow
    return _coins(behind, rate) * np.take_along_axis(nobody @ (1 / (1 + missed)).T, place, axis=1)


def _levels(behind):
    """The different numbers, rising, and which of them each one is."""
    if behind.max(initial=0) > HELD_NUMBERS:
        levels, place = np.unique(behind, return_inverse=True)
        return levels, place.reshape(behind.shape)
    there = np.bincount(behind.ravel()) > 0
    return np.flatnonzero(there), (there.cumsum() - 1)[behind]


@cache
def _times(count):
    """Places and weights of an integral over [0, 1] by Gauss and Legendre, close together near 0,
    where the integrand may fall from 1 to nothing."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    nodes = (nodes + 1) / 2
    return nodes**4, weights * 2 * nodes**3


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
    :Privacy: ε-DP under ``replace``, given fair bits. Its n is public, and a row is a record: the
        groups of a table, whose sizes are secret, need `dplib.tables.Table.means`.
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
