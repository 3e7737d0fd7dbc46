"""The page of all prices agrees with the pages and the functions that its numbers come from."""

import numpy as np
import pytest
from scipy.special import ndtri

from dplib.aggregation import vote_error
from dplib.factorization import central_variance, release_local_error_bound
from dplib.friendly import friendly_plan, friendly_radius
from dplib.glm import LOGISTIC, Box, plan_coefficient
from dplib.learning import agnostic_sample_size, pac_sample_size
from dplib.mean import clipped_mean_error_bound, mean_interval, unbounded_mean_error_bound
from dplib.parity import local_parity_success, parity_success_probability
from tests.chance import rng
from tests.test_pages import run, text

EPSILONS = (.3, 1, 3)
PAGE = run("prices", "import Explorer")
AT = {name: k for k, name in enumerate(PAGE["NAMES"])}


def price(name, epsilon):
    return int(PAGE["PRICES"][epsilon][AT[name]])


def whispered(name, epsilon):
    return int(PAGE["WHISPERED"][epsilon][AT[name]])


def free(name):
    return int(PAGE["FREE"][AT[name]])


each_budget = pytest.mark.parametrize("epsilon", EPSILONS)


@each_budget
def test_an_average_is_that_of_the_local_model(epsilon):
    page = run("local-model", "import numpy", "def open_people")
    assert price("average", epsilon) == page["curated_people"](.05, .95, epsilon)
    assert whispered("average", epsilon) == np.ceil(page["uncurated_people"](.05, .95, epsilon))
    assert free("average") == np.ceil(page["open_people"](.05, .95))


@each_budget
@pytest.mark.parametrize("name, bound", [
    ("mean in ±10", lambda n, e: clipped_mean_error_bound(size=n, radius=10, epsilon=e)),
    ("mean anywhere", lambda n, e: unbounded_mean_error_bound(size=n, epsilon=e, delta=1e-6))])
def test_a_mean_is_promised_by_the_bound_of_its_page_and_not_for_one_less(name, bound, epsilon):
    n = price(name, epsilon)
    assert bound(n, epsilon) <= .1 < bound(n - 1, epsilon)


@each_budget
def test_an_interval_is_as_wide_as_the_one_that_is_released(epsilon):
    low, high = mean_interval(np.zeros(price("interval", epsilon)), radius=100, epsilon=epsilon, rng=rng(1))
    assert (high - low) / 2 == pytest.approx(.1, rel=.005)


@each_budget
def test_sampling_alone_needs_what_a_normal_quantile_says(epsilon):
    for name in ("mean in ±10", "mean anywhere", "interval", "ten means"):
        assert free(name) == 385 <= price(name, epsilon)


@each_budget
def test_ten_means_are_within_their_plan(epsilon):
    def off(n):
        plan = friendly_plan(size=n, radius=float(friendly_radius(size=n, dimension=10)), epsilon=epsilon, delta=1e-6, beta=.01)
        return ndtri(.98) * np.sqrt(1 / n + plan.sigma**2)
    n = price("ten means", epsilon)
    assert off(n) <= .1 < off(n - 1)


@each_budget
def test_cells_are_within_sampling_and_noise(epsilon):
    n = price("1,000 cells", epsilon)
    sampling = lambda n: np.sqrt(np.log(2 * 1000 / .025) / 2 / n)
    noise = lambda n: -2 / epsilon * np.log(1 - .975 ** (1 / 1000)) / n
    assert sampling(n) + noise(n) <= .05 < sampling(n - 1) + noise(n - 1)


@each_budget
def test_rules_are_those_of_private_learning(epsilon):
    given = dict(accuracy=.1, epsilon=epsilon, neighbor="replace", beta=.05)
    assert price("cut-off", epsilon) == pac_sample_size(hypotheses=2**20 + 1, **given)
    assert price("best rule", epsilon) == agnostic_sample_size(hypotheses=1025, **given)
    assert 2 * .9 ** free("cut-off") <= .05 < 2 * .9 ** (free("cut-off") - 1)
    n = free("best rule")
    assert 2 * 1025 * np.exp(-n * .1**2 / 2) <= .05 < 2 * 1025 * np.exp(-(n - 1) * .1**2 / 2)


