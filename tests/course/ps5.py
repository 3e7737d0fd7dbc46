"""Right and wrong submissions to problem set 5: which checks each must fail and what it must be told."""

from hostile import hostile, not_a_notebook
from submissions import BOX, STUDENT, ProblemSet, Submission, failing_at_the_end, strangers, unfinished, with_other_types, wrong_boxes

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
        "people_needed": "*, wanted, treated, responding, binary, epsilon, split, delta",
        "certificate_law": "counts, *, grid, step_ratio, delta",
        "household_fit": "families, *, kept",
        "household_noise": "certificate, *, kept, replaced, epsilon",
        "rows_to_keep": "sizes, *, responding, correlation, epsilon, split, delta",
    },
    victim="household_fit",
    costs=FIT,
    unasked={"pairs = ": None},
    second="household_noise",
    second_costs=NOISE,
    groups=("trials of families", "other trials of families"),
    same_for_all=("trials of families",),
    everything=EVERYTHING,
)
function = PROBLEM_SET.function

# Ada's sheet: 20 visits, a person comes or goes, a mixture with .3, split is for the noise, the scale; 6 rows, the stronger arm, from
# below; weights, arm 1 less arm 0, villages of 35, z = 1.64. Other sheets are compared with searches in test_judge_ps5.py.

# --- question 2 ------------------------------------------------------------------------------------------------------
PLAN = """
arms = [(1 - treated) * responding[0] * (1 - responding[0]), treated * responding[1] * (1 - responding[1])]
nu = {nu}
first = {first}
k = {k}
typical = nu - {margin}
if {refuse}:
    return {told}, None
return {told}, {scale}"""
MARGIN = "k / first * math.log(1 + (math.exp(first) - 1) / (2 * delta))"
MOVE = "(max(MINE['mixture'], 1 - MINE['mixture']) if binary else 1) * -math.log(1 - k / typical)"
FIRST, CHANGES = "(1 - split) * epsilon", "MINE['visits']"


def plan(nu="people * MINE['visits'] * min(arms)", first=FIRST, k=CHANGES, margin=MARGIN, refuse="typical <= k", told="nu",
         scale=f"{MOVE} / (epsilon - first)"):
    return function("trial_plan", PLAN.format(nu=nu, first=first, k=k, margin=margin, refuse=refuse, told=told, scale=scale))


PEOPLE = """
weakest = MINE['visits'] * min((1 - treated) * responding[0] * (1 - responding[0]), treated * responding[1] * (1 - responding[1]))
first = {first}
k = {k}
certificate = {certificate}
return {result}"""
CERTIFICATE = "k / (1 - math.exp(-wanted * (epsilon - first) / (max(MINE['mixture'], 1 - MINE['mixture']) if binary else 1)))"
RESULT = f"math.ceil((certificate + {MARGIN}) / weakest)"


def needed(certificate=CERTIFICATE, result=RESULT, first=FIRST, k=CHANGES):
    return function("people_needed", PEOPLE.format(certificate=certificate, result=result, first=first, k=k))


def planned(**changes):
    """Another plan, and the right number of people, which does not follow from it."""
    return plan(**changes) | needed()


# --- question 3 ------------------------------------------------------------------------------------------------------
LAWS = """
products = [Fraction(no * yes, {people}) if {there} else Fraction(0) for no, yes in counts]
N = {rounded}
rho = {rho}
steps = {steps}
a = 0
while True:
    weights = [rho**-abs(z) for z in range(-a, a + 1)]
    if {enough}:
        break
    a += 1
{wider}
weights = [rho**-abs(z) for z in range(-a, a + 1)]
return N - {lowered}, [{entry} for w in weights]"""


def law(people="no + yes", there="no * yes", nu="max(products)", rounded="math.floor(grid * {nu})", rho="step_ratio",
        steps="grid * MINE['rows']", enough="sum(weights[-steps:]) <= delta * sum(weights)", wider="", lowered="2 * a",
        entry="w / sum(weights)"):
    return function("certificate_law", LAWS.format(people=people, there=there, rounded=rounded.format(nu=nu), rho=rho, steps=steps,
                                                   enough=enough, wider=wider, lowered=lowered, entry=entry))


