"""mechanisms: laws, calibration and edges. Statistical checks: fixed seeds, false-alarm probability 1e-6 each."""

from fractions import Fraction
from itertools import permutations
from math import prod

import mpmath
import numpy as np
import pytest
from scipy.special import chdtri, ndtr
from scipy.stats import ncx2

from dplib import _samplers, mechanisms
from dplib.audit import hockey_stick, max_log_ratio, noise_distribution_test
from dplib.mechanisms import (
    discrete_gaussian,
    discrete_gaussian_sigma,
    discrete_laplace,
    exponential,
    exponential_probabilities,
    gaussian,
    gaussian_delta,
    gaussian_sigma,
    laplace,
    laplace_max_quantile,
    permute_and_flip,
    randomized_response,
    report_noisy_max,
)
from tests.chance import ALARM, chi_square, laplace_cdf, rng


def chi_square_power(n, probabilities, others):
    """How likely Pearson's test at level ALARM is to reject n draws from ``others``."""
    freedom = probabilities.size - 1
    return ncx2.sf(chdtri(freedom, ALARM), freedom, n * np.sum((others - probabilities) ** 2 / probabilities))


def integer_counts(sample, furthest):
    """How often each of -furthest, …, furthest occurs; the ends stand for everything beyond."""
    return np.bincount(np.clip(sample, -furthest, furthest) + furthest, minlength=2 * furthest + 1)


def geometric_law(rate, furthest):
    """The two-sided geometric law on the same cells."""
    q, m = np.exp(-rate), np.abs(np.arange(-furthest, furthest + 1))
    law = (1 - q) / (1 + q) * q**m
    law[[0, -1]] = q**furthest / (1 + q)
    return law


# ---------------------------------------------------------------------------------------------------------- real noise


def test_laplace_law_and_power():
    noise = laplace(np.full(200_000, 7.0), sensitivity=3, epsilon=1.5, rng=rng(1)) - 7
    assert noise_distribution_test(noise / 2, laplace_cdf).pvalue > ALARM
    assert (
        noise_distribution_test(0.96 * noise / 2, laplace_cdf).pvalue < ALARM
    )  # 4% too little noise: some 18 standard errors of Σz²


def test_gaussian_law_and_power():
    sigma = gaussian_sigma(epsilon=1, delta=1e-6, sensitivity=2)
    noise = gaussian(np.zeros(100_000), sensitivity=2, epsilon=1, delta=1e-6, rng=rng(2))
    assert noise_distribution_test(noise, lambda z: ndtr(z / sigma)).pvalue > ALARM
    assert noise_distribution_test(0.97 * noise, lambda z: ndtr(z / sigma)).pvalue < ALARM  # power above 1 - 1e-9


@pytest.mark.parametrize("size, beta", [(10, 0.05), (1, 0.5), (10**6, 1e-9), (3, 1 - 1e-9)])
def test_laplace_max_quantile_is_exact(size, beta):
    t = laplace_max_quantile(count=size, beta=beta, sensitivity=2, epsilon=0.5)
    with mpmath.workdps(50):
        exact = -4 * mpmath.log(1 - (1 - mpmath.mpf(beta)) ** (mpmath.mpf(1) / size))
        assert abs(t / exact - 1) < 1e-13
    assert t <= 4 * np.log(size / beta)


def test_laplace_max_quantile_golden_and_shapes():
    assert round(float(laplace_max_quantile(count=10, beta=0.05, sensitivity=1, epsilon=1)), 4) == 5.2753
    assert laplace_max_quantile(count=[1, 2, 3], beta=[[0.1], [0.2]], sensitivity=1, epsilon=1).shape == (2, 3)


@pytest.mark.parametrize(
    "epsilon, delta, golden",
    [(0.1, 1e-6, 36.3047), (0.5, 1e-6, 8.0576), (1, 1e-5, 3.7306), (1, 1e-6, 4.2247), (4, 1e-5, 1.0812)],
)
def test_gaussian_sigma_golden(epsilon, delta, golden):
    assert abs(gaussian_sigma(epsilon=epsilon, delta=delta, sensitivity=1) - golden) < 5e-5


