"""Speed, side by side in one run: what we do, the floor that the hardware sets, and what other libraries need.

    make bench

Each row is one task. *Floor* is the same arithmetic in plain NumPy, without privacy's bookkeeping. Runs of the competitors
are interleaved, so that a busy machine hurts all of them alike; the median is printed. One thread.
"""

import os
import statistics
import time

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[name] = "1"

import diffprivlib.tools
import numpy as np
import opendp.prelude as opendp
from dp_accounting.gaussian_mechanism import get_sigma_gaussian

from dplib.histograms import laplace_histogram, stability_histogram
from dplib.mechanisms import gaussian_sigma, laplace

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
    release, few = space >> opendp.m.then_laplace(scale=1.), values[: size // 100].tolist()
    return {"ours": lambda: laplace(values, sensitivity=1, epsilon=1, rng=rng),
            "floor": lambda: rng.laplace(size=size),
            "OpenDP, of 1%": lambda: release(few)}


def histogram(size=10**7, cells=1000, chunk=1 << 15):
    rng = np.random.default_rng(0)
    x, (lo, hi) = rng.random(size), (0., 1.)

    def chunked():                       # floor((x - lo) k / (hi - lo)), the right end belonging to the last cell
        counts = np.zeros(cells, dtype=np.int64)
        for start in range(0, size, chunk):
            labels = ((x[start:start + chunk] - lo) * cells / (hi - lo)).astype(np.intp)
            counts += np.bincount(np.minimum(labels, cells - 1, out=labels), minlength=cells)
        return counts + rng.laplace(scale=2, size=cells)

    return {"ours": lambda: laplace_histogram(x, cells=cells, bounds=(lo, hi), epsilon=1, rng=rng), "floor": chunked,
            "diffprivlib": lambda: diffprivlib.tools.histogram(x, epsilon=1, bins=cells, range=(0, 1))}


def stability(size=10**6):
    rng = np.random.default_rng(0)
    keys = rng.integers(0, size, size)
    listed = keys.tolist()
    space = opendp.vector_domain(opendp.atom_domain(T=int)), opendp.symmetric_distance()
    release = space >> opendp.t.then_count_by(TV=int) >> opendp.m.then_laplace_threshold(scale=1., threshold=15)
    return {"ours": lambda: stability_histogram(keys, epsilon=1, delta=1e-6, neighbor="add_remove", rng=rng),
            "floor": lambda: np.unique(keys, return_counts=True), "OpenDP": lambda: release(listed)}


def calibration(size=1000):
    rng = np.random.default_rng(0)
    epsilon, delta = 10 ** rng.uniform(-2, 1, size), 10 ** rng.uniform(-10, -2, size)
    return {"ours": lambda: gaussian_sigma(epsilon=epsilon, delta=delta, sensitivity=1),
            "dp_accounting": lambda: [get_sigma_gaussian(e, d) for e, d in zip(epsilon, delta)]}


TASKS = {"Laplace noise on 1 000 000 values": laplace_noise,
         "histogram of 10 000 000 points in 1000 uniform cells": histogram,
         "stability histogram of 1 000 000 keys": stability,
         "calibration of 1000 Gaussian mechanisms": calibration}


def main():
    for task, competitors in TASKS.items():
        seconds = measure(competitors())
        print(task)
        for who, t in sorted(seconds.items(), key=lambda item: item[1]):
            ratio = "" if who == "ours" else f"   ours takes {seconds['ours'] / t:6.2f} of it ({t / seconds['ours']:.1f}x)"
            print(f"  {who:<14} {1000 * t:9.2f} ms{ratio}")


if __name__ == "__main__":
    main()
