"""Views, blocks and decode functions as GLSL text."""

from __future__ import annotations

from typing import Any

import pytest

from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.programs.base import Affine, Buffer, FromBuffer, Literal, Scalar
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS
from mmaspec.programs.nv_coopmat2.program import (
    Component,
    CoopMatProgram,
    Decode,
    EachComponent,
    Echo,
    Layout,
    Load,
    LoadTensor,
    Matrix,
    Nibbles,
    Repeat,
    ScaleAndBytes,
    SetBlockSize,
    SetClip,
    SetDimension,
    SetViewDimensions,
    SetViewStride,
    Slice,
    Store,
    View,
)


def lines(*decodes: Decode | None, views: tuple[View, ...] = (), loops: bool = False) -> list[str]:
    """The shader of a load for each decode function, without indentation."""
    loads = tuple(
        LoadTensor("c", "in", 0, "t", view=views[-1].name if views else None, decode=decode) for decode in decodes
    )
    program = CoopMatProgram(
        buffers=(Buffer("in", 4096), Buffer("out", 4096)),
        matrices=(Matrix("c", "f16", 16, 16, 0),),
        body=(Repeat(3, loads) if loops else loads[0], *(() if loops else loads[1:]), Store("c", "out", 0, 16)),
        layouts=(
            Layout(
                "t",
                (SetBlockSize((2, 4)), SetDimension((20, 24)), Slice((-1, Affine(2, 0, 1 if loops else 0)), (16, 16))),
                clamp_mode=3,
            ),
        ),
        views=views,
    )
    return [line.strip() for line in SPEC.text(program, DEFAULT_CAPS).splitlines()]


def test_setters_in_order() -> None:
    text = lines(None)
    at = text.index(
        "tensorLayoutNV<2, gl_CooperativeMatrixClampModeRepeatNV> t = "
        "createTensorLayoutNV(2, gl_CooperativeMatrixClampModeRepeatNV);"
    )
    assert text[at + 1 : at + 4] == [
        "t = setTensorLayoutBlockSizeNV(t, 2, 4);",
        "t = setTensorLayoutDimensionNV(t, 20, 24);",
        "t = sliceTensorLayoutNV(t, -1, 16, 2, 16);",
    ]


def test_views_name_their_whole_type() -> None:
    first = View("v", (SetViewDimensions((16, 16)), SetViewStride((20, 1))), 2, True, (1, 0))
    text = lines(None, views=(first, View("w", (SetClip(1, 2, 3, 4),), 2, True, (1, 0), "v")))
    at = text.index("tensorViewNV<2, true, 1, 0> v = createTensorViewNV(2, true, 1, 0);")
    assert text[at + 1 : at + 5] == [
        "v = setTensorViewDimensionsNV(v, 16, 16);",
        "v = setTensorViewStrideNV(v, 20, 1);",
        "tensorViewNV<2, true, 1, 0> w = v;",
        "w = setTensorViewClipNV(w, 1, 2, 3, 4);",
    ]
    assert "coopMatLoadTensorNV(c, in_float16_t, 0, t, w);" in text


def test_each_decode_function_is_written_once() -> None:
    scaled, nibbles = ScaleAndBytes(12, (2, 4)), Nibbles(4, (2, 4), 8)
    text = lines(scaled, nibbles, scaled, Echo(3, (1, 0), (0, 2), 5))
    assert sum(line.startswith("float16_t decode") for line in text) == 3
    assert "#extension GL_EXT_buffer_reference : require" in text
    parameters = "const in uint32_t blockCoord[2], const in uint32_t coordInBlock[2])"
    assert f"float16_t decode0(const in Struct_decode0 s, {parameters}" in text
    assert "return float16_t(float(s.scale) * float(s.values[number]));" in text
    assert "uint8_t spare[2];" in text
    assert "return float16_t(value - 8);" in text
    assert "return float16_t(1u * blockCoord[0] + 2u * coordInBlock[1] + 5u * uint(s.bytes[0]));" in text
    assert [line for line in text if line.startswith("coopMatLoadTensorNV")] == [
        f"coopMatLoadTensorNV(c, in_float16_t, 0, t, decode{number});" for number in (0, 1, 0, 2)
    ]


def test_what_differs_from_pass_to_pass_is_made_in_the_loop() -> None:
    text = lines(None, views=(View("v", (SetClip(0, Affine(4, 0, 4), 0, 16),)),), loops=True)
    loop = text.index("for (uint i = 0; i < 3; ++i) {")
    for made in (
        "t = sliceTensorLayoutNV(t, -1, 16, int(2 + 1 * i), 16);",
        "v = setTensorViewClipNV(v, 0, 4 + 4 * i, 0, 16);",
    ):
        assert [number > loop for number, line in enumerate(text) if line == made] == [False, True]


