"""Every numbered statement of the book is claimed by a check, and every claim names a statement."""

import re

from tests.claims import CLAIMS, ROOT

STATEMENT = re.compile(r"^[ ]*:{3,}\{prf:(theorem|lemma|proposition|corollary)\}.*\n((?:[ ]*:\w+:.*\n)*)", re.M)


def statements():
    """(label, cited) of each statement in the chapters; a cited one says that the book does not prove it."""
    for page in sorted((ROOT / "chapters").glob("*.md")):
        for _, options in STATEMENT.findall(page.read_text(encoding="utf-8")):
            label = re.search(r":label: (\S+)", options)
            assert label, f"{page.name} has a statement without a label"
            yield label[1], bool(re.search(r":class:.*\bcited\b", options))


def test_every_statement_is_checked_and_every_check_states_something():
    stated = dict(statements())
    checked = {c.label for c in CLAIMS}
    assert len(stated) > 0
    assert sorted(label for label, cited in stated.items() if not cited and label not in checked) == [], "statements without a check"
    assert sorted(checked - set(stated)) == [], "checks that claim no statement"
