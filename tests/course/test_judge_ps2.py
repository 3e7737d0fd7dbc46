"""The judge of problem set 2 is right: formulas agree with enumeration, the noise check has power."""

import math
from fractions import Fraction
from functools import cache
from itertools import product

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import linprog
from scipy.stats import binom

import grading
import ps2
from submissions import STUDENT
from enumerated import at_most
from test_copies import COPIES, Asked, functions


@pytest.fixture
def problem_set():
    return ps2


# --- the signs that the marker is told -------------------------------------------------------------------------------
def test_signs_of_the_mistakes(assignment):
    """What the rubric says about each planted table, at every level."""
    for box, s, _ in assignment.boxes.variants:
        e, pmf = s**4, {x: box.law(x, s, True) for x in product(box.records, repeat=box.n)}
        likeliest = lambda *x: max(pmf[x], key=pmf[x].get)
        match box.law.__name__:
            case "own_bounds":
                assert all(pmf[x] == {(sum(x),): 1} for x in pmf if len(set(x)) == 1)
            case "one_sided":
                ratios = {
                    (x, y): max(pmf[x][o] / pmf[y][o] for o in pmf[x])
                    for x in pmf
                    for y in pmf
                    if sum(a != b for a, b in zip(x, y)) == 1
                }
                assert max(ratios.values()) == e**2
                assert all(abs(sum(x) - sum(y)) == 2 for (x, y), ratio in ratios.items() if ratio == e**2)
            case "median":
                assert pmf[0, 0, 0][0,] / pmf[0, 0, 0][1,] == e**3
            case "left_out":
                assert likeliest(1, 2, 2) == (6,) and likeliest(0, 2, 2) == (0,)
            case "most_frequent":
                named = {x: {y for (y,), p in pmf[x].items() if p} for x in pmf}
                assert all(named[x] == set(x) for x in pmf)
                assert min(pmf[x][c,] for x in pmf for c in x if x.count(c) == 1) > 5 * box.delta
            case "two_stages":
                cell = lambda k, *x: sum(p for (c, _), p in pmf[x].items() if c == k)
                odds = lambda *x: cell(0, *x) / cell(1, *x)
                assert odds(0, 0, 2) / odds(0, 2, 2) == e  # a replacement moves both counts
                assert pmf[0, 0, 0][0, 1] / pmf[0, 0, 0][0, 2] == e
            case "refusal":
                assert {p for x in pmf for y, p in pmf[x].items() if y == (-1,)} == {0, 1}
            case "own_centre":
                assert pmf[0, 0, 1] == pmf[0, 0, 2] and pmf[0, 0, 2][0,] / pmf[0, 2, 2][0,] == e**2
            case other:
                raise AssertionError(f"nothing is known about {other}")


# --- question 2 ------------------------------------------------------------------------------------------------------
def test_the_choice_of_a_cell_is_private_and_no_larger_weights_are(assignment):
    """All small data sets on three cells, and one record more; the odds reach e^epsilon when one cell is rare."""

    def worst(factor):
        loss = 0.0
        for counts in product(range(4), repeat=4):
            law = lambda counts: assignment.center_law(
                x=[k - 1.5 for k, c in enumerate(counts) for _ in range(c)], radius=2, epsilon=0.7 * factor
            )
            for cell in range(4):
                more = [c + (k == cell) for k, c in enumerate(counts)]
                loss = max(loss, np.abs(np.log(law(more) / law(counts))).max())
        return loss

    assert 0.9 * 0.7 < worst(1) <= 0.7
    assert worst(1.2) > 0.7


def test_chances_of_cells_by_the_definition(assignment):
    x, epsilon = [-2.0, -1.01, -0.5, 0.0, 0.99, 0.5, 1.999, 2.0, -2.01, 50.0], 0.9
    assert assignment.cell_counts(x, 2).tolist() == [2, 1, 3, 1]
    weights = np.exp(epsilon * np.array([2, 1, 3, 1]))
    assert assignment.center_law(x=x, radius=2, epsilon=epsilon) == pytest.approx(weights / weights.sum(), rel=1e-12)


def test_one_record_changes_the_two_numbers_by_one_in_total():
    """So Laplace noise of scale 1/epsilon in both hides it. Sum and count by themselves change by up to 2."""
    y = np.linspace(-1, 1, 2001)
    assert np.allclose(np.abs((1 + y) / 2) + np.abs((1 - y) / 2), 1, atol=1e-15)
    assert (np.abs(y) + 1).max() == 2


