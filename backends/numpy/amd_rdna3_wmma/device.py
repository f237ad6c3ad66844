"""The reference device for RDNA3 products: register files as arrays; each sixteen lanes compute their own rows.

A register file has the shape ``(batch, waves, lanes, vgprs)`` and holds 32-bit words. The lanes of a wave form
groups of sixteen; group g holds the rows of C and D that are g modulo the number of groups, and takes A and B from
its own lanes, which is why they have to be there in every group.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy import register_kernels
from mmaspec.backends.numpy.amd_rdna3_wmma.instructions import HIGH, LOW, Modified, as_call
from mmaspec.backends.numpy.amd_rdna3_wmma.validity import broken
from mmaspec.backends.numpy.backend import Submitted
from mmaspec.backends.numpy.register_kernels import STALE, RegisterDevice
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits, Overflow
from mmaspec.programs.amd_rdna3_wmma.caps import DEFAULT_CAPS, Caps
from mmaspec.programs.amd_rdna3_wmma.program import AnyWmma, Fragment, VWmma, Wmma, WmmaProgram

Registers = NDArray[np.uint32]
Width = Literal[4, 8, 16]
"""Bits of an element of A and B."""

GROUP = 16
"""Lanes that hold one line of A or B each."""

WIDTHS: dict[str, Width] = {"f16": 16, "bf16": 16, "iu8": 8, "iu4": 4}
"""Format of A and B in a builtin's name -> bits of an element."""

_WORD = np.dtype("<u4")
_PACKED: dict[Width, np.dtype[Any]] = {16: np.dtype("<u2"), 8: np.dtype("u1"), 4: np.dtype("u1")}
"""Bits of an element -> what a register is cut into, the low end first."""

NARROW = ("f16", "bf16")
"""Formats of C and D that fill half a VGPR."""


@lru_cache(maxsize=64)
def _parts(builtin: str) -> list[str]:
    """The parts of a builtin's name, apart."""
    return builtin.split("_")


@dataclass(slots=True)
class State(register_kernels.State[WmmaProgram, Fragment]):
    """Memory and registers while a program runs."""

    @property
    def groups(self) -> int:
        """Groups of sixteen lanes in a wave."""
        return self.program.wave_size // GROUP


