"""Tensor views: other axes, other strides, clips; one function per family, each with everything else drawn."""

from __future__ import annotations

from math import prod

from mmaspec.programs.base import Index
from mmaspec.programs.nv_coopmat2.program import (
    CONSTANT,
    REPEAT,
    LoadTensor,
    Matrix,
    SetClip,
    SetDimension,
    SetViewDimensions,
    SetViewStride,
    Slice,
    StoreTensor,
)
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store
from mmaspec.strategies.nv_coopmat2.templates.tensors import base, dimensions, sizes_around, slice_at, small_offset

DEFAULT_SPAN = 0xFFFF_FFFF
"""The spans of the clip of a new view."""

Pair = tuple[int, int]
Extents = tuple[int, ...]


def arguments(builder: ProgramBuilder, values: Extents) -> tuple[Index, ...]:
    """Every value as a literal or read at run time."""
    return tuple(builder.argument(value) for value in values)


def transposed(builder: ProgramBuilder) -> None:
    """The document's column-major tensor, loaded and stored through a view that only swaps its two axes.

    Strides set on a view without dimensions of its own mean nothing.
    """
    matrix, buffer, out = builder.any_matrix(), builder.buffer("in"), builder.buffer("out")
    spans = (matrix.cols, matrix.rows)
    offset, rest = small_offset(builder), (builder.choices.integer(0, 3), builder.choices.integer(1, 4))
    sizes = (offset[0] + spans[0] + rest[0], offset[1] + spans[1] + rest[1])
    tensor = builder.layout((dimensions(builder, sizes), slice_at(builder, offset, spans)), mode=CONSTANT)
    idle = arguments(builder, (builder.choices.integer(2, 5), builder.choices.integer(2, 5)))
    view = builder.view((SetViewStride(idle),), permutation=(1, 0))
    where = base(builder, buffer, matrix, prod(sizes))
    there = base(builder, out, matrix, prod(sizes), copies=builder.waves)
    builder.add(
        LoadTensor(matrix.name, buffer, where, tensor, data=builder.name("T"), view=view),
        store(builder, matrix),
        StoreTensor(matrix.name, out, there, tensor, view=view),
    )


