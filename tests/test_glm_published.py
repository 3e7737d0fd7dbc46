"""The releases first published: what the code releases on an adversarial pair, exactly; golden sizes; corners."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from dplib import _grid
from dplib.aggregation import Refusal, refused
from dplib.glm import LOGISTIC, ROBUST, Ball, Box, Loss, direction_constants, fit_model
from dplib.glm.compared import (
    eigenvalue_ratio_constants, mahalanobis_constants, mismatched_gaussian_delta, published,
    release_with_condition_number, release_with_isotropic_noise, release_with_mahalanobis_scale, shift_generic,
    shift_sharp, shift_source)
from dplib.glm.terms import HALF, Budget, Terms
from dplib.mechanisms import gaussian_sigma
from tests.glm_audit import certified, changed, replaced
from tests.test_glm_vectors import certificates_of, towns

KAPPA, MOVE = 2 + 1 / 1024, ([0.0], [1.0])
BUDGET = dict(epsilon=1, delta=1e-6)
CUBE = Box([(-1, 1)] * 3, intercept=False)


class Fixed:
    """Stands in for `dplib._grid`: all noise is the same number of scales, and nothing is moved to a grid."""

    def __init__(self, number):
        self.number = number

    def __getattr__(self, name):
        return getattr(_grid, name)

    def normal_noise(self, **given):
        scale = _grid.normal_noise(**given).scale
        return SimpleNamespace(scale=scale, added_to_fraction=lambda value, rng: float(value) + scale * self.number)

    def rounded(self, law, centre, factor, **given):
        return np.array([float(c) + sum(row) * self.number for c, row in zip(centre, factor)])


def centre_and_scale(release, X, y, fit, nu, **given):
    """(what the code releases without noise, the scale of its noise in every entry), with the certificate at ν̂; None for a refusal."""
    certify = lambda *args, **kwargs: nu
    read = lambda out: out if isinstance(out, Refusal) else np.atleast_1d(getattr(out, "coefficients", out))
    largest = lambda value, **kwargs: kwargs["smallest_eigenvalue"] * 1.2    # public, and above λ
    names = dict(certify_below=certify, fit_model=lambda *args, **kwargs: fit, certify_largest_eigenvalue=largest)
    with certified(release.func, certify, fit):
        ends = []
        for z in (0, 1):
            with replaced(release.func, **names, _grid=Fixed(z)):
                ends.append(read(release(X, y, **given, rng=np.random.default_rng(0))))
    return None if isinstance(ends[0], Refusal) else (ends[0], (ends[1] - ends[0])[0])


def exact_delta(release, one, other, domain, *, epsilon, delta, spent, paid, left, thin=1024):
    """δ of ε of the code on a pair: over ν̂, which costs (``spent``, ``paid``), and over the noise; ε is ``left`` for both."""
    given = dict(domain=domain, loss=ROBUST, epsilon=epsilon, delta=delta)
    fits = [fit_model(X, y, loss=ROBUST, domain=domain) for X, y in (one, other)]
    (grid, p), (grid_other, q) = (certificates_of(fit, spent, paid) for fit in fits)
    q = np.interp(grid, grid_other, q, left=0, right=0)
    total = p[q == 0].sum()
    grid, p, q = (values[q > 0] for values in (grid, p, q))
    starts = np.arange(0, len(p), thin)
    ends = np.append(starts[1:], len(p)) - 1                                # of each group the certificate with the least noise
    for nu, mass, mass_other in zip(grid[ends] * KAPPA / 1024, np.add.reduceat(p, starts), np.add.reduceat(q, starts)):
        here, there = (centre_and_scale(release, X, y, fit, max(nu, 0), **given) for (X, y), fit in zip((one, other), fits))
        if here is None:
            total += max(mass - np.exp(left) * mass_other, 0)
        else:
            gap = left - np.log(mass / mass_other)
            shift = np.linalg.norm(there[0] - here[0]) / here[1]
            total += mass * mismatched_gaussian_delta(shift=shift, ratio=there[1] / here[1], epsilon=gap)
    return total


ISOTROPIC = (dict(form="sharp"), 1.0, .025, 2.0)  # what the claims audit: options, and (ε, δ) of the certificates, and ε that is left
CONDITION = (dict(move=MOVE, check="exact"), .5, .0125, 1.5)


def largest_delta(release, options, spent, paid, left, dimensions):
    """Of the code on two towns far apart of which one person moves, in both orders, at ε = 2."""
    (one, other), domain = towns(dimensions)
    if dimensions == 1:                                      # a column without an intercept may have any sign
        one, other = ((np.abs(X), y) for X, y in (one, other))
    return max(exact_delta(partial(release, **options, split=.5), *pair, domain, epsilon=2, delta=.05, spent=spent, paid=paid, left=left)
               for pair in ((one, other), (other, one)))


@pytest.mark.slow
@pytest.mark.parametrize("dimensions", [1, 2])
def test_what_the_code_does_to_an_adversarial_pair(dimensions):
    """Within its δ in both directions; with a planted mistake beyond it."""
    audit = lambda module: largest_delta(module.release_with_mahalanobis_scale, dict(move=MOVE), 1.0, .025, 2.0, dimensions)
    assert .01 < audit(published) <= .05
    for mistake in (("constants.length * off * sigma", "constants.length / 2 * sigma"),
                    ("down * off, terms.for_noise", "down * off, terms.for_noise._replace(epsilon=terms.budget.epsilon)")):
        assert audit(changed(*mistake, module=published)) > .05, mistake


@pytest.mark.parametrize("form", ["sharp", "source", "generic"])
def test_a_certificate_that_may_stand_for_less_is_refused(form):
    """Ten people, a flat loss of one's own: many steps of the generic recursion lie below κ, where no eigenvalue is vouched for."""
    flat = Loss("flat", lambda t, y: 500 * ROBUST.value(t / 500, y / 500), lambda t, y: ROBUST.slope(t / 500, y / 500),
                lambda t, y: ROBUST.curvature(t / 500, y / 500) / 500, .001, ROBUST.outcomes)
    for y in (np.full(10, 3000.0), np.r_[np.full(9, 3000.0), -3000.0]):
        for seed in range(20):
            release = release_with_isotropic_noise(
                np.ones((10, 1)), y, domain=Box([(-1, 1)], intercept=False), loss=flat, form=form, epsilon=1, delta=1e-6, split=.5,
                rng=np.random.default_rng(seed))
            assert refused(release)


