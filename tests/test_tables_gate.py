"""Tables of people: what is read and when, what is refused, and that nothing but noisy numbers tells of anybody."""

import datetime
import pickle
import warnings
from decimal import Decimal
from unittest.mock import patch

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dplib.accounting import Ledger, Overdraft
from dplib.tables import EngineError, Table, engine
from tests.neighbours import HUGE, NUMBERS, observe
from tests.people import BOUNDS, ENGINES, LATE, OTHERS, QUESTIONS, SECRET, WARDS, duck, table, visits

# ----------------------------------------------------------------------------------------------------------------- gate


class Touched(Exception):
    pass


def exploding(frame):
    """A lazy frame that raises when a row is read."""
    def explode(value):
        raise Touched(SECRET)
    return pl.from_pandas(frame).lazy().with_columns(pl.col("cost").map_elements(explode, return_dtype=pl.Float64))


def test_nothing_is_read_before_it_is_paid_for():
    t = table(exploding(visits()), ledger=Ledger(epsilon=.5))
    for ask in (lambda: t.means("cost", bounds=BOUNDS, epsilon=1), lambda: t.discover("ward", most_groups=1, epsilon=.4, delta=1e-6)):
        with pytest.raises(Overdraft):
            ask()
    assert t._ledger.payments == ()
    with pytest.raises(EngineError):
        t.means("cost", bounds=BOUNDS, epsilon=.5)
    assert t._ledger.left["epsilon"] == 0 and len(t._ledger.payments) == 1


def chain(error):
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def test_an_engine_that_fails_tells_nothing():
    frame = duckdb.connect().sql(f"select 1 as person, cast(x as double) as cost from (values ('1'), ('{SECRET}')) t(x)")
    with pytest.raises(Exception, match=SECRET):
        frame.fetchall()                                                # the engine itself does tell
    with pytest.raises(EngineError) as caught:
        table(frame).means("cost", bounds=BOUNDS, epsilon=1)
    told = [*chain(caught.value)]
    assert len(told) == 1 and SECRET not in str(told)
    with pytest.raises(EngineError) as caught:
        table(exploding(visits())).sums("cost", bounds=BOUNDS, epsilon=1)
    assert all(SECRET not in repr(error) for error in chain(caught.value))


def test_warnings_of_an_engine_are_not_heard():
    frame = visits()

    def warned(rows):
        warnings.warn(SECRET, stacklevel=1)
        return np.int64(7)

    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        with patch.object(engine.Rows, "counts", lambda self, by, noise, m: warned(self)):
            table(frame).counts(epsilon=1)
    assert heard == []


ODD = [*NUMBERS, np.inf, -np.inf, np.nan, None]


def odd_units(frame):
    """The table with one unit in another's place: of one odd number in a ward that is listed and in one that is not, of a
    thousand rows, and of none."""
    rest = frame[(frame.person != 1001).fillna(True)]
    for number in ODD:
        rows = pd.DataFrame(dict(person=[1001, 1001], ward=["A", "nowhere"], month=[1, 99], cost=[number, number], again=[True, False],
                                 day=[datetime.date(2026, 1, 1)] * 2)).astype(frame.dtypes.to_dict())
        yield pd.concat([rest, rows])
    yield pd.concat([rest, *[rows] * 500])
    for month in (2**53 + 1, 2**63 - 1, -(2**63)):
        yield pd.concat([rest, rows.assign(month=month)])
    yield rest


def told_by(ask):
    """What an observer sees besides the values, on neighbours."""
    release = lambda frame, rng: ask(Table(frame, unit="person", neighbor="replace", rng=rng, ledger=Ledger(epsilon=9, delta=.1)))
    seen = observe(release, pl.from_pandas(visits()))
    assert seen.error is None
    return [way for other in odd_units(visits()) for way in seen.tells(observe(release, pl.from_pandas(other)))]


@pytest.mark.parametrize("name", QUESTIONS | OTHERS)
def test_nothing_but_the_values_tells_a_unit(name):
    ask = (QUESTIONS | OTHERS)[name]
    assert told_by((lambda t: ask(t, {"epsilon": 1}).values) if name in QUESTIONS else lambda t: len(ask(t).values) > 99) == []


