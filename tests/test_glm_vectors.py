"""All coefficients at once: the theorem at its worst shapes, whole releases on adversarial pairs, exactly, and all units."""

from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from dplib import _grid
from dplib.aggregation import Refusal
from dplib.glm import (
    LOGISTIC, ROBUST, Ball, Box, certificates, certify_below, fit_model, prediction_shift, release_vector,
    vector_constants, vector_noise_multiplier)
from dplib.glm.compared import mismatched_gaussian_delta
from dplib.mechanisms import gaussian_delta, gaussian_sigma, grid_step

KAPPA = 2 + 1 / 1024
WITHOUT = dict(epsilon=1, delta=1e-6, split=.25, rows_per_unit=1)


def multiplier(nu, rows=1, largest=.5, d=2, epsilon=.75, delta=5e-7):
    """σ at a certificate, infinite where it is refused."""
    bound = vector_constants(nu=nu, changes=2 * rows + 1 / 1024, added=rows, removed=rows, largest_curvature=largest, dimension=d)
    sigma = vector_noise_multiplier(operator=bound.operator, frobenius=bound.frobenius, epsilon=epsilon, delta=delta)
    return np.where(sigma > 4 * gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=delta), np.inf, sigma)[()]


# ---------------------------------------------------------------------------------------------------- the multiplier


def test_the_multiplier_by_hand():
    s = -np.log(1 - KAPPA / 400)                                  # ν = 400, robust, d = 5
    beta, rank = np.expm1(s), .5 / 400
    e, f, x = beta + rank, 5**.25 * beta + 2**.5 * rank, np.log(10 / 5e-7)
    left = .75 - f * x**.5 - e * x - f**2 / 4 / (1 - e)
    assert gaussian_delta(sigma=multiplier(400, d=5) / (1 + e), sensitivity=1, epsilon=left) == pytest.approx(4.5e-7, rel=1e-8)
    assert multiplier(1e15) == pytest.approx(gaussian_sigma(sensitivity=1, epsilon=.75, delta=4.5e-7), rel=1e-9)
    assert vector_noise_multiplier(operator=0, frobenius=0, epsilon=.02, delta=.99) == pytest.approx(5, rel=1e-9)  # the mean loss decides


def test_the_multiplier_falls_and_ends_where_the_shape_takes_too_much():
    nu = np.geomspace(1, 1e9, 2001)
    for options in (dict(), dict(d=50), dict(largest=.25), dict(rows=5), dict(epsilon=8), dict(delta=.1)):
        sigma = multiplier(nu, **options)
        assert np.isinf(sigma[0]) and np.isfinite(sigma[-1]) and sigma.shape == nu.shape
        assert np.all(sigma[1:] <= sigma[:-1] * (1 + 1e-10))
    first = nu[np.isfinite(multiplier(nu))][0]
    assert 90 < first < 110 and np.isinf(multiplier([0, 2, KAPPA, 60])).all()
    assert multiplier(400, rows=2) > multiplier(400) and multiplier(400, d=9) > multiplier(400) > multiplier(400, largest=.25)


# --------------------------------------------------------------------------------------- exact laws in one and two dimensions


def hockey(epsilon, shift, ratio, nodes=801):
    """E_γ(N(0, I) ‖ N(m, diag r²)), exactly in one dimension, by the trapezoidal rule in two."""
    if len(shift) == 1:
        return mismatched_gaussian_delta(epsilon=epsilon, shift=shift[0], ratio=ratio[0])
    z = np.linspace(-10, 10, nodes)
    loss = np.log(ratio[0]) - z**2 / 2 + ((z - shift[0]) / ratio[0]) ** 2 / 2
    rest = mismatched_gaussian_delta(epsilon=np.clip(np.asarray(epsilon)[..., None] - loss, -700, 700), shift=shift[1], ratio=ratio[1])
    return (norm.pdf(z) * rest).sum(-1) * (z[1] - z[0])


