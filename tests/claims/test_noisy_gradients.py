"""The statements of the page on learning in noisy steps."""

import functools
import itertools
import math

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import binom, norm

from dplib.accounting import (
    PrivacyLoss, noisy_sgd_epsilon, noisy_sgd_sigma, shuffled_batches_delta, shuffled_batches_epsilon)
from dplib.accounting.privacy_loss import losses_from_below, sampled_cells
from dplib.audit import gaussian_lower_bound
from dplib.mechanisms import gaussian_delta
from tests.chance import LEVEL
from tests.claims import claim, page_function, to

clipped, resting_point, last_point_mu, squared_step, steps_error_bound = (page_function("noisy-gradients", name) for name in (
    "clipped", "resting_point", "last_point_mu", "squared_step", "steps_error_bound"))
ORDERS = "remove", "add"


# ------------------------------------------------------------------------------------------------------------------ clipping

def by_coordinates(gradient, clip):
    return np.clip(gradient, -clip, clip)


def shrunk(gradient, clip):
    """Every vector has the length C, a short one too."""
    return clip * gradient / np.linalg.norm(gradient, axis=-1, keepdims=True)


@claim("prop-clip", clipped, lambda clip, replaced: (1 + replaced) * clip,
       mutants={"coordinates are clipped, not the length": (by_coordinates, lambda clip, replaced: (1 + replaced) * clip),
                "C under replacement too": (clipped, lambda clip, replaced: clip),
                "2C under add/remove too": (clipped, lambda clip, replaced: 2 * clip),
                "short gradients are stretched": (shrunk, lambda clip, replaced: (1 + replaced) * clip)})
def test_sums_of_clipped_gradients(clipped, sensitivity):
    """Add, remove and replace records of all lengths in three dimensions; the largest move is the one stated, and what is short enough
    stays as it is.
    """
    rng, clip = np.random.default_rng(1), .7
    gradients = rng.normal(size=(400, 3)) * np.geomspace(1e-3, 1e3, 400)[:, None]
    gradients = np.concatenate([gradients, -gradients])
    parts, lengths = clipped(gradients, clip), np.linalg.norm(gradients, axis=1)
    assert np.array_equal(parts[lengths < clip], gradients[lengths < clip])
    added = np.linalg.norm(parts, axis=1).max()
    replaced = np.linalg.norm(parts[:, None] - parts, axis=-1).max()
    assert abs(added - sensitivity(clip, 0)) < 1e-12 and abs(replaced - sensitivity(clip, 1)) < 1e-12
    return f"the largest moves are {added / clip:.6f} C and {replaced / clip:.6f} C"


def another_clip(change=lambda clip, x: clip):
    """Where gradients cancel that are clipped in another way."""
    return lambda x, clip: resting_point(x, change(clip, np.asarray(x, dtype=float)))


def mean_clipped(x, clip):
    """The mean is clipped, and the gradients are not."""
    return float(np.mean(x))


@claim("prop-clip", resting_point,
       mutants={"the sum is clipped": mean_clipped, "C squared": another_clip(lambda clip, x: clip**2 + 0 * x[0]),
                "always the median": lambda x, clip: float(np.median(x)), "twice C": another_clip(lambda clip, x: 2 * clip)})
def test_where_clipped_steps_end(resting_point):
    """Five values by hand; 60 data sets that need no clip, and their mean; 60 with an odd number of values and a small clip, and their
    median; an exponential population, by its quantiles, whose equation is solved in closed form.
    """
    errors = [abs(resting_point([0, 0, 0, 0, 10], 1) - .25)]
    rng = np.random.default_rng(2)
    for _ in range(60):
        x = rng.normal(size=rng.integers(1, 8) * 2 + 1)
        x[0] += 1e-3
        errors.append(abs(resting_point(x, np.abs(x - x.mean()).max() * 1.001) - x.mean()))
        errors.append(max(0., abs(resting_point(x, clip := 1e-6) - np.median(x)) - clip * x.size))
    population = -np.log1p(-(np.arange(20_000) + .5) / 20_000)
    rest = resting_point(population, 1.)
    # E clip(θ - x) of an exponential x, for θ < 1: (θ - x)e^-x up to θ + 1, and -e^-x beyond
    exact = rest * -math.expm1(-rest - 1) - 1 + (rest + 2) * math.exp(-rest - 1) - math.exp(-rest - 1)
    assert max(errors) < 1e-9 and abs(exact) < 1e-4 and abs(rest - .8414) < 1e-4
    return f"the five rest at 1/4, an exponential population of mean 1 at {rest:.4f}; others agree {to(max(errors))}"


