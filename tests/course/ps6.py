"""Right and wrong submissions to problem set 6: which checks each must fail and what it must be told."""

from hostile import hostile, not_a_notebook
from submissions import BOX, STUDENT, ProblemSet, Submission, failing_at_the_end, strangers, unfinished, with_other_types, wrong_boxes

NOISE = {"noise_hides", "noise_is_least"}
REACH = {"reach_is_safe", "reach_is_least"}
MESSAGE = {"message_hides", "message_is_best"}
ACCUSER = {"best_accuser"}
AUDIT = {"audit_is_careful", "audit_is_sharp"}
EVERYTHING = BOX | NOISE | REACH | MESSAGE | {"shares_are_right"} | ACCUSER | AUDIT

DIFFERENT_BOXES = 96
PROBLEM_SET = ProblemSet(
    name="ps6",
    arguments={
        "band_noise": "*, epsilon",
        "band_reach": "*, width_scale, answer_scale",
        "message": "label, *, ratio",
        "shares": "counts, *, ratio",
        "caught": "*, runs, alarms",
        "refuting_count": "*, guilty, innocent, accused, runs",
    },
    victim="band_noise",
    costs=NOISE,
    unasked={"noise = ": None},
    second="band_reach",
    second_costs=REACH,
    groups=("noise",),
    same_for_all=(),
    everything=EVERYTHING,
)
function = PROBLEM_SET.function

# Ada's sheet: values from -3 to 6, 4 records are added or removed, a band that is left, 6 alarms, a width that is kept, the least mean
# square, 1 in 200; the labels 0, 3, 4, 7 are secret, one in five is a liar and sends 4; marks have the weights 0, 13, 7 in the batch and
# 3, 6, 11 elsewhere, three in ten are in a batch, which is drawn anew, the sum is seen, the guilty are not in the data, and limits are
# wrong once in 336 and 59. Other sheets are compared with searches in test_judge_ps6.py.


# --- question 2 ------------------------------------------------------------------------------------------------------
def noise(step="4 * 6", alarms="6", moves="2", width="1", power="1 / 3", factor="1"):
    return function(
        "band_noise",
        f"""
first, second = {step} * {width}, {step} * {alarms} * {moves}
whole = (first ** (1 - {power}) + second ** (1 - {power})) / epsilon * {factor}
return first ** ({power}) * whole, second ** ({power}) * whole""",
    )


REACH_CODE = """
a, b = width_scale, answer_scale
def over(t):
    {equal}
    return {law}
near, far = 0, 1000 * (a + b)
for _ in range(120):
    middle = (near + far) / 2
    near, far = (near, middle) if over(middle) <= {beta} else (middle, far)
return {result}"""
EQUAL = "if a == b:\n        return (2 * a + t) * math.exp(-t / a) / (4 * a)"


def reach(equal=EQUAL, law="(a * a * math.exp(-t / a) - b * b * math.exp(-t / b)) / (a * a - b * b) / 2", beta="1 / 200", result="far"):
    return function("band_reach", REACH_CODE.format(equal=equal, law=law, beta=beta, result=result))


def in_closed_form(t):
    """Another distance in place of the exact one."""
    return function("band_reach", f"a, b = width_scale, answer_scale\nreturn {t}")


# --- question 3 ------------------------------------------------------------------------------------------------------
def message(alike="ratio + 3", secrets="(0, 3, 4, 7)", rest="1 - sum(law)"):
    return function(
        "message",
        f"""
law = [1 / ({alike}) if y in {secrets} else Fraction(0) for y in range(8)]
law[label] += {rest}
return law""",
    )


def shares(liars="Fraction(1, 5)", lie="4", alike="ratio + 3", secrets="(0, 3, 4, 7)", left="(1 - liars)", result="share"):
    return function(
        "shares",
        f"""
liars, n = {liars}, sum(counts)
found = []
for y in range(8):
    share = (Fraction(counts[y], n) - liars * (y == {lie})) / {left}
    share = (share - (Fraction(1) / ({alike}) if y in {secrets} else 0)) * ({alike}) / (ratio - 1)
    found.append({result})
return found""",
    )


