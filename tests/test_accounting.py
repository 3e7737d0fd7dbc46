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
    compose_advanced,
    compose_basic,
    compose_optimal,
    group_privacy,
    largest_gap,
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
        (1, 1e-6, 0.02435597036), (0.3, 1e-6, 0.002539642523), (3, 1e-6, 0.18506984),
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
