"""The statements of the page on floating-point noise."""

import functools
import itertools
import math
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from unittest.mock import patch

import numpy as np
from scipy.special import ndtr

from dplib import _grid, _staircase
from dplib._grid import rounded
from dplib._staircase import LAWS, level
from dplib._staircase import STAIRCASE_ROUNDING as ROUNDING
from dplib.audit import hockey_stick
from dplib.mechanisms import exponential, gaussian, gaussian_sigma, laplace, laplace_idealized, permute_and_flip, report_noisy_max
from tests.claims import claim, page_function
from tests.test_staircase import enumerated

possible, staircase = (page_function("bits", name) for name in ("possible", "staircase"))

# --- the last digits ------------------------------------------------------------------------------------------------


def inverse(slack=0, half_steps=True, further=2):
    """Which outputs are possible, with room for mistakes."""
    log = np.vectorize(math.log, otypes=[float])

    def possible(y, answer, b):
        tail = np.exp(-np.abs(y - answer) / b) / 2
        near = np.rint(np.where(y < answer, tail, 1 - tail) * 2.0**53)
        found = np.zeros(y.shape, dtype=bool)
        for step in range(-further, further + 1):
            u = np.clip(near + step, 1, 2.0**53 - 1) / 2**53
            if not half_steps:
                u = np.where(u < 0.5, u, np.rint(u * 2.0**51) / 2**51)
            output = answer + np.where(u < 0.5, b * log(np.minimum(u + u, 1)), -b * log(np.minimum(2 - u - u, 1)))
            found |= np.abs(output - y) <= slack * np.spacing(np.abs(y))
        return found

    return possible


@claim("prop-last-digits", possible,
       mutants={"outputs one digit off count as possible": inverse(slack=1),
                "every second state of the upper half forgotten": inverse(half_steps=False),
                "one state only is tried": inverse(further=0)})
def test_the_inversion_convicts_and_never_the_innocent(possible):
    """Draw 10 000 numbers with NumPy's noise for each of twelve answers and scales, and ask which of two answers could
    have produced them: the true one always can, the other one not for a share of them. The same verdicts come from
    trying 401 states around each number. The exact distributions of a generator with seven states break every ε.
    """
    rng, shares = np.random.default_rng(1), {}
    for (f, other), b in itertools.product([(0.0, 1.0), (1.0, 0.0), (3.0, 4.0), (30.0, 31.0)], (1.0, 10.0, 100.0)):
        y = laplace_idealized(np.full(10_000, f), scale=b, rng=rng)
        assert possible(y, f, b).all()
        shares[f, b] = np.mean(~possible(y, other, b))
        few = y[:250]
        wide = inverse(further=200)
        assert np.array_equal(possible(few, other, b), wide(few, other, b))
    assert min(shares[0.0, b] for b in (1.0, 10.0, 100.0)) > 0.75 and shares[30.0, 1.0] < 0.3  # a large answer hides digits
    states = [Fraction(2 * j, 8) if j < 4 else Fraction(8, 16 - 2 * j) for j in range(1, 8)]  # e^noise, of U = j/8
    shifted = [2 * e for e in states]  # of the answer ln 2
    outputs = sorted({*states, *shifted})
    laws = [[sum(e == o for e in all_) / 7 for o in outputs] for all_ in (states, shifted)]
    share = sum(p for p, q in zip(*laws) if q == 0)
    assert share == 3 / 7 and all(share <= hockey_stick(*laws, epsilon=e) + 1e-12 for e in (0, 1, 50)), "ε cannot make up for it"
    low, high = (worst(shares[0.0, b] for b in (1.0, 10.0, 100.0)) for worst in (min, max))
    return f"of the numbers published for the answer 0, {low:.1%} to {high:.1%} rule out the answer 1, and none rules out 0"


# --- released on a grid ---------------------------------------------------------------------------------------------

COARSE_GRID = 3  # binary digits of the scale above the grid, instead of 40: then what rounding costs is seen


@contextmanager
def noise_known(steps, coarse=None):
    """All noise is these steps; a list of the noise that was asked for, and a grid as coarse as is said."""
    asked = []

    def drawn(self, shape, rng):
        asked.append(self)
        return np.resize(steps, shape).astype(np.int64)

    with patch.object(_grid.Noise, "_drawn", drawn), patch.object(_grid, "FINE", coarse or _grid.FINE):
        yield asked


