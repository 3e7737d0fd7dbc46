"""Certificates by recursion: golden values, the recursion step by step, exact distributions, and neighbours that are looked for."""

import numpy as np
import pytest
from scipy.stats import laplace as laplace_distribution

from dplib.glm.compared import (
    Levels, certificate_offset, certify_by_recursion, certify_largest_eigenvalue, generic_levels, linear_levels,
    shift_sharp, shift_source, source_levels)
from dplib.glm.compared import recursions
from dplib.glm.compared.recursions import MOST_LEVELS, MOST_STEPS
from tests.chance import FAR, standard_errors
from tests.glm_pairs import fit, random_data, two_towns

ROOT5, GENERIC = 5**.5, (5**.5, 2.5, 5**1.5 / 27**.5)            # of the robust loss, |x| ≤ √5


def linear(value, size=5000):
    return max(value - 10 / size, 0)


def source(value, size=5000, a=2.5):
    c = 50 / size
    return max(value / 2 * (1 + np.sqrt(1 - c / value)) - a / size, 0) if value > c else 0


def generic(value, size=5000):
    g0, g1, g2 = GENERIC
    return max(np.sqrt(max(value**2 - 4 * g0 * g2 / size, 0)) - g1 / size, 0)


def tables(size=5000):
    return {linear: linear_levels(step=10 / size), source: source_levels(radius=ROOT5, largest_curvature=.5, size=size),
            generic: generic_levels(lipschitz=GENERIC, size=size)}


def steps_to_zero(recursion, value, size=5000):
    steps = 0
    while value > 0:
        value, steps = recursion(value, size), steps + 1
    return steps


def test_golden_values():
    levels = tables()
    assert source(.4) == pytest.approx(.396984177, abs=1e-9) and generic(.4) == pytest.approx(.394659459, abs=1e-9)
    assert [int(levels[r].count(.4)) for r in (source, generic, linear)] == [129, 39, 200]
    assert levels[source].level([0, 1, 2, 50]) == pytest.approx([0, 0, .01, .160115884], abs=1e-9)
    assert levels[generic].level(50) == pytest.approx(.450501834, abs=1e-9)
    assert certificate_offset(epsilon=[1, .25], delta=[1e-6, 5e-7], noise="laplace") == pytest.approx([13.122363, 55.262042], abs=1e-6)
    assert .4 - source(.4) == pytest.approx(.4 * 1.25 * ROOT5 * shift_source(eigenvalue=.4, radius=ROOT5, size=5000) + .0005)


@pytest.mark.parametrize("recursion", [linear, source, generic])
def test_the_table_counts_the_steps_of_the_recursion(recursion):
    for size in (100, 5000):
        levels = tables(size)[recursion]
        values = np.random.default_rng(1).uniform(0, 2.5, 300)
        assert levels.count(values).tolist() == [steps_to_zero(recursion, value, size) for value in values]
    levels = tables(100)[recursion]
    k = np.arange(2, 40)                                                      # the infimum, up to the cushion
    assert np.all(levels.count(levels.level(k) * (1 - 1e-12)) == k - 1) and np.all(levels.count(levels.level(k) * (1 + 1e-12)) == k)


@pytest.mark.parametrize("recursion", [linear, source, generic])
@pytest.mark.parametrize("size", [7, 300, 10**6])
def test_one_step_down_takes_one_off_the_count_also_after_rounding(recursion, size):
    levels = tables(size)[recursion]
    edges = levels.level(np.r_[1:400, MOST_LEVELS - 5:MOST_LEVELS + 9, 10**6])
    values = np.concatenate([edges * (1 + t) for t in (-1e-12, -1e-16, 0, 1e-16, 1e-12)] + [np.geomspace(1e-12, 1e3, 4000)])
    down = np.array([recursion(value, size) for value in values]) * (1 - 2e-16)     # λ' is rounded, too
    assert np.all(levels.count(values) <= 1 + levels.count(down)) and np.all(levels.count(down) <= levels.count(values))
    assert np.all(np.diff(levels.count(np.sort(values))) >= 0)


def test_the_table_is_short_and_ends_in_steps_that_are_no_shorter():
    for size in (1, 10**3, 10**9, 2**62):
        for levels in tables(size).values():
            assert levels.table.size <= MOST_LEVELS + 2 and np.all(np.diff(levels.table[1:]) > 0)
            assert np.all(np.diff(levels.table[2:]) >= levels.step * (1 - 1e-6)) or levels.table.size == 2
            assert levels.count([-1, 0, 5e-324, 1e300]).tolist() == [0, 0, 1, MOST_STEPS]
    assert tables()[linear].level([-3, 0, 1, 3]) == pytest.approx([0, 0, 0, .004])


