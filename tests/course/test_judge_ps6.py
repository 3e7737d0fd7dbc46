"""The judge of problem set 6 is right: closed forms agree with searches, and what is called least or best is."""

import json
import math
from collections import Counter
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import linprog, minimize_scalar
from scipy.stats import beta, binom, laplace

import grading
import ps6
from tests import depth


@pytest.fixture
def problem_set():
    return ps6


# --- question 1 ------------------------------------------------------------------------------------------------------
def test_signs_of_the_mistakes(assignment):
    """What the rubric says about each planted table, at every level."""
    for box, u, _ in assignment.boxes.variants:
        law = lambda *x: box.law(x, u, True)
        total = lambda table, label: sum(p for y, p in table.items() if y[0] == label)
        every, r = list(product(box.records, repeat=box.n)), u**4
        match box.law.__name__:
            case "alarm_with_count":
                assert all(Counter(y[0] for y in law(*x)).most_common(1)[0][1] == 1 for x in every)
                assert all(y[1] == x.count(y[0]) for x in every for y in law(*x) if y[0] < 3)
            case "alarm_unanswered":
                assert law(0, 0, 1)[1,] == 0 < box.law((0, 0, 1), u, False)[1,]
            case "strong_choice":
                assert law(0, 0, 0, 0)[0,] == r**4 * law(0, 0, 0, 0)[1,]
                honest = box.law((0, 0, 0, 0), u, False)
                assert honest[0,] == r**2 * honest[1,]
            case "choice_and_count":
                planted, honest = law(0, 0, 0), box.law((0, 0, 0), u, False)
                assert total(planted, 0) == u**6 * total(planted, 1) and total(honest, 0) == u**3 * total(honest, 1)
                assert planted[0, 2] == r * planted[0, 1] and honest[0, 2] == u**2 * honest[0, 1]
            case "next_label":
                assert all(p == 0 for y, p in law(0, 0).items() if 2 in y)
            case "bits":
                for place in range(6):
                    said = sum(p for y, p in law(0, 1).items() if y[place])
                    assert said == (r if place in (0, 4) else 1) / (1 + r)
            case "asked_twice":
                differ = lambda table: sum(p for y, p in table.items() if y[0] != y[1] or y[2] != y[3])
                assert differ(law(0, 1)) > 0 == differ(box.law((0, 1), u, False))
            case "drawn_batch":
                assert law(0, 0, 0, 0)[0,] == (4 * r - 3) / (4 * r - 2)
                assert box.law((0, 0, 0, 0), u, False)[0,] == (2 * r - 1) / (2 * r)
            case other:
                raise AssertionError(f"nothing is known about {other}")


def test_the_law_of_the_first_alarm_is_the_sum_over_thresholds(assignment):
    """Thresholds as far as the noise has a probability that floats can show."""
    for counts in ((0, 3, 1), (2, 0, 1), (0, 0, 3)):
        a, b = Fraction(2, 3), Fraction(4, 5)
        exact, found = assignment.alarm_law(counts, 2, a, b), np.zeros(4)
        for t in range(-120, 125):
            reaches = [float(assignment.tail(t - c, b)) for c in counts] + [1]
            silent = np.cumprod([1, *(1 - p for p in reaches[:3])])
            found += float((1 - a) / (1 + a) * a ** abs(t - 2)) * silent * reaches
        assert sum(exact) == 1 and np.allclose(found, [float(p) for p in exact], atol=1e-14)


def test_alarms_without_noise_on_the_answers(assignment):
    """The first count that reaches the noisy threshold, threshold by threshold."""
    u = Fraction(5, 4)
    for x in product(range(3), repeat=3):
        found = Counter()
        for t in range(-150, 150):
            first = next((k for k in range(3) if x.count(k) >= t), 3)
            found[first] += float((1 - u**-2) / (1 + u**-2) * u ** (-2 * abs(t - 2)))
        law = assignment.alarm_unanswered(x, u, True)
        assert all(float(law[k,]) == pytest.approx(found[k], abs=1e-12) for k in range(4)) and sum(law.values()) == 1


