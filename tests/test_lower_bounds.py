"""lower_bounds: closed forms against naive iteration and linear programmes, tests against sums over all data sets."""

from itertools import product

import mpmath
import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from dplib import _grid
from dplib.accounting import binary_test_bound, largest_gap
from dplib.lower_bounds import (
    clamped_likelihood_test,
    mean_sample_size_lower_bound,
    packing_mass,
    packing_sample_size,
    sign_test,
    sign_test_error,
    tracing_sample_size,
    tracing_scores,
    two_point_sample_size,
)
from dplib.mechanisms import laplace
from tests.chance import FAR, rng

SHIFTS, EPSILONS = np.array([0.1, 0.1, 0.3, 0.3, 1, 1, 1]), np.array([0.02, 0.1, 0.02, 0.1, 0.02, 0.1, 1])


# ------------------------------------------------------------------------------------------------------------- packing


@pytest.mark.parametrize(
    "hypotheses, epsilon, beta, golden",
    [(2001, 0.1, 0.05, 123), (2001, 1, 0.05, 13), (21, 1, 0.05, 8), (2001, 0.1, 0.5, 77)],
)
def test_packing_golden(hypotheses, epsilon, beta, golden):
    n = packing_sample_size(hypotheses=hypotheses, epsilon=epsilon, delta=0, beta=beta)
    assert n == golden and n.dtype == np.int64
    textbook = np.log((hypotheses - 1) * (1 - beta) / beta) / epsilon
    assert textbook <= n < np.log((hypotheses - 1) / (4 * beta**2)) / epsilon + 2


def test_packing_golden_mass():
    mass = packing_mass(hypotheses=101, epsilon=0.5, delta=0, size=[2, 6, 8, 9, 10], beta=0.5)
    np.testing.assert_allclose(mass, [18.4, 2.49, 0.916, 0.555, 0.337], rtol=2e-3)
    assert packing_sample_size(hypotheses=101, epsilon=0.5, delta=0, beta=0.5) == 10 == np.ceil(np.log(100) / 0.5)


def one_step_back(u, epsilon, delta):
    """The least chance of an event on a neighbour: the two inequalities of the definition, solved."""
    e = mpmath.exp(epsilon)
    return max((u - delta) / e, 1 - delta - e * (1 - u), mpmath.mpf(0))


@pytest.mark.parametrize("delta", [0.0, 1e-300, 1e-9, 1e-3, 0.3])
@pytest.mark.parametrize("epsilon", [1e-6, 0.03, 0.5, 3.0, 40.0])
def test_packing_mass_iterates_one_step(epsilon, delta):
    for beta in (1e-30, 1e-6, 0.05, 0.4, 0.97, 1 - 1e-12):
        with mpmath.workdps(60):
            u, chances = 1 - mpmath.mpf(beta), []
            for _ in range(200):
                chances.append(u)
                u = one_step_back(u, mpmath.mpf(epsilon), mpmath.mpf(delta))
            naive = np.array([float(1000 * chance) for chance in chances])
        mass = packing_mass(hypotheses=1001, epsilon=epsilon, size=np.arange(200), beta=beta, delta=delta)
        np.testing.assert_allclose(mass, naive, rtol=1e-11, atol=1e-12 * (delta > 0) + 1e-300)


def test_packing_with_delta_is_at_least_the_group_bound():
    """The closed form for infinitely many sets, and equality where the chance of hitting shrinks from the start."""
    for epsilon, delta, golden in [(1, 1e-6, 14.3), (0.1, 1e-6, 115.1)]:
        group = [np.log1p((1 - beta) * np.expm1(epsilon) / delta) / epsilon for beta in (0.05, 0.5)]
        assert abs(group[0] - golden) < 0.05
        careful, coin = packing_sample_size(hypotheses=np.inf, epsilon=epsilon, beta=[0.05, 0.5], delta=delta)
        assert coin == np.ceil(group[1]) and group[0] < careful < group[0] + 2 / epsilon
    n = np.arange(40)
    group = 20 * (np.exp(-n) * 0.95 - 1e-3 * -np.expm1(-n) / np.expm1(1))
    assert np.all(packing_mass(hypotheses=21, epsilon=1, size=n, beta=0.05, delta=1e-3) >= group * (1 - 1e-12))


