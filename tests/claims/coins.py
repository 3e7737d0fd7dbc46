"""Private mechanisms of which all is known: coins, which are the worst, alone and together, and a noisy count."""

import math

import numpy as np
from scipy.stats import binom


def coin(epsilon, delta=0.):
    """Randomised response that with probability delta gives the world away: the worst (epsilon, delta)-private pair."""
    truth = (1 - delta) / (1 + math.exp(-epsilon))
    p = np.array([delta, truth, 1 - delta - truth, 0])
    return p, p[::-1]


def random_pair(rng, epsilon, delta, outputs=3):
    """An (epsilon, delta)-private pair of laws: the worst one, sent through a random channel."""
    channel = rng.dirichlet(np.full(outputs, .2), 4)
    p, q = coin(epsilon, delta)
    return p @ channel, q @ channel


def adaptive_game(rng, steps):
    """Laws of all transcripts when each step runs another private mechanism after each history."""
    p = q = np.ones(1)
    for epsilon, delta in steps:
        pairs = [random_pair(rng, epsilon, delta) for _ in p]
        p = np.concatenate([mass * pair[0] for mass, pair in zip(p, pairs)])
        q = np.concatenate([mass * pair[1] for mass, pair in zip(q, pairs)])
    return p, q


def coins_together(steps):
    """Laws of all transcripts of coins."""
    p = q = np.ones(1)
    for epsilon, delta in steps:
        one, other = coin(epsilon, delta)
        p, q = np.outer(p, one).ravel(), np.outer(q, other).ravel()
    return p, q


def average_damage(loss, chance, epsilon):
    return float(np.sum(chance * -np.expm1(np.minimum(0, epsilon - loss))))


def coins_delta(kinds, at):
    """The exact delta of one or two kinds of coins, (epsilon, delta, size) each, from their numbers of lies."""
    loss, chance, stays = np.zeros(1), np.ones(1), 1
    for epsilon, delta, size in kinds:
        lies = np.arange(size + 1)
        loss = np.add.outer(loss, (size - 2 * lies) * epsilon).ravel()
        chance = np.outer(chance, binom.pmf(lies, size, 1 / (1 + math.exp(epsilon)))).ravel()
        stays *= (1 - delta) ** size
    return 1 - stays * (1 - average_damage(loss, chance, at))


def noisy_count(count, epsilon, top):
    """Two-sided geometric noise on a count, collected at 0 and at top: an exact finite law."""
    q, v = math.exp(-epsilon), np.arange(top + 1)
    law = (1 - q) / (1 + q) * q ** np.abs(v - count)
    law[0], law[top] = q**count / (1 + q), q ** (top - count) / (1 + q)
    return law
