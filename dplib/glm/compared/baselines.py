"""What the releases of one coefficient are measured against: noise for the worst data, and noise
that is not private.

Symbols
-------
r
    ``domain.reach``, the largest length of a record in the coordinates of the domain. As |h'| ≤ 1,
    so long is a gradient at most.
Λ, b
    Ridge and tilt: Σ h(xᵀθ, y) + Λ/2 |θ|² + bᵀθ is minimised.
u
    What is asked, as in `release_coefficient`: a coefficient is uᵀθ.

One record is replaced; the number of records is public. All answers are in the coordinates of the
domain, see ``domain.coefficients``.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dplib import _checks, _grid, mechanisms
from dplib.glm.domains import Domain
from dplib.glm.fits import ADDED, CHARGED, ROUNDOFF, fit_model, sums
from dplib.glm.gradients import descended
from dplib.glm.losses import Loss
from dplib.glm.terms import direction
from dplib._types import ArrayLike, Generator, Integer, Move, NDArray, Real

ARCS = 512  # a bound of the largest sum on a quarter circle is computed on so many


def release_with_ridge(
        X: ArrayLike, y: ArrayLike, *, domain: Domain, loss: Loss, ridge: Real, epsilon: Real,
        delta: Real, rng: Generator) -> NDArray[np.float64]:
    """Fit with a public ridge and add Gaussian noise for the worst data there are.

    Parameters
    ----------
    X, y, domain, loss
        As in `fit_model`.
    ridge : float ≥ r²/512, Λ
    epsilon, delta : float > 0, δ < 1
    rng : numpy.random.Generator

    Returns
    -------
    float64, shape (d,), θ of the ridge fit plus noise

    Raises
    ------
    ValueError
        for public arguments that are wrong, numbers that are not finite, and shapes that do not fit

    Notes
    -----
    :Privacy: (ε, δ)-DP under ``replace``, given fair bits.
    :Error: The noise is that of `gaussian` for a move of κ r/Λ, κ = 2 + 1/1024; the ridge pulls θ
        towards 0 besides.
    :Cost: That of `fit_model`.
    :References: Proposition *A ridge holds the minimiser* on the page *How far can one record
        pull?* (prop-ridge).

    Examples
    --------
    >>> from dplib.glm import ROBUST, Box
    >>> people = Box([(-1, 1)])
    >>> x = np.tile([-1.0, 1.0], 5000)
    >>> theta = release_with_ridge(x[:, None], 1 + 2 * x, loss=ROBUST, domain=people, ridge=100,
    ...                            epsilon=1, delta=1e-6, rng=np.random.default_rng(1))
    >>> people.coefficients(theta).round(1)
    array([0.9, 2. ])
    """
    epsilon, delta = _checks.parameter("epsilon", epsilon), _checks.parameter("delta", delta)
    ridge = _checks.real("ridge", ridge, at_least=domain.reach**2 / 512)
    _checks.generator(rng)
    noise = _grid.normal_noise(sensitivity=(2 + CHARGED) * domain.reach / ridge, epsilon=epsilon,
                               delta=delta, entries=domain.dimension)
    fit = fit_model(X, y, loss=loss, domain=domain, changes=0, ridge=ridge)
    return noisy_coefficients(fit, noise, rng)


def noisy_coefficients(fit, noise, rng):
    """θ with noise in each entry, in exact arithmetic."""
    return np.array([noise.added_to_fraction(fit.along(u), rng) for u in np.eye(fit.theta.size)])


def objective_perturbation_scales(
        *, radius: Real, largest_curvature: Real, epsilon: Real, delta: Real,
        split: Real) -> tuple[float, float]:
    """The ridge and the noise with which a tilted objective has a private minimiser.

    Parameters
    ----------
    epsilon, delta : float > 0, δ < 1
    split : float in (0, 1), the share of ε for what the tilt does to a volume; it decides the ridge
    radius : float > 0, r
    largest_curvature : float > 0, sup h''

    Returns
    -------
    (float, float)
        Λ = r² sup h''/(e^(split ε) - 1), and the standard deviation of each entry of b

    Notes
    -----
    :Privacy: The minimiser of Σ h(xᵀθ, y) + Λ/2 |θ|² + bᵀθ, b Gaussian, is then (ε, δ)-DP under
        ``replace``.
    :Error: The standard deviation is the least that the proof allows, rounded up: by 1e-10 where
        one pair of corners decides, which is so for small δ, and by less than 1% else.
    :References: Theorem *A tilted objective* on the page *How far can one record pull?*
        (thm-objective-perturbation).

    Examples
    --------
    >>> ridge, sd = objective_perturbation_scales(epsilon=1, delta=1e-6, split=0.5,
    ...                                           radius=5**0.5, largest_curvature=1/2)
    >>> print(f"{ridge:.6f} {sd:.4f}")
    3.853735 37.3348
    """
    split = _checks.parameter("split", split)
    radius = _checks.real("radius", radius, above=0)
    largest = _checks.real("largest_curvature", largest_curvature, above=0)
    epsilon, delta = _checks.parameter("epsilon", epsilon), _checks.parameter("delta", delta)
    with np.errstate(over="ignore"):
        ridge = radius**2 * largest / np.expm1(split * epsilon)
    return float(ridge), radius * _tilt((1 - split) * epsilon, delta)


@lru_cache(maxsize=256)
def _tilt(epsilon, delta):
    """The standard deviation for gradients of length 1: four possible differences, ±a and ±c long,
    a² + c² = 4."""
    angles = np.linspace(0, np.pi / 4, ARCS + 1)
    longer, shorter = 2 * np.cos(angles[:-1]), 2 * np.sin(angles[1:])  # the largest on each arc

    def spent(sd):
        given = dict(sigma=sd, epsilon=epsilon)
        of_longer = mechanisms.gaussian_delta(sensitivity=longer, **given)
        return max(2 * of_longer + 2 * mechanisms.gaussian_delta(sensitivity=shorter, **given))

    low, high = 0.5, 1.0
    while spent(high) > delta:
        low, high = high, 2 * high
    while spent(low) <= delta:
        low, high = low / 2, low
    while high > low * (1 + 1e-10):
        middle = np.sqrt(low * high)
        low, high = (low, middle) if spent(middle) <= delta else (middle, high)
    return float(high)


def objective_perturbation_idealized(
        X: ArrayLike, y: ArrayLike, *, domain: Domain, loss: Loss, epsilon: Real, delta: Real,
        split: Real, rng: Generator) -> NDArray[np.float64]:
    """NOT PRIVATE on a computer: minimise an objective that is tilted at random.

    Parameters
    ----------
    X, y, domain, loss
        As in `fit_model`.
    epsilon, delta, split
        As in `objective_perturbation_scales`.
    rng : numpy.random.Generator

    Returns
    -------
    float64, shape (d,), θ

    Raises
    ------
    ValueError
        As `release_with_ridge`.

    Notes
    -----
    :Privacy: (ε, δ)-DP under ``replace``, of the exact minimiser in exact arithmetic. Whoever sees
        the computed one can try which data have their gradient there at a tilt that the generator
        can draw; and no noise hides by how much the search was off.
    :Error: With many records about N(0, sd² H⁻²) around the fit with ridge Λ, of
        `objective_perturbation_scales`.
    :Cost: That of `fit_model`.
    :References: Theorem *A tilted objective* on the page *How far can one record pull?*
        (thm-objective-perturbation); Chaudhuri, Monteleoni and Sarwate (2011); Kifer, Smith and
        Thakurta (2012).

    Examples
    --------
    >>> from dplib.glm import ROBUST, Box
    >>> people = Box([(-1, 1)])
    >>> x = np.tile([-1.0, 1.0], 5000)
    >>> theta = objective_perturbation_idealized(
    ...     x[:, None], 1 + 2 * x, loss=ROBUST, domain=people, epsilon=1, delta=1e-6, split=0.5,
    ...     rng=np.random.default_rng(1))
    >>> people.coefficients(theta).round(2)
    array([1., 2.])
    """
    ridge, sd = objective_perturbation_scales(
        epsilon=epsilon, delta=delta, split=split, radius=domain.reach,
        largest_curvature=loss.largest_curvature)
    loss.read(y, len(domain.design(X)))  # what is wrong with them is said before anything is drawn
    tilt = _checks.generator(rng).normal(scale=sd, size=domain.dimension)
    ridge = max(ridge, domain.reach**2 / 512)  # private as well, and the search never stops early
    return fit_model(X, y, loss=loss, domain=domain, changes=0, ridge=ridge, tilt=tilt).theta


def release_by_noisy_gradients(
        X: ArrayLike, y: ArrayLike, *, domain: Domain, loss: Loss, iterations: Integer,
        epsilon: Real, delta: Real, step: Real, rng: Generator) -> NDArray[np.float64]:
    """Go down the slope of the mean loss in a public number of noisy steps.

    Parameters
    ----------
    X, y, domain, loss
        As in `fit_model`.
    iterations : int ≥ 1, public, how many steps, T
    step : float > 0, public, the step: θ moves by so many times the noisy mean of the gradients
    epsilon, delta : float > 0, δ < 1
    rng : numpy.random.Generator

    Returns
    -------
    float64, shape (d,), the mean of the last ⌈T/2⌉ points

    Raises
    ------
    ValueError
        As `release_with_ridge`.

    Notes
    -----
    :Privacy: (ε, δ)-DP under ``replace``, for all points together, given fair bits; what rounding
        adds to a sum of gradients is bounded and paid for.
    :Error: Each sum of gradients has the noise of `gaussian` for a sensitivity of 2r√T. Where T
        steps do not reach is another matter.
    :Cost: O(n d T).
    :References: Proposition *Noisy gradients* on the page *How far can one record pull?*
        (prop-noisy-gradient).

    Examples
    --------
    >>> from dplib.glm import ROBUST, Box
    >>> people = Box([(-1, 1)])
    >>> x = np.tile([-1.0, 1.0], 5000)
    >>> theta = release_by_noisy_gradients(
    ...     x[:, None], 1 + 2 * x, loss=ROBUST, domain=people, iterations=60, step=1, epsilon=1,
    ...     delta=1e-6, rng=np.random.default_rng(1))
    >>> people.coefficients(theta).round(2)
    array([1., 2.])
    """
    iterations = _checks.integer("iterations", iterations, at_least=1, at_most=2**20)
    step = _checks.real("step", step, above=0, at_most=2**20)
    epsilon, delta = _checks.parameter("epsilon", epsilon), _checks.parameter("delta", delta)
    _checks.generator(rng)
    design = domain.design(X)
    y = loss.read(y, len(design))
    noise = _grid.normal_noise(
        sensitivity=2 * domain.reach * np.sqrt(iterations), epsilon=epsilon, delta=delta,
        entries=iterations * domain.dimension, error=ROUNDOFF * ADDED * len(design))

    def gradient(theta):
        return noise.added_to(sums(loss.slope(design @ theta, y)[:, None], design)[0], rng)

    return descended(gradient, domain.dimension, iterations, step / max(len(design), 1))


def oracle(
        X: ArrayLike, y: ArrayLike, *, move: Move, domain: Domain, loss: Loss, epsilon: Real,
        rng: Generator) -> float:
    """NOT PRIVATE: what one coefficient would cost if the scale of its noise might be read off the
    data.

    Parameters
    ----------
    X, y, move, domain, loss
        As in `release_coefficient`.
    epsilon : float > 0, of noise that would be enough if all neighbours had the same curvature
    rng : numpy.random.Generator

    Returns
    -------
    float, uᵀθ plus Laplace noise of scale Δ_u/ε, Δ_u = 2σ(H⁻¹u), or none if H is singular

    Notes
    -----
    :Privacy: None. The scale tells of the data, and the fit may run away. It is drawn in figures,
        as what nobody can reach.
    :References: The page *How far can one record pull?*

    Examples
    --------
    >>> from dplib.glm import ROBUST, Box
    >>> x = np.tile([-1.0, 1.0], 5000)
    >>> answer = oracle(x[:, None], 1 + 2 * x, move=([0], [1]), loss=ROBUST, domain=Box([(-1, 1)]),
    ...                 epsilon=1, rng=np.random.default_rng(1))
    >>> print(round(answer, 4))
    2.0
    """
    epsilon = _checks.parameter("epsilon", epsilon)
    u = direction(move, domain)
    _checks.generator(rng)
    fit = fit_model(X, y, loss=loss, domain=domain)
    answer, scale = u @ fit.theta, 2 * domain.width(fit.inverse(u)) / epsilon
    if scale > 0:
        answer = mechanisms.laplace_idealized(answer, scale=scale, rng=rng)
    return float(answer)
