"""accounting: closed forms against brute force at high precision, and an established accountant as an oracle."""

from math import comb

import mpmath
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as oracle

from dplib.accounting import (
    PrivacyLoss,
    amplify_by_subsampling,
    binary_test_bound,
    blackwell_map,
    central_limit,
    compose_advanced,
    compose_basic,
    compose_optimal,
    composition,
    gaussian_trade_off,
    group_privacy,
    largest_gap,
    promise_trade_off,
    pure_zcdp,
    trade_off,
    zcdp_epsilon,
    zcdp_rho,
)
from dplib.audit import hockey_stick
from dplib.mechanisms import gaussian_delta

# --------------------------------------------------------------------------------------------------------- composition


@pytest.mark.parametrize(
    "epsilon, size, basic, advanced, optimal",
    [
        (0.1, 30, 3.0, 3.0, 2.346),
        (0.1, 100, 10, 5.756, 4.775),
        (0.1, 400, 40, 12.51, 10.92),
        (0.01, 1000, 10, 1.712, 1.366),
    ],
)
def test_composition_golden(epsilon, size, basic, advanced, optimal):
    per_step = {"epsilon": epsilon, "delta": 0, "count": size}
    for (total, delta), golden in [
        (compose_basic(**per_step), basic),
        (compose_advanced(**per_step, slack=1e-6), advanced),
        (compose_optimal(**per_step, slack=1e-6), optimal),
    ]:
        assert abs(total / golden - 1) < 5e-4 and delta <= 1e-6 * (1 + 1e-12)


def exact_composition(total, epsilon, size):
    """Kairouz, Oh and Viswanath's δ(ε'), with 60 digits."""
    epsilon, total = mpmath.mpf(epsilon), mpmath.mpf(total)
    terms = [
        comb(size, l) * (mpmath.exp((size - l) * epsilon) - mpmath.exp(total + l * epsilon)) for l in range(size + 1)
    ]
    return mpmath.fsum(max(term, 0) for term in terms) / (1 + mpmath.exp(epsilon)) ** size


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 5.0])
@pytest.mark.parametrize("size", [1, 2, 7, 60])
@pytest.mark.parametrize("slack", [1e-20, 1e-6, 0.01, 0.3])
def test_optimal_composition_solves_the_formula(epsilon, size, slack):
    """δ(ε') = slack, unless already δ(0) ≤ slack or the solution is flat there."""
    total, delta = compose_optimal(epsilon=epsilon, delta=0, count=size, slack=slack)
    assert abs(delta / slack - 1) < 1e-12 and 0 <= total <= size * epsilon
    with mpmath.workdps(60):
        assert exact_composition(total + 1e-11, epsilon, size) <= slack
        assert total == 0 or exact_composition(total - 1e-11, epsilon, size) >= slack


def test_composition_orders():
    """Optimal ≤ advanced ≤ basic, always."""
    draws = np.random.default_rng(1)
    for _ in range(300):
        steps = {"epsilon": 10 ** draws.uniform(-4, 1), "delta": 0, "count": int(10 ** draws.uniform(0, 4))}
        slack = 10 ** draws.uniform(-12, -1)
        basic, advanced, optimal = (
            compose_basic(**steps)[0],
            compose_advanced(**steps, slack=slack)[0],
            compose_optimal(**steps, slack=slack)[0],
        )
        assert optimal <= advanced * (1 + 1e-12) and advanced <= basic


def test_composition_of_approximate_mechanisms():
    """With δ per step: the pair is attained by randomised response that tells everything with probability δ."""
    epsilon, delta, size = 0.5, 1e-3, 3
    lie = (1 - delta) / (1 + np.exp(epsilon))
    here = np.array([delta, (1 - delta) - lie, lie, 0])
    there = here[[3, 2, 1, 0]]
    p = np.einsum("i,j,k->ijk", here, here, here).ravel()
    q = np.einsum("i,j,k->ijk", there, there, there).ravel()
    for slack in (1e-4, 1e-2, 0.2):
        total, spent = compose_optimal(epsilon=epsilon, delta=delta, count=size, slack=slack)
        assert abs(hockey_stick(p, q, total) - spent) < 1e-14
        assert compose_advanced(epsilon=epsilon, delta=delta, count=1000, slack=slack)[1] < 1000 * delta + slack


