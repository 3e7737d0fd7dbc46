"""The parities of dplib: linear algebra, scores and reports against slow copies, and every chance against enumeration."""

import math
import time
from functools import partial
from itertools import product

import mpmath
import numpy as np
import pytest
from scipy.special import comb, log_ndtr
from scipy.stats import binom

from dplib.mechanisms import exponential_probabilities
from dplib.parity import reports
from dplib.parity import (
    eliminate_parities, learn_parity_locally, local_parity_sample_size, local_parity_success, parity_information,
    parity_pac_sample_size, parity_sample_size, parity_sample_size_lower_bound, parity_success_probability, private_parity,
    private_parity_by_scores,
    walsh_hadamard)
from dplib.parity.equations import _coins
from tests.chance import ALARM, FAR, chi_square, rng, standard_errors
from tests.claims import page_function

RELATIONS = ("replace", "add_remove")


def all_subsets(d):
    return np.array(list(product((0, 1), repeat=d)))[:, ::-1]       # in the order of the tables


def index(answers):
    """The place of each answer among all subsets; behind them that of a refusal."""
    d = answers.shape[-1]
    return np.where(answers[..., 0] < 0, 2**d, answers.astype(int) @ 2 ** np.arange(d))


def data_sets(n, d):
    """All data sets, x of shape (-1, n, d) and y of shape (-1, n)."""
    rows = np.array(list(product((0, 1), repeat=n * (d + 1)))).reshape(-1, n, d + 1)
    return rows[..., :d], rows[..., d]


def solution_distribution(x, y):
    """Uniform over the parities that fit, a refusal if none does: the slow copy, by trying each."""
    fits = np.all(x @ all_subsets(x.shape[-1]).T % 2 == np.reshape(y, (-1, 1)), axis=0)
    return np.append(fits / max(1, fits.sum()), fits.sum() == 0)


def enumerated(x, y, keep, refuse):
    """The distribution of one block, over all subsets of the records that may be kept."""
    total = np.zeros(2 ** x.shape[-1] + 1)
    for kept in product((False, True), repeat=len(x)):
        k = np.array(kept, dtype=bool)
        total += keep ** k.sum() * (1 - keep) ** (~k).sum() * solution_distribution(x[k], y[k])
    total *= 1 - refuse
    total[-1] += refuse
    return total


def coins(epsilon, neighbor="replace"):
    """The statement."""
    if neighbor == "replace":
        return math.tanh(epsilon / 2), 1 / (math.exp(epsilon) + 2)
    return 1 - math.exp(-epsilon), 1 / (math.exp(epsilon) + 1)


def drawn(mechanism, x, y, runs, seed, **given):
    """How often each answer occurs."""
    copies = [np.broadcast_to(a, (runs, *np.shape(a))) for a in (x, y)]
    return np.bincount(index(mechanism(*copies, runs=True, rng=rng(seed), **given)), minlength=2 ** np.shape(x)[-1] + 1)


# ------------------------------------------------------------------------------------------------------- Walsh, Hadamard


@pytest.mark.parametrize("d", range(8))
def test_walsh_hadamard_is_the_matrix_of_signs(d):
    values = rng(d).normal(size=(2, 3, 2**d))
    kept = values.copy()
    signs = (-1.0) ** (all_subsets(d) @ all_subsets(d).T) if d else np.ones((1, 1))
    np.testing.assert_allclose(walsh_hadamard(values), values @ signs, atol=1e-12)
    np.testing.assert_allclose(walsh_hadamard(walsh_hadamard(values)), 2**d * values, atol=1e-10)
    assert np.array_equal(values, kept) and not np.shares_memory(walsh_hadamard(values), values)


def test_walsh_hadamard_of_a_million_is_fast_and_exact():
    values = rng().integers(-5, 6, 2**20)
    began = time.process_time()
    table = walsh_hadamard(values)
    assert time.process_time() - began < 1
    assert table[0] == values.sum() and np.array_equal(walsh_hadamard(table), 2.0**20 * values)


@pytest.mark.parametrize("bad", [1.0, [], [1, 2, 3], [[1, 2, 3]], ["a", "b"], [np.nan, 1]])
def test_walsh_hadamard_refuses(bad):
    with pytest.raises(ValueError, match="values must"):
        walsh_hadamard(bad)


# -------------------------------------------------------------------------------------------------------- linear algebra


