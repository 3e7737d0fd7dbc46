"""The statements of the page on audits."""

import functools
import math

import numpy as np
from scipy.special import betaincinv, gammainc, gammaincinv
from scipy.stats import binom

from dplib.audit import epsilon_lower_bound
from tests.chance import FAR, standard_errors
from tests.claims import claim, page_function, to

size_power = page_function("auditing", "size_power")

# --- what a count proves --------------------------------------------------------------------------------------------


def bound(hits, hits_neighbor, *, trials, delta, beta, halved=True, both=True, charged=True, exact=True):
    """The bound by counting, with room for mistakes."""
    level = beta / 2 if halved else beta

    def limit(k):
        if not exact:  # as if frequencies were normal
            return np.clip(k / trials - 2.576 * np.sqrt(k / trials * (1 - k / trials) / trials), 0, 1 - 1e-9)
        return np.where(k == 0, 0, betaincinv(np.maximum(k, 1), trials - k + 1, level))

    hits, hits_neighbor = np.asarray(hits), np.asarray(hits_neighbor)
    p, r, delta = limit(hits), limit(trials - hits_neighbor), delta if charged else 0
    with np.errstate(divide="ignore"):
        event, complement = np.log(np.maximum(p - delta, 0)) - np.log(1 - r), np.log(np.maximum(r - delta, 0)) - np.log(1 - p)
    return np.maximum(0, np.maximum(event, complement) if both else event)


def limits_by_search(n, level):
    """For k = 0, …, n the probability of one event for which k or more of n have the probability ``level``, by halving."""
    k = np.arange(n + 1)
    low, high = np.zeros(n + 1), np.where(k == 0, 0.0, 1.0)
    for _ in range(60):
        middle = (low + high) / 2
        below = binom.sf(k - 1, n, middle) < level
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return high


def on_the_edge(epsilon, delta, g):
    """The likeliest that an event may be on x if it has the probability g on x'."""
    return min(math.exp(epsilon) * g + delta, 1 - (1 - delta - g) / math.exp(epsilon), 1)


@claim("thm-audit-bound", epsilon_lower_bound,
       mutants={"β not halved": functools.partial(bound, halved=False),
                "one order of the data sets only": functools.partial(bound, both=False),
                "δ not subtracted": functools.partial(bound, charged=False), "normal limits": functools.partial(bound, exact=False)})
def test_how_often_a_bound_is_wrong(bound):
    """For 120 worst events of private programs and all pairs of counts of 40 and of 150 runs, add up the probability
    that the bound exceeds ε: it is at most β. The bound itself is computed again from binomial tails, by halving.
    """
    worst, off = 0, 0
    for n, beta, delta in ((40, 0.2, 0.0), (40, 0.05, 0.02), (150, 0.05, 0.0), (150, 0.2, 0.05)):
        counts = np.arange(n + 1)
        bounds = bound(counts[:, None], counts, trials=n, delta=delta, beta=beta)
        for epsilon in (0.0, 0.5, 2.0):
            for g in (0, 0.001, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 0.999):
                h = on_the_edge(epsilon, delta, g)
                wrong = binom.pmf(counts, n, h) @ (bounds > epsilon + 1e-9) @ binom.pmf(counts, n, g)
                worst = max(worst, wrong / beta)
                assert wrong <= beta, (n, beta, delta, epsilon, g)
        limits = limits_by_search(n, beta / 2)
        p, r = limits[:, None], limits[::-1]
        with np.errstate(divide="ignore"):
            stated = np.maximum(0, np.log(np.maximum(np.maximum(p - delta, 0) / (1 - r), np.maximum(r - delta, 0) / (1 - p))))
        off = max(off, np.abs(bounds - stated).max())
    assert off < 1e-9
    return f"a bound is wrong with at most {worst:.2f} of the probability β; it equals the stated one {to(off)}"


# --- the ceiling ----------------------------------------------------------------------------------------------------


@claim("prop-audit-ceiling", epsilon_lower_bound,
       mutants={"β not halved": functools.partial(bound, halved=False), "δ not subtracted": functools.partial(bound, charged=False)})
