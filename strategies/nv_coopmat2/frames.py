"""Frames (instructions around a draft, which must not matter) and free programs (a few parts at random)."""

from __future__ import annotations

from math import lcm

from msgspec.structs import replace

from mmaspec.programs.base import Affine, Buffer, Literal
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import Instruction, Load, LoadTensor, Repeat, Splat, Store
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder, with_program
from mmaspec.strategies.nv_coopmat2.templates import parts
from mmaspec.strategies.nv_coopmat2.templates.regimes import mixed
from mmaspec.strategies.nv_coopmat2.templates.tensors import OLD_BITS

FRAME = "frame"
"""Name of the frame's own matrix and buffer."""


def frame(context: DrawContext[CoopMatCaps], draft: Draft) -> Draft:
    """Splats under loads that overwrite them, and a matrix of the frame's own that is stored in between."""
    choices = context.choices
    program = draft.program
    kind = choices.one_of(program.matrices)
    own = replace(kind, name=FRAME)
    width = format_named(own.component).nbytes
    unit = lcm(LINE, min(LINE, own.cols * width))
    line = -(-own.cols * width // unit) * unit
    extent = own.rows * line
    first = choices.integer(1, 3) * unit
    offset = Affine(first // width, extent // width if program.waves > 1 else 0)
    stored = Store(FRAME, FRAME, offset, line // width)
    body: list[Instruction] = [Splat(FRAME, Literal(OLD_BITS[own.component]))]
    between = choices.integer(0, len(program.body) - 1)
    loaded: set[str] = set()
    for number, instruction in enumerate(program.body):
        if isinstance(instruction, Load | LoadTensor) and instruction.matrix not in loaded:
            component = program.matrix(instruction.matrix).component
            if choices.chance(60):
                body.append(Splat(instruction.matrix, Literal(OLD_BITS[component])))
            loaded.add(instruction.matrix)
        body.append(instruction)
        if number == between:
            body.append(stored)
            if choices.chance(50) and not isinstance(instruction, Repeat):
                body.append(Splat(FRAME, Literal(OLD_BITS[own.component] >> 1)))
    framed = replace(
        program,
        buffers=(*program.buffers, Buffer(FRAME, 0)),
        matrices=(*program.matrices, own),
        body=tuple(body),
    )
    return with_program(draft, framed)


def free(context: DrawContext[CoopMatCaps]) -> Draft:
    """Two or three parts at random, at most about ten instructions."""
    choices = context.choices
    builder = ProgramBuilder(context, most_waves=3)
    for _ in range(choices.integer(2, 3)):
        choices.one_of(parts(context))(builder)
    return builder.draft(mixed(context))
