"""Atomic sums into memory: one instance after the other, so that none is lost."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mmaspec.backends.numpy.hlsl_linalg.elements import Elements
from mmaspec.backends.numpy.hlsl_linalg.running import Mask, Positions, Running, format_of
from mmaspec.backends.numpy.hlsl_linalg.sums import add
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.formats import Format
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, NATIVE
from mmaspec.programs.hlsl_linalg.program import InterlockedAccumulate, Matrix, Scope, VectorAccumulate


class Atomics(Elements):
    """``InterlockedAccumulate`` of matrices and of vectors."""

    def interlocked_accumulate(self, running: Running, access: InterlockedAccumulate, loop: int) -> None:
        """Every instance's elements, added to what lies in memory."""
        matrix = running.program.matrix(access.matrix)
        fmt = self.target(running, access, matrix)
        bits = self.addends(running, matrix, fmt)
        for instance in self.order(running, matrix.scope):
            where = self.positions(running, access, matrix, fmt.nbytes, instance, loop)
            mask = self.summable(running, access.memory, where, fmt.nbytes)
            self.add_to(running, access.memory, where, fmt, bits[:, instance], mask)

    def target(self, running: Running, access: InterlockedAccumulate, matrix: Matrix) -> Format:
        """The format in which memory is added to: of the matrix in a buffer, in an array its own or the one named."""
        array = running.program.array(access.memory)
        if array is None or self.by_source:
            return self.lying(running, access, matrix)
        if access.target is not None:
            return COMPONENTS[access.target].format
        native = NATIVE.get(array.element)
        return format_of(matrix) if native is None else COMPONENTS[native].format

    def addends(self, running: Running, matrix: Matrix, fmt: Format) -> Bits:
        """The elements, converted to the format in which memory is added to."""
        return self.converted_bits(self.outgoing(running, matrix), format_of(matrix), fmt)

    def order(self, running: Running, scope: Scope) -> list[int]:
        """The instances in the order in which they add."""
        return running.acting(scope)

    def summable(self, running: Running, name: str, positions: Positions, size: int) -> Mask:
        """The elements of an accumulation that bounds checks let through."""
        return self.admitted(running, name, positions, size)

    def add_to(self, running: Running, name: str, positions: Positions, fmt: Format, bits: Bits, mask: Mask) -> None:
        """Memory += element for each of one operation that the mask admits."""
        where, addends = positions[mask], bits[:, mask]
        for turn in turns(where):
            found = self.read(running, name, where[turn], fmt.nbytes)
            self.write(running, name, where[turn], fmt.nbytes, self.sum(fmt, found, addends[:, turn]))

    def sum(self, fmt: Format, memory: Bits, addend: Bits) -> Bits:
        """One addition."""
        return add(fmt, memory, fmt, addend)

    def vector_accumulate(self, running: Running, access: VectorAccumulate, loop: int) -> None:
        """Every thread's components, added to what lies in memory."""
        vector = running.program.vector(access.vector)
        fmt, bits = format_of(vector), running.components(vector)
        for thread in self.order(running, "Thread"):
            start = self.argument(running, access.offset, thread, loop)
            where = start + fmt.nbytes * np.arange(vector.length, dtype=np.int64)
            mask = self.summable(running, access.buffer, where, fmt.nbytes)
            self.add_to(running, access.buffer, where, fmt, bits[:, thread], mask)


def turns(positions: Positions) -> Iterator[Positions]:
    """Indices of ``positions`` in as few groups as it takes for no group to have one place twice."""
    left = np.arange(positions.size)
    while left.size:
        _, first = np.unique(positions[left], return_index=True)
        yield left[np.sort(first)]
        left = np.delete(left, first)
