"""Exact sums of products of integers of up to 32 bits, which may need more than 64."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.integer_dot import MAX_K
from mmaspec.oracle.numerics.ordinals import Bits, Ordinals, to_ordinal
from mmaspec.programs.formats import Format

WIDE = 16
"""Bits up to which factors have products whose sums stay inside float64."""
HALF = 16
"""Bits of the lower part of a factor."""
FAR = 1 << 56
"""Sums beyond this in size are only known to be beyond any accumulator. The sums of the parts stay far below 2^63."""


@dataclass(frozen=True, slots=True, eq=False)
class WideProduct:
    """A times B, element by element.

    low     the sum modulo 2^64
    near    the sum itself, or the nearer of -``FAR`` and ``FAR``
    sizes   the sum of the sizes of the products, or ``FAR``
    """

    low: Ordinals
    near: Ordinals
    sizes: Ordinals


def wide_product(a_fmt: Format, a: Bits, b_fmt: Format, b: Bits) -> WideProduct:
    """A*B for a (..., M, K) and b (..., K, N), bits of integers of up to 32 bits; K is at most 4096."""
    if max(a_fmt.bits, b_fmt.bits) > 2 * HALF or a.shape[-1] > MAX_K:
        raise ValueError(f"no sums of {a.shape[-1]} products of {a_fmt.name} and {b_fmt.name}")
    left, right = to_ordinal(a_fmt, a), to_ordinal(b_fmt, b)
    low, near = _sum(left, right)
    return WideProduct(low, near, _sum(np.abs(left), np.abs(right))[1])


def _sum(left: Ordinals, right: Ordinals) -> tuple[Ordinals, Ordinals]:
    """The sums modulo 2^64, and the sums that lie within ``FAR``."""
    (top_a, low_a), (top_b, low_b) = _parts(left), _parts(right)
    # A part has 17 bits with its sign, so that a sum of 4096 products of two parts has at most 46, two such 47.
    high, middle, last = top_a @ top_b, top_a @ low_b + low_a @ top_b, low_a @ low_b
    with np.errstate(over="ignore"):
        total = (high << 2 * HALF) + (middle << HALF) + last
    # Without what is below 2^16: the sum of these parts cannot leave int64, and tells how large the whole is.
    upper = (high << HALF) + middle + (last >> HALF)
    beyond = np.abs(upper) >= FAR >> HALF
    return total, np.where(beyond, np.where(upper < 0, -FAR, FAR), total)


def _parts(values: Ordinals) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Upper part, with the sign, and lower part, which is not negative."""
    return values >> HALF, values & ((1 << HALF) - 1)