def test_composition_edges():
    assert compose_basic(epsilon=1, delta=0.6, count=2) == (2, 1)
    assert compose_basic(epsilon=1, delta=0, count=0) == (0, 0)
    assert compose_optimal(epsilon=1, delta=0, count=0, slack=0.1) == (0, 0.1)
    assert compose_optimal(epsilon=0.3, delta=0, count=7, slack=0) == (7 * 0.3, 0)
    assert compose_optimal(epsilon=0.3, delta=0, count=1, slack=0.9)[0] == 0
    assert compose_optimal(epsilon=800.0, delta=0, count=3, slack=1e-6)[0] == pytest.approx(2400)
    large = compose_advanced(epsilon=1.0, delta=0, count=100, slack=1e-6)[0]
    assert large == pytest.approx(100 * np.tanh(0.5) + 10 * np.sqrt(2 * np.log(1e6)))
    two_kinds = compose_advanced(epsilon=[0.01, 0.02], delta=0, count=[500, 100], slack=1e-6)[0]
    drift = 500 * 0.01 * np.tanh(0.005) + 100 * 0.02 * np.tanh(0.01)
    assert two_kinds == pytest.approx(drift + np.sqrt(2 * np.log(1e6) * (500 * 1e-4 + 100 * 4e-4)))
    # A million tiny losses: by the central limit theorem, nearly Gaussian.
    million = compose_optimal(epsilon=1e-3, delta=0, count=10**6, slack=1e-6)[0]
    assert abs(gaussian_delta(epsilon=million, sigma=1, sensitivity=1) / 1e-6 - 1) < 1e-2


@pytest.mark.parametrize("slack", [1e-12, 1e-6, 0.01, 0.3])
def test_totals_of_different_coins_on_a_grid(slack, monkeypatch):
    """On a grid ε' is never too small, and hardly too large; the bound of advanced composition caps it."""
    epsilon, count = np.linspace(0.07, 0.31, 4), np.array([3, 9, 1, 5])
    exact = compose_optimal(count=count, epsilon=epsilon, delta=1e-4, slack=slack)
    monkeypatch.setattr(composition, "MOST_TOTALS", 400)  # there are 4·10·2·6
    coarse = compose_optimal(count=count, epsilon=epsilon, delta=1e-4, slack=slack)
    step = float(count @ epsilon) / 400
    assert exact[0] <= coarse[0] <= exact[0] + count.sum() * step and coarse[1] == exact[1]
    assert exact[0] < coarse[0] < exact[0] + 0.1 * step * count.sum()
    assert coarse[0] <= compose_advanced(count=count, epsilon=epsilon, delta=1e-4, slack=slack)[0]
    monkeypatch.setattr(composition, "MOST_TOTALS", 479)
    finer = compose_optimal(count=count, epsilon=epsilon, delta=1e-4, slack=slack)
    assert exact[0] <= finer[0]


def test_forty_different_coins():
    """Coins that differ in the eighth digit cost what equal ones do; and the order of the list does not matter."""
    epsilon = 0.1 * (1 + 1e-8 * np.linspace(-1, 1, 40))
    total = compose_optimal(count=1, epsilon=epsilon, delta=0, slack=1e-6)[0]
    equal = compose_optimal(count=40, epsilon=0.1, delta=0, slack=1e-6)[0]
    assert -1e-9 < total - equal < 1e-6
    assert compose_optimal(count=1, epsilon=epsilon[::-1], delta=0, slack=1e-6)[0] == total


def test_a_list_of_one_kind_is_one_number():
    one = compose_optimal(count=30, epsilon=0.1, delta=1e-3, slack=1e-6)
    assert compose_optimal(count=[10, 0, 20], epsilon=[0.1, 3, 0.1], delta=1e-3, slack=1e-6) == one
    assert compose_optimal(count=[2, 1], epsilon=[0.5, 1.0], delta=[0, 0.5], slack=0) == (2, 0.5)
    assert compose_optimal(count=[], epsilon=[], delta=0, slack=0.1) == (0, 0.1)
    assert compose_optimal(count=[2, 1], epsilon=[0.5, 1.0], delta=0, slack=0.9)[0] == 0
    many = compose_optimal(count=[10**6, 10**6], epsilon=[1e-3, 2e-3], delta=0, slack=1e-6)[0]
    bell = gaussian_delta(epsilon=many, sigma=1 / np.sqrt(5), sensitivity=1)  # by the central limit theorem
    assert abs(bell / 1e-6 - 1) < 1e-2