@pytest.mark.parametrize("made", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize("whole", [2**53 + 1, 2**63 - 1, -(2**63), 2**64 - 1])
def test_a_huge_integer_is_a_number_like_others(made, whole):
    frame = pd.DataFrame({"person": range(50), "x": np.array([5] * 49 + [whole], dtype=np.uint64 if whole > 2**63 else np.int64)})
    t = table(made(frame))
    exact = [t.means("x", bounds=(0, 10), epsilon=1e3).values, t.sums("x", bounds=(0, 10), epsilon=1e3).values / 50,
             t.quantiles("x", levels=.5, bounds=(0, 10), cells=10, epsilon=1e3).values[0]]
    assert np.abs(np.array(exact) - 5.).max() <= 1                     # the grid of a quantile


def test_nothing_of_the_table_hangs_on_an_answer():
    for made in (lambda frame: frame, pl.from_pandas, duck):
        answer = table(made(visits().assign(ward=SECRET).astype({"ward": "string"}))).counts(epsilon=1)
        assert SECRET.encode() not in pickle.dumps(answer) and not hasattr(answer.made, "__self__")


@pytest.mark.parametrize("made", ENGINES.values(), ids=ENGINES)
def test_rows_without_groups_are_counted(made):
    t = table(made(visits()), unit=None)
    assert t.counts(epsilon=1e3).values == len(visits()) and t.sums(None, bounds=(0, 1), epsilon=1e3).values == pytest.approx(len(visits()))


def test_a_panic_of_an_engine_is_an_error_like_others():
    class Panic(BaseException):
        pass

    def panic(*_):
        raise Panic(SECRET)

    with patch.object(engine.Rows, "counts", panic), pytest.raises(EngineError) as caught:
        table(visits()).counts(epsilon=1)
    assert len([*chain(caught.value)]) == 1


def test_a_label_in_another_spelling_is_no_error():
    """A collation of DuckDB's takes it for the one that is listed; it counts for nobody."""
    connection = duckdb.connect()
    connection.execute("create table t (person int, ward varchar collate nocase)")
    connection.execute("insert into t values (1, 'a'), (2, 'B')")
    answer = table(connection.table("t")).counts(by={"ward": ["A", "B"]}, most_groups=1, epsilon=1e3)
    assert answer.values.round(2).tolist() == [0, 1]


def test_a_column_with_one_of_our_names_is_refused_where_it_would_be_lost():
    frame = pd.DataFrame({"person": range(9), "value": [1, 2, 3] * 3})
    answer = table(frame).counts(by={"value": [1, 2, 3]}, most_groups=1, epsilon=1)
    with pytest.raises(ValueError, match="one of our names, 'value'"):
        answer.to_frame()


def test_a_question_that_refuses_a_record_is_noticed():
    def gate(self, column, by, missing):
        rows = numbers(self, column, by, missing)
        if rows.select((nw.col(engine.VALUE) == HUGE).any()).collect()[engine.VALUE].to_list()[0]:
            raise ValueError("a number is too large")
        return rows

    numbers = engine.Rows._numbers
    with patch.object(engine.Rows, "_numbers", gate):
        assert told_by(lambda t: QUESTIONS["means"](t, {"epsilon": 1}).values)


REFUSED = [
    (lambda t: t.counts(by={"wards": ["A"]}, most_groups=1, epsilon=1), "by must name a column of the table, got 'wards'"),
    (lambda t: t.counts(by={"ward": ["A", "A"]}, most_groups=1, epsilon=1), "different labels"),
    (lambda t: t.counts(by={"ward": []}, most_groups=1, epsilon=1), "different labels"),
    (lambda t: t.counts(by={"ward": "A"}, most_groups=1, epsilon=1), "by must list the labels of 'ward', got 'A'"),
    (lambda t: t.counts(by={"month": 1}, most_groups=1, epsilon=1), "by must list the labels of 'month', got 1"),
    (lambda t: t.counts(by="ward", most_groups=1, epsilon=1), "by must map columns to lists of labels, as .*, got 'ward'"),
    (lambda t: t.means("cost", bounds=BOUNDS, by=["ward"], most_groups=1, epsilon=1), "by must map columns to lists of labels"),
    (lambda t: t.counts(by=[], epsilon=1), "by must map columns to lists of labels"),
    (lambda t: t.counts(by={"ward": [1]}, most_groups=1, epsilon=1), "of type text"),
    (lambda t: t.counts(by={"month": ["1"]}, most_groups=1, epsilon=1), "of type integer"),
    (lambda t: t.counts(by={"month": [True]}, most_groups=1, epsilon=1), "of type integer, got"),
    (lambda t: t.counts(by={"day": [datetime.datetime(2026, 1, 1)]}, most_groups=1, epsilon=1), "of type date"),
    (lambda t: t.means("cost", bounds=(0, 1e-300), epsilon=1), "bounds must be at least 1e-290 apart"),
    (lambda t: t.counts(by={"cost": [1.0]}, most_groups=1, epsilon=1), "'cost' is of type float"),
    (lambda t: t.counts(by=WARDS, epsilon=1), "most_groups must say"),
    (lambda t: t.counts(most_groups=2, epsilon=1), "most_groups must be left out"),
    (lambda t: t.counts(by=WARDS, most_groups=0, epsilon=1), "most_groups must be at least 1"),
    (lambda t: t.counts(by={"month": range(3000), "person": range(3000)}, most_groups=1, epsilon=1), "at most 4194304 groups"),
    (lambda t: t.counts(), "either epsilon or rho"),
    (lambda t: t.counts(epsilon=1, rho=1), "either epsilon or rho"),
    (lambda t: t.counts(epsilon=-1), "epsilon must be"),
    (lambda t: t.counts(epsilon=np.nan), "epsilon must be"),
    (lambda t: t.means("ward", bounds=BOUNDS, epsilon=1), "'ward' is of type text"),
    (lambda t: t.means("day", bounds=BOUNDS, epsilon=1), "'day' is of type date"),
    (lambda t: t.means("cost", bounds=(1, 1), epsilon=1), "bounds must be a pair"),
    (lambda t: t.means("cost", bounds=(0, np.inf), epsilon=1), "bounds must be finite"),
    (lambda t: t.means("cost", bounds=BOUNDS, missing=-1, epsilon=1), "missing must be"),
    (lambda t: t.means("cost", bounds=BOUNDS, missing="mean", epsilon=1), "missing must be 'drop' or a number"),
    (lambda t: t.means("cost", bounds=BOUNDS, epsilon=1e-9), "must be at most 2\\*\\*36"),
    (lambda t: t.histogram("cost", bounds=BOUNDS, cells=0, epsilon=1), "cells must be at least 1"),
    (lambda t: t.quantiles("cost", levels=[.5, .2], bounds=BOUNDS, cells=9, epsilon=1), "levels must increase"),
    (lambda t: t.quantiles("cost", levels=[.12345], bounds=BOUNDS, cells=9, epsilon=1), "multiples of 1/1000"),
    (lambda t: t.quantiles("cost", levels=1, bounds=BOUNDS, cells=9, epsilon=1), "levels must be"),
    (lambda t: t.histogram("month", bounds=(0, 9), cells=3, by={"month": [1]}, most_groups=1, epsilon=1), "by must not name 'month'"),
    (lambda t: t.histogram("cost", bounds=BOUNDS, cells=2**22, by=WARDS, most_groups=1, epsilon=1), "at most 4194304 groups"),
    (lambda t: t.counts(by={"month": [2**63]}, most_groups=1, epsilon=1), "labels of -9223372036854775808 to"),
    (lambda t: t.discover("day", most_groups=1, epsilon=1, delta=1e-6), "'day' is of type date"),
    (lambda t: t.discover("cost", most_groups=1, epsilon=1, delta=1e-6), "'cost' is of type float"),
    (lambda t: t.discover("ward", epsilon=1, delta=1e-6), "most_groups must say"),
    (lambda t: t.discover("ward", most_groups=1, epsilon=1, delta=.7), "delta must be"),
    *((lambda t, change=change: t.coefficient(**LATE | dict(epsilon=1, delta=1e-6) | change), words) for change, words in [
        (dict(column="patient"), "by must name a column of the table, got 'patient'"),
        (dict(column="ward"), "by must not name the outcome"),
        (dict(column="cost", classes=(0.0, 1.0)), "'cost' is of type float"),
        (dict(classes=(False,)), "classes must be two labels"),
        (dict(classes="NY"), "classes must list the labels of"),
        (dict(by="ward"), "by must map columns to lists of labels"),
        (dict(classes=(0, 1)), "of type boolean"),
        (dict(by={"ward": ["A"]}), "two labels or more for 'ward'"),
        (dict(by={}), "move must go from labels of some columns"),
        (dict(by={"wards": ["A", "B"]}, move=({"wards": "A"}, {"wards": "B"})), "by must name a column of the table, got 'wards'"),
        (dict(move=({"ward": "A"}, {"month": 1})), "others of the same columns"),
        (dict(move=({"ward": "A"}, {"ward": "A"})), "move must go"),
        (dict(move=({"ward": "A"}, {"ward": "B"})), "move must name labels that by lists, got 'B'"),
        (dict(move=("A", "B")), "pair of mappings"),
        (dict(epsilon=0), "epsilon must be"), (dict(delta=.5), "delta must be"), (dict(split=1), "split must be"),
        (dict(interval_share=.9), "interval_share must be"), (dict(epsilon=1e-9), "epsilon times split"),
        (dict(by={"month": range(3000), "person": range(3000)}, move=({"month": 1}, {"month": 2})), "at most 4194304 groups")]),
]


@pytest.mark.parametrize("ask, words", REFUSED, ids=[words for _, words in REFUSED])
def test_what_is_refused_costs_nothing_and_reads_nothing(ask, words):
    ledger = Ledger(epsilon=100, delta=.9)
    with pytest.raises(ValueError, match=words):
        ask(table(exploding(visits()), ledger=ledger))
    assert ledger.payments == ()


def test_a_column_whose_type_pandas_finds_by_looking_at_it_is_refused():
    frame = pd.DataFrame({"person": [1, 2], "x": pd.Series([1.0, 2.0], dtype=object), "ward": pd.Series(["A", "B"], dtype=object)})
    with pytest.raises(ValueError, match="'x' is of type object: cast it"):
        table(frame).means("x", bounds=BOUNDS, epsilon=1)
    with pytest.raises(ValueError, match="'ward' is of type object: cast it"):
        table(frame).counts(by={"ward": ["A"]}, most_groups=1, epsilon=1)
    with pytest.raises(ValueError, match="unit must be a column of one of the types"):
        table(frame.assign(person=frame.person.astype(object)))


@pytest.mark.parametrize("frame", [[1, 2], np.ones((3, 2)), {"person": [1]}, "table.csv"])
def test_what_is_no_table_is_refused(frame):
    with pytest.raises(TypeError, match="frame must be a table of pandas, polars"):
        table(frame)


def test_a_table_needs_a_ledger_a_generator_and_its_unit():
    with pytest.raises(TypeError, match="ledger must be"):
        Table(visits(), unit="person", neighbor="replace", ledger=1.0, rng=np.random.default_rng())
    with pytest.raises(TypeError, match="rng must be"):
        Table(visits(), unit="person", neighbor="replace", ledger=Ledger(epsilon=1), rng=3)
    with pytest.raises(ValueError, match="unit must name a column"):
        table(visits(), unit="patient")
    with pytest.raises(ValueError, match="neighbor must be one of"):
        table(visits(), neighbor="added")


def test_rows_as_units_are_votes_of_their_own():
    frame = visits()
    t = table(frame, unit=None, seed=2)
    answer = t.counts(by={"month": range(1, 5)}, epsilon=5)
    assert answer.values.dtype == np.int64 and answer.unit == "row"
    assert np.abs(answer.values - frame.month.value_counts().sort_index().to_numpy()).max() <= answer.half_width(.999999)
    mean = t.means("cost", bounds=BOUNDS, epsilon=5)
    assert float(mean.values) == pytest.approx(frame.cost.dropna().clip(0, 100).mean(), abs=float(mean.half_width(.9999)) + 1e-4)
    assert t.quantiles("cost", levels=.5, bounds=BOUNDS, cells=100, epsilon=5).values == pytest.approx(frame.cost.median(), abs=3)


def test_other_types_are_read_for_what_they_are():
    frame = pd.DataFrame(dict(
        person=pd.Categorical(["p", "q", "q", "r"]), nullable=pd.array([1, None, 3, 4], dtype="Int64"),
        small=np.array([1, 2, 3, 4], dtype=np.int8)))
    decimals = frame.assign(price=pd.array(list(map(Decimal, ("1.25", "2.50", "3.75", "5.00"))),
                                           dtype=pd.ArrowDtype(pa.decimal128(9, 2))))
    t = table(decimals, ledger=Ledger(epsilon=1e6))
    assert float(t.means("price", bounds=(0, 10), epsilon=1e5).values) == pytest.approx((1.25 + 3.125 + 5) / 3, abs=1e-3)
    assert float(t.means("nullable", bounds=(0, 10), epsilon=1e5).values) == pytest.approx((1 + 3 + 4) / 3, abs=1e-3)
    assert float(t.sums("small", bounds=(0, 10), epsilon=1e5).values) == pytest.approx(10, abs=1e-2)
