"""Where the elements of a matrix lie in a tensor: the document's index functions, step by step, under its own names.

Every function answers for one element. They may be slow: addresses do not depend on data, so they run
once per layout and view. All sums and products keep 32 unsigned bits, as the document's do (NVCM2-AMB-06).
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache

from mmaspec.oracle.nv_coopmat2.tensors.layouts import UINT32, TensorLayout
from mmaspec.oracle.nv_coopmat2.tensors.readings import MATHEMATICAL, WRAPS
from mmaspec.oracle.nv_coopmat2.tensors.views import TensorView
from mmaspec.programs.errors import BadInput
from mmaspec.programs.nv_coopmat2.program import CLAMP_TO_EDGE, CONSTANT, MIRROR_REPEAT, REPEAT, UNDEFINED

Coord = tuple[int, ...]
HIGHEST = 0x7FFF_FFFF
LOWEST = -HIGHEST - 1


class Ended(Enum):
    """Why an index calculation ended without an index."""

    CONSTANT = -1
    """A load takes the clamp value, a store is dropped."""
    OUT_OF_BOUNDS = -2
    """Out of bounds in clamp mode Undefined."""
    DIVISION_BY_ZERO = -3
    """A span, a view's dimension, a block size or the modulus of a clamp mode is zero."""
    SIGNED_OVERFLOW = -4
    """A coordinate, an offset, a dimension or the modulus of MirrorRepeat does not fit signed arithmetic."""
    SKIPPED = -5
    """Outside the clip region of the view: a load keeps the old element, a store writes nothing."""
    VIEW_RANK = -6
    """A view without dimensions of its own has another number of them than the layout."""
    WRAPPED = -7
    """The sum that gives the index in the tensor does not fit 32 bits."""


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
    return (row * n + col) & UINT32


def matrix_coord_to_linear_with_view(v: TensorView, row: int, col: int, n: int, clip_end: str = WRAPS) -> int:
    """NVCM2-CLIP-SKIP and NVCM2-CLIP-INDEX: elements inside the clip region, numbered along its rows.

    NVCM2-AMB-04: the end of the region wraps at 32 bits, or does not. NVCM2-AMB-05: a row of the region is as
    wide as the smaller of matrix and span, wherever the region starts.
    """
    row_end, col_end = v.clip_row_offset + v.clip_row_span, v.clip_col_offset + v.clip_col_span
    if clip_end != MATHEMATICAL:
        row_end, col_end = row_end & UINT32, col_end & UINT32
    if row < v.clip_row_offset or row >= row_end or col < v.clip_col_offset or col >= col_end:
        raise IndexEndedError(Ended.SKIPPED)
    row -= v.clip_row_offset
    col -= v.clip_col_offset
    width = min(n, v.clip_col_span)
    return (row * width + col) & UINT32


def linear_to_view_coord(t: TensorLayout, v: TensorView, index: int) -> Coord:
    """NVCM2-VIEW-UNRAVEL: unravel in permuted order, by the view's own dimensions or by the spans of the layout."""
    dimensions = v.view_dimension if v.has_dimensions else t.span
    permutation = v.permutation
    view_coord = [0] * len(permutation)
    if len(dimensions) != len(permutation):
        raise IndexEndedError(Ended.VIEW_RANK)
    for dim in range(len(permutation) - 1, -1, -1):
        i = permutation[dim]
        if dimensions[i] == 0:
            raise IndexEndedError(Ended.DIVISION_BY_ZERO)
        view_coord[i] = index % dimensions[i]
        index //= dimensions[i]
    return tuple(view_coord)


def view_coord_to_linear(t: TensorLayout, v: TensorView, view_coord: Coord) -> int:
    """NVCM2-VIEW-LINEAR: number again by the view's own strides, or by those of a span without gaps."""
    stride = v.view_stride if v.has_dimensions else stride_of_span(t.span)
    index = 0
    for dim in range(len(view_coord) - 1, -1, -1):
        index += view_coord[dim] * stride[dim]
    return index & UINT32


