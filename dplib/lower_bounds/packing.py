"""How few records are too few to tell many hypotheses apart in private."""

import numpy as np
from scipy.special import expit

from dplib import _checks
from dplib.sample_size import least_size

LARGEST = 2**53  # records; up to here every integer is a float


def packing_mass(*, size, hypotheses, epsilon, delta, beta):
    """How much probability a mechanism must give to wrong answers, if it is right for each of many hypotheses.

    Let N disjoint sets be the right answers to N laws of the data, and let a mechanism hit the right one with
    probability 1 - β, whichever law it is. All n records lie between two of the laws, so that under each of them the
    other N - 1 sets keep a share of the outputs. More than β cannot be left over.

    Parameters
    ----------
    hypotheses : int ≥ 1, infinity, or array_like of them
        The number N of disjoint sets; a float such as 1e50 where NumPy has no integer.
    epsilon : float > 0 or array_like
    size : int ≥ 0 or array_like
        The number n of records.
    beta : float in (0, 1) or array_like
        The mechanism misses the right set with at most this probability.
    delta : float in [0, 1) or array_like

    Returns
    -------
    float64, the broadcast shape
        (N - 1) T⁻ⁿ(1 - β), the probability that n records force onto the other sets. If it exceeds β, there is no such
        mechanism. Infinite for infinitely many sets as long as each of them needs anything at all.

    Privacy
    -------
    A statement about every (ε, δ)-DP mechanism under ``replace``.

    Error
    -----
    Never below the group bound (N - 1)(e^-nε (1 - β) - δ (1 - e^-nε)/(e^ε - 1)), and above it where n ≥ 1 and β is less
    than (1 - δ)/(1 + e^ε): the chance of missing grows before the chance of hitting shrinks. Relative rounding of order
    1e-16 nε if δ = 0.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    thm-packing, thm-packing-delta; Hardt and Talwar, "On the geometry of differential privacy" (2010).

    Examples
    --------
    A mean known to lie in [-50, 50], to be found within 1/2 with probability 1/2, at ε = 1/2: nine records would force
    more onto wrong answers than the half that is there.

    >>> packing_mass(hypotheses=101, epsilon=0.5, delta=0, size=[2, 9, 10], beta=0.5).round(3)
    array([18.394,  0.555,  0.337])
    """
    others, epsilon, beta, delta = _packing(hypotheses, epsilon, beta, delta)
    size = _checks.integers("size", size, at_least=0, at_most=LARGEST)
    return _forced(others, _least_chance(beta, epsilon, delta, size))


def packing_sample_size(*, hypotheses, epsilon, delta, beta):
    """The number of records below which nobody can tell so many hypotheses apart privately.

    Parameters
    ----------
    hypotheses, epsilon, beta, delta
        As in `packing_mass`; infinitely many hypotheses need δ > 0.

    Returns
    -------
    int64, the broadcast shape
        The smallest n with `packing_mass` ≤ β: about ln((N - 1)/(4β²))/ε for δ = 0 and small ε and β. For N = ∞ at
        least ln(1 + (1 - β)(e^ε - 1)/δ)/ε, and nearly twice that where β is far below δ/ε.

    Privacy
    -------
    A statement about every (ε, δ)-DP mechanism under ``replace``: with fewer records it misses the right set with
    probability more than β for at least one of the hypotheses.

    Cost
    ----
    That of `least_size`, all elements at once.

    Raises
    ------
    ValueError
        If an argument is out of range, or the answer above 2**53.

    References
    ----------
    thm-packing, thm-packing-delta.

    Examples
    --------
    >>> packing_sample_size(hypotheses=[21, 2001, 1e50], epsilon=0.1, delta=0, beta=0.05)
    array([  77,  123, 1198])
    >>> int(packing_sample_size(hypotheses=np.inf, epsilon=0.1, beta=0.05, delta=1e-6))
    132
    """
    others, epsilon, beta, delta = np.broadcast_arrays(*_packing(hypotheses, epsilon, beta, delta))
    if np.any(np.isinf(others) & (delta == 0)):
        raise ValueError("hypotheses must be finite where delta is 0, got inf: no number of records is enough")
    return _smallest(lambda n: _forced(others, _least_chance(beta, epsilon, delta, n)) <= beta, epsilon)


def _packing(hypotheses, epsilon, beta, delta):
    count = np.asarray(hypotheses)
    endless = count == np.inf
    finite = _checks.reals("hypotheses", np.where(endless, 1, count) if np.any(endless) else count, at_least=1)
    if np.any(finite % 1):
        raise ValueError(f"hypotheses must be whole numbers or infinite, got {finite[finite % 1 > 0].flat[0]}")
    return (count - 1.0, _checks.reals("epsilon", epsilon, above=0), _checks.reals("beta", beta, above=0, below=1),
            _checks.reals("delta", delta, at_least=0, below=1))


def _least_chance(beta, epsilon, delta, size):
    """T⁻ⁿ(1 - β): the chance of missing grows, b → e^ε b + δ, until the kink (1 - δ)/(1 + e^ε); from there on the
    chance of hitting shrinks, u → e^-ε (u - δ). Both maps have the fixed point -δ/(e^ε - 1), hence the closed forms.
    Below 0 nothing is needed.
    """
    fixed = delta * np.exp(-epsilon) / -np.expm1(-epsilon)
    with np.errstate(divide="ignore"):  # the kink is 0 for ε > 745
        growing = (np.log((1 - delta) * expit(-epsilon) + fixed) - np.log(beta + fixed)) / epsilon
    growing = np.clip(np.ceil(growing), 0, size)
    with np.errstate(over="ignore", invalid="ignore"):
        raised = np.where(fixed > 0, fixed * np.expm1(growing * epsilon), 0)  # 0 times infinity for δ = 0
        shrinking = (size - growing) * epsilon
    hit = -np.expm1(np.log(beta) + growing * epsilon) - raised
    return hit * np.exp(-shrinking) + fixed * np.expm1(-shrinking)


def _forced(others, chance):
    with np.errstate(invalid="ignore"):  # infinitely many sets that need nothing
        return np.where(chance > 0, others * chance, 0.0)[()]


def _smallest(enough, epsilon):
    """The least n ≥ 0 that is enough, for all elements at once."""
    size = least_size(enough, at_least=0, at_most=LARGEST)
    if np.any(size > LARGEST):
        raise ValueError(f"no answer up to 2**53 records: epsilon or total_variation is too small, got ε = {np.min(epsilon)}")
    return size
