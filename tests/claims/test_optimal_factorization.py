"""The statements of the page on the best factorization."""

import itertools
import math
from functools import partial

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

from dplib.factorization import (
    factorization_of, gamma2, optimal_factorization, parity_workload, release_local, release_local_sample_size, square_root_factorization,
    threshold_workload)
from tests.chance import FAR, standard_errors
from tests.claims import claim, page_function, to

reweigh = page_function("optimal-factorization", "reweigh")
two_bounds = page_function("optimal-factorization", "two_bounds")
mean_bounds = page_function("optimal-factorization", "mean_bounds")


def weighing(root=.5, by_f=True, swapped=False, power=.5):
    """The step by roots of matrices, with room for mistakes."""
    def step(W, p, q):
        M = p[:, None] ** root * W * q**root
        rows, columns = (U @ np.diag(np.maximum(s, 0) ** power) @ U.T for s, U in map(np.linalg.eigh, (M @ M.T, M.T @ M)))
        f = np.trace(rows)
        p_next, q_next = np.diag(rows) / (f if by_f else 1), np.diag(columns) / (f if by_f else 1)
        return (f, q_next, p_next) if swapped else (f, p_next, q_next)
    return step


def search(measure=np.max, lift=1.):
    """The certified search by the page's step, with room for another measure of the norms and a lower bound that is none."""
    def optimal(W, *, gap, centered=False):
        p, q = (np.full(size, 1 / size) for size in W.shape)
        for _ in range(3000):
            f, p_next, q_next = reweigh(W, p, q)
            if f * math.sqrt(measure(p_next / p) * measure(q_next / q)) <= f * (1 + gap):
                break
            p, q = p_next, q_next
        p, q = ((1 - 1e-6) * weights + 1e-6 / weights.size for weights in (p, q))          # so that divisions do not round
        U, sigma, Vt = np.linalg.svd(np.sqrt(p)[:, None] * W * np.sqrt(q), full_matrices=False)
        root = np.sqrt(sigma)
        lower = lift * sigma.sum() * (1 - 1e-12)
        return factorization_of(W, R=U * root / np.sqrt(p)[:, None], A=root[:, None] * Vt / np.sqrt(q), lower=lower)
    return optimal


def power_of(X, t):
    """A power of a positive semidefinite matrix."""
    values, vectors = np.linalg.eigh((X + X.T) / 2)
    return vectors * np.maximum(values, 0) ** t @ vectors.T


def descended(W):
    """The least error that a general optimiser finds among R = WS, A = S⁻¹, for a smoothed maximum that is sharpened in turn."""
    N, S = len(W), np.eye(len(W)).ravel()
    for sharp in (10, 100, 1000):
        smooth = lambda S: sum(logsumexp(sharp * 2 * np.log(np.linalg.norm(part, axis=1))) / sharp
                               for part in (W @ S.reshape(N, N), np.linalg.inv(S.reshape(N, N)).T))
        S = minimize(smooth, S, method="BFGS", options={"maxiter": 300}).x
    return np.linalg.norm(W @ S.reshape(N, N), axis=1).max() * np.linalg.norm(np.linalg.inv(S.reshape(N, N)), axis=0).max()


SQUARE = [np.tri(2), np.tri(3), np.array([[3., 1, 0], [-1, 1, 1], [0, 2, 1]])]
DESCENDED = [descended(W) for W in SQUARE]


@claim("thm-certificate", reweigh, optimal_factorization,
       mutants={"weights instead of their roots": (weighing(root=1.), optimal_factorization),
                "not divided by f": (weighing(by_f=False), optimal_factorization),
                "rows and columns mixed up": (weighing(swapped=True), optimal_factorization),
                "squares of the singular values": (weighing(power=1.), optimal_factorization),
                "averages in place of the largest": (reweigh, search(measure=np.mean)),
                "the last lower bound, raised by 1%": (reweigh, search(lift=1.01)),
                "the smallest row in place of the largest": (reweigh, search(measure=np.min))})
