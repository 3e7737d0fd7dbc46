"""Right and wrong submissions to problem set 2: which checks each must fail and what it must be told."""

from hostile import hostile, not_a_notebook
from submissions import BOX, ProblemSet, Submission, failing_at_the_end, strangers, unfinished, with_other_types, wrong_boxes

COARSE = {"cells", "choice_is_private", "choice_is_sharp"}
FINE = {"sums_and_counts", "noise_hides", "noise_law"}
P_VALUES, COUNTS = {"p_exact", "p_tiny"}, {"level_kept", "level_used"}
MASSES = {"never_too_demanding", "never_too_modest"}
EVERYTHING = BOX | COARSE | FINE | P_VALUES | COUNTS | MASSES | {"least_size"}

DIFFERENT_BOXES = 96
PROBLEM_SET = ProblemSet(
    name="ps2",
    arguments={"center_chances": "x, *, radius, epsilon", "noisy_pair": "x, *, center, bound, epsilon, rng"},
    victim="center_chances",
    costs=COARSE,
    unasked={"chances = center_chances": None},
    second="noisy_pair",
    second_costs=FINE,
    groups=("cells", "one more record", "chances", "many records"),
    same_for_all=("many records",),
    everything=EVERYTHING,
)


def chances(weights, labels="np.floor(np.asarray(x, dtype=float)).astype(int) + radius"):
    """The coarse stage with other weights, or with records in other cells; label -1 stands for none."""
    return PROBLEM_SET.function(
        "center_chances",
        f"""
labels = {labels}
counts = np.bincount(labels[(labels >= 0) & (labels < 2 * radius)], minlength=2 * radius)
weights = {weights}
return weights / weights.sum()""",
    )


def weights(factor):
    return f"np.exp({factor} * epsilon * (counts - counts.max()))"


def pair(noise, y="np.clip(np.asarray(x, dtype=float) - center, -bound, bound)", value="y.sum(axis=-1)"):
    """The fine stage with noises s (of the sum) and c (of the count) made by other lines."""
    return PROBLEM_SET.function(
        "noisy_pair",
        f"""
y = {y}
rows, scale = len(x), 1 / epsilon
{noise.strip()}
return np.stack([{value} + s, y.shape[-1] + c], axis=-1)""",
    )


TWO = """
a, b = {source}.laplace(0, {scale}, rows), {source}.laplace(0, {scale}, rows)
s, c = bound * (a - b), a + b"""


def two(scale="scale", source="rng"):
    return TWO.format(scale=scale, source=source)


P = """
def {name}(y, *, n, epsilon):
    alpha, chance = math.exp(-epsilon), 0.0
    for k in range(n + 1):
        noise = {noise}
        chance += {binomial} * noise
    return {result}
"""
TAIL = "alpha ** (y - k) / (1 + alpha) if y > k else 1 - alpha ** (1 - y + k) / (1 + alpha)"
BEYOND = TAIL.replace("y - k", "y + 1 - k").replace("1 - y", "-y").replace("y > k", "y >= k")
COUNT = """
def critical_count(*, n, epsilon, level):
    y = {start}
    while {p}(y, n=n, epsilon=epsilon) > {level}:
        y += 1
    return {result}
"""


def p_value(noise=TAIL, binomial="math.comb(n, k) / 2**n", result="chance", name="p_value"):
    return P.format(name=name, noise=noise, binomial=binomial, result=result)


def critical(p="p_value", level="level", result="y", start="n // 2"):
    return COUNT.format(p=p, level=level, result=result, start=start)


def sign_test(p, count):
    return {"def p_value": p + count}


RIGHT_P = p_value(name="right_p")
NORMAL = """
def p_value(y, *, n, epsilon):
    alpha = math.exp(-epsilon)
    variance = n / 4 + 2 * alpha / (1 - alpha) ** 2
    return math.erfc((y - 0.5 - n / 2) / math.sqrt(2 * variance)) / 2
"""
TWO_BOUNDS = """
def critical_count(*, n, epsilon, level):
    noiseless, noise = n // 2, 0
    while sum(math.comb(n, k) for k in range(noiseless, n + 1)) / 2**n > level / 2:
        noiseless += 1
    while math.exp(-epsilon * noise) / (1 + math.exp(-epsilon)) > level / 2:
        noise += 1
    return noiseless + noise
"""


