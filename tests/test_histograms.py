"""histograms: thresholds against exact tails, guarantees by enumeration, counting against a naive oracle."""

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from itertools import product

import mpmath
import numpy as np
import pytest

from dplib import _counts, _grid, histograms
from dplib.audit import hockey_stick, noise_distribution_test
from dplib.histograms import laplace_histogram, stability_histogram, stability_threshold, truncated_histogram
from tests.chance import ALARM, laplace_cdf, rng

RELATIONS = {"replace": 2, "add_remove": 1}


# ------------------------------------------------------------------------------------------------------ finitely many


@pytest.mark.parametrize("neighbor, scale", [("replace", 2 / 0.5), ("add_remove", 1 / 0.5)])
def test_every_cell_gets_noise_of_the_right_scale(neighbor, scale):
    noisy = laplace_histogram([0, 0, 7], cells=100_000, epsilon=0.5, neighbor=neighbor, noise="laplace", rng=rng(1))
    noisy[[0, 7]] -= [2, 1]
    assert noise_distribution_test(noisy / scale, laplace_cdf).pvalue > ALARM
    assert noise_distribution_test(0.95 * noisy / scale, laplace_cdf).pvalue < ALARM  # some 13 standard errors of Σz²


@pytest.mark.parametrize("neighbor, changes", RELATIONS.items())
def test_integer_noise_has_the_right_scale(neighbor, changes):
    noisy = laplace_histogram([], cells=200_000, epsilon=0.5, neighbor=neighbor, noise="discrete_laplace", rng=rng(2))
    assert noisy.dtype == np.int64
    q = np.exp(-0.5 / changes)
    variance = 2 * q / (1 - q) ** 2
    spread = np.sqrt(6 / noisy.size)  # at most that of the mean of squares, in units of the variance (kurtosis ≤ 7)
    assert abs(np.mean(noisy**2) / variance - 1) < 5 * spread < 0.05


def geometric_law(rate, furthest=400):
    m = np.abs(np.arange(-furthest, furthest + 1))
    return (1 - np.exp(-rate)) / (1 + np.exp(-rate)) * np.exp(-rate * m)


def test_two_cells_by_enumeration():
    """Replacement moves (a, b) to (a - 1, b + 1): ratio e^(-ε/2) is private, e^-ε only under add/remove."""
    epsilon = 0.8
    for rate, private in [(epsilon / 2, True), (epsilon, False)]:
        law = geometric_law(rate)
        here = np.outer(law[1:-1], law[1:-1]).ravel()
        there = np.outer(law[2:], law[:-2]).ravel()
        assert (hockey_stick(here, there, epsilon) < 1e-12) == private
    law = geometric_law(epsilon)
    assert hockey_stick(law[1:], law[:-1], epsilon) < 1e-12


def test_counts_agree_with_the_naive_ones(monkeypatch):
    """Noise of scale 1e-9 leaves the counts readable; small blocks make every seam show."""
    x = rng(3).integers(0, 7, size=(3, 4, 50))
    naive = np.array([[[np.sum(row == cell) for cell in range(7)] for row in block] for block in x])
    for block in (1, 3, 16, 64, 1 << 16):
        monkeypatch.setattr(_counts, "CACHED_NUMBERS", block)
        for data in (x, x.astype(np.uint8), x.astype(np.uint64), np.asfortranarray(x), x[..., ::-1]):
            noisy = laplace_histogram(data, cells=7, epsilon=1e10, neighbor="replace", noise="laplace", runs=True, rng=rng())
            np.testing.assert_array_equal(noisy.round(), naive)
    np.testing.assert_array_equal(
        laplace_histogram(x[0, 0] > 3, cells=2, epsilon=1e10, neighbor="replace", noise="laplace", rng=rng()).round(),
        [np.sum(x[0, 0] <= 3), np.sum(x[0, 0] > 3)],
    )


