"""queries: answers against sums by hand, noise against its distribution, made-up reports against the enumerated run."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import kstest, laplace

from dplib.queries import (
    SQOracle,
    adversarial_oracle,
    alarm_oracle,
    central_oracle,
    central_oracle_size,
    exact_oracle,
    fresh_oracle,
    fresh_oracle_size,
    learn_conjunction,
    local_oracle,
    local_oracle_size,
    local_simulation_plan,
    sample_oracle,
    simulate_local_protocol,
    simulated_report_probabilities,
)
from dplib.queries import oracles
from dplib.sparse_vector import above_threshold_scales
from tests.chance import ALARM, FAR, chi_square, rng, standard_errors

COINS, CHANCES = np.array([-1, 1]), np.array([0.25, 0.75])
PRIVATE = [central_oracle, fresh_oracle, local_oracle]


def itself(x):
    return x


# ------------------------------------------------------------------------------------------------------------- answers


def test_exact_adversarial_and_sample_answers():
    assert exact_oracle(COINS, CHANCES)(itself) == 0.5
    assert sample_oracle([1, 1, 0, -1])(itself) == 0.25
    for aim, answer in [(0, 0.4), (0.45, 0.45), (9, 0.6), (-9, 0.4), (0.5, 0.5)]:
        oracle = adversarial_oracle(COINS, CHANCES, tolerance=0.1, aim=lambda phi, aim=aim: aim)
        assert oracle(itself) == pytest.approx(answer, abs=1e-15)


def test_an_oracle_counts_and_stops():
    oracle = SQOracle(lambda number, phi: number, queries=2)
    assert [oracle(itself), oracle(itself), oracle.calls] == [0, 1, 2] and type(oracle.calls) is int
    with pytest.raises(ValueError, match="queries: all 2 that were declared have been asked"):
        oracle(itself)
    assert oracle.calls == 2 and repr(oracle) == "SQOracle(calls=2, queries=2)"
    for make in PRIVATE:
        oracle = make(np.zeros(10), queries=3, epsilon=1, rng=rng())
        answers = [oracle(itself) for _ in range(3)]
        assert all(type(answer) is float for answer in answers) and len(set(answers)) > 1 or make is local_oracle
        with pytest.raises(ValueError, match="all 3"):
            oracle(itself)
    everything = sample_oracle([1, 2])
    assert [everything(itself) for _ in range(100)] == [1] * 100 and everything.calls == 100


@pytest.mark.parametrize("value, counts_as", [
    (np.nan, 0), (np.inf, 1), (-np.inf, -1), (7, 1), (-1e308, -1), (0.3, 0.3), (True, 1), (-0.0, 0)])
def test_a_query_is_clipped_and_never_refused(value, counts_as):
    x = np.array([0.5, 0.5, 0.5, 0.5])
    phi = lambda x: np.where(np.arange(len(x)) == 0, value, x)
    assert sample_oracle(x)(phi) == (counts_as + 1.5) / 4
    for make in PRIVATE:
        assert math.isfinite(make(x, queries=1, epsilon=1, rng=rng())(phi))


def test_a_query_may_divide_by_zero_without_a_word(recwarn):
    assert sample_oracle([0.0, 1.0, -1.0, 2.0])(lambda x: 1 / x) == (1 + 1 - 1 + 0.5) / 4
    assert sample_oracle([4.0, -1.0])(np.sqrt) == 0.5 and not recwarn


def test_records_are_rows_and_no_single_one_decides_their_type():
    assert sample_oracle([[1, 0], [0, 1], [1, 1]])(lambda x: x[:, 0] * x[:, 1]) == pytest.approx(1 / 3)
    kinds = [sample_oracle([1, other])(lambda x: np.full(len(x), x.dtype == np.float64)) for other in (2, 2.5, True, 2**100)]
    assert kinds == [1] * 4
    for given, shown in ((np.int8, np.int64), (bool, bool), (np.float32, np.float64)):
        assert sample_oracle(np.array([1, 0], dtype=given))(lambda x: np.full(len(x), x.dtype == shown)) == 1


@pytest.mark.parametrize("size, queries", [(10, 3), (10, 10), (11, 4), (5, 1), (100, 7)])
@pytest.mark.parametrize("make", [fresh_oracle, local_oracle])
def test_batches_go_by_position_and_share_nobody(make, size, queries):
    seen = []
    oracle = make(np.arange(size), queries=queries, epsilon=1, vectorized=True, rng=rng())
    for _ in range(queries):
        oracle(lambda x: seen.append(x) or np.zeros(len(x)))
    assert np.array_equal(np.concatenate(seen), np.arange(size))
    assert {len(batch) for batch in seen} <= {size // queries, -(-size // queries)}


# ------------------------------------------------------------------------------- what a query sees, and what it can do


def the_largest(x):
    return np.full(len(x), x.max())


def without_noise(make, x, phi, **given):
    """The answer of a curator whose noise is negligible; with local reports, one number for each person."""
    return make(np.array(x, dtype=float), queries=1, epsilon=1e9, **given, rng=rng())(phi)


@pytest.mark.parametrize("make", PRIVATE)
def test_a_query_sees_one_record_at_a_time_unless_the_caller_vouches_for_it(make):
    x, seen = [-1, -1, -1, 1], []
    assert without_noise(make, x, the_largest) == pytest.approx(-0.5, abs=1e-6)
    assert without_noise(make, x, the_largest, vectorized=True) == pytest.approx(1, abs=1e-6)
    without_noise(make, x, lambda x: seen.append(x.tolist()) or x)
    assert seen == [[0], *([value] for value in x)]
    with pytest.raises(ValueError, match="vectorized"):
        make([1, 2], queries=1, epsilon=1, vectorized="yes", rng=rng())


@pytest.mark.parametrize("rows", [np.arange(6), np.arange(6.0).reshape(2, 3), np.arange(8).reshape(2, 2, 2)])
def test_one_record_is_shown_as_one_row(rows):
    shapes = set()
    central_oracle(rows, queries=1, epsilon=1, rng=rng())(lambda x: shapes.add((x.shape, x.dtype)) or np.zeros(len(x)))
    assert shapes == {((1, *rows.shape[1:]), rows.dtype)}


@pytest.mark.parametrize("make", [sample_oracle, *(lambda x, make=make, **how: make(x, queries=3, epsilon=1e9, **how, rng=rng())
                                                   for make in PRIVATE)])
def test_neither_a_query_nor_the_caller_changes_the_records(make):
    x = np.ones(6)

    def writes(x):
        x[:] = -1
        return x

    def unlocks(x):
        x.flags.writeable = True
        return writes(x)
    oracle = make(x)
    for phi in (writes, unlocks):
        try:
            oracle(phi)
        except ValueError as error:
            assert "read-only" in str(error) or "WRITEABLE" in str(error)
    x[:] = -1
    assert oracle(itself) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("make", [central_oracle, fresh_oracle])
def test_what_fails_for_a_record_counts_as_0_and_what_fails_for_zeros_is_shown(make, recwarn):
    def shows(x):
        if x.max() == 0.5:
            raise RuntimeError("0.5 was here")
        return np.array([0.25, 0.75]) if x.max() == 0.25 else x[x != -1]
    assert without_noise(make, [1, 0.5, 0.25, -1], shows) == pytest.approx(0.25, abs=1e-6) and not recwarn
    for mistake in (lambda x: 1 / 0, lambda x: x[:, 7], np.mean, lambda x: "a", lambda x: x[x > 0]):
        with pytest.raises((ValueError, IndexError, ZeroDivisionError)):
            without_noise(make, [1, 0.5, 0.25, -1], mistake)


def test_one_by_one_and_at_once_agree_on_queries_that_look_at_each_record_by_itself():
    x = rng(4).normal(size=(50, 3))
    for phi in (lambda x: x[:, 0], lambda x: x @ [1, -2, 0.5], lambda x: 1 / x[:, 1], lambda x: x[:, 2] > 0, lambda x: np.sqrt(x[:, 0])):
        for make in PRIVATE:
            alone, at_once = (make(x, queries=1, epsilon=1, vectorized=how, rng=rng(5))(phi) for how in (False, True))
            assert alone == pytest.approx(at_once, abs=1e-9)


def noise(make, x, queries, epsilon, runs, exact):
    draws = rng(3)
    return [make(x, queries=queries, epsilon=epsilon, rng=draws)(itself) - exact for _ in range(runs)]


def test_noise_has_the_stated_distribution():
    x = np.linspace(-1, 1, 11)
    central = noise(central_oracle, x, 3, 0.7, 6_000, x.mean())
    fresh = noise(fresh_oracle, x, 3, 0.7, 6_000, x[:3].mean())
    assert kstest(central, laplace(scale=2 * 3 / (11 * 0.7)).cdf).pvalue > ALARM
    assert kstest(fresh, laplace(scale=2 / (3 * 0.7)).cdf).pvalue > ALARM
    assert kstest(central, laplace(scale=0.8 * 2 * 3 / (11 * 0.7)).cdf).pvalue < ALARM


def test_local_answers_are_means_of_two_numbers_without_bias():
    c = 1 / np.tanh(0.4)
    answers = np.array(noise(local_oracle, np.array([0.2, 0.6, -1, -1]), 2, 0.8, 6_000, 0))
    ups = np.rint(answers / c + 1).astype(int)
    assert np.allclose(answers, (ups - 1) * c)
    chances = [0.5 + v / (2 * c) for v in (0.2, 0.6)]
    expected = np.array([math.prod(1 - p for p in chances), 0, math.prod(chances)])
    expected[1] = 1 - expected.sum()
    assert chi_square(np.bincount(ups, minlength=3), expected) > ALARM


@pytest.mark.parametrize("make", PRIVATE)
@pytest.mark.parametrize("change, error, match", [
    (dict(rng=None), TypeError, "rng"), (dict(epsilon=0), ValueError, "epsilon"), (dict(epsilon=[1, 2]), ValueError, "epsilon"),
    (dict(queries=0), ValueError, "queries"), (dict(queries=1.5), ValueError, "queries"), (dict(x=[]), ValueError, "x must"),
    (dict(x=3), ValueError, "x must"), (dict(x=["a"]), ValueError, "x must")])
def test_arguments_are_checked_before_any_query(make, change, error, match):
    given = dict(x=[1, 2], queries=1, epsilon=1, rng=rng()) | change
    with pytest.raises(error, match=match):
        make(given.pop("x"), **given)


def test_public_mistakes_say_what_is_wrong():
    with pytest.raises(ValueError, match="at least one row for each of the 3 queries, got 2"):
        fresh_oracle([1, 2], queries=3, epsilon=1, rng=rng())
    central_oracle([1, 2], queries=3, epsilon=1, rng=rng())
    with pytest.raises(ValueError, match=r"phi\(x\) must have one number for each of the 2 rows"):
        sample_oracle([1, 2])(np.mean)
    for probabilities in ([0.5, 0.6], [1, 0, 0], [1.5, -0.5]):
        with pytest.raises(ValueError, match="probabilities"):
            exact_oracle(COINS, probabilities)
    with pytest.raises(ValueError, match="tolerance"):
        adversarial_oracle(COINS, CHANCES, tolerance=0, aim=lambda phi: 0)


def test_the_callers_data_are_not_touched():
    x = np.array([5.0, np.nan, -3.0])
    for make in PRIVATE:
        make(x, queries=1, epsilon=1, rng=rng())(itself)
    assert np.array_equal(x, [5, np.nan, -3], equal_nan=True)


# --------------------------------------------------------------------------------------------------------------- sizes


def test_sizes_golden():
    given = dict(queries=20, tolerance=0.05, epsilon=1, beta=0.05)
    assert central_oracle_size(**given) == 23_609 and fresh_oracle_size(**given) == 20 * 23_609
    assert fresh_oracle_size(**given | dict(tolerance=0.1)) == 118_060
    assert local_oracle_size(queries=20, tolerance=[0.005, 0.0025], epsilon=1, beta=0.25).tolist() == [38_024_800, 152_099_140]
    for size in (central_oracle_size, fresh_oracle_size, local_oracle_size):
        assert size(**given).dtype == np.int64 and size(**given | dict(epsilon=[0.1, 1, 1e3])).shape == (3,)
        assert np.all(np.diff(size(**given | dict(epsilon=[0.1, 1, 10]))) <= 0)
        with pytest.raises(ValueError, match="2\\*\\*62"):
            size(**given | dict(tolerance=1e-12))


def test_noise_decides_at_small_epsilon_and_sampling_at_large():
    given = dict(queries=3, tolerance=0.1, beta=0.1)
    assert central_oracle_size(**given, epsilon=1e-3) == math.ceil(4 * 3 / (0.1 * 1e-3) * math.log(6 / 0.1))
    assert central_oracle_size(**given, epsilon=1e3) == math.ceil(8 / 0.01 * math.log(12 / 0.1))
    assert local_oracle_size(**given, epsilon=1e3) == 3 * math.ceil(2 / 0.01 * math.log(60))


# -------------------------------------------------------------------------------------------------------- conjunctions


def labelled(chances, target):
    """All records of independent variables with these chances of being 1, labelled by the conjunction of some of them."""
    rows = np.array(list(product((0, 1), repeat=len(chances))))
    weights = np.prod(np.where(rows, chances, 1 - np.array(chances)), axis=1)
    return np.column_stack([rows, rows[:, target].all(axis=1)]), weights


@pytest.mark.parametrize("target", [[], [0], [1, 3], [0, 1, 2, 3]])
def test_exact_averages_find_every_conjunction(target):
    points, weights = labelled([0.5, 0.6, 0.7, 0.4], target)
    learned = learn_conjunction(exact_oracle(points, weights), variables=4, accuracy=0.01)
    assert learned.dtype == bool and np.flatnonzero(learned).tolist() == target


def test_a_conjunction_from_noisy_averages():
    target = [0, 2]
    points, weights = labelled([0.8] * 4, target)
    draws = rng(5)
    for make, size in ((fresh_oracle, fresh_oracle_size), (local_oracle, local_oracle_size)):
        n = int(size(queries=4, tolerance=0.2 / 4, epsilon=2, beta=1e-6))
        x = points[draws.choice(len(points), size=n, p=weights)]
        oracle = make(x, queries=4, epsilon=2, vectorized=True, rng=draws)
        assert np.flatnonzero(learn_conjunction(oracle, variables=4, accuracy=0.2)).tolist() == target and oracle.calls == 4


def test_records_of_another_width_are_refused():
    with pytest.raises(ValueError, match="variables"):
        learn_conjunction(sample_oracle(np.zeros((3, 3))), variables=3, accuracy=0.1)


# ---------------------------------------------------------------------------------------------------------- simulation

R = np.array([[0.5, 0.3, 0.2], [0.3, 0.5, 0.2], [0.25, 0.45, 0.3]])          # how three kinds of records report
EPSILON = math.log(2)
SHARES = np.array([0.2, 0.5, 0.3])


def channel(x):
    return R[x.astype(int)]


def ratio_answers(p, q, epsilon):
    return (p / q - math.cosh(epsilon)) / math.sinh(epsilon)


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1, 5, 12])
def test_exact_answers_give_the_exact_distribution(epsilon):
    q = np.array([0.2, 0.3, 0.5])
    p = q * np.exp(epsilon / 2 * np.array([1, -1, 0]))                        # ratios to q within e^±ε
    p /= p.sum()
    law = simulated_report_probabilities(q, ratio_answers(p, q, epsilon), epsilon=epsilon, tries=2**62)
    np.testing.assert_allclose(law, p, atol=1e-9)


def by_hand(q, answers, epsilon, tries):
    """Draft after draft, as the run goes."""
    law, left = np.zeros(len(q)), 1.0
    for _ in range(tries):
        kept = q * np.clip(math.cosh(epsilon) + answers * math.sinh(epsilon), math.exp(-epsilon), math.exp(epsilon)) * math.exp(-epsilon)
        law, left = law + left * kept, left * (1 - kept.sum())
    law[0] += left
    return law


@pytest.mark.parametrize("tries", [1, 2, 7])
def test_the_distribution_counts_every_draft(tries):
    draws = rng(6)
    for epsilon in (0.1, 1, 3):
        q, answers = draws.dirichlet(np.ones(5)), draws.uniform(-1.5, 1.5, 5)
        law = simulated_report_probabilities(q, answers, epsilon=epsilon, tries=tries)
        np.testing.assert_allclose(law, by_hand(q, answers, epsilon, tries), atol=1e-14)
        assert law.sum() == pytest.approx(1)


def test_simulated_reports_have_the_stated_distribution():
    """Two people; the second one's channel depends on the first report; the oracle is off by up to 0.05."""
    turned = lambda x: channel(x)[:, ::-1]
    protocol = lambda reports: turned if reports and reports[0] == 1 else channel
    oracle = adversarial_oracle(np.arange(3), SHARES, tolerance=0.05, aim=lambda phi: 0)
    draws, runs = rng(7), 4_000
    pairs = [simulate_local_protocol(oracle, protocol, users=2, reference=0, epsilon=EPSILON, tries=3, rng=draws) for _ in range(runs)]

    def law(matrix):
        answers = ratio_answers(SHARES @ matrix, matrix[0], EPSILON)
        answers = np.clip(0, answers - 0.05, answers + 0.05)
        return simulated_report_probabilities(matrix[0], answers, epsilon=EPSILON, tries=3)
    expected = law(R)[:, None] * np.array([law(R), law(R[:, ::-1]), law(R)])
    counts = np.bincount(np.array(pairs) @ [3, 1], minlength=9)
    assert chi_square(counts, expected.ravel()) > ALARM and pairs[0].dtype == np.int64


