"""The mean of a Gaussian, privately: what it costs to know a radius, what it costs not to know one, how far off it is."""

from dplib.mean.adaptive import (
    AdaptivePlan, adaptive_mean, adaptive_plan, clipped_normal_mean, median_failure_bound, unclip)
from dplib.mean.estimators import clipped_mean, private_scale, two_stage_mean, unbounded_mean
from dplib.mean.failures import (
    coarse_failure_bound, scale_failure_bound, stability_failure_bound, three_cells_failure_bound)
from dplib.mean.inference import error_bound, least_size, mean_interval
from dplib.mean.laws import clip_radius, noise_tail

__all__ = [
    "clipped_mean", "two_stage_mean", "unbounded_mean", "private_scale",
    "AdaptivePlan", "adaptive_plan", "adaptive_mean", "median_failure_bound", "clipped_normal_mean", "unclip",
    "error_bound", "least_size", "mean_interval",
    "noise_tail", "clip_radius", "coarse_failure_bound", "stability_failure_bound",
    "three_cells_failure_bound", "scale_failure_bound",
]
