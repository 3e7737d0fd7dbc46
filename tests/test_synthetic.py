"""Invented populations: against slow twins and golden values; what data can do to them except by two primitives; their price."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import lambertw

from dplib import synthetic
from dplib.accounting import zcdp_rho
from dplib.synthetic import (
    ROUNDING_OF_A_DRAW, TreeDistribution, multiplicative_weights, multiplicative_weights_error_bound, multiplicative_weights_rounds,
    project_to_simplex, tree_distribution)
from tests.chance import ALARM, chi_square, rng
from tests.outcomes import distribution
from tests.primitives import CHOOSE, NOISY, Tape, spent

BUDGET = dict(epsilon=1, delta=1e-6)
RHO = zcdp_rho(**BUDGET)


# --- the simplex ----------------------------------------------------------------------------------------------------------

def test_the_projection_is_the_nearest_point():
    """Against a solver, and by the condition that a nearest point satisfies: what is kept is moved alike, the rest further."""
    for counts in 30 * rng(1).normal(size=(60, 5)):
        near = project_to_simplex(counts, total=20)
        assert near.min() >= 0 and near.sum() == pytest.approx(20, rel=1e-12)
        moved = counts - near
        assert moved[near > 0] == pytest.approx(moved[near > 0][0], abs=1e-12) and np.all(moved[near == 0] <= moved[near > 0][0] + 1e-12)
    found = minimize(lambda z: np.sum((z - [3, 1, -2]) ** 2), [1, 1, 1], bounds=[(0, None)] * 3,
                     constraints=dict(type="eq", fun=lambda z: z.sum() - 3)).x
    assert project_to_simplex([3, 1, -2], total=3) == pytest.approx(found, abs=1e-6)


def test_the_projection_of_huge_counts_ties_and_one_cell():
    assert np.array_equal(project_to_simplex([1e300, -1e300], total=1), [1, 0])
    assert np.array_equal(project_to_simplex([7], total=3), [3]) and np.array_equal(project_to_simplex([5, 5], total=1), [.5, .5])
    both = project_to_simplex([[1, 2, 3], [0, 0, 9]], total=4)
    assert np.array_equal(both[1], project_to_simplex([0, 0, 9], total=4))
    for wrong in (dict(counts=[]), dict(counts=[1, np.nan]), dict(counts=3), dict(total=0)):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            project_to_simplex(**dict(counts=[1, 2], total=1) | wrong)


# --- what data can do ---------------------------------------------------------------------------------------------------

THREE = [[1, 0, 0], [0, 1, 0]]
PAIR = np.repeat([0, 1, 2], [151, 150, 9]), np.repeat([0, 1, 2], [150, 151, 9])  # one question goes up, one comes down


def rounds_of(count, workload=THREE):
    return lambda labels, rng: multiplicative_weights(labels, workload, rounds=count, **BUDGET, rng=rng)


def people(seed, columns, values):
    x = rng(seed).integers(0, values, size=(60, columns))
    return x, np.vstack([(x[:1] + 1) % values, x[1:]])


def tree_of(columns, values):
    return lambda x, rng: tree_distribution(x, categories=[values] * columns, **BUDGET, rng=rng)


def test_data_reach_an_invented_population_through_noise_and_choices_alone():
    """Random neighbours and questions never spend more than ρ; two data sets spend all of it, but for rounding."""
    assert spent(rounds_of(1), *PAIR).rho == pytest.approx(RHO, rel=1e-6)
    for seed in range(30):
        draw = rng(seed)
        workload, labels = draw.integers(0, 2, size=(5, 4)), draw.integers(0, 4, size=40)
        other = np.append(labels[:-1], (labels[-1] + 1) % 4)
        assert spent(rounds_of(7, workload), labels, other).rho <= RHO


def test_data_reach_a_tree_through_noise_and_choices_alone():
    for seed in range(12):
        for columns, values in ((2, 2), (3, 2), (5, 3)):
            tape = spent(tree_of(columns, values), *people(seed, columns, values))
            assert tape.rho <= RHO and [kind for kind, *_ in tape.parts].count("choice") == columns - 1
            for kind, share in (("noisy", 2 / 3), ("choice", 1 / 3)):
                assert sum(part for what, _, part in tape.parts if what == kind) <= share * RHO


def test_less_noise_of_the_rounds_is_noticed():
    for factor in (1000, 2, 1 / .9):
        assert spent(rounds_of(1), *PAIR, less=factor).rho > 1.2 * RHO


def test_less_noise_of_the_tree_is_noticed():
    """A record that changes in all columns, and in no pair by chance: each table moves by √2, so two thirds of ρ are spent."""
    pair = np.zeros((50, 4), dtype=int), np.vstack([np.ones((1, 4), dtype=int), np.zeros((49, 4), dtype=int)])
    right = spent(tree_of(4, 2), *pair)
    assert sum(part for kind, _, part in right.parts if kind == "noisy") == pytest.approx(2 / 3 * RHO, rel=1e-6)
    for factor in (1000, 2, 1 / .9):
        tape = spent(tree_of(4, 2), *pair, less=factor)
        assert sum(part for kind, _, part in tape.parts if kind == "noisy") > 1.2 * 2 / 3 * RHO


def test_the_score_of_a_pair_can_move_by_two():
    """A third of ρ is for choices that spend it: of two columns that agree, one record leaves the diagonal."""
    x = np.repeat([[0, 0, 0], [1, 1, 1]], 200, axis=0)
    moved = np.vstack([[[0, 1, 0]], x[1:]])
    scores = [synthetic._dependence(2 * data[:, 0] + data[:, 1], np.full(4, 100.)) for data in (x, moved)]
    assert scores == [400., 398.]
    lower = [synthetic._dependence(2 * data[:, 0] + data[:, 1], np.array([200., 0, 0, 200])) for data in (x, moved)]
    assert lower == [0., 2.]


def test_the_primitives_have_their_exact_distributions():
    scores = np.array([[3., 1, 0, 2.5]])
    chosen = distribution(lambda data, rng: CHOOSE(data, .7, rng), scores)
    weights = np.exp(.35 * scores[0])
    assert [chosen[i,] for i in range(4)] == pytest.approx(weights / weights.sum(), rel=1e-12)
    noise = distribution(lambda data, rng: NOISY(data, 3., rng), np.array([7]))
    assert [noise[7 + k,] / noise[7,] for k in range(-9, 10)] == pytest.approx(np.exp(-np.arange(-9, 10) ** 2 / 18), rel=1e-9)


def test_a_round_is_what_the_theorem_says_by_enumeration():
    """The Rényi divergences of all outcomes of two rounds are at most ρ times their order."""
    budget = dict(epsilon=24, delta=1e-6)
    rho = zcdp_rho(**budget)

    def release(labels, rng):
        found = multiplicative_weights(labels, THREE, rounds=2, **budget, rng=rng)
        return found.asked, found.measured

    laws = [distribution(release, labels) for labels in (np.repeat([0, 1, 2], [6, 5, 1]), np.repeat([0, 1, 2], [5, 6, 1]))]
    for p, q in (laws, laws[::-1]):
        for order in (1.5, 2, 4, 16):
            total = sum(a**order * q[out] ** (1 - order) for out, a in p.items() if q.get(out, 0) > 1e-16)
            assert np.log(total) / (order - 1) <= rho * order * (1 + 1e-9)


# --- rounds ---------------------------------------------------------------------------------------------------------------

def slowly(counts, workload, asked, measured):
    """The average of the populations, from what was published."""
    p, average = np.full(len(counts), 1 / len(counts)), np.zeros(len(counts))
    for j, answer in zip(asked, measured):
        average += p / len(asked)
        p = p * np.exp(4 * (answer - workload[j] @ p) * workload[j])
        p /= p.sum()
    return average, p


def test_a_population_is_made_of_what_was_published():
    workload, labels = rng(1).integers(0, 2, size=(9, 16)), rng(2).integers(0, 16, size=(3, 200))
    found = multiplicative_weights(labels, workload, rounds=60, epsilon=2, delta=1e-6, runs=True, rng=rng(3))
    for row in range(3):
        average, _ = slowly(np.zeros(16), workload, found.asked[row], found.measured[row])
        assert found.probabilities[row] == pytest.approx(average, abs=1e-12)
    assert found.asked.shape == found.measured.shape == (3, 60) and found.measured.min() >= 0 and found.measured.max() <= 1


def test_one_step_by_hand():
    _, after = slowly(np.zeros(4), np.array([[1, 1, 0, 0]]), [0], [.9])
    assert after == pytest.approx([.41600919, .41600919, .08399081, .08399081], abs=5e-9)


def test_many_rounds_stay_finite():
    found = multiplicative_weights(np.zeros(40, dtype=int), [[1, 0], [0, 1]], rounds=900, epsilon=400, delta=1e-6, rng=rng(1))
    assert found.probabilities.sum() == pytest.approx(1) and found.probabilities[0] > .95


@pytest.mark.parametrize("size, cells, queries, rounds, bound, digits", [
    (1000, 64, 64, 80, .30333, 5), (10_000, 16384, 3472, 602, .17691, 5), (10_000, 1024, 1024, 612, .1473, 4)])
def test_the_bound_and_its_rounds(size, cells, queries, rounds, bound, digits):
    given = dict(size=size, cells=cells, queries=queries, **BUDGET)
    assert multiplicative_weights_rounds(**given) == rounds
    assert multiplicative_weights_error_bound(**given, rounds=rounds) == pytest.approx(bound, abs=.51 * 10.0**-digits)


def test_the_worst_answer_is_below_its_bound_on_average():
    """Where everybody is in one cell, the distance at the start is all of ln N; 300 runs, with room for four standard errors."""
    for size, cells, rounds in ((60, 2, 3), (200, 16, 12), (1000, 16, 60)):
        labels, workload = np.zeros((300, size), dtype=int), np.eye(cells)
        found = multiplicative_weights(labels, workload, rounds=rounds, **BUDGET, runs=True, rng=rng(size))
        worst = np.abs(found.probabilities - workload[0]).max(axis=1)
        bound = multiplicative_weights_error_bound(size=size, cells=cells, queries=cells, rounds=rounds, **BUDGET)
        assert worst.mean() <= bound + 4 * worst.std() / 300**.5


def test_no_other_number_of_rounds_has_a_smaller_bound():
    for seed in range(20):
        size, cells, queries = (int(10 ** rng(seed).uniform(1, top)) for top in (6, 5, 4))
        given = dict(size=size, cells=cells + 1, queries=queries, epsilon=float(rng(seed + 99).uniform(.1, 5)), delta=1e-6)
        best = multiplicative_weights_rounds(**given)
        at = [multiplicative_weights_error_bound(**given, rounds=t)
              for t in {max(1, best - 1), best, best + 1, 1, 2 * best, max(1, best // 2)} if t <= 2**20]
        assert min(at) == pytest.approx(multiplicative_weights_error_bound(**given, rounds=best), rel=1e-9)


@pytest.mark.parametrize("epsilon, rounds, bound", [(4e-6, 12061, .0233950), (1e-9, 17, .4515191), (2.0**-34, 1, 1.8616487)])
def test_rounds_are_priced_where_epsilon_is_small(epsilon, rounds, bound):
    """Most of ε goes to the rounding of draws, two in each round, and more rounds than it pays for are not proposed."""
    given = dict(size=2**31, cells=1024, queries=1, epsilon=epsilon, delta=1e-6)
    assert multiplicative_weights_rounds(**given) == rounds
    at = lambda rounds: multiplicative_weights_error_bound(**given, rounds=rounds)
    assert at(rounds) == pytest.approx(bound, abs=6e-8)
    others = {1, max(1, rounds - 1), max(1, rounds // 2), rounds + 1}
    assert at(rounds) <= min(at(t) for t in others if 4 * t * ROUNDING_OF_A_DRAW <= epsilon)


def test_less_than_one_round_is_refused():
    with pytest.raises(ValueError, match="epsilon must be at least 5.8e-11 here, got 5.82077e-11"):
        multiplicative_weights_rounds(size=10, cells=4, queries=1, epsilon=np.nextafter(2.0**-34, 0), delta=1e-6)


def costs_at_most(release, moved, epsilon, draws):
    """Whether all noise and all choices of a run cost at most ρ, in exact arithmetic; ‖counts - counts'‖² is ``moved``."""
    tape, rounding = Tape(), draws * ROUNDING_OF_A_DRAW
    with tape.playing():
        release(epsilon=epsilon, delta=1e-6, rng=rng(1))
    costs = [Fraction(moved, 2) / Fraction(size) ** 2 if kind == "noisy" else Fraction(size) ** 2 / 8 for kind, _, size, _ in tape.calls]
    return sum(costs) <= Fraction(zcdp_rho(epsilon=epsilon - rounding, delta=1e-6 * np.exp(-rounding)))


