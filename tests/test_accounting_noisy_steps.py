"""Accounts of noisy steps: exact where there is a formula, from both sides where there is none."""

import numpy as np
import pytest
from scipy.optimize import brentq

from dplib.accounting import (
    PrivacyLoss, noisy_sgd_epsilon, noisy_sgd_sigma, shuffled_batches_delta, shuffled_batches_epsilon)
from dplib.mechanisms import gaussian_delta, gaussian_sigma
from tests.test_glm_gradients import hockey_stick_of_one_step

GOLDEN = [  # σ, q, T, δ, step; the two sides, of which dp_accounting 0.6.0 gives the upper one
    (4, .01, 10_000, 1e-5, 1e-5, .94377, .94687), (1.1, 256 / 60_000, 14_062, 1e-5, 2e-5, 2.37426, 2.38160),
    (1, .001, 1000, 1e-6, 2e-5, .18347, .18552)]


@pytest.mark.parametrize("sigma, rate, iterations, delta, step, least, most", GOLDEN)
def test_golden_values(sigma, rate, iterations, delta, step, least, most):
    found = noisy_sgd_epsilon(sigma=sigma, rate=rate, iterations=iterations, delta=delta, step=step)
    assert found == pytest.approx((least, most), abs=6e-6)


def one_order(order, rate, sigma, step=1e-5, sensitivity=1):
    return PrivacyLoss.from_subsampled_gaussian(rate=rate, sigma=sigma, sensitivity=sensitivity, order=order, step=step)


@pytest.mark.parametrize("rate", [1e-3, .1, .7, 1])
@pytest.mark.parametrize("sigma", [.4, 1, 5])
def test_one_step_against_its_formula(rate, sigma):
    losses = [one_order(order, rate, sigma, step=5e-4) for order in ("remove", "add")]
    for epsilon in (.001, .05, .5, 2):
        found = max(float(loss.delta(epsilon)) for loss in losses)
        exact = hockey_stick_of_one_step(sigma, rate, epsilon)
        assert exact * (1 - 1e-9) - 1e-16 <= found <= exact * (1 + 1e-3) + 3e-6


def test_the_unit_of_the_gradients_does_not_matter():
    for order in ("remove", "add"):
        one, two = one_order(order, .1, 1, step=1e-3), one_order(order, .1, 300, sensitivity=300, step=1e-3)
        assert np.abs(one.mass - two.mass).max() < 1e-12 and one.lowest == two.lowest


def test_a_batch_of_everybody_is_gaussian_noise():
    for order in ("remove", "add"):
        loss = one_order(order, 1, 3, step=1e-4).compose(9)
        assert float(loss.delta(.7)) == pytest.approx(float(gaussian_delta(sigma=1, sensitivity=1, epsilon=.7)), rel=1e-4)


def test_both_sides_close_in_as_the_grid_gets_finer():
    gaps = []
    for step in (4e-4, 2e-4, 1e-4):
        least, most = noisy_sgd_epsilon(sigma=.8, rate=.01, iterations=100, delta=1e-6, step=step)
        gaps.append(most - least)
    assert 0 < gaps[2] and np.allclose(np.divide(gaps[:2], gaps[1:]), 2, rtol=.05)


@pytest.mark.parametrize("given", [dict(rate=.05, iterations=200, epsilon=1, delta=1e-6), dict(
    rate=1, iterations=7, epsilon=.5, delta=1e-9), dict(
    rate=.5, iterations=1, epsilon=1, delta=.3), dict(rate=.001, iterations=30, epsilon=5, delta=1e-5)])
def test_the_least_noise_spends_all_of_epsilon(given):
    sigma, epsilon = noisy_sgd_sigma(**given), given.pop("epsilon")
    _, most = noisy_sgd_epsilon(**given, sigma=sigma, step=epsilon / 1e4)
    assert .9995 * epsilon < most <= epsilon


def test_the_least_noise_of_the_specified_run():
    assert noisy_sgd_sigma(rate=.05, iterations=200, epsilon=1, delta=1e-6) == pytest.approx(3.19592, abs=2e-5)
    full = noisy_sgd_sigma(rate=1, iterations=100, epsilon=1, delta=1e-6)
    assert full == pytest.approx(10 * float(gaussian_sigma(sensitivity=1, epsilon=1, delta=1e-6)), rel=1e-4)


