"""The statements of the page on the two-stage mean."""

import functools
import itertools
import math

import numpy as np
from scipy.special import ndtr, ndtri

from dplib.audit import noise_distribution_test
from dplib.mean import coarse_failure_bound, noise_tail, two_stage_mean, two_stage_mean_error_bound
from dplib.mechanisms import exponential_probabilities
from tests.chance import FAR, LEVEL, laplace_cdf
from tests.claims import claim, to


# --- the lead -------------------------------------------------------------------------------------------------------

def masses(mu, width, half):
    """The mass of each of the cells k = -half, ..., half - 1 under N(mu, 1)."""
    edges = width * np.arange(-half, half + 1) - mu
    return np.where(edges[:-1] > 0, ndtr(-edges[:-1]) - ndtr(-edges[1:]), ndtr(edges[1:]) - ndtr(edges[:-1]))


def masses_with_clamped_records(mu, width, half):
    mass = masses(mu, width, half)
    mass[0] += ndtr(-width * half - mu)
    mass[-1] += ndtr(mu - width * half)
    return mass


def least_mass_and_lead(width):
    """The statement."""
    return ndtr(width) - .5, 2 * ndtr(width) - ndtr(2 * width) - .5


@claim("prop-separation", masses, least_mass_and_lead,
       mutants={"records outside put into the end cells": (masses_with_clamped_records, least_mass_and_lead),
                "the lead over all other cells": (masses, lambda w: (ndtr(w) - .5, 0.)),
                "the lead for a mean in the middle of its cell":
                    (masses, lambda w: (ndtr(w) - .5, 2 * ndtr(w / 2) - 1 - ndtr(2.5 * w) + ndtr(1.5 * w))),
                "its leading term for narrow cells":
                    (masses, lambda w: (ndtr(w) - .5, w**3 / math.sqrt(2 * math.pi)))})
def test_lead_at_every_mean(masses, least):
    """Compute the masses of all cells for means all over the range, both ends included, and compare the least mass and
    the least lead of the right cell with the formulas. 2000 means for each of four widths; both are attained, and the
    values for width 1 are .3413 and .2054.
    """
    closest, R = 1, 10.
    for width in (.5, 1., 2., 3.):
        half, leads, own = math.ceil(R / width), [], []
        inner = np.linspace(-R, R, 1997)[1:-1]
        for mu in [-R, *inner, *(width * np.arange(1 - half, half)), np.nextafter(8., 0), R]:
            if abs(mu) > R:
                continue
            mass = masses(mu, width, half)
            here = min(math.floor(mu / width), half - 1) + half
            far = np.delete(mass, slice(max(here - 1, 0), here + 2))
            assert mass[here] >= mass.max() - 1e-15 and abs((here - half + .5) * width - mu) <= .5 * width
            leads.append(mass[here] - far.max())
            own.append(mass[here])
        smallest, lead = least(width)
        assert abs(min(own) - smallest) < 1e-9 and abs(min(leads) - lead) < 1e-9, (width, min(own), min(leads))
        assert lead > 0
        closest = min(closest, lead)
    assert abs(least(1.)[0] - .3413) < 5e-5 and abs(least(1.)[1] - .2054) < 5e-5
    return f"least mass and lead of the right cell equal to the formulas, for leads down to {closest:.4f}"


# --- the coarse stage -----------------------------------------------------------------------------------------------

@functools.cache                        # every run of a check compares with the same bounds
def worst_sum(n, cells, epsilon, width=1.):
    """The bound F by brute force: every offset of a grid, every theta of another."""
    reach = math.ceil(10 / width)
    j = np.r_[-reach:-1, 2:reach + 1][:, np.newaxis]
    theta = np.append(np.linspace(0, min(epsilon / 2, 6.), 401)[1:], epsilon / 2)
    worst = 0
    for u in np.linspace(0, 1, 41):
        lower, upper = (j - u) * width, (j + 1 - u) * width
        mass = np.maximum(np.where(j > 0, ndtr(-lower) - ndtr(-upper), ndtr(upper) - ndtr(lower)), 1e-19)
        own = ndtr((1 - u) * width) - ndtr(-u * width)
        near = np.exp(n * np.log1p(mass * np.expm1(theta) + own * np.expm1(-theta)).min(axis=1))
        empty = math.exp(n * np.log1p(1e-19 * math.expm1(epsilon / 2) + own * math.expm1(-epsilon / 2)))
        near = np.sort(near)[::-1][:max(cells - 2, 0)]
        worst = max(worst, near.sum() + max(cells - 2 - near.size, 0) * empty)
    return min(worst, 1.)


