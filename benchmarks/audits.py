"""Audits of other libraries, with the tools of this package: what they promise, and what an experiment shows.

    .venv-bench/bin/python benchmarks/audits.py            (part of make bench)

The libraries draw from randomness of their own, so the last digits change from run to run; a bound is wrong once in ten
thousand audits. Each case is on the pages of part VI, with the rule in a few lines and the public report.
"""

import os
import warnings
from importlib.metadata import version

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[name] = "1"

import diffprivlib.tools
import numpy as np
import opendp.prelude as opendp
from diffprivlib.models import LinearRegression
from scipy.special import betaincinv

from dplib.aggregation import bounded_mean
from dplib.audit import audit_mechanism

opendp.enable_features("contrib")
BETA = 1e-4


def threshold(runs=100_000, limit=3):
    """A key of one person, against none: δ is at least the probability that it is shown."""
    space = opendp.map_domain(opendp.atom_domain(T=int), opendp.atom_domain(T=int)), opendp.l01inf_distance(opendp.absolute_distance(T=int))
    release = opendp.m.make_laplace_threshold(*space, scale=1.0, threshold=limit)
    charged = release.map((1, 1, 1))[1]
    shown = sum(len(release({0: 1})) for _ in range(runs))
    least = betaincinv(shown, runs - shown + 1, BETA)
    print(f"OpenDP {version('opendp')}, integer threshold {limit} at scale 1: charged δ = {charged:.4f}; shown in {shown / runs:.4f} of "
          f"{runs:,} runs, so δ > {least:.4f}")


def regression(runs=4_000):
    """Two records or one at x = 1: no noise on Σx² if the lower bound of x is 0."""
    y = np.ones(10)

    def sizes(batch):
        fits = (LinearRegression(epsilon=1.0, fit_intercept=False, bounds_X=(0, 1), bounds_y=(0, 1)).fit(x[:, None], y) for x in batch)
        return np.array([abs(fit.coef_.item()) for fit in fits])

    two, one = (np.concatenate([np.ones(k), np.zeros(10 - k)]) for k in (2, 1))
    audit = audit_mechanism(sizes, two, one, trials=runs, delta=0, beta=BETA)
    print(f"diffprivlib {version('diffprivlib')}, LinearRegression through 0: promised ε = 1; shown ε > {audit.epsilon_lower:.2f}, "
          f"by |coefficient| {audit.event.removeprefix('output ')}, {audit.hits} and {audit.hits_neighbor} of {audit.trials:,} runs")


def far_mean(release, name, runs=2_000):
    """64 time stamps in nanoseconds, one of which moves to the next float where that moves NumPy's mean: how often the first is shown."""
    far, gap = 1.7e18, float(np.spacing(1.7e18))
    stamps = [far + gap * (np.arange(64) < later) for later in range(65)]
    last = max(k for k, x in enumerate(stamps) if x.mean() == far)
    shares = [np.mean([release(x, (far - 640, far + 640)) == far for _ in range(runs)]) for x in stamps[last:last + 2]]
    print(f"{name}, mean far out at ε = 1: the first of two floats in {shares[0]:.3f} and {shares[1]:.3f} of {runs:,} runs on neighbours")


def main():
    warnings.simplefilter("ignore")  # the libraries' own, about bounds and fits
    threshold()
    regression()
    rng = np.random.default_rng(0)
    far_mean(lambda x, bounds: diffprivlib.tools.mean(x, epsilon=1, bounds=bounds), f"diffprivlib {version('diffprivlib')}")
    far_mean(lambda x, bounds: bounded_mean(x, bounds=bounds, epsilon=1, rng=rng), "ours")


if __name__ == "__main__":
    main()
