"""Right and wrong submissions to problem set 1: which checks each must fail and what it must be told."""

from hostile import endless, hostile, not_a_notebook
from submissions import (
    BOX, IMPATIENT, ProblemSet, Submission, failing_at_the_end, strangers, unfinished, with_other_types, wrong_boxes)

THRESHOLD = {"never_too_small", "never_too_large", "tiny_delta"}
COINS = {"coins_from_rng", "silent_below", "right_law"}
REPLIES = {"one_reply", "two_options", "never_too_private", "never_pessimistic"}
EVERYTHING = BOX | THRESHOLD | COINS | REPLIES

DIFFERENT_BOXES = 84
PROBLEM_SET = ProblemSet(
    name="ps1",
    arguments={
        "sample_threshold": "*, epsilon, delta, share",
        "sampled_counts": "counts, *, share, threshold, rng",
        "person_delta": "*, epsilon, epsilon0, k, m",
    },
    victim="sample_threshold",
    costs=THRESHOLD,
    unasked={"by_hand = ": None, "for share in": None},
    second="person_delta",
    second_costs=REPLIES,
    groups=("thresholds", "tiny delta"),
    same_for_all=(),
    everything=EVERYTHING,
)
function = PROBLEM_SET.function


def threshold(excess, limit="math.ceil(T / (1 - 1 / keep))", result="T", limits=""):
    """Another threshold: the least T whose `excess`, of c people, is at most delta for all c from T to some limit."""
    return function(
        "sample_threshold",
        f"""
keep, e = math.exp(epsilon) / (1 - share), math.exp(epsilon)
{limits}
def law(c):
    ways = lambda k: math.lgamma(c + 1) - math.lgamma(k + 1) - math.lgamma(c - k + 1)
    return [math.exp(ways(k) + k * math.log(share) + (c - k) * math.log1p(-share)) for k in range(c + 1)]
laws = {{}}
def at(c):
    if c not in laws:
        laws[c] = law(c)
    return laws[c]
T = 1
while T < 300 and any({excess} > delta for c in range(T, {limit} + 1)):
    T += 1
return {result}""",
    )


def worst(keep="math.exp(epsilon) / (1 - share)", gain="max(1 - keep * (c - k) / c, 0)"):
    """A threshold that looks at one number of people only, with another ratio or another gain."""
    return function(
        "sample_threshold",
        f"""
e = math.exp(epsilon)
keep, T = {keep}, 1
while True:
    c = math.ceil(T / (1 - (1 - share) / e))
    ways = lambda k: math.lgamma(c + 1) - math.lgamma(k + 1) - math.lgamma(c - k + 1)
    law = ((k, math.exp(ways(k) + k * math.log(share) + (c - k) * math.log1p(-share))) for k in range(T, c + 1))
    if sum(p * {gain} for k, p in law) <= delta:
        return T
    T += 1""",
    )


EXACT = "sum(max(at(c)[k] - e * (at(c - 1) + [0])[k], 0) for k in range(T, c + 1))"


def coins(drawn, shown="np.where(drawn >= threshold, drawn, 0)"):
    return function("sampled_counts", f"counts = np.asarray(counts)\ndrawn = {drawn}\nreturn {shown}")


DRAWN = "rng.binomial(counts, share)"


def replies(body):
    return function(
        "person_delta", "q = 1 / (math.exp(epsilon0) + k - 1)\np = math.exp(epsilon0) * q\n" + body.strip("\n")
    )


def binary(loss_part):
    """delta over m replies that each lose plus or minus epsilon0, as if there were only two options."""
    return replies(f"""
keep = p / (p + q)
return sum(math.comb(m, up) * keep**up * (1 - keep) ** (m - up) * {loss_part} for up in range(m + 1))""")


HOCKEY = "max(0.0, 1 - math.exp(epsilon - (2 * up - m) * epsilon0))"

RIGHT = [
    Submission("right", notes="Every cell ran."),
    with_other_types("""
whole = sample_threshold
def sample_threshold(**asked):
    return np.float64(whole(**asked))
draw = sampled_counts
def sampled_counts(counts, **asked):
    return tuple(draw(counts, **asked))
"""),
    Submission(
        "right, with Jupyter's own commands",
        {"first": "%matplotlib inline\n!pip install everything\nsum?", "last": "%%time\ndisplay(sum([1, 2]))"},
        notes="Every cell ran.",
    ),
    failing_at_the_end(18),
]

