"""Speed, side by side in one run: what we do, the same arithmetic in plain NumPy, and what other libraries need.

    make bench

Each row is one task. *Baseline* is the same arithmetic in plain NumPy, without privacy's bookkeeping. Runs of the competitors
are interleaved, so that a busy machine hurts all of them alike; the median is printed. One thread. Everybody does the
whole task: a ratio compares the same work.
"""

import os
import statistics
import time

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[name] = "1"

import diffprivlib.models
import diffprivlib.tools
import numpy as np
import opendp.prelude as opendp
import scs
from dp_accounting.gaussian_mechanism import get_sigma_gaussian
from fast_histogram import histogram1d
from scipy import sparse
from scipy.signal import fftconvolve
from sklearn.linear_model import LogisticRegression

from dplib.aggregation import private_median
from dplib.factorization import (
    gamma2, hierarchical_factorization, release_central, square_root_factorization, threshold_workload)
from dplib.friendly import friend_counts
from dplib.glm import LOGISTIC, Box, fit_model, release_coefficient
from dplib.histograms import laplace_histogram, stability_histogram
from dplib.learning import private_stump, private_threshold
from dplib.local import (
    heavy_prefixes, l2_ball_randomizer, local_laplace, local_randomized_response, sign_reports, sign_shares, unary_reports)
from dplib.mean import (
    adaptive_mean, bounded_mean_interval, clip_radius, clipped_mean, mean_interval, private_scale, two_stage_mean, unbounded_mean)
from dplib.mechanisms import gaussian, gaussian_sigma, laplace, permute_and_flip
from dplib.parity import private_parity, walsh_hadamard
from dplib.queries import central_oracle, learn_conjunction, local_oracle
from dplib.sparse_vector import above_threshold

opendp.enable_features("contrib")
RUNS, PATIENCE = 15, 12        # runs of each competitor; seconds after which a slow one is not run again


def measure(competitors):
    """{who: median seconds}, the competitors taking turns."""
    times = {who: [] for who in competitors}
    for _ in range(RUNS):
        for who, act in competitors.items():
            if sum(times[who]) < PATIENCE:
                start = time.perf_counter()
                act()
                times[who].append(time.perf_counter() - start)
    return {who: statistics.median(t) for who, t in times.items()}


# --- the tasks ------------------------------------------------------------------------------------------------------------

def laplace_noise(size=10**6):
    rng, values = np.random.default_rng(0), np.zeros(size)
    space = opendp.vector_domain(opendp.atom_domain(T=float, nan=False)), opendp.l1_distance(T=float)
    release, listed = space >> opendp.m.then_laplace(scale=1.), values.tolist()
    return {"ours": lambda: laplace(values, sensitivity=1, epsilon=1, rng=rng),
            "baseline": lambda: rng.laplace(size=size),
            "OpenDP": lambda: release(listed)}


def gaussian_noise(size=10**6):
    rng, values = np.random.default_rng(0), np.zeros(size)
    sigma = float(gaussian_sigma(sensitivity=1, epsilon=1, delta=1e-6))
    space = opendp.vector_domain(opendp.atom_domain(T=float, nan=False)), opendp.l2_distance(T=float)
    release, listed = space >> opendp.m.then_gaussian(scale=sigma), values.tolist()
    return {"ours": lambda: gaussian(values, sensitivity=1, epsilon=1, delta=1e-6, rng=rng),
            "baseline": lambda: rng.normal(scale=sigma, size=size),
            "OpenDP": lambda: release(listed)}


def histogram(size=10**7, cells=1000, chunk=1 << 15):
    rng = np.random.default_rng(0)
    x, (lo, hi) = rng.random(size), (0., 1.)

    def chunked():                       # floor((x - lo) k / (hi - lo)), the right end belonging to the last cell
        counts = np.zeros(cells, dtype=np.int64)
        for start in range(0, size, chunk):
            labels = ((x[start:start + chunk] - lo) * cells / (hi - lo)).astype(np.intp)
            counts += np.bincount(np.minimum(labels, cells - 1, out=labels), minlength=cells)
        return counts + rng.laplace(scale=2, size=cells)

    return {"ours": lambda: laplace_histogram(x, cells=cells, bounds=(lo, hi), epsilon=1, neighbor="replace", noise="laplace", rng=rng),
            "baseline": chunked,
            "fast-histogram (C)": lambda: histogram1d(x, bins=cells, range=(lo, hi)) + rng.laplace(scale=2, size=cells),
            "diffprivlib": lambda: diffprivlib.tools.histogram(x, epsilon=1, bins=cells, range=(0, 1))}


