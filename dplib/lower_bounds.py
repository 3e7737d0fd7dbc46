"""What no private estimator can do: packings, two distributions, tracing.

Every bound is a theorem about all mechanisms that are private under ``replace``. The tests at the end are the other
side: what can be done, next to what cannot.

Symbols
-------
hypotheses : N
    How many answers are possible, of which no two are right at the same time.
beta : β
    The probability with which an answer may be wrong; 1 - β is what the mechanism has to achieve.
size : n
    The number of records.
T, T⁻ⁿ
    T(v) = min(e^ε v + δ, 1 - e^-ε (1 - v - δ)): the largest chance of an event that has chance v on a neighbour
    (`binary_test_bound` if δ = 0). T⁻ⁿ(u): the least chance of an event that has chance u on a data set n steps away.
total_variation : a
    The total variation distance between two laws of one record.
g(D)
    The largest gap between the chances of an event at distance D, `largest_gap`.
P, Q
    The two laws N(0, 1) and N(shift, 1).
α
    The accuracy of an estimated mean, in standard deviations of one record.
"""

import numpy as np
from scipy.special import erf, expit, gammaln, log_ndtr, ndtri

from dplib import _checks, mechanisms
from dplib.sample_size import least_size

LARGEST = 2**53  # records; up to here every integer is a float
LONGEST = 2**31  # records of an exact sum

# ------------------------------------------------------------------------------------------------------------- packing


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


# ------------------------------------------------------------------------------------------------------------ two laws


def two_point_sample_size(*, total_variation, epsilon, beta):
    """The number of records below which nobody can tell two laws apart privately.

    Couple the n records of the two data sets so that each pair differs with probability a only. They differ in
    D ~ Bin(n, a) records, and a private test can tell two data sets at distance D apart by at most g(D).

    Parameters
    ----------
    total_variation : float in (0, 1] or array_like
        The total variation distance a of the two laws of one record, 2Φ(shift/2) - 1 for N(0, 1) and N(shift, 1).
    epsilon : float > 0 or array_like
    beta : float in (0, 1) or array_like
        The test errs with at most this probability under either law (or on average over the two).

    Returns
    -------
    int64, the broadcast shape
        The smallest n with 1 - 2β ≤ E g(Bin(n, a)); 0 if β ≥ 1/2.

    Privacy
    -------
    A statement about every ε-DP test under ``replace``: with fewer records it errs with probability more than β under
    one of the laws.

    Error
    -----
    At least ln((1 - β)/β)/(aε), the elementary bound, and about 2 ln(1/(2β))/(aε) for small ε. Exact up to rounding of
    order 1e-16 n in the logarithm of 2β.

    Cost
    ----
    That of `least_size`, all elements at once; each step is a closed form.

    Raises
    ------
    ValueError
        If an argument is out of range, or the answer above 2**53.

    References
    ----------
    thm-two-point; Acharya, Sun and Zhang, "Differentially private testing of identity and closeness of discrete
    distributions" (2018), for the coupling.

    Examples
    --------
    N(0, 1) or N(1, 1)? Eleven records decide with error 5%, if nobody cares about privacy.

    >>> two_point_sample_size(total_variation=0.382925, epsilon=[0.02, 0.1, 1], beta=0.05)
    array([604, 123,  14])
    """
    total_variation = _checks.reals("total_variation", total_variation, above=0, at_most=1)
    epsilon = _checks.reals("epsilon", epsilon, above=0)
    beta = _checks.reals("beta", beta, above=0, below=1)
    return _smallest(lambda n: _indistinguishable(n, total_variation, epsilon) <= 2 * beta, epsilon)


def _indistinguishable(size, a, epsilon):
    """1 - E g(D) for D ~ Bin(n, a), which falls with n, because g grows and D does.

    With r = e^(-ε/2) and s = 1/cosh(ε/2), 1 - g(D) is r^D for even D and s r^D for odd D, so (1 + s)/2 r^D +
    (1 - s)/2 (-r)^D; and E z^D = (1 - a + az)^n.
    """
    s = 2 * np.exp(-epsilon / 2) / (1 + np.exp(-epsilon))
    with np.errstate(divide="ignore"):  # a = 1 and a huge ε: the logarithm is -∞, and 0 records are still 0 records
        even = np.exp(size * np.maximum(np.log1p(a * np.expm1(-epsilon / 2)), -1e4))
    odd = (1 - a * (1 + np.exp(-epsilon / 2))) ** np.asarray(size, dtype=np.float64)
    return (1 + s) / 2 * even + (1 - s) / 2 * odd


