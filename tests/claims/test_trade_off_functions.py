"""The statements of the page on trade-off functions."""

import itertools
import math

import numpy as np
from scipy.special import expit, logsumexp, ndtri
from scipy.stats import binom, norm

from dplib.accounting import (PrivacyLoss, blackwell_map, central_limit, compose_optimal, gaussian_trade_off, promise_trade_off,
                              pure_zcdp, trade_off)
from dplib.audit import hockey_stick
from dplib.mechanisms import gaussian_delta
from tests.claims import claim, page_function, to
from tests.claims.coins import coin, coins_together, random_pair

PAGE = "trade-off-functions"
height, least_missed, coin_mu, needed_mu, sampled_curve, worlds_exchanged = (
    page_function(PAGE, name) for name in ("height", "least_missed", "coin_mu", "needed_mu", "sampled_curve", "worlds_exchanged"))


def random_laws(rng, outputs):
    """Two distributions; with some chance one of them cannot produce some outcome, so that losses are infinite."""
    laws = rng.dirichlet(np.full(outputs, .6), 2)
    for law in laws:
        if rng.random() < .4:
            law[rng.integers(outputs)] = 0
    return laws / laws.sum(axis=1, keepdims=True)


def corners(p, q):
    """The false alarms at which the curve of p against q bends, and its ends."""
    with np.errstate(divide="ignore"):
        order = np.argsort(-(p / np.maximum(q, 1e-300)))
    return np.clip(np.r_[0, np.cumsum(q[order])], 0, 1)


# --- both ways -------------------------------------------------------------------------------------------------------

def on_a_grid(points=None):
    """`trade_off`, or the same interpolated between equidistant points."""
    def curve(v, *, p, p_neighbor):
        if points is None:
            return trade_off(v, p=p, p_neighbor=p_neighbor)
        at = np.linspace(0, 1, points)
        return np.interp(v, at, trade_off(at, p=p, p_neighbor=p_neighbor))
    return curve


def other_order(v, *, p, p_neighbor):
    return trade_off(v, p=p_neighbor, p_neighbor=p)


@claim("thm-two-ways", trade_off, height, least_missed,
       mutants={"slope e^-ε": (trade_off, lambda v, missed, slope: height(v, missed, 1 / slope), least_missed),
                "the worlds exchanged": (other_order, height, least_missed),
                "between points of a grid of 400": (on_a_grid(401), height, least_missed),
                "only slopes above 1 on the way back":
                    (trade_off, height, lambda v, slopes, heights: least_missed(v, slopes, np.where(slopes >= 1, heights, 1)))})
def test_curve_and_hockey_stick(curve, height, least):
    """Compare the curves of random pairs of distributions with the largest difference over all events, at 50 slopes, and rebuild
    the curves from these differences. Some losses are infinite.
    """
    rng, there, back = np.random.default_rng(1), 0, 0
    for _ in range(200):
        p, q = random_laws(rng, rng.integers(2, 7))
        at = corners(p, q)
        missed = curve(at, p=p, p_neighbor=q)
        for slope in np.geomspace(.02, 50, 50):
            there = max(there, abs(height(at, missed, slope) - np.maximum(p - slope * q, 0).sum()))
        slopes = np.r_[0, (p / np.maximum(q, 1e-300))[q > 0]]
        heights = np.maximum(p - np.multiply.outer(slopes, q), 0).sum(axis=1)
        v = np.r_[at, rng.random(50)]
        back = max(back, np.abs(least(v, slopes, heights) - curve(v, p=p, p_neighbor=q)).max())
    assert there <= 1e-12 and back <= 1e-12
    return f"200 pairs: δ from the curve agrees {to(there)}, the curve from δ {to(back)}"


def promise(epsilon_at=lambda epsilon: epsilon, symmetric=True):
    """The curve of an (ε, δ)-private mechanism, with room for mistakes."""
    def curve(v, *, epsilon, delta):
        e = epsilon_at(epsilon)
        other = math.exp(-e) * (1 - delta - v) if symmetric else 0
        return np.maximum(np.maximum(1 - delta - math.exp(e) * v, other), 0)
    return curve