def test_both_bounds(reweigh, optimal):
    """For random weights on eight workloads, some of low rank, compare f and the norms with roots of matrices, and f with
    the error of the best factorization: it must not exceed it. For three small workloads let a general optimiser
    search for a factorization: it may not get below the certified bound, nor be beaten by more than 0.2% by it.
    """
    rng, worst = np.random.default_rng(1), 0.
    for i, (m, N) in enumerate([(5, 5), (3, 7), (7, 3), (6, 6), (1, 4), (4, 1), (5, 6), (8, 8)]):
        W = rng.normal(size=(m, N)) if i % 3 else rng.normal(size=(m, 1)) @ rng.normal(size=(1, N)) + (i > 0) * np.eye(m, N)
        best = optimal(W, gap=1e-3)
        assert np.allclose(best.R @ best.A, W) and best.error <= best.lower * (1 + 1.01e-3) and best.lower <= best.error
        for _ in range(5):
            p, q = rng.dirichlet(np.ones(m)), rng.dirichlet(np.ones(N))
            f, p_next, q_next = reweigh(W, p, q)
            M = np.sqrt(p)[:, None] * W * np.sqrt(q)
            rows, columns = power_of(M @ M.T, .5), power_of(M.T @ M, .5)
            assert f <= best.error * (1 + 1e-12) and p_next.shape == p.shape and q_next.shape == q.shape
            assert math.isclose(p_next.sum(), 1, rel_tol=1e-6) and math.isclose(q_next.sum(), 1, rel_tol=1e-6)
            norms = np.abs(f * p_next - np.diag(rows)).max(), np.abs(f * q_next - np.diag(columns)).max()
            worst = max(worst, abs(f / np.trace(rows) - 1), *norms)
    assert worst < 1e-5
    for W, found in zip(SQUARE, DESCENDED):
        best = optimal(W, gap=1e-4)
        assert best.lower <= found * (1 + 1e-9) and found <= best.error * 1.002
    return f"norms agree {to(worst)}; the optimiser came within 0.2% of the certified bound and never below"


def iterated(step=reweigh, rows=1., columns=1.):
    """Trace norms and pairs of so many steps, with room for other powers of the ratio."""
    def run(W, steps):
        p, q = (np.full(size, 1 / size) for size in W.shape)
        for _ in range(steps):
            f, p_next, q_next = step(W, p, q)
            yield f, p, q
            p, q = p * (p_next / p) ** rows, q * (q_next / q) ** columns
            p, q = p / p.sum(), q / q.sum()
    return run


@claim("thm-convergence", iterated(),
       mutants={"no step": iterated(rows=0., columns=0.), "rows only": iterated(columns=0.), "backwards": iterated(rows=-1., columns=-1.),
                "three times as far": iterated(rows=3., columns=3.)})
def test_steps_close_in(run):
    """Follow 150 steps on ten workloads, some with equal rows and of low rank: f must never fall, the proven upper bound on
    γ₂ must hold at every step, and f must stay below the error of a factorization. On two of them also build the
    geometric mean of the first pairs: it must be a pair, with diagonals no larger than the proof says.
    """
    rng, steepest = np.random.default_rng(2), 0.
    workloads = [np.tri(9), np.sign(rng.normal(size=(6, 11))), rng.normal(size=(12, 4)), np.eye(5), np.vstack([np.tri(4)] * 2),
                 rng.normal(size=(7, 2)) @ rng.normal(size=(2, 8)), np.diag([1., 5, 25]), np.triu(np.ones((8, 8)))[::-1],
                 rng.integers(0, 2, (9, 9)) + np.eye(9), np.exp(rng.normal(size=(6, 6)))]
    for W in workloads:
        best = optimal_factorization(W, gap=1e-4)
        f = []
        for value, _, _ in run(W, 150):
            f.append(value)
            assert value >= f[max(0, len(f) - 2)] * (1 - 1e-9)
        f = np.array(f)
        K, slack = np.arange(1, 151), W.size ** (1 / (2 * np.arange(1, 151)))
        proven = slack * np.exp(np.cumsum(np.log(f)) / K)
        assert np.all(proven >= best.lower) and np.all(f <= best.error * (1 + 1e-9))
        steepest = max(steepest, (np.log(best.error / f) / np.log(slack)).max())
        assert steepest <= 1
    for W in workloads[:2]:
        pairs, product = [], 1.
        for value, p, q in run(W, 5):
            U, sigma, Vt = np.linalg.svd(np.sqrt(p)[:, None] * W * np.sqrt(q), full_matrices=False)
            R, A = U * np.sqrt(sigma) / np.sqrt(p)[:, None], np.sqrt(sigma)[:, None] * Vt / np.sqrt(q)
            pairs.append([X + 1e-9 * np.eye(len(X)) for X in (R @ R.T, A.T @ A)])
            product *= value ** (1 / 5)
        P, Q = pairs[0]
        for k, (next_P, next_Q) in enumerate(pairs[1:], start=2):
            P, Q = mean(P, next_P, 1 / k), mean(Q, next_Q, 1 / k)
        assert np.linalg.eigvalsh(np.block([[P, W], [W.T, Q]])).min() > -1e-6
        assert np.diag(P).max() <= product * len(P) ** .2 * (1 + 1e-6) and np.diag(Q).max() <= product * len(Q) ** .2 * (1 + 1e-6)
    return f"f closes in at most {steepest:.2f} times as slowly as proven, on ten workloads"


