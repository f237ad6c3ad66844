"""One operator on every element: matrix op value, exactly rounded as far as anybody promises (LINALG-ELEMWISE)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from mmaspec.oracle.demands import rounded_quotients
from mmaspec.oracle.hlsl_linalg.execution.arithmetic import Arithmetic
from mmaspec.oracle.hlsl_linalg.execution.integer_sums import Whole, whole_numbers
from mmaspec.oracle.hlsl_linalg.open_points import OVERFLOW, SATURATE, SATURATE_STEPS, WRAP
from mmaspec.oracle.numerics.elementwise import Operation, combine
from mmaspec.oracle.numerics.legal import Legal, Reason, certain_bits, full, unjudged
from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.programs.hlsl_linalg.removed import Operator

OPERATIONS: Mapping[Operator, Operation] = MappingProxyType(
    {"add": Operation.ADD, "sub": Operation.SUBTRACT, "mul": Operation.MULTIPLY, "div": Operation.DIVIDE}
)
"""Operator -> what it does with every element."""


def operated(arithmetic: Arithmetic, op: Operator, matrix: Legal, value: Legal) -> Legal:
    """Legal contents of every element op the value; one format, shapes broadcast to that of the matrix."""
    value = value.broadcast_to(matrix.shape)
    if not matrix.fmt.is_float:
        return _of_integers(arithmetic, OPERATIONS[op], matrix, value)
    if matrix.fmt.bits > 32 or not matrix.fmt.infinities:
        return _of_doubles(arithmetic, OPERATIONS[op], matrix, value)
    return combine(OPERATIONS[op], matrix, value, arithmetic.operation_rules)


def _of_doubles(arithmetic: Arithmetic, op: Operation, matrix: Legal, value: Legal) -> Legal:
    """As sums and products of one term are judged; of quotients in f64 no accuracy is promised."""
    fmt, shape = matrix.fmt, matrix.shape
    if not fmt.infinities or op is Operation.DIVIDE:
        return unjudged(fmt, shape, Reason.OUTSIDE_PROMISE)
    if op is Operation.MULTIPLY:
        one = (*shape, 1, 1)
        return arithmetic.product(matrix.reshape(*one), value.reshape(*one), full(fmt, one, 0)).reshape(*shape)
    if op is Operation.SUBTRACT:
        bits, known = certain_bits(value)
        value = Legal.from_bits(fmt, bits ^ np.uint64(fmt.sign_bit)).not_judged(~known, Reason.INEXACT_OPERAND)
    return arithmetic.sums(matrix, [value])


def _of_integers(arithmetic: Arithmetic, op: Operation, matrix: Legal, value: Legal) -> Legal:
    """Exact; quotients toward zero. Beyond the range it is as LINALG-AMB-17 is read, asked only where one is there."""
    fmt = matrix.fmt
    left, right = (_ends(one) for one in (matrix, value))
    why = np.where(matrix.why != 0, matrix.why, value.why)
    if op is Operation.DIVIDE:
        several = (matrix.lo != matrix.hi) | (value.lo != value.hi)
        why = np.where(several & (why == 0), np.uint8(Reason.INEXACT_OPERAND), why)
        nothing = np.asarray(right[0] == 0, np.bool_)
        low, exact = _quotient(left[0], np.where(nothing, 1, right[0]))
        silent = nothing | (~exact & (not rounded_quotients(arithmetic.profile)))
        why = np.where(silent & (why == 0), np.uint8(Reason.SPEC_SILENT), why)
        corners = [low]
    else:
        corners = _corners(op, left, right)
    low, high = np.minimum.reduce(corners), np.maximum.reduce(corners)
    least, most = fmt.min_value, fmt.max_value
    outside = np.asarray((low < least) | (high > most), np.bool_) & (why == 0)
    if outside.any():
        reading = arithmetic.readings.choose(OVERFLOW)
        if reading == WRAP:
            turn, last = (low - least) // (1 << fmt.bits), (high - least) // (1 << fmt.bits)
            low, high = low - turn * (1 << fmt.bits), high - last * (1 << fmt.bits)
            why = np.where(np.asarray(turn != last, np.bool_) & (why == 0), np.uint8(Reason.INEXACT_OPERAND), why)
        elif reading not in (SATURATE, SATURATE_STEPS):
            why = np.where(outside, np.uint8(Reason.SPEC_SILENT), why)
    low, high = np.clip(low, least, most) - fmt.ordinal_shift, np.clip(high, least, most) - fmt.ordinal_shift
    free = why != 0
    return Legal.interval(
        fmt,
        np.where(free, fmt.min_ordinal, low.astype(np.int64)),
        np.where(free, fmt.max_ordinal, high.astype(np.int64)),
        why=why,
    )


def _ends(one: Legal) -> tuple[Whole, Whole]:
    return whole_numbers(one.fmt, one.lo), whole_numbers(one.fmt, one.hi)


def _corners(op: Operation, left: tuple[Whole, Whole], right: tuple[Whole, Whole]) -> list[Whole]:
    if op is Operation.ADD:
        return [left[0] + right[0], left[1] + right[1]]
    if op is Operation.SUBTRACT:
        return [left[0] - right[1], left[1] - right[0]]
    return [x * y for x in left for y in right]


def _quotient(x: Whole, y: Whole) -> tuple[Whole, Flags]:
    """The quotient toward zero, and where it is exact; no divisor is 0."""
    size = np.abs(x) // np.abs(y)
    found: Whole = np.where(np.asarray(x < 0, np.bool_) != np.asarray(y < 0, np.bool_), -size, size)
    return found, np.asarray(found * y == x, np.bool_)
