"""The device's conversions between component types, held to numbers written by hand and to searches over all codes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from mmaspec.backends.numpy.hlsl_linalg.conversions import Style, convert
from mmaspec.programs.formats import FORMATS, Format

NEAREST, CUT = Style(), Style("zero")


def converted(source: str, target: str, *codes: int, style: Style = NEAREST) -> list[int]:
    found = convert(np.array(codes, np.uint64), FORMATS[source], FORMATS[target], style)
    return [int(code) for code in found]


@pytest.mark.parametrize(
    ("source", "target", "given", "expected"),
    [
        # Integers are kept where they fit and saturate where not.
        ("s32", "s8", [0x7F, 0x80, 0xFFFFFF80, 0xFFFFFF7F], [0x7F, 0x7F, 0x80, 0x80]),
        ("s32", "u8", [0xFFFFFFFF, 255, 256], [0, 255, 255]),
        ("u32", "s32", [0x7FFFFFFF, 0x80000000], [0x7FFFFFFF, 0x7FFFFFFF]),
        ("u64", "s64", [1 << 63, 5], [(1 << 63) - 1, 5]),
        ("s64", "u32", [1 << 63, 1 << 32, 7], [0, 0xFFFFFFFF, 7]),
        ("s8", "s64", [0x80], [(1 << 64) - 128]),
        # Integers become the nearest float, ties to even.
        ("s32", "f16", [2049, 2051, 0xFFFFF7FF], [0x6800, 0x6802, 0xE800]),
        ("u8", "e4m3", [17, 19, 255], [0x58, 0x5A, 0x78]),
        ("u64", "f32", [(1 << 64) - 1, (1 << 24) + 1], [0x5F800000, 0x4B800000]),
        ("s64", "f64", [1 << 63], [0xC3E0000000000000]),
        # Floats become the nearest integer, ties to even, and saturate.
        ("f32", "s32", [0x3FC00000, 0x40200000, 0xC0200000, 0x3F000000], [2, 2, 0xFFFFFFFE, 0]),
        (
            "f32",
            "s32",
            [0x4F000000, 0xCF000000, 0x7F800000, 0xFF800000],
            [0x7FFFFFFF, 0x80000000, 0x7FFFFFFF, 0x80000000],
        ),
        ("f32", "u8", [0xBF800000, 0x437F8000, 0x43800000], [0, 255, 255]),
        ("f64", "u64", [0x43F0000000000000, 0x43E0000000000000], [(1 << 64) - 1, 1 << 63]),
        ("f32", "s8", [0x42FF0000, 0xC3010000], [0x7F, 0x80]),
        # Floats: exact, or the nearest, ties to even; subnormals too.
        ("f32", "f16", [0x3F800000, 0x3F801000, 0x3F803000, 0x33800000, 0x33000000], [0x3C00, 0x3C00, 0x3C02, 1, 0]),
        ("f16", "f32", [0x0001, 0x8000, 0x7C00], [0x33800000, 0x80000000, 0x7F800000]),
        ("f32", "e4m3", [0x43E00000, 0x3B000000, 0x3A800000, 0x3AC00000], [0x7E, 0x01, 0x00, 0x01]),
        ("f32", "e5m2", [0x47600000, 0x37800000], [0x7B, 0x01]),
        ("f32", "bf16", [0x3F808000, 0x3F818000], [0x3F80, 0x3F82]),
        # Beyond the largest: infinity, or the largest where there is none.
        ("f32", "f16", [0x477FF000, 0xC77FF000, 0x7F800000, 0x477FEFFF], [0x7C00, 0xFC00, 0x7C00, 0x7BFF]),
        ("f32", "e4m3", [0x43F00000, 0x43E80000, 0xFF800000], [0x7E, 0x7E, 0xFE]),
        ("f32", "e5m2", [0x47700000], [0x7C]),
        # NaN stays NaN, and is zero as an integer.
        ("f32", "e4m3", [0x7FC00000], [0x7F]),
        ("e4m3", "f16", [0x7F, 0xFF], [0x7E00, 0x7E00]),
        ("f32", "s32", [0x7FC00000], [0]),
    ],
)
def test_by_hand(source: str, target: str, given: list[int], expected: list[int]) -> None:
    assert converted(source, target, *given) == expected


def test_styles_differ_between_floats_alone() -> None:
    assert converted("f32", "f16", 0x3F801FFF, 0xBF801FFF, style=CUT) == [0x3C00, 0xBC00]
    assert converted("s32", "f16", 2051, style=CUT) == [0x6802]
    assert converted("f32", "s32", 0x3FC00000, style=CUT) == [2]
    largest, missing = Style(overflow="largest"), Style(overflow="nan")
    assert converted("f32", "f16", 0x47800000, 0x7F800000, style=largest) == [0x7BFF, 0x7C00]
    assert converted("f32", "f16", 0xC7800000, style=missing) == [0xFE00]
    assert converted("f32", "e4m3", 0x44000000, style=missing) == [0x7F]


def values(fmt: Format) -> list[Fraction]:
    """Every finite number of a float format from 0 up, by its fields."""
    found = []
    for code in range(fmt.largest_magnitude + 1):
        field, fraction = divmod(code, 1 << fmt.fraction_bits)
        hidden = 1 << fmt.fraction_bits if field else 0
        found.append(Fraction(hidden + fraction) * Fraction(2) ** (max(field, 1) - fmt.bias - fmt.fraction_bits))
    return found


def nearest(number: Fraction, all_values: list[Fraction]) -> int:
    """The code of the nearest number, ties to the even code; len(all_values) beyond half a step over the largest."""
    low, high = 0, len(all_values)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if all_values[middle] <= number else (low, middle)
    above = all_values[low + 1] if low + 1 < len(all_values) else all_values[low] * 2 - all_values[low - 1]
    half = (all_values[low] + above) / 2
    return low + (number > half or (number == half and low % 2 == 1))


@pytest.mark.parametrize(("source", "target"), [("f16", "e4m3"), ("f16", "e5m2"), ("bf16", "f16"), ("e5m2", "e4m3")])
def test_every_number_is_rounded_to_the_nearest(source: str, target: str) -> None:
    fmt, goal = FORMATS[source], FORMATS[target]
    numbers, goals = values(fmt), values(goal)
    step = max(1, len(numbers) // 4000)
    codes = list(range(0, len(numbers), step))
    beyond = goal.infinity_magnitude if goal.infinities else goal.largest_magnitude
    expected = [min(nearest(numbers[code], goals), beyond) for code in codes]
    assert converted(source, target, *codes) == expected
    assert converted(source, target, *(code | fmt.sign_bit for code in codes)) == [x | goal.sign_bit for x in expected]


CASTS: list[tuple[str, str, Callable[[NDArray[np.uint64]], NDArray[np.uint64]]]] = [
    ("f64", "f32", lambda bits: bits.view(np.float64).astype(np.float32).view(np.uint32).astype(np.uint64)),
    ("s64", "f32", lambda bits: bits.view(np.int64).astype(np.float32).view(np.uint32).astype(np.uint64)),
    ("s64", "f64", lambda bits: bits.view(np.int64).astype(np.float64).view(np.uint64)),
]


@pytest.mark.parametrize(("source", "target", "cast"), CASTS, ids=[f"{a}-{b}" for a, b, _ in CASTS])
def test_wide_formats_agree_with_the_processor(
    source: str, target: str, cast: Callable[[NDArray[np.uint64]], NDArray[np.uint64]]
) -> None:
    bits = np.random.default_rng(7).integers(0, 1 << 64, 4096, np.uint64)
    if source == "f64":
        exponents = np.random.default_rng(8).integers(860, 1160, bits.size, np.uint64)
        bits = (bits & np.uint64(0x800FFFFFFFFFFFFF)) | (exponents << np.uint64(52))
    with np.errstate(over="ignore"):
        expected = cast(bits)
    assert np.array_equal(convert(bits, FORMATS[source], FORMATS[target]), expected)
