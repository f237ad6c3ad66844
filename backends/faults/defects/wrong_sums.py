"""Wrong values, as deviations of an arithmetic unit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.faults.defects.defective_unit import Deviation, Sum, cut, through
from mmaspec.backends.numpy.units.encoding import Integers, bits_of_doubles, bits_of_integers
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import FORMATS, Format


def _extended(values: Integers, bits: int) -> Integers:
    """The low bits, extended by sign."""
    half = 1 << (bits - 1)
    return ((values + half) & (2 * half - 1)) - half


def sums_of(bits: int) -> Deviation:
    """Integer results keep so many bits."""

    def deviation(call: Sum) -> Bits:
        a, b, c = call.integers()
        return bits_of_integers(call.accumulator, _extended(a @ b + c, bits))

    return deviation


def addends_of(bits: int) -> Deviation:
    """Integer accumulators have so many bits."""

    def deviation(call: Sum) -> Bits:
        a, b, c = call.integers()
        return bits_of_integers(call.accumulator, a @ b + _extended(c, bits))

    return deviation


def dots_of(bits: int) -> Deviation:
    """Sums of products are clamped to so many bits before they are added."""

    def deviation(call: Sum) -> Bits:
        a, b, c = call.integers()
        half = 1 << (bits - 1)
        return bits_of_integers(call.accumulator, np.clip(a @ b, -half, half - 1) + c)

    return deviation


def pairs_saturate(call: Sum) -> Bits:
    """Sums of two products are clamped to 16 bits."""
    a, b, total = call.integers()
    for k in range(0, call.depth, 2):
        total = total + np.clip(a[..., k : k + 2] @ b[..., k : k + 2, :], -0x8000, 0x7FFF)
    return bits_of_integers(call.accumulator, total)


def last_bit_lost(call: Sum) -> Bits:
    """The sum of products is even."""
    a, b, c = call.integers()
    return bits_of_integers(call.accumulator, (a @ b & ~1) + c)


def saturated(call: Sum) -> Bits:
    """Sums beyond the range stay at its ends."""
    return replace(call, overflow="saturate").done()


def upper_end_saturated(call: Sum) -> Bits:
    """Sums above the range stay at its end, those below wrap."""
    a, b, c = call.integers()
    return bits_of_integers(call.accumulator, np.minimum(a @ b + c, call.accumulator.max_value))


def lower_end_saturated(call: Sum) -> Bits:
    """Sums below the range stay at its end, those above wrap."""
    a, b, c = call.integers()
    return bits_of_integers(call.accumulator, np.maximum(a @ b + c, call.accumulator.min_value))


def negative_is_zero(call: Sum) -> Bits:
    """Results are not negative."""
    found = call.done()
    return np.where(found & np.uint64(call.accumulator.sign_bit) != 0, np.uint64(0), found)


def subtracted(call: Sum) -> Bits:
    """The accumulator is subtracted."""
    fmt = call.accumulator
    negative = call.c ^ np.uint64(fmt.sign_bit)
    return replace(call, c=negative if fmt.is_float else bits_of_integers(fmt, -call.integers()[2])).done()


def sums_through(narrow: str) -> Deviation:
    """Results are rounded to another format."""

    def deviation(call: Sum) -> Bits:
        return through(call.accumulator, call.done(), narrow)

    return deviation


def addends_through(narrow: str) -> Deviation:
    """Accumulators are rounded to another format."""

    def deviation(call: Sum) -> Bits:
        return replace(call, c=through(call.accumulator, call.c, narrow)).done()

    return deviation


def four_bits(call: Sum) -> Bits:
    """Results have four significant bits."""
    return cut(call.accumulator, call.done(), 4)


def integers_for_codes(call: Sum) -> Bits:
    """A's shorts are converted to numbers of the format that they should carry."""
    fmt = FORMATS[call.formats[0]]
    return replace(call, a=bits_of_doubles(fmt, _extended(call.a.astype(np.int64), 16).astype(np.float64))).done()


def nan_is_zero(call: Sum) -> Bits:
    """NaN results are zero."""
    found = call.done()
    return np.where(_nan(call.accumulator, found), np.uint64(0), found)


def nan_in_b_is_zero(call: Sum) -> Bits:
    """A NaN in B is zero."""
    return replace(call, b=np.where(_nan(FORMATS[call.formats[1]], call.b), np.uint64(0), call.b)).done()


def nan_is_infinite(call: Sum) -> Bits:
    """NaN results are infinite."""
    found = call.done()
    return np.where(_nan(call.accumulator, found), np.uint64(call.accumulator.infinity_magnitude), found)


def _nan(fmt: Format, bits: Bits) -> NDArray[np.bool_]:
    return (bits & np.uint64(fmt.mask & ~fmt.sign_bit)) > np.uint64(fmt.infinity_magnitude)
