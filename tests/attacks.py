"""Attacks on releases as programs: what data can do to an output except through the integers to which noise is added.

*Replay*. A release runs on x, and what its primitives answer goes on a tape. Then it runs on x', and the primitives answer from the
tape. If all that data do to the output they do through the primitives, both outputs are equal bit for bit, and every primitive was
asked for the same noise. What the primitives were given are then two sequences of integers with noise of a known law, so that the
spent part of ε is the sum of their distances, in fractions. Each step of a release is also held to
what it was paid for (tests/ledger.py): two steps seldom cost all that they may on one pair of data sets,
and one that costs too much would hide behind the other.
"""

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from inspect import signature
from math import floor, fsum, hypot, sqrt
from unittest.mock import patch

import numpy as np
from scipy.special import log_ndtr

from dplib import _grid, _staircase, mechanisms
from dplib.glm import terms
from dplib.glm.compared import published
from dplib.mean import adaptive, estimators
from tests.ledger import Ledger, ledger

ENTRIES = 64  # of a large array: so many are added up again, in fractions


class Told(AssertionError):
    """How the data reached an observer beside the noise."""


# ---------------------------------------------------------------------------------------------------------- primitives


def _shape(array):
    return np.shape(array)


PRIMITIVES = {  # where they are; what is public of a call; the rest is data, but for the generator
    (_grid.Noise, "added_to"): lambda noise, value: (noise, _shape(value)),
    (_grid.Noise, "added_to_fraction"): lambda noise, value: (noise,),
    (_grid.Noise, "added_to_whole"): lambda noise, counts: (noise, _shape(counts)),
    (_grid.Noise, "added_far_out"): lambda noise, origin, offset: (noise, _shape(origin), _shape(offset)),
    (_grid, "winner"): lambda law, scores, moved, epsilon: (law, _shape(scores), moved, epsilon),
    (_grid, "rounded"): lambda law, centre, factor, grid: (law, len(centre), _shape(factor), grid),
    (mechanisms, "discrete_laplace"): lambda value, **given: (_shape(value), given),
    (terms, "certify_below"): lambda statistic, **given: (_shape(statistic), given),
    (published, "certify_below"): lambda statistic, **given: (_shape(statistic), given),
    (estimators, "_exponential_cells"): lambda occupied, *public: public,
    (estimators, "_released_cells"): lambda occupied, *public: public,
    (adaptive, "_private_median"): lambda ordered, *public: (_shape(ordered), *public),
}


@dataclass
class Call:
    """A primitive: what is public of it, its noise, what it was given on x and x', its answer, its price."""

    name: str
    asked: tuple
    noise: list
    given: list
    answer: object
    paid: list


class Tape:
    """What primitives answered on x, in order; then it is played to those on x'."""

    def __init__(self, seed):
        self.calls, self.place, self.rng = [], None, np.random.default_rng([seed, 1])
        self.inside = None  # of a primitive: the noise that it has drawn so far
        self.book = Ledger()

    def answer(self, name, asked, given, draw):
        self.inside, given, before = [], [_copy(part) for part in given], len(self.book.payments)
        try:
            answer = draw(self.rng)
        finally:
            noise, self.inside = self.inside, None
        if self.place is None:
            paid = self.book.payments[before:]
            self.calls.append(Call(name, asked, noise, [given], answer, paid))
            return _copy(answer)
        if self.place == len(self.calls):
            raise Told(f"{name} is asked once more on x'")
        call = self.calls[self.place]
        self.place += 1
        if repr((call.name, call.asked, call.noise)) != repr((name, asked, noise)):
            raise Told(f"{call.name}{call.asked} with {call.noise} on x is {name}{asked} with {noise} on x'")
        call.given.append(given)
        return _copy(call.answer)


def _copy(value):
    return value.copy() if isinstance(value, np.ndarray) else value


@contextmanager
def primitives(tape):
    """Every primitive answers by way of the tape. Inside of one, the others do as ever."""
    with ExitStack() as stack:
        for (owner, name), public in PRIMITIVES.items():
            stack.enter_context(patch.object(owner, name, _taped(tape, getattr(owner, name), name, public)))
        yield


def _taped(tape, original, name, public):
    def primitive(*args, rng=None, **named):
        if rng is None:
            *args, rng = args
        args = [list(part) if isinstance(part, map) else part for part in args]
        last = {"rng": rng} if "rng" in _keywords(original) else {}
        call = lambda generator: original(*args, **named, rng=generator) if last else original(*args, generator, **named)
        if isinstance(args[0], _grid.Noise):
            plain, call = call, lambda generator: checked_sum(name, args, lambda: plain(generator))
        if tape.inside is not None:
            tape.inside.extend(part for part in args if isinstance(part, _grid.Noise))
            return call(rng)
        return tape.answer(name, public(*args, **named), args, call)
    return primitive


def _keywords(function):
    return {p.name for p in signature(function).parameters.values() if p.kind == p.KEYWORD_ONLY}


# ------------------------------------------------------------------------------------------------------ sums, by hand


def steps_of(name, noise, *given):
    """The whole number of steps that an answer is worth, entry by entry, in Python's integers."""
    g, flat = Fraction(noise.grid), [np.ravel(np.asarray(part, dtype=object)) for part in given]
    if name == "added_to":
        return [round(Fraction(value) / g) for value in flat[0]]
    if name == "added_to_fraction":
        return [floor(Fraction(flat[0][0]) / g + Fraction(1, 2))]
    if name == "added_far_out":
        return [Fraction(origin) / g + round(Fraction(offset) / g) for origin, offset in zip(*flat, strict=True)]
    unit = max(Fraction(noise.unit), g)
    return [floor(int(count) * Fraction(noise.unit) / unit + Fraction(1, 2)) * unit / g for count in flat[0]]


