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
        places, element = np.unique(where, return_inverse=True)
        total = self.read(running, name, places, fmt.nbytes)
        for turn in turns(element):
            here = element[turn]
            total[:, here] = self.sum(fmt, total[:, here], addends[:, turn])
        self.write(running, name, places, fmt.nbytes, total)

    def sum(self, fmt: Format, memory: Bits, addend: Bits) -> Bits:
        """One addition."""
        return add(fmt, memory, fmt, addend)

    def vector_accumulate(self, running: Running, access: VectorAccumulate, loop: int) -> None:
        """Every thread's components, added to what lies in memory."""
        vector = running.program.vector(access.vector)
        fmt, bits = format_of(vector), running.components(vector)
        threads, components = self.order(running, "Thread"), fmt.nbytes * np.arange(vector.length, dtype=np.int64)
        if not threads:
            return
        where = self.arguments(running, access.offset, threads, loop)[:, np.newaxis] + components
        mask = self.inside(running, access.buffer, where, fmt.nbytes)
        if not mask.all():
            mask = np.array([self.summable(running, access.buffer, each, fmt.nbytes) for each in where])
        self.add_to(running, access.buffer, where, fmt, bits[:, threads], mask)


def turns(elements: Positions) -> Iterator[Positions]:
    """Indices of ``elements`` in as few groups as it takes for no group to have one twice, the first ones first."""
    order = np.argsort(elements, kind="stable")
    alike = elements[order]
    first = np.flatnonzero(np.concatenate([[True], alike[1:] != alike[:-1]])[: alike.size])
    rank = np.empty(elements.size, np.int64)
    rank[order] = np.arange(elements.size) - np.repeat(first, np.diff(first, append=elements.size))
    for turn in range(int(rank.max(initial=-1)) + 1):
        yield np.flatnonzero(rank == turn)
