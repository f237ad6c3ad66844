"""Programs as SPIR-V modules: operands and flags of every function, addresses, and what the validator says of them.

The validator checks structure: types, order, capabilities. It does not know which flags or shapes the companion lists.
"""

from __future__ import annotations

import re
import struct

import pytest
from msgspec.structs import replace

from mmaspec.oracle.intel_subgroup_mma.addresses import block_start
from mmaspec.oracle.intel_subgroup_mma.assembly import assembly
from mmaspec.oracle.intel_subgroup_mma.functions import Signature, signatures
from mmaspec.programs.base import Affine, RunTime
from mmaspec.programs.errors import BadInput
from mmaspec.programs.intel_subgroup_mma.caps import FORMS_OF, Caps
from mmaspec.programs.intel_subgroup_mma.program import Load, Mad

from .assembly_addresses import addresses
from .programs import BLOCKS, caps_of, everything, function, named, product
from .spirv_tools import ASSEMBLER, VALIDATOR, assembled, complaints

ALL = pytest.mark.parametrize("signature", signatures(), ids=named)
TOOLS = pytest.mark.skipif(
    not (ASSEMBLER and VALIDATOR), reason="no SPIR-V IS VALIDATED: spirv-as and spirv-val are absent"
)

FLAGS = {
    "MatrixASignedComponentsINTEL": 0x1,
    "MatrixBSignedComponentsINTEL": 0x2,
    "MatrixCBFloat16INTEL": 0x4,
    "MatrixResultBFloat16INTEL": 0x8,
    "MatrixAPackedInt8INTEL": 0x10,
    "MatrixBPackedInt8INTEL": 0x20,
    "MatrixAPackedInt4INTEL": 0x40,
    "MatrixBPackedInt4INTEL": 0x80,
    "MatrixAPackedFloat16INTEL": 0x400,
    "MatrixBPackedFloat16INTEL": 0x800,
    "MatrixAPackedBFloat16INTEL": 0x1000,
    "MatrixBPackedBFloat16INTEL": 0x2000,
}
"""The companion's flags."""

TABLE = {
    (8, "i8_i8_i32"): (32, "i32", "i32", 0x33),
    (8, "i8_u8_i32"): (32, "i32", "i32", 0x31),
    (8, "u8_i8_i32"): (32, "i32", "i32", 0x32),
    (8, "u8_u8_i32"): (32, "i32", "i32", 0x30),
    (8, "i4_i4_i32"): (64, "i32", "i32", 0xC3),
    (8, "i4_u4_i32"): (64, "i32", "i32", 0xC1),
    (8, "u4_i4_i32"): (64, "i32", "i32", 0xC2),
    (8, "u4_u4_i32"): (64, "i32", "i32", 0xC0),
    (8, "bf16_bf16_f32"): (16, "i32", "f32", 0x3000),
    (8, "f16_f16_f32"): (16, "i32", "f32", 0xC00),
    (16, "i8_i8_i32"): (32, "i16", "i32", 0x33),
    (16, "i8_u8_i32"): (32, "i16", "i32", 0x31),
    (16, "u8_i8_i32"): (32, "i16", "i32", 0x32),
    (16, "u8_u8_i32"): (32, "i16", "i32", 0x30),
    (16, "i4_i4_i32"): (64, "i16", "i32", 0xC3),
    (16, "i4_u4_i32"): (64, "i16", "i32", 0xC1),
    (16, "u4_i4_i32"): (64, "i16", "i32", 0xC2),
    (16, "u4_u4_i32"): (64, "i16", "i32", 0xC0),
    (16, "bf16_bf16_f32"): (16, "i16", "f32", 0x3000),
    (16, "f16_f16_f32"): (16, "i16", "f32", 0xC00),
    (16, "bf16_bf16_bf16"): (16, "i16", "i16", 0x300C),
    (16, "f16_f16_f16"): (16, "i16", "f16", 0xC00),
}
"""The companion's rows: K, components of A, of C and of the result, and all flags."""

OPCODE = 6237
CALL = re.compile(r"%\d+ = OpSubgroupMatrixMultiplyAccumulateINTEL %(\w+) %i32_(\d+) %(\d+) %(\d+) %(\d+) ([\w|]+)")


def type_of(text: str, result: str) -> str:
    """The type of a numbered result."""
    found = re.search(rf"^%{result} = Op\w+ %(\w+)", text, re.MULTILINE)
    assert found is not None
    return found[1]


@ALL
def test_every_function_is_a_row_of_the_companion(signature: Signature) -> None:
    text = assembly(product(signature), caps_of(signature))
    (result, k, a, b, c, flags), *others = CALL.findall(text)
    assert not others
    rows = "" if signature.rows == 1 else f"v{signature.rows}"
    wanted_k, of_a, of_c, wanted = TABLE[signature.size, signature.form]
    assert int(k) == wanted_k
    assert [type_of(text, one) for one in (a, b, c)] == [rows + of_a, "v8i32", rows + of_c]
    assert result == rows + of_c
    assert sum(FLAGS[flag] for flag in flags.split("|")) == wanted
    assert f"OpExecutionMode %matrix_mad SubgroupSize {signature.size}\n" in text


