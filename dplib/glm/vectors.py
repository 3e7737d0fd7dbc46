"""Release all coefficients of a fitted model at once: Gaussian noise with the shape of the
curvature.

Symbols
-------
d
    The number of coefficients.
c
    The noise is c H^(-1/2) Z, Z standard normal in d dimensions: short where the data say much,
    long where they say little.
E
    H^(-1/2) H' H^(-1/2) - I, how a neighbour's curvature differs; ‖E‖ and ‖E‖_F are bounded by
    `vector_constants`.
σ
    c in units of √(ΔᵀHΔ), Δ the move of the fit, which is at most s √ν̂.
ε₃, δ₃
    What is left for the noise after the certificate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from dplib import _grid
from dplib.aggregation import Refusal
from dplib.glm.domains import Domain
from dplib.glm.losses import Loss
from dplib.glm.scales import vector_noise_multiplier
from dplib.glm.stability import prediction_shift, vector_constants
from dplib.glm.terms import HALF, Terms
from dplib._types import ArrayLike, Generator, Integer, NDArray, Real
from dplib.mechanisms import gaussian_sigma

USEFUL_NOISE_OF_A_VECTOR = 4  # at most so many times what neighbours of one curvature would need


@dataclass(frozen=True, eq=False)
class VectorRelease:
    """All coefficients of a model. All of its fields may be published.

    Attributes
    ----------
    coefficients : float64, shape (d,), for X as it was measured,
        the intercept first where there is one
    mechanism : str, "shaped noise"
    certificate : float, ν̂
    prediction_noise : float, σs, a bound on the standard deviation of the noise in xᵀθ,
        for every x of the domain
    sampling_variance : float or None, a bound on the squared standard error of xᵀθ,
        for every x of the domain; None where there is none
    epsilon, delta : float, what everything in here costs together
    """

    coefficients: NDArray[np.float64]
    mechanism: str
    certificate: float
    prediction_noise: float
    sampling_variance: float | None
    epsilon: float
    delta: float


def release_vector(
        X: ArrayLike, y: ArrayLike, *, weights: ArrayLike | None = None, domain: Domain,
        loss: Loss, epsilon: Real, delta: Real, split: Real, rows_per_unit: Integer,
        rng: Generator) -> VectorRelease | Refusal:
    """Release all coefficients of a fitted model, with noise that has the shape of their
    uncertainty.

    Parameters
    ----------
    X, y, weights, domain, loss, epsilon, delta, split, rows_per_unit, rng
        As in `release_coefficient`; half of δ pays for the certificate.

    Returns
    -------
    VectorRelease or Refusal

    Raises
    ------
    ValueError
        As `release_coefficient`.

    Notes
    -----
    :Privacy: (ε, δ)-DP as in `release_with_public_scale`. The shape of the noise depends on the
        data and is not published.
    :Error: uᵀθ has Gaussian noise of standard deviation σ s √ν̂ √(uᵀH⁻¹u), σ from
        `vector_noise_multiplier`; s ≈ 2r/ν̂ for r rows per unit. No unit of measurement matters.
        Refused where σ is above 4 times `gaussian_sigma`, a matter of ν̂ alone.
    :Cost: That of `fit_model`.
    :References: Theorem *All coefficients at once* on the page *Noise that fits* (thm-vector).

    Examples
    --------
    >>> from dplib.glm import ROBUST, Box
    >>> rng = np.random.default_rng(1)
    >>> X = rng.choice([-1, 1], size=(20_000, 5))
    >>> y = 3 + X @ [1, 2, 0, -1, 0.5] + rng.normal(size=20_000)
    >>> answer = release_vector(X, y, domain=Box([(-1, 1)] * 5), loss=ROBUST, epsilon=1, delta=1e-6,
    ...                         split=0.2, rows_per_unit=1, rng=rng)
    >>> answer.coefficients.round(2)
    array([ 3.  ,  1.01,  2.01, -0.01, -1.  ,  0.5 ])
    """
    terms = Terms.checked(epsilon=epsilon, delta=delta, split=split, delta_split=HALF,
                          rows_per_unit=rows_per_unit, rng=rng)
    certified, d = terms.certify(X, y, weights, domain, loss, rng), domain.dimension
    fit, at = certified.fit, dict(nu=certified.nu, changes=certified.kappa)
    constants = vector_constants(**at, added=terms.rows, removed=terms.rows, dimension=d,
                                 largest_curvature=loss.largest_curvature)
    off = 3 * certified.slack  # of a computed H⁻¹, here and in the neighbour
    operator, frobenius = constants.operator + off, constants.frobenius + off * d**0.5
    epsilon, delta = _grid.for_secret(*terms.for_noise, d)
    sigma = vector_noise_multiplier(operator=operator, frobenius=frobenius,
                                    epsilon=epsilon, delta=delta)
    of_one_curvature = gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=delta)
    if sigma > USEFUL_NOISE_OF_A_VECTOR * of_one_curvature:
        return certified.refusal()
    noise = float(sigma * prediction_shift(**at))
    length = sigma * constants.length * (1 + off)
    theta = _grid.rounded("normal", map(fit.along, np.eye(d)), length * _root(fit),
                          grid=_grid.grid_step(noise), rng=rng)
    variance = None
    if terms.has_standard_error(loss):
        variance = terms.rows / certified.nu  # xᵀH⁻¹x is at most 1/ν
    return VectorRelease(domain.coefficients(theta), "shaped noise", certified.nu, noise, variance,
                         *terms.budget)


def _root(fit):
    """M with M Mᵀ = H⁻¹. Unlike eigenvectors it hardly changes if H hardly does; ν̂ > κ, so H is
    far from singular."""
    root = np.linalg.cholesky(fit.hessian)
    return scipy.linalg.solve_triangular(root, np.eye(fit.theta.size), lower=True).T