WRONG = [
    unfinished(EVERYTHING),
    *strangers(EVERYTHING),
    *wrong_boxes(),
    # question 2
    Submission(
        "only the cell that is drawn whole",
        function("sample_threshold", "return math.ceil(math.log(delta) / math.log(share))"),
        THRESHOLD,
        says="sample_threshold",
    ),
    Submission("only the largest cell that matters", worst(), THRESHOLD),
    Submission("people not drawn forgotten", worst(keep="e"), THRESHOLD),
    Submission("bound by the tail", worst(gain="1.0"), {"never_too_large", "tiny_delta"}),
    Submission(
        "bound by the tail, every cell",
        threshold("sum(p for k, p in enumerate(at(c)) if k >= T and keep * (c - k) < c)"),
        {"never_too_large", "tiny_delta"},
    ),
    Submission("half of delta", threshold(f"2 * {EXACT}"), {"never_too_large", "tiny_delta"}),
    Submission("one too many", threshold(EXACT, result="T + 1"), {"never_too_large", "tiny_delta"}),
    Submission("one too few", threshold(EXACT, result="max(T - 1, 1)"), THRESHOLD),
    Submission(
        "threshold of the histogram page",
        function("sample_threshold", "return 1 + math.ceil(math.log(delta * (1 + math.exp(-epsilon))) / -epsilon)"),
        THRESHOLD,
    ),
    Submission(
        "one minus the others",
        threshold("1 - sum(at(c)[:T]) - e * (1 - sum(at(c - 1)[:T]))", limit="int(T / (1 - 1 / keep))"),
        {"tiny_delta"},
        says="subtract numbers near 1",
    ),
    Submission("threshold zero", function("sample_threshold", "return 0"), THRESHOLD, says="between 1 and 2000"),
    Submission(
        "threshold beyond all numbers",
        function("sample_threshold", "return 10**400"),
        THRESHOLD,
        says="not a finite number",
    ),
    Submission(
        "threshold is not a number",
        function("sample_threshold", "return float('nan')"),
        THRESHOLD,
        says="NaN, not a finite number",
    ),
    Submission(
        "threshold without rounding",
        function("sample_threshold", "return math.log(delta) / math.log(share)"),
        THRESHOLD,
        says="not a whole number",
    ),
    Submission("golden values", function("sample_threshold", "return {0.1: 2, 0.5: 6}.get(share, 17)"), THRESHOLD),
    Submission("golden values of question 3", function("person_delta", "return 1e-6 if m > 1 else 0.0"), REPLIES),
    Submission(
        "imported from dplib",
        {"def sample_threshold": "from dplib.histograms import stability_threshold as sample_threshold"},
        THRESHOLD,
        says="does not exist",
        notes="No module named 'dplib' (code cell 12, line 1); the questions ask for what dplib does not contain",
    ),
    Submission(
        "imported from dplib inside",
        function("sample_threshold", "import dplib\nreturn 28"),
        THRESHOLD,
        says="write the formula yourself",
    ),
    Submission(
        "imported from scipy",
        function("person_delta", "import scipy.stats\nreturn 0"),
        REPLIES,
        says="only numpy and the standard library",
    ),
    Submission(
        "global random state", coins(DRAWN.replace("rng", "np.random")), {"coins_from_rng"}, says="global np.random"
    ),
    Submission(
        "fixed seed", coins(DRAWN.replace("rng", "np.random.default_rng(1)")), {"coins_from_rng"}, says="a seed fixed"
    ),
    Submission(
        "a share without a coin",
        coins("np.round(counts * share).astype(int)"),
        {"coins_from_rng", "right_law"},
        says="sampled_counts",
    ),
    Submission("a Poisson number", coins("rng.poisson(counts * share)"), {"silent_below", "right_law"}),
    Submission("one coin for a cell", coins("counts * (rng.random(counts.shape) < share)"), {"right_law"}),
    Submission("no threshold", coins(DRAWN, "drawn"), {"silent_below", "right_law"}, says="sampled_counts"),
    Submission("threshold one too low", coins(DRAWN, "np.where(drawn >= threshold - 1, drawn, 0)"),
               {"silent_below", "right_law"}),
    Submission("more than the threshold", coins(DRAWN, "np.where(drawn > threshold, drawn, 0)"), {"right_law"}),
    Submission("divided by the share", coins(DRAWN, "np.where(drawn >= threshold, np.round(drawn / share), 0)"),
               {"silent_below", "right_law"}),
    Submission("the threshold for those who are there", coins(DRAWN, "np.where(counts >= threshold, drawn, 0)"),
               {"silent_below", "right_law"}),
    Submission("nothing at all", coins("0 * counts", "drawn"), COINS),
    Submission("everybody drawn", coins("counts"), {"coins_from_rng", "right_law"}),
    # question 3
    Submission(
        "basic composition",
        function("person_delta", "return 0.0 if epsilon >= m * epsilon0 else 1.0"),
        REPLIES,
    ),
    Submission("optimal composition of any mechanism", binary(HOCKEY), {"one_reply", "never_pessimistic"}),
    Submission(
        "tail of the loss",
        binary("((2 * up - m) * epsilon0 > epsilon)"),
        {"one_reply", "two_options", "never_pessimistic"},
    ),
    Submission(
        "replies without loss forgotten",
        replies("return sum(math.comb(m, up) * p**up * q ** (m - up) * " + HOCKEY + " for up in range(m + 1))"),
        {"never_too_private", "never_pessimistic"},
        says="person_delta",
    ),
    Submission(
        "a single reply",
        replies("return max(0.0, p - math.exp(epsilon) * q)"),
        {"two_options", "never_too_private", "never_pessimistic"},
    ),
    Submission(
        "logarithm of nothing",
        replies("""
total = 0.0
for up in range(m + 1):
    for down in range(m + 1 - up):
        silent = m - up - down
        ways = math.lgamma(m + 1) - math.lgamma(up + 1) - math.lgamma(down + 1) - math.lgamma(silent + 1)
        log = ways + up * math.log(p) + down * math.log(q) + silent * math.log((k - 2) * q)
        total += math.exp(log) * max(0.0, 1 - math.exp(epsilon - (up - down) * epsilon0))
return total"""),
        {"two_options"},
        says="math domain error",
    ),
    Submission(
        "every output one by one",
        replies(
            """
from itertools import product
one = [(p, q), (q, p)] + [(q, q)] * (k - 2)
chances = ((math.prod(a for a, b in z), math.prod(b for a, b in z)) for z in product(one, repeat=m))
return sum(max(0.0, a - math.exp(epsilon) * b) for a, b in chances)"""
        ),
        {"never_too_private", "never_pessimistic"},
        says="still running",
        limits=IMPATIENT,
    ),
    # cells
    Submission(
        "syntax error",
        {"def sample_threshold": "def sample_threshold(*, epsilon, delta, share)\n    return 28"},
        THRESHOLD,
        says="does not exist",
        notes="SyntaxError: expected ':' (code cell 12, line 1)",
    ),
    Submission(
        "cells deleted",
        {"def sample_threshold": None, "def person_delta": None},
        THRESHOLD | REPLIES,
        says="does not exist",
    ),
    Submission(
        "a text for a function", {"last": "person_delta = 'see my other notebook'"}, REPLIES, says="not callable"
    ),
]


