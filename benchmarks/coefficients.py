"""Coefficients of one logistic model, side by side in one run: ours and diffprivlib's.

    .venv-bench/bin/python benchmarks/coefficients.py               (part of make bench)

The table has the 20,190 person-years of the RAND experiment (statsmodels); the outcome is whether the person saw a doctor, and the
columns are whether the plan lets them pay, fair or poor health, and a physical limitation. A record, which is a row here, is replaced.
*One*: the effect of paying. *All*: the three slopes. Ours with a certificate are (ε, 10⁻⁶)-private, ours from the minimiser of a perturbed
objective are ε-private, and so is diffprivlib's, all with ε = 1. diffprivlib is asked with its default penalty and with next to none,
C = 10,000, which no public number recommends. The error is the root of the mean square over 200 runs, from the fit without privacy. One
thread.
"""

import os
import time
import warnings

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
warnings.simplefilter("ignore")

import numpy as np
from diffprivlib.models import LogisticRegression as TheirRegression
from sklearn.linear_model import LogisticRegression
from statsmodels.datasets import randhie

from dplib.glm import (
    LOGISTIC, Box, release_by_perturbed_objective, release_coefficient, release_vector, release_vector_by_perturbed_objective)

RUNS, EPSILON, DELTA = 200, 1., 1e-6
NAMES = ("paying", "fair or poor health", "limitation")
RNG = np.random.default_rng()
MOVE = [0, 0, 0], [1, 0, 0]
MODEL = dict(domain=Box([(0, 1)] * 3, binary=[0, 1, 2]), loss=LOGISTIC, rows_per_unit=1, rng=RNG)


def load():
    rows = randhie.load_pandas().data
    X = np.column_stack([(rows.lncoins > 0) | (rows.idp == 1), rows.hlthf + rows.hlthp > 0, rows.physlm > 0]).astype(float)
    return X, (rows.mdvis > 0).to_numpy()


def ours(X, y):
    return [release_coefficient(X, y, move=MOVE, epsilon=EPSILON, delta=DELTA, **MODEL).value]


def ours_alone(X, y):
    return [release_by_perturbed_objective(X, y, move=MOVE, epsilon=EPSILON, **MODEL)]


def vector(X, y):
    return release_vector(X, y, epsilon=EPSILON, delta=DELTA, split=.3, **MODEL).coefficients[1:]


def perturbed(X, y):
    return release_vector_by_perturbed_objective(X, y, epsilon=EPSILON, **MODEL)[1:]


def theirs(X, y, **more):
    return TheirRegression(epsilon=EPSILON, data_norm=np.sqrt(3), max_iter=10**4, **more).fit(X, y).coef_[0]


def main():
    X, y = load()
    exact = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10).fit(X, y).coef_[0]
    print(f"{len(y)} rows; slopes without privacy: " + ", ".join(f"{name} {value:.3f}" for name, value in zip(NAMES, exact)))
    jobs = {"one": {"ours": lambda: ours(X, y), "ours, perturbed": lambda: ours_alone(X, y), "diffprivlib": lambda: theirs(X, y)[:1],
                    "diffprivlib, C = 10,000": lambda: theirs(X, y, C=1e4)[:1]},
            "all": {"ours, the vector": lambda: vector(X, y), "ours, perturbed": lambda: perturbed(X, y),
                    "diffprivlib": lambda: theirs(X, y), "diffprivlib, C = 10,000": lambda: theirs(X, y, C=1e4)}}
    for job, competitors in jobs.items():
        for who, ask in competitors.items():
            start = time.perf_counter()
            answers = np.array([ask() for _ in range(RUNS)])
            errors = np.sqrt(np.mean((answers - exact[:answers.shape[1]]) ** 2, axis=0))
            print(f"    {job}  {who:<24} errors {', '.join(f'{e:.4f}' for e in errors)}   {(time.perf_counter() - start) / RUNS:.4f} s")


if __name__ == "__main__":
    main()
