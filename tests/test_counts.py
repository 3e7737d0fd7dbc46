"""The numbers that the text counts when it is built."""

import json
from pathlib import Path
from types import SimpleNamespace

from docutils import nodes

from dplib.book.counts import Count, counts
from tests.test_checks import record

ROOT = Path(__file__).resolve().parents[1]
CHECKS = [record(caught=("a", "b")), record(caught=("c",)), record("tracing", "thm-tracing", ("d",))]


def test_statements_checks_and_mistakes_are_those_of_the_last_run():
    found = counts(CHECKS, ROOT)
    assert (found["statements"], found["checks"], found["mistakes"]) == (2, 3, 4)
    fewer = counts(CHECKS[:2], ROOT)
    assert (fewer["statements"], fewer["checks"], fewer["mistakes"]) == (1, 2, 3)


def book(root, pages=2, tests=1):
    """A book that small."""
    for folder in ("chapters", "tests/site", "_build"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    listed = "".join(f"      - file: chapters/page-{k}\n" for k in range(pages))
    opening = "      - file: chapters/part-one\n"
    reference = "  - caption: Reference\n    chapters:\n      - file: chapters/api\n"
    (root / "_toc.yml").write_text(f"root: chapters/index\n{opening}{listed}{reference}")
    for k in range(pages):
        (root / "chapters" / f"page-{k}.md").write_text('Explorer("a", f)\n')
    (root / "tests/site/test_it.py").write_text("def test_one():\n    pass\n\n\n" * tests + "def helper_test_one():\n    pass\n")
    (root / "_build/claims.json").write_text(json.dumps(CHECKS))
    return root


def test_pages_figures_and_tests_are_those_of_the_repository(tmp_path):
    found, more = counts([], book(tmp_path)), counts([], book(tmp_path, pages=3, tests=2))
    assert (found["pages"], found["figures"], found["tests"]) == (2, 2, 1)
    assert (more["pages"], more["figures"], more["tests"]) == (3, 3, 2)
    assert found["functions"] > 100


def said(word, root):
    """What the role puts into the text, and what it complains of."""
    complaints = []
    role, env = Count(), SimpleNamespace(srcdir=root, note_dependency=lambda file: None)
    reporter = SimpleNamespace(error=lambda message, line: complaints.append(message) or nodes.system_message())
    settings = SimpleNamespace(env=env)
    inliner = SimpleNamespace(reporter=reporter, document=SimpleNamespace(settings=settings))
    found, _ = role("count", f"{{count}}`{word}`", word, 1, inliner)
    return "".join(node.astext() for node in found), complaints


def test_a_word_that_nothing_counts_is_an_error(tmp_path):
    assert said("mistakes", book(tmp_path)) == ("4", [])
    text, [complaint] = said("mistaks", book(tmp_path))
    assert text == "" and "nothing counts 'mistaks'" in complaint and "mistakes" in complaint
