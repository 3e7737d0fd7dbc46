"""The judge of problem set 2 is right: formulas agree with enumeration, the noise check has power."""

import functools
import math
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product

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


SHEETS = [
    {"width": 1.5, "closed": closed, "score": score, "records": records, "outside": outside, "low": -2.0, "high": 5.0,
     "rate": rate, "noise": noise, "surprise": surprise, "moves": moves, "shows": 0.75, "neighbours": neighbours,
     "rack": rack, "names": names}
    for closed, score, records, outside, rate, noise, surprise, moves, neighbours, rack, names in [
        ("left", "inside", 2, "clipped", 0.3, "geometric", "many", 1, "replaced", 1, 1),
        ("right", "sides", 1, "left out", 0.7, "rounded", "few", 2, "added", 2, 3),
        ("left", "sides", 3, "clipped", 0.45, "geometric", "few", 3, "added", 3, 2),
        ("right", "inside", 1, "left out", 0.6, "rounded", "many", 2, "replaced", 2, 1)]]
every_sheet = pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: f"{sheet['score']}-{sheet['closed']}")


# --- question 2 ------------------------------------------------------------------------------------------------------
@every_sheet
def test_the_choice_of_a_cell_is_private_and_no_larger_weights_are(assignment, sheet):
    """All small data sets on four cells, and one person more, wherever their records lie; the loss comes near to epsilon."""

    def worst(factor):
        loss = 0.0
        law = lambda counts: assignment.center_law(
            [1.5 * (k - 1.5) for k, c in enumerate(counts) for _ in range(c)], radius=2, epsilon=0.7 * factor, mine=sheet)
        for counts in [*product(range(3), repeat=4), (60, 0, 0, 0), (0, 0, 61, 60), (60, 61, 0, 0)]:
            before = law(counts)
            for cells in combinations_with_replacement(range(4), sheet["records"]):
                more = [c + cells.count(k) for k, c in enumerate(counts)]
                loss = max(loss, np.abs(np.log(law(more) / before)).max())
        return loss

    assert 0.9 * 0.7 < worst(1) <= 0.7 * (1 + 1e-12)
    assert worst(1.001) > 0.7


def test_scores_of_cells_by_the_definition(assignment):
    x = [-3.0, -1.51, -0.75, 0.0, 1.49, 0.75, 2.99, 3.0, -3.01, 50.0]
    scores = lambda **kind: assignment.cell_scores(x, 2, {"width": 1.5} | kind).tolist()
    assert scores(score="inside", closed="left") == [2, 1, 3, 1]
    assert scores(score="inside", closed="right") == [1, 2, 2, 2]
    assert scores(score="sides", closed="left") == [-7, -6, -4, -7]
    assert scores(score="sides", closed="right") == [-7, -5, -5, -7]
    law = assignment.center_law(x, radius=2, epsilon=0.9, mine={"width": 1.5, "score": "inside", "closed": "left", "records": 2})
    weights = np.exp(0.45 * np.array([2, 1, 3, 1]))
    assert law == pytest.approx(weights / weights.sum(), rel=1e-12)


@every_sheet
def test_the_least_noise_hides_a_person_and_less_does_not(assignment, sheet):
    """By the density of the two numbers with noise, at all data sets of one person; and half of epsilon each has more."""
    L = assignment.least_mixture(0.8, sheet)
    values = np.linspace(sheet["low"], sheet["high"], 201)
    one = sheet["records"] * np.stack([values, np.ones(201)])
    loss = np.abs(np.linalg.solve(L, one)).sum(axis=0)
    assert loss == pytest.approx(0.8, rel=1e-12)            # every record has all of epsilon: none of it is wasted
    end = max(-sheet["low"], sheet["high"]) * sheet["records"]
    halves = np.diag([2 * end / 0.8, 2 * sheet["records"] / 0.8])
    assert np.abs(np.linalg.solve(halves, one)).sum(axis=0).max() == pytest.approx(0.8)
    ratio = assignment.variances(halves) / assignment.variances(L)
    assert (1 < ratio).all() and (ratio < 5).all()          # so that it is private, and more than needed


