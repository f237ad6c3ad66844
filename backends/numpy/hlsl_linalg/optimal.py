"""Optimal layouts: where this device puts the elements of a matrix that no text places."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from mmaspec.backends.numpy.hlsl_linalg.running import Positions
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType
from mmaspec.programs.hlsl_linalg.program import Layout

TRANSPOSED: dict[str, Layout] = {
    "MulOptimalTranspose": "MulOptimal",
    "OuterProductOptimalTranspose": "OuterProductOptimal",
}
"""A layout through which a matrix is loaded transposed -> the one in which it lies."""


def optimal_bytes(caps: LinalgCaps, component: ComponentType, m: int, n: int, layout: Layout) -> int:
    """The size that the caps report for a matrix, or what its elements take where they report none."""
    for row in caps.optimal:
        if (row.component, row.m, row.n, row.layout) == (component, m, n, layout):
            return row.nbytes
    return m * n * COMPONENTS[component].format.nbytes


@lru_cache(maxsize=256)
def multiplying(m: int, n: int) -> Positions:
    """An order for products: pairs of columns, the rows of each pair one after the other."""
    row, column = np.indices((m, n), dtype=np.int64)
    ranks = (column // 2 * m + row) * 2 + column % 2
    return _dense(ranks)


@lru_cache(maxsize=256)
def summing(m: int, n: int) -> Positions:
    """An order for outer products: tiles of 4 x 4, column by column, backwards inside a tile."""
    row, column = np.indices((m, n), dtype=np.int64)
    ranks = ((column // 4 * ((m + 3) // 4) + row // 4) * 4 + 3 - column % 4) * 4 + 3 - row % 4
    return _dense(ranks)


def _dense(ranks: Positions) -> Positions:
    """Numbers made into places without gaps, in the same order."""
    places = np.empty(ranks.size, np.int64)
    places[np.argsort(ranks, axis=None)] = np.arange(ranks.size)
    places.flags.writeable = False  # they are shared
    return places.reshape(ranks.shape)


def spread(places: Positions, size: int, nbytes: int) -> Positions:
    """Bytes of elements that are set apart evenly in so many bytes."""
    apart: Positions = places * (max(1, nbytes // (places.size * size)) * size)
    return apart