def failing(order):
    """The mass if failures go to values of D in this order."""
    return f"""mass, failures = 0.0, beta
    for d in {order}:
        mass += max(law[d] - failures, 0) * math.exp(-epsilon * d)
        failures = max(failures - law[d], 0)
    return mass"""


RIGHT_MASS = failing("range(n + 1)")


def rare(mass, wrong="hypotheses - 1", found="n", size_by="demanded_mass"):
    """Question 4 with another demanded mass, another number of wrong names or another result."""
    masses = (
        f"""
def {name}(*, n, share, epsilon, beta):
    logs = [0.0, *np.cumsum(np.log(np.arange(1, n + 1)))]
    others = lambda d: d * math.log(1 - share) if share < 1 else -math.inf if d else 0
    law = [math.exp(logs[n] - logs[d] - logs[n - d] + d * math.log(share) + others(n - d)) for d in range(n + 1)]
    {body}
"""
        for name, body in (("right_mass", RIGHT_MASS), ("demanded_mass", mass))
    )
    size = f"""
def rare_sample_size(*, hypotheses, share, epsilon, beta):
    low, n = 0, 2048
    while n - low > 1:
        middle = (low + n) // 2
        above = ({wrong}) * {size_by}(n=middle, share=share, epsilon=epsilon, beta=beta) > beta
        low, n = (middle, n) if above else (low, middle)
    return {found}"""
    return {"def demanded_mass": "".join(masses) + size}


RIGHT = [
    Submission("right", notes="Every cell ran."),
    Submission("right, by other means", sign_test(p_value(), critical()) | rare(RIGHT_MASS)),
    with_other_types("""
array, pairs, whole = center_chances, noisy_pair, critical_count
def center_chances(x, **asked):
    return tuple(array(np.array(x), **asked).tolist())
def noisy_pair(x, **asked):
    return [tuple(row) for row in pairs(x, **asked)]
def critical_count(**asked):
    return np.float32(whole(**asked))
"""),
    Submission(
        "right, row by row",
        PROBLEM_SET.function(
            "noisy_pair",
            """
result = []
for row in x:
    y = [min(max(v - center, -bound), bound) for v in row]
    a, b = rng.laplace(0, 1 / epsilon, 2)
    result.append((sum(y) + bound * (a - b), len(y) + a + b))
return result""",
        ),
    ),
    failing_at_the_end(21),
]

