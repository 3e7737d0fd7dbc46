"""Coins, and integer noise that is made of them: fair bits alone.

A coin of probability p is tossed exactly, for every double p; the rest is made of coins and
rejection. Only the rounding of p, and outputs of total probability below 1e-300 that never occur,
deviate from the ideal distributions. ``rate`` is 1/b for noise of scale b, and q = e^-rate the
ratio of neighbouring probabilities.
"""

import numpy as np
import scipy

# bounds the error of the logarithm of a ratio of two output probabilities of geometric noise
ROUNDING = 2.0**-43
LEAST_EPSILON = 2.0**-48  # of a randomised response: the rounding of its coin is far less


def bernoulli(p, shape, rng):
    """Booleans of this shape, true with probability exactly ``p`` (a double from 0 to 1, or an
    array of them)."""
    # A uniform real number is compared with p, 64 binary digits at a time; further digits are drawn
    # only after a tie.
    sure = np.asarray(p) >= 1
    digits = np.ldexp(np.where(sure, 0, p), 64)
    whole = np.floor(digits)
    uniform = rng.integers(0, 2**64 - 1, size=shape, dtype=np.uint64, endpoint=True)
    bound = whole.astype(np.uint64)
    below = (uniform < bound) | sure
    tie = uniform == bound
    if tie.any():  # once in 2**64 tosses
        rest = np.broadcast_to(digits - whole, below.shape)[tie]
        below[tie] |= bernoulli(rest, rest.shape, rng)
    return below


def lies(epsilon, others, shape, rng):
    """Whether each of randomised responses is another one than the truth, of so many others."""
    # Of truth and lie the rarer one is tossed, so that rounding never hides it. A little less truth
    # than e^ε allows covers the rounding of these lines.
    odds = others * np.exp(-epsilon)
    if odds > 1:
        return ~bernoulli((1 - 2.0**-50) / (1 + odds), shape, rng)
    lie = odds / (1 + odds) * (1 + 2.0**-50)
    return bernoulli(max(lie, np.finfo(float).tiny), shape, rng)


def kept_signs(epsilon, shape, rng):
    """1 with probability e^ε/(e^ε + 1), else -1: what randomised response multiplies a sign by."""
    return np.where(lies(epsilon, 1, shape, rng), -1.0, 1.0)


def directions(shape, rng):
    """Vectors of length 1 along the last axis, z as likely as -z, in all directions alike up to
    rounding."""
    normal = rng.normal(size=shape)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    return normal


def geometric(rate, shape, rng):
    """G with Pr[G = m] = (1 - q) q^m for m = 0, 1, ..."""
    # q^m is the product of q^(2^j) over the binary digits j of m, so the digits are independent
    # coins of odds q^(2^j).
    total = np.zeros(shape, dtype=np.int64)
    digit = 0
    while 2.0**digit * rate < 700:  # later digits are 1 with probability below 1e-304
        total += bernoulli(scipy.special.expit(-(2.0**digit) * rate), shape, rng) * (1 << digit)
        digit += 1
    return total


def two_sided_geometric(rate, shape, rng):
    """G with Pr[G = m] = (1 - q)/(1 + q) q^|m| over all integers m."""
    if rate < 1:  # of Pr[G = 0] and Pr[G != 0], toss the one that is small
        moved = ~bernoulli(np.tanh(rate / 2), shape, rng)
    else:
        moved = bernoulli(2 * scipy.special.expit(-rate), shape, rng)
    magnitude = (geometric(rate, shape, rng) + 1) * moved
    return np.where(bernoulli(0.5, shape, rng), magnitude, -magnitude)


def truncated_two_sided_geometric(rate, bound, shape, rng):
    """The two-sided geometric distribution conditioned on |G| <= bound."""
    return _accepted(
        lambda n: two_sided_geometric(rate, n, rng), lambda g: np.abs(g) <= bound, shape
    )


def discrete_normal(sigma, shape, rng):
    """Y with Pr[Y = y] proportional to exp(-y^2 / (2 sigma^2)) over all integers y (Canonne, Kamath
    and Steinke)."""
    scale = np.floor(sigma) + 1

    def accept(y):
        with np.errstate(over="ignore"):  # a tiny sigma rejects every y but 0
            exponent = ((np.abs(y) - sigma**2 / scale) / sigma) ** 2 / 2
        return bernoulli(np.minimum(np.exp(-exponent), 1 - 2.0**-53), y.shape, rng)

    return _accepted(lambda n: two_sided_geometric(1 / scale, n, rng), accept, shape)


def _accepted(propose, accept, shape):
    """Rejection sampling: the first accepted proposals, in the shape asked for."""
    wanted = int(np.prod(shape, dtype=np.int64))
    batches, have = [np.empty(0, dtype=np.int64)], 0
    while have < wanted:
        proposals = propose(int(1.4 * (wanted - have)) + 16)
        batches.append(proposals[accept(proposals)])
        have += batches[-1].size
    return np.concatenate(batches)[:wanted].reshape(shape)
