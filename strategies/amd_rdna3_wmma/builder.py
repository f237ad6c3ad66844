"""The program builder: fragments, buffers with blocks at drawn places, literal and run-time arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.amd_rdna3_wmma.program import (
    Affine,
    Buffer,
    Fill,
    Flag,
    Fragment,
    Index,
    Instruction,
    Load,
    Plain,
    Repeat,
    RunTime,
    Store,
    Use,
    Wmma,
    WmmaProgram,
)
from mmaspec.programs.base import Word
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft, DrawContext

ELEMENTS = 16384
"""Results that the products of one case compute, at most, where the batch is drawn by ``ProgramBuilder.draft``."""

ARGUMENTS = "args"

WAVES = ((9, 1), (9, 2), (6, 3), (1, 4), (1, 8))
"""How often a kernel has how many waves: mostly few, for those cost time, and now and then more."""


class ProgramBuilder:
    """One kernel under construction for a row.

    Buffers hold blocks of one vector size; a request for blocks leaves a gap before them, so that offsets are
    rarely zero, and may put them behind those of an earlier request.
    """

    def __init__(self, context: DrawContext[Caps], waves: int | None = None, *, run_time: bool = True) -> None:
        self.choices: Choices = context.choices
        choices, row = self.choices, context.row
        self.integer: bool = "int" in row.tags
        self.builtin: str = row.name
        self.wave_size: Any = 64 if "w64" in row.tags else 32
        self.waves: int = choices.weighted(WAVES) if waves is None else waves
        self.body: list[Instruction] = []
        self.words: list[Word] = []
        self._run_time = run_time
        self._fragments: dict[str, Fragment] = {}
        self._ends: dict[str, int] = {}
        self._vectors: dict[str, int] = {}
        self._bases: dict[str, int] = {}

    # Fragments

    def fragment(self, name: str, use: Use, fill: int | None = None) -> str:
        """Declare a fragment of the vector that the row's builtin takes."""
        slots = 4 if self.wave_size == 64 else 8
        if use == "cd":
            new = Fragment(name, use, "int" if self.integer else "float", slots, fill)
        elif self.integer:
            new = Fragment(name, use, "int", 4, fill)
        else:
            new = Fragment(name, use, "half", 16, fill)
        self._fragments[name] = new
        return name

    # Memory

    def buffer(self, name: str, vector_bytes: int) -> str:
        """A buffer of blocks of vectors of this size; made when first asked for."""
        if name not in self._vectors:
            self._vectors[name] = vector_bytes
            self._ends[name] = 0
            self._bases[name] = self.choices.one_of((32, 64, 96, 160))
        return name

    def blocks(self, buffer: str, passes: int, *, by_wave: bool, by_loop: bool) -> Index:
        """Fresh blocks of a buffer: one for each wave and pass that shall differ, in either order, maybe spread."""
        choices = self.choices
        spread = choices.weighted([(2, 1), (1, 2)])
        waves, passes = (self.waves if by_wave else 1), (passes if by_loop else 1)
        if choices.chance(50):
            wave_step, loop_step = passes * spread, spread
        else:
            wave_step, loop_step = spread, waves * spread
        base = self._ends[buffer] + choices.weighted([(1, 0), (3, 1), (2, 2)])
        self._ends[buffer] = base + wave_step * (waves - 1) + loop_step * (passes - 1) + 1
        if by_wave or by_loop:
            return Affine(base, wave=wave_step * by_wave, loop=loop_step * by_loop)
        if self._run_time and choices.chance(40):
            return self.argument(base)
        return base

    def argument(self, value: int) -> RunTime:
        """A block number that the kernel loads: a word of the buffer of arguments."""
        offset = 4 * (len(self.words) * 2 + 1)
        self.words.append(Word(ARGUMENTS, offset, value))
        return RunTime(ARGUMENTS, offset)

    def load(
        self, into: str, data: str, buffer: str, passes: int = 1, *, by_wave: bool | None = None, by_loop: bool = False
    ) -> Load:
        """A load of new data; unless given, it is drawn whether every wave has its own."""
        vector = self._fragments[into].vector_bytes
        name = self.buffer(f"{buffer}_{vector}" if self._vectors.get(buffer, vector) != vector else buffer, vector)
        own = self.waves > 1 and (self.choices.chance(70) if by_wave is None else by_wave)
        return Load(into, name, self.blocks(name, passes, by_wave=own, by_loop=by_loop), data)

    def store(self, fragment: str, buffer: str = "out", passes: int = 1, *, by_loop: bool = False) -> Store:
        """A store to fresh blocks, a wave's own."""
        vector = self._fragments[fragment].vector_bytes
        name = self.buffer(f"{buffer}_{vector}" if self._vectors.get(buffer, vector) != vector else buffer, vector)
        return Store(fragment, name, self.blocks(name, passes, by_wave=self.waves > 1, by_loop=by_loop))

    # Instructions

    def add(self, *instructions: Instruction) -> None:
        """Append to the body."""
        self.body.extend(instructions)

    def wmma(
        self, d: str, a: str, b: str, c: str | None, signs: tuple[bool, bool] | None = None, clamp: bool | None = None
    ) -> Wmma:
        """The row's builtin; the flags of an integer form are drawn unless given."""
        if not self.integer:
            return Wmma(self.builtin, d, a, b, c)
        choices = self.choices
        a_sign, b_sign = signs if signs is not None else (choices.chance(50), choices.chance(50))
        flag: Flag = choices.chance(50) if clamp is None else clamp
        return Wmma(self.builtin, d, a, b, c, a_sign, b_sign, flag)

    def program(self) -> WmmaProgram:
        """The kernel; buffers reach to the end of their last block, or a block further."""
        buffers = []
        for name, vector in self._vectors.items():
            end = self._ends[name] + self.choices.integer(0, 1)
            buffers.append(Buffer(name, end * vector * self.wave_size, self._bases[name]))
        if self.words:
            buffers.append(Buffer(ARGUMENTS, self.words[-1].offset + 8))
        return WmmaProgram(
            self.wave_size, tuple(buffers), tuple(self._fragments.values()), tuple(self.body), self.waves
        )

    def draft(self, regime: str, batch: int | None = None) -> Draft:
        """The kernel with its data regime; the batch fills the budget of one case unless given."""
        program = self.program()
        if batch is None:
            batch = max(4, min(64, ELEMENTS // (256 * program.waves * max(products(program.body), 1))))
        return Draft(program, regime, batch, tuple(self.words))


def products(body: Sequence[Instruction]) -> int:
    """The number of products that the body executes."""
    found = 0
    for instruction in body:
        if isinstance(instruction, Repeat):
            found += instruction.count * products(instruction.body)
        else:
            found += isinstance(instruction, Wmma)
    return found


def with_calls(program: WmmaProgram, **changes: Any) -> WmmaProgram:
    """The program with the same change in every call of a builtin."""

    def plain(step: Plain) -> Plain:
        return replace(step, **changes) if isinstance(step, Wmma) else step

    body: list[Instruction] = [
        replace(step, body=tuple(plain(inner) for inner in step.body)) if isinstance(step, Repeat) else plain(step)
        for step in program.body
    ]
    return replace(program, body=tuple(body))


__all__ = ["ARGUMENTS", "Fill", "Load", "ProgramBuilder", "Repeat", "Store", "Wmma", "products", "with_calls"]
