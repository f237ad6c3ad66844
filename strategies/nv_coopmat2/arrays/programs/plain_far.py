"""Plain accesses in sparse buffers: strides, offsets and bytes of 20 to 32 bits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from msgspec import structs

from mmaspec.oracle.spec import Row, spec_named
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    ARRAY_BYTES,
    COLUMN_MAJOR,
    ROW_MAJOR,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    ArrayType,
    Load,
    Matrix,
    Store,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.magnitudes.placing import FAR_ROOM, FarRoom
from mmaspec.strategies.nv_coopmat2.arrays.programs.plain_numbers import TYPES, lines_of
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store

BIT_24 = 1 << 24
PAIRS = (
    (1_000_000, BIT_24 + 1),
    (BIT_24 - 1, (1 << 27) + 3),
    (BIT_24, 1_234_567),
    (BIT_24 + 1, BIT_24 - 1),
    (0x0ABC_DEF0, BIT_24),
)
"""Strides and offsets."""
ENDS = (1 << 24, 1 << 31)
"""Bytes before which the last element of 8 bits lies."""
Place = tuple[Matrix, int, ArrayType, int, int]
"""Matrix, memory layout, array element type, stride and offset in such elements."""


def _array_of(matrix: Matrix, layout: int, stride: int, offset: int) -> tuple[ArrayType, int] | None:
    """The smallest elements in which this stride and offset of a matrix are aligned, and their bytes."""
    line = lines_of(matrix, layout)[1]
    for array in TYPES:
        unit = ARRAY_BYTES[array]
        if not any(number * unit % min(LINE, line) for number in (stride, offset)) and stride * unit >= line:
            return array, unit
    return None


def _by_numbers(builder: ProgramBuilder) -> Iterator[Place]:
    """The matrix and layout of the fewest bytes for every pair, now and then any other that fits."""
    for stride, offset in PAIRS:
        found = []
        for use in (USE_B, USE_A, USE_ACCUMULATOR):
            for layout in (ROW_MAJOR, COLUMN_MAJOR):
                matrix = builder.matrix(use)
                builder.matrices.pop()
                array = _array_of(matrix, layout, stride, offset)
                last = (lines_of(matrix, layout)[0] - 1) * stride + offset
                if array is not None and (last + LINE) * array[1] < FAR_ROOM:
                    found.append((use, layout, array[0]))
        if found:
            use, layout, kind = builder.choices.one_of(found)
            yield builder.matrix(use), layout, kind, stride, offset


def _by_ends(builder: ProgramBuilder) -> Iterator[Place]:
    """The last byte is the last one of 24 bits, or of 31."""
    for end in ENDS:
        matrix = builder.matrix(USE_A)
        lines, line = lines_of(matrix, ROW_MAJOR)
        stride = end // lines // LINE * LINE - LINE * builder.choices.integer(0, 9)
        yield matrix, ROW_MAJOR, "uint8_t", stride, end - line - (lines - 1) * stride


def _built(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder, room = ProgramBuilder(context, most_waves=1), FarRoom(FAR_ROOM)
    for matrix, layout, array, stride, offset in (_by_ends if chosen["far"] == "ends" else _by_numbers)(builder):
        unit = ARRAY_BYTES[array]
        lines, line = lines_of(matrix, layout)
        starts = (offset + stride * np.arange(lines, dtype=np.int64)[:, np.newaxis]) * unit
        taken = (starts + np.arange(line)).ravel()
        if not room.free(taken):
            return None
        room.take(taken, 0)
        where, apart = builder.argument(offset), builder.argument(stride)
        if chosen["access"] == "load":
            data = builder.name("F")
            builder.add(Load(matrix.name, "vast", where, apart, layout, array, data), store(builder, matrix))
        else:
            builder.add(load(builder, matrix), Store(matrix.name, "vast", where, apart, layout, array))
    if not room.given:
        return None
    builder.used["vast"] = 0
    draft = builder.draft("distinct", batch=1)
    buffers = tuple(room.sparse(one) if one.name == "vast" else one for one in draft.program.buffers)
    return Draft(structs.replace(draft.program, buffers=buffers), draft.regime, draft.batch, draft.words)


def _one(caps: CoopMatCaps, *, bytes_only: bool) -> str | None:
    """The first row with few lines, in which A has elements of a byte if those are wanted."""
    for row in spec_named("nv-coopmat2").rows(caps):
        entry: Any = row.entry
        fine = not bytes_only or (format_named(entry.a).nbytes == 1 and entry.k % LINE == 0)
        if fine and min(entry.m, entry.n, entry.k) <= 8 and "flexible" not in row.tags:
            return row.name
    return None


def _fits(row: Row[Any], caps: CoopMatCaps, axis: str, name: str) -> bool:
    return axis != "far" or row.name == _one(caps, bytes_only=name == "ends")


PLAIN_FAR = Array(
    name="plain-far",
    focus=("KHRCM-STRIDE-UNITS", "KHRCM-LOAD-ROW", "KHRCM-LOAD-COL"),
    axes={"far": ("numbers", "ends"), "access": ("load", "store")},
    build=_built,
    fits=_fits,
)
"""Loads or stores with strides and offsets about 2^24 and beyond, and bytes about 2^24 and 2^31."""
