"""The notebooks that the site offers: what a reader sees in them is text, formulas and boxes, and nothing that only Sphinx understands."""

import os
import re
import zipfile
from pathlib import Path
from urllib.parse import unquote

import jupytext
import nbformat
import pytest

from tests.site.browser import SITE

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = SITE / "_sources" / "chapters"
PAGES = sorted(page.stem for page in (ROOT / "chapters").glob("*.md") if "{code-cell}" in page.read_text(encoding="utf-8"))
# Outside of formulas: roles, directives, labels, options, attributes, TeX without dollars, and HTML but for what every viewer shows.
RAW = re.compile(r"\{[a-z]+(:[a-z]+)*\}|:::|^\([\w-]+\)=|^:[a-z-]+:|^\{\.|^```\{|\\[(\[]|<(?!/?(?:details|summary|sub|sup)\b)", re.M)
FORMULA = re.compile(r"(?<!\\)(\$\$?)(?!\s).*?(?<![\\\s])\1", re.S)
CODE = re.compile(r"^(?:> )*```$.*?^(?:> )*```$|`[^`\n]+`", re.S | re.M)
STATED = re.compile(r"^> \*\*(?:Theorem|Lemma|Proposition|Corollary|Definition|Algorithm|Exercise) [\d.]+ ", re.M)


def said(page):
    notebook = nbformat.read(NOTEBOOKS / f"{page}.ipynb", 4)
    nbformat.validate(notebook)
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def raw(text):
    return [found[0] for found in RAW.finditer(FORMULA.sub("", CODE.sub("", text)))]


@pytest.mark.parametrize("text", [
    "{glue:text}`a:.2f`", "see {prf:ref}`thm-a`", ":::{admonition} A", "{cite:t}`a2000b`", "{ref}`why <seeds>`", "{numref}`a`", "(label)=\n# A",
    ":label: thm-a", "{.dp-caption}", "```{borrowed} a#b\n```", r"\(x\)", '<div class="a">', "<p>", "$a<b$ and {term}`b`",
    "> ```\n> a\n> ```\n> {term}`b`"])
def test_what_only_sphinx_understands_is_found(text):
    assert raw(f"Text.\n\n{text}\n") != []


def test_what_every_viewer_shows_is_not():
    assert raw("**A** $f_{a}<b$\n\n$$\\{x\\}\\\\[2pt]$$\n\n<details>\n<summary>A</summary>\n\n`{x: 1}`, costs \\$5\n\n</details>\n\n> ```\n> a <b\n> ```") == []


@pytest.mark.parametrize("page", PAGES)
def test_a_notebook_reads_like_its_page(page):
    source, text = (ROOT / "chapters" / f"{page}.md").read_text(encoding="utf-8"), said(page)
    assert raw(text) == []
    assert len(STATED.findall(text)) == len(re.findall(r"^:+\{(?:prf:(?!proof)\w+|exercise)\}", source, re.M))
    assert text.count("<summary>Proof</summary>") == len(re.findall(r"^:+\{dropdown\} Proof\s*$", source, re.M))
    for line in text.splitlines():                                    # dollars come in pairs
        assert FORMULA.sub("", CODE.sub("", line)).replace(r"\$", "").count("$") == 0, line


@pytest.mark.parametrize("page", PAGES)
def test_a_notebook_has_the_cells_of_its_page_in_their_order(page):
    cells = nbformat.read(NOTEBOOKS / f"{page}.ipynb", 4).cells
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    source = jupytext.read(ROOT / "chapters" / f"{page}.md", fmt="md:myst").cells
    assert code[1:] == [cell.source for cell in source if cell.cell_type == "code"]
    assert cells[0].source.startswith("# ") and "%pip install" in code[0]
    assert not any(cell.get("outputs") for cell in cells)


def test_links_lead_to_pages_of_the_site():
    """At the address for which the book was built, or beside the notebooks if that is unknown."""
    base = os.environ.get("BOOK_ADDRESS", "").rstrip("/")
    links = {link for page in PAGES for link in re.findall(r"\]\(([^)\s]+)", said(page))}
    seen = {link.removeprefix(f"{base}/") for link in links if link.startswith(f"{base}/" if base else "../")}
    places = {}
    for address in seen:
        file, _, place = address.partition("#")
        page = ((SITE if base else NOTEBOOKS) / file).resolve()
        assert page.is_file(), address
        places.setdefault(page, set()).add(unquote(place))
    assert len(seen) > 500
    for page, wanted in places.items():
        ids = set(re.findall(r'\bid="([^"]+)"', page.read_text(encoding="utf-8")))
        assert wanted - {""} <= ids, page


def test_what_pages_import_of_the_package_is_in_the_wheels_beside_them():
    wheels = sorted(NOTEBOOKS.glob("*.whl"))
    inside = {name for wheel in wheels for name in zipfile.ZipFile(wheel).namelist()}
    modules = {name for page in PAGES for name in re.findall(r"^\s*(?:from|import) (dplib[\w.]*)", (ROOT / "chapters" / f"{page}.md").read_text(), re.M)}
    assert len(modules) > 10
    for name in modules:
        assert {f"{name.replace('.', '/')}.py", f"{name.replace('.', '/')}/__init__.py"} & inside, name
    assert inside >= {f"dplib/book/web/{name}" for name in ("explore.js", "plot.js", "palette.css", "explore.css")}
    first = nbformat.read(NOTEBOOKS / "privacy.ipynb", 4).cells[1].source
    assert all(wheel.name in first for wheel in wheels) and len(wheels) == 2
