"""What the releases of `dplib.glm` are compared with: those first published, with constants that
are proved, and rivals whose noise is for the worst data, or is not private at all."""

from dplib.glm.stability import MahalanobisConstants, mahalanobis_constants
from dplib.glm.compared.eigenvalues import (
    eigenvalue_ratio_constants, shift_generic, shift_sharp, shift_source)
from dplib.glm.compared.mismatch import (
    gaussian_noise_multiplier, integrated_delta, mismatched_gaussian_delta)
from dplib.glm.compared.recursions import (
    Levels, certificate_offset, certify_by_recursion, certify_largest_eigenvalue, generic_levels,
    linear_levels, source_levels)
from dplib.glm.compared.baselines import (
    objective_perturbation_idealized, objective_perturbation_scales, oracle,
    release_by_noisy_gradients, release_with_ridge)
from dplib.glm.compared.published import (
    release_with_condition_number, release_with_isotropic_noise, release_with_mahalanobis_scale)

__all__ = [
    "shift_sharp", "shift_source", "shift_generic", "eigenvalue_ratio_constants",
    "MahalanobisConstants", "mahalanobis_constants",
    "mismatched_gaussian_delta", "gaussian_noise_multiplier", "integrated_delta",
    "Levels", "linear_levels", "source_levels", "generic_levels",
    "certificate_offset", "certify_by_recursion", "certify_largest_eigenvalue",
    "release_with_isotropic_noise", "release_with_condition_number",
    "release_with_mahalanobis_scale",
    "release_with_ridge", "objective_perturbation_scales", "objective_perturbation_idealized",
    "release_by_noisy_gradients", "oracle",
]
