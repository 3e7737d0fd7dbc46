"""The statements of the page on many answers from one vector."""

import itertools
import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

from dplib.factorization import (
    center_factorization, central_variance, factorization_of, hierarchical_factorization, local_variance, release_central,
    release_local, release_local_error_bound, release_local_sample_size, square_root_factorization)
from dplib.local import l2_ball_randomizer, l2_ball_scale
from dplib.mechanisms import gaussian_delta, gaussian_sigma
from tests.chance import FAR, standard_errors
from tests.claims import claim, page_function, to

worst_unary = page_function("factorization", "worst_unary")
cells_alone = page_function("factorization", "cells_alone")
levels_of_tree = page_function("factorization", "levels_of_tree")
banded = page_function("factorization", "banded")
sensitivity_of = page_function("factorization", "sensitivity")


def dense(operator):
    return operator if isinstance(operator, np.ndarray) else operator @ np.eye(operator.shape[1])


# --- a vector of a ball ----------------------------------------------------------------------------------------------------

def ball(shift=0, kept=lambda epsilon: 1 / (1 + np.exp(-epsilon)), straight=False):
    """The randomiser, with room for a dimension that is off, another coin, and a direction that is never turned."""
    def randomize(vectors, *, radius, epsilon, rng):
        norm = np.linalg.norm(vectors, axis=-1)
        w = vectors / norm[..., None] * np.where((rng.random(norm.shape) < .5 + norm / radius / 2) | straight, 1, -1)[..., None]
        z = rng.normal(size=vectors.shape)
        z *= l2_ball_scale(radius=radius, dimension=vectors.shape[-1] + shift, epsilon=epsilon) / np.linalg.norm(z, axis=-1, keepdims=True)
        agrees = rng.random(norm.shape) < kept(epsilon)
        return z * np.where((np.sum(z * w, axis=-1) > 0) == agrees, 1, -1)[..., None]
    return randomize


@claim("thm-ball", l2_ball_randomizer, l2_ball_scale,
       mutants={"the constant of k + 1": (ball(shift=1), l2_ball_scale), "the constant of k - 1": (ball(shift=-1), l2_ball_scale),
                "truth with probability 1/2 + epsilon/4": (ball(kept=lambda epsilon: .5 + epsilon / 4), l2_ball_scale),
                "short vectors like long ones": (ball(straight=True), l2_ball_scale),
                "a longer sphere": (l2_ball_randomizer, lambda **given: 1.01 * l2_ball_scale(**given))})
def test_messages_of_a_ball(randomize, scale):
    """Draw 150 000 messages each for a vector at the rim and for a short one, in 2, 3 and 8 dimensions. How often a message
    from the rim lies on the vector's side must be the odds of the promise; the mean must be the vector; the length must be
    that from a numerical integral of the mean of |U₁|, to seven digits. Truth with probability 1/2 + ε/4 is more than 16 standard
    errors off. The bounds on π_k are computed for every k up to 10 000.
    """
    rng, runs, epsilon, worst = np.random.default_rng(1), 150_000, 1., 0.
    for k in (2, 3, 8):
        density = quad(lambda t: math.sin(t) ** (k - 2), 0, math.pi)[0]
        kappa = quad(lambda t: abs(math.cos(t)) * math.sin(t) ** (k - 2), 0, math.pi)[0] / density
        for length in (2., .5):
            v = np.full(k, length / math.sqrt(k))
            z = randomize(np.tile(v, (runs, 1)), radius=2., epsilon=epsilon, rng=rng)
            B = 2 / math.tanh(epsilon / 2) / kappa
            assert np.allclose(np.linalg.norm(z, axis=1), scale(radius=2., dimension=k, epsilon=epsilon), rtol=1e-9)
            assert math.isclose(scale(radius=2., dimension=k, epsilon=epsilon), B, rel_tol=1e-7)
            worst = max(worst, np.abs((z.mean(axis=0) - v) / (B / math.sqrt(k * runs))).max())
            if length == 2:
                worst = max(worst, abs(standard_errors((z @ v > 0).sum(), runs, math.exp(epsilon) / (1 + math.exp(epsilon)))))
    assert worst < FAR
    k = np.arange(1, 10_001)
    pi = (scale(radius=1., dimension=k, epsilon=2.) * math.tanh(1.)) ** 2 / k
    assert np.all((1 - 1 / k) * np.pi / 2 <= pi) and np.all(pi <= np.pi / 2) and math.isclose(pi[0], 1)
    return f"frequencies and means within {worst:.1f} standard errors"