def test_messages_of_the_second_box_have_the_enumerated_law(assignment):
    """Every message of four people."""
    for labels, a, published in ((2, Fraction(3), "named"), (4, Fraction(5, 2), "not named")):
        numbers = {"n": 4, "labels": labels, "answer_ratio": str(a), "published": published}
        x, law = (0, 1, 0, 1), Counter()
        for told in product((0, 1), repeat=4):
            chances = [(a if one else 1) / (a + labels - 1) for one in x]
            named = sum(told)
            law[named if published == "named" else 4 - named] += math.prod(p if y else 1 - p for y, p in zip(told, chances))
        for t in range(-1, 6):
            assert assignment.message_chance(numbers, x, t) == sum(p for y, p in law.items() if y <= t)


# --- question 2 ------------------------------------------------------------------------------------------------------
def kinds(**choices):
    """Sheets with all combinations of some of their entries."""
    return [dict(zip(choices, values)) for values in product(*choices.values())]


BANDS = [mine | {"low": low, "high": high} for low, high in ((-2, 1), (1, 3), (-3, 0), (0, 2))
         for mine in kinds(records=[1, 2], records_are=["added or removed", "replaced"], band=["left", "exceeded"],
                           alarms=[3], width=["kept", "drawn anew"])]


def changes(mine):
    """How far answers may move together, for each kind of neighbour: the least and the largest move."""
    values = range(mine["low"], mine["high"] + 1)
    for many in range(1, mine["records"] + 1):
        sums = {sum(x) for x in product(values, repeat=many)}
        if mine["records_are"] == "replaced":
            sums = {b - a for a in sums for b in sums}
        yield from ((min(sums), max(sums)), (-max(sums), -min(sums)))


def ln_tail(z):
    """ln Pr[ν > z] for Laplace noise of scale 1, however small."""
    return np.where(z > 0, -z - math.log(2), np.log1p(-np.exp(np.minimum(z, 0)) / 2))


