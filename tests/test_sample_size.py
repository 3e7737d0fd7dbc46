"""The search for the least size that is enough, and trials that many workers share."""

import json
import math
import os
import signal
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial

import numpy as np
import pytest

from dplib import sample_size
from dplib.sample_size import least_size, run_trials
from tests.mutants import changed


@pytest.mark.parametrize("at_least, at_most", [(0, 40), (1, 40), (7, 7), (3, 2**62 - 1)])
def test_least_size_finds_every_threshold_and_asks_nothing_outside_its_limits(at_least, at_most):
    thresholds = np.r_[np.arange(at_least, min(at_most, 60) + 1), at_most]
    asked = []

    def enough(n):
        asked.append(n)
        return n >= thresholds

    found = least_size(enough, at_least=at_least, at_most=at_most)
    assert found.dtype == np.int64 and found.tolist() == thresholds.tolist()
    assert [least_size(lambda n: n >= t, at_least=at_least, at_most=at_most) for t in thresholds[:5]] == thresholds[:5].tolist()
    assert min(map(np.min, asked)) == at_least and max(map(np.max, asked)) <= at_most and len(asked) <= 2 * 62 + 2
    assert least_size(lambda n: np.array([[False], [True]]), at_least=at_least, at_most=at_most).tolist() == [
        [at_most + 1], [at_least]]


@pytest.mark.parametrize("limits", [dict(at_least=-1), dict(at_least=5, at_most=4), dict(at_most=2**62 + 1), dict(at_least=1.5)])
def test_least_size_names_a_wrong_limit(limits):
    with pytest.raises(ValueError, match="at_"):
        least_size(lambda n: True, **limits)


def test_least_size_takes_plain_truth_values():
    assert least_size(lambda n: bool(n >= 17)) == 17
    assert least_size(lambda n: [bool(n >= 17)]).tolist() == [17]


# ------------------------------------------------------------------------------------------------------------------- trials


TASKS = [dict(size=size, name=name) for size in (1, 5, 30) for name in ("a", "b", "ü")]


def mean_of_normals(task, rng, *, log=None, killed=None):
    """Also writes down that it ran; and once, its worker is killed."""
    if log:
        with open(log, "a") as out:
            out.write(f"{task['size']} {task['name']}\n")
    if killed and task == TASKS[4] and not os.path.exists(killed):
        open(killed, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    x = rng.normal(size=task["size"])
    return {"name": task["name"], "mean": x.mean(), "first": x[:1], "odd": [math.inf, np.int64(3), True, None]}


def ran(log):
    return len(log.read_text().splitlines()) if log.exists() else 0


ALONE = run_trials(mean_of_normals, tasks=TASKS, seed=7)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_worker_that_is_killed_costs_what_it_had_begun_and_changes_nothing(workers, tmp_path):
    file, log = tmp_path / "results.jsonl", tmp_path / "log"
    call = partial(run_trials, partial(mean_of_normals, log=log, killed=tmp_path / "killed"), tasks=TASKS, seed=7, file=str(file))
    with pytest.raises(BrokenProcessPool), ProcessPoolExecutor(workers) as pool:
        call(executor=pool)
    before, kept = ran(log), len(file.read_text().splitlines()) - 1
    assert before >= 1 and kept < len(TASKS)
    with ProcessPoolExecutor(workers) as pool:
        assert call(executor=pool) == ALONE
    assert ran(log) == before + len(TASKS) - kept             # nothing that was written is done again
    assert call() == ALONE and ran(log) == before + len(TASKS) - kept


def test_results_do_not_depend_on_workers_and_tasks_have_draws_of_their_own():
    for pool in (ThreadPoolExecutor(3), ProcessPoolExecutor(2)):
        with pool:
            assert run_trials(mean_of_normals, tasks=TASKS, seed=7, executor=pool) == ALONE
    assert [found["name"] for found in ALONE] == [task["name"] for task in TASKS]
    assert len({found["first"][0] for found in ALONE}) == len(TASKS)
    assert ALONE[0]["odd"] == [math.inf, 3, True, None] and ALONE[0]["first"] == [ALONE[0]["mean"]]
    assert run_trials(mean_of_normals, tasks=TASKS[:3], seed=7) == ALONE[:3] != run_trials(mean_of_normals, tasks=TASKS[:3], seed=8)
    assert run_trials(mean_of_normals, tasks=[], seed=7) == []


def whole_at_every_cut(run_trials, tmp_path):
    """Fails unless a file that was cut off anywhere, as by a loss of power, leads to the same results."""
    file = tmp_path / "results.jsonl"
    call = partial(run_trials, mean_of_normals, tasks=TASKS, seed=7, file=str(file))
    assert call() == ALONE
    whole = file.read_text()
    for end in range(0, len(whole) + 1, 7):
        file.write_text(whole[:end])
        assert call() == ALONE
        assert sorted(file.read_text().splitlines()) == sorted(whole.splitlines())


def test_a_file_that_is_cut_off_is_gone_on_with(tmp_path):
    whole_at_every_cut(run_trials, tmp_path)


@pytest.mark.parametrize("function, old, new", [
    ("_resumed", "if whole != text:", "if False:"),                          # a torn line stays
    ("_resumed", 'text[len(header):text.rfind("\\n") + 1]', "text[len(header):]"),
    ("_one", "spawn_key=(place,)", "spawn_key=()"), ("_one", "np.random.SeedSequence(seed, spawn_key=(place,))", "None")])
def test_mistakes_in_a_sweep_are_noticed(function, old, new, tmp_path, monkeypatch):
    monkeypatch.setattr(sample_size, function, changed(getattr(sample_size, function), old, new))
    with pytest.raises((AssertionError, ValueError)):
        whole_at_every_cut(run_trials, tmp_path)


def fails_at_five(task, rng):
    if task == 5:
        raise ZeroDivisionError("five")
    return task


def test_what_a_trial_raises_comes_after_all_others_are_written(tmp_path):
    file = tmp_path / "results.jsonl"
    with pytest.raises(ZeroDivisionError), ThreadPoolExecutor(2) as pool:
        run_trials(fails_at_five, tasks=range(9), seed=1, file=str(file), executor=pool)
    assert sorted(json.loads(line)[0] for line in file.read_text().splitlines()[1:]) == [0, 1, 2, 3, 4, 6, 7, 8]


@pytest.mark.parametrize("text", ["a diary", "a diary\n", '{"seed": 8, "tasks": [1]}\n[0, 1]\n'])
def test_a_file_of_something_else_is_refused_and_left_as_it_is(text, tmp_path):
    file = tmp_path / "results.jsonl"
    file.write_text(text)
    with pytest.raises(ValueError, match="file must be new, or of the same tasks and seed"):
        run_trials(fails_at_five, tasks=[1], seed=7, file=str(file))
    assert file.read_text() == text
    with pytest.raises(ValueError, match="seed must be"):
        run_trials(fails_at_five, tasks=[1], seed=-1)