# --- one message for all questions -----------------------------------------------------------------------------------------

def message(radius=1., offset=1., ball=l2_ball_randomizer):
    """A release by hand, with room for a wrong radius and a forgotten offset."""
    def release(labels, factorization, *, epsilon, runs=False, rng):
        vectors = dense(factorization.A).T[labels]
        sent = ball(vectors, radius=radius * np.linalg.norm(vectors, axis=-1).max(), epsilon=epsilon, rng=rng)
        return sent.mean(axis=-2) @ dense(factorization.R).T + offset * factorization.offset
    return release


def predicted(sampling=1., power=1.):
    """The variance, with room for a forgotten term and a wrong power of n."""
    def variance(p, factorization, *, size, epsilon):
        without = local_variance(None, factorization, size=1, epsilon=epsilon)
        return (without - sampling * (dense(factorization.workload) @ p - factorization.offset) ** 2) / size**power
    return variance


def bernstein(third=3., sides=2.):
    """The bound on all errors, with room for another constant and one side only."""
    def bound(factorization, *, size, epsilon, beta):
        v = local_variance(None, factorization, size=1, epsilon=epsilon).max()
        b = factorization.error * l2_ball_scale(radius=1, dimension=factorization.dimension, epsilon=epsilon)
        L = math.log(sides * factorization.row_norms.size / beta)
        return math.sqrt(2 * v * L / size) + b * L / (third * size)
    return bound


@claim("thm-local-factorization", release_local, local_variance, release_local_error_bound,
       mutants={"the longest column is cut": (message(radius=.8), local_variance, release_local_error_bound),
                "the offset is forgotten": (message(offset=0.), local_variance, release_local_error_bound),
                "sampling is forgotten": (release_local, predicted(sampling=0.), release_local_error_bound),
                "sampling is added": (release_local, predicted(sampling=-1.), release_local_error_bound),
                "divided by the root of n": (release_local, predicted(power=.5), release_local_error_bound),
                "one side only": (release_local, local_variance, bernstein(sides=1.)),
                "a sixth in place of a third": (release_local, local_variance, bernstein(third=6.))})
def test_one_message(release, variance, bound):
    """Release 150 000 data sets of two people each through three factorizations, and compare means and variances with the
    prediction: within 6.5 standard errors, and within 3%. Forgetting that people are a sample is 8% or more. Minimise the
    exponential bound on the error numerically over λ and compare it with the formula.
    """
    rng, p, runs, epsilon, worst = np.random.default_rng(2), np.array([.6, .1, 0, .3]), 150_000, 2., 0.
    W = np.tri(4)
    for factorization in (square_root_factorization(cells=4), square_root_factorization(cells=4, centered=True),
                          factorization_of(W, R=W, A=np.eye(4))):
        x = rng.choice(4, size=(runs, 2), p=p)
        answers = release(x, factorization, epsilon=epsilon, runs=True, rng=rng)
        wanted = variance(p, factorization, size=2, epsilon=epsilon)
        off = np.abs(answers.mean(axis=0) - W @ p) / np.sqrt(wanted / runs)
        ratio = answers.var(axis=0) / wanted
        worst = max(worst, np.abs(ratio - 1).max())
        assert off.max() < FAR and worst < .03
        v = local_variance(None, factorization, size=1, epsilon=epsilon).max()
        b, n = factorization.error * l2_ball_scale(radius=1, dimension=factorization.dimension, epsilon=epsilon), 50
        for beta in (.3, 1e-3):
            L = math.log(8 / beta)
            best = minimize_scalar(lambda s: (n * v * s**2 / (2 * (1 - s * b / 3)) + L) / (n * s), bounds=(1e-9, 3 / b - 1e-9),
                                   method="bounded", options={"xatol": 1e-10}).fun
            assert math.isclose(bound(factorization, size=n, epsilon=epsilon, beta=beta), best, rel_tol=1e-6)
    return f"variances within {worst:.1%} of the prediction"


# --- people for all questions ----------------------------------------------------------------------------------------------

