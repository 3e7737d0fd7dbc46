"""The statements of the page on composition."""

import itertools
import math

import mpmath
import numpy as np
from scipy.stats import binom

from dplib.accounting import (compose_advanced, compose_basic, compose_optimal)
from dplib.audit import hockey_stick, max_log_ratio
from tests.claims import claim, to
from tests.claims.coins import adaptive_game, average_damage, coins_delta, coins_together, noisy_count, random_pair

TINY = 1e-300


# --- adding up -------------------------------------------------------------------------------------------------------

def basic_with(total_epsilon=np.sum, total_delta=np.sum):
    """`compose_basic` from two functions of lists."""
    return lambda *, epsilon, delta, count: (float(total_epsilon(epsilon)), float(total_delta(delta)))


@claim("thm-basic-composition", compose_basic,
       mutants={"the largest epsilon in place of the sum": basic_with(np.max, np.sum),
                "square root of the sum of squares": basic_with(np.linalg.norm, np.sum),
                "the largest delta in place of the sum": basic_with(np.sum, np.max)})
def test_games_of_private_mechanisms(compose):
    """Enumerate the transcripts of random games, whose steps depend on all earlier outputs, and of coins.

    The coins attain the sum.
    """
    rng, above = np.random.default_rng(1), []
    for steps in ([(.3, 0), (.7, .01), (.2, .02)], [(1, .05), (.1, .05)], [(.5, 0)] * 4):
        epsilon, delta = compose(epsilon=[e for e, _ in steps], delta=[d for _, d in steps], count=1)
        for p, q in [coins_together(steps), *(adaptive_game(rng, steps) for _ in range(100))]:
            above.append(float(hockey_stick(p, q, epsilon=epsilon)) - delta)
    attained = float(max_log_ratio(*(law[law > 0] for law in coins_together([(.5, 0)] * 4))))
    total, _ = compose(epsilon=[.5] * 4, delta=[0] * 4, count=1)
    assert max(above) <= 1e-12 and abs(attained - total) <= 1e-12
    return f"{len(above)} games: delta never above the sum; four coins at 0.5 attain it {to(abs(attained - total))}"


# --- the privacy loss ------------------------------------------------------------------------------------------------

def loss_of(p, q):
    """Losses and their probabilities under p; infinite where q vanishes."""
    with np.errstate(divide="ignore"):
        return np.log(p[p > 0]) - np.log(q[p > 0]), p[p > 0]


@claim("thm-privacy-loss", average_damage,
       mutants={"the probability that the loss exceeds epsilon":
                    lambda loss, chance, epsilon: chance[loss > epsilon].sum(),
                "the loss averaged in the neighbour's world":
                    lambda loss, chance, epsilon: average_damage(loss, chance * np.exp(-loss), epsilon),
                "the positive part forgotten":
                    lambda loss, chance, epsilon: float(np.sum(chance * -np.expm1(epsilon - loss)))})
def test_best_event_against_average(delta):
    """Compare the average with the best event for random distributions, alone and in independent pairs.

    Some outputs can come from one world only: their loss is infinite.
    """
    rng, differences = np.random.default_rng(2), []
    for epsilon in (0, .1, 1, 3):
        for _ in range(50):
            (p, q), (r, s) = rng.dirichlet(np.full(8, .4), 2), rng.dirichlet(np.full(6, .4), 2)
            q = np.where(np.arange(8) == 3, 0, q) / (1 - q[3])
            (loss, chance), (more, other) = loss_of(p, q), loss_of(r, s)
            sums, chances = np.add.outer(loss, more), np.outer(chance, other)
            alone = np.maximum(p - math.exp(epsilon) * q, 0).sum()
            both = np.maximum(np.outer(p, r) - math.exp(epsilon) * np.outer(q, s), 0).sum()
            differences += [abs(delta(loss, chance, epsilon) - alone), abs(delta(sums, chances, epsilon) - both)]
            assert both <= chances[sums > epsilon].sum() + 1e-15
    assert max(differences) <= 1e-12
    return f"average and best event agree {to(max(differences))} over {len(differences)} pairs of distributions"


