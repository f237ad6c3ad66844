"""Circumstances of a product that are taken away, and sums of one operand under a named arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.oracle.hlsl_wave_matrix import SPEC
from mmaspec.oracle.hlsl_wave_matrix.arithmetic import Arithmetic
from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.readings import Readings
from mmaspec.programs.base import Affine, Literal, Place
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.caps import DEFAULT_CAPS
from mmaspec.programs.hlsl_wave_matrix.program import (
    Barrier,
    Fill,
    Load,
    Matrix,
    MultiplyAccumulate,
    Repeat,
    SharedArray,
    Stage,
    Store,
    WaveMatrixProgram,
)
from mmaspec.programs.profile import PRACTICE, PROFILES, Profile


def looped(product: WaveMatrixProgram) -> WaveMatrixProgram:
    """The product three times, C carried from pass to pass."""
    multiply = next(simple for simple in product.body if isinstance(simple, MultiplyAccumulate))
    at = product.body.index(multiply)
    return replace(product, body=(*product.body[:at], Repeat(3, (multiply,)), *product.body[at + 1 :]))


@pytest.mark.parametrize("bits", [1, 1 << 20])
def test_an_addend_of_few_bits_stands_before_the_product_in_every_pass(product: WaveMatrixProgram, bits: int) -> None:
    few = Fill("C", Literal(bits))
    for program, place, moved in (
        (product, Place((3,)), Place((4,))),
        (looped(product), Place((3, 0)), Place((3, 1))),
    ):
        found = [ablation for ablation in SPEC.ablations(program, place) if ablation.clause == "WM-INT-EXACT"]
        ablation = found[0 if bits == 1 else 1]
        assert ablation.place == moved
        body = ablation.program.body
        around = body[3].body if len(moved.path) == 2 else body[3:]
        assert around[0] == few
        assert isinstance(around[1], MultiplyAccumulate)
        assert len(body) == len(program.body) + (len(moved.path) == 1)


@pytest.mark.parametrize(("waves", "step", "named"), [(1, 512, False), (2, 0, False), (2, 512, True), (3, 512, True)])
def test_the_part_of_a_wave_is_taken_away_where_there_are_two(
    product: WaveMatrixProgram, waves: int, step: int, named: bool
) -> None:
    """Each wave loads its own part: then all of them load the first one's."""
    load = replace(product.body[0], offset=Affine(64, wave=step))
    program = replace(product, waves=waves, body=(load, *product.body[1:]))
    found = [ablation for ablation in SPEC.ablations(program, Place((0,))) if ablation.clause == "WM-ONE-PER-WAVE"]
    assert [ablation.program.body[0].offset for ablation in found] == [Affine(64)] * named


@pytest.mark.parametrize(("waves", "named"), [(1, 0), (2, 1), (3, 1)])
def test_the_products_of_waves_are_made_one_where_there_are_two(
    product: WaveMatrixProgram, waves: int, named: int
) -> None:
    found = SPEC.ablations(replace(product, waves=waves), Place((3,)))
    assert [ablation.clause for ablation in found].count("WM-ONE-PER-WAVE") == named


def test_passes_that_store_to_one_place_of_an_array_have_places_of_their_own_in_a_buffer(
    product: WaveMatrixProgram,
) -> None:
    """A barrier orders what passes store to an array; nothing orders what they store to a buffer."""
    store, load = Store("C", "kept", 0, 16), Load("C", "kept", 0, 16)
    loop = Repeat(3, (Barrier(), load, product.body[3], Barrier(), store))
    body = (*product.body[:3], store, loop, product.body[-1])
    program = replace(product, arrays=(SharedArray("kept", "s32", 256),), body=body)
    assert not SPEC.undefined(program, DEFAULT_CAPS)
    found = [ablation.program for ablation in SPEC.ablations(program, Place((4, 4))) if ablation.clause == "WM-ADDR-GS"]
    assert [SPEC.undefined(one, DEFAULT_CAPS) for one in found] == [frozenset()]


def test_a_factor_in_an_array_with_another_one_keeps_its_type(product: WaveMatrixProgram) -> None:
    """Loaded again into a second Left, which would be of another type than the array."""
    staged = (Stage("bytes", "a", 0, 128), Barrier(), Load("A", "bytes", 0, 8))
    arrays = (SharedArray("bytes", "u8", 128),)
    alone = replace(product, arrays=arrays, body=(*staged, *product.body[1:]))
    other = Matrix("A2", "left", "u8", 16, 16, 32)
    both = replace(alone, matrices=(*alone.matrices, other), body=(*alone.body, Load("A2", "bytes", 0, 8)))
    for program, types in ((alone, ["s8", "u8"]), (both, ["u8"])):
        found = [one.program for one in SPEC.ablations(program, Place((5,))) if one.clause == "WM-MUL-MIXSIGN"]
        assert [one.arrays[0].element for one in found] == types
        assert not any(SPEC.rejected(one, DEFAULT_CAPS) for one in found)


def test_sums_of_one_operand_are_not_the_business_of_a_named_product() -> None:
    """One and 2^-11 sixteen times: cut to f16 at every step nothing remains, added exactly 2^-7 does."""
    f16 = FORMATS["f16"]
    row = np.full((1, 1, 16), 0x1000, np.uint64)
    left, start = Legal.from_bits(f16, row), Legal.from_bits(f16, np.full((1, 1, 1), 0x3C00, np.uint64))
    open_end, named = (Arithmetic(profile, Readings({})).sums_of_rows(left, start) for profile in (PRACTICE, _chain()))
    assert (named.lo, named.hi) == (open_end.lo, open_end.hi)
    assert named.lo.item() < named.hi.item()


def _chain() -> Profile:
    found = PROFILES["ieee-sequential"]
    return Profile(name="chain", model=found.model)
