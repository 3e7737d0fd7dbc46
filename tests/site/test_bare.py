"""Every page as a notebook in an environment with nothing but JupyterLab, NumPy, SciPy and Matplotlib: `make bare` makes it."""

import os
import shutil
import subprocess

import nbformat
import pytest

from dplib.book.notebooks import setup_cell
from tests.site.browser import SITE, explorer_pages, served

if "BARE_PYTHON" not in os.environ:                 # conftest.py leaves this file out then, unless it was asked for by name
    pytest.skip("the pages run outside of the book's environment under make bare", allow_module_level=True)
PYTHON = os.path.abspath(os.environ["BARE_PYTHON"])
NOTEBOOKS = SITE / "_sources" / "chapters"
PAGES = sorted(file.stem for file in NOTEBOOKS.glob("*.ipynb"))
FIGURES = {page.stem: len(ids) for page, ids in explorer_pages(SITE / "chapters").items()}
INSTALLED = ("private-statistics", "private-statistics-book")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What a reader has downloaded: the notebooks and the two wheels beside them."""
    return shutil.copytree(NOTEBOOKS, tmp_path_factory.mktemp("reader") / "chapters", ignore=shutil.ignore_patterns("*.md"))


def run(*arguments, **options):
    environment = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "DPLIB_STATIC"}}
    return subprocess.run([PYTHON, "-m", *arguments], env=environment, capture_output=True, text=True, **options)


def executed(file):
    done = run("jupyter", "execute", "--inplace", file.name, cwd=file.parent)
    assert done.returncode == 0, done.stderr[-2000:]
    return nbformat.read(file, 4)


def packages():
    return {line.split("==")[0] for line in run("pip", "freeze").stdout.splitlines()}


def printed(cell):
    return "".join(output.get("text", "") for output in cell.outputs)


def test_the_first_cell_installs_what_is_missing_from_the_site_and_says_so(folder):
    assert not packages() & {*INSTALLED, "anywidget", "statsmodels", "pandas"}
    with served(SITE) as address:
        site = f"{address}/"
        first = setup_cell(site, [file.name for file in sorted(NOTEBOOKS.glob("*.whl"))])
        cells = [nbformat.v4.new_code_cell(source) for source in (first, "from dplib.book import Explorer", first)]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "first.ipynb")
        said, _, again = executed(folder / "first.ipynb").cells
    assert f"No module named 'dplib': installing it from {site}" in printed(said) and printed(again) == ""
    assert packages() >= {"anywidget", "statsmodels"}


def test_the_first_cell_installs_what_lies_beside_the_notebook():
    assert run("pip", "uninstall", "--yes", *INSTALLED).returncode == 0
    assert not packages() & set(INSTALLED)                            # the first page puts them back


@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs_from_top_to_bottom_and_draws_its_figures(folder, page):
    cells = executed(folder / f"{page}.ipynb").cells
    outputs = [output for cell in cells if cell.cell_type == "code" for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]
    shown = [output["data"] for output in outputs if "data" in output]
    figures = FIGURES.get(page, 0)
    assert sum("application/vnd.jupyter.widget-view+json" in data for data in shown) == figures
    assert sum("dp-unplugged" in data.get("text/html", "") for data in shown) == figures
