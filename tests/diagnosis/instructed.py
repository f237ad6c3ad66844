"""Devices of RDNA3 that are wrong in what they do with a modifier, a constant, a fill, or an element that is moved."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec.structs import replace

from mmaspec.backends.numpy.amd_rdna3_wmma.device import Registers, State, WmmaDevice
from mmaspec.backends.numpy.amd_rdna3_wmma.instructions import Modified
from mmaspec.backends.numpy.units.unit import Bits, Overflow
from mmaspec.programs.amd_rdna3_wmma.program import AnyWmma, Fill, Load, Store, VWmma, Wmma, WmmaProgram

EXPONENTS = {"float": (0x7F800000,), "half": (0x7C00, 0x7C000000), "short": (0x7F80, 0x7F800000)}
"""Element -> the exponents of the elements in a register."""
FRACTIONS = {"float": (0x007FFFFF,), "half": (0x03FF, 0x03FF0000), "short": (0x007F, 0x007F0000)}
INVERSE_2PI = {"f16": 0x3118, "f32": 0x3E22F983}


def flushed(element: str, words: Registers) -> Registers:
    """Registers whose subnormals are zeros of the same sign."""
    for exponent, fraction in zip(EXPONENTS.get(element, ()), FRACTIONS.get(element, ()), strict=True):
        words = np.where(words & np.uint32(exponent), words, words & ~np.uint32(fraction))
    return words.astype(np.uint32)


class FlushesWhereItLoads(WmmaDevice):
    """Subnormals of an element type are zero as soon as they are loaded for a use."""

    element, use = "float", "cd"

    def load(self, state: State, step: Load) -> None:
        super().load(state, step)
        fragment = state.fragments[step.into]
        if (fragment.element, fragment.use) == (self.element, self.use):
            state.registers[step.into] = flushed(fragment.element, state.registers[step.into])


class FlushesWhereItStores(WmmaDevice):
    """The same where they are stored."""

    element, use = "float", "cd"

    def store(self, state: State, step: Store) -> None:
        fragment, kept = state.fragments[step.fragment], state.registers[step.fragment]
        if (fragment.element, fragment.use) == (self.element, self.use):
            state.registers[step.fragment] = flushed(fragment.element, kept)
        super().store(state, step)
        state.registers[step.fragment] = kept


class ClampsTwo(WmmaDevice):
    """Clamp counts only where A and B are two register sets."""

    def overflow(self, step: Wmma) -> Overflow:
        return "wrap" if step.a == step.b else super().overflow(step)


class AlwaysClampsOne(WmmaDevice):
    """Sums of one register set as both factors are saturated, whatever clamp says."""

    def overflow(self, step: Wmma) -> Overflow:
        return "saturate" if step.a == step.b and step.clamp is not None else super().overflow(step)


class OneConstantWrong(WmmaDevice):
    """One inline constant is another word; of numbers it is a little too large."""

    integer: int = 63
    times: float = 0.0

    def constants(self, step: Modified, zeros: Registers) -> Registers:
        found = super().constants(step, zeros)
        result = self.results_in(step)
        if not self.times:
            wrong = result == "i32" and step.constant == self.integer & 0xFFFFFFFF
            return found - np.uint32(1) if wrong else found
        if step.constant != INVERSE_2PI.get(result):
            return found
        number = np.float32(self.times / (2 * np.pi))
        word = number.view(np.uint32) if result == "f32" else np.float16(number).view(np.uint16)
        return np.full_like(found, word)


class FillsMissLanes(WmmaDevice):
    """Factors that are set to a constant keep what some lanes held."""

    lanes: Any = slice(3, None, 16)

    def fill(self, state: State, step: Fill) -> None:
        held = state.registers[step.into]
        super().fill(state, step)
        if state.fragments[step.into].use != "cd":
            state.registers[step.into][:, :, self.lanes] = held[:, :, self.lanes]


class FillsLowHalves(WmmaDevice):
    """Factors of 16 bits that are set to a constant get it in low halves only."""

    def word_of(self, fragment: Any, bits: int) -> int:
        word = super().word_of(fragment, bits)
        return word & 0xFFFF if fragment.use != "cd" and fragment.element in ("half", "short") else word


class _Remembers(WmmaDevice):
    """Something of a product is still there in the next one of the program."""

    kept: Any = None

    def run(self, program: WmmaProgram, inputs: Any) -> Any:
        self.kept = None
        return super().run(program, inputs)

    def multiply(self, state: State, step: AnyWmma) -> None:
        super().multiply(state, self.carried_out(step))

    def carried_out(self, step: AnyWmma) -> AnyWmma:
        """What is carried out for a product."""
        return step


class ClampOfBefore(_Remembers):
    """Clamp is that of the product before it."""

    def carried_out(self, step: AnyWmma) -> AnyWmma:
        if step.a_sign is None:
            return step
        before, self.kept = self.kept, step.clamp
        return step if before is None else replace(step, clamp=before)


class SignsOfFirst(_Remembers):
    """Integers are signed as those of the first product are."""

    def carried_out(self, step: AnyWmma) -> AnyWmma:
        if step.a_sign is None:
            return step
        self.kept = self.kept or (step.a_sign, step.b_sign)
        a, b = self.kept
        if isinstance(step, VWmma):
            return replace(step, neg_lo=(a, b, step.neg_lo[2]))
        return replace(step, a_sign=a, b_sign=b)


class ChangesOfSignStay(_Remembers):
    """Modifiers of operands stay on for later instructions."""

    def carried_out(self, step: AnyWmma) -> AnyWmma:
        if not isinstance(step, VWmma) or step.integer:
            return step
        before = self.kept or ((False,) * 3, (False,) * 3)
        pairs = zip((step.neg_lo, step.neg_hi), before, strict=True)
        low, high = (tuple(x or y for x, y in zip(mine, left, strict=True)) for mine, left in pairs)
        self.kept = (low, high)
        return replace(step, neg_lo=low, neg_hi=high)


class ChangesOfSignOfBefore(_Remembers):
    """They are those of the instruction before it."""

    def carried_out(self, step: AnyWmma) -> AnyWmma:
        if not isinstance(step, VWmma) or step.integer:
            return step
        before, self.kept = self.kept, (step.neg_lo, step.neg_hi)
        return step if before is None else replace(step, neg_lo=before[0], neg_hi=before[1])


class ConstantOfBefore(_Remembers):
    """A constant for C is that of the instruction before it that had one of its format."""

    def carried_out(self, step: AnyWmma) -> AnyWmma:
        if not isinstance(step, VWmma) or step.c is not None:
            return step
        kept = self.kept or {}
        before, self.kept = kept.get(step.result), {**kept, step.result: step.inline}
        return step if before is None else replace(step, inline=before)


class InfinityIsFinite(WmmaDevice):
    """An infinity in a C of f16 is 65536, beyond the largest number but not infinite."""

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        found = super().product(step, a, b, c)
        if self.results_in(step) != "f16":
            return found
        infinite = c & np.uint64(0x7FFF) == 0x7C00
        single = np.where(infinite, c >> np.uint64(15) << np.uint64(31) | np.uint64(0x47800000), np.uint64(0))
        sums = self.unit.multiply_add("f16", a, "f16", b, "f32", single, "wrap")
        with np.errstate(over="ignore", invalid="ignore"):
            narrow = sums.astype(np.uint32).view(np.float32).astype(np.float16).view(np.uint16)
        return np.where(infinite, narrow.astype(np.uint64), found)
