"""An invented population in place of the real one: improved by one noisy question after the other,
or made of noisy tables that hang together like a tree.

What was published decides alone which question comes next, what it is compared with, and what is
made of the answer. So the data are met in two ways, both exact: integers with integer noise, and
choices whose scores are exact numbers.

Symbols
-------
n, N, m
    How many records there are, cells, and questions; n is public, as ``replace`` has it.
W, h, p
    The questions as rows of 0 and 1, the shares of the cells among the records, and the shares in
    the invented population.
T, ρ
    The number of rounds, and the price of all of them, in zero-concentrated privacy.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, sqrt

import numpy as np
import scipy

from dplib import _checks, _counts, _grid, _samplers, accounting
from dplib._types import ArrayLike, Generator, Integer, Integers, NDArray, Real

# Of ε, for each choice and each noisy number: their probabilities are right up to e^±2**-37.
ROUNDING_OF_A_DRAW = 2.0**-36
PART_OF_A_PERSON = 2.0**-20  # expected counts are moved to multiples of it, so scores are exact
MOST_PEOPLE_ASKED, MOST_ROUNDS = 2**31, 2**20
SWEEPS = 20  # of fitting a noisy table to its margins, which are less noisy


def _price(epsilon, delta, draws):
    """ρ of the exact distributions, if rounding costs so many draws."""
    rounding = draws * ROUNDING_OF_A_DRAW
    if epsilon < 2 * rounding:
        raise ValueError(f"epsilon must be at least {2 * rounding:.1e} here, got {epsilon:g}")
    rho = accounting.zcdp_rho(epsilon=epsilon - rounding, delta=delta * exp(-rounding))
    return rho * (1 - 2.0**-50)  # σ and ε₀, which are computed from it, are rounded to nearest


def _noisy(counts, sigma, rng):
    """Integers with integer noise: ‖counts - counts'‖²/(2σ²)-zCDP."""
    _checks.lattice_scale("sigma", sigma)
    return counts + _samplers.discrete_normal(sigma, counts.shape, rng)


def _choose(scores, epsilon, rng):
    """A place on the last axis with probability in proportion to e^(εu/2): ε²/8-zCDP where exact
    scores move by 1 at most."""
    behind = scores - scores.max(axis=-1, keepdims=True)
    return _grid.noisy_log_weights(epsilon / 2 * behind, rng).argmax(axis=-1)


def _off(counts, expected):
    """How far counts are from public numbers, exactly."""
    return np.abs(counts - np.rint(expected / PART_OF_A_PERSON) * PART_OF_A_PERSON)


def project_to_simplex(counts: ArrayLike, *, total: Real) -> NDArray[np.float64]:
    """The nearest counts that are not negative and have a known sum.

    Parameters
    ----------
    counts : array_like of real numbers, shape (..., k), noisy ones
    total : float > 0, the sum that they should have

    Returns
    -------
    float64, shape (..., k), the nearest point in Euclidean distance

    Notes
    -----
    :Error: Never further from counts with this sum than what it is given.
    :References: Duchi, Shalev-Shwartz, Singer and Chandra, *Efficient projections onto the l1-ball
        for learning in high dimensions* (2008).

    Examples
    --------
    >>> project_to_simplex([6.5, -2.0, 4.5], total=10)
    array([6., 0., 4.])
    """
    counts, total = _checks.reals("counts", counts), _checks.real("total", total, above=0)
    if counts.ndim == 0 or counts.shape[-1] == 0:
        raise ValueError(f"counts must have a cell on the last axis, got shape {counts.shape}")
    counts = counts - counts.max(axis=-1, keepdims=True)  # a shift of all moves nothing
    falling = -np.sort(-counts, axis=-1)
    excess = np.cumsum(falling, axis=-1) - total
    kept = falling * np.arange(1, counts.shape[-1] + 1) > excess
    last = counts.shape[-1] - 1 - kept[..., ::-1].argmax(axis=-1, keepdims=True)
    return np.maximum(counts - np.take_along_axis(excess, last, axis=-1) / (last + 1), 0)


