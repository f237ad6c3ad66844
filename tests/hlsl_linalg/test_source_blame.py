"""The programs of blame in the text of 2025-09-19: valid, defined, of its own instructions, and by its clauses."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mmaspec.oracle.hlsl_linalg import SPEC
from mmaspec.programs import tree
from mmaspec.programs.base import Affine, Buffer, Literal, Place
from mmaspec.programs.hlsl_linalg import (
    DEFAULT_CAPS,
    SOURCE_CAPS,
    Barrier,
    Construction,
    FromThreadVectors,
    GetThreadVector,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Matrix,
    MultiplyVector,
    Operate,
    OuterProduct,
    OuterProductSupport,
    SharedArray,
    Splat,
    Stage,
    Store,
    SumAccumulate,
    Unary,
    Unstage,
    Vector,
    VectorLoad,
    VectorStore,
)
from mmaspec.programs.hlsl_linalg.well_formed import check_well_formed

CAPS = replace(
    SOURCE_CAPS,
    construction=tuple(Construction(one, 4, 8, 4) for one in ("F16", "F32", "I32", "PackedS8x32")),
    outer_products=(OuterProductSupport("F16", "F16"), OuterProductSupport("F32", "F32")),
)
OWN = SPEC.of(CAPS)
BUFFERS = tuple(Buffer(name, 4096, 128) for name in ("a", "b", "out"))


def memory():
    """A load and a store with alignments, and an accumulation, all with elements outside."""
    matrix = Matrix("M", "F32", 8, 8, "Accumulator")
    body = (
        Load("M", "short", 0, 32, align=4, data="M"),
        Store("M", "out", Affine(4, 512), 48, "ColMajor", align=4),
        Barrier(),
        InterlockedAccumulate("M", "short", Affine(0, 4096), 32),
    )
    return LinalgProgram((*BUFFERS, Buffer("short", 252, 128)), body, (matrix,), waves=2)


def arrays():
    matrix = Matrix("M", "F16", 8, 8, "A")
    body = (
        Stage("g", "a", 0, 128, data="S"), Barrier(), Load("M", "g", 3, 9), Store("M", "h", 1, 10), Barrier(),
        Unstage("h", "out", 0, 128),
    )  # fmt: skip
    shared = (SharedArray("g", "float", 128), SharedArray("h", "int", 128))
    return LinalgProgram(BUFFERS, body, (matrix,), arrays=shared)


def stored_array():
    matrices = (Matrix("M", "F16", 8, 8, "A"), Matrix("N", "F16", 8, 8, "A"))
    body = (
        Load("M", "a", Affine(0, 128), 16, data="M"), Store("M", "h", Affine(2, 128), 9), Barrier(),
        Load("N", "h", Affine(2, 128), 9), Store("N", "out", Affine(0, 128), 16),
    )  # fmt: skip
    return LinalgProgram(BUFFERS, body, matrices, arrays=(SharedArray("h", "int", 256),), waves=2)


def elements():
    matrices = tuple(Matrix(name, "F32", 8, 8, "A") for name in "MN")
    body = (
        Load("M", "a", Affine(0, 512), 32, data="M"),
        Operate("M", "mul", "float", Literal(0x40400000), wave=1),
        Unary("N", "negate", "M"),
        Unary("N", "sin", "N"),
        Store("N", "out", Affine(0, 512), 32),
    )
    return LinalgProgram(BUFFERS, body, matrices, waves=2)


def sums():
    matrices = (Matrix("A", "F16", 8, 8, "A"), Matrix("B", "F16", 8, 8, "B"), Matrix("C", "F16", 8, 8, "Accumulator"))
    body = (
        Load("A", "a", Affine(0, 128), 16, data="A"), Load("B", "b", 0, 16, data="B"),
        Splat("C", "half", Literal(0x3C00)), SumAccumulate("C", "A", "B"), Store("C", "out", Affine(0, 128), 16),
    )  # fmt: skip
    return LinalgProgram(BUFFERS, body, matrices, waves=2)


def vectors(use="A"):
    matrix = Matrix("M", "F16", 8, 8, use)
    body = (
        VectorLoad("v", "a", Affine(0, 512, lane=16), data="v"),
        FromThreadVectors("M", "v"),
        GetThreadVector("w", "M"),
        VectorStore("w", "out", Affine(0, 512, lane=16)),
    )
    return LinalgProgram(BUFFERS, body, (matrix,), (Vector("v", "F16", 8), Vector("w", "F16", 8)), waves=2)


def rows(scope="Wave"):
    matrices = (Matrix("M", "F16", 8, 8, "B", scope), Matrix("O", "F16", 8, 8, "Accumulator", "Wave"))
    each = Affine(0, 128) if scope == "Wave" else Affine(0, 4096 // 2, lane=16) if scope == "Thread" else 0
    body = (
        Load("M", "b", 0 if scope == "Thread" else each, 16, data="M"),
        VectorLoad("x", "a", Affine(0, 512, lane=16), data="x"),
        VectorLoad("c", "a", 2048, data="c"),
        MultiplyVector("y", "M", "x", "c"),
        VectorStore("y", "out", Affine(0, 512, lane=16)),
        OuterProduct("O", "c", "c"),
        Store("O", "out", Affine(2048, 128), 16),
    )
    declared = (Vector("x", "F16", 8), Vector("c", "F16", 8), Vector("y", "F16", 8))
    return LinalgProgram(BUFFERS, body, matrices, declared, read_only=("b",), waves=2)


PROGRAMS = {
    "memory": memory(), "arrays": arrays(), "stored array": stored_array(), "elements": elements(), "sums": sums(),
    "vectors": vectors(), "vectors of rows": vectors("B"), "rows of waves": rows(), "rows of threads": rows("Thread"),
    "rows of groups": rows("ThreadGroup"),
}  # fmt: skip


def flaws(program):
    check_well_formed(program)
    return SPEC.rejected(program, CAPS) or SPEC.undefined(program, CAPS)


def shapes(program):
    return {source.name: source.shape for source in SPEC.sources(program)}


def test_the_specification_of_a_device_is_that_of_its_text():
    assert SPEC.of(DEFAULT_CAPS) is SPEC
    assert SPEC.of(CAPS) is SPEC.of(SOURCE_CAPS)
    assert OWN.catalogue.clause is SPEC.catalogue.clause
    assert (SPEC.catalogue.revision, OWN.catalogue.revision) == ("2026-08-17", "2025-09-19")


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_that_show_states_are_valid(name):
    program = PROGRAMS[name]
    assert not flaws(program)
    first = tree.at(program, Place((0,)))
    for shown in (OWN.instrumented(program), OWN.instrumented_otherwise(program, first)):
        assert not flaws(shown.program)
        assert shapes(shown.program) == shapes(program)
        assert shown.shows


@pytest.mark.parametrize("name", PROGRAMS)
def test_ablations_are_valid_and_of_clauses_of_this_text(name):
    program = PROGRAMS[name]
    found, refused = 0, []
    for path in tree.paths(program):
        for ablation in OWN.ablations(program, Place(path)):
            clause = SPEC.catalogue.clause[ablation.clause]
            assert clause.revision in ("", "2025-09-19"), ablation.clause
            found += 1
            if broken := flaws(ablation.program):
                refused.append((path, ablation.clause, broken))
            place = ablation.place or Place(path)
            tree.at(ablation.program, place)
    assert found > len(tree.paths(program)) // 2
    assert len(refused) <= found // 10, refused


WANTED = [
    ("memory", 0, "LINALG-LOAD-OOB-ZERO"),
    ("memory", 0, "LINALG-ALIGN-PARAMETER"),
    ("memory", 1, "LINALG-ALIGN-PARAMETER"),
    ("memory", 1, "LINALG-LOAD-ADDR"),
    ("memory", 3, "LINALG-ACC-OOB-NOOP"),
    ("arrays", 2, "LINALG-GS-PLACES"),
    ("arrays", 2, "LINALG-LOAD-GS-CONV"),
    ("arrays", 5, "LINALG-GS-PLACES"),
    ("arrays", 5, "LINALG-STORE-GS-CONV"),
    ("stored array", 3, "LINALG-STORE-GS-CONV"),
    ("stored array", 3, "LINALG-LOAD-GS-CONV"),
    ("elements", 1, "LINALG-SCOPE-OWN"),
    ("elements", 1, "LINALG-ELEMWISE"),
    ("sums", 3, "LINALG-SCOPE-OWN"),
    ("vectors", 1, "LINALG-FROMVEC-SURPLUS"),
    ("vectors", 2, "LINALG-GETVEC-INVERSE"),
    ("vectors", 2, "LINALG-GETVEC"),
    ("vectors of rows", 1, "LINALG-FROMVEC-SURPLUS"),
    ("rows of waves", 3, "LINALG-SCOPE-OWN"),
    ("rows of waves", 3, "LINALG-VECMULADD"),
    ("rows of threads", 3, "LINALG-LOAD-ADDR"),
]


@pytest.mark.parametrize(("name", "at", "clause"), WANTED)
def test_what_is_taken_away(name, at, clause):
    program = PROGRAMS[name]
    assert clause in {one.clause for one in OWN.ablations(program, Place((at,)))}


def test_an_array_that_was_stored_to_has_a_constant_of_its_own_type():
    program = stored_array()
    found = next(one for one in OWN.ablations(program, Place((3,))) if one.clause == "LINALG-STORE-GS-CONV")
    assert not flaws(found.program)
    splat = next(one for one in found.program.body if isinstance(one, Splat))
    assert found.program.matrix(splat.matrix).component == "I32"
    assert splat.scalar == "int"
    kinds = [type(one) for one in found.program.body[3:9]]
    assert kinds == [Splat, Store, Barrier, Stage, Barrier, Load]
    mirror = found.program.body[4]
    assert (mirror.offset, mirror.stride) == (Affine(8, 512), 36)


def test_a_matrix_with_a_line_for_every_thread_has_no_surplus():
    for program in (vectors("A"), vectors("B")):
        (found,) = (one for one in OWN.ablations(program, Place((1,))) if one.clause == "LINALG-FROMVEC-SURPLUS")
        matrix = found.program.matrix("M")
        assert (matrix.n if matrix.use == "A" else matrix.m) == 32
        assert not flaws(found.program)


def test_a_matrix_that_went_through_memory_is_the_same():
    program = vectors()
    (found,) = (one for one in OWN.ablations(program, Place((2,))) if one.clause == "LINALG-GETVEC-INVERSE")
    assert isinstance(tree.at(found.program, found.place), GetThreadVector)
    assert not flaws(found.program)
    kinds = [type(one) for one in found.program.body]
    assert kinds == [VectorLoad, FromThreadVectors, Store, Barrier, Load, GetThreadVector, VectorStore]


def test_an_index_is_tried_on_half_a_matrix_of_one_constant():
    """Some threads get nothing of it still: what they get is told apart from what the index counts."""
    program = vectors()
    given = replace(tree.at(program, Place((2,))), index=1)
    program = tree.replace(program, Place((2,)), given)
    wide = replace(program.matrix("M"), n=64)
    program = replace(program, matrices=(wide,))
    found = [one for one in OWN.ablations(program, Place((2,))) if one.clause == "LINALG-GETVEC"]
    (first,) = (tree.at(one.program, one.place) for one in found)
    assert (first.index, first.vector) == (0, given.vector)
    assert found[0].program.matrix(first.matrix).n == 16
    assert found[0].program.matrix("M") == wide