def test_packing_is_continuous_in_delta_and_in_the_number_of_sets():
    settings = {"epsilon": [0.1, 1, 3], "beta": [0.01, 0.05, 0.6]}
    pure = packing_sample_size(hypotheses=10**6, delta=0, **settings)
    assert np.array_equal(packing_sample_size(hypotheses=10**6, delta=1e-200, **settings), pure)
    few, many, endless = (packing_sample_size(hypotheses=N, delta=1e-9, **settings) for N in (10**6, 1e300, np.inf))
    assert np.all(few <= pure) and np.any(few < pure) and np.all(few <= many) and np.array_equal(many, endless)


@pytest.mark.parametrize("delta", [0.0, 1e-4])
def test_packing_sample_size_is_the_first(delta):
    draws = rng(1)
    hypotheses = np.floor(10 ** draws.uniform(0.4, 12, 300))
    epsilon, beta = 10 ** draws.uniform(-2, 1, 300), draws.uniform(1e-3, 0.99, 300)
    sizes = packing_sample_size(hypotheses=hypotheses, epsilon=epsilon, beta=beta, delta=delta)
    setting = {"hypotheses": hypotheses, "epsilon": epsilon, "beta": beta, "delta": delta}
    assert np.all(packing_mass(size=sizes, **setting) <= beta)
    before = packing_mass(size=np.maximum(sizes - 1, 0), **setting)
    assert np.all((before > beta) | (sizes == 0)) and np.any(sizes == 0) and np.all(sizes[beta < 0.4] > 0)


@pytest.mark.parametrize("epsilon", [0.05, 0.7, 4.0])
def test_two_point_masses_are_told_apart_from_the_bound_on(epsilon):
    """N = 2 and constant data: the chain whose chance of saying "one" rises by T with every 1 is private, and as
    good as the bound allows."""
    for beta in (0.2, 0.01, 1e-6):
        n = int(packing_sample_size(hypotheses=2, epsilon=epsilon, delta=0, beta=beta))
        chance = binary_test_bound(beta, epsilon=epsilon, distance=np.arange(n + 1))
        assert chance[n] >= 1 - beta > chance[n - 1]


def test_packing_edges():
    assert packing_mass(hypotheses=1, epsilon=1, delta=0, size=0, beta=0.1) == 0
    assert packing_sample_size(hypotheses=1, epsilon=1, delta=0, beta=0.1) == 0
    assert packing_mass(hypotheses=np.inf, epsilon=1, delta=0, size=10, beta=0.1) == np.inf
    mass = packing_mass(hypotheses=[1, np.inf], epsilon=1, size=[[3], [100]], beta=0.1, delta=0.01)
    assert mass.tolist() == [[0, np.inf], [0, 0]]
    assert packing_mass(hypotheses=5, epsilon=1000.0, delta=0, size=[0, 1, 2**53], beta=0.25).tolist() == [3, 0, 0]
    assert packing_mass(hypotheses=3, epsilon=1, delta=0, size=[], beta=0.1).shape == (0,)
    assert isinstance(packing_sample_size(hypotheses=3, epsilon=1, delta=0, beta=0.1), np.int64)
    tiny = packing_mass(hypotheses=2, epsilon=1, delta=0, size=600, beta=0.5)
    assert tiny == pytest.approx(0.5 * np.exp(-600.0), rel=1e-12, abs=0)
    with pytest.raises(ValueError, match="hypotheses .* inf"):
        packing_sample_size(hypotheses=np.inf, epsilon=1, delta=0, beta=0.1)
    with pytest.raises(ValueError, match="epsilon"):
        packing_sample_size(hypotheses=10, epsilon=1e-18, delta=0, beta=0.1)
    with pytest.raises(ValueError, match="whole"):
        packing_mass(hypotheses=2.5, epsilon=1, delta=0, size=1, beta=0.1)


# ------------------------------------------------------------------------------------------------------------ two laws


