"""The data of the book: what the pages say of the trial of RAND, computed anew from its columns."""

import itertools

import numpy as np
import pytest

from dplib.book.datasets import (
    ANSWERS, COVARIATES, YEARS, first_rows, rand_covariates, rand_disease, rand_families, rand_health, rand_visits, redbook_answers)
from tests.chance import rng


@pytest.fixture(scope="module")
def trial():
    return rand_families()


def fitted(columns, labels):
    """The logistic fit by Newton's method, (theta, the inverse of the curvature); the slow oracle of this file."""
    x, theta = np.column_stack([np.ones(len(labels)), *columns]), np.zeros(len(columns) + 1)
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ theta))
        inverse = np.linalg.inv(x.T @ (x * (p * (1 - p))[:, None]))
        step = inverse @ (x.T @ (p - labels))
        theta -= step
    assert np.abs(step).max() < 1e-12
    return theta, inverse, x * (labels - p)[:, None]


def corner(inverse):
    """ν: one over the largest leverage of a corner, each feature between 0 and 1."""
    corners = np.array([(1, *rest) for rest in itertools.product((0, 1), repeat=len(inverse) - 1)])
    return 1 / np.einsum("ij,jk,ik->i", corners, inverse, corners).max()


def clustered(inverse, scores, unit):
    """The standard error of the second coefficient that lets the rows of a unit depend on each other."""
    total = np.array([np.bincount(unit, column) for column in scores.T])
    return np.sqrt((inverse @ total @ total.T @ inverse)[1, 1])


def test_who_pays(trial):
    lncoins, idp = trial.covariates[:, 0], trial.covariates[:, 1]
    assert ((lncoins == 0).sum(), ((lncoins == 0) & (idp == 1)).sum()) == (10_997, 4_175)
    assert (~trial.paying).sum() == 10_997 - 4_175
    assert np.array_equal(trial.visited, trial.visits > 0)
    assert all(len(column) == 20_190 for column in trial)


def nested(trial, person):
    """Does every person have one value of each covariate, and one run?"""
    same = person[1:] == person[:-1]
    return all(np.array_equal(column[1:][same], column[:-1][same]) for column in (*trial.covariates.T, trial.run))


def test_a_person_has_one_set_of_covariates_and_each_year_once(trial):
    person, year = trial.person, trial.year
    assert person[-1] + 1 == 5_912 and np.bincount(person).max() == YEARS and nested(trial, person)
    same = person[1:] == person[:-1]
    assert np.all(np.diff(year)[same] > 0) and set(year) == {1, 2, 3, 4, 5}
    assert not nested(trial, np.roll(person, 1)) and not nested(trial, np.roll(person, -1))       # a number one row too late, too early


def test_how_many_people_a_run_tells_apart(trial):
    alone = np.bincount(trial.run, np.diff(trial.person, prepend=-1))      # people of each run
    assert (alone == 1).sum() == 4_823 and alone.sum() == 5_912 and alone.max() == 7


def test_a_person_is_the_row_of_the_first_year(trial):
    first = np.flatnonzero(np.diff(trial.person, prepend=-1))
    assert np.array_equal(rand_visits(), trial.visits[first]) and np.array_equal(rand_covariates(), trial.covariates[first])
    assert np.array_equal(rand_disease(), trial.covariates[first, 5])
    assert np.array_equal(rand_health(), trial.covariates[first, 6:] @ [1, 2, 3])
    assert (trial.year[first] == 1).sum() == 5_638                          # the others are on file from a later year on


def test_stand_ins_are_runs_of_equal_rows(trial):
    """Against itertools.groupby: the slow copy."""
    for ids, width, longest in ((trial.family, 4, 45), (trial.run, 9, 30)):
        groups = [len(list(rows)) for _, rows in itertools.groupby(map(tuple, trial.covariates[:, :width]))]
        assert np.array_equal(np.bincount(ids), groups) and max(groups) == longest
    assert trial.family[-1] + 1 == 2_259 and trial.run[-1] + 1 == 5_294
    assert len(np.unique(trial.covariates[:, :4], axis=0)) == 790           # so equal numbers alone are no family
    sizes = np.bincount(trial.run)
    assert ((sizes > 5).sum(), sizes[sizes > 5].sum()) == (441, 3_767)      # a trial of five years: these are several people


def test_a_stand_in_has_one_plan_and_runs_nest(trial):
    for ids, value in ((trial.family, trial.paying), (trial.run, trial.family)):
        assert all(np.array_equal(value[1:][same], value[:-1][same]) for same in [ids[1:] == ids[:-1]])


def test_one_stand_in_in_eighteen_lies_between_twins(trial):
    """To change the four numbers of such a family would join three: the link must be declared, not computed."""
    plans = trial.covariates[first_rows(trial.family, 1), :4]
    assert np.all(plans[:-2] == plans[2:], axis=1).sum() == 123


@pytest.mark.parametrize("unit, kept, n, effect, error, nu", [
    ("family", 1, 2_259, -.692, .109, 112), ("family", 5, 9_428, -.739, .075, 495), ("run", 1, 5_294, -.653, .091, 292)])
def test_the_effect_of_paying(trial, unit, kept, n, effect, error, nu):
    rows = first_rows(getattr(trial, unit), kept)
    theta, inverse, scores = fitted([trial.paying[rows]], trial.visited[rows])
    assert rows.sum() == n and round(theta[1], 3) == effect and round(corner(inverse)) == nu
    assert round(clustered(inverse, scores, trial.family[rows]), 3) == error


def test_a_physical_limitation_makes_the_weakest_corner_three_times_weaker(trial):
    rows, physlm = first_rows(trial.family, 1), trial.covariates[:, COVARIATES.index("physlm")]
    _, inverse, _ = fitted([trial.paying[rows], physlm[rows]], trial.visited[rows])
    assert round(corner(inverse), 1) == 34.7
    assert ((physlm > 0) & (physlm < 1)).sum() == 1_052


def test_first_rows_of_units_in_any_order():
    unit = rng().integers(0, 9, 200)
    for kept in (1, 2, 5, 300):
        slow = [np.sum(unit[:i] == unit[i]) < kept for i in range(200)]
        assert np.array_equal(first_rows(unit, kept), slow)
    assert first_rows(np.arange(5), 1).all() and first_rows(np.zeros(0, int), 1).shape == (0,)


@pytest.mark.parametrize("unit, kept, message", [
    ([0, 1], 0, "kept must be at least 1"), ([0, 1], 1.5, "kept must be an integer"), ([[0, 1]], 1, "unit must have one id for each row"),
    ([.5, 1], 1, "unit must hold integers")])
def test_what_is_no_unit(unit, kept, message):
    with pytest.raises(ValueError, match=message):
        first_rows(unit, kept)


def test_the_answers_of_the_survey_are_those_of_its_file():
    """Each place in the list of a question is the answer that the file has, and every answer on the list was given."""
    from statsmodels.datasets import fair
    table, answers = fair.load_pandas().data, redbook_answers()
    assert answers.shape == table.shape == (6366, len(ANSWERS))
    for place, (column, levels) in enumerate(zip(table, ANSWERS.values())):
        said = table[column].to_numpy() if place < 8 else table[column].to_numpy() > 0
        assert np.array_equal(np.asarray(levels)[answers[:, place]], said) and set(answers[:, place]) == set(range(len(levels)))
