"""The fast tests of what has changed since the last commit, for `make check`: by the names of files, and no cleverer.

    dplib/histograms.py           tests/test_histograms.py and the doctests of the module
    dplib/mean/failures.py        tests/test_mean_failures.py and the doctests of the module
    dplib/glm/compared/x.py       tests/test_glm_x.py and the doctests of the module
    dplib/book/explorer.py        tests/test_explorer.py
    dplib/glm/terms.py            the tests of its package, tests/test_glm_*.py: nothing is named after it
    dplib/_grid.py                tests/test_grid.py
    chapters/two-stage-mean.md    the claims of the page, and the numbers of pages, tests/test_pages.py
    tests/test_histograms.py      itself

The tests of the house, of the names of the package and of the steps of the guide are always among
them. All the rest is `make test`.
"""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


ALWAYS = {"tests/test_house.py", "tests/test_package.py", "tests/test_guide.py",
          "tests/test_neighbours.py::test_every_mechanism_of_the_package_is_here"}


def changed():
    """Files that differ from the last commit, and new ones."""
    commands = ["diff", "--name-only", "HEAD"], ["ls-files", "--others", "--exclude-standard"]
    lines = [subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True, check=True).stdout for command in commands]
    return [Path(name) for text in lines for name in text.splitlines()]


def tests_of(file):
    """What to run for one file."""
    if file.parts[0] == "chapters":
        return {"tests/test_pages.py", f"tests/claims/test_{file.stem.replace('-', '_')}.py"}
    if file.parent in (Path("tests"), Path("tests/claims")) and file.name.startswith("test_"):
        return {str(file)}
    if file.parts[0] != "dplib" or file.suffix != ".py":
        return set()
    return named_after(file) | ({str(file)} if "book" not in file.parts else set())


def named_after(file):
    """The test of a module, or all of its package if none is named after it."""
    package, module = file.relative_to("dplib").parts[:-1], file.stem.strip("_")
    own = "_".join([part for part in package[:1] if part != "book"] + [module])
    if (ROOT / f"tests/test_{own}.py").exists():
        return {f"tests/test_{own}.py"}
    tests = "explorer|site" if package == ("book",) else package[0] if package else "gate|grid"
    return {str(test.relative_to(ROOT)) for name in tests.split("|") for test in (ROOT / "tests").glob(f"test_{name}*.py")}


def main():
    found = ALWAYS.union(*map(tests_of, changed()))
    print(*sorted(name for name in found if (ROOT / name.split("::")[0]).exists()))


if __name__ == "__main__":
    main()
