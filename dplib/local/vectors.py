"""A vector in one message: by a half of a sphere, or with Gaussian noise."""

from __future__ import annotations

import numpy as np
from scipy.special import poch

from dplib import _checks, _grid, _samplers
from dplib._types import ArrayLike, Floats, Generator, Integers, Real, Reals
from dplib.local.numbers import report_size


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
        given fair bits; finite entries, and ε at least 2**-48.
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
        _checks.parameter("epsilon", epsilon, at_least=_samplers.LEAST_EPSILON),
    )
    direction, share = _polar(vectors, radius)
    length = l2_ball_scale(radius=radius, dimension=direction.shape[-1], epsilon=epsilon)
    # A vector and its opposite are drawn alike, without the data, which decide by a randomised
    # response which of the two is sent. An inner product of 0, which favours neither, is within the
    # promise as well.
    drawn = _samplers.directions(direction.shape, _checks.generator(rng))
    towards = np.where(np.sum(drawn * direction, axis=-1) < 0, -1.0, 1.0)
    towards *= np.where(_samplers.bernoulli((1 + share) / 2, share.shape, rng), 1.0, -1.0)
    towards *= _samplers.kept_signs(epsilon, share.shape, rng)
    return length * drawn * towards[..., np.newaxis]


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
    size = report_size(_checks.parameters("epsilon", epsilon))
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