def on_a_grid(value, *, sensitivity, epsilon, delta=None, rng, paid=True, rounds=True, public=True):
    """Laplace noise, or Gaussian noise if there is a δ, with room for mistakes."""
    d = value.shape[-1]
    if delta is None:
        noise, moved = _grid.laplace_noise(sensitivity=sensitivity, epsilon=epsilon, entries=d), d
    else:
        noise, moved = _grid.normal_noise(sensitivity=sensitivity, epsilon=epsilon, delta=delta, entries=d), math.sqrt(d)
    if not paid:  # the scale for the sensitivity alone
        noise = replace(noise, fineness=math.ceil(noise.fineness * sensitivity / (sensitivity + moved * noise.grid)))
    if not public:  # a grid in proportion to the answer
        noise = replace(noise, grid=noise.grid * 2.0 ** math.ceil(math.log2(1 + np.abs(value).max())))
    if rounds:
        return noise.added_to(value, rng)
    return value + noise._drawn(value.shape, rng) * noise.grid


def mistaken(**mistake):
    return (functools.partial(on_a_grid, **mistake),) * 2


def published_integers(release, value, steps, asked, **given):
    """What is published less the noise, in steps of the grid: whole numbers, and the answer's nearest."""
    y = release(value, rng=np.random.default_rng(), **given)
    whole = [Fraction(float(v)) / Fraction(asked[-1].grid) - int(n) for v, n in zip(y, np.resize(steps, y.shape))]
    assert all(k.denominator == 1 for k in whole), "off the grid"
    assert all(abs(k - Fraction(float(v)) / Fraction(asked[-1].grid)) <= Fraction(1, 2) for k, v in zip(whole, value))
    return np.array([int(k) for k in whole])


@claim("thm-grid-release", laplace, gaussian,
       mutants={"the step not included in the sensitivity": mistaken(paid=False),
                "noise next to an answer that is not rounded": mistaken(rounds=False),
                "a grid that follows the answer": mistaken(public=False)})
def test_integers_that_are_published(laplace, gaussian):
    """Publish 400 pairs of neighbours of one to 40 entries, on grids of 2⁻⁴⁰ and of 2⁻³ of the scale, with noise that is
    known. What is published is a whole number of steps of the same grid for both, the answer is moved by half a step
    at most, and the distance of the two integer vectors, in units of the noise, is at most ε, or that of Gaussian noise.
    Known noise of any size, added to answers of any size, makes the float nearest to the exact sum.
    """
    rng, spent = np.random.default_rng(2), {}
    for coarse, d in itertools.product((None, COARSE_GRID), (1, 2, 5, 40)):
        for _ in range(50):
            epsilon, delta, sensitivity = 10 ** rng.uniform(-1, 1), 10 ** rng.uniform(-9, -2), 10 ** rng.uniform(-3, 3)
            steps = rng.integers(-(2**20), 2**20, d)
            for release, order, extra in ((laplace, 1, {}), (gaussian, 2, dict(delta=delta))):
                given = dict(sensitivity=sensitivity, epsilon=epsilon) | extra
                with noise_known(steps, coarse) as asked:
                    release(np.zeros(d), rng=np.random.default_rng(), **given)
                    far = sensitivity / d ** (1 / order)  # each entry moves so far, from just below a half of a step upwards
                    low = (rng.integers(-9, 9, d) + 0.4999) * asked[0].grid
                    ends = [published_integers(release, v, steps, asked, **given) for v in (low, low + far * (1 - 1e-12))]
                    assert len({noise.grid for noise in asked}) == 1, "the grid depends on the answer"
                distance = np.linalg.norm(ends[0] - ends[1], order) / (_staircase.STEPS * asked[0].fineness)
                allowed = epsilon if order == 1 else 1 / gaussian_sigma(sensitivity=1, epsilon=epsilon, delta=delta)
                spent[order, coarse] = max(spent.get((order, coarse), 0), distance / allowed)
                assert distance <= allowed, (order, coarse, d)
    for exponent in rng.integers(-900, 900, 200):
        value, steps = np.ldexp(rng.normal(size=3), exponent + rng.integers(-60, 60)), rng.integers(-(2**53) + 1, 2**53, 3)
        with noise_known(steps) as asked:
            y = laplace(value, sensitivity=2.0**exponent, epsilon=1, rng=np.random.default_rng())
        exact = [(round(Fraction(v) / Fraction(asked[0].grid)) + int(n)) * Fraction(asked[0].grid) for v, n in zip(value, steps)]
        assert y.tolist() == [float(e) for e in exact]
    fine, coarse = (max(spent[order, c] for order in (1, 2)) for c in (None, COARSE_GRID))
    assert 1 - 1e-9 < fine and coarse > 0.8, "the pairs are not the worst ones"
    return f"the distance uses {fine:.10f} of what is allowed on the package's grid, and {coarse:.2f} on a grid of an eighth of the scale"


