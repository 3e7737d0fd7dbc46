"""Which notebooks of a folder hold the same programs, whatever their names, numbers, texts and comments are.

It accuses nobody: of two equal programs it cannot say whose was first, and two students may have had one idea. So a
person looks at both, and no points hang on it.
"""
import ast
import itertools

import grading
from sandboxed import python

LARGE = 40                                                  # parts of a program that two people do not write alike by chance


def shape(tree):
    """A program with its names numbered in the order in which they come, and without its numbers, texts and comments."""
    names = {}
    for part in ast.walk(tree):
        for field in () if isinstance(part, (ast.keyword, ast.alias)) else ("id", "arg", "name"):
            if isinstance(name := getattr(part, field, None), str):
                setattr(part, field, names.setdefault(name, f"name{len(names)}"))
        if isinstance(part, ast.Constant):
            part.value = type(part.value).__name__
        if isinstance(part, (ast.Module, ast.FunctionDef)) and ast.get_docstring(part) is not None:
            part.body = part.body[1:]
    return ast.dump(tree)


def is_data(part):
    """Whether this only stores a value that is written out: a sheet, or what a search has found."""
    try:
        ast.literal_eval(part.value)
        return isinstance(part, ast.Assign)
    except (AttributeError, ValueError, TypeError):
        return False


def programs(source):
    """The functions of a cell, and all of its other lines together."""
    try:
        tree = ast.parse(python(source))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return []
    functions = [part for part in tree.body if isinstance(part, ast.FunctionDef)]
    tree.body = [part for part in tree.body if part not in functions and not is_data(part)]
    return [*functions, tree]


def shapes(notebook):
    """Shapes of the large programs in a notebook; nothing if it cannot be opened as one."""
    try:
        cells = grading.read(notebook)[0]
    except Exception:
        return set()
    found = (part for source in cells for part in programs(source))
    return {shape(part) for part in found if sum(1 for _ in ast.walk(part)) >= LARGE}


def alike(notebooks, given):
    """{name: names of those with which a notebook shares half of what either has written}; `given` was handed out."""
    written = {notebook.stem: shapes(notebook) - shapes(given) for notebook in notebooks}
    found = {name: [] for name in written}
    for (one, mine), (other, others) in itertools.combinations(written.items(), 2):
        if mine and others and 2 * len(mine & others) >= min(len(mine), len(others)):
            found[one].append(other)
            found[other].append(one)
    return found
