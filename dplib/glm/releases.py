"""Release one number u^Tθ of a fitted model: first a certificate, then noise that fits it.

Symbols
-------
u, r, κ, ν̂
    As in `dplib.glm.terms`; the certificate costs ε₁.
s, τ, Δ_u
    As in `prediction_shift` and `direction_constants`, at ν̂ and κ.
γ
    As in `stretch`: 2 where the move goes from one limit of a column to the other, in proportion to
    its length.
"""

from __future__ import annotations

import numpy as np

from dplib import _grid
from dplib.aggregation import Refusal
from dplib.glm.certificates import certificate_margin
from dplib.glm.domains import Box, Domain
from dplib.glm.losses import Loss
from dplib.glm.perturbed import along_the_minimiser, typical_noise
from dplib.glm.results import Release
from dplib.glm.scales import laplace_epsilon
from dplib.glm.stability import DirectionConstants, direction_constants, prediction_shift
from dplib.glm.standard_errors import (
    checked_share, noise_over_error, shared, standard_error)
from dplib.glm.terms import ALL, HALF, LOGARITHM, Terms, direction, stretch
from dplib._types import ArrayLike, Generator, Integer, Move, Real

LEAST_SHARE = 0.25  # of what the shift is left of ε: below it a fitted scale is refused
GOOD_SHARE = 0.5  # from here on `release_coefficient` takes it
FOR_THE_BOUND = 0.05  # of what the certificate leaves of ε: for a published bound of a fitted scale
MISSED = 1e-3  # the probability that this bound is too small, which every interval allows for


def release_with_public_scale(
        X: ArrayLike, y: ArrayLike, *, weights: ArrayLike | None = None, move: Move,
        domain: Domain, loss: Loss, epsilon: Real, delta: Real, split: Real, rows_per_unit: Integer,
        rng: Generator,
) -> Release | Refusal:
    """Release what one coefficient of a fitted model says, with noise of a public scale.

    Parameters
    ----------
    X, y, weights, move, domain, loss, epsilon, delta, split, rows_per_unit, rng
        As in `release_coefficient`.

    Returns
    -------
    Release or Refusal

    Raises
    ------
    ValueError
        As `release_coefficient`.

    Notes
    -----
    :Privacy: (ε, δ)-DP for one unit replaced: up to ``rows_per_unit`` records go and as many come,
        given fair bits, for data that `fit_model` takes; what rounding may do to the fit is bounded
        and paid for. How long the fit takes depends on the data. A row with a weight is as many
        records: one of them replaced is one less in a row, one more in another, or in a new one.
    :Error: Laplace noise of scale γs/(ε - ε₁), about 2γr/(ν̂ (1-split) ε) with γ of at most 2; half
        of it if ``domain`` is a single column declared binary with an intercept. Refused if
        ν̂ ≤ κ, surely
        so where ν ≤ κ.
    :Cost: That of `fit_model`.
    :References: Theorem *One certificate* on the page *Noise that fits* (thm-one-certificate);
        proposition *Counts of rows* on the page *Vouching for curvature* (prop-counts-of-rows).

    Examples
    --------
    >>> from dplib.glm import LOGISTIC, Box
    >>> treated, better = np.repeat([0, 1], 2500), np.repeat([0, 1, 0, 1], [1250, 1250, 1000, 1500])
    >>> effect = release_with_public_scale(
    ...     treated[:, None], better, move=([0], [1]), domain=Box([(0, 1)], binary=[0]),
    ...     loss=LOGISTIC, epsilon=1, delta=1e-6, split=0.3, rows_per_unit=1,
    ...     rng=np.random.default_rng(1))
    >>> lo, hi = effect.interval()
    >>> print(f"{effect.value:.3f}, noise of {effect.noise_scale:.4f}, from {lo:.3f} to {hi:.3f}")
    0.405, noise of 0.0055, from 0.282 to 0.528
    """
    u = direction(move, domain)
    terms = Terms.checked(epsilon=epsilon, delta=delta, split=split, delta_split=ALL,
                          rows_per_unit=rows_per_unit, rng=rng)
    certified = terms.certify(X, y, weights, domain, loss, rng)
    return _with_public_scale(certified, shared(certified, loss, 0.0), loss, u, domain, rng)


