"""Where the elements of a plain load or store lie."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mmaspec.programs.nv_coopmat2.program import COLUMN_MAJOR

Place = TypeVar("Place", int, NDArray[np.int64])
"""A row or a column, or those of many elements."""


def array_byte(element: int, stride: int, layout: int, row: Place, col: Place, array_bytes: int, nbytes: int) -> Place:
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
    row, col = np.indices((rows, cols), np.int64)
    return array_byte(element, stride, layout, row, col, array_bytes, nbytes)
