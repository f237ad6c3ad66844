"""Families of programs about operators with a scalar, and unary operations."""

from __future__ import annotations

from fractions import Fraction

from mmaspec.programs.base import Literal, Scalar
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, SCALARS, ComponentType, ScalarType
from mmaspec.programs.hlsl_linalg.program import (
    Barrier,
    Branch,
    Instruction,
    Matrix,
    MultiplyAccumulate,
    Repeat,
    Simple,
    Splat,
    Use,
)
from mmaspec.programs.hlsl_linalg.removed import Operate, Operator, Unary, UnaryOperation
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.hlsl_linalg.builder.accesses import load, store
from mmaspec.strategies.hlsl_linalg.builder.constants import encoded
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder
from mmaspec.strategies.hlsl_linalg.templates.parts import (
    USES,
    Context,
    answer_of,
    drawn,
    is_float,
    scope_of,
    several,
    small_regime,
)
from mmaspec.strategies.hlsl_linalg.templates.products import started

OPERATORS: tuple[Operator, ...] = ("add", "sub", "mul", "div")
EXACT: tuple[UnaryOperation, ...] = ("nop", "negate", "abs")
CURVES: tuple[UnaryOperation, ...] = ("sin", "cos", "tan")
CURVED: tuple[ComponentType, ...] = ("F16", "F32")
"""Types for which HLSL has trigonometric intrinsics."""
DIVISORS = (1, 2, 3, -2, -3, 5, 7, 10, 16)
POWERS = (Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4), Fraction(-1), Fraction(-2))
OF_OPERATORS = ("window", "normal", "edges", "specials", "near-tie", "cancelling", "subnormal", "overflow-edge")
OF_UNARY = ("edges", "specials", "nan-kinds", "subnormal", "normal", "distinct")
OF_CURVES = ("window", "normal", "specials", "whole", "subnormal")
"""Data of floats."""


def scalar_of(component: ComponentType) -> ScalarType:
    """The HLSL type that a component is by itself: that of an operator's scalar (LINALG-AMB-13)."""
    return COMPONENTS[component].scalar  # type: ignore[return-value]


def operand(b: ProgramBuilder, matrix: Matrix, op: Operator, *, plain: bool) -> Scalar:
    """The scalar of an operator: of an integer small, so that results stay in range, and no divisor of zero."""
    draw, scalar = b.choices, scalar_of(matrix.component)
    fmt = FORMATS[SCALARS[scalar]]
    if not fmt.is_float:
        if op != "div":
            return b.scalar(f"{matrix.name}-{op}", scalar, plain=True)
        # What a buffer holds may be zero.
        return Literal(encoded(fmt, draw.one_of(tuple(one for one in DIVISORS if fmt.signed or one > 0))))
    if op in ("mul", "div") and draw.chance(50 if plain else 30):
        return Literal(encoded(fmt, draw.one_of(POWERS)))
    return b.scalar(f"{matrix.name}-{op}", scalar, plain=plain)


def step(b: ProgramBuilder, matrix: Matrix, op: Operator, *, plain: bool) -> Operate:
    """An operator; waves that have matrices of their own may have other scalars (LINALG-ELEMWISE-UNIFORM)."""
    draw = b.choices
    wave = 0
    if op != "div" and b.waves > 1 and matrix.scope == "Wave" and draw.chance(40):
        fmt = FORMATS[SCALARS[scalar_of(matrix.component)]]
        wave = 1 << fmt.fraction_bits - 1 if fmt.is_float else draw.integer(1, 2)
    value = operand(b, matrix, op, plain=plain or bool(wave))
    return Operate(matrix.name, op, scalar_of(matrix.component), value, 0, wave)


def operate(context: Context) -> Draft | None:
    """One or two operators on loaded matrices of several uses, each stored afterwards."""
    draw = context.choices
    b = ProgramBuilder(context, several(draw))
    component: ComponentType = answer_of(context).component
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    body: list[Instruction] = []
    plain = draw.chance(40)
    for use, name in draw.one_of((USES, USES[1:], USES[:2])):
        matrix = drawn(b, name, component, use, scope_of(draw))
        if matrix is None:
            continue
        steps: list[Simple] = [step(b, matrix, draw.one_of(OPERATORS), plain=plain)]
        if draw.chance(35):
            steps.append(step(b, matrix, draw.one_of(OPERATORS), plain=True))
        body += [load(b, matrix, source), *steps, store(b, matrix, target)]
    return b.draft(body, operator_regime(draw, component, plain=plain)) if body else None


def operator_regime(draw: Choices, component: ComponentType, *, plain: bool) -> str:
    """Data of an operator: integers that stay in range."""
    if not is_float(component):
        return "small"
    return "window" if plain else draw.one_of(OF_OPERATORS)