@pytest.mark.parametrize(
    "call, good",
    [
        (compose_basic, {"epsilon": 1, "delta": 0, "count": 2}),
        (compose_advanced, {"epsilon": 1, "delta": 0, "count": 2, "slack": 0.1}),
        (compose_optimal, {"epsilon": 1, "delta": 0, "count": 2, "slack": 0.1}),
        (group_privacy, {"epsilon": 1, "delta": 0, "distance": 2}),
        (largest_gap, {"epsilon": 1, "distance": 2}),
        (binary_test_bound, {"probability": 0.5, "epsilon": 1, "distance": 2}),
        (amplify_by_subsampling, {"epsilon": 1, "delta": 0, "rate": 0.5}),
        (zcdp_epsilon, {"rho": 1, "delta": 0.1}),
        (zcdp_rho, {"epsilon": 1, "delta": 0.1}),
        (PrivacyLoss.from_pure, {"epsilon": 1, "step": 0.1}),
        (PrivacyLoss.from_laplace, {"epsilon": 1, "step": 0.1}),
        (PrivacyLoss.from_gaussian, {"sigma": 1, "sensitivity": 1, "step": 0.1}),
        (PrivacyLoss.from_approximate, {"epsilon": 1, "delta": 0, "step": 0.1}),
        (PrivacyLoss.from_pair, {"p": [1, 0], "p_neighbor": [0.5, 0.5], "step": 0.1}),
        (PrivacyLoss.from_pure(epsilon=1, step=0.1).trade_off, {"false_alarm": 0.5}),
        (trade_off, {"false_alarm": 0.5, "p": [1, 0], "p_neighbor": [0.5, 0.5]}),
        (gaussian_trade_off, {"false_alarm": 0.5, "mu": 1}),
        (promise_trade_off, {"false_alarm": 0.5, "epsilon": 1, "delta": 0}),
        (blackwell_map, {"p": [1, 0], "p_neighbor": [0, 1], "q": [1, 0], "q_neighbor": [0, 1]}),
        (central_limit, {"count": 2, "mean": 1, "variance": 1, "third": 1}),
        (pure_zcdp, {"epsilon": 1}),
    ],
)
def test_bad_arguments_are_named(call, good):
    call(**good)
    for name in good:
        for bad in (-1, np.nan, np.inf, "1", None):
            with pytest.raises(ValueError, match=name):
                call(**{**good, name: bad})


# ---------------------------------------------------------------------------------------------------- groups and tests


def test_group_privacy_is_the_sum():
    for epsilon, delta, distance in [(0.5, 1e-6, 5), (0.01, 1e-3, 100), (3, 1e-30, 12), (1, 1e-5, 1)]:
        total, spent = group_privacy(epsilon=epsilon, delta=delta, distance=distance)
        assert total == distance * epsilon
        assert spent == pytest.approx(sum(delta * np.exp(i * epsilon) for i in range(distance)), rel=1e-12)
    assert group_privacy(epsilon=1, delta=1e-6, distance=10**6) == (1e6, 1)
    assert group_privacy(epsilon=1, delta=0.1, distance=0) == (0, 0)
    assert group_privacy(epsilon=1, delta=0, distance=3) == (3, 0)


def test_binary_test_bound_iterates_one_step():
    v = np.r_[0, 1e-300, np.geomspace(1e-12, 1, 200), 1 - 1e-9]
    for epsilon in (0.01, 0.5, 3.0):
        w = v
        for distance in range(1, 12):
            w = np.minimum(np.exp(epsilon) * w, 1 - np.exp(-epsilon) * (1 - w))
            np.testing.assert_allclose(binary_test_bound(v, epsilon=epsilon, distance=distance), w, rtol=1e-12)
    np.testing.assert_array_equal(binary_test_bound(v, epsilon=1, distance=0).round(12), v.round(12))
    assert binary_test_bound([[0.1], [0.2]], epsilon=1, distance=[1, 2, 3]).shape == (2, 3)
    assert binary_test_bound([0.0, 1e-9, 1.0], epsilon=800.0, distance=10**6).tolist() == [0, 1, 1]


def test_binary_test_bound_is_attained():
    """Randomised response on a chain of data sets: each step of distance is worth exactly one step of T."""
    epsilon = 0.7
    kink = 1 / (1 + np.exp(epsilon))
    assert binary_test_bound(kink, epsilon=epsilon) == pytest.approx(1 - kink, rel=1e-14)


