"""The releases first published for fitted models, to compare with `release_coefficient` and
`release_vector`.

Symbols
-------
H, λ, R
    The curvature at the fit, a sum over n records; λ the smallest eigenvalue of H/n; R the largest
    length of a record. All in the coordinates of the domain, on whose units eigenvalues depend.
u, v
    The direction that is asked, and √(uᵀH⁻¹u).
t, σ
    A bound of how far the fit moves, and the noise multiplier.

One record replaced. What the source states without constants is here with constants that are
proved.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np
from scipy.special import ndtri

from dplib import _checks, _grid
from dplib.aggregation import Refusal
from dplib.glm.certificates import certify_below
from dplib.glm.compared.baselines import noisy_coefficients
from dplib.glm.compared.eigenvalues import eigenvalue_ratio_constants, shift_generic, shift_source
from dplib.glm.compared.mismatch import gaussian_noise_multiplier
from dplib.glm.compared.recursions import (
    certify_by_recursion, certify_largest_eigenvalue, generic_levels, source_levels)
from dplib.glm.domains import Ball, Domain
from dplib.glm.fits import CHARGED, fit_model
from dplib.glm.losses import Loss
from dplib.glm.stability import mahalanobis_constants, prediction_shift
from dplib.glm.terms import HALF, Budget, Terms, direction
from dplib._types import ArrayLike, Generator, Move, Real
from dplib.glm.vectors import VectorRelease
from dplib.mechanisms import gaussian_sigma

FORMS, CHECKS = ("sharp", "source", "generic"), ("exact", "simple")
KAPPA = 2 + CHARGED
THIRD = {"logistic": 6 * 3**0.5, "robust": 3 * 3**0.5}  # 1/sup |h'''|, where known below sup h''
USEFUL_NOISE_OF_A_NUMBER = 2  # at most so many times what a scale that does not differ would need


def release_with_isotropic_noise(
        X: ArrayLike, y: ArrayLike, *, domain: Domain, loss: Loss,
        form: Literal["sharp", "source", "generic"], epsilon: Real, delta: Real, split: Real,
        rng: Generator) -> VectorRelease | Refusal:
    """Release all coefficients of a fitted model, with the same noise in all directions.

    Parameters
    ----------
    X, y, domain, loss, epsilon, delta, split, rng
        As in `release_vector`; half of δ pays for the certificate.
    form : {"sharp", "source", "generic"}
        Which certificate, and which bound of the move: `certify_below` and `prediction_shift` on
        the ball of radius R; `source_levels` and `shift_source`; or `generic_levels` and
        `shift_generic`, which use the Lipschitz constants of the loss alone.

    Returns
    -------
    VectorRelease or Refusal

    Raises
    ------
    ValueError
        As `release_coefficient`.

    Notes
    -----
    :Privacy: (ε, δ)-DP for one record replaced, n public, given fair bits. With ``source`` and
        ``generic`` the fit is taken as exact.
    :Error: Gaussian noise of standard deviation tσ in each coordinate of the domain, t a bound at
        the certificate, about 2R/(nλ), σ the `gaussian_sigma` of what is left. Refused where t is
        infinite.
    :Cost: That of `fit_model`; of a table of 2¹⁵ levels with ``source`` and ``generic``.
    :References: Proposition *The same noise in every direction* on the page *Noise that fits*
        (prop-same-noise); Asi, Duchi and Talwar, arXiv 2503.17252, their algorithms 3 and 7; the
        constants here are proved, not theirs.

    Examples
    --------
    >>> from dplib.glm import ROBUST, Box
    >>> rng = np.random.default_rng(1)
    >>> X = rng.choice([-1, 1], size=(20_000, 3))
    >>> y = X @ [1, 2, 0] + rng.normal(size=20_000)
    >>> domain = Box([(-1, 1)] * 3, intercept=False)
    >>> for form in ("sharp", "source", "generic"):
    ...     noisy = release_with_isotropic_noise(X, y, domain=domain, loss=ROBUST, form=form,
    ...                                          epsilon=1, delta=1e-6, split=0.25, rng=rng)
    ...     print(f"{noisy.certificate:.0f} {noisy.prediction_noise:.4f}")
    2610 0.0044
    2557 0.0045
    2533 0.0045
    """
    _checks.choice("form", form, FORMS)
    terms = Terms.checked(epsilon=epsilon, delta=delta, split=split, delta_split=HALF,
                          rows_per_unit=1, rng=rng)
    fit = fit_model(X, y, loss=loss, domain=domain, changes=2)
    nu, shift = _isotropic_shift(fit, len(X), domain.reach, loss, form, terms, rng)
    if not np.isfinite(shift):
        return _refusal(terms)
    epsilon, delta = terms.for_noise
    noise = _grid.normal_noise(sensitivity=float(shift), epsilon=epsilon, delta=delta,
                               entries=fit.theta.size)
    coefficients = domain.coefficients(noisy_coefficients(fit, noise, rng))
    of_a_prediction = float(domain.reach * noise.scale)
    return VectorRelease(coefficients, f"isotropic noise, {form}", float(nu), of_a_prediction, None,
                         *terms.budget)


def _isotropic_shift(fit, size, radius, loss, form, terms, rng):
    """A certificate of nλ/R², and the bound of ‖θ - θ'‖₂ that it allows."""
    paid = dict(**terms.for_certificate.named(), rng=rng)
    if form == "sharp":
        nu = certify_below(_in_the_ball(fit, radius), sensitivity=KAPPA, **paid)
        return nu, prediction_shift(nu=nu, changes=KAPPA) / radius
    highest = loss.largest_curvature
    lipschitz = (radius, highest * radius**2, radius**3 / THIRD.get(loss.name, 1 / highest))
    levels = _levels(form, radius, highest, lipschitz, size)
    exact = _in_the_ball(fit, radius) * radius**2 / size
    eigenvalue = certify_by_recursion(exact, levels=levels, noise="discrete_laplace", **paid)
    if form == "source":
        shift = shift_source(eigenvalue=eigenvalue, radius=radius, size=size)
    else:
        shift = shift_generic(eigenvalue=eigenvalue, lipschitz=lipschitz, size=size)
    nu = size * eigenvalue / radius**2
    return nu, shift if nu > KAPPA else np.inf  # at most κ it may stand for a smaller eigenvalue


