"""Mutants of the package, sampled: one small change each, and whether a test notices it.

    make mutants N=40 SEED=1 ONLY=friendly

`ONLY` is a part of the names of the modules to choose from. A mutant lives in a process of its
own, in which one module is compiled from a changed tree; no file is touched. It is run against
the doctests of its module, the tests named after it (tests/changed.py) and all that name the
function that it is in, or a public one that leads to it; of tests with a row for each function
that draws, those of its subject. It ends with the first that fails. What survives is printed with
its place: it wants a test, is dead code, or changes nothing that anybody sees. So is what comes
to no end, mostly a loop.
"""

import argparse
import ast
import copy
import importlib.machinery
import os
import random
import re
import signal
import sys
import time
from collections import Counter, namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 150  # of CPU for one mutant
NOT_RUN = 3  # pytest's status from which on it is no failure of a test
ALWAYS = ["tests/test_noise.py", "tests/test_ledger.py", "tests/test_attacks.py"]
LATE = [*ALWAYS, "tests/test_neighbours.py"]
LEFT_OUT = {
    "tests/test_package.py",
    "tests/test_house.py",
    "tests/test_pages.py",
    "tests/test_site.py",
}

SWAPS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
PAIRS = [
    ("min", "max"),
    ("minimum", "maximum"),
    ("floor", "ceil"),
    ("any", "all"),
    ("argmin", "argmax"),
]
NAMES = dict(PAIRS) | {b: a for a, b in PAIRS}

Mutant = namedtuple("Mutant", "file line function old new tree")


# ------------------------------------------------------------------------------------------ changes


def changes(node):
    """Every small change of one node: functions that make it in place."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        yield lambda n: n.ops.__setitem__(0, SWAPS[type(n.ops[0])]())
    if isinstance(node, (ast.BinOp, ast.AugAssign, ast.BoolOp)) and type(node.op) in SWAPS:
        yield lambda n: setattr(n, "op", SWAPS[type(n.op)]())
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield lambda n: setattr(n, "value", n.value + 1)
        yield lambda n: setattr(n, "value", n.value * 2 if n.value else n.value - 1)
    if isinstance(node, ast.Constant) and type(node.value) is bool:
        yield lambda n: setattr(n, "value", not n.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub, ast.Invert)):
        yield lambda n: setattr(n, "op", ast.UAdd() if isinstance(n.op, ast.USub) else ast.Not())
    if isinstance(node, ast.Call) and called(node) in NAMES:
        yield rename
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        yield lambda n: setattr(
            n, "test", ast.copy_location(ast.UnaryOp(ast.Not(), n.test), n.test)
        )


def called(call):
    return getattr(call.func, "id", getattr(call.func, "attr", None))


def rename(call):
    setattr(call.func, "id" if isinstance(call.func, ast.Name) else "attr", NAMES[called(call)])


def removable(body):
    """Places of statements without which there is still a program."""
    for place, statement in enumerate(body):
        call = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
        if call or isinstance(statement, (ast.AugAssign, ast.Raise)):
            yield place


def sites(tree):
    """(function, path to the node, change) for every change of a module."""
    for top in tree.body:
        if isinstance(top, (ast.Import, ast.ImportFrom)):
            continue
        if isinstance(top, ast.Assign) and getattr(top.targets[0], "id", "") == "__all__":
            continue
        for node in inside(top):
            yield from ((top, node, change) for change in changes(node))
            body = getattr(node, "body", None)
            for place in removable(body) if isinstance(body, list) else ():
                yield (
                    top,
                    node,
                    lambda n, place=place: n.body.__setitem__(
                        place, ast.copy_location(ast.Pass(), n.body[place])
                    ),
                )


def inside(node):
    """The node and all below it, but for annotations, what is raised and what is said of it."""
    yield node
    if isinstance(node, ast.Raise):
        return
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from inside(child)


def mutants_of(file, tree):
    """A thunk for each mutant of a module."""
    for number, (top, node, _) in enumerate(sites(tree)):
        yield lambda number=number, top=top, node=node: made(file, tree, number, top, node)


def made(file, tree, number, top, node):
    changed = copy.deepcopy(tree)
    _, same, change = next(site for place, site in enumerate(sites(changed)) if place == number)
    change(same)
    ast.fix_missing_locations(changed)
    lines = [(a, b) for a, b in zip(told(node), told(same)) if a != b] or [("", "")]
    line = getattr(node, "lineno", top.lineno)
    return Mutant(file, line, named(top), *lines[0], changed)


def named(top):
    """A function, a class, or the constants that a line sets."""
    target = getattr(top, "targets", [None])[0]
    return getattr(top, "name", getattr(target, "id", "top"))


def told(node):
    return [re.sub(r"\s+", " ", part) for part in ast.unparse(node).split("\n")]


# ---------------------------------------------------------------------------------------- the tests


def callers(trees, mutant):
    """Public functions and classes of public modules that lead to what was changed, or are it."""
    uses, public = {}, set()
    for file, tree in trees.items():
        for top in tree.body:
            if isinstance(top, (ast.FunctionDef, ast.ClassDef, ast.Assign)):
                used = {getattr(n, "id", getattr(n, "attr", None)) for n in ast.walk(top)}
                uses[named(top)] = uses.get(named(top), set()) | used
                private = file.stem.startswith("_") or named(top).startswith("_")
                if not private and not isinstance(top, ast.Assign):
                    public.add(named(top))
    found, new = set(), {mutant.function}
    while new:
        found |= new
        new = {name for name, used in uses.items() if used & (new - public)} - found
    return found & public


def tests_of(mutant, trees):
    """The tests that bind it: of its module, then those that name it, what takes long last."""
    from tests.changed import named_after

    own = [str(mutant.file), *sorted(named_after(mutant.file))]
    names = callers(trees, mutant)
    word = re.compile("|".join(rf"\b{name}\b" for name in sorted(names))) if names else None
    files = [
        *sorted((ROOT / "tests").glob("test_*.py")),
        *sorted((ROOT / "tests/claims").glob("test_*.py")),
    ]
    naming = [
        str(f.relative_to(ROOT))
        for f in files
        if word and word.search(f.read_text(encoding="utf-8"))
    ]
    found = list(dict.fromkeys([*own, *naming, *ALWAYS]))
    return [f for f in found if f not in LEFT_OUT and f not in LATE] + [
        f for f in found if f in LATE
    ]


# -------------------------------------------------------------------------------------------- a run


class Finder(importlib.machinery.PathFinder):
    """Finds the mutated module in its changed tree."""

    def __init__(self, mutant):
        self.mutant, parts = mutant, mutant.file.with_suffix("").parts
        self.name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def find_spec(self, name, path=None, target=None):
        spec = importlib.machinery.PathFinder.find_spec(name, path) if name == self.name else None
        if spec:
            code = compile(self.mutant.tree, spec.origin, "exec")
            spec.loader.get_code = lambda fullname: code
        return spec


def subject(file):
    """dplib.glm, dplib.histograms"""
    return ".".join(file.with_suffix("").parts[:2])


class Gates:
    """A plugin: of tests with a row for each function that draws, those of one subject."""

    def __init__(self, subject, finders):
        self.subject, self.finders = subject, finders

    def pytest_sessionstart(self):
        """Before pytest's own finder, which would read the files that it is given."""
        sys.meta_path[:0] = self.finders

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if self.wanted(item)]

    def wanted(self, item):
        if not item.nodeid.startswith(tuple(LATE)):
            return True
        given = item.callspec.params.values() if hasattr(item, "callspec") else ()
        modules = [getattr(value, "__module__", None) or "" for value in given]
        ours = [module for module in modules if module.startswith("dplib.")]
        return any(module.startswith(self.subject) for module in ours)


