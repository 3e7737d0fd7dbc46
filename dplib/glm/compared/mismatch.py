"""Gaussian noise whose scale differs between neighbours: numbers only, no data.

Symbols
-------
P, Q
    The output on one data set, in units of its own noise, and on a neighbour: N(0, 1) and N(m, r²).
E_γ
    The largest P(S) - γ Q(S) of any event S. A release is (ε, δ)-DP if E_γ ≤ δ at γ = e^ε, for
    every ordered pair of neighbours.
up, down
    The scale grows at most by the factor ``up``, and shrinks at most by the factor ``down``, from
    one data set to its neighbour.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import erfcx, ndtr

from dplib import _checks, mechanisms
from dplib.accounting import PrivacyLoss
from dplib.glm.scales import factors
from dplib._types import Floats, NDArray, Real, Reals

CELLS = 16  # of the range of r; in each one r is bounded by its ends
LEGENDRE_NODES, LEGENDRE_WEIGHTS = np.polynomial.legendre.leggauss(40)
LARGE = 1.0  # ε from which on 1 - e^ε would swallow what is left of it
SHORT = 0.5  # intervals so short are integrated, lest two tails cancel
LARGEST_RATIO, LARGEST_SHIFT = 1e6, 1e100
FURTHEST_SEARCHED = np.log(2.0**20)  # of ln σ, above the σ of a scale that does not differ
CLOSE_MULTIPLIERS = 1e-10  # the relative width to which noise multipliers are found


def mismatched_gaussian_delta(*, shift: Reals, ratio: Reals, epsilon: Reals) -> Floats:
    """The smallest δ at which two normal distributions of different scale are indistinguishable in
    one direction.

    Parameters
    ----------
    shift : float or array_like, m, the mean under Q = N(m, r²),
        in standard deviations of P = N(0, 1)
    ratio : float from 1e-6 to 1e6 or array_like, r, the standard deviation under Q
    epsilon : float of any sign or array_like, at most 700 in absolute value

    Returns
    -------
    float64, the broadcast shape, max over S of P(S) - e^ε Q(S), exactly

    Notes
    -----
    :Error: Relative error below 1e-9 for δ ≥ 1e-250, |m| ≥ 1e-4 or m = 0, and r from 1/2 to 2; it
        never falls in |m| by more.
    :References: The page *Noise that fits*.

    Examples
    --------
    >>> for delta in mismatched_gaussian_delta(shift=0.2, ratio=[0.98, 1, 1.02], epsilon=0.5):
    ...     print(f"{delta:.6e}")
    2.326874e-03
    5.125361e-04
    1.302215e-07
    """
    largest = _checks.LARGEST_EXPONENT
    epsilon = _checks.reals("epsilon", epsilon, at_least=-largest, at_most=largest)
    shift = np.minimum(np.abs(_checks.reals("shift", shift)), LARGEST_SHIFT)
    ratio = _checks.reals("ratio", ratio, at_least=1 / LARGEST_RATIO, at_most=LARGEST_RATIO)
    return _mismatch(*np.broadcast_arrays(epsilon, shift, ratio))[()]


def gaussian_noise_multiplier(*, up: Reals, down: Reals, epsilon: Reals,
                              delta: Reals) -> Floats:
    """Nearly the smallest noise multiplier with which Gaussian noise of a scale that differs
    between neighbours is private.

    Parameters
    ----------
    up, down : float ≥ 1 or array_like,
        the most by which the scale grows and shrinks between neighbours; may be infinite
    epsilon, delta : float > 0 or array_like, δ < 1

    Returns
    -------
    float64, the broadcast shape
        σ: noise of standard deviation σ times the scale, where the answer changes by the scale at
        most. Infinite where no σ up to 2²⁰ times `gaussian_sigma` is enough; no smaller than
        `gaussian_sigma`, which it is at up = down = 1.

    Notes
    -----
    :Privacy: With this σ, E_γ(N(0, 1) ‖ N(m, r²)) ≤ δ at γ = e^ε for all |m| ≤ 1/σ and 1/down ≤ r ≤
        up. The range of r is cut into 16 cells, in each of which γ q is at least γ times (lowest
        r)/(highest r) times the density of the lowest r. If ``up`` and ``down`` come from a
        published number, σ does so, too.
    :Error: At most 1e-9 relatively above what the cells allow; they cost at most ln(up down)/16 in
        ε.
    :Cost: 20 ms for one multiplier, 70 ms for 100.
    :References: The page *Noise that fits*.

    Examples
    --------
    >>> most = [1, 1.0076, 1.015, 1.03]
    >>> gaussian_noise_multiplier(up=most, down=most, epsilon=0.75, delta=5e-7).round(4)
    array([ 5.71  ,  7.0516,  9.1247, 22.1862])
    """
    up, down = factors(up, down)
    lowest = mechanisms.gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=delta)
    given = np.broadcast_arrays(epsilon, delta, up, down, lowest)
    shape = given[0].shape
    epsilon, delta, up, down, lowest = (np.ravel(v).astype(float) for v in given)
    possible = np.maximum(up, down) <= LARGEST_RATIO
    up, down = np.where(possible, up, 1), np.where(possible, down, 1)
    spent = lambda log_factor: _worst(1 / (lowest * np.exp(log_factor)), up, down, epsilon)
    enough = lambda log_factor: spent(log_factor) <= delta
    low, high = np.zeros(lowest.shape), np.full(lowest.shape, FURTHEST_SEARCHED)  # high is enough
    possible &= enough(high)
    high = np.where(enough(np.zeros_like(high)), 0, high)
    while np.any(high - low > CLOSE_MULTIPLIERS):
        middle = (low + high) / 2
        good = enough(middle)
        low, high = np.where(good, low, middle), np.where(good, middle, high)
    return np.where(possible, lowest * np.exp(high), np.inf).reshape(shape)[()]


def integrated_delta(*, sigma: Real, up: Real, down: Real, epsilon: Real,
                     certificates: Sequence[Real], step: Real = 1e-3) -> float:
    """The δ of Gaussian noise of fixed multiplier, behind published numbers with Laplace noise, all
    losses together.

    Parameters
    ----------
    sigma : float > 0
        Standard deviation of the noise, in units of a scale that bounds the change of the answer,
        fixed beforehand.
    up, down : float ≥ 1, the factors of `gaussian_noise_multiplier`, fixed beforehand, too
    epsilon : float > 0, of everything together
    certificates : sequence of float > 0, the ε of each of the Laplace mechanisms before
    step : float > 0, the distance of the points of the grid of losses

    Returns
    -------
    float, never too small: E D(ε - L), L the sum of the losses of the Laplace mechanisms,
        D the largest E_γ at the remaining ε

    Notes
    -----
    :Privacy: The probabilities with which a published number misleads are to be added. Not for a σ
        chosen from a published number: for that take `gaussian_noise_multiplier` with what is left
        of ε.
    :Error: As `PrivacyLoss`, and as the cells of `gaussian_noise_multiplier`.
    :References: The page *Noise that fits*.

    Examples
    --------
    >>> print(f"{integrated_delta(sigma=5.5, up=1, down=1, epsilon=1, certificates=[0.25]):.3e}")
    5.475e-07
    """
    shift, epsilon = 1 / _checks.parameter("sigma", sigma), _checks.parameter("epsilon", epsilon)
    up, down = factors(up, down, at_most=LARGEST_RATIO)
    loss = PrivacyLoss(_checks.parameter("step", step), 0, np.ones(1), 0.0)
    for certificate in _checks.reals("certificates", certificates, above=0).ravel():
        loss = loss.compose(PrivacyLoss.from_laplace(epsilon=certificate, step=step))
    left = epsilon - step * (loss.lowest + np.arange(loss.mass.size))
    return float(min(1, loss.infinite + loss.mass @ _worst(shift, up, down, left)))


# -------------------------------------------------------------------------------- the two densities


def _worst(m, up, down, epsilon):
    """An upper bound of E_γ(N(0, 1) || N(m, r²)) over 1/down ≤ r ≤ up, from the lowest r of each
    cell."""
    width = (np.log(up) + np.log(down)) / CELLS
    cells = CELLS if np.any(width > 0) else 1
    cell = np.arange(cells).reshape(-1, *[1] * np.broadcast(m, width, epsilon).ndim)
    r = np.exp(cell * width) / down
    each = np.broadcast_arrays(epsilon - width, np.minimum(m, LARGEST_SHIFT), r)
    return _mismatch(*each).max(axis=0)


def _mismatch(epsilon, m, r):
    """`mismatched_gaussian_delta` for m ≥ 0: ln p/q - ε = ax² + bx + c, its roots, and what lies
    outside or between them."""
    a, b = (1 - r) * (1 + r) / (2 * r**2), -m / r**2
    c = m**2 / (2 * r**2) + np.log(r) - epsilon
    disc = (m / r) ** 2 - 4 * a * (np.log(r) - epsilon)  # b² - 4ac, in which most of b² cancels
    with np.errstate(all="ignore"):  # np.where also evaluates the branch it drops
        half = (np.sqrt(np.maximum(disc, 0)) - b) / 2
        x1, x2 = half / a, np.where(half > 0, c / half, 0.0)  # x1 is infinite if r = 1; c/x1 = a x2
        above, below = (_tail(np.where(np.isnan(x), 0, x), epsilon, m, r, side)
                        for side, x in ((1, x1), (-1, x2)))
        outside = above.inside + below.inside
        between = _between(x1, x2, epsilon, m, r)
    everything = np.maximum(-np.expm1(epsilon), 0)
    found = np.where(disc > 0, np.where(a >= 0, outside, between), np.where(a >= 0, everything, 0))
    return np.clip(np.maximum(found, everything), 0, 1)


class Tail(NamedTuple):
    """P(S) - γ Q(S) of a tail S = {x > t} or {x < t}, and of what lies outside of it."""

    inside: NDArray[np.float64]
    outside: NDArray[np.float64]


def _tail(t, epsilon, m, r, side):
    """The tail {x > t}, or {x < t} if side is -1, at a root t of p - γq."""
    # There φ(t) = γ φ(z)/r, z = (t - m)/r, so with Mills' ratio M the difference of the two tails
    # is φ(t) (M(t) - r M(z)).
    z, gamma = (t - m) / r, np.exp(epsilon)

    def near(s):
        by_mills = _density(t) * (_mills(s * t) - r * _mills(s * z))
        return np.where((s * t > -5) & (s * z > -5), by_mills, ndtr(-s * t) - gamma * ndtr(-s * z))

    here, there = near(side), near(-side)
    # Of the two, the one in the tail of P is computed, and the other one is all that is left, if γ
    # is not large.
    small, total = side * t > 0, -np.expm1(epsilon)
    by_parts = ndtr(-side * t) - _scaled_tail(t, epsilon, m, r, side)
    rest = np.where(epsilon > LARGE, by_parts, total - there)
    return Tail(np.where(small, here, rest), np.where(small, total - here, there))


def _scaled_tail(t, epsilon, m, r, side):
    """γ Q(S) for S = {x > t}, or {x < t} if side is -1, at a root t of p - γq: by φ(t) = γ φ(z)/r,
    if S does not hold most of Q."""
    z = side * (t - m) / r
    return np.where(z > 0, r * _density(t) * _mills(z), np.exp(epsilon) * ndtr(-z))


def _density(t):
    return np.exp(-(t**2) / 2) / np.sqrt(2 * np.pi)


def _mills(x):
    """Mills' ratio, the tail of a standard normal beyond x over its density; that of -20 below
    it."""
    return np.sqrt(np.pi / 2) * erfcx(np.maximum(x, -20) / np.sqrt(2))


def _between(low, high, epsilon, m, r):
    """P(S) - γ Q(S) for S = {low < x < high}, between two roots."""
    real = np.isfinite(low) & np.isfinite(high) & (low < high)  # else something that is dropped
    low, high = np.where(real, low, 0), np.where(real, high, 0)
    above_low, above_high = (_tail(end, epsilon, m, r, 1) for end in (low, high))
    left = lambda x: ndtr(x) - _scaled_tail(x, epsilon, m, r, -1)
    rest = -np.expm1(epsilon) - above_low.outside - above_high.inside
    around = np.where(epsilon > LARGE, left(high) - left(low), rest)
    far_below = np.where(high < 0, above_high.outside - above_low.outside, around)
    wide = np.asarray(np.where(low > 0, above_low.inside - above_high.inside, far_below))
    short = real & (high - low < SHORT)
    values = ((1 - r) * (1 + r) / (2 * r**2), low, high)
    a, lo, hi = (value[short][:, np.newaxis] for value in values)
    x = lo + (hi - lo) * (LEGENDRE_NODES + 1) / 2
    inside = np.exp(-(x**2) / 2) * -np.expm1(-a * (x - lo) * (x - hi))
    wide[short] = inside @ LEGENDRE_WEIGHTS * (hi - lo)[:, 0] / np.sqrt(8 * np.pi)
    return wide