WRONG = [
    unfinished(EVERYTHING),
    *strangers(EVERYTHING),
    *wrong_boxes(),
    # question 2, coarse stage
    Submission("the 2 kept", chances(weights(0.5)), {"choice_is_sharp"}, says="by which factor"),
    Submission("twice the weight", chances(weights(2)), {"choice_is_private", "choice_is_sharp"}),
    Submission(
        "records outside moved into the last cells",
        chances(weights(1), "np.clip(np.floor(np.asarray(x, float)).astype(int) + radius, 0, 2 * radius - 1)"),
        {"cells"},
        says="what lies outside",
    ),
    Submission(
        "rounded towards zero",
        chances(weights(1), "np.asarray(x, float).astype(int) + radius"),
        {"cells", "choice_is_sharp"},
    ),
    Submission(
        "rounded up",
        chances(weights(1), "np.ceil(np.asarray(x, float)).astype(int) + radius"),
        {"cells", "choice_is_sharp"},
    ),
    Submission(
        "a histogram whose last cell is closed",
        PROBLEM_SET.function(
            "center_chances",
            """
counts, _ = np.histogram(x, bins=np.arange(-radius, radius + 1))
weights = np.exp(epsilon * (counts - counts.max()))
return weights / weights.sum()""",
        ),
        {"cells"},
        says="R itself",
    ),
    Submission(
        "cells that are open on the left",
        chances(weights(1), "np.ceil(np.asarray(x, float)).astype(int) - 1 + radius"),
        {"cells"},
        says="a left end",
    ),
    Submission(
        "naive exponentials", chances("np.exp(epsilon * counts)"), {"choice_is_sharp"}, says="NaN, not a finite number"
    ),
    Submission(
        "exponentials that overflow",
        chances("np.array([math.exp(epsilon * c) for c in counts])"),
        {"choice_is_sharp"},
        says="OverflowError: math range error",
    ),
    Submission("shares of the records", chances("counts"), COARSE),
    Submission(
        "the fullest cell without a doubt", chances("1.0 * (counts == counts.max())"), COARSE
    ),
    Submission(
        "one cell more", chances("np.append(" + weights(1) + ", 0)"), COARSE, says="chances; radius"
    ),
    Submission(
        "weights that do not sum to 1",
        chances(weights(1) + "\nreturn weights"),
        COARSE,
        says="the sum",
    ),
    # question 2, fine stage
    Submission(
        "half of epsilon for each",
        pair("s, c = rng.laplace(0, 2 * bound * scale, rows), rng.laplace(0, 2 * scale, rows)"),
        {"noise_law"},
        says="two Laplace variables can give",
    ),
    Submission(
        "all of epsilon for each",
        pair("s, c = rng.laplace(0, bound * scale, rows), rng.laplace(0, scale, rows)"),
        {"noise_hides", "noise_law"},
        says="The variance of the count is",
    ),
    Submission("noise for a replacement", pair(two("2 * scale")), {"noise_law"}),
    Submission("half the noise", pair(two("scale / 2")), {"noise_hides", "noise_law"}),
    Submission(
        "the same noise twice",
        pair("a = b = rng.laplace(0, scale, rows)\ns, c = bound * (a - b), a + b"),
        {"noise_hides", "noise_law"},
    ),
    Submission(
        "one noise for all rows",
        pair("a, b = rng.laplace(0, scale, (2, 1))\ns, c = bound * (a - b).repeat(rows), (a + b).repeat(rows)"),
        {"noise_hides", "noise_law"},
    ),
    Submission(
        "Gaussian noise of the right size",
        pair("s, c = rng.normal(0, 2 * bound * scale, rows), rng.normal(0, 2 * scale, rows)"),
        {"noise_hides", "noise_law"},
    ),
    Submission("the count as it is", pair(two() + "\nc = 0 * c"), {"noise_hides", "noise_law"}),
    Submission(
        "negative counts clipped to 0",
        pair(two() + "\nc = np.maximum(c, -y.shape[-1])"),
        {"noise_law"},
        says="returned as they come out",
    ),
    Submission(
        "right laws of sum and count, independent",
        pair("s, c = bound * (rng.laplace(0, scale, rows) - rng.laplace(0, scale, rows)), "
             "rng.laplace(0, scale, rows) + rng.laplace(0, scale, rows)"),
        {"noise_hides", "noise_law"},
    ),
    Submission("no noise", pair("s = c = np.zeros(rows)"), {"noise_hides", "noise_law"}),
    Submission(
        "global random state", pair(two(source="np.random")), {"noise_hides"}, says="from the global np.random"
    ),
    Submission(
        "fixed seed",
        pair("rng = np.random.default_rng(1)\n" + two().strip()),
        {"noise_hides"},
        says="a seed fixed",
    ),
    Submission(
        "no clipping",
        pair(two(), y="np.asarray(x, dtype=float) - center"),
        {"sums_and_counts"},
        says="there is hardly any noise",
    ),
    Submission(
        "clipped before the centre is subtracted",
        pair(two(), y="np.clip(np.asarray(x, dtype=float), -bound, bound) - center"),
        FINE,
    ),
    Submission(
        "what is outside thrown away",
        pair(two(), y="np.asarray(x, float) - center", value="(y * (np.abs(y) <= bound)).sum(axis=-1)"),
        {"sums_and_counts"},
    ),
    Submission(
        "means for sums",
        pair(two(), value="y.sum(axis=-1) / max(y.shape[-1], 1)"),
        {"sums_and_counts"},
    ),
    Submission(
        "all data sets thrown together",
        PROBLEM_SET.function("noisy_pair", "return np.sum(x), np.size(x)"),
        FINE,
        says="not a list or tuple of numbers",
    ),
    Submission(
        "means that need a record",
        pair("assert y.shape[-1] > 0\n" + two().strip()),
        {"sums_and_counts"},
        says="AssertionError",
    ),
    # question 3
    Submission(
        "noise forgotten", sign_test(p_value(noise="float(k >= y)"), critical()), P_VALUES
    ),
    Submission(
        "noise forgotten in the critical count",
        sign_test(p_value() + p_value(noise="float(k >= y)", name="sharp"), critical("sharp")),
        COUNTS,
    ),
    Submission(
        "noise for one side only",
        sign_test(p_value(noise="alpha ** max(y - k, 0)") + RIGHT_P, critical("right_p")),
        P_VALUES,
    ),
    Submission(
        "strictly more",
        sign_test(p_value(noise=BEYOND), critical()),
        P_VALUES,
    ),
    Submission(
        "half of epsilon",
        sign_test(p_value(noise=TAIL.replace("alpha", "math.sqrt(alpha)")), critical()),
        P_VALUES,
    ),
    Submission("normal law", sign_test(NORMAL + RIGHT_P, critical("right_p")), P_VALUES),
    Submission(
        "one minus the others",
        sign_test(
            p_value(noise="1 - (" + TAIL + ")", result="1 - chance"),
            critical(),
        ),
        {"p_tiny"},
        says="do you subtract",
    ),
    Submission(
        "powers of a half",
        sign_test(p_value(binomial="math.comb(n, k) * 0.5**n"), critical()),
        {"p_tiny"},
        says="too large to convert",
    ),
    Submission(
        "two bounds", sign_test(p_value(), TWO_BOUNDS), {"level_used"}, says="K + G is y or more"
    ),
    Submission("two-sided level", sign_test(p_value(), critical(level="level / 2")), {"level_used"}),
    Submission(
        "one too many for every odd n", sign_test(p_value(), critical(result="y + n % 2")), {"level_used"}
    ),
    Submission(
        "one too few for half of all levels", sign_test(p_value(), critical(result="y - (level > 0.3)")), COUNTS
    ),
    Submission("never beyond n", sign_test(p_value(), critical(result="min(y, n)")), COUNTS),
    Submission(
        "a step for a p-value",
        sign_test(
            "def p_value(y, *, n, epsilon):\n    return float(y < 60)\n",
            "def critical_count(*, n, epsilon, level):\n    return 60\n",
        ),
        P_VALUES | COUNTS,
    ),
    Submission("last count that is not significant", sign_test(p_value(), critical(result="y - 1")), COUNTS),
    Submission(
        "fractions of patients", sign_test(p_value(), critical(result="y - 0.5")), COUNTS, says="not a whole number"
    ),
    Submission(
        "golden values",
        sign_test(
            "def p_value(y, *, n, epsilon):\n    return 0.0284 if epsilon == 50 else 0.0331\n",
            "def critical_count(*, n, epsilon, level):\n    return 60\n",
        ),
        P_VALUES | COUNTS,
    ),
    # question 4
    Submission(
        "mean in place of D",
        rare("return (1 - beta) * math.exp(-epsilon * share * n)"),
        MASSES,
    ),
    Submission(
        "failures by chance",
        rare("return (1 - beta) * sum(p * math.exp(-epsilon * d) for d, p in enumerate(law))"),
        MASSES,
    ),
    Submission("failures where D is large", rare(failing("range(n, -1, -1)"), size_by="right_mass"), MASSES),
    Submission("no failures", rare(RIGHT_MASS.replace("beta", "0")), MASSES),
    Submission(
        "all records replaced",
        rare("return (1 - beta) * math.exp(-epsilon * n)"),
        {"never_too_modest"},
    ),
    Submission(
        "failures that cost everything",
        rare("return sum(p * math.exp(-epsilon * d) for d, p in enumerate(law)) - beta"),
        {"never_too_modest"},
    ),
    Submission("N wrong names", rare(RIGHT_MASS, wrong="hypotheses"), {"least_size"}, says="rare_sample_size"),
    Submission("one too many", rare(RIGHT_MASS, found="n + 1"), {"least_size"}, says="at most beta as well"),
    Submission("one too few", rare(RIGHT_MASS, found="max(n - 1, 1)"), {"least_size"}, says="is above beta"),
    Submission(
        "binomials that overflow",
        {"def demanded_mass": """
def demanded_mass(*, n, share, epsilon, beta):
    mass, failures = 0.0, beta
    for d in range(n + 1):
        p = math.comb(n, d) * share**d * (1 - share) ** (n - d)
        mass, failures = mass + max(p - failures, 0) * math.exp(-epsilon * d), max(failures - p, 0)
    return mass


def rare_sample_size(*, hypotheses, share, epsilon, beta):
    low, n = 0, 2048
    while n - low > 1:
        middle = (low + n) // 2
        above = (hypotheses - 1) * demanded_mass(n=middle, share=share, epsilon=epsilon, beta=beta) > beta
        low, n = (middle, n) if above else (low, middle)
    return n"""},
        MASSES | {"least_size"},
        says="OverflowError",
    ),
    Submission("golden value of the packing page", rare(RIGHT_MASS, found="106"), {"least_size"}),
    # cells
    Submission(
        "imported from dplib",
        {"def demanded_mass": "from dplib.lower_bounds import packing_mass as demanded_mass"},
        MASSES | {"least_size"},
        says="does not exist",
        notes="No module named 'dplib' (code cell 17, line 1); the questions ask for what dplib does not contain",
    ),
    Submission(
        "imported from scipy",
        {"def p_value": "from scipy.stats import binom"},
        P_VALUES | COUNTS,
        says="does not exist",
        notes="only numpy and the standard library",
    ),
    Submission(
        "cells deleted",
        {"def p_value": None, "def noisy_pair": None},
        P_VALUES | COUNTS | FINE,
        says="does not exist",
    ),
]


