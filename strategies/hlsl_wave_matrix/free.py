"""Random programs: valid and defined, otherwise without a plan."""

from __future__ import annotations

from mmaspec.oracle.spec import Row
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import Instruction, Matrix, Repeat, Simple
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft
from mmaspec.strategies.hlsl_wave_matrix.builder import ONE_OF_EACH, Sheet, shape_of

LONGEST = 10
"""Most instructions of a random program, its last Store not counted."""


def free(choices: Choices, row: Row, caps: WaveMmaCaps) -> Draft:
    """Up to ten instructions on two matrices of each kind, each written before it is read."""
    sheet = Sheet(choices, shape_of(row, caps), choices.weighted(((3, 1), (1, 2))))
    for kind, name in ONE_OF_EACH:
        sheet.matrix(kind, name)
        sheet.matrix(kind, f"{name}2")
    sheet.room("in", read_only=choices.chance(50))
    sheet.room("out")
    written: list[Matrix] = []
    body: list[Instruction] = []
    for _ in range(choices.integer(4, LONGEST)):
        if choices.chance(15):
            body.append(_loop(sheet, written))
        else:
            body.append(_any(sheet, written))
    body.append(sheet.store(choices.one_of(written), "out"))
    regimes = ("small", "wild") if "int" in row.tags else ("window", "window", "normal", "specials")
    return sheet.draft(body, choices.one_of(regimes), batch=sheet.shape.batch // 4)


def _loop(sheet: Sheet, written: list[Matrix]) -> Instruction:
    sheet.passes = sheet.choices.integer(2, 3)
    nested = tuple(_any(sheet, written) for _ in range(sheet.choices.integer(1, 3)))
    count, sheet.passes = sheet.passes, 1
    return Repeat(count, nested)


def _any(sheet: Sheet, written: list[Matrix]) -> Simple:
    draw = sheet.choices
    kinds = {kind: [m for m in written if m.kind == kind] for kind in ("left", "right", "accumulator")}
    options = [(3, "load"), (1, "fill")]
    if written:
        options.append((2, "store"))
    if all(kinds.values()):
        options.append((5, "product"))
    what = draw.weighted(options)
    if what == "store":
        return sheet.store(draw.one_of(written), "out")
    if what == "product":
        left, right, total = (draw.one_of(kinds[kind]).name for kind in ("left", "right", "accumulator"))
        return sheet.product(total, left, right)
    # What is not written yet comes first, so that products are soon possible.
    fresh = [matrix for matrix in sheet.matrices if matrix not in written]
    matrix = draw.one_of(fresh if fresh and draw.chance(75) else sheet.matrices)
    if matrix not in written:
        written.append(matrix)
    if what == "fill":
        return sheet.fill(matrix)
    return sheet.load(matrix, "in", data=f"{matrix.name}-{sheet.rooms['in'].used}")
