"""How noise meets data anywhere in this package: integers are added to integers, on a public grid.

Four rules make of a formula a program that keeps its promise.

1. What is done to one record is part of the question: any function of one record, computed in
   floats, costs nothing.
2. What joins records is exact, in integers; or its error is bounded and paid for.
3. Noise is an integer that is drawn without a look at the data, and added to an integer, on a grid
   g = 2^e of public numbers.
4. What follows is post-processing, the rounding of the last addition included.

Symbols
-------
g
    The step of the grid, 2**-41 to 2**-40 of the scale of the noise.
d
    How many entries of the answer can differ between neighbours: a public number, never read off
    the data.
η
    A bound of the error of a computed answer.
"""

from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction
from math import ceil, exp, floor, frexp, ldexp, sqrt

import numpy as np

from dplib import _numerics, _staircase
from dplib._staircase import STAIRCASE_ROUNDING, STEPS

FINE = 40  # so many binary digits of a scale lie above the grid
LEAST = ldexp(1, -1074)  # no float is smaller
COARSE = 2**37  # of C: below it Gaussian noise on the integers is not rounded Gaussian noise
# On a larger grid all is scaled down, lest an answer or its noise leave the floats where their sum
# does not.
LARGEST_UNSCALED = ldexp(1, 900)
LESS = 1 - 2.0**-40  # of δ: the rounding of the sampler, and of what is computed from δ
UP = 1 + 2.0**-50  # more than the rounding of a few operations
# so that int64 holds what is below the last digit of a float up to 2**62 units
FINEST_OF_UNITS = 2.0**-44
SHRINK = ldexp(1, -200)
FAR = 2.0**52  # steps that no noise makes up for
SECRET = 2.0**-34  # what `rounded` may add to ε, for each entry of Z
NEAR = 2.0**-41  # half a step of a normal number of scale 1
LARGEST_NORMAL = 39.0
CHOICE = 2.0**-36  # what `noisy_log_weights` may add to ε


def grid_step(scale):
    """The grid for noise of this scale: a power of two."""
    return max(ldexp(1, frexp(scale)[1] - 1 - FINE), LEAST)


def on_grid(value, grid):
    """The nearest multiples of a power of two, exactly; floats of 2**52 steps or more are multiples
    already."""
    with np.errstate(over="ignore", under="ignore"):
        near = np.rint(_in_steps(value, grid))
        return np.where(np.abs(near) < FAR, near * grid, value)


def _in_steps(value, grid):
    return value * (1 / grid) if grid > 2.0**-1000 else np.ldexp(value, 1 - frexp(grid)[1])


# ------------------------------------------------------------------------------- noise on an answer


@dataclass(frozen=True)
class Noise:
    """Noise on a grid: integers n with Pr[n] proportional to f(n/(8C)), times g. Made by
    `laplace_noise` and `normal_noise`.

    Attributes
    ----------
    law : str, the name of f in `_staircase.LAWS`
    fineness : int, C
    grid : float, g
    unit : float, a power of two; of what `added_to_whole` adds to
    bound : int, optional, the noise is drawn anew where |n| is larger
    """

    law: str
    fineness: int
    grid: float
    unit: float = 0.0
    bound: int | None = None

    @property
    def scale(self):
        """In the units of the answer."""
        return STEPS * self.fineness * self.grid

    def added_to(self, value, rng):
        """Noise on an array of floats, each moved to the nearest multiple of g."""
        # What is released must not depend on how a sum came about, overflow included.
        if self.grid > LARGEST_UNSCALED:
            with np.errstate(over="ignore"):
                return replace(self, grid=self.grid * SHRINK).added_to(value * SHRINK, rng) / SHRINK
        return _sum(on_grid(value, self.grid), self._drawn(value.shape, rng), self.grid)

    def added_to_fraction(self, value, rng):
        """Noise on one exact number, moved to the grid: the nearest float."""
        return float(
            (_nearest_step(value, self.grid) + int(self._drawn((), rng))) * Fraction(self.grid)
        )

    def added_to_whole(self, counts, rng):
        """Noise on whole multiples of the unit, int64 up to 2**62."""
        unit = max(self.unit, self.grid)
        counts = _nearest(counts, unit / self.unit)
        high = counts.astype(np.float64)
        low = (counts - high.astype(np.int64)) * int(unit / self.grid)  # mostly 0
        return _sum(high * unit, low + self._drawn(counts.shape, rng), self.grid)

    def added_far_out(self, origin, offset, rng):
        """Noise on origin + offset, the one on the grid, the other moved there: one float for all
        ways to split the same sum in two."""
        # The sum is counted in steps below a coarse grid, and in steps of that; the two numbers do
        # not depend on the way.
        coarse = self.grid * 2.0**FINE
        near_origin, near = np.fmod(origin, coarse), np.fmod(offset, coarse)
        steps = np.rint(near_origin / self.grid).astype(np.int64)
        steps += np.rint(near / self.grid).astype(np.int64)
        steps += self._drawn(origin.shape, rng)
        whole = np.rint((offset - near) / coarse).astype(np.int64) + (steps >> FINE)
        with np.errstate(over="ignore"):
            return ((origin - near_origin) + whole * coarse) + (steps & (1 << FINE) - 1) * self.grid

    def steps(self, shape, rng):
        """The noise alone, in steps."""
        return self._drawn(shape, rng)

    def _drawn(self, shape, rng):
        noise = _staircase.integer_noise(self.law, self.fineness, shape, rng)
        while self.bound is not None and np.any(beyond := np.abs(noise) > self.bound):
            noise[beyond] = _staircase.integer_noise(
                self.law, self.fineness, np.count_nonzero(beyond), rng
            )
        return noise