# ------------------------------------------------------------------------------------------------------------ batches drawn afresh

def one_step(epsilon, sigma, rate, order):
    """The hockey-stick divergence of one step in closed form, for every real ε: the best event is a half-line."""
    a = np.exp(epsilon)
    with np.errstate(divide="ignore", invalid="ignore"):
        if order == "remove":                            # with the record first
            line = np.where(a > 1 - rate, sigma**2 * np.log((a - 1 + rate) / rate) + .5, -np.inf)
            return (1 - rate - a) * ndtr(-line / sigma) + rate * ndtr((1 - line) / sigma)
        line = np.where(1 / a > 1 - rate, sigma**2 * np.log((1 / a - 1 + rate) / rate) + .5, -np.inf)
        return np.where(line == -np.inf, 0, (1 - a * (1 - rate)) * ndtr(line / sigma) - a * rate * ndtr((line - 1) / sigma))


RULES = (lambda y: np.where(y > 0, 1, .2), lambda y: np.where(y > 1, .1, 1), lambda y: .1 + .9 * np.sin(3 * y) ** 2)


@functools.cache
def two_steps(epsilon, sigma, rate, order, second=np.ones_like):
    """The same of two steps, the second of which may move by a share that depends on the first noisy sum: an integral over that."""
    y = np.linspace(-14 * sigma, 14 * sigma + 1, 12_001)
    without = norm.pdf(y, 0, sigma)
    member = (1 - rate) * without + rate * norm.pdf(y, 1, sigma)
    p, q = (member, without) if order == "remove" else (without, member)
    share = np.broadcast_to(np.maximum(second(y), 1e-9), y.shape)
    with np.errstate(divide="ignore"):
        left = epsilon - np.log(p / q)
    return float(np.trapezoid(p * one_step(left, sigma / share, rate, order), y))


def account(rate=lambda rate: rate, sigma=lambda sigma: sigma, orders=ORDERS, once=False):
    """An account of all steps with room for mistakes: δ at ε."""
    def delta(epsilon, *, sigma_, rate_, iterations):
        found = []
        for order in orders:
            one = PrivacyLoss.from_subsampled_gaussian(rate=rate(rate_), sigma=sigma(sigma_), sensitivity=1, order=order, step=1e-3)
            if once:                                     # one batch, of which every step looks at all
                one = PrivacyLoss.from_subsampled_gaussian(rate=rate(rate_), sigma=sigma_ / math.sqrt(iterations), sensitivity=1,
                                                           order=order, step=1e-3)
            found.append(float(one.compose(1 if once else iterations).delta(epsilon)))
        return max(found)
    return delta


@claim("thm-noisy-sgd", account(),
       mutants={"the order in which you join alone": account(orders=("add",)), "the rate squared": account(rate=lambda rate: rate**2),
                "the variance for the standard deviation": account(sigma=lambda sigma: sigma**2),
                "one batch for all steps": account(once=True)})