def test_laws_of_the_noise(assignment):
    density = lambda t: math.exp(-abs(t)) / 2
    for t in (-7, -2.5, -0.3, 0, 0.01, 1, 4, 9):
        integral = sum(
            quad(lambda z: density(z) * assignment.laplace_cdf(t - z), a, b)[0]
            for a, b in [(-40, min(t, 0)), (min(t, 0), max(t, 0)), (max(t, 0), 40)]
        )
        assert assignment.two_laplace_cdf(t) == pytest.approx(integral, rel=1e-7)
        below = quad(density, -40, min(t, 0))[0] + quad(density, min(t, 0), t)[0]
        assert assignment.laplace_cdf(t) == pytest.approx(below, rel=1e-7)


def two_laplace(rng, size, scale=1.0):
    a, b = rng.laplace(0, scale, (2, size))
    return np.stack([a - b, a + b], axis=-1)


def test_the_noise_check_accepts_the_right_law(assignment):
    """150 right samples stay below .9 of the limit, but for probability 600 * 2 (1.25e-10)^.81 = 1e-5."""
    for seed in range(150):
        noise = two_laplace(np.random.default_rng(seed), assignment.ROWS)
        assert max(assignment.strays(noise)) < 0.9 * assignment.chance(assignment.ROWS, laws=4)


def test_the_noise_check_has_power(assignment):
    """A law two chances away fails but for probability 1e-9, by the same inequality. Exact distances."""
    t, limit = np.linspace(-30, 30, 60_001), 2 * assignment.chance(assignment.ROWS, laws=4)
    one, two = assignment.laplace_cdf, assignment.two_laplace_cdf
    distance = lambda wrong, right: np.abs(wrong - right).max()
    assert distance(two(t), one(t)) > limit  # half of epsilon for each: half of sum and count together
    assert distance(one(t), two(t)) > limit  # all of epsilon for each: the count has Lap(1 / epsilon)
    assert distance(one(t / 2), one(t)) > limit  # noise for a replacement
    assert distance(one(2 * t), one(t)) > limit  # half the noise
    assert distance(t >= 0, two(t)) > limit  # no noise, or the same noise twice, so that the sum has none
    normal = np.vectorize(lambda z: math.erfc(-z / math.sqrt(2)) / 2)
    assert distance(normal(t / math.sqrt(2)), one(t)) > 0.9 * limit  # Gaussian noise of the right variance; 1e-6
    shuffled = two_laplace(np.random.default_rng(1), assignment.ROWS)
    shuffled[:, 1] = np.roll(shuffled[:, 1], 1)  # right laws of sum and count, but independent
    assert max(assignment.strays(shuffled)[:2]) < limit / 2 < max(assignment.strays(shuffled)[2:])


# --- question 3 ------------------------------------------------------------------------------------------------------
def p_by_enumeration(y, n, ratio):
    """All 2^n data sets and the noise summed up to its tail, in exact fractions; epsilon = -ln(ratio)."""

    @cache
    def noise_reaches(least):
        """Pr[G >= least], from the chances of all smaller values down to -60 and the tail below them."""
        below = sum((1 - ratio) / (1 + ratio) * ratio ** abs(g) for g in range(-60, least))
        return 1 - below - ratio**61 / (1 + ratio)

    return sum(noise_reaches(y - sum(patients)) for patients in product((0, 1), repeat=n)) / 2**n


@pytest.mark.parametrize("n, ratio", [(1, Fraction(1, 2)), (4, Fraction(1, 3)), (7, Fraction(4, 5))])
def test_p_values_are_the_enumerated_ones(assignment, n, ratio):
    for y in range(-4, n + 5):
        exact = float(p_by_enumeration(y, n, ratio))
        assert assignment.exact_p(y, n=n, epsilon=-math.log(ratio)) == pytest.approx(exact, rel=1e-9)


def test_tiny_p_values(assignment):
    """Against binomial coefficients in Python's whole numbers, far in the tail."""
    for y, n, epsilon in [(900, 1500, 0.7), (1300, 2000, 1.1), (1990, 2000, 0.3), (2600, 2000, 0.2)]:
        q = math.exp(-epsilon)
        tail = lambda g: q**g / (1 + q) if g > 0 else 1 - q ** (1 - g) / (1 + q)
        places = range(n // 2 - 300, n + 1)  # below, both chances are too small to count
        exact = math.fsum(math.comb(n, k) / 2**n * tail(y - k) for k in places)
        assert 0 < exact < 1e-10
        assert assignment.exact_p(y, n=n, epsilon=epsilon) == pytest.approx(exact, rel=1e-7)


# --- question 4 ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "n, share, epsilon, beta", [(1, 0.5, 1.0, 0.4), (6, 0.3, 0.5, 0.1), (20, 0.7, 0.2, 0.05), (40, 0.25, 1.5, 0.3)]
)
def test_the_least_mass_is_the_optimum_of_the_linear_program(assignment, n, share, epsilon, beta):
    d = np.arange(n + 1)
    law = binom.pmf(d, n, share)
    best = linprog(law * np.exp(-epsilon * d), A_ub=-law[None], b_ub=[beta - 1], bounds=(0, 1))
    mass = assignment.least_mass(n=n, share=share, epsilon=epsilon, beta=beta)
    assert best.status == 0 and mass == pytest.approx(best.fun, rel=1e-6)


