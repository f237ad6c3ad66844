"""The instrumented program: every intermediate state is stored, so that the first wrong instruction shows.

A matrix of Thread scope cannot be stored: it shows in the first vector that is made of it, or in the memory that it is
added to. A matrix in an optimal layout is converted back to rows, by the command list.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from msgspec.structs import replace

from mmaspec.oracle.hlsl_linalg.addresses import format_of
from mmaspec.oracle.hlsl_linalg.blame.constants import constant
from mmaspec.oracle.spec import PLAIN, Instrumented
from mmaspec.programs import tree
from mmaspec.programs.base import Affine, Buffer, Place
from mmaspec.programs.hlsl_linalg.components import COMPONENTS
from mmaspec.programs.hlsl_linalg.operands import writes
from mmaspec.programs.hlsl_linalg.program import (
    LINEAR,
    Barrier,
    ConvertLayout,
    Layout,
    LinalgProgram,
    Load,
    Matrix,
    ReadElements,
    Simple,
    Splat,
    Store,
    Vector,
    VectorStore,
    WriteElements,
)
from mmaspec.programs.tree import Path, instrument
from mmaspec.programs.unused import unused

BASE_ALIGNMENT, STRIDE_ALIGNMENT = 128, 16
"""Bytes of which addresses and strides of a matrix in a buffer are multiples."""


def instrumented(program: LinalgProgram) -> Instrumented:
    """After every instruction that writes a matrix or vector, a store of it into a buffer of its own.

    Matrices go row-major, but keep the layout of a Load: the fewer circumstances the store adds, the surer is the place
    that it shows.
    """
    return _stored(program, otherwise=False)


def instrumented_otherwise(program: LinalgProgram, instruction: Simple) -> Instrumented:
    """The same with elements that are written one by one; where HLSL has no scalar for them, in the other layout."""
    del instruction  # what is stored one by one has no layout
    return _stored(program, otherwise=True)


def instrumented_in_other_layout(program: LinalgProgram, instruction: Simple) -> Instrumented:
    """The same where a text has no single elements: in the other layout, all of them."""
    del instruction
    return _stored(program, otherwise=True, elements=False)


def filled(program: LinalgProgram, place: Place) -> LinalgProgram | None:
    """A Splat in place of what an instruction writes into its matrix; None where there is no Splat, or is one."""
    instruction: Simple = tree.at(program, place)
    name = writes(instruction)
    matrix = next((one for one in program.matrices if one.name == name), None)
    if matrix is None or matrix.scope == "Thread" or isinstance(instruction, Splat):
        return None
    return tree.replace(program, place, constant(matrix, PLAIN))


def _stored(program: LinalgProgram, *, otherwise: bool, elements: bool = True) -> Instrumented:
    taken = {buffer.name for buffer in program.buffers}
    matrices = {matrix.name: matrix for matrix in program.matrices}
    late = _after_barriers(program, matrices)
    # Between what some threads get and others set there would have to be a barrier.
    groups = (one for _, one, _ in tree.walk(program) if isinstance(one, WriteElements))
    been_set = {one.matrix for one in groups if matrices[one.matrix].scope == "ThreadGroup"}

    def stored(place: Place, instruction: Simple, passes: int) -> tuple[Simple, Buffer] | None:
        maker: Simple = tree.at(program, Place(late[place.path])) if place.path in late else instruction
        seen = "seen-" + ".".join(str(step + 1) for step in place.path)
        name = writes(maker)
        if isinstance(maker, ConvertLayout) and maker.target_layout not in LINEAR:
            return _converted_back(maker, unused(seen, taken))
        if name is None or (place.path not in late and place.path in late.values()):
            return None
        if name not in matrices:
            return _of_vector(program, program.vector(name), unused(seen, taken), passes)
        matrix = matrices[name]
        if matrix.scope == "Thread" or (place.path not in late and _needs_barrier(maker, matrix)):
            return None
        if otherwise and elements and COMPONENTS[matrix.component].native and name not in been_set:
            return _one_by_one(program, matrix, unused(seen, taken), passes)
        layout: Layout = maker.layout if isinstance(maker, Load) else "RowMajor"
        if otherwise:
            layout = "RowMajor" if layout == "ColMajor" else "ColMajor"
        return _of_matrix(program, matrix, unused(seen, taken), passes, layout)

    whole, shows = instrument(program, stored)
    return Instrumented(whole, {name: Place(late.get(place.path, place.path)) for name, place in shows.items()})


def _needs_barrier(instruction: Simple, matrix: Matrix) -> bool:
    """Whether a matrix must not be used before a barrier: threads of several waves set its elements."""
    return matrix.scope == "ThreadGroup" and isinstance(instruction, WriteElements)


def _after_barriers(program: LinalgProgram, matrices: Mapping[str, Matrix]) -> dict[Path, Path]:
    """Barriers right behind instructions whose matrix must not be used before -> the places of these."""
    walked = [(place.path, one) for place, one, _ in tree.walk(program)]
    found: dict[Path, Path] = {}
    for (path, one), (after, next_one) in pairwise(walked):
        name = writes(one)
        alike = path[:-1] == after[:-1] and isinstance(next_one, Barrier)
        if alike and name is not None and name in matrices and _needs_barrier(one, matrices[name]):
            found[after] = path
    return found


def _of_vector(program: LinalgProgram, vector: Vector, seen: str, passes: int) -> tuple[Simple, Buffer]:
    nbytes = _up(vector.length * format_of(vector.component).nbytes, STRIDE_ALIGNMENT)
    wave = nbytes * program.wave_size
    offset = Affine(0, wave, wave * program.waves, lane=nbytes)
    return VectorStore(vector.name, seen, offset), _buffer(seen, wave * program.waves * passes)


def _of_matrix(program: LinalgProgram, matrix: Matrix, seen: str, passes: int, layout: Layout) -> tuple[Store, Buffer]:
    lines, length = (matrix.m, matrix.n) if layout == "RowMajor" else (matrix.n, matrix.m)
    stride = _up(length * format_of(matrix.component).nbytes, STRIDE_ALIGNMENT)
    offset, size = _tiles(program, matrix, _up(lines * stride, BASE_ALIGNMENT), passes)
    return Store(matrix.name, seen, offset, stride, layout), _buffer(seen, size)


def _one_by_one(program: LinalgProgram, matrix: Matrix, seen: str, passes: int) -> tuple[Simple, Buffer]:
    stride = matrix.n * format_of(matrix.component).nbytes
    offset, size = _tiles(program, matrix, _up(matrix.m * stride, STRIDE_ALIGNMENT), passes)
    return ReadElements(matrix.name, seen, offset, stride), _buffer(seen, size)


def _tiles(program: LinalgProgram, matrix: Matrix, tile: int, passes: int) -> tuple[Affine, int]:
    """Every matrix of the scope after the other, pass by pass: the offset, and the bytes of all."""
    instances = program.instances(matrix.scope)
    return Affine(0, tile if instances > 1 else 0, tile * instances), tile * instances * passes


def _converted_back(one: ConvertLayout, seen: str) -> tuple[Simple, Buffer]:
    """The matrix that a conversion put into an optimal layout, in rows."""
    stride = _up(one.n * format_of(one.component).nbytes, STRIDE_ALIGNMENT)
    back = replace(
        one,
        source=one.target,
        source_offset=one.target_offset,
        source_layout=one.target_layout,
        source_stride=0,
        target=seen,
        target_offset=0,
        target_layout="RowMajor",
        target_stride=stride,
        target_size=0,
        data=None,
    )
    return back, _buffer(seen, one.m * stride)


def _buffer(name: str, size: int) -> Buffer:
    return Buffer(name, size, BASE_ALIGNMENT)


def _up(nbytes: int, multiple: int) -> int:
    return -(-nbytes // multiple) * multiple
