"""The statements of the page on tables of people."""

import collections
import functools
from unittest.mock import patch

import numpy as np
import polars as pl

from dplib.accounting import Ledger
from dplib.tables import Table, discovery_threshold, engine, quantiles, votes
from dplib.tables.answers import Means, means_of
from tests.claims import claim, to

CHANGED = {"add_remove": 1, "replace": 2}
GROUPS = {"group": range(8)}


def people(seed):
    """Forty people in one group to eight, with rows anywhere, and one who is at the upper bound in all of them."""
    rng = np.random.default_rng(seed)
    rows = [(person, group, x) for person in range(40) for group in rng.permutation(8)[:1 + person % 8]
            for x in rng.normal(50, 60, 1 + rng.poisson(1))]
    rows += [(40, group, 1000.) for group in range(8)]
    return pl.DataFrame(rows, schema={"person": pl.Int64, "group": pl.Int64, "x": pl.Float64}, orient="row")


def asked(table, frame, neighbor, price):
    """For each question the tokens that leave the engine, and the noise that is meant for them."""
    seen = []
    with patch.object(votes.Noise, "added_to", lambda self, tokens, rng: seen.append((tokens, self)) or tokens):
        for m in (1, 3, 8):
            rng = np.random.default_rng(1)
            people = table(frame, unit="person", neighbor=neighbor, rng=rng,
                           ledger=Ledger(epsilon=100) if "epsilon" in price else Ledger(rho=100))
            given = dict(by=GROUPS, most_groups=m, **price)
            people.counts(**given)
            people.sums("x", bounds=(0, 200), **given)
            people.sums("x", bounds=(-150, 200), **given)
            people.means("x", bounds=(0, 100), **given)
            people.histogram("x", bounds=(0, 100), cells=4, **given)
    return seen


class Unshared(Table):
    """A vote for each group, however many there are."""

    def _paid(self, question, price, ask):
        whole = lambda self, pairs, by, noise, m: pairs.with_columns(engine._constant(noise.tokens).alias(engine.VOTES))
        with patch.object(engine.Rows, "_share", whole):
            return super()._paid(question, price, ask)


class Unaveraged(Table):
    """A vote for each row of a mean."""

    def _paid(self, question, price, ask):
        with patch.object(engine.Rows, "_averaged", lambda self, rows, by: rows):
            return super()._paid(question, price, ask)


class Undoubled(Table):
    """The noise of add/remove under replacement."""

    def _noise(self, price, by, m, **question):
        if "epsilon" not in price:
            return super()._noise(price, by, m, **question)
        return votes.noise_for(price, neighbor="add_remove", votes=m, groups=8, **question)


class Swapped(Table):
    """Square roots of shares with noise for the other norm."""

    def _paid(self, question, price, ask):
        share = engine.Rows._share
        other = lambda noise: votes.Noise("discrete_gaussian" if noise.law == "discrete_laplace" else "discrete_laplace",
                                          noise.sensitivity, noise.price, noise.tokens)
        with patch.object(engine.Rows, "_share", lambda self, pairs, by, noise, m: share(self, pairs, by, other(noise), m)):
            return super()._paid(question, price, ask)


@claim("thm-one-vote", Table,
       mutants={"votes that are not shared": Unshared, "a vote for each row": Unaveraged, "no doubling under replacement": Undoubled,
                "shares for the other noise": Swapped})
def test_tokens_of_neighbours(table):
    """Ask five questions with one, three and eight votes about forty-one people, about all but one of them, and about one
    in another's place. The tokens may move by as much as the noise hides, in the norm of the noise, and somebody has to
    come within a thousandth of it.
    """
    closest = 1.
    for price, order in (({"epsilon": 1.}, 1), ({"rho": .5}, 2)):
        for neighbor in CHANGED:
            frame, used = people(1), np.zeros(15)
            base = asked(table, frame, neighbor, price)
            for person in (3, 7, 15, 40):
                others = frame.filter(pl.col("person") != person)
                if neighbor == "replace":
                    moved = people(2).filter(pl.col("person") == 39 - person % 39).with_columns(pl.lit(person, pl.Int64).alias("person"))
                    others = pl.concat([others, moved.with_columns(pl.lit(-1000.).alias("x"))])
                for i, ((tokens, noise), (theirs, _)) in enumerate(zip(base, asked(table, others, neighbor, price))):
                    change = np.linalg.norm((tokens - theirs).astype(float).ravel(), order)
                    assert change <= noise.sensitivity, (price, neighbor, i)
                    used[i] = max(used[i], change / noise.sensitivity)
            if neighbor == "add_remove":
                closest = min(closest, used.min())
                assert used.min() > .999
    return f"never more than the noise hides; used to the full up to {1 - closest:.0e} when somebody leaves"


