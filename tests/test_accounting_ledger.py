"""A ledger of prices: what fits, what is refused, and what is printed."""

import mpmath
import numpy as np
import pytest

from dplib.accounting import Ledger, Overdraft, compose_basic, pure_zcdp, zcdp_epsilon


def spend(ledger, count=1, **price):
    for _ in range(count):
        ledger.pay("a question", unit="person", neighbor="replace", **price)


def test_three_tenths_fit_into_thirty_hundredths_and_no_more():
    ledger = Ledger(epsilon=.3, delta=3e-7)
    spend(ledger, 3, epsilon=.1, delta=1e-7)
    assert ledger.left == {"epsilon": 0, "delta": 0} and ledger.guarantee() == (.3, 3e-7)
    assert .1 + .1 + .1 > .3                                          # as floats they do not
    with pytest.raises(Overdraft, match="a question costs epsilon = 1e-300, and 0 of 0.3 is left"):
        spend(ledger, epsilon=1e-300)
    assert len(ledger.payments) == 3


def test_sums_of_prices_are_those_of_composition():
    ledger = Ledger(epsilon=10, delta=1e-3)
    for epsilon, delta in ((.5, 0), (.25, 1e-6), (1.5, 1e-5)):
        spend(ledger, epsilon=epsilon, delta=delta)
    assert ledger.guarantee() == pytest.approx(compose_basic(count=1, epsilon=[.5, .25, 1.5], delta=[0, 1e-6, 1e-5]))
    rho = Ledger(rho=1)
    spend(rho, epsilon=.5)
    spend(rho, rho=.25)
    spent = .25 + pure_zcdp(epsilon=.5)
    assert rho.left["rho"] == pytest.approx(1 - spent, rel=1e-14)
    assert rho.guarantee(delta=1e-6) == (pytest.approx(zcdp_epsilon(rho=spent, delta=1e-6)), 1e-6)
    assert Ledger(rho=1).guarantee(delta=.1) == (0.0, .1)


def test_a_pure_answer_costs_the_exact_rho_and_never_less():
    """ε tanh(ε/2) in 50 digits, which is less than ε²/2 and, for a large ε, than half of it; it is rounded up."""
    for epsilon in (1e-9, .1, 1 / 3, 1.0, 2.5, 5.0, 40.0, 700.0):
        ledger = Ledger(rho=1e3)
        spend(ledger, epsilon=epsilon)
        with mpmath.workdps(50):
            exact = mpmath.mpf(epsilon) * mpmath.tanh(mpmath.mpf(epsilon) / 2)
            paid = mpmath.mpf(str(ledger._spent["rho"]))
            assert exact <= paid <= exact * (1 + mpmath.mpf("2e-15"))
    assert ledger.payments[0].rho < 350 * 700 and Ledger(rho=4.94).pay(
        "one", unit=None, neighbor="replace", epsilon=5) is None
    with pytest.raises(Overdraft):
        spend(Ledger(rho=4.93), epsilon=5)


def test_a_ledger_is_of_one_unit_and_one_relation_and_one_currency():
    ledger = Ledger(epsilon=1)
    spend(ledger, epsilon=.1)
    for other in (dict(unit="household", neighbor="replace"), dict(unit="person", neighbor="add_remove")):
        with pytest.raises(ValueError, match="this ledger is of the unit 'person' under 'replace'"):
            ledger.pay("a question", **other, epsilon=.1)
    for price, words in ((dict(rho=.1), "Ledger\\(rho"), (dict(), "either epsilon or rho"),
                         (dict(epsilon=.1, rho=.1), "either epsilon or rho"), (dict(epsilon=-.1), "epsilon must be"),
                         (dict(epsilon=.1, delta=2), "delta must be"), (dict(epsilon=np.inf), "epsilon must be")):
        with pytest.raises(ValueError, match=words):
            spend(ledger, **price)
    with pytest.raises(ValueError, match="Ledger\\(epsilon=..., delta=...\\)"):
        spend(Ledger(rho=1), epsilon=.1, delta=1e-6)
    for wrong in (dict(), dict(epsilon=1, rho=1), dict(rho=1, delta=1e-6), dict(epsilon=0), dict(epsilon=1, delta=1)):
        with pytest.raises(ValueError):
            Ledger(**wrong)
    assert len(ledger.payments) == 1


def test_a_ledger_prints_what_was_spent_on_what():
    ledger = Ledger(epsilon=1, delta=1e-6)
    ledger.pay("counts", unit="person", neighbor="replace", epsilon=.25)
    ledger.pay("discover ward", unit="person", neighbor="replace", epsilon=.5, delta=1e-7)
    assert [" ".join(line.split()) for line in str(ledger).splitlines()] == [
        "epsilon delta", "counts 0.25 0", "discover ward 0.5 1e-07", "left 0.25 of 1 9e-07 of 1e-06"]


def test_payments_at_the_same_time_do_not_overdraw():
    from concurrent.futures import ThreadPoolExecutor
    ledger = Ledger(epsilon=1)

    def try_to_pay(_):
        try:
            spend(ledger, epsilon=.01)
            return 1
        except Overdraft:
            return 0

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(try_to_pay, range(400))) == 100
