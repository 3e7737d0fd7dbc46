"""Factorizations: exact identities against dense oracles, golden values, certificates against a solver, and the releases."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.linalg import hadamard, toeplitz

from dplib.factorization import (
    center_factorization, central_variance, factorization_of, gamma2, hierarchical_factorization, identity_factorization,
    interval_workload, local_gaussian_variance, local_variance, optimal_factorization, parity_workload, release_central,
    release_central_error_bound, release_local, release_local_error_bound, release_local_gaussian, release_local_sample_size,
    square_root_factorization,
    threshold_workload)
from dplib.local import l2_ball_scale
from dplib.mechanisms import gaussian_sigma
from tests.chance import rng


def dense(operator):
    return operator if isinstance(operator, np.ndarray) else operator @ np.eye(operator.shape[1])


def check(factorization):
    """W = RA + u 1ᵀ, and the stored norms and diameter are those of the matrices."""
    W, R, A = (dense(part) for part in (factorization.workload, factorization.R, factorization.A))
    assert np.allclose(R @ A + factorization.offset[:, None], W, rtol=0, atol=1e-12 * np.abs(W).max())
    assert np.allclose(np.linalg.norm(R, axis=1), factorization.row_norms, rtol=0, atol=1e-12 * np.abs(R).max())
    assert np.allclose(np.linalg.norm(A, axis=0), factorization.column_norms, rtol=0, atol=1e-12 * np.abs(A).max())
    farthest = max(np.linalg.norm(A - A[:, [k]], axis=0).max() for k in range(A.shape[1]))
    slack = np.abs(A).max() * 1e-7                                           # a root of a difference of squares
    assert farthest * (1 - 1e-14) <= factorization.diameter <= farthest * (1 + 1e-11) + slack
    assert factorization.dimension == A.shape[0]
    return W, R, A


# --- workloads ------------------------------------------------------------------------------------------------------------

def test_workloads():
    assert np.array_equal(threshold_workload(cells=3), [[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    assert np.array_equal(threshold_workload(cells=1), [[1]]) and np.array_equal(parity_workload(dimension=0), [[1]])
    intervals = interval_workload(cells=5)
    assert {tuple(row) for row in intervals} == {tuple(float(i <= x <= j) for x in range(5)) for i in range(5) for j in range(i, 5)}
    assert len(intervals) == 15
    parities = parity_workload(dimension=3)
    assert all(parities[s, x] == (-1) ** (s & x).bit_count() for s in range(8) for x in range(8))


@pytest.mark.parametrize("make, wrong", [(threshold_workload, dict(cells=0)), (interval_workload, dict(cells=2**9 + 1)),
                                         (parity_workload, dict(dimension=14)), (hierarchical_factorization, dict(cells=1)),
                                         (square_root_factorization, dict(cells=1.5)), (square_root_factorization, dict(cells=1))])
def test_sizes_out_of_range_are_refused(make, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        make(**wrong)


# --- factors --------------------------------------------------------------------------------------------------------------

def test_identity_and_its_centre():
    W = rng(1).normal(size=(3, 16))
    check(identity_factorization(W))
    centred = center_factorization(identity_factorization(W), gap=1e-6)
    check(centred)
    assert centred.column_norms.max() == pytest.approx(math.sqrt(15 / 16), rel=2e-6)


@pytest.mark.parametrize("seed", range(6))
def test_the_ball_around_the_columns_is_the_smallest(seed):
    """In the plane: the smallest circle is that of two or of three of the points."""
    A = rng(seed).normal(size=(2, 7))

    def circle(points):
        first, others = points[:, :1], points[:, 1:]
        edges = others - first
        centre = first[:, 0] + np.linalg.lstsq(2 * edges.T, (edges**2).sum(axis=0), rcond=None)[0]
        return np.linalg.norm(A - centre[:, None], axis=0).max()

    pairs = [circle(A[:, [i, j]]) for i in range(7) for j in range(i)]
    triples = [circle(A[:, [i, j, k]]) for i in range(7) for j in range(i) for k in range(j)]
    found = center_factorization(factorization_of(A, R=np.eye(2), A=A), gap=1e-4).column_norms.max()
    assert min(pairs + triples) * (1 - 1e-12) <= found <= min(pairs + triples) * (1 + 1e-4)


def test_factors_that_do_not_fit_are_refused():
    good = dict(R=np.eye(2), A=np.eye(2))
    assert factorization_of(np.eye(2), **good).gap == np.inf and factorization_of(np.eye(2), **good, lower=1).gap == 0
    for wrong, name in [(dict(A=2 * np.eye(2)), "difference"), (dict(A=np.ones((3, 2))), "shapes"), (dict(A=np.ones((2, 3))), "shapes"),
                        (dict(u=[1]), "u must"), (dict(R=[[np.nan, 0], [0, 1]]), "R must"), (dict(R=[1, 2]), "R must")]:
        with pytest.raises(ValueError, match=name):
            factorization_of(np.eye(2), **good | wrong)
    with pytest.raises(ValueError, match="workload"):
        identity_factorization(np.zeros((0, 3)))


# --- the tree and the square root ------------------------------------------------------------------------------------------

def tree(cells):
    """The blocks of the tree over the next power of two, root first, as rows over the cells."""
    L = math.ceil(math.log2(cells))
    blocks = [np.arange(2**L) // 2**s == i for s in range(L, -1, -1) for i in range(2 ** (L - s))]
    return np.array(blocks, dtype=float), L


@pytest.mark.parametrize("cells", [2, 3, 4, 5, 8, 13, 16, 64])
@pytest.mark.parametrize("centered", [False, True])
def test_the_tree_is_that_of_the_matrices(cells, centered):
    B, L = tree(cells)
    W = np.tri(2**L)
    if centered:
        W, B = W - W.mean(axis=1, keepdims=True), (B - B.mean(axis=1, keepdims=True))[1:]
    plain, least = (check(hierarchical_factorization(cells=cells, least_squares=ls, centered=centered)) for ls in (False, True))
    assert np.allclose(plain[2], B[:, :cells], atol=1e-12) and np.allclose(least[2], plain[2], atol=1e-12)
    assert np.allclose(least[1], (W @ np.linalg.pinv(B))[:cells], atol=1e-10)
    assert np.isin(plain[1], (0, 1)).all()
    digits = [bin(j).count("1") for j in range(1, cells + 1)]
    if centered and cells == 2**L:
        digits[-1] = 0
    assert np.array_equal(plain[1].sum(axis=1), digits)


def test_the_tree_in_numbers():
    assert hierarchical_factorization(cells=8).error == pytest.approx(math.sqrt(12))
    assert hierarchical_factorization(cells=64).error == pytest.approx(math.sqrt(42))
    for cells, value in [(8, 2.01), (16, 2.37), (64, 3.07), (256, 3.76)]:
        assert round(hierarchical_factorization(cells=cells, least_squares=True).error, 2) == value


@pytest.mark.parametrize("cells", [2, 3, 7, 8, 64])
@pytest.mark.parametrize("centered", [False, True])
def test_the_square_root_is_that_of_the_matrix(cells, centered):
    W, R, A = check(square_root_factorization(cells=cells, centered=centered))
    a = [math.comb(2 * k, k) / 4**k for k in range(cells)]
    assert np.allclose(R, np.tril(toeplitz(a)), atol=1e-12)
    if not centered:
        assert np.allclose(A, R, atol=1e-12) and np.allclose(A @ A, np.tri(cells), atol=1e-12)


def test_the_square_root_in_numbers():
    for cells, value in [(8, 1.718379), (64, 2.388848), (1024, 3.272554)]:
        assert square_root_factorization(cells=cells).error == pytest.approx(value, abs=1e-6)
    for cells in (2, 10, 1000, 2**20):
        excess = square_root_factorization(cells=cells).error - np.log(cells) / np.pi
        assert 1 < excess < (np.euler_gamma + 4 * np.log(2)) / np.pi + 1e-12
    assert 2 * square_root_factorization(cells=64, centered=True).error * math.sqrt(np.pi / 2) == pytest.approx(4.68, abs=.01)


@pytest.mark.parametrize("make", [hierarchical_factorization, lambda **given: hierarchical_factorization(**given, least_squares=True),
                                  square_root_factorization])
def test_several_data_sets_at_once_are_each_by_itself(make):
    factorization, x = make(cells=21, centered=True), rng(2).normal(size=(21, 3))
    for part, y in ((factorization.A, x), (factorization.R, rng(3).normal(size=(factorization.dimension, 3)))):
        assert np.allclose(part @ y, np.stack([part @ column for column in y.T], axis=1), atol=1e-12)


# --- the best one -----------------------------------------------------------------------------------------------------------

def semidefinite(W, centered):
    """min t such that [[P, W - u 1ᵀ], [.ᵀ, Q]] is positive semidefinite with diagonals at most t, by another program: SCS."""
    import scs
    from scipy import sparse

    m, n = W.shape
    s, place = m + n, np.zeros((m + n, m + n), dtype=int)
    lower = [(i, j) for j in range(s) for i in range(j, s)]                 # SCS wants columns of the lower triangle
    place[tuple(zip(*lower))] = range(len(lower))
    free, entries, fixed = 1 + m, [], np.zeros(len(lower))                  # variables: t, u, then P and Q below the diagonal
    bounds = [((i, 0, -1.), (i, free + place[i, i], 1.)) for i in range(s)]                            # X_ii ≤ t
    for row, (i, j) in enumerate(lower):
        scale = 1. if i == j else math.sqrt(2)
        if i >= m > j:
            fixed[row] = scale * W[j, i - m]
            entries += [(s + row, 1 + j, scale)] if centered else []        # slack = b - Ax = W - u
        else:
            entries.append((s + row, free + row, -scale))
    rows, columns, values = zip(*entries, *(entry for pair in bounds for entry in pair))
    A = sparse.csc_matrix((values, (rows, columns)), shape=(s + len(lower), free + len(lower)))
    c = np.zeros(free + len(lower))
    c[0] = 1
    solver = scs.SCS(dict(A=A, b=np.r_[np.zeros(s), fixed], c=c), dict(l=s, s=[s]), eps_abs=1e-6, eps_rel=1e-6, verbose=False,
                     max_iters=200_000)
    solution = solver.solve()
    assert solution["info"]["status"] == "solved"
    return solution["info"]["pobj"]


def random_workloads(count=20):
    """Of many kinds, m + N ≤ 40: signs, thresholds of random cells, few values, low rank, with equal, zero and small rows."""
    draw = rng(10)
    for i in range(count):
        m, n = draw.integers(2, 21, 2)
        W = [np.sign(draw.normal(size=(m, n))), (draw.random((m, 1)) > draw.random(n)).astype(float),
             draw.integers(0, 3, (m, n)) - 1., draw.normal(size=(m, 2)) @ draw.normal(size=(2, n)),
             draw.normal(size=(m, n)) * 10. ** draw.uniform(-2, 2, (m, 1))][i % 5]
        W[-1] = W[0] if i % 2 else 0
        yield W


@pytest.mark.parametrize("centered", [False, True])
def test_primal_dual_and_a_solver_agree(centered):
    for W in random_workloads():
        best = optimal_factorization(W, gap=1e-4, centered=centered)
        check(best)
        assert best.lower <= best.error <= best.lower * (1 + 1e-4) or best.error == 0
        assert semidefinite(W, centered) == pytest.approx(best.error, rel=1e-3, abs=1e-5)


GOLDEN = {2: (1.1547, .5), 4: (1.3261, .7471), 8: (1.5105, .9701), 16: (1.7045, 1.1867), 32: (1.9054, 1.4019)}


@pytest.mark.parametrize("cells", GOLDEN)
def test_thresholds_in_numbers(cells):
    for centered, value in zip((False, True), GOLDEN[cells]):
        best = optimal_factorization(threshold_workload(cells=cells), gap=1e-5, centered=centered)
        assert best.lower - 1e-4 <= value <= best.error + 1e-4 and best.gap <= 1e-5


def test_other_workloads_in_numbers():
    wraps = (np.arange(16) - np.arange(16)[:, None]) % 16 < 8
    short = (np.arange(15) - np.arange(15)[:, None]) % 15 < 7
    pairs = np.array([(-1.) ** ((np.arange(16) >> i & 1) == a) + (-1.) ** ((np.arange(16) >> j & 1) == b) == 2
                      for i in range(4) for j in range(i) for a in (0, 1) for b in (0, 1)])
    for W, centered, value in [(np.ones((16, 16)), False, 1), (np.eye(16), False, 1), (np.eye(16), True, .9375),
                               (interval_workload(cells=8), False, 1.636), (interval_workload(cells=8), True, 1.106),
                               (hadamard(16)[:11], False, math.sqrt(11)), (parity_workload(dimension=4), False, 4), (wraps, False, 1.6435),
                               (wraps, True, 1.1435), (short, False, 1.7767), (short, True, 1.31), (pairs, False, 1.5695)]:
        assert gamma2(W.astype(float), gap=1e-5, centered=centered) == pytest.approx(value, abs=6e-4)


def test_sixty_four_cut_points_and_more():
    assert gamma2(threshold_workload(cells=64), gap=1e-4) == pytest.approx(2.1114, abs=3e-4)
    best = optimal_factorization(threshold_workload(cells=256), gap=1e-3)
    assert 2.5326 < best.lower <= best.error < 2.5353 and best.gap <= 1e-3
    assert gamma2(threshold_workload(cells=64), gap=1e-4, centered=True) == pytest.approx(1.6175, abs=3e-4)


@pytest.mark.parametrize("W", [np.zeros((2, 3)), np.ones((1, 1)), np.ones((3, 1)), [[0, 0, 5]], [[1, 0], [0, 0]], np.eye(3)[[0, 0, 1]],
                               1e-300 * np.eye(3), 1e300 * np.tri(3), np.outer([1, 1e-6], [1, 1e6]), np.array([[1, 1], [1, 2]])])
@pytest.mark.parametrize("centered", [False, True])
def test_corners(W, centered):
    best = optimal_factorization(W, gap=1e-4, centered=centered)
    check(best)
    assert best.lower <= best.error <= best.lower * (1 + 1.01e-4)
    constant = not np.ptp(np.asarray(W, dtype=float), axis=1).any()
    assert (best.error == 0) == (constant if centered else not np.any(W))


def test_what_the_norm_promises():
    """Scaling, transposing, repeating and leaving out questions; and the triangle inequality."""
    draw = rng(5)
    V, W = draw.normal(size=(2, 6, 9))
    value = lambda W: gamma2(W, gap=1e-5)
    assert value(-3 * W) == pytest.approx(3 * value(W), rel=2e-5)
    assert value(W.T) == pytest.approx(value(W), rel=2e-5)
    assert value(np.vstack([W, W, 0 * W])) == pytest.approx(value(W), rel=2e-5)
    assert value(W[:4]) <= value(W) * (1 + 1e-5) and value(V + W) <= (value(V) + value(W)) * (1 + 1e-5)
    assert gamma2(W + draw.normal(size=(6, 1)), gap=1e-5, centered=True) == pytest.approx(gamma2(W, gap=1e-5, centered=True), rel=2e-5)


@pytest.mark.parametrize("wrong", [dict(gap=0), dict(gap=1), dict(gap=1e-7), dict(gap=np.nan), dict(workload=[[np.inf]]),
                                   dict(workload=[1, 2])])
def test_what_the_search_refuses(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        optimal_factorization(**dict(workload=np.eye(2), gap=.1) | wrong)


# --- releases -----------------------------------------------------------------------------------------------------------------

def families(cells, draw):
    W = [threshold_workload(cells=cells), draw.normal(size=(5, cells)), np.sign(draw.normal(size=(cells, cells)))][draw.integers(3)]
    centered = bool(draw.integers(2))
    yield optimal_factorization(W, gap=.05, centered=centered)
    yield square_root_factorization(cells=cells, centered=centered)
    yield hierarchical_factorization(cells=cells, least_squares=bool(draw.integers(2)), centered=centered)
    yield identity_factorization(W)


def test_predicted_and_measured_variances_agree_in_200_settings():
    """Trials enough for a standard error of a sixth of 5% where noise is Gaussian or lighter tailed. Sums over the questions
    are compared: a single one has the same prediction, and the sum less noise."""
    draw, worst = rng(20), 0.
    for setting in range(50):
        cells, n = int(draw.integers(2, 9)), int(draw.integers(5, 30))
        epsilon, p = float(np.exp(draw.uniform(-2, 1.5))), draw.dirichlet(np.ones(cells))
        for kind, factorization in enumerate(families(cells, draw)):
            if kind % 2:
                neighbor = "replace" if factorization.offset.any() or setting % 2 else "add_remove"
                given = dict(epsilon=epsilon, delta=1e-5, neighbor=neighbor)
                x, predicted = draw.integers(0, cells, n), central_variance(factorization, **given)
                answers = release_central(np.tile(x, (30_000, 1)), factorization, **given, runs=True, rng=draw)
                exact = dense(factorization.workload) @ np.bincount(x, minlength=cells)
            else:
                x, predicted = draw.choice(cells, size=(20_000, 1), p=p), local_variance(p, factorization, size=1, epsilon=epsilon)
                answers, exact = single(x, factorization, epsilon, draw), dense(factorization.workload) @ p
            spread = np.sqrt(predicted / len(answers))
            assert np.all(np.abs(answers.mean(axis=0) - exact) <= 6.5 * spread + 1e-9)
            measured, predicted = answers.var(axis=0).sum(), predicted.sum()
            worst = max(worst, abs(measured / predicted - 1) if predicted else measured)
    assert worst < .05


def single(x, factorization, epsilon, draw):
    """Answers from one person each, of all people at once: what `release_local` averages."""
    from dplib.local import l2_ball_randomizer
    A, R = dense(factorization.A), dense(factorization.R)
    if not A.any():
        return np.zeros((len(x), 1)) @ R.T[:1] + factorization.offset
    messages = l2_ball_randomizer(A.T[x[:, 0]], radius=float(factorization.column_norms.max()), epsilon=epsilon, rng=draw)
    return messages @ R.T + factorization.offset


def test_a_local_release_is_the_average_of_messages():
    """Bias and variance of whole releases, several data sets at a time, and the same numbers from the operator as from matrices."""
    p, n, epsilon = np.array([.5, .2, 0, .3]), 40, .7
    x = rng(1).choice(4, size=(3000, n), p=p)
    root = square_root_factorization(cells=4, centered=True)
    matrices = factorization_of(np.tri(4), R=dense(root.R), A=dense(root.A), u=root.offset)
    answers = release_local(x, root, epsilon=epsilon, runs=True, rng=rng(2))
    assert np.allclose(answers, release_local(x, matrices, epsilon=epsilon, runs=True, rng=rng(2)), atol=1e-9)
    predicted = local_variance(p, root, size=n, epsilon=epsilon)
    assert np.all(np.abs(answers.mean(axis=0) - np.cumsum(p)) < 6.5 * np.sqrt(predicted / 3000))
    assert np.allclose(answers.var(axis=0), predicted, rtol=.18)             # 6.5 standard errors of a variance
    assert np.all(predicted <= local_variance(None, root, size=n, epsilon=epsilon))
    bound = release_local_error_bound(root, size=n, epsilon=epsilon, beta=.1)
    assert np.mean(np.abs(answers - np.cumsum(p)).max(axis=1) > bound) < .1


def test_a_local_gaussian_release():
    p, n, given = np.array([.5, .2, .3]), 10, dict(epsilon=1, delta=1e-4)
    x = rng(1).choice(3, size=(4000, n), p=p)
    root = square_root_factorization(cells=3)
    answers = release_local_gaussian(x, root, **given, runs=True, rng=rng(2))
    predicted = local_gaussian_variance(p, root, size=n, **given)
    assert np.allclose(local_gaussian_variance(p, root, size=1, **given), n * predicted)
    assert np.all(np.abs(answers.mean(axis=0) - np.cumsum(p)) < 6.5 * np.sqrt(predicted / 4000))
    assert np.allclose(answers.var(axis=0), predicted, rtol=6.5 * math.sqrt(2 / 4000))
    assert np.allclose(predicted, (gaussian_sigma(sensitivity=root.diameter, **given) ** 2 * root.row_norms**2
                                   + np.cumsum(p) * (1 - np.cumsum(p))) / n)


def test_releases_in_numbers():
    sd = lambda f: round(float(np.sqrt(local_variance(None, f, size=20_000, epsilon=1).max())), 4)
    tree = hierarchical_factorization
    assert [sd(f) for f in (tree(cells=64), tree(cells=64, least_squares=True), square_root_factorization(cells=64),
                            square_root_factorization(cells=64, centered=True), identity_factorization(np.tri(64)))] == [
        .1240, .0587, .0456, .0357, .1528]
    best = [optimal_factorization(np.tri(16), gap=1e-4, centered=c) for c in (False, True)]
    assert [sd(f) for f in best] == [.0322, .0224]
    sd = lambda f: round(float(np.sqrt(central_variance(f, epsilon=1, delta=1e-6, neighbor="add_remove").max())), 1)
    assert [sd(f) for f in (identity_factorization(np.tri(1024)), tree(cells=1024), square_root_factorization(cells=1024))] == [
        135.2, 44.3, 13.8]
    bound = release_local_error_bound(tree(cells=64), size=20_000, epsilon=1, beta=.05)
    B, L = math.sqrt(7) * l2_ball_scale(radius=1, dimension=127, epsilon=1), math.log(128 / .05)
    v = 6 * B**2 / 127
    assert bound == pytest.approx(math.sqrt(2 * v * L / 20_000) + B * math.sqrt(6) * L / 60_000)


def test_answers_that_nobody_can_change_get_no_noise():
    constant = optimal_factorization(np.full((2, 3), 4.), gap=.1, centered=True)
    assert np.array_equal(release_local([0, 1, 2], constant, epsilon=1, rng=rng()), [4, 4])
    assert np.array_equal(release_local_gaussian([0, 1], constant, epsilon=1, delta=.1, rng=rng()), [4, 4])
    assert np.array_equal(release_central([0, 1], constant, epsilon=1, delta=.1, neighbor="replace", rng=rng()), [8, 8])
    assert not local_variance(None, constant, size=1, epsilon=1).any()
    assert not central_variance(constant, epsilon=1, delta=.1, neighbor="replace").any()


def test_a_million_cells_without_a_matrix():
    N = 2**20
    x = rng(1).integers(0, N, 50_000)
    exact = np.cumsum(np.bincount(x, minlength=N))
    for factorization in (square_root_factorization(cells=N), hierarchical_factorization(cells=N, least_squares=True)):
        answers = release_central(x, factorization, epsilon=1, delta=1e-6, neighbor="add_remove", rng=rng(2))
        predicted = central_variance(factorization, epsilon=1, delta=1e-6, neighbor="add_remove")
        assert np.abs(answers - exact).max() < release_central_error_bound(
            factorization, epsilon=1, delta=1e-6, beta=1e-6, neighbor="add_remove")
        assert np.mean((answers - exact) ** 2 / predicted) == pytest.approx(1, abs=.2)


def test_the_noise_of_a_curator_is_correlated_as_it_should_be():
    """Release of no records: the covariance is that of R times independent noise."""
    root, given = square_root_factorization(cells=4), dict(epsilon=1, delta=1e-4, neighbor="add_remove")
    answers = release_central(np.zeros((100_000, 0), dtype=int), root, **given, runs=True, rng=rng(3))
    sigma = gaussian_sigma(sensitivity=root.column_norms.max(), epsilon=1, delta=1e-4)
    covariance = sigma**2 * dense(root.R) @ dense(root.R).T
    assert np.allclose(np.cov(answers.T), covariance, atol=6.5 * sigma**2 * root.row_norms.max() ** 2 * math.sqrt(2 / 100_000))
    assert np.all(np.abs(answers.mean(axis=0)) < 6.5 * np.sqrt(np.diag(covariance) / 100_000))


ROOT = square_root_factorization(cells=3)


@pytest.mark.parametrize("release, wrong, name", [
    (release_local, dict(epsilon=0), "epsilon"), (release_local, dict(labels=[0, 3]), "labels"), (release_local, dict(labels=[]), "labels"),
    (release_local, dict(labels=2), "labels"), (release_local, dict(labels=[.5]), "labels"),
    (release_local_gaussian, dict(delta=1), "delta"), (release_central, dict(delta=0), "delta"),
    (release_central, dict(labels=[-1]), "labels"), (release_central, dict(neighbor="swap"), "neighbor"),
    (release_central, dict(neighbor="add_remove", factorization=square_root_factorization(cells=3, centered=True)), "neighbor")])
def test_what_a_release_refuses(release, wrong, name):
    own = {release_local: {}, release_local_gaussian: dict(delta=.1), release_central: dict(delta=.1, neighbor="replace")}[release]
    given = dict(labels=[0, 1], factorization=ROOT, epsilon=1) | own | wrong
    with pytest.raises(ValueError, match=name):
        release(**given, rng=rng())


@pytest.mark.parametrize("release", [release_local, release_local_gaussian, release_central])
def test_a_release_needs_a_generator(release):
    given = {release_local: {}, release_local_gaussian: dict(delta=.1), release_central: dict(delta=.1, neighbor="replace")}[release]
    given |= dict(epsilon=1)
    with pytest.raises(TypeError, match="rng"):
        release([0, 1], ROOT, **given, rng=7)


def test_what_the_predictions_refuse():
    for p in ([1, 0], [.5, .5, .5], [-1, 1, 1]):
        with pytest.raises(ValueError, match="p must"):
            local_variance(p, ROOT, size=1, epsilon=1)
    with pytest.raises(ValueError, match="size"):
        release_local_error_bound(ROOT, size=0, epsilon=1, beta=.1)
    for wrong, name in ((dict(accuracy=0), "accuracy"), (dict(epsilon=-1), "epsilon"), (dict(beta=1), "beta"),
                        (dict(accuracy=1e-12), "answer")):
        with pytest.raises(ValueError, match=name):
            release_local_sample_size(ROOT, **dict(accuracy=.1, epsilon=1, beta=.1) | wrong)


def test_the_number_of_people_is_the_least_that_the_bound_allows():
    ways = ROOT, hierarchical_factorization(cells=300), optimal_factorization(np.eye(3), gap=.1, centered=True)
    for made, accuracy in itertools.product(ways, (5, .3, .004)):
        n = release_local_sample_size(made, accuracy=accuracy, epsilon=.7, beta=.01)
        bound = lambda n: release_local_error_bound(made, size=n, epsilon=.7, beta=.01)
        assert isinstance(n, int) and bound(n) <= accuracy * (1 + 1e-12) and (n == 1 or bound(n - 1) > accuracy * (1 - 1e-12))
    constant = optimal_factorization(np.full((2, 3), 4.), gap=.1, centered=True)
    assert release_local_sample_size(constant, accuracy=1e-9, epsilon=1, beta=.1) == 1
    wide = factorization_of(np.ones((1, 1)), R=np.eye(1, 1000), A=np.eye(1000, 1))      # few people: the bound without B is smaller
    v, L = local_variance(None, wide, size=1, epsilon=1)[0], math.log(2 / .1)
    assert release_local_error_bound(wide, size=50, epsilon=1, beta=.1) == pytest.approx(2 * math.sqrt(v * L / 50))


# --- what rounding may do -------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("power", [1, 2, 4])
@pytest.mark.parametrize("centered", [False, True])
def test_questions_of_ever_smaller_weight(power, centered):
    """Singular values below the rounding of the largest are found in a second round, for the rest of W."""
    W = np.tri(8) * (10.0 ** (-power * np.arange(8)))[:, None]
    best = optimal_factorization(W, gap=1e-3, centered=centered)
    check(best)
    assert best.gap < 2e-3


@pytest.mark.parametrize("offset", [0, 1, 1.7e9, 1e12, 1e15])
def test_what_all_columns_share_does_not_swallow_their_distance(offset):
    factorization = factorization_of(np.array([[0, 10, 3]]) + offset, R=[[1]], A=np.array([[0, 10, 3]]) + offset)
    assert 10 <= factorization.diameter <= 10 * (1 + 1e-11)
    norms = factorization.column_norms
    naive = math.sqrt(max(0, np.max(norms[:, None] ** 2 + norms**2 - 2 * factorization.A.T @ factorization.A)))
    assert (abs(naive - 10) < 1e-6) == (offset < 100)                      # what it was: 0 at 1.7e9, 23,170 at 1e12


def toeplitz_of_root(N):
    k = np.arange(1, N)
    return toeplitz(np.cumprod(np.concatenate([[1.0], (2 * k - 1) / (2 * k)])), np.zeros(N))


def tree_of(N):
    return dense(hierarchical_factorization(cells=N).A)


MADE = {  # how to make it, and the columns, up to a vector that all of them share
    "a matrix": (lambda N: optimal_factorization(np.tri(N), gap=1e-2), lambda made: made.A),
    "a centred one": (lambda N: center_factorization(identity_factorization(np.tri(N))), lambda made: made.A),
    "the tree": (lambda N: hierarchical_factorization(cells=N), lambda made: tree_of(made.A.shape[1])),
    "the centred tree": (lambda N: hierarchical_factorization(cells=N, centered=True), lambda made: tree_of(made.A.shape[1])[1:]),
    "the root": (lambda N: square_root_factorization(cells=N), lambda made: toeplitz_of_root(made.A.shape[1])),
    "the centred root": (lambda N: square_root_factorization(cells=N, centered=True), lambda made: toeplitz_of_root(made.A.shape[1]))}


@pytest.mark.parametrize("make, columns", MADE.values(), ids=MADE)
def test_products_are_as_near_as_they_say(make, columns):
    """How far two data sets of one size are apart, in floats and in fractions; `rounding` of each record is paid for on both sides."""
    for N in (4, 37, 64):
        made = make(N)
        exact = [[Fraction(float(a)) for a in row] for row in columns(made)]
        heap, spread = np.eye(N, dtype=int)[N // 2] * 10**6 * N, np.full(N, 10**6)
        uneven = rng(N).multinomial(10**6 * N, rng(N).dirichlet(np.full(N, 0.1)))
        for x, y in ((heap, spread), (spread, uneven), (uneven, heap)):
            seen = made.A @ x.astype(float) - made.A @ y.astype(float)
            true = [sum(a * int(c) for a, c in zip(row, x - y, strict=True)) for row in exact]
            off = math.sqrt(sum((Fraction(float(s)) - t) ** 2 for s, t in zip(seen, true, strict=True)))
            assert off <= 2 * made.rounding * x.sum()
        assert made.rounding <= 1e-12 * made.column_norms.max()


@pytest.mark.parametrize("size", [5e-324, 1e-300, 1e-170, 1e-155, 1, 1e150])
def test_tiny_and_huge_factors_have_their_noise(size):
    """Squares of tiny entries are no floats: with norms of 0 exact counts came out."""
    made = factorization_of(np.tri(4) * size, R=np.eye(4), A=np.tri(4) * size)
    assert made.column_norms.max() == pytest.approx(2 * size, rel=1e-12)
    assert made.diameter >= 3**0.5 * size * (1 - 1e-15)
    assert made.row_norms.tolist() == [1] * 4
    exact = size * np.array([5, 5, 14, 14])
    for neighbor in ("replace", "add_remove"):
        answers = release_central([0] * 5 + [2] * 9, made, epsilon=1e-3, delta=1e-6, neighbor=neighbor, rng=rng())
        assert np.all(answers != exact)
    assert np.all(release_local([0] * 5 + [2] * 9, made, epsilon=1e-3, rng=rng()) != exact / 14)
    sent = release_local_gaussian([0] * 5 + [2] * 9, made, epsilon=1e-3, delta=1e-6, rng=rng())
    assert np.all(sent != exact / 14)


def test_equal_columns_need_no_noise():
    made = factorization_of(np.ones((2, 3)) * 1e-200, R=np.eye(2), A=np.ones((2, 3)) * 1e-200)
    assert made.diameter == 0
