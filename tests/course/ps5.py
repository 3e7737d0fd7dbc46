"""Right and wrong submissions to problem set 5: which checks each must fail and what it must be told."""

from hostile import hostile, not_a_notebook
from submissions import BOX, ProblemSet, Submission, failing_at_the_end, strangers, unfinished, with_other_types, wrong_boxes

TRIAL = {"curvature_right", "trial_noise_right", "people_right"}
LAW = {"certificate_true", "certificate_private", "certificate_frugal"}
FIT = {"fit_right", "error_right"}
NOISE = {"noise_hides", "noise_frugal"}
EVERYTHING = BOX | TRIAL | LAW | FIT | NOISE | {"rows_right"}

DIFFERENT_BOXES = 96
PROBLEM_SET = ProblemSet(
    name="ps5",
    arguments={
        "trial_plan": "*, people, treated, responding, binary, epsilon, split, delta",
        "people_needed": "*, scale, treated, responding, binary, epsilon, split, delta",
        "certificate_law": "counts, *, grid, step_ratio, delta",
        "household_fit": "families, *, kept",
        "household_noise": "certificate, *, kept, replaced, epsilon",
        "rows_to_keep": "sizes, *, responding, correlation, epsilon, split, delta",
    },
    victim="household_fit",
    costs=FIT,
    unasked={"six = ": None},
    second="household_noise",
    second_costs=NOISE,
    groups=("trials of families", "other trials of families"),
    same_for_all=("trials of families",),
    everything=EVERYTHING,
)
function = PROBLEM_SET.function

# --- question 2 ------------------------------------------------------------------------------------------------------
PLAN = """
arms = [(1 - treated) * responding[0] * (1 - responding[0]), treated * responding[1] * (1 - responding[1])]
nu = {nu}
first = {first}
typical = nu - {margin}
if {refuse}:
    return {told}, None
return {told}, {scale}"""
MARGIN = "2 / first * math.log(1 + (math.exp(first) - 1) / (2 * delta))"
MOVE = "(1 if binary else 2) * -math.log(1 - 2 / typical)"


def plan(nu="people * min(arms)", first="split * epsilon", margin=MARGIN, refuse="typical <= 2", told="nu",
         scale=f"{MOVE} / (epsilon - first)"):
    return function("trial_plan", PLAN.format(nu=nu, first=first, margin=margin, refuse=refuse, told=told, scale=scale))


PEOPLE = """
weakest = min((1 - treated) * responding[0] * (1 - responding[0]), treated * responding[1] * (1 - responding[1]))
first = split * epsilon
certificate = {certificate}
return {result}"""
CERTIFICATE = "2 / (1 - math.exp(-scale * (epsilon - first) / (1 if binary else 2)))"
RESULT = f"math.ceil((certificate + {MARGIN}) / weakest)"


def needed(certificate=CERTIFICATE, result=RESULT):
    return function("people_needed", PEOPLE.format(certificate=certificate, result=result))


# --- question 3 ------------------------------------------------------------------------------------------------------
LAWS = """
products = [Fraction(no * yes, {people}) if {there} else Fraction(0) for no, yes in counts]
N = {rounded}
rho = {rho}
a = 0
while True:
    weights = [rho**-abs(z) for z in range(-a, a + 1)]
    if {enough}:
        break
    a += 1
{wider}
weights = [rho**-abs(z) for z in range(-a, a + 1)]
return N - {lowered}, [{entry} for w in weights]"""


def law(people="no + yes", there="no * yes", nu="min(products)", rounded="math.floor(grid * {nu})", rho="step_ratio",
        enough="sum(weights[-grid:]) <= delta * sum(weights)", wider="", lowered="2 * a", entry="w / sum(weights)"):
    return function("certificate_law", LAWS.format(
        people=people, there=there, rounded=rounded.format(nu=nu), rho=rho, enough=enough, wider=wider, lowered=lowered, entry=entry))


CLIPPED = """
least, chances = right_law(counts, grid=grid, step_ratio=step_ratio, delta=delta)
if least >= 0:
    return least, chances
return 0, [sum(chances[:1 - least]), *chances[1 - least:]]


def right_law(counts, *, grid, step_ratio, delta):"""

