"""Validity, undefined behaviour, and programs that cannot be read, each by a program made by hand."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from mmaspec.backends.numpy.amd_rdna3_wmma.device import WmmaDevice
from mmaspec.backends.numpy.backend import Submitted
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.oracle.amd_rdna3_wmma import SPEC
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.amd_rdna3_wmma.program import (
    Affine,
    Buffer,
    ElementType,
    Fill,
    Fragment,
    Load,
    Repeat,
    RunTime,
    Store,
)
from mmaspec.programs.base import FromBuffer
from mmaspec.programs.errors import BadInput
from mmaspec.strategies.amd_rdna3_wmma.builder import with_calls

from .programs import product, written

CAPS = SPEC.default_caps
INT = "i32_16x16x16_iu8_w32"


def lengthened(name: str, count: int) -> Any:
    program = product()
    changed = tuple(replace(f, count=count) if f.name == name else f for f in program.fragments)
    return replace(program, fragments=changed)


REJECTED = {
    "k 32": (with_calls(product(), builtin="f32_16x16x32_f16_w32"), "RDNA3-SHAPE"),
    "wave of 16": (with_calls(product(), builtin="f32_16x16x16_f16_w16"), "RDNA3-SHAPE"),
    "no such formats": (with_calls(product(), builtin="f32_16x16x16_iu8_w32"), "RDNA3-OPS"),
    "no builtin's name": (with_calls(product(), builtin="mfma"), "RDNA3-OPS"),
    "other mode": (replace(product(), wave_size=64), "RDNA3-WAVE-SIZE"),
    "short A": (lengthened("a", 8), "RDNA3-SIG"),
    "long D": (lengthened("d", 16), "RDNA3-SIG"),
    "flags on floats": (with_calls(product(), clamp=True), "RDNA3-SIG"),
    "a flag missing": (with_calls(product(INT), b_sign=None), "RDNA3-SIG"),
    "opsel on floats": (with_calls(product(), opsel=False), "RDNA3-OPSEL-ONLY16"),
    "opsel on integers": (with_calls(product(INT), opsel=True), "RDNA3-OPSEL-ONLY16"),
    "opsel on floats, at run time": (with_calls(product(), opsel=FromBuffer("in", 0)), "RDNA3-OPSEL-ONLY16"),
    "no opsel": (with_calls(product("f16_16x16x16_f16_w32"), opsel=None), "RDNA3-SIG"),
    "no opsel, tied": (with_calls(product("bf16_16x16x16_bf16_tied_w64"), opsel=None), "RDNA3-SIG"),
    "opsel at run time": (
        with_calls(product("f16_16x16x16_f16_w64"), opsel=FromBuffer("in", 0)),
        "RDNA3-OPSEL-IMMEDIATE",
    ),
    "opsel of a tied form at run time": (
        with_calls(product("bf16_16x16x16_bf16_tied_w32"), opsel=FromBuffer("in", 4)),
        "RDNA3-OPSEL-IMMEDIATE",
    ),
    "flags on halves": (with_calls(product("f16_16x16x16_f16_w32"), clamp=False), "RDNA3-SIG"),
    "tied to f32": (with_calls(product(), builtin="f32_16x16x16_f16_tied_w32"), "RDNA3-OPS"),
    "tied integers": (with_calls(product(INT), builtin="i32_16x16x16_iu8_tied_w32"), "RDNA3-OPS"),
    "f16 from bf16": (with_calls(product("bf16_16x16x16_bf16_w32"), builtin="f16_16x16x16_bf16_w32"), "RDNA3-OPS"),
    "bytes for nibbles": (with_calls(product(INT), builtin="i32_16x16x16_iu4_w32"), "RDNA3-SIG"),
    "C of the other wave size": (
        replace(
            product("f16_16x16x16_f16_w64"),
            fragments=tuple(
                replace(f, count=16) if f.name == "c" else f for f in product("f16_16x16x16_f16_w64").fragments
            ),
        ),
        "RDNA3-SIG",
    ),
    "sign at run time": (with_calls(product(INT), a_sign=FromBuffer("in", 0)), "RDNA3-IU-IMMEDIATE"),
}


@pytest.mark.parametrize("name", REJECTED)
def test_each_rule_alone_refuses(name: str) -> None:
    program, clause = REJECTED[name]
    assert SPEC.rejected(program, CAPS) == {clause}
    assert WmmaDevice(SequentialUnit()).broken(Submitted(program, {})) == (clause,)


@pytest.mark.parametrize("row", [row.name for row in SPEC.rows(CAPS)])
def test_a_plain_product_is_fine_in_every_row(row: str) -> None:
    program = written(row) if row.startswith("v_") else product(row)
    assert not SPEC.rejected(program, CAPS)
    assert not SPEC.undefined(program, CAPS)


def test_all_rules_run() -> None:
    program = with_calls(lengthened("a", 8), builtin="f32_16x16x32_f16_w64", opsel=True)
    assert SPEC.rejected(program, CAPS) == {"RDNA3-SHAPE", "RDNA3-WAVE-SIZE", "RDNA3-SIG", "RDNA3-OPSEL-ONLY16"}


def with_first(step: Any) -> Any:
    program = product()
    return replace(program, body=(step, *program.body[1:]))


UNDEFINED = {
    "unequal copies": (with_first(Load("a", "in", 0, "A", ("Other",))), "RDNA3-REPLICATE-BROKEN"),
    "beyond the buffer": (with_first(Load("a", "in", 2, "A")), "RDNA3-BOUNDS"),
    "never written": (replace(product(), body=product().body[1:]), "RDNA3-UNSET"),
    "two waves, one block": (replace(product(), waves=2), "RDNA3-RACE"),
}


@pytest.mark.parametrize("name", UNDEFINED)
def test_each_undefined_clause_alone(name: str) -> None:
    program, clause = UNDEFINED[name]
    assert not SPEC.rejected(program, CAPS)
    assert SPEC.undefined(program, CAPS) == {clause}


def test_equal_copies_by_name_are_defined() -> None:
    assert not SPEC.undefined(with_first(Load("a", "in", 0, "A", ("A",))), CAPS)
    # A broken fragment that is never multiplied, or filled first, harms nobody.
    program = with_first(Load("a", "in", 0, "A", ("Other",)))
    mended = replace(program, body=(program.body[0], Fill("a", 0), *program.body[1:]))
    assert not SPEC.undefined(mended, CAPS)


def test_waves_that_only_read_together_do_not_race() -> None:
    program = replace(product(), waves=2, buffers=(*product().buffers[:2], Buffer("out", 2048)))
    isolated = replace(program, body=(*program.body[:-1], Store("d", "out", Affine(0, wave=1))))
    assert not SPEC.undefined(isolated, CAPS)


def reloading(fragment: str, block: int, wave_size: int = 32) -> Any:
    """The product, stored and then loaded again from a block of the same buffer."""
    program = product(f"i32_16x16x16_iu8_w{wave_size}")
    return replace(program, body=(*program.body, Load(fragment, "out", block), Store("d", "addend", 0)))


def test_a_lane_finds_what_it_stored_itself() -> None:
    """RDNA3-RACE, RDNA3-ALIAS: one thread's accesses have an order, and the vectors are of one type."""
    assert not SPEC.undefined(reloading("c", 0), CAPS)
    assert not SPEC.undefined(reloading("a", 0, wave_size=64), CAPS), "four ints are four ints, whatever they hold"