# --- the worst case is a coin ----------------------------------------------------------------------------------------

def simulation(p, q, epsilon, delta):
    """The four laws A, A', K_1, K_0 of the lemma, built as in its proof."""
    a, low, high = math.exp(epsilon), p, q
    if np.minimum(p, a * q).sum() < np.minimum(q, a * p).sum():
        low, high = q, p
    c_high = np.minimum(high, a * low) / np.minimum(high, a * low).sum()
    least, most = (1 - delta) * c_high / a, np.minimum(np.minimum(low, a * high), a * (1 - delta) * c_high)
    c_low = least + (1 - delta - least.sum()) / (most.sum() - least.sum()) * (most - least)
    c, c_neighbor = (c_low / (1 - delta), c_high) if low is p else (c_high, c_low / (1 - delta))
    away = [(law - (1 - delta) * part) / delta if delta else law for law, part in ((p, c), (q, c_neighbor))]
    return *away, (a * c - c_neighbor) / (a - 1), (a * c_neighbor - c) / (a - 1)


def not_rescaled(p, q, epsilon, delta):
    a = math.exp(epsilon)
    clipped = simulation(np.minimum(p, a * q), np.minimum(q, a * p), epsilon, 0)
    return *simulation(p, q, epsilon, delta)[:2], *clipped[2:]


@claim("lem-worst-case", simulation,
       mutants={"K is the distribution itself": lambda p, q, epsilon, delta: (p, q, p, q),
                "distributions clipped to the ratio and not rescaled": not_rescaled,
                "the worlds exchanged": lambda p, q, epsilon, delta: simulation(q, p, epsilon, delta)})
def test_rebuilt_from_a_coin(simulate):
    """Build the simulation of random private pairs, check that its parts are distributions, and rebuild both worlds
    from it.
    """
    rng, errors, smallest, pairs = np.random.default_rng(3), [], 0, 0
    for epsilon, delta in itertools.product((.1, 1, 4), (0, .01, .2)):
        truth = 1 / (1 + math.exp(-epsilon))
        for _ in range(30):
            p, q = random_pair(rng, epsilon, delta * rng.random(), outputs=6)
            parts = away, away_neighbor, one, zero = simulate(p, q, epsilon, delta)
            rebuilt = delta * away + (1 - delta) * (truth * one + (1 - truth) * zero)
            rebuilt_neighbor = delta * away_neighbor + (1 - delta) * ((1 - truth) * one + truth * zero)
            errors += [np.abs(rebuilt - p).max(), np.abs(rebuilt_neighbor - q).max()]
            errors += [abs(law.sum() - 1) for law in parts]
            smallest, pairs = min(smallest, *(law.min() for law in parts)), pairs + 1
    assert max(errors) <= 1e-9 and smallest >= -1e-9
    return f"{pairs} pairs: both worlds rebuilt {to(max(errors))}, from probabilities"


# --- the square root -------------------------------------------------------------------------------------------------

def all_deltas(delta, size, slack):
    return 1 - (1 - slack) * np.prod((1 - delta) ** size)


def advanced_with(drift=lambda e: e * np.tanh(e / 2), spread=2., total=all_deltas):
    """The statement in code, or the sum where it is smaller, and with parts to be replaced by wrong ones."""
    def compose(*, epsilon, delta, count, slack):
        epsilon, delta, size = map(np.asarray, (epsilon, delta, count))
        root = math.sqrt(-spread * math.log(slack) * np.sum(size * epsilon**2))
        stated, added = float(np.sum(size * drift(epsilon)) + root), float(np.dot(size, epsilon))
        return (stated, float(total(delta, size, slack))) if stated < added else (added, float(total(delta, size, 0)))
    return compose


