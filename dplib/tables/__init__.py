"""Answers about a table of people, whatever engine holds it: one person, one vote.

Needs narwhals (`pip install private-statistics[tables]`), which speaks to pandas, polars, pyarrow,
DuckDB, dask and PySpark alike. The engine counts; only integers come back, and noise is added to
those. Nothing here is imported by the rest of the package.
"""

try:
    import narwhals as _  # noqa: F401
except ImportError as error:
    raise ImportError(
        "dplib.tables needs narwhals: pip install 'private-statistics[tables]'"
    ) from error

from dplib.tables.answers import Answer, Discovered, Means, Quantiles
from dplib.tables.engine import EngineError
from dplib.tables.models import Coefficient
from dplib.tables.table import Table
from dplib.tables.votes import discovery_threshold

__all__ = ["Table", "Answer", "Means", "Quantiles", "Discovered", "Coefficient", "EngineError",
           "discovery_threshold"]
