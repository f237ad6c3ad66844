"""Layouts whose setters stand in rare orders, and layouts and views of rare kinds."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.programs.nv_coopmat2.program import (
    CONSTANT,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    Echo,
    SetBlockSize,
    SetClampValue,
    SetClip,
    SetDimension,
    SetStride,
    SetViewDimensions,
    SetViewStride,
    Slice,
    StoreTensor,
)
from mmaspec.strategies.nv_coopmat2.arrays.extents import factors
from mmaspec.strategies.nv_coopmat2.arrays.scenes.parts import before, clipped, laid, loaded, stored
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import DECODING, has
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store

UNDEFINED = 0
CLAMP = 0x3C7B_1942


def twice(builder: ProgramBuilder) -> None:
    """Slices of which only the sum leaves the tensor; block sizes and the clamp value set twice; ones as blocks."""
    matrix = builder.matrix(builder.choices.one_of((USE_A, USE_B, USE_ACCUMULATOR)))
    rows, cols = matrix.rows, matrix.cols
    half = (rows + 1) // 2
    spans = (rows, cols)
    layouts: tuple[str, ...] = (
        laid(builder, SetDimension((rows, cols)), Slice((half, 1), spans), Slice((half, 2), spans)),
        laid(
            builder,
            SetClampValue(CLAMP ^ 0xFF),
            SetBlockSize((2, 3)),
            SetBlockSize((1, 2)),
            SetDimension((rows + 1, cols + 1)),
            SetClampValue(CLAMP),
            Slice((2, 3), spans),
        ),
        laid(builder, SetBlockSize((1, 1)), SetDimension((rows, cols + 1)), Slice((1, 1), spans)),
        laid(builder, SetDimension((rows, cols + 1)), SetBlockSize((1, 1)), Slice((1, 1), spans)),
    )
    three = tuple(Slice((step, 2 - step), spans) for step in (3, -4, 1))
    layouts = (*layouts, laid(builder, SetDimension((rows, cols + 1)), *three))
    for tensor in layouts:
        builder.add(loaded(builder, matrix, tensor, (rows + 1) * (cols + 1)), store(builder, matrix))
    for tensor in (layouts[0], layouts[2], layouts[3]):
        builder.add(stored(builder, matrix, tensor, (rows + 1) * (cols + 1)))


def nowhere(builder: ProgramBuilder) -> None:
    """No dimensions at all, everything out of bounds: strides as created, or set to anything."""
    matrix = builder.matrix(builder.choices.one_of((USE_A, USE_B, USE_ACCUMULATOR)))
    spans = (matrix.rows, matrix.cols)
    for calls in ((Slice((0, 0), spans),), (SetStride((3, 70001)), Slice((1, -1), spans))):
        tensor = laid(builder, *calls, SetClampValue(builder.argument(CLAMP)))
        builder.add(before(matrix), loaded(builder, matrix, tensor, 16), store(builder, matrix))
        builder.add(stored(builder, matrix, tensor, 16))


def early_strides(builder: ProgramBuilder) -> None:
    """Strides that no dimensions bound yet, which these overwrite; padding between only; wide inner spans."""
    matrix = builder.matrix(builder.choices.one_of((USE_A, USE_B, USE_ACCUMULATOR)))
    rows, cols = matrix.rows, matrix.cols
    sizes = (2, rows // 4, 2, cols)
    padded = (rows // 4 * (2 * cols + 5), 2 * cols + 5, cols, 1)
    layouts = (
        (2, (SetStride((3, 70001)), SetDimension((rows + 1, cols)), Slice((1, 0), (rows, cols)))),
        (4, (SetDimension(sizes), SetStride(padded), Slice((0, 0, 0, 0), sizes))),
        (4, (SetDimension((5, *sizes[1:])), SetStride(padded), Slice((1, 0, 0, 0), (5, *sizes[1:])))),
    )
    for rank, calls in layouts:
        tensor = laid(builder, *calls, rank=rank)
        builder.add(loaded(builder, matrix, tensor, 3 * rows * (cols + 5)), store(builder, matrix))
        builder.add(stored(builder, matrix, tensor, 3 * rows * (cols + 5)))
    wide = laid(builder, SetDimension((3, 2, 9)), Slice((0, 0, 0), (4, 70001, 65537)), rank=3)
    view = builder.view((), rank=3, permutation=(0, 1, 2))
    builder.add(loaded(builder, matrix, wide, 54, view=view), store(builder, matrix))
    outside = laid(builder, SetDimension((rows * 2, cols)), Slice((3, 0), (rows * 2, cols)), mode=UNDEFINED)
    last = clipped(builder, 0, rows - 3, 0, cols)
    inside = laid(builder, SetDimension((rows, cols)), Slice((2, 0), (rows, cols)), mode=UNDEFINED)
    for tensor, seen in ((outside, None), (inside, last)):
        builder.add(before(matrix), loaded(builder, matrix, tensor, 2 * rows * cols, view=seen))
        builder.add(store(builder, matrix), stored(builder, matrix, tensor, 2 * rows * cols, view=seen))


def last_lines(builder: ProgramBuilder) -> None:
    """Stores that leave the tensor by one row, one column, all but one element; sizes exchanged; huge clips."""
    matrix = builder.matrix(USE_ACCUMULATOR)
    rows, cols = matrix.rows, matrix.cols
    builder.add(load(builder, matrix))
    for sizes in ((rows - 1, cols), (rows, cols - 1), (1, 1), (rows + 4, cols)):
        tensor = laid(builder, SetDimension(sizes), Slice((0, 0), (rows, cols)), mode=builder.choices.integer(1, 4))
        builder.add(stored(builder, matrix, tensor, rows * cols + 4 * cols))
    tensor = laid(builder, SetDimension((cols, rows)), Slice((0, 0), (cols, rows)))
    builder.add(stored(builder, matrix, tensor, rows * cols, view=builder.view((), rank=2, permutation=(1, 0))))
    for clip in ((1 << 31, 7, 0, cols), (0, rows, 1 << 31, 7), (0, rows, 0, 0), (0, 0, 0, cols)):
        builder.add(stored(builder, matrix, tensor, rows * cols, view=clipped(builder, *clip)))
        builder.add(loaded(builder, matrix, tensor, rows * cols, view=clipped(builder, *clip)))
    builder.add(store(builder, matrix))


def far_away(builder: ProgramBuilder) -> None:
    """Slices far out of bounds on either side, in every mode; the clip's end wraps; wide inner spans of a store."""
    matrix = builder.matrix(builder.choices.one_of((USE_A, USE_B, USE_ACCUMULATOR)))
    rows, cols = matrix.rows, matrix.cols
    for mode in range(1, 5):
        for far in (-(1 << 25) - 3, (1 << 31) - max(rows, cols) - 5, -(1 << 31)):
            place = builder.choices.one_of(((0, far), (far, 1)))
            sizes = (rows - builder.choices.integer(0, 3), cols - builder.choices.integer(0, 3))
            tensor = laid(builder, SetDimension(sizes), Slice(place, (rows, cols)), mode=mode)
            builder.add(loaded(builder, matrix, tensor, rows * cols), store(builder, matrix))
    whole = laid(builder, SetDimension((rows, cols)), Slice((0, 0), (rows, cols)))
    view = clipped(builder, 1, 0xFFFF_FFFF, 2, 0xFFFF_FFFE)
    builder.add(stored(builder, matrix, whole, rows * cols, view=view))
    builder.add(loaded(builder, matrix, whole, rows * cols, view=view), store(builder, matrix))
    wide = laid(builder, SetDimension((rows, 2, 9)), Slice((0, 0, 0), (rows, 70001, 65537)), rank=3)
    seen = builder.view((), rank=3, permutation=(0, 1, 2))
    builder.add(stored(builder, matrix, wide, rows * 18, view=seen))


