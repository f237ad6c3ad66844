"""Views of 2 to 4 GiB, and accesses in them: strides of 24 bits and more, places about 2^31 and beyond."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from msgspec import structs

from mmaspec.oracle.hlsl_wave_matrix.addresses import element_bytes, matrix_addresses, memory_row_bytes
from mmaspec.oracle.spec import Row
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import Instruction, Load, Matrix, MatrixDepth, MatrixKind, Store
from mmaspec.programs.windows import Places, around
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.arrays.packed import one_of_each
from mmaspec.strategies.hlsl_wave_matrix.builder.program import ProgramBuilder, Style

BIT_24, BIT_31, BIT_32 = 1 << 24, 1 << 31, 1 << 32
FAR = 4_000_000_000
TOTAL: MatrixKind = "accumulator"
FRAGMENT: MatrixKind = "left-col-acc"
Way = Literal["load", "store"]
Number = int | Literal["end", "fill"]
"""``end``: an offset such that the access ends with the view; ``fill``: a stride that takes it nearly there."""
Access = tuple[MatrixKind, Number, Number]
"""Kind, offset and stride."""

LAST: tuple[Access, ...] = ((TOTAL, BIT_31 - 4, "fill"), (FRAGMENT, FAR, "fill"))
NEIGHBOURS: tuple[Access, ...] = tuple((FRAGMENT, BIT_31 + more, "fill") for more in (-4, 0, 4))
AT: tuple[Access, ...] = ((TOTAL, BIT_31, "fill"), (TOTAL, FAR, "fill"))
ABOVE: tuple[Access, ...] = ((TOTAL, BIT_31 + 4, "fill"), (TOTAL, 1024, "fill"), (FRAGMENT, 4096, "fill"))
STRIDES: tuple[Access, ...] = (
    (TOTAL, "end", BIT_24), (TOTAL, 1024, BIT_24 - 4), (TOTAL, 2048, BIT_24 + 4), (FRAGMENT, 4096, BIT_24),
)  # fmt: skip
CASES: dict[str, tuple[int, Way, tuple[Access, ...]]] = {
    "loads-last": (BIT_32 - 4, "load", LAST),
    "stores-last": (BIT_32 - 4, "store", LAST),
    "loads-neighbours": (3_900_000_000, "load", NEIGHBOURS),
    "stores-neighbours": (3_900_000_000, "store", NEIGHBOURS),
    "loads-at": (BIT_32 - 64, "load", AT),
    "stores-at": (BIT_32 - 64, "store", AT),
    "loads-above": (3_900_000_000, "load", ABOVE),
    "stores-above": (3_900_000_000, "store", ABOVE),
    "loads-strides": (BIT_31 - 4, "load", STRIDES),
    "stores-strides": (BIT_31, "store", STRIDES),
    "loads-end": (BIT_31 + 4, "load", ((TOTAL, "end", "fill"),)),
    "depths": (BIT_32 - 4, "store", ()),
}
"""Case -> bytes of the view, and what is loaded or stored where in it."""
DEPTHS = (BIT_31 - 4, BIT_31, BIT_31 + 4, BIT_32 - 64)
STYLE = Style(run_time=50)


def _placed(builder: ProgramBuilder, matrix: Matrix, size: int, access: Access, number: int) -> tuple[int, int, int]:
    """Offset, stride and orientation; accesses of one case have strides that differ, so that they meet nowhere."""
    col_major = 0 if matrix.is_fragment else builder.choices.integer(0, 1)
    line = element_bytes(matrix) if matrix.is_fragment else memory_row_bytes(matrix, col_major)
    count = matrix.rows * matrix.cols if matrix.is_fragment else matrix.cols if col_major else matrix.rows
    _, offset, stride = access
    if stride == "fill":
        start = offset if isinstance(offset, int) else BIT_24
        stride = (size - start - line) // (count - 1) // 4 * 4 - 4096 * number - 4 * builder.choices.integer(0, 9)
    assert isinstance(stride, int)
    if offset == "end":
        offset = (size - line - (count - 1) * stride) // 4 * 4
    assert isinstance(offset, int)
    return offset, stride, col_major


def _built(context: DrawContext[WaveMmaCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context)
    size, way, accesses = CASES[chosen["vast"]]
    for name in ("in", "out", "vast"):
        builder.room(name, read_only=name == ("vast" if way == "load" else "in"))
    factor = builder.matrix("left", "A")
    body: list[Instruction] = [builder.load(factor, "in"), builder.store(factor, "out")]
    taken: list[Places] = []
    for number, access in enumerate(accesses):
        matrix = builder.matrix(access[0], f"M{number}")
        offset, stride, col_major = _placed(builder, matrix, size, access, number)
        there = matrix_addresses(matrix, offset, stride, col_major)[..., np.newaxis] + np.arange(element_bytes(matrix))
        if int(there.min()) < 0 or int(there.max()) >= size or any(np.isin(there, other).any() for other in taken):
            return None
        taken.append(there)
        arguments = (builder.argument(offset, STYLE), builder.argument(stride, STYLE), col_major)
        if way == "load":
            body += [Load(matrix.name, "vast", *arguments, data=matrix.name), builder.store(matrix, "out")]
        else:
            body += [builder.load(matrix, "in"), Store(matrix.name, "vast", *arguments)]
    if not accesses:
        body += [MatrixDepth("A", "vast", builder.argument(place, STYLE)) for place in DEPTHS]
        taken += [place + np.arange(4, dtype=np.int64) for place in DEPTHS]
    draft = builder.draft(body, "distinct", batch=1)
    buffers = tuple(
        around(structs.replace(one, size=size), taken) if one.name == "vast" else one for one in draft.program.buffers
    )
    return Draft(structs.replace(draft.program, buffers=buffers), draft.regime, draft.batch, draft.words)


def _fits(row: Row[Any], caps: WaveMmaCaps, axis: str, _: str) -> bool:
    return axis != "vast" or row in one_of_each(caps, 0)[:1]


VAST_VIEWS = Array(
    name="vast-views",
    focus=("WM-LOAD-ALL", "WM-STORE-ALL", "WM-DEPTH-ELEMS", "WM-ADDR-FRAG", "WM-ADDR-ROW", "WM-ADDR-COL"),
    axes={"vast": tuple(CASES)},
    build=_built,
    fits=_fits,
)
"""Accesses beyond 2 GiB, in one row only: what they show is in addresses, which know nothing else of a row."""
