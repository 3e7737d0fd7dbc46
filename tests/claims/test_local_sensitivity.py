"""The statements of the page on local sensitivity."""

import functools
import itertools
from unittest.mock import patch

import numpy as np
from scipy.optimize import linprog
from scipy.stats import laplace as laplace_law

from dplib import _grid
from dplib.aggregation import passes_test, release_if_stable, stable_release_probability
from dplib.mechanisms import exponential_probabilities
from tests.claims import claim, page_function, to

median_reaches = page_function("local-sensitivity", "median_reaches")
distance_to_jump = page_function("local-sensitivity", "distance_to_jump")
proposed_median = page_function("local-sensitivity", "proposed_median")
winner_and_distance = page_function("local-sensitivity", "winner_and_distance")
laplace_test_probability = page_function("local-sensitivity", "laplace_test_probability")
votes_and_distance, smooth_delta, largest_alpha, smooth_bound, changes_to_median = (page_function("local-sensitivity", name) for name in (
    "votes_and_distance", "smooth_delta", "largest_alpha", "smooth_bound", "changes_to_median"))

# --- all data sets of five records with values 0, 1, 2, 4 ------------------------------------------------------------

VALUES, BOUNDS = (0, 1, 2, 4), (0, 4)
SETS = list(itertools.combinations_with_replacement(VALUES, 5))
PLACE = {x: i for i, x in enumerate(SETS)}


@functools.cache
def neighbours(x):
    """The data sets with one record replaced, each sorted, as places in the list of all."""
    return sorted({PLACE[tuple(sorted((*x[:i], v, *x[i + 1:])))] for i in range(len(x)) for v in VALUES})


def all_local_sensitivities():
    medians = np.array([x[2] for x in SETS])
    return np.array([np.abs(medians[neighbours(x)] - median).max() for x, median in zip(SETS, medians, strict=True)])


def spread_by_one(largest):
    return np.array([largest[neighbours(x)].max() for x in SETS])


def reaches(window=0, middle=0, edges=True):
    """The gaps around the middle, with room for mistakes."""
    def compute(x, *, bounds, far):
        n = np.shape(x)[-1]
        low, high = bounds if edges else (min(x), max(x))
        y, m = np.r_[[low] * 2 * far, np.sort(x), [high] * 2 * far], 2 * far + n // 2
        return np.array([max(y[m + i] - y[m + i - j - 1 + window] for i in range(middle, j + 2)) for j in range(far)])
    return compute


@claim("prop-median-reach", median_reaches,
       mutants={"one gap too few": reaches(window=1), "only gaps to one side": reaches(middle=1),
                "the ends of the data in place of those of the range": reaches(edges=False)})
def test_how_far_changes_reach(median_reaches):
    """Compute the local sensitivity of the median on all data sets of five records with four values, and its maximum
    within j changes by walking from neighbour to neighbour.
    """
    largest, stated = all_local_sensitivities(), np.array([median_reaches(np.array(x), bounds=BOUNDS, far=5) for x in SETS])
    for j in range(5):
        assert (stated[:, j] == largest).all(), j
        largest = spread_by_one(largest)
    return f"equal on {len(SETS)} data sets for j = 0 to 4"


def distances(bad):
    """By breadth first: how many steps each data set is from a set of them; far is as far as 9."""
    distance = np.where(bad, 0, 9)
    for _ in range(9):
        distance = np.minimum(distance, np.array([distance[neighbours(x)].min() + 1 for x in SETS]))
    return np.minimum(distance, 9)


def in_one_stroke(labels):
    """Where the winner stays for as long as its whole lead, as if a record touched one count."""
    winner, _ = winner_and_distance(labels)
    counts = np.unique(labels, return_counts=True)[1]
    return winner, int(2 * counts.max() - np.sort(counts)[-2:].sum() if counts.size > 1 else counts.max())


def not_the_nearest(x, *, bounds, jump):
    """How far it is to change half of the records, and to jump then: an upper bound."""
    return distance_to_jump(x, bounds=bounds, jump=jump) * 2


