"""The judge of problem set 5 is right: closed forms agree with fits and searches, and what is called least or best is."""

import json
import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import grading
import ps5
from submissions import STUDENT
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
def test_the_trial_by_hand(assignment, model):
    """4,000 people, a tenth treated, 30% respond: 84; margins 94.9 and 50.8; .124, and half of it for 5,535 people."""
    few = {"treated": 0.1, "responding": (0.3, 0.3), "epsilon": 1, "delta": 1e-6}
    assert assignment.curvature_of(few, 4000) == pytest.approx(84)
    assert [round(assignment.margin_of(2, e, 1e-6), 1) for e in (0.25, 0.5)] == [94.9, 50.8]
    half = few | {"split": 0.5}
    assert assignment.scale_at(few | {"split": 0.25, "binary": True}, 84) is None
    assert [round(assignment.scale_at(half | {"binary": b}, 84), 3) for b in (True, False)] == [0.124, 0.248]
    for binary in (True, False):
        scale = assignment.scale_at(half | {"binary": binary}, 84)
        assert math.ceil(assignment.people_for(half | {"binary": binary, "scale": scale / 2})) == 5535
        assert model("ps5").people_needed(scale=scale / 2, binary=binary, **half) == 5535


def test_closed_forms_of_a_trial_are_those_of_the_package(assignment):
    """The curvature by a fit, the margin up to the grid, the move."""
    counts = {(0, 0): 300, (0, 1): 200, (1, 0): 30, (1, 1): 90}
    X = np.repeat([[a] for a, _ in counts], list(counts.values()), axis=0)
    y = np.repeat([b for _, b in counts], list(counts.values()))
    fit = fit_model(X, y, loss=LOGISTIC, domain=Box([(0, 1)], binary=[0]), changes=2)
    assert fit.nu == pytest.approx(assignment.curvature_of({"treated": 120 / 620, "responding": (0.4, 0.75)}, 620), rel=1e-6)
    for epsilon, delta in ((0.1, 1e-6), (0.5, 1e-3), (3, 1e-9)):
        assert assignment.margin_of(2, epsilon, delta) == pytest.approx(
            certificate_margin(sensitivity=2, epsilon=epsilon, delta=delta), abs=3 / 1024)
    asked = {"split": 0.4, "epsilon": 1.0, "delta": 1e-5, "binary": True}
    typical = 300 - assignment.margin_of(2, 0.4, 1e-5)
    assert assignment.scale_at(asked, 300) == pytest.approx(float(prediction_shift(nu=typical, changes=2)) / 0.6, rel=1e-12)


def test_people_are_the_least(assignment, model):
    for seed in range(6):
        for asked in assignment.calls(np.random.default_rng(seed), assignment.boxes.sheet_of(STUDENT))["sizes"][1]:
            people = math.ceil(assignment.people_for(asked))
            assert model("ps5").people_needed(**asked) == people
            enough, fewer = (assignment.scale_at(asked, assignment.curvature_of(asked, n)) for n in (people, people - 1))
            assert enough <= asked["scale"] and (fewer is None or fewer > asked["scale"])


# --- question 3 ------------------------------------------------------------------------------------------------------
def test_one_person_changes_the_curvature_by_less_than_one(assignment):
    """All pairs of counts up to 25 in one arm; and by nearly one where the other outcome is very frequent."""
    for no, yes in product(range(26), repeat=2):
        for more in ([no + 1, yes], [no, yes + 1]):
            a, b = (assignment.exact_curvature([pair, [10**6, 10**6]]) for pair in ([no, yes], more))
            assert abs(a - b) < 1
    big = [assignment.exact_curvature([[1000, yes], [700, 700]]) for yes in (1, 2)]
    assert [math.floor(4 * v) for v in big] == [3, 7]


