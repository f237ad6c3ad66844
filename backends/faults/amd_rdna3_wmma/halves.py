"""RDNA3 devices that take 16-bit C from other halves of registers, or leave D or what stands beside it elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.faults.amd_rdna3_wmma.devices import literal
from mmaspec.backends.numpy.amd_rdna3_wmma.device import NARROW, Registers, State, WmmaDevice
from mmaspec.backends.numpy.register_kernels import STALE
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.amd_rdna3_wmma.program import Fragment, Wmma
from mmaspec.programs.register_kernels import Fill

Slots = Callable[[int, bool], NDArray[np.int64]]
"""(VGPRs, OPSEL) -> the slot of the element of each VGPR, in a lane's vector of twice as many slots."""


def as_stated(count: int, high: bool) -> NDArray[np.int64]:
    """Slot 2v, or 2v + 1 where OPSEL is set."""
    return 2 * np.arange(count) + high


def packed(count: int, high: bool) -> NDArray[np.int64]:
    """Two a VGPR, from the first one on, whatever OPSEL is."""
    del high
    return np.arange(count)


def one_half_after_the_other(count: int, high: bool) -> NDArray[np.int64]:
    """The low ones in the first half of the vector, the high ones in the second."""
    return np.arange(count) + count * high


def always_low(count: int, high: bool) -> NDArray[np.int64]:
    """OPSEL is not looked at."""
    del high
    return as_stated(count, high=False)


def always_high(count: int, high: bool) -> NDArray[np.int64]:
    """As if OPSEL were always set."""
    del high
    return as_stated(count, high=True)


def otherwise(count: int, high: bool) -> NDArray[np.int64]:
    """OPSEL the other way round."""
    return as_stated(count, not high)


def from_next(count: int, high: bool) -> NDArray[np.int64]:
    """High halves are counted from the next VGPR on."""
    return (as_stated(count, high) + (2 if high else 0)) % (2 * count)


def before(count: int, high: bool) -> NDArray[np.int64]:
    """With OPSEL the slot before that of the low half, as if slots were counted from one."""
    return (2 * np.arange(count) - high) % (2 * count)


def alternating(count: int, high: bool) -> NDArray[np.int64]:
    """In odd VGPRs the other half."""
    v = np.arange(count)
    return 2 * v + (v % 2 ^ high)


class SlotsMoved(WmmaDevice):
    """Elements of 16-bit C, D or both have other slots."""

    def __init__(self, unit: ArithmeticUnit, *, reads: Slots = as_stated, writes: Slots = as_stated) -> None:
        super().__init__(unit)
        self._reads, self._writes = reads, writes

    def addends(self, step: Wmma, words: Bits) -> Bits:
        """From these slots."""
        if self.results_in(step) not in NARROW:
            return words
        slots = self._reads(words.shape[-2], bool(step.opsel))
        return _slots_of(words)[..., slots, :]

    def placed(self, state: State, step: Wmma, sums: Bits, words: Bits) -> Bits:
        """Into these slots; the others as they stay beside results."""
        if self.results_in(step) not in NARROW:
            return sums
        held = _slots_of(self.beside(state, step, words))
        held[..., self._writes(words.shape[-2], bool(step.opsel)), :] = sums
        return held[..., ::2, :] | held[..., 1::2, :] << np.uint64(16)


def _slots_of(words: Bits) -> Bits:
    """VGPRs ``(..., vgprs, columns)`` as slots of 16 bits, ``(..., 2 * vgprs, columns)``."""
    both = np.stack((words & np.uint64(0xFFFF), words >> np.uint64(16)), axis=-2)
    return both.reshape(*words.shape[:-2], -1, words.shape[-1])


Beside = Callable[["OtherHalf", State, Wmma, Bits], Bits]
"""(device, state, call, VGPRs of C) -> the VGPRs from which the other halves of D come."""


class OtherHalf(WmmaDevice):
    """Tied builtins leave something else in the halves that OPSEL does not name."""

    def __init__(self, unit: ArithmeticUnit, *, other: Beside) -> None:
        super().__init__(unit)
        self._other = other

    def beside(self, state: State, step: Wmma, words: Bits) -> Bits:
        """That, for tied builtins."""
        return self._other(self, state, step, words) if self.tied(step) else super().beside(state, step, words)


def zeros(device: OtherHalf, state: State, step: Wmma, words: Bits) -> Bits:
    """Cleared."""
    del device, state, step
    return np.zeros_like(words)


def stale(device: OtherHalf, state: State, step: Wmma, words: Bits) -> Bits:
    """Anything, as after other builtins."""
    del device, state, step
    return np.full_like(words, STALE)


def old_destination(device: OtherHalf, state: State, step: Wmma, words: Bits) -> Bits:
    """What D held."""
    del words
    return device.accumulators(state, state.registers[step.d])


def named_half(device: OtherHalf, state: State, step: Wmma, words: Bits) -> Bits:
    """The half of C that was added, once more."""
    del device, state, step
    return (words & np.uint64(0xFFFF)) << np.uint64(16) | words >> np.uint64(16)


def zeros_if_in_place(device: OtherHalf, state: State, step: Wmma, words: Bits) -> Bits:
    """Cleared where D is C."""
    return zeros(device, state, step, words) if step.c == step.d else words


def destination_for_literal(device: OtherHalf, state: State, step: Wmma, words: Bits) -> Bits:
    """What D held, where C is a literal of zeros."""
    return old_destination(device, state, step, words) if step.c is None else words


def cleared_above(device: OtherHalf, state: State, step: Wmma, words: Bits) -> Bits:
    """High halves are cleared, as if D were extended to 32 bits; low ones are kept."""
    return words if step.opsel else zeros(device, state, step, words)


def sign_above(device: OtherHalf, state: State, step: Wmma, words: Bits) -> Bits:
    """High halves repeat the lowest bit of what they held."""
    del device, state
    return words if step.opsel else np.where(words & np.uint64(0x10000) != 0, np.uint64(0xFFFF0000), np.uint64(0))


class ResultInBothHalves(WmmaDevice):
    """Tied builtins write the result to both halves."""

    def placed(self, state: State, step: Wmma, sums: Bits, words: Bits) -> Bits:
        """Twice."""
        if self.results_in(step) in NARROW and self.tied(step):
            return sums << np.uint64(16) | sums
        return super().placed(state, step, sums, words)


class LiteralClearsLowHalves(WmmaDevice):
    """A literal of zeros for C clears the low halves; in the high ones is what D held."""

    def addend(self, state: State, step: Wmma) -> Registers:
        """D, with its low halves cleared."""
        if literal(step) and self.results_in(step) in NARROW:
            return state.registers[step.d] & np.uint32(0xFFFF0000)
        return super().addend(state, step)


class FillsLowHalves(WmmaDevice):
    """A constant for 16-bit C sets the low halves; the high ones stay as they were."""

    def fill(self, state: State, step: Fill) -> None:
        """Low halves only."""
        old = state.registers[step.into]
        super().fill(state, step)
        if _halves(state.fragments[step.into]):
            state.registers[step.into] = state.registers[step.into] & np.uint32(0xFFFF) | old & np.uint32(0xFFFF0000)


class DeclarationsFillLowHalves(WmmaDevice):
    """A constant for 16-bit C is zero-extended to 32 bits."""

    def word_of(self, fragment: Fragment, bits: int) -> int:
        """Low halves only."""
        return bits if _halves(fragment) else super().word_of(fragment, bits)


def _halves(fragment: Fragment) -> bool:
    return fragment.use == "cd" and fragment.element in ("half", "short")
