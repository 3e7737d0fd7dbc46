"""How far `make test` looks, which is for every change, and how far `make test-all` does, which is for every night."""

import os
from typing import NamedTuple

EVERYTHING = bool(os.environ.get("TEST_ALL"))


class Depth(NamedTuple):
    """Of what there is more than every change needs, so many of so many."""
    what: str
    some: int
    all: int

    def __call__(self):
        return self.all if EVERYTHING else self.some


POSITIONS = Depth("positions of each explorer whose numbers and marks are compared", 6, 20)
PLACES = Depth("positions of each explorer, at two widths, whose texts are clear of each other", 12, 34)
HANDS = Depth("explorers, moved by keys, hands and addresses, printed and darkened", 1, 4)
DRAWS = Depth("stored draws that are stepped through", 3, 20)
ALONE = Depth("explorers that are opened alone", 1, 8)
WITHOUT_SCRIPT = Depth("pages with explorers that are read without a script", 1, 8)
DARK = Depth("pages whose contrast is measured in the dark", 1, 4)
SHOWN_DECKS = Depth("decks that are shown slide by slide", 1, 16)
RELEASED = Depth("pairs of neighbours that are released", 1, 3)
PAIRS = Depth("pairs of neighbours whose calls and memory are counted", 1, 12)
SECOND_BOXES = Depth("second boxes of each problem set that are searched", 1, 3)
STUDENTS = Depth("students of each problem set for whom the reference is graded", 3, 12)
KINDS = Depth("kinds of sheets of each problem set that are compared with searches", 1, 5)
COPIES = Depth("copies of each wrong submission", 5, 40)
CLASS = Depth("students of a scripted term", 12, 60)
PAPER = Depth("books that are set on paper", 0, 1)
CLUSTERS = Depth("engines of many machines, dask and Spark, that are asked for tables", 0, 2)
DEPTHS = [value for value in list(globals().values()) if isinstance(value, Depth)]


def few(several, depth):
    """As large a share of them as is looked at, evenly spread."""
    several = list(several)
    return several[::depth.all // depth()]


def said():
    """One sentence for the end of a run: which it was, and what it left out."""
    if EVERYTHING:
        return "make test-all: everything was looked at"
    return "make test left to make test-all, of every so many: " + "; ".join(f"{d.all - d.some} of {d.all} {d.what}" for d in DEPTHS)