def _sum(base, steps, grid):
    """The floats nearest to base + steps g, where the base is on the grid: |steps| < 2**53, so the
    product is exact."""
    with np.errstate(over="ignore"):
        return base + steps * grid


def _nearest(counts, coarser):
    """Integers up to 2**62 divided by a power of two, rounded to the nearest integer."""
    shift = frexp(coarser)[1] - 1
    return (counts + (1 << shift >> 1)) >> shift if shift < 63 else np.zeros_like(counts)


def laplace_noise(*, sensitivity, epsilon, entries=1, error=0.0, unit=0.0):
    """Noise for an answer of d entries and this ℓ₁ sensitivity, computed up to η in each.

    Whole multiples of ``unit``, a power of two, need not be moved to a grid that is finer.
    """
    budget = _left(epsilon, entries)
    least = _scale(sensitivity + 2 * entries * error, budget)
    grid = max(grid_step(least), unit * FINEST_OF_UNITS)
    moved = sensitivity + entries * (2 * error + (grid if unit < grid else 0))
    return Noise("laplace", max(1, _steps(moved, budget, grid)), grid, unit)


def normal_noise(*, sensitivity, epsilon, delta, entries=1, error=0.0):
    """The same in ℓ₂ norm, with noise that is (ε, δ)-DP."""
    budget, moves = 1 / _multiplier(epsilon, delta, entries), sqrt(entries)
    grid = grid_step(_scale(sensitivity + 2 * moves * error, budget))
    moved = sensitivity + moves * (2 * error + grid)
    return Noise("normal", max(COARSE, _steps(moved, budget, grid)), grid)


def normal_of_scale(scale, unit):
    """Gaussian noise of at least this standard deviation on whole multiples of a unit, a power of
    two that is no finer than the grid. Each entry is a rounded real number up to what `for_secret`
    leaves room for."""
    grid = grid_step(scale)
    return Noise("normal", max(COARSE, _steps(scale, 1, grid)), grid, unit)


def count_noise(changes, epsilon):
    """Laplace noise for counts, of which a neighbour changes so many by one."""
    return laplace_noise(sensitivity=changes, epsilon=epsilon, entries=changes, unit=1.0)


def ball_noise(diameter, epsilon, delta, entries):
    """Gaussian noise for vectors that are at most so far apart, up to the rounding of their
    entries."""
    return normal_noise(
        sensitivity=diameter * (1 + 2.0**-52 * (entries + 8)),
        epsilon=epsilon,
        delta=delta,
        entries=entries,
    )


def tail_bound(noise, delta):
    """What Laplace noise exceeds with probability at most δ ≤ 1/2: b ln(1/(2δ)), up to rounding.
    Pr[N ≥ m] is q^m/(1 + q)."""
    return -noise.scale * float(np.log(delta * LESS * (1 + exp(-1 / (STEPS * noise.fineness)))))


def bounded(noise, lost):
    """Noise on counts conditioned on [-A, A], so that more than A - 1 has at most this
    probability."""
    bound = truncation(
        1 / Decimal(STEPS * noise.fineness), Decimal(1 / noise.grid), Decimal(lost * LESS)
    )
    return replace(noise, bound=bound)


