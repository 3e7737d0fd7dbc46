"""Seventy exam questions: each part and kind has its share, points add up, and a program recomputes every number of an answer."""

import math
import re
from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import beta, binom, norm

from dplib.accounting import compose_advanced, compose_basic, compose_optimal, group_privacy
from dplib.aggregation import vote_error
from dplib.audit import epsilon_lower_bound
from dplib.book import ways
from dplib.friendly import friendly_weights
from dplib.glm import certificate_margin, prediction_shift
from dplib.histograms import stability_threshold
from dplib.learning import pac_sample_size
from dplib.lower_bounds import packing_sample_size
from dplib.mean import noise_tail
from dplib.mechanisms import exponential_probabilities, gaussian_sigma, laplace_max_quantile
from dplib.sparse_vector import above_threshold_failure, above_threshold_scales
from submissions import ROOT

TEXT = (ROOT / "exercises" / "exam_questions.md").read_text(encoding="utf-8")
QUESTION = re.compile(
    r"^### (?P<name>\S+) · (?P<kind>\w+) · (?P<points>\d+) points\n\*(?P<pages>[\w, -]+)\* · (?P<minutes>\d+) minutes\n\n"
    r"(?P<asked>.*?)\n\n\*\*Answer\.\*\* (?P<answer>.*?)\n\n\*\*Rubric\.\*\*\n(?P<rubric>.*?)(?=\n\n#|\n*\Z)", re.M | re.S)
QUESTIONS = {match["name"]: match for match in QUESTION.finditer(TEXT)}
KINDS = ("compute", "mistake", "explain", "prove", "design")
PARTS = ("I", "II", "III", "IV", "V", "VI", "F")                  # the last are the further pages
NUMBER = re.compile(r"`([\d.]+(?:e-\d+)?)`")

every_question = pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)


# --- what each number is ----------------------------------------------------------------------------------------------
def medians(data):
    """The medians of all data sets that differ from this one in one record, a whole number from 0 to 10."""
    return {sorted([*data[:i], other, *data[i + 1:]])[5] for i in range(11) for other in range(11)}


def steps_to_median(data, wanted):
    """How many records must change before the median is this one, tried one number of records after the other."""
    return next(k for k in range(12) for moved in combinations(range(11), k)
                if sorted(wanted if i in moved else record for i, record in enumerate(data))[5] == wanted)


def covered(half_width, sd, scale):
    return 1 - 2 * float(noise_tail(half_width, sd=sd, scale=scale))


def votes_for_a(votes):
    return exponential_probabilities([votes, 5 - votes], sensitivity=1, epsilon=2)[0]          # weights e^u


def weights(friends, strangers):
    """Records at 0, and others far away from each other."""
    return friendly_weights(np.append(np.zeros(friends), 100.0 * np.arange(1, strangers + 1))[:, None], radius=1)


def impossible(states, count, other):
    """The share of states that give one count an output that no state gives the other."""
    return np.mean([count + state not in {other + noise for noise in states} for state in states])


def curvature(people, share):
    return people * share * (1 - share)


def two_parts(columns, people):
    """The mean score of a member, and the standard deviation of that of a stranger."""
    return 2 * columns / (3 * people), math.sqrt(8 * columns / (15 * people))


def told_apart(n):
    """Whether packing forbids n people in question II.2, in the textbook's form."""
    return 100 * math.exp(-n / 10) * 0.9 > 0.1


def least_vote_bound(blocks):
    return min((math.cosh(t) - 0.8 * math.sinh(t)) ** blocks for t in np.linspace(0, 0.5, 501))


def audited(hits, other):
    return float(epsilon_lower_bound(hits, other, trials=5000, delta=0, beta=0.05))


def passed(t, one, other):
    """How often the sum of Laplace noise of these scales exceeds t."""
    return (other**2 * math.exp(-t / other) - one**2 * math.exp(-t / one)) / (2 * (other**2 - one**2))


