"""Right and wrong submissions to problem set 2: which checks each must fail and what it must be told."""

from hostile import hostile, not_a_notebook
from submissions import BOX, STUDENT, ProblemSet, Submission, failing_at_the_end, strangers, unfinished, with_other_types, wrong_boxes

COARSE = {"cells", "choice_is_private", "choice_is_sharp"}
FINE = {"sums_and_counts", "noise_hides", "noise_law"}
P_VALUES, COUNTS = {"p_exact", "p_tiny"}, {"level_kept", "level_used"}
MASSES = {"never_too_demanding", "never_too_modest"}
EVERYTHING = BOX | COARSE | FINE | P_VALUES | COUNTS | MASSES | {"least_size"}

DIFFERENT_BOXES = 96
PROBLEM_SET = ProblemSet(
    name="ps2",
    arguments={"center_chances": "x, *, radius, epsilon", "noisy_pair": "x, *, center, epsilon, noise"},
    victim="center_chances",
    costs=COARSE,
    unasked={'w = MINE["width"]': None},
    second="noisy_pair",
    second_costs=FINE,
    groups=("cells", "one more person", "chances", "many records"),
    same_for_all=("many records",),
    everything=EVERYTHING,
)


def chances(weights, side='MINE["closed"]', x="np.asarray(x, dtype=float)", score="np.diff(below)"):
    """The coarse stage with other weights or scores, or with records in other cells."""
    return PROBLEM_SET.function(
        "center_chances",
        f"""
ends = MINE["width"] * np.arange(-radius, radius + 1)
below = np.searchsorted(np.sort({x}), ends, side={side})
score = {score}
weights = {weights}
return weights / weights.sum()""",
    )


def weights(factor):
    return f'np.exp({factor} * epsilon / MINE["records"] * (score - score.max()))'


def pair(total="scale * (low * a + high * b)", count="scale * (a + b)", y="np.asarray(x, dtype=float) - center",
         clipped="np.clip(y, low, high)", value="{clipped}.sum(axis=-1)", result="pair"):
    """The fine stage with what is added to the sum and to the count, or with other numbers that are added up."""
    return PROBLEM_SET.function(
        "noisy_pair",
        f"""
low, high, scale = MINE["low"], MINE["high"], MINE["records"] / epsilon
a, b = np.asarray(noise).T
y = {y}
pair = np.stack([{value.format(clipped=clipped)} + {total}, y.shape[-1] + {count}], axis=-1)
return {result}""",
    )


def scaled(factor):
    return pair(f"{factor} * scale * (low * a + high * b)", f"{factor} * scale * (a + b)")


P = """
def {name}(y, *, n, epsilon):
    rate, alpha, chance = {rate}, math.exp(-epsilon / {moves}), 0.0
    logs = [math.lgamma(i + 1) for i in range(n + 1)]
    law = lambda k: math.exp(logs[n] - logs[k] - logs[n - k] + k * math.log(rate) + (n - k) * math.log(1 - rate))
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


def p_value(noise=TAIL, binomial="law(k)", result="chance", name="p_value", rate='MINE["rate"]', moves='MINE["moves"]'):
    return P.format(name=name, noise=noise, binomial=binomial, result=result, rate=rate, moves=moves)


def critical(p="p_value", level="level", result="y", start='round(n * MINE["rate"])'):
    return COUNT.format(p=p, level=level, result=result, start=start)


def sign_test(p, count):
    return {"def p_value": p + count}


RIGHT_P = p_value(name="right_p")
NORMAL = """
def p_value(y, *, n, epsilon):
    alpha, rate = math.exp(-epsilon / MINE["moves"]), MINE["rate"]
    variance = n * rate * (1 - rate) + 2 * alpha / (1 - alpha) ** 2
    return math.erfc((y - 0.5 - n * rate) / math.sqrt(2 * variance)) / 2
"""
TWO_BOUNDS = p_value("float(k >= y)", name="noiseless_p") + """
def critical_count(*, n, epsilon, level):
    noiseless, noise, alpha = round(n * MINE["rate"]), 0, math.exp(-epsilon / MINE["moves"])
    while noiseless_p(noiseless, n=n, epsilon=epsilon) > level / 2:
        noiseless += 1
    while alpha**noise / (1 + alpha) > level / 2:
        noise += 1
    return noiseless + noise
