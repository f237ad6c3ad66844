"""Where the defined ends: one function per clause, each telling whether a valid program crosses it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.nv_coopmat2.addresses import Ended
from mmaspec.oracle.nv_coopmat2.caps import CoopMatCaps
from mmaspec.oracle.nv_coopmat2.footprint import addresses, component_bytes, ended
from mmaspec.oracle.nv_coopmat2.program import (
    Access,
    CoopMatProgram,
    Load,
    LoadTensor,
    MulAdd,
    Splat,
    Store,
    StoreTensor,
)
from mmaspec.oracle.program import FromBuffer, unrolled

Found = list[tuple[Access, NDArray[np.int64]]]
"""Every executed access with its addresses ``(waves, rows, cols)``."""


def undefined(program: CoopMatProgram, caps: CoopMatCaps) -> frozenset[str]:  # noqa: ARG001 - one signature for all
    """Every boundary of the defined that a valid, resolved program crosses."""
    found = [
        (instruction, addresses(program, instruction, place.loop))
        for place, instruction in unrolled(program)
        if isinstance(instruction, Access)
    ]
    return frozenset(clause for clause, crossed in BOUNDARIES.items() if crossed(program, found))


def unwritten(program: CoopMatProgram, found: Found) -> bool:  # noqa: ARG001 - all boundaries have one signature
    """KHRCM-UNWRITTEN: a matrix is used only after something has written it."""
    written: set[str] = set()
    for _, instruction in unrolled(program):
        if isinstance(instruction, MulAdd):
            used = {instruction.a, instruction.b} | ({instruction.c} if instruction.c is not None else set())
            if not used <= written:
                return True
            written.add(instruction.result)
        elif isinstance(instruction, Store | StoreTensor):
            if instruction.matrix not in written:
                return True
        else:
            written.add(instruction.matrix)
    return False


def robust(program: CoopMatProgram, found: Found) -> bool:
    """KHRCM-ROBUST: plain loads and stores stay inside the buffer."""
    return any(_outside(program, access, where) for access, where in found if isinstance(access, Load | Store))


def memory_bounds(program: CoopMatProgram, found: Found) -> bool:
    """NVCM2-MEM-BOUNDS: what a layout addresses lies inside the buffer; clamping knows only the layout."""
    return any(
        _outside(program, access, where) for access, where in found if isinstance(access, LoadTensor | StoreTensor)
    )


def _outside(program: CoopMatProgram, access: Access, where: NDArray[np.int64]) -> bool:
    size = {buffer.name: buffer.size for buffer in program.buffers}[access.buffer]
    nbytes = component_bytes(program.matrix(access.matrix))
    return bool((where + nbytes > size).any())


def clamp_undefined(program: CoopMatProgram, found: Found) -> bool:  # noqa: ARG001
    """NVCM2-CLAMP-UNDEF: with clamp mode Undefined no coordinate is out of bounds."""
    return any(ended(where, Ended.OUT_OF_BOUNDS) for _, where in found)


def zero_divisor(program: CoopMatProgram, found: Found) -> bool:  # noqa: ARG001
    """NVCM2-ZERO-DIVISOR: nothing is taken modulo zero (spans of 0; NVCM2-AMB-02, NVCM2-AMB-03)."""
    return any(ended(where, Ended.DIVISION_BY_ZERO) for _, where in found)


def signed_range(program: CoopMatProgram, found: Found) -> bool:  # noqa: ARG001
    """NVCM2-SIGNED-RANGE: dimensions are below 2^31 and offset coordinates fit 32 signed bits (NVCM2-AMB-07)."""
    return any(ended(where, Ended.SIGNED_OVERFLOW) for _, where in found)


def _bytes(program: CoopMatProgram, access: Access, where: NDArray[np.int64]) -> NDArray[np.int64]:
    """Every byte that one wave's elements take; elements without an address take none."""
    nbytes = component_bytes(program.matrix(access.matrix))
    flat = where[where >= 0]
    return (flat[:, np.newaxis] + np.arange(nbytes)).ravel()


def _collides(program: CoopMatProgram, access: Access, where: NDArray[np.int64]) -> bool:
    for wave in where:
        taken = _bytes(program, access, wave)
        if len(np.unique(taken)) != len(taken):
            return True
    return False


def store_collide(program: CoopMatProgram, found: Found) -> bool:
    """NVCM2-STORE-COLLIDE: no two elements of one tensor store have one address."""
    return any(_collides(program, access, where) for access, where in found if isinstance(access, StoreTensor))


def overlap(program: CoopMatProgram, found: Found) -> bool:
    """KHRCM-OVERLAP: the elements of one store do not overlap, nor do waves where one of them stores."""
    if any(_collides(program, access, where) for access, where in found if isinstance(access, Store)):
        return True
    return program.waves > 1 and _races(program, found)


def _races(program: CoopMatProgram, found: Found) -> bool:
    """Whether a byte that one wave stores is touched by another: nothing orders waves."""
    size = {buffer.name: buffer.size for buffer in program.buffers}
    writer = {name: np.full(count, -1, np.int64) for name, count in size.items()}
    for access, where in found:
        if isinstance(access, Store | StoreTensor):
            for wave in range(program.waves):
                taken = _inside(_bytes(program, access, where[wave]), size[access.buffer])
                if not np.isin(writer[access.buffer][taken], (-1, wave)).all():
                    return True
                writer[access.buffer][taken] = wave
    for access, where in found:
        if isinstance(access, Load | LoadTensor):
            for wave in range(program.waves):
                taken = _inside(_bytes(program, access, where[wave]), size[access.buffer])
                if not np.isin(writer[access.buffer][taken], (-1, wave)).all():
                    return True
    return any(bool((writer[buffer][start : start + count] >= 0).any()) for buffer, start, count in _scalars(program))


def _inside(taken: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    return taken[taken < size]


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
    "NVCM2-CLAMP-UNDEF": clamp_undefined,
    "NVCM2-ZERO-DIVISOR": zero_divisor,
    "NVCM2-SIGNED-RANGE": signed_range,
    "NVCM2-STORE-COLLIDE": store_collide,
    "NVCM2-MEM-BOUNDS": memory_bounds,
}
