"""The instrumented program: every intermediate state is stored, so that the first wrong instruction shows."""

from __future__ import annotations

from mmaspec.oracle.spec import Instrumented
from mmaspec.programs.base import Affine, Buffer, Place
from mmaspec.programs.hlsl_linalg.components import COMPONENTS
from mmaspec.programs.hlsl_linalg.operands import writes
from mmaspec.programs.hlsl_linalg.program import LinalgProgram, Matrix, Simple, Store, VectorStore
from mmaspec.programs.tree import instrument
from mmaspec.programs.unused import unused

BASE_ALIGNMENT, STRIDE_ALIGNMENT = 128, 16
"""Bytes of which addresses and strides of a matrix in a buffer are multiples."""


def instrumented(program: LinalgProgram) -> Instrumented:
    """After every instruction that writes a matrix or vector, a store of it into a buffer of its own.

    Matrices go row-major, whose addresses ask for the least. A matrix of Thread scope cannot be stored.
    """
    taken = {buffer.name for buffer in program.buffers}
    matrices = {matrix.name: matrix for matrix in program.matrices}

    def stored(place: Place, instruction: Simple, passes: int) -> tuple[Store | VectorStore, Buffer] | None:
        name = writes(instruction)
        if name is None or (name in matrices and matrices[name].scope == "Thread"):
            return None
        seen = unused("seen-" + ".".join(str(step + 1) for step in place.path), taken)
        if name in matrices:
            return _of_matrix(program, matrices[name], seen, passes)
        vector = program.vector(name)
        nbytes = _up(vector.length * COMPONENTS[vector.component].format.nbytes, STRIDE_ALIGNMENT)
        wave = nbytes * program.wave_size
        offset = Affine(0, wave, wave * program.waves, lane=nbytes)
        return VectorStore(name, seen, offset), Buffer(seen, wave * program.waves * passes)

    return Instrumented(*instrument(program, stored))


def _of_matrix(program: LinalgProgram, matrix: Matrix, seen: str, passes: int) -> tuple[Store, Buffer]:
    stride = _up(matrix.n * COMPONENTS[matrix.component].format.nbytes, STRIDE_ALIGNMENT)
    nbytes = _up(matrix.m * stride, BASE_ALIGNMENT)
    instances = program.instances(matrix.scope)
    offset = Affine(0, nbytes if instances > 1 else 0, nbytes * instances)
    return Store(matrix.name, seen, offset, stride), Buffer(seen, nbytes * instances * passes)


def _up(nbytes: int, multiple: int) -> int:
    return -(-nbytes // multiple) * multiple