def mean_sample_size_lower_bound(*, radius, accuracy, epsilon, beta):
    """The number of records below which nobody can estimate a Gaussian mean privately.

    Parameters
    ----------
    accuracy : float > 0 or array_like
        α, in standard deviations of one record: the estimate is right if it is less than this from the mean.
    beta : float in (0, 1) or array_like
        It may be wrong with at most this probability, for every mean in the range.
    epsilon : float > 0 or array_like
    radius : float ≥ 0 or array_like
        The mean is known to lie in [-radius, radius], in the same unit.

    Returns
    -------
    int64, the broadcast shape
        The largest of three lower bounds: (Φ⁻¹(1 - β)/α)², which holds without privacy, too;
        `two_point_sample_size` for the means ±α; `packing_sample_size` for the ⌊R/α⌋ + 1 means that lie 2α apart. It is
        0 for R < α, where the answer 0 is always right.

    Privacy
    -------
    A statement about every ε-DP estimator under ``replace``: with fewer records it errs by α or more with probability
    more than β for at least one mean in the range.

    Raises
    ------
    ValueError
        If an argument is out of range, or the answer above 2**53.

    References
    ----------
    cor-packing-mean, cor-two-means; Karwa and Vadhan, "Finite sample differentially private confidence
    intervals" (2018).

    Examples
    --------
    >>> mean_sample_size_lower_bound(accuracy=0.5, beta=0.05, epsilon=[0.1, 1], radius=[[1], [10**6]])
    array([[123,  14],
           [192,  20]])
    """
    accuracy = _checks.reals("accuracy", accuracy, above=0)
    radius = _checks.reals("radius", radius, at_least=0)
    epsilon = _checks.reals("epsilon", epsilon, above=0)
    beta = _checks.reals("beta", beta, above=0, below=1)
    blind = radius < accuracy  # no data are needed: any number in the range is right
    accuracy, epsilon = np.where(blind, 1, accuracy), np.where(blind, 1, epsilon)
    with np.errstate(over="ignore"):
        hypotheses = 1 + np.floor(_checks.reals("radius / accuracy", radius / accuracy))
        alone = (np.maximum(-ndtri(beta), 0) / accuracy) ** 2
    alone = np.ceil(_checks.reals("(quantile / accuracy)**2", alone, at_most=LARGEST)).astype(np.int64)
    pair = two_point_sample_size(total_variation=erf(accuracy / np.sqrt(2)), epsilon=epsilon, beta=beta)
    many = packing_sample_size(hypotheses=hypotheses, epsilon=epsilon, delta=0, beta=beta)
    return np.where(blind, 0, np.maximum(np.maximum(alone, pair), many))[()]


# --------------------------------------------------------------------------------------------------------------- tests


def sign_test(x, *, shift, epsilon, rng):
    """Decide between N(0, 1) and N(shift, 1) by a noisy majority vote of the records.

    Parameters
    ----------
    x : array_like of real numbers, shape (..., n), n ≥ 1
        The last axis is the data set, leading axes are independent runs.
    shift : float > 0
        The mean under Q, in standard deviations of one record.
    epsilon : float > 0
    rng : numpy.random.Generator

    Returns
    -------
    bool, shape (...)
        Whether S + Lap(2/ε) > 0, where S is the number of records above shift/2 minus the number of the others. True
        says N(shift, 1).

    Privacy
    -------
    ε-DP under ``replace``: one record moves S by at most 2. Idealised arithmetic.

    Error
    -----
    The same under both laws, exactly `sign_test_error`.

    Cost
    ----
    O(n), one Laplace variable per run.

    Raises
    ------
    ValueError
        If there is no record, a record is not finite or a parameter is out of range.
    TypeError
        If ``rng`` is not a Generator.

    References
    ----------
    prop-sign-test.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=(2, 200)) + [[0], [1]]
    >>> sign_test(x, shift=1, epsilon=0.1, rng=rng)
    array([False,  True])
    """
    x = _checks.reals("x", _checks.data_sets("x", x))
    shift = _checks.real("shift", shift, above=0)
    above = np.count_nonzero(x > shift / 2, axis=-1)
    return mechanisms.laplace(2 * above - x.shape[-1], sensitivity=2, epsilon=epsilon, rng=rng) > 0


