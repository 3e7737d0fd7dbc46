"""One number from the minimiser of a perturbed objective, or all of it, private as it is computed:
for data of which no certificate is large enough.

Symbols
-------
r, k
    ``domain.reach``, the largest length of a record in the coordinates of the domain; up to k
    records of one unit go and as many come.
Λ, b
    Ridge and tilt: F(θ) = Σ h(xᵀθ, y) + Λ/2 |θ|² + bᵀθ is minimised at θ*. The density of b is
    proportional to e^(-|b|/s): b = s |G| Z, G and Z standard normal in d + 1 and in d dimensions.
U
    The public matrix of what is asked of θ*: one row uᵀ, or a row for each coefficient.
η
    The share of ε for the last noise, which covers how far off the computed Uθ* may be, and for a
    bound N of the number n of records, on which this depends.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

import numpy as np

from dplib import _checks, _grid
from dplib.glm.domains import Domain, checked_domain
from dplib.glm.fits import Records, settled_fit, settled_rounding
from dplib.glm.losses import Loss
from dplib.glm.terms import LEAST_LEFT, Budget, direction
from dplib._types import ArrayLike, Generator, Integer, Move, NDArray, Real

FOR_THE_COMPUTER = 2.0**-5  # η, of ε; half of it for N
FOR_THE_RIDGE = 0.2  # of the rest: what the tilt does to volumes
LEAST_RIDGE = 2.0**-9  # of r²: with it no search stops early
SCALES_BELOW = 700  # scales of Laplace noise; farther out it has a probability below 1e-304
ROUNDED_UP = 1 + 2.0**-10  # more than the rounding of these numbers, and of answers to a grid


class Perturbation(NamedTuple):
    """The public numbers of a perturbed objective.

    Attributes
    ----------
    ridge, tilt : float, Λ, and the scale s of b
    """

    ridge: float
    tilt: float


def perturbation(*, radius: Real, largest_curvature: Real, epsilon: Real,
                 rows_per_unit: Integer) -> Perturbation:
    """Λ and s with which θ* is ε-DP, in exact arithmetic.

    Parameters
    ----------
    radius, largest_curvature, epsilon : float > 0, r, sup h'' and ε
    rows_per_unit : int ≥ 1, k
    """
    for_ridge = FOR_THE_RIDGE * epsilon
    with np.errstate(over="ignore"):
        least = radius**2 * largest_curvature / np.expm1(for_ridge / rows_per_unit)
    tilt = 2 * rows_per_unit * radius / (epsilon - for_ridge)
    return Perturbation(max(float(least), LEAST_RIDGE * radius**2), tilt)


def release_by_perturbed_objective(
        X: ArrayLike, y: ArrayLike, *, weights: ArrayLike | None = None, move: Move,
        domain: Domain, loss: Loss, epsilon: Real, rows_per_unit: Integer, rng: Generator) -> float:
    """Release what one coefficient says in the minimiser of a perturbed objective, which needs no
    certificate and never refuses.

    Parameters
    ----------
    X, y, weights, move, domain, loss, rows_per_unit
        As in `release_coefficient`.
    epsilon : float > 0
    rng : numpy.random.Generator

    Returns
    -------
    float

    Raises
    ------
    ValueError
        As `release_coefficient`.

    Notes
    -----
    :Privacy: ε-DP for one unit replaced, as in `release_with_public_scale`, given fair bits and up
        to events of probability 1e-300: what is computed is within a proven distance of the exact
        minimiser for real noise, and the last noise covers this distance. How many records there
        are may be secret.
    :Error: About uᵀH⁻¹b, whose standard deviation is about 2.6 r √(d + 1) |H⁻¹u| rows_per_unit/ε,
        H the curvature; and the ridge Λ pulls θ towards 0, by a share of about Λ/(λ + Λ) where H
        has the curvature λ, which may move uᵀθ either way. The last noise grows with the number of
        records, and is the larger one from about a million of them on. No interval comes with it.
    :Cost: That of `fit_model`, and a few steps more.
    :References: Theorem *A perturbed objective, with ε alone* on the page *Noise that fits*
        (thm-perturbed-release); Chaudhuri, Monteleoni and Sarwate, *Differentially private
        empirical risk minimization* (2011).

    Examples
    --------
    >>> from dplib.glm import LOGISTIC, Box
    >>> treated, better = np.repeat([0, 1], 1000), np.repeat([0, 1, 0, 1], [500, 500, 400, 600])
    >>> effect = release_by_perturbed_objective(
    ...     treated[:, None], better, move=([0], [1]), domain=Box([(0, 1)], binary=[0]),
    ...     loss=LOGISTIC, epsilon=1, rows_per_unit=1, rng=np.random.default_rng(1))
    >>> print(f"{effect:.1f}, without noise 0.405")
    0.4, without noise 0.405
    """
    asked = direction(move, domain)[np.newaxis]
    epsilon, rows = _checked(epsilon, rows_per_unit, rng, numbers=1)
    return float(along_the_minimiser(X, y, weights, asked, domain, loss, epsilon, rows, rng)[0])


def release_vector_by_perturbed_objective(
        X: ArrayLike, y: ArrayLike, *, weights: ArrayLike | None = None, domain: Domain,
        loss: Loss, epsilon: Real, rows_per_unit: Integer,
        rng: Generator) -> NDArray[np.float64]:
    """Release the minimiser of a perturbed objective, all coefficients at once, with ε alone.

    Parameters
    ----------
    X, y, weights, domain, loss, rows_per_unit
        As in `release_coefficient`.
    epsilon : float > 0
    rng : numpy.random.Generator

    Returns
    -------
    float64, shape (d,)
        The coefficients for X as it was measured, the intercept first where there is one

    Raises
    ------
    ValueError
        As `release_coefficient`.

    Notes
    -----
    :Privacy: ε-DP for one unit replaced, as in `release_by_perturbed_objective`: the minimiser as
        a whole is ε-DP, so any number of its coefficients costs what one of them costs.
    :Error: That of `release_by_perturbed_objective` for each coefficient. With a million
        records or more than about 20 coefficients `release_vector` is mostly better; it needs a
        certificate, and δ.
    :Cost: That of `fit_model`, and a few steps more.
    :References: Theorem *A perturbed objective, with ε alone* on the page *Noise that fits*
        (thm-perturbed-release).

    Examples
    --------
    >>> from dplib.glm import LOGISTIC, Box
    >>> rng = np.random.default_rng(1)
    >>> X = rng.integers(2, size=(20_000, 3))
    >>> y = rng.random(20_000) < 1 / (1 + np.exp(-(X @ [1, -0.5, 0])))
    >>> theta = release_vector_by_perturbed_objective(
    ...     X, y, domain=Box([(0, 1)] * 3, binary=[0, 1, 2]), loss=LOGISTIC, epsilon=1,
    ...     rows_per_unit=1, rng=rng)
    >>> print(theta.round(1))
    [ 0.   1.  -0.5 -0. ]
    """
    asked = np.eye(checked_domain(domain).dimension)
    epsilon, rows = _checked(epsilon, rows_per_unit, rng, numbers=domain.dimension)
    theta = along_the_minimiser(X, y, weights, asked, domain, loss, epsilon, rows, rng)
    return domain.coefficients(theta)


def _checked(epsilon, rows_per_unit, rng, *, numbers):
    """ε, so large that `ROUNDED_UP` covers the rounding of so many answers to a grid, and k."""
    epsilon, least = _checks.parameter("epsilon", epsilon), LEAST_LEFT * numbers
    rows = _checks.integer("rows_per_unit", rows_per_unit, at_least=1, at_most=2**20)
    if epsilon < least:
        each = f" for each of {numbers} coefficients" if numbers > 1 else ""
        raise ValueError(f"epsilon must be at least 2**-20{each}, got {epsilon:g}")
    _checks.generator(rng)
    return epsilon, rows


def typical_noise(*, radius, dimension, nu, epsilon, rows_per_unit):
    """A guess of the standard deviation of uᵀH⁻¹b for a move along one coordinate, from ν: |H⁻¹u|
    is 2/(d ν) if the data are the same in every coordinate, and 1/(√2 ν) if the weak corner is that
    of a rare arm; in between is √(√2/d)/ν."""
    tilt = perturbation(radius=radius, largest_curvature=1.0, epsilon=epsilon,
                        rows_per_unit=rows_per_unit).tilt
    return tilt * np.sqrt(dimension + 1) * np.sqrt(np.sqrt(2) / dimension) / nu


def along_the_minimiser(X, y, weights, asked, domain, loss, epsilon, rows, rng):
    """Uθ for a computed θ, with noise that covers how far this is from Uθ*."""
    # what is wrong with the data is said before anything is drawn
    records = Records.read(X, y, weights, domain=domain, loss=loss)
    for_both, for_minimiser = Budget(epsilon, 0.0).parted(epsilon=FOR_THE_COMPUTER, delta=0)
    for_size, for_last = for_both.halved()
    d = domain.dimension
    left, _ = _grid.for_secret(*for_minimiser, entries=2 * d + 1)
    ridge, scale = perturbation(radius=domain.reach, largest_curvature=loss.largest_curvature,
                                epsilon=left, rows_per_unit=rows)
    most = _size_bound(records.size, rows=rows, epsilon=for_size.epsilon, rng=rng)
    within = computed_within(
        size=most, asked=asked, domain=domain, loss=loss, ridge=ridge, tilt=scale)
    noise = covering_noise(within=within, epsilon=for_last.epsilon, entries=len(asked))
    tilt = tilt_of(_grid.near_normals((2 * d + 1,), rng), scale)
    fit = settled_fit(records, domain=domain, loss=loss, ridge=ridge, tilt=tilt)
    return np.array([noise.added_to_fraction(fit.along(u), rng) for u in asked])


def _size_bound(size, *, rows, epsilon, rng):
    """N: a private number that no size of the two data sets of a pair is above."""
    noise = _grid.laplace_noise(sensitivity=rows, epsilon=epsilon, unit=1.0)
    margin = SCALES_BELOW * noise.scale + rows  # a neighbour may have as many records more
    return max(size, ceil(noise.added_to_whole(np.int64(size), rng) + margin))


def covering_noise(*, within, epsilon, entries):
    """Noise for numbers whose distances from an answer that is private as it is add up to at most
    this."""
    return _grid.laplace_noise(sensitivity=2 * within, epsilon=epsilon, entries=entries)


def tilt_of(normals, scale):
    """b from d and d + 1 standard normal numbers: its density is proportional to e^(-|b|/s)."""
    d = len(normals) // 2
    return scale * np.linalg.norm(normals[d:], axis=0) * normals[:d]


def computed_within(*, size, asked, domain, loss, ridge, tilt):
    """How far Uθ as computed is from Uθ* of the real tilt, at most, for any data of this size: the
    distances of all its entries together."""
    d, far = domain.dimension, _grid.LARGEST_NORMAL
    longest = tilt * far**2 * np.sqrt(d * (d + 1))  # |b|
    moved = longest * (2 * _grid.NEAR / far + 2.0**-50 * (d + 4))  # the real tilt, and rounding
    gradient = 5 * settled_rounding(size, domain, loss, 3 * np.sqrt(d) * longest)
    theta = (moved + domain.reach * gradient) / ridge  # how far θ is off, in length
    return float(np.sqrt(len(asked)) * np.linalg.norm(asked, 2) * theta * ROUNDED_UP)
