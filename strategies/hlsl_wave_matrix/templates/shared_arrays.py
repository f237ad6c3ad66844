"""Families of programs about groupshared arrays."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.addresses import element_bytes
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import (
    Barrier,
    Instruction,
    Matrix,
    MatrixKind,
    MultiplyAccumulate,
    Repeat,
    Simple,
)
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.builder.program import ProgramBuilder
from mmaspec.strategies.hlsl_wave_matrix.builder.shared_arrays import GROUP_BYTES, SharedRoom, fitting

EVERY_KIND: tuple[tuple[MatrixKind, str], ...] = (
    ("left", "A"),
    ("right", "B"),
    ("accumulator", "C"),
    ("left-col-acc", "L"),
    ("right-row-acc", "R"),
)


def shared_move(context: DrawContext[WaveMmaCaps]) -> Draft | None:
    """Matrices loaded from arrays that were staged, and stored to arrays that are staged out: every kind, in turn.

    What is stored to was staged as well, so that what lies beside the stored elements has to come out as it went in.
    """
    choices = context.choices
    builder = ProgramBuilder(context, choices.weighted(((2, 1), (1, 2))))
    source, target = builder.room("in", read_only=choices.chance(50)), builder.room("out")
    # Of large matrices one factor; then those that leave half of the memory to the ones that follow.
    small = builder.shape.m * builder.shape.n <= 1024
    chosen = EVERY_KIND if small else (EVERY_KIND[choices.integer(0, 1)], *EVERY_KIND[2:])
    matrices: list[Matrix] = []
    left = GROUP_BYTES // (2 * builder.waves)
    for kind, name in chosen:
        matrix = builder.matrix(kind, name)
        size = matrix.rows * matrix.cols * element_bytes(matrix)
        if 2 * size > left and not matrix.is_fragment:
            builder.matrices.remove(matrix)
            continue
        matrices.append(matrix)
        left -= size
    inward = {m.element: SharedRoom(builder, f"staged-{m.element}", m.element) for m in matrices}
    outward = {m.element: SharedRoom(builder, f"left-{m.element}", m.element) for m in matrices}
    loads = [inward[matrix.element].load(matrix) for matrix in matrices]
    stores = [outward[matrix.element].store(matrix) for matrix in matrices[:: choices.one_of((1, -1))]]
    body: list[Instruction] = [room.stage(source) for room in inward.values()]
    body += [replace(room.stage(source), data=f"beside-{room.element}") for room in outward.values()]
    body += [Barrier(), *loads, *stores, Barrier()]
    body += [room.unstage(target) for room in outward.values()]
    for room in (*inward.values(), *outward.values()):
        room.finish()
    return fitting(builder.draft(body, "distinct", batch=builder.shape.batch // 4))


def shared_product(context: DrawContext[WaveMmaCaps]) -> Draft | None:
    """A loop that stages a tile of A and B, which waves multiply; the sums go to a buffer and to an array."""
    choices = context.choices
    builder = ProgramBuilder(context, choices.weighted(((2, 2), (1, 1), (1, 3))))
    a, b, c = builder.matrix("left", "A"), builder.matrix("right", "B"), builder.matrix("accumulator", "C")
    source, target = builder.room("in", read_only=choices.chance(50)), builder.room("out")
    passes = choices.integer(2, 3)
    rooms = {m.element: SharedRoom(builder, f"tile-{m.element}", m.element) for m in (a, b)}
    loads = [rooms[m.element].load(m) for m in (a, b)]
    stages = [room.stage(source, passes) for room in rooms.values()]
    nested: tuple[Simple, ...] = (*stages, Barrier(), *loads, MultiplyAccumulate("C", "A", "B"), Barrier())
    body: list[Instruction] = [builder.load(c, source), Repeat(passes, nested), builder.store(c, target)]
    if choices.chance(50):
        out = SharedRoom(builder, "total", c.element)
        body += [out.store(c), Barrier(), out.unstage(target)]
        out.finish()
    for room in rooms.values():
        room.finish()
    draft = builder.draft(body, "small" if "int" in context.row.tags else "window")
    return fitting(Draft(draft.program, draft.regime, max(2, draft.batch // passes), draft.words))
