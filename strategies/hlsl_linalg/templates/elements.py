"""Families of programs about single elements: Length, GetCoordinate, Get and Set."""

from __future__ import annotations

from mmaspec.programs.hlsl_linalg.components import ComponentType
from mmaspec.programs.hlsl_linalg.program import Barrier, Beyond, Branch, Instruction, Matrix, Repeat
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.hlsl_linalg.builder.accesses import count_elements, load, read_elements, store, write_elements
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder, element_bytes
from mmaspec.strategies.hlsl_linalg.templates.parts import (
    USES,
    Context,
    answer_of,
    drawn,
    moving_regime,
    scope_of,
    several,
)

BESIDE = 16
"""What every thread writes of an index beyond the range."""


def get(context: Context) -> Draft | None:
    """Every element stored one by one at its coordinate, beside a store of the matrix."""
    draw = context.choices
    b = ProgramBuilder(context, several(draw))
    component: ComponentType = answer_of(context).component
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    body: list[Instruction] = []
    for use, name in draw.one_of((USES, USES[1:], USES[:2])):
        matrix = drawn(b, name, component, use, scope_of(draw))
        if matrix is None:
            continue
        steps = [read_elements(b, matrix, target)]
        body += [load(b, matrix, source), *steps]
        if draw.chance(50):
            body.append(store(b, matrix, target))
    return b.draft(body, moving_regime(draw)) if body else None


def put(context: Context) -> Draft | None:
    """Elements set one by one, all of them or some, in a matrix that was loaded or is made so."""
    draw = context.choices
    b = ProgramBuilder(context, several(draw))
    component: ComponentType = answer_of(context).component
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    body: list[Instruction] = []
    for use, name in draw.one_of((USES, USES[1:], USES[:2])):
        matrix = drawn(b, name, component, use, scope_of(draw))
        if matrix is None:
            continue
        modulo = draw.one_of((0, 1, 2, 3, 5, matrix.n, matrix.n + 1))
        keep = draw.integer(0, max(modulo - 1, 0))
        # Memory at what is kept is read all the same by no thread: its data differ from the matrix's.
        body += [load(b, matrix, source), write_elements(b, matrix, source, modulo, keep), Barrier()]
        body.append(store(b, matrix, target) if draw.chance(60) else read_elements(b, matrix, target))
    return b.draft(body, moving_regime(draw)) if body else None


def beyond(context: Context) -> Draft | None:
    """Indices from Length on: no coordinate, zero, and no effect; then the matrix as it was."""
    draw = context.choices
    b = ProgramBuilder(context, several(draw))
    component: ComponentType = answer_of(context).component
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    body: list[Instruction] = []
    for use, name in draw.one_of((USES[:1], USES[1:2], USES[2:], USES[:2], USES[1:])):
        matrix = drawn(b, name, component, use, scope_of(draw))
        if matrix is None:
            continue
        body += [load(b, matrix, source), _beyond(b, matrix, target), Barrier(), store(b, matrix, target)]
    return b.draft(body, "distinct") if body else None


def _beyond(b: ProgramBuilder, matrix: Matrix, buffer: str) -> Beyond:
    draw, size = b.choices, element_bytes(matrix.component)
    past = draw.weighted(((3, 0), (2, draw.integer(1, 7)), (1, 1 << 20), (1, 1 << 31)))
    nbytes = BESIDE * b.group
    value = draw.integer(1, (1 << 8 * min(size, 3)) - 1)
    offset = b.stepped(buffer, [("loop", b.passes)], nbytes, nbytes, 8, 10)
    return Beyond(matrix.name, buffer, offset, past, value)


def length(context: Context) -> Draft | None:
    """The lengths of all threads summed: at least the elements of the matrix, for every matrix of several waves."""
    draw = context.choices
    b = ProgramBuilder(context, several(draw))
    component: ComponentType = answer_of(context).component
    source, target, counts = b.room("in", read_only=draw.chance(50)), b.room("out"), b.room("counts")
    body: list[Instruction] = []
    for use, name in USES:
        matrix = drawn(b, name, component, use, scope_of(draw))
        if matrix is not None:
            body += [load(b, matrix, source), count_elements(b, matrix, counts), store(b, matrix, target)]
    return b.draft(body, "small") if body else None


def elements_loop(context: Context) -> Draft | None:
    """Elements set and read again in every pass of a loop, or by the waves that take a branch alone."""
    draw = context.choices
    b = ProgramBuilder(context, several(draw))
    component: ComponentType = answer_of(context).component
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    use, name = draw.one_of(USES)
    scope = scope_of(draw)
    matrix = drawn(b, name, component, use, scope)
    if matrix is None:
        return None
    begin = load(b, matrix, source)
    if scope == "Wave" and b.waves > 1 and draw.chance(50):
        some = (write_elements(b, matrix, source, draw.one_of((0, 2))), read_elements(b, matrix, target))
        body: list[Instruction] = [begin, Branch(0, some, draw.integer(1, b.waves - 1)), store(b, matrix, target)]
        return b.draft(body, moving_regime(draw))
    with b.loop(draw.integer(2, 3)) as passes:
        nested = (
            write_elements(b, matrix, source, draw.one_of((0, 2, 3))),
            Barrier(),
            read_elements(b, matrix, target),
            Barrier(),
        )
    return b.draft([begin, Repeat(passes, nested)], moving_regime(draw))
