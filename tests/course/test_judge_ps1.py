"""The judge of problem set 1 is right: formulas agree with enumeration, the noise check has power."""

import math
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest

import ps1
from submissions import STUDENT
from enumerated import at_most


@pytest.fixture
def problem_set():
    return ps1


# --- question 2 ------------------------------------------------------------------------------------------------------
def published_law(count, share, T):
    """Law of what is published of one label, in exact fractions, from every choice of the people drawn."""
    law = {}
    for drawn in product((0, 1), repeat=count):
        k = sum(drawn)
        law[k * (k >= T)] = law.get(k * (k >= T), 0) + share**k * (1 - share) ** (count - k)
    return law


def excess(p, q, ratio):
    return sum(max(p[k] - ratio * q.get(k, 0), 0) for k in p)


@pytest.mark.parametrize(
    "ratio, share", [(Fraction(3), Fraction(1, 5)), (Fraction(3), Fraction(2, 3)), (Fraction(2), Fraction(1, 3))]
)
def test_delta_of_the_release_by_enumeration(assignment, ratio, share):
    """All data sets of two labels and up to four people each, both directions: one label decides, with up to 4 people."""
    for T in (1, 2, 3):
        laws = [published_law(c, share, T) for c in range(5)]
        both = {(a, b): {(i, j): p * q for i, p in laws[a].items() for j, q in laws[b].items()}
                for a in range(5) for b in range(3)}
        pairs = [((a, b), (a - 1, b)) for a, b in both if a] + [((a, b), (a, b - 1)) for a, b in both if b]
        worst = max(excess(both[x], both[y], ratio) for x, y in pairs)
        assert max(excess(both[y], both[x], ratio) for x, y in pairs) == 0      # a removal costs nothing
        rows = assignment.excesses(math.log(ratio), float(share), 4)
        assert rows[:, T].max() == pytest.approx(float(worst), rel=1e-12)


@pytest.mark.parametrize("ratio, share", [(Fraction(27, 10), Fraction(3, 10)), (Fraction(7), Fraction(17, 20)),
                                          (Fraction(3, 2), Fraction(1, 4)), (Fraction(27, 20), Fraction(1, 20))])
def test_no_larger_number_of_people_is_worse(assignment, ratio, share):
    """The exact binomial excess, in fractions, for three times as many people as the proof looks at."""
    def law(c):
        return {k: math.comb(c, k) * share**k * (1 - share) ** (c - k) for k in range(c + 1)}

    top = 90
    laws = [law(c) for c in range(top + 1)]
    gains = [{k: max(p - ratio * laws[c - 1].get(k, 0), 0) for k, p in laws[c].items()} for c in range(1, top + 1)]
    for T in (1, 2, 5, 9):
        looked_at = math.ceil(T / (1 - (1 - share) / ratio))
        assert 3 * looked_at <= top or T > 5
        worst = float(max(sum(p for k, p in gain.items() if k >= T) for gain in gains))
        mine = assignment.release_delta(T, epsilon=math.log(ratio), share=float(share))
        assert mine == pytest.approx(worst, rel=1e-9)


def exact_excesses(epsilon, share, people):
    """release_delta for all T <= people in 40 digits: for each c the excess, from the top."""
    with mpmath.workdps(40):
        e, s = mpmath.exp(mpmath.mpf(epsilon)), mpmath.mpf(share)
        best = [mpmath.mpf(0)] * (people + 2)
        for c in range(1, people + 1):
            total, p = mpmath.mpf(0), s**c
            for k in range(c, 0, -1):
                keep = e * (c - k) / (c * (1 - s))
                if keep >= 1:
                    break
                total += p * (1 - keep)
                best[k] = max(best[k], total)
                p *= k * (1 - s) / ((c - k + 1) * s)
            for T in range(k, 0, -1) if keep >= 1 else ():
                best[T] = max(best[T], total)
        return best


