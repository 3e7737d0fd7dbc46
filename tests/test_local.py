"""local: exact probabilities on a lattice of coins, moments of vectors, sizes against sums over all coins."""

import itertools

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom

from dplib import _samplers
from dplib.local import (
    l2_ball_randomizer,
    l2_ball_scale,
    local_gaussian,
    local_laplace,
    local_mean_interval,
    local_mean_sample_size,
    local_mean_sample_size_lower_bound,
    local_randomized_response,
)
from dplib.mechanisms import gaussian_sigma
from tests.chance import FAR, rng, standard_errors

EPSILONS = [1e-3, 0.1, 1.0, 3.0]


class Lattice(np.random.Generator):
    """Uniform numbers that take every value of a lattice once, each call along an axis of its own."""

    def __init__(self, side):
        super().__init__(np.random.PCG64(0))
        self.side, self.calls = side, 0

    def random(self, shape):
        axis, self.calls = self.calls, self.calls + 1
        grid = (np.arange(self.side) + 0.5) / self.side
        return np.broadcast_to(grid[:, np.newaxis] if axis == 0 else grid, shape)


# ------------------------------------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("value", [-1, -0.3, 0.0, 0.5, 1.0])
def test_reports_have_the_stated_probability_and_mean(value, epsilon):
    side = 1000
    reports = local_randomized_response(np.full((side, side), value), epsilon=epsilon, rng=Lattice(side))
    c = 1 / np.tanh(epsilon / 2)
    assert set(np.unique(reports)) <= {c, -c}
    assert abs(np.mean(reports > 0) - (0.5 + value / (2 * c))) < 1e-3
    assert abs(np.mean(reports) - value) < 2e-3 * c


@pytest.mark.parametrize("epsilon", [*EPSILONS, 40.0, 700.0, 1e5])
def test_a_lie_is_never_rarer_than_stated(epsilon, monkeypatch):
    """The probability of a lie, from the coin that the code tosses: it is a float, and it is tossed exactly."""
    tossed = []
    monkeypatch.setattr(_samplers, "bernoulli", lambda p, shape, rng: tossed.append(p) or np.zeros(shape, dtype=bool))
    local_randomized_response(1, epsilon=epsilon, rng=rng())
    with mpmath.workdps(400):
        lie = mpmath.mpf(float(tossed[-1]))
        assert (1 - lie) / lie <= mpmath.exp(epsilon)
        assert epsilon > 700 or (1 - lie) / lie >= mpmath.exp(epsilon) * (1 - mpmath.mpf(2) ** -48)


def test_values_outside_are_clipped_and_shapes_are_kept():
    far, near = np.array([[7, -1e308, 0.5]]), np.array([[1, -1, 0.5]])
    for f in (local_randomized_response, local_laplace):
        np.testing.assert_array_equal(f(far, epsilon=1, rng=rng(3)), f(near, epsilon=1, rng=rng(3)))
        assert f(0.5, epsilon=1, rng=rng()).shape == () and f([], epsilon=1, rng=rng()).shape == (0,)
    assert far[0, 0] == 7


def test_moments_of_reports():
    size, epsilon = 400_000, 1.5
    x = np.where(rng(1).random(size) < 0.7, 1, -0.5)                         # mean 0.55, variance 0.4725
    c = 1 / np.tanh(epsilon / 2)
    for f, variance, fourth in ((local_randomized_response, c**2 - 0.55**2, c**4),
                                (local_laplace, 8 / epsilon**2 + 0.4725, 24 * (2 / epsilon) ** 4 + 20)):
        sent = f(x, epsilon=epsilon, rng=rng(2))
        assert abs(sent.mean() - 0.55) < FAR * np.sqrt(variance / size)
        assert abs(np.var(sent) - variance) < FAR * np.sqrt(fourth / size)


def test_huge_and_tiny_epsilon():
    assert local_randomized_response(1, epsilon=1e5, rng=rng()) == 1
    assert np.abs(local_randomized_response(1, epsilon=1e-9, rng=rng())) == pytest.approx(2e9)
    for f in (local_randomized_response, local_laplace):
        with pytest.raises(ValueError, match="epsilon"):
            f(1, epsilon=1e-320, rng=rng())


