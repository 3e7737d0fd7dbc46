"""One number from a model, or all of them: private releases, with noise that fits the data and does
not tell of them.

What others publish, to compare with, is in `dplib.glm.compared`.
"""

import importlib
import warnings
from typing import TYPE_CHECKING

from dplib.glm.losses import LOGISTIC, ROBUST, Loss
from dplib.glm.domains import Ball, Box
from dplib.glm.fits import Fit, fit_model
from dplib.glm.stability import (
    DirectionConstants, VectorConstants, direction_constants, prediction_shift, vector_constants)
from dplib.glm.scales import laplace_epsilon, vector_noise_multiplier
from dplib.glm.certificates import certificate_margin, certify_below
from dplib.glm.results import Release
from dplib.glm.perturbed import (
    release_by_perturbed_objective, release_vector_by_perturbed_objective)
from dplib.glm.releases import (
    release_coefficient, release_with_fitted_scale, release_with_public_scale)
from dplib.glm.plans import CoefficientPlan, plan_coefficient
from dplib.glm.vectors import VectorRelease, release_vector
from dplib.glm.gradients import noisy_sgd
from dplib.glm.estimator import PrivateLogisticRegression
from dplib.glm.tables import release_from_table
from dplib.glm import compared as compared

__all__ = [
    "Loss", "LOGISTIC", "ROBUST", "Box", "Ball",
    "Fit", "fit_model",
    "prediction_shift", "DirectionConstants", "direction_constants",
    "VectorConstants", "vector_constants",
    "laplace_epsilon", "vector_noise_multiplier",
    "certificate_margin", "certify_below",
    "Release", "release_coefficient", "release_with_public_scale", "release_with_fitted_scale",
    "release_by_perturbed_objective", "release_vector_by_perturbed_objective",
    "CoefficientPlan", "plan_coefficient", "VectorRelease", "release_vector",
    "noisy_sgd", "PrivateLogisticRegression", "release_from_table",
]

RENAMED = {  # what was here until version 0.1, and leads on for one more version
    "one_certificate": "release_with_public_scale",
    "fitted_scale": "release_with_fitted_scale",
    "noisy_table": "release_from_table",
    "isotropic_noise": "compared.release_with_isotropic_noise",
    "condition_number_scale": "compared.release_with_condition_number",
    "mahalanobis_scale": "compared.release_with_mahalanobis_scale",
    "ridge_perturbation": "compared.release_with_ridge",
    "noisy_gradient": "compared.release_by_noisy_gradients",
    **{name: f"compared.{name}" for name in (
        "objective_perturbation_idealized", "objective_perturbation_scales", "oracle",
        "shift_sharp", "shift_source", "shift_generic", "eigenvalue_ratio_constants",
        "MahalanobisConstants", "mahalanobis_constants",
        "mismatched_gaussian_delta", "gaussian_noise_multiplier", "integrated_delta",
        "Levels", "linear_levels", "source_levels", "generic_levels",
        "certificate_offset", "certify_by_recursion", "certify_largest_eigenvalue")},
}

if not TYPE_CHECKING:  # which finds a misspelt name only where none is made up

    def __getattr__(name):
        """An old name, with a warning that says the new one."""
        if name not in RENAMED:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        place, _, new = f"{__name__}.{RENAMED[name]}".rpartition(".")
        warnings.warn(f"{__name__}.{name} is now {place}.{new}; the old name goes with the next "
                      f"version", DeprecationWarning, stacklevel=2)
        return getattr(importlib.import_module(place), new)
