"""Tables of people: the tokens that leave an engine, the noise on them, and what is refused.

Every theorem is tried on the program: tokens of neighbouring tables are compared, laws are enumerated,
and a mistake that is planted must be noticed.
"""

import datetime
import pickle
import warnings
from dataclasses import replace
from decimal import Decimal
from functools import cache
from types import MappingProxyType
from unittest.mock import patch

import duckdb
import mpmath
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dplib import mechanisms
from dplib.accounting import Ledger, Overdraft, compose_basic, pure_zcdp, zcdp_epsilon
from dplib.tables import EngineError, Table, discovery_threshold, engine, quantiles, votes
from tests.neighbours import HUGE, NUMBERS, observe
from tests.outcomes import distribution, epsilon_of

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


def tokens(question, frame, *, price=MappingProxyType({"epsilon": 1}), **options):
    """What leaves the engine, and the noise that was meant for it."""
    seen = []

    def remembered(self, exact, rng):
        seen.append((exact, self))
        return exact

    with patch.object(votes.Noise, "added_to", remembered):
        QUESTIONS[question](table(frame, ledger=purse(price), **options), price)
    return seen[0]


# ------------------------------------------------------------------------------------------------------------- engines


@pytest.mark.parametrize("made", ENGINES.values(), ids=ENGINES)
def test_every_engine_gives_the_same_bits(made):
    both = visits(), made(visits())
    for name, ask in OTHERS.items():
        same(*(ask(table(frame)) for frame in both), name)
    for price in ({"epsilon": 1}, {"rho": .1}):
        for name, ask in QUESTIONS.items():
            same(*(ask(table(frame, ledger=purse(price)), price) for frame in both), name)


def same(one, other, name):
    assert one.by == other.by and one.values.dtype == other.values.dtype
    np.testing.assert_array_equal(one.values, other.values, err_msg=name)


@pytest.mark.parametrize("made", ENGINES.values(), ids=ENGINES)
def test_no_order_and_no_place_of_rows_matters(made):
    shuffled = visits().sample(frac=1, random_state=2)
    for name in QUESTIONS:
        np.testing.assert_array_equal(tokens(name, made(visits()))[0], tokens(name, made(shuffled))[0], err_msg=name)


@pytest.mark.parametrize("made", ENGINES.values(), ids=ENGINES)
def test_an_empty_table_is_a_table(made):
    for name, ask in (QUESTIONS | OTHERS).items():
        t = table(made(visits().iloc[:0]))
        answer = ask(t, {"epsilon": 1}) if name in QUESTIONS else ask(t)
        assert answer.question == "discover" or answer.values.shape[:len(answer.by)] == tuple(map(len, answer.by.values()))
    assert not tokens("counts by ward", made(visits().iloc[:0]))[0].any()


@pytest.mark.parametrize("made", ENGINES.values(), ids=ENGINES)
def test_an_answer_is_a_table_of_the_kind_in_which_the_engine_answers(made):
    frame = made(visits())
    shown = QUESTIONS["means by ward"](table(frame), {"epsilon": 2}).to_frame(level=.9)
    kind = {"polars": pl.DataFrame, "polars, lazy": pl.DataFrame, "pyarrow": pa.Table, "DuckDB": pa.Table}
    assert isinstance(shown, kind.get(next(n for n, m in ENGINES.items() if m is made), pd.DataFrame))
    columns = shown.column_names if isinstance(shown, pa.Table) else list(shown.columns)
    assert columns == ["ward", "value", "low", "high", "epsilon", "delta", "rho", "neighbor", "unit"]
    assert list(shown["ward"].to_pylist() if isinstance(shown, pa.Table) else shown["ward"]) == WARDS["ward"]


# --------------------------------------------------------------------------------------------- one person, one vote


