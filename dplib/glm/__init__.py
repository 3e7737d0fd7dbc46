"""One number from a model: the private release of a coefficient, with noise that fits the data and does not tell of them."""

from dplib.glm.losses import LOGISTIC, ROBUST, Loss
from dplib.glm.domains import Ball, Box
from dplib.glm.fits import Fit, fit_model
from dplib.glm.stability import (
    DirectionConstants, MahalanobisConstants, VectorConstants, direction_constants, mahalanobis_constants, prediction_shift,
    vector_constants)
from dplib.glm.eigenvalues import eigenvalue_ratio_constants, shift_generic, shift_sharp, shift_source
from dplib.glm.scales import (
    gaussian_noise_multiplier, integrated_delta, laplace_epsilon, mismatched_gaussian_delta, vector_noise_multiplier)
from dplib.glm.certificates import certificate_margin, certify_below
from dplib.glm.recursions import (
    Levels, certificate_offset, certify_by_recursion, certify_largest_eigenvalue, generic_levels, linear_levels, source_levels)
from dplib.glm.results import Release
from dplib.glm.releases import fitted_scale, one_certificate, release_coefficient
from dplib.glm.vectors import VectorRelease, release_vector
from dplib.glm.estimator import PrivateLogisticRegression
from dplib.glm.baselines import (
    noisy_gradient, objective_perturbation_idealized, objective_perturbation_scales, oracle, ridge_perturbation)
from dplib.glm.tables import noisy_table
from dplib.glm.published import condition_number_scale, isotropic_noise, mahalanobis_scale

__all__ = [
    "Loss", "LOGISTIC", "ROBUST", "Box", "Ball",
    "Fit", "fit_model",
    "DirectionConstants", "MahalanobisConstants", "VectorConstants",
    "prediction_shift", "direction_constants", "mahalanobis_constants", "vector_constants",
    "shift_sharp", "shift_source", "shift_generic", "eigenvalue_ratio_constants",
    "mismatched_gaussian_delta", "gaussian_noise_multiplier", "vector_noise_multiplier", "laplace_epsilon", "integrated_delta",
    "certificate_margin", "certify_below",
    "Levels", "linear_levels", "source_levels", "generic_levels",
    "certificate_offset", "certify_by_recursion", "certify_largest_eigenvalue",
    "Release", "one_certificate", "fitted_scale", "release_coefficient",
    "VectorRelease", "release_vector", "PrivateLogisticRegression",
    "ridge_perturbation", "objective_perturbation_idealized", "objective_perturbation_scales", "noisy_gradient", "oracle", "noisy_table",
    "isotropic_noise", "condition_number_scale", "mahalanobis_scale",
]
