"""Laws of tensor addressing that hold whatever the layout: each says the same thing in another way."""

from __future__ import annotations

from math import prod

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mmaspec.oracle.nv_coopmat2.tensors.elements import Elements, tensor_elements
from mmaspec.oracle.nv_coopmat2.tensors.index_functions import Ended
from mmaspec.oracle.nv_coopmat2.tensors.layouts import (
    TensorLayout,
    create_tensor_layout,
    set_tensor_layout_block_size,
    set_tensor_layout_dimension,
    slice_tensor_layout,
)
from mmaspec.oracle.nv_coopmat2.tensors.views import (
    create_tensor_view,
    set_tensor_view_clip,
    set_tensor_view_dimensions,
    set_tensor_view_stride,
)
from mmaspec.programs.nv_coopmat2.program import CLAMP_TO_EDGE, CONSTANT, MIRROR_REPEAT, REPEAT

LAW = settings(max_examples=40, deadline=None, derandomize=True, database=None)
MODES = st.sampled_from((CONSTANT, CLAMP_TO_EDGE, REPEAT, MIRROR_REPEAT))
Extents = tuple[int, ...]


@st.composite
def layouts(draw: st.DrawFn, least: int = 1, most: int = 4) -> TensorLayout:
    """Any layout: blocks, dimensions, a slice that may leave them at both ends, any clamp mode."""
    rank = draw(st.integers(least, most))

    def words(low: int, high: int) -> Extents:
        return tuple(draw(st.integers(low, high)) for _ in range(rank))

    t = set_tensor_layout_block_size(create_tensor_layout(rank, draw(MODES)), words(1, 3))
    t = set_tensor_layout_dimension(t, words(2, 6))
    return slice_tensor_layout(t, words(-4, 4), words(1, 5))


def same(one: Elements, other: Elements) -> bool:
    """Whether two ways find the same places, in the tensor and in the block."""
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("index", "block", "within"))


@LAW
@given(t=layouts(), rows=st.integers(1, 6), cols=st.integers(1, 6), store=st.booleans())
def test_a_new_view_changes_nothing(t: TensorLayout, rows: int, cols: int, store: bool) -> None:
    v = create_tensor_view(t.ldim, has_dimensions=False)
    assert same(tensor_elements(t, rows, cols, store=store, v=v), tensor_elements(t, rows, cols, store=store))


@LAW
@given(t=layouts(), rows=st.integers(1, 6), cols=st.integers(1, 6))
def test_a_view_of_the_span_is_a_view_with_dimensions(t: TensorLayout, rows: int, cols: int) -> None:
    order = tuple(range(t.ldim))[::-1]
    own = set_tensor_view_dimensions(create_tensor_view(t.ldim, True, order), t.span)
    borrowed = create_tensor_view(t.ldim, False, order)
    assert same(
        tensor_elements(t, rows, cols, store=False, v=own), tensor_elements(t, rows, cols, store=False, v=borrowed)
    )


@LAW
@given(
    rows=st.integers(1, 6),
    cols=st.integers(1, 6),
    corner=st.tuples(st.integers(-2, 3), st.integers(-2, 3)),
    mode=MODES,
)
def test_exchanged_axes_transpose(rows: int, cols: int, corner: tuple[int, int], mode: int) -> None:
    """The document's second example: columns of the matrix lie contiguously."""
    t = set_tensor_layout_dimension(create_tensor_layout(2, mode), (cols + 3, rows + 2))
    t = slice_tensor_layout(t, corner, (cols, rows))
    found = tensor_elements(t, rows, cols, store=False, v=create_tensor_view(2, False, (1, 0)))
    assert (found.index == tensor_elements(t, cols, rows, store=False).index.T).all()


@LAW
@given(half=st.tuples(st.integers(1, 4), st.integers(1, 4)), channels=st.integers(1, 5))
def test_space_to_depth(half: tuple[int, int], channels: int) -> None:
    """The document's fourth example, against the usual reshape and transpose."""
    high, wide = half
    t = set_tensor_layout_dimension(create_tensor_layout(3, CONSTANT), (2 * high, 2 * wide, channels))
    v = set_tensor_view_dimensions(create_tensor_view(5, True, (0, 2, 1, 3, 4)), (high, 2, wide, 2, channels))
    found = tensor_elements(t, high * wide, 4 * channels, store=False, v=v).index
    image = np.arange(4 * high * wide * channels).reshape(high, 2, wide, 2, channels)
    assert (found == image.transpose(0, 2, 1, 3, 4).reshape(high * wide, 4 * channels)).all()


