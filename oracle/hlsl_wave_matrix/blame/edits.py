"""Programs with one instruction changed and all data kept, from which ablations are made."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.addresses import (
    BUFFER_ALIGNMENT,
    Access,
    access_addresses,
    element_bytes,
    memory_row_bytes,
)
from mmaspec.oracle.hlsl_wave_matrix.sources import depends, sources
from mmaspec.programs import tree
from mmaspec.programs.base import Affine, Buffer, Index, Place, at
from mmaspec.programs.hlsl_wave_matrix.program import (
    Barrier,
    ElementType,
    Load,
    Matrix,
    Simple,
    Stage,
    Store,
    Unstage,
    WaveMatrixProgram,
)
from mmaspec.programs.windows import around

VIEW = 256
"""Where the view of a buffer made here starts: aligned to whatever a program asks for."""


def with_matrix(program: WaveMatrixProgram, new: Matrix) -> WaveMatrixProgram:
    """The program with the declaration of that name replaced, or added."""
    if any(matrix.name == new.name for matrix in program.matrices):
        matrices = tuple(new if matrix.name == new.name else matrix for matrix in program.matrices)
    else:
        matrices = (*program.matrices, new)
    return replace(program, matrices=matrices)


def with_element(program: WaveMatrixProgram, matrix: Matrix, element: ElementType) -> WaveMatrixProgram:
    """The program with a matrix of another element type, and with it the arrays that it is loaded from."""
    accesses = [simple for _, simple, _ in tree.walk(program) if isinstance(simple, Access)]
    touched = {access.buffer for access in accesses if access.matrix == matrix.name}
    arrays = tuple(replace(array, element=element) if array.name in touched else array for array in program.arrays)
    return with_matrix(replace(program, arrays=arrays), replace(matrix, element=element))


def arrays_match(program: WaveMatrixProgram) -> bool:
    """Whether arrays have the element type of every matrix that is loaded from them or stored into them."""
    elements = {array.name: array.element for array in program.arrays}
    accesses = (simple for _, simple, _ in tree.walk(program) if isinstance(simple, Access))
    return all(
        program.matrix(access.matrix).element == elements[access.buffer]
        for access in accesses
        if access.buffer in elements
    )


def reading_memory(program: WaveMatrixProgram, place: Place, change: Callable[[Load], Load]) -> WaveMatrixProgram:
    """A changed Load whose data stay where they were, so that it reads memory unchanged.

    A load of the same data into a matrix that nothing uses, at the end, keeps the data in memory.
    """
    load = tree.at(program, place)
    assert isinstance(load, Load)
    new = change(load)
    if load.data is not None:
        new = replace(new, data=None)
        matrix = program.matrix(load.matrix)
        keeper = f"kept-{len(program.matrices)}"
        program = with_matrix(program, replace(matrix, name=keeper))
        program = tree.append(program, place, replace(load, matrix=keeper))
    return tree.replace(program, place, new)


def relocated(
    program: WaveMatrixProgram, place: Place, *, base: int, stride: int, col_major: int | None = None
) -> WaveMatrixProgram:
    """A Load or Store moved to a buffer of its own, tile after tile, with this start, stride and orientation.

    Data names stay, so the same values are found under the new layout. It asks for no alignment, so that
    the smallest stride is one. Instead of a sparse buffer it gets another one.
    """
    access, passes = tree.at(program, place), tree.passes(program, place)
    assert isinstance(access, Access)
    matrix = program.matrix(access.matrix)
    orientation: Index = access.col_major if col_major is None else col_major
    if isinstance(orientation, Affine):
        orientation = replace(orientation, lane=0)
    unit = BUFFER_ALIGNMENT
    fresh = f"moved-{len(program.buffers)}"
    new = replace(access, buffer=fresh, offset=base, stride=stride, col_major=orientation, alignment=0)
    last = max(
        int(access_addresses(new, matrix, wave, loop).max()) for wave in range(program.waves) for loop in range(passes)
    )
    tile = -(-(last + element_bytes(matrix) - base) // unit) * unit
    by_wave, by_pass = depends((access.offset, access.stride, access.col_major))
    if isinstance(access, Load) and access.data is not None and program.array(access.buffer) is not None:
        # What an array holds differs as what was put there does.
        shape = next(source.shape for source in sources(program) if source.name == access.data)
        by_wave, by_pass = shape[0] > 1, shape[1] > 1
    # Barriers let passes store to one place of an array, but not of a buffer.
    by_pass |= isinstance(access, Store) and program.array(access.buffer) is not None
    by_wave, by_pass = by_wave and program.waves > 1, by_pass and len(place.path) > 1
    new = replace(new, offset=Affine(base, tile * passes if by_wave else 0, tile if by_pass else 0))
    size = base + tile * passes * program.waves
    own = Buffer(fresh, size, VIEW)
    if any(buffer.name == access.buffer and buffer.windows for buffer in program.buffers):
        bytes_of = np.arange(element_bytes(matrix))
        everywhere = product(range(program.waves), range(passes))
        own = around(own, (access_addresses(new, matrix, *here)[..., np.newaxis] + bytes_of for here in everywhere))
    program = replace(program, buffers=(*program.buffers, own))
    if access.buffer in program.read_only and isinstance(access, Load):
        program = replace(program, read_only=(*program.read_only, fresh))
    return tree.replace(program, place, new)


def tight_stride(matrix: Matrix, col_major: int) -> int:
    """The smallest stride in a buffer that this orientation allows, fragments included."""
    row = element_bytes(matrix) if matrix.is_fragment else memory_row_bytes(matrix, col_major)
    return -(-row // BUFFER_ALIGNMENT) * BUFFER_ALIGNMENT


def only_store(program: WaveMatrixProgram, place: Place) -> WaveMatrixProgram:
    """The program without any other Store into a buffer, so that no other one can be wrong; places may shift."""

    def kept(path: tuple[int, ...], simple: Simple) -> bool:
        if path == place.path:
            return True
        if isinstance(simple, Store):
            return program.array(simple.buffer) is not None
        return not isinstance(simple, Unstage)

    return tree.keep(program, kept)


def stored_directly(program: WaveMatrixProgram, array: str) -> WaveMatrixProgram:
    """Every Store into an array goes to a buffer of its own instead, and nothing else is stored or staged out."""
    targets = [place for place, simple, _ in tree.walk(program) if isinstance(simple, Store) and simple.buffer == array]
    for place in targets:
        program = in_buffer(program, place)

    def kept(path: tuple[int, ...], simple: Simple) -> bool:
        return any(path == target.path for target in targets) or not isinstance(simple, Store | Unstage)

    return tree.keep(program, kept)


def only_stored(program: WaveMatrixProgram) -> WaveMatrixProgram:
    """Nothing is copied into an array that no Load reads: it holds only what is stored; a barrier takes each place."""
    loaded = {simple.buffer for _, simple, _ in tree.walk(program) if isinstance(simple, Load)}
    for place, simple, _ in list(tree.walk(program)):
        if isinstance(simple, Stage) and simple.array not in loaded:
            program = tree.replace(program, place, Barrier())
    return program


def in_buffer(program: WaveMatrixProgram, place: Place) -> WaveMatrixProgram:
    """A Load or Store of an array as one of a buffer, tight and in the same orientation, data kept."""
    access = tree.at(program, place)
    assert isinstance(access, Access)
    stride = tight_stride(program.matrix(access.matrix), first_value(access.col_major))
    return relocated(program, place, base=0, stride=stride)


def without_lanes(access: Access) -> Access:
    """All lanes agree on the arguments."""
    plain = {
        name: replace(index, lane=0)
        for name in ("offset", "stride", "col_major")
        if isinstance(index := getattr(access, name), Affine)
    }
    return replace(access, **plain)


def first_value(index: Index) -> int:
    """The value of an argument for the first wave and pass."""
    return at(index, 0, 0)
