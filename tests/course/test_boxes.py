"""Break it: every box breaks, its honest twin does not, and the judge tells a refutation from anything else."""

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

import grading
from boxes import text

NUMBER = {"ps1": 84, "ps2": 96}


def laws(box):
    """({data set: {output: probability}}, e^epsilon, delta), from what a student gets."""
    every = product(box["records"], repeat=box["n"])
    pmf = {x: {y: Fraction(p) for y, p in box["pmf"][text(x)].items()} for x in every}
    return pmf, Fraction(box["ratio"]), Fraction(box["delta"])


def numbers(output):
    return [int(value) for value in output.split(",")]


def neighbours(pmf):
    return [(x, y) for x in pmf for y in pmf if sum(a != b for a, b in zip(x, y)) == 1]


def gap(pmf, ratio, x, y):
    """max over events S of Pr[M(x) in S] - ratio Pr[M(y) in S], exactly."""
    return sum(max(p - ratio * pmf[y].get(s, 0), 0) for s, p in pmf[x].items())


def test_every_planted_box_is_refutable_and_its_honest_twin_is_not(problem_set, assignment):
    boxes = assignment.boxes
    assert len(boxes.variants) == NUMBER[problem_set.__name__]
    for variant in range(len(boxes.variants)):
        planted, ratio, delta = laws(boxes.box(variant))
        honest, *_ = laws(boxes.box(variant, planted=False))
        for pmf in (planted, honest):
            assert all(sum(law.values()) == 1 and min(law.values()) >= 0 for law in pmf.values())
        largest = max(gap(planted, ratio, x, y) for x, y in neighbours(planted))
        assert largest > delta + Fraction(1, 50)  # by far, not by a rounding error
        assert max(gap(honest, ratio, x, y) for x, y in neighbours(honest)) <= delta


def test_boxes_differ_and_every_mistake_is_handed_out(assignment):
    boxes = assignment.boxes
    variants = Counter(boxes.variant_of(f"student{i}@example.edu") for i in range(1000))
    number = len(boxes.variants)
    assert len({str(boxes.box(v)) for v in range(number)}) == number == len(variants)
    assert boxes.variant_of(" Ada@Example.edu") == boxes.variant_of("ada@example.edu")
    assert max(variants.values()) < 40  # about 11 expected
    mistakes = {boxes.for_the_marker(f"student{i}@example.edu")["q1"] for i in range(1000)}
    assert len(mistakes) == number // 12


def test_the_judge_of_boxes_takes_the_worst_event_and_refuses_its_complement(assignment):
    boxes, judges = assignment.boxes, [c.judge for c in assignment.checks if c.question == "q1"]
    for variant in range(5, len(boxes.variants), 12):
        student = next(s for s in (f"{i}@example.edu" for i in range(10_000)) if boxes.variant_of(s) == variant)
        pmf, ratio, _ = laws(boxes.box(variant))
        x, y = max(neighbours(pmf), key=lambda pair: gap(pmf, ratio, *pair))
        outputs = {s for law in pmf.values() for s in law}
        event = [s for s in outputs if pmf[x].get(s, 0) > ratio * pmf[y].get(s, 0)]
        claim = lambda event: {"STUDENT": student, "broken": [list(x), list(y), [numbers(s) for s in event]]}
        for judge in judges:
            judge(claim(event), student)
        with pytest.raises(grading.Wrong, match="the promise holds"):
            judges[-1](claim(outputs - set(event)), student)
