"""Income in the census: who earns more than 40,000 dollars a year, from the public-use microdata or
from a made-up population.

The American Community Survey asks about one person in a hundred each year; the Census Bureau
publishes the answers of most of them, a file for each state, after it has swapped and blurred some.
`census_income` reads the person file of 2018 if it is on this computer and fetches it only if it is
told to. `synthetic_census` needs no file: its people have the same columns and are made up.
"""

import contextlib
import zipfile
import zlib
from dataclasses import dataclass, field

import numpy as np

from dplib import _checks

from . import downloads

SERVER = "https://www2.census.gov/programs-surveys/acs/data/pums/2018/1-Year"
YEAR = "2018"
FIPS = dict(pair.split(":") for pair in """
    al:01 ak:02 az:04 ar:05 ca:06 co:08 ct:09 de:10 dc:11 fl:12 ga:13 hi:15 id:16 il:17 in:18
    ia:19 ks:20 ky:21 la:22 me:23 md:24 ma:25 mi:26 mn:27 ms:28 mo:29 mt:30 ne:31 nv:32 nh:33
    nj:34 nm:35 ny:36 nc:37 nd:38 oh:39 ok:40 or:41 pa:42 ri:44 sc:45 sd:46 tn:47 tx:48 ut:49
    vt:50 va:51 wa:53 wv:54 wi:55 wy:56 pr:72""".split())
COLUMNS = ("AGEP", "PINCP", "WKHP", "SCHL", "RAC1P", "OCCP", "MAR", "SEX", "COW")

INCOME = 40_000
# of OCCP, the occupation; everything else is the reference
AREAS = {"management, business, finance": (10, 999),
         "computers, engineering, science": (1000, 1999),
         "education, law, community, arts": (2000, 2999),
         "health practitioners": (3000, 3599),
         "service": (3600, 4699),
         "sales, office": (4700, 5999),
         "farming, construction, repair": (6000, 7699)}
# of COW; everything else is the reference
EMPLOYERS = {"private": (1, 2), "government": (3, 5), "self-employed": (6, 7)}
NAMES = ("working age", "hours", "school", "white", *AREAS, "married", "female", *EMPLOYERS)
BOUNDS = ((0., 1.),) * len(NAMES)
ONE_HOT = (tuple(map(NAMES.index, AREAS)), tuple(map(NAMES.index, EMPLOYERS)))


@dataclass(frozen=True, eq=False)
class Census:
    """One row for each person, and what is public about the columns."""

    source: str                                  # which file this is, or that it is synthetic
    names: tuple                                 # of the columns, in order
    # float, shape (n, 16), without a column for the intercept
    X: np.ndarray = field(repr=False)
    # int, shape (n,): 1 if the income is above 40,000 dollars
    y: np.ndarray = field(repr=False)
    bounds: tuple = BOUNDS                       # (lo, hi) of each column
    one_hot: tuple = ONE_HOT                     # groups of columns of which at most one is 1


