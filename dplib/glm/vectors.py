"""Release all coefficients of a fitted model at once: Gaussian noise with the shape of the curvature.

Symbols
-------
d
    The number of coefficients.
c
    The noise is c H^(-1/2) Z, Z standard normal in d dimensions: short where the data say much, long where they say little.
E
    H^(-1/2) H' H^(-1/2) - I, how a neighbour's curvature differs; ‖E‖ and ‖E‖_F are bounded by `vector_constants`.
σ
    c in units of √(ΔᵀHΔ), Δ the move of the fit, which is at most s √ν̂.
ε₃, δ₃
    What is left for the noise after the certificate.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from dplib import _grid
from dplib.glm.scales import vector_noise_multiplier
from dplib.glm.stability import prediction_shift, vector_constants
from dplib.glm.terms import Terms
from dplib.mechanisms import gaussian_sigma

MOST_NOISE = 4  # times what a neighbour of the same curvature would need: from there on it is refused


@dataclass(frozen=True, eq=False)
class VectorRelease:
    """All coefficients of a model. All of its fields may be published.

    Attributes
    ----------
    coefficients : float64, shape (d,), for X as it was measured, the intercept first where there is one
    mechanism : str, "shaped noise"
    certificate : float, ν̂
    prediction_noise : float, σs, a bound on the standard deviation of the noise in xᵀθ, for every x of the domain
    sampling_variance : float or None, a bound on the squared standard error of xᵀθ, for every x of the domain; None where there is none
    epsilon, delta : float, what everything in here costs together
    """

    coefficients: np.ndarray
    mechanism: str
    certificate: float
    prediction_noise: float
    sampling_variance: float | None
    epsilon: float
    delta: float


def release_vector(X, y, *, domain, loss, epsilon, delta, split, rows_per_unit, rng):
    """Release all coefficients of a fitted model, with noise that has the shape of their uncertainty.

    Parameters
    ----------
    X, y, domain, loss, epsilon, delta, split, rows_per_unit, rng
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
    :Privacy: (ε, δ)-DP as in `one_certificate`. The shape of the noise depends on the data and is not published.
    :Error: uᵀθ has Gaussian noise of standard deviation σ s √ν̂ √(uᵀH⁻¹u), σ from `vector_noise_multiplier`; s ≈ 2r/ν̂ for r rows
        per unit. No unit of measurement matters. Refused where σ is above 4 times `gaussian_sigma`, a matter of ν̂ alone.
    :Cost: That of `fit_model`.
    :References: Theorem *All coefficients at once* on the page *Noise that fits* (thm-vector).

    Examples
    --------
    >>> from dplib.glm import ROBUST, Box
    >>> rng = np.random.default_rng(1)
    >>> X = rng.choice([-1, 1], size=(20_000, 5))
    >>> y = 3 + X @ [1, 2, 0, -1, 0.5] + rng.normal(size=20_000)
    >>> answer = release_vector(X, y, domain=Box([(-1, 1)] * 5), loss=ROBUST, epsilon=1, delta=1e-6, split=0.2, rows_per_unit=1,
    ...                         rng=rng)
    >>> answer.coefficients.round(2)
    array([ 3.  ,  1.01,  2.01, -0.01, -1.  ,  0.5 ])
    """
    terms = Terms.checked(epsilon=epsilon, delta=delta, split=split, rows_per_unit=rows_per_unit, rng=rng)
    certified = terms.certify(X, y, domain, loss, terms.delta / 2, rng)
    at = dict(nu=certified.nu, changes=certified.kappa)
    constants = vector_constants(**at, added=terms.rows, removed=terms.rows, largest_curvature=loss.largest_curvature,
                                 dimension=domain.dimension)
    epsilon, delta = _grid.for_secret(terms.left, terms.delta / 2, domain.dimension)
    off = 3 * certified.slack  # of a computed H⁻¹, here and in the neighbour
    sigma = vector_noise_multiplier(operator=constants.operator + off, frobenius=constants.frobenius + off * domain.dimension**0.5,
                                    epsilon=epsilon, delta=delta)
    if sigma > MOST_NOISE * gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=delta):
        return certified.refusal()
    noise = float(sigma * prediction_shift(**at))
    fit, length = certified.fit, sigma * constants.length * (1 + off)
    theta = _grid.rounded("normal", map(fit.along, np.eye(domain.dimension)), length * _root(fit), grid=_grid.grid_step(noise), rng=rng)
    variance = 1 / certified.nu if terms.has_standard_error(loss) else None  # xᵀH⁻¹x is at most 1/ν
    return VectorRelease(domain.coefficients(theta), "shaped noise", certified.nu, noise, variance, terms.epsilon, terms.delta)


def _root(fit):
    """M with M Mᵀ = H⁻¹. Unlike eigenvectors it hardly changes if H hardly does; ν̂ > κ, so H is far from singular."""
    return solve_triangular(np.linalg.cholesky(fit.hessian), np.eye(fit.theta.size), lower=True).T