@claim("thm-two-ways", promise_trade_off, gaussian_trade_off,
       mutants={"ε halved": (promise(lambda epsilon: epsilon / 2), gaussian_trade_off),
                "one order only": (promise(symmetric=False), gaussian_trade_off),
                "half of μ": (promise_trade_off, lambda v, *, mu: gaussian_trade_off(v, mu=mu / 2))})
def test_two_known_curves(promise, gauss):
    """Compare the curve of (ε, δ) with that of the worst mechanism, and the δ of the Gaussian curve with the formula."""
    v, worst, normal = np.linspace(0, 1, 1001), 0, 0
    for epsilon, delta in itertools.product((0, .1, 1, 4), (0, 1e-3, .2)):
        p, q = coin(epsilon, delta)
        worst = max(worst, np.abs(promise(v, epsilon=epsilon, delta=delta) - trade_off(v, p=p, p_neighbor=q)).max())
    for mu, epsilon in itertools.product((.2, 1, 3), (0, .5, 2)):
        best = norm.sf(epsilon / mu + mu / 2)                     # the false alarms of the best event
        near = np.r_[best, np.clip(best + np.linspace(-.1, .1, 201), 0, 1)]
        found = height(near, gauss(near, mu=mu), math.exp(epsilon))
        normal = max(normal, abs(found - gaussian_delta(epsilon=epsilon, sigma=1, sensitivity=mu)))
    assert worst <= 1e-12 and normal <= 1e-12
    return f"the curve of (ε, δ) agrees {to(worst)}, the δ of the Gaussian curve {to(normal)}"


# --- Blackwell -------------------------------------------------------------------------------------------------------

def by_hand(coins=True, ratio=True, infinite_first=True, line=lambda v, c, dv, dc: c * dv - v * dc):
    """The proof once more, outcome by outcome, with room for mistakes; None is not returned."""
    def angle(p, q):
        with np.errstate(divide="ignore", invalid="ignore"):
            key = -(p / q) if ratio else -p
        return np.where((q == 0) & (p > 0), -np.inf if infinite_first else np.inf, np.where(p + q > 0, key, 0))

    def make(*, p, p_neighbor, q, q_neighbor):
        parts = [np.eye(len(q))[i] for i in np.argsort(angle(q, q_neighbor), kind="stable")]
        aims = np.argsort(angle(p, p_neighbor), kind="stable")
        v = c = 0.
        for aim in aims:
            dv, dc = p_neighbor[aim], p[aim]
            ends = np.cumsum([[0, 0], *([part @ q_neighbor, part @ q] for part in parts)], axis=0)
            above = [line(x - v, y - c, dv, dc) for x, y in ends]
            new, merged = [], np.zeros(len(q))
            for part, before, after in zip(parts, above, above[1:]):
                tiny = 1e-15 * (dv + dc)
                share = max(before, 0) / (max(before, 0) - min(after, 0)) if before > tiny and after < 0 else 0
                entry = max(after, 0) / (max(after, 0) - min(before, 0)) if after > tiny and before < 0 else 0
                inside = 1. if before > tiny and after > tiny else max(share, entry)
                if before <= tiny < after and before >= 0 or after <= tiny < before and after >= 0:
                    inside = 1.
                if not coins:
                    inside = round(inside)
                if entry or (inside == 1. and not share):
                    new += [(1 - inside) * part] if inside < 1 else []
                    merged = merged + inside * part
                elif share:
                    new += [merged + inside * part, (1 - inside) * part]
                    merged = np.zeros(len(q))
                else:
                    new += [merged] if merged.any() else []
                    merged = np.zeros(len(q))
                    new.append(part)
            parts = new + ([merged] if merged.any() else [])
            v, c = v + dv, c + dc
        aim_ends = np.cumsum(np.r_[0, (p + p_neighbor)[aims]])
        ends = np.cumsum([0, *(part @ (q + q_neighbor) for part in parts)])
        made = np.zeros((len(p), len(q)))
        for part, start, end in zip(parts, ends, ends[1:]):
            for aim, low, high in zip(aims, aim_ends, aim_ends[1:]):
                made[aim] += part * (max(0, min(end, high) - max(start, low)) / (end - start) if end > start else aim == aims[0])
        return made
    return make


