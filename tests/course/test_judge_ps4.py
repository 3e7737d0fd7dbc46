"""The judge of problem set 4 is right: closed forms agree with searches, and what is called largest or least is."""

import math
from collections import Counter, deque
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import laplace

import grading
import ps4
from submissions import STUDENT


@pytest.fixture
def problem_set():
    return ps4


# --- the signs that the marker is told -------------------------------------------------------------------------------
def test_signs_of_the_mistakes(assignment):
    """What the rubric says about each planted table, at every level."""
    d = Fraction(1, 10)
    for box, r, _ in assignment.boxes.variants:
        law = lambda *x: box.law(x, r, True)
        named = lambda *x: sum(p for y, p in law(*x).items() if y[0] >= 0)
        match box.law.__name__:
            case "early":
                assert named(0, 0, 1, 1) == (1 + r) * d
            case "twice":
                assert named(0, 0, 1, 1) == d and named(0, 0, 0, 1) == (1 + r**2) * d
            case "lead":
                assert named(0, 0, 1, 1) == 0 and named(1, 1, 1, 1) == assignment.named_at(4, r, d)
            case "own_threshold":
                assert named(1, 1, 1, 1) == assignment.named_at(3, r, d) > named(0, 0, 0, 1) == (1 + r) * d
            case "unanimous":
                assert all((named(*x) == 1) == (len(set(x)) == 1) for x in product((0, 1, 2), repeat=4))
            case "explained":
                for x in product((0, 1, 2), repeat=4):
                    assert {y[0] for y in law(*x) if y[0] < 0} == {-distance_by_search(x)}
            case "with_count":
                assert {y for y in law(0, 0, 0, 1)} == {(0, 3), (-1, 0)}
            case "overlapping":
                assert law(0, 0, 0, 0)[0,] / law(2, 0, 0, 0)[0,] == r**2
            case other:
                raise AssertionError(f"nothing is known about {other}")


def winner(x):
    return max((0, 1, 2), key=lambda label: (x.count(label), -label))


def distance_by_search(x):
    """How many records must change, one after the other, before the winner is another one."""
    ways, seen = deque([(x, 0)]), {x}
    while True:
        y, steps = ways.popleft()
        if winner(y) != winner(x):
            return steps
        for z in (y[:i] + (v,) + y[i + 1 :] for i in range(4) for v in (0, 1, 2)):
            if z not in seen:
                seen.add(z)
                ways.append((z, steps + 1))


def test_winners_and_distances_of_the_boxes(assignment):
    for x in product((0, 1, 2), repeat=4):
        assert assignment.winner_and_distance(x) == (winner(x), distance_by_search(x))


# --- question 2 ------------------------------------------------------------------------------------------------------
def top_by_definition(counts, size):
    return frozenset(sorted(range(len(counts)), key=lambda j: (-counts[j], j))[:size])


@pytest.mark.parametrize("labels, size", [(2, 1), (3, 1), (3, 2), (4, 2)])
def test_distances_of_the_most_popular_are_those_of_a_search(assignment, labels, size):
    """Among data sets with up to 9 votes a label, by steps of one vote more or less."""
    grid = list(product(range(4 if labels == 4 else 10), repeat=labels))
    top = {counts: top_by_definition(counts, size) for counts in grid}
    distance = {counts: 1 for counts in grid if any(top[c] != top[counts] for c in around(counts) if c in top)}
    ways = deque(distance)
    while ways:
        here = ways.popleft()
        for there in around(here):
            if there in top and there not in distance:
                distance[there] = distance[here] + 1
                ways.append(there)
    for counts in grid:
        if max(counts) < (2 if labels == 4 else 5):         # what is near the edge of the grid may have a way outside
            asked = {"x": assignment.votes(counts), "labels": labels, "size": size}
            assert assignment.top_and_distance(**asked) == (set(top[counts]), distance[counts])


def around(counts):
    return [counts[:j] + (counts[j] + s,) + counts[j + 1 :] for j in range(len(counts)) for s in (-1, 1) if counts[j] + s >= 0]


def test_no_private_release_names_the_set_more_often(assignment):
    """A linear program over all chances on a line of data sets, 0 to 9 votes for label 0 against 3 for label 1."""
    ratio, delta, ahead = 1.5, 0.02, range(10)
    counts = [(a, 3) for a in ahead]
    top = [top_by_definition(c, 1) for c in counts]
    rows, bounds = [], []
    for i in range(9):
        for p, q in ((i, i + 1), (i + 1, i)):
            if top[p] == top[q]:                            # naming, and refusing
                for sign in (1, -1):
                    row = np.zeros(10)
                    row[p], row[q] = sign, -sign * ratio
                    rows.append(row)
                    bounds.append(delta if sign == 1 else delta + ratio - 1)
            else:
                row = np.zeros(10)
                row[p] = 1
                rows.append(row)
                bounds.append(delta)
    for i, c in enumerate(counts):
        goal = np.zeros(10)
        goal[i] = -1
        best = linprog(goal, A_ub=np.array(rows), b_ub=bounds, bounds=(0, 1))
        _, distance = assignment.top_and_distance(x=assignment.votes(c), labels=2, size=1)
        exact = assignment.named_at(distance, Fraction(3, 2), Fraction(1, 50))
        assert best.status == 0 and -best.fun == pytest.approx(float(exact), rel=1e-7)