# ----------------------------------------------------------------------------- a question at a time


@dataclass(frozen=True, eq=False)
class SyntheticPopulation:
    """The cells of an invented population, and what was published to make it.

    Attributes
    ----------
    probabilities : float64 array, shape (..., N)
    asked : int64 array, shape (..., T), the question of each round
    measured : float64 array, shape (..., T), the share that it was answered, from 0 to 1
    """

    probabilities: np.ndarray
    asked: np.ndarray
    measured: np.ndarray


def multiplicative_weights(
        labels: ArrayLike, workload: ArrayLike, *, rounds: Integer, epsilon: Real, delta: Real,
        runs: bool = False, rng: Generator) -> SyntheticPopulation:
    """Invent a population that answers all questions nearly as the real one does.

    Parameters
    ----------
    labels : array_like of integers, shape (..., n), the cell of each record, 0, …, N - 1
    workload : array_like of 0 and 1, shape (m, N)
        W, the public questions: 1 where a record of the cell counts
    rounds : int ≥ 1
        T, how many questions are asked; public, for example `multiplicative_weights_rounds`
    epsilon, delta : float > 0, δ < 1
    runs : bool
        Whether axes before the last are independent runs, each a data set of its own; without it
        there may be none
    rng : numpy.random.Generator

    Returns
    -------
    SyntheticPopulation
        The average of the populations before each round. A round chooses a question with
        probability in proportion to e^(√(ρ/T) n|W_j(h - p)|), measures its share with noise of
        standard deviation √(T/ρ)/n, and multiplies each cell by e^(4(measured - W_j p) W_ji)

    Notes
    -----
    :Privacy: (ε, δ)-DP under ``replace``, for labels that are cells, given fair bits and up to
        events of probability 1e-304 for each question in each round: ρ-zCDP before rounding, and 2T
        rounded draws are paid for.
    :Error: `multiplicative_weights_error_bound`, for the expected error of the worst question.
    :Cost: Two products with W, mN, for each round.
    :References: Theorem *The worst answer of an invented population* on the page *A population that
        never was* (thm-multiplicative-weights); theorem *What the rounds cost* on the page *A
        population that never was* (thm-rounds-private); Hardt, Ligett and McSherry, *A simple and
        practical algorithm for differentially private data release* (2012).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> people = np.repeat([0, 1, 2, 3], [4000, 3000, 2000, 1000])
    >>> questions = [[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]]
    >>> invented = multiplicative_weights(people, questions, rounds=50, epsilon=1, delta=1e-6,
    ...                                   rng=rng)
    >>> (questions @ invented.probabilities).round(2)
    array([0.69, 0.59, 0.5 ])
    """
    W = _questions(workload)
    rounds = _checks.integer("rounds", rounds, at_least=1, at_most=MOST_ROUNDS)
    rho = _price(*_budget(epsilon, delta), 2 * rounds)
    counts, rng = _counts.count_cells(labels, W.shape[1], None, runs), _checks.generator(rng)
    size = _people(np.shape(labels)[-1])
    found = _rounds(counts.reshape(-1, W.shape[1]).astype(float), size, W, rounds, rho, rng)
    return SyntheticPopulation(*(part.reshape(*counts.shape[:-1], -1) for part in found))


def _rounds(counts, size, W, rounds, rho, rng):
    """The average population, the questions and their answers, a data set in each row."""
    columns = np.ascontiguousarray(W.T)  # few rows times these take two thirds of the time
    each, truth = np.arange(len(counts)), counts @ columns  # whole numbers, so these are exact
    logarithms, average = np.zeros(counts.shape), np.zeros(counts.shape)
    measured = np.zeros((len(counts), rounds))
    asked = measured.astype(np.int64)
    for t in range(rounds):
        p = scipy.special.softmax(logarithms, axis=-1)
        average += p / rounds
        expected = p @ columns
        j = asked[:, t] = _choose(_off(truth, size * expected), 2 * sqrt(rho / rounds), rng)
        noisy = _noisy(truth[each, j], sqrt(rounds / rho), rng)
        measured[:, t] = np.clip(noisy / size, 0, 1)
        logarithms += 4 * (measured[:, t] - expected[each, j])[:, np.newaxis] * W[j]
    return average, asked, measured


