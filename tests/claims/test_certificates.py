"""The statements of the page on certificates."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from dplib import _samplers
from dplib.glm import LOGISTIC, ROBUST, Ball, Box, certificate_margin, certify_below, fit_model, prediction_shift
from dplib.glm.compared import certificate_offset, certify_largest_eigenvalue, generic_levels, linear_levels, source_levels
from dplib.glm.fits import ADDED, statistic, sums
from tests.chance import FAR, standard_errors
from tests.claims import claim, page_function, to
from tests.noise import no_noise

arms_curvature = page_function("certificates", "arms_curvature")
LINE, ARMS = Ball(1, columns=1), Box([(0, 1)], binary=[0])


def changed(**change):
    """`fit_model` with another ν."""
    def fit(X, y, *, loss, domain, **given):
        found = fit_model(X, y, loss=loss, domain=domain, **given)
        nu = change.get("nu", lambda found, rows: found.nu)(found, domain.design(X))
        return replace(found, nu=nu)
    return fit


# -------------------------------------------------------------------------------------------------------- curvature in cells

@claim("prop-cells", fit_model, arms_curvature,
       mutants={"the mean of the arms": (fit_model, lambda people, treated, better=.5: people / 2 * better * (1 - better)),
                "a share in place of its variance": (fit_model, lambda people, treated, better=.5:
                    arms_curvature(people, treated, .5) * 4 * better),
                "a mean Hessian": (changed(nu=lambda found, rows: found.nu / len(rows)), arms_curvature),
                "the smallest eigenvalue": (changed(nu=lambda found, rows: np.linalg.eigvalsh(found.hessian)[0]), arms_curvature)})
def test_cells(fit, arms):
    """Fit 18 trials of different sizes and shares and compare ν with the smaller arm's count; then models whose people stand at four and
    eight corners, with fewer coefficients than that, and compare ν with the least sum of h'' at a corner.
    """
    worst, cases = 0., 0
    for people, treated, better in itertools.product((200, 1000), (.5, .2, .05), (.5, .3, .1)):
        first = round(people * treated)
        X, y = np.repeat([1, 0], [first, people - first])[:, None], np.zeros(people)
        y[:round(first * better)], y[first:first + round((people - first) * better)] = 1, 1
        nu = fit(X, y, loss=LOGISTIC, domain=ARMS, changes=0).nu
        worst, cases = max(worst, abs(nu / float(arms(people, treated, better)) - 1)), cases + 1
    assert worst < 1e-9
    rng = np.random.default_rng(3)
    for d in (2, 3):
        domain = Box([(0, 1)] * d, binary=range(d))
        for _ in range(20):
            X, y = rng.integers(0, 2, (80, d)), rng.normal(size=80)
            found = fit(X, y, loss=ROBUST, domain=domain, changes=0)
            weights = ROBUST.curvature(domain.design(X) @ found.theta, y)
            least = min(weights[(X == corner).all(axis=1)].sum() for corner in itertools.product((0, 1), repeat=d))
            assert found.nu >= least * (1 - 1e-9)
    return f"ν of {cases} trials agrees {to(worst)}, relatively; 40 models with more corners than coefficients have at least the least sum"


# ------------------------------------------------------------------------------------------------------------ counts of rows

def weighing(how=np.asarray):
    """`fit_model` with other weights than it is given."""
    def fit(X, y, *, weights=None, **given):
        return fit_model(X, y, weights=None if weights is None else how(np.asarray(weights)), **given)
    return fit


@claim("prop-counts-of-rows", fit_model, sums,
       mutants={"each row once": (weighing(lambda w: np.minimum(w, 1)), sums),
                "a row without people counts": (weighing(lambda w: np.maximum(w, 1)), sums),
                "the mean over the rows": (weighing(lambda w: np.rint(w / max(w.mean(), 1)).astype(int)), sums),
                "a replaced record takes two": (weighing(lambda w: 2 * w), sums),
                "sums one after another": (fit_model, lambda left, right: np.add.accumulate(left * right, axis=0)[-1:])})
def test_counts_of_rows(fit, sums):
    """Fit 60 models to rows with up to 3,000 records each, and to their records one by one: coefficients, H and ν agree; so do they if rows
    change places, are split, or stand for nobody. Then move one record from row to row, old or new, and compare ν and predictions with
    their bounds. Last, add up 10^6 rows of weight 7, where the error may not exceed that of 1,089 roundings.
    """
    rng, apart, moved = np.random.default_rng(41), 0., 0.
    for trial in range(60):
        d, loss = 1 + trial % 3, (LOGISTIC, ROBUST)[trial % 2]
        rows, domain = int(rng.integers(6, 30)), Box([(-1, 1)] * d) if trial % 4 < 2 else Ball(2, columns=d)
        X, y = rng.uniform(-1, 1, (rows, d)), rng.integers(0, 2, rows) if loss is LOGISTIC else rng.normal(size=rows) * 3
        w = rng.integers(0, rng.choice([4, 50, 3000]), rows)
        given = dict(loss=loss, domain=domain, changes=0)
        many = fit_model(np.repeat(X, w, axis=0), np.repeat(y, w), **given)
        if many.nu < 3:
            continue
        one = fit(X, y, weights=w, **given)
        order, part = rng.permutation(rows), rng.integers(0, w + 1)
        other = fit(np.r_[X, X[order], X[:1]], np.r_[y, y[order], 1 - y[:1]], weights=np.r_[part, (w - part)[order], 0], **given)
        left = 2 * max(found.gradient for found in (many, one, other)) + 1e-13 * w.sum()
        for found in (one, other):
            for name in ("hessian", "nu"):
                apart = max(apart, np.abs(getattr(found, name) - getattr(many, name)).max() / (left + 1e-12 * many.nu))
            apart = max(apart, float(domain.width(found.theta - many.theta)) * many.nu / (left + 1e-12 * many.nu))
        less = int(rng.choice(np.flatnonzero(w)))
        v = np.r_[w, 1] - (np.arange(rows + 1) == less)
        new, outcome = rng.choice([-1., 1], (1, d)) / d**.5, rng.choice([0, 1] if loss is LOGISTIC else [-300., 300])
        neighbour = fit(np.r_[X, new], np.r_[y, outcome], weights=v, **given)
        kappa = 2 + one.gradient + neighbour.gradient
        moved = max(moved, abs(one.nu - neighbour.nu) / kappa)
        if one.nu > kappa:
            moved = max(moved, float(domain.width(one.theta - neighbour.theta) / prediction_shift(nu=one.nu, changes=kappa)))
    assert apart <= 1 and moved <= 1
    rows, w, t = 10**6, 7, .1
    exact = rows * w * Fraction(t)
    off = abs(Fraction(float(sums(np.full((rows, 1), w * t), np.ones((rows, 1)))[0, 0])) - exact) / (2**-53 * w * rows)
    assert off <= ADDED + 1
    return (f"at most {apart:.2f} of what the gradients leave open, {moved:.2f} of what a record may move, "
            f"and an error of {float(off):.0f} roundings")


# --------------------------------------------------------------------------------------------------- one record moves ν by two

def giving_up(found, rows):
    return 0. if np.abs(rows @ found.theta).max() > 4 else found.nu


@claim("lem-curvature-sensitivity", fit_model, statistic,
       mutants={"a swap counted once": (fit_model, lambda fit, changes: (max(fit.nu, changes / 2), changes / 2 + 1e-3)),
                "no answer where the solver has far to go": (changed(nu=giving_up), statistic),
                "the smallest eigenvalue over the square of the length":
                    (changed(nu=lambda found, rows: 1.2 * np.linalg.eigvalsh(found.hessian)[0] * rows.shape[1]), statistic),
                "only the rows that are there": (changed(nu=lambda found, rows: float(1 / max(
                    np.square(rows @ found.factor).sum(axis=1).max(), 1e-9))), statistic)})
def test_sensitivity(fit, statistic):
    """Walk from one data set to another a record at a time: two towns of 4000 people from a lead of 40 to none; trials until everybody in
    an arm has the same outcome and no fit exists; random data with far outcomes. No step may change T by more than κ, and the towns
    come within 1% of it.
    """
    def walk(sets, **given):
        values = [statistic(fit(X, y, **given, changes=2), 2) for X, y in sets]
        kappa = values[0][1]
        assert abs(kappa - 2) < .01
        steps = np.abs(np.diff([T for T, _ in values])) / kappa
        assert steps.max() <= 1 + 1e-9
        return steps.max()

    towns = walk([(np.ones((4000, 1)), np.repeat([0., -1000.], [2000 + lead // 2, 2000 - lead // 2])) for lead in range(40, -1, -2)],
                 loss=ROBUST, domain=LINE)
    assert towns > .99
    trials = [(np.repeat([0, 1], 60)[:, None], np.r_[np.tile([0, 1], 30), np.arange(60) >= others]) for others in range(30, -1, -1)]
    worst, rng = walk(trials, loss=LOGISTIC, domain=ARMS), np.random.default_rng(4)
    near = np.tile([-.1, .1], 200)[:, None]
    corner = [(np.vstack([near[1:], [[x]]]), np.tile([0, 0, 1, 1], 100)) for x in (.1, 1.)]
    worst = max(worst, walk(corner, loss=LOGISTIC, domain=Box([(-1, 1)])))
    for d, loss in itertools.product((1, 2), (LOGISTIC, ROBUST)):
        for _ in range(8):
            X, y = rng.uniform(-1, 1, (30, d)), rng.integers(0, 2, 30) if loss is LOGISTIC else rng.normal(size=30) * 4
            sets = [(X, y)]
            for i in range(12):
                X, y = X.copy(), y.copy()
                X[i], y[i] = rng.choice([-1, 1], d), rng.integers(0, 2) if loss is LOGISTIC else rng.choice([-200, 0, 200])
                sets.append((X, y))
            worst = max(worst, walk(sets, loss=loss, domain=Box([(-1, 1)] * d)))
    return f"the towns' largest step is {towns:.3f} of κ, the largest of the others {worst:.3f}"


# -------------------------------------------------------------------------------------------- a certificate that never lies

def bound_of(margin, epsilon, delta):
    """a, in steps of the grid of 1024."""
    return round(float(margin(sensitivity=1024., epsilon=epsilon, delta=delta)))


def law_of_the_noise(a, epsilon):
    z = np.arange(-a, a + 1)
    weights = np.exp(-epsilon * np.abs(z) / 1024)
    return z, weights / weights.sum()


def shifted(by=0, narrow=1., unit=1.):
    """`certify_below` from its parts, with room for mistakes."""
    def certify(T, *, sensitivity, epsilon, delta, rng):
        a = round(narrow * bound_of(certificate_margin, epsilon, delta))
        noise = _samplers.truncated_two_sided_geometric(epsilon / 1024 / unit, a, np.shape(T), rng) + (by - 1) * a
        return np.maximum((np.floor(np.asarray(T) / (sensitivity / 1024)) + noise) * sensitivity / 1024, 0)
    return certify


@claim("thm-certify-below", certificate_margin, certify_below,
       mutants={"the tail that is cut off, not the part that cannot be reached":
                    (lambda *, sensitivity, epsilon, delta: sensitivity / epsilon * math.log(1 / (2 * delta)), certify_below),
                "one δ for both sides": (lambda *, sensitivity, epsilon, delta: certificate_margin(
                    sensitivity=sensitivity, epsilon=epsilon, delta=2 * delta), certify_below),
                "a swap counted once": (lambda *, sensitivity, epsilon, delta: certificate_margin(
                    sensitivity=sensitivity / 2, epsilon=epsilon, delta=delta), certify_below),
                "no margin": (certificate_margin, shifted(by=1)), "a margin on the wrong side": (certificate_margin, shifted(by=2)),
                "noise of half the scale": (certificate_margin, shifted(unit=.5)),
                "noise cut off at half the margin": (certificate_margin, shifted(narrow=.5))})
def test_certificate(margin, certify):
    """Compute the exact δ of neighbours at three distances up to κ from the distribution on the grid, at four budgets: it must be the one
    promised, to 2%. Then 200,000 draws: none above T, none more than twice the margin below, shares as the distribution
    says.
    """
    worst = 0.
    for epsilon, delta in ((.25, 1e-6), (1, 1e-3), (2, 1e-6), (.5, .1)):
        a = bound_of(margin, epsilon, delta)
        z, p = law_of_the_noise(a, epsilon)
        spent = []
        for steps in (1, 300, 1024):
            q = np.zeros_like(p)
            q[:-steps] = p[steps:]                               # the neighbour's, T' = T - steps
            spent += [np.maximum(p - math.exp(epsilon) * q, 0)[q > 0].sum() + p[q == 0].sum()]
        assert max(spent) <= delta * (1 + 1e-9), (epsilon, delta, spent)
        assert max(spent) > .98 * delta
        worst = max(worst, 1 - max(spent) / delta)
    T, kappa, rng = 500.3, 2.001, np.random.default_rng(8)
    a = bound_of(margin, 1., 1e-3)
    drawn = certify(np.full(200_000, T), sensitivity=kappa, epsilon=1., delta=1e-3, rng=rng)
    assert drawn.max() <= T and drawn.min() >= T - (2 * a + 1) * kappa / 1024
    z, p = law_of_the_noise(a, 1.)
    for place in (-a // 2, -500, 0, 700, a - 300):
        hits = (drawn >= (math.floor(T / (kappa / 1024)) + place - a - .5) * kappa / 1024).sum()
        assert abs(standard_errors(hits, drawn.size, p[z >= place].sum())) < FAR
    return f"the exact δ at distance κ is the one promised but for {worst:.1%}; no draw of 200,000 was above T"


# ------------------------------------------------------------------------------------------------------- after a certificate

def laplace_excess(p, q, shift, epsilon):
    """Σ over the published values of the excess of p Lap(0) over e^ε q Lap(shift), exactly; the unit is the noise's scale."""
    share = np.where(q > 0, p / np.where(q > 0, q, 1) * math.exp(-epsilon), np.inf)     # p > e^ε q r where r < share
    left = np.log(np.maximum(share, 1e-300))
    shift = np.abs(shift)
    # the log-ratio of the two densities is shift left of 0, falls with slope 2 between, and is -shift right of shift
    edge = np.clip((shift + left) / 2, 0, shift)
    ours, theirs = 1 - np.exp(-edge) / 2, np.exp(edge - shift) / 2
    some = p * ours - math.exp(epsilon) * q * theirs
    return np.where(q == 0, p, np.where(left >= shift, p - math.exp(epsilon) * q, np.where(left <= -shift, 0., some)))


