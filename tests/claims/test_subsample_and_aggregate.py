"""The statements of the page on subsample and aggregate."""

import itertools

import numpy as np
from scipy.optimize import linprog
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from dplib.aggregation import median_probabilities, median_scores, private_vote, subsample_and_aggregate, vote_error
from tests.chance import FAR, standard_errors
from tests.claims import claim, page_function

outside_bound, blocks_error_bound, best_blocks, strong, weak, blocks_touched = (page_function("subsample-and-aggregate", name) for name in (
    "outside_bound", "blocks_error_bound", "best_blocks", "people_for_strong_blocks", "people_for_blocks_of_one", "blocks_touched"))

# --- one record, one answer ------------------------------------------------------------------------------------------

KEEP = lambda answers, rng: answers


def wrapper(sort=False, shared=False, overlap=False, guarded=True, named=True):
    """Blocks made anew, with room for mistakes."""
    def run(x, estimator, combine, *, blocks, default, people=None, rng):
        owners = np.unique(people, return_inverse=True)[1] if people is not None and named else np.arange(len(x))
        place = np.argsort(np.argsort(x)) * blocks // len(x) if sort else rng.permutation(owners.max() + 1)[owners] % blocks
        members = [np.flatnonzero(place == j) for j in range(blocks)]
        if overlap:
            members = [np.append(m, members[j - 1]) for j, m in enumerate(members)]
        coins, answers = rng.spawn(blocks), []
        for j, mine in enumerate(members):
            try:
                answers.append(estimator(x[mine], rng=rng if shared else coins[j]))
                assert np.isfinite(answers[-1])
            except Exception as error:
                assert guarded, error
                answers[j:] = [default]
        return combine(np.array(answers), rng)
    return run


def sums(block, rng):
    return float(block.sum())


def as_many_coins_as_people_are_rich(block, rng):
    return rng.random(3 + 5 * int((block > 50).sum())).sum()


def bad_day(block, rng):
    if block.max() > 50:
        raise MemoryError(block.max())
    return np.nan if block.min() < 0 else float(np.median(block))


@claim("thm-subsample", subsample_and_aggregate,
       mutants={"blocks cut from sorted records": wrapper(sort=True), "one generator for all blocks": wrapper(shared=True),
                "blocks that overlap": wrapper(overlap=True), "an exception gets out": wrapper(guarded=False)})
def test_one_record_changes_one_answer(wrapper):
    """Replace each of 24 records by five others, with the same divisions and coins; a sum, a program that draws as many random
    numbers as its block has large records, and one that crashes and answers with NaN.
    """
    x, most, cases = np.random.default_rng(1).permutation(24).astype(float), 0, 0
    for estimator, seed in itertools.product((sums, as_many_coins_as_people_are_rich, bad_day), (1, 2)):
        run = lambda data: wrapper(data, estimator, KEEP, blocks=6, default=-1., rng=np.random.default_rng(seed))
        before = run(x)
        for i, record in itertools.product(range(24), (-5., 0., 11.5, 30., 99.)):
            y = x.copy()
            y[i] = record
            most, cases = max(most, (run(y) != before).sum()), cases + 1
    assert most == 1
    return f"at most {most} of 6 answers changed, in {cases} cases"


@claim("cor-persons", subsample_and_aggregate, blocks_touched,
       mutants={"rows in place of names": (wrapper(named=False), blocks_touched),
                "every row in a block of its own": (subsample_and_aggregate, lambda rows, blocks: min(rows, blocks)),
                "one row less": (subsample_and_aggregate, lambda rows, blocks: blocks_touched(rows - 1, blocks))})
def test_persons(wrapper, blocks_touched):
    """Replace all rows of each of nine persons, who have one to nine of them; then count the blocks of all ways to give up to
    five rows to four blocks.
    """
    people, most = np.repeat(np.arange(9), np.arange(1, 10)), 0
    x = np.random.default_rng(2).random(people.size)
    for person, seed in itertools.product(range(9), range(5)):
        run = lambda data: wrapper(data, sums, KEEP, blocks=4, default=-1., people=people, rng=np.random.default_rng(seed))
        most = max(most, (run(np.where(people == person, 99., x)) != run(x)).sum())
    assert most == 1
    for rows in range(1, 6):
        ways = [len(set(way)) for way in itertools.product(range(4), repeat=rows)]
        assert abs(np.mean(ways) - blocks_touched(rows, 4)) < 1e-12
    return f"all rows of a person change at most {most} answer; 1364 ways to give rows to blocks counted"


# --- a median --------------------------------------------------------------------------------------------------------

