"""Randomised reports, made up by somebody who sees only averages.

Symbols
-------
channel : R
    How one person reports: a function that maps records, one per row, to the probabilities of the k
    possible reports, one row each. ε-DP: no probability is more than e^ε times as large for another
    record.
reference : x₀, q
    A fixed record that is nobody's, and the distribution of its report.
likelihood : ℓ
    How likely all that one person has said is for a record, divided by the same for x₀. In [e^-ε,
    e^ε] if it is ε-DP.
"""

from __future__ import annotations

import numpy as np

from dplib import _checks
from dplib._types import Any, ArrayLike, Callable, Generator, Integer, NDArray, Real
from dplib.queries.oracles import SQOracle


def simulate_local_protocol(
        oracle: SQOracle | Callable[..., Any], protocol: Callable[..., Callable[..., Any]], *,
        users: Integer, reference: ArrayLike, epsilon: Real, tries: Integer,
        speakers: ArrayLike | None = None, rng: Generator) -> NDArray[np.int64]:
    """Run a protocol of randomised reports without the people: only averages are asked for.

    Parameters
    ----------
    oracle : SQOracle, or any function of a query, about the distribution of the people
    protocol : callable
        Maps the reports so far, a tuple of integers, to the channel of the next person
    users : int ≥ 1, how many people there are, n
    reference : array_like, one record, x₀
    epsilon : float in (0, 700], for which all channels of one person together are ε-DP
    tries : int ≥ 1, L, how many drafts a report may take; after that it is 0
    speakers : sequence of integers in 0, …, n - 1, or None
        Who sends each report, in order; with None everybody sends one.
    rng : numpy.random.Generator

    Returns
    -------
    int64, shape (users,) or (len(speakers),), the reports

    Notes
    -----
    :Privacy: That of the oracle.
    :Error: With an oracle that is never more than τ off, and τ and L from `local_simulation_plan`,
        the distribution of all reports is within β, in total variation, of that of n independent
        people. `simulated_report_probabilities` is exact.
    :Cost: One query for each draft; on average at most e^ε/(1 - τ sinh ε) for each person who sends
        one report, and about e^ε for each report otherwise.
    :References: Theorem *A report from averages* on the page *Averages and whispers are the same*
        (thm-local-to-sq); Theorem *Conversations from averages* on the page *Averages and whispers
        are the same* (thm-conversation); Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith,
        *What can we learn privately?* (2011).

    Examples
    --------
    >>> from dplib.queries import exact_oracle
    >>> truthful = np.array([[0.75, 0.25], [0.25, 0.75]])                    # ε = ln 3
    >>> oracle = exact_oracle([0, 1], [0.1, 0.9])
    >>> reports = simulate_local_protocol(
    ...     oracle, lambda earlier: lambda x: truthful[x.astype(int)], users=1000, reference=0,
    ...     epsilon=np.log(3), tries=30, rng=np.random.default_rng(1))
    >>> round(float(reports.mean()), 2), round(oracle.calls / 1000, 1)       # 0.7 and 3 on average
    (0.69, 3.0)
    """
    users = _checks.integer("users", users, at_least=1)
    tries = _checks.integer("tries", tries, at_least=1)
    epsilon = _checks.parameter("epsilon", epsilon, at_most=_checks.LARGEST_EXPONENT)
    reference = _checks.reals("reference", reference)[None]
    _checks.generator(rng)
    turns = _checks.integers(
        "speakers",
        np.arange(users) if speakers is None else speakers,
        at_least=0,
        at_most=users - 1,
    )
    reports, likelihoods = [], {}
    for person in np.ravel(turns).tolist():
        channel, before = protocol(tuple(reports)), likelihoods.get(person, _nothing_said)
        report, likelihoods[person] = _report(
            oracle, channel, before, reference, epsilon, tries, rng
        )
        reports.append(report)
    return np.array(reports, dtype=np.int64)


def _report(oracle, channel, before, reference, epsilon, tries, rng):
    """Draft a report of the reference record until one is kept; and the likelihood of all that its
    sender has said."""
    q = _probabilities("channel(reference)", channel(reference))[0]
    after = lambda z: lambda x: before(x) * (channel(x)[:, z] / q[z] if q[z] > 0 else 1.0)
    for _ in range(tries):
        z = int(rng.choice(q.size, p=q / q.sum()))
        if rng.random() < _kept(oracle(lambda x, z=z: _ratio_query(after(z)(x), epsilon)), epsilon):
            return z, after(z)
    return 0, after(0)


def _nothing_said(x):
    """Every record is as likely as the reference."""
    return 1.0


