"""What scenes are made of: a tensor in a region of its own, loads and stores of it."""

from __future__ import annotations

from math import prod

from mmaspec.programs.base import Affine, Index, Literal
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import (
    CONSTANT,
    ArrayType,
    LoadTensor,
    Matrix,
    SetClip,
    SetDimension,
    Setter,
    Slice,
    Splat,
    StoreTensor,
)
from mmaspec.strategies.nv_coopmat2.arrays.magnitudes.shapes import Words
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.tensors import OLD_BITS

WHOLE = 0xFFFF_FFFF


def room(builder: ProgramBuilder, stem: str, matrix: Matrix, elements: int, *, copies: int = 1) -> tuple[str, Index]:
    """A buffer and the offset of a new region for so many elements, ``copies`` times: one for every wave."""
    width, buffer = format_named(matrix.component).nbytes, builder.buffer(stem)
    extent = -(-elements * width // LINE) * LINE
    start = builder.region(buffer, extent * copies)
    return buffer, Affine(start // width, wave=extent // width) if copies > 1 else builder.argument(start // width)


def sliced(
    builder: ProgramBuilder, sizes: Words, offsets: tuple[Index, ...], spans: Words, mode: int = CONSTANT
) -> str:
    """A layout with dimensions and a slice; its name."""
    return builder.layout((SetDimension(sizes), Slice(offsets, spans)), rank=len(sizes), mode=mode)


def loaded(
    builder: ProgramBuilder,
    matrix: Matrix,
    tensor: str,
    elements: int,
    *,
    view: str | None = None,
    array: ArrayType = "",
) -> LoadTensor:
    """A load from a region of its own."""
    buffer, where = room(builder, "in", matrix, elements)
    return LoadTensor(matrix.name, buffer, where, tensor, array, builder.name("T"), view=view)


def stored(
    builder: ProgramBuilder, matrix: Matrix, tensor: str, elements: int, *, view: str | None = None
) -> StoreTensor:
    """A store to a region of its own, in every wave another one."""
    buffer, where = room(builder, "out", matrix, elements, copies=builder.waves)
    return StoreTensor(matrix.name, buffer, where, tensor, view=view)


def laid(builder: ProgramBuilder, *calls: Setter, rank: int = 2, mode: int = CONSTANT) -> str:
    """A layout of any setters; its name."""
    return builder.layout(calls, rank=rank, mode=mode)


def clipped(builder: ProgramBuilder, *clip: Index) -> str:
    """A view that only clips; its name."""
    rows, row_span, cols, col_span = clip
    return builder.view((SetClip(rows, row_span, cols, col_span),), rank=2)


def before(matrix: Matrix) -> Splat:
    """What a matrix holds before a load."""
    return Splat(matrix.name, Literal(OLD_BITS[matrix.component]))


def tile(builder: ProgramBuilder, matrix: Matrix) -> tuple[str, int]:
    """A layout of a tensor a little larger than the matrix, sliced in it; its name and elements."""
    sizes = (matrix.rows + builder.choices.integer(1, 3), matrix.cols + builder.choices.integer(1, 5))
    place = (builder.choices.integer(0, 1), builder.choices.integer(0, 1))
    return sliced(builder, sizes, place, (matrix.rows, matrix.cols)), prod(sizes)
