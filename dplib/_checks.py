"""Argument checks shared by every module: each returns the argument in the form the caller computes
with, or raises an error that names it and echoes what it got, unless that is a record. None of them
touches the caller's data.

Records are read one by one wherever NumPy would let one of them decide how all are read (2**100
among integers, True among counts): what a release looks like must not tell of a single record. What
could be read in two ways is not read: a table, of which nobody said where its records are; a masked
array; several data sets where one was meant.
"""

import operator
from numbers import Integral, Real

import numpy as np

LARGEST = 2**62  # of whatever is counted: twice as many are still an int64
# keeps integer noise below 2**47, and the price of its rounding below a percent
LARGEST_LATTICE_SCALE = 2.0**36
LARGEST_EXPONENT = 700  # e^ε is still a float

NEIGHBORS = {"replace": 2, "add_remove": 1}  # how many records they do not share
# of these nothing is shown
RECORDS = set(
    "x X y weights labels values vectors votes value scores statistic distance tables".split()
) | {"phi(x)"}
PARAMETER_DOMAINS = {  # of the real parameters
    **dict.fromkeys(
        "sensitivity epsilon sigma rho step width accuracy shift clamp tolerance variance".split(),
        {"above": 0},
    ),
    **dict.fromkeys("delta beta level split slack".split(), {"above": 0, "below": 1}),
    **dict.fromkeys("rate share total_variation".split(), {"above": 0, "at_most": 1}),
    **dict.fromkeys("radius half_width sd scale".split(), {"at_least": 0}),
    **dict.fromkeys("probability false_alarm".split(), {"at_least": 0, "at_most": 1}),
    **dict.fromkeys("mu mean third".split(), {"at_least": 0}),
    "gap": {"at_least": 1e-6, "below": 1},
}


def generator(rng):
    """Randomness is always explicit: releases that share a seed share their noise, and their
    difference tells."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError(
            "rng must be a numpy.random.Generator, for example numpy.random.default_rng(), got "
            f"{rng!r}"
        )
    return rng


def reals(name, value, *, above=-np.inf, at_least=-np.inf, below=np.inf, at_most=np.inf):
    """Finite real numbers within public limits, as a float64 array (the very same object if it was
    one already)."""
    array = np.asarray(numbers(name, value), dtype=np.float64)
    limits = [("above", np.greater, above), ("at least", np.greater_equal, at_least),
              ("below", np.less, below), ("at most", np.less_equal, at_most)]
    limits = [limit for limit in limits if -np.inf < limit[2] < np.inf]
    good = np.isfinite(array)
    for _, compare, limit in limits:
        good &= compare(array, limit)
    if not good.all():
        wanted = " and ".join(["finite", *(f"{words} {limit:g}" for words, _, limit in limits)])
        raise ValueError(f"{name} must be {wanted}{_got(name, array[~good].flat[0])}")
    return array


def _got(name, value):
    """What a message shows of a wrong argument."""
    return "" if name in RECORDS else f", got {value}"


def numbers(name, value):
    """An array of numbers that need not be finite, of the type it came with."""
    array = _array(name, value)
    if array.dtype.kind == "O" and all(
        isinstance(record, (Real, np.bool_)) for record in array.flat
    ):
        return np.array([_float(record) for record in array.flat]).reshape(array.shape)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold real numbers, got {_shown(name, value, array)}")
    return array


def _float(number):
    try:
        return float(number)
    except OverflowError:
        return float("inf")


def _array(name, value):
    """An array of whatever type NumPy finds."""
    plain(name, value)
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError(
            f"{name} must be one array of numbers, got rows of different lengths"
        ) from None


def plain(name, value):
    """Refuse what NumPy would read as something else than it is."""
    if masked(value):
        raise ValueError(
            f"{name} must be a plain array, got a masked one: leave out what is missing, or fill it"
        )
    # X is a table, with a row for each record
    if name != "X" and (hasattr(value, "columns") or hasattr(value, "column_names")):
        raise ValueError(
            f"{name} must be an array, got a {type(value).__name__}: say which columns, as in "
            "table['age'].to_numpy()"
        )


def masked(value):
    """Whether a mask is somewhere in nested lists, where NumPy would read what is behind it."""
    if not isinstance(value, (list, tuple)):
        return isinstance(value, np.ma.MaskedArray)
    kinds = set(map(type, value))  # a million numbers are of few types
    if any(issubclass(kind, (list, tuple)) for kind in kinds):
        return any(map(masked, value))
    return any(issubclass(kind, np.ma.MaskedArray) for kind in kinds)


def _shown(name, value, array):
    """What a message says of a wrong argument: one number as it is, but of a data set no record."""
    if array.ndim == 0 and name not in RECORDS:
        return repr(value)
    # the longest record sets their width
    return "strings" if array.dtype.kind in "US" else f"an array of type {array.dtype}"


def data_sets(name, value, *, runs, at_least=1):
    """One data set, or several along the last axis, of so many records or more each. Whoever reads
    them checks that they are finite."""
    array = one_data_set(name, numbers(name, value), runs)
    if array.ndim == 0 or array.shape[-1] < at_least:
        raise ValueError(
            f"{name} must have at least {at_least} records on the last axis, got shape "
            f"{array.shape}"
        )
    return array


def one_data_set(name, array, runs, axes=1):
    """The array, unless it has more axes than a data set has and nobody said that these are
    runs."""
    if array.ndim > axes and not choice("runs", runs, (False, True)):
        what = "its records on one axis" if axes == 1 else f"{axes} axes"
        raise ValueError(
            f"{name} must be one data set with {what}, got shape {array.shape}; with runs=True, "
            "the axes before are data sets of their own"
        )
    return array


def real(name, value, **limits):
    """One finite real number within public limits, as a Python float."""
    return _single(name, reals(name, value, **limits))


def parameters(name, value, *, or_zero=False, **limits):
    """Real parameters in the domain that their name has everywhere, narrowed by ``limits``, or with
    its end at 0."""
    domain = PARAMETER_DOMAINS[name] | limits
    if or_zero:
        domain["at_least"] = domain.pop("above")
    if "at_most" in limits:
        domain.pop("below", None)
    return reals(name, value, **domain)


def parameter(name, value, **limits):
    """One real parameter, as a Python float."""
    return _single(name, parameters(name, value, **limits))


def _single(name, array):
    if array.ndim:
        raise ValueError(f"{name} must be a single number, got an array of shape {array.shape}")
    return float(array)


def distributions(name, value):
    """Probabilities along the last axis, each of which sum to 1 up to 1e-6."""
    law = reals(name, value, at_least=0)
    if law.ndim == 0 or not np.all(np.abs(law.sum(axis=-1) - 1) <= 1e-6):
        raise ValueError(
            f"{name} must sum to 1 over the last axis, got the sum {np.sum(law, axis=-1)}"
        )
    return law


def pair(name, value, name_neighbor, value_neighbor):
    """Two distributions of the same outcomes, their sums exactly 1 but for rounding."""
    p, q = distributions(name, value), distributions(name_neighbor, value_neighbor)
    for this, law in ((name, p), (name_neighbor, q)):
        if law.ndim > 1:
            raise ValueError(f"{this} must be one distribution, got an array of shape {law.shape}")
    if p.size != q.size:
        raise ValueError(f"{name} and {name_neighbor} must have the same outcomes, "
                         f"got {p.size} and {q.size}")
    return p / p.sum(), q / q.sum()


def integers(name, value, *, at_least, at_most=LARGEST):
    """Integers within public limits, as an array of their own integer type (booleans count as 0 and
    1)."""
    array = whole(name, value)
    if array.size and not (at_least <= int(array.min()) and int(array.max()) <= at_most):
        worst = array.min() if array.min() < at_least else array.max()
        raise ValueError(
            f"{name} must be at least {at_least} and at most {at_most}{_got(name, worst)}"
        )
    return array.astype(np.int64) if array.dtype.kind == "O" else array


def whole(name, value):
    """Integers of any size, as an array of the type they came with, or of Python's integers."""
    array = _array(name, value)
    if array.dtype.kind in "biu":
        return array
    if array.size == 0:
        return array.astype(np.int64)
    records = np.array(value, dtype=object)
    if all(isinstance(record, (Integral, np.bool_)) for record in records.flat):
        return records
    raise ValueError(f"{name} must hold integers, got {_shown(name, value, array)}")


