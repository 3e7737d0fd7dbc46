"""What a group of records, or a test, can make of a guarantee."""

from __future__ import annotations

import numpy as np

from dplib import _checks
from dplib._numerics import log1mexp
from dplib._types import Floats, Integer, Integers, Real, Reals


def group_privacy(*, distance: Integer, epsilon: Real, delta: Real) -> tuple[float, float]:
    """What (ε, δ)-DP promises when several records change.

    Parameters
    ----------
    distance : int ≥ 0
        How many records change, D.
    epsilon, delta : float ≥ 0, ε > 0, δ < 1

    Returns
    -------
    (float, float), Dε and δ (e^(Dε) - 1)/(e^ε - 1), the latter at most 1

    Notes
    -----
    :Privacy: An (ε, δ)-DP mechanism has the returned parameters for any two data sets at distance D
        under its relation.
    :References: Theorem *Groups* on the page *A bound on every accuser* (thm-group-privacy); Dwork
        and Roth, *The algorithmic foundations of differential privacy* (2014).

    Examples
    --------
    >>> epsilon, delta = group_privacy(distance=5, epsilon=0.5, delta=1e-6)
    >>> epsilon, round(delta, 9)
    (2.5, 1.7238e-05)
    """
    epsilon = _checks.parameter("epsilon", epsilon)
    delta = _checks.parameter("delta", delta, or_zero=True)
    distance = _checks.integer("distance", distance, at_least=0)
    if distance == 0 or delta == 0:
        return distance * epsilon, 0.0
    log_factor = (distance - 1) * epsilon + log1mexp(distance * epsilon) - log1mexp(epsilon)
    return distance * epsilon, float(np.exp(min(0.0, np.log(delta) + log_factor)))


def binary_test_bound(probability: Reals, *, distance: Integers = 1, epsilon: Real) -> Floats:
    """The largest probability that an event can have on one data set, given its probability on
    another.

    Parameters
    ----------
    probability : array_like in [0, 1], Pr[M(x) ∈ S] of an event S
    distance : int ≥ 0 or array_like
        How many records x and x' differ in, D: how many neighbours lead from one to the other.
    epsilon : float > 0

    Returns
    -------
    float64
        The broadcast shape, T applied D times to the probability, T(v) = min(e^ε v, 1 - e^-ε (1 -
        v))

    Notes
    -----
    :Privacy: If M is ε-DP then Pr[M(x') ∈ S] is at most this, and some ε-DP mechanism attains it.
    :References: Theorem *What a test can do* on the page *A bound on every accuser*
        (thm-binary-tests).

    Examples
    --------
    >>> [round(float(binary_test_bound(0.05, epsilon=epsilon)), 4) for epsilon in (1, 5)]
    [0.1359, 0.9936]
    """
    v = _checks.parameters("probability", probability)
    epsilon = _checks.parameter("epsilon", epsilon)
    distance = _checks.integers("distance", distance, at_least=0)
    with np.errstate(divide="ignore"):
        log_v = np.log(v)
    # steps until v >= 1/(1 + e^ε)
    below_kink = np.ceil((-np.logaddexp(0, epsilon) - log_v) / epsilon)
    growing = np.clip(below_kink, 0, distance)
    grown = np.exp(log_v + growing * epsilon)
    return grown - (1 - grown) * np.expm1(-(distance - growing) * epsilon)


def largest_gap(*, distance: Integers, epsilon: Real) -> Floats:
    """The largest difference between an event's probabilities on two data sets.

    Parameters
    ----------
    distance, epsilon
        As in `binary_test_bound`.

    Returns
    -------
    float64
        The shape of ``distance``, 1 - e^(-εD/2) for even D, 1 - 2e^(-ε(D-1)/2)/(1 + e^ε) for odd D

    Notes
    -----
    :Privacy: If M is ε-DP then |Pr[M(x) ∈ S] - Pr[M(x') ∈ S]| is at most this, and some ε-DP
        mechanism attains it.
    :References: Proposition *The largest gap* on the page *A bound on every accuser*
        (prop-largest-gap).

    Examples
    --------
    >>> largest_gap(distance=[1, 3, 8], epsilon=0.5).round(5)
    array([0.24492, 0.54202, 0.86466])
    """
    epsilon = _checks.parameter("epsilon", epsilon)
    pairs, single = np.divmod(
        _checks.integers("distance", distance, at_least=0).astype(np.int64), 2
    )
    first = single * np.tanh(epsilon / 2)
    return first - (1 - first) * np.expm1(-pairs * epsilon)
