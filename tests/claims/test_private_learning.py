"""The statements of the page on learning a rule privately."""

import itertools
import math

import numpy as np
from scipy.special import expit
from scipy.stats import binom

from dplib.learning import agnostic_sample_size, pac_sample_size, threshold_runs
from dplib.lower_bounds import packing_sample_size
from dplib.mechanisms import exponential_probabilities
from tests.claims import claim, page_function, to

right_at_border = page_function("private-learning", "right_at_border")
run_density = page_function("private-learning", "run_density")


def all_scores(x, y, k):
    """How many records each of the cut-offs 0, ..., k labels rightly, one cut-off after the other."""
    return np.array([np.sum((np.asarray(x) >= t) == np.asarray(y)) for t in range(k + 1)])


def chosen(x, y, k, epsilon, monotonic=False):
    return exponential_probabilities(all_scores(x, y, k), sensitivity=1, epsilon=epsilon, monotonic=monotonic)


# --- Occam's razor ----------------------------------------------------------------------------------------------------

def occam(bound=lambda C, alpha, e, n: C * (1 - alpha * -math.expm1(-e)) ** n, half=2.):
    """The least n for a bound on the failure, under either relation."""
    def size(*, hypotheses, accuracy, epsilon, neighbor="replace", beta):
        rate = epsilon / (half if neighbor == "replace" else 1)
        return next(n for n in itertools.count() if bound(hypotheses, accuracy, rate, n) <= beta)
    return size


def exact_failure(k, t, masses, n, alpha, epsilon, monotonic):
    """The probability that the chosen cut-off errs by alpha or more, over all data sets, by their counts."""
    places = np.flatnonzero(masses)
    wrong = np.array([sum(masses[x] for x in places if (x >= s) != (x >= t)) for s in range(k + 1)])
    failure = 0
    for counts in itertools.product(range(n + 1), repeat=len(places)):
        if sum(counts) == n:
            ways = math.factorial(n) / math.prod(map(math.factorial, counts)) * math.prod(masses[x]**c for x, c in zip(places, counts))
            x = np.repeat(places, counts)
            failure += ways * chosen(x, x >= t, k, epsilon, monotonic)[wrong >= alpha - 1e-12].sum()
    return failure


@claim("thm-private-occam", pac_sample_size,
       mutants={"the full epsilon under replacement": occam(half=1.),
                "a quarter of epsilon": occam(half=4.),
                "the number without privacy": occam(bound=lambda C, alpha, e, n: C * (1 - alpha) ** n),
                "the number of rules forgotten": occam(bound=lambda C, alpha, e, n: (1 - alpha * -math.expm1(-e)) ** n),
                "e^-epsilon in place of 1 - e^-epsilon": occam(bound=lambda C, alpha, e, n: C * (1 - alpha * math.exp(-e)) ** n)})
def test_failures_of_the_exponential_mechanism(size):
    """Enumerate all data sets of up to six examples from three distributions on five values, and compare the exact probability
    of a bad cut-off with the bound; then compare sizes with the bound, and with the exact failure at the border.
    """
    k, tightest = 5, 0
    for masses, t in (((0, .5, .5, 0, 0), 2), ((.2, .2, .2, .2, .2), 3), ((.6, 0, .1, .3, 0), 2)):
        for n, epsilon, monotonic in itertools.product((1, 3, 6), (1., 4.), (False, True)):
            for alpha in (.1, .3, .5):
                bound = (k + 1) * (1 - alpha * -math.expm1(-epsilon / (1 if monotonic else 2))) ** n
                failure = exact_failure(k, t, masses, n, alpha, epsilon, monotonic)
                assert failure <= bound
                tightest = max(tightest, failure / bound)
    bound = lambda C, alpha, rate, n: C * (1 - alpha * -math.expm1(-rate)) ** n
    for C, alpha, epsilon, beta, (neighbor, half) in itertools.product(
            (17, 2**20 + 1), (.1, .5), (.5, 3.), (.25, .01), (("replace", 2), ("add_remove", 1))):
        n = int(size(hypotheses=C, accuracy=alpha, epsilon=epsilon, neighbor=neighbor, beta=beta))
        assert bound(C, alpha, epsilon / half, n) <= beta < bound(C, alpha, epsilon / half, n - 1)
        assert n <= math.ceil(math.log(C / beta) / (alpha * -math.expm1(-epsilon / half)))
    return f"a bad cut-off has at most {tightest:.2f} of the stated probability; sizes are the least in 32 settings"


