"""learning: runs against a list of all cut-offs, exact probabilities by enumeration, sizes against exact failures."""

import itertools

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import binom

from dplib import learning
from dplib.learning import agnostic_sample_size, pac_sample_size, private_stump, private_threshold, threshold_runs
from dplib.mechanisms import exponential_probabilities
from tests.chance import ALARM, chi_square, rng


def all_scores(x, y, cells):
    """The naive oracle: how many records each of the cut-offs 0, ..., cells labels rightly."""
    x, y = np.clip(np.asarray(x, dtype=np.int64), 0, cells - 1), np.asarray(y) > 0
    return np.array([np.sum((x >= t) == y) for t in range(cells + 1)])


def by_runs(x, y, cells):
    first, length, score = threshold_runs(x, y, cells=cells)
    assert np.all(length >= 0) and length.sum() == cells + 1
    return np.repeat(score, length), np.concatenate([np.arange(f, f + n) for f, n in zip(first, length)])


@pytest.mark.parametrize("cells", [1, 2, 5, 50])
@pytest.mark.parametrize("n", [0, 1, 2, 7, 40])
def test_runs_are_all_cut_offs_with_their_scores(cells, n):
    for seed in range(5):
        x, y = rng(seed).integers(-2, cells + 2, n), rng(seed + 9).integers(0, 2, n)
        scores, cuts = by_runs(x, y, cells)
        assert cuts.tolist() == list(range(cells + 1))
        assert scores.tolist() == all_scores(x, y, cells).tolist()


def run_distribution(x, y, cells, rate):
    """The probabilities of all cut-offs, from the runs."""
    first, length, score = threshold_runs(x, y, cells=cells)
    with np.errstate(divide="ignore"):
        law = softmax(rate * score + np.log(length))
    return np.repeat(law / np.maximum(length, 1), length)


@pytest.mark.parametrize("neighbor", ["replace", "add_remove"])
def test_runs_have_the_distribution_of_the_exponential_mechanism(neighbor):
    x, y = [3, 3, 3, 9, 20, 48], [0, 1, 0, 1, 1, 0]
    law = exponential_probabilities(all_scores(x, y, 50), sensitivity=1, epsilon=1.3, monotonic=neighbor == "add_remove")
    np.testing.assert_allclose(run_distribution(x, y, 50, 1.3 / (2 if neighbor == "replace" else 1)), law, rtol=1e-12)
    size = 200_000
    drawn = private_threshold(np.tile(x, (size, 1)), np.tile(y, (size, 1)), cells=50, epsilon=1.3, neighbor=neighbor, runs=True, rng=rng(1))
    assert drawn.shape == (size,) and drawn.dtype == np.int64
    assert chi_square(np.bincount(drawn, minlength=51), law) > ALARM


def neighbours(size, cells, joined):
    """All pairs of small data sets (x, y): one record replaced, or one more."""
    records = [(x, y) for x in range(cells) for y in (0, 1)]
    for data in itertools.combinations_with_replacement(records, size):
        if joined:
            yield from ((data, (*data, record)) for record in records)
        else:
            yield from ((data, (*data[:i], record, *data[i + 1:])) for i in range(size) for record in records)


@pytest.mark.parametrize("joined", [False, True])
def test_privacy_by_enumeration(joined):
    """The largest log-ratio over all neighbours, three records with three values; twice epsilon without the half."""
    worst, careless, cells, epsilon = 0, 0, 3, 1.5
    for a, b in neighbours(3, cells, joined):
        scores = [all_scores(*zip(*data), cells) for data in (a, b)]
        ratio = lambda monotonic: np.abs(np.subtract(*(np.log(exponential_probabilities(
            u, sensitivity=1, epsilon=epsilon, monotonic=monotonic)) for u in scores))).max()
        worst, careless = max(worst, ratio(joined)), max(careless, ratio(True))
    assert worst <= epsilon * (1 + 1e-12) and (joined or careless > 1.4 * epsilon)


def test_no_records():
    nobody = np.zeros((20_000, 0), dtype=int)
    drawn = private_threshold(nobody, nobody, cells=6, epsilon=1, neighbor="add_remove", runs=True, rng=rng(2))
    assert chi_square(np.bincount(drawn, minlength=7), np.full(7, 1 / 7)) > ALARM
    assert private_threshold([], [], cells=6, epsilon=1, neighbor="add_remove", rng=rng()).shape == ()
    with pytest.raises(ValueError, match="x must have at least one record"):
        private_threshold([], [], cells=6, epsilon=1, neighbor="replace", rng=rng())


