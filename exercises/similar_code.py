"""Pairs of submissions whose code is alike, whatever the names, comments and white space: for a person to read, never a verdict.

    pip install copydetect==0.5.0            # once; it fingerprints code as MOSS does, and runs on this machine
    python similar_code.py ASSIGNMENT SUBMISSIONS OUT [SHARE]

ASSIGNMENT is a built set, SUBMISSIONS a folder of <address>.ipynb, for example `collected` of a term. OUT gets similar.csv, the
pairs whose shares are at least SHARE (0.5), and similar.html, which shows these side by side, with what is alike marked. Code that
was handed out does not count, nor what more than MANY students wrote: it tells nothing about two of them.

It does not see texts and proofs, which are not compared; another order of small steps, or loops written as sums; code from outside
the class, a program's among it. And two people may write the same short function. A pair is a reason to ask, and nothing more.
"""

import collections
import csv
import html
import io
import itertools
import sys
from pathlib import Path

import numpy as np
from copydetect import CodeFingerprint, compare_files

import grading

LENGTH = 25                        # characters after names have become one letter: what is shorter is no match
MANY = 10

PAGE = """<!doctype html><meta charset="utf-8"><title>Similar code</title>
<style>
table {{ width: 100%; table-layout: fixed }}
td {{ vertical-align: top }}
pre {{ white-space: pre-wrap }}
mark {{ background: #fd8 }}
</style>
<h1>{number} pairs of {students} submissions</h1>
<p>Marked is what is alike, names and comments aside. Read both before you ask anybody.</p>
{pairs}
"""
PAIR = """<h2>{one}: {share:.0%} of it is in {other}</h2>
<table><tr><td><pre>{left}</pre></td><td><pre>{right}</pre></td></tr></table>
"""


def code(notebook):
    """All code cells of a notebook; nothing, if it is none."""
    try:
        return "\n\n".join(grading.read(notebook)[0]) + "\n"
    except Exception:
        return ""


def fingerprint(source, known=()):
    """Every piece of so many characters, so that the same files always give the same pairs; without the pieces that are known."""
    return CodeFingerprint("submission.py", LENGTH, 1, boilerplate=np.array(sorted(known), dtype=np.int64), language="python",
                           fp=io.StringIO(source))


def fingerprints(sources, handed_out):
    """{address: fingerprint} of what is a student's own."""
    written = collections.Counter(itertools.chain.from_iterable(fingerprint(source).hashes for source in sources.values()))
    known = fingerprint(handed_out).hashes | {piece for piece, writers in written.items() if writers > MANY}
    prints = {address: fingerprint(source, known) for address, source in sources.items()}
    return {address: its_print for address, its_print in prints.items() if its_print.hashes}


def pairs(prints, share):
    """(share, address, address, marks in one, marks in the other), the most alike first, with the larger share of the two."""
    found = []
    for one, other in itertools.combinations(prints, 2):
        _, shares, marks = compare_files(prints[one], prints[other])
        if max(shares) >= share:
            both = sorted([(shares[0], one, marks[0]), (shares[1], other, marks[1])], key=lambda side: (-side[0], side[1]))
            found.append((float(both[0][0]), both[0][1], both[1][1], both[0][2], both[1][2]))
    return sorted(found, key=lambda pair: (-pair[0], pair[1:3]))


def marked(source, marks):
    """The code as HTML, with its slices marked."""
    parts, last = [], 0
    for start, end in marks.T.astype(int):
        parts += [html.escape(source[last:start]), "<mark>", html.escape(source[start:end]), "</mark>"]
        last = end
    return "".join([*parts, html.escape(source[last:])])


def report(built, submissions, out, share=0.5):
    """Write both files. Returns the pairs."""
    sources = {file.stem: code(file) for file in sorted(Path(submissions).glob("*.ipynb"))}
    found = pairs(fingerprints(sources, code(Path(built) / "student" / f"{Path(built).name}.ipynb")), share)
    Path(out).mkdir(parents=True, exist_ok=True)
    with open(Path(out) / "similar.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["share", "of", "in"], *([f"{alike:.2f}", one, other] for alike, one, other, *_ in found)])
    shown = [PAIR.format(one=html.escape(one), other=html.escape(other), share=alike, left=marked(sources[one], left),
                         right=marked(sources[other], right)) for alike, one, other, left, right in found]
    page = PAGE.format(number=len(found), students=len(sources), pairs="".join(shown))
    (Path(out) / "similar.html").write_text(page, encoding="utf-8")
    return found


if __name__ == "__main__":
    match sys.argv[1:]:
        case [built, submissions, out, *share] if len(share) <= 1:
            print(len(report(built, submissions, out, *map(float, share))), "pairs")
        case _:
            sys.exit(__doc__)
