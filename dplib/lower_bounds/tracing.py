"""Deciding from released means whose records were among the data, and how few people are too few to
prevent it."""

from __future__ import annotations

import numpy as np

from dplib import _checks
from dplib._types import ArrayLike, Integers, Ints, NDArray, Reals


def tracing_sample_size(
        *, columns: Integers, accuracy: Reals, epsilon: Reals, delta: Reals) -> Ints:
    """The number of people below which nobody can release so many means so accurately in private.

    Parameters
    ----------
    columns : int ≥ 1 or array_like, d, the number of ±1 answers of every person
    accuracy : float > 0 or array_like
        η, how far released means are from the truth, a root mean square over columns and truths
        uniform on [-1, 1]^d.
    epsilon, delta : float or array_like, ε > 0 and 0 ≤ δ < 1

    Returns
    -------
    int64, the broadcast shape
        The smallest n with n ≥ 2 (1 - √3 η) (d/3)/(2 sinh(ε/2) η √d + 14 d δ/3); 0 for η² ≥ 1/3;
        ValueError above 2**62.

    Notes
    -----
    :Privacy: With fewer people the error of every (ε, δ)-DP mechanism under ``replace`` is larger.
    :References: Theorem *What accuracy in many columns costs* on the page *Were you in it?*
        (thm-tracing-bound); Dwork, Smith, Steinke, Ullman and Vadhan, *Robust traceability from
        trace amounts* (2015).

    Examples
    --------
    >>> tracing_sample_size(columns=[10, 1000, 100_000], accuracy=0.1, epsilon=1, delta=1e-6)
    array([  17,  168, 1650])
    """
    d = _checks.integers("columns", columns, at_least=1)
    accuracy = _checks.parameters("accuracy", accuracy)
    epsilon = _checks.parameters("epsilon", epsilon)
    delta = _checks.parameters("delta", delta, or_zero=True)
    with np.errstate(over="ignore"):
        # of a person's score, per column
        paid = 2 * np.sinh(epsilon / 2) * accuracy / np.sqrt(d) + 14 / 3 * delta
        people = np.ceil(2 / 3 * np.maximum(1 - np.sqrt(3) * accuracy, 0) / paid)
    return _checks.reals("the answer", people, at_most=_checks.LARGEST).astype(np.int64)[()]


def tracing_scores(x: ArrayLike, release: ArrayLike, *, center: Reals) -> NDArray[np.float64]:
    """How strongly a released mean points at each of the records: an attack, without any privacy.

    Parameters
    ----------
    x : array_like of real numbers, shape (..., n, d), data sets of n records to judge
    release : array_like of real numbers, shape (..., d), the released means f of the d columns
    center : float or array_like, shape (..., d), the means p of the population

    Returns
    -------
    float64, shape (..., n)
        ⟨xᵢ - p, f - p⟩, of mean 0 for a stranger, Σ Var(x_j)/n for a member if f is the empirical
        mean

    Notes
    -----
    :References: Proposition *Scores of members and strangers* on the page *Were you in it?*
        (prop-tracing-scores); Homer et al., *Resolving individuals contributing trace amounts of
        DNA to highly complex mixtures* (2008).

    Examples
    --------
    >>> x = np.array([[1, 1, -1, 1], [1, -1, -1, -1], [-1, -1, 1, -1]])
    >>> tracing_scores(x, x[:2].mean(axis=0), center=0)
    array([ 2.,  2., -2.])
    """
    x, release, center = (
        _checks.reals("x", x),
        _checks.reals("release", release),
        _checks.reals("center", center),
    )
    if x.ndim < 2:
        raise ValueError(f"x must have shape (..., n, d), got shape {x.shape}")
    for name, value in (("release", release), ("center", center)):
        if value.shape[-1:] != x.shape[-1:] and (name == "release" or value.ndim):
            raise ValueError(
                f"{name} must have {x.shape[-1]} numbers on the last axis, got shape {value.shape}"
            )
    center = center[..., np.newaxis, :] if center.ndim else center
    try:
        np.broadcast_shapes(x.shape[:-2], release.shape[:-1], center.shape[:-2])
    except ValueError:
        raise ValueError(
            f"the runs of x, release and center must broadcast, got shapes {x.shape}, "
            f"{release.shape} and {np.shape(center)}"
        ) from None
    return np.matmul(x - center, (release[..., np.newaxis, :] - center).swapaxes(-1, -2))[..., 0]
