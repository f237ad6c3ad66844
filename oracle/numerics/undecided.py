"""The second stage: sums of products that an error bound could not place, this time without error.

Tiles with many such elements are multiplied again as a whole, by exact slices; of the others the products of each
element are gathered and split. Both cost a few times the first stage, not the thousandfold of unlimited integers,
which only elements of extreme spread still need.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import slices
from .exact_sum import Parts, split_terms, to_odd
from .ordinals import Doubles, Flags

_DENSE = 16
"""A tile is multiplied again if at least one element in so many is undecided."""

_GATHERED = 1 << 16
"""Products held at a time: half a megabyte."""


def settle(a: Doubles, b: Doubles, c: Doubles, undecided: Flags, total: Doubles) -> NDArray[np.intp]:
    """Put the exact sums A*B + C, rounded to odd, into `total` where undecided, and into whole tiles with many such.

    A (T, M, K), B (T, K, N) and C (T, M, N) are finite, with products exact in float64. Answers the elements that even
    this could not place, as (T, i, j) rows; their totals are left as they were.
    """
    dense = np.count_nonzero(undecided, axis=(1, 2)) * _DENSE >= undecided[0].size
    if dense.all():
        undecided = ~_again(a, b, c, total)
    elif dense.any():
        tiles = np.flatnonzero(dense)
        own = total[tiles]
        known = _again(a[tiles], b[tiles], c[tiles], own)
        total[tiles] = own
        undecided = undecided.copy()
        undecided[tiles] = ~known
    at = np.argwhere(undecided)
    if not len(at):
        return at
    left: list[NDArray[np.intp]] = []
    columns = b.swapaxes(1, 2)
    step = max(1, _GATHERED // (a.shape[-1] + 1))
    for start in range(0, len(at), step):
        t, i, j = at[start : start + step].T
        products = a[t, i] * columns[t, j]
        values, known = to_odd(split_terms(np.concatenate([products.T, c[t, i, j][None]])))
        total[t, i, j] = values if known is None else np.where(known, values, total[t, i, j])
        if known is not None and not known.all():
            left.append(at[start : start + step][~known])
    return np.concatenate(left) if left else at[:0]


def _again(a: Doubles, b: Doubles, c: Doubles, total: Doubles) -> Flags:
    """Multiply whole tiles by exact slices, into `total`; answers where that is certain."""
    found = slices.product(a, b)
    values, known = to_odd(Parts((*found.parts, c), found.rest, found.error))
    if known is None:
        total[...] = values
        return np.ones(total.shape, np.bool_)
    np.copyto(total, values, where=known)
    return known
