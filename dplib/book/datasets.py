"""Public data that ship inside a library, so that nothing is fetched when a page is built or
read."""

import functools
from importlib import resources
from typing import NamedTuple

import numpy as np

from dplib import _checks

# The RAND Health Insurance Experiment randomised families to insurance plans and counted what they
# used. A row of the file is one person-year. statsmodels ships it without the number of the person
# and the year; both stand in the edition of sampleSelection, a package for R, row for row with the
# same visits and covariates (`benchmarks/persons.py` compares them). `rand_years.txt` restores
# them: a word for each person in the order of the file, a digit for each of their years.
YEARS = 5        # one person fills at most so many rows


@functools.cache
def _rand():
    from statsmodels.datasets import randhie
    return randhie.load_pandas().data


@functools.cache
def _years_of_people():
    return (resources.files("dplib.book") / "rand_years.txt").read_text(encoding="ascii").split()


def _persons():
    words = _years_of_people()
    return np.repeat(np.arange(len(words)), [len(word) for word in words])


def _first_year(columns):
    """The row of each person's first year on file."""
    return _rand()[columns].to_numpy()[first_rows(_persons(), 1)]


def rand_visits():
    """Visits to a doctor of each person in their first year on file, shape (5912,), from 0 to 69.

    Examples
    --------
    >>> visits = rand_visits()
    >>> visits.size, int((visits >= 10).sum())
    (5912, 377)
    """
    return _first_year("mdvis").astype(np.int64)


def rand_disease():
    """Index of chronic disease of each person, shape (5912,), from 0 to 58.6; larger is sicker."""
    return _first_year("disea").astype(float)


def rand_health():
    """Self-rated health of each person, shape (5912,): 0 excellent, 1 good, 2 fair, 3 poor."""
    return _first_year(["hlthg", "hlthf", "hlthp"]).astype(np.int64) @ np.arange(1, 4)


def rand_covariates():
    """What the file says of each person apart from the visits, shape (5912, 9), columns
    ``COVARIATES``: four of the insurance plan, five of health. It is the same in all years."""
    return _first_year(list(COVARIATES)).astype(float)


class Families(NamedTuple):
    """The trial of RAND, a row for each person-year, in the order of the file."""

    paying: np.ndarray          # bool: the plan of the family lets it pay something for a visit
    visited: np.ndarray         # bool: the outcome, whether this person saw a doctor in this year
    covariates: np.ndarray      # float, one column for each of COVARIATES
    family: np.ndarray          # int, 0, 1, ...: the family that the row stands in for
    # int, 0, 1, ...: the run of equal covariates; it nests in the family
    run: np.ndarray
    person: np.ndarray          # int, 0, 1, ...: whose year it is; the person nests in the run
    year: np.ndarray            # int, 1 to 5: which year of the trial
    visits: np.ndarray          # int: visits to a doctor in this year


COVARIATES = ("lncoins", "idp", "lpi", "fmde", "physlm", "disea", "hlthg", "hlthf", "hlthp")


