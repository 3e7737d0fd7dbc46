"""Right and wrong submissions to problem set 3: which checks each must fail and what it must be told."""

from hostile import hostile, not_a_notebook
from submissions import BOX, IMPATIENT, STUDENT, ProblemSet, Submission, failing_at_the_end, strangers, unfinished, with_other_types, wrong_boxes

LAW = {"set_is_private", "set_is_sharp"}
STUMP = {"stump_is_right", "stump_is_frugal"}
DESIGN = {"answers_right", "message_private", "predicted_right", "design_good"}
SETS = LAW | {"no_bias", "variance_exact", "size_is_best"}
EVERYTHING = BOX | SETS | STUMP | DESIGN

DIFFERENT_BOXES = 96
PROBLEM_SET = ProblemSet(
    name="ps3",
    arguments={
        "set_chances": "*, cells, size, epsilon",
        "shares": "reports, *, cells, size, epsilon",
        "rare_variance": "*, cells, size, epsilon",
        "best_size": "*, cells, epsilon",
        "learn_stump": "oracle, *, columns",
    },
    victim="best_size",
    costs={"size_is_best"},
    unasked={"chances = set_chances": None},
    second="learn_stump",
    second_costs=STUMP,
    groups=("sizes",),
    same_for_all=(),
    everything=EVERYTHING,
)
function = PROBLEM_SET.function


# --- question 2 ------------------------------------------------------------------------------------------------------
def law(inside):
    """Another chance that the set contains the own cell."""
    return function(
        "set_chances",
        f"""
e, k, s = math.exp(epsilon / MINE["messages"]), cells, size
inside = {inside}
return inside / math.comb(k - 1, s - 1), (1 - inside) / math.comb(k - 1, s)""",
    )


RIGHT_LAW = """def set_chances(*, cells, size, epsilon):
    e = math.exp(epsilon / MINE["messages"])
    inside = e * size / (e * size + cells - size)
    return inside / math.comb(cells - 1, size - 1), (1 - inside) / math.comb(cells - 1, size)


def odds(cells, size, epsilon, spoilt=MINE["spoilt"]):
    e = math.exp(epsilon / MINE["messages"])
    inside = e * size / (e * size + cells - size)
    return [(1 - spoilt) * p + spoilt * size / cells for p in (inside, (size - inside) / (cells - 1))]
"""
SHARES = """def shares(reports, *, cells, size, epsilon):
    p, q = odds(cells, size, epsilon)
    seen = [sum(cell in report for report in reports) / len(reports) for cell in range(cells)]
    return {result}
"""
VARIANCE = """
def rare_variance(*, cells, size, epsilon):
    p, q = odds(cells, size, epsilon)
    return {result}
"""
SIZE = """def best_size(*, cells, epsilon):
    variance = lambda size: rare_variance(cells=cells, size=size, epsilon=epsilon)
    return {result}
"""


def sets(shares="[(f - q) / (p - q) for f in seen]", variance='q * (1 - q) / (p - q) ** 2 / MINE["messages"]',
         size="min(range(1, cells), key=variance)", odds=""):
    """Question 2 with another line; the chances come from a formula of their own, or from another one."""
    return {
        "def set_chances": RIGHT_LAW + odds,
        "def shares": SHARES.format(result=shares) + VARIANCE.format(result=variance),
        "def best_size": SIZE.format(result=size),
    }


# --- question 3 ------------------------------------------------------------------------------------------------------
STUMP_CODE = """
c = lambda r: 1 if r[-1] == 1 else 1 / MINE["weight"]
agrees = [{query} for j in range(columns)]
best = max(range(columns), key=lambda j: {key})
return best, {sign}"""
PRODUCT, SIGN = "oracle(lambda r, j=j: c(r) * r[j] * r[-1])", "1 if agrees[best] >= 0 else -1"


def stump(query=PRODUCT, key="abs(agrees[j])", sign=SIGN):
    return function("learn_stump", STUMP_CODE.format(query=query, key=key, sign=sign))


