"""Invented people side by side: our tree of tables and MST, our rounds and MWEM, on the same tables, in one run.

    python3 -m venv /tmp/synthetic
    /tmp/synthetic/bin/pip install dpmm==0.1.9 'pandas<3' statsmodels matplotlib ipython anywidget
    PYTHONPATH=. /tmp/synthetic/bin/python benchmarks/synthetic.py            # or of some ε: … 1 3

The library dpmm has MST of McKenna, Miklau and Sheldon. It needs an OpenDP older than that of `make bench`, hence an environment of
its own. Its noise is for one record more or less. To promise the same as ours, one record replaced, its tables need half of ρ, since
each moves by √2 in place of 1, and its choices a quarter. The column *MST* has half of ρ for all, which flatters it; *MST, add/remove*
is the library as it is. Each competitor invents as many women as there are in the survey. Each entry has the mean and the largest total
variation distance of a table of two columns, over 36 tables, as means over the runs, and the seconds of one run.

MWEM is that of SmartNoise (`pip install --no-deps smartnoise-synth==1.0.8 smartnoise-sql pyyaml faker sqlalchemy
antlr4-python3-runtime==4.9.3`); without it that part is left out. It measures a whole table of two columns in each round, and promises
ε = 1 for one record more or less, with δ = 0; ours promises ε = 1, δ = 1e-6 for one record replaced. Its Laplace noise is drawn by
NumPy here, because it wants another OpenDP. The error is that of the worst cell of all tables of two of ten columns of yes or no.

`multiplicative_weights` is timed against the product of all questions with the shares of all cells, which each round makes once.
"""

import os
import time

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import random
import sys
import warnings
from itertools import combinations
from unittest.mock import patch

import dpmm.models.mst
import numpy as np
import pandas as pd
from dpmm.models.base.mbi import FactoredInference
from dpmm.models.mst import MSTGM
from scipy.optimize import brentq

from dplib.accounting import zcdp_rho
from dplib.book.datasets import ANSWERS, redbook_answers
from dplib.synthetic import multiplicative_weights, multiplicative_weights_rounds, tree_distribution

warnings.simplefilter("ignore")
RUNS, DELTA, STEPS = 20, 1e-6, 300
CATEGORIES = [len(values) for values in ANSWERS.values()]
WOMEN = redbook_answers()
PAIRS = list(combinations(range(len(CATEGORIES)), 2))


def shares(rows, i, j):
    counts = np.bincount(rows[:, i] * CATEGORIES[j] + rows[:, j], minlength=CATEGORIES[i] * CATEGORIES[j])
    return counts / len(rows)


REAL = {pair: shares(WOMEN, *pair) for pair in PAIRS}


def ours(epsilon, seed):
    rng = np.random.default_rng(seed)
    tree = tree_distribution(WOMEN, categories=CATEGORIES, epsilon=epsilon, delta=DELTA, rng=rng)
    return tree.sample(size=len(WOMEN), rng=rng)


def fewer(domain, iters):
    """The library fits the tables of one column in 2,500 steps, which takes most of its time: 300 are enough."""
    return FactoredInference(domain, iters=min(iters, STEPS))


def mst(epsilon, seed):
    """The library is told how many values each column has, and runs as one process."""
    frame = pd.DataFrame(WOMEN, columns=[f"c{i}" for i in range(len(CATEGORIES))])
    domain = dict(zip(frame.columns, CATEGORIES))
    model = MSTGM(epsilon=epsilon, delta=DELTA, domain=domain, random_state=np.random.RandomState(seed), n_jobs=1,
                  n_iters=STEPS)
    with patch.object(dpmm.models.mst, "FactoredInference", fewer):
        model.fit(frame)
    return model.generate(len(WOMEN)).to_numpy().astype(int)


def mst_replaced(epsilon, seed):
    half = zcdp_rho(epsilon=epsilon, delta=DELTA) / 2
    return mst(brentq(lambda e: zcdp_rho(epsilon=e, delta=DELTA) - half, epsilon / 4, epsilon), seed)