def _ratio_query(ratio, epsilon):
    """The likelihood of a record, moved from [e^-ε, e^ε] to [-1, 1]: (ratio - cosh ε)/sinh ε."""
    return 1 - 2 * (1 - ratio * np.exp(-epsilon)) / -np.expm1(-2 * epsilon)


def _kept(answer, epsilon):
    """How likely a draft is kept: the mean likelihood that an answer stands for, over e^ε, and
    never outside its limits."""
    return np.clip(1 + np.expm1(-2 * epsilon) * (1 - answer) / 2, np.exp(-2 * epsilon), 1)


def simulated_report_probabilities(
        q: ArrayLike, answers: ArrayLike, *, epsilon: Real, tries: Integer) -> NDArray[np.float64]:
    """The exact distribution of a report that `simulate_local_protocol` makes up: a description of
    it, and no release.

    Parameters
    ----------
    q : array_like, shape (..., k), the probabilities of the reports of the reference record
    answers : array_like, shape (..., k)
        What the oracle answers when a report is drafted, for each of them
    epsilon, tries
        As in `simulate_local_protocol`.

    Returns
    -------
    float64, shape (..., k)
        The probability of each report, including those that are 0 because L drafts were thrown away

    Notes
    -----
    :References: Lemma *Keep or throw away* on the page *Averages and whispers are the same*
        (lem-rejection).

    Examples
    --------
    >>> simulated_report_probabilities([0.5, 0.5], [0, 0], epsilon=1, tries=1).round(3)
    array([0.716, 0.284])
    """
    q, answers = _probabilities("q", q), _checks.reals("answers", answers)
    epsilon = _checks.parameter("epsilon", epsilon, at_most=_checks.LARGEST_EXPONENT)
    tries = _checks.integer("tries", tries, at_least=1)
    kept = q * _kept(answers, epsilon)
    rate = kept.sum(axis=-1, keepdims=True)
    never = np.exp(tries * np.log1p(-np.minimum(rate, 1 - 2.0**-53)))
    law = kept / rate * (1 - never)
    law[..., 0] += never[..., 0]
    return law


def local_simulation_plan(
        *, users: Integer, epsilon: Real, beta: Real,
        messages: Integer | None = None) -> tuple[float, int]:
    """Which tolerance and how many tries make all simulated reports as good as real ones, up to β.

    Parameters
    ----------
    users, epsilon
        As in `simulate_local_protocol`.
    beta : float in (0, 1)
        The total variation distance, of all reports together: the probability of telling that they
        are made up.
    messages : int ≥ 1 or None
        How many reports all people send together, N, if somebody may send more than one; ``users``
        then does not matter.

    Returns
    -------
    tolerance : float in (0, 1], how far an answer may be from the truth, τ
    tries : int, L

    Notes
    -----
    :Error: With t = τ sinh ε, each report is within ½(1 + tanh²(ε/2)) t/(1 - t) of a real one, if
        one is kept, and none is kept with probability (1 - (1 - t)e^-ε)^L. Each of the two is at
        most β/(2n). With ``messages``, t on average over the conversation and (1 - e^-2ε)^L, each
        at most β/(2N).
    :References: Corollary *All reports together* on the page *Averages and whispers are the same*
        (cor-transcript); Theorem *Conversations from averages* on the page *Averages and whispers
        are the same* (thm-conversation).

    Examples
    --------
    >>> tolerance, tries = local_simulation_plan(users=30, epsilon=1, beta=0.1)
    >>> round(tolerance, 5), tries
    (0.00233, 14)
    >>> tolerance, tries = local_simulation_plan(users=30, messages=90, epsilon=1, beta=0.1)
    >>> round(tolerance, 5), tries
    (0.00047, 52)
    """
    users = _checks.integer("users", users, at_least=1)
    epsilon = _checks.parameter(
        "epsilon", epsilon, at_most=_checks.LARGEST_EXPONENT / (1 if messages is None else 2)
    )
    beta = _checks.parameter("beta", beta)
    if messages is None:
        odds = beta / (users * (1 + np.tanh(epsilon / 2) ** 2))  # t/(1 - t)
        t, reports = odds / (1 + odds), users
        keep = (1 - t) * np.exp(-epsilon)
    else:
        reports = _checks.integer("messages", messages, at_least=1)
        t, keep = beta / (2 * reports), np.exp(-2 * epsilon)
    return min(1.0, float(t / np.sinh(epsilon))), int(
        np.ceil(np.log(2 * reports / beta) / -np.log1p(-keep))
    )


def _probabilities(name, value):
    value = _checks.reals(name, value, at_least=0)
    if value.ndim == 0 or np.any(abs(value.sum(axis=-1) - 1) > 1e-9):
        raise ValueError(
            f"{name} must have the sum 1 over its last axis, got "
            f"{value.sum(axis=-1) if value.ndim else value}"
        )
    return value
