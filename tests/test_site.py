"""The Sphinx side of the book, where the built site would not show a mistake."""

import ast
import shutil
from graphlib import CycleError, TopologicalSorter
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document

from dplib.book import site
from dplib.book.site import keep_punctuation

BOOK = site.PACKAGE / "book"


def test_a_comma_stays_with_its_own_formula():
    """Two formulas followed by equal texts: texts are compared by their place, never by what they say."""
    paragraph = nodes.paragraph("", "", nodes.Text("If "), nodes.math("", "a"), nodes.Text(", "), nodes.emphasis("", "then"),
                                nodes.Text(", "), nodes.math("", "b"), nodes.Text(", "), nodes.math("", "c"), nodes.Text("."))
    document = new_document("page")
    document += paragraph
    keep_punctuation(None, document)
    assert paragraph.astext() == "If a, then, b, c."
    assert [together.astext() for together in document.findall(nodes.inline)] == ["a,", "b,", "c."]


@pytest.mark.parametrize("address, sentence, button", [
    ("https://example.org/book", "Book and package are at <https://example.org/book>.", True), (None, "", False)])
def test_the_address_of_the_repository_is_given_when_the_book_is_built(monkeypatch, address, sentence, button):
    monkeypatch.delenv("BOOK_REPOSITORY", raising=False)
    if address:
        monkeypatch.setenv("BOOK_REPOSITORY", address)
    config = SimpleNamespace(html_theme_options={}, myst_substitutions={})
    site.set_repository(None, config)
    assert config.myst_substitutions == {"repository": sentence} and ("repository_url" in config.html_theme_options) == button
    assert "launch_buttons" not in config.html_theme_options          # the theme's would put the executed notebooks in the place of ours


@pytest.mark.parametrize("given, base", [(None, ""), ("https://example.org/book", "https://example.org/book/"),
                                         ("https://example.org/book/", "https://example.org/book/")])
def test_the_address_of_the_site_is_given_when_the_book_is_built_or_unknown(monkeypatch, given, base):
    monkeypatch.delenv("BOOK_ADDRESS", raising=False)
    if given:
        monkeypatch.setenv("BOOK_ADDRESS", given)
    config = SimpleNamespace(html_theme_options={}, myst_substitutions={})
    site.set_repository(None, config)
    assert config.html_baseurl == base


@pytest.mark.parametrize("shown, read", [("8.6e-05", "8.6·10⁻⁵"), ("1e-06", "10⁻⁶"), ("2.0e+12", "2.0·10¹²"), ("0.5", "0.5"),
                                         ("e-05", "e-05")])
def test_a_number_of_the_run_reads_as_on_the_axes(shown, read):
    document = new_document("page")
    document += nodes.paragraph("", "", nodes.inline("", shown, classes=["pasted-text"]), nodes.inline("", "8.6e-05"))
    site.write_powers(None, document, "page")
    assert document.astext() == f"{read}8.6e-05"


# --- which pages are executed again -----------------------------------------------------------------------------------

@pytest.fixture
def package(tmp_path, monkeypatch):
    """A copy of the package, which a test may change."""
    copy = shutil.copytree(site.PACKAGE, tmp_path / "dplib", ignore=shutil.ignore_patterns("__pycache__", "vendor"))
    monkeypatch.setattr(site, "PACKAGE", copy)
    return copy


@pytest.mark.parametrize("file, again", [
    ("book/web/draw.js", False), ("book/web/explore.js", False), ("book/web/plot.js", False), ("book/web/explore.css", False),
    ("book/web/palette.css", True), ("book/rand_years.txt", True), ("book/explorer.py", True), ("book/columns.py", True),
    ("book/still.py", True), ("book/datasets.py", True), ("mechanisms.py", True), ("mean/__init__.py", True)])
def test_pages_are_executed_again_only_for_what_their_outputs_are_made_from(package, file, again):
    before = site.cache_folder("book")
    with open(package / file, "a", encoding="utf-8") as source:
        source.write("\n")
    assert (site.cache_folder("book") != before) == again


# --- the modules of the book ------------------------------------------------------------------------------------------

def imports(folder):
    """{module: the modules of its own package that it imports, wherever in the file it does}."""
    names = {file.stem for file in folder.glob("*.py")}
    found = {}
    for file in folder.glob("*.py"):
        inside = [node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
                  if isinstance(node, ast.ImportFrom) and node.level == 1]
        found[file.stem] = {name for node in inside for name in ([node.module] if node.module else [a.name for a in node.names])} & names
    return found


def test_no_module_of_the_book_imports_itself_in_a_circle():
    graph = imports(BOOK)
    assert {"front", "still", "live"} <= graph["explorer"] and graph["front"] == set()
    TopologicalSorter(graph).prepare()


def test_a_circle_is_found(tmp_path):
    (tmp_path / "a.py").write_text("from . import b\n")
    (tmp_path / "b.py").write_text("def late():\n    from .a import x\n")
    with pytest.raises(CycleError):
        TopologicalSorter(imports(tmp_path)).prepare()
