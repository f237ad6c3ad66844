"""Programs in which lanes disagree about a branch, and threads outside it keep what they have."""

from __future__ import annotations

from mmaspec.programs.hlsl_linalg.program import Branch, Instruction, MultiplyVector, Simple, VectorLoad
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.hlsl_linalg.builder.vectors import vector_load, vector_store
from mmaspec.strategies.hlsl_linalg.templates.parts import Context
from mmaspec.strategies.hlsl_linalg.templates.vectors import made, vector_regime


def thread_flow(context: Context) -> Draft | None:
    """A result that every thread has from memory and some lanes, of all waves or the first ones, multiply anew."""
    p = made(context)
    if p is None:
        return None
    b, draw = p.builder, context.choices
    first = min(b.wave_size, b.group)
    if first == 1:
        return None
    given, kept, target = b.room("in", read_only=draw.chance(50)), b.room("kept"), b.room("out")
    source, loads = p.source(given, direct=draw.chance(70))
    result = b.vector("y", p.answer.result, p.matrix.m)
    inside: list[Simple] = [MultiplyVector("y", "M", source.name)]
    if draw.chance(30) and isinstance(loads[-1], VectorLoad):
        # The factor as well is new inside alone, and everybody's afterwards.
        inside.insert(0, vector_load(b, source, given, data="again"))
    lanes = draw.integer(1, first - 1)
    body: list[Instruction] = [*p.before, *loads, vector_load(b, result, kept, own=True)]
    body += [Branch(lanes, tuple(inside), draw.integer(0, b.waves)), vector_store(b, result, target)]
    if len(inside) > 1 or draw.chance(20):
        body.append(vector_store(b, source, target))
    return b.draft(body, vector_regime(draw, p.answer))