def mean(X, Y, t):
    """The weighted geometric mean of two positive definite matrices."""
    root, inverse = power_of(X, .5), power_of(X, -.5)
    return root @ power_of(inverse @ Y @ inverse, t) @ root


def spectrum(N, *, shift=2, odd=1, half=2.):
    """The stated singular values of the cut points, with room for other numbers."""
    return 1 / (half * np.sin((2 * np.arange(1, N + 1) - odd) * np.pi / (4 * N + shift)))


@claim("prop-prefix-spectrum", spectrum,
       mutants={"4N in place of 4N + 2": partial(spectrum, shift=0), "even multiples": partial(spectrum, odd=0),
                "the 2 is lost": partial(spectrum, half=1.)})
def test_spectrum(spectrum):
    """Compare with the singular values of the matrices for 1 to 64 cells, and the bounds with the certified price."""
    worst = 0.
    for N in (1, 2, 3, 10, 64):
        worst = max(worst, np.abs(np.linalg.svd(np.tri(N), compute_uv=False) / np.sort(spectrum(N))[::-1] - 1).max())
        if N > 1:
            price = optimal_factorization(threshold_workload(cells=N), gap=1e-3)
            assert spectrum(N).mean() <= price.error and price.lower <= square_root_factorization(cells=N).error
    assert worst < 1e-11
    return f"singular values agree {to(worst)}"


def centring(weights="q", power=.5, both=True):
    """The two centred bounds, with room for other centres and another step."""
    def bounds(W, centered, steps):
        p, q = (np.full(size, 1 / size) for size in W.shape)
        lower, upper = [], []
        for _ in range(steps):
            u = W @ q if weights == "q" else W.mean(axis=1) if weights == "equal" else W[:, 0] if weights == "first" else 0 * W[:, 0]
            f, rows, columns = reweigh(W - u[:, None], p, q)
            lower.append(f)
            upper.append(f * math.sqrt((rows / p).max() * ((columns / q).max() if both else 1)))
            p, q = rows + 1e-9, q * (columns / q) ** power + 1e-9
            p, q = p / p.sum(), q / q.sum()
        return np.maximum.accumulate(lower), np.minimum.accumulate(upper)
    return bounds


@claim("prop-centred-certificate", two_bounds, optimal_factorization,
       mutants={"not centred at all": (centring(weights=None), optimal_factorization),
                "the plain mean of a question": (centring(weights="equal"), optimal_factorization),
                "the first cell for a centre": (centring(weights="first"), optimal_factorization),
                "rows only": (centring(both=False), optimal_factorization),
                "the plain step, which goes round": (centring(power=1.), optimal_factorization),
                "a curve that forgets the centre": (two_bounds, lambda W, gap, centered: optimal_factorization(W, gap=gap))})
def test_centred_bounds(two_bounds, optimal):
    """On twelve workloads, half of them single questions, whose price is half of their range, follow 400 steps: the bounds
    must close to within 1%. No uncentred price of the questions minus a constant may be below the lower bound, for the
    best constant and forty others near it and far from it; and the package must agree.
    """
    rng, widest = np.random.default_rng(3), 0.
    for i in range(12):
        W = rng.integers(-3, 4, (1 if i % 2 else 4, 5)).astype(float)
        W[:, 0], W[:, 1] = 4, -3
        W[0, 2:] += i % 4
        lower, upper = two_bounds(W, 1, 400)
        best = optimal(W, gap=1e-3, centered=True)
        assert lower[-1] <= upper[-1] * (1 + 1e-9) and upper[-1] <= lower[-1] * 1.01 and best.lower <= upper[-1]
        assert lower[-1] <= best.error * (1 + 1e-9) and best.error <= upper[-1] * 1.001
        widest = max(widest, upper[-1] / lower[-1] - 1)
        if len(W) == 1:
            assert lower[-1] <= np.ptp(W) / 2 * (1 + 1e-9) and np.ptp(W) / 2 <= upper[-1] * (1 + 1e-9)
        for scale in (0, .01, .1, 1.) if i < 4 else ():
            for _ in range(10 if scale else 1):
                u = W @ np.full(5, .2) if not scale else best.offset + scale * rng.normal(size=len(W))
                assert lower[-1] <= gamma2(W - u[:, None], gap=1e-3) * (1 + 1e-9)
    return f"bounds within {widest:.1%} of each other, and never above a price"