# --- runs -------------------------------------------------------------------------------------------------------------

def runs_of(score=lambda zeros, ones: zeros + ones, closed=True, length=lambda gaps: gaps):
    """Runs by hand, one after the other, with room for mistakes."""
    def runs(x, y, *, cells):
        order = np.argsort(x, kind="stable")
        x, y = np.asarray(x)[order], np.asarray(y)[order]
        ends = np.concatenate([[-1], x, [cells]]) if closed else np.concatenate([[-1], x - 1, [cells]])
        zeros = np.concatenate([[0], np.cumsum(y == 0)])
        ones = np.concatenate([np.cumsum((y == 1)[::-1])[::-1], [0]])
        return ends[:-1] + 1, length(np.diff(ends)), score(zeros, ones)
    return runs


@claim("prop-threshold-runs", threshold_runs, run_density,
       mutants={"the lengths of runs forgotten": (runs_of(length=lambda gaps: (gaps > 0) * 1), run_density),
                "run ends off by one": (runs_of(closed=False), run_density),
                "zeros only": (runs_of(score=lambda zeros, ones: zeros), run_density),
                "mistakes in place of right labels": (runs_of(score=lambda zeros, ones: -zeros - ones), run_density),
                "no half in the exponent": (threshold_runs, lambda epsilon, score, length: run_density(2 * epsilon, score, length)),
                "runs that are equally likely inside a score": (threshold_runs, lambda epsilon, score, length:
                    run_density(epsilon, score, (length > 0) * 1.))})
def test_runs_against_every_cut_off(runs, run_density):
    """Enumerate all data sets of three records on four values, with ties and labels that contradict each other, and 40 random
    ones of twelve records on 60 values; compare with the exponential mechanism on every cut-off. Then try all neighbours.
    """
    rng, worst, ratio, epsilon = np.random.default_rng(6), 0, 0, 1.5
    records = list(itertools.product(range(4), (0, 1)))
    laws = {}
    small = [(4, data) for data in itertools.combinations_with_replacement(records, 3)]
    large = [(60, tuple(zip(rng.integers(0, 60, 12), rng.integers(0, 2, 12)))) for _ in range(40)]
    for k, data in small + large:
        x, y = np.array(data).T
        first, length, score = runs(x, y, cells=k)
        assert length.min() >= 0 and length.sum() == k + 1, "every cut-off lies in one run"
        each = run_density(epsilon, score, length)[1]
        law = np.full(k + 1, np.nan)
        for f, m, p in zip(first, length, each):
            law[f:f + m] = p
        worst = max(worst, np.abs(law - chosen(x, y, k, epsilon)).max())
        assert worst < 1e-12
        laws[k, tuple(sorted(data))] = law
    for k, data in small:
        for i, record in itertools.product(range(3), records):
            other = laws[k, tuple(sorted((*data[:i], record, *data[i + 1:])))]
            ratio = max(ratio, np.abs(np.log(laws[k, tuple(sorted(data))] / other)).max())
    assert ratio <= epsilon + 1e-9
    return f"{len(small) + len(large)} distributions right {to(worst)}; largest log-ratio {ratio / epsilon:.3f} epsilon"


# --- the logarithm is needed ------------------------------------------------------------------------------------------

def border_laws(k, first=0, last=None):
    """The distributions of the proof: {cut-off: [(value, label), ...], equally likely}."""
    laws = {t: [(t - 1, 0), (t, 1)] for t in range(1, k)} | {0: [(0, 1)], k: [(k - 1, 0)]}
    return {t: law for t, law in laws.items() if first <= t <= (k if last is None else last)}


def border_bound(k, epsilon, beta):
    """The statement: N = k + 1."""
    return int(packing_sample_size(hypotheses=float(k + 1), epsilon=epsilon, delta=0, beta=beta))


def at_half(k, laws):
    """{cut-off: the cut-offs that err on less than one half}."""
    error = lambda s, law: np.mean([(x >= s) != label for x, label in law])
    return {t: [s for s in range(k + 1) if error(s, law) < .5] for t, law in laws.items()}


