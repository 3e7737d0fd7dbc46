"""dask and Spark, on which a table may lie on many machines: the questions of test_tables.py, bit for bit, and workers that die.

Only make test-all asks them. PySpark is of 400 MB and needs a Java: it is in tests/spark.txt and not in the lock, and where either is
missing, its tests say so.
"""

import os
import pickle
import shutil
import sys
from contextlib import contextmanager
from importlib.util import find_spec
from unittest.mock import patch

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from dplib.accounting import Ledger, Overdraft
from dplib.tables import EngineError, votes
from tests import depth, test_tables
from tests.people import BOUNDS, OTHERS, QUESTIONS, SECRET, WARDS, purse, table, tokens, visits
from tests.test_tables import same
from tests.test_tables_gate import chain
from tests.test_tables_models import kinds

NO_SPARK = not (find_spec("pyspark") and shutil.which("java"))
SPARK = pytest.mark.skipif(NO_SPARK, reason="Spark was not asked: it needs a Java and `pip install -r tests/spark.txt`")
pytestmark = [
    pytest.mark.slow, pytest.mark.skipif(not depth.CLUSTERS(), reason="dask and Spark are asked by make test-all"),
    pytest.mark.filterwarnings("ignore:.*(Dask|PySpark|pyspark):FutureWarning", "ignore::ResourceWarning")]


class Dask:
    """Its own threads, or processes of which one may die."""

    def table(self, frame, partitions=3):
        import dask.dataframe as dd
        return dd.from_pandas(frame, npartitions=partitions, sort=False)

    def failing(self, frame):
        def fail(part):
            if len(part) and part.person.iloc[0] == part.person.iloc[0]:
                raise ValueError(SECRET)
            return part
        return frame.map_partitions(fail, meta=frame._meta)

    @contextmanager
    def dying(self, flag, deaths, failures):
        """A table that kills a process that reads it, so many times."""
        import dask
        from distributed import Client, LocalCluster
        with dask.config.set({"distributed.scheduler.allowed-failures": failures, "distributed.logging.distributed": "critical"}), \
                LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
            frame = self.table(visits())
            yield frame.map_partitions(killer(str(flag), deaths), meta=frame._meta)


class Spark:
    """Local, or a cluster on this machine, whose executors are processes."""

    def __init__(self):
        self.session = None

    def start(self, master="local[2]", **settings):
        from pyspark.sql import SparkSession
        self.stop()
        os.environ["PYSPARK_PYTHON"] = sys.executable
        builder = SparkSession.builder.master(master).config(map={
            "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "3", "spark.driver.memory": "1g",
            "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"} | settings)
        self.session = builder.getOrCreate()
        self.session.sparkContext.setLogLevel("OFF")

    def stop(self):
        if self.session:
            self.session.stop()
        self.session = None

    def table(self, frame, partitions=3):
        if self.session is None:
            self.start()
        return self.session.createDataFrame(pa.Table.from_pandas(frame, preserve_index=False)).repartition(partitions)

    def failing(self, frame):
        from pyspark.sql import functions
        return frame.withColumn("cost", functions.concat(functions.lit(SECRET), "cost").cast("double"))

    @contextmanager
    def dying(self, flag, deaths, failures):
        self.start("local-cluster[2,1,1024]", **{"spark.task.maxFailures": str(failures + 1), "spark.executor.memory": "1g"})
        frame = self.table(visits())
        yield frame.mapInArrow(killer(str(flag), deaths, of=2), frame.schema)      # the executor, above the daemon of Python
        self.stop()