class WmmaDevice(RegisterDevice[WmmaProgram, Fragment, State]):
    """Executes kernels over one arithmetic unit."""

    state_type: ClassVar[type[register_kernels.State[Any, Any]]] = State

    def __init__(self, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.caps: Caps = DEFAULT_CAPS
        self._own_lines: dict[int, NDArray[np.int64]] = {}

    def broken(self, submitted: Submitted) -> tuple[str, ...]:
        """The clauses by which a compiler for this architecture refuses a program; no rule here looks at data."""
        return tuple(sorted(broken(submitted.program) - self.unchecked))

    def multiply(self, state: State, step: AnyWmma) -> None:
        """A product of a builtin, or the same as an instruction."""
        self.wmma(state, as_call(step, state.program.wave_size) if isinstance(step, VWmma) else step)

    # Registers

    def word_of(self, fragment: Fragment, bits: int) -> int:
        """A VGPR in which every element has these bits."""
        if fragment.element in ("half", "short"):
            return bits << 16 | bits
        if fragment.use == "cd" or fragment.element == "float":
            return bits
        # Sixteen integers of 4 bits are two slots, of 8 bits four.
        return bits * (0x11111111 if fragment.count == 2 else 0x01010101)

    def elements(self, registers: Registers, width: Width) -> Bits:
        """Sixteen packed elements of each lane, from the low end up: ``(batch, waves, lanes, 16)``."""
        words = np.ascontiguousarray(registers, _WORD)
        packed = words.view(_PACKED[width])
        split = np.stack((packed & 0xF, packed >> 4), axis=-1) if width < 8 else packed
        return split.reshape(*registers.shape[:-1], -1).astype(np.uint64)

    def lines(self, state: State, elements: Bits) -> Bits:
        """Each group's copy of the sixteen lines: ``(batch, waves, groups, line, k)``."""
        return elements.reshape(*elements.shape[:2], state.groups, GROUP, elements.shape[-1])

    def left(self, state: State, registers: Registers, width: Width) -> Bits:
        """A as each group sees it: ``(batch, waves, groups, row, k)``."""
        return self.lines(state, self.elements(registers, width))

    def right(self, state: State, registers: Registers, width: Width) -> Bits:
        """B as each group sees it: ``(batch, waves, groups, k, column)``."""
        return self.lines(state, self.elements(registers, width)).swapaxes(-1, -2)

    def rows_of(self, groups: int) -> NDArray[np.int64]:
        """The row of C and D that VGPR v of group g holds, shape ``(groups, vgprs)``."""
        return np.arange(GROUP).reshape(GROUP // groups, groups).T

    def own_lines(self, groups: int) -> NDArray[np.int64]:
        """Where the rows that a group computes are among the lines of all groups, shape ``(groups, vgprs)``."""
        if groups not in self._own_lines:
            self._own_lines[groups] = GROUP * np.arange(groups)[:, np.newaxis] + self.rows_of(groups)
        return self._own_lines[groups]

    def accumulators(self, state: State, registers: Registers) -> Bits:
        """C as each group holds it: ``(batch, waves, groups, vgpr, column)``."""
        split = registers.reshape(*registers.shape[:2], state.groups, GROUP, registers.shape[-1])
        return split.swapaxes(-1, -2).astype(np.uint64)

    def results(self, state: State, rows: Bits) -> Registers:
        """The inverse of ``accumulators``."""
        lanes = rows.swapaxes(-1, -2).astype(np.uint32, order="C")
        return lanes.reshape(*rows.shape[:2], state.program.wave_size, rows.shape[-2])

    # Modifiers of instructions

    def factor(self, state: State, step: Wmma, name: str) -> Registers:
        """The registers of A or B, with changed signs where an instruction says so."""
        registers: Registers = state.registers[step.a if name == "a" else step.b]
        if not isinstance(step, Modified):
            return registers
        return registers ^ np.uint32(step.a_signs if name == "a" else step.b_signs)

    def addend(self, state: State, step: Wmma) -> Registers:
        """The registers of C, or as many with an instruction's constant."""
        found: Registers = super().addend(state, step)
        if step.c is None and isinstance(step, Modified):
            return self.constants(step, found)
        return found

    def constants(self, step: Modified, zeros: Registers) -> Registers:
        """Registers with the constant of an instruction."""
        return np.full_like(zeros, step.constant)

    def with_sign(self, step: Wmma, c: Bits) -> Bits:
        """Elements of C as they are added: their absolute values, and these or they themselves negated."""
        if not isinstance(step, Modified):
            return c
        sign = np.uint64(LOW if self.results_in(step) in NARROW else HIGH)
        taken = c & ~sign if step.c_absolute else c
        return taken ^ sign if step.c_negative else taken

    # Halves of VGPRs

    def reads_high(self, step: Wmma) -> bool:
        """Whether C of 16 bits is in the high halves of its VGPRs."""
        return bool(step.opsel)

    def writes_high(self, step: Wmma) -> bool:
        """Whether D of 16 bits goes to the high halves of its VGPRs: the same flag says both."""
        return bool(step.opsel)

    def addends(self, step: Wmma, words: Bits) -> Bits:
        """The elements of C in the VGPRs that hold it."""
        if self.results_in(step) not in NARROW:
            return words
        return words >> np.uint64(16 if self.reads_high(step) else 0) & np.uint64(0xFFFF)

    def beside(self, state: State, step: Wmma, words: Bits) -> Bits:
        """What the VGPRs of D hold beside the results, in the place where it stays; ``words`` are those of C.

        Tied builtins keep what C has there. After another one it may be anything: here it is what nobody wrote.
        """
        del state
        return words if self.tied(step) else np.full_like(words, STALE)

    def placed(self, state: State, step: Wmma, sums: Bits, words: Bits) -> Bits:
        """The VGPRs of D, as results and what stands beside them make them up; ``words`` are those of C."""
        if self.results_in(step) not in NARROW:
            return sums
        other = self.beside(state, step, words)
        if self.writes_high(step):
            return sums << np.uint64(16) | other & np.uint64(0xFFFF)
        return sums | other & np.uint64(0xFFFF0000)

    # Arithmetic

    def results_in(self, step: Wmma) -> str:
        """Format of C and D, as the builtin's name has it."""
        return _parts(step.builtin)[0]

    def operands_in(self, step: Wmma) -> str:
        """Format of A and B, as the builtin's name has it."""
        return _parts(step.builtin)[2]

    def tied(self, step: Wmma) -> bool:
        """Whether the builtin keeps the other halves of C."""
        return "tied" in _parts(step.builtin)

    def formats(self, step: Wmma) -> tuple[str, str, str]:
        """Formats of A, B and C."""
        operands, results = self.operands_in(step), self.results_in(step)
        if results != "i32":
            return operands, operands, results
        width = operands.removeprefix("iu")
        return ("su"[not step.a_sign] + width, "su"[not step.b_sign] + width, "s32")

    def overflow(self, step: Wmma) -> Overflow:
        """What clamp does with sums outside the range."""
        return "saturate" if step.clamp else "wrap"

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        """Sums of products of the rows of each group."""
        a_fmt, b_fmt, c_fmt = self.formats(step)
        return self.unit.multiply_add(a_fmt, a, b_fmt, b, c_fmt, c, self.overflow(step))

    def wmma(self, state: State, step: Wmma) -> None:
        """Every group multiplies its rows of A with its copy of B."""
        width = WIDTHS[self.operands_in(step)]
        a = self.left(state, self.factor(state, step, "a"), width)
        b = self.right(state, self.factor(state, step, "b"), width)
        own = a.reshape(*a.shape[:2], -1, a.shape[-1]).take(self.own_lines(state.groups), axis=2)
        words = self.accumulators(state, self.addend(state, step))
        sums = self.product(step, own, b, self.with_sign(step, self.addends(step, words)))
        state.registers[step.d] = self.results(state, self.placed(state, step, sums, words))
