"""Where the elements of a matrix lie: the document's index functions, step by step, under its own names.

Every function answers for one element. They may be slow: addresses do not depend on data, so they run
once per layout.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.errors import BadInput
from mmaspec.oracle.nv_coopmat2.layouts import TensorLayout, int32, uint32
from mmaspec.oracle.nv_coopmat2.program import (
    CLAMP_TO_EDGE,
    COLUMN_MAJOR,
    CONSTANT,
    MIRROR_REPEAT,
    REPEAT,
    UNDEFINED,
)

Coord = tuple[int, ...]


class Ended(Enum):
    """Why an index calculation ended without an index."""

    CONSTANT = -1
    """A load takes the clamp value, a store is dropped."""
    OUT_OF_BOUNDS = -2
    """Out of bounds in clamp mode Undefined."""
    DIVISION_BY_ZERO = -3
    """A span, or the modulus of a clamp mode, is zero."""
    SIGNED_OVERFLOW = -4
    """A coordinate or a dimension does not fit the signed arithmetic of the bounds check."""


class IndexEndedError(Exception):
    """The index calculation terminated; ``reason`` says why."""

    def __init__(self, reason: Ended) -> None:
        super().__init__(reason.name)
        self.reason = reason


def op_s_mod(dividend: int, divisor: int) -> int:
    """``OpSMod``: the remainder with the sign of the divisor; there is none for divisor zero."""
    if divisor == 0:
        raise IndexEndedError(Ended.DIVISION_BY_ZERO)
    return dividend - divisor * (dividend // divisor)


def matrix_coord_to_linear(row: int, col: int, n: int) -> int:
    """NVCM2-LINEAR: elements are numbered along the rows of the matrix, which has ``n`` columns."""
    return uint32(uint32(row * n) + col)


def linear_to_span_coord(t: TensorLayout, index: int) -> Coord:
    """NVCM2-SPANCOORD: unravel by the spans, innermost first; the outermost dimension wraps at its span too."""
    span_coord = [0] * t.ldim
    for dim in range(t.ldim - 1, -1, -1):
        if t.span[dim] == 0:
            raise IndexEndedError(Ended.DIVISION_BY_ZERO)
        span_coord[dim] = index % t.span[dim]
        index //= t.span[dim]
    return tuple(span_coord)


def span_coord_to_tensor_coord(t: TensorLayout, span_coord: Coord, *, store: bool) -> tuple[Coord, Coord]:
    """NVCM2-OFFSET and the clamp modes: block coordinates in the tensor, and coordinates in the block.

    NVCM2-CLAMP-PERDIM: dimensions are clamped one by one.
    """
    block_coord, coord_in_block = [], []
    for dim in range(t.ldim):
        c = span_coord[dim] + t.offset[dim]
        if c != int32(c) or t.layout_dimension[dim] != int32(t.layout_dimension[dim]):
            raise IndexEndedError(Ended.SIGNED_OVERFLOW)
        if c < 0 or c >= t.layout_dimension[dim]:
            clamp_mode = t.clamp_mode
            # NVCM2-CLAMP-STORE-DROP: for stores every mode but Undefined means "discard".
            if store and clamp_mode != UNDEFINED:
                clamp_mode = CONSTANT
            c = _clamped(clamp_mode, c, t.layout_dimension[dim])
        coord_in_block.append(c % t.block_size[dim])
        block_coord.append(c // t.block_size[dim])
    return tuple(block_coord), tuple(coord_in_block)


def _clamped(clamp_mode: int, c: int, dimension: int) -> int:
    """An out-of-bounds coordinate brought into the layout's dimension."""
    if clamp_mode == UNDEFINED:  # NVCM2-CLAMP-UNDEF
        raise IndexEndedError(Ended.OUT_OF_BOUNDS)
    if clamp_mode == CONSTANT:  # NVCM2-CLAMP-CONST: whatever the other dimensions say
        raise IndexEndedError(Ended.CONSTANT)
    if dimension == 0:
        raise IndexEndedError(Ended.DIVISION_BY_ZERO)
    if clamp_mode == CLAMP_TO_EDGE:  # NVCM2-CLAMP-EDGE
        return min(max(c, 0), dimension - 1)
    if clamp_mode == REPEAT:  # NVCM2-CLAMP-REPEAT
        return op_s_mod(c, dimension)
    if clamp_mode == MIRROR_REPEAT:  # NVCM2-CLAMP-MIRROR; NVCM2-AMB-01: the layout's dimension is meant
        c = op_s_mod(c, 2 * dimension - 2)
        return 2 * dimension - 2 - c if c >= dimension else c
    raise BadInput(f"clamp mode {clamp_mode}; expected {UNDEFINED} to {MIRROR_REPEAT}")


def tensor_coord_to_linear(t: TensorLayout, block_coord: Coord) -> int:
    """NVCM2-STRIDE-SUM: the sum of every coordinate times its stride."""
    index = 0
    for dim in range(t.ldim):
        index = uint32(index + uint32(block_coord[dim] * t.stride[dim]))
    return index


def matrix_coord_to_tensor_element(t: TensorLayout, row: int, col: int, n: int, *, store: bool) -> int:
    """(row, col) -> index in the span -> span coordinate -> tensor coordinate -> index in the tensor."""
    index = matrix_coord_to_linear(row, col, n)
    span_coord = linear_to_span_coord(t, index)
    block_coord, _ = span_coord_to_tensor_coord(t, span_coord, store=store)
    return tensor_coord_to_linear(t, block_coord)


@lru_cache(maxsize=512)
def tensor_elements(t: TensorLayout, rows: int, cols: int, *, store: bool) -> NDArray[np.int64]:
    """Index in the tensor of every matrix element, ``(rows, cols)``; the value of an ``Ended`` where there is none."""
    found = np.empty((rows, cols), np.int64)
    for row in range(rows):
        for col in range(cols):
            try:
                found[row, col] = matrix_coord_to_tensor_element(t, row, col, cols, store=store)
            except IndexEndedError as ended:
                found[row, col] = ended.reason.value
    found.flags.writeable = False
    return found


def array_byte(element: int, stride: int, layout: int, row: int, col: int, array_bytes: int, nbytes: int) -> int:
    """KHRCM-LOAD-ROW and KHRCM-LOAD-COL: byte of one element of a plain load or store, from the start of the array.

    Row-major: row r is contiguous from array element ``element + r * stride``; column-major likewise by
    column. KHRCM-STRIDE-UNITS: both count array elements of ``array_bytes``; components have ``nbytes``.
    """
    line, place = (col, row) if layout == COLUMN_MAJOR else (row, col)
    return (element + line * stride) * array_bytes + place * nbytes


def matrix_bytes(
    element: int, stride: int, layout: int, array_bytes: int, nbytes: int, rows: int, cols: int
) -> NDArray[np.int64]:
    """``array_byte`` of every element, ``(rows, cols)``."""
    return np.array(
        [
            [array_byte(element, stride, layout, row, col, array_bytes, nbytes) for col in range(cols)]
            for row in range(rows)
        ],
        np.int64,
    ).reshape(rows, cols)
