"""Families of programs about groupshared arrays of another type than the matrix: elements are converted."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.programs.hlsl_linalg.caps import AtomicSum
from mmaspec.programs.hlsl_linalg.components import NATIVE, ArrayType, ComponentType
from mmaspec.programs.hlsl_linalg.program import Barrier, Instruction, Repeat
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.hlsl_linalg.builder.accesses import load, store
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder
from mmaspec.strategies.hlsl_linalg.builder.shared_arrays import OWN, SharedRoom, converting_elements, fits
from mmaspec.strategies.hlsl_linalg.templates.conversions import converting_regime
from mmaspec.strategies.hlsl_linalg.templates.parts import (
    USES,
    Context,
    answer_of,
    drawn,
    is_float,
    scope_of,
    several,
    sums_are_judged,
)
from mmaspec.strategies.hlsl_linalg.templates.sums import sum_regime


def _element(context: Context, component: ComponentType) -> ArrayType | None:
    options = converting_elements(component)
    return context.choices.one_of(options) if options else None


def array_load(context: Context) -> Draft | None:
    """Matrices loaded from an array of another type, and stored to a buffer; the array is written out as well."""
    draw = context.choices
    component: ComponentType = answer_of(context).component
    element = _element(context, component)
    if element is None:
        return None
    b = ProgramBuilder(context, several(draw))
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    shared = SharedRoom(b, "staged", element)
    loads, stores = [], []
    for use, name in draw.one_of((USES[:2], USES[1:], USES[2:], USES[:1])):
        matrix = drawn(b, name, component, use, scope_of(draw))
        if matrix is not None:
            # The values are those of the array: what a Load makes of them has no name.
            loads.append(replace(shared.load(matrix), data=None))
            stores.append(store(b, matrix, target))
    if not loads:
        return None
    body: list[Instruction] = [shared.stage(source, data="staged"), Barrier(), *loads, *stores]
    if draw.chance(40):
        body.append(shared.unstage(target))
    shared.finish()
    return b.draft(body, converting_regime(draw, NATIVE[element], component)) if fits(b) else None  # type: ignore[arg-type]


def array_store(context: Context) -> Draft | None:
    """Matrices stored to an array of another type, beside which nothing changes; it is loaded again at times."""
    draw = context.choices
    component: ComponentType = answer_of(context).component
    element = _element(context, component)
    if element is None:
        return None
    b = ProgramBuilder(context, several(draw))
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    shared = SharedRoom(b, "left", element)
    loads: list[Instruction] = []
    stores: list[Instruction] = []
    after: list[Instruction] = []
    for use, name in draw.one_of((USES[:2], USES[1:], USES[2:], USES[:1])):
        matrix = drawn(b, name, component, use, scope_of(draw))
        if matrix is None:
            continue
        loads.append(load(b, matrix, source))
        stored = shared.store(matrix)
        stores.append(stored)
        if draw.chance(30):
            back = b.matrix(f"{name}-back", component, (matrix.m, matrix.n), use, matrix.scope)
            again = replace(shared.load(matrix), matrix=back.name, data=None)
            again = replace(again, offset=stored.offset, stride=stored.stride, layout=stored.layout)
            after += [again, store(b, back, target)]
    if not stores:
        return None
    body: list[Instruction] = [*loads, shared.stage(source, data="beside"), Barrier(), *stores, Barrier(), *after]
    body.append(shared.unstage(target))
    shared.finish()
    return b.draft(body, converting_regime(draw, component, NATIVE[element])) if fits(b) else None  # type: ignore[arg-type]


def sum_in_array(context: Context) -> Draft | None:
    """Accumulators added in an array, of their own type or converted to another one; waves have places of their own."""
    draw = context.choices
    answer: AtomicSum = answer_of(context)
    component = answer.component
    if component not in OWN or not sums_are_judged(component):
        return None
    converts = draw.chance(50)
    element = _element(context, component) if converts else OWN[component]
    b = ProgramBuilder(context, several(draw))
    matrix = drawn(b, "C", component, "Accumulator", scope_of(draw))
    if matrix is None or element is None:
        return None
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    shared = SharedRoom(b, "sum", element)
    added = shared.accumulate(matrix, None, own=True)
    shape = draw.weighted(((4, "once"), (1, "twice"), (1, "loop")))
    body: list[Instruction] = [load(b, matrix, source), shared.stage(source, data="held"), Barrier()]
    if shape == "loop":
        body.append(Repeat(2, (added, Barrier())))
    else:
        for _ in range(2 if shape == "twice" else 1):
            body += [added, Barrier()]
    body.append(shared.unstage(target))
    shared.finish()
    total: ComponentType = NATIVE[element]  # type: ignore[assignment]
    many = shape != "once"
    regime = sum_regime(draw, component if is_float(total) else total, many=many)
    if element != OWN[component]:
        # Sums of what is converted stay in range.
        regime = "small" if not (is_float(total) and is_float(component)) else "window"
    return b.draft(body, regime) if fits(b) else None