def test_what_is_spent_is_not_rounded_up():
    for seed, epsilon in enumerate(rng(1).uniform(.01, 5, 30).tolist()):
        rounds = 1 + seed % 7
        assert costs_at_most(partial(multiplicative_weights, [0, 1, 1, 2], THREE, rounds=rounds), 1, epsilon, 2 * rounds)
        assert costs_at_most(partial(tree_distribution, [[0, 1, 0]], categories=[2] * 3), 2, epsilon, 15)


def test_what_a_choice_loses():
    loss = {m: lambertw((m - 1) / np.e).real for m in (2, 10, 1024, 10**6)}
    assert [loss[m] for m in loss] == pytest.approx([.2784645, 1.1010030, 4.4398697, 10.4672575], abs=6e-8)


@pytest.mark.parametrize("wrong", [
    dict(workload=[[1, .5]]), dict(workload=[1, 0]), dict(workload=np.zeros((0, 2))), dict(workload=[[np.nan, 1]]), dict(rounds=0),
    dict(rounds=2**20 + 1), dict(epsilon=0), dict(epsilon=1e-12), dict(delta=1), dict(labels=[0, 2]), dict(labels=[[0, 1]]),
    dict(labels=[0, .5])])
def test_wrong_questions_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        multiplicative_weights(**dict(labels=[0, 1], workload=[[1, 0]], rounds=3, **BUDGET, rng=rng()) | wrong)