@pytest.mark.parametrize("n, d", [(1, 1), (2, 2), (3, 2), (2, 3), (4, 1)])
def test_every_answer_fits_and_every_fitting_one_is_given(n, d):
    """With ε = 60 all records are kept and refused is never."""
    x, y = data_sets(n, d)
    answers = index(private_parity(np.tile(x, (150, 1, 1, 1)), np.tile(y, (150, 1, 1)), epsilon=60, neighbor="replace", runs=True,
                                   rng=rng()))
    seen = np.array([np.bincount(column, minlength=2**d + 1) for column in answers.T]) > 0
    right = np.array([solution_distribution(a, b) for a, b in zip(x, y)]) > 0
    assert np.array_equal(seen, right)          # one of 8 is missed in 150 draws with probability 2e-9


def naive(x, y):
    """Elimination with Python's integers: {pivot: equation}, or None."""
    system = {}
    for row, label in zip(x.tolist(), y.tolist()):
        equation = sum(bit << j for j, bit in enumerate(row)) | label << len(row)
        for pivot, other in system.items():
            equation ^= other if equation >> pivot & 1 else 0
        left = equation & ((1 << len(row)) - 1)
        if left:
            system[left.bit_length() - 1] = equation
        elif equation:
            return None
    return system


@pytest.mark.parametrize("d", [5, 62, 63, 64, 65, 127, 128, 200])
def test_any_number_of_questions(d):
    draw = rng(d)
    s = draw.integers(0, 2, d)
    for n in (0, 1, d // 2, d, 2 * d):
        x = draw.integers(0, 2, (20, n, d))
        y = x @ s % 2
        found = private_parity(x, y, epsilon=60, neighbor="replace", runs=True, rng=draw)
        assert found.min(initial=0) >= 0 and np.array_equal((x @ found[..., None].astype(int))[..., 0] % 2, y)
        spoilt = y ^ (draw.random(y.shape) < 2 / (n + 1))
        fits = [naive(*data) is not None for data in zip(x, spoilt)]
        assert (private_parity(x, spoilt, epsilon=60, neighbor="replace", runs=True, rng=draw)[:, 0] >= 0).tolist() == fits
    assert np.array_equal(found, np.tile(s, (20, 1)))
    with_one_record = private_parity(x[:, :1], y[:, :1], epsilon=60, neighbor="replace", runs=True, rng=draw)
    assert 0.3 < with_one_record.mean() < 0.7   # a uniform solution


# --------------------------------------------------------------------------------------------------------------- privacy


@pytest.mark.parametrize("neighbor", RELATIONS)
def test_the_coins_keep_the_promise_whatever_rounding_does(neighbor):
    for epsilon in [*np.geomspace(1e-12, 300, 60), 745.0, 1e4]:
        p, c = (mpmath.mpf(float(v)) for v in _coins(epsilon, neighbor))
        with mpmath.workdps(400):
            promise, least = mpmath.exp(mpmath.mpf(float(epsilon))), 1 - p if neighbor == "replace" else 1
            most = max((1 + p) / least, 1 / (1 - p), (1 - p) + p / c)
            assert most <= promise and 0 < c < 1 and 0 < p < 1
            if epsilon < 20:
                assert mpmath.log(most) > epsilon * (1 - 1e-9) - 1e-14


def neighbours_of(x, y, neighbor):
    """All data sets next to this one."""
    n, d = x.shape
    for i in range(n):
        if neighbor == "add_remove":
            yield np.delete(x, i, axis=0), np.delete(y, i)
        else:
            for row in product((0, 1), repeat=d + 1):
                a, b = x.copy(), y.copy()
                a[i], b[i] = row[:d], row[d]
                yield a, b


@pytest.mark.parametrize("neighbor", RELATIONS)
@pytest.mark.parametrize("n, d", [(1, 1), (2, 1), (3, 1), (4, 1), (1, 2), (2, 2), (3, 2)])
def test_all_data_sets_and_all_neighbours_show_exactly_epsilon(n, d, neighbor):
    known = {}

    def distribution(x, y, epsilon):
        key = x.tobytes(), y.tobytes(), epsilon
        if key not in known:
            known[key] = enumerated(x, y, *coins(epsilon, neighbor))
        return known[key]

    for epsilon in (0.25, 1.0):
        largest = max(np.abs(np.log(distribution(x, y, epsilon) / distribution(a, b, epsilon))).max()
                      for x, y in zip(*data_sets(n, d)) for a, b in neighbours_of(x, y, neighbor))
        assert largest == pytest.approx(epsilon, abs=1e-12)


DATA = [(np.ones((3, 1), int), np.array([1, 1, 0])), (np.array([[1, 0], [1, 1], [0, 1]]), np.array([1, 0, 1])),
        (np.array([[1, 0], [1, 0], [0, 0]]), np.array([1, 0, 1])), (np.zeros((0, 2), int), np.zeros(0, int))]


@pytest.mark.parametrize("neighbor", RELATIONS)
@pytest.mark.parametrize("x, y", DATA)
def test_draws_have_the_enumerated_distribution(x, y, neighbor):
    for epsilon in (0.5, 1.5):
        counts = drawn(private_parity, x, y, 40_000, 1, epsilon=epsilon, neighbor=neighbor)
        assert chi_square(counts, enumerated(x, y, *coins(epsilon, neighbor))) > ALARM


@pytest.mark.parametrize("blocks", [2, 3, 5, 7])
def test_blocks_answer_in_turn_and_have_records_of_their_own(blocks):
    draw = rng(4)
    x, y = draw.integers(0, 2, (5, 2)), draw.integers(0, 2, 5)
    expected, quiet = np.zeros(5), 1.0
    for j in range(blocks):
        one = enumerated(x[j::blocks], y[j::blocks], *coins(1.2))
        expected[:4] += quiet * one[:4]
        quiet *= one[4]
    expected[4] = quiet
    counts = drawn(private_parity, x, y, 60_000, 2, epsilon=1.2, neighbor="replace", blocks=blocks)
    assert chi_square(counts, expected) > ALARM
    if 1 < blocks < 5:                          # power: one block, or another order of the records
        assert chi_square(counts, enumerated(x, y, *coins(1.2))) < ALARM


# ------------------------------------------------------------------------------------------------- chances of the curator


def ranks(m, d):
    """Pr[rank = r] of m uniform rows, by the formula that counts matrices."""
    chance = []
    for r in range(d + 1):
        ways = mpmath.mpf(1)
        for i in range(r):
            ways *= mpmath.mpf((2**m - 2**i) * (2**d - 2**i)) / (2**r - 2**i)
        chance.append(ways / mpmath.mpf(2) ** (m * d) if r <= m else mpmath.mpf(0))
    return chance


def one_block(n, d, epsilon, wrong, neighbor="replace"):
    """Right and silent, from the ranks: with a wrong label among m, (2^r - 1)/(2^m - 1) are consistent."""
    keep, refuse = coins(epsilon, neighbor)
    right = fits = 0
    for m in range(n + 1):
        for r, chance in enumerate(ranks(m, d)):
            mass, sound = binom.pmf(m, n, keep) * float(chance), (1 - wrong) ** m
            right += mass * sound * 2.0 ** (r - d)
            fits += mass * (sound + (1 - sound) * (2**r - 1) / max(1, 2**m - 1))
    return (1 - refuse) * right, 1 - (1 - refuse) * fits


@pytest.mark.parametrize("wrong", [0, 0.1, 0.5, 1])
@pytest.mark.parametrize("d", [1, 3, 7])
def test_success_probability_is_that_of_the_ranks(d, wrong):
    for epsilon, neighbor in product((0.3, 1.0, 3.0), RELATIONS):
        sizes = np.array([0, 1, 2, 5, 13])
        ours = parity_success_probability(size=sizes, dimension=d, wrong=wrong, epsilon=epsilon, neighbor=neighbor)
        np.testing.assert_allclose(ours, [one_block(n, d, epsilon, wrong, neighbor)[0] for n in sizes], rtol=1e-12)
    for n, blocks in ((5, 2), (13, 3), (2, 6), (12, 4)):
        total, quiet = 0, 1.0
        for j in range(blocks):
            right, silent = one_block(len(range(j, n, blocks)), d, 1.0, wrong)
            total, quiet = total + quiet * right, quiet * silent
        assert parity_success_probability(size=n, dimension=d, wrong=wrong, epsilon=1, neighbor="replace",
                                          blocks=blocks) == pytest.approx(total, rel=1e-12)


def test_success_probability_is_that_of_all_data_sets():
    """Every x of three records and every pattern of wrong labels, weighed."""
    d, n, epsilon, wrong = 2, 3, 0.8, 0.2
    total = 0
    for x in np.array(list(product((0, 1), repeat=n * d))).reshape(-1, n, d):
        for flips in np.array(list(product((0, 1), repeat=n))):
            y = (x @ [1, 0] + flips) % 2
            total += wrong ** flips.sum() * (1 - wrong) ** (n - flips.sum()) * enumerated(x, y, *coins(epsilon))[1] / 2 ** (n * d)
    assert parity_success_probability(size=n, dimension=d, wrong=wrong, epsilon=epsilon, neighbor="replace") == pytest.approx(total,
                                                                                                                              rel=1e-12)


def test_ranks_golden():
    assert float(ranks(12, 10)[10]) == pytest.approx(0.7702896, abs=1e-7)


def test_success_golden():
    for d, n in {2: 13, 4: 19, 6: 24, 8: 29, 10: 34, 12: 39, 14: 44, 20: 59, 30: 83}.items():
        assert parity_sample_size(dimension=d, epsilon=1, beta=0.25) == (n, 1)
    assert parity_success_probability(size=400, dimension=62, epsilon=1, neighbor="replace") == pytest.approx(0.788, abs=5e-4)
    one = parity_success_probability(size=range(200), dimension=12, wrong=0.1, epsilon=1, neighbor="replace")
    assert one.argmax() == 32 and one.max() == pytest.approx(0.1308, abs=5e-5)
    assert one[[39, 60]] == pytest.approx([0.115, 0.046], abs=5e-4)
    other = parity_success_probability(size=range(200), dimension=20, wrong=0.05, epsilon=1, neighbor="replace")
    assert other.argmax() == 54 and other.max() == pytest.approx(0.1933, abs=5e-5)
    for n, d, wrong, blocks in ((836, 12, 0.1, 19), (549, 20, 0.05, 9)):
        assert parity_success_probability(size=n, dimension=d, wrong=wrong, epsilon=1, neighbor="replace", blocks=blocks) >= 0.75
        for k in range(1, 60):                  # fewer people in blocks of one size
            fewer = np.arange(k, n, k)
            assert parity_success_probability(size=fewer, dimension=d, wrong=wrong, epsilon=1, neighbor="replace", blocks=k).max() < 0.75
    assert parity_sample_size(dimension=12, wrong=0.1, epsilon=1, beta=0.25) == (815, 18)        # of 45 and 46
    assert parity_sample_size(dimension=20, wrong=0.05, epsilon=1, beta=0.25) == (542, 9)
    half = [parity_success_probability(size=4000, dimension=12, epsilon=0.5, neighbor="replace", blocks=k) for k in (1, 2)]
    assert half == pytest.approx([0.726, 0.925], abs=5e-4)


def test_sample_size_is_the_least_of_all_numbers_of_blocks():
    for d, wrong, epsilon, beta in ((3, 0, 1, 0.2), (3, 0.1, 2, 0.3)):
        n, blocks = parity_sample_size(dimension=d, wrong=wrong, epsilon=epsilon, beta=beta)
        chance = lambda size: [parity_success_probability(size=size, dimension=d, wrong=wrong, epsilon=epsilon, neighbor="replace",
                                                          blocks=k)
                               for k in range(1, size + 1)]
        assert max(chance(n - 1)) < 1 - beta <= chance(n)[blocks - 1] and max(chance(n)[:blocks - 1], default=0) < 1 - beta
    with pytest.raises(ValueError, match="beta"):
        parity_sample_size(dimension=12, wrong=0.5, epsilon=1, beta=0.25)


@pytest.mark.parametrize("d, n, wrong, blocks, epsilon", [(12, 39, 0, 1, 1), (6, 144, 0.1, 5, 1), (3, 30, 0, 2, 0.3)])
def test_the_mechanism_is_right_as_often_as_it_says(d, n, wrong, blocks, epsilon):
    draw, runs = rng(6), 8000
    s = draw.integers(0, 2, d)
    x = draw.integers(0, 2, (runs, n, d), dtype=np.int8)
    y = (x @ s + (draw.random((runs, n)) < wrong)) % 2
    right = np.all(private_parity(x, y, epsilon=epsilon, neighbor="replace", blocks=blocks, runs=True, rng=draw) == s, axis=-1).sum()
    chance = parity_success_probability(size=n, dimension=d, wrong=wrong, epsilon=epsilon, neighbor="replace", blocks=blocks)
    assert abs(standard_errors(right, runs, chance)) < FAR


def test_chances_where_floats_end():
    assert parity_success_probability(size=[0, 1], dimension=1, epsilon=800.0, neighbor="replace") == pytest.approx([0.5, 0.75])
    assert parity_success_probability(size=5, dimension=3, epsilon=1e-12, neighbor="replace") == pytest.approx(2 / 3 / 8)
    assert parity_success_probability(size=3, dimension=2000, epsilon=1, neighbor="replace", blocks=2) == 0
    assert parity_success_probability(size=[[1, 2]], dimension=2, epsilon=1, neighbor="replace").shape == (1, 2)
    assert np.shape(parity_success_probability(size=7, dimension=2, epsilon=1, neighbor="replace")) == ()


# ---------------------------------------------------------------------------------------------------------------- scores


@pytest.mark.parametrize("n, d", [(1, 1), (7, 2), (30, 3), (0, 2)])
def test_scores_are_right_labels(n, d):
    draw = rng(n)
    x, y = draw.integers(0, 2, (n, d)), draw.integers(0, 2, n)
    right = (x @ all_subsets(d).T % 2 == y[:, None]).sum(axis=0)
    counts = drawn(private_parity_by_scores, x, y, 100_000, 3, epsilon=0.9)
    assert counts[-1] == 0
    assert chi_square(counts[:-1], exponential_probabilities(right, sensitivity=1, epsilon=0.9)) > ALARM


def test_scores_need_few_people_even_with_wrong_labels():
    """43 people, and 58 if a tenth of the labels are wrong: .7508 and .768 on average over 10^5 data sets."""
    for n, wrong, chance in ((43, 0, 0.7508), (58, 0.1, 0.768)):
        draw, runs = rng(8), 800
        x = draw.integers(0, 2, (runs, n, 12), dtype=np.int8)
        y = (x[..., 3] + x[..., 11] + (draw.random((runs, n)) < wrong)) % 2
        right = np.all(private_parity_by_scores(x, y, epsilon=1, runs=True, rng=draw) == np.isin(np.arange(12), (3, 11)), axis=-1).sum()
        assert abs(standard_errors(right, runs, chance)) < FAR


# ----------------------------------------------------------------------------------------------------------- elimination


def test_eliminated_are_those_whose_average_is_off():
    draw, d = rng(9), 4
    queries = draw.uniform(-1, 1, (3, 5, 2**d, 2))
    alive = eliminate_parities(queries, tolerance=0.1)
    assert alive.shape == (3, 5, 2**d) and alive.dtype == bool
    labels = all_subsets(d) @ all_subsets(d).T % 2                     # [x, s]
    for g, s in product(range(3), range(2**d)):
        off = [abs(np.mean(q[np.arange(2**d), labels[:, s]]) - q.mean()) > 0.1 for q in queries[g]]
        assert alive[g, :, s].tolist() == [not any(off[:j + 1]) for j in range(5)]
    assert np.array_equal(eliminate_parities(queries[0, 0], tolerance=0.1), alive[0, 0])
    assert eliminate_parities(queries[0, :0], tolerance=0.1).shape == (0, 2**d)


@pytest.mark.parametrize("tolerance", [0.3, 0.1, 0.03])
def test_a_query_eliminates_fewer_than_the_bound(tolerance):
    d = 9
    signs = (-1.0) ** (all_subsets(d) @ all_subsets(d).T)
    several = max(1, math.ceil(1 / tolerance**2) - 1)
    greedy = np.sign(signs[:, :several].sum(axis=1) + 0.5)
    for one in (signs[:, 7], greedy, np.sign(rng().normal(size=2**d))):
        killed = ~eliminate_parities(np.stack([one, -one], axis=-1), tolerance=tolerance)
        assert killed.sum() < 1 / tolerance**2 and (killed.any() or one is not signs[:, 7])


@pytest.mark.parametrize("tolerance", [0.06, 0.1, 0.12, 0.2, 0.24, 0.3, 0.45])
def test_the_sharpest_queries_of_the_page_are_as_sharp_as_it_says(tolerance):
    """Products of pairs of questions, times the parities of the others: no subset is left, and each rules out as many."""
    for d in (6, 8, 10):
        kills = page_function("parity", "sharpest_query")(d, tolerance)
        a, bits = int(np.log2(kills)) // 2, all_subsets(d)
        first = (-1.0) ** (bits[:, :a] * bits[:, a:2 * a]).sum(axis=1)
        queries = first * (-1.0) ** (all_subsets(d - 2 * a) @ bits[:, 2 * a:].T) if d > 2 * a else first[None]
        left = eliminate_parities(np.stack([queries, -queries], axis=-1), tolerance=tolerance).sum(axis=1)
        assert left.tolist() == [2**d - kills * (j + 1) for j in range(2**d // kills)] and kills < 1 / tolerance**2


def test_bad_queries_are_named():
    for bad in ([1, 0], [[1.1, 0], [0, 0]], np.zeros((3, 2)), np.zeros((4, 3)), np.zeros((0, 2))):
        with pytest.raises(ValueError, match="tables|values"):
            eliminate_parities(bad, tolerance=0.1)
    for bad in (0, -1, np.nan, "1"):
        with pytest.raises(ValueError, match="tolerance"):
            eliminate_parities(np.zeros((4, 2)), tolerance=bad)


# --------------------------------------------------------------------------------------------------------------- reports


def local_distribution(x, y, epsilon):
    """All tasks and all reports of two or three people, ties shared."""
    n, d = x.shape
    truth, total = 1 / (1 + math.exp(-epsilon)), np.zeros(2**d)
    for tasks in product(range(2**d), repeat=n):
        honest = [(int(all_subsets(d)[s] @ row) + label) % 2 for s, row, label in zip(tasks, x, y)]
        for said in product((0, 1), repeat=n):
            weight = math.prod(truth if r == h else 1 - truth for r, h in zip(said, honest)) / 2 ** (d * n)
            votes = np.zeros(2**d)
            np.add.at(votes, list(tasks), 1 - 2 * np.array(said))
            total += weight * (votes == votes.max()) / (votes == votes.max()).sum()
    return total


@pytest.mark.parametrize("x, y", [([[1, 0], [1, 1], [0, 1]], [1, 0, 1]), ([[0, 0]], [1]), ([[1], [1], [1], [0]], [1, 1, 1, 1])])
def test_reports_have_the_enumerated_distribution(x, y):
    x, y = np.array(x), np.array(y)
    counts = drawn(learn_parity_locally, x, y, 100_000, 5, epsilon=1.3)
    assert counts[-1] == 0 and chi_square(counts[:-1], local_distribution(x, y, 1.3)) > ALARM


def simulated(n, d, epsilon, runs, seed):
    """Votes from their sufficient statistics, for exactly n people: how often the right one of 2^d is drawn as the largest."""
    draw, size, right = rng(seed), 2**d, 0.0
    for _ in range(runs // 1000):
        people = draw.multinomial(n, np.full(size, 1 / size), 1000)
        truth = np.append(1 / (1 + np.exp(-epsilon)), np.full(size - 1, 0.5))
        votes = 2 * draw.binomial(people, truth) - people
        most = votes == votes.max(axis=1, keepdims=True)
        right += (most[:, 0] / most.sum(axis=1)).sum()
    return right


@pytest.mark.parametrize("n, d, epsilon, runs", [(54, 2, 1, 50_000), (472, 4, 1, 20_000), (2857, 6, 1, 5000), (15_224, 8, 1, 3000),
                                                 (60, 3, 4, 50_000), (1, 1, 0.5, 50_000)])
def test_the_protocol_is_right_as_often_as_it_says(n, d, epsilon, runs):
    chance = local_parity_success(size=n, dimension=d, epsilon=epsilon)
    assert abs(standard_errors(simulated(n, d, epsilon, runs, 11), runs, chance)) < FAR + math.sqrt(runs) / n


def test_the_chance_is_exact_for_a_poisson_number_of_people():
    """Summed over all numbers of people and votes of two candidates."""
    for mean, epsilon in ((0.7, 1.0), (4.0, 2.0)):
        k, truth = np.arange(40), 1 / (1 + math.exp(-epsilon))
        group = np.exp(-mean / 2) * (mean / 2) ** k / np.array([math.factorial(i) for i in k], dtype=float)
        led, fair = np.zeros((2, 81))
        for n, weight in zip(k, group):
            for yes in range(n + 1):
                ways = weight * comb(n, yes)
                led[40 + 2 * yes - n] += ways * truth**yes * (1 - truth) ** (n - yes)
                fair[40 + 2 * yes - n] += ways * 0.5**n
        joint = np.outer(led, fair)
        expected = np.tril(joint, -1).sum() + np.trace(joint) / 2
        assert reports._largest_is_right(mean / 2, math.tanh(epsilon / 2), 1.0) == pytest.approx(expected, rel=1e-9)


def test_many_people_vote_like_normal_variables():
    for d, truth in ((6, 0.01), (14, 0.014)):
        many, others = reports.MANY_ON_A_PARITY, 2.0**d - 1
        exact = reports._largest_is_right(many, truth, others)
        beaten = log_ndtr(reports.NORMAL + truth * math.sqrt(many))
        normal = reports.NORMAL_WEIGHTS @ np.exp(others * beaten)
        assert abs(exact - normal) < 2e-5 and 0.2 < exact < 0.8
    assert local_parity_success(size=10**12, dimension=3, epsilon=1e-9) == pytest.approx(1 / 8, abs=1e-3)


def test_local_golden():
    """The table at ε = 1 and 75%, within 2% of 2^d (λ/tanh(ε/2))² with the λ of normal votes."""
    table = np.array([53, 468, 2829, 15_070, 75_162, 359_821, 1_674_879])
    ours = np.array([local_parity_sample_size(dimension=d, epsilon=1, beta=0.25) for d in range(2, 15, 2)])
    assert np.all(np.abs(ours / table - 1) < 0.02)
    assert ours.tolist() == [54, 472, 2857, 15_224, 75_963, 363_789, 1_693_879]
    chance = local_parity_success(size=[363_788, 363_789], dimension=12, epsilon=1)
    assert chance[0] < 0.75 <= chance[1]
    with pytest.raises(ValueError, match="dimension"):
        local_parity_sample_size(dimension=62, epsilon=1e-3, beta=0.25)


def test_chances_of_reports_at_the_ends():
    assert np.all(np.diff(local_parity_success(size=np.arange(1, 300, 7), dimension=4, epsilon=2)) > 0)
    assert local_parity_success(size=10**6, dimension=60, epsilon=1) == pytest.approx(2.0**-60, rel=1e-3)
    huge = local_parity_success(size=[[30], [3000]], dimension=3, epsilon=800.0)
    assert huge.shape == (2, 1) and huge[0] < 1 and huge[1] == pytest.approx(1)


# ---------------------------------------------------------------------------------------------------------- lower bounds


def test_lower_bound_golden():
    ours = parity_sample_size_lower_bound(dimension=np.arange(2, 15, 2), epsilon=1, beta=0.25)
    assert ours.tolist() == [10, 104, 728, 4155, 21_605, 106_359, 505_202]
    half = parity_sample_size_lower_bound(dimension=[4, 6, 8, 10, 12], epsilon=0.5, beta=0.25)
    assert half.tolist() == [370, 2589, 14_791, 76_913, 378_645]
    assert parity_sample_size_lower_bound(dimension=30, epsilon=1, beta=0.25) == pytest.approx(7.5e10, rel=0.01)
    assert parity_sample_size_lower_bound(dimension=[[1], [2]], epsilon=[1, 2, 3], beta=0.6).shape == (2, 3)
    assert parity_sample_size_lower_bound(dimension=1, epsilon=1, beta=0.5) == 0
    assert parity_sample_size_lower_bound(dimension=9, epsilon=1e300, beta=0.1) == 0
    with pytest.raises(ValueError, match="2\\*\\*62"):
        parity_sample_size_lower_bound(dimension=60, epsilon=0.1, beta=0.1)


def test_a_weaker_rule_has_a_lower_bound_that_is_not_larger():
    bounds = parity_sample_size_lower_bound(dimension=12, epsilon=1, beta=0.25, advantage=[1, 0.5, 0.2, 0.1, 0.02, 1e-6])
    assert np.all(np.diff(bounds) <= 0) and bounds[0] == 106_359 and bounds[2] == 60_054 and bounds[-1] == 0
    with pytest.raises(ValueError, match="advantage"):
        parity_sample_size_lower_bound(dimension=12, epsilon=1, beta=0.25, advantage=0)


def test_enough_people_for_every_distribution():
    """Above what uniform answers take; and no other number of blocks would do with fewer."""
    for d, accuracy, epsilon, beta in product((2, 5, 12, 40), (0.02, 0.3, 0.5), (0.2, 1, 3), (0.5, 0.1, 1e-9)):
        size, blocks = parity_pac_sample_size(dimension=d, accuracy=accuracy, epsilon=epsilon, beta=beta)
        keep, refuse = math.tanh(epsilon / 2), 1 / (math.exp(epsilon) + 2)
        fails = lambda n, k: refuse**k + (1 - refuse**k) * (2.0**d - 1) / 2 * (1 - keep * accuracy) ** (n // k)
        assert fails(size, blocks) <= beta * (1 + 1e-9) and min(fails(size - 1, k) for k in range(1, 60)) > beta
        if beta == 0.1:
            assert parity_success_probability(size=size, dimension=d, epsilon=epsilon, neighbor="replace", blocks=blocks) >= 1 - beta
    assert parity_pac_sample_size(dimension=1, accuracy=1, epsilon=700, beta=0.9) == (1, 1)
    with pytest.raises(ValueError, match="accuracy"):
        parity_pac_sample_size(dimension=5, accuracy=0, epsilon=1, beta=0.1)
    with pytest.raises(ValueError, match="2\\*\\*62"):
        parity_pac_sample_size(dimension=5, accuracy=1e-300, epsilon=1, beta=0.1)


def test_information_is_continuous_and_attained_by_randomised_response():
    at = parity_information(epsilon=[math.log(3), math.log(3) + 1e-9])
    assert at == pytest.approx([0.25, 0.25])
    assert parity_information(epsilon=1e300) == np.inf
    for d, epsilon in ((2, 0.3), (3, 1.0)):
        t, signs = math.tanh(epsilon / 2), (-1.0) ** (all_subsets(d) @ all_subsets(d).T)
        report = np.stack([(1 + t * signs[:, 3]) / 2, (1 - t * signs[:, 3]) / 2])            # Pr[yes | x, y] on label 0, 1
        found = [np.mean(np.where(signs[:, s] > 0, report[0], report[1])) for s in range(2**d)]
        spread = sum((p - 0.5) ** 2 / 0.5 + (0.5 - p) ** 2 / 0.5 for p in found)
        assert spread == pytest.approx(parity_information(epsilon=epsilon))


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_what_can_be_learnt_stands_above_what_cannot(epsilon):
    for d, beta in product((1, 2, 5, 9, 14), (0.01, 0.25, 0.49)):
        assert local_parity_sample_size(dimension=d, epsilon=epsilon, beta=beta) >= parity_sample_size_lower_bound(
            dimension=d, epsilon=epsilon, beta=beta)


# ------------------------------------------------------------------------------------------------------------- arguments


MECHANISMS = [partial(private_parity, neighbor="replace"), private_parity_by_scores, learn_parity_locally]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_shapes_types_and_no_mutation(mechanism):
    run = {"epsilon": 1.0, "runs": True, "rng": rng()}
    x, y = rng(1).integers(0, 2, (2, 3, 6, 4)), rng(1).integers(0, 2, (2, 3, 6))
    kept = x.copy(), y.copy()
    answer = mechanism(x, y, **run)
    assert answer.shape == (2, 3, 4) and answer.dtype == np.int8
    assert np.array_equal(x, kept[0]) and np.array_equal(y, kept[1])
    for one, labels in ((x[0, 0].tolist(), y[0, 0].tolist()), (x[0, 0] > 0, y[0, 0] > 0), (x[0, 0, :1].astype(object), [np.True_])):
        answer = mechanism(one, labels, **run)
        assert answer.shape == (4,) and answer.dtype == np.int8
    assert mechanism(np.zeros((7, 0, 3)), np.zeros((7, 0)), **run).shape == (7, 3)
    assert mechanism(np.zeros((0, 5, 3)), np.zeros((0, 5)), **run).shape == (0, 3)
    same = [mechanism(x, y, epsilon=1.0, runs=True, rng=rng(3)) for _ in range(2)]
    assert np.array_equal(*same)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_bad_data_and_parameters_are_named(mechanism):
    run = {"epsilon": 1.0, "rng": rng()}
    good = np.zeros((3, 2), int), np.zeros(3, int)
    for x in (np.full((3, 2), 2), np.full((3, 2), 0.5), np.zeros(3), np.zeros((3, 0)), [["a"] * 2] * 3, -np.ones((3, 2), int), 1):
        with pytest.raises(ValueError, match="x must"):
            mechanism(x, good[1], **run)
    for y in ([0, 1, 2], [0.5] * 3, [0, 1], [[0, 1, 0]], 0):
        with pytest.raises(ValueError, match="y must"):
            mechanism(good[0], y, **run)
    for epsilon in (0, -1, np.inf, np.nan, "1", [1, 2]):
        with pytest.raises(ValueError, match="epsilon"):
            mechanism(*good, **{**run, "epsilon": epsilon})
    with pytest.raises(TypeError, match="rng"):
        mechanism(*good, **{**run, "rng": 7})


@pytest.mark.parametrize("mechanism", MECHANISMS[1:])
def test_a_table_of_all_parities_has_a_limit(mechanism):
    with pytest.raises(ValueError, match="at most 24 questions"):
        mechanism(np.zeros((2, 25), int), [0, 0], epsilon=1, rng=rng())


def test_blocks_and_relation_are_checked():
    data = dict(x=np.zeros((3, 2), int), y=[0, 0, 0], epsilon=1, rng=rng())
    for blocks in (0, -1, 1.5, None):
        with pytest.raises(ValueError, match="blocks"):
            private_parity(**data, blocks=blocks, neighbor="replace")
    with pytest.raises(ValueError, match="blocks must be 1 under add_remove"):
        private_parity(**data, blocks=2, neighbor="add_remove")
    with pytest.raises(ValueError, match="neighbor"):
        private_parity(**data, neighbor="swap")


@pytest.mark.parametrize("call, good", [
    (partial(parity_success_probability, neighbor="replace"), {"size": 3, "dimension": 4, "wrong": 0.1, "epsilon": 1, "blocks": 2}),
    (parity_sample_size, {"dimension": 4, "wrong": 0.1, "epsilon": 1, "beta": 0.5}),
    (local_parity_success, {"size": 3, "dimension": 4, "epsilon": 1}),
    (local_parity_sample_size, {"dimension": 4, "epsilon": 1, "beta": 0.5}),
    (parity_information, {"epsilon": 1}),
    (parity_sample_size_lower_bound, {"dimension": 4, "epsilon": 1, "beta": 0.5})])
def test_bad_arguments_are_named(call, good):
    call(**good)
    for name in good:
        for bad in (-1, np.nan, np.inf, "1", None, 1j):
            with pytest.raises(ValueError, match=name):
                call(**{**good, name: bad})
