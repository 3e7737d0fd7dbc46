"""What a release is given, and may not take: refused by name before any noise is drawn, and no record in the message."""

import inspect
import warnings

import numpy as np
import pandas
import pytest

from dplib import aggregation, factorization, glm, histograms, learning, lower_bounds, mean
from dplib.aggregation import private_vote, release_if_stable
from dplib.friendly import friendly_mean
from dplib.glm import Box
from dplib.learning import private_threshold
from dplib.local import l2_ball_randomizer
from dplib.mechanisms import laplace
from tests.chance import rng
from tests.releases import PACKAGE

SECRET = 52340
ODD = [SECRET, -SECRET, SECRET + 0.25, float(SECRET) * 1e300 * 1e10, complex(SECRET, 1), str(SECRET), [SECRET], {SECRET: 1}, None,
       np.nan, np.inf, np.datetime64("2026-11-23"), f"{SECRET}".encode(), object()]


def with_odd_records(data):
    """The data with one record that is like no other."""
    data = data.tolist() if isinstance(data, np.ndarray) else data
    if isinstance(data, tuple):
        for place, part in enumerate(data):
            yield from ((*data[:place], odd, *data[place + 1:]) for odd in with_odd_records(part))
    elif isinstance(data, (list, range)):
        data = list(data)
        yield from ([*data[:-1], odd] for last in data[-1:] for odd in with_odd_records(last))
    else:
        yield from ODD


ANYTHING = {aggregation.subsample_and_aggregate}  # where an estimator fails, its answer is the default


class Spent(Exception):
    """Noise was drawn."""


class Unused(np.random.Generator):
    """A generator that must not be asked."""

    def __init__(self):
        super().__init__(np.random.PCG64(1))

    def __getattribute__(self, name):
        if name in ("random", "integers", "bytes", "normal", "laplace", "choice", "permutation"):
            raise Spent(name)
        return super().__getattribute__(name)


@pytest.mark.parametrize("function", PACKAGE, ids=lambda f: f.__name__)
def test_a_message_shows_no_record_and_comes_before_noise(function):
    refused = 0
    for release, pairs, *_ in PACKAGE[function](function):
        data = next(x for x, _ in pairs if not isinstance(x, list) or x)
        for odd in with_odd_records(data):
            for draws in (Unused(), rng()):
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("error")
                        release(odd, draws)
                except Spent:
                    continue  # accepted, or it would have been refused before
                except Exception as error:
                    assert isinstance(draws, Unused), f"{error!r} after noise was drawn"
                    assert str(SECRET)[:4] not in str(error) and "nan" not in str(error).lower().split(), error
                    refused += 1
                    break
                else:
                    break
    assert refused or function in ANYTHING


# ------------------------------------------------------------------------------------------------ what looks like data

TABLE = pandas.DataFrame(rng(1).normal(size=(569, 30)))
MASKED = np.ma.masked_greater(np.arange(40.0), 30)
NUMBERS = {
    mean.clipped_mean: dict(radius=10, epsilon=1),
    mean.two_stage_mean: dict(radius=10, epsilon=1),
    mean.unbounded_mean: dict(epsilon=1, delta=1e-6),
    mean.adaptive_mean: dict(radius=10, epsilon=1),
    mean.mean_interval: dict(radius=10, epsilon=1),
    mean.bounded_mean_interval: dict(bounds=(0, 1), epsilon=1),
    mean.private_scale: dict(epsilon=1, delta=1e-6),
    lower_bounds.sign_test: dict(shift=1, epsilon=1),
    lower_bounds.clamped_likelihood_test: dict(shift=1, clamp=0.5, epsilon=1),
    aggregation.bounded_mean: dict(bounds=(0, 1), epsilon=1),
    aggregation.private_median: dict(candidates=[0, 1], epsilon=1, neighbor="replace"),
    histograms.laplace_histogram: dict(cells=5, bounds=(0, 1), epsilon=1, neighbor="replace", noise="laplace"),
}


@pytest.mark.parametrize("release, given", NUMBERS.items(), ids=lambda value: getattr(value, "__name__", ""))
def test_tables_masked_arrays_and_several_data_sets_are_refused(release, given):
    """A frame of 569 people and 30 columns is not 569 data sets of 30 numbers, and rows are data sets if somebody says so."""
    name = next(iter(inspect.signature(release).parameters))
    for data, message in ((TABLE, f"{name} must be an array, got a DataFrame"), (MASKED, f"{name} must be a plain array, got a masked one"),
                          (TABLE.to_numpy(), "runs=True"), ([[1.0, 2.0], [3.0]], name), (["1", "2"], name)):
        with pytest.raises(ValueError, match=message):
            release(data, **given, rng=Unused())
    assert np.shape(release(TABLE.to_numpy(), **given, runs=True, rng=rng()))[0] == 569
    assert np.ndim(release(TABLE[0].to_numpy(), **given, rng=rng())) in (0, 1)


def test_types_that_are_too_small_for_the_cells_are_read():
    """Eight bits hold the records, and not twice the records, nor the number of cells."""
    for dtype in (np.uint8, np.int8, np.uint64, np.int64):
        x = np.repeat(np.arange(120), 30).astype(dtype)
        y = (x >= 80).astype(dtype)
        given = dict(cells=1000, epsilon=5, neighbor="replace")
        assert abs(int(learning.private_threshold(x, y, **given, rng=rng(2))) - 80) <= 1
        assert learning.private_stump(x[:, None], y, **given, rng=rng(2))[0] == 0


