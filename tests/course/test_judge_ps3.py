"""The judge of problem set 3 is right: formulas agree with enumeration, and what the texts say is so."""

import json
import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import jupytext
import numpy as np
import pytest

import grading
import ps3
import sandbox
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


KINDS = [("with", 1, 0.0), ("with", 3, 0.25), ("without", 2, 0.1)]


# --- question 2 ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("k, s", [(2, 1), (3, 1), (4, 2), (5, 3)])
def test_sets_are_private_and_estimates_right_by_enumeration(assignment, k, s, kind):
    """All sets, in exact fractions of e^(epsilon / messages) = 3: the law, its ratio, mean and variance of the estimates."""
    sets, odds = assignment.Sets(*kind), 3
    every, spoilt = list(combinations(range(k), s)), Fraction(sets.spoilt)
    favoured = lambda x, chosen: (x in chosen) == (sets.favours == "with")
    weights = [[Fraction(odds if favoured(x, chosen) else 1) for chosen in every] for x in range(k)]
    law = [[w / sum(row) for w in row] for row in weights]
    assert max(p / q for a in law for b in law for p, q in zip(a, b)) == odds  # no larger odds are private
    own, without = assignment.set_law(k, s, sets.messages * math.log(odds), sets)
    assert all(p == pytest.approx(own if x in chosen else without, rel=1e-12)
               for x, row in enumerate(law) for p, chosen in zip(row, every))
    law = [[(1 - spoilt) * p + spoilt / len(every) for p in row] for row in law]     # as they arrive
    inside, outside = (
        next(sum(p for p, chosen in zip(law[x], every) if j in chosen) for x, j in places) for places in ([(0, 0)], [(0, 1)])
    )
    assert assignment.arriving((own, without), k, s, sets) == pytest.approx([float(inside), float(outside)], rel=1e-12)
    estimate = lambda chosen, j: ((j in chosen) - outside) / (inside - outside)
    for x, j in product(range(k), repeat=2):
        values = [estimate(chosen, j) for chosen in every]
        mean = sum(p * v for p, v in zip(law[x], values))
        assert mean == (x == j)
        if x != j:
            square = sum(p * v**2 for p, v in zip(law[x], values)) / sets.messages
            assert assignment.variance_of((own, without), k, s, sets) == pytest.approx(float(square), rel=1e-12)
    rows = [(None, {"reports": [list(c)], "cells": k}, np.array([float(estimate(c, j)) for j in range(k)]), None) for c in every]
    assert assignment.mean_of_one(rows, (own, without), sets) == pytest.approx(np.eye(k), abs=1e-9)


def test_numbers_of_sets_that_the_question_rests_on(assignment):
    """Randomised response and unary reports are those of the package and of the page, if one set is sent and none is spoilt."""
    one_set = assignment.Sets("with", 1, 0.0)
    variance = lambda k, s: assignment.variance_of(assignment.set_law(k, s, 1, one_set), k, s, one_set)
    best = lambda k: min(range(1, k), key=lambda s: variance(k, s))
    assert [best(k) for k in (64, 8, 3)] == [17, 2, 1]
    assert [round(variance(k, best(k)), 3) for k in (64, 8, 3)] == [3.537, 2.568, 1.259]
    one = [variance(k, 1) for k in (64, 8, 3)]
    assert one == pytest.approx([(math.e + k - 2) / math.expm1(1) ** 2 for k in (64, 8, 3)])
    assert [round(v, 2) for v in one] == [21.92, 2.95, 1.26]
    assert round(4 * math.e / math.expm1(1) ** 2, 3) == 3.683  # unary, for any number of cells


