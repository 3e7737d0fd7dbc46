"""How many records are enough: the search for the least number that keeps a promise."""

from __future__ import annotations

import numpy as np

from dplib import _checks
from dplib._types import Any, Callable, Integer, Ints


def least_size(
        enough: Callable[..., Any], *, at_least: Integer = 1,
        at_most: Integer = _checks.LARGEST) -> Ints:
    """The least size at which a condition holds that, once true, stays true.

    Parameters
    ----------
    enough : callable
        Maps a size, or an array with one for each of many questions, to whether it is enough
    at_least, at_most : int
        0 ≤ at_least ≤ at_most ≤ 2**62, the smallest and the largest size to ask for

    Returns
    -------
    int64, the shape of what ``enough`` returns, at_most + 1 where no size is enough

    Notes
    -----
    :Cost: About 2 log₂ of the largest answer calls of ``enough``.

    Examples
    --------
    >>> from dplib.mean import clipped_mean_error_bound
    >>> least_size(lambda n: clipped_mean_error_bound(size=n, radius=np.array([10, 100]),
    ...                                               epsilon=1) <= 0.1)
    array([1124, 6913])
    """
    first = _checks.integer("at_least", at_least, at_least=0)
    last = _checks.integer("at_most", at_most, at_least=first)
    ask = lambda size: np.asarray(enough(size[()]))
    good = ask(np.int64(first))
    low, high = np.full(good.shape, first - 1), np.full(good.shape, first)
    while np.any(late := ~good & (high < last)):
        low, high = np.where(late, high, low), np.where(late, np.clip(2 * high, 1, last), high)
        good = ask(high)
    low, high = np.where(good, low, last), np.where(good, high, last + 1)
    while np.any(high - low > 1):
        middle = np.minimum(low + (high - low + 1) // 2, last)
        good = ask(middle)
        low, high = np.where(good, low, middle), np.where(good, middle, high)
    return high[()]
