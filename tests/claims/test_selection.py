"""The statements of the page on private choices."""

import itertools
import math

import numpy as np
from scipy.special import ndtr, softmax
from scipy.stats import beta as beta_law

from dplib import _samplers
from dplib.aggregation import median_probabilities, median_scores, private_median
from dplib.mechanisms import exponential, exponential_probabilities, permute_and_flip, report_noisy_max
from tests.claims import claim, page_function, to
from tests.outcomes import distribution, epsilon_of

EPSILONS = (.1, 1., 3.)
SCORES, EPSILON = np.array([3., 1., 0., 2.5]), 1.3            # the example of the page, sensitivity 1


# --- all data sets of a few records, their neighbours, and the scores on them -----------------------------------------

def neighbours(records, values):
    """Every data set of so many records and each of its neighbours, as (relation, x, y)."""
    for x in itertools.product(range(values), repeat=records):
        for i in range(records):
            yield from (("replace", x, (*x[:i], v, *x[i + 1:])) for v in range(values))
            yield "add_remove", x, (*x[:i], *x[i + 1:])


def counts(x, values):
    return np.bincount(np.array(x, dtype=int), minlength=values).astype(float)


def rank_score(x, values):
    x, c = np.array(x), np.arange(values)[:, None]
    return -np.maximum((x < c).sum(axis=1), (x > c).sum(axis=1)).astype(float)


def largest_log_ratio(law, pairs):
    """The largest |ln P(r | x) - ln P(r | y)| over candidates and pairs of score vectors."""
    return np.abs(np.log(law(pairs[:, 0])) - np.log(law(pairs[:, 1]))).max()


def draws(mechanism, scores, epsilon, trials, seed):
    """How often each candidate is chosen."""
    chosen = mechanism(np.tile(scores, (trials, 1)), sensitivity=1, epsilon=epsilon, rng=np.random.default_rng(seed))
    return np.bincount(chosen, minlength=len(scores)) / trials


def furthest(shares, law, trials):
    return np.max(np.abs(shares - law) / np.sqrt(law * (1 - law) / trials))


# --- the exponential mechanism ----------------------------------------------------------------------------------------

def without_its_two(scores, *, sensitivity, epsilon, monotonic=False):
    return softmax(np.asarray(scores) * epsilon / sensitivity, axis=-1)


def half_for_monotone(scores, *, sensitivity, epsilon, monotonic=False):
    return softmax(np.asarray(scores) * epsilon * (2 if monotonic else .5) / sensitivity, axis=-1)


def sensitivity_forgotten(scores, *, sensitivity, epsilon, monotonic=False):
    return softmax(np.asarray(scores) * epsilon * (1 if monotonic else .5), axis=-1)


@claim("thm-exponential", exponential_probabilities,
       mutants={"exponential mechanism without its 2": without_its_two,
                "half the noise for monotone scores": half_for_monotone,
                "the sensitivity left out": sensitivity_forgotten})
def test_exponential_mechanism_on_all_neighbours(probabilities):
    """Compute the distribution on all data sets of five records with three values and on all their neighbours, for
    counts and for ranks.
    """
    largest = {True: 0, False: 0}
    for score, relation in itertools.product((counts, rank_score), ("replace", "add_remove")):
        monotonic = score is counts and relation == "add_remove"
        pairs = np.array([(score(x, 3), score(y, 3)) for r, x, y in neighbours(5, 3) if r == relation])
        for epsilon, factor in itertools.product(EPSILONS, (1, 10)):
            law = lambda u: probabilities(factor * u, sensitivity=factor, epsilon=epsilon, monotonic=monotonic)
            largest[monotonic] = max(largest[monotonic], largest_log_ratio(law, pairs) / epsilon)
    assert max(largest.values()) <= 1 + 1e-9, largest
    wrong = lambda u: probabilities(u, sensitivity=1, epsilon=.5, monotonic=True)     # for scores that are not monotone
    tends_to = largest_log_ratio(wrong, np.array([[(0., 60.), (-1., 61.)]]))
    assert .999 < tends_to / (2 * .5) <= 1
    return (f"largest log-ratio {largest[False]:.6f} epsilon for general scores, {largest[True]:.6f} epsilon for "
            f"monotone ones; the monotone form on general scores reaches {tends_to / .5:.6f} epsilon")


