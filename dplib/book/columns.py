"""How columns of numbers travel to the page: two bytes for each number, in base64."""

import base64

import numpy as np

# a uint16 code is 0 for a gap, 1 for an exact zero, else 2 + level
LEVELS = 65533


def quantise(column):
    """Codes (uint16) of an array with NaN at its gaps, the scale to decode them, and the largest
    error made.

    Integers that span fewer than 65,533 are exact. Positive values over more than two decades are
    spaced logarithmically, zeros kept exact, and their error is relative; all others are spaced
    evenly.
    """
    gaps = np.isnan(column)
    known = column[~gaps]
    positive = known[known > 0]
    whole = known.size == 0 or not (known % 1).any() and np.ptp(known) < LEVELS
    log = (
        not whole and positive.size > 0 and known.min() >= 0 and known.max() > 100 * positive.min()
    )
    t = np.log(positive) if log else known
    low, high = (float(t.min()), float(t.max())) if t.size else (0.0, 0.0)
    step = 1.0 if whole or high == low else (high - low) / (LEVELS - 1)
    codes = np.zeros(column.shape, "<u2")
    levels = np.ones(known.shape)
    levels[known > 0 if log else slice(None)] = 2 + np.rint((t - low) / step)
    codes[~gaps] = levels
    scale = dict(scale="log" if log else "linear", low=low, step=step)
    deviation = np.abs(dequantise(codes[~gaps], **scale) - known)
    if log:
        deviation[known > 0] /= positive
    return codes, scale, float(np.max(deviation, initial=0))


def dequantise(codes, scale, low, step):
    """The values that codes stand for; the same formula as `unpack` in columns.js."""
    linear = low + step * (codes.astype(float) - 2)
    values = np.where(codes == 1, 0.0, np.exp(linear)) if scale == "log" else linear
    return np.where(codes == 0, np.nan, values)


def pack(codes):
    """Base64 of the differences of all codes modulo 2¹⁶, low bytes first, then high bytes: it
    compresses to half."""
    steps = np.diff(np.concatenate([np.zeros(1, "<u2"), *(c.ravel() for c in codes)]))
    return base64.b64encode(
        (steps & 255).astype("u1").tobytes() + (steps >> 8).astype("u1").tobytes()
    ).decode()