# --- question 4 ------------------------------------------------------------------------------------------------------
LAW = """
def law(weights, runs):
    found = {{0: Fraction(1)}}
    for _ in range(runs):
        before, found = found, {{}}
        for a, p in before.items():
            for b, weight in enumerate(weights):
                found[{see}] = found.get({see}, 0) + p * Fraction(weight, sum(weights))
    return found
guilty = law((30, 60, 110), {runs})
innocent = {innocent}
{names}
"""
IN_ORDER = """
found, left = Fraction(0), alarms
for y in sorted(guilty, key=lambda y: {key}):
    part = {part}
    found, left = found + part * guilty[y], left - part * innocent[y]
return {result}"""
BY_LINES = """
slopes = [0, *(guilty[y] / innocent[y] for y in innocent)]
return min(a * alarms + sum(max(guilty[y] - a * innocent[y], 0) for y in guilty) for a in slopes)"""
TOSSED = "min(1, left / innocent[y])"
AS_DRAWN = "law((21, 81, 98), {runs})"


def caught(see="a + b", runs="runs", innocent=AS_DRAWN, names="", key="-guilty[y] / innocent[y]", part=TOSSED, result="found",
           ending=IN_ORDER):
    return function("caught", LAW.format(see=see, runs=runs, innocent=innocent.format(runs=runs), names=names)
                    + (ending.format(key=key, part=part, result=result) if ending is IN_ORDER else ending))


EXACT_LIMIT = """
low, high = 0.0, 1.0
while high - low > 1e-15:
    u = (low + high) / 2
    low, high = (u, high) if sum(chance(k, innocent, u) for k in range(accused + 1)) >= 1 / {odds} else (low, u)"""
EXACT_COUNT = "tail(k, c) < 1 / {odds}"


def audit(high="336", low="59", limit=EXACT_LIMIT, at="float(caught(runs=runs, alarms=Fraction(u)))", enough=EXACT_COUNT, result="count"):
    return function("refuting_count", """
def chance(k, n, p):
    return math.comb(n, k) * p**k * (1 - p) ** (n - k)
def tail(k, p):
    return sum(chance(j, guilty, p) for j in range(k, guilty + 1))
""" + limit.format(odds=high) + f"""
c = {at}
low, high = -1, guilty + 1
while high - low > 1:
    k = (low + high) // 2
    low, high = (low, k) if ({enough.format(odds=low)}) else (k, high)
count = high
return {result}""")


RIGHT = [
    Submission("right", notes="Every cell ran."),
    Submission("right, by other means", noise() | reach() | message() | shares() | caught(ending=BY_LINES) | audit()),
    with_other_types("""
some, far, law, told, most, least = band_noise, band_reach, message, shares, caught, refuting_count
def band_noise(**asked):
    return np.array(some(**asked))
def band_reach(**asked):
    return np.float64(far(**asked))
def message(label, **asked):
    return tuple(law(label, **asked))
def shares(counts, **asked):
    return tuple(told(np.array(counts).tolist(), **asked))
def caught(**asked):
    share = most(**asked)
    return int(share) if share == int(share) else share
def refuting_count(**asked):
    return np.float64(least(**asked))
"""),
    failing_at_the_end(25),
]