def test_uniform_cells(monkeypatch):
    monkeypatch.setattr(_counts, "CACHED_NUMBERS", 8)
    x = np.concatenate([rng(4).normal(scale=3, size=200), [-2, 3, -1e308, 1e308, np.nextafter(3, 0)]])
    cells = np.minimum(np.floor((np.clip(x, -2, 3) + 2) * 10 / 5), 9)
    counts = laplace_histogram(x, cells=10, bounds=(-2, 3), epsilon=1e10, neighbor="replace", noise="laplace", rng=rng()).round()
    np.testing.assert_array_equal(counts, np.bincount(cells.astype(int), minlength=10))
    assert laplace_histogram(x.reshape(5, 41), cells=10, bounds=(-2, 3), epsilon=1e10, neighbor="replace", noise="laplace", runs=True,
                             rng=rng()).shape == (5, 10)
    for bad in [(1, 1), (2, 1), (0, np.inf), 3, (0, 1, 2), (-1e308, 1e308), "ab"]:
        with pytest.raises(ValueError, match="bounds"):
            laplace_histogram(x, cells=3, bounds=bad, epsilon=1, neighbor="replace", noise="laplace", rng=rng())
    with pytest.raises(ValueError, match="labels must be finite$"):
        laplace_histogram([0.5, np.nan], cells=3, bounds=(0, 1), epsilon=1, neighbor="replace", noise="laplace", rng=rng())


def test_empty_data():
    for shape in [(0,), (3, 0), (0, 5), (0, 0)]:
        noisy = laplace_histogram(np.zeros(shape, dtype=int), cells=4, epsilon=1, neighbor="add_remove", noise="laplace", runs=True,
                                  rng=rng())
        assert noisy.shape == (*shape[:-1], 4)
    for histogram in (stability_histogram, truncated_histogram):
        for noise in ("laplace", "discrete_laplace"):
            released = histogram([], domain="text", epsilon=1, delta=1e-6, neighbor="add_remove", noise=noise, rng=rng())
            assert released.labels.size == released.counts.size == 0


# --------------------------------------------------------------------------------------------------------- thresholds


@pytest.mark.parametrize(
    "epsilon, delta, neighbor, laplace, integer",
    [
        (1, 1e-6, "replace", 27.244727, 28),
        (1, 1e-6, "add_remove", 14.12236, 15),
        (0.5, 1e-6, "replace", 53.49, 54),
        (0.1, 1e-6, "replace", 263.45, 264),
        (1, 1e-3, "replace", 13.43, 14),
    ],
)
def test_stability_threshold_golden(epsilon, delta, neighbor, laplace, integer):
    assert abs(stability_threshold(epsilon=epsilon, delta=delta, neighbor=neighbor, noise="laplace") - laplace) < 5e-3
    threshold = stability_threshold(epsilon=epsilon, delta=delta, neighbor=neighbor, noise="discrete_laplace")
    assert threshold == integer and isinstance(threshold, int)


def integer_tail(threshold, epsilon, changes):
    """Pr[1 + Z ≥ T] with 60 digits."""
    q = mpmath.exp(-mpmath.mpf(epsilon) / changes)
    return q ** (threshold - 1) / (1 + q)


@pytest.mark.parametrize("neighbor, changes", RELATIONS.items())
def test_integer_threshold_is_the_smallest(neighbor, changes):
    """Random parameters, and the hardest ones: δ a double next to the tail at an integer, from either side."""
    draws = rng(5)
    with mpmath.workdps(60):
        cases = [(10 ** draws.uniform(-3, 1), 10 ** draws.uniform(-30, np.log10(0.5))) for _ in range(200)]
        for epsilon in (0.1, 1.0, 2.0, 7.0):
            for threshold in (2, 3, 10):
                near = float(integer_tail(threshold, epsilon, changes))
                cases += [(epsilon, d) for d in (near, np.nextafter(near, 0), np.nextafter(near, 1)) if d <= 0.5]
        for epsilon, delta in cases:
            t = stability_threshold(epsilon=epsilon, delta=delta, neighbor=neighbor, noise="discrete_laplace")
            assert integer_tail(t, epsilon, changes) <= mpmath.mpf(delta) < integer_tail(t - 1, epsilon, changes)


def test_laplace_threshold_spends_delta_exactly():
    for epsilon, delta, (neighbor, changes) in product((0.01, 1, 9), (1e-12, 1e-3, 0.5), RELATIONS.items()):
        t = stability_threshold(epsilon=epsilon, delta=delta, neighbor=neighbor, noise="laplace")
        assert t >= 1 and abs(np.exp(-(t - 1) * epsilon / changes) / 2 / delta - 1) < 1e-8