# --- question 4 ------------------------------------------------------------------------------------------------------
FITS = """
logits, nus, total = [], [], 0
for arm in (0, 1):
    rows = [({weight}, {rows}) for where, outcomes in families if where == arm]
    n, ones = sum(w * len(row) for w, row in rows), sum(w * sum(row) for w, row in rows)
    if {unfit}:
        return {nothing}
    p = ones / n
    logits.append({logit})
    nus.append(n * p * (1 - p))
    spread = {spread}
    total += {part}
return {effect}, {nu}, {error}"""


def fit(weight="Fraction(min(kept, len(outcomes)), len(outcomes))", rows="outcomes", unfit="ones in (0, n)", nothing="None, 0, None",
        logit="math.log(p / (1 - p))", spread="sum((w * (sum(row) - p * len(row))) ** 2 for w, row in rows)",
        part="spread / nus[-1] ** 2", effect="logits[1] - logits[0]", nu="float(min(nus))", error="MINE['z'] * math.sqrt(total)"):
    return function("household_fit", FITS.format(weight=weight, rows=rows, unfit=unfit, nothing=nothing, logit=logit, spread=spread,
                                                 part=part, effect=effect, nu=nu, error=error))


def noise(k="kept * MINE['village'] * (2 if replaced else 1)", refuse="certificate <= k",
          scale="-math.log(1 - k / certificate) / epsilon", told="k"):
    return function("household_noise", f"""
k = {k}
if {refuse}:
    return {told}, None
return {told}, {scale}""")


ROWS = """
best = (math.inf, 0)
first = {first}
for r in range(1, {longest} + 1):
    rows = [(many, m, {weight}) for m, many in enumerate(sizes, 1)]
    k = {k}
    nu = sum(many * m * w for many, m, w in rows) * responding * (1 - responding)
    typical = nu - {margin}
    if typical <= k:
        {refused}
    b = math.log(typical / (typical - k)) / {left}
    inside = sum(many * w**2 * {inside} for many, m, w in rows) * responding * (1 - responding)
    best = {choice}(best, (math.sqrt({error}), r))
return best[1], best[0]"""


def keep(first="split * epsilon", longest="len(sizes)", k="2 * r * MINE['village']", weight="min(1, r / m)",
         margin="k / first * math.log(1 + (math.exp(first) - 1) / (2 * delta))", refused="continue", left="(epsilon - first)",
         inside="(m + m * (m - 1) * correlation)", error="2 * inside / nu**2 + 2 * b**2", choice="min"):
    return function("rows_to_keep", ROWS.format(first=first, longest=longest, k=k, weight=weight, margin=margin, refused=refused,
                                                left=left, inside=inside, error=error, choice=choice))


