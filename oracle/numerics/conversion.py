"""A value cast to another format: exact where it can be, and otherwise what nobody contradicts."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.numerics.elementwise import may_flush
from mmaspec.oracle.numerics.legal import Legal, Reason
from mmaspec.oracle.numerics.ordinals import Doubles, Flags, Ordinals, float64_of_ordinals
from mmaspec.oracle.numerics.position import truncated
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import Format


def convert(one: Legal, fmt: Format, rules: FloatRules) -> Legal:
    """Legal contents after a cast to ``fmt``; formats of at most 32 bits (ValueError otherwise).

    A value that ``fmt`` has is kept. To a float, any other becomes one of its two neighbours; beyond the largest
    finite one nothing is judged. To an integer, a value that is none, or that is out of range, is not judged.
    Subnormals may be flushed where the rules say so. NaN stays NaN among floats.
    """
    if max(one.fmt.bits, fmt.bits) > 32:
        raise ValueError(f"no contract for a cast from {one.fmt.name} to {fmt.name}")
    if one.fmt == fmt:
        return one
    must = one.lo > one.hi
    lo, hi = np.where(must, 0, one.lo), np.where(must, 0, one.hi)
    if one.fmt.is_float and rules.flush_inputs:
        lo, hi = may_flush(one.fmt, lo, hi)
    least, most = _values(one.fmt, lo), _values(one.fmt, hi)
    if fmt.is_float:
        new_lo, new_hi, silent = _to_float(fmt, least, most)
        if rules.flush_results:
            new_lo, new_hi = may_flush(fmt, new_lo, new_hi)
    else:
        new_lo, new_hi, silent = _to_integer(fmt, least, most)
        silent = silent | one.nan
    why = np.where(silent & (one.why == 0) & ~(must & fmt.is_float), np.uint8(Reason.SPEC_SILENT), one.why)
    nan = one.nan & fmt.is_float
    new_lo, new_hi = np.where(must, 1, new_lo), np.where(must, 0, new_hi)
    if rules.nan == "reported":
        why = np.where(nan & (why == 0), np.uint8(Reason.NAN_NOT_REQUIRED), why)
    free = why != 0
    new_lo, new_hi = np.where(free, fmt.min_ordinal, new_lo), np.where(free, fmt.max_ordinal, new_hi)
    return Legal.interval(fmt, new_lo, new_hi, nan, why)


def _values(fmt: Format, ordinals: Ordinals) -> Doubles:
    return float64_of_ordinals(fmt, ordinals) if fmt.is_float else ordinals.astype(np.float64)


def _to_float(fmt: Format, least: Doubles, most: Doubles) -> tuple[Ordinals, Ordinals, Flags]:
    ends = []
    for value, outward in ((least, -1), (most, 1)):
        found, rest = truncated(fmt, np.where(np.isinf(value), 0.0, np.abs(value)))
        found = found + (rest & (np.sign(value) == outward))
        found = np.where(np.isinf(value), fmt.infinity_magnitude, found)
        ends.append(np.where(value < 0, -found, found))
    top = float64_of_ordinals(fmt, np.array(fmt.largest_magnitude))
    beyond = np.isfinite(least) & (np.abs(least) > top) | np.isfinite(most) & (np.abs(most) > top)
    return ends[0], ends[1], beyond


def _to_integer(fmt: Format, least: Doubles, most: Doubles) -> tuple[Ordinals, Ordinals, Flags]:
    with np.errstate(invalid="ignore"):
        exact = (least == most) & (np.floor(least) == least)
    exact = exact & (least >= fmt.min_value) & (least <= fmt.max_value)
    found = np.where(exact, least, 0.0).astype(np.int64)
    return found, found, ~exact
