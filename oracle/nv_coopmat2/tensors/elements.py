"""The index functions applied to every element of a matrix: by definition one by one, and all at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.nv_coopmat2.tensors.index_functions import (
    HIGHEST,
    LOWEST,
    Coord,
    ElementPlace,
    Ended,
    IndexEndedError,
    matrix_coord_to_span_coord,
    span_coord_to_tensor_element,
    stride_of_span,
)
from mmaspec.oracle.nv_coopmat2.tensors.layouts import UINT32, TensorLayout
from mmaspec.oracle.nv_coopmat2.tensors.readings import MATHEMATICAL, WRAPS
from mmaspec.oracle.nv_coopmat2.tensors.views import TensorView
from mmaspec.programs.errors import BadInput
from mmaspec.programs.nv_coopmat2.program import CLAMP_TO_EDGE, CONSTANT, MIRROR_REPEAT, REPEAT, UNDEFINED

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Elements:
    """Where every element of a matrix lies in a tensor.

    index      ``(rows, cols)``, in blocks; the (negative) value of an ``Ended`` where there is none
    block      ``blockCoord``, ``(rows, cols, rank)``; 0 where there is no index
    within     ``coordInBlock``, the same shape
    span       ``spanCoord``, the same shape; -1 for elements that do not get so far
    """

    index: Ints
    block: Ints
    within: Ints
    span: Ints


def by_definition(
    t: TensorLayout, rows: int, cols: int, *, store: bool, v: TensorView | None = None, clip_end: str = WRAPS
) -> Elements:
    """``matrixCoordToTensorElement``, with a view ``...WithView``, of every element, one after the other."""
    nowhere, lost = (0,) * t.ldim, (-1,) * t.ldim

    def element(row: int, col: int) -> tuple[ElementPlace, Coord]:
        span_coord = lost
        try:
            span_coord = matrix_coord_to_span_coord(t, v, row, col, cols, clip_end)
            return span_coord_to_tensor_element(t, span_coord, store=store), span_coord
        except IndexEndedError as ended:
            return (ended.reason.value, nowhere, nowhere), span_coord

    if t.divided_by_zero:
        found = [((Ended.DIVISION_BY_ZERO.value, nowhere, nowhere), lost)] * (rows * cols)
    else:
        found = [element(row, col) for row in range(rows) for col in range(cols)]
    shape = (rows, cols, t.ldim)
    index = np.array([one[0] for one, _ in found], np.int64).reshape(rows, cols)
    block, within = (np.array([one[part] for one, _ in found], np.int64).reshape(shape) for part in (1, 2))
    return Elements(index, block, within, np.array([span for _, span in found], np.int64).reshape(shape))


@lru_cache(maxsize=512)
def tensor_elements(
    t: TensorLayout, rows: int, cols: int, *, store: bool, v: TensorView | None = None, clip_end: str = WRAPS
) -> Elements:
    """What ``by_definition`` gives, all elements at once: equal to it on whatever the tests try."""
    widest = sum((HIGHEST + 1) * stride for stride in t.stride)
    if widest >= 1 << 62 or any(not LOWEST <= offset <= HIGHEST for offset in t.offset):
        found = by_definition(t, rows, cols, store=store, v=v, clip_end=clip_end)
    else:
        found = _Walk(t, rows, cols).elements(v, clip_end, store=store)
    for array in (found.index, found.block, found.within, found.span):
        array.flags.writeable = False
    return found


class _Walk:
    """All elements on their way to an index; ``ended`` holds why some of them came no further, 0 for the others."""

    def __init__(self, t: TensorLayout, rows: int, cols: int) -> None:
        self.t = t
        self.shape = (rows, cols)
        self.ended: Ints = np.zeros(self.shape, np.int64)

    def end(self, where: NDArray[np.bool_] | bool, reason: Ended) -> None:
        """End elements that are still on their way."""
        self.ended[(self.ended == 0) & where] = reason.value

    def elements(self, v: TensorView | None, clip_end: str, *, store: bool) -> Elements:
        """The index functions in the document's order, each for all elements."""
        rank = self.t.ldim
        span = np.full((*self.shape, rank), -1, np.int64)
        block, within = np.zeros_like(span), np.zeros_like(span)
        if self.t.divided_by_zero:
            self.end(where=True, reason=Ended.DIVISION_BY_ZERO)
        else:
            row, col = np.indices(self.shape, np.int64)
            index = (row * self.shape[1] + col) & UINT32 if v is None else self._viewed(v, row, col, clip_end)
            self._spans(index, span)
            self._coordinates(span, block, within, store=store)
        gone = self.ended != 0
        block[gone], within[gone] = 0, 0
        found = (block * np.array(self.t.stride, np.int64)).sum(axis=2)
        self.end(found > UINT32, Ended.WRAPPED)
        gone = self.ended != 0
        block[gone], within[gone] = 0, 0
        return Elements(np.where(gone, self.ended, found), block, within, span)

    def _viewed(self, v: TensorView, row: Ints, col: Ints, clip_end: str) -> Ints:
        """``matrixCoordToLinearWithView``, ``linearToViewCoord`` and ``viewCoordToLinear``."""
        row_end, col_end = v.clip_row_offset + v.clip_row_span, v.clip_col_offset + v.clip_col_span
        if clip_end != MATHEMATICAL:
            row_end, col_end = row_end & UINT32, col_end & UINT32
        outside = (row < v.clip_row_offset) | (row >= row_end) | (col < v.clip_col_offset) | (col >= col_end)
        self.end(outside, Ended.SKIPPED)
        width = min(self.shape[1], v.clip_col_span)
        index = ((row - v.clip_row_offset) * width + (col - v.clip_col_offset)) & UINT32
        dimensions = v.view_dimension if v.has_dimensions else self.t.span
        if len(dimensions) != len(v.permutation):
            self.end(where=True, reason=Ended.VIEW_RANK)
            return index
        stride = v.view_stride if v.has_dimensions else stride_of_span(self.t.span)
        # Sums and products modulo 2^64 are right modulo 2^32.
        total = np.zeros(self.shape, np.uint64)
        for dim in reversed(range(len(v.permutation))):
            axis = v.permutation[dim]
            if dimensions[axis] == 0:
                self.end(where=True, reason=Ended.DIVISION_BY_ZERO)
                return index
            coordinate = (index % dimensions[axis]).astype(np.uint64)
            total += coordinate * np.uint64(stride[axis] & UINT32)
            index = index // dimensions[axis]
        return (total & np.uint64(UINT32)).astype(np.int64)

    def _spans(self, index: Ints, span: Ints) -> None:
        """``linearToSpanCoord``."""
        going = self.ended == 0
        if 0 in self.t.span:
            self.end(where=True, reason=Ended.DIVISION_BY_ZERO)
            return
        for dim in reversed(range(self.t.ldim)):
            span[..., dim] = np.where(going, index % self.t.span[dim], -1)
            index = index // self.t.span[dim]

    def _coordinates(self, span: Ints, block: Ints, within: Ints, *, store: bool) -> None:
        """``spanCoordToTensorCoord``, dimension by dimension."""
        for dim in range(self.t.ldim):
            dimension, size = self.t.layout_dimension[dim], self.t.block_size[dim]
            if dimension > HIGHEST:
                self.end(where=True, reason=Ended.SIGNED_OVERFLOW)
            c = span[..., dim] + self.t.offset[dim]
            self.end((c < LOWEST) | (c > HIGHEST), Ended.SIGNED_OVERFLOW)
            outside = (c < 0) | (c >= dimension)
            if outside.any():
                c = self._clamped(c, outside, dimension, store=store)
            if size == 0:
                self.end(where=True, reason=Ended.DIVISION_BY_ZERO)
                return
            within[..., dim], block[..., dim] = c % size, c // size

    def _clamped(self, c: Ints, outside: NDArray[np.bool_], dimension: int, *, store: bool) -> Ints:
        """Coordinates brought into a dimension by the clamp mode."""
        mode = self.t.clamp_mode
        if mode == UNDEFINED:
            self.end(outside, Ended.OUT_OF_BOUNDS)
        elif mode == CONSTANT or store:
            self.end(outside, Ended.CONSTANT)
        elif dimension == 0:
            self.end(outside, Ended.DIVISION_BY_ZERO)
        elif mode == CLAMP_TO_EDGE:
            return np.clip(c, 0, dimension - 1)
        elif mode == REPEAT:
            return c % dimension
        elif mode == MIRROR_REPEAT:
            period = 2 * dimension - 2
            if period > HIGHEST:
                self.end(outside, Ended.SIGNED_OVERFLOW)
            elif period == 0:
                self.end(outside, Ended.DIVISION_BY_ZERO)
            else:
                turned = c % period
                return np.where(outside, np.where(turned >= dimension, period - turned, turned), c)
        elif (outside & (self.ended == 0)).any():
            raise BadInput(f"clamp mode {mode}; expected {UNDEFINED} to {MIRROR_REPEAT}")
        return c