WRONG = [
    unfinished(EVERYTHING),
    *strangers(EVERYTHING),
    *wrong_boxes(),
    # question 2: the noise
    Submission("one threshold", noise(moves="1"), NOISE, says=""),
    Submission("records that are replaced", noise(step="4 * 9"), NOISE, says=""),
    Submission("the upper end of the values", noise(step="4 * 3"), NOISE, says=""),
    Submission("one record", noise(step="6"), NOISE, says=""),
    Submission("one alarm", noise(alarms="1"), NOISE, says=""),
    Submission("a width that is drawn anew", noise(width="6"), NOISE, says=""),
    Submission("no cost of the width", noise(width="1e-9"), {"noise_is_least", "noise_hides"}, says=""),
    Submission("two ends of the band paid twice", noise(width="2"), {"noise_is_least"}, says="Which share of epsilon"),
    Submission("the least sum", noise(power="1 / 2"), {"noise_is_least"}, says="the mean square is to be as small"),
    Submission("a thousandth more noise", noise(factor="1.001"), {"noise_is_least"}, says="too large from digit"),
    Submission("a thousandth less noise", noise(factor="0.999"), NOISE, says=""),
    Submission("half of epsilon for each", function("band_noise", "return 48 / epsilon, 576 / epsilon"), NOISE, says=""),
    Submission("epsilon forgotten", noise(factor="epsilon"), NOISE, says=""),
    Submission("the scales exchanged", {"def band_noise": noise()["def band_noise"].replace("return ", "return (lambda a, b: (b, a))(")
                                        + ")"}, NOISE, says=""),
    Submission("noise of a million", function("band_noise", "return 1e6, 1e6"), NOISE, says=""),
    Submission("noise without end", function("band_noise", "return math.inf, math.inf"), NOISE, says="not a finite number"),
    Submission("no noise", function("band_noise", "return 0, 0"), NOISE, says="a scale is positive"),
    Submission("one number", function("band_noise", "return 7.0"), NOISE, says="not a list or tuple"),
    # question 2: the reach
    Submission("both tails", reach(beta="1 / 400"), {"reach_is_least"}, says="only on the side that hides"),
    Submission("half of the tail", reach(beta="1 / 100"), REACH, says=""),
    Submission("one in two hundred and one", reach(beta="1 / 201"), {"reach_is_least"}, says="too large from digit"),
    Submission("one in a hundred and ninety-nine", reach(beta="1 / 199"), REACH, says=""),
    Submission("a thousandth nearer", reach(result="0.999 * far"), REACH, says=""),
    Submission("a thousandth further", reach(result="1.001 * far"), {"reach_is_least"}, says="too large from digit"),
    Submission("equal scales forgotten", reach(equal="pass"), REACH, says="ZeroDivisionError"),
    Submission("equal scales without their product", reach(equal="if a == b:\n        return math.exp(-t / a) / 2"), REACH, says=""),
    Submission("the noise of the answer alone", in_closed_form("b * math.log(100)"), REACH, says=""),
    Submission("a union bound", in_closed_form("(a + b) * math.log(200)"), REACH, says=""),
    Submission("normal noise", in_closed_form("2.5758 * math.sqrt(2 * a * a + 2 * b * b)"), REACH, says=""),
    Submission("out of sight", in_closed_form("1e7"), REACH, says=""),
    Submission("no room", in_closed_form("0.0"), REACH, says=""),
    Submission("below zero", in_closed_form("-1.0"), REACH, says="not a distance"),
    # question 3: the message
    Submission("all labels secret", message(alike="ratio + 7", secrets="range(8)"), MESSAGE, says=""),
    Submission("another label secret", message(secrets="(0, 3, 4, 6)"), MESSAGE, says=""),
    Submission("one label fewer", message(alike="ratio + 2"), MESSAGE, says=""),
    Submission("one label more", message(alike="ratio + 4"), MESSAGE, says=""),
    Submission("twice epsilon", message(alike="ratio ** 2 + 3"), MESSAGE, says=""),
    Submission("a thousandth too much truth", message(alike="ratio * Fraction(1001, 1000) + 3"), MESSAGE, says=""),
    Submission("a thousandth too little truth", message(alike="ratio * Fraction(999, 1000) + 3"), {"message_is_best"}, says=""),
    Submission("open labels always true", function("message", """
if label not in (0, 3, 4, 7):
    return [Fraction(y == label) for y in range(8)]
return [(ratio if y == label else 1) / (ratio + 3) if y in (0, 3, 4, 7) else Fraction(0) for y in range(8)]"""), MESSAGE, says=""),
    Submission("a coin between truth and lie", function("message", """
return [ratio / (ratio + 1) * (y == label) + (1 / (ratio + 1) / 4 if y in (0, 3, 4, 7) else 0) for y in range(8)]"""), MESSAGE, says=""),
    Submission("always the truth", message(alike="10 ** 9"), MESSAGE, says=""),
    Submission("always the same message", function("message", "return [Fraction(y == 4) for y in range(8)]"), MESSAGE, says=""),
    Submission("any message", function("message", "return [Fraction(1, 8)] * 8"), MESSAGE, says=""),
    Submission("chances that are too few", message(rest="0"), MESSAGE, says="some message is always sent"),
    Submission("floats", function("message", "return [0.125] * 8"), MESSAGE, says="an exact Fraction is asked for"),
    Submission("seven chances", function("message", "return [Fraction(1, 7)] * 7"), MESSAGE, says="not a list of eight"),
    # question 3: the shares
    Submission("no liars", shares(liars="Fraction(0)"), {"shares_are_right"}, says="from liars"),
    Submission("liars among those who count", shares(left="1"), {"shares_are_right"}, says="Among which phones"),
    Submission("liars who send anything", shares(lie="y", liars="Fraction(1, 40)"), {"shares_are_right"}),
    Submission("liars with another message", shares(lie="5"), {"shares_are_right"}),
    Submission("a thousandth more liars", shares(liars="Fraction(1001, 5000)"), {"shares_are_right"}),
    Submission("shares of messages", shares(result="Fraction(counts[y], n)"), {"shares_are_right"}),
    Submission("open labels like secret ones", shares(secrets="range(8)"), {"shares_are_right"}),
    Submission("negative shares as 0", shares(result="max(share, Fraction(0))"), {"shares_are_right"}),
    Submission("shares as floats", shares(result="float(share)"), {"shares_are_right"}, says="an exact Fraction is asked for"),
    # question 4: the best accuser
    Submission("guilty and innocent exchanged", caught(names="guilty, innocent = innocent, guilty"), ACCUSER, says="How likely is what"),
    Submission("one batch for all runs", caught(
        innocent="{{y: (3 * p + 7 * guilty[y]) / 10 for y, p in law((0, 13, 7), runs).items()}}"), ACCUSER),
    Submission("everybody in the batch", caught(innocent="law((1, 129, 70), runs)"), ACCUSER),
    Submission("a thousandth more in the batch", caught(innocent="law((2097, 8107, 9796), runs)"), ACCUSER, says="too large from digit"),
    Submission("all marks seen", caught(see="(a, b)"), ACCUSER, says="too large from digit"),
    Submission("the largest mark seen", caught(see="max(a, b)"), ACCUSER, says="is"),
    Submission("the largest sums first", caught(key="-y"), ACCUSER, says="costs fewest innocent people"),
    Submission("no coin", caught(part="int(innocent[y] <= left)"), ACCUSER | AUDIT),
    Submission("the last alarm rounded up", caught(part="int(left > 0)"), ACCUSER),
    Submission("the steepest line of one run", function("caught", "return min(Fraction(1), Fraction(10, 7) * alarms)"), ACCUSER),
    Submission("shares that are missed", caught(result="1 - found"), ACCUSER | AUDIT),
    Submission("whoever guesses", function("caught", "return alarms"), ACCUSER | AUDIT),
    Submission("all of the guilty", function("caught", "return Fraction(1)"), ACCUSER | AUDIT),
    Submission("shares caught as floats", caught(result="float(found)"), ACCUSER, says="an exact Fraction is asked for"),
    # question 4: the audit
    Submission("frequencies for limits", audit(limit="u = accused / innocent", enough="k / guilty > c"), AUDIT),
    Submission("a frequency of the innocent", audit(limit="u = accused / innocent"), AUDIT, says=""),
    Submission("limits on both sides", audit(high="672", low="118"), {"audit_is_sharp"}, says="is too many"),
    Submission("all of the doubt twice", audit(high="168", low="29.5"), AUDIT, says=""),
    Submission("limits exchanged", audit(high="59", low="336"), AUDIT),
    Submission("the same doubt for each", audit(high="100.4", low="100.4"), AUDIT),
    Submission("no curve", audit(at="u"), AUDIT, says=""),
    Submission("the curve of four runs", audit(at="float(caught(runs=4, alarms=Fraction(u)))"), AUDIT, says=""),
    Submission("one more of the guilty", audit(result="count + 1"), {"audit_is_sharp"}, says="belong to those that are rare"),
    Submission("one less of the guilty", audit(result="count - 1"), AUDIT, says=""),
    Submission("more than the count", audit(enough="tail(k + 1, c) < 1 / {odds}"), AUDIT, says=""),
    Submission("Hoeffding's limits", audit(limit="u = min(1.0, accused / innocent + math.sqrt(math.log(336) / (2 * innocent)))",
                                           enough="k / guilty - math.sqrt(math.log(59) / (2 * guilty)) > c"), {"audit_is_sharp"}),
    Submission("normal limits", audit(limit="p = accused / innocent\nu = min(1.0, p + 2.75 * math.sqrt(p * (1 - p) / innocent))",
                                      enough="k / guilty - 2.12 * math.sqrt(abs(k) * (guilty - k) / guilty**3) > c"), AUDIT, says=""),
    Submission("people exchanged", audit(limit="guilty, innocent = innocent, guilty" + EXACT_LIMIT), AUDIT),
    Submission("never refuted", function("refuting_count", "return guilty + 1"), AUDIT, says=""),
    Submission("always refuted", function("refuting_count", "return 0"), AUDIT, says=""),
    Submission("no count", function("refuting_count", "return None"), AUDIT, says="is the blank still there"),
    Submission("golden values", function("band_noise", "return [103.38, 236.7]") | function("shares", "return [Fraction(1, 8)] * 8"),
               NOISE | {"shares_are_right"}),
    # cells
    Submission(
        "imported from dplib",
        {"def band_reach": "from dplib.sparse_vector import above_threshold_margin as band_reach"},
        REACH,
        says="does not exist",
        notes="No module named 'dplib' (code cell 14, line 1); the questions ask for what dplib does not contain",
    ),
    Submission("imported from scipy", {"def band_reach": "from scipy.stats import laplace"}, REACH, says="does not exist",
               notes="only numpy and the standard library"),
    Submission("cells deleted", {"def message": None, "def band_noise": None}, MESSAGE | NOISE, says="does not exist"),
]