def rand_families():
    """The trial of RAND: who had to pay, who saw a doctor, and which rows belong together.

    The 5,912 persons have numbers, and 1 to 5 rows each. Plans were given to families, which the
    file does not name. Two stand-ins are made from what it has:

    * ``family``, 2,259 of 1 to 45 rows: rows that stand together and agree in the four columns of
      the plan (``lncoins``, ``idp``, ``lpi``, ``fmde``). Two neighbouring families with the same
      four numbers count as one.
    * ``run``, 5,294 of 1 to 30 rows: rows that stand together and agree in all nine covariates.
      Of the persons 4,823 are a run of their own; 1,089 share one with somebody who agrees in
      everything. It is what one would take for a person if there were no numbers.

    Both links are computed from covariates, which are those of the start of the trial: nobody's
    change over the years. Somebody who had other covariates might split a stand-in or join some, so
    that these ids are no function of one unit's rows. To protect a family is therefore to declare
    the link: the ids are taken as they are here, public, and a neighbour has other rows under the
    same ids. A person's number needs no such declaration.

    The free plan is ``lncoins`` = 0 and ``idp`` = 0. ``lncoins`` = 0 alone does not say it: with
    ``idp`` = 1, the individual deductible, visits cost nearly their full price, and 4,175 of the
    10,997 rows with ``lncoins`` = 0 are of that plan.

    ``physlm`` is not all 0 and 1: in 1,052 rows it lies strictly between, presumably imputed.

    Examples
    --------
    >>> trial = rand_families()
    >>> int(trial.family[-1]) + 1, int(trial.run[-1]) + 1, int(trial.person[-1]) + 1
    (2259, 5294, 5912)
    """
    table = _rand()
    covariates = table[list(COVARIATES)].to_numpy(dtype=float)
    visits = table["mdvis"].to_numpy(dtype=np.int64, copy=True)
    return Families(
        paying=(covariates[:, 0] > 0) | (covariates[:, 1] == 1),
        visited=visits > 0,
        covariates=covariates,
        family=_together(covariates[:, :4]),
        run=_together(covariates),
        person=_persons(),
        year=np.array([int(year) for word in _years_of_people() for year in word]),
        visits=visits,
    )


def _together(rows):
    """Numbers the stretches of equal rows, from 0."""
    return np.append(0, np.cumsum(np.any(rows[1:] != rows[:-1], axis=1)))


def first_rows(unit, kept):
    """Which rows are among the first ``kept`` of their unit, in the order of the file: a mask of
    the shape of ``unit``.

    A unit is what is to be protected as one: a family, a run or a row (``np.arange(len(family))``).
    What is kept of a unit depends on the places of its rows, never on what they say; between
    neighbours at most ``kept`` of the kept rows go and as many come.

    Examples
    --------
    >>> first_rows([0, 0, 0, 1, 2, 2], 2)
    array([ True,  True, False,  True,  True,  True])
    """
    unit, kept = _checks.whole("unit", unit), _checks.integer("kept", kept, at_least=1)
    if unit.ndim != 1:
        raise ValueError(f"unit must have one id for each row, got an array of shape {unit.shape}")
    order = np.argsort(unit, kind="stable")
    ranked = unit[order]
    place = np.empty(len(unit), dtype=np.int64)
    place[order] = np.arange(len(unit)) - np.searchsorted(ranked, ranked)
    return place < kept


def anes_ages():
    """Age in years of the respondents of the 1996 American National Election Study, shape (944,); a
    row is a person."""
    from statsmodels.datasets import anes96
    return anes96.load_pandas().data["age"].to_numpy(dtype=np.int64)


# In 1974 the readers of an American magazine were asked about their marriages. A row is a woman; it
# also says something of her husband, who was not asked.
ANSWERS = {
    "happiness of the marriage": (1, 2, 3, 4, 5),
    "age": (17.5, 22, 27, 32, 37, 42),
    "years married": (0.5, 2.5, 6, 9, 13, 16.5, 23),
    "children": (0, 1, 2, 3, 4, 5.5),
    "religious": (1, 2, 3, 4),
    "education": (9, 12, 14, 16, 17, 20),
    "occupation": (1, 2, 3, 4, 5, 6),
    "occupation of the husband": (1, 2, 3, 4, 5, 6),
    "affair": (0, 1),
}


def redbook_answers():
    """Nine answers of each of 6,366 married women, as places in ``ANSWERS``, shape (6366, 9); the
    last one says whether she reported time in an affair.

    Examples
    --------
    >>> redbook_answers().max(axis=0) + 1
    array([5, 6, 7, 6, 4, 6, 6, 6, 2])
    """
    from statsmodels.datasets import fair
    table = fair.load_pandas().data.to_numpy(dtype=float, copy=True)
    table[:, -1] = table[:, -1] > 0
    columns = zip(table.T, ANSWERS.values())
    return np.stack([np.searchsorted(levels, column) for column, levels in columns], axis=1)
