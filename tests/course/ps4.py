"""Right and wrong submissions to problem set 4: which checks each must fail and what it must be told."""

from hostile import hostile, not_a_notebook
from submissions import BOX, STUDENT, ProblemSet, Submission, failing_at_the_end, strangers, unfinished, with_other_types, wrong_boxes

TOP = {"names_right", "naming_is_private", "naming_is_sharp", "naming_at_the_edges"}
CHANCE = {"naming_is_private", "naming_is_sharp", "naming_at_the_edges"}
VOTE = {"vote_is_fair", "vote_is_private", "vote_is_decisive"}
TEST = {"test_is_safe", "test_is_frugal"}
EVERYTHING = BOX | TOP | VOTE | TEST | {"weights_right"}

DIFFERENT_BOXES = 96
PROBLEM_SET = ProblemSet(
    name="ps4",
    arguments={
        "stable_top": "x, *, labels, size, ratio, delta",
        "vote_chance": "yes, no, *, ratio, delta",
        "strict_weights": "friends, *, share",
    },
    victim="strict_weights",
    costs={"weights_right"},
    unasked={"triangle = ": None},
    second="vote_chance",
    second_costs=VOTE,
    groups=("weights",),
    same_for_all=(),
    everything=EVERYTHING,
)
function = PROBLEM_SET.function

# Ada's sheet: the label at a place, 7 votes come or go; a no, with crashes of 2 blocks and a lead of 14; others, power 1, a record
# comes or goes, data above the bound must pass. Other sheets are compared with searches in test_judge_ps4.py.

# --- question 2 ------------------------------------------------------------------------------------------------------
TOP_CODE = """
counts = [x.count(label) for label in range(labels)]
order = {order}
{early}
gaps = [{gap} for i in {cuts} if 0 < i < labels]
return {named}, {chance}"""
BY_VOTES = "sorted(range(labels), key=lambda j: (-counts[j], MINE['tie'].index(j)))"
EARLY = "if labels == 1:\n    return order, 1"
TIES = "counts[order[i - 1]] - counts[order[i]] + (MINE['tie'].index(order[i]) > MINE['tie'].index(order[i - 1]))"
CHANCE_CODE = """


def climb(distance, ratio, delta):
    p = Fraction({start})
    while distance > 0 and p < 1:
        p, distance = {step}, distance - 1
    return p
"""
RECURSION = """

def climb(distance, ratio, delta):
    p = climb(distance - 1, ratio, delta) if distance else 0
    return min(ratio * p + delta, 1 - (1 - p - delta) / ratio, 1) if distance else 0
"""
STEP = "min(ratio * p + delta, 1 - (1 - p - delta) / ratio, 1)"


def top(order=BY_VOTES, early=EARLY, cuts="(size - 1, size)", gap=TIES, named="order[size - 1 : size]",
        chance="climb(-(-min(gaps) // MINE['votes']), ratio, delta)", start="0", step=STEP):
    source = function("stable_top", TOP_CODE.format(
        order=order, early=early, cuts=cuts, gap=gap, named=named, chance=chance))["def stable_top"]
    return {"def stable_top": source + CHANCE_CODE.format(start=start, step=step)}


def climbing(distance, ratio="ratio", delta="delta"):
    return f"climb({distance}, {ratio}, {delta})"


STEPS = "-(-min(gaps) // MINE['votes'])"


# --- question 3 ------------------------------------------------------------------------------------------------------
def vote(odd="(1 - delta) / (1 + ratio)", even="Fraction(1, 2)", steps="lead // 2", step="max((q - delta) / ratio, 0)",
         result="q if yes - no > m else 1 - q", m="MINE['lead'] // 2"):
    return function(
        "vote_chance",
        f"""
m = {m}
lead = abs(yes - no - m)
q = {odd} if lead % 2 else {even}
for _ in range({steps}):
    q = {step}
return {result}""",
    )


