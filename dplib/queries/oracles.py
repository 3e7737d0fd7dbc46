"""Whom one can ask for averages: a distribution, a liar, a sample, a curator, people who trust
nobody.

Symbols
-------
phi : φ
    A query: maps an array of records, one per row, to one number in [-1, 1] each, and looks at
    every record by itself. What is outside of [-1, 1] is clipped, and NaN counts as 0.
queries : m
    How many queries can be asked in all. It is declared beforehand, for it decides about the noise.

What is enforced, and what cannot be
------------------------------------
An oracle keeps a copy of its records, which is read-only, so that neither a query nor the caller
changes what later queries see. An oracle that promises privacy calls φ with one record at a time,
as an array of one row: a function such as x.max() then sees no other record. It first calls φ with
a row of zeros, which is nobody's record, and shows errors of this call only; where a record raises
an error, or has no single number, its value is 0. With ``vectorized=True`` φ is called once, with
all rows, and the caller promises that it looks at each of them by itself, and has a value for it.

φ is code that is run beside the data. Nobody can check that it does not keep, print or send what it
sees, does not remember one record until the next, and takes the same time for all. Run only queries
whose author you would let read the records.
"""

from __future__ import annotations

import warnings

import numpy as np

from dplib import _checks, _grid
from dplib._sums import Tally
from dplib._types import Any, ArrayLike, Callable, Generator, Integer, Real
from dplib.local import local_randomized_response
from dplib.sparse_vector import above_threshold_scales

MEAN_ROUNDING = 2.0**-51  # of a mean of numbers in [-1, 1], from their sum


class SQOracle:
    """Answers statistical queries, and counts them: ``oracle(phi)`` is a number near E φ.

    Made by `exact_oracle`, `adversarial_oracle`, `sample_oracle`, `central_oracle`, `alarm_oracle`,
    `fresh_oracle` or `local_oracle`.

    Parameters
    ----------
    answer : callable, maps the number of the query (0, 1, …) and the query to a float
    queries : int ≥ 1 or None, the number of queries after which every further one raises ValueError

    Attributes
    ----------
    calls : int, how many queries have been asked

    Examples
    --------
    >>> oracle = SQOracle(lambda number, phi: 0.0, queries=1)
    >>> oracle(np.sign), oracle.calls
    (0.0, 1)
    """

    def __init__(
            self, answer: Callable[[int, Callable[..., Any]], Any], *,
            queries: Integer | None = None) -> None:
        self._answer, self._queries, self.calls = answer, queries, 0

    def __call__(self, phi: Callable[..., Any]) -> float:
        if self._queries is not None and self.calls >= self._queries:
            raise ValueError(f"queries: all {self._queries} that were declared have been asked")
        self.calls += 1
        return float(self._answer(self.calls - 1, phi))

    def __repr__(self) -> str:
        return f"SQOracle(calls={self.calls}, queries={self._queries})"


# ----------------------------------------------------------------------------------- a distribution


def exact_oracle(points: ArrayLike, probabilities: ArrayLike) -> SQOracle:
    """Know a distribution, and answer exactly.

    Parameters
    ----------
    points : array_like, shape (k, ...), the values that a record can have, one per row
    probabilities : array_like, shape (k,), of each; their sum is 1

    Returns
    -------
    SQOracle, each answer is E φ, for any number of queries

    Notes
    -----
    :Privacy: None is needed: a distribution is nobody's record.
    :References: Definition *Statistical queries* on the page *Learning from averages* (def-sq).

    Examples
    --------
    >>> oracle = exact_oracle([-1, 1], [0.25, 0.75])
    >>> oracle(lambda x: x)
    0.5
    """
    points, probabilities = _distribution(points, probabilities)
    return SQOracle(lambda number, phi: probabilities @ _values(phi, points))


def adversarial_oracle(
        points: ArrayLike, probabilities: ArrayLike, *, tolerance: Real,
        aim: Callable[[Callable[..., Any]], Real]) -> SQOracle:
    """Know a distribution, and mislead as far as the tolerance allows.

    Parameters
    ----------
    points, probabilities
        As in `exact_oracle`.
    tolerance : float > 0, how far an answer may be from E φ
    aim : callable, maps a query to the answer that the oracle would like to give

    Returns
    -------
    SQOracle, each answer is the number within ``tolerance`` of E φ that is nearest to ``aim(phi)``

    Notes
    -----
    :References: Definition *Statistical queries* on the page *Learning from averages* (def-sq).

    Examples
    --------
    >>> oracle = adversarial_oracle([-1, 1], [0.25, 0.75], tolerance=0.1, aim=lambda phi: 0)
    >>> round(oracle(lambda x: x), 3)
    0.4
    """
    points, probabilities = _distribution(points, probabilities)
    tolerance = _checks.parameter("tolerance", tolerance)

    def answer(number, phi):
        exact = probabilities @ _values(phi, points)
        return np.clip(_checks.real("aim(phi)", aim(phi)), exact - tolerance, exact + tolerance)

    return SQOracle(answer)