def utility_gap(k, best, t, epsilon):
    return 2 / epsilon * (math.log(k / best) + t)


@claim("thm-exponential-utility", utility_gap,
       mutants={"the t left out": lambda k, best, t, epsilon: 2 / epsilon * math.log(k / best),
                "half the gap": lambda k, best, t, epsilon: utility_gap(k, best, t, epsilon) / 2,
                "the number of candidates left out": lambda k, best, t, epsilon: 2 / epsilon * t})
def test_utility_of_the_exponential_mechanism(gap):
    """Put the candidates where they hurt most, exactly on the boundary, and at random places; compare the exact
    failure probability with the bound.
    """
    rng, closest, cases = np.random.default_rng(1), 0, 0
    for epsilon, k, best, t in itertools.product(EPSILONS, (3, 10, 1000), (1, 2), (0, .5, 2, 5)):
        loss = gap(k, best, t, epsilon)
        boundary = np.r_[np.zeros(best), np.full(k - best, -loss)]
        random = -rng.exponential(2 / epsilon * (1 + math.log(k)), (30, k)) * (np.arange(k) >= best)
        for scores in (boundary, *random):
            failure = exponential_probabilities(scores, sensitivity=1, epsilon=epsilon)[scores <= -loss].sum()
            assert failure <= math.exp(-t) + 1e-12
            closest, cases = max(closest, failure / math.exp(-t)), cases + 1
    boundary = np.append(0, np.full(999, -2 * math.log(1000)))
    without_t = exponential_probabilities(boundary, sensitivity=1, epsilon=1)[1:].sum()
    assert abs(without_t - 999 / 1999) < 1e-12
    return f"failures at most {closest:.3f} of the bound in {cases} cases; without t {without_t:.4f} at 1000 candidates"


# --- one leader -------------------------------------------------------------------------------------------------------

by_exponential, by_permute_and_flip = (page_function("selection", name) for name in ("by_exponential", "by_permute_and_flip"))


def permutation_law(coins):
    """Distribution of permute-and-flip by enumeration of every order."""
    law, orders = np.zeros(len(coins)), list(itertools.permutations(range(len(coins))))
    for order in orders:
        reached = 1 / len(orders)
        for r in order:
            law[r] += reached * coins[r]
            reached *= 1 - coins[r]
    return law


@claim("prop-rivals", by_exponential, by_permute_and_flip,
       mutants={"one rival too many":
                    (lambda lead, epsilon, rivals: by_exponential(lead, epsilon, rivals + 1), by_permute_and_flip),
                "one coin too many":
                    (by_exponential, lambda lead, epsilon, rivals: by_permute_and_flip(lead, epsilon, rivals + 1)),
                "the 2 forgotten":
                    (by_exponential, lambda lead, epsilon, rivals: by_permute_and_flip(2 * lead, epsilon, rivals)),
                "permute-and-flip taken for the exponential mechanism": (by_exponential, by_exponential)})
def test_leader_among_rivals(*formulas):
    """Compare with the softmax of all scores, with every order of six candidates, and with rivals that are further
    behind; try the safe lead up to 10^12 rivals.
    """
    rng, worst = np.random.default_rng(2), 0
    for epsilon, lead, rivals in itertools.product(EPSILONS, (1., 4., 10.), (1, 3, 5)):
        scores = np.r_[lead, np.zeros(rivals)]
        exact = lambda u: np.array([exponential_probabilities(u, sensitivity=1, epsilon=epsilon)[0],
                                    permutation_law(np.exp(epsilon / 2 * (u - lead)))[0]])
        stated = np.array([formula(lead, epsilon, rivals) for formula in formulas])
        worst = max(worst, np.abs(exact(scores) - stated).max())
        assert (exact(scores - np.r_[0, rng.exponential(3, rivals)]) >= stated).all()
    assert worst < 1e-9
    for rivals, beta in itertools.product((10, 10**6, 10**12), (.1, .001)):
        assert min(formula(2 * math.log(rivals / beta), 1, rivals) for formula in formulas) >= 1 - beta
    exp, flip = (formula(40, 1, 10**9) for formula in formulas)
    return f"both formulas right {to(worst)} in 27 settings; lead 40 among 10^9 rivals: {exp:.4f} and {flip:.4f}"