def released_law(count, threshold, rate, bound=None, furthest=200):
    """Law of what a cell shows: place 0 for nothing, then T, T + 1, …; noise truncated to ±bound if given."""
    if count == 0:
        return np.eye(1, 2 * furthest)[0]
    z = np.arange(-furthest, furthest + 1)
    noise = np.exp(-rate * np.abs(z)) * (1 if bound is None else np.abs(z) <= bound)
    noise /= noise.sum()
    shown = count + z >= threshold
    law = np.zeros(2 * furthest)
    law[1 + count + z[shown] - threshold] = noise[shown]
    law[0] = noise[~shown].sum()
    return law


def worst_delta(epsilon, threshold, neighbor, bound=None):
    """Exact δ over neighbouring pairs of two cells: counts around zero, and far above every threshold."""
    rate = epsilon / RELATIONS[neighbor]
    counts = [0, 1, 2, 3, 90]
    laws = {
        count: released_law(count, threshold, rate, bound) for c in counts for count in (c - 1, c, c + 1) if count >= 0
    }
    if neighbor == "add_remove":
        return max(float(hockey_stick(laws[a], laws[a + 1], epsilon)) for a in counts)
    return max(
        float(hockey_stick(np.outer(laws[a], laws[b]).ravel(), np.outer(laws[a - 1], laws[b + 1]).ravel(), epsilon))
        for a in counts[1:]
        for b in counts
    )


@pytest.mark.parametrize("neighbor", RELATIONS)
@pytest.mark.parametrize("epsilon, delta", [(1, 1e-3), (1, 1e-6), (3, 0.2), (0.7, 0.5)])
def test_stability_histogram_by_enumeration(epsilon, delta, neighbor):
    """δ(T) ≤ δ < δ(T - 1), over all neighbours of a small domain."""
    t = stability_threshold(epsilon=epsilon, delta=delta, neighbor=neighbor, noise="discrete_laplace")
    assert worst_delta(epsilon, t, neighbor) <= delta < worst_delta(epsilon, t - 1, neighbor)


def test_enumeration_golden():
    assert round(worst_delta(1, 14, "replace"), 6) == 9.36e-4 and round(worst_delta(1, 13, "replace"), 5) == 1.54e-3


@pytest.mark.parametrize("neighbor", RELATIONS)
@pytest.mark.parametrize("epsilon, delta", [(1, 1e-3), (1, 1e-6), (3, 0.2), (0.7, 0.5)])
def test_truncated_histogram_by_enumeration(epsilon, delta, neighbor):
    """The guarantee holds at A, and at A - 1 the two ends of the noise together hold more than δ."""
    changes = RELATIONS[neighbor]
    bound = _grid.truncation(Decimal(epsilon) / changes, 1, Decimal(delta) / changes)
    exact = worst_delta(epsilon, bound + 2, neighbor, bound)
    assert 0.2 * delta < exact <= delta
    q = np.exp(-epsilon / RELATIONS[neighbor])
    for a, private in [(bound, True), (bound - 1, False)]:
        assert (RELATIONS[neighbor] * q**a / np.sum(q ** np.abs(np.arange(-a, a + 1.0))) <= delta) == private


def test_truncation_golden():
    assert truncated_histogram([0], domain="integers", epsilon=1, delta=1e-6, noise="discrete_laplace", neighbor="replace",
                               rng=rng()).threshold == 27 + 2
    q = np.exp(-0.5)
    assert round(2 * q**27 / np.sum(q ** np.abs(np.arange(-27, 28.0))) * 1e7, 1) == 6.7
    bound = 2 * np.log1p(np.expm1(0.5) / 1e-6)
    assert truncated_histogram([0], domain="integers", epsilon=1, delta=1e-6, neighbor="replace", noise="laplace",
                               rng=rng()).threshold == pytest.approx(1 + bound, rel=1e-9)
    bound = np.log1p(np.expm1(1) / 2e-6)
    assert truncated_histogram([0], domain="integers", epsilon=1, delta=1e-6, neighbor="add_remove", noise="laplace",
                               rng=rng()).threshold == pytest.approx(
        1 + bound
    )


@pytest.mark.parametrize("changes, epsilon, lost", [(2, 1.0, 5e-7), (1, 10.0, 0.2), (2, 0.04, 0.5), (1, 1e3, 1e-9), (2, 2e-4, 1e-12)])
def test_bounded_noise_loses_what_it_should(changes, epsilon, lost):
    """Pr[Z > A - 1] on the grid, in closed form with 60 digits: at most what is lost, and with A one step lower more."""
    noise = _grid.bounded(_grid.count_noise(changes, epsilon), lost)
    with mpmath.workdps(60):
        q, one = mpmath.exp(-1 / mpmath.mpf(8 * noise.fineness)), round(1 / noise.grid)
        mass = lambda a: q**a * (q ** (1 - one) - q) / (1 + q - 2 * q ** (a + 1))
        assert mass(noise.bound) <= lost * (1 - 2.0**-41) < mass(noise.bound - one * 1e-3) and mass(noise.bound) > lost * (1 - 1e-9)


