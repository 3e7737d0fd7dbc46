"""How few records are too few to tell many hypotheses apart in private."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from dplib import _checks
from dplib._types import Floats, Integers, Ints, Reals
from dplib.sample_size import least_size


def packing_mass(
        *, size: Integers, hypotheses: Reals, epsilon: Reals, delta: Reals, beta: Reals) -> Floats:
    """How much probability a mechanism must give to wrong answers, if it is right for each of many
    hypotheses.

    Parameters
    ----------
    size : int ≥ 0 or array_like, the number n of records
    hypotheses : int ≥ 1 (as a float, if large) or infinity
        or array_like, the number N of disjoint sets of right answers
    epsilon, delta : float or array_like, ε > 0 and 0 ≤ δ < 1
    beta : float in (0, 1) or array_like, the probability of missing the right set

    Returns
    -------
    float64, the broadcast shape
        (N - 1) T⁻ⁿ(1 - β), T⁻ⁿ(u) the least probability of an event that has probability u, n
        records away.

    Notes
    -----
    :Privacy: If the result exceeds β, no (ε, δ)-DP mechanism under ``replace`` is right that often
        for every hypothesis.
    :Error: Relative rounding of order 1e-16 nε if δ = 0.
    :References: Theorem *Packing* on the page *How few people are too few?* (thm-packing); theorem
        *Packing with δ* on the page *How few people are too few?* (thm-packing-delta); Hardt and
        Talwar, *On the geometry of differential privacy* (2010).

    Examples
    --------
    >>> packing_mass(size=[2, 9, 10], hypotheses=101, epsilon=0.5, delta=0, beta=0.5).round(3)
    array([18.394,  0.555,  0.337])
    """
    others, epsilon, beta, delta = _packing(hypotheses, epsilon, beta, delta)
    size = _checks.integers("size", size, at_least=0)
    return _forced(others, _least_probability(beta, epsilon, delta, size))


def packing_sample_size(*, hypotheses: Reals, epsilon: Reals, delta: Reals, beta: Reals) -> Ints:
    """The number of records below which nobody can tell so many hypotheses apart privately.

    Parameters
    ----------
    hypotheses, epsilon, delta, beta
        As in `packing_mass`; infinitely many hypotheses need δ > 0.

    Returns
    -------
    int64, the broadcast shape, the smallest n with `packing_mass` ≤ β; ValueError above 2**62

    Notes
    -----
    :Privacy: With fewer records every (ε, δ)-DP mechanism under ``replace`` misses some right set
        with probability above β.
    :References: Theorem *Packing* on the page *How few people are too few?* (thm-packing); theorem
        *Packing with δ* on the page *How few people are too few?* (thm-packing-delta).

    Examples
    --------
    >>> packing_sample_size(hypotheses=[21, 2001, 1e50, np.inf], epsilon=0.1, delta=[0, 0, 0, 1e-6],
    ...                     beta=0.05)
    array([  77,  123, 1198,  132])
    """
    others, epsilon, beta, delta = np.broadcast_arrays(*_packing(hypotheses, epsilon, beta, delta))
    if np.any(np.isinf(others) & (delta == 0)):
        raise ValueError(
            "hypotheses must be finite where delta is 0, got inf: no number of records is enough"
        )
    forced = lambda n: _forced(others, _least_probability(beta, epsilon, delta, n))
    return smallest_size(lambda n: forced(n) <= beta, epsilon)


def _packing(hypotheses, epsilon, beta, delta):
    """The checked arguments, N - 1 in place of N."""
    count = np.asarray(hypotheses)
    endless = count == np.inf
    finite = _checks.reals(
        "hypotheses", np.where(endless, 1, count) if np.any(endless) else count, at_least=1
    )
    if np.any(finite % 1):
        raise ValueError(
            f"hypotheses must be whole numbers or infinite, got {finite[finite % 1 > 0].flat[0]}"
        )
    return (count - 1.0, _checks.parameters("epsilon", epsilon), _checks.parameters("beta", beta),
            _checks.parameters("delta", delta, or_zero=True))


def _least_probability(beta, epsilon, delta, size):
    """T⁻ⁿ(1 - β), by closed forms."""
    # The probability of missing grows, b → e^ε b + δ, until the kink (1 - δ)/(1 + e^ε); then that
    # of hitting shrinks, u → e^-ε (u - δ). Both maps have the fixed point -δ/(e^ε - 1). Below 0
    # nothing is needed.
    fixed = delta * np.exp(-epsilon) / -np.expm1(-epsilon)
    with np.errstate(divide="ignore"):  # the kink is 0 for ε > 745
        growing = (np.log((1 - delta) * expit(-epsilon) + fixed) - np.log(beta + fixed)) / epsilon
    growing = np.clip(np.ceil(growing), 0, size)
    with np.errstate(over="ignore", invalid="ignore"):
        # 0 times infinity for δ = 0
        raised = np.where(fixed > 0, fixed * np.expm1(growing * epsilon), 0)
        shrinking = (size - growing) * epsilon
    hit = -np.expm1(np.log(beta) + growing * epsilon) - raised
    return hit * np.exp(-shrinking) + fixed * np.expm1(-shrinking)


def _forced(others, least):
    """The least probability of each other set, for all of them."""
    with np.errstate(invalid="ignore"):  # infinitely many sets that need nothing
        return np.where(least > 0, others * least, 0.0)[()]


def smallest_size(enough, epsilon):
    """The least n ≥ 0 that is enough, for all elements at once."""
    size = least_size(enough, at_least=0)
    if np.any(size > _checks.LARGEST):
        raise ValueError(
            "no answer up to 2**62: epsilon or total_variation is too small, got ε = "
            f"{np.min(epsilon)}"
        )
    return size