def test_no_counts_lead_higher(bound):
    """Compute the bound for all pairs of counts of 1 to 60 runs, and compare the largest with both formulas; then the
    same for 10⁵ and 10⁹ runs that all tell.
    """
    closest = 0
    for beta, delta in ((0.01, 0), (0.3, 0), (0.05, 0.1), (1e-6, 1e-3)):
        for n in (*range(1, 61), 10**5, 10**9):
            counts = np.arange(n + 1) if n <= 60 else np.array([0, n])
            bounds, L = bound(counts[:, None], counts, trials=n, delta=delta, beta=beta), (beta / 2) ** (1 / n)
            stated = math.log(max((L - delta) / (1 - L), 1))
            assert bounds.max() == bounds[-1, 0] and abs(bounds.max() - stated) <= 1e-7 * max(1, stated)
            if n >= math.log(2 / beta):
                simple = math.log(n / math.log(2 / beta))
                assert bounds.max() <= simple + 1e-7
                closest = max(closest, bounds.max() / simple if simple > 1 else 0)
    return f"the largest bound is that of all hits and none, and up to {closest:.4f} of the simple formula"


# --- the size of the noise ------------------------------------------------------------------------------------------


def power_by_size(n, factor, alpha, power, squared=True, one_sided=True, halved=True):
    """The power of the test, with room for mistakes."""
    shape = n / power if halved else n
    return gammainc(shape, gammaincinv(shape, alpha if one_sided else alpha / 2) / (factor**power if squared else factor))


def counting_power(n, chance, chance_small, alpha):
    """The power of the best test that counts how often the noise is small, with a coin where the level asks for one."""
    counts = np.arange(n + 1)
    at_least, exactly = binom.sf(counts - 1, n, chance), binom.pmf(counts, n, chance)
    k = int(np.argmax(at_least <= alpha)) if (at_least <= alpha).any() else n + 1
    coin = (alpha - (at_least[k] if k <= n else 0)) / exactly[k - 1]
    return (binom.sf(k - 1, n, chance_small) if k <= n else 0) + coin * binom.pmf(k - 1, n, chance_small)


@claim("prop-noise-size", size_power,
       mutants={"the level of a test with two sides": functools.partial(power_by_size, one_sided=False),
                "the factor not squared for squares": functools.partial(power_by_size, squared=False),
                "squares with one degree of freedom too many each": functools.partial(power_by_size, halved=False)})
def test_power_of_the_size(size_power):
    """Draw 100 000 samples of 4 and of 30 numbers of either kind of noise, and count how often they are found too small:
    the stated probability, up to 6.5 standard errors; 1% too much noise is accused less often than the right size. Against
    every test that counts how often the noise is below a limit, at the same level, the size notices more.
    """
    rng, worst, margins, runs = np.random.default_rng(1), 0, [], 100_000
    for power, n, alpha in ((1, 4, 0.05), (1, 30, 0.01), (2, 4, 0.05), (2, 30, 0.01)):
        noise = np.abs(rng.laplace(size=(runs, n)) if power == 1 else rng.normal(size=(runs, n)))
        size = (noise**power).sum(axis=1) / power
        limit = gammaincinv(n / power, alpha)
        for factor in (1.0, 0.9, 0.6):
            stated = size_power(n, factor, alpha, power)
            worst = max(worst, abs(standard_errors((factor**power * size < limit).sum(), runs, stated)))
            assert worst < FAR
        assert size_power(n, 1.01, alpha, power) < alpha == round(size_power(n, 1.0, alpha, power), 9)
        below = (lambda t: -np.expm1(-t)) if power == 1 else (lambda t: gammainc(0.5, t * t / 2))
        for factor in (0.9, 0.6):
            counted = max(counting_power(n, below(t), below(t / factor), alpha) for t in np.linspace(0.05, 4, 80))
            margins.append(size_power(n, factor, alpha, power) - counted)
            assert margins[-1] > 0
    return f"eight powers and four levels within {worst:.1f} standard errors; the best count notices up to {max(margins):.2f} less"