def test_largest_gap_golden():
    gaps = largest_gap(epsilon=0.5, distance=[3, 8])
    assert np.round(gaps, 5).tolist() == [0.54202, 0.86466]
    assert np.round(np.tanh([0.75, 2.0]), 5).tolist() == [0.63515, 0.96403]


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 2.0])
def test_largest_gap_is_the_maximum_over_tests(epsilon):
    v = np.linspace(0, 1, 200_001)
    distances = np.arange(12)
    gaps = largest_gap(epsilon=epsilon, distance=distances)
    for distance in distances:
        found = np.max(binary_test_bound(v, epsilon=epsilon, distance=distance) - v)
        assert found <= gaps[distance] + 1e-12 and found > gaps[distance] - 1e-5 * np.exp(epsilon * distance)
    assert np.all(np.diff(gaps, 2) <= 1e-12)  # concave
    assert np.all(gaps <= np.tanh(epsilon * distances / 2) + 1e-12)
    assert largest_gap(epsilon=800, distance=1) == 1


# ------------------------------------------------------------------------------------------ subsampling and zCDP


def test_subsampling_is_exact_for_randomised_response():
    """One record, sampled with probability q, answers truthfully or not at all: the amplified ε is attained."""
    for epsilon, rate in [(1.0, 0.3), (0.1, 0.01), (4.0, 0.9), (2.0, 1.0)]:
        keep = 1 / (1 + np.exp(-epsilon))
        absent, present = np.array([1 - keep, keep]), np.array([keep, 1 - keep])
        mixture = rate * present + (1 - rate) * absent
        amplified = amplify_by_subsampling(epsilon=epsilon, delta=0, rate=rate)[0]
        assert np.log(mixture[0] / absent[0]) == pytest.approx(amplified, rel=1e-12)
        assert hockey_stick(mixture, absent, amplified) < 1e-15
    assert amplify_by_subsampling(epsilon=1e-12, delta=1e-3, rate=1e-3) == pytest.approx((1e-15, 1e-6))


def test_zcdp_is_safe_for_gaussian_noise_and_better_than_the_simple_form():
    for rho in (1e-4, 0.02, 0.5, 3, 40):
        for delta in (1e-12, 1e-6, 1e-2):
            epsilon = zcdp_epsilon(rho=rho, delta=delta)
            assert 0 <= epsilon < rho + 2 * np.sqrt(rho * np.log(1 / delta))
            exact = gaussian_delta(epsilon=epsilon, sigma=np.sqrt(0.5 / rho), sensitivity=1)
            assert exact <= delta and (epsilon == 0 or exact > delta / 40)
    assert zcdp_epsilon(rho=1e-9, delta=0.9) == 0


def test_rho_is_what_epsilon_allows():
    for epsilon, delta, rho in [
        (1, 1e-6, 0.02435597036), (0.3, 1e-6, 0.002539642523), (3, 1e-6, 0.185069841),
        (1, 1e-9, 0.01497305767)]:
        assert zcdp_rho(epsilon=epsilon, delta=delta) == pytest.approx(rho, rel=3e-9)
    for epsilon in (1e-3, 0.5, 4, 60):
        for delta in (1e-12, 1e-6, 0.1):
            rho = zcdp_rho(epsilon=epsilon, delta=delta)
            assert zcdp_epsilon(rho=rho, delta=delta) == pytest.approx(epsilon, rel=1e-9)


def test_zcdp_is_the_best_order():
    """A grid of a million orders finds nothing better, and the same value."""
    order = 1 + np.geomspace(1e-4, 1e6, 10**6)
    for rho, delta in [(0.01, 1e-6), (1, 1e-9), (10, 0.1)]:
        grid = order * rho + np.log1p(-1 / order) - (np.log(delta) + np.log(order)) / (order - 1)
        assert zcdp_epsilon(rho=rho, delta=delta) == pytest.approx(grid.min(), rel=1e-9)


# ------------------------------------------------------------------------------------------- privacy-loss distributions

EPSILONS = np.r_[0, np.linspace(0.013, 4, 37)]


def laplace_delta(epsilon, mechanism_epsilon):
    return np.maximum(-np.expm1((epsilon - mechanism_epsilon) / 2), 0)


def pure_delta(epsilon, mechanism_epsilon):
    return np.maximum(-np.expm1(epsilon - mechanism_epsilon), 0) / (1 + np.exp(-mechanism_epsilon))


