"""RDNA3 devices that find elements of A or B in other bits of their registers, or read them as other numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.amd_rdna3_wmma.device import GROUP, Registers, State, Width, WmmaDevice
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.amd_rdna3_wmma.program import Fragment, Load, Wmma

Order = Callable[[NDArray[np.int64]], NDArray[np.int64]]
"""From the numbers 0 to 15 of k to those of what stands there instead."""


class KOtherwise(WmmaDevice):
    """Elements of one factor, of one width, stand in another order of k: in both factors it would not show."""

    def __init__(self, unit: ArithmeticUnit, *, factor: str, width: Width, order: Order) -> None:
        super().__init__(unit)
        self._factor, self._width, self._order = factor, width, order(np.arange(GROUP))

    def left(self, state: State, registers: Registers, width: Width) -> Bits:
        """In that order, if it is about A."""
        found = super().left(state, registers, width)
        return found[..., self._order] if (self._factor, self._width) == ("a", width) else found

    def right(self, state: State, registers: Registers, width: Width) -> Bits:
        """In that order, if it is about B."""
        found = super().right(state, registers, width)
        return found[..., self._order, :] if (self._factor, self._width) == ("b", width) else found


def by_register(each: int) -> Order:
    """``each`` elements a VGPR: k goes round the VGPRs, and comes to the next place in each when all had one."""
    count = GROUP // each
    return lambda k: k % count * each + k // count


def reversed_in(each: int) -> Order:
    """The last of every ``each`` elements first."""
    return lambda k: k ^ (each - 1)


def exchanged(distance: int) -> Order:
    """Those so far apart exchanged: a power of two."""
    return lambda k: k ^ distance


class NibblesInBytes(WmmaDevice):
    """Elements of four bits are the low halves of bytes: there are eight in two VGPRs, and the others are zero."""

    def elements(self, registers: Registers, width: Width) -> Bits:
        """Eight elements, and eight zeros."""
        if width != 4:
            return super().elements(registers, width)
        low = super().elements(registers, 8) & np.uint64(0xF)
        return np.concatenate((low, np.zeros_like(low)), axis=-1)


class ConstantsFill(WmmaDevice):
    """A constant for A or B of one width fills only some of the places of each VGPR."""

    def __init__(self, unit: ArithmeticUnit, *, slots: int, word: int) -> None:
        super().__init__(unit)
        self._slots, self._word = slots, word

    def word_of(self, fragment: Fragment, bits: int) -> int:
        """In the places that ``word`` has ones for."""
        mine = fragment.use != "cd" and fragment.count == self._slots
        return bits * self._word if mine else super().word_of(fragment, bits)


class CopiesInPart(WmmaDevice):
    """The lanes above 15 hold further k of one factor; the other one has its copies."""

    def __init__(self, unit: ArithmeticUnit, *, factor: str) -> None:
        super().__init__(unit)
        self._factor = factor

    def left(self, state: State, registers: Registers, width: Width) -> Bits:
        """Parts of k from every group, if it is about A."""
        found = super().left(state, registers, width)
        return self._parts(found) if self._factor == "a" else found

    def right(self, state: State, registers: Registers, width: Width) -> Bits:
        """Parts of k from every group, if it is about B."""
        found = super().right(state, registers, width)
        return np.swapaxes(self._parts(np.swapaxes(found, -1, -2)), -1, -2) if self._factor == "b" else found

    def _parts(self, lines: Bits) -> Bits:
        groups = lines.shape[2]
        part = GROUP // groups
        joined = np.concatenate([lines[:, :, group, :, :part] for group in range(groups)], axis=-1)
        return np.broadcast_to(joined[:, :, np.newaxis], lines.shape)


class HeldOnce(WmmaDevice):
    """A and B are held once, by lanes 0-15, and every group stores what these hold."""

    def load(self, state: State, step: Load) -> None:
        """The first group's vectors in all groups."""
        super().load(state, step)
        if state.fragments[step.into].use != "cd":
            held = state.registers[step.into]
            state.registers[step.into] = np.tile(held[:, :, :GROUP], (1, 1, state.groups, 1))


class TwoCopiesOfTwoParts(WmmaDevice):
    """Of four groups of lanes two hold the first eight k, and the other two, in their places, the last eight."""

    def lines(self, state: State, elements: Bits) -> Bits:
        """The first half of k from an even group, the second from the odd one after it, where its first would be."""
        found = super().lines(state, elements)
        if state.groups < 4:
            return found
        half = GROUP // 2
        joined = np.concatenate((found[:, :, 0, :, :half], found[:, :, 1, :, :half]), axis=-1)
        return np.broadcast_to(joined[:, :, np.newaxis], found.shape)


class FormatsChanged(WmmaDevice):
    """Elements of A and B, or of C and D, are read as another format has them."""

    def __init__(
        self,
        unit: ArithmeticUnit,
        *,
        a: Mapping[str, str] | None = None,
        b: Mapping[str, str] | None = None,
        c: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(unit)
        self._a, self._b, self._c = a or {}, b or {}, c or {}

    def formats(self, step: Wmma) -> tuple[str, str, str]:
        """Of A, B and C."""
        a, b, c = super().formats(step)
        return self._a.get(a, a), self._b.get(b, b), self._c.get(c, c)
