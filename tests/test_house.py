"""The house keeps its own rules: locks that agree, arrows that run one way, commands that are the ones promised."""

import ast
import re
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import jupytext
import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [pytest.param(page, id=page.stem) for page in sorted((ROOT / "chapters").glob("*.md"))]
HEADER = """---
jupytext:
  text_representation: {extension: .md, format_name: myst, format_version: 0.13}
kernelspec: {display_name: Python 3, language: python, name: python3}
---
"""
LOCKS = ["requirements.txt", ".binder/requirements.txt", "exercises/requirements.txt", "benchmarks/requirements.txt"]


def pins(lock):
    return {line for line in (ROOT / lock).read_text(encoding="utf-8").split("\n") if re.match(r"[\w.-]+==", line)}


def test_the_live_subset_has_the_pins_of_the_book():
    live = pins(".binder/requirements.txt")
    assert live and live <= pins("requirements.txt")
    assert not any(pin.lower().startswith("sphinx") for pin in live)


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_pins_everything_and_names_no_index(lock):
    lines = [line for line in (ROOT / lock).read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    assert lines
    for line in lines:
        assert re.fullmatch(r"-e \.|[\w.-]+==[\w.!+-]+", line), line


def code(file):
    """The code of a module, or of the cells of a page."""
    if file.suffix == ".py":
        return file.read_text(encoding="utf-8")
    return "\n".join(cell.source for cell in jupytext.read(file, fmt="md:myst").cells if cell.cell_type == "code")


def imports(file):
    """Names of the modules that a file imports, at any depth."""
    for node in ast.walk(ast.parse(code(file))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


ORDER = ["_checks", "_numerics", "_samplers", "mechanisms", "accounting", "histograms", "mean", "sample_size", "lower_bounds", "audit"]
PACKAGES = {"accounting": ["composition", "groups", "privacy_loss"],         # subjects that are packages: the same rule inside them
            "mean": ["laws", "failures", "estimators", "adaptive", "inference"],
            "lower_bounds": ["packing", "two_distributions", "tracing"]}


def files(subject):
    """The one file of a subject, or those of its package."""
    return sorted((ROOT / "dplib" / subject).glob("*.py")) or [ROOT / "dplib" / f"{subject}.py"]


@pytest.mark.parametrize("subject", ORDER)
def test_a_subject_imports_only_earlier_ones_and_nothing_of_the_book(subject):
    imported = {name for file in files(subject) for name in imports(file)}
    ours = {name.split(".")[1] for name in imported if name.startswith("dplib.")} - {subject}
    assert ours <= set(ORDER[: ORDER.index(subject)])
    others = {name.split(".")[0] for name in imported} - {"dplib"}
    assert others & {"matplotlib", "ipywidgets", "anywidget", "pandas", "statsmodels", "sphinx", "IPython"} == set()


@pytest.mark.parametrize("package, module", [(package, module) for package, modules in PACKAGES.items() for module in modules])
def test_inside_a_package_arrows_run_one_way_too(package, module):
    prefix, order = f"dplib.{package}.", PACKAGES[package]
    ours = {name.split(".")[2] for name in imports(ROOT / "dplib" / package / f"{module}.py") if name.startswith(prefix)}
    assert ours <= set(order[: order.index(module)])


def test_the_list_of_modules_is_complete():
    found = {item.stem for item in (ROOT / "dplib").iterdir() if (item.suffix == ".py" or (item / "__init__.py").exists())}
    assert set(ORDER) == found - {"__init__", "book"}
    inside = {subject: {file.stem for file in files(subject)} - {"__init__"} for subject in ORDER if (ROOT / "dplib" / subject).is_dir()}
    assert {package: set(modules) for package, modules in PACKAGES.items()} == inside


def test_ci_runs_the_two_commands_of_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^(make \w+)", re.search(r"## Two commands\n\n```sh\n(.*?)```", readme, re.S)[1], re.M)
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert commands == ["make book", "make test"]
    assert re.findall(r"^(?:time )?(make \w+)", script, re.M) == commands


def test_every_page_is_in_the_table_of_contents():
    listed = set(re.findall(r"chapters/([\w-]+)", (ROOT / "_toc.yml").read_text(encoding="utf-8")))
    assert listed == {page.stem for page in (ROOT / "chapters").glob("*.md")}


@pytest.mark.parametrize("page", PAGES)
def test_every_page_has_the_header_of_a_notebook(page):
    """Without it jupytext guesses, takes `:::` for Pandoc's Markdown, and the page does not open."""
    assert page.read_text(encoding="utf-8").startswith(HEADER)


SITE_ONLY = ["claims", "execute", "site"]                                # modules of dplib.book that no page imports
HOMES = packages_distributions()                                         # {"yaml": ["PyYAML"], ...}
LIVE = sorted({*(ROOT / "dplib").rglob("*.py")} - {ROOT / "dplib" / "book" / f"{name}.py" for name in SITE_ONLY})


@pytest.mark.parametrize("file", [*PAGES, *(pytest.param(file, id=str(file.relative_to(ROOT))) for file in LIVE)])
def test_a_live_notebook_has_all_that_pages_and_package_import(file):
    canonical = lambda name: re.sub(r"[-_.]+", "-", name).lower()
    live = {canonical(pin.split("==")[0]) for pin in pins(".binder/requirements.txt")}
    for name in imports(file):
        assert name not in {f"dplib.book.{module}" for module in SITE_ONLY}
        if (top := name.split(".")[0]) not in {"dplib", *sys.stdlib_module_names}:
            assert live & set(map(canonical, HOMES.get(top, []))), f"{top} is not in .binder/requirements.txt"


def test_no_function_is_defined_on_two_pages_or_again_beside_the_package():
    home = {}
    package = {node.name for subject in ORDER for file in files(subject)
               for node in ast.parse(file.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)}
    for page in sorted((ROOT / "chapters").glob("*.md")):
        for name in re.findall(r"^def (\w+)\(", page.read_text(encoding="utf-8"), re.M):
            assert home.setdefault(name, page.name) == page.name, f"{name} is defined in {home[name]} and in {page.name}"
            assert name not in package, f"{page.name} defines {name}, which the package has"
