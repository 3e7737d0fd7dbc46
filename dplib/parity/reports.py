"""Without a curator: one randomised report of each person about all parities, and how many people
nobody can do without.

Symbols
-------
t : tanh(ε/2)
    How much more often a report is true than false.
μ : n/2^d
    How many people report on each parity, on average.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, log_ndtr, xlogy

from dplib import _checks, mechanisms
from dplib._types import ArrayLike, Floats, Generator, Integer, Integers, Ints, NDArray, Real, Reals
from dplib.parity.data import subset_bits, subset_index, tabled_records, weights_by_subset
from dplib.sample_size import least_size

MANY_ON_A_PARITY = 10**5  # people on each parity: beyond, their votes are normal to within 2e-5
NORMAL = np.linspace(-12, 12, 2401)
NORMAL_WEIGHTS = np.exp(-(NORMAL**2) / 2) / np.sqrt(2 * np.pi) * (NORMAL[1] - NORMAL[0])


def learn_parity_locally(
        x: ArrayLike, y: ArrayLike, *, epsilon: Real, runs: bool = False,
        rng: Generator) -> NDArray[np.int8]:
    """Find the parity behind the labels when everybody sends one randomised bit and nobody is
    trusted.

    Each person is given a random subset, openly, and says by randomised response whether the parity
    of it is the label. The subset with the most "yes" over "no" wins.

    Parameters
    ----------
    x, y, epsilon, runs, rng
        As in `private_parity`, for at most d = 24 questions.

    Returns
    -------
    int8, shape (..., d), the winner, 1 for each question in it; of several, one at random

    Notes
    -----
    :Privacy: Every report is ε-DP by itself (local model), and all together are under ``replace``,
        given fair bits.
    :Error: `local_parity_success` for uniform x.
    :Cost: n d + 2^d for each run.
    :References: Proposition *One bit from everybody* on the page *What averages cannot learn*
        (prop-hashed).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.integers(0, 2, size=(3000, 5))
    >>> y = (x[:, 0] + x[:, 3]) % 2
    >>> learn_parity_locally(x, y, epsilon=1, rng=rng)
    array([1, 0, 0, 1, 0], dtype=int8)
    """
    x, y = tabled_records(x, y, runs)
    d = x.shape[-1]
    _checks.parameter("epsilon", epsilon)
    task = _checks.generator(rng).integers(0, 2, size=x.shape, dtype=np.int8)
    differs = (task * x).sum(axis=-1) + y & 1
    reports = mechanisms.randomized_response(differs, epsilon=epsilon, rng=rng)
    votes = weights_by_subset(subset_index(task), 1.0 - 2 * reports, d)
    return subset_bits((votes + rng.random(votes.shape)).argmax(axis=-1), d)


def local_parity_success(*, size: Integers, dimension: Integer, epsilon: Real) -> Floats:
    """How often `learn_parity_locally` names the right parity, if the answers of the records are
    fair coins.

    Parameters
    ----------
    size : array_like of integers ≥ 1, the number n of records
    dimension : int ≥ 1, the number d of questions
    epsilon : float > 0

    Returns
    -------
    float64
        The shape of ``size``, the exact probability if the number of people is a Poisson variable
        of mean ``size``

    Notes
    -----
    :Error: For exactly ``size`` people the probability differs by the order of 1/n. Above 10⁵
        people for each parity a normal integral, within 2e-5.
    :References: Proposition *One bit from everybody* on the page *What averages cannot learn*
        (prop-hashed).

    Examples
    --------
    >>> local_parity_success(size=[1000, 2857, 10**4], dimension=6, epsilon=1).round(3)
    array([0.311, 0.75 , 0.999])
    """
    size = _checks.integers("size", size, at_least=1)
    dimension = _checks.integer("dimension", dimension, at_least=1, at_most=1000)
    truth = np.tanh(_checks.parameter("epsilon", epsilon) / 2)
    chances = [
        _largest_is_right(n / 2.0**dimension, truth, 2.0**dimension - 1)
        for n in np.ravel(size).tolist()
    ]
    return np.reshape(chances, size.shape)[()]


def local_parity_sample_size(*, dimension: Integer, epsilon: Real, beta: Real) -> int:
    """The least number of people with which `learn_parity_locally` is right often enough.

    Parameters
    ----------
    dimension, epsilon
        As in `local_parity_success`.
    beta : float in (0, 1), the probability of another answer than the hidden parity

    Returns
    -------
    int, the least size with `local_parity_success` 1 - β or more; ValueError above 2**62

    Notes
    -----
    :Error: About 2^d (λ/tanh(ε/2))², λ by how many standard deviations a normal variable must be
        shifted to be the largest of 2^d with probability 1 - β.
    :References: Proposition *One bit from everybody* on the page *What averages cannot learn*
        (prop-hashed).

    Examples
    --------
    >>> local_parity_sample_size(dimension=12, epsilon=1, beta=0.25)
    363789
    """
    beta = _checks.parameter("beta", beta)
    chance = lambda n: local_parity_success(size=n, dimension=dimension, epsilon=epsilon)
    size = int(least_size(lambda n: chance(n) >= 1 - beta))
    if size > _checks.LARGEST:
        raise ValueError(
            f"no answer up to 2**62: dimension is too large or epsilon too small, got ε = {epsilon}"
        )
    return size


def parity_information(*, epsilon: Reals) -> Floats:
    """How much one private report tells about all parities together, at most.

    Parameters
    ----------
    epsilon : float > 0 or array_like

    Returns
    -------
    float64, the shape of ``epsilon``, κ: tanh²(ε/2) up to ε = ln 3, then (e^ε - 1)/8

    Notes
    -----
    :Privacy: The χ² divergences between the report under a parity and under fair coins add up to at
        most κ over all parities, for every report that is ε-DP in the local model.
    :References: Lemma *What a report tells* on the page *What averages cannot learn* (lem-report).

    Examples
    --------
    >>> parity_information(epsilon=[0.5, 1, 2]).round(4)
    array([0.06  , 0.2136, 0.7986])
    """
    epsilon = _checks.parameters("epsilon", epsilon)
    with np.errstate(over="ignore"):
        return np.where(epsilon <= np.log(3), np.tanh(epsilon / 2) ** 2, np.expm1(epsilon) / 8)[()]


def parity_sample_size_lower_bound(
        *, dimension: Integers, epsilon: Reals, beta: Reals, advantage: Reals = 1.0) -> Ints:
    """The number of people below which no protocol without a curator finds the parity, if all speak
    at once.

    Parameters
    ----------
    dimension : int ≥ 1 or array_like, the number d of questions
    epsilon : float > 0 or array_like
    beta : float in (0, 1) or array_like, the probability of another answer than the hidden parity
    advantage : float in (0, 1] or array_like
        γ, how much better than a coin an answer has to be: any rule that is right for a share (1 +
        γ)/2 of all records or more is good enough. With 1 only the hidden parity is.

    Returns
    -------
    int64
        The broadcast shape, the larger of the bounds by Fano's and by Pinsker's inequality;
        ValueError above 2**62

    Notes
    -----
    :Privacy: With fewer people every protocol in which each sends one ε-DP report, independently of
        the others, errs with probability above β on average over the hidden parities, if the
        answers of the records are fair coins.
    :References: Theorem *Nobody without a curator* on the page *What averages cannot learn*
        (thm-parity-local).

    Examples
    --------
    >>> parity_sample_size_lower_bound(dimension=[2, 12], epsilon=1, beta=0.25)
    array([    10, 106359])
    >>> int(parity_sample_size_lower_bound(dimension=12, epsilon=1, beta=0.25, advantage=0.5))
    86417
    """
    dimension = _checks.integers("dimension", dimension, at_least=1, at_most=1000)
    right = 1 - _checks.parameters("beta", beta)
    # of e^close parities, a rule is so close
    close = -2 * np.log(_checks.reals("advantage", advantage, above=0, at_most=1))
    bits = dimension * np.log(2)
    fano, pinsker = (
        right * (bits - close) - np.log(2),
        2 * np.maximum(right - np.exp(close - bits), 0) ** 2,
    )
    people = np.exp(bits) * np.maximum(fano, pinsker) / parity_information(epsilon=epsilon)
    if np.any(people > _checks.LARGEST):
        raise ValueError(
            "no answer up to 2**62: dimension is too large or epsilon too small, got d = "
            f"{dimension.max()}"
        )
    return np.ceil(people).astype(np.int64)[()]


# ------------------------------------------------------------------------------------ exact chances


def _largest_is_right(people, truth, others):
    """The chance that the one vote with a lead is the largest of all, if Poisson(people) persons
    take part in each."""
    if people > MANY_ON_A_PARITY:
        return float(NORMAL_WEIGHTS @ np.exp(others * log_ndtr(NORMAL + truth * np.sqrt(people))))
    reach = int(people + 24 * np.sqrt(people)) + 130
    fair, led = _yes_minus_no(people, 0, reach), _yes_minus_no(people, truth, reach)
    above = np.append(np.cumsum(fair[::-1])[::-1][1:], 0)
    most = np.log1p(-np.minimum(above, 1 - 1e-16))  # ln F, F(k) the chance of at most k
    # ties are drawn: with N others and f(k) = F(k) - F(k - 1), E[1/(1 + ties)] = (F(k)^(N+1) - F(k
    # - 1)^(N+1))/((N+1) f(k))
    share = np.minimum(fair * np.exp(-most), 1 - 1e-16)
    with np.errstate(invalid="ignore"):
        win = -np.expm1((others + 1) * np.log1p(-share)) / ((others + 1) * share)
    return float(led @ (np.exp(others * most) * np.where(share > 0, win, 1)))


def _yes_minus_no(people, truth, reach):
    """Pr[yes - no = k], k from -reach to reach, for independent Poisson numbers of means people (1
    ± truth)/2."""
    (first, yes), (least, no) = (_poisson(people * (1 + sign * truth) / 2) for sign in (1, -1))
    start = first - (least + no.size - 1) + reach
    chances = np.zeros(2 * reach + 1)
    chances[start:start + yes.size + no.size - 1] = np.convolve(yes, no[::-1])
    return chances


def _poisson(mean):
    """The first number that matters, and the probabilities of the next."""
    width = 12 * np.sqrt(mean) + 60
    first = max(0, int(mean - width))
    k = np.arange(first, int(mean + width) + 1)
    return first, np.exp(xlogy(k, mean) - mean - gammaln(k + 1))
