"""A coefficient from a table of people: one record for each unit, whatever holds the rows."""

import datetime
from collections import Counter
from unittest.mock import patch

import numpy as np
import pandas as pd
import polars as pl
import pytest

from dplib.accounting import Ledger, Overdraft
from dplib.aggregation import refused
from dplib.glm import LOGISTIC, Box, release_coefficient
from dplib.tables import Table, engine
from tests.people import ENGINES, LATE, RELATIONS, table, visits
from tests.test_tables_gate import exploding, told_by

LISTED = LATE["by"] | {"again": LATE["classes"]}
CELLS = [len(labels) for labels in LATE["by"].values()]


def kinds(frame, unit="person"):
    """{(cell, rows, those with the second class): units}."""
    *record, units = engine.Rows.of(frame, unit).records(LATE["by"], "again", LATE["classes"])
    return dict(zip(zip(*map(np.ndarray.tolist, record)), units.tolist()))


def by_hand(frame):
    """One person at a time: the cell of most rows, the first of the declared order, and the outcomes there."""
    found = Counter()
    for _, rows in frame.dropna(subset="person").groupby("person"):
        own = {}
        for *record, again in rows[list(LISTED)].itertuples(index=False):
            if all(label in labels for label, labels in zip(record, LATE["by"].values())):
                place = tuple(labels.index(label) for label, labels in zip(record, LATE["by"].values()))
                own.setdefault(int(np.ravel_multi_index(place, CELLS)), []).append(bool(again))
        if own:
            best = min(own, key=lambda cell: (-len(own[cell]), cell))
            found[best, len(own[best]), sum(own[best])] += 1
    return dict(found)


@pytest.mark.parametrize("made", ENGINES.values(), ids=ENGINES)
def test_the_record_of_a_unit_is_where_most_of_its_rows_are_in_every_engine_and_order(made):
    due = by_hand(visits())
    assert sum(due.values()) > 20 and max(due.values()) > 1 and {1, 2} <= {rows for _, rows, _ in due}
    for frame in (visits(), visits().sample(frac=1, random_state=2)):
        assert kinds(made(frame)) == due
    assert kinds(made(visits().iloc[:0])) == {}
    listed = np.logical_and.reduce([visits()[column].isin(labels) for column, labels in LISTED.items()]).sum()
    alone = kinds(made(visits()), unit=None)
    assert sum(alone.values()) == listed and {rows for _, rows, _ in alone} == {1}


def most_moved(frames):
    """How many records come or go at most, if one unit is in another's place or there is none."""
    base = Counter(kinds(pl.from_pandas(visits())))
    other = [Counter(kinds(pl.from_pandas(frame))) for frame in frames]
    return max(((found - base) + (base - found)).total() for found in other)


def others():
    """The table without each unit, and with a unit of other rows in the place of it, listed or not."""
    frame = visits()
    for whose in frame.person.dropna().unique()[::3]:
        own = (frame.person == whose).fillna(False)
        yield frame[~own]
        for ward, again in (("A", True), ("Ü", False), ("nowhere", True)):
            rows = frame.iloc[:40].assign(person=whose, ward=ward, again=again, day=datetime.date(2026, 1, 1))
            yield pd.concat([frame[~own], rows.astype(frame.dtypes.to_dict())])


def test_a_unit_that_comes_or_goes_is_one_record_and_one_that_is_replaced_two():
    assert most_moved(frame for i, frame in enumerate(others()) if i % 4 == 0) == 1
    assert most_moved(others()) == 2


first = engine._first
SEVERAL = {"every cell of a unit": lambda pairs, column, m: pairs,
           "two records of a unit": lambda pairs, column, m: first(pairs, column, 2)}


@pytest.mark.parametrize("mistake", SEVERAL)
def test_a_unit_of_several_records_is_noticed(mistake):
    with patch.object(engine, "_first", SEVERAL[mistake]):
        assert most_moved(others()) > 2


def clinic(people=6000, seed=5):
    """People of three wards with one to four rows of the same kind, and one who is in none of the wards."""
    rng = np.random.default_rng(seed)
    ward, old = rng.integers(0, 3, people), rng.random(people) < .4
    again = rng.random(people) < 1 / (1 + np.exp(1 - .8 * (ward == 1) - .5 * old))
    ward[0], rows = 3, rng.integers(1, 5, people)
    person = np.repeat(np.arange(people), rows)
    return pd.DataFrame(dict(person=person, ward=np.array(list("ABCD"))[ward][person], old=old[person], again=again[person])).astype(
        {"ward": "string"})


