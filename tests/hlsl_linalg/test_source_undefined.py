"""What is undefined by the text of 2025-09-19 in valid programs, clause by clause, and what looks like it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mmaspec.oracle.hlsl_linalg.undefined import undefined
from mmaspec.oracle.hlsl_linalg.undefined.program import IN_FORCE
from mmaspec.oracle.hlsl_linalg.validity import rejected
from mmaspec.programs.base import Affine, FromBuffer, Literal
from mmaspec.programs.hlsl_linalg import (
    DEFAULT_CAPS,
    Barrier,
    Branch,
    GetThreadVector,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Matrix,
    Operate,
    OuterProduct,
    Repeat,
    SharedArray,
    Splat,
    Store,
    Unary,
    Vector,
    VectorLoad,
)
from tests.hlsl_linalg.catalogue import catalogue
from tests.hlsl_linalg.small_programs import Edit, after, before, changed, declared, product, without
from tests.hlsl_linalg.source_programs import DEVICE, SOURCE_BASES, elements, outer, sums, threads

SOURCE = "2025-09-19"


def grouped(program: LinalgProgram, waves: int = 2) -> LinalgProgram:
    """All matrices of ThreadGroup scope, in a group of several waves."""
    matrices = tuple(replace(one, scope="ThreadGroup") for one in program.matrices)
    return replace(program, matrices=matrices, waves=waves)


def wide(program: LinalgProgram, m: int, k: int, n: int) -> LinalgProgram:
    """A SumAccumulate of these sizes, at strides that leave its rows apart."""
    found = declared(declared(declared(program, "A", m=m, n=k), "B", m=k, n=n), "C", m=m, n=n)
    return changed(changed(found, 4, stride=64), 5, stride=64)


UNDEFINED: tuple[tuple[str, str, Edit], ...] = (
    # Addresses.
    ("LINALG-ALIGN-KEPT", "product", lambda p: changed(p, 0, offset=3)),
    ("LINALG-ALIGN-KEPT", "product", lambda p: changed(p, 0, stride=33)),
    ("LINALG-ALIGN-KEPT", "product", lambda p: changed(p, 4, offset=2)),
    ("LINALG-ALIGN-KEPT", "product", lambda p: changed(p, 0, offset=32, align=64)),
    ("LINALG-ALIGN-KEPT", "product", lambda p: changed(p, 0, offset=3, align=1)),
    ("LINALG-ALIGN-KEPT", "product", lambda p: changed(p, 0, align=12)),
    ("LINALG-ALIGN-KEPT", "packed", lambda p: changed(p, 3, offset=514)),
    ("LINALG-ALIGN-KEPT", "packed", lambda p: changed(p, 2, stride=34)),
    ("LINALG-ALIGN-KEPT", "sums", lambda p: changed(p, 4, stride=33)),
    ("LINALG-GS-BOUNDS", "arrays", lambda p: changed(p, 2, offset=64)),
    (
        "LINALG-GS-PACKED",
        "arrays",
        lambda p: replace(p, arrays=(SharedArray("f", "uint8_t4_packed", 128), p.arrays[1])),
    ),
    (
        "LINALG-GS-PACKED",
        "arrays",
        lambda p: after(
            replace(p, matrices=(*p.matrices, Matrix("P", "PackedU8x32", 8, 16, "A"))), Load("P", "i", 0, 4)
        ),
    ),
    # Order.
    ("LINALG-ORDER", "product", lambda p: after(p, p.body[-1])),
    ("LINALG-ORDER", "product", lambda p: changed(p, 4, stride=32)),
    ("LINALG-ORDER", "sums", lambda p: after(p, Load("A", "sum", 0, 32))),
    ("LINALG-ORDER", "arrays", lambda p: without(p, 1)),
    ("LINALG-ACC-APART", "sums", lambda p: after(p, InterlockedAccumulate("C", "sum", 0, 32))),
    ("LINALG-ACC-APART", "sums", lambda p: replace(p, waves=2, body=p.body[:5])),
    ("LINALG-ACC-APART", "sums", lambda p: replace(p, body=(*p.body[:4], Repeat(2, (p.body[4],))))),  # type: ignore[arg-type]
    ("LINALG-ACC-APART", "optimal", lambda p: replace(p, threads=2)),
    ("LINALG-OPTIMAL", "optimal", lambda p: without(p, 1)),
    ("LINALG-OPTIMAL", "optimal", lambda p: changed(p, 0, m=8, n=16, source_stride=32)),
    # Operators and functions.
    ("LINALG-ELEMWISE-UNIFORM", "elements", lambda p: changed(p, 1, lane=1)),
    ("LINALG-ELEMWISE-UNIFORM", "elements", lambda p: changed(grouped(p), 1, wave=1)),
    ("LINALG-ELEMWISE-SCALAR", "elements", lambda p: changed(p, 1, scalar="float")),
    ("LINALG-ELEMWISE-SCALAR", "elements", lambda p: changed(p, 1, scalar="int", value=Literal(2))),
    ("LINALG-ELEMWISE-SCALAR", "packed", lambda p: before(p, 2, Operate("A", "add", "uint", Literal(0)))),
    ("LINALG-ELEMWISE-SCALAR", "elements", lambda _: integers(Operate("A", "div", "int16_t", Literal(0)))),
    ("LINALG-UNARY-SOURCE", "elements", lambda p: after(p, Store("A", "out", 4096, 16))),
    ("LINALG-UNARY-SOURCE", "elements", lambda p: before(p, 4, Unary("S", "nop", "A"))),
    ("LINALG-UNARY-SOURCE", "elements", lambda p: before(p, 4, Operate("A", "add", "half", Literal(0)))),
    ("LINALG-UNARY-TYPES", "elements", lambda _: integers(Unary("A", "negate", "A"), "U16")),
    ("LINALG-UNARY-TYPES", "elements", lambda _: integers(Unary("A", "abs", "A"), "U16")),
    ("LINALG-UNARY-TYPES", "elements", lambda _: integers(Unary("A", "sin", "A"))),
    ("LINALG-UNARY-TYPES", "packed", lambda p: before(p, 2, Unary("A", "abs", "A"))),
    ("LINALG-SUMACC-SQUARE", "sums", lambda p: wide(p, 16, 16, 8)),
    ("LINALG-SUMACC-SQUARE", "sums", lambda p: wide(p, 16, 8, 16)),
    (
        "LINALG-SUMACC-SQUARE",
        "sums",
        lambda p: changed(changed(declared(p, "C", component="F32"), 4, stride=64), 5, stride=64),
    ),
    ("LINALG-SUMACC-SQUARE", "sums", lambda p: declared(p, "A", component="I16")),
    # Threads.
    ("LINALG-THREADVEC-GROUP", "threads", lambda _: of_threads(2)),
    (
        "LINALG-BIAS-TYPE",
        "vectors",
        lambda p: changed(changed(wider(p), 3, vector="w"), 4, vector="w", offset=Affine(0, lane=32)),
    ),
    ("LINALG-OUTER-SAME", "outer", lambda p: changed(p, 0, offset=Affine(0, lane=16))),
    ("LINALG-OUTER-SAME", "outer", lambda p: changed(p, 1, offset=Affine(2048, lane=32))),
    ("LINALG-OUTER-SAME", "outer", lambda _: changed(grouped(outer()), 1, offset=Affine(0, wave=32))),
    ("LINALG-OUTER-SAME", "outer", lambda p: before(p, 2, Branch(16, (VectorLoad("c", "v", 64),)))),
    ("LINALG-OUTER-SAME", "threads", lambda p: after(with_outer(p), OuterProduct("O", "d", "s"))),
    ("LINALG-OUTER-SAME", "vectors", lambda p: after(with_outer(p), OuterProduct("P", "x", "z"))),
    ("LINALG-DIVERGENT", "threads", lambda p: replace(p, body=(Branch(16, p.body),))),  # type: ignore[arg-type]
    ("LINALG-DIVERGENT", "elements", lambda p: replace(p, body=(Branch(31, p.body),))),  # type: ignore[arg-type]
    ("LINALG-WHOLE-WAVES", "threads", lambda p: replace(p, threads=20)),
    ("LINALG-CREATE-UNINIT", "threads", lambda p: without(p, 2)),
    ("LINALG-CREATE-UNINIT", "elements", lambda p: without(p, 3)),
    ("LINALG-CREATE-UNINIT", "elements", lambda p: without(p, 0)),
    ("LINALG-PLAIN-BOUNDS", "elements", lambda p: changed(p, 1, value=FromBuffer("a", 8192))),
    ("LINALG-SCOPE-UNIFORM", "product", lambda p: changed(p, 0, offset=Affine(0, lane=2))),
)


def integers(operation: Operate | Unary, component: str = "I16") -> LinalgProgram:
    """An operation on integers."""
    program = declared(elements(), "A", component=component)
    return replace(program, body=(program.body[0], operation, Store("A", "out", 0, 16)))


def wider(program: LinalgProgram) -> LinalgProgram:
    """With a vector of floats beside."""
    return replace(program, vectors=(*program.vectors, Vector("w", "F32", 8)))


def with_outer(program: LinalgProgram) -> LinalgProgram:
    """With the results of outer products beside."""
    more = (Matrix("O", "F16", 8, 24, "Accumulator"), Matrix("P", "F16", 16, 8, "Accumulator"))
    return replace(program, matrices=(*program.matrices, *more))


def of_threads(waves: int) -> LinalgProgram:
    """Vectors of threads taken out of a matrix of the group."""
    program = threads("ThreadGroup")
    body = (Splat("A", "half", Literal(0x3C00)), GetThreadVector("d", "A"))
    return replace(program, body=body, waves=waves)


@pytest.mark.parametrize(
    ("clause", "base", "edit"), UNDEFINED, ids=[f"{n}-{one[0]}" for n, one in enumerate(UNDEFINED)]
)
def test_is_undefined(clause: str, base: str, edit: Edit) -> None:
    program = edit(SOURCE_BASES[base]())
    assert rejected(program, DEVICE) == frozenset()
    assert undefined(program, DEVICE) == {clause}


def test_every_rule_of_this_text_alone_is_a_clause_and_covered() -> None:
    own = {name for name in IN_FORCE[SOURCE] if catalogue().clause[name].revision == SOURCE}
    assert own == IN_FORCE[SOURCE].keys() - IN_FORCE["later"].keys()
    assert own <= {clause for clause, _, _ in UNDEFINED}
    assert all(catalogue().clause[name].kind == "U" for name in own)
    assert IN_FORCE["later"].keys() - IN_FORCE[SOURCE].keys() == {"LINALG-ACC-GS-UNITS"}


def test_boundaries_without_a_rule() -> None:
    boundaries = {name for name, clause in catalogue().clause.items() if clause.kind == "U"}
    assert boundaries - IN_FORCE[SOURCE].keys() - IN_FORCE["later"].keys() == {"LINALG-INT-OVERFLOW"}


DEFINED: tuple[tuple[str, Edit], ...] = (
    ("sums", lambda p: after(p, Barrier(), InterlockedAccumulate("C", "sum", 0, 32))),
    ("sums", lambda p: after(p, InterlockedAccumulate("C", "sum", 512, 32))),
    ("sums", lambda _: changed(replace(sums(), waves=2, body=sums().body[:5]), 4, offset=Affine(0, 512))),
    ("elements", lambda _: changed(elements(2), 1, wave=1)),
    ("elements", lambda p: before(p, 4, Load("A", "a", 0, 16), Store("A", "out", 1024, 16))),
    ("elements", lambda _: integers(Operate("A", "div", "int16_t", FromBuffer("a", 0)))),
    ("elements", lambda _: integers(Unary("A", "nop", "A"), "U16")),
    ("elements", lambda _: integers(Unary("A", "negate", "A"))),
    ("packed", lambda p: before(p, 2, Unary("A", "nop", "A"))),
    ("threads", lambda _: of_threads(1)),
    ("threads", lambda p: changed(p, 5, index=1 << 20)),
    ("outer", lambda _: changed(replace(outer(), waves=2), 3, offset=Affine(0, 256))),
    ("outer", lambda p: changed(changed(replace(p, waves=2), 0, offset=Affine(0, 64)), 3, offset=Affine(0, 256))),
    ("outer", lambda p: before(p, 2, Branch(32, (VectorLoad("c", "v", 64),)))),
    ("vectors", lambda p: after(changed(with_outer(p), 1, offset=0), OuterProduct("P", "x", "z"))),
    ("product", lambda p: changed(p, 0, stride=2)),
)


@pytest.mark.parametrize(("base", "edit"), DEFINED, ids=range(len(DEFINED)))
def test_is_defined(base: str, edit: Edit) -> None:
    program = edit(SOURCE_BASES[base]())
    assert rejected(program, DEVICE) == frozenset()
    assert undefined(program, DEVICE) == frozenset()


def test_sums_that_meet_are_defined_by_the_later_text() -> None:
    program = product()
    body = (*program.body[:4], InterlockedAccumulate("C", "out", 0, 64), InterlockedAccumulate("C", "out", 0, 64))
    program = replace(program, body=body)
    assert undefined(program, DEFAULT_CAPS) == frozenset()
    assert undefined(program, DEVICE) == {"LINALG-ACC-APART"}
