"""Where the elements of a matrix lie in a byte-address buffer.

The words are the document's: a *memory-layout row* is the contiguous run of elements that one step of
the row stride passes over: a logical row, or a logical column when ``bColMajor`` is true.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.hlsl_wave_matrix.program import Load, Matrix, Store
from mmaspec.oracle.numerics.formats import FORMATS
from mmaspec.oracle.program import at

Addresses = NDArray[np.int64]
Access = Load | Store

BUFFER_ALIGNMENT = 4
"""Alignment in bytes that a byte-address buffer asks for by itself (WM-ALIGN-POW2)."""


def element_bytes(matrix: Matrix) -> int:
    """Bytes of one element; 1 for a packed type, whose elements are 8 bits wide (WM-DEPTH-ELEMS)."""
    return FORMATS[matrix.element].nbytes


def row_major_address(r: Addresses, c: Addresses, start: int, stride: int, size: int) -> Addresses:
    """WM-ADDR-ROW: element (r, c) at the start offset, plus r row strides, plus c elements."""
    return start + r * stride + c * size


def col_major_address(r: Addresses, c: Addresses, start: int, stride: int, size: int) -> Addresses:
    """WM-ADDR-COL: element (r, c) at the start offset, plus c row strides, plus r elements."""
    return start + c * stride + r * size


def memory_row_bytes(matrix: Matrix, col_major: int) -> int:
    """Bytes of one memory-layout row: a logical row, or a logical column if ``col_major``."""
    return (matrix.rows if col_major else matrix.cols) * element_bytes(matrix)


def matrix_addresses(matrix: Matrix, start: int, stride: int, col_major: int) -> Addresses:
    """Bytes from the start of the view, shape ``(rows, cols)``."""
    r, c = np.meshgrid(np.arange(matrix.rows), np.arange(matrix.cols), indexing="ij")
    rule = col_major_address if col_major else row_major_address
    return rule(r, c, start, stride, element_bytes(matrix))


def access_addresses(access: Access, matrix: Matrix, wave: int, loop: int) -> Addresses:
    """The same for one wave and one pass of a Load or Store whose arguments are resolved."""
    start, stride, col_major = (at(index, wave, loop) for index in (access.offset, access.stride, access.col_major))
    return matrix_addresses(matrix, start, stride, col_major)


def wave_addresses(access: Access, matrix: Matrix, waves: int, loop: int) -> Addresses:
    """The same for every wave: ``(waves, rows, cols)``."""
    return np.stack([access_addresses(access, matrix, wave, loop) for wave in range(waves)])
