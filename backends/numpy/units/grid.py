"""Doubles cut or rounded to a grid, or to a narrower float format, in a given direction."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from mmaspec.backends.numpy.units.encoding import Doubles, Integers
from mmaspec.programs.formats import FORMATS, Format

Direction = Literal["nearest", "zero", "down"]
"""To nearest with ties to even, toward zero, toward minus infinity."""

_INFINITY = 0x7FF << 52
"""The bits of an infinity; those of NaN are above them."""

_SIZE, _ONE = np.uint64(0x7FFF_FFFF_FFFF_FFFF), np.uint64(1)
"""All bits of a float64 but its sign; the step between neighbours."""

_ROUND = {"nearest": np.rint, "zero": np.trunc, "down": np.floor}


def exponent(values: Doubles) -> Integers:
    """E with 2^E <= |value| < 2^(E+1); -1023, below every other one, for zero. No value may be subnormal."""
    found: Integers = (np.ascontiguousarray(values).view(np.int64) >> 52 & 0x7FF) - 1023
    return found


def power_of_two(exponents: Integers) -> Doubles:
    """2^E, for E from -1022 to 1023."""
    found: Doubles = np.ascontiguousarray(exponents + 1023 << 52).view(np.float64)
    return found


def on_grid(values: Doubles, grid: Integers, direction: Direction) -> Doubles:
    """Each value as a multiple of 2^grid; ``grid`` lies within +-1022."""
    whole: Doubles = _ROUND[direction](values * power_of_two(-grid))
    return whole * power_of_two(grid)


def last_place(values: Doubles, fmt: Format) -> Doubles:
    """The unit in the last place of ``fmt`` at each value, subnormals included; 2^1000 for infinities and NaN."""
    found: Doubles = (np.ascontiguousarray(values).view(np.int64) & 0x7FF << 52).view(np.float64)
    np.maximum(found, 2.0**fmt.emin, out=found)
    found *= 2.0**-fmt.fraction_bits
    return np.minimum(found, 2.0**1000, out=found)


class Extent(NamedTuple):
    """Between which powers of two some numbers of a format lie.

    largest  none is larger in size; infinite, or NaN, if some number is
    lowest   divides every one of them
    """

    largest: float
    lowest: float

    @property
    def finite(self) -> bool:
        """Whether all of the numbers are finite."""
        return self.largest < math.inf


def extent(fmt: Format, values: Doubles) -> Extent:
    """The extent of numbers of ``fmt``, of which there may be none; zeros are divided by everything."""
    # Without the sign, the order of their bits is that of their sizes; less one, those of zero are above all others.
    sizes = np.ascontiguousarray(values).view(np.uint64) & _SIZE
    if not sizes.size:
        return Extent(0.0, math.inf)
    largest = np.maximum.reduce(sizes, axis=None)
    sizes -= _ONE
    least = int(np.minimum.reduce(sizes, axis=None)) + 1
    lowest = math.inf if least >= _INFINITY else max(2.0 ** ((least >> 52) - 1023 - fmt.fraction_bits), 2.0**fmt.qmin)
    return Extent(float(largest.view(np.float64)), lowest)


def to_format(values: Doubles, fmt: Format, direction: Direction) -> Doubles:
    """Each value rounded once to ``fmt``, subnormals included; infinite where it lies beyond the range.

    Beyond the range is infinite in every direction: matrix units that cut sums off were seen to do so.
    Infinities and NaN stay.
    """
    unit = last_place(values, fmt)
    rounded: Doubles = _ROUND[direction](values / unit)
    rounded *= unit
    found: Doubles = np.where(np.abs(rounded) >= 2.0 ** (fmt.emax + 1), np.copysign(np.inf, values), rounded)
    return found


def exact_in_f32(left: Format, right: Format) -> bool:
    """Whether every product of two finite numbers of these formats is a float32."""
    f32 = FORMATS["f32"]
    narrow = left.precision + right.precision <= f32.precision
    return narrow and left.qmin + right.qmin >= f32.qmin and left.emax + right.emax + 2 <= f32.emax