def test_two_noisy_steps(delta):
    """Integrate the divergence of one and two steps, in both orders: linear losses meet the account, and second gradients that depend on
    the first noisy sum stay below it.
    """
    ratios, shares = [], []
    for sigma, rate, epsilon in ((.8, .1, .5), (.6, .02, 1.5), (1.5, .3, .3), (.7, .5, 2)):
        one = max(float(one_step(epsilon, sigma, rate, order)) for order in ORDERS)
        two = max(two_steps(epsilon, sigma, rate, order) for order in ORDERS)
        stated = [delta(epsilon, sigma_=sigma, rate_=rate, iterations=count) for count in (1, 2)]
        ratios += [stated[0] / one, stated[1] / two]
        shares += [max(two_steps(epsilon, sigma, rate, order, rule) for order in ORDERS) / stated[1] for rule in RULES]
    assert 1 - 1e-6 < min(ratios) and max(ratios) < 1 + 1e-3 and max(shares) <= 1 + 1e-6
    return f"{min(ratios):.6f} to {max(ratios):.6f} of the exact δ; {len(shares)} adaptive rules: at most {max(shares):.3f}"


def noise_times(factor=1.):
    return lambda **given: factor * noisy_sgd_sigma(**given)


@claim("thm-noisy-sgd", noisy_sgd_sigma,
       mutants={"half the noise": noise_times(.5), "a hundredth less than needed": noise_times(.99), "needlessly large": noise_times(1.01)})
def test_calibrated_steps(sigma):
    """Put the σ that is chosen for one and two steps into the integrals: they give the δ that was asked for."""
    ratios = []
    for rate, epsilon, delta, count in ((.1, 1, 1e-5, 1), (.3, .5, 1e-6, 2), (.02, 2, 1e-8, 2)):
        chosen = sigma(rate=rate, iterations=count, epsilon=epsilon, delta=delta)
        exact = one_step if count == 1 else two_steps
        ratios.append(max(float(exact(epsilon, chosen, rate, order)) for order in ORDERS) / delta)
    assert .99 < min(ratios) and max(ratios) <= 1 + 1e-6
    return f"{min(ratios):.5f} to {max(ratios):.5f} of the promised δ"


# ------------------------------------------------------------------------------------------------------------------- from below

def below(hoeffding=True, up=False, under_q=False):
    """The lower number of an account in a few lines, with room for mistakes."""
    def bound(*, sigma, rate, iterations, delta, step):
        best, part = 0., 1e-3 * delta
        for order in ORDERS:
            _, _, p, q = sampled_cells(rate=rate, sigma=sigma, sensitivity=1, order=order, step=step)
            loss = losses_from_below(p, q, step)
            if up:
                loss = PrivacyLoss(step, loss.lowest + 1, loss.mass, 0.)
            if under_q:                                  # losses of which e^-L keeps its mean: exact for P', and too large for P
                loss = PrivacyLoss.from_subsampled_gaussian(rate=rate, sigma=sigma, sensitivity=1, order=order, step=step)
            excess = step * math.sqrt(iterations / 2 * math.log(1 / part)) if hoeffding else 0
            best = max(best, loss.compose(iterations).epsilon(delta + part) - excess)
        return best
    return bound


@functools.cache
def exact_gaussian_epsilon(sigma, iterations, delta):
    """By bisection of the exact curve."""
    low, high = 0., 100.
    for _ in range(200):
        middle = (low + high) / 2
        high, low = (middle, low) if float(gaussian_delta(sigma=sigma / math.sqrt(iterations), sensitivity=1, epsilon=middle)) <= delta \
            else (high, middle)
    return low


@claim("prop-below", lambda **given: noisy_sgd_epsilon(**given)[0],
       mutants={"no room for the sum of roundings": below(hoeffding=False), "every loss rounded up": below(up=True, hoeffding=False),
                "the mean is kept under P'": below(under_q=True, hoeffding=False)})
