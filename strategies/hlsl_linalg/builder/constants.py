"""Constants in the bits of a format."""

from __future__ import annotations

from fractions import Fraction

from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.hlsl_linalg.components import SCALARS
from mmaspec.strategies.choices import Choices

SMALL = (0, 1, 2, 3, 5, -1, -2, -3, 7)
LARGE = (100, 127, 128, 129, -128, -129, 255, 256, 257, 449, 464, 480, -500, 2049, 4097, 32767, 65535, 70000, -70000)
"""At and beyond the ends of narrow types, and between numbers that narrow floats have."""
HALVES = (1, 3, 5, 7, -1, -3, -5, 9, 255, 257)
"""Halves of numbers: as many as these."""


def constant(draw: Choices, scalar: str, *, plain: bool = False) -> int:
    """The bits of a value of an HLSL type: small, between integers, at or beyond the ends of narrower types.

    ``plain``: small, so that sums of them are exact.
    """
    fmt = FORMATS[SCALARS[scalar]]
    if plain:
        return encoded(fmt, draw.one_of(SMALL))
    kind = draw.weighted(((3, "small"), (3, "large"), (2, "half"), (2, "end"), (2, "any")))
    if kind == "small":
        return encoded(fmt, draw.one_of(SMALL))
    if kind == "large":
        return encoded(fmt, draw.one_of(LARGE))
    if kind == "half" and fmt.is_float:
        return encoded(fmt, Fraction(draw.one_of(HALVES), 2))
    if kind == "end":
        return draw.one_of(_ends(fmt))
    bits = draw.integer(0, (1 << 30) - 1) * 0x4_0000_0003 & fmt.mask
    return bits & ~_special(fmt) if fmt.is_float else bits


def _special(fmt: Format) -> int:
    """One bit of the exponent, without which nothing is an infinity or NaN."""
    return 1 << (fmt.fraction_bits + 1)


def _ends(fmt: Format) -> tuple[int, ...]:
    """The least and greatest numbers, zeros and infinities."""
    if not fmt.is_float:
        top = fmt.mask >> 1
        return (top, top + 1, fmt.mask, fmt.mask - 1, 0)
    infinity, sign = fmt.infinity_magnitude, fmt.sign_bit
    return (fmt.largest_magnitude, infinity, infinity | sign, sign, 1 << fmt.fraction_bits, 1)


def encoded(fmt: Format, value: int | Fraction) -> int:
    """The bits of a number; of a float those of the next one towards zero, of an integer modulo its range."""
    if not fmt.is_float:
        return int(value) & fmt.mask
    if value == 0:
        return 0
    sign, size = (fmt.sign_bit if value < 0 else 0), abs(Fraction(value))
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    if exponent > fmt.emax:
        return sign | fmt.largest_magnitude
    fraction = int((size / Fraction(2) ** exponent - 1) * (1 << fmt.fraction_bits))
    return sign | fmt.bias + exponent << fmt.fraction_bits | fraction
