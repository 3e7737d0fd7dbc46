"""How many of the guilty an accuser has to miss, given how many of the innocent are accused: the
curve that says all that a mechanism promises.

Symbols
-------
P, P' : the distributions of the output if your record is there, and if it is not
false_alarm : v, the share of the innocent that a test accuses, that is, its probability under P'
f(v) : the least share of the guilty that a test with v misses
mu : μ, by which two bell curves of standard deviation 1 are apart
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from dplib import _checks
from dplib._types import ArrayLike, Floats, Integers, NDArray, Reals

BERRY_ESSEEN = 0.56
ABOVE = 1e-12  # by which rounding may lift a curve above another one
HEIGHT_ROUNDING = 1e-15  # of the height of a point above a line


def trade_off(false_alarm: Reals, *, p: ArrayLike, p_neighbor: ArrayLike) -> Floats:
    """The share of the guilty that the best test misses, for two distributions of finitely many
    outcomes.

    Parameters
    ----------
    false_alarm : float in [0, 1] or array_like, the share v of the innocent that it accuses
    p, p_neighbor : array_like, shape (k,)
        Probabilities of the same outcomes, under P and under P', with the sum 1 up to 1e-6

    Returns
    -------
    float64, the shape of ``false_alarm``, f(v)

    Notes
    -----
    :Cost: O(k ln k).
    :References: Definition *The accuser's curve* on the page *The accuser's curve* (def-trade-off);
        Neyman and Pearson, *On the problem of the most efficient tests of statistical hypotheses*
        (1933).

    Examples
    --------
    >>> trade_off([0.1, 0.25], p=[0.75, 0.25], p_neighbor=[0.25, 0.75]).round(3)
    array([0.7 , 0.25])
    """
    v = _checks.parameters("false_alarm", false_alarm)
    accused, caught, _ = _path(*_checks.pair("p", p, "p_neighbor", p_neighbor))
    return 1 - np.minimum(np.interp(v, accused, caught), 1)


def _path(p, q):
    """The points (v, share caught) at which the best test has accused one outcome more, by falling
    ratio of P to P'; and the order of the outcomes."""
    order = np.argsort(np.arctan2(q, p), kind="stable")  # an angle: no ratio is infinite
    return *(np.append(0, np.cumsum(law[order])) for law in (q, p)), order


def gaussian_trade_off(false_alarm: Reals, *, mu: Reals) -> Floats:
    """The share of the guilty that the best test misses, for Gaussian noise.

    Parameters
    ----------
    false_alarm : float in [0, 1] or array_like, the share v of the innocent that it accuses
    mu : float ≥ 0 or array_like, sensitivity of the query over standard deviation of the noise

    Returns
    -------
    float64, the broadcast shape, G(v) = Φ(Φ⁻¹(1 - v) - μ)

    Notes
    -----
    :References: Definition *The accuser's curve* on the page *The accuser's curve* (def-trade-off);
        Dong, Roth and Su, *Gaussian differential privacy* (2022).

    Examples
    --------
    >>> gaussian_trade_off(0.05, mu=[0.5, 1.0, 3.0]).round(4)
    array([0.8739, 0.7405, 0.0877])
    """
    v, mu = _checks.parameters("false_alarm", false_alarm), _checks.parameters("mu", mu)
    return ndtr(-ndtri(v) - mu)  # -Φ⁻¹(v) has digits where 1 - v has none


def promise_trade_off(false_alarm: Reals, *, epsilon: Reals, delta: Reals) -> Floats:
    """The share of the guilty that every test misses, if all that is known is (ε, δ).

    Parameters
    ----------
    false_alarm : float in [0, 1] or array_like, the share v of the innocent that it accuses
    epsilon, delta : float ≥ 0 or array_like, ε at most 700, δ < 1

    Returns
    -------
    float64, the broadcast shape, max{0, 1 - δ - e^ε v, e^-ε (1 - δ - v)}

    Notes
    -----
    :Privacy: Every (ε, δ)-DP mechanism has a curve that is nowhere lower, and one of them has this.
    :References: Theorem *What a test can do* on the page *A bound on every accuser*
        (thm-binary-tests); definition *The accuser's curve* on the page *The accuser's curve*
        (def-trade-off).

    Examples
    --------
    >>> promise_trade_off([0, 0.05, 0.5], epsilon=1, delta=0.01).round(4)
    array([0.99  , 0.8541, 0.1803])
    """
    v = _checks.parameters("false_alarm", false_alarm)
    epsilon = _checks.parameters(
        "epsilon", epsilon, or_zero=True, at_most=_checks.LARGEST_EXPONENT
    )
    delta = _checks.parameters("delta", delta, or_zero=True)
    first, second = 1 - delta - np.exp(epsilon) * v, np.exp(-epsilon) * (1 - delta - v)
    return np.maximum(np.maximum(first, second), 0)