# --- Gumbel noise and crowds ------------------------------------------------------------------------------------------

def largest_of(noise=lambda rng, shape: rng.gumbel(size=shape)):
    """Choose by the largest of scores plus noise of scale 2/epsilon."""
    def choose(scores, *, sensitivity, epsilon, rng):
        return np.argmax(scores * epsilon / (2 * sensitivity) + noise(rng, scores.shape), axis=-1)
    return choose


@claim("prop-gumbel", exponential,
       mutants={"Laplace noise": largest_of(lambda rng, shape: rng.laplace(size=shape)),
                "normal noise of the same variance": largest_of(lambda rng, shape: rng.normal(0, math.pi / 6**.5, shape)),
                "one Gumbel variable for all": largest_of(lambda rng, shape: rng.gumbel(size=(len(rng.random(shape)), 1))),
                "Gumbel noise with the wrong sign": largest_of(lambda rng, shape: -rng.gumbel(size=shape))})
def test_gumbel_maxima(exponential):
    """Count 400 000 choices (a probability off by 0.01 is missed less than once in 10^9), and integrate the
    distribution of the largest numerically.
    """
    law = softmax(EPSILON / 2 * SCORES)
    far = furthest(draws(exponential, SCORES, EPSILON, 400_000, 3), law, 400_000)
    assert far < 5.5
    y = np.linspace(-12, 60, 400_001)
    below = np.exp(-np.exp(EPSILON / 2 * SCORES[:, None] - y))                       # distribution functions
    density = np.exp(EPSILON / 2 * SCORES[:, None] - y) * below
    wins = np.array([np.trapezoid(density[r] * np.delete(below, r, axis=0).prod(axis=0), y) for r in range(4)])
    crowd = np.exp(-np.exp(-y)) ** 7 - np.exp(-np.exp(-(y - math.log(7))))
    assert np.abs(wins - law).max() < 1e-9 and np.abs(crowd).max() < 1e-12
    return f"shares within {far:.1f} standard errors; integrals right {to(np.abs(wins - law).max())}"


@claim("cor-lump", page_function("selection", "as_one"),
       mutants={"ln m added in units of the score": lambda score, size, *, sensitivity, epsilon: score + math.log(size),
                "the sensitivity left out": lambda score, size, *, sensitivity, epsilon: score + 2 / epsilon * math.log(size),
                "m times the score": lambda score, size, *, sensitivity, epsilon: score * size})
def test_crowd_as_one_candidate(as_one):
    """Compare with the distribution in which every candidate of the crowd stands by itself, for crowds of up to 100
    000.
    """
    worst = 0
    for epsilon, sensitivity, size, score in itertools.product(EPSILONS, (.5, 3), (1, 10, 100_000), (0., -2., 4.)):
        law = lambda u: exponential_probabilities(u, sensitivity=sensitivity, epsilon=epsilon)
        apart = law(np.append(SCORES, np.full(size, score)))
        together = law(np.append(SCORES, as_one(score, size, sensitivity=sensitivity, epsilon=epsilon)))
        worst = max(worst, np.abs(together[:4] - apart[:4]).max(), abs(together[4] / size - apart[4]))
    assert worst < 1e-12
    return f"the distributions agree {to(worst)} in 54 settings"


# --- report noisy max -------------------------------------------------------------------------------------------------

def laplace_noise(z):
    return .5 * np.exp(-np.abs(z)), np.where(z < 0, .5 * np.exp(np.minimum(z, 0)), 1 - .5 * np.exp(-np.maximum(z, 0)))


def gumbel_noise(z):
    below = np.exp(-np.exp(-z))
    return np.exp(-z) * below, below


def exponential_noise(z):
    jump = np.where(np.abs(z) < 1e-9, .5, z > 0)              # half of the jump at 0 keeps the order of the rule
    return jump * np.exp(-np.maximum(z, 0)), -np.expm1(-np.maximum(z, 0))


def normal_noise(z):
    return np.exp(-z**2 / 4) / math.sqrt(4 * math.pi), ndtr(z / math.sqrt(2))


def scaled(noise=laplace_noise, factor=1.):
    return lambda z: (noise(z / factor)[0] / factor, noise(z / factor)[1])


GRID = np.linspace(-30, 60, 18_001)                           # multiples of 1/200: all kinks and jumps lie on it