def worst(d, nu, sigma, epsilon):
    """The largest E_γ over shapes at the ends of what is allowed, and moves in several directions."""
    bound = vector_constants(nu=nu, changes=KAPPA, added=1, removed=1, largest_curvature=.5, dimension=d)
    second = min(bound.operator, np.sqrt(bound.frobenius**2 - bound.operator**2))
    found = 0
    for e in ([1], [-1]) if d == 1 else ([1, 1], [1, -1], [-1, 1], [-1, -1]):
        shape = np.array(e) * np.array([bound.operator, second])[:d]
        for angle in np.linspace(0, np.pi / 2, 1 if d == 1 else 4):
            move = np.array([np.cos(angle), np.sin(angle)])[:d] / sigma
            found = max(found, hockey(epsilon, move, 1 / np.sqrt(1 + shape)))
    return found


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("nu, epsilon, delta, share", [(200, .75, 5e-7, .008), (400, .75, 1e-3, .4), (4000, .75, 5e-7, .7),
                                                       (4000, 2, .01, .85)])
def test_the_worst_shapes_stay_within_delta(d, nu, epsilon, delta, share):
    """Some come near it; with a σ that ignores the shape, or half of it where that counts, they are beyond it."""
    assert share * delta < worst(d, nu, multiplier(nu, d=d, epsilon=epsilon, delta=delta), epsilon) <= delta
    assert worst(d, nu, gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=delta), epsilon) > 1.005 * delta
    assert worst(d, nu, multiplier(nu, d=d, epsilon=2 * epsilon, delta=delta), epsilon) > delta


def certificates_of(fit, epsilon, delta):
    """The support of ν̂ on its grid, as integers, and the probabilities, from the formulas alone."""
    bound = certificates._bound(epsilon, delta)
    noise = np.arange(-bound, bound + 1)
    weights = np.exp(-epsilon / 1024 * np.abs(noise))
    return int(np.floor(max(fit.nu, KAPPA) * 1024 / KAPPA)) + noise - bound, weights / weights.sum()


def exact_delta(one, other, domain, epsilon, delta, split, *, changes=KAPPA, uncharged=False, both=1.0, thin=1):
    """δ(ε) of a whole release of one against the other, integrated over ν̂; what is planted is one change of the mechanism."""
    P, Q = (fit_model(X, y, loss=ROBUST, domain=domain) for X, y in (one, other))
    d = domain.dimension
    (grid, p), (grid_other, q) = (certificates_of(fit, split * epsilon, delta / 2 * both) for fit in (P, Q))
    q = np.interp(grid, grid_other, q, left=0, right=0)                  # both grids are of whole numbers
    total = p[q == 0].sum()
    grid, p, q = (values[q > 0] for values in (grid, p, q))
    p, q = (np.add.reduceat(values, np.arange(0, len(p), thin)) for values in (p, q))
    nu = np.maximum(grid[::thin], 0) * KAPPA / 1024
    sigma = multiplier(nu, d=d, epsilon=(1 if uncharged else 1 - split) * epsilon, delta=delta / 2 * both)
    silent = ~np.isfinite(sigma)
    total += np.maximum(p - np.exp(epsilon) * q, 0)[silent].sum()        # a refusal, and the certificate with it
    shift = prediction_shift(nu=nu[~silent], changes=changes)
    scale = sigma[~silent] * shift * np.sqrt(nu[~silent])
    white = P.factor.T @ Q.hessian @ P.factor                            # H^(-1/2) H' H^(-1/2) in one of its bases
    values, vectors = np.linalg.eigh(white)
    move = vectors.T @ np.linalg.solve(P.factor, Q.theta - P.theta)
    left = epsilon - np.log(p / q)[~silent]
    moves = move / scale if d == 1 else (move / scale[:, None]).T[..., None]
    return total + p[~silent] @ hockey(left, moves[None] if d == 1 else moves, 1 / np.sqrt(values), nodes=301)


