"""What several answers cost together, and what a group or a test can make of them.

Symbols
-------
k : count
    How many mechanisms run on the same data, each possibly chosen in view of the earlier outputs.
slack : δ'
    The part of δ that a composition theorem may spend to lower ε.
D : distance
    In how many records two data sets differ (or how many neighbours lead from one to the other).
L
    The privacy loss ln(P(y)/P'(y)) of an output y drawn from P = M(x), against P' = M(x').
"""

from dataclasses import dataclass

import numpy as np
from scipy import fft
from scipy.linalg import solve_banded
from scipy.optimize import minimize_scalar
from scipy.special import expit, gammaln, logsumexp, ndtr

from dplib import _checks
from dplib._numerics import log1mexp

TAIL = 12.0  # standard deviations of Gaussian noise on the grid; what lies beyond, 4e-33, counts as infinite loss
CUT = 1e-15  # the probability of leaving the window of a composition, counted as infinite loss
LONGEST = 1 << 26  # points of a grid, or steps of a composition

# --------------------------------------------------------------------------------------------------------- composition


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
    count = _checks.integer("count", count, at_least=0, at_most=LONGEST)
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


# ---------------------------------------------------------------------------------------------------- groups and tests


def group_privacy(*, distance, epsilon, delta):
    """What (ε, δ)-DP promises when several records change.

    Parameters
    ----------
    epsilon : float > 0
    delta : float in [0, 1)
    distance : int ≥ 0
        How many records change.

    Returns
    -------
    (float, float)
        (Dε, δ (e^(Dε) - 1)/(e^ε - 1)), the latter at most 1.

    Privacy
    -------
    An (ε, δ)-DP mechanism has the returned parameters for any two data sets at distance D under its relation.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    thm-group-privacy; Dwork and Roth (2014).

    Examples
    --------
    >>> epsilon, delta = group_privacy(epsilon=0.5, delta=1e-6, distance=5)
    >>> epsilon, round(delta, 9)
    (2.5, 1.7238e-05)
    """
    epsilon = _checks.real("epsilon", epsilon, above=0)
    delta = _checks.real("delta", delta, at_least=0, below=1)
    distance = _checks.integer("distance", distance, at_least=0)
    if distance == 0 or delta == 0:
        return distance * epsilon, 0.0
    log_factor = (distance - 1) * epsilon + log1mexp(distance * epsilon) - log1mexp(epsilon)
    return distance * epsilon, float(np.exp(min(0.0, np.log(delta) + log_factor)))


def binary_test_bound(probability, *, distance=1, epsilon):
    """The largest probability that an event can have on one data set, given its probability on another.

    Parameters
    ----------
    probability : array_like in [0, 1]
        v = Pr[M(x) ∈ S].
    epsilon : float > 0
    distance : int ≥ 0 or array_like
        How many neighbours lead from x to x'.

    Returns
    -------
    float64, the broadcast shape
        T applied ``distance`` times, T(v) = min(e^ε v, 1 - e^-ε (1 - v)).

    Privacy
    -------
    If M is ε-DP then Pr[M(x') ∈ S] is at most this, and some ε-DP mechanism attains it.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    thm-binary-tests.

    Examples
    --------
    At five percent false alarms, how many secrets can a test catch?

    >>> [round(float(binary_test_bound(0.05, epsilon=epsilon)), 4) for epsilon in (1, 5)]
    [0.1359, 0.9936]
    """
    v = _checks.reals("probability", probability, at_least=0, at_most=1)
    epsilon = _checks.real("epsilon", epsilon, above=0)
    distance = _checks.integers("distance", distance, at_least=0, at_most=2**53)
    with np.errstate(divide="ignore"):
        log_v = np.log(v)
    below_kink = np.ceil((-np.logaddexp(0, epsilon) - log_v) / epsilon)  # steps until v >= 1/(1 + e^ε)
    growing = np.clip(below_kink, 0, distance)
    grown = np.exp(log_v + growing * epsilon)
    return grown - (1 - grown) * np.expm1(-(distance - growing) * epsilon)


