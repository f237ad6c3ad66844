"""One function on every element: nop, negation and absolute value exactly (LINALG-UNARY), and sine, cosine and tangent.

Those are judged by special values, range, and how far they may be from the exact value (LINALG-UNARY-TRIG).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from mmaspec.oracle.hlsl_linalg.practice import ACCURACY
from mmaspec.oracle.numerics.elementwise import may_flush
from mmaspec.oracle.numerics.legal import Legal, Reason, certain_bits, unjudged
from mmaspec.oracle.numerics.ordinals import Doubles, Flags, Ordinals, exact_float64
from mmaspec.oracle.numerics.position import truncated
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.formats import Format
from mmaspec.programs.hlsl_linalg.removed import UnaryOperation

SLACK = 1e-9
"""More than what is lost in computing sines of f32 and f16 in f64, and a millionth of the accuracy that is asked."""


def applied(op: UnaryOperation, one: Legal, rules: FloatRules, *, near: bool = True) -> Legal:
    """Legal contents of op of every element, in the same format; ``near``: whether practice's accuracy is demanded."""
    if op == "nop":
        return _flushed(one, rules)
    if op in ("negate", "abs"):
        return _of_floats(op, one, rules) if one.fmt.is_float else _of_integers(op, one)
    if not one.fmt.is_float or one.fmt.name not in ACCURACY:
        return unjudged(one.fmt, one.shape, Reason.SPEC_SILENT)
    return _circular(op, one, near=near)


def _flushed(one: Legal, rules: FloatRules) -> Legal:
    if not one.fmt.is_float or not (rules.flush_inputs or rules.flush_results):
        return one
    lo, hi = may_flush(one.fmt, one.lo, one.hi)
    found = one.may_flush()
    return Legal(
        one.fmt,
        np.where(one.moved, found.lo, lo),
        np.where(one.moved, found.hi, hi),
        one.nan,
        one.why,
        one.moved,
        one.bits,
        one.ends,
    )


def _of_floats(op: UnaryOperation, one: Legal, rules: FloatRules) -> Legal:
    """Signs change, of a zero too: which one a zero has is not asked, as 0 - x is a negation as well."""
    lo, hi = one.lo, one.hi
    if op == "negate":
        lo, hi = -one.hi, -one.lo
    else:
        across = (lo <= 0) & (hi >= 0)
        lo, hi = np.where(across, 0, np.minimum(np.abs(lo), np.abs(hi))), np.maximum(np.abs(lo), np.abs(hi))
    empty = one.lo > one.hi
    if rules.flush_inputs or rules.flush_results:
        lo, hi = may_flush(one.fmt, lo, hi)
    lo, hi, why = np.where(empty, 1, lo), np.where(empty, 0, hi), one.why
    if rules.nan == "reported":
        why = np.where(one.nan & (why == 0), np.uint8(Reason.NAN_NOT_REQUIRED), why)
    free = why != 0
    return Legal.interval(
        one.fmt, np.where(free, one.fmt.min_ordinal, lo), np.where(free, one.fmt.max_ordinal, hi), one.nan | free, why
    )


def _of_integers(op: UnaryOperation, one: Legal) -> Legal:
    """Of numbers with a sign, but for the least one (LINALG-AMB-24)."""
    fmt = one.fmt
    if not fmt.signed:
        return unjudged(fmt, one.shape, Reason.SPEC_SILENT)
    least = one.lo == fmt.min_ordinal
    lo, hi = np.where(least, one.lo + 1, one.lo), np.where(one.hi == fmt.min_ordinal, one.hi + 1, one.hi)
    if op == "negate":
        lo, hi = -hi, -lo
    else:
        across = (lo <= 0) & (hi >= 0)
        lo, hi = np.where(across, 0, np.minimum(np.abs(lo), np.abs(hi))), np.maximum(np.abs(lo), np.abs(hi))
    why = np.where(least & (one.why == 0), np.uint8(Reason.SPEC_SILENT), one.why)
    return Legal.interval(fmt, lo, hi, why=why)


_EXACT: Mapping[UnaryOperation, Callable[[Doubles], Doubles]] = MappingProxyType({"sin": np.sin, "cos": np.cos})


def _circular(op: UnaryOperation, one: Legal, *, near: bool) -> Legal:
    """Sine, cosine and tangent: NaN of what is no number, of a zero itself or 1, else in its range and near."""
    fmt = one.fmt
    error, reach = ACCURACY[fmt.name] if near else (0.0, -1.0)
    bits, known = certain_bits(one)
    nan_due = one.lo > one.hi
    infinite = known & (np.abs(one.lo) == fmt.infinity_magnitude)
    x = np.where(known & ~infinite & ~nan_due, exact_float64(fmt, np.where(known & ~nan_due, bits, 0)), 0.0)
    if op == "tan":
        low, high, promised = _tangent(fmt, x, error, reach)
    else:
        low, high = _range(_EXACT[op](x), x, error, reach)
        promised = np.ones(x.shape, np.bool_)
    lo, hi = _outward(fmt, low, high)
    zero = known & (one.lo == 0) & (one.hi == 0)
    unity = fmt.bias << fmt.fraction_bits
    lo = np.where(zero, unity if op == "cos" else 0, lo)
    hi = np.where(zero, unity if op == "cos" else 0, hi)
    must = nan_due | infinite
    why = np.where(known | nan_due | (one.why != 0), one.why, np.uint8(Reason.INEXACT_OPERAND))
    why = np.where(~promised & ~must & (why == 0), np.uint8(Reason.OUTSIDE_PROMISE), why)
    free = why != 0
    lo = np.where(free, fmt.min_ordinal, np.where(must, 1, lo))
    hi = np.where(free, fmt.max_ordinal, np.where(must, 0, hi))
    found = Legal.interval(fmt, lo, hi, must | free, why)
    signed = zero & one.moved & (op != "cos")
    return Legal(
        fmt,
        found.lo,
        found.hi,
        found.nan,
        found.why,
        found.moved | signed,
        np.where(signed, bits, found.bits),
        found.ends,
    )


def _range(exact: Doubles, x: Doubles, error: float, reach: float) -> tuple[Doubles, Doubles]:
    """Least and greatest value of a sine or cosine: near the exact one where a bound is known, and never beyond 1."""
    near = np.where(np.abs(x) <= reach, error + SLACK, 2.0)
    return np.maximum(exact - near, -1.0), np.minimum(exact + near, 1.0)


def _tangent(fmt: Format, x: Doubles, error: float, reach: float) -> tuple[Doubles, Doubles, Flags]:
    """The quotients of all sines and cosines that may be; not promised where such a cosine may be 0."""
    s_lo, s_hi = _range(np.sin(x), x, error, reach)
    c_lo, c_hi = _range(np.cos(x), x, error, reach)
    promised: Flags = (c_lo > 0) | (c_hi < 0)
    least, most = np.where(promised, c_lo, 1.0), np.where(promised, c_hi, 1.0)
    ends = [s / c for s in (s_lo, s_hi) for c in (least, most)]
    unit = 2.0 ** (2 - fmt.fraction_bits)
    low, high = np.minimum.reduce(ends), np.maximum.reduce(ends)
    return low - np.abs(low) * unit, high + np.abs(high) * unit, promised


def _outward(fmt: Format, low: Doubles, high: Doubles) -> tuple[Ordinals, Ordinals]:
    """The ordinals around an interval of numbers."""
    (below, more), (above, rest) = (truncated(fmt, np.abs(end)) for end in (low, high))
    return np.where(low < 0, -(below + more), below), np.where(high < 0, -above, above + rest)
