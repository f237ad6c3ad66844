"""Families of programs about optimal layouts: round trips by conversions, and outer products that are added there."""

from __future__ import annotations

from mmaspec.programs.hlsl_linalg.caps import OuterProductSupport
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType
from mmaspec.programs.hlsl_linalg.program import (
    LINEAR,
    Branch,
    Convert,
    ConvertLayout,
    Instruction,
    InterlockedAccumulate,
    Layout,
    OuterProduct,
    Repeat,
    Simple,
)
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.hlsl_linalg.builder.optimal import STRIDE_UNIT, TARGET_UNIT, linear, optimal_sizes, put, take
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder, element_bytes
from mmaspec.strategies.hlsl_linalg.builder.vectors import vector_load, vector_store
from mmaspec.strategies.hlsl_linalg.templates.parts import Context, answer_of, is_float, moving_regime, small_regime
from mmaspec.strategies.hlsl_linalg.templates.sums import sum_regime
from mmaspec.strategies.hlsl_linalg.templates.vectors import group, known

OPTIMAL: tuple[Layout, ...] = ("MulOptimal", "OuterProductOptimal")


def round_trip(context: Context) -> Draft | None:
    """A matrix into an optimal layout and back, over another optimal one at times; vectors pass by meanwhile."""
    draw = context.choices
    component: ComponentType = answer_of(context).matrix
    layout = draw.one_of(OPTIMAL)
    sizes = optimal_sizes(context.caps, component, layout, packed=0)
    if not sizes:
        return None
    b = ProgramBuilder(context)
    size = draw.one_of(sizes)
    source, middle, target = b.room("in"), b.room("optimal"), b.room("out")
    first = put(b, component, size, layout, source, middle, "W")
    steps: list[Instruction] = [first.conversion]
    if draw.chance(40):
        other = draw.one_of(OPTIMAL)
        if size in optimal_sizes(context.caps, component, other, packed=0):
            again = put(b, component, size, other, source, middle, "unused")
            c = again.conversion
            second = ConvertLayout(
                component, *size, middle, first.offset, layout, middle, again.offset, other, 0, 0, again.nbytes
            )
            b.rooms[source].used = max(b.rooms[source].used, c.source_offset)
            steps += [second, take(b, again, middle, target)]
    steps.append(take(b, first, middle, target))
    if draw.chance(30):
        steps.append(take(b, first, middle, target))
    vector = b.vector("x", draw.one_of(known(context)), 4)
    shader: list[Instruction] = [vector_load(b, vector, source), vector_store(b, vector, target)]
    at = draw.integer(1, len(steps))
    body = [*steps[:at], *shader, *steps[at:]] if draw.chance(50) else [*steps, *shader]
    return b.draft(body, moving_regime(draw))


def between_linear(context: Context) -> Draft | None:
    """A matrix converted between row- and column-major memory: strides may be narrower in the source."""
    draw = context.choices
    component: ComponentType = answer_of(context).matrix
    b = ProgramBuilder(context)
    size = (draw.integer(1, 20), draw.integer(1, 20))
    source, target = b.room("in"), b.room("out")
    layout, start, stride = linear(b, component, size, source, element_bytes(component), 1)
    into, offset, pitch = linear(b, component, size, target, STRIDE_UNIT, TARGET_UNIT)
    step = ConvertLayout(component, *size, source, start, layout, target, offset, into, stride, pitch, data="W")
    back, again, width = linear(b, component, size, target, STRIDE_UNIT, TARGET_UNIT)
    second = ConvertLayout(component, *size, target, offset, into, target, again, back, pitch, width)
    assert {layout, into, back} <= {*LINEAR}
    return b.draft([step, second] if draw.chance(60) else [step], moving_regime(draw))


def outer(context: Context) -> Draft | None:
    """Outer products of all threads added to one matrix, or to several, that conversions put there and take out."""
    draw = context.choices
    answer: OuterProductSupport = answer_of(context)
    sizes = optimal_sizes(context.caps, answer.matrix, "OuterProductOptimal", packed=0)
    if not sizes:
        return None
    b = group(context)
    m, n = draw.one_of(sizes)
    given, middle, source, target = (
        b.room("in", read_only=draw.chance(50)),
        b.room("sum"),
        b.room("data"),
        b.room("out"),
    )
    held = put(b, answer.matrix, (m, n), "OuterProductOptimal", source, middle, "W")
    column, row = b.vector("c", answer.vector, m), b.vector("r", answer.vector, n)
    b.matrix("O", answer.matrix, (m, n), "Accumulator", "Thread")
    align, layout = draw.one_of((0, 128)), draw.one_of(("OuterProductOptimal", "RowMajor"))
    added = InterlockedAccumulate("O", middle, b.argument(held.offset, 10), 0, layout, align)  # type: ignore[arg-type]
    loads = [vector_load(b, column, given), vector_load(b, row, given)]
    if draw.chance(20):
        others: list[ComponentType] = [one for one in known(context) if is_float(one) == is_float(answer.vector)]
        other = b.vector("w", draw.one_of(others), m)
        loads[:1] = [vector_load(b, other, given), Convert("c", "w")]  # type: ignore[list-item]
        if len({*(v.component for v in b.vectors)} & {*_PACKED}):
            b.vectors.remove(other)
            loads[:2] = [vector_load(b, column, given)]
    steps: tuple[Simple, ...] = (OuterProduct("O", "c", "r"), added)
    shape = draw.weighted(((4, "plain"), (2, "branch"), (1, "loop"), (1, "twice")))
    body: list[Instruction] = [held.conversion, *loads]
    many = b.group > 1 or shape in ("loop", "twice")
    if shape == "branch":
        body.append(Branch(draw.integer(1, b.wave_size), steps, draw.integer(0, b.waves)))
    elif shape == "loop":
        body.append(Repeat(2, steps))
    else:
        body += [*steps, *((added,) if shape == "twice" else ())]
    body.append(take(b, held, middle, target))
    b.work += m * n * b.group
    # Products that the matrix's type cannot have exactly have no single value to add.
    exact = COMPONENTS[answer.matrix].format.precision >= 2 * COMPONENTS[answer.vector].format.precision
    return b.draft(body, sum_regime(draw, answer.matrix, many=many) if exact else small_regime(answer.matrix))


_PACKED = ("I8", "U8", "F8_E4M3FN", "F8_E5M2", "BFloat16")
