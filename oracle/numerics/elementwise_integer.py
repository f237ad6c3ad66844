"""One integer operation on every element, C op V: exact, and overflow as the specification has it."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.numerics.elementwise import Operation
from mmaspec.oracle.numerics.integer import IntSum, Overflow
from mmaspec.oracle.numerics.legal import Legal, Reason
from mmaspec.oracle.numerics.ordinals import Flags, Ordinals


def combine_int(op: Operation, c: Legal, v: Legal, overflow: Overflow, *, rounded: bool = True) -> IntSum:
    """Legal contents of c op v in one integer format of at most 32 bits (ValueError otherwise); shapes broadcast.

    Both may be sets in sums and products. A quotient is judged where there is one c, one v that is not 0, and it is
    inside the range: if it is not exact, toward zero, or not at all (`rounded`). Either saturation clamps.
    """
    fmt = c.fmt
    if fmt.is_float or fmt.bits > 32 or v.fmt != fmt:
        raise ValueError(f"no element-wise contract for {c.fmt.name} {op} {v.fmt.name}")
    shape = np.broadcast_shapes(c.shape, v.shape)
    c, v = c.broadcast_to(shape), v.broadcast_to(shape)
    why = np.where(c.why != 0, c.why, v.why)
    least, most = fmt.min_value, fmt.max_value
    if op is Operation.DIVIDE:
        low, exact = _quotient(c.lo, v.lo)
        high = low
        several = (c.lo != c.hi) | (v.lo != v.hi)
        why = np.where(several & (why == 0), np.uint8(Reason.INEXACT_OPERAND), why)
        silent = (v.lo == 0) | (~exact & (not rounded)) | (low < least) | (low > most)
        why = np.where(silent & (why == 0), np.uint8(Reason.SPEC_SILENT), why)
        overflowed = np.zeros(shape, np.bool_)
    else:
        corners = _corners(op, c, v)
        low, high = np.minimum.reduce(corners), np.maximum.reduce(corners)
        overflowed = ((low < least) | (high > most)) & (why == 0)
    lo, hi = np.clip(low, least, most), np.clip(high, least, most)
    if overflow is Overflow.WRAP and op is not Operation.DIVIDE:
        turn, last = (low - least) >> fmt.bits, (high - least) >> fmt.bits
        lo, hi = low - (turn << fmt.bits), high - (last << fmt.bits)
        # A set that straddles the seam is not one interval any more.
        why = np.where((turn != last) & (why == 0), np.uint8(Reason.INEXACT_OPERAND), why)
    elif overflow is Overflow.UNDEFINED:
        why = np.where(overflowed, np.uint8(Reason.SPEC_SILENT), why)
    free = why != 0
    return IntSum(Legal.interval(fmt, np.where(free, least, lo), np.where(free, most, hi), why=why), overflowed)


def _corners(op: Operation, c: Legal, v: Legal) -> list[Ordinals]:
    if op is Operation.ADD:
        return [c.lo + v.lo, c.hi + v.hi]
    if op is Operation.SUBTRACT:
        return [c.lo - v.hi, c.hi - v.lo]
    return [x * y for x in (c.lo, c.hi) for y in (v.lo, v.hi)]


def _quotient(c: Ordinals, v: Ordinals) -> tuple[Ordinals, Flags]:
    """The quotient toward zero, 0 where the divisor is, and where it is exact."""
    divisor = np.where(v == 0, 1, v)
    size = np.abs(c) // np.abs(divisor)
    quotient = np.where(v == 0, 0, np.where((c < 0) != (divisor < 0), -size, size))
    exact: Flags = (v != 0) & (quotient * divisor == c)
    return quotient, exact
