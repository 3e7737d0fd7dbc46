"""What a refusal looks like, whichever mechanism refused."""

from __future__ import annotations

import numpy as np

from dplib import _checks
from dplib.aggregation.stability import Refusal


def refused(answer: object, *, runs: bool = False) -> bool | np.ndarray:
    """Whether a mechanism has refused to answer.

    Parameters
    ----------
    answer : what a mechanism returned: a number, an array, a `Refusal`, a fitted estimator
    runs : bool, whether the answer holds those of independent runs, and each entry is looked at;
        without it there is one answer

    Returns
    -------
    bool; with ``runs`` an array of them, of the shape of the answer
        True in every entry of a vector that was refused.

    Raises
    ------
    ValueError
        for an array of which some entries were refused, unless ``runs`` says that it may be so

    Notes
    -----
    :Privacy: It looks at what was released, and costs nothing.
    :Error: Refused are a `Refusal`; floats that are NaN, as of `unbounded_mean`, `private_scale`,
        `friendly_mean`, `friendly_core_mean` and `friendly_tuples`; subsets, of type int8, that are
        -1, as of `private_parity`; and an estimator whose ``release_`` was refused, as that of
        `PrivateLogisticRegression`. Everything else is an answer.
    :References: The page *Test, then release*.

    Examples
    --------
    >>> refused(0.25), refused(float("nan")), refused(Refusal("More records would help."))
    (False, True, True)
    >>> refused([0.25, float("nan")], runs=True)
    array([False,  True])
    """
    refusals = _refusals(getattr(answer, "release_", answer))
    if _checks.choice("runs", runs, (False, True)):
        return refusals
    if refusals.any() and not refusals.all():
        raise ValueError(
            "answer must be one answer, got an array of which some entries were refused and "
            "others not; with runs=True, they are looked at one by one"
        )
    return bool(refusals.size and refusals.all())


def _refusals(answer):
    """Entry by entry."""
    try:
        entries = np.asarray(answer)
    except ValueError:  # parts of different shapes
        return np.zeros((), dtype=bool)
    if entries.dtype.kind == "f":
        return np.isnan(entries)
    if entries.dtype == np.int8:
        return entries == -1
    if entries.dtype.kind == "O":
        return np.reshape([isinstance(entry, Refusal) for entry in entries.flat], entries.shape)
    return np.zeros(entries.shape, dtype=bool)