def census_income(state, *, adults=False, folder=None, download=False):
    """The people of one state in the 2018 American Community Survey (one-year public-use
    microdata).

    Parameters
    ----------
    state : str
        Two letters, as in a postal address: a state, ``"DC"`` or ``"PR"``.
    adults : bool
        Keep only people above 16 who usually work an hour a week or more and have an income of at
        least 100 dollars. Else every person of the file is kept.
    folder : path, optional
        Where the files are: else the folder that the environment variable DPLIB_DATA names, else
        ``.dplib`` in the home folder. It may hold the file as it is served, ``csv_pca.zip`` for
        California, or what is inside, ``psam_p06.csv``, which is preferred.
    download : bool
        Fetch the file (some megabytes to about a hundred) from the Census Bureau if it is not
        there. Without it no request is made.

    Returns
    -------
    Census

    Raises
    ------
    FileNotFoundError
        If the file is not there and may not be fetched; the message says what to put where.
    ConnectionError
        If it could not be fetched in full. Nothing is left behind, and the next call starts anew.
    ValueError
        If the file is damaged, not the one that was here before, or of another year, state or
        layout.

    Notes
    -----
    A row is a person; the people of a household are rows of their own. With ``adults`` the size of
    the data set is itself an answer about people: somebody who stops working leaves. Only the
    replacement of one such adult by another keeps it.

    Every value of the nine columns becomes a number within ``bounds``; none raises or drops a row
    (but for ``adults``). What is empty or no number is taken as 0 hours, no school, not of working
    age, not white, not married, not female, in the reference group of occupations (production,
    transport, military, none) and of employers (unpaid, unemployed, unknown), and as no income. 99
    hours are 99 or more. Income is in the dollars of the file, without the adjustment for inflation
    within the year.

    What is known of a file: each member of a zip has a checksum (CRC-32), so that one that was cut
    or changed by accident is found; of ``psam_p06.csv`` alone it may not be. That it comes from the
    Census Bureau rests on the encrypted connection: we know of no SHA-256 that the bureau
    publishes. The one of the first good file that is seen is written to ``SHA256SUMS`` in the
    folder, and every later file of that name must agree. Somebody who has the sum from elsewhere
    writes it there first, in the format of ``sha256sum``.
    """
    state = _checks.choice("state", str(state).lower(), FIPS)
    member, fips = f"psam_p{FIPS[state]}.csv", int(FIPS[state])
    file = downloads.stored(
        f"{SERVER}/csv_p{state}.zip",
        downloads.data_folder(folder),
        download=download,
        instead=member,
        check=lambda file: _read(file, member, fips),
    )
    table = _read(file, member, fips)
    if adults:
        kept = (table["AGEP"] > 16) & (table["WKHP"] >= 1) & (table["PINCP"] >= 100)
        table = {name: column[kept] for name, column in table.items()}
    whom = "adults who work" if adults else "all persons"
    return _census(
        table, f"American Community Survey {YEAR}, one-year person file of {state.upper()}, {whom}"
    )


