"""Setters that stand between two slices, and clamp values that views bring into sight."""

from __future__ import annotations

from mmaspec.programs.nv_coopmat2.program import (
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    SetBlockSize,
    SetClampValue,
    SetDimension,
    SetStride,
    Setter,
    SetViewDimensions,
    SetViewStride,
    Slice,
)
from mmaspec.strategies.nv_coopmat2.arrays.scenes.parts import clipped, laid, loaded, stored
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store

VALUES = (0x1234_5678, 0x8182_7F40, 0x0000_3C01)
"""Clamp values of which the low byte, the high one, and what saturation to a byte leaves are all unlike."""


def slices_around(builder: ProgramBuilder) -> None:
    """Two slices whose offsets add, all of them inside the tensor, with one or two other setters between them."""
    matrix = builder.matrix(builder.choices.one_of((USE_A, USE_B, USE_ACCUMULATOR)))
    rows, cols = matrix.rows, matrix.cols
    sizes, spans = (rows + 7, cols + 9), (rows, cols)
    value, stride, block = SetClampValue(VALUES[0]), SetStride((cols + 9 + 3, 1)), SetBlockSize((1, 1))
    between: tuple[tuple[Setter, ...], ...] = ((), (value,), (stride,), (block,), (value, stride), (block, value))
    for number, calls in enumerate(between):
        first, second = Slice((1 + number % 3, 4), spans), Slice((3, 1 + number % 4), spans)
        tensor = laid(builder, SetDimension(sizes), first, *calls, second)
        elements = sizes[0] * (sizes[1] + 3)
        builder.add(loaded(builder, matrix, tensor, elements), store(builder, matrix))
        if not number % 2 and block not in calls:
            builder.add(stored(builder, matrix, tensor, elements))


def clamped_views(builder: ProgramBuilder) -> None:
    """Loads of every use through views of every kind, of which some elements lie outside and are the clamp value."""
    for use, value in zip((USE_A, USE_B, USE_ACCUMULATOR), VALUES, strict=True):
        matrix = builder.matrix(use)
        rows, cols = matrix.rows, matrix.cols
        builder.add(load(builder, matrix))
        spans = (rows, cols)
        for argument in (value, builder.argument(value)):
            calls = (SetDimension((rows - 1, cols - 2)), Slice((0, 0), spans), SetClampValue(argument))
            tensor = laid(builder, *calls)
            turned = laid(builder, SetDimension((cols - 2, rows - 1)), Slice((0, 0), (cols, rows)), calls[2])
            own = (SetViewDimensions(spans), SetViewStride((cols, 1)))
            views = (
                (tensor, builder.view((), rank=2)),
                (turned, builder.view((), rank=2, permutation=(1, 0))),
                (tensor, builder.view(own, rank=2, own=True)),
                (tensor, clipped(builder, 1, rows - 1, 0, cols)),
            )
            for layout, view in views:
                builder.add(loaded(builder, matrix, layout, rows * cols, view=view), store(builder, matrix))