@lru_cache(maxsize=64)
def stride_of_span(span: Coord) -> Coord:
    """The stride that matches a span: without gaps, the last dimension innermost."""
    stride = [1] * len(span)
    for dim in range(len(span) - 2, -1, -1):
        stride[dim] = stride[dim + 1] * span[dim + 1]
    return tuple(stride)


def linear_to_span_coord(t: TensorLayout, index: int) -> Coord:
    """NVCM2-SPANCOORD: unravel by the spans, innermost first; the outermost dimension wraps at its span too."""
    span = t.span
    span_coord = [0] * len(span)
    for dim in range(len(span) - 1, -1, -1):
        if span[dim] == 0:
            raise IndexEndedError(Ended.DIVISION_BY_ZERO)
        span_coord[dim] = index % span[dim]
        index //= span[dim]
    return tuple(span_coord)


def span_coord_to_tensor_coord(t: TensorLayout, span_coord: Coord, *, store: bool) -> tuple[Coord, Coord]:
    """NVCM2-OFFSET, the clamp modes and NVCM2-BLOCK: coordinates of the block in the tensor, and inside the block.

    NVCM2-CLAMP-PERDIM: dimensions are clamped one by one.
    """
    block_coord, coord_in_block = [], []
    offset, layout_dimension, block_size = t.offset, t.layout_dimension, t.block_size
    for dim in range(len(span_coord)):
        c = span_coord[dim] + offset[dim]
        dimension = layout_dimension[dim]
        # A sum of offsets may leave 32 bits and the coordinate come back; no device need keep it.
        if dimension > HIGHEST or not (LOWEST <= offset[dim] <= HIGHEST and LOWEST <= c <= HIGHEST):
            raise IndexEndedError(Ended.SIGNED_OVERFLOW)
        if c < 0 or c >= dimension:
            clamp_mode = t.clamp_mode
            # NVCM2-CLAMP-STORE-DROP: for stores every mode but Undefined means "discard".
            if store and clamp_mode != UNDEFINED:
                clamp_mode = CONSTANT
            c = _clamped(clamp_mode, c, dimension)
        size = block_size[dim]
        if size == 0:
            raise IndexEndedError(Ended.DIVISION_BY_ZERO)
        coord_in_block.append(c % size)
        block_coord.append(c // size)
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
        if 2 * dimension - 2 > HIGHEST:
            raise IndexEndedError(Ended.SIGNED_OVERFLOW)
        c = op_s_mod(c, 2 * dimension - 2)
        return 2 * dimension - 2 - c if c >= dimension else c
    raise BadInput(f"clamp mode {clamp_mode}; expected {UNDEFINED} to {MIRROR_REPEAT}")


def tensor_coord_to_linear(t: TensorLayout, block_coord: Coord) -> int:
    """NVCM2-STRIDE-SUM: the sum of every coordinate times its stride.

    NVCM2-INDEX-WRAP: a device may keep more than 32 bits of this sum, so one that does not fit ends here.
    """
    index = 0
    for dim in range(len(block_coord)):
        index += block_coord[dim] * t.stride[dim]
    if index > UINT32:
        raise IndexEndedError(Ended.WRAPPED)
    return index


ElementPlace = tuple[int, Coord, Coord]
"""Index in the tensor, ``blockCoord`` and ``coordInBlock``."""


def matrix_coord_to_span_coord(
    t: TensorLayout, v: TensorView | None, row: int, col: int, n: int, clip_end: str = WRAPS
) -> Coord:
    """(row, col) -> index, by way of the view coordinate if there is a view -> span coordinate."""
    if v is None:
        return linear_to_span_coord(t, matrix_coord_to_linear(row, col, n))
    index = matrix_coord_to_linear_with_view(v, row, col, n, clip_end)
    view_coord = linear_to_view_coord(t, v, index)
    return linear_to_span_coord(t, view_coord_to_linear(t, v, view_coord))


def span_coord_to_tensor_element(t: TensorLayout, span_coord: Coord, *, store: bool) -> ElementPlace:
    """Span coordinate -> tensor coordinate -> index in the tensor."""
    block_coord, coord_in_block = span_coord_to_tensor_coord(t, span_coord, store=store)
    return tensor_coord_to_linear(t, block_coord), block_coord, coord_in_block
