"""The statements of the page on parities."""

import functools
import itertools
import math

import mpmath
import numpy as np
from scipy.stats import skellam

from dplib.parity import (
    eliminate_parities, learn_parity_locally, local_parity_success, parity_information, parity_pac_sample_size,
    parity_sample_size_lower_bound, parity_success_probability, private_parity, walsh_hadamard)
from dplib.parity.equations import _coins
from dplib.queries import adversarial_oracle
from tests.chance import FAR, LEVEL, chi_square, standard_errors
from tests.claims import claim, page_function, to

EPSILONS = (.25, 1., 2.5)
answer_distribution, real_epsilon = (page_function("parity", name) for name in ("answer_distribution", "real_epsilon"))


def subsets(d):
    """All of them, in the order of the tables: question j adds 2**j."""
    return np.arange(2**d)[:, None] >> np.arange(d) & 1


def place(answers):
    """Where an answer stands among all subsets; behind them, a refusal."""
    d = answers.shape[-1]
    return np.where(answers[..., 0] < 0, 2**d, answers.astype(int) @ (1 << np.arange(d)))


@functools.cache
def signs(d):
    """The parities as a matrix, one in each row."""
    return (-1.) ** (subsets(d) @ subsets(d).T)


# --- averages ---------------------------------------------------------------------------------------------------------

def steps(sign=-1., skipped=0):
    """The transform, one question after the other."""
    def transform(values):
        values = np.asarray(values, dtype=float)
        shape, d = values.shape, int(np.log2(values.shape[-1]))
        for j in range(skipped, d):
            pairs = values.reshape(*shape[:-1], -1, 2, 2**j)
            values = np.stack([pairs[..., 0, :] + pairs[..., 1, :], pairs[..., 0, :] + sign * pairs[..., 1, :]], axis=-2).reshape(shape)
        return values
    return transform


@claim("prop-parities", walsh_hadamard,
       mutants={"one question left out": steps(skipped=1), "sums without signs": steps(sign=1.),
                "waves in place of parities": lambda values: np.fft.fft(values).real})
def test_orthogonality(transform):
    """Take the sums of every single x, which are the parities; compare all pairs of them, with up to 8 questions; and
    compare the two sides of the sum of squares for random functions.
    """
    worst = 0
    for d in range(1, 9):
        parities = transform(np.eye(2**d))
        assert np.array_equal(np.unique(parities), [-1, 1]) and np.array_equal(parities, signs(d))
        same = (parities[:, None, :64] == parities[None, :64, :64]).mean(axis=-1) if d <= 6 else np.full((1, 1), .5)
        off = ~np.eye(*same.shape, dtype=bool)
        assert np.array_equal(parities @ parities.T, 2**d * np.eye(2**d)) and np.all(same[off] == .5)
        f = np.random.default_rng(d).normal(size=(5, 2**d))
        left, right = ((transform(f) / 2**d) ** 2).sum(axis=-1), (f**2).mean(axis=-1)
        worst = max(worst, np.abs(left / right - 1).max())
    assert worst < 1e-12
    return f"all pairs of up to 256 parities; the sums of squares agree {to(worst)}"


def slow_game(queries, *, tolerance, both_sides=True, remembers=True, coin_labels=True):
    """For every subset the true averages, one by one."""
    labels = subsets(int(np.log2(queries.shape[-2]))) @ subsets(int(np.log2(queries.shape[-2]))).T % 2
    answers = queries.mean(axis=(-2, -1)) if coin_labels else queries[..., 0].mean(axis=-1)
    truth = np.where(labels.T, queries[:, None, :, 1], queries[:, None, :, 0]).mean(axis=-1)
    off = truth - answers[:, None]
    survives = (np.abs(off) if both_sides else off) <= tolerance
    return np.logical_and.accumulate(survives) if remembers else survives


def bent(d, a):
    """The sharpest queries: the parity of products of pairs of questions, times every parity of the others."""
    bits = subsets(d)
    first = (-1.) ** (bits[:, :a] * bits[:, a:2 * a]).sum(axis=1)
    others = (-1.) ** (bits[:, 2 * a:] @ subsets(d - 2 * a).T).T if d > 2 * a else np.ones((1, 2**d))
    return np.stack([first * others, -first * others], axis=-1)


queries_for = page_function("parity", "queries_for")


@claim("thm-parity-sq", eliminate_parities, queries_for,
       mutants={"only answers that are too small": (functools.partial(slow_game, both_sides=False), queries_for),
                "each query by itself": (functools.partial(slow_game, remembers=False), queries_for),
                "answers for labels that are all 0": (functools.partial(slow_game, coin_labels=False), queries_for),
                "the tolerance not squared": (eliminate_parities, lambda dimension, tolerance, gamma, chance:
                    tolerance * (chance * 2.**dimension - gamma**-2)),
                "the rule's advantage not squared": (eliminate_parities, lambda dimension, tolerance, gamma, chance:
                    tolerance**2 * (chance * 2.**dimension - 1 / gamma))})