def towns(d, lead=5000, saturated=4526):
    """A town of people with residual 3 and others so far away that they only pull, one of whom is replaced; d - 1 larger towns."""
    far, sizes = 2.0**20, [2] * (d - 1) + [1]
    y = np.concatenate([np.r_[np.full(k * lead, -3.0), np.full(k * saturated, far)] for k in sizes])
    X = np.ones((len(y), 1)) if d == 1 else np.repeat([[1.0], [-1.0]], [k * (lead + saturated) for k in sizes], axis=0)
    other = y.copy()
    other[-1] = -far
    return [(X, y), (X, other)], Ball(1, columns=1) if d == 1 else Box([(-1, 1)])


@pytest.mark.parametrize("d", [1, 2])
def test_whole_releases_on_an_adversarial_pair(d):
    """Exact: within δ in both directions and above a third of it; with planted mistakes beyond it."""
    pair, domain = towns(d)
    budget = dict(epsilon=2, delta=.05, split=.5, thin=1 if d == 1 else 64)
    found = [exact_delta(*pair[::way], domain, **budget) for way in (1, -1)]
    assert .05 / 3 < max(found) <= .05
    for mistake in (dict(changes=1), dict(uncharged=True), dict(both=2)):
        assert max(exact_delta(*pair[::way], domain, **budget, **mistake) for way in (1, -1)) > .05, mistake


# --------------------------------------------------------------------------------------------------- what is released


def trial(loss, n=20_000, seed=1):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(2, size=n), rng.uniform(18, 65, size=n)])
    t = .3 - X[:, 0] + .02 * X[:, 1]
    return X, (rng.random(n) < 1 / (1 + np.exp(-t))).astype(float) if loss is LOGISTIC else t + rng.normal(size=n)


PEOPLE = Box([(0, 1), (18, 65)])


@pytest.mark.parametrize("loss", [LOGISTIC, ROBUST], ids=["logistic", "robust"])
def test_the_noise_is_the_one_of_the_formula(loss, monkeypatch):
    X, y = trial(loss)
    seen = {}
    monkeypatch.setattr(_grid, "rounded", lambda law, centre, factor, *, grid, rng: seen.update(
        law=law, centre=list(centre), factor=factor, grid=grid) or np.zeros(3))
    released = release_vector(X, y, domain=PEOPLE, loss=loss, **WITHOUT, rng=np.random.default_rng(5))
    rng, fit = np.random.default_rng(5), fit_model(X, y, loss=loss, domain=PEOPLE)
    nu = certify_below(fit.nu, sensitivity=KAPPA, epsilon=.25, delta=5e-7, rng=rng)
    assert released.certificate == nu <= fit.nu
    s = -np.log(1 - KAPPA / nu)
    c = multiplier(nu, d=3, largest=loss.largest_curvature) * s * np.sqrt(nu)
    assert seen["law"] == "normal" and seen["centre"] == list(map(Fraction, fit.theta)) and not fit.low.any()
    assert seen["factor"] @ seen["factor"].T == pytest.approx(c**2 * np.linalg.inv(fit.hessian),
                                                              rel=5e-4)     # what rounding may do is paid for
    assert seen["grid"] == grid_step(released.prediction_noise)
    corners = PEOPLE.design([[a, b] for a in (0, 1) for b in (18, 65)])
    sd = c * np.sqrt(np.einsum("ij,jk,ik->i", corners, np.linalg.inv(fit.hessian), corners))
    assert .5 * released.prediction_noise < sd.max() <= released.prediction_noise
    assert (released.sampling_variance == 1 / nu) if loss is LOGISTIC else (released.sampling_variance is None)
    assert (released.mechanism, released.epsilon, released.delta) == ("shaped noise", 1, 1e-6)
    if loss is LOGISTIC:
        of_two = release_vector(X, y, domain=PEOPLE, loss=LOGISTIC, **WITHOUT | dict(rows_per_unit=2), rng=np.random.default_rng(5))
        assert of_two.sampling_variance == 2 / of_two.certificate


