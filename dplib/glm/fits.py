"""The fit of a model, by steps that go down for sure: it ends at a certified minimiser, or with a proof that there is no use for one.

Symbols
-------
F(θ) = Σ h(xᵀθ, y) + Λ/2 |θ|² + bᵀθ
    The sum over the records, never their mean; Λ (ridge) and b (tilt) are 0 in a plain fit.
g, H
    Gradient and second derivative of F.
σ(z), |g|*
    sup |xᵀz| over the domain, and the dual norm sup {gᵀz: σ(z) ≤ 1}.
ν
    1/sup xᵀH⁻¹x over the domain, the curvature in its weakest corner; 0 where H is singular.
κ
    How many records come or go, and 1/1024 more for what a computer leaves of g.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from dplib import _checks
from dplib.glm.losses import Loss

SOLVED = 2.0**-12  # of |g|*; what rounding adds to it stays below the same number for a million records and more
CHARGED = 4 * SOLVED  # both data sets of a pair may be off by both
POLISHED = 1e-10  # of |g|*, for each record
SINGULAR = 1e-6  # a computed ν below it is none; its true value is then far below 1
QUADRATIC = np.e - 2  # e^a - 1 - a ≤ (e - 2) a² for a ≤ 1
DETOURS = 4  # steps that lengthen a gradient within reach of rounding, before the search gives up
BLOCK = 8192  # records whose weighted covariates are held at once


@dataclass(frozen=True, repr=False)
class Fit:
    """The output of `fit_model`. All of it tells of single records: nothing here is private.

    Attributes
    ----------
    theta : float64, shape (d,), in the coordinates of the domain
    hessian : float64, shape (d, d), H at ``theta``
    factor : float64, shape (d, d), F with F Fᵀ = H⁻¹; zeros if H is singular or ν below 1e-6
    nu : float, ν at ``theta``
    gradient : float, a bound on |g|* at ``theta``
    """

    theta: np.ndarray
    hessian: np.ndarray
    factor: np.ndarray
    nu: float
    gradient: float

    def inverse(self, z):
        """H⁻¹z.

        Parameters
        ----------
        z : float64, shape (d,), directions in the columns if there are several
        """
        return self.factor @ (self.factor.T @ z)


def fit_model(X, y, *, domain, loss, changes=2, ridge=0.0, tilt=0.0):
    """Fit a model, without any privacy.

    Parameters
    ----------
    X : array_like, shape (n, columns), one row for each record
    y : array_like, shape (n,), the outcomes
    domain : Box or Ball, public; records outside are moved into it
    loss : Loss
    changes : int ≥ 0, how many records come or go, k; it may stop early once ν + |g|* ≤ κ, where no release would answer; 0 for
        the fit itself, unless its ν is below 1/1024
    ridge : float ≥ 0, Λ
    tilt : float or array_like of shape (d,), b

    Returns
    -------
    Fit
        Either |g|* ≤ 2^-12, and mostly 1e-10 n, or ν + |g|* ≤ κ, or |g|* is lost in rounding and
        four steps did not shorten it.

    Raises
    ------
    ValueError
        for numbers that are not finite, shapes that do not fit together, and a tilt without a ridge

    Notes
    -----
    :Privacy: None. The statistic max(ν, κ) differs by at most κ between data sets k records apart, however far the search went;
        and where it is above κ, the other data set has a minimiser whose predictions differ by at most -ln(1 - κ/ν). How long it
        takes depends on the data, too.
    :Error: ``theta`` minimises F up to a gradient of that size. With n records, rounding adds about 1e-16 n (1 + |xᵀθ| + |y|) to it,
        which κ covers up to some 10^12 of n (1 + |y|).
    :Cost: O(n d²) a step, 5 to 10 steps on usual data; one in a thousand of those made to be hard took more than 37.
    :References: Theorem *How far a prediction moves* on the page *How far can one record pull?* (thm-prediction-shift).

    Examples
    --------
    >>> from dplib.glm import LOGISTIC, Box
    >>> treated, better = np.repeat([0, 1], 500), np.r_[np.zeros(250), np.ones(250), np.zeros(200), np.ones(300)]
    >>> fit = fit_model(treated[:, None], better, loss=LOGISTIC, domain=Box([(0, 1)]))
    >>> print(f"{2 * fit.theta[1]:.4f} {fit.nu:.2f}")
    0.4055 120.00
    """
    if not isinstance(loss, Loss):
        raise ValueError(f"loss must be a Loss, for example LOGISTIC or ROBUST, got {loss!r}")
    changes = _checks.integer("changes", changes, at_least=0)
    ridge = _checks.real("ridge", ridge, at_least=0)
    tilt = _checks.reals("tilt", tilt)
    if tilt.any() and not ridge:
        raise ValueError("ridge must be above 0 with a tilt, without which there may be no minimum, got 0")
    design = domain.design(X)
    search = _Search(design, loss.read(y, len(design)), loss, domain, ridge, tilt)
    enough = changes + CHARGED
    point, lost = search.at(np.zeros(domain.dimension)), 0
    while point.norm > SOLVED and not (point.norm <= enough and point.norm + search.weakest(point)[0] <= enough):
        point, before = search.next(point), point
        lost += search.lost_in_rounding(point, before)
        if lost == DETOURS or np.array_equal(point.theta, before.theta):
            point = min(point, before, key=lambda end: end.norm)
            break
    if point.norm <= SOLVED:  # else κ would not cover what a polished ν may be above it
        point = search.polished(point)
    nu, factor = search.weakest(point)
    return Fit(point.theta, point.hessian, factor, nu, point.norm)


def statistic(fit, changes):
    """max(ν, κ) and κ: what a certificate is about, and how much it changes between neighbours."""
    kappa = changes + CHARGED
    return max(fit.nu, kappa), kappa


@dataclass(frozen=True)
class _Point:
    theta: np.ndarray
    t: np.ndarray
    gradient: np.ndarray
    hessian: np.ndarray
    norm: float
    eigen: tuple


class _Search:
    """F on one data set, and steps that make it smaller."""

    def __init__(self, design, y, loss, domain, ridge, tilt):
        self.design, self.y, self.loss, self.domain, self.ridge, self.tilt = design, y, loss, domain, ridge, tilt

    def at(self, theta, t=None):
        t = self.design @ theta if t is None else t
        gradient = self.design.T @ self.loss.slope(t, self.y) + self.ridge * theta + self.tilt
        hessian = self._curvature(self.loss.curvature(t, self.y)) + self.ridge * np.eye(theta.size)
        return _Point(theta, t, gradient, hessian, self.domain.dual(gradient), np.linalg.eigh(hessian))

    def _curvature(self, weights):
        total = np.zeros((self.design.shape[1],) * 2)
        for start in range(0, len(weights), BLOCK):
            part = self.design[start:start + BLOCK]
            total += part.T @ (weights[start:start + BLOCK, None] * part)
        return total

    def weakest(self, point):
        """ν, and F with F Fᵀ = H⁻¹."""
        values, vectors = point.eigen
        if values[0] < SINGULAR**2:  # squares of its root's inverse would leave the floats
            return 0.0, np.zeros_like(vectors)
        factor = vectors / np.sqrt(values)
        nu = 1 / self.domain.leverage(factor)
        return (nu, factor) if nu >= SINGULAR else (0.0, np.zeros_like(vectors))

    def next(self, point):
        """Newton's step if predictions move by at most 1, so that F falls for sure, or if F still slopes down at its end. Else the
        step in a ball that is best for a quadratic above F, and in balls twice, four times, ... as large, under the same test."""
        values, vectors = np.maximum(point.eigen[0], 0), point.eigen[1]
        along = vectors.T @ point.gradient
        if values[0] > SINGULAR:
            step = -vectors @ (along / values)
            width = self.domain.width(step)
            if width <= 1 or self._slope_at_end(point, step) < -SOLVED * width:
                return self.at(point.theta + step)
        radius = 1 / self.domain.reach
        step, bound = _trust_region(values, along, radius)
        while bound:
            radius *= 2
            longer, bound = _trust_region(values, along, radius)
            if self._slope_at_end(point, vectors @ longer) >= -SOLVED * self.domain.width(vectors @ longer):
                break
            step = longer
        return self.at(point.theta + vectors @ step)

    def _slope_at_end(self, point, step):
        move = self.design @ step
        return (self.loss.slope(point.t + move, self.y) @ move + (self.ridge * (point.theta + step) + self.tilt) @ step)

    def lost_in_rounding(self, point, before):
        """Did a step not shorten the gradient, and is it no longer than what rounding may make of 0?"""
        if point.norm < before.norm:
            return False
        theta = np.spacing(np.abs(point.theta))  # how far the next float is
        finest = self.domain.width(theta) + np.spacing(np.abs(point.t).max(initial=1))
        each = (theta.size + 2) * (self.loss.largest_curvature * finest + 2.0**-46)
        added = self.domain.dual(self.ridge * theta + np.spacing(np.abs(self.tilt)))
        return point.norm <= len(self.y) * each + added

    def polished(self, point):
        """Newton steps as long as each leaves at most a quarter of the gradient, and a record's share of it is above 1e-10."""
        while point.norm > POLISHED * len(self.y) and point.eigen[0][0] > SINGULAR:
            values, vectors = point.eigen
            step = -vectors @ (vectors.T @ point.gradient / values)
            if self.domain.width(step) > 1:
                return point
            better = self.at(point.theta + step)
            if not better.norm <= point.norm / 4:
                return point
            point = better
        return point


def _trust_region(values, along, radius):
    """The minimiser of gᵀδ + (e - 2) δᵀHδ over |δ| ≤ radius in the coordinates of H's eigenvectors; is it on the boundary?"""
    length = lambda multiplier: np.linalg.norm(along / (2 * (QUADRATIC * values + multiplier)))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        inside = np.where(along != 0, along / (2 * QUADRATIC * values), 0)
    if np.abs(inside).max() <= radius and np.linalg.norm(inside) <= radius:
        return -inside, False
    least, top = 1e-18 * np.linalg.norm(along) / radius, np.linalg.norm(along) / radius
    multiplier = least
    if length(least) > radius:
        multiplier = brentq(lambda m: 1 / length(m) - 1 / radius, least, top, xtol=least)
    step = -along / (2 * (QUADRATIC * values + multiplier))
    return step * min(1, radius / np.linalg.norm(step)), True