def noisy_max_law(noise, scores, scale):
    """The chance of each candidate by the trapezoidal rule; its error is of the order of the squared step, 2.5e-5."""
    density, below = np.array([noise(GRID - u / scale) for u in scores]).swapaxes(0, 1)
    others = [np.delete(below, r, axis=0).prod(axis=0) for r in range(len(scores))]
    return np.trapezoid(density * others, GRID)


@claim("thm-noisy-max", laplace_noise, gumbel_noise, exponential_noise,
       mutants={"Laplace noise of half the scale": (scaled(laplace_noise, .5), gumbel_noise, exponential_noise),
                "exponential noise of half the scale": (laplace_noise, gumbel_noise, scaled(exponential_noise, .5)),
                "Gumbel noise of half the scale": (laplace_noise, scaled(gumbel_noise, .5), exponential_noise),
                "normal noise of the variance of Laplace noise": (normal_noise, gumbel_noise, exponential_noise)})
def test_noise_laws(*noises):
    """Integrate the distribution of the largest of three scores numerically, for all changes by at most 1, and for
    monotone changes with half the noise.
    """
    largest, pairs, off = 0, 0, 0
    for noise, scores, change, monotone in itertools.product(noises, [(0, 0, 0), (4, 0, 1), (-6, 0, 0), (12, 0, 0)],
                                                             itertools.product((-1, 0, 1), repeat=3), (False, True)):
        if monotone and min(change) < 0 < max(change):
            continue
        scale = 1 if monotone else 2                          # epsilon = 1, sensitivity 1
        x, y = (noisy_max_law(noise, u, scale) for u in (np.array(scores), np.add(scores, change)))
        largest, pairs, off = max(largest, np.abs(np.log(x) - np.log(y)).max()), pairs + 1, max(off, abs(x.sum() - 1))
    assert off < 3e-5 and largest <= 1 + 3e-5
    return f"largest log-ratio {largest:.5f} epsilon over {pairs} pairs; their sum is right {to(off)}"


def noisy_max_of_scale(factor=2.):
    def choose(scores, *, sensitivity, epsilon, monotonic=False, rng):
        return np.argmax(scores + rng.laplace(0, factor * sensitivity / epsilon, scores.shape), axis=-1)
    return choose


def noisy_max_of_one_draw(scores, *, sensitivity, epsilon, monotonic=False, rng):
    first = np.arange(scores.shape[-1]) == 0
    return np.argmax(scores + first * rng.laplace(0, 2 * sensitivity / epsilon, scores.shape), axis=-1)


@claim("thm-noisy-max", report_noisy_max,
       mutants={"Lap(1/epsilon) for scores that are not monotone": noisy_max_of_scale(1),
                "a tenth too little noise": noisy_max_of_scale(1.8), "noise for one score only": noisy_max_of_one_draw})
def test_report_noisy_max(report_noisy_max):
    """Draw a million choices on two neighbours each and bound the real parameter from below, wrong less than once in
    10^8, then compare a million choices with the exact distribution.
    """
    trials, epsilon, sure = 10**6, 1., 1e-9
    few, more = (round(draws(report_noisy_max, np.array(u), epsilon, trials, seed)[1] * trials)
                 for seed, u in enumerate([(10., 0.), (9., 1.)]))
    high = beta_law.isf(sure, few + 1, trials - few)          # Clopper-Pearson: the chances are below and above these
    low = beta_law.ppf(sure, more, trials - more + 1)
    proven = math.log(low / high)
    assert proven <= epsilon, proven
    law = noisy_max_law(laplace_noise, SCORES, 2 / EPSILON)
    far = furthest(draws(report_noisy_max, SCORES, EPSILON, trials, 5), law / law.sum(), trials)
    assert far < 6.5
    return f"real parameter at least {proven:.3f} where 1 is promised; shares within {far:.1f} standard errors"


# --- permute and flip -------------------------------------------------------------------------------------------------

def integral_law(coins):
    """Part 1 of the theorem, integrated exactly: the product is a polynomial."""
    law = []
    for r in range(len(coins)):
        product = np.polynomial.Polynomial([1.])
        for coin in np.delete(coins, r):
            product *= np.polynomial.Polynomial([1., -coin])
        law.append(coins[r] * (product.integ()(1) - product.integ()(0)))
    return np.array(law)


