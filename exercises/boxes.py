"""What differs from student to student: sheets of numbers for all questions, and the tables of *Break it* with its judge.

    law         what a mechanism does: law(x, level, planted) is {output: probability}, all of them exact fractions;
                with planted=False it is the honest twin, which keeps the promise
    level       e^(epsilon/power), a fraction, so that noise of scale power/epsilon has fractions for probabilities
    story       a mechanism too large for a table: its law has to be derived, and the event is a half-line of outputs
    variant     a mechanism at a level, and a story with its numbers
    box         what the student gets of it: tables and numbers, no code
    sheet       the number of a box, and what the other questions are asked about; address and key decide which one
"""
import hashlib
import math
from collections import namedtuple
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product

import numpy as np

from grading import check, integer, need, shown, whole_numbers

SHEETS = 960
FEW = Fraction(1, 50)                                       # delta, where a mechanism has one
Mechanism = namedtuple("Mechanism", "law records n delta story mistake")
Story = namedtuple("Story", "numbers chance law")           # chance(numbers, x, t): exact Pr[the output is at most t]


# --- what laws are made of -------------------------------------------------------------------------------------------
@lru_cache(None, typed=True)                                # a float that equals a fraction must not answer for it
def tail(t, alpha):
    """Pr[G >= t] for two-sided geometric noise of ratio alpha."""
    return alpha**t / (1 + alpha) if t > 0 else 1 - alpha ** (1 - t) / (1 + alpha)


def noisy(value, alpha, top, low=0):
    """Law of value + G, moved into low..top."""
    tails = [1, *(tail(v - value, alpha) for v in range(low + 1, top + 1)), 0]
    return {(low + i,): tails[i] - tails[i + 1] for i in range(top + 1 - low)}


def shown_count(count, alpha, T):
    """Law of what a threshold T lets through of count + G: 0 for nothing, T, or T + 1 for all that is larger."""
    if count == 0:
        return {(0,): Fraction(1)}
    once, more = tail(T - count, alpha), tail(T + 1 - count, alpha)
    return {(0,): 1 - once, (T,): once - more, (T + 1,): more}


def least_threshold(alpha):
    """The least T that shows a count of one with probability at most FEW."""
    return next(T for T in range(2, 1000) if tail(T - 1, alpha) <= FEW)


def independent(*laws):
    """Law of independent outputs side by side."""
    rows = product(*(law.items() for law in laws))
    return {sum((y for y, _ in row), ()): math.prod(p for _, p in row) for row in rows}


def chosen(options, weights):
    """Law of a choice with these weights."""
    return {(option,): w / sum(weights) for option, w in zip(options, weights)}


# --- boxes -----------------------------------------------------------------------------------------------------------
def derived(key, label):
    """A text that follows from the key and gives nothing of it away."""
    return hashlib.blake2b(label.encode(), key=key.encode(), digest_size=32).hexdigest()


def text(values):
    return ",".join(map(str, values))


def source_of_chance(key, label):
    return np.random.default_rng(int(derived(key, label), 16))