@claim("cor-threshold-packing", border_laws, border_bound,
       mutants={"two values between the borders": (lambda k: border_laws(k) | {2: [(0, 0), (2, 1)]}, border_bound),
                "one distribution missing": (lambda k: {t: law for t, law in border_laws(k).items() if t}, border_bound),
                "both labels exchanged": (lambda k: {t: [(x, 1 - y) for x, y in law] for t, law in border_laws(k).items()}, border_bound),
                "N = k squared": (border_laws, lambda k, epsilon, beta: border_bound(k * k, epsilon, beta)),
                "half of epsilon": (border_laws, lambda k, epsilon, beta: border_bound(k, epsilon / 2, beta))})
def test_one_good_cut_off_each(border_laws, border_bound):
    """List the cut-offs with an error below one half under every distribution of the proof, for seven values: exactly the right
    one. Compare the bound with its closed form, and with what the exponential mechanism does at the border.
    """
    assert at_half(7, border_laws(7)) == {t: [t] for t in range(8)}
    for k, epsilon, beta in itertools.product((16, 2**20, 2**40), (.5, 1.), (.25, .01)):
        least, closed = border_bound(k, epsilon, beta), math.log(k * (1 - beta) / beta) / epsilon
        assert closed <= least <= math.log(k / (4 * beta**2)) / epsilon + 2
    n = border_bound(2**40, 1, .25)
    enough = next(m for m in range(1, 300) if right_at_border(2.**40, 1, m)[m] >= .75)
    assert n < enough
    return f"one good cut-off under each distribution; {n} people at 2^40 values, where the exponential mechanism needs {enough}"


# --- without a perfect rule -------------------------------------------------------------------------------------------

def agnostic(sampling=4.5, privacy=6., power=2):
    def size(*, hypotheses, accuracy, epsilon, neighbor="replace", beta):
        rate = epsilon * (1 if neighbor == "replace" else 2)
        return math.ceil(max(sampling / accuracy**power * math.log(4 * hypotheses / beta),
                             privacy / (accuracy * rate) * math.log(2 * hypotheses / beta)))
    return size


@claim("thm-agnostic", agnostic_sample_size,
       mutants={"1/alpha in place of its square": agnostic(power=1),
                "half of the examples for sampling": agnostic(sampling=2.25),
                "half of the examples for privacy": agnostic(privacy=3.),
                "twice the examples for privacy": agnostic(privacy=12.)})
def test_two_losses(size):
    """Compare the size with the two conditions; and compute the exact excess error of a cut-off on noisy labels at one border,
    for as many examples as the theorem wants, in six settings.
    """
    for C, alpha, epsilon, beta, (neighbor, half) in itertools.product(
            (3, 1025), (.05, .4), (.02, 2.), (.25, .01), (("replace", 2), ("add_remove", 1))):
        n = int(size(hypotheses=C, accuracy=alpha, epsilon=epsilon, neighbor=neighbor, beta=beta))
        deviation = lambda n: 2 * C * math.exp(-2 * n * (alpha / 3) ** 2)
        loss = lambda n: C * math.exp(-epsilon / half * n * alpha / 3)
        assert max(deviation(n), loss(n)) <= beta / 2 < max(deviation(n - 1), loss(n - 1))
    largest = 0
    for alpha, epsilon, beta in itertools.product((.2, .4), (.1, .5, 5.), (.25,)):
        n = int(size(hypotheses=2, accuracy=alpha, epsilon=epsilon, neighbor="replace", beta=beta))
        ones = np.arange(n + 1)                               # one value, k = 1: the cut-off 0 says 1, the cut-off 1 says 0
        bad = expit(-epsilon / 2 * (2. * ones - n))
        failure = binom.pmf(ones, n, .5 + 1.001 * alpha / 2) @ bad
        largest = max(largest, failure / beta)
    assert largest <= 1
    return f"the conditions are met and not by one example less; failures at most {largest:.2f} of the allowed probability"


# --- points -----------------------------------------------------------------------------------------------------------

def points_bound(k, epsilon, beta):
    """The least number of people for a proper learner of points."""
    return int(packing_sample_size(hypotheses=k, epsilon=epsilon, delta=0, beta=beta))


