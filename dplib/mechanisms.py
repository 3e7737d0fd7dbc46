"""Noise for one answer, noise for one choice.

Every guarantee holds for the neighbours (``replace`` or ``add_remove``) for which the sensitivity
was computed, and for the program: answers are moved to a public grid, noise is an integer number of
its steps, and what the moving costs is paid for. *Given fair bits*, the page *What the last digits
say* has what that means, and what else is taken for granted. Leading axes are independent runs.

Symbols
-------
sensitivity : Δ
    The most that the answer changes between neighbours: in ℓ₁ norm over the last axis (Laplace
    noise), in ℓ₂ norm (Gaussian noise); of scores, the most that any one of them changes.
epsilon, delta : ε, δ
    Pr[M(x) ∈ S] ≤ e^ε Pr[M(x') ∈ S] + δ for all neighbours x, x' and all events S.
"""

from __future__ import annotations

import numpy as np
import scipy

from dplib import _checks, _grid, _numerics, _samplers
from dplib._types import ArrayLike, Floats, Generator, Integer, Integers, Ints, NDArray, Real, Reals

# --------------------------------------------------------------------------------------- real noise


def laplace(value: ArrayLike, *, sensitivity: Real, epsilon: Real, rng: Generator) -> Floats:
    """Release numbers with Laplace noise, safely on a computer.

    Parameters
    ----------
    value : array_like of real numbers, the exact answers, one query's d entries on the last axis
    sensitivity, epsilon : float > 0
        ``sensitivity`` in ℓ₁ norm over the last axis, of the numbers as they are given; ε ≥ 2**-40
        d
    rng : numpy.random.Generator

    Returns
    -------
    float64
        ``value`` plus independent Lap(b) noise of scale b = Δ/ε, density e^(-|z|/b)/(2b), on a grid
        of steps `grid_step` (b)

    Notes
    -----
    :Privacy: ε-DP under the relation for which ``sensitivity`` was computed, given fair bits, up to
        events of probability 1e-300; finite entries.
    :Error: Each entry: Pr[|Z| > b ln(1/β)] = β, standard deviation √2 b. The largest of k:
        `laplace_max_quantile`. The grid widens the noise by at most (1.1 d/ε + 9) 2**-40,
        relatively.
    :References: Theorem *The Laplace mechanism* on the page *A bound on every accuser*
        (thm-laplace); theorem *Released on a grid* on the page *What the last digits say*
        (thm-grid-release); Dwork, McSherry, Nissim and Smith, *Calibrating noise to sensitivity in
        private data analysis* (2006).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> round(float(laplace(6308, sensitivity=1, epsilon=0.5, rng=rng)), 2)
    6307.39
    """
    value = _checks.reals("value", value)
    sensitivity, epsilon = (
        _checks.parameter("sensitivity", sensitivity),
        _checks.parameter("epsilon", epsilon),
    )
    noise = _grid.laplace_noise(sensitivity=sensitivity, epsilon=epsilon, entries=_entries(value))
    return noise.added_to(value, _checks.generator(rng))


def _entries(value):
    """The number d of entries that one query has."""
    return max(value.shape[-1], 1) if value.ndim else 1


def grid_step(scale: Real) -> float:
    """The step of the grid on which noise of a scale is released: no answer has digits below it.

    Parameters
    ----------
    scale : float > 0
        Scale b of Laplace noise, or σ of Gaussian noise.

    Returns
    -------
    float, the power of two g with 2**40 g ≤ scale < 2**41 g, but at least 2**-1074

    Notes
    -----
    :References: Theorem *Released on a grid* on the page *What the last digits say*
        (thm-grid-release).

    Examples
    --------
    >>> grid_step(1) == 2**-40, grid_step(3.9) == 2**-39
    (True, True)
    """
    return _grid.grid_step(_checks.parameter("scale", scale, above=0))