def test_a_lane_does_not_wait_for_another() -> None:
    """RDNA3-RACE: lane 0 loads four ints of which lane 16 stored eight; a wave's lanes are threads, in no order."""
    assert SPEC.undefined(reloading("a", 1), CAPS) == {"RDNA3-RACE", "RDNA3-ALIAS"}
    early = replace(product(INT), body=(Load("a", "out", 1), *product(INT).body))
    assert SPEC.undefined(early, CAPS) == {"RDNA3-RACE"}, "nor does the other wait for it"


def test_a_lane_stores_and_loads_vectors_of_one_type() -> None:
    """RDNA3-ALIAS: eight floats are not loaded again as sixteen halves; loaded before, they are what the host left."""
    program = product()
    again = replace(program, body=(*program.body, Load("a", "out", 0), Store("a", "in", 0)))
    assert SPEC.undefined(again, CAPS) == {"RDNA3-ALIAS"}
    before = replace(program, body=(Load("a", "out", 0), *program.body))
    assert not SPEC.undefined(before, CAPS)
    over = replace(program, body=(*program.body, Load("a", "in", 0), Store("a", "out", 0), Load("a", "out", 0)))
    assert not SPEC.undefined(over, CAPS), "what was stored last counts"


BAD = {
    "vector of no builtin": replace(
        product(),
        fragments=(*product().fragments, Fragment("more", "a", "float", 8)),
        body=(*product().body, Load("more", "in", 0, "A"), Store("more", "in", 0)),
    ),
    "vector of the other wave size": replace(
        product(),
        fragments=(*product().fragments, Fragment("more", "cd", "float", 4)),
        body=(*product().body, Load("more", "in", 0, "A")),
    ),
    "buffer": with_first(Load("a", "nowhere", 0, "A")),
    "fragment": with_first(Load("q", "in", 0, "A")),
    "use": with_calls(product(), a="c"),
    "negative block": with_first(Load("a", "in", -1, "A")),
    "negative affine": with_first(Load("a", "in", Affine(-2, wave=1), "A")),
    "unresolved": with_first(Load("a", "in", RunTime("in", 0), "A")),
    "count": with_first(Repeat(0, (Fill("a", 0),))),
    "many passes": with_first(Repeat(1 << 40, (Fill("a", 0),))),
    "waves": replace(product(), waves=0),
    "slots": lengthened("a", 3),
    "bits": with_first(Fill("a", 1 << 16)),
    "negative size": replace(product(), buffers=(Buffer("in", -1), *product().buffers[1:])),
    "unaligned base": replace(product(), buffers=(Buffer("in", 4096, base=4), *product().buffers[1:])),
    "two of a name": replace(product(), fragments=(*product().fragments, Fragment("a", "a", "half", 16))),
    "opsel's buffer": with_calls(product("f16_16x16x16_f16_w32"), opsel=FromBuffer("nowhere", 0)),
    "high of one matrix": with_first(Load("a", "in", 0, "A", high="B")),
    "bits of a nibble": replace(
        product("i32_16x16x16_iu4_w32"), body=(Fill("a", 16), *product("i32_16x16x16_iu4_w32").body[1:])
    ),
    "flag's buffer": with_calls(product(INT), clamp=FromBuffer("nowhere", 0)),
    "replicas": with_first(Load("a", "in", 0, "A", ("B", "C"))),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_read_is_one_line(name: str) -> None:
    with pytest.raises(BadInput) as caught:
        SPEC.rejected(BAD[name], CAPS)
    assert "\n" not in str(caught.value)


def test_a_builtin_that_a_device_lacks_cannot_be_read() -> None:
    with pytest.raises(BadInput, match="builtin f32_16x16x16_f16_w32 is not among those in reach"):
        SPEC.rejected(product(), Caps(builtins=("f16_16x16x16_f16_w32",)))


def test_two_data_on_the_same_bytes_cannot_be_read() -> None:
    for step in (Load("a", "in", 1, "A"), Load("a", "in", 0, "B")):
        with pytest.raises(BadInput):
            SPEC.sources(with_first(step))


def test_a_block_that_differs_from_lane_to_lane_is_bad_input() -> None:
    made = product()
    first, *rest = made.body
    with pytest.raises(BadInput, match="instruction 1: block differs from lane to lane"):
        SPEC.rejected(replace(made, body=(replace(first, block=Affine(0, lane=1)), *rest)), CAPS)


@pytest.mark.parametrize(
    ("name", "fragment", "element", "words"),
    [
        ("f16_16x16x16_f16_w32", "a", "short", "short16; the builtin takes half16"),
        ("f32_16x16x16_bf16_w64", "b", "half", "half16; the builtin takes short16"),
        ("f32_16x16x16_f16_w32", "c", "int", "int8; the builtin takes float8"),
        (INT, "d", "float", "float8; the builtin takes int8"),
    ],
)
def test_a_vector_of_the_right_size_and_another_element_is_not_judged(
    name: str, fragment: str, element: ElementType, words: str
) -> None:
    program = product(name)
    changed = tuple(replace(one, element=element) if one.name == fragment else one for one in program.fragments)
    with pytest.raises(BadInput, match=f"fragment {fragment} is {words}, to which some compilers convert it"):
        SPEC.rejected(replace(program, fragments=changed), CAPS)
