"""What is undefined in valid programs, clause by clause, and what looks like it and is defined."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mmaspec.oracle.hlsl_linalg.undefined import undefined
from mmaspec.oracle.hlsl_linalg.undefined.program import IN_FORCE, RULES
from mmaspec.oracle.hlsl_linalg.validity import rejected
from mmaspec.programs.base import Affine, Buffer, FromBuffer, Literal
from mmaspec.programs.hlsl_linalg import (
    DEFAULT_CAPS,
    AccumulatorLayout,
    Barrier,
    Beyond,
    Branch,
    CountElements,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Matrix,
    MemoryBias,
    ReadElements,
    Repeat,
    SharedArray,
    Splat,
    Store,
    VectorAccumulate,
    VectorLoad,
    VectorStore,
    WriteElements,
)
from tests.hlsl_linalg.catalogue import catalogue
from tests.hlsl_linalg.small_programs import (
    BASES,
    Edit,
    after,
    alone,
    before,
    changed,
    declared,
    product,
    sums,
    vectors,
    without,
)

SPLAT = Splat("X", "half", Literal(0x3C00))


def wave(*body: object, **fields: object) -> LinalgProgram:
    """An accumulator of halves of Wave scope, and what is done with it."""
    return alone(Matrix("X", "F16", 16, 16, "Accumulator"), *body, **fields)  # type: ignore[arg-type]


def group(*body: object, waves: int = 2) -> LinalgProgram:
    """The same of ThreadGroup scope, by two waves."""
    matrix = Matrix("X", "F16", 16, 16, "Accumulator", "ThreadGroup")
    return alone(matrix, *body, waves=waves)  # type: ignore[arg-type]


def branched(program: LinalgProgram, lanes: int, waves: int = 0) -> LinalgProgram:
    """The program with everything in a branch."""
    return replace(program, body=(Branch(lanes, program.body, waves),))  # type: ignore[arg-type]


def with_buffer(program: LinalgProgram, buffer: Buffer) -> LinalgProgram:
    """The program with another buffer of that name."""
    return replace(program, buffers=tuple(buffer if one.name == buffer.name else one for one in program.buffers))


UNDEFINED: tuple[tuple[str, str, Edit], ...] = (
    ("LINALG-DIVERGENT", "product", lambda p: branched(p, 16)),
    ("LINALG-DIVERGENT", "sums", lambda p: branched(p, 31)),
    ("LINALG-DIVERGENT", "product", lambda _: branched(group(SPLAT, Store("X", "out", 0, 32)), 0, 1)),
    ("LINALG-WHOLE-WAVES", "product", lambda p: replace(p, threads=20)),
    ("LINALG-WHOLE-WAVES", "sums", lambda _: replace(group(SPLAT, Store("X", "out", 0, 32)), threads=40)),
    ("LINALG-SCOPE-UNIFORM", "product", lambda p: changed(p, 0, offset=Affine(0, lane=128))),
    ("LINALG-SCOPE-UNIFORM", "product", lambda p: changed(p, 4, stride=Affine(64, lane=16))),
    ("LINALG-SCOPE-UNIFORM", "product", lambda _: group(replace(SPLAT, wave=1), Store("X", "out", 0, 32))),
    ("LINALG-SCOPE-UNIFORM", "product", lambda _: group(SPLAT, Store("X", "out", Affine(0, 1024), 32))),
    ("LINALG-SCOPE-UNIFORM", "product", lambda _: group(SPLAT, ReadElements("X", "out", Affine(0, 1024), 32))),
    ("LINALG-SCOPE-UNIFORM", "sums", lambda p: after(p, CountElements("C", "sum", Affine(4096, lane=4)))),
    ("LINALG-SCOPE-UNIFORM", "sums", lambda _: group(SPLAT, CountElements("X", "out", Affine(0, 4)))),
    ("LINALG-CREATE-UNINIT", "product", lambda p: without(p, 0)),
    ("LINALG-CREATE-UNINIT", "product", lambda p: without(p, 2)),
    ("LINALG-CREATE-UNINIT", "sums", lambda p: without(p, 2)),
    ("LINALG-CREATE-UNINIT", "vectors", lambda p: without(p, 2)),
    ("LINALG-CREATE-UNINIT", "sums", lambda _: wave(CountElements("X", "out", 0))),
    ("LINALG-CREATE-UNINIT", "vectors", lambda p: replace(p, body=(*p.body[:1], Branch(16, p.body[1:2]), *p.body[2:]))),
    ("LINALG-BARRIER", "sums", lambda _: group(SPLAT, WriteElements("X", "a", 0, 32), Store("X", "out", 0, 32))),
    ("LINALG-BARRIER", "sums", lambda _: group(SPLAT, WriteElements("X", "a", 0, 32), ReadElements("X", "out", 0, 32))),
    ("LINALG-BARRIER", "sums", lambda _: group(SPLAT, ReadElements("X", "out", 0, 32), WriteElements("X", "a", 0, 32))),
    ("LINALG-GS-BOUNDS", "arrays", lambda p: changed(p, 3, offset=128)),
    ("LINALG-PLAIN-BOUNDS", "vectors", lambda p: changed(p, 1, offset=8176)),
    ("LINALG-PLAIN-BOUNDS", "vectors", lambda p: changed(p, 5, offset=Affine(8000, lane=16))),
    ("LINALG-PLAIN-BOUNDS", "vectors", lambda p: changed(p, 3, bias=MemoryBias("m", 8186, "F16"))),
    ("LINALG-PLAIN-BOUNDS", "sums", lambda p: changed(p, 6, offset=8128)),
    ("LINALG-PLAIN-BOUNDS", "sums", lambda p: changed(p, 7, stride=1024)),
    ("LINALG-PLAIN-BOUNDS", "sums", lambda p: changed(p, 3, value=FromBuffer("out", 8192))),
    ("LINALG-PLAIN-BOUNDS", "sums", lambda p: after(p, Beyond("H", "sum", 8192 - 31 * 16 - 8))),
    ("LINALG-PLAIN-BOUNDS", "sums", lambda p: after(p, AccumulatorLayout("sum", 8192))),
    ("LINALG-PLAIN-BOUNDS", "arrays", lambda p: changed(p, 0, start=8000)),
    ("LINALG-PLAIN-BOUNDS", "arrays", lambda p: changed(p, 9, count=129)),
    ("LINALG-PLAIN-BOUNDS", "outer", lambda p: changed(p, 0, source_offset=8000)),
    (
        "LINALG-LAYOUT-SIZE",
        "outer",
        lambda p: replace(p, buffers=(*p.buffers[:2], Buffer("w", 496, 128), p.buffers[3])),
    ),
    ("LINALG-LAYOUT-SIZE", "outer", lambda p: changed(p, 5, target_offset=8064)),
    ("LINALG-ALIGN-KEPT", "product", lambda p: changed(p, 0, align=256)),
    ("LINALG-ALIGN-KEPT", "product", lambda p: changed(p, 0, align=512)),
    ("LINALG-ALIGN-KEPT", "sums", lambda p: changed(p, 5, offset=64)),
    ("LINALG-ALIGN-KEPT", "sums", lambda p: changed(p, 5, stride=40)),
    ("LINALG-ALIGN-KEPT", "vectors", lambda p: changed(p, 6, align=128)),
    ("LINALG-ALIGN-KEPT", "vectors", lambda p: changed(p, 6, align=96, offset=0)),
    (
        "LINALG-ACC-GS-UNITS",
        "arrays",
        lambda p: replace(p, arrays=(SharedArray("g", "uint", 128), p.arrays[1])),
    ),
    # Stored and touched again: by the same wave, by another one, by plain code, in arrays, in a loop.
    ("LINALG-ORDER", "product", lambda p: after(p, p.body[-1])),
    ("LINALG-ORDER", "product", lambda p: after(p, Load("B", "out", 512, 32))),
    ("LINALG-ORDER", "product", lambda p: before(p, 4, Load("B", "out", 512, 32))),
    ("LINALG-ORDER", "product", lambda p: replace(p, waves=2)),
    ("LINALG-ORDER", "product", lambda p: changed(p, 4, memory="b")),
    ("LINALG-ORDER", "product", lambda p: changed(p, 4, stride=48)),
    ("LINALG-ORDER", "sums", lambda p: changed(p, 5, stride=16)),
    ("LINALG-ORDER", "sums", lambda p: after(p, Load("A", "sum", 0, 16))),
    ("LINALG-ORDER", "sums", lambda p: after(p, InterlockedAccumulate("H", "sum", 0, 16))),
    ("LINALG-ORDER", "sums", lambda p: changed(p, 6, buffer="sum")),
    ("LINALG-ORDER", "sums", lambda p: replace(p, body=(*p.body[:4], Repeat(2, (p.body[6],))))),  # type: ignore[arg-type]
    ("LINALG-ORDER", "sums", lambda p: after(p, CountElements("C", "sum", 0))),
    ("LINALG-ORDER", "vectors", lambda p: changed(p, 5, offset=0)),
    ("LINALG-ORDER", "vectors", lambda p: changed(p, 5, offset=Affine(0, lane=8))),
    ("LINALG-ORDER", "vectors", lambda p: after(p, VectorLoad("x", "sum", 0))),
    ("LINALG-ORDER", "arrays", lambda p: without(p, 2)),
    ("LINALG-ORDER", "arrays", lambda p: without(p, 5)),
    ("LINALG-ORDER", "arrays", lambda p: without(p, 8)),
    ("LINALG-ORDER", "arrays", lambda p: changed(p, 7, offset=0)),
    ("LINALG-OPTIMAL", "outer", lambda p: without(p, 0)),
    ("LINALG-OPTIMAL", "outer", lambda p: changed(p, 4, offset=128)),
    ("LINALG-OPTIMAL", "outer", lambda p: changed(p, 0, target_layout="MulOptimal")),
    ("LINALG-OPTIMAL", "outer", lambda p: before(p, 1, VectorLoad("r", "w", 256), Barrier())),
    ("LINALG-OPTIMAL", "outer", lambda p: changed(p, 5, m=16, n=8, target_stride=32)),
    ("LINALG-OPTIMAL", "optimal", lambda p: changed(p, 0, m=16, n=8, source_stride=16)),
    ("LINALG-OPTIMAL", "optimal", lambda p: changed(p, 2, layout="RowMajor", stride=32)),
)


@pytest.mark.parametrize(
    ("clause", "base", "edit"), UNDEFINED, ids=[f"{n}-{one[0]}" for n, one in enumerate(UNDEFINED)]
)
def test_is_undefined(clause: str, base: str, edit: Edit) -> None:
    program = edit(BASES[base]())
    assert rejected(program, DEFAULT_CAPS) == frozenset()
    assert undefined(program, DEFAULT_CAPS) == {clause}


def test_every_rule_is_a_clause_and_covered() -> None:
    assert {name for name in RULES if catalogue().clause[name].kind != "U"} == set()
    assert set(IN_FORCE["later"]) == {clause for clause, _, _ in UNDEFINED} | {"LINALG-COMP-16BIT"}


def test_boundaries_without_a_rule() -> None:
    """Integers beyond their range are not known before data are: a reading, not a rule."""
    boundaries = {name for name, clause in catalogue().clause.items() if clause.kind == "U"}
    assert boundaries - set(RULES) == {"LINALG-INT-OVERFLOW"}


@pytest.mark.parametrize("name", ["product", "sums", "arrays", "vectors"])
def test_types_of_16_bits_have_to_be_enabled(name: str) -> None:
    caps = replace(DEFAULT_CAPS, native_16_bit=False)
    assert undefined(BASES[name](), caps) == {"LINALG-COMP-16BIT"}
    assert undefined(BASES["packed"](), caps) == frozenset()


DEFINED: tuple[tuple[str, Edit], ...] = (
    ("product", lambda p: branched(p, 32)),
    ("product", lambda p: branched(p, 0, 1)),
    ("product", lambda _: branched(product("Wave", 2), 0, 1)),
    ("vectors", lambda p: branched(p, 5)),
    ("vectors", lambda p: replace(p, threads=20)),
    ("vectors", lambda p: branched(replace(p, waves=2), 3, 1)),
    # Elements set before a barrier, and by the lanes of one wave, which an operation of the wave synchronises.
    (
        "sums",
        lambda _: group(SPLAT, WriteElements("X", "a", 0, 32), Barrier(), ReadElements("X", "out", 0, 32)),
    ),
    ("sums", lambda _: group(SPLAT, ReadElements("X", "out", 0, 32), Barrier(), WriteElements("X", "a", 0, 32))),
    ("sums", lambda _: group(SPLAT, WriteElements("X", "a", 0, 32), CountElements("X", "out", 4096))),
    ("sums", lambda _: wave(SPLAT, WriteElements("X", "a", 0, 32), Store("X", "out", 0, 32))),
    ("sums", lambda _: group(replace(SPLAT, lane=1), Store("X", "out", 0, 32))),
    ("sums", lambda _: wave(replace(SPLAT, lane=1, wave=1), Store("X", "out", Affine(0, 512), 32), waves=2)),
    ("sums", lambda p: after(p, AccumulatorLayout("sum", 4096))),
    ("sums", lambda p: after(p, Beyond("C", "sum", 4096, 7, 1))),
    ("sums", lambda p: after(p, CountElements("C", "sum", 4096), CountElements("A", "sum", 4096))),
    # Sums of the same elements have no order among themselves, those of a barrier earlier have one.
    ("sums", lambda p: after(p, InterlockedAccumulate("C", "sum", 0, 32))),
    ("sums", lambda p: replace(sums(), waves=2, body=p.body[:6])),
    ("sums", lambda p: after(p, Barrier(), Load("A", "sum", 0, 16))),
    ("vectors", lambda p: changed(p, 6, offset=0)),
    ("vectors", lambda p: after(p, VectorAccumulate("z", "sum", 0))),
    ("vectors", lambda p: after(p, Barrier(), VectorStore("y", "sum", Affine(0, lane=64)))),
    ("arrays", lambda p: before(p, 9, Load("H", "g", 0, 8))),
    ("arrays", lambda p: changed(p, 7, memory="g", offset=64)),
    ("product", lambda p: changed(p, 0, stride=16)),
    ("vectors", lambda _: replace(vectors(), waves=2)),
    # A matrix put into an optimal layout again, elsewhere and in the same place.
    ("outer", lambda p: before(p, 0, p.body[0])),
    ("outer", lambda p: before(p, 0, replace(p.body[0], target_layout="MulOptimal"))),  # type: ignore[type-var]
    ("outer", lambda p: changed(p, 5, target_layout="RowMajor", target_stride=32)),
    ("outer", lambda p: before(p, 5, p.body[4])),
)


@pytest.mark.parametrize(("base", "edit"), DEFINED, ids=range(len(DEFINED)))
def test_is_defined(base: str, edit: Edit) -> None:
    program = edit(BASES[base]())
    assert rejected(program, DEFAULT_CAPS) == frozenset()
    assert undefined(program, DEFAULT_CAPS) == frozenset()


def test_sums_of_two_types_in_one_place_have_no_stated_order() -> None:
    """Sums meet where they are of the same elements and of one type; integers and floats have no order stated."""
    program = declared(sums(), "H", component="F32")
    program = replace(program, body=program.body[:6])
    wider = after(program, InterlockedAccumulate("H", "sum", 0, 32))
    assert undefined(wider, DEFAULT_CAPS) == frozenset()
    shifted = after(program, InterlockedAccumulate("H", "sum", 128, 32))
    assert undefined(shifted, DEFAULT_CAPS) == frozenset()
    integers = after(declared(program, "H", component="I32"), InterlockedAccumulate("H", "sum", 0, 32))
    assert undefined(integers, DEFAULT_CAPS) == {"LINALG-ORDER"}