def test_no_unit_of_measurement_matters():
    X, y = trial(ROBUST)
    plain = release_vector(X, y, domain=PEOPLE, loss=ROBUST, **WITHOUT, rng=np.random.default_rng(5))
    scale, start = np.array([3e-4, -1e5]), np.array([7, 1e6])
    bounds = [sorted((start[j] + scale[j] * lo, start[j] + scale[j] * hi)) for j, (lo, hi) in enumerate(PEOPLE.bounds)]
    moved = release_vector(start + scale * X, y, domain=Box(bounds), loss=ROBUST, **WITHOUT, rng=np.random.default_rng(5))
    assert moved.certificate == pytest.approx(plain.certificate, rel=1e-8)
    # a column that is turned over has noise of the other sign, which is as likely: compare with the same turn in the first
    turned = release_vector(X * [1, -1], y, domain=Box([(0, 1), (-65, -18)]), loss=ROBUST, **WITHOUT, rng=np.random.default_rng(5))
    slopes = moved.coefficients[1:] * scale
    assert slopes == pytest.approx(turned.coefficients[1:] * [1, -1], rel=1e-8)
    assert moved.coefficients[0] + moved.coefficients[1:] @ start == pytest.approx(turned.coefficients[0], rel=1e-8)
    ball = [release_vector(X[:, 1:] * a, y, domain=Ball(65 * a, columns=1), loss=ROBUST, **WITHOUT, rng=np.random.default_rng(5))
            for a in (1, 1e-3)]
    assert ball[0].coefficients == pytest.approx(ball[1].coefficients * 1e-3, rel=1e-8)


def test_the_robust_error_does_not_depend_on_the_coefficients():
    X, y = trial(ROBUST)
    line = np.array([4, -3, .5])
    one, two = (release_vector(X, outcome, domain=PEOPLE, loss=ROBUST, **WITHOUT, rng=np.random.default_rng(5))
                for outcome in (y, y + line[0] + X @ line[1:]))
    assert two.coefficients - line == pytest.approx(one.coefficients, abs=1e-8)


def test_what_the_data_say_never_raises():
    rng, options = np.random.default_rng, dict(domain=PEOPLE, loss=LOGISTIC, **WITHOUT)
    X, y = trial(LOGISTIC)
    same = np.repeat(X[:1], 20_000, axis=0)
    cases = [(X[:0], y[:0]), (X[:1], y[:1]), (same, y), (X, X[:, 0]), (X[:2], y[:2]), (X, np.zeros(20_000)), (X[:30], y[:30])]
    said = {release_vector(*case, **options, rng=rng(1)) for case in cases}
    assert len(said) == 1 and isinstance(said.pop(), Refusal)
    strange = release_vector(X * 1e300, y - 7e9, **options, rng=rng(1))         # moved into the domain
    assert isinstance(strange, Refusal)


def test_what_is_public_and_wrong_is_said():
    X, y = trial(LOGISTIC, n=50)
    good = dict(domain=PEOPLE, loss=LOGISTIC, **WITHOUT, rng=np.random.default_rng(1))
    wrong = [("epsilon", 0), ("epsilon", -1), ("epsilon", np.inf), ("delta", 0), ("delta", .5), ("split", 0), ("split", 1),
             ("rows_per_unit", 0), ("rows_per_unit", 1.5), ("loss", "logistic")]
    for name, value in wrong:
        before = good["rng"].bit_generator.state
        with pytest.raises(ValueError, match=name):
            release_vector(X, y, **good | {name: value})
        assert good["rng"].bit_generator.state == before
    for X_, y_, name in [(X[:, :1], y, "X"), (X, y[1:], "y"), (X * [1, np.nan], y, "X"), (X, y + np.inf, "y")]:
        with pytest.raises(ValueError, match=name):
            release_vector(X_, y_, **good)
    with pytest.raises(TypeError, match="rng"):
        release_vector(X, y, **good | dict(rng=1))
    with pytest.raises(ValueError, match="nu"):
        multiplier(-1)
    released = release_vector(*trial(LOGISTIC), **good | dict(epsilon=9))
    assert {f.name for f in fields(released)} == {
        "coefficients", "mechanism", "certificate", "prediction_noise", "sampling_variance", "epsilon", "delta"}
