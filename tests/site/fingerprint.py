"""Print a hash of everything that the cells of each page put out, explorer tables included.

    .venv/bin/python -m tests.site.fingerprint

Two cold builds, in two folders, must print the same lines. Timings are not part of an output; nor is where a slow loop's
prints were cut into pieces on their way from the kernel, which the page joins again (nb_merge_streams).
"""

import hashlib
import json

from myst_nb.core.utils import coalesce_streams

from dplib.book.borrowed import executed
from dplib.book.execute import ROOT, pages


def fingerprints(root=ROOT):
    for page in pages(root):
        notebook = executed(root, page.stem)
        outputs = [coalesce_streams(cell.outputs) for cell in notebook.cells if cell.cell_type == "code"]
        yield page.stem, hashlib.sha256(json.dumps(outputs, sort_keys=True).encode()).hexdigest()


if __name__ == "__main__":
    for page, digest in fingerprints():
        print(digest[:32], page)
