"""Ambiguities with two answers: both can be asked for, both are kept open, and only where they differ."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect, initial_memory
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.numerics.legal import illegal
from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.programs.base import Buffer, Literal
from mmaspec.programs.errors import BadInput
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS
from mmaspec.programs.nv_coopmat2.program import (
    CONSTANT,
    CoopMatProgram,
    Decode,
    Echo,
    Layout,
    LoadTensor,
    Matrix,
    ScaleAndBytes,
    SetBlockSize,
    SetClampValue,
    SetClip,
    SetDimension,
    SetStride,
    Slice,
    Splat,
    Store,
    View,
)
from mmaspec.programs.profile import PRACTICE

from .doubles import WITH_DOUBLES

ROWS, COLS = 16, 4
ALL = 0xFFFF_FFFF


def case_of(layout: Layout, view: View | None = None, component: str = "f64") -> Case:
    """A load through a layout over a matrix that holds 1, and a store that shows it; every element is its address."""
    cols = COLS if component == "f64" else 16

    made = CoopMatProgram(
        buffers=(Buffer("in", 1 << 12), Buffer("out", 1 << 12)),
        matrices=(Matrix("c", component, ROWS, cols, 0 if component == "f64" else 2),),
        body=(
            Splat("c", Literal(1)),
            LoadTensor("c", "in", 0, "t", data="T", view=None if view is None else view.name),
            Store("c", "out", 0, cols),
        ),
        layouts=(layout,),
        views=() if view is None else (view,),
    )
    (source,) = SPEC.sources(made)
    nbytes = source.fmt.nbytes
    values = {"T": (source.addresses // nbytes + 1000).astype(np.uint64)}
    return Case("nv-coopmat2", "s8-s32-16x16x32", "reading", made, WITH_DOUBLES, 1, values)


def found(case: Case, readings: Mapping[str, str]) -> np.ndarray:
    answer = expect(case, PRACTICE, readings)
    assert isinstance(answer, Defined)
    return answer.regions[0].legal.bits[0, 0]


def open_points(case: Case) -> set[str]:
    """The ambiguities on which a case depends."""
    variants = expect_by_reading(case, PRACTICE).variants
    return {name for assignment, _ in variants for name, _ in assignment}


def test_partial_blocks_count_or_do_not() -> None:
    case = case_of(
        Layout("t", (SetBlockSize((2, 4)), SetDimension((16, 18)), Slice((0, 0), (16, 16)))), component="s32"
    )
    assert open_points(case) == {"NVCM2-AMB-19"}
    for reading, width in (("ceiling", 5), ("floor", 4)):
        row, col = np.indices((16, 16))
        wanted = 1000 + (row // 2) * width + col // 4
        assert np.array_equal(found(case, {"NVCM2-AMB-19": reading}), wanted)


def test_whole_blocks_leave_nothing_open() -> None:
    assert not open_points(case_of(Layout("t", (SetBlockSize((2, 4)), SetDimension((16, 20)))), component="s32"))
    spelt = (SetBlockSize((2, 4)), SetDimension((16, 18)), SetStride((5, 1)))
    assert not open_points(case_of(Layout("t", spelt), component="s32"))


def test_the_end_of_a_clip_wraps_or_does_not() -> None:
    layout = Layout("t", (SetDimension((16, 16)),))
    case = case_of(layout, View("v", (SetClip(0, ALL, 2, ALL),)), "s32")
    assert open_points(case) == {"NVCM2-AMB-04"}
    assert (found(case, {"NVCM2-AMB-04": "uint32"}) == 1).all()
    kept = found(case, {"NVCM2-AMB-04": "mathematical"})
    assert (kept[:, :2] == 1).all()
    assert np.array_equal(kept[:, 2:], 1000 + np.arange(256).reshape(16, 16)[:, :14])


def test_a_clip_that_does_not_wrap_leaves_nothing_open() -> None:
    view = View("v", (SetClip(0, ALL, 2, ALL - 2),))
    assert not open_points(case_of(Layout("t", (SetDimension((16, 16)),)), view, "s32"))


def clipped(decode: Decode, rows: int = 8) -> Case:
    """A decoded load of which the wrapping clip leaves nothing, the mathematical one every row but the first."""
    layout = Layout("t", (SetBlockSize((1, 4)), SetDimension((rows, 16))))
    program = case_of(layout, View("v", (SetClip(1, ALL, 0, ALL),)), "s32").program
    splat, load, store = program.body
    program = replace(program, body=(splat, replace(load, decode=decode, data="T"), store))
    values = {source.name: np.ones((1, *source.shape), np.uint64) for source in SPEC.sources(program)}
    return Case("nv-coopmat2", "s8-s32-16x16x32", "reading", program, DEFAULT_CAPS, 1, values)


def test_decode_functions_are_told_the_coordinates_of_the_reading() -> None:
    case = clipped(Echo(4, (16, 1), (0, 64)))
    assert open_points(case) == {"NVCM2-AMB-04"}
    assert (found(case, {"NVCM2-AMB-04": "uint32"}) == 1).all()
    kept = found(case, {"NVCM2-AMB-04": "mathematical"})
    row, col = np.indices((15, 16))
    assert (kept[0] == 1).all()
    assert np.array_equal(kept[1:], row % 8 * 16 + col // 4 + col % 4 * 64)


def test_blocks_end_under_every_reading() -> None:
    """Values that only the mathematical clip looks for lie inside their block, or nothing is promised."""
    for block, undefined in (((1, 2), {"NVCM2-DECODE-BOUNDS"}), ((1, 4), set())):
        program = clipped(ScaleAndBytes(6, block)).program
        assert SPEC.undefined(program, DEFAULT_CAPS) == undefined


def test_structs_that_one_reading_looks_for_hold_data() -> None:
    """In a tensor that is filled as a whole, and in one that is too large for that."""
    for rows in (8, 1 << 20):
        case = clipped(ScaleAndBytes(6, (1, 4)), rows)
        answer = expect(case, PRACTICE, {"NVCM2-AMB-04": "mathematical"})
        assert isinstance(answer, Defined)
        assert not answer.regions[0].legal.why.any()


def test_clamp_values_of_wide_components() -> None:
    for value, is_open in ((0x8000_0001, True), (0x7FFF_FFFF, False)):
        calls = (SetDimension((16, 4)), Slice((0, 2), (16, 4)), SetClampValue(value))
        case = case_of(Layout("t", calls, clamp_mode=CONSTANT))
        assert open_points(case) == ({"NVCM2-AMB-13"} if is_open else set())
        for reading, upper in (("zero-extended", 0), ("sign-extended", ALL if is_open else 0)):
            assert (found(case, {"NVCM2-AMB-13": reading})[:, 2:] == upper << 32 | value).all()


@pytest.mark.parametrize(
    ("bits", "legal"),
    [
        (0x8000_0003, {0x8000_0003, 0, 0x8000_0000}),  # subnormal: as it is, or flushed
        (0xFF80_0000, {0xFF80_0000}),
        (0xBF80_0001, {0xBF80_0001}),
        (0x8000_0000, {0x8000_0000}),
    ],
)
def test_clamp_values_of_floats_are_bits(bits: int, legal: set[int]) -> None:
    """NVCM2-CLAMP-CONST: the bits themselves, but that a subnormal number may be flushed."""
    calls = (SetDimension((16, 16)), Slice((0, 2), (16, 16)), SetClampValue(bits))
    case = case_of(Layout("t", calls, clamp_mode=CONSTANT), component="f32")
    answer = expect(case)
    assert isinstance(answer, Defined)
    own = answer.regions[0].legal
    tried = {*legal, bits ^ 1, bits ^ 0x8000_0000, 0, bits & 0xFFFF}
    allowed = {each for each in tried if not illegal(own, np.full(own.shape, each, np.uint64))[0, 0, :, 14:].any()}
    assert allowed == legal


def test_every_reading_finds_data() -> None:
    """Memory does not depend on the reading, so it holds data wherever some reading looks."""
    case = case_of(
        Layout("t", (SetBlockSize((2, 4)), SetDimension((16, 18)), Slice((0, 0), (16, 16)))), component="s32"
    )
    known = initial_memory(case, case.program, SPEC).known["in"]
    answers = [expect(case, PRACTICE, {"NVCM2-AMB-19": reading}) for reading in ("ceiling", "floor")]
    for answer in answers:
        assert isinstance(answer, Defined)
        assert not answer.regions[0].legal.why.any()
        assert np.array_equal(answer.known["in"], known)


@pytest.mark.parametrize("strides", [(4, 1), (5, 1), (3, 1)])
def test_strides_between_the_minima_are_nobodys(strides: tuple[int, int]) -> None:
    calls = (SetBlockSize((2, 4)), SetDimension((16, 18)), SetStride(strides))
    made = replace(case_of(Layout("t", (SetDimension((16, 16)),)), component="s32").program, layouts=())
    made = replace(made, layouts=(Layout("t", calls),))
    assert SPEC.rejected(made, DEFAULT_CAPS) == ({"NVCM2-SETSTRIDE-MIN"} if strides[0] < 4 else set())
    if strides[0] >= 4:
        assert SPEC.undefined(made, DEFAULT_CAPS) == ({"NVCM2-STRIDE-PARTIAL"} if strides[0] < 5 else set())


def test_unknown_readings_are_bad_input() -> None:
    case = case_of(Layout("t", (SetDimension((16, 16)),)), component="s32")
    with pytest.raises(BadInput, match="no reading named"):
        expect(case, PRACTICE, {"NVCM2-AMB-19": "rounded"})


def test_every_ambiguity_has_its_readings() -> None:
    ambiguities = SPEC.catalogue.ambiguity
    numbered = {name.removeprefix("NVCM2-AMB-") for name in ambiguities}
    assert numbered >= {f"{number:02}" for number in range(1, 21) if number not in (15, 16)}
    assert set(SPEC.catalogue.open_points) >= {"NVCM2-AMB-04", "NVCM2-AMB-13", "NVCM2-AMB-19"}
