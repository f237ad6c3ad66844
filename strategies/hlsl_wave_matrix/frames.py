"""Unrelated and overwritten instructions around and between those of a draft."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.oracle.spec import Row
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import Instruction, Multiply, MultiplyAccumulate
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.hlsl_wave_matrix.builder import ONE_OF_EACH, Sheet, Style, shape_of

QUIET = Style(run_time=0)


def frame(choices: Choices, row: Row, caps: WaveMmaCaps, draft: Draft) -> Draft:
    """The draft's program with fills that it overwrites, a matrix moved meanwhile, and a second product."""
    program = draft.program
    sheet = Sheet(choices, shape_of(row, caps), program.waves)
    source = sheet.room("frame-in", read_only=choices.chance(50))
    target = sheet.room("frame-out")
    body: list[Instruction] = list(program.body)

    # A product of the same operands into another accumulator must leave theirs alone.
    places = [n for n, i in enumerate(body) if isinstance(i, Multiply | MultiplyAccumulate)]
    if places:
        found = choices.one_of(places)
        product = body[found]
        assert isinstance(product, Multiply | MultiplyAccumulate)
        other = sheet.matrix("accumulator", "frame-C")
        body[found + 1 : found + 1] = [
            sheet.load(other, source, QUIET),
            sheet.product(other.name, product.left, product.right),
            sheet.store(other, target, QUIET),
        ]

    # A matrix that is loaded early and stored late.
    moved = sheet.matrix(choices.one_of(ONE_OF_EACH)[0], "frame-X")
    early = choices.integer(0, len(body) - 1)
    body.insert(early, sheet.load(moved, source, QUIET))
    body.insert(choices.integer(early + 1, len(body)), sheet.store(moved, target, QUIET))

    # What the program writes before it reads may hold anything before.
    for matrix in program.matrices:
        if choices.chance(40):
            body.insert(0, sheet.fill(matrix, literal=True))
    added = sheet.draft([], draft.regime).program
    framed = replace(
        program,
        buffers=(*program.buffers, *added.buffers),
        matrices=(*program.matrices, *added.matrices),
        body=tuple(body),
        read_only=(*program.read_only, *added.read_only),
    )
    return Draft(framed, draft.regime, draft.batch, draft.words)
