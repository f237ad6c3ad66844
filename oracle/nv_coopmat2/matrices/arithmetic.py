"""KHRCM-ARITH: + - * / and unary minus, component by component."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from mmaspec.oracle.numerics.elementwise import Operation, combine, may_flush
from mmaspec.oracle.numerics.elementwise_integer import combine_int
from mmaspec.oracle.numerics.integer import Overflow
from mmaspec.oracle.numerics.legal import Legal, Reason, full
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.oracle.nv_coopmat2.matrices import doubles

OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {"+": Operation.ADD, "-": Operation.SUBTRACT, "*": Operation.MULTIPLY, "/": Operation.DIVIDE}
)
"""Operator -> what it does with every component."""


def combined(op: Operation, left: Legal, right: Legal, rules: FloatRules, *, rounded: bool = True) -> Legal:
    """Legal contents of left op right; shapes broadcast. Integers keep their low bits.

    KHRCM-DIVIDE-INT: integer quotients that are not exact go toward zero, or are not judged (not ``rounded``).
    """
    fmt = left.fmt
    if not fmt.is_float:
        exact = op is not Operation.MULTIPLY or bool((left.lo == left.hi).all() and (right.lo == right.hi).all())
        result = combine_int(op, left, right, Overflow.WRAP, rounded=rounded).legal
        several = np.broadcast_to((left.lo != left.hi) | (right.lo != right.hi), result.shape)
        return result if exact else result.not_judged(several, Reason.INEXACT_OPERAND)
    return doubles.combined(op, left, right, rules) if fmt.bits > 32 else combine(op, left, right, rules)


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
