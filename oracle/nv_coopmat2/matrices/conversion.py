"""KHRCM-CONVERT: converting every component to another type, as the scalar conversions of SPIR-V do."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.numerics.elementwise import may_flush
from mmaspec.oracle.numerics.legal import Legal, Reason, Reasons, where
from mmaspec.oracle.numerics.ordinals import Doubles, Flags, Ordinals, float64_of_ordinals, from_ordinal, to_ordinal
from mmaspec.oracle.numerics.position import truncated
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.oracle.nv_coopmat2.matrices.doubles import shortened
from mmaspec.programs.formats import Format

Ends = tuple[Ordinals, Ordinals, Flags]
"""Smallest and largest ordinal of each element, and where nothing is promised."""


def converted(one: Legal, fmt: Format, rules: FloatRules) -> Legal:
    """Legal contents after a conversion to ``fmt``.

    Between integers the low bits stay, extended by the sign of the source. A float takes what an integer or another
    float is where it can, else either neighbour; beyond its largest finite number nothing is judged. A float becomes
    an integer toward zero; out of range, NaN included, nothing is judged. Subnormals may be flushed.
    """
    if one.fmt == fmt:
        return kept(one, rules)
    must = one.lo > one.hi
    lo, hi = np.where(must, 0, one.lo), np.where(must, 0, one.hi)
    if one.fmt.is_float and rules.flush_inputs:
        lo, hi = may_flush(one.fmt, lo, hi)
    if one.fmt.name == "f64":  # KHRCM-F64
        lo, hi = shortened(lo, hi, rules)
    why: Reasons
    if not one.fmt.is_float and not fmt.is_float:
        new_lo, new_hi, several = _low_bits(fmt, lo, hi)
        why = _reason(one.why, several, Reason.INEXACT_OPERAND)
    elif fmt.is_float:
        new_lo, new_hi, silent = _to_float(fmt, doubles(one.fmt, lo), doubles(one.fmt, hi))
        if fmt.name == "f64":
            new_lo, new_hi = shortened(new_lo, new_hi, rules)
        if rules.flush_results:
            new_lo, new_hi = may_flush(fmt, new_lo, new_hi)
        why = _reason(one.why, silent & ~must, Reason.SPEC_SILENT)
        if rules.nan == "reported":
            why = _reason(why, one.nan, Reason.NAN_NOT_REQUIRED)
    else:
        new_lo, new_hi, silent = _toward_zero(fmt, doubles(one.fmt, lo), doubles(one.fmt, hi))
        why = _reason(one.why, silent | one.nan, Reason.SPEC_SILENT)
    nan = one.nan & fmt.is_float
    free, none = why != 0, must & fmt.is_float
    new_lo = np.where(free, fmt.min_ordinal, np.where(none, 1, new_lo))
    new_hi = np.where(free, fmt.max_ordinal, np.where(none, 0, new_hi))
    return Legal.interval(fmt, new_lo, new_hi, nan, why)


def kept(one: Legal, rules: FloatRules) -> Legal:
    """Elements that an instruction passes on; unlike a load or a store it may flush subnormals on the way."""
    if not one.fmt.is_float or not (rules.flush_inputs or rules.flush_results):
        return one
    lo, hi = may_flush(one.fmt, one.lo, one.hi)
    wider = (lo < one.lo) | (hi > one.hi)
    return where(wider, Legal.interval(one.fmt, lo, hi, one.nan, one.why), one) if wider.any() else one


def doubles(fmt: Format, ordinals: Ordinals) -> Doubles:
    """Values of ordinals of any component type as float64, exactly."""
    if not fmt.is_float:
        return ordinals.astype(np.float64)
    if fmt.bits == 64:
        return from_ordinal(fmt, ordinals).view(np.float64)
    return float64_of_ordinals(fmt, ordinals)


def _reason(why: Reasons, where: Flags, reason: Reason) -> Reasons:
    return np.where(where & (why == 0), np.uint8(reason), why)


def _low_bits(fmt: Format, lo: Ordinals, hi: Ordinals) -> Ends:
    """The low bits of a set of integers, in ``fmt``; a set that wraps around is no longer one interval."""
    turn, last = (lo - fmt.min_value) >> fmt.bits, (hi - fmt.min_value) >> fmt.bits
    return lo - (turn << fmt.bits), hi - (last << fmt.bits), turn != last


def _to_float(fmt: Format, least: Doubles, most: Doubles) -> Ends:
    """The value itself, or its neighbours."""
    if fmt.bits == 64:
        low, high = (to_ordinal(fmt, np.ascontiguousarray(end).view(np.uint64)) for end in (least, most))
        return low, high, np.zeros(low.shape, np.bool_)
    ends = []
    beyond = np.zeros(least.shape, np.bool_)
    for value, outward in ((least, -1), (most, 1)):
        infinite = np.isinf(value)
        found, rest = truncated(fmt, np.where(infinite, 0.0, np.abs(value)))
        beyond |= (found == fmt.largest_magnitude) & rest & ~infinite
        found = np.where(infinite, fmt.infinity_magnitude, found + (rest & (np.sign(value) == outward)))
        ends.append(np.where(value < 0, -found, found))
    return ends[0], ends[1], beyond


def _toward_zero(fmt: Format, least: Doubles, most: Doubles) -> Ends:
    """Whole numbers toward zero. No document says what a number between -1 and 0 gives as unsigned."""
    silent: Flags = ~np.isfinite(least) | ~np.isfinite(most)
    silent |= (least < 0) if not fmt.signed else (np.trunc(least) < fmt.min_value)
    silent |= np.trunc(most) > fmt.max_value
    whole = [np.trunc(np.where(silent, 0.0, end)).astype(np.int64) for end in (least, most)]
    return whole[0], whole[1], silent
