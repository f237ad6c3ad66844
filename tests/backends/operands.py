"""Operands that tell arithmetic units apart, and what the exact sum rounds to."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.rounding import round_to
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.rounding_mode import Mode

Bits = NDArray[np.uint64]


def fraction_of(fmt: Format, code: int) -> Fraction | None:
    """The value of a code by the fields of its format; None for NaN and Inf."""
    magnitude = code & ~fmt.sign_bit
    if magnitude > fmt.largest_magnitude:
        return None
    field, fraction = divmod(magnitude, 1 << fmt.fraction_bits)
    significand = fraction + (1 << fmt.fraction_bits if field else 0)
    value = significand * Fraction(2) ** (max(field, 1) - fmt.bias - fmt.fraction_bits)
    return -value if code & fmt.sign_bit else value


def finite(rng: np.random.Generator, name: str, *shape: int) -> Bits:
    """Any finite codes."""
    fmt = FORMATS[name]
    magnitude = rng.integers(0, fmt.largest_magnitude + 1, shape, dtype=np.uint64)
    return magnitude | rng.integers(0, 2, shape, dtype=np.uint64) << np.uint64(fmt.bits - 1)


def moderate(rng: np.random.Generator, name: str, *shape: int) -> Bits:
    """Normal numbers of nearly one size, so that sums round in every way."""
    fmt = FORMATS[name]
    field = rng.integers(fmt.bias - 2, fmt.bias + 3, shape, dtype=np.uint64)
    fraction = rng.integers(0, 1 << fmt.fraction_bits, shape, dtype=np.uint64)
    sign = rng.integers(0, 2, shape, dtype=np.uint64) << np.uint64(fmt.bits - 1)
    return sign | field << np.uint64(fmt.fraction_bits) | fraction


def subnormal(rng: np.random.Generator, name: str, *shape: int) -> Bits:
    """Subnormal numbers and the lowest normal ones."""
    fmt = FORMATS[name]
    magnitude = rng.integers(0, 2 << fmt.fraction_bits, shape, dtype=np.uint64)
    return magnitude | rng.integers(0, 2, shape, dtype=np.uint64) << np.uint64(fmt.bits - 1)


def exact_sum(a_fmt: str, a: Bits, b_fmt: str, b: Bits, c_fmt: str, c: int) -> Fraction:
    """One element: row ``a`` times column ``b`` plus ``c``."""
    total = fraction_of(FORMATS[c_fmt], c)
    assert total is not None
    for left, right in zip(a.tolist(), b.tolist(), strict=True):
        x, y = fraction_of(FORMATS[a_fmt], left), fraction_of(FORMATS[b_fmt], right)
        assert x is not None
        assert y is not None
        total += x * y
    return total


def rounded_once(a_fmt: str, a: Bits, b_fmt: str, b: Bits, c_fmt: str, c: Bits) -> Bits:
    """A*B + C, the exact sums rounded to nearest even; a zero sum is +0."""
    expected = np.empty_like(c)
    for index in np.ndindex(c.shape):
        column = b[*index[:-2], :, index[-1]]
        exact = exact_sum(a_fmt, a[*index[:-1], :], b_fmt, column, c_fmt, int(c[index]))
        expected[index] = round_to(FORMATS[c_fmt], exact, Mode.NEAREST_EVEN)
    return expected


def near_ties(rng: np.random.Generator, operand: str, accumulator: str, count: int) -> tuple[Bits, Bits, Bits]:
    """``count`` tiles 1 x 3 times 3 x 1: C, half an ulp of C, and a crumb far below it that decides, or none."""
    fmt, acc = FORMATS[operand], FORMATS[accumulator]
    lowest, highest = fmt.emin, fmt.emax
    c_field = rng.integers(acc.bias - 1, acc.bias + 2, count)
    fraction = rng.integers(0, 1 << acc.fraction_bits, count)
    half = c_field - acc.bias - acc.fraction_bits - 1

    def power(exponent: NDArray[np.int64]) -> Bits:
        return (np.clip(exponent, lowest, highest) + fmt.bias).astype(np.uint64) << np.uint64(fmt.fraction_bits)

    def split(exponent: NDArray[np.int64]) -> tuple[Bits, Bits]:
        first = np.clip(exponent, lowest, 0)
        return power(first), power(exponent - first)

    crumb = np.maximum(half - rng.integers(1, 60, count), 2 * lowest)
    (half_a, half_b), (crumb_a, crumb_b) = split(half), split(crumb)
    signs = rng.integers(0, 2, (3, count), dtype=np.uint64)
    crumb_b = np.where(rng.integers(0, 4, count) == 0, np.uint64(0), crumb_b)
    zero = np.zeros(count, np.uint64)
    sign = np.uint64(fmt.bits - 1)
    a = np.stack([half_a | signs[0] << sign, crumb_a | signs[1] << sign, zero], axis=-1)[:, np.newaxis, :]
    b = np.stack([half_b, crumb_b, zero], axis=-1)[:, :, np.newaxis]
    c = (c_field << acc.fraction_bits | fraction).astype(np.uint64) | signs[2] << np.uint64(acc.bits - 1)
    return a, b, c[:, np.newaxis, np.newaxis]