def _questions(workload):
    W = _checks.reals("workload", workload)
    if W.ndim != 2 or 0 in W.shape:
        raise ValueError(f"workload must have a row for each question, got shape {W.shape}")
    if not np.all((W == 0) | (W == 1)):
        raise ValueError(f"workload must be of 0 and 1, got {W[(W != 0) & (W != 1)][0]:g}")
    return W


def _budget(epsilon, delta):
    return _checks.parameter("epsilon", epsilon), _checks.parameter("delta", delta)


def _people(size):
    if not 1 <= size <= MOST_PEOPLE_ASKED:
        raise ValueError(f"the data must have 1 to 2**31 records, got {size}")
    return size


def multiplicative_weights_error_bound(
        *, size: Integer, cells: Integer, queries: Integer, rounds: Integer, epsilon: Real,
        delta: Real) -> float:
    """How far off the worst answer of `multiplicative_weights` is on average, at most.

    Parameters
    ----------
    size, cells, queries : int ≥ 1
        The number n of records, the number k of cells, and how many queries there are, m
    rounds, epsilon, delta
        As in `multiplicative_weights`.

    Returns
    -------
    float, √(ln k/(2T) + T/(ρn²)) + w √(T/ρ)/n, where w e^w = (m - 1)/e, w ≤ ln m

    Notes
    -----
    :Error: The expectation of max_j |W_j(h - p)|, up to the rounding of scores, 2**-20/n, which is
        added.
    :References: Theorem *The worst answer of an invented population* on the page *A population that
        never was* (thm-multiplicative-weights).

    Examples
    --------
    >>> round(multiplicative_weights_error_bound(size=1000, cells=64, queries=64, rounds=80,
    ...                                          epsilon=1, delta=1e-6), 5)
    0.30333
    """
    size, cells, queries = _sizes(size, cells, queries)
    rounds = _checks.integer("rounds", rounds, at_least=1, at_most=MOST_ROUNDS)
    rho = _price(*_budget(epsilon, delta), 2 * rounds)
    return float(_bound(sqrt(rounds), size, cells, queries, rho))


def multiplicative_weights_rounds(
        *, size: Integer, cells: Integer, queries: Integer, epsilon: Real, delta: Real) -> int:
    """The number of rounds with the least `multiplicative_weights_error_bound`, from public numbers
    alone.

    Parameters
    ----------
    size, cells, queries, epsilon, delta
        As in `multiplicative_weights_error_bound`.

    Returns
    -------
    int, from 1 to 2**20

    Notes
    -----
    :Error: Real populations are nearer to the uniform one than the bound assumes: fewer rounds are
        often better, and can be chosen on public data.
    :References: Theorem *The worst answer of an invented population* on the page *A population that
        never was* (thm-multiplicative-weights).

    Examples
    --------
    >>> multiplicative_weights_rounds(size=10_000, cells=1024, queries=1024, epsilon=1, delta=1e-6)
    612
    """
    size, cells, queries = _sizes(size, cells, queries)
    epsilon, delta = _budget(epsilon, delta)
    _price(epsilon, delta, 2)  # refused if not even one round can be paid for
    most = min(MOST_ROUNDS, int(epsilon / (4 * ROUNDING_OF_A_DRAW)))  # what `_price` accepts

    def bound(rounds):  # convex in √T
        return _bound(sqrt(rounds), size, cells, queries, _price(epsilon, delta, 2 * rounds))

    best = scipy.optimize.minimize_scalar(
        lambda root: bound(min(root**2, most)), bounds=(1, sqrt(most)), method="bounded"
    ).x
    return min(range(max(1, int(best**2) - 2), min(most, int(best**2) + 3) + 1), key=bound)


def _sizes(size, cells, queries):
    return (
        _people(_checks.integer("size", size, at_least=1)),
        _checks.integer("cells", cells, at_least=1),
        _checks.integer("queries", queries, at_least=1),
    )