def exact_delta(epsilon, s):
    """Balle and Wang's formula with 70 digits, of which cancellation takes a few."""
    with mpmath.workdps(70):
        epsilon, s = mpmath.mpf(float(epsilon)), mpmath.mpf(float(s))
        a, b = 1 / (2 * s) - epsilon * s, -1 / (2 * s) - epsilon * s
        return mpmath.ncdf(a) - mpmath.exp(epsilon) * mpmath.ncdf(b)


CORNERS = [(e, d) for e in (1e-3, 1, 50) for d in (1e-30, 1e-6, 0.5)]


def test_gaussian_sigma_to_nine_digits():
    """δ decreases in σ: the exact solution lies between σ (1 - 1e-9) and σ, which is accurate and never too small."""
    draws = rng(3)
    pairs = CORNERS + [
        (10 ** draws.uniform(-3, np.log10(50)), 10 ** draws.uniform(-30, np.log10(0.5))) for _ in range(250)
    ]
    epsilon, delta = np.array(pairs).T
    sigma = gaussian_sigma(epsilon=epsilon, delta=delta, sensitivity=1)
    for e, d, s in zip(epsilon, delta, sigma):
        assert exact_delta(e, s) <= mpmath.mpf(d) < exact_delta(e, s * (1 - 1e-9)), (e, d, s)


def test_gaussian_delta_to_eleven_digits():
    draws = rng(4)
    for _ in range(100):
        epsilon, delta = 10 ** draws.uniform(-4, 2), 10 ** draws.uniform(-300, -0.1)
        sigma = 0.999 * gaussian_sigma(epsilon=epsilon, delta=delta, sensitivity=1)
        assert (
            abs(gaussian_delta(epsilon=epsilon, sigma=sigma, sensitivity=1) / exact_delta(epsilon, sigma) - 1) < 1e-11
        )


def test_gaussian_sigma_inverts_delta_far_beyond_the_stated_range():
    draws = rng(5)
    epsilon, delta = 10 ** draws.uniform(-8, 4, 100_000), 10 ** draws.uniform(-300, np.log10(0.99), 100_000)
    sigma = gaussian_sigma(epsilon=epsilon, delta=delta, sensitivity=1)
    assert np.all(np.abs(gaussian_delta(epsilon=epsilon, sigma=sigma, sensitivity=1) / delta - 1) < 1e-7)


def test_gaussian_sigma_broadcasts_and_scales():
    sigma = gaussian_sigma(epsilon=[[0.5], [1.0]], delta=[1e-5, 1e-6, 1e-7], sensitivity=2)
    assert sigma.shape == (2, 3) and sigma[1, 1] == 2 * gaussian_sigma(epsilon=1, delta=1e-6, sensitivity=1)
    assert isinstance(gaussian_sigma(epsilon=1, delta=1e-6, sensitivity=1), float)
    assert gaussian_sigma(epsilon=[], delta=0.1, sensitivity=1).shape == (0,)


def test_gaussian_delta_edges():
    assert abs(gaussian_delta(epsilon=0, sigma=1, sensitivity=1) - (2 * ndtr(0.5) - 1)) < 1e-15  # total variation
    assert gaussian_delta(epsilon=1, sigma=1e-3, sensitivity=1) == 1
    assert gaussian_delta(epsilon=1, sigma=1e300, sensitivity=1) == 0
    assert gaussian_delta(epsilon=1e300, sigma=1, sensitivity=1) == 0


def test_classical_formula_breaks_where_the_book_says():
    for delta, last in [(1e-5, 8.42), (1e-3, 7.47), (1e-8, 9.38)]:
        for epsilon, valid in [(last - 0.02, True), (last + 0.02, False)]:
            classical = np.sqrt(2 * np.log(1.25 / delta)) / epsilon
            assert (gaussian_delta(epsilon=epsilon, sigma=classical, sensitivity=1) <= delta) == valid


