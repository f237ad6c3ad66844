"""Conversions that saturate: against their definition, the values of small formats, and gfloat, ml_dtypes and numpy."""

from __future__ import annotations

import math
from time import process_time

import ml_dtypes
import numpy as np
import pytest
from gfloat import RoundMode, round_float
from gfloat.formats import (
    format_info_bfloat16,
    format_info_binary16,
    format_info_binary32,
    format_info_ocp_e4m3,
    format_info_ocp_e5m2,
)

from mmaspec.oracle.numerics.definition.conversion import converted
from mmaspec.oracle.numerics.legal import Legal, Reason
from mmaspec.oracle.numerics.ordinals import exact_float64, float64_of_ordinals, is_nan, to_ordinal
from mmaspec.oracle.numerics.rules import FloatRules
from mmaspec.oracle.numerics.saturating_conversion import convert_saturating
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.rounding_mode import Mode

NAMES = ["s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64", "e4m3", "e5m2"]
SHORT = [name for name in NAMES if FORMATS[name].bits <= 16]
RULES = {
    "strict": FloatRules(),
    "flushing": FloatRules(flush_inputs=True, flush_results=True),
    "nearest": FloatRules(rounding=Mode.NEAREST_EVEN),
    "nan-reported": FloatRules(nan="reported"),
}


def codes_of(name):
    return np.arange(1 << FORMATS[name].bits, dtype=np.uint64)


def check_against_definition(source, target, codes, rules):
    legal = convert_saturating(Legal.from_bits(source, codes), target, rules)
    for place, code in enumerate(codes.tolist()):
        wanted = converted(source, code, target, rules)
        assert legal.why[place] == wanted.why, hex(code)
        if not wanted.why:
            found = int(legal.lo[place]), int(legal.hi[place]), bool(legal.nan[place])
            assert found == (wanted.lo, wanted.hi, wanted.nan), hex(code)
    assert not legal.moved.any()


@pytest.mark.exhaustive(every=48)
@pytest.mark.parametrize("part", range(97))
@pytest.mark.parametrize("source", SHORT)
def test_every_code_of_short_formats_against_the_definition(source, part):
    """All codes of all formats of at most 16 bits; a plain run takes those that leave one remainder."""
    codes = codes_of(source)[part::97]
    for target in NAMES:
        if target != source:
            check_against_definition(FORMATS[source], FORMATS[target], codes, RULES["strict"])


def edges(fmt, seed):
    """Codes at and beside every power of two and the ends, and random ones of every exponent."""
    special = {code & fmt.mask for k in range(fmt.bits + 1) for code in ((1 << k) - 1, 1 << k, (1 << k) + 1)}
    special |= {fmt.mask - code for code in special}
    if fmt.is_float:
        for magnitude in (fmt.largest_magnitude, fmt.largest_magnitude + 1, fmt.nan_bits, 1 << fmt.fraction_bits):
            special |= {magnitude, magnitude | fmt.sign_bit}
    random = np.random.default_rng(seed).integers(0, 1 << 63, 60, np.uint64) * np.uint64(2) + np.uint64(1)
    shifts = np.random.default_rng(seed + 1).integers(64 - fmt.bits, 64, 60).astype(np.uint64)
    return np.unique(np.concatenate([np.array(sorted(special), np.uint64), random >> shifts]))


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("source", NAMES)
def test_edges_and_random_codes_against_the_definition(source, rules):
    codes = edges(FORMATS[source], 5)
    for target in NAMES:
        if target != source:
            check_against_definition(FORMATS[source], FORMATS[target], codes, RULES[rules])


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize("target", SHORT)
@pytest.mark.parametrize("source", SHORT)
def test_every_short_pair_by_searching_the_values_of_the_target(source, target):
    """The neighbours of each value among the sorted values of the target, without a rounding of ours."""
    if source == target:
        return
    ours, other = FORMATS[source], FORMATS[target]
    x = exact_float64(ours, codes_of(source))
    values = exact_float64(other, codes_of(target))
    values = np.unique(values[np.isfinite(values)])
    legal = convert_saturating(Legal.from_bits(ours, codes_of(source)), other, FloatRules())
    known = ~np.isnan(x)
    inside = known & (x >= values[0]) & (x <= values[-1])
    x = np.where(inside, x, 0.0)
    after = np.searchsorted(values, x)
    low, high = np.where(values[after] == x, x, values[np.maximum(after - 1, 0)]), values[after]
    if not (ours.is_float and other.is_float):
        gap = (x - low) - (high - x)
        even = to_ordinal_of_values(other, low) % 2 == 0
        nearest = np.where((gap < 0) | ((gap == 0) & even), low, high)
        low = high = nearest
    found = [as_values(other, end) for end in (legal.lo, legal.hi)]
    np.testing.assert_array_equal(found[0][inside], low[inside])
    np.testing.assert_array_equal(found[1][inside], high[inside])
    assert not legal.nan[inside].any()
    assert not legal.why[inside].any()


def as_values(fmt, ordinals):
    return float64_of_ordinals(fmt, ordinals) if fmt.is_float else ordinals.astype(np.float64)


def to_ordinal_of_values(fmt, values):
    """Ordinals found by their values, so that "even" is the last bit of the code."""
    if not fmt.is_float:
        return values.astype(np.int64)
    codes = np.arange(1 << (fmt.bits - 1), dtype=np.uint64)
    finite = codes[codes <= fmt.largest_magnitude]
    return np.searchsorted(exact_float64(fmt, finite), np.abs(values))


