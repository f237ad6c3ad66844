"""Where exact values lie among those of a float format, told in halves of a unit in the last place.

All functions take sizes: values >= 0 as float64, in which an inexact value is known by a last bit that is set.
They answer magnitude ordinals. One unit is the distance of the format's values in the binade of the size.
"""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.numerics.ordinals import Doubles, Flags, Ordinals
from mmaspec.programs.formats import Format


def _halves(fmt: Format, size: Doubles) -> tuple[Ordinals, Flags, Ordinals]:
    """Whole half units below the size, whether there is more, and the exponent of the unit."""
    _, exponent = np.frexp(size)
    unit = np.where(size == 0, fmt.qmin, np.maximum(exponent - 1, fmt.emin) - fmt.fraction_bits).astype(np.int64)
    scaled = np.ldexp(size, (1 - unit).astype(np.int32))
    whole = np.floor(scaled)
    return whole.astype(np.int64), whole != scaled, unit


def _ordinal(fmt: Format, units: Ordinals, unit: Ordinals) -> Ordinals:
    """The ordinal of that many units; codes are consecutive, so a carry into the exponent is right."""
    return units + (unit - fmt.qmin) * (1 << fmt.fraction_bits)


def away(fmt: Format, size: Doubles, half_ulps: int) -> Ordinals:
    """The largest magnitude at most ``half_ulps`` halves of a unit above the size; Inf beyond Omega."""
    whole, _, unit = _halves(fmt, size)
    bound = whole + half_ulps
    # In the next binade only every other unit is a value.
    carried = bound >= 4 << fmt.fraction_bits
    found = np.where(carried, _ordinal(fmt, bound >> 2, unit + 1), _ordinal(fmt, bound >> 1, unit))
    return np.where(found > fmt.largest_magnitude, fmt.infinity_magnitude, found)


def toward_zero(fmt: Format, size: Doubles, half_ulps: int) -> Ordinals:
    """The smallest magnitude at most ``half_ulps`` halves of a unit below the size, negative beyond zero."""
    whole, more, unit = _halves(fmt, size)
    bound = whole - half_ulps + more
    # Below the smallest number of a binade, halves of its unit are values.
    below = (bound < 2 << fmt.fraction_bits) & (unit > fmt.qmin)
    found = np.where(below, _ordinal(fmt, bound, unit - 1), _ordinal(fmt, -(-bound >> 1), unit))
    return np.minimum(found, fmt.largest_magnitude)


def truncated(fmt: Format, size: Doubles) -> tuple[Ordinals, Flags]:
    """The largest finite magnitude that is not above the size, and whether it is less."""
    whole, more, unit = _halves(fmt, size)
    found = _ordinal(fmt, whole >> 1, unit)
    beyond = found > fmt.largest_magnitude
    return np.where(beyond, fmt.largest_magnitude, found), more | (whole % 2 == 1) | beyond


def nearest_even(fmt: Format, size: Doubles) -> Ordinals:
    """The magnitude rounded to nearest, ties to even; Inf as if the exponent had no bound."""
    whole, more, unit = _halves(fmt, size)
    kept = whole >> 1
    up = (whole % 2 == 1) & (more | (kept % 2 == 1))
    found = _ordinal(fmt, kept + up, unit)
    return np.where(found > fmt.largest_magnitude, fmt.infinity_magnitude, found)
