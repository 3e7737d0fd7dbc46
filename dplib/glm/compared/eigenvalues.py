"""How far a fit moves, from the eigenvalues of its curvature: the forms first published, to compare
with `direction_constants`.

Symbols
-------
H, λ
    H = Σ h'' x xᵀ, the curvature at the fit, a sum over n records; λ the smallest eigenvalue of
    H/n, as the source has it.
R
    The largest ℓ₂ norm of x in the domain.

One of n records is replaced, n is public; |h'| ≤ 1 and |h'''| ≤ h''. Unlike ν, eigenvalues depend
on the units of x.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dplib import _checks
from dplib.glm.stability import DirectionConstants, prediction_shift
from dplib._types import Floats, Real, Reals

LINEAR = 1.25  # the source's bound: e^a - 1 ≤ LINEAR a for a ≤ 2/5, where its condition keeps a


def shift_sharp(*, size: Reals, radius: Reals, eigenvalue: Reals) -> Floats:
    """How far a fit moves when one of n records is replaced, from the smallest eigenvalue of its
    curvature.

    Parameters
    ----------
    size : int ≥ 1 or array_like, the number n of records
    radius : float > 0 or array_like, R, the largest ℓ₂ norm of x
    eigenvalue : float ≥ 0 or array_like, the smallest eigenvalue λ of H/n,
        the mean over the records, or a lower bound of it

    Returns
    -------
    float64, the broadcast shape, -ln(1 - 2R²/(nλ))/R, infinite where nλ ≤ 2R²

    Notes
    -----
    :Privacy: ‖θ - θ'‖₂ is at most this under ``replace``; `prediction_shift` on the ball of radius
        R, where ν = nλ/R², divided by R. No data are used here.
    :References: The page *How far can one record pull?*

    Examples
    --------
    >>> print(f"{shift_sharp(size=5000, radius=5**0.5, eigenvalue=0.4):.8f}")
    0.00224168
    """
    eigenvalue, radius, size = _ball(eigenvalue, radius, size)
    return prediction_shift(nu=size * eigenvalue / radius**2, changes=2.0) / radius


def shift_source(*, size: Reals, radius: Reals, eigenvalue: Reals) -> Floats:
    """`shift_sharp` as first published, from a linear bound of the change of curvature.

    Parameters
    ----------
    size, radius, eigenvalue
        As in `shift_sharp`.

    Returns
    -------
    float64, the broadcast shape, (1 - √(1 - 10R²/(nλ)))/(2.5 R), infinite where nλ < 10R²

    Notes
    -----
    :Privacy: As for `shift_sharp`, which is never larger. It rests on e^a - 1 ≤ 5a/4 for a ≤ 2/5.
    :References: Asi, Duchi and Talwar, arXiv 2503.17252, their equation 9; the constants here are
        proved, not theirs.

    Examples
    --------
    >>> print(f"{shift_source(size=5000, radius=5**0.5, eigenvalue=0.4):.8f}")
    0.00225022
    """
    eigenvalue, radius, size = _ball(eigenvalue, radius, size)
    return _smaller_root(4 * radius, size * eigenvalue, 8 * LINEAR * radius**2, size * eigenvalue)


def shift_generic(*, size: Reals, eigenvalue: Reals, lipschitz: Sequence[Real]) -> Floats:
    """How far the fit of any smooth convex loss moves when one of n records is replaced.

    Parameters
    ----------
    size, eigenvalue
        As in `shift_sharp`.
    lipschitz : (float, float, float), Lipschitz constants G₀, G₁, G₂ of the loss,
        its gradient and its Hessian, in ℓ₂ norm

    Returns
    -------
    float64, the broadcast shape, λ/G₂ (1 - √(1 - 4G₀G₂/(nλ²))), infinite where nλ² ≤ 4G₀G₂

    Notes
    -----
    :Privacy: ‖θ - θ'‖₂ is at most this under ``replace``. No data are used here.
    :References: Asi, Duchi and Talwar, arXiv 2503.17252; the constants here are proved, not theirs.

    Examples
    --------
    >>> lipschitz = (5**0.5, 2.5, 5**1.5 / 27**0.5)
    >>> print(f"{shift_generic(size=5000, eigenvalue=0.4, lipschitz=lipschitz):.8f}")
    0.00224968
    """
    eigenvalue, _, size = _ball(eigenvalue, 1.0, size)
    g0, _, g2 = lipschitz_constants(lipschitz)
    shift = _smaller_root(4 * g0, size * eigenvalue, 4 * g0 * g2, size * eigenvalue**2)
    return np.where(size * eigenvalue**2 > 4 * g0 * g2, shift, np.inf)[()]


def eigenvalue_ratio_constants(
        *, size: Reals, radius: Reals, largest_curvature: Reals,
        smallest_eigenvalue: Reals, largest_eigenvalue: Reals,
        aspect: Reals) -> DirectionConstants:
    """`direction_constants` through the condition number, for one of n records replaced.

    Parameters
    ----------
    size : int ≥ 1 or array_like, the number n of records
    radius : float > 0 or array_like, R, the largest ℓ₂ norm of x
    largest_curvature : float > 0 or array_like, sup h''
    smallest_eigenvalue, largest_eigenvalue : float ≥ 0 or array_like,
        bounds of all eigenvalues of H/n
    aspect : float ≥ 1 or array_like, R/inf σ(z) over ‖z‖₂ = 1: 1 for a ball around 0, √d for a cube

    Returns
    -------
    DirectionConstants
        With q = aspect √(largest/smallest eigenvalue) and η = c sup h'' R² e^s/(nλ), c = 1 for a
        ball and 2 else: s = R times `shift_sharp`; τ = s/2 coth(s/2) + q s/2; up = (cosh s + q sinh
        s)/(1 - η); down = (1 + η)/(cosh s - q sinh s); infinite where a denominator is not
        positive, and all four where nλ ≤ 2R².

    Notes
    -----
    :Privacy: As for `direction_constants`, under ``replace``. It needs both eigenvalues, and is
        worse by a factor of about q.
    :References: Lemma *Through the condition number* on the page *Noise that fits*
        (lem-condition-number); Asi, Duchi and Talwar, arXiv 2503.17252; the constants here are
        proved, not theirs.

    Examples
    --------
    >>> constants = eigenvalue_ratio_constants(
    ...     size=20_000, radius=5**0.5, largest_curvature=1/2, smallest_eigenvalue=0.35,
    ...     largest_eigenvalue=0.45, aspect=5**0.5)
    >>> print(f"{constants.factor:.5f} {constants.up:.5f} {constants.down:.5f}")
    1.00181 1.00434 1.00435
    """
    smallest, radius, size = _ball(smallest_eigenvalue, radius, size)
    largest = _checks.reals("largest_eigenvalue", largest_eigenvalue, at_least=0)
    if np.any(largest < smallest):
        raise ValueError("largest_eigenvalue must be at least smallest_eigenvalue, got "
                         f"{np.min(largest):g} and {np.max(smallest):g}")
    aspect = _checks.reals("aspect", aspect, at_least=1)
    curvature = _checks.reals("largest_curvature", largest_curvature, above=0)
    nu = size * smallest / radius**2
    s = prediction_shift(nu=nu, changes=2.0)
    half = np.where((s > 0) & np.isfinite(s), s, 1) / 2
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        q = aspect * np.sqrt(largest / smallest)
        eta = np.where(aspect > 1, 2, 1) * curvature * np.exp(s) / nu
        factor = np.where(np.isfinite(s), half / np.tanh(half) + q * half, np.inf)
        up = np.where(np.isfinite(s) & (eta < 1), (np.cosh(s) + q * np.sinh(s)) / (1 - eta), np.inf)
        left = np.cosh(s) - q * np.sinh(s)
        down = np.where(np.isfinite(s) & (left > 0), (1 + eta) / left, np.inf)
    return DirectionConstants(s, factor[()], up[()], down[()])


def _ball(eigenvalue, radius, size):
    eigenvalue = _checks.reals("eigenvalue", eigenvalue, at_least=0)
    radius = _checks.reals("radius", radius, above=0)
    return eigenvalue, radius, _checks.integers("size", size, at_least=1).astype(np.float64)


def lipschitz_constants(lipschitz):
    """G₀, G₁, G₂, checked."""
    constants = _checks.reals("lipschitz", lipschitz, above=0)
    if constants.shape != (3,):
        raise ValueError("lipschitz must be three numbers, "
                         f"got an array of shape {constants.shape}")
    return constants.tolist()


def _smaller_root(slope, curvature, least, value):
    """slope/curvature / (1 + √(1 - least/value)), infinite where value < least."""
    defined = value >= least
    share = np.where(defined, least, 0) / np.where(defined, value, 1)
    root = slope / np.where(defined, curvature, 1) / (1 + np.sqrt(1 - share))
    return np.where(defined, root, np.inf)[()]
