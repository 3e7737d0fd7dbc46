"""The judge of problem set 3 is right: formulas agree with enumeration, and what the texts say is so."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import jupytext
import numpy as np
import pytest

import grading
import ps3
from submissions import STUDENT
from enumerated import at_most
import submissions
from dplib import factorization, local, parity


@pytest.fixture
def problem_set():
    return ps3


def code_cell(holds):
    """The one code cell of the source in which this stands."""
    cells = jupytext.read(submissions.ROOT / "exercises" / "ps3.md").cells
    (source,) = [cell.source for cell in cells if cell.cell_type == "code" and holds in cell.source]
    return source


# --- the signs that the marker is told -------------------------------------------------------------------------------
def ratio(pmf, x, y, outputs=None):
    """The largest of Pr[M(x) = o] / Pr[M(y) = o], over these outputs or all."""
    found = [(p, pmf[y].get(o, 0)) for o, p in pmf[x].items() if p and (outputs is None or o in outputs)]
    return max(p / q if q else math.inf for p, q in found)


def test_signs_of_the_mistakes(assignment):
    """What the rubric says about each planted table, at every level."""
    for box, s, _ in assignment.boxes.variants:
        e, pmf = s**2, {x: box.law(x, s, True) for x in product(box.records, repeat=box.n)}
        largest = lambda outputs=None: max(
            ratio(pmf, x, y, outputs) for x in pmf for y in pmf if sum(a != b for a, b in zip(x, y)) == 1
        )
        match box.law.__name__:
            case "own_bits":
                assert largest() == e**2
                assert sum(p for y, p in pmf[1,].items() if y[1]) == e * sum(p for y, p in pmf[1,].items() if not y[1])
            case "cut_off":
                odds = {x: pmf[x][0,] / pmf[x][1,] for x in pmf}
                assert all(odds[1, *x] / odds[0, *x] == e**2 for x in product(box.records, repeat=2))
                honest = {x: box.law(x, s, False) for x in ((0, 1, 2), (1, 1, 2))}
                assert honest[1, 1, 2][0,] / honest[1, 1, 2][1,] / (honest[0, 1, 2][0,] / honest[0, 1, 2][1,]) == e
            case "silent_too_rarely":
                assert pmf[0, 0, 0][-1,] == Fraction(4, 5) / (e + 2)
                assert largest({(-1,)}) > e >= largest({(0,), (1,)})
            case "other_coins":
                assert largest({(-1,)}) == e and largest() == 2 * e - 1
            case "silent_with_a_reason":
                assert pmf[0, 0, 0][-1,] == 0 < pmf[0, 0, 1][-1,]
            case "two_levels":
                assert {ratio(pmf, (a,), (b,)) for a, b in ((0, 2), (1, 3), (3, 0))} == {e**2}
                assert {ratio(pmf, (a,), (b,)) for a, b in ((0, 1), (3, 2))} == {e}
            case "noisy_labels":
                assert all(y[::2] == tuple(r // 2 for r in x) for x in pmf for y, p in pmf[x].items() if p)
            case "on_change":
                for x in pmf:
                    silent = [sum(p for y, p in pmf[x].items() if y[2 * i + 1] == -1) for i in (0, 1)]
                    assert silent == [int(r // 2 == r % 2) for r in x]
            case other:
                raise AssertionError(f"nothing is known about {other}")


@pytest.mark.parametrize("e, never_less, add_remove", [(math.e, 1.183, 1.490), (3, 1.288, 1.609)])
def test_the_real_parameters_of_two_parities_are_those_of_the_page(assignment, e, never_less, add_remove):
    """Largest log-ratios by enumeration, with e^epsilon nearly the number that the page takes."""
    s = Fraction(math.sqrt(e)).limit_denominator(10**6)
    for law, real in (
        (assignment.silent_too_rarely, never_less),
        (assignment.other_coins, add_remove),
        (assignment.own_bits, 2 * math.log(e)),
        (assignment.two_levels, 2 * math.log(e)),
    ):
        records, n = ((0, 1, 2), 1) if law == assignment.own_bits else (assignment.FOUR, 2)
        pmf = {x: law(x, s, True) for x in product(records, repeat=n)}
        pairs = [(x, y) for x in pmf for y in pmf if sum(a != b for a, b in zip(x, y)) == 1]
        assert math.log(max(ratio(pmf, x, y) for x, y in pairs)) == pytest.approx(real, abs=6e-4)


def test_a_vote_between_two_counts_is_by_so_much_likelier(assignment):
    """What the solution and the marker's sheet say of the committee: (1/alpha)^(2t - learners) for t votes of one kind."""
    alpha, learners = Fraction(4, 5), 12
    law = lambda ones: [
        assignment.committee_chance(numbers, ones, t) - assignment.committee_chance(numbers, ones, t - 1)
        for t in range(learners + 1)
    ]
    for published in ("yes", "no"):
        numbers = {"alpha": str(alpha), "T": 3, "learners": learners, "published": published}
        more, less = law((1, 1, 1, 0)), law((1, 1, 0, 0))
        if published == "no":
            more, less = less, more
        assert [p / q for p, q in zip(more, less)] == [alpha ** (learners - 2 * t) for t in range(learners + 1)]