def _bound(root, size, cells, queries, rho):
    """For T = root²."""
    lost = scipy.special.lambertw((queries - 1) / exp(1)).real  # of a choice, in units of 2/ε
    noise = root / sqrt(rho) / size
    return np.hypot(sqrt(log(cells) / 2) / root, noise) + lost * noise + PART_OF_A_PERSON / size


# -------------------------------------------------------------------------------- a tree of tables


@dataclass(frozen=True, eq=False)
class TreeDistribution:
    """A distribution of rows in which each column depends on one other, its parent.

    Attributes
    ----------
    categories : tuple of int
    edges : tuple of (parent, child), from column 0 on
    start : float64 array, the distribution of column 0
    tables : tuple of float64 arrays, for each edge a row for each value of the parent
    """

    categories: tuple
    edges: tuple
    start: np.ndarray
    tables: tuple

    def pairs(self) -> dict:
        """The joint distribution of each two columns.

        Returns
        -------
        dict, {(i, j): float64 array} for all i and j, with all of a column's mass on the diagonal
        if they are the same
        """
        joint, known = {(0, 0): np.diag(self.start)}, [0]
        for (parent, child), table in zip(self.edges, self.tables):
            for other in known:
                joint[other, child] = joint[other, parent] @ table
                joint[child, other] = joint[other, child].T
            joint[child, child] = np.diag(joint[parent, child].sum(axis=0))
            known.append(child)
        return joint

    def sample(self, *, size: Integer, rng: Generator) -> NDArray[np.int64]:
        """Invented rows, which cost no more privacy.

        Parameters
        ----------
        size : int ≥ 0, the number n of records
        rng : numpy.random.Generator

        Returns
        -------
        int64, shape (n, d)
        """
        size, rng = _checks.integer("size", size, at_least=0), _checks.generator(rng)
        rows = np.zeros((size, len(self.categories)), dtype=np.int64)
        rows[:, 0] = _values(np.tile(self.start, (size, 1)), rng)
        for (parent, child), table in zip(self.edges, self.tables):
            rows[:, child] = _values(table[rows[:, parent]], rng)
        return rows


def _values(probabilities, rng):
    """One value for each row of probabilities."""
    below = probabilities.cumsum(axis=-1)
    drawn = rng.random((len(probabilities), 1)) * below[:, -1:]
    return (below[:, :-1] <= drawn).sum(axis=-1)


def tree_distribution(
        x: ArrayLike, *, categories: Integers, epsilon: Real, delta: Real,
        rng: Generator) -> TreeDistribution:
    """Publish a table of people as a tree of noisy tables, to draw invented people from.

    Parameters
    ----------
    x : array_like of integers, shape (n, d), one data set: a row for each record, d ≥ 2
    categories : array_like of int, shape (d,)
        For each column the public number of its values, which are 0, 1, …
    epsilon, delta : float > 0, δ < 1
    rng : numpy.random.Generator

    Returns
    -------
    TreeDistribution

    Notes
    -----
    :Privacy: (ε, δ)-DP under ``replace``, for rows of such values, given fair bits and up to
        events of probability 1e-304 for each pair in each choice and for each count: a third of ρ
        for all tables of one column, one for the choice of d - 1 pairs, by their distance from
        independence, and one for the tables of these pairs; 5d rounded draws are paid for. What is
        made of them is post-processing: the nearest counts that are possible, and tables of pairs
        fitted to those of their columns.
    :Error: Before they are projected, noise of standard deviation at most √(3d/ρ) is on each count
        of one column, and √(3(d - 1)/ρ) on each of a chosen pair. What holds of two columns that
        are not neighbours in the tree is lost, whatever ε is.
    :Cost: All d(d - 1)/2 tables of pairs are counted.
    :References: Theorem *The tree is private* on the page *A population that never was*
        (thm-tree-private); McKenna, Miklau and Sheldon, *Winning the NIST contest: a scalable and
        general approach to differentially private synthetic data* (2021).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> smokes = rng.integers(0, 2, 10_000)
    >>> coughs = np.where(rng.random(10_000) < 0.8, smokes, 1 - smokes)
    >>> tree = tree_distribution(np.stack([smokes, coughs], axis=1), categories=[2, 2], epsilon=1,
    ...                          delta=1e-6, rng=rng)
    >>> tree.edges, tree.tables[0].round(2)
    (((0, 1),), array([[0.8 , 0.2 ],
           [0.21, 0.79]]))
    """
    x, categories = _rows(x, categories)
    n, d = x.shape
    rho = _price(*_budget(epsilon, delta), 5 * d)
    rng, columns = _checks.generator(rng), range(d)
    single = [_shares(x[:, i], categories[i], sqrt(3 * d / rho), rng) for i in columns]
    pairs = [(i, j) for j in columns for i in range(j)]
    cross = lambda i, j: x[:, i] * categories[j] + x[:, j]
    scores = [_dependence(cross(i, j), n * np.outer(single[i], single[j])) for i, j in pairs]
    chosen = _spanning(np.array(scores), pairs, sqrt(8 * rho / (3 * (d - 1))), rng)
    edges, tables = _from_the_root(chosen), []
    for i, j in edges:
        cells = categories[i] * categories[j]
        shares = _shares(cross(i, j), cells, sqrt(3 * (d - 1) / rho), rng)
        joint = shares.reshape(categories[i], categories[j])
        tables.append(_conditional(joint, single[i], single[j]))
    return TreeDistribution(categories, edges, single[0], tuple(tables))


