"""RDNA3 devices that deviate in one place each; ``catalogue.FAULTS`` names the clauses."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from mmaspec.backends.faults import register_kernels
from mmaspec.backends.numpy.amd_rdna3_wmma.device import GROUP, Registers, State, Width, WmmaDevice
from mmaspec.backends.numpy.amd_rdna3_wmma.instructions import Modified
from mmaspec.backends.numpy.units.unit import Bits, Overflow
from mmaspec.programs.amd_rdna3_wmma.program import Fragment, VWmma, Wmma, WmmaProgram


def tags(program: WmmaProgram, step: Wmma | VWmma | None) -> frozenset[str]:
    """The tags of the caps row to which a call in a program belongs; none of None."""
    if isinstance(step, Wmma):
        result, _, *rest = step.builtin.split("_")
        return frozenset({*rest, "acc-s32" if result == "i32" else f"acc-{result}", KINDS.get(result, "float")})
    if step is None:
        return frozenset()
    accumulator = "s32" if step.integer else step.result
    kind = KINDS.get(step.result, "float")
    return frozenset({step.operands, f"w{program.wave_size}", f"v-acc-{accumulator}", f"v-{kind}"})


def literal(step: Wmma) -> bool:
    """Whether C is a literal of zeros; of an instruction, the constant 0."""
    return step.c is None and not (isinstance(step, Modified) and step.constant)


KINDS = {"i32": "int"}
"""Format of C and D -> kind of its rows."""


def _signed(bits: Bits) -> NDArray[np.int64]:
    """32-bit integers of their codes."""
    return (bits.astype(np.int64) ^ 0x80000000) - 0x80000000


class OperandsExchanged(WmmaDevice):
    """A is taken from B's registers and B from A's, so the product comes out transposed."""

    def wmma(self, state: State, step: Wmma) -> None:
        """A and B change places, flags included."""
        super().wmma(state, replace(step, a=step.b, b=step.a, a_sign=step.b_sign, b_sign=step.a_sign))


class CDropped(register_kernels.CDropped, WmmaDevice):
    """C is zero."""


class ColumnsOfA(WmmaDevice):
    """The comments of the sample taken at their word: a lane holds a column of A and a row of B."""

    def left(self, state: State, registers: Registers, width: Width) -> Bits:
        """Transposed."""
        return np.swapaxes(super().left(state, registers, width), -1, -2)

    def right(self, state: State, registers: Registers, width: Width) -> Bits:
        """Transposed."""
        return np.swapaxes(super().right(state, registers, width), -1, -2)


class HalvesOfASwapped(WmmaDevice):
    """Odd k in the low half, in A only: a swap in both factors would not show."""

    def left(self, state: State, registers: Registers, width: Width) -> Bits:
        """Neighbours in k exchanged."""
        k = np.arange(16)
        return super().left(state, registers, width)[..., k ^ 1]


class BytesOfBBigEndian(WmmaDevice):
    """k ascends from the high byte of each VGPR, in B only."""

    def right(self, state: State, registers: Registers, width: Width) -> Bits:
        """Every four k reversed."""
        k = np.arange(16)
        return super().right(state, registers, width)[..., k ^ 3, :]


class FurtherElements(WmmaDevice):
    """The lanes above 15 hold the rest of k, as on the architecture after this one: lanes 0-15 its first part."""

    def lines(self, state: State, elements: Bits) -> Bits:
        """The first part of k from each group, one after the other."""
        lines = super().lines(state, elements)
        part = GROUP // state.groups
        spread = [lines[:, :, group, :, :part] for group in range(state.groups)]
        joined = np.concatenate(spread, axis=-1)
        return np.broadcast_to(joined[:, :, None], lines.shape)


class RowsInSequence(WmmaDevice):
    """Group g holds consecutive rows: rows 8g to 8g+7 of a wave32, 4g to 4g+3 of a wave64."""

    def rows_of(self, groups: int) -> NDArray[np.int64]:
        """Consecutive rows."""
        return np.arange(GROUP).reshape(groups, GROUP // groups)


class ResultsReplicated(WmmaDevice):
    """D in lanes 0-15 alone, and copies of it in the others, as A and B have them."""

    def results(self, state: State, rows: Bits) -> Registers:
        """The first group's rows for all."""
        return super().results(state, np.broadcast_to(rows[:, :, :1], rows.shape))


