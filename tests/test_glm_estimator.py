"""The estimator keeps to scikit-learn's conventions as far as privacy allows, and shows one record in nothing but its numbers."""

import copy
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pandas
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator

from dplib.aggregation import Refusal, refused
from dplib.glm import LOGISTIC, Box, PrivateLogisticRegression, VectorRelease, estimator, fit_model, release_vector
from dplib.glm.estimator import EXPECTED_FAILED_CHECKS
from tests.neighbours import observe

BOUNDS = [(18, 65), (0, 1)]


def model(seed=1, **given):
    return PrivateLogisticRegression(**dict(bounds=BOUNDS, epsilon=1, delta=1e-6, rng=np.random.default_rng(seed)) | given)


def people(n=20_000, seed=3):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.uniform(18, 65, size=n), rng.integers(2, size=n)])
    return X, (rng.random(n) < 1 / (1 + np.exp(3 - .05 * X[:, 0] - X[:, 1]))).astype(int)


def checked():
    """{status: the checks of scikit-learn that have it}, and how many have passed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_estimator(model(bounds=(-10, 10)), expected_failed_checks=EXPECTED_FAILED_CHECKS, on_fail=None, on_skip=None)
    names = {status: {check["check_name"] for check in found if check["status"] == status} for status in ("failed", "xfail", "skipped")}
    assert names["failed"] == set() and names["skipped"] == {"check_array_api_input", "check_pipeline_consistency"}
    return names["xfail"], sum(check["status"] == "passed" for check in found)


def test_the_checks_of_scikit_learn():
    """All pass but those that would tell of a record or predict although few records are refused, each with its reason; and all of
    these do fail."""
    failed, passed = checked()
    assert failed == set(EXPECTED_FAILED_CHECKS) and passed >= 33


def without_noise(X, y, *, domain, loss, epsilon, delta, split, rows_per_unit, rng):
    theta = fit_model(X, y, domain=domain, loss=loss, ridge=.1).theta
    return VectorRelease(domain.coefficients(theta), "no noise", 1., 0., None, epsilon, delta)


def test_the_checks_of_scikit_learn_where_few_records_are_enough(monkeypatch):
    """With a release of any records, all pass but those that would tell of a record."""
    monkeypatch.setattr(estimator, "release_vector", without_noise)
    failed, passed = checked()
    assert failed == {"check_classifiers_classes", "check_classifiers_regression_target", "check_classifier_not_supporting_multiclass",
                      "check_dtype_object", "check_supervised_y_2d"} and passed >= 47


def test_scikit_learn_is_not_imported():
    code = "import sys, dplib.glm; assert 'sklearn' not in sys.modules"
    assert subprocess.run([sys.executable, "-W", "error", "-c", code]).returncode == 0


def test_fit_is_the_release_of_all_coefficients():
    X, y = people()
    fitted = model().fit(X, y)
    release = release_vector(X, y, domain=Box(BOUNDS), loss=LOGISTIC, epsilon=1, delta=1e-6, split=.3, rows_per_unit=1,
                             rng=np.random.default_rng(1))
    assert np.r_[fitted.intercept_, fitted.coef_[0]].tolist() == release.coefficients.tolist()
    assert fitted.certificate_ == release.certificate and fitted.released_ and fitted.n_features_in_ == 2
    assert fitted.coef_.shape == (1, 2) and fitted.intercept_.shape == (1,) and fitted.classes_.tolist() == [0, 1]
    assert fitted.coef_[0] == pytest.approx([.05, 1], abs=.15) and fitted.intercept_[0] == pytest.approx(-3, abs=.4)
    t = X @ fitted.coef_[0] + fitted.intercept_
    assert fitted.decision_function(X) == pytest.approx(t, abs=1e-12)
    assert fitted.predict_proba(X)[:, 1] == pytest.approx(1 / (1 + np.exp(-t)))
    assert (fitted.predict(X) == (t > 0)).all() and fitted.score(X, y) == np.mean((t > 0) == y)
    assert fitted.decision_function([[200, 1]]) == fitted.decision_function([[65, 1]])             # as in the fit
    one, two = (model(bounds=bounds).fit(X / [65, 1], y) for bounds in ((0, 1), [(0, 1)] * 2))
    assert one.released_ and one.coef_.tolist() == two.coef_.tolist()
    assert is_classifier(fitted) and repr(fitted).startswith("PrivateLogisticRegression(bounds=[(18, 65), (0, 1)], classes=(0, 1), eps")


def test_a_refusal_predicts_nothing_and_says_why():
    X, y = people(200)
    fitted = model(classes=("yes", "no")).fit(X, np.where(y, "no", "yes"))
    assert refused(fitted) and isinstance(fitted.release_, Refusal) and not fitted.released_ and fitted.certificate_ is None
    assert np.isnan(fitted.coef_).all() and np.isnan(fitted.intercept_).all() and fitted.classes_.tolist() == ["yes", "no"]
    for ask in (fitted.predict, fitted.predict_proba, fitted.decision_function, lambda X: fitted.score(X, y)):
        with pytest.raises(NotFittedError, match="the release was refused. At ε = 1, δ = 1e-06 and split = 0.3 .* would help"):
            ask(X)
    with pytest.warns(UserWarning, match="the release was refused"):
        assert np.isnan(cross_val_score(model(), X, y, cv=3)).all()
    assert not refused(model()) and not refused(model().fit(*people()))


def test_labels_are_declared_and_read_one_by_one():
    X, y = people()
    plain = model().fit(X, y).coef_.tolist()
    texts = np.where(y, "ill", "well")
    for labels, classes in ((texts, ("well", "ill")), (texts.tolist(), ("well", "ill")), (y.astype(bool), (False, True)),
                            (y.astype(float).tolist(), (0, 1)), (np.where(y, 3, 7), (7, 3))):
        assert model(classes=classes).fit(X, labels).coef_.tolist() == plain
    strange = texts.tolist()
    first = strange.index("well")
    for label in ("Ill", 3, 2.5, b"ill", object()):                              # none of them is "ill"
        assert model(classes=("well", "ill")).fit(X, [*strange[:first], label, *strange[first + 1:]]).coef_.tolist() == plain


@pytest.mark.parametrize("missing", [None, np.nan, np.inf, pandas.NA, pandas.NaT, np.ma.masked], ids=repr)
def test_what_is_missing_is_refused_in_a_list_and_in_an_array(missing):
    X, y = people()
    labels, objects = y.astype(int).tolist(), y.astype(object)
    labels[3] = objects[3] = missing
    for given in (labels, objects, *([np.array(labels, dtype=float)] if isinstance(missing, float) else [])):
        with pytest.raises(ValueError, match="y must"):
            model().fit(X, given)


def test_masked_arrays_are_refused_and_tables_are_read():
    X, y = people()
    assert model().fit(pandas.DataFrame(X), y).coef_.tolist() == model().fit(X, y).coef_.tolist()
    for bad, outcomes, name in ((np.ma.array(X, mask=X > 30), y, "X"), (X, np.ma.array(y, mask=X[:, 0] > 30), "y"),
                                (pandas.DataFrame(X).mask(X > 30), y, "X")):
        with pytest.raises(ValueError, match=f"{name} must be"):
            model().fit(bad, outcomes)


def test_one_record_shows_in_nothing_else():
    X, y = people(60)
    release = lambda data, rng: vars_of(model(classes=("no", "yes")).fit(*data))
    vars_of = lambda fitted: (fitted.coef_, fitted.intercept_, said(fitted), fitted.classes_, fitted.released_)
    labels = np.where(y, "yes", "no").tolist()
    base = observe(release, (X.tolist(), labels))
    assert base.plain[0] == ("error", None)
    for label in ("no", "yes", "maybe" * 1000, 3, True, 2**100, 2.5, "\0"):
        assert base.tells(observe(release, (X.tolist(), [label, *labels[1:]]))) == []
    for record in ([1e308, -1e308], [2**100, True], [0, 0], [np.float32(20), np.uint64(1)], [5e-324, -0.0]):
        assert base.tells(observe(release, ([record, *X.tolist()[1:]], labels))) == []


def said(fitted):
    """What it predicts for 60 people, or why it does not."""
    try:
        return fitted.predict(people(60)[0])
    except NotFittedError as error:
        return str(error)


def test_copies_do_not_share_their_noise():
    X, y = people()
    first = model()
    second = clone(first)
    assert second.rng is first.rng and second is not first
    assert first.fit(X, y).coef_.tolist() != second.fit(X, y).coef_.tolist()
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="same noise"):
            copied(model())
    again = pickle.loads(pickle.dumps(first))
    assert again.coef_.tolist() == first.coef_.tolist() and (again.predict(X) == first.predict(X)).all() and again.rng is None
    with pytest.raises(TypeError, match="rng"):
        again.fit(X, y)


def test_other_tools_of_scikit_learn():
    X, y = people()
    chain = make_pipeline(FunctionTransformer(np.sqrt), model(bounds=[(4, 8.1), (0, 1)], epsilon=3)).fit(X, y)
    assert .6 < chain.score(X, y) < 1
    scores = cross_val_score(model(epsilon=3), X, y, cv=3)
    assert scores.shape == (3,) and (scores > .6).all()


def test_a_declared_category_is_released_where_its_columns_as_numbers_are_refused():
    rng = np.random.default_rng(9)
    level = rng.integers(9, size=20_000)
    X = (level[:, None] == np.arange(1, 9)).astype(float)
    y = (rng.random(20_000) < 1 / (1 + np.exp(1 - .2 * level))).astype(int)
    domain = Box([(0, 1)] * 8, one_hot=[range(8)])
    declared = model(bounds=None, domain=domain, epsilon=1).fit(X, y)
    assert declared.released_ and refused(model(bounds=(0, 1), epsilon=1).fit(X, y))
    assert declared.decision_function(X[:9]) == pytest.approx(X[:9] @ declared.coef_[0] + declared.intercept_[0])
    both = np.r_[1., 1, np.zeros(6)]                                                              # counts as half of each
    assert declared.decision_function([both]) == pytest.approx(declared.decision_function([both / 2]))
    two = model(bounds=None, domain=Box(BOUNDS, binary=[1]), epsilon=3).fit(*people())
    assert two.decision_function([[99, .9]]) == two.decision_function([[65, 1]])
    for given in (dict(bounds=None), dict(domain=Box(BOUNDS)), dict(bounds=None, domain=Box([(0, 1)])), dict(bounds=None, domain=3)):
        with pytest.raises(ValueError, match="domain"):
            model(**given).fit(*people(50))


def test_names_of_columns_are_kept_and_compared():
    X, y = people()
    table = pandas.DataFrame(X, columns=["age", "smokes"])
    fitted = model().fit(table, y)
    assert fitted.feature_names_in_.tolist() == ["age", "smokes"] and (fitted.predict(table) == fitted.predict(X)).all()
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(table[["smokes", "age"]])
    assert not hasattr(fitted.fit(X, y), "feature_names_in_")


def test_what_is_wrong_is_said():
    X, y = people(50)
    with pytest.raises(NotFittedError, match="fit first"):
        model().predict(X)
    for given, name in ((dict(classes=(0, 1, 2)), "classes"), (dict(classes=(1, 1)), "classes"), (dict(bounds=[(0, 1)]), "bounds"),
                        (dict(bounds=[(0, 1), (1, 0)]), "bounds"), (dict(epsilon=0), "epsilon"), (dict(delta=1), "delta"),
                        (dict(split=1), "split")):
        with pytest.raises(ValueError, match=name):
            model(**given).fit(X, y)
    with pytest.raises(TypeError, match="rng"):
        model(rng=7).fit(X, y)
    for X_, y_ in ((X[0], y), (X * np.nan, y), (X, y[1:]), (X, y[:, None]), (X, None), (X[:0], y[:0]), (X + 1j, y)):
        with pytest.raises(ValueError, match="X|y"):
            model().fit(X_, y_)
    with pytest.raises(ValueError, match="3 features"):
        model().fit(X, y).predict(np.ones((2, 3)))
    with pytest.raises(ValueError, match="'bounds', 'classes', 'epsilon'"):
        model().set_params(C=1)
    assert model().set_params(split=.2).get_params()["split"] == .2