@claim("thm-after-certificate", prediction_shift, certificate_margin,
       mutants={"half the noise": (lambda *, nu, changes: prediction_shift(nu=nu, changes=changes / 2), certificate_margin),
                "the noise of one's own curvature": (lambda *, nu, changes: prediction_shift(nu=nu + 8, changes=changes),
                                                     certificate_margin),
                "no margin": (prediction_shift, lambda **given: 0.),
                "the tail that is cut off": (prediction_shift, lambda *, sensitivity, epsilon, delta:
                    sensitivity / epsilon * math.log(1 / (2 * delta)))})
def test_after_certificate(shift, margin):
    """Two towns of a million people with leads of 4 to 60, one of whom moves: certificate and place, with noise for what was
    published. Sum and integrate the exact δ over both, in either order of the pair, at three budgets.
    """
    worst, n, kappa = 0., 10**6, 2.
    for (one, two, delta), lead in itertools.product(((2., 1., .01), (1., 1., 1e-3), (.5, .25, 1e-3)), (4, 6, 10, 20, 60)):
        a = max(bound_of(margin, one, delta), 1)
        own = a if a > 1 else 0                          # without a margin the noise is not cut off, either
        noise, p = law_of_the_noise(own or round(1024 / one * 8), one)
        places = [math.log(n / ahead) for ahead in (lead, lead - 2)]
        tops = [int(n * ahead / (n + ahead) / (kappa / 1024)) for ahead in (lead, lead - 2)]
        grid = np.arange(tops[1] + noise[0] - own, tops[0] + noise[-1] - own + 1)
        laws = [np.zeros(grid.size) for _ in tops]
        for law, top in zip(laws, tops):
            start = top + noise[0] - own - grid[0]
            law[start:start + noise.size] = p
        w = grid * kappa / 1024
        told = w > kappa
        scale = np.where(told, shift(nu=np.where(told, w, kappa + 1), changes=kappa), 1) / two
        for ours, theirs in (laws, laws[::-1]):
            spent = laplace_excess(ours[told], theirs[told], (places[1] - places[0]) / scale[told], one + two).sum()
            spent += np.maximum(ours[~told] - math.exp(one + two) * theirs[~told], 0).sum()
            worst = max(worst, spent / delta)
            assert spent <= delta * (1 + 1e-9), (one, two, delta, lead, spent)
    return f"the exact δ is at most {worst:.2f} of the one promised"


