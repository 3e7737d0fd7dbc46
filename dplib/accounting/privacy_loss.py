"""The distribution of the privacy loss L = ln(P(y)/P'(y)) of an output y drawn from P = M(x),
against P' = M(x'), from which the cost of any composition can be read off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from scipy.special import expit, logsumexp, ndtr

from dplib import _checks
from dplib._types import ArrayLike, Floats, Integer, Order, Real, Reals

# standard deviations of Gaussian noise on the grid; what lies beyond, 4e-33, counts as infinite
# loss
TAIL = 12.0
CUT = 1e-15  # the probability of leaving the window of a composition, counted as infinite loss
LARGE_LOSS = 40.0  # beyond it e^x and e^x - 1 + q are the same float
LEAST_KEPT = 1e-200  # of an outcome's probability, in a bound from below
MOST_POINTS = 1 << 26  # of a grid


@dataclass(frozen=True, eq=False)
class PrivacyLoss:
    """The distribution of the privacy loss of a mechanism, on a grid, rounded so that it never
    promises too much.

    Attributes
    ----------
    step : float, the distance of the points of the grid
    lowest : int
    mass : float64 array, shape (m,)
        Probabilities, under P, of the losses lowest·step, (lowest + 1)·step, …
    infinite : float, the probability of an infinite loss, together with all that was cut off

    Notes
    -----
    :Privacy: ``delta`` and ``epsilon`` return parameters that the mechanism has, and ``trade_off``
        a curve, for both orders of its worst pair of neighbours, which is symmetric, also after
        composition. With ``from_pair`` and ``from_subsampled_gaussian`` they hold for the one order
        that was given: compose each order by itself, and take what is worse at the end.
    :Error: Exact at the points of the grid before composition. Rounding is of relative order 1e-12
        in δ, or 1e-16 times the number of runs if that is larger; every composition adds 1e-15 to
        ``infinite``.
    :Cost: O(m ln m) for a composition, m the points of its grid.
    :References: Definition *Privacy loss* on the page *Spending a budget* (def-privacy-loss);
        proposition *The grid never promises too much* on the page *What one answer gave away*
        (prop-grid); theorem *Curves multiply* on the page *The accuser's curve*
        (thm-curves-compose); Doroshenko, Ghazi, Kamath, Kumar and Manurangsi, *Connect the dots:
        tighter discrete approximations of privacy loss distributions* (2022).

    Examples
    --------
    >>> gauss = PrivacyLoss.from_gaussian(sigma=40.0, sensitivity=1.0).compose(100)
    >>> both = gauss.compose(PrivacyLoss.from_laplace(epsilon=0.1))
    >>> round(gauss.epsilon(1e-6), 3), round(both.epsilon(1e-6), 3)
    (1.061, 1.124)
    """

    step: float
    lowest: int
    mass: np.ndarray
    infinite: float

    @classmethod
    def from_laplace(cls, *, epsilon: Real, step: Real = 1e-4) -> PrivacyLoss:
        """Laplace noise of scale Δ/ε against a change of Δ.

        Parameters
        ----------
        epsilon, step : float > 0, ``step`` the distance of the points of the grid"""
        epsilon, step = _checks.parameter("epsilon", epsilon), _checks.parameter("step", step)
        grid = _grid(-epsilon, epsilon, step)
        x = grid * step
        inside = np.clip(x, -epsilon, epsilon)
        p = np.where(x < -epsilon, 0, np.where(x < epsilon, np.exp((inside - epsilon) / 2) / 2, 1))
        q = np.where(
            x < -epsilon, 0, np.where(x < epsilon, 1 - np.exp(-(inside + epsilon) / 2) / 2, 1)
        )
        return cls._split(grid, step, np.diff(p), np.diff(q), 0.0)

    @classmethod
    def from_gaussian(cls, *, sigma: Real, sensitivity: Real, step: Real = 1e-4) -> PrivacyLoss:
        """Gaussian noise against a change of ``sensitivity``.

        Parameters
        ----------
        sigma, sensitivity, step : float > 0
            Standard deviation of the noise, ℓ₂ sensitivity of the query, distance of the points of
            the grid."""
        sensitivity, sigma = (
            _checks.parameter("sensitivity", sensitivity),
            _checks.parameter("sigma", sigma),
        )
        shift = _checks.real("sensitivity / sigma", sensitivity / sigma, above=0)
        step = _checks.parameter("step", step)
        grid = _grid(shift**2 / 2 - TAIL * shift, shift**2 / 2 + TAIL * shift, step)
        z = grid * step / shift
        p, q = _normal_cells(z - shift / 2), _normal_cells(z + shift / 2)
        return cls._split(grid, step, p, q, float(2 * ndtr(-TAIL)))

    @classmethod
    def from_pure(cls, *, epsilon: Real, step: Real = 1e-4) -> PrivacyLoss:
        """Randomised response, which dominates every ε-DP mechanism.

        Parameters
        ----------
        epsilon, step : float > 0, ``step`` the distance of the points of the grid"""
        epsilon, step = _checks.parameter("epsilon", epsilon), _checks.parameter("step", step)
        grid = _grid(-epsilon, epsilon, step)
        x, lie = grid * step, expit(-epsilon)
        p = np.where(x < -epsilon, 0, np.where(x < epsilon, lie, 1))
        q = np.where(x < -epsilon, 0, np.where(x < epsilon, 1 - lie, 1))
        return cls._split(grid, step, np.diff(p), np.diff(q), 0.0)

    @classmethod
    def from_approximate(cls, *, epsilon: Real, delta: Real, step: Real = 1e-4) -> PrivacyLoss:
        """Randomised response that tells everything with probability δ, which dominates every
        (ε, δ)-DP mechanism.

        Parameters
        ----------
        epsilon, delta : float ≥ 0, ε > 0, δ < 1
        step : float > 0, the distance of the points of the grid"""
        delta = _checks.parameter("delta", delta, or_zero=True)
        coin = cls.from_pure(epsilon=epsilon, step=step)
        return cls(coin.step, coin.lowest, (1 - delta) * coin.mass, delta)

    @classmethod
    def from_pair(cls, *, p: ArrayLike, p_neighbor: ArrayLike, step: Real = 1e-4) -> PrivacyLoss:
        """Two distributions of finitely many outcomes, in this order.

        Parameters
        ----------
        p, p_neighbor : array_like, shape (k,)
            Probabilities of the same outcomes, under P and under P', with the sum 1 up to 1e-6
        step : float > 0, the distance of the points of the grid"""
        p, q = _checks.pair("p", p, "p_neighbor", p_neighbor)
        step, told, both = _checks.parameter("step", step), (p > 0) & (q == 0), (p > 0) & (q > 0)
        p, infinite, q = p[both], float(p[told].sum()), q[both]
        loss = np.log(p) - np.log(q)
        grid = _grid(loss.min(initial=0), loss.max(initial=0), step)
        # a loss on a point of the grid is the upper end of its cell
        cell = np.clip(np.ceil(loss / step).astype(np.int64) - 1 - grid[0], 0, grid.size - 2)
        cells = (np.bincount(cell, weights=law, minlength=grid.size - 1) for law in (p, q))
        return cls._split(grid, step, *cells, infinite)

    @classmethod
    def from_subsampled_gaussian(
        cls, *, rate: Real, sigma: Real, sensitivity: Real, order: Order, step: Real = 1e-4
    ) -> PrivacyLoss:
        """Gaussian noise on a sum that each record enters by a coin of its own, under
        ``add_remove``.

        Parameters
        ----------
        rate : float in (0, 1], each record's probability q of entering the sum
        sigma, sensitivity, step : float > 0
            Standard deviation of the noise, ℓ₂ sensitivity of the sum, distance of the points of
            the grid.
        order : {"remove", "add"}
            Which of two neighbours is P: the one with the record, or the one without it. Both have
            to be composed, and the larger δ counts.
        """
        cells = sampled_cells(
            rate=rate, sigma=sigma, sensitivity=sensitivity, order=order, step=step
        )
        return cls._split(*cells, float(2 * ndtr(-TAIL)))

    @classmethod
    def _split(cls, grid, step, p, q, infinite):
        """Share the mass of each cell (x, x + h] between its ends; for p = q e^x all goes to the
        lower one."""
        x = grid[:-1] * step
        with np.errstate(over="ignore", invalid="ignore"):
            upper = (p - q * np.exp(x)) / -np.expm1(-step)
        upper = np.clip(np.where(x < 600, upper, p), 0, p)
        return cls(step, int(grid[0]), np.append(p - upper, 0) + np.append(0, upper), infinite)

    def compose(self, other: PrivacyLoss | Integer) -> PrivacyLoss:
        """The loss of two mechanisms, or of several runs of one.

        Parameters
        ----------
        other : PrivacyLoss or int ≥ 0
            Another mechanism on the same grid, or how many times this one runs
        """
        if not isinstance(other, PrivacyLoss):
            return self._repeat(_checks.integer("other", other, at_least=0))
        if other.step != self.step:
            raise ValueError(f"other must have the same step {self.step}, got {other.step}")
        points = self.mass.size + other.mass.size - 1
        length = scipy.fft.next_fast_len(points, real=True)
        spectrum = scipy.fft.rfft(self.mass, length) * scipy.fft.rfft(other.mass, length)
        product = scipy.fft.irfft(spectrum, length)
        mass = np.maximum(product[:points], 0)
        infinite = self.infinite + other.infinite - self.infinite * other.infinite + CUT
        return PrivacyLoss(self.step, self.lowest + other.lowest, mass, infinite)

    def _repeat(self, count):
        """The count-th power of the Fourier transform, on a window that the sum of losses leaves
        with probability CUT."""
        # What leaves the window wraps round in the transform; counting CUT as infinite makes up for
        # it.
        if count < 2:
            return self if count else PrivacyLoss(self.step, 0, np.ones(1), 0.0)
        lowest, highest = (self._tail(count, sign) for sign in (-1, 1))
        length = scipy.fft.next_fast_len(highest - lowest + 1, real=True)
        places = (self.lowest + np.arange(self.mass.size)) % length
        wrapped = np.bincount(places, weights=self.mass, minlength=length)
        power = scipy.fft.irfft(scipy.fft.rfft(wrapped) ** count, n=length)
        mass = np.maximum(np.roll(power, -(lowest % length)), 0)
        return PrivacyLoss(self.step, lowest, mass, 1 - (1 - self.infinite) ** count + CUT)

    def _tail(self, count, sign):
        """A point of the grid that the sum of losses passes with probability CUT/2 at most, by
        Chernoff's bound."""
        x = sign * self._losses()
        furthest = count * max(sign * self.lowest, sign * (self.lowest + x.size - 1))
        mean = np.average(x, weights=self.mass)
        deviation = np.sqrt(np.average((x - mean) ** 2, weights=self.mass))
        if deviation == 0:
            return sign * furthest
        t = np.sqrt(-np.log(CUT) / count) / deviation
        bound = lambda t: (count * logsumexp(t * x, b=self.mass) - np.log(CUT / 2)) / t
        best = bound(t)
        for factor in (2.0, 0.5):  # it falls and then rises in t; of rare large losses t is small
            while (next_bound := bound(t * factor)) < best:
                t, best = t * factor, next_bound
        return sign * min(furthest, int(np.ceil(best / self.step)))

    def delta(self, epsilon: Reals) -> Floats:
        """The δ at which the mechanism is (ε, δ)-DP, never too small.

        Parameters
        ----------
        epsilon : float ≥ 0 or array_like"""
        epsilon = _checks.parameters("epsilon", epsilon, or_zero=True)
        x, at_least, delta = self._profile()
        above = np.minimum(np.searchsorted(x, epsilon), x.size - 1)  # the next point of the grid
        gap = np.maximum(x[above] - epsilon, 0)
        finite = np.where(
            epsilon > x[-1], 0, np.exp(-gap) * delta[above] - np.expm1(-gap) * at_least[above]
        )
        return np.minimum(self.infinite + finite, 1)

    def epsilon(self, delta: Real) -> float:
        """The ε at which the mechanism is (ε, δ)-DP, never too small; infinite for a δ below that
        of an infinite loss.

        Parameters
        ----------
        delta : float in (0, 1)"""
        target = _checks.parameter("delta", delta) - self.infinite
        if target < 0:
            return np.inf
        x, at_least, profile = self._profile()
        i = int(np.argmax(profile <= target))  # the first point of the grid where δ is small enough
        if at_least[i] <= target:
            return 0.0
        gap = -np.log1p(-(target - profile[i]) / (at_least[i] - profile[i]))
        return max(0.0, float(x[i] - gap))

    def trade_off(self, false_alarm: Reals) -> Floats:
        """The share of the guilty that every test misses, never too large.

        Parameters
        ----------
        false_alarm : float in [0, 1] or array_like, the share of the innocent that it accuses
        """
        v = _checks.parameters("false_alarm", false_alarm)
        # A test with v catches at most e^x v + δ(x), for every x. The best x is the loss at which
        # the probability under P' of larger ones passes v. Where rounding hides it, another x is
        # chosen, for which the bound is true as well.
        x, _, delta = self._profile()
        with np.errstate(divide="ignore", over="ignore"):
            beyond = np.cumsum((self.mass * np.exp(-x))[::-1])  # Pr'[L ≥ x], from the largest loss
            best = x.size - 1 - np.minimum(np.searchsorted(beyond, v), x.size - 1)
            line = np.exp(x[best] + np.log(v)) + delta[best]
        return 1 - np.minimum(line + self.infinite, 1)

    def _losses(self):
        return self.step * (self.lowest + np.arange(self.mass.size))

    def _profile(self):
        """The grid, Pr[L ≥ x] and δ(x) for finite losses: δ(x) = e^-h δ(x + h) + (1 - e^-h) Pr[L >
        x]."""
        at_least = np.cumsum(self.mass[::-1])[::-1]
        above = np.append(at_least[1:], 0)
        diagonals = np.array([[-np.exp(-self.step)], [1.0]]).repeat(above.size, axis=1)
        delta = scipy.linalg.solve_banded((0, 1), diagonals, -np.expm1(-self.step) * above)
        return self._losses(), at_least, delta


