"""Losses of one record, as functions of its prediction, and the three properties that every theorem
here needs of them.

Symbols
-------
t : the prediction xᵀθ of a record
y : its outcome
h(t, y) : its loss; h' its slope in t, h'' its curvature
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from dplib import _checks
from dplib._types import ArrayLike, Integer, NDArray

FURTHEST_OUTCOME = 2.0**14  # outcomes beyond it count as if there: predictions keep twelve decimals


@dataclass(frozen=True)
class Loss:
    """A loss for `fit_model` and for the releases.

    Attributes
    ----------
    name : str
    value, slope, curvature : functions of (t, y), vectorised: h, h' and h''
    largest_curvature : float, a bound on h''
    outcomes : (float, float), the least and the largest outcome; others are moved there

    Notes
    -----
    :Privacy: What is proven of a release holds for every h(·, y) that is convex, bounded below and
        three times differentiable, with |h'| + h'' ≤ 1 and |h'''| ≤ h''. A loss of your own has to
        be scaled until it has these properties: with |h'''| ≤ C h'', take h(t/C)/M, where |h'|/C +
        h''/C² ≤ M; predictions are then in units of 1/C. Plot it: nothing tests it for you.
    :References: Lemma *Curvature changes slowly* on the page *How far can one record pull?*
        (lem-self-concordance); Bach, *Self-concordant analysis for logistic regression* (2010).

    Examples
    --------
    >>> t = np.array([-1.0, 0.0, 1.0])
    >>> (np.abs(LOGISTIC.slope(t, 1)) + LOGISTIC.curvature(t, 1)).round(3)
    array([0.928, 0.75 , 0.466])
    """

    name: str
    value: Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
    slope: Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
    curvature: Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
    largest_curvature: float
    outcomes: tuple[float, float]

    def read(self, y: ArrayLike, size: Integer) -> NDArray[np.float64]:
        """Outcomes as floats within the public limits.

        Parameters
        ----------
        y : array_like of finite real numbers, shape (n,), the outcomes
        size : int, the number n of records
        """
        y = _checks.reals("y", y)
        if y.shape != (size,):
            raise ValueError(f"y must have one outcome for each of the {size} records of X, "
                             f"got shape {y.shape}")
        return np.clip(y, *self.outcomes)


def _logistic_curvature(t, y):
    p = expit(-np.abs(t))
    return p * (1 - p)


def _robust_curvature(t, y):
    p = expit(-np.abs(t - y))
    return 2 * p * (1 - p)


LOGISTIC = Loss(
    name="logistic",
    value=lambda t, y: np.logaddexp(0, t) - y * t,
    slope=lambda t, y: expit(t) - y,
    curvature=_logistic_curvature,
    largest_curvature=0.25,
    outcomes=(0.0, 1.0),
)

ROBUST = Loss(
    name="robust",
    value=lambda t, y: np.logaddexp(0, t - y) + np.logaddexp(0, y - t),
    slope=lambda t, y: np.tanh((t - y) / 2),
    curvature=_robust_curvature,
    largest_curvature=0.5,
    outcomes=(-FURTHEST_OUTCOME, FURTHEST_OUTCOME),
)