# --- question 4 ------------------------------------------------------------------------------------------------------
FITS = """
logits, nus, total = [], [], 0
for arm in (0, 1):
    rows = [{rows} for where, outcomes in families if where == arm]
    n, ones = sum(len(row) for row in rows), sum(sum(row) for row in rows)
    if {unfit}:
        return {nothing}
    p = ones / n
    logits.append({logit})
    nus.append(n * p * (1 - p))
    spread = {spread}
    total += {part}
return {effect}, {nu}, {error}"""


def fit(rows="outcomes[:kept]", unfit="ones in (0, n)", nothing="None, 0, None", logit="math.log(p / (1 - p))",
        spread="sum((sum(row) - p * len(row)) ** 2 for row in rows)", part="spread / nus[-1] ** 2",
        effect="logits[1] - logits[0]", nu="min(nus)", error="math.sqrt(total)"):
    return function("household_fit", FITS.format(rows=rows, unfit=unfit, nothing=nothing, logit=logit, spread=spread, part=part,
                                                 effect=effect, nu=nu, error=error))


def noise(k="kept * (2 if replaced else 1)", refuse="certificate <= k", scale="-math.log(1 - k / certificate) / epsilon", told="k"):
    return function("household_noise", f"""
k = {k}
if {refuse}:
    return {told}, None
return {told}, {scale}""")


ROWS = """
best = (math.inf, 0)
first = {first}
for r in range(1, {longest} + 1):
    rows = [(many, min(size, r)) for size, many in enumerate(sizes, 1)]
    k = {k}
    nu = sum(many * m for many, m in rows) * responding * (1 - responding)
    typical = nu - {margin}
    if typical <= k:
        {refused}
    b = math.log(typical / (typical - k)) / {left}
    inside = sum(many * {inside} for many, m in rows) * responding * (1 - responding)
    best = {choice}(best, (math.sqrt({error}), r))
return best[1], best[0]"""


def keep(first="split * epsilon", longest="len(sizes)", k="2 * r", margin="k / first * math.log(1 + (math.exp(first) - 1) / (2 * delta))",
         refused="continue", left="(epsilon - first)", inside="(m + m * (m - 1) * correlation)",
         error="2 * inside / nu**2 + 2 * b**2", choice="min"):
    return function("rows_to_keep", ROWS.format(first=first, longest=longest, k=k, margin=margin, refused=refused, left=left,
                                                inside=inside, error=error, choice=choice))


RIGHT = [
    Submission("right", notes="Every cell ran."),
    Submission("right, by other means", plan() | needed() | law() | fit() | noise() | keep()),
    Submission("right, what would be below 0 is 0", {"def certificate_law": law()["def certificate_law"].replace(
        "delta):", "delta):\n    " + CLIPPED.strip().replace("\n", "\n    ").replace("    \n", "\n").replace(
            "\n    def right_law", "\ndef right_law"), 1)}),
    with_other_types("""
laws, fits, rows, trials = certificate_law, household_fit, rows_to_keep, trial_plan
def certificate_law(counts, **asked):
    least, chances = laws(np.array(counts).tolist(), **asked)
    return np.int64(least - 1), (Fraction(0), *chances)
def household_fit(families, **asked):
    return list(map(np.float64, fits(families, **asked))) if fits(families, **asked)[1] else fits(families, **asked)
def rows_to_keep(sizes, **asked):
    return np.array(rows(np.array(sizes), **asked))
def trial_plan(**asked):
    return np.array(trials(**asked))
"""),
    failing_at_the_end(24),
]