class Narrow(Means):
    """Half of the noise at each end."""

    def half_width(self, level=.95, *, size=None):
        return super().half_width(level, size=size) / 2


class Unweighted(Means):
    """As if one noise were spread over both ends."""

    def half_width(self, level=.95, *, size=None):
        return super().half_width(level, size=size) / np.sqrt(2)


class Wide(Means):
    """Each noise for itself: more than is needed."""

    def half_width(self, level=.95, *, size=None):
        return super().half_width(level, size=size) * 2


@claim("prop-two-ends", Means, mutants={"half of the width": Narrow, "noise of one end": Unweighted, "twice the width": Wide})
def test_the_interval_of_a_mean(means):
    """Release means of 3,000 random votes at both ends, with noises anywhere within t of them, the corners among them. The
    mean without noise has to be in the interval around the noisy one, and to touch it at the corners.
    """
    rng, noise = np.random.default_rng(3), votes.Noise("discrete_laplace", float(votes.TOKENS), .5, votes.TOKENS)
    t = noise.largest(.95, 2)
    exact = rng.uniform(0, 60, (2, 3000))
    off = rng.uniform(-t, t, (2, 3000))
    off[:, :400] = np.array([t, -t])[:, None]
    off[:, 400:800] = np.array([-t, t])[:, None]
    noisy = exact + off
    use = noisy.sum(axis=0) > 0
    said = dict(question="means", by={}, neighbor="add_remove", unit="person", noise=noise, made=dict)
    low, high = np.array([means(**vars(means_of(noisy[:, i], (0., 1.), **said))).interval(.95) for i in np.flatnonzero(use)]).T
    true = (exact[0] / exact.sum(axis=0))[use]
    assert np.all((low <= true + 1e-12) & (true - 1e-12 <= high))
    corner = (use & (noisy.min(axis=0) >= t) & (np.arange(3000) < 800))[use]
    gap = np.minimum(true - low, high - true)[corner]
    assert corner.sum() > 100 and np.abs(gap).max() < 1e-12
    return f"all of {use.sum():,} exact means are inside; at {corner.sum()} corners they touch the end {to(np.abs(gap).max())}"


# --- one person, one record ---------------------------------------------------------------------------------------------

def chosen(table, frame, neighbor):
    """The records of units, as the model is fitted to them: {(cell, rows, those with the second class): units}."""
    seen = []
    with patch("dplib.tables.table.released", lambda asked, kinds, rng: seen.append(kinds)):
        asked = table(frame.with_columns(dear=pl.col("x") > 50), unit="person", neighbor=neighbor, rng=np.random.default_rng(1),
                      ledger=Ledger(epsilon=1, delta=.1))
        asked.coefficient("dear", by={"group": range(6)}, classes=[False, True], move=({"group": 0}, {"group": 5}), epsilon=1, delta=.1)
    return collections.Counter({tuple(record): int(units) for *record, units in seen[0].T.tolist()})


class EveryCell(Table):
    """A record for each cell of a unit."""

    def _paid(self, question, price, ask):
        with patch.object(engine, "_first", lambda pairs, column, m: pairs):
            return super()._paid(question, price, ask)


class Popular(Table):
    """Of the cells of a unit the one with most rows in the whole table."""

    def _paid(self, question, price, ask):
        def popular(pairs, column, m):
            totals = pairs.group_by(column).agg(engine.nw.col(engine.LENGTH).sum().alias("total"))
            ranked = pairs.drop(engine.LENGTH).join(totals, on=column, how="inner").rename({"total": engine.LENGTH})
            return first(ranked, column, m)

        first = engine._first
        with patch.object(engine, "_first", popular):
            return super()._paid(question, price, ask)


@claim("prop-one-record", Table, mutants={"a record for each cell": EveryCell, "the cell that is popular": Popular})
def test_records_of_neighbours(table):
    """Count the records of forty-one people with up to eight groups, of all but one of them, and with one in another's place, listed or
    not: at most one record may go and one may come, and both have to happen.
    """
    frame, most = people(1), {}
    base = chosen(table, frame, "replace")
    assert 25 < base.total() <= 41
    for person in range(41):
        others = frame.filter(pl.col("person") != person)
        places = [others] + [pl.concat([others, others.filter(pl.col("person") == (person + step) % 41).with_columns(
            pl.lit(person, pl.Int64).alias("person"), pl.col("group") + shift)]) for step, shift in ((5, 0), (9, 1), (3, 9))]
        for place, neighbour in enumerate(places):
            found = chosen(table, neighbour, "replace")
            came, went = (found - base).total(), (base - found).total()
            assert came <= (place > 0) and went <= 1
            most[place] = max(most.get(place, 0), int(came + went))
    assert list(most.values()) == [1, 2, 2, 1]
    return f"{41 * len(places)} pairs, of which none differs by more than one record that comes and one that goes"