@every_sheet
def test_the_mixture_is_found_and_what_is_not_linear_is_no_mixture(assignment, sheet, monkeypatch):
    monkeypatch.setattr(assignment.boxes, "sheet_of", lambda student: sheet)
    calls = assignment.calls(np.random.default_rng(3), sheet)

    def judged(scale, result=lambda pair: pair):
        found = {}
        for group in ("no noise", "noise"):
            for i, kwargs in enumerate(calls[group][1]):
                pair = assignment.exact_pairs(kwargs["x"], kwargs["center"], sheet)
                noise = np.array(kwargs["noise"]) @ (scale * assignment.least_mixture(kwargs["epsilon"], sheet)).T
                found[group, i] = result(pair + noise).tolist(), None
        checks = (assignment.sums_and_counts, assignment.noise_hides, assignment.noise_law)
        answers = grading.Answers(found, calls)
        return [grading.judged(check.check, answers, "")["score"] for check in checks]

    assert judged(1) == [1, 2, 1] == judged(-1)
    assert judged(1.001) == [1, 2, 0] == judged(2)
    assert judged(0.999) == [1, 0, 0] == judged(1e6)
    assert judged(1, np.round) == [0, 0, 0]
    assert judged(1, lambda pair: np.maximum(pair, [-np.inf, 0])) == [1, 0, 0]


# --- question 3 ------------------------------------------------------------------------------------------------------
def noise_reaches(least, ratio, kind):
    """Pr[G >= least] for one of the two laws, from their definition; epsilon / moves is -ln(ratio)."""
    if kind == "geometric":
        below = sum((1 - ratio) / (1 + ratio) * ratio ** abs(g) for g in range(-60, least))
        return 1 - below - ratio**61 / (1 + ratio)
    density = lambda z: float(ratio) ** abs(z) * -math.log(ratio) / 2  # what is rounded to `least` or more starts half a step below
    far = abs(least - 0.5)
    beyond = quad(lambda z: density(z), far, far + 200, epsabs=1e-13, limit=200)[0]
    return beyond if least > 0 else 1 - beyond


@every_sheet
@pytest.mark.parametrize("n, ratio", [(1, Fraction(1, 2)), (4, Fraction(1, 3)), (6, Fraction(4, 5))])
def test_p_values_are_the_enumerated_ones(assignment, sheet, n, ratio):
    """All 2^n data sets, with the noise of the definition."""
    sign = 1 if sheet["surprise"] == "many" else -1
    tail = cache(lambda least: float(noise_reaches(least, ratio, sheet["noise"])))
    chance = lambda patients: math.prod(sheet["rate"] if p else 1 - sheet["rate"] for p in patients)
    for y in range(-4, n + 5):
        exact = sum(chance(p) * tail(sign * (y - sum(p))) for p in product((0, 1), repeat=n))
        epsilon = -sheet["moves"] * math.log(ratio)
        assert assignment.exact_p(y, n, epsilon, sheet) == pytest.approx(exact, rel=1e-6)


# --- question 4 ------------------------------------------------------------------------------------------------------
def cost(sheet, epsilon):
    return epsilon * sheet["rack"] * (2 if sheet["neighbours"] == "added" else 1)


@every_sheet
@pytest.mark.parametrize(
    "n, share, epsilon, beta", [(1, 0.5, 1.0, 0.4), (6, 0.3, 0.5, 0.1), (20, 0.7, 0.2, 0.05), (40, 0.25, 0.5, 0.3)]
)
def test_the_least_mass_is_the_optimum_of_the_linear_program(assignment, sheet, n, share, epsilon, beta):
    d = np.arange(n + 1)
    law = binom.pmf(d, n, share * sheet["shows"])
    best = linprog(law * np.exp(-cost(sheet, epsilon) * d), A_ub=-law[None], b_ub=[beta - 1], bounds=(0, 1))
    mass = assignment.least_mass(n, share, epsilon, beta, sheet)
    assert best.status == 0 and mass == pytest.approx(best.fun, rel=1e-6)


