"""What several answers cost together, from sums to the best possible; and what a secret sample
saves."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from dplib import _checks, _numerics
from dplib._numerics import log1mexp
from dplib._types import Floats, Integers, Real, Reals
from dplib.accounting.privacy_loss import CUT, PrivacyLoss

MOST_EXACT_STEPS = 1 << 26  # of a composition that is summed exactly
MOST_TOTALS = 1 << 20  # of different losses that are summed exactly


def compose_basic(*, count: Integers, epsilon: Reals, delta: Reals) -> tuple[float, float]:
    """Add the parameters up.

    Parameters
    ----------
    count, epsilon, delta : array_like
        How many mechanisms of each kind, int ≥ 0, and the parameters of each, float ≥ 0 with ε > 0
        and δ < 1.

    Returns
    -------
    (float, float), Σ ε and Σ δ, the latter at most 1

    Notes
    -----
    :Privacy: Together they are (Σ ε, Σ δ)-DP under their relation, even if each is chosen in view
        of the earlier outputs.
    :References: Theorem *Basic composition* on the page *Spending a budget*
        (thm-basic-composition); Dwork, McSherry, Nissim and Smith, *Calibrating noise to
        sensitivity in private data analysis* (2006).

    Examples
    --------
    >>> compose_basic(count=[2, 1], epsilon=[0.5, 1.0], delta=[0, 1e-6])
    (2.0, 1e-06)
    """
    epsilon, delta, count = _steps(epsilon, delta, count)
    return float(np.sum(count * epsilon)), min(1.0, float(np.sum(count * delta)))


def compose_advanced(
        *, count: Integers, epsilon: Reals, delta: Reals, slack: Real) -> tuple[float, float]:
    """Let independent privacy losses cancel: ε grows like √k.

    Parameters
    ----------
    count, epsilon, delta
        As in `compose_basic`.
    slack : float in (0, 1), the δ' spent to lower ε

    Returns
    -------
    (float, float)
        Σ ε tanh(ε/2) + √(2 ln(1/δ') Σ ε²) and 1 - (1 - δ') Π(1 - δ), or `compose_basic` if its ε is
        no larger.

    Notes
    -----
    :Privacy: The returned parameters hold as in `compose_basic`, if those of the mechanisms are
        fixed beforehand.
    :References: Theorem *Advanced composition* on the page *Spending a budget*
        (thm-advanced-composition); Dwork, Rothblum and Vadhan, *Boosting and differential privacy*
        (2010); Kairouz, Oh and Viswanath, *The composition theorem for differential privacy*
        (2015).

    Examples
    --------
    >>> epsilon, delta = compose_advanced(count=100, epsilon=0.1, delta=0, slack=1e-6)
    >>> round(epsilon, 3), round(delta, 9)
    (5.756, 1e-06)
    """
    epsilon, delta, count = _steps(epsilon, delta, count)
    slack = _checks.parameter("slack", slack)
    drift, variance = np.sum(count * epsilon * np.tanh(epsilon / 2)), np.sum(count * epsilon**2)
    total = float(drift + np.sqrt(-2 * np.log(slack) * variance))
    basic = compose_basic(epsilon=epsilon, delta=delta, count=count)
    return basic if basic[0] <= total else (total, _any_failure(delta, count, slack))


def compose_optimal(
        *, count: Integers, epsilon: Reals, delta: Reals, slack: Real) -> tuple[float, float]:
    """The smallest ε that holds for every composition of mechanisms of which all that is known are
    their parameters.

    Parameters
    ----------
    count, epsilon, delta, slack
        As in `compose_advanced`; δ' may be 0.

    Returns
    -------
    (float, float)
        The ε' ≥ 0 at which coins with these ε have δ', and 1 - (1 - δ') Π(1 - δ). For k equal ones
        δ' = (1 + e^ε)^-k Σ_l C(k, l) (e^((k-l)ε) - e^(ε'+lε))₊.

    Notes
    -----
    :Privacy: As `compose_advanced`. No smaller ε' is possible if all that is known about the
        mechanisms is (ε, δ) of each.
    :Error: Rounding is of relative order 1e-16 k ln k in δ', k the number of mechanisms. Where
        different ε make more than 2**20 different totals, these are moved to a grid: ε' is then
        never too small, and too large by k Σ ε/2**20 at most, apart from 1e-15 in δ' for each ε.
    :Cost: O(k) for equal ε, k at most 2**26. For different ones, their totals, or transforms of
        2**21 points, as many as there are ε, at most.
    :References: Theorem *Optimal composition* on the page *Spending a budget*
        (thm-optimal-composition); Kairouz et al.; corollary *Different parameters* on the page *The
        accuser's curve* (cor-different-coins); Murtagh and Vadhan, *The complexity of computing the
        optimal composition of differential privacy* (2018).

    Examples
    --------
    >>> epsilon, delta = compose_optimal(count=30, epsilon=0.1, delta=0, slack=1e-6)
    >>> round(epsilon, 3), round(delta, 9)
    (2.346, 1e-06)
    >>> round(compose_optimal(count=[20, 5], epsilon=[0.1, 0.2], delta=0, slack=1e-6)[0], 3)
    2.575
    """
    epsilon, delta, count = _steps(epsilon, delta, count)
    slack = _checks.parameter("slack", slack, or_zero=True)
    failure = _any_failure(delta, count, slack)
    if slack == 0:
        return float(np.sum(count * epsilon)), failure
    different, kind = np.unique(epsilon[count > 0], return_inverse=True)
    counts = np.bincount(kind.ravel(), weights=count[count > 0]).astype(np.int64)
    if different.size < 2:
        return _optimal_of_one_kind(different, counts, slack), failure
    if np.prod(counts + 1.0) <= MOST_TOTALS:
        return _optimal_epsilon(*_totals(different, counts), slack), failure
    return _optimal_on_a_grid(different, counts, slack), failure


def _optimal_of_one_kind(epsilon, counts, slack):
    """k equal coins: the loss is (k - 2l)ε with l lies; only positive ones count."""
    if epsilon.size == 0:
        return 0.0
    count = _checks.integer("count", int(counts[0]), at_least=0, at_most=MOST_EXACT_STEPS)
    return _optimal_epsilon(*_lies(epsilon[0], count, np.arange((count + 1) // 2)), slack)


def _lies(epsilon, count, lies):
    """The total loss of equal coins, by how many of them lie, and the logarithms of its
    probabilities."""
    log_p = (
        gammaln(count + 1)
        - gammaln(lies + 1)
        - gammaln(count - lies + 1)
        - count * np.log1p(np.exp(-epsilon))
        - lies * epsilon
    )
    return (count - 2 * lies) * epsilon, log_p


def _totals(epsilon, counts):
    """The positive totals of coins of several kinds, falling, and the logarithms of their
    probabilities."""
    loss = log_p = np.zeros(1)
    for one, count in zip(epsilon, counts):
        more, log_more = _lies(one, count, np.arange(count + 1))
        loss, log_p = np.add.outer(loss, more).ravel(), np.add.outer(log_p, log_more).ravel()
    order = np.argsort(-loss)
    order = order[loss[order] > 0]
    return loss[order], log_p[order]


def _optimal_epsilon(loss, log_p, slack):
    """Solve δ(ε') = slack, where δ(ε') = A - e^ε' B between two neighbouring totals; they fall."""
    # A (on one data set) and B (on its neighbour) are the probabilities that the loss exceeds ε'
    if loss.size == 0:
        return 0.0
    log_a, log_b = np.logaddexp.accumulate(log_p), np.logaddexp.accumulate(log_p - loss)
    left = np.append(loss[1:], 0)  # the end of each interval where δ is largest
    log_delta = log_a + log1mexp(np.maximum(log_a - log_b - left, 0))
    enough = np.flatnonzero(log_delta >= np.log(slack))
    if enough.size == 0:
        return 0.0
    i = enough[0]
    solution = log_a[i] + log1mexp(max(log_a[i] - np.log(slack), 0)) - log_b[i]
    return float(np.clip(solution, left[i], loss[i]))