# --------------------------------------------------------------------------------------- a data set


def sample_oracle(x: ArrayLike) -> SQOracle:
    """Answer with averages over a data set, without privacy.

    Parameters
    ----------
    x : array_like of real numbers, shape (n, ...), a data set of n ≥ 1 records, one per row

    Returns
    -------
    SQOracle, each answer is the mean of φ over the records, for any number of queries

    Notes
    -----
    :Privacy: None.
    :Error: For records drawn from a distribution and m queries chosen without seeing them, all
        answers are within τ of E φ with probability 1 - β if n ≥ (2/τ²) ln(2m/β). Queries that
        depend on earlier answers have no such bound.

    Examples
    --------
    >>> sample_oracle([1, 1, 0, -1])(lambda x: x)
    0.25
    """
    x = _records(x)
    return SQOracle(lambda number, phi: np.mean(_values(phi, x)))


def central_oracle(
        x: ArrayLike, *, queries: Integer, epsilon: Real, vectorized: bool = False,
        rng: Generator) -> SQOracle:
    """A curator who answers a fixed number of queries about one data set, with Laplace noise.

    Parameters
    ----------
    x
        As in `sample_oracle`.
    queries : int ≥ 1, how many queries can be asked, m
    epsilon : float > 0, of all answers together
    vectorized : bool
        Whether φ is called once, with all records. The caller then promises that it looks at each
        of them by itself.
    rng : numpy.random.Generator

    Returns
    -------
    SQOracle, each answer is the mean of φ plus Lap(2m/(nε)) noise

    Notes
    -----
    :Privacy: ε-DP under ``replace`` for all answers together, also if queries depend on earlier
        answers. n is public. Given fair bits; a value is rounded to 2**-36 or less. φ sees one
        record at a time, and a record for which it fails counts as 0. What cannot be checked is
        that φ does nothing else: that it keeps, prints and remembers no record, and takes the same
        time for all; and with ``vectorized`` that it does not mix records, and has a value for
        each.
    :Cost: n calls of φ for each query, or one.
    :Error: For queries that were fixed before x was drawn: `central_oracle_size`.
    :References: Theorem *Many averages of one data set* on the page *Learning from averages*
        (thm-sq-batch).

    Examples
    --------
    >>> x = np.repeat([1, -1], [6000, 4000])
    >>> oracle = central_oracle(x, queries=2, epsilon=1, rng=np.random.default_rng(1))
    >>> round(oracle(lambda x: x), 4), round(oracle(lambda x: x > 0), 4)
    (0.1999, 0.6001)
    """
    x, queries, epsilon, _ = _asked(x, queries, epsilon, rng)
    values = _way_of_asking(vectorized)
    Tally.of(len(x), 1.0).noise(epsilon / queries)  # refused now if it is too small
    return SQOracle(
        lambda number, phi: _noisy_mean(values(phi, x), epsilon / queries, rng), queries=queries
    )


