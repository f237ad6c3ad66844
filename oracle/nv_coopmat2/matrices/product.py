"""``coopMatMulAdd``: the legal results of A times B plus C, and the clauses that acted."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.numerics.contract import FloatRules
from mmaspec.oracle.numerics.deferred import product
from mmaspec.oracle.numerics.integer import Overflow, multiply_add_int
from mmaspec.oracle.numerics.integer_dot import MAX_K
from mmaspec.oracle.numerics.legal import Legal, Reason, certain_bits, full, unjudged
from mmaspec.oracle.numerics.ordinals import Bits

WIDEST_FACTOR = 32
"""Bits: products of wider integers are not modelled, and not judged."""


def mul_add(a: Legal, b: Legal, c: Legal, rules: FloatRules, *, saturating: bool) -> tuple[Legal, tuple[str, ...]]:
    """KHRCM-MULADD: the product in the type of C, not judged where a factor is not known to the bit."""
    a_bits, a_known = certain_bits(a)
    b_bits, b_known = certain_bits(b)
    points: tuple[str, ...]
    if c.fmt.is_float:
        legal = product(a_fmt=a.fmt, a=a_bits, b_fmt=b.fmt, b=b_bits, c=c, rules=rules)
        points = ("KHRCM-FP-ORDER", "KHRCM-MULADD")
    elif max(a.fmt.bits, b.fmt.bits) > WIDEST_FACTOR or a.shape[-1] > MAX_K:
        return unjudged(c.fmt, c.shape, Reason.OUTSIDE_PROMISE), (*_extended(a, b, c), "KHRCM-MULADD")
    else:
        legal, points = _integers(a, a_bits, b, b_bits, c, saturating=saturating)
    if not (a_known.all() and b_known.all()):
        unknown = ~(a_known.all(axis=-1, keepdims=True) & b_known.all(axis=-2, keepdims=True))
        legal = legal.not_judged(np.broadcast_to(unknown, legal.shape), Reason.INEXACT_OPERAND)
    return legal, points


def _integers(
    a: Legal, a_bits: Bits, b: Legal, b_bits: Bits, c: Legal, *, saturating: bool
) -> tuple[Legal, tuple[str, ...]]:
    """KHRCM-INT-EXT: factors are extended by the signs of their types. KHRCM-INT-WRAP or KHRCM-SAT-ADD at the end."""
    overflow = Overflow.SATURATE if saturating else Overflow.WRAP
    total = multiply_add_int(a_fmt=a.fmt, a=a_bits, b_fmt=b.fmt, b=b_bits, c=c, overflow=overflow)
    legal = total.legal
    points = [*_extended(a, b, c), "KHRCM-MULADD"]
    if total.overflowed.any():
        points.insert(0, "KHRCM-SAT-ADD" if saturating else "KHRCM-INT-WRAP")
    if saturating:
        # KHRCM-SAT-MUL-UB: wherever some order of the products alone may leave the range, nothing is promised.
        alone = multiply_add_int(
            a_fmt=a.fmt, a=a_bits, b_fmt=b.fmt, b=b_bits, c=full(c.fmt, c.shape, 0), overflow=Overflow.SATURATE_STEP
        )
        legal = legal.not_judged(alone.overflowed, Reason.SPEC_SILENT)
    return legal, tuple(points)


def _extended(a: Legal, b: Legal, c: Legal) -> tuple[str, ...]:
    """The clause about extension, if a factor is narrower than the result: else there is nothing to extend."""
    return ("KHRCM-INT-EXT",) if min(a.fmt.bits, b.fmt.bits) < c.fmt.bits else ()
