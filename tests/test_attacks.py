"""Every release of the package, attacked as in tests/attacks.py; then the mistakes that each attack must find."""

import ast
from pathlib import Path

import numpy as np
import pytest

import dplib
from dplib import (
    _grid, aggregation, factorization, friendly, glm, histograms, learning, local, mean, mechanisms, parity, queries,
    sparse_vector, synthetic)
from dplib.aggregation import Refusal, refused
from dplib.friendly import mean as friendly_mean
from dplib.glm import releases
from dplib.mean import estimators
from tests.attacks import Told, gaussian_delta, replay
from tests.chance import rng
from tests.mutants import changed
from tests.releases import PACKAGE

NOT_PRIVATE = [mechanisms.laplace_idealized, mechanisms.gaussian_idealized, glm.compared.oracle,
               glm.compared.objective_perturbation_idealized]
BY_LAW = {  # a coin, a label, an integer that the data choose, a tilt: tests/test_noise.py has its law, or says who has
    mechanisms.discrete_laplace, mechanisms.discrete_gaussian, mechanisms.randomized_response,
    histograms.stability_histogram, histograms.truncated_histogram, learning.private_threshold,
    learning.private_stump, local.local_randomized_response, local.l2_ball_randomizer,
    sparse_vector.above_threshold, queries.alarm_oracle, queries.local_oracle, parity.private_parity, parity.learn_parity_locally,
    local.unary_reports, local.sign_reports, local.heavy_prefixes,
    aggregation.release_if_stable, aggregation.private_vote, aggregation.private_median, factorization.release_local,
    friendly.sample_friendly_core, friendly.friendly_core_mean, glm.certify_below,
    glm.release_by_perturbed_objective, glm.release_vector_by_perturbed_objective,
    synthetic.multiplicative_weights, synthetic.tree_distribution,
    glm.noisy_sgd}
LAWS_INSIDE = {  # the same for choices on the way: where the law is computed, outcome by outcome
    "_exponential_cells": "test_mean_estimators.py::test_the_exponential_stage_is_private_by_enumeration",
    "_released_cells": "test_mean_estimators.py::test_the_stability_stage_has_exactly_its_law",
    "_private_median": "test_mean_adaptive.py::test_the_median_has_its_exact_law",
    "certify_below": "claims/test_certificates.py::test_certificate",
    "rounded": "test_grid.py::test_rounded_noise_of_a_secret_scale",
}
THROUGH_PRIMITIVES = [function for function in PACKAGE if function not in BY_LAW and function not in NOT_PRIVATE]
PAIRS, ROUNDED = 120, 1 + 1e-12  # of each case; of sums of floats
PACKAGE_DIRECTORY = Path(dplib.__file__).parent


def some(pairs):
    pairs = list(pairs)
    return pairs[::len(pairs) // PAIRS + 1]


def attack(cases):
    """What is spent, at most, as a share of what was promised; fails where it is more than that, or something is told."""
    most = 0.0
    for release, pairs, epsilon, delta, joined in cases:
        for x, y in some(pairs):
            found = replay(release, x, y)
            thrown_away = np.all(refused(found.output, runs=True)) and not isinstance(found.output, Refusal)
            if epsilon is None or thrown_away:
                continue
            steps = 1 + (joined and len(x) == len(y))
            assert found.epsilon <= steps * epsilon, (x, y)
            assert gaussian_delta(found.moved / steps, epsilon - found.epsilon / steps) <= delta, (x, y)
            most = max(most, found.epsilon / steps / epsilon)
            for step in found.steps:
                assert step.epsilon <= steps * step.paid[0] * ROUNDED, (step, x, y)
                if step.moved:
                    delta_of_step = gaussian_delta(step.moved / steps, step.paid[0])
                    assert delta_of_step <= step.paid[1] * ROUNDED, (step, x, y)
    return most


@pytest.mark.parametrize("function", THROUGH_PRIMITIVES, ids=lambda f: f.__name__)
def test_data_reach_an_output_through_the_primitives_alone(function, record_property):
    record_property("spent", attack(PACKAGE[function](function)))


WASTE = 1e-9
TIGHT = [mechanisms.laplace, mechanisms.exponential, mechanisms.permute_and_flip, histograms.laplace_histogram, mean.clipped_mean,
         local.local_laplace, aggregation.bounded_mean, aggregation.passes_test, queries.fresh_oracle,
         parity.private_parity_by_scores]


@pytest.mark.parametrize("function", TIGHT, ids=lambda f: f.__name__)
def test_nothing_is_wasted(function):
    """Some pair of neighbours spends all that is promised: less noise would be too little."""
    assert attack(PACKAGE[function](function)) >= 1 - WASTE


@pytest.mark.parametrize("function", NOT_PRIVATE, ids=lambda f: f.__name__)
def test_the_replay_convicts_what_is_not_private(function):
    with pytest.raises(Told):
        attack(PACKAGE[function](function))


@pytest.mark.parametrize("where", sorted(set(LAWS_INSIDE.values())))
def test_what_is_not_a_sum_has_a_test_of_its_law(where):
    file, name = where.split("::")
    assert f"def {name}(" in (Path(__file__).parent / file).read_text(encoding="utf-8")


def test_vectors_of_a_ball_differ_in_their_sign_alone():
    """What is drawn does not depend on the vector: neighbours send z or -z, and coins of known chances say which."""
    for dimension in (1, 2, 7):
        vectors = rng(dimension).normal(size=(2, 300, dimension)) * [[[1e-300]], [[3]]]
        sent = [local.l2_ball_randomizer(v, radius=2, epsilon=1, rng=rng(5)) for v in (*vectors, 0 * vectors[0])]
        signs = [np.sign(np.sum(other * sent[0], axis=-1, keepdims=True)) for other in sent]
        assert all(np.array_equal(other * sign, sent[0]) for other, sign in zip(sent, signs, strict=True))
        assert {-1, 1} == set(np.concatenate(signs[1:]).ravel())


REAL_DRAWS = {  # who draws anything but whole numbers and orders, and why that tells nothing
    "_staircase._kept: random": "a coin of integer noise, whose rounding is counted",
    "_samplers.directions: normal": "z is sent or -z, and data have no part in z",
    "mechanisms.laplace_idealized: laplace": "not private",
    "mechanisms.gaussian_idealized: normal": "not private",
    "glm.compared.baselines.objective_perturbation_idealized: normal": "not private",
    "parity.reports.learn_parity_locally: random": "ties among what is published already",
    "synthetic._values: random": "people are drawn from what is published already",
    "queries.simulation._report: choice": "what people without data draft",
    "queries.simulation._report: random": "what private answers say of a draft",
}
WHOLE_DRAWS = {"integers", "bytes", "permutation"}


def draws():
    """Every method of a generator that the package calls."""
    for file in sorted(PACKAGE_DIRECTORY.rglob("*.py")):
        module = ".".join(file.relative_to(PACKAGE_DIRECTORY).with_suffix("").parts)
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef) and not module.startswith("book."):
                yield from ((f"{module}.{function.name}", node.attr) for node in ast.walk(function) if is_draw(node))


