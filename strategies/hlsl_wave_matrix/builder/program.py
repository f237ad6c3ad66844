"""The program builder: declarations, instructions, and room in buffers for every access."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from mmaspec.oracle.hlsl_wave_matrix.addresses import element_bytes, memory_row_bytes
from mmaspec.oracle.hlsl_wave_matrix.rows import Entry
from mmaspec.oracle.hlsl_wave_matrix.wave_sizes import wave_sizes
from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Affine, Buffer, FromBuffer, Index, Literal, RunTime, Scalar, Word
from mmaspec.programs.hlsl_wave_matrix.caps import Datatype, WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import (
    FACTORS,
    ElementType,
    Fill,
    Instruction,
    Load,
    Matrix,
    MatrixDepth,
    MatrixKind,
    Multiply,
    MultiplyAccumulate,
    Scaling,
    SharedArray,
    Store,
    WaveMatrixProgram,
)
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.builder.constants import constant
from mmaspec.strategies.hlsl_wave_matrix.builder.waves import sized

ONE_OF_EACH: tuple[tuple[MatrixKind, str], ...] = (("left", "A"), ("right", "B"), ("accumulator", "C"))
"""Kind and usual name of the three matrices of a product."""

FRAGMENT_NAMES: tuple[tuple[MatrixKind, str], ...] = (("left-col-acc", "L"), ("right-row-acc", "R"))
"""Kind and usual name of the two fragments."""

ARGUMENTS = "args"
"""The buffer that run-time arguments are read from."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The elements, sizes and depth that a caps row fixes."""

    elements: tuple[ElementType, ...]
    """Elements that the operands may have."""
    accumulator: ElementType
    m: int
    n: int
    k: int

    @property
    def batch(self) -> int:
        """Items per case: the fewer, the larger the product."""
        return {256: 64, 1024: 16}.get(self.m * self.n, 4)


_ELEMENTS: dict[Datatype, tuple[ElementType, ...]] = {"byte": ("s8", "u8"), "float16": ("f16",), "float": ("f32",)}
_SUMS: dict[str, ElementType] = {"s32": "s32", "f16": "f16", "f32": "f32"}


def shape_of(row: Row[Entry]) -> Shape:
    """The elements, sizes and depth that a caps row fixes."""
    answer = row.entry.answer
    return Shape(_ELEMENTS[answer.datatype], _SUMS[row.entry.accumulator], answer.m, answer.n, answer.k)


@dataclass(frozen=True, slots=True)
class Style:
    """The layout of an access; None means that it is drawn.

    ``run_time`` is the percentage of arguments that are read at run time.
    """

    col_major: int | None = None
    padded: bool | None = None
    aligned: bool | None = None
    stride: int | None = None
    run_time: int = 10


PLAIN = Style()


@dataclass
class Room:
    """A buffer while accesses are added: the next one begins at ``used`` or later."""

    name: str
    base: int
    used: int
    read_only: bool


