"""The reference device for RDNA3 matrix builtins: register files as arrays; each sixteen lanes compute their own rows.

A register file has the shape ``(batch, waves, lanes, vgprs)`` and holds 32-bit words. The lanes of a wave form
groups of sixteen; group g holds the rows of C and D that are g modulo the number of groups, and takes A and B from
its own lanes, which is why they have to be there in every group.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy import register_kernels
from mmaspec.backends.numpy.amd_rdna3_wmma.validity import broken
from mmaspec.backends.numpy.backend import Submitted
from mmaspec.backends.numpy.register_kernels import RegisterDevice
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits, Overflow
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.amd_rdna3_wmma.program import Fragment, Wmma, WmmaProgram

Registers = NDArray[np.uint32]

GROUP = 16
"""Lanes that hold one line of A or B each."""


@dataclass(slots=True)
class State(register_kernels.State[WmmaProgram, Fragment]):
    """Memory and registers while a program runs."""

    @property
    def groups(self) -> int:
        """Groups of sixteen lanes in a wave."""
        return self.program.wave_size // GROUP


class WmmaDevice(RegisterDevice[WmmaProgram, Fragment, State]):
    """Executes kernels over one arithmetic unit."""

    state_type = State

    def __init__(self, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.caps: Caps = Caps()

    def broken(self, submitted: Submitted) -> tuple[str, ...]:
        """The clauses by which a compiler for this architecture refuses a program; no rule here looks at data."""
        return tuple(sorted(broken(submitted.program) - self.unchecked))

    def multiply(self, state: State, step: Wmma) -> None:
        """The only product that there is."""
        self.wmma(state, step)

    # Registers

    def word_of(self, fragment: Fragment, bits: int) -> int:
        """A VGPR in which every element has these bits."""
        if fragment.element in ("half", "short"):
            return bits << 16 | bits
        return bits if fragment.use == "cd" or fragment.element == "float" else bits * 0x01010101

    def elements(self, registers: Registers, width: Literal[8, 16]) -> Bits:
        """Sixteen packed elements of each lane, from the low end up: ``(batch, waves, lanes, 16)``."""
        packed = np.ascontiguousarray(registers.astype("<u4"))
        return packed.view("<u2" if width == 16 else np.uint8).astype(np.uint64)

    def lines(self, state: State, elements: Bits) -> Bits:
        """Each group's copy of the sixteen lines: ``(batch, waves, groups, line, k)``."""
        return elements.reshape(*elements.shape[:2], state.groups, GROUP, elements.shape[-1])

    def left(self, state: State, registers: Registers, width: Literal[8, 16]) -> Bits:
        """A as each group sees it: ``(batch, waves, groups, row, k)``."""
        return self.lines(state, self.elements(registers, width))

    def right(self, state: State, registers: Registers, width: Literal[8, 16]) -> Bits:
        """B as each group sees it: ``(batch, waves, groups, k, column)``."""
        return np.swapaxes(self.lines(state, self.elements(registers, width)), -1, -2)

    def rows_of(self, groups: int) -> NDArray[np.int64]:
        """The row of C and D that VGPR v of group g holds, shape ``(groups, vgprs)``."""
        return np.arange(GROUP).reshape(GROUP // groups, groups).T

    def accumulators(self, state: State, registers: Registers) -> Bits:
        """C as each group holds it: ``(batch, waves, groups, vgpr, column)``."""
        split = registers.reshape(*registers.shape[:2], state.groups, GROUP, registers.shape[-1])
        return np.swapaxes(split, -1, -2).astype(np.uint64)

    def results(self, state: State, rows: Bits) -> Registers:
        """The inverse of ``accumulators``."""
        lanes = np.swapaxes(rows, -1, -2).astype(np.uint32)
        return np.ascontiguousarray(lanes).reshape(*rows.shape[:2], state.program.wave_size, rows.shape[-2])

    # Arithmetic

    def formats(self, step: Wmma) -> tuple[str, str, str]:
        """Formats of A, B and C."""
        if step.builtin.startswith("f32"):
            return "f16", "f16", "f32"
        return ("s8" if step.a_sign else "u8"), ("s8" if step.b_sign else "u8"), "s32"

    def overflow(self, step: Wmma) -> Overflow:
        """What clamp does with sums outside the range."""
        return "saturate" if step.clamp else "wrap"

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        """Sums of products of the rows of each group."""
        a_fmt, b_fmt, c_fmt = self.formats(step)
        return self.unit.multiply_add(a_fmt, a, b_fmt, b, c_fmt, c, self.overflow(step))

    def wmma(self, state: State, step: Wmma) -> None:
        """Every group multiplies its rows of A with its copy of B."""
        width: Literal[8, 16] = 16 if step.builtin.startswith("f32") else 8
        a = self.left(state, state.registers[step.a], width)
        b = self.right(state, state.registers[step.b], width)
        rows = self.rows_of(state.groups)
        own = np.stack([a[:, :, group, rows[group], :] for group in range(state.groups)], axis=2)
        c = self.accumulators(state, self.addend(state, step))
        state.registers[step.d] = self.results(state, self.product(step, own, b, c))
