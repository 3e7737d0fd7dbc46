"""The statements of the page on packing."""

import itertools
import math
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog

from dplib.lower_bounds import mean_sample_size_lower_bound, packing_mass, packing_sample_size
from dplib.mechanisms import exponential_probabilities
from tests.claims import claim, page_function, to


def best_on_constant_data(n, N, epsilon, delta=0.):
    """The largest u such that some private mechanism names the right one of N candidates with probability u whenever
    all n records agree: a linear programme over mechanisms that see only the counts, all events of their N outputs.
    """
    counts = [c for c in itertools.product(range(n + 1), repeat=N) if sum(c) == n]
    place = {c: i for i, c in enumerate(counts)}
    sizes = (1,) if delta == 0 else range(1, N)      # for delta = 0 single outputs are enough
    events = [e for size in sizes for e in itertools.combinations(range(N), size)]
    rows = []
    for c in counts:
        for a, b in itertools.permutations(range(N), 2):
            if c[a]:
                other = place[tuple(k - (j == a) + (j == b) for j, k in enumerate(c))]
                for event in events:
                    row = np.zeros((len(counts) + 1, N))
                    row[place[c], event], row[other, event] = 1, -math.exp(epsilon)
                    rows.append(row.ravel())
    sides = [delta] * len(rows)
    for j in range(N):
        row = np.zeros((len(counts) + 1, N))
        row[place[tuple(n * (k == j) for k in range(N))], j], row[-1, 0] = -1, 1
        rows.append(row.ravel())
        sides.append(0)
    total = np.kron(np.eye(len(counts), len(counts) + 1), np.ones(N))
    aim = np.zeros((len(counts) + 1, N))
    aim[-1, 0] = -1
    best = linprog(aim.ravel(), A_ub=np.array(rows), b_ub=sides, A_eq=total, b_eq=np.ones(len(counts)), bounds=(0, 1))
    return -best.fun


def within(mass, u, slack, **setting):
    """Whether the bound allows to be right with probability u, up to `slack`."""
    return float(mass(beta=1 - u, **setting)) <= 1 - u + slack


def textbook(*, hypotheses, epsilon, size, beta, delta):
    group = math.exp(-epsilon * size) * (1 - beta) + delta * math.expm1(-epsilon * size) / math.expm1(epsilon)
    return (hypotheses - 1) * max(0, group)


def changed(**change):
    """The right bound at a wrong place."""
    return lambda **setting: packing_mass(**setting | {k: f(setting) for k, f in change.items()})


SETTINGS = [(2, 1, .5), (2, 7, .3), (3, 1, 1.), (3, 2, .3), (3, 5, .3), (3, 5, 1.), (4, 4, .3), (4, 3, 1.)]


@claim("thm-packing", packing_mass,
       mutants={"the misprint: epsilon to the power -epsilon n": lambda *, hypotheses, epsilon, delta, size, beta:
                    (hypotheses - 1) * epsilon ** (-epsilon * size) * (1 - beta),
                "N sets in place of N - 1": changed(hypotheses=lambda s: s["hypotheses"] + 1),
                "one step too few": changed(size=lambda s: s["size"] - 1),
                "the exponential mechanism's e^(epsilon/2) per step": changed(epsilon=lambda s: s["epsilon"] / 2),
                "the first branch of T only, which nothing attains": textbook})
def test_best_mechanism_on_constant_data(mass):
    """Find the best of all private mechanisms on constant data by a linear programme, for two to four candidates, and
    compare it with the bound. None may beat it; and in these cases the best one meets it, so that a bound too high or
    too low by 0.001 is found.
    """
    for N, n, epsilon in SETTINGS:
        u = best_on_constant_data(n, N, epsilon)
        setting = {"hypotheses": N, "size": n, "epsilon": epsilon, "delta": 0}
        assert within(mass, u, 1e-7, **setting), (N, n, epsilon, "beaten")
        assert not within(mass, u + .001, 0, **setting), (N, n, epsilon, "not attained")
    return f"the best mechanism is right as often as the bound allows, within 0.001, in {len(SETTINGS)} settings"


def greedy_packing(radius, accuracy):
    """How many open intervals of the given radius around points of [-R, R] are disjoint, in exact arithmetic."""
    points = [-radius]
    while points[-1] + 2 * accuracy <= radius:
        points.append(points[-1] + 2 * accuracy)
    return len(points)


def by_count(count=lambda ratio: math.floor(ratio) + 1):
    """A lower bound for means from a number of hypotheses, given radius/accuracy."""
    return lambda *, accuracy, beta, epsilon, radius: packing_sample_size(
        hypotheses=count(radius / accuracy), epsilon=epsilon, delta=0, beta=beta)


@claim("cor-packing-mean", mean_sample_size_lower_bound,
       mutants={"one mean too many": by_count(lambda ratio: math.floor(ratio) + 2),
                "one mean too few": by_count(lambda ratio: max(1, math.floor(ratio))),
                "spacing alpha, so that right answers overlap": by_count(lambda ratio: math.floor(2 * ratio) + 1),
                "2R whole numbers, whatever the accuracy": by_count(lambda ratio: math.floor(ratio * 4) + 1)})