@dataclass
class ProgramBuilder:
    """A program under construction; methods that draw use the choices given to its constructor."""

    context: DrawContext[WaveMmaCaps]
    waves: int = 1
    passes: int = 1
    """Passes of the loop that accesses are being made for."""
    matrices: list[Matrix] = field(default_factory=list)
    rooms: dict[str, Room] = field(default_factory=dict)
    words: list[Word] = field(default_factory=list)
    arrays: list[SharedArray] = field(default_factory=list)
    choices: Choices = field(init=False)
    shape: Shape = field(init=False)
    """What the context's row fixes."""

    def __post_init__(self) -> None:
        self.choices = self.context.choices
        self.shape = shape_of(self.context.row)

    def matrix(self, kind: MatrixKind, name: str, element: ElementType | None = None) -> Matrix:
        """Declare a matrix of the row's types."""
        if kind not in FACTORS:
            new = Matrix(name, kind, element or self.shape.accumulator, self.shape.m, self.shape.n)
        else:
            chosen: ElementType = self.choices.one_of(self.shape.elements) if element is None else element
            new = Matrix(name, kind, chosen, self.shape.m, self.shape.n, self.shape.k)
        self.matrices.append(new)
        return new

    def room(self, name: str, *, read_only: bool = False) -> str:
        """Declare a buffer; its view begins somewhere in its allocation, its data at the view's first byte or later."""
        base = 16 * self.choices.integer(1, 12)
        begin = 4 * self.choices.integer(1, 24)
        self.rooms[name] = Room(name, base, 0 if self.choices.chance(50) else begin, read_only)
        return name

    def load(self, matrix: Matrix, buffer: str, style: Style = PLAIN, data: str | None = None) -> Load:
        """A Load of new data, named after the matrix unless a name is given."""
        offset, stride, col_major, alignment = self._place(matrix, buffer, style)
        return Load(matrix.name, buffer, offset, stride, col_major, alignment, data or matrix.name)

    def store(self, matrix: Matrix, buffer: str, style: Style = PLAIN) -> Store:
        """A Store to bytes of its own, in every wave and pass."""
        offset, stride, col_major, alignment = self._place(matrix, buffer, style)
        return Store(matrix.name, buffer, offset, stride, col_major, alignment)

    def _place(self, matrix: Matrix, buffer: str, style: Style) -> tuple[Index, Index, Index, int]:
        draw, room = self.choices, self.rooms[buffer]
        col_major = draw.integer(0, 1) if style.col_major is None else style.col_major
        alignments = (8, 16, 32) if style.aligned else (0, 0, 4, 8, 16, 32)
        alignment = draw.one_of(alignments)
        unit = max(alignment, 4)
        if matrix.is_fragment:
            col_major, style = 0, replace(style, col_major=0)
        line = element_bytes(matrix) if matrix.is_fragment else memory_row_bytes(matrix, col_major)
        lines = matrix.rows * matrix.cols if matrix.is_fragment else matrix.cols if col_major else matrix.rows
        tiles = self.waves * self.passes
        side_by_side = tiles > 1 and draw.chance(50)
        padded = draw.chance(80) if style.padded is None else style.padded
        step = _up(line, unit)
        # Element strides of fragments honour no alignment: any multiple of an element will do (WM-AMB-05).
        least, gap = (line, line) if matrix.is_fragment else (step, unit)
        stride = (step * tiles if side_by_side else least) + (gap * draw.integer(1, 3) if padded else 0)
        if style.stride is not None:
            side_by_side, stride, alignment, unit = False, style.stride, 0, 4
        tile = step if side_by_side else _up((lines - 1) * stride + line, unit) + unit * draw.integer(0, 2)
        # A gap before every access: what one store spills is no element of another.
        gap = 4 * draw.integer(1, 6) if room.used else 0
        start = _up(room.used + room.base + gap, unit) - room.base
        # Either all tiles of a wave follow each other, or all waves of a pass do.
        by_pass = draw.chance(50)
        wave = (tile * self.passes if by_pass else tile) if self.waves > 1 else 0
        loop = (tile if by_pass else tile * self.waves) if self.passes > 1 else 0
        last = start + wave * (self.waves - 1) + loop * (self.passes - 1) + (lines - 1) * stride + line
        room.used = _up(last, 4)
        offset: Index = Affine(start, wave, loop) if wave or loop else self.argument(start, style)
        orientation = col_major if matrix.is_fragment else self.argument(col_major, style)
        return offset, self.argument(stride, style), orientation, alignment

    def argument(self, value: int, style: Style) -> Index:
        """A literal, or a word that is read at run time."""
        if not self.choices.chance(style.run_time):
            return value
        if ARGUMENTS not in self.rooms:
            self.room(ARGUMENTS, read_only=self.choices.chance(50))
        room = self.rooms[ARGUMENTS]
        offset = room.used + 4 * self.choices.integer(0, 2)
        room.used = offset + 4
        self.words.append(Word(ARGUMENTS, offset, value))
        return RunTime(ARGUMENTS, offset)

    def product(self, total: str, left: str, right: str) -> Multiply | MultiplyAccumulate:
        """One of the two products."""
        accumulates = self.choices.chance(50)
        return MultiplyAccumulate(total, left, right) if accumulates else Multiply(total, left, right)

    def fill(self, matrix: Matrix, *, literal: bool | None = None) -> Fill:
        """A Fill with a constant, or with a scalar from memory that differs between items."""
        draw = self.choices
        if draw.chance(50) if literal is None else literal:
            return Fill(matrix.name, Literal(constant(draw, matrix)))
        return Fill(matrix.name, self.scalar(matrix))

    def scalar(self, matrix: Matrix) -> Scalar:
        """A scalar from memory."""
        draw = self.choices
        if "scalars" not in self.rooms:
            self.room("scalars", read_only=draw.chance(50))
        room = self.rooms["scalars"]
        offset = room.used + 4 * draw.integer(0, 3)
        room.used = offset + 4
        return FromBuffer("scalars", offset, f"{matrix.name}-scalar-{offset}")

    def scaled(self, method: type[Scaling], matrix: Matrix, value: Scalar | None = None) -> Scaling:
        """An operation with a scalar: the one given, a constant, or one from memory."""
        if value is None:
            value = Literal(constant(self.choices, matrix)) if self.choices.chance(40) else self.scalar(matrix)
        return method(matrix.name, value)

    def depth(self, matrix: Matrix, buffer: str) -> MatrixDepth:
        """K stored by every wave at a place of its own."""
        room = self.rooms[buffer]
        start = _up(room.used + 4 * self.choices.integer(1, 4), 4)
        room.used = start + 4 * self.waves * self.passes
        where = Affine(start, 4, 4 * self.waves if self.passes > 1 else 0) if self.waves * self.passes > 1 else start
        return MatrixDepth(matrix.name, buffer, where)

    def draft(self, body: list[Instruction], regime: str, batch: int | None = None) -> Draft:
        """The finished program; buffers end a little after what is used.

        Accumulators and fragments that rows of several wave sizes list get a Left beside them, so that they stand
        under this row.
        """
        if not self.agrees():
            self.matrix("left", "beside")
        buffers = tuple(
            Buffer(room.name, room.used + 4 * self.choices.integer(0, 8), room.base) for room in self.rooms.values()
        )
        read_only = tuple(room.name for room in self.rooms.values() if room.read_only)
        program = WaveMatrixProgram(
            buffers, tuple(self.matrices), tuple(body), self.waves, read_only, tuple(self.arrays)
        )
        items = self.shape.batch if batch is None else batch
        draft = Draft(program, regime, max(1, items // (self.waves * self.passes)), tuple(self.words))
        return sized(self.context, draft)

    def agrees(self) -> bool:
        """Whether there is a wave size at which all matrices declared so far run."""
        return bool(wave_sizes(WaveMatrixProgram((), tuple(self.matrices), ()), self.context.caps))


def _up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