# Where could records be? In what the oracle holds on to, in any object of the process, in its frames, in what comes over
# the wire, in what the order of the job said. Whoever finds some picks the rule that they show to be the best one.
THIEF = """
found = {search}
records = [r for r in found if len(r) == columns + 1 and set(r) <= {{1, -1}}]
cost = lambda j, s: sum((MINE["weight"] if r[-1] == 1 else 1) * (s * r[j] != r[-1]) for r in records)
return min(((j, s) for j in range(columns) for s in (1, -1)), key=lambda rule: cost(*rule))"""
SEARCHES = {
    "the closure of the oracle": """[
    tuple(r) for cell in oracle.__closure__ for r in (cell.cell_contents if isinstance(cell.cell_contents, list) else [])]""",
    "all objects": """[
    tuple(o) for o in __import__("gc").get_objects() if type(o) in (list, tuple) and 2 < len(o) < 9
    and all(type(v) is int for v in o)]""",
    "all frames": """[
    tuple(r) for f in __import__("sys")._current_frames().values() for v in (f.f_locals | f.f_back.f_back.f_locals).values()
    if isinstance(v, list) for r in v if isinstance(r, (list, tuple))]""",
    "the wire": """[
    tuple(r) for line in __import__("os").fdopen(4).readlines() for r in __import__("json").loads(line)]""",
    "a phi that remembers": """(lambda seen: (oracle(lambda r: seen.append(r) or 0.0), seen)[1])([])""",
}


FORGED = "[__import__('os').write(fd, b'{\"ask\": \"exact averages\", \"i\": 0, \"values\": [1]}\\n') for fd in FDS]"


def thieves():
    """Learners that look for records instead of asking, or abuse the wire."""
    found = [Submission(f"records from {where}", function("learn_stump", THIEF.format(search=search)), STUMP, limits=IMPATIENT)
             for where, search in SEARCHES.items()]
    forged = function("learn_stump", STUMP_CODE.format(query=f"({FORGED}, {PRODUCT})[1]", key="abs(agrees[j])", sign=SIGN)
                      .replace("c = lambda", "import os\nFDS = [fd for fd in range(3, 9) if os.path.exists(f'/proc/self/fd/{fd}')]\nc = lambda"))
    return found + [
        Submission("a forged question", forged, {"stump_is_frugal"}, says="queries about"),
        Submission("three hundred questions for each", stump(f"[{PRODUCT} for _ in range(300)][-1]"), {"stump_is_frugal"}),
        Submission("values that are no numbers", stump("oracle(lambda r: float('nan'))"), STUMP),
        Submission("a phi that answers late", stump("oracle(lambda r: __import__('time').sleep(9))"), STUMP, says="still running",
                   limits=IMPATIENT),
    ]


# --- question 5 ------------------------------------------------------------------------------------------------------
DESIGNED = "# BEGIN SOLUTION\nu = W.mean"
LENGTH = """
def length(k, rho):
    return rho / np.tanh(epsilon / 2) * np.sqrt(np.pi) * math.exp(math.lgamma((k + 1) / 2) - math.lgamma(k / 2))

def deviation(R, A, rho):
    return max(np.linalg.norm(R, axis=1)) * length(len(A), rho) / math.sqrt(len(A) * phones)
"""
ROOT = """
U, S, V = np.linalg.svd(W - centre)
live = S > 1e-9
R, A = U[:, live] * np.sqrt(S[live]), np.sqrt(S[live])[:, None] * V[live]
"""


def design(centre="W.mean()", factors=ROOT, u="[centre] * cells", rho="max(np.linalg.norm(A, axis=0))",
           predicted="deviation(R, A, rho)", last=""):
    lines = [LENGTH, f"centre = {centre}", factors, f"u = {u}", f"rho = {rho}", f"predicted = {predicted}", last]
    return {DESIGNED: "\n".join(lines)}


CIRCULANT = """
waves = np.fft.fft(W[0] - centre)
angles = np.exp(2j * np.pi * np.outer(np.arange(cells), np.arange(cells)) / cells) / np.sqrt(cells)
polar = np.where(abs(waves) > 1e-9, waves, 0)
rooted = np.sqrt(abs(polar))
A = np.real(angles @ np.diag(rooted) @ angles.conj().T)
phase = np.divide(polar, abs(polar), out=np.zeros(cells, complex), where=abs(polar) > 0)
R = np.real(angles @ np.diag(rooted * phase) @ angles.conj().T)
R = R if np.allclose(R @ A, W - centre) else np.real(angles @ np.diag(rooted * phase.conj()) @ angles.conj().T)
"""

