"""What no private estimator can do: packings, two distributions, tracing."""

from dplib.lower_bounds.packing import packing_mass, packing_sample_size
from dplib.lower_bounds.two_distributions import (
    two_point_sample_size,
    mean_sample_size_lower_bound,
    sign_test,
    sign_test_error,
    clamped_likelihood_test,
)
from dplib.lower_bounds.tracing import tracing_sample_size, tracing_scores

__all__ = [
    "packing_mass",
    "packing_sample_size",
    "two_point_sample_size",
    "mean_sample_size_lower_bound",
    "sign_test",
    "sign_test_error",
    "clamped_likelihood_test",
    "tracing_sample_size",
    "tracing_scores",
]
