"""Break it: every box breaks, its honest twin does not, and the judge tells a refutation from anything else."""

import json
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from math import lcm

import numpy as np
import pytest

import grading
import in_person
from boxes import claim, text, where
from tests.depth import SECOND_BOXES, few


def test_where_long_data_sets_differ_is_told():
    x, y = (0,) * 60, (0,) * 40 + (1,) + (0,) * 18 + (1,)
    assert where(x[:9], (1,) + x[1:9]) == "" and "record 40, counted from 0, is 0 in the first and 1 in the second" in where(x, y)
    with pytest.raises(grading.Wrong, match="record 40, .* differ in 2 places"):
        claim({"broken_too": [list(x), list(y), None]}, "broken_too", {"n": 60, "records": (0, 1)})


def laws(box):
    """({data set: {output: probability}}, e^epsilon, delta), from what a student gets."""
    every = product(box["records"], repeat=box["n"])
    pmf = {x: {y: Fraction(p) for y, p in box["pmf"][text(x)].items()} for x in every}
    return pmf, Fraction(box["ratio"]), Fraction(box["delta"])


def numbers(output):
    return [int(value) for value in output.split(",")]


def neighbours(pmf):
    return [(x, y) for x in pmf for y in pmf if sum(a != b for a, b in zip(x, y)) == 1]


