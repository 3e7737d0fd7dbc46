"""How often a thousand questions are all answered rightly: python benchmarks/alarms.py

999 counts are so many people below their threshold, and the last one as many above it; ε = 1. OpenDP 0.16 has no above threshold: with
it one can put noise on each count, or, if all questions are known beforehand, ask for the largest. *Half and half* is the rule as
published by Dwork and Roth (2014), with real numbers from NumPy: noise of scale 2/ε on the threshold, and of 4/ε on each count.
"""
import time

import numpy as np
import opendp.prelude as opendp

from dplib.mechanisms import permute_and_flip
from dplib.sparse_vector import above_threshold

opendp.enable_features("contrib")
QUESTIONS, RUNS, MARGINS, EPSILON = 1000, 200, (10, 20, 25, 30, 32, 35, 38, 45), 1.0


def counts(margin):
    return np.r_[np.full(QUESTIONS - 1, -margin), margin].astype(np.int64)


def ours(q, rng):
    return above_threshold(q, alarms=1, sensitivity=1, threshold=0, epsilon=EPSILON, rng=rng)[0] == QUESTIONS - 1


def best_split(q, rng):
    return above_threshold(q, alarms=1, sensitivity=1, threshold=0, epsilon=EPSILON, split=.255, rng=rng)[0] == QUESTIONS - 1


def half_and_half(q, rng):
    raised = rng.laplace(scale=2 / EPSILON)
    for place, count in enumerate(q):
        if count + rng.laplace(scale=4 / EPSILON) >= raised:
            return place == QUESTIONS - 1
    return False


SPACE = opendp.vector_domain(opendp.atom_domain(T=int))
NOISY = (SPACE, opendp.l1_distance(T=int)) >> opendp.m.then_laplace(scale=QUESTIONS / EPSILON)
LARGEST = (SPACE, opendp.linf_distance(T=int)) >> opendp.m.then_noisy_max(
    opendp.max_divergence(), scale=2 / EPSILON)


def noise_on_each(q, rng):
    return np.array_equal(np.array(NOISY(q.tolist())) >= 0, q >= 0)


def largest_of_opendp(q, rng):
    return LARGEST(q.tolist()) == QUESTIONS - 1


def largest(q, rng):
    return permute_and_flip(q, sensitivity=1, epsilon=EPSILON, rng=rng) == QUESTIONS - 1


RULES = {"above threshold": ours, "the same, 25.5% for the threshold": best_split, "half and half, published": half_and_half,
         "OpenDP, noise on each count": noise_on_each, "all known: ours": largest, "all known: OpenDP": largest_of_opendp}


def main():
    print(f"{'share of right runs, at so many people':40}", *(f"{margin:5}" for margin in MARGINS), "   ms a run")
    for name, rule in RULES.items():
        rng, start = np.random.default_rng(0), time.perf_counter()
        right = [np.mean([rule(counts(margin), rng) for _ in range(RUNS)]) for margin in MARGINS]
        each = (time.perf_counter() - start) / RUNS / len(MARGINS)
        print(f"{name:40}", *(f"{share:5.2f}" for share in right), f"{1000 * each:10.2f}")
    print("largest: ε of OpenDP's choice as it says itself:", LARGEST.map(1))


if __name__ == "__main__":
    main()
