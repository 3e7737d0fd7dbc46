"""What a release of one coefficient says, and the intervals that it gives for nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from dplib import _checks
from dplib._types import Real
from dplib.mean import noise_tail


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
    sampling_variance : float or None, a bound on the squared standard error of uᵀθ, however the
        records of one unit hang together; None where there is none
    missed : float, a bound on the probability that these bounds are too small
    epsilon, delta : float, what everything in here costs together
    """

    value: float
    mechanism: str
    certificate: float
    noise_scale: float
    sampling_variance: float | None
    missed: float
    epsilon: float
    delta: float

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
        """
        if self.sampling_variance is None:
            raise ValueError("interval needs a bound on the sampling error, which only a logistic "
                             "fit has; noise_interval covers the number that would have been "
                             "released without noise")
        return self._around(np.sqrt(self.sampling_variance), level)

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
        return self._around(0.0, level)

    def _around(self, sd, level):
        failing = 1 - _checks.parameter("level", level) - self.missed
        if failing <= 0:
            raise ValueError(f"level must be below 1 - {self.missed:g}, got {level}")
        if self.noise_scale == np.inf:
            return -np.inf, np.inf
        excess = lambda t: 2 * noise_tail(t, sd=sd, scale=self.noise_scale) - failing
        top = self.noise_scale + 9 * sd
        while excess(top) > 0:
            top *= 2
        half = scipy.optimize.brentq(excess, 0, top)
        return self.value - half, self.value + half