def test_a_report_takes_about_e_to_the_epsilon_queries():
    oracle = exact_oracle(np.arange(3), SHARES)
    simulate_local_protocol(oracle, lambda reports: channel, users=3_000, reference=0, epsilon=EPSILON, tries=100, rng=rng(8))
    assert abs(standard_errors(3_000, oracle.calls, math.exp(-EPSILON))) < FAR


def test_a_second_report_of_one_person_is_about_the_same_record():
    """Everybody holds 0 or 1 and says it twice: both reports agree as often as those of one record do."""
    said = np.array([[0.8, 0.2], [0.2, 0.8]])
    for speakers, agree in (([0, 0], 0.8**2 + 0.2**2), ([0, 1], 0.5), (np.array([1, 1]), 0.8**2 + 0.2**2)):
        draws, oracle = rng(9), exact_oracle([0, 1], [0.5, 0.5])
        pairs = np.array([simulate_local_protocol(oracle, lambda _: lambda x: said[x.astype(int)], users=2, speakers=speakers, reference=0,
                                                  epsilon=2 * math.log(4), tries=2000, rng=draws) for _ in range(300)])
        assert abs(standard_errors((pairs[:, 0] == pairs[:, 1]).sum(), 300, agree)) < 5


def test_a_report_that_no_draft_could_have_been_does_not_spoil_the_next():
    """0 stands for "none was kept"; the made-up person never says it, and goes on as if nothing had been said."""
    silent = lambda x: np.tile([0.0, 0.4, 0.6], (len(x), 1))
    reports = [simulate_local_protocol(exact_oracle([0], [1]), lambda _: silent, users=1, speakers=[0] * 6, reference=0, epsilon=3,
                                       tries=1, rng=rng(seed)) for seed in range(20)]
    assert {0, 1, 2} == set(np.ravel(reports).tolist())


