"""The house keeps its own rules: locks that agree, arrows that run one way, commands that are the ones promised."""

import ast
import collections
import functools
import json
import re
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import jupytext
import numpy as np
import pytest

import dplib
from dplib.book.site import SITE_ONLY

ROOT = Path(__file__).resolve().parents[1]
PAGES = [pytest.param(page, id=page.stem) for page in sorted((ROOT / "chapters").glob("*.md"))]
HEADER = """---
jupytext:
  text_representation: {extension: .md, format_name: myst, format_version: 0.13}
kernelspec: {display_name: Python 3, language: python, name: python3}
---
"""
LOCKS = ["requirements.txt", ".binder/pins.txt", "exercises/requirements.txt", "benchmarks/requirements.txt",
         "benchmarks/requirements-torch.txt"]


def pins(lock):
    return {line for line in (ROOT / lock).read_text(encoding="utf-8").split("\n") if re.match(r"[\w.-]+==", line)}


def test_the_live_subset_has_the_pins_of_the_book():
    live = pins(".binder/pins.txt")
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


@functools.cache
def tree_of(text):
    """Planted mistakes change one file of a copy of the house; all others are parsed once."""
    return ast.parse(text)


def imports(file, root=ROOT):
    """Names of the modules that a file imports, at any depth, also relative to its own place."""
    for node in ast.walk(tree_of(code(file))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = file.relative_to(root).with_suffix("").parts[:-node.level] if node.level else ()
            module = ".".join([*above, *filter(None, [node.module])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


ORDER = ["_types", "_checks", "_numerics", "_samplers", "_staircase", "_grid", "_sums", "_counts",
         "mechanisms", "accounting", "sparse_vector", "histograms", "mean", "sample_size", "lower_bounds",
         "learning", "local", "queries", "parity", "factorization", "synthetic", "aggregation", "friendly", "glm", "tables",
         "audit"]
# subjects that are packages: the same rule
PACKAGES = {"accounting": ["privacy_loss", "composition", "groups", "trade_offs", "noisy_steps", "ledger"],
            "mean": ["distributions", "failures", "estimators", "adaptive", "inference", "bounded"],
            "lower_bounds": ["packing", "two_distributions", "tracing"],
            "local": ["numbers", "vectors", "cells", "prefixes", "shuffling"],
            "queries": ["oracles", "sizes", "conjunctions", "simulation"],
            "parity": ["data", "equations", "scores", "reports"],
            "factorization": ["workloads", "factors", "structured", "optimal", "local_release", "central_release"],
            "aggregation": ["stability", "refusals", "answers", "blocks"],
            "friendly": ["counts", "weights", "mean", "core", "tuples"],
            "glm": ["losses", "domains", "fits", "stability", "scales", "certificates", "terms", "results", "perturbed",
                    "standard_errors", "releases", "plans", "vectors", "gradients", "estimator", "tables", "compared"],
            "tables": ["votes", "quantiles", "engine", "answers", "models", "table"],
            "glm/compared": ["eigenvalues", "mismatch", "recursions", "baselines", "published"]}


NOT_IN_THE_PACKAGE = {"matplotlib", "ipywidgets", "anywidget", "pandas", "statsmodels", "sphinx", "IPython"}


def files(subject, root=ROOT):
    """The one file of a subject, or those of its package and of the packages in it."""
    return sorted((root / "dplib" / subject).rglob("*.py")) or [root / "dplib" / f"{subject}.py"]


def against_the_arrows(root=ROOT):
    """(subject, what it imports although it must not): later subjects, the book, and what only the book needs."""
    for place, subject in enumerate(ORDER):
        imported = {name for file in files(subject, root) for name in imports(file, root)}
        ours = {name.split(".")[1] for name in imported if name.startswith("dplib.")} - {subject}
        others = {name.split(".")[0] for name in imported}
        yield from ((subject, name) for name in (ours - set(ORDER[:place])) | (others & NOT_IN_THE_PACKAGE))
    for package, modules in PACKAGES.items():
        start = f"dplib.{package.replace('/', '.')}."
        for place, module in enumerate(modules):
            imported = {name for file in files(f"{package}/{module}", root) for name in imports(file, root)}
            inside = {name.removeprefix(start).split(".")[0] for name in imported if name.startswith(start)}
            yield from ((module, name) for name in inside - {module} - set(modules[:place]))


def test_a_subject_imports_only_earlier_ones_and_nothing_of_the_book():
    assert list(against_the_arrows()) == []


@pytest.fixture
def house(tmp_path):
    """A copy of the package, to be spoilt."""
    shutil.copytree(ROOT / "dplib", tmp_path / "dplib", ignore=shutil.ignore_patterns("__pycache__", "web"))
    return tmp_path


def spoil(file, line):
    file.write_text(file.read_text(encoding="utf-8") + "\n\n" + line + "\n", encoding="utf-8")


@pytest.mark.parametrize("file, line, found", [
    ("mechanisms.py", "from dplib.histograms import stability_threshold", ("mechanisms", "histograms")),
    ("mechanisms.py", "from .histograms import stability_threshold", ("mechanisms", "histograms")),
    ("mechanisms.py", "from . import audit", ("mechanisms", "audit")),
    ("accounting/groups.py", "def late():\n    from ..book import Explorer", ("accounting", "book")),
    ("mean/distributions.py", "from ..audit import hockey_stick", ("mean", "audit")),
    ("mean/distributions.py", "from .inference import mean_interval", ("distributions", "inference")),
    ("mean/distributions.py", "from . import adaptive", ("distributions", "adaptive")),
    ("glm/tables.py", "from dplib.glm.compared import oracle", ("tables", "compared")),
    ("glm/compared/eigenvalues.py", "from dplib.glm.compared import oracle", ("eigenvalues", "oracle")),
    ("audit.py", "import pandas as pd", ("audit", "pandas"))])
def test_an_import_against_the_arrows_is_found(house, file, line, found):
    spoil(house / "dplib" / file, line)
    assert list(against_the_arrows(house)) == [found]


def constants_of_two_modules(root=ROOT):
    """CONSTANTS that two modules define: their names do not say of what they are."""
    homes = collections.defaultdict(set)
    for file in (root / "dplib").rglob("*.py"):
        if "book" in file.relative_to(root).parts:
            continue
        for node in tree_of(file.read_text(encoding="utf-8")).body:
            for name in ast.walk(node) if isinstance(node, ast.Assign) else ():
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                    homes[name.id].add(file.name)
    return sorted(name for name, files in homes.items() if name.isupper() and len(files) > 1)


def test_a_constant_says_of_what_it_is():
    assert constants_of_two_modules() == []


def test_a_constant_of_two_modules_is_found(house):
    spoil(house / "dplib" / "audit.py", "MOST_PEOPLE, REACH = 1, 2")
    assert constants_of_two_modules(house) == ["MOST_PEOPLE", "REACH"]


def is_private(name):
    return name.startswith("_") and not name.startswith("__")


def private_crossings(root=ROOT):
    """(file, name): what a module uses of another one although the name begins with a line."""
    shared = {file.stem for file in (root / "dplib").glob("_[a-z]*.py")}
    for file in sorted([*(root / "dplib").rglob("*.py"), *(root / "exercises").glob("*.py")]):
        tree, place = tree_of(file.read_text(encoding="utf-8")), str(file.relative_to(root))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
                yield from ((place, name) for name in set(names) - shared if is_private(name))
            elif isinstance(node, ast.Attribute) and is_private(node.attr):
                allowed = {"self", "cls", "os", *IN_OTHER_HANDS.get(place, ())}
                if ast.unparse(node.value) not in allowed:
                    yield place, node.attr


IN_OTHER_HANDS = {"dplib/book/site.py": {"app.builder.indexer"}}  # Sphinx has no public way to it


def test_no_module_uses_a_private_name_of_another():
    assert list(private_crossings()) == []


@pytest.mark.parametrize("file, line, name", [
    ("mean/adaptive.py", "from dplib.mean.estimators import _largest", "_largest"),
    ("audit.py", "from dplib import histograms\nhistograms._released", "_released"),
    ("audit.py", "from dplib.histograms import _released as released", "_released"),
    ("book/spec.py", "def f(explorer):\n    return explorer._table", "_table"),
    ("audit.py", "from ._hidden import anything", "_hidden")])
def test_a_private_crossing_is_found(house, file, line, name):
    spoil(house / "dplib" / file, line)
    assert list(private_crossings(house)) == [(f"dplib/{file}", name)]


def decoders(word, values, root=ROOT):
    """Files that ask what the caller chose: by comparing, by a table, by a check of their own."""
    for file in sorted((root / "dplib").rglob("*.py")):
        for node in ast.walk(tree_of(file.read_text(encoding="utf-8"))):
            keys = getattr(node, "keys", []) if isinstance(node, ast.Dict) else []
            keys = [node.left, *node.comparators] if isinstance(node, ast.Compare) else keys
            texts = {key.value for key in keys if isinstance(key, ast.Constant)}
            chosen = isinstance(node, ast.Call) and ast.unparse(node.func).endswith("choice") \
                and node.args and getattr(node.args[0], "value", None) == word
            if chosen or texts & values:
                yield file.relative_to(root / "dplib").as_posix()


def test_the_relation_of_neighbours_is_decoded_in_one_place():
    assert set(decoders("neighbor", {"replace", "add_remove"})) == {"_checks.py"}


@pytest.mark.parametrize("line", [
    "def f(neighbor):\n    return 2 if neighbor == 'replace' else 1",
    "CHANGES = {'replace': 2, 'add_remove': 1}",
    "def f(neighbor):\n    return _checks.choice('neighbor', neighbor, ('a', 'b'))"])
def test_a_second_decoder_is_found(house, line):
    spoil(house / "dplib" / "audit.py", line)
    assert set(decoders("neighbor", {"replace", "add_remove"}, house)) == {"_checks.py", "audit.py"}


def defined_twice(root=ROOT):
    """Public names that the package defines more than once; CONSTANTS are each module's own matter."""
    count = collections.Counter()
    for file in (file for subject in ORDER if subject[0] != "_" for file in files(subject, root)):
        for node in tree_of(file.read_text(encoding="utf-8")).body:
            targets = [name for target in getattr(node, "targets", []) for name in ast.walk(target)]
            count.update([node.name] if hasattr(node, "name") else [name.id for name in targets if isinstance(name, ast.Name)])
    return sorted(name for name, times in count.items() if times > 1 and name[0] != "_" and not name.isupper())


def test_no_public_name_is_defined_twice():
    """A name in prose links to one function, and an import says which one is meant."""
    assert defined_twice() == []


@pytest.mark.parametrize("file", ["audit.py", "mechanisms.py", "mean/distributions.py"])
@pytest.mark.parametrize("line, name", [("def laplace(): pass", "laplace"), ("laplace = gaussian = 1", "gaussian")])
def test_a_public_name_defined_twice_is_found(house, file, line, name):
    spoil(house / "dplib" / file, line)
    assert name in defined_twice(house)


def template(opening, closing):
    """A block of CONTRIBUTING.md: the page that contributors start from, or its claim."""
    return (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split(f"\n{opening}\n")[1].split(f"\n{closing}\n")[0] + "\n"


PAGE, CLAIM = template("`````markdown", "`````"), template("```python", "```")


def test_the_template_of_a_page_runs():
    assert PAGE.startswith(HEADER)
    names = {}
    for cell in jupytext.reads(PAGE, fmt="md:myst").cells:
        if cell.cell_type == "code":
            exec(cell.source, names)
    assert abs(np.mean(names["errors"] > 3) - names["beyond"](3, 1)) < .02


@pytest.mark.parametrize("empty", [False, True])
def test_a_file_of_claims_without_a_claim_fails_and_leaves_no_old_record(tmp_path, empty):
    """A house with one page and its claim, those of CONTRIBUTING.md: alone, and beside a file that claims nothing."""
    claims, record = tmp_path / "tests" / "claims", tmp_path / "_build" / "claims.json"
    for folder in (claims, tmp_path / "chapters", record.parent):
        folder.mkdir(parents=True)
    machinery = (f"tests/claims/{name}.py" for name in ("__init__", "conftest", "test_completeness"))
    for file in ("pyproject.toml", "tests/chance.py", *machinery):
        shutil.copy(ROOT / file, tmp_path / file)
    (tmp_path / "chapters" / "one-answer.md").write_text(PAGE, encoding="utf-8")
    (claims / "test_one_answer.py").write_text(CLAIM, encoding="utf-8")
    if empty:
        (claims / "test_nothing.py").write_text("def test_nothing(): pass")
    record.write_text("[]")
    run = subprocess.run([sys.executable, "-m", "pytest", "-q", "tests/claims"], cwd=tmp_path, capture_output=True, text=True)
    if empty:
        assert run.returncode == 1 and "['test_nothing.py']" in run.stdout and not record.exists(), run.stdout
    else:
        assert run.returncode == 0 and "6 passed" in run.stdout, run.stdout
        [claim] = json.loads(record.read_text(encoding="utf-8"))
        assert [part["from"] for part in claim["code"]] == ["package", "page"] and claim["twins"] == ["noisy"] and len(claim["caught"]) == 2


def test_the_citation_names_the_version():
    assert f"\nversion: {dplib.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_list_of_modules_is_complete():
    found = {item.stem for item in (ROOT / "dplib").iterdir() if (item.suffix == ".py" or (item / "__init__.py").exists())}
    assert set(ORDER) == found - {"__init__", "book"}
    packages = [file.parent for subject in ORDER for file in files(subject) if file.stem == "__init__"]
    assert {package: set(modules) for package, modules in PACKAGES.items()} == {
        package.relative_to(ROOT / "dplib").as_posix(): set(modules_in(package)) for package in packages}


def modules_in(package):
    """The names of its modules, and of the packages in it."""
    return [item.stem for item in package.iterdir() if item.stem != "__init__"
            and (item.suffix == ".py" or (item / "__init__.py").exists())]


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
    assert page.read_text(encoding="utf-8").startswith(HEADER.removesuffix("---\n"))


HOMES = packages_distributions()                                         # {"yaml": ["PyYAML"], ...}
LIVE = sorted({*(ROOT / "dplib").rglob("*.py")} - {ROOT / "dplib" / "book" / f"{name}.py" for name in SITE_ONLY})


@pytest.mark.parametrize("file", [*PAGES, *(pytest.param(file, id=str(file.relative_to(ROOT))) for file in LIVE)])
def test_a_live_notebook_has_all_that_pages_and_package_import(file):
    canonical = lambda name: re.sub(r"[-_.]+", "-", name).lower()
    live = {canonical(pin.split("==")[0]) for pin in pins(".binder/pins.txt")}
    for name in imports(file):
        assert name not in {f"dplib.book.{module}" for module in SITE_ONLY}
        if (top := name.split(".")[0]) not in {"dplib", "sklearn", *sys.stdlib_module_names}:  # who calls with it, has it
            assert live & set(map(canonical, HOMES.get(top, []))), f"{top} is not in .binder/pins.txt"


def test_no_function_is_defined_on_two_pages_or_again_beside_the_package():
    home = {}
    package = {node.name for subject in ORDER for file in files(subject)
               for node in tree_of(file.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)}
    for page in sorted((ROOT / "chapters").glob("*.md")):
        for name in re.findall(r"^def (\w+)\(", page.read_text(encoding="utf-8"), re.M):
            assert home.setdefault(name, page.name) == page.name, f"{name} is defined in {home[name]} and in {page.name}"
            assert name not in package, f"{page.name} defines {name}, which the package has"


def too_long(text):
    return [number for number, line in enumerate(text.splitlines(), 1) if len(line) > 100]


def test_lines_of_the_package_have_at_most_100_columns():
    """A line that is longer wants a name for one of its steps."""
    assert too_long("x" * 100) == [] and too_long("\n" + "x" * 101) == [2]
    found = {str(file.relative_to(ROOT)): too_long(file.read_text(encoding="utf-8"))
             for file in (ROOT / "dplib").rglob("*.py")}
    assert {file: lines for file, lines in found.items() if lines} == {}