def named_by_the_exponential_mechanism(n, a, sheet, epsilon, hypotheses):
    """(chance that the right strain is on a list, expected number of others): a name with weights e^(epsilon samples) if
    records are added, and half of that if they are replaced; the rest of the list is drawn from all other names."""
    d, k = np.arange(n + 1), sheet["names"]
    weight = np.exp(epsilon * sheet["rack"] * d / (1 if sheet["neighbours"] == "added" else 2))
    first = binom.pmf(d, n, a) @ (weight / (weight + hypotheses - 1))
    right = first + (1 - first) * (k - 1) / (hypotheses - 1)
    return right, k - right


@every_sheet
def test_no_private_algorithm_that_exists_is_excluded(assignment, sheet):
    for n, share, epsilon, N in product((1, 5, 30, 80), (0.1, 0.5, 1), (0.1, 0.5, 1), (5, 30, 1000)):
        right, _ = named_by_the_exponential_mechanism(n, share * sheet["shows"], sheet, epsilon, N)
        asked = {"share": share, "epsilon": epsilon, "beta": (1 - right) * (1 + 1e-12), "hypotheses": N}
        assert asked["beta"] < 0.01 or not assignment.excluded(n, asked, sheet)


def test_the_classmates_bound_of_question_5_excludes_one_that_exists():
    N, e = 101, math.exp(2)
    p, q = e / (e + N - 1), 1 / (e + N - 1)
    assert max(p * N, 1 / (q * N), p / q) <= e * (1 + 1e-12)  # it is private
    right, wrong = (p + 1 / N) / 2, (q + 1 / N) / 2
    assert (N - 1) * wrong == pytest.approx(1 - right)
    assert (round(wrong, 4), round(right * math.exp(-1), 4)) == (0.0096, 0.0145)


@every_sheet
def test_what_is_excluded_stays_excluded_below(assignment, sheet):
    """So the least size that is not excluded is a bound, and a search by halving finds it."""
    for share, epsilon, beta, N in [(0.2, 0.3, 0.05, 2001), (0.6, 0.5, 0.3, 40), (1, 0.1, 0.05, 2001)]:
        asked = {"hypotheses": N, "share": share, "epsilon": epsilon, "beta": beta}
        verdicts = [assignment.excluded(n, asked, sheet) for n in range(1, 300)]
        assert verdicts == sorted(verdicts, reverse=True) and not verdicts[-1]


# --- the model, on all that is allowed -------------------------------------------------------------------------------
@pytest.fixture
def model_of(model):
    """The functions of the solution, written for some sheet."""

    def functions(sheet):
        space = vars(model("ps2"))
        for function in space.values():
            if hasattr(function, "__globals__"):
                function.__globals__["MINE"] = sheet
        return model("ps2")

    return functions


def p_in_digits(y, n, epsilon, sheet):
    """In 50 digits, with whole binomial coefficients: the law of the noise summed up term by term."""
    with mpmath.workdps(50):
        a, rate = mpmath.mpf(epsilon) / sheet["moves"], mpmath.mpf(sheet["rate"])
        if sheet["surprise"] == "few":
            y, rate = n - y, 1 - rate
        first = mpmath.exp(-a) / (1 + mpmath.exp(-a)) if sheet["noise"] == "geometric" else mpmath.exp(-a / 2) / 2
        tail = lambda g: first * mpmath.exp(-a * (g - 1)) if g > 0 else 1 - first * mpmath.exp(a * g)
        return mpmath.fsum(math.comb(n, k) * rate**k * (1 - rate) ** (n - k) * tail(y - k) for k in range(n + 1))


@every_sheet
def test_the_model_p_value_is_right_on_all_that_is_allowed(model_of, assignment, sheet):
    sign = 1 if sheet["surprise"] == "many" else -1
    for n, epsilon in product((1, 2, 21, 100), (0.05, 0.7, 50.0)) if sheet["rack"] < 3 else ((2000, 0.7),):
        mean, spread = n * sheet["rate"], math.sqrt(n / 4 + 2 * (sheet["moves"] / epsilon) ** 2)
        for y in {-3, 0, round(mean), round(mean + 3 * sign * spread), round(mean + 9 * sign * spread), n, n + 4}:
            exact = p_in_digits(y, n, epsilon, sheet)
            if exact > 1e-200:
                for mine in (model_of(sheet).p_value(y, n=n, epsilon=epsilon), assignment.exact_p(y, n, epsilon, sheet)):
                    assert abs(mine - exact) <= 1e-8 * exact, (y, n, epsilon)


