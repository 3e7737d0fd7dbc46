"""Each bound of part III fails no more often than it allows, at 200 random settings.

A trial draws a setting, and as many people as the bound asks for. It tells how many runs were further off than promised, how
many runs there were, and which share may be. Where a probability is stated exactly, it is met from both sides. `less` is the
mistake that is planted: so many times fewer people, or so much tighter a bound.
"""

import math

import numpy as np
import pytest

from dplib import factorization, learning, local, parity, queries
from tests.chance import FAR, rng, standard_errors

SETTINGS = 200
RELATIONS = ("replace", "add_remove")


def uniform(draw, low, high):
    """A number whose logarithm is uniform."""
    return float(np.exp(draw.uniform(np.log(low), np.log(high))))


def promise(draw, accuracy=(.15, .5), epsilon=(.3, 3)):
    return dict(accuracy=uniform(draw, *accuracy), epsilon=uniform(draw, *epsilon), beta=uniform(draw, .05, .5))


# --- learning ------------------------------------------------------------------------------------------------------------

def threshold_without_mistakes(draw, less=1):
    """Half of the people at the border or uniform over the cells; cells from 2 to 2^40."""
    public, cells, relation = promise(draw), int(2 ** draw.uniform(1, 40)), RELATIONS[draw.integers(2)]
    n = max(1, learning.pac_sample_size(hypotheses=cells + 1, **public, neighbor=relation) // less)
    target, near = draw.integers(0, cells + 1), min(public["accuracy"] / 2, .5)
    sides = np.clip(target - [1, 0], 0, cells - 1)
    x = np.where(draw.random((60, n)) < near, draw.choice(sides, (60, n)), draw.integers(0, cells, (60, n)))
    t = learning.private_threshold(x, x >= target, cells=cells, epsilon=public["epsilon"], neighbor=relation, runs=True, rng=draw)
    below = lambda cut: (1 - near) * cut / cells + near * (np.asarray(cut)[..., None] > sides).mean(axis=-1)
    return np.sum(abs(below(t) - below(target)) >= public["accuracy"]), t.size, public["beta"]


def threshold_with_mistakes(draw, less=1):
    """Any distribution of a place and its label on few cells: no rule need be right."""
    public, cells, relation = promise(draw, accuracy=(.2, .5)), int(draw.integers(1, 12)), RELATIONS[draw.integers(2)]
    n = learning.agnostic_sample_size(hypotheses=cells + 1, **public, neighbor=relation) // less
    p, yes = draw.dirichlet(np.ones(cells)), draw.random(cells)
    error = np.append(0, np.cumsum(p * (2 * yes - 1))) + p @ (1 - yes)
    x = draw.choice(cells, size=(60, n), p=p)
    t = learning.private_threshold(x, draw.random(x.shape) < yes[x], cells=cells, epsilon=public["epsilon"], neighbor=relation,
                                   runs=True, rng=draw)
    return np.sum(error[t] > error.min() + public["accuracy"]), t.size, public["beta"]


def stump_without_mistakes(draw, less=1):
    """Uniform features; the error of a stump is counted on all their values."""
    public, cells, features = promise(draw), int(draw.integers(1, 6)), int(draw.integers(1, 4))
    n = max(1, learning.pac_sample_size(hypotheses=2 * features * (cells + 1), **public, neighbor="replace") // less)
    target = draw.integers(features), draw.integers(0, cells + 1), draw.choice([-1, 1])
    says = lambda x, rule: (np.take_along_axis(x, np.asarray(rule[0])[..., None, None], -1)[..., 0] >= np.asarray(rule[1])[..., None]) == (
        np.asarray(rule[2])[..., None] > 0)
    x = draw.integers(0, cells, (60, n, features))
    labels = says(x, [np.full(60, part) for part in target])
    chosen = learning.private_stump(x, labels, cells=cells, epsilon=public["epsilon"], neighbor="replace", runs=True, rng=draw)
    every = np.broadcast_to(np.moveaxis(np.indices([cells] * features), 0, -1).reshape(-1, features), (60, cells**features, features))
    error = np.mean(says(every, chosen) != says(every, [np.full(60, part) for part in target]), axis=-1)
    return np.sum(error >= public["accuracy"]), 60, public["beta"]


# --- averages --------------------------------------------------------------------------------------------------------------

def values_and_mean(draw, *size):
    """Records of a few values in [-1, 1], often both ends."""
    points = np.append(np.sign(draw.normal(size=2)), draw.uniform(-1, 1, 2))
    p = draw.dirichlet(np.ones(4) / 2)
    return draw.choice(points, size=size, p=p), points @ p


def local_mean(draw, less=1):
    public = promise(draw, accuracy=(.1, .5))
    values, mean = values_and_mean(draw, 60, max(1, local.local_mean_sample_size(**public) // less))
    reports = local.local_randomized_response(values, epsilon=public["epsilon"], rng=draw)
    return np.sum(abs(reports.mean(axis=-1) - mean) >= public["accuracy"]), 60, public["beta"]


def oracle(make, size):
    """An oracle that is asked about independent columns; the last query depends on the answer before it."""
    def trial(draw, less=1):
        m, public = int(draw.integers(1, 5)), promise(draw, accuracy=(.2, .6))
        tolerance, epsilon, beta = public.values()
        n = max(m, size(queries=m, tolerance=tolerance, epsilon=epsilon, beta=beta) // less)
        wrong = 0
        for _ in range(20):
            x, mean = values_and_mean(draw, n, m)
            ask = make(x, m, epsilon, draw)
            wrong += any(abs(ask(lambda x, j=j: x[:, j]) - mean) > tolerance for j in range(m))
        return wrong, 20, beta
    return trial


def sample_size(*, queries, tolerance, epsilon, beta):
    return math.ceil(2 / tolerance**2 * math.log(2 * queries / beta))


def private_oracle(make):
    return lambda x, m, epsilon, draw: make(x, queries=m, epsilon=epsilon, vectorized=True, rng=draw)


def conjunction(draw, less=1):
    """From answers as wrong as they may be, by any sign: the rule errs with probability at most α, always."""
    d, accuracy = int(draw.integers(1, 7)), uniform(draw, .01, .9)
    x = np.indices([2] * d).reshape(d, -1).T
    p, target = draw.dirichlet(np.full(2**d, .3)), draw.random(d) < .5
    labels = x[:, target].all(axis=1)
    answers = queries.adversarial_oracle(np.column_stack([x, labels]), p, tolerance=accuracy / d * less * (1 - 1e-9),
                                         aim=lambda phi: draw.choice([-1, 1]))
    learned = queries.learn_conjunction(answers, variables=d, accuracy=accuracy)
    return p @ (x[:, learned].all(axis=1) != labels) > accuracy, 1, 0


def report(draw, less=1):
    """One report of a random channel, from answers as wrong as the plan allows: its distance from a real one, exactly."""
    epsilon, beta, k = uniform(draw, .05, 4), uniform(draw, .01, .9), int(draw.integers(2, 5))
    users = int(draw.integers(1, 50))
    tolerance, tries = queries.local_simulation_plan(users=users, epsilon=epsilon, beta=beta)
    rows = np.exp(epsilon * draw.integers(0, 2, (6, k)) / 2)                # any two differ by e^ε at most, once they are normed
    rows /= rows.sum(axis=1, keepdims=True)
    q, real = rows[0], draw.dirichlet(np.ones(6)) @ rows
    exact = (real / q - math.cosh(epsilon)) / math.sinh(epsilon)
    answers = exact + tolerance * less * draw.choice([-1, 1], k)
    made = queries.simulated_report_probabilities(q, answers, epsilon=epsilon, tries=tries)
    return users * abs(made - real).sum() / 2 > beta, 1, 0


# --- parities --------------------------------------------------------------------------------------------------------------

def records_of_a_parity(draw, runs, n, d, wrong=0.0):
    s, x = draw.integers(0, 2, d), draw.integers(0, 2, (runs, n, d), dtype=np.int8)
    return s, x, ((x @ s + (draw.random((runs, n)) < wrong)) % 2).astype(np.int8)


def parity_by_equations(draw, less=1):
    d, n, wrong = int(draw.integers(1, 9)), int(draw.integers(1, 60)), float(draw.choice([0, .05, .3]))
    relation, epsilon = RELATIONS[draw.integers(2)], uniform(draw, .1, 3)
    blocks = 1 if relation == "add_remove" else int(draw.integers(1, 4))
    s, x, y = records_of_a_parity(draw, 60, n, d, wrong)
    named = parity.private_parity(x, y, epsilon=epsilon, neighbor=relation, blocks=blocks, runs=True, rng=draw)
    chance = parity.parity_success_probability(size=n, dimension=d, wrong=wrong, epsilon=epsilon * less, neighbor=relation, blocks=blocks)
    return np.all(named == s, axis=-1).sum(), 60, float(chance)


def parity_under_a_distribution(draw, less=1):
    """That under which every wrong parity errs equally often, which is too often."""
    public, d = promise(draw), int(draw.integers(1, 9))
    n, blocks = parity.parity_pac_sample_size(dimension=d, **public)
    n = max(1, n // less)
    s, x, _ = records_of_a_parity(draw, 60, n, d)
    x *= draw.random((60, n, 1)) < 2 * public["accuracy"]
    named = parity.private_parity(x, x @ s % 2, epsilon=public["epsilon"], neighbor="replace", blocks=blocks, runs=True, rng=draw)
    return np.any(named != s, axis=-1).sum(), 60, public["beta"]


def parity_by_reports(draw, less=1):
    """With a Poisson number of people, for which the probability is exact."""
    d, mean, epsilon, right = int(draw.integers(1, 5)), int(draw.integers(5, 300)), uniform(draw, .3, 4), 0
    for n in draw.poisson(mean, 20):
        s, x, y = records_of_a_parity(draw, 1, n, d)
        right += np.all((parity.learn_parity_locally(x[0], y[0], epsilon=epsilon, rng=draw) if n else draw.integers(0, 2, d)) == s)
    return right, 20, float(parity.local_parity_success(size=mean, dimension=d, epsilon=epsilon * less))


def parity_by_scores(draw, less=1):
    """Fewer mistakes than the best plus (2/ε)(d ln 2 + t)."""
    d, n, epsilon, t = int(draw.integers(1, 7)), int(draw.integers(1, 100)), uniform(draw, .1, 5), draw.uniform(.5, 3)
    _, x, y = records_of_a_parity(draw, 60, n, d, wrong=draw.uniform(0, .5))
    chosen = parity.private_parity_by_scores(x, y, epsilon=epsilon, runs=True, rng=draw)
    every = np.indices([2] * d).reshape(d, -1)
    best = np.sum((x @ every) % 2 != y[..., None], axis=1).min(axis=-1)
    mistakes = np.sum(np.sum(x * chosen[:, None, :], axis=-1) % 2 != y, axis=-1)
    return np.sum(mistakes > best + (2 / epsilon * (d * math.log(2) + t)) / less), 60, math.exp(-t)


def elimination(draw, less=1):
    d, tolerance = int(draw.integers(1, 8)), uniform(draw, .02, 1)
    table = np.sign(draw.normal(size=(2**d, 2))) if draw.integers(2) else draw.uniform(-1, 1, (2**d, 2))
    return np.sum(~parity.eliminate_parities(table, tolerance=tolerance / less)) >= 1 / tolerance**2, 1, 0


# --- many answers ----------------------------------------------------------------------------------------------------------

def workload(draw, centered):
    cells = int(draw.integers(2, 9))
    made = [lambda: factorization.square_root_factorization(cells=cells, centered=centered),
            lambda: factorization.hierarchical_factorization(cells=cells, centered=centered),
            lambda: factorization.optimal_factorization(draw.normal(size=(4, cells)), gap=.1, centered=centered)][draw.integers(3)]()
    return cells, made, made.workload @ np.eye(cells)


def release_for_nobody(draw, less=1):
    n, epsilon, beta = int(draw.integers(1, 60)), uniform(draw, .1, 4), uniform(draw, .02, .5)
    cells, made, W = workload(draw, bool(draw.integers(2)))
    p = draw.dirichlet(np.ones(cells) / 2)
    answers = factorization.release_local(draw.choice(cells, size=(60, n), p=p), made, epsilon=epsilon, runs=True, rng=draw)
    bound = factorization.release_local_error_bound(made, size=n, epsilon=epsilon, beta=beta) / less
    return np.sum(abs(answers - W @ p).max(axis=-1) > bound), 60, beta


def people_for_all(draw, less=1):
    public = promise(draw, accuracy=(.5, 1), epsilon=(1, 4))
    cells, made, W = workload(draw, bool(draw.integers(2)))
    accuracy, p = public["accuracy"] * made.error, draw.dirichlet(np.ones(cells) / 2)
    n = max(1, factorization.release_local_sample_size(made, **public | dict(accuracy=accuracy)) // less)
    answers = factorization.release_local(draw.choice(cells, size=(60, n), p=p), made, epsilon=public["epsilon"], runs=True, rng=draw)
    return np.sum(abs(answers - W @ p).max(axis=-1) > accuracy), 60, public["beta"]


def release_by_a_curator(draw, less=1):
    relation, beta = RELATIONS[draw.integers(2)], uniform(draw, .02, .5)
    cells, made, W = workload(draw, relation == "replace" and bool(draw.integers(2)))
    public = dict(epsilon=uniform(draw, .1, 4), delta=uniform(draw, 1e-9, .1), neighbor=relation)
    x = draw.integers(0, cells, 30)
    answers = factorization.release_central(np.tile(x, (60, 1)), made, **public, runs=True, rng=draw)
    bound = factorization.release_central_error_bound(made, **public, beta=beta) / less
    return np.sum(abs(answers - W @ np.bincount(x, minlength=cells)).max(axis=-1) > bound), 60, beta


NEVER = {"a conjunction": conjunction, "a report from averages": report, "parities ruled out": elimination}
AT_MOST = {"a threshold without mistakes": threshold_without_mistakes, "a threshold with mistakes": threshold_with_mistakes,
           "a stump": stump_without_mistakes, "a mean of reports": local_mean,
           "averages of a sample": oracle(lambda x, *_: queries.sample_oracle(x), sample_size),
           "averages of a curator": oracle(private_oracle(queries.central_oracle), queries.central_oracle_size),
           "averages of batches": oracle(private_oracle(queries.fresh_oracle), queries.fresh_oracle_size),
           "averages of reports": oracle(private_oracle(queries.local_oracle), queries.local_oracle_size),
           "a parity under a distribution": parity_under_a_distribution, "a parity by scores": parity_by_scores,
           "one message for all": release_for_nobody, "people for all": people_for_all, "a curator for all": release_by_a_curator}
EXACTLY = {"a parity by equations": parity_by_equations, "a parity by reports": parity_by_reports}


def trials(trial, **mistake):
    draw = rng(26)
    return np.array([trial(draw, **mistake) for _ in range(SETTINGS)], dtype=float).T


def excess(trial, **mistake):
    """By how many standard errors the frequency exceeds what is allowed: at the worst setting, and over all of them."""
    hits, runs, allowed = trials(trial, **mistake)
    spread = math.sqrt((runs * allowed * (1 - allowed)).sum())
    return max(map(standard_errors, hits, runs, allowed)), (hits - runs * allowed).sum() / spread


@pytest.mark.parametrize("what", NEVER)
def test_what_is_promised_without_a_chance(what):
    assert not trials(NEVER[what])[0].any() and trials(NEVER[what], less=2)[0].any()


@pytest.mark.parametrize("what", AT_MOST)
def test_no_bound_is_exceeded_more_often_than_it_allows(what):
    assert max(excess(AT_MOST[what])) < FAR < max(excess(AT_MOST[what], less=16))


@pytest.mark.parametrize("what", EXACTLY)
def test_stated_probabilities_are_met(what):
    worst, together = excess(EXACTLY[what])
    assert worst < FAR and abs(together) < FAR < abs(excess(EXACTLY[what], less=2)[1])