@claim("lem-distance", distance_to_jump, winner_and_distance,
       mutants={"an upper bound of the distance": (not_the_nearest, winner_and_distance),
                "every record moves a lead by one": (distance_to_jump, in_one_stroke)})
def test_distances(distance_to_jump, winner_and_distance):
    """Compute the distance from a jump of the median, and from another winner of a vote, on all data sets of five records;
    compare the first with a walk from neighbour to neighbour, and both on all neighbours.
    """
    local, steps = all_local_sensitivities(), 0
    for jump in (.5, 1, 2, 3):
        found = np.minimum(distance_to_jump(np.array(SETS), bounds=BOUNDS, jump=jump), 9)
        assert (found == distances(local > jump)).all()
        steps = max(steps, *(np.abs(found[neighbours(x)] - found[i]).max() for i, x in enumerate(SETS)))
    won = [winner_and_distance(np.array(x)) for x in SETS]
    for i, x in enumerate(SETS):
        for j in neighbours(x):
            steps = max(steps, abs(won[i][1] - won[j][1]))
            assert won[i][0] == won[j][0] or won[i][1] == won[j][1] == 1
    assert steps == 1
    return f"never more than {steps} between neighbours, for four jumps of a median and for the winner of a vote"


# --- one delta -------------------------------------------------------------------------------------------------------

class Quantiles(np.random.Generator):
    """A generator whose Laplace noise is every quantile of it once: shares of what it draws are probabilities."""

    def laplace(self, loc=0., scale=1., size=None):
        return scale * laplace_law.ppf((np.arange(size[-1]) + .5) / size[-1])


EPSILON_1, EPSILON_2, DELTA, DRAWS = .3, .7, .01, 40_000


def quantiles(noise, shape, rng):
    """The same of noise on a grid, in steps."""
    return np.rint(rng.laplace(scale=noise.scale / noise.grid, size=shape)).astype(np.int64)


def pass_probability(test, statistic, **given):
    with patch.object(_grid.Noise, "_drawn", quantiles):
        return test(np.full(DRAWS, statistic), **given, rng=Quantiles(np.random.PCG64(0))).mean()


def spoiled(noise=1., margin=1., before=False):
    """The test, with room for mistakes."""
    def test(statistic, *, sensitivity, threshold, epsilon, delta, rng):
        b = sensitivity / epsilon
        noisy = statistic + rng.laplace(scale=b * noise, size=np.shape(statistic))
        return (statistic if before else noisy) > threshold + b * np.log(1 / (2 * margin * delta))
    return test


def hockey_stick(p, q, epsilon):
    return np.maximum(np.subtract(p, np.exp(epsilon) * np.array(q)), 0).sum()


@claim("thm-test-once", passes_test,
       mutants={"half the noise": spoiled(noise=.5), "δ doubled in the margin": spoiled(margin=2.),
                "a test without noise": spoiled(before=True)})
def test_one_delta(passes_test):
    """Take 40 000 quantiles of the noise in place of draws; at both sides of the threshold and far from it, after a release
    that tells all where nothing is promised, and elsewhere after the worst (0.7, δ)-private one; both orders.
    """
    high = (1 - DELTA) * np.exp(EPSILON_2) / (1 + np.exp(EPSILON_2))
    worst = [DELTA, high, 1 - DELTA - high, 0], [0, 1 - DELTA - high, high, DELTA]
    tells = [1, 0, 0, 0], [0, 0, 0, 1]
    largest, pairs, theta, s = 0, 0, 5., 2.
    given = dict(sensitivity=s, threshold=theta, epsilon=EPSILON_1, delta=DELTA)
    grid = np.arange(-20, 61, 1.)
    chance = {t: pass_probability(passes_test, t, **given) for t in grid}
    for t, step in itertools.product(grid, (-2, -1, 0, 1, 2)):
        if t + step not in chance:
            continue
        release = worst if max(t, t + step) > theta else tells
        laws = [[*(chance[at] * np.array(law)), 1 - chance[at]] for at, law in zip((t, t + step), release)]
        largest = max(largest, hockey_stick(*laws, EPSILON_1 + EPSILON_2), hockey_stick(*laws[::-1], EPSILON_1 + EPSILON_2))
        pairs += 2
    assert .99 < largest / DELTA < 1 + 1e-9
    return f"largest δ {largest / DELTA:.3f} of the stated one, on {pairs} pairs"