TWINS = {
    "f16": format_info_binary16,
    "bf16": format_info_bfloat16,
    "e5m2": format_info_ocp_e5m2,
    "e4m3": format_info_ocp_e4m3,
    "f32": format_info_binary32,
}


@pytest.mark.parametrize("target", TWINS)
def test_neighbours_against_gfloat(target):
    source, fmt = FORMATS["f32"], FORMATS[target]
    codes = edges(source, 9)
    if source == fmt:
        source, codes = FORMATS["s64"], edges(FORMATS["s64"], 9)
    legal = convert_saturating(Legal.from_bits(source, codes), fmt, FloatRules())
    checked = 0
    for place, code in enumerate(codes.tolist()):
        if source.is_float:
            x = float(exact_float64(source, np.array([code], np.uint64))[0])
            modes = (RoundMode.TowardNegative, RoundMode.TowardPositive)
        else:
            x = int(to_ordinal(source, np.array([code], np.uint64))[0])
            if int(float(x)) != x:
                continue  # gfloat rounds float64 numbers only
            modes = (RoundMode.TiesToEven, RoundMode.TiesToEven)
        if math.isnan(x) or math.isinf(x) or abs(x) > float64_of_ordinals(fmt, np.array([fmt.largest_magnitude]))[0]:
            continue
        ends = [float(float64_of_ordinals(fmt, end[place : place + 1])[0]) for end in (legal.lo, legal.hi)]
        assert ends == [round_float(TWINS[target], float(x), mode) for mode in modes], x
        checked += 1
    assert checked > 100


@pytest.mark.parametrize(
    ("target", "narrow"),
    [
        ("f16", np.float16),
        ("bf16", ml_dtypes.bfloat16),
        ("e5m2", ml_dtypes.float8_e5m2),
        ("e4m3", ml_dtypes.float8_e4m3fn),
    ],
)
def test_casts_of_ml_dtypes_are_legal(target, narrow):
    """From float32, whose casts round once: every one of them is a conversion as the rules allow it."""
    codes = np.unique(np.random.default_rng(3).integers(0, 1 << 32, 100_000, np.uint64))
    codes = np.concatenate([codes, edges(FORMATS["f32"], 4)])
    single = codes.astype(np.uint32).view(np.float32)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        theirs = single.astype(narrow)
    fmt = FORMATS[target]
    bits = theirs.view(f"u{fmt.nbytes}").astype(np.uint64)
    for rules in (RULES["strict"], RULES["nearest"]):
        legal = convert_saturating(Legal.from_bits(FORMATS["f32"], codes), fmt, rules)
        assert not legal.illegal(bits).any()
    assert (is_nan(fmt, bits) == np.isnan(theirs.astype(np.float64))).all()


@pytest.mark.parametrize("source", ["f16", "bf16", "f32", "f64", "s64", "u64", "s32"])
def test_sets_hold_the_conversions_of_what_they_hold(source):
    """From the converted least to the converted greatest, and no further."""
    fmt = FORMATS[source]
    rng = np.random.default_rng(8)
    lo = rng.integers(fmt.min_ordinal, fmt.max_ordinal, 400, endpoint=True)
    width = (rng.integers(0, 1 << 62, 400) >> rng.integers(0, 62, 400)).astype(np.uint64)
    reach = (np.int64(fmt.max_ordinal) - lo.astype(object)).astype(np.uint64)
    hi = (lo.astype(np.uint64) + np.minimum(width, reach)).astype(np.int64)
    whole = Legal.interval(fmt, lo, hi)
    least, most = Legal.interval(fmt, lo, lo), Legal.interval(fmt, hi, hi)
    for target in NAMES:
        if target == source:
            continue
        found = convert_saturating(whole, FORMATS[target], FloatRules())
        ends = [convert_saturating(one, FORMATS[target], FloatRules()) for one in (least, most)]
        np.testing.assert_array_equal(found.lo, ends[0].lo)
        np.testing.assert_array_equal(found.hi, ends[1].hi)
        np.testing.assert_array_equal(found.nan, ends[0].nan | ends[1].nan)


def test_what_is_not_judged_stays_so_and_nan_may_be():
    half, word = FORMATS["f16"], FORMATS["s32"]
    nothing = np.zeros(2, np.int64)
    one = Legal.interval(
        half, nothing, nothing, np.array([False, True]), np.array([Reason.INEXACT_RELOAD, 0], np.uint8)
    )
    assert convert_saturating(one, word, FloatRules()).why.tolist() == [Reason.INEXACT_RELOAD, Reason.SPEC_SILENT]
    as_float = convert_saturating(one, FORMATS["f32"], FloatRules())
    assert as_float.why.tolist() == [Reason.INEXACT_RELOAD, 0]
    assert as_float.nan.tolist()[1]


def test_the_same_format_keeps_the_very_bits():
    moved = Legal.from_bits(FORMATS["f16"], np.array([0x8000, 0x7E01], np.uint64))
    assert convert_saturating(moved, FORMATS["f16"], FloatRules()) is moved


@pytest.mark.parametrize("source", ["s16", "u16", "f16", "bf16"])
def test_all_values_of_a_type_of_16_bits_to_every_target_within_5_seconds(source):
    whole = Legal.from_bits(FORMATS[source], codes_of(source))
    start = process_time()
    for target in NAMES:
        convert_saturating(whole, FORMATS[target], RULES["flushing"])
    assert process_time() - start < 5