def test_a_report_that_never_occurs_for_the_reference_is_never_drafted():
    silent = lambda x: np.tile([0.0, 0.4, 0.6], (len(x), 1))
    reports = simulate_local_protocol(exact_oracle([0], [1]), lambda _: silent, users=200, reference=0, epsilon=1, tries=60, rng=rng())
    assert set(reports.tolist()) == {1, 2}


@pytest.mark.parametrize("epsilon", [1e-8, 0.01, 1, 20, 700])
def test_a_plan_keeps_its_two_promises(epsilon):
    for users, beta in product((1, 30, 10**6), (0.1, 0.9)):
        tolerance, tries = local_simulation_plan(users=users, epsilon=epsilon, beta=beta)
        assert 0 < tolerance <= 1 and type(tries) is int and tries >= 1
        t = tolerance * math.sinh(epsilon)
        keep = (1 - t) * math.exp(-epsilon)
        assert (1 + math.tanh(epsilon / 2) ** 2) / 2 * t / (1 - t) <= beta / (2 * users) * (1 + 1e-9)
        assert tries * math.log1p(-keep) <= math.log(beta / (2 * users)) * (1 - 1e-9)


@pytest.mark.parametrize("epsilon", [1e-8, 0.01, 1, 20, 350])
def test_a_plan_for_conversations_keeps_its_two_promises(epsilon):
    for messages, beta in product((1, 30, 10**6), (0.1, 0.9)):
        tolerance, tries = local_simulation_plan(users=1, messages=messages, epsilon=epsilon, beta=beta)
        assert 0 < tolerance <= 1 and type(tries) is int and tries >= 1
        assert tolerance * math.sinh(epsilon) <= beta / (2 * messages) * (1 + 1e-9)
        assert tries * math.log1p(-math.exp(-2 * epsilon)) <= math.log(beta / (2 * messages)) * (1 - 1e-9)
    with pytest.raises(ValueError, match="epsilon"):
        local_simulation_plan(users=1, messages=1, epsilon=351, beta=0.1)
    with pytest.raises(ValueError, match="messages"):
        local_simulation_plan(users=1, messages=0, epsilon=1, beta=0.1)


