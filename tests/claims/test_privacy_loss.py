"""The statements of the page on Gaussian noise and the privacy loss."""

import functools
import itertools
import math

import mpmath
import numpy as np
from scipy.integrate import quad
from scipy.special import logsumexp, ndtr
from scipy.stats import norm

from dplib.accounting import PrivacyLoss, amplify_by_subsampling, zcdp_epsilon
from dplib.audit import hockey_stick, max_log_ratio
from dplib.mechanisms import gaussian_delta, gaussian_sigma
from tests.claims import claim, to
from tests.claims.coins import adaptive_game, coin, coins_delta, noisy_count, random_pair

# --- Gaussian noise --------------------------------------------------------------------------------------------------


def gaussian_by_integration(epsilon, sigma, sensitivity):
    """The hockey-stick divergence of N(sensitivity, sigma^2) and N(0, sigma^2), integrated in 30 digits."""
    with mpmath.workdps(30):
        s, m, e = mpmath.mpf(sigma), mpmath.mpf(sensitivity), mpmath.mpf(epsilon)
        start = m / 2 + e * s**2 / m                                # there the loss is epsilon
        ends = [start + s * width for width in (0, 1, 2, 4, 8, 16)] + [start + 16 * s + m]
        return float(mpmath.quad(lambda y: mpmath.npdf(y, m, s) - mpmath.exp(e) * mpmath.npdf(y, 0, s), ends))


def tail_alone(*, epsilon, sigma, sensitivity):
    return ndtr(sensitivity / sigma / 2 - epsilon * sigma / sensitivity)


def exchanged(*, epsilon, sigma, sensitivity):
    return gaussian_delta(epsilon=epsilon, sigma=sensitivity, sensitivity=sigma)


def half_the_distance(*, epsilon, sigma, sensitivity):
    return gaussian_delta(epsilon=epsilon, sigma=sigma, sensitivity=sensitivity / 2)


@claim("thm-gaussian", gaussian_delta,
       mutants={"the tail of the loss alone": tail_alone, "sigma and sensitivity exchanged": exchanged,
                "half the sensitivity": half_the_distance})
def test_gaussian_curve_by_integration(delta):
    """Integrate the divergence of two normal densities in 30 digits; it must grow with their distance."""
    points = (0, 2, 1), (.1, 36.3, 1), (1, 4.2, 1), (1, .6, .5), (5, 1, 2), (9, 4, 7)
    errors = [abs(float(delta(epsilon=e, sigma=s, sensitivity=m)) / gaussian_by_integration(e, s, m) - 1)
              for e, s, m in points]
    nearer = delta(epsilon=.5, sigma=1, sensitivity=np.linspace(.05, 3, 60))
    assert max(errors) <= 1e-9 and (np.diff(nearer) > 0).all()
    return f"delta agrees {to(max(errors))} at {len(points)} points"


def classical_sigma(*, epsilon, delta, sensitivity):
    return math.sqrt(2 * math.log(1.25 / delta)) * sensitivity / epsilon


def sigma_times(factor=1.):
    return lambda *, epsilon, delta, sensitivity: factor * gaussian_sigma(epsilon=epsilon, delta=delta,
                                                                          sensitivity=sensitivity)


@claim("thm-gaussian", gaussian_sigma,
       mutants={"the classical formula, at large epsilon too": classical_sigma,
                "calibrated to half the sensitivity": sigma_times(.5),
                "needlessly large by a thousandth": sigma_times(1.001)})
def test_calibrated_noise(sigma):
    """Integrate the two densities at the noise that the code chooses: its delta is the one asked for."""
    points = (9, 1e-5), (.1, 1e-6), (1, 1e-5), (4, 1e-8), (.5, .01)
    errors = [abs(gaussian_by_integration(e, float(sigma(epsilon=e, delta=d, sensitivity=3)), 3) / d - 1)
              for e, d in points]
    assert max(errors) <= 1e-6
    return f"delta agrees {to(max(errors))} at {len(points)} points"


