"""Releases of one coefficient: exact laws on adversarial pairs, units and translations, coverage, and every kind of bad input."""

import numpy as np
import pytest

from dplib.aggregation import Refusal
from dplib.audit import noise_distribution_test
from dplib.glm import (
    LOGISTIC, ROBUST, Ball, Box, Loss, Release, certificate_margin, fit_model, prediction_shift, release_by_perturbed_objective,
    release_coefficient, release_vector, release_vector_by_perturbed_objective, release_with_fitted_scale, release_with_public_scale)
from dplib.glm.stability import mahalanobis_constants
from dplib.mean import noise_tail
from tests.chance import ALARM, FAR, laplace_cdf, standard_errors
from tests.glm_audit import ARMS, LINE, ON_LINE, Law, arms, changed, counted, gap, laplace_gap, law, towns, worst_gap

RELEASES = (release_with_public_scale, release_with_fitted_scale, release_coefficient)
OPTIONS = dict(epsilon=1.0, delta=1e-6, split=.5, rows_per_unit=1)
TRIAL = dict(move=([0], [1]), domain=ARMS, loss=LOGISTIC)


def people(size, seed=0, d=2):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(size, d))
    return X, X @ np.arange(1, d + 1) + rng.normal(size=size), rng


# ---------------------------------------------------------------------------------------------------- the audit itself


def test_laplace_gap_is_an_integral():
    y = np.linspace(-60, 60, 1_200_001)
    for epsilon, m, b, c in [(.5, 1, 1, 1), (.5, .3, 1, 1.2), (.5, .3, 1.2, 1), (-1, .3, 1, .9), (2, 5, 1, 1.5), (0, 0, 1, 2)]:
        gain = np.exp(-np.abs(y) / b) / 2 / b - np.exp(epsilon - np.abs(y - m) / c) / 2 / c
        assert laplace_gap(epsilon, m, b, c) == pytest.approx(np.maximum(gain, 0).sum() * 1e-4, abs=1e-6)
    assert laplace_gap([.2, 1, 3], .5, .5, .5) == pytest.approx([1 - np.exp(-.4), 0, 0])


def test_the_audit_of_two_numbers_is_that_of_composed_noise():
    """A certificate of one value; then two Laplace noises with ε = .6 and .8 together have the δ of their composition."""
    follow = lambda at: [("", [(at * .6, 1.0), (at * .8, 1.0)])]
    y, z = np.meshgrid(*[np.linspace(-30, 30, 1501)] * 2)
    gain = np.exp(-np.abs(y) - np.abs(z)) / 4 - np.exp(1 - np.abs(y - .6) - np.abs(z - .8)) / 4
    exact = np.maximum(gain, 0).sum() * (60 / 1500) ** 2
    assert gap(Law(0, np.ones(1), follow(0)), Law(0, np.ones(1), follow(1)), 1.0) == pytest.approx(exact, rel=5e-3)


def test_the_audit_sees_what_is_published_beside_the_noise():
    same = Law(0, np.ones(1), [("a", [(0.0, 1.0)])]), Law(0, np.ones(1), [("b", [(0.0, 1.0)])])
    assert gap(*same, 1.0) == 1
    assert gap(Law(0, np.ones(1), [None]), Law(0, np.ones(1), [("b", [])]), 1.0) == 1


# ------------------------------------------------------------------------------------------------------- adversarial pairs


def weak_corner(size, lead, seed):
    """Two coefficients: a crowd in one corner, two towns in the other one."""
    X, y = towns(lead, 400)
    rng = np.random.default_rng(seed)
    crowd = rng.normal(size=size)
    return np.vstack([np.c_[X, np.ones(400)], np.c_[-np.ones(size), np.ones(size)]]), np.r_[y, crowd]


