"""Every function that draws noise is bound: with 1/1000, 1/2 or .9 of it each is convicted.

`PACKAGE` of tests/releases.py has all that draw. What is in no table here fails the build.

`LAWS`
    A coin, a label or an integer that the data choose is released: its exact distribution on pairs
    of neighbours that show all that is promised, coins falling in every way (tests/outcomes.py).
`COMPOSED`, all others
    Each step spends what it was paid for (tests/attacks.py), and the payments add up to what is
    promised (tests/ledger.py).
`SCALES`, some of these
    Noise of which no data need all, for its scale comes from a worst case: what is asked for on one
    large data set is written down.

Noise may be too small in two ways: ε is taken for more than it is, or the sensitivity for less.
"""

from contextlib import ExitStack, contextmanager
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
import pytest

from dplib import (
    _grid,
    aggregation,
    factorization,
    friendly,
    glm,
    histograms,
    learning,
    local,
    mean,
    mechanisms,
    parity,
    queries,
    sparse_vector,
    synthetic,
)
from dplib.glm import terms
from dplib.glm.compared import published
from tests.outcomes import delta_of, distribution, epsilon_of
from tests.releases import FACTORIZATIONS, PACKAGE
from tests.test_attacks import NOT_PRIVATE, attack
from tests.test_ledger import COMPOSED, MODEL, PLENTY, balance, cases_of, plenty

FACTORS = {"1/1000": 1000, "1/2": 2, ".9": 1 / 0.9}
EXACTLY = 1 + 1e-9


def name(function):
    return function.__name__


class Row(NamedTuple):
    """Two neighbours, how they are given to the function, and what else it is given."""

    x: object
    y: object
    given: dict
    ask: object = lambda code, data, **given: code(data, **given)


def labels_of_ones(code, y, **given):
    return code(np.ones((len(y), 1), dtype=int), y, **given)


def labels_of_zeros(code, y, **given):
    return code(np.zeros(len(y), dtype=int), y, **given)


def labels_of_one_column(code, y, **given):
    return code(np.zeros((len(y), 1), dtype=int), y, **given)


def one_query(code, x, **given):
    return code(x, queries=1, **given)(lambda x: x)


def shown(code, distance, **given):
    return isinstance(code("Smith", distance, **given), str)