def standard_error(p, q):
    """Of the share of a word that none of ten thousand phones has."""
    return math.sqrt(q * (1 - q) / 10_000) / (p - q)


def one_word(words):
    """The same for a message that names one of so many words, at e^ε = 3."""
    return standard_error(3 / (words + 2), 1 / (words + 2))


GEOMETRIC = math.exp(-1) ** 14 / (1 + math.exp(-1))
ARMS = min(curvature(1000, 0.3), curvature(3000, 0.2))
MARGIN = 2 / 0.3 * math.log1p(math.expm1(0.3) / 2e-6)
STATES = (-4, -2, -1, 0, 0, 1, 2, 4)
CANARY = beta.ppf(0.025, 600, 401), beta.ppf(0.975, 251, 750)  # the limits of Clopper and Pearson
REPORTS = [0.75, 0.25]                                       # the truth, and its opposite
COMPUTED = {
    "I.1": lambda: [1 / 0.5, math.exp(-6 * 0.5), laplace_max_quantile(count=1, sensitivity=1, epsilon=0.5, beta=0.05)],
    "I.2": lambda: [stability_threshold(epsilon=1, delta=1e-6, neighbor="add_remove", noise="discrete_laplace"), GEOMETRIC],
    "I.3": lambda: [compose(count=400, epsilon=0.1, delta=0, slack=1e-6)[0] for compose in (compose_advanced, compose_optimal)],
    "I.4": lambda: [votes_for_a(1) / votes_for_a(0)],
    "I.5": lambda: [math.e],
    "I.9": lambda: [2 / 52, 26 * math.sqrt(2), gaussian_sigma(sensitivity=math.sqrt(52), epsilon=2, delta=1e-6)],
    "I.10": lambda: [math.sqrt(2), math.sqrt(16 * 2), math.sqrt(2) * 2],
    "II.1": lambda: [20 / 250, 20 / 250 * math.sqrt(2), 1 / math.sqrt(500), (40 * math.sqrt(2)) ** 2],
    "II.2": lambda: [10 * math.log(900), next(n for n in range(1, 999) if not told_apart(n))],
    "II.4": lambda: [covered(0.196, 0.1, 0.2), 1 - math.exp(-0.196 / 0.2)],
    "II.9": lambda: [19 * math.exp(-0.5 * 40 / 2)],
    "II.10": lambda: [*(parts := two_parts(10_000, 200)), parts[0] / parts[1], np.divide(*two_parts(100, 200))],
    "III.1": lambda: [math.e / (1 + math.e), 1 / math.tanh(0.5) / 100, 1 / math.tanh(0.5)],
    "III.2": lambda: [(enough := math.log(1001 / 0.05) / (0.1 * (1 - math.exp(-0.5)))), math.ceil(enough),
                      pac_sample_size(hypotheses=1001, accuracy=0.1, epsilon=1, neighbor="replace", beta=0.05)],
    "III.3": lambda: [math.log(np.divide(*REPORTS))],
    "III.9": lambda: [3 * math.exp(epsilon) + 2 for epsilon in (1, 2)],
    "III.10": lambda: [math.log(4096 / 0.05) / (1000 * (1 - math.exp(-0.5)))],
    "IV.1": lambda: [max(abs(m - 5) for m in medians(list(range(11)))), max(medians([0] * 6 + [10] * 5)),
                     steps_to_median(list(range(11)), 8)],
    "IV.2": lambda: [weights(8, 3)[0], weights(8, 3).sum(), next(t for t in range(11) if weights(11 - t, t).sum() < 1e-12)],
    "IV.4": lambda: [50 * (1 - (1 - 1 / 50) ** 5)],
    "IV.9": lambda: [(math.cosh(0.5) - 0.8 * math.sinh(0.5)) ** 11, vote_error(0.9, epsilon=1, noise="discrete_laplace", blocks=11)],
    "IV.10": lambda: [weights(197, 3).sum()],
    "V.1": lambda: [ARMS, prediction_shift(nu=ARMS, changes=2), prediction_shift(nu=ARMS, changes=2) / 0.7],
    "V.2": lambda: [MARGIN / 2, MARGIN, ARMS - MARGIN, 2 * MARGIN],
    "V.9": lambda: [Fraction(6, 1000 + 3 * 1000) / Fraction(2, 2000)],
    "V.10": lambda: [2000 / (2 + 1 / q) for q in (1 / 2, 1 / 50)],
    "VI.1": lambda: [epsilon_lower_bound(1000, 0, trials=1000, delta=0, beta=0.05), math.ceil(math.log(40) * math.exp(8))],
    "VI.2": lambda: [1 - norm.isf(0.05) / 20, norm.cdf((1 - norm.isf(0.05) / 20 - 0.8) / 0.04)],
    "VI.3": lambda: [impossible(STATES, 0, 1), impossible(STATES, 1, 0)],
    "VI.4": lambda: [1 - 0.95**100],
    "VI.9": lambda: [audited(2500, round(2500 * math.exp(-1))), audited(2500, round(2500 * math.exp(-2)))],
    "VI.10": lambda: [1 + 2.0**-10],
    "F.1": lambda: [*above_threshold_scales(alarms=1, sensitivity=1, epsilon=1, split=0.5), passed(30, 2, 4), 1000 * passed(30, 2, 4)],
    "F.2": lambda: [one_word(12), standard_error(1 / 2, 1 / 4),
                    next(k for k in range(2, 99) if one_word(k) > standard_error(1 / 2, 1 / 4) * (1 - 1e-12))],
    "F.4": lambda: [(1 - 1 / 100) ** 100],
    "F.6": lambda: [norm.sf(norm.isf(0.05) - 1)],
    "F.9": lambda: [math.floor(math.log(1024) / (2 * (0.1**2 - 0.05**2)))],
    "F.10": lambda: [norm.ppf(CANARY[0]) - norm.ppf(CANARY[1]), norm.ppf(0.6) - norm.ppf(0.25)],
}