def stable(**mistakes):
    """The Laplace test of a stable answer, by the test of the package, with room for mistakes."""
    def test(distance, *, epsilon, delta, rng, threshold=mistakes.get("threshold", 1)):
        return spoiled(**{k: v for k, v in mistakes.items() if k != "threshold"})(
            distance, sensitivity=1, threshold=threshold, epsilon=epsilon, delta=delta, rng=rng)
    return test


def by_the_test(distance, *, epsilon, delta, rng):
    return passes_test(distance, sensitivity=1, threshold=1, epsilon=epsilon, delta=delta, rng=rng)


@claim("cor-stable-release", by_the_test, laplace_test_probability,
       mutants={"D in place of D - 1": (stable(threshold=0), laplace_test_probability),
                "half the noise": (stable(noise=.5), laplace_test_probability),
                "the curve of the page one step early":
                    (by_the_test, lambda distance, **given: laplace_test_probability(distance + 1, **given))})
def test_stable_answers(test, laplace_test_probability):
    """Compute the probability of an answer at D = 1 to 60; compare neighbours with the same answer, and with different ones
    at D = 1, in both orders; then with D in place of D - 1.
    """
    for epsilon, delta in ((1, .01), (.3, .002)):
        chance = np.array([pass_probability(test, d, epsilon=epsilon, delta=delta) for d in range(1, 61)])
        assert np.abs(chance - laplace_test_probability(np.arange(1, 61), epsilon=epsilon, delta=delta)).max() < 1 / DRAWS
        lose = [max(hockey_stick(a, b, epsilon), hockey_stick(b, a, epsilon))
                for a, b in itertools.pairwise([p, 1 - p] for p in chance)]
        differ = hockey_stick([chance[0], 0, 1 - chance[0]], [0, chance[0], 1 - chance[0]], epsilon)
        largest = max(*lose, differ) / delta
        assert .98 < largest <= 1 + 1e-9
        early = pass_probability(stable(threshold=0), 1, epsilon=epsilon, delta=delta) / delta
        assert abs(early / np.exp(epsilon) - 1) < .02
    return f"largest δ {largest:.3f} of the stated one; with D in place of D - 1 it is e^ε times as large"


# --- the fastest fall ------------------------------------------------------------------------------------------------

def coin(epsilon_factor=1., late=0, delta_factor=1.):
    """The bound, iterated, with room for mistakes."""
    def probability(distance, *, epsilon, delta):
        e, v, out = np.exp(epsilon_factor * epsilon), 0., [0.]
        for _ in range(int(np.max(distance)) + 1):
            v = min(e * v + delta_factor * delta, 1 - (1 - v - delta_factor * delta) / e, 1)
            out.append(v)
        return np.array(out)[np.maximum(np.asarray(distance) - late, 0)]
    return probability


def best_by_program(last, epsilon, delta):
    """The largest sum of the probabilities that a private mechanism can have at distances 1 to `last`."""
    e, rows, right = np.exp(epsilon), [], []
    for d in range(last):
        up, down = np.zeros(last + 1), np.zeros(last + 1)
        up[[d + 1, d]], down[[d + 1, d]] = (1, -e), (e, -1)          # p' - e p ≤ δ and e p' - p ≤ e - 1 + δ
        rows, right = [*rows, up, down], [*right, delta, e - 1 + delta]
    bounds = [(0, 0)] + [(0, 1)] * last
    return -linprog(-np.ones(last + 1), A_ub=np.array(rows), b_ub=right, bounds=bounds).fun


