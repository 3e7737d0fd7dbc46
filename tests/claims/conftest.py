"""Writes what the claims measured to _build/claims.json, from which the book makes its page of claims."""

import json

from tests.claims import CLAIMS, ROOT


def pytest_configure(config):
    config.addinivalue_line("markers", "claim(label): this test checks the statement with that label in the book")


def pytest_sessionfinish(session, exitstatus):
    files = {file.stem for file in (ROOT / "tests" / "claims").glob("test_*.py")} - {"test_completeness"}
    complete = files == {c.file.stem for c in CLAIMS} and all(c.measured for c in CLAIMS)
    if exitstatus or not complete:      # a partial run says nothing about the book
        return
    target = ROOT / "_build" / "claims.json"
    target.parent.mkdir(exist_ok=True)
    records = [c.record() for c in CLAIMS]
    target.write_text(json.dumps(records, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