def test_two_point_golden():
    distance = 2 * ndtr(SHIFTS / 2) - 1
    sizes = two_point_sample_size(total_variation=distance, epsilon=EPSILONS, beta=0.05)
    assert sizes.tolist() == [5802, 1183, 1940, 395, 604, 123, 14]
    assert two_point_sample_size(total_variation=0.119235, epsilon=0.1, beta=0.05) == 395
    assert np.all(sizes >= np.log(19) / (distance * EPSILONS))


def expected_gap(n, distance, epsilon):
    """E g(Bin(n, a)), term by term."""
    k = np.arange(n + 1)
    return binom.pmf(k, n, distance) @ largest_gap(epsilon=epsilon, distance=k)


@pytest.mark.parametrize("distance", [0.003, 0.2, 0.7, 1.0])
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 4.0, 1000.0])
def test_two_point_is_the_first_by_enumeration(distance, epsilon):
    for beta in (0.3, 0.05, 1e-4):
        n = int(two_point_sample_size(total_variation=distance, epsilon=epsilon, beta=beta))
        if n <= 20_000:
            slack = 1e-12
            assert 1 - 2 * beta <= expected_gap(n, distance, epsilon) + slack
            assert 1 - 2 * beta > expected_gap(n - 1, distance, epsilon) - slack


def best_private_test(p, q, n, epsilon):
    """The least sum of the two errors of any ε-DP test of n records 0 or 1: a linear programme over the number of ones
    (averaging a test over all orders of the records keeps privacy and errors)."""
    k = np.arange(n + 1)
    under_p, under_q = binom.pmf(k, n, p), binom.pmf(k, n, q)
    rows, sides = [], []
    for i, j in [(i, i + 1) for i in range(n)] + [(i + 1, i) for i in range(n)]:
        yes, no = np.zeros(n + 1), np.zeros(n + 1)
        yes[i], yes[j] = 1, -np.exp(epsilon)  # f(i) ≤ e^ε f(j)
        no[j], no[i] = np.exp(epsilon), -1  # 1 - f(i) ≤ e^ε (1 - f(j))
        rows += [yes, no]
        sides += [0, np.expm1(epsilon)]
    return 1 + linprog(under_p - under_q, A_ub=rows, b_ub=sides, bounds=(0, 1)).fun


@pytest.mark.parametrize("p, q", [(0.0, 0.3), (0.3, 0.5), (0.1, 0.9), (0.0, 1.0)])
def test_no_private_test_beats_the_bound(p, q):
    closest = np.inf
    for epsilon, n in product((0.1, 0.5, 2.0), (1, 2, 7, 30)):
        room = best_private_test(p, q, n, epsilon) - (1 - expected_gap(n, q - p, epsilon))
        closest = min(closest, room)
        assert room > -1e-8
    if (p, q) in [(0.0, 0.3), (0.0, 1.0)]:  # where P is a point mass, or the data are constant, some test attains it
        assert closest < 1e-8


def test_two_point_edges():
    assert two_point_sample_size(total_variation=0.5, epsilon=1, beta=[0.5, 0.9]).tolist() == [0, 0]
    assert two_point_sample_size(total_variation=1, epsilon=1000.0, beta=0.05) == 1
    assert two_point_sample_size(total_variation=[[0.1], [0.2]], epsilon=[1, 2, 3], beta=0.05).shape == (2, 3)
    assert abs(two_point_sample_size(total_variation=1e-5, epsilon=1e-5, beta=0.05) / (2 * np.log(10) * 1e10) - 1) < 1e-4
    with pytest.raises(ValueError, match="epsilon"):
        two_point_sample_size(total_variation=1e-10, epsilon=1e-10, beta=0.05)


