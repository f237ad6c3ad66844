"""The reference device for the sub-group matrix functions: work-items that broadcast A and sum over their own column.

Each register of a work-item is one component of a vector, a word of 32 bits or of 16. As in the document's sample, a
row of A comes as one word from every work-item in turn, and each work-item multiplies it with the part of its own
column of B whose turn it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mmaspec.backends.numpy.backend import Submitted
from mmaspec.backends.numpy.intel_subgroup_mma.offered import FORMATS
from mmaspec.backends.numpy.intel_subgroup_mma.validity import broken
from mmaspec.backends.numpy.register_kernels import RegisterDevice, Registers, State
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.formats import FORMATS as KNOWN
from mmaspec.programs.intel_subgroup_mma.caps import Caps
from mmaspec.programs.intel_subgroup_mma.program import Fragment, Mad, MadProgram

MadState = State[MadProgram, Fragment]

SHORT = ("short", "ushort", "half")
"""Components of 16 bits."""
SUMS = {"int": "s32", "float": "f32", "half": "f16", "short": "bf16"}
"""Component of the result, signed -> the format that it holds."""


class MadDevice(RegisterDevice[MadProgram, Fragment, MadState]):
    """Executes kernels over one arithmetic unit."""

    def __init__(self, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.caps: Caps = Caps()

    def broken(self, submitted: Submitted) -> tuple[str, ...]:
        """The clauses by which a compiler refuses a program; no rule here looks at data."""
        return tuple(sorted(broken(submitted.program, self.unchecked)))

    # Registers

    def word_type(self, fragment: Fragment) -> np.dtype[Any]:
        """A component."""
        return np.dtype(np.uint16 if fragment.component in SHORT else np.uint32)

    def word_of(self, fragment: Fragment, bits: int) -> int:
        """A component in which every element has these bits."""
        width = KNOWN[fragment.holds].bits
        return sum(bits << at for at in range(0, 8 * self.word_type(fragment).itemsize, width))

    def fields(self, words: Registers, bits: int) -> Bits:
        """The elements of so many bits in each word, the lowest first: a last axis more."""
        shifts = np.arange(0, 8 * words.dtype.itemsize, bits, dtype=np.uint64)
        return words[..., np.newaxis].astype(np.uint64) >> shifts & np.uint64((1 << bits) - 1)

    def halves(self, words: Registers) -> Registers:
        """Words of 32 bits as twice as many of 16, the low half first."""
        low, high = words.astype(np.uint16), (words >> np.uint32(16)).astype(np.uint16)
        return np.stack((low, high), axis=-1).reshape(*words.shape[:-1], -1)

    # Matrices

    def broadcasts(self, state: MadState, step: Mad) -> Registers:
        """What each work-item broadcasts of a row of A: ``(batch, waves, rows, turns)``."""
        return np.swapaxes(state.registers[step.a], -1, -2)

    def parts(self, state: MadState, step: Mad) -> Registers:
        """What each work-item multiplies, turn by turn: ``(batch, waves, items, turns)``."""
        words = state.registers[step.b]
        return self.halves(words) if state.registers[step.a].dtype.itemsize == 2 else words

    def left(self, state: MadState, step: Mad) -> Bits:
        """A as it is broadcast: ``(batch, waves, rows, turns, elements)``."""
        return self.fields(self.broadcasts(state, step), self.width(step))

    def right(self, state: MadState, step: Mad) -> Bits:
        """B as each work-item holds it: ``(batch, waves, items, turns, elements)``."""
        return self.fields(self.parts(state, step), self.width(step))

    def accumulators(self, state: MadState, step: Mad) -> Bits:
        """The addend: ``(batch, waves, rows, items)``."""
        return np.swapaxes(self.addend(state, step), -1, -2).astype(np.uint64)

    def results(self, state: MadState, step: Mad, rows: Bits) -> Registers:
        """The sums as the work-items keep them."""
        kept = np.swapaxes(rows, -1, -2).astype(state.registers[step.d].dtype)
        return np.ascontiguousarray(kept)

    # Arithmetic

    def width(self, step: Mad) -> int:
        """Bits of an element of A or B."""
        return KNOWN[self.factors(step)[0]].bits

    def factors(self, step: Mad) -> tuple[str, str]:
        """Formats of A and B, as the name has them."""
        a, b = step.function.split("_")[:2]
        return FORMATS.get(a, a), FORMATS.get(b, b)

    def sums(self, state: MadState, step: Mad) -> str:
        """Format of the accumulator."""
        return SUMS[state.fragments[step.d].component.removeprefix("u")]

    def product(self, formats: tuple[str, str, str], a: Bits, b: Bits, c: Bits) -> Bits:
        """Every turn's dot products and the addend, for all rows and work-items."""
        left = a.reshape(*a.shape[:3], -1)
        right = np.swapaxes(b.reshape(*b.shape[:3], -1), -1, -2)
        return self.unit.multiply_add(formats[0], left, formats[1], right, formats[2], c)

    def multiply(self, state: MadState, step: Mad) -> None:
        """Every work-item has the column of the result that has its number."""
        a, b, c = self.left(state, step), self.right(state, step), self.accumulators(state, step)
        formats = (*self.factors(step), self.sums(state, step))
        state.registers[step.d] = self.results(state, step, self.product(formats, a, b, c))
