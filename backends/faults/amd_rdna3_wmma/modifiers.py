"""RDNA3 devices that do something else with the signs and constants of instructions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec.structs import replace

from mmaspec.backends.numpy.amd_rdna3_wmma.device import Registers, State, WmmaDevice
from mmaspec.backends.numpy.amd_rdna3_wmma.instructions import LOW, Modified
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.amd_rdna3_wmma.instruction import NO_BITS, VWmma
from mmaspec.programs.amd_rdna3_wmma.program import AnyWmma, Wmma

Change = Callable[[VWmma], VWmma]
"""From an instruction to the one that is carried out for it."""


class OtherInstruction(WmmaDevice):
    """An instruction on floats is carried out as another one."""

    def __init__(self, unit: ArithmeticUnit, *, change: Change) -> None:
        super().__init__(unit)
        self._change = change

    def multiply(self, state: State, step: AnyWmma) -> None:
        """That one; builtins as they are."""
        floats = isinstance(step, VWmma) and not step.integer
        super().multiply(state, self._change(step) if floats else step)  # type: ignore[arg-type]


def ignored(step: VWmma) -> VWmma:
    """No sign changes."""
    return replace(step, neg_lo=NO_BITS, neg_hi=NO_BITS)


def of_factors_ignored(step: VWmma) -> VWmma:
    """None of A and B does."""
    low, high = ((False, False, bits[2]) for bits in (step.neg_lo, step.neg_hi))
    return replace(step, neg_lo=low, neg_hi=high)


def low_for_both(step: VWmma) -> VWmma:
    """Of A and B the low bit is about all elements, as in instructions on single numbers."""
    low, high = step.neg_lo, step.neg_hi
    return replace(step, neg_hi=(*low[:2], high[2]))


def halves_exchanged(step: VWmma) -> VWmma:
    """Of A and B the low bits are about odd k, the high ones about even k."""
    low, high = step.neg_lo, step.neg_hi
    return replace(step, neg_lo=(*high[:2], low[2]), neg_hi=(*low[:2], high[2]))


def either(step: VWmma) -> VWmma:
    """Products are negated where A or B is, or both are."""
    low, high = ((a or b, False, c) for a, b, c in (step.neg_lo, step.neg_hi))
    return replace(step, neg_lo=low, neg_hi=high)


def of_high_halves_ignored(step: VWmma) -> VWmma:
    """Of A and B only low halves change their signs."""
    return replace(step, neg_hi=(False, False, step.neg_hi[2]))


def of_c_ignored(step: VWmma) -> VWmma:
    """C is added as it is."""
    return replace(step, neg_lo=(*step.neg_lo[:2], False), neg_hi=(*step.neg_hi[:2], False))


def no_absolute(step: VWmma) -> VWmma:
    """C keeps its sign but for the negation."""
    return replace(step, neg_hi=(*step.neg_hi[:2], False))


def high_negates(step: VWmma) -> VWmma:
    """Both bits of C negate it, so that both together do nothing."""
    return replace(step, neg_lo=(*step.neg_lo[:2], step.neg_lo[2] != step.neg_hi[2]), neg_hi=(*step.neg_hi[:2], False))


def absolute_last(step: VWmma) -> VWmma:
    """C is negated before its absolute value is taken."""
    return replace(step, neg_lo=(*step.neg_lo[:2], step.neg_lo[2] and not step.neg_hi[2]))


class ProductNegated(WmmaDevice):
    """The negation of C is one of the whole sum."""

    def with_sign(self, step: Wmma, c: Bits) -> Bits:
        """Not that of C."""
        return super().with_sign(replace(step, c_negative=False) if isinstance(step, Modified) else step, c)

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        """With the other sign."""
        found = super().product(step, a, b, c)
        if not (isinstance(step, Modified) and step.c_negative):
            return found
        return found ^ np.uint64(LOW if self.results_in(step) in ("f16", "bf16") else LOW << 16)


Constant = Callable[[Any, Modified], int]
"""(device, call) -> the word in each VGPR of C for its constant."""


class OtherConstants(WmmaDevice):
    """Constants for C are other words."""

    def __init__(self, unit: ArithmeticUnit, *, word: Constant) -> None:
        super().__init__(unit)
        self._word = word

    def constants(self, step: Modified, zeros: Registers) -> Registers:
        """Those."""
        return np.full_like(zeros, self._word(self, step))


def _integer(step: Modified) -> int | None:
    """The integer that a constant is; None of a number."""
    value = step.constant - (1 << 32) if step.constant >> 31 else step.constant
    return value if -16 <= value <= 64 else None


def nothing(device: WmmaDevice, step: Modified) -> int:
    """Zero."""
    del device, step
    return 0


def converted(device: WmmaDevice, step: Modified) -> int:
    """An integer is the number in the format of C."""
    value = _integer(step)
    if value is None:
        return step.constant
    single = int(np.float32(value).view(np.uint32))
    if device.results_in(step) == "f16":
        return int(np.float16(value).view(np.uint16))
    return single >> 16 if device.results_in(step) == "bf16" else single


def never_negative(device: WmmaDevice, step: Modified) -> int:
    """A negative integer is its magnitude."""
    del device
    value = _integer(step)
    return step.constant if value is None else abs(value)


def of_eight_bits(device: WmmaDevice, step: Modified) -> int:
    """Integers are bytes, extended with zeros."""
    del device
    value = _integer(step)
    return step.constant if value is None else value & 0xFF


def single_precision(device: WmmaDevice, step: Modified) -> int:
    """A number for f16 is an f32, of which the low half is taken."""
    if device.results_in(step) != "f16" or _integer(step) is not None:
        return step.constant
    return int(np.array(step.constant, np.uint16).view(np.float16).astype(np.float32).view(np.uint32))


def whole_numbers(device: WmmaDevice, step: Modified) -> int:
    """1/(2*pi), which came later than the others, is zero."""
    return 0 if step.constant == {"f32": 0x3E22F983, "f16": 0x3118}.get(device.results_in(step)) else step.constant


class ConstantOfFirst(WmmaDevice):
    """A constant is in the first VGPR of C only, or in the first lanes only."""

    def __init__(self, unit: ArithmeticUnit, *, of: str) -> None:
        super().__init__(unit)
        self._of = of

    def constants(self, step: Modified, zeros: Registers) -> Registers:
        """Zeros elsewhere."""
        found = super().constants(step, zeros)
        if self._of == "vgpr":
            found[..., 1:] = 0
        else:
            found[..., 16:, :] = 0
        return found