class SignFlagsExchanged(WmmaDevice):
    """A's flag is B's, and the other way round."""

    def formats(self, step: Wmma) -> tuple[str, str, str]:
        """By the flags exchanged."""
        return super().formats(replace(step, a_sign=step.b_sign, b_sign=step.a_sign))


class AlwaysSigned(WmmaDevice):
    """Both operands are signed, whatever the flags say."""

    def formats(self, step: Wmma) -> tuple[str, str, str]:
        """By flags that are set."""
        return super().formats(replace(step, a_sign=True, b_sign=True))


class SixteenBitSums(WmmaDevice):
    """Integer results keep 16 bits."""

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        """The low 16 bits, sign-extended."""
        total = super().product(step, a, b, c)
        if self.results_in(step) != "i32":
            return total
        return (((total & np.uint64(0xFFFF)) ^ np.uint64(0x8000)) - np.uint64(0x8000)) & np.uint64(0xFFFFFFFF)


class DotOfSixteenBits(WmmaDevice):
    """The sum of the sixteen products is clamped to 16 bits before C is added."""

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        """The dot product is clamped first."""
        if self.results_in(step) != "i32":
            return super().product(step, a, b, c)
        dot = super().product(step, a, b, np.zeros_like(c))
        total = _signed(c) + np.clip(_signed(dot), -0x8000, 0x7FFF)
        if step.clamp:
            total = np.clip(total, -(1 << 31), (1 << 31) - 1)
        return total.astype(np.uint64) & np.uint64(0xFFFFFFFF)


class SaturatesUnasked(WmmaDevice):
    """Clamp is always set."""

    def overflow(self, step: Wmma) -> Overflow:
        """As with clamp set."""
        return super().overflow(replace(step, clamp=True))


class ClampsUpperEndOnly(WmmaDevice):
    """Sums above the range are clamped, those below it wrap."""

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        """Wrapped where the lower end was passed."""
        clamped = super().product(step, a, b, c)
        wrapped = super().product(replace(step, clamp=False), a, b, c)
        return np.where(clamped == 0x80000000, wrapped, clamped) if step.clamp else wrapped


class ClampsUnsigned(WmmaDevice):
    """Clamp to the range of unsigned integers: every negative sum becomes zero."""

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        """Zero where the sum is negative."""
        total = super().product(step, a, b, c)
        return np.where(total >> np.uint64(31) != 0, np.uint64(0), total) if step.clamp else total


class SumsInHalf(WmmaDevice):
    """The sum is rounded to f16 before it is stored as f32."""

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        """Through f16."""
        total = super().product(step, a, b, c)
        if not step.builtin.startswith("f32"):
            return total
        with np.errstate(all="ignore"):
            values = total.astype(np.uint32).view(np.float32).astype(np.float16).astype(np.float32)
        return values.view(np.uint32).astype(np.uint64)


class InPlaceReadsNewValue(register_kernels.InPlaceReadsNewValue, WmmaDevice):
    """Where C is the destination, it is read after A*B was written there."""


class LiteralReadsDestination(WmmaDevice):
    """A literal zero for C is taken to mean the destination, as it stands."""

    def addend(self, state: State, step: Wmma) -> Registers:
        """The registers of D; constants of instructions but for zero are what they should be."""
        return state.registers[step.d] if literal(step) else super().addend(state, step)


class FillSkipsOddRegisters(register_kernels.FillSkipsOddRegisters, WmmaDevice):
    """Setting an accumulator to zero leaves every other VGPR as it was."""


class PassesStartAfresh(register_kernels.PassesStartAfresh, WmmaDevice):
    """Every pass of a loop finds C as it was before the loop."""


class FirstTileEveryPass(register_kernels.FirstTileEveryPass, WmmaDevice):
    """A load does not move on with the loop."""


class ConstantsFillLowHalves(WmmaDevice):
    """A constant vector of halves for A or B sets bits 15:0 of each VGPR only."""

    def word_of(self, fragment: Fragment, bits: int) -> int:
        """One half only."""
        halves = fragment.use != "cd" and fragment.element in ("half", "short")
        return bits if halves else super().word_of(fragment, bits)


class BaseIgnored(register_kernels.BaseIgnored, WmmaDevice):
    """Loads count blocks from the start of the buffer."""


class WavesShareBlock(register_kernels.WavesShareBlock, WmmaDevice):
    """Every wave loads what the first one does."""


class StoreSpills(register_kernels.StoreSpills, WmmaDevice):
    """A store writes one VGPR past its block."""