def bound(noise=1., many=True, both=2):
    """The bound on a median outside an interval, with room for mistakes."""
    def compute(blocks, right, *, candidates, epsilon, beta):
        votes = blocks / 2 + noise * 2 / epsilon * np.log((candidates if many else 1) / (2 * beta))
        return beta + both * sum(binom.pmf(v, blocks, right) for v in range(blocks + 1) if v < votes)
    return compute


@claim("prop-median-of-blocks", outside_bound,
       mutants={"no room for the noise": bound(noise=0.), "the number of candidates left out": bound(many=False),
                "only the candidates": bound(both=0)})
def test_median_of_blocks(outside_bound):
    """Draw 200 times the answers of k blocks on three candidates, with thousands of others between them that are wrong, and
    compare the exact probability of these, averaged, with the bound.
    """
    rng, closest, settings = np.random.default_rng(3), 0, 0
    for gap, right, blocks, epsilon in itertools.product((1, 300), (.7, .9), (20, 80, 200, 400), (.1, .5, 2)):
        candidates = np.r_[-gap:gap + 1] * 1.                      # right is 0, all others are wrong
        drawn = rng.choice([-gap, 0, gap], p=[1 - right, 2 * right - 1, 1 - right], size=(200, blocks))
        law = median_probabilities(median_scores(drawn, candidates=candidates), epsilon=epsilon, neighbor="replace")
        missed = 1 - law[:, gap].mean()
        spread = law[:, gap].std() / np.sqrt(200)
        for beta in (.01, .05, .3):
            stated = outside_bound(blocks, right, candidates=candidates.size, epsilon=epsilon, beta=beta)
            assert missed <= stated + 4 * spread
            closest, settings = max(closest, missed / stated), settings + 1
    return f"at most {closest:.2f} of the bound, at {settings} settings"


# --- how many blocks --------------------------------------------------------------------------------------------------

def three_terms(sampling=True, many=True, blocks_biased=True, slope=3.):
    """The sum of the proposition term by term, with room for mistakes."""
    def compute(blocks, *, size, bias, spread, candidates, epsilon, beta):
        k, z = np.asarray(blocks, dtype=float), 2 / epsilon * np.log((candidates if many else 1) / (2 * beta))
        noise = slope * spread * z / np.sqrt(size * k)
        drawn = slope * spread * np.sqrt(np.log(2 / beta) / (2 * size)) if sampling else 0
        above = z / k + (np.sqrt(np.log(2 / beta) / (2 * k)) if sampling else 0) <= 1 / slope
        return np.where(above, bias * (k if blocks_biased else 1) / size + noise + drawn, np.inf)
    return compute


def by_formula(power=2 / 3, cliff=True):
    """The number k* of the page, or the least one above the cliff, with room for mistakes."""
    def compute(*, size, bias, spread, candidates, epsilon, beta):
        z, log = 2 / epsilon * np.log(candidates / (2 * beta)), np.log(2 / beta)
        least = ((3 * np.sqrt(log / 2) + np.sqrt(9 * log / 2 + 12 * z)) / 2)**2          # k/3 = z + √(k log/2)
        return max((1.5 * spread * z * np.sqrt(size) / bias)**power, least if cliff else 0)
    return compute


@claim("prop-number-of-blocks", blocks_error_bound, best_blocks,
       mutants={"sampling left out": (three_terms(sampling=False), best_blocks),
                "the number of candidates left out": (three_terms(many=False), best_blocks),
                "the bias of all records together": (three_terms(blocks_biased=False), best_blocks),
                "the slope of the normal density in place of its chord": (three_terms(slope=np.sqrt(2 * np.pi)), best_blocks),
                "the square root in place of the power 2/3": (blocks_error_bound, by_formula(power=.5)),
                "the cliff forgotten": (blocks_error_bound, by_formula(cliff=False))})