def test_tokens_by_hand():
    frame = pd.DataFrame(dict(person=[1, 1, 1, 1, 2, 3, 3], ward=list("AABCAAC"), x=[0, 50, 100, 400, 25, 100, np.nan]))
    by, price = {"ward": list("ABCD")}, dict(most_groups=2, epsilon=1)
    seen = []
    with patch.object(votes.Noise, "added_to", lambda self, exact, rng: seen.append(exact) or exact):
        t = table(frame)
        t.counts(by=by, **price)
        t.means("x", bounds=(0, 100), by=by, **price)
        t.sums("x", bounds=(0, 200), by=by, **price)
        t.sums(None, bounds=(0, 2), by=by, **price)
        t.histogram("x", bounds=(0, 100), cells=2, by=by, **price)
    two = V * 2 // 3                                                    # of one who is in three wards with two votes
    np.testing.assert_array_equal(seen[0], [two + 2 * V, two, two + V, 0])
    quarter, whole = 25 * V // 100, V
    np.testing.assert_array_equal(seen[1], [[quarter * two // V + quarter + whole, two, two, 0],
                                            [two - quarter * two // V + 3 * quarter, 0, 0, 0]])
    half = V // 2
    np.testing.assert_array_equal(seen[2], [quarter * two // V + V // 8 + half, half * two // V, two, 0])
    np.testing.assert_array_equal(seen[3], [two + half + half, half * two // V, half * two // V + half, 0])
    np.testing.assert_array_equal(seen[4], [[two // 2 + V, two // 2 + V], [0, two], [0, two], [0, 0]])


def moves(question, frame, others, order, **options):
    """The norm of what changes in the tokens between a table and each of others, and the noise."""
    ours, noise = tokens(question, pl.from_pandas(frame), **options)
    theirs = (tokens(question, pl.from_pandas(other), **options)[0] for other in others)
    return [np.linalg.norm((ours - their).astype(float).ravel(), order) for their in theirs], noise


PRICES = {"epsilon": dict(price={"epsilon": 1}, order=1), "rho": dict(price={"rho": .1}, order=2)}
ATTAINED = set(QUESTIONS) - {"rows", "sums of a boolean", "counts by ward and month"}     # in these nobody is at the bounds here


@pytest.mark.parametrize("paid", PRICES.values(), ids=PRICES)
def test_a_unit_that_leaves_moves_no_more_than_its_noise_hides(paid):
    frame = visits()
    without = [frame[frame.person != person] for person in [*frame.person.dropna().unique()[::3], 1001]]
    for name in QUESTIONS:
        moved, noise = moves(name, frame, without, **paid)
        assert max(moved) <= noise.sensitivity and (max(moved) > .99 * noise.sensitivity or name not in ATTAINED), name


@pytest.mark.parametrize("paid", PRICES.values(), ids=PRICES)
def test_a_unit_that_is_replaced_moves_no_more_than_its_noise_hides(paid):
    frame, rng = visits(), np.random.default_rng(4)
    others = []
    for _ in range(12):
        person, other = rng.choice(frame.person.dropna().unique(), 2, replace=False)
        of_other = visits(5)[visits(5).person == other].assign(person=person)
        others.append(pd.concat([frame[(frame.person != person).fillna(True)], of_other]))
    for name in QUESTIONS:
        moved, noise = moves(name, frame, others, **paid, neighbor="replace")
        assert max(moved) <= noise.sensitivity, name


TWO = {"ward": ["A", "B"]}


@pytest.mark.parametrize("price, order", [({"epsilon": 1}, 1), ({"rho": .1}, 2)], ids=["epsilon", "rho"])
@pytest.mark.parametrize("ask", [
    lambda t, price: t.counts(by=TWO, most_groups=1, **price),
    lambda t, price: t.sums("x", bounds=(-1, 1), by=TWO, most_groups=1, **price),
    lambda t, price: t.sums("x", bounds=(-1, 1), **price),
    lambda t, price: t.sums("x", bounds=(0, 1), **price),
    lambda t, price: t.means("x", bounds=(-1, 1), **price),
    lambda t, price: t.histogram("x", bounds=(-1, 1), cells=2, **price)])
def test_the_worst_replacement_is_attained(ask, price, order):
    rows = [dict(person=1, ward=ward, x=x) for ward, x in (("A", 1.0), ("B", 1.0), ("A", -1.0), ("C", 0.0))]
    largest, sensitivity = 0, None
    for one in rows:
        for other in rows:
            seen = []
            with patch.object(votes.Noise, "added_to", lambda self, exact, rng: seen.append((exact, self)) or exact):
                for row in (one, other):
                    ask(table(pl.DataFrame([row]), neighbor="replace", ledger=purse(price)), price)
            moved = (seen[0][0] - seen[1][0]).astype(float).ravel()
            largest, sensitivity = max(largest, np.linalg.norm(moved, order)), seen[0][1].sensitivity
    assert largest == pytest.approx(sensitivity)


def test_votes_that_are_not_shared_are_noticed():
    def unshared(self, pairs, by, noise, m):
        return pairs.with_columns(engine._constant(noise.tokens).alias(engine.VOTES))

    with patch.object(engine.Rows, "_share", unshared), pytest.raises(AssertionError):
        test_a_unit_that_leaves_moves_no_more_than_its_noise_hides(PRICES["epsilon"])


def test_shares_of_the_other_norm_are_noticed():
    swapped = lambda noise: replace(noise, law="discrete_gaussian" if noise.law == "discrete_laplace" else "discrete_laplace")
    share = engine.Rows._share
    with patch.object(engine.Rows, "_share", lambda self, pairs, by, noise, m: share(self, pairs, by, swapped(noise), m)), \
            pytest.raises(AssertionError):
        test_a_unit_that_leaves_moves_no_more_than_its_noise_hides(PRICES["epsilon"])


def test_shares_of_votes_are_never_rounded_up():
    """In every engine a share is the floor of a quotient of floats; here it is compared with that of integers."""
    m, g = np.meshgrid(np.arange(1, votes.MOST_VOTES + 1), np.unique(np.geomspace(1, 1e6, 900).astype(int)))
    m, g = m[g >= m].astype(np.int64), g[g >= m].astype(np.int64)
    share = np.floor(V * m / g.astype(float)).astype(np.int64)
    assert np.all(share == V * m // g)
    root = np.floor(V * np.sqrt(m / g.astype(float))).astype(np.int64)
    assert np.all(root**2 * g <= V * V * m) and np.all((root + 1) ** 2 * g > V * V * m)


# ---------------------------------------------------------------------------------------------------------------- noise


@pytest.mark.parametrize("neighbor", RELATIONS)
def test_the_noise_is_that_of_the_mechanisms(neighbor):
    doubled = {"replace": 2, "add_remove": 1}[neighbor]
    noise = tokens("means by ward", visits(), neighbor=neighbor)[1]
    assert noise.sensitivity == doubled * 2 * V and noise.scale == pytest.approx(2 * doubled)
    exact = np.array([10 * V, 3 * V])
    mine = noise.added_to(exact, np.random.default_rng(7))
    theirs = mechanisms.discrete_laplace(exact, sensitivity=doubled * 2 * V, epsilon=1, rng=np.random.default_rng(7))
    np.testing.assert_array_equal(mine, theirs)
    gauss = tokens("means by ward", visits(), price={"rho": .125}, neighbor=neighbor)[1]
    assert gauss.scale == pytest.approx(np.sqrt(2 * doubled) * 2)
    drawn = gauss.added_to(np.zeros(40_000, dtype=np.int64), np.random.default_rng(8)) / V
    assert abs(drawn.std() / gauss.scale - 1) < 5 / np.sqrt(80_000)


def test_an_interval_is_as_wide_as_it_has_to_be():
    noise = votes.Noise("discrete_laplace", 2.0, .5, 1)
    q, cells = np.exp(-.25), 12
    for level in (.5, .9, .99, .9999):
        t = noise.largest(level, cells)
        inside = lambda t: (1 - 2 * q ** (t + 1) / (1 + q)) ** cells
        assert inside(t) >= level and (t == 0 or inside(t - 1) < level)


@pytest.mark.parametrize("sigma", [.3, 1.0, 2.0, 7.5, 40.0])
def test_an_interval_of_gaussian_noise_is_a_bound_and_two_steps_wide_of_one(sigma):
    noise, values = votes.Noise("discrete_gaussian", sigma, .5, 1), np.arange(-400, 401)
    law = np.exp(-(values / sigma) ** 2 / 2)
    law /= law.sum()
    for level, cells in ((.68, 1), (.95, 1), (.954, 1), (.95, 12), (.999, 100)):
        t = noise.largest(level, cells)
        inside = lambda t: law[np.abs(values) <= t].sum() ** cells
        assert t == round(t) and inside(t) >= level and (t < 2 or inside(t - 2) < level)


@pytest.mark.parametrize("price", [{"epsilon": .8}, {"rho": .1}], ids=["epsilon", "rho"])
def test_intervals_hold_all_at_once_as_often_as_they_say(price):
    """A level that were .7 instead of .8 would pass with probability below 2 percent."""
    frame, runs, level = visits(), 600, .8
    exact, noise = tokens("means by ward", frame, price=price)
    true = -20 + 200 * exact[0] / np.maximum(exact.sum(axis=0), 1)
    known = exact.sum(axis=0) > 0
    answer = QUESTIONS["means by ward"](table(frame, ledger=purse(price)), price)
    rng, held = np.random.default_rng(11), 0
    for _ in range(runs):
        ends = noise.added_to(exact, rng) / V
        low, high = type(answer).of(ends, (-20, 180), **{name: getattr(answer, name) for name in (
            "question", "by", "epsilon", "delta", "rho", "neighbor", "unit", "noise", "made")}).interval(level)
        held += np.all((low <= true + 1e-9)[known] & (true - 1e-9 <= high)[known])
    assert held / runs > level - 4 * np.sqrt(level * (1 - level) / runs)
    assert held / runs < .995                                         # and is no wider than it would have to be by far


def test_a_mean_has_half_the_variance_of_a_count_and_a_sum():
    rng, people, x = np.random.default_rng(12), 5000, .5
    noise = votes.noise_for({"epsilon": 1.0}, neighbor="add_remove", votes=1, ends=2, split=True)
    exact = np.array([[round((1 + x) / 2 * people * V)], [people * V - round((1 + x) / 2 * people * V)]])
    ends = noise.added_to(np.repeat(exact, 100_000, axis=1), rng) / V
    two_ends = (2 * ends[0] / ends.sum(axis=0) - 1).var()
    counts, sums = (people + rng.laplace(scale=2, size=100_000) for _ in range(2))
    two_parts = ((sums - people + x * people) / counts).var()
    assert two_ends * people**2 == pytest.approx(4 * (1 + x**2), rel=.03)
    assert two_parts / two_ends == pytest.approx(2, rel=.05)


# ----------------------------------------------------------------------------------------------------------- discovery


def discovered(rows, *, m, neighbor, epsilon, delta):
    """For each label its law: the probabilities not to be named, and to be named with T, T + 1, ..."""
    frame, seen = pd.DataFrame(rows, columns=["person", "label"]).astype({"person": "int64", "label": "string"}), []
    with patch.object(votes.Noise, "added_to", lambda self, exact, rng: seen.append((exact, self)) or exact), \
            patch.object(engine.Rows, "labels", remembering(engine.Rows.labels, names := [])):
        t = table(frame, neighbor=neighbor).discover("label", most_groups=m, epsilon=epsilon, delta=delta)
    (exact, noise), = seen
    q = np.exp(-epsilon / noise.sensitivity)
    noisy = t.threshold + np.arange(24)                              # all that is beyond is too rare to matter
    named = {name: (1 - q) / (1 + q) * q ** np.abs(noisy - count) for name, count in zip(names[0], exact)}
    return {name: np.array([1 - law.sum(), *law]) for name, law in named.items()}


def remembering(function, found):
    def remembered(self, *arguments):
        result = function(self, *arguments)
        found.append(result[0])
        return result
    return remembered


def joint(ours, theirs):
    """The probabilities of all that may be released on either side."""
    labels = sorted({*ours, *theirs})
    length = max(map(len, [*ours.values(), *theirs.values()]))
    nobody = np.eye(1, length)[0]                                     # a label that nobody has is never named
    laws = []
    for side in (ours, theirs):
        law = np.ones(1)
        for label in labels:
            law = np.outer(law, side.get(label, nobody)).ravel()
        laws.append(law)
    return laws


def least_delta(pair, epsilon, **given):
    ours, theirs = joint(*(discovered(rows, epsilon=epsilon, **given) for rows in pair))
    return max(np.maximum(a - np.exp(epsilon) * b, 0).sum() for a, b in ((ours, theirs), (theirs, ours)))


def people(*sets):
    return [(person, label) for person, labels in enumerate(sets) for label in labels]


PAIRS = [(people("ab"), people()), (people("ab", "a"), people("a")), (people("a", "a"), people("a")), (people("ab", "ab"), people("ab"))]
SWAPS = [(people("ab"), people("cd")), (people("a", "a"), people("a", "b")), (people("ab", "a"), people("cb", "a"))]


@pytest.mark.parametrize("m", [1, 2])
@pytest.mark.parametrize("neighbor, pairs", [("add_remove", PAIRS), ("replace", SWAPS)])
def test_the_law_of_discovery_keeps_the_promise(m, neighbor, pairs):
    epsilon = 3.0 * m
    q = np.exp(-epsilon / m / {"add_remove": 1, "replace": 2}[neighbor])
    delta = 1.001 * (1 - (1 - q**2 / (1 + q)) ** m)                     # just enough for a threshold of 3
    given = dict(delta=delta, m=m, neighbor=neighbor)
    assert .5 * delta < max(least_delta(pair, epsilon, **given) for pair in pairs) <= delta * (1 + 1e-9)
    with patch("dplib.tables.table.discovery_threshold", lambda **given: discovery_threshold(**given) - 1):
        assert max(least_delta(pair, epsilon, **given) for pair in pairs) > delta


def test_the_chance_of_a_label_is_that_of_the_law():
    plan = Table(None, unit="person", neighbor="add_remove").discover("label", most_groups=1, epsilon=1.0, delta=.05)
    for size in (1, 2, 3, 5, 8):
        law = discovered(people(*["a"] * size), m=1, neighbor="add_remove", epsilon=1.0, delta=.05)["a"]
        assert plan.chance(size) == pytest.approx(1 - law[0], rel=1e-7)
    assert plan.chance(0) == 0


def test_a_threshold_of_one_vote_is_that_of_the_histogram():
    from dplib.histograms import stability_threshold
    for neighbor in RELATIONS:
        for epsilon in (.1, 1, 3):
            ours = discovery_threshold(epsilon=epsilon, delta=1e-6, most_groups=1, neighbor=neighbor)
            assert ours == stability_threshold(epsilon=epsilon, delta=1e-6, neighbor=neighbor, noise="discrete_laplace")


# ----------------------------------------------------------------------------------------------------------- quantiles


def quantile_law(rows, *, levels, neighbor, by=None, epsilon=1.0):
    def exact(scores, *, sensitivity, epsilon, rng):
        """Permute and flip, as its definition says, with coins from the script."""
        flat = np.atleast_2d(scores)
        chosen = [rng.draw(range(len(row)), law(tuple(epsilon * row / (2 * sensitivity)))) for row in flat]
        return np.reshape(chosen, scores.shape[:-1])

    frame, seen = pl.DataFrame(rows, schema={"person": pl.Int64, "group": pl.Int64, "x": pl.Float64}, orient="row"), []
    groups = {} if by is None else dict(by={"group": by}, most_groups=1)
    with patch.object(quantiles, "choose_points", lambda *given, **named: seen.append((given, named)) or np.zeros(1, dtype=int)):
        table(frame, neighbor=neighbor).quantiles("x", levels=levels, bounds=(0, 3), cells=3, epsilon=epsilon, **groups)
    (given, named), = seen
    with patch.object(quantiles.mechanisms, "permute_and_flip", exact):
        return distribution(lambda given, rng: quantiles.choose_points(*given, **named | dict(rng=rng)), given)


@cache
def law(exponents):
    from tests.test_mechanisms import permute_and_flip_law
    return permute_and_flip_law(np.array(exponents)).tolist()


def values(*numbers):
    return [(person, 0, x) for person, x in enumerate(numbers)]


@pytest.mark.parametrize("levels", [.5, .9, [.25, .5, .75], [.2, .9]])
@pytest.mark.parametrize("neighbor", RELATIONS)
def test_the_law_of_quantiles_keeps_the_promise(levels, neighbor):
    cells, worst = (.5, 1.5, 2.5), 0.0
    for a in cells:
        for b in (*cells, None) if neighbor == "add_remove" else cells:
            for rest in [(), (1.5,), (.5, 2.5)]:
                pair = [values(*(v for v in (record, *rest) if v is not None)) for record in (a, b)]
                if neighbor == "replace" or b is None:
                    worst = max(worst, epsilon_of(*(quantile_law(rows, levels=levels, neighbor=neighbor) for rows in pair)))
    assert .2 < worst <= 1 + 1e-4


def test_quantiles_that_forget_who_is_replaced_are_noticed():
    undoubled = quantiles.weight
    with patch.object(quantiles, "weight", lambda left, right, changes, alone: undoubled(left, right, changes[:1], alone)), \
            pytest.raises(AssertionError):
        test_the_law_of_quantiles_keeps_the_promise([.25, .5, .75], "replace")


def test_one_who_moves_to_another_group_is_replaced_in_two():
    one, other = [(0, 0, .5), (1, 0, 2.5), (2, 1, .5)], [(0, 1, 2.5), (1, 0, 2.5), (2, 1, .5)]
    loss = epsilon_of(*(quantile_law(rows, levels=.9, neighbor="replace", by=[0, 1]) for rows in (one, other)))
    assert .3 < loss <= 1


def test_quantiles_of_many_are_near_their_ranks():
    rng = np.random.default_rng(13)
    x = rng.gamma(2, 10, 20_000)
    frame = pd.DataFrame(dict(person=np.arange(x.size), x=x))
    answer = table(frame).quantiles("x", levels=np.arange(1, 10) / 10, bounds=(0, 100), cells=2000, epsilon=.5)
    assert np.all(np.diff(answer.values) >= 0)
    ranks = np.searchsorted(np.sort(x), answer.values) / x.size
    fullest = np.histogram(x, bins=2000, range=(0, 100))[0].max()
    assert np.abs(ranks - answer.levels).max() * x.size < answer.rank_error(.999) + 4 * fullest


# --------------------------------------------------------------------------------------------------------------- plans


def test_a_plan_says_what_the_answer_will_say_and_costs_nothing():
    plan, ledger = Table(None, unit="person", neighbor="replace"), Ledger(epsilon=10)
    t = table(visits(), neighbor="replace", ledger=ledger)
    for name in ("counts by ward", "sums", "rows", "histogram"):
        planned, answer = (QUESTIONS[name](which, {"epsilon": 1}) for which in (plan, t))
        assert planned.half_width(.9) == answer.half_width(.9) and np.isnan(planned.values).all()
        assert planned.values.shape == answer.values.shape
        with pytest.raises(ValueError, match="plan has no values"):
            planned.to_frame()
    mean = QUESTIONS["means by ward"](plan, {"epsilon": 1})
    assert mean.half_width(.95, size=500) == pytest.approx(200 * mean.noise.largest(.95, 8) / 500)
    with pytest.raises(ValueError, match="size must"):
        mean.half_width(.95)
    assert len(ledger.payments) == 4 and ledger.left == {"epsilon": 6.0, "delta": 0.0}


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
    (lambda t: t.means("cost", bounds=BOUNDS, missing="mean", epsilon=1), "missing must be one of 'drop'"),
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


# --------------------------------------------------------------------------------------------------------------- ledger


def spend(ledger, count=1, **price):
    for _ in range(count):
        ledger.pay("a question", unit="person", neighbor="replace", **price)


def test_three_tenths_fit_into_thirty_hundredths_and_no_more():
    ledger = Ledger(epsilon=.3, delta=3e-7)
    spend(ledger, 3, epsilon=.1, delta=1e-7)
    assert ledger.left == {"epsilon": 0, "delta": 0} and ledger.guarantee() == (.3, 3e-7)
    assert .1 + .1 + .1 > .3                                          # as floats they do not
    with pytest.raises(Overdraft, match="a question costs epsilon = 1e-300, and 0 of 0.3 is left"):
        spend(ledger, epsilon=1e-300)
    assert len(ledger.payments) == 3


def test_sums_of_prices_are_those_of_composition():
    ledger = Ledger(epsilon=10, delta=1e-3)
    for epsilon, delta in ((.5, 0), (.25, 1e-6), (1.5, 1e-5)):
        spend(ledger, epsilon=epsilon, delta=delta)
    assert ledger.guarantee() == pytest.approx(compose_basic(count=1, epsilon=[.5, .25, 1.5], delta=[0, 1e-6, 1e-5]))
    rho = Ledger(rho=1)
    spend(rho, epsilon=.5)
    spend(rho, rho=.25)
    spent = .25 + pure_zcdp(epsilon=.5)
    assert rho.left["rho"] == pytest.approx(1 - spent, rel=1e-14)
    assert rho.guarantee(delta=1e-6) == (pytest.approx(zcdp_epsilon(rho=spent, delta=1e-6)), 1e-6)
    assert Ledger(rho=1).guarantee(delta=.1) == (0.0, .1)


def test_a_pure_answer_costs_the_exact_rho_and_never_less():
    """ε tanh(ε/2) in 50 digits, which is less than ε²/2 and, for a large ε, than half of it; it is rounded up."""
    for epsilon in (1e-9, .1, 1 / 3, 1.0, 2.5, 5.0, 40.0, 700.0):
        ledger = Ledger(rho=1e3)
        spend(ledger, epsilon=epsilon)
        with mpmath.workdps(50):
            exact = mpmath.mpf(epsilon) * mpmath.tanh(mpmath.mpf(epsilon) / 2)
            paid = mpmath.mpf(str(ledger._spent["rho"]))
            assert exact <= paid <= exact * (1 + mpmath.mpf("2e-15"))
    assert ledger.payments[0].rho < 350 * 700 and Ledger(rho=4.94).pay(
        "one", unit=None, neighbor="replace", epsilon=5) is None
    with pytest.raises(Overdraft):
        spend(Ledger(rho=4.93), epsilon=5)


def test_a_ledger_is_of_one_unit_and_one_relation_and_one_currency():
    ledger = Ledger(epsilon=1)
    spend(ledger, epsilon=.1)
    for other in (dict(unit="household", neighbor="replace"), dict(unit="person", neighbor="add_remove")):
        with pytest.raises(ValueError, match="this ledger is of the unit 'person' under 'replace'"):
            ledger.pay("a question", **other, epsilon=.1)
    for price, words in ((dict(rho=.1), "Ledger\\(rho"), (dict(), "either epsilon or rho"),
                         (dict(epsilon=.1, rho=.1), "either epsilon or rho"), (dict(epsilon=-.1), "epsilon must be"),
                         (dict(epsilon=.1, delta=2), "delta must be"), (dict(epsilon=np.inf), "epsilon must be")):
        with pytest.raises(ValueError, match=words):
            spend(ledger, **price)
    with pytest.raises(ValueError, match="Ledger\\(epsilon=..., delta=...\\)"):
        spend(Ledger(rho=1), epsilon=.1, delta=1e-6)
    for wrong in (dict(), dict(epsilon=1, rho=1), dict(rho=1, delta=1e-6), dict(epsilon=0), dict(epsilon=1, delta=1)):
        with pytest.raises(ValueError):
            Ledger(**wrong)
    assert len(ledger.payments) == 1


def test_a_ledger_prints_what_was_spent_on_what():
    ledger = Ledger(epsilon=1, delta=1e-6)
    ledger.pay("counts", unit="person", neighbor="replace", epsilon=.25)
    ledger.pay("discover ward", unit="person", neighbor="replace", epsilon=.5, delta=1e-7)
    assert [" ".join(line.split()) for line in str(ledger).splitlines()] == [
        "epsilon delta", "counts 0.25 0", "discover ward 0.5 1e-07", "left 0.25 of 1 9e-07 of 1e-06"]


def test_payments_at_the_same_time_do_not_overdraw():
    from concurrent.futures import ThreadPoolExecutor
    ledger = Ledger(epsilon=1)

    def try_to_pay(_):
        try:
            spend(ledger, epsilon=.01)
            return 1
        except Overdraft:
            return 0

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(try_to_pay, range(400))) == 100
