"""Intervals for one coefficient on three designs that make them wide, with and without a share of ε for the standard error.

    python benchmarks/designs.py            200 runs a design and share, about eight minutes

A rare arm: one in 50 is treated, two doses besides. A rare outcome: one in 100. A skewed dose: lognormal, limits 0 to 50.
"""

import numpy as np

from dplib.aggregation import refused
from dplib.glm import LOGISTIC, Box, fit_model, release_coefficient

RUNS = 200
TERMS = dict(loss=LOGISTIC, epsilon=1, delta=1e-6, rows_per_unit=1)


def outcomes(logits, rng):
    return rng.random(len(logits)) < 1 / (1 + np.exp(-logits))


def rare_arm(rng, n=60_000):
    X = np.c_[rng.random(n) < .02, rng.uniform(0, 1, size=(n, 2))].astype(float)
    return X, outcomes(.5 * X[:, 0] - .2, rng), .5


def rare_outcome(rng, n=100_000):
    X = np.c_[rng.random(n) < .5, rng.uniform(0, 1, size=n)].astype(float)
    return X, outcomes(.5 * X[:, 0] - 4.8, rng), .5


def skewed_dose(rng, n=60_000):
    X = np.clip(rng.lognormal(1, 1, size=(n, 1)), 0, 50)
    return X, outcomes(.02 * X[:, 0] - .3, rng), .02


DESIGNS = {
    "rare arm": (rare_arm, Box([(0, 1)] * 3, binary=[0]), ([0, .5, .5], [1, .5, .5])),
    "rare outcome": (rare_outcome, Box([(0, 1)] * 2, binary=[0]), ([0, .5], [1, .5])),
    "skewed dose": (skewed_dose, Box([(0, 50)]), ([0], [1])),
}


def study(make, domain, move, share, runs=RUNS, seed=1):
    """Share released; root mean square error; coverage; median width over that of 1.96 standard errors, of the fit and as told."""
    rng, rows, nus = np.random.default_rng(seed), [], []
    for _ in range(runs):
        X, y, truth = make(rng)
        fit = fit_model(X, y, loss=LOGISTIC, domain=domain, changes=2)
        u = domain.point("b", move[1]) - domain.point("a", move[0])
        nus.append(fit.nu)
        answer = release_coefficient(X, y, move=move, domain=domain, interval_share=share, rng=rng, **TERMS)
        if not refused(answer):
            low, high = answer.interval()
            rows.append((answer.value - truth, low <= truth <= high, (high - low) / 2 / 1.96 / np.linalg.norm(u @ fit.factor)))
    if not rows:
        return 0, np.nan, np.nan, np.nan, np.median(nus)
    error, covered, ratio = np.array(rows).T
    return len(rows) / runs, np.sqrt(np.mean(error**2)), covered.mean(), np.median(ratio), np.median(nus)


def main():
    print(f"{'design':14} share      ν  released   error  coverage  width / 1.96 se")
    for name, design in DESIGNS.items():
        for share in (0, .05, .1, .2):
            released, error, covered, ratio, nu = study(*design, share)
            print(f"{name:14} {share:5} {nu:6.0f} {released:9.0%} {error:7.4f} {covered:9.1%} {ratio:8.2f}", flush=True)


if __name__ == "__main__":
    main()
