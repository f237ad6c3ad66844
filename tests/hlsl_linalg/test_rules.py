"""Every validity clause by a program made by hand that breaks it alone, beside one that is valid."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mmaspec.oracle.hlsl_linalg.undefined import undefined
from mmaspec.oracle.hlsl_linalg.validity import invalid_under, rejected
from mmaspec.programs.base import Affine, Literal
from mmaspec.programs.errors import BadInput
from mmaspec.programs.hlsl_linalg import (
    DEFAULT_CAPS,
    Accumulate,
    AtomicSum,
    Beyond,
    Cast,
    Convert,
    ConvertLayout,
    CountElements,
    InterlockedAccumulate,
    LinalgCaps,
    LinalgProgram,
    Load,
    Matrix,
    MemoryBias,
    Multiply,
    MultiplyVector,
    ReadElements,
    SharedArray,
    Splat,
    Store,
    Vector,
    VectorAccumulate,
    VectorProduct,
)
from tests.hlsl_linalg.catalogue import catalogue
from tests.hlsl_linalg.small_programs import (
    BASES,
    Edit,
    after,
    alone,
    arrays,
    before,
    changed,
    declared,
    optimal,
    packed,
    product,
    sums,
)

GROUP = Matrix("X", "F16", 16, 16, "Accumulator", "ThreadGroup")
MEMORY = MemoryBias("m", 1024, "F16", "bias")
SOURCE = "2025-09-19"
"""The revision whose own rules have tests of their own."""


@pytest.mark.parametrize("name", BASES)
def test_the_small_programs_are_valid_and_defined(name: str) -> None:
    assert rejected(BASES[name](), DEFAULT_CAPS) == frozenset()
    assert undefined(BASES[name](), DEFAULT_CAPS) == frozenset()
    assert invalid_under(BASES[name]()) == ()


def added_to_a_factor(program: LinalgProgram) -> LinalgProgram:
    """An Accumulate whose object is no accumulator."""
    return before(program, 4, Accumulate("H", "A"), Accumulate("A", "H"))


def six_of_eight(program: LinalgProgram) -> LinalgProgram:
    """A packed vector of 6 components, which end inside a word."""
    shorter = declared(declared(program, "M", n=6), "x", length=6)
    return replace(shorter, body=(*shorter.body[:2], *shorter.body[3:5]))


def floats_of_a_transpose(program: LinalgProgram) -> LinalgProgram:
    """The transpose multiplied into floats, which the device has no transposes for."""
    return declared(program, "z", component="F32")


BROKEN: tuple[tuple[str, str, Edit], ...] = (
    # Declarations.
    ("LINALG-COMP-ENUM", "sums", lambda p: replace(p, matrices=(*p.matrices, Matrix("X", "I1", 8, 8, "A")))),
    ("LINALG-COMP-ENUM", "product", lambda p: replace(p, matrices=(*p.matrices, Matrix("X", "SNormF16", 8, 8, "B")))),
    ("LINALG-COMP-ENUM", "outer", lambda p: replace(p, matrices=(*p.matrices, Matrix("X", "PackedS8x32", 8, 8, "A")))),
    ("LINALG-VEC-INTERP", "vectors", lambda p: replace(p, vectors=(*p.vectors, Vector("X", "UNormF32", 4)))),
    ("LINALG-VEC-INTERP", "vectors", lambda p: changed(p, 3, bias=MemoryBias("m", 1024, "PackedU8x32"))),
    ("LINALG-DIM-THREAD-WAVE", "sums", lambda p: replace(p, matrices=(*p.matrices, Matrix("X", "F16", 8, 136, "A")))),
    ("LINALG-DIM-THREAD-WAVE", "sums", lambda p: replace(p, matrices=(*p.matrices, Matrix("X", "F16", 256, 8, "B")))),
    (
        "LINALG-DIM-THREAD-WAVE",
        "vectors",
        lambda p: replace(p, matrices=(*p.matrices, Matrix("X", "F16", 8, 3, "A", "Thread"))),
    ),
    (
        "LINALG-DIM-GROUP",
        "sums",
        lambda p: replace(p, matrices=(*p.matrices, Matrix("X", "F16", 16, 1032, "A", "ThreadGroup"))),
    ),
    ("LINALG-SCOPE-TABLE", "vectors", lambda p: after(p, Splat("M", "half", Literal(0)))),
    ("LINALG-SCOPE-TABLE", "vectors", lambda p: after(p, Store("M", "out", 4096, 32))),
    ("LINALG-SCOPE-TABLE", "vectors", lambda p: after(p, CountElements("M", "out", 4096))),
    ("LINALG-SCOPE-TABLE", "vectors", lambda p: after(p, ReadElements("M", "out", 4096, 32))),
    ("LINALG-SCOPE-TABLE", "vectors", lambda p: after(p, Beyond("M", "out", 4096))),
    ("LINALG-SCOPE-TABLE", "vectors", lambda p: after(p, Cast("M", "M"))),
    ("LINALG-SCOPE-TABLE", "vectors", lambda p: declared(p, "M", scope="Wave")),
    ("LINALG-SCOPE-TABLE", "outer", lambda p: replace(declared(p, "O", scope="Wave"), body=p.body[:4])),
    (
        "LINALG-SCOPE-TABLE",
        "vectors",
        lambda p: after(replace(p, arrays=(SharedArray("g", "half", 128),)), Load("M", "g", 0, 16)),
    ),
    ("LINALG-ELEM-NATIVE", "arrays", lambda p: after(p, CountElements("S", "out", 4096))),
    ("LINALG-ELEM-NATIVE", "arrays", lambda p: after(p, ReadElements("S", "out", 4096, 16))),
    ("LINALG-ELEM-NATIVE", "arrays", lambda p: after(p, Beyond("S", "out", 4096))),
    ("LINALG-VEC-NATIVE", "packed", lambda p: after(p, VectorAccumulate("x", "out", 0))),
    ("LINALG-VEC-NATIVE", "packed", lambda p: changed(declared(p, "y", component="I8"), 3)),
    # Loads, stores and sums in buffers.
    ("LINALG-LOAD-SRC", "vectors", lambda p: replace(p, read_only=())),
    ("LINALG-LOAD-USE", "outer", lambda p: before(replace(p, read_only=("v",)), 4, Load("O", "v", 4096, 32))),
    ("LINALG-LOAD-LAYOUT", "sums", lambda p: changed(p, 0, layout="MulOptimal", stride=0)),
    ("LINALG-LOAD-LAYOUT", "arrays", lambda p: changed(p, 3, layout="OuterProductOptimal")),
    ("LINALG-LOAD-STRIDE0", "optimal", lambda p: changed(p, 2, stride=32)),
    ("LINALG-LOAD-STRIDE0", "outer", lambda p: changed(p, 4, stride=16)),
    ("LINALG-STORE-LAYOUT", "product", lambda p: changed(p, 4, layout="MulOptimal", stride=0)),
    ("LINALG-ACC-LAYOUT", "sums", lambda p: changed(p, 5, layout="OuterProductOptimal", stride=0)),
    ("LINALG-ACC-LAYOUT", "outer", lambda p: changed(p, 4, layout="ColMajor")),
    ("LINALG-STRIDE-16", "product", lambda p: changed(p, 0, stride=40)),
    ("LINALG-STRIDE-16", "product", lambda p: changed(p, 4, stride=72)),
    ("LINALG-STRIDE-16", "vectors", lambda p: changed(p, 0, stride=Affine(32, lane=8))),
    ("LINALG-BASE-ALIGN", "product", lambda p: changed(p, 0, offset=64)),
    ("LINALG-BASE-ALIGN", "vectors", lambda p: changed(p, 0, offset=Affine(0, lane=32))),
    ("LINALG-BASE-ALIGN", "product", lambda p: replace(p, buffers=(replace(p.buffers[0], base=64), *p.buffers[1:]))),
    ("LINALG-ACC-BASE", "sums", lambda p: changed(p, 5, offset=32)),
    ("LINALG-ALIGN", "product", lambda p: changed(p, 0, align=64)),
    ("LINALG-ALIGN", "product", lambda p: changed(p, 4, align=192)),
    ("LINALG-ALIGN", "sums", lambda p: changed(p, 5, align=64)),
    ("LINALG-VEC-ACC-ALIGN", "vectors", lambda p: changed(p, 6, align=32)),
    ("LINALG-VEC-ACC-ALIGN", "vectors", lambda p: changed(p, 6, offset=Affine(0, lane=16))),
    ("LINALG-STORE-TARGET", "product", lambda p: replace(p, read_only=("a", "out"))),
    ("LINALG-STORE-TARGET", "sums", lambda p: replace(p, read_only=("sum",))),
    ("LINALG-STORE-TARGET", "vectors", lambda p: replace(p, read_only=("m", "sum"))),
    ("LINALG-ACC-USE", "sums", lambda p: after(p, InterlockedAccumulate("A", "sum", 1024, 16))),
    # Arrays.
    ("LINALG-GS-TYPE", "arrays", lambda p: changed(p, 4, memory="g")),
    ("LINALG-GS-TYPE", "arrays", lambda p: replace(p, arrays=(SharedArray("g", "float", 128), p.arrays[1]))),
    ("LINALG-GS-ALIGN", "arrays", lambda p: changed(p, 3, offset=32)),
    ("LINALG-GS-ALIGN", "arrays", lambda p: changed(p, 6, stride=12)),
    ("LINALG-GS-ALIGN", "arrays", lambda p: changed(p, 4, stride=24)),
    ("LINALG-STORE-GS-SIZE", "arrays", lambda p: changed(p, 6, offset=128)),
    ("LINALG-STORE-GS-SIZE", "arrays", lambda p: changed(p, 7, stride=16)),
    ("LINALG-ACC-GS-TARGET", "arrays", lambda p: changed(p, 7, target="I16")),
    # Operations between matrices.
    (
        "LINALG-CAST-SCOPE",
        "sums",
        lambda p: after(
            replace(p, matrices=(*p.matrices, replace(GROUP, n=8))),
            Cast("X", "A"),
        ),
    ),
    ("LINALG-CAST-SHAPE", "sums", lambda p: changed(p, 1, transpose=False)),
    ("LINALG-CAST-SHAPE", "sums", lambda p: changed(p, 2, transpose=True)),
    ("LINALG-ACCUMULATE-USES", "sums", lambda p: changed(p, 4, operand="H")),
    ("LINALG-ACCUMULATE-USES", "sums", added_to_a_factor),
    ("LINALG-ACCUMULATE-SHAPE", "sums", lambda p: changed(p, 4, operand="T")),
    ("LINALG-MUL-USES", "product", lambda p: changed(p, 2, b="A")),
    ("LINALG-MUL-USES", "product", lambda p: declared(p, "C", use="A")),
    ("LINALG-MUL-SHAPE", "product", lambda p: declared(p, "C", m=32)),
    ("LINALG-MUL-SHAPE", "product", lambda p: declared(p, "A", n=32)),
    ("LINALG-MUL-SCOPE", "product", lambda p: declared(p, "C", scope="ThreadGroup")),
    ("LINALG-MUL-INFER", "product", lambda p: changed(p, 2, typed=False)),
    # Vectors.
    ("LINALG-VEC-USE", "vectors", lambda p: replace(declared(p, "M", use="B"), body=p.body[1:])),
    ("LINALG-VEC-LEN", "vectors", lambda p: declared(declared(p, "x", length=8), "i", length=8)),
    ("LINALG-VEC-LEN", "vectors", lambda p: declared(p, "z", length=16)),
    ("LINALG-VEC-LEN", "vectors", lambda p: changed(p, 3, bias="x")),
    ("LINALG-VEC-LEN", "packed", six_of_eight),
    ("LINALG-BIAS-SOURCE", "vectors", lambda p: changed(p, 3, bias=replace(MEMORY, buffer="v"))),
    ("LINALG-CONVERT-LEN", "vectors", lambda p: declared(p, "i", length=15)),
    ("LINALG-CONVERT-LEN", "packed", lambda p: declared(replace(p, body=p.body[:5]), "f", length=12)),
    ("LINALG-OUTER-USE", "outer", lambda p: replace(declared(p, "O", use="A"), body=p.body[:4])),
    ("LINALG-OUTER-LEN", "outer", lambda p: changed(p, 3, column="r", row="c")),
    ("LINALG-OUTER-TYPES", "outer", lambda p: declared(p, "r", component="F32")),
    # What the device reports.
    ("LINALG-CONSTRUCT", "sums", lambda p: replace(p, matrices=(*p.matrices, Matrix("X", "F64", 8, 8, "A")))),
    ("LINALG-CONSTRUCT", "sums", lambda p: replace(p, matrices=(*p.matrices, Matrix("X", "F16", 12, 8, "B")))),
    ("LINALG-CONSTRUCT", "sums", lambda p: replace(p, matrices=(*p.matrices, replace(GROUP, n=12)))),
    ("LINALG-MUL-CAPS", "product", lambda p: declared(p, "A", component="BFloat16")),
    ("LINALG-MUL-CAPS", "product", lambda p: declared(declared(p, "A", m=24), "C", m=24)),
    ("LINALG-VEC-CAPS", "vectors", lambda p: declared(p, "x", component="F32")),
    ("LINALG-VEC-CAPS", "vectors", lambda p: changed(p, 3, bias=replace(MEMORY, component="F32"))),
    ("LINALG-TRANSPOSE-CAPS", "optimal", floats_of_a_transpose),
    ("LINALG-OUTER-CAPS", "outer", lambda p: declared(declared(p, "c", component="F32"), "r", component="F32")),
    ("LINALG-ATOMIC-CAPS", "vectors", lambda p: changed(declared(p, "i", component="I16"), 6, vector="i")),
    # Conversions of layouts.
    ("LINALG-LAYOUT-KINDS", "optimal", lambda p: changed(p, 0, target_layout="MulOptimalTranspose")),
    ("LINALG-LAYOUT-STRIDE", "optimal", lambda p: changed(p, 0, source_stride=30)),
    ("LINALG-LAYOUT-STRIDE", "optimal", lambda p: changed(p, 0, source_stride=33)),
    ("LINALG-LAYOUT-STRIDE", "optimal", lambda p: changed(p, 0, target_stride=32)),
    ("LINALG-LAYOUT-STRIDE", "outer", lambda p: changed(p, 5, target_stride=24)),
    ("LINALG-LAYOUT-ALIGN", "outer", lambda p: changed(p, 5, target_offset=64)),
    (
        "LINALG-LAYOUT-TYPE",
        "outer",
        lambda p: after(p, ConvertLayout("I16", 8, 16, "a", 4096, "RowMajor", "out", 4096, "ColMajor", 32, 16)),
    ),
)


EMULATED = replace(
    DEFAULT_CAPS,
    vector_products=tuple(
        replace(one, emulated_inputs=one.matrix.startswith("F8")) for one in DEFAULT_CAPS.vector_products
    ),
)
"""A device that multiplies FP8 matrices in another type."""


def of_fp8(program: LinalgProgram) -> LinalgProgram:
    """The matrix in FP8, loaded row-major."""
    return declared(changed(program, 0, stride=16), "M", component="F8_E4M3FN")


UNDER_CAPS: tuple[tuple[str, LinalgCaps, Edit], ...] = (
    ("LINALG-FP8-OPTIMAL", EMULATED, of_fp8),
    ("LINALG-GROUP-CAPS", DEFAULT_CAPS, lambda _: product("ThreadGroup", 1)),
    ("LINALG-GROUP-CAPS", DEFAULT_CAPS, lambda _: product("ThreadGroup", 3)),
    ("LINALG-GROUP-CAPS", DEFAULT_CAPS, lambda _: product("ThreadGroup", 16)),
    ("LINALG-ATOMIC-CAPS", replace(DEFAULT_CAPS, atomics=()), lambda _: arrays()),
    ("LINALG-ATOMIC-CAPS", replace(DEFAULT_CAPS, atomics=(AtomicSum("F16", True, False),)), lambda _: arrays()),
    ("LINALG-ATOMIC-CAPS", replace(DEFAULT_CAPS, atomics=(AtomicSum("F32", False, True),)), lambda _: sums()),
    (
        "LINALG-MUL-CAPS",
        replace(DEFAULT_CAPS, products=DEFAULT_CAPS.products[:4]),
        lambda _: product(),
    ),
    (
        "LINALG-TRANSPOSE-CAPS",
        replace(DEFAULT_CAPS, vector_products=(VectorProduct("F16", "F16", "F16", ("F16",)),)),
        lambda _: optimal(),
    ),
)


def wanted(clause: str) -> set[str]:
    """The clause, and what a breach of it breaks as well."""
    return {clause, *catalogue().clause[clause].entails}


@pytest.mark.parametrize(("clause", "base", "edit"), BROKEN, ids=[f"{n}-{one[0]}" for n, one in enumerate(BROKEN)])
def test_breaks_one_clause(clause: str, base: str, edit: Edit) -> None:
    assert rejected(edit(BASES[base]()), DEFAULT_CAPS) == wanted(clause)


@pytest.mark.parametrize(("clause", "caps", "edit"), UNDER_CAPS, ids=range(len(UNDER_CAPS)))
def test_breaks_one_clause_under_caps(clause: str, caps: LinalgCaps, edit: Edit) -> None:
    assert rejected(edit(BASES["vectors"]()), caps) == wanted(clause)


def test_every_validity_clause_is_covered() -> None:
    found = catalogue().clause
    testable = {name for name, one in found.items() if one.kind == "V" and one.testable and one.revision != SOURCE}
    assert testable == {clause for clause, _, _ in BROKEN} | {clause for clause, _, _ in UNDER_CAPS}


VALID: tuple[tuple[str, Edit], ...] = (
    ("product", lambda _: product("ThreadGroup", 2)),
    ("product", lambda _: product("ThreadGroup", 8)),
    ("product", lambda _: product("Wave", 2)),
    ("product", lambda p: changed(p, 0, align=256, offset=128)),
    ("product", lambda p: changed(changed(p, 0, layout="ColMajor"), 4, layout="ColMajor")),
    ("product", lambda p: changed(p, 0, offset=SPILL)),
    ("product", lambda p: changed(p, 4, offset=SPILL)),
    ("product", lambda p: declared(changed(changed(p, 2, typed=False), 4, stride=32), "C", component="F16")),
    ("sums", lambda p: changed(p, 5, offset=SPILL)),
    ("sums", lambda p: declared(p, "H", use="B")),
    ("arrays", lambda p: replace(p, arrays=(replace(p.arrays[0], element="uint16_t"), p.arrays[1]))),
    ("arrays", lambda p: replace(p, arrays=(SharedArray("g", "half", 32, 4), SharedArray("w", "uint", 64)))),
    ("vectors", lambda p: changed(p, 3, bias=MEMORY)),
    ("vectors", lambda p: changed(declared(p, "z", component="F32"), 5, offset=Affine(0, lane=32))),
    ("vectors", lambda p: changed(p, 0, offset=Affine(0, lane=256))),
    ("vectors", lambda p: changed(p, 6, offset=SPILL, align=128)),
    ("packed", lambda p: before(replace(p, vectors=(*p.vectors, Vector("q", "U8", 13))), 3, Convert("q", "f"))),
    ("outer", lambda p: changed(p, 4, layout="RowMajor")),
)
SPILL = 8064
"""An offset from which a matrix reaches beyond its buffer."""


@pytest.mark.parametrize(("base", "edit"), VALID, ids=range(len(VALID)))
def test_is_valid_and_defined(base: str, edit: Edit) -> None:
    program = edit(BASES[base]())
    assert rejected(program, DEFAULT_CAPS) == frozenset()
    assert undefined(program, DEFAULT_CAPS) == frozenset()


def test_an_emulated_matrix_may_come_from_an_optimal_layout() -> None:
    program = declared(declared(optimal(), "M", component="F8_E4M3FN"), "T", component="F8_E4M3FN")
    plain = replace(
        changed(program, 0, component="F8_E4M3FN", source_stride=16),
        body=tuple(one for n, one in enumerate(changed(program, 0, component="F8_E4M3FN").body) if n not in (3, 5, 6)),
    )
    assert rejected(plain, EMULATED) == frozenset()


OTHERWISE: tuple[tuple[str, str, str, Edit], ...] = (
    ("LINALG-AMB-07", "wave", "LINALG-SCOPE-TABLE", lambda p: declared(p, "H", scope="ThreadGroup")),
    (
        "LINALG-AMB-30",
        "words",
        "LINALG-GS-TYPE",
        lambda p: changed(replace(p, arrays=(SharedArray("g", "uint16_t", 128), p.arrays[1])), 7, target=None),
    ),
    (
        "LINALG-AMB-31",
        "refused",
        "LINALG-ACC-GS-TARGET",
        lambda p: replace(p, arrays=(SharedArray("g", "uint16_t", 128), p.arrays[1])),
    ),
)


@pytest.mark.parametrize(("ambiguity", "reading", "clause", "edit"), OTHERWISE, ids=[one[0] for one in OTHERWISE])
def test_is_invalid_under_a_reading(ambiguity: str, reading: str, clause: str, edit: Edit) -> None:
    program = edit(arrays())
    assert rejected(program, DEFAULT_CAPS) == frozenset()
    found = {(one.ambiguity, one.reading, one.clause) for one in invalid_under(program)}
    assert (ambiguity, reading, clause) in found
    entry = catalogue().ambiguity[ambiguity]
    assert reading in entry.readings
    assert entry.default != reading


def test_a_program_of_another_device_is_no_program() -> None:
    with pytest.raises(BadInput, match="waves of 64"):
        rejected(replace(product(), wave_size=64), DEFAULT_CAPS)
    with pytest.raises(BadInput, match="groups of 16"):
        rejected(product(), replace(DEFAULT_CAPS, largest_group=16))
    with pytest.raises(BadInput, match="no size of 8 x 16 F16 in MulOptimal"):
        rejected(optimal(), replace(DEFAULT_CAPS, optimal=()))


def test_what_is_not_reported_is_no_concern_of_types_that_mean_nothing() -> None:
    """A type that no text has breaks the clause on types, and not those on what is reported of types."""
    program = alone(Matrix("X", "UNormF16", 16, 16, "Accumulator"), Multiply("X", "X", "X"))
    assert rejected(program, DEFAULT_CAPS) == {"LINALG-COMP-ENUM", "LINALG-MUL-USES"}


def test_a_vector_product_of_a_matrix_that_is_none_of_threads() -> None:
    program = replace(packed(), matrices=(Matrix("M", "I8", 16, 16, "A"),))
    program = declared(program, "y", length=16)
    assert rejected(program, DEFAULT_CAPS) == {"LINALG-SCOPE-TABLE"}
    assert MultiplyVector("y", "M", "x") in program.body