def test_arguments_of_the_simulation_are_checked():
    given = dict(users=1, reference=0, epsilon=1, tries=1, rng=rng())
    for change, error in [(dict(users=0), ValueError), (dict(tries=0), ValueError), (dict(epsilon=701), ValueError),
                          (dict(rng=1), TypeError), (dict(reference="a"), ValueError), (dict(speakers=[0, 1]), ValueError)]:
        with pytest.raises(error, match=next(iter(change))):
            simulate_local_protocol(exact_oracle([0], [1]), lambda reports: channel, **given | change)
    with pytest.raises(ValueError, match="channel"):
        simulate_local_protocol(exact_oracle([0], [1]), lambda reports: lambda x: np.full((len(x), 2), 0.6), **given)
    with pytest.raises(ValueError, match="q must"):
        simulated_report_probabilities([0.5, 0.6], [0, 0], epsilon=1, tries=1)
    with pytest.raises(ValueError, match="q must"):  # one of several
        simulated_report_probabilities([[0.5, 0.5], [0.5, 0.6]], [0, 0], epsilon=1, tries=1)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint32, np.uint64, np.float16, np.int64])
def test_a_query_may_subtract_and_multiply(dtype):
    """In an array of bytes, 0 · 2 - 1 was 255."""
    x = np.array([0, 1] * 50, dtype=dtype)
    assert sample_oracle(x)(lambda v: 2 * v - 1) == 0
    asked = central_oracle(x, queries=1, epsilon=100, rng=rng())
    assert abs(asked(lambda v: 2 * v - 1)) < 0.05