ASKED = dict(by={"ward": ["A", "B", "C"], "old": [False, True]}, classes=(False, True), move=({"ward": "B"}, {"ward": "A"}),
             epsilon=1, delta=1e-6)


@pytest.mark.parametrize("neighbor", RELATIONS)
def test_a_coefficient_is_that_of_one_record_for_each_unit(neighbor):
    frame = clinic()
    ledger = Ledger(epsilon=1, delta=1e-6)
    answer = table(frame, neighbor=neighbor, ledger=ledger).coefficient("again", **ASKED)
    assert ledger.left == {"epsilon": 0.0, "delta": 0.0} and ledger.payments[0].what == "coefficient of again"
    own = frame[frame.ward != "D"].drop_duplicates("person")
    X = np.c_[own.ward == "B", own.ward == "C", own.old]
    given = dict(domain=Box([(0, 1)] * 3, binary=[2], one_hot=[(0, 1)]), loss=LOGISTIC, move=([1, 0, 0], [0, 0, 0]), epsilon=1, delta=1e-6)
    due = release_coefficient(X, own.again, **given, rows_per_unit=1, rng=np.random.default_rng(1))
    assert answer.mechanism == due.mechanism == "fitted scale"
    for name in ("value", "certificate", "noise_scale", "sampling_variance"):
        assert getattr(answer, name) == pytest.approx(getattr(due, name), rel=1e-9)
    lo, hi = answer.interval()
    assert lo < -.8 < hi and hi - lo < .6
    plan = Table(None, unit="person", neighbor=neighbor).coefficient("again", **ASKED).plan(
        size=6000, shares={"ward": [1 / 3] * 3, "old": [.6, .4]}, curvature=.22)
    assert plan.mechanism == "fitted scale" and plan.probability > .99 and plan.half_width == pytest.approx((hi - lo) / 2, rel=.2)


def test_who_comes_often_does_not_bias_a_coefficient():
    """Rows of one person in any ward, with an outcome that has nothing to do with it: over 30 tables the mean of all answers is 0, and
    intervals hold. If ties were broken by the outcome, it would be far away."""
    answers, rng = [], np.random.default_rng(8)
    for seed in range(30):
        person = np.repeat(np.arange(3000), 4)
        frame = pl.DataFrame(dict(person=person, ward=rng.choice(["A", "B", "C"], 12_000), old=rng.random(12_000) < .5,
                                  again=rng.random(12_000) < .3))
        answers.append(table(frame, seed=seed).coefficient("again", **ASKED | dict(epsilon=8)))
    value = np.array([answer.value for answer in answers])
    assert abs(value.mean()) < 4 * value.std() / 30**.5 < .1
    assert np.mean([lo < 0 < hi for lo, hi in (answer.interval(.8) for answer in answers)]) >= .7


def test_a_coefficient_of_a_few_is_refused_and_paid_for():
    for frame in (clinic(40), clinic(40).iloc[:0]):
        ledger = Ledger(epsilon=1, delta=1e-6)
        assert refused(table(frame, ledger=ledger).coefficient("again", **ASKED))
        assert ledger.left["epsilon"] == 0


def test_more_units_than_can_be_fitted_are_refused_without_their_number():
    with patch("dplib.tables.models.most_records", lambda domain, loss: 5998):
        with pytest.raises(ValueError, match="at most 5998 units") as said:
            table(clinic()).coefficient("again", **ASKED)
    assert "5999" not in str(said.value)


def test_nothing_but_a_coefficient_tells_a_unit():
    assert told_by(lambda t: t.coefficient(**LATE, epsilon=9, delta=.09, split=.5) is None) == []


def test_a_coefficient_is_paid_for_before_it_is_read():
    for ledger in (Ledger(epsilon=.5, delta=.1), Ledger(epsilon=5, delta=1e-7)):
        with pytest.raises(Overdraft):
            table(exploding(visits()), ledger=ledger).coefficient(**LATE, epsilon=1, delta=1e-6)
    with pytest.raises(ValueError, match="this ledger is in rho"):
        table(clinic(), ledger=Ledger(rho=1)).coefficient("again", **ASKED)
