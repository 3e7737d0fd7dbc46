"""How far the fit of a generalised linear model moves when a few records change: numbers only, no
data.

Symbols
-------
H, ν
    H = Σ h'' x xᵀ, the curvature at the fit, a sum over the records; ν = 1/sup xᵀH⁻¹x over the
    domain of x, 0 if H is singular.
k
    How many records are added or removed. One record replaced is 2. Where the fits are computed
    until the gradient is at most ρ in the dual norm of the domain, k + 2ρ takes the place of k.
Δ, s
    The move θ' - θ of the fit; s = -ln(1 - k/ν) bounds |xᵀΔ| over the domain.
σ(z), Δ_u
    sup |xᵀz| over the domain; Δ_u = k σ(H⁻¹u), how far uᵀθ moves to first order.

Every loss has |h'| + h'' ≤ 1 and |h'''| ≤ h'', as the logistic and the robust one. What is bounded
falls in ν, so a lower bound of ν, which may be published, can take its place; and nothing is
bounded, which is ``inf``, where ν is too small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dplib import _checks
from dplib._types import Floats, Reals


@dataclass(frozen=True)
class DirectionConstants:
    """How uᵀθ and its sensitivity Δ_u move, for every direction u.

    Attributes
    ----------
    shift : float64, s; no prediction xᵀθ moves farther
    factor : float64, τ; |uᵀΔ| ≤ τ Δ_u
    up, down : float64,
        Δ_u grows at most by the factor ``up`` and shrinks at most by the factor ``down`` between
        neighbours"""

    shift: Floats
    factor: Floats
    up: Floats
    down: Floats


@dataclass(frozen=True)
class MahalanobisConstants:
    """How uᵀθ and v = √(uᵀH⁻¹u) move, for every direction u.

    Attributes
    ----------
    length : float64, √(ΔᵀHΔ) is at most this; |uᵀΔ| ≤ ``length`` v
    up, down : float64,
        v grows at most by the factor ``up`` and shrinks at most by the factor ``down`` between
        neighbours"""

    length: Floats
    up: Floats
    down: Floats


@dataclass(frozen=True)
class VectorConstants:
    """How θ and H move together, in the coordinates in which H is the identity.

    Attributes
    ----------
    length : float64, √(ΔᵀHΔ) is at most this
    operator, frobenius : float64, bounds of these norms of H^(-1/2) H' H^(-1/2) - I"""

    length: Floats
    operator: Floats
    frobenius: Floats


def prediction_shift(*, nu: Reals, changes: Reals) -> Floats:
    """How far any prediction of a fitted model moves.

    Parameters
    ----------
    nu : float ≥ 0 or array_like, the curvature ν in the weakest corner of the domain,
        or a lower bound of it
    changes : float ≥ 0 or array_like, how many records k come or go; one record replaced is 2

    Returns
    -------
    float64, the broadcast shape, s = -ln(1 - k/ν), infinite where ν ≤ k

    Notes
    -----
    :Privacy: If ν is a lower bound for one of two data sets and above k, the other one has exactly
        one fit, and |xᵀ(θ - θ')| ≤ s for every x of the domain. Of ν ≤ k nothing follows. And |ν -
        ν'| ≤ k always, of two curvatures. No data are used here.
    :Error: Rounding of relative order 1e-16; attained in the limit by many people in two places far
        apart.
    :References: The page *How far can one record pull?*

    Examples
    --------
    >>> prediction_shift(nu=[1, 3, 4, 400], changes=2).round(4)
    array([   inf, 1.0986, 0.6931, 0.005 ])
    """
    nu, changes = _curvature(nu), _changes("changes", changes)
    left = np.where(nu > changes, nu - changes, 1)  # exact where it is small
    share = np.where(nu > changes, changes, 0) / np.where(nu > changes, nu, 1)
    far = np.log(np.where(nu > changes, nu, 1) / left)
    s = np.where(share < 0.5, -np.log1p(-np.minimum(share, 0.5)), far)
    return np.where(nu > changes, s, np.inf)[()]


def direction_constants(*, nu: Reals, changes: Reals,
                        largest_curvature: Reals) -> DirectionConstants:
    """How far one coefficient moves, and how much its sensitivity changes, in units of that
    sensitivity.

    Parameters
    ----------
    nu, changes
        As in `prediction_shift`.
    largest_curvature : float > 0 or array_like, sup h'',
        1/4 for the logistic loss and 1/2 for the robust one

    Returns
    -------
    DirectionConstants
        With β = e^s - 1 and η = k sup h'' e^s/ν: s; τ = 1/(2 - β/s); up = 1/((1 - β)(1 - η)); down
        = (1 + β)(1 + η); infinite where β ≥ 2s, where β ≥ 1 or η ≥ 1, and all four where ν ≤ k.

    Notes
    -----
    :Privacy: The bounds hold for every pair of data sets k changes apart, one of which has this ν
        or a larger one, as seen from there: Δ_u' ≤ up Δ_u, Δ_u ≤ down Δ_u'. No data are used here.
    :Error: Rounding of relative order 1e-16. For large ν: τ - 1 ≈ s/2, up and down ≈ 1 + (1 + sup
        h'') s.
    :References: The page *Noise that fits*.

    Examples
    --------
    >>> constants = direction_constants(nu=400, changes=2, largest_curvature=1/2)
    >>> print(f"{constants.factor:.5f} {constants.up:.5f} {constants.down:.5f}")
    1.00252 1.00758 1.00755
    """
    s = prediction_shift(nu=nu, changes=changes)
    s, beta, eta = _growth(s, nu, changes, largest_curvature)
    with np.errstate(invalid="ignore", divide="ignore"):  # of a branch that np.where drops
        mean = np.where(s > 0, beta / np.where(s > 0, s, 1), 1)
        factor = np.where(mean < 2, 1 / (2 - mean), np.inf)
        up = np.where((beta < 1) & (eta < 1), 1 / ((1 - beta) * (1 - eta)), np.inf)
    return DirectionConstants(s, factor[()], up[()], (1 + beta) * (1 + eta))


