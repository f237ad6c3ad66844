"""Devices that take other liberties than the reference device, each one that the text gives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mmaspec.backends.numpy.hlsl_linalg.conversions import Style
from mmaspec.backends.numpy.hlsl_linalg.device import Executed, LinalgDevice
from mmaspec.backends.numpy.hlsl_linalg.running import Mask, Positions, Running, format_of
from mmaspec.programs.hlsl_linalg.components import COMPONENTS
from mmaspec.programs.hlsl_linalg.program import (
    Barrier,
    ConvertLayout,
    Copy,
    Layout,
    Matrix,
    Scope,
    Simple,
    Vector,
)


class WholeBounds(LinalgDevice):
    """One element out of bounds makes a whole load zero, and keeps a whole store or accumulation from memory."""

    def admitted(self, running: Running, name: str, positions: Positions, size: int) -> Mask:
        """All elements or none."""
        inside = self.inside(running, name, positions, size)
        return np.full(inside.shape, inside.all())


class MixedBounds(WholeBounds):
    """Where an operation begins in an odd stretch of 128 bytes its bounds are checked at once, elsewhere by element."""

    def admitted(self, running: Running, name: str, positions: Positions, size: int) -> Mask:
        """Of two waves, or of two matrices, one may be checked in one way and the other in the other.

        The text of 2025-09-19 leaves no choice.
        """
        if self.by_source or positions.flat[0] // 128 % 2:
            return super().admitted(running, name, positions, size)
        return self.inside(running, name, positions, size)


class PlainLayouts(LinalgDevice):
    """Optimal layouts that are plain ones: rows for outer products, columns from the last to the first for products."""

    def places(self, m: int, n: int, layout: Layout) -> Positions:
        """The order of the elements."""
        row, column = np.indices((m, n), dtype=np.int64)
        found: Positions = (n - 1 - column) * m + row if layout == "MulOptimal" else row * n + column
        return found


class SharedElements(LinalgDevice):
    """Every element is held by two threads."""

    def holdings(self, matrix: Matrix, thread: int, threads: int) -> Positions:
        """A thread's own, then its neighbour's."""
        found = [super(SharedElements, self).holdings(matrix, t % threads, threads) for t in (thread, thread + 1)]
        return np.concatenate(found)


class IdleThreads(LinalgDevice):
    """Threads that hold no element: all but the first third."""

    def holdings(self, matrix: Matrix, thread: int, threads: int) -> Positions:
        """All elements of the few that hold any."""
        busy = -(-threads // 3)
        return super().holdings(matrix, thread, busy) if thread < busy else np.zeros((0, 2), np.int64)


class ReversedSums(LinalgDevice):
    """The last wave or thread adds to memory first."""

    def order(self, running: Running, scope: Scope) -> list[int]:
        """Backwards."""
        return super().order(running, scope)[::-1]


class WaveAfterWave(LinalgDevice):
    """Between barriers and what the group does together each wave runs as far as it can, the last one first."""

    def scheduled(self, running: Running) -> Iterator[Executed]:
        """Stretches of a program that no wave has to wait in, wave by wave."""
        stretch: list[Executed] = []
        for executed in super().scheduled(running):
            if self.together(running, executed[0]):
                yield from self.apart(running, stretch)
                yield executed
                stretch = []
            else:
                stretch.append(executed)
        yield from self.apart(running, stretch)

    def together(self, running: Running, instruction: Simple) -> bool:
        """Whether the group does something at once: at a barrier, in copies, with matrices that it shares."""
        shared = [matrix.name for matrix in running.program.matrices if matrix.scope == "ThreadGroup"]
        group = getattr(instruction, "matrix", None) in shared
        return group or isinstance(instruction, Barrier | Copy | ConvertLayout)

    def apart(self, running: Running, stretch: list[Executed]) -> Iterator[Executed]:
        """Each wave through all of it."""
        wave_of = np.arange(running.program.group) // running.program.wave_size
        for wave in reversed(range(running.program.waves)):
            yield from ((instruction, loop, active & (wave_of == wave)) for instruction, loop, active in stretch)


class LikeB(LinalgDevice):
    """Accumulators lie like B matrices."""

    def accumulator_layout(self) -> int:
        """B."""
        return 1


class HighestFirst(LinalgDevice):
    """The first component of a packed word lies in its highest bits."""

    def component_places(self, vector: Vector) -> Positions:
        """The places in each word the other way round."""
        packed, size = COMPONENTS[vector.component].packed, format_of(vector).nbytes
        word, place = np.divmod(np.arange(vector.length, dtype=np.int64), packed)
        found: Positions = (word * packed + packed - 1 - place) * size
        return found


class CutConversions(LinalgDevice):
    """Floats are cut to narrower formats, and their largest number stands for what is beyond it."""

    style = Style("zero", "largest")


class NanConversions(LinalgDevice):
    """What is beyond the largest number of a narrower format becomes NaN."""

    style = Style(overflow="nan")
