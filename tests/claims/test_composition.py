"""The statements of the page on composition."""

import itertools
import math

import mpmath
import numpy as np
from scipy.integrate import quad
from scipy.special import logsumexp, ndtr
from scipy.stats import binom, norm

from dplib.accounting import (PrivacyLoss, amplify_by_subsampling, compose_advanced, compose_basic, compose_optimal,
                              zcdp_epsilon)
from dplib.audit import hockey_stick, max_log_ratio
from dplib.mechanisms import gaussian_delta, gaussian_sigma
from tests.claims import claim, to

TINY = 1e-300


def coin(epsilon, delta=0.):
    """Randomised response that with probability delta gives the world away: the worst (epsilon, delta)-private pair."""
    truth = (1 - delta) / (1 + math.exp(-epsilon))
    p = np.array([delta, truth, 1 - delta - truth, 0])
    return p, p[::-1]


def random_pair(rng, epsilon, delta, outputs=3):
    """An (epsilon, delta)-private pair of laws: the worst one, sent through a random channel."""
    channel = rng.dirichlet(np.full(outputs, .2), 4)
    p, q = coin(epsilon, delta)
    return p @ channel, q @ channel


def adaptive_game(rng, steps):
    """Laws of all transcripts when each step runs another private mechanism after each history."""
    p = q = np.ones(1)
    for epsilon, delta in steps:
        pairs = [random_pair(rng, epsilon, delta) for _ in p]
        p = np.concatenate([mass * pair[0] for mass, pair in zip(p, pairs)])
        q = np.concatenate([mass * pair[1] for mass, pair in zip(q, pairs)])
    return p, q


def coins_together(steps):
    """Laws of all transcripts of coins."""
    p = q = np.ones(1)
    for epsilon, delta in steps:
        one, other = coin(epsilon, delta)
        p, q = np.outer(p, one).ravel(), np.outer(q, other).ravel()
    return p, q


# --- adding up -------------------------------------------------------------------------------------------------------

def basic_with(total_epsilon=np.sum, total_delta=np.sum):
    """`compose_basic` from two functions of lists."""
    return lambda *, epsilon, delta, count: (float(total_epsilon(epsilon)), float(total_delta(delta)))


@claim("thm-basic-composition", compose_basic,
       mutants={"the largest epsilon in place of the sum": basic_with(np.max, np.sum),
                "square root of the sum of squares": basic_with(np.linalg.norm, np.sum),
                "the largest delta in place of the sum": basic_with(np.sum, np.max)})
def test_games_of_private_mechanisms(compose):
    """Enumerate the transcripts of random games, whose steps depend on all earlier outputs, and of coins.

    The coins attain the sum.
    """
    rng, above = np.random.default_rng(1), []
    for steps in ([(.3, 0), (.7, .01), (.2, .02)], [(1, .05), (.1, .05)], [(.5, 0)] * 4):
        epsilon, delta = compose(epsilon=[e for e, _ in steps], delta=[d for _, d in steps], count=1)
        for p, q in [coins_together(steps), *(adaptive_game(rng, steps) for _ in range(100))]:
            above.append(float(hockey_stick(p, q, epsilon=epsilon)) - delta)
    attained = float(max_log_ratio(*(law[law > 0] for law in coins_together([(.5, 0)] * 4))))
    total, _ = compose(epsilon=[.5] * 4, delta=[0] * 4, count=1)
    assert max(above) <= 1e-12 and abs(attained - total) <= 1e-12
    return f"{len(above)} games: delta never above the sum; four coins at 0.5 attain it {to(abs(attained - total))}"


# --- the privacy loss ------------------------------------------------------------------------------------------------

def loss_of(p, q):
    """Losses and their probabilities under p; infinite where q vanishes."""
    with np.errstate(divide="ignore"):
        return np.log(p[p > 0]) - np.log(q[p > 0]), p[p > 0]


def average_damage(loss, chance, epsilon):
    return float(np.sum(chance * -np.expm1(np.minimum(0, epsilon - loss))))


