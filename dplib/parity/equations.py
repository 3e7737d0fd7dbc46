"""Linear algebra on a random part of the records: the learner of parities that is private and fast.

Symbols
-------
p, c
    Each record is kept with probability p; with probability c there is no answer, whatever the data
    say.
block
    The records at the places i, i + k, i + 2k, …, if there are k blocks. Each is answered by
    itself, with coins of its own.
"""

from __future__ import annotations

import functools

import numpy as np

from dplib import _checks, _samplers
from dplib._types import ArrayLike, Floats, Generator, Integer, Integers, NDArray, Neighbor, Real
from dplib.parity.data import labelled_records

LARGEST_EXACT_SIZE = 2**20  # of a data set whose chances are computed, one step for each record
MOST_PEOPLE = 4096  # people among whom the least number is sought


def private_parity(
        x: ArrayLike, y: ArrayLike, *, epsilon: Real, neighbor: Neighbor, blocks: Integer = 1,
        runs: bool = False, rng: Generator) -> NDArray[np.int8]:
    """Find the parity behind the labels by linear algebra on a random part of the records.

    Parameters
    ----------
    x : array_like of 0 and 1, shape (..., n, d)
        Records in rows, d ≥ 1 answers to yes/no questions in each
    y : array_like of 0 and 1, shape (..., n)
        The label of each record, whether a subset of its answers has an odd number of 1
    epsilon : float > 0
    neighbor : {"replace", "add_remove"}
    blocks : int ≥ 1
        The record at place i belongs to block i mod ``blocks``; the first block with an answer
        gives it. Only 1 under ``add_remove``, where one record more moves all behind it to other
        blocks.
    runs : bool
        Whether axes before the last are independent runs, each a data set of its own; without it
        there may be none
    rng : numpy.random.Generator

    Returns
    -------
    int8, shape (..., d)
        a subset that fits all records of a random part, 1 for each question in it; -1 throughout if
        refused

    Notes
    -----
    :Privacy: ε-DP under ``neighbor``, given fair bits, whatever ``blocks`` is. The -1 is an output
        like any other.
    :Error: `parity_success_probability` for uniform x, `parity_pac_sample_size` for any.
    :Cost: n d²/64 steps, and a few copies of the data.
    :References: Theorem *A private parity* on the page *What averages cannot learn*
        (thm-private-parity); Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith, *What can we
        learn privately?* (2011).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = rng.integers(0, 2, size=(500, 70))
    >>> y = (x[:, 0] + x[:, 3] + x[:, 69]) % 2
    >>> np.flatnonzero(private_parity(x, y, epsilon=1, neighbor="replace", blocks=2, rng=rng))
    array([ 0,  3, 69])
    """
    x, y = labelled_records(x, y, runs)
    keep, refuse = _coins(_checks.parameter("epsilon", epsilon), neighbor)
    blocks = _blocks(blocks, neighbor)
    _checks.generator(rng)
    runs, d = x.shape[:-2], x.shape[-1]
    kept = _samplers.bernoulli(keep, y.shape, rng)
    silent = _samplers.bernoulli(refuse, (*runs, blocks), rng)
    guess = rng.integers(0, 2, size=(*runs, blocks, d), dtype=np.uint8)
    solution, consistent = _solve(_in_blocks(_words(x, y) * kept[..., None], blocks), d, guess)
    answers = consistent & ~silent
    first = np.take_along_axis(solution, answers.argmax(axis=-1)[..., None, None], axis=-2)[
        ..., 0, :
    ]
    return np.where(answers.any(axis=-1)[..., None], first, np.int8(-1))


def parity_success_probability(
        *, size: Integers, dimension: Integer, wrong: Real = 0.0, epsilon: Real, neighbor: Neighbor,
        blocks: Integer = 1) -> Floats:
    """How often `private_parity` names the right parity, if the answers of the records are fair
    coins.

    Parameters
    ----------
    size : array_like of integers ≥ 0, the number n of records
    dimension : int ≥ 1, the number d of questions
    wrong : float in [0, 1], the probability with which each label is wrong, independently
    epsilon, neighbor, blocks
        As in `private_parity`.

    Returns
    -------
    float64
        The shape of ``size``, the exact probability that the answer is the hidden parity, which may
        be any

    Notes
    -----
    :Error: Rounding of order 1e-16 n.
    :Cost: About n d operations, once.
    :References: Proposition *How many people it takes* on the page *What averages cannot learn*
        (prop-parity-size).

    Examples
    --------
    >>> parity_success_probability(size=[38, 39, 400], dimension=12, epsilon=1,
    ...                            neighbor="replace").round(4)
    array([0.7436, 0.7521, 0.7881])
    """
    size = _checks.integers("size", size, at_least=0, at_most=LARGEST_EXACT_SIZE).astype(np.int64)
    blocks = _blocks(blocks, neighbor)
    longest = int(size.max(initial=0)) // blocks + 1
    right, answers = _one_block(*_setting(dimension, wrong, epsilon, neighbor), longest)
    return _first_answer(right, answers, size, blocks)


