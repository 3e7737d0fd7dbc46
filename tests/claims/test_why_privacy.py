"""The statements of the page on attacks."""

import itertools
import math

import numpy as np

from tests.chance import rng
from tests.claims import claim, page_function, to


def all_bits(n):
    """Every vector of n bits, one in each row: all secrets, or all groups of people."""
    return np.array(list(itertools.product([0, 1], repeat=n)))


DESIGNS = [np.eye(3, dtype=int), np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]]),
           np.array([[1, 0, 0, 1], [0, 1, 0, 1], [1, 1, 1, 0], [0, 1, 1, 0], [1, 0, 1, 1], [1, 1, 0, 0]])]


# --- the limit for every attack ---------------------------------------------------------------------------------------

def limit(epsilon):
    return math.exp(epsilon) / (1 + math.exp(epsilon))


def best_attack(law):
    """Expected share of right bits of the best attack; law has one row for each of the 2^n equally likely secrets."""
    n = int(math.log2(len(law)))
    secrets = all_bits(n)
    sides = [(law[secrets[:, j] == 0].sum(axis=0), law[secrets[:, j] == 1].sum(axis=0)) for j in range(n)]
    return np.mean([np.maximum(*side).sum() / 2**n for side in sides])


def geometric_total(total, epsilon, reach=60):
    """Law of a total with two-sided geometric noise of ratio e^-epsilon, collected at the ends."""
    q = math.exp(-epsilon)
    law = (1 - q) / (1 + q) * q ** np.abs(np.arange(-reach, reach + 1) - total)
    law[0], law[-1] = q ** (reach + total) / (1 + q), q ** (reach - total) / (1 + q)
    return law


def noisy_totals(n, groups, epsilon):
    """Law of several independent noisy totals, jointly."""
    rows = []
    for secret in all_bits(n):
        joint = np.ones(1)
        for group in groups:
            joint = np.outer(joint, geometric_total(int(group @ secret), epsilon)).ravel()
        rows.append(joint)
    return np.array(rows)


def reports(n, times, epsilon):
    """Law of n people's randomised responses, each asked several times."""
    heads = limit(epsilon)
    once = np.array([[heads, 1 - heads], [1 - heads, heads]])
    person = once
    for _ in range(times - 1):
        person = np.einsum("ia,ib->iab", person, once).reshape(2, -1)
    law = np.ones((1, 1))
    for _ in range(n):
        law = np.kron(law, person)
    return law


most_bits = page_function("why-privacy", "most_bits")


@claim("prop-reconstruction-limit", most_bits,
       mutants={"every answer charged twice": lambda total: most_bits(2 * total),
                "the total divided by two": lambda total: most_bits(total / 2),
                "half plus a quarter of the total": lambda total: 100 * (.5 + total / 4)})
def test_every_attack(most_bits):
    """Compute the best possible attack on private answers whose distribution is known exactly, and attain the limit
    with randomised response.
    """
    slack, attained, cases = -np.inf, 0, 0
    asked = [[[1, 1, 1]], [[1, 1, 0], [0, 1, 1]], [[1, 0, 0], [1, 0, 0]]]
    for epsilon in (.05, .5, 1., 2.):
        laws = [(len(groups), noisy_totals(3, np.array(groups), epsilon)) for groups in asked]
        laws += [(times, reports(2, times, epsilon)) for times in (1, 2, 3)]
        for answers, law in laws:
            assert np.allclose(law.sum(axis=1), 1)
            slack, cases = max(slack, best_attack(law) - most_bits(answers * epsilon) / 100), cases + 1
        attained = max(attained, abs(best_attack(reports(2, 1, epsilon)) - most_bits(epsilon) / 100))
    assert slack <= 1e-12 and attained <= 1e-12
    return f"none of {cases} best attacks is above the limit; randomised response meets it {to(attained)}"


# --- every total, any error -------------------------------------------------------------------------------------------

def every_group(n):
    return all_bits(n)


def single_people(n):
    return np.eye(n, dtype=int)


def groups_of_two(n):
    groups = all_bits(n)
    return groups[groups.sum(axis=1) <= 2]


@claim("thm-reconstruct-all", every_group, lambda error: 4 * error,
       mutants={"2E places instead of 4E": (every_group, lambda error: 2 * error),
                "8E places, which nothing attains": (every_group, lambda error: 8 * error),
                "asking about single people only": (single_people, lambda error: 4 * error),
                "asking about at most two people": (groups_of_two, lambda error: 4 * error)})