def sign_test_error(*, size, shift, epsilon):
    """The error probability of `sign_test`, without simulation.

    Parameters
    ----------
    size : int in 1, …, 2**31, or array_like
        The number n of records.
    shift : float > 0 or array_like
        The mean under Q, in standard deviations of one record.
    epsilon : float > 0 or array_like

    Returns
    -------
    float64, the broadcast shape
        E[½ e^(-ε|S|/2) if S < 0 else 1 - ½ e^(-εS/2)] under P, where S = 2 Bin(n, Φ(-shift/2)) - n; the same under Q.

    Error
    -----
    Relative rounding of order 1e-16 n ln n; the terms left out of the sum are less than 1e-20 of it.

    Cost
    ----
    O(√n) for each element.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    prop-sign-test.

    Examples
    --------
    >>> sign_test_error(size=[127, 128], shift=1, epsilon=0.1).round(5)
    array([0.05041, 0.04951])
    """
    size = _checks.integers("size", size, at_least=1, at_most=LONGEST)
    shift = _checks.reals("shift", shift, above=0)
    epsilon = _checks.reals("epsilon", epsilon, above=0)
    each = np.broadcast(size, shift, epsilon)
    errors = [_vote_error(int(n), max(log_ndtr(-h / 2), -1e290), log_ndtr(h / 2), min(e, 1e290)) for n, h, e in each]
    return np.reshape(errors, each.shape)[()]


def _vote_error(n, log_p, log_rest, epsilon):
    """Sum over the number k of votes for Q, each cast with probability p under P.

    On either side of the tie the terms are log-concave: j places from the largest they are smaller by a factor
    e^(-2j(j-1)/(n+2)) or more. Six standard widths on both sides of it are enough.
    """
    reach, last = int(6 * np.sqrt(n + 2)) + 2, (n - 1) // 2  # up to `last` votes the sum S is negative
    mode = min(last, int(n * expit(log_p - log_rest + epsilon)))
    k = np.r_[max(0, mode - reach) : min(last, mode + reach) + 1, last + 1 : min(n, last + reach) + 1]
    half = 0.5 * np.exp(-epsilon / 2 * np.abs(2 * k - n))
    log_law = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + k * log_p + (n - k) * log_rest
    return np.sum(np.exp(log_law) * np.where(k <= last, half, 1 - half))


def clamped_likelihood_test(x, *, shift, epsilon, clamp, rng):
    """Decide between N(0, 1) and N(shift, 1) by the likelihood ratio, every record's part of it clamped.

    Parameters
    ----------
    x : array_like of real numbers, shape (..., n), n ≥ 1
        The last axis is the data set, leading axes are independent runs.
    shift : float > 0
        The mean under Q, in standard deviations of one record.
    clamp : float > 0
        c, the most that one record may add to the log-likelihood ratio, in either direction.
    epsilon : float > 0
    rng : numpy.random.Generator

    Returns
    -------
    bool, shape (...)
        Whether S + Lap(2c/ε) > 0, where S = Σ clip(shift (x - shift/2), -c, c). True says N(shift, 1). As c falls to 0
        this becomes the `sign_test`.

    Privacy
    -------
    ε-DP under ``replace``: one record moves S by at most 2c. Idealised arithmetic.

    Error
    -----
    The same under both laws, and at most (E e^(θ clip(...)))^n under P for every θ ≤ ε/(2c). With c = ε the θ of
    Hellinger's affinity, 1/2, is just allowed.

    Cost
    ----
    O(n), one Laplace variable per run.

    Raises
    ------
    ValueError
        If there is no record, a record is not finite or a parameter is out of range.
    TypeError
        If ``rng`` is not a Generator.

    References
    ----------
    thm-clamped-test; Canonne, Kamath, McMillan, Smith and Ullman, "The structure of optimal private tests for simple
    hypotheses" (2019).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=(2, 200)) + [[0], [1]]
    >>> clamped_likelihood_test(x, shift=1, clamp=0.1, epsilon=0.1, rng=rng)
    array([False,  True])
    """
    x = _checks.reals("x", _checks.data_sets("x", x))
    shift = _checks.real("shift", shift, above=0)
    slope = _checks.real("shift / clamp", shift / _checks.real("clamp", clamp, above=0))
    with np.errstate(over="ignore"):  # far records, clamped in the next line
        votes = (x - shift / 2) * slope
    np.clip(votes, -1, 1, out=votes)  # in units of the clamp
    return mechanisms.laplace(votes.sum(axis=-1), sensitivity=2, epsilon=epsilon, rng=rng) > 0