# -------------------------------------------------------------------------------------------------- unlimited labels


@pytest.mark.parametrize(
    "labels",
    [
        rng(6).integers(-50, 50, 500),
        rng(6).integers(0, 2**62, 500) // 2**56,
        rng(6).integers(-100, 100, 300).astype(np.int8),
        np.array([2**63 - 1, 2**63 - 2, 2**63 - 1], dtype=np.uint64),
        np.array([-(2**63), 2**63 - 1, 0, 0]),
        np.array([3, True, np.uint64(3)], dtype=object),
        [np.uint64(3), -1, np.int8(3)],
        np.array([True, False, True]),
        [],
    ],
    ids=lambda labels: str(getattr(labels, "dtype", "list")),
)
def test_counting_integers(labels):
    names, counts = histograms._count_labels(labels, "integers")
    assert dict(zip(names.tolist(), counts.tolist())) == Counter(map(int, labels))
    assert names.tolist() == sorted(set(map(int, labels))) and names.dtype == np.int64


@pytest.mark.parametrize(
    "labels",
    [
        np.array(list("abracadabra")),
        np.array(list("abracadabra"), dtype=object),
        ("a", "a\0", "\ud800", "a"),
        [np.str_("b"), "b", "a"],
        [],
    ],
    ids=lambda labels: str(getattr(labels, "dtype", type(labels).__name__)),
)
def test_counting_text(labels):
    names, counts = histograms._count_labels(labels, "text")
    assert dict(zip(names, counts.tolist())) == Counter(map(str, labels))
    assert names.tolist() == sorted(set(labels)) and {type(name) for name in names} <= {str}


@pytest.mark.parametrize("histogram", [stability_histogram, truncated_histogram])
@pytest.mark.parametrize("noise", ["laplace", "discrete_laplace"])
def test_releases_the_right_cells(histogram, noise):
    labels = np.repeat(np.arange(400), np.r_[[1000] * 200, [1] * 200])
    released = histogram(labels, domain="integers", epsilon=1, delta=1e-9, neighbor="replace", noise=noise, rng=rng(7))
    np.testing.assert_array_equal(released.labels, np.arange(200))
    assert np.all(np.abs(released.counts - 1000) < 100)
    if noise == "laplace":
        assert np.all(released.counts > released.threshold) and released.counts.dtype == np.float64
    else:
        assert np.all(released.counts >= released.threshold) and released.counts.dtype == np.int64


@pytest.mark.parametrize("noise", ["laplace", "discrete_laplace"])
@pytest.mark.parametrize("neighbor", RELATIONS)
def test_singletons_pass_with_probability_delta(neighbor, noise):
    """A million cells of one record: the number released is binomial with parameter δ (or just below it)."""
    n, delta = 1_000_000, 1e-3
    released = stability_histogram(np.arange(n), domain="integers", epsilon=0.5, delta=delta, neighbor=neighbor, noise=noise, rng=rng(8))
    with mpmath.workdps(30):
        p = delta if noise == "laplace" else float(integer_tail(released.threshold, 0.5, RELATIONS[neighbor]))
    assert abs(released.labels.size - n * p) < 5 * np.sqrt(n * p)
    never = truncated_histogram(np.arange(n), domain="integers", epsilon=0.5, delta=delta, neighbor=neighbor, noise=noise, rng=rng(8))
    assert never.labels.size == 0


@pytest.mark.parametrize("noise", ["laplace", "discrete_laplace"])
@pytest.mark.parametrize("delta", [1e-9, 0.5])
def test_truncated_error_is_certain(noise, delta):
    counts = rng(9).integers(1, 60, size=20_000)
    released = truncated_histogram(
        np.repeat(np.arange(counts.size), counts), domain="integers", epsilon=0.5, delta=delta, noise=noise, neighbor="replace", rng=rng(10)
    )
    bound = released.threshold - (1 if noise == "laplace" else 2)
    estimate = np.zeros(counts.size)
    estimate[released.labels] = released.counts
    assert np.max(np.abs(estimate - counts)) <= 1 + 2 * bound
    assert np.max(np.abs(released.counts - counts[released.labels])) <= bound


