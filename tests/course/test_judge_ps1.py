"""The judge of problem set 1 is right: formulas agree with enumeration, the noise check has power."""

import math
from itertools import combinations, product

import numpy as np
import pytest

import ps1


@pytest.fixture
def problem_set():
    return ps1


def shown_law(count, T, alpha, top):
    """Law of what is shown of a cell: index 0 for nothing, then T, T+1, ..., all above collected in the last."""
    if count == 0:
        return np.eye(1, top + 1)[0]
    above = [
        (alpha ** (t - count) / (1 + alpha) if t > count else 1 - alpha ** (count - t + 1) / (1 + alpha))
        for t in range(T, T + top)
    ]
    return np.array([1 - above[0], *-np.diff(above), above[-1]])


def release_delta(T, epsilon, m, cells, people):
    """Exact delta of the release: every data set, every replacement of one person, every output is enumerated."""
    alpha, top = math.exp(-epsilon / (2 * m)), 6
    worst = 0.0
    for *others, mine, new in product(combinations(range(cells), m), repeat=people + 1):
        outputs = []
        for held in (mine, new):
            law = np.ones(1)
            for cell in range(cells):
                count = sum(cell in labels for labels in (*others, held))
                law = np.outer(law, shown_law(count, T, alpha, top)).ravel()
            outputs.append(law)
        worst = max(worst, np.maximum(outputs[0] - math.exp(epsilon) * outputs[1], 0).sum())
    return worst


@pytest.mark.parametrize("epsilon, m, cells, people", [(1.0, 1, 3, 3), (0.7, 2, 4, 2), (2.0, 2, 4, 2), (1.5, 3, 4, 2)])
def test_delta_of_the_release_is_the_chance_that_a_fresh_cell_is_shown(assignment, epsilon, m, cells, people):
    """The theorem of question 4 against enumeration; m fresh cells need 2m cells, else as many as have room."""
    fresh = min(m, cells - m)
    for T in (1, 2, 3, 5):
        alpha = math.exp(-epsilon / (2 * m))
        bound = assignment.fresh_shown(T, epsilon=epsilon, delta=None, m=m)
        forced = 1 - (1 - alpha ** (T - 1) / (1 + alpha)) ** fresh
        assert forced - 1e-12 <= release_delta(T, epsilon, m, cells, people) <= bound + 1e-12
        assert fresh < m or forced == pytest.approx(bound, rel=1e-9)


def test_enumeration_of_releases_can_fail(assignment):
    """With noise for one label, two labels per person break the promise although no fresh cell is shown too often."""
    half, T = math.exp(-0.7 / 2), 30
    fresh = 1 - (1 - half ** (T - 1) / (1 + half)) ** 2
    changes = [
        np.multiply.outer(shown_law(a, T, half, 6), shown_law(b, T, half, 6)).ravel() for a, b in ((33, 32), (32, 33))
    ]
    x, y = (np.multiply.outer(law, law).ravel() for law in changes)
    assert np.maximum(x - math.exp(0.7) * y, 0).sum() > 0.05 > 100 * fresh


def reply_delta_by_enumeration(epsilon, epsilon0, k, m):
    """Over all pairs of a person's answers and all k^m replies."""
    q = 1 / (math.exp(epsilon0) + k - 1)
    chance = lambda z, answers: math.prod(math.exp(epsilon0) * q if a == b else q for a, b in zip(z, answers))
    every = list(product(range(k), repeat=m))
    return max(
        sum(max(0.0, chance(z, x) - math.exp(epsilon) * chance(z, y)) for z in every) for x in every for y in every
    )


@pytest.mark.parametrize(
    "epsilon, epsilon0, k, m",
    [(0.3, 0.8, 2, 3), (0.5, 0.7, 3, 2), (1.0, 0.6, 3, 3), (0.2, 1.1, 4, 2), (0.4, 0.5, 5, 1), (2.5, 0.5, 3, 3)],
)
def test_delta_of_many_replies_is_the_enumerated_one(assignment, epsilon, epsilon0, k, m):
    exact = reply_delta_by_enumeration(epsilon, epsilon0, k, m)
    assert assignment.reply_delta(epsilon=epsilon, epsilon0=epsilon0, k=k, m=m) == pytest.approx(
        exact, rel=1e-12, abs=1e-15
    )


