"""Sums of products of floats, exactly, as the sum of a few float64 arrays."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.units.encoding import Doubles
from mmaspec.programs.formats import Format

_SPLIT = 20
"""Bits of the low half of a fixed-point operand, and at most as many in the high half."""
_LONGEST = 1 << 11
"""Longest dot product of the fixed-point form: 2 K products of 2^40 stay below 2^53."""
_LOWEST = -24
"""Exponent of the fixed point: f16's quantum, and below those of the 8-bit formats."""


def fits_fixed_point(fmt: Format, depth: int) -> bool:
    """Whether every finite value is an integer below 2^40 times 2^-24, and the dot product not too long."""
    return depth <= _LONGEST and fmt.qmin >= _LOWEST and fmt.emax + 1 - _LOWEST <= 2 * _SPLIT


def fixed_point_terms(a: Doubles, b: Doubles) -> list[Doubles]:
    """Three arrays (..., M, N) whose exact sum is ``a @ b``, for finite operands that fit the fixed point.

    Every operand is split into two integers of at most 20 bits; every partial sum of their products is an
    integer below 2^53 times a power of two, so BLAS is exact in whichever order it adds.
    """
    high_a, low_a = _halves(a)
    high_b, low_b = _halves(b)
    mixed = np.concatenate((high_a, low_a), axis=-1) @ np.concatenate((low_b, high_b), axis=-2)
    unit = 2.0 ** (2 * _LOWEST)
    return [high_a @ high_b * (unit * 2.0 ** (2 * _SPLIT)), mixed * (unit * 2.0**_SPLIT), low_a @ low_b * unit]


def _halves(values: Doubles) -> tuple[Doubles, Doubles]:
    scaled = values * 2.0**-_LOWEST
    high = np.trunc(scaled * 2.0**-_SPLIT)
    return high, scaled - high * 2.0**_SPLIT


def extracted_terms(products: Doubles) -> Iterator[tuple[NDArray[np.intp], list[Doubles]]]:
    """Sum ``products`` (K, E) over K exactly: pairs of indices into E and the terms of their sums.

    Error-free extraction (Rump, Ogita, Oishi): adding and subtracting a power of two above K times the
    largest product leaves the leading bits of each, on a grid so coarse that their sum is exact; the
    remainders, also exact, go round again until all are zero. Every index comes exactly once.
    """
    depth, count = products.shape
    indices = np.arange(count)
    headroom = (depth + 1).bit_length()
    terms: list[Doubles] = []
    while indices.size:
        largest = np.abs(products).max(axis=0, initial=0.0)
        grid = np.ldexp(1.0, np.frexp(largest)[1] + headroom)
        leading = (products + grid) - grid
        products = products - leading
        terms.append(leading.sum(axis=0))
        alive = products.any(axis=0)
        if alive.all():
            continue
        done = ~alive
        yield indices[done], [term[done] for term in terms]
        indices, products, terms = indices[alive], products[:, alive], [term[alive] for term in terms]
