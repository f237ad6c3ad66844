"""The program builder: matrices, layouts, regions of buffers, arguments, instructions."""

from __future__ import annotations

from dataclasses import dataclass, field

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Affine, Buffer, Index, RunTime, Word
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, FlexibleSize, Property
from mmaspec.programs.nv_coopmat2.program import (
    ARRAY_BYTES,
    SATURATING,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    ArrayType,
    Component,
    CoopMatProgram,
    Instruction,
    Layout,
    Matrix,
    MulAdd,
    Repeat,
    Setter,
    Simple,
    View,
    ViewSetter,
)
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.builder.extents import fitted

LINE = 16
"""Bytes: the alignment of every region."""

ARGUMENTS = "args"
"""Buffer of the arguments that are read at run time."""


@dataclass
class ProgramBuilder:
    """Collects the parts of a program and gives out regions of its buffers that do not overlap."""

    context: DrawContext[CoopMatCaps]
    most_waves: int = 4
    waves: int = 0
    matrices: list[Matrix] = field(default_factory=list)
    layouts: list[Layout] = field(default_factory=list)
    views: list[View] = field(default_factory=list)
    body: list[Instruction] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    used: dict[str, int] = field(default_factory=dict)
    """Bytes already given out of each buffer."""
    names: dict[str, int] = field(default_factory=dict)
    shared: list[str] = field(default_factory=list)
    """Buffers that are shared arrays."""
    sizes: tuple[int, int, int] = (0, 0, 0)
    """M, N and K of the program's matrices."""

    def __post_init__(self) -> None:
        self.choices: Choices = self.context.choices
        self.row: Row[Property] = self.context.row
        self.caps: CoopMatCaps = self.context.caps
        entry: Property = self.row.entry
        self.entry: Property = entry
        flexible = isinstance(entry, FlexibleSize)
        several = [self.choices.weighted([(3, 1), (1, 2)]) if flexible else 1 for _ in range(3)]
        m, n, k = (self.times(size, count) for size, count in zip((entry.m, entry.n, entry.k), several, strict=True))
        self.sizes = (m, n, k)
        most = 1 if self.slow else min(self.most_waves, 2) if flexible else self.most_waves
        self.waves = self.waves or self.choices.integer(1, most)

    @property
    def slow(self) -> bool:
        """Whether sums are computed slowly, one by one in rational numbers."""
        return format_named(self.entry.c).bits > 32

    def times(self, granularity: int, count: int) -> int:
        """That many times a granularity, fewer if it would exceed the device's maximum."""
        return granularity * min(count, max(1, self.caps.maximum // granularity))

    def name(self, stem: str) -> str:
        """A name that is not used yet: ``a``, ``a2``, ``a3``."""
        self.names[stem] = self.names.get(stem, 0) + 1
        return stem if self.names[stem] == 1 else f"{stem}{self.names[stem]}"

    def matrix(self, use: int) -> Matrix:
        """A new matrix of a use, in the sizes of the row."""
        m, n, k = self.sizes
        roles: dict[int, tuple[Component, int, int, str]] = {
            USE_A: (self.entry.a, m, k, "a"),
            USE_B: (self.entry.b, k, n, "b"),
            USE_ACCUMULATOR: (self.entry.c, m, n, "c"),
        }
        component, rows, cols, stem = roles[use]
        found = Matrix(self.name(stem), component, rows, cols, use, self.entry.scope)
        self.matrices.append(found)
        return found

    def typed(self, component: Component, rows: int, cols: int, use: int) -> Matrix:
        """A new matrix of a type of its own."""
        stem = {USE_A: "a", USE_B: "b"}.get(use, "c")
        found = Matrix(self.name(stem), component, rows, cols, use, self.entry.scope)
        self.matrices.append(found)
        return found

    def mul_add(self, result: Matrix, a: Matrix, b: Matrix, c: Matrix | None) -> MulAdd:
        """A product in the row's kind: saturating where its property is."""
        operands = SATURATING if self.entry.saturating else 0
        return MulAdd(result.name, a.name, b.name, None if c is None else c.name, operands)

    def odd_lines(self, *, short: bool = False) -> bool:
        """Whether rows or columns of its matrices neither are multiples of 16 bytes nor divide them.

        Their strides have to be padded; where they are ``short`` of 16 bytes, starts are multiples of both.
        """
        lines = {side * format_named(one.component).nbytes for one in self.matrices for side in (one.rows, one.cols)}
        return any(LINE % line and line % LINE for line in lines if line < LINE or not short)

    def any_matrix(self) -> Matrix:
        """A new matrix of any use."""
        return self.matrix(self.choices.one_of((USE_A, USE_B, USE_ACCUMULATOR)))

    def layout(self, calls: tuple[Setter, ...], *, rank: int = 2, mode: int = 0, start: str | None = None) -> str:
        """A new layout; its name."""
        name = self.name("t")
        self.layouts.append(Layout(name, calls, rank, mode, start))
        return name

    def view(
        self,
        calls: tuple[ViewSetter, ...] = (),
        *,
        rank: int = 2,
        own: bool = False,
        permutation: tuple[int, ...] = (),
        start: str | None = None,
    ) -> str:
        """A new view, ``own`` with dimensions of its own; its name."""
        name = self.name("v")
        self.views.append(View(name, calls, rank, own, permutation, start))
        return name

    def buffer(self, stem: str) -> str:
        """A buffer to load from or store to: most often a shared one."""
        return stem if self.choices.chance(70) else self.name(f"{stem}-own")

    def shared_array(self, stem: str) -> str:
        """A new shared array; its name."""
        self.shared.append(self.name(stem))
        return self.shared[-1]

    def region(self, buffer: str, nbytes: int, grain: int = LINE) -> int:
        """The start of a new region of that many bytes, never at the start of the buffer."""
        gap = self.choices.integer(1, 3) * LINE
        start = -(-(self.used.get(buffer, 0) + gap) // grain) * grain
        self.used[buffer] = start + nbytes
        return start

    def run_time(self, value: int) -> RunTime:
        """An argument that the program reads from a buffer."""
        offset = 4 * len(self.words) + 4
        self.words.append(Word(ARGUMENTS, offset, value & 0xFFFF_FFFF))
        return RunTime(ARGUMENTS, offset)

    def argument(self, value: int) -> Index:
        """A value as a literal or read at run time."""
        return self.run_time(value) if self.choices.chance(35) else value

    def spread(self, first: int, per_wave: int, per_pass: int = 0) -> Index:
        """An argument that differs between waves and passes; a plain one where nothing differs."""
        wave = per_wave if self.waves > 1 else 0
        return Affine(first, wave, per_pass) if wave or per_pass else self.argument(first)

    def unit(self, array: ArrayType, matrix: Matrix) -> int:
        """Bytes of an array element."""
        return ARRAY_BYTES.get(array) or format_named(matrix.component).nbytes

    def other_array(self, matrix: Matrix) -> ArrayType:
        """An array element type of another size than the component's."""
        width = format_named(matrix.component).nbytes
        options: tuple[ArrayType, ...] = ("uint", "uvec2", "uvec4")
        return self.choices.one_of([array for array in options if ARRAY_BYTES[array] != width])

    def add(self, *instructions: Instruction) -> None:
        """Append instructions."""
        self.body.extend(instructions)

    def repeat(self, count: int, *body: Simple) -> None:
        """Append a loop."""
        self.body.append(Repeat(count, body))

    def draft(self, regime: str, batch: int = 0, *, exact: bool = False) -> Draft:
        """The finished program with buffers of the right size, ``exact`` ones that end with what is needed."""
        names = sorted(set(self.used) | ({ARGUMENTS} if self.words else set()))
        bases = {name: LINE * self.choices.integer(1, 6) for name in names}
        program = CoopMatProgram(
            buffers=tuple(Buffer(name, 0, bases[name]) for name in names),
            matrices=tuple(self.matrices),
            body=tuple(self.body),
            layouts=tuple(self.layouts),
            waves=self.waves,
            views=tuple(self.views),
            shared=tuple(self.shared),
        )
        words = tuple(self.words)
        return Draft(fitted(program, words, exact=exact), regime, batch or self.batch(), words)

    def batch(self) -> int:
        """Items for about 64 small matrices, fewer where products are many, large or slow."""
        if self.slow:
            return 2
        m, n, _ = self.sizes
        products = sum(
            (instruction.count * sum(isinstance(nested, MulAdd) for nested in instruction.body))
            if isinstance(instruction, Repeat)
            else isinstance(instruction, MulAdd)
            for instruction in self.body
        )
        load = m * n * self.waves * max(products, 1)
        return max(2, min(64, 16384 // load)) if products else max(2, min(8, 16384 // load))


def with_program(draft: Draft, program: CoopMatProgram) -> Draft:
    """The same draft with another program, its buffers fitted anew."""
    return Draft(fitted(program, draft.words), draft.regime, draft.batch, draft.words)