def loss(mine, one, other, questions, silent, alarm):
    """ln of how much likelier a silence of so many questions and then the alarms are on x, if answers move by `silent` and `alarm` from
    x to its neighbour. Silent answers begin at the upper end of a wide band, and alarms at the end to which this is worst."""
    times = 1 if mine["width"] == "kept" else mine["alarms"]
    z = np.linspace(-60 * (one + other), 60 * (one + other), 60_001)

    def ln(quiet, loud):
        end = -loud if mine["band"] == "left" and alarm > 0 else loud       # at the lower end, a rise leads inside
        inside, outside = ln_tail((quiet - z) / other), ln_tail((z - end) / other)
        return np.logaddexp.reduce(-np.abs(z) / one + questions * inside + mine["alarms"] // times * outside)

    return times * (ln(0, 0) - ln(silent, alarm))


def test_no_neighbours_lose_more_than_the_costs_and_some_lose_as_much(assignment):
    """No silence or one of 10^12 questions, then all alarms, by sums over the noise of the width."""
    for mine in depth.few(BANDS, depth.KINDS):
        width, answers = assignment.band_costs(mine)
        for one, other in ((2.0 * width, 3.0 * answers), (5.0 * width, answers / 2)):
            worst = max(loss(mine, one, other, questions, *moves) for ends in changes(mine)
                        for questions in (0, 10**12) for moves in product(ends, repeat=2))
            bound = width / one + answers / other
            assert 0.97 * bound <= worst <= bound + 1e-6, (mine, worst, bound)


def test_the_least_noise_is_the_least_on_the_line_of_all_shares(assignment):
    for mine in BANDS[::5]:
        for least in ("the mean square", "the sum"):
            sheet, epsilon = mine | {"least": least}, 0.7
            width, answers = assignment.band_costs(sheet)
            scales = lambda share: (width / (share * epsilon), answers / ((1 - share) * epsilon))
            best = minimize_scalar(lambda share: assignment.goal(scales(share), sheet), bounds=(0.001, 0.999), method="bounded",
                                   options={"xatol": 1e-10})
            assert assignment.least_noise(epsilon, sheet) == pytest.approx(scales(best.x), rel=1e-4)
            assert assignment.goal(assignment.least_noise(epsilon, sheet), sheet) <= best.fun * (1 + 1e-12)


def test_the_chance_to_miss_is_that_of_the_sum_of_both_noises(assignment):
    for one, other in ((1, 1), (2, 3), (3, 2), (0.25, 9), (1, 1 + 1e-7), (1, 1 + 2e-5)):
        for t in (0, 0.5, 7):
            exact = quad(lambda z: laplace.pdf(z, scale=one) * laplace.sf(t - z, scale=other), -60 * one, 60 * one,
                         points=sorted({0, t}), limit=400, epsabs=1e-14)[0]
            assert assignment.missed(t, one, other) == pytest.approx(exact, rel=1e-7)
        t = assignment.least_reach(one, other, {"odds": 300})
        assert assignment.missed(t, one, other) == pytest.approx(1 / 300, rel=1e-9)


def test_a_narrow_band_misses_less_and_a_wide_one_comes_near_to_the_bound(assignment):
    one, other, t = 2.0, 3.0, 5.0
    silent = lambda w: quad(lambda z: laplace.pdf(z, scale=one) * max(
        laplace.cdf(z - t, scale=other) - laplace.cdf(-w - z - t, scale=other), 0), -80, 80, points=[0, t], limit=400)[0]
    found = [silent(w) for w in (0, 1, 5, 20, 100)]
    assert found == sorted(found) and found[-1] == pytest.approx(assignment.missed(t, one, other), rel=1e-6)


# --- question 3 ------------------------------------------------------------------------------------------------------
MESSAGES = [{"secret": secret, "liars": liars, "lie": lie} for secret in ([0, 1], [2, 5, 7], [0, 3, 4, 6, 7])
            for liars, lie in (([1, 20], 0), ([9, 25], 4))]


@pytest.mark.parametrize("mine", MESSAGES[::2], ids=str)
@pytest.mark.parametrize("ratio", [1.2, 3])
def test_the_best_message_is_the_optimum_of_two_linear_programs(assignment, mine, ratio):
    """First the common chance of the truth of all secret labels; then, with it, that of each open one."""
    place, rows = lambda y, j: 8 * j + y, []
    for s, j, y in product(mine["secret"], range(8), range(8)):
        if s != j:
            row = np.zeros(64)
            row[place(y, s)], row[place(y, j)] = 1, -ratio
            rows.append(row)
    sums = [np.repeat(np.eye(8)[j], 8) for j in range(8)]
    first, *rest = mine["secret"]
    for s in rest:
        row = np.zeros(64)
        row[place(s, s)], row[place(first, first)] = 1, -1
        sums.append(row)
    right = [1] * 8 + [0] * len(rest)

    def most(j, sums, right):
        best = linprog(-np.eye(64)[place(j, j)], A_ub=np.array(rows), b_ub=np.zeros(len(rows)), A_eq=np.array(sums), b_eq=right,
                       bounds=(0, 1))
        assert best.status == 0
        return -best.fun

    law = lambda j: [float(p) for p in assignment.best_message(j, Fraction(str(ratio)), mine)]
    truth = most(first, sums, right)
    assert truth == pytest.approx(law(first)[first], rel=1e-8)
    fixed = [*sums, np.eye(64)[place(first, first)]]
    for j in set(range(8)) - set(mine["secret"]):
        assert most(j, fixed, [*right, law(first)[first]]) == pytest.approx(law(j)[j], rel=1e-7)
    chances = np.array([law(j) for j in range(8)]).ravel()
    assert (np.array(rows) @ chances <= 1e-12).all()


def test_the_estimates_are_unbiased(assignment):
    """They are linear in the counts, so their means are what they say of the expected counts."""
    rng = np.random.default_rng(6)
    for mine in MESSAGES:
        weights = rng.integers(1, 50, 8).tolist()
        true, ratio, liars = [Fraction(w, sum(weights)) for w in weights], Fraction(7, 3), Fraction(*mine["liars"])
        laws = [assignment.best_message(j, ratio, mine) for j in range(8)]
        expected = [(1 - liars) * sum(f * law[y] for f, law in zip(true, laws)) + liars * (y == mine["lie"]) for y in range(8)]
        whole = math.lcm(*(p.denominator for p in expected))
        assert assignment.exact_shares([int(p * whole) for p in expected], ratio, mine) == true


def test_what_is_no_fraction_is_told_so(assignment):
    for value, said in [(None, "is None"), (0.5, "a float"), ("1/0", "not a Fraction"), ([1], "not a Fraction"), (True, "not a Fraction")]:
        with pytest.raises(grading.Wrong, match=said):
            assignment.fraction(value, "the chance")
    assert assignment.fraction("-2/6", "") == Fraction(-1, 3)


# --- question 4 ------------------------------------------------------------------------------------------------------
PROGRAMS = kinds(marked=[[0, 13, 7], [10, 1, 9]], plain=[[3, 6, 11], [16, 4, 0]], share=[[7, 10]], batch=["once", "anew"],
                 seen=["all marks", "the sum", "the largest"], guilty=["in the data", "not in the data"])


def every_outcome(runs, mine):
    """The chances of all marks of all runs, one by one, for the guilty and for the innocent, in floats: batches first, then marks."""
    see = {"all marks": tuple, "the sum": sum, "the largest": max}[mine["seen"]]
    there, elsewhere = (np.array(mine[name]) / 20 for name in ("marked", "plain"))
    present, absent, s = Counter(), Counter(), mine["share"][0] / mine["share"][1]
    drawn = [(s, (True,) * runs), (1 - s, (False,) * runs)] if mine["batch"] == "once" else [
        (math.prod(s if inside else 1 - s for inside in batches), batches) for batches in product((True, False), repeat=runs)]
    for marks in product(range(3), repeat=runs):
        absent[see(marks)] += math.prod(elsewhere[y] for y in marks)
        for chance, batches in drawn:
            present[see(marks)] += chance * math.prod((there if inside else elsewhere)[y] for y, inside in zip(marks, batches))
    pair = (present, absent) if mine["guilty"] == "in the data" else (absent, present)
    return [np.array([law[y] for y in absent]) for law in pair]


def test_no_test_catches_more_than_the_best_accuser_and_one_catches_as_many(assignment):
    """A linear program over all tests, which accuse with a probability for each thing that is seen."""
    for mine in PROGRAMS[:12] + PROGRAMS[12::5]:
        for runs in (1, 3):
            guilty, innocent = every_outcome(runs, mine)
            for alarms in ("0", "1/17", "3/5", "1"):
                best = linprog(-guilty, A_ub=innocent[None], b_ub=[float(Fraction(alarms))], bounds=(0, 1))
                exact = assignment.most_caught(runs, Fraction(alarms), mine)
                assert isinstance(exact, Fraction) and -best.fun == pytest.approx(float(exact), abs=1e-9), mine


def test_the_laws_of_both_worlds_are_laws_and_more_is_seen_of_all_marks(assignment):
    for mine in PROGRAMS[::3]:
        assert [sum(law.values()) for law in assignment.worlds(4, mine)] == [1, 1]
        one, two, less = (assignment.most_caught(runs, Fraction(1, 9), mine | {"seen": seen})
                          for runs, seen in ((1, "all marks"), (2, "all marks"), (2, mine["seen"])))
        assert Fraction(1, 9) < one <= two >= less


def test_the_limit_of_the_innocent_is_that_of_clopper_and_pearson(assignment):
    for innocent, accused, odds in ((90, 0, 20), (480, 5, 400), (50, 49, 33), (500, 250, 100), (3, 1, 77)):
        exact = beta.ppf(1 - 1 / odds, accused + 1, innocent - accused)
        assert assignment.upper_limit(innocent, accused, odds) == pytest.approx(exact, rel=1e-11)
        assert binom.cdf(accused, innocent, exact) == pytest.approx(1 / odds)
    assert assignment.upper_limit(12, 12, 50) == 1


def test_the_least_count_is_the_first_whose_own_limit_is_above_the_chance(assignment):
    for guilty, chance, odds in ((60, 0.3, 20), (400, 0.05, 400), (7, 0.2, 30), (5, 0.9, 99), (300, 1e-6, 50), (9, 0.0, 50), (9, 1.0, 50)):
        lower = [0, *(beta.ppf(1 / odds, k, guilty - k + 1) for k in range(1, guilty + 1))]
        assert assignment.least_refuting(guilty, chance, odds) == next((k for k, p in enumerate(lower) if p > chance), guilty + 1)


def test_a_program_that_keeps_to_the_sheet_is_refuted_no_more_often_than_both_limits_fail(assignment):
    """Exactly, over all counts of a test that lies on the curve, for some numbers of people."""
    for mine in PROGRAMS[::5]:
        mine = mine | {"limits": [20, 30]}
        for alarms in (0.02, 0.3):
            caught = float(assignment.most_caught(2, Fraction(alarms), mine))
            least = [assignment.least_of_sheet(40, 50, accused, 2, mine) for accused in range(51)]
            refuted = binom.pmf(range(51), 50, alarms) @ binom.sf(np.array(least) - 1, 40, caught)
            assert refuted <= 1 / 20 + 1 / 30


def test_an_audit_asks_what_no_rounding_decides_and_can_be_answered_for_every_sheet(assignment):
    for mine in assignment.boxes.sheets[::80]:
        asked = assignment.audit_questions(np.random.default_rng(4), mine)["audits"][1]
        slack = []
        for kwargs in asked:
            assert 0 <= kwargs["accused"] <= kwargs["innocent"] <= 500 and 1 <= kwargs["guilty"] <= 500 and 1 <= kwargs["runs"] <= 4
            u = float(beta.ppf(1 - 1 / mine["limits"][0], kwargs["accused"] + 1, kwargs["innocent"] - kwargs["accused"])
                      ) if kwargs["accused"] < kwargs["innocent"] else 1.0
            chance = float(assignment.most_caught(kwargs["runs"], Fraction(u), mine))
            least = next((k for k in range(kwargs["guilty"] + 1) if binom.sf(k - 1, kwargs["guilty"], chance) < 1 / mine["limits"][1]),
                         kwargs["guilty"] + 1)
            assert assignment.least_of_sheet(**kwargs, mine=mine) == least
            slack.append(kwargs["guilty"] + 1 - least)
        assert 0 in slack and sum(s > 5 for s in slack) >= 3, (mine, slack)


def test_whatever_else_a_sheet_could_say_of_a_program_changes_an_answer(assignment):
    """So a program written for another kind of sheet, or with the limits exchanged, is found out by what is asked."""
    for mine in assignment.boxes.sheets[5::80]:
        asked = assignment.accuser_questions(np.random.default_rng(7))["accusers"][1]
        counted = assignment.audit_questions(np.random.default_rng(7), mine)["audits"][1]
        caught = lambda sheet: [assignment.most_caught(kwargs["runs"], Fraction(kwargs["alarms"]), sheet) for kwargs in asked]
        least = lambda sheet: [assignment.least_of_sheet(**kwargs, mine=sheet) for kwargs in counted]
        others = [{name: value} for name, values in (("batch", ("once", "anew")), ("seen", assignment.JOIN),
                                                     ("guilty", ("in the data", "not in the data"))) for value in values]
        others += [{"share": [mine["share"][0] + 1, 10]}, {"marked": mine["plain"], "plain": mine["marked"]}]
        assert all((caught(mine) == caught(mine | other)) == (mine | other == mine) for other in others), mine
        assert all(least(mine) != least(mine | {"limits": limits}) for limits in (mine["limits"][::-1], [2 * v for v in mine["limits"]])), mine


def test_reports_of_an_audit_that_are_no_numbers_follow_from_nothing(assignment):
    mine = assignment.boxes.sheet_of("ada@example.edu")
    kwargs = {"guilty": 60, "innocent": 90, "accused": 0, "runs": 1}
    least, u = assignment.least_of_sheet(**kwargs, mine=mine), assignment.upper_limit(90, 0, mine["limits"][0])
    for told in ([], [7], [[1, 2]], [["nan", None, "x"]], [[1, u, "9" * 400 + "/1"]], [[1, u, True]], [[2, u, 0.5]], [[1, u / 2, 0.5]],
                 [[1, u, 1]], [[1, u, u]]):
        for count in (least, least + 1):
            said = [("", kwargs, [count, told])]
            assert [found[2:] for found in assignment.audits(SimpleNamespace(group=lambda _: said), mine)] == [(count, least, False)]
    own = assignment.least_refuting(60, 0.5, mine["limits"][1])
    said = [("", kwargs, [own, [[1, u, "1/2"]]])]
    assert own != least and [found[2:] for found in assignment.audits(SimpleNamespace(group=lambda _: said), mine)] == [(own, own, True)]
    for value in (5, [5], [5, 5], None):
        with pytest.raises(grading.Wrong, match="not a whole number"):
            list(assignment.audits(SimpleNamespace(group=lambda _: [("", kwargs, value)]), mine))


def test_questions_are_allowed_ones(assignment):
    for seed in range(10):
        asked = assignment.calls(np.random.default_rng(seed), assignment.boxes.sheets[seed])
        assert all(0 < kwargs["epsilon"] <= 5 for kwargs in asked["noise"][1])
        assert all(min(kwargs.values()) > 0 for kwargs in asked["reach"][1])
        assert all(1 < Fraction(kwargs["ratio"]) <= 20 for group in ("messages", "shares") for kwargs in asked[group][1])
        assert all(0 <= Fraction(kwargs["alarms"]) <= 1 and 1 <= kwargs["runs"] <= 4 for kwargs in asked["accusers"][1])
        assert all(sum(kwargs["counts"]) > 0 and len(kwargs["counts"]) == 8 for kwargs in asked["shares"][1])
    for mine in assignment.boxes.sheets:
        assert mine["low"] < mine["high"] and mine["odds"] > 2 and len(set(mine["secret"])) >= 2 and 0 < Fraction(*mine["liars"]) < 1
        marked, plain = mine["marked"], mine["plain"]
        assert sum(marked) == sum(plain) == 20 and 0 <= min(*marked, *plain) and max(*marked, *plain) <= 16 and marked != plain


# --- questions 5 and 6 -----------------------------------------------------------------------------------------------
def test_without_noise_on_the_width_silence_tells_more_and_more():
    """Part (c) of the proof, for a small step and much noise."""
    move, scale = 0.01, 50
    p, q = (laplace.cdf(top, scale=scale) - laplace.cdf(top - 1, scale=scale) for top in (0, -move))
    assert p > q and 10**6 * math.log(p / q) > 100


def test_the_numbers_of_the_prediction(assignment):
    def numbers(epsilon, words=100, phones=10_000):
        e = math.exp(epsilon)
        for p, q in ((e / (e + words - 1), 1 / (e + words - 1)), (0.5, 1 / (1 + e))):
            yield 0.01 * (1 - q) / (p - q), math.sqrt(q * (1 - q) / phones) / (p - q)

    (one, bits), (late, late_bits), (early, early_bits) = map(numbers, (1, 4, 0.25))
    four = lambda value: f"{value:.4f}"[1:]
    said = [f"{one[0]:.3f}"[1:], four(bits[0]), four(one[1]), four(bits[1]), four(late[0]), four(late_bits[0]), four(late[1]),
            four(late_bits[1]), f"{early[0]:.1f}", four(early_bits[0])]
    text = json.dumps(assignment.LIAR_NUMBERS)
    places = [text.index(f" {number}", text.index("moves")) for number in said]
    assert places == sorted(places), (said, text)
