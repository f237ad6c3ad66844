"""A running shader of linear algebra: memory, groupshared arrays as bytes, matrices and vectors as bits."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.backends.protocol import Images
from mmaspec.programs.base import Buffer, RunTime
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, SCALARS
from mmaspec.programs.hlsl_linalg.program import LinalgProgram, Matrix, Scope, SharedArray, Vector
from mmaspec.programs.windows import piece

Positions = NDArray[np.int64]
Mask = NDArray[np.bool_]


def format_of(declared: Matrix | Vector) -> Format:
    """The format of the components of a matrix or vector."""
    return COMPONENTS[declared.component].format


def element_bytes(array: SharedArray) -> int:
    """Bytes of one element of an array, of one component of its vectors."""
    return FORMATS[SCALARS[array.element]].nbytes


@dataclass
class Running:
    """One execution. A matrix is ``(batch, instances, m, n)`` bits, a vector ``(batch, threads, length)``."""

    program: LinalgProgram
    given: Images
    memory: dict[str, NDArray[np.uint8]]
    matrices: dict[str, Bits] = field(default_factory=dict)
    vectors: dict[str, Bits] = field(default_factory=dict)
    shared: dict[str, NDArray[np.uint8]] = field(default_factory=dict)
    """Groupshared arrays, ``(batch, bytes)``, zero at first."""
    active: Mask = field(default_factory=lambda: np.zeros(0, np.bool_))
    """Which threads execute the current instruction."""
    held: dict[str, Format] = field(default_factory=dict)
    """Matrices and vectors that are kept in another format than their own."""

    def __post_init__(self) -> None:
        self.active = np.ones(self.program.group, np.bool_)
        for array in self.program.arrays:
            self.shared[array.name] = np.zeros((self.batch, self.array_bytes(array)), np.uint8)

    @property
    def batch(self) -> int:
        """The number of batch items."""
        return next(iter(self.memory.values())).shape[0] if self.memory else 0

    def array_bytes(self, array: SharedArray) -> int:
        """All bytes of an array."""
        return array.length * max(1, array.width) * element_bytes(array)

    def buffer(self, name: str) -> Buffer:
        """The declaration of a buffer."""
        return self._buffers[name]

    @cached_property
    def _buffers(self) -> dict[str, Buffer]:
        return {buffer.name: buffer for buffer in self.program.buffers}

    def size(self, name: str) -> int:
        """Bytes of an array, or of the view of a buffer."""
        return self._sizes[name]

    @cached_property
    def _sizes(self) -> dict[str, int]:
        views = {name: buffer.size for name, buffer in self._buffers.items()}
        return views | {array.name: self.array_bytes(array) for array in self.program.arrays}

    def word(self, argument: RunTime) -> int:
        """A run-time argument: equal in all items, so the first one's."""
        if argument not in self._words:
            where = piece(self.buffer(argument.buffer), argument.offset, 4)
            self._words[argument] = int.from_bytes(self.given[argument.buffer][0, where].tobytes(), "little")
        return self._words[argument]

    @cached_property
    def _words(self) -> dict[RunTime, int]:
        return {}

    def contents(self, matrix: Matrix) -> Bits:
        """A matrix's bits; zeros before it is written."""
        if matrix.name not in self.matrices:
            shape = (self.batch, self.program.instances(matrix.scope), matrix.m, matrix.n)
            self.matrices[matrix.name] = np.zeros(shape, np.uint64)
        return self.matrices[matrix.name]

    def components(self, vector: Vector) -> Bits:
        """A vector's bits; zeros before it is written."""
        if vector.name not in self.vectors:
            self.vectors[vector.name] = np.zeros((self.batch, self.program.group, vector.length), np.uint64)
        return self.vectors[vector.name]

    def threads(self, scope: Scope, instance: int) -> range:
        """The threads that share an instance of a matrix."""
        if scope == "Thread":
            return range(instance, instance + 1)
        if scope == "ThreadGroup":
            return range(self.program.group)
        first = instance * self.program.wave_size
        return range(first, min(first + self.program.wave_size, self.program.group))

    def acting(self, scope: Scope) -> list[int]:
        """The instances of a scope some thread of which executes the current instruction."""
        instances = range(self.program.instances(scope))
        if self.active.all():
            return list(instances)
        if scope == "Thread":
            return [int(thread) for thread in np.flatnonzero(self.active)]
        return [one for one in instances if self.active[slice_of(self.threads(scope, one))].any()]


def slice_of(threads: range) -> slice:
    """Threads that follow each other, as an index."""
    return slice(threads.start, threads.stop)
