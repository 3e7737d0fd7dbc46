"""What the tests that draw have in common: generators, laws, and how far from a chance a frequency may be."""

import math

import numpy as np
from scipy.special import chdtrc
from scipy.stats import laplace

ALARM = 1e-6         # of a test of a law: so often it rejects the right one
LEVEL = 1e-8         # the same for the book's claims, of which there are many
FAR = 6.5            # standard errors; a right frequency is further off less than once in 10^10


def rng(seed=0):
    return np.random.default_rng(seed)


def laplace_cdf(z, b=1):
    return laplace.cdf(z, scale=b)


def standard_errors(hits, runs, chance):
    """By how many standard errors a frequency exceeds a chance; a chance of nearly 0 or 1 has the error of one run."""
    return (hits - runs * chance) / math.sqrt(max(runs * chance * (1 - chance), 1))


def chi_square(counts, probabilities):
    """Pearson's p-value; cells that cannot occur must not."""
    assert not counts[probabilities == 0].any()
    counts, expected = counts[probabilities > 0], counts.sum() * probabilities[probabilities > 0]
    return chdtrc(counts.size - 1, np.sum((counts - expected) ** 2 / expected))