def test_means_that_fit_into_a_range(bound):
    """Count the means that fit, one by one in rational arithmetic, and compare the bound with that of as many
    hypotheses. Epsilon is so small and beta so large that the packing decides, and one hypothesis more or less
    shows.
    """
    epsilon, beta, cases = 1e-5, .49, 0
    for accuracy, radius in itertools.product((Fraction(1, 4), Fraction(1), Fraction(5, 4)), (2, 5, 10, 50)):
        N = greedy_packing(Fraction(radius), accuracy)
        wanted = int(packing_sample_size(hypotheses=N, epsilon=epsilon, delta=0, beta=beta))
        if N > 2:
            cases += 1
            assert int(bound(accuracy=float(accuracy), beta=beta, epsilon=epsilon, radius=float(radius))) == wanted
    return f"the bound of exactly as many hypotheses as fit, in {cases} settings"


exponential_misses = page_function("packing", "exponential_misses")


def enough(epsilon, N, beta):
    """The statement: from how many records on it is right often enough."""
    return math.ceil(2 / epsilon * math.log((N - 1) * (1 - beta) / beta))


@claim("prop-exponential-packing", exponential_misses, enough,
       mutants={"the full epsilon per record": (lambda n, epsilon, others: exponential_misses(n, 2 * epsilon, others), enough),
                "N others": (lambda n, epsilon, others: exponential_misses(n, epsilon, others + 1), enough),
                "the number of the lower bound": (exponential_misses, lambda epsilon, N, beta: enough(2 * epsilon, N, beta)),
                "the factor 1 - beta forgotten": (exponential_misses, lambda epsilon, N, beta:
                    math.ceil(2 / epsilon * math.log((N - 1) / beta)))})
def test_exponential_mechanism_on_constant_data(misses, enough):
    """Compute the output distribution of the exponential mechanism on constant data and the first number of records at which it
    is right often enough, and compare both with the formulas.
    """
    worst = 0.
    for epsilon, N in itertools.product((.01, .1, 1.), (2, 101, 2001)):
        scores = lambda n: np.r_[n, np.zeros(N - 1)]
        wrong = lambda n: exponential_probabilities(scores(n), sensitivity=1, epsilon=epsilon)[1:].sum()
        worst = max([worst, *(abs(misses(n, epsilon, N - 1) / wrong(n) - 1) for n in (0, 1, 9, 40))])
        for beta in (.05, .45):
            n = enough(epsilon, N, beta)
            assert wrong(n) <= beta < wrong(n - 1), (epsilon, N, beta)
    assert worst < 1e-12
    return f"probabilities agree {to(worst)}; the number of records is the first that is enough, in 18 settings"


def infinite(epsilon, beta, delta):
    """The statement: infinitely many hypotheses."""
    return math.log1p((1 - beta) * math.expm1(epsilon) / delta) / epsilon


@claim("thm-packing-delta", packing_mass, infinite,
       mutants={"delta that does not add up": (lambda *, hypotheses, epsilon, size, beta, delta:
                    (hypotheses - 1) * max(0, math.exp(-epsilon * size) * (1 - beta) - delta), infinite),
                "delta forgotten": (changed(delta=lambda s: 0.), infinite),
                "the group bound only, which nothing attains": (textbook, infinite),
                "as if there were two candidates": (changed(hypotheses=lambda s: 2), infinite),
                "half of delta": (changed(delta=lambda s: s["delta"] / 2), infinite),
                "ln(1/delta)/epsilon for infinitely many": (packing_mass, lambda epsilon, beta, delta:
                    -math.log(delta) / epsilon),
                "a second factor 1/epsilon": (packing_mass, lambda epsilon, beta, delta:
                    infinite(epsilon, beta, delta) / epsilon)})
def test_best_mechanism_with_delta(mass, infinite):
    """Find the best mechanism on constant data with delta, for two and three candidates and all events; no mechanism
    may beat the bound, and in these cases the best one meets it. For infinitely many, find the number of
    records at which the second branch of the recursion, step by step, leaves nothing.
    """
    for N, n, epsilon, delta in [(2, 1, .5, .01), (2, 6, .3, .05), (2, 6, 1., .001), (3, 2, .5, .05), (3, 3, 1., .01)]:
        u = best_on_constant_data(n, N, epsilon, delta)
        setting = {"hypotheses": N, "size": n, "epsilon": epsilon, "delta": delta}
        assert within(mass, u, 1e-7, **setting), (setting, "beaten")
        assert not within(mass, u + .001, 0, **setting), (setting, "not attained")
    for epsilon, beta, delta in [(.1, .05, 1e-6), (1., .05, 1e-6), (.5, .5, 1e-9), (2., .3, 1e-3)]:
        u, steps = 1 - beta, 0
        while u > 0:
            u, steps = math.exp(-epsilon) * (u - delta), steps + 1
        assert math.ceil(infinite(epsilon, beta, delta)) == steps
        assert packing_sample_size(hypotheses=np.inf, epsilon=epsilon, beta=beta, delta=delta) >= steps
    return "the best mechanism is right as often as the bound allows, within 0.001, in five settings; four closed forms agree"