def test_the_account_from_below(least):
    """On coarse grids: batches of everybody, whose exact ε is known, and one or two drawn batches, whose exact δ at the lower number is
    integrated and must not be below the one asked for. On fine grids it is nearly all of ε.
    """
    gaps, fine = [], []
    for iterations, sigma, step in ((100, 30, .02), (1000, 60, .01), (10, 5, .05), (1000, 20, .02)):
        exact = exact_gaussian_epsilon(sigma, iterations, 1e-5)
        gaps.append(exact - least(sigma=sigma, rate=1., iterations=iterations, delta=1e-5, step=step))
        fine.append(least(sigma=sigma, rate=1., iterations=iterations, delta=1e-5, step=step / 100) / exact)
    for sigma, rate, iterations in ((.8, .1, 1), (.8, .1, 2), (1.5, .3, 2)):
        found = least(sigma=sigma, rate=rate, iterations=iterations, delta=1e-4, step=.01)
        exact = one_step if iterations == 1 else two_steps
        gaps.append(max(float(exact(found, sigma, rate, order)) for order in ORDERS) / 1e-4 - 1)
    assert min(gaps) > 0 and min(fine) > .98
    return f"below in {len(gaps)} cases; on fine grids at least {min(fine):.4f} of the exact ε"


def both_numbers(room=True, exchanged=False):
    """Both sides, with room for mistakes."""
    def sides(**given):
        least, most = noisy_sgd_epsilon(**given)
        least = least if room else below(hoeffding=False, up=True)(**given)
        return (most, least) if exchanged else (least, most)
    return sides


@claim("prop-below", noisy_sgd_epsilon,
       mutants={"the two numbers exchanged": both_numbers(exchanged=True), "the lower one without its room": both_numbers(room=False)})
def test_both_sides_of_known_runs(account):
    """Compute both sides of four runs on two grids each: the bands overlap, and halve with the step."""
    widths = []
    for sigma, rate, iterations, delta in ((4, .01, 10_000, 1e-5), (.8, .01, 1000, 1e-6), (1, .001, 1000, 1e-6), (2, .2, 50, 1e-7)):
        bands = [account(sigma=sigma, rate=rate, iterations=iterations, delta=delta, step=step) for step in (8e-4, 4e-4)]
        assert bands[0][0] < bands[1][0] < bands[1][1] < bands[0][1]
        widths.append((bands[0][1] - bands[0][0]) / (bands[1][1] - bands[1][0]))
    assert 1.9 < min(widths) and max(widths) < 2.1
    return f"half the step, {min(widths):.2f} to {max(widths):.2f} times narrower"


# ------------------------------------------------------------------------------------------------------------- shuffled batches

def largest(batches_less=1, yours=2, blank=1, others=0.):
    """The bound for one pass in a few lines, with room for mistakes."""
    def delta(*, sigma, batches, epsilon):
        c = np.linspace(-12 * sigma, 12 * sigma + 2, 20_001)
        F = [ndtr((c - moved) / sigma) * ndtr((c - others) / sigma) ** (batches - batches_less) for moved in (yours, blank)]
        return max(0., np.max(1 - F[0] - math.exp(epsilon) * (1 - F[1])), np.max(F[1] - math.exp(epsilon) * F[0]))
    return delta


@functools.cache
def exact_pass(sigma, epsilon, batches, size=1401):
    """The exact δ of one pass over one, two or three shuffled batches, on a grid of all noisy sums; the others' gradients are -C."""
    y = np.linspace(-7 * sigma, 7 * sigma + 2, size if batches < 3 else 121)
    width = y[1] - y[0]
    laws = []
    for moved in (2, 1):
        here, elsewhere = norm.pdf(y, moved, sigma) * width, norm.pdf(y, 0, sigma) * width
        orders = ([here if place == k else elsewhere for k in range(batches)] for place in range(batches))
        laws.append(sum(functools.reduce(np.multiply.outer, order) for order in orders) / batches)
    a = math.exp(epsilon)
    return max(np.maximum(laws[0] - a * laws[1], 0).sum(), np.maximum(laws[1] - a * laws[0], 0).sum())


@claim("prop-shuffled-batches", shuffled_batches_delta,
       mutants={"B for B - 1": largest(batches_less=0), "others whose gradients are 0": largest(yours=1, blank=0),
                "the pair of a replacement": largest(yours=2, blank=0), "all of B - 2": largest(batches_less=2)})