@pytest.mark.parametrize("noise, epsilon", [("discrete_laplace", e) for e in (1e-3, .25, 1, 4, 300)] + [("laplace", 1)])
def test_the_offset_is_the_smallest_that_is_enough(noise, epsilon):
    for delta in (.9, .3, .05, 1e-6, 1e-12):
        o = certificate_offset(epsilon=epsilon, delta=delta, noise=noise)
        if noise == "laplace":
            assert o == 0 and delta > .5 or laplace_distribution.sf(o, scale=1 / epsilon) == pytest.approx(delta)
            continue
        tail = lambda m: np.exp(-epsilon * m) / (1 + np.exp(-epsilon))                  # Pr[Z ≥ m], m ≥ 1
        assert tail(np.floor(o) + 1) <= delta * (1 + 1e-9)
        assert np.floor(o) == 0 or tail(np.floor(o)) > delta * (1 - 1e-6)


def geometric(epsilon, reach=3000):
    z = np.arange(-reach, reach + 1)
    return z, np.exp(-epsilon * np.abs(z)) * np.tanh(epsilon / 2)


def outputs(steps, levels, offset, epsilon):
    """{level: its exact probability} of the certificate."""
    z, mass = geometric(epsilon)
    found, place = np.unique(levels.level(np.ceil(steps + z - offset)), return_inverse=True)
    return dict(zip(found.tolist(), np.bincount(place, mass)))


def test_the_exact_distribution_is_private_and_never_too_large_but_for_delta():
    levels, epsilon = tables(100)[source], .25
    for delta in (.05, 1e-3):
        offset = certificate_offset(epsilon=epsilon, delta=delta, noise="discrete_laplace")
        laws = [outputs(steps, levels, offset, epsilon) for steps in range(12)]
        for steps, law in enumerate(laws):
            true = levels.level(steps + .0) * (1 + 1e-9) + 1e-12                        # the least λ of so many steps
            too_large = sum(p for level, p in law.items() if level > true)
            assert too_large <= delta * (1 + 1e-9) and (steps < 2 or too_large > .5 * delta)
        for law, other in [*zip(laws, laws[1:]), *zip(laws[1:], laws)]:
            assert all(p <= np.exp(epsilon) * other[level] * (1 + 1e-9) for level, p in law.items() if p > 1e-200)
        assert any(p > np.exp(epsilon) * laws[5][level] * 1.1 for level, p in laws[7].items() if level in laws[5])  # two steps are not one


def test_the_offset_of_continuous_noise_is_wrong_for_geometric_noise():
    wrong = certificate_offset(epsilon=1, delta=np.exp(-5 - 1e-9) / 2, noise="laplace")             # just above 5: all from 6 on
    assert np.ceil(8 - wrong) == 3
    rates = []
    for delta in np.geomspace(1e-6, .1, 2000):
        o = certificate_offset(epsilon=1, delta=delta, noise="laplace")
        rates.append(np.exp(-(np.floor(o) + 1)) / (1 + np.exp(-1)) / delta)
    assert 1.45 < max(rates) < 2 / (1 + np.exp(-1)) + 1e-9


@pytest.mark.parametrize("noise", ["discrete_laplace", "laplace"])
def test_draws_follow_the_exact_distribution(noise):
    levels, size, epsilon, delta = tables(100)[generic], 200_000, .5, .05
    lower = certify_by_recursion(np.full(size, 1.5), levels=levels, epsilon=epsilon, delta=delta, noise=noise, rng=np.random.default_rng(1))
    steps, offset = int(levels.count(1.5)), certificate_offset(epsilon=epsilon, delta=delta, noise=noise)
    for k in range(2, steps + 4):
        if noise == "laplace":
            p = laplace_distribution.sf(k - 1 - steps + offset, scale=1 / epsilon)
        else:
            z, mass = geometric(epsilon)
            p = mass[np.ceil(steps + z - offset) >= k].sum()
        assert abs(standard_errors((lower >= levels.level(k)).sum(), size, p)) < FAR
    assert standard_errors((lower > 1.5).sum(), size, delta) < FAR
    assert lower.shape == (size,) and np.ndim(certify_by_recursion(
        1.5, levels=levels, epsilon=epsilon, delta=delta, noise=noise, rng=np.random.default_rng(1))) == 0


# ---------------------------------------------------------------------------------------------------- largest eigenvalue

LARGEST = dict(smallest_eigenvalue=.35, radius=ROOT5, largest_curvature=.5, size=20_000)


def test_the_upper_bound_is_too_small_with_probability_delta():
    size, delta, epsilon = 200_000, .05, .5
    for value in (.36, .45, 2.):
        upper = certify_largest_eigenvalue(np.full(size, value), **LARGEST, epsilon=epsilon, delta=delta, rng=np.random.default_rng(2))
        assert abs(standard_errors((upper < value).sum(), size, delta)) < FAR and np.all((0 <= upper) & (upper <= 2.5 + 1e-12))
        s = ROOT5 * shift_sharp(eigenvalue=.35, radius=ROOT5, size=20_000)
        b = 2.5 / 20_000 / np.expm1(s)
        for moved in (-3, 5, 9):                                              # the logarithm is moved by s (Z + o)
            p = laplace_distribution.sf(moved - np.log(10) / epsilon, scale=1 / epsilon)
            reached = (upper > (value + b) * np.exp(s * moved) - b).sum()
            assert abs(standard_errors(reached, size, p)) < FAR


