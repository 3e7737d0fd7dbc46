"""Tables of people: labels that are discovered, quantiles and plans. Laws are enumerated, and a mistake that is planted must be
noticed.
"""

from functools import cache
from unittest.mock import patch

import numpy as np
import pandas as pd
import polars as pl
import pytest

from dplib.accounting import Ledger
from dplib.tables import Table, discovery_threshold, engine, quantiles, votes
from tests.outcomes import distribution, epsilon_of
from tests.people import QUESTIONS, RELATIONS, table, visits

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
    with patch.object(quantiles, "choose_halves", lambda *given, **named: seen.append((given, named)) or np.zeros(1, dtype=int)):
        table(frame, neighbor=neighbor).quantiles("x", levels=levels, bounds=(0, 3), cells=3, epsilon=epsilon, **groups)
    (given, named), = seen
    with patch.object(quantiles.mechanisms, "permute_and_flip", exact):
        return distribution(lambda given, rng: quantiles.choose_halves(*given, **named | dict(rng=rng)), given)


@cache
def law(exponents):
    from tests.test_mechanisms import permute_and_flip_law
    return permute_and_flip_law(np.array(exponents)).tolist()


def values(*numbers):
    return [(person, 0, x) for person, x in enumerate(numbers)]


@pytest.mark.parametrize("levels, depth", [(.5, 1), ([.2, .9], 2), ([.25, .5, .75], 2), (np.arange(1, 1000) / 1000, 10)])
@pytest.mark.parametrize("neighbor", RELATIONS)
def test_choices_get_all_of_the_price_and_hide_a_whole_unit(levels, depth, neighbor):
    with patch.object(quantiles, "choose_halves", side_effect=quantiles.choose_halves) as choose:
        table(visits(), neighbor=neighbor).quantiles("cost", levels=levels, bounds=(0, 9), cells=4, epsilon=.5, by={"ward": list("ABC")},
                                                     most_groups=2)
    said = choose.call_args.kwargs
    assert said["epsilon"] * depth == pytest.approx(.5, rel=1e-15)
    assert said["changes"] == [2 * votes.TOKENS] * (2 if neighbor == "replace" else 1) and said["alone"] is False


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


DECILES = np.arange(1, 10) / 10
EQUAL = {"all": np.full(1000, 5.05), "95%": np.r_[np.full(950, 5.05), np.linspace(0, 10, 50)],
         "three values": np.repeat([2., 5.05, 9.99], [300, 301, 399])}


def asked(x, *, levels, epsilon=1, cells=100, **given):
    return table(pd.DataFrame(dict(x=x)), unit=None, **given).quantiles("x", levels=levels, bounds=(0, 10), cells=cells, epsilon=epsilon)


def between(x, answer):
    """How many votes lie between the half of a cell with an answer in its middle and where its level asks for."""
    radius = 10 / answer.cells / 4
    below, upto = (np.searchsorted(np.sort(x), answer.values + sign * radius) for sign in (-1, 1))
    return np.maximum(0, np.maximum(below - answer.levels * x.size, answer.levels * x.size - upto))


@pytest.mark.parametrize("neighbor", RELATIONS)
@pytest.mark.parametrize("levels", [.5, .05, .95, DECILES], ids=str)
def test_a_constant_column_has_one_quantile(levels, neighbor):
    for seed in range(20):
        answer = asked(EQUAL["all"], levels=levels, epsilon=3, neighbor=neighbor, seed=seed).values
        assert np.all(np.abs(answer - 5.05) < .05 + 1e-9)          # in the cell [5, 5.1]


@pytest.mark.parametrize("name", EQUAL)
def test_equal_votes_lie_where_their_levels_ask_for(name):
    exact = asked(EQUAL[name], levels=DECILES, epsilon=1e6)
    fullest = np.histogram(EQUAL[name], 100, (0, 10))[0].max()
    assert between(EQUAL[name], exact).max() <= 3 * (fullest / 4 + 1) + fullest / 2    # the other half of the cell
    if name != "95%":
        assert set(np.floor(10 * exact.values)) == {int(10 * x) for x in EQUAL[name]}


def test_a_level_alone_keeps_its_rank_error_however_many_votes_are_equal():
    for x in EQUAL.values():
        tokens = np.broadcast_to(np.histogram(x, 100, (0, 10))[0], (2000, 100))
        for level in (100, 500, 990):
            said = dict(changes=[1], alone=True, epsilon=.1)
            halves = quantiles.choose_halves(tokens, np.array([level]), **said, rng=np.random.default_rng(level))[:, 0]
            parts = quantiles._halves(tokens[0])
            upto, target = parts.cumsum(), level / 1000 * x.size
            error = np.maximum(0, np.maximum((upto - parts)[halves] - target, target - upto[halves]))
            bound = quantiles.error_scale(np.array([level]), [1], True, .1) * np.log(200 / .05)
            assert np.mean(error > bound) <= .05


def test_choices_by_the_middle_of_a_cell_are_noticed():
    """The score of a point: the constant column has no answer then."""
    def points(side, left, right):
        upto = side.cumsum(axis=-1)
        return -np.abs((left + right) * (upto - side / 2) - left * upto[..., -1:])
    with patch.object(quantiles, "_scores", points), pytest.raises(AssertionError):
        test_a_constant_column_has_one_quantile(.05, "add_remove")


def test_answers_never_decrease_and_an_empty_group_has_some():
    frame = pd.DataFrame(dict(person=range(30), group=[0, 2] * 15, x=np.r_[np.zeros(20), np.linspace(0, 9, 10)]))
    for seed in range(40):
        answer = table(frame, seed=seed).quantiles("x", levels=np.arange(1, 20) / 20, bounds=(0, 10), cells=7, by={"group": [0, 1, 2]},
                                                   most_groups=1, epsilon=(.01, 1, 100)[seed % 3]).values
        assert answer.shape == (3, 19) and np.all(np.diff(answer) >= 0) and answer.min() > 0 and answer.max() < 10


def test_no_token_is_on_two_sides():
    rng = np.random.default_rng(5)
    tokens, chosen = rng.integers(0, 9, (500, 6)), rng.integers(0, 12, (500, 1))
    more = tokens + np.eye(6, dtype=int)[rng.integers(0, 6, 500)]
    sides = [quantiles._sides(quantiles._halves(t), chosen) for t in (tokens, more)]
    assert np.array_equal(sides[0][0] + sides[0][1], quantiles._halves(tokens))
    moved = sum(np.abs(after - before).sum(axis=-1) for before, after in zip(*sides, strict=True))
    assert np.array_equal(moved, np.ones(500))


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