def test_the_largest_delta_of_the_release_is_the_promised_one(assignment):
    """Over all neighbours among the small data sets, in fractions; and of each wrong chance it is more."""
    for labels, size, ratio, delta in [(3, 1, Fraction(2), Fraction(1, 5)), (3, 2, Fraction(3, 2), Fraction(1, 10))]:
        law = {}
        for counts in product(range(5), repeat=labels):
            top, distance = assignment.top_and_distance(x=assignment.votes(counts), labels=labels, size=size)
            p = assignment.named_at(distance, ratio, delta)
            law[counts] = {tuple(sorted(top)): p, "refusal": 1 - p}
        worst = max(assignment.excess(law[a], law[b], ratio) for a in law for b in around(a) if b in law)
        assert worst == delta


def test_the_model_is_right_on_all_that_is_allowed(model, assignment):
    rng = np.random.default_rng(4)
    for K, ratio, delta in product((1, 2, 8), ("4", "21/20"), ("1/4", "1/1000000")):
        for size in {1, (K + 1) // 2, K}:
            for n in (0, 1, 40, 2000):
                x = rng.integers(0, rng.integers(1, K + 1), n).tolist()
                asked = {"x": x, "labels": K, "size": size}
                names, p = model("ps4").stable_top(**asked, ratio=Fraction(ratio), delta=Fraction(delta))
                assert set(names) == assignment.top_and_distance(**asked)[0] and len(names) == size
                assert p == assignment.top_chance(asked | {"ratio": ratio, "delta": delta})


# --- question 3 ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("blocks, ratio, delta", [(4, 2, 0), (5, 1.5, 0.1), (6, 3, 0.02)])
def test_the_best_vote_is_the_optimum_of_the_linear_program(assignment, blocks, ratio, delta):
    """Each chance by itself, over all fair and private votes of so many blocks; and all of them are attained at once."""
    votes = [(a, b) for a in range(blocks + 1) for b in range(blocks + 1 - a)]
    place = {v: i for i, v in enumerate(votes)}
    rows, bounds, fair = [], [], []
    for (a, b), i in place.items():
        for da, db in assignment.CHANGES:
            if (j := place.get((a + da, b + db))) is not None:
                for sign in (1, -1):
                    row = np.zeros(len(votes))
                    row[i], row[j] = sign, -sign * ratio
                    rows.append(row)
                    bounds.append(delta + (sign == -1) * (ratio - 1))
        row = np.zeros(len(votes))
        row[i] += 1
        row[place[b, a]] += 1
        fair.append(row)
    for (a, b), i in place.items():
        if a > b:
            goal = np.zeros(len(votes))
            goal[i] = -1
            best = linprog(goal, A_ub=np.array(rows), b_ub=bounds, A_eq=np.array(fair), b_eq=np.ones(len(votes)), bounds=(0, 1))
            exact = assignment.best_vote(a, b, ratio=Fraction(ratio), delta=Fraction(str(delta)))
            assert best.status == 0 and -best.fun == pytest.approx(float(exact), abs=1e-8)
    chances = np.array([float(assignment.best_vote(a, b, ratio=Fraction(ratio), delta=Fraction(str(delta)))) for a, b in votes])
    assert (np.array(rows) @ chances <= np.array(bounds) + 1e-12).all() and np.allclose(np.array(fair) @ chances, 1)


def test_the_model_vote_is_the_best_one_and_that_of_the_page_without_abstentions(model, assignment):
    for ratio, delta in product((Fraction(11, 10), Fraction(4)), (Fraction(0), Fraction(1, 4), Fraction(1, 10**6))):
        for yes, no in [*product(range(8), repeat=2), (300, 0), (0, 299), (160, 140)]:
            mine = model("ps4").vote_chance(yes, no, ratio=ratio, delta=delta)
            assert mine == assignment.best_vote(yes, no, ratio=ratio, delta=delta)
    odd = lambda d, epsilon: 1 - math.exp(-epsilon * (d - 1) / 2) / (1 + math.exp(epsilon))
    for d in (1, 3, 7):
        ratio = Fraction(math.exp(0.5))
        assert float(assignment.best_vote(d + 2, 2, ratio=ratio, delta=0)) == pytest.approx(odd(d, 0.5), rel=1e-12)


def test_one_block_errs_less_than_with_laplace_noise(assignment):
    """One block, right three times out of four, at epsilon = 1: .384, where the sign of a noisy vote has .402."""
    right = float(assignment.best_vote(1, 0, ratio=Fraction(math.e), delta=0))
    sign = 1 - math.exp(-0.5) / 2
    assert (round(0.75 * (1 - right) + 0.25 * right, 3), round(0.75 * (1 - sign) + 0.25 * sign, 3)) == (0.384, 0.402)


# --- questions 4 and 5 -----------------------------------------------------------------------------------------------
def neighbours(rng, n):
    """Two graphs of n records that differ in the friendships of the first one."""
    above = np.triu(rng.random((n, n)) < rng.choice([0.5, 0.8, 0.95, 1]), 1)
    friends = above | above.T | np.eye(n, dtype=bool)
    other = friends.copy()
    other[0, 1:] = other[1:, 0] = rng.random(n - 1) < rng.choice([0, 0.3, 0.9, 1])
    return friends, other


def test_what_is_to_be_proved_holds_on_random_graphs(assignment):
    """S at most what `weight_change` says, at most 2 if both survive, and survivors with that many friends in common."""
    rng = np.random.default_rng(7)
    for share in (0.5, 0.6, 0.75, 0.9):
        for n in (2, 3, 4, 7, 12):
            most = 0
            for _ in range(120):
                x, y = neighbours(rng, n)
                w, v = (np.array(assignment.weights_of(f.tolist(), share)) for f in (x, y))
                S = w[0] + v[0] + np.abs(w - v)[1:].sum()
                most = max(most, S)
                assert S <= assignment.weight_change(n, share) + 1e-9
                assert not (w[0] > 0 and v[0] > 0) or S <= 2 + 1e-9
                shared = [f[i, 1:] for f, weights in ((x, w), (y, v)) for i in range(n) if weights[i] > 1e-9]
                least = min((int((a & b).sum()) for a in shared for b in shared), default=n)
                assert least > (2 * share - 1) * (n - 1) + 1e-9
            equal, gone = np.ones((n, n), dtype=int), np.ones((n, n), dtype=int)
            gone[0, 1:] = gone[1:, 0] = 0
            w, v = (np.array(assignment.weights_of(f.tolist(), share)) for f in (equal, gone))
            assert abs(w.sum() - v.sum()) == pytest.approx(assignment.weight_change(n, share))
            assert most <= assignment.weight_change(n, share) + 1e-9


def test_changes_of_the_weight_are_those_of_the_question(assignment):
    """3, 3.5, 6, 11 for many people; n for few."""
    assert [round(assignment.weight_change(1000, h), 9) for h in (0.5, 0.6, 0.8, 0.9)] == [3, 3.5, 6, 11]
    for n, h in product((2, 3, 5, 10, 11, 50), (0.5, 0.6, 0.9)):
        assert assignment.weight_change(n, h) == pytest.approx(min(n, 1 + 1 / (1 - h)))


def test_the_model_of_the_filter_on_all_that_is_allowed(model, assignment):
    rng = np.random.default_rng(3)
    for n, share in product((1, 2, 3, 9, 30), (0.5, 0.77, 0.95)):
        friends = assignment.graph(rng, n, 0.8)
        assert np.allclose(model("ps4").strict_weights(friends, share=share), assignment.weights_of(friends, share), atol=1e-12)
    for n, share, epsilon, delta in product((2, 30, 5000), (0.5, 0.95), (0.1, 2), (0.5, 1e-9)):
        scale, bar = model("ps4").weight_test(size=n, share=share, floor=0.4 * n, epsilon=epsilon, delta=delta)
        assert scale * epsilon == pytest.approx(assignment.weight_change(n, share), rel=1e-12)
        assert laplace.sf(bar - 0.4 * n, scale=scale) == pytest.approx(delta, rel=1e-6)


# --- the questions ---------------------------------------------------------------------------------------------------
def test_questions_are_allowed_ones(assignment):
    for seed in range(10):
        asked = assignment.calls(np.random.default_rng(seed), assignment.boxes.sheet_of(STUDENT))
        for group in ("small", "pairs", "edges"):
            for kwargs in asked[group][1]:
                assert set(kwargs["x"]) <= set(range(kwargs["labels"])) and 1 <= kwargs["size"] <= kwargs["labels"] <= 8
                assert 1 < Fraction(kwargs["ratio"]) <= 4 and 0 < Fraction(kwargs["delta"]) <= Fraction(1, 4)
                assert len(kwargs["x"]) <= 20_000
        chances = [assignment.top_chance(kwargs) for kwargs in asked["pairs"][1]]
        assert sum(Fraction(1, 50) < p < 1 for p in chances) >= 3  # on the rise, where a step more or less is seen
        for group in ("few votes", "many votes"):
            for kwargs in asked[group][1]:
                assert kwargs["yes"] + kwargs["no"] <= 300 and 1 < Fraction(kwargs["ratio"]) <= 4
                assert 0 <= Fraction(kwargs["delta"]) <= Fraction(1, 4)
        for kwargs in asked["weights"][1]:
            friends = np.array(kwargs["friends"])
            assert (friends == friends.T).all() and friends.diagonal().all() and 0.5 <= kwargs["share"] < 1
        for kwargs in asked["tests"][1] + asked["few people"][1]:
            assert kwargs["size"] >= 2 and kwargs["delta"] <= 0.5 <= kwargs["share"] < 1


def test_chances_that_are_no_fractions_are_told_so(assignment):
    for value, said in [(None, "is None"), (0.5, "a float"), ("1/0x", "not a Fraction"), ("3/2", "between 0 and 1"),
                        ([1], "not a Fraction"), (True, "not a Fraction"), ("-1/2", "between 0 and 1"),
                        ("9" * 400 + "/7", "between 0 and 1"), (10**400, "between 0 and 1"), ("8" * 5000 + "/7", "not a Fraction")]:
        with pytest.raises(grading.Wrong, match=said):
            assignment.fraction(value, "the chance")
    assert assignment.fraction("2/6", "") == Fraction(1, 3) and assignment.fraction(1, "") == 1
    with pytest.raises(grading.Wrong, match="not a Fraction"):
        assignment.fraction("1/0", "the chance")


def test_what_the_model_answer_of_the_prediction_says(assignment, built):
    """The numbers for the marker, from the handed-out visits: exact chances, 20 divisions into blocks."""
    people = assignment.handout()["ps4_boxes.json"]["visits"]
    rows = np.concatenate(people)
    assert len(people) == 5294 and len(rows) == 20_190
    lorenz = lambda v: np.interp(len(v) / 10, np.arange(len(v) + 1), np.append(0, np.cumsum(np.sort(v)[::-1]))) / max(sum(v), 1)
    whole, grid, rng = lorenz(rows), np.arange(1001) / 1000, np.random.default_rng(8)
    assert whole == pytest.approx(0.447, abs=5e-4)

    def error(k, epsilon):
        off, chances = [], np.zeros(1001)
        for _ in range(20):
            order = rng.permutation(len(people))
            shares = np.array([lorenz(np.concatenate([people[i] for i in order[b::k]])) for b in range(k)])
            off.append(np.median(shares) - whole)
            ranks = np.maximum((shares[:, None] < grid).sum(axis=0), (shares[:, None] > grid).sum(axis=0))
            weights = np.exp(-(ranks - ranks.min()) * epsilon / 2)
            chances += weights / weights.sum()
        far = np.sort(np.abs(grid - whole))
        reached = np.cumsum(chances[np.argsort(np.abs(grid - whole))]) / 20
        return far[np.argmax(reached >= 0.95)], np.mean(off)

    for k, right in ((50, 0.47), (70, 0.42), (120, 0.05), (150, 0.04), (200, 0.04), (500, 0.065)):
        assert error(k, 0.25)[0] == pytest.approx(right, rel=0.15)
    assert 0.13 < error(100, 0.25)[0] < 0.3
    assert error(150, 0.25)[1] == pytest.approx(-0.02, abs=0.004) and error(500, 0.25)[1] == pytest.approx(-0.057, abs=0.004)
    assert error(50, 0.5)[0] > 0.15 and error(75, 0.5)[0] == pytest.approx(0.03, rel=0.15)


# --- the second box --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("share, r", [(Fraction(1, 2), Fraction(3)), (Fraction(2, 3), Fraction(5, 4))])
def test_blocks_by_chance_have_the_enumerated_law(assignment, share, r):
    """Every way in which two ones can join three blocks, and every pattern of lies."""
    for published in ("yes", "no"):
        numbers = {"blocks": 3, "share": str(share), "answer_ratio": str(r), "published": published}
        law = Counter()
        for *joins, lies in product(list(product((0, 1), repeat=3)), repeat=3):
            coins = math.prod(share if coin else 1 - share for join in joins for coin in join)
            told = math.prod((1 if lie else r) / (1 + r) for lie in lies)
            yes = sum((a or b) != lie for a, b, lie in zip(*joins, lies))
            law[yes if published == "yes" else 3 - yes] += coins * told
        for t in range(-1, 5):
            assert assignment.RANDOM_BLOCKS.chance(numbers, (0, 1, 1, 0), t) == sum(p for y, p in law.items() if y <= t)