def test_one_shuffled_pass(bound):
    """Sum the exact divergence of all noisy sums of one, two and three shuffled batches: the bound is at most that, equal to it for one
    batch, and most of it for the others (of three, up to the 0.5% that the grid may be off). Then
    three runs of a thousand batches, of which ε is known at δ = 10^-6.
    """
    shares = []
    for sigma, epsilon, batches in itertools.product((.5, 1), (.3, 1, 3), (1, 2, 3)):
        share = float(bound(sigma=sigma, batches=batches, epsilon=epsilon)) / exact_pass(sigma, epsilon, batches)
        assert share <= 1 + (5e-3 if batches == 3 else 1e-4) and (batches > 1 or share > 1 - 1e-4)
        shares.append(share)
    known = [float(bound(sigma=s, batches=1000, epsilon=e)) / 1e-6 for s, e in ((.6, 8.833427), (1, 3.723889), (2, .1103742))]
    assert min(shares) > .75 and max(abs(np.subtract(known, 1))) < 1e-3
    return f"{min(shares):.3f} to {max(shares):.5f} of the exact δ in {len(shares)} cases"


@claim("prop-shuffled-batches", lambda sigma, batches, moved: ndtr(np.subtract.outer(np.linspace(-2, 9, 45), moved) / sigma) * (
       ndtr(np.linspace(-2, 9, 45) / sigma) ** (batches - 1)),
       mutants={"the mean in place of the largest": lambda sigma, batches, moved: ndtr(
                    (np.linspace(-2, 9, 45) - moved / batches) / sigma * math.sqrt(batches)),
                "B in the power": lambda sigma, batches, moved: ndtr((np.linspace(-2, 9, 45) - moved) / sigma) * ndtr(
                    np.linspace(-2, 9, 45) / sigma) ** batches})
def test_simulated_passes(law):
    """Shuffle and sum 40 000 passes over 5 batches of three; the frequency of each of 45 thresholds may be as far off as happens once
    in 10^8 among them all, by Hoeffding.
    """
    rng, runs, sigma, batches, worst = np.random.default_rng(5), 40_000, 1., 5, 0.
    allowed = math.sqrt(math.log(2 * 45 * 2 / LEVEL) / 2 / runs)
    for own in (1, 0):                                    # your gradient is +C, or blanked
        place = rng.integers(0, batches, runs)            # of your record after a shuffle
        sums = np.where(np.arange(batches) == place[:, None], -2. + own, -3.) + rng.normal(0, sigma, (runs, batches))
        found = np.mean((sums + 3).max(axis=1)[:, None] <= np.linspace(-2, 9, 45), axis=0)
        worst = max(worst, np.abs(found - law(sigma, batches, 1 + own)).max())
    assert worst < allowed
    return f"frequencies within {worst:.4f} of the law, where {allowed:.4f} is allowed"


def coarse_passes(shift=0):
    return lambda **given: shuffled_batches_epsilon(**given | dict(passes=given["passes"] + shift))


@claim("prop-shuffled-batches", shuffled_batches_epsilon,
       mutants={"one pass more": coarse_passes(1),
                "the passes do not add up": lambda **given: shuffled_batches_epsilon(**given | dict(passes=1)),
                "the noise of all passes on one": lambda **given: shuffled_batches_epsilon(
                    **given | dict(passes=1, sigma=given["sigma"] / math.sqrt(given["passes"]) / 1.01))})
