"""The default unit: every sum of products is exact and rounded once, to nearest, ties to even."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from mmaspec.backends.numpy.units.dot_terms import extracted_terms, fits_fixed_point, fixed_point_terms
from mmaspec.backends.numpy.units.encoding import Doubles, bits_of_doubles, doubles_of
from mmaspec.backends.numpy.units.expansion import sum_to_odd, to_odd
from mmaspec.backends.numpy.units.integers import multiply_add_integers
from mmaspec.backends.numpy.units.specials import specials
from mmaspec.backends.numpy.units.unit import Bits, Overflow
from mmaspec.programs.formats import Format, format_named
from mmaspec.programs.profile import PROFILES, Profile

_CHUNK = 1 << 16
"""Products held at a time: half a megabyte, so that the passes over them stay in cache."""


class ExactUnit:
    """Correctly rounded products: subnormals kept, NaN and Inf as IEEE 754 has them, an exact zero is +0."""

    name = "exact"
    profile: Profile = PROFILES["correctly-rounded"]

    def multiply_add(
        self,
        a_fmt: str,
        a: Bits,
        b_fmt: str,
        b: Bits,
        c_fmt: str,
        c: Bits,
        overflow: Overflow = "wrap",
    ) -> Bits:
        """See ``ArithmeticUnit.multiply_add``."""
        left, right, accumulator = format_named(a_fmt), format_named(b_fmt), format_named(c_fmt)
        if not accumulator.is_float:
            return multiply_add_integers(left, a, right, b, accumulator, c, overflow)
        wide_a, wide_b, wide_c = doubles_of(left, a), doubles_of(right, b), doubles_of(accumulator, c)
        shape = (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2], c.shape[:-2]), a.shape[-2], b.shape[-1])
        wide_c = np.broadcast_to(wide_c, shape)
        finite_a, finite_b, finite_c = (np.where(np.isfinite(x), x, 0.0) for x in (wide_a, wide_b, wide_c))
        if "f64" in (a_fmt, b_fmt, c_fmt):
            total = _through_fractions(finite_a, finite_b, finite_c, odd=c_fmt != "f64")
        elif fits_fixed_point(left, a.shape[-1]) and fits_fixed_point(right, a.shape[-1]):
            total = sum_to_odd([finite_c, *np.broadcast_arrays(*fixed_point_terms(finite_a, finite_b), finite_c)[:3]])
        else:
            total = _through_extraction(finite_a, finite_b, finite_c)
        if not all(np.isfinite(x).all() for x in (wide_a, wide_b, wide_c)):
            special = specials(wide_a, wide_b, wide_c)
            total = np.where(np.isfinite(special), total, special)
        return self.stored(accumulator, total)

    def stored(self, accumulator: Format, total: Doubles) -> Bits:
        """Sums that were rounded to odd (to f64: rounded already), rounded once to the accumulator's format."""
        return bits_of_doubles(accumulator, total)


def _through_extraction(a: Doubles, b: Doubles, c: Doubles) -> Doubles:
    """The exact sums rounded to odd, for operands whose products are exact in float64 (bf16, f32)."""
    depth, (rows, cols) = a.shape[-1], c.shape[-2:]
    flat_a = np.broadcast_to(a, (*c.shape[:-2], rows, depth)).reshape(-1, rows, depth)
    flat_b = np.broadcast_to(b, (*c.shape[:-2], depth, cols)).reshape(-1, depth, cols)
    flat_c = c.reshape(-1, rows * cols)
    total = np.empty_like(flat_c)
    tiles = max(1, _CHUNK // max(1, rows * cols * depth))
    for start in range(0, len(flat_c), tiles):
        chunk = slice(start, start + tiles)
        left = np.moveaxis(flat_a[chunk], -1, 0)[..., :, np.newaxis]
        right = np.moveaxis(flat_b[chunk], -2, 0)[..., np.newaxis, :]
        own_c, own_total = flat_c[chunk].ravel(), np.empty(flat_c[chunk].size)
        for indices, terms in extracted_terms((left * right).reshape(depth, -1)):
            own_total[indices] = sum_to_odd([own_c[indices], *terms])
        total[chunk] = own_total.reshape(-1, rows * cols)
    return total.reshape(c.shape)


def _through_fractions(a: Doubles, b: Doubles, c: Doubles, *, odd: bool) -> Doubles:
    """Where f64 takes part no product is exact in float64: rational numbers, slowly."""
    left = np.broadcast_to(a, (*c.shape[:-2], *a.shape[-2:]))
    right = np.broadcast_to(b, (*c.shape[:-2], *b.shape[-2:]))
    nearest, rest = np.empty(c.shape), np.zeros(c.shape)
    for index in np.ndindex(c.shape):
        row, column = left[*index[:-1], :], right[*index[:-2], :, index[-1]]
        exact = Fraction(float(c[index])) + sum(
            Fraction(float(x)) * Fraction(float(y)) for x, y in zip(row, column, strict=True)
        )
        try:
            nearest[index] = float(exact)
        except OverflowError:
            nearest[index] = np.inf if exact > 0 else -np.inf
            continue
        missed = exact - Fraction(float(nearest[index]))
        rest[index] = (missed > 0) - (missed < 0)
        if nearest[index] == 0:
            nearest[index] = np.copysign(0.0, rest[index])
    return to_odd(nearest, rest) if odd else nearest