def laplace_idealized(value: ArrayLike, *, scale: Real, rng: Generator) -> Floats:
    """NOT PRIVATE on a computer: numbers with Laplace noise from NumPy, as formulas have it.

    Parameters
    ----------
    value : array_like of real numbers, the exact answers
    scale : float > 0
        Scale b of the noise.
    rng : numpy.random.Generator

    Returns
    -------
    float64, ``value`` plus independent Lap(b) noise

    Notes
    -----
    :Privacy: None. One number, published to its last digit, tells 0 from 1 in four of five cases.
        For figures and for attacks.
    :References: Proposition *The last digits* on the page *What the last digits say*
        (prop-last-digits); Mironov, *On significance of the least significant bits for differential
        privacy* (2012).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> round(float(laplace_idealized(6308, scale=2, rng=rng)), 2)
    6308.05
    """
    value, scale = _checks.reals("value", value), _checks.parameter("scale", scale, above=0)
    return value + _checks.generator(rng).laplace(scale=scale, size=value.shape)


def laplace_max_quantile(
        *, count: Integers, sensitivity: Real, epsilon: Real, beta: Reals) -> Floats:
    """The size that the largest of k Laplace noises exceeds with probability β.

    Parameters
    ----------
    count, beta : array_like
        How many independent noises there are, k ≥ 1, and the probability in (0, 1) of exceeding the
        result.
    sensitivity, epsilon : float > 0, the scale of the noise is b = Δ/ε

    Returns
    -------
    float64, the broadcast shape, exactly -b ln(1 - (1 - β)^(1/k)), at most b ln(k/β)

    Notes
    -----
    :References: Proposition *The largest of k errors* on the page *A bound on every accuser*
        (prop-laplace-error).

    Examples
    --------
    >>> round(float(laplace_max_quantile(count=10, sensitivity=1, epsilon=1, beta=0.05)), 4)
    5.2753
    """
    count = _checks.integers("count", count, at_least=1)
    log_one_below = np.log1p(-_checks.parameters("beta", beta)) / count  # ln Pr[|Z| <= t]
    return -_checks.scale(sensitivity, epsilon) * _numerics.log1mexp(-log_one_below)


def gaussian(
        value: ArrayLike, *, sensitivity: Real, epsilon: Real, delta: Real,
        rng: Generator) -> Floats:
    """Release numbers with the least Gaussian noise that is (ε, δ)-DP, safely on a computer.

    Parameters
    ----------
    value, sensitivity, epsilon, rng
        As in `laplace`, with the sensitivity in ℓ₂ norm.
    delta : float in (0, 1)

    Returns
    -------
    float64
        ``value`` plus independent N(0, σ²) noise, σ from `gaussian_sigma`, on a grid of steps
        `grid_step` (σ)

    Notes
    -----
    :Privacy: (ε, δ)-DP under the relation for which ``sensitivity`` was computed, given fair bits;
        with less noise not, if neighbours attain ``sensitivity``. Finite entries.
    :Error: Each entry: standard deviation σ, Pr[|Z| > σ √(2 ln(2/β))] ≤ β. The grid widens the
        noise by less than (√d σ/Δ + d/ε + 14) 2**-40, relatively.
    :References: Theorem *The Gaussian mechanism* on the page *What one answer gave away*
        (thm-gaussian); theorem *Released on a grid* on the page *What the last digits say*
        (thm-grid-release); Balle and Wang, *Improving the Gaussian mechanism for differential
        privacy* (2018), theorem 8.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> gaussian([10.0, 20.0], sensitivity=1, epsilon=1, delta=1e-6, rng=rng).round(2)
    array([ 8.51, 26.03])
    """
    value = _checks.reals("value", value)
    sensitivity = _checks.parameter("sensitivity", sensitivity)
    epsilon = _checks.parameter("epsilon", epsilon)
    delta = _checks.parameter("delta", delta)
    noise = _grid.normal_noise(
        sensitivity=sensitivity, epsilon=epsilon, delta=delta, entries=_entries(value)
    )
    return noise.added_to(value, _checks.generator(rng))


