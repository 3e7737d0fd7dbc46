"""The judge of problem set 4 is right: closed forms agree with searches, and what is called largest or least is."""

import math
from collections import Counter, deque
from fractions import Fraction
from itertools import permutations, product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import laplace

import grading
import ps4
from tests import depth


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
def kinds(**choices):
    """Sheets with all combinations of some of their entries."""
    return [dict(zip(choices, values)) for values in product(*choices.values())]


TOPS = kinds(named=["the most popular", "the least popular", "the ranking", "the place"], tie=[[0, 1, 2, 3], [2, 0, 3, 1]],
             votes_are=["added or removed", "replaced"], votes=[1, 2, 3])


def named_by_definition(counts, size, mine):
    order = sorted(range(len(counts)), key=lambda j: (-counts[j], mine["tie"].index(j)))
    match mine["named"]:
        case "the most popular":
            return frozenset(order[:size])
        case "the least popular":
            return frozenset(order[len(order) - size :])
        case "the ranking":
            return tuple(order[:size])
        case "the place":
            return order[size - 1]


def around(counts, mine, most):
    """The counts of all neighbours of a data set, up to so many votes a label."""
    found = {counts}
    for _ in range(mine["votes"]):
        if mine["votes_are"] == "replaced":
            found |= {moved(c, {i: -1, j: 1}) for c in found for i, j in permutations(range(len(counts)), 2) if c[i]}
        else:
            found |= {moved(c, {j: 1}) for c in found for j in range(len(counts)) if sum(c) >= sum(counts)}
            found |= {moved(c, {j: -1}) for c in found for j in range(len(counts)) if c[j] and sum(c) <= sum(counts)}
    return {c for c in found - {counts} if max(c) <= most}


def moved(counts, changes):
    return tuple(count + changes.get(j, 0) for j, count in enumerate(counts))


@pytest.mark.parametrize("labels, size, most", [(1, 1, 6), (2, 1, 9), (3, 1, 6), (3, 2, 6), (3, 3, 6)])
def test_distances_are_those_of_a_search(assignment, labels, size, most):
    """Among data sets with few votes a label, by steps to neighbours; what is named is as the question says."""
    grid = list(product(range(most + 1), repeat=labels))
    for mine in depth.few(TOPS, depth.KINDS):
        named = {counts: named_by_definition(counts, size, mine) for counts in grid}
        near = {counts: around(counts, mine, most) for counts in grid}
        distance = {counts: 1 for counts in grid if any(named[c] != named[counts] for c in near[counts])}
        ways = deque(distance)
        while ways:
            here = ways.popleft()
            for there in near[here] - distance.keys():
                distance[there] = distance[here] + 1
                ways.append(there)
        for counts in grid:
            asked = {"x": assignment.votes(counts), "labels": labels, "size": size}
            right = assignment.contest(asked, mine)[0]
            assert {"the ranking": tuple(right), "the place": right[0]}.get(mine["named"], frozenset(right)) == named[counts]
            if 2 * max(counts) <= most:                     # what is near the edge of the grid may have a way outside
                assert assignment.closest(asked, mine)[0] == distance.get(counts, math.inf), (mine, counts)


def test_neighbours_are_recognised(assignment):
    for mine in TOPS[::7]:
        for x in product(range(4), repeat=3):
            assert {y for y in product(range(4), repeat=3) if y != x and assignment.are_neighbours(x, y, mine)} == around(x, mine, 3)


def test_no_private_release_names_more_often(assignment):
    """A linear program over all chances on a line of data sets, 0 to 9 votes for label 0 against 3 for label 1."""
    ratio, delta, ahead = 1.5, 0.02, range(10)
    mine = {"named": "the most popular", "tie": [0, 1], "votes": 1, "votes_are": "added or removed"}
    counts = [(a, 3) for a in ahead]
    top = [named_by_definition(c, 1, mine) for c in counts]
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
        asked = {"x": assignment.votes(c), "labels": 2, "size": 1, "ratio": "3/2", "delta": "1/50"}
        assert best.status == 0 and -best.fun == pytest.approx(float(assignment.top_chance(asked, mine)), rel=1e-7)


def test_the_largest_delta_of_the_release_is_the_promised_one(assignment):
    """Over all neighbours among the small data sets, in fractions."""
    for mine in TOPS[::5]:
        for labels, size, ratio, delta in [(3, 1, Fraction(2), Fraction(1, 5)), (3, 2, Fraction(3, 2), Fraction(1, 10))]:
            law = {}
            for counts in product(range(4), repeat=labels):
                asked = {"x": assignment.votes(counts), "labels": labels, "size": size, "ratio": ratio, "delta": delta}
                p = assignment.top_chance(asked, mine)
                law[counts] = {named_by_definition(counts, size, mine): p, "refusal": 1 - p}
            worst = max(assignment.excess(law[a], law[b], ratio) for a in law for b in around(a, mine, 3))
            assert worst == delta


