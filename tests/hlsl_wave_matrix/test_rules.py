"""Every validity clause by a program made by hand; what is no program at all; what is undefined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix import SPEC
from mmaspec.programs.base import Affine, Buffer, FromBuffer, Literal, RunTime
from mmaspec.programs.errors import BadInput
from mmaspec.programs.hlsl_wave_matrix.caps import DEFAULT_CAPS, WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Barrier,
    Branch,
    ElementType,
    Fill,
    Instruction,
    Load,
    Matrix,
    MatrixDepth,
    MatrixKind,
    Multiply,
    MultiplyAccumulate,
    Repeat,
    ScalarAdd,
    SharedArray,
    Stage,
    Store,
    SumAccumulate,
    Unstage,
    WaveMatrixProgram,
)


def declared(program: WaveMatrixProgram, name: str, **changes: Any) -> WaveMatrixProgram:
    """The program with one matrix declared otherwise."""
    matrices = tuple(replace(m, **changes) if m.name == name else m for m in program.matrices)
    return replace(program, matrices=matrices)


def changed(program: WaveMatrixProgram, at: int, **changes: Any) -> WaveMatrixProgram:
    """The program with one instruction changed."""
    body = tuple(replace(i, **changes) if n == at else i for n, i in enumerate(program.body))
    return replace(program, body=body)


Edit = Callable[[WaveMatrixProgram], WaveMatrixProgram]


def short_integers(program: WaveMatrixProgram) -> WaveMatrixProgram:
    """Both operands of 16-bit integers, at strides that fit them."""
    program = declared(declared(program, "A", element="s16"), "B", element="s16")
    return changed(changed(program, 0, stride=64), 1, stride=32)


def summed(
    program: WaveMatrixProgram, kind: MatrixKind, method: Instruction, element: ElementType = "s32", m: int = 16
) -> WaveMatrixProgram:
    """The program with a fragment F filled, and a method."""
    matrices = (*program.matrices, Matrix("F", kind, element, m, 16))
    return replace(program, matrices=matrices, body=(*program.body, Fill("F", Literal(0)), method))


def shared(program: WaveMatrixProgram, element: ElementType, *body: Instruction) -> WaveMatrixProgram:
    """The program with an array of 512 elements and more instructions."""
    return replace(program, arrays=(SharedArray("g", element, 512),), body=(*program.body, *body))


def alone(program: WaveMatrixProgram, matrix: Matrix, *body: Instruction) -> WaveMatrixProgram:
    """One matrix and what is done with it."""
    return replace(program, matrices=(matrix,), body=body)


BROKEN: tuple[tuple[str, Edit], ...] = (
    ("WM-TYPE-IN", short_integers),
    ("WM-TYPE-ACC", lambda p: declared(p, "C", element="u32")),
    ("WM-DIM-ENUM", lambda p: declared(declared(declared(p, "A", m=24), "B", m=24), "C", m=24)),
    ("WM-LOAD-STRIDE-MIN", lambda p: changed(p, 0, stride=28)),
    ("WM-LOAD-STRIDE-MIN", lambda p: changed(p, 4, stride=60, col_major=1)),
    ("WM-ALIGN-POW2", lambda p: changed(p, 0, alignment=2)),
    ("WM-ALIGN-POW2", lambda p: changed(p, 4, alignment=24)),
    ("WM-ALIGN-COMBINED", lambda p: changed(p, 0, offset=4, alignment=8)),
    ("WM-ALIGN-COMBINED", lambda p: changed(p, 2, offset=0, alignment=128, stride=128)),
    ("WM-ALIGN-STRIDE", lambda p: changed(p, 0, stride=33)),
    ("WM-ALIGN-STRIDE", lambda p: changed(p, 1, stride=20, alignment=8)),
    ("WM-STORE-TARGET", lambda p: replace(p, read_only=("out",))),
    ("WM-METHODS", lambda p: replace(p, body=(*p.body[:3], Multiply("A", "A", "B")))),
    ("WM-METHODS", lambda p: replace(p, body=(*p.body[:3], Add("C", "A")))),
    ("WM-METHODS", lambda p: summed(p, "left-col-acc", Add("F", "C"))),
    ("WM-METHODS", lambda p: replace(p, body=(*p.body[:3], SumAccumulate("C", "A")))),
    ("WM-TYPE-ACC", lambda p: summed(p, "right-row-acc", Barrier(), "u32")),
    ("WM-SCALAR-NO-LR", lambda p: replace(p, body=(*p.body[:3], ScalarAdd("B", Literal(0))))),
    ("WM-DEPTH-ONLY-LR", lambda p: replace(p, body=(*p.body, MatrixDepth("C", "out", 4096)))),
    ("WM-SUMACC-SIDE", lambda p: summed(p, "left-col-acc", SumAccumulate("F", "B"))),
    ("WM-SUMACC-SIDE", lambda p: summed(p, "right-row-acc", SumAccumulate("F", "C"))),
    ("WM-SUMACC-SIDE", lambda p: summed(p, "right-row-acc", SumAccumulate("F", "B"), "f32")),
    ("WM-SHAPE-AGREE", lambda p: summed(p, "left-col-acc", SumAccumulate("F", "A"), m=64)),
    ("WM-SHAPE-AGREE", lambda p: summed(p, "right-row-acc", Add("C", "F"), m=64)),
    ("WM-FRAG-STRIDE-MIN", lambda p: summed(p, "left-col-acc", Store("F", "out", 4096, 3))),
    ("WM-FRAG-STRIDE-MIN", lambda p: shared(summed(p, "left-col-acc", Barrier()), "s32", Store("F", "g", 0, 0))),
    ("WM-LOAD-OFFSET-DWORD", lambda p: summed(p, "left-col-acc", Store("F", "out", 4098, 4))),
    ("WM-ALIGN-COMBINED", lambda p: summed(p, "left-col-acc", Store("F", "out", 4100, 4, alignment=8))),
    ("WM-LOAD-GS-STRIDE-MIN", lambda p: shared(p, "u8", Load("A", "g", 0, 7))),
    ("WM-LOAD-GS-STRIDE-MIN", lambda p: shared(p, "u8", Load("A", "g", 0, 3, 1))),
    ("WM-GS-TYPE-MATCH", lambda p: shared(p, "s32", Load("A", "g", 0, 8))),
    ("WM-TG-DIVIS", lambda p: replace(p, threads=33)),
    ("WM-TG-DIVIS", lambda p: replace(p, threads=16)),
    ("WM-MUL-USE", lambda p: changed(p, 3, left="B")),
    ("WM-MUL-USE", lambda p: declared(p, "B", n=64)),
    ("WM-MUL-TYPE-MATCH", lambda p: declared(p, "A", element="f16", k=16)),
    ("WM-MUL-CAPS", lambda p: declared(p, "C", element="f32")),
    ("WM-MUL-CAPS", lambda p: declared(p, "C", element="f16")),
    # Nothing is multiplied: a Left that is moved, sums that are filled and scaled, a matrix that nothing uses.
    ("WM-TYPE-SUPPORTED", lambda p: alone(p, Matrix("X", "left", "f32", 16, 64, 48), Fill("X", Literal(0)))),
    (
        "WM-TYPE-SUPPORTED",
        lambda p: alone(
            p, Matrix("X", "accumulator", "f16", 16, 64), Fill("X", Literal(0)), ScalarAdd("X", Literal(0x3C00))
        ),
    ),
    ("WM-TYPE-SUPPORTED", lambda p: alone(p, Matrix("X", "left-col-acc", "f16", 16, 64))),
)


@pytest.mark.parametrize(("clause", "edit"), BROKEN, ids=[f"{n}-{c}" for n, (c, _) in enumerate(BROKEN)])
def test_breaks_one_clause(product: WaveMatrixProgram, clause: str, edit: Edit) -> None:
    program = edit(product)
    if clause == "WM-MUL-USE" and program.matrix("B").n == 64:
        program = changed(program, 1, stride=64)
    if clause == "WM-LOAD-OFFSET-DWORD":
        assert SPEC.rejected(program, DEFAULT_CAPS) == {clause, "WM-ALIGN-COMBINED"}
        return
    assert SPEC.rejected(program, DEFAULT_CAPS) == {clause}


def test_an_odd_offset_breaks_the_combined_alignment_too(product: WaveMatrixProgram) -> None:
    expected = {"WM-LOAD-OFFSET-DWORD", *SPEC.catalogue.clause["WM-LOAD-OFFSET-DWORD"].entails}
    assert SPEC.rejected(changed(product, 0, offset=2), DEFAULT_CAPS) == expected


def test_every_validity_clause_is_covered() -> None:
    wanted = {name for name, clause in SPEC.catalogue.clause.items() if clause.kind == "V" and clause.testable}
    assert wanted == {clause for clause, _ in BROKEN}


def test_the_product_is_valid_and_defined(product: WaveMatrixProgram) -> None:
    assert not SPEC.rejected(product, DEFAULT_CAPS)
    assert not SPEC.undefined(product, DEFAULT_CAPS)


def test_caps_decide(product: WaveMatrixProgram) -> None:
    only_f16 = WaveMmaCaps(tuple(row for row in DEFAULT_CAPS.support if row.datatype == "float16"))
    assert SPEC.rejected(product, only_f16) == {"WM-MUL-CAPS", "WM-TYPE-SUPPORTED"}


VALID: tuple[Edit, ...] = (
    lambda p: replace(p, body=(*p.body[:2], Multiply("C", "A", "B"), p.body[4])),
    lambda p: replace(p, threads=32),
    lambda p: replace(p, waves=1, body=(Branch(32, p.body[:4]), p.body[4])),  # type: ignore[arg-type]
    lambda p: summed(p, "left-col-acc", Store("F", "out", 4096, 12, alignment=32)),
    lambda p: shared(
        p, "u8", Stage("g", "a", 0, 128), Barrier(), Load("A", "g", 1, 9), Barrier(), Store("A", "g", 1, 9)
    ),
    lambda p: shared(p, "s32", Store("C", "g", 0, 16), Barrier(), Unstage("g", "out", 4096, 256)),
    lambda p: changed(p, 0, stride=Affine(32, lane=4)),
    lambda p: replace(p, body=(*p.body, ScalarAdd("C", Literal(3), lane=2))),
)


@pytest.mark.parametrize("edit", VALID, ids=range(len(VALID)))
def test_is_valid_and_defined(product: WaveMatrixProgram, edit: Edit) -> None:
    program = edit(product)
    assert not SPEC.rejected(program, DEFAULT_CAPS)
    assert not SPEC.undefined(program, DEFAULT_CAPS)
    assert "void CSMain" in SPEC.text(program, DEFAULT_CAPS)


BYTES, HALVES, FLOATS = 0, 4, 8
"""Where the default caps have their first answer of each datatype."""
IMPOSSIBLE: tuple[tuple[str, int, dict[str, int]], ...] = (
    ("WM-K-MULT16", BYTES, {"k": 24}),
    ("WM-K-MULT16", FLOATS, {"k": 0}),
    ("WM-CAPS-QUERY", BYTES, {"m": 32}),
    ("WM-CAPS-QUERY", HALVES, {"n": 0}),
    ("WM-CAPS-BYTE", BYTES, {"accum_precision": 1}),
    ("WM-CAPS-BYTE", BYTES, {"accum_precision": 3}),
    ("WM-CAPS-F16", HALVES, {"accum_precision": 0}),
    ("WM-CAPS-F16", HALVES, {"accum_precision": 7}),
    ("WM-CAPS-F32", FLOATS, {"accum_precision": 3}),
    ("WM-CAPS-WAVESIZE", BYTES, {"required_wave_size": 16}),
    ("WM-CAPS-WAVESIZE", FLOATS, {"required_wave_size": 128}),
)


@pytest.mark.parametrize(("clause", "at", "change"), IMPOSSIBLE)
def test_impossible_answers_of_the_query(clause: str, at: int, change: dict[str, Any]) -> None:
    """The clause that is named is the one that is broken, for the rows of that answer, and every other row is kept."""
    support = list(DEFAULT_CAPS.support)
    support[at] = replace(support[at], **change)
    caps = replace(DEFAULT_CAPS, support=tuple(support))
    report = SPEC.reported(caps)
    found = list(report.breaches())
    assert {breach.clause for _, breach in found} == {clause}
    assert report.usable.support == (*DEFAULT_CAPS.support[:at], *DEFAULT_CAPS.support[at + 1 :])
    assert {row for row, _ in found}.isdisjoint(row.name for row in SPEC.rows(report.usable))
    with pytest.raises(BadInput, match=clause):
        SPEC.rows(caps)


@pytest.mark.parametrize(
    ("clause", "change"),
    [("WM-K-UNIQUE", {"k": 48}), ("WM-CAPS-QUERY", {"accum_precision": 0}), ("WM-CAPS-QUERY", {"supported": False})],
)
def test_a_question_has_one_answer(clause: str, change: dict[str, Any]) -> None:
    caps = replace(DEFAULT_CAPS, support=(*DEFAULT_CAPS.support, replace(DEFAULT_CAPS.support[0], **change)))
    assert ("byte-16x16-s32", clause) in {(row, breach.clause) for row, breach in SPEC.reported(caps).breaches()}


def test_the_same_answer_twice_is_one_row() -> None:
    twice = replace(DEFAULT_CAPS, support=(*DEFAULT_CAPS.support, DEFAULT_CAPS.support[0]))
    assert not list(SPEC.reported(twice).breaches())
    assert SPEC.rows(twice) == SPEC.rows(DEFAULT_CAPS)


def test_a_range_without_a_wave_fails_every_row_and_one_without_a_shader_covers_none() -> None:
    empty = replace(DEFAULT_CAPS, wave_lanes=(64, 32))
    assert {breach.clause for _, breach in SPEC.reported(empty).breaches()} == {"WM-CAPS-WAVESIZE"}
    assert SPEC.rows(SPEC.reported(empty).usable) == ()
    odd = WaveMmaCaps((replace(DEFAULT_CAPS.support[0], required_wave_size=24),), (16, 32))
    assert SPEC.reported(odd).not_covered() == {"byte-16x16-s32": "no shader has waves of 24 lanes"}


def test_unsupported_sums(product: WaveMatrixProgram) -> None:
    program = summed(product, "left-col-acc", Add("C", "F"), "f16")
    assert not SPEC.rejected(program, DEFAULT_CAPS)
    only_bytes = WaveMmaCaps(tuple(row for row in DEFAULT_CAPS.support if row.datatype == "byte"))
    assert SPEC.rejected(program, only_bytes) == {"WM-MUL-CAPS", "WM-TYPE-SUPPORTED"}


def by_wave(program: WaveMatrixProgram) -> WaveMatrixProgram:
    """Two waves, each of which stores C at a place of its own."""
    return replace(changed(program, 4, offset=Affine(0, 1024)), waves=2)


UNDEFINED: tuple[tuple[str, Edit], ...] = (
    ("WM-BOUNDS", lambda p: changed(p, 0, offset=8000)),
    ("WM-BOUNDS", lambda p: replace(p, body=(Fill("C", FromBuffer("a", 8190)),))),
    ("WM-HAZARD", lambda p: replace(p, body=(*p.body, p.body[-1]))),
    ("WM-HAZARD", lambda p: replace(p, waves=2)),
    ("WM-HAZARD", lambda p: changed(p, 4, buffer="c")),
    ("WM-HAZARD", lambda p: replace(p, body=(p.body[2], Repeat(2, (Store("C", "out", 0, 64),))))),
    ("WM-HAZARD", lambda p: shared(p, "u8", Stage("g", "a", 0, 128), Load("A", "g", 0, 8))),
    ("WM-HAZARD", lambda p: replace(shared(p, "s32"), body=(Fill("C", Literal(0)), Store("C", "g", 0, 16)), waves=2)),
    ("WM-HAZARD", lambda p: shared(p, "u8", Repeat(2, (Stage("g", "a", 0, 128), Barrier(), Load("A", "g", 0, 8))))),
    # Stored and loaded again: by the same wave, by the next one; in an array without a barrier.
    ("WM-HAZARD", lambda p: replace(p, body=(*p.body, Load("C", "out", 0, 64)))),
    ("WM-HAZARD", lambda p: replace(p, body=(*p.body, Load("C", "out", 0, 128)))),
    ("WM-HAZARD", lambda p: replace(by_wave(p), body=(*by_wave(p).body, Load("C", "out", Affine(1024, 1024), 64)))),
    ("WM-HAZARD", lambda p: replace(p, body=(*p.body, MatrixDepth("A", "out", 4096), Load("C", "out", 4096, 64)))),
    ("WM-HAZARD", lambda p: replace(p, body=(*p.body, Fill("C", FromBuffer("out", 0))))),
    ("WM-HAZARD", lambda p: shared(p, "s32", Store("C", "g", 0, 16), Load("C", "g", 0, 16))),
    ("WM-HAZARD", lambda p: shared(by_wave(p), "s32", Store("C", "g", Affine(0, 256), 16), *(Load("C", "g", 0, 16),))),
    ("WM-HAZARD", lambda p: shared(p, "s32", Store("C", "g", 0, 16), Unstage("g", "out", 4096, 256))),
    ("WM-BOUNDS", lambda p: shared(p, "u8", Load("A", "g", 400, 8))),
    ("WM-BOUNDS", lambda p: shared(p, "u8", Stage("g", "a", 8000, 128))),
    ("WM-DIVERGENT", lambda p: replace(p, body=(Branch(31, p.body),))),  # type: ignore[arg-type]
    ("WM-UNSET", lambda p: replace(p, body=p.body[1:])),
    ("WM-UNSET", lambda p: replace(p, body=(p.body[0], p.body[1], p.body[3]))),
    ("WM-UNSET", lambda p: replace(p, body=(Store("A", "out", 0, 32),))),
    ("WM-UNSET", lambda p: replace(p, body=(ScalarAdd("C", Literal(0)), *p.body))),
    ("WM-UNSET", lambda p: summed(replace(p, body=p.body[1:3]), "left-col-acc", SumAccumulate("F", "A"))),
    ("WM-UNSET", lambda p: replace(p, body=(Repeat(2, (MultiplyAccumulate("C", "A", "B"), *p.body[:3])),))),
    ("WM-FILL-UNIFORM", lambda p: replace(p, body=(Fill("C", Literal(0), lane=1),))),
    ("WM-LOAD-OFFSET-UNIFORM", lambda p: changed(p, 0, offset=Affine(0, lane=4))),
    ("WM-FRAG-DWORD", lambda p: summed(p, "left-col-acc", Store("F", "out", 4096, 3), "f16")),
    ("WM-FRAG-DWORD", lambda p: summed(p, "right-row-acc", Store("F", "out", 4096, 5), "f16")),
    ("WM-FRAG-DWORD", lambda p: summed(p, "left-col-acc", Store("F", "out", 4096, 6))),
)


@pytest.mark.parametrize(("clause", "edit"), UNDEFINED, ids=range(len(UNDEFINED)))
def test_is_undefined(product: WaveMatrixProgram, clause: str, edit: Edit) -> None:
    program = edit(product)
    assert not SPEC.rejected(program, DEFAULT_CAPS)
    assert SPEC.undefined(program, DEFAULT_CAPS) == {clause}


ORDERED: tuple[Edit, ...] = (
    by_wave,
    lambda p: shared(p, "s32", Store("C", "g", 0, 16), Barrier(), Load("C", "g", 0, 16)),
    lambda p: shared(by_wave(p), "s32", Store("C", "g", Affine(0, 256), 16), Barrier(), Load("C", "g", 0, 16)),
    lambda p: shared(p, "s32", Store("C", "g", 0, 16), Barrier(), Unstage("g", "out", 4096, 256)),
    lambda p: shared(p, "s32", Store("C", "g", 0, 16), Load("C", "g", 256, 16)),
)
"""Each access has bytes of its own, or a barrier stands between."""


@pytest.mark.parametrize("edit", ORDERED, ids=range(len(ORDERED)))
def test_a_barrier_or_bytes_of_its_own_is_order_enough(product: WaveMatrixProgram, edit: Edit) -> None:
    assert not SPEC.undefined(edit(product), DEFAULT_CAPS)


@pytest.mark.parametrize(("stride", "element"), [(2, "f16"), (6, "f16"), (4, "f16"), (4, "s32"), (12, "s32")])
def test_a_multiple_of_the_element_size_is_a_stride(
    product: WaveMatrixProgram, stride: int, element: ElementType
) -> None:
    program = summed(product, "left-col-acc", Store("F", "out", 4096, stride), element)
    assert not SPEC.rejected(program, DEFAULT_CAPS)
    assert not SPEC.undefined(program, DEFAULT_CAPS)


NONSENSE: tuple[Edit, ...] = (
    lambda p: changed(p, 0, matrix="Z"),
    lambda p: changed(p, 0, buffer="z"),
    lambda p: changed(p, 3, left="Z"),
    lambda p: changed(p, 0, offset=-4),
    lambda p: (
        changed(p, 0, offset=Affine(0, -4)) if p.waves > 1 else replace(changed(p, 0, offset=Affine(0, -4)), waves=2)
    ),
    lambda p: changed(p, 0, col_major=2),
    lambda p: changed(p, 0, stride=1 << 40),
    lambda p: changed(p, 0, offset=RunTime("a", 0)),
    lambda p: declared(p, "A", k=16),
    lambda p: declared(p, "A", m=0),
    lambda p: declared(p, "C", k=16),
    lambda p: replace(p, waves=0),
    lambda p: replace(p, read_only=("z",)),
    lambda p: replace(p, buffers=(*p.buffers, Buffer("a", 4))),
    lambda p: replace(p, buffers=(Buffer("a", -1), *p.buffers[1:])),
    lambda p: replace(p, buffers=(Buffer("a", 512, 3), *p.buffers[1:])),
    lambda p: replace(p, matrices=(*p.matrices, Matrix("A", "left", "u8", 16, 16, 32))),
    lambda p: replace(p, body=(Repeat(0, (p.body[0],)),)),  # type: ignore[arg-type]
    lambda p: replace(p, body=(Fill("C", Literal(1 << 32)),)),
    lambda p: replace(p, body=(Fill("C", FromBuffer("z", 0)),)),
    lambda p: replace(p, body=(ScalarAdd("Z", Literal(0)),)),
    lambda p: replace(p, body=(ScalarAdd("C", Literal(1 << 32)),)),
    lambda p: replace(p, body=(SumAccumulate("C", "Z"),)),
    lambda p: replace(p, body=(Stage("g", "a", 0, 4),)),
    lambda p: replace(p, body=(Branch(0, ()),)),
    lambda p: replace(p, threads=64),
    lambda p: replace(p, threads=1 << 20),
    lambda p: shared(p, "u8", Stage("g", "a", 0, 0)),
    lambda p: shared(p, "u8", Stage("g", "a", Affine(0, wave=4), 4)),
    lambda p: shared(p, "u8", Load("A", "g", 0, 8, alignment=4)),
    lambda p: replace(p, arrays=(SharedArray("a", "u8", 4),)),
    lambda p: replace(p, arrays=(SharedArray("g", "u8", 0),)),
    lambda p: replace(p, read_only=("out",), body=(MatrixDepth("A", "out", 0),)),
    lambda p: summed(p, "left-col-acc", Store("F", "out", 4096, 4, 1)),
    lambda p: changed(p, 0, offset=Affine(0, grid=-1)),
)


@pytest.mark.parametrize("edit", NONSENSE, ids=range(len(NONSENSE)))
def test_no_program_at_all(product: WaveMatrixProgram, edit: Edit) -> None:
    with pytest.raises(BadInput) as caught:
        SPEC.rejected(edit(product), DEFAULT_CAPS)
    assert "\n" not in str(caught.value)


def test_data_that_collide_are_no_program(product: WaveMatrixProgram) -> None:
    overlapping = replace(product, body=(*product.body[:1], Load("B", "a", 4, 16, data="B"), *product.body[2:]))
    with pytest.raises(BadInput, match="overlaps"):
        SPEC.sources(overlapping)
    reshaped = replace(product, body=(product.body[0], Load("B", "a", 0, 16, data="A")))
    with pytest.raises(BadInput, match="two shapes"):
        SPEC.sources(reshaped)


def test_loads_of_the_same_data_are_copies(product: WaveMatrixProgram) -> None:
    twice = replace(
        product, body=(product.body[0], Load("A", "a", 1024, 36, data="A"), MultiplyAccumulate("C", "A", "B"))
    )
    (source,) = SPEC.sources(twice)
    assert source.addresses.shape == (2, 1, 1, 16, 32)
