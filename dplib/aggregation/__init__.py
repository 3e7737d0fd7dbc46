"""Any estimator, privately: test first and release then, or ask many blocks of people and combine
their answers."""

from dplib.aggregation.stability import (
    Refusal,
    passes_test,
    release_if_stable,
    stable_release_probability,
)
from dplib.aggregation.refusals import refused
from dplib.aggregation.answers import (
    bounded_mean,
    median_probabilities,
    median_scores,
    private_median,
    private_vote,
    vote_error,
)
from dplib.aggregation.blocks import subsample_and_aggregate

__all__ = [
    "Refusal", "passes_test", "release_if_stable", "stable_release_probability", "refused",
    "private_vote", "vote_error", "median_scores", "private_median", "median_probabilities",
    "bounded_mean", "subsample_and_aggregate",
]
