"""The statements of the page on friends and their weights."""

from itertools import product

import numpy as np
from scipy.special import ndtr

from dplib.audit import hockey_stick
from dplib.friendly import (
    friend_counts, friendly_core_delta, friendly_core_epsilon, friendly_core_plan, friendly_weights)
from tests.claims import claim, page_function, to

printed_weights = page_function("friendlycore", "printed_weights")
kept_by_half = page_function("friendlycore", "kept_by_half")
RADIUS = np.sqrt(1.9)         # between the distances of friends, √1.8, and of strangers, √2


def filtered(weight=lambda c, n: np.clip((2 * c - n - 1) / (n - 1), 0, 1), own=0):
    """Weights from counts, with room for another formula, and for counts without the record itself."""
    def weights(x, *, radius):
        n = x.shape[-2]
        return weight(friend_counts(x, radius=radius) - own, n)
    return weights


def unshifted():
    return filtered(lambda c, n: np.clip((c - n / 2) / (n / 2), 0, 1))


def ramp_from(share=.5):
    """Weights that begin later, or earlier, than at half of the others."""
    return filtered(lambda c, n: np.clip((c - 1 - share * (n - 1)) / ((1 - share) * (n - 1)), 0, 1))


def every_graph(n):
    """Points x_0, …, x_n, a record in two versions and n - 1 others, for every relation of friends among n + 1 records.

    All distances are √1.8 or √2: so near to those of a regular simplex that there are such points, one in each direction.
    """
    rows, columns = np.triu_indices(n + 1, 1)
    edges = np.array(list(product((0, 1), repeat=rows.size)), dtype=bool)
    friends = np.broadcast_to(np.eye(n + 1, dtype=bool), (len(edges), n + 1, n + 1)).copy()
    friends[:, rows, columns] = friends[:, columns, rows] = edges
    gram = np.eye(n + 1) + .1 * friends * (1 - np.eye(n + 1))          # |x - y|² = 2 - 2 · 0.1 for friends
    return friends, np.linalg.cholesky(gram)


GRAPHS = {n: every_graph(n) for n in (2, 3, 4, 5)}


def two_worlds(weights, n):
    """The relation, and all n + 1 weights in each of the two worlds; a version that is not there has the weight 0."""
    friends, points = GRAPHS[n]
    w, v = np.zeros((2, len(points), n + 1))
    w[:, :n] = weights(points[:, :n], radius=RADIUS)
    v[:, 1:] = weights(points[:, 1:], radius=RADIUS)
    return friends, w, v                                     # x_0 is replaced by x_n


def worlds_agree(weights, n):
    friends, w, v = two_worlds(weights, n)
    alive = (w > 0) | (v > 0)
    shared = friends[:, :, 1:n].astype(int) @ friends[:, 1:n].astype(int) > 0
    return shared[alive[:, :, None] & alive[:, None]].all()


@claim("lem-shared-friend", friendly_weights,
       mutants={"the usual weights, without the shift": unshifted(),
                "weights that begin at 0.4 of the others": ramp_from(.4),
                "a slope of 2/n: friends of all weigh less than 1": filtered(
                    lambda c, n: np.clip((2 * c - n - 1) / n, 0, 1)),
                "counts that leave out the record itself": filtered(own=1)})
def test_survivors_of_two_worlds(weights):
    """Go through all relations of friends among up to six records, as points in space, in both versions of the replaced
    one. Any two survivors must have a common friend among the records that both worlds share; equal records weigh 1.
    """
    for n in GRAPHS:
        assert worlds_agree(weights, n), n
        np.testing.assert_allclose(weights(np.zeros((n, 2)), radius=1), 1)
    return f"all {sum(len(friends) for friends, _ in GRAPHS.values()):,} relations of up to six records"


@claim("lem-stable-weights", friendly_weights,
       mutants={"the printed weight, with n for n/2": filtered(lambda c, n: printed_weights(c)),
                "keep or drop": lambda x, *, radius: kept_by_half(x, radius=radius).astype(float),
                "weights that begin at 0.6 of the others": ramp_from(.6),
                "the usual weights, without the shift: 3 is not attained": unshifted(),
                "all weigh 1": lambda x, *, radius: np.ones(x.shape[:-1])})
