"""Whatever a release hands down of ε and δ adds up to what it promises; then budgets that do not, each of which is noticed."""

import numpy as np
import pytest

from dplib import _grid, friendly, glm, mean, mechanisms, queries
from dplib.aggregation import refused
from dplib.glm import releases, terms, vectors
from dplib.glm.compared import published
from tests.chance import rng
from tests.ledger import ledger
from tests.mutants import changed
from tests.releases import PACKAGE, Case, spoken
from tests.test_attacks import BY_LAW, NOT_PRIVATE

TIMES = {  # who pays more than once for what costs a person, or a pair of neighbours, only once: (ε, δ)
    queries.fresh_oracle: (2, 1),            # two answers, each about people of its own
    friendly.friendly_mean: (1, 2),          # δ for a test that bad data pass, or for the noise of good ones, and data are one or the other
    friendly.friendly_tuples: (1, 2),
    glm.compared.certify_by_recursion: (1, 0),        # δ is in a threshold, which is part of the answer
    glm.compared.certify_largest_eigenvalue: (1, 0),
}
COMPOSED = [function for function in PACKAGE if function not in BY_LAW and function not in NOT_PRIVATE]

SIGNS = rng(3).choice([-1, 1], size=(20_000, 3))
OUTCOMES = SIGNS @ [1, 2, 0] + rng(4).normal(size=20_000)
YES = OUTCOMES > rng(5).normal(0, 3, size=20_000)
MODEL = dict(domain=glm.Box([(-1, 1)] * 3, intercept=False), loss=glm.ROBUST, epsilon=1, delta=1e-6, split=.4)
ONE_NUMBER = MODEL | dict(move=([0, 0, 0], [1, 0, 0]))
PLENTY = {  # releases of so much data that no certificate is too small, in every form that there is
    glm.release_with_public_scale: [ONE_NUMBER], glm.release_with_fitted_scale: [ONE_NUMBER], glm.release_coefficient: [
        ONE_NUMBER, ONE_NUMBER | dict(loss=glm.LOGISTIC, interval_share=.2)],
    mean.mean_interval: [dict(radius=10, epsilon=3)],  # of few records it is all there is, for no ε
    glm.release_vector: [MODEL], glm.compared.release_with_mahalanobis_scale: [ONE_NUMBER],
    glm.compared.release_with_isotropic_noise: [MODEL | dict(form=form) for form in ("sharp", "source", "generic")],
    glm.compared.release_with_condition_number: [ONE_NUMBER | dict(check=check, epsilon=4) for check in ("exact", "simple")],
}


def plenty(function, options):
    """The release of one large data set, as a case."""
    model = SIGNS, YES if options.get("loss") is glm.LOGISTIC else OUTCOMES
    data = model if "loss" in options else (OUTCOMES,)
    release = lambda data, generator: function(*data, **options, **spoken(function), rng=generator)
    return Case(release, [(data, None)], options["epsilon"], options.get("delta", 0))


def cases_of(function, name=None):
    name = name or function
    few = PACKAGE[name](function) if name is not mean.mean_interval else []
    return [*(case for case in few if case.epsilon is not None), *(plenty(function, options) for options in PLENTY.get(name, ()))]


def shares(cases, times):
    """(ε, δ) of each release that answers, and then of those that refuse, as shares of what was promised."""
    answered, declined = [], []
    for release, pairs, epsilon, delta, _ in cases:
        for x, _ in list(pairs)[:4:3]:
            with ledger() as book:
                answer = release(x, rng(1))
            due = epsilon * times[0], delta * times[1]
            paid = book.epsilon / due[0], book.delta / due[1] if due[1] else book.delta
            (declined if refused(answer) else answered).append((*paid, bool(due[1])))
    return answered, declined


def balance(function, name=None):
    """Fails unless every answer was paid for with all of ε and δ, and every refusal with no more."""
    answered, declined = shares(cases_of(function, name), TIMES.get(name or function, (1, 1)))
    assert answered
    for epsilon, delta, approximate in answered:
        assert epsilon == pytest.approx(1, rel=1e-9) and delta == pytest.approx(float(approximate), rel=1e-9)
    assert all(epsilon <= 1 and delta <= 1 for epsilon, delta, _ in declined)


@pytest.mark.parametrize("function", COMPOSED, ids=lambda f: f.__name__)
def test_the_books_balance(function):
    balance(function)


CERTIFICATE = (terms.Terms, "certify", "epsilon, delta = self.for_certificate",
               "epsilon, delta = self.for_certificate.epsilon, self.budget.delta")
