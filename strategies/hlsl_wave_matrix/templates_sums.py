"""Families of programs about fragments, sums, additions and operations with scalars."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Literal
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps, accumulators
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Element,
    Instruction,
    Kind,
    ScalarAdd,
    ScalarDivide,
    ScalarMultiply,
    ScalarSubtract,
    SumAccumulate,
)
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.hlsl_wave_matrix.builder import Sheet, Style, shape_of
from mmaspec.strategies.hlsl_wave_matrix.constants import encoded

FRAGMENT_NAMES: tuple[tuple[Kind, str], ...] = (("left-col-acc", "L"), ("right-row-acc", "R"))
"""Kind and usual name of the two fragments."""


def sums(choices: Choices, row: Row, caps: WaveMmaCaps) -> Draft:
    """Both fragments loaded with a stride, the sums of A and B added, stored twice with other strides."""
    sheet = Sheet(choices, shape_of(row, caps), choices.weighted(((3, 1), (1, 2))))
    a, b = sheet.matrix("left", "A"), sheet.matrix("right", "B")
    left, right = (sheet.matrix(kind, name) for kind, name in FRAGMENT_NAMES)
    source, target = sheet.room("in", read_only=choices.chance(50)), sheet.room("out")
    body: list[Instruction] = [sheet.load(left, source, Style(padded=True)), sheet.load(right, source)]
    body += [sheet.load(a, source), sheet.load(b, source)]
    body += [SumAccumulate("L", "A"), SumAccumulate("R", "B")]
    body += [sheet.store(left, target, Style(padded=True)), sheet.store(right, target, Style(padded=True))]
    if choices.chance(40):
        body += [SumAccumulate("L", "A"), SumAccumulate("R", "B")]
    body += [sheet.store(right, target), sheet.store(left, target)]
    return sheet.draft(body, "wild" if "int" in row.tags else "window")


def add(choices: Choices, row: Row, caps: WaveMmaCaps) -> Draft:
    """A column, a row and a whole matrix, each added to an accumulator of its own."""
    sheet = Sheet(choices, shape_of(row, caps))
    totals = [sheet.matrix("accumulator", name) for name in ("C", "D", "E")]
    others = [*(sheet.matrix(kind, name) for kind, name in FRAGMENT_NAMES), sheet.matrix("accumulator", "F")]
    source, target = sheet.room("in", read_only=choices.chance(50)), sheet.room("out")
    body: list[Instruction] = [sheet.load(matrix, source) for matrix in (*totals, *others)]
    pairs = list(zip(totals, others, strict=True))
    for total, other in pairs if choices.chance(50) else pairs[::-1]:
        body += [Add(total.name, other.name), sheet.store(total, target)]
    regimes = ("wild", "overflow") if "int" in row.tags else ("normal", "whole", "specials")
    return sheet.draft(body, choices.one_of(regimes), batch=sheet.shape.batch // 2)


def other_elements(row: Row, caps: WaveMmaCaps) -> tuple[Element, ...]:
    """Types of accumulators that the device has in this size besides the row's own."""
    shape = shape_of(row, caps)
    names: tuple[Element, ...] = ("s32", "f16", "f32")
    offered = {
        element
        for answer in caps.support
        if answer.supported and (answer.m, answer.n) == (shape.m, shape.n)
        for element in accumulators(answer)
    }
    return tuple(name for name in names if name in offered and name != shape.accumulator)


def cast(choices: Choices, row: Row, caps: WaveMmaCaps) -> Draft | None:
    """A column, a row or a whole matrix of another type added: small whole numbers, which every type holds."""
    options = other_elements(row, caps)
    if not options:
        return None
    sheet = Sheet(choices, shape_of(row, caps))
    totals = [sheet.matrix("accumulator", name) for name in ("C", "D")]
    kinds: tuple[Kind, ...] = ("left-col-acc", "right-row-acc", "accumulator")
    first = choices.integer(0, 2)
    others = [sheet.matrix(kinds[(first + n) % 3], name, choices.one_of(options)) for n, name in enumerate(("X", "Y"))]
    source, target = sheet.room("in"), sheet.room("out")
    body: list[Instruction] = [sheet.load(matrix, source) for matrix in (*others, *totals)]
    for total, other in zip(totals, others, strict=True):
        body += [Add(total.name, other.name), sheet.store(total, target)]
    return sheet.draft(body, "whole", batch=sheet.shape.batch // 2)


def scalars(choices: Choices, row: Row, caps: WaveMmaCaps) -> Draft:
    """Every operation on an accumulator and on a fragment; in one of them lanes disagree on the value."""
    sheet = Sheet(choices, shape_of(row, caps))
    total, fragment = sheet.matrix("accumulator", "C"), sheet.matrix(*choices.one_of(FRAGMENT_NAMES))
    source, target = sheet.room("in"), sheet.room("out")
    body: list[Instruction] = []
    for matrix in (total, fragment):
        body.append(sheet.load(matrix, source))
        # Multiplied before it is divided, so that the quotient is exact.
        fmt = FORMATS[matrix.element]
        factor = Literal(encoded(fmt, choices.one_of((2, -2, 3, 4, -4, 8))))
        steps = [
            sheet.scaled(ScalarMultiply, matrix, factor),
            sheet.scaled(ScalarDivide, matrix, factor),
            sheet.scaled(ScalarSubtract, matrix),
            sheet.scaled(ScalarAdd, matrix),
        ]
        varied = choices.integer(2, 3)
        steps[varied] = replace(steps[varied], lane=choices.one_of((1, 2, 5)) << max(fmt.fraction_bits - 2, 0))
        if choices.chance(50):
            steps = [*steps[2:], *steps[:2]]
        for step in steps:
            body += [step, sheet.store(matrix, target)]
    regime = choices.one_of(("small", "whole") if "int" in row.tags else ("whole", "normal", "window"))
    return sheet.draft(body, regime, batch=sheet.shape.batch // 4)