def test_a_masked_array_is_no_data_set():
    with pytest.raises(ValueError, match="x must be a plain array, got a masked one"):
        central_oracle(np.ma.masked_array([1, 2], [0, 1]), queries=1, epsilon=1, rng=rng())


# ---------------------------------------------------------------------------------------------------------- alarms


def test_alarms_are_raised_where_an_average_is_far_above_and_then_it_is_over():
    """2000 people, at ε = 50: the noise is below .01, up to once in 10^100."""
    x = np.repeat([1, 0], [1200, 800])
    for vectorized in (False, True):
        oracle = alarm_oracle(x, alarms=2, threshold=.5, epsilon=50, vectorized=vectorized, rng=rng())
        assert [oracle(lambda x: x), oracle(lambda x: x / 2), oracle(lambda x: 1 - x), oracle(lambda x: 5 * x)] == [1, 0, 0, 1]
        with pytest.raises(ValueError, match="alarms: all 2 that were declared have been raised"):
            oracle(lambda x: x)


def test_the_threshold_has_one_noise_and_each_answer_its_own():
    """Of ten queries at the threshold, asked in 1500 runs, some alarms go together: the noise of the threshold is shared."""
    x, asked = np.zeros(100), np.zeros((1500, 10))
    for run, generator in enumerate(rng(1).spawn(1500)):
        oracle = alarm_oracle(x, alarms=11, threshold=0, epsilon=1, vectorized=True, rng=generator)
        asked[run] = [oracle(lambda x: x) for _ in range(10)]
    together = np.corrcoef(asked.T)[np.triu_indices(10, 1)].mean()
    b1, b = above_threshold_scales(alarms=11, sensitivity=1, epsilon=1)
    z = laplace.ppf((np.arange(10_000) + .5) / 10_000, scale=b1)
    exact = 4 * np.mean(laplace.sf(z, scale=b)**2) - 1
    assert abs(together - exact) < .03 < exact                 # 5 standard errors; a noise of its own for each would have 0