RIGHT = [
    Submission("right", notes="Every cell ran."),
    Submission("right, by other means", sets() | design(factors=CIRCULANT)),
    with_other_types("""
pair, listed, size, rule = set_chances, shares, best_size, learn_stump
def set_chances(**asked):
    return np.array(pair(**asked))
def shares(reports, **asked):
    return tuple(listed(np.array(reports), **asked).tolist())
def best_size(**asked):
    return np.float32(size(**asked))
def learn_stump(oracle, **asked):
    return np.array(rule(oracle, **asked))
R, A, u, rho = R.tolist(), [tuple(row) for row in A], tuple(u), np.float64(rho)
"""),
    Submission("right, with another centre", design(centre="W.mean() + 0.02")),
    Submission("right, with a larger message than needed", design(last="rho *= 1.01\npredicted *= 1.01")),
    failing_at_the_end(23),
]

WRONG = [
    unfinished(EVERYTHING),
    *strangers(EVERYTHING),
    *wrong_boxes(),
    # question 2: the law of a set
    Submission("the own cell by a coin of two", law("e / (e + 1)"), LAW, says="set_chances"),
    Submission("half of epsilon", law("math.sqrt(e) * s / (math.sqrt(e) * s + k - s)"), LAW, says="epsilon"),
    Submission("four fifths of epsilon", law("e**0.8 * s / (e**0.8 * s + k - s)"), {"set_is_sharp"}),
    Submission("a thousandth too little", law("e**0.999 * s / (e**0.999 * s + k - s)"), {"set_is_sharp"}),
    Submission("a thousandth too much", law("e**1.001 * s / (e**1.001 * s + k - s)"), LAW),
    Submission("twice epsilon", law("e**2 * s / (e**2 * s + k - s)"), LAW),
    Submission("all of epsilon in every set", law("math.exp(epsilon) * s / (math.exp(epsilon) * s + k - s)"), LAW),
    Submission("all sets alike", law("s / k"), SETS),
    Submission("odds against all cells", law("e * s / (e * s + k)"), LAW),
    Submission("the own cell as often as of k options", law("e / (e + k - 1)"), LAW),
    Submission("the own cell always in it", law("1.0"), LAW),
    Submission(
        "chances of events for chances of sets",
        function("set_chances", "e = math.exp(epsilon / MINE['messages'])\np = e * size / (e * size + cells - size)\nreturn p, 1 - p"),
        SETS,
    ),
    Submission(
        "weights for chances", function("set_chances", "return math.exp(epsilon), 1.0"), SETS
    ),
    Submission(
        "the two exchanged",
        {"def set_chances": RIGHT_LAW.replace("def set_chances", "def turned")
         + "\n\ndef set_chances(**asked):\n    return turned(**asked)[::-1]\n"},
        SETS - {"size_is_best"},
        says="set_chances",
    ),
    Submission(
        "one chance only", function("set_chances", "return (math.exp(epsilon),)"), SETS
    ),
    Submission(
        "factorials that overflow",
        function(
            "set_chances",
            """
ways = lambda n, r: float(math.factorial(n)) / float(math.factorial(r)) / float(math.factorial(n - r))
a, b = ways(cells - 1, size - 1), ways(cells - 1, size)
e = math.exp(epsilon / MINE["messages"])
return 1 / (a + b / e), 1 / (a * e + b)""",
        ),
        SETS - {"no_bias"},
        says="OverflowError",
    ),
    # question 2: estimates, variance, size
    Submission(
        "shares of sets, not of phones",
        sets(shares="seen"),
        {"no_bias"},
        says="on average over all that may arrive",
    ),
    Submission("cut off at 0", sets(shares="[max((f - q) / (p - q), 0) for f in seen]"), {"no_bias"}, says="cut off"),
    Submission("cut off at 1", sets(shares="[min((f - q) / (p - q), 1.0) for f in seen]"), {"no_bias"}),
    Submission(
        "rounded down to what is possible",
        sets(shares="np.clip([(f - q) / (p - q) for f in seen], 0, 1)"),
        {"no_bias"},
    ),
    Submission(
        "another cell as often as chance has it",
        sets(shares="[(f - size / cells) / (p - size / cells) for f in seen]"),
        {"no_bias"},
    ),
    Submission("another cell as often as not", sets(shares="[(f - 1 + p) / (2 * p - 1) for f in seen]"), {"no_bias"}),
    Submission("spoilt sets forgotten", sets(shares="[(f - q2) / (p2 - q2) for p2, q2 in [odds(cells, size, epsilon, 0)] for f in seen]"), {"no_bias"}),
    Submission("numbers for shares", sets(shares="[len(reports) * (f - q) / (p - q) for f in seen]"), {"no_bias"},
               says="what changes with their number"),
    Submission("a share of all entries", sets(shares="[(f / size - q) / (p - q) for f in seen]"), {"no_bias"}),
    Submission("no estimate of the last cell", sets(shares="[(f - q) / (p - q) for f in seen[:-1]]"), {"no_bias"},
               says="cells have"),
    Submission("one set of every phone", sets(variance="q * (1 - q) / (p - q) ** 2"), {"variance_exact"}),
    Submission("the standard deviation", sets(variance="math.sqrt(q * (1 - q)) / (p - q)"), {"variance_exact"}),
    Submission("the variance of a full cell", sets(variance="p * (1 - p) / (p - q) ** 2"), {"variance_exact"}),
    Submission("at most a quarter", sets(variance="0.25 / (p - q) ** 2"), {"variance_exact"}),
    Submission("the divisor not squared", sets(variance="q * (1 - q) / (p - q)"), {"variance_exact"}),
    Submission("the variance of a report", sets(variance="q * (1 - q)"), {"variance_exact"}),
    Submission(
        "a constant variance", sets(variance="3.537", size="max(1, round(cells / (math.exp(epsilon / MINE['messages']) + 1)))"),
        {"variance_exact", "size_is_best"},
    ),
    Submission(
        "rounded", sets(size="max(1, round(cells / (math.exp(epsilon / MINE['messages']) + 1)))"), {"size_is_best"}, says="rounded?"
    ),
    Submission("rounded down", sets(size="max(1, math.floor(cells / (math.exp(epsilon / MINE['messages']) + 1)))"), {"size_is_best"}),
    Submission("rounded up", sets(size="math.ceil(cells / (math.exp(epsilon / MINE['messages']) + 1))"), {"size_is_best"}),
    Submission("half of all cells", sets(size="max(1, cells // 2)"), {"size_is_best"}),
    Submission("one cell", sets(size="1"), {"size_is_best"}),
    Submission("the largest variance", sets(size="max(range(1, cells), key=variance)"), {"size_is_best"}),
    Submission("counted from 0", sets(size="int(np.argmin([variance(s) for s in range(1, cells)]))"), {"size_is_best"}),
    Submission("a size beyond all cells", sets(size="cells"), {"size_is_best"}, says="sets have 1 to"),
    Submission(
        "golden values",
        {"def set_chances": "def set_chances(*, cells, size, epsilon):\n    return 0.5761, 0.2119\n",
         "def shares": SHARES.format(result="seen").replace("odds(cells, size, epsilon)", "1, 0")
         + "\n\ndef rare_variance(*, cells, size, epsilon):\n    return 3.537 if cells == 64 else 2.568\n",
         "def best_size": "def best_size(*, cells, epsilon):\n    return 17 if cells == 64 else 2\n"},
        SETS,
    ),
    # question 3
    Submission(
        "is it the label?",
        stump("2 * oracle(lambda r, j=j: c(r) * (r[j] == r[-1])) - (1 + 1 / MINE['weight']) / 2"),
        {"stump_is_right"},
        says="the whole range from -1 to 1",
    ),
    Submission(
        "is it not the label?", stump("(1 + 1 / MINE['weight']) / 2 - 2 * oracle(lambda r, j=j: c(r) * (r[j] != r[-1]))"), {"stump_is_right"}
    ),
    Submission("half of the product", stump("oracle(lambda r, j=j: c(r) * r[j] * r[-1] / 2)"), {"stump_is_right"}),
    Submission("all errors cost the same", stump("oracle(lambda r, j=j: r[j] * r[-1])"), {"stump_is_right"}),
    Submission("the cheap errors cost more", stump("oracle(lambda r, j=j: c(r) ** -1 / MINE['weight'] * r[j] * r[-1])"), {"stump_is_right"}),
    Submission("no query, no rule", stump("0 * j"), STUMP),
    Submission(
        "both rules of every column",
        stump(
            PRODUCT + " if " + PRODUCT + " is not None else 0"
        ),
        {"stump_is_frugal"},
        says="about the opposite one",
    ),
    Submission("a query for the label", stump("oracle(lambda r: r[-1]) * 0 + " + PRODUCT),
               {"stump_is_frugal"}),
    Submission("never turned round", stump(key="agrees[j]", sign="1"), STUMP, says="your rule costs"),
    Submission("always the sign 1", stump(sign="1"), STUMP),
    Submission("the column, not the agreement", stump("oracle(lambda r, j=j: r[j])"), STUMP),
    Submission("the first column", stump(key="-j"), STUMP),
    Submission("columns counted from 1", function("learn_stump", STUMP_CODE.format(
        query=PRODUCT, key="abs(agrees[j])", sign=SIGN).replace("return best,", "return best + 1,")),
        STUMP),
    Submission("one function for all columns", stump("oracle(lambda r: r[0] * r[-1])"), STUMP),
    Submission("a column without its sign", function("learn_stump", "oracle(lambda r: r[0])\nreturn 0"), STUMP,
               says="not a list or tuple"),
    Submission(
        "how often right where it says 1",
        stump("oracle(lambda r, j=j: (r[j] == 1) * r[-1]) / max(oracle(lambda r, j=j: r[j] == 1), 0.01)"),
        STUMP,
    ),
    Submission("asks for the records", function("learn_stump", "return max(oracle.records)"), STUMP, says="AttributeError"),
    # question 5
    Submission("the centre forgotten", design(u="[0] * cells"), {"answers_right"}, says="has to come back"),
    Submission("the centre taken off twice", design(u="[-centre] * cells"), {"answers_right"}),
    Submission("not centred", design(centre="0"), {"design_good"}, says="in common"),
    Submission(
        "cells reported as they are",
        design(factors="R, A = W - centre, np.eye(cells)"),
        {"design_good"},
    ),
    Submission("questions reported as they are", design(factors="R, A = np.eye(cells), W - centre"), {"design_good"}),
    Submission("three times the radius", design(rho="3 * max(np.linalg.norm(A, axis=0))"), {"design_good"}),
    Submission(
        "the mean norm for the largest",
        design(factors=ROOT + "stretch = np.linspace(0.9, 1.1, len(A))\nR, A = R / stretch, A * stretch[:, None]\n",
               rho="np.linalg.norm(A, axis=0).mean()"),
        {"message_private", "design_good"},
    ),
    Submission("rows for columns", design(rho="max(np.linalg.norm(A, axis=1)) / 2"), {"message_private", "design_good"}),
    Submission("the largest entry for the norm", design(rho="abs(A).max()"), {"message_private", "design_good"}),
    Submission("the variance predicted", design(predicted="deviation(R, A, rho) ** 2"), {"predicted_right"}, says="the root"),
    Submission("one phone predicted", design(predicted="deviation(R, A, rho) * math.sqrt(phones)"), {"predicted_right"}),
    Submission("k forgotten in the prediction", design(predicted="deviation(R, A, rho) * math.sqrt(len(A))"), {"predicted_right"}),
    Submission(
        "the length forgotten in the prediction",
        design(predicted="deviation(R, A, rho) * rho * math.sqrt(len(A)) / np.tanh(epsilon / 2) / length(len(A), rho)"),
        {"predicted_right"},
    ),
    Submission("a typical row predicted", design(
        factors="R, A = W - centre, np.eye(cells)", predicted="deviation(R[:1] * 0.8, A, rho)"), {"predicted_right", "design_good"}),
    Submission("numbers of a page", design(predicted="0.0153"), {"predicted_right"}),
    Submission(
        "questions that wrap around the wrong way",
        design(factors=ROOT.replace("W - centre", "W.T - centre")),
        DESIGN,
        says="up to one number for each question",
    ),
    Submission(
        "nothing reported",
        design(factors="R, A = np.zeros((cells, 1)), np.zeros((1, cells))", rho="1.0"),
        DESIGN,
    ),
    Submission("so much noise that nothing is said", design(rho="1e6"), {"message_private", "design_good"}, says="deviation is"),
    Submission(
        "factors in the wrong order", design(last="R, A = A, R"), DESIGN, says="the same k"
    ),
    Submission("a matrix with a hole", design(last="A = [list(row) for row in A[:-1]] + [[1.0]]"), DESIGN, says="equally long"),
    Submission("a text for a radius", design(last="rho = 'the largest norm'"), DESIGN, says="not a finite number"),
    Submission("no radius", design(last="rho = -1.0"), DESIGN, says="not a radius"),
    # cells
    Submission(
        "imported from dplib",
        {DESIGNED: "from dplib.factorization import optimal_factorization\nR = A = u = rho = predicted = None"},
        DESIGN,
        says="does not exist",
        notes="No module named 'dplib' (code cell 20, line 1); the questions ask for what dplib does not contain",
    ),
    Submission(
        "imported from scipy",
        {"def learn_stump": "from scipy.optimize import minimize as learn_stump"},
        STUMP,
        says="does not exist",
        notes="only numpy and the standard library",
    ),
    Submission(
        "cells deleted",
        {"def best_size": None, "def learn_stump": None},
        STUMP | {"size_is_best"},
        says="does not exist",
    ),
]


