"""What the page for instructors computes: {syllabi}, {goals}, {needed} and {evidence}.

How long a page takes is what the page itself says behind *Time*, and what it needs is what it says
behind *You need*. So a syllabus gives no more hours than a week holds, or the tests fail.
"""

import re
from dataclasses import dataclass

from sphinx.util.docutils import SphinxDirective

from .ways import Book, minutes, spoken

WITH_PROOFS = re.compile(r"(?:(\d+) h(?:ours)?)? ?(?:(\d+) min(?:utes)?)? with the proofs")


@dataclass(frozen=True)
class ProblemSet:
    """A problem set: what it takes in minutes, and the pages that its head names."""

    minutes: int
    pages: str


SETS = {
    1: ProblemSet(210, "privacy selection composition histograms"),
    2: ProblemSet(310, "naive-mean two-stage-mean packing two-distributions"),
    3: ProblemSet(
        295,
        "private-learning statistical-queries local-model parity factorization "
        "optimal-factorization",
    ),
    4: ProblemSet(285, "local-sensitivity subsample-and-aggregate friendlycore"),
    5: ProblemSet(335, "m-estimation certificates releasing-parameters treatment-effect"),
    6: ProblemSet(
        300,
        "sparse-vector trade-off-functions frequency-oracles multiplicative-weights "
        "noisy-gradients auditing",
    ),
}


@dataclass(frozen=True)
class Week:
    """The pages that are read, those of them that are read with their proofs, and the sets that are
    worked on."""

    read: str
    prove: str = ""
    sets: tuple[int, ...] = ()


@dataclass(frozen=True)
class Syllabus:
    """A course: for whom it is, the hours that a week holds, the minutes of its sessions in a week,
    and its weeks."""

    title: str
    says: str
    hours: int
    sessions: int
    weeks: tuple[Week, ...]


SYLLABI = (
    Syllabus(
        "Four weeks",
        "A part of a course on statistics, data protection or algorithms. It ends with a private "
        "interval, and with what no method can do. Set 1 is practice, since it is public.",
        hours=6,
        sessions=90,
        weeks=(
            Week("why-privacy privacy", prove="privacy"),
            Week("selection composition histograms", sets=(1,)),
            Week("naive-mean two-stage-mean", sets=(1,)),
            Week("intervals-and-scale packing", prove="packing"),
        ),
    ),
    Syllabus(
        "Eight weeks",
        "A course for those who fit models. It leads to one coefficient of a trial and to what an "
        "audit can find.",
        hours=8,
        sessions=90,
        weeks=(
            Week("why-privacy privacy", prove="privacy"),
            Week("selection composition", prove="selection composition"),
            Week("privacy-loss histograms", sets=(1,)),
            Week("naive-mean two-stage-mean", prove="naive-mean", sets=(1,)),
            Week("local-sensitivity m-estimation", prove="m-estimation"),
            Week("certificates releasing-parameters", prove="certificates"),
            Week("treatment-effect experiments", sets=(5,)),
            Week("bits auditing", sets=(5,)),
        ),
    ),
    Syllabus(
        "Twelve weeks",
        "The whole book but for its further pages, with sets 1 to 5, for students who have met "
        "proofs. The last week also has room for the presentation of projects.",
        hours=10,
        sessions=180,
        weeks=(
            Week("why-privacy privacy", prove="privacy"),
            Week("selection composition", prove="selection composition"),
            Week("privacy-loss histograms tables", prove="histograms", sets=(1,)),
            Week("naive-mean two-stage-mean unbounded-mean", prove="two-stage-mean", sets=(1,)),
            Week("packing two-distributions tracing", prove="packing", sets=(2,)),
            Week("adaptive-mean intervals-and-scale private-learning", sets=(2,)),
            Week("statistical-queries local-model queries-and-local", prove="local-model"),
            Week("parity factorization optimal-factorization", sets=(3,)),
            Week("local-sensitivity subsample-and-aggregate", sets=(3,)),
            Week("friendlycore friendly-mean m-estimation certificates", prove="friendlycore",
                 sets=(4,)),
            Week("releasing-parameters treatment-effect", sets=(4, 5)),
            Week("experiments bits auditing", sets=(5,)),
        ),
    ),
)