MANY = "two towns, many more in one"
IN_CORNER = dict(move=([-1, 1], [1, 1]), loss=ROBUST)
PAIRS = {
    "two towns": (towns(30), towns(28), ON_LINE),
    "one leaves a town for the other, far away": (towns(50, 4000, 1e6), towns(48, 4000, 1e6), ON_LINE),
    "two responders less": (arms(((80, 40), (80, 40))), arms(((80, 40), (80, 38))), TRIAL),
    MANY: (towns(200), towns(198), ON_LINE),
    "from arm to arm": (arms(((4000, 40), (4000, 40))), arms(((3999, 39), (4001, 41))), TRIAL),
    "of two columns": (arms(((80, 40), (80, 40))), arms(((80, 40), (80, 38))), TRIAL | dict(domain=Box([(0, 1)]))),
    "a weak corner": (weak_corner(600, 60, 1), weak_corner(600, 58, 1), dict(IN_CORNER, domain=Box([(-1, 1)] * 2, intercept=False))),
    "the same on a ball": (weak_corner(600, 60, 1), weak_corner(600, 58, 1), dict(IN_CORNER, domain=Ball(2**.5, columns=2))),
}


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("release", RELEASES, ids=lambda f: f.__name__)
def test_delta_is_kept(release, pair):
    first, second, given = PAIRS[pair]
    for options in (dict(epsilon=1.0, split=.5, delta=.01), dict(epsilon=4.0, split=.7, delta=1e-4)):
        assert worst_gap(release, first, second, **given, **options, grid=8) <= options["delta"] * (1 + 1e-9)


@pytest.mark.parametrize("pair", ["two towns", "from arm to arm", "a weak corner"])
@pytest.mark.parametrize("release", RELEASES, ids=lambda f: f.__name__)
def test_counts_of_rows_lose_what_their_records_lose(release, pair):
    """The exact loss is that of every record on its own; and so it is between rows with weights and the records of the neighbour."""
    first, second, given = PAIRS[pair]
    given = given | dict(epsilon=1.0, split=.5, delta=.01, grid=8)
    due = worst_gap(release, first, second, **given)
    assert worst_gap(release, counted(*first), counted(*second), **given) == pytest.approx(due, rel=1e-6, abs=1e-12)
    assert worst_gap(release, counted(*first), second, **given) == pytest.approx(due, rel=1e-6, abs=1e-12)
    assert worst_gap(release, counted(*first), first, **given) < 1e-9


@pytest.mark.parametrize("release", RELEASES, ids=lambda f: f.__name__)
def test_a_record_that_comes_or_goes_loses_less(release):
    """The number of records decides about nothing that is published beside the noisy numbers, so that it need not be public."""
    for pair in ("two towns", "from arm to arm"):
        (X, y), _, given = PAIRS[pair]
        for place in (0, len(y) - 1):
            fewer = np.delete(X, place, axis=0), np.delete(y, place)
            assert worst_gap(release, (X, y), fewer, **given, epsilon=1.0, split=.5, delta=.01, grid=8) <= .01


def test_a_noise_that_tells_how_many_there_are_is_noticed():
    (X, y), _, given = PAIRS[MANY]
    counting = changed("most = most_records(domain, loss)", "most = len(X)").release_with_fitted_scale
    gaps = [worst_gap(release, (X, y), (X[1:], y[1:]), **given, epsilon=1.0, split=.5, delta=.01, grid=8)
            for release in (release_with_fitted_scale, counting)]
    assert gaps[0] <= .01 and gaps[1] > .3


def test_one_seed_gives_one_answer_to_rows_with_weights_and_to_their_records():
    """Also where the certificate refuses, and where the perturbed objective answers; all coefficients at once, too."""
    X, y, given, rng = two_columns(8000)
    X[:, 1] = X[:, 1].round(1)
    rows = counted(X, y)
    assert len(rows[0]) < 50
    public = {name: given[name] for name in ("domain", "loss", "epsilon", "delta", "split", "rows_per_unit")}
    for release, options in [*((release, given) for release in RELEASES), (release_coefficient, given | dict(fallback=True)),
                             (release_coefficient, given | dict(fallback=True, epsilon=.2)), (release_vector, public | dict(epsilon=2)),
                             (release_with_fitted_scale, given | dict(epsilon=.01))]:
        one, many = (release(*data[:2], weights=weights, **options, rng=np.random.default_rng(4))
                     for data, weights in ((rows, rows[2]), ((X, y), None)))
        assert type(one) is type(many)
        for name, value in vars(one).items():
            other = getattr(many, name)
            assert value == other if isinstance(value, (str, type(None))) else np.allclose(value, other, rtol=1e-11, atol=1e-11), name
    public = {name: given[name] for name in ("domain", "loss", "epsilon", "rows_per_unit")}
    for release, options in [
            (release_by_perturbed_objective, public | dict(move=given["move"])), (release_vector_by_perturbed_objective, public)]:
        one, many = (release(*data[:2], weights=weights, **options, rng=np.random.default_rng(4))
                     for data, weights in ((rows, rows[2]), ((X, y), None)))
        assert one == pytest.approx(many, abs=1e-9)


