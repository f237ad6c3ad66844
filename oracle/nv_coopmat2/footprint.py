"""Footprints: the bytes of every executed access, under every reading, from which undefined behaviour follows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.nv_coopmat2.addresses import address_readings, addresses, touched
from mmaspec.oracle.nv_coopmat2.tensors.index_functions import Ended
from mmaspec.oracle.nv_coopmat2.tensors.readings import AddressReading
from mmaspec.programs.base import Place
from mmaspec.programs.nv_coopmat2.program import Access, CoopMatProgram
from mmaspec.programs.tree import unrolled


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """One access in one pass, under one reading.

    reading     how the ambiguous points are read
    addresses   ``(waves, rows, cols)``, as ``footprint.addresses``
    bytes       per wave every byte that is taken, one element after the other
    """

    place: Place
    access: Access
    reading: AddressReading
    addresses: NDArray[np.int64]
    bytes: tuple[NDArray[np.int64], ...]

    def ended(self, reason: Ended) -> bool:
        """Whether some element has no index for this reason."""
        return bool((self.addresses == reason.value).any())

    def outside(self, program: CoopMatProgram) -> bool:
        """Whether some byte lies beyond the buffer's view."""
        size = {buffer.name: buffer.size for buffer in program.buffers}[self.access.buffer]
        return any(bool((taken >= size).any()) for taken in self.bytes)

    def collides(self) -> bool:
        """Whether two elements of one wave take one byte."""
        return any(bool((np.diff(np.sort(taken)) == 0).any()) for taken in self.bytes)


def reached(program: CoopMatProgram) -> list[Reached]:
    """Every executed access, in order, once for every reading of what its addresses depend on."""
    found: list[Reached] = []
    for place, instruction in unrolled(program):
        if isinstance(instruction, Access):
            for reading in address_readings(program, instruction):
                where = addresses(program, instruction, place.loop, reading)
                taken = touched(program, instruction, place.loop, reading, where)
                found.append(Reached(place, instruction, reading, where, taken))
    return found