@every_sheet
def test_the_model_critical_count_is_right_on_all_that_is_allowed(model_of, assignment, sheet):
    step = 1 if sheet["surprise"] == "many" else -1
    for n in [*range(1, 40), 100, 399, 2000]:
        for epsilon, level in [(0.05, 0.4), (0.2, 0.05), (1.0, 0.4), (2.0, 1e-9), (10.0, 0.4)][: 2 + 3 * (n < 20)]:
            y = model_of(sheet).critical_count(n=n, epsilon=epsilon, level=level)
            here, nearer = (assignment.exact_p(at, n, epsilon, sheet) for at in (y, y - step))
            assert here <= level < nearer, (n, epsilon, level)


def mass_in_digits(n, a, cost, beta):
    with mpmath.workdps(50):
        a, cost, left, mass = mpmath.mpf(a), mpmath.mpf(cost), mpmath.mpf(beta), mpmath.mpf(0)
        for d in range(n + 1):
            p = math.comb(n, d) * a**d * (1 - a) ** (n - d)
            mass, left = mass + max(p - left, 0) * mpmath.exp(-cost * d), max(left - p, 0)
        return mass


@every_sheet
def test_the_model_mass_is_right_on_all_that_is_allowed(model_of, assignment, sheet):
    large = [(2000, 0.05, 0.5, 0.01), (2000, 0.9, 0.05, 0.5), (2000, 1, 0.05, 0.01)][:: 1 + sheet["rack"]]
    for n, share, epsilon, beta in [*product((1, 7, 100), (0.05, 0.5, 1), (0.05, 3), (0.01, 0.5)), *large]:
        exact = mass_in_digits(n, share * sheet["shows"], cost(sheet, epsilon), beta)
        if exact > 1e-200:
            public = dict(n=n, share=share, epsilon=epsilon, beta=beta)
            for mass in (model_of(sheet).demanded_mass(**public), assignment.least_mass(**public, mine=sheet)):
                assert abs(mass - exact) <= 1e-7 * exact


@every_sheet
@pytest.mark.parametrize("hypotheses, share, epsilon, beta", [
    (5, 0.9, 3.0, 0.5), (10**6, 0.2, 0.5, 0.01), (10**6, 1, 3, 0.5), (2001, 0.05, 0.5, 0.05)])
def test_the_model_size_is_the_least(model_of, assignment, sheet, hypotheses, share, epsilon, beta):
    asked = dict(hypotheses=hypotheses, share=share, epsilon=epsilon, beta=beta)
    n = model_of(sheet).rare_sample_size(**asked)
    assert n <= 2000 and not assignment.excluded(n, asked, sheet) and (n == 1 or assignment.excluded(n - 1, asked, sheet))


@every_sheet
def test_the_model_chances_are_right_on_all_that_is_allowed(model_of, assignment, sheet):
    rng = np.random.default_rng(1)
    for radius, size, epsilon in product((1, 6, 20), (0, 1, 3000), (0.1, 2.0)):
        x = [*rng.normal(0, radius, size).tolist(), *(sheet["width"] * np.arange(-radius - 1, radius + 2))][: size + 3]
        scores = assignment.cell_scores(x, radius, sheet).tolist()
        weights = [mpmath.exp(mpmath.mpf(epsilon) * (c - max(scores)) / sheet["records"]) for c in scores]
        chances = model_of(sheet).center_chances(x, radius=radius, epsilon=epsilon)
        for mine, weight in zip(chances, weights):
            exact = weight / mpmath.fsum(weights)
            assert abs(mine - exact) <= 1e-9 * exact + 1e-300


