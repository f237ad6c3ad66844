"""Classes of bit patterns, and how an exact number lies among those of a format."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.numerics.ordinals import is_nan, to_ordinal
from mmaspec.programs.formats import Format
from mmaspec.strategies.nv_coopmat2.observations.facts import every

Bits = NDArray[np.uint64]
NEAR = 6
"""Bits of a half that a number just beside midway shares with it."""


def certain(legal: Legal) -> Bits:
    """The exact bits of a set, each once, without those that are not certain."""
    bits, sure = legal.certain_bits()
    if legal.nan.any():  # a computed NaN has no bits, but it is one
        bits, sure = bits.copy(), sure.copy()
        lost = (legal.lo > legal.hi) & legal.nan & (legal.why == 0) & ~sure
        bits[lost], sure[lost] = legal.fmt.nan_bits, True
    found: Bits = np.unique(bits[sure])
    return found


def spread(bits: Bits, most: int) -> Bits:
    """About so many of the patterns, evenly from all."""
    return bits[:: max(1, bits.size // most)]


def float_classes(fmt: Format, bits: Bits) -> tuple[str, ...]:
    """The special values among patterns of a float format."""
    sign, top = np.uint64(fmt.sign_bit), np.uint64(fmt.infinity_magnitude)
    magnitude = bits & ~sign
    one = np.uint64(fmt.bias << fmt.fraction_bits)
    fraction = magnitude & np.uint64((1 << fmt.fraction_bits) - 1)
    normal = np.uint64(1 << fmt.fraction_bits)
    finite, nan = magnitude < top, magnitude > top
    quiet = np.uint64(1 << (fmt.fraction_bits - 1))
    low = fraction & np.uint64((1 << (fmt.fraction_bits // 2)) - 1)
    return every(
        ("zero", (bits == 0).any()),
        ("minus-zero", (bits == sign).any()),
        ("one", (magnitude == one).any()),
        ("power", ((fraction == 0) & finite & (magnitude >= normal)).any()),
        ("full-significand", ((fraction == normal - np.uint64(1)) & finite & (magnitude >= normal)).any()),
        ("one-ulp-above-one", ((magnitude == one + np.uint64(1)) | (magnitude == one - np.uint64(1))).any()),
        ("least-normal", (magnitude == normal).any()),
        ("largest-subnormal", (magnitude == normal - np.uint64(1)).any()),
        ("least-subnormal", (magnitude == 1).any()),
        ("largest-finite", (magnitude == np.uint64(fmt.largest_magnitude)).any()),
        ("infinity", (bits == top).any()),
        ("minus-infinity", (bits == top | sign).any()),
        ("quiet-nan", (nan & (fraction & quiet > 0)).any()),
        ("signalling-nan", (nan & (fraction & quiet == 0)).any()),
        ("low-payload-nan", (nan & (fraction == low)).any()),
        ("negative-nan", (nan & (bits >= sign)).any()),
        ("all-bits-nan", (bits == np.uint64(fmt.mask)).any()),
    )


def integer_classes(fmt: Format, bits: Bits) -> tuple[str, ...]:
    """The special values among patterns of an integer format."""
    high, mask = 1 << (fmt.bits - 1), fmt.mask
    count = fmt.nbytes
    each = [(bits >> np.uint64(8 * byte)) & np.uint64(255) for byte in range(count)]
    differ = np.ones(bits.shape, np.bool_)
    for a in range(count):
        for b in range(a):
            differ &= each[a] != each[b]
    power = (bits & (bits - np.uint64(1)) == 0) & (bits > 0)
    values = np.abs(to_ordinal(fmt, bits))
    odd = values >> np.int64(0)
    spread = np.array([int(v) // (int(v) & -int(v)) >= 1 << 24 if v else False for v in odd.ravel()])
    return every(
        ("zero", (bits == 0).any()),
        ("one", (bits == 1).any()),
        ("minus-one", (bits == mask).any()),
        ("least", fmt.signed and (bits == high).any()),
        ("least-plus-one", fmt.signed and (bits == high + 1).any()),
        ("largest", (bits == (high - 1 if fmt.signed else mask)).any()),
        ("top-bit", not fmt.signed and (bits == high).any()),
        ("signed-limit", not fmt.signed and (bits == high - 1).any()),
        ("power", power.any()),
        ("bytes-differ", count > 1 and differ.any()),
        ("low-byte-zero", count > 1 and ((each[0] == 0) & (bits > 0)).any()),
        ("beyond-24-bits", fmt.bits > 24 and spread.any()),
    )


@dataclass(frozen=True, slots=True)
class Scale:
    """Exact numbers as integers in units of ``2**unit``."""

    unit: int

    def of(self, fmt: Format, bits: int) -> int | None:
        """The number of a code; None for an infinity or a NaN."""
        if not fmt.is_float:
            value = bits - (1 << fmt.bits) if bits & fmt.sign_bit else bits
            return value << -self.unit
        magnitude = bits & ~fmt.sign_bit
        if magnitude > fmt.largest_magnitude:
            return None
        field, fraction = divmod(magnitude, 1 << fmt.fraction_bits)
        if field:
            fraction |= 1 << fmt.fraction_bits
        value = fraction << (max(field, 1) - 1 + fmt.qmin - self.unit)
        return -value if bits & fmt.sign_bit else value


@cache
def _largest(fmt: Format, unit: int) -> int:
    significand, exponent = fmt.largest
    return significand << (exponent - unit)


@cache
def _overflow(fmt: Format, unit: int) -> int:
    significand, exponent = fmt.largest
    return (2 * significand + 1) << (exponent - unit - 1)


@dataclass(frozen=True)
class Lies:
    """How an exact number lies among the numbers of a float format."""

    fmt: Format
    number: int
    """In units of 2**unit."""
    unit: int

    @cached_property
    def quantum(self) -> int:
        """The distance of neighbours there, in units; 1 at least."""
        length = abs(self.number).bit_length()
        return 1 << max(length - self.fmt.precision, self.fmt.qmin - self.unit, 0)

    @cached_property
    def rest(self) -> int:
        """What rounding toward zero cuts."""
        return abs(self.number) % self.quantum

    @property
    def largest(self) -> int:
        """The largest finite number."""
        return _largest(self.fmt, self.unit)

    @property
    def least_normal(self) -> int:
        """The least normal number."""
        return 1 << (self.fmt.emin - self.unit)

    @property
    def exact(self) -> bool:
        """Whether the format holds it."""
        return not self.rest and abs(self.number) <= self.largest

    @property
    def tie(self) -> bool:
        """Whether it is midway between neighbours."""
        return self.rest > 0 and 2 * self.rest == self.quantum

    @property
    def near_tie(self) -> bool:
        """Whether it is just beside midway."""
        return self.rest > 0 and 0 < abs(2 * self.rest - self.quantum) <= self.quantum >> NEAR

    @property
    def overflow(self) -> bool:
        """Whether it lies beyond what rounds to the largest finite number."""
        return abs(self.number) >= _overflow(self.fmt, self.unit)

    @property
    def subnormal(self) -> bool:
        """Whether it is a subnormal, or between some."""
        return 0 < abs(self.number) < self.least_normal

    @property
    def below_least(self) -> bool:
        """Whether it is below the least subnormal."""
        return 0 < abs(self.number) < 1 << (self.fmt.qmin - self.unit)


def special_kinds(fmt: Format, bits: Bits) -> tuple[str, ...]:
    """What of infinities, NaN, subnormals and zeros there is among patterns."""
    ordinal = np.abs(to_ordinal(fmt, bits))
    nan = is_nan(fmt, bits)
    least = 1 << fmt.fraction_bits
    return every(
        ("infinity", fmt.is_float and ((ordinal == fmt.max_ordinal) & ~nan).any()),
        ("nan", nan.any()),
        ("subnormal", fmt.is_float and ((ordinal > 0) & (ordinal < least)).any()),
    )