def two_gaussians(epsilon, first, second):
    """The exact delta of two answers with noise 1: the first shifts by `first`, the next by a function of the first.

    Integrated over the first output; for each of them the divergence of the second is known.
    """
    y = np.linspace(-14, 14 + first, 40001)
    shift, gain = second(y), first * y - first**2 / 2
    start = (epsilon - gain) / shift + shift / 2
    inner = norm.pdf(y - first) * ndtr(shift - start) - math.exp(epsilon) * norm.pdf(y) * ndtr(-start)
    return float(np.trapezoid(np.maximum(inner, 0), y))


def together(sigmas):
    """The noise of the one Gaussian mechanism that is as good as all."""
    return float(np.sum(sigmas**-2.) ** -.5)


@claim("thm-gaussian-composition", together,
       mutants={"noise grows with the number of answers": lambda sigmas: float(np.linalg.norm(sigmas)),
                "the smallest noise": lambda sigmas: float(sigmas.min()),
                "budgets added in place of squares": lambda sigmas: float(1 / np.sum(1 / sigmas))})
def test_two_normal_answers(together):
    """Integrate the divergence of two answers, the second question fixed or chosen by the first answer."""
    errors, shares = [], []
    for epsilon, a, b in ((.5, 1, 2), (1, 1.5, 1.5), (2, .7, 3)):
        stated = float(gaussian_delta(epsilon=epsilon, sigma=together(np.array([a, b])), sensitivity=1))
        errors.append(abs(two_gaussians(epsilon, 1 / a, lambda y: np.full_like(y, 1 / b)) / stated - 1))
        rules = (lambda y: np.where(y > 0, 1, .3) / b, lambda y: np.where(y > .5, .01, 1) / b,
                 lambda y: (.1 + .9 * np.sin(5 * y) ** 2) / b)
        shares += [two_gaussians(epsilon, 1 / a, rule) / stated for rule in rules]
    assert max(errors) <= 1e-7 and max(shares) <= 1
    return (f"fixed questions: delta agrees {to(max(errors))}; {len(shares)} adaptive rules: "
            f"{min(shares):.3f} to {max(shares):.3f} of the stated delta")


# --- on a grid -------------------------------------------------------------------------------------------------------

def two_laplace(epsilon, at):
    """The exact delta of two Laplace answers: average the curve of one over the loss of the other."""
    def one(x):
        return -math.expm1(x) if x <= -epsilon else max(0., -math.expm1((x - epsilon) / 2))
    between = quad(lambda loss: math.exp((loss - epsilon) / 2) / 4 * one(at - loss), -epsilon, epsilon,
                   points=[at - epsilon], epsabs=1e-12)[0]
    return one(at - epsilon) / 2 + math.exp(-epsilon) / 2 * one(at + epsilon) + between


def moved(places=0):
    """A `PrivacyLoss` whose losses are displaced on the grid by so many places."""
    def displaced(make):
        def from_(**parameters):
            loss = make(**parameters)
            return PrivacyLoss(loss.step, loss.lowest + places, loss.mass, loss.infinite)
        return staticmethod(from_)

    class Moved:
        from_pure = displaced(PrivacyLoss.from_pure)
        from_gaussian = displaced(PrivacyLoss.from_gaussian)
        from_laplace = displaced(PrivacyLoss.from_laplace)
    return Moved


@claim("prop-grid", PrivacyLoss,
       mutants={"losses rounded down": moved(-1), "losses rounded up one point too far": moved(2)})
