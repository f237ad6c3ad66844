"""What an instruction makes of its operands before it multiplies: signs of A, B and C, and constants for C.

No builtin has these modifiers. The calculator describes them on the registers: ``neg_lo`` and ``neg_hi`` each have a
bit for A, for B and for C.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from mmaspec.oracle.amd_rdna3_wmma.builtins import Builtin
from mmaspec.oracle.numerics.deferred import Moved
from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.numerics.ordinals import Bits, is_nan
from mmaspec.programs.amd_rdna3_wmma.instruction import InlineFloat, VWmma
from mmaspec.programs.amd_rdna3_wmma.program import AnyWmma
from mmaspec.programs.formats import Format

_ONES: Mapping[InlineFloat, Mapping[str, int]] = MappingProxyType(
    {
        "0.5": {"f16": 0x3800, "f32": 0x3F000000},
        "-0.5": {"f16": 0xB800, "f32": 0xBF000000},
        "1.0": {"f16": 0x3C00, "f32": 0x3F800000},
        "-1.0": {"f16": 0xBC00, "f32": 0xBF800000},
        "2.0": {"f16": 0x4000, "f32": 0x40000000},
        "-2.0": {"f16": 0xC000, "f32": 0xC0000000},
        "4.0": {"f16": 0x4400, "f32": 0x40800000},
        "-4.0": {"f16": 0xC400, "f32": 0xC0800000},
        "1/(2*pi)": {"f16": 0x3118, "f32": 0x3E22F983},
    }
)
"""Number -> its bits in the format of C."""


def as_builtin(step: VWmma, wave_size: int) -> Builtin:
    """The builtin that has an instruction's formats and layouts.

    Where D is C it is the tied one (RDNA3-OPSEL-OTHER): the halves that the instruction does not write stay.
    """
    return Builtin(step.result, (16, 16, 16), step.operands, wave_size, step.halves and step.c == step.d)


def inline_bits(step: VWmma, fmt: Format) -> int:
    """RDNA3-C-INLINE: the bits of every element of C: those of an integer, or of a number in the format of C."""
    if isinstance(step.inline, int):
        return step.inline & fmt.mask
    return _ONES[step.inline][fmt.name]


def constant_nan(step: AnyWmma, fmt: Format) -> bool:
    """Whether C is a constant that is a NaN: a negative integer. That D is one then is not about sums of numbers."""
    if not isinstance(step, VWmma) or step.c is not None:
        return False
    return bool(is_nan(fmt, np.array(inline_bits(step, fmt), np.uint64)))


def negated_left(step: VWmma, fmt: Format, a: Bits) -> Bits:
    """RDNA3-FP-NEG: A, ``(..., row, k)``, of which low halves of registers hold the even k and high ones the odd k."""
    return _negated(fmt, a, (step.neg_lo[0], step.neg_hi[0]))


def negated_right(step: VWmma, fmt: Format, b: Bits) -> Bits:
    """RDNA3-FP-NEG: B, ``(..., k, column)``."""
    return np.swapaxes(_negated(fmt, np.swapaxes(b, -1, -2), (step.neg_lo[1], step.neg_hi[1])), -1, -2)


def _negated(fmt: Format, bits: Bits, of_halves: tuple[bool, bool]) -> Bits:
    """``(..., k)`` with signs changed of the even k, of the odd k, or of both."""
    if not any(of_halves):
        return bits
    signs = np.array([fmt.sign_bit if negative else 0 for negative in of_halves], np.uint64)
    return bits ^ np.tile(signs, bits.shape[-1] // 2)


def modified_addend(step: VWmma, c: Legal) -> Legal:
    """RDNA3-FP-NEG: of C ``neg_hi`` takes the absolute value, and after that ``neg_lo`` changes the sign."""
    taken = absolute(c) if step.neg_hi[2] else c
    return opposite(taken) if step.neg_lo[2] else taken


def opposite(legal: Legal) -> Legal:
    """The sets of floats with the other sign; what was moved keeps its bits but for the sign."""
    sign = np.uint64(legal.fmt.sign_bit)
    if isinstance(legal, Moved):
        return Moved(legal.fmt, legal.codes ^ sign)
    bits = np.where(legal.moved, legal.bits ^ sign, legal.bits)
    return Legal(legal.fmt, -legal.hi, -legal.lo, legal.nan, legal.why, legal.moved, bits, legal.ends)


def absolute(legal: Legal) -> Legal:
    """The sets of the magnitudes of floats."""
    sign = np.uint64(legal.fmt.sign_bit)
    if isinstance(legal, Moved):
        return Moved(legal.fmt, legal.codes & ~sign)
    far = np.maximum(np.abs(legal.lo), np.abs(legal.hi))
    crosses = (legal.lo < 0) & (legal.hi > 0)
    near = np.where(crosses, np.int64(0), np.minimum(np.abs(legal.lo), np.abs(legal.hi)))
    empty = legal.lo > legal.hi  # a NaN, which stays one
    lo, hi = np.where(empty, legal.lo, near), np.where(empty, legal.hi, far)
    bits = np.where(legal.moved, legal.bits & ~sign, legal.bits)
    return Legal(legal.fmt, lo, hi, legal.nan, legal.why, legal.moved, bits, legal.ends & ~crosses)
