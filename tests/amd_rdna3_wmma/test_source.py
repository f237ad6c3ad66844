"""Kernels as text: every form with its arguments in order."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mmaspec.oracle.amd_rdna3_wmma import SPEC
from mmaspec.programs.amd_rdna3_wmma.program import Affine, Buffer, Fill, Load, Repeat, RunTime, Store
from mmaspec.strategies.amd_rdna3_wmma.builder import with_calls

from .programs import product

CAPS = SPEC.default_caps


def test_float_form() -> None:
    text = SPEC.text(product("f32_16x16x16_f16_w64"), CAPS)
    assert "d = __builtin_amdgcn_wmma_f32_16x16x16_f16_w64(a, b, c);" in text
    assert "typedef float wmma_float4 __attribute__((ext_vector_type(4)));" in text
    assert "a = ((wmma_half16*)in)[(0) * 64 + lane];  // A" in text
    assert "-mwavefrontsize64" in text


def test_integer_form_and_literal_zero() -> None:
    program = with_calls(product("i32_16x16x16_iu8_w32"), c=None)
    text = SPEC.text(program, CAPS)
    assert "d = __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, a, false, b, (wmma_int8){}, false);" in text


@pytest.mark.parametrize("opsel", [False, True])
def test_sixteen_bit_form(opsel: bool) -> None:
    text = SPEC.text(product("bf16_16x16x16_bf16_tied_w64", opsel=opsel), CAPS)
    word = "true" if opsel else "false"
    assert f"d = __builtin_amdgcn_wmma_bf16_16x16x16_bf16_tied_w64(a, b, c, {word});" in text
    assert "typedef short wmma_short8 __attribute__((ext_vector_type(8)));" in text
    assert "c = ((wmma_short8*)addend)[(0) * 64 + lane];  // C, High" in text


def test_constants_of_nibbles_and_of_both_halves() -> None:
    nibbles = product("i32_16x16x16_iu4_w32")
    text = SPEC.text(replace(nibbles, body=(Fill("a", 0xD), *nibbles.body[1:])), CAPS)
    assert "a = (wmma_int2)(__builtin_bit_cast(int, (unsigned)0xdddddddd));" in text
    halves = product("f16_16x16x16_f16_w32")
    text = SPEC.text(replace(halves, body=(*halves.body, Fill("c", 0x3C00))), CAPS)
    assert "c = (wmma_half16)(__builtin_bit_cast(_Float16, (unsigned short)0x3c00));" in text


def test_the_architecture_is_the_target() -> None:
    assert SPEC.text(product(), CAPS).startswith("// hipcc --offload-arch=gfx1100\n")
    assert SPEC.text(product(), replace(CAPS, architecture="rdna3.5")).startswith("// hipcc --offload-arch=gfx1150\n")


def test_loops_and_arguments() -> None:
    program = product()
    body = (
        Fill("a", 0x3C00),
        Repeat(3, (Fill("c"), Store("c", "out", Affine(2, wave=3, loop=1)), Store("c", "out", RunTime("in", 8)))),
    )
    text = SPEC.text(replace(program, body=body), CAPS)
    assert "for (unsigned i = 0; i < 3; ++i) {" in text
    assert "((wmma_float8*)out)[(2 + 3 * wave + 1 * i) * 32 + lane] = c;" in text
    assert "[(*(const unsigned*)(in + 8)) * 32 + lane]" in text
    assert "a = (wmma_half16)(__builtin_bit_cast(_Float16, (unsigned short)0x3c00));" in text
    assert "c = (wmma_float8){};" in text


def test_a_buffer_and_a_fragment_may_share_a_name() -> None:
    """In one kernel a parameter and a variable cannot: the fragment's word is another, wherever it stands."""
    program = product()
    body = (Load("a", "a", 0, "A"), *program.body[1:4], Store("d", "a", 1))
    text = SPEC.text(replace(program, buffers=(Buffer("a", 2048), *program.buffers), body=body), CAPS)
    assert "kernel(char* a, char* in, char* addend, char* out)" in text
    assert "  wmma_half16 a_;" in text
    assert "a_ = ((wmma_half16*)a)[(0) * 32 + lane];  // A" in text
    assert "_f16_w32(a_, b, c);" in text


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ("lane", "lane_"),
        ("i", "i_"),
        ("float", "float_"),
        ("9", "x9"),
        ("ä b", "x__b"),
        ("wmma_half16", "xwmma_half16"),
    ],
)
def test_every_name_is_a_word_of_the_language(given: str, word: str) -> None:
    program = product()
    renamed = tuple(replace(f, name=given) if f.name == "a" else f for f in program.fragments)
    body = (Load(given, "in", 0, "A\nB"), program.body[1], program.body[2], replace(program.body[3], a=given))
    text = SPEC.text(replace(program, fragments=renamed, body=body), CAPS)
    assert f"  wmma_half16 {word};" in text
    assert f"  {word} = ((wmma_half16*)in)[(0) * 32 + lane];  // A B" in text
    assert f"({word}, b, c);" in text