@pytest.mark.parametrize("f", [local_randomized_response, local_laplace])
def test_arguments_are_named(f):
    for wrong in ({"epsilon": 0}, {"epsilon": np.nan}, {"values": [0, np.inf]}, {"values": "a"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            f(**({"values": 0, "epsilon": 1} | wrong), rng=rng())
    with pytest.raises(TypeError, match="rng"):
        f(0, epsilon=1, rng=1)


# ------------------------------------------------------------------------------------------------------ the other half


def covers(ends, mean):
    return (ends[..., 0] <= mean) & (mean <= ends[..., 1])


@pytest.mark.parametrize("epsilon", [0.1, 1, 5])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_an_interval_of_reports_covers_as_often_as_promised(epsilon, level):
    """For every mean, by enumeration of the number of reports c: never less, and nowhere near always for most of them."""
    n, c = 60, 1 / np.tanh(epsilon / 2)
    ups = np.arange(n + 1)
    ends = local_mean_interval(np.where(np.arange(n) < ups[:, None], c, -c), epsilon=epsilon, level=level)
    means = np.linspace(-1, 1, 201)
    chance = binom.pmf(ups[:, None], n, (1 + means / c) / 2)
    covered = np.sum(chance * covers(ends[:, None], means), axis=0)
    assert covered.min() >= level - 1e-12 and np.median(covered) < level + 0.13
    narrower = np.stack([ends.mean(axis=1) * 0.1 + ends[:, 0] * 0.9, ends.mean(axis=1) * 0.1 + ends[:, 1] * 0.9], axis=-1)
    assert np.sum(chance * covers(narrower[:, None], means), axis=0).min() < level  # so that the check can fail


def test_clients_and_a_server():
    """Each person sends one message, on their own; the values are skewed, and the mean is that of the population."""
    source, runs, n = rng(21), 400, 500
    values = np.where(source.uniform(size=(runs, n)) < 0.05, 1.0, -0.9)
    reports = local_randomized_response(values, epsilon=2, rng=source)
    covered = np.sum(covers(local_mean_interval(reports, epsilon=2, level=0.9), -0.805))
    assert standard_errors(covered, runs, 0.9) > -FAR and covered < runs
    one = [float(local_randomized_response(value, epsilon=2, rng=source)) for value in values[0]]
    low, high = local_mean_interval(one, epsilon=2)
    assert low < np.clip(np.mean(one), -1, 1) <= high


def test_reports_of_another_epsilon_are_refused():
    reports = local_randomized_response([1, -1, 0.5], epsilon=1, rng=rng())
    assert np.all(local_mean_interval(np.nextafter(reports, np.inf), epsilon=1) == local_mean_interval(reports, epsilon=1))
    for wrong in ({"reports": [1, -1]}, {"reports": 2.0}, {"reports": []}, {"epsilon": 1.1}, {"epsilon": 0}, {"level": 1}):
        with pytest.raises(ValueError, match="reports" if wrong == {"epsilon": 1.1} else next(iter(wrong))):
            local_mean_interval(**({"reports": reports, "epsilon": 1} | wrong))


# ---------------------------------------------------------------------------------------------------------- how many


def test_golden_sizes():
    assert local_mean_sample_size(accuracy=0.05, epsilon=1, beta=0.05) == int(np.ceil(2 / np.tanh(0.5) ** 2 * 400 * np.log(40)))
    bound = local_mean_sample_size_lower_bound(accuracy=0.05, epsilon=[[0.1], [1]], beta=[0.05, 0.25])
    assert bound.tolist() == [[433_607, 72_911], [5_067, 853]] and bound.dtype == np.int64


@pytest.mark.parametrize("accuracy, epsilon, beta", [*itertools.product((0.2, 0.5, 1.0), (0.5, 1.0, 5.0), (0.4, 0.05, 1e-3))])
def test_lower_bound_is_the_first_majority_that_is_right(accuracy, epsilon, beta):
    wrong = lambda n: binom.cdf((n - 1) // 2, n, (1 + accuracy * np.tanh(epsilon / 2)) / 2)
    first = next(n for n in itertools.count(1, 2) if wrong(n) <= beta)
    assert local_mean_sample_size_lower_bound(accuracy=accuracy, epsilon=epsilon, beta=beta) == first


def test_lower_bound_at_its_ends():
    bound = local_mean_sample_size_lower_bound
    assert bound(accuracy=[1.01, 1, 0.1], epsilon=1, beta=[0.01, 0.5, 0.9]).tolist() == [0, 0, 0]
    assert bound(accuracy=1, epsilon=800, beta=1e-9) == 1
    far = bound(accuracy=1e-4, epsilon=1e-4, beta=0.05)                      # 1e17 coins: the normal distribution's number
    assert far == pytest.approx((1.6448536269514722 * 2e8) ** 2, rel=1e-6)
    for f in (bound, local_mean_sample_size):
        with pytest.raises(ValueError, match="2\\*\\*62|the answer"):
            f(accuracy=1e-10, epsilon=1e-10, beta=0.05)
        for wrong in ({"accuracy": 0}, {"epsilon": -1}, {"beta": 1}):
            with pytest.raises(ValueError, match=next(iter(wrong))):
                f(**({"accuracy": 0.1, "epsilon": 1, "beta": 0.1} | wrong))


def test_lower_bound_is_below_what_is_enough():
    setting = dict(accuracy=np.array([0.01, 0.1, 0.5])[:, None, None], epsilon=np.array([0.1, 1, 5])[:, None], beta=np.array([0.01, 0.3]))
    low, high = local_mean_sample_size_lower_bound(**setting), local_mean_sample_size(**setting)
    assert low.shape == (3, 3, 2) and np.all(low < high)


def test_enough_people_keep_the_promise_exactly():
    """The distribution of the average of n reports of ±1 people, at every mean."""
    for accuracy, epsilon, beta in itertools.product((0.3, 0.8), (0.5, 2.0), (0.3, 0.01)):
        n, c = int(local_mean_sample_size(accuracy=accuracy, epsilon=epsilon, beta=beta)), 1 / np.tanh(epsilon / 2)
        for mean in (-1, -0.4, 0, 0.9):
            ups = binom(n, 0.5 + mean / (2 * c))
            k = np.arange(n + 1)
            assert ups.pmf(k)[np.abs(c * (2 * k / n - 1) - mean) >= accuracy].sum() <= beta


# ------------------------------------------------------------------------------------------------------------- vectors


def test_golden_lengths():
    assert l2_ball_scale(radius=1, dimension=10, epsilon=1) == pytest.approx(8.365047, abs=1e-6)
    lengths = l2_ball_scale(radius=2, dimension=[1, 2, 3, 10, 64], epsilon=0.7) * np.tanh(0.35) / 2
    np.testing.assert_allclose(lengths**2 / [1, 2, 3, 10, 64], [1, 1.2337, 1.3333, 1.4943, 1.5586], rtol=1e-4)


@pytest.mark.parametrize("k", [1, 2, 3, 50, 10_001, 20_001, 10**7, 2**62])
def test_length_against_the_gamma_function(k):
    with mpmath.workdps(60):
        exact = mpmath.sqrt(mpmath.pi) * mpmath.gamma(mpmath.mpf(k + 1) / 2) / mpmath.gamma(mpmath.mpf(k) / 2) if k < 10**8 else (
            mpmath.sqrt(mpmath.pi * k / 2))
    assert l2_ball_scale(radius=1, dimension=k, epsilon=100) == pytest.approx(float(exact), rel=1e-11)


@pytest.mark.parametrize("k", [2, 3, 7])
def test_length_is_one_over_the_mean_of_a_coordinate(k):
    """κ is the mean of |U₁| on the sphere, whose density is proportional to (1 - u²)^((k-3)/2)."""
    density = lambda angle: np.sin(angle) ** (k - 2)
    kappa = quad(lambda angle: abs(np.cos(angle)) * density(angle), 0, np.pi)[0] / quad(density, 0, np.pi)[0]
    assert l2_ball_scale(radius=3, dimension=k, epsilon=2) == pytest.approx(3 / (np.tanh(1) * kappa), rel=1e-9)


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("share", [0.0, 0.4, 1.0, 9.0])
def test_vectors_have_the_stated_length_sides_and_moments(k, share):
    size, radius, epsilon = 200_000, 2.0, 1.3
    direction = rng(5).normal(size=k)
    direction /= np.linalg.norm(direction)
    sent = l2_ball_randomizer(np.tile(share * radius * direction, (size, 1)), radius=radius, epsilon=epsilon, rng=rng(k))
    length = l2_ball_scale(radius=radius, dimension=k, epsilon=epsilon)
    np.testing.assert_allclose(np.linalg.norm(sent, axis=-1), length, rtol=1e-12)
    near = 0.5 + min(share, 1) * np.tanh(epsilon / 2) / 2
    assert abs(np.mean(sent @ direction > 0) - near) < FAR * np.sqrt(0.25 / size)
    assert np.all(np.abs(sent.mean(axis=0) - min(share, 1) * radius * direction) < FAR * length / np.sqrt(k * size))
    moment = sent.T @ sent / size - np.eye(k) * length**2 / k
    assert np.all(np.abs(moment) < FAR * length**2 / np.sqrt(size))


def test_one_dimension_is_randomised_response():
    c = 1 / np.tanh(0.5)
    assert set(np.unique(l2_ball_randomizer(rng(1).normal(size=(1000, 1)), radius=1, epsilon=1, rng=rng()))) == {c, -c}


@pytest.mark.parametrize("name", ["ball", "gaussian"])
def test_vectors_outside_are_clipped_in_their_direction(name):
    f = l2_ball_randomizer if name == "ball" else lambda v, **given: local_gaussian(v, delta=1e-6, **given)
    far = np.array([[3e307, -4e307], [1e308, 1e308], [5e-324, 0], [0, 0], [0.3, 0.4]])
    near = np.array([[0.6, -0.8], [np.sqrt(0.5), np.sqrt(0.5)], [0, 0], [0, 0], [0.3, 0.4]])
    np.testing.assert_allclose(f(far, radius=1, epsilon=1, rng=rng(2)), f(near, radius=1, epsilon=1, rng=rng(2)), atol=1e-6)
    assert f(far[0], radius=1, epsilon=1, rng=rng()).shape == (2,)
    assert f(np.zeros((4, 0, 3)), radius=1, epsilon=1, rng=rng()).shape == (4, 0, 3)


def test_gaussian_noise_is_that_of_the_diameter():
    sigma = gaussian_sigma(sensitivity=2 * 3, epsilon=1, delta=1e-6)
    sent = local_gaussian(np.tile([1.0, 2.0], (100_000, 1)), radius=3, epsilon=1, delta=1e-6, rng=rng(4))
    assert np.all(np.abs(sent.mean(axis=0) - [1, 2]) < FAR * sigma / 300)
    assert np.all(np.abs(sent.var(axis=0) / sigma**2 - 1) < FAR * np.sqrt(2 / 100_000))


def test_arguments_of_vectors_are_named():
    for wrong in ({"vectors": 1.0}, {"vectors": [[]]}, {"vectors": [[np.nan]]}, {"radius": 0}, {"epsilon": 0}):
        given = {"vectors": [[1.0]], "radius": 1, "epsilon": 1} | wrong
        with pytest.raises(ValueError, match=next(iter(wrong))):
            l2_ball_randomizer(**given, rng=rng())
        with pytest.raises(ValueError, match=next(iter(wrong))):
            local_gaussian(**given, delta=1e-6, rng=rng())
    for wrong in ({"dimension": 0}, {"radius": -1}, {"epsilon": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            l2_ball_scale(**({"radius": 1, "dimension": 2, "epsilon": 1} | wrong))
    with pytest.raises(TypeError, match="rng"):
        l2_ball_randomizer([[1.0]], radius=1, epsilon=1, rng=None)
