"""The statements of the page on releasing one coefficient."""

import itertools
from dataclasses import replace

import mpmath
import numpy as np
from scipy.optimize import brentq
from scipy.special import logit
from scipy.stats import gamma, norm

from dplib.glm import (
    LOGISTIC, ROBUST, Ball, Box, direction_constants, fit_model, laplace_epsilon, prediction_shift,
    release_with_fitted_scale, release_with_public_scale, vector_constants, vector_noise_multiplier)
from dplib.glm.compared import (
    certificate_offset, eigenvalue_ratio_constants, gaussian_noise_multiplier, mismatched_gaussian_delta, published,
    release_with_condition_number, release_with_isotropic_noise, shift_source, source_levels)
from dplib import _grid
from dplib.glm.fits import CHARGED, Records, settled_fit
from dplib.glm.perturbed import computed_within, covering_noise, perturbation, tilt_of
from dplib.mechanisms import gaussian_delta, gaussian_sigma
from tests.claims import claim, to
from tests.glm_audit import ARMS, LINE, ON_LINE, arms, changed, laplace_gap, law, towns, worst_gap
from tests.test_glm_published import CONDITION, ISOTROPIC, largest_delta

KAPPA = 2 + CHARGED


def of(name):
    """A mechanism of the module with one change in its source."""
    return lambda old, new: getattr(changed(old, new), name)


one, fitted = of("release_with_public_scale"), of("release_with_fitted_scale")
TABLES = [(((200, 100), (200, 100)), ((199, 99), (201, 101))), (((200, 10), (200, 190)), ((199, 9), (201, 191)))]


@claim("thm-one-certificate", release_with_public_scale,
       mutants={"a replaced record counted once": one("2 * self.rows", "self.rows"),
                "s in place of 2s, whatever the domain": one("gamma / 2 if two_arms else gamma)\n    noise", "gamma / 2)\n    noise"),
                "the noise has all of ε": one("epsilon=shares.for_number.epsilon", "epsilon=terms.budget.epsilon"),
                "half of γ": one("domain.dual(u) * (1", "domain.dual(u) / 2 * (1"),
                "the scale from the data's own curvature": one("prediction_shift(nu=nu,", "prediction_shift(nu=certified.fit.nu,"),
                "the data's own curvature is published": one('"one certificate", nu,', '"one certificate", certified.fit.nu,')})
def test_one_certificate(release_with_public_scale):
    """Compute the largest P(S) - e^ε P'(S) of the whole mechanism, summed over all values of the certificate, in both orders: two
    towns with a lead of 20, 60 and 200, for a long move and for a short one, and trials with two arms in which one person changes.
    """
    given, delta = dict(epsilon=1.0, split=.5), .01
    on_towns = [worst_gap(release_with_public_scale, towns(lead), towns(lead - 2), **ON_LINE, **given, delta=delta, grid=grid)
                for lead, grid in ((20, 16), (60, 8), (200, 4))]
    short = ON_LINE | dict(move=([0], [.5]))
    on_towns.append(worst_gap(release_with_public_scale, towns(60), towns(58), **short, **given, delta=delta, grid=8))
    trial = dict(move=([0], [1]), domain=ARMS, loss=LOGISTIC)
    in_trials = [worst_gap(release_with_public_scale, arms(a), arms(b), **trial, **given, delta=delta, grid=4) for a, b in TABLES]
    largest = max(on_towns + in_trials) / delta
    assert .98 < largest <= 1 + 1e-9
    return f"largest δ {largest:.3f} of the stated one, on 12 ordered pairs"


def weighted_fit(x, people, good):
    """Of a logistic line, to groups: its slope, and ν over the doses from 0 to 1."""
    X, theta = np.column_stack([np.ones(len(x)), x]), np.array([logit(good.sum() / people.sum()), 0])
    for _ in range(50):
        p = 1 / (1 + np.exp(-X @ theta))
        H = (X.T * (people * p * (1 - p))) @ X
        theta = theta - np.linalg.solve(H, X.T @ (people * p - good))
    inverse = np.linalg.inv(H)
    return theta[1], 1 / max(inverse[0, 0], inverse.sum())


def largest_ratio(shift):
    """The move of the effect in units of s, the largest over all exchanges of one person in some trials with two arms."""
    worst = 0.0
    for (n0, r0), (n1, r1) in [((30, 12), (40, 30)), ((1000, 9), (50, 25)), ((10**8, 1000), (10**8, 1000)), ((9, 4), (9, 5))]:
        before, nu = logit(r1 / n1) - logit(r0 / n0), min(r * (1 - r / n) for n, r in ((n0, r0), (n1, r1)))
        for out, into in itertools.product(itertools.product((0, 1), (0, 1)), repeat=2):
            n, r = np.array([n0, n1]), np.array([r0, r1])
            for sign, (arm, good) in ((-1, out), (1, into)):
                n[arm] += sign
                r[arm] += sign * good
            worst = max(worst, abs(logit(r[1] / n[1]) - logit(r[0] / n[0]) - before) / float(shift(nu=nu, changes=2)))
    return worst


