"""Noise for one answer, noise for one choice.

A query f maps a data set to numbers. Two data sets are *neighbours* when they differ in one record; which pairs count
(``replace`` or ``add_remove``) is settled by whoever computes the sensitivity, so every guarantee here holds for the
relation the sensitivity was computed for.

Symbols
-------
sensitivity, Δ
    The most that f can change between neighbours: in ℓ₁ norm over the last axis for Laplace noise, in ℓ₂ norm for
    Gaussian noise; for scores, the most that any one score can change.
epsilon, delta : ε, δ
    The privacy parameters: Pr[M(x) ∈ S] ≤ e^ε Pr[M(x') ∈ S] + δ for all neighbours x, x' and all events S.
b
    The scale Δ/ε of Laplace noise, density e^(-|z|/b)/(2b).
q
    The ratio e^(-ε/Δ) of discrete Laplace noise, Pr[Z = m] = (1 - q)/(1 + q) q^|m|.
s
    The Gaussian noise multiplier σ/Δ.
Φ, φ
    The standard normal distribution function and density.

*Idealised arithmetic* marks a guarantee that holds for real numbers. In floating point the low-order bits of a noisy
answer can give the secret away; the integer mechanisms `discrete_laplace` and `discrete_gaussian` have no such leak.
"""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import softmax

from dplib import _checks, _numerics, _samplers

# ---------------------------------------------------------------------------------------------------------- real noise


def laplace(value, *, sensitivity, epsilon, rng):
    """Release numbers with Laplace noise.

    Parameters
    ----------
    value : array_like of real numbers, any shape
        The exact answers; the last axis is one query's answer, leading axes are independent runs.
    sensitivity : float > 0
        The most that ``value`` can change between neighbours, in ℓ₁ norm over the last axis, in the units of ``value``.
    epsilon : float > 0
    rng : numpy.random.Generator

    Returns
    -------
    float64, the shape of ``value``
        ``value`` plus independent Lap(b) noise, b = Δ/ε.

    Privacy
    -------
    ε-DP under the relation for which ``sensitivity`` was computed. Idealised arithmetic. The entries of ``value`` are
    finite.

    Error
    -----
    Each entry: Pr[|Z| > b ln(1/β)] = β, standard deviation √2 b. The largest of k entries: `laplace_max_quantile`.

    Cost
    ----
    One draw per entry.

    Raises
    ------
    ValueError
        If an argument is not finite or out of range.
    TypeError
        If ``rng`` is not a Generator.

    References
    ----------
    thm-laplace; Dwork, McSherry, Nissim and Smith, "Calibrating noise to sensitivity in private data analysis" (2006).

    Examples
    --------
    How many of 20,190 person-years had no visit to a doctor? One record moves a count by at most one.

    >>> rng = np.random.default_rng(1)
    >>> round(float(laplace(6308, sensitivity=1, epsilon=0.5, rng=rng)), 2)
    6308.05
    """
    value = _checks.reals("value", value)
    scale = _checks.scale(sensitivity, epsilon)
    noise = _checks.generator(rng).laplace(scale=scale, size=value.shape)
    with np.errstate(over="ignore"):  # a sum beyond all floats is infinite, and no warning tells that there was one
        noise += value
    return noise


def laplace_max_quantile(*, count, sensitivity, epsilon, beta):
    """The size that the largest of several Laplace noises exceeds with probability beta.

    Parameters
    ----------
    count : int ≥ 1 or array_like of them
        How many independent noises.
    beta : float in (0, 1) or array_like
        Probability of exceeding the result.
    sensitivity, epsilon : float > 0
        The scale of the noise is b = Δ/ε.

    Returns
    -------
    float64
        t with Pr[max |Zᵢ| > t] = β, in the units of ``sensitivity``; the broadcast shape of ``count`` and ``beta``.

    Error
    -----
    Exact, t = -b ln(1 - (1 - β)^(1/k)), and never more than the union bound b ln(k/β).

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    prop-laplace-error.

    Examples
    --------
    >>> round(float(laplace_max_quantile(count=10, beta=0.05, sensitivity=1, epsilon=1)), 4)
    5.2753
    """
    count = _checks.integers("count", count, at_least=1, at_most=2**62)
    log_one_below = np.log1p(-_checks.reals("beta", beta, above=0, below=1)) / count  # ln Pr[|Z| <= t]
    return -_checks.scale(sensitivity, epsilon) * _numerics.log1mexp(-log_one_below)


