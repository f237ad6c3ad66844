"""Programs as OpenCL C, and the data of their loads."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.oracle.intel_subgroup_mma.addresses import block_bits
from mmaspec.oracle.intel_subgroup_mma.sources import sources
from mmaspec.oracle.intel_subgroup_mma.text import text
from mmaspec.programs.base import Affine, Buffer, RunTime
from mmaspec.programs.errors import BadInput
from mmaspec.programs.intel_subgroup_mma.caps import FORMS_OF, Caps
from mmaspec.programs.intel_subgroup_mma.program import Fill, Load, Mad, MadProgram, Repeat, Store

from .programs import fragments, function, product


def looped() -> MadProgram:
    """Nibbles in sub-groups of 8: a loop, a place read at run time, constants, a name used twice, a literal zero."""
    a, b, acc = fragments(function(8, "u4_i4_i32", 2))
    return MadProgram(
        sub_group_size=8,
        buffers=(Buffer("in", 1 << 14), Buffer("for", 64), Buffer("a", 1 << 12)),
        fragments=(replace(a, fill=5), b, acc),
        body=(
            Load("acc", "in", RunTime("for", 12), "C"),
            Repeat(
                3,
                (
                    Load("b", "in", Affine(4, wave=3, loop=1, grid=2, row=6), "B"),
                    Mad("u4_i4_matrix_mad_k64", "acc", "a", "b", "acc"),
                ),
            ),
            Fill("b", 7),
            Mad("u4_i4_matrix_mad_k64", "acc", "a", "b"),
            Store("acc", "a", Affine(0, wave=1, loop=1)),
        ),
        waves=4,
    )


LOOPED = """\
// OpenCL C 3.0, for a device whose minimum sub-group size is 8
#pragma OPENCL EXTENSION cl_intel_required_subgroup_size : enable

// launched with one work-group of 32 work-items
__attribute__((intel_reqd_sub_group_size(8)))
kernel void matrix_mad(global char* in, global char* for_, global char* a)
{
  const uint wave = get_sub_group_id();
  const uint item = get_sub_group_local_id();
  uint2 a_ = (uint2)((uint)0x55555555u);
  int8 b;
  int2 acc;
  acc = ((global int2*)in)[(*(const global uint*)(for_ + 12)) * 8 + item];  // C
  for (uint i = 0; i < 3; ++i) {
    b = ((global int8*)in)[(4 + 3 * (wave % 2) + 6 * (wave / 2) + 1 * i) * 8 + item];  // B
    acc = intel_sub_group_u4_i4_matrix_mad_k64(a_, b, acc);
  }
  b = (int8)(as_int(0x77777777u));
  acc = intel_sub_group_u4_i4_matrix_mad_k64(a_, b, (int2)(as_int(0x0u)));
  ((global int2*)a)[(0 + 1 * wave) * 8 + item] = acc;
}
"""


def test_a_program_reads_as_a_kernel() -> None:
    assert text(looped(), Caps()) == LOOPED


def test_halves_scalars_and_a_call_that_not_all_reach() -> None:
    program = product(function(16, "f16_f16_f16", 1))
    program = replace(program, fragments=(*program.fragments[:2], replace(program.fragments[2], fill=0x3C00)), last=3)
    body = tuple(replace(step, converged=False) if isinstance(step, Mad) else step for step in program.body)
    lines = text(replace(program, body=body, waves=2), Caps(16, FORMS_OF[16])).splitlines()
    assert "#pragma OPENCL EXTENSION cl_khr_fp16 : enable" in lines
    assert "// launched with one work-group of 19 work-items" in lines
    assert "__attribute__((intel_reqd_sub_group_size(16)))" in lines
    assert "  short a;" in lines
    assert "  half acc = as_half((ushort)0x3c00);" in lines
    assert "  if (item == 0) acc = intel_sub_group_f16_f16_matrix_mad_k16(a, b, acc);" in lines


def test_data_lie_where_the_vectors_are_bit_by_bit() -> None:
    found = {source.name: source for source in sources(replace(looped(), body=looped().body[1:]))}
    assert list(found) == ["B"]
    b = found["B"]
    assert (b.role, b.fmt.name, b.buffer, b.addresses.shape) == ("b", "s4", "in", (1, 4, 3, 64, 8))
    assert b.first_bits is not None
    starts = 256 * 8 * np.array([[4 + 3 * (w % 2) + 6 * (w // 2) + i for i in range(3)] for w in range(4)])
    expected = block_bits(looped().fragment("b"), 8) + starts[:, :, None, None]
    assert np.array_equal(8 * b.addresses[0] + b.first_bits[0], expected)


def test_whole_bytes_have_no_first_bits() -> None:
    found = {source.name: source for source in sources(product(function(16, "i8_u8_i32", 8)))}
    assert [(one.role, one.fmt.name, one.first_bits) for one in found.values()] == [
        ("a", "s8", None), ("b", "u8", None), ("c", "s32", None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("second", "says"),
    [
        (Load("b", "in", 1, "A"), "data 'A' named for two different places"),
        (Load("b", "in", 0, "B"), "data 'B' and 'A' lie on the same bytes"),
    ],
)
def test_data_have_places_of_their_own(second: Load, says: str) -> None:
    a, b, _ = fragments(function(8, "i8_i8_i32", 8))
    program = MadProgram(8, (Buffer("in", 4096),), (a, b), (Load("a", "in", 0, "A"), second))
    with pytest.raises(BadInput, match=says):
        sources(program)
