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
from functools import partial
from itertools import repeat

import narwhals as nw
import numpy as np

from dplib.tables.votes import TOKENS, cells_of, groups_of

RESERVED = "__dplib_"
WHOSE, CELL, VALUE, VOTES, GROUPS, LENGTH = (
    RESERVED + name for name in ("unit", "cell", "value", "votes", "groups", "length"))
FARTHEST = 1 << 12  # a row counts for at most so many bounds in a sum, lest a sum leave int64
LABELS = {"integer": int, "text": str, "category": str, "boolean": bool, "date": datetime.date}
NUMBERS = ("integer", "float", "decimal", "boolean")
LARGEST_WHOLE = 2**53  # larger ones are no floats, and count as this one


class EngineError(RuntimeError):
    """The engine failed; its own words may show a record and are not repeated, and what was paid
    stays paid."""


def silenced(question, ask, rows):
    """What the engine answers, without what its errors and warnings tell."""
    with warnings.catch_warnings(action="ignore"):
        try:
            return ask(rows)
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException:  # a panic of an engine is no Exception
            pass
    raise EngineError(  # here, and not above: so it does not carry the engine's own error with it
        f"the engine failed at {question}; what was paid stays paid. Its message may show a record:"
        " try the same question on invented rows of the same types to see it"
    )


