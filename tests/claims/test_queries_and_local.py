"""The statements of the page on statistical queries and the local model."""

import itertools
import math

import numpy as np
from scipy.stats import binom

from dplib.queries import (
    SQOracle, adversarial_oracle, local_oracle, local_oracle_size, local_simulation_plan, simulate_local_protocol,
    simulated_report_probabilities)
from tests.chance import FAR, LEVEL, chi_square
from tests.claims import claim, page_function, to


# --- from averages to reports -------------------------------------------------------------------------------------------------

def whisperers(truth=lambda epsilon: 1 / (1 + math.exp(-epsilon)), overlap=0, clipped=False):
    """A second local oracle, with room for mistakes."""
    def make(x, *, queries, epsilon, vectorized=True, rng):
        ends = [j * len(x) // queries for j in range(queries + 1)]
        share = truth(epsilon)

        def answer(number, phi):
            values = np.clip(phi(x[ends[number]:ends[number + 1] + overlap]), -1, 1)
            sign = np.where(rng.random(len(values)) < (1 + values) / 2, 1, -1) * np.where(rng.random(len(values)) < share, 1, -1)
            reports = sign / (2 * share - 1)
            return np.mean(np.clip(reports, -1, 1) if clipped else reports)
        return SQOracle(answer, queries=queries)
    return make


def people(scale=lambda epsilon: 1 / math.tanh(epsilon / 2), groups=True):
    """The statement's number of people, with room for a mistake."""
    def size(*, queries, tolerance, epsilon, beta):
        each = math.ceil(2 * (scale(epsilon) / tolerance) ** 2 * math.log(2 * queries / beta))
        return each * queries if groups else each
    return size


def asked_twice(make):
    """How often each of seven people is asked by two queries."""
    seen = []
    oracle = make(np.arange(1, 8), queries=2, epsilon=1, rng=np.random.default_rng(0))
    for _ in range(2):
        oracle(lambda x: seen.extend(x) or x / 10)
    return np.bincount(seen, minlength=8)[1:]                              # 0 is nobody


@claim("thm-sq-to-local", local_oracle, local_oracle_size,
       mutants={"truth with probability (1 + epsilon)/2": (whisperers(truth=lambda epsilon: (1 + epsilon) / 2), local_oracle_size),
                "truth with probability 1/2 + epsilon/4": (whisperers(truth=lambda epsilon: .5 + epsilon / 4), local_oracle_size),
                "one person in two groups": (whisperers(overlap=1), local_oracle_size),
                "reports clipped to [-1, 1]": (whisperers(clipped=True), local_oracle_size),
                "people as without privacy": (local_oracle, people(scale=lambda epsilon: 1)),
                "tanh for coth": (local_oracle, people(scale=lambda epsilon: math.tanh(epsilon / 2))),
                "people of one group for all": (local_oracle, people(groups=False))})
def test_averages_from_reports(oracle, size):
    """Count a million reports of people at either end, and of people in between: their log-odds may not exceed epsilon, nor
    their mean be off, by more than 6.5 standard errors (0.015 of log-odds). Compute failures exactly for +-1 records at the
    number of people of the theorem, and see that nobody is asked twice.
    """
    assert np.all(asked_twice(oracle) == 1)
    runs, largest, rng = 10**6, 0., np.random.default_rng(4)
    for epsilon in (.5, .9):
        c = abs(oracle(np.ones(1), queries=1, epsilon=epsilon, rng=rng)(lambda x: x))          # one person's report
        for value in (-1., .3, 1.):
            mean = oracle(np.full(runs, value), queries=1, epsilon=epsilon, vectorized=True, rng=rng)(lambda x: x)
            assert abs(mean - value) < FAR * c / runs**.5
            up = (1 + mean / c) / 2                                        # the share of reports that are c
            largest = max(largest, abs(math.log(up / (1 - up))) - epsilon)
    assert largest < .015
    worst = 0.
    for epsilon, tolerance, beta, mean in itertools.product((.2, 1., 5.), (.1, .3), (.05, .3), (0., .9)):
        c, each = 1 / math.tanh(epsilon / 2), int(size(queries=20, tolerance=tolerance, epsilon=epsilon, beta=beta)) // 20
        up = .5 + mean / (2 * c)
        off = binom.cdf(math.ceil(each * (1 + (mean - tolerance) / c) / 2) - 1, each, up)
        off += binom.sf(math.floor(each * (1 + (mean + tolerance) / c) / 2), each, up)
        worst = max(worst, -math.expm1(20 * math.log1p(-min(off, 1 - 1e-9))) / beta)
    assert worst <= 1
    return f"log-odds above epsilon by at most {max(largest, 0):.4f}; twenty queries fail at most {worst:.3f} as often as is promised"


# --- keep or throw away ---------------------------------------------------------------------------------------------------------

def by_drafts(bound=math.exp, clip=True, middle=math.cosh, half=math.sinh, fallback=True, last=0):
    """The distribution of a report, draft after draft, with room for mistakes."""
    def law(q, answers, *, epsilon, tries):
        ratio = middle(epsilon) + np.asarray(answers) * half(epsilon)
        ratio = np.clip(ratio, math.exp(-epsilon), math.exp(epsilon)) if clip else ratio
        kept = q * np.clip(ratio / bound(epsilon), 0, 1)
        found, left = np.zeros(np.shape(kept)), 1.
        for _ in range(tries + last):
            found, left = found + left * kept, left * (1 - kept.sum())
        found[0] += left * fallback
        return found
    return law


def settings(seed, count):
    """Random reports, populations and answers that are up to 0.3 off."""
    draws = np.random.default_rng(seed)
    for _ in range(count):
        epsilon, k = draws.uniform(.1, 2.5), int(draws.integers(2, 6))
        R = private_reports(draws, epsilon, k)
        p, q = draws.dirichlet(np.ones(len(R))) @ R, R[0]
        yield epsilon, p, q, (p / q - math.cosh(epsilon)) / math.sinh(epsilon), draws.uniform(-.3, .3, k)


def private_reports(draws, epsilon, k, records=4):
    """A channel that is epsilon-private: rows within e^epsilon of each other, mostly at the limits."""
    extremes = 1 + np.expm1(epsilon) * draws.integers(0, 2, (records, k))
    pull = draws.choice([0., draws.uniform()])
    rows = draws.dirichlet(np.ones(k)) * (extremes * (1 - pull) + pull)
    rows /= rows.sum(axis=1, keepdims=True)
    while (rows.max(axis=0) / rows.min(axis=0)).max() > math.exp(epsilon):     # dividing by the sums may have gone too far
        rows = .9 * rows + .1 * rows.mean(axis=0)
    return rows


@claim("lem-rejection", simulated_report_probabilities,
       mutants={"without e^-epsilon, capped at 1": by_drafts(bound=lambda epsilon: 1.),
                "ratios above e^epsilon kept as they are": by_drafts(clip=False, bound=lambda epsilon: 2 * math.exp(epsilon)),
                "sinh and cosh exchanged": by_drafts(middle=math.sinh, half=math.cosh),
                "one draft too many": by_drafts(last=1),
                "nothing reported if nothing is kept": by_drafts(fallback=False)})
def test_distribution_of_a_report(law):
    """Follow the run draft after draft, for 100 random reports, populations and wrong answers; with exact answers the kept
    draft must have the real distribution.
    """
    reference, worst, exact = by_drafts(), 0., 0.
    for i, (epsilon, p, q, answers, lies) in enumerate(settings(5, 100)):
        tries = (1, 2, 5, 20)[i % 4]
        wanted = reference(q, answers + lies, epsilon=epsilon, tries=tries)
        worst = max(worst, np.abs(law(q, answers + lies, epsilon=epsilon, tries=tries) - wanted).max())
        exact = max(exact, np.abs(law(q, answers, epsilon=epsilon, tries=300) - p).max())
    assert worst < 1e-12 and exact < 1e-9
    return f"two computations agree {to(worst)}; exact answers give the real distribution {to(exact)}"


# --- a report is as good as the answers ---------------------------------------------------------------------------------------

THREE = np.array([[.45, .35, .2], [.3, .5, .2], [.25, .3, .45]])
PEOPLE = np.array([.05, .15, .8])
ALIKE = math.log(2.25)                                                # of THREE: .45 against .2


def made_up(bound=math.exp, half=math.sinh, real_drafts=False, once=False, earlier=False):
    """A second simulator, with room for mistakes."""
    def simulate(oracle, protocol, *, users, reference, epsilon, tries, rng):
        reports = []
        for _ in range(users):
            channel = protocol(() if earlier else tuple(reports))
            q = channel(np.atleast_1d(2. if real_drafts else float(reference)))[0]
            stated = channel(np.atleast_1d(float(reference)))[0]
            for _ in range(1 if once else tries):
                z = int(rng.choice(len(q), p=q))
                answer = oracle(lambda x, z=z: (channel(x)[:, z] / stated[z] - math.cosh(epsilon)) / half(epsilon))
                ratio = np.clip(math.cosh(epsilon) + answer * half(epsilon), math.exp(-epsilon), math.exp(epsilon))
                if rng.random() < ratio / bound(epsilon):
                    reports.append(z)
                    break
            else:
                reports.append(0)
        return np.array(reports)
    return simulate


@claim("thm-local-to-sq", simulate_local_protocol,
       mutants={"without e^-epsilon": made_up(bound=lambda epsilon: 1.),
                "drafts from other people than the ratio is about": made_up(real_drafts=True),
                "cosh for sinh, so that the scale is wrong": made_up(half=lambda epsilon: math.sinh(epsilon) / 2),
                "one draft only": made_up(once=True),
                "earlier reports forgotten": made_up(earlier=True)})
def test_made_up_reports(simulate):
    """Make up 1500 pairs of reports from answers that are 0.05 off, the second way of reporting chosen by the first report,
    and compare with the distribution of the lemma; the bounds of the theorem are tried on 200 random settings and all
    patterns of lies.
    """
    turned = lambda x: THREE[2 - x.astype(int)]
    protocol = lambda reports: turned if reports and reports[0] == 1 else lambda x: THREE[x.astype(int)]
    liar = adversarial_oracle(np.arange(3), PEOPLE, tolerance=.05, aim=lambda phi: 0)
    rng, runs = np.random.default_rng(6), 1500
    pairs = [simulate(liar, protocol, users=2, reference=0, epsilon=ALIKE, tries=8, rng=rng) @ [3, 1] for _ in range(runs)]

    def law(R):
        answers = (PEOPLE @ R / R[0] - math.cosh(ALIKE)) / math.sinh(ALIKE)
        return by_drafts()(R[0], np.clip(0, answers - .05, answers + .05), epsilon=ALIKE, tries=8)
    first, other = law(THREE), law(THREE[::-1])
    value = chi_square(np.bincount(pairs, minlength=9), (first[:, None] * [first, other, first]).ravel())
    assert value > LEVEL
    worst = [0., 0.]
    for epsilon, p, q, answers, lies in settings(7, 200):
        t = np.abs(lies).max() * math.sinh(epsilon)
        if t < 1:
            made, kept = patterns(p, q, answers, np.abs(lies).max(), epsilon)
            worst = np.maximum(worst, [np.abs(made - p).sum(axis=1).max() / 2 / t, np.abs(kept * math.exp(epsilon) - 1).max() / t])
    assert max(worst) <= 1 + 1e-9
    return f"p-value {value:.2g}; distances at most {worst[0]:.2f} t, shares of kept drafts off by at most {worst[1]:.2f} t"


def patterns(p, q, answers, tau, epsilon):
    """What each pattern of lies of this size makes: the kept draft's distribution, and how often one is kept."""
    signs = np.array(list(itertools.product((-1, 1), repeat=len(p))))
    ratio = np.clip(math.cosh(epsilon) + (answers + tau * signs) * math.sinh(epsilon), math.exp(-epsilon), math.exp(epsilon))
    kept = q * ratio
    return kept / kept.sum(axis=1, keepdims=True), kept.sum(axis=1) * math.exp(-epsilon)


# --- the best constant ----------------------------------------------------------------------------------------------------------

sharp_gap = page_function("queries-and-local", "sharp_gap")


def two_answers(epsilon):
    """Randomised response."""
    return np.array([[1, math.exp(-epsilon)], [math.exp(-epsilon), 1]]) / (1 + math.exp(-epsilon))


def gap(power=2, sign=-1, factor=.5):
    """The bound, with room for a mistake."""
    def bound(epsilon, tau):
        t = tau * math.sinh(epsilon)
        return factor * (1 + math.tanh(epsilon / 2) ** power) * t / (1 + sign * t)
    return bound


@claim("prop-sharp", sharp_gap,
       mutants={"t itself, which is not attained": lambda epsilon, tau: tau * np.sinh(epsilon),
                "tanh for its square": gap(power=1), "the fourth power": gap(power=4),
                "1 + t below": gap(sign=1), "half of it": gap(factor=.25)})
def test_best_constant(bound):
    """Search 1000 random private ways of reporting, populations and all patterns of lies, and reports of two kinds with nearly
    every population: none may be further off. For small errors one must come within a thousandth.
    """
    closest, draws = 0., np.random.default_rng(8)
    for epsilon, p, q, answers, _ in settings(9, 1000):
        tau = draws.uniform(.001, .9) / math.sinh(epsilon)
        made, _ = patterns(p, q, answers, tau, epsilon)
        closest = max(closest, np.abs(made - p).sum(axis=1).max() / 2 / bound(epsilon, tau))
    attained = []
    for epsilon, t in itertools.product((.2, 1., 3.), (1e-4, .01, .1)):
        pair, tau, found = two_answers(epsilon), t / math.sinh(epsilon), 0.
        for ones in [*np.linspace(.5, 1, 300), *(1 - np.geomspace(1e-6, .1, 300))]:
            p = np.array([1 - ones, ones]) @ pair
            made, _ = patterns(p, pair[0], (p / pair[0] - math.cosh(epsilon)) / math.sinh(epsilon), tau, epsilon)
            found = max(found, np.abs(made - p).sum(axis=1).max() / 2 / bound(epsilon, tau))
        closest, attained = max(closest, found), attained + [found] * (t < 1e-3)
    assert closest <= 1 + 1e-9 and min(attained) > .999
    return f"never exceeded in 6,400 searches over all lies; attained up to {1 - min(attained):.1g} at t = 0.0001"


# --- all reports together -------------------------------------------------------------------------------------------------------

def plan(people=lambda users: users, lies=1., tries=lambda number, epsilon: number):
    """The corollary's tolerance and number of drafts, with room for a mistake."""
    def choose(*, users, epsilon, beta):
        n = people(users)
        odds = lies * beta / (n * (1 + math.tanh(epsilon / 2) ** 2))
        t = odds / (1 + odds)
        number = math.log(2 * n / beta) / -math.log1p(-(1 - t) * math.exp(-epsilon))
        return t / math.sinh(epsilon), math.ceil(tries(number, epsilon))
    return choose


@claim("cor-transcript", local_simulation_plan,
       mutants={"n forgotten": plan(people=lambda users: 1), "three times the tolerance": plan(lies=3.),
                "as if every draft were kept": plan(tries=lambda number, epsilon: number * math.exp(-epsilon)),
                "half of the drafts": plan(tries=lambda number, epsilon: number / 2)})
def test_whole_transcripts(plan):
    """Enumerate all transcripts of one and of three people whose way of reporting depends on earlier reports, exactly, for the worst
    patterns of lies at each point, and compare with those of real people. The populations include the worst one for one
    report.
    """
    worst, plans = 0., 0
    for users, epsilon, beta, ones in itertools.product((1, 3), (.3, 1., 2.), (.02, .1, .4), (.5, .9, .99, .999)):
        tolerance, tries = plan(users=users, epsilon=epsilon, beta=beta)
        plans, pair = plans + 1, two_answers(epsilon)
        channels = [pair, pair @ [[.9, .1], [.3, .7]]]                   # the second one for those who follow a report 1
        real, made = {(): 1.}, {(): 1.}
        for transcript in itertools.chain.from_iterable(itertools.product((0, 1), repeat=k) for k in range(users)):
            R = channels[transcript[-1] if transcript else 0]
            p, q = np.array([1 - ones, ones]) @ R, R[0]
            answers = (p / q - math.cosh(epsilon)) / math.sinh(epsilon)
            laws = [simulated_report_probabilities(q, answers + tolerance * np.array([sign, -sign]), epsilon=epsilon, tries=tries)
                    for sign in (-1, 1)]
            furthest = max(laws, key=lambda law: np.abs(law - p).sum())
            for z in (0, 1):
                real[(*transcript, z)] = real[transcript] * p[z]
                made[(*transcript, z)] = made[transcript] * furthest[z]
        distance = sum(abs(real[whole] - made[whole]) for whole in itertools.product((0, 1), repeat=users)) / 2
        worst = max(worst, distance / beta)
    assert worst <= 1
    return f"transcripts are within {worst:.2f} of what is allowed, in {plans} settings"


# --- there and back -------------------------------------------------------------------------------------------------------------

round_trip = page_function("queries-and-local", "round_trip")


def there_and_back(scale=lambda epsilon: 1 / math.tanh(epsilon / 2), allowance=1.):
    """A second computation: every number of reports c in the group, one after the other; with room for mistakes."""
    def trip(p, q, epsilon, group):
        c, kept, outside = scale(epsilon), np.zeros(len(p)), np.zeros(len(p))
        for z, ups in itertools.product(range(len(p)), range(group + 1)):
            average = (p[z] / q[z] - math.cosh(epsilon)) / math.sinh(epsilon)
            v = c * (2 * ups / group - 1)
            chance = binom.pmf(ups, group, .5 + average * math.tanh(epsilon / 2) / 2)
            kept[z] += chance * min(math.exp(epsilon), max(math.exp(-epsilon), math.cosh(epsilon) + v * math.sinh(epsilon)))
            outside[z] += chance * max(abs(v) - 1, 0)
        made = q * kept / (q @ kept)
        return np.abs(made - p).sum() / 2, sharp_gap(epsilon, allowance * outside.max())
    return trip


@claim("prop-round-trip", round_trip,
       mutants={"reports that are not scaled up": there_and_back(scale=lambda epsilon: 1.),
                "scaled up twice": there_and_back(scale=lambda epsilon: math.tanh(epsilon / 2) ** -2),
                "a tenth of the allowance": there_and_back(allowance=.1)})
def test_there_and_back(trip):
    """Compute the exact distribution of a report when each question goes to a group of 5 to 400 people, for 36 random ways of
    reporting, and compare it with the bound wherever that is below 1; with large groups nothing may be left.
    """
    closest, left, compared = 0., 0., 0
    for i, (epsilon, p, q, _, _) in enumerate(settings(11, 36)):
        epsilon_reports, group = max(epsilon, .8), (5, 20, 60)[i % 3]
        distance, bound = trip(p, q, epsilon_reports, group)
        again = there_and_back()(p, q, epsilon_reports, group)
        assert abs(distance - again[0]) < 1e-12 and (again[1] < 0) == (bound < 0) and abs(bound - again[1]) < 1e-9 * (1 + abs(bound))
        if 0 < bound < 1:
            closest, compared = max(closest, distance / bound), compared + 1
    for shares in ([.55, .25, .15, .05], [.4, .3, .2, .1]):
        R = np.where(np.eye(4) == 1, math.e, 1) / (math.e + 3)
        left = max(left, trip(np.array(shares) @ R, R[0], 1., 400)[0])
    assert closest <= 1 and left < 3e-4 and compared > 10
    return f"at most {closest:.2f} of the bound in {compared} settings; groups of 400 leave a distance of {left:.1g}"
