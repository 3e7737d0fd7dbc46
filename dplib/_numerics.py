"""Logarithms and the privacy profile of Gaussian noise, without cancellation; ``s`` is the
multiplier σ/Δ, all broadcast."""

import numpy as np
import scipy

CACHED_NUMBERS = 1 << 15  # at a time, so that the working memory stays in the cache
HELD_NUMBERS = 1 << 20  # at a time, so that large inputs do not fill the memory
LARGEST_FLOAT = np.finfo(float).max


def least_over_orders(f, delta):
    """The least of f(α, c) over all α > 1: what is ρ-zCDP is (αρ + c, δ)-DP for each of them."""
    log_delta = np.log(delta)

    def at(log_order):
        order = 1 + np.exp(log_order)
        return f(order, np.log1p(-1 / order) - (log_delta + np.log(order)) / (order - 1))

    best = scipy.optimize.minimize_scalar(  # loaded when it is called: noise does without
        at, bounds=(-20, 260), method="bounded", options={"xatol": 1e-9})
    return best.fun


def log1mexp(x):
    """ln(1 - e^-x) for x > 0, accurate at both ends."""
    with np.errstate(divide="ignore"):
        return np.where(x < np.log(2), np.log(-np.expm1(-x)), np.log1p(-np.exp(-x)))[()]


def signed_sums(values):
    """Σ_x f(x) (-1)^⟨s,x⟩ for every s, of floats f on the last axis, which has 2^d entries: the
    fast transform of Walsh and Hadamard."""
    shape, step = values.shape, 1
    while step < shape[-1]:
        pairs = values.reshape(*shape[:-1], shape[-1] // (2 * step), 2, step)
        values = np.empty_like(pairs)
        np.add(pairs[..., 0, :], pairs[..., 1, :], out=values[..., 0, :])
        np.subtract(pairs[..., 0, :], pairs[..., 1, :], out=values[..., 1, :])
        step *= 2
    return values.reshape(shape).copy() if step == 1 else values.reshape(shape)


def gaussian_log_delta(epsilon, s):
    """ln δ(ε, s) without cancellation."""
    erfc, erfcx = scipy.special.erfc, scipy.special.erfcx
    # The squares of the two arguments of Φ differ by 2ε, so one factor e^(-u²) comes out of both
    # terms: δ = e^(-u²) (erfcx(u) - erfcx(u + h)) / 2 with √2 u = εs - 1/(2s) and √2 h = 1/s.
    # np.where also evaluates the branch it drops
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        u, h = (epsilon * s - 0.5 / s) / np.sqrt(2), 1 / (np.sqrt(2) * s)
        drop = np.fmax(_erfcx_drop(u, h), np.finfo(float).tiny)  # only where e^(-u²) is 0 anyway
        from_zero = np.log(drop / 2) - u**2
        # h > 2: δ is near 1, nothing cancels
        from_one = np.log((erfc(u) - np.exp(-(u**2)) * erfcx(u + h)) / 2)
        return np.where(u > -1, from_zero, from_one)


def _erfcx_drop(u, h):
    """erfcx(u) - erfcx(u + h); for small h by Taylor's formula at the midpoint m, where e' = 2me -
    2/√π."""
    erfcx = scipy.special.erfcx
    m = u + h / 2
    e = erfcx(m)
    first = 2 * m * e - 2 / np.sqrt(np.pi)
    second = 2 * e + 2 * m * first
    third = 4 * first + 2 * m * second
    return np.where(h < 2e-3, -h * (first + h**2 / 24 * third), erfcx(u) - erfcx(u + h))


def private_multiplier(epsilon, delta):
    """The least s with which Gaussian noise is (ε, δ)-DP, rounded up in the twelfth digit so that
    rounding never costs privacy."""
    return gaussian_multiplier(*np.broadcast_arrays(epsilon, delta)) * (1 + 4e-12)


def gaussian_multiplier(epsilon, delta):
    """Solve δ(ε, s) = δ for s by Newton's method for ln δ as a function of ln s."""
    # The start lies above the solution, because δ(ε, s) ≤ Φ(1/(2s) - εs) and δ(ε, s) ≤ 1/(s √(2π)).
    # The function is decreasing and concave, so every step stays on the private side; find_root
    # would need six times as long.
    z = scipy.special.ndtri(delta)
    root = np.sqrt(z**2 + 2 * epsilon)
    with np.errstate(over="ignore", divide="ignore"):
        s = np.where(z > 0, 1 / (z + root), (root - z) / (2 * epsilon))
        s = np.minimum(s, 1 / (delta * np.sqrt(2 * np.pi)))
    for _ in range(50):
        log_delta = gaussian_log_delta(epsilon, s)
        u = (epsilon * s - 0.5 / s) / np.sqrt(2)
        slope = -np.exp(-(u**2) - log_delta) / (np.sqrt(2 * np.pi) * s)
        step = (np.log(delta) - log_delta) / slope
        s = s * np.exp(step)
        if np.all(np.abs(step) < 1e-8):  # the error left is of the order of its square
            break
    return s
