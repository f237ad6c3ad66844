"""Decode functions over structs of sizes that others do not have, in blocks of other shapes."""

from __future__ import annotations

from math import prod
from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    CONSTANT,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    Decode,
    Echo,
    LoadTensor,
    Nibbles,
    SetBlockSize,
    SetDimension,
    Slice,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import DECODING, has
from mmaspec.strategies.nv_coopmat2.templates.plain import store

STRUCTS = {
    "sixteen": 16, "seventeen": 17, "eighteen": 18, "thirty-four": 34, "two-hundred-fifty-six": 256, "large": 301,
}  # fmt: skip
"""Class of ``decode-struct-bytes`` -> bytes."""

BLOCKS = {
    "below-2-4": (1, 15), "at-2-4": (1, 16),
}  # fmt: skip
"""Class of ``block-size`` -> a block whose largest extent it is; nibbles of all fit into 16 bytes."""


def _function(builder: ProgramBuilder, chosen: Chosen, blocks: tuple[int, int]) -> Decode:
    nbytes = STRUCTS[chosen["decode-struct-bytes"]]
    if chosen["decode-function"] == "nibbles-minus-other":
        # A function may count in wider lines than the layout's blocks have, and leave out what lies between.
        wider = builder.choices.one_of((0, 2))
        return Nibbles(nbytes, (blocks[0], blocks[1] + wider), builder.choices.one_of((1, 15)))
    # One weight is negative as a signed number, and takes sums beyond 32 bits: they wrap.
    return Echo(nbytes, (0xFFFF_FFFF, 3), (1, 7), byte=builder.choices.integer(0, 1))


def _decoded(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    matrix = builder.matrix(builder.choices.one_of((USE_A, USE_B, USE_ACCUMULATOR)))
    blocks = BLOCKS[chosen["block-size"]]
    sizes = tuple(-(-extent // block) * block for extent, block in zip((matrix.rows, matrix.cols), blocks, strict=True))
    function = _function(builder, chosen, blocks)
    tensor = builder.layout(
        (SetBlockSize(blocks), SetDimension(sizes), Slice((0, 0), (matrix.rows, matrix.cols))), mode=CONSTANT
    )
    structs = prod(size // block for size, block in zip(sizes, blocks, strict=True))
    buffer, width = builder.buffer("in"), format_named(matrix.component).nbytes
    where = builder.region(buffer, -(-structs * function.struct_bytes // LINE) * LINE) // width
    load = LoadTensor(matrix.name, buffer, where, tensor, data=builder.name("T"), decode=function)
    builder.add(load, store(builder, matrix))
    return builder.draft("distinct", batch=2)


def _fits(row: Row[Any], caps: CoopMatCaps, axis: str, name: str) -> bool:
    if not has(caps, DECODING):
        return False
    # What wraps is no number that a float could hold.
    return not (axis == "decode-function" and name == "echo-wraps" and "float" in row.tags)


DECODING_LOADS = Array(
    name="decoding",
    focus=("NVCM2-DECODE-ADDR", "NVCM2-BLOCK"),
    axes={
        "decode-struct-bytes": tuple(STRUCTS),
        "decode-function": ("echo-wraps", "nibbles-minus-other"),
        "block-size": tuple(BLOCKS),
    },
    build=_decoded,
    rows=("shared",),
    fits=_fits,
)
"""One load with a decode function."""
