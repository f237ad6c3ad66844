"""Families of programs about loads, stores and products."""

from __future__ import annotations

from collections.abc import Callable

from mmaspec.oracle.hlsl_wave_matrix.rows import Entry
from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Literal
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import (
    ElementType,
    Fill,
    Instruction,
    Matrix,
    MatrixKind,
    Multiply,
    MultiplyAccumulate,
    Repeat,
    Simple,
)
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.builder.program import FRAGMENT_NAMES, ONE_OF_EACH, ProgramBuilder, Style

HARD_REGIMES = ("normal", "wild", "subnormal", "cancelling", "near-tie", "specials", "overflow-edge")
"""Float data on which devices may differ; sums of small integers have templates of their own."""


def exact_regime(row: Row[Entry]) -> str:
    """Data whose sums are known to the bit, and reach far enough to show a lost one."""
    return "wild" if "int" in row.tags else "window"


def move(context: DrawContext[WaveMmaCaps]) -> Draft:
    """Every kind of matrix loaded, stored in the same layout, and stored in the other orientation."""
    choices = context.choices
    builder = ProgramBuilder(context, choices.weighted(((3, 1), (1, 2))))
    body: list[Instruction] = []
    source, target = builder.room("in"), builder.room("out")
    first = choices.integer(0, 1)
    for (kind, name), col_major in zip(ONE_OF_EACH, (first, 1 - first, choices.integer(0, 1)), strict=True):
        matrix = builder.matrix(kind, name)
        load = builder.load(matrix, source, Style(col_major, padded=True, run_time=0))
        assert isinstance(load.stride, int)
        same = builder.store(matrix, target, Style(col_major, stride=load.stride, run_time=0))
        turned = builder.store(matrix, target, Style(1 - col_major))
        body += [load, *((same, turned) if choices.chance(50) else (turned, same))]
    return builder.draft(body, "distinct", batch=builder.shape.batch // 4)


def move_subnormals(context: DrawContext[WaveMmaCaps]) -> Draft:
    """Subnormals loaded or filled in, and stored unchanged: a factor, an accumulator and a fragment (WM-AMB-18)."""
    choices = context.choices
    builder = ProgramBuilder(context)
    source, target = builder.room("in", read_only=choices.chance(50)), builder.room("out")
    body: list[Instruction] = []
    factor, fragment = choices.one_of(ONE_OF_EACH[:2]), choices.one_of(FRAGMENT_NAMES)
    for kind, name in (factor, ONE_OF_EACH[2], fragment):
        matrix = builder.matrix(kind, name)
        style = Style(choices.integer(0, 1), run_time=0)
        body += [builder.load(matrix, source, style), builder.store(matrix, target)]
    filled = builder.matrix("accumulator", "D")
    value = choices.integer(1, (1 << FORMATS[filled.element].fraction_bits) - 1)
    body += [Fill(filled.name, Literal(value)), builder.store(filled, target)]
    return builder.draft(body, "subnormal", batch=builder.shape.batch // 8)


def fill(context: DrawContext[WaveMmaCaps]) -> Draft:
    """Constants, zero among them, and scalars from memory, into fresh matrices and over loaded ones, and in a loop."""
    choices = context.choices
    builder = ProgramBuilder(context, choices.weighted(((3, 1), (1, 2))))
    body: list[Instruction] = []
    source, target = builder.room("in"), builder.room("out")
    constant = choices.chance(50)
    for kind, name in ONE_OF_EACH:
        matrix = builder.matrix(kind, name)
        if kind == "accumulator" or choices.chance(50):
            body.append(builder.load(matrix, source))
        body += [builder.fill(matrix, literal=constant), builder.store(matrix, target)]
        constant = not constant
    # Zeros over what was there, as a constant and then not, and a Fill that has to happen again in every pass.
    others: tuple[tuple[MatrixKind, str], ...] = (*FRAGMENT_NAMES, ("accumulator", "D"))
    again = builder.matrix(*choices.one_of(others))
    for matrix in (again, builder.matrices[choices.integer(0, 2)]):
        body += [builder.load(matrix, source), Fill(matrix.name, Literal(0)), builder.store(matrix, target)]
    builder.passes = 2
    nested: tuple[Simple, ...] = (
        builder.load(again, source, data="again"),
        builder.fill(again, literal=constant),
        builder.store(again, target),
    )
    count, builder.passes = builder.passes, 1
    body.append(Repeat(count, nested))
    return builder.draft(body, exact_regime(context.row), batch=builder.shape.batch // 4)


def _operands(
    builder: ProgramBuilder, elements: tuple[ElementType, ElementType] | None = None
) -> tuple[Matrix, Matrix, Matrix]:
    left, right = elements or (None, None)
    return builder.matrix("left", "A", left), builder.matrix("right", "B", right), builder.matrix("accumulator", "C")


def multiply(context: DrawContext[WaveMmaCaps]) -> Draft:
    """A row-major, B column-major, an accumulator with something in it that must be forgotten."""
    builder = ProgramBuilder(context)
    a, b, c = _operands(builder)
    source, other, target = builder.room("in", read_only=True), builder.room("more"), builder.room("out")
    body: list[Instruction] = [
        builder.load(a, source, Style(0, padded=True)),
        builder.load(b, other, Style(1, padded=True)),
        builder.load(c, source),
        Multiply("C", "A", "B"),
        builder.store(c, target),
    ]
    return builder.draft(body, exact_regime(context.row))


def accumulate(context: DrawContext[WaveMmaCaps]) -> Draft:
    """A column-major, B row-major, of both signs where there are any; the product added to loaded data."""
    choices = context.choices
    builder = ProgramBuilder(context)
    mixed: tuple[tuple[ElementType, ElementType], ...] = (("s8", "u8"), ("u8", "s8"))
    signs = choices.one_of(mixed) if "int" in context.row.tags else None
    a, b, c = _operands(builder, signs)
    source, target = builder.room("in", read_only=choices.chance(30)), builder.room("out")
    body: list[Instruction] = [
        builder.load(c, source),
        builder.load(b, source, Style(0, padded=True)),
        builder.load(a, source, Style(1, padded=True)),
        MultiplyAccumulate("C", "A", "B"),
        builder.store(c, target, Style(padded=True)),
    ]
    return builder.draft(body, exact_regime(context.row))


def depth_loop(context: DrawContext[WaveMmaCaps]) -> Draft:
    """A loop over K: operands advance in shared buffers, one accumulator takes every pass."""
    choices = context.choices
    builder = ProgramBuilder(context, choices.weighted(((3, 1), (1, 2))))
    a, b, c = _operands(builder)
    source, target = builder.room("in", read_only=choices.chance(50)), builder.room("out")
    begin = builder.fill(c) if choices.chance(40) else builder.load(c, source)
    builder.passes = choices.integer(2, 4)
    nested: list[Simple] = [
        builder.load(a, source, Style(choices.weighted(((3, 0), (1, 1))))),
        builder.load(b, source, Style(choices.weighted(((1, 0), (3, 1))))),
        MultiplyAccumulate("C", "A", "B"),
    ]
    if choices.chance(30):
        nested.append(builder.store(c, target))
    count, builder.passes = builder.passes, 1
    body: list[Instruction] = [begin, Repeat(count, tuple(nested)), builder.store(c, target)]
    draft = builder.draft(body, "small" if "int" in context.row.tags else "window")
    return Draft(draft.program, draft.regime, max(2, draft.batch // count), draft.words)


def waves(context: DrawContext[WaveMmaCaps]) -> Draft:
    """Several waves with tiles of their own; one operand may be the same for all."""
    choices = context.choices
    builder = ProgramBuilder(context)
    several = choices.integer(2, 4)
    a, b, c = _operands(builder)
    source, target = builder.room("in", read_only=choices.chance(50)), builder.room("out")
    shared = choices.integer(0, 2)
    body: list[Instruction] = []
    for number, matrix in enumerate((a, b, c)):
        builder.waves = 1 if number == shared else several
        body.append(builder.load(matrix, source))
    builder.waves = several
    body += [builder.product("C", "A", "B"), builder.depth(choices.one_of((a, b)), target), builder.store(c, target)]
    return builder.draft(body, exact_regime(context.row))


def run_time(context: DrawContext[WaveMmaCaps]) -> Draft:
    """Offsets, strides and orientations that are not known before the program runs."""
    builder = ProgramBuilder(context)
    a, b, c = _operands(builder)
    source, target = builder.room("in"), builder.room("out")
    style = Style(run_time=85)
    body: list[Instruction] = [
        builder.load(a, source, style),
        builder.load(b, source, style),
        builder.load(c, source, style),
        MultiplyAccumulate("C", "A", "B"),
        builder.store(c, target, style),
    ]
    return builder.draft(body, "small" if "int" in context.row.tags else "window")


def rounding(regime: str) -> Callable[[DrawContext[WaveMmaCaps]], Draft]:
    """Floats for which nothing is exact: signs, specials, subnormals, the ends of the range; a short chain."""

    def build(context: DrawContext[WaveMmaCaps]) -> Draft:
        return _chain(context, regime)

    return build


def overflow(context: DrawContext[WaveMmaCaps]) -> Draft:
    """Sums that leave int32 at both ends."""
    return _chain(context, "overflow")


def _chain(context: DrawContext[WaveMmaCaps], regime: str) -> Draft:
    builder = ProgramBuilder(context)
    a, b, c = _operands(builder)
    source, target = builder.room("in"), builder.room("out")
    body: list[Instruction] = [builder.load(c, source), builder.load(a, source), builder.load(b, source)]
    body.append(MultiplyAccumulate("C", "A", "B"))
    if context.choices.chance(30):
        body += [builder.store(c, target), MultiplyAccumulate("C", "A", "B")]
    body.append(builder.store(c, target))
    return builder.draft(body, regime)
