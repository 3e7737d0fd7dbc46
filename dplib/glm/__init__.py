"""One number from a model: the private release of a parameter of a generalised linear model."""

from dplib.glm.stability import (
    DirectionConstants, MahalanobisConstants, VectorConstants, prediction_shift, direction_constants, mahalanobis_constants,
    vector_constants)
from dplib.glm.eigenvalues import shift_sharp, shift_source, shift_generic, eigenvalue_ratio_constants
from dplib.glm.scales import (
    mismatched_gaussian_delta, gaussian_noise_multiplier, vector_noise_multiplier, laplace_epsilon, integrated_delta)
from dplib.glm.recursions import (
    Levels, linear_levels, source_levels, generic_levels, certificate_offset, certify_by_recursion, certify_largest_eigenvalue)

__all__ = [
    "DirectionConstants", "MahalanobisConstants", "VectorConstants",
    "prediction_shift", "direction_constants", "mahalanobis_constants", "vector_constants",
    "shift_sharp", "shift_source", "shift_generic", "eigenvalue_ratio_constants",
    "mismatched_gaussian_delta", "gaussian_noise_multiplier", "vector_noise_multiplier", "laplace_epsilon", "integrated_delta",
    "Levels", "linear_levels", "source_levels", "generic_levels",
    "certificate_offset", "certify_by_recursion", "certify_largest_eigenvalue",
]