def gaps(pmf, ratio, pairs):
    """max over events S of Pr[M(x) in S] - ratio Pr[M(y) in S] for each pair (x, y), exactly: over one denominator, whole
    numbers are added."""
    whole = lcm(*(p.denominator for law in pmf.values() for p in law.values()))
    parts = {x: {s: p.numerator * (whole // p.denominator) for s, p in law.items()} for x, law in pmf.items()}
    a, b = ratio.numerator, ratio.denominator
    return [Fraction(sum(max(b * p - a * parts[y].get(s, 0), 0) for s, p in parts[x].items()), b * whole) for x, y in pairs]


def test_every_planted_box_is_refutable_and_its_honest_twin_is_not(problem_set, assignment):
    boxes = assignment.boxes
    assert len(boxes.variants) == problem_set.DIFFERENT_BOXES
    for variant in range(len(boxes.variants)):
        planted, ratio, delta = laws(boxes.box(variant))
        honest, *_ = laws(boxes.box(variant, planted=False))
        for pmf in (planted, honest):
            assert all(sum(law.values()) == 1 and min(law.values()) >= 0 for law in pmf.values())
        pairs = neighbours(planted)
        assert set(honest) == set(planted)
        assert max(gaps(planted, ratio, pairs)) > delta + Fraction(1, 50)  # by far, not by a rounding error
        assert max(gaps(honest, ratio, pairs)) <= delta


def test_boxes_differ_and_every_mistake_is_handed_out(assignment):
    boxes = assignment.boxes
    variants = Counter(boxes.variant_of(f"student{i}@example.edu") for i in range(1000))
    number = len(boxes.variants)
    assert len({str(boxes.box(v)) for v in range(number)}) == number == len(variants)
    assert boxes.variant_of(" Ada@Example.edu") == boxes.variant_of("ada@example.edu")
    assert max(variants.values()) < 40  # about 11 expected
    assert len({mechanism.mistake for mechanism, *_ in boxes.variants}) == number // 12
    for student in ("ada@example.edu", "bob@example.edu"):
        mechanism, *_ = boxes.variants[boxes.variant_of(student)]
        assert mechanism.mistake in boxes.for_the_marker(student)


def test_the_judge_of_boxes_takes_the_worst_event_and_refuses_its_complement(assignment):
    boxes, judge = assignment.boxes, assignment.table_broken
    for variant in range(5, len(boxes.variants), 12):
        student = next(s for s in (f"{i}@example.edu" for i in range(10_000)) if boxes.variant_of(s) == variant)
        pmf, ratio, _ = laws(boxes.box(variant))
        pairs = neighbours(pmf)
        _, (x, y) = max(zip(gaps(pmf, ratio, pairs), pairs))
        outputs = {s for law in pmf.values() for s in law}
        event = [s for s in outputs if pmf[x].get(s, 0) > ratio * pmf[y].get(s, 0)]
        claim = lambda event: {"STUDENT": student, "broken": [list(x), list(y), [numbers(s) for s in event]]}
        judge(claim(event), student)
        with pytest.raises(grading.Wrong, match="the promise holds"):
            judge(claim(outputs - set(event)), student)


# --- the second box --------------------------------------------------------------------------------------------------
def judged(assignment, variant, claim):
    """Whether this claim refutes the second box of whoever has this variant."""
    student = next(s for s in (f"{i}@example.edu" for i in range(10_000)) if assignment.boxes.variant_of(s) == variant)
    try:
        assignment.story_broken({"STUDENT": student, "broken_too": claim}, student)
        return True
    except grading.Wrong as wrong:
        assert "the promise holds" in str(wrong)
        return False


def test_every_second_box_breaks_where_no_sample_shows_it(problem_set, assignment):
    """Exactly: an event that refutes it is rarer than one in a million under both data sets, so that an empirical table,
    searched by the script that refutes every first box, never holds it. And no event on likelier sides refutes it."""
    boxes = assignment.boxes
    for variant, (_, _, numbers) in few(enumerate(boxes.variants), SECOND_BOXES):
        chance = cache(lambda x, t: boxes.story.chance(numbers, x, t))
        ratio, delta = Fraction(numbers["ratio"]), Fraction(numbers["delta"])
        pairs, outputs = problem_set.second_pairs(numbers, variant)
        refuting = []
        for x, y in pairs:
            for t in outputs:
                p, q = chance(x, t), chance(y, t)
                refuting += [("<=", t, p, x, y)] * (p > ratio * q + delta)
                refuting += [(">=", t + 1, 1 - p, x, y)] * (1 - p > ratio * (1 - q) + delta)
        assert refuting and max(p for _, _, p, _, _ in refuting) < 1e-6
        side, t, _, x, y = max(refuting, key=lambda found: found[2])
        if variant % 7 == 0:
            assert judged(assignment, variant, [list(x), list(y), [side, t]])
            assert not judged(assignment, variant, [list(y), list(x), [side, t]])


def test_a_box_on_paper_is_refuted_from_its_four_digits(assignment):
    """The event that is worst in the rounded table fails in exact fractions, too."""
    for variant in range(0, len(assignment.boxes.variants), 12):
        box = assignment.boxes.box(variant)
        rounded = {data: {y: in_person.printed(Fraction(p)) for y, p in law.items()} for data, law in box["pmf"].items()}
        _, x, y, event = in_person.refutation(box | {"pmf": rounded})
        left, right = (sum(Fraction(box["pmf"][text(data)].get(output, 0)) for output in event) for data in (x, y))
        assert left > Fraction(box["ratio"]) * right + Fraction(box["delta"])


def test_the_script_that_refutes_every_table_does_nothing_for_a_second_box(problem_set, built, assignment):
    """The solution's search, given a table of 3,000 runs of the handed-out sampler on neighbours, finds no refutation."""
    source = json.loads((built / "solution" / f"{built.name}.ipynb").read_text())["cells"]
    code = ["".join(cell["source"]) for cell in source if cell["cell_type"] == "code"]
    search = next(c for c in code if "def worst_event" in c).split("every = ")[0]
    sampler = next(c for c in code if "def second_mechanism" in c).split("\nprint")[0]
    for variant in few(range(0, len(assignment.boxes.variants), 9), SECOND_BOXES):
        box = assignment.boxes.box(variant)
        n, ratio = box["second"]["n"], Fraction(box["second"]["ratio"])
        space = {"box": box, "Fraction": Fraction, "np": np, "ratio": ratio, "STUDENT": ""}
        exec(sampler, space)
        table, rng = {}, np.random.default_rng(variant)
        ones = box["second"].get("T", 5)
        x = (1,) * ones + (0,) * (n - ones)
        y = (0,) + x[1:]
        for d in (x, y):
            seen = Counter(int(space["second_mechanism"](d, rng)) for _ in range(3_000))
            table[d] = {(value,): Fraction(count, 3_000) for value, count in seen.items()}
        space["mechanism_pmf"] = table.get
        exec(search, space)
        for a, b in ((x, y), (y, x)):
            *_, event = space["worst_event"](a, b)
            for (t,) in event:                              # outputs that never came up under b: each as a half-line
                for side in ("<=", ">="):
                    assert not judged(assignment, variant, [list(a), list(b), [side, t]])