def test_delta_is_used_up():
    first, second, given = PAIRS["two towns"]
    for delta in (.01, 1e-4):
        assert worst_gap(release_with_public_scale, first, second, **given, epsilon=1.0, split=.5, delta=delta) > .9 * delta
    first, second, given = PAIRS["a weak corner"]
    assert worst_gap(release_with_public_scale, first, second, **given, epsilon=1.0, split=.5, delta=.01) > .5 * .01


GAMMA = "gamma / 2 if two_arms else gamma)\n    noise"
PLANTED = {
    "a replaced record is one change": (release_with_public_scale, "2 * self.rows", "self.rows", "two towns"),
    "s in place of 2s": (release_with_public_scale, GAMMA, "gamma / 2)\n    noise", "two towns"),
    "half of s for two arms": (release_with_public_scale, GAMMA, "gamma / 8 if two_arms else gamma)\n    noise", "from arm to arm"),
    "the certificate is free": (
        release_with_public_scale, "reach, epsilon=shares.for_number.epsilon", "reach, epsilon=terms.budget.epsilon", "two towns"),
    "the scale of the data is published": (
        release_with_fitted_scale, "bound = min(_above(local, constants, for_bound, rng), most)", "bound = local", "a weak corner"),
    "half of the width": (release_with_fitted_scale, "local = kappa *", "local = kappa / 2 *", MANY),
    "the fallback looks at the data": (
        release_coefficient, "if share >= GOOD_SHARE", "if share >= LEAST_SHARE and certified.fit.nu > 181", MANY),
}


@pytest.mark.parametrize("mistake", PLANTED)
def test_planted_mistakes_are_seen(mistake):
    release, old, new, pair = PLANTED[mistake]
    first, second, given = PAIRS[pair]
    bad, worst = getattr(changed(old, new), release.__name__), 0
    for options in (dict(epsilon=1.0, split=.5, delta=.01), dict(epsilon=4.0, split=.7, delta=1e-4)):
        assert worst_gap(release, first, second, **given, **options, grid=8) <= options["delta"] * (1 + 1e-9)
        worst = max(worst, worst_gap(bad, first, second, **given, **options, grid=8) / options["delta"])
    assert worst > 1.1


def two_columns(size, seed=8):
    """An unbalanced trial with a numeric covariate, and what is asked of it."""
    rng = np.random.default_rng(seed)
    X = np.c_[rng.random(size) < .1, rng.uniform(0, 1, size)].astype(float)
    return X, rng.random(size) < .3, dict(move=([0, 0], [1, 0]), domain=Box([(0, 1)] * 2, binary=[0]), loss=LOGISTIC, **OPTIONS), rng


def test_a_standard_error_has_the_noise_that_is_said():
    X, y, given, rng = two_columns(20_000)
    fit = fit_model(X, y, loss=LOGISTIC, domain=given["domain"], changes=2)
    square = float(np.sum(np.square(np.array([0, 2, 0]) @ fit.factor)))
    runs = [release_coefficient(X, y, **given, interval_share=.2, rng=rng) for _ in range(300)]
    noise = np.log([run.sampling_variance / square for run in runs]) / [run.sampling_noise for run in runs]
    assert noise_distribution_test(noise, laplace_cdf).pvalue > ALARM > noise_distribution_test(noise / 2, laplace_cdf).pvalue
    for run in runs[:20]:
        up = mahalanobis_constants(nu=run.certificate, changes=2 + 1 / 1024, added=1, removed=1, largest_curvature=.25).up
        assert run.sampling_noise == pytest.approx(2 * np.log(up) / (.2 * .5), rel=1e-3)
        assert run.largest_error == pytest.approx(2 / run.certificate**.5, rel=1e-9)
        assert square**.5 < run.largest_error and run.noise_scale < 9 * run.noise_ratio * square**.5
    halves = [run.interval()[1] - run.value for run in runs]
    without = release_coefficient(X, y, **given, interval_share=0, rng=rng)
    assert without.sampling_noise == 0 and without.interval()[1] - without.value > 1.5 * np.median(halves)


def test_a_standard_error_of_several_records_a_unit_or_of_none():
    X, y, given, rng = two_columns(40_000)
    one, two = ([release_coefficient(X, y, **given | dict(rows_per_unit=r), rng=rng).sampling_variance for _ in range(30)] for r in (1, 2))
    assert 1.5 < np.median(two) / np.median(one) < 2.7
    assert release_coefficient(X, y, **given | dict(loss=ROBUST), rng=rng).sampling_variance is None


