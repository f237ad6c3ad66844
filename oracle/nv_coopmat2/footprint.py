"""The bytes that an access touches, for every wave: what rules, semantics and sources have in common."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.formats import format_named
from mmaspec.oracle.nv_coopmat2.addresses import Ended, matrix_bytes, tensor_elements
from mmaspec.oracle.nv_coopmat2.layouts import TensorLayout, evaluate
from mmaspec.oracle.nv_coopmat2.program import (
    ARRAY_BYTES,
    Access,
    CoopMatProgram,
    Load,
    LoadTensor,
    Matrix,
    Store,
    StoreTensor,
)
from mmaspec.oracle.program import at


def component_bytes(matrix: Matrix) -> int:
    """Bytes of one component."""
    return format_named(matrix.component).nbytes


def array_bytes(access: Access, matrix: Matrix) -> int:
    """Bytes of one element of the array that an access names."""
    return ARRAY_BYTES.get(access.array) or component_bytes(matrix)


def base_byte(program: CoopMatProgram, access: Access, wave: int, loop: int) -> int:
    """Byte of ``&buf[offset]`` from the start of the view."""
    return at(access.offset, wave, loop) * array_bytes(access, program.matrix(access.matrix))


def addresses(program: CoopMatProgram, access: Access, loop: int) -> NDArray[np.int64]:
    """Byte of every element in the view, ``(waves, rows, cols)``.

    Elements of tensor accesses without an index hold the (negative) value of their ``Ended``.
    """
    if isinstance(access, Load | Store):
        return _plain(program, access, loop)
    matrix = program.matrix(access.matrix)
    found = np.empty((program.waves, matrix.rows, matrix.cols), np.int64)
    for wave in range(program.waves):
        layout = evaluate(program, access.tensor, wave, loop)
        elements = tensor_elements(layout, matrix.rows, matrix.cols, store=isinstance(access, StoreTensor))
        # NVCM2-BYTEADDR: the index counts components, whatever the array's element type is.
        where = base_byte(program, access, wave, loop) + elements * component_bytes(matrix)
        found[wave] = np.where(elements < 0, elements, where)
    return found


def _plain(program: CoopMatProgram, access: Load | Store, loop: int) -> NDArray[np.int64]:
    matrix = program.matrix(access.matrix)
    unit, nbytes = array_bytes(access, matrix), component_bytes(matrix)
    return np.stack(
        [
            _matrix_bytes(
                at(access.offset, wave, loop),
                at(access.stride, wave, loop),
                access.layout,
                unit,
                nbytes,
                matrix.rows,
                matrix.cols,
            )
            for wave in range(program.waves)
        ]
    )


@lru_cache(maxsize=512)
def _matrix_bytes(
    element: int, stride: int, layout: int, unit: int, nbytes: int, rows: int, cols: int
) -> NDArray[np.int64]:
    return matrix_bytes(element, stride, layout, unit, nbytes, rows, cols)


def ended(found: NDArray[np.int64], reason: Ended) -> bool:
    """Whether some element of an access has no index for this reason."""
    return bool((found == reason.value).any())


def layouts_of(program: CoopMatProgram, access: LoadTensor | StoreTensor, loop: int) -> tuple[TensorLayout, ...]:
    """The value of the layout of a tensor access, per wave."""
    return tuple(evaluate(program, access.tensor, wave, loop) for wave in range(program.waves))
