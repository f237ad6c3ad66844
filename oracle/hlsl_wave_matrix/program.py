"""Programs of HLSL WaveMatrix: matrices declared by kind, and their methods over byte-address buffers.

Names and declarations only: nothing here knows an address rule or a meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from mmaspec.oracle.program import Buffer, Index, Scalar

Kind = Literal["left", "right", "accumulator"]
"""``WaveMatrixLeft`` (M x K), ``WaveMatrixRight`` (K x N) and ``WaveMatrixAccumulator`` (M x N)."""

Element = Literal["f16", "f32", "f64", "s8", "u8", "s16", "u16", "s32", "u32"]
"""Format of one element. ``s8`` and ``u8`` are the packed types ``int8_t4_packed`` and ``uint8_t4_packed``.

Not every one may be an element of every kind: that is for rules to say.
"""


class Matrix(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One declared matrix, of which every wave has its own.

    ``k`` is the depth for which the program was written, in elements. It is no part of the type: a
    program is specialised for the K that the caps report. Accumulators leave it 0.
    """

    name: str
    kind: Kind
    element: Element
    m: int
    n: int
    k: int = 0

    @property
    def rows(self) -> int:
        """Logical rows of this kind of matrix."""
        return self.k if self.kind == "right" else self.m

    @property
    def cols(self) -> int:
        """Logical columns of this kind of matrix."""
        return self.k if self.kind == "left" else self.n


class Fill(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="fill"):
    """``matrix.Fill(value)``. The value of a packed matrix is a dword of four elements."""

    matrix: str
    value: Scalar


class Load(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="load"):
    """``matrix.Load(buffer, offset, stride, col_major, alignment)``; offset and stride in bytes.

    ``data`` names the values that the load finds (None: memory as it stands).
    """

    matrix: str
    buffer: str
    offset: Index
    stride: Index
    col_major: Index = 0
    alignment: int = 0
    data: str | None = None


class Store(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="store"):
    """``matrix.Store(buffer, offset, stride, col_major, alignment)``; offset and stride in bytes."""

    matrix: str
    buffer: str
    offset: Index
    stride: Index
    col_major: Index = 0
    alignment: int = 0


class Multiply(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="multiply"):
    """``matrix.Multiply(left, right)``."""

    matrix: str
    left: str
    right: str


class MultiplyAccumulate(
    Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="multiply-accumulate"
):
    """``matrix.MultiplyAccumulate(left, right)``."""

    matrix: str
    left: str
    right: str


Simple = Fill | Load | Store | Multiply | MultiplyAccumulate
"""An instruction that is no loop."""


class Repeat(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="repeat"):
    """A loop of ``count`` passes over ``body``; loops do not nest."""

    count: int
    body: tuple[Simple, ...]


Instruction = Simple | Repeat


class WaveMatrixProgram(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A compute shader of one thread group; every wave executes the whole body.

    ``read_only`` names the buffers bound as ``ByteAddressBuffer``; the others are
    ``RWByteAddressBuffer``.
    """

    buffers: tuple[Buffer, ...]
    matrices: tuple[Matrix, ...]
    body: tuple[Instruction, ...]
    waves: int = 1
    read_only: tuple[str, ...] = ()

    def matrix(self, name: str) -> Matrix:
        """The declaration of that name; ``KeyError`` if there is none."""
        for matrix in self.matrices:
            if matrix.name == name:
                return matrix
        raise KeyError(name)


def simple_instructions(program: WaveMatrixProgram) -> Iterator[tuple[Simple, int]]:
    """Every instruction once, in order, with the number of passes that execute it."""
    for instruction in program.body:
        if isinstance(instruction, Repeat):
            for nested in instruction.body:
                yield nested, instruction.count
        else:
            yield instruction, 1
