"""The families of programs, each about a few clauses, with everything else drawn."""

from __future__ import annotations

from collections.abc import Callable

from mmaspec.oracle.spec import Row
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import (
    Element,
    Instruction,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    Repeat,
    Simple,
)
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft, Template
from mmaspec.strategies.hlsl_wave_matrix.builder import ONE_OF_EACH, Sheet, Style, shape_of
from mmaspec.strategies.hlsl_wave_matrix.samples import groupshared, plain, quantized
from mmaspec.strategies.hlsl_wave_matrix.templates_shared import shared_move, shared_product
from mmaspec.strategies.hlsl_wave_matrix.templates_sums import add, cast, scalars, sums

HARD_REGIMES = ("normal", "wild", "subnormal", "cancelling", "near-tie", "specials", "overflow-edge")
"""Float data on which devices may differ; sums of small integers have templates of their own."""


def exact_regime(row: Row) -> str:
    """Data whose sums are known to the bit, and reach far enough to show a lost one."""
    return "wild" if "int" in row.tags else "window"


def _sheet(choices: Choices, row: Row, caps: WaveMmaCaps, waves: int = 1) -> Sheet:
    return Sheet(choices, shape_of(row, caps), waves)


def move(choices: Choices, row: Row, caps: WaveMmaCaps) -> Draft:
    """Every kind of matrix loaded, stored in the same layout, and stored in the other orientation."""
    sheet = _sheet(choices, row, caps, choices.weighted(((3, 1), (1, 2))))
    body: list[Instruction] = []
    source, target = sheet.room("in"), sheet.room("out")
    first = choices.integer(0, 1)
    for (kind, name), col_major in zip(ONE_OF_EACH, (first, 1 - first, choices.integer(0, 1)), strict=True):
        matrix = sheet.matrix(kind, name)
        load = sheet.load(matrix, source, Style(col_major, padded=True, run_time=0))
        assert isinstance(load.stride, int)
        same = sheet.store(matrix, target, Style(col_major, stride=load.stride, run_time=0))
        turned = sheet.store(matrix, target, Style(1 - col_major))
        body += [load, *((same, turned) if choices.chance(50) else (turned, same))]
    return sheet.draft(body, "distinct", batch=sheet.shape.batch // 4)


def fill(choices: Choices, row: Row, caps: WaveMmaCaps) -> Draft:
    """Constants and scalars from memory, into fresh matrices and over loaded ones."""
    sheet = _sheet(choices, row, caps, choices.weighted(((3, 1), (1, 2))))
    body: list[Instruction] = []
    source, target = sheet.room("in"), sheet.room("out")
    constant = choices.chance(50)
    for kind, name in ONE_OF_EACH:
        matrix = sheet.matrix(kind, name)
        if kind == "accumulator" or choices.chance(50):
            body.append(sheet.load(matrix, source))
        body += [sheet.fill(matrix, literal=constant), sheet.store(matrix, target)]
        constant = not constant
    return sheet.draft(body, exact_regime(row), batch=sheet.shape.batch // 4)


def _operands(sheet: Sheet, elements: tuple[Element, Element] | None = None) -> tuple[Matrix, Matrix, Matrix]:
    left, right = elements or (None, None)
    return sheet.matrix("left", "A", left), sheet.matrix("right", "B", right), sheet.matrix("accumulator", "C")


def multiply(choices: Choices, row: Row, caps: WaveMmaCaps) -> Draft:
    """A row-major, B column-major, an accumulator with something in it that must be forgotten."""
    sheet = _sheet(choices, row, caps)
    a, b, c = _operands(sheet)
    source, other, target = sheet.room("in", read_only=True), sheet.room("more"), sheet.room("out")
    body: list[Instruction] = [
        sheet.load(a, source, Style(0, padded=True)),
        sheet.load(b, other, Style(1, padded=True)),
        sheet.load(c, source),
        Multiply("C", "A", "B"),
        sheet.store(c, target),
    ]
    return sheet.draft(body, exact_regime(row))


def accumulate(choices: Choices, row: Row, caps: WaveMmaCaps) -> Draft:
    """A column-major, B row-major, of both signs where there are any; the product added to loaded data."""
    sheet = _sheet(choices, row, caps)
    mixed: tuple[tuple[Element, Element], ...] = (("s8", "u8"), ("u8", "s8"))
    signs = choices.one_of(mixed) if "int" in row.tags else None
    a, b, c = _operands(sheet, signs)
    source, target = sheet.room("in", read_only=choices.chance(30)), sheet.room("out")
    body: list[Instruction] = [
        sheet.load(c, source),
        sheet.load(b, source, Style(0, padded=True)),
        sheet.load(a, source, Style(1, padded=True)),
        MultiplyAccumulate("C", "A", "B"),
        sheet.store(c, target, Style(padded=True)),
    ]
    return sheet.draft(body, exact_regime(row))


def depth_loop(choices: Choices, row: Row, caps: WaveMmaCaps) -> Draft:
    """A loop over K: operands advance in shared buffers, one accumulator takes every pass."""
    sheet = _sheet(choices, row, caps, choices.weighted(((3, 1), (1, 2))))
    a, b, c = _operands(sheet)
    source, target = sheet.room("in", read_only=choices.chance(50)), sheet.room("out")
    begin = sheet.fill(c) if choices.chance(40) else sheet.load(c, source)
    sheet.passes = choices.integer(2, 4)
    nested: list[Simple] = [
        sheet.load(a, source, Style(choices.weighted(((3, 0), (1, 1))))),
        sheet.load(b, source, Style(choices.weighted(((1, 0), (3, 1))))),
        MultiplyAccumulate("C", "A", "B"),
    ]
    if choices.chance(30):
        nested.append(sheet.store(c, target))
    count, sheet.passes = sheet.passes, 1
    body: list[Instruction] = [begin, Repeat(count, tuple(nested)), sheet.store(c, target)]
    draft = sheet.draft(body, "small" if "int" in row.tags else "window")
    return Draft(draft.program, draft.regime, max(2, draft.batch // count), draft.words)


def waves(choices: Choices, row: Row, caps: WaveMmaCaps) -> Draft:
    """Several waves with tiles of their own; one operand may be the same for all."""
    sheet = _sheet(choices, row, caps)
    several = choices.integer(2, 4)
    a, b, c = _operands(sheet)
    source, target = sheet.room("in", read_only=choices.chance(50)), sheet.room("out")
    shared = choices.integer(0, 2)
    body: list[Instruction] = []
    for number, matrix in enumerate((a, b, c)):
        sheet.waves = 1 if number == shared else several
        body.append(sheet.load(matrix, source))
    sheet.waves = several
    body += [sheet.product("C", "A", "B"), sheet.depth(choices.one_of((a, b)), target), sheet.store(c, target)]
    return sheet.draft(body, exact_regime(row))


def run_time(choices: Choices, row: Row, caps: WaveMmaCaps) -> Draft:
    """Offsets, strides and orientations that are not known before the program runs."""
    sheet = _sheet(choices, row, caps)
    a, b, c = _operands(sheet)
    source, target = sheet.room("in"), sheet.room("out")
    style = Style(run_time=85)
    body: list[Instruction] = [
        sheet.load(a, source, style),
        sheet.load(b, source, style),
        sheet.load(c, source, style),
        MultiplyAccumulate("C", "A", "B"),
        sheet.store(c, target, style),
    ]
    return sheet.draft(body, "small" if "int" in row.tags else "window")


def rounding(regime: str) -> Callable[[Choices, Row, WaveMmaCaps], Draft]:
    """Floats for which nothing is exact: signs, specials, subnormals, the ends of the range; a short chain."""

    def build(choices: Choices, row: Row, caps: WaveMmaCaps) -> Draft:
        return _chain(choices, row, caps, regime)

    return build


def overflow(choices: Choices, row: Row, caps: WaveMmaCaps) -> Draft:
    """Sums that leave int32 at both ends."""
    return _chain(choices, row, caps, "overflow")


def _chain(choices: Choices, row: Row, caps: WaveMmaCaps, regime: str) -> Draft:
    sheet = _sheet(choices, row, caps)
    a, b, c = _operands(sheet)
    source, target = sheet.room("in"), sheet.room("out")
    body: list[Instruction] = [sheet.load(c, source), sheet.load(a, source), sheet.load(b, source)]
    body.append(MultiplyAccumulate("C", "A", "B"))
    if choices.chance(30):
        body += [sheet.store(c, target), MultiplyAccumulate("C", "A", "B")]
    body.append(sheet.store(c, target))
    return sheet.draft(body, regime)


TEMPLATES = (
    Template(
        "move",
        ("WM-ADDR-ROW", "WM-ADDR-COL", "WM-PACK-DIR", "WM-SHAPE", "WM-STORE-TRANSPOSE", "WM-ROUNDTRIP", "WM-STORE-ALL"),
        move,
    ),
    Template("fill", ("WM-FILL",), fill),
    Template("multiply", ("WM-MUL", "WM-LOAD-ALL", "WM-FP-SUM", "WM-INT-EXACT"), multiply),
    Template("accumulate", ("WM-MAC", "WM-MUL-MIXSIGN", "WM-TILING"), accumulate),
    Template("depth-loop", ("WM-MAC", "WM-ADDR-ROW", "WM-ADDR-COL", "WM-DEPTH-ELEMS"), depth_loop),
    Template("waves", ("WM-ONE-PER-WAVE", "WM-K-UNIQUE"), waves),
    Template("run-time", ("WM-ADDR-ROW", "WM-ADDR-COL"), run_time),
    Template("sums", ("WM-SUMACC-LEFT", "WM-SUMACC-RIGHT", "WM-ADDR-FRAG", "WM-STORE-ALL"), sums),
    Template("add", ("WM-ADD-COL", "WM-ADD-ROW", "WM-ADD-FULL"), add),
    Template("cast", ("WM-ADD-CAST",), cast),
    Template("scalars", ("WM-SCALAR-OPS", "WM-FIRST-LANE"), scalars),
    Template("shared-move", ("WM-ADDR-GS", "WM-PACK-DIR"), shared_move),
    Template("shared-product", ("WM-ADDR-GS", "WM-ONE-PER-WAVE"), shared_product),
    Template("sample-plain", ("WM-MAC", "WM-FP-SUM"), plain, rows=("f16",)),
    Template("sample-quantized", ("WM-MAC", "WM-SUMACC-LEFT", "WM-SUMACC-RIGHT"), quantized, rows=("byte",)),
    Template("sample-groupshared", ("WM-ADDR-GS", "WM-ONE-PER-WAVE"), groupshared, rows=("f16",)),
    *(Template(f"rounding-{regime}", ("WM-FP-SUM",), rounding(regime), rows=("float",)) for regime in HARD_REGIMES),
    Template("overflow", ("WM-INT-EXACT", "WM-INT-OVERFLOW"), overflow, rows=("int",)),
)
"""Every template of the grammar."""
