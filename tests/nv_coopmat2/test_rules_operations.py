"""Validity and undefined behaviour of operations on matrices, each by one instruction after a valid program."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.protocol import Refused
from mmaspec.oracle.case import Case
from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.programs.base import Buffer, FromBuffer, Literal
from mmaspec.programs.errors import BadInput
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS, CoopMatCaps, Features, FixedSize
from mmaspec.programs.nv_coopmat2.program import (
    SATURATING,
    Arithmetic,
    Combine,
    Convert,
    CoopMatProgram,
    ElementFunction,
    Matrix,
    MulAdd,
    Negate,
    PerElement,
    Reduce,
    Splat,
    Store,
    Transpose,
)
from mmaspec.suites.judging.invalid import outline

ADD = Combine("add")
HALVES = tuple(Matrix(name, "f16", 16, 16, use) for name, use in (("A", 0), ("B", 1), ("C", 2), ("D", 2)))
WIDE = (Matrix("W", "f32", 16, 16, 2), Matrix("I", "s32", 16, 16, 2), Matrix("J", "s32", 16, 16, 2))
FLAT = (Matrix("F", "f32", 16, 8, 2),)


def after(*instructions: Any) -> CoopMatProgram:
    """A product of f16 that is stored, and then something."""
    matrices = (*HALVES, *WIDE, *FLAT)
    return CoopMatProgram(
        buffers=(Buffer("out", 1024),),
        matrices=matrices,
        body=(
            *(Splat(matrix.name, Literal(1)) for matrix in matrices),
            MulAdd("D", "A", "B", "C"),
            Store("D", "out", 0, 16),
            *instructions,
        ),
    )


REJECTED: list[tuple[str, Any]] = [
    ("KHRCM-CAPS-SAT", MulAdd("D", "A", "B", "C", SATURATING)),
    ("KHRCM-ENUMS", MulAdd("D", "A", "B", "C", 1)),
    ("KHRCM-STORAGE", Arithmetic("D", "C", "+", "W")),
    ("KHRCM-STORAGE", Arithmetic("W", "C", "-", "D")),
    ("KHRCM-STORAGE", Negate("W", "C")),
    ("KHRCM-ARITH-SCALAR", Arithmetic("D", "C", "/", Literal(1))),
    ("KHRCM-ARITH-SCALAR", Arithmetic("D", "C", "-", Literal(1), scalar_first=True)),
    ("NVCM2-CONVERT-TYPES", Convert("C", "A")),
    ("NVCM2-CONVERT-TYPES", Convert("B", "A")),
    ("NVCM2-CONVERT-TYPES", Convert("F", "W")),
    ("NVCM2-TRANSPOSE-TYPES", Transpose("D", "C")),
    ("NVCM2-TRANSPOSE-TYPES", Transpose("B", "A")),
    ("NVCM2-TRANSPOSE-TYPES", Transpose("A", "C")),
    ("NVCM2-TRANSPOSE-TYPES", Transpose("B", "W")),
    ("NVCM2-REDUCE-USE", Reduce("A", "A", 1, ADD)),
    ("NVCM2-REDUCE-USE", Reduce("W", "C", 3, ADD)),
    ("NVCM2-REDUCE-MASK", Reduce("D", "C", 5, ADD)),
    ("NVCM2-REDUCE-MASK", Reduce("D", "C", 6, ADD)),
    ("NVCM2-REDUCE-MASK", Reduce("D", "C", 1, Combine("min", ("f32", "f32")))),
    ("NVCM2-REDUCE-MASK", Reduce("D", "C", 1, Combine("min", (None,)))),
    ("NVCM2-REDUCE-MASK", Reduce("D", "C", 1, Combine("min", (None, None), "f32"))),
    ("NVCM2-REDUCE-MASK", Reduce("D", "C", 1, Combine("min", qualifier="in"))),
    ("NVCM2-REDUCE-MASK", Reduce("D", "C", 1, Combine("min", qualifier="inout"))),
    ("NVCM2-ENUMS", Reduce("D", "C", 0, ADD)),
    ("NVCM2-ENUMS", Reduce("D", "C", 8, ADD)),
    ("NVCM2-REDUCE-SHAPE", Reduce("D", "C", 4, ADD)),
    ("NVCM2-REDUCE-SHAPE", Reduce("F", "W", 2, ADD)),
    ("NVCM2-PERELEM-SIG", PerElement("D", "C", ElementFunction("place", place="int32_t"))),
    ("NVCM2-PERELEM-SIG", PerElement("D", "C", ElementFunction("place", place="uint16_t"))),
    ("NVCM2-PERELEM-SIG", PerElement("D", "C", ElementFunction("place", qualifier="in"))),
    ("NVCM2-PERELEM-SIG", PerElement("D", "C", ElementFunction("triangle", qualifier="inout"))),
    ("NVCM2-PERELEM-SIG", PerElement("W", "C", ElementFunction("place"))),
    ("NVCM2-PERELEM-SIG", PerElement("D", "C", ElementFunction("place", "f32"))),
    ("NVCM2-PERELEM-SIG", PerElement("D", "C", ElementFunction("place", returns="f32"))),
    ("NVCM2-PERELEM-SIG", PerElement("D", "C", ElementFunction("add", extras=(None,)), ("W",))),
    ("NVCM2-PERELEM-SIG", PerElement("D", "C", ElementFunction("add", extras=(None,)), ("A",))),
    ("NVCM2-PERELEM-SIG", PerElement("D", "C", ElementFunction("add", extras=(None, None)), ("D",))),
    ("NVCM2-PERELEM-SIG", PerElement("D", "C", ElementFunction("select", extras=("f32",)), ("D",))),
]


@pytest.mark.parametrize(("clause", "wrong"), REJECTED, ids=[f"{n}-{c}" for n, (c, _) in enumerate(REJECTED)])
def test_broken_rule_is_named_by_both(clause: str, wrong: Any, device: NumpyBackend) -> None:
    program = after(wrong)
    assert SPEC.rejected(program, DEFAULT_CAPS) == {clause}
    case = Case("nv-coopmat2", "f16-f16-16x16x16", "bent", program, DEFAULT_CAPS, 1, {}, (), clause)
    with pytest.raises(Refused) as refusal:
        device.run("nv-coopmat2", program, outline(case))
    assert set(refusal.value.clauses) == {clause}


VALID = [
    Arithmetic("D", "C", "*", Literal(0x3C00)),
    Convert("W", "C"),
    Convert("I", "C"),
    Convert("A", "C"),
    Convert("B", "W"),
    Transpose("B", "C"),
    Reduce("D", "C", 1, Combine("add", ("f16", "f16"), "f16")),
    Reduce("F", "W", 1, ADD),
    Reduce("F", "W", 3, ADD),
    PerElement("D", "C", ElementFunction("add", "f16", (None, "f16"), "f16"), ("D", Literal(0x3C00))),
    PerElement("A", "A", ElementFunction("triangle")),
]


@pytest.mark.parametrize("right", VALID, ids=[str(number) for number in range(len(VALID))])
def test_what_the_rules_allow(right: Any) -> None:
    program = after(right)
    assert not SPEC.rejected(program, DEFAULT_CAPS)
    assert not SPEC.undefined(program, DEFAULT_CAPS)
    assert right.result in SPEC.text(program, DEFAULT_CAPS)


UNDEFINED: list[tuple[str, Any]] = [
    ("NVCM2-REDUCE-COMBINE", Reduce("D", "C", 1, Combine("subtract"))),
]


@pytest.mark.parametrize(("clause", "open_ended"), UNDEFINED, ids=[clause for clause, _ in UNDEFINED])
def test_what_has_no_one_answer_is_undefined(clause: str, open_ended: Any) -> None:
    assert not SPEC.rejected(after(open_ended), DEFAULT_CAPS)
    assert SPEC.undefined(after(open_ended), DEFAULT_CAPS) == {clause}


def test_operands_have_to_be_written() -> None:
    program = after(PerElement("D", "C", ElementFunction("add", extras=(None,)), ("D",)))
    for name in ("C", "D"):
        body = tuple(step for step in program.body if not (isinstance(step, Splat) and step.matrix == name))
        unwritten = replace(program, body=tuple(step for step in body if not isinstance(step, MulAdd | Store)))
        assert SPEC.undefined(unwritten, DEFAULT_CAPS) == {"KHRCM-UNWRITTEN"}


MEANINGLESS: list[tuple[str, Any]] = [
    ("no matrix named", Convert("D", "x")),
    ("expected 16 bits", Arithmetic("D", "C", "*", Literal(1 << 16))),
    ("scalar at byte", Arithmetic("D", "C", "*", FromBuffer("out", 1023, "S"))),
    ("of 1 extras", PerElement("D", "C", ElementFunction("place", extras=(None,)), ("C",))),
    ("of 0 extras", PerElement("D", "C", ElementFunction("select"))),
    ("of 3 extras", PerElement("D", "C", ElementFunction("select", extras=(None,) * 3), ("C",) * 3)),
    ("a scalar extra of type f32", PerElement("D", "C", ElementFunction("add", extras=("f32",)), (Literal(1),))),
]


@pytest.mark.parametrize(("message", "wrong"), MEANINGLESS, ids=[message for message, _ in MEANINGLESS])
def test_unreadable_operations_get_one_line(message: str, wrong: Any) -> None:
    with pytest.raises(BadInput, match=message) as raised:
        SPEC.rejected(after(wrong), DEFAULT_CAPS)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("feature", "used"),
    [
        ("reductions", Reduce("D", "C", 1, ADD)),
        ("conversions", Convert("A", "C")),
        ("conversions", Transpose("B", "C")),
        ("per_element", PerElement("D", "C", ElementFunction("triangle"))),
    ],
    ids=["reduce", "use", "transpose", "per-element"],
)
def test_a_device_without_the_feature_refuses(feature: str, used: Any) -> None:
    without = replace(DEFAULT_CAPS, features=replace(Features(), **{feature: False}))
    assert SPEC.rejected(after(used), without) == {"NVCM2-FEATURES"}
    assert not SPEC.rejected(after(Convert("W", "C")), without)


def test_a_product_is_saturating_where_one_of_two_properties_is() -> None:
    both = replace(
        DEFAULT_CAPS, fixed=(*DEFAULT_CAPS.fixed, FixedSize(16, 16, 16, "f16", "f16", "f16", "f16", saturating=True))
    )
    for operands in (0, SATURATING):
        assert not SPEC.rejected(after(MulAdd("D", "A", "B", "C", operands)), both)


def test_properties_whose_result_is_not_c_support_no_product() -> None:
    odd = CoopMatCaps((FixedSize(16, 16, 16, "f16", "f16", "f16", "f32"),))
    assert SPEC.rows(odd) == ()
    program = replace(after(), matrices=HALVES, body=(MulAdd("D", "A", "B", "C"),))
    assert SPEC.rejected(program, odd) == {"KHRCM-CAPS-MATCH"}
