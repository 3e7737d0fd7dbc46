"""Noisy steps on random batches: each record's part, the batch, the noise, and what all steps give away."""

from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import pytest
from scipy.special import ndtr

from dplib import _grid
from dplib.accounting import PrivacyLoss, noisy_sgd_sigma
from dplib.glm import LOGISTIC, ROBUST, Ball, Box, fit_model, gradients, noisy_sgd
from tests.chance import FAR, rng
from tests.noise import no_noise

LINE, SQUARE = Box([]), Box([(-1, 1)] * 2)
GIVEN = dict(size=50, rate=.3, loss=ROBUST, clip=.5, iterations=3, epsilon=1, delta=1e-6, step=1)


@contextmanager
def coins(kept):
    """Every record is in every batch, or none is."""
    word = np.uint64(0 if kept else 2**64 - 1)
    with patch.object(gradients, "random_words", lambda size, generator: np.full(size, word)):
        yield


@contextmanager
def watched():
    """All sums of clipped gradients, as they are given to the noise, and its standard deviation, in units of them."""
    given, added = [], _grid.Noise.added_to_whole

    def keep(noise, counts, generator):
        given.append((counts.copy(), noise.scale / noise.unit))
        return added(noise, counts, generator)

    with patch.object(_grid.Noise, "added_to_whole", keep), no_noise():
        yield given


def steps_of(X, y, domain=SQUARE, **changed):
    with watched() as given:
        noisy_sgd(X, y, domain=domain, **GIVEN | changed, rng=rng(1))
    return given


# ------------------------------------------------------------------------------------------------------------ one record's part

@pytest.mark.parametrize("loss, domain", [(ROBUST, SQUARE), (LOGISTIC, SQUARE), (ROBUST, Ball(2, columns=2))])
def test_a_record_adds_its_own_clipped_gradient_and_nothing_else(loss, domain):
    """Whatever the others are and in whichever order they come, a record adds the same whole numbers, no longer than C."""
    draw = rng(2)
    X, y = draw.normal(0, [.3, 40], size=(60, 2)), draw.normal(0, 3, 60)
    X[:3], y[:3] = [[1e300, -1e300], [5e-324, 0], [0, 0]], [1e300, -5e-324, 0]
    batch, theta = gradients._records(X, y, domain, loss), draw.normal(size=domain.dimension)
    clip, unit = .7, 2.0**-31
    alone = [gradients._clipped_sum(batch[:, [k]], theta, loss, clip, unit) for k in range(60)]
    order = draw.permutation(60)
    together = gradients._clipped_sum(batch[:, order], theta, loss, clip, unit)
    assert together.dtype == np.int64 and np.array_equal(together, np.sum(alone, axis=0))
    design = domain.design(X)
    exact = loss.slope(design @ theta, loss.read(y, 60))[:, None] * design
    exact *= np.minimum(1, clip / np.maximum(np.linalg.norm(exact, axis=1, keepdims=True), 1e-300))
    assert np.abs(np.array(alone) * unit - exact).max() <= 2 * unit
    longest = max(sum(int(part) ** 2 for part in record) for record in alone) ** .5
    assert .999 < longest * unit / clip <= 1 + 2.0**-52 * (domain.dimension + 8)