@dataclass(frozen=True)
class Rows:
    """The rows of a table, lazily: types are known, no row has been read."""

    frame: nw.LazyFrame
    types: dict
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
        types = dict(frame.collect_schema())
        rows = cls(frame, types, _kinds(frame, types), unit)
        if unit is not None:
            rows.need("unit", unit, ("integer", "text", "category", "boolean"))
        return rows

    # ---- what is public: names and types

    def need(self, argument, column, kinds):
        """The kind of a column that must be one of these."""
        if column not in self.kinds or column.startswith(RESERVED):
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
            least = 0 if self.types[column].is_unsigned_integer() else -(2**63)
            if kind == "integer" and not all(least <= label < 2**63 for label in labels):
                raise ValueError(f"by must list labels of {least} to 2**63 - 1 for {column!r}")

    # ---- sums of tokens

    def counts(self, by, noise, m):
        """Tokens of each group, shape (*groups): a vote for each unit that is in it."""
        rows = self._listed(by)
        if self.unit is None:
            return _sums(rows.with_columns(_constant(noise.tokens).alias(VOTES)), by, VOTES)[0]
        pairs = rows.select(WHOSE, *by).unique()
        return _sums(self._share(pairs, by, noise, m), by, VOTES)[0]

    def ends(self, column, bounds, by, noise, m, missing):
        """Tokens at the upper and at the lower end of an interval, shape (2, *groups): a vote is
        split as the average of the unit's rows lies between the two."""
        lo, hi = bounds
        rows = self._numbers(column, by, missing)
        place = ((nw.col(VALUE).clip(lo, hi) - lo) * (TOKENS / (hi - lo)) + 0.5).clip(0, TOKENS)
        pairs = self._averaged(rows.with_columns(_floor(place).alias(VALUE)), by)
        pairs = self._share(pairs, by, noise, m)
        pairs = pairs.with_columns(_floor(nw.col(VALUE) * nw.col(VOTES) / TOKENS).alias(VALUE))
        upper, both = _sums(pairs, by, VALUE, VOTES)
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
            rows = _grouped(rows, [WHOSE, *by], nw.col(VALUE).sum())
        clipped = (nw.col(VALUE) * unit).clip(_token(lo / most), _token(hi / most))
        pairs = self._share(rows.with_columns(_floor(clipped + 0.5).alias(VALUE)), by, noise, m)
        tokens = _floor(nw.col(VALUE) * nw.col(VOTES) / TOKENS)
        return _sums(pairs.with_columns(tokens.alias(VALUE)), by, VALUE)[0]

    def cells(self, column, bounds, cells, by, noise, m, missing):
        """Tokens of each of equal cells in each group, shape (*groups, cells): a vote is split
        evenly over the unit's rows."""
        lo, hi = bounds
        place = (nw.col(VALUE).clip(lo, hi) - lo) * (cells / (hi - lo))
        rows = self._numbers(column, by, missing).with_columns(
            _floor(place.clip(0, cells - 1)).alias(CELL))
        inside = {**by, CELL: range(cells)}
        if self.unit is None:
            return _sums(rows.with_columns(_constant(noise.tokens).alias(VOTES)), inside, VOTES)[0]
        parts = _counted(rows, [WHOSE, *by, CELL], LENGTH)
        pairs = _grouped(parts, [WHOSE, *by], nw.col(LENGTH).sum().alias(VALUE))
        parts = parts.join(self._share(pairs, by, noise, m), on=[WHOSE, *by], how="inner")
        tokens = _floor(nw.col(VOTES) * nw.col(LENGTH) / nw.col(VALUE))
        return _sums(parts.with_columns(tokens.alias(VOTES)), inside, VOTES)[0]

    def labels(self, column, m):
        """Every label, sorted, and how many units vote for it: each for its m labels of most rows,
        ties by label."""
        rows = self._listed({}, self._label(column)).filter(~nw.col(column).is_null())
        if self.unit is not None:
            rows = _first(_counted(rows, [WHOSE, column], LENGTH), column, m)
        found = _counted(rows, [column], VOTES).collect()
        votes = dict(zip(found[column].to_list(), found[VOTES].to_list()))
        names = sorted(votes)
        return names, np.array([votes[name] for name in names], dtype=np.int64)

    def records(self, by, outcome, classes):
        """The records of units: the cell of each in ``by``, how many of its rows are in this cell,
        how many of these have the second class, and how many units are alike in all three; shape
        (4, kinds). The cell of a unit is where most of its rows are, the first one of several."""
        place, cell = groups_of(by), _constant(0)
        for column, labels in by.items():
            place //= len(labels)
            label = self._label(column)
            for i, name in enumerate(labels):
                cell = cell + label.is_in([name]).cast(nw.Int64) * (i * place)
        yes = self._label(outcome).is_in([classes[1]]).cast(nw.Int64)
        rows = self._listed({**by, outcome: classes}, cell.alias(CELL), yes.alias(VALUE))
        if self.unit is None:
            own = rows.with_columns(_constant(1).alias(LENGTH))
        else:
            own = _grouped(rows, [WHOSE, CELL], nw.col(VALUE).sum(), nw.len().alias(LENGTH))
            own = own.with_columns(nw.col(VALUE, LENGTH).cast(nw.Int64))
            best = _first(own.select(WHOSE, CELL, LENGTH), CELL, 1).select(WHOSE, CELL)
            own = own.join(best, on=[WHOSE, CELL], how="inner")
        alike = [CELL, LENGTH, VALUE]
        found = _counted(own, alike, VOTES).collect()
        kinds = np.array([found[name].to_list() for name in (*alike, VOTES)], dtype=np.int64)
        kinds = kinds[:, kinds[0] < groups_of(by)]  # a collation may take one label for two
        return kinds[:, np.lexsort(kinds)]

    def answers_in(self):
        """Which makes tables of the kind in which the engine itself answers; no row hangs on it."""
        engine = self.frame.implementation
        if not (engine.is_polars() or engine.is_pandas_like() or engine.is_pyarrow()):
            engine = nw.Implementation.PANDAS if engine.is_dask() else nw.Implementation.PYARROW
        return partial(_table, backend=engine)

    # ---- steps of these

    def _listed(self, by, *others):
        """The rows of listed groups that belong to a unit: whose they are, their labels, and
        others."""
        first = next(iter(self.types)) if self.unit is None else self.unit    # a row has a column
        rows = self.frame.select(nw.col(first).alias(WHOSE), *map(self._label, by), *others)
        for name, labels in by.items():
            rows = rows.filter(nw.col(name).is_in(list(labels)))
        return rows if self.unit is None else rows.filter(~nw.col(WHOSE).is_null())

    def _label(self, column):
        """Categories are read as texts, and small integers as large ones."""
        if self.kinds[column] == "category":
            return nw.col(column).cast(nw.String)
        small = self.kinds[column] == "integer" and self.types[column] not in LONG
        return nw.col(column).cast(nw.Int64) if small else nw.col(column)

    def _numbers(self, column, by, missing):
        """The same with a number of each row as a float, without those that have none."""
        number = nw.col(column)
        if self.kinds[column] == "boolean":
            number = number.cast(nw.Int64)
        if self.types[column] in LONG:  # Arrow refuses to read larger ones as floats
            number = _within(number, self.types[column])
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
        pairs = _grouped(rows, [WHOSE, *by], nw.col(VALUE).sum(), nw.len().alias(LENGTH))
        return pairs.with_columns(_floor(nw.col(VALUE) / nw.col(LENGTH)).alias(VALUE))

    def _share(self, pairs, by, noise, m):
        """Pairs of a unit and a group, with the tokens that the one gives in the other."""
        if self.unit is None or m >= groups_of(by):
            return pairs.with_columns(_constant(noise.tokens).alias(VOTES))
        groups = _counted(pairs, [WHOSE], GROUPS)
        shared = nw.col(GROUPS).cast(nw.Float64).clip(lower_bound=float(m))
        if noise.law == "discrete_laplace":
            tokens = noise.tokens * m / shared
        else:
            tokens = noise.tokens * (m / shared).sqrt()
        return pairs.join(groups, on=WHOSE, how="inner").with_columns(_floor(tokens).alias(VOTES))