"""


def failing(order):
    """The mass if failures go to values of D in this order."""
    return f"""mass, failures = 0.0, beta
    for d in {order}:
        mass += max(law[d] - failures, 0) * math.exp(-cost * d)
        failures = max(failures - law[d], 0)
    return mass"""


RIGHT_MASS = failing("range(n + 1)")


def rare(mass, wrong="hypotheses - 1", found="n", size_by="demanded_mass", cost="2 * MINE['rack'] * epsilon",
         share="share * MINE['shows']", listed="MINE['names'] - 1"):
    """Question 4 with another demanded mass, another number of wrong names or another result."""
    masses = (
        f"""
def {name}(*, n, share, epsilon, beta):
    a, cost = {a}, {c}
    logs = [0.0, *np.cumsum(np.log(np.arange(1, n + 1)))]
    law = [math.exp(logs[n] - logs[d] - logs[n - d] + d * math.log(a) + (n - d) * math.log(1 - a)) for d in range(n + 1)]
    {body}
"""
        for name, body, a, c in (("right_mass", RIGHT_MASS, "share * MINE['shows']", "2 * MINE['rack'] * epsilon"),
                                 ("demanded_mass", mass, share, cost))
    )
    size = f"""
def rare_sample_size(*, hypotheses, share, epsilon, beta):
    low, n = 0, 2048
    while n - low > 1:
        middle = (low + n) // 2
        above = ({wrong}) * {size_by}(n=middle, share=share, epsilon=epsilon, beta=beta) > {listed} + beta
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
for row, (a, b) in zip(x, noise):
    y = [min(max(v - center, MINE["low"]), MINE["high"]) for v in row]
    a, b = -a * MINE["records"] / epsilon, b * MINE["records"] / epsilon
    result.append((sum(y) + MINE["low"] * b + MINE["high"] * a, len(y) + a + b))
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
    Submission("a thousandth too little weight", chances(weights(0.999)), {"choice_is_sharp"}),
    Submission("a thousandth too much weight", chances(weights(1.001)), {"choice_is_private", "choice_is_sharp"}),
    Submission("twice the weight", chances(weights(2)), {"choice_is_private", "choice_is_sharp"}),
    Submission("one record for a person", chances(weights('MINE["records"]')), {"choice_is_private", "choice_is_sharp"}),
    Submission("nearly no weight", chances(weights(0.01)), {"choice_is_private", "choice_is_sharp"}),
    Submission(
        "records outside moved into the last cells",
        chances(weights(1), x="np.clip(x, ends[0], ends[-1] - 1e-6)"),
        {"cells"},
        says="what lies outside",
    ),
    Submission("rounded towards zero", chances(weights(1), x="ends[1] - ends[0] + np.trunc(np.asarray(x) / MINE['width']) * MINE['width'] - MINE['width'] + 1e-3"), COARSE),
    Submission(
        "a histogram whose last cell is closed",
        PROBLEM_SET.function(
            "center_chances",
            """
score, _ = np.histogram(x, bins=MINE["width"] * np.arange(-radius, radius + 1))
weights = np.exp(epsilon / MINE["records"] * (score - score.max()))
return weights / weights.sum()""",
        ),
        {"cells"},
        says="outermost ends",
    ),
    Submission(
        "cells that are open on the left", chances(weights(1), side="'right'"), {"cells"},
        says="on an end of two cells",
    ),
    Submission("the sides for the inside", chances(weights(1), score="-np.maximum(below[:-1], len(x) - below[1:])"), COARSE),
    Submission(
        "naive exponentials", chances('np.exp(epsilon / MINE["records"] * score)'), {"choice_is_sharp"},
        says="NaN, not a finite number"
    ),
    Submission(
        "exponentials that overflow",
        chances('np.array([math.exp(epsilon / MINE["records"] * c) for c in score])'),
        {"choice_is_sharp"},
        says="OverflowError: math range error",
    ),
    Submission("shares of the records", chances("score"), COARSE),
    Submission("the fullest cell without a doubt", chances("1.0 * (score == score.max())"), COARSE),
    Submission("all cells alike", chances("np.ones(2 * radius)"), COARSE),
    Submission("one cell more", chances("np.append(" + weights(1) + ", 0)"), COARSE, says="chances; radius"),
    Submission("weights that do not sum to 1", chances(weights(1) + "\nreturn weights"), COARSE, says="the sum"),
    # question 2, fine stage
    Submission(
        "half of epsilon for each",
        pair("2 * scale * max(high, -low) * a", "2 * scale * b"),
        {"noise_law"},
        says="another pair of numbers needs less",
    ),
    Submission(
        "all of epsilon for each", pair("scale * max(high, -low) * a", "scale * b"), {"noise_hides", "noise_law"}
    ),
    Submission("noise for a replacement", scaled(2), {"noise_law"}),
    Submission("half the noise", scaled(0.5), {"noise_hides", "noise_law"}),
    Submission("a thousandth too little noise", scaled(0.999), {"noise_hides", "noise_law"}),
    Submission("a thousandth too much noise", scaled(1.001), {"noise_law"}),
    Submission("a million times the noise", scaled(1e6), {"noise_hides", "noise_law"}),
    Submission("one record of every person", scaled('1 / MINE["records"]'), {"noise_hides", "noise_law"}),
    Submission("the same noise twice", pair("scale * (low + high) * a", "2 * scale * a"), {"noise_hides", "noise_law"}),
    Submission("the count as it is", pair(count="0 * a"), {"noise_hides", "noise_law"}),
    Submission(
        "negative counts clipped to 0",
        pair(result="np.maximum(pair, [-np.inf, 0])"),
        {"noise_hides", "noise_law"},
        says="returned as they come out",
    ),
    Submission("no noise", pair("0 * a", "0 * b"), {"noise_hides", "noise_law"}),
    Submission("noise of their own", pair("np.random.laplace(0, scale, len(x))", "np.random.laplace(0, scale, len(x))"), FINE),
    Submission(
        "no clipping", pair(clipped="y"), {"sums_and_counts", "noise_hides"}, says="here the noise is 0"
    ),
    Submission(
        "clipped before the centre is subtracted",
        pair(clipped="(np.clip(x, low, high) - center)"),
        {"sums_and_counts", "noise_hides"},
    ),
    Submission(
        "what is outside thrown away",
        pair(value="(y * (np.abs(y) <= high)).sum(axis=-1)"),
        {"sums_and_counts", "noise_hides"},
    ),
    Submission("means for sums", pair(value="{clipped}.sum(axis=-1) / max(y.shape[-1], 1)"), {"sums_and_counts", "noise_hides"}),
    Submission(
        "all data sets thrown together",
        PROBLEM_SET.function("noisy_pair", "return np.sum(x), np.size(x)"),
        FINE,
        says="not a list or tuple of numbers",
    ),
    Submission(
        "means that need a record",
        pair(y="np.asarray(x, dtype=float) - center\nassert y.shape[-1] > 0"),
        FINE,
        says="AssertionError",
    ),
    # question 3
    Submission(
        "noise forgotten", sign_test(p_value(noise="float(k >= y)"), critical()), P_VALUES
    ),
    Submission(
        "noise forgotten in the critical count",
        sign_test(p_value() + p_value(noise="float(k >= y)", name="noiseless"), critical("noiseless")),
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
    Submission("a household for a patient", sign_test(p_value(moves="1"), critical()), P_VALUES),
    Submission("a coin for the rate", sign_test(p_value(rate="0.5") + RIGHT_P, critical("right_p")), P_VALUES),
    Submission("few for many", sign_test(p_value(TAIL.replace("y", "(2 * k - y)")) + RIGHT_P, critical("right_p")), P_VALUES),
    Submission("a thousandth too sure", sign_test(p_value(result="0.999 * chance") + RIGHT_P, critical("right_p")), P_VALUES,
               says="too small from digit"),
    Submission("never significant", sign_test(p_value(), critical(result="9999")), COUNTS),
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
        sign_test(p_value(binomial="math.comb(n, k) * rate**k * (1 - rate) ** (n - k)"), critical()),
        {"p_tiny"},
        says="too large to convert",
    ),
    Submission(
        "two bounds", sign_test(p_value(), TWO_BOUNDS), {"level_used"}, says="as surprising as y or more"
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
        rare("return (1 - beta) * math.exp(-cost * a * n)"),
        MASSES,
    ),
    Submission(
        "failures by chance",
        rare("return (1 - beta) * sum(p * math.exp(-cost * d) for d, p in enumerate(law))"),
        MASSES,
    ),
    Submission("failures where D is large", rare(failing("range(n, -1, -1)"), size_by="right_mass"), MASSES),
    Submission("no failures", rare(RIGHT_MASS.replace("beta", "0")), MASSES),
    Submission(
        "all records replaced",
        rare("return (1 - beta) * math.exp(-cost * n)"),
        MASSES,
    ),
    Submission("nothing demanded", rare("return 0.0", size_by="right_mass"), MASSES),
    Submission("a thousandth too little demanded", rare(RIGHT_MASS.replace("return mass", "return 0.999 * mass"), size_by="right_mass"),
               {"never_too_modest"}, says="no u that meets"),
    Submission("a thousandth too much demanded", rare(RIGHT_MASS.replace("return mass", "return 1.001 * mass"), size_by="right_mass"),
               MASSES),
    Submission("one step for a record", rare(RIGHT_MASS, cost="MINE['rack'] * epsilon", size_by="right_mass"), MASSES),
    Submission("one sample for a rack", rare(RIGHT_MASS, cost="2 * epsilon", size_by="right_mass"), MASSES),
    Submission("every test finds it", rare(RIGHT_MASS, share="min(share, 0.99)", size_by="right_mass"), MASSES),
    Submission("one name on the list", rare(RIGHT_MASS, listed="0"), {"least_size"}),
    Submission("all names wrong ones", rare(RIGHT_MASS, listed="MINE['names']"), {"least_size"}),
    Submission(
        "failures that cost everything",
        rare("return sum(p * math.exp(-cost * d) for d, p in enumerate(law)) - beta"),
        MASSES,
    ),
    Submission("N wrong names", rare(RIGHT_MASS, wrong="hypotheses"), {"least_size"}, says="rare_sample_size"),
    Submission("one too many", rare(RIGHT_MASS, found="n + 1"), {"least_size"}, says="is not excluded either"),
    Submission("one too few", rare(RIGHT_MASS, found="max(n - 1, 1)"), {"least_size"}, says="is above k - 1 + beta"),
    Submission(
        "binomials that overflow",
        rare("law = [math.comb(n, d) * a**d * (1 - a) ** (n - d) for d in range(n + 1)]\n    " + RIGHT_MASS, size_by="right_mass"),
        MASSES,
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
    return assignment.center_law(**kwargs, mine=assignment.boxes.sheet_of(STUDENT)).tolist()


def second_pairs(numbers, variant):
    """Neighbours between which the second box may break, and the outputs of interest: all of them for a twelfth of the variants."""
    n, T = numbers["n"], numbers["T"]
    more = [(1,) * b + (0,) * (n - b) for b in range(1, n)]
    pairs = [pair for x in more for pair in ((x, (0,) + x[1:]), ((0,) + x[1:], x))]
    return pairs[2 * T - 4 : 2 * T] if variant % 12 else pairs, (n // 4, n // 2, n)


HINTS = [
    ("the 2 kept", "choice_is_sharp", "by which factor may the chance of a cell change"),
    ("twice the weight", "choice_is_private", "What does one person change in your weights"),
    ("half of epsilon for each", "noise_law", "the variance of your sum is"),
    ("noise forgotten in the critical count", "level_kept", "False alarms come from the noise as well"),
    ("failures by chance", "never_too_demanding", "Is yours the best of all u"),
    ("a thousandth too little demanded", "never_too_modest", "with E u(D) >= 1 - beta"),
    ("unfinished", "p_exact", "is the blank still there, or a `return` missing?"),
]
GRAVITY = [("choice_is_private", "choice_is_sharp"), ("noise_hides", "noise_law"), ("level_kept", "level_used"),
           ("never_too_demanding", "never_too_modest")]
TWICE = ["right", "noise of their own", "half of epsilon for each", "fake reports", "golden values"]
ALL = RIGHT + WRONG + hostile(PROBLEM_SET) + not_a_notebook(EVERYTHING)
NOTHING = {  # useless, however private or safe: bodies of functions
    "all alike, and noise without end": {
        "center_chances": "return [1 / (2 * radius)] * (2 * radius)",
        "noisy_pair": "return [[1e6 * a, 1e6 * b] for a, b in noise]",
        "p_value": "return 1.0", "critical_count": "return 10**4 if MINE['surprise'] == 'many' else -(10**4)",
        "demanded_mass": "return 0.0", "rare_sample_size": "return 1"},
    "sum and count drowned in noise": {
        "center_chances": "return [1 / (2 * radius)] * (2 * radius)",
        "noisy_pair": """
low, high, y = MINE["low"], MINE["high"], np.asarray(x, dtype=float) - center
kept = np.ones_like(y) if MINE["outside"] == "clipped" else (low <= y) & (y <= high)
return np.stack([(np.clip(y, low, high) * kept).sum(axis=-1), kept.sum(axis=-1)], axis=-1) + 1e6 * np.asarray(noise)""",
        "p_value": "return 0.5", "critical_count": "return n", "demanded_mass": "return 1e-300", "rare_sample_size": "return 2000"},
}