# --- question 2 ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("k, s", [(2, 1), (3, 1), (4, 2), (5, 3), (6, 5)])
def test_sets_are_private_and_estimates_right_by_enumeration(assignment, k, s):
    """All sets, in exact fractions of e^epsilon = 3: the law, its ratio, mean and variance of the estimates."""
    every, odds = list(combinations(range(k), s)), 3
    weights = [[Fraction(odds if x in chosen else 1) for chosen in every] for x in range(k)]
    law = [[w / sum(row) for w in row] for row in weights]
    assert max(p / q for a in law for b in law for p, q in zip(a, b)) == odds  # no larger odds are private
    mine, other = assignment.set_law(k, s, math.log(odds))
    assert {round(float(p), 12) for row in law for p in row} == {round(mine, 12), round(other, 12)}
    inside, outside = (
        next(sum(p for p, chosen in zip(law[x], every) if j in chosen) for x, j in places) for places in ([(0, 0)], [(0, 1)])
    )
    assert assignment.inclusion((mine, other), k, s) == pytest.approx((float(inside), float(outside)), rel=1e-12)
    estimate = lambda chosen, j: ((j in chosen) - outside) / (inside - outside)
    for x, j in product(range(k), repeat=2):
        values = [estimate(chosen, j) for chosen in every]
        mean = sum(p * v for p, v in zip(law[x], values))
        assert mean == (x == j)
        if x != j:
            square = sum(p * v**2 for p, v in zip(law[x], values))
            assert assignment.variance_of((mine, other), k, s) == pytest.approx(float(square), rel=1e-12)


def test_numbers_of_sets_that_the_question_rests_on(assignment):
    """Randomised response and unary reports are those of the package and of the page."""
    variance = lambda k, s, epsilon=1: assignment.variance_of(assignment.set_law(k, s, epsilon), k, s)
    best = lambda k: min(range(1, k), key=lambda s: variance(k, s))
    assert [best(k) for k in (64, 8, 3)] == [17, 2, 1]
    assert [round(variance(k, best(k)), 3) for k in (64, 8, 3)] == [3.537, 2.568, 1.259]
    one = [variance(k, 1) for k in (64, 8, 3)]
    assert one == pytest.approx([(math.e + k - 2) / math.expm1(1) ** 2 for k in (64, 8, 3)])
    assert [round(v, 2) for v in one] == [21.92, 2.95, 1.26]
    assert round(4 * math.e / math.expm1(1) ** 2, 3) == 3.683  # unary, for any number of cells


