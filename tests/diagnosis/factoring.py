"""Devices that read a factor wrongly, or sum its products wrongly: found by outsiders to be blamed misleadingly."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.numpy.amd_rdna3_wmma.device import State, Width, WmmaDevice
from mmaspec.backends.numpy.intel_subgroup_mma.device import MadDevice, MadState
from mmaspec.backends.numpy.register_kernels import Registers
from mmaspec.backends.numpy.units.encoding import bits_of_integers, integers_of
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.amd_rdna3_wmma.program import Wmma
from mmaspec.programs.formats import format_named
from mmaspec.programs.intel_subgroup_mma.caps import FORMS_OF, Caps
from mmaspec.programs.intel_subgroup_mma.program import Mad

EIGHT_ROWS = 8


class EightRowsDealt(MadDevice):
    """Where M = 8 row m takes component 4(m mod 2) + m div 2 of A; the accumulator and the result are right."""

    def left(self, state: MadState, step: Mad) -> Bits:
        rows = super().left(state, step)
        return rows[:, :, [0, 4, 1, 5, 2, 6, 3, 7]] if rows.shape[2] == EIGHT_ROWS else rows


class BytesOfAExchanged(MadDevice):
    """Neighbouring bytes of A are exchanged, in a device with sub-groups of sixteen."""

    def __init__(self, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.caps = Caps(sub_group_size=16, forms=FORMS_OF[16])

    def left(self, state: MadState, step: Mad) -> Bits:
        fields = super().left(state, step)
        if self.width(step) != 8:
            return fields
        return fields.reshape(*fields.shape[:-1], -1, 2)[..., ::-1].reshape(fields.shape)


class LowestNibblesMultiplied(MadDevice):
    """-8 times -8 is -64 in the last of all k."""

    def product(self, formats: tuple[str, str, str], a: Bits, b: Bits, c: Bits) -> Bits:
        right = super().product(formats, a, b, c)
        if formats[:2] != ("s4", "s4"):
            return right
        both = (a[..., -1, -1] == 8)[..., :, np.newaxis] & (b[..., -1, -1] == 8)[..., np.newaxis, :]
        return np.where(both, (right - np.uint64(128)) & np.uint64(0xFFFFFFFF), right)


class UpperCopiesOfBInPairs(WmmaDevice):
    """All but the first sixteen lanes take B from their neighbour, as by a lane number with a flipped bit."""

    def right(self, state: State, registers: Registers, width: Width) -> Bits:
        columns = super().right(state, registers, width).copy()
        columns[:, :, 1:] = columns[:, :, 1:][..., np.arange(columns.shape[-1]) ^ 1]
        return columns


class LastPairInSixteenBits(WmmaDevice):
    """The last two products of signed bytes are added in sixteen bits, which twice -128 times -128 exceeds."""

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        right = super().product(step, a, b, c)
        if self.formats(step) != ("s8", "s8", "s32"):
            return right
        byte, word = format_named("s8"), format_named("s32")
        pair = integers_of(byte, a)[..., -2:] @ integers_of(byte, b)[..., -2:, :]
        wrapped = (pair + (1 << 15)) % (1 << 16) - (1 << 15)
        rest = integers_of(byte, a)[..., :-2] @ integers_of(byte, b)[..., :-2, :] + integers_of(word, c)
        limits = np.iinfo(np.int32)
        total = rest + wrapped
        return np.where(
            wrapped == pair,
            right,
            bits_of_integers(word, np.clip(total, limits.min, limits.max) if step.clamp else total),
        )
