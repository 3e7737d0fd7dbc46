"""The page on choosing a method: its census cells, on a file and without one."""

import jupytext
import numpy as np
import pandas as pd
import pytest

from dplib.book import census
from dplib.glm import ROBUST, Box, fit_model
from tests.chance import rng
from tests.claims import ROOT, page_function


def run(*marks):
    """The page's names after its cells with these marks, without their figures."""
    source = [cell.source for cell in jupytext.read(ROOT / "chapters" / "experiments.md", fmt="md:myst").cells if cell.cell_type == "code"]
    page = {"__name__": "page"}
    for mark in marks:
        text, = (text for text in source if mark in text)
        exec(text.split("\nExplorer(")[0].replace("synthetic_census(300_000", "synthetic_census(20_000"), page)
    return page


FUNCTIONS = "def answers_of(", "def methods(", "def one_study("


@pytest.fixture(scope="module")
def made_file(tmp_path_factory):
    """A person file of California with 20,000 made-up adults."""
    folder = tmp_path_factory.mktemp("data")
    people = pd.DataFrame({name: values.astype(int) for name, values in census._made_up(20_000, rng(1)).items()})
    people["PINCP"] += 100  # all of them count as adults who work
    people.assign(SERIALNO="2018HU0000001", ST=6).to_csv(folder / "psam_p06.csv", index=False)
    return folder


@pytest.mark.parametrize("with_file", [True, False])
def test_the_census_cells_run_on_a_file_and_without_one(made_file, with_file, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DPLIB_DATA", str(made_file if with_file else tmp_path))
    page = run(*FUNCTIONS, "census_income(", "def census_lines(")
    printed = capsys.readouterr().out
    assert ("American Community Survey 2018" in printed) == with_file and ("synthetic" in printed) != with_file
    assert "20,000 people" in printed
    found = page["census_lines"](1.)
    assert 5000 < found["starts"] < found["wins"] < 1e6
    assert np.ma.getmaskarray(found["census_one"])[0] and not np.ma.getmaskarray(found["census_one"])[-1]
    pushed, released, sampling, _ = page["census_study"](3000, True, rng(2))
    assert 0 < pushed < 3 and np.isinf(released) and 0 < sampling < 1


def test_the_formulas_of_the_figures_hold_in_runs():
    """Half of the errors are below the line: of 60 runs at 2000 people and three features, at ε = 4, between 12 and 48, which is
    missed less than once in 10^5."""
    page = run(*FUNCTIONS)
    draws = rng(3)
    errors = np.array([page["one_study"](2000, 3, 4, draws) for _ in range(60)])
    lines = page["methods"](2000, 4)
    for column, name in enumerate(("counts", "tilted", "one")):
        if name != "tilted":  # its line is of the best of three settings, the run of one
            assert 12 <= (errors[:, column] < lines[name][2]).sum() <= 48, name


def test_the_lower_bound_is_of_data_sets_that_are_neighbours_in_a_row(monkeypatch):
    """Each of the 16 differs in one outcome from the next, the eighth is the people themselves, and the fit goes up."""
    swaps, seen, draws = page_function("experiments", "swaps"), [], rng(4)
    x = draws.choice([-1., 1], size=(500, 3))
    y = x @ [1., 0, -1] + draws.normal(size=500)

    def watched(X, outcomes, **given):
        seen.append(np.array(outcomes))
        return fit_model(X, outcomes, **given)
    monkeypatch.setitem(swaps.__globals__, "fit_model", watched)
    found, most = swaps(x, y, ROBUST, Box([(-1, 1)] * 3, intercept=False), np.eye(3)[0], lambda outcomes, sign: outcomes + 50 * sign, 8)
    assert len(found) == 16 and (seen[8] == y).all()
    assert [(a != b).sum() for a, b in zip(seen[1:], seen[2:])] == [1] * 15
    assert (np.diff(found) > .7 * most).all()