def killer(flag, deaths, of=0):
    """Hands on the rows; the first of so many readings, of whatever part, kill the process, or the one above those of Python."""
    def die(part):                                                       # goes to the workers as it stands, without this module
        import os
        import signal

        import psutil
        for i in range(deaths):
            try:
                os.close(os.open(f"{flag}-{i}", os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                continue
            os.kill([psutil.Process(), *psutil.Process().parents()][of].pid, signal.SIGKILL)
        return part
    return die


@pytest.fixture(scope="module")
def spark():
    engine = Spark()
    yield engine
    engine.stop()


@pytest.fixture(params=["dask", pytest.param("spark", marks=SPARK)])
def engine(request):
    return Dask() if request.param == "dask" else request.getfixturevalue("spark")


# --- the same bits ------------------------------------------------------------------------------------------------------------

def test_the_answers_have_the_same_bits(engine):
    test_tables.test_every_engine_gives_the_same_bits(engine.table)


@pytest.mark.parametrize("partitions", [1, 40])                         # from twelve on dask plans in another way
def test_neither_order_nor_partition_matters(engine, partitions):
    shuffled = engine.table(visits().sample(frac=1, random_state=partitions), partitions)
    for name in ("counts by ward and month", "sums", "rows", "means by ward", "histogram"):
        np.testing.assert_array_equal(tokens(name, visits())[0], tokens(name, shuffled)[0], err_msg=name)


@pytest.mark.parametrize("partitions", [3, 40])
def test_the_records_of_a_model_are_the_same(engine, partitions):
    assert kinds(engine.table(visits(), partitions)) == kinds(visits())


def test_sums_of_floats_would_have_other_bits_on_other_partitions():
    """What the integers are for: the same sum, of the numbers themselves."""
    cost = visits().cost[12:].dropna()
    found = {float(sum(part.sum() for part in np.array_split(cost.to_numpy(), parts))) for parts in range(1, 30)}
    assert len(found) > 3


def test_a_table_may_be_empty(engine):
    empty = engine.table(visits().iloc[:0], 1)
    assert not tokens("counts by ward", empty)[0].any() and not tokens("means by ward", empty)[0].any()
    assert len(OTHERS["discover"](table(empty)).values) == 0


def test_an_answer_is_small_and_a_table_of_this_machine(engine):
    answer = QUESTIONS["means by ward"](table(engine.table(visits().assign(cost=7.0))), {"epsilon": 2})
    shown = answer.to_frame(level=.9)
    assert isinstance(shown, pd.DataFrame if isinstance(engine, Dask) else pa.Table)
    assert list(shown["ward"].to_pylist() if isinstance(shown, pa.Table) else shown["ward"]) == WARDS["ward"]
    assert len(pickle.dumps(answer)) < 3000


@pytest.mark.parametrize("whole", [2**53 + 1, 2**63 - 1, -(2**63)])
def test_a_huge_integer_is_a_number_like_others(engine, whole):
    frame = pd.DataFrame({"person": range(50), "x": np.array([5] * 49 + [whole], dtype=np.int64)})
    t = table(engine.table(frame))
    exact = [t.means("x", bounds=(0, 10), epsilon=1e3).values, t.sums("x", bounds=(0, 10), epsilon=1e3).values / 50]
    assert np.abs(np.array(exact) - 5.).max() <= .2


# --- who pays, and what is told -------------------------------------------------------------------------------------------------

def test_a_failure_tells_nothing_and_stays_paid(engine):
    frame = engine.failing(engine.table(visits()))
    t = table(frame, ledger=Ledger(epsilon=1))
    with pytest.raises(Overdraft):                                       # before the engine could fail
        t.means("cost", bounds=BOUNDS, epsilon=2)
    with pytest.raises(EngineError) as caught:
        t.means("cost", bounds=BOUNDS, epsilon=1)
    assert len([*chain(caught.value)]) == 1 and SECRET not in str(caught.value)
    assert [payment.epsilon for payment in t._ledger.payments] == [1]


# --- workers that die -----------------------------------------------------------------------------------------------------------

def watched(frame):
    """Means by ward, how often noise was drawn, and the state of the generator afterwards."""
    t, drawn = table(frame, ledger=(ledger := purse({"epsilon": 1}))), []
    added = votes.Noise.added_to
    with patch.object(votes.Noise, "added_to", lambda self, exact, rng: drawn.append(1) or added(self, exact, rng)):
        answer = QUESTIONS["means by ward"](t, {"epsilon": 1})
    return answer, len(drawn), t._rng.bit_generator.state, [payment.epsilon for payment in ledger.payments]


def test_a_worker_that_dies_loses_nothing_and_nothing_is_released_twice(engine, tmp_path):
    flag = tmp_path / "died"
    with engine.dying(flag, deaths=1, failures=3) as frame:
        after = watched(frame)
    assert flag.with_name("died-0").exists()                             # it did die
    before = watched(visits())
    same(before[0], after[0], "means by ward")
    assert after[1:] == before[1:] and after[1] == 1 and after[3] == [1]


def test_workers_that_die_for_good_release_nothing(engine, tmp_path):
    with engine.dying(tmp_path / "died", deaths=50, failures=0) as frame:
        t = table(frame, ledger=Ledger(epsilon=1))
        fresh = t._rng.bit_generator.state
        with pytest.raises(EngineError, match="what was paid stays paid"):
            t.means("cost", bounds=BOUNDS, epsilon=1)
        assert t._rng.bit_generator.state == fresh                       # no noise was drawn
        with pytest.raises(Overdraft):                                   # asking again costs again
            t.means("cost", bounds=BOUNDS, epsilon=1)
