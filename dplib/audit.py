"""Trying to break a guarantee: exactly where the output distributions are known, by experiment
where they are not.

An audit takes one pair of neighbours x, x'. It can refute a guarantee, never prove it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from scipy.special import betaincinv, chdtr, chdtrc, ndtri

from dplib import _checks
from dplib._types import Any, ArrayLike, Callable, Floats, Integer, Integers, NDArray, Real, Reals

RELATIONS = {">=": np.greater_equal, "==": np.equal}
CANDIDATES = 1000  # events of each kind that an audit looks at

# ------------------------------------------------------------------------------------------ exactly


def hockey_stick(p: ArrayLike, q: ArrayLike, epsilon: Reals) -> Floats:
    """The smallest δ for which two distributions are (ε, δ)-indistinguishable.

    Parameters
    ----------
    p, q : array_like, shape (..., k)
        Probabilities of the same outcomes, with the sum 1 up to 1e-6; the rest is ignored
    epsilon : float ≥ 0 or array_like, broadcast against the leading axes

    Returns
    -------
    float64, the broadcast shape, the larger of Σ (p - e^ε q)₊ and Σ (q - e^ε p)₊

    Notes
    -----
    :References: Theorem *The exact δ* on the page *A bound on every accuser* (thm-hockey-stick).

    Examples
    --------
    >>> truth = [[0.75, 0.25], [0.25, 0.75]]
    >>> hockey_stick(*truth, epsilon=[np.log(3), 1.0]).round(4)
    array([0.    , 0.0704])
    """
    p, q = _distributions(p, q)
    factor = np.exp(
        _checks.parameters("epsilon", epsilon, or_zero=True, at_most=_checks.LARGEST_EXPONENT)
    )[..., np.newaxis]
    one_way = np.maximum(p - factor * q, 0).sum(axis=-1)
    return np.maximum(one_way, np.maximum(q - factor * p, 0).sum(axis=-1))


def max_log_ratio(p: ArrayLike, q: ArrayLike) -> Floats:
    """The smallest ε for which two distributions are (ε, 0)-indistinguishable.

    Parameters
    ----------
    p, q
        As in `hockey_stick`.

    Returns
    -------
    float64, shape (...), max |ln(p/q)|, infinite if only one distribution can produce some outcome

    Notes
    -----
    :References: Definition *Differential privacy* on the page *A bound on every accuser*
        (def-privacy).

    Examples
    --------
    >>> round(float(max_log_ratio([0.75, 0.25], [0.25, 0.75])), 6)
    1.098612
    """
    p, q = _distributions(p, q)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.abs(np.log(p) - np.log(q))
    return np.where((p == 0) & (q == 0), 0, ratio).max(axis=-1)


def _distributions(p, q):
    """Two probability vectors over the same outcomes."""
    p, q = _checks.distributions("p", p), _checks.distributions("q", q)
    if p.shape[-1] != q.shape[-1]:
        raise ValueError(
            f"p and q must have the same outcomes, got {p.shape[-1]} and {q.shape[-1]}"
        )
    return p, q


# ------------------------------------------------------------------------------------ by experiment


def epsilon_lower_bound(
        hits: Integers, hits_neighbor: Integers, *, trials: Integer, delta: Real,
        beta: Real) -> Floats:
    """How large ε must be at least, judging by how often an event happened on two neighbours.

    Parameters
    ----------
    hits, hits_neighbor : int or array_like
        How often an event, fixed beforehand and thought likelier on x, happened on x and on x'.
    trials : int ≥ 1, the number n of independent runs on each of the two
    delta : float in [0, 1), the δ that the mechanism claims
    beta : float in (0, 1), the probability of a wrong statement

    Returns
    -------
    float64, the broadcast shape, at least 0; the true ε is larger with probability at least 1 - β

    Notes
    -----
    :Error: Clopper–Pearson limits, each wrong with probability at most β/2. Without a hit on x' it
        is at most ln(n/ln(2/β)).
    :References: Clopper and Pearson, *The use of confidence or fiducial limits illustrated in the
        case of the binomial* (1934); Jagielski, Ullman and Oprea, *Auditing differentially private
        machine learning* (2020).

    Examples
    --------
    >>> round(float(epsilon_lower_bound(7500, 2500, trials=10_000, delta=0, beta=0.01)), 3)
    1.039
    """
    trials = _checks.integer("trials", trials, at_least=1)
    hits = _checks.integers("hits", hits, at_least=0, at_most=trials).astype(np.int64)
    hits_neighbor = _checks.integers(
        "hits_neighbor", hits_neighbor, at_least=0, at_most=trials
    ).astype(np.int64)
    delta = _checks.parameter("delta", delta, or_zero=True)
    half = _checks.parameter("beta", beta) / 2
    likely = _at_least(hits, trials, half)  # Pr[M(x) in S] is larger than this
    # and so is Pr[M(x') not in S] than that
    missed = _at_least(trials - hits_neighbor, trials, half)
    with np.errstate(divide="ignore"):
        event = np.log(np.maximum(likely - delta, 0)) - np.log(1 - missed)
        complement = np.log(np.maximum(missed - delta, 0)) - np.log(1 - likely)
    return np.maximum(0, np.maximum(event, complement))


def gaussian_lower_bound(
        hits: Integers, hits_neighbor: Integers, *, trials: Integer, beta: Real) -> Floats:
    """How large μ must be at least, if all that is promised is that of Gaussian noise on an answer
    which a record moves by μ standard deviations.

    Parameters
    ----------
    hits, hits_neighbor : int or array_like
        How often an event, fixed beforehand and thought likelier on x, happened on x and on x'.
    trials : int ≥ 1, the number n of independent runs on each of the two
    beta : float in (0, 1), the probability of a wrong statement

    Returns
    -------
    float64, the broadcast shape, at least 0; the true μ is not below it, with probability at least
    1 - β

    Notes
    -----
    :Error: Clopper–Pearson limits, each wrong with probability at most β/2. From n runs it is at
        most 2Φ⁻¹((β/2)^(1/n)).
    :References: Proposition *A planted record* on the page *Learning in noisy steps* (prop-canary);
        Nasr, Hayes, Steinke, Balle, Tramèr, Jagielski, Carlini and Terzis, *Tight auditing of
        differentially private machine learning* (2023).

    Examples
    --------
    >>> round(float(gaussian_lower_bound(700, 300, trials=1000, beta=0.05)), 3)
    0.883
    """
    trials = _checks.integer("trials", trials, at_least=1)
    hits = _checks.integers("hits", hits, at_least=0, at_most=trials).astype(np.int64)
    hits_neighbor = _checks.integers(
        "hits_neighbor", hits_neighbor, at_least=0, at_most=trials
    ).astype(np.int64)
    half = _checks.parameter("beta", beta) / 2
    caught = _at_least(hits, trials, half)
    cleared = _at_least(trials - hits_neighbor, trials, half)
    return np.maximum(0, ndtri(caught) + ndtri(cleared))


def _at_least(successes, trials, beta):
    """Clopper and Pearson's lower limit for a probability: wrong with probability at most beta."""
    return np.where(
        successes == 0, 0, betaincinv(np.maximum(successes, 1), trials - successes + 1, beta)
    )


