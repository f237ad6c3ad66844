"""Conversions between component types, by integers alone: exact where they can be, rounded once where they cannot.

Section "Data Conversion Rules" has four cases. Between integers a value is kept or saturated; an integer becomes the
nearest float, ties to even; a float becomes the nearest integer, ties to even, saturated; between floats what cannot be
represented is the implementation's own choice, and a ``Style`` says which.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import Format

Mask = NDArray[np.bool_]
Integers = NDArray[np.int64]
Rounding = Literal["nearest", "zero"]
Overflow = Literal["infinity", "largest", "nan"]


@dataclass(frozen=True, slots=True)
class Style:
    """What a device makes of a float that a narrower format does not have.

    ``overflow`` is for what lies beyond the largest finite number; a format without infinities then has that number.
    """

    rounding: Rounding = "nearest"
    overflow: Overflow = "infinity"


@dataclass(frozen=True, slots=True)
class Parts:
    """Numbers taken apart: (-1)^negative * significand * 2^exponent, unless they are NaN or infinite."""

    negative: Mask
    significand: Bits
    exponent: Integers
    nan: Mask
    infinite: Mask


def convert(bits: Bits, source: Format, target: Format, style: Style = Style()) -> Bits:
    """Bits of one format as bits of another. NaN becomes the quiet NaN, or 0 where the target has integers."""
    if source == target:
        return bits
    parts = taken_apart(source, bits)
    if not target.is_float:
        return _integers(target, parts)
    # Of what is not a float already the text says how it is rounded: no number becomes NaN.
    ends: Overflow = "largest" if style.overflow == "largest" else "infinity"
    return _floats(target, parts, style if source.is_float else Style(overflow=ends))


def taken_apart(fmt: Format, bits: Bits) -> Parts:
    """The parts of each number."""
    held = bits & np.uint64(fmt.mask)
    negative = held & np.uint64(fmt.sign_bit) != 0
    if not fmt.is_float:
        magnitude = np.where(negative, (~held + np.uint64(1)) & np.uint64(fmt.mask), held)
        never = np.zeros(held.shape, np.bool_)
        return Parts(negative, magnitude, np.zeros(held.shape, np.int64), never, never)
    magnitude = held & ~np.uint64(fmt.sign_bit)
    field = (magnitude >> np.uint64(fmt.fraction_bits)).astype(np.int64)
    fraction = magnitude & np.uint64((1 << fmt.fraction_bits) - 1)
    significand = np.where(field > 0, fraction | np.uint64(1 << fmt.fraction_bits), fraction)
    beyond = magnitude > np.uint64(fmt.largest_magnitude)
    infinite = beyond & (fraction == 0) & fmt.infinities
    return Parts(
        negative, significand, np.maximum(field, 1) - fmt.bias - fmt.fraction_bits, beyond & ~infinite, infinite
    )


def lengths(values: Bits) -> Integers:
    """How many bits each number has, 0 for 0."""
    if not (values >> np.uint64(53)).any():  # float64 holds it, and its exponent is the answer; for 0 far below it
        return np.asarray(np.maximum((values.astype(np.float64).view(np.int64) >> 52) - 1022, 0), np.int64)
    high, low = (values >> np.uint64(32)).astype(np.float64), (values & np.uint64(0xFFFF_FFFF)).astype(np.float64)
    found = np.where(high > 0, np.frexp(high)[1] + 32, np.frexp(low)[1])
    return np.asarray(found, np.int64)


def shifted(values: Bits, places: Integers, rounding: Rounding) -> Bits:
    """Each number divided by 2^places, rounded once; multiplied where places are negative."""
    left = np.minimum(np.maximum(-places, 0), 63).astype(np.uint64)
    right = np.minimum(np.maximum(places, 1), 63).astype(np.uint64)
    kept, rest = values >> right, values & ((np.uint64(1) << right) - np.uint64(1))
    half = np.uint64(1) << (right - np.uint64(1))
    if rounding == "nearest":
        up = (rest > half) | ((rest == half) & (kept & np.uint64(1) != 0))
        kept = kept + up.astype(np.uint64)
    # Dividing by 2^64 leaves less than one, which is more than a half from 2^63 + 1 on.
    all_gone = (values > np.uint64(1 << 63)) & (places == 64) & (rounding == "nearest")
    kept = np.where(places >= 64, all_gone.astype(np.uint64), kept)
    return np.where(places > 0, kept, values << left)


def _floats(fmt: Format, parts: Parts, style: Style) -> Bits:
    leading = parts.exponent + lengths(parts.significand) - 1
    quantum = np.maximum(leading, fmt.emin) - fmt.fraction_bits
    kept = shifted(parts.significand, quantum - parts.exponent, style.rounding)
    # A carry out of the fraction runs into the exponent, which is what the next binade means.
    steps = np.clip(quantum - fmt.qmin, 0, (1 << fmt.exponent_bits) + 1).astype(np.uint64)
    magnitude = kept + (steps << np.uint64(fmt.fraction_bits))
    magnitude = np.where(parts.significand == 0, np.uint64(0), magnitude)
    beyond = (magnitude > np.uint64(fmt.largest_magnitude)) & ~parts.infinite
    magnitude = np.where(beyond, np.uint64(_beyond(fmt, style)), magnitude)
    infinity = fmt.infinity_magnitude if fmt.infinities else _beyond(fmt, style)
    magnitude = np.where(parts.infinite, np.uint64(infinity), magnitude)
    signed = magnitude | np.where(parts.negative, np.uint64(fmt.sign_bit), np.uint64(0))
    return np.where(parts.nan, np.uint64(fmt.nan_bits), signed)


def _beyond(fmt: Format, style: Style) -> int:
    """The magnitude of what is too large for a format."""
    if style.overflow == "nan":
        return fmt.nan_bits
    return fmt.infinity_magnitude if style.overflow == "infinity" and fmt.infinities else fmt.largest_magnitude


def _integers(fmt: Format, parts: Parts) -> Bits:
    whole = shifted(parts.significand, -parts.exponent, "nearest")
    too_long = lengths(parts.significand) + parts.exponent > 64
    limit = np.where(parts.negative, np.uint64(-fmt.min_value), np.uint64(fmt.max_value))
    magnitude = np.where(too_long | parts.infinite | (whole > limit), limit, whole)
    signed = np.where(parts.negative, ~magnitude + np.uint64(1), magnitude) & np.uint64(fmt.mask)
    return np.where(parts.nan, np.uint64(0), signed)