# --- question 4 ------------------------------------------------------------------------------------------------------
WEIGHTS = """
def strict_weights(friends, *, share):
    n = len(friends)
    {first}
    return [{clip} for c in ({count} for row in friends)]
"""
PLAN = """
def weight_test(*, size, share, bound, epsilon, delta):
    b = {scale}
    return b, {bar}
"""
ONE = "if n == 1:\n        return [0]"
RAW = "(c - 1 - share * (n - 1)) / ((n - 1) * (1 - share))"


def strict(raw=RAW, clip="min(max({raw}, 0), 1)", count="sum(row)", first=ONE,
           scale="max(2, min(size - 1, 1 / (1 - share))) / epsilon", bar="bound + b * math.log(2 * delta)"):
    return {"def strict_weights": WEIGHTS.format(first=first, clip=clip.format(raw=raw), count=count).lstrip(),
            "def weight_test": PLAN.format(scale=scale, bar=bar).lstrip()}


RIGHT = [
    Submission("right", notes="Every cell ran."),
    Submission("right, by other means", top() | vote() | strict()),
    Submission(
        "right, step by step from the other side",
        function(
            "vote_chance",
            """
lead = yes - no - MINE["lead"] // 2
if lead > 0:
    return 1 - vote_chance(MINE["lead"] + no, yes, ratio=ratio, delta=delta)
if lead > -2:
    return [Fraction(1, 2), (ratio + delta) / (1 + ratio)][-lead]
p = vote_chance(yes + 2, no, ratio=ratio, delta=delta)
return min(ratio * p + delta, 1 - (1 - p - delta) / ratio, Fraction(1))""",
        ),
    ),
    with_other_types("""
few, some, plan = stable_top, strict_weights, weight_test
def stable_top(x, **asked):
    names, p = few(x, **asked)
    return np.array(names), 1 if p == 1 else p
def strict_weights(friends, **asked):
    return tuple(some(np.array(friends), **asked))
def weight_test(**asked):
    return np.array(plan(**asked))
"""),
    failing_at_the_end(22),
]