def by_integral(scores, epsilon):
    return integral_law(np.exp(epsilon / 2 * (scores - scores.max())))


def exponential_instead(scores, epsilon):
    return exponential_probabilities(scores, sensitivity=1, epsilon=epsilon)


def coins_without_two(scores, epsilon):
    return integral_law(np.exp(epsilon * (scores - scores.max())))


def fixed_order(scores, epsilon):
    coins = np.exp(epsilon / 2 * (scores - scores.max()))
    return coins * np.r_[1, np.cumprod(1 - coins)[:-1]]


@claim("thm-permute-and-flip", by_integral,
       mutants={"the exponential mechanism's distribution": exponential_instead, "coins without the 2": coins_without_two,
                "the same order every time": fixed_order})
def test_permute_and_flip_law(law):
    """Enumerate every order of up to six candidates, integrate exponential noise numerically, try all neighbours of
    five votes, and compare upper parts with the exponential mechanism.
    """
    rng, worst, largest, ahead = np.random.default_rng(6), 0, 0, np.inf
    for k, epsilon in itertools.product(range(1, 7), EPSILONS):
        scores = rng.integers(0, 5, k).astype(float)                                  # with ties
        flip, exp = law(scores, epsilon), exponential_probabilities(scores, sensitivity=1, epsilon=epsilon)
        worst = max(worst, np.abs(flip - permutation_law(np.exp(epsilon / 2 * (scores - scores.max())))).max())
        ahead = min(ahead, *(flip[scores >= v].sum() - exp[scores >= v].sum() for v in scores))
    assert worst < 1e-12 and ahead > -1e-12
    for epsilon in EPSILONS:
        pairs = {(tuple(counts(x, 3)), tuple(counts(y, 3))) for r, x, y in neighbours(5, 3) if r == "replace"}
        ratios = [law(np.array(x), epsilon) / law(np.array(y), epsilon) for x, y in pairs]
        largest = max(largest, np.abs(np.log(ratios)).max() / epsilon)
    noise = noisy_max_law(exponential_noise, SCORES, 2 / EPSILON)
    assert largest <= 1 + 1e-9 and np.abs(noise - law(SCORES, EPSILON)).max() < 3e-5
    return (f"distribution right {to(worst)}; largest log-ratio {largest:.6f} epsilon; never behind the exponential "
            f"mechanism; best of the example {law(SCORES, EPSILON)[0]:.4f}")


def largest_exponential(factor=1.):
    """Choose by the largest of scores plus exponential noise of scale 2/epsilon, times a factor."""
    def choose(scores, *, sensitivity, epsilon, rng):
        noise = factor * rng.standard_exponential(scores.shape)
        return np.argmax(scores * epsilon / (2 * sensitivity) + noise, axis=-1)
    return choose


@claim("thm-permute-and-flip", permute_and_flip,
       mutants={"candidates put back": exponential,
                "exponential noise without the 2": largest_exponential(factor=.5),
                "two-sided noise": report_noisy_max})
def test_permute_and_flip_draws(permute_and_flip):
    """Count 400 000 choices and compare with the distribution enumerated over every order (a probability off by 0.01 is
    missed less than once in 10^9).
    """
    law = permutation_law(np.exp(EPSILON / 2 * (SCORES - SCORES.max())))
    shares = draws(permute_and_flip, SCORES, EPSILON, 400_000, 7)
    far = furthest(shares, law, 400_000)
    assert far < 5.5
    return f"shares {', '.join(f'{s:.4f}' for s in shares)}, within {far:.1f} standard errors"


# --- coins for whole scores -------------------------------------------------------------------------------------------

def tossed(coin=lambda behind, rate: np.exp(-rate * behind), both=True, first=False, ahead=False):
    """A median by coins, one data set at a time, with room for mistakes."""
    def choose(x, *, candidates, epsilon, neighbor, rng):
        scores = median_scores(x, candidates=candidates)
        rate = epsilon / (2 if neighbor == "replace" and both else 1)
        coins = coin(scores.max() - scores, rate)
        heads = np.flatnonzero(_samplers.bernoulli(coins, coins.shape, rng))
        if ahead:
            heads = heads[scores[heads] == scores[heads].max()]
        return candidates[heads[0 if first else rng.integers(len(heads))]]
    return choose


