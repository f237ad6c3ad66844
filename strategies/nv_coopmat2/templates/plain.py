"""Plain loads and stores with everything in them drawn."""

from __future__ import annotations

from math import lcm

from mmaspec.programs.base import Index
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import COLUMN_MAJOR, ROW_MAJOR, ArrayType, Load, Matrix, Store
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder


def load(
    builder: ProgramBuilder,
    matrix: Matrix,
    data: str | None = None,
    *,
    layout: int | None = None,
    array: ArrayType = "",
    passes: int = 1,
    repeated: bool = False,
    buffer: str = "",
) -> Load:
    """A load from a region of its own; ``repeated``: with stride 0, which finds one line again and again."""
    layout = drawn_layout(builder) if layout is None else layout
    buffer = buffer or builder.buffer("in")
    offset, stride = _region(builder, matrix, buffer, layout, array, passes, repeated=repeated)
    return Load(matrix.name, buffer, offset, stride, layout, array, data or builder.name(matrix.name.upper()))


def store(
    builder: ProgramBuilder,
    matrix: Matrix,
    *,
    layout: int | None = None,
    array: ArrayType = "",
    passes: int = 1,
    buffer: str = "",
) -> Store:
    """A store to a region of its own."""
    layout = drawn_layout(builder) if layout is None else layout
    buffer = buffer or builder.buffer("out")
    offset, stride = _region(builder, matrix, buffer, layout, array, passes)
    return Store(matrix.name, buffer, offset, stride, layout, array)


def drawn_layout(builder: ProgramBuilder) -> int:
    """Row-major or column-major."""
    return builder.choices.one_of((ROW_MAJOR, COLUMN_MAJOR))


def _region(
    builder: ProgramBuilder,
    matrix: Matrix,
    buffer: str,
    layout: int,
    array: ArrayType,
    passes: int,
    *,
    repeated: bool = False,
) -> tuple[Index, Index]:
    """Offset and stride of a new region that is apart for every wave and pass; most often padded."""
    width, unit = format_named(matrix.component).nbytes, builder.unit(array, matrix)
    lines, line = (matrix.cols, matrix.rows) if layout == COLUMN_MAJOR else (matrix.rows, matrix.cols)
    grain = lcm(min(LINE, line * width), unit)
    stride = -(-line * width // grain) * grain + grain * builder.choices.weighted([(1, 0), (2, 1), (2, 2), (1, 3)])
    if repeated:
        stride = 0
    grain = lcm(LINE, grain)
    extent = -(-((lines - 1) * stride + line * width) // grain) * grain
    per_pass = extent * builder.waves
    start = builder.region(buffer, per_pass * passes, grain)
    offset = builder.spread(start // unit, extent // unit, per_pass // unit if passes > 1 else 0)
    return offset, builder.argument(stride // unit)