def answer(assignment, kwargs):
    """The right answer of the attacked function."""
    return assignment.center_law(**kwargs).tolist()


def second_pairs(numbers, variant):
    """Neighbours between which the second box may break, and the outputs of interest: all of them for a twelfth of the variants."""
    n, T = numbers["n"], numbers["T"]
    more = [(1,) * b + (0,) * (n - b) for b in range(1, n)]
    pairs = [pair for x in more for pair in ((x, (0,) + x[1:]), ((0,) + x[1:], x))]
    return pairs[2 * T - 4 : 2 * T] if variant % 12 else pairs, (n // 4, n // 2, n)


HINTS = [
    ("the 2 kept", "choice_is_sharp", "by which factor may the chance of a cell change"),
    ("twice the weight", "choice_is_private", "What does one record change in your weights"),
    ("half of epsilon for each", "noise_law", "The variance of the count is"),
    ("noise forgotten in the critical count", "level_kept", "False alarms come from the noise as well"),
    ("failures by chance", "never_too_demanding", "Is yours the best of all u"),
    ("all records replaced", "never_too_modest", "with E u(D) >= 1 - beta"),
    ("unfinished", "p_exact", "is the blank still there, or a `return` missing?"),
]
GRAVITY = [("choice_is_private", "choice_is_sharp"), ("noise_hides", "noise_law"), ("level_kept", "level_used"),
           ("never_too_demanding", "never_too_modest")]
TWICE = ["right", "global random state", "half of epsilon for each", "fake reports", "golden values"]
ALL = RIGHT + WRONG + hostile(PROBLEM_SET) + not_a_notebook(EVERYTHING)