# --- the questions ---------------------------------------------------------------------------------------------------
def test_questions_are_allowed_ones_and_tell_right_from_wrong(assignment):
    for seed in range(8):
        sheet = assignment.boxes.sheets[seed * 37]
        law = functools.partial(assignment.center_law, mine=sheet)
        asked = assignment.calls(np.random.default_rng(seed), sheet)
        fixed = asked["cells"][1][0]["x"]
        kinds = [assignment.cell_scores(fixed, 3, sheet | {"score": score, "closed": closed}).tolist()
                 for score, closed in product(("inside", "sides"), ("left", "right"))]
        assert len({str(kind) for kind in kinds}) == 4  # whatever is another kind of score is seen
        pairs = asked["one more person"][1]
        for one, more in zip(pairs[::2], pairs[1::2]):
            lossy = [law(**kwargs | {"epsilon": 1.001 * kwargs["epsilon"]}) for kwargs in (one, more)]
            assert np.abs(np.log(lossy[1] / lossy[0])).max() > one["epsilon"]  # a thousandth too much weight is seen
        for kwargs in asked["many records"][1]:
            scores = np.sort(assignment.cell_scores(kwargs["x"], kwargs["radius"], sheet))
            assert scores[-1] > scores[-2] + 30
            assert sheet["score"] == "sides" or kwargs["epsilon"] / sheet["records"] * scores[-1] > 710  # e^710 is too large
        for kwargs in asked["p-values"][1] + asked["tiny p-values"][1]:
            assert assignment.exact_p(**kwargs, mine=sheet) > 1e-200
            assert kwargs["n"] <= 2000 and 0.05 <= kwargs["epsilon"] <= 50
        assert all(1e-9 <= kwargs["level"] <= 0.4 for kwargs in asked["critical counts"][1])
        assert min(assignment.least_mass(**kwargs, mine=sheet) for kwargs in asked["masses"][1]) > 1e-200
        for kwargs in asked["masses"][1] + asked["sizes"][1]:
            assert 0.05 <= kwargs["share"] <= 1 and 0.05 <= kwargs["epsilon"] <= 3 and 0.01 <= kwargs["beta"] <= 0.5


def test_points_are_given_once_for_a_mistake_that_a_later_question_inherits(assignment):
    """A p-value without noise, and the count that follows from it; a constant that follows from nothing is wrong."""
    rate = assignment.boxes.sheet_of(STUDENT)["rate"]
    sign = lambda y, n: sum(math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(max(y, 0), n + 1))
    calls = assignment.calls(np.random.default_rng(1), assignment.boxes.sheet_of(STUDENT))
    found = []
    for kwargs in calls["critical counts"][1]:
        y = next(y for y in range(kwargs["n"] + 2) if sign(y, kwargs["n"]) <= kwargs["level"])
        found.append([y, *(sign(at, kwargs["n"]) for at in (y - 1, y, y + 1))])
    answers = lambda values: grading.Answers({("critical counts", i): (v, None) for i, v in enumerate(values)}, calls)
    judged = lambda check, values: grading.judged(check.check, answers(values), STUDENT)
    for check in (assignment.level_kept, assignment.level_used):
        assert judged(check, found)["score"] == check.check.points
    assert "would be right if your p_value were" in judged(assignment.level_kept, found)["output"]
    for own in (lambda p, q: [], lambda p, q: [1.0, 0.0, 0.0], lambda p, q: [q, p, q], lambda p, q: [p, "x", q]):
        entry = judged(assignment.level_kept, [[y, *own(p, q)] for y, p, q, _ in found])
        assert entry["score"] == 0 and "above the level" in entry["output"]


def test_what_the_model_answer_of_the_prediction_says():
    """Simulated, the secret n costs less noise at the same epsilon and more at the same promise, by the root of 2."""
    rng, B, n, epsilon = np.random.default_rng(5), 5, 1000, 0.2
    two_laplace = lambda scale: (lambda a, b: (a - b, a + b))(*rng.laplace(0, scale, (2, 100_000)))
    public = rng.laplace(0, 2 * B / (n * epsilon), 100_000)
    assert public.std() == pytest.approx(0.0707, rel=0.02)
    for spent, deviation in ((epsilon, 0.0501), (epsilon / 2, 0.1002)):
        total, count = two_laplace(1 / spent)
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