@each_budget
def test_thresholds_are_those_of_the_factorization(epsilon):
    root, n = PAGE["ROOT"], whispered("64 thresholds", epsilon)
    local = lambda n: release_local_error_bound(root, size=n, epsilon=epsilon, beta=.05)
    assert local(n) <= .05 < local(n - 1)
    n = price("64 thresholds", epsilon)
    worst = np.sqrt(central_variance(root, epsilon=epsilon, delta=1e-6, neighbor="replace").max()) * ndtri(1 - .025 / 2 / 64)
    sampling = lambda n: np.sqrt(np.log(2 / .025) / 2 / n)
    assert sampling(n) + worst / n <= .05 * (1 + 1e-6) and sampling(n - 1) + worst / (n - 1) > .05 * (1 - 1e-6)
    assert 2 * np.exp(-2 * free("64 thresholds") * .05**2) <= .05


@each_budget
def test_parities_are_those_of_their_page(epsilon):
    n = price("parity", epsilon)
    right = lambda n: max(parity_success_probability(size=n, dimension=12, epsilon=epsilon, neighbor="replace", blocks=blocks)
                          for blocks in range(1, 5))
    assert right(n) >= .95 > right(n - 1)
    n = whispered("parity", epsilon)
    right = lambda n: local_parity_success(size=n, dimension=12, epsilon=epsilon)
    assert right(n) >= .95 > right(n - 1)
    draws = rng(12).integers(0, 2, (4000, free("parity"), 12))
    assert .945 < np.mean([full_rank(rows) for rows in draws]) and free("parity") == 17


def full_rank(rows):
    """Do these rows of bits determine a parity?"""
    numbers, rank = [int("".join(map(str, row)), 2) for row in rows], 0
    while any(numbers):
        pivot = max(numbers)
        top, rank = pivot.bit_length(), rank + 1
        numbers = [number ^ pivot if number.bit_length() == top else number for number in numbers]
    return rank == rows.shape[1]


@each_budget
def test_a_program_is_asked_in_as_many_blocks_as_a_vote_needs(epsilon):
    wrong = lambda people: float(vote_error(.9, epsilon=epsilon, noise="discrete_laplace", blocks=people // 100))
    n = price("any program", epsilon)
    assert wrong(n) <= .05 < (wrong(n - 200) if n > 100 else 1)


@each_budget
def test_an_effect_is_planned_as_on_the_page_of_methods(epsilon):
    def half(n):
        return plan_coefficient(move=([0, 40], [1, 40]), size=n, domain=Box([(0, 1), (18, 65)], binary=[0]), loss=LOGISTIC, shares={0: .5},
                                moments={1: (41.5, 184)}, curvature=.24, epsilon=epsilon, delta=1e-6, rows_per_unit=1)
    n = price("effect", epsilon)
    assert half(n).half_width <= .1 < half(n - 1).half_width and half(n).probability > .95
    assert 1.96 * half(free("effect")).standard_error == pytest.approx(.1, rel=1e-4)


def test_privacy_never_takes_fewer_people_and_a_smaller_epsilon_more():
    prices = np.array([PAGE["PRICES"][epsilon] for epsilon in PAGE["BUDGETS"]])
    assert np.all(prices >= PAGE["FREE"]) and np.all(np.diff(prices, axis=0) <= 0)
    for name in AT:
        assert f"**{name}**" in text("prices")


def test_the_openings_of_the_parts_say_these_prices():
    assert f"needs {price('any program', 1)} people" in text("part-aggregation")
    assert round(price("effect", 1), -2) == 7600 and round(free("effect"), -2) == 6400 and "7,600 people" in text("part-model")
    assert "about a thousand people instead of 385" in text("part-estimation") and 900 < price("mean anywhere", 1) < 1150
    assert price("parity", 1) < 110 and whispered("parity", 1) > 5e5 and "half a million" in text("part-learning")
    assert 395 < PAGE["whispered_average"](.1) / PAGE["sampled"](.05) < 405 and "400 times" in text("part-learning")
    assert "about 400 times as many people as without privacy, and with a curator 1.4 times" in text("the-hour")
    assert round(price_at_a_tenth() / free("average"), 1) == 1.4


def price_at_a_tenth():
    return PAGE["PRICES"][.1][AT["average"]]