@pytest.mark.parametrize(
    ("component", "function", "value", "printed"),
    [
        ("f16", "negate", None, "c[j] = float16_t(-c[j]);"),
        ("s8", "add", Literal(3), "c[j] = int8_t(c[j] + int8_t(0x3u));"),
        ("u32", "multiply", FromBuffer("in", 8), "c[j] = uint(c[j] * in_uint[2]);"),
        ("bf16", "negate", None, "c[j] = bfloat16_t(-float(c[j]));"),
        (
            "bf16",
            "add",
            Literal(0x3F80),
            "c[j] = bfloat16_t(float(c[j]) + float(uintBitsToBFloat16EXT(uint16_t(0x3f80u))));",
        ),
    ],
)
def test_a_loop_over_components_asks_for_their_number(
    component: Component, function: Any, value: Scalar | None, printed: str
) -> None:
    made = CoopMatProgram(
        (Buffer("in", 64),), (Matrix("c", component, 16, 16, 2),), (EachComponent("c", function, value),)
    )
    assert f"    for (int j = 0; j < c.length(); ++j) {printed}" in SPEC.text(made, DEFAULT_CAPS).splitlines()


def test_shared_arrays_are_filled_before_and_copied_back_after() -> None:
    made = CoopMatProgram(
        (Buffer("in", 512), Buffer("out", 512)),
        (Matrix("c", "f16", 16, 16, 0),),
        (Load("c", "in", 0, 2, array="uvec4"), Store("c", "out", 0, 2, array="uvec4")),
        shared=("in",),
    )
    text = [line.strip() for line in SPEC.text(made, DEFAULT_CAPS).splitlines()]
    assert "shared uvec4 shared_in_uvec4[32];" in text
    inside = text[text.index("void main()") :]
    loop, barrier = (
        "for (uint j = gl_LocalInvocationIndex; j < 32; j += gl_WorkGroupSize.x)",
        "memoryBarrierShared(); barrier();",
    )
    assert inside[2:5] == [loop, "shared_in_uvec4[j] = in_uvec4[j];", barrier]
    assert inside[-4:-1] == [barrier, loop, "in_uvec4[j] = shared_in_uvec4[j];"]
    assert "coopMatLoad(c, shared_in_uvec4, 0, 2, gl_CooperativeMatrixLayoutRowMajor);" in inside
    assert "coopMatStore(c, out_uvec4, 0, 2, gl_CooperativeMatrixLayoutRowMajor);" in inside


@pytest.mark.parametrize(
    ("storage", "printed"),
    [("shared", "shared {};"), ("in", "in {};"), ("buffer", "buffer Block_of_c {{ {}; }};")],
)
def test_matrices_are_declared_where_they_are(storage: Any, printed: str) -> None:
    made = CoopMatProgram((), (Matrix("c", "f16", 16, 16, 0, storage=storage),), ())
    declared = "coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> c"
    text = SPEC.text(made, DEFAULT_CAPS).splitlines()
    assert printed.format(declared) in text
    assert f"    {declared};" not in text


def test_uniform_blocks_say_how_large_they_are() -> None:
    made = CoopMatProgram(
        (Buffer("in", 512),),
        (Matrix("c", "f16", 16, 16, 0),),
        (Load("c", "in", 0, 2, array="uvec4"),),
        uniform=("in",),
    )
    block = "layout(set = 0, binding = 0, std140) uniform Block_in_uvec4 { uvec4 in_uvec4[32]; };"
    assert block in SPEC.text(made, DEFAULT_CAPS).splitlines()


def test_signatures_that_are_not_allowed_are_printed_as_they_are() -> None:
    text = lines(Echo(4, (1, 1), (1, 1), by_value=True), Nibbles(4, (2, 2), qualifier="inout"))
    assert "struct Struct_decode0 {" in text
    pair = "in uint32_t blockCoord[2], in uint32_t coordInBlock[2])"
    assert f"float16_t decode1(inout Struct_decode1 s, {pair.replace('in uint', 'inout uint')}" in text


@pytest.mark.parametrize("looping", [False, True])
def test_outside_loops_the_pass_is_zero(looping: bool) -> None:
    store = Store("c", "out", Affine(8, 0, 256), 16)
    body = (Repeat(3, (store,)),) if looping else (store,)
    made = CoopMatProgram((Buffer("out", 4096),), (Matrix("c", "f16", 16, 16, 0),), body)
    assert ("8 + 256 * i" in SPEC.text(made, DEFAULT_CAPS)) == looping