def largest_gap(*, distance, epsilon):
    """The largest difference between an event's probabilities on two data sets.

    Parameters
    ----------
    epsilon : float > 0
    distance : int ≥ 0 or array_like
        How many neighbours lead from one data set to the other.

    Returns
    -------
    float64, the shape of ``distance``
        g(D) = max over v of T^D(v) - v: 1 - e^(-εD/2) for even D, 1 - 2e^(-ε(D-1)/2)/(1 + e^ε) for odd D.

    Privacy
    -------
    If M is ε-DP then |Pr[M(x) ∈ S] - Pr[M(x') ∈ S]| is at most this at distance D, and some ε-DP mechanism attains it.
    It is smaller than tanh(εD/2), what Dε-DP alone would give, for D ≥ 2.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    prop-largest-gap.

    Examples
    --------
    >>> largest_gap(epsilon=0.5, distance=[1, 3, 8]).round(5)
    array([0.24492, 0.54202, 0.86466])
    """
    epsilon = _checks.real("epsilon", epsilon, above=0)
    pairs, single = np.divmod(_checks.integers("distance", distance, at_least=0, at_most=2**53).astype(np.int64), 2)
    first = single * np.tanh(epsilon / 2)
    return first - (1 - first) * np.expm1(-pairs * epsilon)


# ------------------------------------------------------------------------------------------- privacy-loss distributions