def test_nothing_certified_is_the_public_bound():
    upper = certify_largest_eigenvalue([.1, 2], **LARGEST | dict(smallest_eigenvalue=[[0], [5e-4], [6e-4]]), epsilon=1, delta=1e-6,
                                       rng=np.random.default_rng(3))
    assert upper.shape == (3, 2) and np.allclose(upper[:2], 2.5, rtol=1e-12)
    ends = certify_largest_eigenvalue([-1e308, 1e308, 0], **LARGEST, epsilon=1, delta=1e-6, rng=np.random.default_rng(3))
    assert np.all((0 < ends) & (ends <= 2.5 + 1e-12)) and ends[1] > 2.4


# --------------------------------------------------------------------------------------------------- recursions, attacked


def decrements(kind, data, a=1):
    """{recursion: the worst R(λ) - λ', in units of what one record adds, and of λ_max'} of a pair of neighbours."""
    x, y = data
    n, d = len(x) - 1, x.shape[1]
    fits = [fit(kind, x[:-1], y[:-1]), fit(kind, x[1:], y[1:])]
    if fits[0] is None or fits[1] is None:
        return {}
    curvature, radius, third = (.5, d**.5, 27**-.5) if kind == "robust" else (.25, d**.5, .5 * 27**-.5)
    spectra = [np.linalg.eigvalsh(H) / n for _, H in fits]
    levels = dict(linear=linear_levels(step=2 * d / n), source=source_levels(radius=radius, largest_curvature=curvature * a, size=n),
                  generic=generic_levels(lipschitz=(radius, curvature * d * a, third * d**1.5), size=n))
    found = {}
    for mine, other in (spectra, spectra[::-1]):
        for name, each in levels.items():
            found[name] = max(found.get(name, 0), int(each.count(mine[0]) - each.count(other[0])))
        s = radius * shift_sharp(eigenvalue=mine[0], radius=radius, size=n)
        if np.isfinite(s):
            step = curvature * d / n
            for high, low in ((mine[-1], other[-1]), (other[-1], mine[-1])):
                found["largest"] = max(found.get("largest", 0), high / (np.exp(s) * low + step))
    return found


def attack(measure, draws, rng):
    worst = {}
    pairs = [(kind, random_data(kind, d, rng)) for kind in ("robust", "logistic") for d in (1, 2) for _ in range(draws)]
    pairs += [("robust", two_towns(lead, far, people)) for lead in range(4, 40, 2) for far in (6., 14.) for people in (100, 300)]
    for kind, data in pairs:
        for name, value in measure(kind, data).items():
            worst[name] = max(worst.get(name, 0), value)
    return worst


@pytest.mark.parametrize("length", [20, 300])
def test_no_pair_of_data_sets_differs_by_two_steps(length, monkeypatch):
    """With tables that end before the eigenvalue, and after it."""
    monkeypatch.setattr(recursions, "MOST_LEVELS", length)
    worst = attack(decrements, 200, np.random.default_rng(4))
    assert worst["linear"] == worst["source"] == worst["generic"] == 1 and .5 < worst["largest"] <= 1 + 1e-9, worst


def test_the_attack_finds_steps_that_are_too_short():
    def half_the_step(kind, data):
        x, y = data
        fits = [fit(kind, x[:-1], y[:-1]), fit(kind, x[1:], y[1:])]
        if None in fits:
            return {}
        n, d = len(x) - 1, x.shape[1]
        counts = [linear_levels(step=d / n).count(np.linalg.eigvalsh(H)[0] / n) for _, H in fits]
        return dict(linear=abs(int(counts[0] - counts[1])))
    assert attack(half_the_step, 0, np.random.default_rng(4))["linear"] == 2


def test_the_domain_and_the_messages():
    rng = np.random.default_rng(1)
    given = dict(levels=linear_levels(step=1), epsilon=1, delta=1e-6)
    with pytest.raises(ValueError, match="value must be finite$"):
        certify_by_recursion([1, np.nan], **given, noise="laplace", rng=rng)
    with pytest.raises(TypeError, match="rng must be a numpy.random.Generator"):
        certify_by_recursion(1, **given, noise="laplace", rng=1)
    with pytest.raises(ValueError, match="noise must be one of"):
        certify_by_recursion(1, **given, noise="gaussian", rng=rng)
    with pytest.raises(ValueError, match="largest_curvature must be finite and above 0 and at most 1, got 2"):
        source_levels(radius=1, largest_curvature=2, size=9)
    with pytest.raises(ValueError, match="radius must be finite and above 0"):
        certify_largest_eigenvalue(1, **LARGEST | dict(radius=0), epsilon=1, delta=1e-6, rng=rng)
    assert isinstance(linear_levels(step=1), Levels) and rng.bit_generator.state == np.random.default_rng(1).bit_generator.state
