"""Every numbered statement of the book is claimed by a check, every claim names a statement, every file of claims has one."""

import importlib
import re

import pytest

from tests.claims import CLAIMS, ROOT, claim_files

STATEMENT = re.compile(r"^[ ]*:{3,}\{prf:(theorem|lemma|proposition|corollary)\}.*\n((?:[ ]*:\w+:.*\n)*)", re.M)


@pytest.fixture(scope="module")
def claims():
    """All of them, also if only this file is run."""
    for file in claim_files() - {c.file for c in CLAIMS}:
        importlib.import_module(f"tests.claims.{file.stem}")
    return CLAIMS


def statements():
    """(label, cited) of each statement in the chapters; a cited one says that the book does not prove it."""
    for page in sorted((ROOT / "chapters").glob("*.md")):
        for _, options in STATEMENT.findall(page.read_text(encoding="utf-8")):
            label = re.search(r":label: (\S+)", options)
            assert label, f"{page.name} has a statement without a label"
            yield label[1], bool(re.search(r":class:.*\bcited\b", options))


def test_every_statement_is_checked_and_every_check_states_something(claims):
    stated = dict(statements())
    checked = {c.label for c in claims}
    assert len(stated) > 0
    assert sorted(label for label, cited in stated.items() if not cited and label not in checked) == [], "statements without a check"
    assert sorted(checked - set(stated)) == [], "checks that claim no statement"


def test_every_file_of_claims_has_a_claim(claims):
    """Otherwise _build/claims.json would not be written, and the page would show an old one."""
    assert sorted(file.name for file in claim_files() - {c.file for c in claims}) == []
