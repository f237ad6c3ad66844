"""Programs of the text of 2025-09-19 against bytes worked out by hand: bounds of memory, arrays that convert."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.programs.base import Affine, Buffer, Literal
from mmaspec.programs.hlsl_linalg import (
    Barrier,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Matrix,
    SharedArray,
    Splat,
    Stage,
    Store,
    Unstage,
)

from . import by_hand
from .by_hand import HALF, SINGLE, image, in_rows, numbered, octets
from .source_running import (
    SOURCE,
    is_right,
    one,
    points,
    shown,
)

# Bounds: the whole matrix or nothing.


@pytest.mark.parametrize("layout", ["RowMajor", "ColMajor"])
def test_a_load_with_one_element_outside_is_zero_all_over(layout):
    values = numbered(4, 8)
    short = (Buffer("a", 62 if layout == "RowMajor" else 118, 16), Buffer("out", 1024, 16))
    stride = 16
    program = one(
        Matrix("M", "F16", 4, 8, "A"), Load("M", "a", 0, stride, layout), Store("M", "out", 0, 16), buffers=short
    )
    held = {"a": image(short[0].size, (0, octets(*range(short[0].size // 2), dtype=HALF)))}
    zeros = in_rows(np.zeros((4, 8), HALF), 0, 16)
    assert is_right(program, held, shown(program, *zeros))
    lines = values if layout == "RowMajor" else np.array([[c * 8 + r for c in range(8)] for r in range(4)], HALF)
    each = lines.copy()
    each[3, 7] = 0
    assert not is_right(program, held, shown(program, *in_rows(each, 0, 16)))
    way = "row" if layout == "RowMajor" else "column"
    assert f"LINALG-LOAD-OOB-ZERO/Wave-{way}" in points(program, held)


def test_each_wave_has_bounds_of_its_own():
    program = one(
        Matrix("M", "F16", 2, 4, "A"),
        Load("M", "a", Affine(0, 16), 8),
        Store("M", "out", Affine(0, 64), 8),
        buffers=(Buffer("a", 30, 16), Buffer("out", 256, 16)),
        waves=2,
    )
    held = {"a": octets(*range(15), dtype=HALF)}
    first, zeros = in_rows(numbered(2, 4), 0, 8), in_rows(np.zeros((2, 4), HALF), 64, 8)
    assert is_right(program, held, shown(program, *first, *zeros))


def test_padding_behind_the_last_element_does_not_count():
    program = one(
        Matrix("M", "F16", 2, 4, "A"),
        Load("M", "a", 0, 12),
        Store("M", "out", 0, 12),
        buffers=(Buffer("a", 20, 16), Buffer("out", 20, 16)),
    )
    held = {"a": octets(*range(10), dtype=HALF)}
    rows = np.array([[0, 1, 2, 3], [6, 7, 8, 9]], HALF)
    assert is_right(program, held, shown(program, *in_rows(rows, 0, 12)))


def test_an_element_partly_outside_is_outside_whatever_words_are():
    """A view of 6 bytes ends in the middle of a word: elements are checked, no words (LINALG-AMB-19)."""
    program = one(
        Matrix("M", "F16", 1, 4, "Accumulator"),
        Splat("M", "half", Literal(0x3C00)),
        Store("M", "out", 0, 8),
        buffers=(Buffer("a", 16, 16), Buffer("out", 10, 16)),
    )
    assert is_right(program, {}, shown(program, (0, octets(1, 1, 1, 1, dtype=HALF))))
    assert not is_right(program, {}, shown(program))
    assert not by_hand.expected(program, {}, revision=SOURCE).consulted


def test_a_store_with_one_element_outside_does_nothing():
    program = one(
        Matrix("M", "F32", 2, 4, "Accumulator"),
        Splat("M", "float", Literal(0x3F800000)),
        Store("M", "out", 0, 16),
        buffers=(Buffer("a", 16, 16), Buffer("out", 28, 16)),
    )
    assert is_right(program, {}, shown(program))
    ones = octets(*[1] * 7, dtype=SINGLE)
    assert not is_right(program, {}, shown(program, (0, ones)))
    assert "LINALG-STORE-OOB-NOOP/Wave-row" in points(program, {})


def test_an_accumulation_with_one_element_outside_does_nothing():
    program = one(
        Matrix("M", "F32", 2, 4, "Accumulator"),
        Splat("M", "float", Literal(0x3F800000)),
        InterlockedAccumulate("M", "out", 0, 16),
        buffers=(Buffer("a", 16, 16), Buffer("out", 28, 16)),
    )
    held = {"out": octets(*range(7), dtype=SINGLE)}
    assert is_right(program, held, held)
    assert not is_right(program, held, {"out": octets(*range(1, 8), dtype=SINGLE)})
    assert "LINALG-ACC-OOB-NOOP/Wave-row" in points(program, held)


def test_rows_that_overlap_are_loaded_as_they_lie():
    """LINALG-AMB-05: the stride is half a row."""
    program = one(Matrix("M", "F16", 4, 8, "A"), Load("M", "a", 4, 8, data=None), Store("M", "out", 0, 16))
    held = {"a": octets(*range(512), dtype=HALF)}
    rows = np.array([[2 + 4 * r + c for c in range(8)] for r in range(4)], HALF)
    assert is_right(program, held, shown(program, *in_rows(rows, 0, 16)))


def test_the_alignment_parameter_changes_nothing():
    matrix = Matrix("M", "F16", 4, 8, "A")
    plain = one(matrix, Load("M", "a", 4, 20), Store("M", "out", 8, 20))
    told = one(matrix, Load("M", "a", 4, 20, align=4), Store("M", "out", 8, 20, align=4))
    held = {"a": octets(*range(512), dtype=HALF)}
    rows = np.array([[2 + 10 * r + c for c in range(8)] for r in range(4)], HALF)
    for program in (plain, told):
        assert is_right(program, held, shown(program, *in_rows(rows, 8, 20)))
    assert {point for point in points(told, held) if "PARAMETER" in point} == {
        "LINALG-ALIGN-PARAMETER/load", "LINALG-ALIGN-PARAMETER/store",
    }  # fmt: skip
    assert not any("PARAMETER" in point for point in points(plain, held))


# Arrays: each element converted.


def through_array(component, element, size, m=2, n=4, load=(3, 6), into=(0, 5)):
    """A matrix loaded from an array of one type, and stored in another of the same."""
    body = (
        Stage("g", "a", 0, 32),
        Barrier(),
        Load("M", "g", *load),
        Store("M", "h", *into),
        Store("M", "out", 0, 64),
        Barrier(),
        Unstage("h", "b", 0, 16),
    )
    arrays = (SharedArray("g", element, 32), SharedArray("h", element, 16))
    buffers = (Buffer("a", 32 * size, 16), Buffer("out", 256, 16), Buffer("b", 16 * size, 16))
    return LinalgProgram(buffers, body, (Matrix("M", component, m, n, "Accumulator"),), arrays=arrays)


def test_loads_from_an_array_convert_and_so_do_stores():
    program = through_array("F16", "int", 4)
    numbers = np.arange(32, dtype=np.int32) * 3 - 40
    numbers[4], numbers[5] = 1 << 20, 2049
    held = {"a": numbers.tobytes()}
    loaded = np.array([[numbers[3 + 6 * r + c] for c in range(4)] for r in range(2)], np.float64)
    halves = loaded.copy()
    halves[0, 1], halves[0, 2] = 65504, 2048
    back = halves.astype(np.int32)
    parts = in_rows(halves.astype(HALF), 0, 64), in_rows(back, 0, 20)
    wanted = shown(program, *parts[0]) | shown(program, *parts[1], into="b")
    assert is_right(program, held, wanted)
    raw = numbers.view(HALF)[6:10]
    assert not is_right(program, held, wanted | shown(program, (0, raw.tobytes()), *parts[0][1:]))
    found = points(program, held)
    assert {
        "LINALG-LOAD-GS-CONV/int-F16", "LINALG-STORE-GS-CONV/int-F16", "LINALG-GS-PLACES/load-row-padded",
        "LINALG-GS-PLACES/store-row-padded", "LINALG-CONV-INT-FLOAT/s32-f16", "LINALG-CONV-FLOAT-INT/f16-s32",
    } <= found  # fmt: skip
    assert not any(point.startswith(("LINALG-GS-NOCONV", "LINALG-GS-UNITS")) for point in found)


def test_an_array_of_the_matrixs_type_is_taken_as_it_is():
    program = through_array("F32", "float", 4)
    numbers = np.arange(32, dtype=SINGLE) / 4
    numbers[3] = np.nan
    held = {"a": numbers.tobytes()}
    rows = np.array([[numbers[3 + 6 * r + c] for c in range(4)] for r in range(2)], SINGLE)
    wanted = shown(program, *in_rows(rows, 0, 64)) | shown(program, *in_rows(rows, 0, 20), into="b")
    assert is_right(program, held, wanted)
    assert "LINALG-STORE-NOCONV/F32" in points(program, held)


def test_floats_become_the_nearest_integers_and_stay_in_range():
    program = through_array("I16", "float", 4)
    numbers = np.zeros(32, SINGLE)
    numbers[3:7] = 2.5, -3.5, 1e9, -np.inf
    held = {"a": numbers.tobytes()}
    rows = np.array([[2, -4, 32767, -32768], [0, 0, 0, 0]], np.int16)
    back = rows.astype(SINGLE)
    wanted = shown(program, *in_rows(rows, 0, 64)) | shown(program, *in_rows(back, 0, 20), into="b")
    assert is_right(program, held, wanted)
    rows[0, 0] = 3
    assert not is_right(program, held, wanted | shown(program, *in_rows(rows, 0, 64)))


def test_sums_in_an_array_convert_first():
    matrix = Matrix("M", "F32", 2, 4, "Accumulator")
    body = (
        Stage("g", "a", 0, 16),
        Splat("M", "float", Literal(0x3FC00000)),
        Barrier(),
        InterlockedAccumulate("M", "g", 1, 8),
        Barrier(),
        Unstage("g", "out", 0, 16),
    )
    program = LinalgProgram(
        (Buffer("a", 64, 16), Buffer("out", 64, 16)), body, (matrix,), arrays=(SharedArray("g", "int", 16),)
    )
    numbers = np.arange(16, dtype=np.int32)
    summed = numbers.copy()
    for place in (1, 2, 3, 4, 9, 10, 11, 12):
        summed[place] += 2  # 1.5 is 2
    assert is_right(program, {"a": numbers.tobytes()}, {"out": summed.tobytes()})
