"""How many records are enough: the search for the least number that keeps a promise."""

import numpy as np

from dplib import _checks


def least_size(enough, *, at_least=1, at_most=_checks.LARGEST):
    """The least size at which a condition holds that, once true, stays true.

    Parameters
    ----------
    enough : function
        Takes a size, an int64 or an array of them, and returns whether it is enough: a truth value, or an array of them for
        as many questions at once.
    at_least, at_most : int, 0 ≤ at_least ≤ at_most ≤ 2**62
        The smallest and the largest size to ask for.

    Returns
    -------
    int64, the shape of what ``enough`` returns
        The least size that is enough; at_most + 1 where not even ``at_most`` is.

    Notes
    -----
    :Cost: About 2 log₂ of the largest answer calls of ``enough``: sizes are doubled, then bisected.
    :Raises: ValueError if a limit is out of range.

    Examples
    --------
    Within 0.1 of the mean in 95 of 100 runs, by `clipped_mean`:

    >>> from dplib.mean import clipped_mean_error_bound
    >>> least_size(lambda n: clipped_mean_error_bound(size=n, radius=np.array([10, 100]), epsilon=1) <= 0.1)
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