def _with_public_scale(certified, shares, loss, u, domain, rng):
    terms, nu, kappa = certified.terms, certified.nu, certified.kappa
    if nu <= kappa:
        return certified.refusal()
    two_arms, gamma = only_arms(domain), stretch(u, domain)
    reach = prediction_shift(nu=nu, changes=kappa) * (gamma / 2 if two_arms else gamma)
    noise = _grid.laplace_noise(sensitivity=reach, epsilon=shares.for_number.epsilon)
    value = noise.added_to_fraction(certified.fit.along(u), rng)
    most = gamma**2 / (2 if two_arms else 1) / nu
    error = standard_error(certified, shares, loss, u, gamma, most, rng)
    return Release(value, "one certificate", nu, noise.scale, error.variance, 0.0, *terms.budget,
                   error.noise, error.largest)


def only_arms(domain):
    """Whether records differ in nothing but the arm of a trial: a change of one arm then leaves the
    other one alone."""
    arms = isinstance(domain, Box) and domain.intercept and domain.columns == 1
    return arms and domain.binary == (0,)


def release_with_fitted_scale(
        X: ArrayLike, y: ArrayLike, *, weights: ArrayLike | None = None, move: Move,
        domain: Domain, loss: Loss, epsilon: Real, delta: Real, split: Real, rows_per_unit: Integer,
        rng: Generator,
) -> Release | Refusal:
    """Release what one coefficient of a fitted model says, with noise of the scale that the data
    need for this coefficient.

    Parameters
    ----------
    X, y, weights, move, domain, loss, epsilon, delta, split, rows_per_unit, rng
        As in `release_coefficient`; half of δ pays for the certificate.

    Returns
    -------
    Release or Refusal

    Raises
    ------
    ValueError
        As `release_coefficient`.

    Notes
    -----
    :Privacy: (ε, δ)-DP as in `release_with_public_scale`. The scale of the noise depends on the
        data and is not published: ``noise_scale`` is a private upper bound of it, for which 5% of
        what the certificate leaves of ε are set aside.
    :Error: Laplace noise of scale τ Δ_u/ε_s, Δ_u = κ σ(H⁻¹u), ε_s from `laplace_epsilon`; refused
        where ε_s is below a quarter of what is then left of ε, 0.95 (1-split) ε, a matter of ν̂
        alone.
    :Cost: That of `fit_model`.
    :References: Theorem *The scale that fits* on the page *Noise that fits*
        (thm-release-coefficient).

    Examples
    --------
    >>> from dplib.glm import ROBUST, Box
    >>> rng = np.random.default_rng(1)
    >>> X = rng.choice([-1, 1], size=(20_000, 5))
    >>> y = X @ [1, 2, 0, -1, 0.5] + rng.normal(size=20_000)
    >>> answer = release_with_fitted_scale(
    ...     X, y, move=([0] * 5, [1, 0, 0, 0, 0]), domain=Box([(-1, 1)] * 5), loss=ROBUST,
    ...     epsilon=1, delta=1e-6, split=0.25, rows_per_unit=1, rng=rng)
    >>> lo, hi = answer.noise_interval()
    >>> print(f"{answer.value:.3f} from {lo:.3f} to {hi:.3f}")
    1.007 from 1.006 to 1.009
    """
    u = direction(move, domain)
    terms = Terms.checked(epsilon=epsilon, delta=delta, split=split, delta_split=HALF,
                          rows_per_unit=rows_per_unit, rng=rng)
    certified = terms.certify(X, y, weights, domain, loss, rng)
    shares = shared(certified, loss, 0.0)
    share, constants = share_of_the_shift(certified, loss, shares)
    if share < LEAST_SHARE:
        return certified.refusal()
    return _with_fitted_scale(certified, shares, share, constants, loss, u, domain, rng)


