"""Families of programs about outer products: of one matrix for a wave or a group, and of a matrix of every thread."""

from __future__ import annotations

from mmaspec.programs.base import Affine
from mmaspec.programs.hlsl_linalg.caps import OuterProductSupport
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType
from mmaspec.programs.hlsl_linalg.program import (
    Barrier,
    Branch,
    Cast,
    Instruction,
    InterlockedAccumulate,
    Load,
    OuterProduct,
    Repeat,
    Simple,
)
from mmaspec.programs.hlsl_linalg.removed import SumAccumulate
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.hlsl_linalg.builder.accesses import Style, accumulate, load, store
from mmaspec.strategies.hlsl_linalg.builder.optimal import put_several, take
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder
from mmaspec.strategies.hlsl_linalg.builder.vectors import vector_load, vector_store
from mmaspec.strategies.hlsl_linalg.revisions import allowed_extent
from mmaspec.strategies.hlsl_linalg.templates.earlier.operators import step as operator
from mmaspec.strategies.hlsl_linalg.templates.parts import (
    Context,
    answer_of,
    is_float,
    scope_of,
    several,
    size_for,
    small_regime,
)
from mmaspec.strategies.hlsl_linalg.templates.sums import sum_regime

FEW = 4
"""Threads that have matrices of their own in memory."""


def shared_outer(context: Context) -> Draft | None:
    """A matrix of a wave or a group from vectors that all its threads have alike (LINALG-AMB-23), used in some way."""
    draw = context.choices
    answer: OuterProductSupport = answer_of(context)
    component: ComponentType = answer.matrix
    scope = scope_of(draw)
    size = size_for(context, scope, (component, "Accumulator"))
    if size is None:
        return None
    b = ProgramBuilder(context, several(draw))
    m, n = size
    given, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    column, row = b.vector("c", answer.vector, m), b.vector("r", answer.vector, n)
    matrix = b.matrix("O", component, size, "Accumulator", scope)
    one_vector = m == n and draw.chance(30)
    if one_vector:
        b.vectors.remove(row)
    loads = [vector_load(b, column, given, own=False)]
    loads += [] if one_vector else [vector_load(b, row, given, own=False)]
    made = OuterProduct("O", "c", "c" if one_vector else "r")
    if draw.chance(25):
        loads.insert(0, load(b, matrix, given))  # type: ignore[arg-type]  # which is forgotten
    body: list[Instruction] = [*loads, made]
    match draw.weighted(((4, "store"), (2, "operate"), (2, "cast"), (2, "sum"), (1, "loop"), (1, "branch"))):
        case "operate":
            body.append(operator(b, matrix, draw.one_of(("add", "sub", "mul")), plain=True))
        case "cast":
            other = b.matrix("P", component, size, "Accumulator", scope)
            body += [Cast("P", "O"), store(b, other, target)]
        case "sum" if any(one.component == component and one.buffers for one in context.caps.atomics):
            added = accumulate(b, matrix, b.room("sum"), Style(own=True))
            b.matrix("T", component, size, "Accumulator", scope)
            body += [Load("T", "sum", added.offset, added.stride, added.layout, added.align, "T"), Barrier(), added]
        case "loop":
            body = []
            with b.loop(2) as passes:
                steps: list[Simple] = [vector_load(b, one, given, own=False) for one in b.vectors]
                steps += [made, store(b, matrix, target)]
            body.append(Repeat(passes, tuple(steps)))
        case "branch" if scope == "Wave" and b.waves > 1:
            # The other waves keep what they had.
            body = [*loads, load(b, matrix, given, data="kept")]
            body.append(Branch(0, (made,), draw.integer(1, b.waves - 1)))
        case _:
            pass
    body.append(store(b, matrix, target))
    if draw.chance(20):
        body.append(vector_store(b, column, target))
    return b.draft(body, outer_regime(context))


def outer_regime(context: Context) -> str:
    """Data of single products: every kind of float where the product is stated to a neighbour."""
    draw, answer = context.choices, answer_of(context)
    if not is_float(answer.matrix):
        return "small"
    return draw.one_of(("window", "window", "normal", "wild", "specials", "subnormal", "edges"))


def outer_added(context: Context) -> Draft | None:
    """Square outer products as accumulators of SumAccumulate: a product of two vectors plus an A and a B."""
    draw = context.choices
    answer: OuterProductSupport = answer_of(context)
    component: ComponentType = answer.matrix
    scope = scope_of(draw)
    size = size_for(context, scope, (component, "Accumulator"), (component, "A"), (component, "B"))
    if size is None or size[0] != size[1]:
        return None
    b = ProgramBuilder(context, several(draw))
    given, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    vectors = [b.vector(name, answer.vector, size[0]) for name in ("c", "r")]
    matrix = b.matrix("O", component, size, "Accumulator", scope)
    operands = [b.matrix("A", component, size, "A", scope), b.matrix("B", component, size, "B", scope)]
    body: list[Instruction] = [vector_load(b, one, given, own=False) for one in vectors]
    body += [load(b, one, given) for one in operands]
    body += [OuterProduct("O", "c", "r"), SumAccumulate("O", "A", "B"), store(b, matrix, target)]
    return b.draft(body, small_regime(component))


def thread_outer(context: Context) -> Draft | None:
    """Products of a few threads, each added to a matrix of its own that a conversion put there and another takes out.

    Sums of several threads in one matrix are left alone: nothing says that they are atomic (LINALG-AMB-09).
    """
    draw = context.choices
    answer: OuterProductSupport = answer_of(context)
    component: ComponentType = answer.matrix
    found = [
        (one.m, one.n)
        for one in context.caps.optimal
        if (one.component, one.layout) == (component, "OuterProductOptimal")
    ]
    sizes = [one for one in found if all(allowed_extent(component, "Thread", side) for side in one)]
    if not sizes:
        return None
    b = ProgramBuilder(context)
    b.threads = draw.integer(1, min(FEW, b.wave_size))
    m, n = draw.one_of(sizes)
    given, middle, source, target = (
        b.room("in", read_only=draw.chance(50)),
        b.room("sum"),
        b.room("data"),
        b.room("out"),
    )
    held = put_several(b, component, (m, n), "OuterProductOptimal", source, middle, "W", b.threads)
    offsets = [one.offset for one in held]
    offset = Affine(offsets[0], lane=offsets[1] - offsets[0]) if len(offsets) > 1 else b.argument(offsets[0], 20)
    column, row = b.vector("c", answer.vector, m), b.vector("r", answer.vector, n)
    b.matrix("O", component, (m, n), "Accumulator", "Thread")
    align = draw.one_of((0, COMPONENTS[component].format.nbytes, 16))
    added = InterlockedAccumulate("O", middle, offset, 0, "OuterProductOptimal", align)
    loads = [vector_load(b, one, given, own=draw.chance(80)) for one in (column, row)]
    body: list[Instruction] = [*(one.conversion for one in held), *loads, OuterProduct("O", "c", "r"), added]
    if draw.chance(25):
        body += [Barrier(), added]
    body += [take(b, one, middle, target) for one in held]
    b.work += m * n * b.group
    exact = COMPONENTS[component].format.precision >= 2 * COMPONENTS[answer.vector].format.precision
    many = body.count(added) > 1
    return b.draft(body, sum_regime(draw, component, many=many) if exact else small_regime(component))