@pytest.mark.parametrize("sigma, epsilon", [(.4, 14.4508), (.6, 8.8334), (.8, 6.0446), (1, 3.7239), (1.5, .60130), (2, .110374)])
def test_golden_values_of_a_shuffled_pass(sigma, epsilon):
    found = brentq(lambda e: np.log(shuffled_batches_delta(sigma=sigma, batches=1000, epsilon=e) / 1e-6), 0, 20)
    assert found == pytest.approx(epsilon, rel=2e-5)
    assert 0 <= found - shuffled_batches_epsilon(sigma=sigma, batches=1000, passes=1, delta=1e-6) < 1e-3


def test_a_batch_of_all_is_gaussian_noise_here_too():
    epsilon = np.array([0, .5, 3])
    found = shuffled_batches_delta(sigma=1.3, batches=1, epsilon=epsilon)
    assert found == pytest.approx(gaussian_delta(sigma=1.3, sensitivity=1, epsilon=epsilon), rel=1e-6)
    assert isinstance(shuffled_batches_delta(sigma=1.3, batches=1, epsilon=1), float)


def test_several_passes_of_one_batch_are_gaussian_too():
    exact = brentq(lambda e: gaussian_delta(sigma=2 / 3, sensitivity=1, epsilon=e) - 1e-6, 0, 30)
    found = shuffled_batches_epsilon(sigma=2, batches=1, passes=9, delta=1e-6, step=1e-4)
    assert exact - 4e-3 < found < exact


WRONG = [dict(sigma=0), dict(sigma=np.nan), dict(rate=0), dict(rate=2), dict(iterations=0), dict(iterations=1.5), dict(delta=0),
         dict(delta=1), dict(step=0), dict(step=1e-12)]


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_what_cannot_be_meant_is_refused(wrong):
    given = dict(rate=.1, sigma=1, iterations=5, delta=1e-6) | wrong
    with pytest.raises(ValueError, match=next(iter(wrong))):
        noisy_sgd_epsilon(**given)


def test_so_are_wrong_numbers_of_batches_and_orders():
    for wrong in (dict(batches=0), dict(passes=0), dict(sigma=-1), dict(delta=2)):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            shuffled_batches_epsilon(**dict(sigma=1, batches=10, passes=2, delta=1e-6) | wrong)
    with pytest.raises(ValueError, match="order must be one of 'remove', 'add'"):
        one_order("replace", .1, 1)
    with pytest.raises(ValueError, match="epsilon"):
        noisy_sgd_sigma(rate=.1, iterations=3, epsilon=701, delta=.1)


def test_where_hardly_anybody_is_drawn_any_noise_is_enough_and_this_is_said():
    """At δ of the probability of being drawn at all the search for the least noise would never end."""
    for rate, iterations, delta in ((1e-9, 10, 1e-6), (.001, 1, .01), (.5, 1, .5)):
        with pytest.raises(ValueError, match="delta must be below .*, the probability of being in any batch"):
            noisy_sgd_sigma(rate=rate, iterations=iterations, epsilon=1, delta=delta)
    assert noisy_sgd_sigma(rate=.001, iterations=1, epsilon=1, delta=.0009) > 0


def test_losses_that_are_rare_and_large_need_no_large_grid():
    """Chernoff's bound with exponents that are made for a bell took 10^9 points."""
    for order in ("remove", "add"):
        assert one_order(order, 1e-4, .7, step=1e-4).compose(10_000).mass.size < 2e6


def test_extremes_have_an_answer_and_no_warning():
    assert noisy_sgd_epsilon(rate=.001, sigma=5, iterations=1, delta=.001) == (0, 0)
    least, most = noisy_sgd_epsilon(rate=1e-6, sigma=2, iterations=10**6, delta=1e-8)
    assert least == 0 and most < .02
    assert noisy_sgd_epsilon(rate=.5, sigma=1e6, iterations=1, delta=1e-6) == (0, 0)
    assert shuffled_batches_epsilon(sigma=50, batches=10**6, passes=1, delta=.5) == 0
