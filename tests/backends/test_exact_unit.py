"""The exact unit against rational numbers, on data built to tell one rounding from two."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mmaspec.backends.numpy.units.catalogue import ExactUnit, SequentialUnit
from mmaspec.backends.numpy.units.encoding import bits_of_doubles, doubles_of
from mmaspec.programs.formats import FORMATS

from . import operands
from .operands import Bits, rounded_once

PAIRS = [
    ("f16", "f32"),
    ("f16", "f16"),
    ("bf16", "f32"),
    ("bf16", "bf16"),
    ("f32", "f32"),
    ("e4m3", "f32"),
    ("e5m2", "f16"),
]
REGIMES: list[Callable[..., Bits]] = [operands.finite, operands.moderate, operands.subnormal]


def _check(a_fmt: str, a: Bits, b_fmt: str, b: Bits, c_fmt: str, c: Bits) -> None:
    got = ExactUnit().multiply_add(a_fmt, a, b_fmt, b, c_fmt, c)
    expected = rounded_once(a_fmt, a, b_fmt, b, c_fmt, c)
    zero = np.uint64(FORMATS[c_fmt].mask >> 1)
    wrong = (got != expected) & ((got | expected) & zero != 0)
    assert not wrong.any(), [(hex(x), hex(y)) for x, y in zip(got[wrong][:3], expected[wrong][:3], strict=True)]


@pytest.mark.parametrize(("operand", "accumulator"), PAIRS)
@pytest.mark.parametrize("regime", REGIMES)
def test_the_sum_is_rounded_once(operand: str, accumulator: str, regime: Callable[..., Bits]) -> None:
    rng = np.random.default_rng(11)
    a, b = regime(rng, operand, 3, 5, 9), regime(rng, operand, 3, 9, 4)
    _check(operand, a, operand, b, accumulator, regime(rng, accumulator, 3, 5, 4))


@pytest.mark.parametrize(("operand", "accumulator"), PAIRS)
def test_a_crumb_decides_a_tie(operand: str, accumulator: str) -> None:
    a, b, c = operands.near_ties(np.random.default_rng(12), operand, accumulator, 150)
    _check(operand, a, operand, b, accumulator, c)


@pytest.mark.parametrize(("operand", "accumulator"), PAIRS)
def test_what_cancellation_leaves_is_exact(operand: str, accumulator: str) -> None:
    rng = np.random.default_rng(13)
    a, b = operands.moderate(rng, operand, 2, 4, 7), operands.moderate(rng, operand, 2, 7, 4)
    c = operands.moderate(rng, accumulator, 2, 4, 4)
    minus_sum = ExactUnit().multiply_add(operand, a, operand, b, accumulator, np.zeros_like(c))
    minus_sum ^= np.uint64(FORMATS[accumulator].sign_bit)
    _check(operand, a, operand, b, accumulator, minus_sum)
    # The same products twice with opposite signs: only C is left.
    doubled = np.concatenate((a, a ^ np.uint64(FORMATS[operand].sign_bit)), axis=-1)
    got = ExactUnit().multiply_add(operand, doubled, operand, np.concatenate((b, b), axis=-2), accumulator, c)
    assert np.array_equal(got, c)


@pytest.mark.parametrize("depth", [1, 64, 2048, 2049])
def test_long_products_of_the_largest_numbers(depth: int) -> None:
    a = np.full((1, 1, depth), 0x7BFF, np.uint64)
    b = np.full((1, depth, 1), 0xFBFF, np.uint64)
    b[0, 0, 0] = 1
    _check("f16", a, "f16", b, "f32", np.full((1, 1, 1), 0x80000001, np.uint64))


@pytest.mark.parametrize("formats", [("f64", "f64", "f64"), ("f32", "f32", "f64"), ("f64", "f16", "f32")])
def test_doubles_go_the_slow_way(formats: tuple[str, str, str]) -> None:
    rng = np.random.default_rng(14)
    for regime in REGIMES:
        a, b, c = (regime(rng, name, 2, 3, 3) for name in formats)
        _check(formats[0], a, formats[1], b, formats[2], c)


def test_leading_dimensions_broadcast() -> None:
    rng = np.random.default_rng(15)
    for name in ("f16", "f32"):
        a, b, c = (
            operands.moderate(rng, name, 4, 4),
            operands.moderate(rng, name, 3, 1, 4, 4),
            operands.moderate(rng, "f32", 2, 4, 4),
        )
        for unit in (ExactUnit(), SequentialUnit()):
            got = unit.multiply_add(name, a, name, b, "f32", c)
            assert got.shape == (3, 2, 4, 4)
            assert np.array_equal(got[1, 0], unit.multiply_add(name, a, name, b[1, 0], "f32", c[0]))


INF, NAN, ONE, TINY = 0x7C00, 0x7E01, 0x3C00, 0x0001
MINUS = 0x8000


@pytest.mark.parametrize("unit", [ExactUnit(), SequentialUnit()], ids=["exact", "sequential"])
@pytest.mark.parametrize(
    ("a", "b", "c", "expected"),
    [
        ((INF, ONE), (ONE, ONE), ONE, INF),
        ((INF, ONE), (ONE | MINUS, ONE), ONE, INF | MINUS),
        ((INF, ONE), (0, ONE), ONE, 0x7E00),
        ((INF, INF), (ONE, ONE | MINUS), ONE, 0x7E00),
        ((INF, ONE), (TINY, ONE), ONE, INF),
        ((INF, ONE), (ONE, ONE), INF | MINUS, 0x7E00),
        ((ONE, ONE), (ONE, ONE), INF, INF),
        ((NAN, 0), (0, 0), 0, 0x7E00),
        ((ONE, 0), (ONE, 0), NAN, 0x7E00),
        ((0x7BFF, ONE), (0x7BFF, ONE), ONE, INF),
    ],
)
def test_specials_follow_ieee_754(
    unit: ExactUnit | SequentialUnit, a: tuple[int, int], b: tuple[int, int], c: int, expected: int
) -> None:
    left, right = np.array([[a]], np.uint64), np.array([[[x] for x in b]], np.uint64)
    got = unit.multiply_add("f16", left, "f16", right, "f16", np.array([[[c]]], np.uint64))
    assert got.item() == expected


def test_terms_beyond_the_largest_finite_may_cancel() -> None:
    a, b = np.array([[[0x7BFF, 0x7BFF]]], np.uint64), np.array([[[0x7BFF], [0x7BFF | MINUS]]], np.uint64)
    got = ExactUnit().multiply_add("f16", a, "f16", b, "f16", np.array([[[ONE]]], np.uint64))
    assert got.item() == ONE


def test_a_sum_below_the_smallest_float_keeps_its_sign() -> None:
    tiny, minus = np.full((1, 1, 1), 1, np.uint64), np.full((1, 1, 1), 0x80000001, np.uint64)
    got = ExactUnit().multiply_add("f32", tiny, "f32", minus, "f32", np.zeros((1, 1, 1), np.uint64))
    assert got.item() == 0x80000000


@pytest.mark.parametrize("name", ["f16", "bf16", "e4m3", "e5m2"])
def test_every_code_of_a_narrow_format_survives(name: str) -> None:
    fmt = FORMATS[name]
    codes = np.arange(1 << fmt.bits, dtype=np.uint64)
    values = doubles_of(fmt, codes)
    numbers = ~np.isnan(values)
    assert np.array_equal(bits_of_doubles(fmt, values)[numbers], codes[numbers])
    assert (bits_of_doubles(fmt, values)[~numbers] == fmt.nan_bits).all()
    for code in range(0, 1 << fmt.bits, 97):
        expected = operands.fraction_of(fmt, code)
        assert expected is None or expected == values[code]


@pytest.mark.parametrize("name", ["f16", "bf16", "f32"])
def test_halfway_between_two_codes(name: str) -> None:
    """A double just off the midpoint must not meet the midpoint on the way down."""
    fmt = FORMATS[name]
    codes = np.linspace(1, fmt.largest_magnitude - 1, 2000).astype(np.uint64)
    below, above = doubles_of(fmt, codes), doubles_of(fmt, codes + np.uint64(1))
    middle = (below + above) / 2
    assert np.array_equal(bits_of_doubles(fmt, np.nextafter(middle, 0)), codes)
    assert np.array_equal(bits_of_doubles(fmt, np.nextafter(middle, np.inf)), codes + np.uint64(1))
    assert np.array_equal(bits_of_doubles(fmt, middle), codes + (codes & np.uint64(1)))