# ------------------------------------------------------------------------------- words of an engine


LONG = (nw.Int64, nw.UInt64, nw.Int128, nw.UInt128)


def _table(columns, backend):
    return nw.from_dict(columns, backend=backend).to_native()


def _kinds(frame, types):
    """What each column holds, by its declared type alone.

    pandas finds out what a column of objects holds by looking at each of them. That may not
    decide about anything, so such a column is of no kind.
    """
    native = nw.to_native(frame)
    looked_at = set()
    if frame.implementation.is_pandas_like() or frame.implementation.is_dask():
        looked_at = {name for name, dtype in native.dtypes.items() if str(dtype) == "object"}
    kinds = {name: _kind(dtype) for name, dtype in types.items()}
    return kinds | dict.fromkeys(looked_at, "object")


def _kind(dtype):
    if dtype.is_integer():
        return "integer"
    if dtype.is_float():
        return "float"
    named = {nw.Decimal: "decimal", nw.Boolean: "boolean", nw.Date: "date",
             nw.String: "text", nw.Categorical: "category", nw.Enum: "category"}
    return next((kind for known, kind in named.items() if dtype == known), str(dtype).lower())


def _within(number, dtype):
    """Integers of a long type within those that are floats; all constants are of its type."""
    most = nw.lit(LARGEST_WHOLE, dtype)
    number = nw.when(number > most).then(most).otherwise(number)
    if dtype.is_unsigned_integer():
        return number
    least = nw.lit(-LARGEST_WHOLE, dtype)
    return nw.when(number < least).then(least).otherwise(number)


def _floor(number):
    return number.floor().cast(nw.Int64)


def _constant(number):
    return nw.lit(number, nw.Int64)


def _token(share):
    """The whole number of tokens of a public share of a vote."""
    return round(share * TOKENS)


def _counted(rows, keys, name):
    counts = _grouped(rows, keys, nw.len().alias(name))
    return counts.with_columns(nw.col(name).cast(nw.Int64))


def _grouped(rows, keys, *sums):
    """One row for each group."""
    groups = rows.group_by(*keys).agg(*sums)
    if not groups.implementation.is_dask():
        return groups
    # with a dozen partitions its optimiser (2026.8) stumbles over columns that it has dropped; it
    # cannot look into a step that is a function
    native = groups.to_native()
    return nw.from_native(native.map_partitions(_same)).lazy()


def _same(rows):
    return rows


def _sums(pairs, by, *columns):
    """Sums of each column by group, int64, in the order of the declared labels; read at once, so
    that they are of the same rows."""
    totals = [nw.col(column).sum() for column in columns]
    found = (pairs.group_by(*by).agg(*totals) if by else pairs.select(*totals)).collect()
    places = [{label: i for i, label in enumerate(labels)} for labels in by.values()]
    sums = np.zeros((len(columns), *cells_of(by)), dtype=np.int64)
    for labels, values in zip(_rows_of(found, by), _rows_of(found, columns)):
        spot = tuple(place.get(label) for place, label in zip(places, labels))
        if None not in spot:  # a collation may take others for a label
            sums[(slice(None), *spot)] = [int(value or 0) for value in values]
    return sums


def _rows_of(frame, columns):
    lists = [frame[column].to_list() for column in columns]
    return zip(*lists) if lists else repeat(())


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
        most = _grouped(pairs, [WHOSE], nw.col(LENGTH).max().alias(VALUE))
        best = pairs.join(most, on=WHOSE, how="inner").filter(nw.col(LENGTH) == nw.col(VALUE))
        kept.append(_grouped(best, [WHOSE], nw.col(column).min()))
        pairs = pairs.join(kept[-1], on=[WHOSE, column], how="anti")
    return nw.concat(kept, how="vertical")
