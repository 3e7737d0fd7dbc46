"""Aggregates of records that are near each other, without saying where: FriendlyCore, with a test
of its own.

Two records are friends if they are at most a public radius apart. Records with few friends lose
their weight gradually, so that no single record decides about many others.
"""

from dplib.friendly.counts import friend_counts
from dplib.friendly.mean import FriendlyPlan, friendly_mean, friendly_plan, friendly_radius
from dplib.friendly.weights import friendly_weights
from dplib.friendly.core import (
    CorePlan, friendly_core_delta, friendly_core_epsilon, friendly_core_mean, friendly_core_plan,
    sample_friendly_core)
from dplib.friendly.tuples import friendly_tuples

__all__ = [
    "friend_counts",
    "friendly_weights",
    "sample_friendly_core",
    "friendly_core_epsilon",
    "friendly_core_delta",
    "CorePlan",
    "friendly_core_plan",
    "friendly_core_mean",
    "FriendlyPlan",
    "friendly_plan",
    "friendly_mean",
    "friendly_radius",
    "friendly_tuples",
]
