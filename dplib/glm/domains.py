"""Which covariates a person may have: public sets, and what the theorems need to know of them.

All fits and releases work in coordinates of the set's own, in which it reaches from -1 to 1 along a
number's coordinate, so that no unit of measurement matters.

Symbols
-------
x, z : one record, and a direction, in these coordinates
B : a symmetric positive definite matrix, given by a factor F with B = F Fᵀ
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product

import numpy as np

from dplib import _checks
from dplib._types import ArrayLike, Floats, NDArray

MOST_CORNERS = 2**16  # beyond it a bound takes the place of the maximum over all corners
ROWS = 1 << 11  # at a time, with limits of the same shape: NumPy is slow along short axes
INSIDE = 1e-9  # a declared point may miss its limits by so much, relative to their distance


class Domain(ABC):
    """A set of covariates, as the theorems need it; `Box` and `Ball` are two."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """How many coefficients a model has."""

    @property
    @abstractmethod
    def reach(self) -> float:
        """The largest length of a record in these coordinates."""

    @property
    def spread(self) -> float:
        """At most σ(|z|)/σ(z), for the directions z: how much a sum of sizes may be above the size
        of a sum."""
        return 1.0

    @abstractmethod
    def design(self, X: ArrayLike) -> NDArray[np.float64]:
        """The records in the coordinates of the domain, moved into it: shape (n, dimension).

        Parameters
        ----------
        X : array_like of finite real numbers, shape (n, columns), a row for each record
        """

    @abstractmethod
    def point(self, name: str, values: ArrayLike) -> NDArray[np.float64]:
        """One declared point of the domain in its coordinates; outside of it there is none.

        Parameters
        ----------
        name : str, how a message calls the argument
        values : array_like, shape (columns,), the point
        """

    @abstractmethod
    def coefficients(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """Coefficients for X as it was measured, the intercept first if there is one: shape
        (dimension,).

        Parameters
        ----------
        theta : float64, shape (dimension,), coefficients in the coordinates of the domain
        """

    @abstractmethod
    def width(self, z: ArrayLike) -> Floats:
        """The largest |xᵀz| over the domain.

        Parameters
        ----------
        z : array_like, shape (..., dimension), directions
        """

    @abstractmethod
    def leverage(self, factor: NDArray[np.float64]) -> float:
        """The largest xᵀ F Fᵀ x over the domain, or an upper bound of it.

        Parameters
        ----------
        factor : float64, shape (dimension, rank), F
        """

    @abstractmethod
    def dual(self, gradient: ArrayLike) -> float:
        """The largest gᵀz over all directions z of width at most 1, or an upper bound of it.

        Parameters
        ----------
        gradient : array_like, shape (dimension,), g
        """


@dataclass(frozen=True)
class Box(Domain):
    """Covariates between public limits, some of them declared to be two-valued or the columns of
    one category.

    Parameters
    ----------
    bounds : sequence of pairs (lo, hi), one for each column of X,
        from public knowledge and never from the data
    binary : columns that hold only lo or hi; a value in between counts as the nearer end
    one_hot : tuples of columns with limits (0, 1), of which at most one is 1;
        a row that has more is scaled down
    intercept : bool, whether a column of ones is put in front

    Raises
    ------
    ValueError
        for limits that are no intervals, or not symmetric around 0 without an intercept; for
        columns that do not exist or are declared twice

    Notes
    -----
    :Privacy: Values outside are moved inside, to the nearest end or, in a category, by scaling
        down, which is part of every mechanism that uses the box.
    :Error: ``leverage`` is a maximum over all corners, up to 65,536 of them; beyond that the
        smaller of two upper bounds.
    :References: Proposition *No unit matters* on the page *Vouching for curvature* (prop-affine).

    Examples
    --------
    >>> people = Box([(0, 1), (18, 90)], binary=[0])
    >>> people.design([[1, 18], [0, 54], [1, 200]])
    array([[ 1.,  1., -1.],
           [ 1., -1.,  0.],
           [ 1.,  1.,  1.]])
    """

    bounds: Sequence[tuple[float, float]]
    binary: Sequence[int] = ()
    one_hot: Sequence[Sequence[int]] = ()
    intercept: bool = True

    def __post_init__(self):
        limits = tuple(_checks.interval(f"bounds[{j}]", pair) for j, pair in enumerate(self.bounds))
        if not limits and not self.intercept:
            raise ValueError("bounds must have at least one column if there is no intercept, "
                             "got none")
        groups = tuple(tuple(group) for group in self.one_hot)
        if not all(groups):
            raise ValueError(f"one_hot must have no empty group, got {groups}")
        fields = dict(bounds=limits, binary=tuple(self.binary), one_hot=groups)
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        for j, (lo, hi) in enumerate(limits):
            shifted = j not in self._grouped and lo != -hi
            if shifted and not self.intercept:  # which would change the model
                raise ValueError("bounds must be symmetric around 0 if there is no intercept, "
                                 f"got ({lo:g}, {hi:g}) for column {j}")
        declared = [*self.binary, *self._grouped]
        for j in declared:
            _checks.integer("columns of binary and one_hot", j, at_least=0, at_most=len(limits) - 1)
        if len(set(declared)) < len(declared):
            raise ValueError(f"columns of binary and one_hot must be declared once, got {declared}")
        for j in self._grouped:
            if limits[j] != (0.0, 1.0):
                raise ValueError("bounds of a one_hot column must be (0, 1), "
                                 f"got {limits[j]} for column {j}")

    @property
    def columns(self) -> int:
        """How many columns X has."""
        return len(self.bounds)

    @property
    def dimension(self) -> int:
        return self.columns + self.intercept

    @cached_property
    def _grouped(self):
        return [j for group in self.one_hot for j in group]

    @cached_property
    def _numeric(self):
        return [j for j in range(self.columns) if j not in self._grouped]

    @cached_property
    def _blocks(self):
        """Columns of the design that vary together: the intercept, each number, each category."""
        columns = [[0]] * self.intercept + [[j + self.intercept] for j in self._numeric]
        return columns + [[j + self.intercept for j in group] for group in self.one_hot]

    def design(self, X: ArrayLike) -> NDArray[np.float64]:
        X = _matrix(X, self.columns)
        limits, rows = np.array(self.bounds).reshape(-1, 2).T, min(len(X), ROWS)
        lo, hi = (np.tile(ends, (rows, 1)) for ends in limits)
        out = np.ones((len(X), self.dimension))
        body = out[:, self.intercept:]
        for start in range(0, len(X), ROWS):
            part = X[start:start + ROWS]
            body[start:start + ROWS] = _between(part, lo[:len(part)], hi[:len(part)])
        for j in self.binary:
            body[:, j] = np.where(body[:, j] > 0, 1, -1)
        for group in map(list, self.one_hot):
            share = (body[:, group] + 1) / 2
            body[:, group] = share / np.maximum(share.sum(axis=1, keepdims=True), 1)
        return out

    def point(self, name: str, values: ArrayLike) -> NDArray[np.float64]:
        values = _checks.reals(name, values)
        if values.shape != (self.columns,):
            raise ValueError(f"{name} must have one value for each of {self.columns} columns, "
                             f"got shape {values.shape}")
        inside = self.design(values[None])[0]
        again = self._measured(inside)
        room = INSIDE * np.array([hi - lo for lo, hi in self.bounds])
        if (np.abs(again - values) > room).any():
            raise ValueError(f"{name} must lie in the declared domain, got {values.tolist()}")
        return inside

    def _measured(self, point):
        """The covariates of a point given in the coordinates of the box."""
        lo, hi = np.array(self.bounds).reshape(-1, 2).T
        body = np.array(point[self.intercept:], dtype=float)
        body[self._grouped] = 2 * body[self._grouped] - 1
        half = (hi - lo) / 2
        return np.where(body < 0, lo + (1 + body) * half, hi - (1 - body) * half)

    def coefficients(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        lo, hi = np.array(self.bounds).reshape(-1, 2).T
        half, middle = hi / 2 - lo / 2, lo / 2 + hi / 2
        half[self._grouped], middle[self._grouped] = 1, 0
        slopes = theta[self.intercept:] / half
        return np.concatenate([theta[:1] - slopes @ middle, slopes]) if self.intercept else slopes

    def width(self, z: ArrayLike) -> Floats:
        z = np.asarray(z, dtype=float)
        if not self.one_hot:
            return np.abs(z).sum(axis=-1)
        top = bottom = z[..., 0] if self.intercept else np.zeros(z.shape[:-1])
        for block in self._blocks[self.intercept:]:
            if block[0] - self.intercept in self._numeric:
                most, least = np.abs(z[..., block[0]]), -np.abs(z[..., block[0]])
            else:
                most = z[..., block].max(axis=-1).clip(0)
                least = z[..., block].min(axis=-1).clip(None, 0)
            top, bottom = top + most, bottom + least
        return np.maximum(np.abs(top), np.abs(bottom))

    def leverage(self, factor: NDArray[np.float64]) -> float:
        groups = tuple(map(len, self.one_hot))
        corners = _corners(self.dimension, self.intercept, len(self._numeric), groups)
        if corners is not None:
            return float(np.square(corners @ factor[self._order]).sum(axis=1).max())
        lengths = [np.linalg.norm(factor[block], axis=1).max() for block in self._blocks]
        square = self.intercept + len(self._numeric) + len(self.one_hot)  # of the longest x
        return float(min(sum(lengths) ** 2, square * np.linalg.norm(factor, 2) ** 2))

    @cached_property
    def _order(self):
        return [j for block in self._blocks for j in block]

    @property
    def reach(self) -> float:
        return float(np.sqrt(self.intercept + len(self._numeric) + len(self.one_hot)))

    @property
    def spread(self) -> float:
        # |z₀| + (top - z₀) + (z₀ - bottom) for the two ends in `width`
        return 3.0 if self.one_hot else 1.0

    def dual(self, gradient: ArrayLike) -> float:
        blocks = np.abs(np.asarray(gradient, dtype=float))
        if not self.one_hot:
            return float(blocks.max())
        grouped = np.array(self._grouped) + self.intercept
        # A category's direction is the difference of two corners, each of which changes a direction
        # by at most 1.
        return float(np.delete(blocks, grouped).max(initial=0) + 2 * blocks[grouped].sum())


@lru_cache(maxsize=16)
def _corners(dimension, intercept, numbers, groups):
    """All corners of a box, a column for each block in order; None where they are too many."""
    kinds = int(np.prod([size + 1 for size in groups], dtype=object))
    if numbers >= 60 or 2**numbers * kinds > MOST_CORNERS:
        return None
    signs = np.array(list(product((-1.0, 1.0), repeat=numbers))).reshape(2**numbers, numbers)
    categories = [np.vstack([np.zeros(size), np.eye(size)]) for size in groups]
    parts = [np.ones((1, 1))] * intercept + [signs] + categories
    picks = np.indices([len(part) for part in parts]).reshape(len(parts), -1)
    return np.hstack([part[pick] for part, pick in zip(parts, picks)]).reshape(-1, dimension)


@dataclass(frozen=True)
class Ball(Domain):
    """Covariates no longer than a public radius; no column of ones is added.

    Parameters
    ----------
    radius : float > 0
    columns : int ≥ 1, of X

    Notes
    -----
    :Privacy: A longer record is scaled down to the radius, which is part of every mechanism that
        uses the ball.
    :References: Proposition *No unit matters* on the page *Vouching for curvature* (prop-affine).

    Examples
    --------
    >>> Ball(2, columns=2).design([[0, 1], [0, 9], [3e200, 4e200]])
    array([[0. , 0.5],
           [0. , 1. ],
           [0.6, 0.8]])
    """

    radius: float
    columns: int

    def __post_init__(self):
        object.__setattr__(self, "radius", _checks.real("radius", self.radius, above=0))
        object.__setattr__(self, "columns", _checks.integer("columns", self.columns, at_least=1))

    reach = 1.0

    @property
    def dimension(self) -> int:
        return self.columns

    def design(self, X: ArrayLike) -> NDArray[np.float64]:
        X = _matrix(X, self.columns)
        largest = np.maximum(np.abs(X).max(axis=1, keepdims=True), self.radius)
        scaled = X / largest  # squares must not leave the floats
        lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
        return scaled / np.maximum(lengths, self.radius / largest)

    def point(self, name: str, values: ArrayLike) -> NDArray[np.float64]:
        values = _checks.reals(name, values)
        if values.shape != (self.columns,) or np.linalg.norm(values / self.radius) > 1 + INSIDE:
            raise ValueError(f"{name} must be a point of {self.columns} numbers in the ball, "
                             f"got {values.tolist()}")
        return values / self.radius

    def coefficients(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        return theta / self.radius

    def width(self, z: ArrayLike) -> Floats:
        return np.linalg.norm(z, axis=-1)

    def leverage(self, factor: NDArray[np.float64]) -> float:
        return float(np.linalg.norm(factor, 2) ** 2)

    def dual(self, gradient: ArrayLike) -> float:
        return float(np.linalg.norm(gradient))


def checked_domain(domain):
    """A domain, or an error."""
    if not isinstance(domain, Domain):
        raise ValueError(f"domain must be a Box or a Ball, got {domain!r}")
    return domain


def _between(X, lo, hi):
    """-1 at the lower and 1 at the upper limits, however near each other these are."""
    inside = X.clip(lo, hi)
    body = inside - lo
    body -= np.subtract(hi, inside, out=inside)
    body /= hi - lo
    return body.clip(-1, 1, out=body)


def _matrix(X, columns):
    X = _checks.reals("X", X)
    if X.ndim != 2 or X.shape[1] != columns:
        raise ValueError(f"X must have one row for each record and {columns} columns, "
                         f"got shape {X.shape}")
    return X