def filled(builder: ProgramBuilder) -> None:
    """A store that writes every byte of its buffer, of what a decode function made where there is one."""
    matrix = builder.matrix(builder.choices.one_of((USE_A, USE_B, USE_ACCUMULATOR)))
    builder.waves = 1
    sizes = (matrix.rows, matrix.cols)
    tensor = laid(builder, SetDimension(sizes))
    width = builder.unit("", matrix)
    access = loaded(builder, matrix, tensor, matrix.rows * matrix.cols)
    if has(builder.caps, DECODING):
        access = replace(access, decode=Echo(width, (3, 1), (0, 0), byte=1))
    buffer = builder.name("filled")
    builder.used[buffer] = matrix.rows * matrix.cols * width
    builder.add(access, StoreTensor(matrix.name, buffer, 0, tensor), store(builder, matrix))


def view_strides(builder: ProgramBuilder) -> None:
    """Stores by views whose strides dimensions overwrite, are 0 where there is one coordinate, overlap, or repeat."""
    matrix = builder.matrix(USE_ACCUMULATOR)
    rows, cols = matrix.rows, matrix.cols
    builder.add(load(builder, matrix))
    packed = (cols, 1)
    views = (
        (2, (SetViewStride((3, 5)), SetViewDimensions((rows, cols)))),
        (3, (SetViewDimensions((rows, cols, 1)), SetViewStride((*packed, 0)))),
        (3, (SetViewDimensions((1, rows, cols)), SetViewStride((0, *packed)))),
        (2, (SetViewDimensions((rows, cols)), SetViewStride((1, rows)))),
        (3, (SetViewDimensions((1, rows, cols)), SetViewStride((2, *packed)))),
    )
    whole = laid(builder, SetDimension((rows, cols)), Slice((0, 0), (rows, cols)))
    for rank, calls in views:
        view = builder.view(calls, rank=rank, own=True)
        builder.add(stored(builder, matrix, whole, rows * cols, view=view))
    # Dimensions as large as what the clip leaves, then a permutation of those between.
    clip = SetClip(1, rows - 1, 0, cols)
    view = builder.view((SetViewDimensions((cols, rows - 1)), clip), rank=2, own=True, permutation=(1, 0))
    builder.add(loaded(builder, matrix, whole, rows * cols, view=view), store(builder, matrix))
    dims = factors(rows, cols, 4)
    view = builder.view((SetViewDimensions(dims),), rank=4, own=True, permutation=(0, 2, 1, 3))
    builder.add(stored(builder, matrix, whole, rows * cols, view=view))
    # Every second row would be stored twice, and is out of bounds.
    half = laid(builder, SetDimension((rows, cols)), Slice((rows, 0), (rows, cols)), mode=CONSTANT)
    view = builder.view((SetViewDimensions((rows // 2, cols)),), rank=2, own=True)
    builder.add(stored(builder, matrix, half, rows * cols, view=view))
