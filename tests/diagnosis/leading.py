"""Devices whose defect a person could tell from what fails, so that the clause told first has to be right."""

from __future__ import annotations

from typing import Any

import numpy as np

from mmaspec.backends.faults.amd_rdna3_wmma.halves import SlotsMoved, from_next, packed
from mmaspec.backends.numpy.amd_rdna3_wmma.device import State, WmmaDevice
from mmaspec.backends.numpy.intel_subgroup_mma.device import MadDevice, MadState
from mmaspec.backends.numpy.register_kernels import RegisterDevice, Registers
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits, Overflow
from mmaspec.backends.protocol import Images
from mmaspec.oracle.numerics.ordinals import is_inf, is_nan
from mmaspec.programs.amd_rdna3_wmma.program import Wmma, WmmaProgram
from mmaspec.programs.formats import format_named
from mmaspec.programs.intel_subgroup_mma.program import Mad

MANY = 8
"""Items of a batch from which on devices take another path."""


class TakesRowOfItemBefore(MadDevice):
    """The last item of eight or more adds the first row of the accumulator of the item before it."""

    def accumulators(self, state: MadState, step: Mad) -> Bits:
        found = super().accumulators(state, step)
        if len(found) >= MANY:
            found[-1, :, 0] = found[-2, :, 0]
        return found


class FlipsInLargeBatches(MadDevice):
    """From two items on, another path exchanges the first two columns of every result: no item leaks to another."""

    def results(self, state: MadState, step: Mad, rows: Bits) -> Registers:
        order = [1, 0, *range(2, rows.shape[-1])] if len(rows) > 1 else slice(None)
        return super().results(state, step, rows[..., order])


class ZeroRowsReturnZero(MadDevice):
    """A row of A of zeros makes zeros of its row of the result, whatever the accumulator holds."""

    def product(self, formats: tuple[str, str, str], a: Bits, b: Bits, c: Bits) -> Bits:
        empty = ~a.reshape(*a.shape[:3], -1).any(-1)
        return np.where(empty[..., np.newaxis], np.uint64(0), super().product(formats, a, b, c))


class _InitialisedInFirst(RegisterDevice[Any, Any, Any]):
    """Initialisers of declarations are executed in the first wave only; the others find zeros."""

    begun = False

    def run(self, program: Any, inputs: Images) -> Images:
        self.begun = False
        return super().run(program, inputs)

    def step(self, state: Any, step: Any) -> None:
        if not self.begun:
            self.begun = True
            for name, fragment in state.fragments.items():
                if fragment.fill is not None:
                    state.registers[name][:, 1:] = 0
        super().step(state, step)


class InitialisedInFirstGroup(_InitialisedInFirst, MadDevice):
    """Of sub-groups."""


class InitialisedInFirstWave(_InitialisedInFirst, WmmaDevice):
    """Of waves."""


class HighRowsExchanged(WmmaDevice):
    """With OPSEL true C is read with even and odd rows exchanged, in wave32."""

    def addends(self, step: Wmma, words: Bits) -> Bits:
        found = super().addends(step, words)
        return found[:, :, ::-1] if step.opsel and found.shape[2] == 2 else found


class KeepsOpsel(WmmaDevice):
    """OPSEL of one call stays on for reading C in later ones of the program, where D is C."""

    kept = False

    def run(self, program: WmmaProgram, inputs: Images) -> Images:
        self.kept = False
        return super().run(program, inputs)

    def wmma(self, state: State, step: Wmma) -> None:
        super().wmma(state, step)
        self.kept = self.kept or bool(step.opsel)

    def reads_high(self, step: Wmma) -> bool:
        return super().reads_high(step) or (self.kept and step.c == step.d)


class InvertedOpsel(WmmaDevice):
    """OPSEL the other way round."""

    def reads_high(self, step: Wmma) -> bool:
        return not super().reads_high(step)

    def writes_high(self, step: Wmma) -> bool:
        return not super().writes_high(step)


class WritesOtherHalf(WmmaDevice):
    """D goes to the half that OPSEL does not name."""

    def writes_high(self, step: Wmma) -> bool:
        return not super().writes_high(step)


class WritesHighAlways(WmmaDevice):
    """D goes to the high halves in wave64."""

    def writes_high(self, step: Wmma) -> bool:
        return super().writes_high(step) or step.builtin.endswith("w64")


class PackedResults(SlotsMoved):
    """D has two elements in a VGPR, as A and B have."""

    def __init__(self, unit: ArithmeticUnit) -> None:
        super().__init__(unit, writes=packed)


class PackedAddends(SlotsMoved):
    """C has two elements in a VGPR."""

    def __init__(self, unit: ArithmeticUnit) -> None:
        super().__init__(unit, reads=packed)


class ReadsOtherHalf(WmmaDevice):
    """C is in the half that OPSEL does not name."""

    def reads_high(self, step: Wmma) -> bool:
        return not super().reads_high(step)


class HighSlotsFromNext(SlotsMoved):
    """High halves are counted from the next VGPR on."""

    def __init__(self, unit: ArithmeticUnit) -> None:
        super().__init__(unit, reads=from_next, writes=from_next)


class AddendsInSequence(WmmaDevice):
    """C alone is read with its rows in sequence in each group of lanes, in wave32."""

    def addends(self, step: Wmma, words: Bits) -> Bits:
        found = super().addends(step, words)
        if found.shape[2] != 2:
            return found
        rows = found.swapaxes(2, 3).reshape(*found.shape[:2], 1, -1, found.shape[-1])
        return rows.reshape(found.shape)


class UpperRowsTakeLower(MadDevice):
    """Of eight rows the last four take the accumulators of the first four; sums of integers alone."""

    def accumulators(self, state: MadState, step: Mad) -> Bits:
        found = super().accumulators(state, step)
        if found.shape[2] == 8 and self.sums(state, step) == "s32":
            found[:, :, 4:] = found[:, :, :4]
        return found


class TiedLeavesGarbage(WmmaDevice):
    """Of a tied form whose D is not C the other half is what no matrix holds."""

    def beside(self, state: State, step: Wmma, words: Bits) -> Bits:
        found = super().beside(state, step, words)
        return np.full_like(found, 0xA5A5A5A5) if self.tied(step) and step.c != step.d else found


class OverflowIsOne(SequentialUnit):
    """A float sum beyond the largest number becomes one with its sign, as where the exponent wraps."""

    def multiply_add(
        self, a_fmt: str, a: Bits, b_fmt: str, b: Bits, c_fmt: str, c: Bits, overflow: Overflow = "wrap"
    ) -> Bits:
        found = super().multiply_add(a_fmt, a, b_fmt, b, c_fmt, c, overflow)
        if not format_named(c_fmt).is_float:
            return found
        given = (format_named(fmt) for fmt in (a_fmt, b_fmt, c_fmt))
        finite = [~(is_inf(fmt, bits) | is_nan(fmt, bits)) for fmt, bits in zip(given, (a, b, c), strict=True)]
        fmt = format_named(c_fmt)
        lost = is_inf(fmt, found) & finite[0].all(-1)[..., None] & finite[1].all(-2)[..., None, :] & finite[2]
        one = {"f32": 0x3F800000, "f16": 0x3C00, "bf16": 0x3F80}[c_fmt]
        sign = np.uint64(1 << (fmt.bits - 1))
        return np.where(lost, np.uint64(one) | found & sign, found)