WRONG = [
    unfinished(EVERYTHING),
    *strangers(EVERYTHING),
    *wrong_boxes(),
    # question 2
    Submission("ties to the smaller label", top(order="sorted(range(labels), key=lambda j: (-counts[j], j))"),
               TOP - {"naming_at_the_edges"}),
    Submission("ties to the smaller label, also in the distance", top(
        order="sorted(range(labels), key=lambda j: (-counts[j], j))",
        gap="counts[order[i - 1]] - counts[order[i]] + (order[i] > order[i - 1])"), {"names_right", "naming_is_sharp"}),
    Submission("the least popular", top(order=BY_VOTES.replace("-counts", "counts"), gap="-1"), TOP),
    Submission("all up to the place", top(named="order[:size]"), TOP, says="exactly 1 of the"),
    Submission("ties forgotten in the distance", top(gap=TIES.split(" + ")[0]), {"naming_is_sharp"}, says="too small"),
    Submission("a tie always holds", top(gap=TIES.split(" + ")[0] + " + 1"), {"naming_is_private", "naming_is_sharp"}),
    Submission("a record that is replaced", top(chance=climbing("-(-min(gaps) // (2 * MINE['votes']))")), CHANCE, says=""),
    Submission("steps of single votes", top(chance=climbing("min(gaps)")), CHANCE, says=""),
    Submission("steps rounded down", top(chance=climbing("min(gaps) // MINE['votes']")), {"naming_is_sharp", "naming_at_the_edges"}),
    Submission("only the next place", top(cuts="(size,)", early="if size == labels:\n    return order[-1:], 1"), CHANCE, says=""),
    Submission("the lead of the first over the second", top(cuts="(1,)"), {"naming_is_private", "naming_is_sharp"}),
    Submission("labels without votes forgotten", top(gap=f"({TIES} if counts[order[i]] else 10**9)"), CHANCE, says=""),
    Submission("only the first branch of a step", top(step="min(ratio * p + delta, 1)"), CHANCE, says=""),
    Submission("a step without an end", top(step="min(ratio * p + delta, 1 - (1 - p - delta) / ratio)"), CHANCE,
               says="a chance lies between 0 and 1"),
    Submission("one step too many", top(start="delta"), CHANCE),
    Submission("steps without delta, but the first", top(step="min(ratio * p, 1 - (1 - p) / ratio, 1)", start="delta"), CHANCE, says=""),
    Submission("twice the budget", top(chance=climbing(STEPS, "ratio**2")), CHANCE),
    Submission("a thousandth more delta", top(chance=climbing(STEPS, "ratio", "delta * Fraction(1001, 1000)")), CHANCE, says=""),
    Submission("a thousandth less delta", top(chance=climbing(STEPS, "ratio", "delta * Fraction(999, 1000)")),
               {"naming_is_sharp", "naming_at_the_edges"}, says="too small from digit"),
    Submission("always named", top(chance="1"), CHANCE, says=""),
    Submission("never named", top(chance="0"), CHANCE, says=""),
    Submission("always refused, without names", function("stable_top", "return [0], 0"), TOP, says=""),
    Submission("a half", top(chance="Fraction(1, 2)"), CHANCE, says=""),
    Submission("named a little", top(chance="delta / 10**6"), CHANCE, says=""),
    Submission("no label left", top(early=""), {"naming_at_the_edges"}, says="ValueError"),
    Submission("a recursion", {"def stable_top": top()["def stable_top"] + RECURSION}, {"naming_at_the_edges"},
               says="RecursionError"),
    Submission("floats", top(chance="float(climb(-(-min(gaps) // MINE['votes']), ratio, delta))"), CHANCE, says="a float; an exact Fraction"),
    Submission("the Laplace test", top(chance="1 - math.exp(-max(min(gaps) - 1, 0)) / 2"), CHANCE, says="an exact Fraction is asked for"),
    Submission("one label for all", function("stable_top", "return [0], Fraction(1)"), TOP, says=""),
    # question 3
    Submission("half a step for half a vote", vote(odd="(1 - delta) / ratio / 2"), {"vote_is_private", "vote_is_decisive"}),
    Submission("the odd rule for all", vote(even="(1 - delta) / (1 + ratio)"), VOTE, says=""),
    Submission("steps of one block", vote(steps="max(lead - 1, 0)"), {"vote_is_private", "vote_is_decisive"}),
    Submission("one block as half a step", vote(odd="Fraction(1, 2)"), {"vote_is_decisive"}, says="Start where fairness leaves"),
    Submission("delta forgotten", vote(odd="1 / (1 + ratio)", step="q / ratio"), {"vote_is_decisive"}),
    Submission("delta at the first step only", vote(step="q / ratio"), {"vote_is_decisive"}),
    Submission("delta twice at the first step", vote(odd="(1 - 2 * delta) / (1 + ratio)"),
               {"vote_is_private", "vote_is_decisive"}),
    Submission("a thousandth more delta in a vote", vote(odd="(1 - 1.001 * delta) / (1 + ratio)".replace("1.001", "Fraction(1001, 1000)")),
               {"vote_is_private", "vote_is_decisive"}),
    Submission("one step too many in a vote", vote(steps="(lead + 1) // 2"), {"vote_is_private", "vote_is_decisive"}),
    Submission("one step too few", vote(steps="max(lead // 2 - 1, 0)"), {"vote_is_decisive"}),
    Submission("a tie for yes", vote(even="(1 - delta) / (1 + ratio)", steps="(lead - 1) // 2 if lead else 0"),
               {"vote_is_fair", "vote_is_decisive"}, says=""),
    Submission("never yes", vote(result="Fraction(0)"), VOTE, says=""),
    Submission("a fair coin", vote(result="Fraction(1, 2)"), VOTE, says=""),
    Submission("nearly a coin", vote(result="Fraction(1, 2) + (Fraction(1, 2) - q) / 100 * (1 if yes - no < m else -1)"), VOTE, says=""),
    Submission("the majority as it is", vote(odd="Fraction(0)", step="0 * q"), {"vote_is_private", "vote_is_decisive"}),
    Submission("the share of no", vote(result="Fraction(no, max(yes + no, 1))"), VOTE, says=""),
    Submission("the loser", vote(result="1 - q if yes - no > m else q"), VOTE, says=""),
    Submission("a lead that is not halved", vote(m="MINE['lead']"), VOTE, says=""),
    Submission("no lead needed", vote(m="0"), VOTE, says=""),
    Submission("a chance below 0", vote(step="(q - delta) / ratio"), VOTE, says="a chance lies between 0 and 1"),
    Submission("noise of scale 2", vote(result="math.exp(-lead / 2)"), VOTE, says="an exact Fraction is asked for"),
    # question 4
    Submission("shares of all", strict(raw="(c - share * n) / ((1 - share) * n)"), {"weights_right"}, says="of whom is the share"),
    Submission("not counting oneself", strict(count="sum(row) - 1"), {"weights_right"}, says="count itself"),
    Submission("weights below 0", strict(clip="{raw}"), {"weights_right"}),
    Submission("everybody above the share weighs 1", strict(clip="float({raw} > 0)"), {"weights_right"}),
    Submission("half whatever the share", strict(raw="(2 * c - n - 1) / (n - 1)"), {"weights_right"}),
    Submission("a slope for one half", strict(raw="2 * (c - 1 - share * (n - 1)) / (n - 1)"), {"weights_right"}),
    Submission("squares", strict(clip="min(max({raw}, 0), 1) ** 2"), {"weights_right"}, says="the power"),
    Submission("alone", strict(first=""), {"weights_right"}, says="ZeroDivisionError"),
    Submission("full weight if alone", strict(first=ONE.replace("[0]", "[1]")), {"weights_right"}, says="nobody else"),
    Submission("no weights", strict(clip="0.0"), {"weights_right"}),
    Submission("2 for every share", strict(scale="2 / epsilon"), TEST),
    Submission("as for a replaced record", strict(scale="min(size, 1 + 1 / (1 - share)) / epsilon"), {"test_is_frugal"}),
    Submission("as for many people", strict(scale="1 / (1 - share) / epsilon"), {"test_is_frugal"},
               says="if there are few of them"),
    Submission("two friends forgotten", strict(scale="min(size - 1, 1 / (1 - share)) / epsilon"), TEST),
    Submission("a change of n", strict(scale="size / epsilon"), TEST, says=""),
    Submission("noise of a million", strict(scale="1e6", bar="bound - 1e8"), TEST, says=""),
    Submission("both tails", strict(bar="bound + b * math.log(delta)"), {"test_is_frugal"}, says="of one"),
    Submission("a thousandth more delta in a test", strict(bar="bound + b * math.log(2.002 * delta)"), TEST),
    Submission("a thousandth less delta in a test", strict(bar="bound + b * math.log(1.998 * delta)"), {"test_is_frugal"}),
    Submission("a thousandth less noise", strict(scale="0.999 * max(2, min(size - 1, 1 / (1 - share))) / epsilon"), TEST,
               says="too small from digit"),
    Submission("a threshold without its scale", strict(bar="bound + math.log(2 * delta)"), TEST, says=""),
    Submission("the bound as threshold", strict(bar="bound"), TEST, says=""),
    Submission("the other side", strict(bar="bound - b * math.log(2 * delta)"), TEST, says=""),
    Submission("epsilon forgotten", strict(scale="max(2, min(size - 1, 1 / (1 - share)))"), TEST, says=""),
    Submission("one number", {"def weight_test": "def weight_test(**_):\n    return 3.0"}, TEST, says="not a list or tuple"),
    Submission("golden values", {"def strict_weights": "def strict_weights(friends, *, share):\n"
               "    return [1 / 3] * 3 + [0] if share == 0.5 else [0] * 4",
               "def weight_test": "def weight_test(**_):\n    return 3.0, 836.9"}, {"weights_right"} | TEST),
    # cells
    Submission(
        "imported from dplib",
        {"def vote_chance": "from dplib.aggregation import private_vote as vote_chance"},
        VOTE,
        says="does not exist",
        notes="No module named 'dplib' (code cell 14, line 1); the questions ask for what dplib does not contain",
    ),
    Submission(
        "imported from scipy",
        {"def strict_weights": "from scipy.stats import laplace"},
        {"weights_right"},
        says="does not exist",
        notes="only numpy and the standard library",
    ),
    Submission(
        "cells deleted",
        {"def stable_top": None, "def strict_weights": None},
        TOP | {"weights_right"},
        says="does not exist",
    ),
]


