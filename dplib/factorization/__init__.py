"""Many linear questions from one message, or from one noisy vector: answer W = RA by noise on the
columns of A."""

from dplib.factorization.workloads import threshold_workload, interval_workload, parity_workload
from dplib.factorization.factors import (
    Factorization,
    factorization_of,
    identity_factorization,
    center_factorization,
)
from dplib.factorization.structured import hierarchical_factorization, square_root_factorization
from dplib.factorization.optimal import optimal_factorization, gamma2
from dplib.factorization.local_release import (
    release_local,
    release_local_gaussian,
    local_variance,
    local_gaussian_variance,
    release_local_error_bound,
    release_local_sample_size,
)
from dplib.factorization.central_release import (
    release_central,
    central_variance,
    release_central_error_bound,
)

__all__ = [
    "threshold_workload",
    "interval_workload",
    "parity_workload",
    "Factorization",
    "factorization_of",
    "identity_factorization",
    "center_factorization",
    "hierarchical_factorization",
    "square_root_factorization",
    "optimal_factorization",
    "gamma2",
    "release_local",
    "release_local_gaussian",
    "local_variance",
    "local_gaussian_variance",
    "release_local_error_bound",
    "release_local_sample_size",
    "release_central",
    "central_variance",
    "release_central_error_bound",
]
