"""The judge is right: formulas agree with enumeration, boxes break, honest twins do not, the noise check has power."""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest


def laws(assignment, variant, planted):
    box = assignment.make_box(variant, planted)
    pmf = {
        x: {y: Fraction(p) for y, p in box["pmf"][assignment.text(x)].items()}
        for x in product(box["records"], repeat=box["n"])
    }
    return pmf, Fraction(box["ratio"]), Fraction(box["delta"])


def largest_gap(pmf, ratio):
    """max over neighbours and events of Pr[M(x) in S] - ratio Pr[M(x') in S], exactly."""
    return max(
        sum(max(p - ratio * pmf[y].get(s, 0), 0) for s, p in pmf[x].items())
        for x in pmf
        for y in pmf
        if sum(a != b for a, b in zip(x, y)) == 1
    )


def test_every_planted_box_is_refutable_and_its_honest_twin_is_not(assignment):
    variants = range(len(assignment.MECHANISMS) * len(assignment.LEVELS))
    assert len(variants) == 84
    for variant in variants:
        planted, ratio, delta = laws(assignment, variant, True)
        honest, *_ = laws(assignment, variant, False)
        for pmf in (planted, honest):
            assert all(sum(law.values()) == 1 and min(law.values()) >= 0 for law in pmf.values())
        assert largest_gap(planted, ratio) > delta + Fraction(1, 50)  # by far, not by a rounding error
        assert largest_gap(honest, ratio) <= delta


def test_boxes_differ_and_every_mistake_is_handed_out(assignment):
    students = [f"student{i}@example.edu" for i in range(1000)]
    variants = [assignment.variant_of(s) for s in students]
    assert len({str(assignment.make_box(v)) for v in range(84)}) == 84 == len(set(variants))
    assert assignment.variant_of(" Ada@Example.edu") == assignment.variant_of("ada@example.edu")
    assert max(np.bincount(variants)) < 40  # 12 expected


@pytest.mark.parametrize("variant", range(5, 84, 12))
def test_the_judge_of_boxes_takes_the_worst_event_and_refuses_its_complement(assignment, variant):
    student = next(s for s in (f"{i}@example.edu" for i in range(10_000)) if assignment.variant_of(s) == variant)
    pmf, ratio, delta = laws(assignment, variant, True)
    x, y = max(
        ((x, y) for x in pmf for y in pmf if sum(a != b for a, b in zip(x, y)) == 1),
        key=lambda pair: sum(max(p - ratio * pmf[pair[1]].get(s, 0), 0) for s, p in pmf[pair[0]].items()),
    )
    outputs = {tuple(map(int, s.split(","))) for law in pmf.values() for s in law}
    event = [s for s in outputs if pmf[x].get(assignment.text(s), 0) > ratio * pmf[y].get(assignment.text(s), 0)]
    rest = [s for s in outputs if s not in event]
    judges = [c.judge for c in assignment.checks if c.question == "q1"]
    for judge in judges:
        judge({"STUDENT": student, "broken": [list(x), list(y), [list(s) for s in event]]}, student)
    with pytest.raises(assignment.Wrong, match="the promise holds"):
        judges[-1]({"STUDENT": student, "broken": [list(x), list(y), [list(s) for s in rest]]}, student)


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