@claim("lem-two-arms", prediction_shift,
       mutants={"one of the two changes": lambda nu, changes: prediction_shift(nu=nu, changes=changes - 1),
                "ν of both arms together": lambda nu, changes: prediction_shift(nu=2 * nu, changes=changes)})
def test_two_arms(shift):
    """Compute the effect before and after every exchange of one person in four trials, one of them with 1000 responders of a hundred
    million in either arm. Then fit the trial with half a dose, in which the effect moves by more than s.
    """
    largest = largest_ratio(shift)
    assert .998 < largest <= 1 + 1e-9
    x, people, good = np.array([0, .5, 1]), np.array([1e6, 1e10, 1e6]), np.array([400, 4e6, 400.])
    (before, nu), (after, _) = weighted_fit(x, people, good), weighted_fit(x, people + [1, 0, -1], good + [1, 0, -1])
    half = abs(after - before) / float(shift(nu=nu, changes=2))
    assert 1.9 < half <= 2
    return f"largest move {largest:.4f} s with two arms, {half:.3f} s with half a dose"


def pairs():
    """(X, y), (X', y'), loss, domain: two towns, random data in two and three dimensions, a record in a weak corner."""
    for lead in (8, 20, 60):
        yield towns(lead), towns(lead - 2), ROBUST, LINE
    rng = np.random.default_rng(5)
    for size, d, loss, domain in itertools.product((40, 300), (2, 3), (LOGISTIC, ROBUST), (Box, Ball)):
        X = rng.uniform(-1, 1, size=(size, d)) * (1 if domain is Box else d**-.5)
        y = (rng.random(size) < .5) * 1.0 if loss is LOGISTIC else X.sum(axis=1) + rng.normal(size=size)
        place = Box([(-1, 1)] * d, intercept=False) if domain is Box else Ball(1, columns=d)
        corner = np.sign(rng.normal(size=d)) * (1 if domain is Box else d**-.5)
        for value in (0, 1) if loss is LOGISTIC else (-50, X[0].sum()):
            other, y2 = X.copy(), y.copy()
            other[0], y2[0] = corner, value
            yield (X, y), (other, y2), loss, place


FITS = None


def fits():
    """(what moved, H's widths, ν, sup h'') of every pair, in both orders and for some directions, computed once."""
    global FITS
    if FITS is None:
        FITS = []
        for a, b, loss, domain in pairs():
            one, two = (fit_model(*data, loss=loss, domain=domain) for data in (a, b))
            d = domain.dimension
            for u in np.vstack([np.eye(d), np.ones(d), np.random.default_rng(d).normal(size=(4, d))]):
                widths = [domain.width(fit.inverse(u)) for fit in (one, two)]
                for here, there, first in ((0, 1, one), (1, 0, two)):
                    FITS.append((abs(u @ (one.theta - two.theta)), widths[here], widths[there], first.nu, loss.largest_curvature))
    return FITS


def spoiled(**change):
    """The constants, with some of them replaced."""
    def constants(**given):
        right = direction_constants(**given)
        return type(right)(**vars(right) | {name: f(right, given) for name, f in change.items()})
    return constants


@claim("lem-direction", direction_constants,
       mutants={"first order only, τ = 1": spoiled(factor=lambda c, g: 1.0),
                "a replaced record counted once": lambda nu, changes, largest_curvature: direction_constants(
                    nu=nu, changes=changes / 2, largest_curvature=largest_curvature)})
def test_one_direction(constants):
    """Fit 35 pairs of data sets with one record replaced, two towns among them, and compare how far five directions and more move with
    the bound, from both sides.
    """
    ratios = []
    for moved, width, _, nu, largest in fits():
        c = constants(nu=nu, changes=KAPPA, largest_curvature=largest)
        if np.isfinite(c.factor):
            ratios.append(moved / (c.factor * KAPPA * width))
    assert len(ratios) > 100 and .9 < max(ratios) <= 1 + 1e-9
    return f"largest move {max(ratios):.3f} of the bound, {len(ratios)} cases"


@claim("lem-scale", direction_constants,
       mutants={"what the move does is left out": spoiled(up=lambda c, g: 1 / (1 - g["largest_curvature"] * np.expm1(c.shift)),
                                                          down=lambda c, g: 1 + g["largest_curvature"] * np.expm1(c.shift)),
                "a replaced record counted once": lambda nu, changes, largest_curvature: direction_constants(
                    nu=nu, changes=changes / 2, largest_curvature=largest_curvature),
                "scales do not differ": spoiled(up=lambda c, g: 1.0, down=lambda c, g: 1.0)})
