"""The device under the text of 2025-09-19: operators, vectors of threads, rows and products, with answers by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.hlsl_linalg.earlier.operators import applied, operated
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.programs.base import Affine, FromBuffer, Literal
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg import (
    SOURCE_CAPS,
    FromThreadVectors,
    GetThreadVector,
    Load,
    Matrix,
    MultiplyVector,
    Operate,
    OuterProduct,
    Splat,
    Store,
    SumAccumulate,
    Unary,
    Vector,
    VectorLoad,
    VectorStore,
)
from tests.hlsl_linalg.bench import UNTOUCHED, numbers, run

HALVES, FLOATS, WORDS, SHORTS = (FORMATS[name] for name in ("f16", "f32", "s32", "s16"))


def device(kind: type[LinalgDevice] = LinalgDevice) -> LinalgDevice:
    made = kind(ExactUnit())
    made.caps = SOURCE_CAPS
    return made


def operand(op: Any, fmt: Any, element: Any, scalar: Any) -> list[int]:
    x, y = (np.asarray(value).astype(np.uint64) for value in (element, np.broadcast_to(scalar, np.shape(element))))
    return [int(each) for each in operated(op, fmt, x, y)]


def bits(values: Any, dtype: str) -> Any:
    return np.array(values, dtype).view(f"<u{np.dtype(dtype).itemsize}")


@pytest.mark.parametrize(
    ("op", "found"),
    [("add", [4.5, 1, -1]), ("sub", [1.5, -2, -4]), ("mul", [4.5, -0.75, -3.75]), ("div", [2, -1 / 3, -5 / 3])],
)
def test_operators_round_once_and_have_the_element_on_the_left(op: Any, found: list[float]) -> None:
    expected = bits(np.array(found).astype(np.float16), "<f2").tolist()
    assert operand(op, HALVES, bits([3, -0.5, -2.5], "<f2"), bits(1.5, "<f2")) == expected


def test_float_operators_at_the_ends() -> None:
    assert operand("add", HALVES, [0x7BFF], 0x4C00) == [0x7C00]
    assert operand("sub", HALVES, [0x7C00, 0x0000], 0x0000) == [0x7C00, 0x0000]
    assert operand("div", HALVES, [0x3C00, 0xBC00, 0x0000], 0x0000) == [0x7C00, 0xFC00, 0x7E00]
    # 1 + 2^-11 is halfway between two numbers: the even one.
    assert operand("add", HALVES, [0x3C00], 0x1000) == [0x3C00]
    assert operand("add", HALVES, [0x3C01], 0x1000) == [0x3C02]


def test_integer_operators_wrap_and_divide_toward_zero() -> None:
    assert operand("add", SHORTS, [0x7FFF, 0xFFFF], 1) == [0x8000, 0]
    assert operand("sub", SHORTS, [0x8000], 1) == [0x7FFF]
    assert operand("mul", SHORTS, [300, 0xFFFD], 300) == [90000 & 0xFFFF, -900 & 0xFFFF]
    assert operand("div", SHORTS, [7, 0xFFF9, 0x8000], 2) == [3, 0xFFFD, 0xC000]
    assert operand("div", SHORTS, [7], 0xFFFE) == [0xFFFD]
    assert operand("div", FORMATS["u64"], [(1 << 64) - 1], 10) == [((1 << 64) - 1) // 10]


def test_an_operator_changes_its_matrix_by_the_first_lane_of_each_wave() -> None:
    matrix = Matrix("M", "F16", 8, 16, "A")
    body = (
        Load("M", "in", 0, 32),
        Operate("M", "sub", "half", FromBuffer("by", 2), lane=7, wave=0x400),
        Store("M", "out", Affine(wave=256), 32),
    )
    values = np.arange(128).astype(np.float16)
    given = {"in": values, "by": np.array([9, 4], np.float16), "out": 512}
    found = numbers(run(body, given, device(), matrices=(matrix,), waves=2)["out"], "<f2", 2, 128)
    assert np.array_equal(found, [values - 4, values - 8])


def test_a_scalar_of_another_type_is_converted_first() -> None:
    matrix = Matrix("M", "I32", 8, 8, "Accumulator", "ThreadGroup")
    body = (Splat("M", "int", Literal(10)), Operate("M", "mul", "float", Literal(0x40200000)), Store("M", "out", 0, 32))
    assert (numbers(run(body, {"out": 256}, device(), matrices=(matrix,))["out"], "<i4", 64) == 20).all()


def test_packed_components_are_operated_on_one_by_one() -> None:
    matrix = Matrix("M", "PackedS8x32", 16, 16, "A")
    body = (Load("M", "in", 0, 16), Operate("M", "mul", "int", Literal(1)), Store("M", "out", 0, 16))
    given = {"in": np.arange(256, dtype=np.uint8), "out": 256}
    assert np.array_equal(run(body, given, device(), matrices=(matrix,))["out"], given["in"])


def test_unary_operations_that_are_exact() -> None:
    assert applied("nop", HALVES, bits([1, -0.0], "<f2").astype(np.uint64)).tolist() == [0x3C00, 0x8000]
    assert applied("negate", HALVES, bits([1, 0, -2], "<f2").astype(np.uint64)).tolist() == [0xBC00, 0x8000, 0x4000]
    assert applied("abs", HALVES, bits([1, -0.0, -np.inf], "<f2").astype(np.uint64)).tolist() == [0x3C00, 0, 0x7C00]
    assert applied("negate", SHORTS, np.array([1, 0, 0xFFFF], np.uint64)).tolist() == [0xFFFF, 0, 1]
    assert applied("abs", SHORTS, np.array([1, 0, 0xFFFE], np.uint64)).tolist() == [1, 0, 2]


def test_sines_cosines_and_tangents_have_their_special_values() -> None:
    """LINALG-UNARY-TRIG for zeros, infinities and NaN, LINALG-UNARY-NEAR for others."""
    given = bits([0, -0.0, np.inf, -np.inf, np.nan], "<f4").astype(np.uint64)
    for op, zeros in (("sin", [0, 0x80000000]), ("cos", [0x3F800000] * 2), ("tan", [0, 0x80000000])):
        found = applied(op, FLOATS, given)  # type: ignore[arg-type]
        assert found[:2].tolist() == zeros
        assert np.isnan(found[2:].astype(np.uint32).view(np.float32)).all()
    # Rounded values of the functions at 1 and at 2, as tables have them.
    at = bits([1, 2], "<f4").astype(np.uint64)
    for op, decimals in (("sin", [0.841471, 0.909297]), ("cos", [0.540302, -0.416147]), ("tan", [1.557408, -2.185040])):
        found = applied(op, FLOATS, at)  # type: ignore[arg-type]
        assert np.abs(found.astype(np.uint32).view(np.float32) - decimals).max() < 1e-6


def test_a_unary_operation_leaves_its_source() -> None:
    matrices = (Matrix("M", "F16", 8, 16, "A"), Matrix("N", "F16", 8, 16, "A"))
    body = (Load("M", "in", 0, 32), Unary("N", "negate", "M"), Store("M", "out", 0, 32), Store("N", "out", 256, 32))
    values = np.arange(1, 129).astype(np.float16)
    found = numbers(run(body, {"in": values, "out": 512}, device(), matrices=matrices)["out"], "<f2", 2, 128)
    assert np.array_equal(found, [values, -values])


def test_three_matrices_are_summed() -> None:
    matrices = (
        Matrix("A", "F16", 8, 8, "A"),
        Matrix("B", "F16", 8, 8, "B"),
        Matrix("C", "F32", 8, 8, "Accumulator"),
    )
    body = (
        Load("A", "in", 0, 16),
        Load("B", "in", 128, 16),
        Splat("C", "float", Literal(0x3F000000)),
        SumAccumulate("C", "A", "B"),
        SumAccumulate("C", "A", "B"),
        Store("C", "out", 0, 32),
    )
    values = np.arange(128).astype(np.float16)
    found = numbers(run(body, {"in": values, "out": 256}, device(), matrices=matrices)["out"], "<f4", 64)
    assert np.array_equal(found, 0.5 + 2 * (values[:64].astype(np.float32) + values[64:]))


@pytest.mark.parametrize("use", ["A", "B"])
def test_matrices_are_made_of_the_vectors_of_threads(use: Any) -> None:
    """Thread t of a wave gives column t of an A matrix, row t of a B matrix; what threads from 16 on give is lost."""
    matrix = Matrix("M", "F16", 8, 16, "A") if use == "A" else Matrix("M", "F16", 16, 8, "B")
    body = (
        VectorLoad("v", "in", Affine(lane=16, wave=512)),
        FromThreadVectors("M", "v"),
        Store("M", "out", Affine(wave=256), 32 if use == "A" else 16),
    )
    vectors = (np.arange(512) % 499).reshape(2, 32, 8).astype(np.float16)
    given = {"in": vectors, "out": 512}
    out = run(body, given, device(), matrices=(matrix,), vectors=(Vector("v", "F16", 8),), waves=2)["out"]
    found = numbers(out, "<f2", 2, matrix.m, matrix.n)
    for wave in range(2):
        assert np.array_equal(found[wave], vectors[wave, :16].T if use == "A" else vectors[wave, :16])


def test_threads_of_a_group_give_one_matrix() -> None:
    matrix = Matrix("M", "F16", 8, 64, "A", "ThreadGroup")
    body = (VectorLoad("v", "in", Affine(lane=16, wave=512)), FromThreadVectors("M", "v"), Store("M", "out", 0, 128))
    vectors = np.arange(512).reshape(64, 8).astype(np.float16)
    given = {"in": vectors, "out": 1024}
    out = run(body, given, device(), matrices=(matrix,), vectors=(Vector("v", "F16", 8),), waves=2)["out"]
    assert np.array_equal(numbers(out, "<f2", 8, 64), vectors.T)


@pytest.mark.parametrize("index", [0, 1, 2])
def test_vectors_of_threads_are_lines_or_zeros(index: int) -> None:
    """64 rows of a B matrix and 32 lanes: index 1 gives the rows from 32 on, index 2 lies outside."""
    matrix = Matrix("M", "F16", 64, 8, "B")
    body = (
        Load("M", "in", 0, 16),
        GetThreadVector("v", "M", index),
        VectorStore("v", "out", Affine(lane=16)),
    )
    rows = np.arange(1, 513).reshape(64, 8).astype(np.float16)
    out = run(body, {"in": rows, "out": 512}, device(), matrices=(matrix,), vectors=(Vector("v", "F16", 8),))["out"]
    expected = rows[32 * index : 32 * index + 32] if index < 2 else np.zeros((32, 8))
    assert np.array_equal(numbers(out, "<f2", 32, 8), expected)


def test_packed_columns_fill_words() -> None:
    """A column of 16 bytes is four words."""
    matrix = Matrix("M", "PackedU8x32", 16, 16, "A")
    body = (Load("M", "in", 0, 16), GetThreadVector("v", "M"), VectorStore("v", "out", Affine(lane=16)))
    values = np.arange(256, dtype=np.uint8)
    vector = Vector("v", "PackedU8x32", 16)
    out = run(body, {"in": values, "out": 512}, device(), matrices=(matrix,), vectors=(vector,))["out"].reshape(32, 16)
    assert np.array_equal(out[:16], values.reshape(16, 16).T)
    assert not out[16:].any()


@pytest.mark.parametrize("scope", ["Thread", "Wave", "ThreadGroup"])
def test_a_row_times_a_matrix_of_any_scope(scope: Any) -> None:
    """Every thread has a row of its own; threads, waves or the group have the matrix."""
    matrix = Matrix("W", "F16", 8, 16, "B", scope)
    vectors = (Vector("x", "F16", 8), Vector("y", "F32", 16), Vector("b", "F32", 16))
    step = {"Thread": Affine(lane=2, wave=64), "Wave": Affine(wave=64), "ThreadGroup": 0}[scope]
    body = (
        Load("W", "w", step, 32),
        VectorLoad("x", "x", Affine(lane=16, wave=512)),
        VectorLoad("b", "b", Affine(lane=0)),
        MultiplyVector("y", "W", "x"),
        VectorStore("y", "out", Affine(lane=64, wave=2048)),
        MultiplyVector("y", "W", "x", "b"),
        VectorStore("y", "out", Affine(4096, lane=64, wave=2048)),
    )
    weights = (np.arange(400) % 7).astype(np.float16)
    rows = (np.arange(512) % 5).reshape(64, 8).astype(np.float16)
    bias = np.arange(16).astype(np.float32) / 4
    given = {"w": weights, "x": rows, "b": bias, "out": 8192}
    found = numbers(
        run(body, given, device(), matrices=(matrix,), vectors=vectors, read_only=("w",), waves=2)["out"],
        "<f4", 2, 64, 16,
    )  # fmt: skip
    for thread in range(64):
        start = {"Thread": thread % 32 + thread // 32 * 32, "Wave": thread // 32 * 32, "ThreadGroup": 0}[scope]
        product = rows[thread].astype(np.float64) @ weights[start : start + 128].reshape(8, 16).astype(np.float64)
        assert np.array_equal(found[0, thread], product)
        assert np.array_equal(found[1, thread], product + bias)


def test_outer_products_belong_to_waves_and_groups_too() -> None:
    matrices = (Matrix("S", "F16", 8, 16, "Accumulator"), Matrix("T", "F16", 8, 16, "Accumulator", "ThreadGroup"))
    vectors = (Vector("c", "F16", 8), Vector("r", "F16", 16))
    body = (
        VectorLoad("c", "in", 0),
        VectorLoad("r", "in", 16),
        OuterProduct("S", "c", "r"),
        Store("S", "out", Affine(wave=256), 32),
        OuterProduct("T", "c", "r"),
        Store("T", "out", 512, 32),
    )
    given = {"in": np.arange(24, dtype=np.float16), "out": 1024}
    out = run(body, given, device(), matrices=matrices, vectors=vectors, waves=2)["out"]
    found = numbers(out, "<f2", 3, 8, 16)
    assert (found == np.outer(np.arange(8), np.arange(8, 24))).all()
    assert (out[768:] == UNTOUCHED).all()
