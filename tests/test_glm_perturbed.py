"""A perturbed objective as it is computed: its numbers, and what chooses it."""

import math

import numpy as np
import pytest

from dplib import _grid, glm
from dplib.aggregation import refused
from dplib.glm import (
    LOGISTIC, ROBUST, Ball, Box, fit_model, perturbed, release_by_perturbed_objective, release_coefficient,
    release_vector_by_perturbed_objective, releases)
from dplib.glm.fits import Records, settled_fit, settled_rounding
from dplib.glm.perturbed import LEAST_RIDGE, perturbation, typical_noise

KINDS = Box([(0, 1)] * 3 + [(0, 10)], one_hot=[(0, 1, 2)])
DOMAINS = [Box([(0, 1)] * 4, binary=range(4)), KINDS, Ball(2, columns=3)]


def data(size, domain, loss, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 1, size=(size, domain.columns))
    return X, (rng.random(size) < .4) * 1.0 if loss is LOGISTIC else rng.standard_cauchy(size) * 50


@pytest.mark.parametrize("loss", [LOGISTIC, ROBUST], ids=lambda loss: loss.name)
@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_the_gradient_is_as_small_as_the_proof_says(domain, loss):
    """From no records to 3000, for ridges from the least on and tilts up to the largest normal numbers."""
    rng = np.random.default_rng(2)
    for size in (0, 1, 30, 3000):
        X, y = data(size, domain, loss, size)
        for ridge in (LEAST_RIDGE, 1, 300):
            for tilt in (0, 30, 1e6):
                b = rng.normal(size=domain.dimension) * tilt
                records = Records.read(X, y, None, domain=domain, loss=loss)
                fit = settled_fit(records, domain=domain, loss=loss, ridge=ridge * domain.reach**2, tilt=b)
                assert fit.gradient <= 4 * settled_rounding(size, domain, loss, domain.dual(b))


def test_normal_numbers_that_are_near():
    drawn = _grid.near_normals((20_000,), np.random.default_rng(1))
    assert abs(drawn.mean()) < .04 and abs(drawn.std() - 1) < .03 and np.abs(drawn).max() < _grid.LARGEST_NORMAL
    assert (drawn * 2**40 == np.rint(drawn * 2**40)).all()


def test_its_numbers():
    found = perturbation(radius=5**.5, largest_curvature=.25, epsilon=1.0, rows_per_unit=1)
    assert found == pytest.approx((5 / 4 / np.expm1(.2), 2 * 5**.5 / .8))
    assert perturbation(radius=2.0, largest_curvature=.25, epsilon=400.0, rows_per_unit=1).ridge == 4 * LEAST_RIDGE
    assert perturbation(radius=2.0, largest_curvature=.25, epsilon=1.0, rows_per_unit=3).tilt == 15


ONE, ALL = np.array([[0.0, 2.0, 0.0]]), np.eye(3)  # what is asked of θ


def spent(epsilon, rows, monkeypatch, asked=ONE, normals=1.0):
    """What a release with this ε costs, by the lemmas, from the ridge, the tilt and the last noise that it ends up with."""
    domain, found = Box([(0, 1)] * 2), {"last": []}
    settled, drawn = perturbed.settled_fit, np.arange(1, 8) * normals
    X, y = data(40, domain, LOGISTIC)

    def fitted(*args, ridge, tilt, **given):
        found.update(ridge=ridge, tilt=tilt)
        return settled(*args, ridge=ridge, tilt=tilt, **given)

    def noted(noise, value, rng):
        found["last"].append(noise.scale)
        return 0.0

    def counted(noise, size, rng):
        found.update(size=size, size_scale=noise.scale)
        return float(size)
    given = dict(domain=domain, loss=LOGISTIC, epsilon=epsilon, rows_per_unit=rows, rng=np.random.default_rng(1))
    with monkeypatch.context() as patched:
        patched.setattr(perturbed, "settled_fit", fitted)
        patched.setattr(_grid, "near_normals", lambda shape, rng: drawn.copy())
        patched.setattr(_grid.Noise, "added_to_fraction", noted)
        patched.setattr(_grid.Noise, "added_to_whole", counted)
        if asked is ONE:
            release_by_perturbed_objective(X, y, move=([0, 0], [1, 0]), **given)
        else:
            release_vector_by_perturbed_objective(X, y, **given)
    assert len(found["last"]) == len(asked) and len(set(found["last"])) == 1
    scale = np.linalg.norm(found["tilt"]) / np.linalg.norm(np.arange(1, 4)) / np.linalg.norm(np.arange(4, 8))
    assert found["size"] == 40
    most = 40 + math.ceil(700 * found["size_scale"] + rows)
    within = perturbed.computed_within(size=most, asked=asked, domain=domain, loss=LOGISTIC, ridge=found["ridge"], tilt=scale)
    of_the_size = rows / found["size_scale"]
    return rows * np.log1p(3 / 4 / found["ridge"]) + 2 * rows * 3**.5 / scale + of_the_size + 2 * within / found["last"][0]