def two_bounds(proxy=2.):
    """The smaller bound on all errors, with room for less than twice the second moment."""
    def bound(factorization, *, size, epsilon, beta):
        v, L = local_variance(None, factorization, size=1, epsilon=epsilon).max(), math.log(2 * factorization.row_norms.size / beta)
        return min(bernstein()(factorization, size=size, epsilon=epsilon, beta=beta), math.sqrt(2 * proxy * v * L / size))
    return bound


def people(union=True, power=2, report=lambda epsilon: 1 / math.tanh(epsilon / 2), bounds=two_bounds()):
    """The number of people by bisection, with room for mistakes."""
    def size(factorization, *, accuracy, epsilon, beta):
        beta *= 1 if union else factorization.row_norms.size
        low, high = 0, 2**40
        while high - low > 1:
            middle = (low + high) // 2
            error = bounds(factorization, size=middle, epsilon=epsilon, beta=beta) * report(epsilon) * math.tanh(epsilon / 2)
            low, high = (low, middle) if error <= accuracy ** (power / 2) else (middle, high)
        return high
    return size


def log_moments(weights, y, lambdas):
    """ln E exp(λ(Y - EY)) for a Y with these values and weights."""
    weights = weights / weights.sum()
    return np.array([np.log(weights @ np.exp(s * (y - weights @ y))) for s in lambdas])


def distributions(epsilon):
    """k, the values of a unit direction of a message of length 1, and weights: for turned vectors of the plane, and straight on."""
    steps = (np.arange(4000) + .5) / 4000
    for share in (0., .3, .7, 1.):
        bias = share * math.tanh(epsilon / 2)
        for turned in (0., .5, 1.2, math.pi - .3):
            yield 2, np.cos(2 * np.pi * steps), 1 + bias * np.sign(np.cos(2 * np.pi * steps - turned))
        yield 1, np.array([1., -1]), 1 + bias * np.array([1., -1])
        for k in (5, 200):
            yield k, np.cos(np.pi * steps), np.sin(np.pi * steps) ** (k - 2) * (1 + bias * np.sign(.5 - steps))


@claim("cor-people-for-all", release_local_sample_size, release_local_error_bound,
       mutants={"the second moment once": (people(bounds=two_bounds(proxy=1.)), two_bounds(proxy=1.)),
                "one question only": (people(union=False), release_local_error_bound),
                "1/τ people": (people(power=1), release_local_error_bound),
                "2/ε for its hyperbolic cotangent": (people(report=lambda epsilon: 2 / epsilon), release_local_error_bound),
                "the variance bound alone": (people(bounds=bernstein()), release_local_error_bound)})
def test_people_for_all_questions(size, bound):
    """Integrate exp(λ(Y - EY)) for 84 distributions of a message in 1, 2, 5 and 200 dimensions, at 24 values of λ: never more than
    the proof says. Where every message leans a little to one side, half of the second moment would not do. For three
    factorizations and 18 demands, one person less than the stated number must be too few for the bound, and the number be
    below the formula.
    """
    closest, beta = 0., 1e-9
    for epsilon in (.5, 1.5, 6.):
        for k, y, weights in distributions(epsilon):
            made = factorization_of(np.eye(1), R=np.eye(1, k), A=np.eye(k, 1))
            B = l2_ball_scale(radius=1, dimension=k, epsilon=epsilon)
            lambdas = np.concatenate([side * np.geomspace(.1, 6, 12) for side in (-1, 1)]) * math.sqrt(k) / B
            allowed = lambdas**2 * bound(made, size=1, epsilon=epsilon, beta=beta) ** 2 / (4 * math.log(2 / beta))
            closest = max(closest, (log_moments(weights, B * y, lambdas) / allowed).max())
    assert closest <= 1 + 1e-9
    for made, accuracy, epsilon, beta in itertools.product(
            (square_root_factorization(cells=64, centered=True), hierarchical_factorization(cells=256), factorization_of(
                np.eye(3), R=np.eye(3), A=np.eye(3))), (3., .2, .01), (.3, 1., 5.), (.2, 1e-6)):
        n = size(made, accuracy=accuracy, epsilon=epsilon, beta=beta)
        given = dict(epsilon=epsilon, beta=beta)
        assert bound(made, size=n, **given) <= accuracy * (1 + 1e-9)
        assert n == 1 or bound(made, size=n - 1, **given) > accuracy * (1 - 1e-9)
        formula = 2 * math.pi * (made.error / math.tanh(epsilon / 2) / accuracy) ** 2 * math.log(2 * made.row_norms.size / beta)
        assert n <= 1 + formula * (1 + 1e-9)
    return f"exponential moments up to {closest:.2f} of what is allowed; 54 numbers of people are the least"