def alarm_oracle(
        x: ArrayLike, *, alarms: Integer, threshold: Real, epsilon: Real, vectorized: bool = False,
        rng: Generator) -> SQOracle:
    """A curator who says which averages are above a threshold, for any number of queries, until a
    fixed number of them was.

    Parameters
    ----------
    x
        As in `sample_oracle`.
    alarms : int ≥ 1, how many alarms end it, c; every further query raises ValueError
    threshold : float, public, what the mean of φ has to reach
    epsilon : float > 0, of all answers together
    vectorized
        As in `central_oracle`.
    rng : numpy.random.Generator

    Returns
    -------
    SQOracle, each answer is 1.0, an alarm, or 0.0, silence

    Notes
    -----
    :Privacy: ε-DP under ``replace`` for all answers together, also if queries depend on earlier
        answers and however many there are. n is public. Given fair bits, up to events of
        probability 1e-300; a value is rounded to 2**-36 or less; and of φ what `central_oracle`
        says.
    :Cost: n calls of φ for each query, or one.
    :Error: `above_threshold_margin`, for sensitivity 2/n and k queries that are fixed beforehand,
        or one alarm; for k + c of them if later ones depend on earlier answers.
    :References: Theorem *Above threshold* on the page *A thousand questions, one alarm*
        (thm-above-threshold).

    Examples
    --------
    >>> x, rng = np.repeat([1, 0], [600, 400]), np.random.default_rng(1)
    >>> oracle = alarm_oracle(x, alarms=1, threshold=0.5, epsilon=1, rng=rng)
    >>> [oracle(lambda x: x / 2) for _ in range(10)].count(1.0), oracle(lambda x: x)
    (0, 1.0)
    """
    x, alarms = _records(x), _checks.integer("alarms", alarms, at_least=1)
    threshold, values = _checks.real("threshold", threshold), _way_of_asking(vectorized)
    for_threshold, for_answer = above_threshold_scales(
        alarms=alarms, sensitivity=1, epsilon=epsilon)
    noise = _grid.watch_noise(
        sensitivity=2 / len(x), moves=2, epsilon=1 / for_threshold, per_alarm=2 / for_answer,
        error=MEAN_ROUNDING)
    raised = noise.raised((), _checks.generator(rng))
    left = alarms

    def answer(number, phi):
        nonlocal left
        mean = _mean(values(phi, x)) if left > 0 else None  # φ may ask, too
        if left <= 0:
            raise ValueError(f"alarms: all {alarms} that were declared have been raised")
        alarm = bool(noise.reached(np.asarray(mean), threshold, raised, rng))
        left -= alarm
        return alarm

    return SQOracle(answer)


def _mean(values):
    """The mean of numbers in [-1, 1], the same in whatever order they come."""
    window = Tally.of(len(values), 1.0)
    return window.mean(window.sums(values))


def fresh_oracle(
        x: ArrayLike, *, queries: Integer, epsilon: Real, vectorized: bool = False,
        rng: Generator) -> SQOracle:
    """A curator who answers every query from a batch of records that no other query sees.

    Parameters
    ----------
    x, queries, epsilon, vectorized, rng
        As in `central_oracle`, with at least one record for each query.

    Returns
    -------
    SQOracle
        Answer j is the mean of φ over batch j, plus Lap(2/(bε)) noise, b its number of records
        Batch j has the records at positions ⌊jn/m⌋, …, ⌊(j + 1)n/m⌋ - 1.

    Notes
    -----
    :Privacy: ε-DP under ``replace`` for all answers together. n is public. Given fair bits, and of
        φ what `central_oracle` says.
    :Cost: One call of φ for each record, or one for each query.
    :Error: `fresh_oracle_size`, also if queries depend on earlier answers.
    :References: Theorem *Fresh people for every average* on the page *Learning from averages*
        (thm-sq-fresh).

    Examples
    --------
    >>> x = np.tile([1, 1, -1], 5000)
    >>> oracle = fresh_oracle(x, queries=2, epsilon=1, rng=np.random.default_rng(1))
    >>> round(oracle(lambda x: x), 3), round(oracle(lambda x: -x), 3)
    (0.333, -0.333)
    """
    x, queries, epsilon, batch = _asked(x, queries, epsilon, rng, disjoint=True)
    values = _way_of_asking(vectorized)
    Tally.of(len(x), 1.0).noise(epsilon)
    return SQOracle(
        lambda number, phi: _noisy_mean(values(phi, batch(number)), epsilon, rng), queries=queries
    )


def _noisy_mean(values, epsilon, rng):
    """The mean of numbers in [-1, 1] with Laplace noise."""
    window = Tally.of(len(values), 1.0)
    return window.noisy_mean(np.asarray(window.sums(values)), epsilon, rng)


