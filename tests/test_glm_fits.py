"""Losses, domains, certified fits and certificates of `dplib.glm`."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.optimize import linprog

from dplib.glm import LOGISTIC, ROBUST, Ball, Box, Loss, certificate_margin, certify_below, fit_model, fits
from dplib.glm.certificates import GRID, _bound
from dplib.glm.fits import CHARGED, SOLVED, most_records, statistic
from tests.chance import ALARM, chi_square
from tests.mutants import changed

T = np.linspace(-40, 40, 4001)


def rng(seed=1):
    return np.random.default_rng(seed)


# ----------------------------------------------------------------------------------------------------------------- losses


def properties(loss, y, t=T, step=1e-4):
    """How far a loss is from what the theorems need of it; nothing above rounding for those of the package."""
    slope, curvature = loss.slope(t, y), loss.curvature(t, y)
    by_differences = (loss.slope(t + step, y) - loss.slope(t - step, y)) / (2 * step)
    of_value = (loss.value(t + step, y) - loss.value(t - step, y)) / (2 * step)
    third = (loss.curvature(t + step, y) - loss.curvature(t - step, y)) / (2 * step)
    return {"slope": np.abs(of_value - slope).max(), "curvature": np.abs(by_differences - curvature).max(),
            "sum": (np.abs(slope) + curvature - 1).max(), "third": (np.abs(third) - curvature).max(),
            "largest": (curvature - loss.largest_curvature).max(), "convex": -curvature.min()}


@pytest.mark.parametrize("loss, outcomes", [(LOGISTIC, (0., .3, 1.)), (ROBUST, (-3., 0., 17.))])
def test_a_loss_has_the_properties_that_the_theorems_need(loss, outcomes):
    for y in outcomes:
        assert max(properties(loss, y).values()) < 1e-8


def test_the_check_of_a_loss_notices_one_that_is_too_steep():
    steep = Loss("steep", lambda t, y: 2 * LOGISTIC.value(t, y), lambda t, y: 2 * LOGISTIC.slope(t, y),
                 lambda t, y: 2 * LOGISTIC.curvature(t, y), .5, (0, 1))
    sharp = Loss("sharp", lambda t, y: LOGISTIC.value(3 * t, y) / 9, lambda t, y: LOGISTIC.slope(3 * t, y) / 3,
                 lambda t, y: LOGISTIC.curvature(3 * t, y), .25, (0, 1))
    assert properties(steep, 0.)["sum"] > .5 and properties(sharp, 0.)["third"] > .1


def test_curvature_is_computed_far_out():
    assert LOGISTIC.curvature(np.array([700.]), 0)[0] == pytest.approx(np.exp(-700), rel=1e-12)
    assert ROBUST.curvature(np.array([-500.]), 100.)[0] == pytest.approx(2 * np.exp(-600), rel=1e-12)


def test_outcomes_are_moved_into_their_limits_and_never_refused_for_what_they_are():
    assert LOGISTIC.read([-1, 0, .5, 1, 7], 5).tolist() == [0, 0, .5, 1, 1]
    assert ROBUST.read([-1e300, True, 2**100], 3).tolist() == [-2.0**14, 1, 2.0**14]
    for y, match in (([0, np.nan], "finite"), ([0, 1, 1], "shape"), (["a", "b"], "real numbers")):
        with pytest.raises(ValueError, match=match):
            LOGISTIC.read(y, 2)


# ---------------------------------------------------------------------------------------------------------------- domains


DOMAINS = [Box([(0, 1), (18, 90)]), Box([(-1, 1)] * 3, intercept=False), Box([(0, 5)], binary=[0]), Ball(3., 2),
           Box([(0, 1)] * 5 + [(2, 3)], one_hot=[(1, 2), (3, 4)]), Box([(0, 1)] * 3, one_hot=[(0, 1, 2)], intercept=False)]


def corners(domain):
    """The extreme points in the domain's coordinates, or many points of the sphere."""
    if isinstance(domain, Ball):
        angle = np.linspace(0, 2 * np.pi, 3601)
        return np.column_stack([np.cos(angle), np.sin(angle)])
    grouped = {j: g for g, group in enumerate(domain.one_hot) for j in group}
    rows = []
    for point in itertools.product((0., 1.), repeat=domain.columns):
        taken = [grouped[j] for j, value in enumerate(point) if value and j in grouped]
        if len(set(taken)) == len(taken):
            lo, hi = np.array(domain.bounds).T
            rows.append(domain.design([lo + np.array(point) * (hi - lo)])[0])
    return np.array(rows)