WRONG = [
    unfinished(EVERYTHING),
    *strangers(EVERYTHING),
    *wrong_boxes(),
    # question 2
    Submission("the mean of the arms", plan(nu="people * sum(arms) / 2") | needed(), {"curvature_right"}, says="Which arm has the least"),
    Submission("all the people in one arm", plan(nu="people * min(r * (1 - r) for r in responding)") | needed(), {"curvature_right"}),
    Submission("the treated alone", plan(nu="people * arms[1]") | needed(), {"curvature_right"}),
    Submission("the smaller arm", plan(nu="people * arms[treated < 0.5]") | needed(), {"curvature_right"}),
    Submission("the rarer response", plan(nu="people * arms[responding[1] < responding[0]]") | needed(), {"curvature_right"}),
    Submission("the certificate for the curvature", plan(told="typical") | needed(), {"curvature_right", "trial_noise_right"}),
    Submission("half the margin", plan(margin=MARGIN.replace("2 / first", "1 / first")) | needed(), {"trial_noise_right"}, says=""),
    Submission("all of the margin, twice", plan(margin=f"2 * {MARGIN}") | needed(), {"trial_noise_right"}, says=""),
    Submission("no margin", plan(margin="0") | needed(), {"trial_noise_right"}),
    Submission("a margin without e to the epsilon", plan(margin="2 / first * math.log(1 / (2 * delta))") | needed(),
               {"trial_noise_right"}),
    Submission("a margin with all of epsilon", plan(margin=MARGIN.replace("first", "epsilon")) | needed(), {"trial_noise_right"}),
    Submission("half of delta", plan(margin=MARGIN.replace("2 * delta", "delta")) | needed(), {"trial_noise_right"}),
    Submission("binary whatever is declared", plan(scale="-math.log(1 - 2 / typical) / (epsilon - first)") | needed(),
               {"trial_noise_right"}, says="what the column was declared to hold"),
    Submission("twice whatever is declared", plan(scale="-2 * math.log(1 - 2 / typical) / (epsilon - first)") | needed(),
               {"trial_noise_right"}, says="what the column was declared to hold"),
    Submission("the certificate for free in a plan", plan(scale=f"{MOVE} / epsilon") | needed(), {"trial_noise_right"},
               says="which part of epsilon"),
    Submission("one step counted once", plan(scale=MOVE.replace("2 / typical", "1 / typical") + " / (epsilon - first)") | needed(),
               {"trial_noise_right"}),
    Submission("the linear move", plan(scale="(2 if binary else 4) / typical / (epsilon - first)") | needed(), {"trial_noise_right"}),
    Submission("a move from the curvature", plan(scale=MOVE.replace("typical", "nu") + " / (epsilon - first)") | needed(),
               {"trial_noise_right"}),
    Submission("never refused", plan(refuse="typical <= 0") | needed(), {"curvature_right", "trial_noise_right"}, says="ValueError"),
    Submission("rounded down", needed(result=RESULT.replace("ceil", "floor")), {"people_right"}),
    Submission("people without a margin", needed(result="math.ceil(certificate / weakest)"), {"people_right"}),
    Submission("people without a declared column", needed(certificate=CERTIFICATE.replace("(1 if binary else 2)", "1")), {"people_right"}),
    Submission("people with all of epsilon", needed(certificate=CERTIFICATE.replace("(epsilon - first)", "epsilon")), {"people_right"}),
    Submission("people of the weaker arm only", needed(result=f"math.ceil(({RESULT[10:-1].split(' / weakest')[0]}) / max(weakest, 0.05))"),
               {"people_right"}),
    # question 3
    Submission("no margin at all", law(lowered="a"), {"certificate_true"}, says="what is a for"),
    Submission("half of the margin", law(lowered="(3 * a // 2)"), {"certificate_true"}),
    Submission("rounded up", law(rounded="math.ceil(grid * {nu})"), {"certificate_true"}, says="in which direction"),
    Submission("rounded to the nearest", law(rounded="math.floor(grid * {nu} + Fraction(1, 2))"), {"certificate_true"}),
    Submission("the mean of both arms", law(nu="sum(products) / 2"), {"certificate_true"}),
    Submission("the first arm", law(nu="products[0]"), {"certificate_true"}),
    Submission("the stronger arm", law(nu="max(products)"), {"certificate_true"}),
    Submission("both arms in a row", law(nu="Fraction(products[0] * products[1], max(products[0] + products[1], 1))"),
               {"certificate_frugal"}),
    Submission("people times a quarter", law(nu="min(Fraction(no + yes, 4) for no, yes in counts)"), {"certificate_true"}),
    Submission("the rarer outcome", law(nu="min(min(pair) for pair in counts)"), {"certificate_true"}),
    Submission("an arm that nobody is in", law(there="True"), {"certificate_true", "certificate_frugal"},
               says="ZeroDivisionError"),
    Submission("one value outside", law(enough="weights[-1] <= delta * sum(weights)"), {"certificate_private"},
               says="all of them together"),
    Submission("a margin without the exponential", law(enough="step_ratio ** a >= 1 / (2 * delta)"),
               {"certificate_private", "certificate_frugal"}),
    Submission("noise that is too narrow by one", law(wider="a = max(a - 1, 0)"), {"certificate_private"}),
    Submission("steps forgotten", law(rho="step_ratio ** grid", enough="weights[-1] <= delta * sum(weights)"), {"certificate_private"}),
    Submission("twice epsilon", law(rho="step_ratio ** 2"), {"certificate_private", "certificate_frugal"}),
    Submission("both tails outside", law(enough="sum(weights[-grid:]) <= delta * sum(weights) / 2"), {"certificate_frugal"}),
    Submission("a record that is replaced", law(enough="sum(weights[-2 * grid:]) <= delta * sum(weights)"), {"certificate_frugal"},
               says="who comes or goes"),
    Submission("one wider than needed", law(wider="a += 1"), {"certificate_frugal"}, says="which a is the least"),
    Submission("all of the noise twice below", law(lowered="(3 * a)"), {"certificate_frugal"}),
    Submission("no noise", law(entry="Fraction(abs(w) == 1)", lowered="a"), {"certificate_private"}, says=""),
    Submission("weights for chances", law(entry="w"), LAW, says="do not add up to 1"),
    Submission("floats", law(entry="float(w / sum(weights))"), LAW, says="a float; an exact Fraction"),
    Submission("the chances alone", function("certificate_law", "return [Fraction(1)]"), LAW, says="not a pair"),
    Submission("never more than 0", function("certificate_law", "return 0, [Fraction(1)]"), {"certificate_frugal"}),
    # question 4
    Submission("the last rows", fit(rows="outcomes[-kept:]"), FIT),
    Submission("all rows", fit(rows="outcomes"), FIT, says="kept rows of arm"),
    Submission("short families left out", fit(rows="outcomes[:kept] if len(outcomes) >= kept else []"), FIT),
    Submission("rows with a one first", fit(rows="sorted(outcomes)[::-1][:kept]"), FIT),
    Submission("shares in place of log odds", fit(logit="p"), {"fit_right"}),
    Submission("the log of the share", fit(logit="math.log(p)"), {"fit_right"}),
    Submission("the other way round", fit(effect="logits[0] - logits[1]"), {"fit_right"}),
    Submission("the odds ratio", fit(effect="math.exp(logits[1] - logits[0])"), {"fit_right"}),
    Submission("curvature of both arms", fit(nu="sum(nus)"), {"fit_right"}, says="that of the weaker arm"),
    Submission("curvature of the arm that was treated", fit(nu="nus[1]"), {"fit_right"}),
    Submission("an effect of nothing", fit(nothing="0.0, 0, None"), {"fit_right"}, says="there is no fit"),
    Submission("an error of nothing", fit(nothing="None, 0, 0.0"), {"error_right"}, says="there is no fit"),
    Submission("fits that fail", fit(unfit="False"), FIT, says="Error"),
    Submission("errors by row", fit(spread="nus[-1]"), {"error_right"}, says="before you square"),
    Submission("one curvature for both arms", fit(part="spread", error="math.sqrt(total) / min(nus)"), {"error_right"}),
    Submission("by people in place of curvature", fit(part="spread / n ** 2"), {"error_right"}),
    Submission("a small sample's factor", fit(part="spread / nus[-1] ** 2 * len(rows) / max(len(rows) - 1, 1)"), {"error_right"}),
    Submission("the variance", fit(error="total"), {"error_right"}),
    Submission("residuals from one half", fit(spread="sum((sum(row) - len(row) / 2) ** 2 for row in rows)"), {"error_right"}),
    Submission("one row comes or goes", noise(k="2 if replaced else 1"), NOISE, says=""),
    Submission("a family that only leaves", noise(k="kept"), NOISE, says=""),
    Submission("replaced in any case", noise(k="2 * kept"), {"noise_frugal"}, says="only comes or goes"),
    Submission("a move of both arms", noise(scale="-2 * math.log(1 - k / certificate) / epsilon"), {"noise_frugal"},
               says="Do both arms move"),
    Submission("a linear move", noise(scale="k / certificate / epsilon"), NOISE, says=""),
    Submission("the wrong sign in the logarithm", noise(scale="math.log(1 + k / certificate) / epsilon"), NOISE, says=""),
    Submission("refused at 2", noise(refuse="certificate <= 2 or k >= certificate and k < 10",
                                     scale="math.log(certificate / max(certificate - k, 0.1)) / epsilon"), NOISE, says=""),
    Submission("epsilon forgotten", noise(scale="-math.log(1 - k / certificate)"), NOISE, says=""),
    Submission("refused early", noise(refuse="certificate <= 2 * k"), {"noise_frugal"}, says="no release"),
    Submission("never released", noise(refuse="True"), {"noise_frugal"}),
    Submission("the right noise, one row too few", noise(told="k - 1"), NOISE, says=""),
    Submission("the right noise, the rows of a replacement", noise(told="2 * kept"), {"noise_frugal"}),
    Submission("rows of one family independent", keep(inside="m"), {"rows_right"}, says="beyond the first"),
    Submission("rows of one family alike", keep(inside="m * m"), {"rows_right"}),
    Submission("a margin for one row", keep(margin="2 / first * math.log(1 + (math.exp(first) - 1) / (2 * delta))"), {"rows_right"}),
    Submission("rows that only leave", keep(k="r"), {"rows_right"}),
    Submission("one arm's error", keep(error="inside / nu**2 + 2 * b**2"), {"rows_right"}),
    Submission("the scale for the standard deviation", keep(error="2 * inside / nu**2 + b**2"), {"rows_right"}),
    Submission("the certificate for nothing", keep(left="epsilon"), {"rows_right"}),
    Submission("the worst number of rows", keep(choice="(lambda old, new: max(old, new) if old[1] else new)"), {"rows_right"},
               says="Are all r tried"),
    Submission("as many rows as the noise allows", keep(choice="(lambda old, new: new)"), {"rows_right"}, says="Are all r tried"),
    Submission("one row in any case", keep(longest="1"), {"rows_right"}, says="Are all r tried"),
    # cells
    Submission(
        "imported from dplib",
        {"def household_noise": "from dplib.glm import prediction_shift as household_noise"},
        NOISE,
        says="does not exist",
        notes="No module named 'dplib' (code cell 18, line 1); the questions ask for what dplib does not contain",
    ),
    Submission(
        "imported from scipy",
        {"def people_needed": "from scipy.optimize import brentq"},
        {"people_right"},
        says="does not exist",
        notes="only numpy and the standard library",
    ),
    Submission("cells deleted", {"def certificate_law": None, "def household_fit": None}, LAW | FIT, says="does not exist"),
]