def stability(size=10**6):
    rng = np.random.default_rng(0)
    keys = rng.integers(0, size, size)
    listed = keys.tolist()
    space = opendp.vector_domain(opendp.atom_domain(T=int)), opendp.symmetric_distance()
    release = space >> opendp.t.then_count_by(TV=int) >> opendp.m.then_laplace_threshold(scale=1., threshold=15)

    def counted():                       # count, add noise, keep what passes
        labels, counts = np.unique(keys, return_counts=True)
        noisy = counts + rng.laplace(size=counts.size)
        return labels[noisy > 15], noisy[noisy > 15]

    return {"ours": lambda: stability_histogram(keys, domain="integers", epsilon=1, delta=1e-6, neighbor="add_remove", noise="laplace",
                                                rng=rng),
            "NumPy's unique": lambda: np.unique(keys, return_counts=True), "baseline": counted, "OpenDP": lambda: release(listed)}


def calibration(size=1000):
    rng = np.random.default_rng(0)
    epsilon, delta = 10 ** rng.uniform(-2, 1, size), 10 ** rng.uniform(-10, -2, size)
    return {"ours": lambda: gaussian_sigma(epsilon=epsilon, delta=delta, sensitivity=1),
            "dp_accounting": lambda: [get_sigma_gaussian(e, d) for e, d in zip(epsilon, delta)]}


def one_mean(size=10**7, radius=10., epsilon=1., chunk=1 << 15):
    rng = np.random.default_rng(0)
    x = rng.standard_normal(size) + 3
    bound = radius + float(clip_radius(size=size, beta=.01))

    def chunked():                       # clip, add up, divide, add noise
        total = sum(np.clip(x[start:start + chunk], -bound, bound).sum() for start in range(0, size, chunk))
        return total / size + rng.laplace(scale=2 * bound / (size * epsilon))

    return {"ours": lambda: clipped_mean(x, radius=radius, epsilon=epsilon, rng=rng), "baseline": chunked,
            "two stages": lambda: two_stage_mean(x, radius=radius, epsilon=epsilon, rng=rng),
            "adaptive": lambda: adaptive_mean(x, radius=radius, epsilon=epsilon, rng=rng),
            "diffprivlib": lambda: diffprivlib.tools.mean(x, epsilon=epsilon, bounds=(-bound, bound))}


def many_means(trials=10**4, size=1000):
    rng = np.random.default_rng(0)
    x, given = rng.standard_normal((trials, size)) + 3, dict(epsilon=1., runs=True, rng=rng)
    return {"NumPy's mean": lambda: x.mean(axis=-1), "NumPy's sort": lambda: np.sort(x, axis=-1),
            "clipped": lambda: clipped_mean(x, radius=1e3, **given),
            "two stages": lambda: two_stage_mean(x, radius=1e3, **given),
            "two, of 10^50 cells": lambda: two_stage_mean(x, radius=5e49, **given),
            "unbounded": lambda: unbounded_mean(x, delta=1e-6, **given),
            "adaptive": lambda: adaptive_mean(x, radius=1e3, **given),
            "interval": lambda: mean_interval(x, radius=1e3, **given),
            "of any distribution": lambda: bounded_mean_interval(x, bounds=(-1e3, 1e3), **given),
            "scale": lambda: private_scale(x, delta=1e-6, **given)}


