"""The words of the signatures.

Data are a numpy.typing.ArrayLike; a parameter is a number and never text. What is computed has the
shape of what it is computed from, and is one number where all of that are: as NumPy's own functions
do, such results say Any, so that a script may calculate with them.
"""

from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

__all__ = ["ArrayLike", "Floats", "Generator", "Integer", "Labels", "Move", "NDArray", "Noise",
           "Real", "Reals"]

Noise: TypeAlias = Literal["laplace", "discrete_laplace"]
Real: TypeAlias = float | np.floating | np.integer
Integer: TypeAlias = SupportsIndex
# one number, or one for each of several calls that are made together
Reals: TypeAlias = Real | Sequence[Real] | Sequence[Sequence[Real]] | NDArray[Any]
Floats: TypeAlias = Any  # of float64

Move: TypeAlias = Sequence[ArrayLike]  # (a, b), two points
Labels: TypeAlias = Sequence[object] | NDArray[Any]
