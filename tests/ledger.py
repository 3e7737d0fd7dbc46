"""What a release pays: the ε and δ that it hands down to what draws noise for it, written down as they are handed down.

Noise on a grid is paid for when it is first added to something, and `known` keeps its price; all else
when it is asked for, and once if it is asked for the same again, for plans look at prices too. A
payment that is part of another one is not written down.
"""

import inspect
from contextlib import ExitStack, contextmanager
from functools import wraps
from math import fsum
from unittest.mock import patch

from dplib import _grid, mechanisms
from dplib.glm import terms
from dplib.glm.compared import published

MAKERS = {"laplace_noise": None, "count_noise": None, "normal_noise": "delta", "ball_noise": "delta"}       # of _grid: where δ is
ADDERS = ("added_to", "added_to_fraction", "added_to_whole", "added_far_out")
PAYERS = {  # where ε and δ are among the arguments
    (_grid, "winner"): ("epsilon", None), (_grid, "for_weights"): ("epsilon", None), (_grid, "for_secret"): ("epsilon", "delta"),
    (_grid, "tail_bound"): (None, "delta"), (mechanisms, "discrete_laplace"): ("epsilon", None),
    (terms, "certify_below"): ("epsilon", "delta"), (published, "certify_below"): ("epsilon", "delta"),
    (published, "certify_by_recursion"): ("epsilon", "delta"), (published, "certify_largest_eigenvalue"): ("epsilon", "delta")}


class Ledger:
    """Payments (what, ε, δ) in the order in which they were made."""

    def __init__(self):
        self.payments, self.prices, self.known, self.depth = [], {}, {}, 0

    @property
    def epsilon(self):
        return fsum(epsilon for _, epsilon, _ in self.payments)

    @property
    def delta(self):
        return fsum(delta for *_, delta in self.payments)

    def pay(self, payment):
        if payment not in self.payments:
            self.payments.append(payment)

    def made(self, original, name, delta):
        """The noise, and what is to be paid when it is first used."""
        @wraps(original)
        def maker(*args, **named):
            given = arguments(original, args, named)
            with self.within():
                noise = original(*args, **named)
            price = name, float(given["epsilon"]), float(given[delta]) if delta else 0.0
            self.known[id(noise)] = noise, price
            if self.depth == 0:
                self.prices[id(noise)] = noise, price
            return noise
        return maker

    def used(self, original):
        @wraps(original)
        def adder(noise, *args, **named):
            if self.depth == 0 and id(noise) in self.prices:
                self.payments.append(self.prices.pop(id(noise))[1])
            with self.within():
                return original(noise, *args, **named)
        return adder

    def asked(self, original, name, epsilon, delta):
        @wraps(original)
        def payer(*args, **named):
            given = arguments(original, args, named)
            if self.depth == 0:
                self.pay((name, *(float(given[part]) if part else 0.0 for part in (epsilon, delta))))
            with self.within():
                return original(*args, **named)
        return payer

    @contextmanager
    def within(self):
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1


def arguments(function, args, named):
    return inspect.signature(function).bind(*args, **named).arguments


@contextmanager
def ledger():
    """A ledger that is open."""
    book = Ledger()
    with ExitStack() as stack:
        for name, delta in MAKERS.items():
            stack.enter_context(patch.object(_grid, name, book.made(getattr(_grid, name), name, delta)))
        for name in ADDERS:
            stack.enter_context(patch.object(_grid.Noise, name, book.used(getattr(_grid.Noise, name))))
        for (owner, name), parts in PAYERS.items():
            stack.enter_context(patch.object(owner, name, book.asked(getattr(owner, name), name, *parts)))
        yield book
