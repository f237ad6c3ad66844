"""Families of programs about fragments, sums, additions and operations with scalars."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.rows import Entry
from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Literal
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps, accumulators
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    ElementType,
    Fill,
    Instruction,
    MatrixKind,
    MultiplyAccumulate,
    ScalarAdd,
    ScalarDivide,
    ScalarMultiply,
    ScalarSubtract,
    SumAccumulate,
)
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.builder.constants import encoded
from mmaspec.strategies.hlsl_wave_matrix.builder.program import (
    FRAGMENT_NAMES,
    ONE_OF_EACH,
    ProgramBuilder,
    Style,
    shape_of,
)


def sums(context: DrawContext[WaveMmaCaps]) -> Draft:
    """Both fragments loaded with a stride, the sums of A and B added, stored twice: once apart, once side by side."""
    choices = context.choices
    builder = ProgramBuilder(context, choices.weighted(((3, 1), (1, 2))))
    a, b = builder.matrix("left", "A"), builder.matrix("right", "B")
    left, right = (builder.matrix(kind, name) for kind, name in FRAGMENT_NAMES)
    source, target = builder.room("in", read_only=choices.chance(50)), builder.room("out")
    body: list[Instruction] = [builder.load(left, source, Style(padded=True)), builder.load(right, source)]
    body += [builder.load(a, source), builder.load(b, source)]
    body += [SumAccumulate("L", "A"), SumAccumulate("R", "B")]
    body += [builder.store(left, target, Style(padded=True)), builder.store(right, target, Style(padded=True))]
    if choices.chance(40):
        body += [SumAccumulate("L", "A"), SumAccumulate("R", "B")]
    body += [builder.store(right, target, Style(padded=False)), builder.store(left, target, Style(padded=False))]
    return builder.draft(body, "wild" if "int" in context.row.tags else "window")


def add(context: DrawContext[WaveMmaCaps]) -> Draft:
    """A column, a row and a whole matrix, each added to an accumulator of its own, and the last one to itself."""
    choices = context.choices
    builder = ProgramBuilder(context)
    totals = [builder.matrix("accumulator", name) for name in ("C", "D", "E")]
    others = [*(builder.matrix(kind, name) for kind, name in FRAGMENT_NAMES), builder.matrix("accumulator", "F")]
    source, target = builder.room("in", read_only=choices.chance(50)), builder.room("out")
    body = _with_factor(builder, source, target)
    body += [builder.load(matrix, source) for matrix in (*totals, *others)]
    pairs = list(zip(totals, others, strict=True))
    for total, other in pairs if choices.chance(50) else pairs[::-1]:
        body += [Add(total.name, other.name), builder.store(total, target)]
    # A matrix may be added to itself.
    body += [Add("F", "F"), builder.store(others[-1], target)]
    regimes = ("wild", "overflow") if "int" in context.row.tags else ("normal", "whole", "specials")
    return builder.draft(body, choices.one_of(regimes), batch=builder.shape.batch // 2)


def overflow_elsewhere(context: DrawContext[WaveMmaCaps]) -> Draft:
    """Sums of one operand, additions and operations with scalars that leave int32, none of them a product."""
    choices = context.choices
    builder = ProgramBuilder(context)
    a, b = builder.matrix("left", "A", "s8"), builder.matrix("right", "B", "s8")
    left, right = (builder.matrix(kind, name) for kind, name in FRAGMENT_NAMES)
    total, other, scaled = (builder.matrix("accumulator", name) for name in ("C", "D", "E"))
    source, target = builder.room("in"), builder.room("out")
    body: list[Instruction] = [builder.load(matrix, source) for matrix in (a, b, left, right, total, other, scaled)]
    for fragment, operand in ((left, "A"), (right, "B")):
        body += [SumAccumulate(fragment.name, operand), builder.store(fragment, target)]
    body += [Add(total.name, other.name), builder.store(total, target)]
    # Far enough for whatever lies near an end of the range, and in one direction only.
    far = Literal(1 << choices.integer(20, 30))
    moved = ScalarAdd(other.name, far) if choices.chance(50) else ScalarSubtract(other.name, far)
    body += [moved, builder.store(other, target)]
    factor = Literal(encoded(FORMATS[scaled.element], choices.one_of((2, -2, 3, -3))))
    body += [ScalarMultiply(scaled.name, factor), builder.store(scaled, target)]
    return builder.draft(body, "overflow", batch=builder.shape.batch // 2)


def specials_elsewhere(context: DrawContext[WaveMmaCaps]) -> Draft:
    """NaN and infinities in sums of one operand, additions and operations with scalars, none of them a product."""
    choices = context.choices
    builder = ProgramBuilder(context)
    operand, fragment = choices.one_of(((ONE_OF_EACH[0], FRAGMENT_NAMES[0]), (ONE_OF_EACH[1], FRAGMENT_NAMES[1])))
    summed, total = builder.matrix(*operand), builder.matrix(*fragment)
    added, other, scaled = (builder.matrix("accumulator", name) for name in ("C", "D", "E"))
    source, target = builder.room("in"), builder.room("out")
    body: list[Instruction] = [builder.load(matrix, source) for matrix in (summed, total, added, other, scaled)]
    body += [SumAccumulate(total.name, summed.name), builder.store(total, target)]
    body += [Add(added.name, other.name), builder.store(added, target)]
    # A constant first: infinity times it stays what it is, so that only what was NaN is one.
    factor = Literal(encoded(FORMATS[scaled.element], choices.one_of((2, -2, 3))))
    body += [builder.scaled(ScalarMultiply, scaled, factor), builder.store(scaled, target)]
    body.append(builder.scaled(ScalarAdd if choices.chance(50) else ScalarSubtract, scaled))
    body.append(builder.store(scaled, target))
    # Half of the specials are NaN, and not every item has one in every matrix.
    return builder.draft(body, "specials", batch=max(4, builder.shape.batch // 2))


def other_elements(row: Row[Entry], caps: WaveMmaCaps) -> tuple[ElementType, ...]:
    """Types of accumulators that the device has in this size besides the row's own."""
    shape = shape_of(row)
    names: tuple[ElementType, ...] = ("s32", "f16", "f32")
    offered = {
        element
        for answer in caps.support
        if answer.supported and (answer.m, answer.n) == (shape.m, shape.n)
        for element in accumulators(answer)
    }
    return tuple(name for name in names if name in offered and name != shape.accumulator)


