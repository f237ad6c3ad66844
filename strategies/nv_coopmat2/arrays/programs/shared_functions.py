"""Functions that several operations call, for matrices of other types and shapes in one program."""

from __future__ import annotations

from mmaspec.oracle.nv_coopmat2.caps_support import other_kinds
from mmaspec.oracle.nv_coopmat2.program_support import beside
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    REDUCE_COLUMN,
    REDUCE_ROW,
    USE_A,
    USE_ACCUMULATOR,
    USE_B,
    Combine,
    Decode,
    Echo,
    ElementFunction,
    LoadTensor,
    Matrix,
    PerElement,
    Reduce,
    SetDimension,
    Simple,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.builder.program import ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import DECODING, PER_ELEMENT, REDUCING, has
from mmaspec.strategies.nv_coopmat2.templates.operations import like
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store

MASKS = (REDUCE_ROW, REDUCE_COLUMN)


def _one_of_each(builder: ProgramBuilder) -> tuple[Matrix, ...]:
    """An A, a B and an accumulator."""
    return tuple(builder.matrix(use) for use in (USE_A, USE_B, USE_ACCUMULATOR))


def _others(builder: ProgramBuilder) -> tuple[Matrix, ...]:
    """An accumulator of another type, where there is one in the same size."""
    c = builder.matrices[2]
    kinds = other_kinds(beside(builder.caps, builder.entry), c)
    return (builder.typed(kinds[0], c.rows, c.cols, c.use),) if kinds else ()


def _decoded(builder: ProgramBuilder, matrix: Matrix, decode: Decode) -> list[Simple]:
    """A load of the structs that the function decodes, in a buffer of its own, and a store."""
    tensor = builder.layout((SetDimension((matrix.rows, matrix.cols)),))
    name = builder.name("structs")
    builder.used[name] = matrix.rows * matrix.cols * decode.struct_bytes
    return [LoadTensor(matrix.name, name, 0, tensor, data=builder.name("V"), decode=decode), store(builder, matrix)]


def _shared(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    """Functions with the types by name, each in two operations where two matrices fit."""
    builder = ProgramBuilder(context, most_waves=1)
    named = chosen["types"] == "named"
    decoding = Echo(4, (16, 1), (1, 1), byte=1)
    for x in (*_one_of_each(builder), *_others(builder)):
        use, y = x.use, like(builder, x)
        own = x.component if named else None
        builder.add(load(builder, x), load(builder, y))
        steps: list[PerElement | Reduce] = []
        if has(builder.caps, PER_ELEMENT):
            function = ElementFunction("select", own, (own,), own)
            steps += [PerElement("", x.name, function, (y.name,)), PerElement("", y.name, function, (x.name,))]
        if has(builder.caps, DECODING):
            builder.add(*_decoded(builder, like(builder, x), decoding))
        if use == USE_ACCUMULATOR and has(builder.caps, REDUCING):
            combine = Combine("max", (own, own), own)
            steps += [Reduce("", one.name, mask, combine) for one, mask in zip((x, y), MASKS, strict=True)]
        for step in steps:
            result = like(builder, x)
            made = type(step)(result.name, *(getattr(step, field) for field in step.__struct_fields__[1:]))
            builder.add(made, store(builder, result))
    return builder.draft("operands", batch=2)


SHARED_FUNCTIONS = Array(
    name="shared-functions",
    focus=("NVCM2-PERELEM", "NVCM2-REDUCE-ROW"),
    axes={"types": ("left", "named")},
    build=_shared,
    rows=("fixed",),
    costly=("types=left",),
)
"""Functions that several operations call, for other types and shapes in one program."""
