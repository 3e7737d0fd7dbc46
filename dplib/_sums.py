"""Sums of floats without rounding: every record is a whole number of steps of a public unit, and
int64 adds those up.

What a record is rounded to is a matter of this record alone, so it costs no privacy; and the order
of the records does not matter.
"""

from dataclasses import dataclass
from functools import cached_property
from math import frexp, ldexp

import numpy as np

from dplib import _grid

WINDOW_DIGITS = 37  # of the half-width, above the unit, unless there are more than 2**24 records


@dataclass(frozen=True)
class Tally:
    """The sum of n numbers from -B to B.

    Attributes
    ----------
    size : int, n
    half_width : float, B
    unit : float, a power of two; one number moves the sum by at most ``moved`` of it
    """

    size: int
    half_width: float
    unit: float

    @classmethod
    def of(cls, size, half_width):
        digits = min(WINDOW_DIGITS, 61 - int(size).bit_length())
        return cls(size, half_width, ldexp(1, max(frexp(half_width)[1] - digits, -1074)))

    @property
    def moved(self):
        return 2 * round(self.half_width / self.unit)

    def sums(self, x):
        """int64 sums of n numbers along the last axis, in units; they are float64, clipped to [-B,
        B] and overwritten."""
        return self.counted(self.bits(x, x))

    def bits(self, x, room):
        """Of some of the n numbers: what ``counted`` makes a sum of when all have been added up;
        ``room`` is overwritten."""
        x.clip(-self.half_width, self.half_width, out=room)
        if self._shrink != 1:
            room *= self._shrink
        room += self._magic  # rounds to units, and the bits of the sum count them
        return np.add.reduce(room.view(np.int64), axis=-1)

    def counted(self, bits):
        """The sums, modulo 2**64 like all that led to them: a ufunc, since scalars that wrap would
        warn."""
        start = int(self._magic.view(np.int64)) * self.size
        return np.subtract(bits, (start + 2**63) % 2**64 - 2**63)

    @cached_property
    def _shrink(self):
        return ldexp(1, -64) if self.half_width > _grid.LARGEST_UNSCALED else 1

    @cached_property
    def _magic(self):
        """The float beside which the last digit is worth one unit."""
        return np.array(1.5 * 2.0**52 * self._shrink * self.unit)

    def noise(self, epsilon):
        """Laplace noise for the sum, in units, that is ε-DP."""
        return _grid.laplace_noise(sensitivity=self.moved, epsilon=epsilon, unit=1.0)

    def noisy_mean(self, sums, epsilon, rng):
        """The mean of the records, from their sum, with noise."""
        return self.mean(self.noise(epsilon).added_to_whole(sums, rng))

    def mean(self, sums):
        """Of the records, from their sum in units."""
        with np.errstate(over="ignore", under="ignore"):
            return sums / self.size * self.unit