def test_weights_of_two_worlds(weights):
    """Add up the changes of all weights for all relations of friends among up to six records, and for 10, 50 and 200 equal records
    that lose one. The sum must never exceed 3, and be 3 for some data of each size.
    """
    largest = {}
    for n in (3, 4, 5):
        _, w, v = two_worlds(weights, n)
        largest[n] = np.abs(w - v).sum(axis=-1).max()
    for n in (10, 50, 200):
        x = np.zeros((2, n, 1))
        x[1, 0] = 9
        w, v = weights(x, radius=1)
        largest[n] = w[0] + v[0] + np.abs(w - v)[1:].sum()
    assert all(abs(value - 3) < 1e-9 for value in largest.values()), largest
    return "the largest sum of changes is 3 for each of six sizes"


@claim("prop-strangers", friendly_weights,
       mutants={"the usual weights, without the shift": unshifted(),
                "counts that leave out the record itself": filtered(own=1),
                "the printed weight": filtered(lambda c, n: printed_weights(c))})
def test_weight_left_by_strangers(weights):
    """Compare the total weight of friends and strangers with the formula, and, for strangers with friends of their own, with
    the bound.
    """
    worst, draws = 0., np.random.default_rng(1)
    for n, t in [(3, 1), (10, 0), (10, 4), (101, 50), (1000, 10), (1000, 300)]:
        x = np.r_[np.zeros(n - t), 10. * np.arange(1, t + 1)][:, None]
        bound = (n - t) * (1 - 2 * t / (n - 1))
        worst = max(worst, abs(weights(x, radius=1).sum() - bound) / n)
        x[n - t:, 0] = draws.choice([.5, 1, 1.5, 10], size=t)
        assert weights(x, radius=1).sum() >= bound - 1e-9
    assert worst < 1e-12
    return f"six totals agree with the formula {to(worst)}, six others keep to the bound"


def log_odds(weights, others, inside):
    """ln of the largest ratio, between two worlds, of the chance of an event of the worst algorithm on what is kept.

    The event has the chance c e^(±ε' j), as many signs as records that are kept, with c tiny: each record has a sign of its own.
    """
    grow, shrink = np.expm1(inside), np.expm1(-inside)
    up = np.log1p(weights * grow) - np.log1p(others * grow)
    down = np.log1p(weights * shrink) - np.log1p(others * shrink)
    return np.maximum(up, down).sum(axis=-1)


def events(inside, lost, most):
    """Chances of an event that grow as fast as they may with each of so many records."""
    chances = [0.]
    for _ in range(most):
        v = chances[-1]
        chances.append(min(np.exp(inside) * v + lost, 1 - np.exp(-inside) * (1 - v - lost), 1))
    return np.array(chances)


def excess(weights, others, epsilon, inside, lost):
    """The largest δ at ε between two worlds, for the event that grows with each record by which
    what is kept becomes more like the second world."""
    second_has_more = others > weights
    here, there = (np.where(second_has_more, p, 1 - p) for p in (weights, others))
    chances = events(inside, lost, weights.shape[-1])
    first, second = (expected(p, chances) for p in (here, there))
    return (second - np.exp(epsilon) * first).max()


def expected(p, chances):
    """The mean of a function of the number of independent coins that show 1."""
    numbers = np.zeros((*p.shape[:-1], p.shape[-1] + 1))
    numbers[..., 0] = 1
    for q in np.moveaxis(p, -1, 0)[..., None]:
        numbers[..., 1:] = numbers[..., 1:] * (1 - q) + numbers[..., :-1] * q
        numbers[..., :1] *= 1 - q
    return numbers @ chances


def core(epsilon=friendly_core_epsilon, delta=friendly_core_delta, weights=friendly_weights):
    """What the theorem speaks of, with room for mistakes."""
    return epsilon, delta, weights


@claim("thm-kept-at-random", *core(),
       mutants={"2 in place of 3, as for somebody who joins":
                core(epsilon=lambda *, epsilon: np.log1p(epsilon / 2)),
                "all of ε inside": core(epsilon=lambda *, epsilon: epsilon),
                "all of δ inside": core(delta=lambda *, epsilon, delta: delta),
                "δ/3 inside": core(delta=lambda *, epsilon, delta: delta / 3),
                "the printed weight": core(weights=filtered(lambda c, n: printed_weights(c))),
                "the usual weights: survivors are strangers": core(weights=unshifted()),
                "keep or drop": core(weights=lambda x, *, radius: kept_by_half(
                    x, radius=radius).astype(float))})
