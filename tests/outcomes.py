"""The exact distribution of what a release draws: it runs for every way in which coins can fall.

Coins, integers, geometric and normal noise and choices by weight come from a script. A run that
needs one more draw takes the first value that it can have; the next run takes the next value of the
last draw that has one left. What a run is worth is the product of the probabilities of its draws.
Noise with infinitely many values is cut where all that is beyond has a probability below 1e-17.
"""

from collections import defaultdict
from contextlib import ExitStack, contextmanager
from math import prod
from unittest.mock import patch

import numpy as np
from scipy.special import softmax

from dplib import _grid, _samplers, _staircase

BEYOND, RARE = 1e-17, 1e-12


class Script(np.random.Generator):
    """A generator whose draws are all tried, one run after the other."""

    def __init__(self, sharper=1):
        super().__init__(np.random.PCG64(1))
        self.draws = []  # of a draw: the values with their chances, and which it is now
        self.place, self.sharper = 0, sharper

    def draw(self, values, chances):
        if self.place == len(self.draws):
            possible = [
                (value, chance) for value, chance in zip(values, chances, strict=True) if chance > 0
            ]
            self.draws.append([possible, 0])
        possible, which = self.draws[self.place]
        self.place += 1
        return possible[which][0]

    @property
    def probability(self):
        return prod(possible[which][1] for possible, which in self.draws)

    def next_run(self):
        """Whether there is one."""
        self.place = 0
        while self.draws and self.draws[-1][1] == len(self.draws[-1][0]) - 1:
            self.draws.pop()
        if self.draws:
            self.draws[-1][1] += 1
        return bool(self.draws)

    def by_weight(self, values, logarithms):
        """Values with chances in proportion to their weights; less random, to show a mistake."""
        return values, softmax(self.sharper * np.asarray(logarithms))

    def fill(self, shape, values, chances, dtype=np.int64):
        """An array of independent draws of one distribution."""
        size = prod(np.atleast_1d(np.asarray(() if shape is None else shape, dtype=int)).tolist())
        flat = [self.draw(values, chances) for _ in range(size)]
        return np.array(flat, dtype=dtype).reshape(() if shape is None else shape)

    def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False):
        low, high = (0, low) if high is None else (low, high)
        ends = np.broadcast_arrays(low, high + endpoint)
        if size is not None:
            ends = [np.broadcast_to(end, size) for end in ends]
        flat = [
            self.draw(range(a, b), [1 / (b - a)] * (b - a)) for a, b in zip(*map(np.ravel, ends))
        ]
        return np.array(flat, dtype=dtype).reshape(ends[0].shape)[()]

    def random(self, size=None):
        """Breaks ties, in favour of the first."""
        return np.linspace(0.9, 0.1, prod(np.atleast_1d(size).tolist())).reshape(size)

    def normal(self, size=None):
        """The same for all data: what has a distribution of its own is what is left."""
        return np.random.default_rng(1).normal(size=size)


def coins(p, shape, rng):
    with np.errstate(divide="ignore"):
        laws = [
            rng.by_weight((True, False), np.log([q, 1 - q]))
            for q in np.broadcast_to(p, shape).ravel().tolist()
        ]
    return np.array([rng.draw(*law) for law in laws], dtype=bool).reshape(shape)


def geometric(rate, shape, rng):
    return truncated_geometric(rate, int(-np.log(BEYOND) / rate) + 1, shape, rng)


def truncated_geometric(rate, bound, shape, rng):
    values = np.arange(-bound, bound + 1)
    return rng.fill(shape, *rng.by_weight(values, -rate * np.abs(values)))


def normal(sigma, shape, rng):
    furthest = int(sigma * (-2 * np.log(BEYOND)) ** 0.5) + 1
    values = np.arange(-furthest, furthest + 1)
    return rng.fill(shape, *rng.by_weight(values, -rng.sharper * (values / sigma) ** 2 / 2))


def chosen(log_weights, rng):
    """The place of the winner, for one choice, as a score of 1 among scores of 0."""
    assert np.ndim(log_weights) == 1 or np.size(log_weights) == np.shape(log_weights)[-1]
    winner = rng.draw(*rng.by_weight(range(np.size(log_weights)), np.ravel(log_weights)))
    return (
        (np.arange(np.size(log_weights)) == winner).astype(np.int64).reshape(np.shape(log_weights))
    )


def binned(noise, shape, rng):
    """Laplace noise of counts, rounded down to whole numbers."""
    assert noise.law == "laplace"
    width, rate = int(noise.unit / noise.grid), 1 / (_staircase.STEPS * noise.fineness)
    most = int(-np.log(BEYOND) / rate) if noise.bound is None else noise.bound
    lower = np.arange(-(most // width) - 1, most // width + 1) * width
    first, last = np.maximum(lower, -most), np.minimum(lower + width - 1, most)
    near, far = np.where(first < 0, -last, first), np.where(first < 0, -first, last)
    return rng.fill(
        shape, *rng.by_weight(lower, -rate * near + np.log(-np.expm1(-rate * (far + 1 - near))))
    )


DRAWS = {
    (_samplers, "bernoulli"): coins,
    (_samplers, "two_sided_geometric"): geometric,
    (_samplers, "truncated_two_sided_geometric"): truncated_geometric,
    (_samplers, "discrete_normal"): normal,
    (_grid, "noisy_log_weights"): chosen,
    (_grid.Noise, "_drawn"): binned,
}


@contextmanager
def scripted(sharper=1):
    with ExitStack() as stack:
        for (owner, name), draw in DRAWS.items():
            stack.enter_context(patch.object(owner, name, draw))
        yield Script(sharper)


def distribution(release, x, sharper=1):
    """Outcomes, as a key that tells them apart, and their probabilities."""
    found, more = defaultdict(float), True
    with scripted(sharper) as script:
        while more:
            found[key(release(x, script))] += script.probability
            more = script.next_run()
    return found


def key(outcome):
    if hasattr(outcome, "__dict__"):
        return key(sorted(vars(outcome).items()))
    if isinstance(outcome, (tuple, list)):
        return tuple(map(key, outcome))
    return np.asarray(outcome).tolist() if np.ndim(outcome) == 0 else tuple(map(key, outcome))


def epsilon_of(ours, theirs):
    """The largest logarithm of a ratio of two probabilities, of what is not too rare."""
    ratio = lambda a, b: max(
        np.log(p / b[out]) if out in b else np.inf for out, p in a.items() if p > RARE
    )
    return max(ratio(ours, theirs), ratio(theirs, ours))


def delta_of(ours, theirs, epsilon):
    """The least δ for which two distributions are (ε, δ)-close, in both directions."""
    beyond = lambda a, b: sum(
        max(p - np.exp(epsilon) * b.get(out, 0.0), 0.0) for out, p in a.items()
    )
    return max(beyond(ours, theirs), beyond(theirs, ours))
