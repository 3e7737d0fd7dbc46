"""Right and wrong submissions to problem set 1: which checks each must fail and what it must be told."""

from hostile import hostile, not_a_notebook
from submissions import BOX, IMPATIENT, ProblemSet, Submission, student, wrong_boxes

THRESHOLD = {"one_label", "never_too_small", "never_too_large", "tiny_delta"}
NOISE = {"noise_from_rng", "noise_law", "empty_cells"}
REPLIES = {"one_reply", "two_options", "never_too_private", "never_pessimistic"}
EVERYTHING = BOX | THRESHOLD | NOISE | REPLIES

PROBLEM_SET = ProblemSet(
    name="ps1",
    arguments={
        "people_threshold": "*, epsilon, delta, m",
        "noisy_counts": "counts, *, epsilon, m, rng",
        "person_delta": "*, epsilon, epsilon0, k, m",
    },
    victim="people_threshold",
    costs=THRESHOLD,
    unasked={"one, two = (": None, "def noise_deviation": None},
    second="person_delta",
    second_costs=REPLIES,
    groups=("one label", "several labels", "tiny delta"),
    everything=EVERYTHING,
)
function = PROBLEM_SET.function


def threshold(alone, noise="2 * m"):
    """The threshold for a wrong chance that one cell is shown, or a wrong size of noise."""
    return function(
        "people_threshold",
        f"""
alpha = math.exp(-epsilon / ({noise}))
return 1 + math.ceil(math.log({alone} * (1 + alpha)) / math.log(alpha))""",
    )


def noise(ratio, touched="counts > 0", source="rng"):
    return function(
        "noisy_counts",
        f"""
counts, stop = np.asarray(counts), 1 - math.exp({ratio})
noise = {source}.geometric(stop, counts.shape) - {source}.geometric(stop, counts.shape)
return np.where({touched}, counts + noise, counts)""",
    )


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
ALONE = "-math.expm1(math.log1p(-delta) / m)"

RIGHT = [
    Submission("right", notes="Every cell ran."),
    Submission(
        "right, with other types",
        student(" Ada@Example.edu ")
        | {
            "last": "broken = (np.array(broken[0]), list(broken[1]), frozenset(broken[2]))\n"
            "whole = people_threshold\n"
            "def people_threshold(**asked):\n    return np.float64(whole(**asked))\n"
            "draw = noisy_counts\n"
            "def noisy_counts(counts, **asked):\n    return tuple(draw(counts, **asked))"
        },
    ),
    Submission(
        "right, with Jupyter's own commands",
        {"first": "%matplotlib inline\n!pip install everything\nsum?", "last": "%%time\ndisplay(sum([1, 2]))"},
        notes="Every cell ran.",
    ),
    Submission(
        "right, then a cell that fails",
        {"last": "1 / 0"},
        notes="ZeroDivisionError: division by zero (code cell 12, line 1)",
    ),
]