def operate_loop(context: Context) -> Draft | None:
    """A loop in which a matrix from outside is added to or multiplied in every pass, and stored in some."""
    draw = context.choices
    b = ProgramBuilder(context, several(draw))
    component: ComponentType = answer_of(context).component
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    use, name = draw.one_of(USES)
    matrix = drawn(b, name, component, use, scope_of(draw))
    if matrix is None:
        return None
    before: Instruction = load(b, matrix, source)
    if draw.chance(30):
        scalar = scalar_of(component)
        before = Splat(name, scalar, b.scalar(name, scalar, plain=True))
    with b.loop(draw.integer(2, 3)) as passes:
        nested: list[Simple] = [step(b, matrix, draw.one_of(("add", "sub")), plain=True)]
        if draw.chance(50):
            nested.append(store(b, matrix, target))
    body: list[Instruction] = [before, Repeat(passes, tuple(nested))]
    if matrix.scope == "Wave" and b.waves > 1 and draw.chance(60):
        # The other waves keep what they have.
        body.append(Branch(0, (step(b, matrix, "add", plain=True),), draw.integer(1, b.waves - 1)))
    body.append(store(b, matrix, target))
    return b.draft(body, small_regime(component))


def operate_product(context: Context) -> Draft | None:
    """An operand or an accumulator changed by an operator between products: scaled, or with a constant added."""
    p = started(context, several(context.choices))
    if p is None or not COMPONENTS[p.answer.accumulator].native:
        return None
    b, draw = p.builder, context.choices
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    body: list[Instruction] = [load(b, one, source) for one in (p.a, p.b, p.c)]
    body += [p.step(), step(b, p.c, draw.one_of(("add", "sub", "mul")), plain=True)]
    if draw.chance(50):
        if COMPONENTS[p.answer.a].native:
            body.append(step(b, p.a, draw.one_of(("add", "sub")), plain=True))
        body.append(MultiplyAccumulate("C", "A", "B"))
    body.append(store(b, p.c, target))
    return b.draft(body, small_regime(p.answer.accumulator))


def unary(context: Context) -> Draft | None:
    """Operations that have one exact result, into a matrix of its own or in place; the source is not used again."""
    draw = context.choices
    component: ComponentType = answer_of(context).component
    row = COMPONENTS[component]
    operations = EXACT if row.format.is_float or row.format.signed else EXACT[:1]
    regime = draw.one_of(OF_UNARY) if is_float(component) else "small" if len(operations) > 1 else "distinct"
    return _unary(context, component, operations, regime)


def unary_curves(context: Context) -> Draft | None:
    """Sine, cosine and tangent, whose results are known for special values."""
    component: ComponentType = answer_of(context).component
    if component not in CURVED:
        return None
    return _unary(context, component, CURVES, context.choices.one_of(OF_CURVES))


def unary_specials(context: Context) -> Draft | None:
    """All three of zeros, infinities, NaN and other special values; loaded anew, as each may change its matrix."""
    component: ComponentType = answer_of(context).component
    if component not in CURVED:
        return None
    draw = context.choices
    b = ProgramBuilder(context, several(draw))
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    use, name = draw.one_of(USES)
    matrix = drawn(b, name, component, use, scope_of(draw))
    if matrix is None:
        return None
    body: list[Instruction] = []
    for operation in CURVES:
        result = b.matrix(operation, component, (matrix.m, matrix.n), use, matrix.scope)
        body += [load(b, matrix, source, data=operation), Unary(result.name, operation, matrix.name)]
        body.append(store(b, result, target))
    return b.draft(body, "specials")


def _unary(
    context: Context, component: ComponentType, operations: tuple[UnaryOperation, ...], regime: str
) -> Draft | None:
    draw = context.choices
    b = ProgramBuilder(context, several(draw))
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    body: list[Instruction] = []
    for use, name in draw.one_of((USES, USES[1:], USES[:2])):
        matrix = drawn(b, name, component, use, scope_of(draw))
        if matrix is None:
            continue
        result = matrix
        if draw.chance(60):
            result = b.matrix(f"{name}-of", component, (matrix.m, matrix.n), use, matrix.scope)
        one = Unary(result.name, draw.one_of(operations), matrix.name)
        stored = store(b, result, target)
        body.append(load(b, matrix, source))
        if result is not matrix and draw.chance(20):
            body.append(load(b, result, source))  # which is forgotten
        if matrix.scope == "Wave" and draw.chance(20):
            body.append(Branch(b.wave_size, (one, stored)))
        else:
            body += [one, stored]
    return b.draft(body, regime) if body else None


def unary_chain(context: Context) -> Draft | None:
    """Operations one after the other, in a loop or not, with an operator between: each takes the result before it."""
    draw = context.choices
    component: ComponentType = answer_of(context).component
    row = COMPONENTS[component]
    if not row.native or not (row.format.is_float or row.format.signed):
        return None
    b = ProgramBuilder(context, several(draw))
    source, target = b.room("in", read_only=draw.chance(50)), b.room("out")
    use: Use
    use, name = draw.one_of(USES)
    matrix = drawn(b, name, component, use, scope_of(draw))
    if matrix is None:
        return None
    nested: list[Simple] = []
    for _ in range(draw.integer(1, 3)):
        nested.append(Unary(name, draw.one_of(EXACT), name))
        if draw.chance(40):
            nested.append(step(b, matrix, draw.one_of(("add", "sub")), plain=True))
    with b.loop(draw.integer(2, 3)) as passes:
        stored = store(b, matrix, target)
        again: tuple[Simple, ...] = (Barrier(),) if draw.chance(20) else ()
    body: list[Instruction] = [load(b, matrix, source)]
    body += [Repeat(passes, (*nested, stored, *again))]
    return b.draft(body, small_regime(component))