def test_random_core(inner, lost, weights):
    """Compute the largest ratio of two worlds, and the largest δ, for algorithms whose events have
    chances as far apart as they may, exactly, for all relations among up to six records and for
    200 records that lose one. They must stay below ε and δ, and come near.
    """
    nearest = nearest_delta = 0.
    for epsilon in (.03, .3, 1., 3.):
        inside, part = inner(epsilon=epsilon), lost(epsilon=epsilon, delta=1e-6)
        found, most = [], []
        lone = np.zeros((2, 200, 1))
        lone[1, 0] = 9
        pairs = [two_worlds(weights, n)[1:] for n in (3, 4, 5)] + [weights(lone, radius=1)]
        assert all(worlds_agree(weights, n) for n in (3, 4, 5))
        for w, v in pairs:
            found.append(log_odds(w, v, inside).max())
            most.append(max(excess(*order, epsilon, inside, part) for order in ((w, v), (v, w))))
        assert max(found) <= epsilon * (1 + 1e-9), (epsilon, found)
        assert max(most) <= 1e-6 * (1 + 1e-9), (epsilon, most)
        nearest = max(nearest, max(found) / epsilon)
        nearest_delta = max(nearest_delta, max(most) / 1e-6)
    assert nearest > .95 and nearest_delta > .95
    return f"the largest ratio is e to the power {nearest:.3f} ε, and the largest δ {nearest_delta:.3f} of it"


CELLS = np.unique(np.r_[-np.inf, np.linspace(-60, 60, 2001), np.linspace(-1, 1, 4001), np.inf])


def planned(noise=1., margin=1.):
    """friendly_core_plan, with room for mistakes."""
    def plan(**given):
        right = friendly_core_plan(**given)
        return right._replace(sigma=noise * right.sigma,
                              passes_above=right.floor + margin * (right.passes_above - right.floor))
    return plan


def answers(plan, inside, size, mean):
    """The distribution of the mean of so many kept records on a line, and of a refusal, last."""
    gap = (size - plan.passes_above) * plan.split * inside
    passes = (1 - np.exp(-gap) / 2 if gap > 0 else np.exp(gap) / 2) * (size > 0)
    cells = np.maximum(np.diff(ndtr((CELLS - mean) / plan.sigma)), 0)
    return np.append(passes * cells, 1 - passes)


@claim("cor-core-mean", friendly_core_plan,
       mutants={"half of the noise": planned(noise=.5), "80% of the noise": planned(noise=.8),
                "no margin in the test": planned(margin=0.), "half of the margin": planned(margin=.5)})
def test_mean_of_a_core(plan):
    """Compute the distribution of the answer on a line, if a record is kept as far from all others
    as friendly records may be, and if it is not, at 36 numbers of kept records. Compare the exact δ
    of each pair, in both orders, with what may be spent inside.
    """
    worst, shown, pairs = 0., 0., 0
    for size, epsilon, delta in ((46, 2., 1e-3), (400, 2., 1e-3), (3000, .5, 1e-5), (200, 6., 1e-4)):
        made = plan(size=size, radius=1, epsilon=epsilon, delta=delta)
        inside = friendly_core_epsilon(epsilon=epsilon)
        allowed = friendly_core_delta(epsilon=epsilon, delta=delta)
        sizes = np.r_[0, np.linspace(1, made.floor, 8), np.floor(made.floor) + np.arange(-3, 9), np.linspace(made.floor, size, 4)]
        for m in np.unique(sizes.astype(int)):
            without = answers(made, inside, m, 0.)
            including = answers(made, inside, m + 1, 2 / (m + 1))
            both = [(without, including), (including, without)]
            found = max(hockey_stick(*order, epsilon=inside) for order in both)
            if m + 1 > made.floor:       # the answers alone, as if the test were always passed
                both = [[p[:-1] / p[:-1].sum() for p in order] for order in both]
                left = (1 - made.split) * inside
                alone = max(hockey_stick(*order, epsilon=left) for order in both)
                assert alone <= allowed * (1 + 1e-9), (size, m)
                shown = max(shown, alone / allowed)
            worst, pairs = max(worst, found / allowed), pairs + 1
            assert found <= allowed * (1 + 1e-9), (size, m)
    assert shown > .9
    return f"at most {worst:.3f} of δ' on {pairs} pairs, {shown:.3f} if the test is passed anyway"