@claim("thm-advanced-composition", compose_advanced,
       mutants={"the drift forgotten": advanced_with(drift=lambda e: 0 * e),
                "the 2 under the root forgotten": advanced_with(spread=1),
                "logarithm to base ten": advanced_with(spread=2 / math.log(10)),
                "the steps' own deltas forgotten": advanced_with(total=lambda delta, size, slack: slack),
                "the older drift with its exponential": advanced_with(drift=lambda e: e * np.expm1(e))})
def test_against_exact_coins(compose):
    """Compute the exact delta of one and of two kinds of coins at the stated epsilon, and compare the constants."""
    shares = []
    for kinds in ([(.1, 0, 100)], [(.1, 0, 400)], [(1, 0, 50)], [(2., 0, 400)], [(.05, 1e-5, 200)],
                  [(.5, 1e-4, 10), (.03, 0, 300)]):
        epsilon, delta, size = map(list, zip(*kinds))
        for slack in (1e-2, 1e-6, 1e-10):
            total, total_delta = compose(epsilon=epsilon, delta=delta, count=size, slack=slack)
            stated, stated_delta = advanced_with()(epsilon=epsilon, delta=delta, count=size, slack=slack)
            assert total <= stated * (1 + 1e-12)
            assert total_delta <= stated_delta * (1 + 1e-9)
            exact = coins_delta(kinds, total)
            assert exact <= total_delta * (1 + 1e-9) + 1e-15
            if total_delta:                                         # where the sum is smaller, nothing is spent
                shares.append(exact / total_delta)
    return f"exact delta up to {max(shares):.3f} of the stated one over {len(shares)} games"


# --- the best possible -----------------------------------------------------------------------------------------------

def optimal_with(curve=None, at_grid=False, total=all_deltas):
    """`compose_optimal` with another curve delta(epsilon'), read only at the grid, or with another total delta."""
    def compose(*, epsilon, delta, count, slack):
        if curve is None:
            best, _ = compose_optimal(epsilon=epsilon, delta=0, count=count, slack=slack)
        else:
            at = np.linspace(0, count * epsilon, 20001)
            best = float(at[np.argmax(curve(epsilon, count, at[:, None]) <= slack)])
        if at_grid:
            best = count * epsilon - 2 * epsilon * math.floor((count * epsilon - best) / (2 * epsilon) + 1e-9)
        return best, total(delta, count, slack)
    return compose


def without_binomials(epsilon, size, at):
    lies = np.arange(size + 1)
    terms = np.maximum(np.exp((size - lies) * epsilon) - np.exp(at + lies * epsilon), 0)
    return terms.sum(axis=1) / (1 + math.exp(epsilon)) ** size


def tail_of_the_loss(epsilon, size, at):
    lies = np.arange(size + 1)
    chance = binom.pmf(lies, size, 1 / (1 + math.exp(epsilon)))
    return np.where((size - 2 * lies) * epsilon > at, chance, 0).sum(axis=1)


def curve_in_many_digits(epsilon, k, at):
    """delta_k(epsilon') as the theorem states it, in 50-digit arithmetic."""
    with mpmath.workdps(50):
        e, at = mpmath.mpf(epsilon), mpmath.mpf(at)
        terms = (mpmath.binomial(k, l) * max(mpmath.exp((k - l) * e) - mpmath.exp(at + l * e), 0) for l in range(k + 1))
        return float(mpmath.fsum(terms) / (1 + mpmath.exp(e)) ** k)


@claim("thm-optimal-composition", compose_optimal,
       mutants={"read only at the points of the grid": optimal_with(at_grid=True),
                "binomial coefficients forgotten": optimal_with(curve=without_binomials),
                "the tail of the loss in place of delta": optimal_with(curve=tail_of_the_loss),
                "the steps' own deltas forgotten": optimal_with(total=lambda delta, size, slack: slack),
                "advanced composition": compose_advanced})
