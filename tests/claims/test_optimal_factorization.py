"""The statements of the page on the best factorization."""

import itertools
import math
from functools import partial

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

from dplib.factorization import factorization_of, gamma2, optimal_factorization, square_root_factorization, threshold_workload
from tests.claims import claim, page_function, to

reweigh = page_function("optimal-factorization", "reweigh")
two_bounds = page_function("optimal-factorization", "two_bounds")


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