def gaussian(value, *, sensitivity, epsilon, delta, rng):
    """Release numbers with Gaussian noise, no more of it than (ε, δ)-DP needs.

    Parameters
    ----------
    value : array_like of real numbers, any shape
        The exact answers; the last axis is one query's answer, leading axes are independent runs.
    sensitivity : float > 0
        The most that ``value`` can change between neighbours, in ℓ₂ norm over the last axis, in the units of ``value``.
    epsilon : float > 0
    delta : float in (0, 1)
    rng : numpy.random.Generator

    Returns
    -------
    float64, the shape of ``value``
        ``value`` plus independent N(0, σ²) noise, σ from `gaussian_sigma`.

    Privacy
    -------
    (ε, δ)-DP under the relation for which ``sensitivity`` was computed; with less noise not, if some neighbours are
    that far apart. Idealised arithmetic. The entries of ``value`` are finite.

    Error
    -----
    Each entry: standard deviation σ, Pr[|Z| > σ √(2 ln(2/β))] ≤ β.

    Cost
    ----
    One draw per entry.

    Raises
    ------
    ValueError
        If an argument is not finite or out of range.
    TypeError
        If ``rng`` is not a Generator.

    References
    ----------
    thm-gaussian; Balle and Wang, "Improving the Gaussian mechanism for differential privacy" (2018).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> gaussian([10.0, 20.0], sensitivity=1, epsilon=1, delta=1e-6, rng=rng).round(2)
    array([11.46, 23.47])
    """
    value = _checks.reals("value", value)
    sensitivity = _checks.real("sensitivity", sensitivity, above=0)
    epsilon = _checks.real("epsilon", epsilon, above=0)
    delta = _checks.real("delta", delta, above=0, below=1)
    sigma = gaussian_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    noise = _checks.generator(rng).normal(scale=sigma, size=value.shape)
    with np.errstate(over="ignore"):  # as in `laplace`
        noise += value
    return noise


def gaussian_sigma(*, sensitivity, epsilon, delta):
    """The smallest standard deviation with which Gaussian noise is (ε, δ)-DP.

    Parameters
    ----------
    epsilon : float > 0 or array_like
    delta : float in (0, 1) or array_like
    sensitivity : float > 0 or array_like
        ℓ₂ sensitivity of the query, in its units.

    Returns
    -------
    float64, the broadcast shape
        σ in the units of ``sensitivity``, rounded up in the twelfth digit so that rounding never costs privacy.

    Privacy
    -------
    Gaussian noise of this σ is (ε, δ)-DP, and that of any σ smaller by a factor 1 - 1e-9 is not: δ is met exactly.

    Error
    -----
    Relative error below 1e-11 for ε in [1e-3, 50] and δ in [1e-30, 1/2].

    Cost
    ----
    About eight Newton steps, vectorised: a few milliseconds for a thousand pairs.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    thm-gaussian; Balle and Wang (2018), theorem 8. The better known √(2 ln(1.25/δ)) Δ/ε is larger
    for ε ≤ 1 (by 25 to 46% at δ = 1e-6 and ε from 1 down to 0.1) and not private for large ε.

    Examples
    --------
    >>> gaussian_sigma(epsilon=[0.1, 1, 4], delta=1e-6, sensitivity=1).round(4)
    array([36.3047,  4.2247,  1.1935])
    """
    epsilon = _checks.reals("epsilon", epsilon, above=0)
    delta = _checks.reals("delta", delta, above=0, below=1)
    sensitivity = _checks.reals("sensitivity", sensitivity, above=0)
    multiplier = _numerics.gaussian_multiplier(*np.broadcast_arrays(epsilon, delta))
    with np.errstate(over="ignore"):
        return _checks.reals("sigma", sensitivity * (multiplier * (1 + 4e-12)), above=0)[()]


