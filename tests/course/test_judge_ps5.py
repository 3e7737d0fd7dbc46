"""The judge of problem set 5 is right: closed forms agree with fits and searches, and what is called least or best is."""

import json
import math
from fractions import Fraction
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import laplace

import grading
import ps5
from dplib.glm import LOGISTIC, Box, certificate_margin, direction_constants, fit_model, laplace_epsilon, prediction_shift
from dplib.mechanisms import gaussian_delta


@pytest.fixture
def problem_set():
    return ps5


# --- question 1 ------------------------------------------------------------------------------------------------------
def test_signs_of_the_mistakes(assignment):
    """What the rubric says about each planted table, at every level."""
    near = {3: (1, 1, 1, 1, 1), 2: (0, 1, 1, 1, 1), 1: (0, 0, 1, 1, 1), 0: (0, 0, 0, 1, 1)}
    for box, level, _ in assignment.boxes.variants:
        law = {T: box.law(x, level, True) for T, x in near.items()}
        r, root = level**4, level**2
        match box.law.__name__:
            case "once":
                assert law[3][3,] == r**2 * law[2][3,]
            case "margin":
                assert law[1][-1, -1] < 1 and law[0][-1, -1] < 1 == box.law(near[1], level, False)[-1, -1]
            case "narrow":
                assert max(law[2]) <= (8,) and sum(p for y, p in law[3].items() if y > (8,)) > Fraction(1, 10)
            case "own_scale":
                assert law[3][3,] == r * law[3][4,] and law[2][3,] == root * law[2][4,]
            case "scale_told":
                assert {y[0] for y in law[3]} == {1} and {y[0] for T in (0, 1, 2) for y in law[T]} == {2}
            case "classes":
                for x in product((0, 1), repeat=5):
                    assert {y[0] for y in box.law(x, level, True)} == {len(set(x))}
            case "uncharged":
                first, second = ({T: sum(p for y, p in law[T].items() if y[i] == 3) for T in (3, 2)} for i in (0, 1))
                assert first[3] == root * first[2] and second[3] == r * second[2]
            case "solver":
                assert box.law((1, 1, 1, 1, 0), level, True) == law[0] != law[2]
            case other:
                raise AssertionError(f"nothing is known about {other}")


def test_majorities_are_those_of_a_search(assignment):
    for x in product((0, 1), repeat=5):
        T = 0
        while sum(x) - T > 5 - sum(x) + T:
            T += 1
        assert assignment.majority(x) == T


def test_the_noise_of_the_second_box_is_never_too_small_by_itself(assignment):
    """Every noise alone keeps half of the promise, and the published law is that of the handed-out sampler."""
    for _, _, numbers in assignment.boxes.variants[::12]:
        m, w, n = numbers["m"], numbers["w"], numbers["n"]
        for z in (0, 5, n):
            alpha = Fraction(m + z, m + z + w)
            assert alpha**-2 <= Fraction(numbers["ratio"])
            x = (1,) * z + (0,) * (n - z)
            shown = z if numbers["published"] == "yes" else n - z
            at = lambda g: assignment.count_chance(numbers, x, shown + g) - assignment.count_chance(numbers, x, shown + g - 1)
            for g in (-7, -1, 0, 1, 4):
                assert at(g) == (1 - alpha) / (1 + alpha) * alpha ** abs(g)


# --- question 2 ------------------------------------------------------------------------------------------------------
PAGE = {"visits": 1, "people_are": "replaced", "released": "the effect", "mixture": 0.3, "split_is_for": "certificate", "size_is": "scale"}
RELEASED = {"the effect": lambda no, yes: yes - no, "the treated": lambda no, yes: yes, "a mixture": lambda no, yes: 0.7 * no + 0.3 * yes}


def test_the_trial_by_hand(assignment):
    """4,000 people, a tenth treated, 30% respond: 84; margins 94.9 and 50.8; .124, and half of it for 5,535 people."""
    few = {"treated": 0.1, "responding": (0.3, 0.3), "epsilon": 1, "delta": 1e-6}
    assert assignment.curvature_of(few, 4000, PAGE) == pytest.approx(84)
    assert assignment.curvature_of(few, 4000, PAGE | {"visits": 7}) == pytest.approx(7 * 84)
    assert [round(assignment.margin_of(2, e, 1e-6), 1) for e in (0.25, 0.5)] == [94.9, 50.8]
    half = few | {"split": 0.5}
    assert assignment.size_at(few | {"split": 0.25, "binary": True}, 84, PAGE) is None
    assert [round(assignment.size_at(half | {"binary": b}, 84, PAGE), 3) for b in (True, False)] == [0.124, 0.248]
    for binary in (True, False):
        size = assignment.size_at(half | {"binary": binary}, 84, PAGE)
        assert math.ceil(assignment.people_for(half | {"binary": binary, "wanted": size / 2}, PAGE)) == 5535