def test_a_batch_holds_each_record_with_the_chance_that_was_asked_for():
    records = np.arange(5.0)[None]
    for rate in (1.0, .3, 2.0**-50, 1e-9):
        last = int(rate * 2.0**64) - 1
        words = np.array([0, last, min(last + 1, 2**64 - 1), 2**64 - 1, last // 2], dtype=np.uint64)
        with patch.object(gradients, "random_words", lambda size, generator, words=words: words):
            kept = gradients._drawn(records, rate, None)[0]
        assert list(kept) == ([0, 1, 2, 3, 4] if rate == 1 else [0, 1, 4])
    sizes = [gradients._drawn(np.zeros((1, 1000)), .3, draw).shape[1] for draw in (rng(k) for k in range(200))]
    assert abs(np.mean(sizes) - 300) < FAR * (210 / 200) ** .5


# ------------------------------------------------------------------------------------------------------------------ all the steps

def hockey_stick_of_one_step(sigma, rate, epsilon):
    """The larger of the two orders, in closed form: the best event is a half-line."""
    a = np.exp(epsilon)
    remove = sigma**2 * np.log((a - 1 + rate) / rate) + .5
    deltas = [rate * ndtr((1 - remove) / sigma) - (a - 1 + rate) * ndtr(-remove / sigma)]
    if (ratio := (1 / a - 1 + rate) / rate) > 0:
        add = sigma**2 * np.log(ratio) + .5
        deltas.append((1 - a * (1 - rate)) * ndtr(add / sigma) - a * rate * ndtr((add - 1) / sigma))
    return max(deltas)


def spent(rate, iterations, factor=1.0, epsilon=1):
    """The exact δ that the program gives away of one record against none, from what it adds and from its noise."""
    made = _grid.normal_of_scale
    with patch.object(_grid, "normal_of_scale", lambda scale, unit: made(scale / factor, unit)), coins(kept=True):
        steps = steps_of([[1, 1]], [1e4], rate=rate, iterations=iterations, epsilon=epsilon)
        without = steps_of(np.zeros((0, 2)), [], rate=rate, iterations=iterations, epsilon=epsilon)
    assert len(steps) == len(without) == iterations and not np.any([total for total, _ in without])
    sigmas = {scale / np.linalg.norm(total) for total, scale in steps}
    assert max(sigmas) / min(sigmas) < 1 + 1e-8
    sigma = min(sigmas)
    if iterations == 1:
        return hockey_stick_of_one_step(sigma, rate, epsilon)
    step = 1e-4 * max(1, .2 / sigma**2)
    return max(float(PrivacyLoss.from_subsampled_gaussian(rate=rate, sigma=sigma, sensitivity=1, order=order, step=step)
                     .compose(iterations).delta(epsilon)) for order in ("remove", "add"))


CASES = [(.3, 1), (1.0, 1), (.05, 1), (.3, 30)]


@pytest.mark.parametrize("rate, iterations", CASES)
def test_all_steps_together_spend_delta_and_hardly_less(rate, iterations):
    assert .999 < spent(rate, iterations) / 1e-6 <= 1


@pytest.mark.parametrize("factor", [1000, 2, 1 / .9])
@pytest.mark.parametrize("rate, iterations", CASES)
def test_less_noise_is_noticed(rate, iterations, factor):
    assert spent(rate, iterations, factor) > 1.5e-6


def test_who_is_in_no_batch_adds_nothing():
    with coins(kept=False):
        assert not np.any([total for total, _ in steps_of([[1, 1]], [1e4])])


def test_the_noise_is_that_of_its_price():
    """Integers with the standard deviation that was asked for, and not less, on the units that gradients are counted in."""
    for clip, epsilon in ((.5, 1), (2.0**-100, 10), (2.0**20, 1e-3)):
        [(total, scale)] = steps_of([[1, 1]] * 3, [0] * 3, iterations=1, epsilon=epsilon, clip=clip)
        sigma = noisy_sgd_sigma(rate=.3, iterations=1, **dict(zip(("epsilon", "delta"), _grid.for_secret(epsilon, 1e-6, 3))))
        unit = max(_grid.grid_step(clip) * 1024, _grid.grid_step(clip * sigma))
        assert 1 <= scale * unit / (clip * sigma) < 1 + 1e-9


# -------------------------------------------------------------------------------------------------------------------- as a learner

def test_steps_without_noise_and_without_a_lottery_arrive():
    draw = rng(1)
    X = draw.choice([-1.0, 1.0], (400, 2))
    y = X @ [1, -1] + draw.normal(size=400)
    with no_noise():
        theta = noisy_sgd(X, y, **GIVEN | dict(size=400, rate=1, clip=2, iterations=300, step=2), domain=SQUARE, rng=draw)
    assert np.allclose(theta, fit_model(X, y, domain=SQUARE, loss=ROBUST, changes=0).theta, atol=1e-6)


def test_with_noise_it_finds_a_line():
    draw = rng(3)
    x = draw.choice([-1.0, 1.0], 20_000)
    theta = noisy_sgd(x[:, None], 1 + 2 * x, **GIVEN | dict(size=20_000, rate=.05, clip=1.5, iterations=200), domain=Box([(-1, 1)]),
                      rng=draw)
    assert np.abs(theta - [1, 2]).max() < .1


def test_what_cannot_be_meant_is_refused_before_noise():
    X, y = np.zeros((5, 2)), np.zeros(5)
    given = GIVEN | dict(domain=SQUARE, rng=rng(1))
    for wrong in (dict(rate=0), dict(rate=1.1), dict(rate=np.nan), dict(rate=1e-16), dict(clip=0), dict(clip=np.inf), dict(size=0),
                  dict(iterations=0), dict(step=0), dict(epsilon=0), dict(delta=1), dict(delta=0)):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            noisy_sgd(X, y, **given | wrong)
    with pytest.raises(ValueError, match="epsilon must leave"):
        noisy_sgd(X, y, **given | dict(epsilon=1e-9))
    with pytest.raises(TypeError, match="rng"):
        noisy_sgd(X, y, **given | dict(rng=7))
    for wrong in (dict(X=np.full((5, 2), np.nan)), dict(y=np.full(5, np.inf)), dict(y=np.zeros(4)), dict(X=np.zeros((5, 3)))):
        with pytest.raises(ValueError):
            noisy_sgd(**dict(X=X, y=y) | given | wrong)


def test_of_nobody_there_is_an_answer():
    theta = noisy_sgd(np.zeros((0, 2)), [], **GIVEN, domain=SQUARE, rng=rng(1))
    assert theta.shape == (3,) and np.isfinite(theta).all()
