"""What is refused, what means nothing, and what is no program at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from mmaspec.oracle.intel_subgroup_mma.functions import Signature, signatures
from mmaspec.oracle.intel_subgroup_mma.undefined import undefined
from mmaspec.oracle.intel_subgroup_mma.validity import rejected
from mmaspec.programs.base import Affine
from mmaspec.programs.errors import BadInput
from mmaspec.programs.intel_subgroup_mma.caps import FORMS_OF, Caps
from mmaspec.programs.intel_subgroup_mma.program import Fragment, Load, Mad, MadProgram, Repeat, Store

from .programs import caps_of, function, named, product

I8 = function(8, "i8_i8_i32", 2)
F16 = function(8, "f16_f16_f32", 2)
HALF = function(16, "f16_f16_f16", 2)
U8 = function(8, "u8_u8_i32", 2)
SIXTEEN = Caps(16, FORMS_OF[16])


def with_fragment(program: MadProgram, name: str, **fields: object) -> MadProgram:
    """The program with one fragment declared otherwise."""
    return replace(program, fragments=tuple(replace(v, **fields) if v.name == name else v for v in program.fragments))


def with_calls(program: MadProgram, **fields: object) -> MadProgram:
    """The program with its calls changed."""
    return replace(program, body=tuple(replace(s, **fields) if isinstance(s, Mad) else s for s in program.body))


@pytest.mark.exhaustive(every=4)
@pytest.mark.parametrize("signature", signatures(), ids=named)
def test_every_function_is_valid_and_defined_on_its_device(signature: Signature) -> None:
    for waves in (1, 3):
        program = product(signature, waves)
        body = tuple(
            replace(step, block=Affine(0, wave=1)) if isinstance(step, (Load, Store)) else step for step in program.body
        )
        apart = replace(program, body=body)
        assert rejected(apart, caps_of(signature)) == frozenset()
        assert undefined(apart, caps_of(signature)) == frozenset()


FUNCS = "ISGMMA-FUNCS"
REFUSED: dict[str, tuple[MadProgram, set[str]]] = {
    "a name that is none": (with_calls(product(I8), function="i8_matrix_mad_k32"), {FUNCS}),
    "a type that is none": (with_calls(product(I8), function="i2_i2_matrix_mad_k128"), {FUNCS}),
    "K of another type": (with_calls(product(I8), function="i8_i8_matrix_mad_k64"), {FUNCS, "ISGMMA-K-BY-TYPE"}),
    "K of floats": (with_calls(product(F16), function="f16_f16_matrix_mad_k32"), {FUNCS, "ISGMMA-K-BY-TYPE"}),
    "8 bits with 4": (with_calls(product(I8), function="i8_i4_matrix_mad_k32"), {FUNCS, "ISGMMA-INT-COMBOS"}),
    "two kinds of floats": (with_calls(product(F16), function="f16_bf16_matrix_mad_k16"), {FUNCS}),
    "more rows in the result": (
        replace(
            with_calls(product(I8), d="d"),
            fragments=(*product(I8).fragments, Fragment("d", "cd", "s32", "int", 4)),
        ),
        {FUNCS, "ISGMMA-M"},
    ),
    "more rows in A": (with_fragment(product(I8), "a", count=4), {FUNCS, "ISGMMA-M"}),
    "sixteen rows": (
        with_fragment(with_fragment(product(I8), "a", count=16), "acc", count=16),
        {FUNCS, "ISGMMA-M"},
    ),
    "unsigned A for a signed one": (with_fragment(product(I8), "a", component="uint"), {FUNCS, "ISGMMA-ARG-A8"}),
    "signed A for an unsigned one": (with_fragment(product(U8), "a", component="int"), {FUNCS, "ISGMMA-ARG-A8"}),
    "unsigned A in sixteen": (
        with_fragment(product(HALF), "a", component="ushort"),
        {FUNCS, "ISGMMA-ARG-A16"},
    ),
    "halves for A": (with_fragment(product(HALF), "a", component="half"), {FUNCS, "ISGMMA-ARG-A16"}),
    "unsigned B for a signed one": (with_fragment(product(I8), "b", component="uint"), {FUNCS, "ISGMMA-ARG-B"}),
    "four words of B": (with_fragment(product(I8), "b", count=4), {FUNCS, "ISGMMA-ARG-B"}),
    "short words of B": (with_fragment(product(I8), "b", component="short"), {FUNCS, "ISGMMA-ARG-B"}),
    "integers added to floats": (
        with_fragment(product(F16), "acc", component="int", holds="s32"),
        {FUNCS, "ISGMMA-FP-ACC"},
    ),
    "unsigned sums": (with_fragment(product(I8), "acc", component="uint"), {FUNCS}),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_fits_no_function_is_refused(what: str) -> None:
    program, clauses = REFUSED[what]
    caps = SIXTEEN if program.sub_group_size == 16 else Caps()
    assert rejected(program, caps) == clauses


def test_the_language_converts_sums_of_one_row_bit_for_bit() -> None:
    for program, caps in (
        (with_fragment(product(function(8, "i8_i8_i32", 1)), "acc", component="uint"), Caps()),
        (with_calls(with_result(function(16, "bf16_bf16_bf16", 1), component="ushort"), d="d"), SIXTEEN),
    ):
        assert rejected(program, caps) == frozenset()
        assert undefined(program, caps) == frozenset()


def with_result(signature: Signature, **changes: Any) -> MadProgram:
    """A product into another fragment than the addend's."""
    program = with_calls(product(signature), d="d")
    return replace(program, fragments=(*program.fragments, replace(program.fragment("acc"), name="d", **changes)))