class Boxes:
    """The boxes of one assignment: every mechanism at every level, each with a story, in an order that the key decides;
    and its sheets, each with the number of a box and with what `sheet(rng)` draws.

    What is handed out holds a key of its own, which only leads from an address to a place in the list of sheets.
    """

    def __init__(self, file, key, mechanisms, levels, power, story, sheet=lambda rng: {}):
        self.file, self.power, self.story = file, power, story
        self.key = derived(key, "places")
        pairs = [(mechanism, Fraction(level)) for mechanism in mechanisms for level in levels]
        numbered = [(*pair, story.numbers(i)) for i, pair in enumerate(pairs)]
        self.box = cache(self.box)                          # each is made once, however often a student is judged
        self.variants = sorted(numbered, key=lambda v: derived(key, f"{v[0].mistake} {v[1]}"))
        self.sheets = [{"box": i % len(self.variants)} | sheet(source_of_chance(key, f"sheet {i}")) for i in range(SHEETS)]

    def sheet_of(self, student):
        place = hashlib.blake2b(student.strip().lower().encode(), key=self.key.encode()).hexdigest()
        return self.sheets[int(place, 16) % SHEETS]

    def variant_of(self, student):
        return self.sheet_of(student)["box"]

    def box(self, variant, planted=True):
        mechanism, level, numbers = self.variants[variant]
        laws = {x: mechanism.law(x, level, planted) for x in product(mechanism.records, repeat=mechanism.n)}
        pmf = {text(x): {text(y): str(p) for y, p in law.items()} for x, law in laws.items()}
        return {"story": mechanism.story, "records": mechanism.records, "n": mechanism.n,
                "ratio": str(level**self.power), "delta": str(mechanism.delta), "pmf": pmf, "second": numbers}

    def need_own(self, answers, student):
        """A notebook answers the sheet of whoever hands it in, or nothing of it counts."""
        name, mine, sheet = answers["STUDENT"], answers["MINE"], self.sheet_of(student)
        need(isinstance(name, str) and name.strip().lower() == student.strip().lower(),
             f"the notebook is that of {shown(name)}, but you hand in as {student}: STUDENT must be that address")
        need(isinstance(mine, dict), f"`MINE` is {shown(mine)}: copy what the notebook prints of your sheet, braces and all")
        other = [name for name in sheet if mine.get(name) != sheet[name]] or [*mine.keys() - sheet.keys()]
        need(not other, f"`MINE` is not the sheet of {student} of this term: {', '.join(other[:3])} differs. Is the notebook "
                        "one of yours, and does the file of sheets beside it belong to it?")

    def handout(self):
        """The files that come with the notebook."""
        boxes = [self.box(v) for v in range(len(self.variants))]
        return {self.file: {"key": self.key, "boxes": boxes, "sheets": self.sheets}}

    def for_the_marker(self, student):
        mechanism, level, numbers = self.variants[self.variant_of(student)]
        second = ", ".join(f"{k} = {v}" for k, v in numbers.items() if k != "ratio")
        return (f"In this student's box: {mechanism.mistake}; e^epsilon = {level**self.power}.\n\n"
                f"In the second one ({second}): {self.story.law}.")

    def checks(self):
        """The two checks of question 1."""
        @check("q1", 2, "the promise of the table is broken")
        def table_broken(answers, student):
            box = self.box(self.variant_of(student))
            x, y, raw = claim(answers, "broken", box)
            event = outputs_of(raw, box)
            refuted(x, y, [sum(Fraction(box["pmf"][text(d)].get(s, 0)) for s in event) for d in (x, y)], box,
                    "Which outputs gain most when you go from x' to x? Put only those into S, and try the pair both "
                    "ways round")

        @check("q1", 2, "the promise of the second box is broken")
        def story_broken(answers, student):
            numbers = self.box(self.variant_of(student))["second"]
            x, y, raw = claim(answers, "broken_too", {"records": (0, 1)} | numbers)
            side, t = half_line(raw)
            least = t if side == "<=" else t - 1
            below = [self.story.chance(numbers, d, least) for d in (x, y)]
            refuted(x, y, below if side == "<=" else [1 - p for p in below], numbers,
                    "Write down the law of the output first. On which side do all random choices have to fall the same "
                    "way, and how far out is the ratio large, but the chance still above delta?")

        return table_broken, story_broken


# --- what a student claims -------------------------------------------------------------------------------------------
def claim(answers, name, box):
    """(x, x', event) of a refutation: two neighbouring data sets, and the event as it came."""
    value = answers[name]
    triple = isinstance(value, list) and len(value) == 3
    need(triple, f"`{name}` is {shown(value)}, not a triple (x, x_neighbour, event)")
    x, y = (whole_numbers(v, f"a data set in `{name}`") for v in value[:2])
    for d in (x, y):
        need(len(d) == box["n"] and set(d) <= set(box["records"]),
             f"({shown(text(d))}) is no data set of your box: {box['n']} records, each one of {text(box['records'])}")
    differ = sum(a != b for a, b in zip(x, y))
    need(differ == 1,
         f"({shown(text(x))}) and ({shown(text(y))}){where(x, y)} differ in {differ} places; neighbours differ in exactly one, and "
         "the promise says nothing about others")
    return x, y, value[2]


def where(x, y):
    """The first record in which data sets differ that are too long to be shown, counted from 0 as in Python."""
    first = next((i for i, (a, b) in enumerate(zip(x, y)) if a != b), None)
    hidden = first is not None and "..." in shown(text(x))
    return f" (record {first}, counted from 0, is {x[first]} in the first and {y[first]} in the second)" if hidden else ""


def outputs_of(raw, box):
    need(isinstance(raw, list) and raw,
         "the event in `broken` is empty or no list: it never happens, under either data set")
    event = {text(whole_numbers(y if isinstance(y, list) else [y], "an output in the event")) for y in raw}
    strange = event - {y for law in box["pmf"].values() for y in law}
    need(not strange, f"({min(strange, default='')}) in the event is no output of your box: look at mechanism_pmf(x)")
    return event


def half_line(raw):
    pair = isinstance(raw, list) and len(raw) == 2 and raw[0] in ("<=", ">=")
    need(pair, f"the event in `broken_too` is {shown(raw)}, not (\"<=\", t) or (\">=\", t)")
    t = integer(raw[1], "t in `broken_too`")
    need(abs(t) <= 500, f"t in `broken_too` is {t}: an event so far out is almost impossible or almost certain")
    return raw[0], t


def refuted(x, y, chances, box, hint):
    p, q = chances
    bound = Fraction(box["ratio"]) * q + Fraction(box["delta"])
    need(p > bound,
         f"for x = ({shown(text(x))}) and x' = ({shown(text(y))}){where(x, y)}, Pr[M(x) in S] = {float(p):.6g} is not above "
         f"e^epsilon Pr[M(x') in S] + delta = {float(bound):.6g}: the promise holds on this event. {hint}")
