"""The valid draft that near misses start from."""

from __future__ import annotations

from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    CONSTANT,
    ROW_MAJOR,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    LoadTensor,
    SetDimension,
    SetStride,
    Slice,
    StoreTensor,
)
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import TENSORS, has
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store
from mmaspec.strategies.nv_coopmat2.templates.tensors import base, small_offset


def near_miss_base(context: DrawContext[CoopMatCaps]) -> Draft:
    """A product whose C comes from a strided tensor, stored plainly and into a tensor; plainly alone without those."""
    choices = context.choices
    builder = ProgramBuilder(context, most_waves=2)
    a, b, c, d = (builder.matrix(use) for use in (USE_A, USE_B, USE_ACCUMULATOR, USE_ACCUMULATOR))
    if not has(context.caps, TENSORS):
        builder.add(*(load(builder, matrix, layout=ROW_MAJOR) for matrix in (a, b, c)))
        builder.add(builder.mul_add(d, a, b, c), store(builder, d, layout=ROW_MAJOR))
        return builder.draft("small", batch=1)
    offset, inner = small_offset(builder), choices.integer(1, 2)
    sizes = (offset[0] + c.rows, offset[1] + c.cols + choices.integer(0, 2))
    outer = sizes[1] * inner + choices.integer(0, 5)
    tensor = builder.layout(
        (SetDimension(sizes), SetStride((outer, inner)), Slice(offset, (c.rows, c.cols))), mode=CONSTANT
    )
    elements = sizes[0] * outer
    where = base(builder, "in", c, elements)
    there = base(builder, "out", d, elements, copies=builder.waves)
    builder.add(
        load(builder, a, layout=ROW_MAJOR),
        load(builder, b, layout=ROW_MAJOR),
        LoadTensor(c.name, "in", where, tensor, data=builder.name("T")),
        builder.mul_add(d, a, b, c),
        store(builder, d, layout=ROW_MAJOR),
        StoreTensor(d.name, "out", there, tensor),
    )
    return builder.draft("small", batch=1)
