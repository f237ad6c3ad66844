"""What gives content to a matrix and what uses it, as the classes of ``object-from`` and ``result-goes`` say.

One program has many operations, each with objects and memory of its own; only the factors of products that are there
to give or use content are common.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mmaspec.oracle.hlsl_wave_matrix.addresses import cells, least_stride
from mmaspec.programs.base import Literal
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Barrier,
    ElementType,
    Instruction,
    Load,
    Matrix,
    MatrixKind,
    Multiply,
    MultiplyAccumulate,
    ScalarMultiply,
    SharedArray,
    Stage,
    Store,
    SumAccumulate,
    Unstage,
)
from mmaspec.strategies.hlsl_wave_matrix.arrays.buffer_places import lines
from mmaspec.strategies.hlsl_wave_matrix.builder.constants import encoded
from mmaspec.strategies.hlsl_wave_matrix.builder.program import FRAGMENT_NAMES, ProgramBuilder, Style

SUMMED: dict[str, tuple[MatrixKind, str]] = {"left-col-acc": ("left", "A0"), "right-row-acc": ("right", "B0")}
"""Kind of a fragment -> what is summed into it."""
MOST_ALIKE = 3
"""Arrays of one size before they are used again."""


@dataclass
class Workshop:
    """A program that grows by whole operations with what is needed around them."""

    builder: ProgramBuilder
    body: list[Instruction] = field(default_factory=list)
    made: int = 0

    def __post_init__(self) -> None:
        choices = self.builder.choices
        self.builder.room("in", read_only=choices.chance(50))
        self.builder.room("out")

    def matrix(self, kind: MatrixKind, element: ElementType | None = None) -> Matrix:
        """A new matrix of the row's types."""
        self.made += 1
        return self.builder.matrix(kind, f"{kind[0].upper()}{self.made}", element)

    def factor(self, kind: MatrixKind, name: str) -> str:
        """A factor that is common to all who ask for it, loaded when it is first asked for."""
        if all(matrix.name != name for matrix in self.builder.matrices):
            self.body.append(self.builder.load(self.builder.matrix(kind, name), "in"))
        return name

    def factors(self) -> tuple[str, str]:
        """The common Left and Right."""
        return self.factor("left", "A0"), self.factor("right", "B0")

    def give(self, matrix: Matrix, origin: str) -> None:
        """Content for a matrix, of a class of ``object-from``, ``left-from`` or ``addend-from``."""
        match origin.split("-"):
            case ["nothing"]:
                return
            case ["buffer", way]:
                style = Style(col_major=int(way == "col"))
                self.body.append(self.builder.load(matrix, "in", style, data=f"{matrix.name}-data"))
            case ["array", way]:
                self._from_array(matrix, int(way == "col"))
            case ["result"]:
                self._from_result(matrix)
            case ["fill"]:
                self.body.append(self.builder.fill(matrix, literal=True))
            case ["multiply"]:
                self.body.append(Multiply(matrix.name, *self.factors()))
            case [derived]:
                self.give(matrix, "buffer-row")
                self._derive(matrix, derived)

    def _derive(self, matrix: Matrix, origin: str) -> None:
        match origin:
            case "accumulate":
                self.body.append(MultiplyAccumulate(matrix.name, *self.factors()))
            case "sum":
                self.body.append(SumAccumulate(matrix.name, self.factor(*SUMMED[matrix.kind])))
            case "add":
                other = self.matrix("accumulator", matrix.element)
                self.give(other, "buffer-row")
                self.body.append(Add(matrix.name, other.name))
            case "scalar":
                self.body.append(ScalarMultiply(matrix.name, Literal(encoded(FORMATS[matrix.element], 2))))
            case _:
                raise ValueError(f"no way to make {origin!r}")

    def use(self, matrix: Matrix, goes: str) -> None:
        """What follows, of a class of ``result-goes``; whatever it makes of the matrix is stored."""
        match goes.split("-"):
            case ["nothing"]:
                return
            case ["buffer", way]:
                self.body.append(self.builder.store(matrix, "out", Style(col_major=int(way == "col"))))
                return
            case ["array", way]:
                self._to_array(matrix, int(way == "col"))
                return
            case ["accumulate"]:
                self.body.append(MultiplyAccumulate(matrix.name, *self.factors()))
            case ["multiply", "over"]:
                self.body.append(Multiply(matrix.name, *self.factors()))
            case ["sum"]:
                self.body.append(SumAccumulate(matrix.name, self.factor(*SUMMED[matrix.kind])))
            case ["add", "object"]:
                other = self.matrix(self.builder.choices.one_of(("accumulator", FRAGMENT_NAMES[0][0])), matrix.element)
                self.give(other, "buffer-row")
                self.body.append(Add(matrix.name, other.name))
            case ["add", "operand"]:
                total = self.matrix("accumulator")
                self.give(total, "buffer-row")
                self.body += [Add(total.name, matrix.name), self.builder.store(total, "out")]
            case ["scalar"]:
                self.body.append(ScalarMultiply(matrix.name, Literal(encoded(FORMATS[matrix.element], -2))))
            case ["overwritten"]:
                self.body.append(self.builder.load(matrix, "in", data=f"{matrix.name}-over"))
            case _:
                raise ValueError(f"no way to use what goes to {goes!r}")
        self.body.append(self.builder.store(matrix, "out"))

    def array(self, matrix: Matrix, col_major: int) -> tuple[SharedArray, int]:
        """An array that holds just the matrix, with its stride; after some it is one that was used before."""
        stride = least_stride(matrix, col_major, shared=True)
        length = lines(matrix, col_major) * stride
        known = [array for array in self.builder.arrays if (array.element, array.length) == (matrix.element, length)]
        if len(known) >= MOST_ALIKE:
            self.body.append(Barrier())  # whoever used it before is done
            return self.builder.choices.one_of(known), stride
        name = f"array-{len(self.builder.arrays)}"
        array = SharedArray(name, matrix.element, length)
        self.builder.arrays.append(array)
        return array, stride

    def place(self, buffer: str, array: SharedArray) -> int:
        """A place of its own in a buffer for a whole array."""
        room = self.builder.rooms[buffer]
        start = room.used + 4 * self.builder.choices.integer(1, 6)
        room.used = start + array.length * FORMATS[array.element].nbytes * cells(array.element)
        return start

    def _from_array(self, matrix: Matrix, col_major: int) -> None:
        array, stride = self.array(matrix, 0 if matrix.is_fragment else col_major)
        load = Load(
            matrix.name, array.name, 0, stride, 0 if matrix.is_fragment else col_major, 0, f"{matrix.name}-data"
        )
        self.body += [Stage(array.name, "in", self.place("in", array), array.length), Barrier(), load]

    def _from_result(self, matrix: Matrix) -> None:
        """Stored by another object of the type, and loaded with a barrier between."""
        first = self.matrix(matrix.kind, matrix.element)
        self.give(first, "buffer-row")
        array, stride = self.array(matrix, 0)
        self.body += [Store(first.name, array.name, 0, stride), Barrier(), Load(matrix.name, array.name, 0, stride)]

    def _to_array(self, matrix: Matrix, col_major: int) -> None:
        array, stride = self.array(matrix, 0 if matrix.is_fragment else col_major)
        self.body.append(Store(matrix.name, array.name, 0, stride, 0 if matrix.is_fragment else col_major))
        self.body += [Barrier(), Unstage(array.name, "out", self.place("out", array), array.length)]