@claim("prop-fastest-fall", stable_release_probability,
       mutants={"noise of half the scale": coin(epsilon_factor=2.), "one step late": coin(late=1),
                "half of δ wasted": coin(delta_factor=.5), "the Laplace test":
                    lambda distance, **given: laplace_test_probability(distance, **given)})
def test_fastest_fall(probability):
    """At six settings: the least δ between all neighbours, both orders and both outcomes; a linear program for the best that
    any mechanism can do; the distance at which nothing is refused any more.
    """
    largest, worst = [], 0
    for epsilon, delta in ((1, 1e-6), (.5, 1e-6), (.1, 1e-6), (1, .01), (2, .1), (.3, .3)):
        chance = probability(np.arange(300), epsilon=epsilon, delta=delta)
        pairs = np.stack([chance, 1 - chance], axis=1)
        outcomes = [max(np.max(a - np.exp(epsilon) * b), np.max(b - np.exp(epsilon) * a)) for a, b in itertools.pairwise(pairs)]
        largest.append(max(outcomes) / delta)
        always = 2 + 2 / epsilon * np.log1p(np.expm1(epsilon) / (2 * delta))
        assert chance[int(np.ceil(always))] == 1
        if delta > 1e-3:
            best = best_by_program(12, epsilon, delta)
            worst = max(worst, abs(chance[1:13].sum() - best))
    shown = [probability(np.array([d]), epsilon=e, delta=1e-6)[0] for e, d in ((1, 28), (1, 27), (.5, 51), (.5, 50), (.1, 218), (.1, 217))]
    assert max(largest) < 1 + 1e-6 and min(largest) > 1 - 1e-6 and worst < 1e-6
    assert [p == 1 for p in shown] == [True, False] * 3
    return f"largest δ {max(largest):.3f} of the stated one at six settings; the program's best is attained {to(round(worst, 9))}"


def one_step_early(value, distance, **given):
    return release_if_stable(value, distance + 1, **given)


@claim("prop-fastest-fall", release_if_stable, mutants={"one step early": one_step_early})
def test_the_coin_is_tossed(release):
    """Toss 200 000 coins at each of five distances; a frequency may be 6.5 standard errors off. One step off is 100 or more."""
    size, worst = 200_000, 0
    for distance in (1, 2, 4, 6, 8):
        out = release(np.full(size, "a"), np.full(size, distance), epsilon=.7, delta=.01, rng=np.random.default_rng(distance))
        p = stable_release_probability(distance, epsilon=.7, delta=.01)
        worst = max(worst, abs((out == "a").sum() - size * p) / np.sqrt(size * p * (1 - p)))
    assert worst < 6.5
    return f"five frequencies within {worst:.1f} standard errors"


# --- propose, test, release ------------------------------------------------------------------------------------------

def proposed(distance=True, noise=1., far=0):
    """The tested median, with room for mistakes."""
    def release(x, *, bounds, jump, epsilon, delta, rng):
        t = distance_to_jump(x, bounds=bounds, jump=jump)
        t = t + far if distance else np.where(t > 0, 1000, -1000)
        passed = passes_test(t, sensitivity=1, threshold=0, epsilon=epsilon / 2, delta=delta, rng=rng)
        noisy = np.median(x, axis=-1) + rng.laplace(scale=noise * jump / (epsilon / 2), size=np.shape(x)[:-1])
        return np.where(passed, noisy, np.nan)
    return release


@claim("cor-propose-test-release", proposed_median,
       mutants={"the local sensitivity in place of the distance": proposed(distance=False),
                "half the noise": proposed(noise=.5), "one step early": proposed(far=1)})