def cut_off(size=10**6, cells=2**40):
    rng = np.random.default_rng(0)
    x = rng.integers(0, cells, size)
    given = dict(cells=cells, epsilon=1, neighbor="replace", rng=rng)
    y = x >= cells // 2

    def sorted_runs():                   # sort the pairs, count right labels, choose a run by its length and score
        order = np.argsort(x)
        ends, labels = np.concatenate([[-1], x[order], [cells]]), y[order]
        score = np.concatenate([[0], np.cumsum(1 - 2 * labels.astype(np.int64))])
        with np.errstate(divide="ignore"):
            run = np.argmax(np.log(np.diff(ends)) + score / 2 + rng.gumbel(size=size + 1))
        return rng.integers(ends[run] + 1, ends[run + 1] + 1)

    return {"ours": lambda: private_threshold(x, y, **given), "baseline": sorted_runs, "NumPy's sort": lambda: np.sort(x),
            "ten features, a tenth": lambda: private_stump(x.reshape(-1, 10), y[::10], **given)}


def messages(size=10**6):
    rng = np.random.default_rng(0)
    x, v = rng.uniform(-1, 1, size), np.ones((size // 100, 100)) / 10
    given = dict(epsilon=1, rng=rng)
    return {"two uniform numbers": lambda: rng.random((2, size)), "in one bit": lambda: local_randomized_response(x, **given),
            "with Laplace noise": lambda: local_laplace(x, **given), "normal numbers": lambda: rng.normal(size=v.shape),
            "vectors of 100": lambda: l2_ball_randomizer(v, radius=1, **given)}


def words(size=10**6, cells=64, bits=48):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, cells, size)
    strings = np.where(rng.random(size) < .3, 123_456_789_012, rng.integers(0, 2**bits, size))
    given, task = dict(epsilon=1, rng=rng), dict(bits=bits, block=8, share=.2, accuracy=.05)
    reports = sign_reports(labels, bits=6, **given)
    names = dict(candidates=np.arange(cells), epsilon=1)
    return {"one uniform number for each cell, a tenth": lambda: rng.random((size // 10, cells)),
            "a bit for each cell, a tenth": lambda: unary_reports(labels[::10], cells=cells, **given),
            "one bit": lambda: sign_reports(labels, bits=6, **given), "shares from one bit": lambda: sign_shares(*reports, **names),
            "common strings of 48 bits": lambda: heavy_prefixes(strings, **task, **given)}


def conjunction(size=10**6, variables=20):
    rng = np.random.default_rng(0)
    x = (rng.random((size, variables + 1)) < .8).astype(np.int8)

    def shares():
        found = [np.mean((x[:, i] == 0) & (x[:, -1] == 1)) for i in range(variables)]
        return np.array(found) + rng.laplace(scale=variables / size, size=variables)

    given, task = dict(queries=variables, epsilon=1, rng=rng), dict(variables=variables, accuracy=.1)
    return {"ours": lambda: learn_conjunction(central_oracle(x, vectorized=True, **given), **task),
            "baseline": shares,
            "20 groups, locally": lambda: learn_conjunction(local_oracle(x, vectorized=True, **given), **task),
            "20 groups, one person at a time": lambda: learn_conjunction(local_oracle(x, **given), **task)}


def parity(size=1000, questions=100):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, (size, questions))
    y = x[:, 0] ^ x[:, 1]
    listed = [sum(bit << j for j, bit in enumerate(row)) for row in np.column_stack([x, y]).tolist()]

    def eliminated():                    # keep some equations, as Python's integers, and eliminate
        system = {}
        for equation in listed:
            if rng.random() < np.tanh(.5):
                for pivot, other in system.items():
                    equation ^= other if equation >> pivot & 1 else 0
                if equation % 2**questions:
                    system[(equation % 2**questions).bit_length() - 1] = equation
        return system

    return {"ours": lambda: private_parity(x, y, epsilon=1, neighbor="replace", rng=rng), "baseline": eliminated}


def transform(size=2**20):
    values = np.random.default_rng(0).normal(size=size)
    return {"ours": lambda: walsh_hadamard(values), "NumPy's FFT": lambda: np.fft.rfft(values)}


def prefix_sums(size=10**6, cells=2**20):
    """Counts of all records up to each cell. OpenDP adds Laplace noise to a tree and makes it consistent."""
    rng = np.random.default_rng(0)
    labels, given = rng.integers(0, cells, size), dict(epsilon=1, delta=1e-6, neighbor="add_remove", rng=rng)
    root, tree = square_root_factorization(cells=cells), hierarchical_factorization(cells=cells, least_squares=True)
    counts = np.bincount(labels, minlength=cells)
    kernel = np.cumprod(np.r_[1., 1 - .5 / np.arange(1, cells)])
    space = opendp.vector_domain(opendp.atom_domain(T=int)), opendp.l1_distance(T=int)
    blocks = opendp.t.make_b_ary_tree(*space, leaf_count=cells, branching_factor=2)
    noisy, consistent = blocks >> opendp.m.then_laplace(scale=21.), opendp.t.make_consistent_b_ary_tree(branching_factor=2)
    return {"ours": lambda: release_central(labels, root, **given),
            "one FFT convolution": lambda: fftconvolve(kernel, counts),
            "tree, least squares": lambda: release_central(labels, tree, **given),
            "OpenDP": lambda: np.cumsum(consistent(noisy(np.bincount(labels, minlength=cells).tolist())))}


def price(cells=64):
    """γ₂ of the cut points to 0.1%: min t, [[P, W], [Wᵀ, Q]] positive semidefinite with diagonals at most t."""
    W, s = threshold_workload(cells=cells), 2 * cells
    place = {(i, j): k for k, (i, j) in enumerate((i, j) for j in range(s) for i in range(j, s))}
    free = [(i, j) for i, j in place if not i >= cells > j]
    column = {pair: 1 + k for k, pair in enumerate(free)}
    fixed = np.zeros(len(place))
    for (i, j), k in place.items():
        fixed[k] = np.sqrt(2) * W[j, i - cells] if i >= cells > j else 0
    entries = [(i, 0, -1.) for i in range(s)] + [(i, column[i, i], 1.) for i in range(s)]
    entries += [(s + place[pair], column[pair], -1. if pair[0] == pair[1] else -np.sqrt(2)) for pair in free]
    rows, columns, values = zip(*entries)
    A = sparse.csc_matrix((values, (rows, columns)), shape=(s + len(place), 1 + len(free)))
    data = dict(A=A, b=np.r_[np.zeros(s), fixed], c=np.eye(1, 1 + len(free))[0])
    return {"ours": lambda: gamma2(W, gap=1e-3),
            "SCS": lambda: scs.SCS(data, dict(l=s, s=[s]), eps_abs=1e-3, eps_rel=1e-3, verbose=False).solve()}


def medians(runs=1000, answers=100, size=1001):
    """A private median of each of many data sets, from public candidates; the baseline compares all with all."""
    rng, candidates = np.random.default_rng(0), np.linspace(0, 1, size)
    x = rng.random((runs, answers))

    def compared():
        for row in x:
            below, above = (row < candidates[:, None]).sum(axis=1), (row > candidates[:, None]).sum(axis=1)
            permute_and_flip(-np.maximum(below, above), sensitivity=1, epsilon=1, rng=rng)
    return {"ours": lambda: private_median(
        x, candidates=candidates, epsilon=1, neighbor="replace", runs=True, rng=rng), "baseline": compared}


def first_alarm(runs=1000, questions=1000):
    """In 1000 runs of 1000 questions each; the baseline draws the same noise with NumPy."""
    rng, counts = np.random.default_rng(0), np.zeros((runs, questions)) - 50

    def compared():
        alarm = counts + rng.laplace(scale=3.26, size=counts.shape) >= rng.laplace(scale=2.59, size=(runs, 1))
        return np.where(alarm.any(axis=1), alarm.argmax(axis=1), questions)

    return {"ours": lambda: above_threshold(counts, alarms=1, sensitivity=1, threshold=0, epsilon=1, rng=rng), "baseline": compared}


def friends(size=10**4, dimension=10, radius=8., block=512):
    """The baseline takes each pair once, as one product of matrices a block, the squares folded into two columns."""
    x = np.random.default_rng(0).normal(size=(size, dimension))
    squares, ones = np.square(x).sum(axis=1), np.ones(size)
    left, right = np.column_stack([-2 * x, squares, ones]), np.column_stack([x, ones, squares])

    def products():
        counts = np.zeros(size, dtype=np.int64)
        for top in range(0, size, block):
            rows = slice(top, top + block)
            for start in range(top, size, block):
                columns = slice(start, start + block)
                friends = left[rows] @ right[columns].T <= radius**2
                counts[rows] += np.count_nonzero(friends, axis=1)
                if start > top:
                    counts[columns] += np.count_nonzero(friends, axis=0)
        return counts

    return {"ours": lambda: friend_counts(x, radius=radius), "baseline": products, "one product, no counts": lambda: x @ x.T}


def friends_on_a_line(size=10**6):
    x = np.random.default_rng(0).normal(size=(size, 1))
    return {"ours": lambda: friend_counts(x, radius=1), "baseline": lambda: np.argsort(x[:, 0]), "NumPy's sort": lambda: np.sort(x[:, 0])}


def coefficient(size=10**5, dimension=10):
    """One private coefficient of a logistic model; the baseline is the fit alone, without privacy, to the same gradient."""
    rng = np.random.default_rng(0)
    X = rng.choice([-1., 1.], size=(size, dimension - 1))
    y = (rng.random(size) < 1 / (1 + np.exp(-X @ rng.normal(size=dimension - 1) / 3))).astype(float)
    domain, here, there = Box([(-1, 1)] * (dimension - 1)), np.zeros(dimension - 1), np.eye(dimension - 1)[0]
    model = lambda solver: LogisticRegression(C=np.inf, solver=solver, tol=1e-10, max_iter=10**4)
    private = diffprivlib.models.LogisticRegression(epsilon=1, data_norm=np.sqrt(dimension), max_iter=10**4)
    return {"ours": lambda: release_coefficient(X, y, move=(here, there), domain=domain, loss=LOGISTIC, epsilon=1, delta=1e-6,
                                                rows_per_unit=1, rng=rng),
            "baseline": lambda: fit_model(X, y, loss=LOGISTIC, domain=domain),
            "scikit-learn, Newton": lambda: model("newton-cholesky").fit(X, y),
            "scikit-learn, L-BFGS": lambda: model("lbfgs").fit(X, y),
            "diffprivlib": lambda: private.fit(X, y)}


TASKS = {"Laplace noise on 1 000 000 values": laplace_noise,
         "Gaussian noise on 1 000 000 values": gaussian_noise,
         "histogram of 10 000 000 points in 1000 uniform cells": histogram,
         "stability histogram of 1 000 000 keys": stability,
         "calibration of 1000 Gaussian mechanisms": calibration,
         "private mean of 10 000 000 numbers": one_mean,
         "10 000 data sets of 1000 numbers, each estimated": many_means,
         "private cut-off for 1 000 000 people among 2^40": cut_off,
         "messages of 1 000 000 numbers in the local model": messages,
         "words of 1 000 000 people in the local model": words,
         "20 averages of 1 000 000 people, for a conjunction": conjunction,
         "parity of 100 questions from 1000 records": parity,
         "Walsh-Hadamard transform of 1 048 576 numbers": transform,
         "sums up to each of 1 048 576 cells, of 1 000 000 records": prefix_sums,
         "best factorization of 64 cut points, to 0.1%": price,
         "private medians of 1000 data sets, from 1001 candidates": medians,
         "first alarm of 1000 questions, 1000 times": first_alarm,
         "friends among 10 000 records of 10 coordinates": friends,
         "friends among 1 000 000 numbers": friends_on_a_line,
         "one private coefficient of 10, from 100 000 records": coefficient}


def main():
    for task, competitors in TASKS.items():
        seconds = measure(competitors())
        print(task)
        for who, t in sorted(seconds.items(), key=lambda item: item[1]):
            ours = seconds.get("ours")
            ratio = f"   ours takes {ours / t:6.2f} of it ({t / ours:.1f}x)" if ours and who != "ours" else ""
            print(f"  {who:<20} {1000 * t:9.2f} ms{ratio}")


if __name__ == "__main__":
    main()