def _rows(x, categories):
    x, categories = _checks.whole("x", x), _checks.integers("categories", categories, at_least=1)
    if x.ndim != 2 or x.shape[1] < 2:
        raise ValueError(f"x must have a row for each record, of 2 columns, got shape {x.shape}")
    if categories.shape != x.shape[1:]:
        raise ValueError(
            f"categories must have a number for each of {x.shape[1]} columns, got shape "
            f"{categories.shape}"
        )
    _people(len(x))
    columns = [
        _checks.integers("x", column, at_least=0, at_most=int(values) - 1).astype(np.int64)
        for column, values in zip(x.T, categories)
    ]
    return np.stack(columns, axis=1), tuple(categories.tolist())


def _shares(labels, cells, sigma, rng):
    """Of the values, from counts with noise."""
    noisy = _noisy(np.bincount(labels, minlength=cells), sigma, rng)
    return project_to_simplex(noisy, total=len(labels)) / len(labels)


def _dependence(labels, expected):
    """How many records are not where two columns would have them if they were independent."""
    return _off(np.bincount(labels, minlength=expected.size), expected.ravel()).sum()


def _spanning(scores, pairs, epsilon, rng):
    """Pairs that join all columns, one chosen after the other; a score moves by 2."""
    part, chosen = list(range(max(j for _, j in pairs) + 1)), []
    while len(chosen) < len(part) - 1:
        joining = [place for place, (i, j) in enumerate(pairs) if part[i] != part[j]]
        i, j = pairs[joining[int(_choose(scores[joining] / 2, epsilon, rng))]]
        part = [part[i] if p == part[j] else p for p in part]
        chosen.append((i, j))
    return chosen


def _from_the_root(chosen):
    """The pairs as (parent, child), parents first."""
    reached, edges = {0}, []
    for i, j in len(chosen) * list(chosen):  # each pass reaches one column more, at least
        if (i in reached) != (j in reached):
            edges.append((i, j) if i in reached else (j, i))
            reached |= {i, j}
    return tuple(edges)


def _conditional(joint, rows, columns):
    """The distribution of the second column given the first, by the table with these margins that
    has the odds ratios of the noisy one; in a row without mass that of all."""
    for _ in range(SWEEPS):
        joint = _with_margin(_with_margin(joint.T, columns).T, rows)
    mass = joint.sum(axis=1, keepdims=True)
    return np.where(mass > 0, joint / np.where(mass > 0, mass, 1), columns)


def _with_margin(joint, margin):
    mass = joint.sum(axis=1)
    return joint * np.divide(margin, mass, out=np.zeros_like(mass), where=mass > 0)[:, np.newaxis]
