"""Where the defined ends: one function per clause, each telling whether a valid program crosses it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from mmaspec.oracle.nv_coopmat2.boundaries_tensor import TENSOR_BOUNDARIES, keeps_old
from mmaspec.oracle.nv_coopmat2.caps import CoopMatCaps
from mmaspec.oracle.nv_coopmat2.footprint import component_bytes
from mmaspec.oracle.nv_coopmat2.program import (
    CoopMatProgram,
    Load,
    LoadTensor,
    MulAdd,
    Splat,
    Store,
    StoreTensor,
)
from mmaspec.oracle.nv_coopmat2.reached import Reached, reached
from mmaspec.oracle.program import FromBuffer, unrolled

Found = list[Reached]
"""Every executed access, once for every way in which what it depends on can be read."""


def undefined(program: CoopMatProgram, caps: CoopMatCaps) -> frozenset[str]:  # noqa: ARG001 - one signature for all
    """Every boundary of the defined that a valid, resolved program crosses."""
    found = reached(program)
    return frozenset(clause for clause, crossed in BOUNDARIES.items() if crossed(program, found))


def unwritten(program: CoopMatProgram, found: Found) -> bool:
    """KHRCM-UNWRITTEN: a matrix is used only after something has written it; a clipped load uses it."""
    written: set[str] = set()
    partial = keeps_old(program, found)
    for place, instruction in unrolled(program):
        if isinstance(instruction, MulAdd):
            used = {instruction.a, instruction.b} | ({instruction.c} if instruction.c is not None else set())
            if not used <= written:
                return True
            written.add(instruction.result)
        elif isinstance(instruction, Store | StoreTensor):
            if instruction.matrix not in written:
                return True
        else:
            if place in partial and instruction.matrix not in written:
                return True
            written.add(instruction.matrix)
    return False


def robust(program: CoopMatProgram, found: Found) -> bool:
    """KHRCM-ROBUST: plain loads and stores stay inside the buffer."""
    return any(one.outside(program) for one in found if isinstance(one.access, Load | Store))


def overlap(program: CoopMatProgram, found: Found) -> bool:
    """KHRCM-OVERLAP: the elements of one store do not overlap, nor do waves where one of them stores."""
    if any(one.collides() for one in found if isinstance(one.access, Store)):
        return True
    return program.waves > 1 and _races(program, found)


def _races(program: CoopMatProgram, found: Found) -> bool:
    """Whether a byte that one wave stores is touched by another: nothing orders waves."""
    size = {buffer.name: buffer.size for buffer in program.buffers}
    writer = {name: np.full(count, -1, np.int64) for name, count in size.items()}
    stores = [one for one in found if isinstance(one.access, Store | StoreTensor)]
    loads = [one for one in found if isinstance(one.access, Load | LoadTensor)]
    for one in (*stores, *loads):
        buffer = one.access.buffer
        for wave, taken in enumerate(one.bytes):
            inside = taken[taken < size[buffer]]
            if not np.isin(writer[buffer][inside], (-1, wave)).all():
                return True
            if isinstance(one.access, Store | StoreTensor):
                writer[buffer][inside] = wave
    return any(bool((writer[buffer][start : start + count] >= 0).any()) for buffer, start, count in _scalars(program))


def _scalars(program: CoopMatProgram) -> Iterator[tuple[str, int, int]]:
    """Buffer, first byte and byte count of every scalar that all waves read."""
    for _, instruction in unrolled(program):
        if isinstance(instruction, Splat) and isinstance(instruction.value, FromBuffer):
            nbytes = component_bytes(program.matrix(instruction.matrix))
            yield instruction.value.buffer, instruction.value.offset, nbytes


BOUNDARIES: dict[str, Callable[[CoopMatProgram, Found], bool]] = {
    "KHRCM-UNWRITTEN": unwritten,
    "KHRCM-ROBUST": robust,
    "KHRCM-OVERLAP": overlap,
    **TENSOR_BOUNDARIES,
}