def gaussian_delta(*, sigma, sensitivity, epsilon):
    """The smallest δ for which Gaussian noise is (ε, δ)-DP.

    Parameters
    ----------
    epsilon : float ≥ 0 or array_like
    sigma : float > 0 or array_like
        Standard deviation of the noise.
    sensitivity : float > 0 or array_like
        ℓ₂ sensitivity of the query, in the units of ``sigma``.

    Returns
    -------
    float64, the broadcast shape
        δ = Φ(1/(2s) - εs) - e^ε Φ(-1/(2s) - εs), s = σ/Δ.

    Privacy
    -------
    Gaussian noise of standard deviation σ is (ε, δ)-DP for exactly the δ at least as large as this one.

    Error
    -----
    Relative error below 1e-11, however small δ is (down to 1e-300).

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    thm-gaussian; Balle and Wang (2018).

    Examples
    --------
    >>> print(f"{gaussian_delta(epsilon=1, sigma=4.2247, sensitivity=1):.3g}")
    1e-06
    """
    epsilon = _checks.reals("epsilon", epsilon, at_least=0)
    sigma = _checks.reals("sigma", sigma, above=0)
    sensitivity = _checks.reals("sensitivity", sensitivity, above=0)
    with np.errstate(over="ignore"):
        multiplier = _checks.reals("sigma / sensitivity", sigma / sensitivity, above=0)
    return np.exp(_numerics.gaussian_log_delta(epsilon, multiplier))


# ------------------------------------------------------------------------------------------------------- integer noise


def discrete_laplace(value, *, sensitivity, epsilon, rng):
    """Release integers with two-sided geometric noise, safely on a computer.

    Parameters
    ----------
    value : array_like of integers, any shape, at most 2**62 in absolute value
        The exact answers; the last axis is one query's answer, leading axes are independent runs.
    sensitivity : float > 0
        The most that ``value`` can change between neighbours, in ℓ₁ norm over the last axis.
    epsilon : float > 0
        With sensitivity / epsilon at most 2**36.
    rng : numpy.random.Generator

    Returns
    -------
    int64, the shape of ``value``
        ``value`` plus independent noise Z, Pr[Z = m] = (1 - q)/(1 + q) q^|m|, q = e^(-ε/Δ).

    Privacy
    -------
    ε-DP under the relation for which ``sensitivity`` was computed, given a generator of independent fair bits, and up
    to events of probability 1e-300. This is a statement about the code: the noise is made of exact coins, and ε/Δ is
    lowered by 2**-43 to pay for the rounding of their probabilities.

    Error
    -----
    Each entry: Pr[|Z| ≥ m] = 2q^m/(1 + q) for m ≥ 1, variance 2q/(1 - q)², slightly below that of Lap(Δ/ε). (The price
    of rounding makes it wider than that by a factor 1 + 2**-43 Δ/ε: nothing at ordinary scales, 0.8% at the largest.)

    Cost
    ----
    About log₂(700 Δ/ε) + 2 words of 64 bits per entry, some four times the price of `laplace`.

    Raises
    ------
    ValueError
        If ``value`` does not hold integers of that size, or an argument is out of range.
    TypeError
        If ``rng`` is not a Generator.

    References
    ----------
    thm-discrete-laplace; Ghosh, Roughgarden and Sundararajan, "Universally utility-maximizing privacy mechanisms"
    (2009); Mironov, "On significance of the least significant bits for differential privacy" (2012).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> discrete_laplace([6308, 0, 17], sensitivity=1, epsilon=0.5, rng=rng)
    array([6313,   -2,   17])
    """
    value = _checks.integers("value", value, at_least=-(2**62), at_most=2**62)
    scale = _checks.lattice_scale("sensitivity / epsilon", _checks.scale(sensitivity, epsilon))
    rate = (1 - 2.0**-50) / scale - _samplers.ROUNDING
    return value.astype(np.int64) + _samplers.two_sided_geometric(rate, value.shape, _checks.generator(rng))