@claim("thm-blackwell", blackwell_map,
       mutants={"no coin at the outcome that crosses": by_hand(coins=False),
                "outcomes sorted by P": by_hand(ratio=False),
                "an infinite ratio put last": by_hand(infinite_first=False),
                "false alarms and caught exchanged in the line": by_hand(line=lambda v, c, dv, dc: c * dc - v * dv)})
def test_random_maps(make):
    """Spoil 400 random pairs by random channels, some with infinite losses, and make each spoilt pair from the first one by the
    code's own map.
    """
    rng, error, smallest = np.random.default_rng(2), 0, 0
    for _ in range(400):
        q, q_neighbor = random_laws(rng, rng.integers(2, 7))
        channel = rng.dirichlet(np.full(rng.integers(2, 7), rng.choice([.2, 1])), len(q)).T
        p, p_neighbor = channel @ q, channel @ q_neighbor
        made = make(p=p, p_neighbor=p_neighbor, q=q, q_neighbor=q_neighbor)
        error = max(error, *(np.abs(one).max() for one in (made @ q - p, made @ q_neighbor - p_neighbor, made.sum(axis=0) - 1)))
        smallest = min(smallest, made.min())
    assert error <= 1e-9 and smallest >= -1e-9
    return f"400 pairs: both distributions made {to(error)}, by probabilities"


def swapped(**pairs):
    return blackwell_map(p=pairs["q"], p_neighbor=pairs["q_neighbor"], q=pairs["p"], q_neighbor=pairs["p_neighbor"])


@claim("thm-blackwell", blackwell_map,
       mutants={"the pairs exchanged": swapped,
                "total variation compared": lambda **pairs: None if np.abs(pairs["p"] - pairs["p_neighbor"]).sum() >
                    np.abs(pairs["q"] - pairs["q_neighbor"]).sum() + 1e-12 else 1,
                "never a map": lambda **pairs: None})
def test_a_map_where_the_curves_do_not_cross(make):
    """For 600 random pairs of pairs, compare whether there is a map with the exact curves at all bends."""
    rng, maps, none = np.random.default_rng(3), 0, 0
    while min(maps, none) < 150:
        q, q_neighbor = random_laws(rng, rng.integers(2, 6))
        p, p_neighbor = random_laws(rng, rng.integers(2, 6))
        p = .3 * p + .7 * p_neighbor
        at = np.r_[corners(p, p_neighbor), corners(q, q_neighbor)]
        higher = (trade_off(at, p=p, p_neighbor=p_neighbor) - trade_off(at, p=q, p_neighbor=q_neighbor)).min()
        if abs(higher) < 1e-9 and higher < 0:
            continue
        there_is = make(p=p, p_neighbor=p_neighbor, q=q, q_neighbor=q_neighbor) is not None
        assert there_is == (higher >= 0)
        maps, none = maps + there_is, none + (not there_is)
    return f"{maps} pairs with a map, {none} without, as the curves say"


# --- curves multiply -------------------------------------------------------------------------------------------------

def losses(second=lambda p, q: (p, q), infinite=None):
    """`PrivacyLoss`, with room for mistakes in the second step and in the mass at infinity."""
    class Product:
        @staticmethod
        def both(one, other, step):
            first = PrivacyLoss.from_pair(p=one[0], p_neighbor=one[1], step=step)
            p, q = second(*other)
            then = PrivacyLoss.from_pair(p=p, p_neighbor=q, step=step)
            loss = first.compose(then)
            if infinite is None:
                return loss
            return PrivacyLoss(loss.step, loss.lowest, loss.mass, infinite(first.infinite, then.infinite))
    return Product.both