@pytest.mark.parametrize("cells, epsilon", [(2, 0.05), (3, 5), (40, 0.7), (500, 0.05), (500, 1.0), (500, 5)])
def test_the_model_is_right_on_all_that_is_allowed(model, assignment, cells, epsilon):
    """Six digits, by exact fractions of the e^epsilon that a float holds."""
    solution, e = model("ps3"), Fraction(math.exp(epsilon))
    exact = {}
    for size in {1, 2, cells // 3, cells - 1} & set(range(1, cells)) if cells < 500 else {1, 7, 134, 249, 499}:
        own, others = math.comb(cells - 1, size - 1), math.comb(cells - 1, size)
        without = 1 / (e * own + others)
        inside = e * own * without
        outside = (size - inside) / (cells - 1)
        exact[size] = outside * (1 - outside) / (inside - outside) ** 2
        public = dict(cells=cells, size=size, epsilon=epsilon)
        assert solution.set_chances(**public) == pytest.approx((float(e * without), float(without)), rel=1e-9)
        assert solution.rare_variance(**public) == pytest.approx(float(exact[size]), rel=1e-8)
        for law in (assignment.set_law(**public), solution.set_chances(**public)):
            assert assignment.variance_of(law, cells, size) == pytest.approx(float(exact[size]), rel=1e-8)
    size = solution.best_size(cells=cells, epsilon=epsilon)
    law = assignment.set_law(cells, size, epsilon)
    assert assignment.variance_of(law, cells, size) <= assignment.least_variance(cells, epsilon) * (1 + 1e-12)
    assert float(min(exact.values())) >= assignment.least_variance(cells, epsilon) * (1 - 1e-8)


def test_the_handed_out_sampler_has_the_law(model, assignment):
    """5,000 phones; a frequency of a set is off by more than 6 standard errors with probability 1e-8 at most."""
    solution, rng = model("ps3"), np.random.default_rng(1)
    space = vars(solution) | {"math": math}
    source = code_cell("def send_set")
    exec("def send_set" + source.split("def send_set")[1].split("\nrng, phones")[0], space)
    seen = Counter(tuple(sorted(space["send_set"](1, cells=5, size=2, epsilon=1, rng=rng))) for _ in range(5_000))
    own, other = assignment.set_law(5, 2, 1)
    for chosen in combinations(range(5), 2):
        p = own if 1 in chosen else other
        assert abs(seen[chosen] - 5_000 * p) < 6 * math.sqrt(5_000 * p * (1 - p))


def test_questions_are_allowed_ones_and_tell_right_from_wrong(assignment):
    for seed in range(10):
        asked = assignment.calls(np.random.default_rng(seed), assignment.boxes.sheet_of(STUDENT))
        for group in ("chances", "one set", "many sets", "variances"):
            for kwargs in asked[group][1]:
                assert 1 <= kwargs["size"] < kwargs["cells"] <= 500 and 0.05 <= kwargs["epsilon"] <= 5
        for kwargs in asked["many sets"][1]:
            exact = assignment.expected_shares(kwargs, assignment.set_law(**{k: kwargs[k] for k in ("cells", "size", "epsilon")}))
            assert exact.sum() == pytest.approx(1) and exact.min() > -1e-9 and exact.max() <= 1 + 1e-9
            e, k, s = math.exp(kwargs["epsilon"]), kwargs["cells"], kwargs["size"]
            for inside in (e / (e + 1), e * s / (e * s + k), e / (e + k - 1)):  # a wrong law that says something at all
                assert abs(inside - s / k) > 1e-3
        shares = lambda k, e: k / (math.exp(e) + 1)
        for rounding in (round, math.floor, math.ceil):  # each rounding is wrong for some size that is always asked
            assert any(
                assignment.variance_of(assignment.set_law(k, max(1, rounding(shares(k, e))), e), k, max(1, rounding(shares(k, e))))
                > assignment.least_variance(k, e) * (1 + 1e-6)
                for k, e in ((q["cells"], q["epsilon"]) for q in asked["sizes"][1][:7])
            )


def test_points_are_given_once_for_a_mistake_that_a_later_function_inherits(assignment):
    """A law with the wrong odds; estimates, variance and size that follow from it. A constant follows from nothing."""
    calls = assignment.calls(np.random.default_rng(1), assignment.boxes.sheet_of(STUDENT))
    own = lambda cells, size, epsilon: assignment.set_law(cells, size, 2 * epsilon)
    public = lambda kwargs: {k: kwargs[k] for k in ("cells", "size", "epsilon")}
    variances = lambda kwargs: [assignment.variance_of(own(size=s, **kwargs), kwargs["cells"], s) for s in range(1, kwargs["cells"])]
    found = {}
    for group in ("one set", "many sets"):
        for i, kwargs in enumerate(calls[group][1]):
            law = own(**public(kwargs))
            found[group, i] = [assignment.expected_shares(kwargs, law).tolist(), list(law)], None
    for i, kwargs in enumerate(calls["variances"][1]):
        found["variances", i] = [assignment.variance_of(own(**kwargs), kwargs["cells"], kwargs["size"]), list(own(**kwargs))], None
    for i, kwargs in enumerate(calls["sizes"][1]):
        found["sizes", i] = [1 + int(np.argmin(variances(kwargs))), variances(kwargs)], None
    follow = (assignment.no_bias, assignment.variance_exact, assignment.size_is_best)
    for check in follow:
        entry = grading.judged(check.check, grading.Answers(found, calls), "")
        assert entry["score"] == check.check.points and "Right only if your" in entry["output"]
    for excuse in (None, [], [0.5, "x"], [0.1, 0.1], [-1.0, 2.0], [3.0] * 499):
        poor = {key: ([value[0], excuse], None) for key, (value, _) in found.items()}
        for check in follow:
            assert grading.judged(check.check, grading.Answers(poor, calls), "")["score"] == 0


# --- question 3 ------------------------------------------------------------------------------------------------------
def rules_left(right, people, tolerance, scale):
    """By how much more than the best a stump can err, if every |answer| may move by the tolerance; scale: of the queries."""
    wrong = [min(r, people - r) / people for r in right]
    best = min(wrong)
    seen = [scale * abs(2 * r / people - 1) for r in right]
    return max(w - best for w, a in zip(wrong, seen) if a + 2 * tolerance >= max(seen) - 1e-12)


def test_the_promise_of_the_stump_is_the_best_one():
    """By enumeration: with the product no oracle makes it err more than tau too often, with half of it some do by 2 tau."""
    for people, tolerance in ((40, 0.1), (20, 0.05)):
        excess = {scale: 0.0 for scale in (1, 0.5)}
        for right in product(range(people // 2, people + 1), repeat=2):
            for scale in excess:
                excess[scale] = max(excess[scale], rules_left(right, people, tolerance, scale))
        assert excess[1] == pytest.approx(tolerance) and excess[0.5] == pytest.approx(2 * tolerance)


def test_stumps_that_use_half_of_the_range_fail_on_what_is_always_asked(assignment):
    """The pair of columns agrees in .65 and .3, which is more than the tolerance apart; both orders are asked."""
    asked = assignment.calls(np.random.default_rng(1), assignment.boxes.sheet_of(STUDENT))["stumps"][1]
    for kwargs in asked:
        x = np.array(kwargs["records"])
        assert set(np.unique(x)) == {-1, 1} and x.shape[1] == kwargs["columns"] + 1
    agree = [np.mean(np.array(q["records"])[:, :-1] * np.array(q["records"])[:, -1:], axis=0).round(3).tolist() for q in asked[:7]]
    assert agree[0] == [0.1, -0.8, 0.3] and sorted(map(tuple, agree[1:])) == [(0.3, 0.65)] * 3 + [(0.65, 0.3)] * 3


# --- question 4 ------------------------------------------------------------------------------------------------------
def test_what_the_model_proof_says():
    T = np.array([[1.0, 0], [1, 1]])
    price = lambda W: factorization.gamma2(W, gap=1e-6)
    assert [price(T), price(T.T)] == pytest.approx([2 / math.sqrt(3)] * 2, rel=1e-5)
    assert price(T + T.T) == pytest.approx(2, rel=1e-5)
    for t in (1, 10, 100):
        R, A = np.array([[t, 1 / t]]), np.array([[1 / t], [t]])
        assert R @ A == pytest.approx(2)
        assert np.linalg.norm(R) * np.linalg.norm(A) == pytest.approx(t**2 + t**-2)


# --- question 5 ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("centered, error, deviation", [(True, 1.3100, 0.01745), (False, 1.7767, 0.02370)])
def test_the_best_designs(assignment, centered, error, deviation):
    """By the certified search of the package, whose lower bound holds for every design; k is 14 at least."""
    best = factorization.optimal_factorization(assignment.ARCS, gap=1e-6, centered=centered)
    assert best.error == pytest.approx(error, abs=5e-5) and best.gap < 2e-6
    exact = math.sqrt(factorization.local_variance(None, best, size=40_000, epsilon=1).max())
    mine = assignment.worst_deviation(best.R, best.A, float(best.column_norms.max()))
    assert mine == pytest.approx(exact, rel=1e-9) and round(mine, 5) == deviation
    assert np.linalg.matrix_rank(assignment.ARCS - 7 / 15) == 14 and best.dimension == 15 - centered
    assert (mine <= assignment.GOAL) == centered


def test_what_the_question_says_of_two_simple_designs(assignment):
    groups = math.sqrt(15) / (2 * math.tanh(0.5)) / 200
    assert (round(groups, 4), round(groups, 5)) == (0.021, 0.02095)
    assert round(assignment.worst_deviation(assignment.ARCS, np.eye(15), 1.0), 4) == 0.0353
    assert assignment.GOAL == pytest.approx(1.05 * 0.01745, rel=2e-3)


def test_the_worst_deviation_is_attained_and_never_exceeded(assignment):
    """For three designs: shares that make the square 0, or least if u lies outside of [0, 1], and 200 random ones."""
    rng = np.random.default_rng(5)
    for centre in (7 / 15, 0.0, -0.3):
        U, S, V = np.linalg.svd(assignment.ARCS - centre)
        R, A = U * np.sqrt(S), np.sqrt(S)[:, None] * V
        rho = float(np.linalg.norm(A, axis=0).max())
        worst = assignment.worst_deviation(R, A, rho)
        design = factorization.factorization_of(assignment.ARCS, R=R, A=A, u=np.full(15, centre))
        exact = lambda h: math.sqrt(factorization.local_variance(h, design, size=40_000, epsilon=1).max())
        inside = np.flatnonzero(assignment.ARCS[0])[0], np.flatnonzero(assignment.ARCS[0] == 0)[0]
        share = min(max(centre, 0), 1)
        h = np.zeros(15)
        h[list(inside)] = share, 1 - share
        assert exact(h) == pytest.approx(worst, rel=1e-6)
        assert max(exact(h) for h in rng.dirichlet(np.full(15, 0.2), 200)) <= worst * (1 + 1e-12)


def test_the_length_of_a_message_is_the_one_that_is_private_and_unbiased(assignment):
    """B of the question is that of the package, whose privacy and mean are tested there."""
    with pytest.raises(grading.Wrong, match="up to one number"):  # RA = 0: what is missing is W, and no constant
        assignment.worst_deviation(np.zeros((15, 1)), np.zeros((1, 15)), 1.0)
    for k in (1, 2, 14, 45):
        A = np.vstack([assignment.ARCS, np.zeros((k, 15))])
        R = np.hstack([np.eye(15), np.zeros((15, k))])
        length = local.l2_ball_scale(radius=3.0, dimension=15 + k, epsilon=1)
        assert assignment.worst_deviation(R, A, 3.0) == pytest.approx(length / math.sqrt(15 + k) / 200, rel=1e-12)


# --- question 6 ------------------------------------------------------------------------------------------------------
def test_the_numbers_of_the_prediction(assignment):
    """The marker's sheet against the package, for 19, 20 and 21 questions."""
    sheet, enough = assignment.PARITY_NUMBERS, dict(epsilon=1, beta=0.25)
    curator = {d: parity.parity_sample_size(dimension=d, **enough) for d in (19, 20, 21)}
    assert curator == {19: (56, 1), 20: (59, 1), 21: (61, 1)}
    whisper = {d: parity.local_parity_sample_size(dimension=d, **enough) for d in (19, 20, 21)}
    assert {d: round(n / 1e6) for d, n in whisper.items()} == {19: 73, 20: 154, 21: 323}
    assert round(parity.parity_sample_size_lower_bound(dimension=20, **enough) / 1e6) == 48
    wrong = {d: parity.parity_sample_size(dimension=d, wrong=0.05, **enough) for d in (19, 20, 21)}
    assert wrong == {19: (467, 8), 20: (542, 9), 21: (586, 9)}
    equal = lambda n, k: parity.parity_success_probability(size=n, dimension=20, wrong=0.05, epsilon=1, neighbor="replace", blocks=k)
    assert equal(549, 9) >= 0.75
    assert not [9 * m for m in range(40, 61) if equal(9 * m, 9) >= 0.75]
    one = equal(np.arange(2000), 1)
    assert one.argmax() == 54 and round(one.max(), 3) == 0.193 and one[-1] < 1e-6
    for said in ("59 people", "56 for 19", "61 for 21", "154 million", "73 million", "323 million", "48 million", ".193",
                 "54 people", "542 people in 9 blocks", "549", "467 for 19", "586 for 21"):
        assert said in sheet


def test_the_solution_computes_them_without_the_package(capsys):
    source = code_cell("def block_chances")
    exec(source, {"math": math, "np": np})
    printed = capsys.readouterr().out
    for said in ("(56, 1)", "(59, 1)", "(61, 1)", "(467, 8)", "(542, 9)", "(586, 9)", "0.193, with 54 people", "4.76e+07"):
        assert said in printed


def test_the_number_of_queries_in_the_rubric():
    """Half a chance at d = 40 and tau = .01, by the theorem: m >= tau^2 (2^d / 2 - 1 / gamma^2)."""
    assert round(0.01**2 * (2**39 - 1 / 0.5**2) / 1e6) == 55


# --- the second box --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("alpha", [Fraction(1, 2), Fraction(6, 7)])
def test_the_law_of_the_second_box_is_the_enumerated_one(assignment, alpha):
    """The mechanism, run on every value of three noises, against the closed form."""
    for published, votes in (("yes", lambda v: sum(2 + g >= 3 for g in v)), ("no", lambda v: sum(2 + g < 3 for g in v))):
        numbers = {"alpha": str(alpha), "T": 3, "learners": 3, "published": published}
        exact = at_most(votes, alpha)
        for t in range(-2, 6):
            assert assignment.COMMITTEE.chance(numbers, (1, 0, 1, 0), t) == exact(t)
