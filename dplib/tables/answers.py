"""What may be published: numbers by group, how they were made, and how far off they may be.

All that an answer says of its noise is public before any record is read; a plan is an answer
without values.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

import numpy as np
import scipy

from dplib import _checks
from dplib._types import Any, Callable, Floats, Integers, Real
from dplib.tables.votes import Noise

OURS = ("value", "low", "high", "epsilon", "delta", "rho", "neighbor", "unit")  # in `to_frame`


@dataclass(frozen=True, eq=False, kw_only=True)
class Answer:
    """A private answer: one value for each group. Counts, sums and histograms; others add to it.

    Attributes
    ----------
    question : str
    by : dict
        The labels of each axis of ``values``, by column.
    values : float64 or int64 array, NaN in a plan
    epsilon, delta, rho : float, the price: (ε, δ), or ρ
    neighbor, unit : str
        What a neighbour is: one whole ``unit`` replaced, or added or removed.
    noise : Noise
    worth : float, what one vote is worth in ``values``
    """

    question: str
    by: dict
    values: np.ndarray
    epsilon: float = 0.0
    delta: float = 0.0
    rho: float = 0.0
    neighbor: str
    unit: str
    noise: Noise | None = field(repr=False)
    worth: float = field(default=1.0, repr=False)
    made: Callable[[dict], Any] | None = field(default=None, repr=False)  # of columns, a frame

    def half_width(self, level: Real = 0.95) -> Floats:
        """How far noise moves any of the values at most, with this probability.

        Parameters
        ----------
        level : float in (0, 1), the probability that all of them keep to it

        Returns
        -------
        float64

        Notes
        -----
        :Error: Exact for noise paid in ε: all of the noises keep to it at once with probability
            ``level``, and with less to one step less. For noise paid in ρ an upper bound.
        """
        level = _checks.parameter("level", level)
        return float(self.worth * self.noise.largest(level, max(self.values.size, 1)))

    def interval(self, level: Real = 0.95) -> tuple[Floats, Floats]:
        """Around each value, where it would be without noise: all of them with this probability.

        Parameters
        ----------
        level : float in (0, 1), the probability that all of them keep to it

        Returns
        -------
        (float64 array, float64 array), the lower and the upper ends

        Notes
        -----
        :Error: Of the noise alone. What ``most_groups`` and ``bounds`` cut off comes on top.
        """
        width = self.half_width(level)
        return self.values - width, self.values + width

    def to_frame(self, level: Real = 0.95) -> Any:
        """The answer as a table: a row for each value, with its labels, its `interval` and the
        price.

        Parameters
        ----------
        level : float in (0, 1), the probability of the intervals

        Returns
        -------
        A table of pandas, polars or pyarrow: of the kind in which the engine itself answers
        """
        if self.made is None:
            raise ValueError(f"a plan has no values to put into a table: {self.question}")
        if taken := set(self.by) & {*OURS, *(() if self.axes() is self.by else ("level",))}:
            raise ValueError(
                f"a column of the table has one of our names, {min(taken)!r}: rename it before it "
                "is a Table, or use the values themselves"
            )
        low, high = self.interval(level)
        labels = list(product(*self.axes().values()))
        columns = {name: [row[i] for row in labels] for i, name in enumerate(self.axes())}
        columns |= {name: np.broadcast_to(array, self.values.shape).ravel().tolist()
                    for name, array in dict(value=self.values, low=low, high=high).items()}
        said = dict(epsilon=self.epsilon, delta=self.delta, rho=self.rho, neighbor=self.neighbor,
                    unit=self.unit)
        return self.made(columns | {name: [value] * self.values.size
                                    for name, value in said.items()})

    def axes(self) -> dict:
        """The labels of each axis of ``values``, by name."""
        return self.by


@dataclass(frozen=True, eq=False, kw_only=True)
class Means(Answer):
    """Means of what units vote for; more is in `Answer`.

    Attributes
    ----------
    ends : float64 array, shape (2, ...): one more axis in front of the groups
        Noisy votes at the upper and at the lower bound: a vote at x is split between the two as x
        lies between them.
    bounds : (float, float)
    """

    ends: np.ndarray
    bounds: tuple

    @property
    def votes(self) -> Floats:
        """The noisy number of votes behind each mean."""
        return self.ends.sum(axis=0)

    def half_width(self, level: Real = 0.95, *, size: Integers | None = None) -> Floats:
        """How far noise moves any of the means at most, with this probability.

        Parameters
        ----------
        level : float in (0, 1), the probability that all of them keep to it
        size : int or array_like of int, optional
            The number n of records, that is, of units that vote in a group, if that is public or
            planned; else the noisy numbers, which the answer itself has.

        Returns
        -------
        float64, infinite where no vote came in
        """
        level = _checks.parameter("level", level)
        if size is None and self.made is None:
            raise ValueError("size must say how many votes a group of a plan has")
        votes = self.votes if size is None else _checks.integers("size", size, at_least=1)
        moved = self.worth * self.noise.largest(level, max(self.ends.size, 1))
        return np.divide(moved, votes, out=np.full(np.shape(votes), np.inf), where=votes > 0)[()]

    def interval(self, level: Real = 0.95) -> tuple[Floats, Floats]:
        """Around each value, where it would be without noise: all of them with this probability.

        Parameters
        ----------
        level : float in (0, 1), the probability that all of them keep to it

        Returns
        -------
        (float64 array, float64 array), the lower and the upper ends

        Notes
        -----
        :Error: As of `Answer.interval`. One end up and the other down by t leaves the number of
            votes as it is, so that no noise of that number is added; where no vote came in, all of
            the bounds.
        """
        (lo, hi), width = self.bounds, self.half_width(level)
        known = np.isfinite(width)
        centre = lo + (hi - lo) * np.where(known, share_of(self.ends), 0)
        width = np.where(known, width, hi - lo)
        return np.clip(centre - width, lo, hi), np.clip(centre + width, lo, hi)


def share_of(ends):
    """The share of the votes at the upper end, NaN where there are none."""
    votes = ends.sum(axis=0)
    return np.divide(ends[0], votes, out=np.full(votes.shape, np.nan), where=votes > 0)


def means_of(ends, bounds, **said):
    """The means that the votes at both ends give, NaN where there are none."""
    lo, hi = bounds
    values = lo + (hi - lo) * np.clip(share_of(ends), 0, 1)
    return Means(ends=ends, bounds=bounds, values=values, worth=hi - lo, **said)


@dataclass(frozen=True, eq=False, kw_only=True)
class Quantiles(Answer):
    """Quantiles of what units vote for, in increasing order; more is in `Answer`.

    Attributes
    ----------
    levels : float64 array, the share of votes below each
    cells : int, in whose halves the answers are chosen
    """

    levels: np.ndarray
    cells: int

    def rank_error(self, level: Real = 0.95) -> float:
        """How many votes lie at most between the half of a cell that was chosen and where its level
        asks for.

        Parameters
        ----------
        level : float in (0, 1), the probability for all answers together

        Returns
        -------
        float

        Notes
        -----
        :Error: With k levels, up to log₂ k times a quarter of the fullest cell, and one vote, come
            on top: this is how far the tokens of a chosen half may be divided from its level.
        """
        beta = 1 - _checks.parameter("level", level)
        return self.worth * np.log(2 * self.cells * max(self.values.size, 1) / beta)

    def half_width(self, level: Real = 0.95) -> Floats:
        """Of quantiles there is none: how far a value moves depends on where the votes lie; see
        `rank_error`.

        Parameters
        ----------
        level : float in (0, 1), the probability that all of them keep to it
        """
        raise ValueError("quantiles have no half_width, at any level: ask for their rank_error")

    def interval(self, level: Real = 0.95) -> tuple[Floats, Floats]:
        """Nothing is known of where a quantile is without its noise but its `rank_error`.

        Parameters
        ----------
        level : float in (0, 1), the probability that all of them keep to it

        Returns
        -------
        (float64 array, float64 array), NaN
        """
        nothing = np.full(self.values.shape, np.nan)
        return nothing, nothing

    def axes(self) -> dict:
        """The labels of each axis of ``values``: the groups, and the levels."""
        return {**self.by, "level": tuple(self.levels.tolist())}


@dataclass(frozen=True, eq=False, kw_only=True)
class Discovered(Answer):
    """Labels that nobody listed, and how many units voted for each; more is in `Answer`.

    Attributes
    ----------
    threshold : int, what a noisy number of units had to reach
    """

    threshold: int

    def chance(self, size: Integers) -> Floats:
        """The probability that a label is named.

        Parameters
        ----------
        size : int or array_like of int, the number n of records: of units that vote for it

        Returns
        -------
        float64
        """
        size = _checks.integers("size", size, at_least=0).astype(np.int64)
        rate = self.epsilon / self.noise.sensitivity
        missing = self.threshold - size  # what the noise has to reach
        tail = np.exp(-rate * np.abs(np.where(missing > 0, missing, 1 - missing)))
        tail *= scipy.special.expit(rate)  # 1/(1 + q)
        return np.where(missing > 0, tail, 1 - tail)[()] * (size > 0)