def test_closed_forms_of_a_trial_are_those_of_the_package(assignment):
    """The curvature by a fit, the margin up to the grid, the move; sizes by the law of the noise."""
    counts = {(0, 0): 300, (0, 1): 200, (1, 0): 30, (1, 1): 90}
    X = np.repeat([[a] for a, _ in counts], list(counts.values()), axis=0)
    y = np.repeat([b for _, b in counts], list(counts.values()))
    fit = fit_model(X, y, loss=LOGISTIC, domain=Box([(0, 1)], binary=[0]), changes=2)
    assert fit.nu == pytest.approx(assignment.curvature_of({"treated": 120 / 620, "responding": (0.4, 0.75)}, 620, PAGE), rel=1e-6)
    for epsilon, delta in ((0.1, 1e-6), (0.5, 1e-3), (3, 1e-9)):
        assert assignment.margin_of(2, epsilon, delta) == pytest.approx(
            certificate_margin(sensitivity=2, epsilon=epsilon, delta=delta), abs=3 / 1024)
    for people_are, k in (("replaced", 6), ("added or removed", 3)):
        mine = PAGE | {"visits": 3, "people_are": people_are}
        typical = 300 - assignment.margin_of(k, 0.4, 1e-5)
        for split_is_for, split in (("certificate", 0.4), ("noise", 0.6)):
            asked = {"split": split, "epsilon": 1.0, "delta": 1e-5, "binary": True}
            scale = assignment.size_at(asked, 300, mine | {"split_is_for": split_is_for})
            assert scale == pytest.approx(float(prediction_shift(nu=typical, changes=k)) / 0.6, rel=1e-12)
            deviation, width = (assignment.size_at(asked, 300, mine | {"split_is_for": split_is_for, "size_is": size})
                                for size in ("standard deviation", "half-width"))
            assert deviation == pytest.approx(laplace.std(scale=scale)) and 2 * laplace.sf(width, scale=scale) == pytest.approx(0.05)


def test_no_person_moves_what_is_released_by_more_than_is_charged(assignment):
    """All persons of up to three visits in trials of few and of many; and each bound is nearly attained, if the column is binary."""
    visits, closest = 3, dict.fromkeys(RELEASED, 0)
    persons = [(arm, yes) for arm in (0, 1) for yes in range(visits + 1)]
    for cells in ((9, 12, 14, 9), (400, 12, 11, 900), (10**7, 10, 10, 10**7), (10, 10**7, 10**7, 10), (10**7, 30, 10**7, 30)):
        counts = [list(cells[:2]), list(cells[2:])]
        curvature = float(min(map(assignment.arm_curvature, counts)))
        for people_are, changes in (("added or removed", [[p] for p in persons]), ("replaced", list(product(persons, repeat=2)))):
            mine = PAGE | {"visits": visits, "people_are": people_are}
            for change in changes:
                other = [list(pair) for pair in counts]
                for sign, (arm, yes) in zip((-1, 1), change):
                    other[arm] = [other[arm][0] + sign * (visits - yes), other[arm][1] + sign * yes]
                k = assignment.visits_changed(mine)
                if curvature > k and min(map(min, other)) > 0:
                    for released, value in RELEASED.items():
                        moved = abs(np.subtract(*(value(*(math.log(yes / no) for no, yes in c)) for c in (other, counts))))
                        asked = {"epsilon": 2, "split": 0.5, "binary": True}
                        bound = assignment.per_move(asked, mine | {"released": released}) * math.log(curvature / (curvature - k))
                        assert moved <= bound * (1 + 1e-12)
                        closest[released] = max(closest[released], moved / bound)
    assert min(closest.values()) > 0.999


