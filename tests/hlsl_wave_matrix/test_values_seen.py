"""A census: which classes of value every operation of the smoke list meets, operand by operand.

Products have regimes of their own; this is about everything else, in which a device may be wrong at the ends only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from mmaspec.oracle.hlsl_wave_matrix import SPEC
from mmaspec.oracle.hlsl_wave_matrix.arithmetic import Arithmetic
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.numerics.legal import Legal, certain_bits
from mmaspec.oracle.numerics.ordinals import is_inf, is_nan, is_subnormal
from mmaspec.programs.formats import Format
from mmaspec.programs.hlsl_wave_matrix.caps import DEFAULT_CAPS
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Fill,
    Repeat,
    ScalarOperation,
    SumAccumulate,
    simple_instructions,
)
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.enumerate import row_cases
from mmaspec.strategies.recipe import Recipe, materialise

Words = NDArray[np.uint64]
Cell = tuple[str, str, str]
"""Operation, operand and class of value."""

ROWS = ("byte-16x16-s32", "f16-16x16-f16", "f16-16x16-f32", "f32-16x16-f32")

FLOATS: dict[str, Callable[[Format, Words], NDArray[np.bool_]]] = {
    "nan": is_nan,
    "infinity": is_inf,
    "subnormal": is_subnormal,
    "zero": lambda fmt, bits: bits & ~np.uint64(fmt.sign_bit) == 0,
    "negative": lambda fmt, bits: bits & np.uint64(fmt.sign_bit) != 0,
    "highest binade": lambda fmt, bits: _exponent(fmt, bits) == fmt.emax + fmt.bias,
    "lowest binade": lambda fmt, bits: _exponent(fmt, bits) == 1,
}
INTS: dict[str, Callable[[NDArray[np.int64]], NDArray[np.bool_]]] = {
    "least": lambda x: x == -(1 << 31),
    "largest": lambda x: x == (1 << 31) - 1,
    "zero": lambda x: x == 0,
    "beyond 2^24": lambda x: (x > 1 << 24) & (x & 0xFF != 0),
    "below -2^24": lambda x: (x < -1 << 24) & (x & 0xFF != 0),
    "power of two": lambda x: (x > 2) & (x & (x - 1) == 0),
    "negative and odd": lambda x: (x < -2) & (x % 2 == 1),
}


def _exponent(fmt: Format, bits: Words) -> Words:
    return (bits & ~np.uint64(fmt.sign_bit)) >> np.uint64(fmt.fraction_bits)


def classes(legal: Legal) -> set[str]:
    """The classes among elements that are known to the bit."""
    fmt, (bits, known) = legal.fmt, certain_bits(legal)
    if fmt.is_float:
        return {name for name, belongs in FLOATS.items() if (belongs(fmt, bits) & known).any()}
    values = bits.astype(np.uint32).view(np.int32).astype(np.int64) if fmt.bits == 32 else None
    return set() if values is None else {name for name, belongs in INTS.items() if (belongs(values) & known).any()}


def census(recipes: Iterable[Recipe], monkeypatch: pytest.MonkeyPatch) -> set[Cell]:
    """What the operations of these recipes' programs find in their operands."""
    seen: set[Cell] = set()

    def note(operation: str, **operands: Legal) -> None:
        seen.update((operation, name, found) for name, legal in operands.items() for found in classes(legal))

    scalar, add, sums = Arithmetic.scalar, Arithmetic.add, Arithmetic._sums

    def scalar_seen(self: Arithmetic, method: ScalarOperation, matrix: Legal, value: Legal) -> Legal:
        result = scalar(self, method, matrix, value)
        note(type(method).__name__, matrix=matrix, scalar=value, result=result)
        return result

    def add_seen(self: Arithmetic, total: Legal, operand: Legal) -> Legal:
        note("Add", matrix=total, addend=operand)
        return add(self, total, operand)

    def sums_seen(self: Arithmetic, left: Legal, right: Legal, addend: Legal) -> Legal:
        note("SumAccumulate", operand=left, other=right, fragment=addend)
        return sums(self, left, right, addend)

    with monkeypatch.context() as patch:
        patch.setattr(Arithmetic, "scalar", scalar_seen)
        patch.setattr(Arithmetic, "add", add_seen)
        patch.setattr(Arithmetic, "_sums", sums_seen)
        for recipe in recipes:
            expect_by_reading(materialise(recipe), PRACTICE)
    return seen


