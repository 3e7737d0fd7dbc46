"""What a record weighs, by its friends."""

from __future__ import annotations

import numpy as np

from dplib._types import ArrayLike, NDArray, Real
from dplib.friendly.counts import friend_counts


def friendly_weights(x: ArrayLike, *, radius: Real) -> NDArray[np.float64]:
    """Weights from 0, for records with about half of the others as friends, to 1, for friends of
    all: not private.

    Parameters
    ----------
    x, radius
        As in `friend_counts`.

    Returns
    -------
    float64, shape (..., n)
        w = (2c - n - 1)/(n - 1) clipped to [0, 1], c from `friend_counts`; 0 if n = 1

    Notes
    -----
    :Privacy: None of its own, but the weights are stable. If record 1 is replaced, w₁ + w₁' + Σ
        |w_i - w_i'| over the others is at most 3, and any two records of positive weight, in the
        data or its neighbour, have a common friend among the others.
    :Cost: As `friend_counts`.
    :References: Lemma *Survivors of both worlds share a friend* on the page *Drop the strangers*
        (lem-shared-friend), lemma *The weights change by at most 3* on the page *Drop the
        strangers* (lem-stable-weights); Tsfadia, Cohen, Kaplan, Mansour and Stemmer, *FriendlyCore:
        practical differentially private aggregation* (2022).

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