def test_people_are_the_least(assignment):
    for seed in range(6):
        mine = assignment.boxes.sheets[seed]
        for asked in assignment.calls(np.random.default_rng(seed), mine)["sizes"][1]:
            people = math.ceil(assignment.people_for(asked, mine))
            enough, fewer = (assignment.size_at(asked, assignment.curvature_of(asked, n, mine), mine) for n in (people, people - 1))
            assert enough <= asked["wanted"] and (fewer is None or fewer > asked["wanted"])


# --- question 3 ------------------------------------------------------------------------------------------------------
CERTIFIED = ["the weaker arm", "the stronger arm", "both arms", "the effect"]


def test_one_person_changes_what_is_certified_by_less_than_their_rows(assignment):
    """All pairs of counts up to 11 in one arm, and up to three rows of a person; and by nearly as much on what is always asked."""
    for no, yes, other in product(range(12), range(12), ([0, 0], [3, 4], [10**6, 10**6])):
        for rows in ([1, 0], [0, 1], [2, 0], [1, 1], [0, 2], [2, 1]):
            for kind in CERTIFIED:
                a, b = (assignment.certified([pair, other], {"certified": kind}) for pair in ([no, yes], [no + rows[0], yes + rows[1]]))
                assert abs(a - b) < sum(rows)
    for kind, side, m in product(CERTIFIED, ("below", "above"), (1, 3, 8)):
        mine = assignment.boxes.sheets[0] | {"certified": kind, "side": side, "rows": m}
        round_to_grid = math.floor if side == "below" else math.ceil
        x, y = assignment.calls(np.random.default_rng(1), mine)["neighbours"][1][:2]
        steps = [round_to_grid(x["grid"] * assignment.certified(asked["counts"], mine)) for asked in (x, y)]
        assert steps[0] - steps[1] == x["grid"] * m


@pytest.mark.parametrize("steps, ratio, delta", [(1, "3/2", "1/4"), (4, "6/5", "1/50"), (3, "5/4", "1/30"), (24, "11/10", "1/10")])
def test_the_best_certificate_is_private_and_narrower_noise_is_not(assignment, steps, ratio, delta):
    """For every distance up to the largest, exactly; the largest attains what the theorem says."""
    noise, epsilon, d = assignment.best_noise(steps, ratio, delta), Fraction(ratio) ** steps, Fraction(delta)
    worst = {j: assignment.excess({z + j: p for z, p in noise.items()}, noise, epsilon) for j in range(-steps, steps + 1)}
    assert max(worst.values()) == worst[steps] == sum(noise[z] for z in sorted(noise)[-steps:]) <= d
    a = max(noise)
    narrower = assignment.cut_noise(1 / Fraction(ratio), a - 1)
    assert assignment.excess({z + steps: p for z, p in narrower.items()}, narrower, epsilon) > d
    e = math.log(epsilon)
    formula = math.ceil(steps / e * math.log((math.exp(e) - 1 + 2 * float(d)) / (float(d) * (1 + math.exp(-e / steps)))) - 1)
    assert a == formula  # as on the page, where e^epsilon is no fraction


def test_the_best_law_ends_at_what_is_certified(assignment):
    for kind, counts in product(CERTIFIED, ([[30, 10], [10, 35]], [[0, 7], [5, 5]])):
        for side, end, round_to_grid in (("below", max, math.floor), ("above", min, math.ceil)):
            mine = {"certified": kind, "side": side, "rows": 2}
            asked = {"counts": counts, "grid": 3, "step_ratio": "5/4", "delta": "1/20"}
            law, arms = assignment.best_law(asked, mine), [no * yes / (no + yes) for no, yes in counts]
            value = {"the weaker arm": min(arms), "the stronger arm": max(arms), "both arms": sum(arms),
                     "the effect": 0 if min(arms) == 0 else arms[0] * arms[1] / sum(arms)}[kind]
            assert end(law) == round_to_grid(3 * value) and sum(law.values()) == 1


# --- question 4 ------------------------------------------------------------------------------------------------------
KEPT = ["first", "last", "weighted", "short"]


def weighted_rows(families, r, kept):
    """(weight, arm, outcome, family) of each row that counts, one after the other."""
    rows = []
    for i, (arm, row) in enumerate(families):
        for j, outcome in enumerate(row):
            weight = {"first": j < r, "last": j >= len(row) - r, "weighted": min(1, r / len(row)), "short": len(row) <= r}[kept]
            rows.append((float(weight), arm, outcome, i))
    return map(np.array, zip(*rows))