def outcome(mutant, tests):
    """Whether it survives all tests, in a process of its own, and the CPU seconds that it took."""
    pid = os.fork()
    if pid == 0:
        run(mutant, tests)
    _, status, used = os.wait4(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code >= NOT_RUN:
        raise RuntimeError(f"pytest did not run {' '.join(tests)}")
    word = "survives" if code == 0 else "noticed" if code > 0 else "no end"
    return word, used.ru_utime + used.ru_stime


def run(mutant, tests):
    import resource

    import pytest

    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    signal.alarm(20 * SECONDS)
    silent = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silent, stream)
    shared = not mutant or mutant.file.stem.startswith("_")
    gates = Gates("" if shared else subject(mutant.file), [Finder(mutant)] if mutant else [])
    sys.meta_path[:0] = gates.finders
    code = NOT_RUN
    try:
        options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:costs", "--doctest-modules"]
        code = pytest.main([*options, *tests], plugins=[gates])
    finally:
        os._exit(int(code))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    files = [file.relative_to(ROOT) for file in sorted((ROOT / "dplib").rglob("*.py"))]
    files = [file for file in files if "book" not in file.parts]
    trees = {file: ast.parse((ROOT / file).read_text(encoding="utf-8")) for file in files}
    some = [file for file in files if given.only in str(file)]
    thunks = [thunk for file in some for thunk in mutants_of(file, trees[file])]
    chosen = random.Random(given.seed).sample(thunks, min(given.n, len(thunks)))
    print(
        f"{len(chosen)} of {len(thunks)} mutants of {len(some)} modules, seed {given.seed}",
        flush=True,
    )
    warm()
    assert outcome(None, ["tests/test_sums.py"])[0] == "survives"
    counted, started = Counter(), time.monotonic()
    for thunk in chosen:
        mutant = thunk()
        word, seconds = outcome(mutant, tests_of(mutant, trees))
        counted[word] += 1
        if word != "noticed" or os.environ.get("VERBOSE"):
            where = f"{mutant.file}:{mutant.line} ({mutant.function}, {seconds:.0f} s)"
            print(f"{word:8} {where}: {mutant.old}  ->  {mutant.new}", flush=True)
    known = ", ".join(f"{counted[word]} {word}" for word in ("noticed", "no end", "survives"))
    print(f"{known}; {time.monotonic() - started:.0f} s")


def warm():
    """What every process needs and is no part of the package is imported once."""
    import mpmath  # noqa: F401
    import numpy  # noqa: F401
    import pytest  # noqa: F401
    import scipy.integrate  # noqa: F401
    import scipy.optimize  # noqa: F401
    import scipy.stats  # noqa: F401


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    os.chdir(ROOT)
    main()
