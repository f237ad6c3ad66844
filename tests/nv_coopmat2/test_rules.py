"""Every validity clause and every clause of undefined behaviour, by a program edited by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.protocol import Refused
from mmaspec.oracle.case import Case
from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.programs.base import Affine, Buffer, FromBuffer, Literal
from mmaspec.programs.errors import BadInput
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS
from mmaspec.programs.nv_coopmat2.program import (
    CoopMatProgram,
    EachComponent,
    Echo,
    Layout,
    Load,
    LoadTensor,
    Matrix,
    MulAdd,
    Repeat,
    SetDimension,
    SetStride,
    Simple,
    Slice,
    Splat,
    Store,
    StoreTensor,
)
from mmaspec.suites.judging.invalid import outline

Edit = Callable[[CoopMatProgram], CoopMatProgram]


def at(number: int, **fields: Any) -> Edit:
    """An instruction with other fields."""

    def edit(program: CoopMatProgram) -> CoopMatProgram:
        body = list(program.body)
        body[number] = replace(body[number], **fields)
        return replace(program, body=tuple(body))

    return edit


def with_layout(*calls: Any, mode: int = 1, rank: int = 2) -> Edit:
    return lambda program: replace(program, layouts=(Layout("t", calls, rank, mode),))


def with_matrix(name: str, **fields: Any) -> Edit:
    def edit(program: CoopMatProgram) -> CoopMatProgram:
        found = tuple(replace(m, **fields) if m.name == name else m for m in program.matrices)
        return replace(program, matrices=found)

    return edit


def after_the_store(instruction: Simple) -> Edit:
    """One more instruction at the end."""
    return lambda program: replace(program, body=(*program.body, instruction))


SIZE, CUT = SetDimension((20, 24)), Slice((1, 2), (16, 16))

REJECTED: list[tuple[str, Edit]] = [
    ("KHRCM-STRIDE-ZERO", at(4, stride=0)),
    ("KHRCM-ALIGN", at(0, offset=8)),
    ("KHRCM-ALIGN", at(0, stride=33)),
    ("KHRCM-ALIGN", at(4, offset=Affine(2, 4, 0))),
    ("KHRCM-CAPS-MATCH", at(3, b="A")),
    ("KHRCM-CAPS-MATCH", with_matrix("A", component="u8")),
    ("KHRCM-CAPS-MATCH", with_matrix("B", cols=24)),
    ("KHRCM-STORAGE", at(3, result="A")),
    *(("KHRCM-STORAGE", with_matrix("D", storage=storage)) for storage in ("shared", "uniform", "buffer", "in", "out")),
    ("KHRCM-STORAGE", lambda program: replace(program, uniform=("a",))),
    ("KHRCM-STORAGE", lambda program: replace(program, uniform=("tensor",))),
    ("KHRCM-ENUMS", at(0, layout=2)),
    ("NVCM2-DIM-RANGE", with_layout(SetDimension((1, 1, 1, 1, 20, 24)), mode=1, rank=6)),
    ("NVCM2-ENUMS", with_layout(SIZE, CUT, mode=5)),
    ("NVCM2-TYPE-PARAMS", with_layout(SetDimension((20, 24, 1)), CUT)),
    ("NVCM2-TYPE-PARAMS", with_layout(SIZE, Slice((0, 0, 0), (16,)))),
    ("NVCM2-SETSTRIDE-MIN", with_layout(SIZE, SetStride((47, 2)), CUT)),
    ("NVCM2-BASE-ALIGN", at(2, offset=2)),
    ("NVCM2-BASE-ALIGN", at(5, offset=1)),
]


@pytest.mark.parametrize(("clause", "edit"), REJECTED, ids=[f"{n}-{c}" for n, (c, _) in enumerate(REJECTED)])
def test_breach_is_rejected_for_that_alone(
    clause: str, edit: Edit, product: CoopMatProgram, device: NumpyBackend
) -> None:
    edited = edit(product)
    assert SPEC.rejected(edited, DEFAULT_CAPS) == {clause}
    case = Case("nv-coopmat2", "s8-s32-16x16x32", "bent", edited, DEFAULT_CAPS, 1, {}, (), clause)
    with pytest.raises(Refused) as refused:
        device.run("nv-coopmat2", edited, outline(case))
    assert refused.value.clauses == (clause,)


def test_layout_value_of_another_type_is_rejected(product: CoopMatProgram) -> None:
    other = Layout("u", (), 2, 3, "t")
    assert SPEC.rejected(replace(product, layouts=(*product.layouts, other)), DEFAULT_CAPS) == {"NVCM2-TYPE-PARAMS"}


def test_flexible_sizes_off_the_granularity_are_rejected() -> None:
    matrix = Matrix("c", "s32", 40, 32, 2, "workgroup")
    program = CoopMatProgram((Buffer("out", 8192),), (matrix,), (Splat("c", Literal(1)), Store("c", "out", 0, 32)))
    assert SPEC.rejected(program, DEFAULT_CAPS) == {"NVCM2-FLEX-CAPS"}
    assert not SPEC.rejected(replace(program, matrices=(replace(matrix, rows=64),)), DEFAULT_CAPS)
    assert SPEC.rejected(replace(program, matrices=(replace(matrix, rows=1056),)), DEFAULT_CAPS) == {"NVCM2-FLEX-CAPS"}


def test_valid_program_is_valid_and_defined(product: CoopMatProgram) -> None:
    assert not SPEC.rejected(product, DEFAULT_CAPS)
    assert not SPEC.undefined(product, DEFAULT_CAPS)


UNDEFINED: list[tuple[str, Edit]] = [
    ("KHRCM-ROBUST", at(0, offset=7936)),
    ("NVCM2-MEM-BOUNDS", at(2, offset=1848)),
    ("KHRCM-OVERLAP", at(4, stride=12)),
    ("KHRCM-OVERLAP", lambda program: replace(program, waves=2)),
    ("KHRCM-ORDER", after_the_store(Load("B", "out", 0, 16))),
    ("KHRCM-ORDER", after_the_store(Store("C", "out", 128, 16))),
    ("KHRCM-ORDER", after_the_store(StoreTensor("C", "out", 0, "t"))),
    ("KHRCM-ORDER", after_the_store(LoadTensor("C", "tensor", 0, "t"))),
    ("KHRCM-ORDER", after_the_store(Splat("C", FromBuffer("out", 4, "S")))),
    ("KHRCM-ORDER", lambda program: replace(program, body=(*program.body[:4], Repeat(2, program.body[4:5])))),
    ("KHRCM-UNWRITTEN", lambda program: replace(program, body=program.body[1:])),
    ("NVCM2-CLAMP-UNDEF", with_layout(SIZE, Slice((5, 2), (16, 16)), mode=0)),
    ("NVCM2-STORE-COLLIDE", with_layout(SIZE, Slice((1, 2), (8, 16)))),
    ("NVCM2-ZERO-DIVISOR", with_layout(SIZE, Slice((1, 2), (16, 0)))),
    ("NVCM2-SIGNED-RANGE", with_layout(SetDimension((1 << 31, 24)), CUT)),
    ("NVCM2-SIGNED-RANGE", with_layout(SIZE, Slice((0x7FFF_FFFF, 0), (4, 16)), Slice((1, 0), (16, 16)))),
]


@pytest.mark.parametrize(("clause", "edit"), UNDEFINED, ids=[f"{n}-{c}" for n, (c, _) in enumerate(UNDEFINED)])
def test_it_is_undefined(clause: str, edit: Edit, product: CoopMatProgram) -> None:
    edited = edit(product)
    assert not SPEC.rejected(edited, DEFAULT_CAPS)
    assert clause in SPEC.undefined(edited, DEFAULT_CAPS)


@pytest.mark.parametrize(
    "instruction",
    [Store("C", "out", 256, 16), Splat("C", FromBuffer("out", 1024, "S")), Load("B", "c", 2000, 16)],
    ids=["store beside", "scalar beside", "load of what was only loaded"],
)
def test_memory_beside_a_store_is_free(instruction: Simple, product: CoopMatProgram) -> None:
    """KHRCM-ORDER is about bytes that were stored."""
    assert not SPEC.undefined(after_the_store(instruction)(product), DEFAULT_CAPS)


def test_arrays_may_be_shared(product: CoopMatProgram) -> None:
    """KHRCM-STORAGE: buffers or shared; a decode function points into buffers only (NVCM2-DECODE-SIG)."""
    shared = replace(at(4, array="uvec4", offset=0, stride=4)(product), shared=("out",))
    assert not SPEC.rejected(shared, DEFAULT_CAPS)
    assert not SPEC.undefined(shared, DEFAULT_CAPS)
    decoded = at(2, decode=Echo(1, (1, 1), (1, 1)), array="uvec4", offset=0)(product)
    assert not SPEC.rejected(decoded, DEFAULT_CAPS)
    assert SPEC.rejected(replace(decoded, shared=("c",)), DEFAULT_CAPS) == {"NVCM2-DECODE-SIG"}


def shared_with(**fields: Any) -> Edit:
    """The first load's array in shared memory."""
    return lambda program: replace(at(0, **fields)(program), shared=("a",))


