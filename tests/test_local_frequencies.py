"""local, for cells, strings and shuffles: exact probabilities of coins, votes against plain sums, δ against sums in many digits."""

import itertools

import mpmath
import numpy as np
import pytest

from dplib import _samplers
from dplib.local import (
    Prefixes,
    heavy_prefixes,
    prefix_sample_size,
    shuffled_delta,
    shuffled_epsilon,
    sign_reports,
    sign_shares,
    unary_reports,
    unary_shares,
)
from tests.chance import FAR, rng

EPSILONS = [0.1, 1.0, 4.0]
TASK = dict(bits=12, block=4, share=0.2, accuracy=0.05, epsilon=2)


# --------------------------------------------------------------------------------------------------------------- cells


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_unary_reports_have_the_stated_chances(epsilon):
    size = 100_000
    reports = unary_reports(np.full(size, 2), cells=4, epsilon=epsilon, rng=rng(1))
    chances = np.full(4, 1 / (np.exp(epsilon) + 1))
    chances[2] = 0.5
    assert reports.shape == (size, 4) and reports.dtype == bool
    assert np.all(np.abs(reports.mean(axis=0) - chances) < FAR * np.sqrt(chances * (1 - chances) / size))


@pytest.mark.parametrize("epsilon", [*EPSILONS, 40.0, 700.0, 1e5])
@pytest.mark.parametrize("send", [lambda e: unary_reports(1, cells=3, epsilon=e, rng=rng()),
                                  lambda e: sign_reports(1, bits=3, epsilon=e, rng=rng())])
def test_a_lie_is_never_rarer_than_stated(epsilon, send, monkeypatch):
    """The probability of a lie, from the coin that the code tosses: it is a float, and it is tossed exactly."""
    tossed, toss = [], _samplers.bernoulli
    monkeypatch.setattr(_samplers, "bernoulli", lambda p, shape, rng: tossed.append(p) or toss(p, shape, rng))
    send(epsilon)
    assert set(tossed[:-1]) <= {0.5}
    with mpmath.workdps(400):
        lie = mpmath.mpf(float(tossed[-1]))
        assert (1 - lie) / lie <= mpmath.exp(epsilon)
        assert epsilon > 700 or (1 - lie) / lie >= mpmath.exp(epsilon) * (1 - mpmath.mpf(2) ** -48)


@pytest.mark.parametrize("bits", [1, 5, 62])
def test_an_index_is_uniform_and_a_sign_is_kept_as_often_as_stated(bits):
    size, epsilon = 100_000, 1.5
    labels = rng(2).integers(0, 2**bits, size)
    indices, signs = sign_reports(labels, bits=bits, epsilon=epsilon, rng=rng(3))
    assert indices.dtype == np.int64 and signs.dtype == np.int8 and set(np.unique(signs)) == {-1, 1}
    digits = indices[:, None] >> np.arange(bits) & 1
    assert np.all(np.abs(digits.mean(axis=0) - 0.5) < FAR * 0.5 / np.sqrt(size))
    parity = np.array([bin(int(r) & int(x)).count("1") % 2 for r, x in zip(indices, labels)])
    assert abs(np.mean((-1) ** parity == signs) - 1 / (1 + np.exp(-epsilon))) < FAR * 0.5 / np.sqrt(size)


def test_a_report_is_drawn_without_a_look_at_the_label():
    """The same coins, whatever the labels are: indices agree, and signs differ by the characters alone."""
    x, y = np.arange(1000) % 8, np.full(1000, 3)
    (r, said), (s, meant) = (sign_reports(labels, bits=3, epsilon=1, rng=rng(5)) for labels in (x, y))
    assert np.array_equal(r, s) and np.array_equal(said * meant, (-1) ** np.bitwise_count((r & x) ^ (r & y)).astype(int))


