"""Every element of a matrix sent through the index functions: once per layout, view and shape."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.nv_coopmat2.addresses import (
    Ended,
    IndexEndedError,
    matrix_coord_to_tensor_element,
    matrix_coord_to_tensor_element_with_view,
)
from mmaspec.oracle.nv_coopmat2.layouts import TensorLayout
from mmaspec.oracle.nv_coopmat2.meaning import WRAPS
from mmaspec.oracle.nv_coopmat2.views import TensorView


@dataclass(frozen=True, slots=True, eq=False)
class Elements:
    """Where every element of a matrix lies in a tensor.

    index      ``(rows, cols)``, in blocks; the (negative) value of an ``Ended`` where there is none
    block      ``blockCoord``, ``(rows, cols, rank)``; 0 where there is no index
    within     ``coordInBlock``, the same shape
    """

    index: NDArray[np.int64]
    block: NDArray[np.int64]
    within: NDArray[np.int64]


@lru_cache(maxsize=512)
def tensor_elements(
    t: TensorLayout, rows: int, cols: int, *, store: bool, v: TensorView | None = None, clip_end: str = WRAPS
) -> Elements:
    """``matrixCoordToTensorElement``, with a view ``...WithView``, of every element."""
    index = np.empty((rows, cols), np.int64)
    block, within = np.zeros((2, rows, cols, t.ldim), np.int64)
    if t.divided_by_zero:
        index[...] = Ended.DIVISION_BY_ZERO.value
    else:
        for row in range(rows):
            for col in range(cols):
                try:
                    found = (
                        matrix_coord_to_tensor_element(t, row, col, cols, store=store)
                        if v is None
                        else matrix_coord_to_tensor_element_with_view(
                            t, v, row, col, cols, store=store, clip_end=clip_end
                        )
                    )
                    index[row, col], block[row, col], within[row, col] = found
                except IndexEndedError as ended:
                    index[row, col] = ended.reason.value
    for array in (index, block, within):
        array.flags.writeable = False
    return Elements(index, block, within)
