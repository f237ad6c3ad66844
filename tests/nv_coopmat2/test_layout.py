"""The document's index functions against another form of each, over every small layout."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from mmaspec.oracle.nv_coopmat2.matrices.addresses import array_byte
from mmaspec.oracle.nv_coopmat2.tensors.elements import tensor_elements as elements_of
from mmaspec.oracle.nv_coopmat2.tensors.index_functions import (
    Ended,
    IndexEndedError,
    linear_to_span_coord,
    matrix_coord_to_linear,
    op_s_mod,
    tensor_coord_to_linear,
)
from mmaspec.oracle.nv_coopmat2.tensors.layouts import (
    TensorLayout,
    create_tensor_layout,
    set_tensor_layout_clamp_value,
    set_tensor_layout_dimension,
    set_tensor_layout_stride,
    slice_tensor_layout,
)
from mmaspec.programs.nv_coopmat2.program import CLAMP_TO_EDGE, CONSTANT, MIRROR_REPEAT, REPEAT, UNDEFINED

PADDING = {CLAMP_TO_EDGE: "edge", REPEAT: "wrap", MIRROR_REPEAT: "reflect"}
"""The same modes under the names of ``numpy.pad``, which knows nothing of remainders."""


def tensor_elements(t: TensorLayout, rows: int, cols: int, *, store: bool) -> NDArray[np.int64]:
    return elements_of(t, rows, cols, store=store).index


def layout(mode: int, sizes: tuple[int, ...], offset: tuple[int, ...], span: tuple[int, ...]) -> TensorLayout:
    return slice_tensor_layout(set_tensor_layout_dimension(create_tensor_layout(len(sizes), mode), sizes), offset, span)


@pytest.mark.parametrize("mode", sorted(PADDING))
def test_modes_are_paddings(mode: int) -> None:
    for rows, cols in product(range(2, 6), repeat=2):
        tensor = np.arange(rows * cols).reshape(rows, cols)
        padded = np.pad(tensor, 9, PADDING[mode])
        for offset in ((-9, -4), (-3, 0), (0, -7), (1, 2), (3, 5)):
            found = tensor_elements(layout(mode, (rows, cols), offset, (4, 5)), 4, 5, store=False)
            window = padded[9 + offset[0] :, 9 + offset[1] :][:4, :5]
            assert (found == window).all()


def test_constant_marks_exactly_what_is_outside() -> None:
    for rows, cols, top, left in product(range(1, 5), range(1, 5), range(-5, 6), range(-5, 6)):
        padded = np.pad(np.arange(rows * cols).reshape(rows, cols), 12, constant_values=Ended.CONSTANT.value)
        window = padded[12 + top :, 12 + left :][:4, :4]
        found = tensor_elements(layout(CONSTANT, (rows, cols), (top, left), (4, 4)), 4, 4, store=False)
        assert (found == window).all()


@pytest.mark.parametrize("mode", [CONSTANT, *sorted(PADDING)])
def test_stores_drop_what_is_outside_in_every_mode(mode: int) -> None:
    dropped = tensor_elements(layout(CONSTANT, (3, 2), (-1, 1), (4, 4)), 4, 4, store=True)
    assert (tensor_elements(layout(mode, (3, 2), (-1, 1), (4, 4)), 4, 4, store=True) == dropped).all()


def test_the_undefined_mode_says_so() -> None:
    found = tensor_elements(layout(UNDEFINED, (4, 4), (0, 1), (4, 4)), 4, 4, store=False)
    assert (found[:, 3] == Ended.OUT_OF_BOUNDS.value).all()
    assert (found[:, :3] >= 0).all()


def test_span_coordinates_unravel_and_wrap() -> None:
    for rank in range(1, 6):
        for span in product((1, 2, 3), repeat=rank):
            t = layout(CONSTANT, span, (0,) * rank, span)
            count = int(np.prod(span))
            for index in range(2 * count):
                expected = np.unravel_index(index % count, span)
                assert linear_to_span_coord(t, index) == tuple(int(c) for c in expected)


def test_packed_strides_number_the_tensor() -> None:
    for rank in range(1, 6):
        for sizes in product((1, 2, 3), repeat=rank):
            t = set_tensor_layout_dimension(create_tensor_layout(rank, CONSTANT), sizes)
            found = [tensor_coord_to_linear(t, coord) for coord in np.ndindex(*sizes)]
            assert found == list(range(len(found)))
            assert t.span == sizes
            assert t.offset == (0,) * rank


def test_strides_apply_to_every_dimension() -> None:
    t = set_tensor_layout_stride(layout(CONSTANT, (5, 6), (0, 0), (5, 6)), (100, 7))
    found = tensor_elements(t, 5, 6, store=False)
    assert (found == np.add.outer(100 * np.arange(5), 7 * np.arange(6))).all()


def test_sums_keep_32_bits() -> None:
    t = set_tensor_layout_stride(layout(CONSTANT, (4, 4), (0, 0), (4, 4)), (0x8000_0001, 1))
    assert tensor_coord_to_linear(t, (1, 3)) == 0x8000_0004
    with pytest.raises(IndexEndedError, match="WRAPPED"):
        tensor_coord_to_linear(t, (2, 3))
    assert matrix_coord_to_linear(0x1_0000, 3, 0x1_0000) == 3


def test_setters_return_copies() -> None:
    first = layout(CONSTANT, (4, 5), (1, 1), (2, 2))
    again = slice_tensor_layout(first, (2, -3), (3, 3))
    filled = set_tensor_layout_clamp_value(first, 9)
    assert (first.offset, first.span, first.clamp_value) == ((1, 1), (2, 2), 0)
    assert (again.offset, again.span) == ((3, -2), (3, 3))
    assert (filled.clamp_value, filled.offset) == (9, (1, 1))


def test_dimensions_forget_strides_and_slices_but_not_the_clamp_value() -> None:
    t = set_tensor_layout_clamp_value(set_tensor_layout_stride(layout(REPEAT, (9, 9), (3, 3), (2, 2)), (40, 2)), 7)
    t = set_tensor_layout_dimension(t, (4, 5))
    assert (t.stride, t.offset, t.span, t.clamp_value) == ((5, 1), (0, 0), (4, 5), 7)


def test_remainders_take_the_divisors_sign() -> None:
    for dividend in range(-20, 20):
        for divisor in range(1, 7):
            assert op_s_mod(dividend, divisor) == dividend % divisor
            assert op_s_mod(dividend, -divisor) == dividend % -divisor


def test_nothing_is_taken_modulo_zero() -> None:
    for mode, sizes, offset, span in (
        (MIRROR_REPEAT, (1, 4), (1, 0), (2, 2)),
        (REPEAT, (0, 4), (0, 0), (2, 2)),
        (CONSTANT, (4, 4), (0, 0), (0, 2)),
    ):
        assert (tensor_elements(layout(mode, sizes, offset, span), 2, 2, store=False) < -1).any()
    # Where nothing is divided by it, a dimension of zero is a tensor with nothing inside.
    empty = tensor_elements(layout(CONSTANT, (0, 4), (0, 0), (2, 2)), 2, 2, store=False)
    assert (empty == Ended.CONSTANT.value).all()


def test_plain_addresses_are_strided_views() -> None:
    memory = np.arange(4096)
    for element, stride, unit, width in product((0, 3), (0, 2, 9), (2, 4, 16), (1, 2, 4)):
        start, line = element * unit, stride * unit
        row_major = np.lib.stride_tricks.as_strided(memory[start:], (6, 5), (line * 8, width * 8))
        for row, col in np.ndindex(6, 5):
            assert array_byte(element, stride, 0, row, col, unit, width) == row_major[row, col]
            assert array_byte(element, stride, 1, col, row, unit, width) == row_major[row, col]