def discrete_gaussian(value, *, sensitivity, epsilon, delta, rng):
    """Release integers with discrete Gaussian noise, safely on a computer.

    Parameters
    ----------
    value : array_like of integers, any shape, at most 2**62 in absolute value
        The exact answers; the last axis is one query's answer, leading axes are independent runs.
    sensitivity : float > 0
        The most that ``value`` can change between neighbours, in ℓ₂ norm over the last axis.
    epsilon : float > 0
    delta : float in (0, 1)
    rng : numpy.random.Generator

    Returns
    -------
    int64, the shape of ``value``
        ``value`` plus independent noise Y, Pr[Y = y] ∝ e^(-y²/(2σ²)), σ from `discrete_gaussian_sigma`.

    Privacy
    -------
    Δ²/(2σ²)-zCDP, and hence (ε, δ)-DP, in every dimension, under the relation for which ``sensitivity`` was computed,
    given a generator of independent fair bits. Rounding adds at most 2**-39 to ε for each entry in which neighbours
    differ, and outputs of total probability below 1e-300 never occur.

    Error
    -----
    Each entry: variance at most σ², tails no heavier than those of N(0, σ²).

    Cost
    ----
    Rejection from discrete Laplace noise of scale ⌊σ⌋ + 1, about 1.4 proposals per entry.

    Raises
    ------
    ValueError
        If ``value`` does not hold integers of that size, or an argument is out of range.
    TypeError
        If ``rng`` is not a Generator.

    References
    ----------
    Canonne, Kamath and Steinke, "The discrete Gaussian for differential privacy" (2020).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> discrete_gaussian([6308, 0, 17], sensitivity=1, epsilon=0.5, delta=1e-6, rng=rng)
    array([6313,   14,   16])
    """
    value = _checks.integers("value", value, at_least=-(2**62), at_most=2**62)
    sigma = discrete_gaussian_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    _checks.lattice_scale("sigma", sigma)
    return value.astype(np.int64) + _samplers.discrete_normal(sigma, value.shape, _checks.generator(rng))


def discrete_gaussian_sigma(*, sensitivity, epsilon, delta):
    """A parameter σ with which discrete Gaussian noise is (ε, δ)-DP in every dimension.

    Parameters
    ----------
    epsilon : float > 0
    delta : float in (0, 1)
    sensitivity : float > 0
        ℓ₂ sensitivity of the integer query.

    Returns
    -------
    float
        σ = Δ/√(2ρ) with the largest ρ that the conversion from ρ-zCDP to (ε, δ)-DP allows.

    Privacy
    -------
    The noise is ρ-zCDP with ρ = Δ²/(2σ²), so for every order α > 1 it is (ε, δ)-DP with
    ln δ = (α - 1)(αρ - ε) + (α - 1) ln(1 - 1/α) - ln α. Each α gives a valid ρ; the best one is used.

    Error
    -----
    The price of one formula for all dimensions: σ is 3 to 15% above `gaussian_sigma` for δ from 1e-9 to 1e-3 and ε
    from 1/2 to 20, least for small δ.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    Canonne, Kamath and Steinke (2020), theorem 4 and proposition 12; Bun and Steinke (2016).

    Examples
    --------
    >>> round(discrete_gaussian_sigma(epsilon=1, delta=1e-6, sensitivity=1), 4)
    4.5309
    """
    epsilon = _checks.real("epsilon", epsilon, above=0)
    log_delta = np.log(_checks.real("delta", delta, above=0, below=1))
    sensitivity = _checks.real("sensitivity", sensitivity, above=0)

    def minus_rho(log_order):
        order = 1 + np.exp(log_order)
        return -(epsilon + (log_delta + np.log(order)) / (order - 1) - np.log1p(-1 / order)) / order

    rho = -minimize_scalar(minus_rho, bounds=(-20, 260), method="bounded", options={"xatol": 1e-9}).fun
    return float(sensitivity / np.sqrt(2 * rho))


# ------------------------------------------------------------------------------------------------------------- choices


