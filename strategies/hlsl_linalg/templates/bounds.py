"""Families of programs in which matrices and vectors leave their buffers, at every edge."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.programs.base import Affine, RunTime
from mmaspec.programs.hlsl_linalg.components import ComponentType
from mmaspec.programs.hlsl_linalg.program import (
    Barrier,
    Instruction,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Store,
)
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.hlsl_linalg.builder.accesses import Style, accumulate, lines_of, load, store
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder
from mmaspec.strategies.hlsl_linalg.builder.shared_arrays import OWN, held
from mmaspec.strategies.hlsl_linalg.builder.vectors import vector_accumulate, vector_bytes, vector_load, vector_store
from mmaspec.strategies.hlsl_linalg.templates.parts import USES, Context, answer_of, drawn, moving_regime, scope_of

EDGES = ("just inside", "last word", "end of a line", "last line", "half", "first word", "all", "far", "at the top")
"""What lies outside: nothing, the last word and so on to everything; or the offset is near 2^32."""
WORD = 4
FAR = 1 << 31
TOP = 1 << 32
"""Offsets are below it; what lies beyond it is outside (LINALG-AMB-19)."""
ALLOCATION = 256
"""What the address of an allocation is a multiple of."""

MATRIX = 128
"""What the address of a matrix is a multiple of."""

Access = Load | Store | InterlockedAccumulate


def load_outside(context: Context) -> Draft | None:
    """Loads of which a part lies outside the buffer: zeros there, or zeros everywhere."""
    draw = context.choices
    b = ProgramBuilder(context, draw.weighted(((3, 1), (1, 2))))
    component: ComponentType = answer_of(context).component
    target = b.room("out")
    body: list[Instruction] = []
    ends: dict[str, int] = {}
    for number, (use, name) in enumerate(draw.one_of((USES[:2], USES[1:], USES[:1], USES[2:]))):
        matrix = drawn(b, name, component, use, scope_of(draw))
        if matrix is None:
            continue
        source = b.room(f"in-{number}", read_only=draw.chance(50))
        cut = draw.one_of(EDGES)
        style = Style(own=None if cut in EDGES[:3] else False, run_time=0)
        loaded, ends[source] = _cut(b, load(b, matrix, source, style), cut)
        body += [loaded, store(b, matrix, target)]
    return _ended(b.draft(body, moving_regime(draw)), ends) if body else None


def store_outside(context: Context) -> Draft | None:
    """Stores of which a part lies outside the buffer: nothing is stored there, or nothing at all."""
    draw = context.choices
    b = ProgramBuilder(context, draw.weighted(((3, 1), (1, 2))))
    component: ComponentType = answer_of(context).component
    source = b.room("in", read_only=draw.chance(50))
    body: list[Instruction] = []
    ends: dict[str, int] = {}
    for number, (use, name) in enumerate(draw.one_of((USES[:2], USES[1:], USES[:1], USES[2:]))):
        matrix = drawn(b, name, component, use, scope_of(draw))
        if matrix is None:
            continue
        target = b.room(f"out-{number}")
        stored, ends[target] = _cut(b, store(b, matrix, target, Style(run_time=0)), draw.one_of(EDGES))
        whole = store(b, matrix, b.room(f"whole-{number}"))
        body += [load(b, matrix, source), stored, whole]
    return _ended(b.draft(body, moving_regime(draw)), ends) if body else None


def sum_outside(context: Context) -> Draft | None:
    """Sums of matrices of which a part lies outside the buffer, whose first part holds data."""
    draw = context.choices
    b = ProgramBuilder(context, draw.weighted(((3, 1), (1, 2))))
    component: ComponentType = answer_of(context).component
    source, total = b.room("in", read_only=draw.chance(50)), b.room("sum")
    matrix = drawn(b, "C", component, "Accumulator", scope_of(draw))
    if matrix is None:
        return None
    before = b.matrix("D", component, (matrix.m, matrix.n), "Accumulator", matrix.scope)
    added, end = _cut(b, accumulate(b, matrix, total, Style(own=True, run_time=0)), draw.one_of(EDGES))
    body: list[Instruction] = [load(b, matrix, source)]
    # What lies there before is loaded, which checks the same bounds.
    body += [Load(before.name, total, added.offset, added.stride, added.layout, data="D"), Barrier(), added]
    body.append(store(b, matrix, b.room("out")))
    return _ended(b.draft(body, "small" if draw.chance(50) else "normal"), {total: end})


def vector_sum_outside(context: Context) -> Draft | None:
    """Sums of vectors of which a part lies outside the buffer; each thread's own, or all in one place."""
    draw = context.choices
    b = ProgramBuilder(context)
    component: ComponentType = answer_of(context).component
    if component not in OWN:
        return None
    source, total = b.room("in", read_only=draw.chance(50)), b.room("sum")
    vector = b.vector("x", component, draw.integer(2, 24))
    added = vector_accumulate(b, vector, total, own=draw.chance(60), run_time=0)
    body: list[Instruction] = [vector_load(b, vector, source)]
    size, last = vector_bytes(vector), b.rooms[total].used
    first = added.offset.base if isinstance(added.offset, Affine) else added.offset
    assert isinstance(first, int)
    cut = draw.one_of(("last word", "half of the last", "last", "half", "all", "far"))
    if cut == "far" and first == added.offset:
        added = replace(added, offset=first + FAR)
    end = {"last word": last - WORD, "half of the last": last - size // 2, "last": last - size, "all": first}.get(cut)
    kept = ((first + last) // 2 if end is None else end) // WORD * WORD
    b.rooms[total].used = max(kept, WORD)
    if kept > first:
        body += [held(b, component, total, first, kept - first), Barrier()]
    body += [added, vector_store(b, vector, b.room("out"))]
    draft = b.draft(body, draw.one_of(("small", "normal")))
    return _ended(draft, {total: max(kept, WORD)})


def _cut(b: ProgramBuilder, access: Access, edge: str) -> tuple[Access, int]:
    """The access, which has a buffer for itself, with an offset for that edge; and where its buffer ends then."""
    room, matrix = b.rooms[access.memory], next(one for one in b.matrices if one.name == access.matrix)
    lines, line = lines_of(matrix, access.layout)
    stride, offset, last = access.stride, access.offset, room.used
    assert isinstance(stride, int)
    assert not isinstance(offset, RunTime)
    first = offset if isinstance(offset, int) else offset.base
    begin = last - (lines - 1) * stride - line
    if isinstance(offset, int):
        if edge == "far":
            offset = FAR + first % max(MATRIX, access.align)
        elif edge == "at the top":
            offset = (TOP - 1 + room.base) // ALLOCATION * ALLOCATION - room.base
        access = replace(access, offset=b.argument(offset, 20))
    end = {
        "just inside": last + -last % WORD,
        "last word": last + -last % WORD - WORD,
        "end of a line": last - line // 2,
        "last line": last - line,
        "half": (begin + last) // 2,
        "first word": begin + WORD,
        "all": first,
    }.get(edge, last)
    return access, max(end // WORD * WORD, WORD)


def _ended(draft: Draft, ends: dict[str, int]) -> Draft:
    """The draft with buffers that end there."""
    program: LinalgProgram = draft.program
    buffers = tuple(
        replace(buffer, size=ends[buffer.name]) if buffer.name in ends else buffer for buffer in program.buffers
    )
    return Draft(replace(program, buffers=buffers), draft.regime, draft.batch, draft.words)