def test_elimination(game, queries_for):
    """Play the game with random queries and with the sharpest ones; let an oracle that knows the subset confirm that no
    answer is off by more than τ; then let the learner name the best rule that we know, and compare its exact chance with
    the number of queries that the theorem asks for.
    """
    closest, runs = 0, 0
    for d, a, tolerance in ((4, 1, .49), (4, 2, .249), (6, 2, .24), (6, 3, .12), (8, 3, .124), (8, 2, .2)):
        rng = np.random.default_rng(d)
        sharp = bent(d, a)
        for queries in (sharp[:1], sharp, rng.uniform(-1, 1, (9, 2**d, 2)), np.sign(rng.normal(size=(9, 2**d, 2))), sharp[:0]):
            alive = game(queries, tolerance=tolerance)
            left = alive[-1] if len(alive) else np.ones(2**d, dtype=bool)
            true = np.where(signs(d) > 0, queries[:, None, :, 0], queries[:, None, :, 1]).mean(axis=-1)
            allowed = np.logical_and.accumulate(np.abs(true - queries.mean(axis=(-2, -1))[:, None]) <= tolerance)
            assert np.array_equal(alive, allowed)
            for b in range(1, d // 2 + 1):
                rule = bent(d, b)[0, :, 0]
                close = signs(d) @ rule / 2**d >= 2.**-b
                chance = np.mean(~left | close)                # ruled out: taken for found
                needed = queries_for(d, tolerance, 2.**-b, chance)
                assert needed <= len(queries) + 1e-9, (d, b, needed)
                closest, runs = max(closest, needed / max(1, len(queries))), runs + 1
    assert closest > .9
    return f"{runs} games; the theorem asks for at most {closest:.3f} of the queries that were asked"


def named_by_averages(oracle, d, a):
    """The subset that the learner of exercise 7 (d) names."""
    bits, asked = subsets(d), signs(d)
    bent = (-1.) ** (bits[:, :a] * bits[:, a:2 * a]).sum(axis=1)
    ask = lambda s: oracle(lambda x: (1 - 2 * x[:, 1]) * (bent * asked[s])[x[:, 0].astype(int)])
    answers = {s: ask(s) for s in range(0, 2**d, 4**a)}
    rest = max(answers, key=lambda s: abs(answers[s]))
    return rest + sum(2 ** ((j + a) % (2 * a)) for j in range(2 * a) if ask(rest + 2**j) * answers[rest] < 0)


@claim("thm-parity-sq", queries_for,
       mutants={"the tolerance to the power of 1": lambda dimension, tolerance, gamma, chance:
                    tolerance * (chance * 2.**dimension - gamma**-2),
                "the tolerance to the power of 3": lambda dimension, tolerance, gamma, chance:
                    tolerance**3 * (chance * 2.**dimension - gamma**-2),
                "half of the questions": lambda dimension, tolerance, gamma, chance:
                    tolerance**2 * (chance * 2.**(dimension / 2) - gamma**-2)})
def test_averages_that_are_enough(queries_for):
    """Let the learner of exercise 7 name every subset of up to nine questions, from liars who answer as if there were nothing to
    see, push all answers up or down, or tell less than half; it may never fail. The number that the theorem asks for may not
    be larger than its number of queries, and must be at least a 17th of it.
    """
    ratios, runs = [], 0
    for d, a in ((3, 1), (4, 1), (5, 2), (6, 2), (7, 2), (9, 3)):
        tolerance, labels = 2.**(-a - 1) * (1 - 1e-9), subsets(d) @ subsets(d).T % 2
        for hidden in range(0, 2**d, max(1, 2**d // 64)):
            people = np.column_stack([np.arange(2**d), labels[hidden]])
            for aim in (lambda phi: 0, lambda phi: 1, lambda phi: -1, lambda phi: -1e-3):
                liar = adversarial_oracle(people, np.full(2**d, 2.**-d), tolerance=tolerance, aim=aim)
                assert named_by_averages(liar, d, a) == hidden
                assert liar.calls == 2**(d - 2 * a) + 2 * a
                runs += 1
        ratios.append(queries_for(d, tolerance, 1., 1.) / 2**(d - 2 * a))
        tight = queries_for(d, tolerance / 2 * (1 + 1e-8), 1., 1.) / 2**(d - 2 * a)      # the largest a for this tolerance too
        assert 1 / 17 < tight + 1 / 2**d <= ratios[-1] + 1 / 2**d <= 1
    return f"{runs} liars, all in vain; the theorem asks for {min(ratios):.2f} to {max(ratios):.2f} of the main part of the queries"


# --- reports ----------------------------------------------------------------------------------------------------------

def pattern_spread(a, b, d):
    """The sum over all subsets of χ², for the randomiser of all shifts of one output with probabilities a ± b, and the
    smallest ratio P_s/Q."""
    shifts = np.arange(2**d)
    a, b = a / a.sum() / 2, b / a.sum() / 2                    # of 2 · 2^d outputs: by shifts of x and of the label
    columns = shifts[:, None] ^ shifts
    Q = a[columns].mean(axis=1)
    gap = walsh_hadamard(b[columns]) / 2**d                    # output by subset; with the label shifted, its negative
    return 2 * (gap**2 / Q[:, None]).sum(), 1 - (np.abs(gap) / Q[:, None]).max()


def least_ratio(epsilon):
    """The statement: P_s is at least so many times Q."""
    return 1 - math.tanh(epsilon / 2)


@claim("lem-report", parity_information, least_ratio,
       mutants={"tanh² for every epsilon": (lambda epsilon: np.tanh(epsilon / 2) ** 2, least_ratio),
                "the second form for every epsilon": (lambda epsilon: np.expm1(epsilon) / 8, least_ratio),
                "sinh² in place of tanh²": (lambda epsilon: np.sinh(epsilon / 2) ** 2, least_ratio),
                "half of it": (lambda epsilon: parity_information(epsilon=epsilon) / 2, least_ratio),
                "no report but the fair half": (parity_information, lambda epsilon: 1 - math.tanh(epsilon / 2) / 2),
                "epsilon in place of epsilon/2": (parity_information, lambda epsilon: 1 - math.tanh(epsilon))})
def test_information(information, least):
    """Build randomisers with every share of people whose report depends on the label, and random ones, and add up the χ²
    divergences over all subsets. None may exceed κ; the best one must reach 99% of it. The same for the smallest ratio.
    """
    d, reach, rng = 7, {}, np.random.default_rng(3)
    for epsilon in (.1, .5, 1., 1.2, 1.6, 2., 3., 4.):
        u, best, lowest = math.expm1(epsilon), 0, np.inf
        for split in range(1, 2**d + 1):
            a, b = np.where(np.arange(2**d) < split, 1 + u / 2, 1), np.where(np.arange(2**d) < split, u / 2, 0)
            spread, ratio = pattern_spread(a, b, d)
            best, lowest = max(best, spread), min(lowest, ratio)
        for _ in range(20):
            low, high = 1 + u * rng.beta(.3, .3, (2, 2**d))
            best = max(best, pattern_spread((low + high) / 2, (high - low) / 2, d)[0])
        whole = pattern_spread(np.full(2**d, 1 + u / 2), u / 2 * signs(d)[5], d)
        best, lowest = max(best, whole[0]), min(lowest, whole[1])
        reach[epsilon] = best / float(information(epsilon=epsilon))
        assert .99 < reach[epsilon] <= 1 + 1e-9, (epsilon, reach)
        assert abs(lowest - least(epsilon)) < 1e-9, (epsilon, lowest)
    return f"the best randomisers reach {min(reach.values()):.4f} to {max(reach.values()):.4f} of κ"


in_conversation = page_function("parity", "in_conversation")


def by_information(d, epsilon, rho, gamma):
    """The least n for which the inequalities of the proof allow a good rule with probability rho, with 40 digits."""
    with mpmath.workdps(40):
        kappa = mpmath.tanh(mpmath.mpf(epsilon) / 2) ** 2 if epsilon <= math.log(3) else mpmath.expm1(epsilon) / 8
        entropy, rho, close = d * mpmath.log(2), mpmath.mpf(rho), mpmath.mpf(gamma) ** -2
        fano = lambda n: entropy - n * kappa / 2**d <= mpmath.log(2) + rho * mpmath.log(close) + (1 - rho) * entropy
        pinsker = lambda n: rho <= close / 2**d + mpmath.sqrt(n * kappa / 2**d / 2)
        low, high = -1, 2**60
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if fano(middle) and pinsker(middle) else (middle, high)
        return high


def bound_once_more(unit=math.log(2), guess=1., budget=1., pinsker=True, weak=2.):
    """The larger of the two numbers, with switches."""
    def bound(*, dimension, epsilon, beta, advantage=1.):
        close = advantage ** -weak
        fano, other = ((1 - beta) * (dimension - math.log2(close)) - guess) * unit, 2 * max(0, 1 - beta - close / 2**dimension) ** 2
        return max(0, math.ceil(2.**dimension * (max(fano, other) if pinsker else fano) / parity_information(epsilon=budget * epsilon)))
    return bound


def told_bit(values, epsilon, rng):
    """A private report of a bit, a row for each bit: half of the time randomised response, spread over the values."""
    high = rng.permutation(values) < values // 2
    rows = np.array([high, ~high if rng.random() < .5 else rng.permutation(high)]) * math.expm1(epsilon) + 1.
    rows /= rows.sum(axis=1, keepdims=True)
    while (rows.max(axis=0) / rows.min(axis=0)).max() > math.exp(epsilon) * (1 + 1e-12):
        rows = .9 * rows + .1 * rows.mean(axis=0)
    return rows


def conversations(d, people, epsilon, rng, turns=2):
    """Exact distributions of all that is said, under each subset and with coins as labels. People speak in turn, `turns` times
    each. All that one person says is decided by one private report with 2**turns values, which depends on a parity and the
    label; what it is about, and whether a bit is turned over, depends on what was said before.
    """
    records, chances, coins = subsets(d), [], []
    wide = [told_bit(2**turns, epsilon, rng) for _ in range(people)]
    tasks, turned = {}, {}
    for said in itertools.product((0, 1), repeat=people * turns):
        under, fair = np.ones(2**d), 1.
        for i in range(people):
            task = tasks.setdefault(said[:i], int(rng.integers(0, 2**d)))
            mine = [said[t * people + i] ^ turned.setdefault(said[:t * people + i], int(rng.integers(0, 2))) for t in range(turns)]
            factor = wide[i][:, int("".join(map(str, mine)), 2)]
            told = (records @ records[task] + (records @ records.T)) % 2                   # by subset and x: the bit that is told
            under, fair = under * factor[told].mean(axis=1), fair * factor.mean()
        chances.append(under)
        coins.append(fair)
    ratio = max((rows.max(axis=0) / rows.min(axis=0)).max() for rows in wide)
    return np.array(chances).T, np.array(coins), ratio


def best_chance(chances, gamma):
    """How often the best rule is good, over a uniform hidden subset: all rules are tried after each conversation."""
    size = chances.shape[0]
    rules = (-1.) ** (np.arange(2**size)[:, None] >> np.arange(size) & 1)
    close = rules @ signs(size.bit_length() - 1) / size >= gamma - 1e-12
    return (close @ chances).max(axis=0).sum() / size


@claim("thm-parity-local", parity_sample_size_lower_bound, in_conversation,
       mutants={"Fano in bits": (bound_once_more(unit=1.), in_conversation),
                "the guess for free": (bound_once_more(guess=0.), in_conversation),
                "κ of twice the epsilon": (bound_once_more(budget=2.), in_conversation),
                "Fano only": (bound_once_more(pinsker=False), in_conversation),
                "1/γ close subsets": (bound_once_more(weak=1.), in_conversation),
                "a conversation as if all at once": (parity_sample_size_lower_bound, lambda d, epsilon, rho, gamma=1:
                    in_conversation(d, epsilon, rho, gamma) * (1 + math.exp(epsilon)) / 2),
                "the inverse of the factor": (parity_sample_size_lower_bound, lambda d, epsilon, rho, gamma=1:
                    in_conversation(d, epsilon, rho, gamma) * ((1 + math.exp(epsilon)) / 2) ** 2),
                "a weak rule as hard to find as the subset": (parity_sample_size_lower_bound, lambda d, epsilon, rho, gamma=1:
                    in_conversation(d, epsilon, rho))})
def test_lower_bounds(bound, conversation):
    """Solve the inequalities of the proof in 40 digits and compare. List all conversations of two or three people who speak up to
    three times, about what was said before; compare divergences, and the best of all rules, with the bounds. And no protocol
    of the page may need fewer people.
    """
    for d, epsilon, rho, gamma in itertools.product((1, 2, 5, 12, 20), (.1, 1., 1.5, 3.), (.6, .95), (1., .5, .1)):
        if rho > gamma**-2 / 2**d:
            assert int(bound(dimension=d, epsilon=epsilon, beta=1 - rho, advantage=gamma)) == by_information(d, epsilon, rho, gamma)
            plain = 2.**(d + 1) * (rho - gamma**-2 / 2.**d) ** 2 / float(parity_information(epsilon=epsilon))
            assert abs(conversation(d, epsilon, rho, gamma) / plain * (1 + math.exp(epsilon)) / 2 - 1) < 1e-9
    rng, closest, least = np.random.default_rng(5), 0, np.inf
    for d, (people, turns), epsilon in itertools.product((1, 2, 3), ((1, 1), (1, 3), (2, 2), (3, 2), (5, 1)), (.3, 1., 2.5)):
        chances, coins, ratio = conversations(d, people, epsilon, rng, turns)
        assert abs(chances.sum(axis=1) - 1).max() < 1e-12 and abs(coins.sum() - 1) < 1e-12 and ratio <= math.exp(epsilon) + 1e-9
        allowed = people * float(parity_information(epsilon=epsilon)) * (1 + math.exp(epsilon)) / 2
        closest = max(closest, (coins * np.log(coins / chances)).sum() / allowed)
        for gamma in (1., .5, .25):
            least = min(least, people - conversation(d, epsilon, best_chance(chances, gamma), gamma))
    assert closest <= 1 and least >= 0
    for d, epsilon in itertools.product((3, 8), EPSILONS):
        n = int(bound(dimension=d, epsilon=epsilon, beta=.25))
        assert local_parity_success(size=max(1, n - 1), dimension=d, epsilon=epsilon) < .75
    return f"all settings agree exactly; divergences of conversations up to {closest:.2f} of what is allowed"


# --- a masked parity --------------------------------------------------------------------------------------------------

learn_masked, at_once = page_function("parity", "learn_masked"), page_function("parity", "at_once")


def masked(d, s, a):
    """All records with their labels: x, i, b, y."""
    x, i, b = (part.ravel() for part in np.meshgrid(np.arange(2**d), np.arange(d), (0, 1)))
    y = np.where(b == 1, subsets(d)[s, i], (subsets(d)[x] @ subsets(d)[s] + a) % 2)
    return np.column_stack([subsets(d)[x], i, b, y])


def fixed_cap(m, tolerance, d):
    """The statement: more than this is impossible with queries that are fixed beforehand."""
    return .5 + m / (8 * tolerance**2 * 2.**d)


def listener(mask=0, own=False):
    """The learner once more: on the table of all records, with switches."""
    def learn(oracle, d):
        single = [oracle(lambda x, j=j: np.where((x[:, -2] == 1 - mask) & (x[:, -3] == j), 1 - 2 * x[:, -1], 0)) for j in range(d)]
        s = np.array(single) < 0
        parity = lambda x: 0 * x[:, 0] if own else x[:, :d] @ s
        return s, oracle(lambda x: np.where(x[:, -2] == mask, 1 - 2 * ((x[:, -1] + parity(x)) % 2), 0)) < 0
    return learn


@claim("thm-masked", learn_masked, fixed_cap, at_once,
       mutants={"the wrong half of the people": (listener(mask=1), fixed_cap, at_once),
                "the bit without the subset": (listener(own=True), fixed_cap, at_once),
                "the cap with the tolerance once": (learn_masked, lambda m, tolerance, d: .5 + m / (8 * tolerance * 2.**d), at_once),
                "a cap of half as much": (learn_masked, lambda m, tolerance, d: .5 + m / (16 * tolerance**2 * 2.**d), at_once),
                "the lead over a coin not squared": (learn_masked, fixed_cap, lambda d, epsilon, rho:
                    2.**d * (2 * rho - 1) / float(parity_information(epsilon=epsilon))),
                "κ for its root": (learn_masked, fixed_cap, lambda d, epsilon, rho:
                    2.**d * (2 * rho - 1) ** 2 / float(parity_information(epsilon=epsilon)) ** 2)})
def test_masked_parity(learn, cap, people):
    """Let the learner find all subsets and bits of up to four questions against four liars; give random queries and the sharpest
    ones to the oracle of the proof, and compare the exact chance of a learner who knows the subset with the cap; and list all
    reports of up to six people who speak at once about the best questions, for the best guess of the bit.
    """
    for d in (1, 2, 3, 4):
        for s, a in itertools.product(range(2**d), (0, 1)):
            records, most = masked(d, s, a), (1 - 1e-9) / (2 * d)
            for aim in (lambda phi: 0, lambda phi: 1, lambda phi: -1, lambda phi: .1):
                liar = adversarial_oracle(records, np.full(len(records), 1 / len(records)), tolerance=most, aim=aim)
                subset, bit = learn(liar, d)
                assert np.array_equal(subset, subsets(d)[s]) and bit == a and liar.calls == d + 1
    closest = 0
    for d, a in ((2, 1), (4, 1), (4, 2), (6, 2), (6, 3)):
        for queries, size in ((bent(d, a)[..., 0], 2.**(-a - 1)), (np.sign(np.random.default_rng(d).normal(size=(5, 2**d))), .1)):
            for m, tolerance in itertools.product((1, len(queries)), (size * (1 - 1e-9), size / 2)):
                tells = (np.abs(signs(d) @ queries[:m].T / 2**d) / 2 > tolerance).any(axis=1).mean()
                chance = .5 + tells / 2
                assert chance <= cap(m, tolerance, d) + 1e-9
                closest = max(closest, (chance - .5) / (cap(m, tolerance, d) - .5))
    assert closest > .9
    reach = 0
    for d, n, epsilon in itertools.product((1, 2), range(1, 7), EPSILONS):
        t, total = math.tanh(epsilon / 2), 0.
        for s in range(2**d):                                # person j is asked about subset j mod 2^d; if b = 1, about nothing
            asked = sum(j % 2**d == s for j in range(n))
            said = np.array(list(itertools.product((0, 1), repeat=asked))).reshape(2**asked, asked)
            chance = lambda sign: np.prod(np.where(said == 0, (1 + sign * t / 2) / 2, (1 - sign * t / 2) / 2), axis=1)
            total += np.maximum(chance(1), chance(-1)).sum() / 2 / 2**d
        assert people(d, epsilon, total) <= n + 1e-9
        reach = max(reach, people(d, epsilon, total) / n)
    return (f"240 liars, all in vain; fixed queries reach {closest:.3f} of the lead that the cap allows; reports at once {reach:.2f} of "
            "the bound")


# --- one bit from everybody -------------------------------------------------------------------------------------------

def votes_one_by_one(ties="drawn", others=-1, lead=math.tanh, half=2.):
    """The chance of the right one, by the distributions of SciPy and the binomial sum over ties."""
    def chance(*, size, dimension, epsilon):
        N, mu, t = 2**dimension + others, size / 2**dimension, lead(epsilon / half)
        k = np.arange(-150, 151)
        mine, at_most = skellam.pmf(k, mu * (1 + t) / 2, mu * (1 - t) / 2), skellam.cdf(k, mu / 2, mu / 2)
        f = skellam.pmf(k, mu / 2, mu / 2)
        below = np.maximum(at_most - f, 0)
        share = {"drawn": lambda j: 1 / (1 + j), "won": lambda j: 1, "lost": lambda j: j == 0}[ties]
        return sum(math.comb(N, j) * (mine * f**j * below ** (N - j)).sum() * share(j) for j in range(N + 1))
    return chance


@claim("prop-hashed", local_parity_success,
       mutants={"ties count as won": votes_one_by_one(ties="won"), "ties count as lost": votes_one_by_one(ties="lost"),
                "one rival too many": votes_one_by_one(others=0), "epsilon in place of epsilon/2": votes_one_by_one(half=1.),
                "the coin (1 + epsilon/2)/2": votes_one_by_one(lead=lambda v: v)})
def test_chance_of_the_lead(chance):
    """Compare with the sum over all numbers of ties, with distributions of SciPy; and, where people are many, with the
    integral of the limit.
    """
    worst, right = 0, votes_one_by_one()
    for d, epsilon, size in ((1, .7, 3), (2, 1., 54), (3, 1., 170), (4, .5, 300), (4, 2., 200), (3, 3.5, 20)):
        ours = float(chance(size=size, dimension=d, epsilon=epsilon))
        worst = max(worst, abs(ours - right(size=size, dimension=d, epsilon=epsilon)))
    assert worst < 1e-9
    limit = []
    for shift in (1., 3.):
        v = np.linspace(-12, 12, 4001)
        normal = np.exp(-v**2 / 2) / math.sqrt(2 * math.pi)
        below = np.array([math.erfc(-(w + shift) / math.sqrt(2)) / 2 for w in v])
        size, epsilon = 16 * 90_000, 2 * math.atanh(shift / 300)
        if chance is local_parity_success:
            limit.append(abs(float(chance(size=size, dimension=4, epsilon=epsilon)) - np.trapezoid(normal * below**15, v)))
    assert max(limit, default=0) < 1e-4
    return f"the sums agree {to(worst)}; with 90,000 people for each subset the limit is right {to(max(limit, default=0))}"


def slow_reports(truth=None, hidden_tasks=True, random_ties=True, flipped=False):
    """The protocol once more, with switches."""
    def learn(x, y, *, epsilon, runs=False, rng):
        runs, n, d = x.shape
        tasks = rng.integers(0 if hidden_tasks else 1, 2**d, (runs, n))
        bits = (x * subsets(d)[tasks]).sum(axis=-1) + y
        honest = rng.random((runs, n)) < (truth(epsilon) if truth else 1 / (1 + math.exp(-epsilon)))
        no = (bits + ~honest + flipped) % 2 == 0
        votes = np.zeros((runs, 2**d))
        np.add.at(votes, (np.arange(runs)[:, None], tasks), np.where(no, 1, -1))
        return subsets(d)[(votes + random_ties * rng.random(votes.shape)).argmax(axis=1)]
    return learn


@claim("prop-hashed", learn_parity_locally,
       mutants={"truth with probability (1 + epsilon)/2": slow_reports(truth=lambda epsilon: min(1, (1 + epsilon) / 2)),
                "truth with probability 1/2 + epsilon/4": slow_reports(truth=lambda epsilon: .5 + epsilon / 4),
                "nobody is given the empty subset": slow_reports(hidden_tasks=False),
                "the first of several": slow_reports(random_ties=False), "yes and no exchanged": slow_reports(flipped=True)})
def test_protocol(learn):
    """List all tasks and all reports of three people, and compare with 100 000 runs; then count how often 80 people find
    one of four subsets, in 30 000 runs. A truth probability of 1/2 + epsilon/4 is missed less than once in 10^8.
    """
    x, y, epsilon, d = np.array([[1, 0], [1, 1], [0, 0]]), np.array([1, 0, 1]), 2., 2
    truth, law = 1 / (1 + math.exp(-epsilon)), np.zeros(4)
    for tasks, said in itertools.product(itertools.product(range(4), repeat=3), itertools.product((0, 1), repeat=3)):
        honest = [(subsets(2)[s] @ row + label) % 2 == r for s, row, label, r in zip(tasks, x, y, said)]
        votes = np.zeros(4)
        np.add.at(votes, list(tasks), 1 - 2 * np.array(said))
        law += math.prod(truth if h else 1 - truth for h in honest) / 64 * (votes == votes.max()) / (votes == votes.max()).sum()
    rng, runs = np.random.default_rng(6), 100_000
    answers = learn(np.broadcast_to(x, (runs, 3, 2)), np.broadcast_to(y, (runs, 3)), epsilon=epsilon, runs=True, rng=rng)
    p = chi_square(np.bincount(place(answers), minlength=4), law)
    assert p > LEVEL, p
    runs, n = 30_000, 80
    x = rng.integers(0, 2, (runs, n, d), dtype=np.int8)
    hits = np.sum(place(learn(x, x[..., 1].astype(int), epsilon=1., runs=True, rng=rng)) == 2)
    off = standard_errors(hits, runs, votes_one_by_one()(size=n, dimension=d, epsilon=1.))
    assert abs(off) < FAR + 2
    return f"p-value {p:.2g}; {hits / runs:.3f} of the runs right, {abs(off):.1f} standard errors off"


# --- equations --------------------------------------------------------------------------------------------------------

def coins_of(keep=None, refuse=None):
    """The statement under both relations, with room for a mistake."""
    def coins(epsilon, neighbor):
        p, c = ((math.tanh(epsilon / 2), 1 / (math.exp(epsilon) + 2)) if neighbor == "replace"
                else (1 - math.exp(-epsilon), 1 / (math.exp(epsilon) + 1)))
        return (keep(epsilon) if keep else p), (refuse(epsilon) if refuse else c)
    return coins


def real_epsilon_joined(n, d, keep, refuse):
    """The same as the page's, one record more or less."""
    largest = 0
    for rows in itertools.product(itertools.product((0, 1), repeat=d + 1), repeat=n):
        x = np.array(rows)
        law = np.log(answer_distribution(x[:, :d], x[:, d], keep, refuse))
        for i in range(n):
            less = np.delete(x, i, axis=0)
            largest = max(largest, np.abs(law - np.log(answer_distribution(less[:, :d], less[:, d], keep, refuse))).max())
    return largest


@claim("thm-private-parity", _coins, real_epsilon,
       mutants={"silent a fifth less": (coins_of(refuse=lambda e: .8 / (math.exp(e) + 2)), real_epsilon),
                "kept with probability epsilon": (coins_of(keep=lambda e: min(.99, e)), real_epsilon),
                "the coins for add/remove under replacement": (coins_of(keep=lambda e: 1 - math.exp(-e),
                                                                        refuse=lambda e: 1 / (math.exp(e) + 1)), real_epsilon),
                "the coins p = epsilon/4, c = 1/2, which waste": (coins_of(keep=lambda e: e / 4, refuse=lambda e: .5), real_epsilon),
                "never silent, almost": (coins_of(refuse=lambda e: 1e-9), real_epsilon)})
def test_exact_privacy(coins, real_epsilon):
    """List all data sets of up to three people with up to two questions, all neighbours under both relations, and the exact
    distribution of the answer: the largest log-ratio must be ε. Then two blocks of two.
    """
    worst = 0
    for epsilon, (n, d) in itertools.product(EPSILONS, ((1, 1), (2, 1), (3, 1), (2, 2))):
        real = real_epsilon(n, d, *coins(epsilon, "replace"))
        joined = real_epsilon_joined(n, d, *coins(epsilon, "add_remove"))
        worst = max(worst, abs(real - epsilon), abs(joined - epsilon))
    assert worst < 1e-9, worst
    records = list(itertools.product((0, 1), repeat=2))
    for epsilon in EPSILONS:
        keep, refuse = coins(epsilon, "replace")
        one = {rows: answer_distribution(np.array(rows)[:, :1], np.array(rows)[:, 1], keep, refuse)
               for rows in itertools.product(records, repeat=2)}
        both = {(a, b): np.log(np.append(p[:2] + p[2] * q[:2], p[2] * q[2])) for a, p in one.items() for b, q in one.items()}
        for (a, b), law in both.items():
            for i, new in itertools.product(range(2), records):
                replaced = lambda rows: (*rows[:i], new, *rows[i + 1:])
                assert max(np.abs(law - both[replaced(a), b]).max(), np.abs(law - both[a, replaced(b)]).max()) <= epsilon + 1e-9
    return f"the real parameter is the promised one {to(worst)}, under both relations"


def by_trying(put_back=False, uniform=True, shared=False, silent=True, relation="replace"):
    """The mechanism once more: every subset is tried, with switches."""
    def learn(x, y, *, epsilon, neighbor="replace", blocks=1, runs=False, rng):
        runs, n, d = x.shape
        keep, refuse = coins_of()(epsilon, relation)
        kept = rng.random((runs, blocks, n)) < keep
        if put_back:
            kept = (rng.random((runs, blocks, n, n)) < keep / n).any(axis=-2)
        kept &= shared | (np.arange(n) % blocks == np.arange(blocks)[:, None])
        wrong = (x @ subsets(d).T + y[..., None]) % 2
        fits = np.einsum("rbn,rns->rbs", kept.astype(float), wrong.astype(float)) == 0
        choice = (fits * (rng.random(fits.shape) + 1 if uniform else 1)).argmax(axis=-1)
        answers = fits.any(axis=-1) & ~(silent & (rng.random((runs, blocks)) < refuse))
        first = np.take_along_axis(choice, answers.argmax(axis=-1)[:, None], axis=-1)[:, 0]
        return np.where(answers.any(axis=-1)[:, None], subsets(d)[first], -1)
    return learn


@claim("thm-private-parity", private_parity,
       mutants={"records drawn with replacement": by_trying(put_back=True),
                "the first solution in place of a uniform one": by_trying(uniform=False),
                "blocks that share records": by_trying(shared=True), "never silent of its own accord": by_trying(silent=False),
                "the coins for add/remove": by_trying(relation="add_remove")})
def test_draws_of_the_mechanism(learn):
    """Count 100 000 answers on each of five data sets, contradictory ones too, with one and with two blocks, and compare with
    the exact distribution. The least p-value may be 10^-8.
    """
    rng, least, runs, epsilon = np.random.default_rng(7), 1, 100_000, 1.2
    p, c = coins_of()(epsilon, "replace")
    for rows, blocks in (((0, 0, 1),) * 2, 1), (((1, 0, 1), (1, 1, 0), (0, 1, 1), (1, 0, 1)), 1), (((1, 0, 1), (1, 0, 0), (0, 1, 1)), 1), (
            ((1, 0, 1), (0, 1, 1), (1, 1, 0), (1, 0, 0)), 2), (((1, 1, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (1, 0, 1)), 2):
        data = np.array(rows)
        law, quiet = np.zeros(5), 1.
        for j in range(blocks):
            block = answer_distribution(data[j::blocks, :2], data[j::blocks, 2], p, c)
            law[:4] += quiet * block[:4]
            quiet *= block[4]
        law = np.append(law[:4].reshape(2, 2).T.ravel(), quiet)          # the page counts questions from the other end
        x, y = np.broadcast_to(data[:, :2], (runs, len(rows), 2)), np.broadcast_to(data[:, 2], (runs, len(rows)))
        counts = np.bincount(place(learn(x, y, epsilon=epsilon, neighbor="replace", blocks=blocks, runs=True, rng=rng)), minlength=5)
        assert not counts[law == 0].any()
        least = min(least, chi_square(counts, law))
    assert least > LEVEL, least
    return f"the least of five p-values is {least:.2g}"


def chances_by_rank(shift=0, counted_twice=False, first=True, wrong_fits=lambda r, m: (2**r - 1) / max(1, 2**m - 1), dirty=True):
    """The chance of the right answer from the distribution of the rank of m uniform rows, with switches."""
    def chance(*, size, dimension, wrong=0., epsilon, neighbor="replace", blocks=1):
        p, c = coins_of()(epsilon, "replace")
        n, s, fits = size // blocks, 0., 0.
        for m in range(n + 1):
            kept = math.comb(n, m) * p**m * (1 - p) ** (n - m)
            for r, rank in enumerate(rank_distribution(m, dimension)):
                sound = (1 - wrong) ** m
                s += kept * rank * sound * 2. ** min(0, r - dimension + shift)
                fits += kept * rank * (sound + dirty * (1 - sound) * wrong_fits(r, m))
        s, b = s * (1 - c) * (1 - c if counted_twice else 1), 1 - (1 - c) * fits
        return s * ((1 - b**blocks) / (1 - b) if first else blocks)
    return chance


@functools.cache
def rank_distribution(m, d):
    """By counting: all matrices, m rows of d bits."""
    counts = np.zeros(d + 1)
    for rows in itertools.product(range(2**d), repeat=m):
        spanned = {0}
        for row in rows:
            spanned |= {row ^ other for other in spanned}
        counts[len(spanned).bit_length() - 1] += 1
    return counts / counts.sum()


@claim("prop-parity-size", parity_success_probability,
       mutants={"a solution too few to choose from": chances_by_rank(shift=1), "silence paid twice": chances_by_rank(counted_twice=True),
                "every block has its chance": chances_by_rank(first=False)})
def test_chance_of_the_curator(chance):
    """Count the ranks of all matrices of up to five rows with two questions, and of up to four with three."""
    worst, right, settings = 0, chances_by_rank(), 0
    for (d, n), epsilon, blocks in itertools.product(((1, 3), (2, 5), (3, 4)), EPSILONS, (1, 2, 3)):
        setting = dict(size=n * blocks, dimension=d, epsilon=epsilon, blocks=blocks)
        worst, settings = max(worst, abs(float(chance(**setting, neighbor="replace")) - right(**setting))), settings + 1
    assert worst < 1e-12
    return f"the chances agree {to(worst)} in {settings} settings"


def spans(d):
    """All subspaces of {0, 1}^d as sets of places, and where each goes with one vector more."""
    found, todo, grown = {frozenset([0])}, [frozenset([0])], {}
    while todo:
        space = todo.pop()
        for x in range(2**d):
            grown[space, x] = larger = space | {x ^ other for other in space}
            if larger not in found:
                found.add(larger)
                todo.append(larger)
    return found, grown


def exact_failure(d, chances, accuracy, people, blocks, epsilon):
    """How often elimination refuses or names a bad parity: all spans of the kept records, one person after the other. The hidden
    subset is 0, as good as any."""
    p, c = coins_of()(epsilon, "replace")
    found, grown = spans(d)
    bad = chances @ (signs(d) < 0) >= accuracy - 1e-12
    at = {space: float(len(space) == 1) for space in found}
    for _ in range(people // blocks):
        new = {space: (1 - p) * chance for space, chance in at.items()}
        for space, chance in at.items():
            for x in np.flatnonzero(chances) if chance else ():
                new[grown[space, int(x)]] += p * chance * chances[x]
        at = new
    share = {space: np.mean(bad[np.all(signs(d)[:, list(space)] > 0, axis=1)]) for space in found}
    return c**blocks + (1 - c**blocks) * sum(chance * share[space] for space, chance in at.items())


def pac_once_more(half=.5, subsets_of=lambda d: 2**d - 1, keep=None, silence=1., blocks=None):
    """The statement's numbers: the best number of blocks by trying all up to 40, with switches."""
    def size(*, dimension, accuracy, epsilon, beta):
        p, c = coins_of(keep=keep)(epsilon, "replace")
        found = []
        for k in range(1, 41):
            if silence * c**k < beta:
                n = math.ceil(math.log(half * subsets_of(dimension) * (1 - c**k) / (beta - silence * c**k)) / -math.log1p(-p * accuracy))
                found.append((k * max(n, 1), k))
        return min(found)
    return size


@claim("thm-parity-pac", parity_pac_sample_size,
       mutants={"every record is kept": pac_once_more(keep=lambda e: 1 - 1e-9), "silence for free": pac_once_more(silence=0.),
                "d subsets": pac_once_more(subsets_of=lambda d: d), "half of that again": pac_once_more(half=.2),
                "kept with probability epsilon": pac_once_more(keep=lambda e: min(e, 1 - 1e-9))})
def test_every_distribution(size):
    """Compute, exactly, how often elimination fails with so many people, for distributions on up to eight answers, the one
    under which all wrong subsets err equally often among them; and for that one with up to 20 questions. It must never be
    above β, and once nearly β. The closed form of the theorem may not ask for fewer people.
    """
    rng, worst, runs = np.random.default_rng(9), 0., 0
    for d, accuracy, (epsilon, beta) in itertools.product((1, 2, 3), (.1, .3), ((.5, .5), (1., .25), (1., .05), (3., .01))):
        people, blocks = size(dimension=d, accuracy=accuracy, epsilon=epsilon, beta=beta)
        assert people % blocks == 0
        even = np.full(2**d, 2 * accuracy / 2**d) + (1 - 2 * accuracy) * (np.arange(2**d) == 0)
        one = np.where(np.arange(2**d) == 1, accuracy, 0) + (1 - accuracy) * (np.arange(2**d) == 0)
        for chances in (even, one, *rng.dirichlet(np.full(2**d, .3), 4)):
            worst, runs = max(worst, exact_failure(d, chances, accuracy, people, blocks, epsilon) / beta), runs + 1
    for d, accuracy, (epsilon, beta) in itertools.product((6, 12, 20), (.02, .1, .3), ((.5, .5), (1., .25), (1., .05), (3., .01))):
        people, blocks = size(dimension=d, accuracy=accuracy, epsilon=epsilon, beta=beta)
        p, c = coins_of()(epsilon, "replace")
        rank, keep = np.eye(1, d + 1)[0], 2 * accuracy * p                   # of those that are kept and are not 0 throughout
        inside = 2.**(np.arange(d + 1) - d)
        for _ in range(people // blocks):
            rank = rank * (1 - keep + keep * inside) + keep * np.append(0, (rank * (1 - inside))[:-1])
        worst = max(worst, (c**blocks + (1 - c**blocks) * (1 - rank @ inside)) / beta)
        closed = math.ceil(math.log(2 / beta) / -math.log(c)) * math.ceil((d * math.log(2) - math.log(beta)) / (p * accuracy))
        assert people <= closed
        if epsilon <= 1 and 2.**-d <= beta <= .5:
            assert closed <= 13 * d * math.log(1 / beta) / (epsilon * accuracy) + math.log(2 / beta) + 2
    assert .95 < worst <= 1
    return f"fails at most {worst:.4f} times as often as is allowed, in {runs} distributions and 36 larger settings"


def cap(k, d, c, eta):
    """The statement: more than this is impossible with k blocks."""
    return k * (1 - c) * (1 - eta) ** d


@claim("prop-wrong-labels", parity_success_probability, cap,
       mutants={"wrong labels that never fit": (chances_by_rank(dirty=False), cap),
                "wrong equations that fit half of the time": (chances_by_rank(wrong_fits=lambda r, m: .5), cap),
                "no right equations among the solvable": (chances_by_rank(wrong_fits=lambda r, m: 2.**(r - m)), cap),
                "every block has its chance": (chances_by_rank(first=False), cap),
                "all labels must be right, twice": (parity_success_probability, lambda k, d, c, eta: cap(k, 2 * d, c, eta)),
                "one block": (parity_success_probability, lambda k, d, c, eta: cap(1, d, c, eta))})
def test_chance_with_wrong_labels(chance, cap):
    """List all matrices and all patterns of wrong labels of three equations, and count those with a solution; compare the
    chances with those from all ranks; and compare with the cap for up to 12 questions.
    """
    for d, m in ((1, 3), (2, 3), (3, 2)):
        fits = {}
        for rows in itertools.product(range(2**d), repeat=m):
            columns = subsets(d)[list(rows)]
            span = {tuple(columns @ s % 2) for s in subsets(d)}
            for errors in itertools.product((0, 1), repeat=m):
                if any(errors):
                    fits.setdefault((len(span), errors), []).append(errors in span)
        for (size, _), found in fits.items():                # for every pattern of errors by itself
            assert abs(np.mean(found) - (size - 1) / (2**m - 1)) < 1e-12
    worst, right, closest = 0, chances_by_rank(), 0
    for (d, n), eta, blocks in itertools.product(((1, 3), (2, 5), (3, 4)), (.1, .5), (1, 2, 3)):
        setting = dict(size=n * blocks, dimension=d, wrong=eta, epsilon=1., blocks=blocks)
        worst = max(worst, abs(float(chance(**setting, neighbor="replace")) - right(**setting)))
    assert worst < 1e-12
    for d, eta, k, epsilon in itertools.product((2, 5, 12), (.02, .1, .5), (1, 3), (1., 6.)):
        most = float(np.max(parity_success_probability(size=k * np.arange(1, 60), dimension=d, wrong=eta, epsilon=epsilon,
                                                       neighbor="replace", blocks=k)))
        c = 1 / (math.exp(epsilon) + 2)
        assert most <= cap(k, d, c, eta) + 1e-12
        closest = max(closest, most / cap(k, d, c, eta))
    return f"the chances agree {to(worst)}; the best sizes reach up to {closest:.2f} of the cap"