def is_draw(node):
    return isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("rng", "generator", "_checks.generator(rng)")


def test_no_release_draws_real_numbers():
    assert {f"{where}: {what}" for where, what in draws() if what not in WHOLE_DRAWS} == set(REAL_DRAWS)


# ------------------------------------------------------------------------------------------------- mistakes put back in


def numpys_noise(noise, value, rng):
    return value + rng.laplace(scale=noise.scale, size=value.shape)


def shown_in_a_region(noise, value, rng):
    """The noise is drawn, and forgotten where the answer is large."""
    noisy = ADDED_TO(noise, value, rng)
    return np.where(np.abs(value) > 1e306, value, noisy)


def beside_the_noise(x, **given):
    """A last digit of the data behind the noise: nobody sees it in a histogram of the answers."""
    answers, largest = CLIPPED_MEAN(x, **given), np.asarray(np.asarray(x, dtype=object).astype(float)).max(axis=-1)
    return np.where(largest > 5, np.nextafter(answers, np.inf), answers)


def rounded_far_away(points, weights, unit):
    heaviest, offset = WEIGHTED_MEAN(points, weights, unit)
    return _grid.on_grid(heaviest + offset, unit), 0 * offset


ADDED_TO, CLIPPED_MEAN, WEIGHTED_MEAN = _grid.Noise.added_to, mean.clipped_mean, friendly_mean.weighted_mean
PLANTED = {  # what is wrong: (who shows it, where, its name, what takes its place)
    "noise that is not on the grid": (mechanisms.laplace, _grid.Noise, "added_to", numpys_noise),
    "a sum that is moved to the grid, and not its parts": (
        mechanisms.laplace, _grid, "_sum", lambda base, steps, grid: _grid.on_grid(base + 0.7 * grid + steps * grid, grid)),
    "an answer that is not moved to the grid": (local.local_laplace, _grid, "on_grid", lambda value, grid: value),
    "an answer that shows where it is large": (mechanisms.laplace, _grid.Noise, "added_to", shown_in_a_region),
    "a digit behind the noise": (mean.clipped_mean, None, None, beside_the_noise),
    "a scale that the data move by a billionth": (
        mechanisms.laplace, None, None, ("sensitivity=sensitivity, ", "sensitivity=sensitivity * (1 + 1e-9 * np.any(value == 6)), ")),
    "a thousandth of the noise": (mechanisms.laplace, None, None, ("epsilon=epsilon, ", "epsilon=1000 * epsilon, ")),
    "half of the noise that a choice needs": (mechanisms.exponential, mechanisms, "_winner", ("else 2)", "else 1)")),
    "a mean far away is rounded before the noise": (friendly.friendly_mean, friendly_mean, "weighted_mean", rounded_far_away),
    "the occupied cells say how much noise there is": (
        mean.unbounded_mean, estimators, "_released_cells", ("count_noise(2,", "count_noise(max(counts.size, 1),")),
    "no noise where all weights are the same": (
        aggregation.bounded_mean, _grid.Noise, "added_to_whole", lambda noise, counts, rng: counts * max(noise.unit, noise.grid)),
    "the products with W stand beside the noise": (factorization.release_central, None, None, (
        "factorization.R @ reports", "factorization.R @ (reports - factorization.A @ counts) + factorization.workload @ counts")),
    "an estimate is a float before it meets the noise": (glm.release_with_public_scale, releases, "_with_public_scale", (
        "noise.added_to_fraction(certified.fit.along(u), rng)", "float(certified.fit.along(u)) + noise.added_to_fraction(0, rng)")),
}


def with_mistake(planted, monkeypatch):
    function, owner, name, new = PLANTED[planted]
    if owner is None:
        new = changed(function, *new) if isinstance(new, tuple) else new
        return PACKAGE[function](new)
    monkeypatch.setattr(owner, name, changed(getattr(owner, name), *new) if isinstance(new, tuple) else new)
    return PACKAGE[function](function)


@pytest.mark.parametrize("planted", PLANTED)
def test_a_mistake_is_convicted(planted, monkeypatch):
    cases = list(with_mistake(planted, monkeypatch))
    with pytest.raises(AssertionError):
        attack(cases)