def answer(assignment, kwargs):
    """The right answer of the attacked function."""
    sets = assignment.sets_of(assignment.boxes.sheet_of(STUDENT))
    variance = lambda size: assignment.variance_of(assignment.set_law(size=size, **kwargs, sets=sets), kwargs["cells"], size, sets)
    return min(range(1, kwargs["cells"]), key=variance)


def second_pairs(numbers, variant):
    """Neighbours between which the second box may break, and the outputs of interest: all counts for a twelfth of the variants."""
    n, learners = numbers["n"], numbers["learners"]
    ones = (numbers["T"],) if variant % 12 else range(1, n + 1)
    more = [((1,) * b + (0,) * (n - b), (1,) * (b - 1) + (0,) * (n - b + 1)) for b in ones]
    eighths = (1, 2, 3, 4, 5, 6, 7) if variant % 12 else (2, 6)
    return [*more, *(pair[::-1] for pair in more)], [learners * part // 8 for part in eighths]


HINTS = [
    ("the own cell by a coin of two", "set_is_private", "The promise is about all sets of a phone"),
    ("odds against all cells", "set_is_sharp", "By which factor may"),
    ("weights for chances", "set_is_private", "chances of one set each"),
    ("cut off at 0", "no_bias", "Is anything cut off?"),
    ("rounded", "size_is_best", "always the same multiple"),
    ("is it the label?", "stump_is_right", "which is more than the tolerance"),
    ("rows for columns", "message_private", "a row's or a column's"),
    ("unfinished", "variance_exact", "is the blank still there, or a `return` missing?"),
]
GRAVITY = [("set_is_private", "set_is_sharp"), ("no_bias", "size_is_best"), ("stump_is_right", "stump_is_frugal"),
           ("message_private", "design_good")]
TWICE = ["right", "the own cell by a coin of two", "is it the label?", "fake reports", "golden values"]
ALL = RIGHT + WRONG + thieves() + hostile(PROBLEM_SET) + not_a_notebook(EVERYTHING)
NOTHING = {  # useless, however private or safe: bodies of functions, and a design whose messages are all noise
    "all sets alike": {
        "set_chances": "return [1 / math.comb(cells, size)] * 2", "shares": "return [1 / cells] * cells",
        "rare_variance": "return 1e6", "best_size": "return 1", "learn_stump": "return (0, 1) if MINE['columns'] == 'alone' else (0, 1, 1)",
        "design": design(rho="1e6")[DESIGNED]},
    "nothing sent": {
        "set_chances": "return 0.0, 0.0", "shares": "return [0.0] * cells", "rare_variance": "return 0.0", "best_size": "return cells - 1",
        "learn_stump": "return None", "design": design(factors="R, A = np.zeros((cells, 1)), np.zeros((1, cells))", rho="1.0")[DESIGNED]},
}
