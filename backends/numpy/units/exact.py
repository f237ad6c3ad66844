"""The default unit: every sum of products is exact and rounded once, to nearest, ties to even."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.units.dot_terms import extracted_terms
from mmaspec.backends.numpy.units.encoding import Doubles, bits_of_doubles, doubles_of
from mmaspec.backends.numpy.units.expansion import sum_to_odd, to_odd
from mmaspec.backends.numpy.units.grid import Extent, extent
from mmaspec.backends.numpy.units.integers import multiply_add_integers
from mmaspec.backends.numpy.units.specials import specials
from mmaspec.backends.numpy.units.unit import Bits, Overflow
from mmaspec.programs.formats import Format, format_named
from mmaspec.programs.profile import PROFILES, Profile

_CHUNK = 1 << 16
"""Products held at a time: half a megabyte, so that the passes over them stay in cache."""
_ERROR = 2.0**-53
"""Of one float64 operation, relative."""
_FRACTION = 52
"""Fraction bits of a float64."""
_OPERATIONS = 8
"""Beside the additions of a sum: those that add C and the ends of the error, and some to spare."""


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
        lead = c.shape[:-2]
        if not a.shape[:-2] == b.shape[:-2] == lead:
            lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2], lead)
        if c.shape != (shape := (*lead, a.shape[-2], b.shape[-1])):
            wide_c = np.broadcast_to(wide_c, shape)
        formats, operands = (left, right, accumulator), (wide_a, wide_b, wide_c)
        extents = [extent(fmt, x) for fmt, x in zip(formats, operands, strict=True)]
        if all(each.finite for each in extents):
            return self._finite(formats, operands, extents)
        finite = [
            x if each.finite else np.where(np.isfinite(x), x, 0.0) for each, x in zip(extents, operands, strict=True)
        ]
        special = specials(wide_a, wide_b, wide_c)
        limited = [
            each if each.finite else extent(fmt, x) for fmt, each, x in zip(formats, extents, finite, strict=True)
        ]
        sums = self._finite(formats, finite, limited)
        return np.where(np.isfinite(special), sums, self.stored(accumulator, special))

    def _finite(self, formats: Sequence[Format], operands: Sequence[Doubles], extents: Sequence[Extent]) -> Bits:
        """The sums of finite operands; the addend has the shape of the result."""
        (a, b, c), accumulator = operands, formats[-1]
        if any(fmt.name == "f64" for fmt in formats):
            return self.stored(accumulator, _through_fractions(a, b, c, odd=accumulator.name != "f64"))
        # Products are exact in float64.
        nearly = a @ b + c
        of_a, of_b, of_c = extents
        most = a.shape[-1] * of_a.largest * of_b.largest + of_c.largest
        if most < 2.0**_FRACTION * min(of_a.lowest * of_b.lowest, of_c.lowest):  # so are all of their sums
            return self.stored(accumulator, nearly)
        # In whatever order they are added, the sum is off by less than this.
        error = np.abs(a) @ np.abs(b) + np.abs(c)
        error *= (a.shape[-1] + _OPERATIONS) * _ERROR
        both = np.empty((2, *nearly.shape))
        np.subtract(nearly, error, out=both[0])
        np.add(nearly, error, out=both[1])
        ends = self.stored(accumulator, both)
        least: Bits = ends[0]
        # Rounding is monotone: where both ends of the error are stored alike, so is the sum.
        apart = least != ends[1]
        if apart.any():
            undecided = np.nonzero(apart)
            least[undecided] = self.stored(accumulator, _through_extraction(a, b, c, undecided))
        return least

    def stored(self, accumulator: Format, total: Doubles) -> Bits:
        """Sums that were rounded to odd (to f64: rounded already), rounded once to the accumulator's format.

        Never falls while the sum rises.
        """
        return bits_of_doubles(accumulator, total)


def _through_extraction(a: Doubles, b: Doubles, c: Doubles, where: tuple[NDArray[np.intp], ...]) -> Doubles:
    """Some of the sums, exact and then rounded to odd, for operands whose products are exact in float64."""
    *lead, row, column = where
    rows = np.broadcast_to(a, (*c.shape[:-2], *a.shape[-2:]))
    columns = np.swapaxes(np.broadcast_to(b, (*c.shape[:-2], *b.shape[-2:])), -1, -2)
    addends = c[where]
    total = np.empty_like(addends)
    count = max(1, _CHUNK // max(1, a.shape[-1]))
    for start in range(0, len(total), count):
        part = slice(start, start + count)
        tiles = [index[part] for index in lead]
        products = rows[*tiles, row[part]] * columns[*tiles, column[part]]
        own_c, own_total = addends[part], total[part]
        for indices, terms in extracted_terms(np.ascontiguousarray(products.T)):
            own_total[indices] = sum_to_odd([own_c[indices], *terms])
    return total


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
