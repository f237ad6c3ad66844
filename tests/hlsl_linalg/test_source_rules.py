"""Validity by the text of 2025-09-19: what it refuses, what it allows and the later one does not, and the reverse."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mmaspec.oracle.hlsl_linalg import SPEC
from mmaspec.oracle.hlsl_linalg.undefined import undefined
from mmaspec.oracle.hlsl_linalg.validity import invalid_under, rejected
from mmaspec.programs.base import Affine, Literal
from mmaspec.programs.hlsl_linalg import (
    DEFAULT_CAPS,
    Accumulate,
    Beyond,
    Cast,
    Convert,
    CountElements,
    FromThreadVectors,
    GetThreadVector,
    Instruction,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Matrix,
    MemoryBias,
    Operate,
    ReadElements,
    SharedArray,
    Splat,
    Store,
    SumAccumulate,
    Unary,
    Vector,
    VectorAccumulate,
    VectorLoad,
    WriteElements,
)
from tests.hlsl_linalg.catalogue import catalogue
from tests.hlsl_linalg.small_programs import Edit, after, before, changed, declared, product
from tests.hlsl_linalg.small_programs import sums as later_sums
from tests.hlsl_linalg.source_programs import DEVICE, SOURCE_BASES, arrays, outer, threads, vectors

SOURCE = "2025-09-19"


@pytest.mark.parametrize("name", SOURCE_BASES)
def test_the_small_programs_are_valid_and_defined(name: str) -> None:
    assert rejected(SOURCE_BASES[name](), DEVICE) == frozenset()
    assert undefined(SOURCE_BASES[name](), DEVICE) == frozenset()
    assert invalid_under(SOURCE_BASES[name](), SOURCE) == ()


def with_matrix(program: LinalgProgram, *matrices: Matrix) -> LinalgProgram:
    """The program with matrices that nothing uses."""
    return replace(program, matrices=(*program.matrices, *matrices))


def wave(component: str, m: int, n: int, use: str = "A", scope: str = "Wave") -> Edit:
    """One matrix more."""
    return lambda p: with_matrix(p, Matrix("X", component, m, n, use, scope))  # type: ignore[arg-type]


def thread(*body: Instruction, component: str = "F16") -> Edit:
    """Operations on an accumulator, a factor of its size and a vector of Thread scope, in front of all others."""
    more = (
        Matrix("X", component, 8, 8, "Accumulator", "Thread"),  # type: ignore[arg-type]
        Matrix("Y", component, 8, 8, "A", "Thread"),  # type: ignore[arg-type]
        Matrix("Z", component, 8, 8, "B", "Thread"),  # type: ignore[arg-type]
    )
    vector = Vector("V", component, 8)  # type: ignore[arg-type]
    return lambda p: before(replace(with_matrix(p, *more), vectors=(*p.vectors, vector)), 0, *body)


BROKEN: tuple[tuple[str, str, Edit], ...] = (
    # Declarations.
    ("LINALG-COMP-ENUM", "sums", wave("I8", 8, 16)),
    ("LINALG-COMP-ENUM", "sums", wave("BFloat16", 8, 16)),
    ("LINALG-COMP-ENUM", "sums", wave("F8_E5M2", 8, 16)),
    ("LINALG-COMP-ENUM", "sums", wave("I1", 8, 16)),
    ("LINALG-DIM-THREAD-WAVE", "sums", wave("F16", 8, 256)),
    ("LINALG-DIM-THREAD-WAVE", "sums", wave("F16", 2, 8, "B", "Thread")),
    ("LINALG-DIM-POWER", "sums", wave("F16", 8, 24)),
    ("LINALG-DIM-POWER", "sums", wave("F16", 96, 8, "B")),
    ("LINALG-DIM-POWER", "sums", wave("F16", 8, 5, "A", "Thread")),
    ("LINALG-DIM-GROUP", "sums", wave("F16", 8, 1032, "A", "ThreadGroup")),
    ("LINALG-DIM-PACKED", "sums", wave("PackedS8x32", 8, 48)),
    ("LINALG-DIM-PACKED", "sums", wave("PackedU8x32", 1024, 8, "B")),
    ("LINALG-DIM-PACKED", "sums", wave("PackedU8x32", 8, 8, "A", "Thread")),
    ("LINALG-DIM-PACKED", "sums", wave("PackedU8x32", 8, 18, "A", "Thread")),
    # Operations of the other text, and those of this one at Thread scope.
    ("LINALG-SCOPE-TABLE", "sums", lambda p: after(p, CountElements("C", "out", 4096))),
    ("LINALG-SCOPE-TABLE", "sums", lambda p: after(p, ReadElements("C", "out", 4096, 32))),
    ("LINALG-SCOPE-TABLE", "sums", lambda p: before(p, 3, WriteElements("C", "a", 4096, 32))),
    ("LINALG-SCOPE-TABLE", "sums", lambda p: after(p, Beyond("C", "out", 4096))),
    ("LINALG-SCOPE-TABLE", "sums", lambda p: after(p, Accumulate("C", "A"))),
    ("LINALG-SCOPE-TABLE", "sums", lambda p: after(p, Cast("B", "A", transpose=True))),
    ("LINALG-SCOPE-TABLE", "arrays", lambda p: changed(p, 5, target="F32")),
    ("LINALG-SCOPE-TABLE", "vectors", lambda p: changed(p, 3, bias=MemoryBias("m", 512, "F16"))),
    ("LINALG-SCOPE-TABLE", "vectors", lambda p: after(p, Convert("y", "z"))),
    ("LINALG-SCOPE-TABLE", "vectors", lambda p: after(p, VectorAccumulate("y", "out", 4096))),
    ("LINALG-SCOPE-TABLE", "sums", thread(Splat("X", "half", Literal(0)))),
    ("LINALG-SCOPE-TABLE", "sums", thread(Cast("X", "Y"))),
    ("LINALG-SCOPE-TABLE", "sums", thread(Store("X", "out", 4096, 16))),
    ("LINALG-SCOPE-TABLE", "sums", thread(Operate("X", "add", "half", Literal(0)))),
    ("LINALG-SCOPE-TABLE", "sums", thread(Unary("X", "nop", "X"))),
    ("LINALG-SCOPE-TABLE", "sums", thread(SumAccumulate("X", "Y", "Z"))),
    ("LINALG-SCOPE-TABLE", "sums", thread(FromThreadVectors("Y", "V"))),
    ("LINALG-SCOPE-TABLE", "sums", thread(GetThreadVector("V", "Z"))),
    # Memory.
    ("LINALG-LOAD-SRC", "vectors", lambda p: replace(declared(p, "M", scope="Thread"), read_only=())),
    ("LINALG-LOAD-LAYOUT", "sums", lambda p: changed(p, 0, layout="MulOptimal", stride=0)),
    ("LINALG-LOAD-STRIDE0", "optimal", lambda p: changed(p, 3, stride=16)),
    ("LINALG-LOAD-STRIDE0", "optimal", lambda p: changed(p, 6, stride=16)),
    ("LINALG-LAYOUT-FOUR", "optimal", lambda p: changed(p, 3, layout="MulOptimalTranspose")),
    ("LINALG-LAYOUT-FOUR", "optimal", lambda p: changed(p, 0, target_layout="OuterProductOptimalTranspose")),
    ("LINALG-STORE-LAYOUT", "sums", lambda p: changed(p, 5, layout="MulOptimal", stride=0)),
    ("LINALG-STORE-TARGET", "sums", lambda p: replace(p, read_only=("out",))),
    ("LINALG-ACC-USE", "sums", lambda p: changed(p, 4, matrix="A")),
    ("LINALG-ACC-LAYOUT", "optimal", lambda p: changed(p, 6, layout="RowMajor")),
    ("LINALG-ACC-LAYOUT", "sums", lambda p: changed(p, 4, layout="OuterProductOptimal", stride=0)),
    ("LINALG-GS-ARITH", "arrays", lambda p: replace(p, arrays=(SharedArray("f", "float", 32, 4), p.arrays[1]))),
    ("LINALG-STORE-GS-SIZE", "arrays", lambda p: changed(p, 3, offset=1)),
    ("LINALG-STORE-GS-SIZE", "arrays", lambda p: changed(p, 5, stride=18)),
    # Operations between matrices.
    ("LINALG-CAST-SCOPE", "sums", lambda p: after(wave("F16", 16, 16, "A", "ThreadGroup")(p), Cast("X", "A"))),
    ("LINALG-CAST-SHAPE", "sums", lambda p: after(wave("F16", 16, 8)(p), Cast("X", "A"))),
    ("LINALG-MUL-INFER", "product", lambda p: changed(p, 2, typed=False)),
    ("LINALG-MUL-USES", "product", lambda p: changed(p, 2, b="A")),
    ("LINALG-MUL-SHAPE", "product", lambda p: declared(p, "C", m=32)),
    ("LINALG-MUL-SCOPE", "product", lambda p: declared(p, "C", scope="ThreadGroup")),
    ("LINALG-UNARY-SHAPE", "elements", lambda p: declared(p, "N", use="B", n=16)),
    ("LINALG-UNARY-SHAPE", "elements", lambda p: declared(p, "N", component="F32")),
    ("LINALG-UNARY-SHAPE", "elements", lambda p: declared(p, "N", scope="ThreadGroup")),
    ("LINALG-SUMACC-USES", "sums", lambda p: changed(p, 3, a="B", b="A")),
    ("LINALG-SUMACC-USES", "sums", lambda p: before(p, 4, SumAccumulate("A", "A", "B"))),
    ("LINALG-SUMACC-USES", "sums", lambda p: declared(p, "B", scope="ThreadGroup")),
    ("LINALG-SUMACC-SHAPE", "sums", lambda p: declared(p, "A", m=8)),
    ("LINALG-SUMACC-SHAPE", "sums", lambda p: declared(p, "B", m=32)),
    ("LINALG-SUMACC-SHAPE", "sums", lambda p: declared(p, "C", n=32)),
    # Vectors of threads.
    ("LINALG-THREADVEC-USE", "threads", lambda p: declared(p, "A", use="Accumulator")),
    ("LINALG-THREADVEC-USE", "threads", lambda p: before(declared(p, "B", use="Accumulator"), 3, *SPLAT_B)),
    ("LINALG-THREADVEC-LEN", "threads", lambda p: declared(p, "c", length=16)),
    ("LINALG-THREADVEC-LEN", "threads", lambda p: declared(p, "s", length=16)),
    ("LINALG-THREADVEC-LEN", "packed", lambda p: declared(p, "c", length=2)),
    ("LINALG-THREADVEC-TYPE", "threads", lambda p: declared(p, "c", component="I16")),
    ("LINALG-THREADVEC-TYPE", "packed", lambda p: declared(p, "d", component="PackedU8x32")),
    ("LINALG-FROMVEC-DIM", "threads", lambda p: declared(p, "A", n=64)),
    ("LINALG-FROMVEC-DIM", "threads", lambda p: declared(declared(p, "B", m=64), "s")),
    ("LINALG-FROMVEC-DIM", "packed", lambda p: declared(p, "A", n=64)),
    # Products with vectors.
    ("LINALG-VEC-USE", "vectors", lambda p: declared(p, "M", use="A")),
    ("LINALG-VEC-LEN", "vectors", lambda p: declared(p, "x", length=8)),
    ("LINALG-VEC-LEN", "vectors", lambda p: declared(p, "M", n=16)),
    ("LINALG-VEC-LEN", "vectors", lambda p: changed(p, 3, bias="x")),
    ("LINALG-VEC-NATIVE", "vectors", lambda p: declared(p, "x", component="PackedS8x32")),
    ("LINALG-VEC-INTERP", "vectors", lambda p: replace(p, vectors=(*p.vectors, Vector("X", "I8", 4)))),
    ("LINALG-OUTER-USE", "outer", lambda p: replace(declared(p, "O", use="A"), body=p.body[:3])),
    ("LINALG-OUTER-LEN", "outer", lambda p: changed(p, 2, column="r", row="c")),
    ("LINALG-OUTER-TYPES", "outer", lambda p: declared(p, "r", component="F32")),
    # What the device reports.
    ("LINALG-CONSTRUCT", "sums", wave("F64", 8, 8)),
    ("LINALG-CONSTRUCT", "sums", wave("PackedS8x32", 12, 16)),
    ("LINALG-MUL-CAPS", "product", lambda p: declared(declared(p, "A", component="F32"), "B", component="F32")),
    ("LINALG-GROUP-CAPS", "product", lambda _: product("ThreadGroup", 1)),
    ("LINALG-VEC-CAPS", "vectors", lambda p: declared(p, "x", component="I32")),
    ("LINALG-OUTER-CAPS", "outer", lambda p: declared(declared(p, "c", component="I16"), "r", component="I16")),
    (
        "LINALG-ATOMIC-CAPS",
        "outer",
        lambda p: replace(p, body=(*p.body[:3], *SUM_OF_SHORTS), matrices=(*p.matrices, S)),
    ),
    ("LINALG-LAYOUT-STRIDE", "optimal", lambda p: changed(p, 0, source_stride=14)),
    ("LINALG-LAYOUT-ALIGN", "optimal", lambda p: changed(p, 7, target_offset=64)),
    ("LINALG-LAYOUT-TYPE", "optimal", lambda p: after(p, replace(p.body[7], **OF_SHORTS))),  # type: ignore[type-var]
)
SPLAT_B = (Splat("B", "half", Literal(0)),)
S = Matrix("S", "I16", 8, 16, "Accumulator")
SUM_OF_SHORTS = (Splat("S", "int16_t", Literal(1)), InterlockedAccumulate("S", "sum", 0, 32))
OF_SHORTS = {"component": "I16", "source": "a", "source_layout": "RowMajor", "source_stride": 32, "target_offset": 1024}

LATER_ONLY_CHECKS = {"LINALG-LOAD-USE", "LINALG-STRIDE-16", "LINALG-BASE-ALIGN", "LINALG-ACC-BASE", "LINALG-ALIGN"}


@pytest.mark.parametrize(("clause", "base", "edit"), BROKEN, ids=[f"{n}-{one[0]}" for n, one in enumerate(BROKEN)])
def test_breaks_one_clause(clause: str, base: str, edit: Edit) -> None:
    assert rejected(edit(SOURCE_BASES[base]()), DEVICE) == {clause, *catalogue().clause[clause].entails}


def test_every_validity_clause_is_covered() -> None:
    found = catalogue().clause
    testable = {name for name, one in found.items() if one.kind == "V" and one.testable and one.revision != "later"}
    assert testable == {clause for clause, _, _ in BROKEN}


def test_sizes_of_packed_types_are_fourfold() -> None:
    """What the later text refuses of its own 8-bit types, and what it allows."""
    for n, fits in ((16, True), (512, True), (4, False)):
        assert (not rejected(wave("PackedS8x32", 8, n)(SOURCE_BASES["sums"]()), DEVICE)) is fits, n
    assert rejected(wave("I8", 8, 512)(later_sums()), DEFAULT_CAPS) == {"LINALG-DIM-THREAD-WAVE"}
    assert not rejected(wave("PackedS8x32", 8, 48, "A", "ThreadGroup")(SOURCE_BASES["sums"]()), DEVICE)


ALLOWED: tuple[tuple[str, LinalgProgram], ...] = (
    # Offsets and strides of any multiple of the element, overlapping rows, and any alignment that they keep.
    ("an offset", changed(changed(product(), 0, offset=6), 4, offset=4)),
    ("a stride", changed(product(), 0, stride=34)),
    ("overlapping rows", changed(product(), 0, stride=8)),
    ("no stride", changed(product(), 1, stride=0)),
    ("an alignment", changed(changed(product(), 0, align=2), 1, align=64)),
    ("a sum anywhere", changed(SOURCE_BASES["sums"](), 4, offset=36, stride=34)),
    # Scopes and uses that the later text does not have there.
    ("a row by a matrix of each thread", vectors("Thread")),
    ("a row by a matrix of the group", vectors("ThreadGroup")),
    ("an outer product of the group", outer("ThreadGroup")),
    ("a B matrix of each thread", replace(vectors("Thread"), body=vectors("Thread").body[:1])),
    ("a product of groups", product("ThreadGroup", 2)),
    ("vectors of a group of one wave", threads("ThreadGroup")),
    # Arrays of any type and any place.
    ("integers", replace(arrays(), arrays=(SharedArray("f", "int16_t", 128), SharedArray("i", "uint64_t", 64)))),
    ("overlapping rows of an array", changed(arrays(), 2, stride=3)),
    ("beyond a buffer", changed(product(), 0, offset=8000)),
    ("wide and short", changed(product(), 4, offset=8000)),
    ("one vector by two waves", replace(outer("Wave"), waves=2, body=outer("Wave").body[:3])),
    ("two waves apart", changed(replace(outer("Wave"), waves=2), 3, offset=Affine(0, 256))),
)


@pytest.mark.parametrize("program", [one[1] for one in ALLOWED], ids=[one[0] for one in ALLOWED])
def test_is_valid_and_defined(program: LinalgProgram) -> None:
    assert rejected(program, DEVICE) == frozenset()
    assert undefined(program, DEVICE) == frozenset()


REMOVED: tuple[tuple[Instruction, ...], ...] = (
    (Operate("C", "add", "float", Literal(0)),),
    (Unary("C", "nop", "C"),),
    (SumAccumulate("C", "A", "B"),),
    (FromThreadVectors("A", "v"),),
    (GetThreadVector("v", "A"),),
)


@pytest.mark.parametrize("body", REMOVED, ids=[type(one[0]).__name__ for one in REMOVED])
def test_the_later_text_has_no_operation_that_it_removed(body: tuple[Instruction, ...]) -> None:
    program = replace(product(), vectors=(Vector("v", "F16", 16),))
    program = before(program, 4, VectorLoad("v", "a", 1024), *body)
    assert rejected(program, DEFAULT_CAPS) == {"LINALG-SCOPE-TABLE"}


def test_arrays_of_any_type_are_valid_under_every_reading() -> None:
    """Which integers may hold a matrix is a question of the later text alone; scopes of sums are one of both."""
    shorts = replace(arrays(), arrays=(SharedArray("f", "int16_t", 128), arrays().arrays[1]))
    assert invalid_under(shorts, SOURCE) == ()
    assert {one.ambiguity for one in invalid_under(shorts)} == {"LINALG-AMB-31", "LINALG-AMB-30"}
    group = declared(arrays(), "H", scope="ThreadGroup")
    assert [one.ambiguity for one in invalid_under(group, SOURCE)] == ["LINALG-AMB-07"]


def test_what_only_the_later_text_checks() -> None:
    """The rules about alignment and about the use of Thread loads, broken by programs that this text allows."""
    broken = {
        "LINALG-STRIDE-16": changed(product(), 0, stride=34),
        "LINALG-BASE-ALIGN": changed(product(), 0, offset=6),
        "LINALG-ALIGN": changed(product(), 0, align=2),
        "LINALG-ACC-BASE": changed(later_sums(), 5, offset=36),
        "LINALG-LOAD-USE": replace(vectors("Thread"), body=vectors("Thread").body[:1]),
    }
    assert broken.keys() == LATER_ONLY_CHECKS
    for clause, program in broken.items():
        assert clause in rejected(program, DEFAULT_CAPS)
        assert clause not in rejected(program, DEVICE)
        assert catalogue().clause[clause].revision == "later"


def test_loads_of_memory_that_is_not_read_only_are_those_of_waves() -> None:
    program = after(product(), Load("A", "b", 4096, 32))
    assert rejected(program, DEVICE) == frozenset()


def test_a_device_of_this_text_is_asked_about_its_own_readings_alone() -> None:
    shorts = replace(arrays(), arrays=(SharedArray("f", "int16_t", 128), arrays().arrays[1]))
    found = SPEC.of(DEVICE).invalid_under
    assert found is not None
    assert found(shorts) == ()
    assert SPEC.of(DEFAULT_CAPS) is SPEC