# --- groups that nobody listed -------------------------------------------------------------------------------------------

def law(count, threshold, q, length=60):
    """The probabilities that a label with so many votes is not named, and that it is with T, T + 1, ..."""
    named = (1 - q) / (1 + q) * q ** np.abs(threshold + np.arange(length) - count)
    return np.r_[1 - named.sum(), named] if count else np.eye(1, length + 1)[0]


def least_delta(threshold, q, epsilon, ours, theirs):
    """The least δ for which the two are (ε, δ)-close, in both directions; votes of each label on either side."""
    together = lambda side: functools.reduce(lambda a, b: np.outer(a, b).ravel(), [law(count, threshold, q) for count in side])
    laws = [together(ours), together(theirs)]
    return max(np.maximum(a - np.exp(epsilon) * b, 0).sum() for a, b in (laws, laws[::-1]))


def label_neighbours(m, neighbor):
    """Votes of up to three labels, with and without one unit or with another one in its place."""
    alone = {1: ([1], [0]), 2: ([1, 1], [0, 0])}[m]
    shared = {1: ([2], [1]), 2: ([1, 2], [0, 1])}[m]
    yield from (alone, shared)
    if neighbor == "replace":
        yield {1: ([1, 0], [0, 1]), 2: ([1, 1, 0], [1, 0, 1])}[m]
        yield {1: ([1, 1], [0, 2]), 2: ([1, 1, 1], [0, 2, 1])}[m]


def off_by_one(**given):
    return discovery_threshold(**given) - 1


def of_one_label(most_groups, **given):
    return discovery_threshold(most_groups=1, **given)


def union_forgotten(*, most_groups, epsilon, delta, neighbor):
    """δ for each of the labels."""
    return discovery_threshold(most_groups=most_groups, epsilon=epsilon, delta=min(most_groups * delta, .5), neighbor=neighbor)


@claim("thm-discovered-groups", discovery_threshold,
       mutants={"a threshold less by one": off_by_one, "the threshold of one label": of_one_label, "δ for each label": union_forgotten})
def test_named_labels(threshold):
    """Enumerate what is named, with its number, on neighbouring votes of up to three labels. The least δ has to be at most
    the one that was asked for, and with a threshold less by one it has to be more.
    """
    worst, least = 0., 2.
    for neighbor, m, steps, rate in ((n, m, s, r) for n in CHANGED for m in (1, 2) for s in (2, 3) for r in (.6, 2.)):
        epsilon = rate * m * CHANGED[neighbor]
        q = np.exp(-rate)
        delta = 1.0001 * (1 - (1 - q**steps / (1 + q)) ** m)
        found = max(least_delta(threshold(most_groups=m, epsilon=epsilon, delta=delta, neighbor=neighbor), q, epsilon, *pair)
                    for pair in label_neighbours(m, neighbor))
        worst = max(worst, found / delta)
        assert found <= delta * (1 + 1e-9), (neighbor, m, steps)
        lower = max(least_delta(steps, q, epsilon, *pair) for pair in label_neighbours(m, neighbor))
        least = min(least, lower / delta)
    assert worst > .9
    return f"least δ at most {worst:.4f} of the promised one in sixteen settings; with a threshold less by one {least:.2f}"


# --- several quantiles ---------------------------------------------------------------------------------------------------

@functools.cache
def permute_and_flip(exponents):
    """The probabilities of each choice: the coins of the others in random order, by integration over the order."""
    coins = np.exp(np.array(exponents) - max(exponents))
    u = (np.polynomial.legendre.leggauss(24)[0] + 1) / 2
    w = np.polynomial.legendre.leggauss(24)[1] / 2
    ahead = 1 - u[:, None] * coins                              # nobody of these who came before time u was taken
    return tuple((w[:, None] * coins * ahead.prod(axis=1)[:, None] / ahead).sum(axis=0))


class Deciding(np.random.Generator):
    """Follows a script of choices, and knows how probable it was."""

    def __init__(self, script):
        super().__init__(np.random.PCG64(1))
        self.script, self.probability, self.scores = script, 1., []