def test_propose_test_release(release):
    """On all neighbours of five records: one of the two is safe, or both distances are 0. Then 3000 releases at each
    distance: the frequency of answers and of two ranges of them may be 6.5 standard errors off; each mistake makes 12 of it.
    """
    jump, epsilon, delta, size, worst = 1, 2, .05, 3000, 0
    medians = np.array([x[2] for x in SETS])
    distance = distance_to_jump(np.array(SETS), bounds=BOUNDS, jump=jump)
    for i, x in enumerate(SETS):
        for j in neighbours(x):
            assert max(distance[i], distance[j]) == 0 or abs(medians[i] - medians[j]) <= jump
    for d in np.unique(np.minimum(distance, 4)):
        x = np.array(SETS[np.flatnonzero(distance == d)[0]])
        out = release(np.tile(x, (size, 1)), bounds=BOUNDS, jump=jump, epsilon=epsilon, delta=delta, rng=np.random.default_rng(int(d)))
        passes = laplace_law.sf(np.log(1 / (2 * delta)) - d * epsilon / 2)
        for low, high in ((-np.inf, np.inf), (-.5, .5), (1, np.inf)):
            p = passes * (laplace_law.cdf(high * epsilon / 2) - laplace_law.cdf(low * epsilon / 2))
            hits = ((out - x[2] >= low) & (out - x[2] <= high)).sum()
            worst = max(worst, abs(hits - size * p) / np.sqrt(size * p * (1 - p)))
    assert worst < 6.5
    return f"the condition holds on all neighbours of {len(SETS)} data sets; frequencies within {worst:.1f} standard errors"


# --- votes -----------------------------------------------------------------------------------------------------------