def gaussian_idealized(value: ArrayLike, *, sigma: Real, rng: Generator) -> Floats:
    """NOT PRIVATE on a computer: numbers with Gaussian noise from NumPy, as formulas have it.

    Parameters
    ----------
    value : array_like of real numbers, the exact answers
    sigma : float > 0
        Standard deviation of the noise.
    rng : numpy.random.Generator

    Returns
    -------
    float64, ``value`` plus independent N(0, σ²) noise

    Notes
    -----
    :Privacy: None, as for `laplace_idealized`.
    :References: Proposition *The last digits* on the page *What the last digits say*
        (prop-last-digits).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> gaussian_idealized([10.0, 20.0], sigma=4.2247, rng=rng).round(2)
    array([11.46, 23.47])
    """
    value, sigma = _checks.reals("value", value), _checks.parameter("sigma", sigma)
    return value + _checks.generator(rng).normal(scale=sigma, size=value.shape)


def gaussian_sigma(*, sensitivity: Reals, epsilon: Reals, delta: Reals) -> Floats:
    """The smallest standard deviation with which Gaussian noise is (ε, δ)-DP.

    Parameters
    ----------
    sensitivity, epsilon, delta : float > 0 or array_like, ``sensitivity`` in ℓ₂ norm, δ < 1

    Returns
    -------
    float64
        The broadcast shape, σ rounded up in the twelfth digit so that rounding never costs privacy

    Notes
    -----
    :Privacy: Gaussian noise of this σ is (ε, δ)-DP, and that of a σ smaller by a factor 1 - 1e-9 is
        not.
    :Error: Relative error below 1e-11 for ε in [1e-3, 50] and δ in [1e-30, 1/2].
    :References: Theorem *The Gaussian mechanism* on the page *What one answer gave away*
        (thm-gaussian); Balle and Wang (2018).

    Examples
    --------
    >>> gaussian_sigma(sensitivity=1, epsilon=[0.1, 1, 4], delta=1e-6).round(4)
    array([36.3047,  4.2247,  1.1935])
    """
    epsilon = _checks.parameters("epsilon", epsilon)
    delta = _checks.parameters("delta", delta)
    sensitivity = _checks.parameters("sensitivity", sensitivity)
    with np.errstate(over="ignore"):
        return _checks.reals(
            "sigma", sensitivity * _numerics.private_multiplier(epsilon, delta), above=0
        )[()]


def gaussian_delta(*, sigma: Reals, sensitivity: Reals, epsilon: Reals) -> Floats:
    """The smallest δ for which Gaussian noise is (ε, δ)-DP.

    Parameters
    ----------
    sigma, sensitivity, epsilon : float > 0 or array_like
        Standard deviation of the noise, ℓ₂ sensitivity in the same units, ε (may be 0).

    Returns
    -------
    float64, the broadcast shape, δ = Φ(1/(2s) - εs) - e^ε Φ(-1/(2s) - εs), s = σ/Δ

    Notes
    -----
    :Error: Relative error below 1e-11, however small δ is (down to 1e-300).
    :References: Theorem *The Gaussian mechanism* on the page *What one answer gave away*
        (thm-gaussian); Balle and Wang (2018).

    Examples
    --------
    >>> print(f"{gaussian_delta(sigma=4.2247, sensitivity=1, epsilon=1):.3g}")
    1e-06
    """
    epsilon = _checks.parameters("epsilon", epsilon, or_zero=True)
    sigma = _checks.parameters("sigma", sigma)
    sensitivity = _checks.parameters("sensitivity", sensitivity)
    with np.errstate(over="ignore"):
        multiplier = _checks.reals("sigma / sensitivity", sigma / sensitivity, above=0)
    return np.exp(_numerics.gaussian_log_delta(epsilon, multiplier))


# ------------------------------------------------------------------------------------ integer noise


