"""What a record weighs, by its friends, and a random core of friends."""

import numpy as np

from dplib import _checks, _samplers
from dplib.friendly.counts import friend_counts


def friendly_weights(x, *, radius):
    """Weights from 0, for records with about half of the others as friends, to 1, for friends of all: not private.

    Parameters
    ----------
    x, radius
        As in `friend_counts`.

    Returns
    -------
    float64, shape (..., n), w = (2c - n - 1)/(n - 1) clipped to [0, 1], c from `friend_counts`; 0 if n = 1

    Notes
    -----
    :Privacy: None of its own, but the weights are stable. If record 1 is replaced, w₁ + w₁' + Σ |w_i - w_i'| over the others is at
        most 3, and any two records of positive weight, in the data or its neighbour, have a common friend among the others.
    :Cost: As `friend_counts`.
    :References: Lemma *Survivors of both worlds share a friend* on the page *Drop the strangers* (lem-shared-friend), lemma *The
        weights change by at most 3* on the page *Drop the strangers* (lem-stable-weights); Tsfadia, Cohen, Kaplan, Mansour and
        Stemmer, *FriendlyCore: practical differentially private aggregation* (2022).

    Examples
    --------
    >>> friendly_weights([[0], [0], [1], [1], [2], [5]], radius=1)
    array([0.2, 0.2, 0.6, 0.6, 0. , 0. ])
    """
    return weights_of_counts(friend_counts(x, radius=radius))


def weights_of_counts(counts):
    """The weights of records with so many friends, themselves included, along the last axis."""
    return whole_weights(counts) / max(counts.shape[-1] - 1, 1)


def whole_weights(counts):
    """n - 1 times the weights, which are whole numbers: 0 to n - 1."""
    n = counts.shape[-1]
    return np.clip(2 * counts - (n + 1), 0, n - 1)


def sample_friendly_core(x, *, radius, rng):
    """Keep each record with its weight as the probability: not private, but what a friendly algorithm may be run on.

    Parameters
    ----------
    x, radius
        As in `friend_counts`.
    rng : numpy.random.Generator

    Returns
    -------
    bool, shape (..., n), whether a record is kept

    Notes
    -----
    :Privacy: None of its own. An algorithm that is ε'-DP under ``add_remove`` on friendly data, those in which every two records
        have a common friend, is 3(e^ε' - 1)-DP under ``replace`` if it sees the kept records only: `friendly_core_epsilon`.
    :Cost: As `friend_counts`.
    :References: Theorem *A core at random* on the page *Drop the strangers* (thm-kept-at-random); Tsfadia, Cohen, Kaplan, Mansour
        and Stemmer (2022).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> kept = sample_friendly_core([[0.1], [0.2], [0.3], [50]], radius=1, rng=rng)
    >>> bool(kept[3])
    False
    """
    weights = friendly_weights(x, radius=radius)
    return _samplers.bernoulli(weights, weights.shape, _checks.generator(rng))


def friendly_core_epsilon(*, epsilon):
    """The ε' that an algorithm may spend on a random core so that the whole is ε-DP.

    Parameters
    ----------
    epsilon : float > 0 or array_like, of the whole, under ``replace``

    Returns
    -------
    float64, the broadcast shape, ε' = ln(1 + ε/3), under ``add_remove``

    Notes
    -----
    :References: Theorem *A core at random* on the page *Drop the strangers* (thm-kept-at-random).

    Examples
    --------
    >>> round(float(friendly_core_epsilon(epsilon=1)), 3)
    0.288
    """
    return np.log1p(_checks.parameters("epsilon", epsilon) / 3)
