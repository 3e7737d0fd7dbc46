"""Running any program on disjoint blocks of the records, so that one record can change one
answer."""

from __future__ import annotations

import contextlib
import copy
import inspect
import io
import multiprocessing
import os
import pickle
import sys
import warnings

import numpy as np

from dplib import _checks
from dplib._types import Any, ArrayLike, Callable, Generator, Integer, NDArray, Real

# How a process begins: as a copy of this one, where the system can make a sound one; else anew.
COPIES = "fork" in multiprocessing.get_all_start_methods() and sys.platform != "darwin"
METHOD = "fork" if COPIES else "spawn"


def subsample_and_aggregate(
        x: Any, estimator: Callable[..., Any] | tuple[Any, Callable[..., Any]],
        combine: Callable[[NDArray[np.float64], Generator], Any], *, blocks: Integer,
        default: ArrayLike, people: ArrayLike | None = None, seconds: Real | None = None,
        rng: Generator) -> Any:
    """Run an estimator that promises nothing on each of many disjoint blocks, and combine the
    answers in private.

    Parameters
    ----------
    x : the data set
        An array or a sequence with one record on each place of the first axis; or a tuple of
        several, such as (X, y).
    estimator : callable or object with a method ``fit``
        A function of a block's records, and of ``rng`` if it has a parameter of this name. Or a
        pair of an object and a function that reads the answer from it: a copy of the object is
        fitted to each block.
    combine : callable, ``combine(answers, rng)``
        Releases the answers, an array with one on each place of the first axis, and is private when
        one of them is replaced.
    blocks : int ≥ 1, the number k of disjoint blocks, at most as many as there are people
    default : array_like of finite real numbers
        Public: its shape is that of an answer, and it stands for a block on which the estimator
        raises an exception, takes too long or returns anything but finite numbers of this shape.
    people : array_like, optional
        Public: whose each record is. All records of a person are then in one block. If omitted,
        each record is a person.
    seconds : float > 0, optional
        How long a block may take. Each block then runs in a process of its own, which cannot change
        this one or another. On Linux it starts as a copy of this one. On Windows and macOS it is
        new: ``estimator`` must then be a function of a module that can be imported, not of a
        notebook, and a script calls this below ``if __name__ == "__main__":``.
    rng : numpy.random.Generator

    Returns
    -------
    What ``combine`` returns.

    Notes
    -----
    :Privacy: Replacing one person's records changes at most one answer: the promise of ``combine``
        holds for persons, whatever the estimator answers or raises, provided that it looks at its
        block alone. One that remembers something from block to block needs ``seconds``, and so does
        one that ends Python or writes past ``sys.stdout``. A hostile one is not held back: it could
        search this process, or its copy, for other blocks, write files or send something away.
        Warnings and what is printed are dropped; the time of the call is not hidden.
    :Error: That of ``combine`` on answers from n/k records each.
    :References: Theorem *Subsample and aggregate* on the page *Any program, privately*
        (thm-subsample); Nissim, Raskhodnikova and Smith, *Smooth sensitivity and sampling in
        private data analysis* (2007).

    Examples
    --------
    >>> from dplib.aggregation import private_median
    >>> rng = np.random.default_rng(1)
    >>> incomes = rng.lognormal(size=10_000)
    >>> median = lambda answers, rng: private_median(answers, candidates=np.linspace(0, 10, 1001),
    ...                                              epsilon=1, neighbor="replace", rng=rng)
    >>> float(subsample_and_aggregate(incomes, np.std, median, blocks=100, default=0, rng=rng))
    1.93
    """
    columns = x if isinstance(x, tuple) else (x,)
    lengths = {len(column) for column in columns}
    if len(lengths) != 1:
        raise ValueError(
            f"x must have the same number of records in each of its parts, got {sorted(lengths)}"
        )
    owners = _owners(people, *lengths)
    blocks = _checks.integer(
        "blocks", blocks, at_least=1, at_most=max(1, int(owners.max(initial=-1)) + 1)
    )
    default = _checks.reals("default", default)
    answer = _runner(estimator)
    if seconds is not None:
        seconds = _checks.real("seconds", seconds, above=0)
        _sendable(estimator)
    seeds = _checks.generator(rng).integers(2**63, size=(blocks, 2))
    # the block of each person
    of_person = rng.permutation(np.arange(owners.max(initial=-1) + 1) % blocks)
    rows = np.argsort(of_person[owners], kind="stable")
    ends = np.cumsum(np.bincount(of_person[owners], minlength=blocks))
    answers = np.empty((blocks, *default.shape))
    for block, seed in enumerate(seeds):
        mine = rows[ends[block - 1] if block else 0:ends[block]]
        task = lambda: ([_take(column, mine) for column in columns], np.random.default_rng(seed))
        if seconds is None:
            answers[block] = _guarded(lambda: answer(*task()), default)
        else:
            answers[block] = _alone(estimator, task, seconds, default)
    return combine(answers, rng)


