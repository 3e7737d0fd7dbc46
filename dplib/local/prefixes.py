"""Which strings are common, when nobody may see one and there are too many to ask about each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dplib import _checks, _numerics, _samplers
from dplib._types import ArrayLike, Generator, Integer, Real
from dplib.local.cells import MOST_BITS, character, sign_reports
from dplib.local.numbers import report_size

MOST_BITS_OF_A_BLOCK = 24  # so many extensions are tried at once
NEARLY = 1 + 2.0**-40  # more than the rounding of φ - 2τ


@dataclass(frozen=True, eq=False)
class Prefixes:
    """Strings that seem to be common.

    Attributes
    ----------
    labels : int64 array, shape (m,), sorted
    shares : float64 array, shape (m,), their estimated shares"""

    labels: np.ndarray
    shares: np.ndarray


def heavy_prefixes(
        labels: ArrayLike, *, bits: Integer, block: Integer, share: Real, accuracy: Real,
        epsilon: Real, rng: Generator) -> Prefixes:
    """Find the strings that many people have, by their prefixes, from one bit of each person.

    Person i reports, by `sign_reports`, the first b (i mod L + 1) bits of their string. A prefix is
    kept if its estimated share is at least φ - τ, and its 2^b extensions are tried next; of more
    than 1/(φ - 2τ) the largest are kept.

    Parameters
    ----------
    labels : array_like of integers in 0, …, 2^bits - 1, shape (n,), the string of each person
    bits : int from 1 to 62, the number B of binary digits of a string
    block : int from 1 to 24, a divisor of ``bits``, by how many bits b a prefix grows
    share : float in (0, 1], φ, what a string must have to be found for certain
    accuracy : float > 0, τ below φ/2: how far an estimate may be from the share
    epsilon : float > 0
    rng : numpy.random.Generator

    Returns
    -------
    Prefixes

    Notes
    -----
    :Privacy: Every report is ε-DP by itself (local model), and all together are under ``replace``,
        given fair bits; ε is at least 2**-48.
    :Error: With `prefix_sample_size` independent people every string of share φ or more of the
        population is found, and none below φ - 2τ, with probability at least 1 - β. The estimates
        have the error of `sign_shares` with n/L people.
    :Cost: At most L/(φ - 2τ) times n/L + b 2^b.
    :References: Theorem *Common strings* on the page *What do a million phones type?* (thm-prefix);
        Bassily, Nissim, Stemmer and Thakurta, *Practical locally private heavy hitters* (2017).

    Examples
    --------
    >>> rng = np.random.default_rng(3)
    >>> words = np.where(rng.random(100_000) < 0.4, 40_961, rng.integers(0, 2**16, 100_000))
    >>> heavy_prefixes(words, bits=16, block=8, share=0.3, accuracy=0.1, epsilon=1, rng=rng)
    Prefixes(labels=array([40961]), shares=array([0.39548413]))
    """
    bits, levels = _levels(bits, block)
    most, least = _most_kept(share, accuracy), float(share) - float(accuracy)
    labels = _checks.integers("labels", labels, at_least=0, at_most=2**bits - 1).astype(np.int64)
    if labels.ndim != 1 or labels.size < levels:
        raise ValueError(
            f"labels must be one data set of at least {levels} people, got shape {labels.shape}"
        )
    kept, shares = np.zeros(1, dtype=np.int64), np.ones(1)
    for level in range(levels):
        length = bits // levels * (level + 1)
        reports = sign_reports(
            labels[level::levels] >> (bits - length), bits=length, epsilon=epsilon, rng=rng
        )
        kept, shares = _extended(*reports, kept, bits // levels, epsilon, least, most)
    return Prefixes(kept, shares)


def _extended(indices, signs, kept, block, epsilon, least, most):
    """The extensions of these prefixes that are to be kept, and their estimated shares."""
    scale = report_size(epsilon) / signs.size
    high, low = indices >> block, indices & (1 << block) - 1
    # χ_z(x) is a product of χ for the prefix and for what is new, so the votes for all extensions
    # of a prefix are one transform.
    tables = [np.bincount(low, signs * character(high, p), 1 << block) for p in kept.tolist()]
    shares = [scale * _numerics.signed_sums(table) for table in tables]
    found = [np.flatnonzero(estimates >= least) for estimates in shares]
    longer = [(p << block) + ends for p, ends in zip(kept.tolist(), found)]
    longer, shares = _joined(longer, np.int64), _joined(map(np.take, shares, found), np.float64)
    largest = np.sort(np.argsort(-shares, kind="stable")[:most])
    return longer[largest], shares[largest]


def _joined(parts, dtype):
    return np.concatenate([np.empty(0, dtype=dtype), *parts])


def prefix_sample_size(
        *, bits: Integer, block: Integer, share: Real, accuracy: Real, epsilon: Real,
        beta: Real) -> int:
    """How many people are enough for `heavy_prefixes`.

    Parameters
    ----------
    bits, block, share, accuracy, epsilon
        As in `heavy_prefixes`.
    beta : float in (0, 1), the probability of a string that is missed, or found and rare

    Returns
    -------
    int
        L ⌈(2c²/τ²) ln(LA/β)⌉, c = coth(ε/2), where at most A = 2^b ⌊1/(φ - 2τ)⌋ prefixes are tried
        in a level; ValueError above 2**62

    Notes
    -----
    :Error: With so many independent people every string of share φ or more of the population is
        found, and none below φ - 2τ, with probability at least 1 - β.
    :References: Theorem *Common strings* on the page *What do a million phones type?* (thm-prefix).

    Examples
    --------
    >>> task = dict(bits=48, share=0.01, accuracy=0.0025, epsilon=1, beta=0.05)
    >>> [prefix_sample_size(block=b, **task) for b in (8, 16)]
    [140534658, 92079081]
    """
    bits, levels = _levels(bits, block)
    tried = 2.0 ** (bits // levels) * _most_kept(share, accuracy)
    size = report_size(_checks.parameter("epsilon", epsilon, at_least=_samplers.LEAST_EPSILON))
    beta = _checks.parameter("beta", beta)
    people = 2 * (size / accuracy) ** 2 * np.log(levels * tried / beta)
    return levels * int(np.ceil(_checks.real("the answer", people, at_most=2**62 / levels)))


def _levels(bits, block):
    """B, and the number L of levels."""
    bits = _checks.integer("bits", bits, at_least=1, at_most=MOST_BITS)
    block = _checks.integer("block", block, at_least=1, at_most=MOST_BITS_OF_A_BLOCK)
    if bits % block:
        raise ValueError(f"block must be a divisor of bits, got {block} and {bits}")
    return bits, bits // block


def _most_kept(share, accuracy):
    """⌊1/(φ - 2τ)⌋: no more strings have such a share."""
    share, accuracy = _checks.parameter("share", share), _checks.parameter("accuracy", accuracy)
    if 2 * accuracy >= share:
        raise ValueError(f"accuracy must be less than half of share, got {accuracy} and {share}")
    return int(min(NEARLY / (share - 2 * accuracy), 2**MOST_BITS))
