"""audit: exact divergences against brute force, coverage by enumeration, power where power is claimed."""

from itertools import product

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binom, norm

from dplib.audit import audit_mechanism, epsilon_lower_bound, hockey_stick, max_log_ratio, noise_distribution_test
from tests.chance import rng


def random_laws(seed, shape):
    weights = rng(seed).gamma(0.5, size=shape)
    return weights / weights.sum(axis=-1, keepdims=True)


# ------------------------------------------------------------------------------------------------------------- exactly


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 2.0])
def test_hockey_stick_is_the_worst_event(epsilon):
    """Brute force over all 64 events, in both orders."""
    for seed in range(20):
        p, q = random_laws(seed, (2, 6))
        events = np.array(list(product([0, 1], repeat=6)))
        gaps = [events @ a - np.exp(epsilon) * (events @ b) for a, b in ((p, q), (q, p))]
        assert abs(hockey_stick(p, q, epsilon) - np.max(gaps)) < 1e-15


def test_hockey_stick_vectorises():
    p, q = random_laws(1, (2, 3, 4, 5))
    table = hockey_stick(p, q, np.array([0.1, 0.2, 0.3])[:, None])
    assert table.shape == (3, 4) and table[1, 2] == hockey_stick(p[1, 2], q[1, 2], 0.2)
    assert hockey_stick(p[0, 0], q, 1.0).shape == (3, 4)
    assert isinstance(hockey_stick(p[0, 0], q[0, 0], 1.0), float)
    assert hockey_stick(p, q, 1.0).max() == max(
        hockey_stick(a, b, 1.0) for a, b in zip(p.reshape(-1, 5), q.reshape(-1, 5))
    )


def test_max_log_ratio():
    for seed in range(20):
        p, q = random_laws(seed, (2, 6))
        epsilon = max_log_ratio(p, q)
        assert hockey_stick(p, q, epsilon) < 1e-15 < hockey_stick(p, q, epsilon - 1e-6)
    assert max_log_ratio([1, 0], [0.5, 0.5]) == np.inf
    assert max_log_ratio([0.5, 0.5, 0], [0.25, 0.75, 0]) == np.log(2)
    assert max_log_ratio(*random_laws(2, (2, 3, 4))).shape == (3,)


@pytest.mark.parametrize("check", [lambda p, q: hockey_stick(p, q, 1.0), max_log_ratio])
def test_laws_must_be_laws(check):
    good = [0.5, 0.5]
    for bad in ([0.5, 0.6], [1.5, -0.5], [np.nan, 1], 1.0, [], ["a"], [0.2, 0.3, 0.5]):
        with pytest.raises(ValueError, match="p"):
            check(bad, good)
        with pytest.raises(ValueError, match="q"):
            check(good, bad)
    with pytest.raises(ValueError, match="epsilon"):
        hockey_stick(good, good, -1)


# ------------------------------------------------------------------------------------------------------- by experiment


@pytest.mark.parametrize(
    "p, q, delta",
    [
        (0.5, 0.5, 0.0),
        (0.9, 0.2, 0.0),
        (0.02, 0.001, 0.0),
        (0.99, 0.95, 0.0),
        (0.5, 0.1, 0.1),
        (1.0, 0.0, 0.0),
        (0.3, 0.0, 0.3),
    ],
)
def test_lower_bound_is_wrong_as_rarely_as_it_says(p, q, delta):
    """Every outcome of 60 runs on each side, weighted exactly."""
    n, beta = 60, 0.1
    with np.errstate(divide="ignore", invalid="ignore"):  # 0/0 bounds nothing: fmax drops it
        true = np.fmax(np.log(max(p - delta, 0)) - np.log(q), np.log(max(1 - q - delta, 0)) - np.log(1 - p))
    hits = np.arange(n + 1)
    bounds = epsilon_lower_bound(hits[:, None], hits, trials=n, delta=delta, beta=beta)
    weights = binom.pmf(hits, n, p)[:, None] * binom.pmf(hits, n, q)
    assert np.sum(weights[bounds > max(true, 0) + 1e-12]) <= beta
    assert bounds.min() == 0


def test_lower_bound_finds_what_is_there():
    assert abs(epsilon_lower_bound(731_059, 268_941, trials=10**6, delta=0, beta=1e-6) - 1) < 0.02
    no_hit = epsilon_lower_bound(1000, 0, trials=1000, delta=0, beta=0.05)
    assert abs(no_hit - np.log(1000 / np.log(2 / 0.05))) < 0.01
    assert epsilon_lower_bound(300, 0, trials=1000, delta=0.5, beta=0.05) == 0
    assert epsilon_lower_bound(np.uint8(200), np.uint8(3), trials=1000, delta=0, beta=0.05) > 3
    for bad in [(-1, 0), (0, 11), (0.5, 0), (0, None)]:
        with pytest.raises(ValueError, match="hits"):
            epsilon_lower_bound(*bad, trials=10, delta=0, beta=0.1)


def laplace(scale, source):
    return lambda f: f + source.laplace(scale=scale, size=f.shape)


