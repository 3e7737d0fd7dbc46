"""The jobs of tables.py in Tumult Analytics, which needs a Java (8, 11 or 17), and an older NumPy and pandas than we do.

    python3.11 -m venv .venv-tumult
    .venv-tumult/bin/python -m pip install tmlt.analytics==0.21.0 "pandas<2" setuptools
    TUMULT=.venv-tumult/bin/python .venv-bench/bin/python benchmarks/tables.py                  beside all others
    TUMULT=.venv-tumult/bin/python .venv-bench/bin/python benchmarks/tables.py ours Tumult      beside ours alone

It therefore runs in a process of its own, which tables.py starts and asks: the name of a job goes in, an answer comes out. Spark has
one thread, one partition and the tables in memory. Its start is not measured.
"""

import json
import math
import os
import subprocess
import sys
from contextlib import contextmanager
from itertools import accumulate, product
from types import SimpleNamespace


@contextmanager
def running(**said):
    """What asks such a process for a job, if TUMULT names a Python that has the library."""
    if "TUMULT" not in os.environ:
        yield None
        return
    command = [os.environ["TUMULT"], __file__, json.dumps(said)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()                                  # Spark is there

        def ask(job):
            print(job, file=process.stdin, flush=True)
            return json.loads(process.stdout.readline())
        yield ask


def session(t, data, name, unit=None, epsilon=1e6):
    """A session of Tumult's (t) about one table, each row or each of these units of which may come or go."""
    change = t.AddRowsWithID(unit) if unit else t.AddOneRow()
    return t.Session.from_dataframe(t.PureDPBudget(epsilon), name, data.tables[name], change)


def values(answer, by, least=-math.inf):
    """In the order of the groups; 0 for those that are not there."""
    found = {tuple(row[name] for name in by): row[-1] for row in answer.collect()}
    return [max(least, found.get(labels, 0)) for labels in product(*by.values())]


# --- the jobs: each prepares and returns what gives an answer -------------------------------------------------------------

def discovery(t, data):
    """Half of ε finds the labels, which come without their counts; half counts."""
    budget, by = t.ApproxDPBudget(1e6, .5), {"dest": data.dest}
    flights = t.Session.from_dataframe(budget, "flights", data.tables["flights"], t.AddOneRow())
    labels = t.QueryBuilder("flights").get_groups(["dest"])

    def answer():
        keys = t.KeySet.from_dataframe(flights.evaluate(labels, t.ApproxDPBudget(data.epsilon / 2, data.delta)))
        query = t.QueryBuilder("flights").groupby(keys).count()
        return values(flights.evaluate(query, t.ApproxDPBudget(data.epsilon / 2, 0)), by, least=0)
    return answer


def counts(t, data):
    flights, by = session(t, data, "flights"), {"dest": data.dest}
    query = t.QueryBuilder("flights").groupby(t.KeySet.from_dict(by)).count()
    return lambda: values(flights.evaluate(query, t.PureDPBudget(data.epsilon)), by, least=0)


def planes(t, data):
    visits, by = session(t, data, "visits", unit="tailnum"), data.months
    mine = t.QueryBuilder("visits").enforce(t.MaxRowsPerID(data.votes))
    query = mine.groupby(t.KeySet.from_dict(by)).count()
    return lambda: values(visits.evaluate(query, t.PureDPBudget(data.epsilon)), by, least=0)


def totals(t, data):
    visits, by = session(t, data, "visits", unit="tailnum"), data.months
    mine = t.QueryBuilder("visits").enforce(t.MaxRowsPerID(data.votes))
    query = mine.groupby(t.KeySet.from_dict(by)).sum("late_flights", *data.often)
    return lambda: values(visits.evaluate(query, t.PureDPBudget(data.epsilon)), by)


def means_of_planes(t, data):
    visits, by = session(t, data, "visits", unit="tailnum"), data.months
    mine = t.QueryBuilder("visits").enforce(t.MaxRowsPerID(data.votes))
    query = mine.groupby(t.KeySet.from_dict(by)).average("delay", *data.delay)
    return lambda: values(visits.evaluate(query, t.PureDPBudget(data.larger)), by)


def histogram(t, data):
    edges = [5000. * cell / data.cells for cell in range(data.cells + 1)]
    cells = t.BinningSpec(edges, names=list(range(data.cells)), right=False)
    flights, by = session(t, data, "flights"), {"cell": cells.bins()}
    query = t.QueryBuilder("flights").histogram("distance", cells, name="cell")
    return lambda: values(flights.evaluate(query, t.PureDPBudget(data.epsilon)), by, least=0)


def quantiles(levels):
    """Each level is a question of its own, at its share of ε."""
    def prepare(t, data):
        averages, each = session(t, data, "planes"), t.PureDPBudget(data.epsilon / len(levels))
        queries = [t.QueryBuilder("planes").quantile("arr_delay", level, *data.delay) for level in levels]
        return lambda: sorted(averages.evaluate(query, each).first()[0] for query in queries)
    return prepare


def mean(t, data):
    flights = session(t, data, "flights")
    query = t.QueryBuilder("flights").replace_null_and_nan({"arr_delay": 0.}).average("arr_delay", *data.delay)
    return lambda: flights.evaluate(query, t.PureDPBudget(data.epsilon)).first()[0]


def means(t, data):
    flights, by = session(t, data, "flights"), data.months
    mine = t.QueryBuilder("flights").replace_null_and_nan({"arr_delay": 0.})
    query = mine.groupby(t.KeySet.from_dict(by)).average("arr_delay", *data.delay)
    return lambda: values(flights.evaluate(query, t.PureDPBudget(data.epsilon)), by)


def sums(t, data):
    """Tumult has no sums over prefixes, so that we add up its counts of days."""
    flights, by = session(t, data, "flights"), {"date": list(range(data.days))}
    query = t.QueryBuilder("flights").groupby(t.KeySet.from_dict(by)).count()
    return lambda: list(accumulate(values(flights.evaluate(query, t.PureDPBudget(data.epsilon)), by)))


def ledger(t, data):
    late = t.QueryBuilder("flights").filter("arr_delay > 15").count()

    def answer():
        flights = session(t, data, "flights", epsilon=2)
        found = [flights.evaluate(late, t.PureDPBudget(.1)).first()[0] for _ in range(20)]
        try:
            flights.evaluate(late, t.PureDPBudget(.1))
        except RuntimeError:
            return found
    return answer


JOBS = dict(discovery=discovery, counts=counts, planes=planes, totals=totals, means_of_planes=means_of_planes, histogram=histogram,
            median=quantiles([.5]), deciles=quantiles([k / 10 for k in range(1, 10)]), mean=mean, means=means, sums=sums, ledger=ledger)


def main(said):
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)                                                  # so that nobody else writes where the answers go
    os.environ["PYSPARK_PYTHON"] = sys.executable
    import tmlt.analytics as t
    from pyspark.sql import SparkSession
    spark = SparkSession.builder.master("local[1]")
    for name, value in {"sql.shuffle.partitions": 1, "ui.enabled": False, "ui.showConsoleProgress": False,
                        "sql.warehouse.dir": f"{said['folder']}/warehouse"}.items():
        spark = spark.config(f"spark.{name}", value)
    spark = spark.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    data, ready = SimpleNamespace(**said, tables={}), {}
    for name in ("flights", "planes", "visits"):                   # Tumult takes no column of True and False
        data.tables[name] = spark.read.parquet(f"{data.folder}/{name}.parquet").drop("late").cache()
    print("ready", file=answers, flush=True)
    for job in map(str.strip, sys.stdin):
        if job not in ready:
            ready[job] = JOBS[job](t, data)
        print(json.dumps(ready[job]()), file=answers, flush=True)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
