"""Trying to break a guarantee: exactly where the output distributions are known, by experiment where they are not.

An audit takes one pair of neighbours x, x'. It can refute a guarantee, never prove it.

Symbols
-------
P, P'
    The distributions of M(x) and M(x'); ``p`` and ``q`` their probabilities on a common finite support.
"""

from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.special import betaincinv, chdtr, chdtrc, ndtri

from dplib import _checks

RELATIONS = {">=": np.greater_equal, "==": np.equal}
CANDIDATES = 1000  # events of each kind that an audit looks at

# ------------------------------------------------------------------------------------------------------------- exactly


def hockey_stick(p, q, epsilon):
    """The smallest δ for which two distributions are (ε, δ)-indistinguishable.

    Parameters
    ----------
    p, q : array_like, shape (..., k)
        Probabilities of the same k outcomes, each with the sum 1 up to 1e-6.
    epsilon : float ≥ 0 or array_like
        Broadcast against the leading axes.

    Returns
    -------
    float64, the broadcast shape (...)
        The larger of Σ (p - e^ε q)₊ and Σ (q - e^ε p)₊: both orders, since being neighbours is symmetric.

    Notes
    -----
    :Error: Rounding of order 1e-16 times the largest probability; what ``p`` and ``q`` leave out of their sums is ignored.
    :Raises: ValueError if ``p`` or ``q`` is not a probability vector or ``epsilon`` is out of range.
    :References: Theorem *The exact δ* on the page *A bound on every accuser* (thm-hockey-stick).

    Examples
    --------
    Randomised response that tells the truth with probability 3/4 is ln 3-DP, and not less:

    >>> truth = [[0.75, 0.25], [0.25, 0.75]]
    >>> hockey_stick(*truth, epsilon=[np.log(3), 1.0]).round(4)
    array([0.    , 0.0704])
    """
    p, q = _distributions(p, q)
    factor = np.exp(_checks.parameters("epsilon", epsilon, or_zero=True, at_most=_checks.LARGEST_EXPONENT))[..., np.newaxis]
    one_way = np.maximum(p - factor * q, 0).sum(axis=-1)
    return np.maximum(one_way, np.maximum(q - factor * p, 0).sum(axis=-1))


