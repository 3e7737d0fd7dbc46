"""What a release of one coefficient says, and the intervals that it gives for nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from scipy.special import hyp1f1, ndtri

from dplib import _checks
from dplib._types import Real
from dplib.mean import noise_tail

PARTS = np.linspace(0.02, 0.98, 49)  # of the failing probability, from which β₁ is chosen


@dataclass(frozen=True)
class Release:
    """One released number. All of its fields may be published.

    Attributes
    ----------
    value : float
    mechanism : str, "one certificate", "fitted scale" or "perturbed objective"
    certificate : float, ν̂
    noise_scale : float, a bound on the scale of the Laplace noise in ``value``;
        the scale itself under "one certificate"; infinite under "perturbed objective", which has
        none, and so are its intervals
    sampling_variance : float or None, the squared standard error of uᵀθ, however the records of
        one unit hang together: a bound, or, where ``sampling_noise`` is above 0, with noise; None
        where there is none
    missed : float, a bound on the probability that a bound in here is too small
    epsilon, delta : float, what everything in here costs together
    sampling_noise : float, the scale of the Laplace noise on the logarithm of that square
    largest_error : float, a public bound of this standard error
    noise_ratio : float, the scale of the noise in ``value`` is at most so many of these standard
        errors
    """

    value: float
    mechanism: str
    certificate: float
    noise_scale: float
    sampling_variance: float | None
    missed: float
    epsilon: float
    delta: float
    sampling_noise: float = 0.0
    largest_error: float = np.inf
    noise_ratio: float = np.inf

    def interval(self, level: Real = 0.95) -> tuple[float, float]:
        """An interval for the coefficient of the population, noise and sampling included.

        Parameters
        ----------
        level : float in (0, 1), the probability of covering, below 1 - ``missed``

        Returns
        -------
        (float, float)

        Raises
        ------
        ValueError
            where there is no bound on the sampling error: for losses but the logistic one

        Notes
        -----
        :Privacy: It is computed from released numbers and costs nothing more.
        :Error: Over all runs it covers uᵀθ of the population with at least this probability where
            uᵀθ of the sample is Gaussian around it with a variance of at most r uᵀH⁻¹u, r records a
            unit: for a logistic model that is right for each record, independent units, and many of
            them. Not for each value of ``certificate``.
        :References: Proposition *An interval from public numbers* on the page *A treatment effect,
            for whom?* (prop-interval); proposition *An interval from a noisy standard error* on the
            page *A treatment effect, for whom?* (prop-noisy-error).
        """
        if self.sampling_variance is None:
            raise ValueError("interval needs a bound on the sampling error, which only a logistic "
                             "fit has; noise_interval covers the number that would have been "
                             "released without noise")
        return self._interval(level, sampling=True)

    def noise_interval(self, level: Real = 0.95) -> tuple[float, float]:
        """An interval for the number that would have been released without noise, uᵀθ of the data
        themselves.

        Parameters
        ----------
        level : float in (0, 1), the probability of covering, below 1 - ``missed``

        Returns
        -------
        (float, float)
        """
        return self._interval(level, sampling=False)

    def _interval(self, level, *, sampling):
        failing = 1 - _checks.parameter("level", level) - self.missed
        if failing <= 0:
            raise ValueError(f"level must be below 1 - {self.missed:g}, got {level}")
        if self.noise_scale == np.inf:
            return -np.inf, np.inf
        sd, scale = np.sqrt(self.sampling_variance or 0.0), self.noise_scale
        if self.sampling_noise and (sampling or self.noise_ratio < np.inf):
            failing, raised = widened(failing, self.sampling_noise)
            sd = min(raised * sd, self.largest_error)
            scale = min(scale, self.noise_ratio * sd)
        half = _half_width(sd if sampling else 0.0, scale, failing)
        return self.value - half, self.value + half


def _half_width(sd, scale, failing):
    """t with Pr[|sd N + scale B| > t] = failing, N normal and B Laplace noise."""
    excess = lambda t: 2 * noise_tail(t, sd=sd, scale=scale) - failing
    top = scale + 9 * sd
    while excess(top) > 0:
        top *= 2
    return scipy.optimize.brentq(excess, 0, top)


def widened(failing, noise):
    """(β₁, k): an interval from k times a standard error, for the failing probability β₁, fails
    with probability ``failing`` at most, where the logarithm of the square of this standard error
    has Laplace noise of the scale ``noise``."""
    part = failing * PARTS
    z, power = -ndtri(part / 2), 2 / noise
    moment = partial_moment(power, z)
    raised = np.maximum(1, (moment / (2 * (failing - part))) ** (1 / power))
    best = np.argmin(raised * z)
    return float(part[best]), float(raised[best])


def partial_moment(power, z):
    """E[(|N|/z)^power; |N| ≤ z] of a standard normal N."""
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    return 2 * z * density / (power + 1) * hyp1f1(1, (power + 3) / 2, z * z / 2)