@pytest.mark.parametrize("ratio", [1.001, 1.004, 1.02])
def test_the_closed_form_of_the_check_is_enough(ratio):
    """Where ``simple`` answers, shift and ratio together stay within (ε₃, δ/2), and ``exact`` needs less noise; beyond, its σ fails."""
    for epsilon, delta in ((1, 1e-6), (8, .01), (2, 1e-3)):
        terms = Terms(Budget(epsilon, delta), split=.5, delta_split=HALF, rows=1)
        sigma = published._checked_multiplier(SimpleNamespace(up=ratio, down=ratio), "simple", terms)
        if np.isfinite(sigma):
            for r in (ratio, 1, 1 / ratio):
                assert mismatched_gaussian_delta(shift=1 / sigma, ratio=r, epsilon=terms.for_noise.epsilon) <= delta / 2
            exact = published._checked_multiplier(SimpleNamespace(up=ratio, down=ratio), "exact", terms)
            assert exact < sigma
    terms = Terms(Budget(1, 1e-6), split=.5, delta_split=HALF, rows=1)
    part = gaussian_sigma(sensitivity=1, epsilon=.25, delta=2.5e-7)
    assert np.isinf(published._checked_multiplier(SimpleNamespace(up=1.05, down=1.05), "simple", terms))
    assert mismatched_gaussian_delta(shift=1 / part, ratio=1 / 1.05, epsilon=terms.for_noise.epsilon) > 1e-6


