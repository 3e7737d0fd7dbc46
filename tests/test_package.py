"""The package says the same thing in the same way everywhere: one meaning for a name, one order of parameters, no default that
decides about privacy."""

import inspect

import pytest

from dplib.book.site import public_names

# Every name of a parameter, in the order in which a function takes them, and its meaning.
DATA = {"probability": "event", "p": "Probabilities", "q": "", "hits": "event happened", "hits_neighbor": "", "mechanism": "Maps",
        "sample": "draws", "cdf": "distribution function", "value": "exact answers", "labels": "record|person",
        "scores": "candidates", "x": "data set|Records", "x_neighbor": "", "release": "means", "offset": "d, in", "seen": "mean",
        "half_width": "half the width", "t": "number", "enough": "size", "self": "", "other": "mechanism"}
PROBLEM = {"size": "number n of records", "count": "How many", "rate": "probability", "cells": "number k of cells", "categories": "number",
           "bounds": "interval", "domain": "labels", "columns": "answers of every person", "hypotheses": "number N", "radius": "R",
           "distance": "How many", "total_variation": "total variation", "shift": "mean under Q", "accuracy": "from",
           "center": "means", "rho": "Rényi", "sd": "Standard deviation", "scale": "Scale b", "sigma": "Standard deviation",
           "trials": "runs", "at_least": "", "at_most": ""}
PRIVACY = {"sensitivity": "sensitivity|change|scale of the noise", "epsilon": "", "delta": ""}
TUNING = {"monotonic": "scores", "neighbor": "", "noise": "", "clamp": "log-likelihood", "split": "share of ε", "width": "width of a cell",
          "beta": "probability|chance", "level": "", "slack": "δ'", "step": "grid"}
ORDER = [*DATA, *PROBLEM, *PRIVACY, *TUNING, "rng"]
NEVER_BY_DEFAULT = {"sensitivity", "epsilon", "delta", "radius", "rng"}


def public_functions():
    """Every function that the package offers, and every method of its classes."""
    for name, full in public_names().items():
        item = _find(full)
        if name != full or inspect.ismodule(item):
            continue
        methods = vars(item).items() if inspect.isclass(item) else ()
        yield from [(full, item)] if inspect.isfunction(item) else []
        yield from ((f"{full}.{key}", getattr(item, key)) for key, method in methods
                    if not key.startswith("_") and isinstance(method, (classmethod, type(_find))))


def _find(full):
    module, _, name = full.rpartition(".")
    return getattr(__import__(module, fromlist=[name]), name)


FUNCTIONS = [pytest.param(function, id=name) for name, function in public_functions()]


def parameters(function):
    return inspect.signature(function).parameters.values()


def problems_of_names(function):
    """What is wrong with the names, the order and the defaults of a function's parameters."""
    names = [p.name for p in parameters(function)]
    yield from (f"{name} has no meaning" for name in names if name not in ORDER)
    if names != sorted(names, key=ORDER.index):
        yield f"the order is {', '.join(sorted(names, key=ORDER.index))}"
    yield from (f"{p.name} has a default" for p in parameters(function)
                if p.name in NEVER_BY_DEFAULT and p.default is not p.empty)
    yield from (f"{p.name} may only be given by name" for p in parameters(function)
                if p.name in {"delta", "rng", "beta", *PROBLEM} and p.kind is not p.KEYWORD_ONLY and len(names) > 2)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_name_has_one_meaning_one_place_and_no_default_that_decides_about_privacy(function):
    assert not list(problems_of_names(function))


def test_mutants_of_the_names_are_found():
    def order(x, *, epsilon, radius, rng): ...
    def default(*, hypotheses, epsilon, delta=0.0): ...
    def unknown(*, magnitude, epsilon): ...
    def position(x, delta, rng): ...
    for mutant in (order, default, position):
        assert list(problems_of_names(mutant)), mutant
    with pytest.raises(ValueError, match="magnitude"):
        list(problems_of_names(unknown))