def test_two_scales(constants):
    """On the same pairs compare the ratio of the two widths with both bounds, from both sides."""
    up, down = [], []
    for _, width, other, nu, largest in fits():
        c = constants(nu=nu, changes=KAPPA, largest_curvature=largest)
        if np.isfinite([c.up, c.down]).all():
            up.append(np.log(other / width) / np.log(c.up) if c.up > 1 else np.inf)
            down.append(np.log(width / other) / np.log(c.down) if c.down > 1 else np.inf)
    assert len(up) > 100 and max(up + down) <= 1 + 1e-9
    return f"largest ratio {max(up):.2f} and {max(down):.2f} of the bounds in logarithms, {len(up)} cases"


SCALES = [(1.0, 1e-6, 1.01, 1.01), (1.0, 1e-3, 1.0, 1.05), (.5, 1e-6, 1.05, 1.0),
          (3.0, 1e-2, 1.3, 1.2), (8.0, 1e-2, 1.0, 1.2), (.2, 1e-9, 1.002, 1.002), (1.0, 1e-6, 1.2, 1.001), (1.0, .2, 1.0, 1.4)]


def solved(growth=1.0, near=1.0, far=1.0, centre=False, left_out=1.0):
    """The same ε', found by bisection: the two tails of P in which the ratio of the densities is above e^ε, less e^ε times what Q
    has there, are δ together; and where the scale grows, the ratio is nowhere above e^ε. With room for mistakes.
    """
    def found(*, epsilon, delta, up, down):
        r = 1 / down

        def enough(m):
            grows = growth * np.log(up) + m / up <= epsilon
            if r == 1:
                return grows
            moved = m / down if centre else m
            least = r * (epsilon - np.log(r))
            tails = near * np.exp((moved - least) / (1 - r)) + far * np.exp((-moved - least) / (1 - r))
            return grows and m <= least and left_out * (1 - r) * tails / 2 <= delta
        low, high = 0.0, 2 * epsilon
        if not enough(low):
            return -np.inf
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if enough(middle) else (low, middle)
        return low
    return found


@claim("lem-laplace-scales", laplace_epsilon,
       mutants={"the scale that grows is free": solved(growth=0), "the tails are free": solved(left_out=0),
                "a tail of δ on either side": solved(left_out=.5), "only the tail far from the other centre": solved(near=0),
                "the move is measured in the larger scale": solved(centre=True)})
def test_laplace_noise_of_two_scales(laplace_epsilon):
    """Compute the largest P(S) - e^ε Q(S) in closed form, for eight settings, 41 ratios of the scales and the largest shift and
    seven smaller ones, of both signs. Where the scale only grows it is 0; else it reaches δ, or the ratio at the centre reaches e^ε.
    """
    reached, growing = [], 0.0
    for epsilon, delta, up, down in SCALES:
        used = float(laplace_epsilon(up=up, down=down, epsilon=epsilon, delta=delta))
        assert used > 0
        ratio = np.geomspace(1 / down, up, 41)
        ratio[0], ratio[-1] = 1 / down, up
        shifts = used * np.linspace(-1, 1, 15)[:, None]
        found = laplace_gap(epsilon, shifts, 1.0, ratio)
        reached.append(found.max() / delta)
        growing = max(growing, found[:, ratio >= 1].max())
        assert reached[-1] > 1 - 1e-6 or max(np.log(r) + used / r for r in (1 / down, up)) > epsilon - 1e-9
    assert max(reached) <= 1 + 1e-9 and growing <= 1e-12
    return f"largest δ {max(reached):.6f} of the stated one, reached in {sum(r > 1 - 1e-6 for r in reached)} settings; 0 {to(growing)} " \
        "where the scale grows"


def ledger(release):
    """What each step of a fitted scale costs, from what it asked for: (ε of all, δ of all), each divided by what was promised."""
    X, y = towns(400)
    given = dict(epsilon=1.0, delta=.01, split=.5, **ON_LINE)
    found = law(release, X, y, **given, grid=4)
    spent = []
    for nu_at, follows in zip(range(found.place - len(found.chances) + 1, found.place + 1), found.follows):
        if follows is not None:
            nu = nu_at * KAPPA / 4
            c = direction_constants(nu=nu, changes=KAPPA, largest_curvature=.5)
            (_, scale), (_, second) = follows[1]
            width = KAPPA / fit_model(X, y, loss=ROBUST, domain=LINE).nu * 2
            shift = c.factor * width / scale                       # ε_s: what the first noise allows the centre to move
            tail = .005
            first = brentq(lambda e: float(laplace_epsilon(up=c.up, down=c.down, epsilon=e, delta=tail)) - shift, .05, 5)
            spent.append(.5 + first + np.log(max(c.up, c.down)) / second)
    return max(spent)


PARTS = "for_number.parted(epsilon=FOR_THE_BOUND, delta=0)"


@claim("thm-release-coefficient", release_with_fitted_scale,
       mutants={"the change of the scale is not paid for": fitted("return for_the_shift / for_value.epsilon,", "return 1.0,"),
                "the noise has all of ε": fitted(
                    f"return {PARTS}", f"return {PARTS}[0], for_number._replace(epsilon=for_number.epsilon / .75)"),
                "the bound on the scale is free": fitted(f"return {PARTS}", f"return {PARTS}[0], for_number"),
                "first order only, τ = 1": fitted("constants.factor / (share", "1 / (share"),
                "Δ_u for one record, not for two": fitted("local = kappa *", "local = kappa / 2 *"),
                "the scale itself is published": fitted(
                    "bound = min(_above(local, constants, for_bound, rng), most)", "bound = local")})
