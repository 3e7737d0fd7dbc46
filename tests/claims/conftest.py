"""Writes what the claims measured to _build/claims.json, from which the book makes its page of claims."""

import json

from tests.claims import CLAIMS, ROOT, claim_files

TARGET = ROOT / "_build" / "claims.json"


def pytest_configure(config):
    config.addinivalue_line("markers", "claim(label): this test checks the statement with that label in the book")


def pytest_sessionfinish(session, exitstatus):
    if exitstatus:                      # what an earlier run wrote is no longer true of this code
        TARGET.unlink(missing_ok=True)
    elif claim_files() == {c.file for c in CLAIMS} and all(c.measured for c in CLAIMS):      # a partial run says nothing of the book
        TARGET.parent.mkdir(exist_ok=True)
        TARGET.write_text(json.dumps([c.record() for c in CLAIMS], indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