@pytest.mark.parametrize("asked", [ONE, ALL], ids=["one", "all"])
def test_less_noise_is_noticed(asked, monkeypatch):
    """What determinants, tilts and the last noise may tell is all of ε, and more if ε is taken for more or the tilt is smaller."""
    for rows in (1, 4):
        assert 1 - 1e-6 < spent(1.0, rows, monkeypatch, asked) <= 1
        for factor in (1000, 2, 1 / .9):
            assert spent(factor, rows, monkeypatch, asked) > 1.01
            assert spent(1.0, rows, monkeypatch, asked, normals=1 / factor) > 1.01


@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_all_is_off_by_no_more_than_its_entries_together(domain):
    """One and all are bounded by one rule: for all, √d times what the length of θ may be off, and no entry is off by more."""
    given = dict(size=40, domain=domain, loss=LOGISTIC, ridge=3.0, tilt=5.0)
    every = perturbed.computed_within(asked=np.eye(domain.dimension), **given)
    for u in np.eye(domain.dimension):
        assert every == pytest.approx(domain.dimension**.5 * perturbed.computed_within(asked=u[np.newaxis], **given), rel=1e-12)


@pytest.mark.parametrize("domain, X", [(Box([(0, 1), (18, 65)], binary=[0]), [0, 18]), (Ball(2, columns=3), [0, 0, 0])],
                         ids=["box", "ball"])
def test_all_and_one_come_from_one_minimiser(domain, X, monkeypatch):
    """With the same tilt a difference of two coefficients is what `release_by_perturbed_objective` says of the move, up to the last noise;
    and the coefficients are for X as it was measured."""
    rng = np.random.default_rng(5)
    rows, units = np.array(X) + rng.uniform(0, 1, size=(500, domain.columns)), rng.integers(2, size=500)
    tilt = rng.normal(size=2 * domain.dimension + 1)
    monkeypatch.setattr(_grid, "near_normals", lambda shape, rng: tilt.copy())
    given = dict(domain=domain, loss=LOGISTIC, epsilon=1, rows_per_unit=1, rng=rng)
    theta = release_vector_by_perturbed_objective(rows, units, **given)
    end = np.array(X) + np.eye(domain.columns)[-1]
    found = release_by_perturbed_objective(rows, units, move=(X, end), **given)
    assert found == pytest.approx(theta[-1], abs=1e-4)             # 20 times the last noise, with the bound for 50,000 records
    assert theta.shape == (domain.dimension,)


@pytest.mark.parametrize("release, more", [
    (release_by_perturbed_objective, dict(move=([0, 0], [1, 0]))), (release_vector_by_perturbed_objective, {})])
def test_what_is_asked_wrongly_is_named(release, more):
    good = dict(domain=Box([(0, 1)] * 2), loss=LOGISTIC, epsilon=1, rows_per_unit=1, rng=np.random.default_rng(1)) | more
    for name, value, said in (("domain", None, "domain must be a Box or a Ball, got None"),
                              ("loss", "logistic", "loss must be a Loss, .* got 'logistic'"),
                              ("epsilon", 0, "epsilon must be finite and above 0"), ("epsilon", 2e-7, r"epsilon must be at least 2\*\*-20"),
                              ("rows_per_unit", 0, "rows_per_unit must be at least 1"), ("rng", 1, "rng must be")):
        with pytest.raises((ValueError, TypeError), match=said):
            release(np.zeros((3, 2)), [0, 1, 0], **good | {name: value})
    rng = np.random.default_rng(1)
    before = rng.bit_generator.state
    with pytest.raises(ValueError, match="X must"):
        release(np.full((3, 2), np.nan), [0, 1, 0], **good | dict(rng=rng))
    assert rng.bit_generator.state == before


@pytest.mark.parametrize("rows, epsilon", [(1, 1.0), (3, .1), (2**20, 2.0**-26)])
def test_a_bound_of_the_size_holds_for_both_of_a_pair_and_tells_little(rows, epsilon, monkeypatch):
    """Its noise has the scale of its promise; 700 scales below the mean it is still above the larger size of a pair."""
    found, drawn = [], _grid.Noise.added_to_whole

    def farthest(noise, size, rng):
        found.append(noise.scale)
        return float(size) - 700 * noise.scale
    monkeypatch.setattr(_grid.Noise, "added_to_whole", farthest)
    assert perturbed._size_bound(1000, rows=rows, epsilon=epsilon, rng=None) >= 1000 + rows
    assert 1 <= found[0] * epsilon / rows < 1.01
    monkeypatch.setattr(_grid.Noise, "added_to_whole", drawn)
    bounds = [perturbed._size_bound(size, rows=rows, epsilon=epsilon, rng=np.random.default_rng(1)) for size in (1000, 1000 + rows)]
    assert 0 <= bounds[1] - bounds[0] - rows <= 1 and bounds[0] > 1000 + 600 * found[0]