def test_the_scale_that_fits(release):
    """Compute the largest P(S) - e^ε P'(S) of all three outputs together, on two towns with four leads, summed over all values of the
    certificate; add up what the steps cost by the lemmas, for each of these values.
    """
    largest = 0.0
    for lead, epsilon, split, delta in ((20, 8.0, .9, 1e-9), (60, 1.0, .5, .01), (80, 4.0, .5, 1e-6), (200, 1.0, .5, .01)):
        gap = worst_gap(release, towns(lead), towns(lead - 2), **ON_LINE, epsilon=epsilon, split=split, delta=delta, grid=8)
        largest = max(largest, gap / delta)
        assert largest <= 1
    assert largest > .3
    total = ledger(release)
    assert .999 < total <= 1 + 1e-9
    return f"largest δ {largest:.2f} of the stated one, where half is for the certificate; the steps cost {total:.4f} of ε together"


GRID = np.linspace(-12, 12, 400_001)


def quadrature(epsilon, m, r):
    """The same as a sum over a fine grid."""
    return np.maximum(norm.pdf(GRID) - np.exp(epsilon) * norm.pdf(GRID, m, r), 0).sum() * (GRID[1] - GRID[0])


def one_scale(*, up, down, epsilon, delta):
    """As if the scales were equal."""
    return gaussian_noise_multiplier(up=1, down=1, epsilon=epsilon, delta=delta)


@claim("prop-gaussian-release", gaussian_noise_multiplier, mismatched_gaussian_delta,
       mutants={"as if the scales were equal": (one_scale, mismatched_gaussian_delta),
                "only the scale that grows": (lambda *, up, down, epsilon, delta: gaussian_noise_multiplier(
                    up=up, down=1, epsilon=epsilon, delta=delta), mismatched_gaussian_delta),
                "2% too little noise": (lambda **given: .98 * gaussian_noise_multiplier(**given), mismatched_gaussian_delta),
                "the wrong order": (gaussian_noise_multiplier, lambda *, epsilon, shift, ratio: mismatched_gaussian_delta(
                    epsilon=epsilon, shift=np.divide(shift, ratio), ratio=np.divide(1, ratio)))})
def test_gaussian_noise_of_two_scales(multiplier, gap):
    """Compute the largest P(S) - e^ε Q(S) in closed form for 101 ratios of the scales and 21 shifts, and where it is largest also as a
    sum over a fine grid; no pair may exceed δ, and some pair must come near.
    """
    nearest, off = 0.0, 0.0
    for epsilon, delta, up, down in ((.75, 1e-3, 1.01, 1.02), (1.0, 1e-5, 1.004, 1.004), (2.0, 1e-2, 1.1, 1.05)):
        sigma = float(multiplier(up=up, down=down, epsilon=epsilon, delta=delta))
        ratio, shift = np.meshgrid(np.geomspace(1 / down, up, 101), np.linspace(0, 1 / sigma, 21))
        found = gap(epsilon=epsilon, shift=shift, ratio=ratio)
        at = np.unravel_index(found.argmax(), found.shape)
        assert (np.diff(found, axis=0) >= -1e-15).all()
        exact = quadrature(epsilon, shift[at], ratio[at])
        off, nearest = max(off, abs(found[at] - exact) / delta), max(nearest, exact / delta)
        assert exact <= delta * (1 + 1e-6), (epsilon, exact)
    assert nearest > .93 and off < 1e-6
    return f"largest δ {nearest:.3f} of the stated one; closed form and integral agree {to(off)}"


def shapes(constants):
    """(length of the move, operator and Frobenius norm of E), each divided by its bound, on all pairs, from both sides."""
    for a, b, loss, domain in pairs():
        one, two = (fit_model(*data, loss=loss, domain=domain) for data in (a, b))
        for here, there in ((one, two), (two, one)):
            bound = constants(nu=here.nu, changes=KAPPA, added=1, removed=1, largest_curvature=loss.largest_curvature,
                              dimension=domain.dimension)
            if np.isfinite(bound.operator):
                E, move = here.factor.T @ there.hessian @ here.factor - np.eye(domain.dimension), there.theta - here.theta
                yield [np.sqrt(move @ here.hessian @ move) / bound.length, np.linalg.norm(E, 2) / bound.operator,
                       np.linalg.norm(E) / bound.frobenius]


def gap_of_shapes(epsilon, shift, ratio):
    """The largest P(S) - e^ε Q(S) of N(0, I) and a normal with these means and standard deviations: a sum in one or two dimensions."""
    if len(shift) == 1:
        return float(mismatched_gaussian_delta(epsilon=epsilon, shift=shift[0], ratio=ratio[0]))
    z = np.linspace(-10, 10, 801)
    loss = np.log(ratio[0]) - z**2 / 2 + ((z - shift[0]) / ratio[0]) ** 2 / 2
    return float(norm.pdf(z) @ mismatched_gaussian_delta(epsilon=epsilon - loss, shift=shift[1], ratio=ratio[1]) * (z[1] - z[0]))