@pytest.mark.parametrize("vectorized", [False, True])
def test_a_query_that_asks_itself_gets_no_alarm_beyond_those_declared(vectorized):
    """1000 people who are all far above, at ε = 50: each answer is an alarm, up to once in 10^100."""
    oracle = alarm_oracle(np.ones(1000), alarms=1, threshold=0, epsilon=50, vectorized=vectorized, rng=rng())
    raised = []

    def asks(x):
        if x.any() and not raised:                     # neither at the row of zeros nor a second time
            raised.append(oracle(lambda x: x))
        return x

    for phi in (asks, itself, itself):
        with pytest.raises(ValueError, match="alarms: all 1 that were declared have been raised"):
            oracle(phi)
    assert raised == [1]


def test_a_query_that_asks_itself_gets_no_answer_beyond_those_declared():
    oracle = central_oracle(np.ones(10), queries=2, epsilon=1, vectorized=True, rng=rng())
    oracle(lambda x: [oracle(itself), x][1])
    for _ in range(2):
        with pytest.raises(ValueError, match="queries: all 2 that were declared have been asked"):
            oracle(itself)


@pytest.mark.parametrize("error", [SystemExit, GeneratorExit, BaseException, MemoryError])
def test_no_record_can_end_the_program(error):
    def phi(x):
        if x.any():
            raise error
        return x

    assert oracles._values_one_by_one(phi, np.ones(3)).tolist() == [0, 0, 0]


def test_a_keyboard_can():
    def phi(x):
        if x.any():
            raise KeyboardInterrupt
        return x

    with pytest.raises(KeyboardInterrupt):
        oracles._values_one_by_one(phi, np.ones(3))


@pytest.mark.parametrize("wrong, error", [(dict(alarms=0), "alarms"), (dict(threshold=np.inf), "threshold"), (dict(epsilon=0), "epsilon"),
                                          (dict(vectorized=2), "vectorized")])
def test_alarms_need_their_parameters(wrong, error):
    with pytest.raises(ValueError, match=error):
        alarm_oracle([1, 0], **dict(alarms=1, threshold=0, epsilon=1) | wrong, rng=rng())
