"""What several answers cost together, from sums to the best possible; and what a secret sample saves."""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import gammaln

from dplib import _checks
from dplib._numerics import log1mexp

MOST_STEPS = 1 << 26  # of a composition that is summed exactly


def compose_basic(*, count, epsilon, delta):
    """Add the parameters up.

    Parameters
    ----------
    epsilon : float > 0 or array_like
    delta : float in [0, 1) or array_like
        The parameters of each mechanism; arrays, broadcast together, describe several kinds of mechanisms.
    count : int ≥ 0 or array_like
        How many mechanisms of each kind.

    Returns
    -------
    (float, float)
        (Σ ε, Σ δ), δ at most 1.

    Privacy
    -------
    The joint release is (Σ ε, Σ δ)-DP, even if each mechanism is chosen in view of the earlier outputs, under the
    relation under which each of them is.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    thm-basic-composition; Dwork, McSherry, Nissim and Smith (2006).

    Examples
    --------
    >>> compose_basic(epsilon=0.5, delta=0, count=4)
    (2.0, 0.0)
    >>> compose_basic(epsilon=[0.5, 1.0], delta=[0, 1e-6], count=[2, 1])
    (2.0, 1e-06)
    """
    epsilon, delta, count = _steps(epsilon, delta, count)
    return float(np.sum(count * epsilon)), min(1.0, float(np.sum(count * delta)))


def compose_advanced(*, count, epsilon, delta, slack):
    """Let independent privacy losses cancel: ε grows like √k.

    Parameters
    ----------
    epsilon : float > 0 or array_like
    delta : float in [0, 1) or array_like
        The parameters of each mechanism; arrays, broadcast together, describe several kinds of mechanisms.
    count : int ≥ 0 or array_like
        How many mechanisms of each kind.
    slack : float in (0, 1)
        The δ' spent to lower ε.

    Returns
    -------
    (float, float)
        ε' = Σ ε tanh(ε/2) + √(2 ln(1/δ') Σ ε²) and 1 - (1 - δ') Π(1 - δ); or `compose_basic`, wherever its ε is no
        larger, and then no slack is spent.

    Privacy
    -------
    The joint release is (ε', δ)-DP for the returned pair, even if each mechanism is chosen in view of the earlier
    outputs (but with parameters fixed beforehand).

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    thm-advanced-composition; Dwork, Rothblum and Vadhan (2010); the tanh is from Kairouz, Oh and Viswanath (2015). The
    older form has e^ε - 1 in its place.

    Examples
    --------
    >>> epsilon, delta = compose_advanced(epsilon=0.1, delta=0, count=100, slack=1e-6)
    >>> round(epsilon, 3), round(delta, 9)
    (5.756, 1e-06)
    """
    epsilon, delta, count = _steps(epsilon, delta, count)
    slack = _checks.real("slack", slack, above=0, below=1)
    drift, variance = np.sum(count * epsilon * np.tanh(epsilon / 2)), np.sum(count * epsilon**2)
    total = float(drift + np.sqrt(-2 * np.log(slack) * variance))
    basic = compose_basic(epsilon=epsilon, delta=delta, count=count)
    return basic if basic[0] <= total else (total, _any_failure(delta, count, slack))


def compose_optimal(*, count, epsilon, delta, slack):
    """The smallest ε that holds for every composition of equally private mechanisms.

    Parameters
    ----------
    epsilon : float > 0
    delta : float in [0, 1)
        The parameters of each mechanism.
    count : int ≥ 0
        How many mechanisms.
    slack : float in [0, 1)
        The δ' spent to lower ε.

    Returns
    -------
    (float, float)
        The ε' ≥ 0 at which δ' = (1 + e^ε)^-k Σ_l C(k, l) (e^((k-l)ε) - e^(ε'+lε))₊, solved exactly (also between the
        points (k - 2i)ε, where the theorem is usually stated), and 1 - (1 - δ)^k (1 - δ').

    Privacy
    -------
    The joint release of ``count`` mechanisms, each (ε, δ)-DP, has the returned parameters, even if each mechanism is
    chosen in view of the earlier outputs. No smaller ε' is possible if all that is known about them is (ε, δ).

    Error
    -----
    Rounding is of relative order 1e-16 k ln k in δ'.

    Cost
    ----
    O(k), vectorised.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    thm-optimal-composition; Kairouz, Oh and Viswanath, "The composition theorem for differential privacy" (2015).

    Examples
    --------
    >>> epsilon, delta = compose_optimal(epsilon=0.1, delta=0, count=30, slack=1e-6)
    >>> round(epsilon, 3), round(delta, 9)
    (2.346, 1e-06)
    """
    epsilon = _checks.real("epsilon", epsilon, above=0)
    delta = _checks.real("delta", delta, at_least=0, below=1)
    count = _checks.integer("count", count, at_least=0, at_most=MOST_STEPS)
    slack = _checks.real("slack", slack, at_least=0, below=1)
    total = _optimal_epsilon(epsilon, count, slack) if slack > 0 else count * epsilon
    return float(total), _any_failure(delta, count, slack)


