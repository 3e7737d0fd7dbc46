"""From how many records on each release of a fitted model answers in 95% of its runs:

    python benchmarks/thresholds.py [FILE [WORKERS]]         results go to FILE as they come; the same call goes on where one has ended

ε = 1, δ = 1e-6; coefficients of length 1. *Cube*: covariates -1 and 1, the domain a cube; *ball*: covariates of length √d, the domain a
ball. Outcomes are normal around xᵀθ (robust), or logistic. The sizes tried are 100 times powers of 4/3.
"""
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np

from dplib import glm
from dplib.aggregation import Refusal, refused
from dplib.glm.certificates import certify_below
from dplib.glm.fits import CHARGED, fit_model
from dplib.glm.compared.published import _bounded_multiplier
from dplib.glm.terms import Budget
from dplib.sample_size import run_trials

EPSILON, DELTA, RUNS, ENOUGH, RATIO = 1.0, 1e-6, 40, 0.95, 4 / 3
BUDGET = dict(epsilon=EPSILON, delta=DELTA)


def people(loss, d, n, ball, rng):
    """n records of a model whose coefficients have length 1."""
    theta = rng.normal(size=d)
    theta /= np.linalg.norm(theta)
    X = rng.normal(size=(n, d)) if ball else rng.choice([-1.0, 1.0], size=(n, d))
    X *= np.sqrt(d) / np.linalg.norm(X, axis=1, keepdims=True)
    t = X @ theta
    return X, t + rng.normal(size=n) if loss is glm.ROBUST else (rng.random(n) < 1 / (1 + np.exp(-t))).astype(float)


def fitted_scale_with_normal_noise(X, y, *, move, domain, loss, split, rng, epsilon, delta):
    """Whether `release_with_fitted_scale` would answer with normal noise of at most twice the multiplier of a scale that does not
    differ."""
    fit, kappa = fit_model(X, y, loss=loss, domain=domain), 2 + CHARGED
    nu = certify_below(max(fit.nu, kappa), sensitivity=kappa, epsilon=split * epsilon, delta=delta / 2, rng=rng)
    constants = glm.direction_constants(nu=nu, changes=kappa, largest_curvature=loss.largest_curvature)
    answers = np.isfinite(constants.factor) and np.isfinite(
        _bounded_multiplier(constants.up, constants.down, Budget((1 - split) * epsilon, delta / 2)))
    return 0.0 if answers else Refusal("")


COEFFICIENT = {
    "fitted scale": partial(glm.release_with_fitted_scale, split=.25),
    "fitted scale, normal noise": partial(fitted_scale_with_normal_noise, split=.25),
    "Mahalanobis": partial(glm.compared.release_with_mahalanobis_scale, split=.25),
    "condition number, exact": partial(glm.compared.release_with_condition_number, check="exact", split=.5),
    "condition number, simple": partial(glm.compared.release_with_condition_number, check="simple", split=.5)}
VECTOR = {
    "isotropic, source form": partial(glm.compared.release_with_isotropic_noise, form="source", split=.5),
    "isotropic, sharp": partial(glm.compared.release_with_isotropic_noise, form="sharp", split=.25),
    "isotropic, generic": partial(glm.compared.release_with_isotropic_noise, form="generic", split=.5),
    "shaped noise": partial(glm.release_vector, split=.25)}
ON_BALL = {"condition number, exact", "condition number, simple"}


def answered(name, loss, d, n, ball):
    """In which share of the runs there is an answer; it may stop when the share is decided."""
    domain = glm.Ball(np.sqrt(d), columns=d) if ball else glm.Box([(-1, 1)] * d, intercept=False)
    move = {} if name in VECTOR else dict(move=(np.zeros(d), np.eye(d)[0]))
    release, refusals = (VECTOR | COEFFICIENT)[name], 0
    for run in range(RUNS):
        X, y = people(loss, d, n, ball, np.random.default_rng([run, d, n]))
        out = release(X, y, domain=domain, loss=loss, rng=np.random.default_rng([run, d, n, 1]), **BUDGET, **move)
        refusals += refused(out)
        if refusals > (1 - ENOUGH) * RUNS:
            return False
    return True


def threshold(name, loss, d, ball=False, start=0):
    """The first size tried at which it answers."""
    step = start
    while not answered(name, loss, d, round(100 * RATIO**step), ball):
        step += 1
    while step > start and step > 0 and answered(name, loss, d, round(100 * RATIO ** (step - 1)), ball):
        step -= 1
    return round(100 * RATIO**step), step


COLUMNS = [("robust", 2), ("robust", 5), ("robust", 10), ("logistic", 5), ("logistic", 10)]
ROWS = [(name, ball) for name in VECTOR | COEFFICIENT for ball in ((False, True) if name in ON_BALL else (False,))]


def cell(task, rng):
    """One cell of the table; its runs have seeds of their own, the same in every cell."""
    (name, ball), (loss, d) = task
    return "-" if ball and loss == "logistic" else threshold(name, getattr(glm, loss.upper()), d, ball, start=6)[0]


def main(file=None, workers="2"):
    tasks = [[row, column] for row in ROWS for column in COLUMNS]
    with ProcessPoolExecutor(int(workers)) as executor:
        found = iter(run_trials(cell, tasks=tasks, seed=0, file=file, executor=executor))
    print(f"{'':34}" + "".join(f"{loss:>9} {d:<2}" for loss, d in COLUMNS))
    for name, ball in ROWS:
        print(f"{name + (', ball' if ball else ', cube' if name in ON_BALL else ''):34}"
              + "".join(f"{next(found):>9}   " for _ in COLUMNS))


if __name__ == "__main__":
    started = time.perf_counter()
    main(*sys.argv[1:])
    print(f"{time.perf_counter() - started:.0f} seconds", file=sys.stderr)