@lru_cache(maxsize=64)
def _levels(form, radius, largest_curvature, lipschitz, size):
    """A table that public numbers decide."""
    if form == "source":
        return source_levels(radius=radius, largest_curvature=largest_curvature, size=size)
    return generic_levels(lipschitz=lipschitz, size=size)


def release_with_condition_number(
        X: ArrayLike, y: ArrayLike, *, move: Move, domain: Domain, loss: Loss,
        check: Literal["exact", "simple"], epsilon: Real, delta: Real, split: Real,
        rng: Generator) -> float | Refusal:
    """Release what one coefficient of a fitted model says, with noise of a scale that is bounded
    through the condition number.

    Parameters
    ----------
    X, y, move, domain, loss, epsilon, delta, rng
        As in `release_coefficient`, with no columns of a category; a quarter of δ pays for each of
        two certificates.
    check : {"exact", "simple"}
        How much the ratio of scales of neighbours may cost: by `gaussian_noise_multiplier`, or by a
        closed form for which shift and ratio are paid one after the other.
    split : float in (0, 1), the share of ε for the two certificates, half of it for each

    Returns
    -------
    float or Refusal

    Raises
    ------
    ValueError
        As `release_coefficient`; for a domain with ``one_hot``.

    Notes
    -----
    :Privacy: (ε, δ)-DP for one record replaced, n public, given fair bits. The fit is taken as
        exact. The scale of the noise depends on the data and is not published.
    :Error: Gaussian noise of standard deviation σ τ Δ_u, Δ_u = 2 σ(H⁻¹u) for the σ(z) of the
        domain, τ from `eigenvalue_ratio_constants`. Refused with ``exact`` where σ is above twice
        the one of scales that agree, with ``simple`` where the closed form fails.
    :Cost: That of `fit_model`.
    :References: Proposition *One coefficient through the condition number* on the page *Noise that
        fits* (prop-condition-number); Asi, Duchi and Talwar, arXiv 2503.17252, their algorithm 5;
        the constants here are proved, not theirs.

    Examples
    --------
    >>> from dplib.glm import ROBUST, Box
    >>> rng = np.random.default_rng(1)
    >>> X = rng.choice([-1, 1], size=(20_000, 3))
    >>> y = X @ [1, 2, 0] + rng.normal(size=20_000)
    >>> effect = release_with_condition_number(
    ...     X, y, move=([0, 0, 0], [1, 0, 0]), domain=Box([(-1, 1)] * 3, intercept=False),
    ...     loss=ROBUST, check="exact", epsilon=1, delta=1e-6, split=0.5, rng=rng)
    >>> print(f"{effect:.2f}")
    1.00
    """
    _checks.choice("check", check, CHECKS)
    if getattr(domain, "one_hot", ()):
        raise ValueError(f"domain must have no one_hot columns here, got {domain.one_hot}")
    u = direction(move, domain)
    terms = Terms.checked(epsilon=epsilon, delta=delta, split=split, delta_split=HALF,
                          rows_per_unit=1, rng=rng)
    fit = fit_model(X, y, loss=loss, domain=domain, changes=2)
    bounds = _both_eigenvalues(fit, len(X), domain, loss, terms, rng)
    constants = eigenvalue_ratio_constants(
        **bounds, radius=domain.reach, aspect=1 if isinstance(domain, Ball) else domain.reach,
        largest_curvature=loss.largest_curvature, size=len(X))
    sigma = _checked_multiplier(constants, check, terms)
    if not np.isfinite(sigma * constants.factor):
        return _refusal(terms)
    local = 2 * domain.width(fit.inverse(u))  # where σ(H⁻¹u) is at most 2R²/(nλ)
    most = 4 * domain.reach**2 / (len(X) * bounds["smallest_eigenvalue"])
    return _noisy(fit, u, local, constants.factor * sigma, most, rng)


