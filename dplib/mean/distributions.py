"""Noise on a sample mean, and how far the records, n independent N(μ, 1), lie from theirs."""

from __future__ import annotations

import numpy as np
from scipy.special import erfcx, ndtr, ndtri_exp

from dplib import _checks
from dplib._types import Floats, Integers, Reals


def noise_tail(t: Reals, *, sd: Reals, scale: Reals) -> Floats:
    """The probability that a Gaussian with Laplace noise exceeds a number.

    Parameters
    ----------
    t : float or array_like, the number, in the units of ``sd`` and ``scale``
    sd, scale : float ≥ 0 or array_like
        Standard deviation of the Gaussian part, 1/√n for a mean. Scale b of the Laplace part,
        density e^(-|z|/b)/(2b).

    Returns
    -------
    float64, the broadcast shape, Pr[ξ > t], ξ = sd·Z + Lap(scale) with Z standard normal

    Notes
    -----
    :Error: Relative error below 1e-12 for t ≥ 0, however far out, until the result leaves the range
        of a float.
    :References: Proposition *A normal and a Laplace error together* on the page *The price of a
        range* (prop-noise-law).

    Examples
    --------
    >>> round(2 * float(noise_tail(0.2, sd=1000**-0.5, scale=0.04)), 5)
    0.00921
    """
    t = _checks.reals("t", t)
    sd = _checks.parameters("sd", sd)
    scale = _checks.parameters("scale", scale)
    unit = np.maximum(sd, scale)
    unit = np.where(unit > 0, unit, 1)
    # np.where evaluates what it drops, too
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        far = np.minimum(np.abs(t) / unit, 1e4)  # beyond that nothing is left
        tail = _noise_tail(far, sd / unit, scale / unit)
    return np.where(t < 0, 1 - tail, tail)[()]


def _noise_tail(t, sd, scale):
    """Pr[ξ > t] for t ≥ 0 when the larger of the two scales is 1 (or both are 0)."""
    # With z = t/sd, r = sd/scale and e(v) = 2 e^(v²/2) Q(v), which `erfcx` computes for all v,
    # 2 e^(z²/2) Pr[ξ > t] = e(z) + (e(r - z) - e(r + z))/2: the last difference is positive, so
    # nothing cancels. For r < z, where e(r - z) is huge, its term e^(r²/2 - t/scale) Φ(z - r) is
    # computed as it stands.
    z = np.where(sd > 0, t / sd, np.inf)
    r = np.where(scale > 0, sd / scale, np.inf)
    gauss = np.exp(-z * z / 2) / 2
    exponential = np.exp(r * r / 2 - t / scale) * ndtr(z - r)
    laplace = np.where(r < z, exponential, gauss * erfcx((r - z) / np.sqrt(2))) - gauss * erfcx(
        (r + z) / np.sqrt(2)
    )
    return np.where((sd > 0) | (scale > 0), gauss * erfcx(z / np.sqrt(2)) + laplace / 2, 0)


def clip_radius(*, size: Integers, beta: Reals) -> Floats:
    """A distance from μ that no record exceeds, except with probability beta.

    Parameters
    ----------
    size : int ≥ 1 or array_like, the number n of records
    beta : float in (0, 1) or array_like, bounds the probability that some record is farther away

    Returns
    -------
    float64
        The broadcast shape, t_n(β) = Φ⁻¹(1 - β/(2n)), in standard deviations, at most √(2 ln(n/β))

    Notes
    -----
    :Error: Pr[max |xᵢ - μ| > t_n(β)] = 1 - (1 - β/n)^n ≤ β. Accurate for the smallest β.
    :References: Lemma *No record is far away* on the page *The price of a range* (lem-clip-radius).

    Examples
    --------
    >>> clip_radius(size=[1, 1000, 10**6], beta=0.01).round(4)
    array([2.5758, 4.4172, 5.7307])
    """
    size = _checks.integers("size", size, at_least=1)
    beta = _checks.parameters("beta", beta)
    return -ndtri_exp(np.log(beta) - np.log(2.0 * size))