@claim("thm-privacy-loss", average_damage,
       mutants={"the probability that the loss exceeds epsilon":
                    lambda loss, chance, epsilon: chance[loss > epsilon].sum(),
                "the loss averaged in the neighbour's world":
                    lambda loss, chance, epsilon: average_damage(loss, chance * np.exp(-loss), epsilon),
                "the positive part forgotten":
                    lambda loss, chance, epsilon: float(np.sum(chance * -np.expm1(epsilon - loss)))})
def test_best_event_against_average(delta):
    """Compare the average with the best event for random distributions, alone and in independent pairs.

    Some outputs can come from one world only: their loss is infinite.
    """
    rng, differences = np.random.default_rng(2), []
    for epsilon in (0, .1, 1, 3):
        for _ in range(50):
            (p, q), (r, s) = rng.dirichlet(np.full(8, .4), 2), rng.dirichlet(np.full(6, .4), 2)
            q = np.where(np.arange(8) == 3, 0, q) / (1 - q[3])
            (loss, chance), (more, other) = loss_of(p, q), loss_of(r, s)
            sums, chances = np.add.outer(loss, more), np.outer(chance, other)
            alone = np.maximum(p - math.exp(epsilon) * q, 0).sum()
            both = np.maximum(np.outer(p, r) - math.exp(epsilon) * np.outer(q, s), 0).sum()
            differences += [abs(delta(loss, chance, epsilon) - alone), abs(delta(sums, chances, epsilon) - both)]
            assert both <= chances[sums > epsilon].sum() + 1e-15
    assert max(differences) <= 1e-12
    return f"average and best event agree {to(max(differences))} over {len(differences)} pairs of distributions"


# --- the worst case is a coin ----------------------------------------------------------------------------------------

def simulation(p, q, epsilon, delta):
    """The four laws A, A', K_1, K_0 of the lemma, built as in its proof."""
    a, low, high = math.exp(epsilon), p, q
    if np.minimum(p, a * q).sum() < np.minimum(q, a * p).sum():
        low, high = q, p
    c_high = np.minimum(high, a * low) / np.minimum(high, a * low).sum()
    least, most = (1 - delta) * c_high / a, np.minimum(np.minimum(low, a * high), a * (1 - delta) * c_high)
    c_low = least + (1 - delta - least.sum()) / (most.sum() - least.sum()) * (most - least)
    c, c_neighbor = (c_low / (1 - delta), c_high) if low is p else (c_high, c_low / (1 - delta))
    away = [(law - (1 - delta) * part) / delta if delta else law for law, part in ((p, c), (q, c_neighbor))]
    return *away, (a * c - c_neighbor) / (a - 1), (a * c_neighbor - c) / (a - 1)


def not_rescaled(p, q, epsilon, delta):
    a = math.exp(epsilon)
    clipped = simulation(np.minimum(p, a * q), np.minimum(q, a * p), epsilon, 0)
    return *simulation(p, q, epsilon, delta)[:2], *clipped[2:]


@claim("lem-worst-case", simulation,
       mutants={"K is the distribution itself": lambda p, q, epsilon, delta: (p, q, p, q),
                "distributions clipped to the ratio and not rescaled": not_rescaled,
                "the worlds exchanged": lambda p, q, epsilon, delta: simulation(q, p, epsilon, delta)})
def test_rebuilt_from_a_coin(simulate):
    """Build the simulation of random private pairs, check that its parts are distributions, and rebuild both worlds
    from it.
    """
    rng, errors, smallest, pairs = np.random.default_rng(3), [], 0, 0
    for epsilon, delta in itertools.product((.1, 1, 4), (0, .01, .2)):
        truth = 1 / (1 + math.exp(-epsilon))
        for _ in range(30):
            p, q = random_pair(rng, epsilon, delta * rng.random(), outputs=6)
            parts = away, away_neighbor, one, zero = simulate(p, q, epsilon, delta)
            rebuilt = delta * away + (1 - delta) * (truth * one + (1 - truth) * zero)
            rebuilt_neighbor = delta * away_neighbor + (1 - delta) * ((1 - truth) * one + truth * zero)
            errors += [np.abs(rebuilt - p).max(), np.abs(rebuilt_neighbor - q).max()]
            errors += [abs(law.sum() - 1) for law in parts]
            smallest, pairs = min(smallest, *(law.min() for law in parts)), pairs + 1
    assert max(errors) <= 1e-9 and smallest >= -1e-9
    return f"{pairs} pairs: both worlds rebuilt {to(max(errors))}, from probabilities"