def test_nobody_is_no_population():
    with pytest.raises(ValueError, match="records"):
        multiplicative_weights([], [[1, 0]], rounds=3, **BUDGET, rng=rng())
    with pytest.raises(ValueError, match="records"):
        tree_distribution(np.zeros((0, 2), dtype=int), categories=[2, 2], **BUDGET, rng=rng())


# --- the tree -------------------------------------------------------------------------------------------------------------

def test_the_noise_of_a_tree():
    tape = spent(tree_of(9, 2), *people(1, 9, 2))
    sizes = [size for _, size, _ in tape.parts]
    assert sizes[:9] == pytest.approx([33.295] * 9, abs=6e-4) and sizes[9:17] == pytest.approx([.0901036] * 8, abs=6e-8)
    assert sizes[17:] == pytest.approx([31.391] * 8, abs=6e-4)


def test_edges_are_a_tree_from_the_first_column():
    for seed in range(20):
        tree = tree_of(7, 3)(people(seed, 7, 3)[0], rng(seed))
        reached = [0]
        for parent, child in tree.edges:
            assert parent in reached and child not in reached
            reached.append(child)
        assert sorted(reached) == list(range(7))


def chain_of_three():
    x = rng(3).integers(0, 3, 40_000)
    y = np.where(rng(4).random(x.size) < .7, x % 2, 1 - x % 2)
    z = np.where(rng(5).random(x.size) < .6, y, 2)
    return np.stack([z, x, y], axis=1), [3, 3, 2]