@pytest.mark.parametrize("step", [1e-4, 1e-2, 0.3])
@pytest.mark.parametrize(
    "loss, exact",
    [
        (lambda h: PrivacyLoss.from_laplace(epsilon=1.7, step=h), lambda e: laplace_delta(e, 1.7)),
        (lambda h: PrivacyLoss.from_pure(epsilon=1.7, step=h), lambda e: pure_delta(e, 1.7)),
        (
            lambda h: PrivacyLoss.from_gaussian(sigma=1.3, sensitivity=1, step=h),
            lambda e: gaussian_delta(epsilon=e, sigma=1.3, sensitivity=1),
        ),
    ],
    ids=["laplace", "pure", "gaussian"],
)
def test_one_mechanism_never_promises_too_much(loss, exact, step):
    """Above the truth everywhere, equal to it on the grid (atoms off the grid are not exact next to them)."""
    distribution = loss(step)
    assert abs(distribution.mass.sum() + distribution.infinite - 1) < 1e-12 and distribution.mass.min() >= 0
    gap = distribution.delta(EPSILONS) - exact(EPSILONS)
    assert gap.min() > -1e-13 and gap.max() < step / 2
    grid = step * np.arange(1, int(1.6 / step))
    assert np.max(np.abs(distribution.delta(grid) - exact(grid))) < 1e-12


@pytest.mark.parametrize("sigma, size", [(0.5, 1), (1.0, 3), (10.0, 30), (100.0, 1000)])
def test_gaussian_composition_against_the_closed_form(sigma, size):
    """k Gaussian answers are one, with σ/√k. An upper bound, within a relative 1e-4, and 5e-3 down to δ = 1e-12."""
    composed = PrivacyLoss.from_gaussian(sigma=sigma, sensitivity=1, step=1e-3 if sigma < 5 else 1e-4).compose(size)
    exact = gaussian_delta(epsilon=EPSILONS, sigma=sigma / np.sqrt(size), sensitivity=1)
    assert np.all(composed.delta(EPSILONS) >= exact * (1 - 1e-12))
    for least, excess in [(1e-3, 1e-4), (1e-12, 5e-3)]:
        seen = exact > least
        assert np.all(composed.delta(EPSILONS)[seen] <= exact[seen] * (1 + excess) + 2e-15)


@pytest.mark.parametrize("epsilon, size", [(0.1, 30), (0.1, 400), (1.0, 12)])
def test_pure_composition_against_the_optimal_theorem(epsilon, size):
    """On a grid that contains the losses nothing is rounded, and both computations are exact."""
    composed = PrivacyLoss.from_pure(epsilon=epsilon, step=epsilon).compose(size)
    for slack in (1e-9, 1e-6, 1e-3, 0.1):
        total = compose_optimal(epsilon=epsilon, delta=0, count=size, slack=slack)[0]
        assert composed.epsilon(slack) == pytest.approx(total, abs=1e-4 * epsilon)
        assert composed.delta(total) == pytest.approx(slack, rel=1e-5)
    coarse = PrivacyLoss.from_pure(epsilon=epsilon, step=epsilon / 3.5).compose(size)
    assert np.all(coarse.delta(EPSILONS) >= composed.delta(EPSILONS) - 2e-15)


ORACLES = [  # the last one rounds losses up instead of splitting them: 3e-3 larger
    (
        PrivacyLoss.from_laplace(epsilon=0.5),
        oracle.from_laplace_mechanism(2.0, value_discretization_interval=1e-4),
        1e-6,
    ),
    (
        PrivacyLoss.from_gaussian(sigma=8.0, sensitivity=1.0),
        oracle.from_gaussian_mechanism(8.0, value_discretization_interval=1e-4),
        1e-6,
    ),
    (PrivacyLoss.from_pure(epsilon=0.3), oracle.from_randomized_response(2 / (1 + np.exp(0.3)), 2), 3e-3),
]


@pytest.mark.parametrize("ours, theirs, excess", ORACLES, ids=["laplace", "gaussian", "pure"])
@pytest.mark.parametrize("size", [1, 10, 100])
def test_against_an_established_accountant(ours, theirs, excess, size):
    """The accountant's own pessimistic answers."""
    composed = theirs.self_compose(size) if size > 1 else theirs
    delta, other = ours.compose(size).delta(EPSILONS), np.array(composed.get_delta_for_epsilon(EPSILONS))
    assert np.all(delta <= other * (1 + 1e-6) + 1e-11) and np.all(delta >= other * (1 - excess) - 1e-11)
    for target in (1e-8, 1e-4):
        assert ours.compose(size).epsilon(target) == pytest.approx(composed.get_epsilon_for_delta(target), rel=excess)


