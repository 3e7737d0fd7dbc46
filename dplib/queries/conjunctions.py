"""A rule that averages are enough to learn: all of certain conditions hold."""

from __future__ import annotations

from functools import partial

import numpy as np

from dplib import _checks
from dplib._types import Any, Callable, Integer, NDArray, Real
from dplib.queries.oracles import SQOracle


def learn_conjunction(
        oracle: SQOracle | Callable[..., Any], *, variables: Integer,
        accuracy: Real) -> NDArray[np.bool]:
    """Find which of d yes-no variables must all be yes for the label to be yes.

    Parameters
    ----------
    oracle : SQOracle, or any function of a query
        Its records are rows of d + 1 numbers: the variables, 1 for yes and 0 for no, and last the
        label, 1 or 0.
    variables : int ≥ 1, how many variables there are, d
    accuracy : float > 0, how often the learned rule may differ from the label, α

    Returns
    -------
    array of bool, shape (d,), the variables of the learned conjunction

    Notes
    -----
    :Privacy: That of the oracle: the data are seen through d queries, which do not depend on each
        other.
    :Error: If the label is a conjunction of some of the variables and every answer is within α/d of
        the truth, the learned rule errs with probability at most α. Query i is 1 if variable i is 0
        and the label 1, and else -1.
    :References: Proposition *Conjunctions* on the page *Learning from averages* (prop-conjunction).

    Examples
    --------
    >>> from dplib.queries import sample_oracle
    >>> x = np.random.default_rng(1).integers(0, 2, size=(1000, 4))
    >>> labelled = np.column_stack([x, x[:, 0] & x[:, 2]])
    >>> learn_conjunction(sample_oracle(labelled), variables=4, accuracy=0.1)
    array([ True, False,  True, False])
    """
    variables = _checks.integer("variables", variables, at_least=1)
    limit = _checks.parameter("accuracy", accuracy) / variables - 1
    return np.array([
        oracle(partial(_contradicts, i, variables)) <= limit for i in range(variables)
    ])


def _contradicts(i, variables, x):
    """Whether a record shows that variable i is not in the conjunction, as 1 or -1."""
    if x.ndim != 2 or x.shape[1] != variables + 1:
        raise ValueError(
            f"variables must be one less than the columns of the records, got {variables} and "
            f"shape {x.shape}"
        )
    return np.where((x[:, i] == 0) & (x[:, -1] == 1), 1.0, -1.0)
