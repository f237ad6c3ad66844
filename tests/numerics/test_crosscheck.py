"""Codecs and roundings against libraries that nobody here wrote: gfloat, ml_dtypes and numpy, each in one step."""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from gfloat import RoundMode, decode_float, round_float
from gfloat.formats import (
    format_info_bfloat16,
    format_info_binary16,
    format_info_binary32,
    format_info_ocp_e4m3,
    format_info_ocp_e5m2,
)

from mmaspec.oracle.numerics.bulk import fixed_point
from mmaspec.oracle.numerics.codec import Special, decode, value
from mmaspec.oracle.numerics.ordinals import exact_float64, float64_of_ordinals, from_ordinal, ordinal_value
from mmaspec.oracle.numerics.rounding import round_to
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.rounding_mode import Mode

TWINS = {
    "f16": format_info_binary16,
    "bf16": format_info_bfloat16,
    "e5m2": format_info_ocp_e5m2,
    "e4m3": format_info_ocp_e4m3,
    "f32": format_info_binary32,
}
MODES = {
    Mode.NEAREST_EVEN: RoundMode.TiesToEven,
    Mode.NEAREST_AWAY: RoundMode.TiesToAway,
    Mode.TOWARD_ZERO: RoundMode.TowardZero,
    Mode.DOWN: RoundMode.TowardNegative,
    Mode.UP: RoundMode.TowardPositive,
}


@pytest.mark.parametrize("name", ["f16", "bf16", "e5m2", "e4m3"])
def test_codes_against_gfloat(name):
    fmt = FORMATS[name]
    step = 1 if fmt.bits == 8 else 13
    for code in range(0, 1 << fmt.bits, step):
        ours, theirs = decode(fmt, code), decode_float(TWINS[name], code).fval
        if isinstance(ours, Special):
            assert math.isnan(theirs) if ours.kind == "nan" else theirs == (-math.inf if ours.sign else math.inf)
        else:
            assert value(fmt, code) == Fraction(theirs)
            assert math.copysign(1, theirs) == (-1 if ours.sign else 1)


def near_boundaries(fmt, count):
    """Float64 numbers at, beside and between neighbours of a format, around the ends of its range too."""
    rng = np.random.default_rng(1)
    normal, top = 1 << fmt.fraction_bits, fmt.largest_magnitude
    edges = [0, 1, 2, normal - 1, normal, normal + 1, top - 2, top - 1]
    for ordinal in [*edges, *rng.integers(0, top, count).tolist()]:
        low, high = float(ordinal_value(fmt, ordinal)), float(ordinal_value(fmt, ordinal + 1))
        middle = (low + high) / 2
        for x in (low, middle, math.nextafter(middle, 0), math.nextafter(middle, math.inf), (low + middle) / 2):
            yield x
            yield -x


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("mode", MODES)
def test_roundings_against_gfloat(name, mode):
    fmt = FORMATS[name]
    numbers = list(near_boundaries(fmt, 60))
    if mode is Mode.NEAREST_AWAY:  # gfloat adds a half in float64, which rounds up what is a crumb below a tie
        numbers = [x for x in numbers if Fraction(x) / value(fmt, 1) * 2**10 % 1 == 0]
        assert len(numbers) > 300
    for x in numbers:
        ours = round_to(fmt, Fraction(x), mode)
        assert exact_float64(fmt, np.array([ours], np.uint64))[0] == round_float(TWINS[name], x, MODES[mode]), x
    if fmt.infinities:
        fast = float64_of_ordinals(fmt, fixed_point.round_ordinals(fmt, np.array(numbers), mode))
        assert fast.tolist() == [round_float(TWINS[name], x, MODES[mode]) for x in numbers]


@pytest.mark.parametrize(
    ("name", "narrow"),
    [("f16", np.float16), ("bf16", ml_dtypes.bfloat16), ("e5m2", ml_dtypes.float8_e5m2)],
)
def test_rounding_from_float32_against_casts(name, narrow):
    """From float32 only: from float64 some of these casts round twice."""
    fmt, wide = FORMATS[name], FORMATS["f32"]
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 1 << 32, 200_000, np.uint64)
    # and float32 numbers at and beside every boundary of the narrow format
    marks = float64_of_ordinals(fmt, rng.integers(-fmt.largest_magnitude, fmt.largest_magnitude, 20_000))
    halves = (marks + np.roll(np.sort(marks), 1)) / 2
    near = fixed_point.floor_ordinals(wide, np.concatenate([marks, halves]))
    beside = np.concatenate([near - 1, near, near + 1]).clip(-wide.largest_magnitude, wide.largest_magnitude)
    codes = np.concatenate([codes, from_ordinal(wide, beside)])
    codes = codes[(codes & np.uint64(wide.sign_bit - 1)) <= np.uint64(wide.largest_magnitude)]
    single = codes.astype(np.uint32).view(np.float32)
    with np.errstate(over="ignore", under="ignore"):
        theirs = single.astype(narrow).astype(np.float64)
    ours = fixed_point.round_ordinals(fmt, exact_float64(wide, codes), Mode.NEAREST_EVEN)
    np.testing.assert_array_equal(float64_of_ordinals(fmt, ours), theirs)


def test_float64_to_float32_against_numpy():
    wide = np.random.default_rng(3).integers(0, 1 << 63, 200_000, np.uint64).view(np.float64)
    near = np.random.default_rng(4).standard_normal(100_000).astype(np.float32).astype(np.float64)
    doubles = np.concatenate([wide[np.isfinite(wide)], near * (1 + 2.0**-24), near * (1 + 2.0**-25)])
    doubles = doubles[np.abs(doubles) < 2.0**300]
    with np.errstate(over="ignore", under="ignore"):
        theirs = doubles.astype(np.float32).astype(np.float64)
    ours = fixed_point.round_ordinals(FORMATS["f32"], doubles, Mode.NEAREST_EVEN)
    np.testing.assert_array_equal(float64_of_ordinals(FORMATS["f32"], ours), theirs)