@pytest.mark.slow
@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_width_leverage_and_dual_norm_are_what_the_corners_say(domain):
    draw, points = rng(2), corners(domain)
    for z in draw.normal(size=(20, domain.dimension)):
        assert domain.width(z) == pytest.approx(np.abs(points @ z).max(), rel=1e-5)
        factor = draw.normal(size=(domain.dimension, domain.dimension))
        assert domain.leverage(factor) == pytest.approx(np.square(points @ factor).sum(axis=1).max(), rel=1e-5)
        found = linprog(-z, A_ub=np.vstack([points, -points]), b_ub=np.ones(2 * len(points)), bounds=(None, None))
        assert domain.dual(z) >= -found.fun * (1 - 1e-5)
        if not getattr(domain, "one_hot", ()):
            assert domain.dual(z) == pytest.approx(-found.fun, rel=1e-5)
    assert (np.linalg.norm(points, axis=1) <= domain.reach + 1e-12).all()


def test_many_corners_are_bounded_from_above():
    draw = rng(3)
    for columns, one_hot in ((17, ()), (18, ((0, 1), (2, 3, 4)))):
        wide = Box([(0, 1)] * columns, one_hot=one_hot)
        factor = draw.normal(size=(wide.dimension, wide.dimension))
        inside = wide.design(draw.integers(0, 2, size=(5000, columns)))
        assert np.square(inside @ factor).sum(axis=1).max() <= wide.leverage(factor)
        scaled = 3 * factor
        assert wide.leverage(scaled) == pytest.approx(9 * wide.leverage(factor))


@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_a_design_lies_in_the_domain_and_predictions_stay(domain):
    draw = rng(4)
    X = draw.normal(size=(200, domain.columns)) * 30
    before, design = X.copy(), domain.design(X)
    assert np.array_equal(X, before)
    for z in draw.normal(size=(5, domain.dimension)):
        assert np.abs(design @ z).max() <= domain.width(z) * (1 + 1e-12)
    if isinstance(domain, Box):
        inside = np.array([domain._measured(row) for row in design])
        assert domain.design(inside) == pytest.approx(design)
        theta = draw.normal(size=domain.dimension)
        measured = domain.coefficients(theta)
        assert inside @ measured[domain.intercept:] + (measured[0] if domain.intercept else 0) == pytest.approx(design @ theta)


def test_declarations_that_are_wrong():
    for given, match in [(dict(bounds=[(1, 0)]), "bounds"), (dict(bounds=[(0, np.inf)]), "bounds"),
                         (dict(bounds=[], intercept=False), "bounds"),
                         (dict(bounds=[(0, 1)], binary=[1]), "columns"), (dict(bounds=[(0, 2)], one_hot=[(0,)]), "one_hot"),
                         (dict(bounds=[(0, 1)], binary=[0], one_hot=[(0,)]), "once"), (dict(bounds=[(0, 1)], one_hot=[()]), "empty")]:
        with pytest.raises(ValueError, match=match):
            Box(**given)
    for radius, columns in ((0, 1), (np.inf, 1), (1, 0)):
        with pytest.raises(ValueError, match="radius|columns"):
            Ball(radius, columns)
    with pytest.raises(ValueError, match="columns"):
        Box([(0, 1)]).design([[1, 2]])
    for values in ([2.], [.5], [0, 1]):
        with pytest.raises(ValueError, match="move"):
            Box([(0, 1)], binary=[0]).point("move[0]", values)


# ------------------------------------------------------------------------------------------------------------------- fits


def towns(lead, people=1000, apart=1000.):
    here = (people + lead) // 2
    return np.zeros((people, 0)), np.r_[np.zeros(here), np.full(people - here, -apart)]


NOTHING = Box([])


