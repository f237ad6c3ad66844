"""Bits to exact values, by integer code. No cast of numpy or of another package is involved."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from mmaspec.programs.formats import Format


@dataclass(frozen=True, slots=True)
class Finite:
    """The finite number (-1)^sign * significand * 2^exponent. Zeros keep their sign."""

    sign: int
    significand: int
    exponent: int


@dataclass(frozen=True, slots=True)
class Special:
    """An infinity or a NaN with its sign bit. A NaN's payload is not kept: no rule speaks about it."""

    kind: Literal["inf", "nan"]
    sign: int


def decode(fmt: Format, bits: int) -> Finite | Special:
    """Decode one code of `fmt`. Raises ValueError if `bits` does not fit the format."""
    if not 0 <= bits <= fmt.mask:
        raise ValueError(f"{bits:#x} is not a code of {fmt.name}")
    sign = int(bool(bits & fmt.sign_bit))
    if not fmt.is_float:
        return Finite(sign, (1 << fmt.bits) - bits if sign else bits, 0)
    magnitude = bits & ~fmt.sign_bit
    if magnitude > fmt.largest_magnitude:
        is_inf = fmt.infinities and magnitude == fmt.infinity_magnitude
        return Special("inf" if is_inf else "nan", sign)
    field, fraction = divmod(magnitude, 1 << fmt.fraction_bits)
    if field == 0:  # zeros and subnormals have no hidden bit
        return Finite(sign, fraction, fmt.qmin)
    return Finite(sign, fraction + (1 << fmt.fraction_bits), field - fmt.bias - fmt.fraction_bits)


def value(fmt: Format, bits: int) -> Fraction:
    """Exact value of a finite code. Raises ValueError on Inf and NaN, and on bits that do not fit."""
    number = decode(fmt, bits)
    if isinstance(number, Special):
        raise ValueError(f"{bits:#x} of {fmt.name} is {number.kind}, which has no finite value")  # noqa: TRY004
    magnitude = number.significand * Fraction(2) ** number.exponent
    return -magnitude if number.sign else magnitude


def is_subnormal_code(fmt: Format, bits: int) -> bool:
    """Whether one code is a subnormal: not zero, and below the smallest normal."""
    return fmt.is_float and 0 < bits & ~fmt.sign_bit < 1 << fmt.fraction_bits