@dataclass(frozen=True, eq=False)
class PrivacyLoss:
    """The distribution of the privacy loss of a mechanism, on a grid, rounded so that it never promises too much.

    A loss between two points of the grid is split between them such that both P and P' keep their mass. This is the
    most private distribution on the grid that dominates the true one: every δ(ε) it gives is an upper bound, also after
    composition, and exact at the points of the grid before composition.

    Attributes
    ----------
    step : float
        Distance h of the points of the grid.
    lowest : int
        The loss of the first entry of ``mass`` is lowest · step.
    mass : float64 array, shape (m,)
        Probabilities, under P, of the losses lowest·step, (lowest + 1)·step, …
    infinite : float
        The probability of an infinite loss, together with all that was cut off.

    Privacy
    -------
    ``delta`` and ``epsilon`` return parameters that the mechanism has, for both orders of its worst pair of neighbours
    (the constructors cover mechanisms whose worst pair is symmetric). Rounding is of relative order 1e-12 in δ, or
    1e-16 times the number of runs if that is larger. Every composition adds 1e-15 to ``infinite``, for what is cut off
    and for the rounding of the Fourier transform, so that smaller δ cannot be read off a composition.

    References
    ----------
    def-privacy-loss, thm-privacy-loss; Koskela, Jälkö and Honkela (2020); Doroshenko, Ghazi, Kamath, Kumar and
    Manurangsi, "Connect the dots" (2022).

    Examples
    --------
    A hundred Gaussian answers, and one Laplace answer on top:

    >>> gauss = PrivacyLoss.from_gaussian(sigma=40.0, sensitivity=1.0).compose(100)
    >>> both = gauss.compose(PrivacyLoss.from_laplace(epsilon=0.1))
    >>> round(gauss.epsilon(1e-6), 3), round(both.epsilon(1e-6), 3)
    (1.061, 1.124)
    """

    step: float
    lowest: int
    mass: np.ndarray
    infinite: float

    @classmethod
    def from_laplace(cls, *, epsilon, step=1e-4):
        """Laplace noise of scale Δ/ε against a change of Δ.

        Parameters
        ----------
        epsilon : float > 0
        step : float > 0
            Distance of the points of the grid.
        """
        epsilon, step = _checks.real("epsilon", epsilon, above=0), _checks.real("step", step, above=0)
        grid = _grid(-epsilon, epsilon, step)
        x = grid * step
        inside = np.clip(x, -epsilon, epsilon)
        p = np.where(x < -epsilon, 0, np.where(x < epsilon, np.exp((inside - epsilon) / 2) / 2, 1))
        q = np.where(x < -epsilon, 0, np.where(x < epsilon, 1 - np.exp(-(inside + epsilon) / 2) / 2, 1))
        return cls._split(grid, step, np.diff(p), np.diff(q), 0.0)

    @classmethod
    def from_gaussian(cls, *, sigma, sensitivity, step=1e-4):
        """Gaussian noise against a change of ``sensitivity``.

        Parameters
        ----------
        sigma : float > 0
            Standard deviation of the noise.
        sensitivity : float > 0
            ℓ₂ sensitivity of the query, in the units of ``sigma``.
        step : float > 0
            Distance of the points of the grid.
        """
        sensitivity, sigma = _checks.real("sensitivity", sensitivity, above=0), _checks.real("sigma", sigma, above=0)
        shift = _checks.real("sensitivity / sigma", sensitivity / sigma, above=0)
        step = _checks.real("step", step, above=0)
        grid = _grid(shift**2 / 2 - TAIL * shift, shift**2 / 2 + TAIL * shift, step)
        z = grid * step / shift
        p, q = _normal_cells(z - shift / 2), _normal_cells(z + shift / 2)
        return cls._split(grid, step, p, q, float(2 * ndtr(-TAIL)))

    @classmethod
    def from_pure(cls, *, epsilon, step=1e-4):
        """Randomised response, which dominates every ε-DP mechanism.

        Parameters
        ----------
        epsilon : float > 0
        step : float > 0
            Distance of the points of the grid.
        """
        epsilon, step = _checks.real("epsilon", epsilon, above=0), _checks.real("step", step, above=0)
        grid = _grid(-epsilon, epsilon, step)
        x, lie = grid * step, expit(-epsilon)
        p = np.where(x < -epsilon, 0, np.where(x < epsilon, lie, 1))
        q = np.where(x < -epsilon, 0, np.where(x < epsilon, 1 - lie, 1))
        return cls._split(grid, step, np.diff(p), np.diff(q), 0.0)

    @classmethod
    def _split(cls, grid, step, p, q, infinite):
        """Share the mass of each cell (x, x + h] between its ends; for p = q e^x all goes to the lower one."""
        x = grid[:-1] * step
        with np.errstate(over="ignore", invalid="ignore"):
            upper = (p - q * np.exp(x)) / -np.expm1(-step)
        upper = np.clip(np.where(x < 600, upper, p), 0, p)
        return cls(step, int(grid[0]), np.append(p - upper, 0) + np.append(0, upper), infinite)

    def compose(self, other):
        """The loss of two mechanisms, or of several runs of one.

        Parameters
        ----------
        other : PrivacyLoss or int ≥ 0
            Another mechanism on the same grid, or how many times this one runs.

        Returns
        -------
        PrivacyLoss
        """
        if not isinstance(other, PrivacyLoss):
            return self._repeat(_checks.integer("other", other, at_least=0))
        if other.step != self.step:
            raise ValueError(f"other must have the same step {self.step}, got {other.step}")
        points = self.mass.size + other.mass.size - 1
        length = fft.next_fast_len(points, real=True)
        product = fft.irfft(fft.rfft(self.mass, length) * fft.rfft(other.mass, length), length)
        mass = np.maximum(product[:points], 0)
        infinite = self.infinite + other.infinite - self.infinite * other.infinite + CUT
        return PrivacyLoss(self.step, self.lowest + other.lowest, mass, infinite)

    def _repeat(self, count):
        """The count-th power of the Fourier transform, on a window that the sum of losses leaves with probability CUT.

        What leaves the window wraps round in the transform; counting CUT as infinite makes up for it.
        """
        if count < 2:
            return self if count else PrivacyLoss(self.step, 0, np.ones(1), 0.0)
        lowest, highest = (self._tail(count, sign) for sign in (-1, 1))
        length = fft.next_fast_len(highest - lowest + 1, real=True)
        places = (self.lowest + np.arange(self.mass.size)) % length
        wrapped = np.bincount(places, weights=self.mass, minlength=length)
        power = fft.irfft(fft.rfft(wrapped) ** count, n=length)
        mass = np.maximum(np.roll(power, -(lowest % length)), 0)
        return PrivacyLoss(self.step, lowest, mass, 1 - (1 - self.infinite) ** count + CUT)

    def _tail(self, count, sign):
        """A point of the grid that the sum of ``count`` losses passes, upwards or downwards, with probability CUT/2.

        Chernoff's bound, at the best of a few exponents.
        """
        x = sign * self._losses()
        furthest = count * max(sign * self.lowest, sign * (self.lowest + x.size - 1))
        mean = np.average(x, weights=self.mass)
        deviation = np.sqrt(np.average((x - mean) ** 2, weights=self.mass))
        if deviation == 0:
            return sign * furthest
        exponents = np.sqrt(-np.log(CUT) / count) / deviation * 2.0 ** np.arange(-4, 5)
        bounds = [(count * logsumexp(t * x, b=self.mass) - np.log(CUT / 2)) / t for t in exponents]
        return sign * min(furthest, int(np.ceil(min(bounds) / self.step)))

    def delta(self, epsilon):
        """The δ at which the mechanism is (ε, δ)-DP, never too small.

        Parameters
        ----------
        epsilon : float ≥ 0 or array_like

        Returns
        -------
        float64, the shape of ``epsilon``
        """
        epsilon = _checks.reals("epsilon", epsilon, at_least=0)
        x, at_least, delta = self._profile()
        above = np.minimum(np.searchsorted(x, epsilon), x.size - 1)  # the next point of the grid
        gap = np.maximum(x[above] - epsilon, 0)
        finite = np.where(epsilon > x[-1], 0, np.exp(-gap) * delta[above] - np.expm1(-gap) * at_least[above])
        return np.minimum(self.infinite + finite, 1)

    def epsilon(self, delta):
        """The ε at which the mechanism is (ε, δ)-DP, never too small.

        Parameters
        ----------
        delta : float in (0, 1)

        Returns
        -------
        float
            Infinite if ``delta`` is below the probability of an infinite loss.
        """
        target = _checks.real("delta", delta, above=0, below=1) - self.infinite
        if target < 0:
            return np.inf
        x, at_least, profile = self._profile()
        i = int(np.argmax(profile <= target))  # the first point of the grid where δ is small enough
        if at_least[i] <= target:
            return 0.0
        gap = -np.log1p(-(target - profile[i]) / (at_least[i] - profile[i]))
        return max(0.0, float(x[i] - gap))

    def _losses(self):
        return self.step * (self.lowest + np.arange(self.mass.size))

    def _profile(self):
        """The grid, Pr[L ≥ x] and δ(x) for finite losses: δ(x) = e^-h δ(x + h) + (1 - e^-h) Pr[L > x]."""
        at_least = np.cumsum(self.mass[::-1])[::-1]
        above = np.append(at_least[1:], 0)
        diagonals = np.array([[-np.exp(-self.step)], [1.0]]).repeat(above.size, axis=1)
        delta = solve_banded((0, 1), diagonals, -np.expm1(-self.step) * above)
        return self._losses(), at_least, delta


def _grid(lowest, highest, step):
    """The points of the grid around an interval, as integers, with one to spare at both ends."""
    if not max(-lowest, highest) / step < LONGEST:
        raise ValueError(f"step must be larger for losses between {lowest:g} and {highest:g}, got {step}")
    return np.arange(int(np.floor(lowest / step)) - 1, int(np.ceil(highest / step)) + 2)


def _normal_cells(z):
    """Probabilities of the cells between consecutive points, differences always taken in the nearer tail."""
    upper = z[:-1] > 0
    return np.where(upper, ndtr(-z[:-1]) - ndtr(-z[1:]), ndtr(z[1:]) - ndtr(z[:-1]))
