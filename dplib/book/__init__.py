"""What only the book needs: figures with sliders, still figures, data. The algorithms never import it."""

from . import datasets
from .controls import slider
from .explorer import Explorer
from .figures import figure
from .glue import glue

__all__ = ["Explorer", "datasets", "figure", "glue", "slider"]