def largest_of_shapes(d, operator, frobenius, sigma, epsilon):
    """Over shapes at the ends of what is allowed, and moves in four directions."""
    second = min(operator, np.sqrt(frobenius**2 - operator**2))
    shape = [np.array(signs) * [operator, second][:d] for signs in itertools.product((1, -1), repeat=d)]
    moves = [np.array([np.cos(t), np.sin(t)][:d]) / sigma for t in ((0,) if d == 1 else np.linspace(0, np.pi / 2, 4))]
    return max(gap_of_shapes(epsilon, move, 1 / np.sqrt(1 + e)) for e in shape for move in moves)


def only_records(**given):
    """The constants, as if the move left the curvature as it is."""
    right, c = vector_constants(**given), given["largest_curvature"] / max(given["nu"], 1e-9)
    return type(right)(right.length, c if np.isfinite(right.operator) else np.inf, np.sqrt(2) * c)


@claim("thm-vector", vector_noise_multiplier, vector_constants,
       mutants={"the noise of one shape": (lambda *, operator, frobenius, epsilon, delta: gaussian_sigma(
                    sensitivity=1, epsilon=epsilon, delta=delta), vector_constants),
                "the noise has all of ε": (lambda *, epsilon, **given: vector_noise_multiplier(
                    epsilon=epsilon / .75, **given), vector_constants),
                "what the move does to the shape is left out": (vector_noise_multiplier, only_records),
                "a replaced record counted once": (vector_noise_multiplier, lambda *, changes, added, removed, **given: vector_constants(
                    changes=changes / 2, added=added / 2, removed=removed / 2, **given))})
def test_all_coefficients(multiplier, constants):
    """Compare the move and the two norms of E with their bounds on the pairs of the lemmas; then compute the largest P(S) - e^ε Q(S) at
    shapes at the ends of what is allowed, in one and two dimensions.
    """
    ratios = np.array(list(shapes(constants))).max(axis=0)
    assert .9 < ratios[0] and ratios.max() <= 1 + 1e-9
    largest = 0.0
    for d, (nu, epsilon, delta) in itertools.product((1, 2), ((400, .75, 1e-3), (4000, 2, .01), (200, .75, 5e-7))):
        bound = constants(nu=nu, changes=KAPPA, added=1, removed=1, largest_curvature=.5, dimension=d)
        sigma = float(multiplier(operator=bound.operator, frobenius=bound.frobenius, epsilon=epsilon, delta=delta))
        largest = max(largest, largest_of_shapes(d, bound.operator, bound.frobenius, sigma, epsilon) / delta)
    assert .8 < largest <= 1
    return (f"moves up to {ratios[0]:.2f} of the bound, norms of E up to {ratios[1]:.2f} and {ratios[2]:.2f}; "
            f"largest δ {largest:.2f} of the stated one")


# --------------------------------------------------------------------------------------------------- the releases first published

def published_with(name):
    """A release first published, with one change in its source."""
    return lambda old, new: getattr(changed(old, new, module=published), name)


isotropic, condition = published_with("release_with_isotropic_noise"), published_with("release_with_condition_number")


def counted(eigenvalues, fits, *, size, epsilon, delta):
    """δ of a release whose certificate counts steps, on a pair in one dimension, summed over the certificates; half of ε and δ for each."""
    levels = source_levels(radius=1, largest_curvature=.5, size=size)
    offset = certificate_offset(epsilon=epsilon / 2, delta=delta / 2, noise="discrete_laplace")
    here, there = (int(levels.count(value)) for value in eigenvalues)
    z = np.arange(-4 * here, 4 * here)
    share = lambda z: np.exp(-epsilon / 2 * np.abs(z)) * np.tanh(epsilon / 4)
    p, q = share(z), share(z + here - there)                       # of the same certificate
    shift = shift_source(eigenvalue=levels.level(np.ceil(here + z - offset)), radius=1, size=size)
    sigma = gaussian_sigma(sensitivity=1, epsilon=epsilon / 2, delta=delta / 2)
    answered = np.isfinite(shift)
    told = gaussian_delta(sigma=sigma, sensitivity=abs(fits[0] - fits[1]) / shift[answered], epsilon=epsilon - np.log(p / q)[answered])
    return p[answered] @ told + np.maximum(p - np.exp(epsilon) * q, 0)[~answered].sum()


@claim("prop-same-noise", release_with_isotropic_noise,
       mutants={"one record in place of two": isotropic("KAPPA = 2 + CHARGED", "KAPPA = 1 + CHARGED"),
                "all of ε for the noise": isotropic(
                    "epsilon, delta = terms.for_noise", "epsilon, delta = terms.for_noise._replace(epsilon=terms.budget.epsilon)")})