def sampled_cells(*, rate, sigma, sensitivity, order, step):
    """The grid of losses of a subsampled Gaussian, its step, and the probabilities of its cells
    under P and under P'."""
    rate, step = _checks.parameter("rate", rate), _checks.parameter("step", step)
    sensitivity = _checks.parameter("sensitivity", sensitivity)
    shift = sensitivity / _checks.parameter("sigma", sigma)
    shift = _checks.real("sensitivity / sigma", shift, above=0)
    joins = _checks.choice("order", order, ("remove", "add")) == "remove"
    # With the record against without it, an output z σ has the loss ln(1 - q + q e^(μz - μ²/2)).
    ends = shift * np.array([-TAIL, TAIL + shift]) - shift**2 / 2
    with np.errstate(divide="ignore"):
        grid = _grid(*np.logaddexp(np.log1p(-rate), np.log(rate) + ends), step)
    z = np.clip(_exponent(grid * step, rate) / shift + shift / 2, -2 * TAIL, 2 * TAIL + shift)
    without = _normal_cells(z)
    member = (1 - rate) * without + rate * _normal_cells(z - shift)
    if joins:
        return grid, step, member, without
    return -grid[::-1], step, without[::-1], member[::-1]


def _exponent(losses, rate):
    """u with ln(1 - q + q e^u) = x, where there is one; else -inf."""
    near = np.minimum(losses, LARGE_LOSS)
    with np.errstate(divide="ignore"):
        small = np.log1p(np.maximum(np.expm1(near) / rate, -1))
    return small + (losses - near)