def parity_sample_size(
        *, dimension: Integer, wrong: Real = 0.0, epsilon: Real, beta: Real) -> tuple[int, int]:
    """The least number of people with which `private_parity` is right often enough, and in how many
    blocks.

    Parameters
    ----------
    dimension, wrong, epsilon
        As in `parity_success_probability`, under ``replace``.
    beta : float in (0, 1), the probability of no or another answer than the hidden parity

    Returns
    -------
    (int, int)
        The least size for which some number of blocks succeeds with probability 1 - β or more, and
        that number

    Notes
    -----
    :Cost: About n² steps; ValueError if 4,096 people are not enough.
    :References: Proposition *How many people it takes* on the page *What averages cannot learn*
        (prop-parity-size).

    Examples
    --------
    >>> parity_sample_size(dimension=12, epsilon=1, beta=0.25), parity_sample_size(dimension=12,
    ...      epsilon=1, beta=0.1)
    ((39, 1), (76, 2))
    """
    setting = _setting(dimension, wrong, epsilon, "replace")
    beta = _checks.parameter("beta", beta)
    for n in range(1, MOST_PEOPLE + 1):
        right, answers = _one_block(*setting, max(128, 1 << n.bit_length()))
        enough = _first_answer(right, answers, n, np.arange(1, n + 1)) >= 1 - beta
        if enough.any():
            return n, int(enough.argmax()) + 1
    raise ValueError(f"beta must be a probability of failure that {MOST_PEOPLE} people can reach, "
                     f"got {beta}")


def parity_pac_sample_size(
        *, dimension: Integer, accuracy: Real, epsilon: Real, beta: Real) -> tuple[int, int]:
    """How many people are enough for `private_parity`, whatever the distribution of their answers
    is.

    Parameters
    ----------
    dimension, epsilon
        As in `parity_success_probability`, under ``replace``; all labels are right.
    accuracy : float in (0, 1]
        α, the error that is too large: how often the named parity differs from the label
    beta : float in (0, 1), the probability of no answer, or of one with an error of α or more

    Returns
    -------
    (int, int), a size that is enough for every distribution, and the number of blocks to ask for

    Notes
    -----
    :Error: With k blocks of n people each the probability is at most c^k + (1 - c^k) (2^d - 1) (1 -
        pα)^n/2.
    :References: Theorem *A parity under every distribution* on the page *What averages cannot
        learn* (thm-parity-pac); Kasiviswanathan, Lee, Nissim, Raskhodnikova and Smith, *What can we
        learn privately?* (2011).

    Examples
    --------
    >>> parity_pac_sample_size(dimension=12, accuracy=0.1, epsilon=1, beta=0.25)
    (226, 1)
    >>> parity_pac_sample_size(dimension=12, accuracy=0.1, epsilon=1, beta=0.05)
    (544, 2)
    """
    dimension, _, keep, refuse = _setting(dimension, 0.0, epsilon, "replace")
    # by a person, of a bad parity
    shown = max(1e-300, -np.log1p(-keep * _checks.real("accuracy", accuracy, above=0, at_most=1)))
    beta = _checks.parameter("beta", beta)
    others = np.log(2) * (dimension - 1) + np.log1p(-(2.0**-dimension))  # ln((2^d - 1)/2)
    best, blocks = None, 0
    while best is None or (blocks + 1) * max(1, (others - np.log(beta)) / shown) < best[0]:
        blocks += 1
        silent = refuse**blocks
        if silent < beta:
            people = np.ceil((others + np.log1p(-silent) - np.log(beta - silent)) / shown)
            best = min(best or (np.inf,), (blocks * max(1, people), blocks))
    if best[0] > _checks.LARGEST:
        raise ValueError(
            f"no answer up to 2**62: accuracy or epsilon is too small, got accuracy = {accuracy}, "
            f"ε = {epsilon}"
        )
    return int(best[0]), best[1]


# ---------------------------------------------------------------------------------------- the coins


def _coins(epsilon, neighbor):
    """p and c, rounded to the private side."""
    small = np.exp(-epsilon)
    keep = np.tanh(epsilon / 2) if _checks.replaces(neighbor) else -np.expm1(-epsilon)
    refuse = small / (1 + _checks.records_that_differ(neighbor) * small)
    return keep * (1 - 2.0**-50), max(refuse * (1 + 2.0**-50), 1e-300)