def test_number_of_blocks(blocks_error_bound, best_blocks):
    """At all of 54 settings that can be above the cliff, with normal answers that are all off to one side: the probability of an
    error above the bound by `outside_bound`, exactly, and the bound on it; the best number of blocks against k*. At four settings
    also the median itself, with 200 drawn sets of answers and the exact probabilities of the candidates.
    """
    most, settings, apart = 0, 0, 0
    for size, epsilon, bias, beta in itertools.product((10**3, 10**4, 10**5), (.1, .5, 2), (.1, 1, 5), (.02, .1)):
        given = dict(size=size, bias=bias, spread=.4, candidates=1001, epsilon=epsilon, beta=beta)
        k = best_blocks(**given)
        if not np.isfinite(blocks_error_bound(size // 2, **given)):
            continue
        apart = max(apart, abs(k - min(by_formula()(**given), size // 2)))
        for blocks in np.unique(np.geomspace(1, size // 2, 30).astype(int)):
            if np.isfinite(error := blocks_error_bound(blocks, **given)):
                a = (error - bias * blocks / size) / .4 * np.sqrt(size / blocks)          # what is left, in spreads of an answer
                assert a > 0
                missed = outside_bound(blocks, ndtr(a), candidates=1001, epsilon=epsilon, beta=beta)
                assert missed <= 2 * beta + 1e-12
                most, settings = max(most, missed / (2 * beta)), settings + 1
    assert apart <= 2, apart
    rng, beta, candidates = np.random.default_rng(4), .1, np.linspace(-2, 2, 401)
    for size, blocks in ((10**4, 120), (10**4, 300), (10**5, 150), (10**5, 1000)):
        drawn = 1 * blocks / size + .4 * np.sqrt(blocks / size) * rng.normal(size=(200, blocks))
        law = median_probabilities(median_scores(drawn, candidates=candidates), epsilon=1, neighbor="replace")
        error = blocks_error_bound(blocks, size=size, bias=1, spread=.4, candidates=401, epsilon=1, beta=beta)
        assert law[:, np.abs(candidates) > error + .005].sum(axis=1).mean() <= 2 * beta
    return f"missed with at most {most:.2f} of 2β at {settings} numbers of blocks; the best number within {apart:.1f} of k*"


def sums_of(values, chances, times):
    """The distribution of the mean of so many draws."""
    here, law = np.array([0.]), np.array([1.])
    for _ in range(times):
        here, law = (here[:, None] + values).ravel(), (law[:, None] * chances).ravel()
    return here / times, law


def within(factor=3.):
    """How far from μ the median of means is, by the corollary, with room for a mistake."""
    return lambda blocks, size: np.sqrt(factor * blocks / size)


def enough_blocks(share=4, root=True):
    """The least k of the corollary, with room for mistakes."""
    def compute(candidates, epsilon, beta):
        z, log = 2 / epsilon * np.log(candidates / (2 * beta)), np.log(2 / beta)
        return next(k for k in range(1, 10**5) if k / share >= z + (np.sqrt(k / 2 * log) if root else 0))
    return compute


@claim("cor-median-of-means", outside_bound, within(), enough_blocks(),
       mutants={"one standard deviation of a mean": (outside_bound, within(factor=1.), enough_blocks()),
                "a little closer": (outside_bound, within(factor=2.9), enough_blocks()),
                "half of the blocks": (outside_bound, within(), enough_blocks(share=2)),
                "no room for luck": (outside_bound, within(), enough_blocks(root=False))})
def test_median_of_means(outside_bound, within, enough_blocks):
    """Records with two values, mean 0 and variance 1, in 62 skewed ways, in blocks of one to six: how often a mean is on the
    right side, exactly; then the bound of the proposition on the median, with the least number of blocks.
    """
    least, most = 1, 0
    for share, m in itertools.product(np.r_[np.geomspace(.001, .5, 29), .25 - 1e-9, .255], (1, 2, 3, 6)):
        values = np.array([np.sqrt((1 - share) / share), -np.sqrt(share / (1 - share))])
        for sign in (1, -1):
            mean, law = sums_of(sign * values, np.array([share, 1 - share]), m)
            reach = within(1, m)
            least = min(least, law[mean >= -reach - 1e-12].sum(), law[mean <= reach + 1e-12].sum())
    assert least >= .75 - 1e-6
    for candidates, epsilon, beta in itertools.product((11, 1001, 10**6), (.1, .5, 2), (.01, .1)):
        missed = outside_bound(enough_blocks(candidates, epsilon, beta), .75, candidates=candidates, epsilon=epsilon, beta=beta)
        assert missed <= 2 * beta
        most = max(most, missed / (2 * beta))
    return f"right with probability at least {least:.3f}; missed with at most {most:.2f} of 2β"


# --- a vote ----------------------------------------------------------------------------------------------------------

def best_rule(right, blocks, epsilon):
    """The least average of the two errors of a private rule, by a linear program over its probabilities of yes."""
    e, count = np.exp(epsilon), np.arange(blocks + 1)
    yes, no = binom.pmf(count, blocks, right), binom.pmf(count, blocks, 1 - right)
    rows, limits = [], []
    for c, d in [(c, c + 1) for c in range(blocks)] + [(c + 1, c) for c in range(blocks)]:
        row = np.zeros(blocks + 1)
        row[[c, d]] = 1, -e                                        # v_c ≤ e v_d, and the same of 1 - v
        rows, limits = [*rows, row, -row], [*limits, 0, e - 1]
    found = linprog((no - yes) / 2, A_ub=np.array(rows), b_ub=limits, bounds=[(0, 1)] * (blocks + 1))
    return .5 + found.fun


def other_votes(kind="optimal"):
    """The error of a vote with another law of its noise."""
    def error(right, *, epsilon, noise, blocks):
        right_votes = np.arange(blocks + 1)
        lead = 2 * right_votes - blocks
        d, odd = np.abs(lead), blocks % 2
        upset = {"optimal": np.exp(-epsilon * (d - odd) / 2) / (1 + np.exp(epsilon) if odd else 2),
                 "laplace": np.exp(-epsilon * d / 2) / 2, "softmax": 1 / (1 + np.exp(epsilon * d / 2)),
                 "half": np.exp(-epsilon * d) / 2}[kind]
        return binom.pmf(right_votes, blocks, right) @ np.where(lead > 0, upset, 1 - upset)
    return error


def shared_budget(votes, *, epsilon, noise, runs=False, rng):
    return private_vote(votes, epsilon=epsilon / np.shape(votes)[-1], noise=noise, runs=runs, rng=rng)


@claim("prop-vote", vote_error, private_vote,
       mutants={"Laplace noise": (other_votes("laplace"), private_vote),
                "the exponential mechanism": (other_votes("softmax"), private_vote),
                "noise of half the scale": (other_votes("half"), private_vote), "ε/k for each block": (vote_error, shared_budget)})
def test_votes(vote_error, private_vote):
    """For up to nine blocks: the best private rule by a linear program over all; the bound; and 40 000 votes each, of which the
    share of errors may be 6.5 standard errors off.
    """
    worst, far, settings = 0, 0, 0
    for blocks, epsilon, right in itertools.product(range(1, 10), (.2, 1, 2.5), (.6, .8)):
        error, a = vote_error(right, epsilon=epsilon, noise="discrete_laplace", blocks=blocks), 2 * right - 1
        worst, settings = max(worst, abs(error - best_rule(right, blocks, epsilon))), settings + 1
        thetas = np.linspace(0, epsilon / 2, 50)
        assert error <= ((np.cosh(thetas) - a * np.sinh(thetas))**blocks).min() + 1e-12
        if epsilon == 1:
            rng = np.random.default_rng(blocks)
            wrong = ~private_vote(rng.random((40_000, blocks)) < right, epsilon=epsilon, noise="discrete_laplace", runs=True, rng=rng)
            far = max(far, abs(standard_errors(wrong.sum(), 40_000, error)))
    assert worst < 1e-7 and far < FAR
    return f"the program finds nothing better at {settings} settings; frequencies within {far:.1f} standard errors"


def least_votes(right, epsilon, beta):
    return next(k for k in range(1, 3000) if vote_error(right, epsilon=epsilon, noise="discrete_laplace", blocks=k) <= beta)


@claim("prop-weak-blocks", strong, weak,
       mutants={"twice the voters": (lambda right, **given: 2 * strong(right, **given), weak),
                "as if blocks were right for sure": (lambda right, **given: strong(.99, **given), weak),
                "half of those in blocks of one": (strong, lambda **given: weak(**given) / 2),
                "the noise forgotten": (strong, lambda *, shift, epsilon, beta: weak(shift=shift, epsilon=50., beta=beta))})
def test_weak_blocks(strong, weak):
    """At twelve settings: the least number of people of all sizes of blocks that are right often enough is above the first
    bound, and blocks of one record with as many people as the second says are right often enough.
    """
    least, most = np.inf, 0
    for shift, epsilon, beta in itertools.product((.2, .5), (.1, .5, 1), (.01, .05)):
        given = dict(shift=shift, epsilon=epsilon, beta=beta)
        for right in (.6, .75, .9):
            first = int(np.ceil((2 * ndtri(right) / shift)**2))
            people = min(m * least_votes(ndtr(shift * np.sqrt(m) / 2), epsilon, beta) for m in (first, first + 1, 2 * first, 4 * first))
            least = min(least, people / strong(right, **given))
        n = int(np.ceil(weak(**given)))
        assert vote_error(ndtr(shift / 2), epsilon=epsilon, noise="discrete_laplace", blocks=n) <= beta
        most = max(most, vote_error(ndtr(shift / 2), epsilon=epsilon, noise="discrete_laplace", blocks=n) / beta)
    assert least >= 1
    return f"at least {least:.2f} of the first bound; with the second, errors of at most {most:.2f} β"
