"""Values in words, for a reader of a finding."""

from __future__ import annotations

import math

from mmaspec.oracle.numerics.codec import Special, decode
from mmaspec.programs.formats import Format


def value_text(fmt: Format, bits: int) -> str:
    """A value for a reader: integers in decimal, floats in decimal and as a hexadecimal float literal."""
    found = decode(fmt, bits)
    if isinstance(found, Special):
        return f"{'-' if found.sign else ''}{found.kind}" if found.kind == "inf" else "nan"
    number = -found.significand if found.sign else found.significand
    if fmt.kind == "int":
        return str(number << found.exponent)
    exact = math.ldexp(number, found.exponent) if number or not found.sign else -0.0
    return f"{exact!r} ({exact.hex()})"


def hex_bits(fmt: Format, bits: int) -> str:
    """Bits as hexadecimal text of the format's width."""
    return f"{bits:0{(fmt.bits + 3) // 4}x}"
