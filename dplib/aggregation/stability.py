"""Test, in private, whether the data are harmless, and answer only if they seem to be.

Symbols
-------
D
    The distance of a data set: how many records must change before its answer changes.
T_{ε,δ}(v)
    min(e^ε v + δ, 1 - e^-ε (1 - v - δ), 1), the largest probability of an event that has
    probability v on a neighbour.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dplib import _checks, _grid, _samplers
from dplib._numerics import log1mexp
from dplib._types import Any, ArrayLike, Bools, Floats, Generator, Integers, Real, Reals
from dplib.sample_size import least_size

SHOWN = 0.95  # the advice of a refusal is about so many of all runs
LOG_ROUNDING = 2.0**-40  # of the logarithm of a probability; by so much less is shown


@dataclass(frozen=True)
class Refusal:
    """The output ⊥: no answer. It depends on public numbers only.

    Attributes
    ----------
    advice : str
        What would help."""

    advice: str


def passes_test(
        statistic: ArrayLike, *, sensitivity: Real, threshold: Reals, epsilon: Real, delta: Real,
        rng: Generator) -> Bools:
    """Test in private whether a number is above a threshold, nearly never saying so wrongly.

    Parameters
    ----------
    statistic : array_like of real numbers, the exact value t of each test
    sensitivity : float > 0, the most that ``statistic`` changes between neighbours
    threshold : float or array_like, public, θ
    epsilon, delta : float > 0, δ < 1
    rng : numpy.random.Generator

    Returns
    -------
    bool, the broadcast shape, whether t + Lap(b) > θ + b ln(1/(2δ)), b = sensitivity/ε

    Notes
    -----
    :Privacy: Each entry is a test of its own, ε-DP under the relation of ``sensitivity``; several
        tests of one data set add up. With probability at least 1 - δ it fails where t ≤ θ. So what
        is (ε₂, δ)-DP *on pairs of neighbours one of which has t > θ*, and is released only if the
        test passes, is (ε + ε₂, δ)-DP on all pairs: one and the same δ. Given fair bits.
    :Error: It passes with probability at least 1 - β where t ≥ θ + b (ln(1/(2δ)) + ln(1/(2β))), β ≤
        1/2.
    :References: Theorem *Test once* on the page *Test, then release* (thm-test-once); Dwork and
        Lei, *Differential privacy and robust statistics* (2009).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> passes_test([0, 10, 20], sensitivity=1, threshold=0, epsilon=1, delta=1e-6, rng=rng)
    array([False, False,  True])
    """
    noise = _grid.laplace_noise(
        sensitivity=_checks.parameter("sensitivity", sensitivity),
        epsilon=_checks.parameter("epsilon", epsilon),
    )
    # the statistic is moved by half of g
    margin = noise.grid + _grid.tail_bound(noise, _checks.parameter("delta", delta))
    threshold = _checks.reals("threshold", threshold)
    statistic = _checks.reals("statistic", statistic)
    each = np.broadcast_to(statistic, np.broadcast_shapes(statistic.shape, threshold.shape))
    with np.errstate(over="ignore"):
        return noise.added_to(each, _checks.generator(rng)) > threshold + margin


def stable_release_probability(distance: Integers, *, epsilon: Real, delta: Real) -> Floats:
    """How often `release_if_stable` shows its answer: a description of the mechanism, not a private
    release.

    Parameters
    ----------
    distance : int ≥ 0 or array_like
        How many records must change before the answer changes, D.
    epsilon, delta : float > 0, δ < 1

    Returns
    -------
    float64, the shape of ``distance``, T_{ε,δ} applied D times to 0

    Notes
    -----
    :Privacy: No (ε, δ)-DP mechanism that shows the exact answer or refuses shows it more often
        where D records must change before the answer changes, if some data set so near has another
        answer.
    :References: Proposition *The fastest fall* on the page *Test, then release*
        (prop-fastest-fall).

    Examples
    --------
    >>> stable_release_probability([1, 2, 15, 16, 28], epsilon=1, delta=1e-6).round(6)
    array([1.00000e-06, 4.00000e-06, 8.89595e-01, 9.59385e-01, 1.00000e+00])
    """
    distance = _checks.integers("distance", distance, at_least=0)
    return 1 - _refusal_and_release(distance, *_budget(epsilon, delta))[0]


def release_if_stable(
        value: Any, distance: Integers, *, epsilon: Real, delta: Real, rng: Generator) -> Any:
    """Show an exact answer if many records must change before it changes; otherwise refuse.

    Parameters
    ----------
    value : the exact answer, anything; if ``distance`` is an array, an array_like of its shape
    distance : int ≥ 0 or array_like
        How many records must change before the answer changes, D, or any lower bound of it that
        changes by at most 1 between neighbours. An upper bound is no good.
    epsilon, delta : float > 0, δ < 1
    rng : numpy.random.Generator

    Returns
    -------
    ``value`` itself or a `Refusal`
        if ``distance`` is an array, an array of objects, each one of the two

    Notes
    -----
    :Privacy: (ε, δ)-DP under the relation in which ``distance`` counts, given fair bits. Rounding
        adds at most 2**-36 to ε and multiplies δ by at most 1 + 2**-36, for ε from 1e-3 to 30 and δ
        ≥ 1e-100. Entries of an array are releases of their own.
    :Error: Shown with probability `stable_release_probability`, the largest possible; always once D
        ≥ (2/ε) ln(1 + (e^ε - 1)/(2δ)) + 2.
    :References: Proposition *The fastest fall* on the page *Test, then release*
        (prop-fastest-fall); Thakurta and Smith, *Differentially private feature selection via
        stability arguments* (2013).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> release_if_stable("Smith", 30, epsilon=1, delta=1e-6, rng=rng)
    'Smith'
    >>> print(release_if_stable("Smith", 3, epsilon=1, delta=1e-6, rng=rng).advice)
    At ε = 1 and δ = 1e-06 an answer is shown in 95 of 100 runs if 16 records must change before it
    does. More records, a coarser answer or a larger ε would help.
    """
    epsilon, delta = _budget(epsilon, delta)
    distance = _checks.integers("distance", distance, at_least=0)
    if distance.ndim:
        _same_shape(value, distance.shape)
    refused, shown = _refusal_and_release(distance, epsilon, delta)
    # of two, toss the small one
    rare = _samplers.bernoulli(np.minimum(refused, shown), distance.shape, _checks.generator(rng))
    shown = rare ^ (refused < shown)
    refusal = Refusal(_advice(epsilon, delta))
    if distance.ndim == 0:
        return value if shown else refusal
    out = np.full(distance.shape, refusal, dtype=object)
    # one by one: what an answer looks like is a secret where it is not shown
    for place in zip(*np.nonzero(shown), strict=True):
        out[place] = _at(value, place)
    return out


def _same_shape(value, shape):
    """Whether the outer sequences of the value have the shape of the distances; of the answers
    themselves nothing is asked. A table or a series is none: it finds by labels, not by places."""
    if shape and (
        _checks.masked(value)
        or not isinstance(value, (list, tuple, np.ndarray))
        or len(value) != shape[0]
    ):
        raise ValueError(
            f"value must be a list or an array with an answer for each distance, shape {shape}"
        )
    for part in value if len(shape) > 1 else ():
        _same_shape(part, shape[1:])


def _at(value, place):
    for index in place:
        value = value[index]
    return value


def _budget(epsilon, delta):
    return _checks.parameter("epsilon", epsilon), _checks.parameter("delta", delta)


def _refusal_and_release(distance, epsilon, delta):
    """1 - T^D(0) and T^D(0), both to the last digits however small they are."""
    # The first branch of the minimum is used up to v = (1 - δ)/(1 + e^ε). There v = δ (e^(jε) -
    # 1)/(e^ε - 1). From then on 1 - v takes the place of v, and it is taken backwards.
    last = (
        np.logaddexp(0, np.log1p(-delta) - np.log(delta) + np.log(np.tanh(epsilon / 2))) / epsilon
    )
    rises = np.minimum(distance, np.floor(last) + 1)
    with np.errstate(divide="ignore"):  # D = 0: the logarithm of 0
        log_shown = (
            np.log(delta) + (rises - 1) * epsilon + log1mexp(rises * epsilon) - log1mexp(epsilon)
        )
    shown = np.minimum(np.exp(log_shown), 1) * (1 - LOG_ROUNDING)
    falls = (distance - rises) * epsilon
    spent = np.exp(np.log(delta) - epsilon - log1mexp(epsilon)) * -np.expm1(-falls)
    refused = np.where(falls > 0, np.maximum(np.exp(-falls) * (1 - shown) - spent, 0), 1 - shown)
    return refused, np.where(falls > 0, 1 - refused, shown)


def _advice(epsilon, delta):
    enough = lambda distance: _refusal_and_release(distance, epsilon, delta)[0] <= 1 - SHOWN
    return (
        f"At ε = {epsilon:g} and δ = {delta:g} an answer is shown in {100 * SHOWN:.0f} of 100 runs "
        f"if {least_size(enough)} records must change before it does. More records, a coarser "
        "answer or a larger ε would help."
    )