# --------------------------------------------------------------------------------------------------------------- no unit matters

@claim("prop-affine", fit_model,
       mutants={"limits that do not move along": lambda X, y, *, loss, domain, changes: fit_model(
                    np.clip(X, -1, 1), y, loss=loss, domain=Box([(-1, 1)] * domain.columns), changes=changes),
                "curvature in the units that are measured": lambda X, y, *, loss, domain, changes: changed(
                    nu=lambda found, rows: found.nu * float(np.ptp(X)))(X, y, loss=loss, domain=domain, changes=changes)})
def test_units(fit):
    """Measure covariates in units from 0.001 to 1000 and from other zeros: predictions and ν stay what they are. Turn those of a model
    without intercept round in space: so does ν.
    """
    rng, worst = np.random.default_rng(9), 0.
    X, y = rng.uniform(-1, 1, (200, 2)), rng.normal(size=200)
    base = fit(X, y, loss=ROBUST, domain=Box([(-1, 1)] * 2), changes=0)
    for unit, zero in itertools.product((1e-3, .5, 1e3), (0., 2., -700.)):
        domain = Box([(unit * (-1 + zero), unit * (1 + zero))] * 2)
        found = fit(unit * (X + zero), y, loss=ROBUST, domain=domain, changes=0)
        worst = max(worst, abs(found.nu / base.nu - 1), np.abs(found.theta - base.theta).max())
    ball = fit(X / 2, y, loss=ROBUST, domain=Ball(1, columns=2), changes=0)
    for angle, unit in ((.3, 1.), (1.2, 50.)):
        turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
        found = fit(unit * X / 2 @ turn, y, loss=ROBUST, domain=Ball(unit, columns=2), changes=0)
        worst = max(worst, abs(found.nu / ball.nu - 1))
    assert worst < 1e-9
    return f"ν and the fit agree {to(worst)}"


