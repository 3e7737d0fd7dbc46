"""What a person may say in a question, in integers, and how much noise hides that.

A unit has m votes. In g ≤ m of the listed groups it gives one vote to each, in more groups m/g of a
vote to each. Within a group its vote is split over what its rows say. A vote is V integer tokens,
and all that leaves an engine are sums of tokens: their sensitivity is that of integers, whatever
the order in which they were added up.

Symbols
-------
m
    most_groups, the votes of a unit; never more than there are groups.
V
    Tokens of a vote, `TOKENS`, or 1 where no vote is ever split.
T, p
    The threshold of labels that nobody listed, and the probability that one unit's own label
    reaches it.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, localcontext
from math import prod, sqrt

import numpy as np
import scipy

from dplib import _checks, _samplers, mechanisms
from dplib._types import Integer, Neighbor, Real
from dplib.histograms import FOR_THRESHOLDS

TOKENS = 1 << 20
MOST_VOTES = 1 << 10  # so that shares of a vote are the floors of what they are in real numbers
MOST_CELLS = 1 << 22  # of one answer
SIGMA_ROUNDING = 1 + 2.0**-40  # more than that of a scale


@dataclass(frozen=True)
class Noise:
    """Integer noise on tokens: two-sided geometric, paid in ε, or discrete Gaussian, paid in ρ. All
    of it is public before any record is read.

    Attributes
    ----------
    law : str, "discrete_laplace" or "discrete_gaussian"
    sensitivity : float, of tokens between neighbours, in the norm of the law
    price : float, ε or ρ
    tokens : int, V
    """

    law: str
    sensitivity: float
    price: float
    tokens: int

    @property
    def scale(self):
        """b or σ, in votes."""
        if self.law == "discrete_laplace":
            return self.sensitivity / self.price / self.tokens
        return self._sigma / self.tokens

    @property
    def _sigma(self):
        return self.sensitivity / sqrt(2 * self.price) * SIGMA_ROUNDING

    def added_to(self, tokens, rng):
        """Noisy tokens, int64."""
        if self.law == "discrete_laplace":
            return mechanisms.discrete_laplace(
                tokens, sensitivity=self.sensitivity, epsilon=self.price, rng=rng)
        sigma = _checks.lattice_scale("sigma", self._sigma)
        return tokens + _samplers.discrete_normal(sigma, tokens.shape, rng)

    def largest(self, level, cells):
        """The least t, in votes, that all of so many independent noises keep to with probability
        ``level`` or more."""
        outside = -np.expm1(np.log(level) / cells)  # of one of them
        if self.law == "discrete_laplace":
            rate = self.price / self.sensitivity
            steps = np.ceil(-np.log(outside * (1 + np.exp(-rate)) / 2) / rate) - 1
            return max(steps, 0) / self.tokens
        return np.ceil(self._sigma * scipy.stats.norm.isf(outside / 2)) / self.tokens


def noise_for(price, *, neighbor, votes, ends=1, groups=1, split, signed=False):
    """The noise of a question whose cells are ``ends`` for each of so many groups.

    The tokens c of a unit have |c|₁ ≤ mV, and |c|₂ ≤ √m V where shares are √(m/g); none is negative
    unless ``signed``. A replaced unit moves two such vectors, but one token of a single cell that
    is never negative can only go up or down.
    """
    m, tokens = min(votes, groups), TOKENS if split else 1
    doubled = _checks.records_that_differ(neighbor) if groups * ends > 1 or signed else 1
    if "epsilon" in price:
        return Noise("discrete_laplace", float(m * tokens * doubled), price["epsilon"], tokens)
    moved = doubled if signed else sqrt(doubled)  # without a sign, two vectors are never opposite
    return Noise("discrete_gaussian", tokens * sqrt(m) * moved, price["rho"], tokens)


def cells_of(by):
    """The shape of an answer: one axis for each column of groups."""
    shape = tuple(len(labels) for labels in by.values())
    if prod(shape) > MOST_CELLS:
        raise ValueError(f"by must name at most {MOST_CELLS} groups, got {prod(shape)}")
    return shape


def groups_of(by):
    """How many groups there are."""
    return prod(cells_of(by))


def discovery_threshold(
        *, most_groups: Integer, epsilon: Real, delta: Real, neighbor: Neighbor) -> int:
    """The least noisy number of units from which a label that nobody listed may be named.

    Parameters
    ----------
    most_groups : int ≥ 1
        The number m of labels that a unit votes for.
    epsilon, delta : float > 0, δ ≤ 1/2
    neighbor : {"replace", "add_remove"}

    Returns
    -------
    int
        The least T with 1 - (1 - p)^m ≤ δ and p ≤ 1 - q, where p = q^(T-1)/(1 + q) and q =
        e^(-ε/m), or e^(-ε/(2m)) under ``replace``

    Notes
    -----
    :Privacy: Releasing every label whose noisy number of units is at least T, with that number, is
        (ε, δ)-DP under the stated relation of units.
    :References: Theorem *Labels that nobody listed* on the page *A table of people*
        (thm-discovered-groups).

    Examples
    --------
    >>> discovery_threshold(epsilon=1, delta=1e-6, most_groups=2, neighbor="replace")
    57
    """
    changed = _checks.records_that_differ(neighbor)
    epsilon = _checks.parameter("epsilon", epsilon)
    delta = _checks.parameter("delta", delta, at_most=0.5)
    m = _checks.integer("most_groups", most_groups, at_least=1, at_most=MOST_VOTES)
    with localcontext(FOR_THRESHOLDS):
        rate = Decimal(epsilon) / (changed * m)
        q, each = (-rate).exp(), 1 - ((1 - Decimal(delta)).ln() / m).exp()
        least = 1 - (min(each, 1 - q) * (1 + q)).ln() / rate
        return max(1, int(least.to_integral_value(ROUND_CEILING)))