def test_a_share_is_not_spent_where_little_would_be_known():
    X, y, given, rng = two_columns(5850)
    given |= dict(epsilon=3.0, delta=1e-3)
    runs = [release_coefficient(X, y, **given, interval_share=.02, rng=rng) for _ in range(200)]
    spent, kept = ([run.certificate for run in runs if isinstance(run, Release) and (run.sampling_noise > 0) == of_use]
                   for of_use in (True, False))
    assert spent and kept and max(kept) < min(spent)
    assert all(run.sampling_noise <= 1 for run in runs if isinstance(run, Release))


@pytest.mark.parametrize("share", [-.1, .6, 1e-4, np.nan, "a"])
def test_a_share_that_is_none_is_refused_by_name(share):
    X, y = arms(((80, 40), (80, 40)))
    with pytest.raises((ValueError, TypeError), match="interval_share"):
        release_coefficient(X, y, **TRIAL, **OPTIONS, interval_share=share, rng=np.random.default_rng(1))


def test_a_unit_of_several_records():
    for rows in (2, 5):
        first, second = towns(30 * rows), towns(28 * rows)
        options = dict(**ON_LINE, epsilon=1.0, split=.5, delta=.01, grid=8)
        assert .5 < worst_gap(release_with_public_scale, first, second, rows_per_unit=rows, **options) / .01 <= 1 + 1e-9
        assert worst_gap(release_with_public_scale, first, second, **options) > .05


def test_where_the_certificate_ends_the_release_ends():
    """Data of which nothing is certified are refused on every run, and those far above the margin never."""
    X, y = towns(2, 20)
    nothing = fit_model(X, y, loss=ROBUST, domain=LINE)
    assert nothing.nu < 2
    for release in RELEASES:
        found = law(release, X, y, **ON_LINE, epsilon=1.0, delta=.01, split=.5)
        assert all(follows is None for follows in found.follows)
    found = law(release_with_public_scale, *towns(400), **ON_LINE, epsilon=1.0, delta=.01, split=.5)
    assert all(follows is not None for follows in found.follows)


# -------------------------------------------------------------------------------------------------------------- invariances


def test_units_and_order_do_not_matter():
    X, y, _ = people(12_000)
    a, b, scale, off = np.array([0, 0]), np.array([1, .5]), np.array([1e-3, 7e4]), np.array([5.0, -1e5])
    for release in RELEASES:
        one = release(X, y, move=(a, b), domain=Box([(-1, 1)] * 2), loss=ROBUST, **OPTIONS, rng=np.random.default_rng(1))
        limits = [(o - s, o + s) for s, o in zip(scale, off)]
        two = release(X * scale + off, y, move=(a * scale + off, b * scale + off), domain=Box(limits), loss=ROBUST, **OPTIONS,
                      rng=np.random.default_rng(1))
        three = release(X[::-1], y[::-1], move=(a, b), domain=Box([(-1, 1)] * 2), loss=ROBUST, **OPTIONS, rng=np.random.default_rng(1))
        for other in (two, three):
            assert other.mechanism == one.mechanism
            for name in ("value", "certificate", "noise_scale"):
                assert getattr(other, name) == pytest.approx(getattr(one, name), rel=1e-8, abs=1e-8)


def test_a_shift_of_all_outcomes_shifts_the_answer():
    X, y, _ = people(12_000, seed=1)
    beta, a, b = np.array([3.0, -20.0]), np.array([0, 0]), np.array([1, .5])
    for release in RELEASES:
        given = dict(move=(a, b), domain=Box([(-1, 1)] * 2), loss=ROBUST, **OPTIONS)
        one = release(X, y, **given, rng=np.random.default_rng(1))
        two = release(X, y + X @ beta, **given, rng=np.random.default_rng(1))
        assert two.value - one.value == pytest.approx((b - a) @ beta, abs=1e-8)
        assert two.certificate == pytest.approx(one.certificate, rel=1e-8)


def test_a_ball_turned():
    X, y, _ = people(12_000, seed=2)
    turn = np.array([[.6, -.8], [.8, .6]])
    for release in RELEASES:
        given = dict(domain=Ball(1.5, columns=2), loss=ROBUST, **OPTIONS)
        one = release(X, y, move=([0, 0], [1, .5]), **given, rng=np.random.default_rng(1))
        two = release(X @ turn.T, y, move=([0, 0], turn @ [1, .5]), **given, rng=np.random.default_rng(1))
        assert two.value == pytest.approx(one.value, abs=1e-8) and two.noise_scale == pytest.approx(one.noise_scale, rel=1e-8)