@claim("prop-coins", private_median,
       mutants={"as if ranks were monotone under replacement": tossed(both=False),
                "the first of the heads": tossed(first=True), "the best of the heads": tossed(ahead=True),
                "no heads three ranks behind": tossed(coin=lambda behind, rate: np.exp(-rate * behind) * (behind < 3)),
                "a coin that is a little too small": tossed(coin=lambda behind, rate: np.exp(-rate * (behind + .02 * (behind == 1)))),
                "coins that fall with the square": tossed(coin=lambda behind, rate: np.exp(-rate * behind**2)),
                "coins that rise again": tossed(coin=lambda behind, rate: np.exp(-rate * np.minimum(behind, 4 - behind).clip(-1)))})
def test_coins_for_ranks(private_median):
    """Run the program on all data sets of up to four records at four candidates, its coins falling in every way, and compare all
    neighbours under both relations; then on pairs with nine candidates.
    """
    sets = [x for n in range(5) for x in itertools.combinations_with_replacement(range(4), n)]
    pairs = {"replace": [(x, y) for x, y in itertools.combinations(sets, 2) if len(x) == len(y) and shared(x, y) == len(x) - 1],
             "add_remove": [(x, y) for x, y in itertools.combinations(sets, 2) if abs(len(x) - len(y)) == 1
                            and shared(x, y) == min(len(x), len(y))]}
    most, compared = 0, 0
    for relation, epsilon in itertools.product(pairs, (1., 3.)):
        law = lambda x, k: distribution(lambda x, script: private_median(
            x, candidates=range(k), epsilon=epsilon, neighbor=relation, rng=script), x)
        laws = {x: law(x, 4) for x in sets}
        found = [(laws[x], laws[y]) for x, y in pairs[relation]]
        found.append((law((0, 8), 9), law((8, 8), 9)) if relation == "replace" else (law((), 9), law((8,), 9)))
        most, compared = max([most, *(epsilon_of(*pair) / epsilon for pair in found)]), compared + len(found)
    assert most <= 1 + 1e-9
    return f"at most {most:.4f} ε, on {compared} pairs"


def shared(x, y):
    return sum(min(x.count(v), y.count(v)) for v in set(x))


# --- median by rank ---------------------------------------------------------------------------------------------------

def sum_of_distances(x, candidates):
    return -np.abs(x[:, None] - candidates).sum(axis=0)


def difference_of_sides(x, candidates):
    c = candidates[:, None]
    return -np.abs((x < c).sum(axis=1) - (x > c).sum(axis=1))


@claim("prop-median", page_function("selection", "rank_scores"),
       mutants={"the sum of distances": sum_of_distances, "the difference of the two sides": difference_of_sides,
                "the median's own distance": lambda x, candidates: -np.abs(np.median(x) - candidates)})
def test_rank_score(score):
    """Enumerate all data sets of four records with four values, all neighbours, which move no two scores in different directions
    under add/remove, and the exact probability of a bad rank for both mechanisms and relations.
    """
    moved, closest, on = 0, 0, lambda x: score(np.sort(x), np.arange(4)).astype(float)
    for relation, x, y in neighbours(4, 4):
        change = on(x) - on(y)
        moved = max(moved, np.abs(change).max())
        assert relation == "replace" or change.min() * change.max() >= 0
    for x in itertools.product(range(4), repeat=4):
        sides = -rank_score(x, 4)
        for epsilon, beta in itertools.product((1., 3., 10.), (.5, .1, .01)):
            for relation, scale in dict(replace=2 / epsilon, add_remove=1 / epsilon).items():
                by_weight = exponential_probabilities(on(x), sensitivity=1, epsilon=epsilon, monotonic=relation == "add_remove")
                by_coins = median_probabilities(on(x).astype(int), epsilon=epsilon, neighbor=relation)
                failure = by_weight[sides >= 4 / 2 + scale * math.log(4 / beta)].sum()
                failure_by_coins = by_coins[sides >= 4 / 2 + scale * math.log(4 / (2 * beta))].sum() if beta < .5 else 0
                closest = max(closest, failure / beta, failure_by_coins / beta)
    assert moved == 1 and closest <= 1
    return f"the score moves by {moved:.0f}; failures at most {closest:.3f} of the bound"