@pytest.mark.parametrize("epsilon", [0.3, 0.7, 1.3, 2.0])
def test_the_model_threshold_is_right_on_all_that_is_allowed(model, assignment, epsilon):
    for share in (0.05, 0.5 * -math.expm1(-epsilon), round(-math.expm1(-epsilon) - 5e-4, 3)):
        gamma = 1 - math.exp(-epsilon) * (1 - share)
        most = model("ps1").sample_threshold(epsilon=epsilon, delta=1e-20, share=share)
        best = exact_excesses(epsilon, share, math.ceil(1.2 * most / gamma) + 5)
        for delta in (0.05, 0.0069, 1e-3, 1e-6, 3e-10, 1e-15, 1e-20):
            T = model("ps1").sample_threshold(epsilon=epsilon, delta=delta, share=share)
            assert best[T] <= delta and (T == 1 or best[T - 1] > delta)
            asked = {"epsilon": epsilon, "delta": delta, "share": share}
            assert assignment.is_safe(T, asked) and assignment.is_least(T, asked)


# --- question 3 ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("k", [2, 3, 20])
def test_the_model_delta_is_right_on_all_that_is_allowed(model, assignment, k):
    for epsilon0, m, place in product((0.05, 0.6, 3.0), (1, 2, 11, 40), (0, 0.1, 0.5, 0.9, 1, None)):
        epsilon = 50.0 if place is None else min(place * m * epsilon0, 50.0)
        with mpmath.workdps(40):
            e0, e = mpmath.mpf(epsilon0), mpmath.mpf(epsilon)
            q = 1 / (mpmath.exp(e0) + k - 1)
            law = {0: mpmath.mpf(1)}
            for _ in range(m):
                law = {v: sum(law.get(v - u, 0) * c for u, c in ((1, mpmath.exp(e0) * q), (0, (k - 2) * q), (-1, q)))
                       for v in range(-m, m + 1)}
            exact = sum(p * max(0, 1 - mpmath.exp(e - v * e0)) for v, p in law.items())
        asked = {"epsilon": epsilon, "epsilon0": epsilon0, "k": k, "m": m}
        for mine in (model("ps1").person_delta(**asked), assignment.reply_delta(**asked)):
            assert abs(mine - exact) <= 1e-7 * exact + 1e-13


def reply_delta_by_enumeration(epsilon, epsilon0, k, m):
    """Over all pairs of a person's answers and all k^m replies."""
    q = 1 / (math.exp(epsilon0) + k - 1)
    chance = lambda z, answers: math.prod(math.exp(epsilon0) * q if a == b else q for a, b in zip(z, answers))
    every = list(product(range(k), repeat=m))
    return max(
        sum(max(0.0, chance(z, x) - math.exp(epsilon) * chance(z, y)) for z in every) for x in every for y in every
    )


@pytest.mark.parametrize(
    "epsilon, epsilon0, k, m",
    [(0.3, 0.8, 2, 3), (0.5, 0.7, 3, 2), (1.0, 0.6, 3, 3), (0.2, 1.1, 4, 2), (0.4, 0.5, 5, 1), (2.5, 0.5, 3, 3)],
)
def test_delta_of_many_replies_is_the_enumerated_one(assignment, epsilon, epsilon0, k, m):
    exact = reply_delta_by_enumeration(epsilon, epsilon0, k, m)
    assert assignment.reply_delta(epsilon=epsilon, epsilon0=epsilon0, k=k, m=m) == pytest.approx(
        exact, rel=1e-12, abs=1e-15
    )


def test_questions_are_allowed_ones(assignment):
    for seed in range(30):
        asked = assignment.calls(np.random.default_rng(seed), assignment.boxes.sheet_of(STUDENT))
        for a in asked["thresholds"][1] + asked["tiny delta"][1]:
            assert 0.3 <= a["epsilon"] <= 2 and 0.05 <= a["share"] <= -math.expm1(-a["epsilon"])
            assert 1e-20 <= a["delta"] <= 0.05
        assert all(a["delta"] < 1e-16 for a in asked["tiny delta"][1])
        for a in [a for group in ("one reply", "two options", "many replies") for a in asked[group][1]]:
            assert 0 <= a["epsilon"] <= 50 and 0.05 <= a["epsilon0"] <= 3 and 2 <= a["k"] <= 20 and 1 <= a["m"] <= 40