# --- the square root -------------------------------------------------------------------------------------------------

def coins_delta(kinds, at):
    """The exact delta of one or two kinds of coins, (epsilon, delta, size) each, from their numbers of lies."""
    loss, chance, stays = np.zeros(1), np.ones(1), 1
    for epsilon, delta, size in kinds:
        lies = np.arange(size + 1)
        loss = np.add.outer(loss, (size - 2 * lies) * epsilon).ravel()
        chance = np.outer(chance, binom.pmf(lies, size, 1 / (1 + math.exp(epsilon)))).ravel()
        stays *= (1 - delta) ** size
    return 1 - stays * (1 - average_damage(loss, chance, at))


def all_deltas(delta, size, slack):
    return 1 - (1 - slack) * np.prod((1 - delta) ** size)


def advanced_with(drift=lambda e: e * np.tanh(e / 2), spread=2., total=all_deltas):
    """The statement in code, or the sum where it is smaller, and with parts to be replaced by wrong ones."""
    def compose(*, epsilon, delta, count, slack):
        epsilon, delta, size = map(np.asarray, (epsilon, delta, count))
        root = math.sqrt(-spread * math.log(slack) * np.sum(size * epsilon**2))
        stated, added = float(np.sum(size * drift(epsilon)) + root), float(np.dot(size, epsilon))
        return (stated, float(total(delta, size, slack))) if stated < added else (added, float(total(delta, size, 0)))
    return compose


@claim("thm-advanced-composition", compose_advanced,
       mutants={"the drift forgotten": advanced_with(drift=lambda e: 0 * e),
                "the 2 under the root forgotten": advanced_with(spread=1),
                "logarithm to base ten": advanced_with(spread=2 / math.log(10)),
                "the steps' own deltas forgotten": advanced_with(total=lambda delta, size, slack: slack),
                "the older drift with its exponential": advanced_with(drift=lambda e: e * np.expm1(e))})
def test_against_exact_coins(compose):
    """Compute the exact delta of one and of two kinds of coins at the stated epsilon, and compare the constants."""
    shares = []
    for kinds in ([(.1, 0, 100)], [(.1, 0, 400)], [(1, 0, 50)], [(2., 0, 400)], [(.05, 1e-5, 200)],
                  [(.5, 1e-4, 10), (.03, 0, 300)]):
        epsilon, delta, size = map(list, zip(*kinds))
        for slack in (1e-2, 1e-6, 1e-10):
            total, total_delta = compose(epsilon=epsilon, delta=delta, count=size, slack=slack)
            stated, stated_delta = advanced_with()(epsilon=epsilon, delta=delta, count=size, slack=slack)
            assert total <= stated * (1 + 1e-12)
            assert total_delta <= stated_delta * (1 + 1e-9)
            exact = coins_delta(kinds, total)
            assert exact <= total_delta * (1 + 1e-9) + 1e-15
            if total_delta:                                         # where the sum is smaller, nothing is spent
                shares.append(exact / total_delta)
    return f"exact delta up to {max(shares):.3f} of the stated one over {len(shares)} games"


# --- the best possible -----------------------------------------------------------------------------------------------

def optimal_with(curve=None, at_grid=False, total=all_deltas):
    """`compose_optimal` with another curve delta(epsilon'), read only at the grid, or with another total delta."""
    def compose(*, epsilon, delta, count, slack):
        if curve is None:
            best, _ = compose_optimal(epsilon=epsilon, delta=0, count=count, slack=slack)
        else:
            at = np.linspace(0, count * epsilon, 20001)
            best = float(at[np.argmax(curve(epsilon, count, at[:, None]) <= slack)])
        if at_grid:
            best = count * epsilon - 2 * epsilon * math.floor((count * epsilon - best) / (2 * epsilon) + 1e-9)
        return best, total(delta, count, slack)
    return compose


def without_binomials(epsilon, size, at):
    lies = np.arange(size + 1)
    terms = np.maximum(np.exp((size - lies) * epsilon) - np.exp(at + lies * epsilon), 0)
    return terms.sum(axis=1) / (1 + math.exp(epsilon)) ** size


