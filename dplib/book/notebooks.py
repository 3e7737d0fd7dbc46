"""Each page with code as a notebook: what the page says, its numbers and names filled in, as plain
Markdown between the cells. Nothing in it needs Sphinx, and links lead to the site."""

import os
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import jupytext
import nbformat
from bs4 import BeautifulSoup

from .prose import BLANK, Prose, classes, tidy
from .site import PACKAGE, SITE_ONLY, repository


# --- pages
# --------------------------------------------------------------------------------------------------

def pieces(node):
    """What stands in the sections of a page, in its order; cells stand in folds of sections, too,
    and a notebook has no cell in a fold."""
    for child in node.find_all(True, recursive=False):
        if child.name == "section" or "dp-more" in classes(child):
            yield from pieces(child)
        elif child.name != "summary":
            yield child


def notebook_of(name, body, source, site, setup):
    """The notebook of a page: its own cells, and around them the prose of the built page."""
    without_drawings = re.sub("<svg.*?</svg>", "", body, flags=re.S)
    page = BeautifulSoup(without_drawings, "html.parser")
    prose = Prose(lambda address: absolute(site, name, address))
    code = [cell for cell in source.cells if cell.cell_type == "code"]
    cells, said = [], []

    def say():
        if text := tidy(BLANK.join(map(prose.process_element, said))):
            cells.append(nbformat.v4.new_markdown_cell(text))
        said.clear()

    for piece in pieces(page):
        if re.fullmatch("h[1-6]", piece.name):
            say()                              # JupyterLab folds what stands under a heading
        if "cell" not in classes(piece):
            said.append(piece)
            continue
        say()
        for shown in piece.select(".cell_input pre"):
            cells += until(code, shown.get_text(), name)
        said += piece.select(".dp-caption")
    say()
    cells += until(code, None, name)
    cells.insert(1, nbformat.v4.new_code_cell(setup))
    # builds agree
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    return nbformat.v4.new_notebook(
        cells=cells, metadata=dict(kernelspec=source.metadata["kernelspec"]))


def until(code, shown, name):
    """Takes the cells up to the one that the page shows; those before it the page does not show."""
    taken = []
    while code:
        taken.append(collapsed(code.pop(0)))
        if shown is not None and taken[-1].source.strip() == shown.strip():
            return taken
    if shown is not None:
        raise ValueError(f"page {name!r} shows code that is in no cell of its source: {shown[:80]}")
    return taken


def collapsed(cell):
    """What the page folds or does not show is folded in JupyterLab, too."""
    tags = set(cell.metadata.get("tags", []))
    folded = {"source_hidden": bool(tags & {"hide-input", "hide-cell", "remove-cell"}),
              "outputs_hidden": bool(tags & {"hide-output", "hide-cell"})}
    return nbformat.v4.new_code_cell(cell.source, metadata={"jupyter": folded} if tags else {})


def absolute(site, name, address):
    """An address that a page names, as one on the site. If nobody has said where that is, it leads
    from the notebook to the page beside it, in the folder of the site."""
    if re.match(r"[a-z]+:", address):
        return address
    path = posixpath.normpath(posixpath.join(posixpath.dirname(name), address))
    if address.startswith("#"):
        path = f"{name}.html{address}"
    return site + path if site else posixpath.relpath(path, f"_sources/{posixpath.dirname(name)}")


# --- what a notebook needs
# --------------------------------------------------------------------------------------------------

SETUP = """\
# This page runs on dplib, the package of the book. Where it is missing, the next lines install it,
# with what it needs: anywidget, Matplotlib, NumPy, SciPy and statsmodels.{where}
# Figures and results appear when the cells are run: Run All Cells is in the menu Run.
try:
    import dplib.book
except ModuleNotFoundError as missing:
    print(f"{{missing}}: installing it from {source}.")
    print("If figures have no sliders afterwards, load this page again in your browser.")
    %pip install --quiet {wheels}"""
BESIDE = """
# Both files lie beside this notebook on the site: put them into its folder."""