# --- a staircase ----------------------------------------------------------------------------------------------------


class Again(Exception):
    """A second attempt begins."""


class Scripted:
    """A generator that takes every way once: choices of equal probability, and coins that know their bias."""

    def __init__(self, way):
        self.way, self.taken, self.probability = list(way), [], Fraction(1)

    def next(self, probabilities):
        if len(self.taken) == 3:
            raise Again
        choice = self.way[len(self.taken)] if len(self.taken) < len(self.way) else 0
        self.taken.append((choice, len(probabilities)))
        self.probability *= probabilities[choice]
        return choice

    def integers(self, below):
        return self.next([Fraction(1, int(below))] * int(below))

    def random(self):
        return self

    def __lt__(self, p):
        p = min(Fraction(float(p)), Fraction(1))
        return self.next([1 - p, p]) == 1


def one_attempt(sampler, *given):
    """The exact probability of each result of one attempt, in fractions."""
    law, way = {}, []
    while way is not None:
        rng = Scripted(way)
        with np.errstate(all="ignore"):
            try:
                n = sampler(*given, rng)
            except Again:
                n = None
        law[n] = law.get(n, 0) + rng.probability
        taken = rng.taken
        while taken and taken[-1][0] == taken[-1][1] - 1:
            taken.pop()
        way = [*(c for c, _ in taken[:-1]), taken[-1][0] + 1] if taken else None
    assert sum(law.values()) == 1
    return {n: p for n, p in law.items() if p and n is not None}


def stairs(undone=True, within=True):
    """The sampler of the page, with room for mistakes."""
    def staircase(phi, weights, C, rng):
        while True:
            h = np.searchsorted(np.cumsum(weights), rng.integers(sum(weights)), side="right")
            n = C * h + (rng.integers(C) if within else rng.integers(1))
            if rng.random() < phi[n] / (weights[h] if undone else max(phi[C * h:C * h + C])):
                return n
    return staircase


@claim("prop-staircase", staircase,
       mutants={"the coin does not undo the rounding of the table": stairs(undone=False),
                "only the first place of each step": stairs(within=False)})
def test_every_way_of_one_attempt(staircase):
    """Take every way that one attempt can take, in fractions, for four tables: the results have probabilities in
    proportion to φ, exactly. Then change the logarithms of 200 random finite distributions by up to ρ, in the worst
    direction at each outcome too, and compute both sides of part 2.
    """
    tables = [([8, 7, 4, 3, 2, 1], [8, 4, 2], 2), ([8, 7, 4, 3, 2, 1], [16, 4, 8], 2), ([8, 7, 4, 3, 2, 1], [8, 4], 3),
              ([5, 4, 4, 1], [8, 4, 4, 2], 1)]
    for phi, weights, C in tables:
        law = one_attempt(staircase, phi, weights, C)
        assert {n: p / law[0] for n, p in law.items()} == {n: Fraction(f, phi[0]) for n, f in enumerate(phi)}
    rng, closest = np.random.default_rng(3), 0
    for _ in range(200):
        p, rho, epsilon = rng.dirichlet(np.ones(6)), rng.uniform(0, 0.5), rng.uniform(0, 2)
        direction = rng.choice([-1, 1], 6) if rng.random() < 0.5 else np.where(np.arange(6) < 3, 1, -1)
        changed_p = p * np.exp(rho * direction * rng.choice([1, rng.random()]))
        laws = [np.pad(law, (shift, 2 - shift)) / law.sum() for law in (p, changed_p) for shift in (0, 2)]
        delta, changed_delta = hockey_stick(*laws[:2], epsilon=epsilon), hockey_stick(*laws[2:], epsilon=epsilon + 2 * rho)
        assert changed_delta <= np.exp(2 * rho) * delta + 1e-12
        closest = max(closest, changed_delta / (np.exp(2 * rho) * delta))
    return f"{len(tables)} tables, in fractions; δ after the change is at most {closest:.2f} of the bound of part 2"


def table(law, depth, undone=True, units=1.0):
    """A table of the package, with room for mistakes."""
    exact = level(law, depth)
    ratio = exact.ratio if undone else np.where(exact.ratio > 0, 1.0, 0.0)
    return exact._replace(ratio=np.where(np.arange(ratio.size) % 2, ratio, units * ratio))


