"""Where elements lie: of matrices, vectors and copies, in byte-address buffers and in groupshared arrays.

All places count bytes, from the start of a view or of an array. A *line* is a row of a row-major matrix or a column of
a column-major one: a contiguous run of elements.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from mmaspec.programs.base import Index, at
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, NATIVE, SCALARS, ComponentType, Revision
from mmaspec.programs.hlsl_linalg.program import (
    LINEAR,
    Beyond,
    ConvertLayout,
    Copy,
    InterlockedAccumulate,
    Layout,
    LinalgProgram,
    Load,
    Matrix,
    MemoryBias,
    ReadElements,
    Scope,
    SharedArray,
    Store,
    Vector,
    WriteElements,
)
from mmaspec.programs.hlsl_linalg.threads import by_instance, by_thread

Addresses = NDArray[np.int64]
Access = Load | Store | InterlockedAccumulate
Loop = ReadElements | WriteElements

WORD = 4
BEYOND_BYTES = 16
"""What a thread writes of an index beyond the range: two words of coordinates, and an element."""

UNTURNED: Mapping[Layout, Layout] = MappingProxyType(
    {"MulOptimalTranspose": "MulOptimal", "OuterProductOptimalTranspose": "OuterProductOptimal"}
)
"""Layout through which a matrix is transposed while it is loaded -> the layout in memory (LINALG-OPT-TRANSPOSE)."""


def format_of(component: ComponentType) -> Format:
    """The format of the elements of a matrix or vector of that component type."""
    return COMPONENTS[component].format


def array_format(array: SharedArray) -> Format:
    """The format of one element of a groupshared array."""
    return FORMATS[SCALARS[array.element]]


def array_elements(array: SharedArray) -> int:
    """The scalars of an array, those of its vectors counted each."""
    return array.length * max(array.width, 1)


def array_bytes(array: SharedArray) -> int:
    """The bytes of an array."""
    return array_elements(array) * array_format(array).nbytes


def row_major_address(r: Addresses, c: Addresses, start: int, stride: int, size: int) -> Addresses:
    """LINALG-LOAD-ADDR, row-major: element (r, c) after r strides and c elements."""
    return start + r * stride + c * size


def col_major_address(r: Addresses, c: Addresses, start: int, stride: int, size: int) -> Addresses:
    """LINALG-LOAD-ADDR, column-major: element (r, c) after c strides and r elements."""
    return start + c * stride + r * size


@lru_cache(maxsize=1024)  # validity, undefined behaviour and execution each ask for every access
def matrix_addresses(m: int, n: int, start: int, stride: int, size: int, layout: Layout) -> Addresses:
    """First byte of every element of an m x n matrix in a linear layout, ``(m, n)``; it may not be written to."""
    r, c = np.arange(m)[:, np.newaxis], np.arange(n)[np.newaxis, :]
    rule = row_major_address if layout == "RowMajor" else col_major_address
    found = rule(r, c, start, stride, size)
    found.flags.writeable = False
    return found


@lru_cache(maxsize=2048)
def _of_instances(
    m: int, n: int, starts: tuple[int, ...], strides: tuple[int, ...], unit: int, size: int, layout: Layout
) -> Addresses:
    """The same of every instance, ``(instances, m, n)``, where starts and strides count units of so many bytes."""
    pairs = zip(starts, strides, strict=True)
    found = np.stack([matrix_addresses(m, n, start * unit, stride * unit, size, layout) for start, stride in pairs])
    found.flags.writeable = False
    return found


def layout_of(access: Access, matrix: Matrix) -> Layout:
    """The layout of an access: of an accumulation of a Thread matrix the text has one only (LINALG-ACC-LAYOUT)."""
    if isinstance(access, InterlockedAccumulate) and matrix.scope == "Thread":
        return "OuterProductOptimal"
    return access.layout


def unit_bytes(program: LinalgProgram, access: Access, fmt: Format) -> int:
    """What offset and stride count: bytes of a buffer, elements of that format in an array (LINALG-GS-UNITS)."""
    return 1 if program.array(access.memory) is None else fmt.nbytes


def access_format(program: LinalgProgram, access: Access, matrix: Matrix, revision: Revision = "later") -> Format:
    """The format of what lies in memory: that of the matrix, but for accumulations into arrays of another type.

    In the text of 2025-09-19 an array has elements of its own type in every access (LINALG-LOAD-GS-CONV and the like);
    packed ones and packed matrices there have no stated places (LINALG-GS-PACKED).
    """
    own = format_of(matrix.component)
    array = program.array(access.memory)
    if array is None:
        return own
    if revision == "2025-09-19":
        return array_format(array) if NATIVE.get(array.element) and COMPONENTS[matrix.component].native else own
    if not isinstance(access, InterlockedAccumulate):
        return own
    if access.target is not None:
        return format_of(access.target)
    return own if array.element == "uint8_t4_packed" else array_format(array)


def access_addresses(program: LinalgProgram, access: Access, loop: int, revision: Revision = "later") -> Addresses:
    """Every element of every instance in one pass of an access in a linear layout: ``(instances, m, n)``."""
    matrix = program.matrix(access.matrix)
    fmt = access_format(program, access, matrix, revision)
    unit, layout = unit_bytes(program, access, fmt), layout_of(access, matrix)
    starts = by_instance(program, matrix.scope, access.offset, loop)
    strides = by_instance(program, matrix.scope, access.stride, loop)
    return _of_instances(matrix.m, matrix.n, starts, strides, unit, fmt.nbytes, layout)


def starts_of(program: LinalgProgram, scope: Scope, offset: Index, loop: int) -> Addresses:
    """The offset of every instance of a matrix, ``(instances,)``."""
    return np.array(by_instance(program, scope, offset, loop), np.int64)


def loop_addresses(program: LinalgProgram, access: Loop, loop: int) -> Addresses:
    """Where a loop over all coordinates (x, y) puts or finds each element, ``(instances, m, n)``; x is the row."""
    matrix = program.matrix(access.matrix)
    size = format_of(matrix.component).nbytes
    starts = by_instance(program, matrix.scope, access.offset, loop)
    strides = by_instance(program, matrix.scope, access.stride, loop)
    return _of_instances(matrix.m, matrix.n, starts, strides, 1, size, "RowMajor")


def vector_addresses(program: LinalgProgram, vector: Vector, offset: Index, loop: int) -> Addresses:
    """The components of every thread's vector, one after the other, ``(threads, length)``."""
    size = format_of(vector.component).nbytes
    starts = np.array(by_thread(program, offset, loop), np.int64)
    return starts[:, np.newaxis] + size * np.arange(vector.length, dtype=np.int64)