SIX = ["a"] * 6
# The threshold is 10, and with a little more δ it would be 9.
SPARSE = dict(
    domain="text", epsilon=1, delta=0.9 * np.exp(-8) / (1 + np.exp(-1)), neighbor="add_remove"
)
WHOLE, REAL = dict(noise="discrete_laplace"), dict(noise="laplace")
BOTH = dict(SPARSE, epsilon=4, neighbor="replace", **WHOLE)
ADDED = dict(epsilon=1, neighbor="add_remove")
TYPED = dict(bits=2, share=0.5, accuracy=0.1, epsilon=1)
LAWS = {
    mechanisms.discrete_laplace: [Row(5, 7, dict(sensitivity=2, epsilon=1))],
    mechanisms.discrete_gaussian: [Row(5, 6, dict(sensitivity=1, epsilon=4, delta=1e-6))],
    mechanisms.randomized_response: [
        Row(0, 2, dict(categories=3, epsilon=1)),
        Row(0, 1, dict(epsilon=1)),
    ],
    histograms.stability_histogram: [
        Row(SIX, SIX[1:], SPARSE | WHOLE),
        Row(SIX, [*SIX[1:], "b"], BOTH),
        Row([], ["a"], SPARSE | WHOLE),
        Row(SIX, SIX[1:], SPARSE | REAL),
        Row([], ["a"], SPARSE | REAL),
    ],
    histograms.truncated_histogram: [
        Row(SIX * 4, SIX * 4 + ["a"], SPARSE | WHOLE),
        Row([], ["a"], SPARSE | WHOLE),
        Row(SIX * 4, SIX * 4 + ["a"], SPARSE | REAL),
        Row([], ["a"], SPARSE | REAL),
    ],
    learning.private_threshold: [
        Row([0], [1], dict(cells=1, epsilon=1, neighbor="replace"), labels_of_zeros),
        Row([0], [1], dict(cells=300, epsilon=1, neighbor="replace"), labels_of_zeros),
        Row([0], [0, 1], ADDED | dict(cells=2), labels_of_zeros),
    ],
    learning.private_stump: [
        Row([0], [1], dict(cells=2, epsilon=1, neighbor="replace"), labels_of_one_column),
        Row(
            [1] * 9,
            [1] * 8 + [0],
            dict(cells=2, epsilon=2, neighbor="replace"),
            labels_of_one_column,
        ),
        Row([1] * 9, [1] * 10, ADDED | dict(cells=2, epsilon=2), labels_of_one_column),
    ],
    local.local_randomized_response: [Row(-1, 1, dict(epsilon=1)), Row(-0.5, 1, dict(epsilon=1))],
    local.l2_ball_randomizer: [
        Row([0, 3], [0, -3], dict(radius=3, epsilon=1)),
        Row([0, 3], [1, 2], dict(radius=3, epsilon=1)),
    ],
    local.unary_reports: [Row(0, 1, dict(cells=2, epsilon=1)), Row(0, 2, dict(cells=3, epsilon=1))],
    local.sign_reports: [Row(0, 1, dict(bits=1, epsilon=1)), Row(1, 2, dict(bits=2, epsilon=1))],
    local.heavy_prefixes: [
        Row([0], [3], TYPED | dict(block=2)),
        Row([0, 0], [0, 1], TYPED | dict(block=1)),
    ],
    queries.local_oracle: [Row([1, 1], [1, -1], dict(epsilon=1), one_query)],
    parity.private_parity: [
        Row([0], [1], dict(epsilon=1, neighbor="replace"), labels_of_ones),
        Row([0], [0, 1], ADDED, labels_of_ones),
    ],
    parity.learn_parity_locally: [Row([0], [1], dict(epsilon=1), labels_of_ones)],
    aggregation.release_if_stable: [
        Row(d, d + 1, dict(epsilon=1, delta=1e-3), shown) for d in range(16)
    ],
    aggregation.private_vote: [
        Row([1, 1, 0], [1, 0, 0], dict(epsilon=1) | WHOLE),
        Row([1, 1, 0, 0], [1, 0, 0, 0], dict(epsilon=1) | REAL),
    ],
    aggregation.private_median: [
        Row([0, 8], [8, 8], dict(candidates=range(9), epsilon=1, neighbor="replace")),
        Row([], [8], dict(candidates=range(9), **ADDED)),
    ],
    factorization.release_local: [Row([0], [1], dict(factorization=FACTORIZATIONS[0], epsilon=1))],
    glm.certify_below: [Row(9, 8, dict(sensitivity=1, epsilon=0.6, delta=0.4))],
}
LOOSE = {  # δ decides about a σ that is a little too large, or a threshold: where it is noticed
    mechanisms.discrete_gaussian: "test_noise.py::test_discrete_gaussian_noise_has_its_sigma",
    glm.compared.certify_by_recursion: "test_glm_recursions.py::test_draws_follow_the_exact_distribution",
    glm.compared.certify_largest_eigenvalue: "test_glm_recursions.py::"
    "test_the_upper_bound_is_too_small_with_probability_delta",
}
GIVEN = {  # all noise is that of what they are given
    aggregation.subsample_and_aggregate,
    queries.simulate_local_protocol,
}
NOTHING_SPENT = {  # what else is in PACKAGE, and why it cannot draw too little
    *NOT_PRIVATE,
    friendly.sample_friendly_core,  # not private by itself; a test below has its law
}
ELSEWHERE = {  # coins, alarms or tilts, and noise on what they lead to: where it is run with less noise
    sparse_vector.above_threshold: "test_sparse_vector.py::test_less_noise_is_noticed",
    queries.alarm_oracle: "test_sparse_vector.py::test_less_noise_is_noticed_by_those_who_ask",
    friendly.friendly_core_mean: "test_friendly.py::test_what_runs_on_a_core_is_private",
    glm.release_by_perturbed_objective: "test_glm_perturbed.py::test_less_noise_is_noticed",
    glm.release_vector_by_perturbed_objective: "test_glm_perturbed.py::test_less_noise_is_noticed",
    synthetic.multiplicative_weights: "test_synthetic.py::test_less_noise_of_the_rounds_is_noticed",
    synthetic.tree_distribution: "test_synthetic.py::test_less_noise_of_the_tree_is_noticed",
    glm.noisy_sgd: "test_glm_gradients.py::test_less_noise_is_noticed",
}


