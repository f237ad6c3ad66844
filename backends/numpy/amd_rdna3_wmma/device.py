"""The reference device for RDNA3 matrix builtins: register files as arrays; each sixteen lanes compute their own rows.

A register file has the shape ``(batch, waves, lanes, vgprs)`` and holds 32-bit words. The lanes of a wave form
groups of sixteen; group g holds the rows of C and D that are g modulo the number of groups, and takes A and B from
its own lanes, which is why they have to be there in every group.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.amd_rdna3_wmma.validity import broken
from mmaspec.backends.numpy.backend import Submitted
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits, Overflow
from mmaspec.backends.protocol import Images
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.amd_rdna3_wmma.program import (
    Fill,
    Fragment,
    Index,
    Load,
    Plain,
    Repeat,
    RunTime,
    Store,
    Wmma,
    WmmaProgram,
)
from mmaspec.programs.base import Buffer
from mmaspec.programs.windows import piece, within

Registers = NDArray[np.uint32]

GROUP = 16
"""Lanes that hold one line of A or B each."""

STALE = 0x7A5AB5A5
"""What a register holds that nothing has written."""


@dataclass(slots=True)
class State:
    """Memory and registers while a program runs; ``entry`` are the registers as the enclosing loop found them."""

    program: WmmaProgram
    images: dict[str, NDArray[np.uint8]]
    registers: dict[str, Registers]
    fragments: dict[str, Fragment]
    buffers: dict[str, Buffer]
    loop: int = 0
    entry: dict[str, Registers] = field(default_factory=dict)

    @property
    def groups(self) -> int:
        """Groups of sixteen lanes in a wave."""
        return self.program.wave_size // GROUP


class WmmaDevice:
    """Executes kernels over one arithmetic unit."""

    unchecked: frozenset[str] = frozenset()
    """Validity clauses that this device does not look at."""

    def __init__(self, unit: ArithmeticUnit) -> None:
        self.unit = unit
        self.caps: Caps = Caps()

    def broken(self, submitted: Submitted) -> tuple[str, ...]:
        """The clauses by which a compiler for this architecture refuses a program; no rule here looks at data."""
        return tuple(sorted(broken(submitted.program) - self.unchecked))

    def run(self, program: WmmaProgram, inputs: Images) -> Images:
        """Execute a valid program on every item of the batch at once."""
        images = {name: image.copy() for name, image in inputs.items()}
        batch = next(iter(images.values())).shape[0] if images else 1
        state = State(
            program,
            images,
            {},
            {fragment.name: fragment for fragment in program.fragments},
            {buffer.name: buffer for buffer in program.buffers},
        )
        for fragment in program.fragments:
            shape = (batch, program.waves, program.wave_size, fragment.vector_bytes // 4)
            word = STALE if fragment.fill is None else self.word_of(fragment, fragment.fill)
            state.registers[fragment.name] = np.full(shape, word, np.uint32)
        for instruction in program.body:
            if isinstance(instruction, Repeat):
                state.entry = dict(state.registers)
                for state.loop in range(instruction.count):
                    for plain in instruction.body:
                        self.step(state, plain)
                state.loop, state.entry = 0, {}
            else:
                self.step(state, instruction)
        return state.images

    def step(self, state: State, step: Plain) -> None:
        """One instruction in all waves."""
        if isinstance(step, Load):
            self.load(state, step)
        elif isinstance(step, Store):
            self.store(state, step)
        elif isinstance(step, Fill):
            self.fill(state, step)
        else:
            self.wmma(state, step)

    # Memory

    def block(self, state: State, index: Index, wave: int, loop: int) -> int:
        """The value of a block argument, read from memory where the kernel reads it."""
        if isinstance(index, RunTime):
            at = piece(state.buffers[index.buffer], index.offset, 4)
            return int.from_bytes(state.images[index.buffer][0, at].tobytes(), "little")
        if isinstance(index, int):
            return index
        line, place = divmod(wave, index.grid) if index.grid else (0, wave)
        return index.base + index.wave * place + index.row * line + index.loop * loop

    def stretches(self, state: State, step: Load | Store, fragment: Fragment) -> Iterator[tuple[int, slice]]:
        """Each wave and the bytes of the allocation that hold its block."""
        size = state.program.wave_size * fragment.vector_bytes
        for wave in range(state.program.waves):
            start, buffer = self.block(state, step.block, wave, state.loop) * size, state.buffers[step.buffer]
            if buffer.windows and not within(buffer, np.array([start]), size).all():
                raise IndexError(f"a block at byte {start} of {buffer.name}, which lies in no window")
            yield wave, piece(buffer, start, size)

    def load(self, state: State, step: Load) -> None:
        """Lane after lane, one vector each."""
        fragment = state.fragments[step.into]
        registers = np.empty_like(state.registers[step.into])
        for wave, stretch in self.stretches(state, step, fragment):
            block = np.ascontiguousarray(state.images[step.buffer][:, stretch])
            registers[:, wave] = block.view("<u4").reshape(registers[:, wave].shape)
        state.registers[step.into] = registers

    def store(self, state: State, step: Store) -> None:
        """The same way back."""
        registers = state.registers[step.fragment]
        for wave, stretch in self.stretches(state, step, state.fragments[step.fragment]):
            block = np.ascontiguousarray(registers[:, wave].astype("<u4")).view(np.uint8)
            state.images[step.buffer][:, stretch] = block.reshape(block.shape[0], -1)

    # Registers

    def word_of(self, fragment: Fragment, bits: int) -> int:
        """A VGPR in which every element has these bits."""
        if fragment.element in ("half", "short"):
            return bits << 16 | bits
        return bits if fragment.use == "cd" or fragment.element == "float" else bits * 0x01010101

    def fill(self, state: State, step: Fill) -> None:
        """The same word in every VGPR of every lane."""
        word = self.word_of(state.fragments[step.into], step.bits)
        state.registers[step.into] = np.full_like(state.registers[step.into], word)

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

    def addend(self, state: State, step: Wmma) -> Registers:
        """The registers of C."""
        if step.c is None:
            return np.zeros_like(state.registers[step.d])
        return state.registers[step.c]

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