def exponential_mechanism(n, share, epsilon, hypotheses):
    """(chance to name the right strain, chance of each wrong one), exactly: weights e^(epsilon count / 2)."""
    d = np.arange(n + 1)
    total = np.exp(epsilon * d / 2) + hypotheses - 1
    law = binom.pmf(d, n, share)
    return law @ (np.exp(epsilon * d / 2) / total), law @ (1 / total)


def test_no_private_algorithm_that_exists_is_excluded(assignment):
    """And the classmate's bound of question 5 does exclude one."""
    for n, share, epsilon, N in product((1, 5, 30, 80), (0.1, 0.5, 1), (0.3, 1, 2), (2, 30, 1000)):
        right, wrong = exponential_mechanism(n, share, epsilon, N)
        assert right + (N - 1) * wrong == pytest.approx(1, rel=1e-12)
        asked = {"share": share, "epsilon": epsilon, "beta": (N - 1) * wrong * (1 + 1e-12)}
        assert not assignment.excluded(n, hypotheses=N, **asked)
    N, e = 101, math.exp(2)
    p, q = e / (e + N - 1), 1 / (e + N - 1)
    assert max(p * N, 1 / (q * N), p / q) <= e * (1 + 1e-12)  # it is private
    right, wrong = (p + 1 / N) / 2, (q + 1 / N) / 2
    assert (N - 1) * wrong == pytest.approx(1 - right)
    assert (round(wrong, 4), round(right * math.exp(-1), 4)) == (0.0096, 0.0145)
    assert wrong >= assignment.least_mass(n=1, share=0.5, epsilon=2, beta=1 - right)


def test_what_is_excluded_stays_excluded_below(assignment):
    """So the least size that is not excluded is a bound, and a search by halving finds it."""
    for share, epsilon, beta, N in [(0.2, 0.5, 0.05, 2001), (0.6, 1.5, 0.3, 40), (1, 0.1, 0.05, 2001)]:
        asked = {"hypotheses": N, "share": share, "epsilon": epsilon, "beta": beta}
        verdicts = [assignment.excluded(n, **asked) for n in range(1, 300)]
        assert verdicts == sorted(verdicts, reverse=True) and not verdicts[-1]
    assert verdicts.index(False) + 1 == 106  # the packing page's textbook form, 105.5 rounded up


# --- the model, on all that is allowed -------------------------------------------------------------------------------
def exact_p(y, n, epsilon):
    """In 50 digits, with whole binomial coefficients: the law of the noise summed up term by term."""
    with mpmath.workdps(50):
        q = mpmath.exp(-mpmath.mpf(epsilon))
        tail = lambda g: q**g / (1 + q) if g > 0 else 1 - q ** (1 - g) / (1 + q)
        return mpmath.fsum(math.comb(n, k) * tail(y - k) for k in range(n + 1)) / mpmath.mpf(2) ** n


