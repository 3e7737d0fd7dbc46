"""A logistic model of one column on the declared labels of others: what is asked, and the records
that counts of units stand for.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dplib import _checks
from dplib._types import Integer, Mapping, Real
from dplib.glm import LOGISTIC, Box, CoefficientPlan, plan_coefficient, release_coefficient
from dplib.glm.fits import most_records
from dplib.glm.standard_errors import checked_share
from dplib.glm.terms import HALF, Terms


@dataclass(frozen=True, eq=False, kw_only=True)
class Coefficient:
    """A coefficient that is asked for: all of this is public before any record is read.

    Attributes
    ----------
    column : str, the outcome
    by : dict, the labels of each column, the first one being the one that others are compared with
    classes : tuple, the two labels of the outcome
    move : pair of dicts, labels by column: what is compared, all other columns being equal
    epsilon, delta, split, interval_share : float, as in `dplib.glm.release_coefficient`
    domain : Box, a column of 0 and 1 for each label but the first ones
    """

    column: str
    by: dict
    classes: tuple
    move: tuple[Mapping, Mapping]
    epsilon: float
    delta: float
    split: float
    interval_share: float
    domain: Box = field(init=False)

    def __post_init__(self):
        if self.column in self.by:
            raise ValueError(f"by must not name the outcome, got {self.column!r}")
        if len(self.classes) != 2:
            raise ValueError(f"classes must be two labels, got {self.classes!r}")
        for column, labels in self.by.items():
            if len(labels) < 2:
                raise ValueError(f"by must list two labels or more for {column!r}, got {labels!r}")
        ends = np.cumsum([len(labels) - 1 for labels in self.by.values()], dtype=int).tolist()
        groups = [tuple(range(*pair)) for pair in zip([0, *ends], ends)]
        object.__setattr__(self, "domain", Box(
            [(0, 1)] * (ends[-1] if ends else 0), binary=[g[0] for g in groups if len(g) == 1],
            one_hot=[g for g in groups if len(g) > 1]))
        Terms.planned(epsilon=self.epsilon, delta=self.delta, split=self.split, delta_split=HALF,
                      rows_per_unit=1)
        checked_share(self.interval_share)
        _points(self)

    def plan(self, *, size: Integer, shares: Mapping[str, object], curvature: Real,
             level: Real = 0.95) -> CoefficientPlan:
        """What the release will give, from public guesses.

        Parameters
        ----------
        size : int ≥ 1, the number n of records: of units that are in listed groups
        shares : {column: the share of each label}, in the order in which they are listed
        curvature, level
            As in `plan_coefficient`.

        Returns
        -------
        CoefficientPlan

        Notes
        -----
        :Privacy: No data are used, if none were used for the guesses.
        :Error: As `plan_coefficient`: the columns are taken as uncorrelated.
        """
        if set(shares) != set(self.by):
            raise ValueError(f"shares must have the columns {list(self.by)}, got {list(shares)}")
        each = []
        for column, labels in self.by.items():
            share = _checks.reals(f"shares[{column!r}]", shares[column], at_least=0, at_most=1)
            if share.shape != (len(labels),) or abs(share.sum() - 1) > 1e-6:
                raise ValueError(f"shares[{column!r}] must be {len(labels)} shares that add up to "
                                 f"1, got {shares[column]!r}")
            each += share[1:].tolist()
        return plan_coefficient(move=_points(self), size=size, loss=LOGISTIC, moments={},
                                shares=dict(enumerate(each)), curvature=curvature, rows_per_unit=1,
                                level=level, **_terms(self))


def released(asked, kinds, rng):
    """The release from records of units, shape (4, kinds): cells, rows, those with the second
    class, and units."""
    cells, rows, yes, units = kinds
    most = most_records(asked.domain, LOGISTIC)
    if units.sum() > most:
        raise ValueError(f"at most {most} units can be fitted to these columns; the payment stands")
    index = np.unravel_index(cells, [len(labels) for labels in asked.by.values()])
    return release_coefficient(
        _covariates(asked.by, index), yes / rows, weights=units, move=_points(asked),
        loss=LOGISTIC, rows_per_unit=1, rng=rng, **_terms(asked))


def _points(asked):
    """The two points of ``move`` as rows of covariates."""
    by, move = asked.by, asked.move
    if len(move) != 2 or not all(isinstance(end, Mapping) for end in move):
        raise ValueError(f"move must be a pair of mappings to labels, got {move!r}")
    start, end = move
    if set(start) != set(end) or start == end or not set(start) <= set(by):
        raise ValueError("move must go from labels of some columns of by to others of the same "
                         f"columns, got {move!r}")
    if wrong := [label for point in move for column, label in point.items()
                 if label not in by[column]]:
        raise ValueError(f"move must name labels that by lists, got {wrong[0]!r}")
    return _covariates(by, [[labels.index(point.get(column, labels[0])) for point in move]
                            for column, labels in by.items()])


def _covariates(by, index):
    """Rows of 0 and 1 from the places of their labels, one row of ``index`` for each column."""
    return np.hstack([np.eye(len(labels))[place, 1:] for labels, place in zip(by.values(), index)])


def _terms(asked):
    return dict(domain=asked.domain, epsilon=asked.epsilon, delta=asked.delta, split=asked.split,
                interval_share=asked.interval_share)
