"""Exact values of any format as whole numbers times powers of two, and where they lie in another format.

Nothing goes through float64, which holds neither every integer of 64 bits nor a rounding of its own numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mmaspec.oracle.numerics.ordinals import Bits, Flags, Ordinals
from mmaspec.programs.formats import Format

_EXACT = 53
"""Bits of the largest integers up to which float64 has all."""
_ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


class Values(NamedTuple):
    """Finite numbers (-1)^negative * size * 2^exponent, element by element."""

    negative: Flags
    size: Bits
    exponent: Ordinals


class Placed(NamedTuple):
    """Sizes of numbers among those of a unit: whole units below them, and the rest against half a unit.

    rest    0: none, 1: less than a half, 2: a half, 3: more
    """

    whole: Bits
    rest: Ordinals

    def nearest_even(self) -> Bits:
        """The whole units that are nearest, of two the even number."""
        up = (self.rest == 3) | ((self.rest == 2) & (self.whole & np.uint64(1) == 1))
        found: Bits = self.whole + up.astype(np.uint64)
        return found


def values_of(fmt: Format, ordinals: Ordinals) -> Values:
    """The values of ordinals of a format; an infinity is read as what follows the largest finite number."""
    if not fmt.is_float:
        if fmt.ordinal_shift:
            size = ordinals.astype(np.uint64) ^ np.uint64(1 << 63)
            return Values(np.zeros(ordinals.shape, np.bool_), size, np.zeros(ordinals.shape, np.int64))
        return Values(ordinals < 0, _sizes(ordinals), np.zeros(ordinals.shape, np.int64))
    magnitude = np.abs(ordinals)
    field, fraction = magnitude >> fmt.fraction_bits, magnitude & ((1 << fmt.fraction_bits) - 1)
    size = (fraction + np.where(field > 0, 1 << fmt.fraction_bits, 0)).astype(np.uint64)
    return Values(ordinals < 0, size, np.maximum(field, 1) - fmt.bias - fmt.fraction_bits)


def whole_numbers(values: Values) -> tuple[Placed, Flags]:
    """The sizes in units of 1, and where they are 2^64 or more (what is placed there means nothing)."""
    length = bit_lengths(values.size)
    beyond: Flags = (values.size > 0) & (length + values.exponent > 64)
    up = np.where(beyond, 0, np.maximum(values.exponent, 0)).astype(np.uint64)
    found = _placed(values.size, np.maximum(-values.exponent, 0))
    return Placed(found.whole << up, found.rest), beyond


def float_magnitudes(fmt: Format, values: Values) -> tuple[Ordinals, Ordinals, Ordinals]:
    """Magnitude ordinals below, above and nearest (ties to even) to the sizes, as if exponents had no upper bound."""
    top = np.where(values.size > 0, bit_lengths(values.size) - 1 + values.exponent, fmt.emin)
    quantum = np.maximum(top, fmt.emin) - fmt.fraction_bits
    down = quantum - values.exponent
    left = np.maximum(-down, 0).astype(np.uint64)  # sizes that are shifted left have fewer bits than the format holds
    placed = _placed(values.size << left, np.maximum(down, 0))
    base = (quantum - fmt.qmin) * (1 << fmt.fraction_bits)
    below = base + placed.whole.astype(np.int64)
    return below, below + (placed.rest > 0), base + placed.nearest_even().astype(np.int64)


def bit_lengths(sizes: Bits) -> Ordinals:
    """How many bits each size has; 0 for 0."""
    if not (sizes >> np.uint64(_EXACT)).any():
        # Exact in float64, whose exponent says it; that of 0 is far below all others.
        found: Ordinals = (sizes.astype(np.float64).view(np.int64) >> 52) - 1022
        return np.maximum(found, 0)
    high = sizes >> np.uint64(32)
    half = np.where(high > 0, high, sizes & np.uint64(0xFFFF_FFFF))
    lengths = np.frexp(half.astype(np.float64))[1].astype(np.int64)  # of at most 32 bits, so exact
    return lengths + np.where(high > 0, 32, 0)


def _sizes(ordinals: Ordinals) -> Bits:
    """Their absolute values, that of the least of 64 bits included."""
    bits = ordinals.astype(np.uint64)
    return np.where(ordinals < 0, ~bits + np.uint64(1), bits)


def _placed(sizes: Bits, down: Ordinals) -> Placed:
    """The sizes without their lowest ``down`` bits, of which there are 0 or more, and what these are against a half."""
    if not (down > 63).any():
        places = down.astype(np.uint64)
        whole = sizes >> places
        lost = sizes - (whole << places)
        twice, unit = lost << np.uint64(1), np.uint64(1) << places
        against = (twice >= unit).astype(np.int64) + (twice > unit) + 1
        return Placed(whole, against * (lost > 0))
    return _placed_far(sizes, down)


def _placed_far(sizes: Bits, down: Ordinals) -> Placed:
    """The same where there may be more of them than a size has."""
    far = down > 64
    shift = np.clip(down, 0, 63).astype(np.uint64)
    whole = np.where(down > 63, np.uint64(0), sizes >> shift)
    lost = np.where(down > 63, sizes, sizes & ~(_ALL << shift))
    half = np.uint64(1) << (np.clip(down, 1, 64) - 1).astype(np.uint64)
    against = np.where(lost < half, 1, np.where(lost == half, 2, 3))
    rest = np.where((lost == 0) | (down == 0), 0, np.where(far, 1, against))
    return Placed(whole, rest.astype(np.int64))