def setup_cell(site, wheels):
    """The first lines of code: a checkout and Binder have the package, others install it."""
    files = " ".join(f"{site}_sources/chapters/{wheel}" if site else wheel for wheel in wheels)
    where, source = ("", site) if site else (BESIDE, "the folder of this notebook")
    return SETUP.format(where=where, source=source, wheels=files)


def write_wheels(folder):
    """The package and, in a wheel of its own, what of dplib.book the pages import. Their names."""
    with tempfile.TemporaryDirectory() as made:
        algorithms, book = Path(made, "algorithms"), Path(made, "book")
        aside = shutil.ignore_patterns("book", "__pycache__")
        shutil.copytree(PACKAGE, algorithms / "dplib", ignore=aside)
        shutil.copy(PACKAGE.parent / "pyproject.toml", algorithms)
        shutil.copytree(PACKAGE / "book", book / "dplib" / "book", ignore=shutil.ignore_patterns(
            "__pycache__", "vendor", *(f"{name}.py" for name in SITE_ONLY)))
        shutil.copy(PACKAGE / "__init__.py", book / "dplib")
        shutil.move(book / "dplib" / "book" / "pyproject.toml", book)
        for source in (algorithms, book):
            shutil.copy(PACKAGE.parent / "LICENSE", source)
        subprocess.run([
            sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check",
            "--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", made,
            algorithms, book,
        ], check=True, env=os.environ | {"SOURCE_DATE_EPOCH": "315532800"})     # builds agree
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.whl"):
            old.unlink()
        built = sorted(Path(made).glob("*.whl"))
        for wheel in built:
            shutil.copy(wheel, folder)
        return [wheel.name for wheel in built]


# --- what a page offers
# --------------------------------------------------------------------------------------------------

def prepare(app):
    if app.builder.format == "html":
        app.dp_wheels = write_wheels(Path(app.outdir, "_sources", "chapters"))


def offer_notebook(app, pagename, template, context, doctree):
    """The button for downloads has the page as a notebook, without outputs."""
    source = Path(app.srcdir, f"{pagename}.md")
    if doctree is None or "{code-cell}" not in source.read_text(encoding="utf-8"):
        return
    site = app.config.html_baseurl
    notebook = notebook_of(pagename, context["body"], jupytext.read(source, fmt="md:myst"), site,
                           setup_cell(site, app.dp_wheels))
    nbformat.write(notebook, Path(app.outdir, "_sources", f"{pagename}.ipynb"))
    context["ipynb_source"] = f"{pagename}.ipynb"


BINDER = "https://mybinder.org/v2/gh/{project}/notebooks?urlpath=lab/tree/{page}.ipynb"
COLAB = "https://colab.research.google.com/github/{project}/blob/notebooks/{page}.ipynb"


def launchers(repository, site, page):
    """Buttons that run a page elsewhere. Both services read the branch `notebooks` of a repository
    on GitHub, which the publishing workflow writes, and Colab fetches the package from the site."""
    github = re.fullmatch(r"https://github\.com/([^/]+/[^/]+?)(?:\.git)?/?", repository or "")
    if not (github and site):
        return []
    names = [("Binder", BINDER, "logo_binder.svg"), ("Colab", COLAB, "logo_colab.png")]
    return [
        dict(type="link", text=name, tooltip=f"Run this page on {name}",
             icon=f"_static/images/{icon}", url=address.format(project=github[1], page=page))
        for name, address, icon in names
    ]


def offer_to_run(app, pagename, template, context, doctree):
    buttons = launchers(repository(), app.config.html_baseurl, pagename)
    if buttons and "ipynb_source" in context:
        context["header_buttons"].insert(0, dict(
            type="group", tooltip="Run this page", icon="fas fa-rocket", buttons=buttons,
            label="launch-buttons"))


def setup(app):
    app.connect("builder-inited", prepare)
    # before the theme makes its buttons, and behind it
    app.connect("html-page-context", offer_notebook, priority=400)
    app.connect("html-page-context", offer_to_run, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
