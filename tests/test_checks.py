"""What the last run of the claims left, as it is read and said."""

from types import SimpleNamespace

from dplib.book import checks


def record(chapter="packing", label="thm-packing", caught=("half the noise",), code=("package",)):
    return dict(chapter=chapter, label=label, caught=list(caught), test="tests/claims/test_packing.py::test_it",
                code=[{"from": kind, "name": "f"} for kind in code])


def test_checks_stand_in_the_order_of_the_book_and_those_of_no_page_last():
    env = SimpleNamespace(app=SimpleNamespace(config=SimpleNamespace(external_site_map=["chapters/privacy", "chapters/packing"])))
    given = [record("lost"), record("packing"), record("privacy"), record("packing", label="cor-mean")]
    assert [r["chapter"] for r in checks.by_chapter(given, env)] == ["privacy", "packing", "packing", "lost"]
    assert [r["label"] for r in checks.by_chapter(given, env)][1:3] == ["thm-packing", "cor-mean"]


def test_a_check_on_a_formula_is_not_said_to_run_on_code():
    assert checks.where(record(code=("formula", "package"))) == ["package", "formula"]
    assert checks.where(record(code=("formula",))) == ["formula"]


def test_two_statements_with_one_check_have_two_places():
    first, second = record(), record(label="cor-mean")
    assert checks.anchor(first) == "claim-test-it-thm-packing" != checks.anchor(second)


def test_mistakes_are_counted_over_checks():
    assert checks.mistakes([record()]) == "1 mistake caught"
    assert checks.mistakes([record(), record(caught=("a", "b"))]) == "3 mistakes caught"


def test_the_first_sentence_ends_at_its_full_stop():
    assert checks.first_sentence("Draw 0.5\nof them. Then stop.") == "Draw 0.5 of them."