# ------------------------------------------------------------------------------------------------------- integer noise


class Words:
    """A source of random words that we choose."""

    def __init__(self, *batches):
        self.batches = list(batches)

    def integers(self, low, high, *, size, dtype, endpoint):
        assert (low, high, endpoint) == (0, 2**64 - 1, True)
        return np.array(self.batches.pop(0), dtype=dtype).reshape(size)


def test_bernoulli_is_exact_beyond_64_digits():
    p = 3 * 2.0**-66  # 0.11 in binary, behind 64 zeros: the first word must be 0 and the second below 3 * 2**62
    words = Words([0, 0, 0, 1], [3 * 2**62 - 1, 3 * 2**62, 0], [2**63])
    assert _samplers.bernoulli(p, (4,), words).tolist() == [True, False, True, False]
    half = Words([2**63 - 1, 2**63, 2**64 - 1], [1])
    assert _samplers.bernoulli(0.5, (3,), half).tolist() == [True, False, False]


class Recorder:
    """Stands in for the coin of the sampler and writes down the probabilities that it is asked to toss."""

    def __init__(self, monkeypatch):
        self.tossed = []
        monkeypatch.setattr(
            _samplers, "bernoulli", lambda p, size, rng: self.tossed.append(float(p)) or np.zeros(size, dtype=bool)
        )


@pytest.mark.parametrize("rate", [30.0, 5.0, 1.0, 0.3, 1e-3, 7e-9, 1.6e-11])
def test_geometric_coins_are_as_accurate_as_the_mechanism_needs(rate, monkeypatch):
    """The worst error of ln(P(m)/P(m')) over all m, m', from the very doubles that the sampler tosses, at 60 digits."""
    recorder = Recorder(monkeypatch)
    _samplers.two_sided_geometric(rate, (), rng())
    zero, *digits, sign = recorder.tossed
    assert sign == 0.5
    with mpmath.workdps(60):
        q = mpmath.exp(-mpmath.mpf(rate))
        zero, digits = mpmath.mpf(zero), [mpmath.mpf(p) for p in digits]
        zero = 1 - zero if rate >= 1 else zero
        assert 2 ** len(digits) * rate >= 700
        error = sum(abs(mpmath.log(p / (1 - p)) + 2**j * mpmath.mpf(rate)) for j, p in enumerate(digits))
        start = mpmath.log((1 - zero) / 2) + mpmath.fsum(mpmath.log(1 - p) for p in digits)  # of ±1
        error += abs(mpmath.log(zero) - start - mpmath.mpf(rate))
        assert error < _samplers.ROUNDING
        assert abs(zero - (1 - q) / (1 + q)) < 1e-15


@pytest.mark.parametrize("sigma", [0.3, 4.2, 1e3, 3e9])
def test_normal_acceptance_is_as_accurate_as_it_says(sigma, monkeypatch):
    """ln(proposal × acceptance) + y²/(2σ²) is the same for all y, up to 2**-40, from the doubles that are tossed."""
    y = np.unique(np.r_[np.arange(8), np.geomspace(1, 37 * sigma + 1, 60).astype(np.int64)])
    tossed = []
    monkeypatch.setattr(_samplers, "two_sided_geometric", lambda rate, n, rng: y)
    monkeypatch.setattr(_samplers, "bernoulli", lambda p, size, rng: tossed.append(p) or np.ones(size, dtype=bool))
    _samplers.discrete_normal(sigma, y.shape, rng())
    with mpmath.workdps(60):
        rate = mpmath.mpf(1 / (np.floor(sigma) + 1))
        logs = [
            mpmath.log(mpmath.mpf(float(p))) - int(m) * rate + mpmath.mpf(int(m)) ** 2 / (2 * mpmath.mpf(sigma) ** 2)
            for m, p in zip(y, tossed[0])
            if p > 1e-300
        ]
        assert len(logs) > 5 or sigma < 1
        assert max(logs) - min(logs) < 2.0**-40


