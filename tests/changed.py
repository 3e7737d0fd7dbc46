"""The fast tests of what has changed since the last commit, for `make check`: by the names of files, and no cleverer.

    dplib/histograms.py           tests/test_histograms.py and the doctests of the module
    dplib/mean/failures.py        tests/test_mean_failures.py and the doctests of the module
    dplib/book/explorer.py        tests/test_explorer.py
    dplib/_checks.py              the test of the house: nothing is named after it
    chapters/two-stage-mean.md    the claims of the page, and the numbers of pages, tests/test_pages.py
    tests/test_histograms.py      itself

The test of the house is always among them. All the rest is `make test`.
"""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


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
    subject = file.relative_to("dplib").with_suffix("").parts
    own = "_".join(part for part in subject if part != "book")
    return {f"tests/test_{own}.py", *([] if "book" in subject else [str(file)])}


def main():
    found = {"tests/test_house.py"}.union(*map(tests_of, changed()))
    print(*sorted(name for name in found if (ROOT / name).exists()))


if __name__ == "__main__":
    main()
