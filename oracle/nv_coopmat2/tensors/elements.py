"""The index functions applied to every element of a matrix, once for each layout, view and shape."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.nv_coopmat2.tensors.index_functions import (
    Coord,
    ElementPlace,
    Ended,
    IndexEndedError,
    matrix_coord_to_span_coord,
    span_coord_to_tensor_element,
)
from mmaspec.oracle.nv_coopmat2.tensors.layouts import TensorLayout
from mmaspec.oracle.nv_coopmat2.tensors.readings import WRAPS
from mmaspec.oracle.nv_coopmat2.tensors.views import TensorView


@dataclass(frozen=True, slots=True, eq=False)
class Elements:
    """Where every element of a matrix lies in a tensor.

    index      ``(rows, cols)``, in blocks; the (negative) value of an ``Ended`` where there is none
    block      ``blockCoord``, ``(rows, cols, rank)``; 0 where there is no index
    within     ``coordInBlock``, the same shape
    span       ``spanCoord``, the same shape; -1 for elements that do not get so far
    """

    index: NDArray[np.int64]
    block: NDArray[np.int64]
    within: NDArray[np.int64]
    span: NDArray[np.int64]


@lru_cache(maxsize=512)
def tensor_elements(
    t: TensorLayout, rows: int, cols: int, *, store: bool, v: TensorView | None = None, clip_end: str = WRAPS
) -> Elements:
    """``matrixCoordToTensorElement``, with a view ``...WithView``, of every element."""
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
    arrays = [np.array([one[0] for one, _ in found], np.int64).reshape(rows, cols)]
    arrays += [np.array([one[part] for one, _ in found], np.int64).reshape(shape) for part in (1, 2)]
    arrays.append(np.array([span_coord for _, span_coord in found], np.int64).reshape(shape))
    for array in arrays:
        array.flags.writeable = False
    return Elements(*arrays)
