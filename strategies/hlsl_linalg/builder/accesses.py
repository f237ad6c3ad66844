"""Accesses of matrices to buffers: layout, stride, offset and alignment, and loops over single elements."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mmaspec.programs.base import Index
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, SCALARS, ComponentType
from mmaspec.programs.hlsl_linalg.program import (
    CountElements,
    InterlockedAccumulate,
    Layout,
    Load,
    Matrix,
    ReadElements,
    Store,
    WriteElements,
)
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder, element_bytes, up
from mmaspec.strategies.hlsl_linalg.revisions import is_earlier

BASE_UNIT = 128
"""What the addresses of matrices are multiples of."""
STRIDE_UNIT = 16
ALIGNMENTS = (0, 0, 0, 128, 256)
"""Alignment parameters, 0 for the default; no address is known to be a multiple of more than 256."""


@dataclass(frozen=True, slots=True)
class Units:
    """What addresses and strides of a matrix are multiples of, and the alignment parameters to draw from."""

    base: int
    stride: int
    alignments: tuple[int, ...]


LATER_UNITS = Units(BASE_UNIT, STRIDE_UNIT, ALIGNMENTS)


def units_of(b: ProgramBuilder, component: ComponentType) -> Units:
    """The multiples that a text demands; that of 2025-09-19 none but those of the HLSL scalar that holds elements.

    Its alignment parameter promises what an address is a multiple of and has no other effect.
    """
    if not is_earlier(b.caps):
        return LATER_UNITS
    scalar = word_bytes(component)
    return Units(scalar, scalar, (0, 0, 0, 0, scalar, 2 * scalar, 16, 128))


def word_bytes(component: ComponentType) -> int:
    """Bytes of the HLSL scalar that holds a component, or several."""
    return FORMATS[SCALARS[COMPONENTS[component].scalar]].nbytes


@dataclass(frozen=True, slots=True)
class Style:
    """The layout of an access; None means that it is drawn.

    ``run_time`` is the percentage of arguments that are read at run time; ``own`` says whether waves or threads have
    places of their own.
    """

    layout: Layout | None = None
    padded: bool | None = None
    stride: int | None = None
    own: bool | None = None
    run_time: int = 10
    align: int | None = None


PLAIN = Style()


def turned(layout: Layout) -> Layout:
    """The other one of the two layouts of which the text says where elements lie."""
    return "ColMajor" if layout == "RowMajor" else "RowMajor"


def load(b: ProgramBuilder, matrix: Matrix, buffer: str, style: Style = PLAIN, data: str | None = None) -> Load:
    """A Load of new data, named after the matrix unless a name is given."""
    if style.own is None:
        style = replace(style, own=b.choices.chance(75))
    offset, stride, layout, align = _place(b, matrix, buffer, style)
    return Load(matrix.name, buffer, offset, stride, layout, align, data or matrix.name)


def store(b: ProgramBuilder, matrix: Matrix, buffer: str, style: Style = PLAIN) -> Store:
    """A Store to bytes of its own, in every wave and pass."""
    return Store(matrix.name, buffer, *_place(b, matrix, buffer, replace(style, own=True)))


def accumulate(b: ProgramBuilder, matrix: Matrix, buffer: str, style: Style = PLAIN) -> InterlockedAccumulate:
    """A sum of a Wave or ThreadGroup matrix in a buffer."""
    return InterlockedAccumulate(matrix.name, buffer, *_place(b, matrix, buffer, style))


def axes_of(b: ProgramBuilder, matrix: Matrix) -> list[tuple[str, int]]:
    """Along which matrices of one name differ, and how many there are."""
    waves = 1 if matrix.scope == "ThreadGroup" else b.waves
    lanes = b.wave_size if matrix.scope == "Thread" else 1
    return [("wave", waves), ("lane", lanes), ("loop", b.passes)]


def lines_of(matrix: Matrix, layout: Layout) -> tuple[int, int]:
    """The lines of a matrix in memory, and the bytes of one."""
    row = layout == "RowMajor"
    lines, length = (matrix.m, matrix.n) if row else (matrix.n, matrix.m)
    return lines, length * element_bytes(matrix.component)


def _place(b: ProgramBuilder, matrix: Matrix, buffer: str, style: Style) -> tuple[Index, Index, Layout, int]:
    draw = b.choices
    layout: Layout = draw.one_of(("RowMajor", "ColMajor")) if style.layout is None else style.layout
    units = units_of(b, matrix.component)
    align = draw.one_of(units.alignments) if style.align is None else style.align
    unit = max(align, units.base)
    lines, line = lines_of(matrix, layout)
    axes = axes_of(b, matrix) if style.own else [("loop", b.passes)]
    tiles = 1
    for _, many in axes:
        tiles *= many
    padded = draw.chance(70) if style.padded is None else style.padded
    pad = units.stride * draw.integer(1, 4) if padded else 0
    side_by_side = tiles > 1 and matrix.scope != "Thread" and draw.chance(40)
    stride, tile = up(line, units.stride) + pad, 0
    if style.stride is not None:
        stride, side_by_side = style.stride, False
    if side_by_side:
        tile = up(line, unit)
        stride = tile * tiles + pad
    last = (lines - 1) * stride + line
    if not side_by_side:
        tile = up(last, unit) + unit * draw.integer(0, 1)
    offset = b.stepped(buffer, axes, tile, last, unit, style.run_time)
    return offset, b.argument(stride, style.run_time), layout, align


def read_elements(b: ProgramBuilder, matrix: Matrix, buffer: str) -> ReadElements:
    """Every element stored one by one, to bytes of its own in every wave and pass."""
    return ReadElements(matrix.name, buffer, *_loop_place(b, matrix, buffer, own=True))


def write_elements(
    b: ProgramBuilder, matrix: Matrix, buffer: str, modulo: int = 0, keep: int = 0, data: str = ""
) -> WriteElements:
    """Every element set one by one, but for some."""
    own = b.choices.chance(75)
    place = _loop_place(b, matrix, buffer, own=own)
    return WriteElements(matrix.name, buffer, *place, modulo, keep, data or f"{matrix.name}-set")


def _loop_place(b: ProgramBuilder, matrix: Matrix, buffer: str, *, own: bool) -> tuple[Index, int]:
    draw, size = b.choices, element_bytes(matrix.component)
    unit = max(size, 4)
    line = matrix.n * size
    stride = up(line, size) + size * draw.integer(0, 3)
    last = (matrix.m - 1) * stride + line
    axes = axes_of(b, matrix) if own else [("loop", b.passes)]
    return b.stepped(buffer, axes, up(last, unit) + unit * draw.integer(0, 2), last, unit, 10), stride


def count_elements(b: ProgramBuilder, matrix: Matrix, buffer: str) -> CountElements:
    """The lengths of all threads summed, of every wave by itself where waves have matrices of their own."""
    waves = b.waves if matrix.scope == "Wave" else 1
    offset = b.stepped(buffer, [("wave", waves), ("loop", b.passes)], 4 * b.choices.integer(1, 3), 4, 4)
    return CountElements(matrix.name, buffer, offset, f"{matrix.name}-count")
