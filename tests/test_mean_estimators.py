"""mean.estimators: output laws by enumeration, the fine stage against naive code, edges, guarantees that can fail.

Statistical checks: fixed seeds, false-alarm probability 1e-9 (chi-square) or 1e-6 (the rest), and a planted bug each.
"""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pandas
import pytest
from scipy.integrate import quad
from scipy.stats import binom

from dplib import _grid
from dplib._sums import Tally
from dplib.audit import hockey_stick, noise_distribution_test
from dplib.histograms import stability_threshold
from dplib.mean import clip_radius, clipped_mean, estimators, private_scale, two_stage_mean, unbounded_mean
from dplib.mechanisms import exponential_probabilities
from tests.chance import ALARM, chi_square, laplace_cdf, rng


ALL = {
    "clipped": lambda x, **more: clipped_mean(x, **{"runs": True, "radius": 3, "epsilon": 1, "rng": rng(), **more}),
    "two-stage": lambda x, **more: two_stage_mean(x, **{"runs": True, "radius": 3, "epsilon": 1, "rng": rng(), **more}),
    "unbounded": lambda x, **more: unbounded_mean(x, **{"runs": True, "epsilon": 1, "delta": 0.1, "rng": rng(), **more}),
    "scale": lambda x, **more: private_scale(x, **{"runs": True, "epsilon": 1, "delta": 0.1, "rng": rng(), **more}),
}
every = pytest.mark.parametrize("estimate", ALL.values(), ids=ALL)


# ----------------------------------------------------------------------------------------------- the exponential stage


def coarse(x, half, epsilon, seed, runs, width=1.0):
    """The chosen cells of many runs on the same data."""
    rows = np.broadcast_to(np.asarray(x, dtype=float), (runs, len(x)))
    occupied = estimators._occupied(rows, estimators._cells(width), -half, half)
    return estimators._exponential_cells(occupied, runs, half, epsilon, rng(seed))


def cell_counts(x, half, width=1.0):
    return np.array([sum(k * width <= value < (k + 1) * width for value in x) for k in range(-half, half)])


DATA = [-0.5, 0.2, 0.3, 0.9, 1.5, 1.5, 7.0, -9.0, 2.999]


@pytest.mark.parametrize("half, width, epsilon", [(3, 1.0, 1.0), (1, 1.0, 2.0), (2, 2.0, 0.3), (6, 0.5, 1.5)])
def test_the_exponential_stage_has_exactly_its_law(half, width, epsilon):
    """300,000 draws against the law over all cells, empty ones one by one; twice the temperature is noticed."""
    counts = cell_counts(DATA, half, width)
    cells = coarse(DATA, float(half), epsilon, seed=3, runs=300_000, width=width)
    drawn = np.bincount((cells + half).astype(int), minlength=2 * half)
    assert chi_square(drawn, exponential_probabilities(counts, sensitivity=1, epsilon=epsilon)) > 1e-9
    assert chi_square(drawn, exponential_probabilities(counts, sensitivity=2, epsilon=epsilon)) < 1e-9


def test_outside_records_are_ignored_not_moved():
    """Clamping them into the end cells is another law, and the check would notice."""
    counts = cell_counts(DATA, 3)
    drawn = np.bincount((coarse(DATA, 3.0, 1.0, seed=4, runs=300_000) + 3).astype(int), minlength=6)
    clamped = counts + np.array([1, 0, 0, 0, 0, 1])
    assert chi_square(drawn, exponential_probabilities(counts, sensitivity=1, epsilon=1)) > 1e-9
    assert chi_square(drawn, exponential_probabilities(clamped, sensitivity=1, epsilon=1)) < 1e-9


def test_cells_that_are_all_occupied():
    x = np.repeat([-1.5, -0.5, 0.5, 1.5], [3, 1, 2, 5])
    drawn = np.bincount((coarse(x, 2.0, 1.0, seed=5, runs=100_000) + 2).astype(int), minlength=4)
    assert chi_square(drawn, exponential_probabilities([3, 1, 2, 5], sensitivity=1, epsilon=1)) > 1e-9


