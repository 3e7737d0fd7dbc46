"""Tables of results say what they are given, on the page and in text."""

import numpy as np
import pytest
from bs4 import BeautifulSoup

from dplib.book import table

ROWS = [(10, .125, "n & <m>"), (np.int64(3000), np.float64(8.6e-5), "never")]


def test_the_page_has_the_numbers_as_figures_write_them():
    page = BeautifulSoup(table(["n", "error", "note"], ROWS).html(), "html.parser")
    assert [cell.text for cell in page.select("thead th")] == ["n", "error", "note"]
    assert [[cell.text for cell in row.select("td")] for row in page.select("tbody tr")] == [
        ["10", "0.125", "n & <m>"], ["3,000", "8.6·10⁻⁵", "never"]]
    assert all(cell["scope"] == "col" for cell in page.select("th"))
    assert [cell.text for cell in page.select("td.dp-number")] == ["10", "0.125", "3,000", "8.6·10⁻⁵"]


def test_text_is_aligned():
    assert table(["n", "error"], [(5, "0.25"), (1000, "12.50")]).text() == "    n  error\n    5   0.25\n1,000  12.50"


def test_a_notebook_gets_both():
    assert set(table(["a"], [(1,)])._repr_mimebundle_()) == {"text/plain", "text/html"}


@pytest.mark.parametrize("rows", [[], [(1,)], [(1, 2), (1, 2, 3)]])
def test_rows_that_do_not_fit_their_headings(rows):
    with pytest.raises(ValueError, match="every row must have 2 entries"):
        table(["a", "b"], rows)