def wanted(row: str) -> set[Cell]:
    """Every class in every operand, and in integer results those that only an exact one has."""
    of_value = FLOATS if SPEC.row(DEFAULT_CAPS, row).entry.accumulator != "s32" else INTS
    scaling = ("ScalarMultiply", "ScalarDivide", "ScalarAdd", "ScalarSubtract")
    cells = {(op, operand, name) for op in scaling for operand in ("matrix", "scalar") for name in of_value}
    cells |= {("Add", operand, name) for operand in ("matrix", "addend") for name in of_value}
    cells |= {("SumAccumulate", "fragment", name) for name in of_value}
    if of_value is INTS:
        return cells | {(op, "result", name) for op in scaling for name in ("least", "largest")}
    # The right operand of a sum of rows, and the left one of a sum of columns, are ones.
    return cells | {("SumAccumulate", side, name) for side in ("operand", "other") for name in of_value}


def recipes_of(row: str) -> tuple[Recipe, ...]:
    """The valid cases of a row in which one of the operations occurs."""
    listed = row_cases(SPEC.name, DEFAULT_CAPS, "quick", 20_240_901, row)
    about = (ScalarOperation, Add, SumAccumulate)
    return tuple(
        recipe
        for recipe in listed
        if not recipe.target and any(isinstance(i, about) for i, _ in simple_instructions(recipe.program))
    )


@pytest.mark.parametrize("row", ROWS)
def test_every_operation_meets_every_class_of_value(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert wanted(row) - census(recipes_of(row), monkeypatch) == set()


@pytest.mark.parametrize("row", ROWS)
def test_tame_data_would_leave_gaps(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tame = [replace(recipe, regime="whole") for recipe in recipes_of(row) if recipe.template == "edges"]
    assert tame
    assert len(wanted(row) - census(tame, monkeypatch)) > len(wanted(row)) // 3


def fills(row: str) -> set[str]:
    """What Fills of a row's smoke list overwrite, and how often."""
    found: set[str] = set()
    for recipe in recipes_all(row):
        written: set[str] = set()
        for node in recipe.program.body:
            inner = node.body if isinstance(node, Repeat) else (node,)
            for one in inner:
                if not isinstance(one, Fill):
                    written.add(getattr(one, "matrix", ""))
                    continue
                kind = "fragment" if recipe.program.matrix(one.matrix).is_fragment else "matrix"
                zero = getattr(one.value, "bits", 1) == 0
                if one.matrix in written:
                    found.add(f"{kind} that was written" + (", zeros" if zero else ""))
                if isinstance(node, Repeat):
                    found.add("in a loop")
    return found


def recipes_all(row: str) -> list[Recipe]:
    """The valid cases of a row."""
    return [r for r in row_cases(SPEC.name, DEFAULT_CAPS, "quick", 20_240_901, row) if not r.target]


def test_fills_overwrite_matrices_and_fragments_and_happen_in_loops() -> None:
    of_matrices = {"matrix that was written", "matrix that was written, zeros"}
    of_fragments = {"fragment that was written", "fragment that was written, zeros"}
    assert set().union(*map(fills, ROWS)) == {*of_matrices, *of_fragments, "in a loop"}


def test_matrices_are_added_to_themselves_and_accesses_begin_where_a_view_does() -> None:
    for row in ROWS:
        instructions = [i for r in recipes_all(row) for i, _ in simple_instructions(r.program)]
        assert any(isinstance(i, Add) and i.operand == i.matrix for i in instructions)
        starts = {(type(i).__name__, i.offset) for i in instructions if hasattr(i, "offset")}
        assert {("Load", 0), ("Store", 0)} <= starts
