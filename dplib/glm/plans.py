"""What a release of one coefficient will be like, from public guesses, before there are any data.

Symbols
-------
M
    The mean of xxᵀ over the records, in the coordinates of the domain: W M is the curvature H, W
    the sum of all h''.
u, κ, ν, ν̂, Δ_u
    As in `dplib.glm.releases`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from dplib import _checks
from dplib.glm.certificates import certificate_margin
from dplib.glm.domains import Box
from dplib.glm.fits import CHARGED
from dplib.glm.losses import Loss
from dplib.glm.releases import (
    GOOD_SHARE, MISSED, for_bound_and_value, noise_of_the_bound, only_arms, share_of_the_shift)
from dplib.glm.results import Release
from dplib.glm.stability import prediction_shift
from dplib.glm.standard_errors import (
    StandardError, checked_share, known_to, noise_over_error, shared)
from dplib.glm.terms import ALL, HALF, Certified, Terms, direction, stretch
from dplib._types import Integer, Move, Real

ROOM = 1e-9  # what a guess may be above the largest possible variance, or a sum of shares above 1
SINGULAR_MOMENTS = 1e-12  # a smaller eigenvalue of M is 0


@dataclass(frozen=True)
class CoefficientPlan:
    """What to expect of `release_coefficient`. Nothing in here comes from data.

    Attributes
    ----------
    nu : float, ν, the curvature of the weakest corner
    margin : float, by how much the certificate is typically smaller
    probability : float, of a release
    mechanism : str or None, as in `Release`
    certificate, noise_scale : float, those of the median release; 0 and infinity if there is none
    half_width, noise_half_width : float or None, half the lengths of the two intervals of that
        release, ``interval`` and ``noise_interval``; None where there is no such interval
    standard_error : float or None, of the coefficient without any privacy; √``rows_per_unit``
        times that of independent records, which bounds it however those of a unit hang together
    ratio : float or None, ``half_width`` over that of an interval without privacy
    """

    nu: float
    margin: float
    probability: float
    mechanism: str | None
    certificate: float
    noise_scale: float
    half_width: float | None
    noise_half_width: float | None
    standard_error: float | None
    ratio: float | None


def plan_coefficient(
        *, move: Move, size: Integer, domain: Box, loss: Loss, shares: Mapping[int, Real],
        moments: Mapping[int, tuple[Real, Real]], curvature: Real, epsilon: Real, delta: Real,
        split: Real = 0.3, interval_share: Real = 0.1, rows_per_unit: Integer,
        level: Real = 0.95,
) -> CoefficientPlan:
    """What `release_coefficient` will give, if the columns are as you expect them to be.

    Parameters
    ----------
    move, loss, epsilon, delta, split, interval_share, rows_per_unit
        As in `release_coefficient`.
    size : int ≥ 1, the number n of records
    domain : Box, public
    shares : {column: share}, the share of the upper limit in each ``binary`` column,
        and of 1 in each ``one_hot`` column
    moments : {column: (mean, variance)} of every other column, in its own units,
        of values that are already moved within the limits
    curvature : float > 0, the mean of h'', at most ``loss.largest_curvature``:
        p(1 - p) in a logistic model that predicts about p
    level : float in (0, 1), the probability of covering for the two intervals

    Returns
    -------
    CoefficientPlan

    Raises
    ------
    ValueError
        for a column that is missing, shares that are not possible together, and a variance that no
        column between these limits has

    Notes
    -----
    :Privacy: No data are used, if none were used for the guesses.
    :Error: Of a release without ``fallback``. The columns are taken as uncorrelated, also after
        weighting by h''. If the smallest eigenvalue of their correlations is λ, ν may be smaller by
        the factor λ, but not more. Probability and median are those of one data set with this ν,
        up to a thousandth of κ.
    :References: Proposition *The weakest corner from means and variances* on the page *Which
        method when?* (prop-corner-moments).

    Examples
    --------
    >>> from dplib.glm import LOGISTIC, Box
    >>> trial = dict(move=([0, 40], [1, 40]), domain=Box([(0, 1), (18, 65)], binary=[0]),
    ...              loss=LOGISTIC, shares={0: 0.5}, moments={1: (41.5, 184)}, curvature=0.24,
    ...              epsilon=1, delta=1e-6, rows_per_unit=1)
    >>> for size in (1000, 4000, 20_000):
    ...     plan = plan_coefficient(size=size, **trial)
    ...     print(f"ν {plan.nu:.0f}: released with probability {plan.probability:.3f}, "
    ...           f"±{plan.half_width:.2f}, {plan.ratio:.1f} times that of the data")
    ν 48: released with probability 0.001, ±3.38, 13.3 times that of the data
    ν 192: released with probability 1.000, ±0.18, 1.4 times that of the data
    ν 960: released with probability 1.000, ±0.06, 1.0 times that of the data
    """
    if not isinstance(domain, Box):
        raise ValueError(f"domain must be a Box, got {domain!r}")
    u, two_arms = direction(move, domain), only_arms(domain)
    size = _checks.integer("size", size, at_least=1)
    terms = Terms.planned(epsilon=epsilon, delta=delta, split=split, rows_per_unit=rows_per_unit,
                          delta_split=ALL if two_arms else HALF)
    curvature = _checks.real("curvature", curvature, above=0, at_most=loss.largest_curvature)
    interval_share = checked_share(interval_share)
    level = _checks.parameter("level", level)
    inverse = _inverse(_second_moments(domain, shares, moments), size * curvature)
    kappa = terms.changes + CHARGED
    spent = terms.for_certificate
    margin = certificate_margin(sensitivity=kappa, **spent.named())
    if inverse is None:
        return CoefficientPlan(0.0, margin, 0.0, None, 0.0, np.inf, None, None, None, None)
    nu = float(1 / domain.leverage(np.linalg.cholesky(inverse)))
    error = None
    if terms.has_standard_error(loss):
        error = float(np.sqrt(terms.rows * (u @ inverse @ u)))
    rate = spent.epsilon / kappa
    chance = _tail(kappa - nu + margin, rate, margin)
    certificate = nu - margin + _quantile(chance / 2, rate, margin)
    if chance == 0 or certificate <= kappa:
        return CoefficientPlan(nu, margin, 0.0, None, 0.0, np.inf, None, None, error, None)
    certified, gamma = Certified(terms, None, certificate, kappa, 0.0), stretch(u, domain)
    shares = shared(certified, loss, 0.0 if two_arms else interval_share)
    share, constants = (0.0, None) if two_arms else share_of_the_shift(certified, loss, shares)
    if share < GOOD_SHARE:
        shift = float(prediction_shift(nu=certificate, changes=kappa))
        noise = shift * (gamma / 2 if two_arms else gamma) / shares.for_number.epsilon
        most, missed, name = gamma**2 / (2 if two_arms else 1) / certificate, 0.0, "one certificate"
        ratio = np.inf
    else:
        for_bound, for_value = for_bound_and_value(shares.for_number)
        above = np.exp(-noise_of_the_bound(constants, for_bound).scale * np.log(2 * MISSED))
        local = kappa * domain.width(inverse @ u)
        bound = float(min(local * above, gamma * kappa / certificate))
        multiplier = constants.factor / (share * for_value.epsilon)
        noise, ratio = bound * multiplier, noise_over_error(multiplier, certified)
        most, missed, name = gamma * bound / kappa, MISSED, "fitted scale"
    if shares.noise is None:
        known = StandardError(None if error is None else terms.rows * most)
    else:
        known = known_to(np.log(u @ inverse @ u), certified, shares, gamma)
    release = Release(0.0, name, certificate, noise, known.variance, missed, *terms.budget,
                      known.noise, known.largest, ratio)
    half = None if error is None else release.interval(level)[1]
    ratio = None if error is None else half / (error * float(ndtri((1 + level) / 2)))
    return CoefficientPlan(nu, margin, chance, name, certificate, noise, half,
                           release.noise_interval(level)[1], error, ratio)


def _second_moments(domain, shares, moments):
    """M of uncorrelated columns."""
    first, grouped = domain.intercept, [j for group in domain.one_hot for j in group]
    _columns("shares", shares, {*domain.binary, *grouped})
    _columns("moments", moments, set(range(domain.columns)) - {*domain.binary, *grouped})
    mean, variance = np.empty(domain.columns), np.empty(domain.columns)
    for j, share in shares.items():
        share = _checks.real(f"shares[{j}]", share, at_least=0, at_most=1)
        mean[j], variance[j] = ((share, share * (1 - share)) if j in grouped
                                else (2 * share - 1, 4 * share * (1 - share)))
    for j, pair in moments.items():
        lo, hi = domain.bounds[j]
        if np.shape(pair) != (2,):
            raise ValueError(f"moments[{j}] must be a mean and a variance, got {pair!r}")
        middle = _checks.real(f"moments[{j}][0]", pair[0], at_least=lo, at_most=hi)
        spread = _checks.real(f"moments[{j}][1]", pair[1], at_least=0)
        half = hi / 2 - lo / 2
        mean[j] = ((middle - lo) - (hi - middle)) / (2 * half)
        variance[j] = spread / half / half
        if variance[j] > (1 - mean[j] ** 2) * (1 + ROOM) + ROOM:
            raise ValueError(f"moments[{j}] must have a variance that is possible between "
                             f"{lo:g} and {hi:g}, at most {(hi - middle) * (middle - lo):g}, got "
                             f"{spread:g}")
    covariance = np.diag(variance)
    for group in map(list, domain.one_hot):
        if mean[group].sum() > 1 + ROOM:
            raise ValueError(f"shares of a one_hot group must add up to at most 1, "
                             f"got {mean[group].sum():g}")
        covariance[np.ix_(group, group)] = np.diag(mean[group]) - np.outer(mean[group], mean[group])
    full = np.r_[np.ones(int(first)), mean]
    M = np.outer(full, full)
    M[int(first):, int(first):] += covariance
    return M


def _columns(name, given, wanted):
    if set(given) != wanted:
        raise ValueError(f"{name} must have the columns {sorted(wanted)}, got {sorted(given)}")


def _inverse(M, weight):
    """(W M)⁻¹, or None if M is singular."""
    values, vectors = np.linalg.eigh(M)
    if values[0] <= SINGULAR_MOMENTS:
        return None
    return vectors / (weight * values) @ vectors.T


def _tail(z, rate, margin):
    """Pr[Z > z] for Laplace noise of scale 1/rate, cut off at ±margin."""
    if z < 0:
        return 1 - _tail(-z, rate, margin)
    if z >= margin:
        return 0.0
    ends = -rate * np.array([z, margin])
    return float((np.exp(ends[0]) - np.exp(ends[1])) / (-2 * np.expm1(ends[1])))


def _quantile(chance, rate, margin):
    """z with Pr[Z > z] = chance, at most 1/2."""
    last = -rate * margin
    return float(-np.log(np.exp(last) - 2 * chance * np.expm1(last)) / rate)