def answer(assignment, kwargs):
    """The right answer of the attacked function."""
    return list(assignment.least_noise(**kwargs, mine=assignment.boxes.sheet_of(STUDENT)))


def second_pairs(numbers, variant):
    """Neighbours between which the second box may break, and the outputs of interest."""
    n, ones = numbers["n"], (0, 1, 2, 7, numbers["n"] - 1)
    more = [((1,) * (b + 1) + (0,) * (n - b - 1), (1,) * b + (0,) * (n - b)) for b in (ones[:1] if variant % 12 else ones)]
    return [*more, *([] if variant % 12 else [pair[::-1] for pair in more])], range(-1, n + 1)


HINTS = [
    ("one threshold", "noise_hides", "in which directions"),
    ("a width that is drawn anew", "noise_is_least", "too large from digit"),
    ("noise of a million", "noise_hides", "alarms say little"),
    ("half of the tail", "reach_is_safe", "what is the law of their sum?"),
    ("out of sight", "reach_is_safe", "says little about what the alarms find"),
    ("all labels secret", "message_hides", "Must an open label be hidden?"),
    ("one label more", "message_hides", "has to come from all others often enough"),
    ("no liars", "shares_are_right", "from liars, from phones with it"),
    ("no coin", "best_accuser", "what is done with the alarms"),
    ("no curve", "audit_is_careful", "How many of the guilty can be caught at it"),
    ("never refuted", "audit_is_careful", "hardly any program would be refuted"),
    ("limits on both sides", "audit_is_sharp", "wrong as often as it may be"),
    ("unfinished", "message_hides", "is the blank still there, or a `return` missing?"),
]
GRAVITY = [("noise_hides", "noise_is_least"), ("reach_is_safe", "reach_is_least"), ("message_hides", "message_is_best"),
           ("audit_is_careful", "audit_is_sharp")]
