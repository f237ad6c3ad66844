"""The results of products, sums and conversions, as sets of legal contents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.demands import float_rules, operation_rules
from mmaspec.oracle.hlsl_linalg.execution.integer_sums import added, integer_product, terms_of
from mmaspec.oracle.hlsl_linalg.practice import PRACTICE_RULES, product_rules
from mmaspec.oracle.numerics.contract import FloatRules, multiply_add
from mmaspec.oracle.numerics.deferred import product
from mmaspec.oracle.numerics.elementwise import Operation, combine
from mmaspec.oracle.numerics.legal import Legal, Reason, certain_bits, full, unjudged
from mmaspec.oracle.numerics.ordinals import Bits, Flags, to_ordinal
from mmaspec.oracle.numerics.saturating_conversion import convert_saturating
from mmaspec.oracle.readings import Readings
from mmaspec.programs.formats import Format
from mmaspec.programs.profile import Profile


@dataclass(frozen=True)
class Arithmetic:
    """The arithmetic rules of one expectation."""

    profile: Profile
    readings: Readings

    @cached_property
    def rules(self) -> FloatRules:
        """Of products: those of practice, sharpened by the profile."""
        return float_rules(self.profile, PRACTICE_RULES)

    @cached_property
    def operation_rules(self) -> FloatRules:
        """Of conversions and of sums without products."""
        return operation_rules(self.profile, replace(PRACTICE_RULES, rounding=self.rules.rounding))

    def converted(self, one: Legal, fmt: Format) -> Legal:
        """LINALG-CONV-*: the rules of the section on data conversions, for native types and all others."""
        return convert_saturating(one, fmt, self.operation_rules)

    def product(self, left: Legal, right: Legal, addend: Legal) -> Legal:
        """A * B + addend; operands ``(..., M, K)`` and ``(..., K, N)``. What no text makes compatible is not judged."""
        a_fmt, b_fmt, c_fmt = left.fmt, right.fmt, addend.fmt
        if len({a_fmt.is_float, b_fmt.is_float, c_fmt.is_float}) > 1 or (c_fmt.is_float and not c_fmt.infinities):
            return unjudged(c_fmt, addend.shape, Reason.SPEC_SILENT)
        a, a_known = certain_bits(left)
        b, b_known = certain_bits(right)
        if c_fmt.is_float:
            rules = product_rules(self.rules, PRACTICE_RULES, a_fmt, b_fmt, c_fmt)
            legal = product(a_fmt=a_fmt, a=a, b_fmt=b_fmt, b=b, c=addend, rules=rules)
        else:
            legal = integer_product(a_fmt, a, b_fmt, b, addend, self.readings)
        if a_known.all() and b_known.all():
            return legal
        # An element depends on a whole row of A and a whole column of B.
        rows_known = np.logical_and.reduce(a_known, axis=-1, keepdims=True)
        cols_known = np.logical_and.reduce(b_known, axis=-2, keepdims=True)
        unknown: NDArray[np.bool_] = np.logical_not(rows_known & cols_known)
        return legal.not_judged(np.broadcast_to(unknown, legal.shape), Reason.INEXACT_OPERAND)

    def add(self, total: Legal, operand: Legal) -> Legal:
        """The operand, converted to the type of the accumulator, added to it element by element.

        The text speaks of no conversion: an operand that the accumulator's type does not have may be converted, or
        added as it is. Of floats the sum then lies between those with either neighbour of the operand; otherwise
        nothing is stated.
        """
        either = replace(self.operation_rules, rounding=None)
        addend = convert_saturating(operand, total.fmt, either)
        if not (total.fmt.is_float and operand.fmt.is_float):
            back = self.converted(addend, operand.fmt)
            kept = certain_bits(addend)[1] & (back.lo == operand.lo) & (back.hi == operand.hi)
            addend = addend.not_judged(~kept & (operand.why == 0), Reason.SPEC_SILENT)
        if not total.fmt.is_float:
            values = terms_of(total.fmt, addend.lo)
            found = added(np.maximum(values, 0), np.minimum(values, 0), total, self.readings)
            return found.not_judged(~_one_value(addend), Reason.INEXACT_OPERAND)
        if total.fmt.bits <= 32 and total.fmt.infinities:
            return combine(Operation.ADD, total, addend, self.operation_rules)
        return self.sums(total, [addend])

    def sums(self, base: Legal, addends: list[Legal]) -> Legal:
        """Every element of the base, and the same element of each addend, added in any order; one format, one shape."""
        fmt, shape = base.fmt, base.shape
        if not addends:
            return base
        if fmt.is_float and not fmt.infinities:
            return unjudged(fmt, shape, Reason.SPEC_SILENT)
        codes = [certain_bits(one) for one in addends]
        terms: Bits = np.stack([bits for bits, _ in codes], axis=-1)
        known: Flags = np.logical_and.reduce([mask for _, mask in codes])
        count = len(addends)
        if fmt.is_float:
            ones = full(fmt, (count, 1), fmt.bias << fmt.fraction_bits).bits
            rows = terms.reshape(-1, 1, count)
            rules = replace(PRACTICE_RULES, nan=self.rules.nan)
            total = multiply_add(
                a_fmt=fmt, a=rows, b_fmt=fmt, b=ones, c=base.reshape(len(rows), 1, 1), rules=rules
            ).reshape(*shape)
        else:
            values = terms_of(fmt, np.moveaxis(to_ordinal(fmt, terms), -1, 0))
            total = added(np.maximum(values, 0).sum(axis=0), np.minimum(values, 0).sum(axis=0), base, self.readings)
        return total if known.all() else total.not_judged(~known, Reason.INEXACT_OPERAND)


def _one_value(one: Legal) -> Flags:
    return certain_bits(one)[1]
