"""The words of the signatures.

Data are a numpy.typing.ArrayLike; a parameter is a number and never text. What is computed has the
shape of what it is computed from, and is one number where all of that are: as NumPy's own functions
do, such results say Any, so that a script may calculate with them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Any", "ArrayLike", "Bools", "Callable", "Floats", "Generator", "Integer", "Integers",
    "Interval", "Ints", "LabelKind", "Labels", "Mapping", "Move", "NDArray", "Neighbor", "Noise",
    "Order", "Real", "Reals"]

Neighbor: TypeAlias = Literal["replace", "add_remove"]
Noise: TypeAlias = Literal["laplace", "discrete_laplace"]
Order: TypeAlias = Literal["remove", "add"]
LabelKind: TypeAlias = Literal["integers", "text"]

Real: TypeAlias = float | np.floating | np.integer
Integer: TypeAlias = SupportsIndex
Interval: TypeAlias = Sequence[Real] | NDArray[Any]  # (lo, hi)
Move: TypeAlias = Sequence[ArrayLike]  # (a, b), two points
Labels: TypeAlias = Sequence[object] | NDArray[Any]

# one number, or one for each of several calls that are made together
Reals: TypeAlias = Real | Sequence[Real] | Sequence[Sequence[Real]] | NDArray[Any]
Integers: TypeAlias = Integer | Sequence[Integer] | Sequence[Sequence[Integer]] | NDArray[Any]

# results: of float64, of integers, of bool
Floats: TypeAlias = Any
Ints: TypeAlias = Any
Bools: TypeAlias = Any