@pytest.mark.parametrize("rate, furthest", [(2.0, 5), (0.5, 20), (0.05, 150)])
def test_discrete_laplace_law_and_power(rate, furthest):
    n = 400_000
    noise = discrete_laplace(np.full(n, 5), sensitivity=2, epsilon=2 * rate, rng=rng(6)) - 5
    law = geometric_law(rate, furthest)
    assert chi_square(integer_counts(noise, furthest), law) > ALARM
    assert chi_square_power(n, law, geometric_law(1.05 * rate, furthest)) > 0.999


@pytest.mark.parametrize("epsilon, sensitivity", [(0.7, 3), (0.7, 1), (3.0, 2), (1e-7, 1)])
def test_discrete_laplace_is_private_exactly(epsilon, sensitivity, monkeypatch):
    """The law rebuilt from the mechanism's own coins, as rational numbers, against e^ε at 60 digits."""
    recorder = Recorder(monkeypatch)
    discrete_laplace(0, sensitivity=sensitivity, epsilon=epsilon, rng=rng())
    zero, *digits, sign = map(Fraction, recorder.tossed)
    zero = 1 - zero if epsilon / sensitivity >= 1 else zero
    law = [Fraction(1)]  # of the first twelve digits; the others are 0 for all the outcomes compared
    for coin in digits[:12]:
        law = [p * (1 - coin) for p in law] + [p * coin for p in law]
    rest = prod(1 - coin for coin in digits[12:])
    law = [zero] + [(1 - zero) / 2 * rest * p for p in law[:1000]]
    with mpmath.workdps(60):
        for near, far in zip(law, law[sensitivity:]):
            ratio = mpmath.mpf((near / far).numerator) / (near / far).denominator
            assert 1 <= ratio <= mpmath.exp(mpmath.mpf(epsilon)) <= ratio * (1 + 1e-12)


def test_discrete_laplace_far_out():
    wide = discrete_laplace(np.zeros(50_000, dtype=int), sensitivity=1, epsilon=2.0**-36, rng=rng(7))
    assert (
        noise_distribution_test(wide / 2.0**36 * (1 - 2.0**-7), laplace_cdf).pvalue > ALARM
    )  # the price of rounding shows here
    assert abs(int(discrete_laplace(2**62, sensitivity=1, epsilon=1, rng=rng())) - 2**62) < 100
    with pytest.raises(ValueError, match=r"2\*\*36"):
        discrete_laplace(0, sensitivity=1.01, epsilon=2.0**-36, rng=rng())
    with pytest.raises(ValueError, match="value"):
        discrete_laplace(np.uint64(2**63), sensitivity=1, epsilon=1, rng=rng())


def normal_law(sigma, furthest):
    """The discrete Gaussian law; the ends stand for everything beyond."""
    y = np.arange(-furthest - int(40 * sigma) - 40, furthest + int(40 * sigma) + 41)
    law = np.exp(-((y / sigma) ** 2) / 2)
    law /= law.sum()
    return np.bincount(np.clip(y, -furthest, furthest) + furthest, weights=law)


@pytest.mark.parametrize("epsilon, furthest", [(20.0, 1), (1.0, 14), (0.05, 250)])
def test_discrete_gaussian_law_and_power(epsilon, furthest):
    n = 300_000
    sigma = discrete_gaussian_sigma(epsilon=epsilon, delta=1e-6, sensitivity=1)
    noise = discrete_gaussian(np.zeros(n, dtype=int), sensitivity=1, epsilon=epsilon, delta=1e-6, rng=rng(8))
    law = normal_law(sigma, furthest)
    assert chi_square(integer_counts(noise, furthest), law) > ALARM
    assert chi_square_power(n, law, normal_law(0.95 * sigma, furthest)) > 0.999