def _optimal_on_a_grid(epsilon, counts, slack):
    """At most the bound of `compose_advanced`, which needs no grid."""
    # what `PrivacyLoss` keeps of the totals of a kind: all, or as far as Hoeffding's bound of CUT
    spread = np.sqrt(-2 * np.log(CUT) * counts)
    kept = np.minimum(counts, counts * np.tanh(epsilon / 2) + spread)
    step = float(np.sum(kept * epsilon)) / MOST_TOTALS
    losses = [PrivacyLoss.from_pure(epsilon=one, step=step).compose(int(count))
              for one, count in zip(epsilon, counts)]
    while len(losses) > 1:  # short ones first: a long one is transformed a few times only
        pairs = zip(losses[::2], losses[1::2])
        losses = [one.compose(other) for one, other in pairs] + losses[len(losses) // 2 * 2:]
    bound, _ = compose_advanced(count=counts, epsilon=epsilon, delta=0, slack=slack)
    return min(losses[0].epsilon(slack), bound)


def _steps(epsilon, delta, count):
    """Several kinds of mechanisms, broadcast together."""
    return np.broadcast_arrays(_checks.parameters("epsilon", epsilon),
                               _checks.parameters("delta", delta, or_zero=True),
                               _checks.integers("count", count, at_least=0))


def _any_failure(delta, count, slack):
    """1 - (1 - slack) Π (1 - δ)."""
    return float(-np.expm1(np.log1p(-slack) + np.sum(count * np.log1p(-delta))))


def amplify_by_subsampling(*, rate: Real, epsilon: Real, delta: Real) -> tuple[float, float]:
    """What a mechanism costs when it only sees a secret random sample.

    Parameters
    ----------
    rate : float in (0, 1], each record's probability q of entering the sample
    epsilon, delta : float ≥ 0, the parameters of the mechanism on the sample, ε > 0, δ < 1

    Returns
    -------
    (float, float), ln(1 + q(e^ε - 1)) and qδ

    Notes
    -----
    :Privacy: If M is (ε, δ)-DP under ``add_remove``, it has the returned parameters on a sample
        that each record enters independently; likewise under ``replace`` on a uniformly random
        subset of m = qn of the n records, in random order.
    :References: Theorem *Amplification by subsampling* on the page *What one answer gave away*
        (thm-subsampling); Balle, Barthe and Gaboardi, *Privacy amplification by subsampling: tight
        analyses via couplings and divergences* (2018).

    Examples
    --------
    >>> epsilon, delta = amplify_by_subsampling(rate=0.01, epsilon=1.0, delta=1e-6)
    >>> round(epsilon, 5), delta
    (0.01704, 1e-08)
    """
    epsilon = _checks.parameter("epsilon", epsilon, at_most=_checks.LARGEST_EXPONENT)
    delta = _checks.parameter("delta", delta, or_zero=True)
    rate = _checks.parameter("rate", rate)
    return float(np.log1p(rate * np.expm1(epsilon))), rate * delta


def zcdp_epsilon(*, rho: Real, delta: Real) -> float:
    """The ε of a ρ-zCDP mechanism at a given δ.

    Parameters
    ----------
    rho : float > 0
        All Rényi divergences between neighbours' outputs are at most ρ times their order
    delta : float in (0, 1)

    Returns
    -------
    float, min over α > 1 of αρ + ln(1 - 1/α) - (ln δ + ln α)/(α - 1), at least 0

    Notes
    -----
    :Privacy: Every ρ-zCDP mechanism is (ε, δ)-DP under the same relation.
    :References: Theorem *zCDP* on the page *What one answer gave away* (thm-zcdp); Bun and Steinke,
        *Concentrated differential privacy: simplifications, extensions, and lower bounds* (2016);
        Canonne, Kamath and Steinke, *The discrete Gaussian for differential privacy* (2020).

    Examples
    --------
    >>> round(zcdp_epsilon(rho=0.5, delta=1e-6), 3)
    5.222
    """
    rho = _checks.parameter("rho", rho)
    delta = _checks.parameter("delta", delta)
    best = _numerics.least_over_orders(lambda order, cost: order * rho + cost, delta)
    return max(0.0, float(best))


def zcdp_rho(*, epsilon: Real, delta: Real) -> float:
    """The largest ρ for which every ρ-zCDP mechanism is (ε, δ)-DP by `zcdp_epsilon`.

    Parameters
    ----------
    epsilon : float > 0
    delta : float in (0, 1)

    Returns
    -------
    float, the inverse of `zcdp_epsilon`

    Notes
    -----
    :Privacy: Every ρ-zCDP mechanism is (ε, δ)-DP under the same relation.
    :References: Theorem *zCDP* on the page *What one answer gave away* (thm-zcdp); Canonne, Kamath
        and Steinke, *The discrete Gaussian for differential privacy* (2020).

    Examples
    --------
    >>> round(zcdp_rho(epsilon=1, delta=1e-6), 11)
    0.02435597036
    """
    epsilon, delta = _checks.parameter("epsilon", epsilon), _checks.parameter("delta", delta)
    return float(-_numerics.least_over_orders(lambda order, cost: (cost - epsilon) / order, delta))


def pure_zcdp(*, epsilon: Reals) -> Floats:
    """The ρ of every ε-DP mechanism.

    Parameters
    ----------
    epsilon : float > 0 or array_like

    Returns
    -------
    float64, the shape of ``epsilon``, ε tanh(ε/2)

    Notes
    -----
    :Privacy: Every ε-DP mechanism is ρ-zCDP with this ρ under the same relation; no smaller one
        holds for randomised response.
    :References: Proposition *A dictionary* on the page *The accuser's curve* (prop-dictionary).

    Examples
    --------
    >>> pure_zcdp(epsilon=[0.1, 1.0, 5.0]).round(6)
    array([0.004996, 0.462117, 4.933071])
    """
    epsilon = _checks.parameters("epsilon", epsilon)
    return epsilon * np.tanh(epsilon / 2)
