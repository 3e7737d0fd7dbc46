"""The statements of the page on statistical queries and the local model."""

import itertools
import math

import numpy as np
from scipy.stats import binom

from dplib.queries import (
    SQOracle, adversarial_oracle, exact_oracle, local_oracle, local_oracle_size, local_simulation_plan, simulate_local_protocol,
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


# --- conversations ----------------------------------------------------------------------------------------------------------------

asked_in_conversation = page_function("queries-and-local", "asked_in_conversation")


def talks(epsilon, draws, people, turns, rare=1e-3):
    """What people may say: for each a private report of everything that they say together, with 2**turns values; whether a bit is
    turned over, by what was said before; who is made up for drafts; how many real people hold each of three records.

    The first person tells a bit by randomised response, which is 1 for the made-up person and 0 for nearly all real ones, and
    then says 0 rarely. All others do so too if they speak once; else they have random private reports.
    """
    later = np.array([1.])
    for _ in range(turns - 1):
        later = np.outer(later, [rare, 1 - rare]).ravel()
    extreme = np.array([np.outer(row, later).ravel() for row in two_answers(epsilon)[[1, 0, 1]]])
    channels = [extreme if i == 0 or turns == 1 else private_reports(draws, epsilon, 2**turns, 3) for i in range(people)]
    turned = {said: int(turns > 1 and k % people > 0 and draws.integers(0, 2))
              for k in range(people * turns) for said in itertools.product((0, 1), repeat=k)}
    return channels, turned, 0, np.array([.0005, .999, .0005])


def events(people):
    """What a liar may be after: among others, that the first message is unlikely and the next one of the same person is 0, which is
    also what is reported if no draft is kept; and that anybody says what is unlikely.
    """
    return (lambda said: said[0] == 1, lambda said: sum(said) % 2 == 0, lambda said: sum(said) > len(said) / 2,
            lambda said: said[0] == 1 and len(said) > people and said[people] == 0, lambda said: any(said))


SPEAKERS = ((1, 2, .3), (1, 2, 1.), (1, 3, 1.), (2, 2, .3), (2, 2, 2.), (2, 3, 1.), (6, 1, 4.))     # people, turns, epsilon


def played(channels, turned, reference, shares, turns):
    """The conversation as a tree: at each point who speaks, and for both bits the likelihood of all that the speaker has then said."""
    people, tree = len(channels), {}
    for k in range(people * turns):
        i = k % people
        for said in itertools.product((0, 1), repeat=k):
            mine = [said[j] ^ turned[said[:j]] for j in range(i, k, people)]
            branches = lambda bits: channels[i].reshape(len(shares), *[2] * turns)[:, *bits]
            begins = lambda bits: branches(bits).reshape(len(shares), -1).sum(axis=1)
            spoken = [begins([*mine, z ^ turned[said]]) for z in (0, 1)]
            likelihood = np.array([f / f[reference] for f in spoken])
            q = np.array([f[reference] for f in spoken]) / begins(mine)[reference]
            tree[said] = q, likelihood @ shares, shares @ begins(mine) / begins(mine)[reference]
    return tree


def worst_chance(tree, event, length, epsilon, tolerance, tries, asked):
    """The chance of an event if all is made up and the liar does all it can for it; the real one; the mean number of averages, for
    a truthful oracle and for the liar.
    """
    made, real, drafts, fair = {}, {}, {}, {}
    for said in itertools.product((0, 1), repeat=length):
        made[said] = real[said] = float(event(said))
        drafts[said] = fair[said] = 0.
    for k in range(length - 1, -1, -1):
        for said in itertools.product((0, 1), repeat=k):
            q, mean, so_far = tree[said]
            answers, after = (mean - math.cosh(epsilon)) / math.sinh(epsilon), [(*said, 0), (*said, 1)]
            lies = tolerance * np.array([(-1, -1), (-1, 1), (1, -1), (1, 1)])
            laws = simulated_report_probabilities(q, answers + lies, epsilon=epsilon, tries=tries)
            kept = math.exp(-epsilon) * (np.clip(math.cosh(epsilon) + (answers + lies) * math.sinh(epsilon),
                                                 math.exp(-epsilon), math.exp(epsilon)) @ q)
            made[said] = max(law @ [made[z] for z in after] for law in laws)
            real[said] = q * mean / so_far @ [real[z] for z in after]
            drafts[said] = max((1 - (1 - rate)**tries) / rate + law @ [drafts[z] for z in after] for law, rate in zip(laws, kept))
            fair[said] = math.exp(epsilon) / so_far + q * mean / so_far @ [fair[z] for z in after]
    return made[()], real[()], drafts[()] / asked, fair[()] / (length * math.exp(epsilon))


def messages_plan(split=True, tries=lambda number, epsilon: number, scale=math.sinh):
    """The theorem's tolerance and number of drafts, with room for a mistake."""
    def choose(*, users, messages, epsilon, beta):
        t = beta / (2 * (messages if split else 1))
        number = math.log(2 * messages / beta) / -math.log1p(-math.exp(-2 * epsilon))
        return t / scale(epsilon), math.ceil(tries(number, epsilon))
    return choose


@claim("thm-conversation", local_simulation_plan, asked_in_conversation,
       mutants={"N forgotten": (messages_plan(split=False), asked_in_conversation),
                "drafts as for one message": (messages_plan(tries=lambda number, epsilon:
                    number * math.log1p(-math.exp(-2 * epsilon)) / math.log1p(-math.exp(-epsilon))), asked_in_conversation),
                "half of the drafts": (messages_plan(tries=lambda number, epsilon: number / 2), asked_in_conversation),
                "the scale of one person's draft forgotten": (messages_plan(scale=lambda epsilon: .25), asked_in_conversation),
                "as if every draft were kept": (local_simulation_plan, lambda messages, epsilon, beta: messages)})
def test_conversations(plan, asked):
    """Enumerate conversations of up to six people who speak up to three times each and react to each other; let a liar do
    all it can for or against several events, by going back from the end; no chance may be more than β from the real one,
    nor the mean number of averages above the theorem's. With exact answers a message takes e^ε averages.
    """
    furthest, dearest, off, draws = 0., 0., 0., np.random.default_rng(12)
    for (people, turns, epsilon), beta in itertools.product(SPEAKERS, (.001, .1)):
        length = people * turns
        channels, turned, reference, shares = talks(epsilon, draws, people, turns)
        tree = played(channels, turned, reference, shares, turns)
        tolerance, tries = plan(users=people, messages=length, epsilon=epsilon, beta=beta)
        most = asked(length, epsilon, beta)
        for event in events(people):
            for wanted in (event, lambda said, event=event: not event(said)):
                made, real, drafts, fair = worst_chance(tree, wanted, length, epsilon, tolerance, tries, most)
                furthest, dearest, off = max(furthest, (made - real) / beta), max(dearest, drafts), max(off, abs(fair - 1))
    assert furthest <= 1 and dearest <= 1 and off < 1e-9, (furthest, dearest, off)
    return f"chances are off by at most {furthest:.2f} β; averages at most {dearest:.2f} of the bound, and e^ε a message {to(off)}"


def in_conversation(remembers=True, everybody=False, divided=False):
    """A second simulator for several messages of one person, with room for mistakes."""
    def simulate(oracle, protocol, *, users, reference, epsilon, tries, speakers, rng):
        reports, said = [], {}
        for person in speakers:
            channel = protocol(tuple(reports))
            before = list(said.get(0 if everybody else person, []) if remembers else [])
            q = channel(np.atleast_1d(float(reference)))[0]

            def likelihood(x, z, before=before, channel=channel, q=q):
                product = channel(x)[:, z] / q[z]
                for other, told in before:
                    product = product * other(x)[:, told] / other(np.atleast_1d(float(reference)))[0][told]
                return product / (channel(x)[:, z] / q[z] if divided else 1)
            for _ in range(tries):
                z = int(rng.choice(len(q), p=q))
                answer = oracle(lambda x, z=z: (likelihood(x, z) - math.cosh(epsilon)) / math.sinh(epsilon))
                mean = np.clip(math.cosh(epsilon) + answer * math.sinh(epsilon), math.exp(-epsilon), math.exp(epsilon))
                if rng.random() < math.exp(-epsilon) * mean:
                    break
            else:
                z = 0
            reports.append(z)
            said.setdefault(0 if everybody else person, []).append((channel, z))
        return np.array(reports)
    return simulate


@claim("thm-conversation", simulate_local_protocol,
       mutants={"each message by itself": in_conversation(remembers=False), "all people are one": in_conversation(everybody=True),
                "the new message left out": in_conversation(divided=True)})
def test_made_up_conversations(simulate):
    """Make up 1000 conversations in which the first person speaks, then the second, then the first again, the last in a way
    that depends on both; compare with the exact distribution of real ones. Forgetting what was said is missed less than once in
    3,000.
    """
    first, other = two_answers(1.25), two_answers(2.5)
    ways = {0: lambda x: first[x.astype(int)], 1: lambda x: other[x.astype(int)],
            2: lambda x: first[x.astype(int)], 3: lambda x: first[1 - x.astype(int)]}
    protocol = lambda said: ways[len(said)] if len(said) < 2 else ways[2 + (said[0] ^ said[1])]
    oracle, rng, runs = exact_oracle([0, 1], [.5, .5]), np.random.default_rng(13), 1000
    made = [simulate(oracle, protocol, users=2, speakers=[0, 1, 0], reference=0, epsilon=2.5, tries=400, rng=rng) @ [4, 2, 1]
            for _ in range(runs)]
    law = np.zeros(8)
    for (a, chance), (b, others) in itertools.product(enumerate((.5, .5)), repeat=2):
        for z in itertools.product((0, 1), repeat=3):
            last = first[a if z[0] == z[1] else 1 - a, z[2]]
            law[4 * z[0] + 2 * z[1] + z[2]] += chance * others * first[a, z[0]] * other[b, z[1]] * last
    value = chi_square(np.bincount(made, minlength=8), law)
    assert value > LEVEL, value
    return f"p-value {value:.2g}, {oracle.calls / runs / 3:.2f} averages a message, where e^ε is {math.exp(2.5):.2f}"


@claim("cor-learners", local_oracle_size, local_simulation_plan,
       mutants={"people of one group for all": (people(groups=False), local_simulation_plan),
                "people as without privacy": (people(scale=lambda epsilon: 1), local_simulation_plan),
                "N forgotten": (local_oracle_size, messages_plan(split=False)),
                "half of the drafts": (local_oracle_size, messages_plan(tries=lambda number, epsilon: number / 2))})
def test_failures_double_at_most(size, plan):
    """Enumerate learners who are wrong after certain conversations of up to six people, and the worst liar for each: wrong at most
    twice as often as with real people. And compute, exactly, how often a learner who is wrong with probability β for every
    oracle, and surely if one of 20 answers is off, is wrong with the reports of the theorem.
    """
    worst, draws = 0., np.random.default_rng(14)
    for people_, turns, epsilon in SPEAKERS:
        length = people_ * turns
        channels, turned, reference, shares = talks(epsilon, draws, people_, turns)
        tree = played(channels, turned, reference, shares, turns)
        for wrong in events(people_):
            beta = worst_chance(tree, wrong, length, epsilon, 0., 10**6, 1)[1]
            if 0 < beta < .2:
                tolerance, tries = plan(users=people_, messages=length, epsilon=epsilon, beta=beta)
                worst = max(worst, worst_chance(tree, wrong, length, epsilon, tolerance, tries, 1)[0] / (2 * beta))
    both = 0.
    for epsilon, tolerance, beta in itertools.product((.2, 1., 5.), (.1, .3), (.05, .3)):
        c, each = 1 / math.tanh(epsilon / 2), int(size(queries=20, tolerance=tolerance, epsilon=epsilon, beta=beta)) // 20
        off = 2 * binom.sf(math.floor(each * (1 + tolerance / c) / 2), each, .5)
        both = max(both, (1 - (1 - beta) * max(0, 1 - off)**20) / (2 * beta))
    assert worst <= 1 and both <= 1, (worst, both)
    return f"wrong at most {worst:.3f} and {both:.3f} times as often as is allowed"


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