def integer(name, value, *, at_least, at_most=LARGEST):
    """One integer, as a Python int."""
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} must be an integer, got {value!r}") from None
    if not at_least <= number <= at_most:
        raise ValueError(f"{name} must be at least {at_least} and at most {at_most}, got {number}")
    return number


def interval(name, value):
    """Two finite numbers (lo, hi) with lo < hi and a finite distance."""
    ends = reals(name, value)
    if ends.shape != (2,) or not 0 < float(ends[1]) - float(ends[0]) < np.inf:
        raise ValueError(f"{name} must be a pair (lo, hi) with lo < hi, got {value!r}")
    return float(ends[0]), float(ends[1])


def choice(name, value, allowed):
    """One of a few words."""
    if value not in list(allowed):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")
    return value


def noise(value):
    """Real noise or integers."""
    return choice("noise", value, ("laplace", "discrete_laplace"))


def records_that_differ(neighbor):
    """How many records two neighbours do not share: under ``replace`` the old and the new one."""
    return NEIGHBORS[choice("neighbor", neighbor, NEIGHBORS)]


def replaces(neighbor):
    """Whether neighbours have the same number of records, which is public then."""
    return records_that_differ(neighbor) == NEIGHBORS["replace"]


def scale(sensitivity, epsilon):
    """The noise scale sensitivity / epsilon, refused where the division leaves the range of a
    float."""
    ratio = parameter("sensitivity", sensitivity) / parameter("epsilon", epsilon)
    if not 0 < ratio < np.inf:
        raise ValueError(
            f"sensitivity / epsilon must be a positive finite number, got {sensitivity!r} / "
            f"{epsilon!r}"
        )
    return ratio


def lattice_scale(name, scale):
    """Integer noise is kept far from the ends of int64 by a public limit on its scale."""
    if scale > LARGEST_LATTICE_SCALE:
        raise ValueError(f"{name} must be at most 2**36 for integer noise, got {scale:g}")
    return scale