# ------------------------------------------------------------------------------------------------------- values and intervals


def test_what_is_published():
    X, y = arms(((2000, 900), (2000, 1100)))
    answer = release_with_public_scale(X, y, **TRIAL, **OPTIONS, rng=np.random.default_rng(3))
    kappa, nu = 2 + 1 / 1024, 900 * 1100 / 2000
    margin = certificate_margin(sensitivity=kappa, epsilon=.5, delta=1e-6)
    assert nu - 2 * margin - .01 <= answer.certificate <= nu
    assert answer.noise_scale == pytest.approx(2 * float(prediction_shift(nu=answer.certificate, changes=kappa)), rel=1e-12)
    assert answer.sampling_variance == 2 / answer.certificate and answer.missed == 0
    same = release_coefficient(X, y, **TRIAL, **OPTIONS, rng=np.random.default_rng(3))
    assert same == answer                                         # two arms: one certificate with all of δ
    wide = release_with_public_scale(X, y, **TRIAL | dict(domain=Box([(0, 1)])), **OPTIONS, rng=np.random.default_rng(3))
    assert wide.noise_scale == 2 * answer.noise_scale and wide.sampling_variance == 4 / wide.certificate
    of_two = release_with_public_scale(X, y, **TRIAL, **OPTIONS | dict(rows_per_unit=2), rng=np.random.default_rng(3))
    assert of_two.sampling_variance == 2 * 2 / of_two.certificate


def test_the_choice_is_a_matter_of_the_certificate():
    X, y, rng = people(12_000, seed=3)
    given = dict(move=([0, 0], [1, .5]), domain=Box([(-1, 1)] * 2), loss=ROBUST, **OPTIONS)
    seen = {}
    for size in (2500, 3000, 4000, 5000, 7000, 9000, 12_000):
        answer = release_coefficient(X[:size], y[:size], **given, rng=rng)
        if isinstance(answer, Release):
            seen[answer.certificate] = answer.mechanism
    names = [seen[nu] for nu in sorted(seen)]
    assert names == sorted(names, reverse=True) and set(names) == {"one certificate", "fitted scale"}


def test_the_noise_has_the_scale_that_is_said():
    """One certificate: (value - fit)/scale is Laplace noise; fitted: its scale is below the published bound but for 1 in 1000."""
    X, y = arms(((1000, 450), (1000, 550)))
    exact, rng = np.log(11 / 9) * 2, np.random.default_rng(5)
    runs = [release_with_public_scale(X, y, **TRIAL, **OPTIONS, rng=rng) for _ in range(400)]
    beyond = np.mean([abs(run.value - exact) > run.noise_scale * np.log(5) for run in runs])
    assert abs(standard_errors(beyond * 400, 400, .2)) < FAR
    runs = [release_with_fitted_scale(X, y, **TRIAL, **OPTIONS, rng=rng) for _ in range(250)]
    inside = [abs(run.value - exact) <= -run.noise_scale * np.log(.2 - run.missed) for run in runs]
    assert standard_errors(sum(inside), 250, .8) > -FAR
    assert {run.mechanism for run in runs} == {"fitted scale"}


def test_interval_by_hand():
    answer = Release(1.0, "one certificate", 100.0, .1, .02, 0.0, 1.0, 1e-6)
    low, high = answer.interval(.9)
    assert low + high == pytest.approx(2) and 2 * noise_tail(high - 1, sd=.02**.5, scale=.1) == pytest.approx(.1, rel=1e-9)
    low, high = answer.noise_interval(.9)
    assert high - 1 == pytest.approx(.1 * np.log(10), rel=1e-9)
    bound = Release(1.0, "fitted scale", 100.0, .1, None, 1e-3, 1.0, 1e-6)
    assert bound.noise_interval(.9)[1] - 1 == pytest.approx(-.1 * np.log(.1 - 1e-3), rel=1e-9)
    with pytest.raises(ValueError, match="sampling error"):
        bound.interval()
    with pytest.raises(ValueError, match="below 1 - 0.001"):
        bound.noise_interval(.9995)


# ------------------------------------------------------------------------------------------------------------------ bad input