@claim("prop-staircase", level,
       mutants={"the rounding of the tables not undone": functools.partial(table, undone=False),
                "every second height a trillionth too low": functools.partial(table, units=1 - 1e-12)})
def test_the_tables_of_the_package(level):
    """Rebuild the tables of all four densities as integers, from the words that a draw compares, and compare the
    logarithm of the probability of some thousand integers with forty digits.
    """
    worst = 0
    for law in LAWS:
        with patch("tests.test_staircase.level", level):
            worst = max(worst, enumerated.__wrapped__(law, every=40).error)
    assert worst <= ROUNDING
    return f"the logarithms of the probabilities are right up to 2^{math.log2(worst):.1f}"


# --- choices --------------------------------------------------------------------------------------------------------

COARSE_CHOICE = 5  # so many binary digits of the scale above the grid, instead of 40
SENSITIVITY, EPSILON = 1.01, 0.5051  # on this grid, next to 4 scales: what is not included is seen
SCORES = [(0, 0, 0), (0, 12, 0.45), (20.55, 3.45, 0), (0.45, 0.55, 9.5)]  # in steps
VALUES = 5001  # of the noise, in steps: beyond them it has a probability below e^-60


def weight(law, n, scale):
    """In proportion to Pr[N = n]."""
    s = n / scale
    return {"laplace": np.exp(-np.abs(s)), "exponential": np.exp(-s) * (n >= 0), "gumbel": np.exp(-s - np.exp(-s))}[law]


