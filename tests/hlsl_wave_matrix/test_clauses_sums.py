"""Clauses of arithmetic, one by one: a program written by hand, and its result in plain integers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.numerics.legal import illegal
from mmaspec.programs.base import Literal
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    ElementType,
    Fill,
    Load,
    Matrix,
    MatrixKind,
    Multiply,
    MultiplyAccumulate,
    ScalarAdd,
    ScalarDivide,
    ScalarMultiply,
    ScalarSubtract,
    SumAccumulate,
)
from mmaspec.programs.profile import DOCUMENT

from .by_hand import BYTES, acted, answer, program, signed, tight


def product(m: int, n: int, left: ElementType, right: ElementType, *, accumulate: bool) -> Defined:
    """The product of the first bytes of the memory, all of them above 127 where the factors are ``high``."""
    matrices = (
        Matrix("A", "left", left, m, n, 32),
        Matrix("B", "right", right, m, n, 32),
        Matrix("C", "accumulator", "s32", m, n),
    )
    kind = MultiplyAccumulate if accumulate else Multiply
    body = (Load("A", "in", 0, 32), Load("B", "in", 4096, n), Load("C", "in", 0, 4 * n), kind("C", "A", "B"))
    return answer(program(matrices, *body, tight(matrices[2])), BYTES + np.uint8(0x90))


def factors(m: int, n: int, left: str, right: str) -> NDArray[np.int64]:
    """The same product in plain integers, each operand with its own sign."""
    memory = BYTES + np.uint8(0x90)
    types = {"u8": np.uint8, "s8": np.int8}
    a = memory[: 32 * m].view(types[left]).reshape(m, 32).astype(np.int64)
    b = memory[4096 : 4096 + 32 * n].view(types[right]).reshape(32, n).astype(np.int64)
    return a @ b


SIGNS: tuple[tuple[ElementType, ElementType], ...] = (("u8", "u8"), ("u8", "s8"), ("s8", "u8"), ("s8", "s8"))


@pytest.mark.parametrize(("left", "right"), SIGNS)
def test_bytes_are_multiplied_with_their_own_signs(left: ElementType, right: ElementType) -> None:
    """WM-MUL: whatever C held. WM-DEPTH-ELEMS: 32 bytes, not 32 dwords. WM-MUL-MIXSIGN where the signs differ."""
    found = product(16, 16, left, right, accumulate=False)
    assert np.array_equal(signed(found), factors(16, 16, left, right))
    assert {"WM-MUL", "WM-DEPTH-ELEMS", "WM-INT-EXACT"} <= acted(found)
    assert ("WM-MUL-MIXSIGN" in acted(found)) == (left != right)


@pytest.mark.parametrize(("m", "n"), [(16, 64), (64, 16), (64, 64)])
def test_large_products_are_whole_products(m: int, n: int) -> None:
    """WM-TILING."""
    found = product(m, n, "u8", "s8", accumulate=False)
    assert np.array_equal(signed(found), factors(m, n, "u8", "s8"))
    assert "WM-TILING" in acted(found)


def test_a_product_is_added_to_what_is_there() -> None:
    """WM-MAC, WM-INT-EXACT: to the last bit, far above what a float of 32 bits holds."""
    matrices = (
        Matrix("A", "left", "u8", 16, 16, 32),
        Matrix("B", "right", "u8", 16, 16, 32),
        Matrix("C", "accumulator", "s32", 16, 16),
    )
    ones = (Fill("A", Literal(0x0101_0101)), Fill("B", Literal(0x0303_0303)), Fill("C", Literal(0x7000_0001)))
    found = answer(program(matrices, *ones, MultiplyAccumulate("C", "A", "B"), tight(matrices[2])))
    assert (signed(found) == 0x7000_0001 + 32 * 3).all()
    assert {"WM-MAC", "WM-INT-EXACT"} <= acted(found)


@pytest.mark.parametrize(
    ("accumulator", "start", "right", "wrong"),
    [("f32", 0x4480_0000, 0x4480_2000, 0x4480_0000), ("f16", 0x6400, 0x6401, 0x6440)],
)
def test_float_sums_are_at_least_as_precise_as_the_accumulator(
    accumulator: ElementType, start: int, right: int, wrong: int
) -> None:
    """WM-FP-SUM: 1024 + 16 times 1/16 is 1025 in either type, and in f32 nothing is lost on the way."""
    matrices = (
        Matrix("A", "left", "f16", 16, 16, 16),
        Matrix("B", "right", "f16", 16, 16, 16),
        Matrix("C", "accumulator", accumulator, 16, 16),
    )
    body = (Fill("A", Literal(0x2C00)), Fill("B", Literal(0x3C00)), Fill("C", Literal(start)))
    found = answer(program(matrices, *body, MultiplyAccumulate("C", "A", "B"), tight(matrices[2])))
    legal = found.regions[-1].legal
    assert not illegal(legal, np.full(legal.shape, right, np.uint64)).any()
    assert illegal(legal, np.full(legal.shape, wrong, np.uint64)).all()
    assert "WM-FP-SUM" in acted(found)


@pytest.mark.parametrize(
    ("clause", "kind", "operand", "axis"),
    [
        ("WM-SUMACC-LEFT", "left-col-acc", Matrix("X", "left", "u8", 16, 64, 32), 1),
        ("WM-SUMACC-RIGHT", "right-row-acc", Matrix("X", "right", "u8", 16, 64, 32), 0),
    ],
)
def test_sums_of_one_operand(clause: str, kind: MatrixKind, operand: Matrix, axis: int) -> None:
    """Element r gains the sum of row r of a Left, element c that of column c of a Right."""
    total = Matrix("F", kind, "s32", 16, 64)
    body = (Load("X", "in", 0, operand.cols), Load("F", "in", 8192, 4), SumAccumulate("F", "X"), tight(total))
    found = answer(program((operand, total), *body))
    data = BYTES[: operand.rows * operand.cols].reshape(operand.rows, operand.cols).astype(np.int64)
    before = BYTES[8192:].view("<i4")[: total.rows * total.cols]
    assert np.array_equal(signed(found).ravel(), before + data.sum(axis=axis))
    assert clause in acted(found)


SMALL = (BYTES % 4).astype(np.uint8)
ADDENDS: tuple[tuple[str, MatrixKind, tuple[int, int]], ...] = (
    ("WM-ADD-COL", "left-col-acc", (16, 1)),
    ("WM-ADD-ROW", "right-row-acc", (1, 64)),
    ("WM-ADD-FULL", "accumulator", (16, 64)),
)


@pytest.mark.parametrize(("clause", "kind", "shape"), ADDENDS, ids=[clause for clause, *_ in ADDENDS])
def test_addends_are_broadcast(clause: str, kind: MatrixKind, shape: tuple[int, int]) -> None:
    """A column is added to every column, a row to every row, a matrix to the matrix."""
    total, operand = Matrix("C", "accumulator", "s32", 16, 64), Matrix("F", kind, "s32", 16, 64)
    load = Load("F", "in", 8192, 4 if operand.is_fragment else 4 * shape[1])
    found = answer(program((total, operand), Load("C", "in", 0, 256), load, Add("C", "F"), tight(total)), SMALL)
    words = SMALL.view("<i4").astype(np.int64)
    wanted = words[: 16 * 64].reshape(16, 64) + words[2048 : 2048 + shape[0] * shape[1]].reshape(shape)
    assert np.array_equal(signed(found), wanted)
    assert clause in acted(found)


@pytest.mark.parametrize(
    ("total", "start", "operand", "value", "wanted"),
    [
        ("f32", 0x3F80_0000, "f16", 0x4100, 0x4060_0000),  # 1 + 2.5
        ("f32", 0x3F80_0000, "s32", 3, 0x4080_0000),  # 1 + 3
        ("s32", 7, "f32", 0x40A0_0000, 12),  # 7 + 5
    ],
)
def test_addends_are_cast_first(total: ElementType, start: int, operand: ElementType, value: int, wanted: int) -> None:
    """WM-ADD-CAST: the value of another type, not its bits."""
    matrices = (Matrix("C", "accumulator", total, 16, 16), Matrix("F", "left-col-acc", operand, 16, 16))
    body = (Fill("C", Literal(start)), Fill("F", Literal(value)), Add("C", "F"), tight(matrices[0]))
    found = answer(program(matrices, *body))
    legal = found.regions[-1].legal
    assert not illegal(legal, np.full(legal.shape, wanted, np.uint64)).any()
    assert illegal(legal, np.full(legal.shape, start + value, np.uint64)).all()
    assert illegal(legal, np.full(legal.shape, wanted + 16, np.uint64)).all()
    assert "WM-ADD-CAST" in acted(found)


@pytest.mark.parametrize(
    ("operation", "wanted"), [(ScalarMultiply, -36), (ScalarDivide, -4), (ScalarAdd, -9), (ScalarSubtract, -15)]
)
@pytest.mark.parametrize("kind", ["accumulator", "left-col-acc", "right-row-acc"])
def test_operations_with_a_scalar(operation: Any, wanted: int, kind: MatrixKind) -> None:
    """WM-SCALAR-OPS: -12 op 3, on every element, of accumulators and fragments."""
    matrix = Matrix("X", kind, "s32", 16, 64)
    found = answer(program((matrix,), Fill("X", Literal(-12 & 0xFFFF_FFFF)), operation("X", Literal(3)), tight(matrix)))
    assert (signed(found) == wanted).all()
    assert "WM-SCALAR-OPS" in acted(found)


@pytest.mark.parametrize(("number", "divisor", "wanted"), [(-7, 2, -3), (7, -2, -3), (5, 3, 1), (-12, 3, -4)])
def test_quotients_of_integers_go_toward_zero(number: int, divisor: int, wanted: int) -> None:
    """WM-DIVIDE-INT: by practice; the documents alone leave what is not exact unjudged."""
    matrix = Matrix("X", "accumulator", "s32", 16, 16)
    fill, by = Fill("X", Literal(number & 0xFFFF_FFFF)), ScalarDivide("X", Literal(divisor & 0xFFFF_FFFF))
    found = answer(program((matrix,), fill, by, tight(matrix)))
    assert (signed(found) == wanted).all()
    assert "WM-DIVIDE-INT" in acted(found)
    documents = answer(program((matrix,), fill, by, tight(matrix)), profile=DOCUMENT)
    assert (documents.regions[-1].legal.why == 0).all() == (number % divisor == 0)


@pytest.mark.parametrize("operation", [ScalarAdd, ScalarSubtract, ScalarMultiply])
def test_exact_results_with_a_scalar_are_exact(operation: Any) -> None:
    """WM-SCALAR-OPS: 3 and 4 in f32; one unit in the last place more is wrong."""
    matrix = Matrix("X", "accumulator", "f32", 16, 16)
    three, four = Literal(0x4040_0000), Literal(0x4080_0000)
    legal = answer(program((matrix,), Fill("X", three), operation("X", four), tight(matrix))).regions[-1].legal
    wanted = {ScalarAdd: 7.0, ScalarSubtract: -1.0, ScalarMultiply: 12.0}[operation]
    code = np.full(legal.shape, np.float32(wanted).view(np.uint32), np.uint64)
    assert not illegal(legal, code).any()
    assert illegal(legal, code + np.uint64(1)).all()


@pytest.mark.parametrize("kind", ["accumulator", "left-col-acc"])
def test_a_contracted_multiply_and_add_is_legal(kind: MatrixKind) -> None:
    """HLSL lets a product be added unrounded: a device that fuses the two steps is right."""
    rng = np.random.default_rng(71)
    matrix = Matrix("X", kind, "f32", 16, 16)
    for _ in range(40):
        x, factor = (float(np.float32(value)) for value in rng.uniform(-2, 2, 2))
        addend = float(np.float32(-x * factor * rng.choice([1, 0.5, 1e-3])))
        start, by, plus = (Literal(int(np.float32(value).view(np.uint32))) for value in (x, factor, addend))
        steps = Fill("X", start), ScalarMultiply("X", by), ScalarAdd("X", plus)
        legal = answer(program((matrix,), *steps, tight(matrix))).regions[-1].legal
        fused = np.float32(float(Fraction(x) * Fraction(factor) + Fraction(addend)))  # 53 bits hold all but the last
        assert not illegal(legal, np.full(legal.shape, fused.view(np.uint32), np.uint64)).any()
