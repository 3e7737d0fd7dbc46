"""Certified bounds of eigenvalues by counting steps of a recursion.

Symbols
-------
R
    A recursion: 0 ≤ R(λ) < λ for λ > 0, never falling, and R(λ) ≤ λ' for every neighbour's λ'.
N(λ)
    How often R is applied until 0 is reached; it differs by 1 at most between neighbours, since
    N(λ) = 1 + N(R(λ)) ≤ 1 + N(λ').
lev(k)
    The infimum of the λ with N(λ) ≥ k: 0 for k = 0 and k = 1, and R(lev(k + 1)) = lev(k) where R is
    continuous.

One of n records is replaced, n is public. The eigenvalues are those of H/n, H = Σ h'' x xᵀ; |h'| ≤
1 and |h'''| ≤ h''.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dplib import _checks, _grid, mechanisms
from dplib.glm.compared.eigenvalues import LINEAR, lipschitz_constants, shift_sharp
from dplib._types import ArrayLike, Floats, Generator, Integer, NDArray, Noise, Real, Reals


NOISES_OF_A_COUNT = ("discrete_laplace", "laplace")
MOST_LEVELS = 1 << 15  # of a table; above it R goes down as it does there, a little too far
MOST_STEPS = 2.0**52  # more are not counted
CUSHION = 2.0**-30  # of the distance of high levels: so much too high is each, to pay for rounding


@dataclass(frozen=True, eq=False)
class Levels:
    """A recursion R that goes down in ever smaller steps, as the table of its levels.

    Attributes
    ----------
    table : float64 array, lev(0), …, lev(K)
    step : float, the distance of all further levels"""

    table: NDArray[np.float64]
    step: float

    def count(self, eigenvalue: Reals) -> np.int64 | NDArray[np.int64]:
        """N(λ), the number of steps down to 0.

        Parameters
        ----------
        eigenvalue : array_like of real numbers, the exact smallest eigenvalue λ;
            negative numbers count as 0"""
        value = np.maximum(_checks.reals("eigenvalue", eigenvalue), 0)
        last = self.table.size - 1
        inside = np.maximum(np.searchsorted(self.table, value, side="left") - 1, 0)
        with np.errstate(over="ignore"):
            beyond = last + np.maximum(np.ceil((value - self.table[-1]) / self.step) - 1, 0)
        steps = np.where(value > self.table[-1], beyond, inside)
        return np.minimum(steps, MOST_STEPS).astype(np.int64)[()]

    def level(self, steps: Reals) -> Floats:
        """lev(k), the infimum of the λ with N(λ) ≥ k.

        Parameters
        ----------
        steps : array_like of whole numbers, k; negative ones count as 0"""
        steps = np.maximum(_checks.reals("steps", steps), 0)
        last = self.table.size - 1
        inside = self.table[np.minimum(steps, last).astype(np.int64)]
        return np.where(steps > last, self.table[-1] + self.step * (steps - last), inside)[()]


def linear_levels(*, step: Real) -> Levels:
    """The levels of R(λ) = max(λ - D, 0), which is right for everything of sensitivity D.

    Parameters
    ----------
    step : float > 0, D, the distance of the levels on this grid; 2R²/n for the smallest eigenvalue,
        k for ν

    Returns
    -------
    Levels

    Examples
    --------
    >>> linear_levels(step=0.25).count([0, 0.1, 0.3, 1])
    array([0, 1, 2, 4])
    """
    return Levels(np.zeros(2), _checks.parameter("step", step, at_most=1e300) * (1 + CUSHION))


def source_levels(*, size: Integer, radius: Real, largest_curvature: Real) -> Levels:
    """The levels of the recursion as first published.

    Parameters
    ----------
    size : int ≥ 1, the number n of records
    radius : float > 0, R, the largest ℓ₂ norm of x
    largest_curvature : float > 0, sup h'', at most 1

    Returns
    -------
    Levels
        Of R(λ) = λ/2 (1 + √(1 - c/λ)) - a for λ > c, or 0 if that is negative, and 0 for λ ≤ c; a =
        sup h'' R²/n, c = 10 R²/n.

    Notes
    -----
    :Cost: At most 2¹⁵ levels are computed one by one, in 10 ms.
    :References: Asi, Duchi and Talwar, arXiv 2503.17252, their equation 10; the constants here are
        proved, not theirs. It goes down faster than `linear_levels` does with the step 2R²/n.

    Examples
    --------
    >>> int(source_levels(size=5000, radius=5**0.5, largest_curvature=1/2).count(0.4))
    129
    """
    radius, size = _sized(radius, size)
    square = radius**2 / size
    a = _checks.real("largest_curvature", largest_curvature, above=0, at_most=1) * square
    c = 8 * LINEAR * square
    return _levels(lambda z: c if z <= c / 2 else z * (z / (z - c / 4)), a, c / 4 + a)


def generic_levels(*, size: Integer, lipschitz: Sequence[Real]) -> Levels:
    """The levels of a recursion for any smooth convex loss.

    Parameters
    ----------
    size
        As in `source_levels`.
    lipschitz : (float, float, float), Lipschitz constants G₀, G₁, G₂ of the loss,
        its gradient and its Hessian, in ℓ₂ norm

    Returns
    -------
    Levels
        Of R(λ) = √(λ² - 4G₀G₂/n) - G₁/n, or 0 where that is negative or undefined.

    Notes
    -----
    :Cost: As for `source_levels`.
    :References: As for `source_levels`.

    Examples
    --------
    >>> int(generic_levels(size=5000, lipschitz=(5**0.5, 2.5, 5**1.5 / 27**0.5)).count(0.4))
    39
    """
    size = _checks.integer("size", size, at_least=1)
    g0, g1, g2 = lipschitz_constants(lipschitz)
    drop = 4 * g0 * g2 / size
    return _levels(lambda z: np.sqrt(z**2 + drop), g1 / size, g1 / size)


def _sized(radius, size):
    radius = _checks.parameter("radius", radius, above=0)
    return radius, _checks.integer("size", size, at_least=1)


def _levels(inverse, a, step):
    """The table lev(k + 1) = inverse(lev(k) + a), each a cushion higher; ``step`` is the distance
    of levels far up."""
    table = [0.0, 0.0]
    for _ in range(MOST_LEVELS):
        table.append(float(inverse(table[-1] + a)) + CUSHION * step)
    return Levels(np.array(table), table[-1] - table[-2])


def certificate_offset(*, epsilon: Reals, delta: Reals, noise: Noise) -> Floats:
    """What is subtracted from a noisy count, so that the result is hardly ever too large.

    Parameters
    ----------
    epsilon, delta : float > 0 or array_like, δ < 1
    noise : {"discrete_laplace", "laplace"}

    Returns
    -------
    float64, the broadcast shape
        An o ≥ 0 with Pr[Z > o] ≤ δ: for Laplace noise the smallest, ln(1/(2δ))/ε up to rounding;
        for two-sided geometric noise ln(1/((1 + e^-ε) δ))/ε, or 0 where these are negative. For δ <
        1/2 the second is larger, because Z > o has the probability of all that is at least the next
        integer.

    Notes
    -----
    :Error: Geometric noise with the offset of Laplace noise is too large up to 2/(1 + e^-ε) times
        as often as it may.
    :References: The page *Vouching for curvature*.

    Examples
    --------
    >>> for noise in ("laplace", "discrete_laplace"):
    ...     print(round(float(certificate_offset(epsilon=1, delta=1e-6, noise=noise)), 3))
    13.122
    13.502
    """
    _checks.choice("noise", noise, NOISES_OF_A_COUNT)
    epsilon, delta = _checks.parameters("epsilon", epsilon), _checks.parameters("delta", delta)
    if noise == "laplace":
        widened = 1 + 2.0**-38 / epsilon  # by more than the grid widens the noise
        return np.maximum(-np.log(2 * delta * _grid.LESS) / epsilon * widened, 0)
    kept = epsilon * (1 - 2.0**-49) - 2.0**-42  # not more than `discrete_laplace` keeps of ε
    rate = _checks.reals("epsilon", kept, above=0)
    return np.maximum(-(np.log(delta) + np.log1p(np.exp(-rate))) / rate, 0)


def certify_by_recursion(
        value: ArrayLike, *, levels: Levels, epsilon: Real, delta: Real, noise: Noise,
        rng: Generator) -> Floats:
    """A private number that is below the smallest eigenvalue of the curvature, except with
    probability δ.

    Parameters
    ----------
    value : array_like of real numbers, the exact answers, smallest eigenvalues λ;
        negative numbers count as 0
    levels : Levels, of a recursion with R(λ) ≤ λ' for all neighbours
    epsilon, delta : float > 0, δ < 1
    noise : {"discrete_laplace", "laplace"}
    rng : numpy.random.Generator

    Returns
    -------
    float64, shape of ``value``, lev(k), k = ⌈N(λ) + Z - o⌉ or 0 if that is negative,
        o = `certificate_offset`

    Notes
    -----
    :Privacy: ε-DP for each entry, under the relation of ``levels``: N has sensitivity 1. Given fair
        bits. Errors of λ up to 2**-31 of the distance of two levels are paid for.
    :Error: At most λ with probability at least 1 - δ. With probability at least 1 - β no more than
        o + ln(1/β)/ε + 1 levels lower.
    :References: Asi, Duchi and Talwar, arXiv 2503.17252, their algorithms 2 and 6; the page
        *Vouching for curvature*.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> lower = certify_by_recursion(0.4, levels=linear_levels(step=0.002), epsilon=0.25,
    ...                              delta=1e-6, noise="discrete_laplace", rng=rng)
    >>> round(float(lower), 3)
    0.288
    """
    _checks.choice("noise", noise, NOISES_OF_A_COUNT)
    delta = _checks.parameter("delta", delta)
    offset = certificate_offset(epsilon=epsilon, delta=delta, noise=noise)
    counts = np.asarray(levels.count(_checks.reals("value", value)))
    if noise == "discrete_laplace":
        noisy = mechanisms.discrete_laplace(counts, sensitivity=1, epsilon=epsilon, rng=rng)
    else:
        epsilon = _checks.parameter("epsilon", epsilon)
        added = _grid.laplace_noise(sensitivity=1, epsilon=epsilon, unit=1.0)
        noisy = added.added_to_whole(counts, _checks.generator(rng))
    return levels.level(np.ceil(noisy - offset))


def certify_largest_eigenvalue(
        value: ArrayLike, *, size: Integer, radius: Real, largest_curvature: Real,
        smallest_eigenvalue: Reals, epsilon: Real, delta: Real,
        rng: Generator) -> Floats:
    """A private number that is above the largest eigenvalue of the curvature, except with
    probability δ.

    Parameters
    ----------
    value : array_like of real numbers, the exact answers, largest eigenvalues λ of H/n
    size, radius, largest_curvature
        As in `source_levels`.
    smallest_eigenvalue : float ≥ 0 or array_like,
        a published lower bound of the smallest eigenvalue
    epsilon, delta : float > 0, δ < 1
    rng : numpy.random.Generator

    Returns
    -------
    float64, the broadcast shape
        min(b (e^(s (Y + Z + o)) - 1), G), Y = ln(1 + λ/b)/s, Z Laplace noise of scale 1/ε, o =
        ln(1/(2δ))/ε, s = R `shift_sharp`, b = G/(n (e^s - 1)), G = sup h'' R², which λ never
        exceeds; G where s is infinite.

    Notes
    -----
    :Privacy: ε-DP for each entry, under ``replace``, on all pairs of neighbours one of which has
        its smallest eigenvalue above ``smallest_eigenvalue``: there λ' ≤ e^s λ + G/n in both
        directions, so Y has sensitivity 1. Given fair bits. Errors of λ up to 2**-36 of it are paid
        for.
    :Error: At least λ with probability at least 1 - δ.
    :References: Lemma *Through the condition number* on the page *Noise that fits*
        (lem-condition-number); Proposition *Counting upwards* on the page *Vouching for curvature*
        (prop-counting-up); Asi, Duchi and Talwar, arXiv 2503.17252, their algorithm 4; the
        constants here are proved, not theirs.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> upper = certify_largest_eigenvalue(
    ...     0.45, size=20_000, radius=5**0.5, largest_curvature=1/2, smallest_eigenvalue=0.35,
    ...     epsilon=1, delta=1e-6, rng=rng)
    >>> round(float(upper), 4)
    0.4599
    """
    value = _checks.reals("value", value)
    radius, size = _sized(radius, size)
    highest = _checks.real("largest_curvature", largest_curvature, above=0) * radius**2
    s = radius * shift_sharp(eigenvalue=smallest_eigenvalue, radius=radius, size=size)
    delta = _checks.parameter("delta", delta)
    offset = certificate_offset(epsilon=epsilon, delta=delta, noise="laplace")
    value, s = np.broadcast_arrays(np.clip(value, 0, highest), s)
    known = np.isfinite(s)
    s = np.where(known, s, 1)
    b = highest / size / np.expm1(s)
    most = float((np.log1p(highest / b) / s).max(initial=0))
    error = 2.0**-50 * most + 2.0**-36 / float(s.min(initial=1))
    epsilon = _checks.parameter("epsilon", epsilon)
    noise = _grid.laplace_noise(sensitivity=1, epsilon=epsilon, error=error)
    noisy = noise.added_to(np.log1p(value / b) / s, _checks.generator(rng)) + offset
    upper = b * np.expm1(np.minimum(s * noisy, _checks.LARGEST_EXPONENT))
    return np.where(known, np.clip(upper, 0, highest), highest)[()]