def test_mean_lower_bound_is_the_largest_of_three():
    settings = list(product((0.02, 0.3, 1.0), (0.01, 0.2), (0.01, 1.0, 20.0), (0.5, 1.0, 10.0, 1e9)))
    accuracy, beta, epsilon, radius = np.transpose(settings)
    bound = mean_sample_size_lower_bound(accuracy=accuracy, beta=beta, epsilon=epsilon, radius=radius)
    for (a, b, e, r), n in zip(settings, bound):
        three = [
            int(np.ceil((ndtri(1 - b) / a) ** 2)),
            two_point_sample_size(total_variation=2 * ndtr(a) - 1, epsilon=e, beta=b),
            packing_sample_size(hypotheses=np.floor(r / a) + 1, epsilon=e, delta=0, beta=b),
        ]
        assert n == (max(three) if r >= a else 0)
    most = {"beta": 0.49, "epsilon": 1e-5}  # where the packing decides: 2, 3, 3 and 4 means fit
    packed = mean_sample_size_lower_bound(accuracy=1, radius=[1.9, 2, 2.9, 3], **most)
    assert np.array_equal(packed[1:], packing_sample_size(hypotheses=[3, 3, 4], delta=0, **most)) and packed[0] < packed[1]
    assert mean_sample_size_lower_bound(accuracy=0.5, beta=0.05, epsilon=50.0, radius=1) == 11  # what nobody can avoid
    assert mean_sample_size_lower_bound(accuracy=0.5, beta=0.7, epsilon=1.0, radius=1) == 0  # no answer needs no data
    for name, value in [("accuracy", 1e-200), ("radius", 1e308)]:
        with pytest.raises(ValueError, match=name + "|accuracy"):
            mean_sample_size_lower_bound(**{"accuracy": 0.1, "beta": 0.05, "epsilon": 1, "radius": 1, name: value})


# --------------------------------------------------------------------------------------------------------------- tests


def test_sign_test_golden():
    """The least n with error .05: here is the one before it, too."""
    sizes = np.array([6600, 2280, 2015, 486, 609, 128, 23])
    assert np.all(sign_test_error(size=sizes, shift=SHIFTS, epsilon=EPSILONS) <= 0.05)
    assert np.all(sign_test_error(size=sizes - 1, shift=SHIFTS, epsilon=EPSILONS) > 0.05)
    lower = two_point_sample_size(total_variation=2 * ndtr(SHIFTS / 2) - 1, epsilon=EPSILONS, beta=0.05)
    assert np.all(sizes > lower)


def vote_error(n, shift, epsilon):
    """The same sum over all n + 1 numbers of votes, with 50 digits."""
    with mpmath.workdps(50):
        p, total = mpmath.ncdf(-mpmath.mpf(shift) / 2), mpmath.mpf(0)
        for k in range(n + 1):
            half = mpmath.exp(-mpmath.mpf(epsilon) * abs(2 * k - n) / 2) / 2
            total += mpmath.binomial(n, k) * p**k * (1 - p) ** (n - k) * (half if 2 * k < n else 1 - half)
        return total


@pytest.mark.parametrize("shift", [1e-6, 0.3, 1.0, 4.0, 30.0])
@pytest.mark.parametrize("epsilon", [1e-4, 0.1, 1.0, 20.0])
def test_sign_test_error_is_the_full_sum(shift, epsilon):
    for n in (1, 2, 3, 10, 101, 1500):
        error = sign_test_error(size=n, shift=shift, epsilon=epsilon)
        assert error == pytest.approx(float(vote_error(n, shift, epsilon)), rel=1e-11, abs=1e-300)


def test_sign_test_error_of_many_records():
    """Where the sum is cut, and beyond: e^(n log ρ)/2 with ρ = cosh(ε/2) - a sinh(ε/2), if ties do not matter."""
    n, shift, epsilon = np.array([10**5, 10**7]), 0.2, 0.001
    a = 2 * ndtr(shift / 2) - 1
    leading = np.exp(n * np.log(np.cosh(epsilon / 2) - a * np.sinh(epsilon / 2))) / 2
    np.testing.assert_allclose(sign_test_error(size=n, shift=shift, epsilon=epsilon), leading, rtol=1e-6)
    assert sign_test_error(size=2**31, shift=1.0, epsilon=1.0) == 0
    assert abs(sign_test_error(size=2**31, shift=1e-9, epsilon=1e-9) - 0.5) < 5e-6  # rounding of 1e-16 n ln n
    assert sign_test_error(size=[[1], [2]], shift=[1, 2, 3], epsilon=1).shape == (2, 3)


