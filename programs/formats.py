"""The number formats as rows of data. No code here interprets bits, so that backends may import it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Literal


@dataclass(frozen=True)
class Format:
    """One number format. Widths are in bits; exponents are powers of two.

    A finite float is (-1)^sign * significand * 2^exponent. The fields of a float follow IEEE 754 order:
    sign, exponent, fraction. Integers are two's complement where signed.

    `nans` says which codes are NaN: "ieee" (top exponent, fraction not zero), "all-ones" (every exponent and
    fraction bit set, the top exponent being otherwise ordinary), or "none".
    """

    name: str
    bits: int
    kind: Literal["float", "int"]
    signed: bool
    exponent_bits: int = 0
    fraction_bits: int = 0
    bias: int = 0
    infinities: bool = False
    nans: Literal["none", "ieee", "all-ones"] = "none"

    @cached_property
    def is_float(self) -> bool:
        """Whether this is a floating-point format."""
        return self.kind == "float"

    @cached_property
    def precision(self) -> int:
        """Significand bits of a normal float, the hidden one included."""
        return self.fraction_bits + 1

    @cached_property
    def emin(self) -> int:
        """Exponent of the smallest normal float, 2^emin."""
        return 1 - self.bias

    @cached_property
    def qmin(self) -> int:
        """Exponent of the quantum: every finite float is an integer times 2^qmin."""
        return self.emin - self.fraction_bits

    @cached_property
    def emax(self) -> int:
        """Exponent of the largest finite float: 2^emax <= Omega < 2^(emax + 1)."""
        return (self.largest_magnitude >> self.fraction_bits) - self.bias

    @cached_property
    def sign_bit(self) -> int:
        """Mask of the sign bit; 0 for an unsigned format."""
        return 1 << (self.bits - 1) if self.signed else 0

    @cached_property
    def mask(self) -> int:
        """All bits of the format set."""
        return (1 << self.bits) - 1

    @cached_property
    def largest_magnitude(self) -> int:
        """Exponent and fraction bits of the largest finite float, read as one integer."""
        top = (1 << (self.exponent_bits + self.fraction_bits)) - 1
        if self.infinities or self.nans == "ieee":
            return top - (1 << self.fraction_bits)
        return top - 1 if self.nans == "all-ones" else top

    @cached_property
    def infinity_magnitude(self) -> int:
        """Exponent and fraction bits of Inf as one integer, one above the largest finite. ValueError without Inf."""
        if not self.infinities:
            raise ValueError(f"{self.name} has no infinities")
        return self.largest_magnitude + 1

    @cached_property
    def largest(self) -> tuple[int, int]:
        """Omega, the largest finite float, as (significand, exponent): significand * 2^exponent."""
        field = self.largest_magnitude >> self.fraction_bits
        fraction = self.largest_magnitude & ((1 << self.fraction_bits) - 1)
        return fraction | 1 << self.fraction_bits, field - self.bias - self.fraction_bits

    @cached_property
    def nan_bits(self) -> int:
        """The quiet NaN of the format with the sign clear. ValueError if it has none."""
        if self.nans == "ieee":
            return self.largest_magnitude + 1 | 1 << (self.fraction_bits - 1)
        if self.nans == "all-ones":
            return self.largest_magnitude + 1
        raise ValueError(f"{self.name} has no NaN")

    @cached_property
    def min_value(self) -> int:
        """Smallest value of an integer format."""
        return -(1 << (self.bits - 1)) if self.signed else 0

    @cached_property
    def max_value(self) -> int:
        """Largest value of an integer format."""
        return (1 << (self.bits - 1)) - 1 if self.signed else (1 << self.bits) - 1

    @cached_property
    def min_ordinal(self) -> int:
        """Smallest ordinal: -Inf (or the most negative finite) of a float, the smallest integer (shift included)."""
        return -self.max_ordinal if self.is_float else self.min_value - self.ordinal_shift

    @cached_property
    def max_ordinal(self) -> int:
        """Largest ordinal: +Inf, or the largest finite where there is no Inf; the largest integer (shift included)."""
        if self.is_float:
            return self.largest_magnitude + int(self.infinities)
        return self.max_value - self.ordinal_shift

    @cached_property
    def ordinal_shift(self) -> int:
        """Value minus ordinal of an integer format: 2^63 for u64, so that its ordinals fit int64, else 0."""
        return 1 << 63 if self.kind == "int" and not self.signed and self.bits == 64 else 0

    @cached_property
    def nbytes(self) -> int:
        """Bytes of one stored element, at least 1 (4-bit formats have their packing decided elsewhere)."""
        return max(1, self.bits // 8)


def _float(name: str, exponent_bits: int, fraction_bits: int) -> Format:
    bits = 1 + exponent_bits + fraction_bits
    bias = (1 << (exponent_bits - 1)) - 1
    return Format(name, bits, "float", True, exponent_bits, fraction_bits, bias, True, "ieee")


def _int(bits: int, signed: bool) -> Format:
    return Format(f"{'s' if signed else 'u'}{bits}", bits, "int", signed)


_ROWS = (
    _float("f16", 5, 10),
    _float("bf16", 8, 7),
    _float("f32", 8, 23),
    _float("f64", 11, 52),
    _float("e5m2", 5, 2),
    Format("e4m3", 8, "float", True, 4, 3, 7, False, "all-ones"),
    *(_int(bits, signed) for signed in (True, False) for bits in (4, 8, 16, 32, 64)),
)

FORMATS: Mapping[str, Format] = MappingProxyType({row.name: row for row in _ROWS})
"""Every known format by name: f16 bf16 f32 f64 e5m2 e4m3, s4 to s64, u4 to u64."""


def format_named(name: str) -> Format:
    """Look up a format. Raises KeyError with the known names where there is none."""
    try:
        return FORMATS[name]
    except KeyError:
        raise KeyError(f"no format {name!r}; known: {', '.join(FORMATS)}") from None