def test_estimates_of_runs_are_those_of_each_run():
    labels = rng(1).integers(0, 6, (3, 200))
    reports = unary_reports(labels, cells=6, epsilon=1, rng=rng(2))
    indices, signs = sign_reports(labels, bits=3, epsilon=1, rng=rng(3))
    for run in range(3):
        np.testing.assert_array_equal(unary_shares(reports, epsilon=1)[run], unary_shares(reports[run], epsilon=1))
        np.testing.assert_array_equal(sign_shares(indices, signs, candidates=[5, 0], epsilon=1)[run],
                                      sign_shares(indices[run], signs[run], candidates=[5, 0], epsilon=1))
    np.testing.assert_allclose(unary_shares([[True, False], [1, 0]], epsilon=np.log(3)), [3, -1])
    np.testing.assert_allclose(sign_shares([0, 1], [1, -1], candidates=[0, 1], epsilon=np.log(3)), [0, 2])


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_estimates_are_right_on_average(share):
    size, epsilon = 40_000, 1.0
    labels = np.where(np.arange(size) < share * size, 9, 3)
    c = 1 / np.tanh(epsilon / 2)
    bits = unary_shares(unary_reports(labels, cells=10, epsilon=epsilon, rng=rng(7)), epsilon=epsilon)[9]
    [sign] = sign_shares(*sign_reports(labels, bits=40, epsilon=epsilon, rng=rng(8)), candidates=[9], epsilon=epsilon)
    assert abs(bits - share) < FAR * np.sqrt((c**2 - 1 + share) / size)
    assert abs(sign - share) < FAR * np.sqrt((c**2 - share) / size)