RIDGE, STEPS = dict(ridge=1), dict(iterations=4, step=1)
BASELINE = {name: value for name, value in MODEL.items() if name != "split"}
SCALES = {  # of all noise in the order of its draws, and the certificate, if it is published
    mean.private_scale: [(dict(epsilon=5, delta=1e-3), [0.4])],
    glm.compared.release_with_ridge: [(BASELINE | RIDGE, [14.64] * 3)],
    glm.compared.release_by_noisy_gradients: [(BASELINE | STEPS, [29.27] * 4)],
    **{
        function: [*zip(PLENTY[function], written, strict=True)]
        for function, written in {
            glm.release_with_public_scale: [[1.2575e-3, 2653]],
            glm.release_with_fitted_scale: [[4.358e-4, 3.781e-2, 2650]],
            glm.release_coefficient: [[4.358e-4, 3.781e-2, 2650], [1.625e-3, 0.1101, 1.979e-2, 949.6]],
            glm.release_vector: [[5.422e-3, 2650]],
            glm.compared.release_with_isotropic_noise: [
                [3.074e-3] * 3 + [2645],
                [3.104e-3] * 3 + [2620],
                [3.119e-3] * 3 + [2606],
            ],
            glm.compared.release_with_mahalanobis_scale: [[3.053e-3]],
            glm.compared.release_with_condition_number: [[1.25, 4.846e-4], [1.25, 9.306e-4]],
        }.items()
    },
}


def lawful(code, function, sharper=1):
    """Fails unless what is promised holds on each pair of `LAWS`."""
    for x, y, given, ask in LAWS[function]:
        release = lambda data, rng: ask(code, data, **given, rng=rng)
        ours, theirs = (distribution(release, data, sharper) for data in (x, y))
        if "delta" in given:
            assert delta_of(ours, theirs, given["epsilon"]) <= given["delta"] * EXACTLY, given
        else:
            assert epsilon_of(ours, theirs) <= given["epsilon"] * EXACTLY, given


# ------------------------------------------------------------------------------- all are in a table


