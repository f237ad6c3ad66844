"""Matrices in optimal layouts: put there by conversions of the command list, and taken out again."""

from __future__ import annotations

from typing import NamedTuple

from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.programs.hlsl_linalg.components import ComponentType
from mmaspec.programs.hlsl_linalg.program import ConvertLayout, Layout
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder, element_bytes, up

TARGET_UNIT = 128
STRIDE_UNIT = 16
GUARD = 64
"""Bytes after a matrix in an optimal layout that have to stay."""
DEEP = (4, 128)
"""K of a Thread matrix."""


class Held(NamedTuple):
    """A matrix in an optimal layout: the conversion that put it there, where it begins, and its bytes."""

    conversion: ConvertLayout
    offset: int
    nbytes: int


def optimal_sizes(
    caps: LinalgCaps, component: ComponentType, layout: Layout, packed: int = 1, transposed: bool = False
) -> tuple[tuple[int, int], ...]:
    """Rows and columns of matrices as they are loaded, of which the device told the size in that layout.

    Of an A the columns are a K, in whole words of ``packed`` components.
    """
    found = [(one.m, one.n) for one in caps.optimal if (one.component, one.layout) == (component, layout)]
    sizes = [(n, m) if transposed else (m, n) for m, n in found]
    low, high = DEEP
    return tuple(one for one in sizes if packed == 0 or (low <= one[1] <= high and one[1] % packed == 0))


def put(
    b: ProgramBuilder,
    component: ComponentType,
    size: tuple[int, int],
    layout: Layout,
    source: str,
    target: str,
    data: str,
) -> Held:
    """A conversion of new data, row- or column-major, into an optimal layout."""
    (held,) = put_several(b, component, size, layout, source, target, data, 1)
    return held


def put_several(
    b: ProgramBuilder,
    component: ComponentType,
    size: tuple[int, int],
    layout: Layout,
    source: str,
    target: str,
    data: str,
    copies: int,
) -> tuple[Held, ...]:
    """So many of them, each of other data, whose targets are equally far apart."""
    m, n = size
    nbytes = next(
        one.nbytes for one in b.caps.optimal if (one.component, one.m, one.n, one.layout) == (component, m, n, layout)
    )
    step = up(nbytes + GUARD, TARGET_UNIT)
    sources = [linear(b, component, size, source, element_bytes(component), 1) for _ in range(copies)]
    first = b.taken(target, step * (copies - 1) + nbytes, TARGET_UNIT)
    b.rooms[target].used += GUARD
    return tuple(
        Held(
            ConvertLayout(
                component, m, n, source, start, layout_in, target, first + step * number, layout, stride, 0, nbytes,
                f"{data}{number}" if number else data,
            ),
            first + step * number,
            nbytes,
        )
        for number, (layout_in, start, stride) in enumerate(sources)
    )  # fmt: skip


def take(b: ProgramBuilder, held: Held, source: str, target: str) -> ConvertLayout:
    """The conversion back, row- or column-major."""
    c = held.conversion
    layout, start, stride = linear(b, c.component, (c.m, c.n), target, STRIDE_UNIT, TARGET_UNIT)
    return ConvertLayout(c.component, c.m, c.n, source, held.offset, c.target_layout, target, start, layout, 0, stride)


def linear(
    b: ProgramBuilder, component: ComponentType, size: tuple[int, int], buffer: str, stride_unit: int, unit: int
) -> tuple[Layout, int, int]:
    """Layout, offset and stride of one side of a conversion."""
    draw, bytes_ = b.choices, element_bytes(component)
    layout: Layout = draw.one_of(("RowMajor", "ColMajor"))
    lines, length = size if layout == "RowMajor" else size[::-1]
    stride = up(length * bytes_, stride_unit) + stride_unit * draw.weighted(((2, 0), (3, draw.integer(1, 3))))
    start = b.taken(buffer, (lines - 1) * stride + length * bytes_, max(unit, bytes_))
    return layout, start, stride