def answer(assignment, kwargs):
    """The right answer of the attacked function."""
    return assignment.weights_of(**kwargs, mine=assignment.boxes.sheet_of(STUDENT))


def second_pairs(numbers, variant):
    """Neighbours between which the second box may break, and the outputs of interest; the more ones, the less another one changes."""
    n, ones = numbers["n"], (0, 1, 2, 7, numbers["n"] - 1)
    more = [((1,) * (b + 1) + (0,) * (n - b - 1), (1,) * b + (0,) * (n - b)) for b in (ones[:1] if variant % 12 else ones)]
    return [*more, *([] if variant % 12 else [pair[::-1] for pair in more])], range(numbers["blocks"] + 1)


HINTS = [
    ("labels without votes forgotten", "naming_is_private", "Is a label without votes among the rivals"),
    ("a record that is replaced", "naming_is_sharp", "too small from digit"),
    ("never named", "naming_is_private", "it has to say something"),
    ("twice the budget", "naming_is_private", "the chance of refusing exceeds e^epsilon times"),
    ("floats", "naming_is_sharp", "compute with `ratio` and `delta` as they are"),
    ("steps of one block", "vote_is_private", "Which change is the worst?"),
    ("a tie for yes", "vote_is_fair", "a yes at the lead"),
    ("a fair coin", "vote_is_private", "has to tell the public something"),
    ("shares of all", "weights_right", "of whom is the share"),
    ("2 for every share", "test_is_safe", "What do these give up"),
    ("noise of a million", "test_is_safe", "says little about the data"),
    ("both tails", "test_is_frugal", "both tails of the noise, or of one"),
    ("unfinished", "vote_is_fair", "is the blank still there, or a `return` missing?"),
]
GRAVITY = [("naming_is_private", "naming_is_sharp"), ("vote_is_private", "vote_is_decisive"), ("test_is_safe", "test_is_frugal")]
TWICE = ["right", "a record that is replaced", "the share of no", "fake reports", "golden values"]
ALL = RIGHT + WRONG + hostile(PROBLEM_SET) + not_a_notebook(EVERYTHING)