def test_different_mechanisms_together():
    """Two ways round, one result; and a mixed composition against the accountant."""
    gauss, laplace = PrivacyLoss.from_gaussian(sigma=8.0, sensitivity=1.0), PrivacyLoss.from_laplace(epsilon=0.5)
    one, two = gauss.compose(5).compose(laplace).delta(EPSILONS), laplace.compose(gauss.compose(5)).delta(EPSILONS)
    np.testing.assert_allclose(one, two, atol=1e-14)
    theirs = (
        oracle.from_gaussian_mechanism(8.0, value_discretization_interval=1e-4)
        .self_compose(5)
        .compose(oracle.from_laplace_mechanism(2.0, value_discretization_interval=1e-4))
        .get_delta_for_epsilon(EPSILONS)
    )
    np.testing.assert_allclose(one, theirs, rtol=1e-6, atol=1e-11)
    step_by_step = laplace.compose(laplace).compose(laplace).delta(EPSILONS)
    np.testing.assert_allclose(step_by_step, laplace.compose(3).delta(EPSILONS), atol=1e-14)


def test_epsilon_inverts_delta():
    for loss in [
        ORACLES[0][0].compose(50),
        ORACLES[1][0].compose(7),
        ORACLES[2][0],
        PrivacyLoss(0.5, 4, np.ones(1), 0.0),
    ]:
        for delta in (1e-9, 1e-6, 1e-3, 0.1):
            epsilon = loss.epsilon(delta)
            assert loss.delta(epsilon) <= delta * (1 + 1e-6)
            assert epsilon == 0 or loss.delta(epsilon * (1 - 1e-9)) >= delta * (1 - 1e-6)


def test_privacy_loss_edges():
    nothing = ORACLES[0][0].compose(0)
    assert nothing.epsilon(1e-9) == 0 and nothing.delta(0.0) == 0
    assert ORACLES[0][0].compose(1) is ORACLES[0][0]
    assert ORACLES[0][0].compose(10).epsilon(1e-16) == np.inf  # below what was cut off
    assert ORACLES[0][0].epsilon(1e-300) == pytest.approx(0.5)
    assert ORACLES[0][0].delta(100.0) == 0 and isinstance(ORACLES[0][0].delta(0.1), float)
    sure = PrivacyLoss(1.0, 2, np.ones(1), 0.0).compose(5)
    assert sure.delta(0.0) == pytest.approx(-np.expm1(-10)) and sure.delta(10.0) < 1e-14
    leaky = PrivacyLoss(1.0, 0, np.array([0.5]), 0.5).compose(4)
    assert leaky.delta(3.0) == pytest.approx(15 / 16) and PrivacyLoss(1.0, 5, np.ones(1), 1e-3).delta(0) <= 1
    with pytest.raises(ValueError, match="step"):
        ORACLES[0][0].compose(PrivacyLoss.from_laplace(epsilon=1, step=0.1))
    for bad in (-1, 2.5, "2", None):
        with pytest.raises(ValueError, match="other"):
            ORACLES[0][0].compose(bad)
    with pytest.raises(ValueError, match="step"):
        PrivacyLoss.from_gaussian(sigma=1e-3, sensitivity=1, step=1e-6)
    for bad in (-1, np.nan, "1"):
        with pytest.raises(ValueError, match="epsilon"):
            nothing.delta(bad)
    for bad in (0, 1, np.nan):
        with pytest.raises(ValueError, match="delta"):
            nothing.epsilon(bad)


# --------------------------------------------------------------------------------------------------- pairs and curves

SHARES = np.r_[0, np.geomspace(1e-12, 0.5, 60), 1 - np.geomspace(1e-3, 0.4, 20)[::-1], 1]


@pytest.mark.parametrize("step", [1e-4, 1e-2, 0.3])
@pytest.mark.parametrize("delta", [0, 1e-6, 0.2])
def test_a_loss_of_an_approximate_promise(step, delta):
    """Its δ is that of the worst pair, on the grid exactly; and composed it is optimal composition."""
    loss = PrivacyLoss.from_approximate(epsilon=1.5, delta=delta, step=step)
    exact = delta + (1 - delta) * pure_delta(EPSILONS, 1.5)
    assert np.all(loss.delta(EPSILONS) >= exact - 1e-13) and np.all(loss.delta(EPSILONS) <= exact + step / 2)
    assert np.all(loss.trade_off(SHARES) <= promise_trade_off(SHARES, epsilon=1.5, delta=delta) + 1e-12)
    on_grid = PrivacyLoss.from_approximate(epsilon=1.5, delta=delta, step=0.5).compose(8)
    for slack in (1e-6, 1e-2):
        total, spent = compose_optimal(count=8, epsilon=1.5, delta=delta, slack=slack)
        assert on_grid.delta(total) == pytest.approx(spent, rel=1e-9)


