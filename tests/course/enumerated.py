"""Laws of second boxes by enumeration, for the tests that compare closed forms with them."""

from collections import Counter
from itertools import product
from math import prod


def at_most(output, alpha):
    """t -> Pr[output(three noises) <= t], over all values of the noises up to 6 in size; what is further out is 7."""
    one = {g: (1 - alpha) / (1 + alpha) * alpha ** abs(g) for g in range(-6, 7)}
    one |= dict.fromkeys((-7, 7), alpha**7 / (1 + alpha))
    law = Counter()
    for values in product(one, repeat=3):
        law[output(values)] += prod(one[v] for v in values)
    return lambda t: sum(p for value, p in law.items() if value <= t)