def test_runs_do_not_mix():
    """Runs of different data side by side: each follows its own law."""
    x = np.array([[0.5, 0.5, 0.5, -1.5], [-1.5, -1.5, 1.5, 99], [99, -99, 99, 99.0]])
    rows = np.tile(x, (100_000, 1))
    occupied = estimators._occupied(rows, estimators._cells(1.0), -2.0, 2.0)
    cells = estimators._exponential_cells(occupied, len(rows), 2.0, 1.5, rng(6)).reshape(-1, 3)
    for each, data in zip(cells.T, x, strict=True):
        law = exponential_probabilities(cell_counts(data, 2), sensitivity=1, epsilon=1.5)
        assert chi_square(np.bincount((each + 2).astype(int), minlength=4), law) > 1e-9


@pytest.mark.parametrize("half", [5e11, 5e49, 1e308])
def test_astronomically_many_cells(half):
    """Half of the mass on the empty cells, all K - 1: their share is binomial, they are spread evenly, none is taken."""
    n, runs = 1000, 20_000
    epsilon = 2 * (np.log(half) + np.log(2)) / n  # e^(ε n/2) = K
    cells = coarse(np.full(n, 7.5), half, epsilon, seed=7, runs=runs)
    found = cells == 7
    low, high = binom.ppf([ALARM / 2, 1 - ALARM / 2], runs, 0.5)
    assert low <= found.sum() <= high
    empty = cells[~found]
    assert np.all(np.abs(empty / half) <= 1) and np.all(empty == np.floor(empty))
    assert chi_square(np.histogram(empty / half, bins=10, range=(-1, 1))[0], np.full(10, 0.1)) > 1e-9


def exact_law(x, half, epsilon, monkeypatch):
    """The output law of the coarse stage, from the very numbers to which it adds its Gumbel noise."""
    seen = {}
    monkeypatch.setattr(_grid, "noisy_log_weights", lambda log_weights, rng: log_weights)
    monkeypatch.setattr(estimators, "_largest", lambda run, labels, noisy, best, cells: seen.update(
        labels=labels, noisy=noisy, best=best[0]) or cells)
    occupied = estimators._occupied(np.array([x]), estimators._cells(1.0), -half, half)
    estimators._exponential_cells(occupied, 1, half, epsilon, rng())
    law = np.full(int(2 * half), np.nan)
    law[(seen["labels"] + half).astype(int)] = np.exp(seen["noisy"])
    empty = np.isnan(law)
    law[empty] = np.exp(seen["best"]) / empty.sum()
    return law / law.sum()


@pytest.mark.parametrize("n", [2, 3])
def test_the_exponential_stage_is_private_by_enumeration(n, monkeypatch):
    """All data sets of up to three records from six values, two of them outside, and all their neighbours."""
    epsilon, domain = 3.0, [-7.0, -1.5, -0.5, 0.0, 1.999, 40.0]
    laws, hot = ({x: exact_law(x, 2.0, spent, monkeypatch) for x in product(domain, repeat=n)}
                 for spent in (epsilon, 2 * epsilon))
    pairs = [(x, (*x[:i], value, *x[i + 1:])) for x in laws for i, value in product(range(n), domain)]
    for x, law in laws.items():
        np.testing.assert_allclose(law, exponential_probabilities(cell_counts(x, 2), sensitivity=1, epsilon=epsilon))
    assert max(hockey_stick(laws[x], laws[y], epsilon) for x, y in pairs) < 1e-12
    assert max(hockey_stick(hot[x], hot[y], epsilon) for x, y in pairs) > 0.1  # without the 2 of e^(ε c/2)


