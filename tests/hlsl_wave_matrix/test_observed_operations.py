"""The classes of products, sums, additions and operations with scalars in programs written by hand."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

from mmaspec.programs.base import FromBuffer, Literal
from mmaspec.programs.hlsl_wave_matrix import (
    Add,
    Fill,
    Instruction,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    Repeat,
    ScalarAdd,
    ScalarDivide,
    ScalarMultiply,
    SumAccumulate,
)

from .observing import (
    BYTES_LEFT,
    BYTES_RIGHT,
    COLUMN,
    HALF_SUM,
    LEFT,
    RIGHT,
    SUM,
    WHOLE,
    classes,
    load,
    observed,
    program,
    store,
)

ONE, TWO, INF, NEGATIVE_INF, QUIET = 0x3C00, 0x4000, 0x7C00, 0xFC00, 0x7E00
"""Halves."""
EYE = np.eye(16, dtype=np.int64)
HOT = EYE * (np.arange(16) == 0)
"""Only the first element is not 0."""


def single(value: float) -> int:
    """The bits of a float."""
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


PRODUCT = (load(LEFT), load(RIGHT, 4096), load(SUM, 8192))
BYTES = (load(BYTES_LEFT), load(BYTES_RIGHT, 4096))


@pytest.mark.parametrize(
    ("body", "values", "wanted"),
    [
        (
            (*PRODUCT, MultiplyAccumulate("C", "A", "B"), store(SUM)),
            {"A": EYE * ONE, "B": TWO, "C": 0},
            {
                "left-from": {"buffer-row"}, "right-from": {"buffer-row"}, "object-from": {"buffer-row"},
                "result-goes": {"buffer-row"}, "product-method": {"multiply-accumulate"}, "product-chain": {"none"},
                "float-product-types": {"f16-to-f32"}, "product-shape": {"m16-n16"}, "product-neighbour": {"no-other"},
                "product-operands-memory": {"one-apart"}, "float-product-pattern": {"left-identity"},
                "nonzero-terms": {"one"}, "accumulator-before": {"zero"}, "float-product-rounding": {"small-integers"},
                "float-significand": {"one"}, "float-zero": {"positive"}, "float-special": {"none"},
                "nan-kind": {"none"}, "special-spread": {"none"}, "row-k": {"sixteen"}, "k-against-m-n": {"equal-both"},
                "product-element-place": {"everywhere"}, "float-magnitude": {"ordinary"},
            },
        ),
        (
            (*PRODUCT, Multiply("C", "A", "B"), store(SUM)),
            {"A": HOT * ONE, "B": HOT * TWO, "C": 0x7FC00000},
            {
                "float-product-pattern": {"one-hot", "zero-row", "zero-column", "zero-k"},
                "nonzero-terms": {"none", "one"},
                "product-term-place": {"first", "everywhere"}, "product-element-place": {"first"},
                "float-special": {"nan-overwritten"}, "nan-kind": {"quiet"}, "accumulator-before": {"constant"},
            },
        ),
        (
            (*PRODUCT, MultiplyAccumulate("C", "A", "B"), store(SUM)),
            {"A": INF, "B": 0x8000, "C": single(1)},
            {"float-special": {"infinity-negative-zero"}, "special-spread": {"everywhere"}, "float-zero": {"negative"}},
        ),
        (
            (*PRODUCT, MultiplyAccumulate("C", "A", "B"), store(SUM)),
            {"A": np.where(EYE == 1, INF, ONE), "B": np.where(np.arange(16) % 2, ONE, 0xBC00), "C": single(1)},
            {"float-special": {"infinity-finite", "infinity-negative"}, "special-spread": set()},
        ),
        (
            (*PRODUCT, MultiplyAccumulate("C", "A", "B"), store(SUM)),
            {"A": EYE * ONE, "B": ONE, "C": single(2.0**24)},
            {
                "float-product-rounding": {"tie"},
                "accumulator-before": {"constant", "far-larger"},
            },
        ),
        (
            (load(LEFT), load(RIGHT, 4096), Multiply("C", "A", "B"), MultiplyAccumulate("C", "A", "B"), store(SUM)),
            {"A": ONE, "B": ONE},
            {
                "object-from": {"nothing", "multiply"}, "product-neighbour": {"no-other", "same-all"},
                "product-chain": {"none", "one"}, "result-goes": {"accumulate", "buffer-row"},
                "float-product-pattern": {"all-equal"}, "nonzero-terms": {"sixteen"},
            },
        ),
    ],
)  # fmt: skip
def test_float_products(body: tuple[Instruction, ...], values: dict[str, Any], wanted: dict[str, set[str]]) -> None:
    found = observed(program((LEFT, RIGHT, SUM), *body), values)
    assert {axis: classes(found, "float-product", axis) for axis in wanted} == wanted


@pytest.mark.parametrize(
    ("body", "values", "wanted"),
    [
        (
            (*BYTES, load(WHOLE, 8192), MultiplyAccumulate("C", "A", "B"), store(WHOLE)),
            {"A": 0x80, "B": 0xFF, "C": 0},
            {
                "product-signs": {"s8-u8"}, "left-byte": {"high-bit"}, "right-byte": {"all-bits"},
                "integer-product-size": {"to-23-bits", "pair-beyond-15-bits", "extreme-bytes"},
                "integer-product-pattern": {"all-equal"}, "nonzero-terms": {"to-63"}, "row-k": {"thirty-two"},
                "k-against-m-n": {"above-both"},
            },
        ),
        (
            (*BYTES, load(WHOLE, 8192), MultiplyAccumulate("C", "A", "B"), store(WHOLE)),
            {"A": 1, "B": 1, "C": 0x7FFFFFFF - 32},
            {"integer-product-size": {"at-largest"}, "accumulator-before": {"constant", "far-larger"}},
        ),
        (
            (*BYTES, load(WHOLE, 8192), MultiplyAccumulate("C", "A", "B"), store(WHOLE)),
            {"A": np.tile([1, 2, 3, 4], 8), "B": 1, "C": (1 << 32) - 80},
            {"integer-product-size": {"byte"}, "accumulator-before": {"constant", "opposite"},
             "integer-product-pattern": {"by-byte-of-dword"}},
        ),
    ],
)  # fmt: skip
def test_integer_products(body: tuple[Instruction, ...], values: dict[str, Any], wanted: dict[str, set[str]]) -> None:
    found = observed(program((BYTES_LEFT, BYTES_RIGHT, WHOLE), *body), values)
    assert {axis: classes(found, "integer-product", axis) for axis in wanted} == wanted


def test_sums_of_floats() -> None:
    made = program((LEFT, COLUMN), load(LEFT), load(COLUMN, 4096), Repeat(3, (SumAccumulate("L", "A"),)), store(COLUMN))
    found = observed(made, {"A": INF, "L": single(1)})
    wanted = {
        "sum-side": {"left"}, "float-sum-types": {"f16-to-f32"}, "sum-chain": {"none", "one", "few"},
        "sum-neighbour": {"same-operand-again"}, "nonzero-sum": {"all-equal"}, "float-sum-value": {"infinity"},
        "left-from": {"buffer-row"}, "right-from": {"no-right"}, "object-from": {"buffer-fragment", "sum"},
    }  # fmt: skip
    assert {axis: classes(found, "float-sum", axis) for axis in wanted} == wanted


def test_sums_of_bytes() -> None:
    column = Matrix("L", "left-col-acc", "s32", 16, 16)
    made = program((BYTES_LEFT, column), load(BYTES_LEFT), load(column, 4096), SumAccumulate("L", "A"), store(column))
    found = observed(made, {"A": 0x80, "L": 0})
    wanted = {
        "sum-sign": {"s8"}, "integer-sum-value": {"beyond-byte", "all-least"}, "nonzero-sum": {"all-equal"},
        "accumulator-before": {"zero"}, "sum-neighbour": {"nothing"}, "sum-chain": {"none"},
    }  # fmt: skip
    assert {axis: classes(found, "integer-sum", axis) for axis in wanted} == wanted


@pytest.mark.parametrize(
    ("matrices", "values", "group", "wanted"),
    [
        (
            (HALF_SUM, SUM),
            {"H": ONE, "C": single(65520)},
            "float-addition",
            {"cast-to-float": {"f32-to-f16"}, "cast-float-to-half": {"at-65520", "inexact", "tie-odd"},
             "addend-kind": {"accumulator"}, "addend-from": {"buffer-row"}, "addend-relation": {"independent"},
             "addend-repeats": {"none"}, "cast-integer-to-float": {"none"}, "float-add-value": {"infinity-finite"}},
        ),
        (
            (HALF_SUM, WHOLE),
            {"H": 0, "C": 2049},
            "float-addition",
            {"cast-to-float": {"s32-to-f16"}, "cast-integer-to-float": {"beyond-half", "tie"},
             "cast-float-to-half": {"none"}, "float-add-value": {"exact"}},
        ),
        (
            (WHOLE, SUM),
            {"C": 7, "S": single(-2.5)},
            "integer-addition",
            {"cast-to-integer": {"f32-to-s32"}, "cast-float-to-integer": {"negative-fraction"},
             "integer-add-value": {"small", "negative"}},
        ),
    ],
)  # fmt: skip
def test_additions(
    matrices: tuple[Matrix, Matrix], values: dict[str, Any], group: str, wanted: dict[str, set[str]]
) -> None:
    one, other = matrices
    if one.name == other.name:
        other = Matrix("S", other.kind, other.element, other.m, other.n)
    made = program((one, other), load(one), load(other, 4096), Add(one.name, other.name), store(one))
    found = observed(made, values)
    assert {axis: classes(found, group, axis) for axis in wanted} == wanted


@pytest.mark.parametrize(
    ("matrix", "operation", "values", "wanted"),
    [
        (SUM, ScalarDivide("C", Literal(single(3))), {"C": single(1)},
         {"scalar-op": {"divide"}, "float-quotient": {"by-three", "one-by"}, "float-scalar-result": {"inexact"},
          "scalar-before": {"none"}, "scalar-lanes": {"zero"}, "scalar-element": {"f32"}}),
        (SUM, ScalarDivide("C", Literal(0)), {"C": 0}, {"float-quotient": {"zero-by-zero"}}),
        (SUM, ScalarMultiply("C", Literal(single(0)), 1 << 31), {"C": 0xFF800000},
         {"float-scalar-result": {"infinity-zero"}, "scalar-lanes": {"sign"}, "float-quotient": {"no-division"}}),
        (HALF_SUM, ScalarAdd("H", Literal(ONE)), {"H": 0xBC00},
         {"float-scalar-result": {"exact", "zero", "cancel"}, "scalar-op": {"add"}}),
    ],
)  # fmt: skip
def test_scalar_operations(matrix: Matrix, operation: Any, values: dict[str, Any], wanted: dict[str, set[str]]) -> None:
    found = observed(program((matrix,), load(matrix), operation, store(matrix)), values)
    assert {axis: classes(found, "float-scalar-operation", axis) for axis in wanted} == wanted


@pytest.mark.parametrize(
    ("element", "divisor", "result", "quotient"),
    [
        (-7, 2, {"small", "negative"}, {"negative-dividend", "by-power"}),
        (-(1 << 31), -1, set(), {"least-by-minus-one"}),
        ((1 << 31) - 1, 1, {"at-largest", "unchanged"}, {"exact", "by-one", "beyond-24-bits"}),
        (3, 5, {"small", "zero"}, {"inexact-positive", "smaller-dividend"}),
    ],
)
def test_integer_quotients(element: int, divisor: int, result: set[str], quotient: set[str]) -> None:
    divide = ScalarDivide("C", FromBuffer("in", 4098 * 4, "divisor"))
    made = program((WHOLE,), load(WHOLE), divide, store(WHOLE))
    found = observed(made, {"C": element & 0xFFFFFFFF, "divisor": divisor & 0xFFFFFFFF})
    group = "integer-scalar-operation"
    assert classes(found, group, "integer-scalar-result") == result
    assert classes(found, group, "integer-quotient") == quotient
    assert classes(found, "integer-scalar-operand", "scalar-source") == {"read-only"}
    assert classes(found, "integer-scalar-operand", "scalar-offset") == {"beyond-12-bits"}


@pytest.mark.parametrize(
    ("matrix", "bits", "group", "axis", "wanted"),
    [
        (LEFT, 0x3555, "float-scalar-operand", "float-scalar-value", {"third"}),
        (SUM, 0x7F800001, "float-scalar-operand", "float-scalar-value", {"low-payload-nan"}),
        (SUM, single(2.0**-127), "float-scalar-operand", "float-scalar-value",
         {"subnormal", "not-in-half"}),
        (SUM, single(2.0**100), "float-scalar-operand", "float-scalar-value", {"power-up", "not-in-half"}),
        (WHOLE, 0x80000000, "integer-scalar-operand", "integer-scalar-value", {"least"}),
        (WHOLE, 0x3F800000, "integer-scalar-operand", "integer-scalar-value", {"float-one-bits", "to-30-bits"}),
        (BYTES_LEFT, 0x80808080, "packed-operand", "packed-value", {"alike-128"}),
        (BYTES_LEFT, 0x04030201, "packed-operand", "packed-value", {"distinct"}),
    ],
)  # fmt: skip
def test_scalars(matrix: Matrix, bits: int, group: str, axis: str, wanted: set[str]) -> None:
    found = observed(program((matrix,), Fill(matrix.name, Literal(bits)), store(matrix)), {})
    assert classes(found, group, axis) == wanted
    assert classes(found, group, "scalar-source") == {"literal"}