def answer(assignment, kwargs):
    """The right answer of the attacked function."""
    return next(T for T in range(1, 10_000) if assignment.is_safe(T, kwargs))


def second_pairs(numbers, variant):
    """Neighbours between which the second box may break, and the outputs of interest; other counts only move the outputs."""
    none, one = (0,) * numbers["n"], (1,) + (0,) * (numbers["n"] - 1)
    return [(none, one), (one, none)], range(-40, 42)


HINTS = [
    ("only the cell that is drawn whole", "never_too_small", "Have you looked at every c"),
    ("half of delta", "never_too_large", "Is what you compare with delta a bound"),
    ("one coin for a cell", "right_law", "Does every person have a coin of their own"),
    ("optimal composition of any mechanism", "never_pessimistic", "Is it a bound for every"),
    ("tail of the loss", "one_reply", "for which of them is the difference positive"),
    ("unfinished", "never_too_small", "is the blank still there, or a `return` missing?"),
]
GRAVITY = [("never_too_small", "never_too_large"), ("silent_below", "coins_from_rng"),
           ("never_too_private", "never_pessimistic")]
TWICE = ["right", "global random state", "a Poisson number", "fake reports", "golden values"]
ALL = RIGHT + WRONG + hostile(PROBLEM_SET) + endless(PROBLEM_SET) + not_a_notebook(EVERYTHING)
NOTHING = {  # useless, however private: bodies of functions
    "a threshold that nothing reaches": {
        "sample_threshold": "return 1999", "sampled_counts": "return 0 * np.asarray(counts)", "person_delta": "return 1.0"},
}