def wins(choose, scores, candidate, others, **given):
    """The probability that a candidate wins, from all values of its noise, for given noise of the others, in steps."""
    asked = []

    def every_value(law, fineness, shape, rng):
        asked.append((law, 8 * fineness))
        noise = np.tile(others, (shape[0], 1))
        noise[:, candidate] = np.arange(shape[0]) - shape[0] // 2
        return noise

    runs = np.broadcast_to(scores, (VALUES, len(scores)))
    with patch.object(_grid, "FINE", COARSE_CHOICE), patch.object(_staircase, "integer_noise", every_value):
        won = choose(runs, rng=np.random.default_rng(), **given) == candidate
    (law, scale), = asked
    chances = weight(law, np.arange(VALUES) - VALUES // 2, scale)
    return np.sum(chances[won]) / np.sum(chances)


def chosen(scores, *, sensitivity, epsilon, monotonic=False, rng, law="laplace", rounding=True, both=True):
    """A choice, with room for mistakes."""
    moved = sensitivity * (1 if monotonic or not both else 2)
    grid = _grid.grid_step(moved / epsilon)
    behind = np.rint((scores - np.max(scores, axis=-1, keepdims=True)) / grid).astype(int)
    fineness = math.ceil((moved + (4 * grid if rounding else 0)) / epsilon / (8 * grid))
    return np.argmax(behind + _staircase.integer_noise(law, fineness, behind.shape, rng), axis=-1)


def mistaken_choice(**mistake):
    return tuple(functools.partial(chosen, law=law, **mistake) for law in ("gumbel", "laplace", "exponential"))


@claim("prop-noisy-choice", exponential, report_noisy_max, permute_and_flip,
       mutants={"noise for scores that move one way": mistaken_choice(both=False),
                "scores rounded, and the rounding not included": mistaken_choice(rounding=False)})
def test_all_values_of_the_noise(*choices):
    """On a grid of 2⁻⁵ of the scale, fix the noise of all candidates but one, add up the probabilities of all
    values of its own noise with which it wins, and compare with the neighbours on which its lead moves most. Scores are
    rounded up, down and not at all. The largest log-ratio is at most ε, whether scores move one way or both.
    """
    largest = {}
    for choose, monotonic, candidate in itertools.product(choices, (False, True), (0, 1, 2)):
        given = dict(sensitivity=SENSITIVITY, epsilon=EPSILON, monotonic=monotonic)
        with patch.object(_grid, "FINE", COARSE_CHOICE):
            grid = _grid.grid_step((1 if monotonic else 2) * SENSITIVITY / EPSILON)
        down = SENSITIVITY * np.where(np.arange(3) == candidate, 0 if monotonic else -1, 1)  # of its lead
        for steps, others in itertools.product(SCORES, ((0, 0, 0), (7, -3, 7))):
            scores = np.multiply(steps, grid)
            before, after = (wins(choose, s, candidate, others, **given) for s in (scores, scores + down))
            if after > 0:
                largest[choose] = max(largest.get(choose, 0), abs(math.log(before / after)) / EPSILON)
    assert max(largest.values()) <= 1 + 1e-9, largest
    return "in proportion to ε, the largest log-ratios of the three choices are " + ", ".join(f"{r:.3f}" for r in largest.values())


# --- noise of a secret scale ----------------------------------------------------------------------------------------

B = 8  # steps of a scale, instead of 2⁴⁰
PLACES = 8  # of V; every cell below begins at one of them
FARTHEST = {"laplace": 120, "normal": 48}  # noise in steps: what is beyond has a probability below 10⁻⁶
KINDS = [(Fraction(0), 4.0), (Fraction(1, 2), 4.0), (Fraction(1, 8), 2.0), (Fraction(-1, 4), 8.0)]  # centres and factors


def cells_of(rounded, law, centre, factor):
    """The probabilities of centre + factor·(N + V)/8 rounded to whole numbers -60 to 60: all N, and V in eighths."""
    cells, drawn, state = np.zeros(121), np.arange(-FARTHEST[law], FARTHEST[law] + 1), {}
    mass = np.exp(-np.abs(drawn) / B if law == "laplace" else -(drawn**2) / (2 * B**2))
    words = [(2 * v + 1) * 2**63 // PLACES for v in range(PLACES)]
    with patch.multiple(_grid, FINE=3, COARSE=1), patch.multiple(
            _staircase, integer_noise=lambda law, fineness, shape, rng: np.full(shape, state["n"]),
            random_words=lambda size, rng: np.full(size, state["word"], dtype=np.uint64)):
        for (n, m), word in itertools.product(zip(drawn, mass / mass.sum()), words):
            state.update(n=n, word=word)
            y = rounded(law, [centre], [[factor]], grid=1.0, rng=None)[0]
            cells[int(np.clip(y, -60, 60)) + 60] += m / PLACES
    return cells


def real_cells(law, centre, factor):
    """The same for real noise."""
    ends = (np.arange(-60, 60) + 0.5 - float(centre)) / factor
    below = ndtr(ends) if law == "normal" else np.where(ends < 0, np.exp(-np.abs(ends)) / 2, 1 - np.exp(-np.abs(ends)) / 2)
    return np.diff(np.concatenate([[0], below, [1]]))


def rounded_real(law, centre, factor, *, grid, rng, spread=True, centred=True, digits=64):
    """Real noise rounded to a grid, in one dimension, with room for mistakes."""
    n = int(_staircase.integer_noise(law, 1, (1,), rng)[0])
    v = Fraction(int(_staircase.random_words(1, rng)[0]) >> 64 - digits, 2**digits) if spread else Fraction(1, 2)
    z = (n + v - Fraction(1 if centred else 0, 2)) / B
    return np.array([float(math.floor((centre[0] + Fraction(factor[0][0]) * z) / Fraction(grid) + Fraction(1, 2)) * Fraction(grid))])


@claim("prop-secret-scale", rounded,
       mutants={"the integer alone, and nothing between": functools.partial(rounded_real, spread=False),
                "V between 0 and 1": functools.partial(rounded_real, centred=False),
                "one digit of V": functools.partial(rounded_real, digits=1)})
def test_cells_of_a_coarse_scale(rounded):
    """With 8 steps to the scale instead of 2⁴⁰, add up the probability of every output over all N and eight V, which is
    exact for these centres and factors, for Laplace and for normal noise. Every probability is that of real noise up to
    a factor of e^(±λ/8), and for pairs with two centres and two factors δ is at most e^(λ/8) times that of real noise,
    at an ε that is larger by λ/8.
    """
    worst = 0
    for law, slope in (("laplace", 1.0), ("normal", FARTHEST["normal"] / B)):
        ours, real = ([cells(law, *kind) for kind in KINDS] for cells in (functools.partial(cells_of, rounded), real_cells))
        for p, q in zip(ours, real):
            seen = (p > 1e-5) & (np.abs(np.arange(-60, 61)) < 40)
            off = np.abs(np.log(p[seen] / q[seen])).max()
            worst = max(worst, off / (slope / B))
            assert off <= slope / B and np.all(p[q > 1e-4] > 0)
            assert np.abs(p - q).sum() / 2 < 0.01  # V spreads the integers evenly, so that most of the difference cancels
        for (i, j), epsilon in zip(itertools.permutations(range(len(KINDS)), 2), itertools.cycle((0, 0.2, 1))):
            delta = hockey_stick(real[i], real[j], epsilon=epsilon)
            assert hockey_stick(ours[i], ours[j], epsilon=epsilon + slope / B) <= math.exp(slope / B) * delta + 1e-5
    return f"the probabilities of outputs differ from those of real noise by at most {worst:.2f} of the bound"
