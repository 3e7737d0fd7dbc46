"""Writes what the claims measured to _build/claims.json, from which the book makes its page of claims."""

import json

import pytest

from tests.claims import CLAIMS, ROOT, claim_files

TARGET = ROOT / "_build" / "claims.json"


def pytest_configure(config):
    config.addinivalue_line("markers", "claim(label): this test checks the statement with that label in the book")


def pytest_sessionfinish(session, exitstatus):
    if exitstatus == pytest.ExitCode.TESTS_FAILED:      # what an earlier run wrote is no longer true
        TARGET.unlink(missing_ok=True)
    elif exitstatus == 0 and claim_files() == {c.file for c in CLAIMS} and all(c.measured for c in CLAIMS):     # not a part
        TARGET.parent.mkdir(exist_ok=True)
        TARGET.write_text(json.dumps([c.record() for c in CLAIMS], indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