@pytest.mark.parametrize("epsilon, delta", [(0.3, 1e-2), (1, 1e-6), (4, 1e-9), (8, 0.3)])
@pytest.mark.parametrize("shift", [(1,), (1, 1), (2,), (2, 1, 1)])
def test_discrete_gaussian_is_private_by_enumeration(epsilon, delta, shift):
    """All shifts of ℓ₂ norm Δ, in one to three dimensions: the exact δ of the product law is at most δ."""
    sigma = discrete_gaussian_sigma(epsilon=epsilon, delta=delta, sensitivity=np.linalg.norm(shift))
    furthest = int(12 * sigma) + 5
    y = np.arange(-furthest, furthest + 1)
    law = np.exp(-((y / sigma) ** 2) / 2)
    law /= law.sum()
    inner = np.ones(1)  # the law of <shift, y>, which decides the privacy loss
    for v in shift:
        inner = np.convolve(inner, np.bincount((y + furthest) * v, weights=law))
    scores = np.arange(inner.size) - furthest * sum(shift)
    loss = (2 * scores + np.dot(shift, shift)) / (2 * sigma**2)
    exact = np.sum(inner * -np.expm1(np.minimum(epsilon - loss, 0)))
    assert exact <= delta
    assert exact > delta / 50  # and not absurdly safe


def test_discrete_gaussian_sigma_costs_what_it_says():
    for epsilon in (0.5, 1, 4, 10):
        for delta in (1e-3, 1e-6, 1e-10):
            ratio = discrete_gaussian_sigma(epsilon=epsilon, delta=delta, sensitivity=1) / gaussian_sigma(
                epsilon=epsilon, delta=delta, sensitivity=1
            )
            assert 1.03 < ratio < 1.15


# ------------------------------------------------------------------------------------------------------------- choices

SCORES = np.array([3, 1, 0, 2.5])


def permute_and_flip_law(exponents):
    """The definition: random order, coin e^(exponent - best)."""
    coins, law = np.exp(exponents - exponents.max()), np.zeros(exponents.size)
    orders = list(permutations(range(exponents.size)))
    for order in orders:
        reached = 1.0 / len(orders)
        for candidate in order:
            law[candidate] += reached * coins[candidate]
            reached *= 1 - coins[candidate]
    return law


def noisy_max_law(exponents):
    """The chance that each candidate's score plus Lap(1) beats all the others, by the trapezoidal rule."""
    z = np.arange(-40, 40, 2e-3)
    density = np.exp(-np.abs(z)) / 2
    wins = [
        density * np.prod([laplace_cdf(mine + z - other) for j, other in enumerate(exponents) if j != i], axis=0)
        for i, mine in enumerate(exponents)
    ]
    return np.trapezoid(wins, z, axis=-1)


def gumbel_law(exponents):
    return np.exp(exponents) / np.exp(exponents).sum()


CHOICES = [
    (exponential, gumbel_law, 0.468),
    (report_noisy_max, noisy_max_law, 0.484),
    (permute_and_flip, permute_and_flip_law, 0.537),
]


@pytest.mark.parametrize("choose, law, golden", CHOICES)
def test_choices_follow_their_laws(choose, law, golden):
    exact = law(1.3 * SCORES / 2)
    assert abs(exact.sum() - 1) < 1e-6 and round(exact[0], 3) == golden
    n = 400_000
    chosen = choose(np.broadcast_to(SCORES, (n, 4)), sensitivity=1, epsilon=1.3, rng=rng(9))
    assert chosen.shape == (n,) and chosen.dtype == np.int64
    assert chi_square(np.bincount(chosen, minlength=4), exact) > ALARM
    assert chi_square_power(n, exact, law(1.3 * SCORES / 2 * 1.05)) > 0.999
    twice = choose(np.broadcast_to(SCORES, (n, 4)), sensitivity=1, epsilon=0.65, monotonic=True, rng=rng(10))
    assert chi_square(np.bincount(twice, minlength=4), exact) > ALARM


