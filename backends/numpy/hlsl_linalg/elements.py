"""Single elements: which thread holds which, and the shader code that visits them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby

import numpy as np

from mmaspec.backends.numpy.hlsl_linalg.access import MemoryAccess
from mmaspec.backends.numpy.hlsl_linalg.running import Mask, Positions, Running, format_of
from mmaspec.backends.numpy.units.unit import Bits
from mmaspec.programs.hlsl_linalg.program import Beyond, CountElements, Matrix, ReadElements, WriteElements

NOWHERE = 0xFFFF_FFFF
"""Both coordinates of an index that is out of range."""


@lru_cache(maxsize=4096)
def dealt(lines: int, across: int, thread: int, threads: int) -> Positions:
    """Lines and places in them of the elements of one of so many threads, ``(length, 2)``; it may not be written to.

    Pairs of neighbours along the lines go round the threads.
    """
    own = np.arange(lines * across, dtype=np.int64)
    own = own[own // 2 % threads == thread]
    found = np.stack((own // across, own % across), axis=1)
    found.flags.writeable = False
    return found


def by_instance(meant: Sequence[tuple[int, Positions]]) -> Iterator[tuple[int, Positions]]:
    """The elements of neighbouring threads that share an instance of a matrix, together."""
    for instance, some in groupby(meant, lambda one: one[0]):
        yield instance, np.concatenate([held for _, held in some])


class Elements(MemoryAccess):
    """``Length``, ``GetCoordinate``, ``Get`` and ``Set``, and the loops over them."""

    def holdings(self, matrix: Matrix, thread: int, threads: int) -> Positions:
        """Rows and columns of the elements of one of so many threads, ``(length, 2)``, in the order of their indices.

        Pairs of neighbours go round the threads: along rows for an A matrix, down columns for a B matrix; an
        accumulator is like the one that the device says.
        """
        if self.like(matrix) == "A":
            return dealt(matrix.m, matrix.n, thread, threads)
        return dealt(matrix.n, matrix.m, thread, threads)[:, ::-1]

    def like(self, matrix: Matrix) -> str:
        """The use whose layout a matrix has."""
        if matrix.use == "Accumulator":
            return "AB"[self.accumulator_layout()]
        return matrix.use

    def accumulator_layout(self) -> int:
        """0 where accumulators lie like A matrices, 1 where they lie like B matrices."""
        return 0

    def own(self, running: Running, matrix: Matrix, thread: int) -> tuple[int, Positions]:
        """The instance of a matrix that a thread takes part in, and the elements of it that the thread holds."""
        instance = 0 if matrix.scope == "ThreadGroup" else thread // running.program.wave_size
        threads = running.threads(matrix.scope, instance)
        return instance, self.holdings(matrix, thread - threads.start, len(threads))

    def length(self, held: Positions) -> int:
        """``Length()`` of a thread."""
        return len(held)

    def get(self, running: Running, matrix: Matrix, instance: int, where: Positions) -> Bits:
        """``Get`` of elements at these rows and columns, ``(batch, count)``."""
        return running.contents(matrix)[:, instance, where[:, 0], where[:, 1]]

    def set(self, running: Running, matrix: Matrix, instance: int, where: Positions, bits: Bits) -> None:
        """``Set`` of elements at these rows and columns."""
        running.contents(matrix)[:, instance, where[:, 0], where[:, 1]] = bits

    def coordinates(self, held: Positions) -> Positions:
        """``GetCoordinate`` of every index: the row first."""
        return held

    def acting_threads(self, running: Running) -> list[int]:
        """The threads that execute the current instruction."""
        return [int(thread) for thread in np.flatnonzero(running.active)]

    def element_places(
        self,
        running: Running,
        access: ReadElements | WriteElements,
        held: list[Positions],
        threads: list[int],
        loop: int,
    ) -> Positions:
        """Where loops over the elements of threads have them in their buffer, one thread's after the other's."""
        size = format_of(running.program.matrix(access.matrix)).nbytes
        counts = [len(own) for own in held]
        offset, stride = (
            np.repeat(self.arguments(running, index, threads, loop), counts) for index in (access.offset, access.stride)
        )
        at = np.concatenate([self.coordinates(own) for own in held])
        return np.asarray(offset + at[:, 0] * stride + at[:, 1] * size, np.int64)

    def read_elements(self, running: Running, access: ReadElements, loop: int) -> None:
        """Every element, stored by the threads that hold it."""
        matrix = running.program.matrix(access.matrix)
        size = format_of(matrix).nbytes
        threads = self.acting_threads(running)
        meant = [self.own(running, matrix, thread) for thread in threads]
        if meant:
            places = self.element_places(running, access, [held for _, held in meant], threads, loop)
            bits = [self.get(running, matrix, instance, held) for instance, held in by_instance(meant)]
            self.write(running, access.buffer, places, size, np.concatenate(bits, axis=1))

    def write_elements(self, running: Running, access: WriteElements, loop: int) -> None:
        """Every element that is not kept, set by the threads that hold it."""
        matrix = running.program.matrix(access.matrix)
        size = format_of(matrix).nbytes
        threads = self.acting_threads(running)
        meant = [self.own(running, matrix, thread) for thread in threads]
        if meant:
            places = self.element_places(running, access, [held for _, held in meant], threads, loop)
            start = 0
            for instance, held in by_instance(meant):
                some = self.changed(access, matrix, held) if access.modulo else slice(None)
                here = places[start : start + len(held)][some]
                start += len(held)
                self.set(running, matrix, instance, held[some], self.read(running, access.buffer, here, size))

    def changed(self, access: WriteElements, matrix: Matrix, held: Positions) -> Mask:
        """Which of a thread's elements a loop does not keep."""
        at = self.coordinates(held)
        return np.asarray((at[:, 0] * matrix.n + at[:, 1]) % access.modulo != access.keep)

    def count_elements(self, running: Running, access: CountElements, loop: int) -> None:
        """Every thread's length, added to a word."""
        matrix = running.program.matrix(access.matrix)
        threads = self.acting_threads(running)
        lengths = [self.length(self.own(running, matrix, thread)[1]) for thread in threads]
        where = self.arguments(running, access.offset, threads, loop)
        words, word = np.unique(where, return_inverse=True)
        more = np.bincount(word, lengths, len(words)).astype(np.uint64)
        count = self.read(running, access.buffer, words, 4) + more
        self.write(running, access.buffer, words, 4, count & np.uint64(NOWHERE))

    def beyond(self, running: Running, access: Beyond, loop: int) -> None:
        """An index out of range, by every thread: where it is, what is there, and what a Set does."""
        matrix = running.program.matrix(access.matrix)
        fmt = format_of(matrix)
        threads = self.acting_threads(running)
        starts = self.arguments(running, access.offset, threads, loop) + 16 * np.array(threads, np.int64)
        words = np.full((running.batch, len(threads), 2), self.coordinate_beyond(matrix), np.uint64)
        self.write(running, access.buffer, starts[:, np.newaxis] + np.array([0, 4]), 4, words)
        found = [self.get_beyond(running, matrix, thread, access.past) for thread in threads]
        self.write(running, access.buffer, starts + 8, fmt.nbytes, np.stack(found, axis=1))
        for thread in threads:
            self.set_beyond(running, matrix, thread, access)

    def coordinate_beyond(self, matrix: Matrix) -> tuple[int, int]:
        """``GetCoordinate`` of an index out of range."""
        del matrix
        return NOWHERE, NOWHERE

    def get_beyond(self, running: Running, matrix: Matrix, thread: int, past: int) -> Bits:
        """``Get`` of an index that many past the end, ``(batch,)``."""
        del matrix, thread, past
        return np.zeros(running.batch, np.uint64)

    def set_beyond(self, running: Running, matrix: Matrix, thread: int, access: Beyond) -> None:
        """``Set`` of an index out of range: nothing."""