@pytest.mark.parametrize("where", [*LOOSE.values(), *ELSEWHERE.values()])
def test_what_is_not_noticed_here_has_a_test_of_its_own(where):
    file, test = where.split("::")
    assert f"def {test}(" in (Path(__file__).parent / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("function", PACKAGE, ids=name)
def test_every_function_that_draws_is_bound_by_its_outcomes_or_by_its_steps(function):
    assert [function in table for table in (LAWS, COMPOSED, ELSEWHERE, NOTHING_SPENT)].count(True) == 1


@pytest.mark.parametrize("function", LAWS, ids=name)
def test_the_exact_distributions_keep_the_promise(function):
    lawful(function, function)


@pytest.mark.parametrize("sharper", FACTORS.values(), ids=FACTORS)
@pytest.mark.parametrize("function", LAWS, ids=name)
def test_coins_that_are_less_random_are_noticed(function, sharper):
    with pytest.raises(AssertionError):
        lawful(function, function, sharper)


def test_discrete_gaussian_noise_has_its_sigma():
    sigma, values = (
        mechanisms.discrete_gaussian_sigma(sensitivity=1, epsilon=1, delta=1e-6),
        np.arange(-30, 31),
    )
    noise = distribution(
        lambda data, rng: mechanisms.discrete_gaussian(
            data, sensitivity=1, epsilon=1, delta=1e-6, rng=rng
        ),
        0,
    )
    ratios = [noise[n] / noise[0] for n in values.tolist()]
    assert ratios == pytest.approx(np.exp(-((values / sigma) ** 2) / 2), rel=1e-9)


def test_a_core_keeps_each_record_with_its_weight_as_the_probability():
    x = [[0], [0], [1], [1], [2], [5]]
    kept = distribution(lambda data, rng: friendly.sample_friendly_core(data, radius=1, rng=rng), x)
    weights = friendly.friendly_weights(x, radius=1)
    assert len(kept) == 2 ** np.count_nonzero(weights)
    for which, chance in kept.items():
        assert chance == pytest.approx(np.prod(np.where(which, weights, 1 - weights)), rel=1e-12)


# ----------------------------------------------------------------------- ε is taken for more, and δ

MOST = 1000  # of ε, beyond which some functions refuse it


def changed(function, what, change):
    """The function with one of its arguments changed."""

    @wraps(function)
    def code(*args, **given):
        return function(*args, **given | {what: change(given[what])})

    return code


def promises_delta(function):
    return (
        any("delta" in row.given for row in LAWS[function])
        if function in LAWS
        else any(case.delta for case in cases_of(function))
    )


@pytest.mark.parametrize("factor", FACTORS.values(), ids=FACTORS)
@pytest.mark.parametrize("function", [f for f in [*LAWS, *COMPOSED] if f not in GIVEN], ids=name)
def test_epsilon_taken_for_more_is_noticed(function, factor):
    more = changed(function, "epsilon", lambda epsilon: min(factor * epsilon, max(epsilon, MOST)))
    with pytest.raises(AssertionError):
        (lawful if function in LAWS else balance)(more, function)


@pytest.mark.parametrize(
    "function", [f for f in [*LAWS, *COMPOSED] if promises_delta(f) and f not in LOOSE], ids=name
)
def test_delta_taken_for_more_is_noticed(function):
    more = changed(function, "delta", lambda delta: 1.2 * delta)
    with pytest.raises(AssertionError):
        (lawful if function in LAWS else balance)(more, function)


# ---------------------------------------------------------------- the sensitivity is taken for less

UNDERSTATED = {
    (_grid, "laplace_noise"): "sensitivity",
    (_grid, "normal_noise"): "sensitivity",
    (_grid, "winner"): "moved",
    (mechanisms, "discrete_laplace"): "sensitivity",
    (terms, "certify_below"): "sensitivity",
    (published, "certify_below"): "sensitivity",
}


@contextmanager
def understated(factor):
    with ExitStack() as stack:
        for (owner, name), what in UNDERSTATED.items():
            less = changed(getattr(owner, name), what, lambda sensitivity: sensitivity / factor)
            stack.enter_context(patch.object(owner, name, less))
        secret = _grid.rounded
        shorter = lambda law, centre, length, **given: secret(
            law, centre, np.asarray(length) / factor, **given
        )
        stack.enter_context(patch.object(_grid, "rounded", shorter))
        yield


def careless(case, factor):
    def release(data, rng):
        with understated(factor):
            return case.release(data, rng)

    return case._replace(release=release)


@pytest.mark.parametrize("factor", FACTORS.values(), ids=FACTORS)
@pytest.mark.parametrize(
    "function",
    [f for f in COMPOSED if f not in GIVEN and f not in SCALES and f not in LAWS],
    ids=name,
)
def test_a_sensitivity_that_is_too_small_is_noticed(function, factor):
    with pytest.raises(AssertionError):
        attack(careless(case, factor) for case in PACKAGE[function](function))


def scales(function, options, factor):
    """What noise a release asks for, and what is certified on its way."""
    found, drawn, secret = [], _grid.Noise._drawn, _grid.rounded

    def noted(noise, shape, rng):
        found.append(noise.scale)
        return drawn(noise, shape, rng)

    def noted_secret(law, centre, factor, *, grid, rng):
        found.append(float(np.linalg.norm(np.asarray(factor, dtype=float))))
        return secret(law, centre, factor, grid=grid, rng=rng)

    with (
        patch.object(_grid.Noise, "_drawn", noted),
        patch.object(_grid, "rounded", noted_secret),
        understated(factor),
    ):
        case = plenty(function, options)
        answer = case.release(case.pairs[0][0], np.random.default_rng(1))
    return [*found, *([answer.certificate] if hasattr(answer, "certificate") else [])]


def as_written_down(function, factor=1):
    for options, written in SCALES[function]:
        assert scales(function, options, factor) == pytest.approx(written, rel=2e-3)


@pytest.mark.parametrize("function", SCALES, ids=name)
def test_noise_from_a_worst_case_is_as_large_as_ever(function):
    as_written_down(function)


@pytest.mark.parametrize("factor", FACTORS.values(), ids=FACTORS)
@pytest.mark.parametrize("function", SCALES, ids=name)
def test_noise_that_is_smaller_than_ever_is_noticed(function, factor):
    with pytest.raises(AssertionError):
        as_written_down(function, factor)


@pytest.mark.parametrize("function", PACKAGE, ids=name)
def test_that_a_table_is_several_data_sets_has_to_be_said(function):
    """One ε for each run of what was one data set would be far too many."""
    runs = signature(function).parameters.get("runs")
    assert runs is None or runs.default is False
