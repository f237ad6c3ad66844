"""How far a float64 sum of exact products may be off, and what can be said of a value known that well.

Rounding is monotone: where both ends of the uncertainty round alike, so does everything between.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mmaspec.oracle.numerics.bulk.fixed_point import cut, fixed, floor_ordinals, round_fixed, signed, sizes
from mmaspec.oracle.numerics.ordinals import Doubles, Flags, Ordinals
from mmaspec.programs.formats import Format
from mmaspec.programs.rounding_mode import Mode

MAX_K = 4096
"""Products per element up to which the error bounds are proved."""

U = 2.0**-53
"""Unit roundoff of float64."""


@dataclass(slots=True)
class Certificate:
    """How much of the error bound is used, as a factor: 1 in production. Tests change it to see the engines fail."""

    factor: float = 1.0


CERTIFICATE = Certificate()


def relative_error(k: int) -> float:
    """The error bound of the float64 sum of K exact products and C, relative to the float64 sum of their sizes.

    K + 1 terms added in any order, fused or not, err by at most (K + 1) u S (1 + small), if nothing underflows; the
    sum of sizes and the two differences d - e and d + e add a few u.
    """
    return (k + 8) * U * CERTIFICATE.factor


def certain_ordinals(fmt: Format, v: Doubles, error: Doubles, mode: Mode) -> tuple[Ordinals, Flags]:
    """Ordinals of numbers less than `error` away from v (or v itself where that is 0), and where they are certain."""
    if mode is Mode.NEAREST_EVEN:
        size, sure = nearest_sizes(fmt, v, error)
        return signed(size, v), sure
    low, high = round_fixed(fmt, fixed(fmt, v - error), mode), round_fixed(fmt, fixed(fmt, v + error), mode)
    return low, low == high


def nearest_sizes(fmt: Format, v: Doubles, error: Doubles) -> tuple[Ordinals, Flags]:
    """The same to nearest, ties to even, without the sign, which is that of v unless the size is 0.

    Where no tie is between the ends, as none is where they agree below, ties to even and ties up are alike.
    """
    ends = v - error, v + error
    low, high = (sizes(fmt, end) for end in ends)
    half = 1 << (cut(fmt) - 1)
    for size in (low, high):
        np.add(size, half, out=size)
        np.right_shift(size, cut(fmt), out=size)
    sure: Flags = low == high
    isolated = (ends[0].view(np.int64) ^ ends[1].view(np.int64)) < 0
    if isolated.any():
        sure &= ~isolated | (low == 0)
    if low.max(initial=0) > fmt.infinity_magnitude:
        np.minimum(low, fmt.infinity_magnitude, out=low)
    return low, sure


def certain_floor(fmt: Format, v: Doubles, error: Doubles) -> tuple[Ordinals, Flags]:
    """Floor ordinals of numbers within `error` of v, and where they are certain."""
    low = floor_ordinals(fmt, v - error)
    return low, low == floor_ordinals(fmt, v + error)
