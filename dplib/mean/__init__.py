"""The mean of a Gaussian, privately: what it costs to know a radius, what it costs not to know one,
how far off it is; and an interval for the mean of anything between two bounds."""

from dplib.mean.adaptive import (
    AdaptivePlan, adaptive_mean, adaptive_plan, clipped_normal_mean, median_failure_bound, unclip)
from dplib.mean.estimators import clipped_mean, private_scale, two_stage_mean, unbounded_mean
from dplib.mean.failures import (
    coarse_failure_bound, scale_failure_bound, stability_failure_bound, three_cells_failure_bound)
from dplib.mean.inference import (
    adaptive_mean_error_bound, clipped_mean_error_bound, mean_interval, two_stage_mean_error_bound,
    unbounded_mean_error_bound)
from dplib.mean.bounded import bounded_mean_interval
from dplib.mean.distributions import clip_radius, noise_tail

__all__ = [
    "clipped_mean",
    "two_stage_mean",
    "unbounded_mean",
    "private_scale",
    "AdaptivePlan",
    "adaptive_plan",
    "adaptive_mean",
    "median_failure_bound",
    "clipped_normal_mean",
    "unclip",
    "clipped_mean_error_bound",
    "two_stage_mean_error_bound",
    "unbounded_mean_error_bound",
    "adaptive_mean_error_bound",
    "mean_interval",
    "bounded_mean_interval",
    "noise_tail",
    "clip_radius",
    "coarse_failure_bound",
    "stability_failure_bound",
    "three_cells_failure_bound",
    "scale_failure_bound",
]
