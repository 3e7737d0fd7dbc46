"""Public data that ship inside a library, so that nothing is fetched when a page is built or read."""

import functools

import numpy as np

# The RAND Health Insurance Experiment randomised families to insurance plans and counted what they used. A row is one
# person-year; there is no identifier of a person, so that everything here protects a row and not a person. Rows of one
# person stand together and mostly agree in all covariates.
YEARS = 5        # the longest enrolment: one person fills at most so many rows


@functools.cache
def _rand():
    from statsmodels.datasets import randhie
    return randhie.load_pandas().data


def rand_visits():
    """Visits to a doctor in one person-year, shape (20190,), counts from 0 to 77."""
    return _rand()["mdvis"].to_numpy(dtype=np.int64, copy=True)


def rand_disease():
    """Index of chronic disease, one number for each person-year, shape (20190,), from 0 to 58.6; larger is sicker."""
    return _rand()["disea"].to_numpy(dtype=float, copy=True)


def rand_health():
    """Self-rated health of each person-year, shape (20190,): 0 excellent, 1 good, 2 fair, 3 poor."""
    rated = _rand()[["hlthg", "hlthf", "hlthp"]].to_numpy(dtype=np.int64)
    return rated @ np.arange(1, 4)


def rand_covariates():
    """All columns of each person-year but the visits, shape (20190, 9): four of the insurance plan, five of health."""
    return _rand().drop(columns="mdvis").to_numpy(dtype=float)


def anes_ages():
    """Age in years of the respondents of the 1996 American National Election Study, shape (944,); a row is a person."""
    from statsmodels.datasets import anes96
    return anes96.load_pandas().data["age"].to_numpy(dtype=np.int64)