# ------------------------------------------------------------------------------------------------------------- counting steps

def recursions(n, step=2., radius=1.):
    """{name: levels of λ = ν/n for n people with the robust loss and x = 1}."""
    return {"constant": linear_levels(step=step / n), "source": source_levels(radius=radius, largest_curvature=.5, size=n),
            "generic": generic_levels(lipschitz=(1., .5, 27**-.5), size=n)}


@claim("prop-recursion", recursions, certificate_offset,
       mutants={"a swap counted once": (lambda n: recursions(n, step=1.), certificate_offset),
                "half the radius": (lambda n: recursions(n, radius=.3), certificate_offset),
                "the offset of continuous noise": (recursions, lambda *, epsilon, delta, noise: certificate_offset(
                    epsilon=epsilon, delta=delta, noise="laplace")),
                "no offset": (recursions, lambda *, epsilon, delta, noise: 0.)})
def test_recursion(recursions, offset):
    """Count steps of three recursions for the two towns at all leads up to 400, and two of them for 30,000 pairs of ν that
    are 2 apart: no count may differ by more than 1. Then sum the exact probability that a certificate is too large; it
    must be at most δ, and near it at some budget.
    """
    leads = np.arange(0, 400, 2.)
    for n in (1000, 10**6):
        nu, others = n * leads / (n + leads), np.linspace(0, 300, 30_001) / n
        for name, levels in recursions(n).items():
            assert np.abs(np.diff(levels.count(nu / n))).max() <= 1, name
            counts = levels.count(others)
            assert (np.diff(counts) >= 0).all() and (name == "generic" or np.abs(counts[200:] - counts[:-200]).max() <= 1), name
            assert (levels.level(counts[1:]) <= others[1:] * (1 + 1e-6)).all()
    most, q = 0., lambda epsilon: math.exp(-epsilon)
    for epsilon, delta in itertools.product((.1, .25, 1., 3.), (.3, .05, 1e-3, 1e-6)):
        m = math.floor(offset(epsilon=epsilon, delta=delta,
                              noise="discrete_laplace")) + 1                      # too large where the noise is m or more
        wrong = q(epsilon)**m / (1 + q(epsilon)) if m > 0 else 1
        assert wrong <= delta * (1 + 1e-9), (epsilon, delta)
        most = max(most, wrong / delta)
    assert most > .9
    return f"counts differ by at most 1; too large with at most {most:.3f} of the probability allowed"