def with_errors(N, w, *, first=False, also_cells=False):
    """The cut points with a weight on the second half, with room for the first half and for cells."""
    W = np.tri(N)
    W[:N // 2 if first else N] *= np.where(np.arange(N // 2 if first else N) < N // 2, w if first else 1, w)[:, None]
    if also_cells:
        W[:, N // 2:] *= w
    return W


@claim("prop-free-half", with_errors, gamma2,
       mutants={"the first half": (partial(with_errors, first=True), gamma2),
                "an error of a third more is enough": (lambda N, w: with_errors(N, max(w, .75)), gamma2),
                "the price of N/2 + 1": (with_errors, lambda W, gap: gamma2(np.tri(W.shape[1] // 2 + 1) if len(W) < 0 else
                                                                       W if W[-1, 0] < 1 else np.tri(len(W) + 1), gap=gap))})
def test_half_for_free(weigh, price):
    """Compare the certified prices for 4, 8 and 16 cells and four weights with the price of half the cells; and build the
    factors of the proof, multiply them out and measure them.
    """
    gap, worst = 1e-4, 0.
    for N, w in itertools.product((4, 8, 16), (2**-.5, .6, .3, 0.)):
        half = price(np.tri(N // 2), gap=gap)
        worst = max(worst, abs(price(weigh(N, w), gap=gap) / half - 1))
        best = optimal_factorization(np.tri(N // 2), gap=gap)
        R, A, O = best.R, best.A, np.zeros_like(best.R)
        rows = np.vstack([np.hstack([R, O]), w * np.hstack([np.tile(R[-1], (N // 2, 1)), R])])
        made = factorization_of(weigh(N, w), R=rows, A=np.kron(np.eye(2), A)) if np.allclose(
            rows @ np.kron(np.eye(2), A), weigh(N, w)) else None
        assert made and made.error <= best.error * (1 + 1e-9)
    assert worst < 2 * gap
    return f"prices agree to within {worst:.2%}, where {2 * gap:.2%} is the sum of the gaps"


# --- the price in people ------------------------------------------------------------------------------------------------------

def asked(power=2, report=True, questions=True, constant=2 * math.pi):
    """The number of people by the formula, with room for mistakes."""
    def size(factorization, *, accuracy, epsilon, beta):
        c, m = 1 / math.tanh(epsilon / 2) if report else 1., len(factorization.workload) if questions else 1
        return math.ceil(constant * (c * factorization.error / accuracy) ** power * math.log(2 * m / beta))
    return size


@claim("cor-price-in-people", optimal_factorization, release_local_sample_size,
       mutants={"the price is not squared": (optimal_factorization, asked(power=1)),
                "ε is forgotten": (optimal_factorization, asked(report=False)),
                "sixty times fewer": (optimal_factorization, asked(constant=.1)),
                "twice the price": (optimal_factorization, asked(constant=8 * math.pi)),
                "counts of the cells for the best": (lambda W, gap, centered: factorization_of(W, R=W, A=np.eye(W.shape[1])),
                                                     release_local_sample_size)})
def test_price_in_people(optimal, size):
    """For three workloads, centred and not, at two values of ε: compare the number of people with the formula and the certified
    price. Then ask so many people, 60 times, and count how often an answer is further off than τ: no more than β allows, by 6.5
    standard errors. With the price not squared, or without ε, nearly all runs are.
    """
    rng, share, beta, gap = np.random.default_rng(5), 0., .1, 1e-3
    workloads = np.tri(6), parity_workload(dimension=2), np.vstack([np.tri(3)] * 2)
    for W, centered, epsilon in itertools.product(workloads, (False, True), (.5, 2.)):
        best, tau = optimal(W, gap=gap, centered=centered), .6
        n = size(best, accuracy=tau, epsilon=epsilon, beta=beta)
        price = gamma2(W, gap=gap, centered=centered)
        assert n <= 1 + 2 * math.pi * (price * (1 + gap) / math.tanh(epsilon / 2) / tau) ** 2 * math.log(2 * len(W) / beta) * (1 + 1e-9)
        p = rng.dirichlet(np.full(W.shape[1], .5))
        answers = release_local(rng.choice(W.shape[1], size=(60, n), p=p), best, epsilon=epsilon, runs=True, rng=rng)
        wrong = np.sum(np.abs(answers - W @ p).max(axis=1) > tau)
        share = max(share, wrong / 60)
        assert standard_errors(wrong, 60, beta) < FAR
    return f"at most {share:.0%} of the runs were further off than τ, where {beta:.0%} are allowed"


# --- the dual -------------------------------------------------------------------------------------------------------------------

def programmes(W, optimal=optimal_factorization, *, root=.5, total=1., sign=1., turned=True, steps=400):
    """Solutions of both programmes: P, Q, t and Z, p, q; with room for mistakes in Z."""
    best = optimal(W, gap=1e-5)
    scale = best.column_norms.max() / best.row_norms.max() if best.error else 1.
    rows, columns = W.any(axis=1), W.any(axis=0)
    p, q = np.zeros(len(W)), np.zeros(W.shape[1])
    p[rows], q[columns] = 1 / max(1, rows.sum()), 1 / max(1, columns.sum())
    live = W[np.ix_(rows, columns)]
    for _ in range(steps if live.size else 0):
        _, p[rows], q[columns] = reweigh(live, p[rows], q[columns])
    p, q = total * p, total * q
    if not live.size:
        p[0] = q[0] = 1.
    U, sigma, Vt = np.linalg.svd(np.sqrt(p)[:, None] * W * np.sqrt(q), full_matrices=False)
    kept = sigma > 1e-12 * sigma[0]
    Z = p[:, None] ** root * (U[:, kept] @ Vt[kept] if turned else W / np.linalg.norm(W)) * q**root
    return best.R @ best.R.T * scale, best.A.T @ best.A / scale, best.error, sign * Z, p, q


def contraction(rng, shape):
    """A random matrix that makes no vector longer."""
    K = rng.normal(size=shape)
    return K / np.linalg.norm(K, 2)


@claim("thm-gamma2-dual", programmes, optimal_factorization,
       mutants={"weights for their roots": (partial(programmes, root=1.), optimal_factorization),
                "weights of sum 2": (partial(programmes, total=2.), optimal_factorization),
                "minus Z": (partial(programmes, sign=-1.), optimal_factorization),
                "W in the place of UVᵀ": (partial(programmes, turned=False), optimal_factorization),
                "equal weights": (partial(programmes, steps=0), optimal_factorization),
                "columns that are too short": (programmes, lambda W, gap: factorization_of(W, R=W, A=np.eye(W.shape[1])))})
def test_both_programmes(programmes, optimal):
    """For nine workloads, some with zeros and of low rank, build solutions of both programmes from the factors and the weights: both
    block matrices must have no negative eigenvalue, and the values differ by less than 0.1%. Two hundred random Z that are allowed may
    not be above the primal value, nor, for given weights, above the trace norm. Four prices that are known must come out.
    """
    rng, widest = np.random.default_rng(8), 0.
    known = [(np.tri(2), 2 / math.sqrt(3)), (np.eye(4), 1.), (parity_workload(dimension=3), math.sqrt(8)), (np.zeros((2, 3)), 0.)]
    others = [np.tri(9), np.outer([1., 2, 0], [3., 0, 1, 1]), rng.normal(size=(4, 7)), np.diag([1., 5, 0]), np.vstack([np.tri(4)] * 2)]
    for W, price in known + [(W, None) for W in others]:
        m, N = W.shape
        P, Q, t, Z, p, q = programmes(W, optimal)
        primal, dual = np.block([[P, W], [W.T, Q]]), np.block([[np.diag(p), Z], [Z.T, np.diag(q)]])
        assert np.linalg.eigvalsh(primal).min() >= -1e-9 * (1 + t) and np.linalg.eigvalsh(dual).min() >= -1e-9
        assert max(np.diag(P).max(), np.diag(Q).max()) <= t * (1 + 1e-9) + 1e-12
        assert math.isclose(p.sum(), 1, rel_tol=1e-9) and math.isclose(q.sum(), 1, rel_tol=1e-9)
        value = np.sum(W * Z)
        trace = np.linalg.svd(np.sqrt(p)[:, None] * W * np.sqrt(q), compute_uv=False).sum()
        assert abs(value - trace) <= 1e-9 * (1 + t) and value <= t * (1 + 1e-9) and t - value <= 1e-3 * t
        widest = max(widest, t / value - 1 if value else 0.)
        assert price is None or abs(t - price) <= 1e-3
        for i in range(200):
            p2, q2 = (p, q) if i % 2 else (rng.dirichlet(np.full(m, .5)), rng.dirichlet(np.full(N, .5)))
            other = np.sum(W * np.sqrt(p2)[:, None] * contraction(rng, W.shape) * np.sqrt(q2))
            assert other <= (trace if i % 2 else t) * (1 + 1e-9) + 1e-12
    return f"primal and dual within {widest:.1g} of each other, on nine workloads"


# --- the mean error -----------------------------------------------------------------------------------------------------------

def mean_search(rows=False, moving=True, root=.5, shared=True):
    """The two bounds on the mean error, with room for mistakes."""
    def bounds(W, steps):
        p, q, found = np.full(len(W), 1 / len(W) if shared else 1.), np.full(W.shape[1], 1 / W.shape[1]), []
        for _ in range(steps):
            f, p_next, q_next = weighing()(W, p, q)
            found.append((f, f * np.max(q_next / q) ** root))
            p, q = p_next if rows else p, q_next if moving else q
        return np.array(found).T
    return bounds


def least_mean(W):
    """The least mean error that a general optimiser finds among R = WS, A = S⁻¹, for a smoothed maximum that is sharpened in turn."""
    N, S = len(W), np.eye(len(W)).ravel()
    for sharp in (10, 100, 1000):
        smooth = lambda S: np.log(np.sum((W @ S.reshape(N, N)) ** 2)) + logsumexp(
            sharp * 2 * np.log(np.linalg.norm(np.linalg.inv(S.reshape(N, N)), axis=0))) / sharp
        S = minimize(smooth, S, method="BFGS", options={"maxiter": 300}).x
    S = S.reshape(N, N)
    return np.linalg.norm(W @ S) / math.sqrt(N) * np.linalg.norm(np.linalg.inv(S), axis=0).max()


LEAST_MEANS = [least_mean(W) for W in SQUARE]


@claim("prop-mean-error", mean_bounds,
       mutants={"questions are weighed too": mean_search(rows=True), "equal weights for ever": mean_search(moving=False),
                "a maximum without its root": mean_search(root=1.), "a sum in place of the mean": mean_search(shared=False)})
def test_mean_error(bounds):
    """Follow 300 steps on seven workloads: the first upper bound must be the error of the factors, f may not fall, the bounds must
    close to within 0.2%, and f must close in as fast as proven. For three small ones let a general optimiser search: it may not
    get below the lower bound, nor stay more than 0.2% above the upper.
    """
    rng, widest = np.random.default_rng(9), 0.
    workloads = SQUARE + [np.tri(16), rng.normal(size=(5, 8)), np.vstack([np.tri(4), np.zeros((2, 4))]), np.sign(rng.normal(size=(9, 4)))]
    for i, W in enumerate(workloads):
        f, upper = bounds(W, 300)
        K = np.arange(1, 301)
        U, sigma, Vt = np.linalg.svd(W / math.sqrt(W.size), full_matrices=False)
        R, A = U * np.sqrt(sigma) * math.sqrt(len(W)), np.sqrt(sigma)[:, None] * Vt * math.sqrt(W.shape[1])
        first = np.linalg.norm(R) / math.sqrt(len(W)) * np.linalg.norm(A, axis=0).max()
        assert np.allclose(R @ A, W) and math.isclose(upper[0], first, rel_tol=1e-7)
        assert np.all(np.diff(f) >= -1e-7 * f[-1]) and np.all(f <= upper * (1 + 1e-7)) and f[-1] <= upper.min() * (1 + 1e-7)
        assert upper.min() <= f[-1] * 1.002 and np.all(f * W.shape[1] ** (1 / (2 * K)) >= f[-1])
        widest = max(widest, upper.min() / f[-1] - 1)
        if i < len(SQUARE):
            assert f[-1] <= LEAST_MEANS[i] * (1 + 1e-9) and LEAST_MEANS[i] <= upper.min() * 1.002
    return f"bounds within {widest:.1g} of each other; the optimiser came within 0.2% and never below"