def test_several_shuffled_passes(epsilon):
    """One batch, of which passes are Gaussian mechanisms with a known total; and two passes over three batches, whose laws of the largest
    sums are multiplied cell by cell.
    """
    gaps = []
    for sigma, passes in ((2, 9), (3, 30)):
        exact = exact_gaussian_epsilon(sigma, passes, 1e-6)
        gaps.append(exact - epsilon(sigma=sigma, batches=1, passes=passes, delta=1e-6, step=1e-4))
    c, sigma = np.linspace(-9, 11, 2001), 1.
    p, q = (np.diff(ndtr((c - moved) / sigma) * ndtr(c / sigma) ** 2) for moved in (2, 1))
    at = epsilon(sigma=sigma, batches=3, passes=2, delta=1e-4, step=1e-4)
    P, Q = np.multiply.outer(p, p), np.multiply.outer(q, q)
    spent = max(np.maximum(P - math.exp(at) * Q, 0).sum(), np.maximum(Q - math.exp(at) * P, 0).sum())
    assert 0 < min(gaps) and max(gaps) < 4e-3 and 1 - 1e-4 < spent / 1e-4 < 1.02
    return f"one batch: less than the exact ε by at most {max(gaps):.4f}; three batches, two passes: {spent / 1e-4:.4f} of δ there"


# ------------------------------------------------------------------------------------------------------------- the error of steps

def other_step(lottery=True, entries=True, share=1., power=2):
    """V with room for mistakes."""
    def square(*, clip, size, dimension, sigma, rate):
        drawn, d = (1 - rate) / (rate * size) if lottery else 0, dimension if entries else 1
        return clip**power * (share * (1 + drawn) + d * sigma**2 / (rate * size) ** 2)
    return square


@claim("thm-noisy-gradient-error", squared_step,
       mutants={"the lottery of the batch is left out": other_step(lottery=False), "the dimension is left out": other_step(entries=False),
                "half of the gradient": other_step(share=.5), "C for its square": other_step(power=1)})
def test_squared_length_of_a_step(square):
    """Enumerate all batches of three records, in one and in four dimensions: with equal gradients of length C it is exactly V, with others
    less.
    """
    errors, shares, rng = [], [], np.random.default_rng(4)
    for rate, d, sigma, clip in itertools.product((.2, .6, 1), (1, 4), (0, .7), (1, 2.5)):
        bound = square(clip=clip, size=3, dimension=d, sigma=sigma, rate=rate)
        for gradients in (np.tile(clip * np.eye(d)[0], (3, 1)), clip * rng.uniform(-1, 1, (3, d)) / math.sqrt(d)):
            exact = d * (sigma * clip / rate / 3) ** 2
            for batch in itertools.product((0, 1), repeat=3):
                chance = math.prod(rate if b else 1 - rate for b in batch)
                exact += chance * np.sum((np.array(batch) @ gradients / rate / 3) ** 2)
            (errors if gradients[0, 0] == clip else shares).append(exact / bound)
    assert max(abs(np.subtract(errors, 1))) < 1e-12 and max(shares) <= 1
    return f"met {to(max(abs(np.subtract(errors, 1))))} by equal gradients; others: at most {max(shares):.3f} of it"


def bound_times(factor=1., root=True, rate=True):
    return lambda radius, steps, **batch: factor * radius * math.sqrt(
        squared_step(**batch | ({} if rate else dict(rate=1.))) / (steps if root else steps**2))


@claim("thm-noisy-gradient-error", steps_error_bound,
       mutants={"half of it": bound_times(.5), "as if errors fell like 1/T": bound_times(root=False),
                "as if every record were in every batch": bound_times(rate=False)})