@pytest.mark.parametrize("lead", [2, 4, 6, 10, 20, 50])
def test_two_towns_in_closed_form(lead):
    """tanh(-θ/2) of those here against 1 for all others: θ = -2 artanh(others/here), ν = here (1 - (others/here)²)/2."""
    X, y = towns(lead)
    here, there = (1000 + lead) // 2, (1000 - lead) // 2
    fit = fit_model(X, y, loss=ROBUST, domain=NOTHING, changes=0)
    assert fit.theta[0] == pytest.approx(-2 * np.arctanh(there / here), abs=1e-7)
    assert fit.nu == pytest.approx(here * (1 - (there / here)**2) / 2, rel=1e-7)


def adversarial(draw):
    """A small data set of a kind that breaks Newton's method: saturated, separable, duplicated, far out, collinear, tiny."""
    n, d = draw.integers(1, 40), draw.integers(1, 4)
    X = draw.choice([-1., 1., 0., .5], size=(n, d)) if draw.random() < .5 else draw.uniform(-1, 1, size=(n, d))
    if draw.random() < .2:
        X[:, -1] = X[:, 0]
    if draw.random() < .2:
        X *= 10.0 ** draw.integers(-12, 0)
    if draw.random() < .2:
        X[:] = X[0]
    if draw.random() < .5:
        y = (X @ draw.normal(size=d) * 10 + draw.logistic(size=n) * draw.choice([0, 1]) > 0) * 1.
        return X, y, LOGISTIC
    y = X @ draw.normal(size=d) * 10.0 ** draw.integers(0, 7) + draw.choice([0, 1, 1000.]) * draw.normal(size=n)
    y[0] = draw.choice([y[0], 1e6, -1e6, 100])
    return X, y, ROBUST


@pytest.mark.slow
def test_every_fit_ends_with_a_minimum_or_with_a_proof():
    draw, ends, settled = rng(5), 0, 0
    for _ in range(1500):
        X, y, loss = adversarial(draw)
        domain = Box([(-1, 1)] * X.shape[1], intercept=bool(draw.integers(2)))
        fit = fit_model(X, y, loss=loss, domain=domain)
        enough = 2 + CHARGED
        assert fit.gradient <= SOLVED or fit.gradient + fit.nu <= enough
        exact = domain.design(X).T @ loss.slope(domain.design(X) @ fit.theta, loss.read(y, len(X)))
        assert domain.dual(exact) == pytest.approx(fit.gradient, abs=1e-8)
        ends, settled = ends + 1, settled + (fit.gradient <= SOLVED)
    assert 100 < settled < ends - 100               # both ends occur


def far_out(seed, people=1000):
    """Outcomes near the last that count, of everybody or of two towns, whose curvature may be small."""
    draw = rng(seed)
    X = draw.uniform(-1, 1, size=(people, seed % 3)) * draw.choice([1, 1e-3], size=(people, 1))
    return X, 1.63e4 + (80 * (np.arange(people) < people * 0.49), 0.3 * draw.normal(size=people))[seed % 2]


def exactly(X, y, fit, domain, weights=None):
    """The gradient and the curvature of the robust loss at a fit, in 50 digits, as floats; predictions are made of exact numbers."""
    weights = [1] * len(X) if weights is None else weights
    with mpmath.workdps(50):
        theta = [mpmath.mpf(a) + mpmath.mpf(b) for a, b in zip(fit.theta, fit.low)]
        design, d = domain.design(X).tolist(), len(fit.theta)
        gradient, hessian = [mpmath.mpf(0)] * d, [[mpmath.mpf(0)] * d for _ in range(d)]
        for row, outcome, w in zip(design, ROBUST.read(y, len(y)).tolist(), weights):
            slope, w = mpmath.tanh((mpmath.fdot(row, theta) - outcome) / 2), int(w)
            gradient = [g + w * slope * x for g, x in zip(gradient, row)]
            hessian = [[h + w * (1 - slope**2) / 2 * a * b for h, b in zip(line, row)] for line, a in zip(hessian, row)]
    return np.array(gradient, dtype=float), np.array(hessian, dtype=float)