@pytest.mark.parametrize("cells", [2**40, 2**62])
def test_an_endless_grid(cells):
    """300 records far apart; the cut-off is found to within a twentieth of the grid, and the hopeless ends are never taken."""
    x = rng(3).integers(0, cells, (500, 300))
    t = private_threshold(x, x >= cells // 2, cells=cells, epsilon=1, neighbor="replace", runs=True, rng=rng(4))
    assert np.all(np.abs(t / cells - 0.5) < 0.2) and np.mean(np.abs(t / cells - 0.5) < 0.05) > 0.9
    ends = private_threshold(np.full((20_000, 1), cells - 1), np.ones((20_000, 1)), cells=cells, epsilon=1e-9, neighbor="replace",
                             runs=True, rng=rng(5))
    assert ends.min() >= 0 and ends.max() <= cells and abs(np.mean(ends < cells / 2) - 0.5) < 0.03


def test_uniform_inside_a_run():
    drawn = private_threshold(np.tile([10, 90], (50_000, 1)), np.tile([0, 1], (50_000, 1)), cells=100, epsilon=60, neighbor="replace",
                              runs=True, rng=rng(6))
    assert drawn.min() == 11 and drawn.max() == 90
    assert chi_square(np.bincount(drawn - 11, minlength=80), np.full(80, 1 / 80)) > ALARM


@pytest.mark.parametrize("x", [[-7, 3, 2**40], [-(2**100), 3, 2**100], [True, 3, 9], np.array([0, 3, 9], dtype=np.uint64),
                               np.array([0, 3, 100], dtype=np.int8)])
def test_records_outside_are_clipped(x):
    near = np.clip([int(v) for v in x], 0, 9)
    for cells in (10, 300):
        np.testing.assert_array_equal(threshold_runs(x, [0, 1, 1], cells=cells),
                                      threshold_runs(np.clip([int(v) for v in x], 0, cells - 1), [0, 1, 1], cells=cells))
    assert near.max() == 9


@pytest.mark.parametrize("y", [[False, True, True], [-1, 1, 1], [-1e308, 0.5, 1e308], [0, 2**100, 7]])
def test_any_number_is_a_label(y):
    np.testing.assert_array_equal(threshold_runs([1, 2, 3], y, cells=5), threshold_runs([1, 2, 3], [0, 1, 1], cells=5))


def all_stumps(x, y, cells):
    """The scores of all rules (feature, sign, cut-off)."""
    up = np.array([all_scores(column, y, cells) for column in np.asarray(x).T])
    return np.stack([up, len(y) - up], axis=1)


@pytest.mark.parametrize("neighbor", ["replace", "add_remove"])
def test_stumps_have_the_distribution_of_the_exponential_mechanism(neighbor):
    x, y = rng(7).integers(0, 6, (5, 3)), np.array([0, 1, 1, 0, 1])
    law = exponential_probabilities(all_stumps(x, y, 6).ravel(), sensitivity=1, epsilon=2, monotonic=neighbor == "add_remove")
    size = 200_000
    feature, cut, sign = private_stump(np.tile(x, (size, 1, 1)), np.tile(y, (size, 1)), cells=6, epsilon=2, neighbor=neighbor, runs=True,
                                       rng=rng(8))
    assert feature.shape == cut.shape == sign.shape == (size,) and set(np.unique(sign)) == {-1, 1}
    assert chi_square(np.bincount((feature * 2 + (sign < 0)) * 7 + cut, minlength=42), law) > ALARM


def test_a_stump_of_one_feature_with_few_records():
    one = private_stump(np.zeros((2, 4, 1, 3), dtype=int), np.zeros((2, 4, 1)), cells=5, epsilon=1, neighbor="replace", runs=True,
                        rng=rng())
    assert [part.shape for part in one] == [(2, 4)] * 3
    empty = private_stump(np.zeros((0, 3), dtype=int), [], cells=5, epsilon=1, neighbor="add_remove", rng=rng())
    assert [part.shape for part in empty] == [()] * 3


# ------------------------------------------------------------------------------------------------------------- how many


def test_golden_sizes():
    rules = [17, 2**10 + 1, 2**20 + 1, 2.0**40 + 1]
    assert pac_sample_size(hypotheses=rules, accuracy=0.1, epsilon=1, neighbor="replace", beta=0.25).tolist() == [106, 208, 380, 726]
    assert agnostic_sample_size(hypotheses=1025, accuracy=0.1, epsilon=1, neighbor="replace", beta=0.05) == np.ceil(450 * np.log(82_000))


@pytest.mark.parametrize("neighbor, halves", [("replace", 2), ("add_remove", 1)])
def test_sizes_are_the_least_with_their_promise(neighbor, halves):
    for count, accuracy, epsilon, beta in itertools.product((2, 1025), (0.05, 0.5), (0.1, 3.0), (0.25, 1e-4)):
        n = int(pac_sample_size(hypotheses=count, accuracy=accuracy, epsilon=epsilon, neighbor=neighbor, beta=beta))
        bound = lambda n: count * (1 - accuracy * (1 - np.exp(-epsilon / halves))) ** n
        assert bound(n) <= beta < bound(n - 1)
        n = agnostic_sample_size(hypotheses=count, accuracy=accuracy, epsilon=epsilon, neighbor=neighbor, beta=beta)
        deviation = lambda n: 2 * count * np.exp(-2 * n * (accuracy / 3) ** 2)
        loss = lambda n: count * np.exp(-epsilon / halves * n * accuracy / 3)
        assert max(deviation(n), loss(n)) <= beta / 2 < max(deviation(n - 1), loss(n - 1))


def test_sizes_at_their_ends():
    assert pac_sample_size(hypotheses=1000, accuracy=1, epsilon=1e4, neighbor="replace", beta=0.05) == 1
    huge = pac_sample_size(hypotheses=1e300, accuracy=1e-3, epsilon=1e-3, neighbor="replace", beta=1e-9)
    assert huge == pytest.approx(2e6 * np.log(1e9) + 2e6 * 300 * np.log(10), rel=1e-3) and huge.dtype == np.int64
    for f in (pac_sample_size, agnostic_sample_size):
        for name, wrong in [("hypotheses", 0), ("hypotheses", 1.5), ("accuracy", 0), ("accuracy", 1.1), ("epsilon", 0), ("beta", 1),
                            ("neighbor", "swap")]:
            with pytest.raises(ValueError, match=name):
                f(**({"hypotheses": 5, "accuracy": 0.1, "epsilon": 1, "neighbor": "replace", "beta": 0.1} | {name: wrong}))


def test_enough_records_keep_the_promise():
    """The exact probability that the chosen cut-off errs on a tenth or more: a tenth of the people on each side of the border."""
    cells, accuracy, epsilon, beta = 64, 0.1, 2.0, 0.1
    n = int(pac_sample_size(hypotheses=cells + 1, accuracy=accuracy, epsilon=epsilon, neighbor="replace", beta=beta))
    wins = []
    for border in range(n + 1):
        left = np.arange(border + 1)
        rivals = 32 * (np.exp(-epsilon * left / 2) + np.exp(-epsilon * (border - left) / 2))
        wins.append(binom.pmf(left, border, 0.5) @ (1 / (1 + rivals)))
    assert 1 - beta <= binom.pmf(np.arange(n + 1), n, 2 * accuracy) @ wins < 1


# ------------------------------------------------------------------------------------------------------------ arguments


@pytest.mark.parametrize("f", [private_threshold, private_stump])
def test_arguments_are_named(f):
    good = {"x": [[1], [2]] if f is private_stump else [1, 2], "y": [0, 1], "cells": 5, "epsilon": 1, "neighbor": "replace"}
    f(**good, rng=rng())
    for name, wrong in [("x", 5), ("x", [0.5, 1.5]), ("x", ["a", "b"]), ("y", [0]), ("y", ["a", "b"]), ("cells", 0), ("cells", 2.5),
                        ("epsilon", 0), ("epsilon", np.inf), ("neighbor", "swap")]:
        with pytest.raises(ValueError, match=name):
            f(**(good | {name: wrong}), rng=rng())
    with pytest.raises(TypeError, match="rng"):
        f(**good, rng=7)


def test_a_stump_needs_a_feature():
    with pytest.raises(ValueError, match="feature"):
        private_stump(np.zeros((3, 0), dtype=int), [0, 1, 0], cells=5, epsilon=1, neighbor="replace", rng=rng())


def test_a_mutant_without_the_half_is_found(monkeypatch):
    monkeypatch.setattr(learning, "_rate", lambda epsilon, neighbor: epsilon)
    x, y, size = [3, 3, 9, 20, 48], [0, 0, 1, 1, 0], 200_000
    law = exponential_probabilities(all_scores(x, y, 50), sensitivity=1, epsilon=1.3)
    drawn = private_threshold(np.tile(x, (size, 1)), np.tile(y, (size, 1)), cells=50, epsilon=1.3, neighbor="replace", runs=True,
                              rng=rng(1))
    assert chi_square(np.bincount(drawn, minlength=51), law) < ALARM