def test_same_noise(release):
    """Compute the exact δ of the code on two towns of 9,526 people far apart, of whom one moves, summed over all certificates, in both
    orders, in one dimension and beside larger towns in two. Then that of a release whose certificate counts steps, from its parts.
    """
    found = [largest_delta(release, *ISOTROPIC, dimensions) / .05 for dimensions in (1, 2)]
    largest = max(found)
    assert min(found) > .2 and largest <= 1
    people, steps = 4000, []
    for lead in (60, 100, 200):
        fits = [fit_model(np.ones((people, 1)), towns(at, people)[1], loss=ROBUST, domain=LINE, changes=0) for at in (lead, lead - 2)]
        for pair in (fits, fits[::-1]):
            steps.append(counted([fit.nu / people for fit in pair], [fit.theta[0] for fit in pair], size=people, epsilon=2., delta=.01))
    assert 0 < max(steps) <= .01
    return f"largest δ {largest:.2f} of the stated one, with steps {max(steps) / .01:.2f}"


def spread(fit, size):
    """The smallest and the largest eigenvalue of the mean curvature."""
    values = np.linalg.eigvalsh(fit.hessian) / size
    return dict(smallest_eigenvalue=max(values[0], 0.), largest_eigenvalue=values[-1])


def ratios_of(constants, largest_after):
    """{what: observed / bound} of all pairs with a bound, in both orders, for some directions."""
    found = {"move": [], "up": [], "down": [], "largest": []}
    for a, b, loss, domain in pairs():
        fits = [fit_model(*data, loss=loss, domain=domain, changes=0) for data in (a, b)]
        d, size = domain.dimension, len(a[1])
        given = dict(size=size, radius=domain.reach, largest_curvature=loss.largest_curvature)
        for one, two in (fits, fits[::-1]):
            ends, others = spread(one, size), spread(two, size)
            c = constants(**given, **ends, aspect=1 if isinstance(domain, Ball) else domain.reach)
            if not np.isfinite(c.shift):
                continue
            for one_end, other in ((ends, others), (others, ends)):
                found["largest"].append(other["largest_eigenvalue"] / largest_after(one_end["largest_eigenvalue"], c.shift, **given))
            for u in np.vstack([np.eye(d), np.ones(d)]):
                here, there = (domain.width(fit.inverse(u)) for fit in (one, two))
                found["move"].append(abs(u @ (one.theta - two.theta)) / (2 * here * c.factor))
                found["up"].append(there / here / c.up)
                found["down"].append(here / there / c.down)
    return found


def largest_after(value, s, *, size, radius, largest_curvature):
    return np.exp(s) * value + largest_curvature * radius**2 / size


@claim("lem-condition-number", eigenvalue_ratio_constants, largest_after,
       mutants={"a replaced record counted once": (
                    lambda **given: eigenvalue_ratio_constants(**given | dict(size=2 * given["size"])), largest_after),
                "first order only": (lambda **given: replace(eigenvalue_ratio_constants(**given), factor=1.0), largest_after),
                "scales do not differ": (lambda **given: replace(eigenvalue_ratio_constants(**given), up=1.0, down=1.0), largest_after),
                "no new record": (eigenvalue_ratio_constants, lambda value, s, **given: value)})
def test_condition_number(constants, largest_after):
    """On the same pairs compare the move, the ratio of the widths and the largest eigenvalues with their bounds, from both sides."""
    found = {what: max(values) for what, values in ratios_of(constants, largest_after).items()}
    assert max(found.values()) <= 1 + 1e-6 and found["move"] > .5, found
    return f"largest move {found['move']:.2f} of the bound, ratios of scales {found['up']:.2f} and {found['down']:.2f}, " \
           f"largest eigenvalue {found['largest']:.2f}"


@claim("prop-condition-number", release_with_condition_number,
       mutants={"a replaced record counted once": condition("2 * domain.width", "domain.width"),
                "all of ε for the noise": condition(
                    "(up, down, terms.for_noise", "(up, down, terms.for_noise._replace(epsilon=terms.budget.epsilon)")})
def test_condition_number_release(release):
    """Compute the exact δ of the code on the two towns far apart, in one and two dimensions, with a certificate of the largest eigenvalue
    that is right, summed over those of the smallest one, in both orders: it may be what is left without that certificate.
    """
    found = [largest_delta(release, *CONDITION, dimensions) / .0375 for dimensions in (1, 2)]
    largest = max(found)
    assert min(found) > .2 and largest <= 1
    return f"largest δ {largest:.2f} of the stated one"


# ------------------------------------------------------------------------------------------- a perturbed objective


def told(scale, epsilon, within, entries=1):
    """The largest log-ratio of two outputs: all entries of A are 0, or all are 1, the other way on D' than on D with probability
    e^ε/(1 + e^ε), and what is computed for each is too small on D, and too large on D', by an equal share of ``within``.
    """
    within = within / entries
    near, right = within * np.linspace(-8, 8, 1601), 1 / (1 + np.exp(-epsilon))
    y = np.r_[near, 1 + near]  # of every entry
    around = lambda centre: np.exp(-entries * np.abs(y - centre) / scale)
    ours = right * around(-within) + (1 - right) * around(1 - within)
    theirs = (1 - right) * around(within) + right * around(1 + within)
    return np.abs(np.log(ours / theirs)).max()