def exponential(scores, *, sensitivity, epsilon, monotonic=False, rng):
    """Choose a candidate with probability exponential in its score.

    Parameters
    ----------
    scores : array_like of real numbers, shape (..., k)
        The score of each of k ≥ 1 candidates, higher is better; leading axes are independent runs.
    sensitivity : float > 0
        The most that any single score can change between neighbours, in the units of ``scores``.
    epsilon : float > 0
    monotonic : bool
        Whether between any two neighbours all scores move in the same direction, as counts do when one record is added
        or removed. Then half the noise is enough. It is a property of the scores, never to be read from the data.
    rng : numpy.random.Generator

    Returns
    -------
    int64, shape (...)
        The index r of the chosen candidate, Pr[r] ∝ e^(ε u_r/(2Δ)), or e^(ε u_r/Δ) if ``monotonic``.

    Privacy
    -------
    ε-DP under the relation for which ``sensitivity`` was computed. Idealised arithmetic. The scores are finite.

    Error
    -----
    Pr[u_r ≤ max u - (2Δ/ε)(ln(k/m) + t)] ≤ e^-t if m candidates attain the maximum; Δ/ε if ``monotonic``.

    Cost
    ----
    One Gumbel variable per candidate.

    Raises
    ------
    ValueError
        If there is no candidate, a score is not finite or a parameter is out of range.
    TypeError
        If ``rng`` is not a Generator.

    References
    ----------
    thm-exponential; McSherry and Talwar, "Mechanism design via differential privacy" (2007).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> int(exponential([30, 10, 0, 25], sensitivity=1, epsilon=1.3, rng=rng))
    0
    """
    exponents = _exponents(scores, sensitivity, epsilon, monotonic)
    return _noisy_argmax(exponents, _checks.generator(rng).gumbel(size=exponents.shape))


def exponential_probabilities(scores, *, sensitivity, epsilon, monotonic=False):
    """The exact output law of `exponential`.

    Parameters
    ----------
    scores, sensitivity, epsilon, monotonic
        As in `exponential`.

    Returns
    -------
    float64, shape (..., k)
        The probability of each candidate. A description of the mechanism, not a private release.

    Raises
    ------
    ValueError
        If there is no candidate, a score is not finite or a parameter is out of range.

    References
    ----------
    def-exponential.

    Examples
    --------
    >>> exponential_probabilities([3, 1, 0, 2.5], sensitivity=1, epsilon=1.3).round(3)
    array([0.468, 0.128, 0.067, 0.338])
    """
    return softmax(_exponents(scores, sensitivity, epsilon, monotonic), axis=-1)


def report_noisy_max(scores, *, sensitivity, epsilon, monotonic=False, rng):
    """Add Laplace noise to every score and name the winner, not its score.

    Parameters
    ----------
    scores, sensitivity, epsilon, monotonic, rng
        As in `exponential`.

    Returns
    -------
    int64, shape (...)
        The index of the largest score after adding Lap(2Δ/ε), or Lap(Δ/ε) if ``monotonic``.

    Privacy
    -------
    ε-DP under the relation for which ``sensitivity`` was computed. Idealised arithmetic. The noisy scores themselves
    stay secret. The scores are finite.

    Error
    -----
    With probability 1 - β the winner is within (4Δ/ε) ln(k/β) of the best; half of that if ``monotonic``.

    Cost
    ----
    One Laplace variable per candidate.

    Raises
    ------
    ValueError
        If there is no candidate, a score is not finite or a parameter is out of range.
    TypeError
        If ``rng`` is not a Generator.

    References
    ----------
    thm-noisy-max; Dwork and Roth, "The algorithmic foundations of differential privacy" (2014), claim 3.9.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> int(report_noisy_max([30, 10, 0, 25], sensitivity=1, epsilon=1.3, rng=rng))
    0
    """
    exponents = _exponents(scores, sensitivity, epsilon, monotonic)
    return _noisy_argmax(exponents, _checks.generator(rng).laplace(size=exponents.shape))