def written(value, like):
    """A value with as many digits as the text has."""
    digits = len(like.partition(".")[2].partition("e")[0])
    return f"{float(value):.{digits}{'e' if 'e' in like else 'f'}}"


@every_question
def test_each_number_of_an_answer_is_what_a_program_computes(question):
    stated = NUMBER.findall(question["answer"])
    values = COMPUTED[question["name"]]() if stated else []
    assert [written(value, like) for value, like in zip(values, stated, strict=True)] == stated


@every_question
def test_no_decimal_of_an_answer_escapes_the_program(question):
    """Numbers that the question gives stand in formulas, or are repeated."""
    prose = re.sub(r"`[^`]*`|\$[^$]*\$", " ", question["answer"])
    assert set(re.findall(r"\d+\.\d+", prose)) <= set(re.findall(r"\d+\.\d+", question["asked"]))


def test_only_questions_with_numbers_have_a_program():
    assert set(COMPUTED) == {name for name, question in QUESTIONS.items() if NUMBER.search(question["answer"])}
    assert all(any(name.startswith(f"{part}.") for name in COMPUTED) for part in PARTS)


# --- statements in words that a program can check ---------------------------------------------------------------------
def test_what_the_answers_say_in_words_is_so():
    assert GEOMETRIC < 1e-6 < GEOMETRIC * math.e                                                # I.2: 15, and not 14
    assert compose_basic(count=400, epsilon=0.1, delta=0)[0] == pytest.approx(40)               # I.3
    assert np.divide(*[exponential_probabilities(u, sensitivity=1, epsilon=2)[0] for u in ([1, 0], [0, 1])]) == pytest.approx(math.e)
    assert told_apart(68) and packing_sample_size(hypotheses=101, epsilon=0.1, delta=0, beta=0.1) >= 69          # II.2
    assert abs(COMPUTED["II.4"]()[0] - 0.6) < abs(COMPUTED["II.4"]()[0] - 0.75)                 # nearest to 60%
    assert max(medians([0] * 6 + [10] * 5)) - sorted([0] * 6 + [10] * 5)[5] == 10               # IV.1
    assert medians([0] * 7 + [10] * 4) == {0} and 10 in medians([0] * 6 + [10] * 5)             # IV.3
    assert group_privacy(distance=5, epsilon=1, delta=0)[0] == 5                                # IV.4
    assert least_vote_bound(11) == pytest.approx(COMPUTED["IV.9"]()[0])                         # θ = 1/2 is the best one
    assert float(certificate_margin(sensitivity=2, epsilon=0.3, delta=1e-6)) == pytest.approx(MARGIN, rel=0.01)
    assert 2000 / 52 - 80 < 2 < 500 - 80                                                        # V.10: refused, and not
    assert 0.5 * math.exp(-1) * 5000 == pytest.approx(920, abs=0.5) and 0.5 * math.exp(-2) * 5000 == pytest.approx(338, abs=0.5)
    assert passed(30, 2, 4) == pytest.approx(above_threshold_failure(queries=1, margin=30, threshold_scale=2, answer_scale=4))  # F.1
    assert np.round(CANARY, 3).tolist() == [0.569, 0.278] and COMPUTED["F.10"]()[0] > 0.5        # F.10: the claim is refuted
    assert round(norm.cdf(0.645), 2) == 0.74 and 5 < COMPUTED["F.6"]()[0] / 0.05 < 5.5           # F.6: five times as likely
    assert binom.pmf(0, 10997, math.log(40) / 10997) == pytest.approx(1 / 40, rel=0.01)         # VI.1: what the bound rests on