def test_arguments_of_cells_are_named():
    unary, signs = dict(labels=[0, 1], cells=2, epsilon=1), dict(labels=[0, 1], bits=1, epsilon=1)
    for f, right, wrong in [
            *((unary_reports, unary, wrong) for wrong in ({"labels": [2]}, {"labels": [0.5]}, {"cells": 1}, {"epsilon": 0})),
            *((sign_reports, signs, wrong) for wrong in ({"labels": [-1]}, {"bits": 63}, {"epsilon": np.nan}))]:
        with pytest.raises(ValueError, match=next(iter(wrong))):
            f(**right | wrong, rng=rng())
        with pytest.raises(TypeError, match="rng"):
            f(**right, rng=1)
    for wrong in ({"reports": [0, 1]}, {"reports": [[2, 0]]}, {"reports": np.zeros((0, 3))}, {"epsilon": -1}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            unary_shares(**dict(reports=[[0, 1]], epsilon=1) | wrong)
    for wrong in ({"signs": [0]}, {"signs": [1, 1]}, {"indices": []}, {"indices": [-1]}, {"candidates": 3}, {"candidates": [-1]},
                  {"epsilon": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            sign_shares(**dict(indices=[1], signs=[1], candidates=[0], epsilon=1) | wrong)


def test_labels_that_are_wrong_are_not_shown():
    for send in (lambda x: unary_reports(x, cells=2, epsilon=1, rng=rng()), lambda x: sign_reports(x, bits=1, epsilon=1, rng=rng()),
                 lambda x: heavy_prefixes(x, **TASK, rng=rng())):
        with pytest.raises(ValueError, match="labels") as said:
            send([0, 0, 0, 0, 987_654])
        assert "987" not in str(said.value)


# ------------------------------------------------------------------------------------------------------------ prefixes


def plain(labels, *, bits, block, share, accuracy, epsilon, rng):
    """The same with a sum for each candidate."""
    kept, shares = [0], [1.0]
    for level in range(bits // block):
        length = (level + 1) * block
        reports = sign_reports(labels[level::bits // block] >> (bits - length), bits=length, epsilon=epsilon, rng=rng)
        candidates = [p * 2**block + end for p in kept for end in range(2**block)]
        found = sign_shares(*reports, candidates=candidates, epsilon=epsilon)
        best = sorted(range(len(candidates)), key=lambda i: -found[i])[:round(1 / (share - 2 * accuracy))]
        chosen = sorted(i for i in best if found[i] >= share - accuracy)
        kept, shares = [candidates[i] for i in chosen], found[chosen]
    return kept, shares


@pytest.mark.parametrize("block", [1, 3, 4, 12])
@pytest.mark.parametrize("size", [40, 3000])
def test_strings_are_those_of_plain_sums(block, size):
    labels = np.where(rng(4).random(size) < 0.4, 1000, rng(5).integers(0, 2**12, size))
    task = TASK | dict(block=block)
    found = heavy_prefixes(labels, **task, rng=rng(6))
    kept, shares = plain(labels, **task, rng=rng(6))
    assert found.labels.tolist() == kept and found.labels.dtype == np.int64
    np.testing.assert_allclose(found.shares, shares, rtol=1e-12)


def test_too_few_people_do_not_make_it_slow():
    """Nearly every estimate of 62 people is large or small by chance: yet no more than 1/(φ - 2τ) are kept in a level."""
    found = heavy_prefixes(np.zeros(62, dtype=int), bits=62, block=1, share=0.2, accuracy=0.05, epsilon=0.1, rng=rng(1))
    assert isinstance(found, Prefixes) and found.labels.size <= 10 and found.shares.shape == found.labels.shape


def test_enough_people_find_what_is_common_and_far_fewer_do_not():
    """With the stated number of people and β = 0.05, 30 runs fail 9 times at most, but for once in 10^5."""
    strings, chances = np.array([1, 77, *range(2000, 2200)]), np.array([0.2, 0.2, *np.full(200, 0.003)])
    failures = []
    for few in (1, 24):
        size, generator, wrong = prefix_sample_size(**TASK, beta=0.05) // few, rng(9), 0
        for _ in range(30):
            found = heavy_prefixes(generator.choice(strings, p=chances, size=size), **TASK, rng=generator)
            wrong += found.labels.tolist() != [1, 77]
        failures.append(wrong)
    assert failures[0] <= 9 < failures[1]


def test_golden_numbers_of_people():
    task = dict(bits=48, share=0.01, accuracy=0.0025, epsilon=1, beta=0.05)
    assert [prefix_sample_size(block=b, **task) for b in (8, 16, 24)] == [140_534_658, 92_079_081, 76_789_384]
    assert prefix_sample_size(bits=16, block=4, share=0.1, accuracy=0.025, epsilon=2, beta=0.05) == 224_000


def test_arguments_of_prefixes_are_named():
    for wrong in ({"bits": 0}, {"block": 5}, {"block": 25}, {"share": 1.5}, {"share": 0}, {"accuracy": 0.1}, {"accuracy": 0},
                  {"epsilon": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            heavy_prefixes(np.zeros(5, dtype=int), **TASK | wrong, rng=rng())
        with pytest.raises(ValueError, match=next(iter(wrong))):
            prefix_sample_size(**TASK | dict(beta=0.1) | wrong)
    for labels in ([0, 0], [[0] * 5], 3):
        with pytest.raises(ValueError, match="labels"):
            heavy_prefixes(labels, **TASK, rng=rng())
    with pytest.raises(TypeError, match="rng"):
        heavy_prefixes([0] * 5, **TASK, rng=None)
    with pytest.raises(ValueError, match="beta"):
        prefix_sample_size(**TASK, beta=0)
    with pytest.raises(ValueError, match="the answer"):
        prefix_sample_size(**TASK | dict(accuracy=1e-9, epsilon=1e-3), beta=0.1)


# ------------------------------------------------------------------------------------------------------------ shuffling


def in_many_digits(size, rate, local, epsilon):
    """The sum over all numbers of clones and of votes."""
    with mpmath.workdps(400):
        r, t = mpmath.mpf(rate), mpmath.tanh(mpmath.mpf(local) / 2)
        w, total = mpmath.tanh(mpmath.mpf(epsilon) / 2), mpmath.mpf(0)
        for m in range(size):
            chance = mpmath.binomial(size - 1, m) * r**m * (1 - r) ** (size - 1 - m)
            votes = (mpmath.binomial(m + 1, a) * max(t * (2 * a - m - 1) / (m + 1) - w, 0) for a in range(m + 2))
            total += chance * sum(votes) * mpmath.mpf(2) ** -(m + 1)
        return (1 + mpmath.exp(epsilon)) * total


@pytest.mark.parametrize("size, rate, local, epsilon", [
    *itertools.product((1, 2, 9), (0.1, 0.7, 1.0), (0.3, 2.0, 30.0), (0.0, 0.2)),
    (40, 0.5, 1.0, 0.9), (40, 0.2, 50.0, 49.0), (30, 0.3, 700.0, 650.0)])
def test_delta_is_the_sum_in_many_digits(size, rate, local, epsilon):
    found = shuffled_delta(size=size, rate=rate, local_epsilon=local, epsilon=epsilon)
    exact = in_many_digits(size, rate, local, epsilon)
    assert exact * (1 - mpmath.mpf(1e-14)) <= found <= float(exact) * (1 + 3e-7) + 1e-30


def test_golden_values_of_shuffling():
    rates = lambda local: (2 / (np.exp(local) + 1), np.exp(-local))
    for size, local, response, any_ in ((1000, 1, 0.148671, 0.182412), (1000, 2, 0.397087, 0.545498), (10**4, 1, 0.043206, 0.053005),
                                        (10**4, 2, 0.114400, 0.155045), (10**4, 4, 0.410812, 0.600909)):
        found = [shuffled_epsilon(size=size, rate=rate, local_epsilon=local, delta=1e-6) for rate in rates(local)]
        assert found == pytest.approx([response, any_], abs=5e-7)
    assert shuffled_delta(size=2, rate=0.5, local_epsilon=np.log(3), epsilon=0) == pytest.approx(0.375)


def test_epsilon_is_the_least_that_keeps_delta():
    for size, rate, local, delta in itertools.product((1, 50, 10**4), (0.01, 1.0), (0.5, 6.0), (0.3, 1e-12)):
        epsilon = shuffled_epsilon(size=size, rate=rate, local_epsilon=local, delta=delta)
        given = dict(size=size, rate=rate, local_epsilon=local)
        assert 0 <= epsilon <= local and shuffled_delta(**given, epsilon=epsilon) <= delta
        assert epsilon == 0 or shuffled_delta(**given, epsilon=epsilon * (1 - 1e-9)) > delta


def test_more_people_than_32_bits_count():
    """At 2**31 and one more, ε falls by less than a billionth of itself."""
    given = dict(rate=1e-4, local_epsilon=1)
    here, more = (shuffled_epsilon(size=size, delta=1e-6, **given) for size in (2**31, 2**31 + 1))
    assert here * (1 - 1e-8) < more < here * (1 + 1e-9) and here == pytest.approx(0.0058301, rel=1e-4)
    assert shuffled_delta(size=2**31 + 1, epsilon=here, **given) == pytest.approx(1e-6, rel=1e-3)


def test_shuffling_at_its_ends():
    assert all(shuffled_delta(size=10, rate=0.5, local_epsilon=1, epsilon=epsilon) == 0 for epsilon in (1, 5))
    alone = shuffled_delta(size=1, rate=0.5, local_epsilon=1, epsilon=0)
    assert alone == pytest.approx(np.tanh(0.5))                                  # the distance of a randomised response
    assert shuffled_epsilon(size=2, rate=1, local_epsilon=1e-3, delta=0.1) == 0
    deltas = [shuffled_delta(size=10**5, rate=0.3, local_epsilon=2, epsilon=e) for e in np.linspace(0, 2, 50)]
    assert np.all(np.diff(deltas) <= 0) and deltas[0] < 0.01
    crowds = [shuffled_delta(size=n, rate=0.3, local_epsilon=2, epsilon=0.1) for n in (1, 2, 5, 30, 1000, 10**5, 10**7)]
    assert np.all(np.diff(crowds) < 0) or crowds[-1] == 0


def test_arguments_of_shuffling_are_named():
    for f, last in ((shuffled_delta, {"epsilon": 1}), (shuffled_epsilon, {"delta": 1e-6})):
        for wrong in ({"size": 0}, {"size": 1.5}, {"rate": 0}, {"rate": 1.1}, {"local_epsilon": 0}, {"local_epsilon": 701},
                      {"local_epsilon": np.nan}, {key: -1 for key in last}):
            with pytest.raises(ValueError, match=next(iter(wrong))):
                f(**dict(size=5, rate=0.5, local_epsilon=2) | last | wrong)