def _owners(people, size):
    """The number of the person of each record."""
    if people is None:
        return np.arange(size)
    owners = np.unique(np.asarray(people), return_inverse=True)[1]
    if owners.shape != (size,):
        raise ValueError(
            f"people must name one person for each of {size} records, got shape {owners.shape}"
        )
    return owners


def _runner(estimator):
    """A function of a block and a generator, whatever the estimator is."""
    if (
        isinstance(estimator, tuple)
        and len(estimator) == 2
        and hasattr(estimator[0], "fit")
        and callable(estimator[1])
    ):
        def fitted(block, rng):
            machine = copy.deepcopy(estimator[0])
            made = machine.fit(*block)
            return estimator[1](machine if made is None else made)
        return fitted
    if not callable(estimator):
        raise ValueError(
            "estimator must be a function, or a pair of an object with fit and a function, got "
            f"{estimator!r}"
        )
    try:
        draws = "rng" in inspect.signature(estimator).parameters
    except (TypeError, ValueError):  # some functions written in C do not say
        draws = False
    return lambda block, rng: estimator(*block, **({"rng": rng} if draws else {}))


def _take(column, rows):
    """Some records of one part of the data. A sequence is read record by record: one must not
    decide the type of all blocks."""
    if hasattr(column, "iloc"):
        return column.iloc[rows]
    return (
        column[rows] if isinstance(column, np.ndarray) else np.array([column[row] for row in rows])
    )


@contextlib.contextmanager
def _silent():
    """No warning, and nothing printed."""
    nowhere = io.StringIO()
    with warnings.catch_warnings(), np.errstate(all="ignore"), \
            contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        warnings.simplefilter("ignore")
        yield


def _guarded(run, default):
    """The answer of one block, or the default: no exception, no other shape, and silence."""
    try:
        with _silent():
            answer = np.asarray(run(), dtype=np.float64)
    # also an interrupt: which one the estimator raises may depend on a record
    except BaseException:
        return default
    return answer if answer.shape == default.shape and np.isfinite(answer).all() else default


# ------------------------------------------------------------------------- a process for each block


def _sendable(estimator):
    """Refuse what a process that starts anew could not be given."""
    if METHOD != "fork":
        try:
            pickle.dumps(estimator)
        except Exception as error:
            raise _not_importable(estimator) from error


def _not_importable(estimator):
    return ValueError(
        "estimator must be a function of a module that can be imported where seconds are given "
        "and a process starts anew, and a script must call below if __name__ == '__main__', got "
        f"{estimator!r}")


def _alone(estimator, task, seconds, default):
    """The answer for what ``task()`` makes, in a process that is ended when its time is up."""
    context = multiprocessing.get_context(METHOD)
    ours, theirs = context.Pipe()
    copied = task if METHOD == "fork" else None  # a new process is sent the block when it stands
    process = context.Process(target=_serve, args=(theirs, estimator, default, copied))
    process.start()
    theirs.close()
    try:
        if not _stands(ours):  # it has seen no record yet
            process.join(10)  # so that it can say why
            raise _not_importable(estimator)
        if copied is None and not _sent(ours, task):
            return default
        return ours.recv() if ours.poll(seconds) else default
    except (EOFError, ConnectionError):  # it ended without a word
        return default
    finally:
        process.kill()
        process.join()
        ours.close()


def _stands(pipe):
    """Whether the other process has begun."""
    try:
        return pipe.recv()
    except (EOFError, ConnectionError):
        return False


def _sent(pipe, task):
    """Whether a block could be sent: whether a record can be may not be told by an error."""
    try:
        with _silent():
            pipe.send(task())
    except Exception:
        return False
    return True


def _serve(pipe, estimator, default, task):
    """What the process of one block does."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):  # what is written past Python's own streams
        os.dup2(nowhere, descriptor)
    pipe.send(True)
    answer = _runner(estimator)
    pipe.send(_guarded(lambda: answer(*(pipe.recv() if task is None else task())), default))