def named_with(chance):
    """What is right to name, with a chance that says nothing."""
    rule = {"the least popular": "order[-size:]", "the place": "order[size - 1 : size]"}
    kinds = ", ".join(f"{name!r}: {labels}" for name, labels in rule.items())
    return f"""
counts = [x.count(label) for label in range(labels)]
order = sorted(range(labels), key=lambda j: (-counts[j], MINE["tie"].index(j)))
return {{{kinds}}}.get(MINE["named"], order[:size]), {chance}"""


NO_TEST = """
room = {room} if MINE["must"] == "refuse" else -{room}
return {noise}, bound + room"""
NOTHING = {  # private, fair or safe, and of no use
    "never named, a coin, noise of a million": {
        "stable_top": named_with("Fraction(0)"), "vote_chance": "return Fraction(1, 2)", "strict_weights": "return [0] * len(friends)",
        "weight_test": NO_TEST.format(noise="1e6", room="1e9")},
    "a half of everything": {
        "stable_top": named_with("Fraction(1, 2)"), "vote_chance": "return Fraction(1, 2)", "strict_weights": "return [0.5] * len(friends)",
        "weight_test": NO_TEST.format(noise="1e3", room="1e5")},
    "named hardly ever, nearly a coin": {
        "stable_top": named_with("delta / 1000"), "strict_weights": "return [1] * len(friends)",
        "vote_chance": "return Fraction(1, 2) + Fraction(1, 10**6) * (1 if (2 * (yes - no) > MINE['lead']) == (MINE['answer'] == 'yes') else -1)",
        "weight_test": NO_TEST.format(noise="size / epsilon", room="size / epsilon * math.log(1 / delta)")},
    "always named, always yes, always passed": {
        "stable_top": named_with("Fraction(1)"), "vote_chance": "return Fraction(1)", "strict_weights": "return [1] * len(friends)",
        "weight_test": NO_TEST.format(noise="0", room="0")},
}
