"""What an invented population spends of ρ, and whether data reach it by anything but noisy counts and choices.

*Replay*, as in tests/attacks.py: a release runs on x, and what its two primitives answer goes on a tape; then it runs on x' and they
answer from the tape. Both outputs must be equal, bit for bit, and what the primitives were given says what each answer cost.
"""

from contextlib import contextmanager
from unittest.mock import patch

import numpy as np

from dplib import synthetic
from tests.attacks import same
from tests.chance import rng


NOISY, CHOOSE = synthetic._noisy, synthetic._choose


class Tape:
    """What the two primitives answered on x; then it is played to those on x', and what both spent of ρ is added up."""

    def __init__(self, less=1):
        self.calls, self.place, self.rho, self.parts, self.less = [], None, 0.0, [], less

    @contextmanager
    def playing(self):
        with patch.object(synthetic, "_noisy", self._noisy), patch.object(synthetic, "_choose", self._choose):
            yield

    def _noisy(self, counts, sigma, rng):
        return self._answer(np.array(counts), sigma / self.less, lambda: NOISY(counts, sigma, rng), "noisy")

    def _choose(self, scores, epsilon, rng):
        return self._answer(np.array(scores), epsilon * self.less, lambda: CHOOSE(scores, epsilon, rng), "choice")

    def _answer(self, given, size, draw, kind):
        if self.place is None:
            self.calls.append((kind, given, size, draw()))
            return self.calls[-1][-1]
        was, before, same_size, answer = self.calls[self.place]
        self.place += 1
        assert (kind, size, given.shape) == (was, same_size, before.shape)
        assert np.array_equal(given * 2**21, np.rint(given * 2**21))  # exact
        moved = given - before
        spent = np.sum(moved**2) / (2 * size**2) if kind == "noisy" else np.ptp(moved) ** 2 * (size / 2) ** 2 / 8
        self.parts.append((kind, size, spent))
        self.rho += spent
        return answer


def spent(release, x, y, less=1):
    """The tape of a release on two data sets, where both answers are the same, bit for bit."""
    tape = Tape(less)
    with tape.playing():
        first = release(x, rng(1))
        tape.place = 0
        second = release(y, rng(1))
    assert tape.place == len(tape.calls) and same(first, second)
    return tape
