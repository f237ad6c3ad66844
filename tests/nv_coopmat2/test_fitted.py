"""Buffers as large as a program needs."""

from __future__ import annotations

from mmaspec.programs.base import Buffer
from mmaspec.programs.nv_coopmat2.program import CONSTANT, CoopMatProgram, Layout, LoadTensor, Matrix, SetDimension
from mmaspec.strategies.nv_coopmat2.builder.extents import fitted

BYTES = Matrix("A", "s8", 3, 5, 0)


def size(array: str, *, exact: bool) -> int:
    """Bytes of the buffer of a tensor of 3 x 5 bytes that starts at 16."""
    load = LoadTensor("A", "in", 16 if array == "" else 1, "t", array)  # type: ignore[arg-type]
    layouts = (Layout("t", (SetDimension((3, 5)),), clamp_mode=CONSTANT),)
    return fitted(CoopMatProgram((Buffer("in", 0),), (BYTES,), (load,), layouts), (), exact=exact).buffers[0].size


def test_an_exact_buffer_ends_with_the_last_element_of_its_array() -> None:
    assert size("", exact=True) == 31
    assert size("uvec4", exact=True) == 32
    assert size("", exact=False) == 48