def truncation(rate, steps, lost):
    """The least a for which Z, two-sided geometric on -a, …, a with q = e^-rate, has Pr[Z > a -
    steps] ≤ lost; of Decimals."""
    # The probability is q^a (q^(1 - steps) - q)/(1 + q - 2q^(a + 1)), to be solved for q^(a + 1).
    with localcontext(Context(prec=60)):
        power = ((steps * rate).exp() - 1 + 2 * lost) / (lost * (1 + (-rate).exp()))
        return int((power.ln() / rate - 1).to_integral_value(ROUND_CEILING))


def _left(epsilon, entries):
    """ε less what the rounding of the sampler may tell, entry by entry."""
    if epsilon < 2.0**-40 * entries:
        raise ValueError(
            f"epsilon must be at least 2**-40 for each of {entries} entries, got {epsilon:g}"
        )
    return epsilon - STAIRCASE_ROUNDING * entries


def _multiplier(epsilon, delta, entries):
    """σ/Δ of the least Gaussian noise."""
    lost = delta * exp(-STAIRCASE_ROUNDING * entries)
    return float(_numerics.private_multiplier(_left(epsilon, entries), lost))


def _scale(sensitivity, budget):
    scale = sensitivity / budget
    if not 0 < scale < 2.0**1023:
        raise ValueError(
            "the scale of the noise must be a positive float below 2**1023, got sensitivity "
            f"{sensitivity:g} and {scale:g}"
        )
    return scale


def _steps(moved, budget, grid):
    """The least C with 8Cg at least moved/budget."""
    return ceil(moved / budget / (STEPS * grid) * UP)


# ------------------------------------------------------------------------------------------ choices


def winner(law, scores, *, moved, epsilon, rng):
    """The place of the largest score with noise, on the last axis, where differences of scores move
    by ``moved`` at most.

    It is ε-DP for every law whose hazard is at most 1: given all other noise, a candidate wins if
    its own noise is at least a threshold, and when that moves by t scales, this has at most e^t
    times the probability. Ties go to the first.
    """
    grid = grid_step(_scale(moved, epsilon))
    behind = _behind(scores, grid)  # wrong by a step: half for the difference, half for the grid
    fineness = _steps(moved + 4 * grid, epsilon * (1 - 2 * STAIRCASE_ROUNDING), grid)
    return (behind + _staircase.integer_noise(law, fineness, behind.shape, rng)).argmax(axis=-1)


def for_weights(epsilon):
    """What is left of ε for the logarithms of the weights that `noisy_log_weights` is given."""
    if epsilon < 2.0**6 * CHOICE:
        raise ValueError(
            f"epsilon must be at least {2.0**6 * CHOICE:.1e} for a choice, got {epsilon:g}"
        )
    return epsilon - CHOICE


def noisy_log_weights(log_weights, rng):
    """Integers, the largest of which is in each place with probability in proportion to e^(log
    weight), up to a factor e^±2**-37.

    The largest logarithm is 0, -inf is never chosen, and those above -700 are right to 2**-40. Ties
    go either way.
    """
    steps = np.maximum(np.rint(log_weights * 2.0**FINE), -FAR).astype(np.int64)
    return steps + _staircase.integer_noise("gumbel", COARSE, steps.shape, rng)


def uniform(below, rng):
    """Integers from 0 to below - 1, each with the same probability: an array of int64, or of
    Python's integers. 0 if below is 0."""
    if below.dtype != object:
        return rng.integers(0, np.maximum(below, 1))
    drawn = np.empty(below.shape, dtype=object)
    drawn.flat = [_uniform(max(int(b), 1), rng) for b in below.flat]
    return drawn


