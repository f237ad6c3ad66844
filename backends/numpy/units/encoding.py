"""Bits to numpy numbers and back, for the arithmetic units; no numpy cast is trusted to round."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import FORMATS, Format

Doubles = NDArray[np.float64]
Integers = NDArray[np.int64]

_FRACTION = 52
"""Fraction bits of a float64."""
_BIAS = 1023


def integers_of(fmt: Format, bits: Bits) -> Integers:
    """The values of an integer format of at most 64 bits; u64 above 2^63 comes out modulo 2^64."""
    held: Integers = (bits & np.uint64(fmt.mask)).astype(np.int64)
    if fmt.signed and fmt.bits < 64:
        sign = 1 << (fmt.bits - 1)
        held = (held ^ sign) - sign
    return held


def bits_of_integers(fmt: Format, values: Integers) -> Bits:
    """The low bits of each value, as many as ``fmt`` has."""
    return values.astype(np.uint64) & np.uint64(fmt.mask)


def doubles_of(fmt: Format, bits: Bits) -> Doubles:
    """The values of a float format, all of them exact in float64."""
    if fmt.bits == 16:
        return _half_values(fmt.name).take(bits.astype(np.uint16))
    if fmt.name == "f64":
        return bits.view(np.float64).copy()
    if fmt.name == "f32":
        with np.errstate(invalid="ignore"):  # a signalling NaN stays a NaN
            return bits.astype(np.uint32).view(np.float32).astype(np.float64)
    found: Doubles = _byte_values(fmt.name)[bits & np.uint64(0xFF)]
    return found


@cache
def _half_values(name: str) -> Doubles:
    """The values of all 65536 bit patterns of f16, or of bf16, which are the upper halves of those of f32."""
    bits = np.arange(1 << 16, dtype=np.uint32)
    narrow = bits.astype(np.uint16).view(np.float16) if name == "f16" else (bits << np.uint32(16)).view(np.float32)
    with np.errstate(invalid="ignore"):  # a signalling NaN stays a NaN
        return narrow.astype(np.float64)


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
    magnitude = (raw & np.uint64(0x7FFF_FFFF_FFFF_FFFF)).view(np.int64)
    code = magnitude if fmt.name == "f64" else _narrowed(fmt, magnitude)
    bits: Bits = np.minimum(code, fmt.largest_magnitude + 1).view(np.uint64)
    bits |= (raw >> np.uint64(63)) << np.uint64(fmt.bits - 1)
    nan = np.isnan(values)
    if nan.any():
        bits[nan] = fmt.nan_bits
    return bits


def _narrowed(fmt: Format, magnitude: Integers) -> Integers:
    """Exponent and fraction of ``fmt`` as one integer, from those of a non-negative float64."""
    drop = _FRACTION - fmt.fraction_bits
    # A carry out of the fraction runs into the exponent field, which is what rounding up to the next binade means.
    found = _rounded(magnitude - ((_BIAS - fmt.bias) << _FRACTION), drop)
    small = magnitude < ((1 + _BIAS - fmt.bias) << _FRACTION)
    if small.any():
        found[small] = _below_normals(fmt, magnitude[small])
    return found


def _below_normals(fmt: Format, magnitude: Integers) -> Integers:
    """The same of what is smaller than every normal of ``fmt``."""
    drop = _FRACTION - fmt.fraction_bits
    exponent = (magnitude >> _FRACTION) - (_BIAS - fmt.bias)
    # The hidden bit is written out; 62 places or more leave nothing of 53 bits.
    kept = (magnitude & ((1 << _FRACTION) - 1)) | (1 << _FRACTION)
    return _rounded(kept, np.minimum(drop + 1 - exponent, 62))


def _rounded(kept: Integers, shift: int | Integers) -> Integers:
    """Without so many low bits, rounded to nearest, ties to even."""
    half_less_one = (np.int64(1) << (np.int64(shift) - 1)) - 1
    found: Integers = (kept + half_less_one + ((kept >> shift) & 1)) >> shift
    return found