@pytest.mark.parametrize("grid, ratio, delta", [(1, "3/2", "1/4"), (4, "6/5", "1/50"), (3, "5/4", "1/30"), (8, "11/10", "1/10")])
def test_the_best_certificate_is_private_and_narrower_noise_is_not(assignment, grid, ratio, delta):
    """For every distance up to the largest, exactly; the largest attains what the theorem says."""
    noise, epsilon, d = assignment.best_noise(grid, ratio, delta), Fraction(ratio) ** grid, Fraction(delta)
    worst = {j: assignment.excess({z + j: p for z, p in noise.items()}, noise, epsilon) for j in range(-grid, grid + 1)}
    assert max(worst.values()) == worst[grid] == sum(noise[z] for z in sorted(noise)[-grid:]) <= d
    a = max(noise)
    narrower = assignment.cut_noise(1 / Fraction(ratio), a - 1)
    assert assignment.excess({z + grid: p for z, p in narrower.items()}, narrower, epsilon) > d
    e, K = math.log(epsilon), grid
    formula = math.ceil(K / e * math.log((math.exp(e) - 1 + 2 * float(d)) / (float(d) * (1 + math.exp(-e / K)))) - 1)
    assert a == formula  # as on the page, where e^epsilon is no fraction


def test_the_model_certificate_on_all_that_is_allowed(model, assignment):
    rng = np.random.default_rng(5)
    for grid, ratio, delta in product((1, 5), ("6/5", "3/2"), ("1/4", "1/900")):
        for counts in ([[0, 0], [0, 0]], [[5, 0], [5, 5]], rng.integers(1, 99, (2, 2)).tolist()):
            least, chances = model("ps5").certificate_law(counts, grid=grid, step_ratio=Fraction(ratio), delta=Fraction(delta))
            exact = assignment.best_law({"counts": counts, "grid": grid, "step_ratio": ratio, "delta": delta})
            assert dict(enumerate(chances, least)) == exact and max(exact) == math.floor(grid * assignment.exact_curvature(counts))


# --- question 4 ------------------------------------------------------------------------------------------------------
def test_the_fit_of_families_is_the_fit_of_their_rows(assignment):
    """Effect and curvature by the package; the standard error by a sandwich in matrices."""
    rng = np.random.default_rng(2)
    for kept in (1, 3):
        families = [[int(rng.integers(2)), rng.integers(0, 2, rng.integers(1, 6)).tolist()] for _ in range(80)]
        effect, curvature, error = assignment.fit_of(families, kept)
        X = np.array([[1.0, arm] for arm, row in families for _ in row[:kept]])
        y = np.array([v for _, row in families for v in row[:kept]])
        unit = np.array([i for i, (_, row) in enumerate(families) for _ in row[:kept]])
        fit = fit_model(X[:, 1:], y, loss=LOGISTIC, domain=Box([(0, 1)], binary=[0]), changes=2)
        theta = np.array([fit.theta[0] - fit.theta[1], 2 * fit.theta[1]])
        p = 1 / (1 + np.exp(-X @ theta))
        H = (X.T * (p * (1 - p))) @ X
        scores = np.array([((y - p)[:, None] * X)[unit == i].sum(axis=0) for i in range(80)])
        assert theta[1] == pytest.approx(effect, abs=1e-5) and fit.nu == pytest.approx(curvature, rel=1e-5)
        assert math.sqrt((np.linalg.inv(H) @ scores.T @ scores @ np.linalg.inv(H))[1, 1]) == pytest.approx(error, rel=1e-5)


def test_no_family_moves_the_effect_further_than_the_noise_is_made_for(assignment):
    """Every family of up to three rows leaves, and every other comes, in trials of few people; and the bound is nearly attained."""
    closest, r = 0, 3
    moves = [(arm, no, yes) for arm in (0, 1) for no in range(r + 1) for yes in range(r + 1 - no)]
    effect = lambda c: math.log(c[1][1] / c[1][0]) - math.log(c[0][1] / c[0][0])
    for cells in ((9, 12, 14, 9), (400, 8, 7, 900), (30, 20, 9, 40), (10**7, 10, 10, 10**7), (10**7, 30, 10**7, 30)):
        counts = [list(cells[:2]), list(cells[2:])]
        curvature = float(assignment.exact_curvature(counts))
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


