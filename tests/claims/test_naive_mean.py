"""The statements of the page on the clipped mean."""

import itertools
import math
from fractions import Fraction

import numpy as np
from scipy.special import ndtr, ndtri

from dplib.audit import noise_distribution_test
from dplib.mean import clip_radius, clipped_mean, clipped_mean_error_bound, noise_tail
from tests.chance import FAR, LEVEL, laplace_cdf
from tests.claims import claim, to


def normal_density(z):
    return np.exp(-z * z / 2) / math.sqrt(2 * math.pi)


def integral(f, *ends, panels=400):
    """Gauss-Legendre on many panels between consecutive ends, where the integrand may have its corners."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    total = 0
    for low, high in itertools.pairwise(ends):
        edges = np.linspace(low, high, panels + 1)
        half = (edges[1] - edges[0]) / 2
        total += half * np.sum(f((edges[:-1] + half)[:, np.newaxis] + half * nodes) * weights)
    return total


# --- where to clip --------------------------------------------------------------------------------------------------

def is_best(limit, x, epsilon, sides):
    """The statement: at most sides/epsilon records above the limit, and as many at it or above unless it is 0."""
    above, at_least = sum(v > limit for v in x), sum(v >= limit for v in x)
    return above <= sides / epsilon and (limit == 0 or at_least >= sides / epsilon)


def records_per_epsilon(rule=lambda epsilon, sides: sides / epsilon):
    """The statement, with room for another number of records than sides/epsilon."""
    return lambda limit, x, epsilon, sides: is_best(limit, x, 1 / rule(epsilon, sides), 1)


@claim("prop-clip-few", is_best,
       mutants={"epsilon records": records_per_epsilon(lambda epsilon, sides: epsilon),
                "one in epsilon for two sides, too": records_per_epsilon(lambda epsilon, sides: 1 / epsilon),
                "no record at all": lambda limit, x, epsilon, sides: not any(v > limit for v in x),
                "records at the limit counted as above":
                    lambda limit, x, epsilon, sides: sum(v >= limit for v in x) <= sides / epsilon})
def test_every_limit(is_best):
    """Compute bias and mean noise for every limit, in fractions, and compare the minimisers with the rule. 256 data
    sets of up to twelve records, many of them tied; limits at the records, between them, at 0 and beyond.
    """
    rng, judged = np.random.default_rng(1), 0
    epsilons = (Fraction(1, 10), Fraction(1, 3), Fraction(1), Fraction(4))
    for n, epsilon, sides in itertools.product((1, 2, 5, 12), epsilons, (1, 2)):
        for _ in range(8):
            x = [abs(int(v)) if sides == 1 else int(v) for v in rng.integers(-9, 10, n)]
            limits = {Fraction(k, 2) for k in range(21)}
            cost = {L: sum(max(abs(v) - L, 0) for v in x) + sides * L / epsilon for L in limits}
            for L in limits:
                best = cost[L] == min(cost.values())
                assert best == is_best(L, [abs(v) for v in x], epsilon, sides), (x, L, epsilon)
                judged += 1
    return f"the rule was right about each of {judged} limits"


@claim("lem-clip-radius", clip_radius,
       mutants={"one tail only": lambda *, size, beta: -ndtri(beta / size),
                "the simple bound in place of the exact radius": lambda *, size, beta: np.sqrt(2 * np.log(size / beta)),
                "a radius for one record": lambda *, size, beta: -ndtri(beta / 2) + 0 * size,
                "beta forgotten": lambda *, size, beta: -ndtri(.005 / size) + 0 * beta,
                "1 - beta/2n rounded to a float":
                    lambda *, size, beta: np.nan_to_num(ndtri(1 - beta / (2 * size)), posinf=99.)})
def test_all_records_within(radius):
    """Compute from the error function how likely a record is beyond the radius: beta/n for up to 10^15 records and
    beta down to 10^-200, to ten digits. The radius must be below the simple bound, and all n records within it with
    probability at least 1 - beta.
    """
    off = []
    for n, beta in itertools.product((1, 2, 1000, 10**6, 10**15), (.99, .5, .01, 1e-9, 1e-200)):
        t = float(radius(size=n, beta=beta))
        beyond = math.erfc(t / math.sqrt(2))
        off.append(abs(beyond * n / beta - 1))
        assert off[-1] < 1e-10 and t < math.sqrt(2 * math.log(n / beta)), (n, beta)
        assert math.expm1(n * math.log1p(-beyond)) >= -beta * (1 + 1e-9), (n, beta)
    return f"probability beyond the radius right {to(max(off))} in 25 settings"


# --- the clipped mean -----------------------------------------------------------------------------------------------

def clipped(limit=lambda x, R, t: R + t, range_of_noise=lambda B, R: 2 * B, noise_scale=1., cut=np.clip):
    """A clipped mean with room for mistakes."""
    def mean(x, *, radius, epsilon, beta=.01, runs=False, rng):
        n = x.shape[-1]
        B = limit(x, radius, -ndtri(beta / (2 * n)))
        inside = cut(x, -B, B)
        scale = range_of_noise(B, radius) / (n * epsilon) * noise_scale
        return inside.mean(axis=-1) + scale * rng.laplace(size=x.shape[:-1])
    return mean


def remove(x, low, high):
    return x * ((low <= x) & (x <= high))


def mean_of_the_kept(x, low, high):
    """Its mean over the last axis is the mean of the records that are kept."""
    kept = (low <= x) & (x <= high)
    return x * kept * x.shape[-1] / np.maximum(kept.sum(axis=-1, keepdims=True), 1)


@claim("thm-clipped-mean", clipped_mean,
       mutants={"half the noise": clipped(noise_scale=.5), "5% too little noise": clipped(noise_scale=.95),
                "the swap factor 2 forgotten": clipped(range_of_noise=lambda B, R: B),
                "noise for R, clipped at R + t": clipped(range_of_noise=lambda B, R: 2 * R + .1),
                "no clipping": clipped(cut=lambda x, low, high: x),
                "divided by the number that is kept": clipped(cut=mean_of_the_kept),
                "a limit read off the data": clipped(limit=lambda x, R, t: np.abs(x).max()),
                "twice the noise": clipped(noise_scale=2.)})
def test_one_record_and_the_noise(mean):
    """Measure how far one record moves the answer when the noise is the same, then the distribution of the noise. The
    noise must not depend on the data and must be Laplace of scale movement/epsilon, by 100 000 draws: the test of the
    distribution rejects the right one once in 10^8, and misses 5% too little noise less often than that. Records lie up
    to 10^300 away.
    """
    levels = []
    for seed, (n, R, epsilon) in enumerate([(1, 0., 1.), (4, 3., .3), (4, 50., 2.)]):
        def run(x, runs=20):
            x = np.broadcast_to(np.array(x), (runs, n))
            return mean(x, radius=R, epsilon=epsilon, runs=True, rng=np.random.default_rng(seed))
        values, others = (-1e300, -R - 2, -1., 0., R + 1., 1e300), (0., 1e300, -R)
        moved = [run([v] + [other] * (n - 1)) - run([w] + [other] * (n - 1))
                 for v, w in itertools.combinations(values, 2) for other in others]
        assert max(np.ptp(m) / max(1e-9, np.abs(m).max()) for m in moved) < 1e-9, "the noise depends on the data"
        sensitivity = max(float(np.abs(m).max()) for m in moved)
        noise = run([0.] * n, runs=100_000)
        test = noise_distribution_test(noise, lambda z: laplace_cdf(z, sensitivity / epsilon))
        assert test.pvalue > LEVEL, (n, R, epsilon, sensitivity)
        levels.append(test.pvalue)
    return f"noise of scale movement/epsilon in three settings, smallest p-value {min(levels):.2f}"


def without_chance(*, size, radius, epsilon, level, beta=.01):
    B = radius + clip_radius(size=size, beta=beta)
    return 2 * B / (size * epsilon) * math.log(1 / (1 - level - beta))


def one_tail(*, size, radius, epsilon, level, beta=.01):
    both = 1 - 2 * (1 - level) + beta
    return clipped_mean_error_bound(size=size, radius=radius, epsilon=epsilon, level=both, beta=beta)


def nothing_for_clipping(*, level, beta=.01, **given):
    return clipped_mean_error_bound(level=level - beta, beta=beta, **given)


@claim("thm-clipped-mean", clipped_mean, clipped_mean_error_bound,
       mutants={"half the noise": (clipped(noise_scale=.5), clipped_mean_error_bound),
                "twice the noise": (clipped(noise_scale=2.), clipped_mean_error_bound),
                "clipped at R":
                    (clipped(limit=lambda x, R, t: R, range_of_noise=lambda B, R: 2 * R + 8), clipped_mean_error_bound),
                "no randomness in the bound": (clipped_mean, without_chance),
                "one tail of the error for both": (clipped_mean, one_tail),
                "nothing set aside for clipping": (clipped_mean, nothing_for_clipping)})
def test_errors_of_gaussians(mean, bound):
    """Estimate the mean of Gaussians 10 000 times in twelve settings, at and inside the ends of the range, and compare
    how often the error exceeds the bound with the distribution. A frequency may be 6.5 standard errors above what is
    stated, or below what the distribution says by that and beta.
    """
    runs, beta, rng, highest = 10_000, .01, np.random.default_rng(2), 0
    for n, R, epsilon in itertools.product((10, 200), (0., 2., 60.), (.2, 5.)):
        for mu, level in ((R, .95), (-R / 2, .7)):
            given = dict(radius=R, epsilon=epsilon, beta=beta)
            error = np.abs(mean(mu + rng.normal(size=(runs, n)), **given, runs=True, rng=rng) - mu)
            t = float(bound(size=n, level=level, **given))
            b = 2 * (R + -ndtri(beta / (2 * n))) / (n * epsilon)
            law = 2 * float(noise_tail(t, sd=n**-.5, scale=b))
            assert abs(law + beta - (1 - level)) < 1e-9, (n, R, epsilon, law)
            simple = -ndtri(.01) / math.sqrt(n) + b * math.log(100)             # each part fails once in a hundred
            for at, most, least in ((t, 1 - level, law - beta), (simple, .03 + beta, 0)):
                share, spread = np.mean(error > at), math.sqrt(max(most, .01) / runs)
                assert least - FAR * spread < share < most + FAR * spread, (n, R, epsilon, share, most)
            highest = max(highest, np.mean(error > t) / (1 - level))
    return f"errors beyond the bound at most {highest:.2f} times as often as is allowed, in 24 settings"


# --- laws -----------------------------------------------------------------------------------------------------------

def plain_formula(t, *, sd, scale):
    with np.errstate(all="ignore"):
        z, r = np.float64(t / sd), np.float64(sd / scale)
        return ndtr(-z) + np.exp(r * r / 2) / 2 * (np.exp(-t / scale) * ndtr(z - r) - np.exp(t / scale) * ndtr(-z - r))


def opposite_sign(t, *, sd, scale):
    with np.errstate(all="ignore"):
        z, r = np.float64(t / sd), np.float64(sd / scale)
        return ndtr(-z) + np.exp(r * r / 2) / 2 * (np.exp(-t / scale) * ndtr(z - r) + np.exp(t / scale) * ndtr(-z - r))


@claim("prop-noise-law", noise_tail,
       mutants={"the normal error forgotten": lambda t, *, sd, scale: 1 - laplace_cdf(t, scale),
                "the Laplace error forgotten": lambda t, *, sd, scale: ndtr(-t / sd),
                "a normal of the same variance": lambda t, *, sd, scale: ndtr(-t / math.sqrt(sd**2 + 2 * scale**2)),
                "the sum of the two tails": lambda t, *, sd, scale: ndtr(-t / sd) + .5 * math.exp(-abs(t) / scale),
                "a sign wrong in the bracket": opposite_sign,
                "the formula in plain floating point": plain_formula})
def test_tail_by_integration(tail):
    """Integrate the Laplace tail against the normal density and compare, from ratios s/b of 1/50 to 50 and far into the
    tails, where the probability is 10^-88. The two agree to nine digits.
    """
    off, smallest = [], 1
    for s, b, far in itertools.product((.02, 1., 3.), (.06, 1.), (-6., -1., 0., .3, 2., 8., 20.)):
        t = far * math.hypot(s, b)
        corner = min(max(t / s, -70.), 70.)

        def noise_beyond(z):
            exponent = np.minimum(-np.abs(t - s * z) / b, 0)
            lower = np.exp(exponent - z * z / 2) / math.sqrt(8 * math.pi)
            return np.where(s * z < t, lower, normal_density(z) - lower)

        exact = integral(noise_beyond, -70, corner, 70, panels=2000)
        off.append(abs(float(tail(t, sd=s, scale=b)) / exact - 1))
        smallest = min(smallest, exact)
        assert off[-1] < 1e-9, (t, s, b)
    return f"{len(off)} tails, down to {smallest:.0e}, right {to(max(off))}"


def distance(d):
    """The statement: total variation distance of two normals whose means are d apart."""
    return 2 * ndtr(d / 2) - 1


def lower(d):
    return (2 * ndtr(.5) - 1) * min(d, 1)


def upper(d):
    return d / math.sqrt(2 * math.pi)


@claim("prop-gaussian-distance", distance, lower, upper,
       mutants={"half the distance forgotten": (lambda d: 2 * ndtr(d) - 1, lower, upper),
                "twice the total variation": (lambda d: 2 * distance(d), lower, upper),
                "the two constants exchanged": (distance, lambda d: upper(1) * min(d, 1), lambda d: lower(1) * d),
                "a lower bound without its cap": (distance, lambda d: lower(1) * d, upper),
                "a lower bound that is not the best": (distance, lambda d: .38 * min(d, 1), upper)})
def test_distance_by_integration(distance, lower, upper):
    """Integrate the difference of two normal densities and compare, for means 0.001 to 12 apart, to ten digits. The
    lower bound must be attained at 1, the upper one in the limit.
    """
    worst = 0
    for d in (.001, .1, .5, .999, 1., 1.5, 3., 12.):
        exact = integral(lambda z: np.abs(normal_density(z) - normal_density(z - d)), -20, d / 2, 32) / 2
        worst = max(worst, abs(distance(d) / exact - 1))
        assert lower(d) <= exact * (1 + 1e-10) and exact <= upper(d), d
    assert worst < 1e-10 and abs(lower(1) / distance(1) - 1) < 1e-10 and distance(1e-4) > upper(1e-4) * (1 - 1e-8)
    return f"eight distances right {to(worst)}, both bounds attained"


def shortfall(t):
    return normal_density(t) - t * ndtr(-t)


def after_clipping(mu, B):
    """The statement: what is left of the mean."""
    return mu - shortfall(B - mu) + shortfall(B + mu)


def after_removing(mu, B):
    return after_clipping(mu, B) - B * ndtr(mu - B) + B * ndtr(-mu - B)


@claim("prop-clip-bias", clipped_mean, after_clipping, after_removing,
       mutants={"removed instead of clipped": (clipped(cut=remove), after_clipping, after_removing),
                "not clipped": (clipped(cut=lambda x, low, high: x), after_clipping, after_removing),
                "one end only": (clipped_mean, lambda mu, B: mu - shortfall(B - mu), after_removing),
                "the part -tQ(t) forgotten":
                    (clipped_mean, lambda mu, B: mu - normal_density(B - mu) + normal_density(B + mu), after_removing),
                "removing is clipping": (clipped_mean, after_clipping, after_clipping)})
def test_mean_of_what_is_left(mean, after_clipping, after_removing):
    """Integrate what clipping and removing leave of a Gaussian, and let the code clip 200 000 single records with next
    to no noise. The formulas hold to ten digits, the code to 6.5 standard errors.
    """
    rng, worst, furthest = np.random.default_rng(3), 0, 0
    for mu, R, beta in itertools.product((-1., 0., .7, 3.), (.5, 2.), (.9, .2)):
        B = R - float(ndtri(beta / 2))
        ends = sorted({-30., -B, B, 30.})
        clip = integral(lambda x: np.clip(x, -B, B) * normal_density(x - mu), *ends)
        keep = integral(lambda x: x * normal_density(x - mu), -B, B)
        worst = max(worst, abs(after_clipping(mu, B) - clip), abs(after_removing(mu, B) - keep))
        x = mu + rng.normal(size=(200_000, 1))
        released = mean(x, radius=R, epsilon=1e9, beta=beta, runs=True, rng=rng)
        furthest = max(furthest, abs(released.mean() - clip) / (released.std() / math.sqrt(released.size)))
    assert worst < 1e-10 and furthest < FAR
    return f"formulas right {to(worst)}; the code within {furthest:.1f} standard errors in 16 settings"
