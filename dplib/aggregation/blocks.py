"""Running any program on disjoint blocks of the records, so that one record can change one answer."""

import contextlib
import copy
import inspect
import io
import multiprocessing
import os
import warnings

import numpy as np

from dplib import _checks


def subsample_and_aggregate(x, estimator, combine, *, blocks, default, people=None, seconds=None, rng):
    """Run an estimator that promises nothing on each of many disjoint blocks, and combine the answers in private.

    Parameters
    ----------
    x : the data set
        An array or a sequence with one record on each place of the first axis; or a tuple of several, such as (X, y).
    estimator : callable or object with a method ``fit``
        A function of a block's records, and of ``rng`` if it has a parameter of this name. Or a pair of an object and a
        function that reads the answer from it: a copy of the object is fitted to each block.
    combine : callable, ``combine(answers, rng)``
        Releases the answers, an array with one on each place of the first axis, and is private when one of them is replaced.
    blocks : int ≥ 1, the number k of disjoint blocks, at most as many as there are people
    default : array_like of finite real numbers
        Public: its shape is that of an answer, and it stands for a block on which the estimator raises an exception, takes too
        long or returns anything but finite numbers of this shape.
    people : array_like, optional
        Public: whose each record is. All records of a person are then in one block. If omitted, each record is a person.
    seconds : float > 0, optional
        How long a block may take. Each block then runs in a process of its own, which starts as a copy of this one and cannot
        change it or another.
    rng : numpy.random.Generator

    Returns
    -------
    What ``combine`` returns.

    Notes
    -----
    :Privacy: Replacing one person's records changes at most one answer: the promise of ``combine`` holds for persons, whatever
        the estimator answers or raises, provided that it looks at its block alone. One that remembers something from block to
        block needs ``seconds``, and so does one that ends Python or writes past ``sys.stdout``. A hostile one is not held back:
        it could search this process, or its copy, for other blocks, write files or send something away. Warnings and what is
        printed are dropped; the time of the call is not hidden.
    :Error: That of ``combine`` on answers from n/k records each.
    :References: Theorem *Subsample and aggregate* on the page *Any program, privately* (thm-subsample); Nissim, Raskhodnikova
        and Smith, *Smooth sensitivity and sampling in private data analysis* (2007).

    Examples
    --------
    >>> from dplib.aggregation import private_median
    >>> rng = np.random.default_rng(1)
    >>> incomes = rng.lognormal(size=10_000)
    >>> median = lambda answers, rng: private_median(answers, candidates=np.linspace(0, 10, 1001), epsilon=1, rng=rng)
    >>> float(subsample_and_aggregate(incomes, np.std, median, blocks=100, default=0, rng=rng))
    1.84
    """
    columns = x if isinstance(x, tuple) else (x,)
    lengths = {len(column) for column in columns}
    if len(lengths) != 1:
        raise ValueError(f"x must have the same number of records in each of its parts, got {sorted(lengths)}")
    owners = _owners(people, *lengths)
    blocks = _checks.integer("blocks", blocks, at_least=1, at_most=max(1, int(owners.max(initial=-1)) + 1))
    default = _checks.reals("default", default)
    seconds = None if seconds is None else _checks.real("seconds", seconds, above=0)
    answer = _runner(estimator)
    seeds = _checks.generator(rng).integers(2**63, size=(blocks, 2))
    of_person = rng.permutation(np.arange(owners.max(initial=-1) + 1) % blocks)  # the block of each person
    rows = np.argsort(of_person[owners], kind="stable")
    ends = np.cumsum(np.bincount(of_person[owners], minlength=blocks))
    answers = np.empty((blocks, *default.shape))
    for block, seed in enumerate(seeds):
        mine = rows[ends[block - 1] if block else 0:ends[block]]
        run = lambda: answer([_take(column, mine) for column in columns], np.random.default_rng(seed))
        answers[block] = _guarded(run, default) if seconds is None else _alone(lambda: _guarded(run, default), seconds, default)
    return combine(answers, rng)


def _owners(people, size):
    """The number of the person of each record."""
    if people is None:
        return np.arange(size)
    owners = np.unique(np.asarray(people), return_inverse=True)[1]
    if owners.shape != (size,):
        raise ValueError(f"people must name one person for each of {size} records, got shape {owners.shape}")
    return owners


def _runner(estimator):
    """A function of a block and a generator, whatever the estimator is."""
    if isinstance(estimator, tuple) and len(estimator) == 2 and hasattr(estimator[0], "fit") and callable(estimator[1]):
        def fitted(block, rng):
            machine = copy.deepcopy(estimator[0])
            made = machine.fit(*block)
            return estimator[1](machine if made is None else made)
        return fitted
    if not callable(estimator):
        raise ValueError(f"estimator must be a function, or a pair of an object with fit and a function, got {estimator!r}")
    try:
        draws = "rng" in inspect.signature(estimator).parameters
    except (TypeError, ValueError):  # some functions written in C do not say
        draws = False
    return lambda block, rng: estimator(*block, **({"rng": rng} if draws else {}))


def _take(column, rows):
    """Some records of one part of the data. A sequence is read record by record: one must not decide the type of all blocks."""
    if hasattr(column, "iloc"):
        return column.iloc[rows]
    return column[rows] if isinstance(column, np.ndarray) else np.array([column[row] for row in rows])


def _guarded(run, default):
    """The answer of one block, or the default: no exception, no warning, no other shape, nothing printed."""
    silence = io.StringIO()
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stdout(silence), \
                contextlib.redirect_stderr(silence):
            warnings.simplefilter("ignore")
            answer = np.asarray(run(), dtype=np.float64)
    except BaseException:  # also an interrupt: which one the estimator raises may depend on a record
        return default
    return answer if answer.shape == default.shape and np.isfinite(answer).all() else default


def _alone(work, seconds, default):
    """The result of some work in a process of its own, which is ended when its time is up."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)

    def silently():
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):  # what is written past Python's own streams
            os.dup2(nowhere, descriptor)
        theirs.send(work())

    process = context.Process(target=silently)
    process.start()
    theirs.close()
    try:
        return ours.recv() if ours.poll(seconds) else default
    except EOFError:  # it ended without a word
        return default
    finally:
        process.kill()
        process.join()
        ours.close()
