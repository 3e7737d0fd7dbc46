"""Writes what the claims measured to _build/claims.json, from which the book makes its page of claims.

The checks may run in several processes (pytest -n auto). Each of these then hands over what it measured at its end, and the
process that started them puts the parts together.
"""

import json

import pytest

from tests.claims import CLAIMS, ROOT, claim_files, joined

TARGET = ROOT / "_build" / "claims.json"
PARTS = pytest.StashKey[list]()


def pytest_configure(config):
    config.addinivalue_line("markers", "claim(label): this test checks the statement with that label in the book")
    config.stash[PARTS] = []


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """A process that ran some of the checks has ended."""
    node.config.stash[PARTS].append(node.workeroutput.get("claims", []))


def pytest_sessionfinish(session, exitstatus):
    records = [c.record() for c in CLAIMS]
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["claims"] = records
        return
    if exitstatus == pytest.ExitCode.TESTS_FAILED:      # what an earlier run wrote is no longer true
        TARGET.unlink(missing_ok=True)
    elif exitstatus == 0:
        everything = joined([records, *session.config.stash[PARTS]])
        if {ROOT / c["test"].split("::")[0] for c in everything} == claim_files() and all(c["measured"] for c in everything):
            TARGET.parent.mkdir(exist_ok=True)          # all of them, not a part
            TARGET.write_text(json.dumps(everything, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