@pytest.fixture
def model_of(model):
    """The functions of the solution, written for some sheet."""

    def functions(sheet):
        for function in vars(model("ps3")).values():
            if hasattr(function, "__globals__"):
                function.__globals__["MINE"] = sheet
        return model("ps3")

    return functions


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("cells, epsilon", [(2, 0.05), (3, 10), (40, 0.7), (500, 0.05), (500, 10)])
def test_the_model_is_right_on_all_that_is_allowed(model_of, assignment, cells, epsilon, kind):
    """Six digits, by exact fractions of the e^(epsilon / messages) that a float holds."""
    sets = assignment.Sets(*kind)
    solution, e = model_of(sets._asdict()), Fraction(math.exp(epsilon / sets.messages))
    e = e if sets.favours == "with" else 1 / e
    exact, spoilt = {}, Fraction(sets.spoilt)
    for size in {1, 2, cells // 3, cells - 1} & set(range(1, cells)) if cells < 500 else {1, 134, 499}:
        own, others = math.comb(cells - 1, size - 1), math.comb(cells - 1, size)
        without = 1 / (e * own + others)
        inside = e * own * without
        outside = (size - inside) / (cells - 1)
        p, q = ((1 - spoilt) * sent + spoilt * Fraction(size, cells) for sent in (inside, outside))
        exact[size] = q * (1 - q) / (p - q) ** 2 / sets.messages
        public = dict(cells=cells, size=size, epsilon=epsilon)
        assert solution.set_chances(**public) == pytest.approx((float(e * without), float(without)), rel=1e-9)
        assert solution.rare_variance(**public) == pytest.approx(float(exact[size]), rel=1e-7)
        for law in (assignment.set_law(**public, sets=sets), solution.set_chances(**public)):
            assert assignment.variance_of(law, cells, size, sets) == pytest.approx(float(exact[size]), rel=1e-7)
    size = solution.best_size(cells=cells, epsilon=epsilon)
    law = assignment.set_law(cells, size, epsilon, sets)
    assert assignment.variance_of(law, cells, size, sets) <= assignment.least_variance(cells, epsilon, sets) * (1 + 1e-12)
    assert float(min(exact.values())) >= assignment.least_variance(cells, epsilon, sets) * (1 - 1e-7)


def test_the_handed_out_sampler_has_the_law(model_of, assignment):
    """5,000 sets; a frequency of a set is off by more than 6 standard errors with probability 1e-8 at most."""
    sets = assignment.Sets("without", 2, 0.2)
    solution, rng = model_of(sets._asdict()), np.random.default_rng(1)
    space = vars(solution) | {"math": math, "MINE": sets._asdict()}
    source = code_cell("def send_set")
    exec("def send_set" + source.split("def send_set")[1].split("\nrng, phones")[0], space)
    seen = Counter(tuple(sorted(space["send_set"](1, cells=5, size=2, epsilon=1, rng=rng))) for _ in range(5_000))
    own, other = assignment.set_law(5, 2, 1, sets)
    for chosen in combinations(range(5), 2):
        p = 0.8 * (own if 1 in chosen else other) + 0.2 / 10
        assert abs(seen[chosen] - 5_000 * p) < 6 * math.sqrt(5_000 * p * (1 - p))


def test_questions_are_allowed_ones_and_tell_right_from_wrong(assignment):
    for seed in range(10):
        sheet = assignment.boxes.sheets[seed * 41]
        sets, asked = assignment.sets_of(sheet), assignment.calls(np.random.default_rng(seed), sheet)
        for group in ("chances", "one set", "many sets", "variances"):
            for kwargs in asked[group][1]:
                assert 1 <= kwargs["size"] < kwargs["cells"] <= 500 and 0.05 <= kwargs["epsilon"] <= 10
        for rounding in range(3):  # each rounding is wrong for some size that is always asked
            wrong = 0
            for kwargs in asked["sizes"][1][:3]:
                size = assignment.natural_sizes(**kwargs, sets=sets)[rounding]
                law = assignment.set_law(size=size, **kwargs, sets=sets)
                least = assignment.least_variance(**kwargs, sets=sets)
                wrong += assignment.variance_of(law, kwargs["cells"], size, sets) > least * (1 + 1e-6)
            assert wrong and kwargs["epsilon"] <= 10


def test_points_are_given_once_for_a_mistake_that_a_later_function_inherits(assignment):
    """A law with the wrong odds; estimates, variance and size that follow from it. A constant follows from nothing."""
    sheet = assignment.boxes.sheet_of(STUDENT)
    calls, sets = assignment.calls(np.random.default_rng(1), sheet), assignment.sets_of(sheet)
    own = lambda cells, size, epsilon: assignment.set_law(cells, size, 2 * epsilon, sets)
    public = lambda kwargs: {k: kwargs[k] for k in ("cells", "size", "epsilon")}
    variance = lambda law, cells, size: assignment.variance_of(law, cells, size, sets)
    variances = lambda kwargs: [variance(own(size=s, **kwargs), kwargs["cells"], s) for s in range(1, kwargs["cells"])]
    found = {}
    for group in ("one set", "many sets"):
        for i, kwargs in enumerate(calls[group][1]):
            law = own(**public(kwargs))
            found[group, i] = [assignment.expected_shares(kwargs, law, sets).tolist(), list(law)], None
    for i, kwargs in enumerate(calls["variances"][1]):
        found["variances", i] = [variance(own(**kwargs), kwargs["cells"], kwargs["size"]), list(own(**kwargs))], None
    for i, kwargs in enumerate(calls["sizes"][1]):
        found["sizes", i] = [1 + int(np.argmin(variances(kwargs))), variances(kwargs)], None
    follow = (assignment.no_bias, assignment.variance_exact, assignment.size_is_best)
    for check in follow:
        entry = grading.judged(check.check, grading.Answers(found, calls), STUDENT)
        assert entry["score"] == check.check.points and "Right only if your" in entry["output"]
    for excuse in (None, [], [0.5, "x"], [0.1, 0.1], [-1.0, 2.0], [3.0] * 499):
        poor = {key: ([value[0], excuse], None) for key, (value, _) in found.items()}
        for check in follow:
            assert grading.judged(check.check, grading.Answers(poor, calls), STUDENT)["score"] == 0


# --- question 3 ------------------------------------------------------------------------------------------------------
RULES = [{"columns": columns, "weight": weight} for columns in ("alone", "in pairs") for weight in (1.6, 3.99)]


def worst_excess(wrong, people, tolerance, weight, scale):
    """By how much more than the best a rule can cost, if every answer may move by the tolerance; scale: of the queries."""
    cost = np.array([(weight * dear + cheap) / (2 * people) for dear, cheap in wrong])
    cost = np.minimum(cost, (weight + 1) / 2 - cost)
    seen = scale * np.abs((weight + 1) / 2 - 2 * cost) / weight
    return max(cost[seen + 2 * tolerance >= seen.max() - 1e-12]) - cost.min()


def test_the_promise_of_the_stump_is_the_best_one():
    """By enumeration: with the whole range no oracle makes it cost more than tau times the weight more; with half of it some do."""
    people, tolerance, weight = 10, 0.08, 2.5
    excess = {scale: 0.0 for scale in (1, 0.5)}
    for dear in product(range(people + 1), repeat=2):
        for cheap in product(range(people + 1), repeat=2):
            for scale in excess:
                excess[scale] = max(excess[scale], worst_excess(list(zip(dear, cheap)), people, tolerance, weight, scale))
    assert 0.9 * tolerance * weight < excess[1] <= tolerance * weight + 1e-12
    assert excess[0.5] > 1.5 * tolerance * weight


@pytest.mark.parametrize("sheet", RULES, ids=str)
def test_what_a_rule_costs_by_the_definition(assignment, sheet):
    records = [(1, -1, 1, 1), (1, 1, -1, -1), (-1, 1, -1, 1), (-1, -1, -1, 1)]
    known = assignment.costs(records, sheet)
    for rule, cost in known.items():
        *columns, sign = rule
        wrong = [r for r in records if sign * math.prod(r[j] for j in columns) != r[-1]]
        assert cost == pytest.approx(sum(sheet["weight"] if r[-1] == 1 else 1 for r in wrong) / 4)
    assert len(known) == 6


@pytest.mark.parametrize("sheet", RULES, ids=str)
def test_stumps_that_forget_something_fail_on_what_is_always_asked(assignment, model_of, sheet, monkeypatch):
    """Half of the range, the costs, the sign or the pairs; and the model fails nowhere, whoever asks."""
    sheet = assignment.boxes.sheets[0] | sheet
    monkeypatch.setattr(assignment.boxes, "sheet_of", lambda student: sheet)
    calls = assignment.calls(np.random.default_rng(1), sheet)
    for kwargs in calls["stumps"][1]:
        oracle = kwargs["oracle"]
        assert sum(oracle.shares) == pytest.approx(1) and set(oracle.records) <= set(oracle.domain)

    def passes(mine, factor=1):
        def stub(oracle):
            return lambda phi: oracle.answer([factor * phi(record) for record in oracle.domain])

        learn = model_of(sheet | mine).learn_stump
        found = {("stumps", i): (list(learn(stub(kwargs["oracle"]), columns=kwargs["columns"])), None)
                 for i, kwargs in enumerate(calls["stumps"][1])}
        return grading.judged(assignment.stump_is_right.check, grading.Answers(found, calls), "")["score"] == 2

    assert passes({}) and passes({}, -1) is False
    assert not passes({}, 0.5) and not passes({"weight": 1}) and not passes({"weight": sheet["weight"] + 0.2})
    other = {"alone": "in pairs", "in pairs": "alone"}[sheet["columns"]]
    assert not passes({"columns": other})


def test_an_oracle_says_nothing_beyond_its_tolerance(assignment):
    """Its answer is the aim, or a tolerance from the mean; values that are no numbers, or too many, get no answer."""
    oracle = assignment.Averages([(1, 1), (1, -1), (1, -1), (-1, 1)], 0.1, 0.0)
    assert oracle.domain == [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    assert oracle.answer([1, 1, 0, 0]) == pytest.approx(0.65) and oracle.answer([0.2, 0, 0, 0]) == 0.0
    assert oracle.answer([1e9, 0, 0, -1e9]) == pytest.approx(0.15)                # clipped before it is averaged
    calls = {"g": ("f", [{"oracle": oracle}])}
    line = lambda values, i=0: json.dumps({"ask": "g", "i": i, "values": values}).encode()
    assert sandbox.reply(line([1, 1, 0, 0]), calls) == b"0.65\n"
    for nothing in (line([1]), line(["x"] * 4), line([{}] * 4), line([1] * 4, 7), b'{"ask": "h"}', b"{", line([10**400] * 4)):
        assert sandbox.reply(nothing, calls) == b""


# --- question 4 ------------------------------------------------------------------------------------------------------
def test_what_the_model_proof_says():
    T = np.array([[1.0, 0], [1, 1]])
    price = lambda W: factorization.gamma2(W, gap=1e-6)
    assert [price(T), price(T.T)] == pytest.approx([2 / math.sqrt(3)] * 2, rel=1e-5)
    assert price(T + T.T) == pytest.approx(2, rel=1e-5)
    assert price(np.vstack([T, T])) == pytest.approx(2 / math.sqrt(3), rel=1e-5)
    rng = np.random.default_rng(1)
    for _ in range(3):
        one, other = rng.integers(-2, 3, (2, 3, 3)).astype(float)
        assert price(np.vstack([one, other])) ** 2 <= (price(one) ** 2 + price(other) ** 2) * (1 + 1e-5)
    for t in (1, 10, 100):
        R, A = np.array([[t, 1 / t]]), np.array([[1 / t], [t]])
        assert R @ A == pytest.approx(2)
        assert np.linalg.norm(R) * np.linalg.norm(A) == pytest.approx(t**2 + t**-2)


# --- question 5 ------------------------------------------------------------------------------------------------------
CIRCLES = [{"cells": cells, "arc": arc, "behind": behind, "phones": phones, "epsilon": epsilon}
           for cells, arc, behind, phones, epsilon in [(13, 4, -0.4, 20_000, 0.5), (15, 6, 0.5, 40_000, 1.0), (16, 5, 0.8, 79_000, 1.5)]]
every_circle = pytest.mark.parametrize("circle", CIRCLES, ids=lambda circle: str(circle["cells"]))


def factored(W):
    U, S, V = np.linalg.svd(W)
    live = S > 1e-9
    R, A = U[:, live] * np.sqrt(S[live]), np.sqrt(S[live])[:, None] * V[live]
    return R, A, float(np.linalg.norm(A, axis=0).max())


def test_the_workload_by_the_definition(assignment):
    W = assignment.arcs({"cells": 13, "arc": 4, "behind": 0.3})
    for j, x in product(range(13), repeat=2):
        near, behind = ({(j + step) % 13 for step in steps} for steps in (range(4), range(4, 8)))
        assert W[j, x] == (1 if x in near else 0.3 if x in behind else 0)
    source = code_cell("cells, phones, epsilon = MINE")
    space = {"np": np, "MINE": CIRCLES[0]}
    exec(source, space)
    assert (space["W"] == assignment.arcs(CIRCLES[0])).all()


@every_circle
def test_the_best_designs(assignment, circle):
    """By the certified search of the package, whose lower bound holds for every design; what is not centred misses the goal."""
    W, least = assignment.arcs(circle), assignment.least_deviation(circle)
    best = factorization.optimal_factorization(W, gap=1e-6, centered=True)
    exact = math.sqrt(factorization.local_variance(None, best, size=circle["phones"], epsilon=circle["epsilon"]).max())
    mine = assignment.worst_deviation(best.R, best.A, float(best.column_norms.max()), circle)
    assert mine == pytest.approx(exact, rel=1e-9) and best.gap < 2e-6
    assert assignment.worst_deviation(*factored(W - W.mean()), circle) == pytest.approx(least, rel=1e-9)
    assert least <= mine * (1 + 1e-6)


def test_the_goal_is_near_the_best_and_no_simple_design_meets_it(assignment):
    for sheet in assignment.boxes.sheets[::24]:
        W, goal = assignment.arcs(sheet), sheet["goal"]
        deviation = lambda R, A, rho: assignment.worst_deviation(R, A, rho, sheet)
        assert 1.02 < goal / deviation(*factored(W - W.mean())) < 1.04
        assert deviation(*factored(W)) > 1.003 * goal        # not centred
        assert deviation(W, np.eye(len(W)), 1.0) > 1.1 * goal


@every_circle
def test_the_worst_deviation_is_attained_and_never_exceeded(assignment, circle):
    """For three designs: shares that make the square 0, or least if u lies outside of what W holds, and 200 random ones."""
    rng, W = np.random.default_rng(5), assignment.arcs(circle)
    for centre in (W.mean(), 0.0, -0.7):
        R, A, rho = factored(W - centre)
        worst = assignment.worst_deviation(R, A, rho, circle)
        design = factorization.factorization_of(W, R=R, A=A, u=np.full(len(W), centre))
        exact = lambda h: math.sqrt(
            factorization.local_variance(h, design, size=circle["phones"], epsilon=circle["epsilon"]).max())
        low, high = W[0].argmin(), W[0].argmax()
        share = min(max((centre - W[0, low]) / (W[0, high] - W[0, low]), 0), 1)
        h = np.zeros(len(W))
        h[[low, high]] = 1 - share, share
        assert exact(h) == pytest.approx(worst, rel=1e-6)
        assert max(exact(h) for h in rng.dirichlet(np.full(len(W), 0.2), 200)) <= worst * (1 + 1e-12)


@every_circle
def test_the_length_of_a_message_is_the_one_that_is_private_and_unbiased(assignment, circle):
    """B of the question is that of the package, whose privacy and mean are tested there."""
    W, c = assignment.arcs(circle), circle["cells"]
    with pytest.raises(grading.Wrong, match="up to one number"):  # RA = 0: what is missing is W, and no constant
        assignment.worst_deviation(np.zeros((c, 1)), np.zeros((1, c)), 1.0, circle)
    for k in (1, 2, 14, 45):
        R, A = np.hstack([np.eye(c), np.zeros((c, k))]), np.vstack([W, np.zeros((k, c))])
        length = local.l2_ball_scale(radius=3.0, dimension=c + k, epsilon=circle["epsilon"])
        expected = length / math.sqrt(c + k) / math.sqrt(circle["phones"])
        assert assignment.worst_deviation(R, A, 3.0, circle) == pytest.approx(expected, rel=1e-12)


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
