"""The program builder: declarations, run-time arguments, and room in buffers for every access."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from mmaspec.programs.base import Affine, Buffer, FromBuffer, Index, Literal, RunTime, Scalar, Word
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, SCALARS, ComponentType, ScalarType
from mmaspec.programs.hlsl_linalg.program import (
    Instruction,
    LinalgProgram,
    Matrix,
    Repeat,
    Scope,
    SharedArray,
    Use,
    Vector,
)
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.hlsl_linalg.builder.constants import constant

ARGUMENTS = "args"
"""The buffer that run-time arguments are read from."""
SCALARS_BUFFER = "scalars"
"""The buffer that values of Splats are read from."""
VIEW_UNIT = 16
"""Where views begin."""
WORK = 1 << 15
"""Elements of a case, over all items, threads and passes: what is drawn stays near this."""
MOST_ITEMS = 48
MAX_WAVE = 128


@dataclass
class Room:
    """A buffer while accesses are added: the next one begins at ``used`` or later."""

    name: str
    base: int
    used: int
    read_only: bool


@dataclass
class ProgramBuilder:
    """A program under construction; methods that draw use the choices of its context."""

    context: DrawContext[LinalgCaps]
    waves: int = 1
    passes: int = 1
    """Passes of the loop that accesses are being made for."""
    threads: int = 0
    matrices: list[Matrix] = field(default_factory=list)
    vectors: list[Vector] = field(default_factory=list)
    arrays: list[SharedArray] = field(default_factory=list)
    rooms: dict[str, Room] = field(default_factory=dict)
    words: list[Word] = field(default_factory=list)
    wave_size: int = 0
    work: int = 0
    """What instructions with more work than their matrices have elements add to that of an item."""

    def __post_init__(self) -> None:
        if not self.wave_size:
            sizes = [size for size in self.caps.wave_sizes if size <= MAX_WAVE]
            self.wave_size = self.choices.one_of(sizes)
        self.waves = max(1, min(self.waves, self.caps.largest_group // self.wave_size))

    @property
    def choices(self) -> Choices:
        """How to choose."""
        return self.context.choices

    @property
    def caps(self) -> LinalgCaps:
        """What the device reports."""
        return self.context.caps

    @property
    def group(self) -> int:
        """The threads of the group."""
        return self.threads or self.waves * self.wave_size

    def matrix(
        self, name: str, component: ComponentType, size: tuple[int, int], use: Use, scope: Scope = "Wave"
    ) -> Matrix:
        """Declare a matrix."""
        new = Matrix(name, component, *size, use, scope)
        self.matrices.append(new)
        return new

    def vector(self, name: str, component: ComponentType, length: int) -> Vector:
        """Declare a vector."""
        new = Vector(name, component, length)
        self.vectors.append(new)
        return new

    def room(self, name: str, *, read_only: bool = False) -> str:
        """Declare a buffer; its view begins somewhere in its allocation, its data at the view's first byte or later."""
        draw = self.choices
        base = draw.weighted(((2, 128), (1, 256), (3, VIEW_UNIT * draw.integer(4, 20))))
        begin = 4 * draw.integer(1, 24)
        self.rooms[name] = Room(name, base, 0 if draw.chance(50) else begin, read_only)
        return name

    def taken(self, buffer: str, nbytes: int, unit: int) -> int:
        """The offset of so many bytes of a buffer that nothing else has; its address is a multiple of the unit."""
        room = self.rooms[buffer]
        gap = 4 * self.choices.integer(0, 6) if room.used else 0
        start = up(room.base + room.used + gap, unit) - room.base
        room.used = start + nbytes
        return start

    def argument(self, value: int, run_time: int) -> Index:
        """A literal, or in so many of 100 draws a word that is read at run time."""
        if not run_time or not self.choices.chance(run_time):
            return value
        if ARGUMENTS not in self.rooms:
            self.room(ARGUMENTS, read_only=self.choices.chance(50))
        room = self.rooms[ARGUMENTS]
        offset = up(room.used, 4) + 4 * self.choices.integer(0, 2)
        room.used = offset + 4
        self.words.append(Word(ARGUMENTS, offset, value))
        return RunTime(ARGUMENTS, offset)

    def stepped(
        self, buffer: str, axes: Sequence[tuple[str, int]], tile: int, last: int, unit: int, run_time: int = 0
    ) -> Index:
        """An offset that goes on by a tile along each axis of ``(lane, wave or loop, how many)``, in any order.

        ``last`` are the bytes that the last one needs; the address of each is a multiple of ``unit``, as ``tile`` is.
        """
        steps: dict[str, int] = {}
        count = 1
        for axis, many in _shuffled(self.choices, [axis for axis in axes if axis[1] > 1]):
            steps[axis] = tile * count
            count *= many
        start = self.taken(buffer, tile * (count - 1) + last, unit)
        return Affine(start, **steps) if steps else self.argument(start, run_time)

    def scalar(self, name: str, scalar: ScalarType, *, plain: bool = False) -> Scalar:
        """The value of a Splat: a constant, or one from memory, which differs between items."""
        draw = self.choices
        if draw.chance(55):
            return Literal(constant(draw, scalar, plain=plain))
        if SCALARS_BUFFER not in self.rooms:
            self.room(SCALARS_BUFFER, read_only=draw.chance(50))
        room, nbytes = self.rooms[SCALARS_BUFFER], FORMATS[SCALARS[scalar]].nbytes
        offset = up(room.used, nbytes) + nbytes * draw.integer(0, 3)
        room.used = offset + nbytes
        return FromBuffer(SCALARS_BUFFER, offset, f"{name}-scalar-{offset}")

    def loop(self, passes: int) -> Looping:
        """Instructions that are made in this context stand in a loop of so many passes."""
        return Looping(self, passes)

    def draft(self, body: Sequence[Instruction], regime: str, batch: int = 0, **fields: Any) -> Draft:
        """The finished program; buffers end at a multiple of four bytes a little after what is used."""
        buffers = tuple(
            Buffer(room.name, up(room.used, 4) + 4 * self.choices.integer(0, 8), room.base)
            for room in self.rooms.values()
        )
        program = LinalgProgram(
            buffers,
            tuple(body),
            tuple(self.matrices),
            tuple(self.vectors),
            tuple(self.arrays),
            tuple(room.name for room in self.rooms.values() if room.read_only),
            self.waves,
            self.wave_size,
            self.threads,
            **fields,
        )
        return Draft(program, regime, batch or self.batch(program), tuple(self.words))

    def batch(self, program: LinalgProgram) -> int:
        """Items of a case: the fewer, the more work an item is."""
        elements = self.work + sum(one.m * one.n * program.instances(one.scope) for one in program.matrices)
        elements += sum(one.length * program.group for one in program.vectors)
        passes = max((one.count for one in program.body if isinstance(one, Repeat)), default=1)
        return max(2, min(MOST_ITEMS, WORK // (passes * elements or 1)))


@dataclass
class Looping:
    """While it is entered, the accesses of a builder have places of their own in every pass."""

    builder: ProgramBuilder
    passes: int

    def __enter__(self) -> int:
        """The number of passes."""
        self.builder.passes = self.passes
        return self.passes

    def __exit__(self, *_: object) -> None:
        """Out of the loop again."""
        self.builder.passes = 1


def up(value: int, unit: int) -> int:
    """The next multiple."""
    return -(-value // unit) * unit


def element_bytes(component: ComponentType) -> int:
    """Bytes of one component."""
    return COMPONENTS[component].format.nbytes


def _shuffled(draw: Choices, axes: list[tuple[str, int]]) -> list[tuple[str, int]]:
    left, found = list(axes), []
    while left:
        found.append(left.pop(draw.integer(0, len(left) - 1)))
    return found