@pytest.mark.parametrize("kept", KEPT)
def test_the_fit_of_families_is_the_weighted_fit_of_their_rows(assignment, kept):
    """By Newton's method; the standard error by a sandwich in matrices."""
    rng = np.random.default_rng(2)
    for r in (1, 3):
        families = [[int(rng.integers(2)), rng.integers(0, 2, rng.integers(1, 6)).tolist()] for _ in range(80)]
        mine = {"kept": kept, "compared": 1, "z": 2.0}
        effect, curvature, width = assignment.fit_of(families, r, mine)
        w, arm, y, family = weighted_rows(families, r, kept)
        X, theta = np.array([np.ones(len(y)), arm]).T, np.zeros(2)
        for _ in range(30):
            p = 1 / (1 + np.exp(-X @ theta))
            H = (X.T * (w * p * (1 - p))) @ X
            theta = theta + np.linalg.solve(H, X.T @ (w * (y - p)))
        scores = np.array([((w * (y - p))[:, None] * X)[family == i].sum(axis=0) for i in range(80)])
        assert theta[1] == pytest.approx(effect) and assignment.fit_of(families, r, mine | {"compared": 0})[0] == -effect
        assert curvature == pytest.approx(1 / max(x @ np.linalg.inv(H) @ x for x in ([1, 0], [1, 1])))
        assert 2 * math.sqrt((np.linalg.inv(H) @ scores.T @ scores @ np.linalg.inv(H))[1, 1]) == pytest.approx(width)


def test_no_family_moves_the_effect_further_than_the_noise_is_made_for(assignment):
    """Every family of up to three rows leaves, and every other comes, in trials of few people; and the bound is nearly attained."""
    closest, r = 0, 3
    moves = [(arm, no, yes) for arm in (0, 1) for no in range(r + 1) for yes in range(r + 1 - no)]
    effect = lambda c: math.log(c[1][1] / c[1][0]) - math.log(c[0][1] / c[0][0])
    for cells in ((9, 12, 14, 9), (400, 8, 7, 900), (30, 20, 9, 40), (10**7, 10, 10, 10**7), (10**7, 30, 10**7, 30)):
        counts = [list(cells[:2]), list(cells[2:])]
        curvature = float(min(map(assignment.arm_curvature, counts)))
        for (a, no, yes), (b, more_no, more_yes) in product(moves, repeat=2):
            other = [list(pair) for pair in counts]
            other[a][0], other[a][1] = other[a][0] - no, other[a][1] - yes
            other[b][0], other[b][1] = other[b][0] + more_no, other[b][1] + more_yes
            k = 2 * r if (more_no, more_yes) != (0, 0) else r
            if curvature > k and min(map(min, other)) > 0:
                share = abs(effect(other) - effect(counts)) / math.log(curvature / (curvature - k))
                assert share <= 1 + 1e-12
                closest = max(closest, share)
    assert closest > 0.9999


def test_noise_of_villages_is_that_of_the_package(assignment):
    for certificate, kept, replaced, village in product((1.5, 4.0, 600.0), (1, 2, 9), (True, False), (1, 7)):
        asked = {"certificate": certificate, "kept": kept, "replaced": replaced, "epsilon": 0.5}
        answers = SimpleNamespace(group=lambda group: [("", asked, [0, None])])
        (_, k, _, scale, least), = assignment.noises(answers, {"village": village})
        assert k == kept * village * (1 + replaced) and scale == math.inf
        assert least == pytest.approx(2 * float(prediction_shift(nu=certificate, changes=k)))


@pytest.mark.parametrize("kept", KEPT)
def test_the_total_error_takes_expected_squares(assignment, kept):
    """Of 4,000 drawn trials, whose rows agree with the first one of their family with probability c, or are drawn anew, all at once."""
    rng, c, p, r = np.random.default_rng(4), 0.5, 0.3, 2
    asked = {"sizes": [20, 10, 0, 10], "responding": p, "correlation": c, "epsilon": 1200, "split": 0.5, "delta": 0.25}
    mine = {"kept": kept, "village": 1}
    found = []
    for _ in range(4000):
        total = 0
        for m, families in enumerate(asked["sizes"], 1):
            first, alike = rng.random((families, 1)) < p, rng.random((families, 1)) < c
            rows = np.where(alike, first, rng.random((families, m)) < p)
            weight, there = {"first": (1, rows[:, :r]), "last": (1, rows[:, -r:]), "weighted": (min(1, r / m), rows),
                             "short": (m <= r, rows)}[kept]
            total += (weight * (there - p).sum(axis=1)).sum()
        found.append(total)
    parts = [(many, *assignment.kept_part([0] * m, r, mine)) for m, many in enumerate(asked["sizes"], 1)]
    curvature = float(sum(many * w * len(row) for many, w, row in parts)) * p * (1 - p)
    assert math.sqrt(2 * np.var(found)) / curvature == pytest.approx(assignment.total_error(asked, r, mine), rel=0.06)