def tail_of_the_loss(epsilon, size, at):
    lies = np.arange(size + 1)
    chance = binom.pmf(lies, size, 1 / (1 + math.exp(epsilon)))
    return np.where((size - 2 * lies) * epsilon > at, chance, 0).sum(axis=1)


def curve_in_many_digits(epsilon, k, at):
    """delta_k(epsilon') as the theorem states it, in 50-digit arithmetic."""
    with mpmath.workdps(50):
        e, at = mpmath.mpf(epsilon), mpmath.mpf(at)
        terms = (mpmath.binomial(k, l) * max(mpmath.exp((k - l) * e) - mpmath.exp(at + l * e), 0) for l in range(k + 1))
        return float(mpmath.fsum(terms) / (1 + mpmath.exp(e)) ** k)


@claim("thm-optimal-composition", compose_optimal,
       mutants={"read only at the points of the grid": optimal_with(at_grid=True),
                "binomial coefficients forgotten": optimal_with(curve=without_binomials),
                "the tail of the loss in place of delta": optimal_with(curve=tail_of_the_loss),
                "the steps' own deltas forgotten": optimal_with(total=lambda delta, size, slack: slack),
                "advanced composition": compose_advanced})
def test_against_all_transcripts(compose):
    """Enumerate all transcripts of coins and of random adaptive games, at the points of the grid and between them.

    A thousand coins are added up in 50-digit arithmetic.
    """
    rng, misses, above = np.random.default_rng(4), [], []
    for epsilon, delta, size in itertools.product((.1, .8), (0, .03), (1, 3, 6)):
        at_grid = coins_delta([(epsilon, 0, size)], (size - 2) * epsilon) if size > 2 else .02
        for slack in (1e-4, .003, .05, at_grid):
            total, all_delta = compose(epsilon=epsilon, delta=delta, count=size, slack=slack)
            exact = float(hockey_stick(*coins_together([(epsilon, delta)] * size), epsilon=total))
            misses.append(abs(exact - all_delta) / max(all_delta, TINY) if total > 0 else exact - all_delta)
            for _ in range(10 if size < 6 else 0):
                game = adaptive_game(rng, [(epsilon, delta)] * size)
                above.append(float(hockey_stick(*game, epsilon=total)) - all_delta)
    total, _ = compose(epsilon=.01, delta=0, count=1000, slack=1e-6)
    misses.append(abs(curve_in_many_digits(.01, 1000, total) / 1e-6 - 1))
    assert max(misses) <= 1e-8 and max(above) <= 1e-12
    return f"coins meet delta {to(max(misses))}; {len(above)} adaptive games never exceed it"


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

def noisy_count(count, epsilon, top):
    """Two-sided geometric noise on a count, collected at 0 and at top: an exact finite law."""
    q, v = math.exp(-epsilon), np.arange(top + 1)
    law = (1 - q) / (1 + q) * q ** np.abs(v - count)
    law[0], law[top] = q**count / (1 + q), q ** (top - count) / (1 + q)
    return law


def own_coins(data, mechanism, rate):
    """The law of the mechanism's output when every record enters the sample by its own coin."""
    law = 0
    for kept in itertools.product((False, True), repeat=len(data)):
        chance = rate ** sum(kept) * (1 - rate) ** (len(data) - sum(kept))
        law = law + chance * mechanism([record for record, keep in zip(data, kept) if keep])
    return law


def fixed_size(data, mechanism, size):
    samples = list(itertools.combinations(data, size))
    return sum(mechanism(sample) for sample in samples) / len(samples)


@claim("thm-subsampling", amplify_by_subsampling,
       mutants={"q times epsilon": lambda *, epsilon, delta, rate: (rate * epsilon, rate * delta),
                "only a record that leaves":
                    lambda *, epsilon, delta, rate: (-math.log1p(rate * math.expm1(-epsilon)), rate * delta),
                "delta amplified twice":
                    lambda *, epsilon, delta, rate: (math.log1p(rate * math.expm1(epsilon)), rate**2 * delta)})
