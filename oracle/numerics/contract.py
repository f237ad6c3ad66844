"""Multiply-add on floats: the legal contents of D = A*B + C (rules E, X, R and N)."""

from __future__ import annotations

from .formats import Format
from .legal import Legal
from .ordinals import Bits
from .rounding import Mode as Mode
from .rules import FloatRules as FloatRules


def multiply_add(*, a_fmt: Format, a: Bits, b_fmt: Format, b: Bits, c: Legal, rules: FloatRules) -> Legal:
    """Legal contents of A*B + C in the format of C, which is the accumulator's.

    a (..., M, K) and b (..., K, N) are uint64 bits of exact operands, c is a set of shape (..., M, N); leading
    dimensions broadcast.
    """
    raise NotImplementedError