def people(loss, n=20_000, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.choice([-1.0, 1.0], size=(n, 3))
    t = X @ [.5, -.5, .1]
    return X, t + rng.normal(size=n) if loss is ROBUST else (rng.random(n) < 1 / (1 + np.exp(-t))).astype(float)


@pytest.mark.parametrize("loss", [ROBUST, LOGISTIC], ids=["robust", "logistic"])
@pytest.mark.parametrize("form, shift", [("sharp", shift_sharp), ("source", shift_source), ("generic", None)])
def test_isotropic_noise_has_the_scale_of_its_certificate(loss, form, shift):
    X, y = people(loss)
    split = .25 if form == "sharp" else .5
    given = dict(domain=CUBE, loss=loss, form=form, **BUDGET, split=split)
    released = release_with_isotropic_noise(X, y, **given, rng=np.random.default_rng(3))
    fit = fit_model(X, y, loss=loss, domain=CUBE)
    smallest = np.linalg.eigvalsh(fit.hessian)[0]
    assert .5 * smallest / 3 < released.certificate < smallest / 3
    eigenvalue = 3 * released.certificate / len(X)
    third = {"robust": 3, "logistic": 6}[loss.name] * 3**.5
    t = (shift(eigenvalue=eigenvalue, radius=3**.5, size=len(X)) if shift
         else shift_generic(eigenvalue=eigenvalue, lipschitz=(3**.5, loss.largest_curvature * 3, 3**1.5 / third), size=len(X)))
    sigma = gaussian_sigma(sensitivity=1, epsilon=1 - split, delta=5e-7)
    assert released.prediction_noise == pytest.approx(3**.5 * t * sigma, rel=1e-3)              # κ is 2 + 1/1024
    runs = [release_with_isotropic_noise(X, y, **given, rng=np.random.default_rng(seed)) for seed in range(30)]
    noises = np.array([run.coefficients - fit.theta for run in runs])
    assert np.sqrt(np.mean(noises**2)) == pytest.approx(t * sigma, rel=.35)


@pytest.mark.slow
def test_scales_of_one_coefficient():
    X, y = people(ROBUST)
    fit, move = fit_model(X, y, loss=ROBUST, domain=CUBE), ([0, 0, 0], [1, 0, 0])
    inverse = np.linalg.inv(fit.hessian)
    given = dict(move=move, domain=CUBE, loss=ROBUST, **BUDGET)
    maha, exact, simple = (np.array([release(X, y, **given, rng=np.random.default_rng(seed)) for seed in range(40)]) for release in (
        partial(release_with_mahalanobis_scale, split=.25), partial(release_with_condition_number, check="exact", split=.5),
        partial(release_with_condition_number, check="simple", split=.5)))
    assert np.mean([maha, exact, simple]) == pytest.approx(fit.theta[0], abs=1e-3)
    constants = mahalanobis_constants(nu=fit.nu, changes=KAPPA, added=1, removed=1, largest_curvature=.5)
    at_best = 5.71 * constants.length * np.sqrt(inverse[0, 0])
    assert at_best * .6 < maha.std() < at_best * 1.7
    local = 2 * np.abs(inverse[0]).sum()
    assert 8.35 * local * .6 < exact.std() < 8.35 * local * 1.8 and exact.std() < simple.std()
    values = np.linalg.eigvalsh(fit.hessian / len(X))
    through = eigenvalue_ratio_constants(smallest_eigenvalue=values[0], largest_eigenvalue=values[-1], radius=3**.5, aspect=3**.5,
                                         largest_curvature=.5, size=len(X))
    assert through.up > direction_constants(nu=fit.nu, changes=2, largest_curvature=.5).up      # what the condition number costs


def test_what_the_data_say_never_raises():
    X, y = people(LOGISTIC, n=2000)
    move = (np.zeros(3), np.eye(3)[0])
    for release in (*(partial(release_with_isotropic_noise, form=form) for form in published.FORMS),
                    partial(release_with_mahalanobis_scale, move=move),
                    *(partial(release_with_condition_number, check=check, move=move) for check in published.CHECKS)):
        for data in ((X[:1], y[:1]), (X[:2], y[:2]), (np.ones_like(X), y), (X, (X[:, 0] > 0).astype(float)), (X * 1e300, y)):
            out = release(*data, domain=CUBE, loss=LOGISTIC, **BUDGET, split=.5, rng=np.random.default_rng(2))
            assert isinstance(out, Refusal) or data[0] is not X


def test_what_is_public_and_wrong_is_said():
    X, y = people(ROBUST, n=50)
    rng, move = np.random.default_rng(1), (np.zeros(3), np.eye(3)[0])
    good = dict(domain=CUBE, loss=ROBUST, **BUDGET, split=.5, rng=rng)
    with pytest.raises(ValueError, match="form must be one of"):
        release_with_isotropic_noise(X, y, **good, form="exact")
    with pytest.raises(ValueError, match="check must be one of"):
        release_with_condition_number(X, y, **good, move=move, check="sharp")
    with pytest.raises(ValueError, match="one_hot"):
        release_with_condition_number(X, y, **good | dict(domain=Box([(0, 1)] * 3, one_hot=[(0, 1, 2)])), move=move, check="exact")
    for name, value in (("epsilon", 0), ("delta", .5), ("split", 1), ("loss", "robust")):
        for release in (partial(release_with_isotropic_noise, form="sharp"), partial(release_with_mahalanobis_scale, move=move),
                        partial(release_with_condition_number, move=move, check="exact")):
            with pytest.raises(ValueError, match=name):
                release(X, y, **good | {name: value})
    with pytest.raises(TypeError, match="rng"):
        release_with_isotropic_noise(X, y, **good | dict(rng=None), form="sharp")


def test_a_ball_is_better_for_the_condition_number():
    """Its domain has the aspect 1: it answers where that of a cube refuses."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(7000, 5))
    X *= 5**.5 / np.linalg.norm(X, axis=1, keepdims=True)
    y = X[:, 0] + rng.normal(size=7000)
    given = dict(move=(np.zeros(5), np.eye(5)[0]), loss=ROBUST, check="exact", **BUDGET, split=.5)
    on_ball, in_cube = (release_with_condition_number(X, y, domain=domain, **given, rng=rng)
                        for domain in (Ball(5**.5, columns=5), Box([(-5**.5, 5**.5)] * 5, intercept=False)))
    assert on_ball == pytest.approx(1, abs=.2) and refused(in_cube)