RIGHT = [
    Submission("right", notes="Every cell ran."),
    Submission("right, by other means", plan() | needed() | law() | fit() | noise() | keep()),
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
    Submission("the mean of the arms", planned(nu="people * MINE['visits'] * sum(arms) / 2"), {"curvature_right"}, says="Which arm has the least"),
    Submission("all the people in one arm", planned(nu="people * MINE['visits'] * min(r * (1 - r) for r in responding)"), {"curvature_right"}),
    Submission("the treated alone", planned(nu="people * MINE['visits'] * arms[1]"), {"curvature_right"}),
    Submission("the smaller arm", planned(nu="people * MINE['visits'] * arms[treated < 0.5]"), {"curvature_right"}),
    Submission("one visit", planned(nu="people * min(arms)"), {"curvature_right"}),
    Submission("people who do not count", planned(nu="0"), {"curvature_right", "trial_noise_right"}, says=""),
    Submission("the certificate for the curvature", planned(told="typical"), {"curvature_right", "trial_noise_right"}, says=""),
    Submission("a person who is replaced", planned(k="2 * MINE['visits']"), {"trial_noise_right"}, says=""),
    Submission("one record", planned(k="1"), {"trial_noise_right"}, says=""),
    Submission("half the margin", planned(margin=MARGIN + " / 2"), {"trial_noise_right"}, says=""),
    Submission("no margin", planned(margin="0"), {"trial_noise_right"}),
    Submission("a margin without e to the epsilon", planned(margin="k / first * math.log(1 / (2 * delta))"), {"trial_noise_right"}),
    Submission("a margin with all of epsilon", planned(margin=MARGIN.replace("first", "epsilon")), {"trial_noise_right"}),
    Submission("the shares of epsilon exchanged", planned(first="split * epsilon"), {"trial_noise_right"}, says=""),
    Submission("half of delta", planned(margin=MARGIN.replace("2 * delta", "delta")), {"trial_noise_right"}),
    Submission("a thousandth more delta in a plan", planned(margin=MARGIN.replace("2 * delta", "2.002 * delta")), {"trial_noise_right"},
               says="too small from digit"),
    Submission("binary whatever is declared", planned(scale=MOVE.replace("if binary else 1", "if True else 1") + " / (epsilon - first)"),
               {"trial_noise_right"}, says="declared to hold"),
    Submission("a half dose whatever is declared", planned(scale="-math.log(1 - k / typical) / (epsilon - first)"),
               {"trial_noise_right"}, says="declared to hold"),
    Submission("the effect itself", planned(scale="(1 if binary else 2) * -math.log(1 - k / typical) / (epsilon - first)"),
               {"trial_noise_right"}),
    Submission("the certificate for free in a plan", planned(scale=f"{MOVE} / epsilon"), {"trial_noise_right"}, says="which part of epsilon"),
    Submission("the standard deviation", planned(scale=f"math.sqrt(2) * {MOVE} / (epsilon - first)"), {"trial_noise_right"}),
    Submission("the linear move", planned(scale=MOVE.replace("-math.log(1 - k / typical)", "k / typical") + " / (epsilon - first)"),
               {"trial_noise_right"}),
    Submission("a move from the curvature", planned(scale=MOVE.replace("typical", "nu") + " / (epsilon - first)"), {"trial_noise_right"}),
    Submission("never refused", planned(refuse="typical <= 0"), {"curvature_right", "trial_noise_right"}, says="ValueError"),
    Submission("always refused", planned(refuse="True"), {"trial_noise_right"}, says="something has to be released"),
    Submission("refused, and no people", planned(nu="0", refuse="True"), {"curvature_right", "trial_noise_right"}, says=""),
    Submission("noise of a million in a plan", planned(scale="1e6"), {"trial_noise_right"}),
    Submission("rounded down", needed(result=RESULT.replace("ceil", "floor")), {"people_right"}),
    Submission("people without a margin", needed(result="math.ceil(certificate / weakest)"), {"people_right"}),
    Submission("people without a declared column", needed(certificate=CERTIFICATE.replace("if binary else 1", "if True else 1")), {"people_right"}),
    Submission("people with all of epsilon", needed(certificate=CERTIFICATE.replace("(epsilon - first)", "epsilon")), {"people_right"}),
    Submission("people of one visit", needed(result=RESULT.replace("/ weakest", "/ weakest * MINE['visits']")), {"people_right"}),
    Submission("a thousandth more delta for people", needed(result=RESULT.replace("2 * delta", "2.002 * delta")), {"people_right"},
               says="too few"),
    Submission("everybody on earth", needed(result="8 * 10**9"), {"people_right"}, says="too many"),
    # question 3
    Submission("no margin at all", law(lowered="a"), {"certificate_true"}, says="what is a for"),
    Submission("half of the margin", law(lowered="(3 * a // 2)"), {"certificate_true"}),
    Submission("rounded up", law(rounded="math.ceil(grid * {nu})"), {"certificate_true"}, says="in which direction"),
    Submission("rounded to the nearest", law(rounded="math.floor(grid * {nu} + Fraction(1, 2))"), {"certificate_true"}),
    Submission("both arms", law(nu="sum(products)"), LAW, says=""),
    Submission("the first arm", law(nu="products[0]"), LAW, says=""),
    Submission("the weaker arm", law(nu="min(products)"), LAW, says=""),
    Submission("people times a quarter", law(nu="max(Fraction(no + yes, 4) for no, yes in counts)"), LAW, says=""),
    Submission("an arm that nobody is in", law(there="True"), LAW, says="ZeroDivisionError"),
    Submission("from above", law(rounded="math.ceil(grid * {nu})", lowered="0"), LAW, says=""),
    Submission("one value outside", law(enough="weights[-1] <= delta * sum(weights)"), {"certificate_private"},
               says="all of them together"),
    Submission("one row", law(steps="grid"), {"certificate_private"}, says="How many steps does one person"),
    Submission("a thousandth more delta in a certificate",
               law(enough="sum(weights[-steps:]) <= Fraction(1001, 1000) * delta * sum(weights)"), {"certificate_private"}),
    Submission("a thousandth less delta in a certificate",
               law(enough="sum(weights[-steps:]) <= Fraction(999, 1000) * delta * sum(weights)"), {"certificate_frugal"}),
    Submission("less than delta", law(enough="sum(weights[-steps:]) < delta * sum(weights)"), {"certificate_frugal"}),
    Submission("a margin without the exponential", law(enough="step_ratio ** a >= 1 / (2 * delta)"),
               {"certificate_private"}),
    Submission("noise that is too narrow by one", law(wider="a = max(a - 1, 0)"), {"certificate_private"}),
    Submission("twice epsilon", law(rho="step_ratio ** 2"), {"certificate_private", "certificate_frugal"}, says=""),
    Submission("both tails outside", law(enough="sum(weights[-steps:]) <= delta * sum(weights) / 2"), {"certificate_frugal"}),
    Submission("a person who is replaced by another", law(steps="2 * grid * MINE['rows']"), {"certificate_frugal"}, says="who comes or goes"),
    Submission("one wider than needed", law(wider="a += 1"), {"certificate_frugal"}, says="which a is the least"),
    Submission("all of the noise twice below", law(lowered="(3 * a)"), {"certificate_frugal"}),
    Submission("no noise", law(entry="Fraction(abs(w) == 1)", lowered="a"), {"certificate_private"}, says=""),
    Submission("weights for chances", law(entry="w"), LAW, says="do not add up to 1"),
    Submission("floats", law(entry="float(w / sum(weights))"), LAW, says="a float; an exact Fraction"),
    Submission("the chances alone", function("certificate_law", "return [Fraction(1)]"), LAW, says="not a pair"),
    Submission("never more than 0", function("certificate_law", "return 0, [Fraction(1)]"), LAW, says=""),
    Submission("never more than minus a million", function("certificate_law", "return -10**6, [Fraction(1)]"), LAW, says=""),
    Submission("a margin of a million", law(lowered="10**6"), LAW, says=""),
    # question 4
    Submission("the first rows", fit(weight="1", rows="outcomes[:kept]"), FIT, says=""),
    Submission("the last rows", fit(weight="1", rows="outcomes[-kept:]"), FIT, says=""),
    Submission("all rows", fit(weight="1"), FIT, says=""),
    Submission("short families only", fit(weight="1", rows="outcomes if len(outcomes) <= kept else []"), FIT, says=""),
    Submission("every family alike", fit(weight="1 / len(outcomes)", unfit="ones in (0, n)"), FIT, says=""),
    Submission("shares in place of log odds", fit(logit="float(p)"), {"fit_right"}),
    Submission("the log of the share", fit(logit="math.log(p)"), {"fit_right"}),
    Submission("the other way round", fit(effect="logits[0] - logits[1]"), {"fit_right"}),
    Submission("the odds ratio", fit(effect="math.exp(logits[1] - logits[0])"), {"fit_right"}),
    Submission("curvature of both arms", fit(nu="float(sum(nus))"), {"fit_right"}, says="that of the weaker arm"),
    Submission("curvature of the arm that was treated", fit(nu="float(nus[1])"), {"fit_right"}),
    Submission("an effect of nothing", fit(nothing="0.0, 0, None"), {"fit_right"}, says="there is no fit"),
    Submission("an error of nothing", fit(nothing="None, 0, 0.0"), {"error_right"}, says="there is no fit"),
    Submission("no effect", fit(effect="0.0", nu="0.0", error="0.0"), FIT, says=""),
    Submission("no fit at all", function("household_fit", "return None, 0, None"), FIT, says=""),
    Submission("fits that fail", fit(unfit="False"), FIT, says="Error"),
    Submission("errors by row", fit(spread="nus[-1]"), {"error_right"}, says="before you square"),
    Submission("weights outside the square", fit(spread="sum(w * (sum(row) - p * len(row)) ** 2 for w, row in rows)"), {"error_right"}),
    Submission("one curvature for both arms", fit(part="spread", error="MINE['z'] * math.sqrt(total) / min(nus)"), {"error_right"}),
    Submission("by people in place of curvature", fit(part="spread / n ** 2"), {"error_right"}),
    Submission("a small sample's factor", fit(part="spread / nus[-1] ** 2 * len(rows) / max(len(rows) - 1, 1)"), {"error_right"}),
    Submission("the standard error alone", fit(error="math.sqrt(total)"), {"error_right"}),
    Submission("a thousandth more z", fit(error="1.001 * MINE['z'] * math.sqrt(total)"), {"error_right"}, says="too large from digit"),
    Submission("residuals from one half", fit(spread="sum((w * (sum(row) - len(row) / 2)) ** 2 for w, row in rows)"), {"error_right"}),
    Submission("one row of each family comes or goes", noise(k="MINE['village'] * (2 if replaced else 1)"), NOISE, says=""),
    Submission("one family", noise(k="kept * (2 if replaced else 1)"), NOISE, says=""),
    Submission("a village that only leaves", noise(k="kept * MINE['village']"), NOISE, says=""),
    Submission("replaced in any case", noise(k="2 * kept * MINE['village']"), NOISE, says=""),
    Submission("a move of both arms", noise(scale="-2 * math.log(1 - k / certificate) / epsilon"), NOISE, says=""),
    Submission("a linear move", noise(scale="k / certificate / epsilon"), NOISE, says=""),
    Submission("the wrong sign in the logarithm", noise(scale="math.log(1 + k / certificate) / epsilon"), NOISE, says=""),
    Submission("epsilon forgotten", noise(scale="-math.log(1 - k / certificate)"), NOISE, says=""),
    Submission("a thousandth less noise", noise(scale="-0.999 * math.log(1 - k / certificate) / epsilon"), NOISE, says=""),
    Submission("a thousandth more noise", noise(scale="-1.001 * math.log(1 - k / certificate) / epsilon"), {"noise_frugal"}, says=""),
    Submission("refused early", noise(refuse="certificate <= 1.5 * k"), {"noise_frugal"}, says="no release"),
    Submission("never released", noise(refuse="True"), NOISE, says=""),
    Submission("a million rows and no release", function("household_noise", "return 10**6, None"), NOISE, says=""),
    Submission("noise of a million", noise(scale="1e6"), NOISE, says=""),
    Submission("the right noise, one row too few", noise(told="k - 1"), NOISE, says=""),
    Submission("the right noise, the rows of a few more", noise(told="k + 1"), {"noise_frugal"}),
    Submission("rows of one family independent", keep(inside="m"), {"rows_right"}, says="beyond the first"),
    Submission("rows of one family alike", keep(inside="m * m"), {"rows_right"}),
    Submission("the first rows only in a plan", keep(weight="min(1, r / m)", inside="(m + (min(m, r) - 1) * m * correlation)"), {"rows_right"}),
    Submission("a margin for one row", keep(margin="2 / first * math.log(1 + (math.exp(first) - 1) / (2 * delta))"), {"rows_right"}),
    Submission("a thousandth more delta for rows", keep(margin="k / first * math.log(1 + (math.exp(first) - 1) / (2.002 * delta))"), {"rows_right"}),
    Submission("rows that only leave", keep(k="r * MINE['village']"), {"rows_right"}),
    Submission("one arm's error", keep(error="inside / nu**2 + 2 * b**2"), {"rows_right"}),
    Submission("the scale for the standard deviation", keep(error="2 * inside / nu**2 + b**2"), {"rows_right"}),
    Submission("the certificate for nothing", keep(left="epsilon"), {"rows_right"}),
    Submission("the worst number of rows", keep(choice="(lambda old, new: max(old, new) if old[1] else new)"), {"rows_right"},
               says="Are all r tried"),
    Submission("as many rows as the noise allows", keep(choice="(lambda old, new: new)"), {"rows_right"}, says="Are all r tried"),
    Submission("one row in any case", keep(longest="1"), {"rows_right"}, says=""),
    Submission("an error of a million", function("rows_to_keep", "return 1, 1e6"), {"rows_right"}, says=""),
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
    return assignment.fit_of(**kwargs, mine=assignment.boxes.sheet_of(STUDENT))


def second_pairs(numbers, variant):
    """Neighbours between which the second box may break, and the outputs of interest; the more ones, the less their noises differ."""
    n, ones = numbers["n"], (0, 1, 2, 7, numbers["n"] - 1)
    more = [((1,) * (b + 1) + (0,) * (n - b - 1), (1,) * b + (0,) * (n - b)) for b in (ones[:1] if variant % 12 else ones)]
    outputs = range(300) if numbers["published"] == "yes" else range(-250, n + 1)
    return [*more, *([] if variant % 12 else [pair[::-1] for pair in more])], outputs


HINTS = [
    ("a half dose whatever is declared", "trial_noise_right", "what the column was declared to hold"),
    ("all the people in one arm", "curvature_right", "how many records are in it"),
    ("always refused", "trial_noise_right", "something has to be released"),
    ("rounded down", "people_right", "which curvature gives that"),
    ("no margin at all", "certificate_true", "what is a for"),
    ("never more than minus a million", "certificate_private", "has to say something about this trial"),
    ("one value outside", "certificate_private", "which values can only one of the two publish"),
    ("a person who is replaced by another", "certificate_frugal", "who comes or goes"),
    ("errors by row", "error_right", "residuals of a family before you square"),
    ("a village that only leaves", "noise_hides", "does another village come for it"),
    ("a move of both arms", "noise_frugal", "Do both arms move by the whole bound"),
    ("unfinished", "fit_right", "is the blank still there, or a `return` missing?"),
]
GRAVITY = [("certificate_private", "certificate_frugal"), ("noise_hides", "noise_frugal")]
TWICE = ["right", "a person who is replaced by another", "all rows", "fake reports", "the first arm"]
ALL = RIGHT + WRONG + hostile(PROBLEM_SET) + not_a_notebook(EVERYTHING)


NOTHING = {  # private and true, and of no use
    "refused, minus a million, nothing released": {
        "trial_plan": "return 0, None", "people_needed": "return 10**9", "certificate_law": "return -10**6, [Fraction(1)]",
        "household_fit": "return None, 0, None", "household_noise": "return 10**6, None", "rows_to_keep": "return 1, 1e6"},
    "noise of a million, and a certificate of plus a million": {
        "trial_plan": "return people, 1e6", "people_needed": "return 1", "certificate_law": "return 10**6, [Fraction(1)]",
        "household_fit": "return 0.0, 0, 0.0", "household_noise": "return 10**6, 1e6", "rows_to_keep": "return len(sizes), 0.0"},
    "certificates of 0, noise of 0": {
        "trial_plan": "return 0, 0.0", "people_needed": "return 1", "certificate_law": "return 0, [Fraction(1)]",
        "household_fit": "return 0, 0, 0", "household_noise": "return 0, 0", "rows_to_keep": "return 1, 0.0"},
    "the right rows, and a refusal": {
        "trial_plan": "return 0, None", "people_needed": "return 0", "certificate_law": "return -10**9, [Fraction(1, 2)] * 2",
        "household_fit": "return None, 0, None", "rows_to_keep": "return 1, 1.0",
        "household_noise": "return kept * MINE['village'] * (2 if replaced else 1), None"},
}
