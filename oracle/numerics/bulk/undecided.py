"""The second stage: sums of products that an error bound could not place, this time without error.

Tiles with many such elements are multiplied again as a whole, by exact slices; of the others the products of each
element are gathered and split. Both cost a few times the first stage, not the thousandfold of unlimited integers,
which only elements of extreme spread still need.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.bulk import slices
from mmaspec.oracle.numerics.bulk.exact_sum import Parts, split_terms, to_odd
from mmaspec.oracle.numerics.ordinals import Doubles, Flags

Index: TypeAlias = NDArray[np.intp]

_DENSE = 16
"""A tile is multiplied again if at least one element in so many is undecided."""

_GATHERED = 1 << 16
"""Products held at a time: half a megabyte."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What `settle` changed: whole tiles (or not), single elements, and those that it could not place."""

    tiles: bool
    elements: Index
    left: Index


def settle(a: Doubles, b: Doubles, c: Doubles, undecided: Flags, total: Doubles) -> Settled:
    """Put the exact sums A*B + C, rounded to odd, into `total` where undecided, and into whole tiles with many such.

    A (T, M, K), B (T, K, N) and C (T, M, N) are finite, with products exact in float64. Elements are numbered as in
    `total.ravel()`; totals of those that are left stay as they were.
    """
    assert total.flags.c_contiguous, "exact sums are written through a flat view"
    tile = undecided[0].size
    dense = np.count_nonzero(undecided, axis=(1, 2)) * _DENSE >= tile
    if dense.all():
        undecided = ~_again(a, b, c, total)
    elif dense.any():
        tiles = np.flatnonzero(dense)
        own = total[tiles]
        known = _again(a[tiles], b[tiles], c[tiles], own)
        total[tiles] = own
        undecided = undecided.copy()
        undecided[tiles] = ~known
    at = np.flatnonzero(undecided)
    left = [at[:0]]
    flat, addends, columns = total.reshape(-1), c.reshape(-1), b.swapaxes(1, 2)
    step = max(1, _GATHERED // (a.shape[-1] + 1))
    for start in range(0, len(at), step):
        own_at = at[start : start + step]
        row, j = np.divmod(own_at, c.shape[-1])
        t, i = np.divmod(row, c.shape[-2])
        products = a[t, i] * columns[t, j]
        values, certain = to_odd(split_terms(np.concatenate([products.T, addends[own_at][None]])))
        if certain is None:
            flat[own_at] = values
        else:
            flat[own_at[certain]] = values[certain]
            left.append(own_at[~certain])
    return Settled(bool(dense.any()), at, np.concatenate(left))


def _again(a: Doubles, b: Doubles, c: Doubles, total: Doubles) -> Flags:
    """Multiply whole tiles by exact slices, into `total`; answers where that is certain."""
    found = slices.product(a, b)
    values, known = to_odd(Parts((*found.parts, c), found.rest, found.error))
    if known is None:
        total[...] = values
        return np.ones(total.shape, np.bool_)
    np.copyto(total, values, where=known)
    return known
