"""Float64 values among those of a narrower format, by bits alone: nothing is rounded by a cast.

A value becomes an ordinal of the format with `cut` bits behind the point, one int64. Codes of neighbouring values are
consecutive, across binades too, so that every rounding mode is one integer addition and one shift.
"""

from __future__ import annotations

import math

import numpy as np

from mmaspec.oracle.numerics.ordinals import Doubles, Ordinals
from mmaspec.programs.formats import Format
from mmaspec.programs.rounding_mode import Mode

_SIZE = (1 << 63) - 1
_NORMAL = 1 << 52


def cut(fmt: Format) -> int:
    """Bits behind the point: those by which float64's fraction is longer. At least 29 for formats up to f32."""
    return 52 - fmt.fraction_bits


def sizes(fmt: Format, v: Doubles) -> Ordinals:
    """Sizes of finite float64 values as ordinals of `fmt` times 2^cut, the last bit sticky; formats up to f32.

    A normal of the format keeps its bits: the fraction in place, the exponent biased anew. Below the smallest normal
    the distance of the values is the quantum, and bits lost beyond 2^-cut of it are kept as a last bit that is set.
    Beyond Omega ordinals go on as if exponents had no bound.
    """
    size = v.view(np.int64) & _SIZE
    size -= (1023 - fmt.bias) << 52
    if size.size and size.min() < _NORMAL:
        small = size < _NORMAL
        scaled = np.abs(v[small]) * math.ldexp(1.0, cut(fmt) - fmt.qmin)  # exact: below 2^52, far from underflow
        whole = np.floor(scaled)
        size[small] = whole.astype(np.int64) | (whole != scaled)
    return size


def fixed(fmt: Format, v: Doubles) -> Ordinals:
    """The same with signs."""
    return signed(sizes(fmt, v), v)


def signed(size: Ordinals, v: Doubles) -> Ordinals:
    """Sizes with the signs of v, in place."""
    sign = v.view(np.int64) >> 63
    size ^= sign
    size -= sign
    return size


def round_fixed(fmt: Format, x: Ordinals, mode: Mode) -> Ordinals:
    """Ordinals of values that `fixed` gave, rounded in `mode`; overflow as in `rounding.round_to`."""
    places = cut(fmt)
    half, fraction = 1 << (places - 1), (1 << places) - 1
    top = inf = fmt.infinity_magnitude
    bottom = -inf
    match mode:
        case Mode.NEAREST_EVEN:
            found = x >> places
            found &= 1
            found += x
            found += half - 1
        case Mode.NEAREST_AWAY:
            found = x + half
            found -= x < 0
        case Mode.TOWARD_ZERO:
            found = x + np.where(x < 0, fraction, 0)
            top, bottom = inf - 1, 1 - inf
        case Mode.DOWN:
            found, top = x.copy(), inf - 1
        case Mode.UP:
            found, bottom = x + fraction, 1 - inf
        case Mode.TO_ODD:
            found = x | ((x & fraction) != 0).astype(np.int64) << places
            top, bottom = inf - 1, 1 - inf
    found >>= places
    if found.size and (found.max() > top or found.min() < bottom):
        np.clip(found, bottom, top, out=found)
    return found


def floor_ordinals(fmt: Format, v: Doubles) -> Ordinals:
    """Largest ordinals whose values are <= v, for finite float64 v: -Inf below -Omega, Omega above it."""
    return round_fixed(fmt, fixed(fmt, v), Mode.DOWN)


def round_ordinals(fmt: Format, v: Doubles, mode: Mode) -> Ordinals:
    """Ordinals of finite float64 values rounded in `mode`."""
    return round_fixed(fmt, fixed(fmt, v), mode)
