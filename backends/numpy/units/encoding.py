"""Bits to numpy numbers and back, for the arithmetic units; no numpy cast is trusted to round."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import FORMATS, Format

Doubles = NDArray[np.float64]
Integers = NDArray[np.int64]

_FRACTION = 52
"""Fraction bits of a float64."""
_BIAS = 1023
_SIZE, _SIGN = np.uint64(0x7FFF_FFFF_FFFF_FFFF), np.uint64(63)
"""All bits of a float64 but its sign, and the place of that."""
_WORDS: Mapping[str, type[np.int32 | np.uint32]] = {"s32": np.int32, "u32": np.uint32}
"""Formats that numpy has too."""
_INFINITY = 0x7FF << _FRACTION
"""The bits of an infinity; those of NaN are above them."""


def integers_of(fmt: Format, bits: Bits) -> Integers:
    """The values of an integer format of at most 64 bits; u64 above 2^63 comes out modulo 2^64."""
    if fmt.name in _WORDS:
        return bits.astype(np.uint32).view(_WORDS[fmt.name]).astype(np.int64)
    held: Integers = (bits & np.uint64(fmt.mask)).astype(np.int64)
    if fmt.signed and fmt.bits < 64:
        sign = 1 << (fmt.bits - 1)
        held = (held ^ sign) - sign
    return held


def bits_of_integers(fmt: Format, values: Integers) -> Bits:
    """The low bits of each value, as many as ``fmt`` has."""
    return values.view(np.uint64) & np.uint64(fmt.mask)


def doubles_of(fmt: Format, bits: Bits) -> Doubles:
    """The values of a float format, all of them exact in float64."""
    if fmt.bits == 16:
        return _half_values(fmt.name).take(bits.astype(np.uint16))
    if fmt.name == "f64":
        return bits.view(np.float64).copy()
    if fmt.name == "f32":
        return _wide(bits.astype(np.uint32).view(np.float32))
    found: Doubles = _byte_values(fmt.name)[bits & np.uint64(0xFF)]
    return found


@np.errstate(invalid="ignore")  # a signalling NaN stays a NaN
def _wide(narrow: NDArray[np.floating[Any]]) -> Doubles:
    return narrow.astype(np.float64)


@cache
def _half_values(name: str) -> Doubles:
    """The values of all 65536 bit patterns of f16, or of bf16, which are the upper halves of those of f32."""
    bits = np.arange(1 << 16, dtype=np.uint32)
    narrow = bits.astype(np.uint16).view(np.float16) if name == "f16" else (bits << np.uint32(16)).view(np.float32)
    return _wide(narrow)


@cache
def _byte_values(name: str) -> Doubles:
    """The 256 values of an 8-bit float format, by its fields."""
    fmt = FORMATS[name]
    values = np.empty(256)
    for code in range(256):
        magnitude = code & ~fmt.sign_bit
        field, fraction = divmod(magnitude, 1 << fmt.fraction_bits)
        hidden = 1 << fmt.fraction_bits if field else 0
        value = (hidden + fraction) * 2.0 ** (max(field, 1) - fmt.bias - fmt.fraction_bits)
        if magnitude > fmt.largest_magnitude:
            value = np.inf if fmt.infinities and not fraction else np.nan
        values[code] = -value if code & fmt.sign_bit else value
    return values


def bits_of_doubles(fmt: Format, values: Doubles) -> Bits:
    """Each value rounded once to ``fmt``, to nearest, ties to even.

    Every NaN becomes the quiet NaN of the format with the sign clear, so that no payload depends on
    the order in which a processor meets its operands. Beyond the largest finite: Inf, or NaN where
    the format has no Inf.
    """
    raw = np.ascontiguousarray(values).view(np.uint64)
    magnitude = (raw & _SIZE).view(np.int64)
    code = magnitude if fmt.name == "f64" else _narrowed(fmt, magnitude)
    bits: Bits = np.minimum(code, fmt.largest_magnitude + 1).view(np.uint64)
    bits |= (raw >> _SIGN) << np.uint64(fmt.bits - 1)
    if magnitude.size and np.maximum.reduce(magnitude, axis=None) > _INFINITY:
        bits[magnitude > _INFINITY] = fmt.nan_bits
    return bits


def _narrowed(fmt: Format, magnitude: Integers) -> Integers:
    """Exponent and fraction of ``fmt`` as one integer, from those of a non-negative float64."""
    drop, lower = _FRACTION - fmt.fraction_bits, _BIAS - fmt.bias
    # Without so many low bits, to nearest, ties to even: half of the last place is added, less one if that is even. A
    # carry out of the fraction runs into the exponent field, which is what rounding up to the next binade means.
    found: Integers = (magnitude >> drop) & 1
    found += magnitude
    found += (1 << (drop - 1)) - 1 - (lower << _FRACTION)
    found >>= drop
    normal = (lower + 1) << _FRACTION
    if magnitude.size and np.minimum.reduce(magnitude, axis=None) < normal:
        return np.where(magnitude < normal, _below_normals(fmt, np.minimum(magnitude, normal)), found)
    return found


def _below_normals(fmt: Format, magnitude: Integers) -> Integers:
    """The same of what is not larger than the smallest normal of ``fmt``."""
    # A float64 of this size has its last place where the subnormals of the format have theirs.
    whole = np.float64(2.0 ** (fmt.qmin + _FRACTION))
    found: Integers = (magnitude.view(np.float64) + whole).view(np.int64)
    found -= whole.view(np.int64)
    return found
