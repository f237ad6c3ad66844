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
from mmaspec.strategies.nv_coopmat2.builder import Sketch
from mmaspec.strategies.nv_coopmat2.plain import load, store
from mmaspec.strategies.nv_coopmat2.tensors import base, dimensions, sizes_around, slice_at, small_offset

Pair = tuple[int, int]
Extents = tuple[int, ...]


def arguments(sketch: Sketch, values: Extents) -> tuple[Index, ...]:
    """Every value as a literal or read at run time."""
    return tuple(sketch.argument(value) for value in values)


def transposed(sketch: Sketch) -> None:
    """The document's column-major tensor, loaded and stored through a view that only swaps its two axes."""
    matrix, buffer, out = sketch.any_matrix(), sketch.buffer("in"), sketch.buffer("out")
    spans = (matrix.cols, matrix.rows)
    offset, rest = small_offset(sketch), (sketch.choices.integer(0, 3), sketch.choices.integer(1, 4))
    sizes = (offset[0] + spans[0] + rest[0], offset[1] + spans[1] + rest[1])
    tensor = sketch.layout((dimensions(sketch, sizes), slice_at(sketch, offset, spans)), mode=CONSTANT)
    view = sketch.view(permutation=(1, 0))
    where = base(sketch, buffer, matrix, prod(sizes))
    there = base(sketch, out, matrix, prod(sizes), copies=sketch.waves)
    sketch.add(
        LoadTensor(matrix.name, buffer, where, tensor, data=sketch.name("T"), view=view),
        store(sketch, matrix),
        StoreTensor(matrix.name, out, there, tensor, view=view),
    )


def split(sketch: Sketch, extent: int, parts: int) -> Extents:
    """Factors of an extent, as different from each other as a few draws find."""
    found: Extents = (extent,) + (1,) * (parts - 1)
    for _ in range(6):
        rest, factors = extent, []
        for _ in range(parts - 1):
            factor = sketch.choices.one_of([step for step in range(2, 9) if rest % step == 0] or [1])
            factors.append(factor)
            rest //= factor
        drawn = (*factors, rest)
        if len(set(drawn)) > len(set(found)) or 1 in found:
            found = drawn
    return found


def cycled(sketch: Sketch) -> None:
    """A view of three axes of its own that go round: the permutation is not its own inverse."""
    matrix, buffer = sketch.any_matrix(), sketch.buffer("in")
    order = sketch.choices.one_of(((1, 2, 0), (2, 0, 1)))
    extents = split(sketch, matrix.rows * matrix.cols, 3)
    offset = small_offset(sketch)
    sizes = sizes_around(sketch, matrix, offset, sketch.waves - 1)
    cut = slice_at(sketch, offset, (matrix.rows, matrix.cols), per_wave=1)
    tensor = sketch.layout((dimensions(sketch, sizes), cut), mode=REPEAT)
    view = sketch.view((SetViewDimensions(arguments(sketch, extents)),), rank=3, own=True, permutation=order)
    where = base(sketch, buffer, matrix, prod(sizes))
    sketch.add(LoadTensor(matrix.name, buffer, where, tensor, data=sketch.name("T"), view=view), store(sketch, matrix))


def depth(sketch: Sketch) -> None:
    """The document's five axes: every 2 x 2 patch of an image becomes one row with four times the channels."""
    matrix, buffer = sketch.any_matrix(), sketch.buffer("in")
    if matrix.cols % 4 or matrix.rows % 2:
        matrix = sketch.matrix(2)
    channels = matrix.cols // 4
    high = sketch.choices.one_of([step for step in (2, 4) if matrix.rows % step == 0])
    wide = matrix.rows // high
    image, patches = (2 * high, 2 * wide, channels), (high, 2, wide, 2, channels)
    tensor = sketch.layout((SetDimension(arguments(sketch, image)),), rank=3)
    calls = (SetViewDimensions(arguments(sketch, patches)),)
    view = sketch.view(calls, rank=5, own=True, permutation=(0, 2, 1, 3, 4))
    where = base(sketch, buffer, matrix, prod(image))
    sketch.add(LoadTensor(matrix.name, buffer, where, tensor, data=sketch.name("T"), view=view), store(sketch, matrix))