# --- question 3 ------------------------------------------------------------------------------------------------------
VOTES = [(1, m) for m in (1, 2, 5)] + [(2, m) for m in (2, 4)]      # how far a person moves the lead, and the lead that is needed


@pytest.mark.parametrize("move, m", VOTES)
def test_the_best_vote_is_the_optimum_of_the_linear_program(assignment, move, m):
    """Each chance by itself, over all fair and private votes; and all of them are attained at once."""
    leads = range(m - 9, 10)                                # the mirror of each is among them
    for ratio, delta in ((2, 0), (1.5, 0.1), (3, 0.02)):
        rows, bounds, fair = [], [], []
        for i, j in permutations(range(len(leads)), 2):
            if abs(i - j) <= move:
                for sign in (1, -1):
                    row = np.zeros(len(leads))
                    row[i], row[j] = sign, -sign * ratio
                    rows.append(row)
                    bounds.append(delta + (sign == -1) * (ratio - 1))
        for i in range(len(leads)):
            row = np.zeros(len(leads))
            row[i] += 1
            row[-1 - i] += 1
            fair.append(row)
        exact = [float(assignment.best_yes(lead, m, move, Fraction(ratio), Fraction(str(delta)))) for lead in leads]
        assert (np.array(rows) @ exact <= np.array(bounds) + 1e-12).all() and np.allclose(np.array(fair) @ exact, 1)
        for i, lead in enumerate(leads):
            if 2 * lead > m:
                goal = np.zeros(len(leads))
                goal[i] = -1
                best = linprog(goal, A_ub=np.array(rows), b_ub=bounds, A_eq=np.array(fair), b_eq=np.ones(len(leads)), bounds=(0, 1))
                assert best.status == 0 and -best.fun == pytest.approx(exact[i], abs=1e-8)


def test_sheets_ask_only_for_votes_with_one_that_is_best_everywhere(assignment):
    """With an odd lead and moves of 2 there is none, nor with larger moves."""
    for mine in assignment.boxes.sheets:
        assert assignment.reach(mine) == 1 or assignment.reach(mine) == 2 and mine["lead"] % 2 == 0


def test_the_best_vote_is_that_of_the_page_without_abstentions(assignment):
    odd = lambda d, epsilon: 1 - math.exp(-epsilon * (d - 1) / 2) / (1 + math.exp(epsilon))
    for d in (1, 3, 7):
        assert float(assignment.best_yes(d, 0, 2, Fraction(math.exp(0.5)), Fraction(0))) == pytest.approx(odd(d, 0.5), rel=1e-12)


def test_one_block_errs_less_than_with_laplace_noise(assignment):
    """One block, right three times out of four, at epsilon = 1: .384, where the sign of a noisy vote has .402."""
    right = float(assignment.best_yes(1, 0, 2, Fraction(math.e), Fraction(0)))
    sign = 1 - math.exp(-0.5) / 2
    assert (round(0.75 * (1 - right) + 0.25 * right, 3), round(0.75 * (1 - sign) + 0.25 * sign, 3)) == (0.384, 0.402)


# --- questions 4 and 5 -----------------------------------------------------------------------------------------------
PAGE = {"share_of": "others", "power": 1, "records_are": "replaced", "records": 1}
FILTERS = kinds(share_of=["others", "all"], power=[1, 2, 5], records_are=["replaced"], records=[1, 2, 4])
FILTERS += kinds(share_of=["others"], power=[1, 2, 5], records_are=["added or removed"], records=[1])


def some_graph(rng, n):
    above = np.triu(rng.random((n, n)) < rng.choice([0, 0.3, 0.5, 0.8, 0.95, 1]), 1)
    return above | above.T | np.eye(n, dtype=bool)


def neighbours(rng, n, mine):
    """Two graphs of n records, or of up to n and one less, that differ in the friendships of the first ones."""
    if mine["records_are"] == "added or removed":
        friends = some_graph(rng, int(rng.integers(2, n + 1)))
        friends[0, 1:] = friends[1:, 0] = rng.random(len(friends) - 1) < rng.choice([0, 0.3, 0.9, 1])
        return friends, friends[1:, 1:]
    friends, other, g = some_graph(rng, n), some_graph(rng, n), min(mine["records"], n)
    other[g:, g:] = friends[g:, g:]
    return friends, other