def test_noise_of_families_on_all_that_is_allowed(model, assignment):
    for certificate, kept, replaced in product((0.0, 1.5, 4.0, 60.0), (1, 2, 9), (True, False)):
        asked = {"certificate": certificate, "kept": kept, "replaced": replaced}
        k, scale = model("ps5").household_noise(**asked, epsilon=0.5)
        move = float(prediction_shift(nu=certificate, changes=k)) if certificate else math.inf
        assert k == assignment.rows_changed(asked) and (scale is None) == (move == math.inf)
        assert scale is None or scale == pytest.approx(2 * move, rel=1e-12)


def test_rows_to_keep(model, assignment):
    """The model tries all; the variance of a family's residuals is the one of the question."""
    for seed in range(8):
        for asked in assignment.calls(np.random.default_rng(seed), assignment.boxes.sheet_of(STUDENT))["plans"][1]:
            found = [assignment.total_error(asked, r) for r in range(1, len(asked["sizes"]) + 1)]
            kept, error = model("ps5").rows_to_keep(**asked)
            assert error == pytest.approx(min(found), rel=1e-9) and found[kept - 1] == min(found) < math.inf
    fixed = assignment.calls(np.random.default_rng(0), assignment.boxes.sheet_of(STUDENT))["plans"][1][:7]
    best = [model("ps5").rows_to_keep(**asked)[0] for asked in fixed]
    assert len(set(best)) >= 4 and 1 in best
    assert any(math.isinf(assignment.total_error(asked, len(asked["sizes"]))) for asked in fixed)
    m, c, p = 4, 0.3, 0.2  # rows that agree with the first one with probability c, or are drawn anew, all at once
    corr = np.full((m, m), c * p * (1 - p)) + np.eye(m) * (1 - c) * p * (1 - p)
    assert corr.sum() == pytest.approx(m * (1 + (m - 1) * c) * p * (1 - p))


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
        asked = assignment.calls(np.random.default_rng(seed), assignment.boxes.sheet_of(STUDENT))
        for group in ("neighbours", "other neighbours", "edges"):
            for kwargs in asked[group][1]:
                assert 1 <= kwargs["grid"] <= 8 and 1 < Fraction(kwargs["step_ratio"]) <= Fraction(3, 2)
                assert Fraction(1, 10**6) <= Fraction(kwargs["delta"]) <= Fraction(1, 4)
        for group in ("neighbours", "other neighbours"):
            for one, other in zip(asked[group][1][::2], asked[group][1][1::2]):
                a, b = np.array(one["counts"]), np.array(other["counts"])
                assert np.abs(a - b).sum() == 1 and one | {"counts": 0} == other | {"counts": 0}
        for kwargs in asked["trials"][1] + asked["other trials"][1]:
            assert 0 < kwargs["treated"] < 1 and all(0 < r < 1 for r in kwargs["responding"]) and kwargs["delta"] < 0.5
        drawn = [assignment.scale_at(k, assignment.curvature_of(k, k["people"])) for k in asked["other trials"][1]]
        assert sum(scale is not None for scale in drawn) >= 2
        for group in ("trials of families", "other trials of families"):
            for kwargs in asked[group][1]:
                assert all(row and set(row) <= {0, 1} for _, row in kwargs["families"])
        assert all(assignment.fit_of(**k)[0] is not None for k in asked["other trials of families"][1])


def test_probabilities_that_are_no_fractions_are_told_so(assignment):
    for value, said in [(None, "not a Fraction"), (0.5, "a float"), ("1/0x", "not a Fraction"), ("3/2", "between 0 and 1"),
                        ([1], "not a Fraction"), (True, "not a Fraction"), ("-1/2", "between 0 and 1"),
                        ("8" * 5000 + "/7", "not a Fraction"), ("1/0", "not a Fraction")]:
        with pytest.raises(grading.Wrong, match=said):
            assignment.fraction(value, "the probability")
    assert assignment.fraction("2/6", "") == Fraction(1, 3) and assignment.fraction(1, "") == 1