def averaged(one, other, step):
    class Mean:
        @staticmethod
        def trade_off(v):
            return (trade_off(v, p=one[0], p_neighbor=one[1]) + trade_off(v, p=other[0], p_neighbor=other[1])) / 2
    return Mean


@claim("thm-curves-compose", losses(),
       mutants={"the worlds of the second step exchanged": losses(second=lambda p, q: (q, p)),
                "infinite masses added": losses(infinite=lambda a, b: a + b),
                "the larger infinite mass alone": losses(infinite=max),
                "the average of the curves": averaged})
def test_products_of_pairs(both):
    """Enumerate the outcomes of two independent pairs of distributions, some with infinite losses, and compare their exact curve with
    the product on a grid of step 0.001, which may be lower by this step, and never higher.
    """
    rng, over, under = np.random.default_rng(4), 0, 0
    for _ in range(60):
        one, other = random_laws(rng, 4), random_laws(rng, 4)
        p, q = (np.outer(a, b).ravel() for a, b in zip(one, other))
        v = np.r_[corners(p, q), np.linspace(0, 1, 101)]
        gap = trade_off(v, p=p, p_neighbor=q) - both(one, other, 1e-3).trade_off(v)
        over, under = max(over, -gap.min()), max(under, gap.max())
    assert over <= 1e-12 and under <= 1e-3
    return f"60 products: never above the exact curve, at most {under:.1e} below it"


@claim("thm-curves-compose", trade_off, lambda mu, nu: math.hypot(mu, nu),
       mutants={"μ and ν added": (trade_off, lambda mu, nu: mu + nu),
                "the larger of μ and ν": (trade_off, max),
                "the curve of one step": (lambda v, *, p, p_neighbor: trade_off(v, p=[.5, .5], p_neighbor=[.5, .5]),
                                          math.hypot)})
def test_adaptive_games_and_normal_answers(curve, together):
    """Play 200 random adaptive games of two steps, in which each step is a random map of a pair that the history chooses, and compare
    the curves of all outputs with the product. Two normal answers are integrated on a fine grid.
    """
    rng, below, v = np.random.default_rng(5), 0, np.linspace(0, 1, 201)
    for _ in range(200):
        one, other = random_laws(rng, 3), random_laws(rng, 3)
        first = rng.dirichlet(np.ones(3), 3)
        start = [law @ first for law in one]
        later = [rng.dirichlet(np.ones(3), 3) for _ in range(3)]
        p, q = (np.concatenate([mass * (law @ channel) for mass, channel in zip(begun, later)]) for begun, law in zip(start, other))
        product = curve(v, p=np.outer(one[0], other[0]).ravel(), p_neighbor=np.outer(one[1], other[1]).ravel())
        below = max(below, (product - trade_off(v, p=p, p_neighbor=q)).max())
    error, cells = 0, norm.cdf(np.r_[-np.inf, np.linspace(-7, 8, 400), np.inf])
    for mu, nu in ((1., 1.), (.3, 2.)):
        shifted = [np.diff(norm.cdf(norm.ppf(cells) - shift)) for shift in (mu, nu)]
        p, q = np.outer(*shifted).ravel(), np.outer(np.diff(cells), np.diff(cells)).ravel()
        error = max(error, np.abs(trade_off(v, p=p / p.sum(), p_neighbor=q) - gaussian_trade_off(v, mu=together(mu, nu))).max())
    assert below <= 1e-12 and error <= 1e-3
    return f"200 games never below the product; the product of two Gaussian curves agrees {to(error)}"


def with_list(epsilon=lambda e: e, delta=lambda d, slack: 1 - (1 - slack) * np.prod(1 - d)):
    """`compose_optimal` by enumeration of all signs, with room for mistakes."""
    def compose(*, count, epsilon, delta, slack, change=epsilon, total=delta):
        each = np.repeat(change(np.asarray(epsilon, dtype=float)), count)
        loss, chance = np.zeros(1), np.ones(1)
        for e in each:
            loss = np.concatenate([loss + e, loss - e])
            chance = np.concatenate([chance * expit(e), chance * expit(-e)])
        low, high = 0., loss.max()
        for _ in range(60):
            middle = (low + high) / 2
            enough = np.sum(chance * -np.expm1(np.minimum(0, middle - loss))) <= slack
            low, high = (low, middle) if enough else (middle, high)
        deltas = np.repeat(np.broadcast_to(delta, np.shape(epsilon)), count)
        return high, total(deltas, slack)
    return compose


