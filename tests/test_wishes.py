"""The page of tables: its steps and its calls, run in pandas and in polars; both print what the page prints."""

import doctest
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

PAGE = (Path(__file__).resolve().parents[1] / "chapters" / "api-tables.md").read_text(encoding="utf-8")
STEPS = re.findall(r"^\| (?!step)([\w ,]+) \| `(.*)` \| `(.*)` \|$", PAGE, re.M)
CALLS = "\n".join(re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S))


def visits(people=1000):
    """Made up: people who come a few times to a few wards."""
    rng = np.random.default_rng(1854)
    person = np.repeat(np.arange(people), rng.integers(1, 6, people))
    month = rng.integers(1, 13, person.size)
    return pd.DataFrame({"person": person, "ward": rng.choice(list("ABCD"), person.size, p=[.45, .3, .24, .01]),
                         "date": [f"2026-{m:02}-15" for m in month], "cost": rng.gamma(2, 30, person.size).round(2)})


def prepared(column, folder, monkeypatch):
    """What the first steps, read from a column of the page's table, leave behind."""
    visits().to_csv(folder / "visits.csv", index=False)
    monkeypatch.chdir(folder)
    names = {"pd": pd, "pl": pl}
    for step in STEPS:
        if step[column].startswith(("visits", "months")):
            exec(step[column], names)
    return names


@pytest.mark.parametrize("column", [1, 2], ids=["pandas", "polars"])
def test_the_calls_of_the_page_print_what_it_shows(column, tmp_path, monkeypatch):
    names = prepared(column, tmp_path, monkeypatch)
    example = doctest.DocTestParser().get_doctest(CALLS, names, "api-tables.md", None, None)
    assert len(example.examples) > 15
    printed = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(example, out=printed.append, clear_globs=False)
    assert not printed, "".join(printed)
    shown = eval(next(step for step in STEPS if "to_frame" in step[column])[column], example.globs)
    assert isinstance(shown, (pd.DataFrame, pl.DataFrame)[column - 1]) and list(shown["value"]) == sorted(shown["value"])


def test_the_page_has_eight_wishes_and_four_steps():
    assert len(STEPS) == 4 and len(re.findall(r"^\*\*… ", PAGE, re.M)) == 8