def test_every_sample(amplify):
    """Enumerate all samples of six records, by own coins under add/remove and of fixed size under replacement.

    Two mechanisms see them: a noisy count, and a coin that says whether record 7 is there, which meets epsilon.
    """
    others, above, met = [0, 1, 1, 0, 1], [], []
    for epsilon, delta, size in itertools.product((.1, 1, 3), (0, .02), (1, 2, 4)):
        rate = size / 6
        stated, stated_delta = amplify(epsilon=epsilon, delta=delta, rate=rate)
        member = lambda sample: coin(epsilon, delta)[0 if 7 in sample else 1]
        count = lambda sample: noisy_count(sum(sample), epsilon, top=8)
        for mechanism, record in ((member, 7), (count, 1)):
            pairs = [(own_coins([*others, record], mechanism, rate), own_coins(others, mechanism, rate)),
                     (fixed_size([*others, record], mechanism, size), fixed_size([*others, 0], mechanism, size))]
            above += [float(hockey_stick(p, q, epsilon=stated)) - stated_delta for p, q in pairs]
            if mechanism is member and delta == 0:
                met += [abs(float(max_log_ratio(p[1:3], q[1:3])) - stated) for p, q in pairs]
    assert max(above) <= 1e-12 and max(met) <= 1e-9
    return f"delta not exceeded in {len(above)} cases; the coin meets epsilon {to(max(met))}"


# --- blocks ----------------------------------------------------------------------------------------------------------

def blocks_cost(blocks, neighbor, sees, epsilons):
    """The statement: what mechanisms on disjoint blocks cost together, each seeing its block's "size" or "all" of it."""
    largest, second = sorted(epsilons)[:-3:-1]
    if (blocks, neighbor) != ("values", "replace"):
        return largest
    return largest + second if sees == "size" else 2 * largest


@claim("prop-parallel", blocks_cost,
       mutants={"the largest epsilon, whatever makes the blocks": lambda blocks, neighbor, sees, epsilons: max(epsilons),
                "always the sum": lambda blocks, neighbor, sees, epsilons: sum(epsilons),
                "the sum of the two largest, whatever a mechanism sees":
                    lambda blocks, neighbor, sees, epsilons: blocks_cost(blocks, neighbor, "size", epsilons)})
def test_blocks_by_position_and_by_value(cost):
    """Enumerate the outputs for all neighbours, the blocks made by position and by value.

    Three mechanisms see the sizes of their blocks; then two see the sizes of the two halves of theirs.
    """
    sizes = tables_and_laws(epsilons := (.5, 1, .8), per_block=1)
    halves = tables_and_laws(pair := (.7, .1), per_block=2)
    cases = [(sizes, "positions", "replace", "size", epsilons, (0, 0, 1)),         # a bit in one block is replaced
             (sizes, "values", "add_remove", "size", epsilons, (0, 0, 1)),         # a record appears in one block
             (sizes, "values", "replace", "size", epsilons, (-1, 0, 1)),           # a record moves to another block
             (halves, "values", "add_remove", "all", pair, (0, 0, 0, 1)),
             (halves, "values", "replace", "all", pair, (-1, 0, 0, 1))]            # also between two halves of a block
    errors, pairs = [], 0
    for laws, blocks, neighbor, sees, parameters, changes in cases:
        near = [(a, b) for a in laws for b in laws if sorted(np.subtract(b, a)) == sorted(changes)]
        ratios = [float(max_log_ratio(laws[a], laws[b])) for a, b in near]
        errors.append(abs(max(ratios) - cost(blocks, neighbor, sees, parameters)))
        pairs += len(near)
    assert max(errors) <= 1e-9
    return f"largest log-ratio as stated {to(max(errors))} over {pairs} pairs"


def tables_and_laws(epsilons, per_block):
    """{counts: law of the noisy counts} for all small tables; each block has `per_block` counts and one epsilon."""
    noise = [epsilon for epsilon in epsilons for _ in range(per_block)]
    laws = {}
    for counts in itertools.product(range(3), repeat=len(noise)):
        joint = np.ones(1)
        for count, epsilon in zip(counts, noise):
            joint = np.multiply.outer(joint, noisy_count(count, epsilon, top=3)).ravel()
        laws[counts] = joint
    return laws