def test_the_table_has_every_row_once() -> None:
    assert set(TABLE) == {(signature.size, signature.form) for signature in signatures()}
    assert len(TABLE) == 22


@TOOLS
@ALL
def test_every_function_assembles_and_validates(signature: Signature) -> None:
    module = assembled(assembly(product(signature), caps_of(signature)))
    assert not complaints(module)
    assert masks(module) == [TABLE[signature.size, signature.form][-1]]


def masks(module: bytes) -> list[int]:
    """The flags of every such instruction in a binary module, as numbers."""
    words, start, found = struct.unpack(f"<{len(module) // 4}I", module), 5, []
    while start < len(words):
        count = words[start] >> 16
        if words[start] & 0xFFFF == OPCODE:
            found.append(words[start + count - 1])
        start += count
    return found


@TOOLS
def test_every_kind_of_statement_validates() -> None:
    module = assembled(assembly(everything(), Caps(16, FORMS_OF[16])))
    assert not complaints(module)
    assert masks(module) == [0xC2, 0xC2, 0xC00, 0xC00]


@TOOLS
@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("OpCapability SubgroupMatrixMultiplyAccumulateINTEL\n", "", "SubgroupMatrixMultiplyAccumulateINTEL"),
        ("OpCapability Vector16\n", "", "Vector16"),
        (
            "OpInBoundsPtrAccessChain %CrossWorkgroup_v8i32",
            "OpInBoundsPtrAccessChain %CrossWorkgroup_v2i32",
            "result type",
        ),
        ("OpStore %", "OpStore %i32_0 ;", "Expected"),
    ],
)
def test_what_is_wrong_is_seen(old: str, new: str, says: str) -> None:
    text = assembly(product(function(8, "i8_i8_i32", 2)), Caps())
    assert old in text
    try:
        said = complaints(assembled(text.replace(old, new, 1)))
    except ValueError as error:
        said = str(error)
    assert says in said


def test_constants_are_packed_and_floats_are_bits() -> None:
    text = assembly(everything(), Caps(16, FORMS_OF[16]))
    for line in (
        f"%i32_{0x99999999} = OpConstant %i32 {0x99999999}",
        f"%v4i32_{0xFFFFFFFF} = OpConstantComposite %v4i32 {' '.join([f'%i32_{0xFFFFFFFF}'] * 4)}",
        f"%i16_{0x3C00} = OpConstant %i16 {0x3C00}",
        f"%v8i32_{0x3C003C00} = OpConstantComposite %v8i32 {' '.join([f'%i32_{0x3C003C00}'] * 8)}",
    ):
        assert line in text.splitlines()
    assert re.search(rf"^%\d+ = OpBitcast %v2f16 %v2i16_{0x3C00}  ; half$", text, re.MULTILINE)
    assert re.search(rf"^%\d+ = OpBitcast %f32 %i32_{0x7F800001}  ; float$", text, re.MULTILINE)
    assert text.count("  ; x: A of pass") == 2 * len(BLOCKS), "both passes are written out"


@pytest.mark.parametrize("wave", range(5))
def test_addresses_are_those_of_the_oracle(wave: int) -> None:
    program, word, item = everything(), 7, 11
    found = addresses(assembly(program, Caps(16, FORMS_OF[16])), wave, item, word)
    loads = [("x", "x", word if isinstance(block, RunTime) else block, loop) for loop in range(2) for block in BLOCKS]
    stores = [("float", "_out", 1, 0), ("half", "_out", 0, 0), ("acc", "x", Affine(64, wave=1), 0)]
    wanted = []
    for name, buffer, block, loop in (*loads, *stores):
        fragment = program.fragment(name)
        start = block_start(Load(name, buffer, block), fragment, 16, wave, loop)
        wanted.append((f"x{buffer}" if buffer == "_out" else buffer, start + item * fragment.vector_bytes))
    assert found == wanted


def test_what_no_instruction_stands_for_is_bad_input() -> None:
    program = product(function(8, "i8_i8_i32", 2))
    mad = program.body[3]
    assert isinstance(mad, Mad)
    for changed, says in (
        (replace(mad, function="i8_i4_matrix_mad_k32"), "instruction 4: i8_i4_matrix_mad_k32 has no function"),
        (replace(mad, converged=False), "instruction 4: not every work-item reaches the call"),
    ):
        with pytest.raises(BadInput, match=says):
            assembly(replace(program, body=(*program.body[:3], changed, program.body[4])), Caps())