@pytest.mark.parametrize("records", [1000, 1e6, "most"])
def test_what_rounding_does_is_bounded_and_small_enough(records, monkeypatch):
    """Three hundred records with a tolerance as much finer as there would be more of them, up to the most that are allowed: every search
    ends with |g|* below it, and what an exact computation finds is within the bound. Only for the most records some go over to pairs.
    """
    paired, bounds, in_pairs = [], [], fits._in_pairs
    monkeypatch.setattr(fits, "_in_pairs", lambda *given: paired.append(1) or in_pairs(*given))
    for seed in range(12):
        domain = Box([(-1, 1)] * (seed % 3))
        monkeypatch.setattr(fits, "SOLVED", SOLVED)
        most = most_records(domain, ROBUST) if records == "most" else records
        for name, value in (("SOLVED", SOLVED), ("CHARGED", CHARGED)):
            monkeypatch.setattr(fits, name, value * 301 / most)
        X, y = far_out(seed, people=300)
        fit = fit_model(X, y, loss=ROBUST, domain=domain, changes=0)
        assert fit.gradient <= fits.SOLVED and fit.rounding <= fits.SOLVED
        gradient, hessian = exactly(X, y, fit, domain)
        nu = 1 / domain.leverage(np.linalg.inv(np.linalg.cholesky(hessian)).T)
        off = abs(domain.dual(gradient) - fit.gradient) + abs(nu - fit.nu)
        assert off <= fit.rounding
        bounds.append(off / fit.rounding)
    assert max(bounds) > 1e-4                         # of a bound that is for the worst data of all
    assert bool(paired) == (records == "most")


def expanded(X, y, weights):
    return np.repeat(X, weights, axis=0), np.repeat(y, weights)


def test_a_row_with_a_weight_is_as_many_rows():
    """On the data sets that break Newton's method: both searches end with a minimum or with a proof, at statistics that are the same up to
    what the gradients there allow, which κ covers."""
    draw, settled = rng(12), 0
    for _ in range(80):
        X, y, loss = adversarial(draw)
        weights, domain = draw.integers(0, 10.0 ** draw.integers(1, 4), size=len(X)), Box([(-1, 1)] * X.shape[1])
        one = fit_model(X, y, weights=weights, loss=loss, domain=domain)
        many = fit_model(*expanded(X, y, weights), loss=loss, domain=domain)
        apart = abs(statistic(one, 2)[0] - statistic(many, 2)[0])
        assert apart <= one.gradient + many.gradient + 1e-12 * weights.sum() or apart <= CHARGED
        if min(one.nu, many.nu) > 4:
            settled += 1
            assert max(one.gradient, many.gradient) <= SOLVED
            assert domain.width(one.theta - many.theta) <= 1e-12 + 2 * (one.gradient + many.gradient) / one.nu
    assert settled > 10


AT_FIT = {"no weight in the gradient": ("self.weights * self.loss.slope(t", "self.loss.slope(t"),
          "no weight in the curvature": ("self.weights * self.loss.curvature(t", "self.loss.curvature(t"),
          "a weight squared": ("self.weights * self.loss.curvature(t", "self.weights**2 * self.loss.curvature(t")}


def search(X, y, weights, loss, domain, ridge=0.5, tilt=1.0):
    return fits._Search(fits.Records.read(X, y, weights, domain=domain, loss=loss), loss, domain, ridge, tilt)


def same_at_any_point(at):
    """Fails unless gradient, curvature and the bound of rounding at a point are those of the rows that the weights stand for."""
    draw = rng(3)
    for loss, in_pairs in itertools.product((LOGISTIC, ROBUST), (False, True)):
        X, y, weights = draw.uniform(-1, 1, size=(30, 2)), draw.integers(0, 2, size=30), draw.integers(0, 300, size=30)
        one, many = (search(*data, loss, Box([(-1, 1)] * 2)) for data in ((X, y, weights), (*expanded(X, y, weights), None)))
        theta, zero = draw.normal(size=3), np.zeros(3)
        for data in (one, many):
            data.in_pairs = in_pairs
        given, due = at(one, theta, zero), fits._Search.at(many, theta, zero)
        for name in ("gradient", "hessian", "norm", "rounding"):
            assert getattr(given, name) == pytest.approx(getattr(due, name), rel=1e-12, abs=1e-12 * one.size)
        step = draw.normal(size=3)
        assert one._slope_at_end(given, step) == pytest.approx(many._slope_at_end(due, step), rel=1e-12)
        assert one.near_rounding(given) == many.near_rounding(due)