def followed(choose, tokens, levels, epsilon, changes):
    """For each way to choose: the answers, their probability, and the scores of each choice in units of the sensitivity."""
    halves, found = 2 * tokens.shape[-1], {}

    def scripted(scores, *, sensitivity, epsilon, rng):
        assert scores.max() == 0
        choice = rng.script[len(rng.scores)]
        rng.scores.append(np.maximum(scores / sensitivity, -1e200))
        rng.probability *= permute_and_flip(tuple(np.maximum(epsilon * scores / (2 * sensitivity), -500)))[choice]
        return np.int64(choice)

    with patch.object(quantiles.mechanisms, "permute_and_flip", scripted):
        for script in np.ndindex(*[halves] * len(levels)):
            rng = Deciding(script)
            answer = choose(tokens, levels, changes=changes, alone=len(levels) == 1, epsilon=epsilon, rng=rng)
            if all(np.diff(answer) >= 0):
                found[script] = tuple(answer.tolist()), rng.probability, rng.scores
    return found


def moved_at_a_depth(levels, ours, theirs):
    """The largest sum over the choices of one depth of how far a score moves, in units of the sensitivity."""
    depths = [(last - first - 1).bit_length() for first, _, last, _, _ in quantiles._choices(levels)]
    each = [np.bincount(depths, [np.abs(a - b).max() for a, b in zip(ours[script][2], theirs[script][2], strict=True)]) for script in ours]
    return np.max(each)


def each_costs_all(tokens, levels, *, changes, alone, epsilon, rng):
    """No division by the depth."""
    depth = quantiles.depth_of(levels)
    return quantiles.choose_halves(tokens, levels, changes=changes, alone=alone, epsilon=epsilon * depth, rng=rng)


def never_doubled(tokens, levels, *, changes, alone, epsilon, rng):
    """A replaced unit counted once."""
    return quantiles.choose_halves(tokens, levels, changes=changes[:1], alone=False, epsilon=epsilon, rng=rng)


def half_weights(tokens, levels, *, changes, alone, epsilon, rng):
    """Every level taken for a median."""
    with patch.object(quantiles, "weight", lambda left, right, changes, alone: len(changes) * (left + right) / 2 * max(changes)):
        return quantiles.choose_halves(tokens, levels, changes=changes, alone=alone, epsilon=epsilon, rng=rng)


def shared_cell(tokens, levels, **given):
    """All tokens of the chosen half of a cell on both sides."""
    index = np.arange(2 * tokens.shape[-1])
    sides = lambda side, chosen: (np.where(index <= chosen, side, 0), np.where(index >= chosen, side, 0))
    with patch.object(quantiles, "_sides", sides):
        return quantiles.choose_halves(tokens, levels, **given)


def two_copies(tokens, levels, **given):
    """All tokens of a cell in both of its halves."""
    with patch.object(quantiles, "_halves", lambda tokens: tokens.repeat(2, axis=-1)):
        return quantiles.choose_halves(tokens, levels, **given)


@claim("thm-several-quantiles", quantiles.choose_halves,
       mutants={"a chosen half on both sides": shared_cell, "a cell in both halves": two_copies, "ε for each depth": each_costs_all,
                "a replaced unit counted once": never_doubled, "the weight of a median for all": half_weights})
def test_law_of_quantiles(choose):
    """Enumerate all ways to choose, for one level, two and three, about people in two cells, before and after one of them leaves
    or moves. The best score has to be 0. At each depth, scores may move by the sensitivity in all, and have to, up to rounding.
    The largest log-ratio of probabilities may be ε = 2, and has to come near it. All answers that do not decrease have
    probability 1 together.
    """
    worst, moved, epsilon = 0., 0., 2.
    for levels in map(np.array, ([500], [900], [100, 900], [250, 500, 750], [400, 500, 600])):
        each, most = epsilon / quantiles.depth_of(levels), {}
        for base in ([0, 0], [1, 0], [2, 4], [20, 0], [0, 40]):
            for neighbor, pair in (("add_remove", ([1, 0], [0, 0])), ("add_remove", ([0, 1], [0, 0])), ("replace", ([1, 0], [0, 1]))):
                changes = [1] * CHANGED[neighbor]
                ours, theirs = (followed(choose, np.array(base) + one, levels, each, changes) for one in pair)
                laws = [collections.Counter(), collections.Counter()]
                for law, found in zip(laws, (ours, theirs)):
                    for answer, p, _ in found.values():
                        law[answer] += p
                    assert abs(law.total() - 1) < 1e-9
                worst = max([worst, *(abs(np.log(p / laws[1][key])) for key, p in laws[0].items() if min(p, laws[1][key]) > 1e-12)])
                most[neighbor] = max(most.get(neighbor, 0), moved_at_a_depth(levels, ours, theirs))
        assert max(most.values()) <= 1, (levels, most)
        assert most["add_remove"] > 1 - 1e-5
        moved = max(moved, *most.values())
    assert .7 * epsilon < worst <= epsilon
    return f"largest log-ratio {worst:.3f} at ε = 2; the scores of a depth move by {moved:.5f} of their sensitivity at most"
