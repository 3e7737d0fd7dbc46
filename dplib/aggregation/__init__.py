"""Any estimator, privately: test first and release then, or ask many blocks of people and combine their answers."""

from dplib.aggregation.stability import Refusal, passes_test, release_if_stable, stable_release_probability

__all__ = ["Refusal", "passes_test", "release_if_stable", "stable_release_probability"]
