"""Families of programs about Cast and Splat: every pair of types, and transposes."""

from __future__ import annotations

import itertools

from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.components import SCALARS, ComponentType, ScalarType
from mmaspec.programs.hlsl_linalg.program import Barrier, Branch, Cast, Instruction, Repeat, Splat, Use
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.hlsl_linalg.builder.accesses import load, store, write_elements
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder
from mmaspec.strategies.hlsl_linalg.builder.sizes import made
from mmaspec.strategies.hlsl_linalg.revisions import is_earlier
from mmaspec.strategies.hlsl_linalg.templates.parts import (
    USES,
    Context,
    answer_of,
    drawn,
    is_float,
    scope_of,
    several,
    size_for,
)

EVERY_USE: tuple[Use, ...] = ("A", "B", "Accumulator")
SCALAR_TYPES: tuple[ScalarType, ...] = (
    "int", "uint", "float", "half", "int16_t", "uint16_t", "int64_t", "uint64_t", "double",
)  # fmt: skip


def converting_regime(draw: Choices, source: ComponentType, target: ComponentType) -> str:
    """Data at and beyond the ends of the other type, and between the values that it has."""
    if source == target:
        return "distinct"
    floats = ("edges", "near-tie", "normal", "wild", "specials", "overflow-edge", "subnormal", "limits")
    integers = ("edges", "wild", "limits", "small")
    if is_float(source):
        return draw.one_of((*floats, "window", "window") if not is_float(target) else floats)
    return draw.one_of(integers)


def cast(context: Context) -> Draft | None:
    """A matrix of the row's type made from one of any type, transposed or not; its source is stored afterwards."""
    return _cast(context, None)


def cast_transpose(context: Context) -> Draft | None:
    """The same, transposed."""
    return _cast(context, True)


def cast_back(context: Context) -> Draft | None:
    """A matrix cast to another type or use, then to a third, then back to its own."""
    draw = context.choices
    b = ProgramBuilder(context, several(draw))
    own: ComponentType = answer_of(context).component
    others = made(context.caps)
    scope = scope_of(draw)
    kinds: list[tuple[ComponentType, Use]] = [(own, draw.one_of(EVERY_USE))]
    kinds.extend((draw.one_of(others), draw.one_of(EVERY_USE)) for _ in range(draw.integer(1, 2)))
    kinds.append((own, draw.one_of(EVERY_USE)))
    size = size_for(context, scope, *kinds)
    if size is None:
        return None
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    matrices = [b.matrix(f"M{n}", component, size, use, scope) for n, (component, use) in enumerate(kinds)]
    body: list[Instruction] = [load(b, matrices[0], source)]
    for before, after in itertools.pairwise(matrices):
        body.append(Cast(after.name, before.name))
        if draw.chance(40):
            body.append(store(b, after, target))
    body += [store(b, one, target) for one in (matrices[-1], matrices[0])]
    return b.draft(body, converting_regime(draw, own, kinds[1][0]))


def _cast(context: Context, transpose: bool | None) -> Draft | None:
    draw = context.choices
    b = ProgramBuilder(context, several(draw))
    own: ComponentType = answer_of(context).component
    other = draw.one_of(made(context.caps))
    into, out_of = (own, other) if draw.chance(70) else (other, own)
    turned = draw.chance(30) if transpose is None else transpose
    turned = turned and not is_earlier(context.caps)  # whose Cast does not transpose
    source_use, use, scope = draw.one_of(EVERY_USE), draw.one_of(EVERY_USE), scope_of(draw)
    size = (
        size_for(context, scope, (out_of, source_use), transposed=(into, use))
        if turned
        else size_for(context, scope, (out_of, source_use), (into, use))
    )
    if size is None:
        return None
    inward, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    source = b.matrix("S", out_of, size, source_use, scope)
    matrix = b.matrix("T", into, (size[1], size[0]) if turned else size, use, scope)
    step = Cast("T", "S", turned)
    body: list[Instruction] = [load(b, source, inward)]
    if draw.chance(25):
        body.append(load(b, matrix, inward))  # which the Cast forgets
    body.append(step)
    if draw.chance(30):
        # What is done to one of the two leaves the other alone (LINALG-CAST-COPY).
        scalar: ScalarType = draw.one_of(("int", "float"))
        changed = draw.one_of((source, matrix))
        kept = matrix if changed is source else source
        body += [Splat(changed.name, scalar, b.scalar(changed.name, scalar, plain=True)), store(b, kept, target)]
    body += [store(b, matrix, target), store(b, source, target)]
    return b.draft(body, converting_regime(draw, out_of, into))