def test_the_best_number_of_rows_is_not_always_the_same(assignment):
    for kept in KEPT:
        mine = assignment.boxes.sheets[0] | {"kept": kept}
        plans = assignment.calls(np.random.default_rng(0), mine)["plans"][1]
        found = [[assignment.total_error(asked, r, mine) for r in range(1, len(asked["sizes"]) + 1)] for asked in plans]
        assert all(min(errors) < math.inf for errors in found) and any(max(errors) == math.inf for errors in found)
        assert len({errors.index(min(errors)) for errors in found}) >= 3


# --- questions 5 and 6 -----------------------------------------------------------------------------------------------
def weighted(X, y, w):
    """(theta, H) of a weighted fit of robust regression by Newton's method with halved steps; None if it does not settle."""
    theta = np.zeros(X.shape[1])
    loss = lambda t: (w * (np.logaddexp(0, X @ t - y) + np.logaddexp(0, y - X @ t))).sum()
    for _ in range(60):
        pull = np.tanh((X @ theta - y) / 2)
        gradient, H = X.T @ (w * pull), (X.T * (w * (1 - pull**2) / 2)) @ X
        if np.abs(gradient).max() < 1e-10:
            return theta, H
        step, length = np.linalg.solve(H + 1e-13 * np.eye(len(theta)), gradient), 1.0
        while loss(theta - length * step) > loss(theta) + 1e-13 and length > 1e-6:
            length /= 2
        theta = theta - length * step


def test_what_is_to_be_proved_holds_for_random_weights():
    """Curvature and predictions, two records whose weights change by any numbers; nearly attained."""
    rng, closest = np.random.default_rng(3), np.zeros(2)
    for _ in range(300):
        d, n = int(rng.integers(1, 3)), int(rng.integers(3, 12))
        corners = np.array(list(product((-1.0, 1.0), repeat=d)))
        X = rng.choice([-1.0, 1.0], size=(n, d))
        y, w = rng.normal(size=n) * rng.choice([1, 4, 20]), rng.uniform(0.1, 20, n)
        other = w.copy()
        other[:2] = np.maximum(0, w[:2] + rng.uniform(-2, 2, 2))
        k = np.abs(w - other).sum()
        fits = weighted(X, y, w), weighted(X, y, other)
        if None in fits or min(np.linalg.matrix_rank(H) for _, H in fits) < d:
            continue
        nu, mu = (1 / np.einsum("ij,jk,ik->i", corners, np.linalg.inv(H), corners).max() for _, H in fits)
        move = np.abs(corners @ (fits[0][0] - fits[1][0])).max() / -math.log(1 - k / nu) if nu > k else 0
        closest = np.maximum(closest, [abs(nu - mu) / k, move])
    assert (closest <= 1 + 1e-6).all() and (closest > 0.9).all()


def test_equal_weights_of_a_family_may_raise_or_lower_the_curvature(assignment):
    """The example of the model proof: half of the families begin with a one, and all other rows are ones."""
    shares = [1.0] * 10 + [2 / 3] * 10
    weighted_mean = sum(shares) / 20
    assert 20 * weighted_mean * (1 - weighted_mean) < 20 / 4