def test_no_neighbours_change_the_weight_by_more_and_some_by_as_much(assignment):
    rng = np.random.default_rng(7)
    for mine, n, share in product(depth.few(FILTERS, depth.KINDS), (2, 3, 4, 7), (0.5, 0.6, 0.9)):
        total = lambda friends: sum(assignment.weights_of(friends.astype(int).tolist(), share, mine))
        far, g = np.ones((n, n), dtype=bool), min(mine["records"], n)
        far[:g], far[:, :g] = False, False
        far |= np.eye(n, dtype=bool)
        equal, two = np.ones((n, n), dtype=bool), np.ones((2, 2), dtype=bool)
        extreme = [(far, far[1:, 1:]), (two, two[1:, 1:])] if mine["records_are"] == "added or removed" else [(equal, far)]
        exact = assignment.weight_change(n, share, mine)
        assert max(abs(total(x) - total(y)) for x, y in extreme) == pytest.approx(exact)
        for _ in range(20):
            x, y = neighbours(rng, n, mine)
            assert abs(total(x) - total(y)) <= exact + 1e-9


def test_what_is_to_be_proved_holds_on_random_graphs(assignment):
    """S at most 1 + 1/(1 - h), at most 2 if both survive, and survivors with that many friends in common."""
    rng = np.random.default_rng(7)
    for share, n in product((0.5, 0.6, 0.75, 0.9), (2, 3, 4, 7, 12)):
        for _ in range(120):
            x, y = neighbours(rng, n, PAGE)
            w, v = (np.array(assignment.weights_of(f.astype(int).tolist(), share, PAGE)) for f in (x, y))
            S = w[0] + v[0] + np.abs(w - v)[1:].sum()
            assert S <= 1 + 1 / (1 - share) + 1e-9
            assert not (w[0] > 0 and v[0] > 0) or S <= 2 + 1e-9
            shared = [f[i, 1:] for f, weights in ((x, w), (y, v)) for i in range(n) if weights[i] > 1e-9]
            least = min((int((a & b).sum()) for a in shared for b in shared), default=n)
            assert least > (2 * share - 1) * (n - 1) + 1e-9


def test_changes_of_the_weight_on_the_page_are_those_of_the_question(assignment):
    """3, 3.5, 6, 11 for many people; n for few."""
    assert [round(assignment.weight_change(1000, h, PAGE), 9) for h in (0.5, 0.6, 0.8, 0.9)] == [3, 3.5, 6, 11]
    for n, h in product((2, 3, 5, 10, 11, 50), (0.5, 0.6, 0.9)):
        assert assignment.weight_change(n, h, PAGE) == pytest.approx(min(n, 1 + 1 / (1 - h)))


@pytest.mark.parametrize("must, wrong", [("refuse", laplace.sf), ("pass", laplace.cdf)])
def test_the_threshold_keeps_delta(assignment, must, wrong):
    """Data on the bound itself are answered wrongly with probability delta, if t keeps just the distance that is asked for."""
    for n, epsilon, delta in product((2, 5000), (0.1, 2), (0.5, 0.2, 1e-9)):
        kwargs = {"size": n, "share": 0.6, "bound": 0.4 * n, "epsilon": epsilon, "delta": delta}
        b, mine = 7 / epsilon, PAGE | {"must": must}
        answers = SimpleNamespace(group=lambda group: [("", kwargs, [b, kwargs["bound"]])])
        *_, distance, _, least = next(assignment.judged_plans(answers, mine))
        t = kwargs["bound"] + (least if must == "refuse" else -least)
        assert distance == 0 and assignment.room(kwargs, t, mine) == pytest.approx(least)
        assert wrong(t, loc=kwargs["bound"], scale=b) == pytest.approx(delta, rel=1e-6)


# --- the questions ---------------------------------------------------------------------------------------------------
def test_questions_are_allowed_ones(assignment):
    for seed in range(10):
        mine = assignment.boxes.sheets[seed]
        asked = assignment.calls(np.random.default_rng(seed), mine)
        for group in ("small", "pairs", "edges"):
            for kwargs in asked[group][1]:
                assert set(kwargs["x"]) <= set(range(kwargs["labels"])) and 1 <= kwargs["size"] <= kwargs["labels"] <= 8
                assert 1 < Fraction(kwargs["ratio"]) <= 4 and 0 < Fraction(kwargs["delta"]) <= Fraction(1, 4)
                assert len(kwargs["x"]) <= 20_000
        for one, other in zip(asked["pairs"][1][::2], asked["pairs"][1][1::2]):
            counts = [[kwargs["x"].count(j) for j in range(one["labels"])] for kwargs in (one, other)]
            assert assignment.are_neighbours(*counts, mine) and one | {"x": 0} == other | {"x": 0}
        chances = [assignment.top_chance(kwargs, mine) for kwargs in asked["pairs"][1]]
        assert sum(Fraction(1, 50) < p < 1 for p in chances) >= 3  # on the rise, where a step more or less is seen
        for group in ("few votes", "many votes"):
            for kwargs in asked[group][1]:
                assert min(kwargs["yes"], kwargs["no"]) >= 0 and kwargs["yes"] + kwargs["no"] <= 300
                assert 1 < Fraction(kwargs["ratio"]) <= 4 and 0 <= Fraction(kwargs["delta"]) <= Fraction(1, 4)
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
    assert len(people) == 5912 and len(rows) == 20_190
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