@pytest.mark.parametrize("choose, law, golden", CHOICES)
def test_choices_are_private_on_all_neighbours(choose, law, golden):
    """General scores move by at most 1 in any direction, monotone ones all up: worst log-ratios, by the exact laws."""
    epsilon, base = 0.8, np.array([0.0, 0.4, 1.0])
    moves = np.array(np.meshgrid(*[[-1, 0, 1]] * 3)).reshape(3, -1).T
    for unit, allowed in [(2 / epsilon, moves), (1 / epsilon, moves[(moves >= 0).all(axis=1)])]:
        worst = max(float(max_log_ratio(law(base / unit), law((base + move) / unit))) for move in allowed)
        assert worst <= epsilon + 1e-6
        if unit == 1 / epsilon:  # the monotone noise is not enough for scores that move apart
            assert (
                max(float(max_log_ratio(law(base / unit), law((base + move) / unit))) for move in moves) > epsilon + 0.1
            )


def test_noisy_max_needs_its_factor_two():
    """Two candidates whose scores move apart under Lap(1/ε), ε = 1/2: the log-ratio tends to 2ε."""
    lead = np.linspace(0, 40, 21)
    ratios = [
        float(max_log_ratio(noisy_max_law(0.5 * np.array([-a, 0])), noisy_max_law(0.5 * np.array([1 - a, -1]))))
        for a in lead
    ]
    assert 0.95 < max(ratios) <= 1 + 1e-6


def test_exponential_probabilities():
    law = exponential_probabilities(SCORES, sensitivity=1, epsilon=1.3)
    np.testing.assert_allclose(law, gumbel_law(0.65 * SCORES), rtol=1e-14)
    np.testing.assert_array_equal(law, exponential_probabilities(SCORES, sensitivity=2, epsilon=1.3, monotonic=True))
    np.testing.assert_array_equal(law, exponential_probabilities(SCORES + 2.0**20, sensitivity=1, epsilon=1.3))
    assert exponential_probabilities([1e308, -1e308], sensitivity=1e-3, epsilon=1).tolist() == [1, 0]


def test_exponential_utility_bound_can_be_nearly_tight():
    """A thousand candidates, one of them best, the others at the boundary for t = 0: failure probability .4997."""
    scores = np.full(1000, -2 * np.log(1000))
    scores[0] = 0
    law = exponential_probabilities(scores, sensitivity=1, epsilon=1)
    assert round(1 - law[0], 4) == 0.4997
    for t in np.linspace(0, 8, 17):
        scores[1:] = -2 * (np.log(1000) + t)
        assert 1 - exponential_probabilities(scores, sensitivity=1, epsilon=1)[0] <= np.exp(-t)


@pytest.mark.parametrize("choose", [exponential, report_noisy_max, permute_and_flip])
def test_choices_shapes(choose):
    assert choose(np.zeros((2, 3, 5)), sensitivity=1, epsilon=1, rng=rng()).shape == (2, 3)
    assert choose(np.zeros((0, 5)), sensitivity=1, epsilon=1, rng=rng()).shape == (0,)
    assert int(choose([7], sensitivity=1, epsilon=1, rng=rng())) == 0
    assert int(choose([0, 1e308, -1e308], sensitivity=1e-9, epsilon=1, rng=rng())) == 1
    for empty in (np.zeros((2, 0)), 3.0):
        with pytest.raises(ValueError, match="scores"):
            choose(empty, sensitivity=1, epsilon=1, rng=rng())


# -------------------------------------------------------------------------------------------------- randomised response


@pytest.mark.parametrize("epsilon, k", [(1.0, 2), (0.1, 2), (3.0, 10), (30.0, 2), (40.0, 3), (800.0, 2),
                                        (1.0, 1024), (1e-7, 2**30), (.05, 2**48), (1.0, 2**53), (2.0**-48, 2), (2.0**-48, 2**53)])
