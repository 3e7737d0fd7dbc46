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

from dplib import _checks
from dplib.glm.losses import LOGISTIC
from dplib.glm.releases import _certified, _refusal
from dplib.glm.scales import vector_noise_multiplier
from dplib.glm.stability import prediction_shift, vector_constants
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


@dataclass(frozen=True)
class _Terms:
    """The checked public arguments."""

    changes: int
    epsilon: float
    delta: float
    split: float


def release_vector(X, y, *, domain, loss, epsilon, delta, split, rows_per_unit=1, rng):
    """Release all coefficients of a fitted model, with noise that has the shape of their uncertainty.

    Parameters
    ----------
    X : array_like, shape (n, columns), one row for each record
    y : array_like, shape (n,), the outcomes
    domain : Box or Ball, public; records outside are moved into it
    loss : Loss
    epsilon, delta : float > 0, δ < 1/2; half of δ pays for the certificate
    split : float in (0, 1), the share of ε for the certificate
    rows_per_unit : int ≥ 1, how many records of one unit there are at most; the caller sees to it
    rng : numpy.random.Generator

    Returns
    -------
    VectorRelease or Refusal

    Raises
    ------
    ValueError
        As `one_certificate`.

    Notes
    -----
    :Privacy: (ε, δ)-DP for one unit replaced: up to ``rows_per_unit`` records go and as many come. Idealised arithmetic in the
        noise; exact coins in the certificate. The shape of the noise depends on the data and is not published. How long the fit
        takes depends on the data.
    :Error: uᵀθ has Gaussian noise of standard deviation σ s √ν̂ √(uᵀH⁻¹u), σ from `vector_noise_multiplier`; s ≈ 2/ν̂. No unit of
        measurement matters. Refused where σ is above 4 times `gaussian_sigma`, a matter of ν̂ alone.
    :Cost: That of `fit_model`.
    :References: Theorem *All coefficients at once* on the page *Noise that fits* (thm-vector).

    Examples
    --------
    >>> from dplib.glm import ROBUST, Box
    >>> rng = np.random.default_rng(1)
    >>> X = rng.choice([-1, 1], size=(20_000, 5))
    >>> y = 3 + X @ [1, 2, 0, -1, 0.5] + rng.normal(size=20_000)
    >>> release_vector(X, y, domain=Box([(-1, 1)] * 5), loss=ROBUST, epsilon=1, delta=1e-6, split=0.2, rng=rng).coefficients.round(2)
    array([ 2.99,  1.  ,  2.  , -0.  , -1.  ,  0.5 ])
    """
    rows = _checks.integer("rows_per_unit", rows_per_unit, at_least=1, at_most=2**20)
    terms = _Terms(2 * rows, _checks.parameter("epsilon", epsilon), _checks.parameter("delta", delta, below=0.5),
                   _checks.parameter("split", split))
    _checks.generator(rng)
    fit, nu, kappa = _certified(X, y, terms, domain, loss, terms.delta / 2, rng)
    constants = vector_constants(nu=nu, changes=kappa, added=rows, removed=rows, largest_curvature=loss.largest_curvature,
                                 dimension=domain.dimension)
    left = dict(epsilon=(1 - terms.split) * terms.epsilon, delta=terms.delta / 2)
    sigma = vector_noise_multiplier(operator=constants.operator, frobenius=constants.frobenius, **left)
    if sigma > MOST_NOISE * gaussian_sigma(sensitivity=1, **left):
        return _refusal(terms, terms.delta / 2, kappa)
    return _with_shaped_noise(fit, nu, sigma * constants.length, sigma * prediction_shift(nu=nu, changes=kappa), terms, domain, loss, rng)


def _with_shaped_noise(fit, nu, scale, prediction_noise, terms, domain, loss, rng):
    root = np.linalg.cholesky(fit.hessian)  # ν̂ > κ, so H is far from singular; unlike eigenvectors it hardly changes if H hardly does
    noise = solve_triangular(root, rng.standard_normal(domain.dimension), lower=True, trans="T")
    theta = fit.theta + scale * noise
    variance = 1 / nu if loss is LOGISTIC and terms.changes == 2 else None  # xᵀH⁻¹x is at most 1/ν
    return VectorRelease(domain.coefficients(theta), "shaped noise", nu, float(prediction_noise), variance, terms.epsilon, terms.delta)
