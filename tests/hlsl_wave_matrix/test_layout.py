"""Address rules against an independent form: memory seen as an array of strided rows."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mmaspec.oracle.hlsl_wave_matrix.addresses import array_addresses, matrix_addresses, memory_row_bytes
from mmaspec.programs.hlsl_wave_matrix.program import ElementType, Matrix, MatrixKind

KINDS: tuple[tuple[MatrixKind, ElementType], ...] = (
    ("left", "u8"),
    ("left", "f16"),
    ("right", "s8"),
    ("right", "f16"),
    ("accumulator", "s32"),
    ("accumulator", "f16"),
)
WIDTH = {"u8": 1, "s8": 1, "f16": 2, "s32": 4}


@pytest.mark.parametrize(("kind", "element"), KINDS)
def test_addresses_are_those_of_a_strided_array(kind: MatrixKind, element: ElementType) -> None:
    for m, n, k in itertools.product((1, 2, 3), (1, 2, 4), (1, 3)):
        matrix = Matrix("X", kind, element, m, n, 0 if kind == "accumulator" else k)
        shape = {"left": (m, k), "right": (k, n), "accumulator": (m, n)}[kind]
        for col_major, pad, start in itertools.product((0, 1), (0, 4), (0, 12)):
            width = WIDTH[element]
            stride = shape[1 - col_major if not col_major else 0] * width + pad
            memory = np.arange(4096, dtype=np.int64)
            steps = (width, stride) if col_major else (stride, width)
            view = np.lib.stride_tricks.as_strided(memory[start:], shape, [step * memory.itemsize for step in steps])
            assert np.array_equal(matrix_addresses(matrix, start, stride, col_major), view)


def test_a_memory_row_is_a_logical_row_or_column() -> None:
    left = Matrix("A", "left", "u8", 16, 64, 32)
    right = Matrix("B", "right", "f16", 16, 64, 32)
    assert (memory_row_bytes(left, 0), memory_row_bytes(left, 1)) == (32, 16)
    assert (memory_row_bytes(right, 0), memory_row_bytes(right, 1)) == (128, 64)


def test_no_two_elements_share_a_byte_at_the_least_stride() -> None:
    for kind, element in KINDS:
        matrix = Matrix("X", kind, element, 16, 64, 0 if kind == "accumulator" else 32)
        for col_major in (0, 1):
            found = matrix_addresses(matrix, 0, memory_row_bytes(matrix, col_major), col_major)
            assert sorted(found.ravel()) == list(range(0, found.size * WIDTH[element], WIDTH[element]))


def test_fragments_are_strided_vectors() -> None:
    for stride, start in itertools.product((4, 12), (0, 8)):
        column = Matrix("L", "left-col-acc", "s32", 16, 64)
        row = Matrix("R", "right-row-acc", "s32", 16, 64)
        assert np.array_equal(
            matrix_addresses(column, start, stride, 0)[:, 0], range(start, start + 16 * stride, stride)
        )
        assert np.array_equal(matrix_addresses(row, start, stride, 0)[0], range(start, start + 64 * stride, stride))


@pytest.mark.parametrize(("kind", "element"), KINDS)
def test_places_in_arrays_are_bytes_of_the_same_layout(kind: MatrixKind, element: ElementType) -> None:
    """An array is a buffer whose offsets and strides count elements, packed ones of four bytes."""
    matrix = Matrix("X", kind, element, 16, 64, 0 if kind == "accumulator" else 32)
    unit = 4 if WIDTH[element] == 1 else WIDTH[element]
    for col_major, offset, stride in itertools.product((0, 1), (0, 3), (64, 71)):
        in_bytes = matrix_addresses(matrix, offset * unit, stride * unit, col_major)
        assert np.array_equal(array_addresses(matrix, offset, stride, col_major) * WIDTH[element], in_bytes)
