"""What an engine is asked for: sums of tokens, in one code path for all engines, by narwhals.

What is asked is elementary on purpose (group by, sum, length, join, filter, floor, clip): other
expressions are slow in some engines, refused by others, or wrong. Each number that leaves an engine
is an integer that does not depend on the order or the place of rows, and every quotient is one of
integers below 2**53, so that its floor in floats is its floor.

What an engine says when it fails may show a record: a cast that fails prints the value. So its
errors are replaced by one that says nothing.
"""

from __future__ import annotations

import datetime
import warnings
from dataclasses import dataclass

import narwhals as nw
import numpy as np

from dplib.tables.votes import TOKENS, cells_of

OURS = "__dplib_"
WHOSE, CELL, VALUE, VOTES, GROUPS, LENGTH = (
    OURS + name for name in ("unit", "cell", "value", "votes", "groups", "length"))
FARTHEST = 1 << 12  # a row counts for at most so many bounds in a sum, lest a sum leave int64
LABELS = {"integer": int, "text": str, "boolean": bool, "date": datetime.date}
NUMBERS = ("integer", "float", "decimal", "boolean")


class EngineError(RuntimeError):
    """The engine failed; its own words may show a record and are not repeated, and what was paid
    stays paid."""


def silenced(question, ask, rows):
    """What the engine answers, without what its errors and warnings tell."""
    with warnings.catch_warnings(action="ignore"):
        try:
            return ask(rows)
        except Exception:
            pass
    raise EngineError(  # here, and not above: so it does not carry the engine's own error with it
        f"the engine failed at {question}; what was paid stays paid. Its message may show a record:"
        " try the same question on invented rows of the same types to see it"
    )


