"""How much of ε is left for noise whose scale differs between neighbours: numbers only, no data.

Symbols
-------
up, down
    The scale grows at most by the factor ``up``, and shrinks at most by the factor ``down``, from
    one data set to its neighbour.
"""

from __future__ import annotations

import numpy as np

from dplib import _checks, mechanisms
from dplib._types import Floats, Reals

FOR_THE_SHAPE = 0.1  # of δ: the probability that a change of shape tells more than it may
LEAST_FOR_THE_SHIFT = 1e-10  # less of ε is nothing


def laplace_epsilon(*, up: Reals, down: Reals, epsilon: Reals,
                    delta: Reals) -> Floats:
    """How much of ε is left for the noise, if it is Laplace noise of a scale that differs between
    neighbours.

    Parameters
    ----------
    up, down : float ≥ 1 or array_like, the factors by which the scale grows and shrinks at most
        between neighbours; may be infinite
    epsilon, delta : float > 0 or array_like, δ < 1

    Returns
    -------
    float64, the broadcast shape
        ε' = min(ζ(up), ζ(1/down), m), ζ(r) = r (ε - ln r), where m solves δ = c e^(-ζ(1/down)/c)
        cosh(m/c), c = 1 - 1/down; not positive where nothing is private, minus infinity if ``up``
        or ``down`` is infinite or no m solves it.

    Notes
    -----
    :Privacy: Laplace noise of scale b = t/ε' is (ε, δ)-DP, where the answer changes by t at most,
        and b by the factors ``up`` and ``down``. If these come from a published number, ε' does so,
        too.
    :Error: Where m is the least of the three, no larger ε' is possible. Rounding of order 1e-15.
    :References: Lemma *Laplace noise of two scales* on the page *Noise that fits*
        (lem-laplace-scales).

    Examples
    --------
    >>> factors = [1, 1.0076, 1.03, 1.1]
    >>> laplace_epsilon(up=factors, down=factors, epsilon=0.75, delta=5e-7).round(3)
    array([0.75 , 0.685, 0.457,  -inf])
    """
    up, down = factors(up, down)
    epsilon, delta = _checks.parameters("epsilon", epsilon), _checks.parameters("delta", delta)
    finite = np.isfinite(up) & np.isfinite(down)
    up, down = np.where(finite, up, 1), np.where(finite, down, 1)
    grown = up * (epsilon - np.log(up))
    shrunk = (epsilon + np.log(down)) / down
    c = (down - 1) / down
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        log_cosh = shrunk / c + np.log(delta / c)  # of m/c
        tail = shrunk + c * (np.log(delta / c) + np.log1p(np.sqrt(-np.expm1(-2 * log_cosh))))
    tail = np.where(c == 0, shrunk, np.where(log_cosh >= 0, tail, -np.inf))
    left = np.minimum(np.minimum(grown, shrunk), tail)
    return np.where(finite, left, -np.inf)[()]


def vector_noise_multiplier(*, operator: Reals, frobenius: Reals, epsilon: Reals,
                            delta: Reals) -> Floats:
    """A noise multiplier with which Gaussian noise in many dimensions is private, although its
    covariance is that of the data.

    Parameters
    ----------
    operator, frobenius : float ≥ 0 or array_like,
        bounds of these norms of what neighbours differ by; see `vector_constants`
    epsilon, delta : float > 0 or array_like, δ < 1

    Returns
    -------
    float64, the broadcast shape
        σ = (1 + operator) max(σ', 1/√(2ε')), σ' the `gaussian_sigma` of (ε', .9 δ), ε' = ε -
        frobenius √x - operator x - frobenius²/(4(1 - operator)), x = ln(10/δ); infinite where ε' ≤
        1e-10 or operator ≥ 1.

    Notes
    -----
    :Privacy: N(0, I) has at most δ more than e^ε times the probability of N(m, (I + E)⁻¹) of any
        event, if ‖m‖₂ ≤ 1/σ and E has at most these norms. So θ + σ c H^(-1/2) Z is (ε, δ)-DP given
        a published bound that ``operator``, ``frobenius`` and c, a bound of √(ΔᵀHΔ), come from. Of
        the log-likelihood ratio, what is quadratic in the noise exceeds ε - ε' with probability at
        most δ/10; what is linear is that of a shift by (1 + operator)‖m‖₂, or better.
    :Error: Not the smallest σ, but at E = 0 and δ = 1e-6 it is above `gaussian_sigma` by about half
        a percent, for ε from .25 to 4.
    :References: Theorem *All coefficients at once* on the page *Noise that fits* (thm-vector);
        Laurent and Massart, *Adaptive estimation of a quadratic functional by model selection*
        (2000), lemma 1.

    Examples
    --------
    >>> vector_noise_multiplier(operator=[0, 0.003, 0.006], frobenius=[0, 0.005, 0.009],
    ...                         epsilon=0.75, delta=5e-7).round(3)
    array([5.738, 6.317, 6.982])
    """
    operator = _extended("operator", operator, at_least=0)
    frobenius = _extended("frobenius", frobenius, at_least=0)
    epsilon, delta = _checks.parameters("epsilon", epsilon), _checks.parameters("delta", delta)
    small = (operator < 1) & np.isfinite(frobenius)
    operator, frobenius = np.where(small, operator, 0), np.where(small, frobenius, 0)
    x = -np.log(FOR_THE_SHAPE * delta)
    left = epsilon - frobenius * np.sqrt(x) - operator * x - frobenius**2 / (4 * (1 - operator))
    enough = small & (left > LEAST_FOR_THE_SHIFT)
    left = np.where(enough, left, 1)
    for_the_shift = (1 - FOR_THE_SHAPE) * delta
    shifted = mechanisms.gaussian_sigma(sensitivity=1, epsilon=left, delta=for_the_shift)
    return np.where(enough, (1 + operator) * np.maximum(shifted, 1 / np.sqrt(2 * left)), np.inf)[()]


def factors(up, down, at_most=np.inf):
    """``up`` and ``down``, checked."""
    limits = dict(at_least=1, at_most=at_most)
    return _extended("up", up, **limits), _extended("down", down, **limits)


def _extended(name, value, *, at_least, at_most=np.inf):
    """Numbers from a least one on, infinite where nothing is known."""
    array = np.asarray(_checks.numbers(name, value), dtype=np.float64)
    good = (array >= at_least) & (array <= at_most)
    if not good.all():
        limit = f" and at most {at_most:g}" if np.isfinite(at_most) else ""
        raise ValueError(f"{name} must be at least {at_least}{limit}, got {array[~good].flat[0]}")
    return array