def test_questions_are_of_the_kind_that_tells_right_from_wrong(assignment):
    for seed in range(30):
        asked = assignment.calls(np.random.default_rng(seed))
        several = asked["several labels"][1]
        assert all(
            0 < a["delta"] <= 0.5 for group in ("one label", "several labels", "tiny delta") for a in asked[group][1]
        )
        assert all(a["delta"] < 1e-16 for a in asked["tiny delta"][1])
        traps = 0
        for a in several:
            T = next(T for T in range(1, 10_000) if assignment.is_safe(T, a))
            p = math.exp(-a["epsilon"] * (T - 1) / (2 * a["m"])) / (1 + math.exp(-a["epsilon"] / (2 * a["m"])))
            assert T > 1 and assignment.is_least(T, a)
            traps += a["m"] * p > a["delta"] * (1 + 1e-6)  # the union bound asks for more
        assert traps >= 3
        assert all(
            a["m"] <= 40 and a["k"] <= 20 and assignment.reply_delta(**a) > 1e-7 for a in asked["many replies"][1]
        )


def test_the_noise_check_has_power_over_every_question_it_can_ask(assignment):
    """A law two chances away fails but for probability 1e-9, by the same inequality; every wrong one here is."""
    grid = np.arange(-90, 91)
    law = lambda alpha: assignment.two_sided_geometric_cdf(grid, alpha)
    assert np.allclose(np.diff(law(0.7)), (1 - 0.7) / (1 + 0.7) * 0.7 ** np.abs(grid[1:]), atol=1e-15)
    need = 2 * assignment.chance(20_000)
    for m in (2, 3):
        for epsilon in np.linspace(0.5, 1.5, 11):
            right = law(math.exp(-epsilon / (2 * m)))
            for wrong in (math.exp(-epsilon / 2), math.exp(-epsilon / m), math.exp(-epsilon / (4 * m))):
                assert np.abs(right - law(wrong)).max() > need
            assert np.abs(right - (grid >= 0)).max() > need  # no noise
    rounded = np.where(
        grid < 0, 0.5 * np.exp((grid + 0.5) * 2), 1 - 0.5 * np.exp(-(grid + 0.5) * 2)
    )  # Laplace of scale 1/2, rounded
    assert np.abs(law(math.exp(-2)) - rounded).max() > need


def test_the_noise_check_accepts_the_right_law(assignment):
    """2,000 right samples stay below .9 of the limit, but for probability 2,000 * 2 (5e-10)^.81 = .0001."""
    rng, alpha, draws = np.random.default_rng(3), math.exp(-0.25), 20_000
    grid = np.arange(-90, 91)
    far = []
    for _ in range(2_000):
        noise = np.sort(rng.geometric(1 - alpha, draws) - rng.geometric(1 - alpha, draws))
        far.append(
            np.abs(
                np.searchsorted(noise, grid, side="right") / draws - assignment.two_sided_geometric_cdf(grid, alpha)
            ).max()
        )
    assert max(far) < 0.9 * assignment.chance(draws)


def test_what_the_model_answer_of_the_prediction_says(assignment):
    """Plan B shows slightly rarer diagnoses; simulated, plan A is more than twice as accurate at 1000 carriers."""

    def threshold(m):
        asked = {"epsilon": 1, "delta": 1e-6, "m": m}
        return next(T for T in range(1, 10_000) if assignment.is_safe(T, asked))

    def noise(m, size):
        stop = -math.expm1(-1 / (2 * m))
        return rng.geometric(stop, size) - rng.geometric(stop, size)

    rng = np.random.default_rng(5)
    assert 20 * threshold(1) < threshold(20) < 1.25 * 20 * threshold(1)
    errors = noise(20, 100_000), 20 * (rng.binomial(1000, 1 / 20, 100_000) + noise(1, 100_000)) - 1000
    assert 2 * errors[0].std() < errors[1].std() < 3 * errors[0].std()