def _both_eigenvalues(fit, size, domain, loss, terms, rng):
    """Certificates of the smallest and of the largest eigenvalue of H/n."""
    for_smallest, for_largest = terms.for_certificate.halved()
    nu = certify_below(_in_the_ball(fit, domain.reach), sensitivity=KAPPA,
                       **for_smallest.named(), rng=rng)
    smallest = 0.0
    if nu > KAPPA:  # below it the fit may not be at its minimum
        smallest = nu * domain.reach**2 / size
    largest = certify_largest_eigenvalue(
        np.linalg.eigvalsh(fit.hessian)[-1] / size, smallest_eigenvalue=smallest,
        radius=domain.reach, largest_curvature=loss.largest_curvature, size=size,
        **for_largest.named(), rng=rng)
    return dict(smallest_eigenvalue=smallest, largest_eigenvalue=max(smallest, largest))


def _checked_multiplier(constants, check, terms):
    """σ, infinite where the scales of neighbours may differ too much."""
    up, down = constants.up, constants.down
    if check == "exact":
        return _bounded_multiplier(up, down, terms.for_noise)
    for_shift, for_ratio = Budget(*_grid.for_secret(*terms.for_noise)).halved()
    quantile = -ndtri(for_ratio.delta / 2 * np.exp(-for_shift.epsilon))  # δ times e^ε of the shift
    enough = quantile >= 1 and max(up, down) ** 2 - 1 <= 2 * for_ratio.epsilon / quantile**2
    return gaussian_sigma(sensitivity=1, **for_shift.named()) if enough else np.inf