def test_the_last_noise_follows_the_bound_and_not_the_size(monkeypatch):
    """Once it had the scale of the size itself, which units of different sizes may change: its grid told."""
    seen, given = [], dict(domain=Box([(0, 1)] * 2), loss=LOGISTIC, epsilon=1, rows_per_unit=2)
    covering = perturbed.covering_noise
    monkeypatch.setattr(perturbed, "_size_bound", lambda size, **public: 10**6)
    monkeypatch.setattr(perturbed, "covering_noise", lambda **how: seen.append(how["within"]) or covering(**how))
    for size in (30, 31, 900):
        release_vector_by_perturbed_objective(*data(size, given["domain"], LOGISTIC), **given, rng=np.random.default_rng(1))
    assert len(set(seen)) == 1


def test_its_error_is_about_what_its_docstring_says():
    rng, domain = np.random.default_rng(3), Box([(0, 1)] * 4, binary=range(4))
    X = rng.integers(2, size=(4000, 4))
    y, u = (rng.random(4000) < .5) * 1.0, 2 * np.eye(5)[1]
    fit = fit_model(X, y, loss=LOGISTIC, domain=domain)
    given = dict(move=([0] * 4, [1, 0, 0, 0]), domain=domain, loss=LOGISTIC, epsilon=1, rows_per_unit=1, rng=rng)
    errors = [release_by_perturbed_objective(X, y, **given) - float(fit.along(u)) for _ in range(100)]
    expected = 2.6 * 5**.5 * 6**.5 * np.linalg.norm(fit.inverse(u))
    assert .7 < np.sqrt(np.mean(np.square(errors))) / expected < 1.3


def even(size, seed, columns=10):
    rng = np.random.default_rng(seed)
    X = rng.integers(2, size=(size, columns))
    given = dict(move=([0] * columns, [1] + [0] * (columns - 1)), domain=Box([(0, 1)] * columns, binary=range(columns)),
                 loss=LOGISTIC, epsilon=1, delta=1e-6, rows_per_unit=1)
    return (X, (rng.random(size) < 1 / (1 + np.exp(.25 - .5 * X[:, 0]))) * 1.0), given


def test_where_the_certificate_is_just_above_its_margin():
    """Ten even features and 4500 people: without the fallback a release refuses or is far off."""
    errors, fallen = {False: [], True: []}, []
    for seed in range(12):
        (X, y), given = even(4500, seed)
        truth = 2 * fit_model(X, y, loss=LOGISTIC, domain=given["domain"]).theta[1]
        for fallback in errors:
            answer = release_coefficient(X, y, **given, fallback=fallback, rng=np.random.default_rng(seed))
            errors[fallback].append(np.inf if refused(answer) else abs(answer.value - truth))
        fallen.append(answer)
    assert np.median(errors[True]) < .15 and np.median(errors[False]) > 3 * np.median(errors[True])
    assert {answer.mechanism for answer in fallen} == {"perturbed objective"}
    for answer in fallen:
        assert answer.interval() == answer.noise_interval() == (-np.inf, np.inf) and answer.noise_scale == np.inf
        assert (answer.epsilon, answer.delta) == (1, 1e-6)


def test_a_fallback_that_is_not_needed_changes_nothing():
    (X, y), given = even(12_000, 1)
    one, two = (release_coefficient(X, y, **given, fallback=fallback, rng=np.random.default_rng(1)) for fallback in (False, True))
    assert one == two and one.mechanism == "fitted scale"


def test_the_choice_is_a_matter_of_the_certificate():
    """It falls back below a certificate that grows with the dimension, and always where there is no public scale."""
    terms = lambda domain: glm.terms.Terms.planned(epsilon=1, delta=1e-6, split=.3, rows_per_unit=1, delta_split=.5)
    kappa = 2 + 2**-10
    for domain in (Box([(0, 1)], binary=[0]), Box([(0, 1)] * 3), Box([(0, 1)] * 10)):
        falls_back = lambda nu: releases.falls_back(nu, kappa, terms(domain), 2 * np.eye(domain.dimension)[-1], domain)
        found = [falls_back(nu) for nu in np.linspace(0, 1000, 401)]
        assert found[0] and falls_back(kappa)
        assert found == sorted(found, reverse=True) and not found[-1]
    assert typical_noise(radius=2, dimension=4, nu=100, epsilon=1, rows_per_unit=1) == pytest.approx(
        4 / .8 * 5**.5 * 2**-.75 / 100)


def test_data_that_say_nothing_are_answered():
    (X, y), given = even(0, 1, columns=2)
    answer = release_coefficient(X, y, **given, fallback=True, rng=np.random.default_rng(1))
    assert answer.certificate == 0 and abs(answer.value) < 1000
    with pytest.raises(ValueError, match="epsilon must be at least 2..-20, got 1e-09"):
        release_by_perturbed_objective(X, y, **{k: v for k, v in given.items() if k != "delta"} | dict(epsilon=1e-9),
                                       rng=np.random.default_rng(1))