def permute_and_flip(scores, *, sensitivity, epsilon, monotonic=False, rng):
    """Visit the candidates in random order and take each with probability e^(ε(u_r - max u)/(2Δ)) until one is taken.

    The same law is that of the largest score after adding one-sided exponential noise, and that is how it is drawn.

    Parameters
    ----------
    scores, sensitivity, epsilon, monotonic, rng
        As in `exponential`.

    Returns
    -------
    int64, shape (...)
        The index of the chosen candidate.

    Privacy
    -------
    ε-DP under the relation for which ``sensitivity`` was computed. Idealised arithmetic. The scores are finite.

    Error
    -----
    At every score vector its expected loss is at most that of `exponential`.

    Cost
    ----
    One exponential variable per candidate.

    Raises
    ------
    ValueError
        If there is no candidate, a score is not finite or a parameter is out of range.
    TypeError
        If ``rng`` is not a Generator.

    References
    ----------
    thm-permute-and-flip; McKenna and Sheldon, "Permute-and-flip" (2020); Ding et al. (2021) for exponential noise.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> int(permute_and_flip([30, 10, 0, 25], sensitivity=1, epsilon=1.3, rng=rng))
    0
    """
    exponents = _exponents(scores, sensitivity, epsilon, monotonic)
    return _noisy_argmax(exponents, _checks.generator(rng).standard_exponential(size=exponents.shape))


def _exponents(scores, sensitivity, epsilon, monotonic):
    """Scores in units of their noise, measured from the best one."""
    scores = _checks.reals("scores", scores)
    if scores.ndim == 0 or scores.shape[-1] == 0:
        raise ValueError(f"scores must have at least one candidate on the last axis, got shape {scores.shape}")
    scale = _checks.scale(sensitivity, epsilon)
    with np.errstate(over="ignore"):  # hopeless candidates may fall to -inf
        return (scores - scores.max(axis=-1, keepdims=True)) / scale / (1 if monotonic else 2)


def _noisy_argmax(exponents, noise):
    noise += exponents
    return noise.argmax(axis=-1)


# -------------------------------------------------------------------------------------------------- randomised response


def randomized_response(labels, *, categories=2, epsilon, rng):
    """Let every person report their own label, or another one at random.

    Parameters
    ----------
    labels : array_like of integers in 0, …, categories - 1, any shape
        One person per entry.
    categories : int ≥ 2
        The number k of possible labels.
    epsilon : float > 0
    rng : numpy.random.Generator

    Returns
    -------
    int64, the shape of ``labels``
        Each label kept with probability p = e^ε/(e^ε + k - 1), otherwise replaced by one of the others, uniformly.

    Privacy
    -------
    Every report is ε-DP by itself (local model), so that the whole is ε-DP under ``replace``, given a generator of
    independent fair bits: the probability of a lie is rounded up, never down.

    Error
    -----
    With r = (1 - p)/(k - 1), the share of reports c estimates the share f of people c without bias as
    (share - r)/(p - r), with standard deviation at most 1/(2 (p - r) √n).

    Cost
    ----
    Two draws per person.

    Raises
    ------
    ValueError
        If a label is not one of the categories or a parameter is out of range.
    TypeError
        If ``rng`` is not a Generator.

    References
    ----------
    thm-randomized-response; Warner, "Randomized response" (1965); Kairouz, Oh and Viswanath (2014).

    Examples
    --------
    Ten thousand people, 30% of whom would say yes:

    >>> rng = np.random.default_rng(1)
    >>> reports = randomized_response(np.arange(10_000) < 3000, epsilon=1.0, rng=rng)
    >>> p = np.exp(1) / (np.exp(1) + 1)
    >>> round(float((reports.mean() - (1 - p)) / (2 * p - 1)), 3)
    0.287
    """
    categories = _checks.integer("categories", categories, at_least=2)
    labels = _checks.integers("labels", labels, at_least=0, at_most=categories - 1)
    odds = (categories - 1) * np.exp(-_checks.real("epsilon", epsilon, above=0))
    lie = odds / (1 + odds) * (1 + 2.0**-50)  # covers the rounding of this line
    _checks.generator(rng)
    lies = rng.random(labels.shape) <= lie  # on a lattice of step 2**-53, "<=" errs towards lying
    shift = rng.integers(1, categories, size=labels.shape)
    return (labels.astype(np.int64) + shift * lies) % categories
