"""What many answers cost together: the ε of this package and that of dp_accounting, from above and from below, in one run.

    .venv-bench/bin/python benchmarks/accounts.py            (part of make bench)

Both have grids of step 1e-4. *Exact* is a formula, or the sum over all outcomes; where there is none, the truth lies between the
two columns of dp_accounting. An account from above that is below the exact ε, or one from below that is above it, is marked. The
seconds are those of making one loss, composing it and reading one ε, the best of three; one thread.
"""

import logging
import os
import time
from importlib.metadata import version

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
from dp_accounting.pld import common
from dp_accounting.pld import privacy_loss_distribution as rival
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import binom

from dplib.accounting import PrivacyLoss, compose_optimal
from dplib.mechanisms import gaussian_delta

logging.disable(logging.WARNING)               # theirs from below changes the method of rounding, and says so
STEP = 1e-4
KINDS = np.linspace(.05, .15, 18)
SEEN = np.array([.1 * expit(1) + .9 * expit(-1), .1 * expit(-1) + .9 * expit(1)]), expit([-1, 1])


def gaussian(count, sigma):
    return brentq(lambda e: float(np.log(gaussian_delta(epsilon=e, sigma=sigma / np.sqrt(count), sensitivity=1) / 1e-6)), .01, 20,
                  xtol=1e-14, rtol=1e-14)


def two_outcomes(count):
    """The larger ε of both orders, from the numbers of the first outcome."""
    def least(p, q):
        first = np.arange(count + 1)
        here, there = binom.pmf(first, count, p[0]), binom.pmf(first, count, q[0])
        return brentq(lambda e: np.maximum(here - np.exp(e) * there, 0).sum() - 1e-6, 0, 20, xtol=1e-14, rtol=1e-14)
    return max(least(*SEEN), least(*SEEN[::-1]))


def both_orders(count):
    return max(PrivacyLoss.from_pair(p=p, p_neighbor=q, step=STEP).compose(count).epsilon(1e-6) for p, q in (SEEN, SEEN[::-1]))


def of_rival(make, count, delta):
    """Their account from above, or from below."""
    def account(above):
        return make(pessimistic_estimate=above, value_discretization_interval=STEP).self_compose(count).get_epsilon_for_delta(delta)
    return account


def different(above):
    losses = [rival.from_randomized_response(2 / (1 + np.exp(e)), 2, pessimistic_estimate=above, value_discretization_interval=STEP)
              for e in KINDS]
    total = losses[0]
    for loss in losses[1:]:
        total = total.compose(loss)
    return total.get_epsilon_for_delta(1e-6)


def approximate(pessimistic_estimate, value_discretization_interval):
    return rival.from_privacy_parameters(common.DifferentialPrivacyParameters(1., 1e-6),
                                         value_discretization_interval=value_discretization_interval)


def pair(**options):
    named = [dict(enumerate(np.log(law))) for law in SEEN]
    return rival.from_two_probability_mass_functions(*named, symmetric=False, **options)


CASES = {
    "100 Gaussians, σ = 10": (
        lambda: PrivacyLoss.from_gaussian(sigma=10, sensitivity=1, step=STEP).compose(100).epsilon(1e-6),
        of_rival(lambda **o: rival.from_gaussian_mechanism(10., **o), 100, 1e-6), lambda: gaussian(100, 10)),
    "30 coins, ε = 0.5": (
        lambda: PrivacyLoss.from_pure(epsilon=.5, step=STEP).compose(30).epsilon(1e-6),
        of_rival(lambda **o: rival.from_randomized_response(2 / (1 + np.exp(.5)), 2, **o), 30, 1e-6),
        lambda: compose_optimal(count=30, epsilon=.5, delta=0, slack=1e-6)[0]),
    "30 Laplace, ε = 0.5": (
        lambda: PrivacyLoss.from_laplace(epsilon=.5, step=STEP).compose(30).epsilon(1e-6),
        of_rival(lambda **o: rival.from_laplace_mechanism(2., **o), 30, 1e-6), None),
    "10 × (1, 1e-6), at 2e-5": (
        lambda: PrivacyLoss.from_approximate(epsilon=1, delta=1e-6, step=STEP).compose(10).epsilon(2e-5),
        of_rival(approximate, 10, 2e-5),
        lambda: compose_optimal(count=10, epsilon=1, delta=1e-6, slack=float(-np.expm1(np.log1p(-2e-5) - 10 * np.log1p(-1e-6))))[0]),
    "18 coins, ε = 0.05 to 0.15": (
        lambda: compose_optimal(count=1, epsilon=KINDS, delta=0, slack=1e-6)[0], different,
        lambda: all_signs(KINDS)),
    "200 secret samples, two orders": (lambda: both_orders(200), of_rival(pair, 200, 1e-6), lambda: two_outcomes(200))}


def all_signs(epsilons):
    """The total of coins by the sum over all signs, read off by bisection."""
    loss, chance = np.zeros(1), np.ones(1)
    for e in epsilons:
        loss, chance = np.concatenate([loss + e, loss - e]), np.concatenate([chance * expit(e), chance * expit(-e)])
    return brentq(lambda e: np.sum(chance * -np.expm1(np.minimum(0, e - loss))) - 1e-6, 0, epsilons.sum(), xtol=1e-14, rtol=1e-14)


def timed(act):
    """What it returns, and the seconds of the fastest of three runs."""
    spent = []
    for _ in range(3):
        start = time.perf_counter()
        result = act()
        spent.append(time.perf_counter() - start)
    return float(result), min(spent)


def main():
    print(f"dp_accounting {version('dp-accounting')}; grids of step {STEP:g}; δ = 1e-6 unless said")
    print(f"{'':32}{'exact':>13}{'ours, above':>13}{'theirs, above':>15}{'below':>12}{'ours, s':>9}{'theirs, s':>10}")
    for name, (ours, theirs, exact) in CASES.items():
        (above, spent), (rival_above, rival_spent), rival_below = timed(ours), timed(lambda: theirs(True)), theirs(False)
        truth = exact() if exact else np.nan
        marks = ["!" if wrong else " " for wrong in (above < truth - 1e-9, rival_above < truth - 1e-9, rival_below > truth + 1e-9)]
        print(f"{name:32}{truth:13.8f}{above:12.8f}{marks[0]}{rival_above:14.8f}{marks[1]}{rival_below:11.6f}{marks[2]}"
              f"{spent:9.3f}{rival_spent:10.3f}")


if __name__ == "__main__":
    main()
