"""Linear algebra devices that deviate in atomic sums into memory; ``catalogue.FAULTS`` names the clauses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.hlsl_linalg.running import Mask, Positions, Running, format_of
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.formats import Format
from mmaspec.programs.hlsl_linalg.program import InterlockedAccumulate, Matrix, VectorAccumulate


class AddsTwice(LinalgDevice):
    """Elements are added to buffers, or to arrays, twice."""

    def __init__(self, arrays: bool, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.arrays = arrays

    def interlocked_accumulate(self, running: Running, access: InterlockedAccumulate, loop: int) -> None:
        """Once more."""
        super().interlocked_accumulate(running, access, loop)
        if (running.program.array(access.memory) is not None) == self.arrays:
            super().interlocked_accumulate(running, access, loop)


class LosesSums(LinalgDevice):
    """All waves and threads read memory before any of them adds to it."""

    def __init__(self, unit: ArithmeticUnit) -> None:
        super().__init__(unit)
        self.before: dict[str, NDArray[np.uint8]] = {}

    def interlocked_accumulate(self, running: Running, access: InterlockedAccumulate, loop: int) -> None:
        """From memory as it was."""
        self.before = {name: image.copy() for name, image in running.memory.items()}
        super().interlocked_accumulate(running, access, loop)
        self.before = {}

    def vector_accumulate(self, running: Running, access: VectorAccumulate, loop: int) -> None:
        """From memory as it was."""
        self.before = {name: image.copy() for name, image in running.memory.items()}
        super().vector_accumulate(running, access, loop)
        self.before = {}

    def add_to(self, running: Running, name: str, positions: Positions, fmt: Format, bits: Bits, mask: Mask) -> None:
        """The sum of what lay there and this addend alone."""
        if name not in self.before:
            super().add_to(running, name, positions, fmt, bits, mask)
            return
        now = running.memory[name]
        running.memory[name] = self.before[name]
        found = self.read(running, name, positions[mask], fmt.nbytes)
        running.memory[name] = now
        self.write(running, name, positions[mask], fmt.nbytes, self.sum(fmt, found, bits[:, mask]))


class AddsReinterpreted(LinalgDevice):
    """The bits of elements are added to an array of another type as they are."""

    def addends(self, running: Running, matrix: Matrix, fmt: Format) -> Bits:
        """Not converted."""
        bits = running.contents(matrix)
        return bits if format_of(matrix) == fmt else bits & np.uint64(fmt.mask)


class LastComponentLost(LinalgDevice):
    """The last component of a vector is not added."""

    def vector_accumulate(self, running: Running, access: VectorAccumulate, loop: int) -> None:
        """Zero is."""
        vector = running.program.vector(access.vector)
        kept = running.components(vector)
        bits = kept.copy()
        bits[..., -1] = 0
        running.vectors[vector.name] = bits
        super().vector_accumulate(running, access, loop)
        running.vectors[vector.name] = kept