def _optimal_epsilon(epsilon, count, slack):
    """Solve δ(ε') = slack, where δ(ε') = A - e^ε' B between two neighbouring points of the grid of possible losses.

    The extreme case is k-fold randomised response: the loss is (k - 2l)ε with l lies, and A (on one data set) and B (on
    its neighbour) are the probabilities that the loss exceeds ε'.
    """
    lies = np.arange((count + 1) // 2)  # those with a positive loss
    if lies.size == 0:
        return 0.0
    log_weights = gammaln(count + 1) - gammaln(lies + 1) - gammaln(count - lies + 1) - count * np.log1p(np.exp(-epsilon))
    log_a = np.logaddexp.accumulate(log_weights - lies * epsilon)
    log_b = np.logaddexp.accumulate(log_weights - (count - lies) * epsilon)
    left = np.maximum(count - 2 * (lies + 1), 0) * epsilon  # the end of each interval where δ is largest
    log_delta = log_a + log1mexp(np.maximum(log_a - log_b - left, 0))
    enough = np.flatnonzero(log_delta >= np.log(slack))
    if enough.size == 0:
        return 0.0
    i = enough[0]
    solution = log_a[i] + log1mexp(max(log_a[i] - np.log(slack), 0)) - log_b[i]
    return float(np.clip(solution, left[i], (count - 2 * i) * epsilon))


def _steps(epsilon, delta, count):
    """Several kinds of mechanisms, broadcast together."""
    return np.broadcast_arrays(_checks.reals("epsilon", epsilon, above=0),
                               _checks.reals("delta", delta, at_least=0, below=1),
                               _checks.integers("count", count, at_least=0, at_most=2**53))


def _any_failure(delta, count, slack):
    """1 - (1 - slack) Π (1 - δ)."""
    return float(-np.expm1(np.log1p(-slack) + np.sum(count * np.log1p(-delta))))


def amplify_by_subsampling(*, rate, epsilon, delta):
    """What a mechanism costs when it only sees a secret random sample.

    Parameters
    ----------
    epsilon : float > 0
    delta : float in [0, 1)
        The parameters of the mechanism on the sample.
    rate : float in (0, 1]
        Each record's probability q of entering the sample.

    Returns
    -------
    (float, float)
        (ln(1 + q(e^ε - 1)), qδ).

    Privacy
    -------
    If M is (ε, δ)-DP under ``add_remove``, then M on a sample that each record enters independently with probability q
    has the returned parameters under ``add_remove``. If M is (ε, δ)-DP under ``replace`` on m records, then M on a
    uniformly random subset of m out of n records has them under ``replace``, with q = m/n. The sample must stay secret.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    thm-subsampling; Li, Qardaji and Su (2012); Balle, Barthe and Gaboardi, "Privacy amplification by subsampling"
    (2018).

    Examples
    --------
    >>> epsilon, delta = amplify_by_subsampling(epsilon=1.0, delta=1e-6, rate=0.01)
    >>> round(epsilon, 5), delta
    (0.01704, 1e-08)
    """
    epsilon = _checks.real("epsilon", epsilon, above=0, at_most=700)
    delta = _checks.real("delta", delta, at_least=0, below=1)
    rate = _checks.real("rate", rate, above=0, at_most=1)
    return float(np.log1p(rate * np.expm1(epsilon))), rate * delta


def zcdp_epsilon(*, rho, delta):
    """The ε of a ρ-zCDP mechanism at a given δ.

    Parameters
    ----------
    rho : float > 0
        All Rényi divergences between neighbours' outputs are at most ρ times their order. Gaussian noise has
        ρ = Δ²/(2σ²); k mechanisms together have the sum of their ρ.
    delta : float in (0, 1)

    Returns
    -------
    float
        ε = min over α > 1 of αρ + ln(1 - 1/α) - (ln δ + ln α)/(α - 1), at least 0.

    Privacy
    -------
    Every ρ-zCDP mechanism is (ε, δ)-DP under the same relation. Each α gives a valid ε; the best one is used. The
    better known ρ + 2√(ρ ln(1/δ)) is larger.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    thm-zcdp; Bun and Steinke, "Concentrated differential privacy" (2016); Canonne, Kamath and Steinke (2020).

    Examples
    --------
    >>> round(zcdp_epsilon(rho=0.5, delta=1e-6), 3), round(float(0.5 + 2 * np.sqrt(0.5 * np.log(1e6))), 3)
    (5.222, 5.757)
    """
    rho = _checks.real("rho", rho, above=0)
    log_delta = np.log(_checks.real("delta", delta, above=0, below=1))

    def epsilon(log_order):
        order = 1 + np.exp(log_order)
        return order * rho + np.log1p(-1 / order) - (log_delta + np.log(order)) / (order - 1)

    best = minimize_scalar(epsilon, bounds=(-20, 260), method="bounded", options={"xatol": 1e-9})
    return max(0.0, float(best.fun))
