"""What is planned before there are data is what releases then do."""

import numpy as np
import pytest

from dplib.aggregation import refused
from dplib.glm import LOGISTIC, ROBUST, Ball, Box, fit_model, plan_coefficient, release_coefficient

TRIAL = dict(move=([0, 20], [1, 20]), domain=Box([(0, 1), (0, 50)], binary=[0]), loss=LOGISTIC, epsilon=1, delta=1e-6,
             rows_per_unit=1)
ARMS = dict(TRIAL, move=([0], [1]), domain=Box([(0, 1)], binary=[0]))
GUESS = dict(shares={0: .5}, moments={1: (20, 100)}, curvature=.25)


def trial(n, columns=2):
    """Balanced arms, doses 10 and 30, and outcomes that have nothing to do with either: all moments are those of GUESS."""
    X = np.tile([[0, 10], [0, 30], [1, 10], [1, 30]], (n // 4, 1))[:, :columns].astype(float)
    return X, np.repeat([0, 1], 4)[np.arange(len(X)) % 8]


@pytest.mark.slow
@pytest.mark.parametrize("n, terms, moments, mechanism", [
    (1280, TRIAL, GUESS["moments"], "one certificate"), (20_000, TRIAL, GUESS["moments"], "fitted scale"),
    (400, ARMS, {}, "one certificate"),
    (104, ARMS, {}, "one certificate")])
def test_releases_do_what_was_planned(n, terms, moments, mechanism):
    X, y = trial(n, terms["domain"].columns)
    plan = plan_coefficient(size=n, **terms, **GUESS | dict(moments=moments))
    assert plan.nu == pytest.approx(fit_model(X, y, loss=LOGISTIC, domain=terms["domain"], changes=0).nu, rel=1e-6)
    rng = np.random.default_rng(5)
    answers = [release_coefficient(X, y, **terms, rng=rng) for _ in range(150)]
    found = [answer for answer in answers if not refused(answer)]
    assert abs(len(found) / 150 - plan.probability) <= 5 * np.sqrt(plan.probability * (1 - plan.probability) / 150) + 1e-3
    if len(found) == 150:
        assert {answer.mechanism for answer in found} == {plan.mechanism} == {mechanism}
        for name, value in (("certificate", plan.certificate), ("noise_scale", plan.noise_scale)):
            assert np.median([getattr(answer, name) for answer in found]) == pytest.approx(value, rel=.1)
        for interval, half in (("interval", plan.half_width), ("noise_interval", plan.noise_half_width)):
            halves = [np.diff(getattr(answer, interval)())[0] / 2 for answer in found]
            assert np.median(halves) == pytest.approx(half, rel=.1)


def test_what_cannot_be_released_or_has_no_standard_error():
    none = plan_coefficient(size=40, **TRIAL, **GUESS)
    assert none.probability == 0 and none.mechanism is None and none.half_width is None and none.noise_scale == np.inf
    assert plan_coefficient(size=10**6, **TRIAL, **GUESS | dict(shares={0: 0})).nu == 0                     # nobody is treated
    robust = plan_coefficient(size=10**5, **TRIAL | dict(loss=ROBUST), **GUESS)
    rows = plan_coefficient(size=10**5, **TRIAL | dict(rows_per_unit=3), **GUESS)
    assert robust.half_width is None is robust.ratio and min(robust.noise_half_width, rows.noise_half_width) > 0
    one = plan_coefficient(size=10**5, **TRIAL, **GUESS)
    assert rows.standard_error == pytest.approx(3**.5 * one.standard_error) and rows.half_width > one.half_width
    assert plan_coefficient(size=10**5, **TRIAL, **GUESS, level=.5).half_width < plan_coefficient(size=10**5, **TRIAL, **GUESS).half_width


@pytest.mark.parametrize("given, name", [
    (dict(shares={}), "shares"), (dict(shares={0: 2}), r"shares\[0\]"), (dict(moments={0: (1, 1)}), "moments"),
    (dict(moments={1: 3}), "moments"),
    (dict(moments={1: (20, 700)}), "variance"), (dict(moments={1: (60, 1)}), "moments"), (dict(curvature=.3), "curvature"),
    (dict(level=1), "level"), (dict(epsilon=0), "epsilon"), (dict(size=0), "size"),
    (dict(domain=Ball(1, columns=2), move=([0, 0], [1, 0])), "domain"),
    (dict(domain=Box([(0, 1)] * 2, one_hot=[(0, 1)]), move=([0, 0], [1, 0]), shares={0: .6, 1: .6}, moments={}), "one_hot")])
def test_what_is_wrong_is_said(given, name):
    with pytest.raises(ValueError, match=name):
        plan_coefficient(**dict(size=1000, **TRIAL, **GUESS) | given)
