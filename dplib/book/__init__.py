"""What only the book needs: figures with sliders, still figures, tables, data. The algorithms never
import it."""

from . import datasets, grammar
from .controls import guess, slider
from .explorer import Explorer
from .figures import figure
from .glue import glue
from .table import table

__all__ = ["Explorer", "datasets", "figure", "glue", "grammar", "guess", "slider", "table"]
