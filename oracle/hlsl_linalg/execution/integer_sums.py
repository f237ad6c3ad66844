"""Sums of products of integers of any width, exactly, and what is left of them beyond the range of a type."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.hlsl_linalg.open_points import OVERFLOW, SATURATE, SATURATE_STEPS, UNDEFINED, WRAP
from mmaspec.oracle.numerics.integer import Overflow, multiply_add_int
from mmaspec.oracle.numerics.integer_dot import MAX_K
from mmaspec.oracle.numerics.legal import Legal, Reason
from mmaspec.oracle.numerics.ordinals import Bits, to_ordinal
from mmaspec.oracle.readings import Readings
from mmaspec.programs.formats import Format

WIDEST = 32
"""Bits of factors and accumulators whose sums fit machine integers; of others, Python's are used."""

Whole = NDArray[Any]
"""Arrays of Python integers."""

_ONCE = {WRAP: Overflow.WRAP, SATURATE: Overflow.SATURATE}


def integer_product(a_fmt: Format, a: Bits, b_fmt: Format, b: Bits, c: Legal, readings: Readings) -> Legal:
    """A * B + C in the integer format of C: exact (LINALG-INT-EXACT), each operand read with its own sign.

    Beyond the range of C it is as LINALG-AMB-17 is read, which is asked only where some order of the terms, or the
    exact sum, leaves the range.
    """
    if max(a_fmt.bits, b_fmt.bits, c.fmt.bits) > WIDEST or a.shape[-1] > MAX_K:
        return _by_python(a_fmt, a, b_fmt, b, c, readings)
    total = multiply_add_int(a_fmt=a_fmt, a=a, b_fmt=b_fmt, b=b, c=c, overflow=Overflow.SATURATE_STEP)
    if not total.overflowed.any():
        return total.legal
    reading = readings.choose(OVERFLOW)
    if reading == SATURATE_STEPS:
        return total.legal
    if reading == UNDEFINED:
        return total.legal.not_judged(total.overflowed, Reason.SPEC_SILENT)
    return multiply_add_int(a_fmt=a_fmt, a=a, b_fmt=b_fmt, b=b, c=c, overflow=_ONCE[reading]).legal


def _by_python(a_fmt: Format, a: Bits, b_fmt: Format, b: Bits, c: Legal, readings: Readings) -> Legal:
    left, right = whole_numbers(a_fmt, to_ordinal(a_fmt, a)), whole_numbers(b_fmt, to_ordinal(b_fmt, b))
    positive = _products(left, right, 1)
    negative = _products(left, right, -1)
    shape = np.broadcast_shapes(positive.shape, c.shape)
    c = c.broadcast_to(shape)
    return added(np.broadcast_to(positive, shape), np.broadcast_to(negative, shape), c, readings)


def _products(left: Whole, right: Whole, sign: int) -> Whole:
    """The sums of the products of one sign."""
    a, b = np.maximum(left, 0), np.minimum(left, 0)
    c, d = np.maximum(right, 0), np.minimum(right, 0)
    found: Whole = a @ c + b @ d if sign > 0 else a @ d + b @ c
    return found


def whole_numbers(fmt: Format, ordinals: NDArray[np.int64]) -> Whole:
    """The values of ordinals of an integer format as Python integers."""
    found: Whole = ordinals.astype(object) + fmt.ordinal_shift
    return found


def terms_of(fmt: Format, ordinals: NDArray[np.int64]) -> Whole:
    """The values of ordinals of an integer format, so wide that sums of them are exact."""
    return ordinals if fmt.bits <= WIDEST else whole_numbers(fmt, ordinals)


def added(positive: Whole, negative: Whole, c: Legal, readings: Readings) -> Legal:
    """C and terms whose positive and negative sums are given, added in any order: in the format of C.

    The sums are Python integers, or of 64 bits where the format has at most 32.
    """
    fmt = c.fmt
    lo, hi = c.lo.astype(positive.dtype) + fmt.ordinal_shift, c.hi.astype(positive.dtype) + fmt.ordinal_shift
    least, most = fmt.min_value, fmt.max_value
    x = positive + negative
    low, high = x + lo, x + hi
    over = positive + np.maximum(hi, 0) > most
    under = negative + np.minimum(lo, 0) < least
    outside = np.asarray((over | under), np.bool_) & (c.why == 0)
    why = c.why
    if outside.any():
        reading = readings.choose(OVERFLOW)
        if reading == WRAP:
            turn, last = (low - least) // (1 << fmt.bits), (high - least) // (1 << fmt.bits)
            low, high = low - turn * (1 << fmt.bits), high - last * (1 << fmt.bits)
            why = np.where(np.asarray(turn != last, np.bool_) & (why == 0), np.uint8(Reason.INEXACT_OPERAND), why)
        elif reading == UNDEFINED:
            why = np.where(outside & (why == 0), np.uint8(Reason.SPEC_SILENT), why)
        elif reading == SATURATE_STEPS:
            low, high = _stepwise(positive, negative, lo, hi, least, most)
    low, high = np.clip(low, least, most) - fmt.ordinal_shift, np.clip(high, least, most) - fmt.ordinal_shift
    free = why != 0
    new_lo = np.where(free, fmt.min_ordinal, low.astype(np.int64))
    new_hi = np.where(free, fmt.max_ordinal, high.astype(np.int64))
    return Legal.interval(fmt, new_lo, new_hi, why=why)


def _stepwise(positive: Whole, negative: Whole, lo: Whole, hi: Whole, least: int, most: int) -> tuple[Whole, Whole]:
    """What is left where every partial sum is clamped too, in any order; with the reasons of `numerics.integer`."""
    ends = []
    both = np.zeros(positive.shape, np.bool_)
    for c in (lo, hi):
        p, m = positive + np.maximum(c, 0), negative + np.minimum(c, 0)
        over, under = np.asarray(p > most, np.bool_), np.asarray(m < least, np.bool_)
        clamped = np.clip(p + m, least, most)
        low = np.where(over, np.minimum(clamped, most + m), clamped)
        high = np.where(under, np.maximum(clamped, least + p), clamped)
        both |= over & under
        ends.append((low, high))
    return np.where(both, least, ends[0][0]), np.where(both, most, ends[1][1])