def max_log_ratio(p, q):
    """The smallest ε for which two distributions are (ε, 0)-indistinguishable.

    Parameters
    ----------
    p, q
        As in `hockey_stick`.

    Returns
    -------
    float64, shape (...)
        max |ln(p/q)| over the outcomes that at least one distribution can produce; infinite if only one can.

    Notes
    -----
    :Raises: ValueError if ``p`` or ``q`` is not a probability vector.
    :References: Definition *Differential privacy* on the page *A bound on every accuser* (def-privacy).

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
    p, q = (_checks.reals(name, vector, at_least=0) for name, vector in (("p", p), ("q", q)))
    for name, vector in (("p", p), ("q", q)):
        if vector.ndim == 0 or not np.all(np.abs(vector.sum(axis=-1) - 1) <= 1e-6):
            raise ValueError(f"{name} must sum to 1 over the last axis, got the sum {np.sum(vector, axis=-1)}")
    if p.shape[-1] != q.shape[-1]:
        raise ValueError(f"p and q must have the same outcomes, got {p.shape[-1]} and {q.shape[-1]}")
    return p, q


# ------------------------------------------------------------------------------------------------------- by experiment


def epsilon_lower_bound(hits, hits_neighbor, *, trials, delta, beta):
    """How large ε must be at least, judging by how often an event happened on two neighbours.

    Parameters
    ----------
    hits, hits_neighbor : int or array_like
        How often an event, fixed beforehand, happened on x and on x'.
    trials : int ≥ 1
        Independent runs on each of the two.
    delta : float in [0, 1)
        The δ that the mechanism claims; 0 for pure privacy.
    beta : float in (0, 1)
        The probability of a wrong statement.

    Returns
    -------
    float64, the broadcast shape
        A number that the true ε exceeds with probability at least 1 - β, at least 0: from the event in the order Pr[M(x) ∈
        S] against Pr[M(x') ∈ S], and from its complement in the other order.

    Notes
    -----
    :Error: Clopper–Pearson limits, each wrong with probability at most β/2. With n runs and no hit on x', the bound is at
        most ln(n/ln(2/β)): no audit by events sees an ε beyond that.
    :Raises: ValueError if a count does not fit or an argument is out of range.
    :References: Clopper and Pearson, *The use of confidence or fiducial limits illustrated in the case of the binomial*
        (1934); Jagielski, Ullman and Oprea, *Auditing differentially private machine learning* (2020).

    Examples
    --------
    >>> round(float(epsilon_lower_bound(7500, 2500, trials=10_000, delta=0, beta=0.01)), 3)
    1.039
    """
    trials = _checks.integer("trials", trials, at_least=1)
    hits = _checks.integers("hits", hits, at_least=0, at_most=trials).astype(np.int64)
    hits_neighbor = _checks.integers("hits_neighbor", hits_neighbor, at_least=0, at_most=trials).astype(np.int64)
    delta = _checks.parameter("delta", delta, or_zero=True)
    half = _checks.parameter("beta", beta) / 2
    likely = _at_least(hits, trials, half)  # Pr[M(x) in S] is larger than this
    missed = _at_least(trials - hits_neighbor, trials, half)  # and so is Pr[M(x') not in S] than that
    with np.errstate(divide="ignore"):
        event = np.log(np.maximum(likely - delta, 0)) - np.log(1 - missed)
        complement = np.log(np.maximum(missed - delta, 0)) - np.log(1 - likely)
    return np.maximum(0, np.maximum(event, complement))


def _at_least(successes, trials, beta):
    """Clopper and Pearson's lower limit for a probability: wrong with probability at most beta."""
    return np.where(successes == 0, 0, betaincinv(np.maximum(successes, 1), trials - successes + 1, beta))


@dataclass(frozen=True)
class AuditResult:
    """What an experiment on one pair of neighbours says about ε.

    Attributes
    ----------
    epsilon_lower : float
        The true ε is larger, with probability at least 1 - β.
    event : str
        The event it rests on, for example ``"output >= 1.25"``.
    hits, hits_neighbor : int
        How often it happened on x and on x', in the second halves of the runs.
    trials : int
        The number of runs in each second half."""

    epsilon_lower: float
    event: str
    hits: int
    hits_neighbor: int
    trials: int


def audit_mechanism(mechanism, x, x_neighbor, *, trials, delta, beta):
    """Run a mechanism on two neighbours and bound its ε from below.

    The first half of the runs chooses the event that looks worst, the second half judges it, so that the choice does not
    bias the verdict. Events are half-lines and, where outputs repeat, single values.

    Parameters
    ----------
    mechanism : callable
        Maps an array of shape (trials, ...) that repeats one data set to one real output per run, shape (trials,). Its
        randomness is its own. A refusal (NaN) counts as the largest possible output.
    x, x_neighbor : array_like
        The two data sets (or exact answers) to tell apart.
    trials : int ≥ 2
        Independent runs on each of them.
    delta, beta
        As in `epsilon_lower_bound`.

    Returns
    -------
    AuditResult

    Notes
    -----
    :Error: If ``mechanism`` is (ε, δ)-DP, then ``epsilon_lower`` exceeds ε with probability at most β, whatever the pair.
    :Cost: 2·trials runs, and sorting them.
    :Raises: ValueError if the mechanism does not return one number per run or an argument is out of range.
    :References: Ding, Wang, Wang, Zhang and Kifer, *Detecting violations of differential privacy* (2018).

    Examples
    --------
    Half the noise that a count needs for ε = 1:

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
    outputs, outputs_neighbor = _outputs(mechanism, x, trials), _outputs(mechanism, x_neighbor, trials)
    relation, value, swapped = _worst_event(outputs[first], outputs_neighbor[first], **claim)
    hits, hits_neighbor = (int(RELATIONS[relation](out[second], value).sum()) for out in (outputs, outputs_neighbor))
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
    """The half-line or single value that would give the largest bound, and whether the neighbours change places."""
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
            bounds = epsilon_lower_bound(*(hits[::-1] if swapped else hits), trials=trials, delta=delta, beta=beta)
            best += [(bound, relation, values[place], swapped) for bound, place in zip(bounds, places)]
    return max(best, key=lambda candidate: candidate[0])[1:]


# --------------------------------------------------------------------------------------------- distribution of noise


@dataclass(frozen=True)
class NoiseDistributionTest:
    """How surprising a sample is under a stated distribution.

    Attributes
    ----------
    pvalue : float
        Under the stated distribution, Pr[pvalue ≤ α] ≤ α for every α.
    distance_pvalue, scale_pvalue : float
        Of the Kolmogorov–Smirnov distance alone; of the scale alone."""

    pvalue: float
    distance_pvalue: float
    scale_pvalue: float


def noise_distribution_test(sample, cdf):
    """Does a sample follow a stated continuous distribution?

    Two tests share the error probability: the Kolmogorov–Smirnov distance, which sees any difference, and a test of
    scale, which sees a few percent too little noise where the distance does not.

    Parameters
    ----------
    sample : array_like of real numbers, shape (n,)
        Independent draws.
    cdf : callable
        The stated distribution function, vectorised and continuous. (For integer noise add independent uniform numbers on
        (0, 1) to the sample and interpolate the distribution function linearly.)

    Returns
    -------
    NoiseDistributionTest

    Notes
    -----
    :Error: With zᵢ = Φ⁻¹(cdf(xᵢ)), Σ zᵢ² has the χ² distribution with n degrees of freedom under the stated one; both tails
        are used. For Gaussian noise whose σ is wrong by the factor r it is r² times such a variable: at level 1e-6 and n =
        1e5, a σ wrong by 2% is found with probability above 0.999.
    :Cost: O(n log n).
    :Raises: ValueError if the sample is empty or not finite, or ``cdf`` leaves [0, 1].

    Examples
    --------
    >>> from scipy.special import ndtr
    >>> rng = np.random.default_rng(1)
    >>> noise = rng.normal(size=100_000)
    >>> noise_distribution_test(noise, ndtr).pvalue > 0.001, noise_distribution_test(0.98 * noise, ndtr).pvalue < 1e-6
    (True, True)
    """
    sample = _checks.reals("sample", sample)
    if sample.ndim != 1 or sample.size == 0:
        raise ValueError(f"sample must have shape (n,) with n at least 1, got shape {sample.shape}")
    uniform = _checks.reals("cdf(sample)", cdf(np.sort(sample)), at_least=0, at_most=1)
    distance_pvalue = float(stats.kstest(uniform, "uniform").pvalue)
    total, n = np.sum(ndtri(uniform) ** 2), sample.size
    scale_pvalue = min(1.0, 2 * float(min(chdtr(n, total), chdtrc(n, total))))
    return NoiseDistributionTest(min(1.0, 2 * min(distance_pvalue, scale_pvalue)), distance_pvalue, scale_pvalue)