def covering(times=2):
    """Noise for a move of so many times what is computed wrongly, which is right for two."""
    return lambda *, within, epsilon, entries: _grid.laplace_noise(sensitivity=times * within, epsilon=epsilon, entries=entries)


def covering_one_entry(*, within, epsilon, entries):
    return _grid.laplace_noise(sensitivity=2 * within / entries, epsilon=epsilon, entries=entries)


@claim("lem-computed-release", covering_noise,
       mutants={"a tenth of the noise": covering(.2), "only one of the two data sets is computed wrongly": covering(1),
                "noise for the error of one entry": covering_one_entry})
def test_computed_up_to_kappa(covering_noise):
    """Compute a private bit, once or in three entries, with an error of κ in all that tells the two data sets apart, add the last noise,
    and compute the largest log-ratio of the densities, for four pairs of κ and η.
    """
    shares = []
    for within, spare in ((.01, .25), (.001, 1.0), (.01, .5), (1e-4, 2.0)):
        for entries in (1, 3):
            scale = covering_noise(within=within, epsilon=spare, entries=entries).scale
            shares.append(told(scale, .5, within, entries) / (.5 + spare))
    assert .999 < max(shares) <= 1
    return f"largest log-ratio {max(shares):.6f} of ε + η"


def perturbing(square=2, move=2, rows=True, share=.2):
    """Λ and s again, with room for mistakes."""
    def found(*, radius, largest_curvature, epsilon, rows_per_unit):
        k = rows_per_unit if rows else 1
        return radius**square * largest_curvature / np.expm1(share * epsilon / k), move * k * radius / ((1 - share) * epsilon)
    return found