def release_coefficient(
        X: ArrayLike, y: ArrayLike, *, weights: ArrayLike | None = None, move: Move,
        domain: Domain, loss: Loss, epsilon: Real, delta: Real, split: Real = 0.3,
        interval_share: Real = 0.1, fallback: bool = False, rows_per_unit: Integer, rng: Generator,
) -> Release | Refusal:
    """Release what one coefficient of a fitted model says, by the mechanism that suits the
    certificate.

    Parameters
    ----------
    X : array_like, shape (n, columns), one row for each record
    y : array_like, shape (n,), the outcomes
    weights : array_like of int ≥ 0, shape (n,), how many records a row stands for; None: one
    move : (a, b), two points of the domain, each as a row of X:
        what changes if a person goes from a to b?
    domain : Box or Ball, public; records outside are moved into it
    loss : Loss
    epsilon, delta : float > 0, δ < 1/2
    split : float in (0, 1), the share of ε for the certificate: where ν is large,
        the noise grows like 1/(1 - split); where ν is not much above the margin of the certificate,
        .4 to .5 releases more often
    interval_share : float, 0 or from 1/1000 to 1/2, the share of what the certificate leaves of
        ε that pays for a standard error: the noise grows like 1/(1 - interval_share), and
        ``interval`` gets shorter; not spent on the two arms of a trial, on losses but the
        logistic one, and where ν̂ is too small for it to be of use
    fallback : bool, whether a perturbed objective answers where the certificate is too small for
        little noise, or for any; its answer is biased by a ridge, and its intervals are infinite
    rows_per_unit : int ≥ 1, how many records of one unit there are at most; the caller sees to it
    rng : numpy.random.Generator

    Returns
    -------
    Release or Refusal

    Raises
    ------
    ValueError
        for public arguments that are wrong, numbers that are not finite, and shapes that do not
        fit; never for what finite data say

    Notes
    -----
    :Privacy: (ε, δ)-DP as in `release_with_public_scale`, whichever mechanism is chosen and whether
        or not a standard error is paid for: both depend on ν̂ alone.
    :Error: That of `release_with_public_scale` if ``domain`` is a single column declared binary,
        with an intercept. Else half of δ pays for the certificate, and the noise is that of
        `release_with_fitted_scale` where ν̂ is large enough, and before that the one of
        `release_with_public_scale`: for one row per unit, ε = 1, δ = 1e-6 and both default shares
        from 82.88 (logistic) or 90.70 (robust) on. Refused if ν̂ ≤ κ. With ``fallback`` nothing is
        refused; `release_by_perturbed_objective` then has all of ε that the certificate leaves
        where `typical_noise` is below the noise of a public scale.
    :Cost: That of `fit_model`.
    :References: Theorem *One certificate* on the page *Noise that fits* (thm-one-certificate);
        theorem *The scale that fits* on the page *Noise that fits* (thm-release-coefficient);
        theorem *A perturbed objective, with ε alone* on the page *Noise that fits*
        (thm-perturbed-release); proposition *A standard error for a share of ε* on the page *A
        treatment effect, for whom?* (prop-standard-error); Asi, Duchi and Talwar, *On privately
        estimating a single parameter* (2025).

    Examples
    --------
    >>> from dplib.glm import LOGISTIC, Box
    >>> rng = np.random.default_rng(1)
    >>> paying, age = rng.integers(2, size=20_000), rng.uniform(18, 65, size=20_000)
    >>> sees_a_doctor = rng.random(20_000) < 1 / (1 + np.exp(-(1 - 0.5 * paying)))
    >>> effect = release_coefficient(
    ...     np.column_stack([paying, age]), sees_a_doctor, move=([0, 40], [1, 40]),
    ...     domain=Box([(0, 1), (18, 65)], binary=[0]), loss=LOGISTIC, epsilon=1, delta=1e-6,
    ...     rows_per_unit=1, rng=rng)
    >>> lo, hi = effect.interval()
    >>> print(f"{effect.value:.2f}, from {lo:.2f} to {hi:.2f} ({effect.mechanism})")
    -0.52, from -0.58 to -0.46 (fitted scale)
    """
    u, two_arms = direction(move, domain), only_arms(domain)
    interval_share = checked_share(interval_share)
    terms = Terms.checked(epsilon=epsilon, delta=delta, split=split, rows_per_unit=rows_per_unit,
                          delta_split=ALL if two_arms else HALF, rng=rng)
    certified = terms.certify(X, y, weights, domain, loss, rng)
    shares = shared(certified, loss, 0.0 if two_arms else interval_share)
    share, constants = (0.0, None) if two_arms else share_of_the_shift(certified, loss, shares)
    if share >= GOOD_SHARE:
        return _with_fitted_scale(certified, shares, share, constants, loss, u, domain, rng)
    if fallback and falls_back(certified.nu, certified.kappa, terms, u, domain):
        value, = along_the_minimiser(X, y, weights, u[np.newaxis], domain, loss,
                                     terms.for_noise.epsilon, terms.rows, rng)
        variance = np.inf if terms.has_standard_error(loss) else None
        return Release(float(value), "perturbed objective", certified.nu, np.inf, variance, 0.0,
                       *terms.budget)
    return _with_public_scale(certified, shares, loss, u, domain, rng)