AUDIT = {"trials": 100_000, "delta": 0, "beta": 1e-6}


@pytest.mark.parametrize("x, neighbor", [(0.0, 1.0), (1.0, 0.0)])
def test_audit_catches_half_the_noise_and_passes_the_right_one(x, neighbor):
    """At ε = 1 the worst half-line has probabilities (.5, .18); with half the noise (.5, .07): far apart."""
    right, wrong = (audit_mechanism(laplace(scale, rng(1)), x, neighbor, **AUDIT) for scale in (1.0, 0.5))
    assert 0.9 < right.epsilon_lower < 1 < 1.8 < wrong.epsilon_lower < 2
    assert right.trials == 50_000 and right.event.startswith("output >= ")


def test_audit_sees_single_values_refusals_and_tiny_supports():
    def secret_word(batch):  # says 1 rather than 0 or 2: no half-line is as telling as the middle
        keep = rng(2).random(batch.shape) < 0.6
        return np.where(
            keep,
            np.where(batch == 0, 1, rng(3).choice([0, 2], size=batch.shape)),
            rng(4).choice([0, 1, 2], size=batch.shape),
        )

    result = audit_mechanism(secret_word, 0, 1, **AUDIT)
    assert result.event == "output == 1" and 1.5 < result.epsilon_lower < np.log(11 / 2)
    refusal = audit_mechanism(lambda f: np.where(rng(5).random(f.shape) < 0.05 * f, np.nan, 0.0), 0, 1, **AUDIT)
    assert refusal.event == "output >= inf" and refusal.hits == 0 and refusal.epsilon_lower > 4
    assert audit_mechanism(lambda f: 0 * f, 0, 1, **AUDIT).epsilon_lower == 0


def test_audit_does_not_profit_from_choosing():
    """Nothing to find among 300 values: the worst of them would look guilty if judged by the runs that chose it."""
    wrong = sum(
        audit_mechanism(
            lambda f: rng([seed, int(f[0])]).integers(300, size=f.shape), 0, 1, trials=6000, delta=0, beta=0.2
        ).epsilon_lower
        > 0
        for seed in range(60)
    )
    assert binom.sf(wrong - 1, 60, 0.2) > 1e-6


def test_audit_takes_data_sets_and_rejects_bad_mechanisms():
    noisy_sum = lambda x: x.sum(axis=-1) + rng(6).laplace(scale=0.25, size=x.shape[:-1])  # noqa: E731
    assert audit_mechanism(noisy_sum, [0, 0, 1], [0, 1, 1], **AUDIT).epsilon_lower > 3
    for bad in (lambda f: 0.0, lambda f: f[:-1], lambda f: f.astype(str)):
        with pytest.raises(ValueError, match="mechanism"):
            audit_mechanism(bad, 0, 1, **AUDIT)
    for bad in ({"trials": 1}, {"trials": 2.5}, {"delta": 1}, {"beta": 0}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            audit_mechanism(laplace(1, rng()), 0, 1, **{**AUDIT, **bad})


# ------------------------------------------------------------------------------------------------------ laws of noise


def test_noise_law_pvalue_is_honest():
    """Three thousand samples from the stated law: small p-values are not more frequent than they may be."""
    pvalues = np.array([noise_distribution_test(sample, ndtr).pvalue for sample in rng(7).normal(size=(3000, 50))])
    for level in (0.5, 0.1, 0.01):
        assert binom.sf(np.sum(pvalues <= level) - 1, 3000, level) > 1e-6


def test_noise_law_power_is_the_one_computed():
    """σ too small by 2% at n = 1e5: scale rejects at 1e-6 with probability above 0.999, the distance rarely."""
    n, r = 100_000, 0.98
    critical = norm.ppf(1.25e-7) * np.sqrt(2 * n) + n  # α = 1e-6, halved for two tests, and again for two tails
    assert norm.cdf((critical - r**2 * n) / (r**2 * np.sqrt(2 * n))) > 0.999
    for seed in range(10):
        test = noise_distribution_test(r * rng(seed).normal(size=n), ndtr)
        assert test.pvalue < 1e-6 < test.distance_pvalue


def test_noise_law_sees_a_wrong_shape():
    """Laplace noise of the right variance: the distance is about .03, so at n = 1e5 both parts see it."""
    test = noise_distribution_test(rng(8).laplace(scale=np.sqrt(0.5), size=100_000), ndtr)
    assert test.distance_pvalue < 1e-20
    shifted = noise_distribution_test(rng(9).normal(size=100_000) + 0.03, ndtr)
    assert shifted.distance_pvalue < 1e-6


def test_noise_law_edges():
    assert noise_distribution_test([0.7], ndtr).pvalue > 0.5
    assert noise_distribution_test([-1e3, 0, 1e3], ndtr).pvalue == 0  # impossible values
    for bad in ([], [[1.0]], [np.nan], ["a"]):
        with pytest.raises(ValueError, match="sample"):
            noise_distribution_test(bad, ndtr)
    with pytest.raises(ValueError, match="cdf"):
        noise_distribution_test([1.0, 2.0], lambda x: x)