@dataclass(frozen=True)
class AuditResult:
    """What an experiment on one pair of neighbours says about ε.

    Attributes
    ----------
    epsilon_lower : float, exceeded by the true ε with probability at least 1 - β
    event : str, the event it rests on, for example ``"output >= 1.25"``
    hits, hits_neighbor, trials : int
        How often it happened on x and on x' in the second halves of the runs, and the number of
        runs in each."""

    epsilon_lower: float
    event: str
    hits: int
    hits_neighbor: int
    trials: int


def audit_mechanism(
        mechanism: Callable[[NDArray[Any]], ArrayLike], x: ArrayLike, x_neighbor: ArrayLike, *,
        trials: Integer, delta: Real, beta: Real) -> AuditResult:
    """Run a mechanism on two neighbours and bound its ε from below.

    Parameters
    ----------
    mechanism : callable
        Maps an array of shape (trials, ...) that repeats one data set to one real output per run;
        NaN counts as the largest.
    x, x_neighbor : array_like, the two data sets to tell apart
    trials : int ≥ 2, independent runs on each of them
    delta, beta
        As in `epsilon_lower_bound`.

    Returns
    -------
    AuditResult

    Notes
    -----
    :Error: If ``mechanism`` is (ε, δ)-DP, then ``epsilon_lower`` exceeds ε with probability at most
        β: one half of the runs chooses an event (a half-line or a repeated value), the other half
        judges it.
    :References: Ding, Wang, Wang, Zhang and Kifer, *Detecting violations of differential privacy*
        (2018).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> audit = audit_mechanism(lambda f: f + rng.laplace(scale=0.5, size=f.shape), 10, 11,
    ...                         trials=100_000, delta=0, beta=1e-6)
    >>> audit.epsilon_lower > 1.8
    True
    """
    trials = _checks.integer("trials", trials, at_least=2)
    claim = {"delta": _checks.parameter("delta", delta, or_zero=True),
             "beta": _checks.parameter("beta", beta)}
    first, second = slice(None, trials // 2), slice(trials // 2, None)
    outputs, outputs_neighbor = (
        _outputs(mechanism, x, trials),
        _outputs(mechanism, x_neighbor, trials),
    )
    relation, value, swapped = _worst_event(outputs[first], outputs_neighbor[first], **claim)
    hits, hits_neighbor = (
        int(RELATIONS[relation](out[second], value).sum()) for out in (outputs, outputs_neighbor)
    )
    rest = trials - trials // 2
    order = (hits_neighbor, hits) if swapped else (hits, hits_neighbor)
    bound = epsilon_lower_bound(*order, trials=rest, **claim)
    return AuditResult(float(bound), f"output {relation} {value:g}", hits, hits_neighbor, rest)


def _outputs(mechanism, x, trials):
    """One number per run; a refusal counts as infinity."""
    x = np.asarray(x)
    outputs = np.asarray(mechanism(np.broadcast_to(x, (trials, *x.shape))))
    if outputs.shape != (trials,) or outputs.dtype.kind not in "biuf":
        raise ValueError(f"mechanism must return one real number per run, shape ({trials},), "
                         f"got shape {outputs.shape} of type {outputs.dtype}")
    outputs = outputs.astype(np.float64)
    return np.where(np.isnan(outputs), np.inf, outputs)


def _worst_event(outputs, outputs_neighbor, *, delta, beta):
    """The half-line or single value that would give the largest bound, and whether the neighbours
    change places."""
    values, codes = np.unique(np.concatenate([outputs, outputs_neighbor]), return_inverse=True)
    trials = len(outputs)
    counts = [np.bincount(part, minlength=len(values)) for part in (codes[:trials], codes[trials:])]
    some = np.unique(np.linspace(0, len(values) - 1, CANDIDATES).astype(int))
    repeated = np.flatnonzero(counts[0] + counts[1] > 1)
    frequent = repeated[np.argsort(-(counts[0] + counts[1])[repeated], kind="stable")[:CANDIDATES]]
    best = []
    for relation, places in ((">=", some), ("==", frequent)):
        hits = [(np.cumsum(c[::-1])[::-1] if relation == ">=" else c)[places] for c in counts]
        for swapped in (False, True):
            bounds = epsilon_lower_bound(
                *(hits[::-1] if swapped else hits), trials=trials, delta=delta, beta=beta
            )
            best += [
                (bound, relation, values[place], swapped) for bound, place in zip(bounds, places)
            ]
    return max(best, key=lambda candidate: candidate[0])[1:]


# ---------------------------------------------------------------------------- distribution of noise


@dataclass(frozen=True)
class NoiseDistributionTest:
    """How surprising a sample is under a stated distribution.

    Attributes
    ----------
    pvalue : float, with Pr[pvalue ≤ α] ≤ α for every α under the stated distribution
    distance_pvalue, scale_pvalue : float
        Of the Kolmogorov–Smirnov distance alone, of the scale alone
    """

    pvalue: float
    distance_pvalue: float
    scale_pvalue: float


def noise_distribution_test(
        sample: ArrayLike,
        cdf: Callable[[NDArray[np.float64]], ArrayLike]) -> NoiseDistributionTest:
    """Does a sample follow a stated continuous distribution, judging by its Kolmogorov–Smirnov
    distance and by its scale?

    Parameters
    ----------
    sample : array_like of real numbers, shape (n,), independent draws
    cdf : callable
        The stated continuous distribution function, vectorised. For integers add uniform numbers on
        (0, 1), interpolate.

    Returns
    -------
    NoiseDistributionTest

    Notes
    -----
    :Error: The scale test compares Σ Φ⁻¹(cdf(xᵢ))² with the χ² distribution of n degrees of
        freedom. At level 1e-6 and n = 1e5 a Gaussian σ wrong by 2% is found with probability above
        0.999.

    Examples
    --------
    >>> from scipy.special import ndtr
    >>> rng = np.random.default_rng(1)
    >>> noise = rng.normal(size=100_000)
    >>> noise_distribution_test(noise, ndtr).pvalue > 0.001, noise_distribution_test(0.98 * noise,
    ...      ndtr).pvalue < 1e-6
    (True, True)
    """
    sample = _checks.reals("sample", sample)
    if sample.ndim != 1 or sample.size == 0:
        raise ValueError(f"sample must have shape (n,) with n at least 1, got shape {sample.shape}")
    uniform = _checks.reals("cdf(sample)", cdf(np.sort(sample)), at_least=0, at_most=1)
    distance_pvalue = float(scipy.stats.kstest(uniform, "uniform").pvalue)
    total, n = np.sum(ndtri(uniform) ** 2), sample.size
    scale_pvalue = min(1.0, 2 * float(min(chdtr(n, total), chdtrc(n, total))))
    return NoiseDistributionTest(
        min(1.0, 2 * min(distance_pvalue, scale_pvalue)), distance_pvalue, scale_pvalue
    )