def sampled(share, T):
    law = np.array([math.comb(40, k) * share**k * (1 - share) ** (40 - k) for k in range(41)])
    law[0], law[1:T] = law[:T].sum(), 0
    return np.cumsum(law)


def test_the_check_of_the_people_drawn_has_power(assignment):
    """A law two chances away fails but for probability 1e-9, by the inequality of Dvoretzky, Kiefer and Wolfowitz."""
    asked, k = assignment.LAW, np.arange(41)
    right, need = sampled(asked["share"], asked["threshold"]), 2 * assignment.chance(len(asked["counts"]))
    poisson = np.exp(-22.0) * np.cumsum([22.0**i / math.factorial(i) for i in k])
    poisson = np.where(k < asked["threshold"], poisson[asked["threshold"] - 1], poisson)
    wrong = {"Poisson": poisson, "one coin for all": np.where(k < 40, 1 - asked["share"], 1), "no coin": (k >= 22) * 1.0,
             "strictly more": sampled(asked["share"], 23), "one less": sampled(asked["share"], 21),
             "no threshold": sampled(asked["share"], 1), "a tenth less": sampled(0.9 * asked["share"], 22)}
    for name, law in wrong.items():
        assert np.abs(law - right).max() > need, name


def test_the_check_of_the_people_drawn_accepts_the_right_law(assignment):
    """300 right samples stay below .9 of the limit, but for probability 300 * 2 (5e-10)^.81 = .00002."""
    asked, rng = assignment.LAW, np.random.default_rng(3)
    right, far = sampled(asked["share"], asked["threshold"]), []
    for _ in range(300):
        drawn = rng.binomial(40, asked["share"], 20_000)
        seen = np.bincount(np.where(drawn >= asked["threshold"], drawn, 0), minlength=41).cumsum() / 20_000
        far.append(np.abs(seen - right).max())
    assert max(far) < 0.9 * assignment.chance(20_000)


def test_what_the_model_answer_of_the_prediction_says(assignment):
    """The best share lies in between, noise shows rarer diagnoses; simulated, and it is far more accurate at 1000."""
    T = lambda share: next(T for T in range(1, 500) if assignment.is_safe(T, {"epsilon": 1, "delta": 1e-6, "share": share}))
    carriers = {share: T(share) / share for share in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)}
    best = min(carriers, key=carriers.get)
    assert 0.1 < best < 0.5 and max(carriers, key=carriers.get) == 0.05 and carriers[0.6] > 1.4 * carriers[best]
    noise = next(t for t in range(1, 99) if math.exp(-t + 1) / (1 + math.exp(-1)) <= 1e-6)
    assert noise == 15 and 3 * noise < carriers[best]
    assert f"T = {T(0.3)}, about {carriers[0.3]:.0f} carriers" in assignment.plan_numbers() and "T = 15" in assignment.plan_numbers()
    rng = np.random.default_rng(5)
    stop = -math.expm1(-1)
    errors = rng.geometric(stop, 100_000) - rng.geometric(stop, 100_000), rng.binomial(1000, best, 100_000) / best
    assert errors[0].std() == pytest.approx(1.4, abs=0.05) and errors[1].std() > 30 * errors[0].std()


# --- the second box --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("alpha", [Fraction(1, 2), Fraction(6, 7)])
def test_the_law_of_the_second_box_is_the_enumerated_one(assignment, alpha):
    """The mechanism, run on every value of three noises, against the closed form."""
    for published, take in (("largest", max), ("smallest", min)):
        numbers = {"alpha": str(alpha), "times": 3, "published": published}
        exact = at_most(lambda values: 1 + take(values), alpha)
        for t in range(-3, 6):
            assert assignment.EXTREME.chance(numbers, (0, 1), t) == exact(t)