def test_randomized_response_lies_often_enough(epsilon, k, monkeypatch):
    """The probability of a lie, from the coin that the code tosses exactly, against e^ε, in both directions. The coin shows the lie or
    the truth, whichever is rarer: with many categories the truth is, and a coin of its complement would forget it.
    """
    tossed = []
    monkeypatch.setattr(_samplers, "bernoulli", lambda p, shape, rng: tossed.append(p) or np.ones(shape, dtype=bool))
    lied = randomized_response(0, categories=k, epsilon=epsilon, rng=rng()) != 0
    with mpmath.workdps(400):
        coin = mpmath.mpf(float(tossed[0]))
        lie = coin if lied else 1 - coin
        ratio = (1 - lie) * (k - 1) / lie
        assert mpmath.exp(-mpmath.mpf(epsilon)) <= ratio <= mpmath.exp(mpmath.mpf(epsilon))
        assert epsilon > 700 or mpmath.log(ratio) > epsilon - 1e-12 and coin < .51


def test_so_small_an_epsilon_that_its_coin_is_fair_is_refused():
    with pytest.raises(ValueError, match="epsilon must be .* at least 3.55271e-15"):
        randomized_response(0, epsilon=1e-17, rng=rng())


def test_randomized_response_law_and_estimate():
    n, k = 300_000, 4
    labels = rng(11).integers(0, k, size=n)
    reports = randomized_response(labels, categories=k, epsilon=1.2, rng=rng(12))
    keep = np.exp(1.2) / (np.exp(1.2) + k - 1)
    law = np.array([keep, *[(1 - keep) / (k - 1)] * (k - 1)])
    assert chi_square(np.bincount((reports - labels) % k, minlength=k), law) > ALARM
    share = np.bincount(reports, minlength=k) / n
    estimate = (share - law[1]) / (keep - law[1])
    spread = 1 / (2 * (keep - law[1]) * np.sqrt(n))
    assert np.all(np.abs(estimate - np.bincount(labels, minlength=k) / n) < 6 * spread)


def test_textbook_randomized_response_is_worse_than_it_says():
    for epsilon, real in [(0.1, 0.2007), (0.25, 0.5108), (0.5, 1.0986), (0.75, 1.9459), (0.9, 2.9444)]:
        truth = (1 + epsilon) / 2
        assert round(float(max_log_ratio([truth, 1 - truth], [1 - truth, truth])), 4) == real
        keep = np.exp(epsilon) / (1 + np.exp(epsilon))
        assert hockey_stick([keep, 1 - keep], [1 - keep, keep], epsilon) < 1e-15


# ---------------------------------------------------------------------------------------------------------------- edges