def test_bounded_noise_follows_its_law():
    noise = replace(_grid.count_noise(2, 2 / 3), bound=round(4 / _grid.count_noise(2, 2 / 3).grid))
    noise = noise.added_to_whole(np.zeros(100_000, dtype=np.int64), rng(11))
    half = -np.expm1(-4 / 3) * 2

    def cdf(z):
        return 0.5 + np.sign(z) * -np.expm1(-np.abs(z) / 3) / half

    assert noise_distribution_test(noise, cdf).pvalue > ALARM and np.max(np.abs(noise)) <= 4
    assert noise_distribution_test(0.97 * noise, cdf).pvalue < ALARM


def test_order_of_the_data_does_not_show():
    labels = rng(12).integers(0, 30, 2000)
    for domain, data in (("integers", labels), ("integers", labels * 10**12), ("text", np.array([f"w{i}" for i in labels]))):
        one, two = (
            stability_histogram(x, domain=domain, epsilon=1, delta=1e-3, neighbor="replace", noise="laplace",
                                rng=rng(13)) for x in (data, data[::-1].copy())
        )
        np.testing.assert_array_equal(one.labels, two.labels)
        np.testing.assert_array_equal(one.counts, two.counts)
        assert np.all(one.labels[:-1] < one.labels[1:])


GIVEN = {"epsilon": 1, "neighbor": "replace", "noise": "laplace"}


@pytest.mark.parametrize(
    "call",
    [
        lambda **k: laplace_histogram([0, 1], **GIVEN | {"cells": 2, "rng": rng(), **k}),
        lambda **k: stability_histogram([0, 1], **GIVEN | {"domain": "integers", "delta": 0.1, "rng": rng(), **k}),
        lambda **k: truncated_histogram([0, 1], **GIVEN | {"domain": "integers", "delta": 0.1, "rng": rng(), **k}),
        lambda **k: stability_threshold(**GIVEN | {"delta": 0.1, **k}),
    ],
    ids=["laplace", "stability", "truncated", "threshold"],
)
def test_bad_parameters(call, request):
    name, source = request.node.callspec.id, rng()
    before = source.bit_generator.state
    randomness = {} if name == "threshold" else {"rng": source}
    bad = {"epsilon": (0, -1, np.nan, np.inf, "1"), "neighbor": ("swap", None), "noise": ("gaussian", None)}
    bad |= {"cells": (0, -1, 2.0, "2", None)} if name == "laplace" else {"delta": (0, 0.51, -1, np.nan, "x")}
    bad |= {"domain": (int, None, "floats")} if name in ("stability", "truncated") else {}
    for parameter, values in bad.items():
        for value in values:
            with pytest.raises(ValueError, match=parameter):
                call(**{parameter: value}, **randomness)
    assert source.bit_generator.state == before
    if randomness:
        with pytest.raises(TypeError, match="rng"):
            call(rng=7)


def test_bad_labels():
    for bad in ([0, 2], [-1, 0], [0.0, 1.0], 1, ["a"]):
        with pytest.raises(ValueError, match="labels"):
            laplace_histogram(bad, cells=2, epsilon=1, neighbor="replace", noise="laplace", rng=rng())
    wrong = {
        "integers": (3, [[1, 2]], [1.0, 2.0], [1, 2.0], [2**63], [1, -(2**63) - 1], [2**100, 1], ["a", 1], [None], np.zeros((2, 2), int)),
        "text": (3, "abc", ["a", 1], ["a", None], [b"a"], [["a"]], np.array("a"), np.array([["a"]]), [float("nan"), "a"]),
    }
    for domain, several in wrong.items():
        for bad in several:
            for histogram in (stability_histogram, truncated_histogram):
                with pytest.raises(ValueError, match="labels"):
                    histogram(bad, domain=domain, **GIVEN, delta=0.1, rng=rng())


def test_data_are_left_alone():
    labels = rng(15).integers(0, 5, 100)
    kept = labels.copy()
    labels.flags.writeable = False
    laplace_histogram(labels, cells=5, epsilon=1, neighbor="replace", noise="laplace", rng=rng())
    stability_histogram(labels, domain="integers", epsilon=1, delta=0.1, neighbor="replace", noise="laplace", rng=rng())
    np.testing.assert_array_equal(labels, kept)
