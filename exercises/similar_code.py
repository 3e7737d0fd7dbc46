"""Pairs of submissions whose code is alike, whatever the names, comments and white space: for a
person to read, never a verdict.

    pip install copydetect==0.5.0           # once, into the book's environment
    python similar_code.py ASSIGNMENT SUBMISSIONS OUT [SHARE]

ASSIGNMENT is a built set, and SUBMISSIONS a folder of <address>.ipynb, for example `collected`
of a term. OUT gets similar.csv with the pairs whose shares are at least SHARE (0.5 if you do not
say), and similar.html, which shows these pairs side by side with what is alike marked.

Code that was handed out does not count, nor what more than MANY students wrote, because it tells
nothing about two of them. The library compares on this machine, by fingerprints as MOSS does. We
call its two functions for that and not its report, which loads styles from elsewhere.
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
<p>Marked is what is alike when names, comments and white space are set aside. Code that was handed
out is not marked, nor what more than {many} students wrote. Read both programs before you ask
anybody: short functions may be alike by chance, and friends may have read the same page.</p>
<p>This report does not see proofs and other texts, since only code is compared. It does not see a
program that was rewritten step by step, with loops turned into sums or statements in another
order. It does not see code from outside the class, be it a page or a language model. And it does not
see a program that went round among more than {many} students, since so many make it common.</p>
{pairs}
"""
PAIR = """<h2>{one}: {share:.0%} of it is in {other}</h2>
<table><tr><td><pre>{left}</pre></td><td><pre>{right}</pre></td></tr></table>
"""


def code(notebook):
    """All code cells of a notebook; nothing of a file that is none, which its own grading tells."""
    try:
        return "\n\n".join(grading.read(notebook)[0]) + "\n"
    except Exception:
        return ""


def fingerprint(source, known=()):
    """All pieces of a program but those that are known. The library could choose a few by their hashes,
    which Python mixes anew in every process; with a window of 1 the same files give the same pairs."""
    return CodeFingerprint("submission.py", LENGTH, 1, boilerplate=np.array(sorted(known), dtype=np.int64), language="python",
                           fp=io.StringIO(source))


def fingerprints(sources, handed_out):
    """{address: fingerprint} of what is a student's own."""
    written = collections.Counter(itertools.chain.from_iterable(fingerprint(source).hashes for source in sources.values()))
    known = fingerprint(handed_out).hashes | {piece for piece, writers in written.items() if writers > MANY}
    prints = {address: fingerprint(source, known) for address, source in sources.items()}
    # Who has written nothing is alike to nobody, and the share of nothing would be a division by zero.
    return {address: its_print for address, its_print in prints.items() if its_print.hashes}


def pairs(prints, share):
    """(share, whose, address of the other, marks in one, marks in the other), the most alike first.
    Of a pair the one stands first of which the larger share is in the other."""
    found = []
    for one, other in itertools.combinations(prints, 2):
        _, shares, marks = compare_files(prints[one], prints[other])
        # The larger share decides, so that a copy is found inside a longer program, too.
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
    page = PAGE.format(number=len(found), students=len(sources), many=MANY, pairs="".join(shown))
    (Path(out) / "similar.html").write_text(page, encoding="utf-8")
    return found


if __name__ == "__main__":
    match sys.argv[1:]:
        case [built, submissions, out, *share] if len(share) <= 1:
            print(len(report(built, submissions, out, *map(float, share))), "pairs")
        case _:
            sys.exit(__doc__)
