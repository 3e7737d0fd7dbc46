"""A budget, what is spent of it, and the refusal to spend more.

The next question may depend on the last answer, so that prices are chosen as one goes. Sums of ε
and δ are valid then, and so are sums of ρ; other ways to add up ask for prices that are fixed
beforehand.

Symbols
-------
epsilon, delta, rho : ε, δ, ρ
    A budget is either (ε, δ) or ρ, that of zero-concentrated privacy. A pure price of ε is a price
    of ε tanh(ε/2) in ρ, rounded up.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from decimal import Context, Decimal, Inexact

from dplib import _checks
from dplib._types import Neighbor, Real
from dplib.accounting.composition import pure_zcdp, zcdp_epsilon

EXACT = Context(prec=2000, traps=[Inexact])  # of doubles, and of sums of a million of them
ROUNDING_OF_RHO = 1e-15  # relative, more than that of the product ε tanh(ε/2)


class Overdraft(ValueError):
    """A price that is more than what is left: nothing was spent, and no record was read."""


@dataclass(frozen=True)
class Payment:
    """One line of a `Ledger`.

    Attributes
    ----------
    what : str, the question
    epsilon, delta, rho : float, its price; a pure ε that was paid from a budget of ρ has both
    """

    what: str
    epsilon: float = 0.0
    delta: float = 0.0
    rho: float = 0.0


@dataclass(eq=False)
class Ledger:
    """A budget in (ε, δ) or in ρ, every payment from it, and an `Overdraft` where it is not enough.

    Parameters
    ----------
    epsilon : float > 0, optional
    delta : float ≥ 0, with ``epsilon`` only
    rho : float > 0, optional, instead of ``epsilon``

    Attributes
    ----------
    payments : tuple of Payment, in the order in which they were made

    Notes
    -----
    :Privacy: All that was released against the payments is private together at the price of their
        sum, even if each question was chosen in view of the earlier answers, for the unit and the
        relation that the first payment named; payments for others are refused. A ledger is kept in
        memory, and cannot know of another one for the same people.
    :Error: None. Amounts are added as the decimals that they are written as, so that three times
        0.1 fits into 0.3. The ρ of a pure ε is rounded up in the fifteenth digit.
    :Cost: One addition of decimals for each payment.
    :References: Theorem *Basic composition* on the page *Spending a budget*
        (thm-basic-composition); theorem *zCDP* on the page *What one answer gave away* (thm-zcdp);
        proposition *A dictionary* on the page *The accuser's curve* (prop-dictionary); Rogers,
        Roth, Ullman and Vadhan, *Privacy odometers and filters: pay-as-you-go composition*
        (2016).

    Examples
    --------
    >>> ledger = Ledger(epsilon=0.3)
    >>> for month in ("January", "February", "March"):
    ...     ledger.pay(month, unit="person", neighbor="add_remove", epsilon=0.1)
    >>> ledger.left
    {'epsilon': 0.0, 'delta': 0.0}
    >>> ledger.pay("April", unit="person", neighbor="add_remove", epsilon=1e-9)
    Traceback (most recent call last):
      ...
    dplib.accounting.ledger.Overdraft: April costs epsilon = 1e-09, and 0 of 0.3 is left
    """

    epsilon: float | None = None
    delta: float = 0.0
    rho: float | None = None
    payments: tuple[Payment, ...] = field(default=(), init=False)

    def __post_init__(self):
        if (self.epsilon is None) == (self.rho is None):
            raise ValueError("a Ledger must have either an epsilon or a rho")
        if self.rho is None:
            _checks.parameter("epsilon", self.epsilon)
            _checks.parameter("delta", self.delta, or_zero=True)
        elif self.delta:
            raise ValueError(f"delta must be 0 in a budget of rho, got {self.delta!r}")
        else:
            _checks.parameter("rho", self.rho)
        self._lock, self._protected = threading.Lock(), None
        self._budget = {name: decimal(getattr(self, name)) for name in self._currency}
        self._spent = dict.fromkeys(self._currency, Decimal(0))

    @property
    def _currency(self):
        return ("epsilon", "delta") if self.rho is None else ("rho",)

    @property
    def left(self) -> dict[str, float]:
        """What is left, by the name of the currency."""
        return {name: float(EXACT.subtract(self._budget[name], self._spent[name]))
                for name in self._currency}

    def pay(self, what: str, *, unit: str | None, rho: Real | None = None,
            epsilon: Real | None = None, delta: Real | None = None, neighbor: Neighbor) -> None:
        """Pay for a question before any record is read, or raise `Overdraft`.

        Parameters
        ----------
        what : str, the question, as the ledger prints it
        unit : str or None, whom the answer protects: one person, say; None: one row
        rho : float > 0
            The price, a bound of Rényi divergences, or else
        epsilon, delta : float ≥ 0, the price, δ < 1
        neighbor : {"replace", "add_remove"}
        """
        _checks.records_that_differ(neighbor)
        price, protected = self._price(what, epsilon, delta, rho), (unit, neighbor)
        with self._lock:  # a check and its payment are one step
            if self._protected not in (None, protected):
                raise ValueError(f"this ledger is of {_named(self._protected)}, got a payment for "
                                 f"{_named(protected)}")
            after = {name: EXACT.add(self._spent[name], price[name]) for name in self._currency}
            for name in self._currency:
                if after[name] > self._budget[name]:
                    raise Overdraft(f"{what} costs {name} = {float(price[name]):g}, and "
                                    f"{self.left[name]:g} of {float(self._budget[name]):g} is left")
            self._spent, self._protected = after, protected
            paid = {name: float(price[name]) for name in price}
            self.payments += (Payment(what, **paid),)

    def _price(self, what, epsilon, delta, rho):
        """The price as decimals, ρ included where the budget is of ρ."""
        given = dict(epsilon=epsilon, delta=delta, rho=rho)
        price = {name: decimal(_checks.parameter(name, value or 0.0, or_zero=True))
                 for name, value in given.items()}
        if bool(price["epsilon"]) == bool(price["rho"]):
            raise ValueError(f"{what} must cost either epsilon or rho, got epsilon = {epsilon!r} "
                             f"and rho = {rho!r}")
        if self.rho is None and price["rho"]:
            raise ValueError(f"{what} costs rho, and this ledger is in epsilon and delta: "
                             "take Ledger(rho=...)")
        if self.rho is not None and price["delta"]:
            raise ValueError(f"{what} costs a delta, and this ledger is in rho: "
                             "take Ledger(epsilon=..., delta=...)")
        if self.rho is not None and price["epsilon"]:
            price["rho"] = decimal(pure_zcdp(epsilon=epsilon) * (1 + ROUNDING_OF_RHO))
        return price

    def guarantee(self, delta: Real | None = None) -> tuple[float, float]:
        """The (ε, δ) of all that was paid for so far.

        Parameters
        ----------
        delta : float in (0, 1), the δ at which a budget of ρ is to be read; for that one only

        Returns
        -------
        (float, float)
        """
        if self.rho is None:
            if delta is not None:
                raise ValueError(f"delta is what was paid in this ledger, got {delta!r}")
            return float(self._spent["epsilon"]), float(self._spent["delta"])
        delta, spent = _checks.parameter("delta", delta), float(self._spent["rho"])
        return (zcdp_epsilon(rho=spent, delta=delta) if spent else 0.0), delta

    def __str__(self):
        """A table of all payments, and what is left."""
        names = self._currency
        rows = [("", *names)]
        rows += [(p.what, *(f"{getattr(p, name):g}" for name in names)) for p in self.payments]
        rows += [("left", *(f"{self.left[name]:g} of {float(self._budget[name]):g}"
                            for name in names))]
        widths = [max(map(len, column)) for column in zip(*rows)]
        return "\n".join("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip()
                         for row in rows)


def decimal(number):
    """A float as the decimal number that it was written as."""
    return Decimal(repr(float(number)))


def _named(protected):
    unit, neighbor = protected
    return f"the unit {unit!r} under {neighbor!r}" if unit else f"a row under {neighbor!r}"