def test_the_model_p_value_is_right_on_all_that_is_allowed(model, assignment):
    for n, epsilon in product((1, 2, 21, 100, 2000), (0.05, 0.7, 50.0)):
        spread = math.sqrt(n / 4 + 2 / epsilon**2)
        for y in {-3, 0, n // 2, (n + 1) // 2, round(n / 2 + 3 * spread), round(n / 2 + 9 * spread), n, n + 4}:
            exact = exact_p(y, n, epsilon)
            if exact > 1e-200:
                for mine in (model("ps2").p_value(y, n=n, epsilon=epsilon), assignment.exact_p(y, n=n, epsilon=epsilon)):
                    assert abs(mine - exact) <= 1e-8 * exact, (y, n, epsilon)


def test_the_model_critical_count_is_right_on_all_that_is_allowed(model):
    for n in [*range(1, 60), 100, 101, 399, 2000]:
        for epsilon, level in [(0.05, 0.4), (0.2, 0.05), (1.0, 0.4), (2.0, 1e-9), (10.0, 0.4)][: 2 + 3 * (n < 60)]:
            y = model("ps2").critical_count(n=n, epsilon=epsilon, level=level)
            assert exact_p(y, n, epsilon) <= level < exact_p(y - 1, n, epsilon), (n, epsilon, level)


def exact_mass(n, share, epsilon, beta):
    with mpmath.workdps(50):
        a, e, left, mass = mpmath.mpf(share), mpmath.mpf(epsilon), mpmath.mpf(beta), mpmath.mpf(0)
        for d in range(n + 1):
            p = math.comb(n, d) * a**d * (1 - a) ** (n - d)
            mass, left = mass + max(p - left, 0) * mpmath.exp(-e * d), max(left - p, 0)
        return mass


def test_the_model_mass_is_right_on_all_that_is_allowed(model, assignment):
    large = [(2000, 0.02, 0.5, 0.01), (2000, 0.9, 0.05, 0.5), (2000, 1, 0.05, 0.01)]
    for n, share, epsilon, beta in [*product((1, 7, 300), (0.02, 0.5, 0.9, 1), (0.05, 0.5, 3), (0.01, 0.5)), *large]:
        if (exact := exact_mass(n, share, epsilon, beta)) > 1e-200:
            for mass in (model("ps2").demanded_mass, assignment.least_mass):
                assert abs(mass(n=n, share=share, epsilon=epsilon, beta=beta) - exact) <= 1e-7 * exact


@pytest.mark.parametrize("hypotheses, share, epsilon, beta, size", [
    (2001, 0.02, 0.5, 0.05, 1199), (2, 0.5, 1.0, 0.5, None), (2, 0.02, 0.3, 0.01, None), (10**6, 0.2, 0.5, 0.01, None),
    (10**6, 1, 3, 0.5, None), (2001, 1, 0.1, 0.05, 106), (50, 0.3, 0.05, 0.4, None)])
def test_the_model_size_is_the_least(model, hypotheses, share, epsilon, beta, size):
    n = model("ps2").rare_sample_size(hypotheses=hypotheses, share=share, epsilon=epsilon, beta=beta)
    assert n <= 2000 and (size is None or n == size)
    assert (hypotheses - 1) * exact_mass(n, share, epsilon, beta) <= beta
    assert n == 1 or (hypotheses - 1) * exact_mass(n - 1, share, epsilon, beta) > beta


def test_the_model_chances_are_right_on_all_that_is_allowed(model, assignment):
    rng = np.random.default_rng(1)
    for radius, size, epsilon in product((1, 6, 20), (0, 1, 3000), (0.1, 2.0)):
        x = [*rng.normal(0, radius, size).tolist(), *map(float, range(-radius - 1, radius + 2))][: size + 3]
        counts = assignment.cell_counts(x, radius).tolist()
        weights = [mpmath.exp(epsilon * (c - max(counts))) for c in counts]
        chances = model("ps2").center_chances(x, radius=radius, epsilon=epsilon)
        for mine, weight in zip(chances, weights):
            exact = weight / mpmath.fsum(weights)
            assert abs(mine - exact) <= 1e-9 * exact + 1e-300


# --- the questions ---------------------------------------------------------------------------------------------------
def test_questions_are_allowed_ones_and_tell_right_from_wrong(assignment):
    for seed in range(15):
        asked = assignment.calls(np.random.default_rng(seed), assignment.boxes.sheet_of(STUDENT))
        inside = assignment.cell_counts(asked["cells"][1][0]["x"], 3)
        assert inside.tolist() == [5, 1, 3, 2, 0, 4]  # no two alike: whatever moves a record is seen
        pairs = asked["one more record"][1]
        for one, more in zip(pairs[::2], pairs[1::2]):
            double = [assignment.center_law(**kwargs | {"epsilon": 2 * kwargs["epsilon"]}) for kwargs in (one, more)]
            assert np.abs(np.log(double[1] / double[0])).max() > 1.2 * one["epsilon"]  # twice the weight is seen
        for kwargs in asked["many records"][1]:
            counts = np.sort(assignment.cell_counts(kwargs["x"], kwargs["radius"]))
            assert counts[-1] > counts[-2] + 30 and kwargs["epsilon"] * counts[-1] > 710  # e^710 is too large
        for kwargs in asked["p-values"][1] + asked["tiny p-values"][1]:
            assert assignment.exact_p(**kwargs) > 1e-200 and kwargs["n"] <= 2000 and 0.05 <= kwargs["epsilon"] <= 50
        assert all(1e-9 <= kwargs["level"] <= 0.4 for kwargs in asked["critical counts"][1])
        masses = [(assignment.least_mass(**kwargs), kwargs) for kwargs in asked["masses"][1]]
        assert min(mass for mass, _ in masses) > 1e-200
        for kwargs in asked["masses"][1] + asked["sizes"][1]:
            assert 0.02 <= kwargs["share"] <= 1 and 0.05 <= kwargs["epsilon"] <= 3 and 0.01 <= kwargs["beta"] <= 0.5


def test_points_are_given_once_for_a_mistake_that_a_later_question_inherits(assignment):
    """A p-value without noise, and the count that follows from it; a constant that follows from nothing is wrong."""
    sign = lambda y, n: sum(math.comb(n, k) for k in range(max(y, 0), n + 1)) / 2**n
    calls = assignment.calls(np.random.default_rng(1), assignment.boxes.sheet_of(STUDENT))
    found = []
    for kwargs in calls["critical counts"][1]:
        y = next(y for y in range(kwargs["n"] + 2) if sign(y, kwargs["n"]) <= kwargs["level"])
        found.append([y, sign(y, kwargs["n"]), sign(y - 1, kwargs["n"])])
    answers = lambda values: grading.Answers({("critical counts", i): (v, None) for i, v in enumerate(values)}, calls)
    for check in (assignment.level_kept, assignment.level_used):
        entry = grading.judged(check.check, answers(found), "")
        assert entry["score"] == check.check.points
    assert "is right only if your p_value were" in grading.judged(assignment.level_kept.check, answers(found), "")["output"]
    for own in (lambda p, q: [], lambda p, q: [0.0, 1.0], lambda p, q: [q, p], lambda p, q: [p, "x"]):
        entry = grading.judged(assignment.level_kept.check, answers([[y, *own(p, q)] for y, p, q in found]), "")
        assert entry["score"] == 0 and "above the level" in entry["output"]


def test_what_the_model_answer_of_the_prediction_says():
    """Simulated, the secret n costs less noise at the same epsilon and more at the same promise, by the root of 2."""
    rng, B, n, epsilon = np.random.default_rng(5), 5, 1000, 0.2
    public = rng.laplace(0, 2 * B / (n * epsilon), 100_000)
    assert public.std() == pytest.approx(0.0707, rel=0.02)
    for spent, deviation in ((epsilon, 0.0501), (epsilon / 2, 0.1002)):
        total, count = two_laplace(rng, 100_000, 1 / spent).T
        secret = (0.3 * n + B * total) / (n + count) - 0.3
        assert secret.std() == pytest.approx(deviation, rel=0.02)


# --- the second box --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("alpha", [Fraction(1, 2), Fraction(6, 7)])
def test_the_law_of_the_second_box_is_the_enumerated_one(assignment, alpha):
    """The mechanism, run on every value of three noises, against the closed form."""
    numbers = {"alpha": str(alpha), "T": 2}
    for x in ((0, 0, 0), (1, 0, 1), (0, 1, 1), (1, 1, 1)):
        exact = at_most(lambda values: next((i for i in (1, 2, 3) if sum(x[:i]) + values[i - 1] >= 2), 4), alpha)
        for t in range(-1, 6):
            assert assignment.FIRST_DAY.chance(numbers, x, t) == exact(t)


def test_silence_that_refutes_is_never_seen_whatever_the_data_set(assignment):
    """For all 2^n data sets: the ratio of an evening needs at least so much of the chance of silence."""
    for _, _, numbers in assignment.boxes.variants:
        alpha = float(Fraction(numbers["alpha"]))
        F = lambda v: math.log1p(-(alpha ** (v + 1)) / (1 + alpha)) if v >= 0 else -v * math.log(alpha) - math.log1p(alpha)
        cost = min(-F(v + 1) / (F(v + 1) - F(v)) for v in range(-90, 90))
        assert math.exp(-cost * math.log(float(Fraction(numbers["ratio"])))) < 1e-6


def test_a_grade_that_hangs_on_a_comment_is_noticed(built, assignment, tmp_path):
    """One too many for every odd n: without the traps, whether that costs a point is chance."""
    wrong = next(s for s in ps2.WRONG if s.name == "one too many for every odd n")
    grades = set()
    answers = Asked(functions(built, assignment, wrong, tmp_path))
    for copy in COPIES:
        calls = grading.questions(assignment, [copy], STUDENT)
        function, arguments = calls["critical counts"]
        answers.calls = calls | {"critical counts": (function, arguments[-2:])}
        grades.add(grading.judged(assignment.level_used.check, answers, "")["score"])
    assert grades == {0, 1}
