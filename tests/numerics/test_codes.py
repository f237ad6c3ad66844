"""Codes and values: every code point of the narrow formats, boundaries of the wide ones."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from mmaspec.oracle.numerics.codec import Special, decode, value
from mmaspec.oracle.numerics.ordinals import (
    exact_float64,
    from_ordinal,
    is_inf,
    is_nan,
    is_subnormal,
    ordinal_value,
    to_ordinal,
)
from mmaspec.programs.formats import FORMATS, format_named

NARROW = [fmt for fmt in FORMATS.values() if fmt.bits <= 16]
FLOATS = [fmt for fmt in FORMATS.values() if fmt.is_float]
TWINS = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "e4m3": ml_dtypes.float8_e4m3fn,
    "e5m2": ml_dtypes.float8_e5m2,
}


def codes(fmt):
    """Every code of a narrow format, boundary and random codes of a wide one."""
    if fmt.bits <= 16:
        return np.arange(1 << fmt.bits, dtype=np.uint64)
    rng = np.random.default_rng(1)
    random = rng.integers(0, fmt.mask, 5000, np.uint64, endpoint=True)
    edges = [0, 1, fmt.sign_bit, fmt.sign_bit - 1, fmt.mask, fmt.mask - 1]
    if fmt.is_float:
        normal, top = 1 << fmt.fraction_bits, fmt.largest_magnitude
        edges += [normal - 1, normal, normal + 1, top - 1, top, top + 1, top + 2]
        edges += [edge | fmt.sign_bit for edge in edges]
    return np.concatenate([random, np.array([max(edge, 0) for edge in edges], np.uint64)])


@pytest.mark.parametrize("fmt", FORMATS.values(), ids=lambda fmt: fmt.name)
def test_round_trip_and_order(fmt):
    bits = codes(fmt)
    numbers = bits[~is_nan(fmt, bits)]
    ordinals = to_ordinal(fmt, numbers)
    back = from_ordinal(fmt, ordinals)
    minus_zero = np.uint64(fmt.sign_bit) if fmt.is_float else np.uint64(1 << 63)
    same = (back == numbers) | (fmt.is_float & (numbers == minus_zero) & (back == 0))
    assert same.all()
    assert ordinals.min() >= fmt.min_ordinal
    assert ordinals.max() <= fmt.max_ordinal
    some = np.unique(ordinals)[:: max(1, len(ordinals) // 4000)].tolist()
    values = [ordinal_value(fmt, ordinal) for ordinal in some]
    assert all(low < high for low, high in itertools.pairwise(values))


@pytest.mark.parametrize("fmt", FORMATS.values(), ids=lambda fmt: fmt.name)
def test_scalar_and_array_agree(fmt):
    bits = codes(fmt)
    bits = bits[:: max(1, len(bits) // 3000)]
    ordinals, nan, inf, subnormal = (f(fmt, bits) for f in (to_ordinal, is_nan, is_inf, is_subnormal))
    for i, code in enumerate(bits.tolist()):
        number = decode(fmt, code)
        assert nan[i] == (isinstance(number, Special) and number.kind == "nan")
        assert inf[i] == (isinstance(number, Special) and number.kind == "inf")
        if not isinstance(number, Special):
            exact = value(fmt, code)
            assert ordinal_value(fmt, int(ordinals[i])) == exact
            assert subnormal[i] == (fmt.is_float and 0 < abs(exact) < Fraction(2) ** fmt.emin)


@pytest.mark.parametrize("fmt", [fmt for fmt in FORMATS.values() if fmt.bits <= 32], ids=lambda fmt: fmt.name)
def test_exact_float64(fmt):
    bits = codes(fmt)
    got = exact_float64(fmt, bits)
    for code, number in zip(bits.tolist(), got.tolist(), strict=True):
        want = decode(fmt, code)
        if isinstance(want, Special):
            assert math.isnan(number) if want.kind == "nan" else number == (-math.inf if want.sign else math.inf)
        else:
            assert Fraction(number) == value(fmt, code)
    assert exact_float64(fmt, bits[3]).shape == ()


@pytest.mark.parametrize("name", TWINS)
def test_values_against_another_library(name):
    fmt = FORMATS[name]
    bits = np.arange(1 << fmt.bits, dtype=f"u{fmt.nbytes}")
    with np.errstate(invalid="ignore"):
        twin = bits.view(TWINS[name]).astype(np.float64)
    np.testing.assert_array_equal(exact_float64(fmt, bits.astype(np.uint64)), twin)


@pytest.mark.parametrize("fmt", FLOATS, ids=lambda fmt: fmt.name)
def test_derived_constants(fmt):
    significand, exponent = fmt.largest
    assert significand * Fraction(2) ** exponent == value(fmt, fmt.largest_magnitude)
    assert Fraction(2) ** fmt.emax <= value(fmt, fmt.largest_magnitude) < Fraction(2) ** (fmt.emax + 1)
    assert value(fmt, 1) == Fraction(2) ** fmt.qmin
    assert value(fmt, 1 << fmt.fraction_bits) == Fraction(2) ** fmt.emin
    assert is_nan(fmt, np.array([fmt.nan_bits], np.uint64)).all()


def test_names():
    assert format_named("bf16").bits == 16
    with pytest.raises(KeyError, match="tf33"):
        format_named("tf33")
    with pytest.raises(ValueError, match="not a code"):
        decode(FORMATS["f16"], 1 << 16)
    with pytest.raises(ValueError, match="no infinities"):
        _ = FORMATS["e4m3"].infinity_magnitude
