"""A table of people, and seven questions about it.

Symbols
-------
m : most_groups
    The votes of a unit: one for each group in which it is, or m shared by more groups than m.
by
    The groups, as a public list of labels for each column. A label that is not listed is not
    counted, and a listed one that does not occur is.
epsilon, rho : ε, ρ
    The price, and with it the noise: two-sided geometric for ε, discrete Gaussian for ρ.
"""

from __future__ import annotations

import numpy as np

from dplib import _checks
from dplib._types import Any, ArrayLike, Generator, Integer, Interval, Mapping, Neighbor, Real
from dplib.accounting import Ledger
from dplib.aggregation import Refusal
from dplib.glm import Release
from dplib.tables import quantiles as _quantiles
from dplib.tables.answers import Answer, Discovered, Means, Quantiles, means_of
from dplib.tables.engine import Rows, silenced
from dplib.tables.models import Coefficient, released
from dplib.tables.votes import (
    MOST_CELLS, MOST_VOTES, TOKENS, Noise, cells_of, discovery_threshold, groups_of, noise_for)

Groups = Mapping[str, ArrayLike]
LEAST_WIDTH = 1e-290  # so that places in an interval are finite numbers


class Table:
    """A table whose rows belong to units, held by any engine: pandas, polars, pyarrow, DuckDB, dask
    or PySpark.

    Parameters
    ----------
    frame : a table of one of these engines, or None for a plan
        What was done to the rows before must have been done to each unit's rows alone, and must
        give the same rows whenever they are read: no sample that is drawn anew.
    unit : str or None
        The column that says whose a row is; None: each row is a unit. Rows without a unit are not
        counted.
    neighbor : {"replace", "add_remove"}
        Between neighbours one whole unit is replaced, or added or removed.
    ledger : Ledger, which every question is paid from; of a plan None
    rng : numpy.random.Generator, of a plan None

    Notes
    -----
    :Privacy: Every answer is private at its price under the stated relation of units, given fair
        bits, whatever the rows hold; all answers together at what the ledger has paid. A question
        is paid for before any row is read, and stays paid if the engine fails. Names and types of
        columns are public, so declare them where a file is read; how long an engine takes is not
        hidden, and what it writes to its own log may show a record.
    :Error: Each answer says it: `Answer.interval`, and before any row is read, by a plan,
        `Answer.half_width`. A unit in more groups than ``most_groups`` counts in each for less than
        one vote, so that groups of busy units look smaller than they are.
    :Cost: One aggregation by unit and group in the engine, two more where votes are shared.
    :References: Theorem *One person, one vote* on the page *A table of people* (thm-one-vote).

    Examples
    --------
    >>> import pandas as pd
    >>> rng, ledger = np.random.default_rng(1), Ledger(epsilon=2)
    >>> visits = pd.DataFrame({"person": np.arange(900) // 3, "ward": np.arange(900) % 2})
    >>> people = Table(visits, unit="person", neighbor="add_remove", ledger=ledger, rng=rng)
    >>> answer = people.counts(by={"ward": [0, 1, 2]}, most_groups=2, epsilon=1)
    >>> answer.values.round(1), round(answer.half_width(0.95), 1)
    (array([302.7, 299.3,   1. ]), 8.2)
    """

    def __init__(
            self, frame: Any, *, unit: str | None, neighbor: Neighbor,
            ledger: Ledger | None = None, rng: Generator | None = None):
        _checks.records_that_differ(neighbor)
        self._unit, self._neighbor, self._rows = unit, neighbor, None
        if frame is None:
            return
        if not isinstance(ledger, Ledger):
            raise TypeError(f"ledger must be a dplib.accounting.Ledger, got {ledger!r}")
        self._ledger, self._rng = ledger, _checks.generator(rng)
        self._rows = Rows.of(frame, unit)

    def __repr__(self):
        return f"Table(unit={self._unit!r}, neighbor={self._neighbor!r})"

    def counts(
            self, *, by: Groups | None = None, most_groups: Integer | None = None,
            rho: Real | None = None, epsilon: Real | None = None) -> Answer:
        """How many units there are in each group.

        Parameters
        ----------
        by : mapping from columns to lists of labels, optional
            Without it, all units are one group. Labels are public: do not read them off the table.
            One that does not occur in it has a count near 0.
        most_groups : int ≥ 1
            How many votes a unit has; to be given where there are groups and units.
        rho, epsilon : float > 0, one of the two
            The price: ε, or ρ, which bounds Rényi divergences.

        Returns
        -------
        Answer

        Notes
        -----
        :Privacy: ε-DP, or ρ-zCDP, as `Table` says.
        """
        by, m = self._groups(by, most_groups)
        price = _price(epsilon, rho)
        shared = self._unit is not None and m < groups_of(by)  # else no vote is ever split
        noise = self._noise(price, by, m, split=shared)
        tokens = self._paid("counts", price, lambda rows: rows.counts(by, noise, m))
        return self._answer("counts", by, price, noise, tokens, 1 if noise.tokens == 1 else 1.0)

    def sums(
            self, column: str | None, *, bounds: Interval, by: Groups | None = None,
            most_groups: Integer | None = None, missing: Real | str = "drop",
            rho: Real | None = None, epsilon: Real | None = None) -> Answer:
        """The sum over units of each unit's own total in the group.

        A row counts for at most 4096 times the larger bound.

        Parameters
        ----------
        column : str or None
            Of numbers; None: the total of a unit is its number of rows.
        bounds : (float, float)
            A public interval, into which each unit's total is clipped.
        by, most_groups, rho, epsilon
            As in `Table.counts`.
        missing : "drop" or float
            What becomes of rows without a number: not counted, or counted as this one.

        Returns
        -------
        Answer

        Notes
        -----
        :Privacy: ε-DP, or ρ-zCDP, as `Table` says.
        """
        lo, hi = _bounds(bounds)
        by, m = self._groups(by, most_groups)
        price, missing = _price(epsilon, rho), _missing(missing, bounds)
        noise = self._noise(price, by, m, split=True, signed=lo < 0)
        if column is not None:
            self._need_number(column)
        tokens = self._paid(f"sums of {column or 'rows'}", price, lambda rows: rows.totals(
            column, (lo, hi), by, noise, m, missing))
        return self._answer("sums", by, price, noise, tokens, max(abs(lo), abs(hi)))

    def means(
            self, column: str, *, bounds: Interval, by: Groups | None = None,
            most_groups: Integer | None = None, missing: Real | str = "drop",
            rho: Real | None = None, epsilon: Real | None = None) -> Means:
        """The mean over units of each unit's own average in the group.

        Parameters
        ----------
        column : str, of numbers
        bounds : (float, float)
            A public interval, into which each number is clipped.
        by, most_groups, rho, epsilon
            As in `Table.counts`.
        missing
            As in `Table.sums`.

        Returns
        -------
        Means

        Notes
        -----
        :Privacy: ε-DP, or ρ-zCDP, as `Table` says.
        :Error: For n votes with mean x between bounds -1 and 1 the variance is about (1 + x²) v/n²,
            where v is twice that of one vote's noise: half of what it is if a count and a sum are
            released at half the price each.
        """
        bounds = _bounds(bounds)
        by, m = self._groups(by, most_groups)
        price, missing = _price(epsilon, rho), _missing(missing, bounds)
        noise = self._noise(price, by, m, ends=2, split=True)
        self._need_number(column)
        tokens = self._paid(f"means of {column}", price, lambda rows: rows.ends(
            column, bounds, by, noise, m, missing))
        said = self._said("means", by, price, noise)
        if tokens is None:
            nothing = np.full((2, *cells_of(by)), np.nan)
            return means_of(nothing, bounds, **said)
        return means_of(noise.added_to(tokens, self._rng) / noise.tokens, bounds, **said)

    def histogram(
            self, column: str, *, cells: Integer, bounds: Interval, by: Groups | None = None,
            most_groups: Integer | None = None, missing: Real | str = "drop",
            rho: Real | None = None, epsilon: Real | None = None) -> Answer:
        """How many votes there are in each of equal cells: that of a unit is split evenly over its
        rows.

        Parameters
        ----------
        column, bounds, by, most_groups, missing, rho, epsilon
            As in `Table.means`.
        cells : int ≥ 1, the number k of cells

        Returns
        -------
        Answer, with the left ends of the cells as the last axis

        Notes
        -----
        :Privacy: ε-DP, or ρ-zCDP, as `Table` says.
        """
        bounds = _bounds(bounds)
        by, m = self._groups(by, most_groups)
        price, missing = _price(epsilon, rho), _missing(missing, bounds)
        cells = _checks.integer("cells", cells, at_least=1, at_most=MOST_CELLS)
        noise = self._noise(price, by, m, ends=cells, split=self._unit is not None)
        self._need_cells(column, by, cells)
        tokens = self._paid(f"histogram of {column}", price, lambda rows: rows.cells(
            column, bounds, cells, by, noise, m, missing))
        within = {**by, column: tuple(_grid(bounds, cells)[:-1].tolist())}
        return self._answer("histogram", within, price, noise, tokens, 1.0)

    def quantiles(
            self, column: str, *, cells: Integer, bounds: Interval, levels: ArrayLike,
            by: Groups | None = None, most_groups: Integer | None = None,
            missing: Real | str = "drop", epsilon: Real) -> Quantiles:
        """Where given shares of the votes lie below, in order: each answer is the middle of half of
        a cell. The vote of a unit is split evenly over its rows, so that a median is one of units.

        Parameters
        ----------
        column, bounds, by, most_groups, missing
            As in `Table.means`.
        cells : int ≥ 1
            The number k of cells in whose halves an answer is chosen. Thousands are no worse than
            few: they cost no privacy, and a vote is rounded to half of a cell.
        levels : float or array_like
            The share of votes below each answer: increasing multiples of .001 between 0 and 1.
        epsilon : float > 0

        Returns
        -------
        Quantiles, with the levels as the last axis

        Notes
        -----
        :Privacy: ε-DP, as `Table` says.
        :Error: `Quantiles.rank_error`, however many votes are equal; there is no interval.
        :References: Theorem *Several quantiles at once* on the page *A table of people*
            (thm-several-quantiles).
        """
        bounds, levels = _bounds(bounds), _quantiles.exact_levels(levels)
        by, m = self._groups(by, most_groups)
        price, missing = _price(epsilon, None), _missing(missing, bounds)
        cells = _checks.integer("cells", cells, at_least=1, at_most=MOST_CELLS)
        tokens_of_vote = TOKENS if self._unit is not None else 1
        self._need_cells(column, by, cells)
        votes = Noise("discrete_laplace", 0.0, price["epsilon"], tokens_of_vote)
        tokens = self._paid(f"quantiles of {column}", price, lambda rows: rows.cells(
            column, bounds, cells, by, votes, m, missing))
        each = price["epsilon"] / _quantiles.depth_of(levels)
        changes = [min(m, groups_of(by))] * _checks.records_that_differ(self._neighbor)
        alone = not by and len(levels) == 1
        said = self._said("quantiles", by, price, None) | dict(
            levels=levels / _quantiles.PER, cells=cells,
            worth=_quantiles.error_scale(levels, changes, alone, each))
        if tokens is None:
            return Quantiles(values=np.full((*cells_of(by), len(levels)), np.nan), **said)
        moved = [tokens_of_vote * change for change in changes]
        halves = _quantiles.choose_halves(
            tokens, levels, changes=moved, alone=alone, epsilon=each, rng=self._rng)
        return Quantiles(values=_grid(bounds, 4 * cells)[2 * halves + 1], **said)

    def discover(
            self, column: str, *, most_groups: Integer | None = None, epsilon: Real,
            delta: Real) -> Discovered:
        """Labels that nobody listed, if enough units vote for them.

        Parameters
        ----------
        column : str
        most_groups : int ≥ 1
            A unit votes for its labels of most rows, so many of them.
        epsilon, delta : float > 0, δ ≤ 1/2

        Returns
        -------
        Discovered
            Its ``by`` has the labels, for the next question.

        Notes
        -----
        :Privacy: (ε, δ)-DP, as `Table` says.
        :Error: `Discovered.chance` that a label is named.
        :References: Theorem *Labels that nobody listed* on the page *A table of people*
            (thm-discovered-groups).
        """
        if self._rows is not None:
            self._rows.need("column", column, ("integer", "text", "category"))
        m = self._votes(most_groups, grouped=True)
        threshold = discovery_threshold(
            epsilon=epsilon, delta=delta, most_groups=m, neighbor=self._neighbor)
        price = dict(epsilon=float(epsilon), delta=float(delta))
        moved = float(m * _checks.records_that_differ(self._neighbor))
        noise = Noise("discrete_laplace", moved, price["epsilon"], 1)
        found = self._paid(f"discover {column}", price, lambda rows: rows.labels(column, m))
        said = self._said("discover", {}, price, noise) | dict(threshold=threshold)
        if found is None:
            return Discovered(values=np.full(0, np.nan), **said)
        names, votes = found
        noisy = noise.added_to(votes, self._rng)
        named = noisy >= threshold
        labels = tuple(name for name, is_named in zip(names, named) if is_named)
        return Discovered(values=noisy[named], **said | dict(by={column: labels}))

    def coefficient(
            self, column: str, *, move: tuple[Mapping, Mapping], by: Groups, classes: ArrayLike,
            epsilon: Real, delta: Real, split: Real = 0.3,
            interval_share: Real = 0.1) -> Release | Refusal | Coefficient:
        """Release one coefficient of a logistic model, fitted to one record of each unit.

        The record of a unit has the combination of labels, without the outcome, of most of its
        rows; of several the first in the declared order. Its outcome is the share of these rows
        with the second class. Rows with a label that is not listed are not counted.

        Parameters
        ----------
        column : str, the outcome
        move : pair of mappings from columns to labels, two points:
            what changes if a unit goes from one to the other, and all other columns stay?
        by : mapping from columns to lists of labels, the other columns of the model
        classes : the two labels of the outcome; the model is of the probability of the second one
        epsilon, delta, split, interval_share
            As in `release_coefficient`.

        Returns
        -------
        Release or Refusal, or of a plan what is asked: see `Coefficient.plan`

        Notes
        -----
        :Privacy: (ε, δ)-DP, as `Table` says. A unit that comes or goes costs the noise of one that
            is replaced.
        :Error: That of `release_coefficient`, for at most `most_records` units. An outcome that is
            a share varies less than one of 0 or 1 with the same mean, so that intervals hold.
        :Cost: An aggregation by unit and kind in the engine, and a fit to as many rows as there are
            kinds.
        :References: Proposition *One person, one record* on the page *A table of people*
            (prop-one-record).

        Examples
        --------
        >>> import pandas as pd
        >>> rng, ledger = np.random.default_rng(1), Ledger(epsilon=2, delta=1e-6)
        >>> visits = pd.DataFrame({"person": np.arange(9000) // 3, "paid": np.arange(9000) % 9 < 3})
        >>> visits["back"] = rng.random(9000) < np.where(visits.paid, 0.3, 0.5)
        >>> people = Table(visits, unit="person", neighbor="replace", ledger=ledger, rng=rng)
        >>> effect = people.coefficient("back", by={"paid": [False, True]}, classes=(False, True),
        ...                             move=({"paid": False}, {"paid": True}), epsilon=1,
        ...                             delta=1e-6)
        >>> ledger.left
        {'epsilon': 1.0, 'delta': 0.0}
        >>> lo, hi = effect.interval()
        >>> print(f"{effect.value:.2f}, from {lo:.2f} to {hi:.2f}")
        -0.88, from -1.14 to -0.63
        """
        by = _listed(by)
        asked = Coefficient(
            column=column, move=move, by=by, classes=_labels("classes", column, classes),
            epsilon=epsilon,
            delta=delta, split=split, interval_share=interval_share)
        listed = {**by, column: asked.classes}
        cells_of(listed)
        if self._rows is not None:
            self._rows.need_labels(listed)
        price = dict(epsilon=float(epsilon), delta=float(delta))
        kinds = self._paid(f"coefficient of {column}", price,
                           lambda rows: rows.records(by, column, asked.classes))
        return asked if kinds is None else released(asked, kinds, self._rng)

    # ---- steps of these

    def _groups(self, by, most_groups):
        """Checked groups, and the votes of a unit."""
        by = _listed({} if by is None else by)
        cells_of(by)
        if self._rows is not None:
            self._rows.need_labels(by)
        return by, self._votes(most_groups, grouped=bool(by))

    def _votes(self, most_groups, grouped):
        """The votes of a unit: one where it is in one group."""
        if self._unit is None or not grouped:
            if most_groups not in (None, 1):
                raise ValueError("most_groups must be left out where a unit is in one group: "
                                 f"without by, or if each row is a unit; got {most_groups!r}")
            return 1
        if most_groups is None:
            raise ValueError("most_groups must say how many groups a unit may count in as a whole")
        return _checks.integer("most_groups", most_groups, at_least=1, at_most=MOST_VOTES)

    def _need_number(self, column):
        if self._rows is not None:
            self._rows.need_number(column)

    def _need_cells(self, column, by, cells):
        """A column whose cells are one more axis."""
        self._need_number(column)
        if column in by:
            raise ValueError(f"by must not name {column!r}, whose cells are asked for")
        cells_of({**by, column: range(cells)})

    def _noise(self, price, by, m, **question):
        noise = noise_for(price, neighbor=self._neighbor, votes=m,
                          groups=groups_of(by), **question)
        _checks.lattice_scale("the scale of the noise, in tokens,", noise.scale * noise.tokens)
        return noise

    def _paid(self, question, price, ask):
        """What the engine answers, after payment; None in a plan."""
        if self._rows is None:
            return None
        self._ledger.pay(question, unit=self._unit, neighbor=self._neighbor, **price)
        return silenced(question, ask, self._rows)

    def _said(self, question, by, price, noise):
        made = None if self._rows is None else self._rows.answers_in()
        return dict(question=question, by=by, neighbor=self._neighbor, unit=self._unit or "row",
                    noise=noise, made=made, **price)

    def _answer(self, question, by, price, noise, tokens, worth):
        said = self._said(question, by, price, noise)
        if tokens is None:
            return Answer(values=np.full(cells_of(by), np.nan), worth=worth, **said)
        noisy = noise.added_to(tokens.reshape(cells_of(by)), self._rng)
        values = noisy if worth == 1 and noise.tokens == 1 else noisy * (worth / noise.tokens)
        return Answer(values=values, worth=worth, **said)