NUMBERS = {
    "laplace": lambda value=0.0, sensitivity=1, epsilon=1, rng=rng(): laplace(
        value, sensitivity=sensitivity, epsilon=epsilon, rng=rng
    ),
    "gaussian": lambda value=0.0, sensitivity=1, epsilon=1, delta=1e-5, rng=rng(): gaussian(
        value, sensitivity=sensitivity, epsilon=epsilon, delta=delta, rng=rng
    ),
    "discrete_laplace": lambda value=0, sensitivity=1, epsilon=1, rng=rng(): discrete_laplace(
        value, sensitivity=sensitivity, epsilon=epsilon, rng=rng
    ),
    "discrete_gaussian": lambda value=0, sensitivity=1, epsilon=1, delta=1e-5, rng=rng(): discrete_gaussian(
        value, sensitivity=sensitivity, epsilon=epsilon, delta=delta, rng=rng
    ),
    "exponential": lambda value=(0, 1), sensitivity=1, epsilon=1, rng=rng(): exponential(
        value, sensitivity=sensitivity, epsilon=epsilon, rng=rng
    ),
    "report_noisy_max": lambda value=(0, 1), sensitivity=1, epsilon=1, rng=rng(): report_noisy_max(
        value, sensitivity=sensitivity, epsilon=epsilon, rng=rng
    ),
    "permute_and_flip": lambda value=(0, 1), sensitivity=1, epsilon=1, rng=rng(): permute_and_flip(
        value, sensitivity=sensitivity, epsilon=epsilon, rng=rng
    ),
    "randomized_response": lambda value=0, epsilon=1, rng=rng(): randomized_response(value, epsilon=epsilon, rng=rng),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_bad_parameters_are_named_and_draw_nothing(name):
    mechanism, source = NUMBERS[name], rng()
    before = source.bit_generator.state
    parameters = mechanism.__code__.co_varnames[: mechanism.__code__.co_argcount]
    for parameter in set(parameters) - {"value", "rng"}:
        for bad in [np.nan, np.inf, 0, -1, "1", None, [1, 2]] + ([1] if parameter == "delta" else []):
            with pytest.raises(ValueError, match=parameter):
                mechanism(**{parameter: bad}, rng=source)
    for bad in [np.nan, [0, np.inf], "a", None, 1j]:
        with pytest.raises(ValueError, match="value|scores|labels"):
            mechanism(bad, rng=source)
    assert source.bit_generator.state == before
    for bad in (None, 0, np.random, np.random.RandomState(0)):
        with pytest.raises(TypeError, match="rng"):
            mechanism(rng=bad)


def test_messages_echo_the_value():
    with pytest.raises(ValueError, match=r"epsilon must be finite and above 0, got -1"):
        laplace(0, sensitivity=1, epsilon=-1, rng=rng())
    with pytest.raises(ValueError, match=r"value must be finite$"):
        laplace([1, np.nan], sensitivity=1, epsilon=1, rng=rng())
    with pytest.raises(ValueError, match=r"labels must be at least 0 and at most 1$"):
        randomized_response([0, 2], epsilon=1, rng=rng())
    for sensitivity, epsilon, said in [(1e300, 1e-10, "scale of the noise must be"), (1e-300, 1e300, "scale of the noise must be"),
                                       (1.0, 1e-300, r"epsilon must be at least 2\*\*-40")]:
        with pytest.raises(ValueError, match=said):
            laplace(0, sensitivity=sensitivity, epsilon=epsilon, rng=rng())


@pytest.mark.parametrize("name", NUMBERS)
def test_reproducible_and_never_mutates(name):
    value = np.array([[0, 1, 1], [1, 0, 0]])
    kept = value.copy()
    first, second = NUMBERS[name](value, rng=rng(13)), NUMBERS[name](value, rng=rng(13))
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(value, kept)
    value.flags.writeable = False
    NUMBERS[name](value, rng=rng(13))


@pytest.mark.parametrize("name", ["laplace", "gaussian"])
@pytest.mark.parametrize(
    "value", [3, 3.0, np.float32(3), True, [1, 2], np.zeros((2, 0, 3)), np.ones((2, 3), dtype=np.float16)]
)
def test_real_shapes_and_types(name, value):
    noisy = NUMBERS[name](value, rng=rng())
    assert noisy.shape == np.shape(value) and noisy.dtype == np.float64


@pytest.mark.parametrize("name", ["discrete_laplace", "discrete_gaussian"])
@pytest.mark.parametrize(
    "value", [3, True, [1, 2], [], np.zeros((2, 0), dtype=int), np.full((2, 3), 255, dtype=np.uint8)]
)
def test_integer_shapes_and_types(name, value):
    noisy = NUMBERS[name](value, rng=rng())
    assert noisy.shape == np.shape(value) and noisy.dtype == np.int64
    with pytest.raises(ValueError, match="value must hold integers"):
        NUMBERS[name](1.0, rng=rng())


def test_samples_have_the_shape_asked_for():
    for size in ((), (0,), (7,), (2, 3)):
        assert _samplers.discrete_normal(3.0, size, rng()).shape == size
        assert _samplers.truncated_two_sided_geometric(0.1, 2, size, rng()).shape == size
    assert mechanisms.discrete_gaussian(0, sensitivity=1, epsilon=1e4, delta=0.4, rng=rng()) == 0