def discrete_laplace(value: ArrayLike, *, sensitivity: Real, epsilon: Real, rng: Generator) -> Ints:
    """Release integers with two-sided geometric noise, safely on a computer.

    Parameters
    ----------
    value : array_like of integers, the exact answers, at most 2**62 in absolute value
    sensitivity, epsilon, rng
        As in `laplace`, with sensitivity / epsilon at most 2**36.

    Returns
    -------
    int64, ``value`` plus independent noise Z, Pr[Z = m] = (1 - q)/(1 + q) q^|m|, q = e^(-ε/Δ)

    Notes
    -----
    :Privacy: ε-DP under the relation of ``sensitivity``, given independent fair bits, up to events
        of probability 1e-300.
    :Error: Each entry: Pr[|Z| ≥ m] = 2q^m/(1 + q) for m ≥ 1, variance 2q/(1 - q)². To pay for
        rounding, ε/Δ is lowered by 2**-43; that widens the noise by at most 0.8%.
    :Cost: About log₂(700 Δ/ε) + 2 words of 64 bits per entry.
    :References: Theorem *Noise on the integers* on the page *A bound on every accuser*
        (thm-discrete-laplace); Ghosh, Roughgarden and Sundararajan, *Universally utility-maximizing
        privacy mechanisms* (2009).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> discrete_laplace([6308, 0, 17], sensitivity=1, epsilon=0.5, rng=rng)
    array([6313,   -2,   17])
    """
    value = _checks.integers("value", value, at_least=-_checks.LARGEST)
    scale = _checks.lattice_scale("sensitivity / epsilon", _checks.scale(sensitivity, epsilon))
    rate = (1 - 2.0**-50) / scale - _samplers.ROUNDING
    return value.astype(np.int64) + _samplers.two_sided_geometric(
        rate, value.shape, _checks.generator(rng)
    )


def discrete_gaussian(
        value: ArrayLike, *, sensitivity: Real, epsilon: Real, delta: Real, rng: Generator) -> Ints:
    """Release integers with discrete Gaussian noise, safely on a computer.

    Parameters
    ----------
    value, sensitivity, epsilon, delta, rng
        As in `gaussian`, with values as in `discrete_laplace` and σ at most 2**36.

    Returns
    -------
    int64
        ``value`` plus independent noise Y, Pr[Y = y] ∝ e^(-y²/(2σ²)), σ from
        `discrete_gaussian_sigma`

    Notes
    -----
    :Privacy: Δ²/(2σ²)-zCDP, hence (ε, δ)-DP, under the relation of ``sensitivity``, given fair
        bits. Rounding adds at most 2**-39 to ε for each entry in which neighbours differ; outputs
        of total probability below 1e-300 never occur.
    :Error: Each entry: variance at most σ², tails no heavier than those of N(0, σ²).
    :Cost: About 1.4 proposals of discrete Laplace noise per entry.
    :References: Theorem *zCDP* on the page *What one answer gave away* (thm-zcdp); Canonne, Kamath
        and Steinke, *The discrete Gaussian for differential privacy* (2020).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> discrete_gaussian([6308, 0, 17], sensitivity=1, epsilon=0.5, delta=1e-6, rng=rng)
    array([6313,   14,   16])
    """
    value = _checks.integers("value", value, at_least=-_checks.LARGEST)
    sigma = discrete_gaussian_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    _checks.lattice_scale("sigma", sigma)
    return value.astype(np.int64) + _samplers.discrete_normal(
        sigma, value.shape, _checks.generator(rng)
    )


def discrete_gaussian_sigma(*, sensitivity: Real, epsilon: Real, delta: Real) -> float:
    """A parameter σ with which discrete Gaussian noise is (ε, δ)-DP in every dimension.

    Parameters
    ----------
    sensitivity, epsilon, delta : float > 0, ``sensitivity`` in ℓ₂ norm, δ < 1

    Returns
    -------
    float, σ = Δ/√(2ρ) with the largest ρ that the conversion from ρ-zCDP to (ε, δ)-DP allows

    Notes
    -----
    :Error: σ is 3 to 15% above `gaussian_sigma` for δ from 1e-9 to 1e-3 and ε from 1/2 to 20.
    :References: Theorem *zCDP* on the page *What one answer gave away* (thm-zcdp); Canonne et al.
        (2020), theorem 4, proposition 12.

    Examples
    --------
    >>> round(discrete_gaussian_sigma(sensitivity=1, epsilon=1, delta=1e-6), 4)
    4.5309
    """
    epsilon = _checks.parameter("epsilon", epsilon)
    delta = _checks.parameter("delta", delta)
    sensitivity = _checks.parameter("sensitivity", sensitivity)
    rho = -_numerics.least_over_orders(lambda order, cost: (cost - epsilon) / order, delta)
    return float(sensitivity / np.sqrt(2 * rho))