@pytest.mark.parametrize("count", [10, 10**6, 10**8, 10**12])
def test_weights_of_many_records_are_exact_enough(count, monkeypatch):
    """What is drawn from differs from the exact scores by less than is paid for, however many records there are."""
    seen = []
    monkeypatch.setattr(_grid, "noisy_log_weights", lambda weights, rng: seen.append(weights) or np.zeros(weights.shape, dtype=np.int64))
    epsilon = 0.7310585786300049
    counts = np.array([count, count - 3, count // 2, 1])
    occupied = np.zeros(4, dtype=np.int64), np.arange(4.0), counts
    estimators._exponential_cells(occupied, 1, 1e6, epsilon, rng())
    for weight, other in zip(seen[0], counts, strict=True):
        exact = Fraction(epsilon) / 2 * (int(other) - int(count))
        if weight > -700:
            assert abs(Fraction(float(weight)) - Fraction(float(seen[0][0])) - exact) < Fraction(1, 2**40)
    assert max(*seen[0], *seen[1]) == 0


# ------------------------------------------------------------------------------------------------- the stability stage


def winner_law(counts, scale, threshold):
    """The chance that each cell is released with the largest noisy count, then that none is released; by quadrature."""
    def density(z):
        return np.exp(-abs(z) / scale) / (2 * scale)

    wins = []
    for i, count in enumerate(counts):
        others = [c for j, c in enumerate(counts) if j != i]
        parts = sorted({threshold, *(c for c in counts if c > threshold), threshold + 60 * scale})
        wins.append(sum(quad(lambda y: density(y - count) * np.prod([laplace_cdf((y - c) / scale) for c in others]),
                             low, high, epsabs=1e-13)[0] for low, high in zip(parts, parts[1:], strict=False)))
    return np.array([*wins, np.prod(laplace_cdf((threshold - np.array(counts)) / scale))])


@pytest.mark.parametrize("counts, epsilon, delta", [
    ((6, 4, 1), 1.0, 0.05), ((3, 3), 2.0, 0.3), ((40, 30, 2), 0.3, 1e-3),
])
def test_the_stability_stage_has_exactly_its_law(counts, epsilon, delta):
    """200,000 draws against the exact chances of each winner and of a refusal; noise of scale 1/ε is noticed."""
    x = np.repeat([-3.5, 0.5, 1e9], np.pad(counts, (0, 3 - len(counts))))
    rows = np.broadcast_to(x, (200_000, x.size))
    occupied = estimators._occupied(rows, estimators._cells(1.0), -np.inf, np.inf)
    threshold = stability_threshold(epsilon=epsilon, delta=delta, neighbor="replace", noise="laplace")
    cells = estimators._released_cells(occupied, len(rows), threshold, epsilon, rng(8))
    names = np.floor(np.unique(x))
    drawn = np.array([*(np.sum(cells == name) for name in names), np.isnan(cells).sum()])
    assert drawn.sum() == len(rows)
    law = winner_law(counts, 2 / epsilon, threshold)
    assert law.sum() == pytest.approx(1, abs=1e-9)
    assert chi_square(drawn, law) > 1e-9 > chi_square(drawn, winner_law(counts, 1 / epsilon, threshold))


def test_a_single_record_is_seen_with_probability_delta():
    seen = np.isfinite(unbounded_mean(np.full((200_000, 1), 5e5), epsilon=2, delta=0.05, runs=True, rng=rng(9)))
    low, high = binom.ppf([ALARM / 2, 1 - ALARM / 2], seen.size, 0.05)
    assert low <= seen.sum() <= high


def test_the_winner_is_private_by_quadrature():
    """The exact laws for three cells and all ways to move one record: (ε, δ), and not with a threshold one lower."""
    epsilon, delta = 1.0, 0.02
    threshold = stability_threshold(epsilon=epsilon, delta=delta, neighbor="replace", noise="laplace")

    def law(counts, threshold):
        shown = np.zeros(len(counts) + 1)
        held = np.array([*(c > 0 for c in counts), True])
        shown[held] = winner_law([c for c in counts if c], 2 / epsilon, threshold)
        return shown

    pairs = [((1, 0, 2), (0, 1, 2)), ((2, 0, 1), (1, 1, 1)), ((3, 0, 0), (2, 1, 0)), ((0, 1, 0), (0, 0, 1)),
             ((30, 25, 0), (29, 26, 0)), ((12, 12, 12), (11, 13, 12)), ((1, 8, 0), (0, 9, 0))]
    both = [(a, b) for pair in pairs for a, b in (pair, pair[::-1])]
    exact = [hockey_stick(law(a, threshold), law(b, threshold), epsilon) for a, b in both]
    assert max(exact) == pytest.approx(delta, rel=1e-6)
    assert max(hockey_stick(law(a, threshold - 1), law(b, threshold - 1), epsilon) for a, b in both) > 1.5 * delta


# ------------------------------------------------------------------------------------------------------ the fine stage


def naive_window_mean(x, middle, half_width):
    return np.mean([min(max(value - middle, -half_width), half_width) for value in map(float, x)])


def naive_window_sum(x, middle, window):
    """In whole units, record by record, in exact arithmetic."""
    clipped = (min(max(value - middle, -window.half_width), window.half_width) for value in map(float, x))
    return sum(round(Fraction(value) / Fraction(window.unit)) for value in clipped)


@pytest.mark.parametrize("block", [2, 6, 16, 64, 1 << 17])
def test_cells_and_means_agree_with_naive_code(block, monkeypatch):
    """Small blocks make every seam show."""
    monkeypatch.setattr(estimators, "SORTED_NUMBERS", block)
    x = rng(10).normal(scale=4, size=(3, 4, 25))
    for data in (x, np.asfortranarray(x), x[..., ::-1], x.astype(np.float32), (10 * x).astype(int), x[..., :1]):
        rows, shape = estimators.rows_of_runs(data, True)
        flat = np.asarray(data, dtype=float).reshape(-1, data.shape[-1])
        middles = np.linspace(-3, 3, 12)
        window = Tally.of(rows.shape[1], 2.5)
        naive = [naive_window_sum(row, middle, window) for row, middle in zip(flat, middles, strict=True)]
        assert estimators._window_sums(rows, middles, window).tolist() == naive
        run, labels, counts = estimators._occupied(rows, estimators._cells(1.5), -4, 3)
        found = {(int(r), int(k)): int(c) for r, k, c in zip(run, labels, counts, strict=True)}
        cells = Counter((i, int(np.floor(value / 1.5))) for i, row in enumerate(flat) for value in row)
        assert found == {key: count for key, count in cells.items() if -4 <= key[1] < 3} and shape == (3, 4)
        octaves = estimators._occupied(rows, estimators._octaves, -estimators.LARGEST_FLOAT, np.inf)
        pairs = Counter((i, int(np.floor(np.log2(abs(row[j + 1] - row[j])) - 0.5)))
                        for i, row in enumerate(flat) for j in range(0, row.size - 1, 2) if row[j + 1] != row[j])
        assert {(int(r), int(k)): int(c) for r, k, c in zip(*octaves, strict=True)} == pairs


def test_noiseless_limits():
    """With ε = 10¹² nothing is left but the means of clipped records, about the fullest cell."""
    x = rng(11).normal(loc=1.2, size=(5, 400))
    x[:, :3] = [-1e308, 1e5, 40.0]
    x[:, 3:60] = 1.1  # the fullest cell, without a tie
    window = 3 + clip_radius(size=400, beta=0.05)
    naive = [naive_window_mean(row, 0, window) for row in x]
    np.testing.assert_allclose(clipped_mean(x, radius=3, epsilon=1e12, beta=0.05, runs=True, rng=rng()), naive, atol=1e-10)
    window = 1.5 * 0.5 + clip_radius(size=400, beta=0.05)
    for row in x:
        labels, counts = np.unique(np.floor(row[3:] / 0.5), return_counts=True)
        middle = (labels[counts.argmax()] + 0.5) * 0.5
        given = dict(epsilon=1e12, width=0.5, beta=0.05, rng=rng())
        naive = middle + naive_window_mean(row, middle, window)
        assert two_stage_mean(row, radius=3, **given) == pytest.approx(naive, abs=1e-10)
        assert unbounded_mean(row, delta=1e-9, **given) == pytest.approx(naive, abs=1e-10)


@pytest.mark.parametrize("estimate, share", [
    (lambda x, rng: clipped_mean(x, radius=2, epsilon=0.9, beta=0.1, runs=True, rng=rng), 1),
    (lambda x, rng: two_stage_mean(x, radius=2, epsilon=0.9, split=0.7, width=2.0, beta=0.1, runs=True, rng=rng), 0.3),
    (lambda x, rng: unbounded_mean(x, epsilon=0.9, delta=0.1, split=0.7, width=2.0, beta=0.1, runs=True, rng=rng), 0.3),
])
def test_the_noise_has_its_scale(estimate, share):
    """All 400 records at 1, so that the coarse stage is certain; what is left is Laplace noise. A twentieth less of it
    is noticed, some 15 standard errors of Σz² away."""
    half_width = (2 if share == 1 else 3) + clip_radius(size=400, beta=0.1)
    noise = (estimate(np.ones((100_000, 400)), rng(12)) - 1) / (2 * half_width / (400 * share * 0.9))
    assert noise_distribution_test(noise, laplace_cdf).pvalue > ALARM > noise_distribution_test(0.95 * noise, laplace_cdf).pvalue


def test_the_window_holds_what_one_record_can_move():
    """The sensitivity is attained: records at both ends of the window."""
    for half_width in (2.0, 5e-324, 1e300):
        window = Tally.of(3, half_width)
        for middle in (None, np.array([7.5])):
            rows = [np.array([[value, 0.0, 3.0]]) for value in (-1.7e308, 1.7e308)]
            ends = [int(estimators._window_sums(row, middle, window)[0]) for row in rows]
            assert ends[1] - ends[0] == window.moved and window.moved * window.unit / 2 == pytest.approx(half_width, rel=1e-10)


@pytest.mark.parametrize("size, epsilon, radius, split, expected", [
    (1000, 0.5, 2, None, 0.094), (1000, 0.5, 8, None, 0.154), (1000, 0.5, 15, None, 0.243),
    (1000, 0.5, 100, None, 1.28),
    (1000, 0.5, 8, 0.5, 0.15), (1000, 0.5, 100, 0.5, 0.15), (1000, 0.5, 100, 0.25, 0.11),
])
def test_errors_of_an_independent_simulation(size, epsilon, radius, split, expected):
    """The 95% error of 4000 runs, against one computed elsewhere; ±10% is five standard errors."""
    x = rng(13).normal(loc=radius / 3, size=(4000, size))
    given = dict(radius=radius, epsilon=epsilon, rng=rng(14))
    answer = clipped_mean(x, **given, runs=True) if split is None else two_stage_mean(x, split=split, **given, runs=True)
    assert np.quantile(np.abs(answer - radius / 3), 0.95) == pytest.approx(expected, rel=0.1)


def test_the_cliff():
    """At n = 300 and R = 100 a quarter of ε does not find the cell, half of it does."""
    x = rng(15).normal(loc=33.3, size=(4000, 300))
    answers = [two_stage_mean(x, radius=100, epsilon=0.5, split=split, runs=True, rng=rng(16)) for split in (0.25, 0.5)]
    broken, holds = (np.quantile(np.abs(answer - 33.3), 0.95) for answer in answers)
    assert broken > 20 and holds < 1


# ------------------------------------------------------------------------------------------------------------ the scale


@pytest.mark.parametrize("epsilon, size, refused, wrong", [
    (0.5, 400, 0.065, 5e-4), (0.5, 800, 0, 0), (0.25, 800, 0.04, 5e-4),
])
def test_scale_refuses_and_errs_as_simulated_elsewhere(epsilon, size, refused, wrong):
    """10,000 runs with σ spread over an octave; the refusals within 0.015, the errors within 0.002."""
    sigma = np.exp2(rng(17).uniform(5, 6, size=(10_000, 1)))
    found = private_scale(rng(18).normal(scale=sigma, size=(10_000, size)), epsilon=epsilon, delta=1e-6, runs=True, rng=rng(19))
    released = np.isfinite(found)
    assert np.mean(~released) == pytest.approx(refused, abs=0.015)
    ratio = (found / sigma[:, 0])[released]
    assert np.mean((ratio <= 1) | (ratio > 8)) == pytest.approx(wrong, abs=0.002)
    assert np.median(ratio) == pytest.approx(2.6, rel=0.1)


def test_scale_follows_the_unit_and_ignores_the_shift():
    x = rng(20).normal(size=(50, 401))
    found = private_scale(x, epsilon=1, delta=1e-3, runs=True, rng=rng(21))
    np.testing.assert_array_equal(private_scale(x * 2.0**40, epsilon=1, delta=1e-3, runs=True, rng=rng(21)), found * 2.0**40)
    np.testing.assert_array_equal(private_scale(-x, epsilon=1, delta=1e-3, runs=True, rng=rng(21)), found)
    other = np.append(x[:, :-1], 1e300 * np.ones((50, 1)), axis=1)
    np.testing.assert_array_equal(private_scale(other, epsilon=1, delta=1e-3, runs=True, rng=rng(21)), found)


def test_scale_of_pairs_that_are_equal_or_far_apart():
    given = dict(epsilon=1e6, delta=1e-6, rng=rng())
    assert np.isnan(private_scale(np.full(1000, 3.0), **given))
    assert np.isnan(private_scale([1.0], **given))
    assert private_scale(np.tile([0, 0, 0, 4], 50), **given) == 8  # D = 2√2, in the octave [2, 4)
    assert private_scale(np.tile([1e308, -1e308], 50), **given) == 2.0**1023
    assert private_scale(np.tile([0, 5e-324], 50), **given) == 2.0**-1073


# ---------------------------------------------------------------------------------------------------------------- edges


@every
def test_shapes_and_types(estimate):
    x = rng(22).normal(size=(2, 3, 40))
    assert estimate(x).shape == (2, 3) and estimate(x).dtype == np.float64
    assert np.ndim(estimate(x[0, 0])) == 0 and np.ndim(estimate([1.0])) == 0
    for empty in (np.zeros((0, 5)), np.zeros((2, 0, 5)), np.zeros((0, 100_000))):
        assert estimate(empty).shape == empty.shape[:-1]
    whole = (10 * x[0, 0]).astype(np.int64)
    same = [estimate(whole.astype(kind)) for kind in (np.int64, np.int8, np.float64, np.float32)]
    assert all(np.array_equal(one, same[0], equal_nan=True) for one in same)
    assert np.array_equal(estimate(whole.tolist()), same[0], equal_nan=True)
    assert np.array_equal(estimate(whole > 0), estimate((whole > 0) * 1.0), equal_nan=True)
    estimate(np.full(50, 2**63, dtype=np.uint64))


@every
def test_every_magnitude(estimate):
    """No overflow, no warning, and an answer or a refusal."""
    for x in ([1e308] * 100, [1e308, -1e308] * 50, [5e-324, 0.0, -0.0] * 30, np.geomspace(1e-308, 1e308, 1001)):
        assert not np.isinf(estimate(x))


def test_huge_radii_and_data():
    x = [1e308] * 1000
    assert two_stage_mean(x, radius=1.7e308, epsilon=1e3, rng=rng()) == pytest.approx(1e308)
    assert two_stage_mean(x, radius=1.7e308, epsilon=1e3, width=1e290, rng=rng()) == pytest.approx(1e308)
    assert clipped_mean(x, radius=1.7e308, epsilon=1e6, rng=rng()) == pytest.approx(1e308, rel=0.01)
    assert unbounded_mean(x, epsilon=1, delta=1e-6, rng=rng()) == pytest.approx(1e308)
    beyond = unbounded_mean(x, epsilon=1, delta=1e-6, width=1e-12, rng=rng())  # x/w is no float: the last cell
    assert beyond == pytest.approx(np.finfo(float).max * 1e-12)
    far = rng(23).normal(loc=1e12, size=1000)
    assert unbounded_mean(far, epsilon=1, delta=1e-6, rng=rng()) == pytest.approx(1e12, abs=0.2)


def test_radius_zero():
    x = rng(24).normal(size=(200, 500))
    assert np.abs(two_stage_mean(x, radius=0, epsilon=2, runs=True, rng=rng(25))).max() < 0.5
    assert np.abs(clipped_mean(x, radius=0, epsilon=2, runs=True, rng=rng(25))).max() < 0.5
    assert np.all(np.isin(coarse(x[0], 1.0, 1e-9, seed=26, runs=1000), [-1, 0]))


@every
def test_nothing_is_mutated(estimate):
    x = rng(27).normal(size=(3, 50))
    kept = x.copy()
    x.flags.writeable = False
    estimate(x)
    np.testing.assert_array_equal(x, kept)


BAD_RECORDS = [
    ([], "x must have at least 1 records on the last axis, got shape \\(0,\\)"),
    ([[]], "x must have at least 1 records on the last axis, got shape \\(1, 0\\)"),
    (3.0, "x must have at least 1 records on the last axis, got shape \\(\\)"),
    ([1, np.nan], "x must be finite$"),
    ([np.inf, -np.inf], "x must be finite$"),
    (np.r_[np.zeros(100_000), -np.inf], "x must be finite$"),
    (["a"], "x must hold real numbers"),
    ([1j], "x must hold real numbers"),
    ([None, 1.0], "x must hold real numbers, got an array of type object$"),
    ([[1.0], [1.0, 2.0]], "x must be one array of numbers, got rows of different lengths"),
    (np.ma.array([1.0, 1e6, 2.0], mask=[0, 1, 0]), "x must be a plain array, got a masked one"),
    (np.ma.array([1.0, 1e6, 2.0]), "x must be a plain array, got a masked one"),
    (pandas.DataFrame({"age": [1.0, 2.0], "height": [3.0, 4.0]}), "x must be an array, got a DataFrame"),
    (pandas.Series([1, None], dtype="Int64"), "x must be finite$"),
]


@every
@pytest.mark.parametrize("x, message", BAD_RECORDS)
def test_bad_records_are_refused_before_any_noise(estimate, x, message):
    generator = rng()
    before = generator.bit_generator.state
    with pytest.raises(ValueError, match=message):
        estimate(x, rng=generator)
    assert generator.bit_generator.state == before


@every
def test_a_table_is_not_read_as_many_data_sets(estimate):
    with pytest.raises(ValueError, match="x must be one data set with its records on one axis, got shape \\(569, 30\\); with runs=True"):
        estimate(np.zeros((569, 30)), runs=False)
    with pytest.raises(ValueError, match="runs must be one of False, True, got 'yes'"):
        estimate(np.zeros((569, 30)), runs="yes")


@every
def test_a_message_shows_no_record(estimate):
    for bad in ([123.456] * 1000 + [None], np.full(1000, 123.456 + 1j), ["123.456"] * 1000, [123456 * 10**400] * 1000):
        with pytest.raises(ValueError, match="x must") as told:
            estimate(bad, rng=rng())
        assert "123" not in str(told.value) and len(str(told.value)) < 100


BAD_PARAMETERS = [
    ("clipped two-stage", dict(radius=-1), "radius must be finite and at least 0, got -1.0"),
    ("clipped two-stage", dict(radius=np.inf), "radius must be finite and at least 0, got inf"),
    ("clipped two-stage", dict(radius=[1, 2]), "radius must be a single number"),
    ("two-stage", dict(radius=1e308, width=0.1), "radius / width must be finite, got inf"),
    ("clipped two-stage unbounded scale", dict(epsilon=0), "epsilon must be finite and above 0, got 0.0"),
    ("clipped two-stage", dict(epsilon=1e-320), "the noise 2B/\\(nε\\) must be a positive float, got B ="),
    ("clipped two-stage unbounded scale", dict(epsilon=1e-15), "epsilon must be at least"),
    ("clipped", dict(radius=1.7e308, epsilon=0.5), "the noise 2B/\\(nε\\) must be a positive float, got B = 1.7e\\+308, n = 2"),
    ("clipped two-stage unbounded", dict(beta=0), "beta must be finite and above 0 and below 1, got 0.0"),
    ("clipped two-stage unbounded", dict(beta=[0.1]), "beta must be a single number"),
    ("two-stage unbounded", dict(split=0), "split must be finite and above 0 and below 1, got 0.0"),
    ("two-stage unbounded", dict(split=1), "split must be finite and above 0 and below 1, got 1.0"),
    ("two-stage unbounded", dict(width=0), "width must be finite and above 0, got 0.0"),
    ("two-stage unbounded", dict(width=1e308), "the noise 2B/\\(nε\\) must be a positive float, got B = 1.5e\\+308"),
    ("unbounded scale", dict(delta=0), "delta must be finite and above 0 and at most 0.5, got 0.0"),
    ("unbounded scale", dict(delta=0.6), "delta must be finite and above 0 and at most 0.5, got 0.6"),
]


@pytest.mark.parametrize("names, bad, message", BAD_PARAMETERS)
def test_bad_parameters_are_named_before_any_noise(names, bad, message):
    for name in names.split():
        generator = rng()
        before = generator.bit_generator.state
        with pytest.raises(ValueError, match=message):
            ALL[name]([0.1, 0.2], **bad, rng=generator)
        assert generator.bit_generator.state == before


@every
@pytest.mark.parametrize("bad", [None, 0, np.random.RandomState(0), np.random])
def test_randomness_is_a_generator(estimate, bad):
    with pytest.raises(TypeError, match="rng must be a numpy.random.Generator"):
        estimate([0.0, 1.0], rng=bad)


def test_the_largest_floats_end_at_infinity_without_a_warning():
    """The noise may lift an answer beyond all floats: no warning then tells what the data were."""
    most = np.finfo(float).max
    with np.errstate(all="raise", under="ignore"):
        for seed in range(20):
            assert clipped_mean(np.full(9, most), radius=most, epsilon=3, rng=rng(seed)) >= 0
            assert not unbounded_mean(np.full(9, most), epsilon=1e-9, delta=0.5, rng=rng(seed)) < 0
            assert np.isfinite(two_stage_mean([0.0, 1.0], radius=3, width=1e307, epsilon=1, rng=rng(seed)))


def test_a_vast_budget_still_finds_the_fullest_cell():
    x = np.r_[np.full(900, 3.2), np.full(100, 70.2)]
    for epsilon in (1e3, 1e290, 1e307, 1.7e308):
        assert two_stage_mean(x, radius=100, epsilon=epsilon, rng=rng(3)) == pytest.approx(x.clip(-2.5, 8.5).mean(), abs=0.5)