@dataclass(frozen=True)
class Goal:
    """What a student can do afterwards: the statements that it rests on, the page that has them,
    and the question of a set, as (set, question), that asks for it."""

    says: str
    labels: str
    page: str
    question: tuple[int, int]


GOALS = (
    Goal("Refute a promise of privacy by two neighbours and an event", "thm-hockey-stick",
         "privacy", (1, 1)),
    Goal("Compute the least threshold that hides a rare label", "thm-stability-histogram "
         "prop-least-threshold", "histograms", (1, 2)),
    Goal("Compute exactly what several answers cost together", "thm-privacy-loss "
         "thm-optimal-composition", "composition", (1, 3)),
    Goal("Choose privately, with as much of ε as there is", "thm-exponential", "selection", (2, 2)),
    Goal("Find a mean and then measure it", "thm-two-stage cor-coarse-add-remove",
         "two-stage-mean", (2, 2)),
    Goal("Decide a hypothesis from a noisy count", "prop-sign-test thm-clamped-test",
         "two-distributions", (2, 3)),
    Goal("Prove that no method needs fewer people", "thm-packing", "packing", (2, 5)),
    Goal("Design a message for people who trust nobody", "thm-local-mean prop-local-histogram",
         "local-model", (3, 2)),
    Goal("Say whether an algorithm needs no more than averages", "def-sq thm-sq-dimension",
         "statistical-queries", (3, 3)),
    Goal("Compare workloads by a certificate", "def-gamma2 thm-certificate",
         "optimal-factorization", (3, 4)),
    Goal("Answer many questions with one message", "thm-local-factorization",
         "factorization", (3, 5)),
    Goal("Release an answer that hardly anyone can change", "cor-stable-release "
         "cor-distance-by-votes", "local-sensitivity", (4, 2)),
    Goal("Make a program private by a vote of blocks", "thm-subsample prop-vote",
         "subsample-and-aggregate", (4, 3)),
    Goal("Bound what one record does to a filter by friends", "lem-shared-friend "
         "lem-stable-weights", "friendlycore", (4, 5)),
    Goal("Plan a trial whose effect is released", "thm-one-certificate lem-two-arms",
         "releasing-parameters", (5, 2)),
    Goal("Certify the curvature of a fit", "thm-certify-below", "certificates", (5, 3)),
    Goal("Protect all rows of a household as one", "prop-rows-kept", "treatment-effect", (5, 4)),
    Goal("Prove how far one record moves a fit", "thm-prediction-shift", "m-estimation", (5, 5)),
    Goal("Watch many answers and pay for alarms only", "thm-above-threshold thm-alarm-accuracy",
         "sparse-vector", (6, 2)),
    Goal("Estimate how frequent words are from messages that may be lies", "prop-frequencies",
         "frequency-oracles", (6, 3)),
    Goal("Compute the best accuser of a program", "def-trade-off thm-two-ways "
         "thm-subsampling-curve", "trade-off-functions", (6, 4)),
    Goal("Refute a promise by counts, and say how often that is wrong", "thm-audit-bound",
         "auditing", (6, 4)),
)


@dataclass(frozen=True)
class Evidence:
    """A kind of evidence: what a language model does to it, and its weight in percent."""

    kind: str
    model: str
    weight: int
    in_person: bool


EVIDENCE = (
    Evidence("Automatic points of the sets", "All of them can be had in minutes.", 10, False),
    Evidence("Predictions and written answers of the sets, at home",
             "A model can write them, and no marker can tell.", 5, False),
    Evidence("A project, as handed in", "A model can write the code and the report.", 10, False),
    Evidence("The project, defended", "Questions refer to the student's own choices.", 10, True),
    Evidence("Twenty minutes at the board, once for each half of the course",
             "The questions are drawn from the student's own submission and answered without a "
             "computer.", 30, True),
    Evidence("A written exam with a printed box, without devices", "No model is in the room.", 35,
             True),
)


