"""Decode functions over structs far apart in a sparse buffer: bytes that need 24 bits and more."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec.structs import replace

from mmaspec.oracle.spec import Row
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    Echo,
    LoadTensor,
    SetBlockSize,
    SetDimension,
    SetStride,
    Slice,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.magnitudes.placing import FAR_ROOM, FarRoom
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import DECODING, has
from mmaspec.strategies.nv_coopmat2.templates.plain import store

USES = {"a": USE_A, "b": USE_B, "accumulator": USE_ACCUMULATOR}
BITS = {"25": 25, "28": 28, "31": 31}
"""Bits of the byte at which the last struct starts."""
STRUCT = 16


def _fits(row: Row[Any], caps: CoopMatCaps, _: str, __: str) -> bool:
    return has(caps, DECODING) and "flexible" not in row.tags


def _built(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    matrix = builder.matrix(USES[chosen["use"]])
    blocks = (1, 4)
    inner = -(-matrix.cols // blocks[1])
    step = (1 << BITS[chosen["bits"]]) // STRUCT // (matrix.rows - 1) - builder.choices.integer(1, 5)
    sizes = (matrix.rows, inner * blocks[1])
    calls = (SetBlockSize(blocks), SetDimension(sizes), SetStride((step, 1)))
    tensor = builder.layout((*calls, Slice((0, 0), (matrix.rows, matrix.cols))))
    room, start = FarRoom(FAR_ROOM), LINE * builder.choices.integer(0, 9)
    structs = np.arange(matrix.rows, dtype=np.int64)[:, np.newaxis] * step + np.arange(inner)
    room.take((structs.reshape(-1, 1) * STRUCT + np.arange(STRUCT)).ravel(), start)
    function = Echo(STRUCT, (11, 3), (5, 1), byte=1)
    where = builder.argument(start // format_named(matrix.component).nbytes)
    builder.used["vast"] = 0
    builder.add(LoadTensor(matrix.name, "vast", where, tensor, data=builder.name("T"), decode=function))
    builder.add(store(builder, matrix))
    draft = builder.draft("distinct", batch=1)
    buffers = tuple(room.sparse(one) if one.name == "vast" else one for one in draft.program.buffers)
    return Draft(replace(draft.program, buffers=buffers), draft.regime, draft.batch, draft.words)


DECODING_FAR = Array(
    name="decoding-far",
    focus=("NVCM2-DECODE-ADDR",),
    axes={"use": tuple(USES), "bits": tuple(BITS)},
    build=_built,
    rows=("shared",),
    fits=_fits,
)
"""One load."""