NOT_JUDGED: dict[str, MadProgram] = {
    "a sign of A": with_fragment(product(function(8, "i8_i8_i32", 1)), "a", component="uint"),
    "a float sum": with_fragment(product(function(8, "i8_i8_i32", 1)), "acc", component="float", holds="f32"),
    "A spread": with_fragment(product(I8), "a", count=1),
    "B spread": with_fragment(product(I8), "b", count=1),
    "an addend spread": with_calls(
        replace(product(I8), fragments=(*product(I8).fragments, Fragment("c", "cd", "s32", "int", 1))), c="c"
    ),
    "a result spread": with_result(function(8, "i8_i8_i32", 1), count=4),
    "a scalar that fits two": with_fragment(product(function(16, "bf16_bf16_bf16", 1)), "acc", component="ushort"),
}


@pytest.mark.parametrize("what", NOT_JUDGED)
def test_what_the_language_converts_otherwise_is_not_judged(what: str) -> None:
    program = NOT_JUDGED[what]
    for judge in (rejected, undefined):
        with pytest.raises(BadInput, match=r"fits `.*` only as the language converts scalars"):
            judge(program, SIXTEEN if program.sub_group_size == 16 else Caps())


def test_a_vector_never_becomes_a_scalar() -> None:
    assert rejected(with_result(I8, count=1), Caps()) == {FUNCS, "ISGMMA-M"}
    longer = with_fragment(product(function(8, "i8_i8_i32", 1)), "a", count=2)
    assert rejected(longer, Caps()) == {FUNCS, "ISGMMA-M"}, "the result of two rows would have to become a scalar"


def test_sums_of_16_bits_are_for_devices_with_sub_groups_of_16() -> None:
    program = with_fragment(product(F16), "acc", component="half", holds="f16")
    assert rejected(program, Caps()) == {FUNCS, "ISGMMA-FP-ACC"}


def _short_loop(program: MadProgram) -> MadProgram:
    first, *rest = program.body
    return replace(program, body=(Repeat(2, (replace(first, block=Affine(0, loop=1)),)), *rest))  # type: ignore[call-arg]


UNDEFINED: dict[str, tuple[Callable[[], MadProgram], Caps, set[str]]] = {
    "a kernel of another size": (
        lambda: replace(product(I8), sub_group_size=16),
        Caps(),
        {"ISGMMA-SGSIZE-UB", "ISGMMA-BOUNDS"},
    ),
    "a device of another size": (lambda: product(I8), SIXTEEN, {"ISGMMA-SGSIZE-UB"}),
    "one work-item only": (lambda: with_calls(product(I8), converged=False), Caps(), {"ISGMMA-CONVERGED"}),
    "a short last sub-group": (lambda: replace(product(I8), last=5), Caps(), {"ISGMMA-CONVERGED"}),
    "an accumulator that nothing wrote": (
        lambda: replace(product(I8), body=tuple(s for s in product(I8).body if getattr(s, "into", "") != "acc")),
        Caps(),
        {"ISGMMA-UNSET"},
    ),
    "a load beyond its buffer": (lambda: _short_loop(product(I8)), Caps(), {"ISGMMA-BOUNDS"}),
    "sub-groups that store to one place": (lambda: product(I8, waves=2), Caps(), {"ISGMMA-RACE"}),
    "vectors read as vectors of another type": (
        lambda: replace(
            product(I8),
            fragments=(*product(I8).fragments, Fragment("f", "cd", "f32", "float", 2)),
            body=(*product(I8).body, Load("f", "out")),
        ),
        Caps(),
        {"ISGMMA-ALIAS"},
    ),
}


@pytest.mark.parametrize("what", UNDEFINED)
def test_what_means_nothing(what: str) -> None:
    make, caps, clauses = UNDEFINED[what]
    assert rejected(make(), caps) == frozenset()
    assert undefined(make(), caps) == clauses


@pytest.mark.parametrize(
    ("program", "says"),
    [
        (replace(product(I8), sub_group_size=12), "sub-groups of 12 work-items"),
        (replace(product(I8), last=9), "work-items of the last sub-group 9; expected 1 to 8"),
        (with_fragment(product(I8), "a", count=3), "fragment a: 3 components"),
        (with_fragment(product(I8), "acc", holds="s8"), "fragment acc: holds s8 for the use 'cd'"),
        (with_fragment(product(I8), "acc", component="short"), "fragment acc: elements of 32 bits in components of 16"),
        (with_fragment(product(I8), "a", fill=256), "fragment a: 0x100 is not an element of 8 bits"),
        (
            replace(product(I8), body=(replace(product(I8).body[0], block=Affine(0, lane=1)), *product(I8).body[1:])),
            "instruction 1: block differs from lane to lane",
        ),
        (with_calls(product(I8), a="b"), "fragment b is declared to hold 'b'; expected 'a'"),
        (with_calls(product(I8), b="x"), "no fragment named 'x'"),
        (with_fragment(product(I8), "a", holds="s4"), "fragment a is declared to hold s4; the function takes s8"),
    ],
)
def test_what_is_no_program_is_bad_input(program: MadProgram, says: str) -> None:
    with pytest.raises(BadInput) as raised:
        rejected(program, Caps())
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_form_that_is_not_asked_about_is_bad_input() -> None:
    with pytest.raises(BadInput, match="form i8_i8_i32 is not among those in reach: u8_u8_i32"):
        rejected(product(I8), Caps(forms=("u8_u8_i32",)))