def average_failure(n, mu, radius, epsilon, width, rng, runs=20_000):
    """Chance that a cell two or more away is chosen: exact given the counts, averaged over drawn counts; its error."""
    half = math.ceil(radius / width)
    mass = masses(mu, width, half)
    seen = mass > 1e-12
    counts = rng.multinomial(n, np.append(mass[seen], 1 - mass[seen].sum()), size=runs)[:, :-1]
    weights = np.exp(epsilon / 2 * (counts - counts.max(axis=1, keepdims=True)))
    crowd = (~seen).sum() * np.exp(-epsilon / 2 * counts.max(axis=1))
    here = min(math.floor(mu / width), half - 1) + half
    right = weights[:, np.abs(np.flatnonzero(seen) - here) <= 1].sum(axis=1)
    failed = 1 - right / (weights.sum(axis=1) + crowd)
    return failed.mean(), failed.std() / math.sqrt(runs)


def bound(change=worst_sum):
    """F by brute force, with room for mistakes."""
    def F(*, size, radius, epsilon, width=1.):
        return change(size, 2 * max(1, math.ceil(radius / width)), epsilon, width)
    return F


@claim("thm-coarse-failure", coarse_failure_bound,
       mutants={"an exponential mechanism without its 2":
                    bound(lambda n, cells, epsilon, w: worst_sum(n, cells, 2 * epsilon, w)),
                "half the epsilon": bound(lambda n, cells, epsilon, w: worst_sum(n, cells, epsilon / 2, w)),
                "only the fullest of the far cells":
                    bound(lambda n, cells, epsilon, w: worst_sum(n, min(cells, 3), epsilon, w)),
                "K/2 cells": bound(lambda n, cells, epsilon, w: worst_sum(n, cells // 2 + 1, epsilon, w)),
                "width 1 for every width": bound(lambda n, cells, epsilon, w: worst_sum(n, cells, epsilon)),
                "no randomness in the counts":
                    bound(lambda n, cells, epsilon, w: min(1, cells * math.exp(-epsilon / 2 * .2054 * n)))})
def test_failures_of_the_first_stage(F):
    """Compute the probability of a wrong cell, exactly given the counts and averaged over 20 000 drawn counts, for
    means at and off the edges of cells and at the end of the range. It may exceed the bound by 6.5 standard errors. The
    bound itself is compared with brute force over offsets and theta, to one part in a thousand.
    """
    rng, nearest, off = np.random.default_rng(1), 0, 0
    settings = [(800, 100, .05, 1.), (400, 100, .1, 1.), (100, 100, .5, 1.), (200, 100, .5, 1.), (60, 2, 1., 1.),
                (120, 10, 4., 1.), (150, 31, .2, 2.), (1500, 30, .3, .5), (500, 10**4, .3, 1.), (300, 1, .1, 1.)]
    for n, R, epsilon, width in settings:
        stated = float(F(size=n, radius=R, epsilon=epsilon, width=width))
        brute = worst_sum(n, 2 * math.ceil(R / width), epsilon, width)
        off = max(off, abs(stated - brute) / max(brute, 1e-12))
        assert off < 1e-3, (n, R, epsilon, width, stated, brute)
        for mu in (0., .3 * width, .5 * width, R - 1e-9, float(R)) if R < 1000 else ():
            true, error = average_failure(n, mu, R, epsilon, width, rng)
            assert true <= stated + FAR * error + 1e-12, (n, R, epsilon, width, mu, true, stated)
            nearest = max(nearest, true / max(stated, 1e-12))
    return f"failures at most {nearest:.2f} of the bound in {len(settings)} settings; the bound right {to(off)}"


def always_replaced(scores, *, monotonic, **given):
    """The weights of replacement, whatever the relation is."""
    return exponential_probabilities(scores, **given)


def twice_too_sharp(scores, *, epsilon, **given):
    return exponential_probabilities(scores, epsilon=2 * epsilon, **given)


@claim("cor-coarse-add-remove", exponential_probabilities, coarse_failure_bound,
       mutants={"the weights of replacement": (always_replaced, coarse_failure_bound),
                "weights twice as sharp": (twice_too_sharp, coarse_failure_bound),
                "four epsilon in the bound":
                    (exponential_probabilities, lambda epsilon, **given: coarse_failure_bound(epsilon=2 * epsilon, **given))})
def test_first_stage_under_add_remove(probabilities, F):
    """Compute the distribution of the chosen cell for all counts of up to six records in four cells, and with one record more. Then
    compute the probability of a wrong cell, exactly given the counts and averaged over 20 000 drawn counts; it may exceed
    the bound by 6.5 standard errors.
    """
    choice = lambda counts, epsilon: probabilities(counts, sensitivity=1, epsilon=epsilon, monotonic=True)
    counts = np.array([c for c in itertools.product(range(7), repeat=4) if sum(c) <= 6], dtype=float)
    highest, nearest, rng = 0, 0, np.random.default_rng(4)
    for epsilon, cell in itertools.product((.1, .7, 2.), np.eye(4)):
        loss = np.log(choice(counts + cell, epsilon) / choice(counts, epsilon))
        highest = max(highest, np.abs(loss).max() / epsilon)
        assert highest <= 1 + 1e-9
    for n, R, epsilon in ((400, 10, .05), (150, 10, .2), (200, 30, .15), (60, 4, .5), (110, 8, 2.)):
        stated = F(size=n, radius=R, epsilon=2 * epsilon)
        for mu in (0., .3, .5, float(R)):
            mass = masses(mu, 1, R)
            drawn = rng.multinomial(n, np.append(mass, max(0, 1 - mass.sum())), size=20_000)[:, :-1]
            far = np.abs(np.arange(2 * R) - min(math.floor(mu) + R, 2 * R - 1)) >= 2
            failed = choice(drawn.astype(float), epsilon)[:, far].sum(axis=1)
            assert failed.mean() <= stated + FAR * failed.std() / math.sqrt(len(failed)) + 1e-12, (n, R, epsilon, mu)
            nearest = max(nearest, failed.mean() / stated)
    return f"largest log-ratio {highest:.6f} epsilon; failures at most {nearest:.2f} of the bound"


def enough_people(cells, epsilon, beta):
    """The statement."""
    full, next_one = ndtr(1) - .5, ndtr(2) - ndtr(1)
    theta = min(epsilon / 2, math.log(full / next_one) / 2)
    return math.ceil((math.log(cells) - math.log(beta)) / (full * -math.expm1(-theta) - next_one * math.expm1(theta)))


@claim("cor-coarse-size", enough_people,
       mutants={"the rule of thumb": lambda cells, epsilon, beta: math.ceil(5.86 / epsilon * math.log(cells / beta)),
                "ln K alone": lambda cells, epsilon, beta: enough_people(cells, epsilon, 1),
                "no K": lambda cells, epsilon, beta: enough_people(1, epsilon, beta),
                "no randomness in the counts":
                    lambda cells, epsilon, beta: math.ceil(2 / (.2054 * epsilon) * math.log(cells / beta))})
def test_enough_people(enough):
    """Compute the bound F at the stated number of people, for 2 to 10^300 cells. It must be at most beta."""
    highest = 0
    for R, epsilon, beta in itertools.product((2, 10, 1000, 1e12, 5e299), (.01, .05, .5, 1., 20.), (.3, .01, 1e-9)):
        n = enough(2 * R, epsilon, beta)
        highest = max(highest, float(coarse_failure_bound(size=n, radius=R, epsilon=epsilon)) / beta)
        assert highest <= 1, (R, epsilon, beta, n)
    return f"F at most {highest:.2f} of the allowed beta in 75 settings"


# --- the whole ------------------------------------------------------------------------------------------------------

def staged(score=.5, clamp=False, coarse=lambda epsilon, split: epsilon * split, noise_scale=1., only_inside=False,
           fine=lambda epsilon, split: epsilon * (1 - split), reach=1.5, net=False, cells_from_data=False):
    """A two-stage mean with room for mistakes."""
    def mean(x, *, radius, epsilon, split=.5, width=1., beta=.01, runs=False, rng):
        n, t = x.shape[-1], -ndtri(beta / (2 * x.shape[-1]))
        half = max(1, math.ceil(radius / width))
        place = np.clip(np.floor(x / width), -half - 1, half).astype(int)
        if clamp:
            place = np.clip(place, -half, half - 1)
        slots = 2 * half + 2
        rows = np.arange(len(x))[:, np.newaxis] * slots
        counts = np.bincount((rows + place + half + 1).ravel(), minlength=slots * len(x)).reshape(-1, slots)[:, 1:-1]
        exponents = score * coarse(epsilon, split) * counts
        exponents[(counts == 0) & cells_from_data] = -np.inf
        chosen = (exponents + rng.gumbel(size=counts.shape)).argmax(axis=-1)
        m = ((chosen - half + .5) * width)[:, np.newaxis]
        B = np.full(m.shape, reach * width + t)
        if net:
            B = np.where(np.take_along_axis(counts, chosen[:, np.newaxis], axis=1) < n / 4, radius + t, B)
        inside = np.clip(x - m, -B, B)
        if only_inside:
            inside = inside * (np.abs(x) <= radius)
        noise = rng.laplace(size=len(x)) * 2 * B[:, 0] / (n * fine(epsilon, split)) * noise_scale
        return m[:, 0] + inside.mean(axis=-1) + noise
    return mean


def repeat(x, runs):
    return np.broadcast_to(np.array(x, dtype=float), (runs, len(x)))


@claim("thm-coarse-failure", two_stage_mean,
       mutants={"an exponential mechanism without its 2": staged(score=1.),
                "half the weight of a record": staged(score=.25),
                "records outside put into the end cells": staged(clamp=True),
                "only cells with somebody in them": staged(cells_from_data=True),
                "all of epsilon for each stage": staged(coarse=lambda epsilon, split: epsilon / 2)})
def test_law_of_the_choice(mean):
    """Run the two stages 200 000 times on each of three data sets, with next to no noise in the second stage, so that
    the answer tells the chosen cell. Each cell must be chosen with the probability of the exponential mechanism, up to
    6.5 standard errors; without its 2 the mechanism is off by more than 200 of them.
    """
    rng, runs, furthest = np.random.default_rng(2), 200_000, 0
    sets = [[.5] * 4 + [5.5] * 2 + [-3.5, 50., 60., 70.], [2.] * 3 + [99.], [-6.] * 5 + [1e300] * 5]
    for x, epsilon in zip(sets, (.7, 1.5, .4)):
        n, cells = len(x), np.arange(-6, 6)
        counts = np.array([sum(k <= v < k + 1 for v in x) for k in cells])
        chance = np.exp(epsilon / 2 * counts)
        chance /= chance.sum()
        B = 1.5 - ndtri(.005 / n)
        answers = cells + .5 + np.clip(repeat(x, 12) - cells[:, np.newaxis] - .5, -B, B).mean(axis=-1)
        assert np.diff(np.sort(answers)).min() > 1e-3
        released = mean(repeat(x, runs), radius=6, epsilon=1e8, split=epsilon * 1e-8, runs=True, rng=rng)
        chosen = np.abs(released[:, np.newaxis] - answers).argmin(axis=1)
        assert np.abs(released - answers[chosen]).max() < 1e-4, x
        hits = np.bincount(chosen, minlength=12)
        furthest = max(furthest, np.max(np.abs(hits - runs * chance) / np.sqrt(runs * chance * (1 - chance))))
        assert furthest < FAR, (x, hits / runs, chance)
    return f"frequencies of 12 cells within {furthest:.1f} standard errors on three data sets"


@claim("thm-two-stage", two_stage_mean,
       mutants={"half the noise": staged(noise_scale=.5), "5% too little noise": staged(noise_scale=.95),
                "all of epsilon for the second stage, too": staged(fine=lambda epsilon, split: epsilon),
                "the two shares exchanged": staged(fine=lambda epsilon, split: epsilon * split),
                "a wider window if the chosen cell is not full": staged(net=True),
                "twice the noise": staged(noise_scale=2.)})
def test_second_stage_keeps_its_share(mean):
    """Make the first stage certain of its cell by a huge epsilon. Then measure how far one record moves the answer when
    the noise is the same, and test the distribution of 100 000 noises: Laplace of scale movement over (1 - split)
    epsilon, whatever the data are. The test rejects the right distribution once in 10^8. Records lie up to 10^300 away.
    """
    levels = []
    for seed, (split, x) in enumerate([(.999, [.5] * 8), (.9999, [.5] * 2 + [10.5 * k for k in range(-3, 4) if k])]):
        epsilon = 5000.

        def run(last, runs=20):
            data = repeat([*x, last], runs)
            return mean(data, radius=40, epsilon=epsilon, split=split, runs=True, rng=np.random.default_rng(seed))
        outside = (-1e300, -50., -41., 41., 99., 1e300)                   # the chosen cell stays the same
        moved = [run(v) - run(w) for v, w in itertools.combinations(outside, 2)]
        assert max(np.ptp(m) for m in moved) < 1e-9, "the noise depends on the data"
        sensitivity = max(float(np.abs(m).max()) for m in moved)
        B = 1.5 - ndtri(.005 / (len(x) + 1))
        centre = .5 + (np.clip(np.array(x) - .5, -B, B).sum() + B) / (len(x) + 1)
        noise = run(99., runs=100_000) - centre
        test = noise_distribution_test(noise, lambda z: laplace_cdf(z, sensitivity / (epsilon * (1 - split))))
        assert abs(sensitivity / (2 * B / (len(x) + 1)) - 1) < 1e-9 and test.pvalue > LEVEL, (split, sensitivity)
        levels.append(test.pvalue)
    return f"noise of scale movement/((1 - split) epsilon) on two data sets, smallest p-value {min(levels):.2f}"


def first_stage_forgotten(*, size, level, radius, **given):
    return two_stage_mean_error_bound(size=size, level=level, radius=1., **given)


def window_forgotten(*, size, level, epsilon, split, **given):
    return two_stage_mean_error_bound(size=size, level=level, epsilon=1.3 * epsilon, split=split / 1.3, **given)


@claim("thm-two-stage", two_stage_mean, two_stage_mean_error_bound,
       mutants={"half the noise": (staged(noise_scale=.5), two_stage_mean_error_bound),
                "twice the noise": (staged(noise_scale=2.), two_stage_mean_error_bound),
                "a window without the 1.5": (staged(reach=0.), two_stage_mean_error_bound),
                "records outside the range lost in the second stage, too": (staged(only_inside=True), two_stage_mean_error_bound),
                "an exponential mechanism with a quarter": (staged(score=.125), two_stage_mean_error_bound),
                "no first stage in the bound": (two_stage_mean, first_stage_forgotten),
                "too small a window in the bound": (two_stage_mean, window_forgotten)})
def test_errors_of_gaussians(mean, bound):
    """Estimate the mean of Gaussians 5000 times in 15 settings, at edges of cells, inside them and at the ends of the
    range, and compare how often the error exceeds the bound with the distribution. A frequency may be 6.5 standard
    errors above what is stated, or below what the distribution says by that, the failures and beta.
    """
    runs, beta, rng, highest = 5000, .01, np.random.default_rng(3), 0
    settings = [(300, 10, 1., .5, 1.), (300, 10, .5, .7, 1.), (150, 1, .4, .5, 1.), (120, 20, 2., .5, 1.),
                (200, 50, .7, .6, 2.)]
    for n, R, epsilon, split, width in settings:
        for mu in (0., .4 - R, float(R)):
            given = dict(radius=R, epsilon=epsilon, split=split, width=width, beta=beta)
            error = np.abs(mean(mu + rng.normal(size=(runs, n)), **given, runs=True, rng=rng) - mu)
            F = worst_sum(n, 2 * math.ceil(R / width), split * epsilon, width)
            level = .8 if F + beta < .1 else .5
            t = float(bound(size=n, level=level, **given))
            b = 2 * (1.5 * width - ndtri(beta / (2 * n))) / (n * (1 - split) * epsilon)
            law = 2 * float(noise_tail(t, sd=n**-.5, scale=b))
            assert abs(law + F + beta - (1 - level)) < 1e-3 * F + 1e-9, (n, R, F, law)
            share, spread = np.mean(error > t), math.sqrt(1 / runs) / 2
            assert law - F - beta - FAR * spread < share < 1 - level + FAR * spread, (n, R, mu, share, law)
            highest = max(highest, share / (1 - level))
    return f"errors beyond the bound at most {highest:.2f} times as often as is allowed, in 15 settings"