def _blocks(blocks, neighbor):
    blocks = _checks.integer("blocks", blocks, at_least=1, at_most=LARGEST_EXACT_SIZE)
    if blocks > 1 and not _checks.replaces(neighbor):
        raise ValueError(
            "blocks must be 1 under add_remove, where one record more moves all others, got "
            f"{blocks}"
        )
    return blocks


# ----------------------------------------------------------------------------------- linear algebra


def _words(x, y):
    """Each record's bits in words of 64, bit j of the answers at place j, the label behind them."""
    d = x.shape[-1]
    rows = np.zeros((*y.shape, 64 * (d // 64 + 1)), dtype=bool)
    rows[..., :d], rows[..., d] = x, y
    return np.packbits(rows, axis=-1, bitorder="little").view("<u8")


def _bit(words, place):
    return (words[..., place // 64] >> np.uint64(place % 64) & np.uint64(1)).astype(bool)


def _in_blocks(words, blocks):
    """(..., n, w) to (..., blocks, m, w), with empty equations where a block is shorter; never
    without any."""
    n = words.shape[-2]
    longest = max(1, -(-n // blocks))
    padded = np.zeros((*words.shape[:-2], longest * blocks, words.shape[-1]), dtype=words.dtype)
    padded[..., :n, :] = words
    return padded.reshape(*words.shape[:-2], longest, blocks, words.shape[-1]).swapaxes(-3, -2)


def _solve(rows, d, guess):
    """A solution of each system in which the free unknowns are as guessed, and whether there is
    one."""
    rows, unused, pivots, found = rows.copy(), np.ones(rows.shape[:-1], dtype=bool), [], []
    for j in range(d):
        has = _bit(rows, j)
        pivot = (has & unused).argmax(axis=-1)[..., None]
        there = np.take_along_axis(has & unused, pivot, axis=-1)
        equation = np.take_along_axis(rows, pivot[..., None], axis=-2)
        chosen = np.arange(rows.shape[-2]) == pivot
        rows ^= equation * (has & there & ~chosen)[..., None]
        unused &= ~(chosen & there)
        pivots.append(pivot)
        found.append(there)
    consistent = ~(_bit(rows, d) & unused).any(axis=-1)
    found = np.concatenate(found, axis=-1)
    reduced = np.take_along_axis(rows, np.concatenate(pivots, axis=-1)[..., None], axis=-2)
    bits = np.unpackbits(reduced.view(np.uint8), axis=-1, bitorder="little")
    free = guess * ~found
    forced = (bits[..., :d] & free[..., None, :]).sum(axis=-1) + bits[..., d]
    return np.where(found, forced & 1, guess).astype(np.int8), consistent


# ------------------------------------------------------------------------------------ exact chances


def _setting(dimension, wrong, epsilon, neighbor):
    dimension = _checks.integer("dimension", dimension, at_least=1, at_most=2**16)
    wrong = _checks.real("wrong", wrong, at_least=0, at_most=1)
    return dimension, wrong, *_coins(_checks.parameter("epsilon", epsilon), neighbor)


@functools.lru_cache(maxsize=256)
def _one_block(dimension, wrong, keep, refuse, longest):
    """The probabilities of the right answer and of any answer of one block, for 0, …, longest
    records."""
    # of an equation to say nothing new, by rank
    inside = np.exp2(np.arange(dimension + 1.0) - dimension)
    # consistent so far, by rank: all labels right, or not
    sound, spoilt = np.zeros((2, dimension + 1))
    sound[0] = 1
    grow = lambda chances: keep * np.concatenate([[0.0], (chances * (1 - inside))[:-1]])
    right, answers = np.zeros((2, longest + 1))
    for n in range(longest + 1):
        right[n], answers[n] = sound @ inside, sound.sum() + spoilt.sum()
        risen = grow(sound)
        spoilt = spoilt * (1 - keep + keep * inside / 2) + grow(spoilt) + wrong * risen
        sound = sound * (1 - keep + keep * (1 - wrong) * inside) + (1 - wrong) * risen
    return (1 - refuse) * right, (1 - refuse) * answers


def _first_answer(right, answers, size, blocks):
    """How often the first answer of so many blocks is right."""
    # the first `more` blocks have one record more than the others
    short, more = size // blocks, size % blocks
    total, quiet = 0.0, 1.0
    for records, number in ((short + 1, more), (short, blocks - more)):
        silent = (1 - answers[records]) ** number
        total = total + quiet * (1 - silent) * right[records] / np.maximum(answers[records], 1e-300)
        quiet = quiet * silent
    return total