def _uniform(below, rng):
    bits = (below - 1).bit_length()
    while True:
        number = int.from_bytes(rng.bytes((bits + 7) // 8), "little") & (1 << bits) - 1
        if number < below:
            return number


def _behind(scores, grid):
    """How many steps each score is behind the best one, at most `FAR`."""
    return _apart(scores, scores.max(axis=-1, keepdims=True), grid)


def _apart(these, those, grid):
    """The differences in steps, to the nearest; beyond `FAR` no noise makes a difference."""
    if grid > LARGEST_UNSCALED:  # where noise may make up for a difference that is no float
        these, those, grid = these * SHRINK, those * SHRINK, grid * SHRINK
    with np.errstate(over="ignore"):
        steps = np.rint(_in_steps(these - those, grid))
    return np.clip(steps, -FAR, FAR).astype(np.int64)


@dataclass(frozen=True)
class Watch:
    """Noise on a threshold and noise on each answer that is held against it, on one grid. Made by
    `watch_noise`."""

    threshold: Noise
    answer: Noise

    def raised(self, shape, rng):
        """Noise on thresholds, in steps: each is drawn once."""
        return self.threshold.steps(shape, rng)

    def reached(self, answers, thresholds, raised, rng):
        """Whether answers, with noise of their own, reach public thresholds that are raised. A tie
        is reached."""
        steps = _apart(answers, thresholds, self.answer.grid)
        return steps + self.answer.steps(steps.shape, rng) >= raised


def watch_noise(*, sensitivity, moves, epsilon, per_alarm, error=0.0):
    """Noise for a threshold that costs ε, and for answers that are computed up to η, of which each
    alarm costs ``per_alarm``.

    The answers of neighbours move by ``sensitivity``, and against a threshold that gives way they
    move by ``moves`` times that: 2, or 1 if all go in one direction, where errors, which go both
    ways, are 0. Silence is free however it is rounded, for a distribution function never falls.
    """
    if moves < 2 and error:
        raise ValueError(f"moves must be 2 for answers with an error, got {moves}")
    budgets, factors = [_left(epsilon, 1), _left(per_alarm, 1)], [1, moves]
    least = [_scale(f * (sensitivity + 2 * error), b) for f, b in zip(factors, budgets)]
    grid = grid_step(max(least))
    # a difference is off by a quarter of a step, and moved by half of one
    moved = sensitivity + 2 * error + 2 * grid
    steps = [max(1, _steps(f * moved, b, grid)) for f, b in zip(factors, budgets)]
    return Watch(*(Noise("laplace", c, grid) for c in steps))


# ------------------------------------------------------------------ noise of a scale that is secret


def for_secret(epsilon, delta, entries=1):
    """What is left of ε and δ for real noise of so many entries, of a scale that depends on the
    data."""
    if epsilon < 2.0**6 * SECRET * entries:
        raise ValueError(
            f"epsilon must leave at least {2.0**6 * SECRET * entries:.1e} for the noise, got "
            f"{epsilon:g}"
        )
    return epsilon - SECRET * entries, delta * exp(-SECRET * entries)


def near_normals(shape, rng):
    """Floats within `NEAR` of real numbers that are drawn like independent standard normal ones, up
    to what `for_secret` leaves room for, entry by entry; none is larger than `LARGEST_NORMAL`."""
    return Noise("normal", COARSE, 2.0**-FINE).added_to(np.zeros(shape), rng)


def rounded(law, centre, factor, *, grid, rng):
    """centre + factor Z for independent real Z of a law of scale 1, rounded to a public grid, in
    exact arithmetic.

    The rounding is post-processing of real noise, so ``factor`` may depend on the data as it may in
    real numbers. `for_secret` says what is left of ε and δ.

    Parameters
    ----------
    centre : sequence of Fractions or floats, length d
    factor : sequence of d sequences of k floats
    """
    # Z = (n + V)/2^40 with noise n on the integers and V uniform on [-1/2, 1/2), of which digits
    # are drawn until all entries are rounded in one way. The density is that of the law up to a
    # factor of e^±(39·2^-41).
    centre = [Fraction(c) for c in centre]
    factor = [[Fraction(f) / 2**FINE for f in row] for row in factor]
    noise = [int(n) for n in _staircase.integer_noise(law, COARSE, (len(factor[0]),), rng)]
    digits, drawn = 0, [0] * len(noise)
    while True:
        digits += 64
        drawn = [
            (v << 64) + int(word)
            for v, word in zip(drawn, _staircase.random_words(len(drawn), rng))
        ]
        low = [n + Fraction(v, 1 << digits) - Fraction(1, 2) for n, v in zip(noise, drawn)]
        ends = [_between(c, row, low, Fraction(1, 1 << digits)) for c, row in zip(centre, factor)]
        steps = [(_nearest_step(a, grid), _nearest_step(b, grid)) for a, b in ends]
        if all(a == b for a, b in steps):
            return np.array([float(a * Fraction(grid)) for a, _ in steps])


def _nearest_step(value, grid):
    return floor(value / Fraction(grid) + Fraction(1, 2))


def _between(centre, row, low, width):
    """The least and the largest of centre + ⟨row, z⟩ for z between low and low + width."""
    at = centre + sum(f * z for f, z in zip(row, low))
    return at + width * sum(f for f in row if f < 0), at + width * sum(f for f in row if f > 0)
