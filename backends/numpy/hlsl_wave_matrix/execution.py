"""A running WaveMatrix shader: its memory, its groupshared arrays, its matrices."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy import octets
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.backends.protocol import Images
from mmaspec.programs.base import Buffer, RunTime
from mmaspec.programs.hlsl_wave_matrix.program import Matrix, SharedArray, WaveMatrixProgram
from mmaspec.programs.windows import piece

PACKED = ("u8", "s8")
WIDTH = {"f16": 2, "f32": 4, "f64": 8, "s8": 1, "u8": 1, "s16": 2, "u16": 2, "s32": 4, "u32": 4}
"""Bytes of one element of a matrix."""


def array_width(array: SharedArray) -> int:
    """Bytes of one array element: a dword where four elements are packed into one."""
    return 4 if array.element in PACKED else WIDTH[array.element]


@dataclass(frozen=True, slots=True)
class Arguments:
    """An access as one wave makes it in one pass: every argument a number, in bytes."""

    start: int
    stride: int
    col_major: bool
    read_only: bool
    unit: int = 1
    """Bytes that one step of the program's own offset and stride is: 1 in a buffer, an element in an array."""
    shared: bool = False
    vector: bool = False
    """Whether a fragment is moved, element by element."""


@dataclass(frozen=True, slots=True)
class Lines:
    """How one wave's access lies in memory: so many lines, each of so many elements of so many bytes."""

    count: int
    length: int
    size: int
    arguments: Arguments

    @property
    def line_bytes(self) -> int:
        """The bytes of the elements of a line."""
        return self.length * self.size

    def packed(self) -> Lines:
        """The same with a stride of one element."""
        return replace(self, arguments=replace(self.arguments, stride=self.size))


@dataclass(frozen=True, slots=True)
class Addition:
    """A matrix that is added to an accumulator: its kind and element, and the accumulator's element and shape."""

    kind: str
    given: str
    element: str
    shape: tuple[int, int, int, int]


@dataclass
class Shader:
    """One running program. A groupshared array is bytes as well, ``(batch, length)``, zero at first."""

    program: WaveMatrixProgram
    inputs: Images
    memory: dict[str, NDArray[np.uint8]]
    batch: int
    matrices: dict[str, Bits] = field(default_factory=dict)
    loaded: dict[str, list[Arguments]] = field(default_factory=dict)
    """How each wave last loaded a matrix, forgotten when it is written otherwise."""
    stored: set[str] = field(default_factory=set)
    """Matrices stored since they were written."""
    shared: dict[str, NDArray[np.uint8]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._buffers = {buffer.name: buffer for buffer in self.program.buffers}
        self._arrays = {array.name: array for array in self.program.arrays}
        for array in self.program.arrays:
            self.shared[array.name] = np.zeros((self.batch, array.length * array_width(array)), np.uint8)

    def view(self, name: str) -> NDArray[np.uint8]:
        """The bytes of an array, or of the view of a dense buffer, ``(batch, size)``."""
        if name in self.shared:
            return self.shared[name]
        buffer = self.buffer(name)
        return self.memory[name][:, buffer.base : buffer.base + buffer.size]

    def run(self, name: str, start: int, nbytes: int) -> NDArray[np.uint8]:
        """So many bytes of an array or of a buffer's view, ``(batch, nbytes)``."""
        if name not in self.shared and (buffer := self.buffer(name)).windows:
            return self.memory[name][:, piece(buffer, start, nbytes)]
        return self.view(name)[:, start : start + nbytes]

    def read(self, name: str, addresses: NDArray[np.int64], size: int) -> Bits:
        """Elements at bytes of an array or view; zeros outside the windows of a sparse buffer."""
        if name in self.shared:
            return octets.read(self.shared[name], addresses, size)
        buffer = self.buffer(name)
        if buffer.windows:
            return octets.read_placed(self.memory[name], buffer, addresses, size)
        return octets.read(self.memory[name], addresses + buffer.base, size)

    def write(self, name: str, addresses: NDArray[np.int64], size: int, bits: Bits) -> None:
        """The same way back; raises ``IndexError`` for what lies outside the windows of a sparse buffer."""
        if name in self.shared:
            octets.write(self.shared[name], addresses, size, bits)
        elif (buffer := self.buffer(name)).windows:
            octets.write_placed(self.memory[name], buffer, addresses, size, bits)
        else:
            octets.write(self.memory[name], addresses + buffer.base, size, bits)

    def buffer(self, name: str) -> Buffer:
        """The declaration of a buffer."""
        return self._buffers[name]

    def array(self, name: str) -> SharedArray | None:
        """The declaration of a groupshared array, None for a buffer."""
        return self._arrays.get(name)

    def word(self, argument: RunTime) -> int:
        """A run-time argument: equal in all items, so the first one's."""
        where = piece(self.buffer(argument.buffer), argument.offset, 4)
        return int.from_bytes(self.inputs[argument.buffer][0, where].tobytes(), "little")

    def contents(self, name: str) -> Bits:
        """A matrix's bits; zeros before it is written."""
        if name not in self.matrices:
            self.matrices[name] = np.zeros(self.shape(self.program.matrix(name)), np.uint64)
        return self.matrices[name]

    def shape(self, matrix: Matrix) -> tuple[int, int, int, int]:
        """``(batch, waves, rows, cols)`` of a matrix."""
        rows = {"right": matrix.k, "right-row-acc": 1}.get(matrix.kind, matrix.m)
        cols = {"left": matrix.k, "left-col-acc": 1}.get(matrix.kind, matrix.n)
        return self.batch, self.program.waves, rows, cols