def test_at_any_point_weights_are_rows():
    same_at_any_point(fits._Search.at)


@pytest.mark.parametrize("mistake", AT_FIT)
def test_a_weight_that_is_forgotten_is_noticed(mistake):
    with pytest.raises(AssertionError):
        same_at_any_point(changed(fits._Search.at, *AT_FIT[mistake]))


def test_weights_of_one_are_no_weights_bit_by_bit():
    draw = rng(13)
    for _ in range(20):
        X, y, loss = adversarial(draw)
        given, ones = dict(loss=loss, domain=Box([(-1, 1)] * X.shape[1])), np.ones(len(X), dtype=draw.choice(["u1", "i8"]))
        one, other = fit_model(X, y, **given), fit_model(X, y, weights=ones, **given)
        assert all(np.array_equal(getattr(one, name), getattr(other, name)) for name in vars(one))


def test_neither_order_nor_parts_nor_absent_rows_make_a_difference():
    draw = rng(14)
    X, y, weights = draw.uniform(-1, 1, size=(60, 2)), draw.integers(0, 2, size=60), draw.integers(1, 100, size=60)
    given = dict(loss=LOGISTIC, domain=Box([(-1, 1)] * 2), changes=0)
    fit, order, part = fit_model(X, y, weights=weights, **given), draw.permutation(60), draw.integers(0, weights + 1)
    for rows, outcomes, counts in [
            (X[order], y[order], weights[order]), (np.r_[X, X], np.r_[y, y], np.r_[part, weights - part]),
            (np.r_[X, [[1., -1], [.5, 0]]], np.r_[y, 0, 1], [*weights.tolist(), 0, 0])]:
        other = fit_model(rows, outcomes, weights=counts, **given)
        assert other.theta == pytest.approx(fit.theta, abs=1e-11) and other.nu == pytest.approx(fit.nu, rel=1e-12)