# ------------------------------------------------------------------------------------------ choices


def exponential(
        scores: ArrayLike, *, sensitivity: Real, epsilon: Real, monotonic: bool = False,
        rng: Generator) -> Ints:
    """Choose a candidate with probability exponential in its score.

    Parameters
    ----------
    scores : array_like of real numbers, shape (..., k)
        One for each of k ≥ 1 candidates, higher is better
    sensitivity, epsilon : float > 0, ``sensitivity`` of any one score as it is given
    monotonic : bool
        Whether all scores move in one direction between neighbours; then half the noise is enough.
        Never read it from data.
    rng : numpy.random.Generator

    Returns
    -------
    int64, shape (...)
        The index r of the chosen candidate, Pr[r] ∝ e^(ε u_r/(2Δ)), or e^(ε u_r/Δ) if ``monotonic``

    Notes
    -----
    :Privacy: ε-DP under the relation for which ``sensitivity`` was computed, given fair bits, up to
        events of probability 1e-300; finite scores. They are moved to a grid, and the logarithm of
        the noise's hazard is right to 2**-44: both are paid for.
    :Error: Pr[u_r ≤ max u - (2Δ/ε)(ln(k/m) + t)] ≤ e^-t if m candidates attain the maximum; Δ/ε if
        ``monotonic``.
    :References: Theorem *The exponential mechanism is private* on the page *Choosing privately*
        (thm-exponential); McSherry and Talwar, *Mechanism design via differential privacy* (2007).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> int(exponential([30, 10, 0, 25], sensitivity=1, epsilon=1.3, rng=rng))
    0
    """
    return _winner("gumbel", scores, sensitivity, epsilon, monotonic, rng)


def exponential_probabilities(
        scores: ArrayLike, *, sensitivity: Real, epsilon: Real,
        monotonic: bool = False) -> NDArray[np.float64]:
    """The exact output distribution of `exponential`: a description of the mechanism, not a private
    release.

    Parameters
    ----------
    scores, sensitivity, epsilon, monotonic
        As in `exponential`.

    Returns
    -------
    float64, shape (..., k), the probability of each candidate

    Notes
    -----
    :References: Definition *Exponential mechanism* on the page *Choosing privately*
        (def-exponential).

    Examples
    --------
    >>> exponential_probabilities([3, 1, 0, 2.5], sensitivity=1, epsilon=1.3).round(3)
    array([0.468, 0.128, 0.067, 0.338])
    """
    scores, scale = _scores(scores), _checks.scale(sensitivity, epsilon)
    with np.errstate(over="ignore"):  # hopeless candidates may fall to -inf
        behind = (scores - scores.max(axis=-1, keepdims=True)) / scale
        return scipy.special.softmax(behind / (1 if monotonic else 2), axis=-1)


def report_noisy_max(
        scores: ArrayLike, *, sensitivity: Real, epsilon: Real, monotonic: bool = False,
        rng: Generator) -> Ints:
    """Add Laplace noise to every score and name the winner, not its score.

    Parameters
    ----------
    scores, sensitivity, epsilon, monotonic, rng
        As in `exponential`.

    Returns
    -------
    int64, shape (...)
        The index of the largest score after adding Lap(2Δ/ε), or Lap(Δ/ε) if ``monotonic``

    Notes
    -----
    :Privacy: As `exponential`.
    :Error: With probability 1 - β the winner is within (4Δ/ε) ln(k/β) of the best; half of that if
        ``monotonic``.
    :References: Theorem *Report noisy max* on the page *Choosing privately* (thm-noisy-max); Dwork
        and Roth, *The algorithmic foundations of differential privacy* (2014), claim 3.9.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> int(report_noisy_max([30, 10, 0, 25], sensitivity=1, epsilon=1.3, rng=rng))
    0
    """
    return _winner("laplace", scores, sensitivity, epsilon, monotonic, rng)