TWICE = ["right", "one threshold", "no liars", "fake reports", "golden values"]
ALL = RIGHT + WRONG + hostile(PROBLEM_SET) + not_a_notebook(EVERYTHING)

NOTHING = {  # private or safe, and of no use
    "noise and distances without end, any message": {
        "band_noise": "return 1e6, 1e6", "band_reach": "return 1e6", "message": "return [Fraction(1, 8)] * 8",
        "shares": "return [Fraction(1, 8)] * 8", "caught": "return alarms", "refuting_count": "return guilty + 1"},
    "the same message always, shares of messages": {
        "band_noise": "return 1e3 / epsilon, 1e4 / epsilon", "band_reach": "return 30 * (width_scale + answer_scale)",
        "message": "return [Fraction(int(y == MINE['secret'][0])) for y in range(8)]",
        "shares": "return [Fraction(count, sum(counts)) for count in counts]", "caught": "return Fraction(1)",
        "refuting_count": "caught(runs=runs, alarms=Fraction(1))\nreturn guilty + 1"},
    "no noise, no distance, the truth": {
        "band_noise": "return 1e-9, 1e-9", "band_reach": "return 0.0", "message": "return [Fraction(int(y == label)) for y in range(8)]",
        "shares": "return [Fraction(0)] * 8", "caught": "return (1 + alarms) / 2", "refuting_count": "return (guilty + 9 * guilty) // 10"},
}