@claim("cor-different-coins", compose_optimal,
       mutants={"the mean ε for all": with_list(lambda e: np.full_like(e, e.mean())),
                "the root of the mean square for all": with_list(lambda e: np.full_like(e, np.sqrt(np.mean(e**2)))),
                "the largest ε for all": with_list(lambda e: np.full_like(e, e.max())),
                "the δ of the steps added": with_list(delta=lambda d, slack: d.sum() + slack)})
def test_coins_of_all_kinds(compose):
    """Put the total into the exact curve of up to six coins with different parameters, whose transcripts are enumerated: the stated δ,
    and no smaller ε.
    """
    rng, error = np.random.default_rng(6), 0
    for count, slack in itertools.product(([1, 1], [2, 1, 3], [1, 1, 1, 1, 1, 1]), (1e-6, 1e-3, .1)):
        kinds = len(count)
        epsilon, delta = rng.uniform(.1, 1.5, kinds), rng.choice([0, .01, .05], kinds)
        total, spent = compose(count=count, epsilon=epsilon, delta=delta, slack=slack)
        p, q = coins_together([step for step, c in zip(zip(epsilon, delta), count) for _ in range(c)])
        exact = float(hockey_stick(p, q, epsilon=total))
        error = max(error, abs(exact - spent))
        assert total == 0 or hockey_stick(p, q, epsilon=total - 1e-6) > exact
    assert error <= 1e-12
    return f"the least δ of the coins agrees {to(error)} with the stated one"


# --- the dictionary --------------------------------------------------------------------------------------------------

@claim("prop-pure-to-mu", coin_mu,
       mutants={"μ = ε": lambda epsilon: epsilon,
                "half of it": lambda epsilon: coin_mu(epsilon) / 2,
                "the root of 2ρ, with the ρ of the coin": lambda epsilon: math.sqrt(2 * epsilon * math.tanh(epsilon / 2)),
                "a thousandth too large": lambda epsilon: 1.001 * coin_mu(epsilon)})
def test_bell_below_the_coin(mu):
    """Compare the two curves at 10,001 points and at the bend of the coin's curve, where they meet."""
    v, above, meet = np.linspace(0, 1, 10_001), -1, 0
    for epsilon in (.01, .1, 1, 3, 8):
        bend = expit(-epsilon)
        above = max(above, (gaussian_trade_off(v, mu=mu(epsilon)) - promise_trade_off(v, epsilon=epsilon, delta=0)).max())
        meet = max(meet, abs(gaussian_trade_off(bend, mu=mu(epsilon)) / bend - 1))
    assert above <= 1e-12 and meet <= 1e-9
    return f"nowhere above the coin's curve; they meet {to(meet)}"


def renyi(p, q, order):
    return float(logsumexp(order * np.log(p) + (1 - order) * np.log(q)) / (order - 1))


@claim("prop-dictionary", pure_zcdp,
       mutants={"ε tanh(ε)/2": lambda *, epsilon: epsilon * np.tanh(epsilon) / 2,
                "ε²/2": lambda *, epsilon: epsilon**2 / 2,
                "tanh(ε/2)": lambda *, epsilon: np.tanh(epsilon / 2),
                "ε²/8, of a loss of bounded range": lambda *, epsilon: epsilon**2 / 8})