def transposed_part(builder: ProgramBuilder) -> None:
    """Exchanged axes under a clip, and over a slice smaller than the matrix, whose elements come up again."""
    matrix, buffer = builder.any_matrix(), builder.buffer("in")
    other = builder.matrix(matrix.use)
    clip, kept = _clip(builder, matrix)
    few = (max(1, matrix.cols - builder.choices.integer(1, 3)), max(1, matrix.rows // 2))
    builder.add(load(builder, matrix))
    for each, spans, calls in ((matrix, (kept[1], kept[0]), (clip,)), (other, few, ())):
        offset = small_offset(builder)
        rest = (builder.choices.integer(0, 3), builder.choices.integer(1, 4))
        sizes = (offset[0] + spans[0] + rest[0], offset[1] + spans[1] + rest[1])
        tensor = builder.layout((dimensions(builder, sizes), slice_at(builder, offset, spans)), mode=CONSTANT)
        where = base(builder, buffer, each, prod(sizes))
        view = builder.view(calls, permutation=(1, 0))
        builder.add(
            LoadTensor(each.name, buffer, where, tensor, data=builder.name("T"), view=view), store(builder, each)
        )


def unchanged(builder: ProgramBuilder) -> None:
    """A view that changes nothing, on a slice of another shape than the matrix, or one that repeats."""
    matrix, buffer = builder.any_matrix(), builder.buffer("in")
    rows, cols = matrix.rows, matrix.cols
    spans = builder.choices.one_of(((rows // 2, cols), (2 * rows, cols // 2), (rows // 2, 2 * cols), (rows, cols - 3)))
    spans = (max(1, spans[0]), max(1, spans[1]))
    if spans[1] == cols:
        spans = (spans[0], cols + builder.choices.integer(1, 3))
    offset = small_offset(builder)
    sizes = (offset[0] + spans[0] + builder.choices.integer(0, 3), offset[1] + spans[1] + builder.choices.integer(1, 4))
    tensor = builder.layout((dimensions(builder, sizes), slice_at(builder, offset, spans)), mode=CONSTANT)
    where = base(builder, buffer, matrix, prod(sizes))
    view = builder.view()
    builder.add(
        LoadTensor(matrix.name, buffer, where, tensor, data=builder.name("T"), view=view), store(builder, matrix)
    )


def split(builder: ProgramBuilder, extent: int, parts: int) -> Extents:
    """Factors of an extent, as different from each other as a few draws find."""
    found: Extents = (extent,) + (1,) * (parts - 1)
    for _ in range(6):
        rest, factors = extent, []
        for _ in range(parts - 1):
            factor = builder.choices.one_of([step for step in range(2, 9) if rest % step == 0] or [1])
            factors.append(factor)
            rest //= factor
        drawn = (*factors, rest)
        if len(set(drawn)) > len(set(found)) or 1 in found:
            found = drawn
    return found


def cycled(builder: ProgramBuilder) -> None:
    """A view of three axes of its own that go round: the permutation is not its own inverse."""
    matrix, buffer = builder.any_matrix(), builder.buffer("in")
    order = builder.choices.one_of(((1, 2, 0), (2, 0, 1)))
    extents = split(builder, matrix.rows * matrix.cols, 3)
    offset = small_offset(builder)
    sizes = sizes_around(builder, matrix, offset, builder.waves - 1)
    cut = slice_at(builder, offset, (matrix.rows, matrix.cols), per_wave=1)
    tensor = builder.layout((dimensions(builder, sizes), cut), mode=REPEAT)
    view = builder.view((SetViewDimensions(arguments(builder, extents)),), rank=3, own=True, permutation=order)
    where = base(builder, buffer, matrix, prod(sizes))
    builder.add(
        LoadTensor(matrix.name, buffer, where, tensor, data=builder.name("T"), view=view), store(builder, matrix)
    )


def depth(builder: ProgramBuilder) -> None:
    """The document's five axes: every 2 x 2 patch of an image becomes one row with four times the channels."""
    _patches(builder, (2, 2))


def other_depth(builder: ProgramBuilder) -> None:
    """The same with patches of another size."""
    _patches(builder, builder.choices.one_of(((1, 4), (4, 1), (1, 2), (2, 1))))


def _patches(builder: ProgramBuilder, patch: Pair) -> None:
    matrix, buffer = builder.any_matrix(), builder.buffer("in")
    if matrix.cols % 4 or matrix.rows % 2:
        matrix = builder.matrix(2)
    down, across = patch
    channels = matrix.cols // (down * across)
    high = builder.choices.one_of([step for step in (2, 4) if matrix.rows % step == 0])
    wide = matrix.rows // high
    image, patches = (down * high, across * wide, channels), (high, down, wide, across, channels)
    tensor = builder.layout((SetDimension(arguments(builder, image)),), rank=3)
    calls = (SetViewDimensions(arguments(builder, patches)),)
    view = builder.view(calls, rank=5, own=True, permutation=(0, 2, 1, 3, 4))
    where = base(builder, buffer, matrix, prod(image))
    builder.add(
        LoadTensor(matrix.name, buffer, where, tensor, data=builder.name("T"), view=view), store(builder, matrix)
    )


def strided(builder: ProgramBuilder) -> None:
    """Strides of the view's own, one of them zero at times, on a slice larger than the matrix."""
    matrix, buffer = builder.any_matrix(), builder.buffer("in")
    inner = builder.choices.integer(2, 3)
    outer = builder.choices.weighted([(1, 0), (4, matrix.cols * inner + builder.choices.integer(1, 5))])
    used = (matrix.rows - 1) * outer + (matrix.cols - 1) * inner + 1
    width = builder.choices.integer(20, 40)
    spans = (-(-used // width) + builder.choices.integer(0, 2), width)
    offset = small_offset(builder)
    sizes = (offset[0] + spans[0], offset[1] + spans[1] + builder.choices.integer(0, 3))
    tensor = builder.layout((dimensions(builder, sizes), slice_at(builder, offset, spans)))
    calls = (
        SetViewDimensions(arguments(builder, (matrix.rows, matrix.cols))),
        SetViewStride(arguments(builder, (outer, inner))),
    )
    view = builder.view(calls, own=True)
    where = base(builder, buffer, matrix, prod(sizes))
    builder.add(
        LoadTensor(matrix.name, buffer, where, tensor, data=builder.name("T"), view=view), store(builder, matrix)
    )


def _clip(builder: ProgramBuilder, matrix: Matrix) -> tuple[SetClip, Pair]:
    """A clip inside the matrix that leaves out something on every side, and its spans."""
    (row, rows), (col, cols) = _inner(builder, matrix.rows), _inner(builder, matrix.cols)
    return SetClip(*arguments(builder, (row, rows, col, cols))), (rows, cols)


def _inner(builder: ProgramBuilder, extent: int) -> Pair:
    """Offset and span of a part inside an extent of at least three."""
    offset = builder.choices.integer(1, min(3, extent // 2))
    less = builder.choices.integer(1, min(2, extent - offset - 1))
    return offset, extent - offset - less


def clipped(builder: ProgramBuilder) -> None:
    """A load under a clip over what a plain load found, and a store under another clip."""
    matrix, buffer, out = builder.any_matrix(), builder.buffer("in"), builder.buffer("out")
    offset = small_offset(builder)
    builder.add(load(builder, matrix))
    clip, spans = _clip(builder, matrix)
    sizes = (offset[0] + spans[0], offset[1] + spans[1] + builder.choices.integer(0, 3))
    tensor = builder.layout((dimensions(builder, sizes), slice_at(builder, offset, spans)))
    where = base(builder, buffer, matrix, prod(sizes))
    view = builder.view((clip,))
    builder.add(
        LoadTensor(matrix.name, buffer, where, tensor, data=builder.name("T"), view=view), store(builder, matrix)
    )
    clip, spans = _clip(builder, matrix)
    tensor = builder.layout((dimensions(builder, spans),))
    there = base(builder, out, matrix, prod(spans), copies=builder.waves)
    builder.add(StoreTensor(matrix.name, out, there, tensor, view=builder.view((clip,))))


def clipped_from(builder: ProgramBuilder) -> None:
    """The first rows and columns clipped away by the spans that a new view has, whose end does not fit 32 bits.

    NVCM2-AMB-04: nothing is left, or everything else.
    """
    matrix, buffer, out = builder.any_matrix(), builder.buffer("in"), builder.buffer("out")
    first, sizes = builder.choices.one_of(((0, 2), (1, 3), (2, 0), (3, 1))), (matrix.rows, matrix.cols)
    tensor = builder.layout((dimensions(builder, sizes),))
    view = builder.view((SetClip(*arguments(builder, (first[0], DEFAULT_SPAN, first[1], DEFAULT_SPAN))),))
    where = base(builder, buffer, matrix, prod(sizes))
    there = base(builder, out, matrix, prod(sizes), copies=builder.waves)
    builder.add(
        load(builder, matrix),
        LoadTensor(matrix.name, buffer, where, tensor, data=builder.name("T"), view=view),
        store(builder, matrix),
        StoreTensor(matrix.name, out, there, tensor, view=view),
    )


def clipped_beyond(builder: ProgramBuilder) -> None:
    """A clip that runs past the last column of the matrix: its width counts the columns that are missing."""
    matrix, buffer = builder.any_matrix(), builder.buffer("in")
    start = builder.choices.integer(2, 4)
    width = matrix.cols - builder.choices.integer(0, 1)
    rows = matrix.rows - builder.choices.integer(1, 3)
    first = builder.choices.integer(0, 3)
    offset = small_offset(builder)
    sizes = (offset[0] + rows, offset[1] + width + builder.choices.integer(0, 2))
    tensor = builder.layout((dimensions(builder, sizes), slice_at(builder, offset, (rows, width))))
    builder.add(load(builder, matrix))
    where = base(builder, buffer, matrix, prod(sizes))
    view = builder.view((SetClip(*arguments(builder, (first, rows, start, width))),))
    builder.add(
        LoadTensor(matrix.name, buffer, where, tensor, data=builder.name("T"), view=view), store(builder, matrix)
    )


def derived(builder: ProgramBuilder) -> None:
    """A view from which another one is made, used after that; and the other one."""
    matrix, buffer = builder.any_matrix(), builder.buffer("in")
    other = builder.matrix(matrix.use)
    tensor = builder.layout((SetDimension(arguments(builder, (matrix.rows, matrix.cols))),))
    clip, _ = _clip(builder, matrix)
    whole = builder.view((SetViewDimensions(arguments(builder, (matrix.rows, matrix.cols))),), own=True)
    part = builder.view((clip,), own=True, start=whole)
    where, data = base(builder, buffer, matrix, matrix.rows * matrix.cols), builder.name("T")
    builder.add(
        LoadTensor(matrix.name, buffer, where, tensor, data=data, view=whole),
        store(builder, matrix),
        load(builder, other),
        LoadTensor(other.name, buffer, where, tensor, data=data, view=part),
        store(builder, other),
    )


def many_axes(builder: ProgramBuilder) -> None:
    """Layouts of one, three, four or five dimensions, sliced, out of bounds at one end of the outermost."""
    matrix, buffer = builder.any_matrix(), builder.buffer("in")
    rank = builder.choices.one_of((1, 3, 4, 5))
    spans = split(builder, matrix.rows * matrix.cols, rank)
    offset = tuple(builder.choices.integer(0, 2) for _ in spans)
    sizes = tuple(span + start + builder.choices.integer(0, 1) for span, start in zip(spans, offset, strict=True))
    calls = (
        SetDimension(arguments(builder, sizes)),
        Slice(arguments(builder, (-1, *offset[1:])), arguments(builder, spans)),
    )
    tensor = builder.layout(calls, rank=rank, mode=REPEAT)
    where = base(builder, buffer, matrix, prod(sizes))
    builder.add(LoadTensor(matrix.name, buffer, where, tensor, data=builder.name("T")), store(builder, matrix))