@pytest.mark.parametrize("mean, says", [(0, True), (1, False)])
def test_both_tests_err_as_often_as_they_say(mean, says):
    """200,000 runs of each; the clamped test against an integral over the only record."""
    runs, epsilon = 200_000, 0.5
    x = rng(2).normal(mean, size=(runs, 9))
    wrong = np.mean(sign_test(x, shift=1, epsilon=epsilon, runs=True, rng=rng(3)) == says)
    error = sign_test_error(size=9, shift=1, epsilon=epsilon)
    assert abs(wrong - error) < FAR * np.sqrt(error * (1 - error) / runs)
    grid = np.linspace(-12, 12, 400_001)
    for clamp in (0.1, 0.7, 5.0):
        s = np.clip(grid - 0.5, -clamp, clamp) / (2 * clamp)
        chance = np.where(s < 0, np.exp(epsilon * s) / 2, 1 - np.exp(-epsilon * s) / 2)
        error = np.trapezoid(chance * np.exp(-(grid**2) / 2), grid) / np.sqrt(2 * np.pi)
        wrong = np.mean(clamped_likelihood_test(x[:, :1], shift=1, clamp=clamp, epsilon=epsilon, runs=True, rng=rng(4)) == says)
        assert abs(wrong - error) < FAR * np.sqrt(error * (1 - error) / runs)


def test_clamped_test_between_sign_and_likelihood():
    """A tiny clamp counts signs; a huge one adds up the likelihood ratio, with noise in proportion. Same seed, same
    noise."""
    x = rng(5).normal(0.5, size=(2000, 30))
    signs = sign_test(x, shift=1, epsilon=0.3, runs=True, rng=rng(6))
    assert np.array_equal(clamped_likelihood_test(x, shift=1, clamp=1e-9, epsilon=0.3, runs=True, rng=rng(6)), signs)
    noise = laplace(np.zeros((2000, 1)), sensitivity=2 * 50, epsilon=0.3, rng=rng(7))[:, 0]
    plain = (2 * x - 2).sum(axis=-1) + noise > 0  # shift 2: ℓ = 2 (x - 1)
    assert np.array_equal(clamped_likelihood_test(x, shift=2, clamp=50, epsilon=0.3, runs=True, rng=rng(7)), plain)


def test_clamped_test_golden():
    """Errors at fixed n by the clamp: a large one is bad. 20,000 runs."""
    small, medium = {0.1: 0.028, 0.3: 0.034, 0.9: 0.12}, {0.3: 0.023, 0.5: 0.025, 1.0: 0.058}
    for shift, epsilon, n, golden in [(0.3, 0.1, 600, small), (0.3, 0.5, 250, medium)]:
        x = rng(8).normal(size=(20_000, n)).astype(np.float32)
        for clamp, error in golden.items():
            wrong = np.mean(clamped_likelihood_test(x, shift=shift, clamp=clamp, epsilon=epsilon, runs=True, rng=rng(9)))
            assert abs(wrong - error) < 0.001 + FAR * np.sqrt(error / 20_000)


@pytest.mark.parametrize("test", [sign_test, lambda x, **kw: clamped_likelihood_test(x, clamp=0.8, **kw)])
def test_a_record_moves_the_vote_by_the_sensitivity_at_most(test, monkeypatch):
    """Read the vote itself: replace the noise by a recorder. The scale of the noise is the whole of it, in the units of the vote."""
    votes = []
    monkeypatch.setattr(_grid.Noise, "added_to_whole", lambda noise, counts, rng: votes.append((noise, counts)) or counts)
    records = np.array([-1e308, -3, 0.1, 0.5, 0.6, 1.2, 7, 1e308])
    data = np.array(list(product(records, repeat=3)))
    test(data, shift=1.0, epsilon=1, runs=True, rng=rng())
    noise, vote = votes[0]
    grid = np.reshape(vote, (8, 8, 8))
    moves = [np.ptp(grid, axis=axis).max() for axis in range(3)]
    assert noise.unit == 1 and max(moves) <= noise.scale == pytest.approx(max(moves), rel=1e-9)


