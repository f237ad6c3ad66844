"""KHRCM-ARITH: + - * / and unary minus, component by component."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from mmaspec.oracle.numerics.elementwise import Operation, combine, may_flush
from mmaspec.oracle.numerics.elementwise_integer import combine_int
from mmaspec.oracle.numerics.integer import Overflow
from mmaspec.oracle.numerics.legal import Legal, Reason, certain_bits, full
from mmaspec.oracle.numerics.ordinals import Bits, Doubles, to_ordinal
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.programs.rounding_mode import Mode

OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {"+": Operation.ADD, "-": Operation.SUBTRACT, "*": Operation.MULTIPLY, "/": Operation.DIVIDE}
)
"""Operator -> what it does with every component."""

REACH = {Operation.DIVIDE: 6}
"""f64: how many ordinals around the nearest value to a quotient 2.5 ulp are, and (3) around other results 1 ulp."""


def combined(op: Operation, left: Legal, right: Legal, rules: FloatRules) -> Legal:
    """Legal contents of left op right; shapes broadcast. Integers keep their low bits.

    Integer quotients are judged where they are exact: how others are rounded is not stated.
    """
    fmt = left.fmt
    if not fmt.is_float:
        exact = op is not Operation.MULTIPLY or bool((left.lo == left.hi).all() and (right.lo == right.hi).all())
        result = combine_int(op, left, right, Overflow.WRAP).legal
        several = np.broadcast_to((left.lo != left.hi) | (right.lo != right.hi), result.shape)
        return result if exact else result.not_judged(several, Reason.INEXACT_OPERAND)
    return _wide(op, left, right, rules) if fmt.bits > 32 else combine(op, left, right, rules)


def negated(one: Legal, rules: FloatRules) -> Legal:
    """Legal contents of minus a matrix."""
    if not one.fmt.is_float:
        return combine_int(Operation.SUBTRACT, full(one.fmt, one.shape, 0), one, Overflow.WRAP).legal
    lo, hi, why = -one.hi, -one.lo, one.why
    none = one.lo > one.hi
    if rules.flush_inputs or rules.flush_results:
        lo, hi = may_flush(one.fmt, lo, hi)
    if rules.nan == "reported":
        why = np.where(one.nan & (why == 0), np.uint8(Reason.NAN_NOT_REQUIRED), why)
    lo, hi = np.where(none, 1, lo), np.where(none, 0, hi)
    return Legal.interval(one.fmt, lo, hi, one.nan, why)


def _wide(op: Operation, left: Legal, right: Legal, rules: FloatRules) -> Legal:
    """f64, where the processor's own result is the nearest; not judged near the ends of the range and for NaN."""
    fmt, shape = left.fmt, np.broadcast_shapes(left.shape, right.shape)
    pair = [certain_bits(each.broadcast_to(shape)) for each in (left, right)]
    x, y = (_doubles(bits) for bits, _ in pair)
    with np.errstate(all="ignore"):
        results = {Operation.ADD: np.add, Operation.SUBTRACT: np.subtract, Operation.MULTIPLY: np.multiply}
        found = results.get(op, np.divide)(x, y)
        tame = np.isfinite(found) & (np.abs(found) < 2.0**1020) & ((np.abs(found) > 2.0**-1018) | (found == 0))
        for operand in (x, y):
            tame &= np.isfinite(operand) & ((np.abs(operand) >= 2.0**-1022) | (operand == 0))
        if op is Operation.DIVIDE:
            tame &= np.abs(y) <= 2.0**1022
    around = 0 if rules.rounding is Mode.NEAREST_EVEN and op is not Operation.DIVIDE else REACH.get(op, 3)
    centre = to_ordinal(fmt, np.where(tame, found, 0.0).view(np.uint64))
    why = np.where(tame, np.uint8(0), np.uint8(Reason.OUTSIDE_PROMISE))
    why = np.where(pair[0][1] & pair[1][1], why, np.uint8(Reason.INEXACT_OPERAND))
    for each in (left, right):
        why = np.where(np.broadcast_to(each.why, shape) != 0, np.broadcast_to(each.why, shape), why)
    return Legal.interval(fmt, centre - around, centre + around, None, why)


def _doubles(bits: Bits) -> Doubles:
    return np.ascontiguousarray(bits).view(np.float64)