def test_loads_may_repeat_a_row(product: CoopMatProgram) -> None:
    repeated = at(0, stride=0)(product)
    assert not SPEC.rejected(repeated, DEFAULT_CAPS)
    assert not SPEC.undefined(repeated, DEFAULT_CAPS)
    source = next(source for source in SPEC.sources(repeated) if source.name == "A")
    assert source.shape == (1, 1, 1, 32)


MEANINGLESS: list[tuple[str, Edit]] = [
    ("no matrix named", at(0, matrix="x")),
    ("no buffer named", at(0, buffer="x")),
    ("no layout named", at(2, tensor="x")),
    ("waves", lambda program: replace(program, waves=0)),
    ("passes", lambda program: replace(program, body=(Repeat(-1, ()),))),
    ("argument -1", at(0, offset=-1)),
    ("argument -3", with_layout(SetDimension((-3, 24)))),
    ("declared twice", lambda program: replace(program, matrices=program.matrices * 2)),
    ("several scopes", with_matrix("A", scope="workgroup")),
    ("0x32", with_matrix("A", rows=0)),
    ("multiple of 16", lambda program: replace(program, buffers=(Buffer("a", 16, 8), *program.buffers[1:]))),
    ("starts from", lambda program: replace(program, layouts=(Layout("t", (), 2, 1, "later"),))),
    ("is to negate; expected no value", after_the_store(EachComponent("C", "negate", Literal(1)))),
    ("is to add; expected a value", after_the_store(EachComponent("C", "add"))),
    ("no buffer named 'x'", lambda program: replace(program, shared=("x",))),
    ("no buffer named 'x'", lambda program: replace(program, uniform=("x",))),
    ("shared and uniform", lambda program: replace(program, shared=("a",), uniform=("a",))),
    ("elements of the component type", shared_with()),
    ("shared arrays of 40960 bytes", lambda program: replace(program, shared=("a", "b", "c", "out", "tensor"))),
    (
        "a scalar in shared array a",
        lambda program: replace(program, shared=("a",), body=(Splat("A", FromBuffer("a", 0, "S")),)),
    ),
    (
        "multiple of uvec4",
        lambda program: replace(shared_with(array="uvec4")(program), buffers=(Buffer("a", 8190), *program.buffers[1:])),
    ),
    (
        "2 workgroups",
        lambda program: replace(
            program,
            shared=("a",),
            waves=2,
            matrices=tuple(replace(matrix, scope="workgroup") for matrix in program.matrices),
        ),
    ),
    ("scalar at byte", lambda program: replace(program, body=(Splat("A", FromBuffer("a", 9000, "S")),))),
]


@pytest.mark.parametrize(("message", "edit"), MEANINGLESS, ids=[message for message, _ in MEANINGLESS])
def test_unreadable_programs_get_one_line(message: str, edit: Edit, product: CoopMatProgram) -> None:
    with pytest.raises(BadInput, match=message) as raised:
        SPEC.rejected(edit(product), DEFAULT_CAPS)
    assert "\n" not in str(raised.value)


def test_two_names_cannot_claim_one_byte(product: CoopMatProgram) -> None:
    program = replace(product, body=(*product.body, Load("B", "a", 16, 16, data="B2")))
    with pytest.raises(BadInput, match="overlap"):
        SPEC.sources(program)


def test_addend_may_be_constructed(product: CoopMatProgram) -> None:
    assert not SPEC.rejected(replace(product, body=(*product.body, MulAdd("D", "A", "B"))), DEFAULT_CAPS)