# --- the tree -----------------------------------------------------------------------------------------------------------------

def blocks(L, ends=0, root=True):
    """The blocks of the tree as rows, with room for a first cell that is left out and a missing root."""
    rows = [np.where((np.arange(2**L) >= i * 2**s + (ends if s else 0)) & (np.arange(2**L) < (i + 1) * 2**s), 1., 0.)
            for s in range(L, -1, -1) for i in range(2 ** (L - s))]
    return np.array(rows[not root:])


def tree(ends=0, greedy=True, root=True):
    """The factorization by enumeration: for every cut point the disjoint blocks from the largest that fits."""
    def make(*, cells):
        L = round(math.log2(cells))
        A, R = blocks(L, ends, root), []
        for j in range(1, cells + 1):
            start, row = 0, np.zeros(len(A))
            for s in range(L if greedy else 0, -1, -1):
                while start + 2**s <= j and start % 2**s == 0 and (root or s < L):
                    row[2 ** (L - s) - 1 + start // 2**s - (not root)] = 1
                    start += 2**s
            R.append(row)
        return SimpleNamespace(R=np.array(R), A=A)
    return make


@claim("prop-tree", hierarchical_factorization,
       mutants={"the first cell of a block is left out": tree(ends=1), "single cells only": tree(greedy=False),
                "no root": tree(root=False)})
def test_blocks_of_the_tree(make):
    """Multiply out the matrices for 2 to 64 cells; compare the number of blocks of every cut point with its binary digits,
    and the largest norms with the stated ones.
    """
    for L in range(1, 7):
        made = make(cells=2**L)
        R, A = dense(made.R), dense(made.A)
        assert np.array_equal(R @ A, np.tri(2**L)) and np.isin(R, (0, 1)).all() and np.isin(A, (0, 1)).all()
        assert R.sum(axis=1).tolist() == [j.bit_count() for j in range(1, 2**L + 1)]
        assert math.isclose(np.linalg.norm(A, axis=0).max() ** 2, L + 1) and math.isclose(np.linalg.norm(R, axis=1).max() ** 2, L)
    return "exactly, for six trees"


def least_squares(eigenvalue=-1, constant=True, ridge=0., tie=1.):
    """R and the norms of its rows by other means, with room for mistakes in both."""
    def make(*, cells, least_squares, centered):
        L, j = round(math.log2(cells)), np.arange(1, cells + 1)
        A, W = blocks(L), np.tri(cells)
        squares = np.zeros(cells) if centered and constant else j**2 / cells / (2 * cells - 1)
        for s in range(1, L + 1):
            t = j % 2**s
            squares = squares + np.minimum(t, tie * (2**s - t)) ** 2 / 2**s / (2**s + eigenvalue)
        if centered:
            A, W = (A - A.mean(axis=1, keepdims=True))[1:], W - W.mean(axis=1, keepdims=True)
        R = W @ np.linalg.pinv(A, rtol=1e-12) if not ridge else W @ A.T @ np.linalg.inv(A @ A.T + ridge * np.eye(len(A)))
        return SimpleNamespace(R=R, A=A, row_norms=np.sqrt(squares), column_norms=np.linalg.norm(A, axis=0))
    return make


@claim("prop-least-squares", hierarchical_factorization,
       mutants={"eigenvalues 2^s": least_squares(eigenvalue=0), "the constant stays": least_squares(constant=False),
                "a little ridge": least_squares(ridge=1e-3), "left halves only": least_squares(tie=2.),
                "the fewest blocks": lambda *, cells, least_squares, centered: hierarchical_factorization(
                    cells=cells, least_squares=False, centered=centered)})
def test_least_squares_on_the_tree(make):
    """Compare R, column by column of its linear map, with the pseudo-inverse for 4 to 64 cells, and the norms with the
    formula. Add to R rows that A does not see: all norms must grow.
    """
    rng, worst = np.random.default_rng(3), 0.
    for L, centered in itertools.product(range(2, 7), (False, True)):
        N = 2**L
        made = make(cells=N, least_squares=True, centered=centered)
        R, A = dense(made.R), dense(made.A)
        W = np.tri(N) - centered * np.arange(1, N + 1)[:, None] / N
        right = W @ np.linalg.pinv(A, rtol=1e-12)
        worst = max(worst, np.abs(R - right).max(), np.abs(np.linalg.norm(right, axis=1) - made.row_norms).max())
        unseen = rng.normal(size=R.shape) @ (np.eye(len(A)) - A @ np.linalg.pinv(A, rtol=1e-12))
        assert np.allclose((R + unseen) @ A, W) and np.all(np.linalg.norm(R + unseen, axis=1) > np.linalg.norm(R, axis=1))
        assert np.allclose(made.column_norms**2, L - 1 + .5**L if centered else L + 1)
    assert worst < 1e-10
    return f"ten factorizations agree {to(worst)}"


# --- the square root ------------------------------------------------------------------------------------------------------------

def triangle(first=1, power=4, same=True):
    """The matrices from binomials, with room for other numbers."""
    def make(*, cells):
        a = np.array([float(Fraction(math.comb(2 * k, k), power**k)) for k in range(min(cells, 500))])
        a[0] = first
        place = np.subtract.outer(np.arange(cells), np.arange(cells)) if cells <= 64 else np.zeros((1, 1), int)
        R = np.where(place >= 0, a[np.maximum(place, 0) % a.size], 0)
        longer = a[-1] ** 2 * (a.size - .75) / (np.arange(a.size, cells) + .25)        # beyond: a² is nearly 1/(π(k + 1/4))
        return SimpleNamespace(R=R, A=R if same else R.T, error=np.sum(a**2) + longer.sum())
    return make


@claim("prop-square-root", square_root_factorization,
       mutants={"3^k in place of 4^k": triangle(power=3), "a first entry of 1/2": triangle(first=.5), "A upside down": triangle(same=False),
                "half of every square": lambda *, cells: SimpleNamespace(
                    R=square_root_factorization(cells=cells).R, A=square_root_factorization(cells=cells).A,
                    error=square_root_factorization(cells=cells).error / 2)})
def test_the_square_root(make):
    """Multiply out the matrices for up to 64 cells and add up the squares in rational arithmetic; then follow s_N - ln(N)/π
    for all powers of two up to 2^20.
    """
    worst = 0.
    for N in (2, 3, 17, 64):
        made = make(cells=N)
        exact = sum(Fraction(math.comb(2 * k, k), 4**k) ** 2 for k in range(N))
        worst = max(worst, np.abs(dense(made.R) @ dense(made.A) - np.tri(N)).max(), abs(made.error - float(exact)))
        assert math.isclose(np.linalg.norm(dense(made.R), axis=1).max() * np.linalg.norm(dense(made.A), axis=0).max(), float(exact))
    assert worst < 1e-12
    limit = (np.euler_gamma + 4 * math.log(2)) / math.pi
    excess = [make(cells=2**i).error - math.log(2**i) / math.pi for i in range(1, 21)]
    assert np.all(np.diff([1, *excess, limit]) > 0) and limit - excess[-1] < 1e-6
    return f"products {to(worst)}; at 2^20 cells the excess is {limit - excess[-1]:.0e} below its limit"


# --- centring -------------------------------------------------------------------------------------------------------------------

def centred(offset=True, centre=None):
    """Centring by hand: the smallest circle of the plane among those of two and of three columns, or another centre."""
    def make(factorization, *, gap):
        A, R = factorization.A, factorization.R
        if centre:
            c = centre(A)
        else:
            centres = []
            for few in itertools.chain(itertools.combinations(A.T, 2), itertools.combinations(A.T, 3)):
                edges = np.array(few[1:]) - few[0]
                centres.append(few[0] + np.linalg.lstsq(2 * edges, (edges**2).sum(axis=1), rcond=None)[0])
            c = min(centres, key=lambda c: np.linalg.norm(A - c[:, None], axis=0).max())
        return SimpleNamespace(R=R, A=A - c[:, None], offset=offset * (R @ c), column_norms=np.linalg.norm(A - c[:, None], axis=0))
    return make


@claim("prop-centring", center_factorization,
       mutants={"the offset is forgotten": centred(offset=False), "the mean of the columns": centred(centre=lambda A: A.mean(axis=1)),
                "the middle of the box": centred(centre=lambda A: (A.max(axis=1) + A.min(axis=1)) / 2)})
def test_the_smallest_ball(center):
    """Centre twenty random factorizations with columns in the plane, and compare with the smallest circle, found among all
    circles through two or three columns. Two thousand random weights must not give a lower bound above its radius.
    """
    rng, worst = np.random.default_rng(4), 0.
    for _ in range(20):
        A, R = rng.normal(size=(2, 8)) + rng.normal(size=(2, 1)), rng.normal(size=(5, 2))
        made, smallest = center(factorization_of(R @ A, R=R, A=A), gap=1e-4), centred()(SimpleNamespace(R=R, A=A), gap=0)
        assert np.allclose(made.R @ made.A + made.offset[:, None], R @ A)
        worst = max(worst, abs(made.column_norms.max() / smallest.column_norms.max() - 1))
        q = rng.dirichlet(np.full(8, .3), size=100).T
        means = A @ q
        lower = np.sqrt(((A**2).sum(axis=0) @ q) - (means**2).sum(axis=0))
        assert lower.max() <= made.column_norms.max() * (1 + 1e-12)
    assert worst < 2e-4
    return f"radii within {worst:.2%} of the smallest"


# --- unary reports ----------------------------------------------------------------------------------------------------------------

def messages(own=lambda epsilon: .5, other=lambda epsilon: 1 / (math.exp(epsilon) + 1), counted=True):
    """All messages of unary reports: their probabilities for each cell, and z; with room for other bits and for lost levels."""
    def listed(A, levels, epsilon):
        chances, z, p1, p0 = [], [], own(epsilon), other(epsilon)
        level = np.cumsum(A, axis=0)[np.arange(len(A)), np.argmax(A, axis=1)]           # 1, 2, … from the top
        for number in range(1, levels + 1):
            rows = np.flatnonzero(level == number)
            for bits in itertools.product((0, 1), repeat=rows.size):
                one = np.where(A[rows] > 0, p1, p0)
                chances.append(np.prod(np.where(np.array(bits)[:, None], one, 1 - one), axis=0) / levels)
                z.append(np.zeros(len(A)))
                z[-1][rows] = (levels if counted else 1) * (np.array(bits) - p0) / (p1 - p0)
        return np.array(chances).T, np.array(z)
    return listed


def searched(sampling=1., bits=2., squared=True):
    """The worst variance over all mixtures of two cells, with room for mistakes in the variance of one."""
    def worst(R, A, u, levels, epsilon):
        second = levels * (np.sum(R**2, axis=1)[:, None] / np.sinh(epsilon / 2) ** 2 + bits * np.abs(R) ** (2 if squared else 1) @ A)
        W, s = R @ A, np.linspace(0, 1, 401)[:, None]
        pairs = [s * second[:, x] + (1 - s) * second[:, y] - sampling * (s * W[:, x] + (1 - s) * W[:, y]) ** 2
                 for x in range(A.shape[1]) for y in range(x + 1)]
        return np.max(pairs, axis=(0, 1))
    return worst


@claim("prop-unary-reports", worst_unary, messages(),
       mutants={"the own bit as in randomised response": (worst_unary, messages(own=lambda e: 1 / (1 + math.exp(-e)))),
                "half of ε for each bit": (worst_unary, messages(own=lambda e: 1 / (1 + math.exp(-e / 2)),
                                                                 other=lambda e: 1 / (1 + math.exp(e / 2)))),
                "the number of levels is forgotten": (worst_unary, messages(counted=False)),
                "sampling is forgotten": (searched(sampling=0.), messages()),
                "the own bit varies like the others": (searched(bits=1.), messages()),
                "R is not squared": (searched(squared=False), messages())})
def test_unary_reports(worst, listed):
    """List all messages, for four cells in one level and for the two levels of a tree, by the fewest blocks and by least squares. The
    largest ratio of probabilities must be e^ε, the means the answers, and the variances, exactly, those of the formula: none of
    all mixtures of two cells, nor of a thousand random populations, above the worst, and one within 0.001 of it. Then compare
    with the closed form and with groups, for 4 to 16 cut points and ten values of ε.
    """
    rng, most = np.random.default_rng(6), 0.
    s = np.linspace(0, 1, 401)[:, None]
    for parts, epsilon in itertools.product((cells_alone(4), levels_of_tree(4, False), levels_of_tree(4, True)), (.4, 1., 3.)):
        R, A, u, levels = parts
        chances, z = listed(A, levels, epsilon)
        assert np.allclose(chances.sum(axis=1), 1)
        ratio = (chances.max(axis=0) / chances.min(axis=0)).max()
        assert abs(ratio / math.exp(epsilon) - 1) < 1e-9
        y = z @ R.T + u
        means, seconds = chances @ y, chances @ y**2
        most = max(most, np.abs(means.T - np.tri(4)).max())
        h = rng.dirichlet(np.full(4, .4), size=1000)
        found = [h @ seconds - (h @ means) ** 2] + [s * seconds[a] + (1 - s) * seconds[b] - (s * means[a] + (1 - s) * means[b]) ** 2
                                                    for a in range(4) for b in range(a)]
        found = np.max(np.vstack(found), axis=0)
        claimed = worst(*parts, epsilon)
        assert np.all(found <= claimed * (1 + 1e-9) + 1e-12) and np.all(found >= claimed - 1e-3 * (1 + claimed))
    assert most < 1e-12
    for N, epsilon in itertools.product((4, 6, 16), np.geomspace(.1, 10, 10)):
        a, largest = 1 / math.sinh(epsilon / 2) ** 2, worst(*cells_alone(N), epsilon).max()
        assert largest <= 1 + 1e-9 if N * a < 2 else abs(largest / (.5 + N * a / 4) - 1) < 1e-4
        assert largest < N / math.tanh(epsilon / 2) ** 2 / 4
    return f"means agree {to(most)}, variances with all messages listed"


# --- with a curator --------------------------------------------------------------------------------------------------------------

def curator(correlated=True, size=1.):
    """A release by hand, with room for noise on the answers and for a factor."""
    def release(labels, factorization, *, epsilon, delta, neighbor, runs=False, rng):
        R, W = dense(factorization.R), dense(factorization.workload)
        variance = central_variance(factorization, epsilon=epsilon, delta=delta, neighbor=neighbor).max()
        sd = np.sqrt(variance) / np.linalg.norm(R, axis=1).max()
        counts = np.stack([np.bincount(row, minlength=W.shape[1]) for row in labels])
        z = size * sd * rng.normal(size=(len(counts), R.shape[1] if correlated else R.shape[0]))
        return counts @ W.T + (z @ R.T if correlated else z * np.linalg.norm(R, axis=1))
    return release


def longest(A):
    return np.linalg.norm(A, axis=0).max()


def diameter(A):
    return max(longest(A - A[:, [k]]) for k in range(A.shape[1]))


def radius(A):
    return center_factorization(factorization_of(A, R=np.eye(len(A)), A=A)).column_norms.max()


def sensitivity(replaced=diameter, joined=longest):
    """The variance from a sensitivity for each relation, with room for another."""
    def variance(factorization, *, epsilon, delta, neighbor):
        measure = replaced if neighbor == "replace" else joined
        sigma = gaussian_sigma(sensitivity=measure(dense(factorization.A)), epsilon=epsilon, delta=delta)
        return (sigma * np.linalg.norm(dense(factorization.R), axis=1)) ** 2
    return variance


@claim("cor-central-factorization", release_central, central_variance,
       mutants={"noise on the answers": (curator(correlated=False), central_variance),
                "3% too little noise": (curator(size=.97), central_variance),
                "the radius for the diameter": (release_central, sensitivity(replaced=radius)),
                "the norm under replacement": (release_central, sensitivity(replaced=longest)),
                "twice the norm under replacement": (release_central, sensitivity(replaced=lambda A: 2 * longest(A))),
                "the diameter under add/remove": (release_central, sensitivity(joined=diameter)),
                "the radius under add/remove": (release_central, sensitivity(joined=radius))})
def test_a_curator(release, variance):
    """Compute the exact δ of the noise for every pair of neighbours, from all columns and all pairs of columns: the worst
    must be the promised one. Then compare the covariance of 60 000 releases with RRᵀ times the variance of the noise, and
    their means with the exact answers. 3% too little noise is 6% of a variance, 10 standard errors.
    """
    rng, given, worst = np.random.default_rng(5), dict(epsilon=.8, delta=1e-3), 0.
    for factorization, neighbor in itertools.product((square_root_factorization(cells=5), hierarchical_factorization(cells=4)),
                                                     ("replace", "add_remove")):
        A, R = dense(factorization.A), dense(factorization.R)
        sigma = float(np.sqrt(variance(factorization, **given, neighbor=neighbor).max()) / np.linalg.norm(R, axis=1).max())
        moves = [A[:, i] - A[:, j] for i in range(A.shape[1]) for j in range(i)] if neighbor == "replace" else list(A.T)
        spent = max(gaussian_delta(sigma=sigma, sensitivity=np.linalg.norm(move), epsilon=given["epsilon"]) for move in moves)
        assert math.isclose(spent, given["delta"], rel_tol=1e-6) and spent <= given["delta"]
        x = np.tile(rng.integers(0, A.shape[1], 30), (60_000, 1))
        answers = release(x, factorization, **given, neighbor=neighbor, runs=True, rng=rng)
        exact = dense(factorization.workload) @ np.bincount(x[0], minlength=A.shape[1])
        wanted = sigma**2 * R @ R.T
        sd = np.sqrt(np.diag(wanted))
        assert np.abs((answers.mean(axis=0) - exact) / (sd / math.sqrt(len(x)))).max() < FAR
        worst = max(worst, np.abs((np.cov(answers.T) - wanted) / np.outer(sd, sd)).max() / math.sqrt(2 / len(x)))
    assert worst < FAR
    return f"δ as promised, covariances within {worst:.1f} standard errors"


# --- a band ---------------------------------------------------------------------------------------------------------------------------

def cut_off(wider=0, straight=True):
    """The factors of a band from binomials, with room for one that is too wide, and for R = A."""
    def make(N, bands):
        a = [math.comb(2 * k, k) / 4**k for k in range(bands + wider)]
        A = sum(np.diag(np.full(N - k, a[k]), -k) for k in range(min(N, bands + wider)))
        return (np.linalg.solve(A.T, np.tri(N).T).T if straight else A), A
    return make


def moved(power=.5, first=False):
    """The sensitivity by trying all steps, with room for a sum of lengths and for the last columns only."""
    def sensitivity(A, times, apart):
        N = A.shape[1]
        chosen = [steps for steps in itertools.combinations(range(N), times) if np.all(np.diff(steps) >= apart)]
        if first:
            chosen = chosen[-1:]
        return max(np.linalg.norm(A[:, list(steps)].sum(axis=1)) for steps in chosen) * times ** (power - .5)
    return sensitivity


@claim("prop-banded", banded, sensitivity_of,
       mutants={"a band one step too wide": (cut_off(wider=1), sensitivity_of), "R = A": (cut_off(straight=False), sensitivity_of),
                "the lengths are added": (banded, moved(power=1.)), "the last steps only": (banded, moved(first=True))})
def test_a_band(banded, sensitivity):
    """For 12 steps, bands of 1 to 5 and one to three contributions: multiply out the factors, draw noise by the recurrence, and compare
    the sensitivity with √k ‖A‖. A thousand contributions of random vectors at random steps may not move AV by more.
    """
    rng, N, worst = np.random.default_rng(7), 12, 0.
    for b, k in itertools.product((1, 2, 3, 5), (1, 2, 3)):
        if (k - 1) * b + 1 > N - b + 1:
            continue                                               # no room for k whole columns
        R, A = banded(N, b)
        most = sensitivity(A, k, b)
        worst = max(worst, np.abs(R @ A - np.tri(N)).max(), abs(most / (math.sqrt(k) * np.linalg.norm(A, axis=0).max()) - 1))
        z, w = rng.normal(size=N), np.zeros(N)
        for t in range(N):
            start = max(0, t - b + 1)
            w[t] = (z[t] - A[t, start:t] @ w[start:t]) / A[t, t]
        worst = max(worst, np.abs(np.cumsum(w) - R @ z).max())
        steps = np.sort(rng.integers(0, N - (k - 1) * b, (1000, k)), axis=1) + b * np.arange(k)
        v = rng.normal(size=(1000, k, 3))
        v /= np.linalg.norm(v, axis=-1, keepdims=True)
        assert np.linalg.norm(np.einsum("srk,rkd->rsd", A[:, steps], v), axis=(1, 2)).max() <= most * (1 + 1e-12)
    assert worst < 1e-12
    return f"products, noise and sensitivities agree {to(worst)}"
