"""The regime of matrices that do not fill their tiles: zeros in the last rows, columns, or along k."""

from __future__ import annotations

import numpy as np

from mmaspec.strategies.regimes.exact_window import window
from mmaspec.strategies.regimes.integers import wild
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Words

PADDINGS = 5
"""Rows, columns, k in both factors, k in A only, and all of them, item by item."""

_FAR = 3
"""Lines that are zero."""


def padded(request: Request) -> dict[str, Words]:
    """Factors as in the regimes of sums, with zeros behind; addends as they are."""
    drawn = window(request) if all(source.fmt.is_float for source in request.sources) else wild(request)
    kind = np.arange(request.batch).reshape(-1, 1, 1, 1, 1) % PADDINGS
    for source in request.of("a", "b"):
        rows, columns = (_behind(request.shape(source), axis) for axis in (-2, -1))
        own, along_k = (rows, columns) if source.role == "a" else (columns, rows)
        line, k = (kind == 0, (kind == 2) | (kind == 3)) if source.role == "a" else (kind == 1, kind == 2)
        zero = (own & (line | (kind == 4))) | (along_k & (k | (kind == 4)))
        drawn[source.name] = np.where(zero, np.uint64(0), drawn[source.name])
    return drawn


def _behind(shape: tuple[int, ...], axis: int) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """The last lines along an axis."""
    count = shape[axis]
    last = np.arange(count) >= count - min(_FAR, count - 1)
    return last[:, None] if axis == -2 else last[None, :]
