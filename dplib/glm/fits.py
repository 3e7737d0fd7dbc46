"""The fit of a model, by steps that go down for sure: it ends at a certified minimiser, or with a
proof that there is no use for one.

What a computer makes of a gradient and of a curvature is off by a bound, which `_Search.rounding`
computes with them: because of |zᵀEz| ≤ max |E| σ(z)² it says at once by how much ν is off, however
ill-conditioned H is. Where it is too large for floats, which takes outcomes far out or tens of
millions of records, predictions and coefficients go over to pairs of floats.

Symbols
-------
F(θ) = Σ w h(xᵀθ, y) + Λ/2 |θ|² + bᵀθ
    The sum over the records, never their mean, where a row of X stands for w of them; Λ (ridge) and
    b (tilt) are 0 in a plain fit.
n
    The number of records, Σ w.
g, H
    Gradient and second derivative of F.
σ(z), |g|*
    sup |xᵀz| over the domain, and the dual norm sup {gᵀz: σ(z) ≤ 1}.
ν
    1/sup xᵀH⁻¹x over the domain, the curvature in its weakest corner; 0 where H is singular.
κ
    How many records come or go, and 1/1024 more for what a computer leaves of g.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import scipy

from dplib import _checks
from dplib.glm.domains import Domain, checked_domain
from dplib.glm.losses import Loss
from dplib._types import ArrayLike, Integer, NDArray, Real, Reals

SOLVED = 2.0**-12  # of |g|*; what rounding adds to it and to ν is at most as much
CHARGED = 4 * SOLVED  # both data sets of a pair may be off by both
ROUNDOFF = 2.0**-53  # of a rounding
POLISHED = 1e-10  # of |g|*, for each record
SINGULAR = 1e-6  # a computed ν below it is none; its true value is then far below 1
QUADRATIC = np.e - 2  # e^a - 1 - a ≤ (e - 2) a² for a ≤ 1
DETOURS = 4  # steps that lengthen a gradient, before the search goes over to pairs of floats
BLOCK = 1024  # records in one sum
# roundings of a sum of sums, at most: by a weight, of a block, and of 2^40 blocks in pairs
ADDED = BLOCK + 64
SETTLING = 16  # Newton steps of `settled_fit`, of which four are enough
HELD = 64  # blocks whose weighted covariates are held at once
GONE = 746  # e^-746 is 0 in floats, and with it the curvature of a record as far from its outcome


@dataclass(frozen=True, repr=False)
class Fit:
    """The output of `fit_model`. All of it tells of single records: nothing here is private.

    Attributes
    ----------
    theta, low : float64, shape (d,), the coefficients in the coordinates of the domain;
        what a second float adds to them, mostly 0
    hessian : float64, shape (d, d), H at ``theta``
    factor : float64, shape (d, d), F with F Fᵀ = H⁻¹; zeros if H is singular or ν below 1e-6
    nu : float, ν at ``theta``
    gradient, rounding : float, |g|* as it was computed,
        and a bound of what rounding may have added to it and to ν together
    """

    theta: NDArray[np.float64]
    low: NDArray[np.float64]
    hessian: NDArray[np.float64]
    factor: NDArray[np.float64]
    nu: float
    gradient: float
    rounding: float

    def along(self, z: NDArray[np.float64]) -> Fraction:
        """zᵀθ, an exact fraction.

        Parameters
        ----------
        z : float64, shape (d,), directions, one of them
        """
        terms = zip(z, self.theta, self.low)
        return sum((Fraction(a) * (Fraction(b) + Fraction(c)) for a, b, c in terms), Fraction(0))

    def inverse(self, z: NDArray[np.float64]) -> NDArray[np.float64]:
        """H⁻¹z.

        Parameters
        ----------
        z : float64, shape (d,), directions in the columns if there are several
        """
        return self.factor @ (self.factor.T @ z)


class Records(NamedTuple):
    """What a model is fitted to: n = ``size`` records, of which so many as its weight share a
    row."""

    design: NDArray[np.float64]
    y: NDArray[np.float64]
    weights: NDArray[np.float64] | float
    size: int

    @classmethod
    def read(cls, X, y, weights, *, domain, loss):
        """Records in the coordinates of the domain; without weights each has a row of its own."""
        if not isinstance(loss, Loss):
            raise ValueError(f"loss must be a Loss, for example LOGISTIC or ROBUST, got {loss!r}")
        design = checked_domain(domain).design(X)
        rows = len(design)
        if weights is None:
            weights, size, what = 1.0, rows, "X must have at most {} rows"
        else:
            weights = _counts(weights, rows)
            size, what = int(weights.sum()), "weights must add up to at most {}"
        if size > (most := most_records(domain, loss)):
            raise ValueError(f"{what.format(most)} for this loss and domain, got {size}")
        return cls(design, loss.read(y, rows), weights, size)


def _counts(weights, rows):
    """How many records each row stands for, as floats; 0 in a list of all rows that there could
    be, where an error would say that nobody has one of them."""
    counts = _checks.integers("weights", weights, at_least=0)
    if counts.shape != (rows,):
        raise ValueError("weights must have one number for each row of X, got another shape")
    return counts.astype(np.float64)


def fit_model(X: ArrayLike, y: ArrayLike, *, weights: ArrayLike | None = None, domain: Domain,
              loss: Loss, changes: Integer = 2, ridge: Real = 0.0, tilt: Reals = 0.0) -> Fit:
    """Fit a model, without any privacy.

    Parameters
    ----------
    X : array_like, shape (n, columns), one row for each record
    y : array_like, shape (n,), the outcomes
    weights : array_like of int ≥ 0, shape (n,), how many records a row stands for; None: one
    domain : Box or Ball, public; records outside are moved into it
    loss : Loss
    changes : int ≥ 0, how many records come or go, k; it may stop early once ν + |g|* ≤ κ,
        where no release would answer; 0 for the fit itself, unless its ν is below 1/1024
    ridge : float ≥ 0, Λ
    tilt : float or array_like of shape (d,), b

    Returns
    -------
    Fit
        Either |g|* ≤ 2^-12, and mostly 1e-10 n, or ν + |g|* ≤ κ

    Raises
    ------
    ValueError
        for numbers that are not finite, weights that are no counts, shapes that do not fit
        together, a tilt without a ridge, and more records than `most_records`

    Notes
    -----
    :Privacy: None. The statistic max(ν, κ) differs by at most κ between data sets k records apart,
        however far the search went; and where it is above κ, the other data set has a minimiser
        whose predictions differ by at most -ln(1 - κ/ν). Both hold however the records are put
        into rows, each alone or equal ones as one row with a weight, in any order. How long it
        takes depends on the data, too, and on their rows.
    :Error: ``theta`` minimises F up to a gradient of that size. What rounding adds to it and to ν
        is bounded by ``rounding``, at most 2^-12, and κ covers it; h' and h'' are taken to be right
        to 4 units in the last place, and LAPACK's eigenvalues to 10 d of them, relative to the
        largest.
    :Cost: O(d²) a row and step, 5 to 10 steps on usual data; one in a thousand of those made to be
        hard took more than 37.
    :References: Theorem *How far a prediction moves* on the page *How far can one record pull?*
        (thm-prediction-shift); proposition *Counts of rows* on the page *Vouching for curvature*
        (prop-counts-of-rows).

    Examples
    --------
    >>> from dplib.glm import LOGISTIC, Box
    >>> treated, better = np.repeat([0, 1], 500), np.repeat([0, 1, 0, 1], [250, 250, 200, 300])
    >>> fit = fit_model(treated[:, None], better, loss=LOGISTIC, domain=Box([(0, 1)]))
    >>> print(f"{2 * fit.theta[1]:.4f} {fit.nu:.2f}")
    0.4055 120.00
    >>> fit = fit_model([[0], [0], [1], [1]], [0, 1, 0, 1], weights=[250, 250, 200, 300],
    ...                 loss=LOGISTIC, domain=Box([(0, 1)]))
    >>> print(f"{2 * fit.theta[1]:.4f} {fit.nu:.2f}")
    0.4055 120.00
    """
    changes = _checks.integer("changes", changes, at_least=0)
    ridge = _checks.real("ridge", ridge, at_least=0)
    tilt = _checks.reals("tilt", tilt)
    if tilt.any() and not ridge:
        raise ValueError("ridge must be above 0 with a tilt, without which there may be no "
                         "minimum, got 0")
    records = Records.read(X, y, weights, domain=domain, loss=loss)
    search = _Search(records, loss, domain, ridge, tilt)
    return search.ended(changes + CHARGED)


def settled_fit(records, *, domain, loss, ridge, tilt):
    """The minimiser with a ridge Λ of at least r²/512 and a tilt b, as `fit_model` has it, then
    Newton steps until |g|* as computed is at most 4 times `settled_rounding`.

    ν is at least 1/512 and |g|* at most 2^-11, so a step leaves a gradient of at most ½ |g|*²/ν
    (1 + 1/8), to first order, and four steps are enough; a computed one leaves besides, of |g|*,
    what the linear algebra is off in proportion, less than 1/100. Then |g|* is at most 5 times
    `settled_rounding`, rounding included. Rounding leaves more of |g|* where the tilt is above
    10^12; but tilt and ridge grow together as ε gets smaller, so that it is far below ν then, too.
    """
    search = _Search(records, loss, domain, ridge, tilt)
    fit = search.ended(CHARGED)
    search.in_pairs = True
    point = search.at(fit.theta, fit.low)
    enough = 4 * settled_rounding(records.size, domain, loss, domain.dual(search.tilt))
    for _ in range(SETTLING):
        if point.norm <= enough:
            break
        values, vectors = point.eigen
        point = search.moved(point, -vectors @ (vectors.T @ point.gradient / values))
    return search.fitted(point)


def settled_rounding(size, domain, loss, tilt):
    """A public bound of what rounding adds to |g|* of `settled_fit`: that of `_Search.rounding` in
    pairs of floats, for the worst data of this size and |b|* at most ``tilt``. As g is small, |Λθ|*
    is at most |b|* and what the records add up to."""
    far = max(map(abs, loss.outcomes)) + GONE
    summed = size * (4 * far * loss.largest_curvature + 4 + ADDED)
    return ROUNDOFF * domain.spread * (summed + 4 * (2 * size + 2 * tilt + 1))


def most_records(domain: Domain, loss: Loss) -> int:
    """With so many records, rounding is at most 2^-12 in gradient and curvature together.

    Parameters
    ----------
    domain : Box or Ball
    loss : Loss

    Returns
    -------
    int, about 3·10⁷ for the robust loss and ten coefficients, 7·10⁸ for the logistic one

    Examples
    --------
    >>> from dplib.glm import LOGISTIC, ROBUST, Box
    >>> [f"{most_records(Box([(0, 1)] * 9), loss):.1e}" for loss in (LOGISTIC, ROBUST)]
    ['7.1e+08', '3.1e+07']
    """
    highest, far = loss.largest_curvature, max(map(abs, loss.outcomes)) + GONE
    gradient = domain.spread * (4 * far * highest + 4 + ADDED)
    curvature = 4 * far + domain.spread**2 * _curvature_roundings(domain.dimension)
    return int(SOLVED / ROUNDOFF / (gradient + highest * curvature))


def _curvature_roundings(d):
    """Of a curvature, relative to n sup h'': the sums, the weights, and the eigenvalues."""
    return ADDED + 8 + 10 * d**2


def statistic(fit, changes):
    """max(ν, κ) and κ: what a certificate is about, and how much it changes between neighbours."""
    kappa = changes + CHARGED
    return max(fit.nu, kappa), kappa


@dataclass(frozen=True)
class _Point:
    theta: np.ndarray
    low: np.ndarray
    t: np.ndarray
    gradient: np.ndarray
    hessian: np.ndarray
    norm: float
    eigen: tuple
    rounding: float


class _Search:
    """F on one data set, and steps that make it smaller."""

    def __init__(self, records, loss, domain, ridge, tilt):
        self.design, self.y, self.weights, self.size = records
        self.loss, self.domain, self.ridge = loss, domain, ridge
        self.tilt, self.in_pairs = np.broadcast_to(tilt, domain.dimension), False

    def ended(self, enough):
        """The fit where the search ends: |g|* ≤ 2^-12, or ν + |g|* ≤ κ, rounding included."""
        start = np.zeros(self.domain.dimension)
        point, lengthened = self.at(start, start), 0
        useful = lambda point: point.norm + self.weakest(point)[0] + point.rounding > enough
        while not self.solved(point) and useful(point):
            if point.norm > SOLVED:
                point, before = self.next(point), point
                lengthened += point.norm >= before.norm and self.near_rounding(point)
                if lengthened < DETOURS and not np.array_equal(point.theta, before.theta):
                    continue
            if self.in_pairs:  # nothing is left to gain: with so few records it is solved by now
                break
            self.in_pairs, lengthened = True, 0
            point = self.at(point.theta, point.low)
        if point.norm <= SOLVED:  # else κ would not cover what a polished ν may be above it
            point = self.polished(point)
        return self.fitted(point)

    def fitted(self, point):
        nu, factor = self.weakest(point)
        return Fit(point.theta, point.low, point.hessian, factor, nu, point.norm, point.rounding)

    def solved(self, point):
        return point.norm <= SOLVED and point.rounding <= SOLVED

    def at(self, theta, low):
        t = _in_pairs(self.design, theta, low) if self.in_pairs else self.design @ theta
        slope = self.weights * self.loss.slope(t, self.y)
        curvature = self.weights * self.loss.curvature(t, self.y)
        gradient = sums(slope[:, None], self.design)[0] + self.ridge * theta + self.tilt
        hessian = self._curvature(curvature) + self.ridge * np.eye(theta.size)
        eigen = np.linalg.eigh(hessian)
        norm, rounding = self.domain.dual(gradient), self.rounding(theta, t, curvature)
        return _Point(theta, low, t, gradient, hessian, norm, eigen, rounding)

    def rounding(self, theta, t, curvature):
        """A bound of what the gradient is off in its norm, and ν: by predictions, by h' and h'', by
        sums, by eigenvalues."""
        spread, d, n = self.domain.spread, theta.size, self.size
        if self.in_pairs:
            off, relative = 4 * np.abs(t) @ curvature, 4 * np.abs(t[curvature > 0]).max(initial=0)
        else:
            width = self.domain.width(theta)
            relative = 2 * (d + 2) * spread * width  # how far off a prediction is, in roundings
            off = relative * curvature.sum()
        outside = self.domain.dual(self.ridge * theta) + self.domain.dual(self.tilt)
        gradient = spread * (off + n * (4 + ADDED)) + 4 * outside
        highest = n * self.loss.largest_curvature
        second = relative * curvature.sum() + spread**2 * highest * _curvature_roundings(d)
        return ROUNDOFF * float(gradient + second)

    def _curvature(self, curvature):
        parts = [np.zeros((self.design.shape[1],) * 2)]
        for start in range(0, len(curvature), HELD * BLOCK):
            part = self.design[start:start + HELD * BLOCK]
            parts.append(sums(curvature[start:start + HELD * BLOCK, None] * part, part))
        return np.add.reduce(np.array(parts).transpose(1, 2, 0).copy(), axis=-1)

    def weakest(self, point):
        """ν, and F with F Fᵀ = H⁻¹."""
        values, vectors = point.eigen
        if values[0] < SINGULAR**2:  # squares of its root's inverse would leave the floats
            return 0.0, np.zeros_like(vectors)
        factor = vectors / np.sqrt(values)
        nu = 1 / self.domain.leverage(factor)
        return (nu, factor) if nu >= SINGULAR else (0.0, np.zeros_like(vectors))

    def moved(self, point, step):
        """The point a step further."""
        if not self.in_pairs:
            return self.at(point.theta + step, point.low)
        total = point.theta + (step + point.low)
        back = total - point.theta
        return self.at(total, (point.theta - (total - back)) + ((step + point.low) - back))

    def next(self, point):
        """Newton's step if predictions move by at most 1, so that F falls for sure, or if F still
        slopes down at its end. Else the step in a ball that is best for a quadratic above F, and in
        balls twice, four times, ... as large, under the same test."""
        values, vectors = np.maximum(point.eigen[0], 0), point.eigen[1]
        along = vectors.T @ point.gradient
        if values[0] > SINGULAR:
            step = -vectors @ (along / values)
            width = self.domain.width(step)
            if width <= 1 or self._slope_at_end(point, step) < -SOLVED * width:
                return self.moved(point, step)
        radius = 1 / self.domain.reach
        step, bound = _trust_region(values, along, radius)
        while bound:
            radius *= 2
            longer, bound = _trust_region(values, along, radius)
            end = vectors @ longer
            if self._slope_at_end(point, end) >= -SOLVED * self.domain.width(end):
                break
            step = longer
        return self.moved(point, vectors @ step)

    def _slope_at_end(self, point, step):
        move = self.design @ step
        of_the_ridge = self.ridge * (point.theta + step) + self.tilt
        slope = self.weights * self.loss.slope(point.t + move, self.y)
        return slope @ move + of_the_ridge @ step

    def near_rounding(self, point):
        """Is the gradient no longer than what rounding may make of 0?"""
        theta = np.spacing(np.abs(point.theta))  # how far the next float is
        highest = self.loss.largest_curvature * self.size
        finest = self.domain.width(theta) * highest + self.domain.dual(self.ridge * theta)
        return point.norm <= point.rounding + finest

    def polished(self, point):
        """Newton steps as long as each leaves at most a quarter of the gradient, and a record's
        share of it is above 1e-10."""
        while point.norm > POLISHED * self.size and point.eigen[0][0] > SINGULAR:
            values, vectors = point.eigen
            step = -vectors @ (vectors.T @ point.gradient / values)
            if self.domain.width(step) > 1:
                return point
            better = self.moved(point, step)
            if not better.norm <= point.norm / 4:
                return point
            point = better
        return point


def sums(left, right):
    """leftᵀ right, by blocks of records whose sums are added in pairs, so that hardly more
    roundings add up than a block has records."""
    blocks = len(right) // BLOCK
    if not blocks:
        return left.T @ right
    full = blocks * BLOCK
    in_blocks = lambda array: array[:full].reshape(blocks, BLOCK, array.shape[1])
    last = (left[full:].T @ right[full:])[None]
    parts = np.concatenate([in_blocks(left).transpose(0, 2, 1) @ in_blocks(right), last])
    return np.add.reduce(parts.transpose(1, 2, 0).copy(), axis=-1)


def _in_pairs(design, theta, low):
    """Predictions from pairs of floats, each rounded about once."""
    total, rest = np.zeros(len(design)), np.zeros(len(design))
    for x, high, little in zip(design.T, theta, low):
        product, a, b = x * high, _upper(x), _upper(high)
        lost = ((a * b - product) + a * (high - b) + (x - a) * b) + (x - a) * (high - b)
        rest += lost  # by the product
        moved = total + product
        back = moved - total
        rest += (total - (moved - back)) + (product - back) + x * little
        total = moved
    return total + rest


def _upper(a):
    """The upper half of the digits of floats."""
    scaled = a * (2.0**27 + 1)
    return scaled - (scaled - a)


def _trust_region(values, along, radius):
    """The minimiser of gᵀδ + (e - 2) δᵀHδ over |δ| ≤ radius in the coordinates of H's eigenvectors;
    is it on the boundary?"""
    def length(multiplier):
        step = along / (2 * (QUADRATIC * values + multiplier))
        return math.sqrt(step @ step)  # a quarter of the time of np.linalg.norm

    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        inside = np.where(along != 0, along / (2 * QUADRATIC * values), 0)
    if np.abs(inside).max() <= radius and np.linalg.norm(inside) <= radius:
        return -inside, False
    least, top = 1e-18 * np.linalg.norm(along) / radius, np.linalg.norm(along) / radius
    multiplier = least
    if length(least) > radius:
        too_long = lambda m: 1 / length(m) - 1 / radius
        multiplier = scipy.optimize.brentq(too_long, least, top, xtol=least)
    step = -along / (2 * (QUADRATIC * values + multiplier))
    return step * min(1, radius / np.linalg.norm(step)), True
