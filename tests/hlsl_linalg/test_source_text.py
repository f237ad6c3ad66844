"""Programs as the text of 2025-09-19 writes them; the later text writes what both have as it always did."""

from __future__ import annotations

import pytest

from mmaspec.oracle.hlsl_linalg import SPEC
from mmaspec.oracle.hlsl_linalg.sources import sources
from mmaspec.programs.base import Affine, Buffer, FromBuffer, Literal
from mmaspec.programs.hlsl_linalg import (
    DEFAULT_CAPS,
    SOURCE_CAPS,
    Cast,
    FromThreadVectors,
    GetThreadVector,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Matrix,
    Multiply,
    MultiplyVector,
    Operate,
    OuterProduct,
    SharedArray,
    Splat,
    Store,
    SumAccumulate,
    Unary,
    Vector,
    VectorLoad,
)

MATRICES = (
    Matrix("A", "F16", 8, 8, "A"), Matrix("B", "F16", 8, 8, "B"), Matrix("C", "F32", 8, 8, "Accumulator"),
    Matrix("P", "PackedS8x32", 8, 16, "A"), Matrix("O", "F16", 8, 8, "Accumulator", "Thread"),
)  # fmt: skip
VECTORS = (Vector("v", "F16", 8), Vector("w", "F16", 8), Vector("p", "PackedS8x32", 8))

LINES = [
    (Load("A", "in", 16, 32, "ColMajor"), "A = AType::Load(in_, 16, 32, MatrixLayout::ColMajor);"),
    (Load("A", "in", 16, 32, align=16), "A = AType::Load(in_, 16, 32, MatrixLayout::RowMajor, 16);"),
    (Load("A", "g", 1, 9), "A = AType::Load(g, 1, 9, MatrixLayout::RowMajor);"),
    (Store("C", "out", 4, 32, align=4), "C.Store(out_, 4, 32, MatrixLayout::RowMajor, 4);"),
    (
        InterlockedAccumulate("C", "out", Affine(0, 64), 32),
        "C.Accumulate(out_, 64 * wave, 32, MatrixLayout::RowMajor);",
    ),
    (
        InterlockedAccumulate("O", "out", 0, 0, "OuterProductOptimal"),
        "O.Accumulate(out_, 0, 0, MatrixLayout::OuterProductOptimal);",
    ),
    (Cast("B", "A"), "B = A.cast<MatrixComponentType::F16, MatrixUse::B>();"),
    (Splat("C", "int", Literal(3)), "C = CType::Splat((int)(asint(uint(0x3u))));"),
    (Operate("C", "sub", "float", Literal(0x3F800000)), "C -= (float)(asfloat(uint(0x3f800000u)));"),
    (Operate("A", "div", "half", Literal(0x3C00)), "A /= (float16_t)(asfloat16(uint16_t(0x3c00)));"),
    (Operate("C", "add", "float", FromBuffer("in", 8)), "C += (float)(asfloat(in_.Load<uint>(8)));"),
    (Operate("C", "mul", "float", Literal(0), wave=2), "C *= (float)(asfloat(uint(uint(0x0u) + 2 * wave)));"),
    (Unary("C", "nop", "C"), "C = C.ApplyUnaryOperation<UnaryOperation::NOp>();"),
    (Unary("C", "tan", "C"), "C = C.ApplyUnaryOperation<UnaryOperation::Tan>();"),
    (SumAccumulate("C", "A", "B"), "C.SumAccumulate(A, B);"),
    (FromThreadVectors("A", "v"), "A = A.FromThreadVectors(v);"),
    (FromThreadVectors("P", "p"), "P = P.FromThreadVectors(p);"),
    (GetThreadVector("v", "A"), "v = A.GetThreadVector();"),
    (GetThreadVector("v", "A", 2), "v = A.GetThreadVector(2);"),
    (Multiply("C", "A", "B"), "C = Multiply<MatrixComponentType::F32>(A, B);"),
    (MultiplyVector("w", "B", "v"), "w = Multiply<float16_t>(v, B);"),
    (MultiplyVector("w", "B", "v", "v"), "w = MultiplyAdd<float16_t>(v, B, v);"),
    (OuterProduct("O", "v", "w"), "O = OuterProduct<MatrixComponentType::F16, MatrixScope::Thread>(v, w);"),
]  # fmt: skip


def text(*body, caps=SOURCE_CAPS):
    buffers = (Buffer("in", 1024, 128), Buffer("out", 1024, 128))
    arrays = (SharedArray("g", "float", 128),)
    return SPEC.text(LinalgProgram(buffers, body, MATRICES, VECTORS, arrays, waves=2), caps)


@pytest.mark.parametrize(("instruction", "line"), LINES, ids=[type(one).__name__ for one, _ in LINES])
def test_an_instruction(instruction, line):
    assert line in [one.strip() for one in text(instruction).splitlines()]


def test_declarations():
    lines = [one.strip() for one in text(Splat("C", "int", Literal(3))).splitlines()]
    assert "using PType = Matrix<MatrixComponentType::PackedS8x32, 8, 16, MatrixUse::A, MatrixScope::Wave>;" in lines
    assert "vector<uint, 2> p; // 8 components PackedS8x32" in lines
    assert not any("ComponentType::" in one and "MatrixComponentType::" not in one for one in lines)
    assert not any("#include" in one or "Interlocked" in one for one in lines)


def test_the_later_text_keeps_its_own_words():
    body = (Load("A", "in", 128, 32, align=128), Cast("B", "A"), InterlockedAccumulate("C", "out", 0, 32))
    lines = [one.strip() for one in text(*body, caps=DEFAULT_CAPS).splitlines()]
    assert "A = AType::Load</*Align=*/128>(in_, 128, 32, MatrixLayout::RowMajor);" in lines
    assert "B = A.Cast<ComponentType::F16, MatrixUse::B>();" in lines
    assert "C.InterlockedAccumulate(out_, 0, 32, MatrixLayout::RowMajor);" in lines
    assert "#include <dx/linalg.h>" in lines


@pytest.mark.parametrize("use", ["A", "B"])
def test_data_of_threads_vectors_are_columns_of_a_and_rows_of_b(use):
    matrix = Matrix("M", "F16", 8, 4, use) if use == "A" else Matrix("M", "F16", 4, 8, use)
    body = (VectorLoad("v", "in", Affine(0, lane=16), data="v"), FromThreadVectors("M", "v"))
    buffers = (Buffer("in", 1024, 128),)
    (found,) = sources(LinalgProgram(buffers, body, (matrix,), VECTORS))
    assert (found.role, found.shape) == (use.lower(), (32, 1, 8, 1) if use == "A" else (32, 1, 1, 8))


def test_data_of_a_row_that_is_multiplied_is_a_row():
    body = (
        VectorLoad("v", "in", Affine(0, lane=16), data="v"),
        Load("B", "in", 512, 16, data="B"),
        MultiplyVector("w", "B", "v"),
    )
    row, matrix = sources(LinalgProgram((Buffer("in", 1024, 128),), body, MATRICES, VECTORS))
    assert (row.role, row.shape) == ("a", (32, 1, 1, 8))
    assert (matrix.role, matrix.shape) == ("b", (1, 1, 8, 8))


def test_data_of_the_scalar_of_an_operator():
    body = (Operate("C", "add", "float", FromBuffer("in", 8, "s")),)
    (found,) = sources(LinalgProgram((Buffer("in", 1024, 128),), body, MATRICES))
    assert (found.name, found.role, found.fmt.name) == ("s", "scalar", "f32")