@claim("cor-points-packing", lambda k: {t: [(t, 1)] for t in range(k)}, points_bound,
       mutants={"an example that another point fits too": (lambda k: {t: [(t, 1), (t + 1, 0)][t > 0:] for t in range(k)}, points_bound),
                "labels exchanged": (lambda k: {t: [(t, 0)] for t in range(k)}, points_bound),
                "N = k - 1": (lambda k: {t: [(t, 1)] for t in range(k)}, lambda k, epsilon, beta: points_bound(k - 1, epsilon, beta)),
                "half of epsilon": (lambda k: {t: [(t, 1)] for t in range(k)},
                                    lambda k, epsilon, beta: points_bound(k, epsilon / 2, beta))})
def test_one_good_point_each(laws, bound):
    """List the points with an error below 1 under every distribution of the proof, for seven values: exactly the right one. Compare
    the bound with its closed form; for one person, with the best private learner of two points, found by its two probabilities.
    """
    error = lambda s, law: np.mean([(x == s) != label for x, label in law])
    assert {t: [s for s in range(7) if error(s, law) < 1] for t, law in laws(7).items()} == {t: [t] for t in range(7)}
    for k, epsilon, beta in itertools.product((2, 16, 2**40), (.5, 1.), (.25, .01)):
        least, closed = bound(k, epsilon, beta), math.log((k - 1) * (1 - beta) / beta) / epsilon
        assert closed <= least + 1e-9 and least <= math.log(k / (4 * beta**2)) / epsilon + 2
    for epsilon in (.5, 1.5):                    # with one person the best learner errs with probability 1/(1 + e^epsilon)
        beta = 1 / (1 + math.exp(epsilon))
        assert bound(2, epsilon, beta * 1.001) == 1 < bound(2, epsilon, beta * .999)
    return f"one good point under each distribution; {bound(2**40, 1, .25)} people at 2^40 values"


# --- boxes ------------------------------------------------------------------------------------------------------------

box_rules, boxes = page_function("private-learning", "box_rules"), page_function("private-learning", "boxes")
tightest_box_people = page_function("private-learning", "tightest_box_people")
vc_dimension = page_function("private-learning", "vc_dimension")


def sauer(rules):
    """The VC dimension by counting: the largest d for which some d values are labelled in 2^d ways."""
    size = len(rules[0])
    ways = lambda values: len({tuple(rule[x] for x in values) for rule in rules})
    return max(d for d in range(size + 1) for values in itertools.combinations(range(size), d) if ways(values) == 2**d)


def enough(sides=2., spread=2.):
    """Examples for the tightest box, with room for mistakes."""
    def people(features, accuracy, beta):
        return math.ceil(math.log(sides * features / beta) / -math.log1p(-accuracy / (spread * features)))
    return people


def tightest(examples, features):
    """The ends of the tightest box around examples, or None."""
    return None if not examples else tuple((min(x[j] for x in examples), max(x[j] for x in examples)) for j in range(features))


def box_failure(k, features, truth, masses, n, alpha):
    """The probability that the tightest box errs by alpha or more, over all sets of values that n examples can show."""
    inside = [x for x in masses if all(low <= v <= high for v, (low, high) in zip(x, truth))]
    covers = lambda box, x: box is not None and all(low <= v <= high for v, (low, high) in zip(x, box))
    failure = 0.
    for shown in itertools.chain.from_iterable(itertools.combinations(inside, size) for size in range(len(inside) + 1)):
        if sum(masses[x] for x in inside if not covers(tightest(shown, features), x)) >= alpha - 1e-12:
            for size in range(len(shown) + 1):                      # exactly these values are shown, by inclusion and exclusion
                for fewer in itertools.combinations(shown, size):
                    left = 1 - sum(masses[x] for x in inside if x not in fewer)
                    failure += (-1) ** (len(shown) - size) * max(left, 0) ** n
    return failure


@claim("prop-boxes", box_rules, boxes, vc_dimension, tightest_box_people,
       mutants={"limits that may not be equal": (lambda k, p: box_rules(k - 1, p), boxes, vc_dimension, tightest_box_people),
                "k squared pairs of limits": (box_rules, lambda k, p: float(k) ** (2 * p) + 1, vc_dimension, tightest_box_people),
                "the rule that says no forgotten": (box_rules, lambda k, p: boxes(k, p) - 1, vc_dimension, tightest_box_people),
                "the size of a set that no rule splits": (box_rules, boxes, lambda rules: vc_dimension(rules) + 1, tightest_box_people),
                "one side": (box_rules, boxes, vc_dimension, enough(sides=.5, spread=.5)),
                "p sides": (box_rules, boxes, vc_dimension, enough(sides=1., spread=1.))})