def falls_back(nu, kappa, terms, u, domain):
    """Whether a perturbed objective is likely to have less noise than a public scale at ν̂, or
    there is none; a matter of public numbers."""
    if nu <= kappa:
        return True
    gamma = stretch(u, domain)
    reach = prediction_shift(nu=nu, changes=kappa) * (gamma / 2 if only_arms(domain) else gamma)
    margin = certificate_margin(sensitivity=kappa, **terms.for_certificate.named())
    typical = typical_noise(radius=domain.reach, dimension=domain.dimension, nu=nu + margin,
                            epsilon=terms.for_noise.epsilon, rows_per_unit=terms.rows)
    return gamma / 2 * typical < np.sqrt(2) * reach / terms.for_noise.epsilon


def for_bound_and_value(for_number):
    """What a fitted scale leaves of the budget for its published bound, and for the number."""
    return for_number.parted(epsilon=FOR_THE_BOUND, delta=0)


def share_of_the_shift(certified, loss, shares):
    """Which share of what is left of ε the shift may use, and the constants at ν̂; a matter of
    public numbers."""
    exact = direction_constants(nu=certified.nu, changes=certified.kappa,
                                largest_curvature=loss.largest_curvature)
    if not np.isfinite([exact.factor, exact.up, exact.down]).all():
        return 0.0, exact
    once, twice = 1 + certified.slack, (1 + certified.slack) ** 2  # of a Δ_u, of a ratio of two
    factor, up, down = exact.factor * once, exact.up * twice, exact.down * twice
    _, for_value = for_bound_and_value(shares.for_number)
    epsilon, delta = _grid.for_secret(*for_value)
    for_the_shift = float(laplace_epsilon(epsilon=epsilon, delta=delta, up=up, down=down))
    constants = DirectionConstants(exact.shift, factor, up, down)
    return for_the_shift / for_value.epsilon, constants


def _with_fitted_scale(certified, shares, share, constants, loss, u, domain, rng):
    terms, fit, kappa = certified.terms, certified.fit, certified.kappa
    for_bound, for_value = for_bound_and_value(shares.for_number)
    multiplier = constants.factor / (share * for_value.epsilon)  # the scale of the noise over Δ_u
    gamma = stretch(u, domain)
    local = kappa * domain.width(fit.inverse(u))  # Δ_u; σ(H⁻¹u) is at most γ/ν
    most = gamma * kappa / certified.nu * (1 + certified.slack)
    grid, scale = _grid.grid_step(most * multiplier), [[local * multiplier]]
    value = _grid.rounded("laplace", [fit.along(u)], scale, grid=grid, rng=rng)
    bound = min(_above(local, constants, for_bound, rng), most)
    most = gamma * bound / kappa  # uᵀH⁻¹u is at most γ σ(H⁻¹u)
    error = standard_error(certified, shares, loss, u, gamma, most, rng)
    return Release(float(value[0]), "fitted scale", certified.nu, float(bound * multiplier),
                   error.variance, MISSED, *terms.budget, error.noise, error.largest,
                   noise_over_error(multiplier, certified))


def _above(local, constants, for_bound, rng):
    """A published number that is above Δ_u except with probability `MISSED`."""
    noise = noise_of_the_bound(constants, for_bound)
    noisy = noise.added_to(np.log(local), rng)
    return float(np.exp(noisy - noise.scale * np.log(2 * MISSED)))


def noise_of_the_bound(constants, for_bound):
    """The noise on ln Δ_u."""
    steps = float(np.log(max(constants.up, constants.down)))  # between neighbours, of ln Δ_u
    return _grid.laplace_noise(sensitivity=steps, epsilon=for_bound.epsilon, error=LOGARITHM)