# --- hours
# ------------------------------------------------------------------------------------------------


def proofs(text):
    """How long all of a page takes with its proofs, in minutes."""
    hours, rest = WITH_PROOFS.search(text).groups()
    return 60 * int(hours or 0) + int(rest or 0)


def load(syllabus, week, texts):
    """The minutes of a week: sessions, reading, and a share of each set, in equal parts over the
    weeks in which it is worked on."""
    read = sum(minutes(texts[page]) for page in week.read.split())
    prove = sum(proofs(texts[page]) - minutes(texts[page]) for page in week.prove.split())
    sets = sum(
        SETS[k].minutes / sum(k in other.sets for other in syllabus.weeks) for k in week.sets
    )
    return syllabus.sessions + read + prove + sets


def closure(pages, needs):
    """The pages and all that they need, in the order of the book."""
    found, ahead = set(), list(pages)
    while ahead:
        page = ahead.pop()
        ahead += [other for other in needs[page] if other not in found]
        found.add(page)
    return [page for page in needs if page in found]


# --- tables
# ------------------------------------------------------------------------------------------------


CARDS = "{.dp-cards}\n"                # on a phone each row is a card (book.css)


def rows(headings, cells):
    """A table in Markdown."""
    line = lambda row: f"| {' | '.join(row)} |"
    return "\n".join(map(line, [headings, ["---"] * len(headings), *cells]))


def link(page, book):
    return f"[{book.titles[page]}]({page}.md)"


def syllabi(book):
    """A sentence and a table for each syllabus."""
    parts = []
    for course in SYLLABI:
        loads = [load(course, week, book.texts) for week in course.weeks]
        cells = [
            (str(k), reading(week, book), " and ".join(map(str, week.sets)),
             spoken(total).removesuffix(" hours"))
            for k, (week, total) in enumerate(zip(course.weeks, loads, strict=True), 1)
        ]
        parts.append(
            f"**{course.title}.** {course.says} A week holds {course.hours} hours, of which "
            f"{course.sessions} minutes are sessions; the course takes {spoken(sum(loads))}."
            f"\n\n{rows(('Week', 'Read', 'Set', 'Hours'), cells)}"
        )
    return "\n\n".join(parts)


def reading(week, book):
    """The pages of a week, and whether they are read with their proofs."""
    proved = week.prove.split()
    return "; ".join(
        link(page, book) + " (with proofs)" * (page in proved) for page in week.read.split()
    )


def goals(book):
    cells = [
        (goal.says, ", ".join(f"{{prf:ref}}`{label}`" for label in goal.labels.split()),
         link(goal.page, book), "set {}, question {}".format(*goal.question))
        for goal in GOALS
    ]
    return CARDS + rows(("You can", "It rests on", "Page", "Asked in"), cells)


def needed(book):
    """A list: for each set the pages that it needs, with what these need, and their hours."""
    lines = []
    for k, one in SETS.items():
        pages = closure(one.pages.split(), book.needs)
        hours = spoken(sum(minutes(book.texts[page]) for page in pages))
        lines.append(
            f"* **Set {k}** takes about {spoken(one.minutes)} and needs {len(pages)} pages, about "
            f"{hours}: {' → '.join(link(page, book) for page in pages)}."
        )
    return "\n".join(lines)


def evidence(book):
    cells = [
        (one.kind, one.model, f"{one.weight}%, {'in person' if one.in_person else 'at home'}")
        for one in EVIDENCE
    ]
    return CARDS + rows(("Evidence", "With a language model", "Weight"), cells)


def directive(text):
    class Written(SphinxDirective):
        def run(self):
            return self.parse_text_to_nodes(text(Book(self.env)))

    return Written


def setup(app):
    for text in (syllabi, goals, needed, evidence):
        app.add_directive(text.__name__, directive(text))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