def independent(epsilon, seed):
    """The real columns, without their connections."""
    rng = np.random.default_rng(seed)
    return np.stack([rng.permutation(column) for column in WOMEN.T], axis=1)


COMPETITORS = {"tree_distribution": ours, "MST": mst_replaced, "MST, add/remove": mst, "independent, no privacy": independent}


def compare(epsilons):
    for epsilon in epsilons:
        for who, invent in COMPETITORS.items():
            off, start = [], time.perf_counter()
            for seed in range(RUNS):
                rows = invent(epsilon, seed)
                off.append([np.abs(shares(rows, *pair) - REAL[pair]).sum() / 2 for pair in PAIRS])
            seconds = (time.perf_counter() - start) / RUNS
            means = np.mean(off, axis=1)
            print(f"ε = {epsilon:<4} {who:24} mean {means.mean():.4f} ± {means.std() / RUNS**.5:.4f}   "
                  f"largest {np.mean(np.max(off, axis=1)):.3f}   {seconds:.2f} s", flush=True)


def rounds_of_tables(columns=10, epsilon=1):
    """The worst share of all tables of two columns, with people of four hidden classes."""
    try:
        import snsynth.mwem as smartnoise
    except ImportError:
        return print("MWEM is not installed")
    smartnoise.laplace_noise = lambda scale: float(np.random.laplace(scale=scale))
    rng, bits = np.random.default_rng(1), np.arange(2**columns)[:, None] >> np.arange(columns) & 1
    yes, share = rng.beta(.6, .6, size=(4, columns)), rng.dirichlet(np.full(4, 3.))
    people = share @ np.prod(np.where(bits == 1, yes[:, None], 1 - yes[:, None]), axis=-1)
    pairs = list(combinations(range(columns), 2))
    W = np.array([(bits[:, i] == a) & (bits[:, j] == b) for i, j in pairs for a in (0, 1) for b in (0, 1)], float)
    for n in (1000, 3000, 10_000):
        T = multiplicative_weights_rounds(size=n, cells=len(bits), queries=len(W), epsilon=epsilon, delta=DELTA)
        worst = {"multiplicative_weights": [], "MWEM": []}
        for seed in range(RUNS):
            np.random.seed(seed), random.seed(seed)
            x = np.random.default_rng(seed).choice(len(bits), size=n, p=people)
            h = np.bincount(x, minlength=len(bits)) / n
            ours = multiplicative_weights(x, W, rounds=T, epsilon=epsilon, delta=DELTA, rng=np.random.default_rng(seed))
            frame = pd.DataFrame(bits[x], columns=[f"c{i}" for i in range(columns)])
            theirs = smartnoise.MWEMSynthesizer(epsilon=float(epsilon))
            theirs.fit(frame, categorical_columns=list(frame.columns), preprocessor_eps=0.)
            found, real, _ = theirs.synthetic_histograms[0]
            table = lambda cube, pair: cube.sum(axis=tuple(k for k in range(columns) if k not in pair)) / cube.sum()
            worst["multiplicative_weights"].append(np.abs(W @ (h - ours.probabilities)).max())
            worst["MWEM"].append(max(np.abs(table(found, pair) - table(real, pair)).max() for pair in pairs))
        print(f"n = {n:<6} " + "   ".join(f"{who} {np.median(off):.4f}" for who, off in worst.items()), flush=True)


def speed(cells=4096, questions=298, rounds=250):
    rng = np.random.default_rng(1)
    W, labels = (rng.random((questions, cells)) < .5).astype(float), rng.integers(0, cells, 3000)
    start = time.perf_counter()
    multiplicative_weights(labels, W, rounds=rounds, epsilon=1, delta=DELTA, rng=rng)
    middle, p = time.perf_counter(), np.full(cells, 1 / cells)
    for _ in range(rounds):
        W @ p
    print(f"multiplicative_weights: {middle - start:.2f} s, its products alone {time.perf_counter() - middle:.2f} s")


if __name__ == "__main__":
    speed()
    rounds_of_tables()
    compare([float(epsilon) for epsilon in sys.argv[1:]] or [.3, 1., 3.])
