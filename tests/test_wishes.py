"""The page of tables: its calls, run in pandas and in polars; both print what the page prints."""

import doctest
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

PAGE = (Path(__file__).resolve().parents[1] / "chapters" / "api-tables.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```pycon\n(.*?)^```", PAGE, re.M | re.S)
FIRST = {lines.split()[1]: lines for lines in BLOCKS if not lines.startswith(">>>")}
CALLS = "\n".join(lines for lines in BLOCKS if lines.startswith(">>>"))


def visits(people=1000):
    """Made up: people who come a few times to a few wards."""
    rng = np.random.default_rng(1854)
    person = np.repeat(np.arange(people), rng.integers(1, 6, people))
    month = rng.integers(1, 13, person.size)
    return pd.DataFrame({"person": person, "ward": rng.choice(list("ABCD"), person.size, p=[.45, .3, .24, .01]),
                         "date": [f"2026-{m:02}-15" for m in month], "cost": rng.gamma(2, 30, person.size).round(2)})


@pytest.mark.parametrize("library, kind", [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_the_calls_of_the_page_print_what_it_shows(library, kind, tmp_path, monkeypatch):
    names, printed = {}, []
    monkeypatch.chdir(tmp_path)
    visits().to_csv("visits.csv", index=False)
    exec(FIRST[library], names)
    calls = doctest.DocTestParser().get_doctest(CALLS, names, "api-tables.md", None, None)
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(calls, out=printed.append, clear_globs=False)
    assert not printed, "".join(printed)
    assert isinstance(calls.globs["answer"].to_frame(), kind)


def test_the_page_has_nine_wishes_in_two_libraries():
    assert len(FIRST) == 2 and len(re.findall(r"^\*\*… ", PAGE, re.M)) == 9
