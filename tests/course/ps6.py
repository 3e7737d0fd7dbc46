"""Right and wrong submissions to problem set 6: which checks each must fail and what it must be told."""

from hostile import hostile, not_a_notebook
from submissions import BOX, STUDENT, ProblemSet, Submission, failing_at_the_end, strangers, unfinished, with_other_types, wrong_boxes

NOISE = {"noise_hides", "noise_is_least"}
REACH = {"reach_is_safe", "reach_is_least"}
MESSAGE = {"message_hides", "message_is_best"}
EVERYTHING = BOX | NOISE | REACH | MESSAGE | {"shares_are_right"}

DIFFERENT_BOXES = 96
PROBLEM_SET = ProblemSet(
    name="ps6",
    arguments={
        "band_noise": "*, epsilon",
        "band_reach": "*, width_scale, answer_scale",
        "message": "label, *, ratio",
        "shares": "counts, *, ratio",
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
# square, 1 in 200; the labels 0, 3, 4, 7 are secret, one in five is a liar and sends 4. Other sheets are compared with searches in
# test_judge_ps6.py.


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


RIGHT = [
    Submission("right", notes="Every cell ran."),
    Submission("right, by other means", noise() | reach() | message() | shares()),
    with_other_types("""
some, far, law, told = band_noise, band_reach, message, shares
def band_noise(**asked):
    return np.array(some(**asked))
def band_reach(**asked):
    return np.float64(far(**asked))
def message(label, **asked):
    return tuple(law(label, **asked))
def shares(counts, **asked):
    return tuple(told(np.array(counts).tolist(), **asked))
"""),
    failing_at_the_end(21),
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
    ("unfinished", "message_hides", "is the blank still there, or a `return` missing?"),
]
GRAVITY = [("noise_hides", "noise_is_least"), ("reach_is_safe", "reach_is_least"), ("message_hides", "message_is_best")]
TWICE = ["right", "one threshold", "no liars", "fake reports", "golden values"]
ALL = RIGHT + WRONG + hostile(PROBLEM_SET) + not_a_notebook(EVERYTHING)

NOTHING = {  # private or safe, and of no use
    "noise and distances without end, any message": {
        "band_noise": "return 1e6, 1e6", "band_reach": "return 1e6", "message": "return [Fraction(1, 8)] * 8",
        "shares": "return [Fraction(1, 8)] * 8"},
    "the same message always, shares of messages": {
        "band_noise": "return 1e3 / epsilon, 1e4 / epsilon", "band_reach": "return 30 * (width_scale + answer_scale)",
        "message": "return [Fraction(int(y == MINE['secret'][0])) for y in range(8)]",
        "shares": "return [Fraction(count, sum(counts)) for count in counts]"},
    "no noise, no distance, the truth": {
        "band_noise": "return 1e-9, 1e-9", "band_reach": "return 0.0", "message": "return [Fraction(int(y == label)) for y in range(8)]",
        "shares": "return [Fraction(0)] * 8"},
}