def test_rho_of_the_coin(rho):
    """Compute Rényi divergences of coins and of random private pairs at 80 orders; near order 1 the coin attains ρ."""
    rng, shares, met = np.random.default_rng(7), [], 0
    for epsilon in (.01, .1, .5, 1, 2, 5, 12):
        stated = float(rho(epsilon=epsilon))
        p, q = (law[1:3] for law in coin(epsilon))
        shares += [renyi(p, q, order) / order / stated for order in 1 + np.geomspace(1e-4, 1e4, 60)]
        for _ in range(20):
            laws = random_pair(rng, epsilon, 0)
            shares += [renyi(*(law[laws[0] > 0] for law in laws), order) / order / stated for order in (1.01, 2, 30)]
        met = max(met, abs(renyi(p, q, 1 + 1e-6) / stated - 1))
    assert max(shares) <= 1 + 1e-9 and met <= 1e-4
    return f"divergence over order at most {max(shares):.6f} of ρ in {len(shares)} cases, which the coin attains {to(met)}"


@claim("prop-dictionary", lambda mu: mu**2 / 2, needed_mu,
       mutants={"μ²/4": (lambda mu: mu**2 / 4, needed_mu),
                "the root of 2ρ": (lambda mu: mu**2 / 2, lambda rho: math.sqrt(2 * rho)),
                "ε²/2 in place of the exact ρ": (lambda mu: mu**2 / 2, lambda rho: coin_mu(math.sqrt(2 * rho)))})
def test_there_and_not_back(rho_of, needed):
    """Compute Rényi divergences of pairs made from two bell curves by random channels; and, the other way, the μ that a coin with this
    ρ needs, by the share that its best test misses.
    """
    rng, shares, cells = np.random.default_rng(8), [], np.r_[-np.inf, np.linspace(-3, 4, 60), np.inf]
    for mu in (.3, 1, 2.5):
        p, q = np.diff(norm.cdf(cells - mu)), np.diff(norm.cdf(cells))
        channels = [np.eye(61), *(rng.dirichlet(np.full(4, .3), 61) for _ in range(10))]
        shares += [renyi(p @ c, q @ c, order) / order / rho_of(mu) for c in channels for order in (1.01, 1.5, 3)]
    errors = []
    for rho in (.005, .125, .5, 2, 8):
        low, high = 0., 50.
        for _ in range(100):                                      # ε of the coin
            middle = (low + high) / 2
            low, high = (middle, high) if middle * math.tanh(middle / 2) < rho else (low, middle)
        bend = expit(-low)
        missed = float(trade_off(bend, p=[1 - bend, bend], p_neighbor=[bend, 1 - bend]))
        errors.append(abs(needed(rho) / (-ndtri(missed) - ndtri(bend)) - 1))
    assert max(shares) <= 1 + 1e-9 and max(shares) > .97 and max(errors) <= 1e-9
    return f"divergence over order at most {max(shares):.4f} of μ²/2; the least μ agrees {to(max(errors))}"


# --- the limit -------------------------------------------------------------------------------------------------------

def limit(slope=2., raw=False, power=1.5, steps=True, constant=.56):
    """`central_limit`, with room for mistakes."""
    def find(*, count, mean, variance, third):
        count, mean, variance, third = np.broadcast_arrays(count, mean, variance, third)
        spread = np.sum(count * (variance + mean**2 if raw else variance))
        gap = constant * np.sum(count * third) / spread**power if steps else constant * np.max(third / variance**1.5)
        return float(slope * np.sum(count * mean) / math.sqrt(spread)), float(gap)
    return find


def moments(epsilon):
    """Of the loss of the coin, by enumeration."""
    loss, chance = np.array([epsilon, -epsilon]), expit([epsilon, -epsilon])
    mean = chance @ loss
    return dict(mean=mean, variance=chance @ (loss - mean)**2, third=chance @ np.abs(loss - mean)**3)


@claim("thm-clt", central_limit,
       mutants={"μ = m/s": limit(slope=1.), "the second moment for the variance": limit(raw=True),
                "γ without the deviation": limit(power=0.), "γ of one step": limit(steps=False),
                "a γ 200 times smaller": limit(constant=.56 / 200)})