def strided(sketch: Sketch) -> None:
    """Strides of the view's own, one of them zero at times, on a slice larger than the matrix."""
    matrix, buffer = sketch.any_matrix(), sketch.buffer("in")
    inner = sketch.choices.integer(2, 3)
    outer = sketch.choices.weighted([(1, 0), (4, matrix.cols * inner + sketch.choices.integer(1, 5))])
    used = (matrix.rows - 1) * outer + (matrix.cols - 1) * inner + 1
    width = sketch.choices.integer(20, 40)
    spans = (-(-used // width) + sketch.choices.integer(0, 2), width)
    offset = small_offset(sketch)
    sizes = (offset[0] + spans[0], offset[1] + spans[1] + sketch.choices.integer(0, 3))
    tensor = sketch.layout((dimensions(sketch, sizes), slice_at(sketch, offset, spans)))
    calls = (
        SetViewDimensions(arguments(sketch, (matrix.rows, matrix.cols))),
        SetViewStride(arguments(sketch, (outer, inner))),
    )
    view = sketch.view(calls, own=True)
    where = base(sketch, buffer, matrix, prod(sizes))
    sketch.add(LoadTensor(matrix.name, buffer, where, tensor, data=sketch.name("T"), view=view), store(sketch, matrix))


def _clip(sketch: Sketch, matrix: Matrix) -> tuple[SetClip, Pair]:
    """A clip inside the matrix that leaves out something on every side, and its spans."""
    (row, rows), (col, cols) = _inner(sketch, matrix.rows), _inner(sketch, matrix.cols)
    return SetClip(*arguments(sketch, (row, rows, col, cols))), (rows, cols)


def _inner(sketch: Sketch, extent: int) -> Pair:
    """Offset and span of a part inside an extent of at least three."""
    offset = sketch.choices.integer(1, min(3, extent // 2))
    less = sketch.choices.integer(1, min(2, extent - offset - 1))
    return offset, extent - offset - less


def clipped(sketch: Sketch) -> None:
    """A load under a clip over what a plain load found, and a store under another clip."""
    matrix, buffer, out = sketch.any_matrix(), sketch.buffer("in"), sketch.buffer("out")
    offset = small_offset(sketch)
    sketch.add(load(sketch, matrix))
    clip, spans = _clip(sketch, matrix)
    sizes = (offset[0] + spans[0], offset[1] + spans[1] + sketch.choices.integer(0, 3))
    tensor = sketch.layout((dimensions(sketch, sizes), slice_at(sketch, offset, spans)))
    where = base(sketch, buffer, matrix, prod(sizes))
    view = sketch.view((clip,))
    sketch.add(LoadTensor(matrix.name, buffer, where, tensor, data=sketch.name("T"), view=view), store(sketch, matrix))
    clip, spans = _clip(sketch, matrix)
    tensor = sketch.layout((dimensions(sketch, spans),))
    there = base(sketch, out, matrix, prod(spans), copies=sketch.waves)
    sketch.add(StoreTensor(matrix.name, out, there, tensor, view=sketch.view((clip,))))


def clipped_beyond(sketch: Sketch) -> None:
    """A clip that runs past the last column of the matrix: its width counts the columns that are missing."""
    matrix, buffer = sketch.any_matrix(), sketch.buffer("in")
    start = sketch.choices.integer(2, 4)
    width = matrix.cols - sketch.choices.integer(0, 1)
    rows = matrix.rows - sketch.choices.integer(1, 3)
    first = sketch.choices.integer(0, 3)
    offset = small_offset(sketch)
    sizes = (offset[0] + rows, offset[1] + width + sketch.choices.integer(0, 2))
    tensor = sketch.layout((dimensions(sketch, sizes), slice_at(sketch, offset, (rows, width))))
    sketch.add(load(sketch, matrix))
    where = base(sketch, buffer, matrix, prod(sizes))
    view = sketch.view((SetClip(*arguments(sketch, (first, rows, start, width))),))
    sketch.add(LoadTensor(matrix.name, buffer, where, tensor, data=sketch.name("T"), view=view), store(sketch, matrix))


def derived(sketch: Sketch) -> None:
    """A view from which another one is made, used after that; and the other one."""
    matrix, buffer = sketch.any_matrix(), sketch.buffer("in")
    other = sketch.matrix(matrix.use)
    tensor = sketch.layout((SetDimension(arguments(sketch, (matrix.rows, matrix.cols))),))
    clip, _ = _clip(sketch, matrix)
    whole = sketch.view((SetViewDimensions(arguments(sketch, (matrix.rows, matrix.cols))),), own=True)
    part = sketch.view((clip,), own=True, start=whole)
    where, data = base(sketch, buffer, matrix, matrix.rows * matrix.cols), sketch.name("T")
    sketch.add(
        LoadTensor(matrix.name, buffer, where, tensor, data=data, view=whole),
        store(sketch, matrix),
        load(sketch, other),
        LoadTensor(other.name, buffer, where, tensor, data=data, view=part),
        store(sketch, other),
    )


def many_axes(sketch: Sketch) -> None:
    """Layouts of one, three, four or five dimensions, sliced, out of bounds at one end of the outermost."""
    matrix, buffer = sketch.any_matrix(), sketch.buffer("in")
    rank = sketch.choices.one_of((1, 3, 4, 5))
    spans = split(sketch, matrix.rows * matrix.cols, rank)
    offset = tuple(sketch.choices.integer(0, 2) for _ in spans)
    sizes = tuple(span + start + sketch.choices.integer(0, 1) for span, start in zip(spans, offset, strict=True))
    calls = (
        SetDimension(arguments(sketch, sizes)),
        Slice(arguments(sketch, (-1, *offset[1:])), arguments(sketch, spans)),
    )
    tensor = sketch.layout(calls, rank=rank, mode=REPEAT)
    where = base(sketch, buffer, matrix, prod(sizes))
    sketch.add(LoadTensor(matrix.name, buffer, where, tensor, data=sketch.name("T")), store(sketch, matrix))