def mahalanobis_constants(*, nu: Reals, changes: Reals, added: Reals,
                          removed: Reals, largest_curvature: Reals) -> MahalanobisConstants:
    """How far one coefficient moves in units of √(uᵀH⁻¹u), and how much these change.

    Parameters
    ----------
    nu, changes
        As in `prediction_shift`.
    added, removed : int ≥ 0 or array_like, how many records come and how many go;
        at most ``changes`` together
    largest_curvature
        As in `direction_constants`.

    Returns
    -------
    MahalanobisConstants
        length = s √ν; with c = sup h''/ν: up = (e^-s - removed c)^(-1/2), down = (e^s + added
        c)^(1/2); infinite where ν ≤ k, and up where e^-s ≤ removed c.

    Notes
    -----
    :Privacy: As for `direction_constants`: e^-s H - removed sup h'' xxᵀ ≼ H' ≼ e^s H + added sup
        h'' xxᵀ.
    :Error: Rounding of relative order 1e-16.
    :References: The page *Noise that fits*.

    Examples
    --------
    >>> constants = mahalanobis_constants(nu=400, changes=2, added=1, removed=1,
    ...                                   largest_curvature=1/2)
    >>> print(f"{constants.length:.5f} {constants.up:.5f} {constants.down:.5f}")
    0.10025 1.00314 1.00313
    """
    nu, s, added, removed = _exchange(nu, changes, added, removed)
    c = _largest(largest_curvature) / np.maximum(nu, np.finfo(float).tiny)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        left = np.exp(-s) - removed * c
        up = np.where(np.isfinite(s) & (left > 0), np.maximum(left, 0) ** -0.5, np.inf)
        return MahalanobisConstants(_length(s, nu), up[()], np.sqrt(np.exp(s) + added * c))


def vector_constants(*, dimension: Reals, nu: Reals, changes: Reals, added: Reals,
                     removed: Reals, largest_curvature: Reals) -> VectorConstants:
    """How far all coefficients together move, and how much their curvature changes.

    Parameters
    ----------
    dimension : int ≥ 1 or array_like, the number d of coordinates
    nu, changes, added, removed, largest_curvature
        As in `mahalanobis_constants`.

    Returns
    -------
    VectorConstants
        With β = e^s - 1 and c = sup h''/ν: length = s √ν; operator = β + max(added, removed) c;
        frobenius = d^(1/4) β + √(added² + removed²) c; infinite where ν ≤ k.

    Notes
    -----
    :Privacy: As for `direction_constants`. The same β bounds the operator norm of what the move
        does to H; its nuclear norm is at most β √d.
    :Error: Rounding of relative order 1e-16.
    :References: The page *Noise that fits*.

    Examples
    --------
    >>> constants = vector_constants(dimension=5, nu=400, changes=2, added=1, removed=1,
    ...                              largest_curvature=1/2)
    >>> print(f"{constants.length:.5f} {constants.operator:.5f} {constants.frobenius:.5f}")
    0.10025 0.00628 0.00928
    """
    nu, s, added, removed = _exchange(nu, changes, added, removed)
    dimension = _checks.integers("dimension", dimension, at_least=1).astype(np.float64)
    c = _largest(largest_curvature) / np.maximum(nu, np.finfo(float).tiny)
    with np.errstate(over="ignore"):
        beta = np.expm1(s)
    return VectorConstants(_length(s, nu), beta + np.maximum(added, removed) * c,
                           dimension**0.25 * beta + np.hypot(added, removed) * c)


def _curvature(nu):
    return _checks.reals("nu", nu, at_least=0)


def _changes(name, changes):
    return _checks.reals(name, changes, at_least=0)


def _largest(largest_curvature):
    return _checks.reals("largest_curvature", largest_curvature, above=0)


def _growth(s, nu, changes, largest_curvature):
    """(s, β, η), all infinite where s is."""
    with np.errstate(over="ignore"):
        share = np.asarray(changes, dtype=np.float64) / np.maximum(nu, np.finfo(float).tiny)
        eta = _largest(largest_curvature) * share * np.exp(s)
        return s, np.expm1(s), np.where(np.isfinite(s), eta, np.inf)


def _length(s, nu):
    """s √ν, which is s/(1 - e^-s) · k/√ν."""
    return np.where(np.isfinite(s), np.where(np.isfinite(s), s, 0) * np.sqrt(nu), np.inf)[()]


def _exchange(nu, changes, added, removed):
    """The checked arguments, and s."""
    added, removed = _changes("added", added), _changes("removed", removed)
    changes = _changes("changes", changes)
    if np.any(added + removed > changes):
        raise ValueError(f"changes must be at least added + removed, {np.max(added + removed):g}, "
                         f"got {np.min(changes):g}")
    nu = _curvature(nu)
    return nu, prediction_shift(nu=nu, changes=changes), added, removed