def _read(file, member, fips):
    """{column: float array} of a person file, zipped or not; whatever is no number is NaN."""
    import pandas as pd
    wanted = {"SERIALNO", "ST", *COLUMNS}
    with contextlib.ExitStack() as stack:
        try:
            content = file
            if file.suffix == ".zip":
                content = stack.enter_context(
                    stack.enter_context(zipfile.ZipFile(file)).open(member)
                )
            table = pd.read_csv(content, usecols=lambda name: name in wanted, dtype=str)
        except KeyError:
            raise ValueError(f"has no {member} inside") from None
        except (ValueError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
            raise ValueError(f"is damaged, or no table of persons: {error}") from None
    if missing := sorted(wanted - set(table)):
        raise ValueError(f"lacks the columns {', '.join(missing)}")
    if not len(table):
        raise ValueError("has no persons")
    if not table["SERIALNO"].str.startswith(YEAR, na=False).all():
        raise ValueError(
            f"is not the one-year file of {YEAR}: not every SERIALNO begins with {YEAR}"
        )
    numbers = {
        name: pd.to_numeric(table[name], errors="coerce").to_numpy(dtype=float)
        for name in ("ST", *COLUMNS)
    }
    if not (numbers.pop("ST") == fips).all():
        raise ValueError(f"is of another state: not every ST is {fips}")
    return numbers


def _census(table, source):
    return Census(source, NAMES, *_features(table))


def _features(table):
    """X and y of a table of raw columns; comparisons with NaN are false, which is what the
    docstring says."""
    def scaled(name, most):
        return np.clip(np.nan_to_num(table[name], nan=0.), 0, most) / most

    def within(name, lo, hi):
        return (table[name] >= lo) & (table[name] <= hi)

    X = np.column_stack([
        within("AGEP", 18, 60), scaled("WKHP", 99), scaled("SCHL", 24), table["RAC1P"] == 1,
        *(within("OCCP", *codes) for codes in AREAS.values()),
        table["MAR"] == 1, table["SEX"] == 2,
        *(within("COW", *codes) for codes in EMPLOYERS.values())]).astype(float)
    return X, (table["PINCP"] > INCOME).astype(np.int64)


# --- a made-up population
# ----------------------------------------------------------------------------------------------

# Round numbers that we chose so that the features are as unevenly spread as those of the census;
# none is an estimate. Shares of the eight areas of work (the reference last), how many of each are
# women, the school they took; shares of the four kinds of employers (the reference last); shares of
# people with little school and with few hours; and the effects on the log odds of an income above
# 40,000 dollars, the intercept first.
AREA_SHARES = np.array([.16, .04, .11, .025, .205, .25, .09, .12])
AREA_FEMALE = np.array([.45, .25, .65, .75, .6, .6, .05, .25])
AREA_SCHOOL = np.array([20, 20.5, 20.5, 20.5, 16.5, 17.5, 15.5, 16])
EMPLOYER_SHARES = np.array([.65, .16, .12, .07])
LITTLE_SCHOOL, FEW_HOURS = .15, .25
EFFECTS = np.array([-4, .8, 2.4, 2.8, .2, 1, 1.2, .3, 1.2, -.6, .1, .1, .4, -.6, .2, .3, -.2])


def synthetic_census(size, rng):
    """A made-up population in the columns of `census_income`: synthetic, no record is anybody's.

    Its margins are round numbers, its incomes follow a logistic model, and its features are about
    as unevenly spread as those of the census: the mean curvature of the logistic fit has a
    condition number of about 370 (213 in the coordinates of a `Box`), and its weakest corner one
    effective person among about 520. What is measured on it says how a method fares on data of this
    shape, and nothing about any state.

    Parameters
    ----------
    size : int >= 1
    rng : numpy.random.Generator

    Returns
    -------
    Census, whose ``source`` begins with "synthetic"

    Examples
    --------
    >>> made_up = synthetic_census(1000, np.random.default_rng(1))
    >>> made_up.X.shape, made_up.source
    ((1000, 16), 'synthetic: made-up people in the columns of the census')
    """
    size, rng = _checks.integer("size", size, at_least=1), _checks.generator(rng)
    return _census(_made_up(size, rng), "synthetic: made-up people in the columns of the census")


def _made_up(size, rng):
    """Raw columns as in the file, each drawn given some of those before it."""
    area, employer = rng.choice(8, size, p=AREA_SHARES), rng.choice(4, size, p=EMPLOYER_SHARES)
    codes = np.array([first for first, _ in AREAS.values()] + [7700.])
    age = rng.normal(43, 17, size)
    school = np.where(
        rng.random(size) < LITTLE_SCHOOL,
        rng.uniform(1, 15, size),
        rng.normal(AREA_SCHOOL[area], 2.5),
    )
    hours = np.where(
        rng.random(size) < FEW_HOURS, rng.uniform(1, 35, size), rng.normal(43, 9, size)
    )
    table = {
        "AGEP": np.clip(np.round(age), 17, 94),
        "SCHL": np.clip(np.round(school), 1, 24),
        "WKHP": np.clip(np.round(hours), 1, 99),
        "OCCP": codes[area],
        "COW": np.array([1.0, 3.0, 6.0, 8.0])[employer],
        "SEX": np.where(rng.random(size) < AREA_FEMALE[area], 2.0, 1.0),
        "RAC1P": np.where(rng.random(size) < 0.6, 1.0, 2.0),
        "MAR": np.where(rng.random(size) < np.where(age > 32, 0.55, 0.15), 1.0, 5.0),
        "PINCP": np.zeros(size),
    }
    X, _ = _features(table)
    log_odds = EFFECTS[0] + X @ EFFECTS[1:]
    table["PINCP"] = np.round(
        INCOME * np.exp(0.5 * np.clip(log_odds + rng.logistic(size=size), -9, 9))
    )
    return table
