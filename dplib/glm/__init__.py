"""One number from a model: the private release of a coefficient, with noise that fits the data and does not tell of them."""

from dplib.glm.losses import LOGISTIC, ROBUST, Loss
from dplib.glm.domains import Ball, Box
from dplib.glm.fits import Fit, fit_model
from dplib.glm.stability import (
    DirectionConstants, MahalanobisConstants, VectorConstants, direction_constants, mahalanobis_constants, prediction_shift,
    vector_constants)
from dplib.glm.eigenvalues import eigenvalue_ratio_constants, shift_generic, shift_sharp, shift_source
from dplib.glm.scales import gaussian_noise_multiplier, integrated_delta, laplace_epsilon, mismatched_gaussian_delta
from dplib.glm.certificates import certificate_margin, certify_below
from dplib.glm.results import Release
from dplib.glm.releases import fitted_scale, one_certificate, release_coefficient

__all__ = [
    "Loss", "LOGISTIC", "ROBUST", "Box", "Ball",
    "Fit", "fit_model",
    "DirectionConstants", "MahalanobisConstants", "VectorConstants",
    "prediction_shift", "direction_constants", "mahalanobis_constants", "vector_constants",
    "shift_sharp", "shift_source", "shift_generic", "eigenvalue_ratio_constants",
    "mismatched_gaussian_delta", "gaussian_noise_multiplier", "laplace_epsilon", "integrated_delta",
    "certificate_margin", "certify_below",
    "Release", "one_certificate", "fitted_scale", "release_coefficient",
]