def test_between_two_exact_curves(loss):
    """Compare coarse grids with exact curves of coins, of Gaussians and, by integration, of Laplace answers."""
    step, ratios = .01, []
    cases = [(loss.from_pure(epsilon=.137, step=step), 20, lambda at: coins_delta([(.137, 0, 20)], at)),
             (loss.from_gaussian(sigma=5, sensitivity=1, step=step), 15,
              lambda at: float(gaussian_delta(epsilon=at, sigma=5 / math.sqrt(15), sensitivity=1))),
             (loss.from_laplace(epsilon=.777, step=step), 2, lambda at: two_laplace(.777, at))]
    for one, size, exact in cases:
        grid = one.compose(size)
        for at in (.3, .5, .81, 1.2, 1.5):
            bound, least, most = float(grid.delta(at)), exact(at), exact(at - size * step)
            assert least <= bound + 1e-12 and bound <= most + 1e-12
            ratios.append(bound / least)
    return f"{len(ratios)} points, step {step}: {min(ratios):.6f} to {max(ratios):.6f} of the exact delta"


# --- one number that adds --------------------------------------------------------------------------------------------

def renyi(p, q, order):
    return float(logsumexp(order * np.log(p) + (1 - order) * np.log(q)) / (order - 1))


def best_order(rho, delta):
    """The conversion of the theorem, solved for epsilon, at the best of a fine grid of orders."""
    a = 1 + np.geomspace(1e-3, 1e4, 200001)
    return max(0., float((a * rho + np.log1p(-1 / a) - (np.log(a) + math.log(delta)) / (a - 1)).min()))


@claim("thm-zcdp", zcdp_epsilon,
       mutants={"the 2 forgotten": lambda *, rho, delta: rho + math.sqrt(rho * math.log(1 / delta)),
                "the drift rho forgotten": lambda *, rho, delta: 2 * math.sqrt(rho * math.log(1 / delta)),
                "only the simple conversion": lambda *, rho, delta: rho + 2 * math.sqrt(rho * math.log(1 / delta))})
def test_converted_rho(convert):
    """Put the converted epsilon into the exact curves of Gaussian noise and of 200 coins."""
    shares = []
    for rho, delta in itertools.product((.02, .5, 8), (1e-3, 1e-6, 1e-9)):
        epsilon, stated = convert(rho=rho, delta=delta), best_order(rho, delta)
        assert abs(epsilon - stated) <= 1e-6 and stated <= rho + 2 * math.sqrt(rho * math.log(1 / delta))
        shares += [float(gaussian_delta(epsilon=epsilon, sigma=1, sensitivity=math.sqrt(2 * rho))) / delta,
                   coins_delta([(math.sqrt(2 * rho / 200), 0, 200)], epsilon) / delta]
    assert max(shares) <= 1
    return f"exact delta at most {max(shares):.3f} of the stated one in {len(shares)} cases"


@claim("thm-zcdp", lambda epsilon: epsilon**2 / 2,
       mutants={"epsilon squared over 4": lambda epsilon: epsilon**2 / 4,
                "epsilon squared over 8, Hoeffding's constant alone": lambda epsilon: epsilon**2 / 8})
def test_rho_of_private_steps(rho):
    """Compute Rényi divergences of coins, random private pairs, adaptive games and Gaussian noise."""
    rng, shares, steps = np.random.default_rng(5), [], [(.1, 0), (.3, 0), (.2, 0)]
    for order in (1.01, 1.5, 2, 5, 20, 100):
        for epsilon in (.01, .1, 1):
            pairs = [coin(epsilon), *(random_pair(rng, epsilon, 0) for _ in range(20))]
            shares += [renyi(p[p > 0], q[p > 0], order) / order / rho(epsilon) for p, q in pairs]
        spent = sum(rho(epsilon) for epsilon, _ in steps)
        shares += [renyi(*adaptive_game(rng, steps), order) / order / spent for _ in range(20)]
    mu, (y, width) = .8, np.linspace(-40, 120, 400001, retstep=True)
    gaussian = [np.log(np.sum(np.exp(a * norm.logpdf(y - mu) + (1 - a) * norm.logpdf(y))) * width) / (a - 1) / a
                for a in (1.5, 3, 40)]
    assert max(shares) <= 1 + 1e-9 and np.abs(np.subtract(gaussian, mu**2 / 2)).max() <= 1e-9
    return f"divergence over order at most {max(shares):.6f} of rho in {len(shares)} cases; Gaussian noise meets it"


