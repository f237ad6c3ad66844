"""Doubles cut or rounded to a grid, or to a narrower float format, in a given direction."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from mmaspec.backends.numpy.units.encoding import Doubles, Integers
from mmaspec.programs.formats import FORMATS, Format

Direction = Literal["nearest", "zero", "down"]
"""To nearest with ties to even, toward zero, toward minus infinity."""

_INFINITY = 0x7FF << 52
"""The bits of an infinity; those of NaN are above them."""

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


def lowest_bit(sizes: Doubles, fmt: Format) -> float:
    """A power of two that divides every number of ``fmt`` with one of these sizes, zeros aside."""
    # The order of their bits is that of the numbers; less one, those of zero are above all others.
    least = int((np.ascontiguousarray(sizes).view(np.uint64) - np.uint64(1)).min(initial=_INFINITY)) + 1
    return math.inf if least >= _INFINITY else max(2.0 ** ((least >> 52) - 1023 - fmt.fraction_bits), 2.0**fmt.qmin)


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
