"""Sums in buffers of which no two add to one element at a time: nothing says that they are atomic (LINALG-AMB-09)."""

from __future__ import annotations

from mmaspec.programs.hlsl_linalg.caps import AtomicSum
from mmaspec.programs.hlsl_linalg.program import Barrier, Branch, Instruction, Load, Repeat
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.hlsl_linalg.builder.accesses import Style, accumulate, load, store
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder
from mmaspec.strategies.hlsl_linalg.templates.parts import (
    Context,
    answer_of,
    drawn,
    scope_of,
    several,
    sums_are_judged,
)
from mmaspec.strategies.hlsl_linalg.templates.sums import replace_load, sum_regime


def add_apart(context: Context) -> Draft | None:
    """An accumulator added to what lies in a buffer, once or several times with barriers between."""
    draw = context.choices
    answer: AtomicSum = answer_of(context)
    b = ProgramBuilder(context, several(draw))
    matrix = drawn(b, "C", answer.component, "Accumulator", scope_of(draw))
    if matrix is None or not sums_are_judged(answer.component):
        return None
    source, total = b.room("in", read_only=draw.chance(50)), b.room("sum")
    before = b.matrix("D", answer.component, (matrix.m, matrix.n), "Accumulator", matrix.scope)
    added = accumulate(b, matrix, total, Style(own=True))
    there = Load("D", total, added.offset, added.stride, added.layout, added.align, "D")
    body: list[Instruction] = [load(b, matrix, source), there, Barrier()]
    shape = draw.weighted(((4, "once"), (2, "twice"), (2, "loop"), (1, "branch")))
    if shape == "loop":
        body.append(Repeat(draw.integer(2, 3), (added, Barrier())))
    elif shape == "branch" and b.waves > 1 and matrix.scope == "Wave":
        body.append(Branch(0, (added,), draw.integer(1, b.waves - 1)))
    else:
        body += [added, *([Barrier(), added] if shape == "twice" else [])]
    if draw.chance(50):
        body += [Barrier(), replace_load(there), store(b, before, b.room("out"))]
    return b.draft(body, sum_regime(draw, answer.component, many=shape in ("twice", "loop")))