def release_with_mahalanobis_scale(
        X: ArrayLike, y: ArrayLike, *, move: Move, domain: Domain, loss: Loss, epsilon: Real,
        delta: Real, split: Real, rng: Generator) -> float | Refusal:
    """Release what one coefficient of a fitted model says, with noise in units of v.

    Parameters
    ----------
    X, y, move, domain, loss, epsilon, delta, split, rng
        As in `release_coefficient`; half of δ pays for the certificate.

    Returns
    -------
    float or Refusal

    Raises
    ------
    ValueError
        As `release_coefficient`.

    Notes
    -----
    :Privacy: (ε, δ)-DP as in `release_with_public_scale`, for one record replaced. The scale of the
        noise depends on the data and is not published.
    :Error: Gaussian noise of standard deviation σ v s √ν̂, σ from `gaussian_noise_multiplier` with
        `mahalanobis_constants`. Refused where σ is above twice the one of scales that agree.
    :Cost: That of `fit_model`.
    :References: Section *The releases first published* on the page *Noise that fits*. The noise is
        that of `release_vector` in one direction, with another σ, which is mostly smaller.

    Examples
    --------
    >>> from dplib.glm import ROBUST, Box
    >>> rng = np.random.default_rng(1)
    >>> X = rng.choice([-1, 1], size=(20_000, 3))
    >>> y = X @ [1, 2, 0] + rng.normal(size=20_000)
    >>> effect = release_with_mahalanobis_scale(
    ...     X, y, move=([0, 0, 0], [1, 0, 0]), domain=Box([(-1, 1)] * 3, intercept=False),
    ...     loss=ROBUST, epsilon=1, delta=1e-6, split=0.25, rng=rng)
    >>> print(f"{effect:.2f}")
    1.00
    """
    u = direction(move, domain)
    terms = Terms.checked(epsilon=epsilon, delta=delta, split=split, delta_split=HALF,
                          rows_per_unit=1, rng=rng)
    certified = terms.certify(X, y, None, domain, loss, rng)
    constants = mahalanobis_constants(nu=certified.nu, changes=certified.kappa, added=1, removed=1,
                                      largest_curvature=loss.largest_curvature)
    off = 1 + certified.slack  # of a computed v²
    sigma = _bounded_multiplier(constants.up * off, constants.down * off, terms.for_noise)
    if not np.isfinite(sigma):
        return _refusal(terms)
    length = np.linalg.norm(certified.fit.factor.T @ u)
    known, most = constants.length * off * sigma, 2 / certified.nu**0.5
    return _noisy(certified.fit, u, length, known, most, rng)


def _refusal(terms):
    budget = terms.budget
    return Refusal(f"At ε = {budget.epsilon:g}, δ = {budget.delta:g} and split = {terms.split:g} "
                   "the certificate of the curvature was too low. More records, fewer "
                   "covariates, or a larger ε would help.")


def _in_the_ball(fit, radius):
    """max(nλ/R², κ): to the ball of radius R what max(ν, κ) is to the domain. Steps of a recursion
    may be counted from there, too, if a certificate of at most κ is refused."""
    return max(float(np.linalg.eigvalsh(fit.hessian)[0]) / radius**2, KAPPA)


def _bounded_multiplier(up, down, for_noise):
    if not np.isfinite([up, down]).all():
        return np.inf
    epsilon, delta = _grid.for_secret(*for_noise)
    sigma = gaussian_noise_multiplier(up=up, down=down, epsilon=epsilon, delta=delta)
    of_one_scale = gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=delta)
    return sigma if sigma <= USEFUL_NOISE_OF_A_NUMBER * of_one_scale else np.inf


def _noisy(fit, u, secret, known, most, rng):
    """uᵀθ with Gaussian noise of standard deviation secret · known, where the secret is at most
    ``most``."""
    grid, scale = _grid.grid_step(float(most * known)), [[float(secret * known)]]
    return float(_grid.rounded("normal", [fit.along(u)], scale, grid=grid, rng=rng)[0])
