"""One number from a model: the private release of a coefficient, with noise that fits the data and does not tell of them."""

from dplib.glm.losses import LOGISTIC, ROBUST, Loss
from dplib.glm.domains import Ball, Box
from dplib.glm.fits import Fit, fit_model
from dplib.glm.stability import (
    DirectionConstants, MahalanobisConstants, VectorConstants, prediction_shift, direction_constants, mahalanobis_constants,
    vector_constants)
from dplib.glm.eigenvalues import shift_sharp, shift_source, shift_generic, eigenvalue_ratio_constants
from dplib.glm.certificates import certificate_margin, certify_below

__all__ = [
    "Loss", "LOGISTIC", "ROBUST", "Box", "Ball",
    "Fit", "fit_model",
    "DirectionConstants", "MahalanobisConstants", "VectorConstants",
    "prediction_shift", "direction_constants", "mahalanobis_constants", "vector_constants",
    "shift_sharp", "shift_source", "shift_generic", "eigenvalue_ratio_constants",
    "certificate_margin", "certify_below",
]
