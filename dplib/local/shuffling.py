"""What is promised if somebody takes the names off the messages and shuffles them.

Your message and those of your clones, who number N - 1, tell the two records that you may have no
better than a majority of N coins.
"""

from __future__ import annotations

import numpy as np
import scipy
from scipy.special import betainc, expit

from dplib import _checks
from dplib._types import Integer, Real

AWAY = 12.0  # standard deviations of a number of clones, of which fewer or more count as none
ROUNDED_SUM = 1 + 1e-7  # of δ: more than the rounding of the probabilities and of their sum
MOST_SENDERS = 10**12  # whose probabilities are right to 1e-9


def shuffled_delta(
        *, size: Integer, rate: Real, local_epsilon: Real, epsilon: Real) -> float:
    """The δ of messages that are ε₀-DP one by one and are shuffled before anybody reads them.

    Parameters
    ----------
    size : int ≥ 1
        The number n of records: of the people who send a message by the same randomiser and tell
        nobody which one is theirs
    rate : float in (0, 1]
        r, such that R(o|y) ≥ (r/2) (R(o|x) + R(o|x')) for the probability R(o|·) of every message o
        and all records x, x' and y: e^-ε₀ for any randomiser, 2/(e^ε₀ + 1) for
        `randomized_response`, whatever the number of categories is
    local_epsilon : float in (0, 700], ε₀, what one message promises by itself
    epsilon : float ≥ 0

    Returns
    -------
    float
        (1 + e^ε) E(tU - tanh(ε/2))₊, where t = tanh(ε₀/2) and U is the mean of N fair signs, N = 1
        + Bin(n - 1, r)

    Notes
    -----
    :Privacy: All messages together, in random order, are (ε, δ)-DP under ``replace``.
    :Error: Never too small, and too large by a factor of 1 + 2e-7 and by 1e-30 at most.
    :Cost: About 24 √(nr) binomial probabilities.
    :References: Theorem *A majority among clones* on the page *What do a million phones type?*
        (thm-shuffle); Feldman, McMillan and Talwar, *Hiding among the clones* (2021).

    Examples
    --------
    >>> round(shuffled_delta(size=2, rate=1/2, local_epsilon=np.log(3), epsilon=0), 6)
    0.375
    """
    size, rate, local = _shuffle(size, rate, local_epsilon)
    epsilon = _checks.real("epsilon", epsilon, at_least=0)
    return _delta(*_clones(size, rate), local, epsilon) if epsilon < local else 0.0


def shuffled_epsilon(
        *, size: Integer, rate: Real, local_epsilon: Real, delta: Real) -> float:
    """The least ε for which `shuffled_delta` is at most δ.

    Parameters
    ----------
    size, rate, local_epsilon
        As in `shuffled_delta`.
    delta : float in (0, 1)

    Returns
    -------
    float, at most ``local_epsilon``

    Notes
    -----
    :Privacy: All messages together, in random order, are (ε, δ)-DP under ``replace``.
    :Error: Never too small, and too large by a relative 1e-6 at most.
    :References: Theorem *A majority among clones* on the page *What do a million phones type?*
        (thm-shuffle); Feldman, McMillan and Talwar, *Hiding among the clones* (2021).

    Examples
    --------
    >>> rate = lambda local: 2 / (np.exp(local) + 1)
    >>> for local in (1, 2, 4):
    ...     print(round(shuffled_epsilon(
    ...         size=10_000, rate=rate(local), local_epsilon=local, delta=1e-6), 6))
    0.043206
    0.1144
    0.410812
    """
    size, rate, local = _shuffle(size, rate, local_epsilon)
    delta, clones = _checks.parameter("delta", delta), _clones(size, rate)
    low, high = 0.0, local
    if _delta(*clones, local, low) <= delta:
        return low
    while high - low > 1e-10 * high:
        middle = (low + high) / 2
        if _delta(*clones, local, middle) <= delta:
            high = middle
        else:
            low = middle
    return high


def _shuffle(size, rate, local_epsilon):
    return (
        _checks.integer("size", size, at_least=1, at_most=MOST_SENDERS),
        _checks.parameter("rate", rate),
        _checks.real("local_epsilon", local_epsilon, above=0, at_most=_checks.LARGEST_EXPONENT),
    )


def _clones(size, rate):
    """The likely values of N, their probabilities, and that of all others."""
    mean = (size - 1) * rate
    width = AWAY * np.sqrt(mean) + 60
    low, high = int(max(mean - width, 0)), int(min(mean + width, size - 1))
    others = np.arange(low, high + 1)
    binom = scipy.stats.binom
    likely = binom.pmf(others, size - 1, rate)
    fewer, more = binom.cdf(low - 1, size - 1, rate), binom.sf(high, size - 1, rate)
    return others + 1, likely, float(fewer + more)


def _delta(clones, chances, unlikely, local, epsilon):
    """The δ at one ε below ε₀."""
    # With N given, a result with at most so many of N draws from the other record tells against
    # you by more than e^ε: P(o) > e^ε P'(o).
    share = expit(-epsilon) * np.expm1(epsilon - local) / np.expm1(-local)
    most = np.ceil(clones * share) - 1
    # P and P' draw one of N by randomised response and N - 1 by fair coins. So P - e^ε P' of these
    # results is lead Pr[A = most] - (e^ε - 1) Pr[A < most], A = Bin(N - 1, 1/2), without
    # cancellation where ε is near ε₀.
    lead = -expit(local) * np.expm1(epsilon - local)
    fewer = np.where(most > 0, betainc(clones - most, np.maximum(most, 1), 0.5), 0)
    lost = lead * scipy.stats.binom.pmf(most, clones - 1, 0.5) - np.expm1(epsilon) * fewer
    return float(np.minimum(chances @ np.maximum(lost, 0) * ROUNDED_SUM + unlikely * lead, 1))
