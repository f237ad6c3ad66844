"""What the device refuses under the text of 2025-09-19: one edit of a valid program for each form of a clause."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from mmaspec.backends.numpy.backend import Submitted
from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.hlsl_linalg.earlier.checks import SOURCE_CHECKS
from mmaspec.backends.numpy.hlsl_linalg.validity import CHECKS, CHECKS_OF
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.programs.base import Literal
from mmaspec.programs.hlsl_linalg import (
    DEFAULT_CAPS,
    SOURCE_CAPS,
    Accumulate,
    Cast,
    Convert,
    ConvertLayout,
    CountElements,
    FromThreadVectors,
    GetThreadVector,
    Instruction,
    InterlockedAccumulate,
    LinalgCaps,
    LinalgProgram,
    Load,
    Matrix,
    MemoryBias,
    Multiply,
    MultiplyVector,
    Operate,
    OuterProduct,
    ReadElements,
    SharedArray,
    Splat,
    Store,
    SumAccumulate,
    Unary,
    Vector,
    VectorAccumulate,
)
from tests.hlsl_linalg.bench import program

MATRICES = (
    Matrix("A", "F16", 16, 16, "A"),
    Matrix("B", "F16", 16, 16, "B"),
    Matrix("C", "F32", 16, 16, "Accumulator"),
    Matrix("D", "F16", 16, 16, "A"),
    Matrix("H", "F16", 16, 16, "Accumulator"),
    Matrix("W", "F16", 16, 8, "B", "Thread"),
    Matrix("O", "F32", 8, 16, "Accumulator", "Thread"),
    Matrix("GA", "F16", 16, 16, "A", "ThreadGroup"),
    Matrix("P", "PackedS8x32", 16, 32, "A"),
    Matrix("GP", "PackedS8x32", 16, 48, "A", "ThreadGroup"),
)
VECTORS = (
    Vector("x", "F16", 16),
    Vector("y", "F16", 8),
    Vector("e", "F32", 8),
    Vector("f", "F32", 16),
    Vector("p", "PackedS8x32", 16),
)
ARRAYS = (
    SharedArray("g", "int", 512),
    SharedArray("v", "half", 128, width=4),
)
GIVEN = {"m": 1 << 14, "r": 1 << 14}
BODY: tuple[Instruction, ...] = (
    Load("A", "m", 2, 34, align=2),
    Load("A", "g", 3, 17),
    Store("A", "g", 256, 16, "ColMajor"),
    Operate("A", "div", "half", Literal(0x4000)),
    Unary("D", "sin", "A"),
    Cast("B", "A"),
    SumAccumulate("C", "A", "B"),
    Multiply("C", "A", "B"),
    InterlockedAccumulate("C", "m", 12, 64),
    InterlockedAccumulate("C", "g", 0, 16),
    FromThreadVectors("A", "x"),
    GetThreadVector("x", "B", 1),
    FromThreadVectors("P", "p"),
    Load("W", "r", 0, 16),
    MultiplyVector("y", "W", "x", "y"),
    OuterProduct("O", "e", "f"),
    InterlockedAccumulate("O", "m", 128, layout="OuterProductOptimal"),
    ConvertLayout("F16", 8, 16, "m", 0, "RowMajor", "m", 4096, "MulOptimal", 32),
)


def with_matrix(name: str, **fields: Any) -> tuple[Matrix, ...]:
    return tuple(replace(matrix, **fields) if matrix.name == name else matrix for matrix in MATRICES)


def with_vector(name: str, **fields: Any) -> tuple[Vector, ...]:
    return tuple(replace(vector, **fields) if vector.name == name else vector for vector in VECTORS)


def made(
    *body: Instruction, matrices: tuple[Matrix, ...] = MATRICES, vectors: tuple[Vector, ...] = VECTORS
) -> LinalgProgram:
    return program(body, GIVEN, matrices=matrices, vectors=vectors, arrays=ARRAYS, read_only=("r",), waves=2)


def refused(one: LinalgProgram, caps: LinalgCaps = SOURCE_CAPS) -> set[str]:
    device = LinalgDevice(ExactUnit())
    device.caps = caps
    return set(device.broken(Submitted(one, {})))


FORMS: tuple[tuple[str, str, LinalgProgram], ...] = (
    ("LINALG-SCOPE-TABLE", "accumulate", made(Accumulate("H", "A"))),
    ("LINALG-SCOPE-TABLE", "convert", made(Convert("f", "x"))),
    ("LINALG-SCOPE-TABLE", "length", made(CountElements("C", "m", 0))),
    ("LINALG-SCOPE-TABLE", "get", made(ReadElements("C", "m", 0, 64))),
    ("LINALG-SCOPE-TABLE", "sum of a vector", made(VectorAccumulate("x", "m", 0))),
    ("LINALG-SCOPE-TABLE", "transposing cast", made(Cast("B", "A", transpose=True))),
    ("LINALG-SCOPE-TABLE", "bias in memory", made(MultiplyVector("y", "W", "x", MemoryBias("r", 0, "F16")))),
    ("LINALG-SCOPE-TABLE", "interpreted words", made(InterlockedAccumulate("C", "g", 0, 16, target="F32"))),
    ("LINALG-SCOPE-TABLE", "operator", made(Operate("O", "add", "float", Literal(0)))),
    ("LINALG-SCOPE-TABLE", "vector of a thread", made(GetThreadVector("y", "W"))),
    ("LINALG-SCOPE-TABLE", "sum", made(InterlockedAccumulate("O", "g", 0, layout="OuterProductOptimal"))),
    ("LINALG-DIM-THREAD-WAVE", "short", made(matrices=with_matrix("W", m=2))),
    ("LINALG-DIM-THREAD-WAVE", "no power either", made(matrices=with_matrix("A", n=136))),
    ("LINALG-DIM-THREAD-WAVE", "long", made(matrices=with_matrix("A", n=256))),
    ("LINALG-DIM-POWER", "A", made(matrices=with_matrix("A", n=48))),
    ("LINALG-DIM-POWER", "B", made(matrices=with_matrix("B", m=24))),
    ("LINALG-DIM-GROUP", "long", made(matrices=with_matrix("GA", n=1032))),
    ("LINALG-DIM-PACKED", "no power", made(matrices=with_matrix("P", n=48))),
    ("LINALG-DIM-PACKED", "long", made(matrices=with_matrix("P", n=1024))),
    ("LINALG-LAYOUT-FOUR", "load", made(Load("W", "r", 0, layout="MulOptimalTranspose"))),
    (
        "LINALG-LAYOUT-FOUR",
        "conversion",
        made(ConvertLayout("F16", 8, 16, "m", 0, "RowMajor", "m", 4096, "OuterProductOptimalTranspose", 32)),
    ),
    ("LINALG-GS-ARITH", "load", made(Load("A", "v", 0, 16))),
    ("LINALG-GS-ARITH", "store", made(Store("A", "v", 0, 16))),
    ("LINALG-STORE-GS-SIZE", "store", made(Store("A", "g", 257, 16))),
    ("LINALG-STORE-GS-SIZE", "sum", made(InterlockedAccumulate("C", "g", 0, 34))),
    ("LINALG-UNARY-SHAPE", "use", made(Unary("B", "abs", "A"))),
    ("LINALG-UNARY-SHAPE", "component", made(Unary("C", "abs", "H"))),
    ("LINALG-SUMACC-USES", "order", made(SumAccumulate("C", "B", "A"))),
    ("LINALG-SUMACC-USES", "target", made(SumAccumulate("A", "A", "B"))),
    ("LINALG-SUMACC-USES", "scope", made(SumAccumulate("C", "GA", "B"))),
    ("LINALG-SUMACC-SHAPE", "k", made(SumAccumulate("C", "A", "B"), matrices=with_matrix("B", m=32))),
    ("LINALG-FROMVEC-DIM", "wave", made(FromThreadVectors("A", "x"), matrices=with_matrix("A", n=64))),
    ("LINALG-FROMVEC-DIM", "group", made(FromThreadVectors("GA", "x"), matrices=with_matrix("GA", n=72))),
    ("LINALG-THREADVEC-USE", "from", made(FromThreadVectors("H", "x"))),
    ("LINALG-THREADVEC-USE", "get", made(GetThreadVector("x", "H"))),
    ("LINALG-THREADVEC-LEN", "from", made(FromThreadVectors("A", "y"))),
    ("LINALG-THREADVEC-LEN", "get", made(GetThreadVector("y", "B"))),
    ("LINALG-THREADVEC-LEN", "packed", made(FromThreadVectors("P", "p"), vectors=with_vector("p", length=12))),
    ("LINALG-THREADVEC-TYPE", "from", made(FromThreadVectors("A", "f"))),
    ("LINALG-VEC-LEN", "row", made(MultiplyVector("y", "W", "y"))),
    ("LINALG-VEC-LEN", "bias", made(MultiplyVector("y", "W", "x", "x"))),
    ("LINALG-VEC-USE", "an A", made(MultiplyVector("x", "A", "x"))),
    ("LINALG-VEC-NATIVE", "row", made(MultiplyVector("y", "W", "p"))),
)


def test_the_program_that_is_edited_is_valid() -> None:
    assert refused(made(*BODY)) == set()


@pytest.mark.parametrize(("clause", "form", "broken"), FORMS, ids=[f"{clause}-{form}" for clause, form, _ in FORMS])
def test_one_edit_breaks_one_clause(clause: str, form: str, broken: LinalgProgram) -> None:
    assert form
    assert refused(broken) == {clause}


def test_every_check_of_this_text_alone_is_tried() -> None:
    assert {clause for clause, _, _ in FORMS} == set(SOURCE_CHECKS)


def test_each_text_has_clauses_of_its_own() -> None:
    source = CHECKS_OF["2025-09-19"]
    assert CHECKS_OF["later"] is CHECKS
    assert "LINALG-STRIDE-16" in CHECKS
    assert "LINALG-STRIDE-16" not in source
    assert "LINALG-DIM-POWER" in source
    assert "LINALG-DIM-POWER" not in CHECKS


@pytest.mark.parametrize("number", [3, 4, 6, 10, 11])
def test_removed_instructions_are_none_of_the_later_text(number: int) -> None:
    assert "LINALG-SCOPE-TABLE" in refused(made(BODY[number]), DEFAULT_CAPS)


def test_any_power_of_two_of_packed_components_is_four_times_one() -> None:
    for n in (16, 32, 64, 512):
        assert refused(made(matrices=with_matrix("P", n=n))) == set()
    assert refused(made(matrices=with_matrix("GA", n=24))) == set()
    assert refused(made(matrices=with_matrix("GP", n=46))) == {"LINALG-DIM-PACKED", "LINALG-CONSTRUCT"}


def test_sums_of_threads_name_their_layout() -> None:
    assert refused(made(InterlockedAccumulate("O", "m", 128))) == {"LINALG-ACC-LAYOUT"}


def test_a_splat_still_needs_a_uniform_scope() -> None:
    assert refused(made(Splat("O", "float", Literal(0)))) == {"LINALG-SCOPE-TABLE"}