# ------------------------------------------------------------------------------------------------- a test that may be wrong

def total(join=max, of_test=1):
    """δ of a test and a release, with room for mistakes."""
    return lambda of_the_test, of_the_release, wrong: of_test * of_the_test + join(of_the_release, wrong)


def excess(p, q, epsilon):
    """δ of ε in one direction."""
    return np.maximum(p - np.exp(epsilon) * q, 0).sum()


def both_steps(w, m, accepted):
    """The distribution of a test, and of a release where its value is accepted."""
    return np.append(np.outer(w * accepted, m), w * ~accepted)


@claim("prop-test-release", total(),
       mutants={"three numbers are added": total(join=lambda a, b: a + b), "the smaller of the two": total(join=min),
                "the δ of the test is left out": total(of_test=0)})
def test_a_test_and_a_release(total):
    """Enumerate 4000 random tests of four values and releases of three, on a good data set and a neighbour that is none, and compare the
    exact δ in both directions with the stated one; then a test that is wrong, and one that tells, which attain it.
    """
    rng = np.random.default_rng(1)
    for _ in range(4000):
        w, m, accepted = rng.dirichlet(np.ones(4) / 2, 2), rng.dirichlet(np.ones(3) / 2, 2), rng.random(4) < .4
        first, second = rng.uniform(0, 1, 2)
        of_test = max(excess(*w, first), excess(*w[::-1], first))
        stated = total(of_test, excess(*m, second), w[1][accepted].sum())         # the first data set is good, the second is not
        both = [both_steps(*parts, accepted) for parts in zip(w, m)]
        assert max(excess(*both, first + second), excess(*both[::-1], first + second)) <= stated + 1e-12
    w, accepted = np.array([[.02, .03, .95], [0, .03, .97]]), np.array([False, True, False])   # neither is good
    exact = excess(both_steps(w[0], np.array([1., 0]), accepted), both_steps(w[1], np.array([0, 1.]), accepted), 1.)
    most = exact / total(excess(*w, .5), .03, .03)
    assert .99 < most <= 1 + 1e-9, most
    return f"4000 pairs below it; a test that is wrong attains {most:.3f} of it"