BAD = {
    "epsilon": [dict(epsilon=0), dict(epsilon=5e-10), dict(epsilon=2000), dict(epsilon=-1), dict(epsilon=np.nan), dict(epsilon=np.inf),
                dict(epsilon=[1, 2])],
    "delta": [dict(delta=0), dict(delta=.5), dict(delta=1), dict(delta=-1e-6), dict(delta=np.nan)],
    "split": [dict(split=0), dict(split=1), dict(split=-1)],
    "rows_per_unit": [dict(rows_per_unit=0), dict(rows_per_unit=1.5), dict(rows_per_unit=2**21)],
    "move": [dict(move=([0], [0])), dict(move=([0], [2])), dict(move=([0],)), dict(move=([0, 0], [1, 0])), dict(move=([0], [np.nan])),
             dict(move=([0], [.5]))],
    "loss": [dict(loss="logistic"), dict(loss=None)],
    "X": [dict(X=[[np.nan], [0]]), dict(X=[[np.inf], [0]]), dict(X=[0, 1]), dict(X=[[0, 1], [1, 0]]), dict(X=[["a"], ["b"]])],
    "y": [dict(y=[np.nan, 0]), dict(y=[0]), dict(y=[[0], [1]]), dict(y=["yes", "no"])],
}


@pytest.mark.parametrize("release", RELEASES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("name, change", [(name, change) for name, changes in BAD.items() for change in changes])
def test_public_mistakes_raise(release, name, change):
    given = dict(X=[[0], [1]], y=[0, 1], **TRIAL, **OPTIONS) | change
    with pytest.raises(ValueError, match=name):
        release(given.pop("X"), given.pop("y"), **given, rng=np.random.default_rng(0))


@pytest.mark.parametrize("release", RELEASES, ids=lambda f: f.__name__)
def test_a_generator_is_wanted(release):
    with pytest.raises(TypeError, match="rng"):
        release([[0], [1]], [0, 1], **TRIAL, **OPTIONS, rng=1)


def data_sets():
    """What data can be like: each is (X, y, columns)."""
    x = np.linspace(-1, 1, 40)
    yield "nobody", np.zeros((0, 2)), np.zeros(0), 2
    yield "one person", np.ones((1, 2)), np.ones(1), 2
    yield "more columns than people", np.eye(3, 8), np.array([0., 1, 1]), 8
    yield "collinear", np.c_[x, x], (x > 0) * 1.0, 2
    yield "all in one corner", np.ones((50, 2)), np.tile([0., 1], 25), 2
    yield "separable", np.c_[x, x**2], (x > .1) * 1.0, 2
    yield "one outcome only", np.c_[x, x**2], np.ones(40), 2
    yield "outside of the domain", np.c_[1e300 * x, -1e300 * x**2], (x > 0) * 1.0, 2
    yield "labels that are none", np.c_[x, x**2], np.tile([-7., 1e300, .5, 3], 10), 2
    yield "huge", np.c_[x, x**2], 1e308 * x, 2


@pytest.mark.parametrize("release", RELEASES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("data", list(data_sets()), ids=lambda data: data[0])
def test_data_never_raise(release, data):
    _, X, y, columns = data
    start, end = np.zeros(columns), np.r_[1, np.zeros(columns - 1)]
    for loss in (LOGISTIC, ROBUST):
        for domain in (Box([(-1, 1)] * columns), Ball(2, columns=columns)):
            answer = release(X, y, move=(start, end), domain=domain, loss=loss, **OPTIONS, rng=np.random.default_rng(0))
            assert isinstance(answer, Refusal) and "split = 0.5" in answer.advice


def test_a_refusal_says_nothing_of_the_data():
    rng = np.random.default_rng(0)
    said = {str(release(X, y, move=(np.zeros(c), np.eye(c)[0]), domain=Box([(-1, 1)] * c), loss=LOGISTIC, **OPTIONS, rng=rng))
            for _, X, y, c in data_sets() for release in (release_with_public_scale,)}
    assert len(said) == 1


def test_a_loss_of_ones_own():
    """The robust loss in other words gives the same answer."""
    X, y, _ = people(2000)
    twin = Loss("mine", ROBUST.value, ROBUST.slope, ROBUST.curvature, .5, ROBUST.outcomes)
    given = dict(move=([0, 0], [1, 0]), domain=Box([(-1, 1)] * 2), **OPTIONS)
    one, two = (release_coefficient(X, y, loss=loss, **given, rng=np.random.default_rng(0)) for loss in (ROBUST, twin))
    assert one == two
