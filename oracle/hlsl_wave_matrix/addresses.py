"""Where the elements of a matrix lie in a byte-address buffer or a groupshared array.

The words are the document's: a *memory-layout row* is the contiguous run of elements that one step of
the row stride passes over: a logical row, or a logical column when ``bColMajor`` is true.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mmaspec.programs.base import at
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.program import Copy, Load, Matrix, Store

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


def fragment_address(i: Addresses, start: int, stride: int) -> Addresses:
    """WM-ADDR-FRAG: element i at the start offset, plus i element strides; there is no orientation."""
    return start + i * stride


def memory_row_bytes(matrix: Matrix, col_major: int) -> int:
    """Bytes of one memory-layout row: a logical row, or a logical column if ``col_major``.

    WM-PACK-DIR: the elements of one dword are neighbours in it.
    """
    return (matrix.rows if col_major else matrix.cols) * element_bytes(matrix)


def matrix_addresses(matrix: Matrix, start: int, stride: int, col_major: int) -> Addresses:
    """Bytes from the start of the view, shape ``(rows, cols)``: as many of each as the kind has (WM-SHAPE)."""
    return start + _from_start(
        matrix.rows, matrix.cols, matrix.is_fragment, stride, col_major != 0, element_bytes(matrix)
    )


@lru_cache(maxsize=256)  # accesses differ in where they start, and hardly in the rest
def _from_start(rows: int, cols: int, fragment: bool, stride: int, col_major: bool, size: int) -> Addresses:
    """The addresses of an access that starts at 0."""
    r, c = np.arange(rows)[:, np.newaxis], np.arange(cols)[np.newaxis, :]
    if fragment:
        found = fragment_address(r + c, 0, stride)
    else:
        found = (col_major_address if col_major else row_major_address)(r, c, 0, stride, size)
    found.flags.writeable = False
    return found


def cells(element: str) -> int:
    """Elements of a matrix in one element of a groupshared array: four in a packed dword, else one."""
    return 4 if element in ("u8", "s8") else 1


def array_addresses(matrix: Matrix, offset: int, stride: int, col_major: int) -> Addresses:
    """WM-ADDR-GS: offset and stride count array elements; shape ``(rows, cols)``, in matrix elements of the array.

    Element k of a memory-layout row of a packed matrix lies in dword k / 4 of that row: four matrix elements to
    an array element, lowest first (WM-AMB-16).
    """
    unit = cells(matrix.element)
    return offset * unit + _from_start(matrix.rows, matrix.cols, matrix.is_fragment, stride * unit, col_major != 0, 1)


def least_stride(matrix: Matrix, col_major: int, *, shared: bool = False) -> int:
    """The smallest stride that the document allows: in bytes, or ``shared`` in array elements.

    A memory-layout row, or one element of a fragment (WM-LOAD-STRIDE-MIN, WM-LOAD-GS-STRIDE-MIN, WM-FRAG-STRIDE-MIN).
    """
    if matrix.is_fragment:
        return 1 if shared else element_bytes(matrix)
    if not shared:
        return memory_row_bytes(matrix, col_major)
    return -(-(matrix.rows if col_major else matrix.cols) // cells(matrix.element))


def access_addresses(access: Access, matrix: Matrix, wave: int, loop: int, *, shared: bool = False) -> Addresses:
    """The same for one wave and one pass of a Load or Store whose arguments are resolved."""
    start, stride, col_major = (at(index, wave, loop) for index in (access.offset, access.stride, access.col_major))
    rule = array_addresses if shared else matrix_addresses
    return rule(matrix, start, stride, col_major)


def wave_addresses(access: Access, matrix: Matrix, waves: int, loop: int, *, shared: bool = False) -> Addresses:
    """The same for every wave: ``(waves, rows, cols)``."""
    return all_addresses(access, matrix, range(waves), (loop,), shared=shared)[:, 0]


def all_addresses(
    access: Access, matrix: Matrix, waves: Sequence[int], passes: Sequence[int], *, shared: bool = False
) -> Addresses:
    """The same for these waves and passes: ``(waves, passes, rows, cols)``."""
    if isinstance(access.stride, int) and isinstance(access.col_major, int):
        # Only the start differs, if anything does.
        rule = array_addresses if shared else matrix_addresses
        unit = cells(matrix.element) if shared else 1
        starts = np.array([[at(access.offset, wave, loop) for loop in passes] for wave in waves], np.int64)
        return starts[..., np.newaxis, np.newaxis] * unit + rule(matrix, 0, access.stride, access.col_major)
    return np.stack(
        [np.stack([access_addresses(access, matrix, wave, loop, shared=shared) for loop in passes]) for wave in waves]
    )


def copied(copy: Copy, element: str, loop: int) -> tuple[Addresses, Addresses]:
    """The elements that a Stage or Unstage moves: bytes in the buffer, places in the array, ``(rows, elements)``.

    Both count matrix elements, as ``array_addresses`` does: bytes of a dword keep their order.
    """
    unit, size = cells(element), FORMATS[element].nbytes
    across = np.arange(copy.columns * unit)
    down = np.arange(copy.rows)[:, np.newaxis]
    start, offset = at(copy.start, 0, loop), at(copy.offset, 0, loop)
    return start + down * copy.pitch + across * size, offset * unit + down * copy.columns * unit + across