def _price(epsilon, rho):
    """The one price that was given."""
    if (epsilon is None) == (rho is None):
        raise ValueError(f"a question costs either epsilon or rho, got epsilon={epsilon!r} and "
                         f"rho={rho!r}")
    name, value = ("epsilon", epsilon) if rho is None else ("rho", rho)
    return {name: _checks.parameter(name, value)}


def _listed(by):
    """Checked groups: a tuple of labels for each column."""
    if not isinstance(by, Mapping):
        raise ValueError("by must map columns to lists of labels, as {'ward': ['A', 'B']}, got "
                         f"{by!r}")
    return {column: _labels("by", column, labels) for column, labels in by.items()}


def _labels(name, column, labels):
    """A public list of labels, as a tuple of Python's own numbers and texts."""
    if isinstance(labels, (str, bytes)) or not np.iterable(labels):
        raise ValueError(f"{name} must list the labels of {column!r}, got {labels!r}")
    listed = tuple(label.item() if isinstance(label, np.generic) else label for label in labels)
    if not listed or len(set(listed)) < len(listed):
        raise ValueError(f"{name} must list different labels for {column!r}, got {listed!r}")
    return listed


def _missing(missing, bounds):
    """"drop", or a public number within the bounds."""
    if isinstance(missing, str):
        if missing != "drop":
            raise ValueError(f"missing must be 'drop' or a number within bounds, got {missing!r}")
        return missing
    return _checks.real("missing", missing, at_least=bounds[0], at_most=bounds[1])


def _bounds(bounds):
    """A public interval that can be divided into cells."""
    lo, hi = _checks.interval("bounds", bounds)
    if hi - lo < LEAST_WIDTH:
        raise ValueError(f"bounds must be at least {LEAST_WIDTH} apart, got {bounds!r}")
    return lo, hi


def _grid(bounds, cells):
    return np.linspace(*bounds, cells + 1)