def test_with_much_data_the_tree_is_the_right_one():
    x, categories = chain_of_three()
    tree = tree_distribution(x, categories=categories, epsilon=20, delta=1e-6, rng=rng(1))
    assert tree.edges == ((0, 2), (2, 1))
    for (i, j), joint in tree.pairs().items():
        real = np.zeros(joint.shape)
        np.add.at(real, (x[:, i], x[:, j]), 1 / len(x))
        assert np.abs(joint - real).sum() < .03 and joint.sum() == pytest.approx(1)


def test_people_are_drawn_from_the_distribution_that_the_tree_says():
    tree = TreeDistribution((2, 3, 2), ((0, 2), (2, 1)), np.array([.3, .7]),
                            (np.array([[.9, .1], [.4, .6]]), np.array([[.5, .5, 0], [.2, .3, .5]])))
    rows = tree.sample(size=60_000, rng=rng(1))
    counts = np.bincount(rows @ [6, 2, 1], minlength=12)
    exact = np.einsum("a,ac,cb->abc", tree.start, tree.tables[0], tree.tables[1]).ravel()
    assert chi_square(counts, exact) > ALARM
    pairs = tree.pairs()
    cube = exact.reshape(2, 3, 2)
    assert pairs[0, 1] == pytest.approx(cube.sum(axis=2)) and pairs[1, 2] == pytest.approx(cube.sum(axis=0))
    assert pairs[2, 0] == pytest.approx(cube.sum(axis=1).T) and pairs[1, 1] == pytest.approx(np.diag(cube.sum(axis=(0, 2))))
    assert tree.sample(size=0, rng=rng()).shape == (0, 3)


def test_a_table_of_a_pair_is_fitted_to_its_columns():
    """Its margins are theirs, and its odds ratios stay; a row that nobody has gets the distribution of all."""
    joint, rows, columns = np.array([[.1, .2, .3], [.2, .1, .1]]), np.array([.3, .7]), np.array([.2, .5, .3])
    fitted = rows[:, None] * synthetic._conditional(joint, rows, columns)
    assert fitted.sum(axis=0) == pytest.approx(columns, abs=1e-9) and fitted.sum(axis=1) == pytest.approx(rows)
    odds = lambda table: table[0, :-1] * table[1, 1:] / (table[1, :-1] * table[0, 1:])
    assert odds(fitted) == pytest.approx(odds(joint))
    empty = synthetic._conditional(np.array([[.2, .8], [0, 0]]), np.array([.5, .5]), np.array([.25, .75]))
    assert np.array_equal(empty[1], [.25, .75]) and empty.sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("wrong", [
    dict(x=[[0], [1]]), dict(x=[0, 1]), dict(x=[[0, 2]]), dict(x=[[0, .5]]), dict(categories=[2, 2, 2]), dict(categories=[2, 0]),
    dict(categories=2), dict(epsilon=-1), dict(delta=0)])
def test_wrong_tables_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        tree_distribution(**dict(x=[[0, 1], [1, 1]], categories=[2, 2], **BUDGET, rng=rng()) | wrong)
