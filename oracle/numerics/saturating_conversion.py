"""A value converted to another format by rules that saturate: those of the HLSL linear algebra proposal.

The definition for one element is `definition.conversion`; here it is for whole arrays, and for sets.
"""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.numerics.elementwise import may_flush
from mmaspec.oracle.numerics.exact_values import Values, float_magnitudes, values_of, whole_numbers
from mmaspec.oracle.numerics.legal import Legal, Reason
from mmaspec.oracle.numerics.ordinals import Bits, Flags, Ordinals
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import Format
from mmaspec.programs.rounding_mode import Mode


def convert_saturating(one: Legal, fmt: Format, rules: FloatRules) -> Legal:
    """Legal contents after a conversion to ``fmt``, of any formats.

    To an integer: the nearest one, of two the even one, and no further than the ends of the range; NaN is not judged.
    From an integer to a float: the nearest value, ties to even. Between floats: the value itself, else either
    neighbour (only the nearest where ``rules.rounding`` is to nearest-even). Beyond the largest finite value that one,
    Inf and, from floats, NaN are alike; a format without Inf has NaN in its place. Subnormals may be flushed where the
    rules say so. Sets are mapped end by end, outward. The same format changes nothing.
    """
    if one.fmt == fmt:
        return one
    must = one.lo > one.hi
    nothing = 0 if one.fmt.is_float else one.fmt.min_ordinal
    lo = np.where(must, nothing, one.lo)
    # Mostly each set is of one number, so that both ends are the same.
    hi = lo if np.array_equal(one.lo, one.hi) else np.where(must, nothing, one.hi)
    if not fmt.is_float:
        least = _to_integer(one.fmt, fmt, lo)
        most = least if hi is lo else _to_integer(one.fmt, fmt, hi)
        why = np.where(one.nan & (one.why == 0), np.uint8(Reason.SPEC_SILENT), one.why)
        free = why != 0
        least, most = np.where(free, fmt.min_ordinal, least), np.where(free, fmt.max_ordinal, most)
        return Legal.interval(fmt, least, most, why=why)
    if one.fmt.is_float and rules.flush_inputs:
        flushed = may_flush(one.fmt, lo, hi)
        lo, hi = (lo, lo) if hi is lo and _same(flushed, lo) else flushed
    nearest = not one.fmt.is_float or rules.rounding is Mode.NEAREST_EVEN
    first = _to_float(one.fmt, fmt, lo, nearest=nearest)
    least, _, over = first
    _, most, over_too = first if hi is lo else _to_float(one.fmt, fmt, hi, nearest=nearest)
    nan = one.nan | ((over | over_too) & ~must)
    if rules.flush_results:
        least, most = may_flush(fmt, least, most)
    least, most = np.where(must, 1, least), np.where(must, 0, most)
    why = one.why
    if rules.nan == "reported":
        why = np.where(nan & (why == 0), np.uint8(Reason.NAN_NOT_REQUIRED), why)
    free = why != 0
    least, most = np.where(free, fmt.min_ordinal, least), np.where(free, fmt.max_ordinal, most)
    return Legal.interval(fmt, least, most, nan, why)


def _same(ends: tuple[Ordinals, Ordinals], before: Ordinals) -> bool:
    return all(np.array_equal(end, before) for end in ends)


def _to_integer(source: Format, fmt: Format, ordinals: Ordinals) -> Ordinals:
    """The ordinals of the nearest integers, clamped to the range."""
    values = values_of(source, ordinals)
    placed, beyond = whole_numbers(values)
    sizes: Bits = np.where(beyond, np.uint64(0xFFFF_FFFF_FFFF_FFFF), placed.nearest_even())
    if source.is_float and source.infinities:
        sizes = np.where(np.abs(ordinals) == source.infinity_magnitude, np.uint64(0xFFFF_FFFF_FFFF_FFFF), sizes)
    above = np.minimum(sizes, np.uint64(fmt.max_value))
    below = np.minimum(sizes, np.uint64(-fmt.min_value))
    if fmt.ordinal_shift:
        return np.where(values.negative, np.uint64(0), above).astype(np.int64) ^ np.int64(fmt.min_ordinal)
    # Modulo 2^64, as the least integer of 64 bits has no size among the positive ones.
    return np.where(values.negative, (~below + np.uint64(1)).astype(np.int64), above.astype(np.int64))


def _to_float(source: Format, fmt: Format, ordinals: Ordinals, *, nearest: bool) -> tuple[Ordinals, Ordinals, Flags]:
    """Least and greatest legal ordinal of each exact value, and where NaN is legal as well."""
    values: Values = values_of(source, ordinals)
    below, above, rounded = float_magnitudes(fmt, values)
    top = fmt.largest_magnitude
    infinite = np.zeros(ordinals.shape, np.bool_)
    if source.is_float and source.infinities:
        infinite = np.abs(ordinals) == source.infinity_magnitude
    beyond = ((rounded if not source.is_float else above) > top) | infinite
    inner, outer = (rounded, rounded) if nearest else (below, above)
    inner, outer = np.where(beyond, top, inner), np.where(beyond, fmt.max_ordinal, outer)
    if fmt.infinities:
        inner = np.where(infinite, fmt.infinity_magnitude, inner)
        over = beyond & ~infinite if source.is_float else np.zeros(ordinals.shape, np.bool_)
    else:
        over = beyond
    least, most = np.where(values.negative, -outer, inner), np.where(values.negative, -inner, outer)
    return least, most, over