def blackwell_map(
        *, p: ArrayLike, p_neighbor: ArrayLike, q: ArrayLike,
        q_neighbor: ArrayLike) -> NDArray[np.float64] | None:
    """The random map that turns one pair of distributions into another one, whose curve is nowhere
    lower.

    Parameters
    ----------
    p, p_neighbor : array_like, shape (k,)
        Probabilities of the outcomes of the pair P, P' to be made, with the sum 1 up to 1e-6
    q, q_neighbor : array_like, shape (m,)
        Probabilities of the outcomes of the pair Q, Q' at hand, with the sum 1 up to 1e-6

    Returns
    -------
    float64, shape (k, m), or None
        K with columns that sum to 1, K Q = P and K Q' = P'. None if the curve of P, P' is lower
        somewhere by more than 1e-12: no map does it then.

    Notes
    -----
    :Error: K Q and K Q' are P and P' up to rounding, of the order 1e-12.
    :Cost: O(km²).
    :References: Theorem *Blackwell* on the page *The accuser's curve* (thm-blackwell); Blackwell,
        *Equivalent comparisons of experiments* (1953).

    Examples
    --------
    One coin with ε = ln 3, spoilt, is a coin with ε = ln 2:

    >>> blackwell_map(p=[2/3, 1/3], p_neighbor=[1/3, 2/3],
    ...               q=[3/4, 1/4], q_neighbor=[1/4, 3/4]).round(4)
    array([[0.8333, 0.1667],
           [0.1667, 0.8333]])
    """
    p, p_neighbor = _checks.pair("p", p, "p_neighbor", p_neighbor)
    q, q_neighbor = _checks.pair("q", q, "q_neighbor", q_neighbor)
    aim_v, aim_caught, aims = _path(p, p_neighbor)
    v, caught, order = _path(q, q_neighbor)
    if np.any(np.interp(aim_v, v, caught) < aim_caught - ABOVE):
        return None
    merged = np.eye(q.size)[order]  # a row for each outcome in order: how it is made of Q's
    for start_v, start_caught, aim in zip(aim_v, aim_caught, aims):
        v, caught = (np.append(0, np.cumsum(merged @ law)) for law in (q_neighbor, q))
        height = (caught - start_caught) * p_neighbor[aim] - (v - start_v) * p[aim]
        merged = _cut(merged, height, HEIGHT_ROUNDING * (p[aim] + p_neighbor[aim]))
    at, ends = aim_v + aim_caught, np.append(0, np.cumsum(merged @ (q + q_neighbor)))
    made = np.empty((p.size, q.size))
    made[aims] = _shares(at, ends) @ merged
    return made


def _cut(merged, height, rounding):
    """Merge the outcomes of a path that lie above a line into one, which then lies on it; height is
    that of the ends of the outcomes."""
    above = np.flatnonzero(height[1:-1] > rounding) + 1
    if above.size == 0:
        return merged
    first, last = above[0] - 1, above[-1]  # they cross the line: a coin says on which side one is
    low, high = max(-height[first], 0), max(-height[last + 1], 0)
    stay, leave = low / (low + height[above[0]]), high / (high + height[last])
    weights = np.ones(last - first + 1)
    weights[[0, -1]] = 1 - stay, 1 - leave
    one = weights @ merged[first:last + 1]
    return np.vstack([merged[:first], stay * merged[first], one, leave * merged[last],
                      merged[last + 1:]])


def _shares(aims, ends):
    """Which share of each interval between ``ends`` lies in which one between ``aims``."""
    shared = np.minimum.outer(aims[1:], ends[1:]) - np.maximum.outer(aims[:-1], ends[:-1])
    shared = np.maximum(shared, 0)
    whole = shared.sum(axis=0)
    return np.where(whole > 0, shared / np.where(whole > 0, whole, 1), np.eye(len(shared))[:, :1])


def central_limit(
        *, count: Integers, mean: Reals, variance: Reals, third: Reals) -> tuple[float, float]:
    """The bell curve that the curves of many releases together come near to, and how near.

    Parameters
    ----------
    count : array_like, int ≥ 1
        How many releases have such a loss.
    mean, variance : array_like, float ≥ 0, the mean and the variance of the loss L of one release
    third : array_like, float ≥ 0, E|L - E L|³

    Returns
    -------
    (float, float)
        μ = 2m/s and γ = 0.56 Σ E|L - E L|³/s³, for the sums m of all means and s² of all variances

    Notes
    -----
    :Error: If -L under P' has the distribution of L under P, in each release, the curve of all of
        them is at least G(v + γ) - γ and at most G(v - γ) + γ, G that of `gaussian_trade_off` for
        μ, with 1 left of 0 and 0 right of 1. The bell curve itself promises nothing.
    :References: Theorem *The limit and its error* on the page *The accuser's curve* (thm-clt);
        Shevtsova, *An improvement of convergence rate estimates in the Lyapunov theorem* (2010).

    Examples
    --------
    A hundred coins of randomised response with ε = 0.1:

    >>> t = np.tanh(0.05)
    >>> spread = 0.1**2 * (1 - t**2)
    >>> mu, gap = central_limit(count=100, mean=0.1 * t, variance=spread,
    ...                         third=0.1 * spread * (1 + t**2))
    >>> round(mu, 4), round(gap, 4)
    (1.0004, 0.0562)
    """
    count, mean, variance, third = np.broadcast_arrays(
        _checks.integers("count", count, at_least=1), _checks.parameters("mean", mean),
        _checks.parameters("variance", variance), _checks.parameters("third", third))
    deviation = np.sqrt(np.sum(count * variance))
    gap = BERRY_ESSEEN * np.sum(count * third) / deviation**3
    return float(2 * np.sum(count * mean) / deviation), float(gap)
