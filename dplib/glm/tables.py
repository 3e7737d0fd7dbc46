"""A logistic model from noisy counts: for outcomes and covariates that are all two-valued or
categories."""

from __future__ import annotations


import numpy as np

from dplib.glm.domains import Box
from dplib.glm.fits import fit_model
from dplib.glm.losses import LOGISTIC
from dplib._types import ArrayLike, Generator, NDArray, Noise, Real
from dplib.histograms import laplace_histogram

MOST_CELLS_OF_A_TABLE = 2**22


def release_from_table(
        X: ArrayLike, y: ArrayLike, *, domain: Box, epsilon: Real,
        noise: Noise, rng: Generator,
) -> NDArray[np.float64]:
    """Count the people of each kind with noise, and fit a logistic model to the noisy counts.

    Parameters
    ----------
    X, y
        As in `fit_model`; an outcome above 1/2 counts as 1, any other as 0.
    domain : Box, public, all of whose columns are declared ``binary`` or ``one_hot``
    epsilon : float > 0
    noise : {"laplace", "discrete_laplace"}
    rng : numpy.random.Generator

    Returns
    -------
    float64, shape (d,), θ of the fit to the noisy counts, rounded to integers and at least 0;
        or where the search ends if they have none

    Raises
    ------
    ValueError
        for a domain with other columns or more than 2^22 cells, and as `release_with_ridge`

    Notes
    -----
    :Privacy: (ε, 0)-DP under ``replace``, given fair bits: what is published of the data are the
        noisy counts.
    :Error: Noise of `laplace_histogram` in each of two cells for every kind of people; every binary
        column doubles the variance of a sum over an arm, before counts are kept at 0 or above.
    :Cost: O(n + cells) and a fit.
    :References: Theorem *Noise on every cell* on the page *Counting cells that may not exist*
        (thm-laplace-histogram).

    Examples
    --------
    >>> people = Box([(0, 1)], binary=[0])
    >>> treated, better = np.repeat([0, 1], 2500), np.repeat([0, 1, 0, 1], [1250, 1250, 1000, 1500])
    >>> theta = release_from_table(treated[:, None], better, domain=people, epsilon=1,
    ...                            noise="laplace", rng=np.random.default_rng(1))
    >>> people.coefficients(theta).round(2)
    array([0.  , 0.41])
    """
    kinds = _kinds(domain)
    design = domain.design(X)
    labels = 2 * _cells(domain, design) + (LOGISTIC.read(y, len(design)) > 0.5)
    counts = laplace_histogram(labels, cells=2 * len(kinds), epsilon=epsilon, neighbor="replace",
                               noise=noise, rng=rng)
    people = np.maximum(np.rint(counts), 0).astype(np.int64)
    return fit_model(np.repeat(kinds, 2, axis=0), np.tile([0, 1], len(kinds)), weights=people,
                     loss=LOGISTIC, domain=domain, changes=0).theta


def _parts(domain):
    """What decides the kind of a person: (columns of X, how many values they take together), first
    the two-valued ones."""
    declared = isinstance(domain, Box) and (
        len(domain.binary) + sum(map(len, domain.one_hot)) == domain.columns)
    if not declared:
        raise ValueError("domain must be a Box with all columns declared binary or one_hot, "
                         f"got {domain!r}")
    parts = [([j], 2) for j in domain.binary]
    parts += [(list(group), len(group) + 1) for group in domain.one_hot]
    if 2 * np.prod([size for _, size in parts], dtype=object) > MOST_CELLS_OF_A_TABLE:
        raise ValueError(f"domain must have at most 2**22 cells for a table, got {domain!r}")
    return parts


def _cells(domain, design):
    """The kind of each record, as a number in base 2 and the sizes of the groups."""
    kind = np.zeros(len(design), dtype=np.int64)
    for columns, size in _parts(domain):
        values = design[:, np.add(columns, domain.intercept)]
        if columns[0] in domain.binary:
            digit = values[:, 0] > 0
        else:
            digit = np.where(values.max(axis=1) >= 0.5, 1 + values.argmax(axis=1), 0)
        kind = size * kind + digit
    return kind


def _kinds(domain):
    """The covariates of each kind, as rows of X."""
    parts = _parts(domain)
    sizes = [size for _, size in parts]
    rows = np.zeros((int(np.prod(sizes)), domain.columns))
    for (columns, _), digit in zip(parts, np.indices(sizes).reshape(len(sizes), -1)):
        for place, j in enumerate(columns, start=1):  # 0: all of them at their lower limits
            lo, hi = domain.bounds[j]
            rows[:, j] = np.where(digit == place, hi, lo)
    return rows
