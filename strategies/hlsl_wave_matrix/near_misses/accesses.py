"""Near misses of loads and stores of byte-address buffers, and of the strides of fragments."""

from __future__ import annotations

from dataclasses import replace as with_fields
from math import lcm

from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix.addresses import element_bytes, least_stride, memory_row_bytes
from mmaspec.programs.base import Affine
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import Repeat
from mmaspec.strategies.circumstances import APART
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.near_misses.edits import roomy, up, with_program
from mmaspec.strategies.hlsl_wave_matrix.near_misses.ways import (
    Way,
    apart,
    around,
    broken,
    in_array,
    in_buffer,
    roomy_with,
)

THIRD = 3
"""Waves or passes of which the last alone is wrong."""


def odd_offset(context: DrawContext[WaveMmaCaps], draft: Draft, way: Way) -> Draft:
    """An offset between two dwords, ``how`` many bytes behind the first."""
    chosen = in_buffer(context, draft, way)
    return broken(chosen, "offset", chosen.literal("offset") + int(way.how.split()[0]), way.when)


def unaligned(context: DrawContext[WaveMmaCaps], draft: Draft, way: Way) -> Draft:
    """A dword that is no multiple of the alignment: by its offset, or by the address of the view."""
    if way.how == "by the view's address":
        chosen = in_buffer(context, draft, with_fields(way, alignment=32))
        program, own = chosen.draft.program, chosen.access.buffer
        buffers = tuple(replace(b, base=b.base + 16) if b.name == own else b for b in program.buffers)
        return with_program(chosen.draft, replace(program, buffers=buffers))
    chosen = in_buffer(context, draft, way)
    by = 4 * context.choices.integer(1, chosen.access.alignment // 4 - 1)
    return broken(chosen, "offset", chosen.literal("offset") + by, way.when)


def short_stride(context: DrawContext[WaveMmaCaps], draft: Draft, way: Way) -> Draft:
    """A row stride of 0, or one dword below a memory-layout row."""
    chosen = in_buffer(context, draft, way)
    least = memory_row_bytes(chosen.matrix, chosen.literal("col_major"))
    wrong = 0 if way.how == "stride 0" else up(least, 4) - 4
    return broken(chosen, "stride", wrong, way.when)


def shrinking_stride(context: DrawContext[WaveMmaCaps], draft: Draft, way: Way) -> Draft:
    """A stride that is less in every wave or pass, and too short in the third alone: in a buffer, or in an array.

    Or it is less in both, of two each, and too short in the second pass of the second wave alone.
    """
    chosen = (in_array if way.how.startswith("in an array") else in_buffer)(context, draft, way)
    shared = chosen.draft.program.array(chosen.access.buffer) is not None
    step = 1 if shared else element_bytes(chosen.matrix) if chosen.matrix.is_fragment else 4
    least = least_stride(chosen.matrix, chosen.literal("col_major"), shared=shared)
    by_wave, both = way.how.endswith("third wave"), way.how.endswith("second wave")
    stride = Affine(least + step, wave=-step if by_wave or both else 0, loop=0 if by_wave else -step)
    access = replace(chosen.access, stride=stride)
    again = access if by_wave else Repeat(2 if both else THIRD, (access,))
    made = roomy_with(chosen.draft, chosen.number, again)
    if shared:
        # The first of them goes further than the stride for which the array was made.
        arrays = tuple(
            replace(one, length=2 * one.length) if one.name == access.buffer else one for one in made.program.arrays
        )
        made = with_program(made, replace(made.program, arrays=arrays))
    return _in_waves(made, 2 if both else THIRD) if by_wave or both else made


def _in_waves(made: Draft, waves: int) -> Draft:
    """For several waves, which store elsewhere, as valid programs do."""
    body = tuple(apart(made.program, step) for step in made.program.body)
    return roomy(made, replace(made.program, waves=waves, body=body))


def odd_between(context: DrawContext[WaveMmaCaps], draft: Draft, way: Way) -> Draft:
    """An offset two bytes on in every wave or pass: of three the second alone is between two dwords."""
    chosen = in_buffer(context, draft, way)
    by_wave, start = way.how.endswith("wave"), chosen.literal("offset")
    access = replace(chosen.access, offset=Affine(start, wave=2) if by_wave else Affine(start, loop=2))
    made = roomy_with(chosen.draft, chosen.number, access if by_wave else Repeat(THIRD, (access,)))
    return _in_waves(made, THIRD) if by_wave else made


def other_orientation(context: DrawContext[WaveMmaCaps], draft: Draft, way: Way) -> Draft | None:
    """A stride of just one memory-layout row, which is too short where the orientation is the other one."""
    chosen = in_buffer(context, draft, way)
    rows = [memory_row_bytes(chosen.matrix, col_major) for col_major in (0, 1)]
    if rows[0] == rows[1]:
        return None
    access = replace(chosen.access, stride=min(rows), col_major=rows.index(min(rows)))
    return broken(with_fields(chosen, access=access), "col_major", rows.index(max(rows)), way.when)


def unaligned_stride(context: DrawContext[WaveMmaCaps], draft: Draft, way: Way) -> Draft:
    """A row stride that is long enough and no multiple of the alignment."""
    chosen = in_buffer(context, draft, way)
    return broken(chosen, "stride", chosen.literal("stride") + int(way.how.split()[0]), way.when)


def odd_alignment(context: DrawContext[WaveMmaCaps], draft: Draft, way: Way) -> Draft:
    """An alignment that there is not; offset and stride are multiples of it, so that no other rule is broken."""
    chosen = in_buffer(context, draft, way)
    alignment = int(way.how.split()[1])
    unit = lcm(alignment, 4)
    offset = up(chosen.literal("offset") + chosen.base, unit) - chosen.base
    stride = up(chosen.literal("stride"), unit)
    access = replace(chosen.access, alignment=alignment, offset=offset, stride=stride)
    return roomy_with(chosen.draft, chosen.number, around(chosen.draft.program, access, way.when))


def read_only(context: DrawContext[WaveMmaCaps], draft: Draft, way: Way) -> Draft:
    """A store into a read-only view, which nothing else touches or which a load reads too."""
    chosen = in_buffer(context, draft, way)
    access = chosen.access
    if way.how:
        access = replace(access, buffer="in-A", offset=chosen.literal("offset") + APART, alignment=0)
    program = chosen.draft.program
    bound = with_program(chosen.draft, replace(program, read_only=(*program.read_only, access.buffer)))
    return roomy_with(bound, chosen.number, around(chosen.draft.program, access, way.when))


def short_element_stride(context: DrawContext[WaveMmaCaps], draft: Draft, way: Way) -> Draft:
    """Elements of a fragment that overlap in a buffer."""
    chosen = in_buffer(context, draft, way)
    wrong = 0 if way.how == "stride 0" else element_bytes(chosen.matrix) - 1
    return broken(chosen, "stride", wrong, way.when)


def no_element_stride(context: DrawContext[WaveMmaCaps], draft: Draft, way: Way) -> Draft:
    """Elements of a fragment that overlap in an array."""
    return broken(in_array(context, draft, way), "stride", 0, way.when)


def short_array_stride(context: DrawContext[WaveMmaCaps], draft: Draft, way: Way) -> Draft:
    """A row stride of 0, or one array element below a memory-layout row."""
    chosen = in_array(context, draft, way)
    least = least_stride(chosen.matrix, chosen.literal("col_major"), shared=True)
    return broken(chosen, "stride", 0 if way.how == "stride 0" else least - 1, way.when)