def test_against_all_transcripts(compose):
    """Enumerate all transcripts of coins and of random adaptive games, at the points of the grid and between them.

    A thousand coins are added up in 50-digit arithmetic.
    """
    rng, misses, above = np.random.default_rng(4), [], []
    for epsilon, delta, size in itertools.product((.1, .8), (0, .03), (1, 3, 6)):
        at_grid = coins_delta([(epsilon, 0, size)], (size - 2) * epsilon) if size > 2 else .02
        for slack in (1e-4, .003, .05, at_grid):
            total, all_delta = compose(epsilon=epsilon, delta=delta, count=size, slack=slack)
            exact = float(hockey_stick(*coins_together([(epsilon, delta)] * size), epsilon=total))
            misses.append(abs(exact - all_delta) / max(all_delta, TINY) if total > 0 else exact - all_delta)
            for _ in range(10 if size < 6 else 0):
                game = adaptive_game(rng, [(epsilon, delta)] * size)
                above.append(float(hockey_stick(*game, epsilon=total)) - all_delta)
    total, _ = compose(epsilon=.01, delta=0, count=1000, slack=1e-6)
    misses.append(abs(curve_in_many_digits(.01, 1000, total) / 1e-6 - 1))
    assert max(misses) <= 1e-8 and max(above) <= 1e-12
    return f"coins meet delta {to(max(misses))}; {len(above)} adaptive games never exceed it"


# --- blocks ----------------------------------------------------------------------------------------------------------

def blocks_cost(blocks, neighbor, sees, epsilons):
    """The statement: what mechanisms on disjoint blocks cost together, each seeing its block's "size" or "all" of it."""
    largest, second = sorted(epsilons)[:-3:-1]
    if (blocks, neighbor) != ("values", "replace"):
        return largest
    return largest + second if sees == "size" else 2 * largest


@claim("prop-parallel", blocks_cost,
       mutants={"the largest epsilon, whatever makes the blocks": lambda blocks, neighbor, sees, epsilons: max(epsilons),
                "always the sum": lambda blocks, neighbor, sees, epsilons: sum(epsilons),
                "the sum of the two largest, whatever a mechanism sees":
                    lambda blocks, neighbor, sees, epsilons: blocks_cost(blocks, neighbor, "size", epsilons)})
def test_blocks_by_position_and_by_value(cost):
    """Enumerate the outputs for all neighbours, the blocks made by position and by value.

    Three mechanisms see the sizes of their blocks; then two see the sizes of the two halves of theirs.
    """
    sizes = tables_and_laws(epsilons := (.5, 1, .8), per_block=1)
    halves = tables_and_laws(pair := (.7, .1), per_block=2)
    cases = [(sizes, "positions", "replace", "size", epsilons, (0, 0, 1)),         # a bit in one block is replaced
             (sizes, "values", "add_remove", "size", epsilons, (0, 0, 1)),         # a record appears in one block
             (sizes, "values", "replace", "size", epsilons, (-1, 0, 1)),           # a record moves to another block
             (halves, "values", "add_remove", "all", pair, (0, 0, 0, 1)),
             (halves, "values", "replace", "all", pair, (-1, 0, 0, 1))]            # also between two halves of a block
    errors, pairs = [], 0
    for laws, blocks, neighbor, sees, parameters, changes in cases:
        near = [(a, b) for a in laws for b in laws if sorted(np.subtract(b, a)) == sorted(changes)]
        ratios = [float(max_log_ratio(laws[a], laws[b])) for a, b in near]
        errors.append(abs(max(ratios) - cost(blocks, neighbor, sees, parameters)))
        pairs += len(near)
    assert max(errors) <= 1e-9
    return f"largest log-ratio as stated {to(max(errors))} over {pairs} pairs"


def tables_and_laws(epsilons, per_block):
    """{counts: law of the noisy counts} for all small tables; each block has `per_block` counts and one epsilon."""
    noise = [epsilon for epsilon in epsilons for _ in range(per_block)]
    laws = {}
    for counts in itertools.product(range(3), repeat=len(noise)):
        joint = np.ones(1)
        for count, epsilon in zip(counts, noise):
            joint = np.multiply.outer(joint, noisy_count(count, epsilon, top=3)).ravel()
        laws[counts] = joint
    return laws