def test_consistent_candidates(groups, places):
    """Enumerate all pairs of 128 secrets and candidates with the worst answers for each pair, and compare their
    greatest distance with 4E.
    """
    n = 7
    secrets = all_bits(n)
    totals = secrets @ groups(n).T                            # one row for each secret
    apart = np.abs(totals[:, None] - totals).max(axis=2)      # answers within E of both exist exactly if this is <= 2E
    differ = np.abs(secrets[:, None] - secrets).sum(axis=2)
    greatest = [int(differ[apart <= 2 * error].max()) for error in (.5, 1., 1.5)]
    assert greatest == [places(error) for error in (.5, 1., 1.5)]
    return f"greatest distances {greatest} at E = 0.5, 1 and 1.5: never more than 4E, and attained"


# --- what totals cost together ---------------------------------------------------------------------------------------

@claim("prop-bill", page_function("why-privacy", "together"),
       mutants={"every answer, also about groups of others": lambda groups, epsilon: len(groups) * epsilon,
                "the bill of the average person": lambda groups, epsilon: groups.sum(axis=0).mean() * epsilon,
                "one epsilon, as if the groups were disjoint": lambda groups, epsilon: epsilon})
def test_bill_of_all_totals(bill):
    """Compare the densities of all noisy totals together, on a lattice around them, for every secret and every bit
    that may flip.
    """
    random = rng(12).integers(0, 2, (9, 5))
    errors, pairs = [], 0
    for groups, epsilon in itertools.product([*DESIGNS, all_bits(3)[1:], np.eye(4, dtype=int)[:2], random], (.1, 1.)):
        n = groups.shape[1]
        lattice = np.arange(-1, n + 1.5, .5)
        law = lambda secret: -epsilon * abs(lattice - (groups @ secret)[:, np.newaxis])      # its logarithm, answer by answer
        ratios = [(law(secret) - law(secret ^ flip)).max(axis=1).sum() for secret in all_bits(n) for flip in np.eye(n, dtype=int)]
        errors.append(abs(max(ratios) - bill(groups, epsilon)))
        pairs += len(ratios)
    assert max(errors) <= 1e-9
    return f"largest log-ratio as stated {to(max(errors))} over {pairs} pairs of neighbours"


# --- few totals, random error -----------------------------------------------------------------------------------------

def stated(subsets, variance):
    """The two numbers of the theorem: mean squared length of the error, bound on the expected number of wrong bits."""
    trace = np.trace(np.linalg.inv(subsets.T @ subsets))
    return variance * trace, 2 * variance * trace


def exact(subsets, size, chance):
    """The same two numbers of the attack itself, for every secret; an error is size or -size, half of `chance` each,
    else 0.
    """
    errors = size * (np.array(list(itertools.product([0, 1, 2], repeat=len(subsets)))) - 1)
    weight = np.where(errors == 0, 1 - chance, chance / 2).prod(axis=1)
    squared, wrong = [], []
    for secret in all_bits(subsets.shape[1]):
        estimate = np.linalg.lstsq(subsets, (subsets @ secret + errors).T)[0].T
        squared.append(weight @ ((estimate - secret) ** 2).sum(axis=1))
        wrong.append(weight @ ((estimate > .5) != secret).sum(axis=1))
    return np.array(squared), np.array(wrong)


@claim("thm-reconstruct-few", stated,
       mutants={"the inverse forgotten": lambda a, v: (v * np.trace(a.T @ a), 2 * v * np.trace(a.T @ a)),
                "Chebyshev divided by two once more": lambda a, v: (stated(a, v)[0], stated(a, v)[1] / 2),
                "every answer as good as one bit": lambda a, v: (v * a.shape[1] / len(a), 2 * v * a.shape[1] / len(a))})
def test_least_squares_exactly(stated):
    """Run the attack on all secrets and all errors of a three-valued distribution, and compare the exact expectations
    with the two formulas.
    """
    off, closest = 0, 0
    for subsets, size, chance in itertools.product(DESIGNS, (.501, 2.), (.2, .9)):
        squared, wrong = exact(subsets, size, chance)
        mean, bound = stated(subsets, size**2 * chance)
        off, closest = max(off, np.abs(squared / mean - 1).max()), max(closest, wrong.max() / bound)
    assert off <= 1e-9 and closest <= 1
    return f"mean squared error right {to(off)}; wrong bits at most {closest:.3f} of the bound, in 12 settings"
