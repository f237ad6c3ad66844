"""Decode functions in blocks of sizes at powers of two and beside them, which a slice divides where they meet."""

from __future__ import annotations

from math import prod
from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Buffer
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    CONSTANT,
    Decode,
    Echo,
    LoadTensor,
    Matrix,
    Nibbles,
    ScaleAndBytes,
    SetBlockSize,
    SetDimension,
    Slice,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.programs.plain_numbers import drafted
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import DECODING, has
from mmaspec.strategies.nv_coopmat2.templates.operations import like
from mmaspec.strategies.nv_coopmat2.templates.plain import store

_BITS = (3, 4, 5, 6, 7, 8, 15, 16)

BLOCKS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "to-4-bits": 12,
    "to-5-bits": 20,
    "to-6-bits": 48,
    "to-7-bits": 100,
    "to-8-bits": 200,
    "to-15-bits": 1000,
    "to-16-bits": 50_000,
} | {
    f"{side}-2-{bits}": (1 << bits) + more for bits in _BITS for side, more in (("below", -1), ("at", 0), ("above", 1))
}
"""Class of ``block-size`` -> values along the long side of a block."""

_LARGE = tuple(name for name, size in BLOCKS.items() if size > 1 << 7)
"""Blocks of so many values that their data take long to draw."""

FUNCTIONS = ("echo", "echo-nothing", "echo-one", "scale-and-bytes", "nibbles")
HUGE = {"four": 4, "huge": 1 << 16}
"""Bytes of a struct of which only the first is read."""


def _function(builder: ProgramBuilder, chosen: Chosen, blocks: tuple[int, ...]) -> Decode:
    name, rank = chosen["function"], len(blocks)
    nbytes = HUGE[chosen["struct"]]
    if name == "scale-and-bytes":
        return ScaleAndBytes(2 + prod(blocks) + prod(blocks) % 2, blocks)
    if name == "nibbles":
        return Nibbles(-(-prod(blocks) // 2), blocks, builder.choices.one_of((0, 8, 3)))
    if name == "echo-nothing":
        return Echo(nbytes, (0,) * rank, (0,) * rank)
    if name == "echo-one":
        weights = [0] * (2 * rank)
        weights[builder.choices.integer(0, 2 * rank - 1)] = 1
        return Echo(nbytes, tuple(weights[:rank]), tuple(weights[rank:]))
    return Echo(nbytes, (64, 128, 256)[:rank], (16, 3, 1)[-rank:], byte=1)


def _placed(matrix: Matrix, chosen: Chosen, size: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Blocks, and the spans of a slice."""
    spans = (matrix.rows, matrix.cols)
    shape = chosen["shape"]
    if shape == "middle":
        return (1, size, 1), (1, *spans)
    if shape == "outer":
        return (size, 1), spans
    if shape == "rectangle":
        return (2, size), spans
    return (1, size), spans


def _decoded(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    matrix = builder.any_matrix()
    blocks, spans = _placed(matrix, chosen, BLOCKS[chosen["block-size"]])
    function = _function(builder, chosen, blocks)
    # The slice starts so far inside a block that its middle is the end of that block.
    inside = chosen["slice"] == "across"
    offsets = tuple(
        (max(block - span // 2, 1) % block if inside else 0) for block, span in zip(blocks, spans, strict=True)
    )
    sizes = tuple(
        -(-(offset + span) // block) * block for offset, span, block in zip(offsets, spans, blocks, strict=True)
    )
    structs = prod(size // block for size, block in zip(sizes, blocks, strict=True))
    calls = (SetBlockSize(blocks), SetDimension(sizes), Slice(offsets, spans))
    tensor = builder.layout(calls, rank=len(blocks), mode=CONSTANT)
    view = builder.view(rank=len(blocks)) if chosen["decode-and-view"] == "identity" else None
    nbytes = structs * function.struct_bytes
    name = builder.name("T")
    load = LoadTensor(matrix.name, "blocks", 0, tensor, data=name, view=view, decode=function)
    builder.add(load, store(builder, matrix))
    if chosen["function-sharing"] == "shared":
        again = like(builder, matrix)
        other = LoadTensor(again.name, "blocks", 0, tensor, data=name, decode=function)
        builder.add(other, store(builder, again))
    width = format_named(matrix.component).nbytes
    return drafted(builder, (Buffer("blocks", -(-nbytes // LINE) * LINE + LINE * width, 64),), chosen["data"])


def _fits(row: Row[Any], caps: CoopMatCaps, _: str, __: str) -> bool:
    return has(caps, DECODING) and "float" in row.tags


DECODING_BLOCKS = Array(
    name="decoding-blocks",
    focus=("NVCM2-DECODE-ADDR", "NVCM2-BLOCK"),
    axes={
        "block-size": tuple(BLOCKS),
        "shape": ("inner", "outer", "middle", "rectangle"),
        "function": FUNCTIONS,
        "slice": ("across", "start"),
        "decode-and-view": ("none", "identity"),
        "function-sharing": ("one", "shared"),
        "struct": tuple(HUGE),
        "data": ("distinct", "limits", "nan-kinds"),
    },
    build=_decoded,
    rules=(
        "shape=rectangle with block-size=one",
        "struct=huge with function=scale-and-bytes|nibbles",
        "struct=huge with shape=outer",
        "struct=huge with block-size=one|two|three",
        "data=limits|nan-kinds with function=echo|echo-nothing|echo-one|nibbles",
        f"data=limits|nan-kinds with block-size={'|'.join(name for name, size in BLOCKS.items() if size > 33)}",
        f"function=scale-and-bytes|nibbles with block-size={'|'.join(_LARGE)}",
        f"function=echo-nothing|echo-one with block-size={'|'.join(name for name in BLOCKS if name not in _LARGE)}",
    ),
    rows=("shared",),
    fits=_fits,
    costly=("struct=huge", "shape=middle", "shape=rectangle", "function=echo-nothing|echo-one"),
)
"""One load with a decode function, or two with the same one."""