# --- sampling --------------------------------------------------------------------------------------------------------

def own_coins(data, mechanism, rate):
    """The law of the mechanism's output when every record enters the sample by its own coin."""
    law = 0
    for kept in itertools.product((False, True), repeat=len(data)):
        chance = rate ** sum(kept) * (1 - rate) ** (len(data) - sum(kept))
        law = law + chance * mechanism([record for record, keep in zip(data, kept) if keep])
    return law


def in_random_order(data, size):
    return list(itertools.permutations(data, size))


def in_their_order(data, size):
    return list(itertools.combinations(data, size))


def fixed_size(data, mechanism, samples):
    return sum(map(mechanism, samples)) / len(samples)


def responses(sample, epsilon):
    """The distribution of one randomised response for each bit of the sample, in its order."""
    truth = math.exp(epsilon) / (1 + math.exp(epsilon))
    return functools.reduce(np.multiply.outer, [np.array([1 - truth, truth])[:: 1 if bit else -1] for bit in sample]).ravel()


def amplified(epsilon=lambda epsilon, rate: math.log1p(rate * math.expm1(epsilon)), delta=lambda delta, rate: rate * delta):
    """The parameters of the theorem, with room for mistakes."""
    return lambda *, rate, **given: (epsilon(given["epsilon"], rate), delta(given["delta"], rate))


@claim("thm-subsampling", amplify_by_subsampling, in_random_order,
       mutants={"q times epsilon": (amplified(epsilon=lambda epsilon, rate: rate * epsilon), in_random_order),
                "only a record that leaves":
                    (amplified(epsilon=lambda epsilon, rate: -math.log1p(rate * math.expm1(-epsilon))), in_random_order),
                "delta amplified twice": (amplified(delta=lambda delta, rate: rate**2 * delta), in_random_order),
                "a subset in the order of the data": (amplify_by_subsampling, in_their_order)})
def test_every_sample(amplify, samples):
    """Enumerate all samples of six records, by own coins under add/remove and of fixed size under replacement.

    Two mechanisms see them: a noisy count, and a coin that says whether record 7 is there, which meets epsilon. A third sees
    all samples of three bits, in random order, and gives a randomised response for each.
    """
    others, above, met = [0, 1, 1, 0, 1], [], []
    for epsilon, delta, size in itertools.product((.1, 1, 3), (0, .02), (1, 2, 4)):
        rate = size / 6
        stated, stated_delta = amplify(epsilon=epsilon, delta=delta, rate=rate)
        member = lambda sample: coin(epsilon, delta)[0 if 7 in sample else 1]
        count = lambda sample: noisy_count(sum(sample), epsilon, top=8)
        for mechanism, record in ((member, 7), (count, 1)):
            pairs = [(own_coins([*others, record], mechanism, rate), own_coins(others, mechanism, rate)),
                     tuple(fixed_size(x, mechanism, samples(x, size)) for x in ([*others, record], [*others, 0]))]
            above += [float(hockey_stick(p, q, epsilon=stated)) - stated_delta for p, q in pairs]
            if mechanism is member and delta == 0:
                met += [abs(float(max_log_ratio(p[1:3], q[1:3])) - stated) for p, q in pairs]
    for epsilon, size, rest in itertools.product((.5, math.log(10)), (1, 2, 3), itertools.product((0, 1), repeat=2)):
        stated, _ = amplify(epsilon=epsilon, delta=0, rate=size / 3)
        p, q = (fixed_size(x, lambda sample: responses(sample, epsilon), samples(x, size)) for x in ((1, *rest), (0, *rest)))
        above.append(float(hockey_stick(p, q, epsilon=stated)))
    assert max(above) <= 1e-12 and max(met) <= 1e-9
    return f"delta not exceeded in {len(above)} cases; the coin meets epsilon {to(max(met))}"
