"""The statements of the page on friends and their weights."""

from itertools import product

import numpy as np

from dplib.friendly import friend_counts, friendly_core_epsilon, friendly_weights
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


@claim("thm-kept-at-random", friendly_core_epsilon, friendly_weights,
       mutants={"2 in place of 3, as for somebody who joins": (lambda *, epsilon: np.log1p(epsilon / 2), friendly_weights),
                "all of ε inside": (lambda *, epsilon: epsilon, friendly_weights),
                "the printed weight": (friendly_core_epsilon, filtered(lambda c, n: printed_weights(c))),
                "the usual weights: survivors are strangers": (friendly_core_epsilon, unshifted()),
                "keep or drop": (friendly_core_epsilon, lambda x, *, radius: kept_by_half(x, radius=radius).astype(float))})
def test_random_core(inner, weights):
    """Compute the largest ratio of two worlds for an algorithm whose events have chances as far apart as it may, exactly, for
    all relations among up to six records and for up to 200 records that lose one. It must stay below ε, and come near.
    """
    nearest = 0.
    for epsilon in (.03, .3, 1., 3.):
        inside = inner(epsilon=epsilon)
        found = []
        for n in (3, 4, 5):
            assert worlds_agree(weights, n)
            _, w, v = two_worlds(weights, n)
            found.append(log_odds(w, v, inside).max())
        x = np.zeros((2, 200, 1))
        x[1, 0] = 9
        w, v = weights(x, radius=1)
        found.append(log_odds(w, v, inside))
        assert max(found) <= epsilon * (1 + 1e-9), (epsilon, found)
        nearest = max(nearest, max(found) / epsilon)
    assert nearest > .95
    return f"the largest ratio is e to the power {nearest:.3f} ε"