def word_addresses(program: LinalgProgram, offset: Index, loop: int) -> Addresses:
    """One word for each thread, ``(threads, 1)``."""
    return np.array(by_thread(program, offset, loop), np.int64)[:, np.newaxis]


def beyond_addresses(program: LinalgProgram, beyond: Beyond, loop: int) -> Addresses:
    """The first byte of what each thread writes, ``(threads, 1)``."""
    threads = np.arange(program.group, dtype=np.int64)[:, np.newaxis]
    return word_addresses(program, beyond.offset, loop) + BEYOND_BYTES * threads


def bias_addresses(bias: MemoryBias, length: int) -> Addresses:
    """The components of a bias in memory, ``(length,)``."""
    return bias.offset + format_of(bias.component).nbytes * np.arange(length, dtype=np.int64)


def copied(program: LinalgProgram, copy: Copy, loop: int) -> tuple[Addresses, Addresses]:
    """The elements that a Stage or Unstage moves: their bytes in the buffer and in the array, ``(count,)`` each."""
    array = program.array(copy.array)
    assert array is not None
    size = array_format(array).nbytes
    places = size * np.arange(copy.count, dtype=np.int64)
    return at(copy.start, 0, loop) + places, at(copy.offset, 0, loop) * size + places


def converted_addresses(conversion: ConvertLayout, *, target: bool) -> Addresses:
    """The elements of the source or target of a layout conversion that is row- or column-major, ``(m, n)``."""
    c = conversion
    size = format_of(c.component).nbytes
    if target:
        return matrix_addresses(c.m, c.n, c.target_offset, c.target_stride, size, c.target_layout)
    return matrix_addresses(c.m, c.n, c.source_offset, c.source_stride, size, c.source_layout)


def is_linear(layout: Layout) -> bool:
    """Whether the text says where each element of this layout lies."""
    return layout in LINEAR