def test_a_loss_of_one_order_of_a_pair():
    """Each order has the δ and the curve of its own, also where losses are infinite; on a fine grid they are exact."""
    draws = np.random.default_rng(3)
    for _ in range(30):
        p, q = draws.dirichlet(np.full(5, 0.5), 2)
        q[0], p[1] = 0, 0
        p, q = p / p.sum(), q / q.sum()
        for one, other in ((p, q), (q, p)):
            loss = PrivacyLoss.from_pair(p=one, p_neighbor=other, step=1e-3)
            exact = np.array([np.maximum(one - np.exp(e) * other, 0).sum() for e in EPSILONS])
            assert np.all(np.abs(loss.delta(EPSILONS) - exact - 5e-4) <= 5e-4 + 1e-13)
            gap = trade_off(SHARES, p=one, p_neighbor=other) - loss.trade_off(SHARES)
            assert gap.min() > -1e-12 and gap.max() < 1e-3
    told = PrivacyLoss.from_pair(p=[1, 0], p_neighbor=[0, 1])
    assert told.infinite == 1 and told.delta(3.0) == 1 and told.trade_off([0, 0.5]).tolist() == [0, 0]
    nothing = PrivacyLoss.from_pair(p=[0.5, 0.5], p_neighbor=[0.5, 0.5])
    assert nothing.delta(0.0) == 0 and nothing.trade_off([0, 0.25, 1]) == pytest.approx([1, 0.75, 0], abs=1e-12)
    rare = PrivacyLoss.from_pair(p=[1 - 1e-12, 1e-12], p_neighbor=[1e-12, 1 - 1e-12], step=1e-3)
    assert rare.delta(10.0) == pytest.approx(1 - 1e-12 - np.exp(10) * 1e-12, rel=1e-6)


def test_a_coin_of_different_kinds_on_a_grid_against_an_accountant():
    """Both orders of a pair that is not symmetric: the accountant takes what is worse."""
    lower, upper = np.log([0.5, 0.2, 0.3]), np.log([0.7, 0.2, 0.1])
    theirs = oracle.from_two_probability_mass_functions(
        dict(enumerate(lower)), dict(enumerate(upper)), value_discretization_interval=1e-4, symmetric=False).self_compose(50)
    orders = [PrivacyLoss.from_pair(p=np.exp(one), p_neighbor=np.exp(other)).compose(50)
              for one, other in ((lower, upper), (upper, lower))]
    for delta in (1e-8, 1e-4):
        ours = max(order.epsilon(delta) for order in orders)
        assert ours == pytest.approx(theirs.get_epsilon_for_delta(delta), rel=3e-3)


@pytest.mark.parametrize("loss, exact", [
    (PrivacyLoss.from_gaussian(sigma=3.0, sensitivity=1, step=1e-3).compose(9), lambda v: gaussian_trade_off(v, mu=1)),
    (PrivacyLoss.from_pure(epsilon=0.7, step=0.7), lambda v: promise_trade_off(v, epsilon=0.7, delta=0)),
    (PrivacyLoss.from_laplace(epsilon=1.0, step=1e-3),  # three pieces
     lambda v: np.where(v < np.exp(-1) / 2, 1 - np.e * v, np.where(v < 0.5, np.exp(-1) / np.maximum(4 * v, 1e-9), np.exp(-1) * (1 - v)))),
], ids=["gaussian", "pure", "laplace"])
def test_curves_of_a_loss(loss, exact):
    gap = exact(SHARES) - loss.trade_off(SHARES)
    assert gap.min() > -1e-12 and gap.max() < 1e-3
    assert loss.trade_off([[0.1], [0.2]]).shape == (2, 1)


def test_a_curve_where_rounding_hides_small_losses():
    """Two hundred coins: P' is a probability of 10^-87 where P is one; transforms know 16 digits."""
    lies = np.arange(201)
    log_p = np.array([np.log(float(comb(200, int(l)))) for l in lies]) - lies - 200 * np.log1p(np.exp(-1))
    p = np.exp(log_p)
    gap = trade_off(SHARES, p=p, p_neighbor=p[::-1]) - PrivacyLoss.from_pure(epsilon=1.0, step=1.0).compose(200).trade_off(SHARES)
    assert np.all(np.abs(gap) < 1e-13)