def local_oracle(
        x: ArrayLike, *, queries: Integer, epsilon: Real, vectorized: bool = False,
        rng: Generator) -> SQOracle:
    """Ask the people themselves: every query goes to a group of its own, and everybody answers at
    random.

    Parameters
    ----------
    x, queries, epsilon, vectorized, rng
        As in `fresh_oracle`; one person per row.

    Returns
    -------
    SQOracle
        Answer j is the mean of the reports of group j, each report by `local_randomized_response`
        of φ Groups are the batches of `fresh_oracle`. An answer may lie outside of [-1, 1]; it is
        unbiased.

    Notes
    -----
    :Privacy: Everybody sends at most one report, which is ε-DP by itself (local model,
        ``replace``); given fair bits, and of φ what `central_oracle` says.
    :Cost: As `fresh_oracle`.
    :Error: `local_oracle_size`, also if queries depend on earlier answers.
    :References: Theorem *Averages from randomised reports* on the page *Averages and whispers are
        the same* (thm-sq-to-local).

    Examples
    --------
    >>> x = np.tile([1, 1, -1], 50_000)
    >>> oracle = local_oracle(x, queries=2, epsilon=1, rng=np.random.default_rng(1))
    >>> abs(oracle(lambda x: x) - 1/3) < 0.05
    True
    """
    x, queries, epsilon, group = _asked(x, queries, epsilon, rng, disjoint=True)
    values = _way_of_asking(vectorized)

    def answer(number, phi):
        return np.mean(
            local_randomized_response(values(phi, group(number)), epsilon=epsilon, rng=rng)
        )

    return SQOracle(answer, queries=queries)


# ------------------------------------------------------------------------------- what they all need


def _way_of_asking(vectorized):
    """How φ meets the records: one after the other, or all at once."""
    return (
        _values if _checks.choice("vectorized", vectorized, (False, True)) else _values_one_by_one
    )


def _values_one_by_one(phi, x):
    """One number in [-1, 1] for each record, of which φ sees no other. No record makes this raise
    or warn, whatever φ does, but for KeyboardInterrupt: it has to stop the program."""
    nobody = np.zeros_like(x[:1])
    nobody.flags.writeable = False
    _values(phi, nobody)  # whether φ is a query at all is asked without the data
    values = np.zeros(len(x))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i, row in enumerate(x[:, np.newaxis]):
            try:
                values[i : i + 1] = phi(row)
            except KeyboardInterrupt:
                raise
            except BaseException:  # SystemExit, too, would tell a record
                values[i] = 0
    np.clip(values, -1, 1, out=values)
    values[np.isnan(values)] = 0
    return values


def _values(phi, x):
    """One number in [-1, 1] for each record. No record makes this raise or warn if φ has a value
    for each."""
    with np.errstate(all="ignore"):
        values = _checks.numbers("phi(x)", phi(x))
        if values.shape != x.shape[:1]:
            raise ValueError(
                f"phi(x) must have one number for each of the {len(x)} rows of x, got shape "
                f"{values.shape}"
            )
        clipped = np.clip(values.astype(np.float64, copy=False), -1, 1)
    clipped[np.isnan(clipped)] = 0
    return clipped


def _records(x, name="x"):
    """A read-only copy of records as rows, of a type that no single one of them decides, and in
    which φ may subtract and multiply: int64 or float64 for numbers, bool for an array of that."""
    _checks.plain(name, x)
    typed = isinstance(x, np.ndarray) and x.dtype.kind in "biuf"
    x = np.array(x, dtype=_wide(x.dtype)) if typed else _checks.numbers(name, x).astype(np.float64)
    if x.ndim == 0 or len(x) == 0:
        raise ValueError(f"{name} must have at least one row, got shape {x.shape}")
    x.flags.writeable = False
    return x[:]  # a view: φ cannot make it writeable again


def _wide(dtype):
    """In a narrow or unsigned type, 2v - 1 would be something else."""
    if dtype.kind == "b":
        return dtype
    return np.int64 if dtype.kind in "iu" and dtype != np.uint64 else np.float64


def _distribution(points, probabilities):
    points = _records(points, "points")
    probabilities = _checks.reals("probabilities", probabilities, at_least=0)
    if probabilities.shape != points.shape[:1]:
        raise ValueError(
            f"probabilities must have one entry for each of the {len(points)} points, got shape "
            f"{probabilities.shape}"
        )
    if abs(probabilities.sum() - 1) > 1e-9:
        raise ValueError(f"probabilities must have the sum 1, got {probabilities.sum()}")
    return points, probabilities


def _asked(x, queries, epsilon, rng, disjoint=False):
    """The checked arguments, and the function that finds the batch of a query by position."""
    x, queries = _records(x), _checks.integer("queries", queries, at_least=1)
    epsilon = _checks.parameter("epsilon", epsilon)
    _checks.generator(rng)
    size = len(x)
    if disjoint and size < queries:
        raise ValueError(
            f"x must have at least one row for each of the {queries} queries, got {size}"
        )
    return (
        x,
        queries,
        epsilon,
        lambda number: x[number * size // queries : (number + 1) * size // queries],
    )
