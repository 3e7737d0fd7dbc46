"""How far a fit moves: golden values, corners, and attacks by data sets that are looked for."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.optimize import linprog

from dplib import glm
from dplib.glm import direction_constants, prediction_shift, vector_constants
from dplib.glm.compared import (
    eigenvalue_ratio_constants, mahalanobis_constants, shift_generic, shift_sharp, shift_source)
from tests.glm_pairs import corner, fit, objective, random_data, two_towns, width

ROOT5, ROBUST, LOGISTIC = 5**.5, 1 / 2, 1 / 4
GENERIC = (ROOT5, 2.5, 5**1.5 / 27**.5)                          # of the robust loss, |x| ≤ √5


def digits(value, golden):
    """All digits of a printed number, which may be cut off or rounded."""
    assert abs(value - float(golden)) <= 1.01 * 10.0 ** -len(golden.split(".")[1]), (value, golden)


def test_golden_values():
    at = dict(eigenvalue=.4, size=5000)
    digits(shift_sharp(**at, radius=ROOT5), ".00224167685")
    digits(shift_source(**at, radius=ROOT5), ".00225022087")
    digits(shift_generic(**at, lipschitz=GENERIC), ".00224968006")
    robust = direction_constants(nu=.08 * 5000, changes=2, largest_curvature=ROBUST)
    logistic = direction_constants(nu=.03 * 20000, changes=2, largest_curvature=LOGISTIC)
    ratio = eigenvalue_ratio_constants(smallest_eigenvalue=.35, largest_eigenvalue=.45, radius=ROOT5, aspect=ROOT5,
                                       largest_curvature=ROBUST, size=20000)
    for constants, golden in [(robust, [".00501254182", "1.00251678", "1.00758212", "1.00755031"]),
                              (logistic, [".00333890", "1.00167411", "1.00419533", "1.00418340"]),
                              (ratio, [None, "1.00181251", "1.00434412", "1.00435475"])]:
        for value, expected in zip((constants.shift, constants.factor, constants.up, constants.down), golden):
            expected is None or digits(value, expected)
    q, eta = 2.53546276, .00071530758                            # the ratio's own two numbers
    s = float(ratio.shift)
    assert ratio.up == pytest.approx((np.cosh(s) + q * np.sinh(s)) / (1 - eta), rel=1e-10)
    assert prediction_shift(nu=3.984, changes=2) == pytest.approx(.697, abs=5e-4)
    assert prediction_shift(nu=3.984, changes=1) == pytest.approx(.2890, abs=5e-5)


def test_nothing_is_bounded_where_the_curvature_is_too_small():
    nu = np.array([0, 1, 2, np.nextafter(2, 3)])
    assert np.isinf(prediction_shift(nu=nu, changes=2)).tolist() == [True] * 3 + [False]
    assert prediction_shift(nu=nu[3], changes=2) == pytest.approx(np.log(2**52), rel=1e-12)      # 2/2**-51, without cancellation
    assert prediction_shift(nu=[0, 5], changes=0).tolist() == [np.inf, 0]
    for constants in (direction_constants(nu=nu, changes=2, largest_curvature=.5),
                      mahalanobis_constants(nu=nu, changes=2, added=1, removed=1, largest_curvature=.5),
                      vector_constants(nu=nu, changes=2, added=1, removed=1, largest_curvature=.5, dimension=3)):
        assert all(np.isinf(values[:3]).all() for values in vars(constants).values())
    many = direction_constants(nu=[2.5, 3.9, 4.1, 7], changes=2, largest_curvature=.5)           # β = 4, 1.05, .95, .4
    assert np.isfinite(many.shift).all() and np.isfinite(many.down).all()
    assert np.isfinite(many.up).tolist() == [False, False, True, True]
    assert np.isfinite(many.factor).tolist() == [False, True, True, True]                         # β < 2s to ν = 2.8
    none = direction_constants(nu=3, changes=0, largest_curvature=.5)
    assert (none.shift, none.factor, none.up, none.down) == (0, 1, 1, 1)
    assert np.isinf(shift_source(eigenvalue=[.00999, .01], radius=1, size=1000)).tolist() == [True, False]
    assert np.isinf(shift_sharp(eigenvalue=[0, .002, .0021], radius=1, size=1000)).tolist() == [True, True, False]
    assert np.isinf(shift_generic(eigenvalue=[0, .125, .126], lipschitz=(5, 1, .78125), size=1000)).tolist() == [True, True, False]
    bad = eigenvalue_ratio_constants(smallest_eigenvalue=[0, .01, .02], largest_eigenvalue=1, radius=1, aspect=1, largest_curvature=.5,
                                     size=1000)
    assert np.isinf(bad.up).tolist() == [True, False, False] and np.isinf(bad.down).tolist() == [True, True, False]


def test_every_constant_falls_as_the_curvature_grows_and_grows_with_the_changes():
    nu, changes = np.geomspace(.1, 1e9, 4001), np.array([0, 1, 2, 2 + 1 / 1024, 5, 90])[:, None]
    each = [prediction_shift(nu=nu, changes=changes)]
    for c in (ROBUST, LOGISTIC):
        each += vars(direction_constants(nu=nu, changes=changes, largest_curvature=c)).values()
        half = np.floor(changes / 2)
        each += vars(mahalanobis_constants(nu=nu, changes=changes, added=half, removed=half, largest_curvature=c)).values()
        each += vars(vector_constants(nu=nu, changes=changes, added=half, removed=half, largest_curvature=c, dimension=7)).values()
    for values in each:
        assert values.shape == (6, 4001)
        assert all(row[i] >= row[i + 1] * (1 - 1e-14) for row in values for i in range(0, 4000, 7))
        assert np.all(values[1:] >= values[:-1] * (1 - 1e-14))


def test_steps_of_one_record_telescope_and_the_source_form_is_never_smaller():
    nu = np.geomspace(10.5, 1e6, 50)
    one_by_one = sum(prediction_shift(nu=nu - j, changes=1) for j in range(9))
    assert np.allclose(one_by_one, prediction_shift(nu=nu, changes=9), rtol=1e-12)
    eigenvalue = np.geomspace(1e-4, 10, 400)
    sharp, source = (f(eigenvalue=eigenvalue, radius=3, size=10**4) for f in (shift_sharp, shift_source))
    assert np.all(source >= sharp) and np.isfinite(source).sum() > 200
    finite = np.isfinite(source)
    assert np.all(source[finite] <= 4 * 3 / (1e4 * eigenvalue[finite]) * (1 + 1e-15))


def test_on_a_ball_the_sharp_form_is_the_one_without_units():
    for radius in (.01, 1, 30):                                   # the same data, in other units: λ and R² grow together
        assert radius * shift_sharp(size=5000, radius=radius, eigenvalue=.08 * radius**2) == pytest.approx(
            prediction_shift(nu=400, changes=2), rel=1e-12)


def test_the_domain_and_the_messages():
    with pytest.raises(ValueError, match="nu must be finite and at least 0, got -1"):
        prediction_shift(nu=-1, changes=2)
    with pytest.raises(ValueError, match="changes must be finite and at least 0, got nan"):
        prediction_shift(nu=1, changes=np.nan)
    with pytest.raises(ValueError, match="changes must be at least added . removed, 3, got 2"):
        vector_constants(nu=9, changes=2, added=1, removed=2, largest_curvature=.5, dimension=3)
    with pytest.raises(ValueError, match="largest_eigenvalue must be at least smallest_eigenvalue, got 1 and 2"):
        eigenvalue_ratio_constants(smallest_eigenvalue=2, largest_eigenvalue=1, radius=1, aspect=1, largest_curvature=.5, size=9)
    with pytest.raises(ValueError, match="lipschitz must be three numbers"):
        shift_generic(eigenvalue=1, lipschitz=(1, 2), size=9)


# ----------------------------------------------------------------------------------------------------------- the attacks
# A pair of data sets is fitted by a Newton method of our own. Everything is a ratio, observed to bound; above 1 it is a violation.


def shift_bound(nu, changes):
    return float(prediction_shift(nu=nu, changes=changes))


def measured(kind, data, u=(.8, -.6), shift=shift_bound, constants=direction_constants, changes=2, relation="replace"):
    """{inequality: observed / bound} for the pair of data sets in which the first record of x, y is exchanged for the last."""
    x, y = data
    pairs = {"replace": ((x[:-1], y[:-1]), (x[1:], y[1:])), "remove": ((x, y), (x[1:], y[1:]))}[relation]
    fits = [fit(kind, *pair) for pair in pairs]
    if fits[0] is None or fits[1] is None:
        return {}
    if min(np.linalg.eigvalsh(H)[0] for _, H in fits) < 1e-6:
        return {}
    found, n, d = {}, len(pairs[0][0]), x.shape[1]
    u = np.array(u[:d]) / np.linalg.norm(u[:d])
    largest = ROBUST if kind == "robust" else LOGISTIC
    for (theta, H), (theta_, H_) in (fits, fits[::-1]):
        nu, nu_, delta = corner(H), corner(H_), theta_ - theta
        found["curvature"] = max(found.get("curvature", 0), abs(nu - nu_) / changes)
        if nu <= changes * 1.001:
            continue
        put = lambda name, value, bound: found.__setitem__(name, max(found.get(name, 0), value / bound))
        put("shift", width(delta), shift(nu, changes))
        c = constants(nu=nu, changes=changes, largest_curvature=largest)
        wide, wide_ = (width(np.linalg.solve(M, u)) for M in (H, H_))
        put("direction", abs(u @ delta), changes * wide * c.factor)
        put("up", np.log(wide_ / wide), np.log(c.up))
        put("down", np.log(wide / wide_), np.log(c.down))
        both = dict(nu=nu, changes=changes, added=changes // 2, removed=1, largest_curvature=largest)
        m, v = mahalanobis_constants(**both), vector_constants(**both, dimension=d)
        spread, spread_ = (np.sqrt(u @ np.linalg.solve(M, u)) for M in (H, H_))
        put("length", np.sqrt(delta @ H @ delta), m.length)
        put("mahalanobis", abs(u @ delta), m.length * spread)
        put("spread up", np.log(spread_ / spread), np.log(m.up))
        put("spread down", np.log(spread / spread_), np.log(m.down))
        root = np.linalg.inv(np.linalg.cholesky(H))
        E = root @ H_ @ root.T - np.eye(d)
        put("operator", np.linalg.norm(E, 2), v.operator)
        put("frobenius", np.linalg.norm(E), v.frobenius)
        if relation == "replace":
            low, high, radius = np.linalg.eigvalsh(H)[0] / n, np.linalg.eigvalsh(H)[-1] / n, np.sqrt(d)
            e = eigenvalue_ratio_constants(smallest_eigenvalue=low, largest_eigenvalue=high, radius=radius, aspect=radius,
                                           largest_curvature=largest, size=n)
            put("ratio direction", abs(u @ delta), changes * wide * e.factor)
            put("ratio up", np.log(wide_ / wide), np.log(e.up))
            put("ratio down", np.log(wide / wide_), np.log(e.down))
            third = (1 if kind == "robust" else .5) / 27**.5
            far = np.linalg.norm(delta)
            put("sharp", far, shift_sharp(eigenvalue=low, radius=radius, size=n))
            put("source", far, shift_source(eigenvalue=low, radius=radius, size=n))
            put("generic", far, shift_generic(eigenvalue=low, lipschitz=(radius, largest * d, third * d**1.5), size=n))
    return found


def climb(kind, data, name, measure, steps, rng):
    """Move records to where one ratio is larger."""
    best, score = data, measure(kind, data).get(name, 0)
    for _ in range(steps):
        x, y = best[0].copy(), best[1].copy()
        i = rng.choice([0, len(x) - 1, int(rng.integers(len(x)))])
        x[i] = np.clip(x[i] + rng.normal(size=x.shape[1]) * rng.choice([.1, 1, 9]), -1, 1)
        y[i] = -y[i] * rng.choice([-1, 1]) if kind == "logistic" else y[i] + rng.normal() * rng.choice([.1, 1, 20])
        new = measure(kind, (x, y)).get(name, 0)
        if new > score:
            best, score = (x, y), new
    return score


def attack(measure, draws, steps, rng):
    """The largest ratio of every inequality that any pair showed."""
    worst = {}
    for kind in ("robust", "logistic"):
        for d in (1, 2):
            for _ in range(draws):
                for name, ratio in measure(kind, random_data(kind, d, rng)).items():
                    worst[name] = max(worst.get(name, 0), ratio)
            for name in ("shift", "curvature", "direction", "up", "down") if steps else ():
                start = max((random_data(kind, d, rng) for _ in range(9)), key=lambda data: measure(kind, data).get(name, 0))
                worst[name] = max(worst.get(name, 0), climb(kind, start, name, measure, steps, rng))
    for lead in (4, 6, 10, 20, 60):
        for name, ratio in measure("robust", two_towns(lead)).items():
            worst[name] = max(worst.get(name, 0), ratio)
    return worst


REPLACE = {"curvature", "shift", "direction", "up", "down", "length", "mahalanobis", "spread up", "spread down", "operator",
           "frobenius", "ratio direction", "ratio up", "ratio down", "sharp", "source", "generic"}


@pytest.mark.slow
def test_no_pair_of_data_sets_breaks_a_bound_and_two_towns_attain_two():
    worst = attack(measured, draws=150, steps=60, rng=np.random.default_rng(1))
    assert set(worst) == REPLACE and max(worst.values()) <= 1 + 1e-7, worst
    assert worst["shift"] > .98 and worst["sharp"] > .98 and worst["curvature"] > .98, worst
    assert worst["direction"] > .98 and min(worst[name] for name in ("up", "down", "spread up", "spread down")) > .5, worst


@pytest.mark.slow
def test_no_single_removal_breaks_a_bound():
    worst = attack(partial(measured, changes=1, relation="remove"), draws=80, steps=50, rng=np.random.default_rng(2))
    assert max(worst.values()) <= 1 + 1e-7, worst
    assert worst["shift"] > .9 and worst["curvature"] > .6, worst


@pytest.mark.parametrize("wrong", [lambda nu, k: shift_bound(nu, k / 2) if nu > k else np.inf, lambda nu, k: np.log1p(k / nu),
                                   lambda nu, k: k / nu, lambda nu, k: shift_bound(nu + 1, k)],
                         ids=["a swap is one change", "a plus for a minus", "to first order", "one more than the curvature"])
def test_the_attack_finds_a_wrong_bound(wrong):
    found = attack(partial(measured, shift=wrong), draws=0, steps=0, rng=np.random.default_rng(1))
    assert found["shift"] > 1.01


def wrong_constants(mistake):
    def constants(*, nu, changes, largest_curvature):
        c = direction_constants(nu=nu, changes=changes, largest_curvature=largest_curvature)
        beta, eta = np.expm1(c.shift), changes * largest_curvature * np.exp(c.shift) / nu
        if mistake == "to first order":
            return replace(c, factor=1.0)
        if mistake == "no inverse":
            return replace(c, factor=2 - beta / c.shift)
        if mistake == "only the records that change":
            return replace(c, up=1 / (1 - eta) if eta < 1 else np.inf, down=1 + eta)
        return direction_constants(nu=nu, changes=changes / 2, largest_curvature=largest_curvature)
    return constants


@pytest.mark.parametrize("mistake, where", [("to first order", {"direction"}), ("no inverse", {"direction"}),
                                            ("only the records that change", {"up", "down"}),
                                            ("a swap is one change", {"direction", "up", "down"})])
def test_the_attack_finds_wrong_constants_of_a_direction(mistake, where):
    worst = attack(partial(measured, constants=wrong_constants(mistake)), draws=25, steps=0, rng=np.random.default_rng(1))
    assert {name for name in ("direction", "up", "down") if worst[name] > 1.1} == where, worst


def test_a_random_attack_finds_that_a_swap_was_counted_once():
    worst = attack(partial(measured, changes=1), draws=25, steps=0, rng=np.random.default_rng(3))
    assert all(worst[name] > 1 for name in ("shift", "curvature", "direction")), worst


@pytest.mark.slow
def test_at_any_two_points_the_gradients_are_charged():
    """Theorem 1 away from minimisers, with its dual norms, on 5 000 pairs of points; without the charge it fails."""
    rng, worst, uncharged = np.random.default_rng(5), [0, 0], 0
    for _ in range(5000):
        d, kind = int(rng.integers(1, 3)), rng.choice(["robust", "logistic"])
        x, y = random_data(kind, d, rng)
        at = rng.normal(size=d) * rng.exponential(1)
        ends = [(x[:-1], y[:-1], at), (x[1:], y[1:], at + rng.normal(size=d) * 10 ** rng.uniform(-4, 1))]
        states = [objective(kind, *end) for end in ends]
        kappa = 2 + sum(np.abs(g).max() for _, g, _ in states)                 # the dual of Σ|v_j| is the largest coordinate
        nus = [0 if np.linalg.eigvalsh(H)[0] < 1e-9 else corner(H) for _, _, H in states]
        moved = width(ends[0][2] - ends[1][2])
        worst[0] = max(worst[0], abs(nus[0] - nus[1]) / kappa)
        bounds = [shift_bound(nu, kappa) for nu in nus]
        worst[1] = max(worst[1], *(moved / bound for bound in bounds))
        uncharged = max(uncharged, *(moved / shift_bound(nu, 2) for nu in nus))
    assert max(worst) <= 1 and worst[1] > .3 and uncharged > 2


def test_where_nothing_is_said_the_neighbour_may_have_no_fit():
    """Logistic, ν = 1.9 or so with a swap: separable after it (a linear program finds the direction)."""
    x, y = np.ones((9, 1)), np.r_[-1.0, np.ones(8)]
    after = np.r_[y[1:], 1.0]
    theta, H = fit("logistic", x, y)
    separable = linprog([0], A_ub=-(x * after[:, None]), b_ub=-np.ones(9), bounds=[(None, None)]).status == 0
    assert separable and corner(H) <= 2 and np.isinf(prediction_shift(nu=corner(H), changes=2))


def test_every_name_is_exported():
    assert all(hasattr(glm, name) for name in glm.__all__)