def test_answers_of_any_shape_are_shown_or_not():
    """Whether answers are rows of one length is no reason to refuse."""
    for value in ([[3], [3, 4]], [[3], [3]], [{}, "Smith"], [None, [[1, 2], [3]]]):
        shown = aggregation.release_if_stable(value, [0, 10**6], epsilon=1, delta=1e-6, rng=rng(3))
        assert shown.shape == (2,) and shown[1] == value[1] and "records must change" in shown[0].advice


def test_no_records_are_data_where_records_may_be_added():
    given = dict(candidates=[0, 1], epsilon=1, neighbor="add_remove")
    for runs, shape in ((False, ()), (True, ())):
        assert np.shape(aggregation.private_median([], **given, runs=runs, rng=rng(4))) == shape
    assert aggregation.private_median(np.zeros((0, 3)), **given, runs=True, rng=rng()).shape == (0,)
    empty = factorization.release_central([], factorization.identity_factorization(np.eye(3)), epsilon=1, delta=1e-6,
                                          neighbor="add_remove", rng=rng(5))
    assert empty.shape == (3,) and empty.all()


LIMITS = [(1e16, 1e16 + 2), (1e12 + 0.1, 1e12 + 0.7), (-1e-300, 1e-300), (0.1, 0.3), (0, 5e-324), (-8e307, 8e307)]


@pytest.mark.parametrize("limits", LIMITS)
def test_the_ends_of_a_box_are_its_ends(limits):
    mapped = Box([limits]).design([[limits[0]], [limits[1]], [np.finfo(float).max], [-np.finfo(float).max]])[:, 1]
    assert np.abs(mapped).max() <= 1 and mapped[2] == 1 and mapped[3] == -1


def test_the_estimator_reads_no_missing_label():
    X, y = rng(6).normal(size=(40, 2)), np.arange(40) % 2
    model = glm.PrivateLogisticRegression(bounds=[(0, 1)] * 2, epsilon=1, delta=1e-6, rng=rng())
    for missing in (np.where(y == 1, np.nan, 0.0), [None, *y[1:].tolist()], [float("nan"), *y[1:].tolist()]):
        with pytest.raises(ValueError, match="y must have no missing labels"):
            model.fit(X, missing)
    with pytest.raises(ValueError, match="X must be a plain array, got a masked one"):
        model.fit(np.ma.masked_greater(X, 1), y)


def test_a_secret_number_of_records_is_not_counted_for_the_limit(monkeypatch):
    """Under ``add_remove`` the rounding of 2**26 records is paid for, whatever their number is."""
    from dplib.factorization import central_release
    made = factorization.square_root_factorization(cells=8)
    asked = []
    original = central_release._grid.normal_noise
    monkeypatch.setattr(central_release._grid, "normal_noise", lambda **given: asked.append(given["error"]) or original(**given))
    for size in (0, 1, 1000):
        factorization.release_central([3] * size, made, epsilon=1, delta=1e-6, neighbor="add_remove", rng=rng())
    assert len(set(asked)) == 1 and asked[0] == made.rounding * 2**26 / 8**0.5
    monkeypatch.setattr(central_release, "MOST_SECRET_RECORDS", 999)
    with pytest.raises(ValueError, match="at most .* records under add_remove"):
        factorization.release_central([3] * 1000, made, epsilon=1, delta=1e-6, neighbor="add_remove", rng=Unused())


def test_a_mask_inside_of_lists_is_found():
    rows = list(np.ma.masked_greater(np.arange(12.0).reshape(6, 2), 8))
    for refuse in (lambda: friendly_mean(rows, radius=1, epsilon=1, delta=1e-6, rng=rng()),
                   lambda: laplace(rows, sensitivity=1, epsilon=1, rng=rng()),
                   lambda: l2_ball_randomizer(tuple(rows), radius=1, epsilon=1, rng=rng())):
        with pytest.raises(ValueError, match="must be a plain array, got a masked one"):
            refuse()


def test_a_missing_vote_or_label_is_no_vote():
    with pytest.raises(ValueError, match="votes must be finite"):
        private_vote([1, np.nan, 0], epsilon=1, noise="laplace", rng=rng())
    with pytest.raises(ValueError, match="y must be finite"):
        private_threshold([1, 2], [1, np.nan], cells=5, epsilon=1, neighbor="replace", rng=rng())


def test_answers_with_labels_of_their_own_are_refused():
    """A series would be read by its labels, and raise only where something is shown."""
    for value in (pandas.Series(["a", "b"], index=[7, 8]), {0: "a", 1: "b"}, np.ma.masked_array([1, 2], [0, 1])):
        with pytest.raises(ValueError, match="value must be a list or an array"):
            release_if_stable(value, [50, 50], epsilon=1, delta=1e-6, rng=rng())


def test_no_message_tells_the_length_of_a_record():
    for x in (["a", "b"], ["a", "a long name"], np.array([b"bytes"])):
        with pytest.raises(ValueError, match=r"must hold real numbers, got strings$"):
            laplace(x, sensitivity=1, epsilon=1, rng=rng())


def test_ragged_records_are_named():
    with pytest.raises(ValueError, match="x must be one array of numbers"):
        private_threshold([[1, 2], [3]], [0, 1], cells=5, epsilon=1, neighbor="replace", rng=rng())