@LAW
@given(t=layouts(), more=st.data())
def test_slices_compose(t: TensorLayout, more: st.DataObject) -> None:
    words = st.tuples(*[st.integers(-3, 3)] * t.ldim)
    first, second = more.draw(words), more.draw(words)
    span = more.draw(st.tuples(*[st.integers(1, 4)] * t.ldim))
    twice = slice_tensor_layout(slice_tensor_layout(t, first, t.span), second, span)
    once = slice_tensor_layout(t, tuple(a + b for a, b in zip(first, second, strict=True)), span)
    assert twice == once
    assert same(tensor_elements(twice, 3, 4, store=False), tensor_elements(once, 3, 4, store=False))


@LAW
@given(t=layouts(), rows=st.integers(1, 6), cols=st.integers(1, 6), clip=st.tuples(*[st.integers(0, 6)] * 4))
def test_a_clip_is_a_smaller_matrix_in_a_larger_one(
    t: TensorLayout, rows: int, cols: int, clip: tuple[int, int, int, int]
) -> None:
    """Inside the region lie the elements of an unclipped matrix of the region's size; the rest is skipped."""
    row, high, col, wide = clip
    v = set_tensor_view_clip(create_tensor_view(t.ldim, False), row, high, col, wide)
    found = tensor_elements(t, rows, cols, store=False, v=v)
    width = min(cols, wide)
    region = tensor_elements(t, rows, max(width, 1), store=False).index
    for r, c in np.ndindex(rows, cols):
        if row <= r < row + high and col <= c < col + wide:
            assert found.index[r, c] == region[r - row, c - col]
        else:
            assert found.index[r, c] == Ended.SKIPPED.value


@LAW
@given(t=layouts(), rows=st.integers(1, 6), cols=st.integers(1, 6), high=st.integers(0, 6))
def test_a_clip_of_whole_rows_is_a_mask(t: TensorLayout, rows: int, cols: int, high: int) -> None:
    v = set_tensor_view_clip(create_tensor_view(t.ldim, False), 0, high, 0, cols)
    found = tensor_elements(t, rows, cols, store=False, v=v).index
    plain = tensor_elements(t, rows, cols, store=False).index
    assert (found[:high] == plain[:high]).all()
    assert (found[high:] == Ended.SKIPPED.value).all()


def line(mode: int, size: int, offset: int, count: int) -> np.ndarray:
    """Indices that a row of so many elements from ``offset`` on finds in one dimension."""
    t = set_tensor_layout_dimension(create_tensor_layout(1, mode), (size,))
    return tensor_elements(slice_tensor_layout(t, (offset,), (count,)), 1, count, store=False).index[0]


@LAW
@given(size=st.integers(1, 6), offset=st.integers(-20, 20), turns=st.integers(-3, 3))
def test_repeat_has_the_dimension_as_its_period(size: int, offset: int, turns: int) -> None:
    assert (line(REPEAT, size, offset, 9) == line(REPEAT, size, offset + turns * size, 9)).all()


@LAW
@given(size=st.integers(2, 6))
def test_mirror_is_even_about_both_edges(size: int) -> None:
    around = line(MIRROR_REPEAT, size, -12, 25 + size)
    for distance in range(12):
        assert around[12 + distance] == around[12 - distance]
        assert around[12 + size - 1 + distance] == around[12 + size - 1 - distance]


@LAW
@given(t=layouts(), rows=st.integers(1, 6), cols=st.integers(1, 6))
def test_blocks_and_rest_make_up_the_coordinate(t: TensorLayout, rows: int, cols: int) -> None:
    """Without blocks the same layout finds block * size + rest."""
    unblocked = slice_tensor_layout(
        set_tensor_layout_dimension(create_tensor_layout(t.ldim, t.clamp_mode), t.layout_dimension), t.offset, t.span
    )
    found, plain = (tensor_elements(each, rows, cols, store=False) for each in (t, unblocked))
    assert ((found.index < 0) == (plain.index < 0)).all()
    assert (found.block * np.array(t.block_size) + found.within == plain.block).all()


@LAW
@given(spans=st.lists(st.integers(1, 4), min_size=2, max_size=4), data=st.data())
def test_view_strides_are_an_index_map(spans: list[int], data: st.DataObject) -> None:
    """Dimensions and strides of a view's own say which element of the span each coordinate is."""
    rank = len(spans)
    t = set_tensor_layout_dimension(create_tensor_layout(2, CONSTANT), (20, 20))
    stride = data.draw(st.tuples(*[st.integers(0, 7)] * rank))
    order = data.draw(st.permutations(range(rank)))
    v = set_tensor_view_dimensions(create_tensor_view(rank, True, tuple(order)), tuple(spans))
    v = set_tensor_view_stride(v, stride)
    found = tensor_elements(t, 1, prod(spans), store=False, v=v).index[0]
    coordinates = np.indices([spans[axis] for axis in order]).reshape(rank, -1)
    assert (found == sum(coordinates[place] * stride[axis] for place, axis in enumerate(order))).all()