def test_the_best_test_of_a_randomised_response_is_the_bound_of_the_proof():
    """I.8: both bounds meet at 1/(1 + e^ε), and mixing with a coin gives all other rates."""
    for epsilon, alpha in product((0.5, 1, 2), np.linspace(0, 1, 21)):
        r = math.exp(epsilon)
        bound = min(r * alpha, 1 - (1 - alpha) / r)
        low, high = 1 / (1 + r), r / (1 + r)                 # false and true alarms of a report
        coin = alpha / low if alpha <= low else (alpha - low) / (1 - low)
        power = coin * high if alpha <= low else high + coin * (1 - high)
        assert power == pytest.approx(bound)


# --- the bank ---------------------------------------------------------------------------------------------------------
def test_each_part_has_two_questions_of_each_kind_and_nothing_is_left_out():
    assert len(QUESTIONS) == TEXT.count("\n### ") == 70
    assert Counter((name.split(".")[0], question["kind"]) for name, question in QUESTIONS.items()) == {
        (part, kind): 2 for part in PARTS for kind in KINDS}
    assert list(QUESTIONS) == [f"{part}.{k}" for part in PARTS for k in range(1, 11)]


def test_ten_questions_of_two_of_each_kind_fill_two_hours():
    minutes = [[int(question["minutes"]) for question in QUESTIONS.values() if question["kind"] == kind] for kind in KINDS]
    assert 90 <= sum(2 * np.mean(own) for own in minutes) <= 120


@every_question
def test_a_rubric_gives_the_points_of_its_question_and_its_pages_come_no_later_than_its_part(question):
    given = [int(points) for points in re.findall(r"^\* (\d) points?: ", question["rubric"], re.M)]
    assert sum(given) == int(question["points"]) and len(given) >= 3
    assert 5 <= int(question["minutes"]) <= 15 and int(question["minutes"]) >= 2 * int(question["points"])
    parts = {page: k for k, (_, own) in enumerate(ways.parts(ROOT)) for page in own}
    needed = question["pages"].split(", ")
    assert max(parts[page] for page in needed) <= PARTS.index(question["name"].split(".")[0])
