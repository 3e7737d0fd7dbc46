"""How many records are enough: the search for the least number that keeps a promise, by a formula
or by trials.
"""

from __future__ import annotations

import json
import os
from concurrent.futures import Executor, as_completed
from contextlib import nullcontext
from pathlib import Path

import numpy as np

from dplib import _checks
from dplib._types import Any, Callable, Integer, Ints, Sequence


def least_size(
        enough: Callable[..., Any], *, at_least: Integer = 1,
        at_most: Integer = _checks.LARGEST) -> Ints:
    """The least size at which a condition holds that, once true, stays true.

    Parameters
    ----------
    enough : callable
        Maps a size, or an array with one for each of many questions, to whether it is enough
    at_least, at_most : int
        0 ≤ at_least ≤ at_most ≤ 2**62, the smallest and the largest size to ask for

    Returns
    -------
    int64, the shape of what ``enough`` returns, at_most + 1 where no size is enough

    Notes
    -----
    :Cost: About 2 log₂ of the largest answer calls of ``enough``.

    Examples
    --------
    >>> from dplib.mean import clipped_mean_error_bound
    >>> least_size(lambda n: clipped_mean_error_bound(size=n, radius=np.array([10, 100]),
    ...                                               epsilon=1) <= 0.1)
    array([1124, 6913])
    """
    first = _checks.integer("at_least", at_least, at_least=0)
    last = _checks.integer("at_most", at_most, at_least=first)
    ask = lambda size: np.asarray(enough(size[()]))
    good = ask(np.int64(first))
    low, high = np.full(good.shape, first - 1), np.full(good.shape, first)
    while np.any(late := ~good & (high < last)):
        low, high = np.where(late, high, low), np.where(late, np.clip(2 * high, 1, last), high)
        good = ask(high)
    low, high = np.where(good, low, last), np.where(good, high, last + 1)
    while np.any(high - low > 1):
        middle = np.minimum(low + (high - low + 1) // 2, last)
        good = ask(middle)
        low, high = np.where(good, low, middle), np.where(good, middle, high)
    return high[()]


def run_trials(
        trial: Callable[..., Any], *, tasks: Sequence[Any], seed: Integer, file: str | None = None,
        executor: Executor | None = None) -> list[Any]:
    """Run one simulation for each task: the same results on any number of workers, and after any
    number of interruptions.

    Parameters
    ----------
    trial : callable
        Maps a task and a generator of random numbers to a result, in numbers, lists and dicts of
        text; to be sent to other processes, a function of a module.
    tasks : sequence of numbers, texts, lists or dicts, the argument of each trial
    seed : int ≥ 0
        Each task has a generator of its own, from this and its place.
    file : str or None
        Results are written here as they come, one a line. A call with the same file, tasks and seed
        goes on where an earlier one has ended, however it ended.
    executor : Executor of concurrent.futures, or what has its interface; None: this process

    Returns
    -------
    list of results, in the order of the tasks

    Raises
    ------
    ValueError
        for a file of other tasks or another seed; and what a trial or the executor raises, when the
        trials that can be finished are

    Notes
    -----
    :Cost: That of the trials, and a line of JSON for each.

    Examples
    --------
    >>> from dplib.mean import clipped_mean
    >>> def error(size, rng):
    ...     return abs(clipped_mean(rng.normal(size=size), radius=3, epsilon=1, rng=rng))
    >>> errors = run_trials(error, tasks=[100] * 50 + [1000] * 50, seed=1)
    >>> np.median(np.reshape(errors, (2, 50)), axis=1).round(2)
    array([0.11, 0.02])
    """
    tasks, seed = list(tasks), _checks.integer("seed", seed, at_least=0)
    header = _line(dict(seed=seed, tasks=tasks))
    found = {} if file is None else _resumed(file, header)
    left = [place for place in range(len(tasks)) if place not in found]
    with nullcontext() if file is None else open(file, "a", encoding="ascii") as out:
        for line in _finished(trial, tasks, left, seed, executor):
            place, found[place] = json.loads(line)
            if out is not None:
                out.write(line)
                out.flush()
    return [found[place] for place in range(len(tasks))]


def _finished(trial, tasks, left, seed, executor):
    """Lines of results, as they come; what was raised is raised when nothing more can come."""
    if executor is None:
        yield from (_one(trial, tasks[place], seed, place) for place in left)
        return
    errors = []
    futures = [executor.submit(_one, trial, tasks[place], seed, place) for place in left]
    for future in as_completed(futures):
        if error := future.exception():
            errors.append(error)
        else:
            yield future.result()
    if errors:
        raise errors[0]


def _one(trial, task, seed, place):
    """The line of one trial: what comes of it depends on its place alone."""
    stream = np.random.SeedSequence(seed, spawn_key=(place,))
    return _line([place, trial(task, np.random.default_rng(stream))])


def _resumed(file, header):
    """{place: result} of a file, which is left with whole lines: the last one may have been cut
    off."""
    text = Path(file).read_text(encoding="ascii") if os.path.exists(file) else ""
    if not (text.startswith(header) or header.startswith(text)):
        raise ValueError(f"file must be new, or of the same tasks and seed, got {file!r}")
    lines = text[len(header):text.rfind("\n") + 1].splitlines(keepends=True)
    whole = "".join([header, *lines])
    if whole != text:
        Path(file).write_text(whole, encoding="ascii")
    return dict(map(json.loads, lines))


def _line(value):
    return json.dumps(value, default=lambda array: array.tolist()) + "\n"