def test_error_of_projected_steps(bound):
    """Run projected noisy steps 1000 times on hinges and on linear losses in three dimensions: the mean excess may be above the bound by
    6.5 standard errors, and without noise a first step of a linear loss meets it.
    """
    rng, runs, shares = np.random.default_rng(6), 1000, []
    for size, rate, sigma, steps, kind in ((1, 1., 0., 1, "linear"), (4, .02, 0., 1, "lottery"), (30, .2, 2., 50, "hinge"),
                                           (30, 1., 5., 20, "linear"), (8, .3, 4., 60, "hinge"), (2, .5, 1., 9, "linear")):
        slopes = np.eye(3)[np.zeros(size, dtype=int)] if kind != "hinge" else rng.normal(size=(size, 3))
        slopes /= np.linalg.norm(slopes, axis=1, keepdims=True)
        offsets = rng.uniform(-.5, .5, size) if kind == "hinge" else np.full(size, 10.)      # of max(0, slope·θ + offset)
        gradient = lambda theta: (theta @ slopes.T + offsets > 0)[..., None] * slopes
        value = lambda theta: np.maximum(theta @ slopes.T + offsets, 0).mean(axis=-1)
        stated = bound(1., steps, clip=1., size=size, dimension=3, sigma=sigma, rate=rate)
        length = 1 / math.sqrt(steps * squared_step(clip=1., size=size, dimension=3, sigma=sigma, rate=rate))
        theta, total = np.zeros((runs, 3)), 0.
        for _ in range(steps):
            total = total + theta
            batch = rng.random((runs, size, 1)) < rate
            theta = theta - length * ((batch * gradient(theta)).sum(axis=1) + sigma * rng.normal(size=(runs, 3))) / (rate * size)
            theta /= np.maximum(1, np.linalg.norm(theta, axis=1, keepdims=True))
        ball = rng.normal(size=(4000, 3))
        ball /= np.maximum(1, np.linalg.norm(ball, axis=1, keepdims=True))
        least = min(value(ball).min(), value(-np.eye(3)[0]))
        excess = value(total / steps) - least
        assert excess.mean() <= stated + 6.5 * excess.std() / math.sqrt(runs)
        shares.append(excess.mean() / stated)
    slow = bound(1., 100, clip=1., size=4, dimension=3, sigma=0., rate=.02) / math.sqrt(squared_step(
        clip=1., size=4, dimension=3, sigma=0., rate=.02) / 100)
    assert abs(max(shares) - 1) < 1e-9 and abs(slow - 1) < 1e-9
    return f"{min(shares):.3f} to {max(shares):.3f} of the bound in {len(shares)} settings"


# --------------------------------------------------------------------------------------------------------------- the last point

def other_mu(change=lambda unit, rate, kept, steps: unit * math.sqrt((2 - rate) / rate * (1 - kept) / (1 + kept))):
    """μ of the last point, with room for mistakes."""
    return lambda shift, noise, rate, steps: change(shift / noise, rate, (1 - rate) ** steps, steps)


@claim("prop-last-iterate", last_point_mu,
       mutants={"all points": other_mu(lambda unit, rate, kept, steps: unit * math.sqrt(steps)),
                "the square of η forgotten": other_mu(lambda unit, rate, kept, steps: unit * math.sqrt(
                    (2 - rate) * rate * (1 - kept) / (1 + kept))),
                "ρ^2T in place of ρ^T": other_mu(lambda unit, rate, kept, steps: unit * math.sqrt(
                    (2 - rate) / rate * (1 - kept**2) / (1 + kept**2))),
                "the limit at once": other_mu(lambda unit, rate, kept, steps: unit * math.sqrt((2 - rate) / rate))})
def test_the_last_point(mu):
    """Carry mean and variance of the last point through the steps, in both worlds; then one figure by hand."""
    errors = []
    for rate, steps, shift, noise in itertools.product((.01, .1, .7, 1.), (1, 2, 7, 100), (.3, 2.), (1., 5.)):
        means, variance = np.array([4., 4.]), 0.          # both worlds start at 4
        for _ in range(steps):
            means = means - rate * (means - [1, 1 + shift])
            variance = (1 - rate) ** 2 * variance + rate**2 * noise**2
        errors.append(abs(mu(shift, noise, rate, steps) / ((means[1] - means[0]) / math.sqrt(variance)) - 1))
    assert max(errors) < 1e-12 and abs(mu(1, 1, .1, 100) - 4.3587832) < 5e-8
    return f"agrees {to(max(errors))} in {len(errors)} cases"


# -------------------------------------------------------------------------------------------------------------- a planted record