@pytest.mark.parametrize("test", [sign_test, lambda x, **kw: clamped_likelihood_test(x, clamp=1.0, **kw)])
def test_shapes_and_types_of_the_tests(test):
    run = {"shift": 1.0, "epsilon": 1.0, "runs": True, "rng": rng()}
    assert np.shape(test([0.3], **run)) == () and isinstance(test([0.3], **run), np.bool_)
    assert test(np.zeros((2, 3, 4)), **run).shape == (2, 3) and test(np.zeros((0, 5)), **run).shape == (0,)
    assert test(np.ones((3, 400), dtype=bool), **run).all() and test(np.full((3, 400), 7, dtype=np.int8), **run).all()
    assert not sign_test(np.full((3, 400), 0.5), **run).any()  # a record in the middle is not above it
    x = np.array([1e308, -1e308, 0.25])
    test(x, **run)
    assert x.tolist() == [1e308, -1e308, 0.25]
    for bad in ([], np.zeros((3, 0)), 1.0, [np.nan], [np.inf], ["a"]):
        with pytest.raises(ValueError, match="x must"):
            test(bad, **run)
    with pytest.raises(TypeError, match="rng"):
        test([1.0], **{**run, "rng": 7})


# ------------------------------------------------------------------------------------------------------------- tracing