SECRET, ALL_OF_DELTA = "for_secret(*for_value)", "for_secret(for_value.epsilon, certified.terms.budget.delta)"
FORGED = {  # what is paid twice, or not at all: (who shows it, where, which function of it, old, new)
    "δ of the certificate of a fitted scale": (glm.release_with_fitted_scale, *CERTIFICATE),
    "δ of the certificate of a coefficient": (glm.release_coefficient, *CERTIFICATE),
    "δ of the noise of a fitted scale": (glm.release_with_fitted_scale, releases, "share_of_the_shift", SECRET, ALL_OF_DELTA),
    "δ of the noise of a coefficient": (glm.release_coefficient, releases, "share_of_the_shift", SECRET, ALL_OF_DELTA),
    "ε of the scale that is published": (glm.release_with_fitted_scale, releases, "noise_of_the_bound",
                                         "for_bound.epsilon", "20 * for_bound.epsilon"),
    "ε of the public scale": (glm.release_with_public_scale, releases, "_with_public_scale",
                              "shares.for_number.epsilon", "terms.budget.epsilon"),
    "ε of a standard error": (glm.release_coefficient, releases, "shared", "return Shares(for_number, noise)",
                              "return Shares(terms.for_noise, noise)"),
    "δ of the certificate of a vector": (glm.release_vector, *CERTIFICATE),
    "δ of the noise of a vector": (glm.release_vector, vectors, "release_vector",
                                   "for_secret(*terms.for_noise,", "for_secret(terms.for_noise.epsilon, terms.budget.delta,"),
    "δ of isotropic noise": (glm.compared.release_with_isotropic_noise, published, "release_with_isotropic_noise",
                             "delta=delta,\n", "delta=terms.budget.delta,\n"),
    "δ of its certificate": (glm.compared.release_with_isotropic_noise, published, "_isotropic_shift",
                             "**terms.for_certificate.named(),", "epsilon=terms.for_certificate.epsilon, delta=terms.budget.delta,"),
    "δ of two eigenvalues": (glm.compared.release_with_condition_number, published, "_both_eigenvalues",
                             "terms.for_certificate.halved()", "terms.for_certificate.halved()\n    "
                             "for_smallest = for_largest = for_smallest._replace(delta=terms.for_certificate.delta)"),
    "ε of two eigenvalues": (glm.compared.release_with_condition_number, published, "_both_eigenvalues",
                             "terms.for_certificate.halved()", "terms.for_certificate.halved()\n    "
                             "for_smallest = for_largest = for_smallest._replace(epsilon=terms.for_certificate.epsilon)"),
    "δ of an exact check": (glm.compared.release_with_condition_number, published, "_checked_multiplier",
                            "down, terms.for_noise)", "down, terms.for_noise._replace(delta=terms.budget.delta))"),
    "δ of the first check": (glm.compared.release_with_condition_number, published, "_checked_multiplier",
                             "for_secret(*terms.for_noise)", "for_secret(terms.for_noise.epsilon, terms.budget.delta)"),
    "δ of the certificate in units of v": (glm.compared.release_with_mahalanobis_scale, *CERTIFICATE),
    "δ of the noise in units of v": (glm.compared.release_with_mahalanobis_scale, published, "release_with_mahalanobis_scale",
                                     "off, terms.for_noise)", "off, terms.for_noise._replace(delta=terms.budget.delta))"),
    "ε of Laplace noise": (mechanisms.laplace, mechanisms, "laplace", "epsilon=epsilon, ", "epsilon=2 * epsilon, "),
    "all of ε once more for the rest": (glm.release_vector, terms.Budget, "parted", "(1 - epsilon) * self.epsilon", "self.epsilon"),
    "all of δ once more for the rest": (glm.release_vector, terms.Budget, "parted", "(1 - delta) * self.delta", "self.delta"),
}


@pytest.mark.parametrize("forged", FORGED)
def test_a_forged_budget_is_noticed(forged, monkeypatch):
    function, module, name, old, new = FORGED[forged]
    monkeypatch.setattr(module, name, changed(getattr(module, name), old, new))
    with pytest.raises(AssertionError):
        balance(getattr(module, name) if name == function.__name__ else function, function)


def test_the_parts_of_a_budget_are_the_whole():
    for epsilon, delta, share, of_delta in rng(5).random((200, 4)):
        budget = terms.Budget(epsilon, delta)
        for parts in (budget.parted(epsilon=share, delta=of_delta), budget.halved(),
                      terms.Terms(budget, split=share, delta_split=of_delta, rows=1).parts):
            assert np.sum(parts, axis=0) == pytest.approx(budget, rel=3e-16)


def test_a_payment_within_another_one_counts_once_and_noise_that_is_not_used_costs_nothing():
    with ledger() as book:
        unused = _grid.count_noise(2, 5.0)
        noise = _grid.count_noise(2, 1.0)
        for _ in range(2):
            noise.added_to_whole(np.zeros(3, dtype=np.int64), rng(1))
    assert unused and book.payments == [("count_noise", 1.0, 0.0)]