def limits(part=.5, upper=True, exact=True):
    """The bound of an audit in a few lines, with room for mistakes: μ from counts."""
    def bound(hits, hits_neighbor, *, trials, beta):
        hits, other = np.asarray(hits), np.asarray(hits_neighbor)
        if not exact:
            z = ndtri(1 - part * beta)
            p, v = hits / trials, other / trials
            low, high = p - z * np.sqrt(p * (1 - p) / trials), v + z * np.sqrt(v * (1 - v) / trials)
        else:
            low = gaussian_limit(hits, trials, part * beta)
            high = 1 - gaussian_limit(trials - other, trials, part * beta) if upper else gaussian_limit(other, trials, part * beta)
        return np.maximum(0, ndtri(np.clip(low, 1e-300, 1 - 1e-16)) - ndtri(np.clip(high, 1e-300, 1 - 1e-16)))
    return bound


def gaussian_limit(hits, trials, part):
    """Clopper and Pearson's lower limit, by bisection of binomial tails."""
    low, high = np.zeros(np.shape(hits)), np.ones(np.shape(hits))
    for _ in range(60):
        middle = (low + high) / 2
        fits = binom.sf(np.asarray(hits) - 1, trials, middle) <= part
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    return np.where(np.asarray(hits) == 0, 0, low)


@claim("prop-canary", gaussian_lower_bound,
       mutants={"β for each limit": limits(part=1.), "the lower limit of both": limits(upper=False),
                "limits of a normal law": limits(exact=False),
                "the frequencies themselves": lambda hits, hits_neighbor, *, trials, beta: np.maximum(
                    0, ndtri((np.asarray(hits) + .5) / (trials + 1)) - ndtri((np.asarray(hits_neighbor) + .5) / (trials + 1)))})
def test_how_often_an_audit_is_wrong(bound):
    """Solve for both limits in binomial tails, of β/2 each, and compare the bound. Then sum the probabilities of all pairs of counts at
    which it exceeds the true μ, for Gaussian noise and seven thresholds.
    """
    trials, beta, wrong = 60, .05, []
    known = bound([40, 60, 7, 0, 1], [20, 0, 7, 60, 0], trials=trials, beta=beta) - limits()(
        [40, 60, 7, 0, 1], [20, 0, 7, 60, 0], trials=trials, beta=beta)
    hits = np.arange(trials + 1)
    bounds = bound(hits[:, None], hits[None, :], trials=trials, beta=beta)
    for mu, line in itertools.product((.3, 1, 2), (-2.5, -1, 0, .5, 1, 1.5, 3)):
        chance = np.multiply.outer(binom.pmf(hits, trials, ndtr(mu - line)), binom.pmf(hits, trials, ndtr(-line)))
        wrong.append(chance[bounds > mu].sum())
    assert np.abs(known).max() < 1e-9 and max(wrong) <= beta
    return f"both limits agree {to(np.abs(known).max())}; wrong with probability at most {max(wrong):.4f}, where {beta} is allowed"


def edge(mu, v):
    return ndtr(ndtri(v) + mu)


@claim("prop-canary", edge,
       mutants={"μ counted twice": lambda mu, v: edge(2 * mu, v), "half of μ": lambda mu, v: edge(mu / 2, v),
                "as if δ were 0 at ε = μ": lambda mu, v: np.minimum(1, np.exp(mu) * v)})
def test_what_gaussian_privacy_allows(edge):
    """The largest probability of an event, of all that (ε, δ_μ(ε)) allows in both orders, for 4000 ε: it is that of the half-line."""
    epsilon, errors = np.linspace(0, 30, 4001), []
    for mu, v in itertools.product((.3, 1, 2), (.001, .1, .5, .9)):
        delta = gaussian_delta(sigma=1, sensitivity=mu, epsilon=epsilon)
        first, second = np.min(np.exp(epsilon) * v + delta), np.min(1 - np.exp(-epsilon) * (1 - v - delta))
        errors.append(abs(edge(mu, v) - min(first, second, 1)))
    assert max(errors) < 1e-5
    return f"equal to the half-line's {to(max(errors))} at {len(errors)} points"