def permute_and_flip(
        scores: ArrayLike, *, sensitivity: Real, epsilon: Real, monotonic: bool = False,
        rng: Generator) -> Ints:
    """Visit the candidates in random order; take each with probability e^(ε(u_r - max u)/(2Δ))
    until one is taken.

    Parameters
    ----------
    scores, sensitivity, epsilon, monotonic, rng
        As in `exponential`.

    Returns
    -------
    int64, shape (...), the index of the chosen candidate

    Notes
    -----
    :Privacy: As `exponential`.
    :Error: At every score vector its expected loss is at most that of `exponential`.
    :References: Theorem *Permute and flip* on the page *Choosing privately* (thm-permute-and-flip);
        McKenna and Sheldon, *Permute-and-flip: a new mechanism for differentially private
        selection* (2020).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> int(permute_and_flip([30, 10, 0, 25], sensitivity=1, epsilon=1.3, rng=rng))
    0
    """
    return _winner("exponential", scores, sensitivity, epsilon, monotonic, rng)


def _scores(scores):
    """Checked scores of one candidate or more."""
    scores = _checks.reals("scores", scores)
    if scores.ndim == 0 or scores.shape[-1] == 0:
        raise ValueError(
            f"scores must have at least one candidate on the last axis, got shape {scores.shape}"
        )
    return scores


def _winner(law, scores, sensitivity, epsilon, monotonic, rng):
    """The place of the largest score, each with its noise."""
    scores = _scores(scores)
    sensitivity, epsilon = (
        _checks.parameter("sensitivity", sensitivity),
        _checks.parameter("epsilon", epsilon),
    )
    return _grid.winner(
        law,
        scores,
        moved=sensitivity * (1 if monotonic else 2),
        epsilon=epsilon,
        rng=_checks.generator(rng),
    )


# ------------------------------------------------------------------------------ randomised response


def randomized_response(
        labels: ArrayLike, *, categories: Integer = 2, epsilon: Real, rng: Generator) -> Ints:
    """Let every person report their own label, or another one at random.

    Parameters
    ----------
    labels : array_like of integers in 0, …, categories - 1, one person per entry
    categories : int ≥ 2, the number k of possible labels
    epsilon : float > 0
    rng : numpy.random.Generator

    Returns
    -------
    int64
        The labels, each kept with probability p = e^ε/(e^ε + k - 1), else replaced by one of the
        others, uniformly

    Notes
    -----
    :Privacy: Every report is ε-DP by itself (local model), and all together are under ``replace``,
        given fair bits; ε is at least 2**-48.
    :Error: If f is a label's share of the reports, (f - r)/(p - r) with r = (1 - p)/(k - 1)
        estimates its share of the people without bias, with standard deviation at most 1/(2 (p - r)
        √n).
    :References: Theorem *Randomised response* on the page *A bound on every accuser*
        (thm-randomized-response); Warner, *Randomized response: a survey technique for eliminating
        evasive answer bias* (1965).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> reports = randomized_response(np.arange(10_000) < 3000, epsilon=1.0, rng=rng)
    >>> p = np.exp(1) / (np.exp(1) + 1)
    >>> round(float((reports.mean() - (1 - p)) / (2 * p - 1)), 3)
    0.287
    """
    categories = _checks.integer("categories", categories, at_least=2)
    labels = _checks.integers("labels", labels, at_least=0, at_most=categories - 1)
    epsilon = _checks.parameter("epsilon", epsilon, at_least=_samplers.LEAST_EPSILON)
    lies = _samplers.lies(epsilon, categories - 1, labels.shape, _checks.generator(rng))
    shift = rng.integers(1, categories, size=labels.shape)
    return (labels.astype(np.int64) + shift * lies) % categories