def losses_from_below(p, q, step):
    """Outcomes with these probabilities; the loss of each is split between its neighbours on the
    grid so that it keeps its mean. What no other world can show is left out."""
    kept = np.minimum(p, q) > LEAST_KEPT
    p, q = p[kept], q[kept]
    losses = np.log(p / q) / step
    below = np.floor(losses)
    lowest, up = int(below.min()), losses - below
    places = (below - lowest).astype(np.int64)
    mass = np.bincount(places, p * (1 - up), places.max() + 2) + np.bincount(
        places + 1, p * up, places.max() + 2
    )
    return PrivacyLoss(step, lowest, mass, 0.0)


def _grid(lowest, highest, step):
    """The points of the grid around an interval, as integers, with one to spare at both ends."""
    if not max(-lowest, highest) / step < MOST_POINTS:
        raise ValueError(
            f"step must be larger for losses between {lowest:g} and {highest:g}, got {step}"
        )
    return np.arange(int(np.floor(lowest / step)) - 1, int(np.ceil(highest / step)) + 2)


def _normal_cells(z):
    """Probabilities of the cells between consecutive points, differences always taken in the nearer
    tail."""
    upper = z[:-1] > 0
    return np.where(upper, ndtr(-z[:-1]) - ndtr(-z[1:]), ndtr(z[1:]) - ndtr(z[:-1]))
