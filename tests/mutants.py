"""Mistakes put into a function, to see that a test notices."""

import inspect
from textwrap import dedent


def changed(function, old, new):
    """A function with one change in its source."""
    source = dedent(inspect.getsource(function))
    assert old in source, f"{function.__name__} no longer says {old}"
    names = dict(vars(inspect.getmodule(function)))
    exec(source.replace(old, new), names)
    return names[function.__name__]
