"""Families of programs about loads and stores inside buffers and groupshared arrays."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.components import SCALARS, ArrayType, ComponentType
from mmaspec.programs.hlsl_linalg.program import AccumulatorLayout, Barrier, Instruction, Load, Matrix, Repeat, Store
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.hlsl_linalg.builder.accesses import Style, lines_of, load, store, turned, units_of
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder, element_bytes
from mmaspec.strategies.hlsl_linalg.builder.shared_arrays import SharedRoom, elements_for, fits
from mmaspec.strategies.hlsl_linalg.templates.parts import (
    USES,
    Context,
    answer_of,
    drawn,
    moving_regime,
    scope_of,
    several,
)


def move(context: Context) -> Draft | None:
    """Every use loaded, stored in the same layout and place, and stored in the other layout."""
    draw = context.choices
    b = ProgramBuilder(context, several(draw))
    component: ComponentType = answer_of(context).component
    source, other, target = b.room("in", read_only=draw.chance(50)), b.room("more"), b.room("out")
    body: list[Instruction] = []
    for use, name in USES:
        matrix = drawn(b, name, component, use, scope_of(draw))
        if matrix is None:
            continue
        loaded = load(b, matrix, draw.one_of((source, other)))
        stride = loaded.stride if isinstance(loaded.stride, int) else None
        same = store(b, matrix, target, Style(loaded.layout, stride=stride))
        back = store(b, matrix, target, Style(turned(loaded.layout)))
        body += [loaded, *((same, back) if draw.chance(50) else (back, same))]
    return b.draft(body, moving_regime(draw)) if body else None


def move_in_place(context: Context) -> Draft | None:
    """Matrices stored where they were loaded from, after a barrier: same place, stride and layout."""
    draw = context.choices
    b = ProgramBuilder(context, several(draw))
    component: ComponentType = answer_of(context).component
    place = b.room("inout")
    matrices = [drawn(b, name, component, use, scope_of(draw)) for use, name in USES]
    loads = [load(b, one, place, Style(own=True)) for one in matrices if one is not None]
    if not loads:
        return None
    # Two matrices of one size change places.
    names = [one.matrix for one in loads]
    stores = [
        Store(name, place, one.offset, one.stride, one.layout, one.align)
        for one, name in zip(loads, names, strict=True)
    ]
    return b.draft([*loads, Barrier(), *stores[:: draw.one_of((1, -1))]], moving_regime(draw))


def move_loop(context: Context) -> Draft | None:
    """A loop in which every pass has places of its own, and a matrix that is loaded before it."""
    draw = context.choices
    b = ProgramBuilder(context, several(draw))
    component: ComponentType = answer_of(context).component
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    (first_use, first), (use, name) = draw.one_of(((USES[0], USES[2]), (USES[1], USES[0]), (USES[2], USES[1])))
    kept = drawn(b, first, component, first_use, scope_of(draw))
    matrix = drawn(b, name, component, use, scope_of(draw))
    if kept is None or matrix is None:
        return None
    before = load(b, kept, source)
    with b.loop(draw.integer(2, 4)) as passes:
        nested = (load(b, matrix, source), store(b, matrix, target), store(b, kept, target))
    return b.draft([before, Repeat(passes, nested)], moving_regime(draw))


def overlap(context: Context) -> Draft | None:
    """Loads whose lines overlap in memory, or are all the same one: no least stride is stated (LINALG-AMB-05)."""
    draw = context.choices
    b = ProgramBuilder(context, several(draw))
    component: ComponentType = answer_of(context).component
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    body: list[Instruction] = []
    for use, name in draw.one_of((USES[:2], USES[1:], (USES[0], USES[2]))):
        matrix = drawn(b, name, component, use, scope_of(draw))
        if matrix is None:
            continue
        layout = draw.one_of(("RowMajor", "ColMajor"))
        line = lines_of(matrix, layout)[1]  # type: ignore[arg-type]
        unit = units_of(b, component).stride
        stride = unit * draw.integer(0, max((line - 1) // unit, 0))
        loaded = load(b, matrix, source, Style(layout, stride=stride))  # type: ignore[arg-type]
        body += [loaded, store(b, matrix, target)]
    return b.draft(body, "distinct") if body else None


def run_time(context: Context) -> Draft | None:
    """Offsets and strides that are not known before the program runs."""
    draw = context.choices
    b = ProgramBuilder(context)
    component: ComponentType = answer_of(context).component
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    style = Style(run_time=85)
    body: list[Instruction] = []
    for use, name in USES:
        matrix = drawn(b, name, component, use, scope_of(draw))
        if matrix is not None:
            body += [load(b, matrix, source, style), store(b, matrix, target, style)]
    return b.draft(body, "distinct") if body else None


def array_move(context: Context) -> Draft | None:
    """Matrices loaded from arrays that were staged, and stored to arrays that are staged out.

    What is stored to was staged as well, so that what lies beside the stored elements has to come out as it went in.
    """
    draw = context.choices
    b = ProgramBuilder(context, several(draw))
    component: ComponentType = answer_of(context).component
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    elements = elements_for(component, context.caps)
    if not elements:
        return None
    inward, outward = (SharedRoom(b, name, draw.one_of(elements)) for name in ("staged", "left"))
    loads: list[Load] = []
    matrices: list[Matrix] = []
    for use, name in draw.one_of((USES[:2], USES[1:], USES, USES[2:])):
        matrix = drawn(b, name, component, use, scope_of(draw))
        if matrix is not None:
            matrices.append(matrix)
            loads.append(inward.load(matrix))
    wide = inward.size > element_bytes(component)
    if wide:
        # Words that are data in part would come to nothing: all that is staged is data.
        loads = [replace(one, data=None) for one in loads]
    if not matrices:
        return None
    stores = [outward.store(matrix) for matrix in matrices[:: draw.one_of((1, -1))]]
    beside = [store(b, matrix, target) for matrix in matrices if draw.chance(40)]
    staged = inward.stage(source, data="staged" if wide else None)
    body: list[Instruction] = [staged, outward.stage(source, data="beside"), Barrier()]
    body += [*loads, *stores, *beside, Barrier(), outward.unstage(target)]
    for room in (inward, outward):
        room.finish()
    return b.draft(body, moving_regime(draw)) if fits(b) else None


def array_loop(context: Context) -> Draft | None:
    """A loop that stages an array, loads from it and stores to another one, with barriers between."""
    draw = context.choices
    b = ProgramBuilder(context, several(draw))
    component: ComponentType = answer_of(context).component
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    elements = elements_for(component, context.caps)
    if not elements:
        return None
    inward, outward = (SharedRoom(b, name, draw.one_of(elements)) for name in ("staged", "left"))
    matrix = drawn(b, "A", component, draw.one_of(("A", "B", "Accumulator")), scope_of(draw))
    if matrix is None:
        return None
    loaded, stored = inward.load(matrix), outward.store(matrix)
    wide = inward.size > element_bytes(component)
    if wide:
        loaded = replace(loaded, data=None)
    again = outward.stage(source, data="beside")
    with b.loop(draw.integer(2, 3)) as passes:
        stage = inward.stage(source, passes, data="staged" if wide else None)
        nested = (stage, Barrier(), loaded, stored, Barrier(), outward.unstage(target), Barrier())
    for room in (inward, outward):
        room.finish()
    return b.draft([again, Barrier(), Repeat(passes, nested)], "distinct") if fits(b) else None


def array_as_other_type(context: Context) -> Draft | None:
    """A matrix stored to an array of integers, and words of it taken out in another order: bits, not values."""
    draw = context.choices
    b = ProgramBuilder(context, 1)
    component: ComponentType = answer_of(context).component
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    integers: list[ArrayType] = [
        one for one in elements_for(component, context.caps) if not FORMATS[SCALARS[one]].is_float
    ]
    shared = SharedRoom(b, "bits", draw.one_of(integers))
    use, name = draw.one_of(USES)
    matrix = drawn(b, name, component, use, scope_of(draw))
    if matrix is None:
        return None
    stored = shared.store(matrix)
    back = Load(matrix.name, "bits", stored.offset, stored.stride, stored.layout)
    body: list[Instruction] = [load(b, matrix, source), stored, Barrier()]
    if draw.chance(50):
        body.append(back)
        body.append(store(b, matrix, target))
    stage = shared.stage(source, data="beside")
    body = [stage, Barrier(), *body, shared.unstage(target)]
    shared.finish()
    return b.draft(body, moving_regime(draw)) if fits(b) else None


def accumulator_layout(context: Context) -> Draft | None:
    """The layout of accumulators asked for by all threads, into one word or words of their own, twice."""
    draw = context.choices
    b = ProgramBuilder(context, several(draw))
    component: ComponentType = answer_of(context).component
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    matrix = drawn(b, "C", component, "Accumulator", scope_of(draw))
    if matrix is None:
        return None
    one = AccumulatorLayout(target, b.stepped(target, [], 4, 4, 4, 10))
    each = AccumulatorLayout(target, b.stepped(target, [("wave", b.waves), ("lane", b.wave_size)], 4, 4, 4))
    body: list[Instruction] = [load(b, matrix, source), one, store(b, matrix, target), each]
    return b.draft(body, "distinct")
