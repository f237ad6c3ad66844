"""How the values of a matrix lie, item by item of a batch: one class for every pattern that some item has."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mmaspec.strategies.hlsl_wave_matrix.observations.access import Codes

TILE = 16

Items = NDArray[np.bool_]
"""One flag for every matrix of a stack."""


def patterns(codes: Codes) -> Iterator[str]:
    """The patterns among matrices ``(batch, rows, cols)``."""
    equal, rows, columns = all_equal(codes), constant_rows(codes), constant_columns(codes)
    distinct, hot = all_distinct(codes), one_hot(codes)
    square = codes.shape[-1] == codes.shape[-2] > 1
    symmetric = (codes == np.swapaxes(codes, -1, -2)).all(axis=(-1, -2)) & ~equal if square else np.zeros_like(equal)
    tiles = by_tile(codes)
    found = {
        "distinct": distinct,
        "by-row": rows & ~equal,
        "by-column": columns & ~equal,
        "all-equal": equal,
        "one-hot": hot,
        "symmetric": symmetric,
        "by-tile": tiles & ~equal,
    }
    vector = 1 in codes.shape[-2:]  # every vector is constant across: no sign of a pattern
    telling = [items for name, items in found.items() if not (vector and name in ("by-row", "by-column"))]
    found["random"] = ~np.logical_or.reduce(telling)
    return (name for name, items in found.items() if items.any())


def all_equal(codes: Codes) -> Items:
    """Where one value stands throughout."""
    found: Items = (codes == codes[..., :1, :1]).all(axis=(-1, -2))
    return found


def constant_rows(codes: Codes) -> Items:
    """Where every row holds one value; nowhere if there is one row."""
    found: Items = (codes == codes[..., :1]).all(axis=(-1, -2))
    return found if codes.shape[-2] > 1 else np.zeros_like(found)


def constant_columns(codes: Codes) -> Items:
    """Where every column holds one value; nowhere if there is one column."""
    return constant_rows(np.swapaxes(codes, -1, -2))


def all_distinct(codes: Codes) -> Items:
    """Where no value stands twice."""
    flat = np.sort(codes.reshape(*codes.shape[:-2], -1), axis=-1)
    found: Items = (flat[..., 1:] != flat[..., :-1]).all(axis=-1)
    return found


def one_hot(codes: Codes) -> Items:
    """Where all elements but one have the same value."""
    flat = codes.reshape(*codes.shape[:-2], -1)
    usual = np.sort(flat, axis=-1)[..., flat.shape[-1] // 2, np.newaxis]
    found: Items = (flat != usual).sum(axis=-1) == 1
    return found


def by_tile(codes: Codes) -> Items:
    """Where every tile of 16 by 16 holds one value, and there are several tiles."""
    rows, cols = codes.shape[-2:]
    if rows % TILE or cols % TILE or rows * cols == TILE * TILE:
        return np.zeros(codes.shape[:-2], np.bool_)
    tiles = codes.reshape(*codes.shape[:-2], rows // TILE, TILE, cols // TILE, TILE)
    found: Items = (tiles == tiles[..., :, :1, :, :1]).all(axis=(-1, -2, -3, -4))
    return found
