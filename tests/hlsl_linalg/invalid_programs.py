"""Programs that break one clause of HLSL linear algebra each: edits of a valid one."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mmaspec.programs.base import Affine, Literal
from mmaspec.programs.hlsl_linalg import (
    Accumulate,
    Cast,
    Convert,
    ConvertLayout,
    CountElements,
    Instruction,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Matrix,
    MemoryBias,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    SharedArray,
    Splat,
    Store,
    Vector,
    VectorAccumulate,
)
from tests.hlsl_linalg.bench import program

MATRICES = (
    Matrix("A", "F16", 16, 16, "A"),
    Matrix("B", "F16", 16, 16, "B"),
    Matrix("C", "F32", 16, 16, "Accumulator"),
    Matrix("W", "F16", 8, 16, "A", "Thread"),
    Matrix("O", "F32", 8, 16, "Accumulator", "Thread"),
    Matrix("GA", "F16", 16, 16, "A", "ThreadGroup"),
    Matrix("GB", "F16", 16, 16, "B", "ThreadGroup"),
    Matrix("GC", "F32", 16, 16, "Accumulator", "ThreadGroup"),
    Matrix("P", "I8", 16, 32, "A"),
)
VECTORS = (
    Vector("x", "F16", 16),
    Vector("y", "F16", 8),
    Vector("z", "F32", 8),
    Vector("b", "F16", 8),
    Vector("p", "I8", 16),
    Vector("q", "I32", 16),
)
ARRAYS = (SharedArray("g", "uint", 1024), SharedArray("h", "float", 512), SharedArray("t", "int16_t", 512))
GIVEN = {"m": 1 << 14, "r": 1 << 14}
BODY: tuple[Instruction, ...] = (
    Load("A", "m", 0, 32),
    Cast("B", "A", transpose=True),
    Multiply("C", "A", "B"),
    Accumulate("C", "A"),
    Multiply("GC", "GA", "GB"),
    Store("C", "h", 0, 16),
    Load("A", "g", 64, 16),
    InterlockedAccumulate("C", "m", 1088, 64),
    Load("W", "r", 0, 32),
    MultiplyVector("y", "W", "x", "b"),
    MultiplyVector("z", "W", "x", MemoryBias("r", 4, "F16")),
    OuterProduct("O", "y", "x"),
    InterlockedAccumulate("O", "m", 128, layout="OuterProductOptimal"),
    VectorAccumulate("y", "m", 64),
    Convert("q", "p"),
    CountElements("C", "m", 0),
    ConvertLayout("F16", 8, 16, "m", 0, "RowMajor", "m", 4096, "MulOptimal", 32),
)


def with_matrix(name: str, **fields: Any) -> tuple[Matrix, ...]:
    return tuple(replace(matrix, **fields) if matrix.name == name else matrix for matrix in MATRICES)


def with_vector(name: str, **fields: Any) -> tuple[Vector, ...]:
    return tuple(replace(vector, **fields) if vector.name == name else vector for vector in VECTORS)


def made(
    *body: Instruction, matrices: tuple[Matrix, ...] = MATRICES, vectors: tuple[Vector, ...] = VECTORS, **fields: Any
) -> LinalgProgram:
    given = {"matrices": matrices, "vectors": vectors, "arrays": ARRAYS, "read_only": ("r",), "waves": 2, **fields}
    return program(body, GIVEN, **given)


def converted(**fields: Any) -> ConvertLayout:
    return replace(ConvertLayout("F16", 8, 16, "m", 0, "RowMajor", "m", 4096, "MulOptimal", 32), **fields)


FORMS: tuple[tuple[str, str, LinalgProgram], ...] = (
    ("LINALG-COMP-ENUM", "no meaning", made(matrices=with_matrix("A", component="I1"))),
    ("LINALG-COMP-ENUM", "of the other text", made(matrices=with_matrix("A", component="PackedS8x32"))),
    ("LINALG-DIM-THREAD-WAVE", "short", made(matrices=with_matrix("W", n=2))),
    ("LINALG-DIM-THREAD-WAVE", "long A", made(matrices=with_matrix("A", n=136))),
    ("LINALG-DIM-THREAD-WAVE", "long B", made(matrices=with_matrix("B", m=136))),
    ("LINALG-DIM-GROUP", "long", made(matrices=with_matrix("GA", n=1032))),
    ("LINALG-SCOPE-TABLE", "store", made(Store("W", "m", 0, 32))),
    ("LINALG-SCOPE-TABLE", "splat", made(Splat("O", "float", Literal(0)))),
    ("LINALG-SCOPE-TABLE", "vector", made(MultiplyVector("y", "A", "x"), vectors=with_vector("y", length=16))),
    ("LINALG-SCOPE-TABLE", "array", made(InterlockedAccumulate("O", "h", 0, layout="OuterProductOptimal"))),
    ("LINALG-SCOPE-TABLE", "length", made(CountElements("O", "m", 0))),
    ("LINALG-LOAD-SRC", "read-write", made(Load("W", "m", 0, 32))),
    ("LINALG-SCOPE-TABLE", "load from an array", made(Load("W", "g", 0, 16))),
    ("LINALG-LOAD-USE", "accumulator", made(Load("O", "r", 0, 64))),
    ("LINALG-ELEM-NATIVE", "bytes", made(CountElements("P", "m", 0))),
    ("LINALG-CAST-SCOPE", "wave to group", made(Cast("GB", "A"))),
    ("LINALG-CAST-SHAPE", "other", made(Cast("B", "A"), matrices=with_matrix("B", n=8))),
    ("LINALG-CAST-SHAPE", "not exchanged", made(Cast("B", "A", transpose=True), matrices=with_matrix("B", n=8))),
    ("LINALG-MUL-USES", "swapped", made(Multiply("C", "B", "A"))),
    ("LINALG-MUL-USES", "added to A", made(MultiplyAccumulate("A", "A", "B"))),
    ("LINALG-MUL-SHAPE", "depth", made(Multiply("C", "A", "B"), matrices=with_matrix("B", m=32))),
    ("LINALG-MUL-SHAPE", "columns", made(Multiply("C", "A", "B"), matrices=with_matrix("C", n=32))),
    ("LINALG-MUL-SCOPE", "mixed", made(Multiply("C", "A", "GB"))),
    ("LINALG-MUL-INFER", "wider", made(Multiply("C", "A", "B", typed=False))),
    ("LINALG-ACCUMULATE-USES", "to A", made(Accumulate("A", "B"))),
    ("LINALG-ACCUMULATE-USES", "accumulator", made(Accumulate("C", "C"))),
    ("LINALG-ACCUMULATE-SHAPE", "size", made(Accumulate("C", "A"), matrices=with_matrix("A", m=8))),
    ("LINALG-ACCUMULATE-SHAPE", "scope", made(Accumulate("C", "GA"))),
    ("LINALG-VEC-INTERP", "no meaning", made(vectors=with_vector("x", component="UNormF16"))),
    ("LINALG-VEC-INTERP", "bias", made(MultiplyVector("y", "W", "x", MemoryBias("r", 0, "I1")))),
    ("LINALG-VEC-LEN", "short", made(MultiplyVector("y", "W", "x"), vectors=with_vector("x", length=12))),
    ("LINALG-VEC-LEN", "result", made(MultiplyVector("y", "W", "x"), vectors=with_vector("y", length=9))),
    ("LINALG-VEC-LEN", "bias", made(MultiplyVector("y", "W", "x", "b"), vectors=with_vector("b", length=4))),
    ("LINALG-VEC-USE", "B", made(MultiplyVector("y", "W", "x"), matrices=with_matrix("W", use="B"))),
    ("LINALG-VEC-NATIVE", "sum", made(VectorAccumulate("p", "m", 0))),
    ("LINALG-BIAS-SOURCE", "read-write", made(MultiplyVector("y", "W", "x", MemoryBias("m", 0, "F16")))),
    ("LINALG-CONVERT-LEN", "short", made(Convert("q", "p"), vectors=with_vector("q", length=15))),
    ("LINALG-CONVERT-LEN", "part of a word", made(Convert("q", "p"), vectors=with_vector("p", length=11))),
    ("LINALG-OUTER-USE", "A", made(OuterProduct("O", "y", "x"), matrices=with_matrix("O", use="A"))),
    ("LINALG-OUTER-LEN", "exchanged", made(OuterProduct("O", "x", "y"))),
    ("LINALG-OUTER-TYPES", "wider", made(OuterProduct("O", "y", "x"), vectors=with_vector("x", component="F32"))),
    ("LINALG-LOAD-LAYOUT", "optimal", made(Load("A", "m", 0, layout="MulOptimal"))),
    ("LINALG-LOAD-STRIDE0", "load", made(Load("W", "r", 0, 16, "MulOptimal"))),
    ("LINALG-LOAD-STRIDE0", "sum", made(InterlockedAccumulate("O", "m", 0, 16, "OuterProductOptimal"))),
    ("LINALG-STRIDE-16", "load", made(Load("A", "m", 0, 40))),
    ("LINALG-STRIDE-16", "store of one wave", made(Store("A", "m", 0, Affine(64, wave=8)))),
    ("LINALG-BASE-ALIGN", "load", made(Load("A", "m", 64, 32))),
    ("LINALG-BASE-ALIGN", "second wave", made(Store("A", "m", Affine(0, wave=576), 32))),
    ("LINALG-ALIGN", "power of two", made(Load("A", "m", 0, 32, align=64))),
    ("LINALG-ALIGN", "sum", made(InterlockedAccumulate("C", "m", 0, 64, align=192))),
    ("LINALG-STORE-LAYOUT", "optimal", made(Store("A", "m", 0, layout="MulOptimal"))),
    ("LINALG-STORE-TARGET", "store", made(Store("A", "r", 0, 32))),
    ("LINALG-STORE-TARGET", "vector sum", made(VectorAccumulate("y", "r", 0))),
    ("LINALG-ACC-USE", "A", made(InterlockedAccumulate("A", "m", 0, 32))),
    ("LINALG-ACC-LAYOUT", "wave", made(InterlockedAccumulate("C", "m", 0, layout="OuterProductOptimal"))),
    ("LINALG-ACC-LAYOUT", "thread", made(InterlockedAccumulate("O", "m", 0, layout="ColMajor"))),
    ("LINALG-ACC-LAYOUT", "other optimal one", made(InterlockedAccumulate("O", "m", 0, layout="MulOptimal"))),
    ("LINALG-ACC-BASE", "matrix", made(InterlockedAccumulate("C", "m", 32, 64))),
    ("LINALG-VEC-ACC-ALIGN", "address", made(VectorAccumulate("y", "m", 32))),
    ("LINALG-VEC-ACC-ALIGN", "parameter", made(VectorAccumulate("y", "m", 64, align=32))),
    ("LINALG-GS-TYPE", "floats", made(Load("A", "h", 0, 16))),
    ("LINALG-GS-ALIGN", "offset", made(Load("A", "g", 32, 16))),
    ("LINALG-GS-ALIGN", "stride", made(Store("A", "g", 0, 20))),
    ("LINALG-STORE-GS-SIZE", "store", made(Store("C", "h", 0, 36))),
    ("LINALG-STORE-GS-SIZE", "sum", made(InterlockedAccumulate("C", "h", 288, 16))),
    ("LINALG-ACC-GS-TARGET", "shorts", made(InterlockedAccumulate("C", "t", 0, 16, target="F16"))),
    ("LINALG-CONSTRUCT", "type", made(matrices=with_matrix("A", component="I64"))),
    ("LINALG-CONSTRUCT", "rows", made(matrices=with_matrix("P", m=12))),
    ("LINALG-CONSTRUCT", "depth", made(matrices=with_matrix("P", n=24))),
    (
        "LINALG-MUL-CAPS",
        "type",
        made(Multiply("C", "A", "B"), matrices=with_matrix("A", component="BFloat16")),
    ),
    ("LINALG-MUL-CAPS", "shape", made(Multiply("C", "A", "B"), matrices=tuple(
        replace(m, m=8) if m.name in "AC" else m for m in MATRICES))),
    ("LINALG-GROUP-CAPS", "threads", made(Multiply("GC", "GA", "GB"), waves=3)),
    ("LINALG-VEC-CAPS", "type", made(MultiplyVector("y", "W", "x"), matrices=with_matrix("W", component="I8"))),
    (
        "LINALG-VEC-CAPS",
        "bias",
        made(MultiplyVector("y", "W", "x", "b"), vectors=with_vector("b", component="F32")),
    ),
    (
        "LINALG-TRANSPOSE-CAPS",
        "wider result",
        made(Load("W", "r", 0, layout="MulOptimalTranspose"), MultiplyVector("z", "W", "x")),
    ),
    ("LINALG-OUTER-CAPS", "type", made(OuterProduct("O", "y", "x"), matrices=with_matrix("O", component="BFloat16"))),
    ("LINALG-ATOMIC-CAPS", "vector", made(VectorAccumulate("x", "m", 0), vectors=with_vector("x", component="F64"))),
    ("LINALG-LAYOUT-KINDS", "target", made(converted(target_layout="MulOptimalTranspose"))),
    ("LINALG-LAYOUT-STRIDE", "short", made(converted(source_stride=30))),
    ("LINALG-LAYOUT-STRIDE", "target", made(converted(target_layout="RowMajor", target_stride=40))),
    ("LINALG-LAYOUT-STRIDE", "optimal", made(converted(target_stride=16))),
    ("LINALG-LAYOUT-ALIGN", "target", made(converted(target_offset=4160))),
    ("LINALG-LAYOUT-TYPE", "doubles", made(converted(component="F64", source_stride=128))),
)  # fmt: skip
ENTAILED = {"LINALG-LOAD-SRC": {"LINALG-SCOPE-TABLE"}}
"""Clauses that no program breaks without breaking others."""