def test_tracing_scores_are_inner_products():
    draws = rng(10)
    x, f, p = draws.normal(size=(2, 3, 4, 5)), draws.normal(size=(2, 3, 5)), draws.normal(size=(2, 3, 5))
    for center in (p, p[0, 0], 0.3):
        scores = tracing_scores(x, f, center=center)
        c = np.broadcast_to(center, p.shape)
        for a, b, i in product(range(2), range(3), range(4)):
            naive = sum((x[a, b, i, j] - c[a, b, j]) * (f[a, b, j] - c[a, b, j]) for j in range(5))
            assert scores[a, b, i] == pytest.approx(naive, rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(tracing_scores(x, f[0, 0], center=0), x @ f[0, 0], atol=1e-12)
    assert tracing_scores(np.zeros((0, 5)), f[0, 0], center=0).shape == (0,)
    signs = np.array([[1, -1]], dtype=np.int8)
    assert tracing_scores(signs, [0.5, 0.5], center=[1, 0]).tolist() == [-0.5]


def test_tracing_golden():
    """d = 1000, n = 50: at 5% false alarms 99% are traced, and 30% without centring (the standard deviation over
    populations is 7%). 40 populations."""
    draws = rng(11)
    p = draws.uniform(-1, 1, size=(40, 1000))
    member, stranger = (np.where(draws.random((40, n, 1000)) < (1 + p[:, None]) / 2, 1, -1) for n in (50, 200))
    traced = {}
    for name, center in (("centred", p), ("not", 0.0)):
        alarm = np.quantile(tracing_scores(stranger, member.mean(axis=1), center=center), 0.95, axis=-1)
        traced[name] = np.mean(tracing_scores(member, member.mean(axis=1), center=center) > alarm[:, None])
    assert abs(traced["centred"] - 0.993) < 0.01 and abs(traced["not"] - 0.30) < 6 * 0.07 / np.sqrt(40)


def test_tracing_shapes_are_checked():
    x, good = np.zeros((4, 5)), {"release": np.zeros(5), "center": 0}
    releases, centers = [1.0, np.zeros(4), [np.nan] * 5], [np.zeros(4), "0"]
    for name, bad in [*product(["release"], releases), *product(["center"], centers)]:
        with pytest.raises(ValueError, match=name):
            call = {**good, name: bad}
            tracing_scores(x, call["release"], center=call["center"])
    with pytest.raises(ValueError, match="x must"):
        tracing_scores(np.zeros(5), np.zeros(5), center=0)
    with pytest.raises(ValueError, match="the runs of x, release and center must broadcast"):
        tracing_scores(np.zeros((3, 4, 5)), np.zeros((2, 5)), center=0)


@pytest.mark.parametrize("d, eta, epsilon, delta", [(1, 0.3, 0.01, 0), (1000, 0.1, 1, 1e-6), (10**9, 0.1, 1, 1e-6), (50, 0.5, 3, 0.1)])
def test_tracing_sample_size_is_the_statement(d, eta, epsilon, delta):
    with mpmath.workdps(40):
        d, eta = mpmath.mpf(d), mpmath.mpf(eta)
        alpha = eta * mpmath.sqrt(d)
        scores = 2 * mpmath.sqrt(d / 3) * (mpmath.sqrt(d / 3) - alpha)
        bound = scores / (2 * mpmath.sinh(mpmath.mpf(epsilon) / 2) * alpha + 14 * d * delta / 3)
    ours = tracing_sample_size(columns=int(d), accuracy=float(eta), epsilon=epsilon, delta=delta)
    assert ours == mpmath.ceil(bound) and ours.dtype == np.int64


def test_tracing_sample_size_at_the_ends():
    assert tracing_sample_size(columns=10**6, accuracy=[0.577, 0.578, 7], epsilon=1, delta=0).tolist()[1:] == [0, 0]
    assert tracing_sample_size(columns=5, accuracy=0.1, epsilon=1e300, delta=0) == 0
    assert tracing_sample_size(columns=[[1], [2]], accuracy=0.1, epsilon=[1, 2, 3], delta=0).shape == (2, 3)
    for name, bad in (("columns", 0), ("columns", 1.5), ("accuracy", 0), ("epsilon", -1), ("delta", 1)):
        with pytest.raises(ValueError, match=name):
            tracing_sample_size(**{"columns": 10, "accuracy": 0.1, "epsilon": 1, "delta": 0, name: bad})
    with pytest.raises(ValueError, match="the answer must be finite and at most"):
        tracing_sample_size(columns=10, accuracy=0.1, epsilon=1e-300, delta=0)


def test_bounds_where_floats_end():
    """Subnormal chances, a vast budget, a shift that no vote survives, ranges in which nothing has to be known."""
    assert packing_sample_size(hypotheses=2, epsilon=0.01, delta=0, beta=[1e-307, 1e-309]).tolist() == [141_241, 142_162]
    assert packing_mass(hypotheses=3, epsilon=1e300, delta=0, size=2**53, beta=0.1) == 0
    assert sign_test_error(size=1, shift=1e300, epsilon=1) == pytest.approx(np.exp(-0.5) / 2)
    assert sign_test_error(size=5, shift=1, epsilon=1.7e308) == pytest.approx(binom.sf(2, 5, ndtr(-0.5)))
    blind = mean_sample_size_lower_bound(accuracy=[1, 1e-9, 0.5], beta=0.1, epsilon=[1e-300, 1, 1], radius=[0, 0, 1])
    assert blind.tolist()[:2] == [0, 0] and blind[2] > 0
    assert mean_sample_size_lower_bound(accuracy=1e-17, beta=0.5, epsilon=1, radius=1) > 0


# ----------------------------------------------------------------------------------------------------------- arguments


@pytest.mark.parametrize(
    "call, good",
    [
        (packing_mass, {"epsilon": 1, "size": 3, "beta": 0.1, "delta": 0.1, "hypotheses": 5}),
        (packing_sample_size, {"epsilon": 1, "beta": 0.1, "delta": 0.1, "hypotheses": 5}),
        (two_point_sample_size, {"total_variation": 0.5, "epsilon": 1, "beta": 0.1}),
        (mean_sample_size_lower_bound, {"accuracy": 0.5, "beta": 0.1, "epsilon": 1, "radius": 2}),
        (sign_test_error, {"size": 3, "shift": 1, "epsilon": 1}),
        (lambda **kw: sign_test([1.0], rng=rng(), **kw), {"shift": 1, "epsilon": 1}),
        (lambda **kw: clamped_likelihood_test([1.0], rng=rng(), **kw), {"shift": 1, "clamp": 1, "epsilon": 1}),
    ],
)
def test_bad_arguments_are_named(call, good):
    call(**good)
    for name in good:
        for bad in (-1, np.nan, np.inf, "1", None, 1j):
            if name == "hypotheses" and bad == np.inf:
                continue
            with pytest.raises(ValueError, match=name):
                call(**{**good, name: bad})
    for name in set(good) & {"epsilon", "beta", "total_variation", "accuracy", "shift", "clamp"}:
        with pytest.raises(ValueError, match=name):
            call(**{**good, name: 0})
