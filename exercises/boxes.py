"""*Break it*: tables of mechanisms with a planted mistake, one for each student, and what judges a refutation.

    law         what a mechanism does: law(x, level, planted) is {output: probability}, all of them exact fractions;
                with planted=False it is the honest twin, which keeps the promise
    level       e^(epsilon/power), a fraction, so that noise of scale power/epsilon has fractions for probabilities
    variant     a mechanism at a level; a student's address and the key decide which one it is
    box         what the student gets of it: tables, not code
"""
import hashlib
import math
from collections import namedtuple
from fractions import Fraction
from itertools import product

from grading import check, need, shown, whole_numbers

FEW = Fraction(1, 50)                                       # delta, where a mechanism has one
Mechanism = namedtuple("Mechanism", "law records n delta story mistake")


# --- what laws are made of -------------------------------------------------------------------------------------------
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
def text(values):
    return ",".join(map(str, values))


class Boxes:
    """The boxes of one assignment: every mechanism at every level."""

    def __init__(self, file, key, mechanisms, levels, power):
        self.file, self.key, self.power = file, key, power
        self.variants = [(mechanism, Fraction(level)) for mechanism in mechanisms for level in levels]

    def variant_of(self, student):
        place = hashlib.blake2b(student.strip().lower().encode(), key=self.key.encode()).hexdigest()
        return int(place, 16) % len(self.variants)

    def box(self, variant, planted=True):
        mechanism, level = self.variants[variant]
        laws = {x: mechanism.law(x, level, planted) for x in product(mechanism.records, repeat=mechanism.n)}
        pmf = {text(x): {text(y): str(p) for y, p in law.items()} for x, law in laws.items()}
        return {"story": mechanism.story, "records": mechanism.records, "n": mechanism.n,
                "ratio": str(level**self.power), "delta": str(mechanism.delta), "pmf": pmf}

    def handout(self):
        """The files that come with the notebook."""
        return {self.file: {"key": self.key, "boxes": [self.box(v) for v in range(len(self.variants))]}}

    def for_the_marker(self, student):
        return {"q1": f"In this student's box: {self.variants[self.variant_of(student)][0].mistake}."}

    def checks(self):
        """The three checks of question 1."""
        @check("q1", 1, "two neighbouring data sets of your box")
        def two_neighbours(answers, student):
            name = answers["STUDENT"]
            need(isinstance(name, str) and name.strip().lower() == student.strip().lower(),
                 f"the notebook opens the box of {shown(name)}, but you hand in as {student}: STUDENT must be that "
                 "address")
            neighbours(answers, self.box(self.variant_of(student)))

        @check("q1", 1, "an event of your box")
        def an_event(answers, student):
            event_of(answers, self.box(self.variant_of(student)))

        @check("q1", 3, "the promise is broken there")
        def broken_there(answers, student):
            box = self.box(self.variant_of(student))
            x, y = neighbours(answers, box)
            event = event_of(answers, box)
            p, q = (sum(Fraction(box["pmf"][text(d)].get(s, 0)) for s in event) for d in (x, y))
            bound = Fraction(box["ratio"]) * q + Fraction(box["delta"])
            need(p > bound,
                 f"for x = ({text(x)}) and x' = ({text(y)}), Pr[M(x) in S] = {float(p):.6g} is not above "
                 f"e^epsilon Pr[M(x') in S] + delta = {float(bound):.6g}: the promise holds on this event. Which "
                 "outputs gain most when you go from x' to x? Put only those into S, and try the pair both ways round")

        return two_neighbours, an_event, broken_there


# --- what a student claims -------------------------------------------------------------------------------------------
def refutation(answers):
    value = answers["broken"]
    triple = isinstance(value, list) and len(value) == 3
    need(triple, f"`broken` is {shown(value)}, not a triple (x, x_neighbour, event)")
    return value


def neighbours(answers, box):
    pair = [whole_numbers(v, "a data set in `broken`") for v in refutation(answers)[:2]]
    for x in pair:
        need(len(x) == box["n"] and set(x) <= set(box["records"]),
             f"({shown(text(x))}) is no data set of your box: {box['n']} records, each one of {text(box['records'])}")
    differ = sum(a != b for a, b in zip(*pair))
    need(differ == 1,
         f"({text(pair[0])}) and ({text(pair[1])}) differ in {differ} places; neighbours differ in exactly one, and "
         "the promise says nothing about others")
    return pair


def event_of(answers, box):
    outputs = {y for law in box["pmf"].values() for y in law}
    raw = refutation(answers)[2]
    need(isinstance(raw, list) and raw,
         "the event in `broken` is empty or no list: it never happens, under either data set")
    event = {text(whole_numbers(y if isinstance(y, list) else [y], "an output in the event")) for y in raw}
    need(event <= outputs,
         f"({min(event - outputs, default='')}) in the event is no output of your box: look at mechanism_pmf(x)")
    return event