@dataclass(frozen=True)
class Rows:
    """The rows of a table, lazily: types are known, no row has been read."""

    frame: nw.LazyFrame
    kinds: dict
    unit: str | None

    @classmethod
    def of(cls, table, unit):
        """A table of any engine that narwhals knows."""
        try:
            frame = nw.from_native(table).lazy()
        except TypeError:
            raise TypeError(
                "frame must be a table of pandas, polars, pyarrow, DuckDB, dask or PySpark, got "
                f"{type(table).__name__}"
            ) from None
        rows = cls(frame, _kinds(frame), unit)
        if unit is not None:
            rows.need("unit", unit, ("integer", "text", "boolean"))
        return rows

    # ---- what is public: names and types

    def need(self, argument, column, kinds):
        """The kind of a column that must be one of these."""
        if column not in self.kinds or column.startswith(OURS):
            raise ValueError(f"{argument} must name a column of the table, got {column!r}")
        if (kind := self.kinds[column]) not in kinds:
            raise ValueError(
                f"{argument} must be a column of one of the types {', '.join(kinds)}, and "
                f"{column!r} is of type {kind}: cast it, row by row, before it is a Table"
            )
        return kind

    def need_number(self, column):
        self.need("column", column, NUMBERS)

    def need_labels(self, by):
        for column, labels in by.items():
            kind = self.need("by", column, LABELS)
            if not all(type(label) is LABELS[kind] for label in labels):  # True is no integer
                raise ValueError(
                    f"by must list labels of the type of their column, and {column!r} is of type "
                    f"{kind}, got {labels!r}"
                )

    # ---- sums of tokens

    def counts(self, by, noise, m):
        """Tokens of each group, shape (*groups): a vote for each unit that is in it."""
        rows = self._listed(by)
        if self.unit is None:
            return _sums(rows.with_columns(_constant(noise.tokens).alias(VOTES)), by, VOTES)
        pairs = rows.select(WHOSE, *by).unique()
        return _sums(self._share(pairs, by, noise, m), by, VOTES)

    def ends(self, column, bounds, by, noise, m, missing):
        """Tokens at the upper and at the lower end of an interval, shape (2, *groups): a vote is
        split as the average of the unit's rows lies between the two."""
        lo, hi = bounds
        rows = self._numbers(column, by, missing)
        place = ((nw.col(VALUE).clip(lo, hi) - lo) * (TOKENS / (hi - lo)) + 0.5).clip(0, TOKENS)
        pairs = self._averaged(rows.with_columns(_floor(place).alias(VALUE)), by)
        pairs = self._share(pairs, by, noise, m)
        pairs = pairs.with_columns(_floor(nw.col(VALUE) * nw.col(VOTES) / TOKENS).alias(VALUE))
        both, upper = _sums(pairs, by, VOTES, VALUE)  # in one pass
        return np.stack([upper, both - upper])

    def totals(self, column, bounds, by, noise, m, missing):
        """Tokens of each group, shape (*groups): the unit's total within bounds, by the larger of
        these."""
        lo, hi = bounds
        most = max(abs(lo), abs(hi))
        if column is None:  # of its rows
            rows = self._listed(by).with_columns(_constant(1).alias(VALUE))
            unit = TOKENS / most
        else:
            rows = self._numbers(column, by, missing)
            near = (nw.col(VALUE) / most).clip(-FARTHEST, FARTHEST)
            rows, unit = rows.with_columns(_floor(near * TOKENS + 0.5).alias(VALUE)), 1
        if self.unit is not None:
            rows = rows.group_by(WHOSE, *by).agg(nw.col(VALUE).sum())
        clipped = (nw.col(VALUE) * unit).clip(_token(lo / most), _token(hi / most))
        pairs = self._share(rows.with_columns(_floor(clipped + 0.5).alias(VALUE)), by, noise, m)
        tokens = _floor(nw.col(VALUE) * nw.col(VOTES) / TOKENS)
        return _sums(pairs.with_columns(tokens.alias(VALUE)), by, VALUE)

    def cells(self, column, bounds, cells, by, noise, m, missing):
        """Tokens of each of equal cells in each group, shape (*groups, cells): a vote is split
        evenly over the unit's rows."""
        lo, hi = bounds
        place = (nw.col(VALUE).clip(lo, hi) - lo) * (cells / (hi - lo))
        rows = self._numbers(column, by, missing).with_columns(
            _floor(place.clip(0, cells - 1)).alias(CELL))
        inside = {**by, CELL: range(cells)}
        if self.unit is None:
            return _sums(rows.with_columns(_constant(noise.tokens).alias(VOTES)), inside, VOTES)
        parts = _counted(rows.group_by(WHOSE, *by, CELL), LENGTH)
        pairs = parts.group_by(WHOSE, *by).agg(nw.col(LENGTH).sum().alias(VALUE))
        parts = parts.join(self._share(pairs, by, noise, m), on=[WHOSE, *by], how="inner")
        tokens = _floor(nw.col(VOTES) * nw.col(LENGTH) / nw.col(VALUE))
        return _sums(parts.with_columns(tokens.alias(VOTES)), inside, VOTES)

    def labels(self, column, m):
        """Every label, sorted, and how many units vote for it: each for its m labels of most rows,
        ties by label."""
        rows = self._listed({}, self._label(column)).filter(~nw.col(column).is_null())
        if self.unit is not None:
            rows = _first(_counted(rows.group_by(WHOSE, column), LENGTH), column, m)
        found = _counted(rows.group_by(column), VOTES).collect()
        votes = dict(zip(found[column].to_list(), found[VOTES].to_list()))
        names = sorted(votes)
        return names, np.array([votes[name] for name in names], dtype=np.int64)

    def frame_of(self, columns):
        """A table of these columns, of the kind in which the engine answers."""
        engine = self.frame.implementation
        if not (engine.is_polars() or engine.is_pandas_like() or engine.is_pyarrow()):
            engine = nw.Implementation.PANDAS if engine.is_dask() else nw.Implementation.PYARROW
        return nw.from_dict(columns, backend=engine).to_native()

    # ---- steps of these

    def _listed(self, by, *others):
        """The rows of listed groups that belong to a unit: whose they are, their labels, and
        others."""
        whose = [] if self.unit is None else [nw.col(self.unit).alias(WHOSE)]
        first = [] if whose or by or others else list(self.kinds)[:1]  # no columns have no length
        rows = self.frame.select(*whose, *map(self._label, by), *others, *first)
        for name, labels in by.items():
            rows = rows.filter(nw.col(name).is_in(list(labels)))
        return rows if self.unit is None else rows.filter(~nw.col(WHOSE).is_null())

    def _label(self, column):
        """Categories are read as texts."""
        return nw.col(column).cast(nw.String) if self.kinds[column] == "text" else nw.col(column)

    def _numbers(self, column, by, missing):
        """The same with a number of each row as a float, without those that have none."""
        number = nw.col(column)
        if self.kinds[column] == "boolean":
            number = number.cast(nw.Int64)
        rows = self._listed(by, number.cast(nw.Float64).alias(VALUE))
        absent = nw.col(VALUE).is_null() | nw.col(VALUE).is_nan()
        if missing == "drop":
            return rows.filter(~absent)
        given = nw.when(absent).then(nw.lit(missing)).otherwise(nw.col(VALUE))
        return rows.with_columns(given.alias(VALUE))

    def _averaged(self, rows, by):
        """Whole tokens of each unit and group: the average over its rows, from below."""
        if self.unit is None:
            return rows
        pairs = rows.group_by(WHOSE, *by).agg(nw.col(VALUE).sum(), nw.len().alias(LENGTH))
        return pairs.with_columns(_floor(nw.col(VALUE) / nw.col(LENGTH)).alias(VALUE))

    def _share(self, pairs, by, noise, m):
        """Pairs of a unit and a group, with the tokens that the one gives in the other."""
        if self.unit is None or not by or m >= np.prod(cells_of(by)):
            return pairs.with_columns(_constant(noise.tokens).alias(VOTES))
        groups = _counted(pairs.group_by(WHOSE), GROUPS)
        shared = nw.max_horizontal(nw.col(GROUPS), _constant(m)).cast(nw.Float64)
        if noise.law == "discrete_laplace":
            tokens = noise.tokens * m / shared
        else:
            tokens = noise.tokens * (m / shared).sqrt()
        return pairs.join(groups, on=WHOSE, how="inner").with_columns(_floor(tokens).alias(VOTES))


