"""One number from a model: the private release of a parameter of a generalised linear model."""

from dplib.glm.stability import (
    DirectionConstants, MahalanobisConstants, VectorConstants, prediction_shift, direction_constants, mahalanobis_constants,
    vector_constants)
from dplib.glm.eigenvalues import shift_sharp, shift_source, shift_generic, eigenvalue_ratio_constants

__all__ = [
    "DirectionConstants", "MahalanobisConstants", "VectorConstants",
    "prediction_shift", "direction_constants", "mahalanobis_constants", "vector_constants",
    "shift_sharp", "shift_source", "shift_generic", "eigenvalue_ratio_constants",
]