def test_boxes(box_rules, boxes, vc_dimension, people):
    """Count all boxes of up to four features, and find the VC dimension of those of one and two by trying all sets of values. For
    1 to 2 features and eleven distributions compute the probability of an error of alpha or more exactly, with as many examples
    as the statement asks for.
    """
    for k, p in ((3, 1), (5, 1), (3, 2), (4, 2), (3, 3)):
        rules = box_rules(k, p)
        assert len(set(rules)) == len(rules) == boxes(k, p)
        if k**p <= 9:
            assert vc_dimension(rules) == sauer(rules) == 2 * p
    rng, largest = np.random.default_rng(14), 0.
    slices = {(v,): .1 for v in (0, 1, 2, 4, 5, 6)} | {(3,): .4}
    laws = [(7, 1, ((0, 6),), slices),
            *((5, 1, ((0, 4),), dict(zip([(v,) for v in range(5)], rng.dirichlet(np.ones(5))))) for _ in range(6)),
            *((3, 2, ((0, 2), (0, 2)), dict(zip(itertools.product(range(3), repeat=2), rng.dirichlet(np.ones(9) / 2)))) for _ in range(4))]
    for k, p, truth, masses in laws:
        for alpha, beta in itertools.product((.1, .2, .45), (.05, .5)):
            n = people(p, alpha, beta)
            assert 2 * p * (1 - alpha / (2 * p)) ** n <= beta * (1 + 1e-9) < 2 * p * (1 - alpha / (2 * p)) ** (n - 1) * (1 + 2e-9)
            largest = max(largest, box_failure(k, p, truth, masses, n, alpha) / beta)
    assert largest <= 1
    return f"VC dimensions 2 and 4; the tightest box fails at most {largest:.2f} as often as is allowed"


# --- mistake trees ----------------------------------------------------------------------------------------------------

littlestone_dimension = page_function("private-learning", "littlestone_dimension")
cut_off_rules, point_rules = page_function("private-learning", "cut_off_rules"), page_function("private-learning", "point_rules")


def by_trees(best=min, leaf=0, ordered=False):
    """The Littlestone dimension by trying every tree of each depth, with room for mistakes."""
    def dimension(rules):
        def shatters(rules, depth, start):
            return depth == 0 and len(rules) > leaf or depth > 0 and any(
                best(shatters([r for r in rules if r[x] == label], depth - 1, x + 1 if ordered else 0) for label in (0, 1))
                for x in range(start, len(rules[0]) if rules else 0))
        return max(depth for depth in range(5) if depth == 0 or shatters(list(rules), depth, 0))
    return dimension


@claim("prop-littlestone", littlestone_dimension, cut_off_rules, point_rules,
       mutants={"one of the two labels is enough": (by_trees(best=max), cut_off_rules, point_rules),
                "two rules at every end": (by_trees(leaf=1), cut_off_rules, point_rules),
                "values in increasing order only": (by_trees(ordered=True), cut_off_rules, point_rules),
                "the VC dimension": (sauer, cut_off_rules, point_rules),
                "one cut-off missing": (littlestone_dimension, lambda k: cut_off_rules(k)[1:], point_rules),
                "the rule that says no among the points": (littlestone_dimension, cut_off_rules, cut_off_rules)})
def test_depth_of_trees(dimension, cut_offs, points):
    """Compute the dimension of the cut-offs on 1 to 8 values and of the points on 2 to 8 from their lists of labels, and compare
    with the statement; every class lies between its VC dimension and the logarithm of its number of rules.
    """
    for k in range(1, 9):
        assert dimension(cut_offs(k)) == int(math.log2(k + 1) + 1e-9)
        assert k == 1 or dimension(points(k)) == 1
    rng = np.random.default_rng(15)
    for _ in range(30):
        rules = list({tuple(row) for row in rng.integers(0, 2, (rng.integers(2, 9), 4)).tolist()})
        assert sauer(rules) <= dimension(rules) <= math.log2(len(rules))
    return "cut-offs on 7 and 8 values have dimension 3, points 1"