def from_normals(less=0):
    return lambda normals, scale: scale * np.sqrt((normals[len(normals) // 2 + less:] ** 2).sum(axis=0)) * normals[:len(normals) // 2]


def log_density(X, y, loss, theta, ridge, tilt):
    """ln of the density of the minimiser, up to a constant, at all of these θ."""
    t = theta @ X.T
    b = loss.slope(t, y) @ X + ridge * theta
    H = np.einsum("pn,ni,nj->pij", loss.curvature(t, y), X, X) + ridge * np.eye(X.shape[1])
    return np.linalg.slogdet(H)[1] - np.linalg.norm(b, axis=1) / tilt


@claim("thm-perturbed-release", perturbation, tilt_of,
       mutants={"the radius is not squared": (perturbing(square=1), tilt_of), "one of the two gradients": (perturbing(move=1), tilt_of),
                "one record of a unit": (perturbing(rows=False), tilt_of),
               "d normal numbers for the length": (perturbation, from_normals(1))})
def test_a_perturbed_objective(perturbation, tilt_of):
    """Compute the largest log-ratio of the densities of the minimiser, on grids of θ, for data sets in one and two dimensions in which
    one or two records change; add up what determinants and tilts may cost; compare the lengths of 40 000 tilts with their distribution
    (5.5 standard errors of Kolmogorov's distance, missed less than once in 10^12).
    """
    epsilon, largest, grid = 1.0, 0.0, np.linspace(-6, 6, 121)
    given = lambda radius, loss, k: dict(radius=radius, largest_curvature=loss.largest_curvature, epsilon=epsilon, rows_per_unit=k)
    for radius, loss, k in itertools.product((1.0, 1.7, 3.0), (LOGISTIC, ROBUST), (1, 2, 5)):
        ridge, tilt = perturbation(**given(radius, loss, k))
        cost = k * np.log1p(radius**2 * loss.largest_curvature / ridge) + 2 * k * radius / tilt
        assert .999 * epsilon < cost <= epsilon * (1 + 1e-9)
    for d, loss, k in itertools.product((1, 2), (LOGISTIC, ROBUST), (1, 2)):
        ridge, tilt = perturbation(**given(d**.5, loss, k))
        theta = np.stack(np.meshgrid(*[grid] * d), axis=-1).reshape(-1, d)
        for start in itertools.product((0, 1) if loss is LOGISTIC else (-40, 0, 3), repeat=2):
            for signs in itertools.product((-1, 1), repeat=2):
                X = np.array([np.full(d, signs[0])] * k + [np.r_[signs[1], np.ones(d - 1)]] * k, dtype=float)
                y = np.repeat(start, k).astype(float)
                one, two = (log_density(X[part], y[part], loss, theta, ridge, tilt) for part in (slice(k), slice(k, None)))
                largest = max(largest, np.abs(one - two).max())
    assert .75 * epsilon < largest <= epsilon
    rng, apart = np.random.default_rng(4), []
    for d in (1, 2, 6):
        length = np.sort(np.linalg.norm(tilt_of(rng.normal(size=(2 * d + 1, 40_000)), 3.0), axis=0))
        apart.append(200 * np.abs(gamma.cdf(length, d, scale=3.0) - (np.arange(40_000) + .5) / 40_000).max())
    assert max(apart) < 3.8
    return f"largest log-ratio {largest:.3f} of ε"


def within(near=1.0, far=1.0, by_ridge=1.0, entries=True):
    """How far computed numbers may be off, again, with room for mistakes: the share of the tilt's rounding that is counted, ..."""
    def found(*, size, asked, domain, loss, ridge, tilt):
        d, most = domain.dimension, far * 39.0
        lengths = tilt * most * np.sqrt(d * (d + 1)) * (near * 2.0**-40 + 39 * (d + 4) * 2.0**-50)
        rounding = 5 * 2.0**-53 * domain.spread * (size * (4 * (max(map(abs, loss.outcomes)) + 746) * loss.largest_curvature + 1200) + 1e7)
        together = len(asked) ** .5 if entries else 1
        return together * np.linalg.norm(asked, 2) * (lengths + domain.reach * rounding * (size > 0)) / (ridge * by_ridge)
    return found


SQUARES = {d: Box([(0, 1)] * (d - 1)) for d in (2, 12)}


def off_without_records(z, d, tilt, ridge):
    """How far the entries of -b/Λ are off together, if all normal numbers are z and half a step off."""
    with mpmath.workdps(60):
        real = mpmath.mpf(z) + mpmath.mpf(2) ** -41
        theta = -tilt * mpmath.sqrt(d + 1) * real**2 / mpmath.mpf(ridge)
        fit = settled_fit(Records.read(np.zeros((0, d - 1)), [], None, domain=SQUARES[d], loss=LOGISTIC), domain=SQUARES[d], loss=LOGISTIC,
                          ridge=ridge, tilt=tilt_of(np.full(2 * d + 1, z), tilt))
        found = [fit.along(u) for u in np.eye(d)]
        return float(sum(abs(mpmath.mpf(entry.numerator) / entry.denominator - theta) for entry in found))


@claim("prop-computed-minimiser", computed_within,
       mutants={"the tilt is not rounded": within(near=0), "rounding of normal numbers near 1 only": within(far=1 / 39),
                "ten times the ridge": within(by_ridge=10), "the length of θ for all its entries": within(entries=False)})
def test_how_far_a_computed_minimiser_is_off(computed_within):
    """Fit an empty data set, and up to 40 records with outcomes as far as they go, at tilts from the largest normal numbers and from
    usual ones; compare with the minimiser for the real tilt, each normal number half a step off, found with 60 digits; without records,
    compare all entries together in 2 and 12 dimensions.
    """
    worst = 0.0
    for size, loss, z in itertools.product((0, 1, 40), (LOGISTIC, ROBUST), (38.5, 1.3)):
        ridge, tilt = perturbation(radius=1.0, largest_curvature=loss.largest_curvature, epsilon=1.0, rows_per_unit=1)
        X = np.linspace(-1, 1, size)[:, None] if size > 1 else np.ones((size, 1))
        y = (np.arange(size) % 2) * (1.0 if loss is LOGISTIC else 2.0**14)
        normals = np.array([z, z, -z])
        records = Records.read(X, y, None, domain=LINE, loss=loss)
        fit = settled_fit(records, domain=LINE, loss=loss, ridge=ridge, tilt=tilt_of(normals, tilt))
        with mpmath.workdps(60):
            half = mpmath.mpf(2) ** -41
            b = tilt * mpmath.sqrt(2) * (z + half) * (z + half)
            theta = mpmath.mpf(float(fit.theta[0]))
            for _ in range(6):
                slope, curvature = ridge * theta + b, mpmath.mpf(ridge)
                for x, outcome in zip(X[:, 0], y):
                    t = x * theta
                    p = 1 / (1 + mpmath.exp(-(t if loss is LOGISTIC else t - outcome)))
                    slope += x * ((p - outcome) if loss is LOGISTIC else 2 * p - 1)
                    curvature += x * x * p * (1 - p) * (1 if loss is LOGISTIC else 2)
                theta -= slope / curvature
            found = fit.along(np.ones(1))
            off = abs(mpmath.mpf(found.numerator) / found.denominator - theta)
        allowed = computed_within(size=size, asked=np.ones((1, 1)), domain=LINE, loss=loss, ridge=ridge, tilt=tilt)
        worst = max(worst, float(off) / allowed)
    for d, domain in SQUARES.items():
        ridge, tilt = perturbation(radius=d**.5, largest_curvature=.25, epsilon=1.0, rows_per_unit=1)
        allowed = computed_within(size=0, asked=np.eye(d), domain=domain, loss=LOGISTIC, ridge=ridge, tilt=tilt)
        worst = max(worst, off_without_records(38.5, d, tilt, ridge) / allowed)
    assert .3 < worst <= 1
    return f"largest distance {worst:.2f} of the bound"