# ------------------------------------------------------------------------------- words of an engine


def _kinds(frame):
    """What each column holds, by its declared type alone.

    pandas finds out what a column of objects holds by looking at each of them. That may not
    decide about anything, so such a column is of no kind.
    """
    native = nw.to_native(frame)
    looked_at = set()
    if frame.implementation.is_pandas_like() or frame.implementation.is_dask():
        looked_at = {name for name, dtype in native.dtypes.items() if str(dtype) == "object"}
    kinds = {name: _kind(dtype) for name, dtype in frame.collect_schema().items()}
    return kinds | dict.fromkeys(looked_at, "object")


def _kind(dtype):
    if dtype.is_integer():
        return "integer"
    if dtype.is_float():
        return "float"
    named = {nw.Decimal: "decimal", nw.Boolean: "boolean", nw.Date: "date",
             nw.String: "text", nw.Categorical: "text", nw.Enum: "text"}
    return next((kind for known, kind in named.items() if dtype == known), str(dtype).lower())


def _floor(number):
    return number.floor().cast(nw.Int64)


def _constant(number):
    return nw.lit(number, nw.Int64)


def _token(share):
    """The whole number of tokens of a public share of a vote."""
    return round(share * TOKENS)


def _counted(groups, name):
    return groups.agg(nw.len().alias(name)).with_columns(nw.col(name).cast(nw.Int64))


def _sums(pairs, by, *columns):
    """Sums by group, int64, in the order of the declared labels; an array for each column."""
    totals = [nw.col(column).sum() for column in columns]
    found = (pairs.group_by(*by).agg(*totals) if by else pairs.select(*totals)).collect()
    places = [{label: i for i, label in enumerate(labels)} for labels in by.values()]
    spots = [[place[label] for label in found[name].to_list()] for name, place in zip(by, places)]
    sums = np.zeros((len(columns), *(cells_of(by) or [1])), dtype=np.int64)
    sums[(slice(None), *spots)] = [
        [int(value or 0) for value in found[column].to_list()] for column in columns]
    sums = sums.reshape(len(columns), *cells_of(by))
    return sums if len(columns) > 1 else sums[0]


def _first(pairs, column, m):
    """Each unit's m labels of most rows, ties by label."""
    engine = pairs.implementation
    if engine.is_duckdb() or engine.is_polars() or engine.is_spark_like() or engine.is_ibis():
        order = pairs.with_columns((-nw.col(LENGTH)).alias(LENGTH))
        place = nw.col(column).cum_count().over(WHOSE, order_by=[LENGTH, column])
        return order.with_columns(place.alias(VALUE)).filter(nw.col(VALUE) <= m)
    # narwhals has no such window for pyarrow and dask, and forgets its second key for pandas
    kept = []
    for _ in range(m):
        most = pairs.group_by(WHOSE).agg(nw.col(LENGTH).max().alias(VALUE))
        best = pairs.join(most, on=WHOSE, how="inner").filter(nw.col(LENGTH) == nw.col(VALUE))
        kept.append(best.group_by(WHOSE).agg(nw.col(column).min()))
        pairs = pairs.join(kept[-1], on=[WHOSE, column], how="anti")
    return nw.concat(kept, how="vertical")