# ------------------------------------------------------------------------------------------------------------- tracing


def tracing_sample_size(*, columns, accuracy, epsilon, delta):
    """The number of people below which nobody can release so many means so accurately in private.

    Parameters
    ----------
    columns : int ≥ 1 or array_like
        d, the number of ±1 answers of every person.
    accuracy : float > 0 or array_like
        η: the mean squared error of all released means together is at most d η², on average over populations whose d means
        are independent and uniform on [-1, 1].
    epsilon : float > 0 or array_like
    delta : float in [0, 1) or array_like

    Returns
    -------
    int64, the broadcast shape
        The smallest n with n ≥ (d/3 - dη²)/(2 sinh(ε/2) η √d + 14 d δ/3); 0 for η² ≥ 1/3, which is the error of zeros.

    Privacy
    -------
    A statement about every (ε, δ)-DP mechanism under ``replace``: with fewer people its error is larger.

    Raises
    ------
    ValueError
        If an argument is out of range, or the answer above 2**53.

    References
    ----------
    thm-tracing-bound; Dwork, Smith, Steinke, Ullman and Vadhan (2015).

    Examples
    --------
    >>> tracing_sample_size(columns=[10, 1000, 100_000], accuracy=0.1, epsilon=1, delta=1e-6)
    array([ 10,  98, 968])
    """
    d = _checks.integers("columns", columns, at_least=1, at_most=LARGEST)
    accuracy = _checks.reals("accuracy", accuracy, above=0)
    epsilon = _checks.reals("epsilon", epsilon, above=0)
    delta = _checks.reals("delta", delta, at_least=0, below=1)
    with np.errstate(over="ignore"):
        paid = 2 * np.sinh(epsilon / 2) * accuracy / np.sqrt(d) + 14 / 3 * delta  # of a person's score, per column
        people = np.ceil(np.maximum(1 / 3 - accuracy**2, 0) / paid)
    return _checks.reals("the answer", people, at_most=LARGEST).astype(np.int64)[()]


def tracing_scores(x, release, *, center):
    """How strongly a released mean points at each of the records.

    Parameters
    ----------
    x : array_like of real numbers, shape (..., n, d)
        Records to judge, members or strangers: d numbers each. Leading axes are independent runs.
    release : array_like of real numbers, shape (..., d)
        The released means f of the d columns.
    center : float or array_like, shape (..., d)
        The means p of the population.

    Returns
    -------
    float64, shape (..., n)
        ⟨xᵢ - p, f - p⟩. A stranger's score has mean 0 if p is right; a member's has the mean Σ Var(x_j)/n if f is the
        empirical mean. Leaving p out, ``center=0``, adds ⟨x, p⟩ to both, which hides the difference.

    Privacy
    -------
    None: this is an attack.

    Cost
    ----
    O(nd).

    Raises
    ------
    ValueError
        If the shapes do not fit or an entry is not finite.

    References
    ----------
    prop-tracing-scores, thm-tracing-bound; Homer et al., "Resolving individuals contributing trace amounts of DNA to
    highly complex mixtures" (2008); Dwork, Smith, Steinke, Ullman and Vadhan, "Robust traceability from trace amounts"
    (2015).

    Examples
    --------
    >>> x = np.array([[1, 1, -1, 1], [1, -1, -1, -1], [-1, -1, 1, -1]])
    >>> tracing_scores(x, x[:2].mean(axis=0), center=0)
    array([ 2.,  2., -2.])
    """
    x, release, center = _checks.reals("x", x), _checks.reals("release", release), _checks.reals("center", center)
    if x.ndim < 2:
        raise ValueError(f"x must have shape (..., n, d), got shape {x.shape}")
    for name, value in (("release", release), ("center", center)):
        if value.shape[-1:] != x.shape[-1:] and (name == "release" or value.ndim):
            raise ValueError(f"{name} must have {x.shape[-1]} numbers on the last axis, got shape {value.shape}")
    center = center[..., np.newaxis, :] if center.ndim else center
    try:
        np.broadcast_shapes(x.shape[:-2], release.shape[:-1], center.shape[:-2])
    except ValueError:
        raise ValueError(f"the runs of x, release and center must broadcast, got shapes {x.shape}, {release.shape} and "
                         f"{np.shape(center)}") from None
    return np.matmul(x - center, (release[..., np.newaxis, :] - center).swapaxes(-1, -2))[..., 0]
