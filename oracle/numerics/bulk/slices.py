"""Exact matrix products by slices: operands cut into pieces so short that float64 products of them have no error.

Each row of A and each column of B is cut at places relative to its largest entry. A piece holds at most (53 - log2 K)/2
bits, so that a sum of K products of pieces is an integer below 2^53 of one power of two, exact in whatever order BLAS
adds. What two pieces do not hold is small; it is multiplied in float64 and its error bounded.
"""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.numerics.bulk.exact_sum import Parts, anchor, log2_ceil
from mmaspec.oracle.numerics.ordinals import Doubles

_U = 2.0**-53


def product(a: Doubles, b: Doubles) -> Parts:
    """A (T, M, K) times B (T, K, N), finite values whose pairwise products are exact in float64, K at most 4096."""
    k = a.shape[-1]
    bits = (53 - log2_ceil(k)) // 2
    a_first, a_second, a_rest = _cut(a, -1, bits)
    b_first, b_second, b_rest = _cut(b, -2, bits)
    parts = [a_first @ b_first]
    if a_second is not None and b_second is not None:
        # the two are multiples of the same power of two, and their sum is below 2^53 of it
        parts += [a_first @ b_second + a_second @ b_first, a_second @ b_second]
    elif b_second is not None:
        parts.append(a_first @ b_second)
    elif a_second is not None:
        parts.append(a_second @ b_first)
    if a_rest is None and b_rest is None:
        return Parts(tuple(parts))
    rest, size = np.zeros(parts[0].shape), np.zeros(parts[0].shape)
    if a_rest is not None:
        rest += a_rest @ b
        size += np.abs(a_rest) @ np.abs(b)
    if b_rest is not None:
        kept = a if a_rest is None else a - a_rest
        rest += kept @ b_rest
        size += np.abs(kept) @ np.abs(b_rest)
    return Parts(tuple(parts), rest, size * ((2 * k + 8) * _U))


def _cut(v: Doubles, axis: int, bits: int) -> tuple[Doubles, Doubles | None, Doubles | None]:
    """Two pieces of `bits` bits below the largest entry along the axis, and what is left; None for nothing."""
    at = anchor(np.abs(v).max(axis=axis, keepdims=True, initial=0.0), bits)
    first = v + at
    first -= at
    left = v - first
    if not left.any():
        return first, None, None
    at *= 2.0**-bits
    second = left + at
    second -= at
    left -= second
    return first, second, left if left.any() else None