def test_rounding_is_bounded_for_millions_of_records_in_a_few_rows():
    """At most 2^-12 for as many as are allowed, of outcomes far out: an exact computation finds less."""
    for seed in range(6):
        X, y = far_out(seed, people=40)
        domain = Box([(-1, 1)] * (seed % 3))
        most = most_records(domain, ROBUST)
        weights = np.full(40, most // 40)
        fit = fit_model(X, y, weights=weights, loss=ROBUST, domain=domain, changes=0)
        gradient, hessian = exactly(X, y, fit, domain, weights)
        nu = 1 / domain.leverage(np.linalg.inv(np.linalg.cholesky(hessian)).T)
        off = abs(domain.dual(gradient) - fit.gradient) + abs(nu - fit.nu)
        assert off <= fit.rounding <= SOLVED
        assert fit.rounding > SOLVED / 50


def test_what_is_no_count_is_refused_by_name_and_shown_to_nobody():
    good = dict(X=[[0.], [1.]], y=[0, 1], loss=LOGISTIC, domain=Box([(0, 1)]))
    for wrong in ([1, -773], [.5, .5], [1, np.nan], [1, 773.0], [1, 773**10], ["773", 1], [[1, 773]], [773], 773, np.ma.array([1, 773])):
        with pytest.raises(ValueError, match="^weights must") as said:
            fit_model(**good, weights=wrong)
        assert "773" not in str(said.value)
    most = most_records(good["domain"], LOGISTIC)
    with pytest.raises(ValueError, match=f"weights must add up to at most {most} for this loss and domain, got {most + 1}"):
        fit_model(**good, weights=[most, 1])
    with pytest.raises(ValueError, match="weights must add up to at most"):
        fit_model(**good, weights=[2**62, 2**62])
    assert fit_model(**good, weights=[0, 0]).nu == 0
    one, other = (fit_model(**good, weights=weights) for weights in ([True, np.uint8(200)], [1, 200]))
    assert one.nu == other.nu > 0


def test_predictions_from_pairs_of_floats():
    """Rounded about once, even where most of a sum cancels: there a plain product is wrong in every digit."""
    draw, plain = rng(3), 0
    for d in (1, 3, 10):
        X, theta = draw.uniform(-1, 1, size=(50, d)), draw.normal(size=d) * 10.0 ** draw.integers(0, 12, size=d)
        low = theta * draw.uniform(-1, 1, size=d) * 2.0**-54
        X[:, -1] = -(X[:, :-1] @ theta[:-1]) / theta[-1] if d > 1 else X[:, -1]
        found, short = fits._in_pairs(X, theta, low), X @ theta
        for row, t, s in zip(X, found, short):
            exact = sum(Fraction(x) * (Fraction(a) + Fraction(b)) for x, a, b in zip(row, theta, low))
            off = 4 * 2.0**-53 * abs(exact) + 2.0**-100 * sum(abs(row * theta))
            assert abs(Fraction(t) - exact) <= off
            plain += abs(Fraction(s) - exact) > off
    assert plain > 50


def test_more_records_than_rounding_allows_are_refused(monkeypatch):
    monkeypatch.setattr(fits, "SOLVED", SOLVED * 1e-6)
    most = most_records(Box([(-1, 1)]), ROBUST)
    with pytest.raises(ValueError, match=f"X must have at most {most} rows"):
        fit_model(np.zeros((most + 1, 1)), np.zeros(most + 1), loss=ROBUST, domain=Box([(-1, 1)]))


@pytest.mark.slow
def test_neighbouring_statistics_differ_by_at_most_kappa():
    """Replace one record by the worst of many; the failures of a plain Newton method moved the statistic by 11."""
    draw, largest = rng(6), 0
    for _ in range(150):
        X, y, loss = adversarial(draw)
        domain = Box([(-1, 1)] * X.shape[1])
        before, kappa = statistic(fit_model(X, y, loss=loss, domain=domain), 2)
        for _ in range(6):
            X2, y2, i = X.copy(), y.copy(), draw.integers(len(X))
            X2[i], y2[i] = draw.choice([-1., 1.], size=X.shape[1]), draw.choice([0., 1, 100, -100, 1e6])
            after = statistic(fit_model(X2, y2, loss=loss, domain=domain), 2)[0]
            largest = max(largest, abs(after - before))
    assert largest <= kappa
    for lead in (4, 20):
        one, other = (statistic(fit_model(*towns(gap), loss=ROBUST, domain=NOTHING), 2)[0] for gap in (lead, lead - 2))
        largest = max(largest, one - other)
    assert largest > 1.95                           # nearly attained: half of κ would fail


def test_a_ridge_and_a_tilt():
    draw = rng(7)
    X, y, domain = draw.uniform(-1, 1, size=(50, 2)), draw.integers(0, 2, size=50), Box([(-1, 1)] * 2)
    tilt = draw.normal(size=3)
    fit = fit_model(X, y, loss=LOGISTIC, domain=domain, changes=0, ridge=2., tilt=tilt)
    design = domain.design(X)
    assert design.T @ LOGISTIC.slope(design @ fit.theta, y) + 2 * fit.theta + tilt == pytest.approx(np.zeros(3), abs=1e-9)
    separable = fit_model([[-1.], [1.]], [0, 1], loss=LOGISTIC, domain=Box([(-1, 1)]), changes=0, ridge=1e-3)
    assert separable.gradient < 1e-9


def test_no_records_and_bad_arguments():
    assert fit_model(np.zeros((0, 1)), [], loss=ROBUST, domain=Box([(0, 1)])).nu == 0
    good = dict(X=[[0.], [1.]], y=[0, 1], loss=LOGISTIC, domain=Box([(0, 1)]))
    for change, match in [(dict(X=[[np.nan], [1]]), "X must be finite"), (dict(X=[0, 1]), "X must have"), (dict(y=[0]), "y must have"),
                          (dict(loss="logistic"), "loss"), (dict(changes=-1), "changes"), (dict(ridge=-1), "ridge")]:
        with pytest.raises(ValueError, match=match):
            fit_model(**good | change)


def test_units_do_not_matter():
    draw = rng(8)
    X, y = draw.uniform(-1, 1, size=(300, 2)), draw.integers(0, 2, size=300)
    one = fit_model(X, y, loss=LOGISTIC, domain=Box([(-1, 1), (-1, 1)]), changes=0)
    other = fit_model(X * [1e9, 1e-7] + [5, 0], y, loss=LOGISTIC, domain=Box([(5 - 1e9, 5 + 1e9), (-1e-7, 1e-7)]), changes=0)
    assert other.nu == pytest.approx(one.nu, rel=1e-7) and other.theta == pytest.approx(one.theta, abs=1e-7)


# ------------------------------------------------------------------------------------------------------------ certificates


def law(bound, epsilon):
    weight = np.exp(-epsilon / GRID * np.abs(np.arange(-bound, bound + 1)))
    return weight / weight.sum()


@pytest.mark.parametrize("epsilon, delta", [(.25, 1e-6), (1., 1e-3), (2., 1e-6), (4., .1)])
def test_a_certificate_attains_its_delta_exactly(epsilon, delta):
    bound = _bound(epsilon, delta)

    def largest_delta(bound):
        p = law(bound, epsilon)
        shifted = np.r_[np.zeros(GRID), p]          # the neighbour's output, κ further to the right
        own = np.r_[p, np.zeros(GRID)]
        return max(np.maximum(own - np.exp(epsilon) * shifted, 0).sum(), np.maximum(shifted - np.exp(epsilon) * own, 0).sum())

    assert .99 * delta < largest_delta(bound) <= delta * (1 + 1e-9)
    assert largest_delta(bound - GRID) > delta      # planted: one κ less of margin
    shorter = math.ceil(GRID / epsilon * np.log(1 / (2 * delta)))
    if epsilon >= 2:                                # planted: the margin without its e^ε - 1
        assert largest_delta(shorter) > 2 * delta


def test_a_certificate_never_lies_and_has_its_distribution():
    for value in (0., .5, 33.3, 1e6, -2.):
        found = certify_below(np.full(2000, value), sensitivity=2 + CHARGED, epsilon=.7, delta=1e-4, rng=rng(9))
        assert (found <= max(value, 0)).all() and (found >= 0).all()
    huge = certify_below(1e300, sensitivity=2, epsilon=1, delta=.1, rng=rng(9))
    assert 2.0**41 < huge <= 2.0**42                 # 2^51 steps and no more, lest noise be rounded
    step, bound = 1 / GRID, _bound(3., .2)
    found = certify_below(np.full(200_000, 10.), sensitivity=1., epsilon=3., delta=.2, rng=rng(10))
    places = np.rint((found - 10) / step).astype(int) + 2 * bound
    edges = np.linspace(0, 2 * bound + 1, 30).astype(int)
    counts = np.histogram(places, bins=edges - .5)[0]
    expected = np.diff(np.r_[0, law(bound, 3.).cumsum()][edges])
    counts[-1], expected[-1] = len(found) - counts[:-1].sum(), 1 - expected[:-1].sum()
    assert chi_square(counts, expected) > ALARM
    p = law(bound, 2.)                              # power: another ε
    assert chi_square(counts, np.r_[np.diff(np.r_[0, p.cumsum()][edges])[:-1], 1 - np.diff(np.r_[0, p.cumsum()][edges])[:-1].sum()]) < ALARM


@pytest.mark.parametrize("epsilon, delta, margin", [(.25, 1e-6, 94.9), (.25, 5e-7, 100.5), (1, 5e-7, 28.7)])
def test_margins(epsilon, delta, margin):
    assert certificate_margin(sensitivity=2, epsilon=epsilon, delta=delta) == pytest.approx(margin, abs=.06)


def test_bad_certificates():
    good = dict(statistic=5., sensitivity=1., epsilon=1., delta=1e-6, rng=rng())
    for change, error in [(dict(statistic=np.nan), ValueError), (dict(sensitivity=0), ValueError), (dict(epsilon=0), ValueError),
                          (dict(delta=.5), ValueError), (dict(rng=1), TypeError)]:
        with pytest.raises(error, match=next(iter(change))):
            certify_below(**good | change)
