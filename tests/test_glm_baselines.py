"""The baselines: their noise against its exact distribution, their bounds against the worst data, mistakes that must show."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import norm

from dplib import mechanisms
from dplib.glm import LOGISTIC, ROBUST, Ball, Box, fit_model, release_from_table
from dplib.glm.compared import (
    objective_perturbation_idealized, objective_perturbation_scales, oracle, release_by_noisy_gradients,
    release_with_ridge)
from tests.chance import FAR
from tests.noise import no_noise

LINE = Ball(1, columns=1)
TWO = Box([(-1, 1)], binary=[0])


class NoNoise(np.random.Generator):
    """A generator whose Laplace noise is 0."""

    def __init__(self):
        super().__init__(np.random.PCG64(1))

    def laplace(self, loc=0.0, scale=1.0, size=None):
        self.scale = scale
        return np.zeros(() if size is None else size)


# ------------------------------------------------------------------------------------------------------------------- a ridge

def ridge_move(ridge, size=6):
    """How far the ridge fit moves when one record of saturated ones turns round, on the line and on a square."""
    moves = []
    for domain, x in ((LINE, [1.0]), (TWO, [1.0]), (Box([(-1, 1)] * 3), [1.0, 1.0, 1.0])):
        y = np.r_[np.full(size, 1e6), np.full(size, -1e6)]
        fits = [fit_model(np.tile(x, (2 * size, 1)), data, loss=ROBUST, domain=domain, changes=0, ridge=ridge).theta
                for data in (y, np.r_[-1e6, y[1:]])]
        moves.append(np.linalg.norm(fits[0] - fits[1]) * ridge / domain.reach)
    return moves


def test_a_ridge_fit_moves_by_twice_the_radius_over_the_ridge_and_no_farther():
    for ridge in (.5, 1.0, 20.0):
        assert np.allclose(ridge_move(ridge), 2, rtol=1e-6)


def test_noise_of_the_ridge_fit():
    y = np.r_[np.full(6, 3.0), -1.0]
    with no_noise() as asked:
        theta = release_with_ridge(np.ones((7, 1)), y, loss=ROBUST, domain=LINE, ridge=2, epsilon=1, delta=1e-6,
                                   rng=np.random.default_rng(1))
    assert np.allclose(theta, fit_model(np.ones((7, 1)), y, loss=ROBUST, domain=LINE, changes=0, ridge=2).theta)
    assert np.isclose(asked[0].scale, mechanisms.gaussian_sigma(sensitivity=1, epsilon=1, delta=1e-6) * (2 + 1 / 1024) / 2)


# ------------------------------------------------------------------------------------------------------ a tilted objective

def test_scales_of_the_tilt():
    ridge, sd = objective_perturbation_scales(epsilon=1, delta=1e-6, split=.5, radius=math.sqrt(5), largest_curvature=.5)
    assert f"{ridge:.6f} {sd:.4f}" == "3.853735 37.3348"


@pytest.mark.parametrize("epsilon, delta, split", [(1, 1e-6, .5), (1, .3, .5), (.1, .05, .2), (4, 1e-3, .9), (1, .9, .5)])
def test_the_tilt_is_enough_on_a_fine_grid_and_hardly_more(epsilon, delta, split):
    sd = objective_perturbation_scales(epsilon=epsilon, delta=delta, split=split, radius=1, largest_curvature=.25)[1]
    angles = np.linspace(1e-9, math.pi / 4, 20_001)

    def spent(sd):
        parts = [2 * mechanisms.gaussian_delta(sigma=sd, sensitivity=2 * f(angles), epsilon=(1 - split) * epsilon)
                 for f in (np.cos, np.sin)]
        return max(parts[0] + parts[1])
    assert spent(sd) <= delta < spent(.99 * sd)


def tilted_delta(ridge, sd, epsilon, data, other, loss=ROBUST):
    """The exact δ(ε) of the minimiser on the line: θ has the density φ(b) |db/dθ|, b = -(Σ h' + Λθ)."""
    theta = np.linspace(-12 * sd / ridge - 20, 12 * sd / ridge + 20, 400_001)

    def density(y):
        b = -(sum(loss.slope(theta, value) for value in y) + ridge * theta)
        return norm.pdf(b, scale=sd) * (sum(loss.curvature(theta, value) for value in y) + ridge)
    p, q = density(data), density(other)
    step = theta[1] - theta[0]
    assert abs(p.sum() * step - 1) < 1e-6 and abs(q.sum() * step - 1) < 1e-6
    return max(np.maximum(p - math.exp(epsilon) * q, 0).sum(), np.maximum(q - math.exp(epsilon) * p, 0).sum()) * step


PAIRS = [([40.], [-40.]), ([0.], [40.]), ([0.], [-3.]), ([2.], [0.]), ([0., 0.], [0., 30.]), ([-1., 1.], [-1., -1.])]


@pytest.mark.parametrize("epsilon, delta, split", [(1, 1e-2, .5), (.5, 1e-3, .2), (2, .1, .3)])
def test_the_minimiser_of_a_tilted_objective_is_private(epsilon, delta, split):
    ridge, sd = objective_perturbation_scales(epsilon=epsilon, delta=delta, split=split, radius=1, largest_curvature=.5)
    assert max(tilted_delta(ridge, sd, epsilon, *pair) for pair in PAIRS) <= delta


@pytest.mark.parametrize("wrong", [dict(ridge=.1), dict(sd=.4)])
def test_too_small_a_ridge_and_too_little_tilt_are_seen(wrong):
    epsilon, delta = 1, 1e-2
    ridge, sd = objective_perturbation_scales(epsilon=epsilon, delta=delta, split=.5, radius=1, largest_curvature=.5)
    assert max(tilted_delta(ridge * wrong.get("ridge", 1), sd * wrong.get("sd", 1), epsilon, *pair) for pair in PAIRS) > delta


def test_the_minimiser_is_that_of_the_tilted_objective():
    rng, domain = np.random.default_rng(3), Box([(-1, 1)] * 2)
    X, y = rng.uniform(-1, 1, (50, 2)), rng.normal(size=50)
    theta = objective_perturbation_idealized(X, y, loss=ROBUST, domain=domain, epsilon=1, delta=1e-6, split=.3,
                                             rng=np.random.default_rng(5))
    ridge, sd = objective_perturbation_scales(epsilon=1, delta=1e-6, split=.3, radius=math.sqrt(3), largest_curvature=.5)
    tilt = np.random.default_rng(5).normal(scale=sd, size=3)
    design = domain.design(X)
    assert np.abs(design.T @ np.tanh((design @ theta - y) / 2) + ridge * theta + tilt).max() < 1e-8


# ---------------------------------------------------------------------------------------------------------- noisy gradients

def test_one_noisy_step():
    y, size = np.array([3.0, 5.0, -1.0, 2.0]), 200_000
    rng = np.random.default_rng(2)
    sd = float(mechanisms.gaussian_sigma(sensitivity=2, epsilon=1, delta=1e-3))
    given = dict(loss=ROBUST, domain=LINE, iterations=1, step=2, epsilon=1, delta=1e-3)
    drawn = np.array([release_by_noisy_gradients(np.ones((4, 1)), y, **given, rng=rng)[0] for _ in range(size // 100)])
    mean, scale = np.tanh(y / 2).sum() / 2, sd / 2
    assert abs(drawn.mean() - mean) < FAR * scale / math.sqrt(drawn.size)
    assert abs(drawn.std() / scale - 1) < FAR / math.sqrt(2 * drawn.size)


def saturated_delta(iterations, epsilon, delta, root=math.sqrt):
    """δ(ε) of all steps on the worst pair: every gradient differs by 2r."""
    sd = mechanisms.gaussian_sigma(sensitivity=2 * root(iterations), epsilon=epsilon, delta=delta)
    return float(mechanisms.gaussian_delta(sigma=sd, sensitivity=2 * math.sqrt(iterations), epsilon=epsilon))


def test_all_steps_together_spend_delta_and_no_more():
    for iterations in (1, 7, 60):
        given = dict(loss=ROBUST, domain=LINE, iterations=iterations, step=1, epsilon=1, delta=1e-6)
        with no_noise() as asked:
            release_by_noisy_gradients(np.ones((4, 1)), np.zeros(4), **given, rng=np.random.default_rng(1))
        assert len(asked) == iterations and len(set(asked)) == 1
        spent = mechanisms.gaussian_delta(sigma=asked[0].scale, sensitivity=2 * math.sqrt(iterations), epsilon=1)
        assert math.isclose(spent, 1e-6, rel_tol=1e-6)
        assert iterations == 1 or saturated_delta(iterations, 1, 1e-6, root=lambda T: 1) > 1e-4


def test_steps_without_noise_arrive():
    rng = np.random.default_rng(1)
    X = rng.choice([-1.0, 1.0], (400, 2))
    y = X @ [1, -1] + rng.normal(size=400)
    domain = Box([(-1, 1)] * 2)
    given = dict(loss=ROBUST, domain=domain)
    with no_noise():
        theta = release_by_noisy_gradients(X, y, **given, iterations=200, step=2, epsilon=1, delta=1e-6, rng=rng)
    assert np.allclose(theta, fit_model(X, y, **given, changes=0).theta, atol=1e-8)


# -------------------------------------------------------------------------------------------------------------- a noisy table

def test_every_person_is_counted_in_the_right_cell():
    domain = Box([(0, 1), (5, 9), (0, 1), (0, 1)], binary=[0, 1], one_hot=[(2, 3)])
    kinds = [(a, b, *group) for a, b, group in itertools.product((0, 1), (5, 9), ((0, 0), (1, 0), (0, 1)))]
    rng = np.random.default_rng(4)
    X, y = np.repeat(kinds, 40, axis=0), rng.integers(0, 2, 480)
    theta = release_from_table(X, y, domain=domain, epsilon=1e9, noise="discrete_laplace", rng=rng)
    assert np.allclose(theta, fit_model(X, y, loss=LOGISTIC, domain=domain, changes=0).theta, atol=1e-9)


def test_the_noise_of_the_table():
    """400 tables of two arms: the contrast varies as the noise of four counts lets it."""
    X, y = np.repeat([0.0, 1.0], 2000)[:, None], np.tile([0, 1], 2000)
    rng, domain, epsilon = np.random.default_rng(6), Box([(0, 1)], binary=[0]), 1
    drawn = np.array([2 * release_from_table(X, y, domain=domain, epsilon=epsilon, noise="laplace", rng=rng)[1] for _ in range(400)])
    sd = math.sqrt(4 * 2 * (2 / epsilon)**2) / 1000     # of a log-odds: sqrt(Σ Var/count²)
    assert abs(drawn.mean()) < FAR * sd / math.sqrt(drawn.size)
    assert abs(drawn.std() / sd - 1) < 6.5 * 1.2 / math.sqrt(2 * drawn.size)


def test_the_table_wants_cells():
    for domain in (LINE, Box([(0, 1)]), Box([(0, 1)] * 2, binary=[1]), Box([(0, 1)] * 22, binary=range(22))):
        with pytest.raises(ValueError, match="domain"):
            release_from_table(np.zeros((5, domain.columns)), np.zeros(5), domain=domain, epsilon=1, noise="laplace",
                               rng=np.random.default_rng(1))


def test_an_empty_looking_table_has_an_answer():
    domain, rng = Box([(0, 1)], binary=[0]), np.random.default_rng(1)
    theta = release_from_table(np.zeros((3, 1)), np.ones(3), domain=domain, epsilon=.1, noise="laplace", rng=rng)
    assert theta.shape == (2,) and np.isfinite(theta).all()


# ----------------------------------------------------------------------------------------------------------------- the oracle

def test_the_oracle_has_the_noise_of_the_data():
    y, rng = np.r_[np.zeros(502), np.full(498, -1000.0)], NoNoise()
    place = oracle(np.ones((1000, 1)), y, move=([0], [1]), loss=ROBUST, domain=LINE, epsilon=2, rng=rng)
    assert math.isclose(place, -math.log(250), rel_tol=1e-6)
    assert math.isclose(rng.scale, 502 / 2000, rel_tol=1e-6)       # H = 2000/502


def test_public_arguments_are_checked():
    X, y, rng = np.zeros((5, 1)), np.zeros(5), np.random.default_rng(1)
    given = dict(loss=ROBUST, domain=TWO, epsilon=1, delta=1e-6, rng=rng)
    for release, wrong in ((release_with_ridge, dict(ridge=0)), (release_with_ridge, dict(ridge=1, delta=1)),
                           (objective_perturbation_idealized, dict(split=1)), (release_by_noisy_gradients, dict(iterations=0, step=1)),
                           (release_by_noisy_gradients, dict(iterations=3, step=-1))):
        with pytest.raises(ValueError):
            release(X, y, **given | wrong)
    with pytest.raises(TypeError):
        release_by_noisy_gradients(X, y, **given | dict(iterations=3, step=1, rng=7))