def counted(shared=True, half=True, rounded_up=True):
    """The winner and the bound on the distance by trying all changes of the counts, with room for mistakes."""
    def compute(answers, *, times):
        names, counts = np.unique(answers, return_counts=True)
        names, counts = np.append(names.min() - 1, names), np.append(0, counts)      # and a name that has no vote yet
        first, changes = counts.argmax(), 0
        while not any(turned(counts, first, other, changes) for other in range(names.size) if other != first):
            changes += 1
        changes = changes if half else 2 * changes
        return names[first], (-(-changes // times) if rounded_up else changes // times + 1) if shared else changes
    return compute


def turned(counts, first, other, changes):
    """Whether another answer wins if so many answers change from the first to it."""
    ours, theirs = counts[first] - changes, counts[other] + changes
    return theirs > ours or (theirs == ours and other < first)


SHIFTS = {2: (0, 1), 3: (0, 1, 3)}       # of six people on a circle, who is in set j: person j + each of these


@claim("cor-distance-by-votes", votes_and_distance,
       mutants={"as if each person were in one set": counted(shared=False), "every change moves a lead by one": counted(half=False),
                "rounded up always": counted(rounded_up=False)})
def test_distance_from_votes(votes_and_distance):
    """All 729 data sets of six people with three values, with six sets of two or three people, and each person in as many;
    a sum and a maximum vote. Walk from neighbour to neighbour to find how far another winner is.
    """
    people = np.array(list(itertools.product(range(3), repeat=6)))
    place = people @ 3**np.arange(5, -1, -1)
    assert (place == np.arange(729)).all()
    near = np.stack([place + (v - people[:, i]) * 3**(5 - i) for i in range(6) for v in range(3)])
    tight, cases = 0, 0
    programs = (lambda block: block.sum(axis=-1) % 3, lambda block: block.max(axis=-1))
    for (times, shifts), program in itertools.product(SHIFTS.items(), programs):
        answers = np.stack([program(people[:, [(j + s) % 6 for s in shifts]]) for j in range(6)], axis=1)
        winner, bound = (np.array(column) for column in zip(*(votes_and_distance(row, times=times) for row in answers), strict=True))
        for name in range(3):
            distance = np.where(winner != name, 0, 9)
            for _ in range(6):
                distance = np.minimum(distance, distance[near].min(axis=0) + 1)
            mine = winner == name
            assert (bound[mine] <= distance[mine]).all()
            tight, cases = tight + (bound[mine] == distance[mine]).sum(), cases + mine.sum()
        assert np.abs(bound[near] - bound).max() <= 1 and bound.min() >= 1
    return f"never above the distance on {cases} data sets, equal on {tight}; never more than 1 between neighbours"


# --- smooth noise ----------------------------------------------------------------------------------------------------

def exact_delta(centre, scale, epsilon):
    """The least δ between Laplace noise of scale 1 at 0 and of another scale at another centre, by adding up a fine grid."""
    z = np.linspace(-40, 40, 40_001)
    p, q = np.exp(-np.abs(z)) / 2, np.exp(-np.abs(z - centre) / scale) / 2 / scale
    return np.trapezoid(np.maximum(p - np.exp(epsilon) * q, 0), z)


def other_delta(tails=2, slope=np.expm1, middle=1.):
    """The formula, with room for mistakes."""
    def compute(alpha, gamma, epsilon):
        rate = slope(gamma)
        far = [np.exp(-(epsilon + gamma - sign * middle * alpha) / rate) for sign in (1, -1)[:tails]]
        return -np.expm1(-gamma) / 2 * sum(far)
    return compute


def half_of_epsilon(gamma, epsilon, delta):
    """The usual half of epsilon."""
    return epsilon / 2


@claim("thm-smooth-noise", smooth_delta, largest_alpha, smooth_bound,
       mutants={"one tail only": (other_delta(tails=1), largest_alpha, smooth_bound),
                "the scale changes by 1 + γ": (other_delta(slope=lambda gamma: gamma), largest_alpha, smooth_bound),
                "the centre does not move": (other_delta(middle=0.), largest_alpha, smooth_bound),
                "half of ε for the centre, as usual": (smooth_delta, half_of_epsilon, smooth_bound),
                "the local sensitivity in place of a smooth bound": (smooth_delta, largest_alpha,
                    lambda x, *, bounds, gamma, far: median_reaches(x, bounds=bounds, far=far)[..., 0] + .01)})
def test_smooth_noise(smooth_delta, largest_alpha, smooth_bound):
    """At six settings: the largest δ over 60 ratios of the scales and distances of the centres, by adding up densities, and
    where the theorem says that it is attained; α solved for and put back. Then a median on all neighbours of five records.
    """
    kinds = set()
    for epsilon, gamma, alpha in ((1, .3, .5), (1, .5, .4), (2, .4, 1.6), (.5, .1, .3), (1, .2, .8), (2, .6, .1)):
        stated = smooth_delta(alpha, gamma, epsilon)
        attained = exact_delta(alpha * np.exp(-gamma), np.exp(-gamma), epsilon)
        assert abs(attained - stated) < 1e-3 * stated + 1e-7
        for v, share in itertools.product(np.linspace(-gamma, gamma, 10), np.linspace(0, 1, 6)):
            assert exact_delta(share * alpha * min(1, np.exp(-v)), np.exp(-v), epsilon) <= stated * 1.001 + 1e-7
        solved = largest_alpha(gamma, epsilon, stated)
        assert abs(solved - min(alpha, epsilon - gamma)) < 1e-9
    epsilon, gamma, delta = 2, .5, .01
    alpha = largest_alpha(gamma, epsilon, delta)
    bound = smooth_bound(np.array(SETS), bounds=BOUNDS, gamma=gamma, far=5)
    for i, x in enumerate(SETS):
        for j in neighbours(x):
            shift, scale = abs(x[2] - SETS[j][2]) * alpha / bound[i], bound[j] / bound[i]
            kinds.add((round(shift, 9), round(scale, 9)))
    worst = max(exact_delta(*kind, epsilon) for kind in kinds)
    assert worst <= delta * 1.001 + 1e-7
    return f"attained at six settings; on {len(kinds)} kinds of pairs of medians at most {worst / delta:.2f} of the stated δ"


# --- inverse sensitivity ---------------------------------------------------------------------------------------------

def by_ranks(less=0, both=True):
    """The changes that bring the median to a candidate, one candidate at a time, with room for mistakes."""
    def compute(x, *, candidates):
        x = np.asarray(x)
        need = lambda r: max((x < r).sum(axis=-1), (x > r).sum(axis=-1) if both else 0) - x.shape[-1] // 2 + less
        return np.array([max(need(r), 0) for r in candidates])
    return compute


def steeper(factor=1.):
    """The probabilities, with room for a mistake in the exponent."""
    def probabilities(scores, *, sensitivity, epsilon):
        weights = np.exp(factor * epsilon / (2 * sensitivity) * scores)
        return weights / weights.sum(axis=-1, keepdims=True)
    return probabilities


def least_error(x, y, farther, epsilon):
    """The least number that bounds the error on both of two data sets, over all private mechanisms, by a linear program."""
    width, rows, right = len(VALUES), [], []
    size = len(SETS) * width + 1                                       # the probabilities, and the bound
    for i, z in enumerate(SETS):
        for j, v in itertools.product(neighbours(z), range(width)):
            if i != j:
                row = np.zeros(size)
                row[[i * width + v, j * width + v]] = 1, -np.exp(epsilon)
                rows, right = [*rows, row], [*right, 0]
    for i, wrong in ((x, farther[0]), (y, farther[1])):
        row = np.zeros(size)
        row[i * width + np.flatnonzero(wrong)], row[-1] = 1, -1
        rows, right = [*rows, row], [*right, 0]
    sums = np.hstack([np.kron(np.eye(len(SETS)), np.ones(width)), np.zeros((len(SETS), 1))])
    return linprog(np.eye(size)[-1], A_ub=np.array(rows), b_ub=right, A_eq=sums, b_eq=np.ones(len(SETS)), bounds=(0, 1)).fun


@claim("thm-inverse-sensitivity", changes_to_median, exponential_probabilities,
       mutants={"one change too few": (by_ranks(less=-1), exponential_probabilities),
                "records below the candidate only": (by_ranks(both=False), exponential_probabilities),
                "ε in place of ε/2": (changes_to_median, steeper(factor=2.)),
                "half of ε wasted": (changes_to_median, steeper(factor=.5))})
def test_inverse_sensitivity(changes_to_median, probabilities):
    """On all data sets of five records with four values: the distances by walking from neighbour to neighbour, the loss between
    all neighbours, the errors beyond ω_j; and, for two pairs, the best private mechanism by a linear program.
    """
    medians, values, loss, closest = np.array([x[2] for x in SETS]), np.array(VALUES), 0, 0
    far = np.stack([distances(medians == v) for v in VALUES], axis=1)
    found = np.stack([changes_to_median(np.array(x), candidates=values) for x in SETS])
    assert (found == far).all()
    for epsilon in (.3, 1, 3):
        chance = probabilities(-found, sensitivity=1, epsilon=epsilon)
        loss = max(loss, *(np.abs(np.log(chance[neighbours(x)] / chance[i])).max() / epsilon for i, x in enumerate(SETS)))
        reach = np.zeros(len(SETS))
        for j in range(5):
            reach = np.array([np.abs(values - m)[f <= j].max() for m, f in zip(medians, far, strict=True)])
            beyond = np.where(np.abs(values - medians[:, None]) > reach[:, None], chance, 0).sum(axis=1)
            stated = (len(VALUES) - 1) * np.exp(-epsilon * (j + 1) / 2)
            assert (beyond <= stated + 1e-12).all()
            closest = max(closest, (beyond / stated).max())
    assert loss <= 1 + 1e-9
    gaps = []
    for j, x, y in ((1, (0, 0, 0, 4, 4), (0, 0, 4, 4, 4)), (2, (0, 0, 0, 0, 4), (0, 0, 4, 4, 4))):
        wrong = [np.abs(values - z[2]) >= 2 for z in (x, y)]
        stated = np.exp(-j / 2) / 2 if j % 2 == 0 else np.exp(-j / 2) / (2 * np.cosh(.5))
        gaps.append(least_error(PLACE[x], PLACE[y], wrong, 1) / stated)
    assert min(gaps) >= 1 - 1e-6 and max(gaps) < 1.01
    return f"loss at most {loss:.3f} ε, errors at most {closest:.2f} of the bound; the program attains the lower bound for j = 1 and 2"