def answer(assignment, kwargs):
    """The right answer of the attacked function."""
    return assignment.fit_of(**kwargs)


def second_pairs(numbers, variant):
    """Neighbours between which the second box may break, and the outputs of interest; the more ones, the less their noises differ."""
    n, ones = numbers["n"], (0, 1, 2, 7, numbers["n"] - 1)
    more = [((1,) * (b + 1) + (0,) * (n - b - 1), (1,) * b + (0,) * (n - b)) for b in (ones[:1] if variant % 12 else ones)]
    outputs = range(300) if numbers["published"] == "yes" else range(-250, n + 1)
    return [*more, *([] if variant % 12 else [pair[::-1] for pair in more])], outputs


HINTS = [
    ("twice whatever is declared", "trial_noise_right", "what the column was declared to hold"),
    ("all the people in one arm", "curvature_right", "how many people are in it"),
    ("rounded down", "people_right", "which curvature gives that"),
    ("no margin at all", "certificate_true", "what is a for"),
    ("one value outside", "certificate_private", "which values can only one of the two publish"),
    ("a record that is replaced", "certificate_frugal", "who comes or goes"),
    ("errors by row", "error_right", "residuals of a family before you square"),
    ("a family that only leaves", "noise_hides", "does another family come for it"),
    ("a move of both arms", "noise_frugal", "Do both arms move by the whole bound"),
    ("unfinished", "fit_right", "is the blank still there, or a `return` missing?"),
]
GRAVITY = [("certificate_private", "certificate_frugal"), ("noise_hides", "noise_frugal")]
TWICE = ["right", "a record that is replaced", "all rows", "fake reports", "the first arm"]
ALL = RIGHT + WRONG + hostile(PROBLEM_SET) + not_a_notebook(EVERYTHING)
