"""Places in memory that a scene chooses to the byte: buffers of one access, and buffers that end where it says."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from mmaspec.programs.base import Affine, Index
from mmaspec.programs.hlsl_linalg.program import Barrier, InterlockedAccumulate, Layout, Load, Matrix
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.hlsl_linalg.arrays.workshop import Workshop
from mmaspec.strategies.hlsl_linalg.builder.accesses import lines_of
from mmaspec.strategies.hlsl_linalg.builder.program import Room, element_bytes, up
from mmaspec.strategies.hlsl_linalg.builder.shared_arrays import held

BASE = 256
"""Where views begin: offsets are multiples of whatever addresses have to be."""
TILE = 128
"""What addresses of matrices are multiples of."""


def alone(shop: Workshop, stem: str, end: int, *, read_only: bool = False) -> str:
    """A buffer that nothing else has, used up to a byte."""
    name = shop.name(stem)
    shop.b.rooms[name] = Room(name, BASE, end, read_only)
    return name


def up_to_tile(nbytes: int) -> int:
    """The next place of a matrix."""
    return up(nbytes, TILE)


def span(matrix: Matrix, layout: Layout, stride: int) -> int:
    """Bytes from the first to the last of a matrix."""
    lines, line = lines_of(matrix, layout)
    return (lines - 1) * stride + line


def ending(offset: Index, waves: int, nbytes: int) -> int:
    """The byte after what lies at an offset, in the last wave."""
    return (offset if isinstance(offset, int) else _last(offset, waves)) + nbytes


def _last(offset: Index, waves: int) -> int:
    assert isinstance(offset, Affine)
    return offset.base + offset.wave * (waves - 1)


def added(shop: Workshop, matrix: Matrix, offset: Index, stride: int, layout: Layout = "RowMajor") -> str:
    """A sum at a place of a buffer, in which data lie; the name of the buffer."""
    end = ending(offset, shop.b.waves if matrix.scope == "Wave" else 1, span(matrix, layout, stride))
    room = alone(shop, "sum", end)
    where = (room, offset, stride, layout)
    if isinstance(offset, Affine):
        # What several matrices share is no data of one of them.
        size = element_bytes(matrix.component)
        shop.add(held(shop.b, matrix.component, room, offset.base, up(end - offset.base, size)))
    else:
        there = shop.matrix(matrix.component, matrix.use, matrix.scope, (matrix.m, matrix.n))
        shop.add(Load(there.name, *where, data=there.name))
    shop.add(Barrier(), InterlockedAccumulate(matrix.name, *where))
    return room


def loaded(shop: Workshop, matrix: Matrix, offset: Index, stride: int, layout: Layout = "RowMajor") -> None:
    """A Load of a place of a buffer that nothing else has."""
    room = alone(shop, "from", ending(offset, shop.b.waves, span(matrix, layout, stride)))
    shop.add(Load(matrix.name, room, offset, stride, layout, 0, matrix.name))


def ended(draft: Draft | None, ends: Mapping[str, int]) -> Draft | None:
    """The draft, of which some buffers end at a byte of their own."""
    if draft is None:
        return None
    buffers = tuple(replace(one, size=ends[one.name]) if one.name in ends else one for one in draft.program.buffers)
    return Draft(replace(draft.program, buffers=buffers), draft.regime, draft.batch, draft.words)