def test_trade_off_golden():
    assert trade_off(0.1, p=[0.75, 0.25], p_neighbor=[0.25, 0.75]) == pytest.approx(0.7, abs=1e-15)
    two = np.outer([0.75, 0.25], [0.75, 0.25]).ravel()
    assert trade_off(0.1, p=two, p_neighbor=two[::-1]) == pytest.approx(0.4, abs=1e-15)
    assert gaussian_trade_off([0.05, 0.01], mu=[1, 2]).round(8).tolist() == [0.74048898, 0.62791941]
    assert gaussian_trade_off([0, 1e-300, 1], mu=2).round(12).tolist() == [1, 1, 0]
    assert 1 - gaussian_trade_off(1e-20, mu=9) == pytest.approx(0.3965296284, abs=1e-10)
    assert pure_zcdp(epsilon=[1, 2, 5]).round(6).tolist() == [0.462117, 1.523188, 4.933071]
    worst = PrivacyLoss.from_approximate(epsilon=1, delta=1e-6, step=1).compose
    assert round(worst(10).epsilon(2e-5), 6) == 9.999771 and round(worst(100).epsilon(2e-4), 4) == 75.8588
    assert [round(1 - worst(k).trade_off(0.05), 6) for k in (1, 10)] == [0.135915, 0.919599]


def test_trade_off_corners():
    """Outcomes that nobody produces, ties, and distributions that do not meet."""
    assert trade_off([0, 0.5, 1], p=[0.5, 0, 0.5, 0], p_neighbor=[0.5, 0, 0.5, 0]).tolist() == [1, 0.5, 0]
    assert trade_off([0, 0.3, 1], p=[1, 0], p_neighbor=[0, 1]).tolist() == [0, 0, 0]
    assert trade_off([0, 1], p=[0.3, 0.7, 0], p_neighbor=[0, 0.5, 0.5]) == pytest.approx([0.7, 0])
    assert trade_off([], p=[1], p_neighbor=[1]).shape == (0,)
    for wrong in ([0.5, 0.4], [[0.5, 0.5]], [], [1.0], [np.nan, 1]):
        with pytest.raises(ValueError, match="p_neighbor"):
            trade_off(0.5, p=[0.5, 0.5], p_neighbor=wrong)


def test_blackwell_corners():
    """A map to and from what tells everything and what tells nothing, ties, and one outcome."""
    told, coin, nothing = ([1, 0], [0, 1]), ([0.75, 0.25], [0.25, 0.75]), ([0.5, 0.5], [0.5, 0.5])

    def make(aim, start):
        return blackwell_map(p=aim[0], p_neighbor=aim[1], q=start[0], q_neighbor=start[1])
    for better, worse in ((told, coin), (coin, nothing), (told, nothing)):
        assert make(better, worse) is None
        made = make(worse, better)
        for aim, start in zip(worse, better):
            np.testing.assert_allclose(made @ start, aim, atol=1e-15)
    np.testing.assert_allclose(make(coin, coin), np.eye(2), atol=1e-15)
    np.testing.assert_allclose(make(([1], [1]), coin), [[1, 1]], atol=1e-15)
    np.testing.assert_allclose(make(([0, 1], [0, 1]), coin), [[0, 0], [1, 1]], atol=1e-15)
    unused = make(coin, ([0.75, 0.25, 0], [0.25, 0.75, 0]))
    np.testing.assert_allclose(unused.sum(axis=0), 1)
    fair = np.full(8, 1 / 8)
    np.testing.assert_allclose(make((fair, fair), nothing).sum(axis=0), 1)


def test_a_large_blackwell_map():
    draws = np.random.default_rng(4)
    q, other = draws.dirichlet(np.full(300, 0.3), 2)
    channel = draws.dirichlet(np.full(200, 0.1), 300).T
    made = blackwell_map(p=channel @ q, p_neighbor=channel @ other, q=q, q_neighbor=other)
    assert max(np.abs((made - channel) @ q).max(), np.abs((made - channel) @ other).max()) < 1e-14 and made.min() >= 0


def test_the_limit_of_several_kinds():
    """The sums are of all releases, whatever the kinds are called."""
    kinds = central_limit(count=[3, 5], mean=[0.1, 0.2], variance=[1, 2], third=[2, 3])
    assert kinds == pytest.approx((2 * 1.3 / np.sqrt(13), 0.56 * 21 / 13**1.5))
    assert central_limit(count=8, mean=0.1, variance=1, third=2) == pytest.approx(
        central_limit(count=[3, 5], mean=0.1, variance=1, third=2))
