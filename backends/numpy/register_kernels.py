"""What the reference devices of kernels on registers have in common: loads, fills, stores, loops and batches.

The registers of a fragment have the shape ``(batch, waves, lanes, components)``; how wide a component is, and what a
product does with them, is the matter of each device.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.units.unit import ArithmeticUnit
from mmaspec.backends.protocol import Images
from mmaspec.programs.base import Buffer, Index, RunTime
from mmaspec.programs.register_kernels import Fill, Fragment, Load, RegisterProgram, Repeat, Store
from mmaspec.programs.windows import piece, within

Registers = NDArray[Any]
"""Unsigned words of 32 bits, or of 16."""

STALE = 0x7A5AB5A5
"""What a register holds that nothing has written; the low bits of it, where it is narrower."""

P = TypeVar("P", bound=RegisterProgram)
F = TypeVar("F", bound=Fragment)


@dataclass(slots=True)
class State(Generic[P, F]):
    """Memory and registers while a program runs; ``entry`` are the registers as the enclosing loop found them."""

    program: P
    images: dict[str, NDArray[np.uint8]]
    registers: dict[str, Registers]
    fragments: dict[str, F]
    buffers: dict[str, Buffer]
    loop: int = 0
    entry: dict[str, Registers] = field(default_factory=dict)


S = TypeVar("S", bound=State[Any, Any])


class RegisterDevice(ABC, Generic[P, F, S]):
    """Executes kernels over one arithmetic unit."""

    unchecked: frozenset[str] = frozenset()
    """Validity clauses that this device does not look at."""
    state_type: ClassVar[type[State[Any, Any]]] = State
    """What holds memory and registers."""

    def __init__(self, unit: ArithmeticUnit) -> None:
        self.unit = unit

    def run(self, program: P, inputs: Images) -> Images:
        """Execute a valid program on every item of the batch at once."""
        images = {name: image.copy() for name, image in inputs.items()}
        batch = next(iter(images.values())).shape[0] if images else 1
        state: Any = self.state_type(
            program,
            images,
            {},
            {fragment.name: fragment for fragment in program.fragments},
            {buffer.name: buffer for buffer in program.buffers},
        )
        for fragment in program.fragments:
            kind = self.word_type(fragment)
            shape = (batch, program.waves, program.lanes, fragment.vector_bytes // kind.itemsize)
            word = STALE if fragment.fill is None else self.word_of(fragment, fragment.fill)
            state.registers[fragment.name] = np.full(shape, word, np.uint32).astype(kind, copy=False)
        for instruction in program.body:
            if isinstance(instruction, Repeat):
                state.entry = dict(state.registers)
                for state.loop in range(instruction.count):
                    for plain in instruction.body:
                        self.step(state, plain)
                state.loop, state.entry = 0, {}
            else:
                self.step(state, instruction)
        found: Images = state.images
        return found

    def step(self, state: S, step: Any) -> None:
        """One instruction in all waves."""
        if isinstance(step, Load):
            self.load(state, step)
        elif isinstance(step, Store):
            self.store(state, step)
        elif isinstance(step, Fill):
            self.fill(state, step)
        else:
            self.multiply(state, step)

    # Memory

    def block(self, state: S, index: Index, wave: int, loop: int) -> int:
        """The value of a block argument, read from memory where the kernel reads it."""
        if isinstance(index, RunTime):
            at = piece(state.buffers[index.buffer], index.offset, 4)
            return int.from_bytes(state.images[index.buffer][0, at].tobytes(), "little")
        if isinstance(index, int):
            return index
        line, place = divmod(wave, index.grid) if index.grid else (0, wave)
        return index.base + index.wave * place + index.row * line + index.loop * loop

    def stretches(self, state: S, step: Any, fragment: F) -> Iterator[tuple[int, slice]]:
        """Each wave and the bytes of the allocation that hold its block."""
        size, buffer = state.program.lanes * fragment.vector_bytes, state.buffers[step.buffer]
        for wave in range(state.program.waves):
            start = self.block(state, step.block, wave, state.loop) * size
            if buffer.windows and not within(buffer, np.array([start]), size).all():
                raise IndexError(f"a block at byte {start} of {buffer.name}, which lies in no window")
            yield wave, piece(buffer, start, size)

    def load(self, state: S, step: Any) -> None:
        """Lane after lane, one vector each."""
        fragment = state.fragments[step.into]
        held = state.registers[step.into]
        blocks = [state.images[step.buffer][:, stretch] for _, stretch in self.stretches(state, step, fragment)]
        loaded = (np.concatenate(blocks, axis=1) if blocks[1:] else blocks[0].copy()).view(held.dtype.newbyteorder("<"))
        state.registers[step.into] = loaded.reshape(held.shape).astype(held.dtype, copy=False)

    def store(self, state: S, step: Store) -> None:
        """The same way back."""
        registers = state.registers[step.fragment]
        for wave, stretch in self.stretches(state, step, state.fragments[step.fragment]):
            block = np.ascontiguousarray(registers[:, wave], registers.dtype.newbyteorder("<")).view(np.uint8)
            state.images[step.buffer][:, stretch] = block.reshape(len(block), -1)

    # Registers

    def word_type(self, fragment: F) -> np.dtype[Any]:  # noqa: ARG002
        """What each register of a fragment is."""
        return np.dtype(np.uint32)

    @abstractmethod
    def word_of(self, fragment: F, bits: int) -> int:
        """A register in which every element has these bits."""

    def fill(self, state: S, step: Fill) -> None:
        """The same word in every register of every lane."""
        word = self.word_of(state.fragments[step.into], step.bits)
        state.registers[step.into] = np.full_like(state.registers[step.into], word)

    def addend(self, state: S, step: Any) -> Registers:
        """The registers of C."""
        if step.c is None:
            return np.zeros_like(state.registers[step.d])
        found: Registers = state.registers[step.c]
        return found

    def multiply(self, state: S, step: Any) -> None:
        """One product in all waves: what it leaves in the registers of D."""
