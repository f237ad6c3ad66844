"""The results of products, sums and operations with scalars, as sets of legal contents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.demands import float_rules, rounded_quotients
from mmaspec.oracle.hlsl_wave_matrix.practice import PRACTICE_RULES
from mmaspec.oracle.numerics.contract import FloatRules
from mmaspec.oracle.numerics.conversion import convert
from mmaspec.oracle.numerics.deferred import moves_subnormals, product
from mmaspec.oracle.numerics.elementwise import Operation, combine
from mmaspec.oracle.numerics.elementwise_integer import combine_int
from mmaspec.oracle.numerics.integer import Overflow, multiply_add_int
from mmaspec.oracle.numerics.legal import Legal, Reason, certain_bits, full
from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.oracle.readings import Readings
from mmaspec.programs.formats import Format
from mmaspec.programs.hlsl_wave_matrix.program import (
    ScalarAdd,
    ScalarDivide,
    ScalarMultiply,
    ScalarOperation,
    ScalarSubtract,
)
from mmaspec.programs.profile import Profile

ELEMENTWISE_READINGS = {
    "wrap": Overflow.WRAP,
    "saturate": Overflow.SATURATE,
    "saturate-steps": Overflow.SATURATE,
    "undefined": Overflow.UNDEFINED,
}
"""Readings of WM-AMB-07 -> what an operation on single elements may leave beyond int32: it is one step."""

OPERATIONS: dict[type, Operation] = {
    ScalarMultiply: Operation.MULTIPLY,
    ScalarDivide: Operation.DIVIDE,
    ScalarAdd: Operation.ADD,
    ScalarSubtract: Operation.SUBTRACT,
}
"""Method -> what it does with every element."""


@dataclass(frozen=True)
class Arithmetic:
    """The arithmetic rules of one expectation."""

    profile: Profile
    readings: Readings

    @cached_property
    def rules(self) -> FloatRules:
        """Those of practice, sharpened by the profile."""
        return float_rules(self.profile, PRACTICE_RULES)

    def moved(self, legal: Legal) -> Legal:
        """What a Store finds. A subnormal that was only moved may have become a zero on the way (WM-AMB-18).

        The Load or Fill before it may have flushed it, or the Store does. Sums and operations read subnormals as zeros
        anyway where a profile lets them, so that only a Store can tell; where it does not, nothing flushes.
        """
        if not self.rules.flush_inputs or not moves_subnormals(legal):
            return legal
        return legal.may_flush() if self.readings.choose("WM-AMB-18") == "flush" else legal

    def product(self, left: Legal, right: Legal, addend: Legal) -> Legal:
        """A * B + addend; operands ``(..., M, K)`` and ``(..., K, N)``, each read with its own sign."""
        return self._known(left, right, addend, self.rules)

    def _sums(self, left: Legal, right: Legal, addend: Legal) -> Legal:
        """Sums of one operand. What a profile names is how products are added; these may go another way."""
        return self._known(left, right, addend, replace(self.rules, model=None))

    def _known(self, left: Legal, right: Legal, addend: Legal, rules: FloatRules) -> Legal:
        """The sum, not judged where an operand is not known to the bit."""
        a, a_known = certain_bits(left)
        b, b_known = certain_bits(right)
        legal = self._sum(left.fmt, a, right.fmt, b, addend, rules)
        if a_known.all() and b_known.all():
            return legal
        # An element depends on a whole row of A and a whole column of B.
        rows_known = np.logical_and.reduce(a_known, axis=-1, keepdims=True)
        cols_known = np.logical_and.reduce(b_known, axis=-2, keepdims=True)
        unknown: NDArray[np.bool_] = np.logical_not(rows_known & cols_known)
        return legal.not_judged(unknown, Reason.INEXACT_OPERAND)

    def sums_of_rows(self, left: Legal, addend: Legal) -> Legal:
        """WM-SUMACC-LEFT: element r gains the sum over k of A[r, k]; ``(..., M, K)`` to ``(..., M, 1)``."""
        return self._sums(left, _ones(left.fmt, (*left.shape[:-2], left.shape[-1], 1)), addend)

    def sums_of_columns(self, right: Legal, addend: Legal) -> Legal:
        """WM-SUMACC-RIGHT: element c gains the sum over k of B[k, c]; ``(..., K, N)`` to ``(..., 1, N)``."""
        return self._sums(_ones(right.fmt, (*right.shape[:-2], 1, right.shape[-2])), right, addend)

    def add(self, total: Legal, operand: Legal) -> Legal:
        """WM-ADD-COL, WM-ADD-ROW, WM-ADD-FULL: the operand, cast (WM-ADD-CAST) and broadcast, is added."""
        addend = convert(operand, total.fmt, self.rules)
        found = self._combine(Operation.ADD, total, addend)
        if operand.fmt == total.fmt or not total.fmt.is_float:
            return found
        return found.only_ends(self._one_of_two(total, addend))

    def _one_of_two(self, total: Legal, addend: Legal) -> Flags:
        """Where the sum with an addend that the cast rounds has two contents: that with either neighbour, exact.

        Nothing between is the sum of the accumulator with a value of its type. Where either sum is rounded itself,
        the two reach each other: what the cast loses is then not above a unit of the sum.
        """
        neighbours = addend.hi.astype(np.uint64) - addend.lo.astype(np.uint64) == 1
        found: Flags = neighbours & ~addend.nan & (addend.why == 0) & total.exact
        for end in (addend.lo, addend.hi) if found.any() else ():
            one = Legal.interval(addend.fmt, end, end, why=addend.why)
            found = found & combine(Operation.ADD, total, one, self.rules).exact
        return found

    def scalar(self, method: ScalarOperation, matrix: Legal, value: Legal) -> Legal:
        """WM-SCALAR-OPS: every element op the value."""
        return self._combine(OPERATIONS[type(method)], matrix, value)

    def _combine(self, op: Operation, matrix: Legal, value: Legal) -> Legal:
        if matrix.fmt.is_float:
            # WM-FP-NAN: the language's rules are about every sum, difference and product of a shader
            return combine(op, matrix, value, self.rules)
        # WM-DIVIDE-INT: quotients that are not exact go toward zero
        result = combine_int(op, matrix, value, Overflow.SATURATE, rounded=rounded_quotients(self.profile))
        if not result.overflowed.any():
            return result.legal
        return combine_int(op, matrix, value, ELEMENTWISE_READINGS[self.readings.choose("WM-AMB-07")]).legal

    def _sum(
        self,
        a_fmt: Format,
        a: NDArray[np.uint64],
        b_fmt: Format,
        b: NDArray[np.uint64],
        addend: Legal,
        rules: FloatRules,
    ) -> Legal:
        if a_fmt.is_float:
            # WM-FP-SUM: any order, any internal precision not below the accumulator's. WM-FP-NAN in any of them.
            return product(a_fmt=a_fmt, a=a, b_fmt=b_fmt, b=b, c=addend, rules=rules)
        # WM-INT-EXACT, each operand read with its own sign (WM-MUL-MIXSIGN). As long as no order of the terms
        # can leave int32, stepwise saturation gives the exact sum, as every reading does.
        total = multiply_add_int(a_fmt=a_fmt, a=a, b_fmt=b_fmt, b=b, c=addend, overflow=Overflow.SATURATE_STEP)
        if not total.overflowed.any():
            return total.legal
        reading = self.readings.choose("WM-AMB-07")
        if reading == "saturate-steps":
            return total.legal
        if reading == "undefined":
            # A partial sum beyond int32 is an overflow too: no text says in which order terms are added.
            return total.legal.not_judged(total.overflowed, Reason.SPEC_SILENT)
        once = Overflow.WRAP if reading == "wrap" else Overflow.SATURATE
        return multiply_add_int(a_fmt=a_fmt, a=a, b_fmt=b_fmt, b=b, c=addend, overflow=once).legal


def _ones(fmt: Format, shape: tuple[int, ...]) -> Legal:
    return full(fmt, shape, fmt.bias << fmt.fraction_bits if fmt.is_float else 1)
