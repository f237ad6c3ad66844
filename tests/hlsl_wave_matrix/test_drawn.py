"""What the smoke list contains: axes of the document that a grammar can forget without a test noticing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from mmaspec.oracle.expect import resolve
from mmaspec.oracle.hlsl_wave_matrix import SPEC
from mmaspec.programs.base import Affine
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.caps import DEFAULT_CAPS
from mmaspec.programs.hlsl_wave_matrix.program import (
    Branch,
    Load,
    Simple,
    Store,
    WaveMatrixProgram,
    simple_instructions,
)
from tests.case_lists import case_list


@cache
def positive() -> tuple[tuple[str, WaveMatrixProgram], ...]:
    """Row and resolved program of every valid case."""
    recipes = case_list(SPEC.name, DEFAULT_CAPS, "quick")
    return tuple((recipe.row, resolve(recipe.program, recipe.words)) for recipe in recipes if not recipe.target)


def instructions() -> Iterator[tuple[str, WaveMatrixProgram, Simple]]:
    """Every instruction of these programs once, with row and program."""
    for row, program in positive():
        for instruction, _ in simple_instructions(program):
            yield row, program, instruction


def test_fragments_in_buffers_are_contiguous_and_strided() -> None:
    strides: dict[tuple[type, str], set[object]] = {}
    for row, program, one in instructions():
        if isinstance(one, Load | Store) and program.array(one.buffer) is None:
            matrix = program.matrix(one.matrix)
            if matrix.is_fragment and isinstance(one.stride, int):
                size = FORMATS[matrix.element].nbytes
                strides.setdefault((type(one), row), set()).add(one.stride // size)
    for row in SPEC.rows(DEFAULT_CAPS):
        assert {strides[Store, row.name] >= {1}, len(strides[Load, row.name]) > 1} == {True}, row.name
    halves = [found for (kind, row), found in strides.items() if kind is Load and row.endswith("f16")]
    assert any(1 in found for found in halves)
    assert any(found & {3, 5} for found in halves), "odd multiples, at half a dword"


def test_lanes_disagree_on_every_argument_that_the_first_lane_decides() -> None:
    found: set[tuple[str, str, str]] = set()
    for row, program, one in instructions():
        if isinstance(one, Load | Store):
            where = "array" if program.array(one.buffer) is not None else "buffer"
            for name in ("stride", "col_major"):
                index = getattr(one, name)
                if isinstance(index, Affine) and index.lane:
                    found.add((row, f"{type(one).__name__} {where}", name))
    for row in (row.name for row in SPEC.rows(DEFAULT_CAPS)):
        for verb in ("Load", "Store"):
            assert (row, f"{verb} buffer", "stride") in found
            assert (row, f"{verb} buffer", "col_major") in found
        assert (row, "Load array", "stride") in found


def test_branches_that_the_whole_wave_takes() -> None:
    """By as many lanes as the wave has, or by more than any wave of the device has."""
    found = {
        (row, one.lanes - program.wave_size)
        for row, program in positive()
        for one in program.body
        if isinstance(one, Branch)
    }
    assert {row for row, _ in found} == {row.name for row in SPEC.rows(DEFAULT_CAPS)}
    assert {further > 0 for _, further in found} == {False, True}
    assert min(further for _, further in found) == 0