def nearest_float(number):
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def checked_sum(name, given, draw):
    """The answer of a primitive that adds noise, if it is the float next to what integers add up to."""
    drawn, original = [], _grid.Noise._drawn

    def keep(noise, shape, rng):
        drawn.append((noise, original(noise, shape, rng)))
        return _copy(drawn[-1][1])

    with patch.object(_grid.Noise, "_drawn", keep):
        answer = draw()
    if len(drawn) != 1:
        raise Told(f"{name} drew noise {len(drawn)} times")
    used, steps = drawn[0]
    shrink = Fraction(used.grid) / Fraction(given[0].grid)  # huge numbers are scaled down, and the sum up again
    for k, n, out in zip(steps_of(name, *given)[:ENTRIES], np.ravel(steps), np.ravel(answer)):
        near = nearest_float((k + int(n)) * Fraction(used.grid))
        if out != (near if shrink == 1 else nearest_float(Fraction(near) / shrink) if np.isfinite(near) else near):
            raise Told(f"{name} answers {out!r}, where {k} + {n} steps of {used.grid} are {near!r}")
    return answer


# --------------------------------------------------------------------------------------------------------- what is spent


def spent(call):
    """(ε, t) of one call: ε of Laplace noise and of choices, and by how many σ the answer of Gaussian noise moves."""
    x, y = call.given
    if call.name in ("added_to", "added_to_fraction", "added_to_whole", "added_far_out"):
        noise = x[0]
        moves = [abs(a - b) for a, b in zip(steps_of(call.name, *x), steps_of(call.name, *y))]
        scale = _staircase.STEPS * noise.fineness
        if noise.law == "laplace":
            return nearest_float(sum(moves) / Fraction(scale)), 0.0
        return 0.0, sqrt(min(sum(Fraction(move) ** 2 for move in moves) / Fraction(scale) ** 2, 10**300))
    if call.name == "winner":
        law, _, moved, epsilon = call.asked
        grid = _grid.grid_step(moved / epsilon)
        behind = [np.asarray(_grid._behind(np.asarray(scores), grid), dtype=object) for scores in (x[1], y[1])]
        moves = behind[0] - behind[1]
        apart = np.max(np.max(moves, axis=-1) - np.min(moves, axis=-1))
        return float(Fraction(int(apart)) * Fraction(grid) / Fraction(moved) * Fraction(epsilon) / (1 + Fraction(3, 2**40))), 0.0
    if call.name == "discrete_laplace":
        moved = sum(abs(int(a) - int(b)) for a, b in zip(np.ravel(x[0]), np.ravel(y[0])))
        return moved * call.asked[1]["epsilon"] / call.asked[1]["sensitivity"], 0.0
    return 0.0, 0.0  # the law of what is not a sum has tests of its own


def gaussian_delta(moved, epsilon):
    """The exact δ of Gaussian noise that is moved by so many σ."""
    if moved == 0:
        return 0.0
    return np.exp(log_ndtr(moved / 2 - epsilon / moved)) - np.exp(epsilon + log_ndtr(-moved / 2 - epsilon / moved))


# ----------------------------------------------------------------------------------------------------------------- replay


@dataclass
class Replay:
    """The ε spent by Laplace noise and choices, by how many σ the rest moved, the steps, the output."""

    epsilon: float
    moved: float
    steps: list
    output: object


@dataclass
class Step:
    """One noise, or one choice: the (ε, δ) that it was paid, and what all calls of it spent."""

    name: str
    paid: tuple
    costs: list = field(default_factory=list)

    @property
    def epsilon(self):
        return fsum(epsilon for epsilon, _ in self.costs)

    @property
    def moved(self):
        return hypot(*(moved for _, moved in self.costs))


def steps_of_calls(calls, book):
    """Calls of one noise are one step."""
    steps = {}
    for place, call in enumerate(calls):
        first = call.given[0][0]
        if isinstance(first, _grid.Noise):
            which, payments = id(first), [book.known[id(first)][1]]
        else:
            which, payments = place, call.paid
        price = fsum(epsilon for _, epsilon, _ in payments), fsum(delta for *_, delta in payments)
        steps.setdefault(which, Step(call.name, price)).costs.append(spent(call))
    return list(steps.values())


def replay(release, x, y, seed=0):
    """Run on x, then on x' with the tape of x; `Told` if an observer sees which of them it was."""
    tape = Tape(seed)
    with ledger() as tape.book, primitives(tape):
        first = release(x, np.random.default_rng([seed, 0]))
        tape.place = 0
        second = release(y, np.random.default_rng([seed, 0]))
    if tape.place != len(tape.calls):
        raise Told(f"{tape.calls[tape.place].name} is not asked on x'")
    if not same(first, second):
        raise Told(f"{first!r} on x is {second!r} on x', whatever the noise is")
    steps = steps_of_calls(tape.calls, tape.book)
    return Replay(fsum(step.epsilon for step in steps), hypot(*(step.moved for step in steps)), steps, first)


def same(a, b):
    """Two results, bit for bit."""
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(map(same, a.values(), b.values()))
    if hasattr(a, "__dict__"):
        return type(a) is type(b) and same(vars(a), vars(b))
    if isinstance(a, (np.ndarray, np.generic, float)):
        a, b = np.asarray(a), np.asarray(b)
        return (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())
    return type(a) is type(b) and a == b
