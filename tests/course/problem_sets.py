"""All problem sets of this checkout, in the order of the book: what every test of the course is run on."""

import importlib
from pathlib import Path

PROBLEM_SETS = tuple(importlib.import_module(file.stem) for file in sorted(Path(__file__).parent.glob("ps*.py")))
