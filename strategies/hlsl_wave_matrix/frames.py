"""Frames (instructions around a draft, which must not matter) and free programs (random, valid and defined)."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import Instruction, Matrix, Multiply, MultiplyAccumulate, Repeat, Simple
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.builder.program import ONE_OF_EACH, ProgramBuilder, Style

QUIET = Style(run_time=0)

LONGEST = 10
"""Most instructions of a random program, its last Store not counted."""


def frame(context: DrawContext[WaveMmaCaps], draft: Draft) -> Draft:
    """The draft's program with fills that it overwrites, a matrix moved meanwhile, and a second product."""
    choices = context.choices
    program = draft.program
    builder = ProgramBuilder(context, program.waves)
    source = builder.room("frame-in", read_only=choices.chance(50))
    target = builder.room("frame-out")
    body: list[Instruction] = list(program.body)

    # A product of the same operands into another accumulator must leave theirs alone.
    places = [n for n, i in enumerate(body) if isinstance(i, Multiply | MultiplyAccumulate)]
    if places:
        found = choices.one_of(places)
        product = body[found]
        assert isinstance(product, Multiply | MultiplyAccumulate)
        other = builder.matrix("accumulator", "frame-C")
        body[found + 1 : found + 1] = [
            builder.load(other, source, QUIET),
            builder.product(other.name, product.left, product.right),
            builder.store(other, target, QUIET),
        ]

    # A matrix that is loaded early and stored late.
    moved = builder.matrix(choices.one_of(ONE_OF_EACH)[0], "frame-X")
    early = choices.integer(0, len(body) - 1)
    body.insert(early, builder.load(moved, source, QUIET))
    body.insert(choices.integer(early + 1, len(body)), builder.store(moved, target, QUIET))

    # What the program writes before it reads may hold anything before.
    for matrix in program.matrices:
        if choices.chance(40):
            body.insert(0, builder.fill(matrix, literal=True))
    added = builder.draft([], draft.regime).program
    framed = replace(
        program,
        buffers=(*program.buffers, *added.buffers),
        matrices=(*program.matrices, *added.matrices),
        body=tuple(body),
        read_only=(*program.read_only, *added.read_only),
    )
    return Draft(framed, draft.regime, draft.batch, draft.words)


def free(context: DrawContext[WaveMmaCaps]) -> Draft:
    """Up to ten instructions on two matrices of each kind, each written before it is read."""
    choices = context.choices
    builder = ProgramBuilder(context, choices.weighted(((3, 1), (1, 2))))
    for kind, name in ONE_OF_EACH:
        builder.matrix(kind, name)
        builder.matrix(kind, f"{name}2")
    builder.room("in", read_only=choices.chance(50))
    builder.room("out")
    written: list[Matrix] = []
    body: list[Instruction] = []
    for _ in range(choices.integer(4, LONGEST)):
        if choices.chance(15):
            body.append(_loop(builder, written))
        else:
            body.append(_any(builder, written))
    body.append(builder.store(choices.one_of(written), "out"))
    regimes = ("small", "wild") if "int" in context.row.tags else ("window", "window", "normal", "specials")
    return builder.draft(body, choices.one_of(regimes), batch=builder.shape.batch // 4)


def _loop(builder: ProgramBuilder, written: list[Matrix]) -> Instruction:
    builder.passes = builder.choices.integer(2, 3)
    nested = tuple(_any(builder, written) for _ in range(builder.choices.integer(1, 3)))
    count, builder.passes = builder.passes, 1
    return Repeat(count, nested)


def _any(builder: ProgramBuilder, written: list[Matrix]) -> Simple:
    draw = builder.choices
    kinds = {kind: [m for m in written if m.kind == kind] for kind in ("left", "right", "accumulator")}
    options = [(3, "load")]
    if written:
        # Not before something was loaded: a program needs data.
        options += [(1, "fill"), (2, "store")]
    if all(kinds.values()):
        options.append((5, "product"))
    what = draw.weighted(options)
    if what == "store":
        return builder.store(draw.one_of(written), "out")
    if what == "product":
        left, right, total = (draw.one_of(kinds[kind]).name for kind in ("left", "right", "accumulator"))
        return builder.product(total, left, right)
    # What is not written yet comes first, so that products are soon possible.
    fresh = [matrix for matrix in builder.matrices if matrix not in written]
    matrix = draw.one_of(fresh if fresh and draw.chance(75) else builder.matrices)
    if matrix not in written:
        written.append(matrix)
    if what == "fill":
        return builder.fill(matrix)
    return builder.load(matrix, "in", data=f"{matrix.name}-{builder.rooms['in'].used}")