def test_binomial_curves_in_the_band(find):
    """Compute the exact curves of 10 to 1,000 coins at 20,001 points: they are in the band, and δ is at most what the theorem says.
    μ is 2√k sinh(ε/2), and a band 200 times narrower is left.
    """
    v, error, narrow = np.linspace(0, 1, 20_001), 0, []
    for count, epsilon in ((10, .3), (100, .1), (1000, .1), (40, .3)):
        mu, gap = find(count=count, **moments(epsilon))
        error = max(error, abs(mu / (2 * math.sqrt(count) * math.sinh(epsilon / 2)) - 1))
        lies = np.arange(count + 1)
        p, q = binom.pmf(lies, count, expit(-epsilon)), binom.pmf(lies, count, expit(epsilon))
        exact = trade_off(v, p=p / p.sum(), p_neighbor=q / q.sum())

        def bell(at):
            return np.where(at < 0, 1, np.where(at > 1, 0, gaussian_trade_off(np.clip(at, 0, 1), mu=mu)))
        assert (bell(v + gap) - gap <= exact + 1e-12).all() and (exact <= bell(v - gap) + gap + 1e-12).all()
        for at in (.5, 1, 3):
            delta = np.maximum(p - math.exp(at) * q, 0).sum()
            assert delta <= gaussian_delta(epsilon=at, sigma=1, sensitivity=mu) + gap * (1 + math.exp(at))
        low, high = 0., gap                                       # the least band, by bisection
        for _ in range(30):
            middle = (low + high) / 2
            inside = (bell(v + middle) - middle <= exact + 1e-12).all() and (exact <= bell(v - middle) + middle + 1e-12).all()
            low, high = (low, middle) if inside else (middle, high)
        narrow.append(gap / high)
    assert error <= 1e-9 and max(narrow) < 200 and gap < .2
    return f"four curves in the band; γ is {min(narrow):.0f} to {max(narrow):.0f} times what they need"


# --- a secret sample -------------------------------------------------------------------------------------------------

@claim("thm-subsampling-curve", sampled_curve, worlds_exchanged,
       mutants={"the rates exchanged": (lambda missed, v, rate: sampled_curve(missed, v, 1 - rate), worlds_exchanged),
                "1 - f for 1 - v": (lambda missed, v, rate: rate * missed + (1 - rate) * missed, worlds_exchanged),
                "f for 1 - v and back": (lambda missed, v, rate: rate * (1 - v) + (1 - rate) * missed, worlds_exchanged),
                "the mirror forgotten": (sampled_curve, lambda v, missed: (v, missed))})
def test_every_secret_sample(curve, mirror):
    """Enumerate all samples of up to two other records for random mechanisms with four outcomes, at all bends and in both orders. Where
    all samples give one pair, the curves are equal.
    """
    rng, below, unequal = np.random.default_rng(9), -1, 0
    for others, rate, tight in itertools.product((1, 2), (.1, .5, .9), (False, True) * 10):
        pair, without, with_it = random_laws(rng, 4), 0, 0
        for kept in itertools.product((0, 1), repeat=others):
            chance = math.prod(rate if keep else 1 - rate for keep in kept)
            channel = np.eye(4) if tight else rng.dirichlet(np.full(4, .3), 4)
            absent, present = pair[1] @ channel, pair[0] @ channel
            without, with_it = without + chance * absent, with_it + chance * ((1 - rate) * absent + rate * present)
        v = np.unique(np.r_[corners(*pair), rng.random(20)])
        stated = curve(trade_off(v, p=pair[0], p_neighbor=pair[1]), v, rate)
        accused, missed = mirror(v, stated)
        gaps = np.r_[stated - trade_off(v, p=with_it, p_neighbor=without),
                     missed - trade_off(np.clip(accused, 0, 1), p=without, p_neighbor=with_it)]
        below = max(below, gaps.max())
        unequal = max(unequal, np.abs(gaps[:v.size]).max()) if tight else unequal
    assert below <= 1e-12 and unequal <= 1e-12
    return f"120 mechanisms: never below; equal {to(unequal)} where all samples give one pair"