WRONG = [
    Submission("unfinished", edition="student", fails=EVERYTHING, notes="write your address into STUDENT first"),
    *wrong_boxes("carol@example.edu"),
    # question 2
    Submission(
        "threshold for one label", threshold("delta", "2"), {"never_too_small", "never_too_large", "tiny_delta"}
    ),
    Submission(
        "threshold for one fresh cell", threshold("delta"), {"never_too_small", "never_too_large", "tiny_delta"}
    ),
    Submission(
        "threshold with noise for one label",
        threshold(ALONE, "2"),
        {"never_too_small", "never_too_large", "tiny_delta"},
    ),
    Submission("threshold with half the noise", threshold(ALONE, "m"), THRESHOLD),
    Submission("threshold by the union bound", threshold("delta / m"), {"never_too_large"}, says="union bound"),
    Submission(
        "threshold of the literature",
        function("people_threshold", "return 1 + math.ceil(2 * m / epsilon * math.log(2 * m / delta))"),
        {"one_label", "never_too_large", "tiny_delta"},
    ),
    Submission(
        "threshold in naive floating point", threshold("(1 - (1 - delta) ** (1 / m))"), {"tiny_delta"}, says="log1p"
    ),
    Submission(
        "threshold without rounding",
        function("people_threshold", "return 1 + 2 * m / epsilon * math.log(m / (2 * delta))"),
        THRESHOLD,
        says="not a whole number",
    ),
    Submission("threshold zero", function("people_threshold", "return 0"), THRESHOLD, says="a whole number from 1 on"),
    Submission(
        "threshold beyond all numbers",
        function("people_threshold", "return 10**400"),
        THRESHOLD,
        says="not a finite number",
    ),
    Submission(
        "threshold is not a number",
        function("people_threshold", "return float('nan')"),
        THRESHOLD,
        says="NaN, not a finite number",
    ),
    Submission(
        "golden values",
        function("people_threshold", "return {(1, 1e-6, 1): 28, (1, 1e-3, 1): 14}.get((epsilon, delta, m), 56)"),
        THRESHOLD,
    ),
    Submission("golden values of question 3", function("person_delta", "return 1e-6 if m > 1 else 0.0"), REPLIES),
    Submission(
        "imported from dplib",
        {"def people_threshold": "from dplib.histograms import stability_threshold as people_threshold"},
        THRESHOLD,
        says="does not exist",
        notes="No module named 'dplib' (code cell 5, line 1); the questions ask for what dplib does not contain",
    ),
    Submission(
        "imported from dplib inside",
        function("people_threshold", "import dplib\nreturn 28"),
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
        "global random state",
        noise("-epsilon / (2 * m)", source="np.random"),
        {"noise_from_rng"},
        says="global np.random",
    ),
    Submission(
        "fixed seed",
        {"def noisy_counts": """
def noisy_counts(counts, *, epsilon, m, rng):
    counts, stop, rng = np.asarray(counts), 1 - math.exp(-epsilon / (2 * m)), np.random.default_rng(1)
    return np.where(counts > 0, counts + rng.geometric(stop, counts.shape) - rng.geometric(stop, counts.shape), 0)"""},
        {"noise_from_rng"},
        says="a key that everybody holds",
    ),
    Submission("sensitivity of one label", noise("-epsilon / 2"), {"noise_law"}, says="change all counts together"),
    Submission("sensitivity without the swap", noise("-epsilon / m"), {"noise_law"}, says="change all counts together"),
    Submission(
        "rounded Laplace noise",
        function(
            "noisy_counts",
            """
counts = np.asarray(counts)
return np.where(counts > 0, counts + np.round(rng.laplace(0, 2 * m / epsilon, counts.shape)).astype(int), 0)""",
        ),
        {"noise_law"},
        says="whole numbers from the start",
    ),
    Submission(
        "Laplace noise",
        function("noisy_counts", "return np.asarray(counts) + rng.laplace(0, 2 * m / epsilon, len(counts))"),
        NOISE,
        says="not a whole number",
    ),
    Submission(
        "noise in empty cells",
        noise("-epsilon / (2 * m)", "counts >= 0"),
        {"empty_cells"},
        says="an empty cell got noise",
    ),
    Submission("no noise", function("noisy_counts", "return counts"), NOISE),
    # question 3
    Submission(
        "basic composition",
        function("person_delta", "return 0.0 if epsilon >= m * epsilon0 else 1.0"),
        {"one_reply", "two_options", "never_pessimistic"},
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
        {"def people_threshold": "def people_threshold(*, epsilon, delta, m)\n    return 28"},
        THRESHOLD,
        says="does not exist",
        notes="SyntaxError: expected ':' (code cell 5, line 1)",
    ),
    Submission(
        "cells deleted",
        {"def people_threshold": None, "def person_delta": None},
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


HINTS = [
    ("threshold for one label", "never_too_small", "How many fresh cells can one person fill"),
    ("threshold with half the noise", "one_label", "With which probability is a cell with a single person shown?"),
    ("optimal composition of any mechanism", "never_pessimistic", "a reply says nothing with probability (k-2)q"),
    ("tail of the loss", "one_reply", "delta is not the chance that the loss exceeds epsilon"),
    ("unfinished", "one_label", "is the blank still there, or a `return` missing?"),
]
TWICE = ["right", "global random state", "sensitivity of one label", "fake reports", "golden values"]
ALL = RIGHT + WRONG + hostile(PROBLEM_SET) + not_a_notebook(EVERYTHING)
