"""Decode functions that are told coordinates of every magnitude, in layouts of every rank."""

from __future__ import annotations

from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import CONSTANT, USE_ACCUMULATOR, Echo, LoadTensor, Matrix
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.arrays.magnitudes.placing import (
    FAR_ROOM,
    LINE,
    ROOM,
    FarRoom,
    Footprint,
    footprint,
    with_windows,
)
from mmaspec.strategies.nv_coopmat2.arrays.magnitudes.shapes import Shape, setters
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import DECODING, has
from mmaspec.strategies.nv_coopmat2.templates.plain import store

RANKS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
"""Class of ``tensor-rank`` -> dimensions."""
BLOCKS = {
    "to-255": 16, "to-4095": 256, "to-32767": 4096, "to-65535": 32768, "beyond-16-bits": 65536,
    "beyond-24-bits": 1 << 24,
}  # fmt: skip
"""Class of ``told-block-coordinate`` -> its least number."""
WITHIN = {"zero": 0, "to-15": 1, "to-255": 16, "to-4095": 256, "to-65535": 4096, "beyond-16-bits": 65536}
"""Class of ``told-within-coordinate`` -> its least number."""
TRIES = 12


def _number(choices: Choices, least: int) -> int:
    """One of the class that begins there, near its start: in the same class, and odd or even."""
    return choices.integer(least, least + max(2, least // 3)) if least else 0


def _shape(choices: Choices, rank: int, axis: int, block: int, within: int) -> Shape:
    """A layout of which a slice has ``block`` and ``within`` as its largest coordinates in dimension ``axis``."""
    extent = within + choices.integer(1, 3) if within else 1
    last = block * extent + within
    most = within + 1 if within else block + 1
    spans = [choices.integer(2, 4) for _ in range(rank)]
    spans[axis] = min(most, choices.integer(2, 3) if rank > 1 else 24)
    offsets = [choices.integer(0, 2) for _ in range(rank)]
    offsets[axis] = last + 1 - spans[axis]
    sizes = [offset + span + choices.integer(0, 1) for offset, span in zip(offsets, spans, strict=True)]
    blocks = [choices.one_of((1, 1, 2)) if within else 1 for _ in range(rank)]
    blocks[axis] = extent
    return Shape(tuple(sizes), CONSTANT, tuple(offsets), tuple(spans), blocks=tuple(blocks))


def _axis(choices: Choices, name: str, rank: int) -> int:
    """The dimension of a class of ``told-dimension``."""
    return {"only": 0, "outermost": 0, "innermost": rank - 1}.get(name, choices.integer(1, max(1, rank - 2)))


def _built(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder: ProgramBuilder = ProgramBuilder(context, most_waves=1)
    matrix, choices = builder.matrix(USE_ACCUMULATOR), builder.choices
    rank = RANKS[chosen["tensor-rank"]]
    axis = _axis(choices, chosen["told-dimension"], rank)
    for _ in range(TRIES):
        block = _number(choices, BLOCKS[chosen["told-block-coordinate"]])
        within = _number(choices, WITHIN[chosen["told-within-coordinate"]])
        shape = _shape(choices, rank, axis, block, within)
        # No weight is 0: every coordinate that is told shows. Small ones, so that single floats hold the sums.
        weights = tuple(choices.integer(1, 3) for _ in range(rank))
        inside = tuple(choices.integer(1, 5) for _ in range(rank))
        function = Echo(choices.integer(1, 3), weights, inside, byte=choices.integer(0, 1))
        found = footprint(shape, matrix, function, store=False, room=FAR_ROOM)
        if found is not None:
            return _loaded(builder, shape, matrix, function, found)
    return None


def _loaded(builder: ProgramBuilder, shape: Shape, matrix: Matrix, function: Echo, found: Footprint) -> Draft:
    """The load with its buffer; a sparse one where it has to reach far."""
    room = FarRoom(FAR_ROOM)
    base = LINE * builder.choices.integer(0, 3)
    room.take(found.taken, base)
    builder.used["told"] = room.end
    share = builder.choices.one_of((0, 0, 50, 100))
    tensor = builder.layout(setters(builder, shape, share), rank=shape.rank, mode=shape.mode)
    load = LoadTensor(matrix.name, "told", base, tensor, "uint8_t", builder.name("T"), decode=function)
    builder.add(load, store(builder, matrix))
    return with_windows(builder.draft("distinct", batch=1), {"told": room} if room.end > ROOM else {})


def _fits(row: Row[Any], caps: CoopMatCaps, _axis: str, _name: str) -> bool:
    # Of a narrow integer only the lowest bits of what is told could be seen.
    return has(caps, DECODING) and not row.tags.isdisjoint({"acc-f32", "acc-s32", "acc-u32"})


TOLD_COORDINATES = Array(
    name="told-coordinates",
    focus=("NVCM2-DECODE-ADDR", "NVCM2-BLOCK"),
    axes={
        "told-block-coordinate": tuple(BLOCKS),
        "told-within-coordinate": tuple(WITHIN),
        "tensor-rank": tuple(RANKS),
        "told-dimension": ("only", "outermost", "between", "innermost"),
    },
    build=_built,
    rules=(
        "tensor-rank=one with told-dimension=outermost|between|innermost",
        "tensor-rank=two with told-dimension=only|between",
        "tensor-rank=three|four|five with told-dimension=only",
        # Sizes have 31 bits.
        "told-block-coordinate=beyond-24-bits with told-within-coordinate=to-255|to-4095|to-65535|beyond-16-bits",
        "told-block-coordinate=to-65535|beyond-16-bits with told-within-coordinate=beyond-16-bits",
    ),
    rows=("shared",),
    fits=_fits,
)
"""One load that tells an accumulator where everything lies."""
