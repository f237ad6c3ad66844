"""Groupshared arrays of the program builder: room for accesses, and the copies that fill and empty them."""

from __future__ import annotations

from dataclasses import dataclass

from mmaspec.oracle.hlsl_wave_matrix.addresses import cells, least_stride
from mmaspec.programs.base import Affine, Index
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.program import (
    ElementType,
    Load,
    Matrix,
    SharedArray,
    Stage,
    Store,
    Unstage,
    WaveMatrixProgram,
)
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.hlsl_wave_matrix.builder.program import ProgramBuilder

GROUP_BYTES = 1 << 15
"""The groupshared memory that a thread group has in Direct3D."""


def array_bytes(array: SharedArray) -> int:
    """The bytes of an array."""
    return array.length * FORMATS[array.element].nbytes * cells(array.element)


def fitting(draft: Draft) -> Draft | None:
    """The draft; None where its arrays are more than a thread group has."""
    program: WaveMatrixProgram = draft.program
    return draft if sum(array_bytes(array) for array in program.arrays) <= GROUP_BYTES else None


@dataclass
class SharedRoom:
    """An array while accesses are added; sizes are in array elements. ``finish`` declares it at the end."""

    builder: ProgramBuilder
    name: str
    element: ElementType
    used: int = 0

    def load(self, matrix: Matrix, col_major: int | None = None) -> Load:
        """A Load of data of its own, in the array's unit."""
        offset, stride, orientation = self._place(matrix, col_major)
        return Load(matrix.name, self.name, offset, stride, orientation, 0, matrix.name)

    def store(self, matrix: Matrix, col_major: int | None = None) -> Store:
        """A Store to elements of its own, in every wave."""
        offset, stride, orientation = self._place(matrix, col_major)
        return Store(matrix.name, self.name, offset, stride, orientation)

    def _place(self, matrix: Matrix, col_major: int | None) -> tuple[Index, int, int]:
        draw, waves = self.builder.choices, self.builder.waves
        orientation = draw.integer(0, 1) if col_major is None else col_major
        if matrix.is_fragment:
            orientation = 0
        row = least_stride(matrix, orientation, shared=True)
        lines = matrix.rows * matrix.cols if matrix.is_fragment else matrix.cols if orientation else matrix.rows
        stride = row + draw.weighted(((3, draw.integer(1, 5)), (1, 0)))
        start = self.used + draw.integer(1, 7)
        tile = (lines - 1) * stride + row + draw.integer(0, 3)
        self.used = start + tile * waves
        return (Affine(start, tile) if waves > 1 else start), stride, orientation

    def stage(self, buffer: str, passes: int = 1) -> Stage:
        """The whole array filled, in runs that lie apart in the buffer; every pass from bytes of its own."""
        start, columns, rows, pitch = self._runs(buffer, passes)
        return Stage(self.name, buffer, start, columns, rows, pitch)

    def unstage(self, buffer: str) -> Unstage:
        """The whole array written out."""
        start, columns, rows, pitch = self._runs(buffer, 1)
        return Unstage(self.name, buffer, start, columns, rows, pitch)

    def _runs(self, buffer: str, passes: int) -> tuple[Index, int, int, int]:
        """Runs of a length that covers the array; it grows to a whole number of them."""
        draw, room = self.builder.choices, self.builder.rooms[buffer]
        size = FORMATS[self.element].nbytes * cells(self.element)
        rows = draw.integer(1, 4)
        columns = -(-self.used // rows)
        columns += columns % 2  # two-byte elements: whole dwords
        self.used = rows * columns
        pitch = columns * size + 4 * draw.integer(0, 5)
        start = room.used + 4 * draw.integer(1, 6)
        tile = rows * pitch + 4 * draw.integer(0, 2)
        room.used = start + tile * passes
        return (Affine(start, loop=tile) if passes > 1 else start), columns, rows, pitch

    def finish(self) -> None:
        """Declare the array, a little longer than it has to be."""
        self.builder.arrays.append(SharedArray(self.name, self.element, self.used + self.builder.choices.integer(0, 9)))