def test_the_numbers_of_the_prediction(built):
    """From the cells of the solution, with more runs: what the marker is told."""
    cells = json.loads((built / "solution" / "ps5.ipynb").read_text())["cells"]
    code = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
    space = {"np": np, "math": math}
    exec(next(c for c in code if c.startswith("TRUTH")), space)
    exec(next(c for c in code if "def methods" in c).split("\nfor n, features")[0], space)
    rows = lambda n, features, runs: np.array([space["methods"](n, features, np.random.default_rng(100 + i)) for i in range(runs)])
    few, many, wide = rows(3000, 6, 30), rows(30_000, 6, 5), rows(30_000, 10, 3)
    assert 100 < few[:, 0].min() and few[:, 0].mean() == pytest.approx(107, abs=1.5) and few[:, 0].max() < 115
    assert np.isinf(few[:, 4]).all() and (few[:, 1] < 2).all()
    table, perturbed = np.sqrt((few[:, 2:4] ** 2).mean(axis=0))
    assert table == pytest.approx(0.05, rel=0.35) and perturbed == pytest.approx(0.116, rel=0.3)
    assert many[:, :2].mean(axis=0) == pytest.approx([1085, 962], abs=9) and wide[:, :2].mean(axis=0) == pytest.approx([622, 499], abs=9)
    assert many[:, 4].mean() == pytest.approx(0.0017, rel=0.05) and wide[:, 4].mean() == pytest.approx(0.0020, rel=0.05)


def test_the_public_numbers_of_the_prediction():
    """The scale that fits, from the package's constants; and what the perturbed objective needs at a vertex of four."""
    for nu in (300, 499, 962):
        constants = direction_constants(nu=nu, changes=2, largest_curvature=0.25)
        left = 0.95 * 0.3  # a twentieth is for the published bound of the scale
        shift = float(laplace_epsilon(epsilon=left, delta=5e-7, up=constants.up, down=constants.down))
        assert 2 * float(constants.factor) / shift == pytest.approx(6.87 / (1 - 79 / nu), rel=0.01)
    for features, ridge, sd in ((6, 5.28, 78.4), (10, 8.80, 101.3)):
        assert features / 4 / math.expm1(0.25) == pytest.approx(ridge, abs=0.005)
        spent = [2 * float(gaussian_delta(sigma=sigma, sensitivity=2 * math.sqrt(features), epsilon=0.25)) for sigma in (sd - 0.1, sd + 0.1)]
        assert spent[0] > 1e-6 > spent[1]


# --- the questions ---------------------------------------------------------------------------------------------------
def test_questions_are_allowed_ones(assignment):
    for seed in range(10):
        mine = assignment.boxes.sheets[seed]
        asked = assignment.calls(np.random.default_rng(seed), mine)
        for group in ("neighbours", "other neighbours", "edges", "large"):
            for kwargs in asked[group][1]:
                assert 1 <= kwargs["grid"] <= 8 and 1 < Fraction(kwargs["step_ratio"]) <= Fraction(3, 2)
                assert Fraction(1, 10**6) <= Fraction(kwargs["delta"]) <= Fraction(1, 4)
        for group in ("neighbours", "other neighbours"):
            for one, other in zip(asked[group][1][::2], asked[group][1][1::2]):
                a, b = np.array(one["counts"]), np.array(other["counts"])
                assert (a - b).sum() == (a - b)[:, 1].max() == mine["rows"] and one | {"counts": 0} == other | {"counts": 0}
        for kwargs in asked["trials"][1] + asked["other trials"][1]:
            assert 0 < kwargs["treated"] < 1 and all(0 < r < 1 for r in kwargs["responding"]) and kwargs["delta"] < 0.5
        sizes = [assignment.size_at(k, assignment.curvature_of(k, k["people"], mine), mine)
                 for k in asked["trials"][1] + asked["other trials"][1]]
        assert sum(size is not None for size in sizes) >= 8 and sizes.count(None) >= 3
        for group in ("trials of families", "other trials of families"):
            for kwargs in asked[group][1]:
                assert all(row and set(row) <= {0, 1} for _, row in kwargs["families"])
        fits = [assignment.fit_of(**k, mine=mine)[0] for k in asked["other trials of families"][1]]
        assert sum(effect is not None for effect in fits) >= 2


def test_probabilities_that_are_no_fractions_are_told_so(assignment):
    for value, said in [(None, "not a Fraction"), (0.5, "a float"), ("1/0x", "not a Fraction"), ("3/2", "between 0 and 1"),
                        ([1], "not a Fraction"), (True, "not a Fraction"), ("-1/2", "between 0 and 1"),
                        ("8" * 5000 + "/7", "not a Fraction"), ("1/0", "not a Fraction")]:
        with pytest.raises(grading.Wrong, match=said):
            assignment.fraction(value, "the probability")
    assert assignment.fraction("2/6", "") == Fraction(1, 3) and assignment.fraction(1, "") == 1