def _with_factor(builder: ProgramBuilder, source: str, target: str) -> list[Instruction]:
    """Nothing, unless rows of different wave sizes list these sums: then a Left or Right of this row, which decides."""
    if builder.agrees():
        return []
    factor = builder.matrix(*builder.choices.one_of(ONE_OF_EACH[:2]))
    return [builder.load(factor, source), builder.store(factor, target)]


def cast(context: DrawContext[WaveMmaCaps]) -> Draft | None:
    """A column, a row or a whole matrix of another type added: small whole numbers, which every type holds.

    One of them is added to zeros as well, which leave of any value what the cast makes of it.
    """
    choices = context.choices
    options = other_elements(context.row, context.caps)
    if not options:
        return None
    builder = ProgramBuilder(context)
    totals = [builder.matrix("accumulator", name) for name in ("C", "D")]
    kinds: tuple[MatrixKind, ...] = ("left-col-acc", "right-row-acc", "accumulator")
    first = choices.integer(0, 2)
    others = [
        builder.matrix(kinds[(first + n) % 3], name, choices.one_of(options)) for n, name in enumerate(("X", "Y"))
    ]
    source, target = builder.room("in"), builder.room("out")
    body = _with_factor(builder, source, target)
    if not builder.agrees():
        return None
    body += [builder.load(matrix, source) for matrix in (*others, *totals)]
    for total, other in zip(totals, others, strict=True):
        body += [Add(total.name, other.name), builder.store(total, target)]
    for other in others:
        body += [Fill("C", Literal(0)), Add("C", other.name), builder.store(totals[0], target)]
    return builder.draft(body, "whole-and-edges", batch=builder.shape.batch // 2)


def edges(context: DrawContext[WaveMmaCaps]) -> Draft:
    """Every class of value in every operation but products of two matrices; each finds its operands as loaded."""
    choices = context.choices
    builder = ProgramBuilder(context)
    factors = {"L": builder.matrix("left", "A"), "R": builder.matrix("right", "B")}
    fragments = [builder.matrix(kind, name) for kind, name in FRAGMENT_NAMES]
    total, other = builder.matrix("accumulator", "C"), builder.matrix("accumulator", "D")
    source, target = builder.room("in", read_only=choices.chance(50)), builder.room("out")
    body: list[Instruction] = []
    for fragment in fragments:
        factor = factors[fragment.name]
        body += [builder.load(factor, source), builder.load(fragment, source)]
        body += [SumAccumulate(fragment.name, factor.name), builder.store(fragment, target)]
    body += [builder.load(total, source), MultiplyAccumulate("C", "A", "B"), builder.store(total, target)]
    for method in (ScalarMultiply, ScalarDivide, ScalarAdd, ScalarSubtract):
        for matrix in (total, choices.one_of(fragments)):
            body.append(builder.load(matrix, source, data=f"{matrix.name}-{builder.rooms[source].used}"))
            body += [method(matrix.name, builder.scalar(matrix)), builder.store(matrix, target)]
    body += [builder.load(other, source), builder.load(total, source, data="total"), Add("C", "D")]
    body.append(builder.store(total, target))
    return builder.draft(body, "edges")


def scalars(context: DrawContext[WaveMmaCaps]) -> Draft:
    """Every operation on an accumulator and on a fragment; in one of them lanes disagree on the value."""
    choices = context.choices
    builder = ProgramBuilder(context)
    total, fragment = builder.matrix("accumulator", "C"), builder.matrix(*choices.one_of(FRAGMENT_NAMES))
    source, target = builder.room("in"), builder.room("out")
    body = _with_factor(builder, source, target)
    for matrix in (total, fragment):
        body.append(builder.load(matrix, source))
        # Multiplied before it is divided, so that the quotient is exact.
        fmt = FORMATS[matrix.element]
        factor = Literal(encoded(fmt, choices.one_of((2, -2, 3, 4, -4, 8))))
        steps = [
            builder.scaled(ScalarMultiply, matrix, factor),
            builder.scaled(ScalarDivide, matrix, factor),
            builder.scaled(ScalarSubtract, matrix),
            builder.scaled(ScalarAdd, matrix),
        ]
        varied = choices.integer(2, 3)
        steps[varied] = replace(steps[varied], lane=choices.one_of((1, 2, 5)) << max(fmt.fraction_bits - 2, 0))
        if choices.chance(50):
            steps = [*steps[2:], *steps[:2]]
        if not fmt.is_float:
            # At last quotients that are not exact; what follows them would not be judged by documents alone.
            steps.append(ScalarDivide(matrix.name, Literal(encoded(fmt, choices.one_of((3, -3, 5, -7))))))
        for step in steps:
            body += [step, builder.store(matrix, target)]
    regime = choices.one_of(("small", "whole") if "int" in context.row.tags else ("whole", "normal", "window"))
    return builder.draft(body, regime, batch=builder.shape.batch // 4)