def splat(context: Context) -> Draft | None:
    """Constants and scalars of every HLSL type, into fresh matrices and over loaded ones, and again in a loop."""
    draw = context.choices
    b = ProgramBuilder(context, several(draw))
    own: ComponentType = answer_of(context).component
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    body: list[Instruction] = []
    for use, name in USES:
        matrix = drawn(b, name, own, use, scope_of(draw))
        if matrix is None:
            continue
        if draw.chance(30):
            body.append(load(b, matrix, source))
        scalar = scalar_type(context)
        body += [Splat(name, scalar, b.scalar(name, scalar)), store(b, matrix, target)]
    if not body:
        return None
    again, scalar = draw.one_of(b.matrices), scalar_type(context)
    with b.loop(2) as passes:
        nested = (
            load(b, again, source, data="again"),
            Splat(again.name, scalar, b.scalar(again.name, scalar)),
            store(b, again, target),
        )
    if draw.chance(40):
        body.append(Repeat(passes, nested))
    return b.draft(body, draw.one_of(("edges", "normal", "limits", "wild")))


def scalar_type(context: Context) -> ScalarType:
    """An HLSL type that the device has."""
    shorts = context.caps.native_16_bit
    return context.choices.one_of(tuple(one for one in SCALAR_TYPES if shorts or FORMATS[SCALARS[one]].nbytes > 2))


def splat_first(context: Context) -> Draft | None:
    """Lanes, and waves where each has a matrix, that disagree: the value is that of the first lane."""
    draw = context.choices
    b = ProgramBuilder(context, draw.weighted(((1, 1), (2, 2), (1, 3))))
    own: ComponentType = answer_of(context).component
    target = b.room("out")
    body: list[Instruction] = []
    for use, name in draw.one_of((USES, USES[1:], USES[:2])):
        matrix = drawn(b, name, own, use, scope_of(draw))
        if matrix is None:
            continue
        scalar = scalar_type(context)
        bits = FORMATS[SCALARS[scalar]].fraction_bits
        step = 1 << draw.integer(max(bits - 3, 0), bits)
        wave = step * draw.integer(1, 3) if matrix.scope == "Wave" and draw.chance(60) else 0
        lane = step * draw.integer(1, 2) if not wave or draw.chance(70) else 0
        value = b.scalar(name, scalar, plain=True)
        one: Instruction = Splat(name, scalar, value, lane, wave)
        # A branch that the whole wave takes, and the whole group where the matrix is the group's.
        around = matrix.scope == "Wave" and draw.chance(30)
        stored = store(b, matrix, target)
        body += [Branch(b.wave_size, (one, stored)) if around else one, *(() if around else (stored,))]  # type: ignore[arg-type]
    return b.draft(body, "small") if body else None


def changed_after_cast(context: Context) -> Draft | None:
    """Elements of the source, or of the result, of a Cast set one by one: the other keeps its own."""
    draw = context.choices
    b = ProgramBuilder(context, several(draw))
    own: ComponentType = answer_of(context).component
    scope, use, other = scope_of(draw), draw.one_of(EVERY_USE), draw.one_of(EVERY_USE)
    size = size_for(context, scope, (own, use), (own, other))
    if size is None:
        return None
    inward, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    source, matrix = b.matrix("S", own, size, use, scope), b.matrix("T", own, size, other, scope)
    changed = draw.one_of((source, matrix))
    step = write_elements(b, changed, inward, draw.one_of((0, 2, 3)))
    body: list[Instruction] = [load(b, source, inward), Cast("T", "S"), step, Barrier()]
    body += [store(b, matrix, target), store(b, source, target)]
    return b.draft(body, "distinct")