# ---------------------------------------------------------------------------------------------------------- counting upwards

def counted(cap=1, ceiling=np.ceil, growth=1):
    """N of the statement, with room for mistakes."""
    def count(value, s, most, size):
        b = most / size / np.expm1(s)
        return ceiling(np.log((most + cap * b) / (value + b)) / (growth * s) - 1e-9)
    return count


@claim("prop-counting-up", certify_largest_eigenvalue, counted(),
       mutants={"one step too few": (certify_largest_eigenvalue, counted(ceiling=np.floor)),
                "the constant is left out at the top": (certify_largest_eigenvalue, counted(cap=0)),
                "steps of twice the size": (certify_largest_eigenvalue, counted(growth=2)),
                "no logarithm": (lambda value, **given: value, counted())})
def test_counting_upwards(certify, count):
    """Count the steps of the recursion one by one for 60 values at each of six sizes, compare with the formula, and invert the count after
    ten different noises; with the noise at 0, `certify_largest_eigenvalue` is within a factor of e^s of it. Then replace 300 records.
    """
    radius, highest, off = 2., .25, 0.
    for size, smallest in itertools.product((200, 1000, 5000), (.15, .25)):
        s, most = float(prediction_shift(nu=size * smallest / radius**2, changes=2)), highest * radius**2
        b, values = most / size / np.expm1(s), np.linspace(smallest, most, 60)
        steps, at = np.zeros(60), values.copy()
        while (at < most).any():
            steps += at < most
            at = np.minimum(np.exp(s) * at + most / size, most)
        assert (count(values, s, most, size) == steps).all()
        fine = np.linspace(0, most, 20_001)
        counts = count(fine, s, most, size)
        for z in np.linspace(-9.7, .4, 10):
            largest = np.array([fine[counts >= j].max(initial=0) for j in np.ceil(steps + z)])
            inside = (largest > 0) & (largest < most)
            factor = np.abs(np.log((largest + b) / (values + b)) + s * z)[inside] / s
            off = max(off, (factor - 1e-3 / s / 20).max(initial=0))
        with no_noise():
            upper = certify(values, size=size, radius=radius, largest_curvature=highest, smallest_eigenvalue=smallest,
                            epsilon=1., delta=.01, rng=np.random.default_rng(1))
        o = float(certificate_offset(epsilon=1., delta=.01, noise="laplace"))
        exact = np.minimum((values + b) * np.exp(s * o) - b, most)
        assert np.allclose(upper, exact, rtol=1e-6)
    assert off <= 1.1, off
    rng, worst = np.random.default_rng(2), 0
    X, y = rng.choice([-1., 1], size=(200, 2)), rng.normal(size=200)
    domain = Ball(2**.5, columns=2)
    for i in range(300):
        other, outcome = X.copy(), y.copy()
        other[i % 200], outcome[i % 200] = rng.choice([-1., 1], size=2), rng.choice([-40, 0, 40])
        fits = [fit_model(*data, loss=ROBUST, domain=domain, changes=0) for data in ((X, y), (other, outcome))]
        values = np.array([np.linalg.eigvalsh(fit.hessian)[[0, -1]] / 200 for fit in fits])
        s = float(prediction_shift(nu=100 * values[:, 0].min(), changes=2))
        worst = max(worst, np.ptp(count(values[:, 1], s, 1., 200)))
    assert worst <= 1
    return f"all counts agree; the two bounds within {off:.2f} steps; 300 replaced records change a count by at most {worst:.0f}"
