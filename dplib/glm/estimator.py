"""A logistic regression with the conventions of scikit-learn, which need not be installed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import expit

from dplib import _checks
from dplib.aggregation import refused
from dplib.glm.domains import Box
from dplib.glm.losses import LOGISTIC
from dplib._types import ArrayLike, Generator, Labels, NDArray, Real
from dplib.glm.vectors import release_vector

PARAMETERS = ("bounds", "classes", "epsilon", "delta", "split", "domain", "rng")

EXPECTED_FAILED_CHECKS = {  # of sklearn.utils.estimator_checks.check_estimator, with the reason
    "check_classifiers_classes":
        "classes are declared: if they came from y, one person's label would show in the output",
    "check_classifiers_one_label":
        "as for check_classifiers_classes: that all labels are equal must not show",
    "check_classifiers_regression_target":
        "a label that was not declared counts as the first class: an error would tell of a person",
    "check_classifier_not_supporting_multiclass":
        "as for check_classifiers_regression_target",
    "check_dtype_object":
        "a record that is no number is a ValueError throughout this package, not a TypeError",
    "check_estimators_overwrite_params":
        "fit draws from rng, and must not draw the same noise twice",
    "check_supervised_y_2d":
        "y of another shape is an error, not a warning",
    **dict.fromkeys((
        "check_classifiers_train", "check_classifier_data_not_an_array",
        "check_decision_proba_consistency", "check_dict_unchanged", "check_estimators_dtypes",
        "check_estimators_pickle", "check_f_contiguous_array_estimator", "check_fit_idempotent",
        "check_fit_score_takes_y",
    ), "few records are refused, and then there is nothing to predict with"),
}


class PrivateLogisticRegression:
    """A logistic regression whose coefficients may be published, and everything that is predicted
    from them.

    Parameters
    ----------
    bounds : (lo, hi) or a sequence of such pairs, one for each column of X,
        from public knowledge and never from the data; they scale the columns, too
    domain : Box, in place of ``bounds``: with an intercept,
        and with the columns that are two-valued or make up one category declared, for which fewer
        records are enough
    classes : (no, yes), the two labels, declared;
        a label in ``y`` that is neither counts as the first one
    epsilon, delta : float > 0, δ < 1/2, spent anew by every call of ``fit``
    split : float in (0, 1), the share of ε for the certificate
    rng : numpy.random.Generator

    Attributes
    ----------
    coef_, intercept_ : float64, shapes (1, columns) and (1,), for X as it was measured;
        NaN if the release was refused
    classes_ : array of the two declared labels
    n_features_in_ : int
    feature_names_in_ : array of str, if X was a table whose columns have names
    released_ : bool, whether there was a release
    certificate_ : float or None, ν̂
    release_ : VectorRelease or Refusal

    Notes
    -----
    :Privacy: What ``fit`` leaves behind is (ε, δ)-DP as `release_vector` is, for one record
        replaced; the parameters are public, and predictions for public X cost nothing more. Each
        fit spends (ε, δ), also those of a cross-validation. ``score`` on the training data is *not*
        private, nor are predictions for people of whom X is a secret.
        Nor is a fitted scaler in front of it, such as scikit-learn's StandardScaler: what it learns
        of the data gets no noise, and one record can move its mean as far as it likes. None is
        needed: the fit works in coordinates in which public limits are -1 and 1.
    :Error: That of `release_vector`. If the release was refused, which ``fit`` does not take for an
        error, there is nothing to predict with: whoever asks for a prediction gets scikit-learn's
        NotFittedError, with the reason. See `refused`.
    :Cost: That of `fit_model`.
    :References: Theorem *All coefficients at once* on the page *Noise that fits* (thm-vector).

    A clone draws from the same generator, not from a copy of it: two copies would have the same
    noise, and the difference of two fits would be the difference of their data. For the same reason
    an estimator cannot be pickled before it is fitted, and forgets its generator when it is pickled
    afterwards.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> age, smokes = rng.uniform(18, 65, size=20_000), rng.integers(2, size=20_000)
    >>> chance = 1 / (1 + np.exp(3 - 0.05 * age - smokes))
    >>> ill = np.where(rng.random(20_000) < chance, "ill", "well")
    >>> model = PrivateLogisticRegression(bounds=[(18, 65), (0, 1)], classes=("well", "ill"),
    ...                                   epsilon=1, delta=1e-6, rng=rng)
    >>> model.fit(np.column_stack([age, smokes]), ill).coef_.round(2)
    array([[0.05, 0.99]])
    >>> model.predict([[20, 0], [60, 1]])
    array(['well', 'ill'], dtype='<U4')
    """

    def __init__(self, *, bounds: Sequence | None = None, classes: Sequence = (0, 1), epsilon: Real,
                 delta: Real, split: Real = 0.3, domain: Box | None = None, rng: Generator):
        self.bounds, self.classes, self.epsilon, self.delta = bounds, classes, epsilon, delta
        self.split, self.domain, self.rng = split, domain, rng

    def fit(self, X: ArrayLike, y: Labels) -> PrivateLogisticRegression:
        """Release the coefficients of a logistic regression of y on X. A refusal is no error.

        Parameters
        ----------
        X : array_like, shape (n, columns), one row for each record
        y : sequence of n labels; one that was not declared counts as ``classes[0]``
        """
        names = _names(X)
        X, classes = _covariates(X), _two(self.classes)
        y = _outcomes(y, classes[1], len(X))
        domain = self._box(X.shape[1])
        self.release_ = release_vector(
            X, y, domain=domain, loss=LOGISTIC, epsilon=self.epsilon, delta=self.delta,
            split=self.split, rows_per_unit=1, rng=self.rng)
        self.released_ = not refused(self.release_)
        coefficients, self.certificate_ = np.full(domain.dimension, np.nan), None
        if self.released_:
            coefficients = self.release_.coefficients
            self.certificate_ = self.release_.certificate
        self.intercept_, self.coef_ = coefficients[:1], coefficients[None, 1:]
        self.classes_, self.n_features_in_ = np.array(classes), X.shape[1]
        vars(self).pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names
        return self

    def _box(self, columns):
        """The declared domain."""
        if (self.bounds is None) == (self.domain is None):
            raise ValueError("bounds or domain must be given, and not both")
        if self.domain is None:
            return Box(_limits(self.bounds, columns))
        if not isinstance(self.domain, Box) or not self.domain.intercept:
            raise ValueError(f"domain must be a Box with an intercept, got {self.domain!r}")
        if self.domain.columns != columns:
            raise ValueError(f"domain must have the {columns} columns of X, "
                             f"got {self.domain.columns}")
        return self.domain

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """The log-odds of ``classes[1]``. Values outside the bounds count as if they were at them,
        as in ``fit``.

        Parameters
        ----------
        X : array_like, shape (n, columns), one row for each record
        """
        name = type(self).__name__
        if not hasattr(self, "release_"):
            raise _not_fitted(f"This {name} instance is not fitted yet: call fit first")
        names = _names(X)
        known = getattr(self, "feature_names_in_", None)
        if names is not None and known is not None and list(names) != list(known):
            raise ValueError(f"The feature names should match those that were passed during fit: "
                             f"X must have the columns {list(known)}, got {list(names)}")
        X = _covariates(X)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features, but {name} is expecting "
                             f"{self.n_features_in_} features as input")
        if refused(self):
            raise _not_fitted(f"This {name} instance has no coefficients to predict with, because "
                              f"the release was refused. {self.release_.advice}")
        if self.domain is not None:
            X = _moved(X, self.domain)
            return X @ self.coef_[0] + self.intercept_[0]
        lo, hi = np.array(_limits(self.bounds, X.shape[1])).T
        return np.clip(X, lo, hi) @ self.coef_[0] + self.intercept_[0]

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """The probabilities of both classes.

        Parameters
        ----------
        X : array_like, shape (n, columns), one row for each record
        """
        t = self.decision_function(X)
        return np.column_stack([expit(-t), expit(t)])

    def predict(self, X: ArrayLike) -> NDArray:
        """The likelier class.

        Parameters
        ----------
        X : array_like, shape (n, columns), one row for each record
        """
        second = self.decision_function(X) > 0
        return self.classes_[second.astype(int)]

    def score(self, X: ArrayLike, y: Labels) -> float:
        """The share of right predictions. *Not private* if y belongs to people: use a test set that
        you may look at.

        Parameters
        ----------
        X : array_like, shape (n, columns), one row for each record
        y : sequence of n labels
        """
        return float(np.mean(self.predict(X) == np.asarray(y)))

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """The arguments of the constructor, by name.

        Parameters
        ----------
        deep : bool, ignored
        """
        return {name: getattr(self, name) for name in PARAMETERS}

    def set_params(self, **params: object) -> PrivateLogisticRegression:
        """Change some of the arguments of the constructor.

        Parameters
        ----------
        params : their new values, by name
        """
        for name, value in params.items():
            _checks.choice("params", name, PARAMETERS)
            setattr(self, name, value)
        return self

    def __repr__(self):
        given = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({given})"

    def __sklearn_is_fitted__(self):
        return hasattr(self, "coef_")

    def __sklearn_clone__(self):
        return type(self)(**self.get_params())

    def __sklearn_tags__(self):
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags
        return Tags(
            estimator_type="classifier", target_tags=TargetTags(required=True),
            transformer_tags=None, regressor_tags=None, input_tags=InputTags(),
            classifier_tags=ClassifierTags(poor_score=True, multi_class=False),
            non_deterministic=True)

    def __getstate__(self):
        if not hasattr(self, "coef_"):
            raise TypeError(f"an unfitted {type(self).__name__} cannot be copied or pickled: the "
                            "copy would draw the same noise. Make a new one, with a generator of "
                            "its own")
        return {**vars(self), "rng": None}


def _covariates(X):
    """X as an array of numbers; its shape is public, and so is what is said of it."""
    _checks.plain("X", X)
    if hasattr(X, "tocsr"):
        raise TypeError("X must be a dense array, got sparse data")
    array = np.asarray(X)
    if array.dtype.kind == "c":
        raise ValueError("X must hold real numbers, got Complex data not supported")
    if array.ndim != 2:
        raise ValueError(f"X must have one row for each record, got shape {array.shape}. "
                         f"Reshape your data")
    if 0 in array.shape:
        what = "sample" if len(array) == 0 else "feature"
        raise ValueError(f"X must have at least one {what}, got 0 {what}(s) (shape={array.shape}) "
                         f"while a minimum of 1 is required.")
    array = _checks.numbers("X", array)
    if not np.isfinite(array).all():
        raise ValueError("X must be finite, got NaN or infinity")
    return _checks.reals("X", array)


def _names(X):
    """The names of the columns of a table, if all of them are texts."""
    names = list(getattr(X, "columns", ()))
    return np.array(names, dtype=object) if names and all(
        isinstance(name, str) for name in names) else None


def _moved(X, domain):
    """The records moved into the domain, as they were measured."""
    lo, hi = np.array(domain.bounds).T
    moved, inside = domain.design(X)[:, 1:], np.clip(X, lo, hi)
    for j in domain.binary:
        inside[:, j] = np.where(moved[:, j] > 0, hi[j], lo[j])
    for group in map(list, domain.one_hot):
        inside[:, group] = moved[:, group]
    return inside


def _two(classes):
    classes = tuple(classes)
    if len(classes) != 2 or classes[0] == classes[1]:
        raise ValueError(f"classes must be two different labels, got {classes!r}")
    return classes


def _limits(bounds, columns):
    """A pair for each column; one pair stands for all of them."""
    pairs = [bounds] * columns if np.shape(bounds) == (2,) else bounds
    limits = [tuple(pair) for pair in pairs]
    if len(limits) != columns:
        raise ValueError(f"bounds must be one pair or one for each of the {columns} columns of X, "
                         f"got {len(limits)}")
    return limits


def _outcomes(y, yes, size):
    """1 where a label is ``yes``, one by one: no label decides how others are read."""
    if y is None:
        raise ValueError("y must have one label for each record: this estimator requires y to be "
                         "passed, but the target y is None")
    _checks.plain("y", y)
    y = np.asarray(y) if hasattr(y, "__array__") else y
    shape = y.shape if isinstance(y, np.ndarray) else (len(y),)
    if shape != (size,):
        raise ValueError(f"y must have one label for each of the {size} records of X, "
                         f"got shape {shape}")
    labels = y.tolist() if isinstance(y, np.ndarray) else y
    if any(_missing(label) for label in labels):
        raise ValueError("y must have no missing labels: none that is None, NaN or infinite")
    return np.array([_same(label, yes) for label in labels], dtype=np.float64)


def _missing(label):
    """NaN differs from itself; other markers of what is missing do not say whether they do."""
    try:
        return (label is None or label is np.ma.masked or bool(label != label)
                or (isinstance(label, float) and not np.isfinite(label)))
    except Exception:
        return True


def _same(label, yes):
    try:
        return bool(label == yes)
    except Exception:  # what cannot be compared was not declared
        return False


def _not_fitted(message):
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        return AttributeError(message)
    return NotFittedError(message)
