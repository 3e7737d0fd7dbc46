"""A table of people for the tests of `dplib.tables`, in every engine, and all questions to it."""

import datetime
from functools import cache
from types import MappingProxyType
from unittest.mock import patch

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from dplib.accounting import Ledger
from dplib.tables import Table, votes


V = votes.TOKENS
RELATIONS = ("replace", "add_remove")
SECRET = "Rumpelstiltskin"


def duck(frame):
    return duckdb.connect().from_arrow(pa.Table.from_pandas(frame, preserve_index=False))


ENGINES = {
    "pandas": lambda frame: frame,
    "pandas on arrow": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.from_pandas,
    "polars, lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "DuckDB": duck,
}


@cache
def visits(seed=3, rows=600, people=80):
    """People with one row and with many, in one ward and in all; missing, infinite and huge numbers."""
    rng = np.random.default_rng(seed)
    person = rng.integers(0, people, rows) ** 2 // people
    cost = rng.normal(50, 60, rows)
    cost[:12] = np.nan, np.inf, -np.inf, 1e300, -1e300, 0, -0.0, 100, 5e-324, 99.99999999999999, 1e-9, -1e-9
    frame = pd.DataFrame(dict(
        person=person.astype(float), ward=rng.choice(list("ABCÜ"), rows, p=[.5, .3, .15, .05]),
        month=rng.integers(1, 5, rows), cost=cost, again=rng.random(rows) < .3,
        day=[datetime.date(2026, 1, 1 + int(d)) for d in rng.integers(0, 3, rows)]))
    frame["person"] = frame["person"].astype("Int64")
    frame.loc[20:23, "person"] = pd.NA
    frame.loc[24:25, ["person", "cost"]] = 1001, 500                    # in two wards, above all bounds
    frame.loc[24:25, "ward"] = ["A", "B"]
    frame["ward"] = frame["ward"].astype("string")
    frame["day"] = frame["day"].astype(pd.ArrowDtype(pa.date32()))
    return frame


def table(frame, *, unit="person", neighbor="add_remove", seed=1, ledger=None):
    return Table(frame, unit=unit, neighbor=neighbor, rng=np.random.default_rng(seed),
                 ledger=ledger or Ledger(epsilon=1e6, delta=.5))


def purse(price):
    """A ledger in the currency of a price, with enough in it."""
    return Ledger(rho=1e6) if "rho" in price else Ledger(epsilon=1e6, delta=.5)


WARDS, MONTHS, BOUNDS = {"ward": ["Ü", "A", "none", "B"]}, {"month": range(1, 5)}, (0, 100)
QUESTIONS = {
    "counts": lambda t, price: t.counts(**price),
    "counts by ward": lambda t, price: t.counts(by=WARDS, most_groups=2, **price),
    "counts by ward and month": lambda t, price: t.counts(by=WARDS | MONTHS, most_groups=3, **price),
    "counts by day": lambda t, price: t.counts(
        by={"day": [datetime.date(2026, 1, d) for d in (1, 2, 9)]}, most_groups=1, **price),
    "counts by a boolean": lambda t, price: t.counts(by={"again": [False, True]}, most_groups=1, **price),
    "sums": lambda t, price: t.sums("cost", bounds=(-50, 300), by=WARDS, most_groups=2, **price),
    "sums that are not negative": lambda t, price: t.sums("cost", bounds=BOUNDS, missing=10, **price),
    "sums of a boolean": lambda t, price: t.sums("again", bounds=(0, 3), by=WARDS, most_groups=4, **price),
    "rows": lambda t, price: t.sums(None, bounds=(0, 7), by=MONTHS, most_groups=2, **price),
    "means": lambda t, price: t.means("cost", bounds=BOUNDS, **price),
    "means by ward": lambda t, price: t.means("cost", bounds=(-20, 180), by=WARDS, most_groups=2, missing=7.5, **price),
    "histogram": lambda t, price: t.histogram("cost", bounds=BOUNDS, cells=5, by=WARDS, most_groups=2, **price),
    "histogram of all": lambda t, price: t.histogram("cost", bounds=BOUNDS, cells=3, **price),
}
OTHERS = {
    "quantiles": lambda t: t.quantiles("cost", levels=[.1, .25, .5, .9], bounds=BOUNDS, cells=10, by=WARDS, most_groups=2, epsilon=1),
    "median": lambda t: t.quantiles("cost", levels=.5, bounds=BOUNDS, cells=1000, epsilon=1),
    "discover": lambda t: t.discover("ward", most_groups=2, epsilon=1, delta=.01),
    "discover numbers": lambda t: t.discover("month", most_groups=1, epsilon=2, delta=.1),
}
# one coefficient of a model of whether somebody comes again
LATE = dict(column="again", by={"ward": ["A", "C", "Ü"], "month": [2, 1, 4], "day": [datetime.date(2026, 1, d) for d in (3, 1)]},
            classes=(False, True), move=({"ward": "A", "month": 1}, {"ward": "Ü", "month": 2}))


def tokens(question, frame, *, price=MappingProxyType({"epsilon": 1}), **options):
    """What leaves the engine, and the noise that was meant for it."""
    seen = []

    def remembered(self, exact, rng):
        seen.append((exact, self))
        return exact

    with patch.object(votes.Noise, "added_to", remembered):
        QUESTIONS[question](table(frame, ledger=purse(price), **options), price)
    return seen[0]
