"""Claims: each numbered statement of the book has a check that tries to break it, and mutants that the check must catch.

    @claim("thm-laplace", laplace, mutants={"half the noise": half_noise})
    def test_noise(laplace):
        \"\"\"Compare the distribution of 10^5 draws with the stated one.\"\"\"
        ...
        return "what was measured"

The check runs once on the right code and must pass; what it returns is printed in the book. Then it runs once on each mutant,
which is code with one bug in it, and must fail with an AssertionError: a check that nothing can fail checks nothing. A mutant
is one replacement, or a tuple of as many as the check takes.

Often a mutant is a second implementation with a switch for each bug: `vote(noise=1.)`, made by the function `vote`, or
`partial(one_cell, far=False)`. Its twin is the same with no switch set, `vote()` or `one_cell`, and the check must pass on it:
then it is the bug that is caught, not the other implementation. Twins are found here; nobody has to name them.
"""

import ast
import functools
import inspect
import sys
from dataclasses import dataclass
from pathlib import Path

import jupytext
import pytest

ROOT = Path(__file__).resolve().parents[2]
CLAIMS = []


def claim_files():
    """The files that have to have a claim; test_completeness.py sees to it."""
    return set((ROOT / "tests" / "claims").glob("test_*.py")) - {ROOT / "tests" / "claims" / "test_completeness.py"}


@dataclass
class Claim:
    """One check of one statement; `measured` is filled in when it has passed, `caught` and `twins` when they have run."""
    label: str
    check: object
    code: tuple
    measured: str | None = None
    caught: tuple = ()
    twins: tuple = ()

    @property
    def file(self):
        return Path(inspect.getsourcefile(self.check)).resolve()

    def record(self):
        return {"label": self.label, "chapter": self.file.stem.removeprefix("test_").replace("_", "-"),
                "code": [evidence(function) for function in self.code], "what": inspect.getdoc(self.check),
                "measured": self.measured, "caught": list(self.caught), "twins": list(self.twins),
                "test": f"{self.file.relative_to(ROOT)}::{self.check.__name__}", "source": inspect.getsource(self.check)}


def joined(parts):
    """The records of all claims, from those of several processes, each of which ran some of the tests and none that another ran."""
    together = {}
    for record in (record for part in parts for record in part):
        known = together.setdefault(record["test"], record)
        if known is not record:
            known["measured"] = known["measured"] or record["measured"]
            known["caught"] += record["caught"]
            known["twins"] += record["twins"]
    return list(together.values())


def claim(label, *code, mutants):
    """Mark a function as the check of the statement `label`; make of it one test of the code, of each twin and of each mutant.

    The keys of `mutants` say what is wrong with each: {"half the noise": mutant}.
    """
    if not mutants:
        raise ValueError(f"the check of {label} has no mutant: nothing shows that it can fail")
    mutants = {bug: mutant if isinstance(mutant, tuple) else (mutant,) for bug, mutant in mutants.items()}
    twins = dict(twin for mutant in mutants.values() if (twin := without_its_bug(mutant, code)))

    def decorate(check):
        if not check.__name__.startswith("test_"):
            raise ValueError(f"the check {check.__name__} of {label} must be named test_..., or pytest will not find it")
        this = Claim(label, check, code)
        CLAIMS.append(this)
        cases = [pytest.param("code", None, id="the code itself"),
                 *(pytest.param("twin", name, id=f"the twin without a bug: {name}") for name in twins),
                 *(pytest.param("mutant", bug, id=bug) for bug in mutants)]

        @pytest.mark.claim(label=label)
        @pytest.mark.parametrize("kind, name", cases)
        def test(kind, name):
            if kind == "mutant":
                with pytest.raises(AssertionError):
                    check(*mutants[name])
                this.caught += (name,)
            elif kind == "twin":
                check(*twins[name])
                this.twins += (name,)
            else:
                this.measured = check(*code)
                assert isinstance(this.measured, str) and this.measured, f"{check.__name__} must say what it measured"

        test.__doc__ = check.__doc__
        test.__module__ = check.__module__
        return test

    return decorate


# --- twins ------------------------------------------------------------------------------------------------------------------

def without_its_bug(mutant, code):
    """The name and the parts of a mutant's twin: right code where the mutant has no twin. None if no part has one."""
    twins = [twin(part, code) for part in mutant]
    if names := [found[0] for found in twins if found]:
        return ", ".join(names), tuple(found[1] if found else right for found, right in zip(twins, code, strict=True))


def twin(part, code):
    """The second implementation that a part of a mutant comes from, with no switch set: its name and itself."""
    if part in code:
        return None
    if isinstance(part, functools.partial):
        return part.func.__name__, part.func
    here = vars(sys.modules[part.__module__])
    factory, made, _ = part.__qualname__.partition(".<locals>.")
    if made:
        return factory, here[factory]()
    for name in part.__code__.co_names if inspect.isfunction(part) else ():
        if here.get(name) not in code and switches(here.get(name), part.__module__):
            raise ValueError(f"a mutant calls {name}, which has switches: make it with functools.partial or a factory, "
                             "so that its twin is found")


def switches(f, module):
    """Whether f is a function of this module with defaults, which a mutant can change."""
    f = getattr(f, "__wrapped__", f)
    return inspect.isfunction(f) and f.__module__ == module and (f.__defaults__ or f.__kwdefaults__)


# --- on what code a check runs ------------------------------------------------------------------------------------------------

def evidence(function):
    """Where the code under a check stands: the package, a page, or the test, which then checks a formula and no program."""
    module = getattr(function, "__module__", "")
    if module.startswith("dplib."):
        subject = ".".join(module.split(".")[:2])                # dplib.mean.error_bound, whatever module it is written in
        return {"from": "package", "name": f"{subject}.{function.__qualname__}"}
    return {"from": "page" if module.startswith("chapters.") else "formula", "name": function.__qualname__}


def page_function(page, name):
    """The function `name` as a page defines it, with the imports and functions above it and the CONSTANTS of its cell.

    Nothing else of the page runs.
    """
    file, names = ROOT / "chapters" / f"{page}.md", {"__name__": f"chapters.{page}"}
    for cell in jupytext.read(file, fmt="md:myst").cells:
        statements = ast.parse(cell.source).body if cell.cell_type == "code" else []
        here = any(isinstance(s, ast.FunctionDef) and s.name == name for s in statements)
        for s in statements:
            constant = here and isinstance(s, ast.Assign) and all(isinstance(t, ast.Name) and t.id.isupper() for t in s.targets)
            if constant or isinstance(s, (ast.Import, ast.ImportFrom, ast.FunctionDef)):
                exec(compile(ast.Module([s], []), str(file), "exec"), names)
        if here:
            return names[name]
    raise LookupError(f"{file.name} has no function {name}")


# --- what was measured ----------------------------------------------------------------------------------------------------------

def to(error):
    """How far two numbers agree, for the reader: "exactly", or "to 2e-16"."""
    return f"to {error:.1g}" if error > 0 else "exactly"
